/* SPDX-License-Identifier: MIT
 *
 * Vertices in OpenGL ES 3.0: formats of attributes, instances, numbers of vertices, primitive
 * restart, transform feedback.
 */
#include "es3.h"

#include <stdint.h>

enum { CELLS = 100, ROW = CELLS + 1, STRIP_INDICES = 2 * ROW + 1 };
enum { INSTANCES = 20000, MESH_VERTICES = 300, VALUES_B = 60000 * 16 };
enum { CAPTURED = 60000, VERTEX_B = 7 * 4, CAPTURED_B = CAPTURED * VERTEX_B };

/* Triangles of `size` pixels, whose attribute `value` has the format `attribute`. */
static const char *
set_attribute(const struct feature *feature, const struct scene *scene)
{
   set_es3_primitives(feature, scene);
   make_es3_buffer(GL_ARRAY_BUFFER, scene->image, VALUES_B);
   set_es3_attribute(feature);
   return NULL;
}

static void
draw_instances(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   glDrawArraysInstanced(feature->mode, 0, 3, INSTANCES);
}

/* The same triangles, as meshes of MESH_VERTICES. */
static void
draw_meshes(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   glDrawArraysInstanced(feature->mode, 0, MESH_VERTICES, INSTANCES * 3 / MESH_VERTICES);
}

/* Vertices of a grid of CELLS x CELLS cells, and an index list of a strip for each row of them,
 * between the strips the index of primitive restart; of the type `image.type`. */
static const char *
set_strips(const struct feature *feature, const struct scene *scene)
{
   static GLfloat places[ROW * ROW][2];
   static uint32_t words[CELLS * STRIP_INDICES];
   static uint16_t halves[CELLS * STRIP_INDICES];
   const bool wide = feature->image.type == GL_UNSIGNED_INT;
   for (int i = 0; i < ROW * ROW; i++) {
      places[i][0] = (GLfloat)(i % ROW) * (2.0f / CELLS) - 1.0f;
      places[i][1] = (GLfloat)(i / ROW) * (2.0f / CELLS) - 1.0f;
   }
   for (int i = 0; i < CELLS * STRIP_INDICES; i++) {
      const int row = i / STRIP_INDICES, at = i % STRIP_INDICES;
      words[i] = at == STRIP_INDICES - 1 ? UINT32_MAX : (uint32_t)((row + at % 2) * ROW + at / 2);
      halves[i] = (uint16_t)words[i];
   }
   set_es3_quad(feature, scene);
   make_es3_buffer(GL_ARRAY_BUFFER, places, sizeof places);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   make_es3_buffer(GL_ELEMENT_ARRAY_BUFFER, wide ? (const void *)words : halves,
                   wide ? sizeof words : sizeof halves);
   glEnable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
   return NULL;
}

static void
draw_strips(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   glDrawElements(feature->mode, CELLS * STRIP_INDICES, feature->image.type, NULL);
}

/* Capture two outputs of points, interleaved, or, with a `size` of 2, into a buffer each. */
static const char *
set_feedback(const struct feature *feature, const struct scene *scene)
{
   static const char *const names[2] = { "at", "moved" };
   const GLuint program = es3_program(feature);
   make_es3_buffer(GL_ARRAY_BUFFER, scene->image, CAPTURED_B);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glTransformFeedbackVaryings(program, 2, names,
                               feature->size == 2 ? GL_SEPARATE_ATTRIBS : GL_INTERLEAVED_ATTRIBS);
   glLinkProgram(program);
   glUseProgram(program);
   for (GLuint i = 0; i < (GLuint)feature->size; i++) {
      const GLuint buffer = make_es3_buffer(GL_TRANSFORM_FEEDBACK_BUFFER, NULL, CAPTURED_B);
      glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, i, buffer);
   }
   return NULL;
}

static void
draw_captured(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   glBeginTransformFeedback(feature->mode);
   glDrawArrays(feature->mode, 0, CAPTURED);
   glEndTransformFeedback();
}

static void
draw_paused(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   glBeginTransformFeedback(feature->mode);
   for (int i = 0; i < 10; i++) {
      glDrawArrays(feature->mode, i * 3000, 3000);
      glPauseTransformFeedback();
      glDrawArrays(feature->mode, i * 3000, 3000);
      glResumeTransformFeedback();
   }
   glEndTransformFeedback();
}

