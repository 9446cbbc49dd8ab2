/* SPDX-License-Identifier: MIT
 *
 * Geometry of OpenGL ES 3.0: numbers of vertices and instances, divisors, restart at the fixed
 * index (section 2.8), the vertex that flat varyings come from (section 2.18), queries and syncs.
 */
#include "es3_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 16, PLACES = SIZE_PX * SIZE_PX, LARGE_PX = 64 };

/* ------------------------------------------------------------------------- vertices, instances */

/* A draw whose vertices are in [base, base + 16) and whose instances are less than 16. */
struct numbered_draw {
   int base, count, instances, divisor;
   bool indexed;
   GLenum type; /* of indices */
   int index_B, offset_B;
   uint32_t indices[SIZE_PX];
};

static void
random_numbered(struct rules *r, struct numbered_draw *d)
{
   static const GLenum types[] = { GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT, GL_UNSIGNED_INT };
   d->indexed = r->n % 2;
   d->type = types[r->n / 2 % 3], d->index_B = 1 << r->n / 2 % 3;
   d->base = rules_between(r, 0, 200);
   d->count = rules_between(r, 1, SIZE_PX);
   d->instances = rules_chance(r, 70) ? rules_between(r, 1, SIZE_PX) : 0;
   d->divisor = rules_between(r, 1, 5);
   d->offset_B = d->index_B * rules_between(r, 0, 5);
   for (int i = 0; i < d->count; i++)
      d->indices[i] = (uint32_t)(d->base + rules_between(r, 0, SIZE_PX - 1));
}

static void
index_buffer(const struct numbered_draw *d, GLuint buffer)
{
   uint8_t bytes[4 * (SIZE_PX + 6)] = { 0 };
   for (int i = 0; i < d->count; i++)
      memcpy(bytes + d->offset_B + i * d->index_B, &d->indices[i], (size_t)d->index_B);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
   glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(bytes), bytes, GL_STATIC_DRAW);
}

static void
draw_numbered(const struct numbered_draw *d)
{
   const void *at = (const void *)(uintptr_t)d->offset_B;
   if (d->indexed && d->instances)
      glDrawElementsInstanced(GL_POINTS, d->count, d->type, at, d->instances);
   else if (d->indexed)
      glDrawRangeElements(GL_POINTS, (GLuint)d->base, (GLuint)d->base + SIZE_PX - 1, d->count,
                          d->type, at);
   else if (d->instances)
      glDrawArraysInstanced(GL_POINTS, d->base, d->count, d->instances);
   else
      glDrawArrays(GL_POINTS, d->base, d->count);
   no_error("drawing instances");
}

static void
expect_numbered(struct rules *r, const struct numbered_draw *d, const uint32_t *values)
{
   uint32_t wanted[PLACES][4] = { 0 }, *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
   for (int instance = 0; instance < (d->instances ? d->instances : 1); instance++) {
      for (int i = 0; i < d->count; i++) {
         const uint32_t vertex = d->indexed ? d->indices[i] : (uint32_t)(d->base + i);
         uint32_t *w = wanted[instance * SIZE_PX + (int)vertex - d->base];
         w[0] = vertex + 1, w[1] = (uint32_t)instance + 1, w[2] = values[vertex];
         w[3] = values[instance / d->divisor];
      }
   }
   for (int i = 0; i < PLACES; i++) {
      if (memcmp(have + 4 * i, wanted[i], 16))
         rules_fail(r,
                    "%s of %d vertices from %d, %d instances, divisor %d: place (%d, %d) has %u %u "
                    "0x%x 0x%x, not %u %u 0x%x 0x%x",
                    d->indexed ? "indices" : "arrays", d->count, d->base, d->instances, d->divisor,
                    i % SIZE_PX, i / SIZE_PX, have[4 * i], have[4 * i + 1], have[4 * i + 2],
                    have[4 * i + 3], wanted[i][0], wanted[i][1], wanted[i][2], wanted[i][3]);
   }
   free(have);
}

