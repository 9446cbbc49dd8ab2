#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Calls of OpenGL ES 3.0 or of OpenGL 3.3 (compatibility), in any order, with values of their kind and others: none
ends the process, hangs, or leaves contexts made afterwards that draw something else. Called as libFuzzer's targets are,
as far as tests/fuzz/run does.

An input is text, a call or a comment a line, as `glTexImage2D TEXTURE_2D 0 RGBA8 16 16 0 RGBA UNSIGNED_BYTE @0`; where
the first is `desktop`, of OpenGL. Functions, the types and names of their parameters, and constants are those of Mesa's
headers. Words: numbers; constants without GL_; `@N`, a place in the data that calls read, or the offset N where a
buffer is bound for it; `!`, where calls write to; `"text"`; `#N`, the N-th program of the context; `~N`, its N-th sync
object; behind ` -> ` the error that there must be. Calls that would read or write outside of the data by the rules of
OpenGL, which makes that the application's fault, are made smaller, or are not among those that are made."""
import ctypes
import hashlib
import mmap
import os
import random
import re
import shutil
import signal
import struct
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get('CLIPFREE_BUILD', ROOT / 'build'))
FOUND = ROOT / 'tests' / 'fuzz' / 'calls'     # inputs that ended a process once
HEADERS = next(ROOT.glob('subprojects/mesa-*/include'))
LONGEST_S = 20             # of an input
BATCH = 50                 # inputs of a process
MOST_CALLS = 120
DATA_B, SINK_B = 16 << 20, 64 << 20
MOST_PIXELS = 1 << 20      # that a call reads or writes in the application's memory
MOST_NAMES = 128           # that a call reads
CONTEXT_LOST = 0x507
OBJECTS = 5                # of each kind, with the names 1 and up
SETTINGS = {'MESA_SHADER_CACHE_DISABLE': 'true', 'CLIPFREE_MEMORY_MB': '256', 'CLIPFREE_TIME_LIMIT_MS': '300'}

# ---------------------------------------------------------------- what there is to call

# Those that take, or write, the application's memory in amounts that no parameter says, among others.
LEFT_OUT = re.compile(
   r'glGetString|glShaderBinary|glProgramBinary|glGetProgramBinary|glCreateShader|glFinish|glArrayElement|'
   r'glNewList|glRenderMode|glFeedbackBuffer|glSelectBuffer|gl(Vertex|Normal|Color|Index|TexCoord|EdgeFlag|FogCoord|'
   r'SecondaryColor)Pointer|glInterleavedArrays|gl(Get)?Map[12dfi]|gl(Get)?PixelMap|'
   r'glGet(Compressed)?TexImage|glMultiDrawElements|glCallLists')
TEXTURES = 'TEXTURE_2D TEXTURE_3D TEXTURE_2D_ARRAY TEXTURE_CUBE_MAP'.split()
FACES = ['TEXTURE_2D', *(f'TEXTURE_CUBE_MAP_{sign}_{axis}' for sign in ('POSITIVE', 'NEGATIVE') for axis in 'XYZ')]
BUFFERS = ('ARRAY_BUFFER ELEMENT_ARRAY_BUFFER PIXEL_PACK_BUFFER PIXEL_UNPACK_BUFFER COPY_READ_BUFFER COPY_WRITE_BUFFER '
           'TRANSFORM_FEEDBACK_BUFFER UNIFORM_BUFFER').split()
MORE_MODES = ('QUADS QUAD_STRIP POLYGON LINES_ADJACENCY LINE_STRIP_ADJACENCY TRIANGLES_ADJACENCY '
              'TRIANGLE_STRIP_ADJACENCY').split()
