# SPDX-License-Identifier: MIT
"""Time from a program's start to its first frame: with an empty shader cache, and with that of earlier runs."""
import tempfile
from pathlib import Path

from .measure import Figures, interleaved, picked, run

PROGRAMS = {
   'es2gears_x11': ['es2gears_x11'],
   'glmark2 phong': ['glmark2-es2', '-s', '800x600', '-b', 'shading:shading=phong'],
}
WARM_UP_S = 2


def fill_cache(command, env):
   """Runs the program for some time, so that code compiled in the background is cached, too."""
   run(command, env, WARM_UP_S)


def start(bench, driver, row, folder):
   """The Run up to the first frame; None: there was none. A cold start gets an empty cache folder: the variable applies
   to Mesa's cache and to those of the drivers' compilers."""
   program, state = row.rsplit(', ', 1)
   cache = Path(folder, driver.name, program)
   if state == 'warm' and not cache.exists():
      cache.mkdir(parents=True)
      fill_cache(PROGRAMS[program], bench.environment(driver, MESA_SHADER_CACHE_DIR=str(cache)))
   with tempfile.TemporaryDirectory(dir=folder) as empty:
      done = run(PROGRAMS[program], bench.environment(
         driver, MESA_SHADER_CACHE_DIR=str(cache) if state == 'warm' else empty,
         LD_PRELOAD=str(bench.build / 'tools' / 'bench' / 'one_frame.so')))
   return done if done.status == 0 and 'one frame' in done.output else None


def first_frame(bench):
   with tempfile.TemporaryDirectory(prefix='clipfree-bench-') as folder:
      rows = [f'{program}, {state}' for program in PROGRAMS for state in ('cold', 'warm')]
      results = interleaved(bench, 'startup', rows, lambda driver, row: start(bench, driver, row, folder))
   return [Figures('first frame', 'ms', picked(results, lambda one: 1000 * one.wall_s), more_is_better=False),
           Figures('first frame: processor time', 'ms', picked(results, lambda one: 1000 * one.cpu_s),
                   more_is_better=False)]
