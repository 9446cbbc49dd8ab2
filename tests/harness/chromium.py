# SPDX-License-Identifier: MIT
"""Chromium, unmodified, with pages of WebGL (pages.py): without a window, or in one with all of its sandboxes. The
browser is led through a pipe, by its DevTools protocol: messages in JSON, each ended by a zero byte."""
import base64
import json
import os
import re
import select
import shutil
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from .pages import BrowserError, Shown
from .suite import BUILD, kill_group

PROGRAMS = ('chromium-headless-shell', 'chromium')
# GL of the system through ANGLE; what Chromium knows of drivers' faults does not count. No time limit for the GPU's
# process, as others may use the processors.
OPTIONS = ['--use-gl=angle', '--use-angle=gles-egl', '--ignore-gpu-blocklist', '--disable-gpu-watchdog',
           '--hide-scrollbars', '--force-device-scale-factor=1', '--no-first-run', '--disable-background-networking',
           '--disable-component-update', '--remote-debugging-pipe']
NOBODY = 65534
POLL_S = 0.05


def program():
   """The browser's path; None: none is installed."""
   return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Chromium:
   """A browser with a fresh profile in `folder`, for the length of a `with` block; `log` has what it says."""

   def __init__(self, folder, env, size_px, options=()):
      self.folder, self.env, self.size_px, self.options = Path(folder), env, size_px, options
      self.log = self.folder / 'log'
      self.calls, self.rest, self.events = 0, b'', []

   def __enter__(self):
      shutil.rmtree(self.folder, ignore_errors=True)
      self.folder.mkdir(parents=True)
      command = [*self.command(), *OPTIONS, *self.options, f'--user-data-dir={self.folder / "profile"}',
                 '--window-size={},{}'.format(*self.size_px), 'about:blank']
      (its_in, self.writer), (self.reader, its_out) = os.pipe(), os.pipe()
      # Its ends are 3 and 4: by names, as sh has no redirection from descriptors above 9.
      wire = f'exec "$@" 3</proc/self/fd/{its_in} 4>/proc/self/fd/{its_out}'
      with open(self.log, 'wb') as log:
         self.process = subprocess.Popen(['sh', '-c', wire, 'sh', *command], env=self.env, stdin=subprocess.DEVNULL,
                                         stdout=log, stderr=log, pass_fds=(its_in, its_out), start_new_session=True)
      os.close(its_in)
      os.close(its_out)
      return self

   def __exit__(self, *_):
      kill_group(self.process)
      os.close(self.reader)
      os.close(self.writer)

   def command(self):
      """What starts it, before the options."""
      return [program(), '--headless', '--no-sandbox']

   def show(self, address, timeout_s):
      """Opens a page in a tab of its own, waits until its title says that it is done; returns Shown. BrowserError: the
      browser or the tab ended, or it took too long."""
      end_s = time.monotonic() + timeout_s
      tab = self._call('Target.createTarget', {'url': 'about:blank'}, end_s)['targetId']
      session = self._call('Target.attachToTarget', {'targetId': tab, 'flatten': True}, end_s)['sessionId']
      def call(method, **parameters):
         return self._call(method, parameters, end_s, session)
      def value(expression):
         return call('Runtime.evaluate', expression=expression, returnByValue=True)['result'].get('value')
      self.events.clear()
      for domain in ('Page', 'Runtime', 'Log', 'Inspector'):
         call(f'{domain}.enable')
      width, height = self.size_px
      call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)
      call('Page.navigate', url=address)
      while value('document.title') != 'done':
         time.sleep(POLL_S)
      result = value('page.result')
      png = base64.b64decode(call('Page.captureScreenshot', format='png')['data'])
      console = self._console()
      self._call('Target.closeTarget', {'targetId': tab}, end_s)
      return Shown(result, console, png)

   def _console(self):
      """What pages and WebGL complained of since the tab was opened."""
      lines = []
      for event in self.events:
         of = event['params']
         if event['method'] == 'Runtime.exceptionThrown':
            lines.append(of['exceptionDetails'].get('exception', {}).get('description', 'exception'))
         elif event['method'] == 'Log.entryAdded' and of['entry']['level'] in ('error', 'warning'):
            lines.append(of['entry']['text'])
         elif event['method'] == 'Runtime.consoleAPICalled' and of['type'] in ('error', 'warning', 'assert'):
            lines.append(' '.join(str(a.get('value', a.get('description', ''))) for a in of['args']))
      return lines

   def _call(self, method, parameters, end_s, session=None):
      self.calls += 1
      message = {'id': self.calls, 'method': method, 'params': parameters}
      if session:
         message['sessionId'] = session
      try:
         os.write(self.writer, json.dumps(message).encode() + b'\0')
      except BrokenPipeError:
         raise BrowserError(self._end()) from None
      while True:
         answer = self._read(end_s)
         if answer.get('id') == self.calls:
            if 'error' in answer:
               raise BrowserError(f'{method}: {answer["error"]["message"]}')
            return answer['result']
         if answer.get('method') == 'Inspector.targetCrashed':
            raise BrowserError('the tab crashed')
         if 'method' in answer:
            self.events.append(answer)

   def _read(self, end_s):
      """The next message."""
      while b'\0' not in self.rest:
         if not select.select([self.reader], [], [], max(0, end_s - time.monotonic()))[0]:
            raise BrowserError(f'no answer in time; see {self.log}')
         part = os.read(self.reader, 1 << 16)
         if not part:
            raise BrowserError(self._end())
         self.rest += part
      message, _, self.rest = self.rest.partition(b'\0')
      return json.loads(message)

   def _end(self):
      lines = self.log.read_text(errors='replace').strip().splitlines()
      return f'the browser ended; last line: {lines[-1][:160] if lines else "none"}'


class InSandbox(Chromium):
   """The same in a window, where the GPU's process enters its sandbox, too. Chromium has none for root: then the user
   `nobody` runs it, who has to be able to read the driver."""

   @staticmethod
   def lacking():
      """Why there is no such browser here; ''."""
      if not shutil.which('chromium'):
         return 'chromium, which has windows, is not installed'
      if os.geteuid() == 0 and not read_by_nobody(BUILD):
         return f'root cannot have a sandbox, and another user cannot read {BUILD}'
      return ''

   def command(self):
      """The folder, which the browser writes to, becomes that of who runs it."""
      if os.geteuid():
         return ['chromium']
      os.chown(self.folder, NOBODY, NOBODY)
      return ['setpriv', f'--reuid={NOBODY}', f'--regid={NOBODY}', '--clear-groups', 'env', f'HOME={self.folder}',
              f'XDG_RUNTIME_DIR={self.folder}', 'chromium']

   def filters(self):
      """`Seccomp` of the GPU's process, as the kernel has it: 0 without a filter of system calls, 2 with one; None:
      there is no such process."""
      for process in Path('/proc').glob('[0-9]*'):
         with suppress(OSError):
            status = (process / 'status').read_text()
            if os.getsid(int(process.name)) == self.process.pid and \
                  b'--type=gpu-process' in (process / 'cmdline').read_bytes():
               return int(re.search(r'^Seccomp:\s*(\d)', status, re.MULTILINE)[1])
      return None


def read_by_nobody(folder):
   """Whether each folder of the path can be entered by others."""
   return all(path.stat().st_mode & 0o001 for path in (folder, *folder.parents))