# Of OpenGL: {the first of those of OpenGL ES: others}.
MORE_TARGETS = {
   'TEXTURE_2D': 'TEXTURE_1D TEXTURE_RECTANGLE TEXTURE_1D_ARRAY TEXTURE_BUFFER TEXTURE_2D_MULTISAMPLE PROXY_TEXTURE_2D '
                 'TEXTURE_2D_MULTISAMPLE_ARRAY'.split(),
   'TEXTURE_3D': ['PROXY_TEXTURE_3D'], 'ARRAY_BUFFER': ['TEXTURE_BUFFER'],
   'ANY_SAMPLES_PASSED': ['SAMPLES_PASSED', 'PRIMITIVES_GENERATED', 'TIME_ELAPSED']}
FRAMEBUFFERS = 'FRAMEBUFFER READ_FRAMEBUFFER DRAW_FRAMEBUFFER'.split()
ATTACHMENTS = [*(f'COLOR_ATTACHMENT{i}' for i in range(8)), 'DEPTH_ATTACHMENT', 'STENCIL_ATTACHMENT',
               'DEPTH_STENCIL_ATTACHMENT']
SIZED = ('R8 RG8 RGB8 RGBA8 SRGB8_ALPHA8 SRGB8 RGB565 RGB5_A1 RGBA4 RGB10_A2 RGB10_A2UI R8_SNORM RGBA8_SNORM R16F '
         'RG16F RGBA16F RGB16F R32F RG32F RGBA32F RGB32F R11F_G11F_B10F RGB9_E5 R8I R8UI R16I R16UI R32I R32UI RG8I '
         'RG8UI RG32UI RGBA8I RGBA8UI RGBA16I RGBA16UI RGBA32I RGBA32UI RGB8UI RGB32I DEPTH_COMPONENT16 '
         'DEPTH_COMPONENT24 DEPTH_COMPONENT32F DEPTH24_STENCIL8 DEPTH32F_STENCIL8 STENCIL_INDEX8').split()
COMPRESSED = ('COMPRESSED_R11_EAC COMPRESSED_SIGNED_R11_EAC COMPRESSED_RG11_EAC COMPRESSED_RGB8_ETC2 '
              'COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2 COMPRESSED_RGBA8_ETC2_EAC').split()
FORMATS = ('RED RG RGB RGBA RED_INTEGER RG_INTEGER RGB_INTEGER RGBA_INTEGER DEPTH_COMPONENT DEPTH_STENCIL LUMINANCE '
           'LUMINANCE_ALPHA ALPHA').split()
TYPES = ('UNSIGNED_BYTE BYTE UNSIGNED_SHORT SHORT UNSIGNED_INT INT HALF_FLOAT FLOAT UNSIGNED_SHORT_5_6_5 '
         'UNSIGNED_SHORT_4_4_4_4 UNSIGNED_SHORT_5_5_5_1 UNSIGNED_INT_2_10_10_10_REV UNSIGNED_INT_10F_11F_11F_REV '
         'UNSIGNED_INT_5_9_9_9_REV UNSIGNED_INT_24_8 FLOAT_32_UNSIGNED_INT_24_8_REV').split()
MODES = 'POINTS LINES LINE_LOOP LINE_STRIP TRIANGLES TRIANGLE_STRIP TRIANGLE_FAN'.split()
# Format and type that go with an internal format, so that an upload is taken more often than by chance.
FITTING = [('RGBA8', 'RGBA', 'UNSIGNED_BYTE'), ('RGBA', 'RGBA', 'UNSIGNED_BYTE'),
           ('RGB565', 'RGB', 'UNSIGNED_SHORT_5_6_5'), ('R8', 'RED', 'UNSIGNED_BYTE'),
           ('RG16F', 'RG', 'HALF_FLOAT'), ('RGBA32F', 'RGBA', 'FLOAT'),
           ('RGBA8UI', 'RGBA_INTEGER', 'UNSIGNED_BYTE'), ('RGBA32I', 'RGBA_INTEGER', 'INT'),
           ('DEPTH_COMPONENT24', 'DEPTH_COMPONENT', 'UNSIGNED_INT'), ('RGB9_E5', 'RGB', 'UNSIGNED_INT_5_9_9_9_REV'),
           ('DEPTH24_STENCIL8', 'DEPTH_STENCIL', 'UNSIGNED_INT_24_8'), ('SRGB8_ALPHA8', 'RGBA', 'UNSIGNED_BYTE'),
           ('DEPTH32F_STENCIL8', 'DEPTH_STENCIL', 'FLOAT_32_UNSIGNED_INT_24_8_REV'), ('RGB8', 'RGB', 'UNSIGNED_BYTE'),
           ('R11F_G11F_B10F', 'RGB', 'UNSIGNED_INT_10F_11F_11F_REV'), ('LUMINANCE', 'LUMINANCE', 'UNSIGNED_BYTE')]
SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 70]
FAR = [-1, -2147483648, 2147483647, 255, 256, 2047, 2048, 16383, 16384, 16385, 65535, 65536, 1 << 24]
FARTHEST = [-1, -16, 1 << 32, 1 << 62, (1 << 63) - 1, (1 << 63) - 16, -1 << 63]    # of 64 bits
FLOATS = ['0', '1', '-1', '0.5', '2', '1e-40', '1e38', '-1e38', 'inf', '-inf', 'nan', '100', '16777217']
BYTES = [0, 1, 3, 4, 16, 60, 64, 100, 256, 1000, 4096, 65536, 1 << 20]
# {part of a function's name: its targets}, the first that is found.
TARGETS = {'FramebufferTexture': FRAMEBUFFERS, 'FramebufferRenderbuffer': FRAMEBUFFERS, 'Framebuffer': FRAMEBUFFERS,
           'Renderbuffer': ['RENDERBUFFER'], 'TexStorage2D': TEXTURES, 'TexStorage3D': TEXTURES[1:3],
           'Image3D': TEXTURES[1:3], 'Image2D': FACES, 'TexImage': FACES, 'TexParameter': TEXTURES, 'Texture': TEXTURES,
           'Mipmap': TEXTURES, 'Buffer': BUFFERS, 'Query': 'ANY_SAMPLES_PASSED ANY_SAMPLES_PASSED_CONSERVATIVE '
           'TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN'.split(), 'TransformFeedback': ['TRANSFORM_FEEDBACK'],
           'Hint': ['GENERATE_MIPMAP_HINT'], 'VertexAttrib': BUFFERS}
NAMED = {  # {name of a parameter: its values, most of the time}
   'mode': MODES, 'primitiveMode': ['POINTS', 'LINES', 'TRIANGLES'], 'format': FORMATS, 'type': TYPES,
   'attachment': ATTACHMENTS, 'textarget': FACES, 'renderbuffertarget': ['RENDERBUFFER'],
   'func': 'NEVER LESS EQUAL LEQUAL GREATER NOTEQUAL GEQUAL ALWAYS'.split(),
   'face': ['FRONT', 'BACK', 'FRONT_AND_BACK'],
   'cap': ('BLEND CULL_FACE DEPTH_TEST DITHER POLYGON_OFFSET_FILL PRIMITIVE_RESTART_FIXED_INDEX RASTERIZER_DISCARD '
           'SAMPLE_ALPHA_TO_COVERAGE SAMPLE_COVERAGE SCISSOR_TEST STENCIL_TEST').split(),
   'filter': ['NEAREST', 'LINEAR'], 'src': ['BACK', 'NONE', *ATTACHMENTS[:8]],
   'usage': 'STREAM_DRAW STATIC_READ DYNAMIC_COPY'.split(), 'buffer': ['COLOR', 'DEPTH', 'STENCIL', 'DEPTH_STENCIL'],
   'level': range(5), 'levels': range(1, 7), 'layer': range(8), 'samples': [0, 1, 2, 4, 5], 'border': [0], 'stride':
   [0, 4, 8, 12, 16, 20, 255], 'size': [1, 2, 3, 4], 'index': range(5), 'location': range(-1, 6),
   'instancecount': [0, 1, 2, 7], 'count': [0, 1, 3, 4, 6, 33, 100], 'n': range(4), 'first': [0, 0, 1, 5, 100],
   'numAttachments': range(4), 'divisor': [0, 1, 3], 'bufSize': [0, 1, 100], 'drawbuffer': range(8), 'texture_unit':
   range(4), 'access': [1, 2, 3, 6, 10, 18, 34, 63], 'length': BYTES, 'flags': [0, 1], 'timeout': [0, 1000],
   'mask': [0, 0x100, 0x400, 0x4000, 0x4500, 0xff, 0xffffffff], 'xoffset': SIZES, 'yoffset': SIZES, 'zoffset': range(5),
   'maskNumber': range(4), 'program': [f'#{i}' for i in range(4)], 'sync': [f'~{i}' for i in range(3)]}
