# SPDX-License-Identifier: MIT
"""clipfree shader corpus: collects shaders of Piglit, glmark2, programs and captures in a folder of .shader_test
files."""
import argparse
import hashlib
import os
import re
import subprocess
import tempfile
from pathlib import Path

from shader_diff import CORPUS
from shader_driver import ROOT, default_build, read_log_records, tool_of
from shader_programs import (Program, Unusable, capture_records, is_capture, is_es, programs_of_records, read_folder,
                             read_shader_test, version, with_partner, write_shader_test)

# Where Debian's packages have them.
PIGLIT = next(iter(sorted(Path("/usr/lib").glob("*/piglit"))), Path("/usr/lib/piglit"))
HACKS = Path("/usr/libexec/xscreensaver")
MARK = ".clipfree-corpus"    # what stands in a folder that was made here, and may be made anew
FRAMES = 3    # of a program: its shaders are there by then
LIMIT_S = 60


class Corpus:
    """A folder, in which each program is once. What an earlier corpus has left there goes."""

    def __init__(self, folder):
        self.folder, self.seen, self.counts = folder, set(), {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any(folder.iterdir()) and not (folder / MARK).exists():
                raise Unusable(f"{folder} has other files: name a new folder, or one of an earlier corpus.")
            (folder / MARK).touch()
        except OSError as error:
            raise Unusable(f"{folder} cannot be written: {error.strerror}") from None
        for old in folder.rglob("*.shader_test"):
            old.unlink()

    def add(self, origin, program):
        """Whether it is new."""
        text = "\0".join([str(program.es), *program.vertex, "\0", *program.fragment])
        key = hashlib.sha256(re.sub(r"\s+", " ", text).encode()).hexdigest()
        if key in self.seen:
            return False
        self.seen.add(key)
        name = re.sub(r"[^\w.+-]+", "_", program.name)[-100:]
        path = self.folder / origin / f"{name}.shader_test"
        if path.exists():
            path = path.with_name(f"{name}-{key[:8]}.shader_test")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_shader_test(path, program)
        self.counts[origin] = self.counts.get(origin, 0) + 1
        return True


def add_piglit(corpus, folder):
    """Its .shader_test files of GLSL ES 1.00, 1.10 and 1.20, and shaders that its parser tests expect to compile."""
    for path in sorted(folder.rglob("*.shader_test")):
        program = read_shader_test(path, str(path.relative_to(folder).with_suffix("")))
        if program:
            corpus.add("piglit", program)
    for path in sorted([*folder.rglob("*.vert"), *folder.rglob("*.frag")]):
        text = path.read_text(encoding="utf-8", errors="replace")
        wanted = re.search(r"expect_result:\s*pass", text) and re.search(r"glsl_version:\s*(1\.[0-2]0)", text)
        number = version(text)[0]
        if not wanted or (number or 110) > 120:
            continue
        if number is None:
            text = f"#version {wanted[1].replace('.', '')}\n{text}"
        corpus.add("piglit-parser", one_stage(str(path.relative_to(folder)), path.suffix, text))


def one_stage(name, suffix, text):
    return with_partner(Program(name, is_es([text]), [text] if suffix == ".vert" else [], [text] if suffix == ".frag"
                                else []))


def run_logged(command, log):
    """Run a program for some frames; its shaders are in the log."""
    environment = dict(os.environ, CLIPFREE_SHADERS=f"file={log}", CLIPFREE_FRAMES=str(FRAMES))
    try:
        subprocess.run([ROOT / "clipfree", "run", *command], env=environment, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        pass    # what it compiled by then is there


def add_program(corpus, origin, command):
    with tempfile.TemporaryDirectory(prefix="clipfree-shader-") as folder:
        log = Path(folder) / "log"
        log.touch()
        run_logged(command, log)
        programs, _ = programs_of_records(read_log_records(log))
    new = 0
    for program in programs.values():
        program.name = f"{'-'.join(Path(word).name for word in command)}-{program.name}"
        new += corpus.add(origin, program)
    return new


def glmark2_scenes():
    """The scenes that `glmark2-es2 --list-scenes` knows, each with its first options."""
    done = subprocess.run([ROOT / "clipfree", "run", "glmark2-es2", "--list-scenes"], capture_output=True, text=True,
                          check=False)
    return re.findall(r"^\[Scene\] (\w+)", done.stdout, re.M)


def hacks():
    """XScreenSaver's programs that draw with OpenGL. Most have fixed functions alone."""
    if not HACKS.is_dir():
        raise Unusable("no hacks of XScreenSaver: Debian's package 'xscreensaver-gl' has them.")
    return [path for path in sorted(HACKS.iterdir()) if path.is_file() and b"glXMakeCurrent" in path.read_bytes()]


def commands_of(chosen):
    """[words] of the programs that are to be run."""
    commands = [command.split() for command in chosen.program]
    if chosen.glmark2:
        commands += [["glmark2-es2", "-s", "64x64", "-b", scene] for scene in glmark2_scenes()]
    if chosen.hacks:
        commands += [[str(path)] for path in hacks()]
    return commands


def add_captures(corpus, paths, build):
    for path in paths:
        if not is_capture(path):
            raise Unusable(f"{path} is not a capture; CLIPFREE_CAPTURE makes one (docs/replay.md).")
        programs, _ = programs_of_records(capture_records(tool_of(build, "clipfree-shader-capture"), path))
        for program in programs.values():
            program.name = f"{Path(path).stem}-{program.name}"
            corpus.add("captures", program)


def part(words):
    parser = argparse.ArgumentParser(prog="clipfree shader corpus",
                                     description="Collect shaders in a folder, each once.")
    parser.add_argument("-o", "--output", type=Path, default=CORPUS, metavar="FOLDER",
                        help=".clipfree/corpus without it")
    parser.add_argument("--build", type=Path, default=default_build())
    parser.add_argument("--piglit", type=Path, default=PIGLIT, metavar="FOLDER",
                        help="Piglit's; Debian's package without it")
    parser.add_argument("--folder", type=Path, action="append", default=[],
                        help="more .shader_test, .vert, .frag; may be repeated")
    parser.add_argument("--capture", action="append", default=[], metavar="FILE",
                        help="GLSL of a capture; may be repeated")
    parser.add_argument("--program", action="append", default=[], metavar="'PROGRAM ARGS...'",
                        help="GLSL that it compiles in its first "
                        "frames on clipfree, games' for example; may be repeated")
    parser.add_argument("--glmark2", action="store_true", help="each scene of glmark2-es2")
    parser.add_argument("--hacks", action="store_true", help="each OpenGL hack of XScreenSaver")
    chosen = parser.parse_args(words)
    commands = commands_of(chosen)
    corpus = Corpus(chosen.output)
    if chosen.piglit.is_dir():
        add_piglit(corpus, chosen.piglit)
    else:
        print(f"no Piglit in {chosen.piglit}: Debian's package 'piglit' has it")
    for folder in chosen.folder:
        for program in read_folder(folder):
            corpus.add(folder.name, program)
    for command in commands:
        if not add_program(corpus, Path(command[0]).name, command):
            print(f"{' '.join(command)}: no new shaders of GLSL")
    add_captures(corpus, chosen.capture, chosen.build)
    for origin, count in corpus.counts.items():
        print(f"{count:>6} {origin}")
    total = sum(corpus.counts.values())
    print(f"{total:>6} programs in {chosen.output}")
    if not total:
        raise Unusable("no shader was found.")
    return 0
