# SPDX-License-Identifier: MIT
"""Paper E's table 2 searched for, of suite `tools`, long: which unit of a request, which images, which frame size and
which partition give its numbers of requests and its hit rates on the same four scenes of glmark2. docs/papers.md says
what the search finds."""
import itertools
import json

from simulation import scene_capture, simulated

PAPER = {'effect2d': (8070, 80.86), 'shadow': (120402, 56.67), 'refract': (647680, 11.91), 'jellyfish': (316088, 35.00)}
UNITS = ('pixel', 'quad', 'block')
COUNTED = {   # what of the counters may be a request
   'depth': ('z_requests',), 'colour': ('color_requests',), 'depth and colour': ('z_requests', 'color_requests'),
   'depth, reads and writes': ('z_reads', 'z_writes'), 'colour, reads and writes': ('color_reads', 'color_writes'),
   'all reads and writes': ('z_reads', 'z_writes', 'color_reads', 'color_writes'),
   'depth, colour and texture lines': ('z_requests', 'color_requests', 'texture_requests'),
   'bus': ('bus_reads', 'bus_writes'),
}
SIZES = ('320x240', '640x480', '800x600', '1024x768', '1920x1080')
REQUESTS_WITHIN, HITS_WITHIN = 0.05, 3.0   # parts of the paper's number; points
SETTINGS = ('color.shared=false', 'color.size_B=32768', 'z.request=' + ','.join(UNITS))
LONG = ['paper E table 2']


def names():
   return []


def counters(capture):
   """{(unit, partition): counters}"""
   found = {}
   for partition, pipelines in (('none', 1), ('2x2', 4)):
      words = [w for s in (*SETTINGS, f'screen.partition={partition}', f'screen.pipelines={pipelines}')
               for w in ('--set', s)]
      text, why = simulated(capture, 'hits', *words, machines=['paper-e'])
      if text is None:
         raise RuntimeError(f'{capture.name}: {why}')
      for unit, machine in zip(UNITS, json.loads(text)['machines']):
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


def count_all(folder):
   """{(scene, size): counters}"""
   counted = {}
   for scene, size in itertools.product(PAPER, SIZES):
      path, why = scene_capture(folder, f'{scene}:', size)
      if why:
         raise RuntimeError(f'{scene}: no capture: {why}')
      counted[scene, size] = counters(path)
      path.unlink()
   return counted


def is_near(value, scene):
   requests, hits = PAPER[scene]
   return abs(value[0] / requests - 1) <= REQUESTS_WITHIN and abs(value[1] - hits) <= HITS_WITHIN


def check(suite, folder, name):
   try:
      counted = count_all(folder)
   except RuntimeError as error:
      suite.check(name, False, str(error))
      return
   found = sorted((c for size in SIZES for c in candidates(counted, size)), key=lambda c: c[0])
   worst, nearest, values = found[0]
   suite.check(f'{name} candidates', len(found) == len(SIZES) * len(UNITS) * 2 * len(COUNTED) * 2,
               f'{len(found)} candidates')
   suite.check(f'{name} excluded', worst > REQUESTS_WITHIN,
               f'the nearest is wrong by {worst:.0%}: {nearest}: '
               + ', '.join(f'{s} {v[0]:.0f} ({v[1]:.1f} %)' for s, v in values.items()))
   ratios = [values['jellyfish'][0] / values['effect2d'][0] for _, _, values in found if values['effect2d'][0]]
   paper = PAPER['jellyfish'][0] / PAPER['effect2d'][0]
   suite.check(f'{name} jellyfish / effect2d', max(ratios) < paper / 2,
               f'{min(ratios):.2f} to {max(ratios):.2f}; the paper has {paper:.2f}')
   near = [f'{scene}: {text}: {v[scene][0]:.0f}, {v[scene][1]:.2f} %' for scene in PAPER for _, text, v in found
           if is_near(v[scene], scene)]
   suite.check(f'{name} single numbers', any(n.startswith('shadow') for n in near), '; '.join(near[:4]))