void
es3_vertex_id(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX);
   GLuint program = es3_program(
      r,
      "layout(location = 0) in uint a; layout(location = 1) in uint b;\n"
      "uniform int base; flat out uvec4 v;\n"
      "void main() { v = uvec4(gl_VertexID + 1, gl_InstanceID + 1, a, b); gl_PointSize = 1.0;\n"
      "   vec2 p = vec2(gl_VertexID - base, gl_InstanceID);\n"
      "   gl_Position = vec4((p * 2.0 + 1.0) / 16.0 - 1.0, 0.0, 1.0); }",
      "flat in uvec4 v; out uvec4 result; void main() { result = v; }");
   while (rules_next(r)) {
      struct numbered_draw d;
      uint32_t values[256];
      GLuint buffers[2];
      random_numbered(r, &d);
      for (int i = 0; i < 256; i++)
         values[i] = es3_random_bits(r);
      glGenBuffers(2, buffers);
      index_buffer(&d, buffers[0]);
      glBindBuffer(GL_ARRAY_BUFFER, buffers[1]);
      glBufferData(GL_ARRAY_BUFFER, sizeof(values), values, GL_STATIC_DRAW);
      for (GLuint i = 0; i < 2; i++) {
         glEnableVertexAttribArray(i);
         glVertexAttribIPointer(i, 1, GL_UNSIGNED_INT, 0, NULL);
      }
      glVertexAttribDivisor(1, (GLuint)d.divisor);
      es3_uniform(program, "base", d.base);
      glClearBufferuiv(GL_COLOR, 0, (const GLuint[]){ 0, 0, 0, 0 });
      draw_numbered(&d);
      expect_numbered(r, &d, values);
      glDeleteBuffers(2, buffers);
   }
   glDeleteProgram(program);
   es3_target_delete(&target);
}

/* -------------------------------------------------------------------------------------- restart */

/* Places of vertices, and their numbers as the colour. */
static const char restart_vertex[] =
   "uniform vec2 places[32]; flat out uvec4 v;\n"
   "void main() { v = uvec4(gl_VertexID + 1); gl_PointSize = 1.0;\n"
   "   gl_Position = vec4(places[gl_VertexID], 0.0, 1.0); }";

static void
draw_pieces(GLenum mode, GLenum type, int index_B, const uint8_t *bytes, int count)
{
   for (int begin = 0, i = 0; i <= count; i++) {
      static const uint8_t restart[4] = { 255, 255, 255, 255 };
      if (i < count && memcmp(bytes + i * index_B, restart, (size_t)index_B))
         continue;
      glDrawElements(mode, i - begin, type, bytes + begin * index_B);
      begin = i + 1;
   }
}

/* One draw with restarts is the same as a draw for each piece without. */
void
es3_restart(struct rules *r)
{
   static const GLenum modes[] = { GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_LINE_STRIP, GL_LINE_LOOP,
                                   GL_TRIANGLES,      GL_LINES,        GL_POINTS };
   static const GLenum types[] = { GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT, GL_UNSIGNED_INT };
   struct es3_target target = es3_target_create(GL_RGBA32UI, LARGE_PX, LARGE_PX);
   GLuint program = es3_program(r, restart_vertex,
                                "flat in uvec4 v; out uvec4 result; void main() { result = v; }");
   while (rules_next(r)) {
      const GLenum mode = modes[r->n % 7], type = types[r->n / 7 % 3];
      const int index_B = 1 << r->n / 7 % 3, count = rules_between(r, 1, 60);
      uint8_t bytes[4 * 60];
      float places[32][2];
      uint32_t *have[2];
      for (int i = 0; i < 64; i++)
         places[i / 2][i % 2] = rules_float(r, -1, 1);
      for (int i = 0; i < count; i++) {
         const uint32_t index = rules_chance(r, 15) ? UINT32_MAX : rules_below(r, 32);
         memcpy(bytes + i * index_B, &index, (size_t)index_B);
      }
      glUniform2fv(glGetUniformLocation(program, "places"), 32, places[0]);
      for (int way = 0; way < 2; way++) {
         glClearBufferuiv(GL_COLOR, 0, (const GLuint[]){ 0, 0, 0, 0 });
         glEnable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
         if (way == 0)
            glDrawElements(mode, count, type, bytes);
         glDisable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
         if (way == 1)
            draw_pieces(mode, type, index_B, bytes, count);
         have[way] = es3_read_uint(r, LARGE_PX, LARGE_PX);
      }
      for (int i = 0; i < LARGE_PX * LARGE_PX; i++) {
         if (have[0][4 * i] != have[1][4 * i])
            rules_fail(
               r,
               "mode 0x%04x, %d indices of %d bytes: pixel (%d, %d) is %u with restarts, %u "
               "in pieces",
               mode, count, index_B, i % LARGE_PX, i / LARGE_PX, have[0][4 * i], have[1][4 * i]);
      }
      free(have[0]), free(have[1]);
   }
   glDeleteProgram(program);
   es3_target_delete(&target);
}

