# SPDX-License-Identifier: MIT
"""clipfree shader run: a task of a shader, in both engines, from a text file of inputs."""
import json
import re
import struct
import subprocess
from dataclasses import dataclass, field

from shader_compile import check, parser_of, programs_of, wanted
from shader_driver import compile_programs, tool_of
from shader_programs import STAGES, Unusable, read_text, word
from shader_stats import operation

VERSION = 2   # of --json (docs/schemas/shader-run.schema.json)

LANES = 32
LINE = re.compile(r"(uniform|attribute|varying)\s+([\w.\[\]]+)\s*=\s*(.*)")
TRUE = 0xffffffff
CHANNELS = "xyzw"


@dataclass
class Inputs:
    """Values by name: of a uniform [numbers], of others [[numbers] by group]."""
    uniform: dict = field(default_factory=dict)
    attribute: dict = field(default_factory=dict)
    varying: dict = field(default_factory=dict)
    lanes: int = 0


def numbers(text, where):
    try:
        return [{"true": 1.0, "false": 0.0}.get(part) if part in ("true", "false") else float(part)
                for part in text.split()]
    except ValueError as error:
        raise Unusable(f"{where}: {str(error).split(': ')[-1]} is no number.") from None


def read_inputs(path):
    inputs = Inputs()
    for number, line in enumerate(read_text(path).splitlines(), 1):
        where, line = f"{path}:{number}", line.split("#")[0].strip()
        if not line:
            continue
        lanes, found = re.fullmatch(r"lanes\s*=\s*(\d+)", line), LINE.fullmatch(line)
        if lanes and 0 < int(lanes[1]) <= LANES:
            inputs.lanes = int(lanes[1])
        elif found:
            groups = [numbers(group, where) for group in found[3].split("|")]
            getattr(inputs, found[1])[found[2]] = groups[0] if found[1] == "uniform" else groups
        else:
            raise Unusable(
                f"{where}: what is '{line}'? A line is 'uniform NAME = NUMBERS', 'attribute NAME = NUMBERS | NUMBERS "
                f"...', one "
                           f"group a vertex, 'varying NAME = AT CORNER 0 | AT CORNER 1 | AT CORNER 2', or 'lanes = N' "
                           f"from 1 to {LANES}.")
    return inputs


def bits(value, scalar):
    """The dword of a uniform's number."""
    if scalar == "bool":
        return TRUE if value else 0
    if scalar in ("int", "uint"):
        return int(value) & 0xffffffff
    return struct.unpack("<I", struct.pack("<f", value))[0]


def unknown(kind, given, known):
    """Ends the tool where the file names what the shader has not."""
    for name in given:
        if name not in known:
            raise Unusable(
                f"the shader has no {kind} {name}, or does not use it. It has: {', '.join(sorted(known)) or 'none'}.")