REAL = ('GLfloat', 'GLclampf', 'GLdouble', 'GLclampd')
WIDE = ('GLintptr', 'GLsizeiptr', 'GLuint64', 'GLint64')
OBJECT = {'texture', 'buffer', 'framebuffer', 'renderbuffer', 'array', 'id', 'sampler', 'shader'}
PNAMES = {
   'TexParameter': 'TEXTURE_MIN_FILTER TEXTURE_MAG_FILTER TEXTURE_WRAP_S TEXTURE_WRAP_T TEXTURE_WRAP_R '
                   'TEXTURE_BASE_LEVEL TEXTURE_MAX_LEVEL TEXTURE_MIN_LOD TEXTURE_MAX_LOD TEXTURE_COMPARE_MODE '
                   'TEXTURE_COMPARE_FUNC '
                   'TEXTURE_SWIZZLE_R TEXTURE_SWIZZLE_A'.split(),
   'SamplerParameter': 'TEXTURE_MIN_FILTER TEXTURE_MAG_FILTER TEXTURE_WRAP_S TEXTURE_MIN_LOD TEXTURE_MAX_LOD '
                       'TEXTURE_COMPARE_MODE'.split(),
   'PixelStore': 'PACK_ALIGNMENT PACK_ROW_LENGTH PACK_SKIP_ROWS PACK_SKIP_PIXELS UNPACK_ALIGNMENT UNPACK_ROW_LENGTH '
                 'UNPACK_IMAGE_HEIGHT UNPACK_SKIP_ROWS UNPACK_SKIP_PIXELS UNPACK_SKIP_IMAGES'.split()}
PARAM = ('NEAREST LINEAR NEAREST_MIPMAP_NEAREST LINEAR_MIPMAP_LINEAR CLAMP_TO_EDGE REPEAT MIRRORED_REPEAT NONE '
         'COMPARE_REF_TO_TEXTURE LEQUAL NEVER RED GREEN ALPHA ZERO ONE').split()
TEXTS = ['position', 'colour', 'image', 'block', 'made', 'gl_Position', '', 'nothing[3]']
PROGRAMS = [
   ('in vec4 position; in vec4 colour; out vec4 v; uniform block { vec4 scale[4]; } b; uniform vec4 shift;\n'
    'void main() { v = colour + b.scale[gl_VertexID & 3]; gl_Position = position + shift; gl_PointSize = 3.0; }',
    'in vec4 v; uniform sampler2D image; out vec4 c; void main() { c = v * texture(image, v.xy); }'),
   ('in vec4 position; in ivec4 colour; flat out ivec4 v; void main() { v = colour; gl_Position = position; }',
    'flat in ivec4 v; uniform highp isampler3D image;\n'
    'layout(location = 0) out ivec4 c; layout(location = 1) out vec4 d;\n'
    'void main() { c = v + texelFetch(image, v.xyz, v.w); d = vec4(c); if (v.x == 3) discard; }'),
   ('in vec4 position; out vec4 made; uniform mat4 m; void main() { made = m * position; gl_Position = made; }',
    'in vec4 made; uniform sampler2DArray image; uniform highp samplerCube cube; out vec4 c;\n'
    'void main() { c = texture(image, made.xyz) + textureLod(cube, made.xyz, 1.0); gl_FragDepth = made.z; }')]