/* ----------------------------------------------------------------------------------------- flat */

/* Table 2.12: the vertex of primitive i, all from 0. */
static int
provoking_vertex(GLenum mode, int i, int count)
{
   switch (mode) {
   case GL_TRIANGLES:
      return 3 * i + 2;
   case GL_TRIANGLE_STRIP:
   case GL_TRIANGLE_FAN:
      return i + 2;
   case GL_LINES:
      return 2 * i + 1;
   case GL_LINE_LOOP:
      return (i + 1) % count;
   default:
      return i + 1; /* GL_LINE_STRIP */
   }
}

/* Vertices of primitive i. */
static int
vertices_of(GLenum mode, int i, int count, int v[3])
{
   const bool lines = mode == GL_LINES || mode == GL_LINE_STRIP || mode == GL_LINE_LOOP;
   const int first = mode == GL_TRIANGLES ? 3 * i : mode == GL_LINES ? 2 * i : i;
   for (int k = 0; k < 3; k++)
      v[k] = (first + k) % count;
   if (mode == GL_TRIANGLE_FAN)
      v[0] = 0, v[1] = i + 1, v[2] = i + 2;
   return lines ? 2 : 3;
}

/* Vertices on a circle, or on two rows; no two primitives cover the middle of a third. */
static void
place_vertices(struct rules *r, GLenum mode, int count, float p[][2])
{
   const float turn = rules_float(r, 0, 6.28f);
   for (int i = 0; i < count; i++) {
      const float angle = turn + 6.2831853f * (float)i / (float)count;
      p[i][0] = 0.9f * cosf(angle), p[i][1] = 0.9f * sinf(angle);
      if (mode == GL_TRIANGLES || mode == GL_TRIANGLE_STRIP)
         p[i][0] = -0.9f + 1.8f * (float)i / (float)count, p[i][1] = i % 2 ? 0.8f : -0.8f;
   }
}

void
es3_flat(struct rules *r)
{
   static const GLenum modes[] = { GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN,
                                   GL_LINES,     GL_LINE_STRIP,     GL_LINE_LOOP };
   struct es3_target target = es3_target_create(GL_RGBA32UI, LARGE_PX, LARGE_PX);
   GLuint program = es3_program(r, restart_vertex,
                                "flat in uvec4 v; out uvec4 result; void main() { result = v; }");
   while (rules_next(r)) {
      const GLenum mode = modes[r->n % 6];
      const int count = 6 * rules_between(r, 1, 2);
      const int primitives = mode == GL_TRIANGLES    ? count / 3
                             : mode == GL_LINES      ? count / 2
                             : mode == GL_LINE_LOOP  ? count
                             : mode == GL_LINE_STRIP ? count - 1
                                                     : count - 2;
      float p[32][2] = { 0 };
      place_vertices(r, mode, count, p);
      glUniform2fv(glGetUniformLocation(program, "places"), 32, p[0]);
      glClearBufferuiv(GL_COLOR, 0, (const GLuint[]){ 0, 0, 0, 0 });
      glLineWidth(4);
      glDrawArrays(mode, 0, count);
      uint32_t *have = es3_read_uint(r, LARGE_PX, LARGE_PX);
      for (int i = 0; i < primitives; i++) {
         int v[3];
         float middle[2] = { 0, 0 };
         const int corners = vertices_of(mode, i, count, v);
         for (int k = 0; k < corners; k++)
            middle[0] += p[v[k]][0] / (float)corners, middle[1] += p[v[k]][1] / (float)corners;
         const int x = (int)((middle[0] + 1) * LARGE_PX / 2),
                   y = (int)((middle[1] + 1) * LARGE_PX / 2);
         const uint32_t wanted = (uint32_t)provoking_vertex(mode, i, count) + 1;
         if (have[4 * (y * LARGE_PX + x)] != wanted)
            rules_fail(
               r, "mode 0x%04x of %d vertices: primitive %d has the value of vertex %d, not %d",
               mode, count, i, (int)have[4 * (y * LARGE_PX + x)] - 1, (int)wanted - 1);
      }
      free(have);
   }
   glLineWidth(1);
   glDeleteProgram(program);
   es3_target_delete(&target);
}

