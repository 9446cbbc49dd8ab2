# SPDX-License-Identifier: MIT
"""Compiles programs on the driver: many in one process, on all processors."""
import json
import os
import signal
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from shader_programs import STAGES, Unusable

TOO_LONG = "it takes more than 5 seconds to compile"
ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Compiled:
    """What became of a program."""
    program: object
    log: str = ""                                # Mesa's messages, or why it has no code
    ok: bool = False
    # {"vertex": record of CLIPFREE_SHADERS, with `sources` and all variables}
    stage: dict = field(default_factory=dict)
    rejected: bool = False                       # by GL: it is no GLSL that this driver takes


def default_build():
    return Path(os.environ.get("CLIPFREE_BUILD", ROOT / "build"))


def tool_of(build, name):
    tool = Path(build) / "tools/shader" / name
    if not tool.exists():
        raise Unusable(
            f"{build} has no {name}: is it a build folder of clipfree, with the driver? './clipfree setup' makes "
            f"build/.")
    return tool


def environment(build, log, passes, off, mediump=None):
    """That of a program on the build's driver. Nothing is drawn. `mediump`: CLIPFREE_MEDIUMP; None: that of this process."""
    given = os.environ.get("CLIPFREE_COMPILER", "")
    compiler = ",".join([word for word in [given] if word] + [f"no-{name}" for name in off])
    libraries = ":".join(filter(None, [str(Path(build) / "lib"), os.environ.get("LD_LIBRARY_PATH")]))
    return dict(os.environ, LD_LIBRARY_PATH=libraries, LIBGL_ALWAYS_SOFTWARE="1", CLIPFREE_GPU="noop",
                CLIPFREE_SHADERS=f"file={log}{',passes' if passes else ''}",
                **({"CLIPFREE_COMPILER": compiler} if compiler else {}), **({"CLIPFREE_MEDIUMP": mediump} if mediump else {}))


def read_log(path, programs):
    """[Compiled] of the programs that the log has got to the end of, in order."""
    done, records, notes = [], {}, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            try:
                entry = json.loads(line)
            except ValueError:
                continue    # the process ended in the middle of it
            if "linked" in entry:
                done.append(compiled_of(programs[len(done)], entry, records, notes))
                records, notes = {}, {}
            elif "noted" in entry:
                notes[entry["noted"]] = entry
            elif (entry["name"] or "").startswith("GLSL"):
                records.setdefault(entry["stage"], entry)    # the first variant; not Mesa's own shaders
    return done


def read_log_records(path):
    """[record] of a program's log; those that GL linked have `sources`."""
    records, notes = [], {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            if "noted" in entry:
                notes[entry["noted"], entry["name"]] = entry
            elif "stage" in entry and not entry["error"]:
                records.append(entry)
    for record in records:
        note = notes.get((record["stage"], record["name"]))
        record["sources"] = note["sources"] if note else []
    return records


def compiled_of(program, entry, records, notes):
    compiled = Compiled(program, entry["log"].strip(), entry["ok"], rejected=not entry["ok"])
    for stage in STAGES:
        record, note = records.get(stage), notes.get(stage)
        if record is None:
            continue
        if record["error"]:
            compiled.ok, compiled.log = False, f"{stage} shader: clipfree: {record['error']}"
            continue
        record["sources"] = note["sources"] if note else []
        record["variables"] = (note["variables"] if note else []) + record["variables"]
        compiled.stage[stage] = record
    if compiled.ok and not compiled.stage:
        compiled.ok, compiled.log = False, "the driver compiled nothing: is this the build's driver?"
    return compiled


def compile_share(tool, build, programs, passes, off, mediump):
    """Programs of one processor. Where the process ends early, the program it was at is to blame; the others go on."""
    done = []
    while len(done) < len(programs):
        rest = programs[len(done):]
        with tempfile.TemporaryDirectory(prefix="clipfree-shader-") as folder:
            log = Path(folder) / "log"
            log.touch()
            ended = subprocess.run([tool, log], input="".join(program.request() + "\n" for program in rest), text=True,
                                   env=environment(build, log, passes, off, mediump), capture_output=True, check=False)
            some = read_log(log, rest)
        if ended.returncode and not some and not done and "clipfree" in ended.stderr and ended.returncode == 1:
            raise Unusable(ended.stderr.strip())
        done += some
        if len(some) < len(rest):
            said = ended.stderr.strip().splitlines()
            why = f"the compiler ended with status {ended.returncode}: {said[0] if said else 'no message'}"
            done.append(Compiled(rest[len(some)], TOO_LONG if ended.returncode == -signal.SIGPROF else why))
    return done


def compile_programs(build, programs, passes=False, off=(), compiler=None, mediump=None):
    """[Compiled], in the order of the programs. `compiler`: a program in the place of the build's. `mediump`: as in environment()."""
    tool = Path(compiler).resolve() if compiler else tool_of(build, "clipfree-shader-compile")
    workers = min(len(os.sched_getaffinity(0)), max(1, len(programs) // 8))
    shares = [programs[i::workers] for i in range(workers)]
    with ThreadPoolExecutor(workers) as pool:
        parts = list(pool.map(lambda share: compile_share(tool, build, share, passes, off, mediump), shares))
    found = [None] * len(programs)
    for i, part in enumerate(parts):
        found[i::workers] = part
    return found
