# SPDX-License-Identifier: MIT
"""clipfree shader compile, and stats."""
import argparse
import json
import subprocess
from pathlib import Path

import shader_stats
from shader_driver import compile_programs, default_build, tool_of
from shader_programs import (LANGUAGES, STAGES, Unusable, capture_records, is_capture, programs_of_records,
                             read_folder, read_shader_test, read_stages)

VERSION = 1


# ---------------------------------------------------------------- arguments

def parser_of(part, text, files="+"):
    parser = argparse.ArgumentParser(prog=f"clipfree shader {part}", description=text)
    parser.add_argument("files", nargs=files, metavar="FILE",
                        help=".vert, .frag, .shader_test, a capture, or a folder of such")
    parser.add_argument("--build", type=Path, default=default_build(),
                        help="build folder of the driver; build/ without it")
    parser.add_argument("--stage", choices=STAGES, help="only this one")
    api = parser.add_mutually_exclusive_group()
    api.add_argument("--es", action="store_true", default=None, help="GLSL ES 1.00, where the text does not tell")
    api.add_argument("--desktop", action="store_false", dest="es", help="GLSL 1.10 or 1.20")
    parser.add_argument("--json", action="store_true", help="as JSON (docs/shader.md)")
    return parser


def programs_of(files, build, es=None):
    """[Program] of what the command line names."""
    found, stages = [], []
    for file in files:
        path = Path(file)
        if path.is_dir():
            inside = read_folder(path)
            if not inside:
                raise Unusable(f"{file} has no .shader_test, .vert or .frag for OpenGL ES 2.0 or OpenGL 2.1.")
            found += inside
        elif is_capture(path):
            programs, _ = programs_of_records(capture_records(tool_of(build, "clipfree-shader-capture"), path))
            if not programs:
                raise Unusable(
                    f"{file} has no GLSL: captures of before version 3 have none, nor have programs of fixed function.")
            found += programs.values()
        elif path.suffix == ".shader_test":
            program = read_shader_test(path)
            if program is None:
                raise Unusable(f"{file} is for a later version than OpenGL ES 3.0 or OpenGL 3.3, or has no shader.")
            found.append(program)
        else:
            stages.append(file)
    return found + ([read_stages(stages, es)] if stages else [])


def check(compiled):
    """Ends the tool where a program does not compile."""
    if not compiled.ok:
        raise Unusable(
            f"{compiled.program.name} does not compile as {LANGUAGES[compiled.program.api()]}:\n"
            f"{compiled.log or 'Mesa gives no reason'}")


# ---------------------------------------------------------------- compile

def disassembled(build, record):
    """[text] by instruction, with targets as numbers' labels."""
    done = subprocess.run([Path(build) / "tools/asm/clipfree-asm", "-d", "-x"], input="\n".join(record["code"]),
                          text=True, capture_output=True, check=False)
    if done.returncode:
        raise Unusable(done.stderr.strip())
    lines, labels = [], ""
    for line in done.stdout.splitlines():
        if line.endswith(":") and " " not in line.strip():
            labels += line.strip() + " "
        else:
            lines.append(labels + line.strip())
            labels = ""
    return lines


def lines_of(record):
    """[[(object, string, line, text line)]] by instruction."""
    found = [[] for _ in record["code"]]
    for instr, item, string, line, text_line in record["lines"]:
        found[instr].append((item, string, line, text_line))
    return found


def line_name(line):
    item, string, number, _ = line
    return (f"{string}:" if string else "") + str(number) + (f" of object {item}" if item else "")


def source_line(record, line):
    texts = record["sources"]
    rows = texts[line[0]].split("\n") if line[0] < len(texts) else []
    return rows[line[3] - 1].strip() if 0 < line[3] <= len(rows) else ""


def code_text(build, record):
    """Instructions, with the GLSL that they are made from beside them where it changes."""
    rows, before = [], None
    for text, lines in zip(disassembled(build, record), lines_of(record)):
        said = ""
        if lines and lines != before:
            said = f"# {', '.join(line_name(line) for line in lines)}: {source_line(record, lines[0])}"
        before = lines or before
        rows.append(f"   {text:<44} {said}".rstrip())
    return "\n".join(rows)


