# SPDX-License-Identifier: MIT
"""A capture with mediump in another precision: what it draws, where values part, and which declarations to raise."""
import json
import re
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shader"))

from mediump_glsl import raisable, raised  # noqa: E402
from shader_bisect import unlike  # noqa: E402
from shader_compile import disassembled  # noqa: E402
from shader_driver import compile_programs, tool_of  # noqa: E402
from shader_picture import Picture  # noqa: E402
from shader_programs import STAGES, Unusable, capture_records, programs_of_records, word  # noqa: E402

PIXEL = struct.Struct("<Iff")    # struct mediump_pixel
FROUND = 0x2a                    # operation of an instruction: its last two digits


def picture_of(line, data):
    width, height, name, size = line.split()
    return Picture(int(width), int(height), name, int(size), data)


def reads(code, first, end):
    """Whether instructions, as text, may read dwords of the uniforms."""
    return any(first <= int(dword) < end for text in code for dword in re.findall(r"\bu(\d+)", text)) or \
        any(re.match(r".*\bldu \S+ 0\[", text) for text in code)


def unlike_at_highp(build, record, made):
    """As unlike(); but code with roundings may keep uniforms that are not there at highp, if it does not read them."""
    mine = [v for v in made["variables"] if v["kind"] == "uniform"]
    known = {(v["place"], word(v)) for v in record["variables"] if v["kind"] == "uniform"}
    more = [v for v in mine if (v["place"], word(v)) not in known]
    if not more or any(v["scalar"] == "sampler" for v in more):
        return unlike(record, made)
    code = disassembled(build, made)
    if any(reads(code, v["place"], v["place"] + v["stride"] * v["elements"] * v["columns"]) for v in more):
        return unlike(record, made)
    return unlike(record, {**made, "variables": [v for v in made["variables"] if v not in more]})


class Case:
    """A capture, its programs of GLSL ES, and the precision that mediump has."""

    def __init__(self, path, build, precision, folder):
        self.path, self.build, self.precision, self.folder = path, build, precision, folder
        self.player = tool_of(build, "clipfree-shader-capture")
        self.programs, self.pairs = programs_of_records(capture_records(self.player, path))
        self.programs = {name: program for name, program in self.programs.items() if program.es}
        self.left_out = {}    # {shader: reason}
        if not self.programs:
            raise Unusable(f"{path} has no GLSL ES: captures of before version 3 have none, nor have programs of fixed function, "
                           "and desktop GLSL has no precisions.")

    def compiled(self, mediump, entries=(), only=None):
        """({(name, stage): record}, names that do not compile): programs with declarations raised; of some alone."""
        programs, failed, found = [], [], {}
        for name, program in self.programs.items():
            if only is not None and name not in only:
                continue
            mine = [entry for entry in entries if entry.program == name]
            programs.append(replace(program, **{stage: raised(getattr(program, stage), stage, mine) for stage in STAGES}))
        for compiled in compile_programs(self.build, programs, mediump=mediump):
            name = compiled.program.name
            if not compiled.ok:
                failed.append(name)
            why = self.unusable(compiled)
            if not why:
                found |= {(name, stage): compiled.stage[stage] for stage in self.pairs[name]}
            elif not entries:
                self.left_out[why[0]] = why[1]
        return found, failed

    def unusable(self, compiled):
        """(shader, why a program cannot be played in the place of its own), or None. Both stages or none: Mesa moves what varyings
        are computed from to where it costs least, also by its precision."""
        name = compiled.program.name
        for stage, record in self.pairs[name].items():
            made = compiled.stage.get(stage)
            why = (compiled.log.splitlines() or ["it does not link"])[0] if not compiled.ok or made is None else \
                unlike_at_highp(self.build, record, made)
            if why:
                return f"{stage} shader of {name}", why
        return None

    def changes(self, made):
        """The programs of a file for the players."""
        path = self.folder / "changes"
        path.write_text(json.dumps({self.pairs[name][stage]["address"]: {"descriptor": record["descriptor"], "code": record["code"]}
                                    for (name, stage), record in made.items()}))
        return path

    def play(self, tool, *words):
        done = subprocess.run([tool, self.path, *words], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Unusable(f"the capture cannot be played: {done.stderr.strip() or f'status {done.returncode}'}")
        return done.stdout

    def picture(self, made):
        image = self.folder / "image"
        return picture_of(self.play(self.player, self.changes(made), image), image.read_bytes())

    def watched(self, made):
        """(picture, [place], [(place + 1 or 0, value, value without roundings)] of each pixel that was drawn last)"""
        image, parts = self.folder / "image", self.folder / "parts"
        line, places = self.play(Path(self.build) / "tools/clipfree-mediump", self.changes(made), image, parts).split("\n", 1)
        return picture_of(line, image.read_bytes()), json.loads(places), list(PIXEL.iter_unpack(parts.read_bytes()))


def rounds(record):
    return any(int(word[-2:], 16) == FROUND for word in record["code"])


# ---------------------------------------------------------------- which to raise

class Search:
    """Trials: programs with some declarations raised, against the picture at highp."""

    def __init__(self, case, made, exact, within):
        self.case, self.made, self.exact, self.within = case, made, exact, within
        self.trials, self.target = 0, 0    # pixels that may differ

    def pixels(self, entries):
        """How many pixels differ by more than `within`; None: some program does not compile."""
        self.trials += 1
        names = {entry.program for entry in entries}
        made, failed = self.case.compiled(self.case.precision, entries, names) if names else ({}, [])
        if failed:
            return None
        worst = self.case.picture(self.made | made).difference(self.exact)
        return sum(d > self.within for d in worst)

    def enough(self, entries):
        found = self.pixels(entries)
        return found is not None and found <= self.target

    def compiling(self, entries):
        """Without those that cannot be raised, as where a macro is the precision."""
        names = {entry.program for entry in entries}
        _, failed = self.case.compiled(self.case.precision, entries, names)
        bad = [entry for entry in entries if entry.program in failed and self.case.compiled(self.case.precision, [entry], {entry.program})[1]]
        return [entry for entry in entries if entry not in bad]

    def fewest(self, entries):
        """Of entries that are enough, some of which none can be left out: halves first, then smaller parts."""
        size = len(entries)
        while size >= 1:
            at = 0
            while at < len(entries):
                rest = entries[:at] + entries[at + size:]
                if self.enough(rest):
                    entries = rest
                else:
                    at += size
            size //= 2
        return entries


def to_raise(case, made, exact, within):
    """(entries, pixels that differ still, trials): of declarations whose programs round."""
    search = Search(case, made, exact, within)
    programs = [program for name, program in case.programs.items()
                if any(rounds(record) for (other, _), record in made.items() if other == name)]
    entries = search.compiling([entry for program in programs for entry in raisable(program)])
    search.target = search.pixels(entries) if entries else 0
    # what is asked for last is left out last: variables of a function are easier to change than what both stages share
    fewest = search.fewest(entries) if entries else []
    return fewest, search.target, search.trials
