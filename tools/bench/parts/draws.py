# SPDX-License-Identifier: MIT
"""What a draw costs in processor time and in wall time, by what changes between two of them (tools/bench/draw_cost.c)."""
import re

from .measure import Figures, interleaved, run

FRAMES = '5'


COLUMNS = ('processor time', 'wall time')


def costs(bench, driver):
   """{(column, what changed): nanoseconds a draw, of the process's CPU time and of wall time}"""
   done = run([bench.build / 'tools' / 'bench' / 'draw_cost', FRAMES], bench.environment(driver))
   if done.status != 0 or not re.search(f'^{driver.renderer}', done.output, re.M):
      return {}
   rows = re.findall(r'^(\S.*?) +\d+ +(\d+) +(\d+)$', done.output, re.M)
   return {(column, changed): float(ns) for changed, *both in rows for column, ns in zip(COLUMNS, both)}


def cost(bench):
   results = interleaved(bench, 'draws', ['all'], lambda driver, row: costs(bench, driver))['all']
   keys = list(dict.fromkeys(key for runs in results.values() for one in runs for key in one)) or [(column, 'all') for column in COLUMNS]
   tables = {column: {} for column in COLUMNS}
   for column, changed in keys:
      tables[column][changed] = {driver: [one.get((column, changed)) for one in runs] for driver, runs in results.items()}
   return [Figures(f'draws: changed between two; {column}', 'ns', values, more_is_better=False) for column, values in tables.items()]
