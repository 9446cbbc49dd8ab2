/* SPDX-License-Identifier: MIT
 *
 * fed_cases CASE: particles that OpenGL ES 3.0 moves by transform feedback, and draws as points
 * over a ground that is fetched with texel offsets; with a buffer that is too small for them
 * (`small`), or that is read and written at once (`loop`). `clip`: a triangle that
 * gl_ClipDistance[1] cuts, in OpenGL 3.0. `integers`: what is no float is no NaN. `texels`: a
 * buffer texture whose last texels were never written, in OpenGL 3.1. Suite `tools` asks the tools
 * about them. Pictures are checked here.
 */
#include "gles2_context.h"

#include <GLES3/gl32.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_PX 32
#define PARTICLES 8
/* of OpenGL 3.0 */
#define GL_CLIP_DISTANCE1 0x3001
#define GL_PROGRAM_POINT_SIZE 0x8642

static const char es[] = "#version 300 es\n", desktop[] = "#version 130\n";
static const char move_vertex[] = "in vec4 place;\n"
                                  "out vec4 moved;\n"
                                  "flat out int number;\n"
                                  "void main()\n"
                                  "{\n"
                                  "   moved = place + vec4(0.0, 0.5, 0.0, 0.0);\n"
                                  "   number = gl_VertexID;\n"
                                  "   gl_Position = moved;\n"
                                  "}\n";
static const char nothing_fragment[] = "void main() {}\n";
static const char show_vertex[] = "in vec4 place;\n"
                                  "void main()\n"
                                  "{\n"
                                  "   gl_Position = place;\n"
                                  "   gl_PointSize = 2.0;\n"
                                  "}\n";
static const char show_fragment[] = "precision mediump float;\n"
                                    "uniform sampler2D ground;\n"
                                    "out vec4 colour;\n"
                                    "void main()\n"
                                    "{\n"
                                    "   colour = textureOffset(ground, vec2(0.125), ivec2(2, 1));\n"
                                    "}\n";
static const char clip_vertex[] = "in vec2 place;\n"
                                  "out float gl_ClipDistance[2];\n"
                                  "void main()\n"
                                  "{\n"
                                  "   gl_Position = vec4(place, 0.0, 1.0);\n"
                                  "   gl_ClipDistance[0] = 1.0;\n"
                                  "   gl_ClipDistance[1] = place.x;\n"
                                  "}\n";
static const char integer_vertex[] = "in ivec4 place;\n"
                                     "flat out ivec4 passed;\n"
                                     "void main()\n"
                                     "{\n"
                                     "   passed = place;\n"
                                     "   gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, "
                                     "gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);\n"
                                     "}\n";
static const char integer_fragment[] =
   "precision highp int;\n"
   "uniform highp isampler2D ground;\n"
   "uniform int minus;\n"
   "flat in ivec4 passed;\n"
   "out ivec4 colour;\n"
   "void main()\n"
   "{\n"
   "   colour = ivec4(passed.x, texelFetch(ground, ivec2(0), 0).y, passed.z + minus, minus);\n"
   "}\n";
static const char clip_fragment[] = "void main() { gl_FragColor = vec4(1.0); }\n";

static const char texels_vertex[] = "void main()\n"
                                    "{\n"
                                    "   gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, "
                                    "gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);\n"
                                    "}\n";
static const char texels_fragment[] = "uniform samplerBuffer table;\n"
                                      "out vec4 colour;\n"
                                      "void main()\n"
                                      "{\n"
                                      "   colour = texelFetch(table, int(gl_FragCoord.x));\n"
                                      "}\n";

