/* SPDX-License-Identifier: MIT
 *
 * Transform feedback (OpenGL ES 3.0, section 2.15): outputs of all types, interleaved and separate,
 * in parts of buffers, with pauses, queries, instances and draws between; and what it refuses.
 */
#include "es3_errors.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OUTPUTS = 6, BUFFER_B = 1 << 16, GUARD = 0xa5, SIZE_PX = 16 };

static const struct output_type {
   const char *name;
   int columns, rows;
   char kind; /* f, i or u */
} output_types[] = {
   { "float", 1, 1, 'f' }, { "vec2", 1, 2, 'f' },   { "vec3", 1, 3, 'f' },  { "vec4", 1, 4, 'f' },
   { "int", 1, 1, 'i' },   { "ivec2", 1, 2, 'i' },  { "ivec3", 1, 3, 'i' }, { "ivec4", 1, 4, 'i' },
   { "uint", 1, 1, 'u' },  { "uvec2", 1, 2, 'u' },  { "uvec3", 1, 3, 'u' }, { "uvec4", 1, 4, 'u' },
   { "mat2", 2, 2, 'f' },  { "mat3x2", 3, 2, 'f' }, { "mat4", 4, 4, 'f' },  { "mat2x4", 2, 4, 'f' },
};

struct output {
   const struct output_type *type;
   int length; /* of an array; 0: none */
   int words;
   char name[8];
};

struct feedback {
   struct output outputs[MOST_OUTPUTS];
   int count, words; /* of a vertex */
   bool separate;
   GLenum mode;
   int vertices, instances, first; /* of a draw */
   int draws, paused;              /* the draw that is made in a pause; < 0: none */
   GLuint buffers[4];
   int offset_B, size_B; /* of each binding */
   GLuint program;
};

/* The word that component k of output o has in a vertex: whole numbers below 2^24, as a float those
 * are exact, as bits of integers they may be anything. */
static uint32_t
wanted_word(const struct output *o, int output, int k, int vertex, int instance)
{
   const uint32_t number = (uint32_t)(vertex * 131 + instance * 7919 + output * 17 + k);
   return o->type->kind == 'f' ? es3_bits((float)number) : number * 0x9e3779b1u;
}

static void
add_value(const struct text *t, const struct output *o, int output, int first)
{
   add(*t, "%s(", o->type->name);
   for (int k = 0; k < o->type->columns * o->type->rows; k++) {
      add(*t, k ? ", " : "");
      if (o->type->kind == 'f')
         add(*t, "n + %d.0", output * 17 + first + k);
      else
         add(*t, "%s((uint(i) + %du) * 0x9e3779b1u)", o->type->kind == 'i' ? "int" : "uint",
             output * 17 + first + k);
   }
   add(*t, ")");
}

static char *
feedback_vertex(const struct feedback *f)
{
   struct text t;
   text_begin(&t);
   for (int o = 0; o < f->count; o++) {
      add(t, "flat out %s %s", f->outputs[o].type->name, f->outputs[o].name);
      if (f->outputs[o].length)
         add(t, "[%d]", f->outputs[o].length);
      add(t, ";\n");
   }
   add(t,
       "void main() {\n   int i = gl_VertexID * 131 + gl_InstanceID * 7919; float n = float(i);\n"
       "   gl_PointSize = 1.0; gl_Position = vec4(0.5, 0.5, 0.0, 1.0);\n");
   for (int o = 0; o < f->count; o++) {
      const struct output *output = &f->outputs[o];
      const int words = output->type->columns * output->type->rows;
      for (int e = 0; e < (output->length ? output->length : 1); e++) {
         add(t, "   %s", output->name);
         if (output->length)
            add(t, "[%d]", e);
         add(t, " = ");
         add_value(&t, output, o, e * words);
         add(t, ";\n");
      }
   }
   add(t, "}\n");
   return text_end(&t);
}

