/* SPDX-License-Identifier: MIT
 *
 * Conditional rendering (OpenGL 3.0, section 2.15; ARB_conditional_render_inverted): draws, clears
 * and blits are dropped if nothing passed. Timers (OpenGL 3.3, section 2.14.3): time goes forward,
 * and what is measured lies within what was measured around it.
 */
#include "gl33_rules.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE_PX = 16 };

/* glBeginConditionalRender and what belongs to it, which OpenGL ES lacks. */
struct condition_calls {
   void (*begin)(GLuint query, GLenum mode);
   void (*end)(void);
};

static const struct condition_mode {
   GLenum mode;
   bool waits, inverted;
} condition_modes[] = {
   { 0x8E13, true, false },  /* GL_QUERY_WAIT */
   { 0x8E15, true, false },  /* GL_QUERY_BY_REGION_WAIT */
   { 0x8E14, false, false }, /* GL_QUERY_NO_WAIT */
   { 0x8E16, false, false }, /* GL_QUERY_BY_REGION_NO_WAIT */
   { 0x8E17, true, true },   /* GL_QUERY_WAIT_INVERTED */
   { 0x8E19, true, true },   /* GL_QUERY_BY_REGION_WAIT_INVERTED */
   { 0x8E18, false, true },  /* GL_QUERY_NO_WAIT_INVERTED */
};

/* A rectangle of lower left pixels of this value. */
static void
fill(GLuint program, int size_px, int value)
{
   glViewport(0, 0, size_px, size_px);
   es3_uniform(program, "value", value);
   es3_draw_whole();
}

/* A query that counts nothing, or something: with draws without area, outside, or of pixels. */
static bool
random_query(struct rules *r, GLenum target, GLuint query, GLuint program)
{
   bool passes = false;
   glBeginQuery(target, query);
   for (int i = rules_between(r, 0, 3); i > 0; i--) {
      const bool outside = rules_chance(r, 60);
      glEnable(GL_SCISSOR_TEST);
      glScissor(outside ? SIDE_PX : 0, 0, 1, 1);
      fill(program, SIDE_PX, 1);
      glDisable(GL_SCISSOR_TEST);
      passes = passes || !outside;
   }
   glEndQuery(target);
   return passes;
}

enum way { DRAW, CLEAR, BLIT, WAYS };

static void
write_square(enum way way, GLuint program, GLuint source, int size_px, int value)
{
   glEnable(GL_SCISSOR_TEST);
   glScissor(0, 0, size_px, size_px);
   if (way == DRAW)
      fill(program, SIDE_PX, value);
   else if (way == CLEAR)
      glClearBufferuiv(GL_COLOR, 0, (const GLuint[]){ (GLuint)value, 0, 0, 0 });
   if (way == BLIT) {
      glBindFramebuffer(GL_READ_FRAMEBUFFER, source);
      glBlitFramebuffer(0, 0, size_px, size_px, 0, 0, size_px, size_px, GL_COLOR_BUFFER_BIT,
                        GL_NEAREST);
   }
   glDisable(GL_SCISSOR_TEST);
}

