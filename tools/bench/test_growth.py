# SPDX-License-Identifier: MIT
"""What the bench says of growth."""
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / 'tests'), str(ROOT / 'tests' / 'piglit'), str(ROOT / 'tools' / 'bench')]

from parts.growth import RAN, to_linear


class Growth(unittest.TestCase):
   def test_to_linear(self):
      """Twice the time of an item where there are ten times as many, half of it, and no figure."""
      values = {'draws: 1': {'clipfree': [2, 4, None], 'peer': [1, 1, 1]},
                'draws: 10': {'clipfree': [40, 20, 1], 'peer': [1, 1, 1]}}
      self.assertEqual(to_linear(values, {'draws': [1, 10]}, 'clipfree'), {'draws': {'clipfree': [2, 0.5, None]}})

   def test_what_the_program_says(self):
      """As growth_cost.c prints it."""
      said = RAN.search("a warning\ndraws 100: 0.050100 ms of processor time, 0.050200 ms, on clipfree (auto)\n")
      self.assertEqual(said.groups(), ('0.050100', '0.050200', 'clipfree (auto)'))


if __name__ == '__main__':
   unittest.main()
