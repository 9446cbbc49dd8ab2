# SPDX-License-Identifier: MIT
"""Programs of fuzz_calls.py, in what GLSL ES 3.00 and GLSL 3.30 have in common, and of GLSL 3.30 with geometry
shaders."""
from dataclasses import dataclass, replace

PRECISIONS = 'precision highp float; precision highp int; precision highp sampler2DArray;\n'


@dataclass
class Program:
   vertex: str
   fragment: str
   geometry: str = ''
   captured: tuple = ()       # what transform feedback keeps
   mode: str = 'INTERLEAVED_ATTRIBS'
   version: str = ''

   def stages(self):
      """[(its constant, its text)]"""
      texts = [('VERTEX_SHADER', self.vertex), ('FRAGMENT_SHADER', self.fragment), ('GEOMETRY_SHADER', self.geometry)]
      return [(stage, f'#version {self.version}\n{PRECISIONS}{text}') for stage, text in texts if text]


def in_version(version, programs):
   return [replace(program, version=version) for program in programs]


BLOCKS = ('layout(std140) uniform block { mat4 m; vec3 list[3]; uvec2 n; struct_of inside; };\n'
          'layout(std140) uniform more { ivec4 numbers[8]; } each[2];\n')
STRUCT = 'struct struct_of { float f; mat3x2 m; };\n'
PASSED_ON = 'in vec4 position; in vec4 colour; out vec4 v; void main() { v = colour; gl_Position = position; }'

SIMPLE = [
   Program(
      'in vec4 position; in vec4 colour; out vec4 v; uniform block { vec4 scale[4]; } b; uniform vec4 shift;\n'
      'void main() { v = colour + b.scale[gl_VertexID & 3]; gl_Position = position + shift; gl_PointSize = 3.0; }',
      'in vec4 v; uniform sampler2D image; out vec4 c; void main() { c = v * texture(image, v.xy); }'),
   Program(
      'in vec4 position; in ivec4 colour; flat out ivec4 v; void main() { v = colour; gl_Position = position; }',
      'flat in ivec4 v; uniform highp isampler3D image;\n'
      'layout(location = 0) out ivec4 c; layout(location = 1) out vec4 d;\n'
      'void main() { c = v + texelFetch(image, v.xyz, v.w); d = vec4(c); if (v.x == 3) discard; }'),
   Program(
      'in vec4 position; out vec4 made; uniform mat4 m; void main() { made = m * position; gl_Position = made; }',
      'in vec4 made; uniform sampler2DArray image; uniform highp samplerCube cube; out vec4 c;\n'
      'void main() { c = texture(image, made.xyz) + textureLod(cube, made.xyz, 1.0); gl_FragDepth = made.z; }',
      captured=('made', 'gl_Position')),
   Program(
      STRUCT + BLOCKS + 'in vec4 position; in uvec4 colour; flat out uvec4 v; out vec4 made;\n'
      'void main() {\n'
      '   v = uvec4(n, floatBitsToUint(position.x), uint(each[1].numbers[gl_VertexID & 7].x)) + colour;\n'
      '   made = vec4(inside.m[1], inside.f, 1.0);\n'
      '   gl_Position = m * position + vec4(list[gl_InstanceID % 3], 0.0);\n'
      '}',
      STRUCT + BLOCKS + 'flat in uvec4 v; in vec4 made;\n'
      'layout(location = 0) out uvec4 c; layout(location = 1) out ivec2 d; layout(location = 2) out vec4 e;\n'
      'void main() { c = v; d = each[0].numbers[v.x & 7u].xy; e = made + m[v.y & 3u]; }',
      captured=('v', 'made'), mode='SEPARATE_ATTRIBS')]

