#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables of docs/driver.md from the sources: the variables of the environment, the flags of CLIPFREE_DEBUG, the counters.

Each stands in the page between the lines `<!-- table NAME -->` and `<!-- end -->`.
Usage: gen_tables.py [--check]   (writes the page, or says whether it is up to date)
"""
import re
import sys
from pathlib import Path

DRIVER = Path(__file__).resolve().parent
ROOT = DRIVER.parents[3]
PAGE = ROOT / "docs" / "driver.md"
OPTIONS = ROOT / "src" / "gallium" / "winsys" / "clipfree" / "clipfree_options.c", ROOT / "src" / "clipfree" / "command" / "cf_model_options.c"


def unquote(literals):
    """The text of C string literals that follow one another."""
    return "".join(re.findall(r'"([^"]*)"', literals))


def variables():
    """[(variable, values, text)]"""
    found = []
    for path in OPTIONS:
        found += re.findall(r'\{ "(CLIPFREE_\w+)", (?:NULL|"[^"]*"),\s+("[^"]*"),\s*((?:"[^"]*"\s*)+)[,}]', path.read_text())
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


def rows(heads, cells):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join([f"`{first}`", *rest]) + " |" for first, *rest in cells])


TABLES = {
    "variables": lambda: rows(["variable", "values", ""], variables()),
    "flags": lambda: rows(["flag of `CLIPFREE_DEBUG`", ""], debug_flags()),
    "counters": lambda: rows(["counter", "counts"], counters()),
}


def with_tables(page):
    for name, table in TABLES.items():
        page, count = re.subn(rf"(<!-- table {name} -->\n).*?(<!-- end -->)", lambda m, t=table: f"{m[1]}\n{t()}\n\n{m[2]}", page,
                              flags=re.S)
        assert count == 1, f"docs/driver.md has {count} tables {name}"
    return page


def main():
    page = PAGE.read_text(encoding="utf-8")
    current = with_tables(page)
    if "--check" not in sys.argv:
        PAGE.write_text(current, encoding="utf-8")
    elif current != page:
        sys.exit("docs/driver.md is out of date: src/gallium/drivers/clipfree/gen_tables.py")


if __name__ == "__main__":
    main()
