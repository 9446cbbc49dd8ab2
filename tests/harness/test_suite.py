# SPDX-License-Identifier: MIT
"""Cases side by side and alone, and what programs used."""
import sys
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.suite import Suite, run_measured

PYTHON = [sys.executable, '-c']


class SideBySide(unittest.TestCase):
   def setUp(self):
      self.running, self.beside_alone, self.lock = 0, 0, threading.Lock()

   def check(self, number, word):
      """An item that takes a while; notes how many others run meanwhile."""
      with self.lock:
         self.running += 1
      time.sleep(0.02)
      with self.lock:
         self.beside_alone += word == 'alone' and self.running > 1
         self.running -= 1
      return number

   def test_alone(self):
      """Results are in the order of items; nothing runs beside what runs alone."""
      words = ['alone' if number % 3 == 0 else 'beside' for number in range(12)]
      results = Suite('one').side_by_side(self.check, range(12), words, alone=lambda number, word: word == 'alone')
      self.assertEqual((results, self.beside_alone), (list(range(12)), 0))

   def test_beside(self):
      """Two items that wait for each other end, where there are two processors."""
      both = threading.Barrier(2)
      suite = Suite('one')
      if suite.at_once() < 2:
         self.skipTest('one processor')
      suite.side_by_side(lambda number: both.wait(timeout=10), range(2))


class Measured(unittest.TestCase):
   def test_what_it_used(self):
      """A loop of a third of a second, and 50 MB."""
      outcome, used = run_measured([*PYTHON, 'import time; kept = bytearray(50 << 20); print("on")\n'
                                    'while time.process_time() < 0.3: pass'])
      self.assertEqual((outcome.status, outcome.output), (0, 'on\n'))
      self.assertGreaterEqual(used.ru_utime + used.ru_stime, 0.3)
      self.assertGreaterEqual(used.ru_maxrss, 50 << 10)

   def test_status(self):
      outcome, _ = run_measured([*PYTHON, 'import sys; sys.stderr.write("why"); sys.exit(3)'])
      self.assertEqual((outcome.status, outcome.output), (3, 'why'))

   def test_limit(self):
      """It ends with all that it started."""
      outcome, _ = run_measured(['sh', '-c', 'sleep 60 & echo $!; wait'], timeout_s=0.5)
      self.assertIsNone(outcome.status)
      child = Path('/proc', outcome.output.strip(), 'stat')
      for _ in range(100):   # the last step is that of the process that adopts it
         if not child.exists() or child.read_text().rpartition(')')[2].split()[0] == 'Z':
            return
         time.sleep(0.02)
      self.fail(f'process {outcome.output.strip()} runs on')

   def test_child_that_stays(self):
      """Its end does not wait for a child that has its output."""
      outcome, _ = run_measured(['sh', '-c', 'sleep 5 & echo $!'])
      self.assertTrue(outcome.ok and outcome.seconds < 4)


if __name__ == '__main__':
   unittest.main()
