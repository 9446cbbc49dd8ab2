#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""debug_client.py ADAPTER CAPTURE VARIABLES SOURCE LINE

A client of the adapter over debugpy's message channel, unmodified (Debian's python3-debugpy), that asks as vim's client
does (vimspector; Debian and npm have none): requests go out without waiting for the stop that they lead to, events are
handled as they come, steps are of granularity `statement`, and values are fetched with each stop. It debugs the case
`map`: a breakpoint on a pixel of its first draw, a step there and back, an exception; a watched expression, a breakpoint
in the file SOURCE at LINE, a data breakpoint, instructions; and of the capture VARIABLES, compared with CAPTURE, locals.
Each message of the adapter is held against the protocol's types, as debugpy's debugger (python3-pydevd) has them. What
the client is told is printed, a line each."""
import inspect
import queue
import subprocess
import sys
from pathlib import Path

from _pydevd_bundle._debug_adapter import pydevd_base_schema, pydevd_schema
from debugpy.common import messaging
import jsonschema

ADAPTER, CAPTURE, VARIABLES, SOURCE, LINE = sys.argv[1:]
TIMEOUT_S = 60
SENDER = {'clientID': 'vimspector', 'clientName': 'vimspector', 'adapterID': 'clipfree', 'linesStartAt1': True,
          'columnsStartAt1': True, 'locale': 'en_GB', 'pathFormat': 'path', 'supportsVariableType': True,
          'supportsVariablePaging': False, 'supportsRunInTerminalRequest': True, 'supportsMemoryReferences': True}


def say(*words):
   print(' | '.join(map(str, words)), flush=True)


# ---------------------------------------------------------------- the protocol's types

def definition(kind):
   """The JSON schema of a type of the protocol: what it may have, and what it must; or its words."""
   if hasattr(kind, 'VALID_VALUES'):
      return {'enum': sorted(kind.VALID_VALUES)}
   properties = {name: {'$ref': f"#/definitions/{one['type']}"} if str(one.get('type')) in KINDS else one
                 for name, one in kind.__props__.items()}
   needed = [name for name, parameter in inspect.signature(kind.__init__).parameters.items()
             if parameter.default is parameter.empty and parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
   return {'type': 'object', 'properties': properties, 'required': needed[1:]}


KINDS = {name: kind for name, kind in vars(pydevd_schema).items() if hasattr(kind, '__props__')}
DEFINITIONS = {name: definition(kind) for name, kind in KINDS.items()}


def check_message(message):
   """Print what of a message the protocol does not have so."""
   types = {'event': pydevd_base_schema._event_to_types, 'response': pydevd_base_schema._responses_to_types}
   name = message['event' if message['type'] == 'event' else 'command']
   kind = types[message['type']].get(name)
   if kind is None:
      say('UNKNOWN', message['type'], name)
   elif message.get('success', True):
      schema = {'$ref': f'#/definitions/{kind.__name__}', 'definitions': DEFINITIONS}
      for error in jsonschema.Draft7Validator(schema).iter_errors(message):
         say('INVALID', name, error.json_path, error.message)


class Stream(messaging.JsonIOStream):
   """The channel's stream; what comes is checked on its way."""
   checked = 0

   def read_json(self, decoder=None):
      message = super().read_json(decoder)
      if isinstance(message, dict):
         Stream.checked += 1
         check_message(message)
      return message


# ---------------------------------------------------------------- a session

