#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
""" The rooms of the GPU lie one above the other: docs/architecture.md lists them from the bottom up, and each includes
headers of its own and of those before it. Another table of the page says what the driver's and the tools' folders
include. No two structs of different files, but for those of tests, have one name: whoever searches for one finds one.
Fields of a set-up primitive are read by the primitive engine alone; others ask its functions. A header whose first
words are "Private to the room" is included there alone, one with "For engines alone" by shader/ and jit/, whose fields
of a run others do not read either. Each station of the page's walks names functions, which are
where it says. """
import os
import pathlib
import re
import tempfile
import unittest

GPU = pathlib.Path(__file__).resolve().parent
ROOT = GPU.parents[1]
PAGE = ROOT / "docs" / "architecture.md"
UNITS = "src/clipfree/"
SUFFIXES = {".c", ".h", ".inc", ".py"}  # programs write includes into what they generate
STRUCT = re.compile(r"^struct (\w+) \{", re.M)
PRIM_FIELD = re.compile(r"\b(\w*prim(?:s\[[^]]*\])?->\w+|offsetof\(struct cf_prim,\s*\w+)")
STATION = re.compile(r"^\*\*(\d+)\. (.*?)(?=^\*\*\d+\. |^## |\Z)", re.M | re.S)
PLACE = re.compile(r"`([\w/]+\.[ch]):(\w+)`")
PRIVATE = re.compile(r"/\*[\s*]*Private to the room\b")
ENGINES = re.compile(r"\A(/\* SPDX[^\n]*\n)?/\*[\s*]*For engines alone\b")
ENGINE_ROOMS = ["src/clipfree/shader", "src/clipfree/jit"]
RUN_FIELD = re.compile(r"\brun(?:->|\.)(?:first_exec|constants|steps|next|table|mask|looped|work|watch|varyings|slot)\b")
# Tools that show what instructions left in registers, which decoded steps say.
STEPPERS = ["tools/debug/", "tools/replay/replay_watch.c", "tools/why/why_endless.c"]
INCLUDE = re.compile(r'#\s*include\s*["<]([^">\n]+)[">]')


def rooms(page):
    """The folders in the table of rooms, lowest first."""
    table = re.search(r"^## The rooms\n.*?(^\|.*?)^\n", page, re.M | re.S)[1]
    return re.findall(r"^\| `([a-z/]+)/` \|", table, re.M)


def around(page):
    """{folder: what it includes} of the table of folders around the GPU; units' names without src/clipfree/."""
    table = re.search(r"^\| folder \| part \| includes \|\n(.*?)^\n", page, re.M | re.S)[1]
    rows = re.findall(r"^\| `([\w/]+/)` \|.*\|([^|]*)\|$", table, re.M)
    return {folder: re.findall(r"`([^`]+)`", included) for folder, included in rows}


def sources(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)


def all_sources(root):
    return sources(root / "src") + sources(root / "tools")


class Headers:
    """What includes mean: the files below src/ and tools/, by how their names end."""

    def __init__(self, root):
        self.root, self.ends = root, {}
        for path in all_sources(root):
            name = path.relative_to(root).as_posix()
            parts = name.split("/")
            for i in range(len(parts)):
                self.ends.setdefault("/".join(parts[i:]), []).append(name)

    def own(self, path, name):
        """The file of ours that `path` includes as `name`, from the root; None: it is none of ours."""
        if name.startswith("clipfree/"):  # also generated headers
            at = [folder + name for folder in ("src/", "src/mesa/") if (self.root / folder / name).is_file()]
            return at[0] if at else "src/" + name
        beside = pathlib.Path(os.path.normpath(path.parent / name))
        if beside.is_file() and beside.is_relative_to(self.root):
            return beside.relative_to(self.root).as_posix()
        found = self.ends.get(re.sub(r"^(\.\.?/)+", "", name), [])
        return found[0] if found else None

    def includes(self, path):
        """[(line number, file from the root)] of those that are ours."""
        lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        found = [(number, self.own(path, name)) for number, line in lines for name in INCLUDE.findall(line)]
        return [(number, name) for number, name in found if name]


