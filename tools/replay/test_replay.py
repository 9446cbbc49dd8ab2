#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clipfree-replay: on a capture that test-command-invariance leaves, the same memory for any number of threads and either engine;
on files that are no captures, or damaged, and on wrong options, a message that says what is wrong.

Usage: test_replay.py CLIPFREE-REPLAY [TEST-COMMAND-INVARIANCE]
"""
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPLAY = Path(sys.argv.pop(1)).resolve()
DRAWING = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
MAGIC = b"clipfree capture 2\n"
MEMORY, SUBMIT = 1, 2
PAGE_B = 4096


def replay(program, *arguments):
    """Exit status and messages, where the loader finds no module but the one beside the program."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, env={"HOME": "/nonexistent"}, check=False)
    return done.returncode, done.stderr


def record(kind, address, size_B, payload=b""):
    return struct.pack("<IIQQ", kind, 0, address, size_B) + payload


class Refused(unittest.TestCase):
    def assert_refused(self, records, message, *options, status=1):
        with tempfile.NamedTemporaryFile() as file:
            file.write(MAGIC + records)
            file.flush()
            found = replay(REPLAY, *options, file.name)
        self.assertEqual(found[0], status, found[1])
        self.assertIn(message, found[1])

    def test_no_compiler(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(REPLAY, folder)
            status, text = replay(alone, "--engine", "jit", "/dev/null")
        self.assertEqual(status, 1)
        self.assertRegex(text, "clipfree-replay: (--)?engine jit: ")

    def test_no_capture(self):
        for path in "/dev/null", "/nonexistent", "/":
            status, text = replay(REPLAY, path)
            self.assertEqual(status, 1)
            self.assertIn("capture", text)
            self.assertIn(path, text)

    def test_records(self):
        page, submit = record(MEMORY, PAGE_B, PAGE_B, bytes(PAGE_B)), record(SUBMIT, PAGE_B, 0)
        second = len(MAGIC + page)
        self.assert_refused(b"", "the capture has no submission")
        self.assert_refused(page, "the capture has no submission")
        self.assert_refused(page + record(3, PAGE_B, 0), f"record at byte {second} (kind 3")
        self.assert_refused(page[:-1], "record at byte 19 (kind 1, address 0x1000, 4096 bytes): the file ends")
        self.assert_refused(page + submit + b"\0", f"record at byte {second + len(submit)}: the file ends in it")
        for kind in MEMORY, SUBMIT:
            self.assert_refused(page + record(kind, 0, 0), "its addresses")
            self.assert_refused(page + record(kind, PAGE_B - 4, 0), "its addresses")
            self.assert_refused(page + record(kind, 1 << 63, 0), "its addresses")
        for size_B in (1 << 32) - PAGE_B, (1 << 64) - PAGE_B:  # address + size wraps around, or memory does not hold it
            self.assert_refused(page + record(SUBMIT, (1 << 35) - PAGE_B, size_B & ~3), f"record at byte {second}")
        for address, size_B in (PAGE_B, 2), (PAGE_B + 1, 4), (PAGE_B, 1 << 32):
            self.assert_refused(page + record(SUBMIT, address, size_B), "whole dwords")

    def test_print_stays_in_the_command_buffer(self):
        half = struct.pack("<I", 11 << 16 | 0x20)  # a draw packet's first dword, the last of memory
        page = record(MEMORY, PAGE_B, PAGE_B, bytes(PAGE_B - 4) + half)
        self.assert_refused(page + record(SUBMIT, 2 * PAGE_B - 4, 4), "packet draw", "--print")

    def test_values(self):
        for option in ["--threads", "x"], ["--threads", "65"], ["--threads", "2x"], ["--engine", "fast"], ["--repeat", "0"], \
                ["--repeat", "2x"], ["--setup", "dp4"], ["--sfu", "cordic:31"], ["--host-level", "v5"], \
                ["--show", "all"], ["--pixel", "3"], ["--pixel", "3,x"], ["--pixel", "99999999999,1"]:
            status, text = replay(REPLAY, *option, "/dev/null")
            self.assertEqual(status, 1)
            self.assertIn(f"clipfree-replay: {option[0]}={option[1]} is not known; it may be ", text)
        self.assert_refused(b"", "nothing to verify", "--verify", "--engine", "interp")

    def test_usage(self):
        for arguments in [], ["--fast", "/dev/null"], ["--threads", "0"], ["--threads"], ["/dev/null", "/dev/null"]:
            status, text = replay(REPLAY, *arguments)
            self.assertEqual(status, 2)
            self.assertIn("usage: clipfree-replay", text)
            self.assertIn("--host-level", text)


@unittest.skipUnless(DRAWING, "test-command-invariance is not built")
class Drawing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = Path(cls.folder.name, "capture")
        subprocess.run([DRAWING, cls.path], check=True)

    def hash_of(self, *options):
        done = subprocess.run([REPLAY, *options, self.path], capture_output=True, text=True, check=False,
                              env={"MESA_SHADER_CACHE_DISABLE": "1"})
        found = re.search(r"memory ([0-9a-f]{16})$", done.stdout.strip())
        self.assertTrue(found, done.stdout + done.stderr)
        return found[1], done.stdout, done.stderr

    def test_same_memory(self):
        expected, *_ = self.hash_of("--threads", "0", "--engine", "interp")
        for options in ["--threads", "2"], ["--host-level", "base"], ["--repeat", "2"], ["--engine", "auto"]:
            self.assertEqual(self.hash_of(*options)[0], expected, options)

    def test_compiled(self):
        status, text = replay(REPLAY, "--engine", "jit", "/nonexistent")
        if "engine jit" in text:
            self.skipTest(text)
        expected, *_ = self.hash_of()
        self.assertEqual(self.hash_of("--engine", "jit", "--threads", "2")[0], expected)
        self.assertEqual(self.hash_of("--engine", "jit", "--threads", "0")[0], expected)
        verified, _, said = self.hash_of("--verify")
        self.assertEqual(verified, expected)
        self.assertRegex(said, r"clipfree: verified [1-9]\d* tasks of [1-9]\d* programs")

    def test_other_arithmetic(self):
        expected, *_ = self.hash_of()
        for setup in "dp3", "fma":
            self.assertNotEqual(self.hash_of("--setup", setup)[0], expected)

    def test_print(self):
        self.assertIn("\ndraw\n", self.hash_of("--print")[1])
        self.assertRegex("".join(self.hash_of("--show", "rast")), r"tile \(0, 0\): primitive")

    def test_pixel(self):
        """A line for each thing that happens; each finds what the one before left; watching changes no memory."""
        plain, *_ = self.hash_of("--path", "plain")
        for x, y in (100, 100), (3, 200), (299, 0):
            memory, text, _ = self.hash_of("--pixel", f"{x},{y}", "--threads", "2")
            self.assertEqual(memory, plain)
            lines = text.splitlines()[:-1]
            self.assertRegex(lines[0], r"^clear 0x[0-9a-f]+; target 0: [0-9a-f]{8} under ffffffff; depth and stencil: ")
            value, mask = (int(found, 16) for found in re.search(r"target 0: (\w+) under (\w+)", lines[0]).groups())
            pixel = value & mask
            for line in lines[1:]:
                found = re.search(r"target 0: (\w+) (->|under) (\w+)", line)
                if line.startswith("draw"):
                    fate = "(written|killed|alpha|stencil|depth)"
                    self.assertRegex(line, rf"^draw 0x\w+, primitive \d+, sample 0: {fate}; depth ")
                    self.assertEqual(int(found[1], 16), pixel, line)
                    pixel = int(found[3], 16)
                elif found:
                    pixel = (pixel & ~int(found[3], 16)) | (int(found[1], 16) & int(found[3], 16))
            self.assertTrue(any(": written;" in line for line in lines))

    def test_pixel_is_interpreted(self):
        status, text = replay(REPLAY, "--engine", "auto", "--pixel", "1,1", self.path)
        self.assertEqual(status, 1)
        self.assertIn("what is watched is the plain path, interpreted", text)

    def test_cut_off(self):
        data = self.path.read_bytes()
        for size_B in len(data) - 1, len(data) // 2, len(MAGIC) + 30:
            with tempfile.NamedTemporaryFile() as file:
                file.write(data[:size_B])
                file.flush()
                status, text = replay(REPLAY, file.name)
            self.assertEqual(status, 1)
            self.assertRegex(text, r"record at byte \d+.*the file ends")


if __name__ == "__main__":
    unittest.main()
