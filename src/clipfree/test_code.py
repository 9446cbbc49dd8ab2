#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What the C of the GPU, the driver and the tools keeps to: vector types have one header (base/cf_vec.h), and no function has
nine or more parameters but Gallium's hooks, which are called with what Mesa gives.
"""
import pathlib
import re
import unittest

GPU = pathlib.Path(__file__).resolve().parent
ROOT = GPU.parents[1]
VECTORS = GPU / "base" / "cf_vec.h"
MOST_PARAMETERS = 8

# Functions of nine and more parameters, and the hook of Mesa's that each is.
HOOKS = {
    "cf_resource_copy_region": "pipe_context.resource_copy_region",
    "cf_resource_get_param": "pipe_screen.resource_get_param",
    "cf_clear_depth_stencil": "pipe_context.clear_depth_stencil",
}

NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
HEAD = re.compile(r"^(?:\w[\w \t*]*[ \t*])?(\w+)\(", re.M)


def sources():
    return sorted(path for folder in ("src", "tools") for path in (ROOT / folder).rglob("*.[ch]"))


def code(text):
    """The text without comments, strings and what is the preprocessor's."""
    return DIRECTIVE.sub("", NOT_CODE.sub('""', text))


def parameters(text):
    """[(name, number of parameters)] of the functions that a file defines. Those that macros make are not seen."""
    text, found = code(text), []
    for head in HEAD.finditer(text):
        depth, commas, end = 1, 0, head.end()
        while depth and end < len(text):
            depth += (text[end] in "([") - (text[end] in ")]")
            commas += text[end] == "," and depth == 1
            end += 1
        inside = text[head.end():end - 1].strip()
        if text[end:].lstrip().startswith("{"):
            found.append((head[1], 0 if inside in ("", "void") else commas + 1))
    return found



class Code(unittest.TestCase):
    def test_parameters(self):
        functions = [(path.relative_to(ROOT), name, number) for path in sources()
                     for name, number in parameters(path.read_text(encoding="utf-8"))]
        self.assertGreater(len(functions), 2000)
        many = {name: f"{path}: {name} has {number} parameters" for path, name, number in functions
                if number > MOST_PARAMETERS}
        self.assertEqual([line for name, line in many.items() if name not in HOOKS], [])
        self.assertEqual([name for name in HOOKS if name not in many], [], "no exceptions any more")

    def test_hooks(self):
        """What is excepted is given to Mesa as that hook."""
        text = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src" / "gallium").rglob("*.c"))
        for name, hook in HOOKS.items():
            self.assertRegex(text, rf"\b{hook.split('.')[1]} = {name};")

    def test_vectors(self):
        found = [path.relative_to(ROOT).as_posix() for path in sources()
                 if path != VECTORS and "vector_size" in code(path.read_text(encoding="utf-8"))]
        self.assertEqual(found, [])
        self.assertIn("vector_size", VECTORS.read_text(encoding="utf-8"))


class Counts(unittest.TestCase):
    """What is counted."""

    def test_definitions(self):
        self.assertEqual(parameters("static int\nf(int a, struct x (*b)[3], void (*g)(int, int))\n{\n"), [("f", 3)])
        self.assertEqual(parameters("void\nf(void)\n{\n   if (g(1, 2)) {\n   }\n}\nint h(int a) { return a; }\n"),
                         [("f", 0), ("h", 1)])
        self.assertEqual(parameters("void f(int a, int b);\nMACRO(a, b)\nstatic int\ng(int a)\n{\n"), [("g", 1)])

    def test_comments(self):
        self.assertEqual(parameters("static void\nf(int a, /* b, c, */ int d)\n{\n"), [("f", 2)])
        self.assertEqual(code('a /* x\n */ "b, /* c"; // d\n#define E(a, \\\n b) {\nf'), 'a "" ""; ""\n\nf')


if __name__ == "__main__":
    unittest.main()