def folder_of(name):
    return name.rpartition("/")[0] + "/"


def may_include(folder, name, order, others):
    """Whether files of a folder may include this header, both from the root."""
    other = folder_of(name)
    if other == folder:
        return True
    if folder.startswith(UNITS):
        place = {UNITS + room + "/": i for i, room in enumerate(order)}
        return folder in place and other in place and place[other] < place[folder]
    allowed = [entry if entry.startswith(("src/", "tools/")) else UNITS + entry for entry in others.get(folder, [])]
    return any(name.startswith(entry) if entry.endswith("/") else name == entry for entry in allowed)


def upward(root, order, others):
    """A line for each include of what is above, or of what the page does not have."""
    headers, found = Headers(root), []
    for path in all_sources(root):
        folder = folder_of(path.relative_to(root).as_posix())
        if folder == UNITS:
            continue
        found += [f"{path.relative_to(root)}:{number}: {folder} may not include {name}"
                  for number, name in headers.includes(path) if not may_include(folder, name, order, others)]
    return found


def named_twice(root):
    """A line for each name that structs of several files have."""
    places = {}
    for path in all_sources(root):
        if path.suffix in (".c", ".h") and not path.name.startswith("test_"):
            for name in set(STRUCT.findall(path.read_text(encoding="utf-8"))):
                places.setdefault(name, []).append(path.relative_to(root).as_posix())
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
    return name.split("/")[:3]


def private_elsewhere(root):
    """A line for each include of another room's private header."""
    headers = Headers(root)
    private = {path.relative_to(root).as_posix() for path in sources(root / UNITS)
               if path.suffix == ".h" and PRIVATE.search(path.read_text(encoding="utf-8"))}
    return [f"{path.relative_to(root)}:{number}: includes {name}, which is private" for path in all_sources(root)
            for number, name in headers.includes(path)
            if name in private and room_of(name) != room_of(path.relative_to(root).as_posix())]


def engines_elsewhere(root):
    """A line for each include of a header for engines, and each of their fields of a run (in files that name
    cf_run), in another room; not of tests, which may make programs and runs."""
    headers, found = Headers(root), []
    engines = {path.relative_to(root).as_posix() for path in sources(root / UNITS)
               if path.suffix == ".h" and ENGINES.search(path.read_text(encoding="utf-8"))}
    for path in all_sources(root):
        name = path.relative_to(root).as_posix()
        if path.name.startswith("test_") or name.startswith(tuple(STEPPERS)) or "/".join(room_of(name)) in ENGINE_ROOMS:
            continue
        found += [f"{name}:{number}: includes {header}, which is for engines"
                  for number, header in headers.includes(path) if header in engines]
        text = path.read_text(encoding="utf-8") if path.suffix in (".c", ".h") else ""
        if re.search(r"\bcf_run\b", text):
            found += [f"{name}:{number}: {field}" for number, line in enumerate(text.splitlines(), 1)
                      for field in RUN_FIELD.findall(line)]
    return found


def prim_fields(gpu):
    """A line for each field of a struct cf_prim that a room other than primitive/ reads. Tests may make primitives."""
    return [f"{path.relative_to(gpu)}:{number}: {field}" for path in sources(gpu)
            if path.suffix in (".c", ".h") and not path.name.startswith("test_")
            and path.parent.relative_to(gpu).as_posix() != "primitive"
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            for field in PRIM_FIELD.findall(line)]


