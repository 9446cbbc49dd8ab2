#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Paper A's Fig. 10, rates of texels and vertices, over a range of memories, and its three causes, each taken away: the
tables of docs/papers.md.

Usage: ./clipfree run tests/papers/rates.py FOLDER. Frame 20 of the four scenes of the paper's table 1 at 800x600 is
captured into the folder, unless it is there. Exit status 1: effect2d has fewer than 15.2 texels a cycle, in any of 36
memories; it is not the first in texels a cycle, or texture-cat not the last, in any of them; the order of the paper is
not found in five; a cause that is taken away costs cycles, over 1 percent, or saves less than it must in the scene
where it matters most; a row of the two tables is not in docs/papers.md.
"""
import collections
import itertools
import sqlite3
import sys

from measured import Expected, folder_of, simulated, swept, wanted

SCENES = ('effect2d', 'texture-cube', 'jellyfish', 'texture-cat')   # the paper's order
MEMORIES = {'dram.bus_B': '8,16,32,64', 'dram.banks': '8,16,32', 'dram.latency': '0,40,80'}
LEAST_TEXELS, MOST_COST = 15.2, 0.01
AS_PAPER = 5, 36       # memories with the paper's order, of all: docs/papers.md
CAUSES = {'vertices compete for the cores': ('vertex.shading=false',), 'idle lanes': ('raster.pack=pixels',),
          'traffic of depth': ('pixel.depth=false',),
          'all three': ('vertex.shading=false', 'raster.pack=pixels', 'pixel.depth=false'),
          'memory takes time': ('dram.perfect=true',)}
MOST_CHANGE = {('texture-cat', 'vertices compete for the cores'): -0.2, ('jellyfish', 'idle lanes'): -0.05,
               ('texture-cube', 'traffic of depth'): -0.2}


def rates(expected, answers, perfect):
   print('| scene | vertices | cycles | texels/cycle | with memory of no time | vertices/cycle | distinct ones '
         '| in cycles with vertices |\n' + '|---' * 8 + '|')
   for name, answer in answers.items():
      t, g = answer['timed'], answer['timed']['gpu']
      expected.row(f'| {name} | {g["vertices"]} | {t["cycles"]} | {g["texels_per_cycle"]:.2f} '
                   f'| {perfect[name]["timed"]["gpu"]["texels_per_cycle"]:.2f} | {g["vertices_per_cycle"]:.2g} '
                   f'| {g["distinct_vertices_per_cycle"]:.2g} | {g["vertices_per_vertex_cycle"]:.3f} |')
   texels = answers['effect2d']['timed']['gpu']['texels_per_cycle']
   expected.within('effect2d: texels a cycle', texels, LEAST_TEXELS, 16)


def causes(expected, paths, answers):
   print('\n| scene | ' + ' | '.join(CAUSES) + ' |\n' + '|---' * (1 + len(CAUSES)) + '|')
   for name, path in paths.items():
      base, changes = answers[name]['timed']['cycles'], []
      for cause, values in CAUSES.items():
         change = simulated(path, 'paper-a', *values)[0]['timed']['cycles'] / base - 1
         expected.within(f'{name}, without {cause}: change of cycles', change, -1,
                         MOST_CHANGE.get((name, cause), MOST_COST))
         changes.append(f'{100 * change:+.1f} %')
      expected.row(f'| {name} | {" | ".join(changes)} |')


def order(expected, folder, paths):
   """Of the scenes, by texels a cycle, in each memory."""
   over = [word for name, values in MEMORIES.items() for word in ('--over', f'{name}={values}')]
   base = sqlite3.connect(swept(folder, 'memories', 'paper-a', ['--mode', 'cycles', *over], paths.values()))
   columns = ', '.join(f'"{name}"' for name in MEMORIES)
   found = collections.defaultdict(dict)
   for scene, rate, *memory in base.execute(f'SELECT capture, "timed.gpu.texels_per_cycle", {columns} FROM results'):
      found[tuple(memory)][scene] = rate
   as_paper = []
   for memory, rate in found.items():
      expected.that(f'{memory}: effect2d is first, texture-cat last', max(rate, key=rate.get) == SCENES[0]
                    and min(rate, key=rate.get) == SCENES[-1] and rate[SCENES[0]] >= LEAST_TEXELS, rate)
      if all(rate[a] > rate[b] for a, b in itertools.pairwise(SCENES)):
         as_paper.append(memory)
   print(f'\nthe order of the paper in {len(as_paper)} of {len(found)} memories ({", ".join(MEMORIES)}):')
   for memory in as_paper:
      print(f'   {", ".join(map(str, memory))}: '
            + ', '.join(f'{scene} {found[memory][scene]:.2f}' for scene in SCENES))
   expected.that(f'the order of the paper in {AS_PAPER[0]} of {AS_PAPER[1]} memories',
                 (len(as_paper), len(found)) == AS_PAPER, f'{len(as_paper)} of {len(found)}')


def main():
   folder, expected = folder_of(__doc__), Expected()
   paths = {name: wanted(folder, name) for name in SCENES}
   answers, perfect = ({name: simulated(path, 'paper-a', *values)[0] for name, path in paths.items()}
                       for values in ((), CAUSES['memory takes time']))
   rates(expected, answers, perfect)
   causes(expected, paths, answers)
   order(expected, folder, paths)
   return expected.status()


if __name__ == '__main__':
   sys.exit(main())
