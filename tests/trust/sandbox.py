# SPDX-License-Identifier: MIT
"""A strict sandbox, of suite `trust`: after CLIPFREE_WARM_UP=1 a program draws with few system calls, which
docs/security.md lists."""
import re

from harness.suite import ROOT, run
from steps import PROGRAM, check, messages, take

PAGE = ROOT / 'docs' / 'security.md'
MOST_CALLS = 25
WARM = {'CLIPFREE_WARM_UP': '1'}
ENGINES = ('interp', 'auto', 'jit')


def check_list(suite, _folder):
   """The page lists what the filter allows."""
   allowed = run([PROGRAM, 'print-allowed']).output.split()
   listed = re.search(r'<!-- allowed -->\n\n(.*?)\n\n', PAGE.read_text(), re.DOTALL)
   names = re.findall(r'`(\w+)`', listed[1]) if listed else []
   suite.check('allowed system calls', 0 < len(allowed) <= MOST_CALLS and sorted(allowed) == sorted(names),
               f'{len(allowed)} are allowed; here or on the page alone: {sorted(set(allowed) ^ set(names))}')


def check_drawing(suite, _folder):
   """Drawing, with new shaders, programs and textures, with threads and without; threads were made before."""
   for engine in ENGINES:
      for threads in '0', '1', '4':
         outcome = take('open', 'allow-few', 'draw', 'draw=1', 'draw-again', CLIPFREE_ENGINE=engine,
                        CLIPFREE_THREADS=threads, **WARM)
         check(suite, f'few system calls, {engine}, {threads} threads', outcome, not messages(outcome),
               ('draw', 'draw=1', 'draw=1'))


def check_files(suite, folder):
   """Caches that were opened, and then no file more: they miss, without a word."""
   for engine in ENGINES:
      outcome = take('open', 'refuse-files', 'draw', 'draw=1', CLIPFREE_ENGINE=engine,
                     MESA_SHADER_CACHE_DIR=str(folder), MESA_SHADER_CACHE_DISABLE='false', **WARM)
      check(suite, f'no files, {engine}', outcome, not messages(outcome), ('draw', 'draw=1'))


def check_late(suite, folder):
   """A sandbox may ask for a process with one thread and no open folder: threads are made, and folders opened, with the
   first draw; the compiler may be loaded before. Who warms up all at once has them."""
   kept = {'MESA_SHADER_CACHE_DIR': str(folder), 'MESA_SHADER_CACHE_DISABLE': 'false', 'CLIPFREE_THREADS': '4'}
   for engine in ENGINES:
      outcome = take('open', 'one-thread', 'draw', CLIPFREE_ENGINE=engine, **kept)
      check(suite, f'late threads, {engine}', outcome, not messages(outcome))
   outcome = take('open', 'one-thread', 'compiler', 'draw', CLIPFREE_WARM_UP='compiler', **kept)
   check(suite, 'late threads, compiler', outcome, not messages(outcome))
   outcome = take('open', 'one-thread', **kept, **WARM)
   suite.check('late threads, not late', not outcome.ok and 'threads' in outcome.output, outcome.why())


CHECKS = {'late threads': check_late, 'allowed system calls': check_list, 'few system calls': check_drawing,
          'no files': check_files}
