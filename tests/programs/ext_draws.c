/* SPDX-License-Identifier: MIT
 *
 * GL_EXT_draw_buffers, GL_EXT_draw_instanced, GL_EXT_instanced_arrays, GL_EXT_multi_draw_arrays,
 * GL_EXT_frag_depth, GL_EXT_clip_control, GL_OES_vertex_array_object, GL_OES_standard_derivatives;
 * of OpenGL: GL_ARB_color_buffer_float.
 */
#include "extension_checks.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 64 };

/* A shader writes another colour to each of as many textures as there may be; a mask hides every
 * second one. */
static void
check_draw_buffers(EGLDisplay display)
{
   GLint most = 0;
   char fragment[1000] =
      "#extension GL_EXT_draw_buffers : require\nvarying highp vec4 v;\nvoid main() {\n";
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_draw_buffers");
   glGetIntegerv(GL_MAX_DRAW_BUFFERS_EXT, &most);
   if (most < 4 || most > 16)
      die("%d draw buffers", most);
   for (int i = 0; i < most; i++)
      snprintf(fragment + strlen(fragment), sizeof(fragment) - strlen(fragment),
               "   gl_FragData[%d] = v * vec4(%d.0 / 255.0, 1.0, 0.5, 1.0);\n", i, 10 * i + 5);
   strcat(fragment, "}\n");

   struct target target = target_create(SIZE_PX, SIZE_PX);
   GLuint textures[16];
   GLenum buffers[16];
   glGenTextures(most, textures);
   for (int i = 0; i < most; i++) {
      glBindTexture(GL_TEXTURE_2D, textures[i]);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE_PX, SIZE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i, GL_TEXTURE_2D, textures[i],
                             0);
   }
   program_create(plain_vertex, fragment);
   static const float white[4] = { 1, 1, 1, 1 };
   for (int hidden = 0; hidden < 2; hidden++) {
      for (int i = 0; i < most; i++)
         buffers[i] = GL_COLOR_ATTACHMENT0 + i;
      gl.DrawBuffersEXT(most, buffers);
      glClearColor(0, 0, 0, 0);
      glClear(GL_COLOR_BUFFER_BIT);
      for (int i = 0; i < most; i++)
         buffers[i] = hidden && i % 2 ? GL_NONE : GL_COLOR_ATTACHMENT0 + i;
      gl.DrawBuffersEXT(most, buffers);
      draw_rectangle(-1, -1, 0, 1, 0, white);
      for (int i = 0; i < most; i++) {
         GLuint alone;
         glGenFramebuffers(1, &alone);
         glBindFramebuffer(GL_FRAMEBUFFER, alone);
         glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[i],
                                0);
         uint8_t *pixels = target_read(&target);
         const bool drawn = !(hidden && i % 2);
         const uint8_t colour[4] = { drawn ? 10 * i + 5 : 0, drawn ? 255 : 0, drawn ? 128 : 0,
                                     drawn ? 255 : 0 };
         expect_pixel(&target, pixels, 10, 20, colour, 1, "draw buffer");
         expect_pixel(&target, pixels, 50, 20, (const uint8_t[4]){ 0 }, 0, "beside what is drawn");
         free(pixels);
         glDeleteFramebuffers(1, &alone);
         glBindFramebuffer(GL_FRAMEBUFFER, target.framebuffer);
      }
   }
}

/* A rectangle per instance: its column from gl_InstanceIDEXT, its colour from an array that steps
 * by a divisor. */
