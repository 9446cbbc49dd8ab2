# SPDX-License-Identifier: MIT
"""Transform feedback: numbers that each pass makes of those of the pass before; what a geometry shader emits, none for
some points and several for others, and the queries that count it. All numbers are whole: they are the same on every
driver. What was fed back is drawn."""
import moderngl
import numpy as np
from shared_gl import context, save, target

COUNT, PASSES = 1000, 20
STEP = """#version 330
in uvec2 state; out uvec2 next;
void main() {
   uint x = state.x * 1664525u + 1013904223u + uint(gl_VertexID);
   next = uvec2(x, (state.y >> 1u) ^ ((state.y & 1u) * 0xd0000001u) ^ (x >> 7u));
}"""
POINTS = '#version 330\nin uvec2 state; flat out uvec2 passed; void main() { passed = state; }'
SPLIT = """#version 330
layout(points) in; layout(points, max_vertices = 5) out;
flat in uvec2 passed[]; out uint number; out uint part;
void main() {
   for (uint i = 0u; i < passed[0].x % 6u; i++) {
      number = uint(gl_PrimitiveIDIn); part = passed[0].y * i; EmitVertex();
   }
}"""
DRAWN = """#version 330
in uint number; in uint part; flat out vec3 colour;
void main() {
   gl_Position = vec4(float(number % 100u) / 51.0 - 0.97, float(part >> 22) / 520.0 - 0.97, 0.0, 1.0);
   gl_PointSize = 3.0; colour = vec3(float(number) / 1000.0, float(part & 255u) / 255.0, 0.6);
}"""
FRAGMENT = '#version 330\nflat in vec3 colour; out vec4 pixel; void main() { pixel = vec4(colour, 1.0); }'


def stepped(gl):
   """The buffer of states after all passes."""
   program = gl.program(vertex_shader=STEP, varyings=['next'])
   states = np.stack([np.arange(COUNT), 0x9e3779b9 + np.arange(COUNT) * 77], -1).astype('u4')
   here, there = gl.buffer(states), gl.buffer(reserve=states.nbytes)
   for _ in range(PASSES):
      gl.vertex_array(program, [(here, '2u', 'state')]).transform(there, moderngl.POINTS)
      here, there = there, here
   print('value states', *np.frombuffer(here.read(), 'u4')[:: 97])
   print('value sum', int(np.frombuffer(here.read(), 'u4').astype('u8').sum()))
   return here


def split(gl, states):
   """What the geometry shader makes of them, and how many that is."""
   program = gl.program(vertex_shader=POINTS, geometry_shader=SPLIT, varyings=['number', 'part'])
   parts = gl.buffer(reserve=COUNT * 5 * 8)
   query = gl.query(primitives=True)
   with query:
      gl.vertex_array(program, [(states, '2u', 'state')]).transform(parts, moderngl.POINTS)
   print('value primitives', query.primitives)
   numbers = np.frombuffer(parts.read(), 'u4')[:2 * query.primitives]
   print('value parts', *numbers[:: 211], int(numbers.astype('u8').sum()))
   return parts, query.primitives


with context() as gl:
   gl.enable(moderngl.PROGRAM_POINT_SIZE)
   target(gl)   # feedback, too, wants a complete frame buffer
   parts, count = split(gl, stepped(gl))
   shown = target(gl)
   program = gl.program(vertex_shader=DRAWN, fragment_shader=FRAGMENT)
   gl.vertex_array(program, [(parts, '1u 1u', 'number', 'part')]).render(moderngl.POINTS, vertices=count)
   save(shown, 'parts')