# Geometry shaders: points to triangles, triangles to lines of layers, and those of both kinds of adjacency.
GEOMETRY = [
   Program(
      PASSED_ON, 'in vec4 made; out vec4 c; void main() { c = made; }',
      'layout(points) in; layout(triangle_strip, max_vertices = 6) out; in vec4 v[]; out vec4 made;\n'
      'uniform block { vec4 scale[4]; } b; uniform sampler2D image;\n'
      'void main() {\n'
      '   for (int i = 0; i < 6; i++) {\n'
      '      made = v[0] + texelFetch(image, ivec2(i, 0), 0);\n'
      '      gl_Position = gl_in[0].gl_Position + b.scale[i & 3] + vec4(i & 1, i >> 1, 0, 0) * 0.25;\n'
      '      EmitVertex();\n'
      '      if (i == 2) EndPrimitive();\n'
      '   }\n'
      '}',
      captured=('made', 'gl_Position')),
   Program(
      PASSED_ON, 'in vec4 made; out ivec4 c; void main() { c = ivec4(made) + gl_PrimitiveID; }',
      'layout(triangles) in; layout(line_strip, max_vertices = 4) out; in vec4 v[]; out vec4 made; out float other;\n'
      'void main() {\n'
      '   for (int i = 0; i < 4; i++) {\n'
      '      made = v[i % 3]; other = float(i); gl_Position = gl_in[i % 3].gl_Position;\n'
      '      gl_Layer = gl_PrimitiveIDIn & 7; gl_PrimitiveID = gl_PrimitiveIDIn;\n'
      '      EmitVertex();\n'
      '   }\n'
      '}',
      captured=('made', 'other'), mode='SEPARATE_ATTRIBS'),
   Program(
      'in vec4 position; in vec4 colour; out vec4 v;\n'
      'out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };\n'
      'void main() { v = colour; gl_Position = position; gl_ClipDistance[0] = v.x; gl_ClipDistance[1] = v.y; }',
      'in vec4 made; out vec4 c; void main() { c = made + vec4(gl_PointCoord, gl_ClipDistance[0], 1.0); }',
      'layout(lines_adjacency) in; layout(points, max_vertices = 9) out; in vec4 v[]; out vec4 made;\n'
      'in gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; } gl_in[];\n'
      'out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; };\n'
      'void main() {\n'
      '   for (int i = 0; i < int(abs(v[1].x)) && i < 9; i++) {\n'
      '      made = v[i & 3]; gl_Position = mix(gl_in[0].gl_Position, gl_in[3].gl_Position, made.y);\n'
      '      gl_PointSize = made.z; gl_ClipDistance[0] = gl_in[2].gl_ClipDistance[1]; gl_ClipDistance[1] = 1.0;\n'
      '      EmitVertex(); EndPrimitive();\n'
      '   }\n'
      '}',
      captured=('gl_Position', 'gl_SkipComponents2', 'made')),
   Program(
      PASSED_ON, 'flat in uvec4 u; in vec4 made; layout(location = 0) out uvec4 c; layout(location = 1) out vec4 d;\n'
      'void main() { c = u; d = made; }',
      'layout(triangles_adjacency) in; layout(triangle_strip, max_vertices = 12) out; in vec4 v[];\n'
      'flat out uvec4 u; out vec4 made;\n'
      'void main() {\n'
      '   for (int i = 0; i < 12; i++) {\n'
      '      u = uvec4(i, gl_PrimitiveIDIn, 2, 3); made = v[i % 6]; gl_Position = gl_in[(i * 5) % 6].gl_Position;\n'
      '      gl_Layer = i / 3 - 1;\n'
      '      EmitVertex();\n'
      '      if (i % 3 == 2) EndPrimitive();\n'
      '   }\n'
      '}',
      captured=('u', 'gl_NextBuffer', 'made'))]

# Of OpenGL's compatibility profile: what a list, glBegin and the current values give.
FIXED = [
   Program(
      'out vec4 made; void main() { made = gl_MultiTexCoord0 + gl_Color; gl_Position = ftransform();\n'
      '   gl_FrontColor = gl_Color; gl_BackColor = gl_LightSource[0].diffuse; gl_ClipVertex = gl_Vertex; }',
      'in vec4 made; uniform sampler2D image; void main() { gl_FragColor = gl_Color + made; }',
      captured=('made', 'gl_FrontColor'))]
