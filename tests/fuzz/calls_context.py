# SPDX-License-Identifier: MIT
"""Contexts of fuzz_calls.py, and calls of an input's words in them."""
import ctypes
import mmap
import os
import re
import struct
from pathlib import Path

from calls_inputs import BASES, CONSTANTS, CORE, DESKTOP, ES3, OBJECTS, REAL, ROOT, TEXTS, WIDE

BUILD = Path(os.environ.get('CLIPFREE_BUILD', ROOT / 'build'))
DATA_B, SINK_B = 16 << 20, 64 << 20
MOST_PIXELS = 1 << 20      # that a call reads or writes in the application's memory
MOST_NAMES = 128           # that a call reads
MOST_LISTED = 500          # calls that the lists of an input make
CONTEXT_LOST = 0x507

# ---------------------------------------------------------------- display lists

class Lists:
   """Display lists of a context. Those of lower names are all that one calls: none calls itself, and how many calls it
   makes in the end is known."""

   def __init__(self):
      self.content = {}       # {name: {the name of a list that it calls, or 0: calls of that, or others}}
      self.building = 0       # the one that is being made
      self.left = MOST_LISTED

   def calls(self, name):
      """Calls that a list makes, those of lists that it calls too."""
      return sum(times * (self.calls(other) + 1 if other else 1)
                 for other, times in self.content.get(name, {}).items())

   def has_room(self, called):
      """Whether lists may be called that often, {name: times}, and if so, that they are."""
      calls = sum(times * (self.calls(name) + 1) for name, times in called.items())
      if calls > self.left or self.building and max(called, default=0) >= self.building:
         return False
      self.left -= calls
      return True

   def note(self, called):
      content = self.content.setdefault(self.building, {})
      for name, times in called.items():
         content[name] = content.get(name, 0) + times

   def takes(self, name, words):
      """Whether lists let this call be, which they note then."""
      if name == 'glNewList':
         return int(words[0]) in range(OBJECTS + 1)
      if name == 'glListBase':
         return not self.building and int(words[0]) in BASES
      called = called_lists(name, words)
      if called is None or called and not self.has_room(called):
         return False
      if self.building:
         self.note(called or {0: 1})
      return True

   def look(self, gl, name):
      """Notes which list a call has begun or ended."""
      if name in ('glNewList', 'glEndList'):
         self.building = gl.bound('LIST_INDEX')
         if name == 'glNewList' and self.building:
            self.content[self.building] = {}


def called_lists(name, words):
   """The lists that a call calls, {name: times}; None: it may call any."""
   if name == 'glCallList':
      return {int(words[0]): 1}
   number = max(0, int(words[0])) if name == 'glCallLists' else 0
   if number > MOST_LISTED:
      return None
   # Data begin with the names 1 and up, which are 1 and up, with zeros between, or far off, as numbers of any kind.
   highest = min(number, OBJECTS) if words[2:] == ['@0'] else OBJECTS
   return {called: number for called in range(1, highest + 1)} if number else {}


# ---------------------------------------------------------------- a context

