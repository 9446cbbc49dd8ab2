/* SPDX-License-Identifier: MIT
 *
 * As many texture units at once as there are, 2D textures and cube maps in any order: each pixel of
 * the target adds up what all of them give, with weights.
 */
#include "texture_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_UNITS = 32, SIZE_PX = 8 };

struct unit {
   bool cube;
   int face;
   GLuint texture;
   float weight;
   double (*texel)[4];
};

static const char vertex_source[] =
   "attribute vec4 position; attribute highp vec2 coordinate; varying highp vec2 v;\n"
   "void main() { gl_Position = position; v = coordinate; }\n";

static void
create_unit(struct rules *r, struct unit *u, int number, int count)
{
   struct ref_level level;
   GLuint at = (GLuint)number;
   *u = (struct unit){ .cube = rules_chance(r, 50), .face = rules_between(r, 0, 5),
                       .weight = rules_float(r, 0, 1) / (float)count };
   const GLenum target = u->cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
   glActiveTexture(GL_TEXTURE0 + at);
   glGenTextures(1, &u->texture);
   glBindTexture(target, u->texture);
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   for (int face = 0; face < (u->cube ? 6 : 1); face++) {
      uint8_t *bytes = random_level(r, &image_formats[0], &level, SIZE_PX, SIZE_PX, 1);
      glTexImage2D(u->cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face : GL_TEXTURE_2D, 0,
                   GL_RGBA, SIZE_PX, SIZE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
      free(bytes);
      if (!u->cube || face == u->face)
         u->texel = level.texel;
      else
         free(level.texel);
   }
}

/* The program's sampler i is unit order[i]. */
static GLuint
create_program(const struct unit *units, const int *order, int count)
{
   static const char *const direction[6] = { "1.0, -c.y, -c.x", "-1.0, -c.y, c.x", "c.x, 1.0, c.y",
                                             "c.x, -1.0, -c.y", "c.x, -c.y, 1.0",  "-c.x, -c.y, -1.0" };
   char source[8000], *at = source, *end = source + sizeof(source);
   at += snprintf(at, (size_t)(end - at), "precision highp float; varying vec2 v;\n");
   for (int i = 0; i < count; i++)
      at += snprintf(at, (size_t)(end - at), "uniform %s t%d; uniform float w%d;\n",
                     units[order[i]].cube ? "samplerCube" : "sampler2D", i, i);
   at += snprintf(at, (size_t)(end - at),
                  "void main() {\n   vec2 c = v * 2.0 - 1.0; vec4 sum = vec4(0.0);\n");
   for (int i = 0; i < count; i++) {
      const struct unit *u = &units[order[i]];
      if (u->cube)
         at += snprintf(at, (size_t)(end - at), "   sum += w%d * textureCube(t%d, vec3(%s));\n", i,
                        i, direction[u->face]);
      else
         at += snprintf(at, (size_t)(end - at), "   sum += w%d * texture2D(t%d, v);\n", i, i);
   }
   snprintf(at, (size_t)(end - at), "   gl_FragColor = sum;\n}\n");
   const GLuint program = program_link(vertex_source, source);
   for (int i = 0; i < count; i++) {
      char name[16];
      snprintf(name, sizeof(name), "t%d", i);
      glUniform1i(glGetUniformLocation(program, name), order[i]);
      snprintf(name, sizeof(name), "w%d", i);
      glUniform1f(glGetUniformLocation(program, name), units[order[i]].weight);
   }
   return program;
}

void
tex_units(struct rules *r)
{
   struct tex_canvas canvas = tex_canvas_create(SIZE_PX, SIZE_PX);
   GLint most;
   glGetIntegerv(GL_MAX_TEXTURE_IMAGE_UNITS, &most);
   most = most < MOST_UNITS ? most : MOST_UNITS;
   while (rules_next(r)) {
      struct unit units[MOST_UNITS];
      double sum[SIZE_PX * SIZE_PX][4] = { { 0 } };
      int order[MOST_UNITS];
      const int count = r->n ? rules_between(r, 1, most) : most;
      const struct affine one = { .c = 1 };
      const struct affine coordinate[4] = { { .dx = 1.0 / SIZE_PX }, { .dy = 1.0 / SIZE_PX } };
      for (int i = 0; i < count; i++) {
         create_unit(r, &units[i], i, count);
         const int j = rules_between(r, 0, i);
         order[i] = order[j], order[j] = i;
         for (int p = 0; p < 4 * SIZE_PX * SIZE_PX; p++)
            sum[p / 4][p % 4] += (double)units[i].weight * units[i].texel[p / 4][p % 4];
      }
      const GLuint program = create_program(units, order, count);
      draw_lookup(coordinate, &one, SIZE_PX, SIZE_PX);
      expect_texels(r, SIZE_PX, SIZE_PX, sum, 0.52, "the sum of all units");
      glDeleteProgram(program);
      for (int i = 0; i < count; i++) {
         glDeleteTextures(1, &units[i].texture);
         free(units[i].texel);
      }
   }
   glActiveTexture(GL_TEXTURE0);
   tex_canvas_delete(&canvas);
}
