#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables of documents from the sources: in docs/driver.md the variables of the environment, the flags of CLIPFREE_DEBUG and
the counters; in docs/shader.md the passes of the compiler; in docs/stats.md the columns of statistics; in
docs/sanitize.md the checks.

Each stands in its page between the lines `<!-- table NAME -->` and `<!-- end -->`.
Usage: gen_tables.py [--check]   (writes the pages, or says whether they are up to date)
"""
import re
import sys
from pathlib import Path

DRIVER = Path(__file__).resolve().parent
ROOT = DRIVER.parents[3]
PASSES = ROOT / "src" / "clipfree" / "compiler" / "cf_passes.c"
STATS = ROOT / "src" / "clipfree" / "profile" / "cf_stats.c"
SANITIZE = ROOT / "src" / "clipfree" / "sanitize" / "cf_sanitize.h"
OPTIONS = ROOT / "src" / "gallium" / "winsys" / "clipfree" / "clipfree_options.c", ROOT / "src" / "clipfree" / "command" / "cf_model_options.c"
ROWS = "draw", "clear", "transfer", "frame"   # of docs/stats.md


def unquote(literals):
    """The text of C string literals that follow one another."""
    return "".join(re.findall(r'"([^"]*)"', literals))


def checks():
    """[(check, what it finds)]"""
    text = SANITIZE.read_text()
    found = re.findall(r'X\(\w+, "([\w-]+)",[\s\\]*((?:"[^"]*"[\s\\]*)+)\)', text)
    assert len(found) == len(re.findall(r"^   X\(", text, re.MULTILINE)), "all checks are found"
    return [(name, unquote(text)) for name, text in found]


def list_of_checks():
    """CF_SANITIZE_VALUES as a literal."""
    begin = re.search(r'define CF_SANITIZE_VALUES[\s\\]*((?:"[^"]*"[\s\\]*)+)', SANITIZE.read_text())[1]
    return '"' + unquote(begin) + "".join(f", {name}" for name, _ in checks()) + '"'


def variables():
    """[(variable, values, text)]"""
    found = []
    for path in OPTIONS:
        found += re.findall(r'\{ "(CLIPFREE_\w+)", (?:NULL|"[^"]*"),\s+("[^"]*"),\s*((?:"[^"]*"\s*)+)[,}]',
                            path.read_text().replace("CF_SANITIZE_VALUES", list_of_checks()))
    return [(name, unquote(values), unquote(text)) for name, values, text in found]


def debug_flags():
    """[(flag, text)]"""
    found = re.findall(r'\{ "(\w+)", CF_DEBUG_\w+,\s*((?:"[^"]*"\s*)+)\}', (DRIVER / "clipfree_debug.c").read_text())
    return [(name, unquote(text)) for name, text in found]


def counters():
    """[(counter, text)]"""
    names = dict(re.findall(r'\[(CF_COUNTER_\w+)\] = \{ "([\w-]+)"', (DRIVER / "clipfree_counters.c").read_text()))
    found = re.findall(r"^   (CF_COUNTER_\w+), +/\* (.*) \*/$", (DRIVER / "clipfree_counters.h").read_text(), re.M)
    assert len(found) == len(names), "each counter has a name and a comment"
    return [(names[counter], text) for counter, text in found]


def passes():
    """[(pass, text)]"""
    found = re.findall(r'= \{ "(\w+)",\s*((?:"[^"]*"\s*)+)\}', PASSES.read_text())
    assert len(found) > 10, "the passes are there"
    return [(name, unquote(text)) for name, text in found]


def columns():
    """[(column, rows that have it, unit, text)]"""
    found = re.findall(r'= \{ "(\w+)", "(\w*)",\s*([A-Z_| ]+),\s*((?:"[^"]*"\s*)+)\}', STATS.read_text())
    assert len(found) > 30, "the columns are there"
    return [(name, ", ".join(kind for kind in ROWS if kind.upper() in flags), "" if "FIXED" in flags else "varies", unquote(text))
            for name, unit, flags, text in found]


def rows(heads, cells):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join([f"`{first}`", *rest]) + " |" for first, *rest in cells])


TABLES = {
    "driver.md": {
        "variables": lambda: rows(["variable", "values", ""], variables()),
        "flags": lambda: rows(["flag of `CLIPFREE_DEBUG`", ""], debug_flags()),
        "counters": lambda: rows(["counter", "counts"], counters()),
    },
    "sanitize.md": {"checks": lambda: rows(["check", "it finds"], checks())},
    "shader.md": {"passes": lambda: rows(["pass", ""], passes())},
    "stats.md": {"columns": lambda: rows(["column", "in rows of kind", "", ""], columns())},
}


def with_tables(name, page):
    for table, make in TABLES[name].items():
        page, count = re.subn(rf"(<!-- table {table} -->\n).*?(<!-- end -->)", lambda m, t=make: f"{m[1]}\n{t()}\n\n{m[2]}", page,
                              flags=re.S)
        assert count == 1, f"docs/{name} has {count} tables {table}"
    return page


def main():
    for name in TABLES:
        path = ROOT / "docs" / name
        page = path.read_text(encoding="utf-8")
        current = with_tables(name, page)
        if "--check" not in sys.argv:
            path.write_text(current, encoding="utf-8")
        elif current != page:
            sys.exit(f"docs/{name} is out of date: src/gallium/drivers/clipfree/gen_tables.py")


if __name__ == "__main__":
    main()
