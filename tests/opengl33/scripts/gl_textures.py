# SPDX-License-Identifier: MIT
"""Textures as OpenGL 3.3 has them: samples of a multisample texture, each fetched; whole numbers in targets, read back;
a 3D texture; a cube map; colours blended with a second colour's alpha; two targets at once."""
import moderngl
import numpy as np
from shared_gl import BACKGROUND, SIZE_PX, context, save, target, torus, view

SCREEN = '#version 330\nout vec2 at; void main() {' \
         'at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0; gl_Position = vec4(at * 2.0 - 1.0, 0.0, 1.0); }'
SPREAD = '#version 330\nuniform mat4 clip; in vec3 at; in vec3 normal; out vec3 way; void main() {' \
         'gl_Position = clip * vec4(at, 1.0); way = normal; }'
WAYS = '#version 330\nin vec3 way; out vec4 pixel; void main() { pixel = vec4(0.5 + 0.5 * normalize(way), 1.0); }'
SAMPLES = """#version 330
uniform sampler2DMS samples; in vec2 at; out vec4 pixel;
void main() {   // a quarter of the picture for each sample
   ivec2 place = ivec2(gl_FragCoord.xy), half_size = textureSize(samples) / 2, part = place / half_size;
   pixel = texelFetch(samples, (place - part * half_size) * 2, part.x + 2 * part.y);
}"""
NUMBERS = """#version 330
in vec2 at; layout(location = 0) out uvec4 number; layout(location = 1) out ivec2 other;
void main() {
   uvec2 p = uvec2(gl_FragCoord.xy);
   number = uvec4(p.x * p.y, p.x ^ p.y, p.x << 20u | p.y, ~p.x); other = ivec2(int(p.x) - int(p.y), int(p.x) % 7 - 3);
}"""
FIELD = """#version 330
uniform sampler3D field; in vec2 at; out vec4 pixel;
void main() {   // slices, beside each other
   vec2 tile = floor(at * 4.0);
   pixel = vec4(texture(field, vec3(fract(at * 4.0), (tile.x + 4.0 * tile.y + 0.3) / 16.0)).rgb, 1.0);
}"""
SKY = '#version 330\nuniform samplerCube sky; in vec3 way; out vec4 pixel; void main() {' \
      'pixel = vec4(texture(sky, way).rgb, 1.0); }'
TWO = """#version 330
in vec2 at; layout(location = 0, index = 0) out vec4 colour; layout(location = 0, index = 1) out vec4 weight;
void main() {
   float inside = clamp(8.0 - 40.0 * abs(length(at - 0.5) - 0.3), 0.0, 1.0);
   colour = vec4(0.9, 0.7, 0.1, 1.0) * inside; weight = vec4(inside * at.x, inside * at.y, inside, 1.0);
}"""
ONE_MINUS_SRC1_COLOR = 0x88FA   # which moderngl does not name


def screen(gl, fragment):
   """Draws the fragment shader's picture."""
   program = gl.program(vertex_shader=SCREEN, fragment_shader=fragment)
   gl.vertex_array(program, []).render(moderngl.TRIANGLES, vertices=3)


def mesh(gl, fragment, clip):
   program = gl.program(vertex_shader=SPREAD, fragment_shader=fragment)
   program['clip'].write(clip)
   gl.vertex_array(program, [(gl.buffer(torus()), '3f 3f', 'at', 'normal')]).render()


def samples(gl):
   texture = gl.texture(SIZE_PX, 4, samples=4)
   drawn = gl.framebuffer([texture], gl.depth_renderbuffer(SIZE_PX, samples=4))
   drawn.use()
   drawn.clear(*BACKGROUND)
   mesh(gl, WAYS, view((0.6, -2.4, 2.6)))
   shown = target(gl)
   texture.use(0)
   screen(gl, SAMPLES)
   return shown


def numbers(gl):
   """Prints sums of what was drawn; exact."""
   size = 97, 61
   targets = [gl.texture(size, 4, dtype='u4'), gl.texture(size, 2, dtype='i2')]
   drawn = gl.framebuffer(targets)
   drawn.use()
   drawn.clear()
   screen(gl, NUMBERS)
   for texture, kind in zip(targets, ('u4', 'i2')):
      values = np.frombuffer(texture.read(alignment=1), kind).reshape(-1, texture.components).astype('i8')
      print('value', kind, *values.sum(0), *values[:: 701].ravel())


def field(gl):
   z, y, x = np.mgrid[:12, :10, :16]
   texels = np.stack([16 * x, 25 * y, 21 * z], -1).astype('u1') ^ (((x + y + z) % 2)[..., None] * 60).astype('u1')
   texture = gl.texture3d((16, 10, 12), 3, texels.tobytes(), alignment=1)
   texture.filter = moderngl.LINEAR, moderngl.LINEAR
   shown = target(gl)
   texture.use(0)
   screen(gl, FIELD)
   return shown


def cube(gl):
   y, x = np.mgrid[:16, :16]
   faces = [np.stack([x * 15, y * 15, 0 * x + 40 * i], -1) // (1 + (x // 4 + y // 4) % 2)[..., None] for i in range(6)]
   sky = gl.texture_cube((16, 16), 3, np.array(faces, 'u1').tobytes())
   sky.filter = moderngl.LINEAR, moderngl.LINEAR
   shown = target(gl)
   sky.use(0)
   mesh(gl, SKY, view((0.6, -2.4, 2.6)))
   return shown


def two_colours(gl):
   shown = target(gl)
   gl.enable(moderngl.BLEND)
   gl.blend_func = moderngl.ONE, ONE_MINUS_SRC1_COLOR
   screen(gl, TWO)
   gl.disable(moderngl.BLEND)
   return shown


with context() as gl:
   for scene in samples, field, cube, two_colours:
      save(scene(gl), scene.__name__.replace('_', '-'))
   numbers(gl)
