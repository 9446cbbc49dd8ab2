# SPDX-License-Identifier: MIT
"""A client of debug adapters, of a few lines, for what an editor's does not show: how long requests take."""
import json
import subprocess
import time


class Adapter:
   """A debug adapter on pipes, in a `with` block."""

   def __init__(self, command, env):
      self.command, self.env, self.seq, self.events = command, env, 0, []

   def __enter__(self):
      self.process = subprocess.Popen(self.command, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL)
      return self

   def __exit__(self, *_):
      self.process.stdin.close()
      self.process.stdout.close()
      try:
         self.process.wait(timeout=20)
      except subprocess.TimeoutExpired:
         self.process.kill()
         self.process.wait()

   def _message(self):
      length = 0
      while (line := self.process.stdout.readline()) not in (b'\r\n', b''):
         name, value = line.split(b':')
         length = int(value) if name == b'Content-Length' else length
      if not length:
         raise EOFError('the debug adapter has ended')
      return json.loads(self.process.stdout.read(length))

   def ask(self, command, **arguments):
      """The answer's body; a refusal is a RuntimeError."""
      self.seq += 1
      data = json.dumps({'seq': self.seq, 'type': 'request', 'command': command, 'arguments': arguments}).encode()
      self.process.stdin.write(b'Content-Length: %d\r\n\r\n%s' % (len(data), data))
      self.process.stdin.flush()
      while (message := self._message())['type'] != 'response':
         self.events.append(message)
      if not message['success']:
         raise RuntimeError(message.get('message', command))
      return message.get('body') or {}

   def event(self, name):
      """The body of the next event of this name; others before it are dropped."""
      while True:
         message = self.events.pop(0) if self.events else self._message()
         if message.get('event') == name:
            return message.get('body') or {}

   def stop(self, command, **arguments):
      """(the body of the stop that a request leads to, the milliseconds until it)"""
      self.events.clear()
      begun = time.monotonic()
      self.ask(command, **arguments)
      return self.event('stopped'), 1000 * (time.monotonic() - begun)
