# SPDX-License-Identifier: MIT
"""A soak, of suite `trust`: contexts that come and go, on several threads, with random programs, windows and sizes
(trust_soak.c). The process that has drawn long holds what it held before; those that are killed leave no shared memory
behind."""
import os
import random
import re
import subprocess
import time
from pathlib import Path
from statistics import mean

from harness.suite import PREBUILT, driver_env, kill_group, run
from steps import SKIPPED

PROGRAM = PREBUILT / 'trust_soak'
LINE = re.compile(r'^(before|round): (\d+) contexts, (\d+) draws, (\d+) programs, (\d+) resizes; '
                  r'(\d+) kB, (\d+) descriptors$', re.M)
THREADS = 4
ENV = {'MESA_SHADER_CACHE_DISABLE': 'true', 'MALLOC_ARENA_MAX': '1'}   # glibc's heaps of threads come and go
# That there are: fewer than the GPU keeps decoded (TRIM_COUNT of cf_program_cache.c), so that its cache is soon full.
PROGRAMS, LONG_PROGRAMS = 32, 1000
ROUNDS, CONTEXTS, DRAWS, KILLS = 12, 32, 100, 10             # of the sample: contexts of a round, draws of a context
LONG_ROUNDS, LONG_CONTEXTS, LONG_KILLS = 40, 252, 200        # 10 080 contexts, more than a million draws
LONG_S = 7200
MOST_GROWN = 0.01    # of the memory in the second quarter of the rounds, in the last


def segments_left():
   """The segments of System V whose makers are gone."""
   table = Path('/proc/sysvipc/shm')
   lines = table.read_text().splitlines() if table.exists() else ['']
   rows = [dict(zip(lines[0].split(), line.split())) for line in lines[1:]]
   return {f'segment {row["shmid"]}' for row in rows if not os.path.exists(f'/proc/{row["cpid"]}')}


def shared_memory():
   """Segments of System V whose makers are gone, and files of POSIX."""
   files = Path('/dev/shm')
   return segments_left() | {path.name for path in files.iterdir()} if files.is_dir() else segments_left()


def left_since(before):
   """Shared memory that was not there before; what is still about to go is waited for."""
   for _ in range(20):
      left = shared_memory() - before
      if not left:
         break
      time.sleep(0.5)
   return left


def arguments(rounds, contexts, programs, seed):
   return [str(number) for number in (rounds, contexts, DRAWS, THREADS, programs, seed)]


def grown(kilobytes):
   """By how much the last quarter of the rounds is above the second."""
   quarter = len(kilobytes) // 4
   return mean(kilobytes[-quarter:]) / mean(kilobytes[quarter:2 * quarter]) - 1


def check_run(suite, case, rounds, contexts, different, timeout_s):
   before, seed = shared_memory(), random.randrange(1 << 32)
   outcome = run([PROGRAM, *arguments(rounds, contexts, different, seed)], driver_env(**ENV), timeout_s)
   if outcome.status == SKIPPED:
      suite.skip(case, outcome.output.strip().splitlines()[-1])
      return
   lines = [(found[1], *map(int, found.groups()[1:])) for found in LINE.finditer(outcome.output)]
   if not outcome.ok or len(lines) != rounds + 1:
      suite.check(case, False, f'seed {seed}: {outcome.why()}')
      return
   _, drawn_contexts, draws, programs, resizes, _, _ = lines[-1]
   held, in_rounds = [line[5] for line in lines[1:]], [line[6] for line in lines[1:]]
   more, left = grown(held), left_since(before)
   suite.check(f'{case}: memory', more <= MOST_GROWN,
               f'{drawn_contexts} contexts, {draws} draws, {programs} programs of {different}, {resizes} resizes, '
               f'{THREADS} threads, {outcome.seconds:.0f} s, seed {seed}: {held[rounds // 4]} kB to {held[-1]} kB, '
               f'{100 * more:+.2f} %')
   suite.check(f'{case}: descriptors', max(in_rounds) <= lines[0][6],
               f'{lines[0][6]} before, {min(in_rounds)} to {max(in_rounds)} after the rounds')
   suite.check(f'{case}: shared memory', not left, f'{len(left)} are left: {sorted(left)[:3]}')


def check_kills(suite, case, kills):
   before, seed = shared_memory(), random.randrange(1 << 32)
   some, drawing = random.Random(seed), 0
   for _ in range(kills):
      process = subprocess.Popen([PROGRAM, *arguments(1 << 20, THREADS, PROGRAMS, some.randrange(1 << 32))],
                                 env=driver_env(**ENV), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
      time.sleep(some.uniform(0.05, 2))
      kill_group(process)
      drawing += 'round' in process.communicate()[0]
   left = left_since(before)
   suite.check(case, not left and drawing > kills / 4,
               f'{kills} kills, of them {drawing} after a round of contexts, seed {seed}; left: {sorted(left)[:3]}')


def check_sample(suite, _folder):
   check_run(suite, 'soak', ROUNDS, CONTEXTS, PROGRAMS, 600)
   check_kills(suite, 'soak: killed', KILLS)


def check_long(suite, _folder):
   check_run(suite, 'long soak', LONG_ROUNDS, LONG_CONTEXTS, LONG_PROGRAMS, LONG_S)
   check_kills(suite, 'long soak: killed', LONG_KILLS)


CHECKS = {'soak': check_sample}
LONG = {'long soak': check_long}
