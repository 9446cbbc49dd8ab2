#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Paper E's table 2 searched for: which unit of a request, which images, which frame size and which partition give its
numbers of requests and its hit rates on the same four scenes of glmark2.

Usage: memory_requests.py FOLDER, with captures SCENE-SIZE.cap of effect2d, shadow, refract and jellyfish, such as
   CLIPFREE_CAPTURE=file=FOLDER/shadow-640x480.cap,frame=20 ./clipfree run glmark2-es2 --off-screen -s 640x480 -b shadow
"""
import itertools
import json
import subprocess
import sys
from pathlib import Path

SIM = Path(__file__).resolve().parents[2] / 'tools/sim/sim'
PAPER = {'effect2d': (8070, 80.86), 'shadow': (120402, 56.67), 'refract': (647680, 11.91), 'jellyfish': (316088, 35.00)}
UNITS = ('pixel', 'quad', 'block')
COUNTED = {   # what of the counters may be a request
   'depth': ('z_requests',), 'colour': ('color_requests',), 'depth and colour': ('z_requests', 'color_requests'),
   'depth, reads and writes': ('z_reads', 'z_writes'), 'colour, reads and writes': ('color_reads', 'color_writes'),
   'all reads and writes': ('z_reads', 'z_writes', 'color_reads', 'color_writes'),
   'depth, colour and texture lines': ('z_requests', 'color_requests', 'texture_requests'),
   'bus': ('bus_reads', 'bus_writes'),
}
REQUESTS_WITHIN, HITS_WITHIN = 0.05, 3.0   # parts of the paper's number; points


def counters(capture):
   """{(unit, partition, early): counters}"""
   found = {}
   for partition, pipelines in (('none', 1), ('2x2', 4)):
      done = subprocess.run([SIM, '--json', '--machine', 'paper-e', '--set', 'color.shared=false', '--set',
                             'color.size_B=32768',
                             '--set', f'screen.partition={partition}', '--set', f'screen.pipelines={pipelines}',
                             '--set', 'z.request=' + ','.join(UNITS), capture], capture_output=True, text=True,
                             check=True)
      for unit, machine in zip(UNITS, json.loads(done.stdout)['machines']):
         found[unit, partition] = machine['counters']
   return found


def hit_rate(c, names):
   """In percent, of the caches that `names` are of."""
   caches = sorted({name.split('_')[0] for name in names} - {'bus'})
   requests, hits = (sum(c[f'{cache}_{what}'] for cache in caches) for what in ('requests', 'hits'))
   return 100 * hits / requests if requests else 0.0


def candidates(counted, size):
   """(worst deviation of requests, description, {scene: (requests, hit rate)}) of a frame size."""
   for unit, partition, (what, names), share in itertools.product(UNITS, ('none', '2x2'), COUNTED.items(), (1, 4)):
      values = {scene: (sum(counted[scene, size][unit, partition][n] for n in names) / share,
                        hit_rate(counted[scene, size][unit, partition], names)) for scene in PAPER}
      worst = max(abs(values[s][0] / PAPER[s][0] - 1) for s in PAPER)
      whose = 'of one pipeline of four' if share == 4 else 'of all pipelines'
      yield worst, f'{size}, by {unit}, {what}, {whose}, caches {"whole" if partition == "none" else "in four"}', values


def main():
   folder = Path(sys.argv[1])
   files = {tuple(path.stem.rsplit('-', 1)): path for path in folder.glob('*-*x*.cap')}
   sizes = sorted({size for scene, size in files if all((s, size) in files for s in PAPER)},
                  key=lambda s: int(s.split('x')[0]))
   counted = {key: counters(path) for key, path in files.items() if key[0] in PAPER and key[1] in sizes}
   found = sorted((c for size in sizes for c in candidates(counted, size)), key=lambda c: c[0])
   print(f'{len(found)} candidates: sizes {", ".join(sizes)}')
   all_within = [c for c in found if c[0] <= REQUESTS_WITHIN]
   print(f'{len(all_within)} have all four numbers of requests within {REQUESTS_WITHIN:.0%}; the nearest:')
   for worst, text, values in found[:3]:
      print(f'   {text}: ' + ', '.join(f'{s} {v[0]:.0f} ({v[1]:.1f} %)' for s, v in values.items())
            + f'; worst {worst:.0%}')
   for scene, (requests, hits) in PAPER.items():
      near = [(abs(v[scene][0] / requests - 1), text, v[scene]) for _, text, v in found
              if abs(v[scene][0] / requests - 1) <= REQUESTS_WITHIN and abs(v[scene][1] - hits) <= HITS_WITHIN]
      print(f'{scene}: {len(near)} candidates have {requests} requests within {REQUESTS_WITHIN:.0%} and {hits} % '
            f'within '
            f'{HITS_WITHIN:g} points' + ''.join(f'\n   {text}: {v[0]:.0f}, {v[1]:.2f} %' for _, text,
                                                v in sorted(near)[:3]))
   ratios = [values['jellyfish'][0] / values['effect2d'][0] for _, _, values in found if values['effect2d'][0]]
   print(f'jellyfish / effect2d: {min(ratios):.2f} to {max(ratios):.2f}; the paper has '
         f'{PAPER["jellyfish"][0] / PAPER["effect2d"][0]:.2f}')


if __name__ == '__main__':
   main()
