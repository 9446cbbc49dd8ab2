/* SPDX-License-Identifier: MIT */
#include "memory_scenes.h"

#include <GLES3/gl32.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CONDITION_WAIT 0x8E13 /* GL_QUERY_WAIT, of OpenGL 3.0 */

/* What the scene that is drawn has met. */
static struct scene_result result;

static void
add_bytes(const void *bytes, size_t size_B)
{
   for (size_t i = 0; i < size_B; i++)
      result.hash = (result.hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
}

static void
refuse_if(bool lacking)
{
   result.refused |= lacking;
}

/* ------------------------------------------------------------------ programs */

static const char es_head[] = "#version 300 es\n"
                              "precision highp float; precision highp int;\n"
                              "precision highp sampler3D; precision highp sampler2DArray;\n";
static const char gl_head[] = "#version 150\n"
                              "#extension GL_ARB_explicit_attrib_location : require\n";

static const char through_vertex[] = "layout(location = 0) in vec4 position;\n"
                                     "layout(location = 1) in vec4 colour;\n"
                                     "out vec4 v;\n"
                                     "void main() { gl_Position = position; v = colour; }\n";
static const char through_fragment[] = "in vec4 v; out vec4 colour;\n"
                                       "void main() { colour = v; }\n";

static void
attach(GLuint program, GLenum stage, const char *source)
{
   if (!source)
      return;
   const bool desktop = !strstr((const char *)glGetString(GL_VERSION), "OpenGL ES");
   const char *sources[] = { desktop ? gl_head : es_head, source };
   const GLuint shader = glCreateShader(stage);
   glShaderSource(shader, 2, sources, NULL);
   glCompileShader(shader);
   glAttachShader(program, shader);
   glDeleteShader(shader);
}

/* Links and uses a program. False: it is refused. */
static bool
use(GLuint program)
{
   GLint ok = 0;
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &ok);
   refuse_if(!ok);
   if (ok)
      glUseProgram(program);
   return ok;
}

static GLuint
make_program(const char *vertex, const char *geometry, const char *fragment)
{
   const GLuint program = glCreateProgram();
   attach(program, GL_VERTEX_SHADER, vertex);
   attach(program, GL_GEOMETRY_SHADER, geometry);
   attach(program, GL_FRAGMENT_SHADER, fragment);
   return program;
}

/* The program is gone; NULL of all that was bound to draw with it. */
static void
drop_program(GLuint program)
{
   glUseProgram(0);
   glDeleteProgram(program);
}

/* ------------------------------------------------------------------ vertices */

struct vertex {
   float position[4], colour[4];
};

/* Triangle `i` of a pattern that fills most of the picture. */
static void
make_triangle(struct vertex vertex[3], unsigned i)
{
   const float x = (float)(i * 37 % 64) / 32 - 1, y = (float)(i * 53 % 64) / 32 - 1;
   for (unsigned corner = 0; corner < 3; corner++) {
      vertex[corner] = (struct vertex){
         { x + 0.3f * (corner == 1), y + 0.3f * (corner == 2), (float)(i % 16) / 16, 1 },
         { (float)(i % 7) / 7, (float)(corner + 1) / 3, (float)(i % 5) / 5, 0.75f }
      };
   }
}

static void
point_at(const struct vertex *vertices)
{
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(*vertices), vertices);
   glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof(*vertices),
                         (const uint8_t *)vertices + sizeof(vertices->position));
}

static void
point_nowhere(void)
{
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
   glDisableVertexAttribArray(0);
   glDisableVertexAttribArray(1);
}

enum { TRIANGLES = 200 };

static void
make_triangles(struct vertex vertices[3 * TRIANGLES])
{
   for (unsigned i = 0; i < TRIANGLES; i++)
      make_triangle(vertices + 3 * i, i);
}

/* A buffer of these triangles, bound. */
static GLuint
make_buffer(void)
{
   struct vertex vertices[3 * TRIANGLES];
   GLuint buffer;
   make_triangles(vertices);
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(vertices), vertices, GL_DYNAMIC_DRAW);
   return buffer;
}

/* ------------------------------------------------------------------ scenes */

