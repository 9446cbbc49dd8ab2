#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What 4x MSAA costs the memory of paper E, on the four scenes of its table 2: traffic and balance, the tables of
docs/papers.md.

Usage: ./clipfree run tests/papers/multisampling.py FOLDER. Frame 20 of each scene at 800x600, without and with four
samples a pixel, is captured into the folder, unless it is there: from windows (glmark2 has no samples off the screen).
Depth and colour go through the caches of `paper-e`, in mode cycles with a bus of 64 bytes a cycle. The most loaded
pipeline must have at most 1.05 times the mean, and tiles of 2x2 pixels with all samples must need fewer requests and
cycles than a line for each sample, and all rows be in docs/papers.md; else the exit status is 1.
"""
import sys

import measured
from measured import Expected, folder_of, simulated, wanted

SCENES = ('effect2d', 'shadow', 'refract', 'jellyfish')
LINES = {1: ('one',), 4: ('all', 'one')}   # of z.line_samples, by samples a pixel
LINE_B = 64
MOST_BALANCE = 1.05


def run(path, *values):
   return simulated(path, 'paper-e', 'dram.bus_B=64', *values)[0]


def columns(answer):
   """What a row has of an answer."""
   c, t = answer['counters'], answer['timed']
   load = c['pipeline_requests']
   return {'requests': c['z_requests'], 'hits': 100 * c['z_hits'] / c['z_requests'],
           'read': t['z_misses'] * LINE_B / 1e6, 'written': (t['bus_B'] - t['z_misses'] * LINE_B) / 1e6,
           'cycles': t['cycles'], 'balance': max(load) * len(load) / sum(load)}


def check(expected, name, found):
   """`found`: {(samples, z.line_samples): columns}"""
   for key, columns_of in found.items():
      expected.within(f'{name} {key}: balance', columns_of['balance'], 1, MOST_BALANCE)
   tiles, lines, one = found[4, 'all'], found[4, 'one'], found[1, 'one']
   for what in ('requests', 'cycles'):
      expected.that(f'{name}: tiles of 2x2 pixels need fewer {what}', tiles[what] < lines[what],
                    f'{tiles[what]} and {lines[what]}')
   expected.within(f'{name}: traffic of four samples / one', (tiles['read'] + tiles['written'])
                   / (one['read'] + one['written']), 1, 5)


def main():
   folder, expected = folder_of(__doc__), Expected()
   print('| scene | samples | a line has | fragments | requests | hits | MB read | MB written | cycles '
         '| most loaded pipeline / mean |\n' + '|---' * 10 + '|')
   for name in SCENES:
      found = {}
      for samples, kinds in LINES.items():
         path = wanted(folder, f'{name}-{samples}x', scene=measured.SCENES[name], samples=samples)
         for kind in kinds:
            answer = run(path, f'z.line_samples={kind}')
            r = found[samples, kind] = columns(answer)
            what = '4x4 px' if samples == 1 else '2x2 px, 4 samples' if kind == 'all' else '4x4 px, 1 sample'
            expected.row(f'| {name} | {samples} | {what} | {answer["counters"]["fragments"]} | {r["requests"]} | '
                         f'{r["hits"]:.2f} % | {r["read"]:.2f} | {r["written"]:.2f} | {r["cycles"]} | '
                         f'{r["balance"]:.4f} |')
      check(expected, name, found)
   return expected.status()


if __name__ == '__main__':
   sys.exit(main())
