# SPDX-License-Identifier: MIT
"""Jobs of a sweep: what one does, and how all of them are run: by GNU parallel here, or as Slurm's job arrays on a
cluster. A job is done when its row lies in the folder, and a row is there whole or not at all; so whatever ends a job,
or all of them, the jobs without rows are those that are to be run."""
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import sample
import sim_tool
import sweep_plan
from machines import Wrong

TRIES = 3             # runs of a job that leaves no row
POLL_S = 2            # between questions to Slurm's controller
FRONT = Path(__file__).resolve().parent / "sim"


# ---------------------------------------------------------------- a job

def run_job(folder, job):
   """Run a job, if it is not done. Raises Wrong; the caller logs it."""
   plan = sweep_plan.read(folder)
   if not 0 <= job < len(plan.jobs()):
      raise Wrong(f"{folder} has no job {job}")
   if plan.is_done(job):
      return
   if sweep_plan.digest(sim_tool.SIM) != plan.values["tool"]:
      raise Wrong(f"{sim_tool.SIM}: it was built anew since the sweep began; delete {folder}, and sweep again")
   number, chosen = plan.jobs()[job]
   recording = plan.recording(number)
   if not chosen:
      one = plan.values["captures"][number]
      if sweep_plan.capture(one["path"])["sha256"] != one["sha256"]:
         raise Wrong(f"{one['path']}: it changed since the sweep began; delete {folder}, and sweep again")
      sim_tool.output_of(["--record", recording, one["path"]])
      return
   how = plan.values["sample"]
   if how:
      output = sample.sampled(recording, chosen, plan.values["mode"], how["frames"], how["seed"])
   else:
      output = sim_tool.output_of(["--mode", plan.values["mode"], recording], chosen)
   sweep_plan.write_whole(plan.row(job), output.encode())


def job_main(folder, job):
   """A job's program: what it says goes to its log."""
   with open(Path(folder) / "log" / f"{job}.txt", "a", encoding="utf-8") as log:
      os.dup2(log.fileno(), 1)
      os.dup2(log.fileno(), 2)
   try:
      run_job(folder, job)
   except Wrong as wrong:
      sys.exit(str(wrong))


def job_command(folder):
   """The command line, before the job's number."""
   return ["env", f"CLIPFREE_BUILD={sim_tool.BUILD.resolve()}", sys.executable, str(FRONT), "sweep", "--job",
           str(Path(folder).resolve())]


# ---------------------------------------------------------------- GNU parallel

class Parallel:
   """Jobs on this machine."""

   def __init__(self, at_once):
      self.at_once = at_once

   def run(self, plan, jobs):
      command = ["parallel", "--plain", "--will-cite", "--halt", "never", "-q", "--jobs", str(self.at_once)]
      command += ["--bar"] if sys.stderr.isatty() else []
      try:
         process = subprocess.Popen([*command, *job_command(plan.folder)], stdin=subprocess.PIPE,
                                    stdout=subprocess.DEVNULL, text=True)
      except FileNotFoundError as error:
         raise Wrong("GNU parallel is missing; apt-get install parallel") from error
      try:
         process.communicate("".join(f"{job}\n" for job in jobs))
      except BaseException:
         process.terminate()   # and its jobs
         process.wait()
         raise

   def wait(self, plan):
      """Nothing of it outlives a sweep."""


# ---------------------------------------------------------------- Slurm

def slurm(*command, text=None):
   """What a command of Slurm prints. Raises Wrong with what it complains of."""
   try:
      done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
   except FileNotFoundError as error:
      raise Wrong(f"{command[0]} is missing; apt-get install slurm-client, on a machine of a cluster") from error
   if done.returncode:
      raise Wrong(done.stderr.strip() or f"{command[0]}: {sim_tool.ending(done.returncode)}")
   return done.stdout


def ranges(numbers):
   """1, 2, 3, 7 as Slurm writes it: "1-3,7"."""
   found = []
   for number in numbers:
      if found and found[-1][1] == number - 1:
         found[-1][1] = number
      else:
         found.append([number, number])
   return ",".join(f"{a}" if a == b else f"{a}-{b}" for a, b in found)


class Slurm:
   """Jobs on a cluster, all of whose nodes see the folder. An array's number lies in the folder while it is not over: a
   sweep that was interrupted waits for it before it submits another one."""

   def __init__(self, options, at_once):
      self.options, self.at_once = options, at_once

   def run(self, plan, jobs):
      note = plan.folder / "array"
      script = f'#!/bin/sh\nexec {shlex.join(job_command(plan.folder))} "$SLURM_ARRAY_TASK_ID"\n'
      log = str(plan.folder.resolve() / "log").replace("%", "%%")
      limit = f"%{self.at_once}" if self.at_once else ""
      number = slurm("sbatch", "--parsable", "--requeue", "--job-name=clipfree-sweep", "--open-mode=append",
                     f"--output={log}/%a.txt", f"--array={ranges(jobs)}{limit}", *self.options, text=script)
      number = number.strip().split(";")[0]
      sweep_plan.write_whole(note, number.encode())
      print(f"clipfree sim: array {number} of {len(jobs)} jobs; 'scancel {number}' ends it", file=sys.stderr)
      self.wait(plan)

   def wait(self, plan):
      """Until the array that the folder names is over."""
      note = plan.folder / "array"
      if not note.exists():
         return
      number = note.read_text(encoding="utf-8").strip()
      while is_queued(number):
         time.sleep(POLL_S)
      note.unlink()


def is_queued(number):
   """Whether Slurm has jobs of an array that are not over. A controller that does not answer is waited for."""
   try:
      return bool(slurm("squeue", "--noheader", "--jobs", number, "--format=%T").strip())
   except Wrong as wrong:
      if "Invalid job id" in str(wrong):
         return False
      print(f"clipfree sim: waiting for Slurm: {wrong}", file=sys.stderr)
      return True


# ---------------------------------------------------------------- all

def why_not(plan, job):
   """Why a job has no row: the end of its log."""
   try:
      lines = [line for line in plan.log(job).read_text(encoding="utf-8", errors="replace").splitlines()
               if line.strip()]
   except FileNotFoundError:
      lines = []
   return re.sub(r"^clipfree sim: ", "", lines[-1]) if lines else "it was ended before it could say why"


def missing(plan, jobs):
   return [job for job in jobs if not plan.is_done(job)]


def run_stage(plan, runner, jobs):
   """Run those of the jobs that are not done. Returns {job: why} of those that are still not."""
   for attempt in range(TRIES):
      left = missing(plan, jobs)
      if not left:
         return {}
      if attempt:
         print(f"clipfree sim: {len(left)} jobs ended without a row; they are run again", file=sys.stderr)
      for job in left:
         plan.log(job).unlink(missing_ok=True)
      runner.run(plan, left)
   return {job: why_not(plan, job) for job in missing(plan, jobs)}


def run_all(plan, runner):
   """Run what is not done: recordings, then machines on those that are there. Returns {job: why} of what has no row."""
   jobs = plan.jobs()
   first = len(plan.values["captures"])
   failed = run_stage(plan, runner, range(first))
   ready = [job for job in range(first, len(jobs)) if jobs[job][0] not in failed]
   failed_runs = run_stage(plan, runner, ready)
   lost = {job: failed[jobs[job][0]] for job in range(first, len(jobs)) if jobs[job][0] in failed}
   return failed_runs | lost
