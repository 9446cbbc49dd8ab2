#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Generate packet and structure code from packets.toml.

Usage: gen_packets.py PACKETS.toml FORMATS.toml [--header OUT.h] [--source OUT.c] [--docs OUT.md] [--test-table OUT.inc]

Rejected with a message and exit status 1: overlapping fields, fields outside their dword, unknown types, opcodes used
twice, enums whose values do not fit their field, `alike` of a field that there is not.
"""
import argparse
import re
import sys
import textwrap
import tomllib

SCALAR_TYPES = {"uint": "uint32_t", "int": "int32_t", "bool": "bool", "float": "float", "address": "uint64_t"}


class DescriptionError(Exception):
    """The description contradicts itself."""


class Field:
    """One field: where its bits are and what they mean."""

    def __init__(self, owner, name, text, enums):
        match = re.fullmatch(r"(\d+)(?:\.\.(\d+))?(?::(\d+):(\d+))? (\w+)", text)
        if not match:
            raise DescriptionError(f"{owner}.{name}: cannot parse '{text}'")
        first, last, high, low, self.type = match.groups()
        self.name, self.owner = name, owner
        self.first_dw = int(first)
        self.high, self.low = (int(high), int(low)) if high else (31, 0)
        self.is_enum = self.type in enums
        if not self.is_enum and self.type not in SCALAR_TYPES:
            raise DescriptionError(f"{owner}.{name}: unknown type '{self.type}'")
        self.dw_each = 2 if self.type == "address" else 1
        span = (int(last) - self.first_dw + 1) if last else self.dw_each
        if span % self.dw_each:
            raise DescriptionError(f"{owner}.{name}: an array of addresses needs an even number of dwords")
        self.count = span // self.dw_each
        self.is_array = last is not None
        if self.high > 31 or self.low > self.high:
            raise DescriptionError(f"{owner}.{name}: bits {self.high}:{self.low} are not inside a dword")
        if self.is_enum and max(enums[self.type].values()) >> self.width:
            raise DescriptionError(f"{owner}.{name}: enum {self.type} needs more than {self.width} bits")
        self.last_dw = self.first_dw + span - 1

    @property
    def width(self):
        return self.high - self.low + 1

    @property
    def mask(self):
        return ((1 << self.width) - 1) << self.low

    @property
    def c_type(self):
        return f"enum cf_{self.type}" if self.is_enum else SCALAR_TYPES[self.type]


class Record:
    """A packet or structure."""

    def __init__(self, name, description, enums, is_packet):
        self.name, self.is_packet = name, is_packet
        self.opcode = description.get("opcode")
        self.fields = [Field(name, n, t, enums) for n, t in description["fields"].items()]
        self.alike = description.get("alike", {})   # {set: names of fields}
        for fields in self.alike.values():
            for field in fields:
                if field not in description["fields"]:
                    raise DescriptionError(f"{name}.alike: there is no field '{field}'")
        first = 1 if is_packet else 0
        self.dwords = max([f.last_dw + 1 for f in self.fields] + [first])
        self.used = [0] * self.dwords
        if is_packet:
            self.used[0] = 0xffffffff
        for f in self.fields:
            for dw in range(f.first_dw, f.last_dw + 1):
                if self.used[dw] & f.mask:
                    raise DescriptionError(f"{name}.{f.name}: overlaps another field in dword {dw}")
                self.used[dw] |= f.mask


def load(packets_path, formats_path):
    """Read and check both descriptions; returns (enums of packets.toml, those and format, records)."""
    with open(packets_path, "rb") as file:
        description = tomllib.load(file)
    with open(formats_path, "rb") as file:
        formats = tomllib.load(file)["format"]
    enums = dict(description.get("enum", {}))
    checked = dict(enums, format={name: f["code"] for name, f in formats.items()})
    records = [Record(n, d, checked, False) for n, d in description.get("struct", {}).items()]
    opcodes = {}
    for name, d in description.get("packet", {}).items():
        record = Record(name, d, checked, True)
        if record.opcode in opcodes:
            raise DescriptionError(f"{name}: opcode {record.opcode:#x} is used by {opcodes[record.opcode]}")
        opcodes[record.opcode] = name
        records.append(record)
    return enums, checked, records


def pack_field(f):
    lines = []
    if f.is_array:
        lines.append(f"   for (unsigned i = 0; i < {f.count}; i++)")
        value, dw, indent = f"s->{f.name}[i]", f"{f.first_dw} + {f.dw_each} * i", "      "
    else:
        value, dw, indent = f"s->{f.name}", str(f.first_dw), "   "
    if f.type == "address":
        body = f"{{ dw[{dw}] = (uint32_t){value}; dw[{dw} + 1] = (uint32_t)({value} >> 32); }}"
    elif f.type == "float":
        body = f"memcpy(&dw[{dw}], &{value}, 4);"
    elif f.width == 32:
        body = f"dw[{dw}] = (uint32_t){value};"
    else:
        limit = (1 << f.width) - 1
        lines.append(f"   assert((uint32_t)({value}) <= {limit:#x}u && \"{f.owner}.{f.name} does not fit\");")
        body = f"dw[{dw}] |= (uint32_t)({value}) << {f.low};"
    lines.append(indent + body)
    return lines


def unpack_field(f, enums):
    lines = []
    if f.is_array:
        lines.append(f"   for (unsigned i = 0; i < {f.count}; i++)")
        value, dw, indent = f"s->{f.name}[i]", f"{f.first_dw} + {f.dw_each} * i", "      "
    else:
        value, dw, indent = f"s->{f.name}", str(f.first_dw), "   "
    if f.type == "address":
        lines.append(f"{indent}{value} = dw[{dw}] | (uint64_t)dw[{dw} + 1] << 32;")
        return lines
    if f.type == "float":
        lines.append(f"{indent}memcpy(&{value}, &dw[{dw}], 4);")
        return lines
    raw = f"dw[{dw}]" if f.width == 32 else f"(dw[{dw}] >> {f.low} & {(1 << f.width) - 1:#x}u)"
    if f.is_enum:
        values = sorted(enums[f.type].values())
        valid = " || ".join(f"raw == {v}" for v in values)
        if values == list(range(len(values))):
            valid = f"raw < {len(values)}"
        # one read: what is checked is what is kept, also of memory that is being drawn to
        lines.append(f"{indent}{{ const uint32_t raw = {raw}; if (!({valid})) {{ *bad_field = \"{f.name}\"; return false; }} "
                     f"{value} = ({f.c_type})raw; }}")
        return lines
    lines.append(f"{indent}{value} = ({f.c_type}){raw};")
    return lines


def field_entry(f):
    """Its entry in the table of its record (interface/cf_record.h)."""
    kind = "ENUM" if f.is_enum else f.type.upper()
    width = 64 if f.type == "address" else f.width
    names = f"value_of_{f.type}" if f.is_enum else "NULL"
    return (f'   {{ "{f.name}", CF_RECORD_{kind}, {f.first_dw}, {f.low}, {width}, {f.count if f.is_array else 0}, '
            f"{names} }},")


def alike(r, name, fields):
    equal = " &&\n          ".join(f"a->{field} == b->{field}" for field in fields)
    return (f"/** Whether both are equal in {', '.join(fields)}. */\nstatic inline bool\n"
            f"cf_{r.name}_{name}_alike(const struct cf_{r.name} *a, const struct cf_{r.name} *b)\n"
            f"{{\n   return {equal};\n}}\n")


HEAD = "/* SPDX-License-Identifier: MIT */\n/* Generated from packets.toml by gen_packets.py; do not edit. */\n"


def header(enums, records):
    out = [HEAD + "#ifndef CF_PACKETS_H\n#define CF_PACKETS_H\n",
           "#include <stdbool.h>\n#include <stdint.h>\n", '#include "clipfree/interface/cf_record.h"\n']
    for name, values in enums.items():
        body = "".join(f"   CF_{name.upper()}_{v.upper()} = {n},\n" for v, n in values.items())
        out.append(f"enum cf_{name} {{\n{body}}};\nconst char *\ncf_{name}_name(enum cf_{name} value);\n")
    out.append(f"#define CF_FORMAT_COUNT {max(enums['format'].values()) + 1}\n")
    out.append("/* What a command processor knows of a packet before it unpacks it. */\nenum cf_opcode {\n" +
               "".join(f"   CF_OPCODE_{r.name.upper()} = {r.opcode:#x},\n" for r in records if r.is_packet) + "};\n")
    out.append("/** Packet name and size for a packet header; NULL: no such opcode. */\nconst char *\n"
               "cf_packet_name(uint32_t opcode, uint32_t *dwords);\n"
               "/* Of the largest packet. */\n"
               f"#define CF_PACKET_DWORDS {max(r.dwords for r in records if r.is_packet)}\n"
               "/** The description of a packet; NULL: no such opcode. */\nconst struct cf_record *\n"
               "cf_packet_record(uint32_t opcode);\n")
    for r in records:
        out.append(f"#define CF_{r.name.upper()}_DWORDS {r.dwords}")
        body = "".join(f"   {f.c_type} {f.name}{f'[{f.count}]' if f.is_array else ''};\n" for f in r.fields)
        out.append(f"struct cf_{r.name} {{\n{body or '   char empty;' + chr(10)}}};")
        out.append(f"void\ncf_{r.name}_pack(uint32_t *dw, const struct cf_{r.name} *s);")
        out.append("/** False: reserved bits are set (\"reserved\") or a field has no such value; *bad_field names it. */")
        out.append(f"bool\ncf_{r.name}_unpack(const uint32_t *dw, struct cf_{r.name} *s, const char **bad_field);")
        out.append(f"extern const struct cf_record cf_{r.name}_record;\n")
        out += [alike(r, name, fields) for name, fields in r.alike.items()]
    out.append("#endif\n")
    return "\n".join(out)


def record_source(r, enums):
    out = [f"void\ncf_{r.name}_pack(uint32_t *dw, const struct cf_{r.name} *s)\n{{",
           f"   memset(dw, 0, 4 * CF_{r.name.upper()}_DWORDS);"]
    if r.is_packet:
        out.append(f"   dw[0] = {r.opcode:#x}u | CF_{r.name.upper()}_DWORDS << 16;")
    for f in r.fields:
        out += pack_field(f)
    if not r.fields:
        out.append("   (void)s;")
    out.append("}\n")
    out.append(f"bool\ncf_{r.name}_unpack(const uint32_t *dw, struct cf_{r.name} *s, const char **bad_field)\n{{")
    out.append("   *bad_field = \"reserved\";")
    if r.is_packet:
        out.append(f"   if (dw[0] != ({r.opcode:#x}u | CF_{r.name.upper()}_DWORDS << 16))\n      return false;")
    for dw, used in enumerate(r.used):
        if used != 0xffffffff:
            out.append(f"   if (dw[{dw}] & {~used & 0xffffffff:#x}u)\n      return false;")
    for f in r.fields:
        out += unpack_field(f, enums)
    if not r.fields:
        out.append("   s->empty = 0;")
    out.append("   *bad_field = NULL;\n   return true;\n}\n")
    entries = "\n".join(field_entry(f) for f in r.fields)
    used = ", ".join(f"{used:#x}u" for used in r.used) or "0"
    if r.fields:
        out.append(f"static const struct cf_field {r.name}_fields[] = {{\n{entries}\n}};")
    out.append(f"const struct cf_record cf_{r.name}_record = {{\n   \"{r.name}\", {r.opcode or 0:#x}, {r.dwords}, "
               f"{len(r.fields)}, {f'{r.name}_fields' if r.fields else 'NULL'},\n   (const uint32_t[]){{ {used} }},\n}};\n")
    return out


def source(enums, records):
    out = [HEAD + '#include "clipfree/interface/cf_packets.h"\n', "#include <assert.h>\n#include <string.h>\n"]
    for name, values in enums.items():
        cases = "".join(f"   case {n}: return \"{v}\";\n" for v, n in values.items())
        out.append(f"const char *\ncf_{name}_name(enum cf_{name} value)\n{{\n   switch ((unsigned)value) {{\n{cases}"
                   "   default: return \"?\";\n   }\n}\n\n"
                   f"static const char *\nvalue_of_{name}(uint32_t value)\n{{\n"
                   f"   const char *text = cf_{name}_name((enum cf_{name})value);\n"
                   "   return text[0] == '?' ? NULL : text;\n}\n")
    for r in records:
        out += record_source(r, enums)
    packets = [r for r in records if r.is_packet]
    cases = "".join(f"   case {r.opcode:#x}: *dwords = {r.dwords}; return \"{r.name}\";\n" for r in packets)
    out.append("const char *\ncf_packet_name(uint32_t opcode, uint32_t *dwords)\n{\n   switch (opcode) {\n" + cases +
               "   default: *dwords = 0; return NULL;\n   }\n}\n")
    cases = "".join(f"   case {r.opcode:#x}: return &cf_{r.name}_record;\n" for r in packets)
    out.append("const struct cf_record *\ncf_packet_record(uint32_t opcode)\n{\n   switch (opcode) {\n" + cases +
               "   default: return NULL;\n   }\n}\n")
    return "\n".join(out)


def docs(enums, records):
    out = ["# Packets and structures\n", "Generated from `src/clipfree/interface/packets.toml`. Bits not listed are reserved and zero.\n"]
    for r in records:
        kind = f"packet, opcode {r.opcode:#x}" if r.is_packet else "structure"
        out.append(f"## {r.name} ({kind}, {r.dwords} dwords)\n")
        if r.fields:
            out.append("| dword | bits | field | type |\n|---|---|---|---|")
        for f in r.fields:
            dws = str(f.first_dw) if f.first_dw == f.last_dw else f"{f.first_dw}-{f.last_dw}"
            out.append(f"| {dws} | {f.high}:{f.low} | {f.name} | {f.type} |")
        out.append("")
    out.append("# Enums\n")
    for name, values in enums.items():
        text = f"**{name}**: " + ", ".join(f"{v} = {n}" for v, n in values.items())
        out.append(textwrap.fill(text, 120, break_on_hyphens=False) + "\n")
    return "\n".join(out)


def test_table(records):
    """For the round trip test: each record, and a function that unpacks and packs it again."""
    out = [HEAD]
    for r in records:
        out.append(f"static bool\nagain_{r.name}(const uint32_t *dw, uint32_t *packed, const char **bad_field)\n{{\n"
                   f"   struct cf_{r.name} s;\n   if (!cf_{r.name}_unpack(dw, &s, bad_field))\n      return false;\n"
                   f"   cf_{r.name}_pack(packed, &s);\n   return true;\n}}\n")
    out.append("static const struct tested tested[] = {")
    out += [f"   {{&cf_{r.name}_record, again_{r.name}}}," for r in records]
    return "\n".join(out) + "\n};\n"


def main():
    parser = argparse.ArgumentParser(description="Generate packet code from packets.toml.")
    parser.add_argument("packets")
    parser.add_argument("formats")
    parser.add_argument("--header")
    parser.add_argument("--source")
    parser.add_argument("--docs")
    parser.add_argument("--test-table")
    args = parser.parse_args()
    try:
        enums, checked, records = load(args.packets, args.formats)
    except (DescriptionError, KeyError, tomllib.TOMLDecodeError) as error:
        sys.exit(f"gen_packets.py: {error}")
    for path, text in ((args.header, lambda: header(checked, records)), (args.source, lambda: source(checked, records)),
                       (args.docs, lambda: docs(enums, records)), (args.test_table, lambda: test_table(records))):
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text())


if __name__ == "__main__":
    main()