class Gl:
   """A context, off screen, and the memory that calls use."""

   def __init__(self, egl, display):
      self.egl, self.display = egl, display
      self.context, self.api, self.functions, self.lists = None, ES3, {}, Lists()
      self.data = mmap.mmap(-1, DATA_B)
      # Names, constants, indices and floats alike: small numbers in many forms.
      self.data.write(struct.pack('<16I', *range(1, 17)) * 8 +
                      struct.pack('<16f', *(i / 8 - 1 for i in range(16))) * 8 + bytes(range(64)) * 64)
      self.sink = mmap.mmap(-1, SINK_B)
      self.data_at, self.sink_at = (ctypes.addressof(ctypes.c_char.from_buffer(part))
                                    for part in (self.data, self.sink))

   def call(self, name, *values):
      if name not in self.functions:
         kind = self.api.function[name].result
         result = ctypes.c_void_p if '*' in kind or kind == 'GLsync' else None if kind == 'void' else ctypes.c_uint64
         self.functions[name] = ctypes.CFUNCTYPE(result)(self.egl.eglGetProcAddress(name.encode()))
      return self.functions[name](*values)

   def open(self, api, wanted_programs=frozenset()):
      """A new context in place of the last. `wanted_programs`: places in the API's list of those that calls use."""
      self.close()
      self.api, self.functions, self.lists = api, {}, Lists()
      config, count = ctypes.c_void_p(), ctypes.c_int()
      wanted = (ctypes.c_int * 3)(0x3040, api.egl_bit, 0x3038)       # EGL_RENDERABLE_TYPE, EGL_NONE
      self.egl.eglChooseConfig(self.display, wanted, ctypes.byref(config), 1, ctypes.byref(count))
      self.egl.eglBindAPI(api.egl_api)
      # a reset is told
      asked = (ctypes.c_int * 9)(*api.attributes, 0x31bd, 0x31bf, *[0x3038] * (7 - len(api.attributes)))
      self.context = ctypes.c_void_p(self.egl.eglCreateContext(self.display, config, None, asked))
      if not self.context.value or not self.egl.eglMakeCurrent(self.display, None, None, self.context):
         raise SystemExit(f'FINDING: no context of {api.name}')
      self.programs, self.syncs = [self.linked(program) if place in {0} | wanted_programs else 0
                                   for place, program in enumerate(api.programs)], []
      for kind in ('Textures', 'Buffers', 'Framebuffers', 'Renderbuffers', 'VertexArrays', 'Queries', 'Samplers',
                   'TransformFeedbacks'):
         if f'glGen{kind}' in api.function:
            self.call(f'glGen{kind}', OBJECTS, ctypes.c_void_p(self.sink_at))
      self.call('glBindVertexArray', 1)
      self.begin_target()

   def begin_target(self):
      """Something to draw with and to, from the beginning."""
      C = CONSTANTS
      self.call('glBindTexture', C['TEXTURE_2D'], 1)
      self.call('glTexImage2D', C['TEXTURE_2D'], 0, C['RGBA8'], 64, 64, 0, C['RGBA'], C['UNSIGNED_BYTE'], None)
      self.call('glTexParameteri', C['TEXTURE_2D'], C['TEXTURE_MIN_FILTER'], C['LINEAR'])
      self.call('glBindFramebuffer', C['FRAMEBUFFER'], 1)
      self.call('glFramebufferTexture2D', C['FRAMEBUFFER'], C['COLOR_ATTACHMENT0'], C['TEXTURE_2D'], 1, 0)
      self.call('glBindBuffer', C['ARRAY_BUFFER'], 1)
      self.call('glBufferData', C['ARRAY_BUFFER'], 4096, ctypes.c_void_p(self.data_at + 512), C['STATIC_DRAW'])
      self.call('glVertexAttribPointer', 0, 4, C['FLOAT'], 0, 16, None)
      self.call('glEnableVertexAttribArray', 0)
      for place in range(2):
         self.call('glBindBufferBase', C['TRANSFORM_FEEDBACK_BUFFER'], place, 5 - place)
         self.call('glBufferData', C['TRANSFORM_FEEDBACK_BUFFER'], 4096, None, C['STATIC_DRAW'])
      self.call('glViewport', 0, 0, 64, 64)
      self.call('glUseProgram', self.programs[0])

   def linked(self, program):
      name = self.call('glCreateProgram')
      for stage, text in program.stages():
         shader = self.call('glCreateShader', CONSTANTS[stage])
         self.call('glShaderSource', shader, 1, (ctypes.c_char_p * 1)(text.encode()), None)
         self.call('glCompileShader', shader)
         self.call('glAttachShader', name, shader)
         self.call('glDeleteShader', shader)
      self.call('glBindAttribLocation', name, 0, b'position')
      self.call('glBindAttribLocation', name, 1, b'colour')
      if program.captured:
         texts = (ctypes.c_char_p * len(program.captured))(*(text.encode() for text in program.captured))
         self.call('glTransformFeedbackVaryings', name, len(texts), texts, CONSTANTS[program.mode])
      self.call('glLinkProgram', name)
      linked = ctypes.c_int()
      self.call('glGetProgramiv', name, CONSTANTS['LINK_STATUS'], ctypes.byref(linked))
      if not linked.value:
         self.call('glGetProgramInfoLog', name, 200, None, ctypes.c_void_p(self.sink_at))
         raise SystemExit(f'FINDING: a plain program does not link: {self.sink[:200].decode()}')
      return name

   def close(self):
      if self.context:
         self.egl.eglMakeCurrent(self.display, None, None, None)
         self.egl.eglDestroyContext(self.display, self.context)
      self.context = None

   def bound(self, binding):
      found = ctypes.c_int()
      self.call('glGetIntegerv', CONSTANTS[binding], ctypes.byref(found))
      return found.value

   def draws_plainly(self):
      """Whether a new context clears, and reads what it cleared."""
      self.open(ES3)
      self.call('glDisable', CONSTANTS['SCISSOR_TEST'])
      self.call('glClearColor', *map(ctypes.c_float, (0.0, 1.0, 0.0, 1.0)))
      self.call('glClear', CONSTANTS['COLOR_BUFFER_BIT'])
      self.call('glReadPixels', 5, 5, 1, 1, CONSTANTS['RGBA'], CONSTANTS['UNSIGNED_BYTE'],
                ctypes.c_void_p(self.sink_at))
      return self.sink[:4] == b'\0\xff\0\xff'