/* At most four outputs of at most four components each if separate, 64 components otherwise. */
static void
choose_outputs(struct rules *r, struct feedback *f)
{
   f->separate = r->n % 2;
   const int most = rules_between(r, 1, f->separate ? 4 : MOST_OUTPUTS);
   for (int o = 0; o < most; o++) {
      struct output *output = &f->outputs[f->count];
      output->type = &rules_pick(r, output_types);
      output->length = rules_chance(r, 25) ? rules_between(r, 1, 3) : 0;
      output->words =
         output->type->columns * output->type->rows * (output->length ? output->length : 1);
      if ((f->separate && output->words > 4) || f->words + output->words > 64)
         continue;
      snprintf(output->name, sizeof(output->name), "v%d", f->count++);
      f->words += output->words;
   }
   if (f->count)
      return;
   f->outputs[0] = (struct output){ &output_types[3], 0, 4, "v0" };
   f->count = 1, f->words = 4;
}

static void
choose_draws(struct rules *r, struct feedback *f)
{
   static const GLenum modes[] = { GL_POINTS, GL_LINES, GL_TRIANGLES };
   const int size = 1 + r->n / 2 % 3; /* of a primitive */
   f->mode = modes[r->n / 2 % 3];
   f->draws = rules_between(r, 1, 3);
   f->paused = rules_chance(r, 40) ? rules_between(r, 0, f->draws - 1) : -1;
   f->vertices = size * rules_between(r, 1, 20) + rules_between(r, 0, size - 1);
   f->instances = rules_chance(r, 40) ? rules_between(r, 1, 3) : 1;
   f->first = rules_between(r, 0, 50);
   f->offset_B = 4 * rules_between(r, 0, 30);
}

/* Vertices of whole primitives that are captured. */
static int
captured(const struct feedback *f)
{
   const int size = f->mode == GL_POINTS ? 1 : f->mode == GL_LINES ? 2 : 3;
   const int draws = f->draws - (f->paused >= 0);
   return f->vertices / size * size * f->instances * draws;
}

static void
bind_buffers(struct feedback *f)
{
   uint8_t *guard = malloc(BUFFER_B);
   memset(guard, GUARD, BUFFER_B);
   glGenBuffers(4, f->buffers);
   for (int i = 0; i < (f->separate ? f->count : 1); i++) {
      const int words = f->separate ? f->outputs[i].words : f->words;
      f->size_B = captured(f) * words * 4; /* just enough */
      glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, f->buffers[i]);
      glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, BUFFER_B * 4, NULL, GL_STREAM_READ);
      for (int k = 0; k < 4; k++)
         glBufferSubData(GL_TRANSFORM_FEEDBACK_BUFFER, k * BUFFER_B, BUFFER_B, guard);
      if (captured(f))
         glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, (GLuint)i, f->buffers[i], f->offset_B,
                           f->size_B);
      else
         glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, (GLuint)i, f->buffers[i]);
   }
   free(guard);
   no_error("binding buffers of feedback");
}

static GLuint
run_feedback(struct feedback *f, bool discard)
{
   GLuint query, written;
   glGenQueries(1, &query);
   if (discard)
      glEnable(GL_RASTERIZER_DISCARD);
   glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
   glBeginTransformFeedback(f->mode);
   for (int d = 0; d < f->draws; d++) {
      if (d == f->paused)
         glPauseTransformFeedback();
      if (f->instances > 1)
         glDrawArraysInstanced(f->mode, f->first, f->vertices, f->instances);
      else
         glDrawArrays(f->mode, f->first, f->vertices);
      if (d == f->paused)
         glResumeTransformFeedback();
   }
   glEndTransformFeedback();
   glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
   glDisable(GL_RASTERIZER_DISCARD);
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &written);
   glDeleteQueries(1, &query);
   no_error("after feedback");
   return written;
}

