/* SPDX-License-Identifier: MIT
 *
 * GL_EXT_occlusion_query_boolean and GL_EXT_disjoint_timer_query.
 */
#include "extension_checks.h"

#include <stdlib.h>

static const float white[4] = { 1, 1, 1, 1 };

static GLuint
result_of(GLuint query)
{
   GLuint value = 0;
   gl.GetQueryObjectuivEXT(query, GL_QUERY_RESULT_EXT, &value);
   return value;
}

/* Whether rectangles at these depths, behind or before one at 0, let samples pass. */
static bool
any_passes(GLenum target, float z, int rectangles, bool flushed)
{
   GLuint query;
   gl.GenQueriesEXT(1, &query);
   gl.BeginQueryEXT(target, query);
   for (int i = 0; i < rectangles; i++) {
      draw_rectangle(-1, -1, 1, 1, z, white);
      if (flushed)
         glFlush();
   }
   gl.EndQueryEXT(target);
   const GLuint value = result_of(query);
   if (value > 1)
      die("a boolean query gives %u", value);
   gl.DeleteQueriesEXT(1, &query);
   return value;
}

static void
check_occlusion(EGLDisplay display)
{
   static const GLenum targets[] = { GL_ANY_SAMPLES_PASSED_EXT,
                                     GL_ANY_SAMPLES_PASSED_CONSERVATIVE_EXT };
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_occlusion_query_boolean");
   target_create(200, 100);
   program_create(plain_vertex, plain_fragment);
   glEnable(GL_DEPTH_TEST);
   draw_rectangle(-1, -1, 1, 1, 0, white);
   glDepthMask(GL_FALSE);
   for (int t = 0; t < 2; t++) {
      for (int flushed = 0; flushed < 2; flushed++) {
         if (!any_passes(targets[t], -0.5f, 3, flushed) ||
             any_passes(targets[t], 0.5f, 3, flushed) || any_passes(targets[t], -0.5f, 0, flushed))
            die("an occlusion query of 0x%x%s is wrong", targets[t],
                flushed ? ", with flushes," : "");
      }
   }
   glEnable(GL_SCISSOR_TEST);
   glScissor(0, 0, 0, 0);
   if (any_passes(GL_ANY_SAMPLES_PASSED_EXT, -0.5f, 1, false))
      die("samples outside of the scissor box pass");
   no_error("asking for occlusion");
}

/* Results come without being waited for: available at last, after a flush. */
static void
check_availability(EGLDisplay display)
{
   GLuint query, available = 0;
   context_create(display, EGL_NO_CONTEXT);
   target_create(64, 64);
   program_create(plain_vertex, plain_fragment);
   gl.GenQueriesEXT(1, &query);
   gl.BeginQueryEXT(GL_ANY_SAMPLES_PASSED_EXT, query);
   draw_rectangle(-1, -1, 1, 1, 0, white);
   gl.EndQueryEXT(GL_ANY_SAMPLES_PASSED_EXT);
   for (int i = 0; i < 1000000 && !available; i++)
      gl.GetQueryObjectuivEXT(query, GL_QUERY_RESULT_AVAILABLE_EXT, &available);
   if (!available || !result_of(query))
      die("a query's result never becomes available");
}

static GLuint64
time_of(GLuint query)
{
   GLuint64 value = 0;
   gl.GetQueryObjectui64vEXT(query, GL_QUERY_RESULT_EXT, &value);
   return value;
}

/* Draws between two time stamps take the time that is measured, more or less; what the clock says
 * while they are recorded is not after their end. */
static void
check_timer(EGLDisplay display)
{
   GLuint queries[3];
   GLint bits = 0, disjoint = -1;
   GLint64 recorded = 0;
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_disjoint_timer_query");
   target_create(512, 512);
   program_create(plain_vertex, plain_fragment);
   gl.GetQueryivEXT(GL_TIMESTAMP_EXT, GL_QUERY_COUNTER_BITS_EXT, &bits);
   if (bits < 30)
      die("time stamps have %d bits", bits);
   gl.GenQueriesEXT(3, queries);
   gl.QueryCounterEXT(queries[0], GL_TIMESTAMP_EXT);
   gl.BeginQueryEXT(GL_TIME_ELAPSED_EXT, queries[1]);
   for (int i = 0; i < 20; i++) {
      draw_rectangle(-1, -1, 1, 1, 0, white);
      if (i == 10)
         glFlush();
   }
   gl.EndQueryEXT(GL_TIME_ELAPSED_EXT);
   gl.GetInteger64vEXT(GL_TIMESTAMP_EXT, &recorded);
   gl.QueryCounterEXT(queries[2], GL_TIMESTAMP_EXT);
   const GLuint64 first = time_of(queries[0]), elapsed = time_of(queries[1]),
                  last = time_of(queries[2]);
   glGetIntegerv(GL_GPU_DISJOINT_EXT, &disjoint);
   no_error("asking for times");
   if (!elapsed || last < first || elapsed > last - first || recorded <= 0 ||
       (GLuint64)recorded > last || disjoint)
      die("from %llu to %llu ns, %llu elapsed, recorded at %lld; disjoint: %d",
          (unsigned long long)first, (unsigned long long)last, (unsigned long long)elapsed,
          (long long)recorded, disjoint);
}

const struct check query_checks[] = {
   { "occlusion-query", check_occlusion },
   { "query-availability", check_availability },
   { "timer-query", check_timer },
   { NULL, NULL },
};
