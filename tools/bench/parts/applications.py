# SPDX-License-Identifier: MIT
"""The programs of suite `opengl33` but VTK's scripts, which visual.py has: those that write pictures and leave from
start to end, and the frames of windows that go on drawing. Caches of shaders are filled before."""
import os
import shutil
import tempfile
from pathlib import Path

from opengl33.programs import PROGRAMS

from .frames import Frames, counted, counting, ending, failures, figures_of_frames, without
from .measure import NOOP, Ranked, complain, interleaved, picked, run

# Windows that go on drawing. Others draw when somebody does something; Kodi's swaps are not seen by count_frames.
MOVING = ('rviz',)
WARM_UP_MS, COUNTED_MS = 15000, 5000


def chosen(bench):
   """Names of programs that contain one of the requested words. Not the guests of virglrenderer: its server draws for
   them, in processes that nobody waits for."""
   return [name for name, program in PROGRAMS.items() if not name.startswith(('vtk ', 'virglrenderer '))
           and (name in MOVING or not program.screen_px)
           and (not bench.words or any(word in name for word in bench.words))]


class Applications:
   """Runs of programs: Frames, of which one that leaves has one; or why there are none."""

   def __init__(self, bench, folder):
      self.bench, self.folder = bench, Path(folder)

   def measured(self, driver, name):
      program, place = PROGRAMS[name], self.folder / 'run'
      shutil.rmtree(place, ignore_errors=True)
      place.mkdir(mode=0o700)
      command, variables = program.in_folder(place)
      env = self.bench.environment(driver, MESA_SHADER_CACHE_DIR=str(self.folder / driver.name),
                                   CLIPFREE_ENGINE=os.environ.get('CLIPFREE_ENGINE', 'jit')) | variables
      if name in MOVING:
         env |= counting(self.bench, warm_up_ms=WARM_UP_MS, ms=COUNTED_MS)
      done = run(command, env, program.limit_s, cwd=place)
      if name in MOVING:
         return counted(done, driver)
      if done.status != 0 or not list(place.glob('*.png')):
         return ending(done)
      return Frames(1, done.wall_s, done.cpu_s)


def ready(names):
   """Those of the programs that are installed; says which are not."""
   absent = {name: [word for word in program.needs or program.command[:1] if not shutil.which(word)]
             for name in names for program in [PROGRAMS[name]]}
   for name, words in absent.items():
      if words:
         complain(f'applications: {name} is not measured, {" and ".join(words)}: not installed')
   return [name for name in names if not absent[name]]


def figures(results):
   """Of programs that leave, wall and processor time, and what is left of that without the GPU that drops all work; of
   windows, frames per second and processor time a frame."""
   failed = failures(results)
   leaving = {name: of for name, of in results.items() if name not in MOVING}
   moving = {name: of for name, of in results.items() if name in MOVING}
   share = without(leaving, NOOP.name)
   for of in moving.values():
      del of[NOOP.name]
   times = picked(leaving, lambda one: one if isinstance(one, Frames) else None)

   def seconds(title, values, pick, **more):
      return Ranked(f'program, from start to end: {title}', 's', picked(values, pick), more_is_better=False, **more)
   return [seconds('wall time', times, lambda one: one.wall_s, failed=failed),
           seconds('processor time', times, lambda one: one.cpu_s),
           seconds("the GPU's share of that", share, lambda one: one.cpu_s),
           *figures_of_frames('window', moving, Ranked)]


def whole(bench):
   """Two rounds, unless others are asked for. Without softpipe, which takes minutes."""
   drivers = [driver for driver in bench.drivers if driver.name != 'softpipe'] + [NOOP]
   names = ready(chosen(bench))
   with tempfile.TemporaryDirectory(prefix='clipfree-bench-', ignore_cleanup_errors=True) as folder:
      runs = Applications(bench, folder)
      for name in names:
         for driver in drivers:
            runs.measured(driver, name)
      results = interleaved(bench, 'applications', names, runs.measured, drivers, rounds=2)
   return figures(results)
