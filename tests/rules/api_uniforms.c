/* SPDX-License-Identifier: MIT
 *
 * Uniforms of random types, in arrays and structures, of either stage or both: what of them is
 * active, what values they take and give back, which calls are refused (section 2.10.4), and that
 * both stages see them.
 */
#include "api_rules.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 4, MOST_MEMBERS = 4, MOST_LENGTH = 3, MOST_LEAVES = 64, UNITS = 4 /* of each sampler type */ };
enum { MOST_VECTORS = 128, MOST_SAMPLERS = 8 /* what each stage has in OpenGL ES 2.0, or nearly so */ };

static const struct basic {
   GLenum type;
   const char *name;
   GLenum base;
   int rows, columns;
} basics[] = {
   { GL_FLOAT, "float", GL_FLOAT, 1, 1 },       { GL_FLOAT_VEC2, "vec2", GL_FLOAT, 2, 1 },
   { GL_FLOAT_VEC3, "vec3", GL_FLOAT, 3, 1 },   { GL_FLOAT_VEC4, "vec4", GL_FLOAT, 4, 1 },
   { GL_INT, "int", GL_INT, 1, 1 },             { GL_INT_VEC2, "ivec2", GL_INT, 2, 1 },
   { GL_INT_VEC3, "ivec3", GL_INT, 3, 1 },      { GL_INT_VEC4, "ivec4", GL_INT, 4, 1 },
   { GL_BOOL, "bool", GL_BOOL, 1, 1 },          { GL_BOOL_VEC2, "bvec2", GL_BOOL, 2, 1 },
   { GL_BOOL_VEC3, "bvec3", GL_BOOL, 3, 1 },    { GL_BOOL_VEC4, "bvec4", GL_BOOL, 4, 1 },
   { GL_FLOAT_MAT2, "mat2", GL_FLOAT, 2, 2 },   { GL_FLOAT_MAT3, "mat3", GL_FLOAT, 3, 3 },
   { GL_FLOAT_MAT4, "mat4", GL_FLOAT, 4, 4 },   { GL_SAMPLER_2D, "sampler2D", GL_SAMPLER_2D, 1, 1 },
   { GL_SAMPLER_CUBE, "samplerCube", GL_SAMPLER_2D, 1, 1 },
};

/* One active uniform. */
struct leaf {
   const struct basic *basic;
   char name[100];
   int length; /* 0: no array */
   unsigned stages;
   float value[MOST_LENGTH][16];
};

static int
components(const struct basic *basic)
{
   return basic->rows * basic->columns;
}

static int
elements(const struct leaf *leaf)
{
   return leaf->length ? leaf->length : 1;
}

static bool
is_sampler(const struct basic *basic)
{
   return basic->base == GL_SAMPLER_2D;
}

/* What the program's text is made of. */
struct world {
   struct leaf leaves[MOST_LEAVES];
   /* more leaves than there is room for are counted, and the world is dropped */
   int count, structures;
   FILE *types;       /* definitions of structures */
   FILE *uniforms[2]; /* declarations, of the vertex and of the fragment shader */
   char *types_text, *uniforms_text[2];
};

static void
add_leaf(struct world *w, const struct basic *basic, const char *name, int length, unsigned stages)
{
   if (w->count++ >= MOST_LEAVES)
      return;
   struct leaf *leaf = &w->leaves[w->count - 1];
   *leaf = (struct leaf){ .basic = basic, .length = length, .stages = stages };
   snprintf(leaf->name, sizeof(leaf->name), "%s", name);
}

/* A structure's members, in its definition; those of every one in `outer` are leaves. Members of
 * members come first, since their structures must be defined before. Returns the number in the
 * structure's name. */
