/* SPDX-License-Identifier: MIT
 *
 * Vertex arrays: every type, size and stride, buffers and the application's own memory, constant
 * attributes, indices of each type, instances. Each vertex is a point of its own pixel; a component
 * of an attribute is shown there with 16 bits, in red and green.
 */
#include "texture_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH_PX = 32, HEIGHT_PX = 8, VALUES = 4, MOST_VERTICES = WIDTH_PX };

enum { POSITION = VALUES, SHIFT, ATTRIBUTES };

static const char vertex_source[] =
   "attribute highp vec4 a0, a1, a2, a3; attribute highp vec2 position, shift;\n"
   "uniform highp vec4 s0, s1, s2, s3; uniform highp vec2 scale;\n"
   "varying highp float v;\n"
   "void main() {\n"
   "   v = floor((dot(a0, s0) + dot(a1, s1) + dot(a2, s2) + dot(a3, s3)) * scale.x + scale.y + 0.5);\n"
   "   gl_Position = vec4((position + shift + 0.5) / vec2(16.0, 4.0) - 1.0, 0.0, 1.0);\n"
   "   gl_PointSize = 1.0;\n"
   "}\n";
static const char fragment_source[] =
   "precision highp float; varying highp float v;\n"
   "void main() {\n"
   "   float high = floor((v + 0.5) / 256.0);\n"
   "   gl_FragColor = vec4(high / 255.0, (v - high * 256.0) / 255.0, 0.0, 1.0);\n"
   "}\n";

/* ---------------------------------------------------------------------------------------- types */

struct component_type {
   GLenum type;
   int size_B;
   bool integer; /* may be normalised */
   double least, most;
   const char *extension;
};

static const struct component_type types[] = {
   { GL_BYTE, 1, true, -128, 127, NULL },
   { GL_UNSIGNED_BYTE, 1, true, 0, 255, NULL },
   { GL_SHORT, 2, true, -32768, 32767, NULL },
   { GL_UNSIGNED_SHORT, 2, true, 0, 65535, NULL },
   { GL_FIXED, 4, false, -1, 1, NULL },
   { GL_FLOAT, 4, false, -1, 1, NULL },
   { GL_HALF_FLOAT_OES, 2, false, -1, 1, "GL_OES_vertex_half_float" },
};
enum { TYPES = sizeof(types) / sizeof(types[0]) };

/* Writes a random value of the type; boundary values often. Returns it. */
static double
random_component(struct rules *r, const struct component_type *t, uint8_t *bytes)
{
   if (t->integer) {
      const int value = rules_chance(r, 20) ? (int)t->least
                        : rules_chance(r, 20) ? (int)t->most
                                              : rules_between(r, (int)t->least, (int)t->most);
      memcpy(bytes, &value, (size_t)t->size_B); /* little endian, as the project */
      return value;
   }
   if (t->type == GL_FLOAT) {
      const float value = rules_float(r, -1, 1);
      memcpy(bytes, &value, sizeof(value));
      return value;
   }
   if (t->type == GL_FIXED) {
      const int32_t value = rules_between(r, -65536, 65536);
      memcpy(bytes, &value, sizeof(value));
      return value / 65536.0;
   }
   const uint16_t half = (uint16_t)(rules_below(r, 0x3c01) | rules_below(r, 2) << 15);
   memcpy(bytes, &half, sizeof(half));
   return half_to_double(half);
}

/* --------------------------------------------------------------------------------------- arrays */

/* An attribute: an array, or a constant. */
struct attribute {
   const struct component_type *type;
   bool enabled, normalised;
   int size, stride_B, first_B, divisor;
   GLuint buffer; /* 0: the application's memory */
   uint8_t *memory;
   size_t memory_B;
   double value[MOST_VERTICES][4]; /* before normalisation */
};

struct state {
   struct attribute attribute[ATTRIBUTES];
   GLuint program;
   int vertices, instances; /* instances 0: not instanced */
};

