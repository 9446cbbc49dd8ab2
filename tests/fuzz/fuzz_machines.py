#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Machine files (tools/sim/machines.py): mutated ones are read as machines whose values are allowed, or refused with a
reason that names the file; no other exception is raised, and none takes long. Called as libFuzzer's targets are, as far
as tests/fuzz/run does; in place of libFuzzer it keeps the files that reach a new line of machines.py."""
import functools
import hashlib
import os
import random
import re
import signal
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tools/sim'))

import machines  # noqa: E402

machines.schema = functools.cache(machines.schema)  # it is the same for all files

LONGEST_S = 20
MOST_CHECKED = 50   # machines of a file
WORDS = ['[z]', '[gpu]', '[dram]', '[[z]]', 'based-on = "paper-a"', 'based-on = "combined"', 'based-on = "input.toml"',
         'based-on = ""', 'based-on = "/"', 'based-on = 1', '=', '[', ']', '{', '}', '"', '#', '\n', '\\u0000',
         '\\ud800',
         '1979-05-27', 'nan', '-inf', '0x7fffffffffffffff', '-1', '0', '1e400', '9' * 5000, '[' * 2000, 'true', '""',
         "'''", '"' + 'x' * 5000 + '"', '[1, 2, 4, 8]', '[[1], [2]]', '{ a = 1 }', 'z.sets = 4', '"z"."sets" = 1',
         'a.b.c = 1']


# ---------------------------------------------------------------- one input

def fault_of(path):
   """What is wrong with how the file is read; None: nothing."""
   known = machines.schema()
   try:
      found = machines.load(str(path))
   except machines.Wrong as error:
      return None if str(path) in str(error) or str(path.parent) in str(error) else f'the reason names no file: {error}'
   for machine in found[:MOST_CHECKED]:
      wrong = [key for key, value in machine.values.items() if not machines.is_allowed(known[key], value)]
      if wrong or '\n\n' in machine.lines():
         return f'{wrong} of {machine.name} are not allowed'
   return None


def too_long(number, frame):
   raise TimeoutError(f'it takes more than {LONGEST_S} s')


def run_input(folder, data):
   """None, or what was found."""
   path = Path(folder, 'input.toml')
   path.write_bytes(data)
   signal.alarm(LONGEST_S)
   try:
      return fault_of(path)
   except Exception as error:
      where = traceback.extract_tb(error.__traceback__)
      ours = next((f for f in reversed(where) if f.filename.endswith('machines.py') and f.name != 'fault_of'),
                  where[-1])
      return f'{type(error).__name__}: {str(error)[:200]} in {ours.name}'
   finally:
      signal.alarm(0)


# ---------------------------------------------------------------- coverage

class Lines:
   """Lines of machines.py that ran."""

   def __init__(self):
      self.reached = set()
      self.all = set(self.lines_of(compile(Path(machines.__file__).read_text(), machines.__file__, 'exec')))

   def lines_of(self, code):
      yield from (line for _, _, line in code.co_lines() if line)
      for inner in code.co_consts:
         if hasattr(inner, 'co_lines'):
            yield from self.lines_of(inner)

   def trace(self, frame, event, argument):
      if frame.f_code.co_filename != machines.__file__:
         return None
      self.reached.add(frame.f_lineno)
      return self.trace

   def run(self, folder, data):
      """What was found, and whether it reached a new line."""
      before = len(self.reached)
      sys.settrace(self.trace)
      found = run_input(folder, data)
      sys.settrace(None)
      return found, len(self.reached) > before


# ---------------------------------------------------------------- mutations

def change_number(text, numbers):
   places = [m.span() for m in re.finditer(r'\d+', text)]
   if not places:
      return text
   begin, end = numbers.choice(places)
   value = numbers.choice([0, 1, 2, 3, 64, 65, 2 ** 31, 2 ** 63, 2 ** 64, int(text[begin:end][:9]) + 1,
                           numbers.getrandbits(70)])
   return text[:begin] + str(value) + text[end:]


def change_lines(text, numbers):
   lines = text.splitlines()
   if not lines:
      return text
   i, j = numbers.randrange(len(lines)), numbers.randrange(len(lines))
   match numbers.randrange(4):
      case 0:
         lines.insert(i, lines[j])
      case 1:
         del lines[i]
      case 2:
         lines[i], lines[j] = lines[j], lines[i]
      case 3:
         key, _, value = lines[i].partition('=')
         lines[i] = f'{key}= [{value.split("#")[0]}, {lines[j].partition("=")[2].split("#")[0]}]'
   return '\n'.join(lines) + '\n'


def insert_word(text, numbers):
   at = numbers.choice([0, len(text), numbers.randint(0, len(text))])
   word = numbers.choice(WORDS)
   return text[:at] + numbers.choice(['', '\n']) + word + numbers.choice(['', '\n']) + text[at:]


def change_value(text, numbers):
   lines = [n for n, line in enumerate(text.splitlines()) if '=' in line]
   if not lines:
      return text
   parts, n = text.splitlines(), numbers.choice(lines)
   parts[n] = parts[n].partition('=')[0] + '= ' + numbers.choice(WORDS)
   return '\n'.join(parts) + '\n'


def mutated(data, other, numbers):
   text = data.decode(errors='surrogateescape')
   for _ in range(numbers.randint(1, 4)):
      way = numbers.choice([change_number, change_lines, insert_word, change_value])
      text = way(text, numbers)
   if numbers.random() < 0.1:
      half = other.decode(errors='surrogateescape')
      text = text[:numbers.randint(0, len(text))] + half[numbers.randint(0, len(half)):]
   data = bytearray(text.encode(errors='surrogateescape'))
   if data and numbers.random() < 0.1:
      data[numbers.randrange(len(data))] = numbers.randrange(256)
   return bytes(data[:1 << 16])


# ---------------------------------------------------------------- as libFuzzer's targets

def write_seeds(folder):
   for path in sorted(machines.SHIPPED.glob('*.toml')):
      Path(folder, path.name).write_bytes(path.read_bytes())
   for n, text in enumerate(['', 'based-on = "combined"\n[z]\nsets = [16, 32]\n', '[no]\nno = 1\n', 'x\n']):
      Path(folder, f'small-{n}.toml').write_text(text)


def finding(options, data, what):
   path = Path(f'{options.get("artifact_prefix", "")}crash-{hashlib.sha1(data).hexdigest()}')
   path.write_bytes(data)
   print(f'FINDING: {what}\nTest unit written to {path}', flush=True)


def fuzz(options, folders):
   seed = int(os.environ.get('CLIPFREE_TEST_SEED') or str(time.time_ns()), 0)
   numbers, lines, executions = random.Random(seed), Lines(), 0
   ended = threading.Event()
   signal.signal(signal.SIGUSR1, lambda *_: ended.set())   # as libFuzzer takes it; before anybody hears of this run
   print(f'CLIPFREE_TEST_SEED={seed}', flush=True)
   inputs = [path.read_bytes() for folder in folders for path in sorted(Path(folder).iterdir())]
   waiting, end_s, found = list(inputs), time.monotonic() + float(options['max_total_time']), None
   with tempfile.TemporaryDirectory() as folder:
      while not ended.is_set() and (waiting or time.monotonic() < end_s):
         data = waiting.pop() if waiting else mutated(numbers.choice(inputs), numbers.choice(inputs), numbers)
         found, new = lines.run(folder, data)
         executions += 1
         if found:
            finding(options, data, found)
            break
         if new and data not in inputs:
            inputs.append(data)
            Path(folders[0], f'{executions}-{seed:x}').write_bytes(data)
   print(f'Loaded 1 modules   ({len(lines.all)} lines)\ncov: {len(lines.reached & lines.all)}\n'
         f'stat::number_of_executed_units: {executions}')
   return 1 if found else 0


def main():
   signal.signal(signal.SIGALRM, too_long)
   words = sys.argv[1:]
   if words and words[0].startswith('--seeds='):
      return write_seeds(words[0].partition('=')[2])
   options = dict(word.lstrip('-').split('=', 1) for word in words if word.startswith('-'))
   paths = [word for word in words if not word.startswith('-')]
   if options.get('max_total_time'):
      return fuzz(options, paths)
   with tempfile.TemporaryDirectory() as folder:
      found = [what for path in paths if (what := run_input(folder, Path(path).read_bytes()))]
   for what in found:
      print(f'FINDING: {what}')
   return 1 if found else 0


if __name__ == '__main__':
   sys.exit(main())
