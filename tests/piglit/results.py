# SPDX-License-Identifier: MIT
"""Piglit's results, and the lists that say what is expected of them."""
import bz2
import gzip
import json
import lzma
import re
from collections import Counter
from pathlib import Path

# Piglit's statuses, as the lists call them. A test that ended half-way crashed.
STATUS = {'pass': 'Pass', 'warn': 'Warn', 'dmesg-warn': 'Pass', 'fail': 'Fail', 'dmesg-fail': 'Fail', 'crash': 'Crash',
          'incomplete': 'Crash', 'timeout': 'Timeout', 'skip': 'Skip', 'notrun': 'Skip'}


def read_results(path):
   """{test: status} of a piglit results folder, complete or broken off, or of a list `test<TAB>status`, both maybe
   compressed. A subtest is named `test@subtest`, as piglit's summaries do."""
   path = Path(path)
   if not path.is_dir():
      lines = (line.rsplit('\t', 1) for line in _text(path).splitlines() if '\t' in line)
      return {test: STATUS[status] for test, status in lines}
   results = {}
   for tests in _parts(path):
      results.update(_expand(tests))
   return results


def read_processes(path):
   """{number of a process: the test that it ran} of a piglit results folder."""
   return {pid: test for tests in _parts(path) for test, result in tests.items() for pid in result.get('pid') or []}


def read_errors(path):
   """{test: what it wrote to stderr} of a piglit results folder."""
   return {test.lower().rstrip(): result.get('err') or '' for tests in _parts(path) for test, result in tests.items()}


def _parts(path):
   """The tests of a results folder, complete or broken off, as piglit wrote them: dictionaries."""
   whole = sorted(path.glob('results.json*'))
   for part in whole[:1] or sorted(path.glob('tests/*.json'), key=lambda part: int(part.stem)):
      try:
         tests = json.loads(_text(part))
      except ValueError:  # piglit was ended while it wrote this one
         continue
      yield tests.get('tests', tests)


def _expand(tests):
   for test, result in tests.items():
      subtests = {name: status for name, status in (result.get('subtests') or {}).items() if name != '__type__'}
      for subtest, status in subtests.items():
         yield f'{test}@{subtest}'.lower().rstrip(), STATUS[status]
      if not subtests:
         yield test.lower().rstrip(), STATUS[result['result']]


def _text(path):
   openers = {'.gz': gzip.open, '.bz2': bz2.open, '.xz': lzma.open}
   with openers.get(path.suffix, open)(path, 'rt', encoding='utf-8') as file:
      return file.read()


def read_list(path):
   """The lines of a list without comments and blank lines; no file is an empty list."""
   lines = path.read_text().splitlines() if path.exists() else []
   return [line.strip() for line in lines if line.strip() and not line.startswith('#')]


def of_version(line, version):
   """The test and status of a line `test,Fail|Warn|Crash|Timeout[,VERSION]`, None if it is another version's; all lines
   without a version are every version's."""
   named = re.fullmatch(r'(.+),(Fail|Warn|Crash|Timeout)(?:,([^,]+))?', line)
   if not named:
      raise SystemExit(f'not test,Fail|Warn|Crash|Timeout[,VERSION]: {line}')
   return (named[1], named[2]) if named[3] in (None, version) else None


def read_expected(path, version):
   """{test: status} of a list of such lines, for a version of piglit."""
   return dict(filter(None, (of_version(line, version) for line in read_list(path))))


def skip_list(results):
   """The tests of `results` that skip, sorted; a whole folder of them is one name that ends with '@'."""
   tests, skips = Counter(), Counter()
   for test, status in results.items():
      for name in folders_and(test):
         tests[name] += 1
         skips[name] += status == 'Skip'
   skipped = (test for test, status in results.items() if status == 'Skip')
   return sorted({next(name for name in folders_and(test) if skips[name] == tests[name]) for test in skipped})


def may_skip(test, names):
   """Whether `names`, a set like skip_list's, have the test or a folder of it."""
   return any(name in names for name in folders_and(test))


def folders_and(test):
   """'a@b@c' -> 'a@', 'a@b@', 'a@b@c'"""
   parts = test.split('@')
   return ['@'.join(parts[:i]) + '@' for i in range(1, len(parts))] + [test]


def matches_any(test, patterns):
   return any(re.search(pattern, test, re.IGNORECASE) for pattern in patterns)
