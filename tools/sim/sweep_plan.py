# SPDX-License-Identifier: MIT
"""The plan of a sweep: what runs, on what, in which jobs. It lies in the sweep's folder, whole or not at all, and is
all that a job reads. docs/sweep.md describes the folder."""
import hashlib
import json
import math
import os
from pathlib import Path

import machines
import sim_tool
from machines import Wrong

VERSION = 1
MOST_JOBS = 1000      # a Slurm array has so many by default
BATCH = 8             # machines of a job, if there are few enough


def write_whole(path, data):
   """Write a file, whole or not at all, also where the computer stops meanwhile."""
   beside = path.with_name(f".{path.name}.{os.uname().nodename}.{os.getpid()}")
   try:
      with open(beside, "wb") as file:
         file.write(data)
         file.flush()
         os.fsync(file.fileno())
      os.replace(beside, path)
   except BaseException:
      beside.unlink(missing_ok=True)
      raise


def digest(path):
   with open(path, "rb") as file:
      return hashlib.file_digest(file, "sha256").hexdigest()


def capture(path):
   """A capture, or a recording, of the command line."""
   try:
      return {"name": Path(path).stem, "path": str(Path(path).resolve()), "sha256": digest(path),
              "recording": sim_tool.is_recording(path)}
   except OSError as error:
      raise Wrong(f"{path}: {error.strerror}") from error


def captures(paths):
   """All of them; their names differ."""
   found = [capture(path) for path in paths]
   for i, one in enumerate(found):
      for other in found[:i]:
         if one["sha256"] == other["sha256"]:
            raise Wrong(f"{paths[i]} and {other['path']} are the same; give it once")
         if one["name"] == other["name"]:
            raise Wrong(f"two captures have the name {one['name']}, by which the table calls them; rename one")
   return found


class Plan:
   """A sweep's plan; `folder` is where it lies."""

   def __init__(self, folder, values):
      self.folder, self.values = Path(folder), values
      self.machines = [machines.Machine(m["name"], m["values"], []) for m in values["machines"]]

   def jobs(self):
      """[(number of the capture, machines)]: first those that make recordings, without machines."""
      batch = self.values["batch"]
      slices = [self.machines[i:i + batch] for i in range(0, len(self.machines), batch)]
      count = len(self.values["captures"])
      return [(c, []) for c in range(count)] + [(c, slice_) for c in range(count) for slice_ in slices]

   def recording(self, number):
      """Where the recording of a capture is, or will be."""
      one = self.values["captures"][number]
      return Path(one["path"]) if one["recording"] else self.folder / "recordings" / f"{one['name']}.rec"

   def row(self, job):
      return self.folder / "rows" / f"{job}.json"

   def log(self, job):
      """What a job, or Slurm, said of its last run."""
      return self.folder / "log" / f"{job}.txt"

   def answer(self, job):
      """The document of a job that is done; None: it is not, or its file is damaged."""
      try:
         document = json.loads(self.row(job).read_text(encoding="utf-8"))
         names = [m["machine"] for m in document["machines"]]
      except (OSError, ValueError, KeyError, TypeError):
         return None
      return document if names == [m.name for m in self.jobs()[job][1]] else None

   def is_done(self, job):
      number, chosen = self.jobs()[job]
      return self.answer(job) is not None if chosen else self.recording(number).exists()

   def name_of(self, job):
      """For people."""
      number, chosen = self.jobs()[job]
      capture_name = self.values["captures"][number]["name"]
      if not chosen:
         return f"the recording of {capture_name}"
      more = f" to {chosen[-1].name}" if len(chosen) > 1 else ""
      return f"{chosen[0].name}{more} on {capture_name}"

   def write(self):
      for part in ("recordings", "rows", "log"):
         (self.folder / part).mkdir(parents=True, exist_ok=True)
      write_whole(self.folder / "sweep.json", (json.dumps(self.values, indent=1) + "\n").encode())


def make(folder, chosen, swept, paths, mode, sample):
   """The plan of the command line. sample: None, or {"frames": ..., "seed": ...}."""
   names = [m.name for m in chosen]
   for i, name in enumerate(names):
      if name in names[:i]:
         raise Wrong(f"{name}: a value is given twice; give each once")
   found = captures(paths)
   batch = max(BATCH, math.ceil(len(chosen) * len(found) / (MOST_JOBS // 2)))
   if 2 * len(found) > MOST_JOBS:
      raise Wrong(f"{len(found)} captures; {MOST_JOBS // 2} at most are swept at once")
   sim_tool.output_of(["--check", "--mode", mode, paths[0]], chosen)
   return Plan(folder, {"version": VERSION, "tool": digest(sim_tool.SIM), "mode": mode, "sample": sample,
                        "batch": batch, "swept": swept,
                        "machines": [{"name": m.name, "values": m.values} for m in chosen], "captures": found})


def read(folder):
   """The plan that lies in a folder. Raises Wrong."""
   path = Path(folder) / "sweep.json"
   try:
      values = json.loads(path.read_text(encoding="utf-8"))
      if values["version"] != VERSION:
         raise Wrong(f"{path}: version {values['version']}, of another clipfree; delete {folder}, and sweep again")
      return Plan(folder, values)
   except OSError as error:
      raise Wrong(f"{path}: {error.strerror}") from error
   except (ValueError, KeyError, TypeError) as error:
      raise Wrong(f"{path}: it is damaged; delete {folder}, and sweep again") from error


def differences(one, other):
   """What of two plans is not the same, apart from where captures are."""
   def essence(values):
      named = dict(values, captures=[(c["name"], c["sha256"]) for c in values["captures"]])
      return {
         "machines": (named["machines"], named["swept"]), "captures": named["captures"], "--mode": named["mode"],
         "--sample": named["sample"], "the build of clipfree-sim": named["tool"]}
   mine, theirs = essence(one.values), essence(other.values)
   return [name for name in mine if mine[name] != theirs[name]]


def settle(plan):
   """Write the plan to its folder, or find it there: then the sweep goes on. Raises Wrong, if the folder is another
   sweep's, or holds other things."""
   folder = plan.folder
   if (folder / "sweep.json").exists():
      there = read(folder)
      if differing := differences(plan, there):
         raise Wrong(f"{folder} holds another sweep, with other {', '.join(differing)}; "
                     "name another folder with -o, or delete this one")
      plan.values["batch"] = there.values["batch"]
   elif folder.exists() and (not folder.is_dir() or any(p.name != "lock" for p in folder.iterdir())):
      raise Wrong(f"{folder} is no sweep's folder, and not empty; name another one with -o")
   plan.write()