@dataclass
class Function:
   name: str
   result: str
   parameters: list        # (type, name)


def read_header(text):
   """({name without GL_: value}, [Function]) of a header's text."""
   text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
   constants = {name: int(value, 0) for name, value in re.findall(r'#define\s+GL_(\w+)\s+(0x[0-9a-fA-F]+|\d+)', text)}
   functions = []
   for result, name, parameters in re.findall(r'^(?:GL_APICALL|GLAPI) (.*?)\s*(?:GL_)?(?:GL)?(?:API)?ENTRY (gl\w+)\s*'
                                              r'\((.*?)\);', text, re.S | re.M):
      words = [] if parameters.strip() in ('void', '') else re.split(r',\s*', parameters.strip())
      found = [re.fullmatch(r'(.*?)\s*(\w+)(\[\d*\])?', word, re.S) for word in words]
      functions.append(Function(name, result.strip(), [(kind + '*' * bool(array), name) for kind, name, array in
                                                       (match.groups() for match in found)]))
   return constants, functions


class Api:
   """One of the two, from its headers."""

   def __init__(self, name, texts, egl_api, egl_bit, version):
      self.name, self.egl_api, self.egl_bit, self.version = name, egl_api, egl_bit, version
      self.constants, functions = {}, {}
      for text in texts:
         constants, more = read_header(text)
         self.constants |= constants
         functions |= {function.name: function for function in more}
      self.function = functions
      self.called = [function for function in functions.values() if not LEFT_OUT.match(function.name)]
      # What draws, binds and fills is called more often than what asks.
      self.often = [function for function in self.called if OFTEN.match(function.name)]
      self.names = list(self.constants)


def header(name):
   return (HEADERS / name).read_text()


OFTEN = re.compile(
   r'glDraw|glBind|glTexImage|glTexStorage|glTexSubImage|glFramebuffer|glUseProgram|glBufferData|'
   r'glVertexAttrib.*Pointer|glEnable|glClear|glBlit|glReadPixels|glRenderbuffer|glBegin|glCopyTex|glGenerateMipmap|'
   r'glMapBuffer|glEnd|glVertex2|glRect')
ES3 = Api('es3', [header('GLES3/gl3.h')], 0x30a0, 0x40, 3)
DESKTOP = Api('desktop', [header('GL/glcorearb.h').partition('#ifndef GL_VERSION_4_0')[0],
                          header('GL/gl.h').partition('GL_VERSION_1_4')[0]], 0x30a2, 0x8, 2)
CONSTANTS = DESKTOP.constants | ES3.constants


# ---------------------------------------------------------------- inputs

def target_of(api, function, numbers):
   for part, targets in TARGETS.items():
      if part in function.name:
         more = MORE_TARGETS.get(targets[0], []) if api is DESKTOP else []
         return numbers.choice([*targets, *more])
   return numbers.choice(api.names)


def enumerant(api, function, name, numbers):
   if numbers.random() < 0.03:
      return numbers.choice(api.names)
   if name in ('target', 'readTarget', 'writeTarget'):
      return target_of(api, function, numbers)
   if name == 'pname':
      return numbers.choice(next((names for part, names in PNAMES.items() if part in function.name), api.names))
   if name == 'internalformat':
      return numbers.choice(COMPRESSED if 'Compressed' in function.name else SIZED)
   if name == 'texture':
      return f'TEXTURE{numbers.randrange(4)}'
   if name == 'mode' and api is DESKTOP:
      return numbers.choice(MODES + MORE_MODES)
   return numbers.choice(NAMED.get(name, api.names))


