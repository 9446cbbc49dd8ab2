/* SPDX-License-Identifier: MIT
 *
 * Geometry shaders (OpenGL 3.2, section 2.12), seen through feedback: which vertices a primitive of
 * each kind has, in which order (section 2.6.1, table 2.4), its number, restarts and instances; and
 * which primitives the emitted vertices make.
 */
#include "gl33_rules.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_INDICES = 64, MOST_INSTANCES = 3, HEAD = 2, WORDS = HEAD + 6 };

static const uint32_t restart_index = 1000;

/* ------------------------------------------------------------------------------------- inputs */

static const struct kind {
   GLenum mode;
   const char *layout;
   int vertices; /* of a primitive */
   int turn;     /* the order of triangles may begin at any corner: every so many vertices */
} kinds[] = {
   { GL_POINTS, "points", 1, 0 },
   { GL_LINES, "lines", 2, 0 },
   { GL_LINE_LOOP, "lines", 2, 0 },
   { GL_LINE_STRIP, "lines", 2, 0 },
   { GL_TRIANGLES, "triangles", 3, 1 },
   { GL_TRIANGLE_STRIP, "triangles", 3, 1 },
   { GL_TRIANGLE_FAN, "triangles", 3, 1 },
   { GL_LINES_ADJACENCY, "lines_adjacency", 4, 0 },
   { GL_LINE_STRIP_ADJACENCY, "lines_adjacency", 4, 0 },
   { GL_TRIANGLES_ADJACENCY, "triangles_adjacency", 6, 2 },
   { GL_TRIANGLE_STRIP_ADJACENCY, "triangles_adjacency", 6, 2 },
};

/* Triangle number i of `count` in a strip with adjacency: table 2.4, whose numbers begin at 1. */
static void
strip_with_adjacency(int i, int count, int at[6])
{
   const int k = i + 1, even = k % 2 == 0;
   const bool first = k == 1, last = k == count;
   const int next = last ? 2 * k + 4 : 2 * k + 5, side = 2 * k + 2;
   at[0] = 2 * k - 1 + 2 * even, at[2] = 2 * k + 1 - 2 * even, at[4] = 2 * k + 3;
   at[1] = first ? 2 : 2 * k - 3;
   at[3] = even ? side : next;
   at[5] = even ? next : side;
   for (int n = 0; n < 6; n++)
      at[n]--;
}

/* The vertices of primitive i, by their places in a piece of `count`. False: there is none. */
static bool
primitive_of(const struct kind *kind, int count, int i, int at[6])
{
   const int apart = kind->vertices, n = count < 6 ? 0 : (count - 4) / 2;
   switch (kind->mode) {
   case GL_LINE_LOOP:
      at[0] = i, at[1] = i + 1 < count ? i + 1 : 0;
      return count > 1 && i < count;
   case GL_TRIANGLE_STRIP:
      at[0] = i + i % 2, at[1] = i + 1 - i % 2, at[2] = i + 2;
      return i + 2 < count;
   case GL_TRIANGLE_FAN:
      at[0] = 0, at[1] = i + 1, at[2] = i + 2;
      return i + 2 < count;
   case GL_TRIANGLE_STRIP_ADJACENCY:
      if (i < n)
         strip_with_adjacency(i, n, at);
      return i < n;
   case GL_LINE_STRIP:
   case GL_LINE_STRIP_ADJACENCY:
      for (int k = 0; k < apart; k++)
         at[k] = i + k;
      return i + apart <= count;
   default:
      for (int k = 0; k < apart; k++)
         at[k] = apart * i + k;
      return apart * (i + 1) <= count;
   }
}

struct input_draw {
   const struct kind *kind;
   bool indexed;
   int count, instances;
   uint32_t indices[MOST_INDICES]; /* or the numbers of vertices, of draws without */
};

static void
random_input_draw(struct rules *r, struct input_draw *d)
{
   *d = (struct input_draw){ .kind = &kinds[(size_t)r->n % COUNT(kinds)] };
   d->indexed = rules_chance(r, 60);
   d->count = rules_chance(r, 20) ? rules_between(r, 0, 8) : rules_between(r, 0, MOST_INDICES);
   d->instances = rules_between(r, 1, MOST_INSTANCES);
   const uint32_t first = rules_below(r, 100), restarts = rules_below(r, 15);
   for (int i = 0; i < d->count; i++)
      d->indices[i] = !d->indexed                 ? first + (uint32_t)i
                      : rules_chance(r, restarts) ? restart_index
                                                  : rules_below(r, 900);
}