static void
check_instances(EGLDisplay display)
{
   enum { INSTANCES = 32 };
   static const float corners[4][4] = {
      { 0, -1, 0, 1 }, { 1, -1, 0, 1 }, { 0, 1, 0, 1 }, { 1, 1, 0, 1 }
   };
   static const uint16_t order[4] = { 0, 1, 2, 3 };
   uint8_t colours[INSTANCES][4];
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_draw_instanced");
   need_gl("GL_EXT_instanced_arrays");
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create("#extension GL_EXT_draw_instanced : require\n"
                  "attribute vec4 position, colour; varying highp vec4 v;\n"
                  "void main() {\n"
                  "   float x = (position.x + float(gl_InstanceIDEXT)) / 16.0 - 1.0;\n"
                  "   gl_Position = vec4(x, position.yzw); v = colour;\n"
                  "}\n",
                  plain_fragment);
   for (int i = 0; i < INSTANCES; i++)
      memcpy(colours[i], (const uint8_t[]){ 8 * i, 255 - 8 * i, i, 255 }, 4);
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, corners);
   glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, 0, colours);
   for (int n = 0; n < 8; n++) {
      const int divisor = 1 + n / 2;
      gl.VertexAttribDivisorEXT(1, divisor);
      glClear(GL_COLOR_BUFFER_BIT);
      if (n % 2)
         gl.DrawElementsInstancedEXT(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_SHORT, order, INSTANCES);
      else
         gl.DrawArraysInstancedEXT(GL_TRIANGLE_STRIP, 0, 4, INSTANCES);
      no_error("drawing instances");
      uint8_t *pixels = target_read(&target);
      for (int x = 0; x < SIZE_PX; x++)
         expect_pixel(&target, pixels, x, x, colours[x / 2 / divisor], 0, "instance");
      free(pixels);
   }
}

/* Many ranges in a call draw what single calls draw. */
static void
check_multi_draw(EGLDisplay display)
{
   enum { STRIPS = 16 };
   static float vertices[STRIPS][4][8];
   static uint16_t order[STRIPS][4];
   GLint first[STRIPS];
   GLsizei counts[STRIPS];
   const void *starts[STRIPS];
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_multi_draw_arrays");
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);
   for (int i = 0; i < STRIPS; i++) {
      for (int k = 0; k < 4; k++) {
         const float vertex[8] = {
            -1 + (i + k % 2) / 8.0f, k < 2 ? -1 : 1, 0, 1, i / 15.0f, 1 - i / 15.0f, 0, 1
         };
         memcpy(vertices[i][k], vertex, sizeof(vertex));
         order[i][k] = 4 * i + k;
      }
      first[i] = 4 * i;
      counts[i] = i % 3 == 2 ? 0 : 4;
      starts[i] = order[i];
   }
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(vertices), vertices, GL_STATIC_DRAW);
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   for (int n = 0; n < 8; n++) {
      /* positions and colours in a buffer or in the application's memory */
      const bool indexed = n & 1;
      for (int i = 0; i < 2; i++) {
         const bool client = n & 2 << i;
         glBindBuffer(GL_ARRAY_BUFFER, client ? 0 : buffer);
         glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, 32,
                               client ? vertices[0][0] + 4 * i : (float *)0 + 4 * i);
      }
      glClear(GL_COLOR_BUFFER_BIT);
      if (indexed)
         gl.MultiDrawElementsEXT(GL_TRIANGLE_STRIP, counts, GL_UNSIGNED_SHORT, starts, STRIPS);
      else
         gl.MultiDrawArraysEXT(GL_TRIANGLE_STRIP, first, counts, STRIPS);
      uint8_t *pixels = target_read(&target);
      for (int x = 0; x < SIZE_PX; x++) {
         const int i = x / 4;
         const uint8_t colour[4] = { i * 17, 255 - i * 17, 0, 255 };
         expect_pixel(&target, pixels, x, 9, i % 3 == 2 ? (const uint8_t[4]){ 0 } : colour, 0,
                      "range of many");
      }
      free(pixels);
   }
}

/* Client arrays and indices in a buffer that was just written, inside a query: the query counts all
 * of them. */
