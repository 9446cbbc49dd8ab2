/* SPDX-License-Identifier: MIT */
#include "reduce_glsl_type.h"

#include <stdio.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

static const struct glsl_type unknown = { GLSL_UNKNOWN, 0, 0, false },
                              single = { GLSL_FLOAT, 1, 1, false },
                              truth = { GLSL_BOOL, 1, 1, false };

static bool
is_name(const char *name, size_t length, const char *other)
{
   return strlen(other) == length && !memcmp(name, other, length);
}

struct glsl_type
glsl_type_named(const char *name, size_t length)
{
   static const struct {
      const char *name;
      struct glsl_type type;
   } types[] = {
      { "float", { GLSL_FLOAT, 1, 1, false } }, { "int", { GLSL_INT, 1, 1, false } },
      { "bool", { GLSL_BOOL, 1, 1, false } },   { "vec2", { GLSL_FLOAT, 2, 1, false } },
      { "vec3", { GLSL_FLOAT, 3, 1, false } },  { "vec4", { GLSL_FLOAT, 4, 1, false } },
      { "ivec2", { GLSL_INT, 2, 1, false } },   { "ivec3", { GLSL_INT, 3, 1, false } },
      { "ivec4", { GLSL_INT, 4, 1, false } },   { "bvec2", { GLSL_BOOL, 2, 1, false } },
      { "bvec3", { GLSL_BOOL, 3, 1, false } },  { "bvec4", { GLSL_BOOL, 4, 1, false } },
      { "uint", { GLSL_UINT, 1, 1, false } },   { "uvec2", { GLSL_UINT, 2, 1, false } },
      { "uvec3", { GLSL_UINT, 3, 1, false } },  { "uvec4", { GLSL_UINT, 4, 1, false } },
      { "mat2", { GLSL_FLOAT, 2, 2, false } },  { "mat3", { GLSL_FLOAT, 3, 3, false } },
      { "mat4", { GLSL_FLOAT, 4, 4, false } },
   };
   for (size_t i = 0; i < LENGTH(types); i++) {
      if (is_name(name, length, types[i].name))
         return types[i].type;
   }
   return unknown;
}

struct glsl_type
glsl_type_of_number(const char *number, size_t length)
{
   const bool is_hexadecimal = length > 1 && (number[1] == 'x' || number[1] == 'X');
   const char last = number[length - 1];
   if (!is_hexadecimal && (memchr(number, '.', length) || memchr(number, 'e', length)))
      return single;
   return last == 'u' || last == 'U' ? glsl_type_named("uint", 4) : glsl_type_named("int", 3);
}

static bool
is_same(struct glsl_type a, struct glsl_type b)
{
   return a.scalar == b.scalar && a.rows == b.rows && a.columns == b.columns &&
          a.is_array == b.is_array;
}

bool
glsl_types_differ(struct glsl_type a, struct glsl_type b)
{
   return a.scalar && b.scalar && !is_same(a, b);
}

static bool
is_scalar(struct glsl_type type)
{
   return type.rows == 1 && !type.is_array;
}

/* Whether a name is a word of a list, which begins and ends with a space. */
static bool
is_in(const char *name, size_t length, const char *list)
{
   for (const char *at = list + 1; *at; at += strcspn(at, " ") + 1) {
      if (strcspn(at, " ") == length && !memcmp(at, name, length))
         return true;
   }
   return false;
}

struct glsl_type
glsl_type_joined(struct glsl_type a, struct glsl_type b, const char *operator_, size_t length)
{
   if (is_in(operator_, length, " < > <= >= == != && || ^^ "))
      return truth;
   if (is_in(operator_, length, " << >> "))
      return a; /* the number of bits may have another type */
   if (!a.scalar || !b.scalar || a.scalar != b.scalar)
      return unknown;
   if (is_scalar(a))
      return b;
   if (is_scalar(b) || is_same(a, b))
      return a;
   if (operator_[0] != '*' || a.rows != b.rows)
      return unknown;
   return a.columns == 1 ? a : b; /* of a matrix and a vector the vector */
}

struct glsl_type
glsl_type_element(struct glsl_type type)
{
   if (type.is_array)
      type.is_array = false;
   else if (type.columns > 1)
      type.columns = 1;
   else
      type.rows = 1;
   return type;
}

struct glsl_type
glsl_type_member(struct glsl_type type, const char *name, size_t length)
{
   const bool components = type.scalar && type.columns == 1 && !type.is_array && length <= 4 &&
                           strspn(name, "xyzwrgbastpq") >= length;
   type.rows = (uint8_t)length;
   return components ? type : unknown;
}

struct glsl_type
glsl_type_of_call(const char *name, size_t length, struct glsl_type widest)
{
   static const char scalars[] = " length distance dot ", truths[] = " any all ",
                     texels[] = " texture2D texture2DLod texture2DProj texture2DProjLod"
                                " textureCube textureCubeLod ",
                     same[] = " radians degrees sin cos tan asin acos atan pow exp log exp2 log2"
                              " sqrt inversesqrt abs sign floor ceil fract mod min max clamp mix"
                              " step smoothstep normalize cross faceforward reflect refract"
                              " dFdx dFdy fwidth matrixCompMult ";
   if (is_in(name, length, scalars))
      return single;
   if (is_in(name, length, truths))
      return truth;
   if (is_in(name, length, texels))
      return (struct glsl_type){ GLSL_FLOAT, 4, 1, false };
   if (is_in(name, length, same))
      return widest;
   return glsl_type_named(name, length); /* a constructor */
}

bool
glsl_type_constant(struct glsl_type type, bool one, char text[16])
{
   static const char *const numbers[][2] = { [GLSL_FLOAT] = { "0.0", "1.0" },
                                             [GLSL_INT] = { "0", "1" },
                                             [GLSL_UINT] = { "0u", "1u" },
                                             [GLSL_BOOL] = { "false", "true" } };
   static const char *const vectors[] = {
      [GLSL_FLOAT] = "vec", [GLSL_INT] = "ivec", [GLSL_UINT] = "uvec", [GLSL_BOOL] = "bvec"
   };
   if (!type.scalar || type.is_array)
      return false;
   const char *number = numbers[type.scalar][one];
   if (type.rows == 1)
      snprintf(text, 16, "%s", number);
   else
      snprintf(text, 16, "%s%u(%s)", type.columns > 1 ? "mat" : vectors[type.scalar], type.rows,
               number);
   return true;
}
