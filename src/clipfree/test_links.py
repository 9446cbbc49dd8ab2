#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Links of documents lead somewhere: a relative one to a file or folder of the repository, and what follows its `#` to a
heading of that document, named as GitHub does.

Links in code, fenced or in backquotes, are none; addresses of the network are not looked at.
"""
import pathlib
import re
import tempfile
import unittest

GPU = pathlib.Path(__file__).resolve().parent
ROOT = GPU.parents[1]
FOLDERS = "src", "tools", "tests", "docs", "packaging"


def prose(path):
    """(number, line) of a document without its code."""
    fenced = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fence = line.lstrip().startswith("```")
        fenced ^= fence
        if not (fenced or fence):
            yield number, line


def anchor(heading):
    """As GitHub names a heading: lower case, letters, digits, `-` and `_`; a space is a `-`."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return "".join("-" if c == " " else c for c in text.strip().lower() if c.isalnum() or c in " -_")


def anchors(path):
    """Those of a document; of equal ones the second ends in -1, the third in -2."""
    found, times = set(), {}
    for _, line in prose(path):
        if heading := re.match(r"#{1,6}\s+(.*)", line):
            name = anchor(heading[1])
            found.add(f"{name}-{times[name]}" if name in times else name)
            times[name] = times.get(name, 0) + 1
    return found


def documents(root):
    return sorted([*root.glob("*.md"), *(path for folder in FOLDERS for path in (root / folder).rglob("*.md"))])


def complaints(root):
    """A line for each link that leads nowhere."""
    found = []
    for path in documents(root):
        for number, line in prose(path):
            for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
                name, _, at = link.partition("#")
                target = path.parent / name if name else path
                if re.match(r"\w+:", link):
                    continue
                if not target.exists():
                    why = "there is no such file"
                elif at and at not in anchors(target):
                    why = "there is no such heading"
                else:
                    continue
                found.append(f"{path.relative_to(root)}, line {number}: {link}: {why}")
    return found


class Links(unittest.TestCase):
    def test_all(self):
        self.assertGreater(len(documents(ROOT)), 40)
        self.assertEqual(complaints(ROOT), [])

    def test_finds(self):
        """What it says of a small tree."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "docs/b.md").write_text("# A, to `b`: [c](d.md)!\n## Twice\n## Twice\n```\n# Code\n```\n")
            good = "[a](docs/b.md) [a](#here) [a](docs/b.md#a-to-b-c) [a](docs/b.md#twice-1) [a](docs) [a](https://b#c)"
            (root / "docs/d.md").write_text("")
            (root / "a.md").write_text(f"# Here\n{good}\n`[a](none.md)`\n")
            self.assertEqual(complaints(root), [])
            (root / "a.md").write_text("[a](none.md)\n[a](docs/b.md#code) [a](docs/b.md#twice-2)\n[a](#here)\n")
            self.assertEqual([line.split(": ")[:2] for line in complaints(root)],
                             [["a.md, line 1", "none.md"], ["a.md, line 2", "docs/b.md#code"],
                              ["a.md, line 2", "docs/b.md#twice-2"], ["a.md, line 3", "#here"]])


if __name__ == "__main__":
    unittest.main()