static void
check_client_arrays(EGLDisplay display)
{
   static const float red[4] = { 1, 0, 0, 1 }, green[4] = { 0, 1, 0, 1 };
   static float far_away[1000][2];
   uint16_t order[2][3] = { { 700, 701, 702 }, { 703, 704, 705 } };
   GLuint buffer, query, any = 0;
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   GLuint program =
      program_create("attribute vec4 position; void main() { gl_Position = position; }\n",
                     "uniform mediump vec4 shade; void main() { gl_FragColor = shade; }\n");
   static const float corners[6][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 },
                                        { -1, -1 }, { 1, 1 },  { -1, 1 } };
   memcpy(far_away[700], corners, sizeof(corners));
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
   glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(order), order, GL_DYNAMIC_DRAW);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, far_away);
   gl.GenQueriesEXT(1, &query);
   gl.BeginQueryEXT(GL_ANY_SAMPLES_PASSED_EXT, query);
   for (int i = 0; i < 20; i++) {
      glUniform4fv(glGetUniformLocation(program, "shade"), 1, i % 2 ? red : green);
      glBufferSubData(GL_ELEMENT_ARRAY_BUFFER, 0, sizeof(order[0]), order[i / 2 % 2]);
      glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, NULL);
   }
   gl.EndQueryEXT(GL_ANY_SAMPLES_PASSED_EXT);
   gl.GetQueryObjectuivEXT(query, GL_QUERY_RESULT_EXT, &any);
   no_error("drawing client arrays");
   if (!any)
      die("no samples pass");
   uint8_t *pixels = target_read(&target);
   /* the last lower triangle is that of i = 17, the last upper one that of i = 19: both red */
   expect_pixel(&target, pixels, 60, 3, (const uint8_t[]){ 255, 0, 0, 255 }, 0, "lower triangle");
   expect_pixel(&target, pixels, 3, 60, (const uint8_t[]){ 255, 0, 0, 255 }, 0, "upper triangle");
   free(pixels);
}

/* Draws that follow each other from client arrays show what each one's arrays held then: a column
 * each of another colour, in layouts that last for some draws or for one, with and without indices,
 * one or all of them in a buffer or a flush in between. */
static void
check_client_arrays_run(EGLDisplay display)
{
   enum { COLUMNS = SIZE_PX };
   static float at[64][8], colours[64][8]; /* one after the other in at[], or apart */
   static const uint16_t order[4] = { 1, 0, 3, 2 };
   uint8_t expected[COLUMNS][4];
   GLuint buffer;
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   glGenBuffers(1, &buffer);
   for (unsigned n = 0; n < 8 * COLUMNS; n++) {
      const unsigned x = n % COLUMNS, change = n * 2654435761u >> 24;
      const int first = change % 3 ? 0 : 1 + change % 40;
      const bool interleaved = n / 16 % 2, in_buffer = change % 16 == 5,
                 constant = change % 16 == 6;
      const int colour_size = n / 8 % 2 ? 3 : 4;
      const uint8_t colour[4] = { change, 255 - change, 8 * (n / COLUMNS), 255 };
      memcpy(expected[x], colour, sizeof(colour));
      memset(at, 0, sizeof(at));
      for (int k = 0; k < 4; k++) {
         const float position[4] = { -1 + 2 * (x + k % 2) / (float)COLUMNS, k < 2 ? -1 : 1, 0, 1 };
         memcpy(at[first + k], position, sizeof(position));
         for (int c = 0; c < 4; c++)
            (interleaved ? at : colours)[first + k][c + (interleaved ? 4 : 0)] = colour[c] / 255.0f;
      }
      if (in_buffer) {
         glBindBuffer(GL_ARRAY_BUFFER, buffer);
         glBufferData(GL_ARRAY_BUFFER, sizeof(at), at, GL_STREAM_DRAW);
      }
      glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(at[0]), in_buffer ? NULL : at);
      if (!in_buffer || !interleaved)
         glBindBuffer(GL_ARRAY_BUFFER, 0);
      glVertexAttribPointer(1, colour_size, GL_FLOAT, GL_FALSE, sizeof(at[0]),
                            in_buffer && interleaved ? (float *)0 + 4
                            : interleaved            ? &at[0][4]
                                                     : colours[0]);
      glBindBuffer(GL_ARRAY_BUFFER, 0);
      if (constant) {
         glDisableVertexAttribArray(1);
         glVertexAttrib4f(1, colour[0] / 255.0f, colour[1] / 255.0f, colour[2] / 255.0f, 1);
      }
      if (change % 4 == 1) {
         uint16_t moved[4];
         for (int k = 0; k < 4; k++)
            moved[k] = first + order[k];
         glDrawElements(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_SHORT, moved);
      } else {
         glDrawArrays(GL_TRIANGLE_STRIP, first, 4);
      }
      if (constant)
         glEnableVertexAttribArray(1);
      if (change % 64 == 0)
         glFlush();
      if (x < COLUMNS - 1)
         continue;
      uint8_t *pixels = target_read(&target);
      for (unsigned i = 0; i < COLUMNS; i++)
         expect_pixel(&target, pixels, i, 9, expected[i], 0, "column");
      free(pixels);
   }
   no_error("drawing client arrays");
}