static void
draw_counted(const struct feature *feature, const struct scene *scene)
{
   GLuint query, primitives;
   glGenQueries(1, &query);
   glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
   draw_captured(feature, scene);
   glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &primitives);
   glDeleteQueries(1, &query);
}

/* Particles: what a draw captures is what the next one reads. The buffers have room for either. */
static void
draw_particles(const struct feature *feature, const struct scene *scene)
{
   GLint from, to;
   glGetVertexAttribiv(0, GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, &from);
   glGetIntegeri_v(GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, 0, &to);
   draw_captured(feature, scene);
   glBindBuffer(GL_ARRAY_BUFFER, (GLuint)to);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, VERTEX_B, NULL);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, (GLuint)from);
}

#define PASS(type_, text_)                                                                         \
   ES3_VERTEX "layout(location = 1) in " type_ " value; out vec3 at;\n"                            \
              "void main() { " text_ " gl_PointSize = 1.0; }"
#define SHOWN ES3_HEAD "out vec4 colour; void main() { colour = vec4(at, 0.5); }"
#define FEEDBACK_VERTEX                                                                            \
   ES3_VERTEX "out vec3 at; out vec4 moved;\n"                                                     \
              "void main() { at = vec3(position, 0.5); moved = vec4(position * 0.99, at.zy);\n"    \
              "   gl_Position = vec4(position * 2.0 - 1.0, 0.2, 1.0); gl_PointSize = 1.0; }"

#define ATTRIBUTE(name_, type_, text_, ...)                                                        \
   {                                                                                               \
      .name = "ES3 attributes: " name_, .set_up = set_attribute, .draw = draw_primitives,          \
      .vertex = PASS(type_, "gl_Position = vec4(position, 0.2, 1.0); at = " text_ ";"),            \
      .fragment = SHOWN, .mode = GL_TRIANGLES, .size = 1, .attribute = {                           \
         __VA_ARGS__                                                                               \
      }                                                                                            \
   }
#define FLOATS(name_, ...) ATTRIBUTE(name_, "vec4", "value.xyz + value.w", __VA_ARGS__)
#define SIGNED(name_, ...) ATTRIBUTE(name_, "ivec4", "vec3(value.xyz & value.w)", __VA_ARGS__)
#define NATURAL(name_, ...) ATTRIBUTE(name_, "uvec4", "vec3(value.xyz & value.w)", __VA_ARGS__)

#define INSTANCES_OF(name_, type_, text_, draw_, size_, ...)                                       \
   {                                                                                               \
      .name = "ES3 instances: " name_, .set_up = set_attribute, .draw = draw_,                     \
      .vertex = PASS(type_, "at = vec3(value);\n" text_), .fragment = SHOWN, .mode = GL_TRIANGLES, \
      .size = size_, .image = { .type = GL_FLOAT }, .attribute = {                                 \
         __VA_ARGS__                                                                               \
      }                                                                                            \
   }
#define MOVED "gl_Position = vec4(position * 0.01 + value.xy * 2.0 - 1.0, 0.2, 1.0);"

#define STRIPS(name_, mode_, type_)                                                                \
   {                                                                                               \
      .name = "ES3 restart: " name_, .set_up = set_strips, .draw = draw_strips, .mode = mode_,     \
      .fragment = SHOWN, .image = {                                                                \
         .type = type_                                                                             \
      }                                                                                            \
   }

#define FEEDBACK(name_, mode_, draw_, size_, ...)                                                  \
   {                                                                                               \
      .name = "ES3 feedback: " name_, .set_up = set_feedback, .draw = draw_, .mode = mode_,        \
      .size = size_, .vertex = FEEDBACK_VERTEX, .fragment = SHOWN, .image = { .type = GL_FLOAT },  \
      __VA_ARGS__                                                                                  \
   }
#define DISCARDED .enable = { GL_RASTERIZER_DISCARD }

