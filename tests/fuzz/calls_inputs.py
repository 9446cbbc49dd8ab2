# SPDX-License-Identifier: MIT
"""Inputs of fuzz_calls.py: what there is to call, from Mesa's headers, and random calls with values of their kind."""
import re
from dataclasses import dataclass
from pathlib import Path

from calls_programs import FIXED, GEOMETRY, SIMPLE, in_version

ROOT = Path(__file__).resolve().parents[2]
HEADERS = next(ROOT.glob('subprojects/mesa-*/include'))
MOST_CALLS = 120
OBJECTS = 5                # of each kind, with the names 1 and up

# ---------------------------------------------------------------- what there is to call

# Those that take, or write, the application's memory in amounts that no parameter says, among others.
LEFT_OUT = re.compile(
   r'glGetString|glShaderBinary|glProgramBinary|glGetProgramBinary|glCreateShader|glFinish|glArrayElement|'
   r'gl(Get)?Map[12dfi]|glGet(Compressed)?TexImage|glMultiDrawElements')
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
   'maskNumber': range(4), 'sync': [f'~{i}' for i in range(3)]}
OF_FUNCTION = {  # {(function, parameter): its values}, in front of those
   ('glNewList', 'mode'): ['COMPILE', 'COMPILE_AND_EXECUTE'],
   ('glRenderMode', 'mode'): ['RENDER', 'SELECT', 'FEEDBACK'],
   ('glFeedbackBuffer', 'type'): '2D 3D 3D_COLOR 3D_COLOR_TEXTURE 4D_COLOR_TEXTURE'.split(),
   ('glCallLists', 'type'): 'BYTE UNSIGNED_BYTE SHORT UNSIGNED_SHORT INT UNSIGNED_INT FLOAT 2_BYTES 4_BYTES'.split(),
   ('glPolygonMode', 'mode'): ['POINT', 'LINE', 'FILL'], ('glShadeModel', 'mode'): ['FLAT', 'SMOOTH'],
   ('glProvokingVertex', 'mode'): ['FIRST_VERTEX_CONVENTION', 'LAST_VERTEX_CONVENTION'],
   ('glMatrixMode', 'mode'): ['MODELVIEW', 'PROJECTION', 'TEXTURE'],
   ('glClampColor', 'target'): ['CLAMP_READ_COLOR', 'CLAMP_VERTEX_COLOR', 'CLAMP_FRAGMENT_COLOR'],
   ('glCopyPixels', 'type'): ['COLOR', 'DEPTH', 'STENCIL'],
   ('glLogicOp', 'opcode'): ['XOR', 'INVERT', 'COPY'],
   ('glPixelMapfv', 'map'): ['PIXEL_MAP_R_TO_R', 'PIXEL_MAP_S_TO_S']}
MORE_CAPS = ('ALPHA_TEST CLIP_DISTANCE0 CLIP_DISTANCE1 COLOR_LOGIC_OP COLOR_MATERIAL DEPTH_CLAMP FOG FRAMEBUFFER_SRGB '
             'LIGHT0 LIGHTING LINE_SMOOTH LINE_STIPPLE MULTISAMPLE NORMALIZE POINT_SPRITE POLYGON_STIPPLE '
             'PRIMITIVE_RESTART PROGRAM_POINT_SIZE TEXTURE_1D TEXTURE_2D TEXTURE_GEN_S TEXTURE_GEN_T').split()
REAL = ('GLfloat', 'GLclampf', 'GLdouble', 'GLclampd')
WIDE = ('GLintptr', 'GLsizeiptr', 'GLuint64', 'GLint64')
OBJECT = {'list', 'texture', 'buffer', 'framebuffer', 'renderbuffer', 'array', 'id', 'sampler', 'shader'}
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
BASES = [0, 0, 100, 4294967000]     # of names of lists: of no list, with those that there are
TEXTS = ['position', 'colour', 'image', 'block', 'more', 'n', 'v', 'made', 'gl_Position', '', 'nothing[3]']


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


