#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Generates everything that follows from isa.toml.

Data flow: isa.toml -> load() (TOML to Form, Op, ... objects) -> check() (rejects what is wrong, with
the place) -> one writer per output: cf_isa.h, cf_isa_tables.c, cf_isa_alu.inc (the interpreter's
operations), isa.md.

    gen_isa.py isa.toml --header cf_isa.h --tables cf_isa_tables.c --alu cf_isa_alu.inc --docs isa.md

Every output is optional; without any, the description is only checked. A wrong description ends the
program with status 1 and one line "isa.toml: where: what".
"""
import argparse
import dataclasses
import re
import struct
import sys
import textwrap
import tomllib

OPCODE_BITS = (7, 0)
C_TYPES = {"f": "float", "i": "int32_t", "u": "uint32_t", "b": "uint32_t"}
ALU_FORMS = {"alu1": 1, "alu2": 2, "alu3": 3, "movi": 0}
SOURCE_FIELDS = ("a", "b", "c", "s", "t", "r", "q")
PLAIN_TYPES = {"uint", "hex32", "target", "mask4"}
UNITS = ("alu", "scalar", "branch", "memory", "output")
MEANING_WORDS = {"uint32_t", "int32_t", "uint64_t", "int64_t", "float", "u", "f"}


class Error(Exception):
    """The description is wrong: `where: what`."""


@dataclasses.dataclass
class Field:
    name: str
    high: int
    low: int
    type: str

    @property
    def bits(self):
        return self.high - self.low + 1


@dataclasses.dataclass
class Form:
    name: str
    fields: list
    reserved: list  # (high, low)
    syntax: str
    doc: str

    @property
    def sources(self):
        return [f for f in self.fields if f.type == "src"]

    def field(self, name):
        return next((f for f in self.fields if f.name == name), None)


@dataclasses.dataclass
class Op:
    name: str
    code: int
    form: Form
    types: str
    meaning: str
    doc: str
    cross_lane: bool
    effect: bool
    cls: str  # of the timing model

    @property
    def is_alu(self):
        return self.form.name in ALU_FORMS

    @property
    def result(self):
        return self.types.split(":")[0] if self.types else ""

    @property
    def operands(self):
        return self.types.split(":")[1] if self.types else ""

    @property
    def scalar_dst(self):
        dst = self.form.field("dst")
        return dst is not None and dst.type == "dst" and not self.cross_lane


@dataclasses.dataclass
class Class:
    """What the timing model knows of operations."""
    name: str
    unit: str
    passes: int
    latency: int
    source: str


@dataclasses.dataclass
class Isa:
    machine: str
    operands: dict  # name -> {bits, kinds}
    floats: list
    forms: dict
    enums: dict  # name -> {value name: number}
    enum_docs: dict  # name -> {value name: text}
    ops: list
    classes: list


# ------------------------------------------------------------------ reading


def parse_range(text, where):
    """ "15:8" or "7" -> (15, 8) """
    match = re.fullmatch(r"(\d+)(?::(\d+))?", text.strip())
    if not match:
        raise Error(f"{where}: '{text}' is no bit range; write high:low")
    high = int(match[1])
    low = int(match[2]) if match[2] else high
    if high < low or high > 63:
        raise Error(f"{where}: bits {text} are not a range inside 63:0")
    return high, low


def load_form(name, data):
    where = f"form.{name}"
    fields = []
    for field, text in data["fields"].items():
        bits, _, kind = text.partition(" ")
        high, low = parse_range(bits, f"{where}.{field}")
        fields.append(Field(field, high, low, kind))
    ranges = [text for text in data["reserved"].split(",") if text.strip()]
    reserved = [parse_range(text, f"{where}.reserved") for text in ranges]
    return Form(name, fields, reserved, data["syntax"], data.get("doc", ""))


def load_op(name, data, forms):
    where = f"op.{name}"
    unknown = set(data) - {"code", "form", "types", "meaning", "doc", "cross_lane", "effect", "class"}
    if unknown:
        raise Error(f"{where}: unknown key '{sorted(unknown)[0]}'")
    for key in ("code", "form", "doc", "class"):
        if key not in data:
            raise Error(f"{where}: '{key}' is missing")
    if data["form"] not in forms:
        raise Error(f"{where}: unknown form '{data['form']}'; there are {', '.join(forms)}")
    return Op(name, data["code"], forms[data["form"]], data.get("types", ""),
              data.get("meaning", ""), data["doc"], data.get("cross_lane", False),
              data.get("effect", False), data["class"])


def load_enum(name, data):
    """({value name: number}, {value name: doc}); a value is a number or { value, doc }."""
    numbers, docs = {}, {}
    for value, entry in data.items():
        if isinstance(entry, int):
            entry = {"value": entry}
        if not isinstance(entry, dict) or not isinstance(entry.get("value"), int):
            raise Error(f"enum.{name}: '{value}' needs a number")
        numbers[value] = entry["value"]
        docs[value] = entry.get("doc", "")
    return numbers, docs


def load(path):
    """Read the description; Error if it lacks something."""
    with open(path, "rb") as file:
        try:
            data = tomllib.load(file)
        except tomllib.TOMLDecodeError as error:
            raise Error(str(error)) from error
    try:
        forms = {name: load_form(name, form) for name, form in data["form"].items()}
        ops = [load_op(name, op, forms) for name, op in data["op"].items()]
        enums = {name: load_enum(name, values) for name, values in data["enum"].items()}
        return Isa(data["isa"].get("machine", ""), data["operand"], data["inline"]["floats"], forms,
                   {name: numbers for name, (numbers, _) in enums.items()},
                   {name: docs for name, (_, docs) in enums.items()}, ops,
                   [Class(name, **values) for name, values in data["class"].items()])
    except TypeError as error:
        raise Error(f"class: {error}") from error
    except KeyError as error:
        raise Error(f"section or key {error} is missing") from error


# ------------------------------------------------------------------ checking


def check_form(form, isa):
    """Every bit above the opcode belongs to one field or is reserved; the syntax names all fields."""
    where = f"form.{form.name}"
    owner = {bit: "the opcode" for bit in range(OPCODE_BITS[1], OPCODE_BITS[0] + 1)}
    ranges = [(f"field '{f.name}'", f.high, f.low) for f in form.fields]
    ranges += [("reserved", high, low) for high, low in form.reserved]
    for what, high, low in ranges:
        for bit in range(low, high + 1):
            if bit in owner:
                raise Error(f"{where}: bit {bit} of {what} overlaps {owner[bit]}")
            owner[bit] = what
    missing = sorted(set(range(64)) - set(owner))
    if missing:
        raise Error(f"{where}: bit {missing[0]} is neither in a field nor reserved")

    for field in form.fields:
        check_field(field, isa, f"{where}.{field.name}")
    named = re.findall(r"\w+", form.syntax)
    for field in form.fields:
        if named.count(field.name) != 1:
            raise Error(f"{where}: the syntax must name '{field.name}' once")
    for name in named:
        if not form.field(name):
            raise Error(f"{where}: the syntax names '{name}', which is no field")


def check_field(field, isa, where):
    if field.type in isa.operands:
        bits = isa.operands[field.type]["bits"]
        if bits != field.bits:
            raise Error(f"{where}: a '{field.type}' operand has {bits} bits, not {field.bits}")
        if field.type == "src" and field.name not in SOURCE_FIELDS:
            raise Error(f"{where}: sources are named {', '.join(SOURCE_FIELDS)}")
    elif field.type in isa.enums:
        if max(isa.enums[field.type].values()) >= 1 << field.bits:
            raise Error(f"{where}: enum '{field.type}' does not fit {field.bits} bits")
    elif field.type not in PLAIN_TYPES:
        raise Error(f"{where}: unknown field type '{field.type}'")


def check_enum(name, values):
    seen = {}
    for value, number in values.items():
        if number in seen:
            raise Error(f"enum.{name}: '{value}' and '{seen[number]}' are both {number}")
        seen[number] = value


def check_class(cls):
    where = f"class.{cls.name}"
    if cls.unit not in UNITS:
        raise Error(f"{where}: unknown unit '{cls.unit}'; there are {', '.join(UNITS)}")
    for what, number, most in (("passes", cls.passes, 15), ("latency", cls.latency, 255)):
        if not isinstance(number, int) or not 1 <= number <= most:
            raise Error(f"{where}: {what} {number} is outside 1..{most}")


def check_op(op, seen, classes):
    where = f"op.{op.name}"
    if op.cls not in classes:
        raise Error(f"{where}: unknown class '{op.cls}'; there are {', '.join(classes)}")
    if not 1 <= op.code <= 255:
        raise Error(f"{where}: code {op.code:#x} is outside 0x01..0xff (0 stays undefined)")
    if op.code in seen:
        raise Error(f"{where}: code {op.code:#x} is '{seen[op.code]}' already")
    seen[op.code] = op.name
    if not op.is_alu:
        return
    match = re.fullmatch(r"([a-z]):([a-z]*)", op.types)
    if not match or set(match[1] + match[2]) - set(C_TYPES):
        raise Error(f"{where}: types '{op.types}' are not result:operands of {', '.join(C_TYPES)}")
    if len(match[2]) != ALU_FORMS[op.form.name]:
        raise Error(f"{where}: form {op.form.name} takes {ALU_FORMS[op.form.name]} operands, "
                    f"types name {len(match[2])}")
    check_meaning(op, where)


def check_meaning(op, where):
    """It names operands, functions cf_*(), C types; between lanes also difference() and l."""
    if not op.meaning:
        raise Error(f"{where}: an ALU operation needs a meaning")
    known = {f.name for f in op.form.fields if f.name != "dst"} | MEANING_WORDS
    if op.cross_lane:
        known |= {"difference", "l"}
    expression = re.sub(r"\b(0x[0-9a-fA-F]+|\d+(\.\d+)?)[uf]?\b", "", op.meaning)
    for word in re.finditer(r"[A-Za-z_]\w*", expression):
        is_call = expression[word.end():].lstrip().startswith("(")
        if word[0] not in known and not (word[0].startswith("cf_") and is_call):
            raise Error(f"{where}: the meaning names '{word[0]}', "
                        f"which is no operand of form {op.form.name}")


def check(isa):
    for name, values in isa.enums.items():
        check_enum(name, values)
    for form in isa.forms.values():
        check_form(form, isa)
    if len(isa.floats) > 48:
        raise Error("inline.floats: more than 48, indices end at 127")
    for cls in isa.classes:
        check_class(cls)
    seen = {}
    for op in isa.ops:
        check_op(op, seen, [cls.name for cls in isa.classes])


# ------------------------------------------------------------------ C header

HEAD = "/* SPDX-License-Identifier: MIT */\n/* Generated from isa.toml by gen_isa.py. */\n"


def member_type(isa, name):
    """The type of a field's member in struct cf_instr: wide enough for every form that has it."""
    bits = max(f.bits for form in isa.forms.values() for f in form.fields if f.name == name)
    return "uint8_t" if bits <= 8 else "uint16_t" if bits <= 16 else "uint32_t"


