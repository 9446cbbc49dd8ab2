#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Scripts in Python use names that there are, and define none twice, as pyflakes finds: a wrong name in a branch that is
rarely taken, and a test that another one of its name replaces, would be seen by nobody. Names that are imported and not
used are left out: some are imported for what that does, or for who imports the file.
"""
import pathlib
import tempfile
import unittest

from pyflakes import api, messages, reporter

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = "src", "tools", "tests", "packaging"


class Found(reporter.Reporter):
    """What pyflakes says, as lines; `left_out`: classes of its messages."""
    left_out = messages.UnusedImport, messages.ImportShadowedByLoopVar

    def __init__(self):
        super().__init__(None, None)
        self.lines = []

    def flake(self, message):
        if not isinstance(message, self.left_out):
            self.lines.append(str(message))

    def syntaxError(self, filename, msg, lineno, offset, text):  # pylint: disable=invalid-name
        self.lines.append(f"{filename}:{lineno}: {msg}")

    def unexpectedError(self, filename, msg):  # pylint: disable=invalid-name
        self.lines.append(f"{filename}: {msg}")


def scripts(root):
    """Files in Python, with the ending or without."""
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*")):
        if path.is_file() and not path.is_symlink() and path.suffix in (".py", ""):
            with path.open("rb") as file:
                if path.suffix == ".py" or b"python" in file.readline():
                    yield path


def faults(root):
    """(how many scripts there are, what is wrong in them)"""
    found, count = Found(), 0
    for path in scripts(root):
        api.check(path.read_text(encoding="utf-8"), str(path.relative_to(root)), found)
        count += 1
    return count, found.lines


class Scripts(unittest.TestCase):
    def test_all(self):
        count, lines = faults(ROOT)
        self.assertEqual(lines, [])
        self.assertGreater(count, 150)

    def test_finds(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "src").mkdir()
            (root / "src" / "twice.py").write_text("def test():\n   pass\n\n\ndef test():\n   pass\n")
            (root / "src" / "run").write_text("#!/usr/bin/python3\nimport os\n\n\ndef f():\n   return missing\n")
            (root / "src" / "wrong.py").write_text("def f(:\n")
            (root / "src" / "shell").write_text("#!/bin/sh\nfi\n")
            count, lines = faults(root)
            self.assertEqual((count, len(lines)), (3, 3), lines)
            for line, wanted in zip(lines, ("src/run:6", "src/twice.py:5", "src/wrong.py:1")):
                self.assertTrue(line.startswith(wanted), line)


if __name__ == "__main__":
    unittest.main()