static int
add_structure(struct rules *r, struct world *w, int depth, char (*outer)[100], int outer_count,
              unsigned stages)
{
   char *members_text;
   size_t size;
   FILE *members = open_memstream(&members_text, &size);
   const int count = rules_between(r, 1, MOST_MEMBERS);
   for (int m = 0; m < count; m++) {
      const int length = rules_chance(r, 35) ? rules_between(r, 1, MOST_LENGTH) : 0;
      if (depth < 2 && rules_chance(r, 25)) {
         const int inner_count = outer_count * (length ? length : 1);
         char(*inner)[100] = calloc((size_t)inner_count, sizeof(*inner));
         for (int i = 0; i < inner_count; i++) {
            const char *parent = outer[length ? i / length : i];
            const int k = length ? i % length : -1;
            if (k < 0)
               snprintf(inner[i], sizeof(*inner), "%.70s.m%d", parent, m);
            else
               snprintf(inner[i], sizeof(*inner), "%.70s.m%d[%d]", parent, m, k);
         }
         fprintf(members, "S%d m%d", add_structure(r, w, depth + 1, inner, inner_count, stages), m);
         free(inner);
      } else {
         const struct basic *basic = &rules_pick(r, basics);
         fprintf(members, "%s m%d", basic->name, m);
         for (int i = 0; i < outer_count; i++) {
            char name[100];
            snprintf(name, sizeof(name), "%.70s.m%d", outer[i], m);
            add_leaf(w, basic, name, length, stages);
         }
      }
      if (length)
         fprintf(members, "[%d]", length);
      fprintf(members, "; ");
   }
   fclose(members);
   fprintf(w->types, "struct S%d { %s};\n", w->structures, members_text);
   free(members_text);
   return w->structures++;
}

static void
add_uniform(struct rules *r, struct world *w, int number)
{
   const int length = rules_chance(r, 35) ? rules_between(r, 1, MOST_LENGTH) : 0;
   const unsigned stages = 1 + rules_below(r, 3);
   char type[16], array[8] = "", names[MOST_LENGTH][100];
   if (length)
      snprintf(array, sizeof(array), "[%d]", length);
   if (rules_chance(r, 40)) {
      for (int i = 0; i < (length ? length : 1); i++)
         length ? snprintf(names[i], sizeof(names[i]), "u%d[%d]", number, i)
                : snprintf(names[i], sizeof(names[i]), "u%d", number);
      snprintf(type, sizeof(type), "S%d",
               add_structure(r, w, 0, names, length ? length : 1, stages));
   } else {
      const struct basic *basic = &rules_pick(r, basics);
      snprintf(type, sizeof(type), "%s", basic->name);
      snprintf(names[0], sizeof(names[0]), "u%d", number);
      add_leaf(w, basic, names[0], length, stages);
   }
   for (int stage = 0; stage < 2; stage++)
      if (stages >> stage & 1)
         fprintf(w->uniforms[stage], "uniform %s u%d%s;\n", type, number, array);
}

static void
free_world(struct world *w)
{
   free(w->types_text);
   free(w->uniforms_text[0]);
   free(w->uniforms_text[1]);
   free(w);
}

/* Whether the program is one that any implementation links. */
static bool
is_small(const struct world *w)
{
   int vectors = 0, samplers = 0;
   for (int i = 0; i < w->count && i < MOST_LEAVES; i++) {
      const int count = elements(&w->leaves[i]);
      if (is_sampler(w->leaves[i].basic))
         samplers += count;
      else
         vectors += count * w->leaves[i].basic->columns;
   }
   return w->count <= MOST_LEAVES && vectors <= MOST_VECTORS && samplers <= MOST_SAMPLERS;
}

static struct world *
random_world(struct rules *r)
{
   struct world *w = calloc(1, sizeof(*w));
   size_t size;
   w->types = open_memstream(&w->types_text, &size);
   for (int i = 0; i < 2; i++)
      w->uniforms[i] = open_memstream(&w->uniforms_text[i], &size);
   const int count = rules_between(r, 1, 4);
   for (int i = 0; i < count; i++)
      add_uniform(r, w, i);
   fclose(w->types);
   fclose(w->uniforms[0]);
   fclose(w->uniforms[1]);
   if (is_small(w))
      return w;
   free_world(w);
   return random_world(r);
}