def integer(function, kind, name, numbers):
   if numbers.random() < 0.03:
      return numbers.choice(FAR)
   if kind in WIDE and numbers.random() < 0.05:
      return numbers.choice(FARTHEST)
   if name == 'internalformat':
      return numbers.choice(SIZED)
   if name == 'param':
      return numbers.choice([*PARAM, *range(-2, 9)])
   if name in OBJECT:
      return numbers.randrange(OBJECTS + 1)
   if name == 'size' and 'Buffer' in function.name or name in ('offset', 'readOffset', 'writeOffset', 'imageSize'):
      return numbers.choice(BYTES)
   return numbers.choice(NAMED.get(name, SIZES))


def word_of(api, function, kind, name, numbers):
   """A value for a parameter of this type and name."""
   if '*' in kind:
      if 'GLchar' in kind and kind.startswith('const'):
         return f'"{numbers.choice(TEXTS)}"'
      return f'@{numbers.choice(BYTES if numbers.random() < 0.95 else FARTHEST)}' if kind.startswith('const') else '!'
   if kind == 'GLsync':
      return numbers.choice(NAMED['sync'])
   if kind == 'GLenum':
      return enumerant(api, function, name, numbers)
   if kind in REAL:
      return numbers.choice(FLOATS)
   return integer(function, kind, name, numbers)


def fit(function, words, numbers):
   """Makes format and type of an upload go with each other."""
   names = [name for _, name in function.parameters]
   if 'format' in names and 'type' in names and 'pixels' in names and numbers.random() < 0.8:
      fitting = dict(zip(('internalformat', 'format', 'type'), numbers.choice(FITTING)))
      words = [fitting.get(name, word) for name, word in zip(names, words)]
   if function.name.startswith('glPixelStore'):     # with more a call reads beyond the data
      words[1] = numbers.randrange(-1, 9)
   return words


def made_call(api, numbers):
   function = numbers.choice(api.often if numbers.random() < 0.7 else api.called)
   words = [word_of(api, function, kind, name, numbers) for kind, name in function.parameters]
   return ' '.join([function.name, *map(str, fit(function, words, numbers))])


def made(numbers):
   """A text of random calls."""
   api = numbers.choice([ES3, DESKTOP])
   calls = [made_call(api, numbers) for _ in range(numbers.randrange(1, MOST_CALLS))]
   return '\n'.join(['desktop'] * (api is DESKTOP) + calls) + '\n'


# ---------------------------------------------------------------- a context

class Gl:
   """A context, off screen, and the memory that calls use."""

   def __init__(self, egl, display):
      self.egl, self.display = egl, display
      self.context, self.api, self.functions, self.begun = None, ES3, {}, False
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

   def open(self, api):
      """A new context in place of the last."""
      self.close()
      self.api, self.functions, self.begun = api, {}, False
      config, count = ctypes.c_void_p(), ctypes.c_int()
      wanted = (ctypes.c_int * 3)(0x3040, api.egl_bit, 0x3038)       # EGL_RENDERABLE_TYPE, EGL_NONE
      self.egl.eglChooseConfig(self.display, wanted, ctypes.byref(config), 1, ctypes.byref(count))
      self.egl.eglBindAPI(api.egl_api)
      # the major version; a reset is told
      asked = (ctypes.c_int * 5)(0x3098, api.version, 0x31bd, 0x31bf, 0x3038)
      self.context = ctypes.c_void_p(self.egl.eglCreateContext(self.display, config, None, asked))
      if not self.context.value or not self.egl.eglMakeCurrent(self.display, None, None, self.context):
         raise SystemExit(f'FINDING: no context of {api.name}')
      self.programs, self.syncs = [self.linked(*texts) for texts in PROGRAMS], []
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
      self.call('glViewport', 0, 0, 64, 64)
      self.call('glUseProgram', self.programs[0])

   def linked(self, vertex, fragment):
      program = self.call('glCreateProgram')
      for stage, text in ('VERTEX_SHADER', vertex), ('FRAGMENT_SHADER', fragment):
         shader = self.call('glCreateShader', CONSTANTS[stage])
         source = (ctypes.c_char_p * 1)(b'#version 300 es\nprecision highp float; precision highp int; '
                                        b'precision highp sampler2DArray;\n' + text.encode())
         self.call('glShaderSource', shader, 1, source, None)
         self.call('glCompileShader', shader)
         self.call('glAttachShader', program, shader)
         self.call('glDeleteShader', shader)
      self.call('glBindAttribLocation', program, 0, b'position')
      self.call('glBindAttribLocation', program, 1, b'colour')
      self.call('glLinkProgram', program)
      linked = ctypes.c_int()
      self.call('glGetProgramiv', program, CONSTANTS['LINK_STATUS'], ctypes.byref(linked))
      if not linked.value:
         raise SystemExit('FINDING: a plain program does not link')
      return program

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
OFFSETS = {'pixels': 'PIXEL_UNPACK_BUFFER_BINDING', 'data': 'PIXEL_UNPACK_BUFFER_BINDING',
           'indices': 'ELEMENT_ARRAY_BUFFER_BINDING'}


