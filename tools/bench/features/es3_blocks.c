/* SPDX-License-Identifier: MIT
 *
 * Uniform blocks: read in several ways by a quad over the whole target; and other contents, or
 * another range, for each of a hundred small triangles.
 */
#include "es3.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK_B = 1024, BLOCKS = 12, CHANGES = 100, RANGE_B = 256, SMALL_VERTICES = 3 };

/* Bind `size` blocks, `values0` and so on, of BLOCK_B bytes each, to bindings from 0 on. */
static const char *
set_blocks(const struct feature *feature, const struct scene *scene)
{
   const GLuint buffer = make_es3_buffer(GL_UNIFORM_BUFFER, scene->image, BLOCK_B * BLOCKS);
   const GLuint program = es3_program(feature);
   char name[16];
   set_es3_quad(feature, scene);
   glUseProgram(program);
   for (GLint i = 0; i < feature->size; i++) {
      snprintf(name, sizeof name, "values%d", i);
      glUniformBlockBinding(program, glGetUniformBlockIndex(program, name), (GLuint)i);
      glBindBufferRange(GL_UNIFORM_BUFFER, (GLuint)i, buffer, i * BLOCK_B, BLOCK_B);
   }
   return NULL;
}

/* A block of RANGE_B bytes that changes between draws, in a buffer of CHANGES such. */
static const char *
set_ranges(const struct feature *feature, const struct scene *scene)
{
   const GLuint buffer = make_es3_buffer(GL_UNIFORM_BUFFER, scene->image, RANGE_B * CHANGES);
   set_es3_primitives(feature, scene);
   glBindBufferRange(GL_UNIFORM_BUFFER, 0, buffer, 0, RANGE_B);
   return NULL;
}

static void
draw_small(int place)
{
   glDrawArrays(GL_TRIANGLES, place * SMALL_VERTICES, SMALL_VERTICES);
}

static void
draw_ranges(const struct feature *feature, const struct scene *scene)
{
   GLint buffer;
   (void)feature, (void)scene;
   glGetIntegerv(GL_UNIFORM_BUFFER_BINDING, &buffer);
   for (int i = 0; i < CHANGES; i++) {
      glBindBufferRange(GL_UNIFORM_BUFFER, 0, (GLuint)buffer, i * RANGE_B, RANGE_B);
      draw_small(i);
   }
}

static void
draw_sub_data(const struct feature *feature, const struct scene *scene)
{
   (void)feature;
   for (int i = 0; i < CHANGES; i++) {
      glBufferSubData(GL_UNIFORM_BUFFER, 0, RANGE_B, (const GLubyte *)scene->image + i * RANGE_B);
      draw_small(i);
   }
}

static void
draw_renewed(const struct feature *feature, const struct scene *scene)
{
   (void)feature;
   for (int i = 0; i < CHANGES; i++) {
      glBufferData(GL_UNIFORM_BUFFER, RANGE_B, (const GLubyte *)scene->image + i * RANGE_B,
                   GL_STREAM_DRAW);
      draw_small(i);
   }
}

/* Map the range of a place with these bits, fill it, and draw from it. */
static void
draw_mapped(const struct scene *scene, int place, GLbitfield bits)
{
   void *at =
      glMapBufferRange(GL_UNIFORM_BUFFER, place * RANGE_B, RANGE_B, GL_MAP_WRITE_BIT | bits);
   memcpy(at, (const GLubyte *)scene->image + place * RANGE_B, RANGE_B);
   glUnmapBuffer(GL_UNIFORM_BUFFER);
   draw_small(place);
}

static void
draw_invalidated(const struct feature *feature, const struct scene *scene)
{
   (void)feature;
   for (int i = 0; i < CHANGES; i++)
      draw_mapped(scene, 0, GL_MAP_INVALIDATE_RANGE_BIT);
}

/* As applications stream: every draw has a range of its own, which no earlier draw reads. */
static void
draw_unsynchronised(const struct feature *feature, const struct scene *scene)
{
   GLint buffer;
   (void)feature;
   glGetIntegerv(GL_UNIFORM_BUFFER_BINDING, &buffer);
   for (int i = 0; i < CHANGES; i++) {
      glBindBufferRange(GL_UNIFORM_BUFFER, 0, (GLuint)buffer, i * RANGE_B, RANGE_B);
      draw_mapped(scene, i, GL_MAP_UNSYNCHRONIZED_BIT | GL_MAP_INVALIDATE_RANGE_BIT);
   }
}

