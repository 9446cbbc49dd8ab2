/* SPDX-License-Identifier: MIT
 *
 * GL_KHR_robustness, GL_EXT_robustness, GL_KHR_robust_buffer_access_behavior, GL_KHR_no_error.
 */
#include "extension_checks.h"

#include <GLES3/gl3.h>

#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 32 };

static EGLContext
context_with(EGLDisplay display, EGLContext share, const EGLint *attributes)
{
   EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, share, attributes);
   if (context == EGL_NO_CONTEXT)
      die("eglCreateContext fails: 0x%x", eglGetError());
   if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
      die("eglMakeCurrent fails: 0x%x", eglGetError());
   return context;
}

static EGLContext
robust_context_of(EGLDisplay display, EGLint version)
{
   const EGLint attributes[] = { EGL_CONTEXT_CLIENT_VERSION,
                                 version,
                                 EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT,
                                 EGL_TRUE,
                                 EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT,
                                 EGL_LOSE_CONTEXT_ON_RESET_EXT,
                                 EGL_NONE };
   need_egl(display, "EGL_EXT_create_context_robustness");
   return context_with(display, EGL_NO_CONTEXT, attributes);
}

static EGLContext
robust_context(EGLDisplay display)
{
   return robust_context_of(display, 2);
}

static GLuint
endless_program(void)
{
   const GLuint program =
      program_create(plain_vertex, "precision highp float; varying vec4 v; uniform float limit;\n"
                                   "void main() {\n"
                                   "   float x = v.x;\n"
                                   "   while (x < limit) x = fract(x * 1.7 + v.y);\n"
                                   "   gl_FragColor = vec4(x);\n"
                                   "}\n");
   glUniform1f(glGetUniformLocation(program, "limit"), 2);
   return program;
}

/* A shader without end is stopped and reported, once, to the context that ran it; others go on, and
 * so does it. */
static void
check_reset(EGLDisplay display)
{
   static const float white[4] = { 1, 1, 1, 1 };
   EGLContext other = robust_context(display);
   struct target other_target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);

   robust_context(display);
   target_create(SIZE_PX, SIZE_PX);
   endless_program();
   if (gl.GetGraphicsResetStatusEXT() != GL_NO_ERROR)
      die("a new context says that it was reset");
   messages_begin();
   draw_rectangle(-1, -1, 1, 1, 0, white);
   glFinish();
   GLenum status = gl.GetGraphicsResetStatusEXT();
   if (status != GL_GUILTY_CONTEXT_RESET_EXT)
      die("after a shader without end the status is 0x%x", status);
   if (gl.GetGraphicsResetStatusEXT() != GL_NO_ERROR)
      die("a reset is reported twice");
   if (!strstr(messages_text(), "draw") || !strstr(messages_text(), "instructions"))
      die("the message of the reset does not say what it was: %s", messages_text());

   eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, other);
   status = gl.GetGraphicsResetStatusEXT();
   if (status != GL_NO_ERROR)
      die("another context has the reset: 0x%x", status);
   draw_rectangle(-1, -1, 1, 1, 0, white);
   uint8_t *pixels = target_read(&other_target);
   expect_pixel(&other_target, pixels, 5, 5, (const uint8_t[]){ 255, 255, 255, 255 }, 0,
                "another context");
   free(pixels);
}

/* A task below the watchdog's limit: 400 000 times around. */
#define LONG_LOOP                                                                                  \
   "   float x = v.x;\n"                                                                           \
   "   for (float i = 0.0; i < limit; i += 1.0) x = fract(x * 1.7 + v.y);\n"

static const char long_fragments[] = "precision highp float; varying vec4 v; uniform float limit;\n"
                                     "void main() {\n" LONG_LOOP "   gl_FragColor = vec4(x); }\n";
static const char long_vertices[] =
   "attribute vec4 position; attribute vec4 colour; varying vec4 v; uniform float limit;\n"
   "void main() { v = colour;\n" LONG_LOOP
   "   gl_Position = position + vec4(x, 0.0, 0.0, 0.0); }\n";

/* Draws what takes minutes, hours or years, with a program that is current. */
static const struct long_draw {
   const char *what, *vertex, *fragment;
   int size_px, count;
} long_draws[] = {
   { "long fragments", plain_vertex, long_fragments, 1024, 6 },
   { "long vertices", long_vertices, plain_fragment, SIZE_PX, 3000000 },
   { "2^31 - 1 vertices", plain_vertex, plain_fragment, SIZE_PX, 0x7fffffff },
};