def plain_members(isa):
    """Names of the fields that are neither sources nor the destination, in order of appearance."""
    names = []
    for form in isa.forms.values():
        for field in form.fields:
            if field.type not in isa.operands and field.name not in names:
                names.append(field.name)
    return names


def member(form, field, isa):
    """The C member of struct cf_instr that holds a field."""
    if field.type == "src":
        return f"src[{form.sources.index(field)}]"
    return field.name


def builder(op, isa):
    """A C function that makes one instruction from its operands, in the order of the syntax."""
    params, sets = [], []
    for name in re.findall(r"\w+", op.form.syntax):
        field = op.form.field(name)
        if field.type in isa.operands:
            params.append(f"struct cf_reg {name}")
        elif field.type in isa.enums:
            params.append(f"enum cf_{field.type} {name}")
        else:
            params.append(f"{member_type(isa, name)} {name}")
        sets.append(f".{member(op.form, field, isa)} = {name}")
    params = ", ".join(params) or "void"
    sets = ", ".join([f".op = CF_OP_{op.name.upper()}"] + sets)
    return (f"static inline struct cf_instr\ncf_make_{op.name}({params})\n"
            f"{{\n   return (struct cf_instr){{{sets}}};\n}}\n")


def write_header(isa):
    out = [HEAD, "#ifndef CF_ISA_H\n#define CF_ISA_H\n\n",
           "#include <stdbool.h>\n#include <stdint.h>\n\n"]
    out.append("enum cf_op {\n")
    out += [f"   CF_OP_{op.name.upper()} = {op.code:#04x}, /* {op.doc} */\n" for op in isa.ops]
    out.append(f"}};\n#define CF_OP_LIMIT {max(op.code for op in isa.ops) + 1}\n\n")
    out.append("enum cf_form {\n")
    out += [f"   CF_FORM_{name.upper()},\n" for name in isa.forms]
    out.append("};\n\n")
    out.append("/* Classes of operations and their units, of the timing model. */\nenum cf_op_class {\n")
    out += [f"   CF_OP_CLASS_{cls.name.upper()},\n" for cls in isa.classes]
    out.append(f"}};\n#define CF_OP_CLASSES {len(isa.classes)}\n\nenum cf_op_unit {{\n")
    out += [f"   CF_OP_UNIT_{unit.upper()},\n" for unit in UNITS]
    out.append("};\n\n")
    for name, values in isa.enums.items():
        out.append(f"enum cf_{name} {{\n")
        out += [f"   CF_{name.upper()}_{value.upper()} = {n},\n" for value, n in values.items()]
        out.append(f"}};\n#define CF_{name.upper()}_LIMIT {max(values.values()) + 1}\n\n")
    kinds = isa.operands["src"]["kinds"]
    out.append("/* Kinds of operands: vector, scalar, dword of constant bank 0, inline constant. */\n"
               "enum cf_kind {\n")
    out += [f"   CF_KIND_{kind.upper()} = {number},\n" for kind, number in kinds.items()]
    out.append("};\n\n")
    out.append("/* An operand; destinations are of kind v or s. */\n"
               "struct cf_reg {\n   uint8_t kind; /* enum cf_kind */\n   uint8_t index;\n};\n\n")
    out.append("/* One instruction, decoded. Members its form lacks are zero. */\n"
               "struct cf_instr {\n   enum cf_op op;\n   struct cf_reg dst;\n"
               "   struct cf_reg src[4]; /* a, b, c; of tex s, t, r, q */\n")
    out += [f"   {member_type(isa, name)} {name};\n" for name in plain_members(isa)]
    out.append("};\n\n")
    for kind in kinds:
        out.append(f"static inline struct cf_reg\ncf_{kind}(unsigned index)\n{{\n"
                   f"   return (struct cf_reg){{CF_KIND_{kind.upper()}, (uint8_t)index}};\n}}\n\n")
    out.append("/* Instructions from their operands, in the order of the assembly syntax. */\n\n")
    out += [builder(op, isa) + "\n" for op in isa.ops]
    out.append("#include \"clipfree/isa/cf_isa_code.h\"\n\n#endif\n")
    return "".join(out)


