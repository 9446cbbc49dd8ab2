#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Paper D's gains of hit rate searched for: +7.82 to +11.74, mean +9.51, of four scenes without names, by a cache with
DPRT. Which scenes, at which frame size, counted how, have four that lie in its range, each of them?

Usage: hit_gains.py SWEEP.sqlite..., of `clipfree sim sweep paper-d --over z.prefetch=none,dprt ...`, one for each frame
size. A gain is points, or relative to the rate without. A candidate is a machine of a sweep with one of these: it
reaches the paper's figures, if four of its scenes are within its range, singly, and their mean is within half a point.
Also printed: a gain in points is the share of lines that are missing without DPRT, if with it none is. So by pixel it
is 100 over the pixels of a line that are drawn before the line is replaced, and the paper's range means 8.5 to 12.8.
Exit status 1: no candidate does.
"""
import collections
import itertools
import sqlite3
import sys
from pathlib import Path

RANGE, MEAN, MEAN_WITHIN = (7.82, 11.74), 9.51, 0.5
SCENES = 4
PREFETCH, AHEAD = 'z.prefetch', 'z.run_ahead'
COUNTED = {'in points': lambda without, with_it: 100 * (with_it - without),
           'relative': lambda without, with_it: 100 * (with_it / without - 1)}


def rates(path):
   """{parameters without prefetch's: {prefetch: {scene: hit rate}}}"""
   found = collections.defaultdict(lambda: collections.defaultdict(dict))
   data = sqlite3.connect(path)
   for run, scene in data.execute('SELECT run, captures.name FROM runs JOIN captures USING (capture)'):
      value = dict(data.execute('SELECT name, value FROM parameters WHERE run = ?', (run,)))
      rate = data.execute("SELECT value FROM counters WHERE run = ? AND name = 'z_hit_rate'", (run,)).fetchone()[0]
      prefetch = value.pop(PREFETCH)
      if prefetch == 'none':
         del value[AHEAD]
      found[frozenset(value.items())][prefetch][scene] = rate
   return found


def candidates(path):
   """(sweep, parameters, how it is counted, {scene: gain})"""
   found = rates(path)
   for key, of_prefetch in found.items():
      base = found.get(frozenset(part for part in key if part[0] != AHEAD), {}).get('none', {})
      for name, scenes in of_prefetch.items():
         if name == 'none' or not base:
            continue
         for counted, gain in COUNTED.items():
            yield path.parent.name, key | {(PREFETCH, name)}, counted, {
               scene: gain(base[scene], rate) for scene, rate in scenes.items() if base.get(scene)}


def best_four(gains):
   """The four scenes that lie in the range whose mean is nearest to the paper's. None: there are no four."""
   inside = sorted(scene for scene, gain in gains.items() if RANGE[0] <= gain <= RANGE[1])
   sets = [(abs(sum(gains[s] for s in four) / SCENES - MEAN), four) for four in itertools.combinations(inside, SCENES)]
   return min(sets, default=None)


def show(candidate, common):
   sweep, machine, counted, gains = candidate
   named = ' '.join(f'{name}={value}' for name, value in sorted(machine - common))
   print(f'   {sweep}: {named}, {counted}')
   print('      ' + ', '.join(f'{scene} {gain:+.2f}' for scene, gain in sorted(gains.items(), key=lambda g: g[1])))


def main(paths):
   found = [candidate for path in paths for candidate in candidates(Path(path).absolute())]
   if not found:
      sys.exit('hit_gains.py: no sweep has scenes with z.prefetch=none and with another value')
   common = frozenset.intersection(*(c[1] for c in found))
   ranked = [(best_four(c[3]), c) for c in found]
   reached = sorted(((b, c) for b, c in ranked if b and b[0] <= MEAN_WITHIN), key=lambda r: r[0])
   print(f'{len(found)} candidates; of {len(reached)} four scenes lie in +{RANGE[0]} to +{RANGE[1]}, with a mean within '
         f'{MEAN_WITHIN} of +{MEAN}')
   for (away, four), candidate in reached[:6]:
      show(candidate, common)
      print(f'      {", ".join(four)}: mean {sum(candidate[3][s] for s in four) / SCENES:+.2f}')
   if not reached:
      print('the most scenes in the range:')
      for candidate in sorted(found, key=lambda c: -sum(RANGE[0] <= g <= RANGE[1] for g in c[3].values()))[:4]:
         show(candidate, common)
   return 0 if reached else 1


if __name__ == '__main__':
   if len(sys.argv) < 2:
      sys.exit(__doc__.split('\n\n')[1])
   sys.exit(main(sys.argv[1:]))