static void
draw_long(const struct long_draw *draw)
{
   static const float white[4] = { 1, 1, 1, 1 };
   const GLuint program = program_create(draw->vertex, draw->fragment);
   glUniform1f(glGetUniformLocation(program, "limit"), 4e5f);
   if (draw->count == 6) {
      draw_rectangle(-1, -1, 1, 1, 0, white);
   } else {
      glDisableVertexAttribArray(0);
      glDisableVertexAttribArray(1);
      glDrawArrays(GL_TRIANGLES, 0, draw->count);
   }
   glFinish();
}

/* Each is stopped soon, and reset; the next context draws. On a busy machine the wall's clock says
 * little: then the threads that there are worked for less than that. */
static void
check_reset_of_time(EGLDisplay display)
{
   static const float white[4] = { 1, 1, 1, 1 };
   const double soon_s = 2, threads = 3;
   for (size_t i = 0; i < sizeof(long_draws) / sizeof(long_draws[0]); i++) {
      const struct long_draw *draw = &long_draws[i];
      robust_context(display);
      target_create(draw->size_px, draw->size_px);
      messages_begin();
      const double wall_s = now_s(CLOCK_MONOTONIC), worked_s = now_s(CLOCK_PROCESS_CPUTIME_ID);
      draw_long(draw);
      const GLenum status = gl.GetGraphicsResetStatusEXT();
      if (now_s(CLOCK_MONOTONIC) - wall_s > soon_s &&
          now_s(CLOCK_PROCESS_CPUTIME_ID) - worked_s > threads * soon_s)
         die("%s are stopped after %.1f s", draw->what, now_s(CLOCK_MONOTONIC) - wall_s);
      if (status != GL_GUILTY_CONTEXT_RESET_EXT || !strstr(messages_text(), "1500 ms"))
         die("%s: status 0x%x, %s", draw->what, status, messages_text());
      robust_context(display);
      struct target target = target_create(SIZE_PX, SIZE_PX);
      program_create(plain_vertex, plain_fragment);
      draw_rectangle(-1, -1, 1, 1, 0, white);
      uint8_t *pixels = target_read(&target);
      expect_pixel(&target, pixels, 5, 5, (const uint8_t[]){ 255, 255, 255, 255 }, 0, draw->what);
      free(pixels);
      if (gl.GetGraphicsResetStatusEXT() != GL_NO_ERROR)
         die("another context has the reset of %s", draw->what);
   }
}

/* Of two contexts whose shaders do not end each gets its report, though the other one's was stopped
 * later; a third one gets none. */
static void
check_two_resets(EGLDisplay display)
{
   static const float white[4] = { 1, 1, 1, 1 };
   EGLContext contexts[3];
   for (int i = 0; i < 3; i++) {
      contexts[i] = robust_context(display);
      target_create(SIZE_PX, SIZE_PX);
      if (i < 2)
         endless_program();
      else
         program_create(plain_vertex, plain_fragment);
      draw_rectangle(-1, -1, 1, 1, 0, white);
      glFlush();
   }
   glFinish();
   for (int i = 0; i < 3; i++) {
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, contexts[i]);
      const GLenum status = gl.GetGraphicsResetStatusEXT(),
                   expected = i < 2 ? GL_GUILTY_CONTEXT_RESET_EXT : GL_NO_ERROR;
      if (status != expected)
         die("the status of context %d is 0x%x, not 0x%x", i, status, expected);
   }
}

/* Reads that would write beyond the memory they are given are refused, and write nothing. */
static void
check_readn(EGLDisplay display)
{
   uint8_t memory[SIZE_PX * SIZE_PX * 4];
   robust_context(display);
   target_create(SIZE_PX, SIZE_PX);
   memset(memory, 7, sizeof(memory));
   gl.ReadnPixelsEXT(0, 0, SIZE_PX, SIZE_PX, GL_RGBA, GL_UNSIGNED_BYTE, sizeof(memory) - 1, memory);
   if (glGetError() != GL_INVALID_OPERATION || memory[0] != 7)
      die("glReadnPixels writes beyond its memory");
   gl.ReadnPixelsEXT(0, 0, SIZE_PX, SIZE_PX, GL_RGBA, GL_UNSIGNED_BYTE, sizeof(memory), memory);
   no_error("reading into enough memory");
   if (memory[0] || memory[sizeof(memory) - 1])
      die("glReadnPixels does not read");
}

/* Attributes beyond the end of their buffer read as zero: (0, 0, 0, 0) or (0, 0, 0, 1), as the
 * extension has it. */