/* --------------------------------------------------------------------------------------- values */

/* Numbers that every precision has. Samplers of the two types look at units of their own. */
static void
random_values(struct rules *r, struct leaf *leaf)
{
   for (int i = 0; i < elements(leaf) * 16; i++) {
      float *value = &leaf->value[i / 16][i % 16];
      if (is_sampler(leaf->basic))
         *value = (float)(rules_below(r, UNITS) + (leaf->basic->type == GL_SAMPLER_CUBE ? UNITS : 0));
      else
         *value = (float)(leaf->basic->base == GL_BOOL ? rules_between(r, 0, 1) : rules_between(r, -100, 100));
   }
}

/* The colour of a unit's texture: a corner of the cube. */
static void
unit_colour(int unit, uint8_t colour[4])
{
   for (int c = 0; c < 4; c++)
      colour[c] = c == 3 || unit >> c & 1 ? 255 : 0;
}

static void
create_textures(void)
{
   for (int unit = 0; unit < 2 * UNITS; unit++) {
      const GLenum target = unit < UNITS ? GL_TEXTURE_2D : GL_TEXTURE_CUBE_MAP;
      GLuint texture;
      uint8_t colour[4];
      unit_colour(unit, colour);
      glActiveTexture((GLenum)(GL_TEXTURE0 + unit));
      glGenTextures(1, &texture);
      glBindTexture(target, texture);
      glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      for (int face = 0; face < (unit < UNITS ? 1 : 6); face++)
         glTexImage2D(unit < UNITS ? target : (GLenum)(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face), 0,
                      GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, colour);
   }
}

static void
write_comparison(FILE *text, const struct leaf *leaf, int element)
{
   char name[120];
   const struct basic *basic = leaf->basic;
   const float *value = leaf->value[element];
   leaf->length ? snprintf(name, sizeof(name), "%s[%d]", leaf->name, element)
                : snprintf(name, sizeof(name), "%s", leaf->name);
   if (is_sampler(basic)) {
      uint8_t colour[4];
      unit_colour((int)value[0], colour);
      fprintf(text, "   ok = ok && %s(%s, %s(0.5)) == vec4(%d, %d, %d, 1);\n",
              basic->type == GL_SAMPLER_2D ? "texture2D" : "textureCube", name,
              basic->type == GL_SAMPLER_2D ? "vec2" : "vec3", colour[0] / 255, colour[1] / 255,
              colour[2] / 255);
      return;
   }
   fprintf(text, "   ok = ok && %s == %s(", name, basic->name);
   for (int i = 0; i < components(basic); i++)
      fprintf(text, "%s%d", i ? ", " : "", (int)value[i]);
   fprintf(text, ");\n");
}

/* A shader that compares each of its uniforms with the value that it will get. The caller frees
 * it. */
static char *
shader_text(const struct world *w, int stage)
{
   char *text;
   size_t size;
   FILE *out = open_memstream(&text, &size);
   fprintf(out, stage ? "precision highp float; precision highp int;\n"
                      : "attribute vec4 position, colour;\n");
   fprintf(out, "varying float vertex_ok;\n%s%s", w->types_text, w->uniforms_text[stage]);
   fprintf(out, "void main() {\n   bool ok = %s;\n", stage ? "vertex_ok == 1.0" : "true");
   for (int i = 0; i < w->count; i++)
      if (w->leaves[i].stages >> stage & 1)
         for (int e = 0; e < elements(&w->leaves[i]); e++)
            write_comparison(out, &w->leaves[i], e);
   fprintf(out,
           stage
              ? "   gl_FragColor = vec4(ok);\n}\n"
              : "   vertex_ok = ok ? 1.0 : 0.0;\n   gl_Position = position + 0.0 * colour;\n}\n");
   fclose(out);
   return text;
}

/* ------------------------------------------------------------------------- what GL says of them */

