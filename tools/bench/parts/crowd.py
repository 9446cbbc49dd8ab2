# SPDX-License-Identifier: MIT
"""A loaded machine: the throughput of several processes that draw at once, and of single small programs."""
import concurrent.futures
import os
from contextlib import contextmanager

from .frames import Frames, counted, counting, figures_of_frames
from .measure import complain, interleaved, run

PROCESSES, PROCESSORS = 6, 2
SCENES = ('jellyfish', 'build')
SIZE = '400x300'
WARM_UP_MS = 1500
TIMEOUT_S = 30
PROGRAMS = {'es2gears_x11': ['es2gears_x11'], 'glxgears': ['glxgears']}


def measure(bench, driver, command, duration_s, **settings):
   """The Frames of a program, or None, and a message."""
   env = bench.environment(driver, **counting(bench, ms=round(1000 * duration_s), **settings))
   one = counted(run(command, env, TIMEOUT_S + duration_s), driver)
   if isinstance(one, str):
      complain(f'{command[0]} on {driver.name}: {one}')
      return None
   return one


@contextmanager
def few_processors():
   """Processes started inside this context share PROCESSORS processors."""
   all_of_them = os.sched_getaffinity(0)
   os.sched_setaffinity(0, sorted(all_of_them)[:PROCESSORS])
   try:
      yield
   finally:
      os.sched_setaffinity(0, all_of_them)


def at_once(bench, driver, row):
   """The summed Frames of PROCESSES processes of the same program; None if one of them has none."""
   scene, _, place = row.partition(', ')
   off_screen = place == 'off-screen'
   command = ['glmark2-es2', '-s', SIZE, '-b',
              f'{scene}:duration={TIMEOUT_S}'] + (['--off-screen'] if off_screen else [])
   settings = {'warm_up_ms': WARM_UP_MS, 'at': 'finish' if off_screen else 'swap'}
   with few_processors(), concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
      all_of_them = list(pool.map(lambda _: measure(bench, driver, command, 2 * bench.duration_s, **settings),
                                  range(PROCESSES)))
   if None in all_of_them:
      return None
   per_s, cpu_s = sum(one.per_s for one in all_of_them), sum(one.cpu_s for one in all_of_them)
   frames = sum(one.frames for one in all_of_them)
   return Frames(frames, frames / per_s, cpu_s)


def crowd(bench):
   rows = [f'{scene}, {place}' for scene in SCENES for place in ('in windows', 'off-screen')]
   results = interleaved(bench, 'crowd', rows, lambda driver, row: at_once(bench, driver, row))
   return figures_of_frames(f'{PROCESSES} processes on {PROCESSORS} processors', results)


def gears(bench):
   results = interleaved(bench, 'gears', list(PROGRAMS), lambda driver,
                         row: measure(bench, driver, PROGRAMS[row], bench.duration_s, warm_up_ms=500))
   return figures_of_frames('gears', results)