static void
set_pointer(const struct rules *r, const struct attribute *a, GLuint index)
{
   const uint8_t *base = a->buffer ? NULL : a->memory;
   glBindBuffer(GL_ARRAY_BUFFER, a->buffer);
   glVertexAttribPointer(index, a->size, a->type->type, a->normalised, a->stride_B,
                         base + a->first_B);
   glEnableVertexAttribArray(index);
   GLint stride_B;
   glGetVertexAttribiv(index, GL_VERTEX_ATTRIB_ARRAY_STRIDE, &stride_B);
   if (stride_B != a->stride_B)
      rules_fail(r, "a stride of %d is said to be %d", a->stride_B, stride_B);
   if (has_extension("GL_EXT_instanced_arrays"))
      gl_ext()->VertexAttribDivisorEXT(index, (GLuint)a->divisor);
}

/* Its own memory, of the size that its last element needs; elements do not overlap. */
static void
create_array(struct rules *r, struct attribute *a, int elements)
{
   static const int wide_B[] = { 32768, 65535, 65536, 100000 };
   const int element_B = a->size * a->type->size_B;
   a->first_B = rules_chance(r, 50) ? 0 : rules_between(r, 1, 37);
   const int more_B = rules_chance(r, 40)   ? 0
                      : rules_chance(r, 90) ? rules_between(r, 0, 13)
                                            : 1900;
   a->stride_B = more_B || rules_chance(r, 50) ? element_B + more_B : 0;
   if (rules_chance(r, 50)) { /* as most applications have it: aligned to the component */
      a->first_B = a->first_B / 4 * 4;
      a->stride_B = a->stride_B / 4 * 4 < element_B ? 0 : a->stride_B / 4 * 4;
   }
   if (rules_chance(r, 2)) /* there is no limit before OpenGL 4.4 */
      a->stride_B = rules_pick(r, wide_B);
   const int step_B = a->stride_B ? a->stride_B : element_B;
   a->memory_B = (size_t)(a->first_B + (elements - 1) * step_B + element_B);
   a->memory = malloc(a->memory_B);
   memset(a->memory, 0x7b, a->memory_B);
   for (int i = 0; i < elements; i++)
      for (int c = 0; c < a->size; c++)
         a->value[i][c] =
            random_component(r, a->type, a->memory + a->first_B + i * step_B + c * a->type->size_B);
}

static void
upload_array(struct rules *r, struct attribute *a)
{
   if (rules_chance(r, 30))
      return; /* stays the application's */
   glGenBuffers(1, &a->buffer);
   glBindBuffer(GL_ARRAY_BUFFER, a->buffer);
   glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)a->memory_B, a->memory, GL_STATIC_DRAW);
}

static void
set_constant(struct rules *r, struct attribute *a, GLuint index)
{
   static void (*const by_size[4])(GLuint,
                                   const GLfloat *) = { glVertexAttrib1fv, glVertexAttrib2fv,
                                                        glVertexAttrib3fv, glVertexAttrib4fv };
   float value[4];
   for (int c = 0; c < 4; c++)
      value[c] = rules_float(r, -1, 1);
   for (int i = 0; i < MOST_VERTICES; i++)
      for (int c = 0; c < a->size; c++)
         a->value[i][c] = value[c];
   glDisableVertexAttribArray(index);
   by_size[a->size - 1](index, value);
}

static void
create_values(struct rules *r, struct state *s)
{
   for (GLuint i = 0; i < VALUES; i++) {
      struct attribute *a = &s->attribute[i];
      a->type = &types[(unsigned)(r->n + (int)i) % TYPES];
      if (a->type->extension && !has_extension(a->type->extension))
         a->type = &types[0];
      a->size = rules_between(r, 1, 4);
      a->normalised = rules_chance(r, 50);
      a->enabled = rules_chance(r, 85);
      if (s->instances && rules_chance(r, 50))
         a->divisor = rules_between(r, 1, 3);
      for (int n = 0; n < MOST_VERTICES; n++) /* what a lookup adds to the size: section 2.8 */
         memcpy(a->value[n], (const double[4]){ 0, 0, 0, 1 }, sizeof(a->value[n]));
      if (a->enabled) {
         create_array(r, a, a->divisor ? (s->instances - 1) / a->divisor + 1 : s->vertices);
         upload_array(r, a);
         set_pointer(r, a, i);
      } else {
         a->type = &types[5];
         a->normalised = false;
         set_constant(r, a, i);
      }
   }
}

