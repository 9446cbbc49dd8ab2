/* SPDX-License-Identifier: MIT
 *
 * Draws whose numbers lie in buffers: of what was fed back (ARB_transform_feedback2), and indirect
 * ones (ARB_draw_indirect, ARB_multi_draw_indirect, ARB_base_instance); and buffers that stay
 * mapped while draws read and write them (ARB_buffer_storage).
 */
#include "gl33_rules.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE_PX = 16, PIXELS = SIDE_PX * SIDE_PX };

/* Draws points: vertex n at pixel n, of this value. */
static const char points_vertex[] = "in uint number; in uint value; flat out uint result;\n"
                                    "void main() { result = value; gl_PointSize = 1.0;\n"
                                    "   vec2 at = vec2(number % 16u, number / 16u % 16u);\n"
                                    "   gl_Position = vec4((at + 0.5) / 8.0 - 1.0, 0.0, 1.0); }";
static const char points_fragment[] =
   "flat in uint result; out uvec4 v; void main() { v = uvec4(result); }";

static GLuint
points_program(const struct rules *r)
{
   return gl33_program(
      r, &(struct gl33_stages){ .vertex = points_vertex, .fragment = points_fragment });
}

/* Numbers and values one after the other, from this offset on. */
static void
bind_points(GLuint program, GLuint buffer, int offset_B)
{
   const GLuint number = (GLuint)glGetAttribLocation(program, "number"),
                value = (GLuint)glGetAttribLocation(program, "value");
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glVertexAttribIPointer(number, 1, GL_UNSIGNED_INT, 8, (const void *)(intptr_t)offset_B);
   glVertexAttribIPointer(value, 1, GL_UNSIGNED_INT, 8, (const void *)(intptr_t)(offset_B + 4));
   glEnableVertexAttribArray(number);
   glEnableVertexAttribArray(value);
}

static void
clear(void)
{
   glClearBufferuiv(GL_COLOR, 0, (const GLuint[]){ 0, 0, 0, 0 });
}

static void
expect_pixels(struct rules *r, const uint32_t *wanted, const char *what)
{
   uint32_t *have = es3_read_uint(r, SIDE_PX, SIDE_PX);
   for (int i = 0; i < PIXELS; i++) {
      if (have[4 * i] != wanted[i])
         rules_fail(r, "%s: pixel %d is %u, not %u", what, i, have[4 * i], wanted[i]);
   }
   free(have);
}

/* ------------------------------------------------------------------------- draws of feedback */

/* Keeps some of the points: those whose numbers have any of these bits. */
static GLuint
filter_program(const struct rules *r)
{
   static const char *const captured[] = { "n", "w", NULL };
   return gl33_program(
      r, &(struct gl33_stages){ .vertex = "out uint m; void main() { m = uint(gl_VertexID); }",
                                .geometry =
                                   "layout(points) in; layout(points, max_vertices = 1) out;\n"
                                   "in uint m[]; out uint n; out uint w; uniform int bits;\n"
                                   "void main() { if ((m[0] & uint(bits)) == 0u) return;\n"
                                   "   n = m[0]; w = m[0] * 7u + 1u; EmitVertex(); }",
                                .captured = captured });
}

void
gl33_draw_feedback(struct rules *r)
{
   void (*gen)(GLsizei, GLuint *) =
      (void (*)(GLsizei, GLuint *))eglGetProcAddress("glGenTransformFeedbacks");
   void (*draw)(GLenum, GLuint) =
      (void (*)(GLenum, GLuint))eglGetProcAddress("glDrawTransformFeedback");
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIDE_PX, SIDE_PX);
   const GLuint filter = filter_program(r), points = points_program(r);
   GLuint object, buffer;
   gen(1, &object);
   glGenBuffers(1, &buffer);
   glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, object);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
   glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, 8 * PIXELS, NULL, GL_DYNAMIC_COPY);
   bind_points(points, buffer, 0);
   while (rules_next(r)) {
      uint32_t wanted[PIXELS] = { 0 };
      const int draws = rules_between(r, 0, 3);
      const bool pauses = rules_chance(r, 40);
      glUseProgram(filter);
      gl33_begin_capture();
      if (pauses) { /* also before the first draw */
         glPauseTransformFeedback();
         glResumeTransformFeedback();
      }
      for (int i = 0; i < draws; i++) {
         const int first = i * 80, count = rules_between(r, 0, 80), bits = rules_between(r, 0, 31);
         es3_uniform(filter, "bits", bits);
         glDrawArrays(GL_POINTS, first, count);
         for (int n = first; n < first + count; n++)
            wanted[n] = n & bits ? (uint32_t)n * 7 + 1 : wanted[n];
      }
      gl33_end_capture();
      glUseProgram(points);
      clear();
      draw(GL_POINTS, object);
      no_error("drawing what was fed back");
      expect_pixels(r, wanted, "drawn from feedback");
   }
   glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0);
   glDeleteTransformFeedbacks(1, &object);
   glDeleteBuffers(1, &buffer);
   glDeleteProgram(filter);
   glDeleteProgram(points);
   es3_target_delete(&target);
}

