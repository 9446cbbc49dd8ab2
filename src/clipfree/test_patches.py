#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The corrections of Mesa (CONTRIBUTING.md, "Corrections of Mesa"): subprojects/mesa.wrap lists each patch once, in the
order of its number; a message has a subject, what was wrong, the tests that show it, which are there, and the state
upstream. Where Mesa's archive is, the patches apply to it one after the other, each exactly where it says.

Documents and comments name patches that there are.
"""
import configparser
import email
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUBJECT_COLUMNS, BODY_COLUMNS = 72, 75
FIRST_LINE = "From " + "0" * 40 + " Mon Sep 17 00:00:00 2001"
STATES = re.compile(r"clipfree only|not sent; not looked at|not sent; still there in \S.*|sent: \S.*|"
                    r"fixed upstream in \S.*")
NAMING = "docs/*.md", "*.md", "meson.build", "src/**/*.[ch]", "src/**/*.md", "tests/**/*.[ch]", "tests/**/*.txt"
NAME = re.compile(r"[A-Za-z0-9._]+(?:-[A-Za-z0-9._]+){2,}\.patch")


def wrap(root):
    found = configparser.ConfigParser(interpolation=None)
    found.read(root / "subprojects/mesa.wrap")
    return found["wrap-file"]


def listed(root):
    return [name.strip() for name in wrap(root)["diff_files"].split(",")]


def folder(root):
    return root / "subprojects/packagefiles"


class Patch:
    """A patch's message."""

    def __init__(self, text):
        self.first_line, _, rest = text.partition("\n")
        message = email.message_from_string(rest)
        self.author, self.date = message["From"], message["Date"]
        self.subject = re.sub(r"\n\s+", " ", message["Subject"] or "").removeprefix("[PATCH] ")
        lines = message.get_payload().partition("\ndiff --git ")[0].strip().split("\n")
        at = next((i for i, line in enumerate(lines) if line.startswith(("Test: ", "Upstream: "))), len(lines))
        self.body, self.last = lines[:at], lines[at:]

    def values(self, key):
        return [line.removeprefix(key) for line in self.last if line.startswith(key)]


def file_name(number, subject):
    """As `git format-patch` names it."""
    return f"{number:04}-{re.sub('[^A-Za-z0-9._]+', '-', subject).strip('-.')}.patch"


def sources(root, program):
    """The C files of a program of the tests, as their Meson files list them. None: there is no such program."""
    for path in sorted((root / "tests").rglob("meson.build")):
        if found := re.search(rf"'{program}'\s*[,:]\s*\[?((?:\s*'[^']+\.c',?)+)", path.read_text(encoding="utf-8")):
            return [path.parent / name for name in re.findall(r"'([^']+)'", found[1])]
    return None


def without_program(root, command):
    """What is wrong with `build/tests/PROGRAM CASE... [--OPTION...]`."""
    program, *words = command.removeprefix("build/tests/").partition(" --")[0].split()
    files = sources(root, program)
    if files is None:
        return "there is no such program"
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    missing = [word for word in words if f'"{word}"' not in text]
    return f"it has no case {missing[0]}" if missing else "" if words else "it names no case"


def without_suite(root, name, case):
    """What is wrong with `suite NAME, CASE`. Piglit's tests are not ours: theirs only have the form of a name."""
    known = re.findall(r'_suites="([^"]*)"', (root / "tools/setup/suites.sh").read_text(encoding="utf-8"))
    if name not in " ".join(known).split():
        return "there is no such suite"
    if name.startswith("piglit"):
        return "" if re.fullmatch(r"[^@]+(@[^@]+)+", case) else "that is no test of Piglit's"
    own = [path for path in (root / "tests" / name.split("-")[0]).rglob("*") if path.is_file()]
    found = case and any(case in path.read_text(encoding="utf-8", errors="ignore") for path in own)
    return "" if found else "it has no such case"


def without_test(root, text):
    """What is wrong with a patch's test; "": it is there."""
    if text.startswith("build/tests/"):
        return without_program(root, text)
    if text.startswith("suite "):
        return without_suite(root, *text.removeprefix("suite ").partition(", ")[::2])
    name, _, needle = text.partition(", ")
    if not (root / name).is_file():
        return "there is no such file"
    return "" if needle in (root / name).read_text(encoding="utf-8") else "it does not have that"