static const struct leaf *
find_leaf(const struct world *w, const char *name)
{
   const size_t length = strlen(name);
   const bool array = length > 3 && !strcmp(name + length - 3, "[0]");
   for (int i = 0; i < w->count; i++) {
      const struct leaf *leaf = &w->leaves[i];
      const size_t own = strlen(leaf->name);
      if (!strncmp(leaf->name, name, own) && own == length - (array && leaf->length ? 3 : 0) &&
          !leaf->length == !(array && own < length))
         return leaf;
   }
   return NULL;
}

static void
check_active(struct rules *r, const struct world *w, GLuint program)
{
   GLint count, longest, names_longest = 0;
   glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &count);
   glGetProgramiv(program, GL_ACTIVE_UNIFORM_MAX_LENGTH, &longest);
   if (count != w->count)
      rules_fail(r, "%d uniforms are active, not %d", count, w->count);
   for (GLint i = 0; i < count; i++) {
      char name[120], start[4];
      GLsizei length, start_length;
      GLint size;
      GLenum type;
      glGetActiveUniform(program, (GLuint)i, sizeof(name), &length, &size, &type, name);
      const struct leaf *leaf = find_leaf(w, name);
      if (!leaf)
         rules_fail(r, "uniform %s is active", name);
      if (type != leaf->basic->type || size != elements(leaf) || (size_t)length != strlen(name))
         rules_fail(r, "uniform %s has the type 0x%04x, size %d, and a name of %d characters", name,
                    type, size, length);
      names_longest = length + 1 > names_longest ? length + 1 : names_longest;
      glGetActiveUniform(program, (GLuint)i, sizeof(start), &start_length, &size, &type, start);
      const size_t cut = length < 3 ? (size_t)length : 3;
      if ((size_t)start_length != cut || strncmp(start, name, cut) || start[cut])
         rules_fail(r, "uniform %s, in 4 characters: \"%.4s\", %d characters", name, start,
                    start_length);
   }
   if (longest != names_longest)
      rules_fail(r, "the longest name of a uniform has %d characters, not %d", names_longest,
                 longest);
}

/* The location of a leaf or its element, by one of its names. */
static GLint
location_of(struct rules *r, GLuint program, const struct leaf *leaf, int element)
{
   char name[120];
   if (element || (leaf->length && rules_chance(r, 50)))
      snprintf(name, sizeof(name), "%s[%d]", leaf->name, element);
   else
      snprintf(name, sizeof(name), "%s", leaf->name);
   const GLint location = glGetUniformLocation(program, name);
   if (location < 0)
      rules_fail(r, "%s has no location", name);
   return location;
}

static void
check_no_location(struct rules *r, GLuint program, const struct leaf *leaf)
{
   static const char *const ends[] = { ".x", ".m9",  "[", "[]",     "[-1]",  "[00]",
                                       "[0", "[99]", " ", "[0][0]", "[0].x", "_" };
   char name[120];
   snprintf(name, sizeof(name), "%s%s", leaf->name,
            leaf->length || rules_chance(r, 50) ? rules_pick(r, ends) : "[0]");
   if (glGetUniformLocation(program, name) != -1)
      rules_fail(r, "%s has a location", name);
   if (glGetUniformLocation(program, "gl_Position") != -1 ||
       glGetUniformLocation(program, "") != -1)
      rules_fail(r, "something that is no uniform has a location");
}

static void
expect_values(struct rules *r, GLuint program, const struct leaf *leaf, bool set)
{
   for (int e = 0; e < elements(leaf); e++) {
      const GLint location = location_of(r, program, leaf, e);
      float real[16];
      GLint whole[16];
      glGetUniformfv(program, location, real);
      glGetUniformiv(program, location, whole);
      for (int i = 0; i < components(leaf->basic); i++) {
         const float wanted = set ? leaf->value[e][i] : 0;
         if (real[i] != wanted || whole[i] != (GLint)wanted)
            rules_fail(r, "%s, element %d, component %d: %g and %d, not %g", leaf->name, e, i,
                       real[i], whole[i], wanted);
      }
   }
}

/* -------------------------------------------------------------------------------------- setting */