static void
expect_words(const struct rules *r, const struct feedback *f, int buffer, const uint32_t *have)
{
   const int size = f->mode == GL_POINTS ? 1 : f->mode == GL_LINES ? 2 : 3;
   const int whole = f->vertices / size * size, total = captured(f);
   const int from = f->separate ? buffer : 0, to = f->separate ? buffer + 1 : f->count;
   for (int v = 0, word = 0; v < total; v++) {
      const int instance = v / whole % f->instances, vertex = f->first + v % whole;
      for (int o = from; o < to; o++) {
         for (int k = 0; k < f->outputs[o].words; k++, word++) {
            const uint32_t wanted = wanted_word(&f->outputs[o], o, k, vertex, instance);
            if (have[word] != wanted)
               rules_fail(r, "buffer %d, captured vertex %d, word %d of %s %s: 0x%08x, not 0x%08x",
                          buffer, v, k, f->outputs[o].type->name, f->outputs[o].name, have[word],
                          wanted);
         }
      }
   }
}

static void
expect_buffers(struct rules *r, const struct feedback *f)
{
   for (int i = 0; i < (f->separate ? f->count : 1); i++) {
      const int words = f->separate ? f->outputs[i].words : f->words;
      const int begin_B = captured(f) ? f->offset_B : 0, end_B = begin_B + captured(f) * words * 4;
      glBindBuffer(GL_COPY_READ_BUFFER, f->buffers[i]);
      const uint8_t *bytes =
         glMapBufferRange(GL_COPY_READ_BUFFER, 0, 4 * BUFFER_B, GL_MAP_READ_BIT);
      rules_hash(r, bytes, (size_t)end_B + 64);
      expect_words(r, f, i, (const uint32_t *)(bytes + begin_B));
      for (int b = 0; b < 4 * BUFFER_B; b++) {
         if ((b < begin_B || b >= end_B) && bytes[b] != GUARD)
            rules_fail(r, "buffer %d: byte %d, outside of [%d, %d), was written", i, b, begin_B,
                       end_B);
      }
      glUnmapBuffer(GL_COPY_READ_BUFFER);
   }
}

/* The first output as an attribute of points: each finds its place by its own value. */
static void
draw_captured(struct rules *r, const struct feedback *f, const struct es3_target *target)
{
   const struct output *o = &f->outputs[0];
   const int total = captured(f) < SIZE_PX * SIZE_PX ? captured(f) : SIZE_PX * SIZE_PX;
   char vertex[500];
   snprintf(vertex, sizeof(vertex),
            "in %s a; flat out uvec4 v;\n"
            "void main() { v = uvec4(%s, 0, 0, 1); gl_PointSize = 1.0;\n"
            "   vec2 p = vec2(gl_VertexID %% 16, gl_VertexID / 16);\n"
            "   gl_Position = vec4((p * 2.0 + 1.0) / 16.0 - 1.0, 0.0, 1.0); }\n",
            o->type->kind == 'f'   ? "float"
            : o->type->kind == 'i' ? "int"
                                   : "uint",
            o->type->kind == 'f' ? "floatBitsToUint(a)" : "uint(a)");
   GLuint program = es3_program(r, vertex,
                                "flat in uvec4 v; out uvec4 result;\n"
                                "void main() { result = v; }");
   const int stride_B = 4 * (f->separate ? o->words : f->words);
   glBindBuffer(GL_ARRAY_BUFFER, f->buffers[0]);
   glEnableVertexAttribArray(0);
   if (o->type->kind == 'f')
      glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, stride_B, (void *)(uintptr_t)f->offset_B);
   else
      glVertexAttribIPointer(0, 1, o->type->kind == 'i' ? GL_INT : GL_UNSIGNED_INT, stride_B,
                             (void *)(uintptr_t)f->offset_B);
   es3_target_bind(target);
   glDrawArrays(GL_POINTS, 0, total);
   glDisableVertexAttribArray(0);
   uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
   const int size = f->mode == GL_POINTS ? 1 : f->mode == GL_LINES ? 2 : 3;
   for (int v = 0, whole = f->vertices / size * size; v < total; v++) {
      const uint32_t wanted = wanted_word(o, 0, 0, f->first + v % whole, v / whole % f->instances);
      if (have[4 * v] != wanted)
         rules_fail(r, "drawn from the captured: vertex %d is 0x%08x, not 0x%08x", v, have[4 * v],
                    wanted);
   }
   free(have);
   glDeleteProgram(program);
}

