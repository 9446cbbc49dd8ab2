# SPDX-License-Identifier: MIT
"""A headless Wayland compositor, weston, for the length of a `with` block."""
import os
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from PIL import Image

from .suite import driver_env, run, system_env

SOCKET = 'clipfree-test'
LIMIT_S = 60


class Compositor:
   """weston without a display, in a runtime folder of its own; with `gl` it composes on clipfree, and gives
   screenshots."""

   def __init__(self, gl=False):
      self.gl = gl
      # Its name before weston 12 is --use-gl.
      use_gl = '--renderer=gl' if '--renderer=' in run(['weston', '--help'], system_env()).output else '--use-gl'
      self.options = [use_gl, '--debug'] if gl else []

   def __enter__(self):
      self._folder = tempfile.TemporaryDirectory()
      self.folder = Path(self._folder.name)
      env = driver_env() if self.gl else system_env()
      command = ['timeout', '-k', '5', str(LIMIT_S), 'weston', '-Bheadless-backend.so', '--width=640', '--height=480',
                 f'--socket={SOCKET}', '--idle-time=0', '--no-config', *self.options]
      with open(self.folder / 'log', 'wb') as log:
         self.process = subprocess.Popen(command, env=env | {'XDG_RUNTIME_DIR': str(self.folder)},
                                         stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
      self._wait_for(lambda: (self.folder / SOCKET).exists())
      return self

   def __exit__(self, *_):
      _end(self.process)
      self._folder.cleanup()

   def client_env(self, **more):
      """The environment of a client on clipfree."""
      return driver_env(XDG_RUNTIME_DIR=str(self.folder), WAYLAND_DISPLAY=SOCKET, **more)

   @contextmanager
   def start(self, command, **more):
      """A client, running in the background."""
      process = subprocess.Popen(command, env=self.client_env(**more), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
      try:
         yield
      finally:
         _end(process)

   def screenshot(self, wanted):
      """What the compositor shows, once it is as `wanted` (a predicate on a picture).
      Returns (picture or None, what was seen)."""
      why = 'no screenshot'
      deadline = time.monotonic() + 20
      while time.monotonic() < deadline and self.process.poll() is None:
         outcome = run(['weston-screenshooter'], self.client_env(), timeout_s=10, cwd=self.folder)
         for path in self.folder.glob('wayland-screenshot*.png'):
            with Image.open(path) as opened:
               picture = opened.convert('RGB')
            path.unlink()
            if wanted(picture):
               return picture, f'{picture.size[0]} x {picture.size[1]}'
            why = 'the client is not in the picture'
         if not outcome.ok:
            why = outcome.why()
         time.sleep(0.3)
      return None, why

   def log(self):
      return (self.folder / 'log').read_text(errors='replace')

   def _wait_for(self, condition):
      deadline = time.monotonic() + 20
      while not condition() and time.monotonic() < deadline and self.process.poll() is None:
         time.sleep(0.05)


def _end(process):
   try:
      os.killpg(process.pid, signal.SIGTERM)
      process.wait(timeout=5)
   except ProcessLookupError:
      pass
   except subprocess.TimeoutExpired:
      os.killpg(process.pid, signal.SIGKILL)
      process.wait()