/* The depth that a fragment says is tested and kept. */
static void
check_frag_depth(EGLDisplay display)
{
   static const float red[4] = { 1, 0, 0, 1 }, green[4] = { 0, 1, 0, 1 };
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_frag_depth");
   struct target target = target_create(SIZE_PX, SIZE_PX);
   glEnable(GL_DEPTH_TEST);
   program_create(plain_vertex, "#extension GL_EXT_frag_depth : require\nvarying highp vec4 v;\n"
                                "void main() { gl_FragColor = v; gl_FragDepthEXT = gl_FragCoord.x / 64.0; }\n");
   draw_rectangle(-1, -1, 1, 1, -1, red);
   program_create(plain_vertex, plain_fragment);
   draw_rectangle(-1, -1, 1, 1, 0, green); /* window depth 0.5 */
   uint8_t *pixels = target_read(&target);
   for (int x = 0; x < SIZE_PX; x++)
      expect_pixel(&target, pixels, x, 5,
                   (const uint8_t[]){ x < 32 ? 255 : 0, x < 32 ? 0 : 255, 0, 255 }, 0, "depth");
   free(pixels);
}

/* The origin turns the picture round, in framebuffer objects and pbuffers, and neither facing nor
 * culling; depth from 0 to 1 is not halved, and planes are moved with it. The rectangle is the
 * quarter at the corner (-1, -1), its depth the alpha. */
static void
check_clip_control(EGLDisplay display)
{
   static const float white[4] = { 1, 1, 1, 1 }, z[2] = { -0.5f, 0.75f };
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_clip_control");
   const struct target targets[2] = { target_create_pbuffer(display, SIZE_PX, SIZE_PX),
                                      target_create(SIZE_PX, SIZE_PX) };
   program_create(plain_vertex, "varying highp vec4 v;\n"
                                "void main() { gl_FragColor = vec4(v.r, gl_FrontFacing ? 1.0 : 0.0, 0.0, gl_FragCoord.z); }\n");
   glEnable(GL_CULL_FACE);
   glDepthRangef(0, 0.5f);
   for (int i = 0; i < 32; i++) {
      const struct target *target = &targets[i & 1];
      const bool upper = i & 2, from_zero = i & 4, culled = i & 8, behind = !(i & 16);
      const float depth = from_zero ? z[i >> 4] * 0.5f : (z[i >> 4] + 1) * 0.25f;
      target_bind(target);
      glClear(GL_COLOR_BUFFER_BIT);
      gl.ClipControlEXT(upper ? GL_UPPER_LEFT_EXT : GL_LOWER_LEFT_EXT,
                        from_zero ? GL_ZERO_TO_ONE_EXT : GL_NEGATIVE_ONE_TO_ONE_EXT);
      glCullFace(culled ? GL_FRONT : GL_BACK);
      draw_rectangle(-1, -1, 0, 0, z[i >> 4], white);
      uint8_t *pixels = target_read(target);
      const bool drawn = !culled && !(from_zero && behind);
      const uint8_t inside[4] = { 255, 255, 0, (uint8_t)(depth * 255 + 0.5f) };
      expect_pixel(target, pixels, 5, upper ? SIZE_PX - 5 : 5,
                   drawn ? inside : (const uint8_t[4]){ 0 }, 1, "the corner");
      expect_pixel(target, pixels, 5, upper ? 5 : SIZE_PX - 5, (const uint8_t[4]){ 0 }, 0,
                   "the other corner");
      free(pixels);
   }
   no_error("drawing with clip control");
}