/* Arrays and indices of the application, tests, blending. */
static void
draw_client_arrays(void)
{
   struct vertex vertices[3 * TRIANGLES];
   uint16_t indices[3 * TRIANGLES];
   const GLuint program = make_program(through_vertex, NULL, through_fragment);
   make_triangles(vertices);
   for (unsigned i = 0; i < COUNT(indices); i++)
      indices[i] = (uint16_t)(COUNT(indices) - 1 - i);
   if (use(program)) {
      point_at(vertices);
      glEnable(GL_DEPTH_TEST);
      glDrawArrays(GL_TRIANGLES, 0, 3 * TRIANGLES / 2);
      glDepthFunc(GL_GREATER);
      glEnable(GL_BLEND);
      glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
      glDrawElements(GL_TRIANGLES, COUNT(indices), GL_UNSIGNED_SHORT, indices);
      glEnable(GL_STENCIL_TEST);
      glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
      glDrawArrays(GL_LINES, 0, 60);
      glDrawArrays(GL_POINTS, 0, 60);
      glDisable(GL_STENCIL_TEST);
      glDisable(GL_BLEND);
      glDepthFunc(GL_LESS);
      glDisable(GL_DEPTH_TEST);
   }
   point_nowhere();
   drop_program(program);
}

/* Buffers: written while they are drawn from, in parts and whole, mapped; blocks of uniforms;
 * instances; draws whose vertices repeat. */
static void
draw_buffers(void)
{
   static const char vertex[] =
      "layout(location = 0) in vec4 position;\n"
      "layout(location = 1) in vec4 colour;\n"
      "layout(std140) uniform block { vec4 shift[4]; };\n"
      "out vec4 v;\n"
      "void main() { gl_Position = position + shift[gl_InstanceID & 3]; v = colour; }\n";
   static const float shifts[4][4] = { { 0 }, { 0.1f }, { 0, 0.1f }, { 0.1f, 0.1f } };
   struct vertex some[3];
   const GLuint program = make_program(vertex, NULL, through_fragment), buffer = make_buffer();
   GLuint block, large;
   glGenBuffers(1, &block);
   glBindBufferBase(GL_UNIFORM_BUFFER, 0, block);
   glBufferData(GL_UNIFORM_BUFFER, sizeof(shifts), shifts, GL_STATIC_DRAW);
   if (use(program)) {
      point_at(NULL);
      for (unsigned i = 0; i < 8; i++) /* the driver looks for equal vertices */
         glDrawArrays(GL_TRIANGLES, 0, 3 * TRIANGLES);
      for (unsigned i = 0; i < 8; i++) {
         make_triangle(some, 1000 + i);
         glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)(i * sizeof(some)), sizeof(some), some);
         glDrawArraysInstanced(GL_TRIANGLES, 0, 3 * TRIANGLES / 4, 4);
      }
      void *map = glMapBufferRange(GL_ARRAY_BUFFER, 0, 30 * sizeof(some),
                                   GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT);
      refuse_if(!map);
      for (unsigned i = 0; map && i < 30; i++)
         make_triangle((struct vertex *)map + 3 * i, 2000 + i);
      if (map)
         glUnmapBuffer(GL_ARRAY_BUFFER);
      glDrawArrays(GL_TRIANGLES, 0, 90);
   }
   glGenBuffers(1, &large);
   glBindBuffer(GL_COPY_WRITE_BUFFER, large);
   glBufferData(GL_COPY_WRITE_BUFFER, 4 << 20, NULL, GL_STATIC_COPY);
   glCopyBufferSubData(GL_ARRAY_BUFFER, GL_COPY_WRITE_BUFFER, 0, 1 << 20, 3 * sizeof(some));
   const void *copy =
      glMapBufferRange(GL_COPY_WRITE_BUFFER, 1 << 20, sizeof(some), GL_MAP_READ_BIT);
   refuse_if(!copy);
   if (copy) {
      add_bytes(copy, sizeof(some));
      glUnmapBuffer(GL_COPY_WRITE_BUFFER);
   }
   point_nowhere();
   glDeleteBuffers(3, (const GLuint[]){ buffer, block, large });
   drop_program(program);
}

static void
fill_texels(uint8_t *texels, size_t size_B, unsigned seed)
{
   for (size_t i = 0; i < size_B; i++)
      texels[i] = (uint8_t)((i * 2654435761u + seed * 40503u) >> 13);
}

enum { LARGE_PX = 256 };

