/* SPDX-License-Identifier: MIT
 *
 * What probes of the specifications found, each by itself: names that blocks and uniforms of two
 * stages share, components that are captured far behind others, integers copied between formats.
 */
#include "es3_rules.h"

#include <stdlib.h>

enum { SIZE_PX = 4, VERTICES = 3, VECTORS = 8 };

/* ------------------------------------------------------------------ OpenGL ES 3.0, section 2.12.6
 */

/* Names of blocks, and of their instances, are no names of uniforms: all of these link. */
static const struct pair {
   const char *vertex, *fragment;
} named_alike[] = {
   { "uniform B { vec4 a[9]; } i; void main() { gl_Position = i.a[gl_VertexID]; }",
     "uniform float B; out vec4 o; void main() { o = vec4(B); }" },
   { "uniform float B; void main() { gl_Position = vec4(B); }",
     "uniform B { vec4 a[9]; mat4 b[3]; } i; uniform int n; out vec4 o;\n"
     "void main() { o = i.a[n] + i.b[n][0]; }" },
   { "struct S { vec4 x[4]; mat3 y; }; uniform S B; void main() { gl_Position = B.x[gl_VertexID] + "
     "B.y[0].xyzz; }",
     "uniform B { float a; } i; out vec4 o; void main() { o = vec4(i.a); }" },
   { "uniform C { vec4 B[7]; }; void main() { gl_Position = B[gl_VertexID]; }",
     "uniform B { float a; } i; out vec4 o; void main() { o = vec4(i.a); }" },
   { "uniform B { vec4 m; } a; void main() { gl_Position = a.m; }",
     "uniform float a[2]; uniform int n; out vec4 o; void main() { o = vec4(a[n]); }" },
   { "uniform float a[5]; void main() { gl_Position = vec4(a[gl_VertexID]); }",
     "uniform B { vec4 m; } a[2]; out vec4 o; void main() { o = a[0].m + a[1].m; }" },
};

static void
check_names(struct rules *r)
{
   const struct pair *p = &named_alike[rules_between(r, 0, COUNT(named_alike) - 1)];
   glDeleteProgram(es3_program(r, p->vertex, p->fragment));
}

/* ------------------------------------------------------------------ section 2.15.2 */

/* Whether the fragment shader reads them decides which varyings share a vector. */
static const char *const readers[] = {
   "out vec4 o; void main() { o = vec4(1.0); }",
   "in float x; in vec2 y; in float w; out vec4 o; void main() { o = vec4(x, y, w); }",
   "in vec2 y; out vec4 o; void main() { o = y.xyxy; }",
};

/* Components of `w`, `x` and `y` in the order in which they are captured. */
static const struct order {
   const char *names[4];
   int count, components[4];
} orders[] = {
   { { "v", "w" }, 2, { 100 } },
   { { "v", "y" }, 2, { 300, 301 } },
   { { "v", "x", "w", "y" }, 4, { 200, 100, 300, 301 } },
   { { "v", "y", "w" }, 3, { 300, 301, 100 } },
};

static void
check_captured(struct rules *r)
{
   static const char vertex[] =
      "out vec4 v[8]; out float w; out float x; out vec2 y;\n"
      "void main() { float i = float(gl_VertexID) * 1000.0;\n"
      "   for (int k = 0; k < 8; k++) v[k] = vec4(0.0, 1.0, 2.0, 3.0) + float(k) * 4.0 + i;\n"
      "   w = 100.0 + i; x = 200.0 + i; y = vec2(300.0, 301.0) + i;\n"
      "   gl_Position = vec4(0.0); gl_PointSize = 1.0; }";
   const struct order *order = &orders[rules_between(r, 0, COUNT(orders) - 1)];
   GLuint program = es3_program_capture(
      r, vertex, rules_pick(r, readers),
      &(struct es3_capture){ order->names, order->count, GL_INTERLEAVED_ATTRIBS });
   int behind = 0;
   while (behind < 4 && order->components[behind])
      behind++;
   const int each = 4 * VECTORS + behind;
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
   glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, (GLsizeiptr)(VERTICES * each * sizeof(float)), NULL,
                GL_STREAM_READ);
   glBeginTransformFeedback(GL_POINTS);
   glDrawArrays(GL_POINTS, 0, VERTICES);
   glEndTransformFeedback();
   const float *have =
      glMapBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0,
                       (GLsizeiptr)(VERTICES * each * sizeof(float)), GL_MAP_READ_BIT);
   for (int i = 0; i < VERTICES * each; i++) {
      const int k = i % each;
      const float wanted =
         (float)(i / each * 1000 + (k < 4 * VECTORS ? k : order->components[k - 4 * VECTORS]));
      if (have[i] != wanted)
         rules_fail(r, "number %d of vertex %d is %g, not %g", k, i / each, have[i], wanted);
   }
   glUnmapBuffer(GL_TRANSFORM_FEEDBACK_BUFFER);
   glDeleteBuffers(1, &buffer);
   glDeleteProgram(program);
}

/* ------------------------------------------------------------------ section 4.3.3 */

static const struct integers {
   GLenum format;
   int bits;
} integer_formats[] = { { GL_RGBA8I, 8 }, { GL_RGBA16I, 16 }, { GL_RGBA32I, 32 } };

/* Into the middle of `to`, so that it is drawn and not copied; values that both formats have. */
static void
check_integers(struct rules *r)
{
   const struct integers *from = &integer_formats[rules_between(r, 0, 2)],
                         *to = &integer_formats[rules_between(r, 0, 2)];
   const int bits = from->bits < to->bits ? from->bits : to->bits;
   const GLint least = (GLint)(0u - (1u << (bits - 1)));
   const GLint values[4] = { least, -1 - (GLint)rules_between(r, 0, 100), ~least,
                             (GLint)rules_between(r, 0, 100) };
   struct es3_target source = es3_target_create(from->format, SIZE_PX, SIZE_PX),
                     target = es3_target_create(to->format, SIZE_PX, SIZE_PX);
   es3_target_bind(&source);
   glClearBufferiv(GL_COLOR, 0, values);
   es3_target_bind(&target);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, source.framebuffer);
   glBlitFramebuffer(0, 0, SIZE_PX, SIZE_PX, SIZE_PX, SIZE_PX, 0, 0, GL_COLOR_BUFFER_BIT,
                     GL_NEAREST);
   GLint have[4 * SIZE_PX * SIZE_PX];
   glBindFramebuffer(GL_READ_FRAMEBUFFER, target.framebuffer);
   glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_RGBA_INTEGER, GL_INT, have);
   rules_hash(r, have, sizeof(have));
   for (int i = 0; i < 4 * SIZE_PX * SIZE_PX; i++) {
      if (have[i] != values[i % 4])
         rules_fail(r, "%d of %d bits becomes %d of %d", values[i % 4], from->bits, have[i],
                    to->bits);
   }
   es3_target_delete(&source);
   es3_target_delete(&target);
}

void
es3_probed(struct rules *r)
{
   static void (*const topics[])(struct rules * r) = { check_names, check_captured,
                                                       check_integers };

   struct es3_target target = es3_target_create(GL_RGBA8, SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      es3_target_bind(&target);
      topics[r->n % COUNT(topics)](r);
   }
   es3_target_delete(&target);
}