def constants(record, inputs):
    """Constant bank 0; uniforms that the file does not name are 0."""
    uniforms = {word(v): v for v in record["variables"] if v["kind"] == "uniform" and v["scalar"] != "sampler"}
    unknown("uniform", inputs.uniform, uniforms)
    dwords = [0] * max((v["place"] + v["stride"] * v["elements"] * v["columns"] + v["rows"]
                        for v in uniforms.values()), default=0)
    for name, values in inputs.uniform.items():
        v = uniforms[name]
        if len(values) != v["elements"] * v["columns"] * v["rows"]:
            raise Unusable(
                f"{name} has {v['elements'] * v['columns'] * v['rows']} numbers, the file gives {len(values)}.")
        for i, value in enumerate(values):
            dwords[v["place"] + i // v["rows"] * v["stride"] + i % v["rows"]] = bits(value, v["scalar"])
    return dwords


def attributes(record, inputs):
    """{slot: [4 numbers by lane]}: the last group is that of all vertices behind."""
    known = {word(v): v["place"] for v in record["variables"] if v["kind"] == "attribute"}
    unknown("attribute", inputs.attribute, known)
    found = {}
    for name, slot in known.items():
        groups = [(group + [0.0, 0.0, 0.0, 1.0][len(group):])[:4] for group in inputs.attribute.get(name, [[]])]
        found[str(slot)] = [groups[min(lane, len(groups) - 1)] for lane in range(LANES)]
    return found


def component_of(variable, i):
    """(name, component) of dword i of a varying: a note of one component tells it, as "out vec2 place.y"."""
    name, dot, letter = word(variable).rpartition(".")
    told = dot and variable["rows"] == 1 and letter in CHANNELS and variable["declaration"].split()[-2][-1] in "234"
    return (name, CHANNELS.index(letter)) if told else (word(variable), i)


def varyings(pair, inputs):
    """{component of the fragment program: [at the corners]}: names are the vertex shader's. Components that the program
    does not read have no place."""
    slots = {location: k for k, location in enumerate(pair["fragment"]["locations"])}
    vertex, places = pair["vertex"], {}
    for v in vertex["variables"]:
        slot, component = divmod(v["place"], 4)
        if v["kind"] == "output" and slot < len(vertex["locations"]) and vertex["locations"][slot] in slots:
            place = 4 * slots[vertex["locations"][slot]] + component
            for i in range(v["rows"]):
                name, of = component_of(v, i)
                places.setdefault(name, {})[of] = place + i
    unknown("varying", inputs.varying, places)
    found = {}
    for name, groups in inputs.varying.items():
        if len(groups) not in (1, 3):
            raise Unusable(
                f"varying {name} has values of {len(groups)} corners: give one for all, or those of all three.")
        for of, place in places[name].items():
            found[str(place)] = [(group + [0.0] * 4)[of] for group in (groups * 3 if len(groups) == 1 else groups)]
    return found


def request(pair, stage, inputs):
    record = pair[stage]
    lanes = inputs.lanes or (max([len(groups) for groups in inputs.attribute.values()] + [1]) if stage == "vertex"
                             else 4)
    return {"descriptor": record["descriptor"], "code": record["code"], "lanes": lanes,
            "constants": constants(record, inputs),
            "attributes": attributes(record, inputs) if stage == "vertex" else {},
            "varyings": varyings(pair, inputs) if stage == "fragment" else {}}


def ran(tool, asked):
    done = subprocess.run([tool], input=json.dumps(asked), capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unusable(done.stderr.strip() or f"clipfree-shader-run ended with status {done.returncode}")
    return json.loads(done.stdout)


# ---------------------------------------------------------------- what is said

def number(dword):
    return f"{struct.unpack('<f', struct.pack('<I', dword))[0]:.9g}"


def output_name(pair, stage, index):
    """What an export is: "gl_Position.x", "place.y", "color 0.x"."""
    if stage == "fragment":
        return "depth" if index == 32 else f"color {index // 4}.{CHANNELS[index % 4]}"
    if index < 4:
        return f"gl_Position.{CHANNELS[index]}"
    if index < 8:
        return {4: "gl_PointSize", 5: "edge flag"}.get(index, f"output {index}")
    found = [component_of(v, index - 8 - v["place"]) for v in pair[stage]["variables"]
             if v["kind"] == "output" and v["place"] <= index - 8 < v["place"] + v["rows"]]
    if not found:
        return f"varying {(index - 8) // 4}.{CHANNELS[index % 4]}"
    return f"{found[0][0]}.{CHANNELS[found[0][1] % 4]}"


def written(pair, stage):
    """Indices of the exports that the code has: `out` and `outf` (isa.toml)."""
    return sorted({int(code, 16) >> 25 & 0xff for code in pair[stage]["code"] if operation(code)[0] in ("out", "outf")})


def verdict(result):
    if not result["compiled"]:
        return "The program was interpreted alone: this build or host compiles nothing."
    if result["difference"] is None:
        return "The interpreter and the compiled program give the same bits, in exports and registers."
    return f"THE ENGINES DIFFER: {json.dumps(result['difference'])}"


def print_register(name, row):
    """The first four lanes, as bits and as floats; "-": the program has not written it there."""
    print(f"   {name:<12} {' '.join('-' * 8 if dword is None else f'{dword:08x}' for dword in row[:4])}   "
          f"{' '.join('-' if dword is None else number(dword) for dword in row[:4])}")


def print_registers(result):
    """Of both engines: once where they agree."""
    compiled = result["compiled"]
    print("registers at the end, of both engines:" if compiled else "registers at the end, interpreted:")
    for kind in "vector", "scalar":
        for name, row in result[kind].items():
            other = compiled[kind][name] if compiled else row
            print_register(name if other == row else f"{name} interp", row)
            if other != row:
                print_register(f"{name} compiled", other)


def print_result(pair, stage, result):
    for index in written(pair, stage):
        print(f"{output_name(pair, stage, index):<20} "
              f"{' '.join(number(dword) for dword in result['outputs'].get(str(index), []))}")
    print_registers(result)
    if result["timed_out"]:
        print("The watchdog ended it: a loop does not end.")
    print(verdict(result))


def part(words):
    parser = parser_of("run", "Run a task of a shader in both engines: vertices, or a field of 8 x 4 pixels.")
    parser.add_argument("--inputs", required=True, metavar="FILE",
                        help="a text file of uniforms, attributes, varyings (docs/shader.md)")
    chosen = parser.parse_args(words)
    programs = programs_of(chosen.files, chosen.build, chosen.es)
    if len(programs) != 1:
        raise Unusable(f"run takes one program, these are {len(programs)}.")
    inputs, (compiled,) = read_inputs(chosen.inputs), compile_programs(chosen.build, programs)
    check(compiled)
    stage = chosen.stage or ("vertex" if inputs.attribute or compiled.program.asked == ("vertex",) else "fragment")
    pair = dict(compiled.stage)
    if stage not in wanted(compiled, stage).stage or not all(name in pair for name in STAGES):
        raise Unusable(f"the program has no {stage} shader.")
    result = ran(tool_of(chosen.build, "clipfree-shader-run"), request(pair, stage, inputs))
    if chosen.json:
        names = {str(index): output_name(pair, stage, index) for index in written(pair, stage)}
        print(json.dumps({"version": VERSION, "stage": stage, "names": names, **result}, indent=1))
    else:
        print_result(pair, stage, result)
    return 3 if result["difference"] else 0
