# SPDX-License-Identifier: MIT
"""Numbers of compiled shaders: instructions by class, registers, spills, loops, textures, lines."""
import tomllib
from pathlib import Path

ISA = Path(__file__).resolve().parents[2] / "src/clipfree/isa/isa.toml"
CLASS_OF_FORM = {"ldu": "memory", "lds": "memory", "sts": "memory", "ldf": "input", "ldvar": "input", "sys": "input",
                 "out": "output",
                 "tex": "texture", "grad": "texture", "flow": "flow", "flow_target": "flow", "flow_none": "flow"}
SPECIAL = ("cf_rcp", "cf_rsqrt", "cf_sqrt", "cf_exp2", "cf_log2", "cf_sin", "cf_cos")
CLASSES = ("float", "special", "integer", "compare", "move", "memory", "input", "output", "texture", "flow")
COUNTS = ("instructions", "vector_regs", "scalar_regs", "spills", "scratch", "loops", "branches", "textures", "lines")


def class_of(name, op):
    if op["form"] in CLASS_OF_FORM:
        return CLASS_OF_FORM[op["form"]]
    if name in ("mov", "movi", "sel"):
        return "move"
    if op.get("meaning", "").startswith(SPECIAL):
        return "special"
    result, operands = (op.get("types", "u:") + ":").split(":")[:2]
    if result == "b":
        return "compare"
    return "float" if result == "f" or "f" in operands or name in ("fneg", "fabs") else "integer"


def operations():
    """{opcode: (name, class)}"""
    isa = tomllib.loads(ISA.read_text(encoding="utf-8"))
    return {op["code"]: (name, class_of(name, op)) for name, op in isa["op"].items()}


OPERATIONS = operations()


def operation(word):
    """(name, class) of an instruction, 16 hexadecimal digits."""
    return OPERATIONS.get(int(word[-2:], 16), ("?", "flow"))


def stats_of(record):
    """Numbers of a shader: COUNTS, and `classes`."""
    ops = [operation(word) for word in record["code"]]
    names = [name for name, _ in ops]
    classes = {name: 0 for name in CLASSES}
    for _, kind in ops:
        classes[kind] += 1
    return {
        "instructions": len(ops), "vector_regs": record["vector_regs"], "scalar_regs": record["scalar_regs"],
        "spills": record["spills"], "scratch": record["scratch"], "loops": names.count("loop"),
        "branches": names.count("if"),
        "textures": names.count("tex"), "lines": len({tuple(line[1:4]) for line in record["lines"]}),
        "classes": classes,
    }


def costly_lines(record, count):
    """[(instructions, object, line in the text)]: lines with the most instructions, the most first."""
    found = {}
    for _, item, _, _, text_line in record["lines"]:
        found[item, text_line] = found.get((item, text_line), 0) + 1
    return sorted(((n, *key) for key, n in found.items()), key=lambda entry: (-entry[0], entry[1:]))[:count]
