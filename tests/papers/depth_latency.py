#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Paper D's fall of the latency of depth tests searched for: -30.83 to -39.87 % on four scenes, under which machine,
and with how many cycles of fixed stages in a test (the paper gives neither).

Usage: ./clipfree run tests/papers/depth_latency.py FOLDER. Frame 20 of four scenes at 800x600 is captured into the
folder, unless it is there, and two sweeps run: the memory of pixels, and the whole GPU of A with D's raster and cache.
A test's latency is its stages, S cycles, and what its request takes: from the tags to the answer; or with the time in
the queue before the tags. The fall is (without - with) / (S + without) / requests, so each scene is in range for an
interval of S; a machine reaches the paper's range where those of all scenes meet. Exit status 1: not 17 of
80 candidates reach it; or one does without fixed stages, or none with the default latency of memory, as docs/papers.md
says otherwise.
"""
import collections
import sqlite3
import sys

from measured import Expected, folder_of, swept, wanted

SCENES = ('shadow', 'refract', 'terrain', 'texture-cat')
COMMON = ('--mode', 'cycles', '--over', 'z.prefetch=none,dprt', '--over')
SWEEPS = {
   'latency-pixels': (*COMMON, 'z.request=pixel,quad', '--over', 'miss.kind=blocking,linked', '--over', 'dram.bus_B=64',
                      '--over', 'dram.latency=0,40,200', '--over', 'z.run_ahead=1,4,32'),
   'latency-whole': (*COMMON, 'gpu.model=whole', '--over', 'dram.bus_B=32', '--over', 'dram.banks=32', '--over',
                     'miss.entries=64', '--over', 'z.run_ahead=1024', '--over', 'dram.latency=0,40,100,200'),
}
DEFAULT = ('dram.latency', '40')
RANGE = 0.3083, 0.3987
REACHED = 17, 80       # candidates, of all: docs/papers.md
PREFETCH, AHEAD = 'z.prefetch', 'z.run_ahead'
KINDS = {'from the tags': ('timed.z_latency_cycles',),
         'with the queue': ('timed.z_latency_cycles', 'timed.z_queue_cycles')}
COUNTERS = ('timed.z_requests', 'timed.z_latency_cycles', 'timed.z_queue_cycles')


def runs(paths):
   """{parameters without prefetch's: {prefetch: {scene: counters}}}"""
   found = collections.defaultdict(lambda: collections.defaultdict(dict))
   for path in paths:
      data = sqlite3.connect(path)
      for run, scene in data.execute('SELECT run, captures.name FROM runs JOIN captures USING (capture)'):
         value = dict(data.execute('SELECT name, value FROM parameters WHERE run = ?', (run,)))
         prefetch = value.pop(PREFETCH)
         if prefetch == 'none':
            del value[AHEAD]
         found[frozenset(value.items())][prefetch][scene] = dict(data.execute(
            'SELECT name, value FROM counters WHERE run = ? AND name IN (?, ?, ?)', (run, *COUNTERS)))
   return found


def pairs(found):
   """(parameters, {scene: (counters without, counters with)}), where all scenes are there."""
   most = max(len(scenes) for of_prefetch in found.values() for scenes in of_prefetch.values())
   for key, of_prefetch in found.items():
      base = found.get(frozenset(part for part in key if part[0] != AHEAD), {}).get('none', {})
      for name, scenes in of_prefetch.items():
         if name != 'none' and len(scenes) == len(base) == most:
            yield key | {(PREFETCH, name)}, {scene: (base[scene], scenes[scene]) for scene in scenes}


def latencies(pair, names):
   """Cycles of a request, without and with prefetch."""
   return [sum(counters[name] for name in names) / counters['timed.z_requests'] for counters in pair]


def stages(without, with_it):
   """The interval of S for which a scene is in the paper's range; empty: least above most."""
   saved = without - with_it
   return max(0.0, saved / RANGE[1] - without), saved / RANGE[0] - without


def candidates(paths):
   for machine, scenes in pairs(runs(paths)):
      for what, names in KINDS.items():
         pair = {scene: latencies(both, names) for scene, both in scenes.items()}
         bounds = [stages(*p) for p in pair.values()]
         yield max(b[0] for b in bounds), min(b[1] for b in bounds), what, machine, pair


def show(candidate, common):
   least, most, what, machine, pair = candidate
   s = round((max(least, 0) + most) / 2, 1) if least else 0
   named = ' '.join(f'{name}={value}' for name, value in sorted(machine - common))
   print(f'   {what}: {named}; S {least:.1f} to {most:.1f}')
   print(f'      at {s:g}: ' + ', '.join(f'{scene} -{100 * (a - b) / (s + a):.1f} % of {s + a:.1f}'
                                          for scene, (a, b) in sorted(pair.items())))


def main():
   folder, expected = folder_of(__doc__), Expected()
   captures = [wanted(folder, name) for name in SCENES]
   found = list(candidates([swept(folder, name, 'paper-d', words, captures) for name, words in SWEEPS.items()]))
   common = frozenset.intersection(*(c[3] for c in found))
   reached = sorted((c for c in found if c[0] <= c[1]), key=lambda c: (c[0] > 0, c[0] - c[1]))
   bare = sum(c[0] == 0 for c in reached)
   print(f'{len(found)} candidates; {len(reached)} have all scenes from -{RANGE[0]:.2%} to -{RANGE[1]:.2%}, '
         f'{bare} of them without fixed stages')
   for candidate in reached[:10]:
      show(candidate, common)
   print('the nearest others:')
   for candidate in sorted((c for c in found if c[0] > c[1]), key=lambda c: (c[0] - c[1]) / (1 + c[0]))[:4]:
      show(candidate, common)
   expected.that(f'{REACHED[0]} of {REACHED[1]} candidates reach the range', (len(reached), len(found)) == REACHED,
                 f'{len(reached)} of {len(found)}')
   expected.that('the range is reached without fixed stages by no machine', bare == 0, bare)
   expected.that('the range is reached with the default latency of memory',
                 any((DEFAULT[0], kind(DEFAULT[1])) in c[3] for c in reached for kind in (str, int)))
   return expected.status()


if __name__ == '__main__':
   sys.exit(main())
