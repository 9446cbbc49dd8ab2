# SPDX-License-Identifier: MIT
"""GLSL programs: from files, from folders of .shader_test files, from captures."""
import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

CAPTURE_MAGIC = b"clipfree capture "
PASSTHROUGH = "attribute vec4 piglit_vertex;\nvoid main() { gl_Position = piglit_vertex; }\n"
NEWEST, NEWEST_ES = 330, 300    # that the driver's contexts of OpenGL 3.3 and OpenGL ES 3.0 have
CORE = 140    # from this version on the desktop's language is compiled in the core profile of OpenGL 3.3
STAGES = ("vertex", "fragment")
MODERN = 130  # from this version on varyings may be `in` and `out`; in GLSL ES from 3.00
DECLARED = re.compile(r"(?:^|(?<=[;}]))\s*((?:(?:invariant|centroid|flat|smooth|noperspective)\s+|"
                      r"layout\s*\([^)]*\)\s*)*)(varying|in|out)\s+(?:(?:lowp|mediump|highp)\s+)?"
                      r"(\w+)\s+([^;(){}]+)(?=;)", re.M)
LANGUAGES = {"es": "GLSL ES 1.00", "es3": "GLSL ES 3.00", "desktop": "GLSL 1.10 to 1.30", "core": "GLSL 1.40 to 3.30"}
DESKTOP_NAMES = re.compile(
    r"\bgl_(?:Vertex|Normal|Color|MultiTexCoord\d|ModelView\w*|Projection\w*|NormalMatrix|TexCoord|LightSource|"
                           r"FrontMaterial|FrontColor|BackColor|FogFragCoord|TextureMatrix|ClipVertex)\b|\bftransform\b|\btexture2DRect\b")


class Unusable(Exception):
    """What was given is not what a tool can work with; the text says what to do."""


@dataclass
class Program:
    """What GL links: texts of shader objects by stage."""
    name: str
    es: bool
    vertex: list
    fragment: list
    attributes: dict = field(default_factory=dict)   # name: location
    asked: tuple = STAGES                            # stages that the user gave

    def newest(self):
        """The number of the newest #version; 0: none has one."""
        return max((version(text)[0] or 0 for text in self.vertex + self.fragment), default=0)

    def api(self):
        """The language, as clipfree-shader-compile names it."""
        if self.es:
            return "es3" if self.newest() >= NEWEST_ES else "es"
        return "core" if self.newest() >= CORE else "desktop"

    def request(self):
        return json.dumps({"name": self.name, "api": self.api(), "vertex": self.vertex, "fragment": self.fragment,
                           "attributes": self.attributes})


def is_capture(path):
    try:
        with open(path, "rb") as file:
            return file.read(len(CAPTURE_MAGIC)) == CAPTURE_MAGIC
    except OSError:
        return False


def read_text(path):
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise Unusable(f"cannot read {path}: {error.strerror}") from None


# ---------------------------------------------------------------- the language

def version(text):
    """(number, whether it is that of ES) of #version; without one the number is None."""
    found = re.search(r"^\s*#\s*version\s+(\d+)(\s+es)?", text, re.M)
    return (int(found[1]), found[1] == "100" or bool(found[2])) if found else (None, False)


def is_es(texts):
    """GLSL ES 1.00 says so in #version, or says nothing, has precisions and none of the desktop's names."""
    for text in texts:
        number, es = version(text)
        if number is not None:
            return es
    whole = "\n".join(texts)
    return bool(re.search(r"\bprecision\s+\w+p\b|\b(?:lowp|mediump|highp)\b", whole)) \
        and not DESKTOP_NAMES.search(whole)


# ---------------------------------------------------------------- a stage alone

@dataclass
class Varying:
    """A declaration; `how`: the words that the other stage repeats."""
    how: str
    kind: str
    name: str
    elements: str = None    # None: no array