/* Uniforms outside of blocks, for comparison. */
static void
draw_uniforms(const struct feature *feature, const struct scene *scene)
{
   GLint program;
   (void)feature;
   glGetIntegerv(GL_CURRENT_PROGRAM, &program);
   const GLint location = glGetUniformLocation((GLuint)program, "v");
   for (int i = 0; i < CHANGES; i++) {
      glUniform4fv(location, RANGE_B / 16, (const GLfloat *)scene->image + i * RANGE_B / 4);
      draw_small(i);
   }
}

#define BLOCK "layout(std140) uniform values0 { vec4 v[64]; };\n"

#define READ_OF(name_, blocks_, declared_, text_)                                                  \
   {                                                                                               \
      .name = "ES3 block: " name_, .set_up = set_blocks, .draw = draw_es3_quad, .size = blocks_,   \
      .image = { .type = GL_FLOAT },                                                               \
      .fragment = ES3_HEAD declared_ "out vec4 colour;\nvoid main() { " text_ " }"                 \
   }
#define READ(name_, text_) READ_OF(name_, 1, BLOCK, text_)

#define ONE(number_) "layout(std140) uniform values" #number_ " { vec4 v" #number_ "[64]; };\n"

#define CHANGED(name_, draw_)                                                                      \
   {                                                                                               \
      .name = "ES3 block changes: " name_, .set_up = set_ranges, .draw = draw_, .size = 4,         \
      .mode = GL_TRIANGLES, .image = { .type = GL_FLOAT },                                         \
      .fragment = ES3_HEAD "layout(std140) uniform values { vec4 v[16]; }; out vec4 colour;\n"     \
                           "void main() { colour = v[3] + v[9] * at.x; }"                          \
   }

static const struct feature blocks[] = {
   READ("constant places", "colour = v[3] * at.x + v[17] + v[60] * at.y;"),
   READ("sum of 64", "colour = vec4(0); for (int i = 0; i < 64; i++) colour += v[i] * at.x;"),
   READ("place of a varying", "colour = v[int(at.x * 63.0)];"),
   READ("4 places of varyings", "int i = int(at.x * 60.0);\n"
                                "colour = v[i] + v[i + 1] * v[i + 2] + v[int(at.y * 63.0)];"),
   READ("loop from a varying", "int i = int(at.x * 48.0); colour = vec4(0);\n"
                               "for (int j = 0; j < 16; j++) colour += v[i + j];"),
   READ_OF("matrices", 1, "layout(std140) uniform values0 { mat4 m[16]; };\n",
           "colour = m[3] * m[7] * vec4(at, 1);"),
   READ_OF("a matrix of a varying", 1, "layout(std140) uniform values0 { mat4 m[16]; };\n",
           "colour = m[int(at.x * 15.0)] * vec4(at, 1);"),
   READ_OF("structures of a varying", 1,
           "struct lamp { vec4 place; vec3 colour; float range; };\n"
           "layout(std140) uniform values0 { lamp lamps[16]; };\n",
           "lamp l = lamps[int(at.y * 15.0)];\n"
           "colour = vec4(l.colour * l.range, 1) * dot(l.place.xyz, at);"),
   READ_OF("16 lamps", 1,
           "struct lamp { vec4 place; vec3 colour; float range; };\n"
           "layout(std140) uniform values0 { lamp lamps[16]; };\n",
           "colour = vec4(0); for (int i = 0; i < 16; i++) { vec3 d = lamps[i].place.xyz - at;\n"
           "   colour.rgb += lamps[i].colour * max(0.0, 1.0 - dot(d, d) * lamps[i].range); }"),
   READ_OF("12 blocks", BLOCKS,
           ONE(0) ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(6) ONE(7) ONE(8) ONE(9) ONE(10) ONE(11),
           "colour = at.x * (v0[3] + v1[4] + v2[5] + v3[6] + v4[7] + v5[8])\n"
           "   + v6[9] + v7[10] + v8[11] + v9[12] + v10[13] + v11[14];"),

   CHANGED("another range", draw_ranges),
   CHANGED("glBufferSubData", draw_sub_data),
   CHANGED("glBufferData", draw_renewed),
   CHANGED("mapped, range invalidated", draw_invalidated),
   CHANGED("mapped, unsynchronised", draw_unsynchronised),
   { .name = "ES3 block changes: uniforms",
     .set_up = set_es3_primitives,
     .draw = draw_uniforms,
     .size = 4,
     .mode = GL_TRIANGLES,
     .image = { .type = GL_FLOAT },
     .fragment = ES3_HEAD "uniform vec4 v[16]; out vec4 colour;\n"
                          "void main() { colour = v[3] + v[9] * at.x; }" },
};

const struct feature_list features_of_es3_blocks = ES3_LIST(blocks);
