# SPDX-License-Identifier: MIT
"""Work without an end, of suite `trust` (trust_trials.c): contexts that draw it are reset, each of them, soon, and no
other one; pictures of other contexts, drawn before, meanwhile, afterwards and by another thread, are right."""
import random
import re
from itertools import product

from harness.suite import PREBUILT, driver_env, run

PROGRAM = PREBUILT / 'trust_trials'
LINE = re.compile(r'^\d+ trials, \d+ pictures, .*', re.M)
ENGINES, THREADS, PATHS = ('interp', 'jit', 'auto'), (0, 1, 2), ('normal', 'plain')
LIMIT_MS = 20               # of a thread's time: what has no end shows that as well as with 1500
TRIALS = 40                 # of a run of the sample, which has one for each engine
LONG_TRIALS, LONG_RUNS = 1000, 100                           # 10^5 in all
LONG_S = 1800               # for a run


def check_run(suite, case, way, trials, timeout_s):
   engine, threads, path = way
   seed = random.randrange(1 << 32)
   outcome = run([PROGRAM, str(trials), str(seed)],
                 driver_env(CLIPFREE_ENGINE=engine, CLIPFREE_THREADS=str(threads), CLIPFREE_PATH=path,
                            CLIPFREE_TIME_LIMIT_MS=str(LIMIT_MS), MESA_SHADER_CACHE_DISABLE='true'), timeout_s)
   said = LINE.search(outcome.output)
   suite.check(f'{case}: {engine}, {threads} threads, {path} path', outcome.ok and said,
               f'seed {seed}: {said[0] if outcome.ok and said else outcome.why()}')


def check_sample(suite, _folder):
   for engine in ENGINES:
      check_run(suite, 'trials', (engine, random.choice(THREADS), random.choice(PATHS)), TRIALS, 120)


def check_long(suite, _folder):
   """All ways, one after the other, until there were enough."""
   ways = list(product(ENGINES, THREADS, PATHS))
   suite.side_by_side(lambda number: check_run(suite, f'long trials {number}', ways[number % len(ways)], LONG_TRIALS,
                                               LONG_S), range(LONG_RUNS))


CHECKS = {'trials': check_sample}
LONG = {'long trials': check_long}
