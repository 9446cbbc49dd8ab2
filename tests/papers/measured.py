# SPDX-License-Identifier: MIT
"""What the measurements of this folder share: captures of glmark2's scenes, simulations of them, and whether a figure
is as expected.

Scenes are captured under a clock that is the same each time, so that numbers are, too. So these programs need the
driver and a display: ./clipfree run tests/papers/NAME.py FOLDER.
"""
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.suite import BUILD, PREBUILT, ROOT, driver_env, need_display, run

SIM = ROOT / 'tools/sim/sim'
SIMULATOR = BUILD / 'tools/sim/clipfree-sim'   # what SIM runs
SIZE, FRAME = '800x600', 20
SCENES = {'effect2d': f'effect2d:kernel={"1,1,1,1,1;" * 5}', 'texture-cube': 'texture:model=cube',
          'texture-cat': 'texture:model=cat', 'jellyfish': 'jellyfish', 'shadow': 'shadow', 'refract': 'refract',
          'terrain': 'terrain', 'build': 'build', 'bump-high': 'bump:bump-render=high-poly',
          'bump-height': 'bump:bump-render=height', 'phong': 'shading:shading=phong', 'ideas': 'ideas:speed=duration'}
CLOCK = {'LD_PRELOAD': str(PREBUILT / 'steady_clock.so'), 'STEADY_CLOCK_STEP_US': '16000'}
SIM_TIMEOUT_S = 1800
PAGE = ROOT / 'docs/papers.md'


def made(folder, name, command, frames=1, timeout_s=SIM_TIMEOUT_S, **more):
   """The capture NAME.cap of a program, made where it is missing: `frames` from FRAME on. None: they never came."""
   folder.mkdir(parents=True, exist_ok=True)
   path = folder / f'{name}.cap'
   if not path.exists():
      need_display()
      run(command, driver_env(CLIPFREE_CAPTURE=f'file={path},frame={FRAME},count={frames}', vblank_mode='0', **CLOCK,
                              **more), timeout_s=timeout_s)
   return path if path.exists() else None


def captured(folder, name, scene=None, size=SIZE, frames=1, samples=None):
   """The same of a scene of glmark2. With `samples` it is drawn in a window, since glmark2 has none off the screen."""
   where = ['--off-screen'] if samples is None else ['--visual-config', f'samples={samples if samples > 1 else 0}']
   scene = f'{(scene or SCENES[name]).rstrip(":")}:duration=100000:nframes={FRAME + frames + 2}'
   return made(folder, name, ['glmark2-es2', *where, '-s', size, '-b', scene], frames)


def wanted(folder, name, **more):
   """The same, for a measurement that cannot do without it."""
   path = captured(folder, name, **more)
   if not path:
      sys.exit(f'{name}: its frame never came')
   return path


def recorded(capture):
   """The recording of a capture, made where it is missing."""
   recording = capture.with_suffix('.rec')
   if not recording.exists():
      answer([SIMULATOR, '--record', recording, capture])
   return recording


def answer(command, parse=False):
   """What a program prints that must go well."""
   outcome = run(command, driver_env(), timeout_s=SIM_TIMEOUT_S)
   if not outcome.ok:
      sys.exit(f'{" ".join(map(str, command))}: {outcome.why()}')
   return json.loads(outcome.output[outcome.output.index('{'):]) if parse else outcome.output


def timed(command, rounds=1):
   """(what the command printed, its seconds of processor time, on the clock: the least of `rounds` each)"""
   least, elapsed, output = float('inf'), float('inf'), ''
   for _ in range(rounds):
      began = time.monotonic()
      process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
      output = process.stdout.read()
      _, status, usage = os.wait4(process.pid, 0)
      if status:
         sys.exit(f'{" ".join(map(str, command))}: exit status {os.waitstatus_to_exitcode(status)}')
      elapsed = min(elapsed, time.monotonic() - began)
      least = min(least, usage.ru_utime + usage.ru_stime)
   return output, least, elapsed


def simulated(path, machine, *values, mode='cycles'):
   """The machines of `clipfree sim`, with `values` of parameters."""
   settings = [word for value in values for word in ('--set', value)]
   return answer([SIM, '--json', '--mode', mode, '--machine', machine, *settings, path], parse=True)['machines']


def swept(folder, name, machine, words, captures):
   """The SQLite file of a sweep, which is run anew."""
   shutil.rmtree(folder / name, ignore_errors=True)
   answer([SIM, 'sweep', machine, *words, '-o', folder / name, *captures])
   return folder / name / 'sweep.sqlite'


class Expected:
   """Whether figures are as they are expected; each that is not is told at once."""

   def __init__(self):
      self.checked = self.wrong = 0

   def that(self, what, is_so, seen=''):
      self.checked += 1
      if not is_so:
         self.wrong += 1
         print(f'NOT AS EXPECTED: {what}' + (f': {seen}' if seen != '' else ''), file=sys.stderr, flush=True)

   def within(self, what, value, least, most):
      self.that(f'{what} from {least:g} to {most:g}', least <= value <= most, f'{value:g}')

   def row(self, row):
      """Prints a row of a table, which docs/papers.md has like that."""
      print(row, flush=True)
      self.that(f'{PAGE.name} has this row', row in PAGE.read_text(encoding='utf-8').splitlines(), row)

   def status(self):
      """The exit status; prints the counts."""
      print(f'{self.checked} figures, {self.wrong} not as expected', flush=True)
      return 1 if self.wrong or not self.checked else 0


def folder_of(doc):
   """The program's one argument, a folder."""
   if len(sys.argv) != 2 or sys.argv[1].startswith('-'):
      sys.exit(doc.split('\n\n')[1])
   return Path(sys.argv[1]).absolute()
