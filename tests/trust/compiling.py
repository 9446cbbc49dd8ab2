# SPDX-License-Identifier: MIT
"""Random programs of GLSL ES 3.00 that were compiled badly once, of suite `trust`: LLVM did not come to an end, or the
proof refused right code."""
from functools import partial

from harness.suite import PREBUILT, driver_env, run

# What was found: (seed, case) of rule es3-random.
FOUND = {'LLVM comes to an end': ((1, 70), (1, 78), (1021, 28)), 'right code is proven': ((2, 101), (1001, 68))}
BAD = ('does not come to an end', 'is not run, but interpreted')


def check(name, suite, _folder):
   environment = driver_env(EGL_PLATFORM='surfaceless', CLIPFREE_ENGINE='jit', CLIPFREE_DEBUG='perf,nocache')
   for seed, case in FOUND[name]:
      words = ['es3-random', '--seed', str(seed), '--case', str(case)]
      drawn = run([PREBUILT / 'es3_rules', *words], environment, timeout_s=120)
      compiled, bad = drawn.output.count(': compiled\n'), [words for words in BAD if words in drawn.output]
      suite.check(f'{name}: seed {seed}, case {case}', drawn.ok and compiled and not bad,
                  f'{compiled} compiled; {", ".join(bad)} {drawn.why()}')


CHECKS = {name: partial(check, name) for name in FOUND}
