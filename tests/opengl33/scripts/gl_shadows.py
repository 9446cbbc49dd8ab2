# SPDX-License-Identifier: MIT
"""Instances with matrices from a uniform block, a texture array, a shadow map with comparison, mipmaps, and the same
scene with four samples a pixel."""
import moderngl
import numpy as np
from shared_gl import context, floats, save, target, torus, view

COUNT, SHADOW_PX = 9, 512
VERTEX = """#version 330
layout(std140) uniform Places { vec4 places[9]; };
uniform mat4 clip; uniform mat4 light; in vec3 at; in vec3 normal;
out vec3 way; out vec4 lit; out vec3 texel; flat out int number;
void main() {
   vec4 place = places[gl_InstanceID];
   vec3 here = at * place.w + place.xyz;
   gl_Position = clip * vec4(here, 1.0);
   way = normal; lit = light * vec4(here, 1.0); number = gl_InstanceID;
   texel = vec3(at.xy * 2.0, float(gl_InstanceID % 3));
}"""
FRAGMENT = """#version 330
uniform sampler2DArray skins; uniform sampler2DShadow shadow;
in vec3 way; in vec4 lit; in vec3 texel; flat in int number; out vec4 pixel;
void main() {
   vec3 place = lit.xyz / lit.w * 0.5 + 0.5;
   float light = texture(shadow, vec3(place.xy, place.z - 0.004));
   float facing = max(dot(normalize(way), normalize(vec3(1.0, -0.6, 2.0))), 0.0);
   pixel = vec4(texture(skins, texel).rgb * (0.25 + 0.75 * facing * light), 1.0);
}"""
DEPTHS = '#version 330\nvoid main() { }'


def skins(gl, size_px=64):
   """Three layers of checks and stripes, with mipmaps."""
   y, x = np.mgrid[:size_px, :size_px]
   layers = [(x // 8 + y // 8) % 2, y // 4 % 2, (x + y) // 8 % 2]
   colours = [((200, 90, 60), (240, 220, 190)), ((60, 90, 200), (210, 220, 240)), ((60, 150, 80), (220, 240, 200))]
   texels = np.array([np.array(pair, 'u1')[layer] for layer, pair in zip(layers, colours)], 'u1')
   it = gl.texture_array((size_px, size_px, 3), 3, texels.tobytes())
   it.build_mipmaps()
   it.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
   return it


def places():
   return [(x - 1, y - 1, 0.25 * ((x + y) % 3), 0.33) for y in range(3) for x in range(3)]


def shaded(gl, places, shadow, fragment, clip, light):
   """The scene's meshes and the floor, ready to be drawn."""
   program = gl.program(vertex_shader=VERTEX, fragment_shader=fragment)
   for name, value in ('clip', clip), ('light', light):
      if name in program:
         program[name].write(value)
   for unit, name in enumerate(('skins', 'shadow')):
      if name in program:
         program[name] = unit
   program['Places'].binding = 0
   places.bind_to_uniform_block(0)
   floor = floats([(x, y, -0.9, 0, 0, 1) for x, y in ((-9, -9), (9, -9), (9, 9), (-9, -9), (9, 9), (-9, 9))])
   layout = '3f 3f' if 'normal' in program else '3f 3x4'
   names = ['at', 'normal'][:len(layout.split()) if 'normal' in program else 1]
   meshes = [(gl.buffer(data), count) for data, count in ((torus(), COUNT), (floor, 1))]
   return [(gl.vertex_array(program, [(mesh, layout, *names)]), count) for mesh, count in meshes]


with context() as gl:
   spots = gl.buffer(floats(places()))
   light, clip = view((2.5, -1.5, 5), near=1, far=12, ahead=2.0), view((1.6, -3.6, 2.6))
   depths = gl.depth_texture((SHADOW_PX, SHADOW_PX))
   depths.compare_func = '<='
   depths.filter = moderngl.LINEAR, moderngl.LINEAR
   baked = gl.framebuffer(depth_attachment=depths)
   baked.use()
   baked.clear()
   for mesh, count in shaded(gl, spots, None, DEPTHS, light, light):
      mesh.render(instances=count)
   skins(gl).use(0)
   depths.use(1)
   for samples in 0, 4:
      shown = target(gl, samples)
      for mesh, count in shaded(gl, spots, depths, FRAGMENT, clip, light):
         mesh.render(instances=count)
      resolved = target(gl)
      gl.copy_framebuffer(resolved, shown)
      save(resolved, f'{samples or 1}-samples')