/* Colours are clamped on their way to a framebuffer of floats when the application says so, and
 * else as they are. */
static void
check_clamp_color(EGLDisplay display)
{
   enum { CLAMP_FRAGMENT_COLOR = 0x891b, CLAMP_READ_COLOR = 0x891c, FIXED_ONLY = 0x891d, RGBA32F = 0x8814 };
   static const GLenum clamps[3] = { GL_FALSE, FIXED_ONLY, GL_TRUE };
   static const float colour[4] = { -0.5f, 0.25f, 2, 1.5f }, clamped[4] = { 0, 0.25f, 1, 1 };
   void (*clamp_color)(GLenum target, GLenum clamp) =
      (void (*)(GLenum, GLenum))eglGetProcAddress("glClampColorARB");
   GLuint texture;
   context_create_desktop(display, EGL_NO_CONTEXT);
   need_gl("GL_ARB_color_buffer_float");
   target_create(SIZE_PX, SIZE_PX);
   program_create("attribute vec4 position, colour; varying vec4 v; void main() { gl_Position = position; v = colour; }\n",
                  "varying vec4 v; void main() { gl_FragColor = v; }\n");
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, RGBA32F, SIZE_PX, SIZE_PX, 0, GL_RGBA, GL_FLOAT, NULL);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   clamp_color(CLAMP_READ_COLOR, GL_FALSE);
   for (int i = 0; i < 3; i++) {
      float have[4];
      const float *wanted = clamps[i] == GL_TRUE ? clamped : colour;
      clamp_color(CLAMP_FRAGMENT_COLOR, clamps[i]);
      draw_rectangle(-1, -1, 1, 1, 0, colour);
      glReadPixels(9, 9, 1, 1, GL_RGBA, GL_FLOAT, have);
      if (memcmp(have, wanted, sizeof(have)))
         die("with clamping 0x%x (%g, %g, %g, %g) becomes (%g, %g, %g, %g)", clamps[i], colour[0],
             colour[1], colour[2], colour[3], have[0], have[1], have[2], have[3]);
   }
   no_error("clamping colours");
}

/* Each vertex array object has its arrays and its index buffer, whatever another has; one that is
 * deleted is gone. */
static void
check_vertex_arrays(EGLDisplay display)
{
   enum { OBJECTS = 4 };
   static const uint16_t order[2][3] = { { 0, 1, 2 }, { 2, 1, 3 } };
   GLuint objects[OBJECTS], arrays[OBJECTS], indices[OBJECTS];
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_OES_vertex_array_object");
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, plain_fragment);
   gl.GenVertexArraysOES(OBJECTS, objects);
   glGenBuffers(OBJECTS, arrays);
   glGenBuffers(OBJECTS, indices);
   for (int i = 0; i < OBJECTS; i++) {
      float vertices[4][8];
      for (int v = 0; v < 4; v++) {
         const float vertex[8] = { v % 2 ? 1 : -1, v / 2 ? 1 : -1, 0, 1, i & 1, i >> 1, 0.2f, 1 };
         memcpy(vertices[v], vertex, sizeof(vertex));
      }
      gl.BindVertexArrayOES(objects[i]);
      glBindBuffer(GL_ARRAY_BUFFER, arrays[i]);
      glBufferData(GL_ARRAY_BUFFER, sizeof(vertices), vertices, GL_STATIC_DRAW);
      glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices[i]);
      glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(order[0]), order[i % 2], GL_STATIC_DRAW);
      for (int a = 0; a < 2; a++) {
         glEnableVertexAttribArray(a);
         glVertexAttribPointer(a, 4, GL_FLOAT, GL_FALSE, 32, (const void *)(uintptr_t)(16 * a));
      }
   }
   for (int n = 0; n < 3 * OBJECTS; n++) {
      const int i = n * 7 % OBJECTS;
      const uint8_t colour[4] = { i & 1 ? 255 : 0, i >> 1 ? 255 : 0, 51, 255 };
      glClear(GL_COLOR_BUFFER_BIT);
      gl.BindVertexArrayOES(objects[i]);
      glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, NULL);
      no_error("drawing a vertex array object");
      uint8_t *pixels = target_read(&target);
      expect_pixel(&target, pixels, i % 2 ? SIZE_PX - 3 : 2, i % 2 ? SIZE_PX - 3 : 2, colour, 0,
                   "vertex array object");
      expect_pixel(&target, pixels, i % 2 ? 2 : SIZE_PX - 3, i % 2 ? 2 : SIZE_PX - 3,
                   (const uint8_t[4]){ 0 }, 0, "beside it");
      free(pixels);
   }
   gl.DeleteVertexArraysOES(OBJECTS, objects);
   if (gl.IsVertexArrayOES(objects[0]))
      die("a vertex array object is there after it was deleted");
   GLint bound = -1;
   glGetIntegerv(GL_VERTEX_ARRAY_BINDING_OES, &bound);
   if (bound)
      die("a vertex array object that was deleted is still bound: %d", bound);
}