# ------------------------------------------------------------------ C tables


def c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def float_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def field_row(form, field, isa):
    where = member(form, field, isa)
    kind = field.type if field.type in PLAIN_TYPES or field.type in isa.operands else "enum"
    names = f"cf_{field.type}_names" if kind == "enum" else "NULL"
    count = max(isa.enums[field.type].values()) + 1 if kind == "enum" else 0
    return (f"      {{{c_string(field.name)}, CF_FIELD_{kind.upper()}, {field.low}, {field.bits}, "
            f"offsetof(struct cf_instr, {where}), "
            f"sizeof(((struct cf_instr *)0)->{where}), {names}, {count}}},\n")


def form_row(form, isa):
    reserved = sum(((1 << (high - low + 1)) - 1) << low for high, low in form.reserved)
    rows = "".join(field_row(form, f, isa) for f in form.fields)
    fields = f"\n{rows}   " if rows else ""
    return (f"   [CF_FORM_{form.name.upper()}] = {{{c_string(form.syntax)}, {reserved:#x}ull, "
            f"{len(form.fields)}, {{{fields}}}}},\n")


def op_row(op, isa):
    types = op.result.ljust(1, "0") + op.operands
    types = ", ".join(f"'{t}'" if t != "0" else "0" for t in types)
    flags = {"has_dst": op.form.field("dst"), "scalar_dst": op.scalar_dst,
             "cross_lane": op.cross_lane, "alu": op.is_alu, "effect": op.effect}
    flags = [f".{flag} = true" for flag, on in flags.items() if on]
    return (f"   [CF_OP_{op.name.upper()}] = {{{c_string(op.name)}, {c_string(op.doc)}, "
            f"CF_FORM_{op.form.name.upper()}, CF_OP_CLASS_{op.cls.upper()}, "
            f"{len(op.form.sources)}, {{{types}}}{''.join(', ' + f for f in flags)}}},\n")


