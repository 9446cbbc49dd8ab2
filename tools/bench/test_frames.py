# SPDX-License-Identifier: MIT
"""What the bench makes of counted frames."""
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / 'tests'), str(ROOT / 'tests' / 'piglit'), str(ROOT / 'tools' / 'bench')]

from parts.frames import Frames, without


def frames(cpu_ms, count=100):
   return Frames(count, wall_s=1, cpu_s=cpu_ms * count / 1000)


class Without(unittest.TestCase):
   def test_least_of_the_rounds(self):
      """The least of the noop GPU's rounds is taken off each of the others', whatever number of frames they counted."""
      results = {'game': {'clipfree': [frames(3), frames(4, 50)], 'peer': [frames(7)],
                          'noop': [frames(2), frames(1, 200)]}}
      left = without(results, 'noop')
      self.assertEqual([round(one.cpu_ms, 6) for one in left['game']['clipfree']], [2, 3])
      self.assertEqual([round(one.cpu_ms, 6) for one in left['game']['peer']], [6])
      self.assertEqual(list(results['game']), ['clipfree', 'peer'])

   def test_nothing_to_take_off(self):
      """No frames of the noop GPU, no frames of a driver, and a run that took no longer than the noop GPU's."""
      results = {'a': {'clipfree': [frames(3)], 'noop': ['it ended', None]},
                 'b': {'clipfree': ['it ended', None, frames(2)], 'noop': [frames(2)]}}
      left = without(results, 'noop')
      self.assertEqual(left, {'a': {'clipfree': [None]}, 'b': {'clipfree': [None, None, None]}})


if __name__ == '__main__':
   unittest.main()