# Calls that seldom come together by chance; `?`: a value of the parameter, `...`: some other calls.
PHRASES = [
   'glUseProgram ?; glBufferData TRANSFORM_FEEDBACK_BUFFER ? @0 DYNAMIC_COPY; glBeginTransformFeedback ?; ...; '
   'glDrawArrays ? 0 ?; ...; glDrawArraysInstanced ? ? ? ?; glEndTransformFeedback',
   'glBeginQuery ? 1; glUseProgram ?; glBeginTransformFeedback POINTS; glDrawArrays POINTS 0 ?; ...; '
   'glEndTransformFeedback; glEndQuery ?; glGetQueryObjectuiv 1 QUERY_RESULT !',
   'glBindBuffer UNIFORM_BUFFER 4; glBufferData UNIFORM_BUFFER ? @0 ?; glBindBufferBase UNIFORM_BUFFER 0 4; '
   'glBindBufferRange UNIFORM_BUFFER ? 4 ? ?; glUniformBlockBinding ? ? ?; glUseProgram ?; ...; glDrawArrays ? 0 ?',
   'glTexImage2D TEXTURE_2D 0 RGBA32UI 64 64 0 RGBA_INTEGER UNSIGNED_INT @0; glUseProgram #3; ...; glDrawArrays ? 0 ?; '
   'glReadPixels ? ? 8 8 RGBA_INTEGER UNSIGNED_INT !']
PAUSES = [
   'glUseProgram ?; glBeginTransformFeedback POINTS; glDrawArrays POINTS 0 ?; glPauseTransformFeedback; ...; '
   'glResumeTransformFeedback; ...; glEndTransformFeedback']
LAYERS = [
   'glBindTexture TEXTURE_2D_ARRAY 3; glTexImage3D TEXTURE_2D_ARRAY 0 ? 33 17 ? 0 RGBA UNSIGNED_BYTE @0; '
   'glFramebufferTexture FRAMEBUFFER COLOR_ATTACHMENT0 3 0; glUseProgram ?; glDrawArrays ? 0 ?; ...; glClear ?; '
   'glDrawArraysInstanced ? 0 ? 2; glFramebufferTextureLayer READ_FRAMEBUFFER COLOR_ATTACHMENT0 3 0 ?; '
   'glReadPixels 0 0 8 8 RGBA UNSIGNED_BYTE !',
   'glUseProgram ?; ...; glDrawArrays LINES_ADJACENCY 0 ?; glDrawArrays TRIANGLE_STRIP_ADJACENCY ? ?; '
   'glDrawElements TRIANGLES_ADJACENCY ? UNSIGNED_BYTE ?']
LISTS = [
   'glNewList ? ?; ...; glEndList; ...; glCallList ?; ...',
   'glNewList ? ?; ...; glBegin ?; ...; glVertex2i ? ?; ...; glVertex3f ? ? ?; ...; glVertex2i ? ?; glEnd; ...; '
   'glEndList; glCallList ?; ...; glCallLists ? ? ?',
   'glNewList 1 COMPILE; ...; glEndList; glNewList ? ?; glCallList 1; ...; glCallLists ? ? ?; glEndList; ...; '
   'glCallList ?',
   'glBegin ?; ...; glCallList ?; glVertex2i ? ?; ...; glEnd',
   'glSelectBuffer ? !; glRenderMode SELECT; glInitNames; glPushName ?; ...; glRects ? ? ? ?; glLoadName ?; ...; '
   'glBegin ?; glVertex2i ? ?; glVertex3f ? ? ?; ...; glVertex2i ? ?; glEnd; ...; glRenderMode ?',
   'glFeedbackBuffer ? ? !; glRenderMode FEEDBACK; glPassThrough ?; ...; glRects ? ? ? ?; ...; glDrawArrays ? ? ?; '
   'glBegin ?; glVertex2i ? ?; glVertex3f ? ? ?; ...; glVertex2i ? ?; glEnd; ...; glBitmap ? ? ? ? ? ? ?; '
   'glRenderMode ?',
   'glUseProgram 0; glBegin ?; ...; glVertex2i ? ?; ...; glVertex3f ? ? ?; ...; glVertex2i ? ?; ...; glEnd']


class Api:
   """A kind of context, from its headers."""

   def __init__(self, name, texts, egl, programs, phrases):
      """`egl`: its API, its bit, and attributes of its contexts, as EGL has them."""
      self.name, self.programs, self.phrases = name, programs, phrases
      self.egl_api, self.egl_bit, self.attributes = egl
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
   r'glVertexAttrib.*Pointer|glEnable|glClear|glBlit|glReadPixels|glRenderbuffer|glBegin\w|glCopyTex|glGenerateMipmap|'
   r'glMapBuffer|glEnd|glVertex2|glRect|glCallList|glNewList|glEndList')
