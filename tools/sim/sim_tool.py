# SPDX-License-Identifier: MIT
"""clipfree-sim, which counts: where it is, and its answers."""
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from machines import Wrong

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("CLIPFREE_BUILD", ROOT / "build"))
SIM = BUILD / "tools/sim/clipfree-sim"
RECORDING_MAGIC = b"clipfree recording\0"


def is_recording(path):
   """Whether the file begins like a recording (cf_sim_file.c); else it should be a capture."""
   with open(path, "rb") as file:
      return file.read(len(RECORDING_MAGIC)) == RECORDING_MAGIC


def ending(status):
   """How a program ended that did not say why."""
   return f"it was ended by {signal.Signals(-status).name}" if status < 0 else f"it ended with status {status}"


def output_of(arguments, machines=()):
   """What clipfree-sim prints with these arguments, and these machines. Raises Wrong with its message, in which
   machine files' places are named."""
   lines = "".join(machine.lines() for machine in machines)
   given = ["--machines", "-"] if machines else []
   try:
      done = subprocess.run([SIM, *given, *map(str, arguments)], input=lines, capture_output=True, text=True,
                            check=False)
   except OSError as error:
      raise Wrong(f"{SIM}: {error.strerror}; ./clipfree setup builds it") from error
   if done.returncode == 0:
      sys.stderr.write(done.stderr)
      return done.stdout
   message = done.stderr.rstrip("\n").removeprefix("clipfree sim: ")
   machine = next((m for m in machines if f"{m.name}: " in message), None)
   raise Wrong(machine.explained(message) if machine else message or f"clipfree-sim: {ending(done.returncode)}")


def answer_of(arguments, machines=()):
   """The same as a document."""
   return json.loads(output_of(arguments, machines))
