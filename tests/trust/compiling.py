# SPDX-License-Identifier: MIT
"""Random programs of GLSL ES 3.00 that were compiled badly once, of suite `trust`: LLVM did not come to an end (with
AVX-512), or the proof refused right code. They are known by their hashes: where the generator of `es3-random` makes
others of these numbers, look for such programs anew."""
from functools import partial

from harness.suite import PREBUILT, driver_env, run

# What was found: (seed, case, hash) of rule es3-random.
FOUND = {'LLVM comes to an end': ((1, 70, '97a12f3edac50925'), (1, 78, '561bd3f6a5ce1175'),
                                  (1021, 28, '848fb6ccd360a185')),
         'right code is proven': ((2, 101, '12fb6f99d8cd4707'), (1001, 68, '1c224849d4cca525'))}
BAD = ('does not come to an end', 'is not run, but interpreted')


def check(name, suite, _folder):
   environment = driver_env(EGL_PLATFORM='surfaceless', CLIPFREE_ENGINE='jit', CLIPFREE_DEBUG='perf,nocache')
   for seed, case, wanted in FOUND[name]:
      words = ['es3-random', '--seed', str(seed), '--case', str(case)]
      drawn = run([PREBUILT / 'es3_rules', *words], environment, timeout_s=120)
      compiled, bad = drawn.output.count(': compiled\n'), [words for words in BAD if words in drawn.output]
      suite.check(f'{name}: seed {seed}, case {case}',
                  drawn.ok and compiled and not bad and f'hash {wanted}' in drawn.output,
                  f'{compiled} compiled; {", ".join(bad)} {drawn.why()}; wanted: {wanted}')


CHECKS = {name: partial(check, name) for name in FOUND}