void
gl33_conditional(struct rules *r)
{
   static const GLenum targets[] = { 0x8914, GL_ANY_SAMPLES_PASSED }; /* GL_SAMPLES_PASSED */
   const struct condition_calls gl = {
      (void (*)(GLuint, GLenum))eglGetProcAddress("glBeginConditionalRender"),
      (void (*)(void))eglGetProcAddress("glEndConditionalRender"),
   };
   struct es3_target source = es3_target_create(GL_RGBA32UI, SIDE_PX, SIDE_PX),
                     target = es3_target_create(GL_RGBA32UI, SIDE_PX, SIDE_PX);
   const GLuint program =
      gl33_program(r, &(struct gl33_stages){ .vertex = es3_vertex_whole,
                                             .fragment = "uniform int value; out uvec4 v;\n"
                                                         "void main() { v = uvec4(value); }" });
   while (rules_next(r)) {
      const struct condition_mode *mode = &condition_modes[(size_t)r->n % COUNT(condition_modes)];
      const GLenum kind = targets[rules_below(r, 2)];
      const int draws = rules_between(r, 1, 3);
      GLuint query, known;
      uint32_t wanted[SIDE_PX * SIDE_PX] = { 0 };
      es3_target_bind(&source);
      fill(program, SIDE_PX, 77);
      es3_target_bind(&target);
      glGenQueries(1, &query);
      const bool passes = random_query(r, kind, query, program) != mode->inverted;
      glClearBufferuiv(GL_COLOR, 0, (const GLuint[4]){ 0, 0, 0, 0 });
      if (!mode->waits || rules_chance(r, 20))
         glGetQueryObjectuiv(query, GL_QUERY_RESULT, &known);
      for (int n = 0; n < draws; n++) {
         const enum way way = (enum way)rules_below(r, WAYS);
         const int size_px = rules_between(r, 1, SIDE_PX), value = rules_between(r, 1, 1000);
         const bool conditional = rules_chance(r, 75);
         if (conditional)
            gl.begin(query, mode->mode);
         write_square(way, program, source.framebuffer, size_px, value);
         if (conditional)
            gl.end();
         for (int i = 0; i < size_px * size_px && (passes || !conditional); i++)
            wanted[i % size_px + SIDE_PX * (i / size_px)] = way == BLIT ? 77 : (uint32_t)value;
      }
      no_error("rendering under conditions");
      es3_target_bind(&target);
      uint32_t *have = es3_read_uint(r, SIDE_PX, SIDE_PX);
      for (int i = 0; i < SIDE_PX * SIDE_PX; i++) {
         if (have[4 * i] != wanted[i])
            rules_fail(r, "mode 0x%04x, something %s: pixel (%d, %d) is %u, not %u", mode->mode,
                       passes != mode->inverted ? "passed" : "did not pass", i % SIDE_PX,
                       i / SIDE_PX, have[4 * i], wanted[i]);
      }
      free(have);
      glDeleteQueries(1, &query);
   }
   glDeleteProgram(program);
   es3_target_delete(&target);
   es3_target_delete(&source);
}

/* ------------------------------------------------------------------------------------- timers */

void
gl33_timers(struct rules *r)
{
   enum { TIME_ELAPSED = 0x88BF, TIMESTAMP = 0x8E28 };
   void (*counter)(GLuint, GLenum) = (void (*)(GLuint, GLenum))eglGetProcAddress("glQueryCounter");
   void (*result)(GLuint, GLenum, GLuint64 *) =
      (void (*)(GLuint, GLenum, GLuint64 *))eglGetProcAddress("glGetQueryObjectui64v");
   struct es3_target target = es3_target_create(GL_RGBA32UI, 256, 256);
   const GLuint program =
      gl33_program(r, &(struct gl33_stages){ .vertex = es3_vertex_whole,
                                             .fragment = "uniform int value; out uvec4 v;\n"
                                                         "void main() { v = uvec4(value); }" });
   while (rules_next(r)) {
      const int draws = rules_between(r, 0, 20);
      GLuint queries[3];
      GLint64 before, after;
      GLuint64 begin, elapsed, end;
      glGenQueries(3, queries);
      glGetInteger64v(TIMESTAMP, &before);
      counter(queries[0], TIMESTAMP);
      glBeginQuery(TIME_ELAPSED, queries[1]);
      for (int i = 0; i < draws; i++)
         fill(program, 256, i);
      glEndQuery(TIME_ELAPSED);
      counter(queries[2], TIMESTAMP);
      result(queries[0], GL_QUERY_RESULT, &begin);
      result(queries[1], GL_QUERY_RESULT, &elapsed);
      result(queries[2], GL_QUERY_RESULT, &end);
      glGetInteger64v(TIMESTAMP, &after);
      no_error("taking times");
      if (before <= 0 || begin < (GLuint64)before || end < begin || (GLuint64)after < end)
         rules_fail(r, "times of %lld, %llu, %llu, %lld ns", (long long)before,
                    (unsigned long long)begin, (unsigned long long)end, (long long)after);
      if (elapsed > end - begin || (draws && !elapsed))
         rules_fail(r, "%d draws take %llu ns, within %llu", draws, (unsigned long long)elapsed,
                    (unsigned long long)(end - begin));
      glDeleteQueries(3, queries);
   }
   glDeleteProgram(program);
   es3_target_delete(&target);
}