static GLuint
link_program(const char *header, const char *vertex, const char *fragment, bool feeds)
{
   static const char *const outputs[] = { "moved", "number" };
   const char *const sources[2][2] = { { header, vertex }, { header, fragment } };
   const GLuint program = glCreateProgram();
   GLint ok;
   for (int i = 0; i < 2; i++) {
      const GLuint shader = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
      glShaderSource(shader, 2, sources[i], NULL);
      glCompileShader(shader);
      glAttachShader(program, shader);
   }
   glBindAttribLocation(program, 0, "place");
   if (feeds)
      glTransformFeedbackVaryings(program, 2, outputs, GL_SEPARATE_ATTRIBS);
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &ok);
   if (!ok)
      die("a program does not link");
   glUseProgram(program);
   return program;
}

static GLuint
buffer_of(const void *data, int size_B)
{
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, size_B, data, GL_DYNAMIC_COPY);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray(0);
   return buffer;
}

/* Move the particles; returns how many were written. */
static GLuint
move(const char *header, GLuint source, GLuint moved, GLuint numbers, int room)
{
   GLuint query, written;
   glGenQueries(1, &query);
   link_program(header, move_vertex, nothing_fragment, true);
   glBindBuffer(GL_ARRAY_BUFFER, source);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
   glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, moved, 0, 16 * room);
   glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 1, numbers, 0, 4 * PARTICLES);
   glEnable(GL_RASTERIZER_DISCARD);
   glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
   glBeginTransformFeedback(GL_POINTS);
   glDrawArrays(GL_POINTS, 0, PARTICLES);
   glEndTransformFeedback();
   glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
   glDisable(GL_RASTERIZER_DISCARD);
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &written);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 1, 0);
   return written;
}

static void
bind_ground(void)
{
   static uint8_t texel[8][8][4];
   GLuint texture;
   memset(texel[2][3], 255, 4); /* of (1, 1) that is 2, 1 away */
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, texel);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

static void
draw_particles(const char *header, bool is_small, bool is_loop)
{
   static float place[PARTICLES][4];
   static const uint8_t white[4] = { 255, 255, 255, 255 };
   for (int i = 0; i < PARTICLES; i++) {
      place[i][0] = (float)(2 * i + 1 - PARTICLES) / PARTICLES;
      place[i][1] = -0.5f;
      place[i][3] = 1;
   }
   const struct target target = target_create(SIZE_PX, SIZE_PX);
   const GLuint numbers = buffer_of(NULL, 4 * PARTICLES), source = buffer_of(place, sizeof(place)),
                moved = is_loop ? source : buffer_of(place, sizeof(place));
   const int room = is_small ? PARTICLES - 3 : PARTICLES;
   if (is_small)
      glEnable(GL_PROGRAM_POINT_SIZE);
   const GLuint written = move(header, source, moved, numbers, room);
   if (written != (GLuint)room)
      die("%u particles are written, not %d", written, room);
   link_program(header, show_vertex, show_fragment, false);
   bind_ground();
   glBindBuffer(GL_ARRAY_BUFFER, moved);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
   glDrawArrays(GL_POINTS, 0, PARTICLES);
   no_error("drawing particles");
   uint8_t *pixels = target_read(&target);
   for (int i = 0; i < PARTICLES && !is_loop; i++)
      expect_pixel(&target, pixels, 4 * i + 2, i < room ? 16 : 8, white, 0, "a particle");
   free(pixels);
}

static void
draw_clipped(void)
{
   static const float corner[3][2] = { { -1, -1 }, { 3, -1 }, { -1, 3 } };
   static const uint8_t white[4] = { 255, 255, 255, 255 }, black[4] = { 0 };
   const struct target target = target_create(SIZE_PX, SIZE_PX);
   link_program(desktop, clip_vertex, clip_fragment, false);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corner);
   glEnableVertexAttribArray(0);
   glEnable(GL_CLIP_DISTANCE1);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   no_error("drawing a clipped triangle");
   uint8_t *pixels = target_read(&target);
   expect_pixel(&target, pixels, 20, 16, white, 0, "what is not cut");
   expect_pixel(&target, pixels, 10, 16, black, 0, "what is cut");
   free(pixels);
}