class Client:
   """A debug session, in a `with` block."""

   def __init__(self, **launch):
      self.stops, self.ready, self.thread = queue.Queue(), queue.Queue(), None
      self.process = subprocess.Popen([ADAPTER, '--dap'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
      handlers = messaging.MessageHandlers(
         event=lambda event: None, initialized_event=lambda event: self.ready.put(True),
         stopped_event=lambda event: self.stops.put(dict(event.body)),
         output_event=lambda event: say('OUTPUT', event.body['output'].strip()))
      self.channel = messaging.JsonMessageChannel(Stream.from_process(self.process), handlers)
      self.channel.start()
      self.ask('initialize', **SENDER)
      self.launched = self.channel.send_request('launch', {'request': 'launch', 'name': 'test', **launch})
      self.ready.get(timeout=TIMEOUT_S)

   def __enter__(self):
      return self

   def __exit__(self, *_):
      self.ask('disconnect', terminateDebuggee=True)
      self.channel.close()
      self.process.wait(timeout=TIMEOUT_S)

   def ask(self, command, **arguments):
      return self.channel.request(command, arguments)

   def configured(self, **breakpoints):
      """What vimspector sends once it may: breakpoints, then that there are no more."""
      for command in 'setFunctionBreakpoints', 'setBreakpoints', 'setExceptionBreakpoints':
         if command in breakpoints:
            body = self.ask(command, **breakpoints[command])
            say('SET', command, *(one['verified'] for one in (body or {}).get('breakpoints', ())))
      self.channel.send_request('configurationDone', {})
      self.launched.wait_for_response()
      self.stop('entry')

   def go(self, what, command, **arguments):
      """A request that moves; nobody waits for its answer but for the stop."""
      self.channel.send_request(command, {'threadId': self.thread, **arguments})
      self.stop(what)

   def stop(self, what):
      """The next stop, and what is shown of it: threads, the stack, scopes with values."""
      body = self.stops.get(timeout=TIMEOUT_S)
      self.thread = body['threadId']
      self.ask('threads')
      self.frame = self.ask('stackTrace', threadId=self.thread)['stackFrames'][0]
      source = self.frame.get('source', {})
      place = f"{Path(source.get('path', '-')).name}:{self.frame['line']}"
      say(f'STOP {what}', body['reason'], body.get('description'), place, self.frame['name'])

   def show(self, group):
      for scope in self.ask('scopes', frameId=self.frame['id'])['scopes']:
         if scope['name'] == group:
            found = self.ask('variables', variablesReference=scope['variablesReference'])['variables']
            for one in found:
               say(f'VALUE {group}', one['name'], one['value'])

   def writer(self, sampler):
      """Back to who wrote the texel that a sampler takes."""
      data = self.ask('dataBreakpointInfo', name=sampler)['dataId']
      say('DATA', data)
      self.ask('setDataBreakpoints', breakpoints=[{'dataId': data}])
      self.go('data', 'reverseContinue')
      self.ask('setDataBreakpoints', breakpoints=[])


def pixel():
   """All of a draw: the shading of a pixel is stopped at, and a NaN that is born in it."""
   with Client(capture=CAPTURE, draw=0) as client:
      client.configured(setFunctionBreakpoints={'breakpoints': [{'name': 'pixel 0,43'}]})
      client.go('pixel', 'continue')
      client.go('next', 'next', granularity='statement')
      client.show('Varyings')
      client.go('stepBack', 'stepBack', granularity='statement')
      client.ask('setExceptionBreakpoints', filters=['nan'])
      client.go('exception', 'continue')
      say('EXCEPTION', client.ask('exceptionInfo', threadId=client.thread)['description'])


def data():
   """A pixel: an expression, who wrote the texel that it samples, there a line, and instructions."""
   with Client(capture=CAPTURE, pixel='40,20') as client:
      client.configured(setBreakpoints={'source': {'path': SOURCE, 'name': Path(SOURCE).name},
                                        'breakpoints': [{'line': int(LINE)}]},
                        setExceptionBreakpoints={'filters': []})
      client.writer('waves')
      client.go('line', 'continue')
      for context in 'watch', 'hover', 'repl':
         say('WATCH', context, client.ask('evaluate', expression='place', frameId=client.frame['id'],
                                          context=context)['result'])
      code = client.ask('disassemble', memoryReference=client.frame['instructionPointerReference'],
                        instructionOffset=-2, instructionCount=5)['instructions']
      say('CODE', len(code), any(one['instruction'].startswith('fsqrt') for one in code))
      client.ask('setInstructionBreakpoints', breakpoints=[
         {'instructionReference': client.frame['instructionPointerReference'], 'offset': 8}])
      client.go('instruction', 'continue')
      client.go('stepOut', 'stepOut', granularity='statement')
      client.show('Outputs')


def variables():
   """The second program of the same pixel, which keeps all variables."""
   with Client(capture=VARIABLES, real=CAPTURE, pixel='40,20') as client:
      client.configured()
      client.writer('waves')
      client.go('next', 'next', granularity='statement')
      client.go('next', 'next', granularity='statement')
      client.show('Locals')
      client.go('stepOut', 'stepOut', granularity='statement')
      client.show('Locals')


if __name__ == '__main__':
   pixel()
   data()
   variables()
   say('CHECKED', Stream.checked)
   say('DONE')
