# SPDX-License-Identifier: MIT
"""Runs of trust_cases, and what they say."""
import re
from functools import cache

from harness.suite import PREBUILT, driver_env, run

PROGRAM = PREBUILT / 'trust_cases'
SKIPPED = 77


def pictures(outcome):
   """The hashes of the pictures that a run drew."""
   return re.findall(r'^picture (\w{16})$', outcome.output, re.MULTILINE)


def messages(outcome):
   """What the driver said."""
   return [line for line in outcome.output.splitlines() if line.startswith('clipfree: ')]


def jobs(outcome, word):
   """How many shaders were `compiled` or `loaded`, with CLIPFREE_DEBUG=perf."""
   return sum(line.startswith('clipfree: jit: ') and line.endswith(f': {word}') for line in messages(outcome))


def take(*steps, program=PROGRAM, prepare=None, **variables):
   """Takes steps with these variables of the driver; nothing is kept on disk unless they say so. `prepare` is called in
   the process before."""
   env = driver_env(**({'MESA_SHADER_CACHE_DISABLE': 'true'} | variables))
   return run([program, *steps], env, timeout_s=120, prepare=prepare)


@cache
def expected(step='draw'):
   """The picture of a step, interpreted, where nothing is refused."""
   found = pictures(take('open', step, CLIPFREE_ENGINE='interp', CLIPFREE_THREADS='0'))
   if len(found) != 1:
      raise SystemExit(f'{PROGRAM} draws no picture where nothing is refused')
   return found[0]


def check(suite, case, outcome, good=True, drawn=('draw',)):
   """A case whose run draws the pictures of the steps `drawn`; `good`: what else it should."""
   if outcome.status == SKIPPED:
      suite.skip(case, outcome.output.strip().splitlines()[-1])
      return
   same = pictures(outcome) == [expected(step) for step in drawn]
   suite.check(case, outcome.ok and same and good,
               outcome.why() if not outcome.ok else '; '.join(messages(outcome))[:160] if same else 'another picture')
