# SPDX-License-Identifier: MIT
"""Compiled shaders, of suite `trust`: no memory is ever writable and executable; where the host refuses executable
memory, everything is interpreted, with one message."""
import subprocess
import time
from pathlib import Path

from harness.suite import driver_env, kill_group
from steps import check, jobs, messages, take

COMPILED = {'CLIPFREE_ENGINE': 'jit', 'CLIPFREE_DEBUG': 'perf'}
REFUSED = 'clipfree: shaders are interpreted: the system allows no executable memory'
LOOKS = 20          # at the mappings of a program, at least
LOOK_S = 0.02


def check_never_both(suite, folder):
   """Who asks for a mapping that is writable and executable is killed: Mesa's part of OpenGL 2.1 too, and what is
   loaded from the cache."""
   steps = ('kill-writable-code', 'open', 'draw', 'maps', 'feedback', 'maps')
   outcome = take(*steps, **COMPILED)
   check(suite, 'never both', outcome, jobs(outcome, 'compiled') > 0)
   cached = {'MESA_SHADER_CACHE_DISABLE': 'false', 'MESA_SHADER_CACHE_DIR': str(folder)}
   for case, word in ('never both, kept', 'compiled'), ('never both, loaded', 'loaded'):
      outcome = take(*steps, **COMPILED, **cached)
      check(suite, case, outcome, jobs(outcome, word) > 0)


def mappings(process):
   """[(rights, the line)] of a process; none: it is gone."""
   try:
      lines = Path(f'/proc/{process.pid}/maps').read_text().splitlines()
   except OSError:
      return []
   return [(line.split()[1], line) for line in lines]


def check_program(suite, _folder):
   """The mappings of an unmodified program, while its shaders are compiled."""
   command = ['glmark2-es2', '--off-screen', '-s', '320x240', '-b', 'terrain:duration=1', '-b', 'shadow:duration=1']
   env = driver_env(CLIPFREE_ENGINE='jit', MESA_SHADER_CACHE_DISABLE='true')
   with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         start_new_session=True) as process:
      try:
         looks, code, both = 0, 0, []    # code: mappings at once; neighbours are one
         while process.poll() is None:
            found = mappings(process)
            looks += bool(found)
            code = max(code, sum(rights == 'r-xp' and len(line.split()) == 5 for rights, line in found))
            both += [line for rights, line in found if rights[1:3] == 'wx']
            time.sleep(LOOK_S)
      finally:
         if process.poll() is None:
            kill_group(process)
   suite.check('never both, of a program', process.returncode == 0 and looks >= LOOKS and code and not both,
               f'{looks} looks, {code} mappings of code; {both[:2]}')


def check_file(suite, _folder):
   """Memory may not become executable, but files may be mapped so: shaders are compiled, without a word."""
   for step in 'refuse-executable-gain', 'refuse-code-in-memory':
      outcome = take(step, 'open', 'draw', 'maps', **COMPILED)
      check(suite, f'code in a file: {step}', outcome, jobs(outcome, 'compiled') and REFUSED not in outcome.output)


def check_refused(suite, _folder):
   """Nothing new may be executable: interpreted, and one message, whenever that begins."""
   def one(case, outcome, drawn):
      said = [line for line in messages(outcome) if line.startswith(REFUSED)]
      check(suite, case, outcome, len(said) == 1, drawn)
   steps = 'load', 'refuse-all-code', 'open', 'draw', 'draw=1', 'close', 'open', 'draw'
   for engine in 'auto', 'jit':
      one(f'refused, {engine}', take(*steps, CLIPFREE_ENGINE=engine), ('draw', 'draw=1', 'draw'))
   outcome = take('open', 'draw', 'refuse-all-code', 'draw=1', 'draw-again', CLIPFREE_ENGINE='jit')
   one('refused, later', outcome, ('draw', 'draw=1', 'draw=1'))


CHECKS = {'never both': check_never_both, 'never both, of a program': check_program, 'code in a file': check_file,
          'refused': check_refused}
