# SPDX-License-Identifier: MIT
"""Shared by all parts: drivers, runs of a program, interleaved rounds, and tables of medians."""
import functools
import math
import os
import statistics
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from harness.suite import run_measured

TIMEOUT_S = 120


@dataclass(frozen=True)
class Driver:
   """A driver of the library that LD_LIBRARY_PATH names: `variables` select it, GL_RENDERER then begins with
   `renderer`."""
   name: str
   renderer: str
   variables: dict = field(default_factory=dict, hash=False)


DRIVERS = {driver.name: driver for driver in (
   Driver('clipfree', 'clipfree', {'GALLIUM_DRIVER': 'clipfree'}),
   Driver('softpipe', 'softpipe', {'GALLIUM_DRIVER': 'softpipe'}),
   Driver('llvmpipe', 'llvmpipe', {'GALLIUM_DRIVER': 'llvmpipe'}),
   # llvmpipe uses vectors of 256 bits, even on a CPU with larger ones
   Driver('llvmpipe-512', 'llvmpipe', {'GALLIUM_DRIVER': 'llvmpipe', 'LP_NATIVE_VECTOR_WIDTH': '512'}),
)}
# clipfree with a GPU that drops all work: what is left are the player, Mesa and the translation of its state.
NOOP = Driver('noop', 'clipfree', DRIVERS['clipfree'].variables | {'CLIPFREE_GPU': 'noop'})
BEFORE = 'before'


def earlier(build):
   """clipfree of another build folder, as the driver BEFORE."""
   return Driver(BEFORE, 'clipfree', {'GALLIUM_DRIVER': 'clipfree', 'LD_LIBRARY_PATH': f'{build}/lib',
                                      'GBM_BACKENDS_PATH': f'{build}/lib/gbm'})


@dataclass
class Run:
   """A finished run of a program: wall time, processor time of all threads, and peak memory."""
   status: int | None
   output: str
   wall_s: float
   cpu_s: float
   memory_MB: float


@dataclass
class Bench:
   """The bench's request: compare drivers[0] with the others."""
   drivers: list
   rounds: int | None   # None: as many as each part does by itself
   duration_s: float
   size: str
   threads: int
   minutes: float    # a part begins no further round after them
   build: Path       # the programs that measure
   scenes: list
   words: list       # one of which is in the name of each feature or hack; none: all of them
   before: Path | None = None   # the build folder of the driver BEFORE

   def environment(self, driver, threads=None, **more):
      count = str(self.threads if threads is None else threads)
      return dict(os.environ, LIBGL_ALWAYS_SOFTWARE='1', CLIPFREE_THREADS=count, LP_NUM_THREADS=count, vblank_mode='0',
                  **driver.variables) | more


@functools.cache
def complain(text):
   """Prints a message, but only once."""
   print(f'\n{text}', file=sys.stderr)


