# SPDX-License-Identifier: MIT
"""clipfree shader corpus: collects shaders of Piglit, glmark2, programs and captures in a folder of .shader_test
files."""
import argparse
import hashlib
import os
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from shader_diff import CORPUS
from shader_driver import ROOT, compile_programs, default_build, read_log_records, tool_of
from shader_programs import (Program, Unusable, capture_records, is_capture, is_es, programs_of_records, read_folder,
                             read_shader_test, version, with_partner, write_shader_test)

# Where Debian's packages have them.
PIGLIT = next(iter(sorted(Path("/usr/lib").glob("*/piglit"))), Path("/usr/lib/piglit"))
HACKS = Path("/usr/libexec/xscreensaver")
GAMES = ("/usr/games/armagetronad", "/usr/games/chromium-bsu --window", "/usr/games/foobillardplus",
         "/usr/games/gl-117", "/usr/games/gltron -w -s", "/usr/games/minetest", "/usr/games/mrrescue", "/usr/games/neverball",
         "/usr/games/neverputt", "/usr/games/supertux2 --window --geometry 320x240 --disable-sound --disable-music",
         "/usr/games/supertuxkart --windowed --screensize=320x240")
MARK = ".clipfree-corpus"    # what stands in a folder that was made here, and may be made anew
FRAMES = 3    # of a program: its shaders are there by then
GAME_FRAMES = 60    # games load while they show what they are called
LIMIT_S = 60


class Corpus:
    """A folder, in which each program is once. What an earlier corpus has left there goes."""

    def __init__(self, folder):
        self.folder, self.seen, self.found = folder, set(), {}    # found: {path: (source, program)}
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
        self.found[path] = origin, program
        return True

    def drop_rejected(self, build):
        """Removes what GL does not take from this driver, for its extensions or faults, and returns how many. What only the
        driver's compiler gives up stays: a better one may not."""
        before = len(self.found)
        for path, made in zip(list(self.found), compile_programs(build, [program for _, program in self.found.values()])):
            if made.rejected:
                path.unlink()
                del self.found[path]
        return before - len(self.found)

    def counts(self):
        """{source: programs}"""
        return Counter(origin for origin, _ in self.found.values())


def add_piglit(corpus, folder):
    """Its .shader_test files of the GLSL that the driver has, and shaders that its parser tests expect to compile."""
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


def run_logged(command, log, frames):
    """Run a program for some frames; its shaders are in the log."""
    environment = dict(os.environ, CLIPFREE_SHADERS=f"file={log}", CLIPFREE_FRAMES=str(frames))
    try:
        subprocess.run([ROOT / "clipfree", "run", *command], env=environment, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        pass    # what it compiled by then is there


def add_program(corpus, origin, command):
    """How many new programs its first frames have; None: it has no GLSL."""
    with tempfile.TemporaryDirectory(prefix="clipfree-shader-") as folder:
        log = Path(folder) / "log"
        log.touch()
        run_logged(command, log, GAME_FRAMES if origin == "games" else FRAMES)
        programs, _ = programs_of_records(read_log_records(log))
    new = 0
    for program in programs.values():
        words = [Path(word).name for word in command if not word.startswith("-")]
        program.name = f"{'-'.join(words)}-{program.name}"
        new += corpus.add(origin, program)
    return new if programs else None


def add_programs(corpus, commands):
    """Says of each source how many programs were run, and how many of them have GLSL."""
    ran, with_glsl = {}, {}
    for origin, command in commands:
        ran[origin] = ran.get(origin, 0) + 1
        with_glsl[origin] = with_glsl.get(origin, 0) + (add_program(corpus, origin, command) is not None)
    for origin, count in ran.items():
        print(f"{origin}: {count} run, {with_glsl[origin]} of them have GLSL")


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


def games():
    """Commands of Debian's games of the list above that are installed."""
    found = [command.split() for command in GAMES if Path(command.split()[0]).exists()]
    if not found:
        raise Unusable("no games: Debian's packages have them, 'mrrescue' and 'supertux' for example.")
    return found


def commands_of(chosen):
    """[(source, words)] of the programs that are to be run. With --all a source that is not installed is left out."""
    commands = [(Path(command.split()[0]).name, command.split()) for command in chosen.program]
    for wanted, origin, found in ((chosen.glmark2, "glmark2-es2", lambda: [["glmark2-es2", "-s", "64x64", "-b", scene]
                                                                       for scene in glmark2_scenes()]),
                                  (chosen.hacks, "hacks", lambda: [[str(path)] for path in hacks()]),
                                  (chosen.games, "games", games)):
        try:
            commands += [(origin, words) for words in found()] if wanted or chosen.all else []
        except Unusable as missing:
            if wanted:
                raise
            print(missing)
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
                        "frames on clipfree; may be repeated")
    parser.add_argument("--glmark2", action="store_true", help="each scene of glmark2-es2")
    parser.add_argument("--hacks", action="store_true", help="each OpenGL hack of XScreenSaver")
    parser.add_argument("--games", action="store_true", help="Debian's games that are installed, of a list")
    parser.add_argument("--all", action="store_true",
                        help="--glmark2, --hacks and --games, as far as they are installed")
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
    add_programs(corpus, commands)
    add_captures(corpus, chosen.capture, chosen.build)
    rejected = corpus.drop_rejected(chosen.build)
    for origin, count in corpus.counts().items():
        print(f"{count:>6} {origin}")
    total = len(corpus.found)
    print(f"{total:>6} programs in {chosen.output}; {rejected} more are no GLSL that this driver takes")
    if not total:
        raise Unusable("no shader was found.")
    return 0