def write_tables(isa):
    out = [HEAD, "#include \"clipfree/isa/cf_isa.h\"\n\n#include <stddef.h>\n\n"]
    for name, values in isa.enums.items():
        out.append(f"static const char *const cf_{name}_names[] = {{\n")
        out += [f"   [{number}] = {c_string(value)},\n" for value, number in values.items()]
        out.append("};\n\n")
    out.append("const struct cf_form_info cf_forms[] = {\n")
    out += [form_row(form, isa) for form in isa.forms.values()]
    out.append("};\n\nconst struct cf_op_info cf_ops[CF_OP_LIMIT] = {\n")
    out += [op_row(op, isa) for op in isa.ops]
    out.append("};\n\nconst struct cf_op_class_info cf_op_classes[CF_OP_CLASSES] = {\n")
    out += [f"   [CF_OP_CLASS_{cls.name.upper()}] = {{{c_string(cls.name)}, CF_OP_UNIT_{cls.unit.upper()}, "
            f"{cls.passes}, {cls.latency}}},\n" for cls in isa.classes]
    out.append("};\n\nconst uint32_t cf_inline_floats[] = {\n")
    out += [f"   {float_bits(value):#010x}, /* {value} */\n" for value in isa.floats]
    out.append(f"}};\nconst unsigned cf_inline_float_count = {len(isa.floats)};\n")
    return "".join(out)