static void
check_attributes(EGLDisplay display)
{
   static const float corners[4][2] = { { -1, -1 }, { 1, -1 }, { -1, 1 }, { 1, 1 } };
   static const uint8_t colours[2][4] = { { 255, 255, 255, 255 }, { 255, 255, 255, 255 } };
   GLuint buffers[3];
   robust_context(display);
   need_gl("GL_KHR_robust_buffer_access_behavior");
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex,
                  "varying highp vec4 v; void main() { gl_FragColor = vec4(v.rgb, 1.0); }\n");
   glGenBuffers(3, buffers);
   glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
   glBufferData(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STATIC_DRAW);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glBindBuffer(GL_ARRAY_BUFFER, buffers[1]);
   glBufferData(GL_ARRAY_BUFFER, sizeof(colours), colours, GL_STATIC_DRAW);
   glEnableVertexAttribArray(1);
   glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, 0, NULL);
   /* The colours of the upper two corners are not there: the picture fades to black, from white. */
   messages_begin();
   for (int i = 0; i < 3; i++)
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   glFinish();
   uint8_t *pixels = target_read(&target);
   for (int y = 0; y < SIZE_PX; y++) {
      const uint8_t shade = 255 - 255 * (y + 0.5) / SIZE_PX + 0.5,
                    colour[4] = { shade, shade, shade, 255 };
      expect_pixel(&target, pixels, 3, y, colour, 1, "attributes that are not there");
   }
   free(pixels);
   const char *said = strstr(messages_text(), "outside");
   if (!said)
      die("nothing is said of attributes outside of their buffer: %s", messages_text());
   if (!strstr(messages_text(), "pc ") || !strstr(messages_text(), "lane "))
      die("the message does not name shader, pc and lane: %s", messages_text());
   if (strstr(said + 1, "outside"))
      die("the same is said twice: %s", messages_text());
}

static const uint8_t blue[4] = { 0, 0, 255, 255 };

static void
clear_blue(void)
{
   glClearColor(0, 0, 1, 1);
   glClear(GL_COLOR_BUFFER_BIT);
}

/* All pixels have the colour, but those that `but` finds (NULL: none). */
static void
expect_all(const struct target *target, const uint8_t colour[4], bool (*but)(int x, int y),
           const char *what)
{
   uint8_t *pixels = target_read(target);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
      if (!but || !but(i % SIZE_PX, i / SIZE_PX))
         expect_pixel(target, pixels, i % SIZE_PX, i / SIZE_PX, colour, 1, what);
   free(pixels);
}

/* Uniform arrays with an index from nowhere read zero, or (16 times the index is a multiple of
 * 2^32) the first element. */
static void
check_uniforms(EGLDisplay display)
{
   static const float white[4] = { 1, 1, 1, 1 };
   float values[8][4];
   robust_context(display);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   GLuint program = program_create(
      "attribute vec4 position, colour; varying highp vec4 v; uniform highp vec4 table[8]; uniform highp int at;\n"
      "void main() { gl_Position = position; v = table[at] * colour; }\n", plain_fragment);
   for (int i = 0; i < 8; i++) {
      const float value[4] = { i / 8.0f, 0.5f, 0, 1 };
      memcpy(values[i], value, sizeof(value));
   }
   glUniform4fv(glGetUniformLocation(program, "table"), 8, values[0]);
   static const int wild[] = { -1, 8, 100, -100000, 1 << 20, INT32_MAX, INT32_MIN };
   for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
      static const uint8_t zero[4] = { 0 }, first[4] = { 0, 128, 0, 255 };
      clear_blue();
      glUniform1i(glGetUniformLocation(program, "at"), wild[i]);
      draw_rectangle(-1, -1, 1, 1, 0, white);
      expect_all(&target, wild[i] == INT32_MIN ? first : zero, NULL,
                 "a wild index of a uniform array");
   }
   glUniform1i(glGetUniformLocation(program, "at"), 4);
   draw_rectangle(-1, -1, 1, 1, 0, white);
   expect_all(&target, (const uint8_t[]){ 128, 128, 0, 255 }, NULL, "after wild uniforms");
   if (gl.GetGraphicsResetStatusEXT() != GL_NO_ERROR)
      die("an index outside of a uniform array resets the context");
}

/* Uniform blocks (OpenGL ES 3.0) whose bound range ends before what an index or a name reaches read
 * zero there: not what is behind it in the buffer, and nothing of other buffers. */