static void
make_textures(GLuint texture[3])
{
   static uint8_t texels[LARGE_PX * LARGE_PX * 4];
   glGenTextures(3, texture);
   fill_texels(texels, sizeof(texels), 1);
   glActiveTexture(GL_TEXTURE0);
   glBindTexture(GL_TEXTURE_2D, texture[0]);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, LARGE_PX, LARGE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                texels);
   glGenerateMipmap(GL_TEXTURE_2D);
   glActiveTexture(GL_TEXTURE1);
   glBindTexture(GL_TEXTURE_3D, texture[1]);
   glTexImage3D(GL_TEXTURE_3D, 0, GL_R8, 8, 8, 8, 0, GL_RED, GL_UNSIGNED_BYTE, texels);
   glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   glActiveTexture(GL_TEXTURE2);
   glBindTexture(GL_TEXTURE_CUBE_MAP, texture[2]);
   for (unsigned face = 0; face < 6; face++)
      glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGB565, 16, 16, 0, GL_RGB,
                   GL_UNSIGNED_SHORT_5_6_5, texels + 512 * face);
   glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
}

static const char whole_vertex[] = "out vec2 at;\n"
                                   "void main() {\n"
                                   "   at = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
                                   "   gl_Position = vec4(2.0 * at - 1.0, 0.0, 1.0);\n"
                                   "}\n";

/* Textures: made, sampled, changed while they are sampled, copied to, mipmapped. */
static void
draw_textures(void)
{
   static const char fragment[] =
      "in vec2 at; out vec4 colour;\n"
      "uniform sampler2D flat2; uniform sampler3D deep; uniform samplerCube cube;\n"
      "void main() {\n"
      "   colour = 0.5 * texture(flat2, at * 3.0) + 0.3 * texture(deep, vec3(at, 0.4)) +\n"
      "            0.2 * texture(cube, vec3(at - 0.5, 0.3));\n"
      "}\n";
   const GLuint program = make_program(whole_vertex, NULL, fragment);
   uint8_t texels[64 * 64 * 4];
   GLuint texture[3];
   make_textures(texture);
   if (use(program)) {
      static const char *const names[] = { "flat2", "deep", "cube" };
      for (int unit = 0; unit < 3; unit++)
         glUniform1i(glGetUniformLocation(program, names[unit]), unit);
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
      glActiveTexture(GL_TEXTURE0);
      fill_texels(texels, sizeof(texels), 2);
      glTexSubImage2D(GL_TEXTURE_2D, 0, 50, 60, 64, 64, GL_RGBA, GL_UNSIGNED_BYTE, texels);
      glCopyTexSubImage2D(GL_TEXTURE_2D, 1, 8, 8, 0, 0, 40, 40);
      glEnable(GL_SCISSOR_TEST);
      glScissor(10, 10, 40, 40);
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
      glDisable(GL_SCISSOR_TEST);
   }
   for (unsigned unit = 0; unit < 3; unit++) {
      glActiveTexture(GL_TEXTURE0 + unit);
      glBindTexture(GL_TEXTURE_2D, 0);
      glBindTexture(GL_TEXTURE_3D, 0);
      glBindTexture(GL_TEXTURE_CUBE_MAP, 0);
   }
   glDeleteTextures(3, texture);
   drop_program(program);
}

/* Blits parts of a frame buffer to another one, mirrored, and back, filtered. */
static void
blit_there_and_back(GLuint framebuffer)
{
   GLuint other, buffer;
   glGenFramebuffers(1, &other);
   glGenRenderbuffers(1, &buffer);
   glBindRenderbuffer(GL_RENDERBUFFER, buffer);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SCENE_PX, SCENE_PX);
   glBindFramebuffer(GL_FRAMEBUFFER, other);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
   const bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
   refuse_if(!complete);
   if (complete) {
      glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
      glBlitFramebuffer(0, 0, 40, 40, 60, 64, 0, 4, GL_COLOR_BUFFER_BIT, GL_NEAREST);
      glBindFramebuffer(GL_READ_FRAMEBUFFER, other);
      glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
      glBlitFramebuffer(0, 4, 60, 64, 20, 34, 49, 64, GL_COLOR_BUFFER_BIT, GL_LINEAR);
   }
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glDeleteFramebuffers(1, &other);
   glDeleteRenderbuffers(1, &buffer);
}

