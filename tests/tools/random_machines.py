# SPDX-License-Identifier: MIT
"""Random machines on recordings of real programs, of suite `tools`, long: a machine is refused with its parameters'
names, or what it counts is conserved, the same again, bounded by memory that takes no time, and by a cache that knows
the future. CLIPFREE_TEST_SEED repeats a run."""
import json
import os
import random
import sys
import time

from harness.suite import BUILD, ROOT, driver_env, run
from simulation import FRONT, MACHINES, faults_of, scene_capture

sys.path.insert(0, str(ROOT / 'tools/sim'))

import machines  # noqa: E402

SCENES = ('effect2d:', 'jellyfish:', 'texture:model=cat', 'shadow:', 'ideas:speed=duration', 'terrain:')
SIZE = '128x96'
EACH = 25              # machines of a scene that run
CHANGED = 8            # parameters of a machine
FIXED = ('gpu.model', 'dram.perfect')
BOUND = 1.02           # memory without time may cost so much more, by another order of requests
LONG = ['random machines']


def names():
   return []


def value_of(p, numbers):
   """A random value of a parameter; of numbers, small ones are as likely as large ones."""
   if 'choices' in p:
      return numbers.choice(p['choices'])
   if isinstance(p['default'], bool):
      return numbers.random() < 0.5
   most = min(p['most'], max(16 * p['default'], 64))
   value = round(2 ** numbers.uniform(0, (most - p['least'] + 1).bit_length())) + p['least'] - 1
   if p.get('power'):
      value = 1 << max(0, value.bit_length() - 1)
   return min(most, max(p['least'], value))


def settings(numbers):
   """[word] of a random machine: a shipped one with some other values."""
   known = machines.schema()
   chosen = numbers.sample([name for name in known if name not in FIXED], CHANGED)
   values = {name: value_of(known[name], numbers) for name in chosen}
   words = [w for name, value in values.items() if machines.is_allowed(known[name], value)
            for w in ('--set', f'{name}={machines.text_of(value)}')]
   return ['--machine', numbers.choice(MACHINES), *words]


def counted(recording, mode, words):
   """(machine of the answer, what was said)"""
   outcome = run([FRONT, '--json', '--mode', mode, *words, recording], driver_env(), timeout_s=600)
   return (json.loads(outcome.output)['machines'][0] if outcome.ok else None), outcome


def is_refusal(outcome):
   return outcome.status == 1 and outcome.output.startswith('clipfree sim: ') and '.' in outcome.output


def fault_of(recording, words):
   """None: the machine is refused; '' or what is wrong with what it counts."""
   timed, outcome = counted(recording, 'cycles', words)
   if timed is None:
      return None if is_refusal(outcome) else f'cycles: {outcome.why()}'
   again, _ = counted(recording, 'cycles', words)
   faults = faults_of(timed) + ([] if again == timed else ['another answer the second time'])
   perfect, outcome = counted(recording, 'cycles', [*words, '--set', 'dram.perfect=true'])
   if perfect is None:
      faults.append(f'dram.perfect: {outcome.why()}')
   elif perfect['timed']['cycles'] > BOUND * timed['timed']['cycles']:
      faults.append(f'{perfect["timed"]["cycles"]} cycles with memory of no time, {timed["timed"]["cycles"]} else')
   hits, _ = counted(recording, 'hits', words)
   best, outcome = counted(recording, 'hits', [*words, '--set', 'z.policy=optimal'])
   if best and best['counters']['z_misses'] > hits['counters']['z_misses']:
      faults.append('z.policy=optimal has more misses')
   return '; '.join(faults)


def check(suite, folder, name):
   seed = int(os.environ.get('CLIPFREE_TEST_SEED', str(int(time.time()))), 0)
   for scene in SCENES:
      numbers, wrong, ran, refused = random.Random(f'{seed} {scene}'), [], 0, 0
      path, why = scene_capture(folder, scene, SIZE)
      recording = folder / 'scene.rec'
      recorded = run([BUILD / 'tools/sim/clipfree-sim', '--record', recording, path], driver_env(), timeout_s=600)
      if why or not recorded.ok:
         suite.check(f'{name} {scene}', False, why or recorded.why())
         continue
      while ran < EACH and refused < 10 * EACH and not wrong:
         words = settings(numbers)
         fault = fault_of(recording, words)
         ran, refused = ran + (fault is not None), refused + (fault is None)
         wrong += [f'{" ".join(words)}: {fault}'] if fault else []
      suite.check(f'{name} {scene.partition(":")[0]}', ran == EACH and not wrong,
                  f'CLIPFREE_TEST_SEED={seed}: {ran} machines, {refused} others refused'
                  + ''.join(f'; {w}' for w in wrong))
