# SPDX-License-Identifier: MIT
"""The OpenGL hacks of XScreenSaver, as they are: in a window, drawing as fast as they can.

Their clock moves by frames, and all drivers draw the same frames: as many as the slowest of them draws in the time that
is asked for. Which these are a first run of each driver finds. It is as long as the one that counts, so that shaders
have been compiled by then.
"""
import os
import sys
import tempfile
from pathlib import Path

from harness import hacks

from .frames import Frames, counted, counting, failures, figures_of_frames
from .measure import Ranked, complain, interleaved, run

WARM_UP_MS = 700   # from the first frame
TIMEOUT_S = 60


def chosen(bench):
   """Names of hacks that contain one of the requested words; without a word all that can run here."""
   skips = hacks.skips()
   names = [name for name in hacks.installed() if (name, 'all') not in skips]
   found = [name for name in names if not bench.words or any(word in name for word in bench.words)]
   if names and not found:
      complain(f'no hack contains {" or ".join(bench.words)}; tests/hacks/run --list prints their names')
   return found


class Hacks:
   """Runs hacks on several drivers. Shader caches are the bench's own; a hack that shows image files gets one."""

   def __init__(self, bench, drivers, folder):
      self.bench, self.drivers, self.folder = bench, drivers, folder
      self.frames = {}   # {hack: settings of the frames that all drivers draw}

   def play(self, driver, name):
      """Its Frames, or why there are none."""
      if name not in self.frames:
         self.frames[name] = self._find_frames(name)
      return self._run(driver, name, **self.frames[name])

   def _find_frames(self, name):
      found = [self._run(driver, name, warm_up_ms=WARM_UP_MS, ms=round(1000 * self.bench.duration_s))
               for driver in self.drivers]
      found = [one for one in found if isinstance(one, Frames)]
      if not found:
         return {'ms': 1}
      slowest = min(found, key=lambda one: one.per_s)
      return {'from': slowest.first, 'count': max(1, round(slowest.per_s * self.bench.duration_s))}

   def _run(self, driver, name, **settings):
      bench = self.bench
      command = [hacks.FOLDER / name, '--window', '--geometry', bench.size, '--delay', '0']
      variables = counting(bench, **settings)
      env = bench.environment(driver, MESA_SHADER_CACHE_DIR=str(Path(self.folder, driver.name)),
                              STEADY_CLOCK_STEP_US='10', PATH=f'{bench.build / "tests"}:{os.environ["PATH"]}',
                              **variables)
      env['LD_PRELOAD'] = f'{bench.build / "tests" / "steady_clock.so"}:{variables["LD_PRELOAD"]}'
      return counted(run(command, env, TIMEOUT_S + bench.duration_s), driver)


def live(bench):
   """One round, unless more are asked for. Without softpipe, which takes a second for a frame."""
   drivers = [driver for driver in bench.drivers if driver.name != 'softpipe']
   names = chosen(bench)
   if not names:
      print('hacks: not measured, there are none', file=sys.stderr)
      return []
   with tempfile.TemporaryDirectory(prefix='clipfree-bench-') as folder:
      results = interleaved(bench, 'hacks', names, Hacks(bench, drivers, folder).play, drivers, rounds=1)
   return figures_of_frames('hack', results, Ranked, failed=failures(results))
