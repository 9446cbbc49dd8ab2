#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clipfree-asm as a program: assembly and disassembly in both encodings, and error messages. Argument: the program."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = ""
TEXT = """\
   movi v1, 0x3fc00000 # 1.5
   loop
L2:
   fadd v0, v0, v1
   flt v2, 10.0, v0
   brk v2, L5
L5:
   endloop L2
   out 0, v0
   end
"""


def run(*args, data=b""):
    return subprocess.run([PROGRAM, *args], input=data, capture_output=True, check=False)


class Asm(unittest.TestCase):
    def test_both_ways(self):
        for flags in ([], ["-x"]):
            words = run(*flags, data=TEXT.encode())
            self.assertEqual((words.returncode, words.stderr), (0, b""))
            self.assertEqual(len(words.stdout), 8 * (17 if flags else 8))
            text = run("-d", *flags, data=words.stdout)
            self.assertEqual((text.returncode, text.stdout.decode()), (0, TEXT))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            source, binary = pathlib.Path(folder) / "a.asm", pathlib.Path(folder) / "a.bin"
            source.write_text("end\n")
            self.assertEqual(run("-o", binary, source).returncode, 0)
            self.assertEqual(binary.read_bytes(), bytes([0x79, 0, 0, 0, 0, 0, 0, 0]))

    def test_long_input(self):
        words = run(data=b"end\n" * 100000)
        self.assertEqual(len(words.stdout), 800000)
        self.assertEqual(run("-d", data=words.stdout).stdout, b"   end\n" * 100000)

    def test_json(self):
        """Both ways the same document: words, and text that assembles to them, targets by number."""
        words = run("-x", data=TEXT.encode()).stdout.decode().split()
        documents = [json.loads(run("--json", *args, data=data).stdout)
                     for args, data in (([], TEXT.encode()), (["-d", "-x"], "\n".join(words).encode()))]
        self.assertEqual(documents[0], documents[1])
        self.assertEqual((documents[0]["version"], documents[0]["input"]), (1, None))
        instructions = documents[0]["instructions"]
        self.assertEqual([one["word"] for one in instructions], [f"0x{word}" for word in words])
        self.assertEqual([one["instruction"] for one in instructions], list(range(len(words))))
        again = run("-x", data="\n".join(one["text"] for one in instructions).encode())
        self.assertEqual(again.stdout.decode().split(), words)
        bad = json.loads(run("-d", "--json", data=bytes(8)).stdout)["instructions"]
        self.assertEqual(bad, [{"instruction": 0, "word": "0x" + 16 * "0", "error": "undefined operation"}])

    def test_errors(self):
        for args, data, message in (
            ([], b"end\nmov v1, 0.3\n", b"standard input: line 2: the number for 'a' is no inline constant"),
            (["-d"], b"end\n", b"4 bytes are no whole number of 8-byte instructions"),
            (["-d", "-x"], b"79\n", b"not a list of 16-digit hexadecimal words"),
            (["-d", "-x"], b"0000000000000079 end\n", b"not a list of 16-digit hexadecimal words"),
            (["no/such/file"], b"", b"no/such/file: No such file"),
            (["/"], b"", b"/: Is a directory"),
            (["-o", "no/such/file"], b"end", b"no/such/file: No such file"),
            (["--what"], b"", b"usage: clipfree-asm"),
            (["a", "b"], b"", b"usage: clipfree-asm"),
        ):
            with self.subTest(args):
                result = run(*args, data=data)
                self.assertNotEqual(result.returncode, 0)
                self.assertIn(message, result.stderr)
        self.assertIn(b"undefined operation", run("-d", data=bytes(8)).stdout)
        self.assertEqual(run("--help").returncode, 0)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
