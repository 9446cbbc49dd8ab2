/* SPDX-License-Identifier: MIT
 *
 * long_shader: a surface of waves in a frame of three draws, whose vertex shader is long and has a
 * fault: it divides by a `steepness` that is 0 in one of the draws, so that its positions are no
 * numbers. Suite `tools` reduces a capture of it to the lines that make them so.
 */
#include "gles2_context.h"

#define SIZE_PX 64
#define DRAWS 3
#define FAULTY_DRAW 1

static const char waves_vertex[] =
   "#ifdef GL_ES\n"
   "precision highp float;\n"
   "#else\n"
   "#define highp\n"
   "#endif\n"
   "#define TAU 6.2831853\n"
   "#define WAVES 4\n"
   "\n"
   "attribute vec2 place;\n"
   "attribute vec3 color;\n"
   "uniform mat4 camera;\n"
   "uniform vec4 light;\n"
   "uniform float time, steepness;\n"
   "uniform vec2 wind[2];\n"
   "varying vec3 tint;\n"
   "varying vec2 texel;\n"
   "const vec3 up = vec3(0.0, 0.0, 1.0);\n"
   "\n"
   "/* The height of a wave. */\n"
   "float wave(vec2 at, float scale, float phase)\n"
   "{\n"
   "   float angle = TAU * dot(at, wind[0]) * scale + phase;\n"
   "   return sin(angle) / scale;\n"
   "}\n"
   "\n"
   "float height(vec2 at)\n"
   "{\n"
   "   float sum = 0.0, scale = 1.0;\n"
   "   for (int i = 0; i < WAVES; i++) {\n"
   "      sum += wave(at, scale, time * float(i));\n"
   "      scale *= 2.0;\n"
   "   }\n"
   "   return 0.1 * sum;\n"
   "}\n"
   "\n"
   "vec3 normal(vec2 at)\n"
   "{\n"
   "   vec2 shift = vec2(0.01, 0.0);\n"
   "   float here = height(at);\n"
   "   vec2 slope = vec2(height(at + shift) - here, height(at + shift.yx) - here) / shift.x;\n"
   "   return normalize(up - vec3(slope, 0.0));\n"
   "}\n"
   "\n"
   "vec2 drift(vec2 at)\n"
   "{\n"
   "   vec2 moved = at + wind[1] * time; // with the wind\n"
   "   if (dot(wind[1], wind[1]) > 0.5)\n"
   "      moved = at;\n"
   "   else if (time > 10.0)\n"
   "      moved -= wind[1];\n"
   "   return moved + 0.01 * (at - moved) / steepness;\n"
   "}\n"
   "\n"
   "void main()\n"
   "{\n"
   "   vec2 moved = drift(place);\n"
   "   vec3 position = vec3(place, 0.0);\n"
   "   float lit = max(dot(normal(place), normalize(light.xyz)), 0.0);\n"
   "   position.z = height(moved);\n"
   "   position.xy = mix(moved, place, 0.9);\n"
   "   tint = color * (0.25 + 0.75 * lit);\n"
   "   texel = place * 0.5 + 0.5;\n"
   "   gl_Position = camera * vec4(position, 1.0);\n"
   "}\n";
static const char waves_fragment[] = "precision mediump float;\n"
                                     "uniform float shift;\n"
                                     "varying vec3 tint;\n"
                                     "varying vec2 texel;\n"
                                     "void main()\n"
                                     "{\n"
                                     "   vec3 seen = tint;\n"
                                     "   if (fract(texel.x * 8.0 + shift) < 0.5)\n"
                                     "      seen = mix(seen, vec3(texel, 0.5), 0.25);\n"
                                     "   gl_FragColor = vec4(seen, 1.0);\n"
                                     "}\n";

static const char *const attributes[] = { "place", "color", NULL };

static void
set_uniforms(GLuint program, int draw)
{
   static const float camera[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
   static const float wind[2][2] = { { 0.8f, 0.6f }, { 0.1f, 0.2f } };
   glUniformMatrix4fv(glGetUniformLocation(program, "camera"), 1, GL_FALSE, camera);
   glUniform4f(glGetUniformLocation(program, "light"), 0.3f, 0.4f, 0.8f, 0);
   glUniform1f(glGetUniformLocation(program, "time"), 0.25f * (float)draw);
   glUniform1f(glGetUniformLocation(program, "shift"), 0.1f * (float)draw);
   glUniform1f(glGetUniformLocation(program, "steepness"), draw == FAULTY_DRAW ? 0 : 0.5f);
   glUniform2fv(glGetUniformLocation(program, "wind"), 2, wind[0]);
}

int
main(void)
{
   static const float corners[][5] = { { -0.9f, -0.9f, 1, 0, 0 },
                                       { 0.9f, -0.9f, 0, 1, 0 },
                                       { -0.9f, 0.9f, 0, 0, 1 },
                                       { 0.9f, 0.9f, 1, 1, 1 } };
   context_create(display_open(), EGL_NO_CONTEXT);
   target_create(SIZE_PX, SIZE_PX);
   glClearColor(0.1f, 0.1f, 0.1f, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   const GLuint program = program_link_attributes(waves_vertex, waves_fragment, attributes);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(corners[0]), corners[0]);
   glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, sizeof(corners[0]), corners[0] + 2);
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   for (int draw = 0; draw < DRAWS; draw++) {
      set_uniforms(program, draw);
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   }
   glFinish();
   return glGetError() != GL_NO_ERROR;
}
