# SPDX-License-Identifier: MIT
"""The cost of single features in processor time, one case each (tools/bench/feature_cost.c)."""
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from .measure import Figures, Ranked, complain, geometric_mean, interleaved, run

ROUNDS = '7'        # of a process: the least of them is its figure
TIMEOUT_S = 600     # of a group of cases


@dataclass
class Outcome:
   """The result of a group in one process: {case: ms per draw}, {case: missing feature}, {case: failure}."""
   ms: dict
   cannot: dict
   failed: dict


@dataclass
class FeatureFigures(Ranked):
   """A table with the features that a driver lacks listed below it."""
   cannot: dict = field(default_factory=dict)   # {driver's name: {case: what is missing}}

   def table(self):
      return '\n'.join([super().table()] + self._said('does not have', self.cannot))

   def json(self):
      return super().json() | {'cannot': self.cannot}


def parse(done, renderer, cases):
   """The Outcome of these cases, parsed from feature_cost's output: a case without a line failed with the process."""
   if not re.search(f'^{renderer}', done.output, re.M):
      return Outcome({}, {}, {case: 'the driver did not start' for case in cases})
   ended = 'took too long' if done.status is None else f'ended with status {done.status}'
   result = Outcome({}, {}, {})
   for case in cases:
      line = re.search(rf'^{re.escape(case)} +(?:([\d.]+)|cannot: (.*)|fails: (.*))$', done.output, re.M)
      ms, missing, error = line.groups() if line else (None, None, f'the process {ended}')
      if ms:
         result.ms[case] = float(ms)
      elif missing:
         result.cannot[case] = missing
      else:
         result.failed[case] = error
   return result


def measure(bench, driver, program, cases, cache):
   """The Outcome of a group in a process of its own. Everything is compiled before it is measured, unless the
   environment says otherwise, and caches are the bench's own."""
   env = bench.environment(driver, MESA_SHADER_CACHE_DIR=str(cache),
                           CLIPFREE_ENGINE=os.environ.get('CLIPFREE_ENGINE', 'jit'))
   return parse(run([program, ROUNDS, *cases], env, TIMEOUT_S), driver.renderer, cases)


def chosen_groups(bench, program):
   """{group: its cases}, for the cases whose names contain one of the requested words; all without a word."""
   done = run([program, '--list'], os.environ)
   groups = {}
   for case in done.output.splitlines() if done.status == 0 else []:
      if not bench.words or any(word in case for word in bench.words):
         groups.setdefault(case.partition(':')[0], []).append(case)
   if done.status == 0 and not groups:
      complain(f'no feature contains {" or ".join(bench.words)}; {program} --list prints their names')
   return groups


def all_said(outcomes, kind):
   """{driver's name: {case: messages of the rounds}}, from interleaved's Outcomes."""
   said = {}
   for of in outcomes.values():
      for driver, rounds in of.items():
         for one in rounds:
            said.setdefault(driver, {}).update(getattr(one, kind))
   return said


def means_of_groups(figures, groups):
   """The geometric mean of each group, over the cases that all drivers have."""
   results, means = figures.results(), {}
   for name, cases in groups.items():
      common = [results[case] for case in cases if all(results[case].values())]
      if common:
         means[name] = {driver: [geometric_mean(of[driver] for of in common)] for driver in figures.drivers()}
   return Figures('geometric means of features', 'ms', means, more_is_better=False)


def cost(bench):
   """Softpipe is left out: it takes 10 to 20 times as long as the others."""
   program = bench.build / 'tools' / 'bench' / 'feature_cost'
   groups = chosen_groups(bench, program)
   drivers = [driver for driver in bench.drivers if driver.name != 'softpipe']
   if not groups:
      return [Figures('feature', 'ms', {'none': {driver.name: [None] for driver in drivers}})]
   with tempfile.TemporaryDirectory(prefix='clipfree-bench-') as folder:
      outcomes = interleaved(bench, 'features', list(groups), lambda driver, name: measure(
         bench, driver, program, groups[name], Path(folder, driver.name)), drivers)
   values = {case: {driver: [one.ms.get(case) for one in rounds] for driver, rounds in outcomes[name].items()}
             for name, cases in groups.items() for case in cases}
   figures = FeatureFigures('feature', 'ms', values, more_is_better=False, least=True,
                            cannot=all_said(outcomes, 'cannot'), failed=all_said(outcomes, 'failed'))
   return [figures, means_of_groups(figures, groups)]