static void
set_floats(GLint location, int rows, GLsizei count, const float *values)
{
   static void (*const set[])(GLint, GLsizei, const GLfloat *) = { glUniform1fv, glUniform2fv, glUniform3fv, glUniform4fv };
   set[rows - 1](location, count, values);
}

static void
set_ints(GLint location, int rows, GLsizei count, const GLint *values)
{
   static void (*const set[])(GLint, GLsizei, const GLint *) = { glUniform1iv, glUniform2iv, glUniform3iv, glUniform4iv };
   set[rows - 1](location, count, values);
}

static void
set_matrices(GLint location, int rows, GLsizei count, GLboolean transposed, const float *values)
{
   static void (*const set[])(GLint, GLsizei, GLboolean, const GLfloat *) = { glUniformMatrix2fv, glUniformMatrix3fv,
                                                                              glUniformMatrix4fv };
   set[rows - 2](location, count, transposed, values);
}

/* One value by the functions without pointers. */
static void
set_by_value(GLint location, int rows, bool floats, const float *v)
{
   const GLint i[4] = { (GLint)v[0], (GLint)v[1], (GLint)v[2], (GLint)v[3] };
   switch (rows) {
   case 1:
      floats ? glUniform1f(location, v[0]) : glUniform1i(location, i[0]);
      break;
   case 2:
      floats ? glUniform2f(location, v[0], v[1]) : glUniform2i(location, i[0], i[1]);
      break;
   case 3:
      floats ? glUniform3f(location, v[0], v[1], v[2]) : glUniform3i(location, i[0], i[1], i[2]);
      break;
   default:
      floats ? glUniform4f(location, v[0], v[1], v[2], v[3])
             : glUniform4i(location, i[0], i[1], i[2], i[3]);
   }
}

/* Sets `count` elements from one on. More than there are is allowed of arrays: they are ignored. */
static void
set_elements(struct rules *r, GLuint program, const struct leaf *leaf, int first, int count)
{
   const struct basic *basic = leaf->basic;
   const int size = components(basic), rest = elements(leaf) - first;
   const GLint location = location_of(r, program, leaf, first);
   float real[(MOST_LENGTH + 2) * 16] = { 0 };
   GLint whole[(MOST_LENGTH + 2) * 16] = { 0 };
   for (int i = 0; i < (count < rest ? count : rest) * size; i++) {
      const float v = leaf->value[first + i / size][i % size];
      /* any number but 0 is true */
      real[i] = basic->base == GL_BOOL && v != 0 ? rules_float(r, 0.1f, 2) : v;
      whole[i] = basic->base == GL_BOOL && v != 0 ? rules_between(r, 1, 9) : (GLint)v;
   }
   const bool floats = basic->base == GL_FLOAT || (basic->base == GL_BOOL && rules_chance(r, 50));
   if (basic->columns > 1)
      set_matrices(location, basic->rows, count, GL_FALSE, real);
   else if (count == 1 && rules_chance(r, 50))
      set_by_value(location, basic->rows, floats, leaf->value[first]);
   else if (floats)
      set_floats(location, basic->rows, count, real);
   else
      set_ints(location, basic->rows, count, whole);
   if (glGetError())
      rules_fail(r, "%s cannot be set, %d elements from %d on", leaf->name, count, first);
}

static void
set_values(struct rules *r, GLuint program, const struct leaf *leaf)
{
   if (leaf->length && rules_chance(r, 50)) {
      set_elements(r, program, leaf, 0, leaf->length + (rules_chance(r, 30) ? 2 : 0));
      return;
   }
   for (int e = 0; e < elements(leaf); e++)
      set_elements(r, program, leaf, e,
                   leaf->length && rules_chance(r, 30) ? elements(leaf) - e : 1);
}

