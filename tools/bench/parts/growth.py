# SPDX-License-Identifier: MIT
"""How the cost of a frame grows with what is in it, from once to 100 times as much (tools/bench/growth_cost.c)."""
import re

from .measure import Figures, complain, interleaved, picked, run

FACTORS = (1, 3, 10, 30, 100)
RAN = re.compile(r'^\w+ \d+: ([\d.]+) ms of processor time, ([\d.]+) ms, on (.*)$', re.M)
COLUMNS = ('processor time', 'wall time')


def kinds(bench):
   """{kind: the count that it begins with}"""
   listed = run([program(bench), '--list'], bench.environment(bench.drivers[0])).output
   return {name: int(least) for name, least in re.findall(r'^(\w+) (\d+)$', listed, re.M)}


def program(bench):
   return bench.build / 'tools' / 'bench' / 'growth_cost'


def cost(bench, driver, kind, count):
   """Milliseconds a frame, of processor time and of wall time; None."""
   done = run([program(bench), kind, str(count)], bench.environment(driver))
   said = RAN.search(done.output) if done.status == 0 else None
   if not said or not said[3].startswith(driver.renderer):
      complain(f'{driver.name}: {kind} {count}: {done.output.strip()[-160:]}, status {done.status}')
      return None
   return float(said[1]), float(said[2])


def to_linear(values, counts, driver):
   """{kind: {driver: [of each round]}} of Figures' values: the driver's time of the last count by that of the first,
   each for one item. 1: linear; below: better."""
   linear = {}
   for kind, of in counts.items():
      first, last = (values[f'{kind}: {count}'][driver] for count in (of[0], of[-1]))
      linear[kind] = {driver: [None if one is None or many is None else many / one * of[0] / of[-1]
                               for one, many in zip(first, last)]}
   return linear


def plot(path, values, counts, drivers):
   """The curves, a picture for each kind."""
   import matplotlib
   matplotlib.use('Agg')
   from matplotlib import pyplot
   figure, axes = pyplot.subplots(2, (len(counts) + 1) // 2, figsize=(12, 7), constrained_layout=True)
   for axis, (kind, of) in zip(axes.flat, counts.items()):
      for driver in drivers:
         points = [(count, min(runs)) for count in of if None not in (runs := values[f'{kind}: {count}'][driver])]
         axis.loglog(*zip(*points), marker='o', label=driver)
      axis.set(title=kind, xlabel=f'{kind} a frame', ylabel='processor time a frame, ms')
      axis.grid(True, which='both', alpha=0.3)
   axes.flat[0].legend()
   figure.savefig(path)


def curves(bench):
   """Without softpipe, which takes seconds for a frame of many pixels."""
   drivers = [driver for driver in bench.drivers if driver.name != 'softpipe']
   counts = {kind: [factor * least for factor in FACTORS] for kind, least in kinds(bench).items()
             if not bench.words or any(word in kind for word in bench.words)}
   if not counts:
      complain(f'no kind of growth contains {" or ".join(bench.words)}; there are {", ".join(kinds(bench))}')
      return []
   rows = {f'{kind}: {count}': (kind, count) for kind, of in counts.items() for count in of}
   results = interleaved(bench, 'growth', rows, lambda driver, row: cost(bench, driver, *rows[row]), drivers)
   tables = [picked(results, lambda both, i=i: both[i]) for i in range(len(COLUMNS))]
   picture = bench.build / 'growth.png'
   plot(picture, tables[0], counts, [driver.name for driver in drivers])
   complain(f'curves: {picture}')
   return [*(Figures(f'growth: {column}', 'ms', values, more_is_better=False, least=True)
             for column, values in zip(COLUMNS, tables)),
           Figures('growth: processor time of one in 100 times as many, to one in the first', 'times',
                   to_linear(tables[0], counts, drivers[0].name), more_is_better=False)]