def varyings(text, word):
    """Those that a stage declares with `varying`, or with this word."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    found = []
    for how, used, kind, names in DECLARED.findall(text):
        for name in names.split(",") if used in ("varying", word) else []:
            array = re.match(r"\s*(\w+)\s*(?:\[(.*?)\])?", name)
            if array:
                repeated = re.findall(r"\b(?:centroid|flat|smooth|noperspective)\b", how)
                found.append(Varying("".join(f"{word} " for word in repeated), kind, array[1], array[2]))
    return found


def declarations(found, word):
    return "".join(f"{one.how}{word} {one.kind} {one.name}{f'[{one.elements}]' if one.elements else ''};\n"
                   for one in found)


def elements_of(found, statement):
    return "".join(f"   {statement(one.kind, one.name)}\n" if one.elements is None else
                   f"   for (int i = 0; i < {one.elements}; i++) {statement(one.kind, one.name + '[i]')}\n"
                   for one in found)


def vertex_for(text, modern):
    """A vertex shader that writes the varyings which a fragment shader reads."""
    found = varyings(text, "in")
    given = {"float": "given.x", "vec2": "given.xy", "vec3": "given.xyz", "vec4": "given"}
    body = elements_of(found, lambda kind, name: f"{name} = {given.get(kind, f'{kind}(given.x)')};")
    return (f"{'in' if modern else 'attribute'} vec4 given;\n{declarations(found, 'out' if modern else 'varying')}"
            f"void main()\n{{\n   gl_Position = given;\n{body}}}\n")


def sum_of(kind, name):
    """All components of a value, as one float; of a matrix the first."""
    if kind.startswith("mat"):
        return f"{name}[0].x"
    count = re.fullmatch(r"[iu]?vec([234])", kind)
    total = " + ".join(f"{name}.{component}" for component in "xyzw"[:int(count[1])]) if count else name
    return f"float({total})" if kind[0] in "iu" else total


def fragment_for(text, es, modern):
    """A fragment shader that reads all varyings of a vertex shader."""
    found = varyings(text, "out")
    body = elements_of(found, lambda kind, name: f"sum += {sum_of(kind, name)};")
    head = ("precision mediump float;\n" if es else "") + ("out vec4 made;\n" if modern else "")
    return (f"{head}{declarations(found, 'in' if modern else 'varying')}void main()\n{{\n   float sum = 0.0;\n{body}"
            f"   {'made' if modern else 'gl_FragColor'} = vec4(sum);\n}}\n")


def with_partner(program):
    """A program of one stage gets the other; OpenGL ES links none without."""
    number = program.newest() or (100 if program.es else 110)
    modern = number >= MODERN
    line = f"#version {number}{' es' if program.es and modern else ''}\n"
    if not program.vertex:
        text = vertex_for("\n".join(program.fragment), modern)
        program.vertex, program.asked = [line + text], ("fragment",)
    elif not program.fragment:
        text = fragment_for("\n".join(program.vertex), program.es, modern)
        program.fragment, program.asked = [line + text], ("vertex",)
    return program


# ---------------------------------------------------------------- files

def read_shader_test(path, name=None):
    """A .shader_test, as Piglit and shader-db have them; None: it is for another OpenGL than clipfree's."""
    text = read_text(path)
    required = re.search(r"^GLSL\s*(ES)?\s*>=\s*(\d)\.(\d+)", text, re.M)
    es, number = bool(required and required[1]), int(required[2] + required[3].ljust(2, "0")) if required else 110
    if number > (NEWEST_ES if es else NEWEST) \
            or re.search(r"^\[(?:geometry|tessellation|compute|vertex program|fragment program)", text, re.M):
        return None
    parts = {"vertex": [], "fragment": []}
    for head, body in re.findall(r"^\[(vertex shader(?: passthrough)?|fragment shader)\]\s*\n(.*?)(?=^\[|\Z)", text,
                                 re.M | re.S):
        stage = head.split()[0]
        if head.endswith("passthrough"):
            body = PASSTHROUGH.replace("attribute", "in") if number >= 130 else PASSTHROUGH
        line = f"#version {number}{' es' if es and number > 100 else ''}"
        parts[stage].append(body if version(body)[0] else f"{line}\n{body}")
    if not parts["vertex"] and not parts["fragment"]:
        return None
    return with_partner(Program(name or Path(path).stem, es, parts["vertex"], parts["fragment"]))


def write_shader_test(path, program):
    """The same as a file."""
    lines = ["[require]", "GLSL ES >= 1.00" if program.es else "GLSL >= 1.20"]
    for stage in STAGES:
        lines += [line for text in getattr(program, stage) for line in (f"\n[{stage} shader]", text.rstrip("\n"))]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_stages(paths, es=None):
    """A program of files whose names end with .vert and .frag."""
    texts = {".vert": [], ".frag": []}
    for path in paths:
        if Path(path).suffix not in texts:
            raise Unusable(
                f"{path}: what is it? Known: FILE.vert, FILE.frag, FILE.shader_test, captures, folders of these.")
        texts[Path(path).suffix].append(read_text(path))
    es = is_es(texts[".vert"] + texts[".frag"]) if es is None else es
    return with_partner(Program(" ".join(Path(path).name for path in paths), es, texts[".vert"], texts[".frag"]))


def read_folder(path):
    """Programs of a folder: .shader_test, and .vert and .frag that have one name. What is for another OpenGL is left
    out."""
    found = []
    for file in sorted(Path(path).rglob("*.shader_test")):
        program = read_shader_test(file, str(file.relative_to(path))[:-len(".shader_test")])
        found += [program] if program else []
    stems = {}
    for file in sorted([*Path(path).rglob("*.vert"), *Path(path).rglob("*.frag")]):
        stems.setdefault(file.with_suffix(""), []).append(file)
    for stem, files in stems.items():
        program = read_stages(files)
        program.name = str(stem.relative_to(path))
        found.append(program)
    return found


# ---------------------------------------------------------------- captures

def capture_records(tool, path):
    """Programs of a capture, as the driver's log has them, with `address`, the descriptor's."""
    done = subprocess.run([tool, path], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unusable(done.stderr.strip() or f"{path}: clipfree-shader-capture ended with status {done.returncode}")
    return json.loads(done.stdout)["programs"]


def programs_of_records(records):
    """({number: Program}, {number: {stage: record}}): GLSL programs of a capture or log, by Mesa's name."""
    pairs = {}
    for record in records:
        if record["sources"]:
            pairs.setdefault(record["name"], {}).setdefault(record["stage"], record)
    programs = {}
    for name, pair in pairs.items():
        sources = {stage: pair[stage]["sources"] if stage in pair else [] for stage in STAGES}
        attributes = {word(v): v["place"] for v in pair.get("vertex", {}).get("variables", ())
                      if v["kind"] == "attribute" and not word(v).startswith("gl_")}
        es = is_es(sources["vertex"] + sources["fragment"])
        programs[name] = with_partner(Program(name, es, sources["vertex"], sources["fragment"], attributes))
    return programs, pairs


def word(variable):
    """The name in a declaration: "light" of "uniform vec4 light[4]", "lamp[1].way" of "uniform vec3 lamp[1].way"."""
    return re.sub(r"\[\d*\]$", "", variable["declaration"].split()[-1])