def open_gl():
   egl = ctypes.CDLL(str(BUILD / 'lib' / 'libEGL.so.1'), ctypes.RTLD_GLOBAL)
   for function in egl.eglGetPlatformDisplay, egl.eglCreateContext, egl.eglGetProcAddress:
      function.restype = ctypes.c_void_p
   display = ctypes.c_void_p(egl.eglGetPlatformDisplay(0x31dd, None, None))     # EGL_PLATFORM_SURFACELESS_MESA
   if not egl.eglInitialize(display, None, None):
      raise SystemExit('FINDING: no display')
   return Gl(egl, display)


# ---------------------------------------------------------------- a call

# Where a pointer is an offset while a buffer is bound: {name of the parameter: that binding}.
OFFSETS = dict.fromkeys(['pixels', 'data', 'bitmap', 'mask', 'values', 'table', 'image', 'row', 'column'],
                        'PIXEL_UNPACK_BUFFER_BINDING') | {'indices': 'ELEMENT_ARRAY_BUFFER_BINDING'}
PACKED = ('pixels', 'img', 'mask', 'values', 'table', 'image', 'row', 'column')     # what calls write there


def pointer(gl, function, name, offset, pixels):
   """Where a call reads: the data, or an offset."""
   if name in ('pointer', 'ptr'):
      return ctypes.c_void_p(offset % 65536)   # an offset: vertex array objects know no arrays of the application's
   if name in OFFSETS and not ('Buffer' in function.name and name == 'data') and gl.bound(OFFSETS[name]):
      return ctypes.c_void_p(offset % (1 << 64))
   if pixels > MOST_PIXELS or name == 'length':   # texts end with a zero
      return None
   if 'GLchar' in dict((n, k) for k, n in function.parameters)[name]:
      return (ctypes.c_char_p * 8)(*(text.encode() for text in TEXTS))
   return ctypes.c_void_p(gl.data_at + offset % 4096)


def value_of(gl, function, kind, name, word, pixels):
   if word == '!':
      if name in PACKED and gl.bound('PIXEL_PACK_BUFFER_BINDING'):
         return ctypes.c_void_p(16)
      return ctypes.c_void_p(gl.sink_at)
   if word.startswith('@'):
      return pointer(gl, function, name, int(word[1:]), pixels)
   if word.startswith('"'):
      text = word.strip('"').encode()
      return (ctypes.c_char_p * MOST_NAMES)(*[text] * MOST_NAMES) if kind.count('*') > 1 else ctypes.c_char_p(text)
   if word.startswith('#'):
      return ctypes.c_uint(([*gl.programs, 0, 77][int(word[1:]) % (len(gl.programs) + 2)]))
   if word.startswith('~'):
      return ctypes.c_void_p([*gl.syncs, None][int(word[1:]) % (len(gl.syncs) + 1)])
   if kind in REAL:
      return (ctypes.c_double if kind in ('GLdouble', 'GLclampd') else ctypes.c_float)(float(word))
   number = CONSTANTS[word] if word in CONSTANTS else int(word)
   return ctypes.c_int64(number) if kind in WIDE else ctypes.c_uint(number & 0xffffffff)


