# SPDX-License-Identifier: MIT
"""What a program that stays until it is ended shows on a screen of its own, without a window manager."""
import subprocess
import time

from PIL import ImageGrab

from . import rule
from .suite import kill_group
from .xserver import XServer

EVERY_S = 1.0
SAME = 3   # grabs, one after the other, in which nothing has moved


def still_picture(command, env, size_px, folder, least_s=3, limit_s=100):
   """Starts a program and waits until it shows something that stays. Returns (picture or None, what the program said).
   `least_s`: what is there sooner does not count."""
   width, height = size_px
   xvfb = ['Xvfb', '-screen', '0', f'{width}x{height}x24', '-noreset', '-nolisten', 'tcp']
   said = folder / 'said'
   with XServer(xvfb, env, folder / 'server.log', limit_s + 10) as server, open(said, 'wb') as output:
      if not server.display:
         return None, 'no Xvfb: ' + server.log()
      process = subprocess.Popen(command, env=env | {'DISPLAY': server.display}, cwd=folder, stdin=subprocess.DEVNULL,
                                 stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
      try:
         picture = _wait(process, server.display, least_s, limit_s)
      finally:
         kill_group(process)
   return picture, said.read_text(errors='replace')


def _wait(process, display, least_s, limit_s):
   """The screen when it is still and not blank; None where the program ends before, or at the limit."""
   start, same, last = time.monotonic(), 0, None
   while time.monotonic() < start + limit_s and process.poll() is None:
      time.sleep(EVERY_S)
      picture = ImageGrab.grab(xdisplay=display)
      same = same + 1 if last and picture.tobytes() == last.tobytes() and not rule.is_blank(picture) else 0
      if same >= SAME and time.monotonic() > start + least_s:
         return picture
      last = picture
   return None