/* Calls that section 2.10.4 refuses, on a uniform whose values stay what they are. */
static void
wrong_sets(struct rules *r, GLuint program, const struct leaf *leaf)
{
   const struct basic *basic = leaf->basic;
   const GLint location = location_of(r, program, leaf, 0);
   static const float real[64];
   static const GLint whole[64] = { 1000 };
   const int other_rows = basic->rows % 4 + 1;
   GIVES(GL_INVALID_OPERATION, set_floats(location, other_rows, 1, real));
   GIVES(GL_INVALID_OPERATION, set_ints(location, other_rows, 1, whole));
   GIVES(GL_INVALID_OPERATION,
         set_matrices(location, basic->columns == 3 ? 4 : 3, 1, GL_FALSE, real));
   if (basic->base == GL_FLOAT || basic->columns > 1)
      GIVES(GL_INVALID_OPERATION, set_ints(location, basic->rows, 1, whole));
   if (basic->base != GL_FLOAT && basic->base != GL_BOOL)
      GIVES(GL_INVALID_OPERATION, set_floats(location, basic->rows, 1, real));
   if (basic->columns > 1) {
      GIVES(GL_INVALID_OPERATION, set_floats(location, basic->rows, 1, real));
      GIVES(GL_INVALID_VALUE, set_matrices(location, basic->rows, 1, GL_TRUE, real));
      GIVES(GL_INVALID_VALUE, set_matrices(location, basic->rows, -1, GL_FALSE, real));
   } else {
      GIVES(GL_INVALID_VALUE, basic->base == GL_FLOAT ? set_floats(location, basic->rows, -1, real)
                                                      : set_ints(location, basic->rows, -1, whole));
   }
   if (!leaf->length)
      GIVES(GL_INVALID_OPERATION,
            basic->columns > 1        ? set_matrices(location, basic->rows, 2, GL_FALSE, real)
            : basic->base == GL_FLOAT ? set_floats(location, basic->rows, 2, real)
                                      : set_ints(location, basic->rows, 2, whole));
   if (is_sampler(basic))
      GIVES(GL_INVALID_VALUE, glUniform1iv(location, 1, whole));
   GIVES(GL_NO_ERROR, set_floats(-1, 1 + (int)rules_below(r, 4), 3, real));
   GIVES(GL_INVALID_OPERATION, set_floats(-2, 1, 1, real));
   GIVES(GL_INVALID_OPERATION, set_ints(1 << 20, 1, 1, whole));
   GIVES(GL_INVALID_OPERATION, glGetUniformfv(program, -1, (float[16]){ 0 }));
   GIVES(GL_INVALID_OPERATION, glGetUniformiv(program, 1 << 20, (GLint[16]){ 0 }));
}

void
rule_api_uniforms(struct rules *r)
{
   static const float white[4] = { 1, 1, 1, 1 };
   static const int exactly[4];
   uint8_t expected[4 * SIZE_PX * SIZE_PX];
   memset(expected, 255, sizeof(expected));
   create_textures();
   while (rules_next(r)) {
      struct world *w = random_world(r);
      for (int i = 0; i < w->count; i++)
         random_values(r, &w->leaves[i]);
      char *vertex = shader_text(w, 0), *fragment = shader_text(w, 1);
      const GLuint program = program_create(vertex, fragment);
      check_active(r, w, program);
      for (int i = 0; i < w->count; i++) {
         expect_values(r, program, &w->leaves[i], false);
         check_no_location(r, program, &w->leaves[i]);
      }
      const int first = rules_between(r, 0, w->count - 1);
      for (int i = 0; i < w->count; i++)
         set_values(r, program, &w->leaves[(first + i) % w->count]);
      for (int i = 0; i < w->count; i++) {
         wrong_sets(r, program, &w->leaves[i]);
         expect_values(r, program, &w->leaves[i], true);
      }
      struct target target = target_create(SIZE_PX, SIZE_PX);
      draw_rectangle(-1, -1, 1, 1, 0, white);
      uint8_t *pixels = rules_read(r, SIZE_PX, SIZE_PX);
      rules_expect(r, SIZE_PX, SIZE_PX, pixels, expected, exactly, fragment);
      free(pixels);
      target_delete(&target);
      glDeleteProgram(program);
      free(vertex), free(fragment);
      free_world(w);
   }
}
