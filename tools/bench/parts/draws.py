# SPDX-License-Identifier: MIT
"""The cost of a draw in processor time and in wall time: by the state that changes between draws
(tools/bench/draw_cost.c); and of OpenGL 1, from display lists and from changing buffers (immediate_cost.c)."""
import re

from .measure import Figures, interleaved, run

FRAMES = '5'


COLUMNS = ('processor time', 'wall time')


def costs(bench, driver, program):
   """{(column, kind): nanoseconds a draw, of the process's CPU time and of wall time}"""
   done = run([bench.build / 'tools' / 'bench' / program, FRAMES], bench.environment(driver))
   if done.status != 0 or not re.search(f'^{driver.renderer}', done.output, re.M):
      return {}
   rows = re.findall(r'^(\S.*?) +\d+ +(\d+) +(\d+)$', done.output, re.M)
   return {(column, changed): float(ns) for changed, *both in rows for column, ns in zip(COLUMNS, both)}


def figures_of(bench, title, program):
   name = title.split(':')[0]
   results = interleaved(bench, name, ['all'], lambda driver, row: costs(bench, driver, program))['all']
   keys = list(dict.fromkeys(key for runs in results.values() for one in runs for key in one)) \
      or [(column, 'all') for column in COLUMNS]
   tables = {column: {} for column in COLUMNS}
   for column, kind in keys:
      tables[column][kind] = {driver: [one.get((column, kind)) for one in runs] for driver, runs in results.items()}
   return [Figures(f'{title}; {column}', 'ns', values, more_is_better=False) for column, values in tables.items()]


def cost(bench):
   return figures_of(bench, 'draws: changed between two', 'draw_cost')


def immediate(bench):
   return figures_of(bench, 'immediate: a draw', 'immediate_cost')