# ------------------------------------------------------------------ the interpreter's operations


def write_alu(isa):
    """One line per ALU operation; a boolean is all ones or zero."""
    out = [HEAD, "/* CF_ALU<n>(op, result type, operand types..., meaning); "
                 "CF_CROSS for operations between lanes. */\n"]
    for op in isa.ops:
        if not op.is_alu or op.form.name == "movi":
            continue
        macro = "CF_CROSS" if op.cross_lane else f"CF_ALU{len(op.operands)}"
        types = ", ".join(C_TYPES[t] for t in op.result + op.operands)
        meaning = f"0u - (uint32_t)({op.meaning})" if op.result == "b" else op.meaning
        out.append(f"{macro}({op.name.upper()}, {types}, {meaning})\n")
    return "".join(out)


# ------------------------------------------------------------------ documentation


def doc_classes(isa):
    out = ["\n## Classes\n\n" +
           filled("What the timing model (timing.md) knows of instructions: the unit that runs them; passes of all 32 lanes "
                  "through it, of which the vector ALU takes 4 cycles each; cycles until a result can be used, without "
                  "those of memory.") + "\n\n| class | unit | passes | latency | source | instructions |\n|---|---|---|---|---|---|\n"]
    for cls in isa.classes:
        ops = ", ".join(f"`{op.name}`" for op in isa.ops if op.cls == cls.name)
        out.append(f"| {cls.name} | {cls.unit} | {cls.passes} | {cls.latency} | {cls.source} | {ops} |\n")
    return "".join(out)


