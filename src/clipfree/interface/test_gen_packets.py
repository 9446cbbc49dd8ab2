#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The packet generator rejects descriptions that contradict themselves, and says where."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
FORMATS = HERE / "formats.toml"


class Rejected(unittest.TestCase):
    def generate(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "packets.toml"
            path.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, HERE / "gen_packets.py", path, FORMATS, "--header", pathlib.Path(folder) / "x.h"],
                                  capture_output=True, text=True, check=False)

    def assert_rejected(self, text, message):
        result = self.generate(text)
        self.assertEqual(result.returncode, 1)
        self.assertIn(message, result.stderr)

    def test_good(self):
        self.assertEqual(self.generate('[packet.a]\nopcode = 1\nfields = { x = "1:3:0 uint" }\n').returncode, 0)

    def test_overlap(self):
        self.assert_rejected('[packet.a]\nopcode = 1\nfields = { x = "1:3:0 uint", y = "1:4:3 uint" }\n', "a.y: overlaps another field in dword 1")

    def test_header_is_taken(self):
        self.assert_rejected('[packet.a]\nopcode = 1\nfields = { x = "0:3:0 uint" }\n', "a.x: overlaps")

    def test_unknown_type(self):
        self.assert_rejected('[packet.a]\nopcode = 1\nfields = { x = "1:3:0 colour" }\n', "a.x: unknown type 'colour'")

    def test_bits_outside(self):
        self.assert_rejected('[packet.a]\nopcode = 1\nfields = { x = "1:32:0 uint" }\n', "a.x: bits 32:0 are not inside a dword")

    def test_enum_too_wide(self):
        self.assert_rejected('[enum.e]\nlarge = 4\n[packet.a]\nopcode = 1\nfields = { x = "1:1:0 e" }\n', "a.x: enum e needs more than 2 bits")

    def test_opcode_twice(self):
        self.assert_rejected('[packet.a]\nopcode = 1\nfields = {}\n[packet.b]\nopcode = 1\nfields = {}\n', "b: opcode 0x1 is used by a")

    def test_alike_of_nothing(self):
        self.assert_rejected('[struct.a]\nfields = { x = "1:3:0 uint" }\nalike = { some = ["x", "y"] }\n',
                             "a.alike: there is no field 'y'")

    def test_unreadable_field(self):
        self.assert_rejected('[packet.a]\nopcode = 1\nfields = { x = "one" }\n', "a.x: cannot parse 'one'")


class Reference(unittest.TestCase):
    def test_page_is_up_to_date(self):
        committed = HERE.parents[2] / "docs" / "packets.md"
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "packets.md"
            subprocess.run([sys.executable, HERE / "gen_packets.py", HERE / "packets.toml", FORMATS, "--docs", page], check=True)
            self.assertEqual(committed.read_text(encoding="utf-8"), page.read_text(encoding="utf-8"),
                             "docs/packets.md is old: gen_packets.py packets.toml formats.toml --docs docs/packets.md")


if __name__ == "__main__":
    unittest.main()