static const struct feature vertices[] = {
   FLOATS("4 floats", 4, GL_FLOAT),
   FLOATS("3 floats", 3, GL_FLOAT),
   FLOATS("4 halves", 4, GL_HALF_FLOAT),
   FLOATS("2 halves", 2, GL_HALF_FLOAT),
   FLOATS("4 fixed", 4, GL_FIXED),
   FLOATS("4 bytes, normalised", 4, GL_BYTE, ATTRIBUTE_NORMALISED),
   FLOATS("4 natural bytes, normalised", 4, GL_UNSIGNED_BYTE, ATTRIBUTE_NORMALISED),
   FLOATS("4 shorts, normalised", 4, GL_SHORT, ATTRIBUTE_NORMALISED),
   FLOATS("2 natural shorts, normalised", 2, GL_UNSIGNED_SHORT, ATTRIBUTE_NORMALISED),
   FLOATS("4 shorts", 4, GL_SHORT),
   FLOATS("4 words, normalised", 4, GL_INT, ATTRIBUTE_NORMALISED),
   FLOATS("2 10 10 10, normalised", 4, GL_INT_2_10_10_10_REV, ATTRIBUTE_NORMALISED),
   FLOATS("natural 2 10 10 10, normalised", 4, GL_UNSIGNED_INT_2_10_10_10_REV,
          ATTRIBUTE_NORMALISED),
   FLOATS("2 10 10 10", 4, GL_INT_2_10_10_10_REV),
   SIGNED("4 bytes as integers", 4, GL_BYTE, ATTRIBUTE_INTEGER),
   NATURAL("4 natural bytes as integers", 4, GL_UNSIGNED_BYTE, ATTRIBUTE_INTEGER),
   SIGNED("4 shorts as integers", 4, GL_SHORT, ATTRIBUTE_INTEGER),
   NATURAL("2 natural shorts as integers", 2, GL_UNSIGNED_SHORT, ATTRIBUTE_INTEGER),
   SIGNED("4 words as integers", 4, GL_INT, ATTRIBUTE_INTEGER),

   INSTANCES_OF("20000 triangles, divisor 1", "vec4", MOVED, draw_instances, 4, 4, GL_FLOAT,
                ATTRIBUTE_FLOAT, 1),
   INSTANCES_OF("20000 triangles, divisor 3", "vec4", MOVED, draw_instances, 4, 4, GL_FLOAT,
                ATTRIBUTE_FLOAT, 3),
   INSTANCES_OF("20000 triangles, gl_InstanceID", "vec4",
                "int i = gl_InstanceID; vec2 p = vec2(i % 200, i / 200) * 0.01 - 1.0;\n"
                "gl_Position = vec4(p + position * 0.01, 0.2, 1.0);",
                draw_instances, 4, 4, GL_FLOAT, ATTRIBUTE_FLOAT, 1),
   INSTANCES_OF("200 meshes, divisor 1", "vec4", MOVED, draw_meshes, 4, 4, GL_FLOAT,
                ATTRIBUTE_FLOAT, 1),
   INSTANCES_OF("200 meshes, divisor 4", "vec4", MOVED, draw_meshes, 4, 4, GL_FLOAT,
                ATTRIBUTE_FLOAT, 4),
   INSTANCES_OF("20000 triangles, gl_VertexID", "vec4",
                "int i = gl_VertexID / 3, c = gl_VertexID % 3;\n"
                "vec2 p = vec2(i % 200, i / 200) * 0.01 - 1.0;\n"
                "gl_Position = vec4(p + vec2(c == 1, c == 2) * 0.01 + value.xy * 0.001, 0.2, 1.0);",
                draw_primitives, 4, 4, GL_FLOAT),

   STRIPS("strips, indices of 16 bits", GL_TRIANGLE_STRIP, GL_UNSIGNED_SHORT),
   STRIPS("strips, indices of 32 bits", GL_TRIANGLE_STRIP, GL_UNSIGNED_INT),
   STRIPS("fans, indices of 16 bits", GL_TRIANGLE_FAN, GL_UNSIGNED_SHORT),
   STRIPS("lines, indices of 16 bits", GL_LINE_STRIP, GL_UNSIGNED_SHORT),

   FEEDBACK("interleaved", GL_POINTS, draw_captured, 1, DISCARDED),
   FEEDBACK("two buffers", GL_POINTS, draw_captured, 2, DISCARDED),
   FEEDBACK("triangles", GL_TRIANGLES, draw_captured, 1, DISCARDED),
   FEEDBACK("drawn points, too", GL_POINTS, draw_captured, 1, ),
   FEEDBACK("paused ten times", GL_POINTS, draw_paused, 1, DISCARDED),
   FEEDBACK("counted", GL_POINTS, draw_counted, 1, DISCARDED),
   FEEDBACK("particles", GL_POINTS, draw_particles, 1, DISCARDED),
};

const struct feature_list features_of_es3_vertices = ES3_LIST(vertices);