/* -1 as attribute, varying, uniform, texel and colour: as a float its bits were a NaN. */
static void
draw_integers(void)
{
   static const int32_t number[3][4] = { { -1, -1, -1, -1 },
                                         { -1, -1, -1, -1 },
                                         { -1, -1, -1, -1 } };
   GLuint texture, colour, framebuffer;
   int32_t pixel[4];
   const GLuint program = link_program(es, integer_vertex, integer_fragment, false);
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32I, 1, 1, 0, GL_RGBA_INTEGER, GL_INT, number);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glGenRenderbuffers(1, &colour);
   glBindRenderbuffer(GL_RENDERBUFFER, colour);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA32I, 4, 4);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour);
   glViewport(0, 0, 4, 4);
   glUniform1i(glGetUniformLocation(program, "minus"), -1);
   buffer_of(number, sizeof(number));
   glVertexAttribIPointer(0, 4, GL_INT, 0, NULL);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glReadPixels(1, 1, 1, 1, GL_RGBA_INTEGER, GL_INT, pixel);
   no_error("drawing integers");
   if (pixel[0] != -1 || pixel[1] != -1 || pixel[2] != -2 || pixel[3] != -1)
      die("the pixel is %d %d %d %d", pixel[0], pixel[1], pixel[2], pixel[3]);
}

/* Column x has texel x, which a copy writes; the last four were never written. */
static void
draw_texels(void)
{
   enum { WRITTEN = SIZE_PX - 4 };
   const struct target target = target_create(SIZE_PX, SIZE_PX);
   uint8_t texels[WRITTEN][4];
   GLuint buffer, source, texture;
   for (int i = 0; i < WRITTEN; i++)
      memcpy(texels[i], (uint8_t[4]){ (uint8_t)(8 * i), 100, (uint8_t)(255 - i), 255 }, 4);
   link_program("#version 140\n", texels_vertex, texels_fragment, false);
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_TEXTURE_BUFFER, buffer);
   glBufferData(GL_TEXTURE_BUFFER, 4 * SIZE_PX, NULL, GL_STATIC_DRAW);
   glGenBuffers(1, &source);
   glBindBuffer(GL_COPY_READ_BUFFER, source);
   glBufferData(GL_COPY_READ_BUFFER, sizeof(texels), texels, GL_STATIC_DRAW);
   glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_TEXTURE_BUFFER, 0, 0, sizeof(texels));
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_BUFFER, texture);
   glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, buffer);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   no_error("drawing texels of a buffer");
   uint8_t *pixels = target_read(&target);
   for (int x = 0; x < WRITTEN; x++)
      expect_pixel(&target, pixels, x, 16, texels[x], 0, "a texel of a buffer");
   free(pixels);
}

/* A context as the case wants it. */
static void
open_context(const char *chosen)
{
   const bool older = !strcmp(chosen, "small") || !strcmp(chosen, "clip");
   if (!strcmp(chosen, "texels"))
      context_create_gl3(display_open(), EGL_NO_CONTEXT, 1);
   else if (older)
      context_create_desktop(display_open(), EGL_NO_CONTEXT);
   else
      context_create_es3(display_open(), EGL_NO_CONTEXT);
}

int
main(int argc, char **argv)
{
   const char *chosen = argc == 2 ? argv[1] : "";
   const bool is_small = !strcmp(chosen, "small"), is_loop = !strcmp(chosen, "loop");
   open_context(chosen);
   if (!strcmp(chosen, "integers"))
      draw_integers();
   else if (!strcmp(chosen, "clip"))
      draw_clipped();
   else if (!strcmp(chosen, "texels"))
      draw_texels();
   else if (is_small || is_loop || !strcmp(chosen, "right"))
      draw_particles(is_small ? desktop : es, is_small, is_loop);
   else
      die("usage: fed_cases right|small|loop|clip|integers|texels");
   glFinish();
   return glGetError() != GL_NO_ERROR;
}
