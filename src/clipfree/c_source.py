# SPDX-License-Identifier: MIT
"""What tests of the fast suite read of C sources: the GPU's, the driver's and the tools'."""
import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
# At the first column: of a definition or a declaration. Calls are indented.
# The name may be in CF_LANES(), or in the brackets of what points to an array: int (*name(void))[3].
HEAD = re.compile(r"^(?:\w[\w \t*]*[ \t*])?(?:CF_LANES\((?P<lanes>\w+)\)|\(\*(?P<array>\w+)|(?!CF_LANES\()(?P<name>\w+))(?=\()",
                  re.M)


@dataclasses.dataclass
class Function:
    name: str
    specifiers: str  # what stands before the name: "static inline int"
    parameters: int
    lines: int  # between its braces
    line: int  # of its name, from 1


def sources(root=ROOT, suffixes=(".c", ".h")):
    """All files below src/ and tools/ with these suffixes."""
    return sorted(path for folder in ("src", "tools") for path in (root / folder).rglob("*")
                  if path.suffix in suffixes and path.is_file())


def is_test(path):
    """A unit test, or what several of them share."""
    return path.name.startswith("test_")


def newlines(match):
    return "\n" * match[0].count("\n")


def without_directives(text):
    """The code without what is the preprocessor's. Lines keep their numbers."""
    return DIRECTIVE.sub(newlines, text)


def code(text):
    """The text without comments, strings and characters. Lines keep their numbers."""
    return NOT_CODE.sub(lambda match: '""' + newlines(match), text)


def head_name(head):
    return head["lanes"] or head["array"] or head["name"]


def closing(text, begin):
    """The place after the bracket that closes the one at `begin`."""
    depth, end = 0, begin
    while end < len(text):
        depth += (text[end] in "([{") - (text[end] in ")]}")
        end += 1
        if not depth:
            break
    return end


def count_parameters(inside):
    depth = commas = 0
    for char in inside:
        depth += (char in "([") - (char in ")]")
        commas += char == "," and depth == 0
    return 0 if inside.strip() in ("", "void") else commas + 1


def body_lines(text, brace):
    """Lines between the braces; the closing one is at the first column, or in the line of the opening one."""
    if text[brace + 1:].split("\n", 1)[0].strip():
        return 0
    end = text.find("\n}", brace)
    return text.count("\n", brace, end)


def functions(text):
    """The functions that a file's text defines. Those that macros make are not seen."""
    text = without_directives(code(text))
    found = []
    for head in HEAD.finditer(text):
        end = closing(text, head.end())
        brace = end + re.match(r"(?:\)\[\w*\])?\s*", text[end:]).end()
        if text[brace:brace + 1] != "{":
            continue
        before = max(text.rfind(mark, 0, head.start()) for mark in ("\n\n", ";", "}")) + 1
        name = head_name(head)
        found.append(Function(name, (text[before:head.start()] + head[0].partition(name)[0]).strip(),
                              count_parameters(text[head.end() + 1:end - 1]), body_lines(text, brace),
                              text.count("\n", 0, head.start()) + 1))
    return found