def pixels_of(function, words):
   """Pixels that a call reads or writes at most, or bytes, or values; huge ones are refused by GL, or are not there."""
   sizes = [abs(int(word)) for (_, name), word in zip(function.parameters, words)
            if name in ('width', 'height', 'depth', 'count', 'n', 'size', 'imageSize', 'drawcount', 'numAttachments',
                        'bufSize', 'uniformCount', 'mapsize')
            and re.fullmatch(r'-?\d+', word)]
   product = 1
   for size in sizes:
      product *= size
   return product


def is_unsafe(function, words):
   """Whether the application's memory is too small for what the call may read or write."""
   reads = any('*' in kind for kind, _ in function.parameters)
   # they get no pointer then
   uploads = function.name.startswith(('glTexI', 'glTexS', 'glBufferData', 'glCompressedTexImage'))
   names = any(kind.count('*') > 1 for kind, _ in function.parameters)
   return reads and not uploads and pixels_of(function, words) > (MOST_NAMES if names else MOST_PIXELS)


ARRAYS = re.compile('gl(Multi)?Draw(Arrays|Elements|RangeElements)')     # what reads arrays
MOST_VERTICES = 1 << 16     # that Mesa shades, one by one, for feedback and selection, or keeps in a list


def takes_long(gl, name, words):
   """Whether a draw that the GPU does not make has more vertices than end soon: no limit of time is for those."""
   return ARRAYS.match(name) and gl.api is DESKTOP and any(
      re.fullmatch(r'\d+', word) and int(word) > MOST_VERTICES for word in words) and (
      gl.lists.building or gl.bound('RENDER_MODE') not in (0, CONSTANTS['RENDER']))


# What may make object 0 of arrays current.
RESTORING = ('glDeleteVertexArrays', 'glBindVertexArray', 'glPopClientAttrib')


def make_call(gl, line):
   name, *words = line.split()
   function = gl.api.function[name]
   if len(words) != len(function.parameters) or is_unsafe(function, words):
      return
   if takes_long(gl, name, words) or not gl.lists.takes(name, words):
      return
   pixels = pixels_of(function, words)
   values = [value_of(gl, function, kind, parameter, word, pixels)
             for (kind, parameter), word in zip(function.parameters, words)]
   result = gl.call(name, *values)
   if function.result == 'GLsync' and result:
      gl.syncs.append(result)
   if name == 'glDeleteSync':
      gl.syncs = []
   gl.lists.look(gl, name)
   if name in RESTORING and gl.api is not CORE and not gl.bound('VERTEX_ARRAY_BINDING'):
      gl.call('glBindVertexArray', 4)  # object 0 takes arrays of the application's


def drain_errors(gl):
   while gl.call('glGetError') not in (0, CONTEXT_LOST):
      pass


def run_input(gl, text):
   lines = text.splitlines()
   api = next((api for api in (DESKTOP, CORE) if api.name in lines), ES3)
   gl.open(api, {int(number) % (len(api.programs) + 2) for number in re.findall(r' #(\d+)\b', text)})
   for line in lines:
      if line.startswith('# ') or line == api.name:
         continue
      call, _, error = line.partition(' -> ')
      if error:
         drain_errors(gl)
      make_call(gl, call)
      if error and gl.call('glGetError') != CONSTANTS[error]:
         raise SystemExit(f'FINDING: not the error of {line}')
   gl.call('glFinish')
   if not gl.draws_plainly():
      raise SystemExit('FINDING: a context made afterwards does not draw what it should')