/* ------------------------------------------------------------------------------ indirect draws */

/* As in GL: count, instances, first, (base vertex,) base instance. */
struct indirect {
   uint32_t count, instances, first, base[2];
};

struct indirect_calls {
   void (*arrays)(GLenum, const void *, GLsizei, GLsizei);
   void (*elements)(GLenum, GLenum, const void *, GLsizei, GLsizei);
};

/* Vertices are pixels; instances give the value, from the base instance on. */
static void
random_indirect(struct rules *r, bool indexed, struct indirect *d, const uint16_t *indices,
                uint32_t *wanted)
{
   d->instances = rules_below(r, 4);
   d->count = rules_below(r, 60);
   d->first = rules_below(r, 100);
   d->base[0] = rules_below(r, 50);
   d->base[1] = rules_below(r, 8);
   if (!indexed)
      d->base[0] = d->base[1];
   for (uint32_t i = 0; i < d->count && d->instances; i++) {
      const uint32_t at = indexed ? indices[d->first + i] + d->base[0] : d->first + i;
      wanted[at] = 100 + d->base[1] + d->instances - 1;
   }
}

static GLuint
static_buffer(GLenum target, const void *data, size_t size_B)
{
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBuffer(target, buffer);
   glBufferData(target, (GLsizeiptr)size_B, data, GL_STATIC_DRAW);
   return buffer;
}

void
gl33_indirect(struct rules *r)
{
   enum { DRAW_INDIRECT_BUFFER = 0x8F3F, MOST_DRAWS = 5, NUMBERS = 256 };
   const struct indirect_calls gl = {
      (void (*)(GLenum, const void *, GLsizei, GLsizei))eglGetProcAddress(
         "glMultiDrawArraysIndirect"),
      (void (*)(GLenum, GLenum, const void *, GLsizei, GLsizei))eglGetProcAddress(
         "glMultiDrawElementsIndirect"),
   };
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIDE_PX, SIDE_PX);
   const GLuint points = points_program(r);
   uint32_t numbers[NUMBERS], values[NUMBERS];
   for (uint32_t i = 0; i < NUMBERS; i++)
      numbers[i] = i, values[i] = 100 + i;
   const GLuint number = (GLuint)glGetAttribLocation(points, "number"),
                value = (GLuint)glGetAttribLocation(points, "value");
   const GLuint number_buffer = static_buffer(GL_ARRAY_BUFFER, numbers, sizeof(numbers));
   glVertexAttribIPointer(number, 1, GL_UNSIGNED_INT, 0, NULL);
   const GLuint value_buffer = static_buffer(GL_ARRAY_BUFFER, values, sizeof(values));
   glVertexAttribIPointer(value, 1, GL_UNSIGNED_INT, 0, NULL);
   glVertexAttribDivisor(value, 1);
   glEnableVertexAttribArray(number);
   glEnableVertexAttribArray(value);
   while (rules_next(r)) {
      const bool indexed = rules_chance(r, 50);
      const int draws = rules_between(r, 1, MOST_DRAWS), gap = r->n % 3,
                offset_B = 4 * (int)rules_below(r, 10);
      const size_t dwords = (size_t)(indexed ? 5 : 4), stride = dwords + (size_t)gap;
      uint32_t commands[10 + MOST_DRAWS * 8] = { 0 }, wanted[PIXELS] = { 0 };
      uint16_t indices[160];
      for (size_t i = 0; i < COUNT(indices); i++)
         indices[i] = (uint16_t)rules_below(r, 200);
      for (int i = 0; i < draws; i++) {
         struct indirect d;
         random_indirect(r, indexed, &d, indices, wanted);
         memcpy(commands + offset_B / 4 + (size_t)i * stride, &d, 4 * dwords);
      }
      const GLuint buffers[2] = {
         static_buffer(GL_ELEMENT_ARRAY_BUFFER, indices, sizeof(indices)),
         static_buffer(DRAW_INDIRECT_BUFFER, commands, sizeof(commands)),
      };
      const void *at = (const void *)(intptr_t)offset_B;
      const GLsizei stride_B = gap ? 4 * (GLsizei)stride : 0;
      clear();
      if (indexed)
         gl.elements(GL_POINTS, GL_UNSIGNED_SHORT, at, draws, stride_B);
      else
         gl.arrays(GL_POINTS, at, draws, stride_B);
      no_error("drawing indirectly");
      expect_pixels(r, wanted, indexed ? "indexed" : "arrays");
      glDeleteBuffers(2, buffers);
   }
   glDeleteBuffers(2, (const GLuint[]){ number_buffer, value_buffer });
   glDeleteProgram(points);
   es3_target_delete(&target);
}