def of_message(root, number, name, patch):
    """What is wrong with a patch's name and message."""
    if patch.first_line != FIRST_LINE:
        yield "it is not as git format-patch --zero-commit writes it"
    if not (patch.author and patch.date):
        yield "it has no author or date"
    if not re.match(r"[a-z][\w/, ]*: \S", patch.subject):
        yield "its subject names no part of Mesa"
    if len(patch.subject) > SUBJECT_COLUMNS:
        yield "its subject is too long"
    if name != file_name(number, patch.subject):
        yield f"its number and subject make it {file_name(number, patch.subject)}"
    if not "".join(patch.body):
        yield "it does not say what was wrong"
    if any(len(line) > BODY_COLUMNS for line in patch.body):
        yield "a line of its message is too long"
    tests, states = patch.values("Test: "), patch.values("Upstream: ")
    if not tests:
        yield "it has no test"
    for test in tests:
        if why := without_test(root, test):
            yield f"{test}: {why}"
    if len(states) != 1 or not STATES.fullmatch(states[0]):
        yield "its state upstream is none of CONTRIBUTING.md's"
    if len(tests) + len(states) != len(patch.last):
        yield "its last lines are not Test: and Upstream: alone"


def complaints(root):
    """A line for each thing that is wrong."""
    names, there = listed(root), {path.name for path in folder(root).glob("*.patch")}
    found = [f"{name}: mesa.wrap lists it, and it is not there" for name in names if name not in there]
    found += [f"{name}: mesa.wrap does not list it once" for name in sorted(there) if names.count(name) != 1]
    for number, name in enumerate(names, 1):
        if name in there:
            patch = Patch((folder(root) / name).read_text(encoding="utf-8", errors="surrogateescape"))
            found += [f"{name}: {why}" for why in of_message(root, number, name, patch)]
    known = {name.partition("-")[2] for name in names}
    for path in sorted(path for pattern in NAMING for path in root.glob(pattern)):
        found += [f"{path.relative_to(root)}: there is no patch {name}"
                  for name in NAME.findall(path.read_text(encoding="utf-8")) if name not in known]
    return found


def touched(root):
    """The files that patches change, but for those that one of them makes, as the archive names them."""
    pairs = [pair for name in listed(root)
             for pair in re.findall(r"^--- (\S+)\n\+\+\+ b/(\S+)",
                                    (folder(root) / name).read_text(encoding="utf-8", errors="surrogateescape"), re.M)]
    made = {new for old, new in pairs if old == "/dev/null"}
    return sorted({f"{wrap(root)['directory']}/{new}" for old, new in pairs if new not in made})