static void
check_blocks(EGLDisplay display)
{
   /* The first eight vectors are bound; others would show as red. */
   static const int wild[] = { 8, 9, 15, 16, -1, 1 << 20, -(1 << 20), INT32_MAX };
   static const float white[4] = { 1, 1, 1, 1 }, cyan[4] = { 0, 1, 1, 1 }, red[4] = { 1, 0, 0, 1 };
   float vectors[16][4];
   GLuint buffer;
   robust_context_of(display, 3);
   need_gl("GL_KHR_robust_buffer_access_behavior");
   struct target target = target_create(SIZE_PX, SIZE_PX);
   GLuint program = program_create(
      "#version 300 es\n"
      "in vec4 position, colour; out highp vec4 v; uniform int at;\n"
      "layout(std140) uniform Block { vec4 table[16]; };\n"
      "void main() { gl_Position = position; v = (at == 99 ? table[12] : table[at]) * colour; }\n",
      "#version 300 es\n"
      "in highp vec4 v; out highp vec4 seen; void main() { seen = v; }\n");
   for (int i = 0; i < 16; i++)
      memcpy(vectors[i], i < 8 ? cyan : red, sizeof(vectors[i]));
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_UNIFORM_BUFFER, buffer);
   glBufferData(GL_UNIFORM_BUFFER, sizeof(vectors), vectors, GL_STATIC_DRAW);
   glBindBufferRange(GL_UNIFORM_BUFFER, 0, buffer, 0, 8 * sizeof(vectors[0]));
   for (int i = -1; i < (int)(sizeof(wild) / sizeof(wild[0])); i++) {
      clear_blue();
      glUniform1i(glGetUniformLocation(program, "at"), i < 0 ? 99 : wild[i]);
      draw_rectangle(-1, -1, 1, 1, 0, white);
      expect_all(&target, (const uint8_t[4]){ 0 }, NULL,
                 "a uniform block's vector that is not bound");
   }
   glUniform1i(glGetUniformLocation(program, "at"), 7);
   draw_rectangle(-1, -1, 1, 1, 0, white);
   expect_all(&target, (const uint8_t[4]){ 0, 255, 255, 255 }, NULL,
              "the last vector that is bound");
   if (glGetError() != GL_NO_ERROR || gl.GetGraphicsResetStatusEXT() != GL_NO_ERROR)
      die("an index outside of a uniform block is an error, or resets the context");
}

/* Where lines and points of check_indices may be: the line from vertex 0 to 1, and points at
 * vertices 0 and 2. */
static bool
on_line(int x, int y)
{
   return x >= SIZE_PX / 4 - 1 && x <= SIZE_PX * 3 / 4 && abs(y - SIZE_PX / 4) <= 1;
}

static bool
on_points(int x, int y)
{
   return (abs(x - SIZE_PX / 4) <= 1 && abs(y - SIZE_PX / 4) <= 1) ||
          (abs(x - SIZE_PX / 2) <= 1 && abs(y - SIZE_PX * 3 / 4) <= 1);
}

/* Indices outside of everything, with 32 bits: defined, that is, zero vertices, which cover
 * nothing, and no crash. */
static void
check_indices(EGLDisplay display)
{
   static const uint32_t wild[6] = { 0, 1, UINT32_MAX, 1u << 31, 1u << 28, 2 };
   static const float vertices[3][8] = { { -0.5f, -0.5f, 0, 1, 1, 1, 1, 1 },
                                         { 0.5f, -0.5f, 0, 1, 1, 1, 1, 1 },
                                         { 0, 0.5f, 0, 1, 1, 1, 1, 1 } };
   GLuint buffers[2];
   robust_context(display);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create("attribute vec4 position, colour; varying highp vec4 v;\n"
                  "void main() { gl_Position = position; gl_PointSize = 1.0; v = colour; }\n", plain_fragment);
   clear_blue();
   glGenBuffers(2, buffers);
   glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
   glBufferData(GL_ARRAY_BUFFER, sizeof(vertices), vertices, GL_STATIC_DRAW);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
   glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(wild), wild, GL_STATIC_DRAW);
   for (int i = 0; i < 2; i++) {
      glEnableVertexAttribArray(i);
      glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, 32, (const void *)(uintptr_t)(16 * i));
   }
   messages_begin();
   glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_INT, NULL);
   if (strstr(messages_text(), "indices"))
      die("indices are said to lie outside of a buffer that holds them: %s", messages_text());
   glDrawElements(GL_TRIANGLES, 600, GL_UNSIGNED_INT, NULL);
   if (!strstr(messages_text(), "indices 0 to 599 of a draw: the buffer holds 6"))
      die("nothing is said of indices outside of their buffer: %s", messages_text());
   expect_all(&target, blue, NULL, "triangles of wild indices");
   glDrawElements(GL_LINES, 6, GL_UNSIGNED_INT, NULL);
   expect_all(&target, blue, on_line, "lines of wild indices");
   clear_blue();
   glDrawElements(GL_POINTS, 6, GL_UNSIGNED_INT, (const void *)20);
   expect_all(&target, blue, on_points, "points of wild indices");
   if (gl.GetGraphicsResetStatusEXT() != GL_NO_ERROR)
      die("indices outside of the buffers reset the context");
}

