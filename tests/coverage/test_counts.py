#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts of several objects add up, and a figure that falls is told."""
import math
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import counts
import least
import refusals

GPU = Path('/tree/src/clipfree')


def answer(file, *lines):
   """As gcov gives it: lines are (number, count, ways)."""
   return {'current_working_directory': '/tree/build', 'files': [{'file': file, 'lines': [
      {'line_number': number, 'count': count, 'branches': [{'count': way, 'throw': False} for way in ways]}
      for number, count, ways in lines]}]}


def gathered(*answers):
   files, seen = {}, {}
   for one in answers:
      counts.add_answer(files, one, GPU, seen)
   return files


class Counts(unittest.TestCase):
   def test_objects_are_merged(self):
      """A branch is taken if it is in one of the objects."""
      name = '../src/clipfree/pixel/cf_pixel.c'
      files = gathered(answer(name, (1, 0, []), (2, 3, [3, 0, 0])), answer(name, (2, 2, [0, 2, 0]), (3, 0, [0, 0])))
      lines = files[GPU / 'pixel' / 'cf_pixel.c']
      self.assertEqual(lines.count, {1: 0, 2: 5, 3: 0})
      self.assertEqual(lines.ways, {2: [3, 2, 0], 3: [0, 0]})
      self.assertEqual(lines.untaken(), [(2, 1), (3, 2)])
      of_lines, of_branches = counts.figures(lines)
      self.assertEqual([of_lines.had, of_lines.total, of_branches.had, of_branches.total], [1, 3, 2, 5])

   def test_objects_that_differ(self):
      """The longer list counts, whichever comes first."""
      name = '../src/clipfree/a.h'
      for answers in ([(1, 1, [1, 0])], [(1, 1, [0, 1, 0, 0])]), ([(1, 1, [0, 1, 0, 0])], [(1, 1, [1, 0])]):
         files = gathered(*(answer(name, *lines) for lines in answers))
         self.assertEqual(files[GPU / 'a.h'].ways, {1: [1, 1, 0, 0]})

   def test_what_is_measured(self):
      names = ['src/clipfree/a/b.c', 'src/clipfree/a/test_b.c', 'src/clipfree/isa/tests/c.c', 'build/src/clipfree/d.c',
               'tools/e.c']
      files = gathered(*(answer('../' + name, (1, 1, [])) for name in names))
      self.assertEqual(list(files), [GPU / 'a' / 'b.c'])

   def test_lcov(self):
      with tempfile.TemporaryDirectory() as folder:
         info = Path(folder) / 'all.info'
         counts.write_info(gathered(answer('../src/clipfree/a.c', (4, 2, [2, 0]), (5, 0, [0, 0]))), info)
         self.assertEqual(info.read_text().split(), [
            'TN:', f'SF:{GPU}/a.c', 'BRDA:4,0,0,2', 'BRDA:4,0,1,0', 'BRDA:5,0,0,-', 'BRDA:5,0,1,-', 'DA:4,2', 'DA:5,0',
            'end_of_record'])


VALIDATOR = """
static bool __attribute__((format(printf, 2, 3)))
fail(struct v *v, const char *format, ...)
{
   return false; /* return true; */
}

static bool
fail_late(struct v *v)
{
   v->late = true;
   return fail(v, "return true;");
}

bool
check(struct v *v, int value)
{
   return value > 0 ||
          fail(v, "low") || fail_late(v);
}
"""


