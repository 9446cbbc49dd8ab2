#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Man pages and completion have what the lists have that they are made from."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import gen_pages  # noqa: E402
import gen_tables  # noqa: E402

BASH = shutil.which("bash")
MAN = shutil.which("man")


def text_of(page):
    """A man page without troff's escapes."""
    return page.replace("\\-", "-").replace("\\(aq", "'").replace("\\fB", "").replace("\\fR", "").replace("\\&", "")


class Pages(unittest.TestCase):
    def test_commands(self):
        listed = (HERE / "commands.txt").read_text()
        both = re.findall(r"^(\w+) \|.*\| both \|", listed, re.M)
        tree = re.findall(r"^(\w+) \|.*\| tree \|", listed, re.M)
        named = re.findall(r"^\.B clipfree (\w+)$", text_of(gen_pages.commands_page()), re.M)
        self.assertEqual(named, both)
        self.assertGreater(len(both), 10)
        self.assertGreater(len(tree), 3)

    def test_variables(self):
        page = text_of(gen_pages.variables_page())
        for name, values, text in gen_tables.variables():
            self.assertIn(f".B {name}\n{values}.\n", page)
        for name, _ in gen_tables.debug_flags() + gen_tables.counters():
            self.assertIn(f".B {name}\n", page)

    def test_roff(self):
        self.assertEqual(gen_pages.roff(".a\n'b-c\\d `e`"), "\\&.a\n\\(aqb\\-c\\ed \\fBe\\fR")

    @unittest.skipUnless(MAN, "no man")
    def test_man(self):
        """It reads them without a warning."""
        for make in gen_pages.commands_page, gen_pages.variables_page:
            with tempfile.NamedTemporaryFile("w", suffix=".1") as file:
                file.write(make())
                file.flush()
                done = subprocess.run([MAN, "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", file.name],
                                      capture_output=True, text=True, check=False, env=dict(os.environ, MANWIDTH="80"))
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_words(self):
        """Those of tools are their parts, in the order of their scripts."""
        words = {name: words for name, _, _, words in gen_pages.commands(("both", "tree"))}
        for tool in "shader", "sim":
            script = (HERE.parent / tool / tool).read_text()
            parts = re.findall(r'"(\w+)":', re.search(r"^PARTS = \{(.*?)\}", script, re.M | re.S)[1])
            self.assertEqual(words[tool], parts)


@unittest.skipUnless(BASH, "no bash")
class Completion(unittest.TestCase):
    def completed(self, *words):
        """What bash makes of the last word."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "completion").write_text(gen_pages.completion())
            script = ('. ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _clipfree; '
                      'printf "%s\\n" "${COMPREPLY[@]}"')
            done = subprocess.run([BASH, "-c", script, "bash", *words], cwd=folder, capture_output=True, text=True,
                                  check=True)
        return done.stdout.split()

    def test_commands(self):
        self.assertEqual(self.completed("clipfree", "re"), ["report", "replay", "reduce"])
        self.assertEqual(self.completed("clipfree", "te"), [])
        self.assertEqual(self.completed("./clipfree", "te"), ["test"])
        self.assertIn("--version", self.completed("clipfree", ""))

    def test_words(self):
        self.assertEqual(self.completed("clipfree", "shader", "co"), ["compile", "corpus", "completion"])
        self.assertEqual(self.completed("./clipfree", "test", "piglit-sub"), ["piglit-subset"])
        self.assertIn("frontdoor", self.completed("./clipfree", "test", ""))
        self.assertIn("webgl", self.completed("./clipfree", "test", "we"))
        self.assertEqual([word for word in self.completed("./clipfree", "test", "") if "$" in word], [])
        self.assertIn("bash", self.completed("clipfree", "run", "bas"))
        self.assertEqual(self.completed("clipfree", "why", "co"), [])


if __name__ == "__main__":
    unittest.main()