/* Four samples: drawn, resolved, and blitted scaled, mirrored and filtered. */
static void
draw_samples(void)
{
   const GLuint program = make_program(through_vertex, NULL, through_fragment),
                buffer = make_buffer();
   GLint target;
   GLuint framebuffer, buffers[2];
   glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &target);
   glGenFramebuffers(1, &framebuffer);
   glGenRenderbuffers(2, buffers);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   for (unsigned i = 0; i < 2; i++) {
      glBindRenderbuffer(GL_RENDERBUFFER, buffers[i]);
      glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, i ? GL_DEPTH_COMPONENT24 : GL_RGBA8,
                                       SCENE_PX, SCENE_PX);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, i ? GL_DEPTH_ATTACHMENT : GL_COLOR_ATTACHMENT0,
                                GL_RENDERBUFFER, buffers[i]);
   }
   const bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
   refuse_if(!complete);
   if (complete && use(program)) {
      glClearColor(0.2f, 0.3f, 0.4f, 1);
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
      point_at(NULL);
      glDrawArrays(GL_TRIANGLES, 0, 3 * TRIANGLES);
      glBindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)target);
      glBlitFramebuffer(0, 0, SCENE_PX, SCENE_PX, 0, 0, SCENE_PX, SCENE_PX, GL_COLOR_BUFFER_BIT,
                        GL_NEAREST);
      blit_there_and_back((GLuint)target);
   }
   glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)target);
   point_nowhere();
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteRenderbuffers(2, buffers);
   glDeleteBuffers(1, &buffer);
   drop_program(program);
}

/* Adds a query's result. */
static void
add_query(GLuint query)
{
   GLuint value = 0;
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &value);
   add_bytes(&value, sizeof(value));
}

/* Vertices that are fed back, drawn from and read; queries; a fence. */
static void
draw_feedback(void)
{
   static const char vertex[] = "layout(location = 0) in vec4 position;\n"
                                "layout(location = 1) in vec4 colour;\n"
                                "out vec4 fed, v;\n"
                                "void main() {\n"
                                "   gl_Position = position; v = colour;\n"
                                "   fed = vec4(position.yx, position.zw);\n"
                                "}\n";
   const GLuint program = make_program(vertex, NULL, through_fragment), buffer = make_buffer();
   GLuint fed, queries[2];
   glGenBuffers(1, &fed);
   glGenQueries(2, queries);
   glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, fed);
   glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, 3 * TRIANGLES * sizeof(struct vertex), NULL,
                GL_DYNAMIC_COPY);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, fed);
   glTransformFeedbackVaryings(program, 2, (const char *const[]){ "fed", "v" },
                               GL_INTERLEAVED_ATTRIBS);
   if (use(program)) {
      point_at(NULL);
      glBeginQuery(GL_ANY_SAMPLES_PASSED, queries[0]);
      glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, queries[1]);
      glBeginTransformFeedback(GL_TRIANGLES);
      glDrawArrays(GL_TRIANGLES, 0, 3 * TRIANGLES);
      glEndTransformFeedback();
      glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
      glEndQuery(GL_ANY_SAMPLES_PASSED);
      glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
      glBindBuffer(GL_ARRAY_BUFFER, fed);
      point_at(NULL);
      glDrawArrays(GL_TRIANGLES, 0, 3 * TRIANGLES / 2);
      add_query(queries[0]);
      add_query(queries[1]);
      GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
      if (fence) {
         glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 1000000000);
         glDeleteSync(fence);
      }
   }
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
   point_nowhere();
   glDeleteQueries(2, queries);
   glDeleteBuffers(2, (const GLuint[]){ buffer, fed });
   drop_program(program);
}

/* More than one command buffer holds, with uniforms that change; and a mesh of many primitives. */
static void
draw_many(void)
{
   static const char vertex[] =
      "uniform vec4 place[40];\n"
      "out vec4 v;\n"
      "void main() {\n"
      "   vec2 at = vec2(gl_VertexID % 3, gl_VertexID / 3 % 3);\n"
      "   v = place[gl_VertexID % 40]; gl_Position = vec4(place[0].xy + 0.2 * at, 0.0, 1.0);\n"
      "}\n";
   static const char grid[] =
      "out vec4 v;\n"
      "void main() {\n"
      "   int quad = gl_VertexID / 6, corner = gl_VertexID % 6;\n"
      "   vec2 at = vec2(quad % 64 + corner % 2, quad / 64 % 64 + corner / 2) / 32.0 - 1.0;\n"
      "   v = vec4(fract(at * 9.0), 0.5, 1.0); gl_Position = vec4(at, 0.0, 1.0);\n"
      "}\n";
   const GLuint program = make_program(vertex, NULL, through_fragment),
                mesh = make_program(grid, NULL, through_fragment);
   if (use(mesh))
      glDrawArrays(GL_TRIANGLES, 0, 6 * 64 * 64);
   if (use(program)) {
      float place[40][4];
      const GLint location = glGetUniformLocation(program, "place");
      for (unsigned i = 0; i < 1500; i++) {
         for (unsigned k = 0; k < COUNT(place); k++)
            for (unsigned c = 0; c < 4; c++)
               place[k][c] = (float)((i * 31 + k * 17 + c * 7) % 64) / 32 - 1;
         glUniform4fv(location, COUNT(place), place[0]);
         glDrawArrays(GL_TRIANGLES, 0, 3);
      }
   }
   drop_program(mesh);
   drop_program(program);
}