def pointer(gl, function, name, offset, pixels):
   """Where a call reads: the data, or an offset."""
   if name == 'pointer':
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
      if name in ('pixels', 'img') and gl.bound('PIXEL_PACK_BUFFER_BINDING'):
         return ctypes.c_void_p(16)
      return ctypes.c_void_p(gl.sink_at)
   if word.startswith('@'):
      return pointer(gl, function, name, int(word[1:]), pixels)
   if word.startswith('"'):
      text = word.strip('"').encode()
      return (ctypes.c_char_p * MOST_NAMES)(*[text] * MOST_NAMES) if kind.count('*') > 1 else ctypes.c_char_p(text)
   if word.startswith('#'):
      return ctypes.c_uint(([*gl.programs, 0, 77][int(word[1:]) % 5]))
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
                        'bufSize', 'uniformCount')
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


def is_stray(gl, name, words):
   """Whether a call is a vertex between no glBegin and glEnd, which Mesa stores; the next draw may wait for itself
   (docs/fuzzing.md)."""
   if name in ('glBegin', 'glEnd'):
      gl.begun = name == 'glBegin' and words[0] in MODES + MORE_MODES
   return re.match('glVertex[234]', name) and not gl.begun


def make_call(gl, line):
   name, *words = line.split()
   function = gl.api.function[name]
   if is_stray(gl, name, words):
      return
   if len(words) != len(function.parameters) or is_unsafe(function, words):
      return
   pixels = pixels_of(function, words)
   values = [value_of(gl, function, kind, parameter, word, pixels)
             for (kind, parameter), word in zip(function.parameters, words)]
   result = gl.call(name, *values)
   if function.result == 'GLsync' and result:
      gl.syncs.append(result)
   if name == 'glDeleteSync':
      gl.syncs = []
   if name in ('glDeleteVertexArrays', 'glBindVertexArray') and not gl.bound('VERTEX_ARRAY_BINDING'):
      gl.call('glBindVertexArray', 4)  # object 0 takes arrays of the application's


def drain_errors(gl):
   while gl.call('glGetError') not in (0, CONTEXT_LOST):
      pass


def run_input(gl, text):
   lines = text.splitlines()
   desktop = 'desktop' in lines
   gl.open(DESKTOP if desktop else ES3)
   for line in lines:
      if line.startswith('# ') or line == 'desktop':
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


# ---------------------------------------------------------------- processes