class Rooms(unittest.TestCase):
    def test_order(self):
        page = PAGE.read_text(encoding="utf-8")
        order, others = rooms(page), around(page)
        self.assertGreater(len(order), 10)
        self.assertEqual(len(set(order)), len(order), "a room is listed twice")
        self.assertEqual([room for room in order if not (GPU / room).is_dir()], [], "no such folders")
        self.assertGreater(len(others), 10)
        self.assertEqual([folder for folder in others if not (ROOT / folder).is_dir()], [], "no such folders")
        self.assertEqual(upward(ROOT, order, others), [])

    def test_no_circle(self):
        """Folders around the GPU include those before them in the table; a benchmark's cases are a part of it."""
        others = around(PAGE.read_text(encoding="utf-8"))
        before = ["tools/bench/features/"]
        for folder, included in others.items():
            before.append(folder)
            self.assertEqual([name for name in included if name.endswith("/") and name in others and name not in before], [])

    def test_spelling(self):
        """Units are included by their whole names, but for the compiler's, which are private to it."""
        found = [f"{path.relative_to(ROOT)}:{number}: {line.strip()}" for path in all_sources(ROOT)
                 if path.suffix != ".py" and path.parent != GPU / "compiler"
                 for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
                 for name in INCLUDE.findall(line) if re.match(r"([\w./]+/)?cf_", name) and not name.startswith("clipfree/")]
        self.assertEqual(found, [])

    def test_names(self):
        self.assertEqual(named_twice(ROOT), [])

    def test_walks(self):
        page = PAGE.read_text(encoding="utf-8")
        self.assertEqual([title for title, _ in walks(page)], ["The triangle", "A shader"])
        for _, stations in walks(page):
            self.assertEqual(list(stations), list(range(1, len(stations) + 1)))
        self.assertEqual(missing(ROOT, page), [])

    def test_private(self):
        self.assertEqual(private_elsewhere(ROOT), [])

    def test_engines(self):
        self.assertEqual(engines_elsewhere(ROOT), [])

    def test_prim_fields(self):
        self.assertEqual(prim_fields(GPU), [])


