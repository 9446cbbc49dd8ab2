# SPDX-License-Identifier: MIT
"""Frames of a program, counted inside it (tools/bench/count_frames.c): frames per second, and the cost of one."""
import re
from dataclasses import dataclass, replace
from math import inf

from .measure import Figures, picked


@dataclass
class Frames:
   """Wall time and processor time (of the process with all its threads) of `count` frames."""
   frames: int
   wall_s: float
   cpu_s: float
   first: int = 1   # the number of the frame after which the count began

   @property
   def per_s(self):
      return self.frames / self.wall_s

   @property
   def cpu_ms(self):
      """Per frame."""
      return 1000 * self.cpu_s / self.frames


def counting(bench, **settings):
   """Environment variables that count a program's frames; `settings` without their prefix, as in warm_up_ms=500."""
   return {'LD_PRELOAD': str(bench.build / 'tools' / 'bench' / 'count_frames.so'),
           **{f'COUNT_FRAMES_{name.upper()}': str(value) for name, value in settings.items()}}


def counted(done, driver):
   """The Frames of a Run; or a string with the reason why there are none on that driver."""
   said = re.search(
      r'^counted (\d+) frames from number (\d+) in ([\d.]+) ms, ([\d.]+) ms of processor time, on (.*)$', done.output,
      re.M)
   if not said:
      lines = [line for line in done.output.splitlines() if line.strip()]
      return ending(done) + (f', the last line: {lines[-1].strip()[:160]}' if lines else '')
   if not said[5].startswith(driver.renderer):
      return f'it ran on {said[5]}'
   return Frames(int(said[1]), float(said[3]) / 1000, float(said[4]) / 1000, int(said[2]))


def ending(done):
   """How a program ended that counted no frames."""
   if done.status is None:
      return f'no frames in {done.wall_s:.0f} s'
   return f'it ended by signal {-done.status}' if done.status < 0 \
      else f'it ended with status {done.status} and no frames'


def failures(results):
   """{driver's name: {row: why there are no Frames}} of results of interleaved."""
   failed = {}
   for row, by_driver in results.items():
      for driver, runs in by_driver.items():
         for one in runs:
            if isinstance(one, str):
               failed.setdefault(driver, {})[row] = one
   return failed


def without(results, name):
   """Results of interleaved, Frames without the least processor time that `name` has in that row: with the GPU that
   drops all work, the others' GPUs' shares. `name` is taken out of `results`. Where it has no Frames, or no less time
   than a run, that run is None."""
   taken = {row: by_driver.pop(name) for row, by_driver in results.items()}
   least_ms = {row: min((one.cpu_ms for one in runs if isinstance(one, Frames)), default=inf)
               for row, runs in taken.items()}

   def rest(row, one):
      left_ms = one.cpu_ms - least_ms[row] if isinstance(one, Frames) else 0
      return replace(one, cpu_s=left_ms * one.frames / 1000) if left_ms > 0 else None
   return {row: {driver: [rest(row, one) for one in runs] for driver, runs in by_driver.items()}
           for row, by_driver in results.items()}


def figures_of_frames(title, results, kind=Figures, **more):
   """[frames per second, processor time per frame], from results of interleaved: Frames or other values, which are
   ignored."""
   frames = picked(results, lambda one: one if isinstance(one, Frames) else None)
   return [kind(title, 'FPS', picked(frames, lambda one: one.per_s), **more),
           kind(f'{title}: processor time a frame', 'ms', picked(frames, lambda one: one.cpu_ms),
                more_is_better=False, **more)]
