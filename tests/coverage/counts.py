# SPDX-License-Identifier: MIT
"""What gcov counted in clipfree's own code, of all objects together.

An object has counts of each line, and of each way of each branch of the line, in the order of the compiler. The
coverage builds inline nothing and optimise nothing before they count (meson.options, `coverage`), so a file that is
compiled several times - once for each host vector level, a header once for each file that includes it, all of it in the
build without Mesa and in the one with it - has the same ways of branches each time, and they are added by their place
in the line. Where objects differ, for what a macro of the line is, the longest list counts.
"""
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


class Lines:
   """Counts of one source file."""

   def __init__(self):
      self.count = {}  # by the line's number
      self.ways = {}   # by the line's number: how often each way of its branches was taken

   def add(self, number, count, ways):
      self.count[number] = self.count.get(number, 0) + count
      old = self.ways.get(number, [])
      if ways or old:
         longer, shorter = (ways, old) if len(ways) >= len(old) else (old, ways)
         self.ways[number] = [taken + (shorter[i] if i < len(shorter) else 0) for i, taken in enumerate(longer)]

   def untaken(self):
      """(line, how many ways of its branches were not taken), where there are any."""
      pairs = ((number, sum(taken == 0 for taken in ways)) for number, ways in sorted(self.ways.items()))
      return [(number, ways) for number, ways in pairs if ways]


class Figure:
   """How many of how many, lines or ways of branches."""

   def __init__(self, had=0, total=0):
      self.had, self.total = had, total

   def __add__(self, other):
      return Figure(self.had + other.had, self.total + other.total)

   def percent(self):
      return 100.0 * self.had / self.total if self.total else 100.0

   def __str__(self):
      return f'{self.percent():5.1f} %'


def figures(lines):
   """The figures of lines and of branches of a file."""
   ways = [taken for list_ in lines.ways.values() for taken in list_]
   return (Figure(sum(count > 0 for count in lines.count.values()), len(lines.count)),
           Figure(sum(taken > 0 for taken in ways), len(ways)))


def sum_figures(files):
   """Those of several files together."""
   sums = Figure(), Figure()
   for lines in files:
      sums = tuple(a + b for a, b in zip(sums, figures(lines)))
   return sums


def is_measured(path, gpu):
   """Whether a file is the GPU's or the compiler's own, not a test's. What is generated lies in build folders."""
   return path.is_relative_to(gpu) and not path.name.startswith('test_') and 'tests' not in path.relative_to(gpu).parts


def forget(build):
   """No object of the build has run."""
   for path in build.rglob('*.gcda'):
      path.unlink()


def gcov(note):
   """gcov's answer about one object; where nothing of it ran, all counts are 0."""
   data = note.with_suffix('.gcda')
   outcome = subprocess.run(['gcov', '--json-format', '--stdout', '--branch-probabilities',
                             data if data.exists() else note],
                            cwd=note.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
   if outcome.returncode or not outcome.stdout:
      raise RuntimeError(f'gcov {note}: {outcome.stderr.decode(errors="replace").strip()[-200:]}')
   return [json.loads(text) for text in outcome.stdout.splitlines() if text]


def add_answer(files, answer, gpu, seen):
   """Adds gcov's answer to `files`; `seen` remembers what names of files mean."""
   folder = answer['current_working_directory']
   for file in answer['files']:
      name = os.path.join(folder, file['file'])
      if name not in seen:
         path = Path(name).resolve()
         seen[name] = path if is_measured(path, gpu) else None
      if seen[name]:
         lines = files.setdefault(seen[name], Lines())
         for line in file['lines']:
            lines.add(line['line_number'], line['count'],
                      [branch['count'] for branch in line['branches'] if not branch['throw']])


def gather(builds, gpu):
   """{path: Lines} of all objects of the builds."""
   files, seen = {}, {}
   notes = [note for build in builds for note in sorted(build.rglob('*.gcno'))]
   with ThreadPoolExecutor(os.cpu_count()) as pool:
      for answers in pool.map(gcov, notes):
         for answer in answers:
            add_answer(files, answer, gpu, seen)
   return dict(sorted(files.items()))


def write_info(files, path):
   """The same in lcov's format, for genhtml."""
   with open(path, 'w', encoding='utf-8') as info:
      for source, lines in files.items():
         info.write(f'TN:\nSF:{source}\n')
         for number, ways in sorted(lines.ways.items()):
            for i, taken in enumerate(ways):
               info.write(f'BRDA:{number},0,{i},{taken if lines.count[number] else "-"}\n')
         for number, count in sorted(lines.count.items()):
            info.write(f'DA:{number},{count}\n')
         info.write('end_of_record\n')