def run(command, env, timeout_s=TIMEOUT_S, cwd=None):
   """Runs a program; after the time limit it is killed, with all that it started, and its status is None; by an
   exception meanwhile it is killed, too. A program that cannot be started has status 127."""
   try:
      outcome, used = run_measured(command, env, timeout_s, cwd)
   except OSError as error:
      complain(f'{command[0]} cannot be started: {error.strerror}')
      return Run(127, '', 0, 0, 0)
   return Run(outcome.status, outcome.output, outcome.seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def interleaved(bench, title, rows, measure, drivers=None, rounds=3):
   """{row: {driver's name: [measure(driver, row) of each round]}}: every round measures the drivers in turn, row by
   row, so that other load of the machine affects all of them alike. `rounds`: the default number of rounds."""
   drivers = drivers or bench.drivers
   rounds = bench.rounds or rounds
   results = {row: {driver.name: [] for driver in drivers} for row in rows}
   end_s = time.monotonic() + 60 * bench.minutes
   for number in range(rounds):
      if number and time.monotonic() > end_s:
         print(f'\n{title}: stopped after {number} rounds, {bench.minutes:g} minutes are over', file=sys.stderr)
         break
      for at, row in enumerate(rows):
         for driver in drivers:
            results[row][driver.name].append(measure(driver, row))
         print(f'\r{title}: round {number + 1} of {rounds}, {at + 1} of {len(rows)} ', end='', file=sys.stderr,
               flush=True)
   print(file=sys.stderr)
   return results


def shown(value):
   """A number with at least three digits: 0.0169, 0.169, 1.69, 16.9, 1690.0."""
   return f'{value:.{sum(value < limit for limit in (10, 1, 0.1)) + 1}f}'


def geometric_mean(values):
   return math.exp(statistics.fmean(map(math.log, values)))


@dataclass
class Figures:
   """Figures of the same kind: {row: {driver's name: [of each round]}}, None where there is none. Ratios are above 1
   where the first driver is better."""
   title: str
   unit: str
   values: dict
   more_is_better: bool = True
   score: bool = False   # the mean of a driver's figures means something (glmark2's score)
   least: bool = False   # of the rounds the least counts, not the median

   def drivers(self):
      return list(next(iter(self.values.values()), {}))

   def rows(self):
      """In the order of the table."""
      return list(self.values)

   def results(self):
      """{row: {driver: median (or the like) of its rounds}}"""
      of_rounds = min if self.least else statistics.median
      return {row: {driver: of_rounds(runs) if runs and all(run is not None for run in runs) else None
                    for driver, runs in by_driver.items()} for row, by_driver in self.values.items()}

   def ratios(self):
      """{peer: {row: how much better the first driver is}}"""
      first, *peers = self.drivers()
      results = self.results()
      pairs = {peer: {row: (of[first], of[peer]) for row, of in results.items() if of[first] and of[peer]}
               for peer in peers}
      return {peer: {row: ours / theirs if self.more_is_better else theirs / ours for row, (ours, theirs) in of.items()}
              for peer, of in pairs.items()}

   def means(self):
      """{peer: geometric mean of the ratios}"""
      return {peer: geometric_mean(of.values()) for peer, of in self.ratios().items() if of}

   def complete(self):
      """Whether the first driver has all of its figures."""
      return all(of[self.drivers()[0]] is not None for of in self.results().values())

   def table(self):
      """As Markdown."""
      drivers, ratios, means = self.drivers(), self.ratios(), self.means()
      head = [self.title, *(f'{driver} {self.unit}' for driver in drivers), *(f'to {peer}' for peer in drivers[1:])]
      lines = ['| ' + ' | '.join(head) + ' |', '|' + '---|' * len(head)]
      results = self.results()
      for row in self.rows():
         of = results[row]
         cells = ['none' if of[driver] is None else shown(of[driver]) for driver in drivers]
         cells += [f'{ratios[peer][row]:.2f}' if row in ratios[peer] else '' for peer in drivers[1:]]
         lines.append(f'| {row} | ' + ' | '.join(cells) + ' |')
      return '\n'.join(lines + self._footer(drivers, means))

   def _footer(self, drivers, means):
      if not means:
         return []
      scores = [f'{statistics.fmean(of[driver] or 0 for of in self.results().values()):.0f}' if self.score else ''
                for driver in drivers]
      last = [f'{means[peer]:.2f}' if peer in means else '' for peer in drivers[1:]]
      name = 'score; geometric mean' if self.score else 'geometric mean'
      return [f'| **{name}** | ' + ' | '.join(scores + last) + ' |']

   def json(self):
      return {'title': self.title, 'unit': self.unit, 'more_is_better': self.more_is_better, 'values': self.values,
              'least' if self.least else 'medians': self.results(), 'ratios': self.ratios(),
              'geometric_means': self.means()}


@dataclass
class Ranked(Figures):
   """Rows are sorted from the worst for the first driver; failures are listed below the table."""
   failed: dict = field(default_factory=dict)   # {driver's name: {row: how}}

   def rows(self):
      """By the ratio to llvmpipe, or else to the first peer."""
      ratios = self.ratios()
      of = ratios.get('llvmpipe') or next(iter(ratios.values()), {})
      return sorted(self.values, key=lambda row: of.get(row, 0))

   def below_1(self):
      """{peer: rows that take the first driver more}"""
      return {peer: sum(ratio < 1 for ratio in of.values()) for peer, of in self.ratios().items()}

   def complete(self):
      """Whether nothing failed on the first driver."""
      return not self.failed.get(self.drivers()[0])

   def table(self):
      return '\n'.join([super().table()] + self._said('fails at', self.failed))

   @staticmethod
   def _said(word, said):
      return [f'\n{driver} {word} "{row}": {why}' for driver, of in said.items() for row, why in of.items()]

   def _footer(self, drivers, means):
      counts = [f'{count} of {len(self.ratios()[peer])}' for peer, count in self.below_1().items()]
      return super()._footer(drivers, means) + (
         ['| **below 1** | ' + ' | '.join([''] * len(drivers) + counts) + ' |'] if counts else [])

   def json(self):
      return super().json() | {'below_1': self.below_1(), 'failed': self.failed}


def picked(results, pick):
   """The results of interleaved, each replaced by pick(result); None stays."""
   return {row: {driver: [None if one is None else pick(one) for one in runs] for driver, runs in of.items()}
           for row, of in results.items()}