/* Clears in parts and under masks, of several targets that are sampled afterwards. */
static void
draw_clears(void)
{
   static const char both[] = "in vec4 v;\n"
                              "layout(location = 0) out vec4 a; layout(location = 1) out vec4 b;\n"
                              "void main() { a = v; b = 1.0 - v; }\n";
   static const char sum[] = "in vec2 at; out vec4 colour; uniform sampler2D a, b;\n"
                             "void main() { colour = texture(a, at) + 0.5 * texture(b, at); }\n";
   const GLuint program = make_program(through_vertex, NULL, both),
                second = make_program(whole_vertex, NULL, sum), buffer = make_buffer();
   GLint target;
   GLuint framebuffer, texture[2];
   glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &target);
   glGenFramebuffers(1, &framebuffer);
   glGenTextures(2, texture);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   for (unsigned i = 0; i < 2; i++) {
      glActiveTexture(GL_TEXTURE0 + i);
      glBindTexture(GL_TEXTURE_2D, texture[i]);
      glTexStorage2D(GL_TEXTURE_2D, 1, i ? GL_RGBA16F : GL_RGBA8, SCENE_PX, SCENE_PX);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i, GL_TEXTURE_2D, texture[i],
                             0);
   }
   glDrawBuffers(2, (const GLenum[]){ GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1 });
   /* floats may not be attached: then the first is cleared alone */
   const bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
   refuse_if(!complete);
   if (complete && use(program)) {
      glClearColor(0.2f, 0.4f, 0.6f, 0.8f);
      glClear(GL_COLOR_BUFFER_BIT);
      glEnable(GL_SCISSOR_TEST);
      glScissor(3, 5, 31, 29);
      glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE);
      glClearBufferfv(GL_COLOR, 1, (const float[]){ 0.9f, 0.1f, 0.3f, 0.5f });
      glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
      glDisable(GL_SCISSOR_TEST);
      point_at(NULL);
      glDrawArrays(GL_TRIANGLES, 0, 90);
      glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)target);
      if (use(second)) {
         glUniform1i(glGetUniformLocation(second, "b"), 1);
         glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
      }
   }
   glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)target);
   point_nowhere();
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteTextures(2, texture);
   glDeleteBuffers(1, &buffer);
   drop_program(program);
   drop_program(second);
}

/* A program with arrays that do not fit into registers, loops, derivatives and a depth. */
static void
draw_long_program(void)
{
   static const char fragment[] =
      "in vec2 at; out vec4 colour; uniform int rounds;\n"
      "void main() {\n"
      "   vec4 table[80];\n"
      "   for (int i = 0; i < 80; i++)\n"
      "      table[i] = vec4(at * float(i), sin(at.x + float(i)), 1.0);\n"
      "   vec4 sum = vec4(dFdx(at.x), dFdy(at.y), 0.0, 1.0);\n"
      "   for (int i = 0; i < rounds; i++)\n"
      "      sum += table[(i * 13 + int(at.x * 64.0)) % 80] * 0.01;\n"
      "   if (fract(at.y * 9.0) < 0.2) discard;\n"
      "   gl_FragDepth = at.x; colour = fract(sum);\n"
      "}\n";
   const GLuint program = make_program(whole_vertex, NULL, fragment);
   if (use(program)) {
      glUniform1i(glGetUniformLocation(program, "rounds"), 20);
      glEnable(GL_DEPTH_TEST);
      for (unsigned i = 0; i < 4; i++)
         glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
      glDisable(GL_DEPTH_TEST);
   }
   drop_program(program);
}

/* Of OpenGL: a geometry program, what reads the primitive's number, a texture of a buffer, a draw
 * under a condition. */
