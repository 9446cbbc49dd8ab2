#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What the C of the GPU, the driver and the tools keeps to: vector types have one header (base/cf_vec.h), files and
functions are short, and none has nine or more parameters but Gallium's hooks, which are called with what Mesa gives.
Usage: test_code.py [--lengths | --ir [COMMIT...]]
--lengths prints how long functions are, and the longest of them; --ir how many lines of LLVM IR are written by hand, in
this tree and in commits, and how many the formulas of each header generate
"""
import re
import subprocess
import sys
import unittest

from c_source import ROOT, code, functions, sources

GPU = ROOT / "src" / "clipfree"
sys.path += [str(GPU / "isa"), str(GPU / "jit" / "llvm")]
import gen_isa  # noqa: E402
import gen_jit_formulas  # noqa: E402

VECTORS = GPU / "base" / "cf_vec.h"
JIT_PAGE = ROOT / "docs" / "jit.md"
MOST_PARAMETERS = 8
MOST_FILE_LINES = 800

# Lines between the braces of functions, tests' too: half of them have at most so many, nine of ten, all.
MOST_LINES = {"half": 8, "nine of ten": 21, "all": 60}

# Functions of nine and more parameters, and the hook of Mesa's that each is.
HOOKS = {
    "cf_resource_copy_region": "pipe_context.resource_copy_region",
    "cf_resource_get_param": "pipe_screen.resource_get_param",
    "cf_clear_depth_stencil": "pipe_context.clear_depth_stencil",
}


def all_functions():
    """[(path, function)]"""
    return [(path.relative_to(ROOT), function) for path in sources()
            for function in functions(path.read_text(encoding="utf-8"))]


def spread(lengths):
    """How many lines half of the functions have at most, nine of ten, and all."""
    lengths = sorted(lengths)
    return {"half": lengths[(len(lengths) - 1) // 2], "nine of ten": lengths[(len(lengths) * 9 + 9) // 10 - 1],
            "all": lengths[-1]}


def ir_lines():
    """Lines of LLVM IR by hand, in C that builds it, comments and empty lines too."""
    return sum(path.read_text(encoding="utf-8").count("\n") for path in (GPU / "jit" / "llvm").glob("cf_jit_*_ir.[ch]"))


def ir_lines_at(commit):
    """The same of a commit. None: it is not here."""
    found = subprocess.run(["git", "grep", "-c", "", commit, "--", "src/clipfree/jit/llvm/cf_jit_*_ir.[ch]"],
                           cwd=ROOT, capture_output=True, text=True)
    return sum(int(line.rsplit(":", 1)[1]) for line in found.stdout.splitlines()) or None


def formula_headers():
    """The headers of formulas, as the rooms' meson.build list them."""
    listed = [(path.parent, names) for path in sorted(GPU.glob("*/meson.build"))
              for names in re.findall(r"cf_formula_headers \+= files\(([^)]*)\)", path.read_text(encoding="utf-8"))]
    return [folder / name for folder, names in listed for name in re.findall(r"'(\w+\.h)'", names)]


def generated_lines():
    """[(header or isa.toml, functions or operations, their lines as described, lines of generated C that builds IR)]"""
    texts = {path: path.read_text(encoding="utf-8") for path in formula_headers()}
    translator = gen_jit_formulas.Translator(gen_jit_formulas.Sources(texts.values()))
    rows = []
    for path, text in texts.items():
        built = {}
        for match in gen_jit_formulas.FUNCTION.finditer(text):
            function = translator.sources.functions[match[2]]
            if function.is_built() and function.name not in translator.BUILT_IN:
                translator.function(function)
                built[gen_jit_formulas.built_name(function.name)] = match[0].strip().count("\n") + 1
        made = [code for code in translator.out if re.search(r"\b(cf_jit_\w+)\(struct", code)[1] in built]
        rows.append((path.relative_to(GPU).as_posix(), len(built), sum(built.values()),
                     sum(code.count("\n") for code in made)))
    operations = gen_jit_formulas.read_operations(gen_isa.write_alu(gen_isa.load(GPU / "isa" / "isa.toml")))
    cases = "".join(translator.operation(*operation) for operation in operations)
    return rows + [("isa/isa.toml", len(operations), len(operations), cases.count("\n"))]


def print_ir(commits):
    print(f"by hand: {ir_lines()}")
    for commit in commits:
        print(f"by hand in {commit}: {ir_lines_at(commit) or 'no such commit, or no history here'}")
    for name, functions, described, generated in generated_lines():
        print(f"{name}: {functions} formulas of {described} lines generate {generated}")


def longest_first(found):
    """A line for each function, the longest one first."""
    return [f"{path}:{function.line}: {function.name} has {function.lines} lines"
            for path, function in sorted(found, key=lambda item: -item[1].lines)]


