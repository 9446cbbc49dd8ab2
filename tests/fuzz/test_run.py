# SPDX-License-Identifier: MIT
"""A run of a fuzz target that a signal ends. The target is `machines`, a script, which needs no build."""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

RUN = Path(__file__).with_name('run')
BEGUN_S, ENDED_S = 60, 60   # limits; it takes a second
MINUTES = 10


class Interrupted(unittest.TestCase):
   def setUp(self):
      folder = tempfile.TemporaryDirectory()
      self.addCleanup(folder.cleanup)
      self.folder = Path(folder.name, 'fuzz', 'machines')
      self.process = subprocess.Popen(
         [sys.executable, RUN, 'machines', f'--minutes={MINUTES}', '--jobs=2'], stdout=subprocess.PIPE,
         stderr=subprocess.PIPE, text=True, env=os.environ | {'CLIPFREE_BUILD': folder.name}, start_new_session=True,
         # a shell has what it runs in the background ignore the signal, and a run heeds none that is ignored
         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
      self.addCleanup(self.process.stdout.close)
      self.addCleanup(self.process.stderr.close)
      self.addCleanup(self.process.kill)

   def wait_for_inputs(self):
      """Until both processes have run some."""
      end_s = time.monotonic() + BEGUN_S
      while not all(log.exists() and 'SEED' in log.read_text() for log in
                    (self.folder / f'job-{job}.log' for job in range(2))) or not list(self.folder.glob('corpus/*')):
         self.assertLess(time.monotonic(), end_s, 'no input was kept')
         time.sleep(0.05)

   def check(self, kill, number):
      """Counts are printed and kept, and no process is left or begun again."""
      self.wait_for_inputs()
      kill(self.process.pid, number)
      said, complaint = self.process.communicate(timeout=ENDED_S)
      self.assertEqual((self.process.returncode, complaint),
                       (130, 'clipfree fuzz: interrupted; the counts are those until then\n'), said)
      row = re.search(r'^machines +([\d,]+) ', said, re.M)
      self.assertTrue(row, said)
      executions = int(row[1].replace(',', ''))
      counted = [int(re.search(r'executed_units: (\d+)', (self.folder / f'job-{job}.log').read_text())[1])
                 for job in range(2)]
      self.assertEqual(executions, sum(counted))
      self.assertGreater(executions, 0)
      kept = re.search(r'(\d+) executions, .* (\d+) s, .* 0 findings', (self.folder / 'runs.txt').read_text())
      self.assertEqual(int(kept[1]), executions)
      self.assertLess(int(kept[2]), 2 * 60 * MINUTES)

   def test_interrupt(self):
      """As a terminal's Ctrl-C does: the whole group gets it."""
      self.check(os.killpg, signal.SIGINT)

   def test_terminate(self):
      self.check(os.kill, signal.SIGTERM)


if __name__ == '__main__':
   unittest.main()