/* Derivatives of planes are what the planes rise by, in every pixel. */
static void
check_derivatives(EGLDisplay display)
{
   static const float white[4] = { 1, 1, 1, 1 };
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_OES_standard_derivatives");
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create("attribute vec4 position, colour; varying highp vec4 v;\n"
                  "void main() { gl_Position = position; v = position * 32.0 + 0.0 * colour; }\n", /* pixels from the centre */
                  "#extension GL_OES_standard_derivatives : require\n"
                  "precision highp float; varying vec4 v;\n"
                  "void main() {\n"
                  "   float plane = 3.0 * v.x - 2.0 * v.y;\n"
                  "   gl_FragColor = vec4(dFdx(plane), -dFdy(plane), fwidth(plane), 10.0 * dFdx(v.y) + 10.0) / 10.0;\n"
                  "}\n");
   draw_rectangle(-1, -1, 1, 1, 0, white);
   uint8_t *pixels = target_read(&target);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
      expect_pixel(&target, pixels, i % SIZE_PX, i / SIZE_PX, (const uint8_t[]){ 77, 51, 128, 255 },
                   1, "derivatives");
   free(pixels);
}

/* Derivatives of x y are y and x in every pixel, whichever of two pixels a difference is taken to:
 * so it is one of neighbours in the pixel's own row and column. */
static void
check_fine_derivatives(EGLDisplay display)
{
   static const float white[4] = { 1, 1, 1, 1 };
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_OES_standard_derivatives");
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create("attribute vec4 position, colour; varying vec4 v;\n"
                  "void main() { gl_Position = position; v = colour; }\n",
                  "#extension GL_OES_standard_derivatives : require\n"
                  "precision highp float; varying vec4 v;\n"
                  "void main() {\n"
                  "   float product = gl_FragCoord.x * gl_FragCoord.y;\n"
                  "   gl_FragColor = vec4(2.0 * dFdx(product), 2.0 * dFdy(product), "
                  "fwidth(product), 255.0 * v.a) / 255.0;\n"
                  "}\n");
   draw_rectangle(-1, -1, 1, 1, 0, white);
   uint8_t *pixels = target_read(&target);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      const int x = i % SIZE_PX, y = i / SIZE_PX;
      const uint8_t want[] = { (uint8_t)(2 * y + 1), (uint8_t)(2 * x + 1), (uint8_t)(x + y + 1),
                               255 };
      expect_pixel(&target, pixels, x, y, want, 0, "fine derivatives");
   }
   free(pixels);
}

const struct check draw_checks[] = {
   { "draw-buffers", check_draw_buffers },
   { "instances", check_instances },
   { "multi-draw", check_multi_draw },
   { "client-arrays", check_client_arrays },
   { "client-arrays-run", check_client_arrays_run },
   { "frag-depth", check_frag_depth },
   { "clip-control", check_clip_control },
   { "clamp-color", check_clamp_color },
   { "vertex-array-objects", check_vertex_arrays },
   { "derivatives", check_derivatives },
   { "fine-derivatives", check_fine_derivatives },
   { NULL, NULL },
};