def in_process(texts, note):
   """Runs inputs in a process of their own, until one is found to be wrong. Returns (how many ran, what was found).
   `note`: a file that has the number of the input that runs."""
   reading, writing = os.pipe()
   child = os.fork()
   if child == 0:
      os.dup2(writing, 1)
      os.dup2(writing, 2)
      status = 1
      try:
         os.environ.update(SETTINGS)
         gl = open_gl()
         for number, text in enumerate(texts):
            note.seek(0)
            note.write(f'{number:8}'.encode())
            signal.alarm(LONGEST_S)
            run_input(gl, text)
         status = 0
      except SystemExit as end:
         os.write(1, f'{end}\n'.encode())
      except BaseException as error:                     # a mistake in here is told as one
         os.write(1, f'FINDING: {type(error).__name__}: {error}\n'.encode())
      os._exit(status)
   os.close(writing)
   with os.fdopen(reading, errors='replace') as file:
      said = file.read()
   status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
   note.seek(0)
   number = int(note.read(8))
   if status == 0:
      return len(texts), None
   found = re.search(r'FINDING: (.*)', said)
   return number + 1, found[1] if found else f'signal {signal.Signals(-status).name}' if status < 0 else said[-300:]


def alone(text):
   """What is found of one input."""
   with tempfile.TemporaryFile(buffering=0) as note:
      note.write(b'       0')
      return in_process([text], note)[1]


def fewest(text, found, until_s):
   """The text without the calls that are not needed for it to be found."""
   lines = text.splitlines()
   first, lines = lines[:lines[0] == 'desktop'], lines[lines[0] == 'desktop':]
   size = max(1, len(lines) // 2)
   while time.monotonic() < until_s:
      at = 0
      while at < len(lines) and time.monotonic() < until_s:
         fewer = lines[:at] + lines[at + size:]
         if alone('\n'.join(first + fewer)) == found:
            lines = fewer
         else:
            at += size
      if size == 1:
         break
      size = max(1, size // 2)
   return '\n'.join(first + lines) + '\n'


def keep_finding(options, text, found):
   name = f'crash-{hashlib.sha256(text.encode()).hexdigest()[:16]}'
   path = Path(options.get('artifact_prefix', '') + name)
   path.write_text(text)
   print(f'FINDING: {found}\n{text}Test unit written to {path}', flush=True)


def write_seeds(folder):
   for path in FOUND.iterdir():
      shutil.copy(path, folder)
   return 0


def fuzz(options, folders):
   seed = int(os.environ.get('CLIPFREE_TEST_SEED') or str(time.time_ns()), 0)
   print(f'CLIPFREE_TEST_SEED={seed}', flush=True)
   numbers, executions, found = random.Random(seed), 0, None
   end_s = time.monotonic() + float(options['max_total_time'])
   texts = [path.read_text() for folder in folders for path in sorted(Path(folder).iterdir())]
   with tempfile.TemporaryFile(buffering=0) as note:
      note.write(b'       0')
      while not found and (not executions or time.monotonic() < end_s):
         texts = texts if texts and not executions else [made(numbers) for _ in range(BATCH)]
         ran, found = in_process(texts, note)
         executions += ran
   if found:
      text = texts[ran - 1]
      again = alone(text)
      keep_finding(options, fewest(text, again, time.monotonic() + 60) if again else '\n'.join(texts[:ran]), found)
   functions = len(ES3.called) + len(DESKTOP.called)
   print(f'Loaded 1 modules   ({functions} functions)\ncov: {functions}\n'
         f'stat::number_of_executed_units: {executions}')
   return 1 if found else 0


def main():
   words = sys.argv[1:]
   if words and words[0].startswith('--seeds='):
      return write_seeds(words[0].partition('=')[2])
   options = dict(word.lstrip('-').split('=', 1) for word in words if word.startswith('-'))
   paths = [word for word in words if not word.startswith('-')]
   if options.get('max_total_time'):
      return fuzz(options, paths)
   found = [what for path in paths if (what := alone(Path(path).read_text()))]
   for what in found:
      print(f'FINDING: {what}')
   return 1 if found else 0


if __name__ == '__main__':
   sys.exit(main())
