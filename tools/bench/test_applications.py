# SPDX-License-Identifier: MIT
"""What the bench makes of whole programs: which table has which of their figures."""
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / 'tests'), str(ROOT / 'tests' / 'piglit'), str(ROOT / 'tools' / 'bench')]

from parts.applications import figures
from parts.frames import Frames


class FiguresOfApplications(unittest.TestCase):
   def setUp(self):
      self.tables = figures({
         'gl geometry': {'clipfree': [Frames(1, 2.0, 3.0)], 'llvmpipe': [Frames(1, 4.0, 5.0)],
                         'noop': [Frames(1, 1.0, 1.0)]},
         'blender': {'clipfree': ['it ended by signal 11'], 'llvmpipe': [Frames(1, 9.0, 9.0)], 'noop': ['it ended']},
         'rviz': {'clipfree': [Frames(100, 2.0, 1.0)], 'llvmpipe': [Frames(50, 2.0, 1.5)], 'noop': [Frames(9, 1, 1)]}})

   def test_programs_that_leave(self):
      wall, cpu, share, *_ = self.tables
      for table, ours, theirs in (wall, 2, 4), (cpu, 3, 5), (share, 2, 4):
         self.assertEqual(table.results()['gl geometry'], {'clipfree': ours, 'llvmpipe': theirs})
         self.assertEqual(set(table.values), {'gl geometry', 'blender'})
      self.assertEqual(cpu.ratios()['llvmpipe'], {'gl geometry': 5 / 3})

   def test_windows(self):
      *_, per_s, cpu_ms = self.tables
      self.assertEqual(per_s.results(), {'rviz': {'clipfree': 50, 'llvmpipe': 25}})
      self.assertEqual(cpu_ms.results(), {'rviz': {'clipfree': 10, 'llvmpipe': 30}})

   def test_failures_are_said(self):
      """A program that fails on the first driver makes the part incomplete."""
      self.assertFalse(self.tables[0].complete())
      self.assertIn('clipfree fails at "blender": it ended by signal 11', self.tables[0].table())


if __name__ == '__main__':
   unittest.main()
