# SPDX-License-Identifier: MIT
"""What the sanitiser for GL (docs/sanitize.md) finds in programs, against what is expected: a list of lines
`name | checks | reason`, in which the checks have commas between them. Anything else is a fault: a finding beyond the
list, and one of the list that is missing."""
import re

from .suite import data_lines

ENVIRONMENT = {'CLIPFREE_SANITIZE': 'all'}
REPORT = re.compile(r'^clipfree: sanitize: (?:\d+ times: )?(([a-z-]+): .*)$', re.MULTILINE)


def found_in(output):
   """{check: its first report} of what a program printed."""
   found = {}
   for sentence, check in REPORT.findall(output):
      found.setdefault(check, sentence)
   return found


def read_expected(path):
   """{name: {checks}} of a list."""
   expected = {}
   for line in data_lines(path):
      parts = [part.strip() for part in line.split('|')]
      if len(parts) != 3 or not all(parts):
         raise SystemExit(f'{path}: not name | checks | reason: {line}')
      expected[parts[0]] = set(parts[1].split(','))
   return expected


def fault(found, expected):
   """What is wrong with the findings of a program, {check: report}, of which the checks `expected` are right;
   '': nothing."""
   beyond = [found[check] for check in sorted(found.keys() - expected)]
   missing = [f'no report of {check}' for check in sorted(expected - found.keys())]
   return '; '.join(beyond + missing)
