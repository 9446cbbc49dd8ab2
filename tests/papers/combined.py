#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Paper A's GPU with the memory of papers D and E (the machine `combined`), on all of the bench's scenes of glmark2:
the table of docs/papers.md.

Usage: ./clipfree run tests/papers/combined.py FOLDER. Frame 20 of each scene at 800x600 is captured into the folder,
unless it is there (SCENE.cap), or a recording of it (SCENE.rec). Each run must end with all work done, each cycle of
each unit and cache must have one cause, and what is done must be what the trace has; DPRT must answer depth sooner, and
the frame must take as long as without it within 4 percent; the memory of D and E must not be slower than paper A's by
more than 1 percent. Each row is in docs/papers.md. Else it says so and ends with 1.
"""
import sys

from measured import Expected, captured, folder_of, recorded, simulated

from harness.scenes import glmark2_scenes, slug

MACHINES = {   # what differs from combined
   'combined': {}, 'no DPRT': {'z.prefetch': 'none'}, 'adaptive': {'z.prefetch': 'adaptive'},
   'one pipeline': {'screen.pipelines': 1, 'screen.partition': 'none', 'pixel.quads_per_cycle': 1, 'miss.entries': 64},
   'blocking': {'miss.kind': 'blocking'},
}
MOST_CHANGE, MOST_SLOWER = 0.04, 0.01


def run(recording, machine, *values):
   return simulated(recording, machine, *values)[0]


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
   latencies = [t[name]['z_latency'] for name in ('no DPRT', 'combined')]
   latency = ' '.join(f'{value:.1f}' for value in latencies if value) or 'none'
   changes = ' | '.join(f'{100 * (t[name]["cycles"] / base - 1):+.1f} %'
                        for name in ('paper-a', 'one pipeline', 'blocking', 'no DPRT', 'adaptive'))
   busiest = max((100 * causes.get('busy', 0) / base, unit)
                 for unit, causes in t['combined']['gpu']['units'].items() if not unit.startswith('core'))
   bus = 100 * t['combined']['bus_cycles'] / base
   return f'| {scene.rstrip(":")} | {base} | {changes} | {latency} | {bus:.0f} % | {busiest[1]} {busiest[0]:.0f} % |'


def check(expected, scene, answers):
   """What DPRT and the memory are for."""
   t = {name: answer['timed'] for name, answer in answers.items()}
   base = t['combined']['cycles']
   for name in ('no DPRT', 'adaptive'):
      expected.within(f'{scene}, {name}: change of cycles', t[name]['cycles'] / base - 1, -MOST_CHANGE, MOST_CHANGE)
   expected.that(f'{scene}: DPRT answers depth sooner',
                 (t['combined']['z_latency'] or 0) <= (t['no DPRT']['z_latency'] or 0))
   expected.that(f'{scene}: paper A\'s memory is no faster', t['paper-a']['cycles'] >= base * (1 - MOST_SLOWER),
                 f'{t["paper-a"]["cycles"]} and {base} cycles')


def main():
   folder, expected = folder_of(__doc__), Expected()
   print('| scene | cycles | paper-a | one pipeline | blocking | no DPRT | adaptive | depth latency | bus | busiest |',
         flush=True)
   print('|---' * 10 + '|', flush=True)
   for scene in glmark2_scenes():
      path = folder / f'{slug(scene)}.rec'
      path = path if path.exists() else captured(folder, slug(scene), scene)
      expected.that(f'{scene}: a frame', path)
      if not path:
         continue
      answers = of_scene(path if path.suffix == '.rec' else recorded(path))
      for name, answer in answers.items():
         expected.that(f'{scene}, {name}', not faults(answer), ', '.join(faults(answer)))
      check(expected, scene, answers)
      expected.row(row(scene, answers))
   return expected.status()


if __name__ == '__main__':
   sys.exit(main())
