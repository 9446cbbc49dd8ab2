# SPDX-License-Identifier: MIT
"""clipfree shader bisect: the pass of the compiler that changes a picture.

The GLSL of a capture is compiled again with one pass left out after the other. The capture is played with that code in
the place of its own, and its picture compared with that of all passes; then with the code of one shader alone."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import shader_picture
from shader_compile import VERSION
from shader_driver import ROOT, compile_programs, default_build, environment, tool_of
from shader_programs import Unusable, capture_records, is_capture, programs_of_records, word

INPUTS_SHIFT, INPUTS_MASK = 8, 0xff    # of dword 5 of a program's descriptor (interface/packets.toml)


@dataclass
class Picture:
    width: int
    height: int
    format: str
    pixel_bytes: int
    data: bytes

    def difference(self, other, tolerance):
        """(pixels that differ, greatest difference of two bytes)"""
        if (self.width, self.height, self.format) != (other.width, other.height, other.format):
            raise Unusable("the pictures have different sizes: is the capture of a program that changes them?")
        if self.data == other.data:
            return 0, 0
        greatest, pixels = 0, 0
        for at in range(0, len(self.data), self.pixel_bytes):
            a, b = self.data[at:at + self.pixel_bytes], other.data[at:at + self.pixel_bytes]
            if a != b:
                most = max(abs(x - y) for x, y in zip(a, b))
                greatest, pixels = max(greatest, most), pixels + (most > tolerance)
        return pixels, greatest


class Bisection:
    """A capture, its programs, and what the compiler makes of them."""

    def __init__(self, path, build, compiler, folder):
        self.path, self.build, self.compiler, self.folder = path, build, compiler, folder
        self.player = tool_of(build, "clipfree-shader-capture")
        records = capture_records(self.player, path)
        self.programs, self.pairs = programs_of_records(records)
        self.left_out = []    # (shader, reason)

    def compiled(self, off=()):
        """{(name, stage): record} of what has the interface that the capture's packets expect."""
        found = {}
        for compiled in compile_programs(self.build, list(self.programs.values()), off=off, compiler=self.compiler):
            for stage, record in self.pairs[compiled.program.name].items():
                name, made = (compiled.program.name, stage), compiled.stage.get(stage)
                why = (compiled.log.splitlines() or ["it does not link"])[0] if not compiled.ok or made is None \
                    else unlike(record, made)
                if not why:
                    found[name] = made
                elif not off:
                    self.left_out.append((f"{stage} shader of {name[0]}", why))
        return found

    def picture(self, made):
        """That of the capture with this code."""
        changes, image = self.folder / "changes", self.folder / "image"
        changes.write_text(
            json.dumps({self.pairs[name][stage]["address"]: {"descriptor": record["descriptor"], "code": record["code"]}
                        for (name, stage), record in made.items()}))
        done = subprocess.run([self.player, self.path, changes, image], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Unusable(f"the capture cannot be played: {done.stderr.strip() or f'status {done.returncode}'}")
        width, height, name, size = done.stdout.split()
        return Picture(int(width), int(height), name, int(size), image.read_bytes())

    def passes(self):
        """Names of the passes that may be left out."""
        log = self.folder / "log"
        env = dict(environment(self.build, log, False, ()), CLIPFREE_COMPILER="help")
        done = subprocess.run([tool_of(self.build, "clipfree-shader-compile"), log], env=env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        return re.findall(r"^   (\w+) +\S", done.stderr, re.M)


def unlike(record, made):
    """Why code of the second cannot stand for the first; None: it can."""
    for kind in "attribute", "uniform", "output":
        places = [{(v["place"], word(v)) for v in r["variables"] if v["kind"] == kind} for r in (record, made)]
        if places[0] != places[1]:
            return f"its {kind}s have other places now"
    inputs = [r["descriptor"][5] >> INPUTS_SHIFT & INPUTS_MASK for r in (record, made)]
    return None if inputs[0] == inputs[1] else "it has other varyings now"


def suspects(bisection, base, base_picture, made, tolerance):
    """The shaders whose code alone changes the picture, most pixels first."""
    found = []
    for name in made:
        if name in base and made[name]["code"] != base[name]["code"]:
            pixels, _ = base_picture.difference(bisection.picture(base | {name: made[name]}), tolerance)
            if pixels:
                found.append({"program": name[0], "stage": name[1], "pixels": pixels})
    return sorted(found, key=lambda entry: -entry["pixels"])


def bisected(bisection, tolerance, progress):
    """(report, {name: picture}): that of all passes, `with`, and those without a pass that changes it."""
    base = bisection.compiled()
    if not base:
        raise Unusable("none of the capture's programs can be compiled again:\n" +
                       "\n".join(f"{shader}: {why}" for shader, why in bisection.left_out) if bisection.left_out else
                       "the capture has no GLSL: captures of before version 3 have none, nor have programs of fixed "
                       "function.")
    base_picture = bisection.picture(base)
    pictures = {"with": base_picture}
    pixels, greatest = bisection.picture({}).difference(base_picture, tolerance)
    report = {"version": VERSION, "pixels": base_picture.width * base_picture.height,
              "shaders": len(base), "left_out": [{"shader": shader, "reason": why} for shader,
                                                 why in bisection.left_out],
              "own": {"pixels": pixels, "greatest": greatest}, "passes": []}
    for name in bisection.passes():
        progress(name)
        made = bisection.compiled([name])
        changed = [key for key in made if made[key]["code"] != base.get(key, {}).get("code")]
        entry = {"pass": name, "shaders": len(changed), "pixels": 0, "greatest": 0, "suspects": []}
        if changed:
            picture = bisection.picture(base | made)
            entry["pixels"], entry["greatest"] = base_picture.difference(picture, tolerance)
        if entry["pixels"]:
            pictures[f"without-{name}"] = picture
            entry["suspects"] = suspects(bisection, base, base_picture, made, tolerance)
        report["passes"].append(entry)
    report["passes"].sort(key=lambda entry: (-entry["greatest"] * bool(entry["pixels"]), -entry["pixels"],
                                             entry["pass"]))
    return report, pictures


def write_pictures(prefix, pictures):
    for name, picture in pictures.items():
        shown = shader_picture.Picture(picture.width, picture.height, picture.format, picture.pixel_bytes, picture.data)
        shader_picture.write_png(f"{prefix}{name}.png", picture.width, picture.height, shown.rgb())


def print_report(report):
    if report["own"]["pixels"]:
        print(f"The capture's own code draws another picture than what this build makes of its GLSL: "
              f"{report['own']['pixels']} pixels, "
              f"by up to {report['own']['greatest']}. It is of another build, or another CLIPFREE_COMPILER.")
    for entry in report["left_out"]:
        print(f"not tried: {entry['shader']}: {entry['reason']}")
    guilty = [entry for entry in report["passes"] if entry["pixels"]]
    for entry in guilty:
        print(f"Without {entry['pass']} {entry['pixels']} of {report['pixels']} pixels differ, by up to "
              f"{entry['greatest']} of 255: "
              + ", ".join(f"{s['stage']} shader of {s['program']} ({s['pixels']} pixels)" for s in entry["suspects"]))
    if not guilty:
        print(f"No pass changes the picture: {len(report['passes'])} left out one by one, in {report['shaders']} "
              f"shaders; "
              f"{sum(entry['shaders'] > 0 for entry in report['passes'])} of them change code.")
    elif len(guilty) == 1:
        print(f"It is {guilty[0]['pass']}. './clipfree shader compile --off {guilty[0]['pass']}' shows the code "
              f"without it.")


# ---------------------------------------------------------------- what is bisected

def captured(words, frame, folder):
    """A capture of a program's frame."""
    path = folder / "frame.cap"
    environment_of = dict(os.environ, CLIPFREE_CAPTURE=f"file={path},frame={frame}", CLIPFREE_FRAMES=str(frame + 2))
    done = subprocess.run([ROOT / "clipfree", "run", *words], env=environment_of, stdout=sys.stderr, check=False)
    if not is_capture(path):
        raise Unusable(f"{words[0]} ended with status {done.returncode} before frame {frame} was drawn.\n"
                       "An earlier one may be had with --frame N; './clipfree run PROGRAM' shows whether the program "
                       "runs.")
    return path


def capture_of(words, frame, folder):
    """The capture that is named, or one of the program that is."""
    if len(words) == 1 and (is_capture(words[0]) or words[0].endswith(".cap")):
        if not is_capture(words[0]):
            raise Unusable(f"{words[0]} is not a capture; CLIPFREE_CAPTURE makes one (docs/replay.md).")
        return Path(words[0])
    return captured(words, frame, folder)


def part(words):
    parser = argparse.ArgumentParser(prog="clipfree shader bisect",
                                     description="Which pass of the compiler changes a picture?")
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="CAPTURE|PROGRAM ARGS...")
    parser.add_argument("--build", type=Path, default=default_build(),
                        help="build folder of the driver; build/ without it")
    parser.add_argument("--compiler", type=Path, metavar="FILE",
                        help="compiles in the place of the build's clipfree-shader-compile")
    parser.add_argument("--frame", type=int, default=1,
                        help="of a program: the frame that is captured, from 0; 1 without it")
    parser.add_argument("--tolerance", type=int, default=0, metavar="N",
                        help="differences up to N of a byte are none; 0 without it")
    parser.add_argument("--png", metavar="PREFIX",
                        help="write PREFIXwith.png, with all passes, and PREFIXwithout-PASS.png for each that changes "
                        "the picture")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(words)
    if not chosen.words:
        raise Unusable("bisect takes a capture, or a program and its arguments.")
    with tempfile.TemporaryDirectory(prefix="clipfree-shader-") as folder:
        path = capture_of(chosen.words, chosen.frame, Path(folder))
        bisection = Bisection(path, chosen.build, chosen.compiler, Path(folder))
        report, pictures = bisected(bisection, chosen.tolerance,
                                    lambda name: print(f"\r{name:<24}", end="", file=sys.stderr, flush=True)
                                    if sys.stderr.isatty() else None)
    if sys.stderr.isatty():
        print("\r" + " " * 24 + "\r", end="", file=sys.stderr, flush=True)
    if chosen.png:
        write_pictures(chosen.png, pictures)
    if chosen.json:
        print(json.dumps(report, indent=1))
    else:
        print_report(report)
    return 0
