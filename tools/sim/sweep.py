# SPDX-License-Identifier: MIT
"""clipfree sim sweep MACHINE --over PARAMETER=VALUE,... CAPTURE...: many machines on many captures. docs/sweep.md."""
import argparse
import fcntl
import os
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

import machines
import sweep_plan
import sweep_run
import sweep_table
from machines import Wrong

USAGE = "clipfree sim sweep MACHINE [--over PARAMETER=VALUE,...]... [OPTION...] CAPTURE|RECORDING..."


def at_least_one(text):
   number = int(text) if text.isascii() and text.isdigit() else 0
   if number < 1:
      raise argparse.ArgumentTypeError(f"{text}: it may be a number from 1")
   return number


def cycle(text):
   if not (text.isascii() and text.isdigit()) or int(text) >= 1 << 63:
      raise argparse.ArgumentTypeError(f"{text}: it may be a number of cycles, from 0")
   return int(text)


def arguments():
   parser = argparse.ArgumentParser(prog="clipfree sim sweep", usage=USAGE, epilog="docs/sweep.md",
                                    description="What many machines do with captures: one SQLite file. The same "
                                    "command again goes on where it was interrupted.")
   parser.add_argument("machine", metavar="MACHINE", help="a name or a file")
   parser.add_argument("captures", metavar="CAPTURE", nargs="+")
   parser.add_argument("--over", action="append", default=[], metavar="PARAMETER=VALUE,...",
                       help="values of a parameter; of several parameters each combination is a machine")
   parser.add_argument("-o", "--folder", default="sweep", metavar="FOLDER",
                       help="where all of it goes, and sweep.sqlite; 'sweep' without it")
   parser.add_argument("--mode", choices=["hits", "cycles"], default="hits")
   parser.add_argument("--sample", type=at_least_one, metavar="N",
                       help="simulate N frames of each capture, and estimate the others, with intervals")
   parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the choice of these frames; 1 without it")
   parser.add_argument("--jobs", type=at_least_one, metavar="N",
                       help="how many jobs run at once; without it as many as there are processors")
   parser.add_argument("--slurm", action="store_true", help="run jobs as arrays of Slurm; else by GNU parallel here")
   parser.add_argument("--slurm-option", action="append", default=[], metavar="OPTION",
                       help="an option of sbatch, such as --slurm-option=--partition=long")
   return parser


@contextmanager
def locked(folder):
   """One sweep at a time in a folder."""
   folder.mkdir(parents=True, exist_ok=True)
   with open(folder / "lock", "w", encoding="utf-8") as lock:
      try:
         fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
      except BlockingIOError as error:
         raise Wrong(f"another clipfree sim sweep is at work in {folder}; wait for its end, or name another folder "
                     "with -o") from error
      yield


def planned(given):
   known = [machines.parse_override(text, "--over") for text in given.over]
   for i, (key, _) in enumerate(known):
      if key in [other for other, _ in known[:i]]:
         raise Wrong(f"--over {key} is given twice; give all its values at once, with commas between")
   chosen = machines.load(given.machine, known, "--over")
   swept = machines.swept_parameters(given.machine, known)
   how = given.sample and {"frames": given.sample, "seed": given.seed}
   return sweep_plan.make(given.folder, chosen, swept, given.captures, given.mode, how)


def ended(plan, failed, table):
   """Say what came of it. Returns the exit status."""
   jobs, first = plan.jobs(), len(plan.values["captures"])
   runs = len(plan.machines) * first
   lost = sum(len(jobs[job][1]) for job in failed)
   for job, why in failed.items():
      print(f"clipfree sim: no row of {plan.name_of(job)}: {why}", file=sys.stderr)
   if failed:
      print(f"clipfree sim: {lost} of {runs} runs are missing in {table}; the same command tries them again",
            file=sys.stderr)
   print(f"{table}: {runs - lost} runs")
   return 1 if failed else 0


def sweep(given):
   runner = sweep_run.Slurm(given.slurm_option, given.jobs) if given.slurm \
      else sweep_run.Parallel(given.jobs or os.cpu_count())
   plan = planned(given)
   if plan.folder.exists() and not plan.folder.is_dir():
      raise Wrong(f"{plan.folder} is a file; name a folder with -o")
   with locked(plan.folder):
      sweep_plan.settle(plan)
      runner.wait(plan)
      failed = sweep_run.run_all(plan, runner)
      table = plan.folder / "sweep.sqlite"
      sweep_table.collect(plan, failed, table)
   return ended(plan, failed, table)


def main(words):
   if words[:1] == ["--job"] and len(words) == 3 and words[2].isdigit():   # as jobs are started
      return sweep_run.job_main(Path(words[1]), int(words[2]))
   given = arguments().parse_intermixed_args(words)
   signal.signal(signal.SIGTERM, signal.default_int_handler)   # it ends as by Ctrl-C, and its jobs with it
   try:
      return sweep(given)
   except KeyboardInterrupt:
      print(f"clipfree sim: interrupted; what is done is in {given.folder}, and the same command goes on",
            file=sys.stderr)
      return 130
