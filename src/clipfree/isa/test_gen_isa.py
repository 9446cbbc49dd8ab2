#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The generator: each tests/err_*.toml is rejected with the message in its `# error:` line; tests/good.toml, from which they
differ in one place, is accepted; docs/isa.md is what isa.toml gives.
"""
import dataclasses
import pathlib
import re
import subprocess
import sys
import unittest

ISA = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(ISA))
import gen_isa  # noqa: E402
TESTS = ISA / "tests"
DOCS = ISA.parents[2] / "docs" / "isa.md"


class Rejects(unittest.TestCase):
    def test_good(self):
        gen_isa.check(gen_isa.load(TESTS / "good.toml"))

    def test_errors(self):
        files = sorted(TESTS.glob("err_*.toml"))
        self.assertGreater(len(files), 20)
        for file in files:
            with self.subTest(file.name):
                expected = re.search(r"^# error: (.*)$", file.read_text(), re.M)[1]
                with self.assertRaises(gen_isa.Error) as caught:
                    gen_isa.check(gen_isa.load(file))
                self.assertIn(expected, str(caught.exception))

    def test_program(self):
        """One line and status 1, no traceback."""
        file = TESTS / "err_overlap.toml"
        result = subprocess.run([sys.executable, ISA / "gen_isa.py", file], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"^.*err_overlap.toml: form.alu2: bit 24 .*\n$")


class Effect(unittest.TestCase):
    def test_flag(self):
        """An operation says that it has an effect, and the table has it; none has one by itself."""
        isa = gen_isa.load(TESTS / "good.toml")
        self.assertNotIn(".effect", gen_isa.op_row(isa.ops[0], isa))
        with_effect = dataclasses.replace(isa.ops[0], effect=True)
        self.assertIn(".effect = true", gen_isa.op_row(with_effect, isa))


class Docs(unittest.TestCase):
    def test_up_to_date(self):
        self.assertEqual(DOCS.read_text(), gen_isa.write_docs(gen_isa.load(ISA / "isa.toml")),
                         "docs/isa.md is out of date: src/clipfree/isa/gen_isa.py src/clipfree/isa/isa.toml --docs docs/isa.md")


if __name__ == "__main__":
    unittest.main()