CORE_TEXT = header('GL/glcorearb.h').partition('#ifndef GL_VERSION_4_0')[0]
MAJOR, MINOR, PROFILE = 0x3098, 0x30fb, 0x30fd     # attributes of contexts
ES3 = Api('es3', [header('GLES3/gl3.h')], (0x30a0, 0x40, [MAJOR, 3]), in_version('300 es', SIMPLE), PHRASES + PAUSES)
DESKTOP = Api('desktop', [CORE_TEXT, header('GL/gl.h').partition('GL_VERSION_1_4')[0],
                      header('GL/glext.h').partition('#ifndef GL_VERSION_4_0')[0]], (0x30a2, 0x8, [MAJOR, 2]),
              in_version('300 es', SIMPLE) + in_version('330 compatibility', GEOMETRY + FIXED),
              PHRASES + LAYERS + LISTS)
CORE = Api('core', [CORE_TEXT], (0x30a2, 0x8, [MAJOR, 3, MINOR, 3, PROFILE, 1]),
           in_version('330 core', SIMPLE + GEOMETRY), PHRASES + LAYERS)
CONSTANTS = DESKTOP.constants | ES3.constants


# ---------------------------------------------------------------- inputs

def target_of(api, function, numbers):
   for part, targets in TARGETS.items():
      if part in function.name:
         more = MORE_TARGETS.get(targets[0], []) if api is not ES3 else []
         return numbers.choice([*targets, *more])
   return numbers.choice(api.names)


def enumerant(api, function, name, numbers):
   if numbers.random() < 0.03:
      return numbers.choice(api.names)
   if (function.name, name) in OF_FUNCTION:
      return numbers.choice(OF_FUNCTION[function.name, name])
   if name in ('target', 'readTarget', 'writeTarget'):
      return target_of(api, function, numbers)
   if name == 'pname':
      return numbers.choice(next((names for part, names in PNAMES.items() if part in function.name), api.names))
   if name == 'internalformat':
      return numbers.choice(COMPRESSED if 'Compressed' in function.name else SIZED)
   if name == 'texture':
      return f'TEXTURE{numbers.randrange(4)}'
   if api is not ES3 and name in ('mode', 'cap'):
      return numbers.choice(NAMED[name] + (MORE_MODES if name == 'mode' else MORE_CAPS))
   return numbers.choice(NAMED.get(name, api.names))


def integer(api, function, kind, name, numbers):
   if numbers.random() < 0.03:
      return numbers.choice(FAR)
   if kind in WIDE and numbers.random() < 0.05:
      return numbers.choice(FARTHEST)
   if name == 'internalformat':
      return numbers.choice(SIZED)
   if name == 'param':
      return numbers.choice([*PARAM, *range(-2, 9)])
   if name == 'program':
      return f'#{numbers.randrange(len(api.programs) + 2)}'
   if name == 'base':
      return numbers.choice(BASES)
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
   return integer(api, function, kind, name, numbers)


def fit(function, words, numbers):
   """Makes format and type of an upload go with each other."""
   names = [name for _, name in function.parameters]
   if 'format' in names and 'type' in names and 'pixels' in names and numbers.random() < 0.8:
      fitting = dict(zip(('internalformat', 'format', 'type'), numbers.choice(FITTING)))
      words = [fitting.get(name, word) for name, word in zip(names, words)]
   if function.name == 'glCallLists' and numbers.random() < 0.7:
      words[2] = '@0'
   if function.name.startswith('glPixelStore'):     # with more a call reads beyond the data
      words[1] = numbers.randrange(-1, 9)
   return words


def made_call(api, function, numbers, given=()):
   """A random call; `given`: words that are there, `?` in place of those that are not."""
   words = [word_of(api, function, kind, name, numbers) for kind, name in function.parameters]
   words = [word if own == '?' else own for word, own in
            zip(fit(function, words, numbers), given or '?' * len(words))]
   return ' '.join([function.name, *map(str, words)])


def made_calls(api, number, numbers):
   return [made_call(api, numbers.choice(api.often if numbers.random() < 0.7 else api.called), numbers)
           for _ in range(number)]


def made_phrase(api, numbers):
   """Calls that go together, with others between."""
   calls = []
   for part in numbers.choice(api.phrases).split('; '):
      name, *given = part.split()
      calls += (made_calls(api, numbers.randrange(5), numbers) if name == '...' else
                [made_call(api, api.function[name], numbers, given)])
   return calls


def made(numbers):
   """A text of random calls."""
   api = numbers.choice([ES3, DESKTOP, CORE])
   calls, most = [], numbers.randrange(1, MOST_CALLS)
   while len(calls) < most:
      calls += made_phrase(api, numbers) if numbers.random() < 0.05 else made_calls(api, 1, numbers)
   return '\n'.join([api.name] * (api is not ES3) + calls) + '\n'