class Refusals(unittest.TestCase):
   def test_names(self):
      """Functions of one file are not those of another, and none counts that has several bodies."""
      other = 'static bool\nfail(void)\n{\n   return true;\n}\n'
      twice = 'static bool\nf(void)\n{\n   return false;\n}\n#else\nstatic bool\nf(void)\n{\n   return a();\n}\n'
      shared = 'bool\nset(void)\n{\n   return false;\n}\n'
      texts = {'a': VALIDATOR, 'b': other, 'c': twice, 'd': shared}
      found = refusals.names({name: refusals.blanked(text) for name, text in texts.items()})
      self.assertEqual(found, {'a': {'fail', 'fail_late', 'set'}, 'b': {'set'}, 'c': {'set'}, 'd': {'set'}})

   def test_ways_are_left_out(self):
      """One for each call, on its statement; a way that was taken stays, and so does one more that was not."""
      text = refusals.blanked(VALIDATOR)
      found = refusals.impossible(text, {'fail', 'fail_late'})
      last = VALIDATOR.split('\n').index('          fail(v, "low") || fail_late(v);') + 1
      self.assertEqual(found, [(range(last - 1, last + 1), 2)])
      for ways, left in ([[5, 3], [0, 2, 0, 1]], [[5, 3], [2, 1]]), ([[0, 3], [0, 0, 0, 0]], [[0, 3], [0, 0]]):
         lines = counts.Lines()
         for number, list_ in zip(found[0][0], ways):
            lines.add(number, 1, list_)
         self.assertEqual(refusals.leave_out_of(lines, *found[0]), 2)
         self.assertEqual(list(lines.ways.values()), left)

   def test_passes_are_left_out(self):
      """All ways that were never taken of statements that run passes, also by a macro; none of others."""
      text = ('#define RUN(pass, ...)   \\\n   do {   \\\n      NIR_PASS(progress, nir, pass);   \\\n'
              '   } while (false)\n'
              'f();\nNIR_PASS(_, nir, g,\n   a);\nRUN(h);\n#define OTHER(a) f(a)\nOTHER(b);\n')
      found = [numbers for numbers in refusals.passes(text) if numbers[0] > 4]
      self.assertEqual(found, [range(6, 8), range(8, 9)])
      lines = counts.Lines()
      lines.add(6, 1, [0, 2, 0])
      lines.add(7, 1, [0])
      self.assertEqual(refusals.leave_out_of(lines, found[0], math.inf), 3)
      self.assertEqual(list(lines.ways.values()), [[2], []])


class Least(unittest.TestCase):
   def setUp(self):
      folder = tempfile.TemporaryDirectory()
      self.addCleanup(folder.cleanup)
      self.path = Path(folder.name) / 'least.txt'

   def compared(self, table):
      return {name: passed for name, passed, _ in least.compare(self.path, table)}

   def test_figures_only_rise(self):
      least.update(self.path, {'a': (counts.Figure(900, 1000), counts.Figure(505, 1000)), 'group of': (
         counts.Figure(3, 3), counts.Figure(0, 0))})
      self.assertEqual(least.read(self.path), {'a': (90.0, 50.5), 'group of': (100.0, 100.0)})
      least.update(self.path, {'a': (counts.Figure(950, 1000), counts.Figure(400, 1000))})
      self.assertEqual(least.read(self.path), {'a': (95.0, 50.5)})

   def test_falls_are_told(self):
      least.update(self.path, {'a': (counts.Figure(900, 1000), counts.Figure(500, 1000))})
      few, lines, branches = least.MAY_LACK, counts.Figure(900, 1000), counts.Figure(500, 1000)
      self.assertEqual(self.compared({'a': (lines, branches)}), {'a': True})
      self.assertEqual(self.compared({'a': (lines, counts.Figure(500 - few, 1000))}), {'a': True})
      self.assertEqual(self.compared({'a': (lines, counts.Figure(499 - few, 1000))}), {'a': False})
      self.assertEqual(self.compared({'a': (counts.Figure(899 - few, 1000), branches)}), {'a': False})
      self.assertEqual(self.compared({'b': (lines, branches)}), {'a': False, 'b': False})
      least.update(self.path, {'a': (lines, counts.Figure(1000, 1000))})
      self.assertEqual(self.compared({'a': (lines, counts.Figure(999, 1000))}), {'a': False})


unittest.main()
