# SPDX-License-Identifier: MIT
"""Geometry shaders: stars of as many corners as each point says; the normals of a mesh as lines beside it; triangles
that are pulled apart, in flat colours by their number; thick lines with what is beside them (lines with adjacency)."""
import moderngl
import numpy as np
from shared_gl import context, floats, save, target, torus, view

PLACED = '#version 330\nin vec2 at; in int corners; out int corner_count; void main() {' \
         'gl_Position = vec4(at, 0.0, 1.0); corner_count = corners; }'
STARS = """#version 330
layout(points) in; layout(triangle_strip, max_vertices = 27) out;
in int corner_count[]; flat out vec3 colour;
void corner(float turn, float radius) {
   gl_Position = gl_in[0].gl_Position + vec4(0.75 * cos(turn), sin(turn), 0.0, 0.0) * radius;
   EmitVertex();
}
void main() {
   int count = corner_count[0];
   for (int i = 0; i < count; i++) {
      float turn = 6.2831853 * float(i) / float(count), half_turn = 3.1415927 / float(count);
      colour = vec3(float(i) / float(count), 1.0 - float(count) / 9.0, float(gl_PrimitiveIDIn) / 30.0);
      corner(turn - half_turn, 0.06); corner(turn, 0.16); corner(turn + half_turn, 0.06);
      EndPrimitive();
      if (i >= 8) break;
   }
}"""
COLOURED = '#version 330\nflat in vec3 colour; out vec4 pixel; void main() { pixel = vec4(colour, 1.0); }'

MESH = '#version 330\nin vec3 at; in vec3 normal; out vec3 from; out vec3 along; void main() {' \
       'from = at; along = normal; gl_Position = vec4(at, 1.0); }'
APART = """#version 330
layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;
uniform mat4 clip; uniform float by; in vec3 from[]; flat out vec3 colour;
void main() {
   vec3 out_of = normalize(cross(from[1] - from[0], from[2] - from[0]));
   colour = 0.5 + 0.5 * vec3(out_of.z, float(gl_PrimitiveIDIn % 7) / 7.0, float(gl_PrimitiveIDIn % 5) / 5.0);
   for (int i = 0; i < 3; i++) { gl_Position = clip * vec4(from[i] + by * out_of, 1.0); EmitVertex(); }
}"""
NORMALS = """#version 330
layout(triangles) in; layout(line_strip, max_vertices = 2) out;
uniform mat4 clip; in vec3 from[]; in vec3 along[]; flat out vec3 colour;
void main() {
   colour = 0.5 + 0.5 * along[0];
   gl_Position = clip * vec4(from[0], 1.0); EmitVertex();
   gl_Position = clip * vec4(from[0] + 0.12 * along[0], 1.0); EmitVertex();
}"""
THICK = """#version 330
layout(lines_adjacency) in; layout(triangle_strip, max_vertices = 4) out;
flat out vec3 colour;
vec2 mitre(int i) {
   vec2 before = normalize(gl_in[i].gl_Position.xy - gl_in[i - 1].gl_Position.xy);
   vec2 after = normalize(gl_in[i + 1].gl_Position.xy - gl_in[i].gl_Position.xy);
   vec2 middle = normalize(before + after);
   return vec2(-middle.y, middle.x) * 0.05 / dot(middle, after);
}
void main() {
   colour = vec3(0.9, 0.3 + 0.1 * float(gl_PrimitiveIDIn % 6), 0.2);
   for (int i = 1; i <= 2; i++)
      for (float side = -1.0; side <= 1.0; side += 2.0) {
         gl_Position = gl_in[i].gl_Position + vec4(side * mitre(i), 0.0, 0.0); EmitVertex();
      }
}"""


def stars(gl):
   program = gl.program(vertex_shader=PLACED, geometry_shader=STARS, fragment_shader=COLOURED)
   at = [(x / 3.6 - 0.83, y / 2.6 - 0.76) for y in range(5) for x in range(7)]
   corners = gl.buffer(np.arange(35, dtype='i4') % 7 + 3)
   gl.vertex_array(program, [(gl.buffer(floats(at)), '2f', 'at'), (corners, '1i', 'corners')]).render(moderngl.POINTS)


def pulled_apart(gl):
   mesh, clip = gl.buffer(torus(24, 12)), view((1.4, -2.2, 1.6))
   for geometry in APART, NORMALS:
      program = gl.program(vertex_shader=MESH, geometry_shader=geometry, fragment_shader=COLOURED)
      program['clip'].write(clip)
      if 'by' in program:
         program['by'] = 0.06
      names = [name for name in ('at', 'normal') if name in program]
      layout = '3f 3f' if len(names) == 2 else '3f 3x4'
      gl.vertex_array(program, [(mesh, layout, *names)]).render()


def thick(gl):
   vertex = '#version 330\nin vec2 at; void main() { gl_Position = vec4(at, 0.0, 1.0); }'
   program = gl.program(vertex_shader=vertex, geometry_shader=THICK, fragment_shader=COLOURED)
   turns = np.arange(60) * 0.31
   spiral = np.stack([np.cos(turns), np.sin(turns)], -1) * (turns[:, None] / 22)
   gl.vertex_array(program, [(gl.buffer(floats(spiral)), '2f', 'at')]).render(moderngl.LINE_STRIP_ADJACENCY)


with context() as gl:
   for scene in stars, pulled_apart, thick:
      shown = target(gl)
      scene(gl)
      save(shown, scene.__name__.replace('_', '-'))
