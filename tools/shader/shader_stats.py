# SPDX-License-Identifier: MIT
"""Numbers of compiled shaders: instructions by class, cycles of units, registers, spills, loops, textures, lines."""
import tomllib
from pathlib import Path

ISA = Path(__file__).resolve().parents[2] / "src/clipfree/isa/isa.toml"
CLASS_OF_FORM = {"ldu": "memory", "lds": "memory", "sts": "memory", "ldf": "input", "ldvar": "input", "sys": "input",
                 "out": "output",
                 "tex": "texture", "grad": "texture", "flow": "flow", "flow_target": "flow", "flow_none": "flow"}
SPECIAL = ("cf_rcp", "cf_rsqrt", "cf_sqrt", "cf_exp2", "cf_log2", "cf_sin", "cf_cos")
CLASSES = ("float", "special", "integer", "compare", "move", "memory", "input", "output", "texture", "flow")
COUNTS = ("instructions", "alu_cycles", "texture_cycles", "vector_regs", "scalar_regs", "spills", "scratch", "loops",
          "branches", "textures", "lines")
PASS_CYCLES = 4      # of the vector ALU, 8 lanes wide: paper A
SAMPLE_CYCLES = 8    # of the texture unit, 4 pixels a cycle: paper A


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


def operations(isa):
    """{opcode: (name, class)}"""
    return {op["code"]: (name, class_of(name, op)) for name, op in isa["op"].items()}


def alu_passes(isa):
    """{opcode: passes of the vector ALU}, of those that it runs."""
    classes = isa["class"]
    return {op["code"]: classes[op["class"]]["passes"] for op in isa["op"].values()
            if classes[op["class"]]["unit"] == "alu"}


DESCRIPTION = tomllib.loads(ISA.read_text(encoding="utf-8"))
OPERATIONS = operations(DESCRIPTION)
ALU_PASSES = alu_passes(DESCRIPTION)


def opcode(word):
    """That of an instruction, 16 hexadecimal digits."""
    return int(word[-2:], 16)


def operation(word):
    """(name, class) of an instruction."""
    return OPERATIONS.get(opcode(word), ("?", "flow"))


def stats_of(record):
    """Numbers of a shader: COUNTS, and `classes`."""
    ops = [operation(word) for word in record["code"]]
    passes = sum(ALU_PASSES.get(opcode(word), 0) for word in record["code"])
    names = [name for name, _ in ops]
    classes = {name: 0 for name in CLASSES}
    for _, kind in ops:
        classes[kind] += 1
    return {
        "instructions": len(ops), "alu_cycles": PASS_CYCLES * passes,
        "texture_cycles": SAMPLE_CYCLES * names.count("tex"),
        "vector_regs": record["vector_regs"], "scalar_regs": record["scalar_regs"],
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