static void
draw_geometry(void)
{
   static const char geometry[] =
      "layout(triangles) in; layout(triangle_strip, max_vertices = 6) out;\n"
      "in vec4 v[]; out vec4 w;\n"
      "void main() {\n"
      "   for (int k = 0; k < 2; k++) {\n"
      "      for (int i = 0; i < 3; i++) {\n"
      "         gl_Position = gl_in[i].gl_Position + 0.1 * float(k); w = v[2 - i]; EmitVertex();\n"
      "      }\n"
      "      EndPrimitive();\n"
      "   }\n"
      "}\n";
   static const char of_geometry[] = "in vec4 w; out vec4 colour; void main() { colour = w; }\n";
   static const char numbered[] =
      "#define samplerBuffer samplerBuffer\n"
      "in vec4 v; out vec4 colour; uniform samplerBuffer numbers;\n"
      "void main() { colour = texelFetch(numbers, gl_PrimitiveID % 96) + 0.1 * v; }\n";
   const GLuint first = make_program(through_vertex, geometry, of_geometry),
                second = make_program(through_vertex, NULL, numbered), buffer = make_buffer();
   GLuint texture, query, array;
   glGenVertexArrays(1, &array);
   glBindVertexArray(array);
   glGenTextures(1, &texture);
   glGenQueries(1, &query);
   glBindTexture(GL_TEXTURE_BUFFER, texture);
   glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, buffer);
   point_at(NULL);
   if (use(first)) {
      glBeginQuery(GL_ANY_SAMPLES_PASSED, query);
      glDrawArrays(GL_TRIANGLES, 0, 3 * TRIANGLES / 2);
      glEndQuery(GL_ANY_SAMPLES_PASSED);
      add_query(query);
   }
   if (use(second))
      glDrawArrays(GL_TRIANGLES, 3 * TRIANGLES / 2, 90);
   point_nowhere();
   glBindVertexArray(0);
   glDeleteVertexArrays(1, &array);
   glBindTexture(GL_TEXTURE_BUFFER, 0);
   glDeleteTextures(1, &texture);
   glDeleteQueries(1, &query);
   glDeleteBuffers(1, &buffer);
   drop_program(first);
   drop_program(second);
}

const struct scene scenes[] = {
   { "client arrays", false, draw_client_arrays },
   { "buffers", false, draw_buffers },
   { "textures", false, draw_textures },
   { "samples", false, draw_samples },
   { "feedback", false, draw_feedback },
   { "many", false, draw_many },
   { "clears", false, draw_clears },
   { "long program", false, draw_long_program },
   { "geometry", true, draw_geometry },
};
const unsigned scene_count = COUNT(scenes);

/* ------------------------------------------------------------------ a scene */

struct target {
   GLuint framebuffer, buffers[2];
};

static struct target
make_target(void)
{
   struct target t;
   glGenFramebuffers(1, &t.framebuffer);
   glGenRenderbuffers(2, t.buffers);
   glBindFramebuffer(GL_FRAMEBUFFER, t.framebuffer);
   glBindRenderbuffer(GL_RENDERBUFFER, t.buffers[0]);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SCENE_PX, SCENE_PX);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, t.buffers[0]);
   glBindRenderbuffer(GL_RENDERBUFFER, t.buffers[1]);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, SCENE_PX, SCENE_PX);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
                             t.buffers[1]);
   return t;
}

static void
drop_target(const struct target *t)
{
   glBindFramebuffer(GL_FRAMEBUFFER, 0);
   glDeleteFramebuffers(1, &t->framebuffer);
   glDeleteRenderbuffers(2, t->buffers);
}

struct scene_result
scene_take(const struct scene *scene, bool surface)
{
   static uint8_t pixels[SCENE_PX * SCENE_PX * 4];
   result = (struct scene_result){ .hash = 0xcbf29ce484222325u };
   const struct target target = surface ? (struct target){ 0 } : make_target();
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE) {
      glViewport(0, 0, SCENE_PX, SCENE_PX);
      glClearColor(0, 0, 0, 0);
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
      scene->draw();
      memset(pixels, 0xcd, sizeof(pixels));
      glReadPixels(0, 0, SCENE_PX, SCENE_PX, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
      add_bytes(pixels, sizeof(pixels));
   } else {
      result.refused = true;
   }
   result.error = glGetError();
   for (unsigned i = 0; i < 16 && glGetError(); i++)
      ;
   if (!surface)
      drop_target(&target);
   return result;
}
