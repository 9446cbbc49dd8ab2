# SPDX-License-Identifier: MIT
"""An X server of one's own, for the length of a `with` block."""
import os
import select
import signal
import subprocess

START_S = 20
LIMIT_S = 120


class XServer:
   """A server (a command without a display) that runs in an environment; `display` is what its clients take as DISPLAY, or
   None: it did not start, and `log()` says why."""

   def __init__(self, command, env, log):
      self.command = command
      self.env = env
      self.log_path = log
      self.display = None

   def __enter__(self):
      reader, writer = os.pipe()
      with open(self.log_path, 'wb') as log:
         self.process = subprocess.Popen(['timeout', '-k', '5', str(LIMIT_S), *map(str, self.command), '-displayfd', str(writer)],
                                         env=self.env, pass_fds=[writer], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                         start_new_session=True)
      os.close(writer)
      with open(reader, encoding='ascii') as pipe:
         number = pipe.readline().strip() if select.select([pipe], [], [], START_S)[0] else ''
      self.display = f':{number}' if number else None
      return self

   def __exit__(self, *_):
      try:
         os.killpg(self.process.pid, signal.SIGTERM)
         self.process.wait(timeout=10)
      except ProcessLookupError:
         pass
      except subprocess.TimeoutExpired:
         os.killpg(self.process.pid, signal.SIGKILL)
         self.process.wait()

   def log(self):
      return self.log_path.read_text(errors='replace')