class Code(unittest.TestCase):
    def test_parameters(self):
        found = all_functions()
        self.assertGreater(len(found), 7000)
        many = {function.name: f"{path}: {function.name} has {function.parameters} parameters"
                for path, function in found if function.parameters > MOST_PARAMETERS}
        self.assertEqual([line for name, line in many.items() if name not in HOOKS], [])
        self.assertEqual([name for name in HOOKS if name not in many], [], "no exceptions any more")

    def test_lengths(self):
        found = all_functions()
        self.assertEqual(longest_first(item for item in found if item[1].lines > MOST_LINES["all"]), [])
        for part, lines in spread(function.lines for _, function in found).items():
            self.assertLessEqual(lines, MOST_LINES[part], f"lines of {part}: split the longest that you added")

    def test_file_lengths(self):
        lengths = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8").count("\n")
                   for path in sources()}
        self.assertEqual({name: lines for name, lines in lengths.items() if lines > MOST_FILE_LINES}, {})

    def test_ir(self):
        """The page on the JIT says it to ten lines."""
        page, where = JIT_PAGE.read_text(encoding="utf-8"), f"write into {JIT_PAGE.relative_to(ROOT)} what is so"
        said = re.search(r"about (\d+) lines of IR by hand", page)[1]
        self.assertAlmostEqual(int(said), ir_lines(), delta=10, msg=where)
        written_in = (GPU / "jit/llvm/cf_jit_ir.h").read_text(encoding="utf-8").count("\n")
        self.assertAlmostEqual(int(re.search(r"it has (\d+) today", page)[1]), written_in, delta=10, msg=where)

    def test_ir_of_commits(self):
        """What the page says of commits, where their history is here."""
        said = re.findall(r"^\|[^|]*\| ([0-9a-f]{8}\^?) \| (\d+) \|", JIT_PAGE.read_text(encoding="utf-8"), re.M)
        self.assertGreater(len(said), 5)
        counted = {commit: ir_lines_at(commit) for commit, _ in said}
        if None in counted.values():
            self.skipTest("no history of all of them here")
        self.assertEqual({commit: int(lines) for commit, lines in said}, counted)

    def test_ir_generated(self):
        """The page's table of formulas is that of the tree, and it has all that is generated."""
        rows = {name: counts for name, *counts in generated_lines()}
        said = re.findall(r"^\|([^|]*\.(?:h|toml)`[^|]*)\| (\d+) \| (\d+) \| (\d+) \|$",
                          JIT_PAGE.read_text(encoding="utf-8"), re.M)
        tables = [([rows.pop(name) for name in re.findall(r"`([\w/]+\.\w+)`", names)], [int(n) for n in numbers])
                  for names, *numbers in said]
        self.assertEqual(rows, {}, f"write into {JIT_PAGE.relative_to(ROOT)} what is so")
        self.assertEqual([[sum(column) for column in zip(*counts)] for counts, _ in tables],
                         [numbers for _, numbers in tables])

    def test_ir_is_what_is_built(self):
        alu = gen_isa.write_alu(gen_isa.load(GPU / "isa" / "isa.toml"))
        built = gen_jit_formulas.generate(alu, [path.read_text(encoding="utf-8") for path in formula_headers()])[0]
        rest = gen_jit_formulas.HEAD + "\n" + gen_jit_formulas.ALU_HEAD + gen_jit_formulas.ALU_TAIL
        self.assertEqual(sum(row[3] for row in generated_lines()) + rest.count("\n"), built.count("\n"))

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

    def check(self, text, *expected):
        self.assertEqual([(f.name, f.parameters, f.lines) for f in functions(text)], list(expected))

    def test_definitions(self):
        self.check("static int\nf(int a, struct x (*b)[3], void (*g)(int, int))\n{\n}\n", ("f", 3, 0))
        self.check("void\nf(void)\n{\n   if (g(1, 2)) {\n   }\n}\nint h(int a) { return a; }\n", ("f", 0, 2), ("h", 1, 0))
        self.check("void f(int a, int b);\nMACRO(a, b)\nstatic int\ng(int a)\n{\n   x();\n}\n", ("g", 1, 1))

    def test_lanes(self):
        """Functions of each host vector level have their name in a macro."""
        self.check("void\nCF_LANES(f)(int a, int b)\n{\n   g();\n\n}\n", ("f", 2, 2))
        self.check("static inline int CF_LANES(f)(void)\n{\n}\nvoid CF_LANES(h)(int a);\n", ("f", 0, 0))

    def test_pointer_to_array(self):
        self.check("int (*f(int a, int b))[3];\nstatic const int (*g(int a))[3]\n{\n   x();\n}\nint (*h)(int a);\n", ("g", 1, 1))

    def test_comments(self):
        self.check("static void\nf(int a, /* b, c, */ int d)\n{\n   /* x\n   }\n    */\n#define E {\n}\n", ("f", 2, 4))
        self.assertEqual(code('a /* x\n */ "b, /* c"; // d\ne'), 'a ""\n ""; ""\ne')

    def test_specifiers(self):
        found = functions("int x;\nstatic inline\n  __attribute__((noinline)) int *\nf(void)\n{\n}\n\nvoid g(void)\n{\n}\n")
        self.assertEqual([(f.name, "static" in f.specifiers, f.line) for f in found], [("f", True, 4), ("g", False, 8)])

    def test_spread(self):
        self.assertEqual(spread([1]), {"half": 1, "nine of ten": 1, "all": 1})
        self.assertEqual(spread(range(1, 11)), {"half": 5, "nine of ten": 9, "all": 10})
        self.assertEqual(spread([30] + [2] * 8 + [40]), {"half": 2, "nine of ten": 30, "all": 40})


if __name__ == "__main__":
    if sys.argv[1:] == ["--lengths"]:
        print("\n".join([f"{part}: {lines}" for part, lines in spread(f.lines for _, f in all_functions()).items()]
                        + longest_first(all_functions())[:20]))
    elif sys.argv[1:2] == ["--ir"]:
        print_ir(sys.argv[2:])
    else:
        unittest.main()
