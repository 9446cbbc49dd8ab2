# SPDX-License-Identifier: MIT
"""An X server of one's own, for the length of a `with` block."""
import ctypes
import os
import select
import signal
import subprocess

START_S = 20
LIMIT_S = 120


class XServer:
   """A server (a command without a display) that runs in an environment; `display` is what its clients take as DISPLAY,
   or None: it did not start, and `log()` says why. It is ended after `limit_s`."""

   def __init__(self, command, env, log, limit_s=LIMIT_S):
      self.command = command
      self.env = env
      self.log_path = log
      self.limit_s = limit_s
      self.display = None

   def __enter__(self):
      reader, writer = os.pipe()
      with open(self.log_path, 'wb') as log:
         command = ['timeout', '-k', '5', str(self.limit_s), *map(str, self.command), '-displayfd', str(writer)]
         self.process = subprocess.Popen(command, env=self.env, pass_fds=[writer], stdin=subprocess.DEVNULL, stdout=log,
                                         stderr=log, start_new_session=True)
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


def expose_windows():
   """Lets the clients of DISPLAY draw their windows on its screen once more."""
   x11 = ctypes.CDLL('libX11.so.6')
   x11.XOpenDisplay.restype = ctypes.c_void_p
   x11.XDefaultRootWindow.restype = ctypes.c_ulong
   display = ctypes.c_void_p(x11.XOpenDisplay(None))
   root, parent, windows, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.POINTER(ctypes.c_ulong)(), ctypes.c_uint()
   x11.XQueryTree(display, ctypes.c_ulong(x11.XDefaultRootWindow(display)), ctypes.byref(root), ctypes.byref(parent),
                  ctypes.byref(windows), ctypes.byref(count))
   for i in range(count.value):
      x11.XClearArea(display, ctypes.c_ulong(windows[i]), 0, 0, 0, 0, True)
   x11.XFree(windows)
   x11.XCloseDisplay(display)
