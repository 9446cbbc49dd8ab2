#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Lines have at most 100 columns in C (.clang-format) and 120 in documents, tables and indented or fenced code apart.

Files from before this rule may still have longer lines: line_widths.txt has the number of them for each such file. The
list only shrinks: a file with more of them than listed fails, and so does an entry that is larger than its file needs.
Usage: test_line_widths.py [--update]   (--update lowers or removes entries that are too large; it raises none)
"""
import pathlib
import sys
import tempfile
import unittest

GPU = pathlib.Path(__file__).resolve().parent
ROOT = GPU.parents[1]
LIST = GPU / "line_widths.txt"
FOLDERS = "src", "tools", "tests", "docs"
COLUMNS = {".c": 100, ".h": 100, ".inc": 100, ".md": 120}


def is_prose(lines):
    """For each line of a document whether it can be broken: not in a table, not code."""
    fenced = False
    for line in lines:
        fence = line.startswith("```")
        fenced ^= fence
        yield not (fenced or fence or line.startswith(("|", "    ")))


def long_lines(path):
    """The numbers of the lines that are too long."""
    lines = path.read_text(encoding="utf-8").splitlines()
    breakable = is_prose(lines) if path.suffix == ".md" else [True] * len(lines)
    return [number for number, (line, may_break) in enumerate(zip(lines, breakable), 1)
            if may_break and len(line) > COLUMNS[path.suffix]]


def files(root):
    """All files with a limit."""
    found = [path for folder in FOLDERS for path in (root / folder).rglob("*")] + list(root.glob("*"))
    return sorted(path for path in found if path.suffix in COLUMNS and path.is_file())


def counts(root):
    """{path below root: how many lines are too long}, without files that have none."""
    found = {path.relative_to(root).as_posix(): len(long_lines(path)) for path in files(root)}
    return {name: count for name, count in found.items() if count}


def read_list(text):
    """{path: count} from lines "COUNT PATH"; `#` begins a comment."""
    entries = [line.split(" ", 1) for line in text.splitlines() if line and not line.startswith("#")]
    return {name: int(count) for count, name in entries}


def complaints(root, listed):
    """A line for each file that has more long lines than listed, and for each entry that is too large."""
    found = counts(root)
    more = [f"{name}: {found[name]} lines are too long, {listed.get(name, 0)} may be: {long_lines(root / name)}"
            for name in found if found[name] > listed.get(name, 0)]
    fewer = [f"{name}: {count} is too large, it has {found.get(name, 0)}: {pathlib.Path(__file__).name} --update"
             for name, count in listed.items() if count > found.get(name, 0)]
    return more + fewer


def lowered(root, text):
    """The list's text with entries that are too large lowered or removed."""
    found = counts(root)
    lines = []
    for line in text.splitlines():
        count, _, name = line.partition(" ")
        if line and not line.startswith("#"):
            if not found.get(name):
                continue
            line = f"{min(int(count), found[name])} {name}"
        lines.append(line)
    return "".join(line + "\n" for line in lines)


class LineWidths(unittest.TestCase):
    def test_files(self):
        self.assertEqual(complaints(ROOT, read_list(LIST.read_text(encoding="utf-8"))), [])

    def test_finds_files(self):
        names = [path.relative_to(ROOT).as_posix() for path in files(ROOT)]
        for name in "README.md", "docs/architecture.md", "src/clipfree/command/cf_model.c", "tools/bench/cost.h":
            self.assertIn(name, names)


class Finds(unittest.TestCase):
    """What the check says of a small tree."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        (self.root / "src").mkdir()
        (self.root / "docs").mkdir()

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, *lines):
        (self.root / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    def test_limits(self):
        self.write("src/a.c", "x" * 100)
        self.write("src/b.h", "x" * 101, "x", "é" * 101)
        self.write("docs/c.md", "x" * 120)
        self.write("docs/d.md", "x" * 121)
        self.assertEqual(counts(self.root), {"src/b.h": 2, "docs/d.md": 1})
        self.assertEqual(long_lines(self.root / "src/b.h"), [1, 3])

    def test_documents(self):
        self.write("docs/a.md", "| " + "x" * 121, "    " + "x" * 121, "```", "x" * 121, "```", "x" * 121)
        self.assertEqual(long_lines(self.root / "docs/a.md"), [6])

    def test_list(self):
        self.write("src/a.c", "x" * 101, "x" * 101)
        self.assertEqual(complaints(self.root, read_list("# list\n\n2 src/a.c\n")), [])
        self.assertIn("src/a.c: 2 lines are too long, 1 may be: [1, 2]", complaints(self.root, {"src/a.c": 1}))
        self.assertIn("src/a.c: 2 lines are too long, 0 may be: [1, 2]", complaints(self.root, {}))
        self.assertIn("src/a.c: 3 is too large, it has 2", complaints(self.root, {"src/a.c": 3})[0])
        self.assertIn("src/gone.c: 1 is too large, it has 0", complaints(self.root, {"src/a.c": 2, "src/gone.c": 1})[0])

    def test_update(self):
        self.write("src/a.c", "x" * 101, "x" * 101)
        self.write("src/b.c", "x" * 101)
        self.assertEqual(lowered(self.root, "# list\n3 src/a.c\n4 src/gone.c\n"), "# list\n2 src/a.c\n")
        self.assertEqual(lowered(self.root, "1 src/a.c\n"), "1 src/a.c\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        LIST.write_text(lowered(ROOT, LIST.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        unittest.main()
