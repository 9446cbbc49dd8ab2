# SPDX-License-Identifier: MIT
"""Declarations of GLSL ES 1.00 that have mediump or lowp, and the same text with some of them raised to highp."""
import re
from dataclasses import dataclass, field

DECLARATION = re.compile(r"\b(?:(\w+)\s+)?(float|vec[234]|mat[234]|sampler2D|samplerCube)\s+([A-Za-z_]\w*)")
PRECISIONS = ("lowp", "mediump", "highp")
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]*(lowp|mediump|highp)?[ \t]*$", re.M)
DEFAULT = re.compile(r"\bprecision\s+(lowp|mediump|highp)\s+(float|sampler2D|samplerCube)\s*;")
QUALIFIER = re.compile(r"\b(uniform|varying|attribute)\s+$")
IGNORED = re.compile(r"//[^\n]*|/\*.*?\*/|^[ \t]*#(?:[^\n\\]|\\.)*", re.S | re.M)


@dataclass(frozen=True)
class Place:
    """A declaration in a text: from its precision, or its type where it has none, to its type."""
    stage: str
    text: int          # number of the shader object
    begin: int
    type: int          # where the type begins
    line: int


@dataclass
class Raisable:
    """What is raised together: declarations of one name in a shader, or of a uniform in both, where they must agree."""
    program: str
    name: str
    said: str          # the declaration, as it is
    stages: list
    places: list = field(default_factory=list)

    @property
    def key(self):
        return self.program, self.name, tuple(self.stages)


def blanked(text):
    """The text without comments and directives; all else is where it was."""
    return IGNORED.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def default_at(text, at, stage, kind):
    """The precision that a declaration without one has."""
    is_sampler = kind.startswith("sampler")
    found = "lowp" if is_sampler else "highp" if stage == "vertex" else "none"
    for match in DEFAULT.finditer(text, 0, at):
        if match[2] == (kind if is_sampler else "float"):
            found = match[1]
    return found


def declarations(text, stage, number):
    """[(name, qualifier or "", Place, the declaration's text)] of those below highp."""
    clean, found = blanked(text), []
    macros = {name: precision or "" for name, precision in MACRO.findall(text)}    # one that is not active may be the last
    for match in DECLARATION.finditer(clean):
        written = match[1] if match[1] in PRECISIONS or match[1] in macros else None
        begin = match.start(1) if written else match.start(2)
        precision = macros.get(written, written) or default_at(clean, begin, stage, match[2])
        if precision == "none" or (precision == "highp" and written not in macros):
            continue
        qualifier = QUALIFIER.search(clean, 0, begin)
        said = " ".join(word for word in (qualifier and qualifier[1], written, match[2], match[3]) if word)
        place = Place(stage, number, begin, match.start(2), clean.count("\n", 0, begin) + 1)
        found.append((match[3], qualifier[1] if qualifier else "", place, said))
    return found


def raisable(program):
    """[Raisable] of a program, uniforms and varyings first."""
    found, rest = {}, {}
    for stage in ("vertex", "fragment"):
        for number, text in enumerate(getattr(program, stage)):
            for name, qualifier, place, said in declarations(text, stage, number):
                uniform = qualifier == "uniform"
                group = found if qualifier else rest
                entry = group.setdefault((name, None if uniform else stage), Raisable(program.name, name, said, []))
                entry.stages += [stage] if stage not in entry.stages else []
                entry.places.append(place)
    return [*found.values(), *rest.values()]


def raised(texts, stage, entries):
    """The texts of a stage with these declarations at highp. Lines stay."""
    result = list(texts)
    places = sorted({place for entry in entries for place in entry.places if place.stage == stage}, key=lambda p: -p.begin)
    for place in places:
        text = result[place.text]
        result[place.text] = text[:place.begin] + "highp " + text[place.type:]
    return result