/* The pixel of each vertex: its number; of each instance: one row higher. */
static void
create_positions(struct state *s)
{
   static float position[MOST_VERTICES][2], shift[HEIGHT_PX][2];
   for (int i = 0; i < MOST_VERTICES; i++)
      position[i][0] = (float)i;
   for (int i = 0; i < HEIGHT_PX; i++)
      shift[i][1] = (float)i;
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glVertexAttribPointer(POSITION, 2, GL_FLOAT, GL_FALSE, 0, position);
   glEnableVertexAttribArray(POSITION);
   glVertexAttrib2f(SHIFT, 0, 0);
   glDisableVertexAttribArray(SHIFT);
   if (s->instances) {
      glVertexAttribPointer(SHIFT, 2, GL_FLOAT, GL_FALSE, 0, shift);
      glEnableVertexAttribArray(SHIFT);
      gl_ext()->VertexAttribDivisorEXT(SHIFT, 1);
      gl_ext()->VertexAttribDivisorEXT(POSITION, 0);
   }
}

/* ---------------------------------------------------------------------------------------- draws */

/* Draws some vertices; drawn[i] says which. */
static void
draw_some(struct rules *r, const struct state *s, bool drawn[MOST_VERTICES])
{
   static const GLenum index_types[] = { GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT, GL_UNSIGNED_INT };
   const int first = rules_between(r, 0, s->vertices - 1);
   const int count = rules_between(r, 1, s->vertices - first);
   const int type = has_extension("GL_OES_element_index_uint") ? rules_between(r, -1, 2) : rules_between(r, -1, 1);
   uint8_t indices[4 * (MOST_VERTICES + 9)];
   memset(drawn, 0, MOST_VERTICES * sizeof(*drawn));
   if (type < 0) {
      for (int i = 0; i < count; i++)
         drawn[first + i] = true;
      if (s->instances)
         gl_ext()->DrawArraysInstancedEXT(GL_POINTS, first, count, s->instances);
      else
         glDrawArrays(GL_POINTS, first, count);
      return;
   }
   const int index_B = 1 << type, skip = rules_between(r, 0, 9);
   memset(indices, 0xee, sizeof(indices));
   for (int i = 0; i < count; i++) {
      const uint32_t index = rules_below(r, (uint32_t)s->vertices);
      memcpy(indices + index_B * (skip + i), &index, (size_t)index_B);
      drawn[index] = true;
   }
   const bool in_buffer = rules_chance(r, 60);
   GLuint buffer = 0;
   if (in_buffer) {
      glGenBuffers(1, &buffer);
      glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
      glBufferData(GL_ELEMENT_ARRAY_BUFFER, index_B * (skip + count), indices, GL_STATIC_DRAW);
   }
   const uint8_t *at = (in_buffer ? NULL : indices) + index_B * skip;
   if (s->instances)
      gl_ext()->DrawElementsInstancedEXT(GL_POINTS, count, index_types[type], at, s->instances);
   else
      glDrawElements(GL_POINTS, count, index_types[type], at);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
   glDeleteBuffers(1, &buffer);
}

/* The interval of what a component may be after normalisation: section 2.1.2 of ES 2.0 has for
 * signed integers (2 c + 1) / (2^b - 1); later versions have c / (2^(b-1) - 1), at least -1. */