/* -------------------------------------------------------------------------- persistent buffers */

enum { PERSISTENT = 0x40, COHERENT = 0x80, POINTS = 128 };

/* A buffer that is mapped as long as it is there. */
static GLuint
mapped_buffer(size_t size_B, uint32_t (**map)[2])
{
   void (*storage)(GLenum, GLsizeiptr, const void *, GLbitfield) =
      (void (*)(GLenum, GLsizeiptr, const void *, GLbitfield))eglGetProcAddress("glBufferStorage");
   const GLbitfield access = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | PERSISTENT | COHERENT;
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   storage(GL_ARRAY_BUFFER, (GLsizeiptr)size_B, NULL, access);
   *map = glMapBufferRange(GL_ARRAY_BUFFER, 0, (GLsizeiptr)size_B, access);
   no_error("mapping a persistent buffer");
   if (!*map)
      die("a persistent buffer cannot be mapped");
   return buffer;
}

static void
wait_for_draws(void)
{
   GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
   glClientWaitSync(sync, GL_SYNC_FLUSH_COMMANDS_BIT, UINT64_C(10000000000));
   glDeleteSync(sync);
}

/* What draws write by feedback is seen through the map, what the map gets is drawn: without another
 * call. Often enough for lists of equal vertices, which must not be used. */
void
gl33_persistent(struct rules *r)
{
   enum { HALF_B = 8 * POINTS };
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIDE_PX, SIDE_PX);
   const GLuint filter = filter_program(r), points = points_program(r);
   uint32_t(*map)[2];
   const GLuint buffer = mapped_buffer(2 * HALF_B, &map);
   bind_points(points, buffer, 0);
   glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer, HALF_B, HALF_B);
   while (rules_next(r)) {
      uint32_t wanted[PIXELS] = { 0 };
      const int bits = rules_between(r, 1, 127);
      int fed = 0;
      for (int i = 0; i < POINTS; i++) {
         map[i][0] = rules_below(r, 20), map[i][1] = rules_below(r, 1000);
         wanted[map[i][0]] = map[i][1];
      }
      glUseProgram(points);
      clear();
      for (int i = 0; i < 7; i++)
         glDrawArrays(GL_POINTS, 0, POINTS);
      glUseProgram(filter);
      es3_uniform(filter, "bits", bits);
      gl33_begin_capture();
      glDrawArrays(GL_POINTS, 0, POINTS);
      gl33_end_capture();
      wait_for_draws();
      for (uint32_t i = 0; i < POINTS; i++) {
         const uint32_t *have = map[POINTS + fed];
         if (!(i & (uint32_t)bits))
            continue;
         if (have[0] != i || have[1] != 7 * i + 1)
            rules_fail(r, "of points with bits 0x%x number %d is %u, %u, not %u, %u", bits, fed,
                       have[0], have[1], i, 7 * i + 1);
         fed++;
      }
      expect_pixels(r, wanted, "drawn from the map");
   }
   glDeleteBuffers(1, &buffer);
   glDeleteProgram(filter);
   glDeleteProgram(points);
   es3_target_delete(&target);
}
