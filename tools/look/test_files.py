#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that Python tools write: whole, or as it was before, with a message."""
import os
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import files  # noqa: E402

LIMIT_B = 100
PRINTS = "import sys; sys.path.insert(0, sys.argv[1]); import files; print('x'); " \
         "sys.exit(files.finish('test', 0, 7))"


class Files(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def refused(self, path, data, says):
        with self.assertRaisesRegex(files.CannotWrite, says):
            files.write(str(path), data)

    def limit(self):
        """Files may not grow beyond LIMIT_B, as on a disk that is full."""
        was = resource.getrlimit(resource.RLIMIT_FSIZE)
        self.addCleanup(signal.signal, signal.SIGXFSZ, signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_FSIZE, was)
        resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT_B, was[1]))

    def test_whole(self):
        path = self.folder / "a"
        for data in b"", b"one", b"2" * LIMIT_B:
            files.write(str(path), data)
            self.assertEqual((path.read_bytes(), list(self.folder.iterdir())), (data, [path]))

    def test_as_it_was(self):
        path = self.folder / "a"
        path.write_bytes(b"before")
        self.limit()
        self.refused(path, b"2" * (LIMIT_B + 1), f"cannot write {path}: File too large")
        self.assertEqual((path.read_bytes(), list(self.folder.iterdir())), (b"before", [path]))

    def test_devices_are_written_themselves(self):
        full, null = self.folder / "full", self.folder / "null"
        full.symlink_to("/dev/full")
        null.symlink_to("/dev/null")
        files.write(str(null), b"1")
        self.refused(full, b"1", "No space left on device; make room there, or name another file")
        self.assertTrue(all(path.is_symlink() for path in (full, null)))
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_writable(self):
        file = self.folder / "file"
        file.touch()
        for path in "-", file, self.folder / "new", "/dev/null":
            files.check_writable(str(path))
        for path, says in (self.folder, "it is a folder"), (self.folder / "none/a", "there is no folder"), \
                (file / "a", "there is no folder"):
            with self.assertRaisesRegex(files.CannotWrite, says):
                files.check_writable(str(path))

    def test_folder(self):
        self.assertEqual(len(files.write_folder(str(self.folder / "b/c"), {"x": b"1", "y": b"2"})), 3)
        self.assertEqual((self.folder / "b/c/y").read_bytes(), b"2")
        self.limit()
        for name in "b/c", "new":
            with self.assertRaises(files.CannotWrite):
                files.write_folder(str(self.folder / name), {"z": b"3", "large": b"4" * (LIMIT_B + 1)})
        self.assertEqual(sorted(path.name for path in self.folder.rglob("*")), ["b", "c", "x", "y"])

    def test_answer(self):
        """What waits in Python's buffer when the tool has ended."""
        command = [sys.executable, "-c", PRINTS, HERE]
        env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        self.assertEqual(subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=False).returncode, 0)
        with open("/dev/full", "wb") as full:
            done = subprocess.run(command, env=env, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (7, "clipfree test: cannot write the answer: No space left on device; make room there, or "
                             "name another file\n"))


if __name__ == "__main__":
    unittest.main()
