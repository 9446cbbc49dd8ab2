#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
""" Every function has a caller that is no test: what nobody calls, or tests alone, is removed or moved to the tests.
Functions with external linkage are called from other files; what only its own file calls is static, unless a unit test
calls it too, to see a part of what the file does.

A function is called where its name stands, but for definitions and declarations, which begin at the first column.
"""
import collections
import pathlib
import re
import tempfile
import unittest

from c_source import ROOT, code, functions, head_name, is_test, sources, without_directives, HEAD

# Called by name from elsewhere, and by whom.
CALLED_BY_OTHERS = {
    "main": "the host",
    "__jit_debug_register_code": "gdb stops there",
    "eglSwapBuffers": "programs that tools/bench/frames.c is loaded into",
    "glXSwapBuffers": "programs that tools/bench/frames.c is loaded into",
}
# What programs write is C as well, and patches of Mesa call the driver.
WRITES_C = (".py", ".toml", ".patch")
PATCHES = "subprojects/packagefiles/*.patch"
NAME = re.compile(r"(?<![\w.])(?<!->)(?<!struct )(?<!enum )\w+")  # neither of a field nor of a type
# Beginnings of names that a file completes: `cf_cordic_##name`, f"look_up_{type}".
COMPLETED = {
    "cf_cordic_": "src/clipfree/shader/cf_interp_lanes.c",
    "constant_": "src/clipfree/jit/llvm/gen_jit_formulas.py",
    "look_up_": "src/clipfree/jit/llvm/gen_jit_formulas.py",
}


def texts(root):
    """{path: its code} of sources, and of what writes such."""
    found = {path: code(path.read_text(encoding="utf-8")) for path in sources(root, (".c", ".h", ".inc"))}
    for path in sources(root, WRITES_C) + sorted(root.glob(PATCHES)):
        found[path] = path.read_text(encoding="utf-8")
    return found


def mentions(text):
    """{name: how often it stands in a text where it is neither defined nor declared}"""
    words = collections.Counter(NAME.findall(text))
    words.subtract(head_name(head) for head in HEAD.finditer(without_directives(text)))
    return words


class Names:
    """Where names stand, in tests and elsewhere."""

    def __init__(self, files):
        self.code, self.tests = collections.defaultdict(set), set()
        for path, text in files.items():
            found = mentions(text)
            if is_test(path):
                self.tests |= {name for name, count in found.items() if count > 0}
                continue
            for name, count in found.items():
                if count > 0:
                    self.code[name].add(path)

    def complaint(self, path, function):
        """What is wrong with a function; None: nothing."""
        name = function.name
        if name in CALLED_BY_OTHERS or name.startswith(tuple(COMPLETED)) or compiler_looks(path, function):
            return None
        callers, tested = self.code[name], name in self.tests
        if not callers:
            return "only tests call it: move it to them" if tested else "nobody calls it: remove it"
        if is_external(path, function) and callers == {path} and not tested:
            return "only its own file calls it: make it static"
        return None


def is_external(path, function):
    return path.suffix == ".c" and not re.search(r"\bstatic\b|\bCF_INLINE\b", function.specifiers)


def compiler_looks(path, function):
    """GCC warns of static functions that nobody calls, but of inline ones."""
    return path.suffix == ".c" and re.search(r"\bstatic\b", function.specifiers) \
        and not re.search(r"\binline\b", function.specifiers)


def complaints(root):
    """A line for each function that lacks a caller."""
    files = texts(root)
    names = Names(files)
    found = []
    for path, text in files.items():
        if is_test(path) or path.suffix in WRITES_C:
            continue
        for function in functions(text):
            complaint = names.complaint(path, function)
            if complaint:
                found.append(f"{path.relative_to(root)}:{function.line}: {function.name}: {complaint}")
    return found


class Callers(unittest.TestCase):
    def test_all(self):
        self.assertEqual(complaints(ROOT), [])

    def test_completed(self):
        for beginning, name in COMPLETED.items():
            self.assertRegex((ROOT / name).read_text(encoding="utf-8"), rf"\b{beginning}(##|\{{)")


class Finds(unittest.TestCase):
    """What the check says of a small tree."""

    def check(self, files, *expected):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, "src", name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            self.assertEqual(complaints(pathlib.Path(folder)), list(expected))

    def test_called(self):
        self.check({"a.c": "int\nf(void)\n{\n}\n", "a.h": "int f(void);\n", "b.c": "int x[] = {\n   f(),\n};\n"})
        self.check({"a.h": "static inline int\nf(void)\n{\n}\n#define G() f()\n"})
        self.check({"a.c": "int\nCF_LANES(f)(void)\n{\n}\nstruct ops CF_LANES(ops) = {\n   .f = CF_LANES(f),\n};\n"
                           "static int\ng(void)\n{\n   f();\n}\n", "test_a.c": "   f();\n   g();\n"})

    def test_nobody(self):
        self.check({"a.c": "/* f() */\nint\nf(void)\n{\n   g(\"f\");\n}\n", "a.h": "int f(void);\nint\nf(void);\n"},
                   "src/a.c:3: f: nobody calls it: remove it")
        self.check({"a.h": "static inline int\nf(void)\n{\n}\n", "test_a.c": "int x = 1 +\n   f();\n"},
                   "src/a.h:2: f: only tests call it: move it to them")

    def test_own_file(self):
        files = {"a.c": "int\nf(void)\n{\n}\nstatic int\ng(void)\n{\n   f();\n   g();\n}\n", "a.h": "int f(void);\n"}
        self.check(files, "src/a.c:2: f: only its own file calls it: make it static")
        self.check(files | {"test_a.c": "static int\nx(void)\n{\n   f();\n}\n"})

    def test_inline(self):
        self.check({"a.c": "static inline int\nf(void)\n{\n}\nstatic int\ng(void)\n{\n}\n"},
                   "src/a.c:2: f: nobody calls it: remove it")


if __name__ == "__main__":
    unittest.main()