/* ------------------------------------------------------------------------------ queries, syncs */

enum hidden { VISIBLE, SCISSORED, DISCARDED, OUTSIDE, BEHIND, NO_DRAW, HIDDENS };

static void
draw_hidden(enum hidden how, const GLuint programs[2])
{
   glUseProgram(programs[how == DISCARDED]);
   glUniform4f(glGetUniformLocation(programs[how == DISCARDED], "at"), how == OUTSIDE ? 4 : 0, 0,
               how == BEHIND ? 0.5f : 0, 0);
   if (how == SCISSORED)
      glEnable(GL_SCISSOR_TEST), glScissor(3, 3, 0, 5);
   if (how != NO_DRAW)
      glDrawArrays(GL_TRIANGLES, 0, 3);
   glDisable(GL_SCISSOR_TEST);
}

static void
check_sync(const struct rules *r)
{
   GLint status, length;
   GLsync sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
   const GLenum waited = glClientWaitSync(sync, GL_SYNC_FLUSH_COMMANDS_BIT, UINT64_C(10000000000));
   if (waited != GL_CONDITION_SATISFIED && waited != GL_ALREADY_SIGNALED)
      rules_fail(r, "waiting for a sync object gives 0x%04x", waited);
   glGetSynciv(sync, GL_SYNC_STATUS, 1, &length, &status);
   if (status != GL_SIGNALED || glClientWaitSync(sync, 0, 0) != GL_ALREADY_SIGNALED)
      rules_fail(r, "a sync object that was waited for is 0x%04x", status);
   glWaitSync(sync, 0, GL_TIMEOUT_IGNORED);
   glDeleteSync(sync);
   if (glIsSync(sync))
      rules_fail(r, "a sync object is there after glDeleteSync");
}

void
es3_queries(struct rules *r)
{
   static const char vertex[] = "uniform vec4 at; void main() {\n"
                                "   gl_Position = at + vec4(gl_VertexID == 1 ? 1.0 : -1.0, "
                                "gl_VertexID == 2 ? 1.0 : -1.0, 0, 1); }";
   static const GLenum targets[] = { GL_ANY_SAMPLES_PASSED, GL_ANY_SAMPLES_PASSED_CONSERVATIVE };
   struct es3_target target = es3_target_create(GL_RGBA8, LARGE_PX, LARGE_PX);
   GLuint depth, programs[2];
   glGenRenderbuffers(1, &depth);
   glBindRenderbuffer(GL_RENDERBUFFER, depth);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, LARGE_PX, LARGE_PX);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
   programs[0] = es3_program(r, vertex, "out vec4 v; void main() { v = vec4(1.0); }");
   programs[1] = es3_program(r, vertex, "out vec4 v; void main() { discard; }");
   glEnable(GL_DEPTH_TEST);
   while (rules_next(r)) {
      GLuint queries[8], result;
      bool wanted[8];
      const int count = rules_between(r, 1, 8);
      glClearBufferfv(GL_DEPTH, 0, (const float[]){ 0.6f });
      glGenQueries(count, queries);
      for (int i = 0; i < count; i++) {
         wanted[i] = false;
         glBeginQuery(targets[r->n % 2], queries[i]);
         for (int k = rules_between(r, 1, 4); k > 0; k--) {
            const enum hidden how =
               rules_chance(r, 15) ? VISIBLE : (enum hidden)rules_between(r, 1, HIDDENS - 1);
            glClearBufferfv(GL_DEPTH, 0, (const float[]){ 0.6f });
            draw_hidden(how, programs);
            wanted[i] = wanted[i] || how == VISIBLE;
         }
         glEndQuery(targets[r->n % 2]);
      }
      for (int i = 0; i < count; i++) {
         glGetQueryObjectuiv(queries[i], GL_QUERY_RESULT, &result);
         rules_hash(r, &result, sizeof(result));
         /* a conservative one may say that something passed where nothing did; here nothing does */
         if ((result != 0) != wanted[i])
            rules_fail(r, "query 0x%04x, %d of %d: %u, not %d", targets[r->n % 2], i, count, result,
                       wanted[i]);
      }
      glDeleteQueries(count, queries);
      check_sync(r);
   }
   glDisable(GL_DEPTH_TEST);
   glDeleteRenderbuffers(1, &depth);
   es3_target_delete(&target);
}
