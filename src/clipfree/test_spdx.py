#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Each file of ours says in its first lines which license it has: `SPDX-License-Identifier: MIT`. Pages, data and pictures
say nothing (LICENSE is theirs, too), nor do formats without comments and what other programs write.

packaging/debian/copyright says the same of all parts, Mesa's too.
"""
import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = "src", "tools", "tests", "subprojects/packagefiles", "packaging"
LINE = "SPDX-License-Identifier: MIT"
FIRST_LINES = 5
# Without a line: documents, data, pictures, what has no comments; patches have their files' licenses.
SILENT = {".md", ".txt", ".json", ".png", ".jpg", ".svg", ".patch", ".pyc", ".npmrc", ".xz"}
# Debian's files, all described by its `copyright`.
DESCRIBED = "packaging/debian"


def lacking(root):
    """The files without the line."""
    found = [path for folder in FOLDERS for path in (root / folder).rglob("*")] + list(root.glob("*"))
    own = [path for path in found if path.is_file() and not path.is_symlink() and path.suffix not in SILENT
           and not path.name.startswith(".") and path.name != "LICENSE"
           and DESCRIBED not in path.relative_to(root).as_posix()]
    return sorted(path.relative_to(root).as_posix() for path in own
                  if LINE not in "\n".join(path.read_text(encoding="utf-8").split("\n", FIRST_LINES)[:FIRST_LINES]))


class Licenses(unittest.TestCase):
    def test_all(self):
        self.assertEqual(lacking(ROOT), [])

    def test_finds(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "src").mkdir()
            (root / "src" / "a.c").write_text(f"/* {LINE} */\n")
            (root / "src" / "b.c").write_text("int x;\n")
            (root / "src" / "c.py").write_text("\n" * FIRST_LINES + f"# {LINE}\n")
            (root / "src" / "d.md").write_text("d\n")
            (root / "meson.options").write_text(f"# {LINE[:-3]}GPL\n")
            self.assertEqual(lacking(root), ["meson.options", "src/b.c", "src/c.py"])


if __name__ == "__main__":
    unittest.main()
