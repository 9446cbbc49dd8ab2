#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Calls of OpenGL ES 3.0 or of OpenGL 3.3, of its compatibility or its core profile, in any order, with values of their
kind and others: none ends the process, hangs, or leaves contexts made afterwards that draw something else. Called as
libFuzzer's targets are, as far as tests/fuzz/run does.

An input is text, a call or a comment a line, as `glTexImage2D TEXTURE_2D 0 RGBA8 16 16 0 RGBA UNSIGNED_BYTE @0`; where
the first is `desktop` or `core`, of that profile of OpenGL. Functions, the types and names of their parameters, and
constants are those of Mesa's headers. Words: numbers; constants without GL_; `@N`, a place in the data that calls read,
or the offset N where a buffer is bound for it; `!`, where calls write to; `"text"`; `#N`, the N-th program of the
context; `~N`, its N-th sync object; behind ` -> ` the error that there must be. Calls that would read or write outside
of the data by the rules of OpenGL, which makes that the application's fault, are made smaller, or are not among those
that are made. Lines `next` are between inputs of one process, which a finding may need."""
import hashlib
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

from calls_context import open_gl, run_input
from calls_inputs import CORE, DESKTOP, ES3, ROOT, made

FOUND = ROOT / 'tests' / 'fuzz' / 'calls'     # inputs that ended a process once
LONGEST_S = 20             # of an input
FEWER_S = 4                # of one with fewer calls; all take less than a second, where nothing hangs
BATCH = 50                 # inputs of a process
NEXT = 'next\n'             # between inputs of one process
SETTINGS = {'MESA_SHADER_CACHE_DISABLE': 'true', 'CLIPFREE_MEMORY_MB': '256', 'CLIPFREE_TIME_LIMIT_MS': '300'}


def in_process(texts, note, longest_s=LONGEST_S):
   """Runs inputs in a process of their own, until one is found to be wrong. Returns (how many ran, what was found).
   `note`: a file that has the number of the input that runs."""
   reading, writing = os.pipe()
   child = os.fork()
   if child == 0:
      os.dup2(writing, 1)
      os.dup2(writing, 2)
      status = 1
      try:
         os.environ.update(SETTINGS)
         gl = open_gl()
         for number, text in enumerate(texts):
            note.seek(0)
            note.write(f'{number:8}'.encode())
            signal.alarm(longest_s)
            run_input(gl, text)
         status = 0
      except SystemExit as end:
         os.write(1, f'{end}\n'.encode())
      except BaseException as error:                     # a mistake in here is told as one
         os.write(1, f'FINDING: {type(error).__name__}: {error}\n'.encode())
      os._exit(status)
   os.close(writing)
   with os.fdopen(reading, errors='replace') as file:
      said = file.read()
   status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
   note.seek(0)
   number = int(note.read(8))
   if status == 0:
      return len(texts), None
   found = re.search(r'FINDING: (.*)', said)
   return number + 1, found[1] if found else f'signal {signal.Signals(-status).name}' if status < 0 else said[-300:]


def alone(text, longest_s=LONGEST_S):
   """What is found of an input, or of several in one process, with NEXT between."""
   with tempfile.TemporaryFile(buffering=0) as note:
      note.write(b'       0')
      return in_process(text.split(NEXT), note, longest_s)[1]


def fewest(parts, shows, until_s):
   """The parts without those that are not needed for `shows`."""
   size = max(1, len(parts) // 2)
   while time.monotonic() < until_s:
      at = 0
      while at < len(parts) and time.monotonic() < until_s:
         fewer = parts[:at] + parts[at + size:]
         if shows(fewer):
            parts = fewer
         else:
            at += size
      if size == 1:
         break
      size = max(1, size // 2)
   return parts


def fewest_calls(text, found, until_s):
   """The inputs of a text that are needed for what is found, the last of them without calls that are not."""
   inputs = fewest(text.split(NEXT), lambda some: alone(NEXT.join(some), FEWER_S) == found, until_s)
   *before, last = inputs
   lines = last.splitlines()
   kind = lines[:lines[:1] != [] and lines[0] in ('desktop', 'core')]

   def with_lines(some):
      return NEXT.join([*before, '\n'.join(kind + some) + '\n'])
   return with_lines(fewest(lines[len(kind):], lambda some: alone(with_lines(some), FEWER_S) == found, until_s))


def keep_finding(options, text, found):
   name = f'crash-{hashlib.sha256(text.encode()).hexdigest()[:16]}'
   path = Path(options.get('artifact_prefix', '') + name)
   path.write_text(text)
   print(f'FINDING: {found}\n{text}Test unit written to {path}', flush=True)


def write_seeds(folder):
   for path in FOUND.iterdir():
      shutil.copy(path, folder)
   return 0


def fuzz(options, folders):
   seed = int(os.environ.get('CLIPFREE_TEST_SEED') or str(time.time_ns()), 0)
   print(f'CLIPFREE_TEST_SEED={seed}', flush=True)
   numbers, executions, found = random.Random(seed), 0, None
   end_s, ended = time.monotonic() + float(options['max_total_time']), threading.Event()
   signal.signal(signal.SIGUSR1, lambda *_: ended.set())
   texts = [path.read_text() for folder in folders for path in sorted(Path(folder).iterdir())]
   with tempfile.TemporaryFile(buffering=0) as note:
      note.write(b'       0')
      while not found and (not executions or time.monotonic() < end_s) and not ended.is_set():
         texts = texts if texts and not executions else [made(numbers) for _ in range(BATCH)]
         ran, found = in_process(texts, note)
         executions += ran
   if found:
      text, again = next(((text, again) for text in (texts[ran - 1], NEXT.join(texts[:ran])) if (again := alone(text))),
                         (NEXT.join(texts[:ran]), None))
      keep_finding(options, fewest_calls(text, again, time.monotonic() + 100) if again else text, found)
   functions = sum(len(api.called) for api in (ES3, DESKTOP, CORE))
   print(f'Loaded 1 modules   ({functions} functions)\ncov: {functions}\n'
         f'stat::number_of_executed_units: {executions}')
   return 1 if found else 0


def main():
   words = sys.argv[1:]
   if words and words[0].startswith('--seeds='):
      return write_seeds(words[0].partition('=')[2])
   options = dict(word.lstrip('-').split('=', 1) for word in words if word.startswith('-'))
   paths = [word for word in words if not word.startswith('-')]
   if options.get('max_total_time'):
      return fuzz(options, paths)
   found = [what for path in paths if (what := alone(Path(path).read_text()))]
   for what in found:
      print(f'FINDING: {what}')
   return 1 if found else 0


if __name__ == '__main__':
   sys.exit(main())