def encoding_line(form):
    parts = [(f.high, f.low, f.name) for f in form.fields] + [(h, l, "0") for h, l in form.reserved]
    parts.append((*OPCODE_BITS, "opcode"))
    return ", ".join(f"{name} {high}:{low}" for high, low, name in sorted(parts, reverse=True))


def doc_ops(isa, form):
    ops = [op for op in isa.ops if op.form is form]
    if form.name in ALU_FORMS:
        out = ["| code | instruction | types | meaning | |\n|---|---|---|---|---|\n"]
        row = "| {code} | `{text}` | {types} | `{meaning}` | {doc} |\n"
    else:
        out = ["| code | instruction | |\n|---|---|---|\n"]
        row = "| {code} | `{text}` | {doc} |\n"
    for op in ops:
        text = f"{op.name} {form.syntax}".strip()
        meaning = op.meaning.replace("|", "\\|")
        out.append(row.format(code=f"{op.code:#04x}", text=text, types=op.types, meaning=meaning,
                              doc=op.doc))
    return "".join(out)


def filled(text, rest=""):
    """A paragraph in lines of at most 120 columns; those after the first begin with `rest`."""
    return textwrap.fill(text.strip(), 120, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)


def write_docs(isa):
    out = ["<!-- Generated from src/clipfree/isa/isa.toml by gen_isa.py: do not edit. -->\n",
           "# The clipfree instruction set\n\n", isa.machine.strip(),
           "\n\n## Operands\n\n"]
    for name, operand in isa.operands.items():
        kinds = ", ".join(f"{kind} = {number}" for kind, number in operand["kinds"].items())
        out.append(filled(f"- `{name}`, {operand['bits']} bits: kind in the upper bits ({kinds}), index in "
                          f"the lower 7. {operand.get('doc', '')}", "  ") + "\n")
    out.append("\nInline constants by index: 0..63 the integers 0..63; 64..79 the integers -1..-16; "
               "then the floats\n\n| index | value | bits |\n|---|---|---|\n")
    out += [f"| {n} | {value} | {float_bits(value):#010x} |\n"
            for n, value in enumerate(isa.floats, 80)]
    out.append("\n## Enumerations\n")
    for name, values in isa.enums.items():
        out.append(f"\n| {name} | | |\n|---|---|---|\n")
        out += [f"| {number} | `{value}` | {isa.enum_docs[name][value]} |\n"
                for value, number in values.items()]
    out.append(doc_classes(isa))
    out.append("\n## Instructions\n\n" +
               filled("Types are result:operands with f float, i signed, u unsigned or bits, b boolean. Meanings are C "
                      "expressions; functions are those of `arith/cf_fp.h` and `arith/cf_special.h`.") + "\n")
    for form in isa.forms.values():
        out.append(f"\n### Form {form.name}\n\n")
        if form.doc:
            out.append(filled(form.doc) + "\n\n")
        out.append(f"Bits: {encoding_line(form)}\n\n" + doc_ops(isa, form))
    return "".join(out)


# ------------------------------------------------------------------ main


def main():
    parser = argparse.ArgumentParser(description="Check isa.toml; generate code and documentation.")
    parser.add_argument("description", metavar="isa.toml")
    writers = {"header": write_header, "tables": write_tables, "alu": write_alu, "docs": write_docs}
    for name in writers:
        parser.add_argument(f"--{name}", metavar="FILE")
    args = parser.parse_args()
    try:
        isa = load(args.description)
        check(isa)
    except Error as error:
        sys.exit(f"{args.description}: {error}")
    for name, writer in writers.items():
        path = getattr(args, name)
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.write(writer(isa))


if __name__ == "__main__":
    main()