static void
draw_inputs(const struct input_draw *d)
{
   void (*restart)(GLuint) = (void (*)(GLuint))eglGetProcAddress("glPrimitiveRestartIndex");
   enum { PRIMITIVE_RESTART = 0x8F9D };
   restart(restart_index);
   glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(d->indices), d->indices, GL_STREAM_DRAW);
   glEnable(PRIMITIVE_RESTART);
   if (d->indexed)
      glDrawElementsInstanced(d->kind->mode, d->count, GL_UNSIGNED_INT, NULL, d->instances);
   else
      glDrawArraysInstanced(d->kind->mode, (GLint)d->indices[0], d->count, d->instances);
   glDisable(PRIMITIVE_RESTART);
}

static GLuint
inputs_program(const struct rules *r, const struct kind *kind)
{
   static const char *const captured[] = { "head", "first", "second", NULL };
   char geometry[900];
   snprintf(geometry, sizeof(geometry),
            "layout(%s) in; layout(points, max_vertices = 1) out;\n"
            "in uint number[]; in uint instance[];\n"
            "out uvec2 head; out uvec3 first; out uvec3 second;\n"
            "void main() {\n"
            "   uint n[6] = uint[6](0u, 0u, 0u, 0u, 0u, 0u);\n"
            "   for (int i = 0; i < number.length(); i++)\n"
            "      n[i] = instance[i] == instance[0] ? number[i] + uint(gl_in[i].gl_Position.x)\n"
            "                                        : 7777u;\n"
            "   head = uvec2(gl_PrimitiveIDIn, instance[0]);\n"
            "   first = uvec3(n[0], n[1], n[2]); second = uvec3(n[3], n[4], n[5]);\n"
            "   EmitVertex(); }",
            kind->layout);
   return gl33_program(r, &(struct gl33_stages){ .vertex =
                                                    "out uint number; out uint instance;\n"
                                                    "void main() { number = uint(gl_VertexID);\n"
                                                    "   instance = uint(gl_InstanceID);\n"
                                                    "   gl_Position = vec4(gl_VertexID); }",
                                                 .geometry = geometry,
                                                 .captured = captured });
}

/* Whether the primitive has these vertices; triangles may begin at any corner. */
static bool
is_same(const struct kind *kind, const uint32_t *have, const uint32_t *wanted)
{
   const int n = kind->vertices;
   for (int turn = 0; turn < (kind->turn ? n : 1); turn += kind->turn ? kind->turn : 1) {
      int same = 0;
      for (int i = 0; i < n; i++)
         same += have[i] == 2 * wanted[(i + turn) % n];
      if (same == n)
         return true;
   }
   return false;
}

/* Compares the primitives of an instance, of which `have` has `left`; returns how many there are.
 */
static int
expect_instance(const struct rules *r, const struct input_draw *d, int instance,
                const uint32_t (*have)[WORDS], int left)
{
   int number = 0;
   for (int begin = 0, end; begin < d->count; begin = end + 1) {
      int at[6];
      for (end = begin; end < d->count && d->indices[end] != restart_index; end++)
         ;
      for (int i = 0; primitive_of(d->kind, end - begin, i, at); i++, number++) {
         uint32_t wanted[6];
         for (int k = 0; k < d->kind->vertices; k++)
            wanted[k] = d->indices[begin + at[k]];
         if (number >= left || have[number][0] != (uint32_t)number ||
             have[number][1] != (uint32_t)instance ||
             !is_same(d->kind, have[number] + HEAD, wanted))
            rules_fail(
               r, "mode %u, %d vertices, %sindexed: primitive %d of instance %d is not as wanted",
               d->kind->mode, d->count, d->indexed ? "" : "not ", number, instance);
      }
   }
   return number;
}

static GLuint
feedback_buffer(size_t size_B)
{
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
   glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, (GLsizeiptr)size_B, NULL, GL_STREAM_READ);
   return buffer;
}