def compile_json(build, compiled):
    shaders = []
    for stage, record in compiled.stage.items():
        shaders.append({
            "stage": stage, "sources": record["sources"], "variables": record["variables"],
            "passes": record.get("passes", []),
            "assembly": disassembled(build, record), "code": record["code"], "descriptor": record["descriptor"],
            "lines": record["lines"], "stats": shader_stats.stats_of(record),
        })
    return {"name": compiled.program.name, "es": compiled.program.es, "shaders": shaders}


def print_compiled(build, compiled):
    for stage, record in compiled.stage.items():
        print(f"==== {compiled.program.name}: {stage} shader")
        for entry in record.get("passes", []):
            print(f"\n---- after {entry['after']}\n{entry['text'].rstrip()}")
        print(f"\n---- code\n{code_text(build, record)}\n")
        for variable in record["variables"]:
            print(f"   {variable['kind']} {variable['place']}: {variable['declaration']}")
        print(f"   {stats_line(shader_stats.stats_of(record))}\n")


def wanted(compiled, stage):
    """Leaves the stages that the user asked for."""
    keep = (stage,) if stage else compiled.program.asked
    compiled.stage = {name: record for name, record in compiled.stage.items() if name in keep}
    if not compiled.stage:
        raise Unusable(f"{compiled.program.name} has no {stage} shader.")
    return compiled


def compile_part(words):
    parser = parser_of("compile",
                       "What becomes of GLSL: NIR as the compiler gets it, the program after each pass, and its code.")
    parser.add_argument("--compiler", type=Path, metavar="FILE",
                        help="compiles in the place of the build's clipfree-shader-compile")
    parser.add_argument("--no-passes", action="store_true", help="only the code")
    parser.add_argument("--off", action="append", default=[], metavar="PASS",
                        help="leave out this pass; may be repeated")
    chosen = parser.parse_args(words)
    programs = programs_of(chosen.files, chosen.build, chosen.es)
    found = compile_programs(chosen.build, programs, not chosen.no_passes, chosen.off, chosen.compiler)
    for compiled in found:
        check(compiled)
        wanted(compiled, chosen.stage)
    if chosen.json:
        print(json.dumps({"version": VERSION,
                          "programs": [compile_json(chosen.build, compiled) for compiled in found]}, indent=1))
    else:
        for compiled in found:
            print_compiled(chosen.build, compiled)
    return 0


# ---------------------------------------------------------------- stats

def stats_line(stats):
    parts = [f"{stats[name]} {name.replace('_', ' ')}" for name in shader_stats.COUNTS if stats[name]
             or name == "instructions"]
    return ", ".join(parts) + "; " + ", ".join(f"{n} {name}" for name, n in stats["classes"].items() if n)


def shader_entries(found, stage=None):
    """[{name, stage, stats, costly}] of all that compiled."""
    return [{"name": compiled.program.name, "stage": name, **shader_stats.stats_of(record),
             "costly": [{"instructions": n, "object": item, "line": line,
                         "text": source_line(record, (item, 0, 0, line))}
                        for n, item, line in shader_stats.costly_lines(record, 3)]}
            for compiled in found if compiled.ok for name, record in compiled.stage.items()
            if name in compiled.program.asked and stage in (None, name)]


def totals_of(entries):
    totals = {name: sum(entry[name] for entry in entries) for name in shader_stats.COUNTS}
    totals["classes"] = {name: sum(entry["classes"][name] for entry in entries) for name in shader_stats.CLASSES}
    return totals


def stats_part(words):
    parser = parser_of("stats", "Numbers of shaders: instructions by class, registers, spills, loops, textures.")
    chosen = parser.parse_args(words)
    found = compile_programs(chosen.build, programs_of(chosen.files, chosen.build, chosen.es))
    entries, failed = shader_entries(found, chosen.stage), [compiled for compiled in found if not compiled.ok]
    if chosen.json:
        print(json.dumps({"version": VERSION, "shaders": entries, "totals": totals_of(entries),
                          "failed": [{"name": compiled.program.name, "reason": compiled.log} for compiled in failed]},
                          indent=1))
        return 1 if failed and not entries else 0
    for entry in entries:
        print(f"{entry['name']}, {entry['stage']}: {stats_line(entry)}")
        for line in entry["costly"]:
            print(f"   {line['instructions']:>5} of line {line['line']}: {line['text']}")
    for compiled in failed:
        print(f"{compiled.program.name}: not compiled: {(compiled.log.splitlines() or ['no reason is given'])[0]}")
    print(f"{len(entries)} shaders, {len(failed)} programs not compiled: {stats_line(totals_of(entries))}")
    return 1 if failed and not entries else 0