static void
component_bounds(const struct attribute *a, int component, int element, double *low, double *high)
{
   const double value = a->value[element][component];
   *low = *high = value;
   if (!a->normalised || !a->type->integer || component >= a->size)
      return;
   const double steps = a->type->most - a->type->least;
   if (a->type->least == 0) {
      *low = *high = value / steps;
      return;
   }
   const double old = (2 * value + 1) / steps, new = fmax(value / a->type->most, -1);
   *low = fmin(old, new), *high = fmax(old, new);
}

static void
expect_component(struct rules *r, const struct state *s, int attribute, int component)
{
   const struct attribute *a = &s->attribute[attribute];
   bool drawn[MOST_VERTICES];
   char name[3] = { 's', '0', 0 };
   const bool whole = a->type->integer && !a->normalised && component < a->size;
   const double scale = whole ? 1 : 32767, bias = whole ? (a->type->least < 0 ? 32768 : 0) : 32768;
   for (int i = 0; i < VALUES; i++) {
      float selector[4] = { 0, 0, 0, 0 };
      selector[component] = i == attribute;
      name[1] = (char)('0' + i);
      glUniform4fv(glGetUniformLocation(s->program, name), 1, selector);
   }
   glUniform2f(glGetUniformLocation(s->program, "scale"), (float)scale, (float)bias);
   glClear(GL_COLOR_BUFFER_BIT);
   draw_some(r, s, drawn);

   uint8_t *pixels = rules_read(r, WIDTH_PX, HEIGHT_PX);
   for (int i = 0; i < WIDTH_PX * HEIGHT_PX; i++) {
      const int vertex = i % WIDTH_PX, instance = i / WIDTH_PX;
      const uint8_t *p = pixels + 4 * i;
      const bool covered =
         vertex < s->vertices && drawn[vertex] && instance < (s->instances ? s->instances : 1);
      if ((p[3] == 255) != covered)
         rules_fail(r, "vertex %d of instance %d is%s drawn", vertex, instance,
                    covered ? " not" : "");
      if (!covered)
         continue;
      double low, high;
      component_bounds(a, component, a->divisor ? instance / a->divisor : vertex, &low, &high);
      const double have = p[0] * 256 + p[1];
      if (have < low * scale + bias - 1.01 || have > high * scale + bias + 1.01)
         rules_fail(r,
                    "attribute %d: type %x, size %d, %s, stride %d, first %d, %s, divisor %d: component %d of vertex %d, "
                    "instance %d is %f, not %f..%f",
                    attribute, a->type->type, a->size, a->normalised ? "normalised" : "as it is",
                    a->stride_B, a->first_B,
                    !a->enabled ? "constant"
                    : a->buffer ? "buffer"
                                : "memory",
                    a->divisor, component, vertex, instance, (have - bias) / scale, low, high);
   }
   free(pixels);
}

void
buffer_vertex_arrays(struct rules *r)
{
   struct tex_canvas canvas = tex_canvas_create(WIDTH_PX, HEIGHT_PX);
   GLuint program = program_link_attributes(
      vertex_source, fragment_source,
      (const char *const[]){ "a0", "a1", "a2", "a3", "position", "shift", NULL });
   const bool instances =
      has_extension("GL_EXT_instanced_arrays") && has_extension("GL_EXT_draw_instanced");
   while (rules_next(r)) {
      static struct state s;
      s = (struct state){ .program = program, .vertices = rules_between(r, 1, MOST_VERTICES) };
      if (instances && rules_chance(r, 40))
         s.instances = rules_between(r, 1, HEIGHT_PX);
      create_positions(&s);
      create_values(r, &s);
      for (int i = 0; i < 6; i++)
         expect_component(r, &s, rules_between(r, 0, VALUES - 1), rules_between(r, 0, 3));
      for (GLuint i = 0; i < ATTRIBUTES; i++) {
         glDisableVertexAttribArray(i);
         if (instances)
            gl_ext()->VertexAttribDivisorEXT(i, 0);
         if (s.attribute[i].buffer)
            glDeleteBuffers(1, &s.attribute[i].buffer);
         free(s.attribute[i].memory);
      }
   }
   tex_canvas_delete(&canvas);
}