void
gl33_inputs(struct rules *r)
{
   enum { MOST_PRIMITIVES = MOST_INDICES * MOST_INSTANCES };
   struct es3_target target = es3_target_create(GL_RGBA8, 1, 1); /* nothing is drawn to it */
   GLuint programs[COUNT(kinds)], indices, query, written;
   const GLuint buffer = feedback_buffer(4 * WORDS * MOST_PRIMITIVES);
   glGenBuffers(1, &indices);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices);
   glGenQueries(1, &query);
   for (size_t i = 0; i < COUNT(kinds); i++)
      programs[i] = inputs_program(r, &kinds[i]);
   while (rules_next(r)) {
      struct input_draw d;
      int number = 0;
      random_input_draw(r, &d);
      glUseProgram(programs[d.kind - kinds]);
      glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
      gl33_begin_capture();
      draw_inputs(&d);
      gl33_end_capture();
      glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
      no_error("drawing with a geometry shader");
      glGetQueryObjectuiv(query, GL_QUERY_RESULT, &written);
      const void *map = glMapBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0,
                                         4 * WORDS * MOST_PRIMITIVES, GL_MAP_READ_BIT);
      const uint32_t(*have)[WORDS] = map;
      for (int i = 0; i < d.instances; i++)
         number += expect_instance(r, &d, i, have + number, (int)written - number);
      if (number != (int)written)
         rules_fail(r, "mode %u: %u primitives, not %d", d.kind->mode, written, number);
      rules_hash(r, have, 4 * WORDS * written);
      glUnmapBuffer(GL_TRANSFORM_FEEDBACK_BUFFER);
   }
   for (size_t i = 0; i < COUNT(kinds); i++)
      glDeleteProgram(programs[i]);
   glDeleteQueries(1, &query);
   glDeleteBuffers(2, (const GLuint[]){ buffer, indices });
   es3_target_delete(&target);
}

/* ------------------------------------------------------------------------------------ outputs */

enum { MOST_POINTS = 70, MOST_EMITTED = 256, MOST_COMPONENTS = 1024 };

static const struct output_kind {
   const char *layout;
   GLenum mode;
   int vertices;
} output_kinds[] = {
   { "points", GL_POINTS, 1 },
   { "line_strip", GL_LINES, 2 },
   { "triangle_strip", GL_TRIANGLES, 3 },
};

struct emission {
   const struct output_kind *kind;
   uint32_t seed;
   int most, words; /* vertices of an invocation, of words each */
   int points;
};

/* Numbers that look random: what an invocation emits, ends, and gives its vertices. */
static uint32_t
step(uint32_t x)
{
   return x * 1664525u + 1013904223u;
}

static GLuint
outputs_program(const struct rules *r, const struct emission *e)
{
   static const char *const captured[] = { "v", NULL };
   char geometry[900];
   snprintf(geometry, sizeof(geometry),
            "layout(points) in; layout(%s, max_vertices = %d) out;\n"
            "in uint number[]; out uint v[%d];\n"
            "void main() {\n"
            "   uint x = %uu ^ (number[0] * 2654435761u);\n"
            "   uint n = (x >> 8) %% %uu;\n"
            "   for (uint i = 0u; i < n; i++) {\n"
            "      x = x * 1664525u + 1013904223u;\n"
            "      for (uint k = 0u; k < %du; k++) v[k] = x + k;\n"
            "      EmitVertex();\n"
            "      if ((x >> 16) %% 5u == 0u) EndPrimitive();\n"
            "      if ((x >> 16) %% 10u == 0u) EndPrimitive(); } }",
            e->kind->layout, e->most, e->words, e->seed, (unsigned)e->most + 1, e->words);
   return gl33_program(r, &(struct gl33_stages){ .vertex =
                                                    "out uint number;\n"
                                                    "void main() { number = uint(gl_VertexID); }",
                                                 .geometry = geometry,
                                                 .captured = captured });
}

/* Vertices of the current strip; returns the new end of what is fed back: a list of primitives. */
static uint32_t *
add_vertex(const struct output_kind *kind, uint32_t strip[3], int *length, uint32_t x,
           uint32_t *end)
{
   const int n = kind->vertices;
   if (*length >= n) /* the last vertex takes the place of the one that leaves */
      strip[n == 3 && *length % 2 == 0] = strip[n - 1];
   strip[*length < n ? *length : n - 1] = x;
   if (++*length < n)
      return end;
   memcpy(end, strip, (size_t)n * sizeof(*end));
   return end + n;
}

