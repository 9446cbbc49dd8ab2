# SPDX-License-Identifier: MIT
"""Of suite `tools`: `clipfree sim` counts the same, byte for byte, and records the same, with any number of threads
that replay, any compiler and optimisation, and on another kind of processor (arm64, under qemu). Each build replays
captures itself (harness/hosts.py)."""
from harness.hosts import HOSTED, built, lacking
from harness.suite import BUILD, driver_env
from simulation import scene_capture, simulated

SCENES = ('effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;', 'jellyfish:', 'texture:model=cat', 'shadow:',
          'desktop:effect=shadow:windows=4', 'conditionals:fragment-steps=5:vertex-steps=5')
SIZE = '128x96'
THREADS = ('0', '1', '2', '5')
LONG = [f'same counters {name}' for name in HOSTED]


def names():
   return ['same counters threads']


# ---------------------------------------------------------------- answers

def answers(capture, folder, *options, build=BUILD):
   """All that is said of a capture in both modes, and its recording; or why not."""
   record = folder / 'recording'
   said = []
   for mode, more in (('hits', ['--curves', '--record', record]), ('cycles', [])):
      text, why = simulated(capture, mode, *options, *more, env=driver_env(CLIPFREE_BUILD=str(build)))
      if text is None:
         return f'{mode}: {why}'
      said.append(text)
   recorded = record.read_bytes()
   record.unlink()
   return said, recorded


def difference(expected, found):
   """'' if they are the same; else the first line that differs."""
   if isinstance(found, str):
      return found
   for one, other in zip(expected[0], found[0]):
      if one != other:
         lines = [(a, b) for a, b in zip(one.splitlines(), other.splitlines()) if a != b]
         return f'{lines[0][1].strip()} instead of {lines[0][0].strip()}' if lines else 'more or fewer lines'
   return '' if expected[1] == found[1] else 'another recording'


def check_host(suite, name, case, captures, folder):
   build, why = built(name, 'tools/sim/clipfree-sim')
   if build is None or why:
      suite.check(case, False, f'no build: {why}')
      return
   for scene, capture, expected in captures:
      fault = difference(expected, answers(capture, folder, build=build))
      suite.check(f'{case} {scene}', not fault, fault)


def check(suite, folder, name):
   kind = name.removeprefix('same counters ')
   reason = '' if kind == 'threads' else lacking(kind)
   if reason:
      suite.skip(name, reason)
      return
   captures = []
   for scene in SCENES[:4] if kind == 'threads' else SCENES:
      capture, why = scene_capture(folder, scene, SIZE)
      expected = why or answers(capture, folder, '--threads', THREADS[0])
      if isinstance(expected, str):
         suite.check(f'{name} {scene}', False, expected)
         continue
      captures.append((scene.partition(':')[0], capture, expected))
   if kind != 'threads':
      check_host(suite, kind, name, captures, folder)
      return
   for scene, capture, expected in captures:
      faults = {threads: difference(expected, answers(capture, folder, '--threads', threads)) for threads in
                THREADS[1:]}
      suite.check(f'{name} {scene}', not any(faults.values()),
                  '; '.join(f'{t} threads: {fault}' for t, fault in faults.items() if fault))