void
es3_feedback(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      struct feedback f = { 0 };
      const char *names[MOST_OUTPUTS];
      choose_outputs(r, &f);
      choose_draws(r, &f);
      for (int o = 0; o < f.count; o++)
         names[o] = f.outputs[o].name;
      char *vertex = feedback_vertex(&f);
      f.program = es3_program_capture(
         r, vertex, es3_fragment_none,
         &(struct es3_capture){ names, f.count,
                                f.separate ? GL_SEPARATE_ATTRIBS : GL_INTERLEAVED_ATTRIBS });
      bind_buffers(&f);
      const int size = f.mode == GL_POINTS ? 1 : f.mode == GL_LINES ? 2 : 3;
      const GLuint written = run_feedback(&f, rules_chance(r, 60));
      if ((int)written * size != captured(&f))
         rules_fail(r, "the query counts %u primitives, not %d", written, captured(&f) / size);
      expect_buffers(r, &f);
      if (captured(&f))
         draw_captured(r, &f, &target);
      free(vertex);
      glDeleteProgram(f.program);
      glDeleteBuffers(4, f.buffers);
   }
   es3_target_delete(&target);
}

/* --------------------------------------------------------------------------------------- errors */

/* More than the buffer holds: the draw is refused and captures nothing (section 2.15.2). */
static void
refuse_overflow(struct rules *r, GLuint buffer)
{
   static const uint32_t zeros[8];
   glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffer);
   glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, sizeof(zeros), zeros, GL_STREAM_READ);
   glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer, 0, 16); /* four vertices of a word */
   GIVES(GL_NO_ERROR, glBeginTransformFeedback(GL_POINTS));
   GIVES(GL_INVALID_OPERATION, glDrawArrays(GL_POINTS, 0, 5));
   GIVES(GL_INVALID_OPERATION, glDrawArraysInstanced(GL_POINTS, 0, 2, 3));
   GIVES(GL_NO_ERROR, glDrawArrays(GL_POINTS, 10, 3));
   GIVES(GL_INVALID_OPERATION, glDrawArrays(GL_POINTS, 0, 2));
   GIVES(GL_NO_ERROR, glDrawArrays(GL_POINTS, 13, 1));
   GIVES(GL_INVALID_OPERATION, glDrawArrays(GL_POINTS, 0, 1));
   GIVES(GL_NO_ERROR, glEndTransformFeedback());
   const uint32_t *have =
      glMapBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, sizeof(zeros), GL_MAP_READ_BIT);
   for (uint32_t i = 0; i < 8; i++) {
      if (have[i] != (i < 4 ? 10 + i : 0))
         rules_fail(r, "word %u is %u after draws that do not fit", i, have[i]);
   }
   glUnmapBuffer(GL_TRANSFORM_FEEDBACK_BUFFER);
}

/* What is drawn must be what is captured (section 2.15.2). Strips, loops and fans are taken for
 * lines and triangles, as OpenGL ES 3.2 has it. */
static void
refuse_modes(const struct rules *r)
{
   static const GLenum captured[] = { GL_POINTS, GL_LINES, GL_TRIANGLES };
   for (uint32_t i = 0; i < 3; i++) {
      glBeginTransformFeedback(captured[i]);
      for (GLenum drawn = GL_POINTS; drawn <= GL_TRIANGLE_FAN; drawn++) {
         const uint32_t kind = drawn >= GL_TRIANGLES ? 2 : drawn >= GL_LINES ? 1 : 0;
         glDrawArrays(drawn, 0, 3);
         expect_error(r, kind == i ? GL_NO_ERROR : GL_INVALID_OPERATION,
                      "a draw of another mode than is captured");
      }
      glEndTransformFeedback();
   }
}

