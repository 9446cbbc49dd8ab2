# SPDX-License-Identifier: MIT
"""Sweeps of suite `tools`, on GNU parallel and on a real Slurm of one node: jobs are killed, and whoever started them.
The table must be that of a sweep that nobody disturbed."""
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path

from harness import slurm
from harness.suite import BUILD, PREBUILT, driver_env, kill_group, run

FRONT = Path(__file__).resolve().parents[2] / 'tools/sim/sim'
OVER = ('--over', 'z.ways=1,2,4,8', '--over', 'texture.ways=1,2,4,8', '--over', 'z.size_B=4096,16384')
RUNS = 32             # of OVER
KILLED = (0, 1, 1)    # jobs that are killed: the recording, then one that has this number or a higher one, twice
JOB_S = 0.5           # that each job takes, at least: so that there is one to kill
TIMEOUT_S = 180


def names():
   return ['sweep parallel', 'sweep slurm']


def slow_build(folder):
   """A build whose clipfree-sim takes a while."""
   path = folder / 'build/tools/sim/clipfree-sim'
   path.parent.mkdir(parents=True)
   path.write_text(f'#!/bin/sh\nsleep {JOB_S}\nexec {BUILD}/tools/sim/clipfree-sim "$@"\n')
   path.chmod(0o755)
   return folder / 'build'


def capture_of(folder):
   path = folder / 'scene.cap'
   run([PREBUILT / 'capture_scene'], driver_env(CLIPFREE_CAPTURE=f'file={path},count=100'))
   return path


def table_of(folder):
   """All counters of all runs, and what is missing; None: there is no table."""
   if not (folder / 'sweep.sqlite').exists():
      return None
   with closing(sqlite3.connect(folder / 'sweep.sqlite')) as base:
      return (base.execute('SELECT machine, name, value FROM runs JOIN counters USING (run) ORDER BY 1, 2').fetchall(),
              base.execute('SELECT machine, why FROM missing').fetchall())


def jobs_of(folder, first=0):
   """Processes of a sweep's jobs from number `first` on; they name its folder."""
   found = []
   for path in Path('/proc').glob('[0-9]*/cmdline'):
      try:
         words = path.read_bytes().split(b'\0')
      except OSError:
         continue
      if words[-4:-2] == [b'--job', str(folder).encode()] and b'python' in words[0] and int(words[-2]) >= first:
         found.append(int(path.parent.name))
   return found


def rows(folder):
   return sorted((folder / 'rows').glob('*.json'))


def wait_for(holds, process):
   """Until something holds, while a process runs. Whether it does."""
   end = time.monotonic() + TIMEOUT_S
   while time.monotonic() < end and process.poll() is None:
      if found := holds():
         return found
      time.sleep(0.05)
   return None


class Disturbed:
   """A sweep that is disturbed, then perhaps started again."""

   def __init__(self, folder, name, capture, env, options):
      self.folder, self.env, self.killed = folder / name, env, 0
      self.command = [FRONT, 'sweep', 'paper-d', *OVER, *options, '-o', self.folder, capture]

   def start(self):
      self.log = open(f'{self.folder}.log', 'w+b')
      return subprocess.Popen(self.command, env=self.env, stdin=subprocess.DEVNULL, stdout=self.log,
                              stderr=self.log, start_new_session=True)

   def said(self):
      self.log.seek(0)
      return self.log.read().decode(errors='replace')

   def kill_jobs(self, numbers):
      """Kill running jobs, one after the other, each of a number or a higher one; then wait for the end. Its exit
      status."""
      process = self.start()
      try:
         for first in numbers:
            if found := wait_for(lambda first=first: jobs_of(self.folder, first), process):
               os.kill(found[-1], signal.SIGKILL)
               self.killed += 1
               wait_for(lambda killed=found[-1]: killed not in jobs_of(self.folder), process)
         return process.wait(timeout=TIMEOUT_S)
      finally:
         kill_group(process)
         process.wait()

   def kill_starter(self):
      """Kill who started the jobs, once there is a row; then start again. Its exit status, and the rows of before."""
      process = self.start()
      wait_for(lambda: rows(self.folder), process)
      ended = process.poll()
      kill_group(process)
      process.wait()
      before = {path: path.stat().st_mtime_ns for path in rows(self.folder)}
      outcome = run(self.command, self.env, timeout_s=TIMEOUT_S)
      after = {path: path.stat().st_mtime_ns for path in rows(self.folder)}
      kept = ended is None and before and all(after.get(path) == when for path, when in before.items())
      return outcome, kept, len(before), len(after)