def applied(root, archive):
    """A line for each patch that does not apply exactly where it says."""
    with tempfile.TemporaryDirectory() as place:
        (pathlib.Path(place) / "touched").write_text("\n".join(touched(root)) + "\n")
        subprocess.run(["tar", "-x", "--no-same-owner", "-f", archive, "-C", place, "-T", f"{place}/touched"],
                       check=True)
        tree, found = pathlib.Path(place) / wrap(root)["directory"], []
        for name in listed(root):
            run = subprocess.run(["patch", "-f", "-F0", "-p1", "-i", folder(root) / name], cwd=tree, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            if run.returncode or "offset" in run.stdout:
                found.append(f"{name}: {run.stdout.strip()}")
        return found


class Patches(unittest.TestCase):
    def test_all(self):
        self.assertGreater(len(listed(ROOT)), 40)
        self.assertEqual(complaints(ROOT), [])

    def test_applies(self):
        archive = ROOT / "subprojects/packagecache" / wrap(ROOT)["source_filename"]
        if not archive.exists() or not shutil.which("patch"):
            self.skipTest("Mesa's archive, or `patch`, is not here")
        self.assertEqual(applied(ROOT, archive), [])


RIGHT = "build/tests/checks right"
MESSAGE = f"""{FIRST_LINE}
From: A <a@b>
Date: Wed, 28 May 2025 00:00:00 +0000
Subject: [PATCH] part: one

It was wrong.

Test: {RIGHT}
Upstream: clipfree only

diff --git a/a b/a
--- a/a
+++ b/a
@@ -1,3 +1,3 @@
 1
-2
+two
 3
"""
TWO = MESSAGE.replace("one", "two").replace("It was", "And it was").replace(" 1\n-2\n+two\n 3", " 1\n two\n-3\n+three")

# (what of the first patch becomes what, and what is said of it)
FAULTS = (
    ("From 0", "From 1", "git format-patch"),
    ("Date: ", "Dated: ", "author or date"),
    ("part: one", "one", "no part of Mesa"),
    ("part: one", f"part: {'x' * 70}", "too long"),
    ("part: one", "part: three", "make it 0001-part-three.patch"),
    ("It was wrong.\n", "", "what was wrong"),
    ("It was", "It was " * 20, "line of its message"),
    (f"Test: {RIGHT}\n", "", "no test"),
    (RIGHT, RIGHT + "er", "no case righter"),
    (RIGHT, "build/tests/checks", "names no case"),
    ("/checks", "/check", "no such program"),
    (RIGHT, "suite thrust, fork", "no such suite"),
    (RIGHT, "suite trust, fork2", "no such case"),
    (RIGHT, "suite piglit, fork", "no test of Piglit's"),
    (RIGHT, "tests/run", "no such file"),
    (RIGHT, "tests/more.c, left", "does not have that"),
    ("clipfree only", "sent", "state upstream"),
    ("Upstream: clipfree only\n", "", "state upstream"),
    ("Upstream", "Also: x\nUpstream", "alone"),
)


class Finds(unittest.TestCase):
    """What is said of a small tree with one thing wrong."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = pathlib.Path(place.name)
        for name, text in {
                "subprojects/mesa.wrap": "[wrap-file]\ndirectory = m\ndiff_files =\n  0001-part-one.patch,\n"
                                         "  0002-part-two.patch\n",
                "subprojects/packagefiles/0001-part-one.patch": MESSAGE,
                "subprojects/packagefiles/0002-part-two.patch": TWO,
                "tests/meson.build": "executable(\n  'checks', 'checks.c', 'more.c',\n)\n",
                "tests/checks.c": "", "tests/more.c": '{ "right", f }', "tests/trust/run": "suite.check('fork')",
                "tools/setup/suites.sh": 'default_suites="unit trust piglit"\n',
                "docs/a.md": "`part-one-two.patch`", "m/a": "1\n2\n3\n"}.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

    def first(self, old, new):
        """The complaints when the first patch says something else."""
        path = folder(self.root) / "0001-part-one.patch"
        self.assertIn(old, MESSAGE)
        path.write_text(MESSAGE.replace(old, new))
        return complaints(self.root)

    def edit(self, name, old, new):
        path = self.root / name
        self.assertIn(old, path.read_text())
        path.write_text(path.read_text().replace(old, new))

    def test_whole_tree(self):
        self.edit("docs/a.md", "-two", "")
        self.assertEqual(complaints(self.root), [])

    def test_name_in_document(self):
        self.assertEqual(complaints(self.root), ["docs/a.md: there is no patch part-one-two.patch"])

    def test_list(self):
        self.edit("docs/a.md", "-two", "")
        for old, new, why in (("0002-part-two", "0002-part-three", "it is not there"),
                              (",\n  0002-part-two.patch", "", "does not list it once"),
                              ("0002-part-two.patch", "0002-part-two.patch, 0002-part-two.patch", "list it once")):
            before = (self.root / "subprojects/mesa.wrap").read_text()
            self.edit("subprojects/mesa.wrap", old, new)
            self.assertIn(why, " ".join(complaints(self.root)))
            (self.root / "subprojects/mesa.wrap").write_text(before)

    def test_message(self):
        self.edit("docs/a.md", "-two", "")
        for old, new, why in FAULTS:
            with self.subTest(new=new):
                self.assertIn(why, " ".join(self.first(old, new)))
        for test in ("suite trust, fork", "suite piglit, a@b", "tests/more.c, right", "tests/more.c",
                     RIGHT + " --seed 1"):
            with self.subTest(test=test):
                self.assertEqual(self.first(RIGHT, test), [])

    @unittest.skipUnless(shutil.which("patch"), "`patch` is not here")
    def test_application(self):
        for content, count in (("1\n2\n3\n", 0), ("0\n1\n2\n3\n", 2), ("1\n2\n4\n", 2)):
            (self.root / "m/a").write_text(content)
            archive = self.root / "m.tar"
            subprocess.run(["tar", "-c", "-f", archive, "-C", self.root, "m"], check=True)
            self.assertEqual(len(applied(self.root, archive)), count)


if __name__ == "__main__":
    unittest.main()