/* What the draw feeds back, a word of each vertex; returns how many vertices. */
static int
emulate(const struct emission *e, uint32_t *list)
{
   uint32_t *end = list;
   for (int point = 0; point < e->points; point++) {
      uint32_t x = e->seed ^ ((uint32_t)point * 2654435761u), strip[3];
      const uint32_t n = (x >> 8) % (uint32_t)(e->most + 1);
      int length = 0;
      for (uint32_t i = 0; i < n; i++) {
         x = step(x);
         end = add_vertex(e->kind, strip, &length, x, end);
         if ((x >> 16) % 5 == 0 || e->kind->vertices == 1)
            length = 0;
      }
   }
   return (int)(end - list);
}

/* Whether a primitive of `vertices`, each of `words`, is that of these numbers. */
static bool
is_emitted(const struct emission *e, const uint32_t *have, const uint32_t *wanted)
{
   const int n = e->kind->vertices;
   for (int turn = 0; turn < (n == 3 ? 3 : 1); turn++) {
      int same = 0;
      for (int i = 0; i < n; i++) {
         for (int k = 0; k < e->words; k++)
            same += have[i * e->words + k] == wanted[(i + turn) % n] + (uint32_t)k;
      }
      if (same == n * e->words)
         return true;
   }
   return false;
}

static void
random_emission(struct rules *r, struct emission *e)
{
   e->kind = &output_kinds[(size_t)r->n % COUNT(output_kinds)];
   e->seed = rules_below(r, 1u << 31);
   e->words = rules_chance(r, 50) ? rules_between(r, 1, 8) : rules_between(r, 1, 60);
   const int most = MOST_COMPONENTS / (e->words + 4); /* a position counts, too */
   e->most = rules_between(r, 1, most < MOST_EMITTED ? most : MOST_EMITTED);
   if (rules_chance(r, 20))
      e->most = most < MOST_EMITTED ? most : MOST_EMITTED;
   e->points = rules_between(r, 1, MOST_POINTS);
}

static void
draw_emission(const struct emission *e, GLuint queries[2])
{
   glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, queries[0]);
   glBeginQuery(GL_PRIMITIVES_GENERATED, queries[1]);
   glEnable(GL_RASTERIZER_DISCARD);
   glBeginTransformFeedback(e->kind->mode);
   glDrawArrays(GL_POINTS, 0, e->points);
   gl33_end_capture();
   glEndQuery(GL_PRIMITIVES_GENERATED);
   glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
   no_error("emitting");
}

void
gl33_outputs(struct rules *r)
{
   const size_t most = (size_t)MOST_POINTS * MOST_EMITTED * 3;
   const GLsizeiptr size_B = 4 * (GLsizeiptr)MOST_POINTS * MOST_COMPONENTS * 3;
   uint32_t *wanted = malloc(most * sizeof(*wanted));
   const GLuint buffer = feedback_buffer((size_t)size_B);
   struct es3_target target = es3_target_create(GL_RGBA8, 1, 1); /* nothing is drawn to it */
   GLuint queries[2];
   glGenQueries(2, queries);
   while (rules_next(r)) {
      struct emission e;
      GLuint counted[2];
      random_emission(r, &e);
      const GLuint program = outputs_program(r, &e);
      const int vertices = emulate(&e, wanted), n = e.kind->vertices;
      draw_emission(&e, queries);
      for (int i = 0; i < 2; i++)
         glGetQueryObjectuiv(queries[i], GL_QUERY_RESULT, &counted[i]);
      if ((int)counted[0] != vertices / n || counted[1] != counted[0])
         rules_fail(r, "%s of at most %d: %u primitives written, %u generated, not %d",
                    e.kind->layout, e.most, counted[0], counted[1], vertices / n);
      const uint32_t *have =
         glMapBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, size_B, GL_MAP_READ_BIT);
      for (int i = 0; i < vertices; i += n) {
         if (!is_emitted(&e, have + i * e.words, wanted + i))
            rules_fail(r, "%s of at most %d vertices of %d words, %d points: primitive %d of %d",
                       e.kind->layout, e.most, e.words, e.points, i / n, vertices / n);
      }
      rules_hash(r, have, 4 * (size_t)vertices * (size_t)e.words);
      glUnmapBuffer(GL_TRANSFORM_FEEDBACK_BUFFER);
      glDeleteProgram(program);
   }
   free(wanted);
   glDeleteQueries(2, queries);
   glDeleteBuffers(1, &buffer);
   es3_target_delete(&target);
}