class Finds(unittest.TestCase):
    """What the check says of a small tree."""

    HEADERS = ["src/clipfree/low/a.h", "src/clipfree/high/b.h", "src/clipfree/high/inner/c.h", "tools/shared/s.h",
               "tools/one/o.h", "src/gallium/x/driver.h"]
    AROUND = {"src/gallium/x/": ["low/", "high/b.h"], "tools/shared/": ["src/clipfree/"],
              "tools/one/": ["tools/shared/", "src/clipfree/"]}

    def tree(self, folder, files):
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return pathlib.Path(folder)

    def check(self, name, line, *expected):
        with tempfile.TemporaryDirectory() as folder:
            root = self.tree(folder, dict.fromkeys(self.HEADERS, "") | {name: f"\n{line}\n"})
            self.assertEqual(upward(root, ["low", "high", "high/inner"], self.AROUND),
                             [f"{name}:2: {folder_of(name)} may not include {header}" for header in expected])

    def test_own_and_lower(self):
        self.check("src/clipfree/low/a.c", '#include "clipfree/low/a.h"')
        self.check("src/clipfree/high/b.c", '#include "clipfree/low/a.h"')
        self.check("src/clipfree/high/inner/c.c", '#include "clipfree/high/b.h"')
        self.check("src/clipfree/low/a.c", "#include <stdio.h>")

    def test_upward(self):
        self.check("src/clipfree/low/a.c", '#include "clipfree/high/b.h"', "src/clipfree/high/b.h")
        self.check("src/clipfree/high/b.c", '#include "clipfree/high/inner/c.h"', "src/clipfree/high/inner/c.h")
        self.check("src/clipfree/low/gen.py", 'print(\'#include "clipfree/high/made.h"\')', "src/clipfree/high/made.h")

    def test_unlisted(self):
        self.check("src/clipfree/new/a.c", '#include "clipfree/low/a.h"', "src/clipfree/low/a.h")
        self.check("src/clipfree/high/b.c", '#include "clipfree/new/a.h"', "src/clipfree/new/a.h")
        self.check("tools/new/a.c", '#include "clipfree/low/a.h"', "src/clipfree/low/a.h")

    def test_spellings(self):
        for name in "../high/b.h", "high/b.h", "b.h", "./../high/../high/b.h", "src/clipfree/high/b.h":
            self.check("src/clipfree/low/a.c", f'#  include "{name}"', "src/clipfree/high/b.h")
        self.check("src/clipfree/low/a.c", "#include <clipfree/high/b.h>", "src/clipfree/high/b.h")
        self.check("src/clipfree/low/a.c", '#include "driver.h"', "src/gallium/x/driver.h")

    def test_around(self):
        self.check("src/gallium/x/d.c", '#include "clipfree/low/any.h"')
        self.check("src/gallium/x/d.c", '#include "clipfree/high/b.h"')
        self.check("src/gallium/x/d.c", '#include "clipfree/high/other.h"', "src/clipfree/high/other.h")
        self.check("src/gallium/x/d.c", '#include "shared/s.h"', "tools/shared/s.h")
        self.check("tools/one/o.c", '#include "shared/s.h"')
        self.check("tools/shared/s.c", '#include "../one/o.h"', "tools/one/o.h")
        self.check("tools/shared/s.c", '#include "one/o.h"', "tools/one/o.h")
        self.check("tools/one/o.c", '#include "driver.h"', "src/gallium/x/driver.h")

    def test_table_around(self):
        page = "| folder | part | includes |\n|---|---|---|\n| `a/b/` | [x](y.md), `z` | `low/`, `high/b.h` |\n| `c/` | x | |\n\n| `d/` | x | |\n"
        self.assertEqual(around(page), {"a/b/": ["low/", "high/b.h"], "c/": []})

    def test_struct_of_two_files(self):
        with tempfile.TemporaryDirectory() as folder:
            root = self.tree(folder, {"src/a.c": "struct x {\n};\nstruct y {\n};\n", "tools/b.h": "struct x {\n};\nstruct y;\n",
                                      "src/test_c.c": "struct y {\n};\n"})
            self.assertEqual(named_twice(root), ["struct x: src/a.c, tools/b.h"])

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
            root = self.tree(folder, {
                "src/clipfree/jit/a.h": "/* SPDX */\n/*\n * Private to the room: x.\n */\n",
                "src/clipfree/jit/b.h": "/* x */\n",
                "src/clipfree/jit/llvm/c.c": '#include "clipfree/jit/a.h"\n',
                "src/clipfree/schedule/d.c": '#include "clipfree/jit/b.h"\n#include "../jit/a.h"\n',
                "tools/e.c": '#include "clipfree/jit/a.h"\n'})
            self.assertEqual(private_elsewhere(root), [
                "src/clipfree/schedule/d.c:2: includes src/clipfree/jit/a.h, which is private",
                "tools/e.c:1: includes src/clipfree/jit/a.h, which is private"])

    def test_engine_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            text = '#include "clipfree/shader/e.h" // cf_run\nx = task->run->next;\ny = a.run.steps[1];\nz = run->exec + run->next_one;\n'
            names = ["sanitize/a.c", "sanitize/test_a.c", "shader/b.c", "jit/llvm/c.h"]
            root = self.tree(folder, {f"src/clipfree/{name}": text for name in names} | {
                "src/clipfree/shader/e.h": "/* SPDX */\n/*\n * For engines alone: x.\n */\n",
                "src/clipfree/shader/f.h": "/* SPDX */\n/* x */\n/* For engines alone */\n",
                "src/clipfree/sanitize/g.c": '#include "clipfree/shader/f.h"\ny = run.steps;\n',
                "tools/debug/d.c": text, "tools/why/e.c": text})
            self.assertEqual(engines_elsewhere(root), [
                f"{name}:{line}" for name in ("src/clipfree/sanitize/a.c", "tools/why/e.c")
                for line in ("1: includes src/clipfree/shader/e.h, which is for engines", "2: run->next", "3: run.steps")])

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
