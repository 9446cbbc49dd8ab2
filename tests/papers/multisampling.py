#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What 4x MSAA costs the memory of paper E, on the four scenes of its table 2: traffic and balance, the tables of
docs/papers.md.

Usage: multisampling.py FOLDER. Frame 20 of each scene at 800x600, without and with four samples a pixel, is captured
into the folder, unless it is there: from windows, so it needs a display (glmark2 has no samples off the screen),
and under a clock that is the same each time.
Depth and colour go through the caches of `paper-e`, in mode cycles with a bus of 64 bytes a cycle.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIM = ROOT / 'tools/sim/sim'
SCENES = {'effect2d': f'effect2d:kernel={"1,1,1,1,1;" * 5}', 'shadow': 'shadow', 'refract': 'refract',
          'jellyfish': 'jellyfish'}
LINES = {1: ('one',), 4: ('all', 'one')}   # of z.line_samples, by samples a pixel
LINE_B = 64
CLOCK = {'LD_PRELOAD': str(ROOT / 'build/tests/steady_clock.so'), 'STEADY_CLOCK_STEP_US': '16000'}


def captured(folder, name, samples):
   path = folder / f'{name}-{samples}x.cap'
   if not path.exists():
      subprocess.run([ROOT / 'clipfree', 'run', 'glmark2-es2', '-s', '800x600', '--visual-config',
                      f'samples={samples if samples > 1 else 0}', '-b', f'{SCENES[name]}:duration=1000:nframes=22'],
                     capture_output=True, check=True,
                     env=dict(os.environ, CLIPFREE_CAPTURE=f'file={path},frame=20', **CLOCK))
   if not path.exists():
      sys.exit(f'{name}: frame 20 never came')
   return path


def run(path, *values):
   settings = [word for value in ('dram.bus_B=64', *values) for word in ('--set', value)]
   done = subprocess.run([SIM, '--json', '--mode', 'cycles', '--machine', 'paper-e', *settings, path],
                         capture_output=True, text=True, check=True)
   return json.loads(done.stdout)['machines'][0]


def columns(answer):
   """What a row has of an answer."""
   c, t = answer['counters'], answer['timed']
   load = c['pipeline_requests']
   return {'requests': c['z_requests'], 'hits': 100 * c['z_hits'] / c['z_requests'],
           'read': t['z_misses'] * LINE_B / 1e6, 'written': (t['bus_B'] - t['z_misses'] * LINE_B) / 1e6,
           'cycles': t['cycles'], 'balance': max(load) * len(load) / sum(load)}


def main(folder):
   folder.mkdir(parents=True, exist_ok=True)
   print('| scene | samples | a line has | fragments | requests | hits | MB read | MB written | cycles '
         '| most loaded pipeline / mean |\n' + '|---' * 10 + '|')
   for name in SCENES:
      for samples, kinds in LINES.items():
         path = captured(folder, name, samples)
         for kind in kinds:
            answer = run(path, f'z.line_samples={kind}')
            r = columns(answer)
            what = '4x4 px' if samples == 1 else '2x2 px, 4 samples' if kind == 'all' else '4x4 px, 1 sample'
            print(f'| {name} | {samples} | {what} | {answer["counters"]["fragments"]} | {r["requests"]} '
                  f'| {r["hits"]:.2f} % | {r["read"]:.2f} | {r["written"]:.2f} | {r["cycles"]} | {r["balance"]:.4f} |',
                  flush=True)


if __name__ == '__main__':
   if len(sys.argv) != 2:
      sys.exit(__doc__.split('\n\n')[1])
   main(Path(sys.argv[1]).absolute())
