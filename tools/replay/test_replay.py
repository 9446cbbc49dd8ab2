#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clipfree-replay says what is missing, and fails: it never interprets what it was asked to compile."""
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPLAY = Path(sys.argv.pop(1))


def replay(program, *arguments):
    """Exit status and messages, where the loader finds no module."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, env={}, check=False)
    return done.returncode, done.stderr


class Replay(unittest.TestCase):
    def test_no_compiler(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(REPLAY, folder)
            status, text = replay(alone, "--engine", "jit", "/dev/null")
        self.assertEqual(status, 1)
        self.assertIn("clipfree-replay: --engine jit: ", text)

    def test_no_capture(self):
        for path in "/dev/null", "/nonexistent":
            status, text = replay(REPLAY, path)
            self.assertEqual(status, 1)
            self.assertIn("capture", text)

    def test_usage(self):
        for arguments in [], ["--engine", "fast", "/dev/null"], ["--threads", "0"]:
            status, text = replay(REPLAY, *arguments)
            self.assertEqual(status, 2)
            self.assertIn("usage: clipfree-replay", text)


if __name__ == "__main__":
    unittest.main()