/* Names of OpenGL 4.0 that are none of OpenGL ES: no output is called so. */
static void
refuse_names(const struct rules *r, GLuint program)
{
   static const char *const names[] = { "gl_SkipComponents1", "gl_NextBuffer" };
   for (uint32_t i = 0; i < 2; i++) {
      GLint linked;
      glTransformFeedbackVaryings(program, 1, &names[i], GL_INTERLEAVED_ATTRIBS);
      expect_error(r, GL_NO_ERROR, names[i]);
      glLinkProgram(program);
      glGetProgramiv(program, GL_LINK_STATUS, &linked);
      if (linked)
         rules_fail(r, "%s is captured", names[i]);
   }
}

void
es3_feedback_errors(struct rules *r)
{
   static const char *const names[] = { "v" };
   struct es3_target target = es3_target_create(GL_RGBA8, 1, 1);
   while (rules_next(r)) {
      GLuint buffer, other, object;
      other = es3_program(r, es3_vertex_whole, es3_fragment_none);
      es3_program_capture(r,
                          "flat out int v; void main() { v = gl_VertexID;\n"
                          "gl_PointSize = 1.0; gl_Position = vec4(0.0, 0.0, 0.0, 1.0); }",
                          es3_fragment_none,
                          &(struct es3_capture){ names, 1, GL_INTERLEAVED_ATTRIBS });
      glGenBuffers(1, &buffer);
      GIVES(GL_INVALID_OPERATION, glBeginTransformFeedback(GL_POINTS)); /* no buffer */
      refuse_overflow(r, buffer);
      GIVES(GL_INVALID_ENUM, glBeginTransformFeedback(GL_TRIANGLE_STRIP));
      GIVES(GL_INVALID_OPERATION, glEndTransformFeedback());
      GIVES(GL_INVALID_OPERATION, glPauseTransformFeedback());
      GIVES(GL_INVALID_OPERATION, glResumeTransformFeedback());
      GIVES(GL_NO_ERROR, glBeginTransformFeedback(GL_POINTS));
      GIVES(GL_INVALID_OPERATION, glBeginTransformFeedback(GL_POINTS));
      GIVES(GL_INVALID_OPERATION, glDrawArrays(GL_TRIANGLES, 0, 3));
      GIVES(GL_INVALID_OPERATION, glDrawElements(GL_POINTS, 1, GL_UNSIGNED_BYTE, "\0"));
      GIVES(GL_INVALID_OPERATION, glUseProgram(other));
      GIVES(GL_INVALID_OPERATION, glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer));
      glGenTransformFeedbacks(1, &object);
      GIVES(GL_INVALID_OPERATION, glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, object));
      GIVES(GL_NO_ERROR, glPauseTransformFeedback());
      GIVES(GL_INVALID_OPERATION, glPauseTransformFeedback());
      GIVES(GL_NO_ERROR, glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, object));
      GIVES(GL_NO_ERROR, glBindTransformFeedback(GL_TRANSFORM_FEEDBACK, 0));
      GIVES(GL_NO_ERROR, glDrawElements(GL_POINTS, 1, GL_UNSIGNED_BYTE, "\0"));
      GIVES(GL_NO_ERROR, glResumeTransformFeedback());
      GIVES(GL_NO_ERROR, glEndTransformFeedback());
      glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, 4096, NULL, GL_STREAM_READ);
      glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
      refuse_modes(r);
      refuse_names(r, other);
      GIVES(GL_INVALID_VALUE, glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer, 2, 16));
      GIVES(GL_INVALID_VALUE, glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer, 0, 0));
      GIVES(GL_INVALID_VALUE, glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 4, buffer));
      glDeleteTransformFeedbacks(1, &object);
      glDeleteBuffers(1, &buffer);
      glDeleteProgram(other);
   }
   es3_target_delete(&target);
}
