#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The rooms of the GPU lie one above the other: docs/architecture.md lists them from the bottom up, and each includes headers
of its own and of those before it. Mesa's side includes the seam and what little else DRIVER_SEES names. No two structs
of different files, but for those of tests, have one name: whoever searches for one finds one. Fields of a set-up
primitive are read by the primitive engine alone; others ask its functions. A header whose first words are "Private to
the room" is included there alone. Each station of the page's walks names functions, which are where it says.
"""
import pathlib
import re
import tempfile
import unittest

GPU = pathlib.Path(__file__).resolve().parent
ROOT = GPU.parents[1]
PAGE = ROOT / "docs" / "architecture.md"
DRIVER_SEES = re.compile(r"interface/.*|compiler/cf_compiler.h|command/cf_model.h|"
                         r"capture/cf_capture_recorder.h|memory/cf_format.h")
SUFFIXES = {".c", ".h", ".inc", ".py"}  # programs write includes into what they generate
STRUCT = re.compile(r"^struct (\w+) \{", re.M)
PRIM_FIELD = re.compile(r"\b(\w*prim(?:s\[[^]]*\])?->\w+|offsetof\(struct cf_prim,\s*\w+)")
STATION = re.compile(r"^\*\*(\d+)\. (.*?)(?=^\*\*\d+\. |^## |\Z)", re.M | re.S)
PLACE = re.compile(r"`([\w/]+\.[ch]):(\w+)`")
PRIVATE = re.compile(r"/\*[\s*]*Private to the room\b")
INCLUDE = re.compile(r'#\s*include "clipfree/([^"\n]+)"')


def rooms(page):
    """The folders in the table of rooms, lowest first."""
    table = re.search(r"^## The rooms\n(.*?)^## ", page, re.M | re.S)[1]
    return re.findall(r"^\| `([a-z/]+)/` \|", table, re.M)


def sources(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)


def includes(path):
    """[(line number, path below clipfree/)]"""
    return [(number, name) for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            for name in INCLUDE.findall(line)]


def upward(gpu, order):
    """A line for each include of a room that is above, or that the order does not have."""
    place = {room: i for i, room in enumerate(order)}
    found = []
    for path in sources(gpu):
        room = path.parent.relative_to(gpu).as_posix()
        if room == ".":
            continue
        for number, name in includes(path):
            other = pathlib.PurePosixPath(name).parent.as_posix()
            if room not in place or other not in place or place[other] > place[room]:
                found.append(f"{path.relative_to(gpu)}:{number}: {room}/ includes {name}")
    return found


def named_twice(gpu):
    """A line for each name that structs of several files have."""
    places = {}
    for path in sources(gpu):
        if path.suffix in (".c", ".h") and not path.name.startswith("test_"):
            for name in set(STRUCT.findall(path.read_text(encoding="utf-8"))):
                places.setdefault(name, []).append(path.relative_to(gpu).as_posix())
    return [f"struct {name}: {', '.join(found)}" for name, found in sorted(places.items()) if len(found) > 1]


def walks(page):
    """[(title, {station's number: [(file, function)]})] of sections with stations."""
    parts = re.split(r"^## (.*)$", page, flags=re.M)
    found = [(title, {int(number): PLACE.findall(text) for number, text in STATION.findall(body)})
             for title, body in zip(parts[1::2], parts[2::2])]
    return [(title, stations) for title, stations in found if stations]


def missing(root, page):
    """A line for each station without a function, and for each function that its file does not define."""
    found = []
    for title, stations in walks(page):
        found += [f"{title}, {number}: names no function" for number, places in stations.items() if not places]
    for name, function in PLACE.findall(page):
        path = root / (name if name.startswith("src/") else "src/clipfree/" + name)
        defined = re.compile(rf"^(?:[\w\s*]+\b)?(?:CF_LANES\()?{function}\)?\([^;{{]*\)\n\{{", re.M)
        if not path.is_file() or not defined.search(path.read_text(encoding="utf-8")):
            found.append(f"{name}:{function} is not there")
    return found


def room_of(name):
    """jit/llvm/ is a part of jit/."""
    return name.split("/")[0]


def private_elsewhere(gpu):
    """A line for each include of another room's private header."""
    private = {path.relative_to(gpu).as_posix() for path in sources(gpu)
               if path.suffix == ".h" and PRIVATE.search(path.read_text(encoding="utf-8"))}
    return [f"{path.relative_to(gpu)}:{number}: includes {name}, which is private" for path in sources(gpu)
            for number, name in includes(path)
            if name in private and room_of(name) != room_of(path.relative_to(gpu).as_posix())]


def prim_fields(gpu):
    """A line for each field of a struct cf_prim that a room other than primitive/ reads. Tests may make primitives."""
    return [f"{path.relative_to(gpu)}:{number}: {field}" for path in sources(gpu)
            if path.suffix in (".c", ".h") and not path.name.startswith("test_")
            and path.parent.relative_to(gpu).as_posix() != "primitive"
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            for field in PRIM_FIELD.findall(line)]


class Rooms(unittest.TestCase):
    def test_order(self):
        order = rooms(PAGE.read_text(encoding="utf-8"))
        self.assertGreater(len(order), 10)
        self.assertEqual(len(set(order)), len(order), "a room is listed twice")
        self.assertEqual([room for room in order if not (GPU / room).is_dir()], [], "no such folders")
        self.assertEqual(upward(GPU, order), [])

    def test_names(self):
        self.assertEqual(named_twice(GPU), [])

    def test_walks(self):
        page = PAGE.read_text(encoding="utf-8")
        self.assertEqual([title for title, _ in walks(page)], ["The triangle", "A shader"])
        for _, stations in walks(page):
            self.assertEqual(list(stations), list(range(1, len(stations) + 1)))
        self.assertEqual(missing(ROOT, page), [])

    def test_private(self):
        self.assertEqual(private_elsewhere(GPU), [])

    def test_prim_fields(self):
        self.assertEqual(prim_fields(GPU), [])

    def test_driver(self):
        found = [f"{path.relative_to(ROOT)}:{number}: includes {name}" for path in sources(ROOT / "src" / "gallium")
                 for number, name in includes(path) if not DRIVER_SEES.fullmatch(name)]
        self.assertEqual(found, [])


class Finds(unittest.TestCase):
    """What the check says of a small tree."""

    def check(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, included in files.items():
                path = pathlib.Path(folder, *name.split("__")).with_suffix(".c")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("".join(f'#include "clipfree/{header}"\n' for header in included))
            return upward(pathlib.Path(folder), ["low", "high", "high/inner"])

    def test_own_and_lower(self):
        self.assertEqual(self.check(low__a=["low/a.h"], high__b=["low/a.h", "high/b.h"], high__inner__c=["high/b.h"]), [])

    def test_upward(self):
        self.assertEqual(self.check(low__a=["low/a.h", "high/b.h"]), ["low/a.c:2: low/ includes high/b.h"])
        self.assertEqual(self.check(high__b=["high/inner/c.h"]), ["high/b.c:1: high/ includes high/inner/c.h"])

    def test_unlisted(self):
        self.assertEqual(self.check(new__a=["low/a.h"]), ["new/a.c:1: new/ includes low/a.h"])
        self.assertEqual(self.check(high__b=["new/a.h"]), ["high/b.c:1: high/ includes new/a.h"])

    def test_struct_of_two_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in ("a.c", "struct x {\n};\nstruct y {\n};\n"), ("b.h", "struct x {\n};\nstruct y;\n"), \
                    ("test_c.c", "struct y {\n};\n"):
                pathlib.Path(folder, name).write_text(text)
            self.assertEqual(named_twice(pathlib.Path(folder)), ["struct x: a.c, b.h"])

    def test_station(self):
        page = ("## Way\n\n**1. It is** (`a/b.c:one`).\n\n**2. Then** `a/b.c:two`\n`src/c.h:three`, `a/d.c:x`.\n"
                "**3. No** `a/b.c`.\n\n## Other\n`a/b.c:declared`\n")
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "src/clipfree/a").mkdir(parents=True)
            (root / "src/clipfree/a/b.c").write_text("void declared(int x);\n\nstatic int\none(int x,\n    int y)\n{\n   two(x);\n}\n")
            (root / "src/c.h").write_text("static inline struct x *\nCF_LANES(three)(void)\n{\n}\n")
            self.assertEqual(walks(page), [("Way", {1: [("a/b.c", "one")], 3: [],
                                                    2: [("a/b.c", "two"), ("src/c.h", "three"), ("a/d.c", "x")]})])
            self.assertEqual(missing(root, page), ["Way, 3: names no function", "a/b.c:two is not there",
                                                   "a/d.c:x is not there", "a/b.c:declared is not there"])

    def test_private_header_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in ("jit/a.h", "/* SPDX */\n/*\n * Private to the room: x.\n */\n"), ("jit/b.h", "/* x */\n"), \
                    ("jit/llvm/c.c", '#include "clipfree/jit/a.h"\n'), \
                    ("schedule/d.c", '#include "clipfree/jit/b.h"\n#include "clipfree/jit/a.h"\n'):
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            self.assertEqual(private_elsewhere(pathlib.Path(folder)),
                             ["schedule/d.c:2: includes jit/a.h, which is private"])

    def test_prim_field_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            text = "x = quad->prim->z_a;\ny = quad->prim;\nz = offsetof(struct cf_prim, a);\nw = prims[i]->front;\n"
            for name in ("pixel/a.c", "pixel/test_a.c", "primitive/b.c"):
                path = pathlib.Path(folder, name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            self.assertEqual(prim_fields(pathlib.Path(folder)), [
                "pixel/a.c:1: prim->z_a", "pixel/a.c:3: offsetof(struct cf_prim, a", "pixel/a.c:4: prims[i]->front"])

    def test_page(self):
        self.assertEqual(rooms("## The rooms\n\n| folder | |\n|---|---|\n| `low/` | x |\n| `high/inner/` | y |\n\n## Next\n| `no/` |\n"),
                         ["low", "high/inner"])


if __name__ == "__main__":
    unittest.main()
