# SPDX-License-Identifier: MIT
"""Paper E's table 2 searched for, of suite `tools`, long: which unit of a request, which images, which frame size and
which partition give its numbers of requests and its hit rates on the same four scenes of glmark2; and which count of a
frame's draws gives its numbers of vertices. docs/papers.md says what the search finds."""
import itertools
import json

from harness.suite import BUILD, driver_env, run
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
VERTICES = {'effect2d': 4, 'shadow': 21516, 'refract': 209889, 'jellyfish': 13200}
# What of the frame's draws, by their elements, may be the number of vertices.
COUNTS = {'all draws': sum, 'the largest draw': max, 'half of all draws': lambda draws: sum(draws) / 2,
          'the first draw': lambda draws: draws[0], 'the last draw': lambda draws: draws[-1],
          'triangles of all draws': lambda draws: sum(draws) / 3}
# Of the largest draw; effect2d has two triangles of a rectangle, refract the 69 666 triangles of bunny.obj.
LARGEST = {'effect2d': 6, 'shadow': 21516, 'refract': 208998, 'jellyfish': 13200}
MODELS = ('asteroid-high', 'asteroid-low', 'bunny', 'cat', 'cube', 'horse')
MOST_DRAWS = 4     # of models in a frame, in sums of them
REPORT = BUILD / 'tools/report/clipfree-report'
REQUESTS_WITHIN, HITS_WITHIN = 0.05, 3.0   # parts of the paper's number; points
SETTINGS = ('color.shared=false', 'color.size_B=32768', 'z.request=' + ','.join(UNITS))
LONG = ['paper E table 2', 'paper E vertices']


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


def elements(folder, scene):
   """Elements of each draw of a frame."""
   path, why = scene_capture(folder, scene, SIZES[0])
   if why:
      raise RuntimeError(f'{scene}: no capture: {why}')
   outcome = run([REPORT, path], driver_env(), timeout_s=300)
   path.unlink()
   if not outcome.ok:
      raise RuntimeError(f'{scene}: {outcome.why()}')
   frames = json.loads(outcome.output[outcome.output.index('{'):])['frames']
   return [draw['vertex']['lanes'] for frame in frames for draw in frame['draws']]


def sums_of_models(counts, wanted):
   """Up to MOST_DRAWS draws of models that together have so many elements."""
   return [' + '.join(models) for number in range(1, MOST_DRAWS + 1)
           for models in itertools.combinations_with_replacement(counts, number)
           if sum(counts[model] for model in models) == wanted]


def check_vertices(suite, folder, name):
   """Shadow's and jellyfish's are the elements of the largest draw, exactly. No count gives refract's, nor do sums of
   glmark2's models: 209 889 is the elements of the largest draw, 208 998, with each 8 and 9 exchanged."""
   try:
      draws = {scene: elements(folder, f'{scene}:') for scene in VERTICES}
      models = {model: max(elements(folder, f'build:model={model}:')) for model in MODELS}
   except RuntimeError as error:
      suite.check(name, False, str(error))
      return
   for scene, paper in VERTICES.items():
      counted = {what: count(draws[scene]) for what, count in COUNTS.items()}
      found = [what for what, value in counted.items() if value == paper]
      is_right = counted['the largest draw'] == LARGEST[scene] and \
         ('the largest draw' in found) == (scene in ('shadow', 'jellyfish'))
      suite.check(f'{name} {scene}', is_right, f'the paper has {paper}: {" and ".join(found) or "none of them"}: '
                  + ', '.join(f'{what} {value:g}' for what, value in counted.items()))
   sums = sums_of_models(models, VERTICES['refract'])
   suite.check(f'{name} models', models['bunny'] == LARGEST['refract'] and not sums, '; '.join(sums) or
               f'no {MOST_DRAWS} draws of {models} have {VERTICES["refract"]} elements')
   exchanged = str(LARGEST['refract']).translate(str.maketrans('89', '98'))
   suite.check(f'{name} digits', exchanged == str(VERTICES['refract']), exchanged)


def check(suite, folder, name):
   if name == LONG[1]:
      check_vertices(suite, folder, name)
      return
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
