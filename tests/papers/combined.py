#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Paper A's GPU with the memory of papers D and E (the machine `combined`), on all of the bench's scenes of glmark2:
the table of docs/papers.md.

Usage: combined.py FOLDER. Frame 20 of each scene at 800x600 is captured into the folder, unless it is there
(SCENE.cap), or a recording of it (SCENE.rec). Each run must end with all work done, each cycle of each unit and cache
must have one cause, and what is done must be what the trace has; else it says so and ends with 1.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests'))

from harness.scenes import glmark2_scenes, slug

SIM = ROOT / 'tools/sim/sim'
MACHINES = {   # what differs from combined
   'combined': {}, 'no DPRT': {'z.prefetch': 'none'}, 'adaptive': {'z.prefetch': 'adaptive'},
   'one pipeline': {'screen.pipelines': 1, 'screen.partition': 'none', 'pixel.quads_per_cycle': 1, 'miss.entries': 64},
   'blocking': {'miss.kind': 'blocking'},
}
FRAME, SIZE = 20, '800x600'


def captured(folder, scene):
   """The recording of a scene; made where it is missing. None: its frame never came."""
   path = folder / f'{slug(scene)}.cap'
   recording = path.with_suffix('.rec')
   if recording.exists():
      return recording
   if not path.exists():
      subprocess.run([ROOT / 'clipfree', 'run', 'glmark2-es2', '--off-screen', '-s', SIZE, '-b',
                      f'{scene.rstrip(":")}:duration=1000:nframes={FRAME + 2}'], capture_output=True, check=True,
                     env=dict(os.environ, CLIPFREE_CAPTURE=f'file={path},frame={FRAME}'))
   if not path.exists():
      return None
   subprocess.run([SIM, path, '--record', recording], capture_output=True, check=True)
   return recording


def run(recording, machine, *values):
   settings = [word for value in values for word in ('--set', value)]
   done = subprocess.run([SIM, '--json', '--mode', 'cycles', '--machine', machine, *settings, recording],
                         capture_output=True, text=True, check=True)
   return json.loads(done.stdout)['machines'][0]


def faults(answer):
   """What a run got wrong."""
   c, t = answer['counters'], answer['timed']
   g = t['gpu']
   caches = t['cycles'] * t['pipelines']
   checks = {
      'work is left': g['stuck'] or g['lost_tasks'],
      'cycles of units': {sum(causes.values()) for causes in g['units'].values()} != {t['cycles']},
      'cycles of caches': any(sum(t[f'{n}_causes'].values()) != caches for n in ('z', 'color')),
      'requests': any(t[f'{n}_hits'] + t[f'{n}_misses'] + t[f'{n}_chained'] != t[f'{n}_requests']
                      for n in ('z', 'color')),
      'quads, vertices or primitives': any(g[n] != c[n] for n in ('quads', 'vertices', 'primitives')),
      'requests of the trace': t['z_requests'] + t['color_requests'] != c['z_requests'] + c['color_requests'],
      'bytes': t['bus_B'] != 64 * (t['bus_reads'] + t['bus_writes']),
   }
   return [name for name, wrong in checks.items() if wrong]


def of_scene(recording):
   """{row: answer}"""
   answers = {'paper-a': run(recording, 'paper-a', 'dram.mapping=permuted')}
   for name, values in MACHINES.items():
      answers[name] = run(recording, 'combined', *(f'{key}={value}' for key, value in values.items()))
   return answers


def row(scene, answers):
   t = {name: answer['timed'] for name, answer in answers.items()}
   base = t['combined']['cycles']
   latency = ' '.join(f'{t[name]["z_latency"] or 0:.1f}' for name in ('no DPRT', 'combined'))
   changes = ' | '.join(f'{100 * (t[name]["cycles"] / base - 1):+.1f} %'
                        for name in ('paper-a', 'one pipeline', 'blocking', 'no DPRT', 'adaptive'))
   busiest = max((100 * causes.get('busy', 0) / base, unit)
                 for unit, causes in t['combined']['gpu']['units'].items() if not unit.startswith('core'))
   bus = 100 * t['combined']['bus_cycles'] / base
   return f'| {scene} | {base} | {changes} | {latency} | {bus:.0f} % | {busiest[1]} {busiest[0]:.0f} % |'


def main():
   folder = Path(sys.argv[1])
   folder.mkdir(parents=True, exist_ok=True)
   bad = 0
   print('| scene | cycles | paper-a | one pipeline | blocking | no DPRT | adaptive | depth latency | bus | busiest |',
         flush=True)
   print('|---' * 10 + '|', flush=True)
   for scene in glmark2_scenes():
      recording = captured(folder, scene)
      if not recording:
         print(f'{scene}: frame {FRAME} never came', file=sys.stderr)
         bad += 1
         continue
      answers = of_scene(recording)
      for name, answer in answers.items():
         for fault in faults(answer):
            print(f'{scene}, {name}: {fault}', file=sys.stderr)
            bad += 1
      print(row(scene, answers), flush=True)
   sys.exit(bad > 0)


if __name__ == '__main__':
   main()