def check_killed(suite, case, sweep, expected):
   try:
      status = sweep.kill_jobs(KILLED)
   except subprocess.TimeoutExpired:
      status = None
   said = sweep.said()
   suite.check(f'{case} jobs killed', status == 0 and sweep.killed == len(KILLED)
               and said.count('they are run again') >= 2 and table_of(sweep.folder) == expected,
               f'exit status {status}, {sweep.killed} killed; {" | ".join(said.splitlines()[-3:])}')


def check_starter(suite, case, sweep, expected):
   outcome, kept, before, after = sweep.kill_starter()
   suite.check(f'{case} starter killed', outcome.ok and kept and before < after and table_of(sweep.folder) == expected,
               f'{before} of {after} jobs were done, {"kept" if kept else "not kept"}; {outcome.why()}')


def check_slurm(suite, case, capture, env, expected, folder):
   """Beside what Slurm and parallel share: an array that someone cancels is submitted again."""
   sweep = Disturbed(folder, 'cancelled', capture, env, ['--slurm', '--jobs', '2'])
   process = sweep.start()
   wait_for(lambda: rows(sweep.folder), process)
   arrays = re.findall(r'array (\d+) of', sweep.said())   # the first one made the recording
   cancelled = run(['scancel', *arrays[-1:]], env)
   try:
      status = process.wait(timeout=TIMEOUT_S)
   except subprocess.TimeoutExpired:
      status = None
   kill_group(process)
   said = sweep.said()
   suite.check(f'{case} cancelled', cancelled.ok and status == 0 and 'they are run again' in said
               and table_of(sweep.folder) == expected, f'exit status {status}; {" | ".join(said.splitlines()[-3:])}')


def check(suite, folder, name):
   kind = name.split()[1]
   lacking = slurm.lacking() if kind == 'slurm' else [p for p in ('parallel',) if not shutil.which(p)]
   if not shutil.which('parallel') or lacking:
      suite.skip(name, f'not installed: {", ".join(lacking or ["parallel"])} (packages parallel, slurm-wlm, munge)')
      return
   with ExitStack() as stack:
      env = os.environ
      if kind == 'slurm':
         # sockets have short names
         env = stack.enter_context(slurm.one_node(Path(stack.enter_context(tempfile.TemporaryDirectory()))))
      capture = capture_of(folder)
      plain = run([FRONT, 'sweep', 'paper-d', *OVER, '-o', folder / 'plain', capture], env, timeout_s=TIMEOUT_S)
      expected = table_of(folder / 'plain')
      count = len({machine for machine, _, _ in expected[0]}) if expected else 0
      suite.check(f'{name} undisturbed', plain.ok and count == RUNS and not expected[1], f'{count} runs; {plain.why()}')
      slow = dict(env, CLIPFREE_BUILD=str(slow_build(folder)))
      options = ['--slurm', '--jobs', '2'] if kind == 'slurm' else ['--jobs', '2']
      check_killed(suite, name, Disturbed(folder, 'killed', capture, slow, options), expected)
      check_starter(suite, name, Disturbed(folder, 'interrupted', capture, slow, options), expected)
      if kind == 'slurm':
         check_slurm(suite, name, capture, slow, expected, folder)