/* 600 indices of the bound buffer, which holds 9, draw what those that are there say: the left half
 * of the target. */
static void
expect_left_half(const struct target *target, int instances, uintptr_t first_B, const char *what)
{
   glClear(GL_COLOR_BUFFER_BIT);
   if (instances)
      gl.DrawElementsInstancedEXT(GL_TRIANGLES, 600, GL_UNSIGNED_INT, (const void *)first_B,
                                  instances);
   else
      glDrawElements(GL_TRIANGLES, 600, GL_UNSIGNED_INT, (const void *)first_B);
   uint8_t *pixels = target_read(target);
   expect_pixel(target, pixels, 5, 5, (const uint8_t[]){ 0, 255, 0, 255 }, 0, what);
   expect_pixel(target, pixels, SIZE_PX - 5, 5, (const uint8_t[]){ 0, 0, 0, 0 }, 0, what);
   free(pixels);
   if (gl.GetGraphicsResetStatusEXT() != GL_NO_ERROR)
      die("%s: the context is reset", what);
}

/* Indices beyond the end of their buffer, and arrays of the application's memory, of which as much
 * is read as indices say: by vertex, or by instance only. */
static void
check_indices_client(EGLDisplay display)
{
   static const uint32_t indices[9] = { 3, 3, 3, 0, 1, 2, 2, 1, 3 };
   static const float corners[4][4] = { { -1, -1, 0, 1 }, { 0, -1, 0, 1 }, { -1, 1, 0, 1 }, { 0, 1, 0, 1 } };
   static const float green[4][4] = { { 0, 1, 0, 1 }, { 0, 1, 0, 1 }, { 0, 1, 0, 1 }, { 0, 1, 0, 1 } };
   GLuint buffers[2];
   robust_context(display);
   need_gl("GL_EXT_instanced_arrays");
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);
   glGenBuffers(2, buffers);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[0]);
   glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices, GL_STATIC_DRAW);
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, corners);
   glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 0, green);
   expect_left_half(&target, 0, 0, "arrays by vertex");
   expect_left_half(&target, 0, 12, "arrays by vertex, not from the first index");
   glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_INT, (const void *)32);
   glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_INT, (const void *)36);
   glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_INT, (const void *)4000);

   glBindBuffer(GL_ARRAY_BUFFER, buffers[1]);
   glBufferData(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STATIC_DRAW);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, NULL);
   gl.VertexAttribDivisorEXT(1, 1);
   expect_left_half(&target, 2, 0, "an array by instance");
   expect_left_half(&target, 2, 12, "an array by instance, not from the first index");
   gl.DrawElementsInstancedEXT(GL_TRIANGLES, 6, GL_UNSIGNED_INT, (const void *)4000, 2);
   no_error("indices outside of their buffer");
   free(target_read(&target));
   if (gl.GetGraphicsResetStatusEXT() != GL_NO_ERROR)
      die("indices outside of the buffer reset the context");
}

/* A context without errors draws like any other. */
static void
check_no_error(EGLDisplay display)
{
   static const EGLint attributes[] = { EGL_CONTEXT_CLIENT_VERSION, 2,
                                        EGL_CONTEXT_OPENGL_NO_ERROR_KHR, EGL_TRUE, EGL_NONE };
   static const float green[4] = { 0, 1, 0, 1 };
   need_egl(display, "EGL_KHR_create_context_no_error");
   context_with(display, EGL_NO_CONTEXT, attributes);
   need_gl("GL_KHR_no_error");
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);
   draw_rectangle(-1, -1, 1, 1, 0, green);
   uint8_t *pixels = target_read(&target);
   expect_pixel(&target, pixels, 5, 5, (const uint8_t[]){ 0, 255, 0, 255 }, 0, "without errors");
   free(pixels);
}

const struct check robustness_checks[] = {
   { "reset", check_reset },
   { "reset-two-contexts", check_two_resets },
   { "reset-of-time", check_reset_of_time },
   { "readn-pixels", check_readn },
   { "robust-attributes", check_attributes },
   { "robust-uniforms", check_uniforms },
   { "robust-blocks", check_blocks },
   { "robust-indices", check_indices },
   { "robust-indices-client", check_indices_client },
   { "no-error", check_no_error },
   { NULL, NULL },
};
