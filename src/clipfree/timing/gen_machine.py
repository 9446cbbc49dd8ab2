#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Generates of machine.toml: struct cf_sim_machine and its enums (--header), the table of parameters (--source), and the page
docs/machines.md (--page). --check FILE: whether that page is up to date.
"""
import argparse
import pathlib
import sys
import tomllib

HEAD = "/* SPDX-License-Identifier: MIT */\n/* Generated of machine.toml by gen_machine.py. */\n"


def parameters(schema):
    """[(group, name, parameter)], each with a type."""
    found = []
    for group in schema["groups"]:
        for name, p in schema[group].items():
            p["type"] = "choice" if "choices" in p else "flag" if isinstance(p["default"], bool) else "integer"
            found.append((group, name, p))
    return found


def enums(schema):
    """{name of an enum: names of its values}"""
    return {p["enum"]: p["choices"] for _, _, p in parameters(schema) if p["type"] == "choice"}


def constant(enum, choice):
    return f"CF_SIM_{enum}_{choice}".upper().replace("-", "_")


def header(schema):
    lines = [HEAD, "#ifndef CF_SIM_MACHINE_PARAMETERS_H\n#define CF_SIM_MACHINE_PARAMETERS_H\n\n#include <stdint.h>\n"]
    for enum, choices in enums(schema).items():
        lines += [f"enum cf_sim_{enum} {{", *(f"   {constant(enum, c)}," for c in choices), "};",
                  f"#define CF_SIM_{enum.upper()}S {len(choices)}\n"]
    lines.append("struct cf_sim_machine {")
    for group in schema["groups"]:
        lines.append(f"   struct cf_sim_machine_{group} {{")
        lines += [f"      uint32_t {name};" for name in schema[group]]
        lines.append(f"   }} {group};")
    return "\n".join(lines + ["};\n", f"#define CF_SIM_PARAMETERS {len(parameters(schema))}\n", "#endif\n"])


def source(schema):
    lines = [HEAD, '#include "clipfree/timing/cf_sim_machine.h"\n\n#include <stddef.h>\n']
    for enum, choices in enums(schema).items():
        names = ", ".join(f'"{c}"' for c in choices)
        lines.append(f"static const char *const {enum}_names[] = {{ {names}, NULL }};")
    lines.append("\nconst struct cf_sim_parameter cf_sim_parameters[CF_SIM_PARAMETERS] = {")
    for group, name, p in parameters(schema):
        choice = p["type"] == "choice"
        default = constant(p["enum"], p["default"]) if choice else int(p["default"])
        least, most = (0, len(p["choices"]) - 1) if choice else (p.get("least", 0), p.get("most", 1))
        names = f"{p['enum']}_names" if choice else "NULL"
        lines.append(f'   {{ "{group}.{name}", offsetof(struct cf_sim_machine, {group}.{name}), {default}, {least}, {most}, '
                     f'{int(p.get("power", False))}, {int(p["type"] == "flag")}, {names} }},')
    return "\n".join(lines + ["};\n"])


def value_range(p):
    if p["type"] == "choice":
        return ", ".join(f"`{c}`" for c in p["choices"])
    if p["type"] == "flag":
        return "`true`, `false`"
    return f"{p['least']} to {p['most']}" + (", a power of two" if p.get("power") else "")


def shown(value):
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def page(schema):
    lines = ["# Machines of `clipfree sim`", "",
             "Generated of `src/clipfree/timing/machine.toml`. How machine files are written: [timing.md](timing.md#machines).",
             "A source is a paper's section, what it is derived from, or `assumed`: no paper says it."]
    for group, title in schema["groups"].items():
        lines += ["", f"## `{group}`: {title}", "", "| parameter | default | range | unit | what it is | source |",
                  "|---|---|---|---|---|---|"]
        for name, p in schema[group].items():
            lines.append(f"| `{name}` | {shown(p['default'])} | {value_range(p)} | {p.get('unit', '')} | {p['about']} | "
                         f"{p['source']} |")
    return "\n".join(lines) + "\n"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("schema", type=pathlib.Path)
    for name in ("header", "source", "page", "check"):
        arguments.add_argument(f"--{name}", type=pathlib.Path)
    given = arguments.parse_args()
    schema = tomllib.loads(given.schema.read_text(encoding="utf-8"))
    parameters(schema)
    for path, make in ((given.header, header), (given.source, source), (given.page, page)):
        if path:
            path.write_text(make(schema), encoding="utf-8")
    if given.check and given.check.read_text(encoding="utf-8") != page(schema):
        sys.exit(f"{given.check} is not what machine.toml says: gen_machine.py machine.toml --page {given.check}")


if __name__ == "__main__":
    main()
