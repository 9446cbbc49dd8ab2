# SPDX-License-Identifier: MIT
"""Firefox, unmodified, in a window, with pages of WebGL (pages.py). The browser is driven through a socket, by
Marionette: messages in JSON, each behind its length in bytes and a colon; [0, number, command, parameters] is a
command, and [1, number, error, result] its answer."""
import base64
import json
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

from .pages import BrowserError, Shown
from .suite import kill_group

PROGRAM = 'firefox-esr'
# Marionette asks for whole windows of the browser as well (for its compositor); of a port that it chooses itself.
OPTIONS = ['--no-remote', '--new-instance', '--marionette', '-remote-allow-system-access']
# A profile without first-run pages and requests to the network, with WebGL and the compositor (WebRender) on any
# driver, the driver's name for pages, and the console on standard output.
PREFERENCES = {
   'webgl.force-enabled': 'true', 'gfx.webrender.all': 'true', 'gfx.x11-egl.force-enabled': 'true',
   'webgl.sanitize-unmasked-renderer': 'false', 'webgl.max-warnings-per-context': '1000',
   'devtools.console.stdout.content': 'true', 'marionette.port': '0',
   'browser.shell.checkDefaultBrowser': 'false', 'browser.aboutwelcome.enabled': 'false', 'app.update.auto': 'false',
   'browser.startup.homepage_override.mstone': '"ignore"', 'datareporting.policy.dataSubmissionEnabled': 'false',
   'network.captive-portal-service.enabled': 'false', 'network.connectivity-service.enabled': 'false',
   'app.normandy.enabled': 'false',
}
START_S = 60
POLL_S = 0.05
# What it writes of pages: exceptions, what WebGL warns of, and console.warn, console.error, console.assert. Exceptions
# of its own scripts (resource:) are not pages'.
COMPLAINT = re.compile(r'JavaScript (?:error|warning): (?!resource:)|console\.(?:warn|error|assert): ')
# Of these, what is no fault of a driver: reading waits, what is no longer advised, what WebGL leaves open, textures
# that are filled at their first use, and extensions that Firefox has not; RSLoader is its own.
HARMLESS = re.compile(r'causes pipeline stalls|(?:is|are) deprecated|behavior is implementation-defined|'
                      r'is incurring lazy initialization|extension not supported|RSLoader')
# What a driver's compiler remarks on the text that Firefox makes of a shader.
REMARK = re.compile(r"(?:shader: )?\S+: warning: (?:extension `GL_\w+_gpu_shader5' unsupported in \w+ shader|"
                    r'uniform block layout qualifiers row_major and column_major applied to non-matrix types .*)')


def program():
   """The browser's path; None: it is not installed."""
   return shutil.which(PROGRAM)


class Firefox:
   """A browser with a fresh profile in `folder`, for the length of a `with` block; `log` has what it says."""

   def __init__(self, folder, env, size_px):
      self.folder, self.size_px = Path(folder), size_px
      self.env = {**env, 'HOME': str(self.folder), 'MOZ_CRASHREPORTER_DISABLE': '1'}
      self.log = self.folder / 'log'
      self.calls = 0

   def __enter__(self):
      shutil.rmtree(self.folder, ignore_errors=True)
      profile = self.folder / 'profile'
      profile.mkdir(parents=True)
      (profile / 'user.js').write_text(''.join(f'user_pref("{name}", {value});\n'
                                               for name, value in PREFERENCES.items()))
      with open(self.log, 'wb') as log:
         self.process = subprocess.Popen([PROGRAM, *OPTIONS, '--profile', profile, 'about:blank'], env=self.env,
                                         stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
      try:
         self._connect(profile / 'MarionetteActivePort', time.monotonic() + START_S)
      except BaseException:
         kill_group(self.process)
         raise
      return self

   def __exit__(self, *_):
      kill_group(self.process)
      self.answers.close()
      self.socket.close()

   def show(self, address, timeout_s):
      """Opens a page, waits until its title says that it is done; returns Shown. BrowserError: the browser or the tab
      ended, or it took too long."""
      end_s = time.monotonic() + timeout_s
      said = self.log.stat().st_size
      self._call('WebDriver:Navigate', end_s, url=address)
      while self._script('return document.title', end_s) != 'done':
         time.sleep(POLL_S)
      result = self._script('return page.result', end_s)
      result['faults'] = [one for one in result['faults'] if not all(map(REMARK.fullmatch, one.splitlines()))]
      png = base64.b64decode(self._call('WebDriver:TakeScreenshot', end_s, full=False)['value'])
      lines = self.log.read_bytes()[said:].decode(errors='replace').splitlines()
      return Shown(result, [line for line in lines if COMPLAINT.match(line) and not HARMLESS.search(line)], png)

   def compositor(self):
      """What draws the browser's windows: 'WebRender', or 'WebRender (Software)'."""
      return self._script_of_window('return window.windowUtils.layerManagerType', time.monotonic() + START_S)

   def _connect(self, port_file, end_s):
      """Once the browser has written the port: a session, and a window whose pages have size_px pixels."""
      while not (port_file.exists() and port_file.read_text()):
         if self.process.poll() is not None or time.monotonic() > end_s:
            raise BrowserError(self._end())
         time.sleep(POLL_S)
      self.socket = socket.create_connection(('127.0.0.1', int(port_file.read_text())), START_S)
      self.answers = self.socket.makefile('rb')
      self._read(end_s)   # who it is
      self._call('WebDriver:NewSession', end_s)
      self._script_of_window('document.documentElement.style.minWidth = 0', end_s)   # else 500 pixels
      frame = self._script('return [outerWidth - innerWidth, outerHeight - innerHeight]', end_s)
      width, height = (size + border for size, border in zip(self.size_px, frame))
      self._call('WebDriver:SetWindowRect', end_s, x=0, y=0, width=width, height=height)

   def _script(self, text, end_s):
      return self._call('WebDriver:ExecuteScript', end_s, script=text, args=[])['value']

   def _script_of_window(self, text, end_s):
      """Runs a script in the browser's window, not in the page."""
      self._call('Marionette:SetContext', end_s, value='chrome')
      value = self._script(text, end_s)
      self._call('Marionette:SetContext', end_s, value='content')
      return value

   def _call(self, command, end_s, **parameters):
      self.calls += 1
      message = json.dumps([0, self.calls, command, parameters]).encode()
      try:
         self.socket.sendall(b'%d:%s' % (len(message), message))
      except OSError:
         raise BrowserError(self._end()) from None
      _, number, error, result = self._read(end_s)
      if error or number != self.calls:
         raise BrowserError(f'{command}: {(error or {}).get("message", "the answer of another command")}')
      return result

   def _read(self, end_s):
      """The next message."""
      self.socket.settimeout(max(0.01, end_s - time.monotonic()))
      try:
         length = b''
         while not length.endswith(b':'):
            length += self.answers.read(1) or b'0:'   # 0: the browser ended
         return json.loads(self.answers.read(int(length[:-1])))
      except TimeoutError:
         raise BrowserError(f'no answer in time; see {self.log}') from None
      except (OSError, ValueError):
         raise BrowserError(self._end()) from None

   def _end(self):
      lines = self.log.read_text(errors='replace').strip().splitlines()
      return f'the browser ended; last line: {lines[-1][:160] if lines else "none"}'
