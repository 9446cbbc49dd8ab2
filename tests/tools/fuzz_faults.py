# SPDX-License-Identifier: MIT
"""Fuzz targets on the driver (docs/fuzzing.md), of suite `tools`: on a driver whose compiler has a fault each finds it,
on the same driver without one nothing."""
from harness.suite import BUILD, run
from planted_compiler import planted_build, planted_env

# Case: the target, the fault (planted_compiler.py), and what is said of it.
CASES = {
   'fuzz variants: exact_division': ('variants', 'exact_division', 'FINDING: a variant has another picture'),
   'fuzz variants: flow': ('variants', 'flow', 'FINDING: a variant has another picture'),
   'fuzz glsl: coalesce': ('glsl', 'coalesce', 'Test unit written'),
   'fuzz glsl: registers': ('glsl', 'registers', 'FINDING: the driver refuses what GL took: the code is not valid'),
}
LONG = ['fuzz variants: flow']   # a minute until it is found
SEED = '1'
LONGEST_S = 60
RIGHT_S = 5


def names():
   return [case for case in CASES if case not in LONG]


def fuzzed(folder, target, fault, seconds):
   """A target's run on the planted driver."""
   program, seeds, corpus = BUILD / 'tests' / 'fuzz' / f'fuzz-{target}', folder / 'seeds', folder / 'corpus'
   for path in (seeds, corpus):
      path.mkdir(exist_ok=True)
   env = {**planted_env(fault), 'CLIPFREE_TEST_SEED': SEED}
   run([program, f'--seeds={seeds}'], env)
   return run([program, f'-max_total_time={seconds}', f'-artifact_prefix={folder}/', corpus, seeds], env,
              timeout_s=2 * LONGEST_S)


def check(suite, folder, case):
   target, fault, says = CASES[case]
   build, why = planted_build()
   if build is None:
      suite.check(case, False, f'no build: {why}')
      return
   right = fuzzed(folder, target, '', RIGHT_S)
   found = fuzzed(folder, target, fault, LONGEST_S)
   suite.check(case, right.ok and not found.ok and says in found.output,
               f'without: {right.why()}; with: {found.output.strip().splitlines()[-4:]}')
