/* SPDX-License-Identifier: MIT */
#include "glsl3_program.h"

#include <string.h>

int
g3_components(struct g3_type type)
{
   return type.rows * type.columns;
}

int
g3_words(struct g3_type type)
{
   const int words = type.base == G3_STRUCT ? type.structure->words : g3_components(type);
   return words * (type.length ? type.length : 1);
}

bool
g3_same_type(struct g3_type a, struct g3_type b)
{
   return a.base == b.base && a.rows == b.rows && a.columns == b.columns && a.length == b.length &&
          a.structure == b.structure;
}

bool
g3_is_vector(struct g3_type type)
{
   return type.base != G3_STRUCT && !type.length && type.columns == 1;
}

bool
g3_is_matrix(struct g3_type type)
{
   return !type.length && type.columns > 1;
}

struct g3_type
g3_vector(enum g3_base base, int rows)
{
   return (struct g3_type){ .base = base, .rows = rows, .columns = 1 };
}

struct g3_type
g3_matrix(int columns, int rows)
{
   return (struct g3_type){ .base = G3_FLOAT, .rows = rows, .columns = columns };
}

struct g3_type
g3_array(struct g3_type type, int length)
{
   type.length = length;
   return type;
}

struct g3_type
g3_part(struct g3_type type)
{
   if (type.length)
      return g3_array(type, 0);
   return g3_vector(type.base, type.columns > 1 ? type.rows : 1);
}

const char *
g3_type_name(struct g3_type type)
{
   static const char *const vectors[4][4] = { { "float", "vec2", "vec3", "vec4" },
                                              { "int", "ivec2", "ivec3", "ivec4" },
                                              { "uint", "uvec2", "uvec3", "uvec4" },
                                              { "bool", "bvec2", "bvec3", "bvec4" } };
   static const char *const matrices[3][3] = { { "mat2", "mat2x3", "mat2x4" },
                                               { "mat3x2", "mat3", "mat3x4" },
                                               { "mat4x2", "mat4x3", "mat4" } };
   if (type.base == G3_STRUCT)
      return type.structure->name;
   if (type.rows == 0)
      return "void";
   return type.columns > 1 ? matrices[type.columns - 2][type.rows - 2]
                           : vectors[type.base][type.rows - 1];
}

float
g3_float(uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof(value));
   return value;
}

uint32_t
g3_bits(double value)
{
   const float rounded = (float)value + 0.0f;
   uint32_t bits;
   if (rounded != value)
      die("a float of a random program would round: %.17g", value);
   memcpy(&bits, &rounded, sizeof(bits));
   return bits;
}
