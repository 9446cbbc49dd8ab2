/* SPDX-License-Identifier: MIT
 *
 * Integers of GLSL ES 3.00: operations (section 5.9), conversions and packing functions (8.4) in
 * both stages; attributes (OpenGL ES 3.0, section 2.9); targets and samplers of integers.
 */
#include "es3_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = ES3_EVALUATED_PX, PIXELS = SIZE_PX * SIZE_PX, VALUES = 4 * PIXELS };

/* ----------------------------------------------------------------------------------- operations */

/* Of all bits of its arguments, or of what must not be undefined: a divisor that is not 0, a
 * quotient that an int holds; operands of an int's %, which must not be negative; floats that are
 * small enough to be integers; floats around [-1, 1]; no NaNs. */
enum domain { ANY, DIVIDES, NOT_NEGATIVE, SMALL_FLOAT, ONE_FLOAT, NUMBER };

static uint32_t
half_bits_nearest(float value)
{
   const uint32_t sign = signbit(value) ? 0x8000 : 0;
   const double x = fabs((double)value);
   const int exponent = x < ldexp(1, -14) ? -14 : ilogb(x);
   return sign | (uint32_t)(nearbyint(ldexp(x, 10 - exponent)) + (exponent + 14) * 1024);
}

static float
half_value(uint32_t bits)
{
   const int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
   const double x = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
   return (float)(bits & 0x8000 ? -x : x);
}

static uint32_t
pack16(float value, float low, float scale)
{
   return (uint32_t)(int32_t)roundf(fminf(fmaxf(value, low), 1) * scale) & 0xffff;
}

#define SIGNED(x) ((int32_t)(x))
#define BITS(x) ((uint32_t)(x))
#define TINY(x) (es3_float(x))

/* name, expression over U a, b, c (U, I, F: vectors of one size), domain, how far the result may be
 * off as an integer, the same in C */
#define OPERATIONS(X)                                                                              \
   X(sum, "a + b", ANY, 0, a + b)                                                                  \
   X(difference, "a - b", ANY, 0, a - b)                                                           \
   X(product, "a * b + c", ANY, 0, a *b + c)                                                       \
   X(quotient, "a / b", DIVIDES, 0, a / b)                                                         \
   X(remainder, "a % b", DIVIDES, 0, a % b)                                                        \
   X(int_quotient, "U(I(a) / I(b))", DIVIDES, 0, BITS(SIGNED(a) / SIGNED(b)))                      \
   X(int_remainder, "U(I(a) % I(b))", NOT_NEGATIVE, 0, BITS(SIGNED(a) % SIGNED(b)))                \
   X(left, "a << (b & 31u)", ANY, 0, a << (b & 31))                                                \
   X(right, "a >> (b & 31u)", ANY, 0, a >> (b & 31))                                               \
   X(int_left, "U(I(a) << (I(b) & 31))", ANY, 0, a << (b & 31))                                    \
   X(int_right, "U(I(a) >> (b & 31u))", ANY, 0, BITS(SIGNED(a) >> (b & 31)))                       \
   X(bits, "(a & b) | (~a ^ c)", ANY, 0, (a & b) | (~a ^ c))                                       \
   X(negative, "-a", ANY, 0, -a)                                                                   \
   X(int_negative, "U(-I(a))", ANY, 0, -a)                                                         \
   X(least, "min(a, b)", ANY, 0, a < b ? a : b)                                                    \
   X(int_least, "U(min(I(a), I(b)))", ANY, 0, SIGNED(a) < SIGNED(b) ? a : b)                       \
   X(most, "max(a, b)", ANY, 0, a > b ? a : b)                                                     \
   X(int_most, "U(max(I(a), I(b)))", ANY, 0, SIGNED(a) > SIGNED(b) ? a : b)                        \
   X(absolute, "U(abs(I(a)))", NOT_NEGATIVE, 0, a)                                                 \
   X(sign, "U(sign(I(a)))", ANY, 0, BITS((SIGNED(a) > 0) - (SIGNED(a) < 0)))                       \
   X(clamped, "clamp(a, min(b, c), max(b, c))", ANY, 0,                                            \
     a<(b < c ? b : c) ? (b < c ? b : c) : a>(b > c ? b : c) ? (b > c ? b : c) : a)                \
   X(from_float, "U(I(B(a)))", SMALL_FLOAT, 0, BITS((int32_t)TINY(a)))                             \
   X(to_float, "FB(F(I(a)))", ANY, 1, es3_bits((float)SIGNED(a)))                                  \
   X(unsigned_to_float, "FB(F(a))", ANY, 1, es3_bits((float)a))                                    \
   X(same_bits, "FB(B(a))", NUMBER, 0, a)

/* The same of single values: comparisons, and pairs packed in 32 bits. */
#define SCALAR_OPERATIONS(X)                                                                       \
   X(less, "uint(a < b) + 2u * uint(int(a) < int(b))", ANY, 0,                                     \
     BITS(a < b) + 2 * BITS(SIGNED(a) < SIGNED(b)))                                                \
   X(at_most, "uint(a <= b) + 2u * uint(int(a) >= int(b))", ANY, 0,                                \
     BITS(a <= b) + 2 * BITS(SIGNED(a) >= SIGNED(b)))                                              \
   X(equal, "uint(a == b) + 2u * uint(bool(c))", ANY, 0, BITS(a == b) + 2 * BITS(c != 0))          \
   X(pack_unorm, "packUnorm2x16(vec2(B(a), B(b))) & 65535u", ONE_FLOAT, 1,                         \
     pack16(TINY(a), 0, 65535))                                                                    \
   X(pack_unorm_high, "packUnorm2x16(vec2(B(a), B(b))) >> 16", ONE_FLOAT, 1,                       \
     pack16(TINY(b), 0, 65535))                                                                    \
   X(pack_snorm, "packSnorm2x16(vec2(B(a), B(b))) & 65535u", ONE_FLOAT, 1,                         \
     pack16(TINY(a), -1, 32767))                                                                   \
   X(pack_snorm_high, "packSnorm2x16(vec2(B(a), B(b))) >> 16", ONE_FLOAT, 1,                       \
     pack16(TINY(b), -1, 32767))                                                                   \
   X(pack_half, "packHalf2x16(vec2(B(a), B(b))) & 65535u", ONE_FLOAT, 1,                           \
     half_bits_nearest(TINY(a)))                                                                   \
   X(pack_half_high, "packHalf2x16(vec2(B(a), B(b))) >> 16", ONE_FLOAT, 1,                         \
     half_bits_nearest(TINY(b)))                                                                   \
   X(unpack_unorm, "FB(unpackUnorm2x16(a).y)", ANY, 2, es3_bits((float)((a >> 16) / 65535.0)))     \
   X(unpack_snorm, "FB(unpackSnorm2x16(a).x)", ANY, 2,                                             \
     es3_bits(fmaxf((float)((int16_t)(a & 0xffff) / 32767.0), -1)))                                \
   X(unpack_half, "FB(unpackHalf2x16(a & 0x3fff3fffu).x)", ANY, 0, es3_bits(half_value(a & 0x3fff)))

#define FUNCTION(name, text, domain, off, c_text)                                                  \
   static uint32_t operation_##name(uint32_t a, uint32_t b, uint32_t c)                            \
   {                                                                                               \
      (void)a, (void)b, (void)c;                                                                   \
      return c_text;                                                                               \
   }
OPERATIONS(FUNCTION)
SCALAR_OPERATIONS(FUNCTION)

struct operation {
   const char *text;
   enum domain domain;
   uint32_t off;
   bool scalar;
   uint32_t (*reference)(uint32_t a, uint32_t b, uint32_t c);
};

#define VECTOR_ENTRY(name, text, domain, off, c_text)                                              \
   { text, domain, off, false, operation_##name },
#define SCALAR_ENTRY(name, text, domain, off, c_text) { text, domain, off, true, operation_##name },
static const struct operation operations[] = { OPERATIONS(VECTOR_ENTRY)
                                                  SCALAR_OPERATIONS(SCALAR_ENTRY) };

static void
choose_values(struct rules *r, enum domain domain, uint32_t *a, uint32_t *b)
{
   *a = es3_random_bits(r), *b = es3_random_bits(r);
   if (domain == NOT_NEGATIVE)
      *a &= 0x7fffffff, *b &= 0x7fffffff;
   if (domain == SMALL_FLOAT)
      *a = es3_bits(rules_float(r, -2e9f, 2e9f) * ldexpf(1, -rules_between(r, 0, 34)));
   if (domain == ONE_FLOAT)
      *a = es3_bits(rules_float(r, -1.5f, 1.5f)), *b = es3_bits(rules_float(r, -1.5f, 1.5f));
   const bool number = (*a >> 23 & 255) != 255 && (*a >> 23 & 255) != 0;
   if (domain == NUMBER && !number) /* denormals may be flushed */
      *a = 0x3f800000;
   if (*b == 0 || (*a == 0x80000000 && *b == 0xffffffff))
      *b = domain == DIVIDES || domain == NOT_NEGATIVE ? 7 : *b;
}

/* The expression as a function of vectors of `size` components. */
static void
add_function(const struct text *t, const char *expression, int size)
{
   static const char *const types[4][4] = { { "uint", "uvec2", "uvec3", "uvec4" },
                                            { "int", "ivec2", "ivec3", "ivec4" },
                                            { "float", "vec2", "vec3", "vec4" },
                                            { "bool", "bvec2", "bvec3", "bvec4" } };
   for (int i = 0; i < 4; i++)
      add(*t, "#define %c %s\n", "UIFT"[i], types[i][size - 1]);
   add(*t, "#define B(x) uintBitsToFloat(x)\n#define FB(x) floatBitsToUint(x)\n");
   add(*t, "U f(U a, U b, U c) { F w; return %s; }\n", expression);
   static const char *const calls[4] = {
      "uvec4(f(a.x, b.x, c.x), f(a.y, b.y, c.y), f(a.z, b.z, c.z), f(a.w, b.w, c.w))",
      "uvec4(f(a.xy, b.xy, c.xy), f(a.zw, b.zw, c.zw))",
      "uvec4(f(a.xyz, b.xyz, c.xyz), f(a.www, b.www, c.www).x)", "f(a, b, c)"
   };
   add(*t, "uvec4 each(uvec4 a, uvec4 b, uvec4 c) { return %s; }\n", calls[size - 1]);
}

/* Of three textures, in the fragment shader. */
static void
draw_by_fragment(const struct rules *r, const char *expression, int size, uint32_t **values)
{
   struct text t;
   text_begin(&t);
   add(t, "uniform usampler2D image[3]; out uvec4 result;\n");
   add_function(&t, expression, size);
   add(t, "void main() { ivec2 p = ivec2(gl_FragCoord.xy);\n"
          "   result = each(texelFetch(image[0], p, 0), texelFetch(image[1], p, 0),\n"
          "                 texelFetch(image[2], p, 0)); }\n");
   GLuint textures[3], program = es3_program(r, es3_vertex_whole, text_end(&t));
   glUniform1iv(glGetUniformLocation(program, "image"), 3, (const GLint[]){ 0, 1, 2 });
   for (int i = 0; i < 3; i++)
      textures[i] = es3_uint_texture(i, SIZE_PX, SIZE_PX, values[i]);
   es3_draw_whole();
   glDeleteTextures(3, textures);
   glDeleteProgram(program);
   free(t.chars);
}

/* Of attributes in the vertex shader; the result passes as bits that may look like NaNs. */
static void
draw_by_vertex(const struct rules *r, const char *expression, int size, uint32_t **values)
{
   struct text t;
   text_begin(&t);
   add(t, "layout(location = 0) in uvec4 a0; layout(location = 1) in uvec4 a1;\n"
          "layout(location = 2) in uvec4 a2; flat out uvec4 v;\n");
   add_function(&t, expression, size);
   add(t,
       "void main() { v = each(a0, a1, a2); gl_PointSize = 1.0;\n"
       "   vec2 p = vec2(gl_VertexID %% %d, gl_VertexID / %d);\n"
       "   gl_Position = vec4((p * 2.0 + 1.0) / %d.0 - 1.0, 0.0, 1.0); }\n",
       SIZE_PX, SIZE_PX, SIZE_PX);
   GLuint program = es3_program(r, text_end(&t),
                                "flat in uvec4 v; out uvec4 result; void main() { result = v; }");
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   for (GLuint i = 0; i < 3; i++) {
      glEnableVertexAttribArray(i);
      glVertexAttribIPointer(i, 4, GL_UNSIGNED_INT, 0, values[i]);
   }
   glDrawArrays(GL_POINTS, 0, PIXELS);
   for (GLuint i = 0; i < 3; i++)
      glDisableVertexAttribArray(i);
   glDeleteProgram(program);
   free(t.chars);
}

void
es3_evaluate(const struct rules *r, const char *expression, int size, bool vertex,
             uint32_t *values[3])
{
   (vertex ? draw_by_vertex : draw_by_fragment)(r, expression, size, values);
}

static void
expect_operation(struct rules *r, const struct operation *o, bool vertex, uint32_t **values)
{
   uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
   for (int i = 0; i < VALUES; i++) {
      const uint32_t a = values[0][i], b = values[1][i], c = values[2][i];
      const uint32_t wanted = o->reference(a, b, c);
      if ((have[i] > wanted ? have[i] - wanted : wanted - have[i]) > o->off)
         rules_fail(r, "%s in the %s shader of 0x%08x, 0x%08x, 0x%08x is 0x%08x, not 0x%08x",
                    o->text, vertex ? "vertex" : "fragment", a, b, c, have[i], wanted);
   }
   free(have);
}

void
es3_operations(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX);
   uint32_t *values[3];
   for (int i = 0; i < 3; i++)
      values[i] = malloc(VALUES * sizeof(uint32_t));
   while (rules_next(r)) {
      const struct operation *o = &operations[(size_t)r->n / 2 % COUNT(operations)];
      const int size = o->scalar ? 1 : rules_between(r, 1, 4);
      for (int i = 0; i < VALUES; i++) {
         choose_values(r, o->domain, &values[0][i], &values[1][i]);
         values[2][i] = es3_random_bits(r);
      }
      es3_evaluate(r, o->text, size, r->n % 2, values);
      expect_operation(r, o, r->n % 2, values);
   }
   for (int i = 0; i < 3; i++)
      free(values[i]);
   es3_target_delete(&target);
}

/* ----------------------------------------------------------------------------------- attributes */

static const struct attribute_type {
   GLenum type;
   int size_B; /* of a component, of all if packed */
   bool is_signed, packed, integer /* glVertexAttribIPointer takes it */;
} attribute_types[] = {
   { GL_BYTE, 1, true, false, true },
   { GL_UNSIGNED_BYTE, 1, false, false, true },
   { GL_SHORT, 2, true, false, true },
   { GL_UNSIGNED_SHORT, 2, false, false, true },
   { GL_INT, 4, true, false, true },
   { GL_UNSIGNED_INT, 4, false, false, true },
   { GL_FIXED, 4, true, false, false },
   { GL_HALF_FLOAT, 2, true, false, false },
   { GL_FLOAT, 4, true, false, false },
   { GL_INT_2_10_10_10_REV, 4, true, true, false },
   { GL_UNSIGNED_INT_2_10_10_10_REV, 4, false, true, false },
};

/* `count` bits of the vertex as an integer, sign-extended where the type has a sign. */
static int64_t
field(const uint8_t *at, int first, int count, bool is_signed)
{
   uint64_t word = 0;
   memcpy(&word, at + first / 8, (size_t)(first % 8 + count + 7) / 8);
   word = word >> first % 8 & ((UINT64_C(1) << count) - 1);
   return is_signed && word >> (count - 1) ? (int64_t)word - (INT64_C(1) << count) : (int64_t)word;
}

/* Component c of the vertex: section 2.9 (an integer), equations 2.1 and 2.2 (normalised). */
static double
component(const struct attribute_type *t, const uint8_t *at, int c, bool normalized)
{
   const int bits = t->packed ? (c == 3 ? 2 : 10) : 8 * t->size_B;
   const int first = t->packed ? 10 * c : bits * c;
   float value;
   memcpy(&value, at + first / 8, t->type == GL_FLOAT ? 4 : 0);
   const int64_t whole = field(at, first, bits, t->is_signed && t->type != GL_HALF_FLOAT);
   if (t->type == GL_FLOAT)
      return value;
   if (t->type == GL_FIXED)
      return (double)whole / 65536;
   if (t->type == GL_HALF_FLOAT)
      return half_value((uint32_t)whole);
   if (!normalized)
      return (double)whole;
   const double most = (double)((INT64_C(1) << (bits - t->is_signed)) - 1);
   return fmax((double)whole / most, -1);
}

struct attribute_case {
   const struct attribute_type *type;
   int size, stride_B, offset_B;
   bool integer, normalized;
   uint8_t bytes[PIXELS * 24 + 64];
};

static void
choose_attribute(struct rules *r, struct attribute_case *a)
{
   a->type = &attribute_types[(size_t)r->n % COUNT(attribute_types)];
   a->integer = a->type->integer && rules_chance(r, 60);
   a->normalized = !a->integer && rules_chance(r, 50);
   a->size = a->type->packed ? 4 : rules_between(r, 1, 4);
   const int vertex_B = a->type->size_B * (a->type->packed ? 1 : a->size);
   a->stride_B = vertex_B + 4 * rules_between(r, 0, 2);
   a->stride_B += -a->stride_B & (a->type->size_B - 1);
   a->offset_B = a->type->size_B * rules_between(r, 0, 3);
   for (size_t i = 0; i < sizeof(a->bytes); i += 4) {
      uint32_t bits = es3_random_bits(r);
      if (a->type->type == GL_FLOAT)
         bits = es3_bits(rules_float(r, -100, 100));
      if (a->type->type == GL_HALF_FLOAT) /* neither infinite nor NaN nor denormal */
         bits = (bits & 0xbfffbfff) | 0x04000400;
      memcpy(a->bytes + i, &bits, sizeof(bits));
   }
}

static void
draw_attribute(const struct rules *r, const struct attribute_case *a)
{
   char vertex[600];
   const bool is_signed = a->type->is_signed;
   snprintf(vertex, sizeof(vertex),
            "in %s a; flat out uvec4 v;\n"
            "void main() { v = %s; gl_PointSize = 1.0;\n"
            "   vec2 p = vec2(gl_VertexID %% %d, gl_VertexID / %d);\n"
            "   gl_Position = vec4((p * 2.0 + 1.0) / %d.0 - 1.0, 0.0, 1.0); }\n",
            !a->integer ? "vec4"
            : is_signed ? "ivec4"
                        : "uvec4",
            a->integer ? "uvec4(a)" : "floatBitsToUint(a)", SIZE_PX, SIZE_PX, SIZE_PX);
   GLuint buffer, program = es3_program(r, vertex,
                                        "flat in uvec4 v; out uvec4 result;\n"
                                        "void main() { result = v; }");
   const GLuint at = (GLuint)glGetAttribLocation(program, "a");
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(a->bytes), a->bytes, GL_STATIC_DRAW);
   glEnableVertexAttribArray(at);
   if (a->integer)
      glVertexAttribIPointer(at, a->size, a->type->type, a->stride_B,
                             (const void *)(uintptr_t)a->offset_B);
   else
      glVertexAttribPointer(at, a->size, a->type->type, a->normalized, a->stride_B,
                            (const void *)(uintptr_t)a->offset_B);
   glDrawArrays(GL_POINTS, 0, PIXELS);
   glDisableVertexAttribArray(at);
   glDeleteBuffers(1, &buffer);
   glDeleteProgram(program);
}

void
es3_attributes(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX);
   struct attribute_case a;
   while (rules_next(r)) {
      choose_attribute(r, &a);
      draw_attribute(r, &a);
      uint32_t *have = es3_read_uint(r, SIZE_PX, SIZE_PX);
      for (int i = 0; i < VALUES; i++) {
         const uint8_t *at = a.bytes + a.offset_B + i / 4 * a.stride_B;
         const double wanted =
            i % 4 < a.size ? component(a.type, at, i % 4, a.normalized) : i % 4 == 3;
         const bool same = a.integer ? have[i] == (uint32_t)(int64_t)wanted
                                     : fabs(es3_float(have[i]) - wanted) <= 2e-7 * fabs(wanted);
         if (!same)
            rules_fail(r,
                       "type 0x%04x, %d components%s, stride %d: component %d of vertex %d is "
                       "0x%08x (%.9g), not %.9g",
                       a.type->type, a.size,
                       a.integer      ? " of integers"
                       : a.normalized ? " normalised"
                                      : "",
                       a.stride_B, i % 4, i / 4, have[i], es3_float(have[i]), wanted);
      }
      free(have);
   }
   es3_target_delete(&target);
}

/* -------------------------------------------------------------------------------------- targets */

static const struct integer_format {
   GLenum format;
   int channels, bits, alpha_bits;
   bool is_signed;
} integer_formats[] = {
   { GL_R8UI, 1, 8, 8, false },        { GL_R8I, 1, 8, 8, true },
   { GL_R16UI, 1, 16, 16, false },     { GL_R16I, 1, 16, 16, true },
   { GL_R32UI, 1, 32, 32, false },     { GL_R32I, 1, 32, 32, true },
   { GL_RG8UI, 2, 8, 8, false },       { GL_RG8I, 2, 8, 8, true },
   { GL_RG16UI, 2, 16, 16, false },    { GL_RG16I, 2, 16, 16, true },
   { GL_RG32UI, 2, 32, 32, false },    { GL_RG32I, 2, 32, 32, true },
   { GL_RGBA8UI, 4, 8, 8, false },     { GL_RGBA8I, 4, 8, 8, true },
   { GL_RGBA16UI, 4, 16, 16, false },  { GL_RGBA16I, 4, 16, 16, true },
   { GL_RGBA32UI, 4, 32, 32, false },  { GL_RGBA32I, 4, 32, 32, true },
   { GL_RGB10_A2UI, 4, 10, 2, false },
};

/* A value that the channel can hold: what happens to others is undefined. */
static uint32_t
fits(const struct integer_format *f, uint32_t bits, int channel)
{
   const int unused = 32 - (channel == 3 ? f->alpha_bits : f->bits);
   return f->is_signed ? (uint32_t)((int32_t)(bits << unused) >> unused) : bits << unused >> unused;
}

/* Clears to one colour and draws another over the left half, through a random mask. */
static void
paint_integers(struct rules *r, const struct integer_format *f, uint32_t wanted[2][4])
{
   bool mask[4];
   uint32_t drawn[4];
   for (int c = 0; c < 4; c++) {
      wanted[1][c] = fits(f, es3_random_bits(r), c);
      drawn[c] = fits(f, es3_random_bits(r), c);
      mask[c] = r->n < (int)COUNT(integer_formats) || rules_chance(r, 70);
      wanted[0][c] = mask[c] ? drawn[c] : wanted[1][c];
   }
   GLuint program = es3_program(r, es3_vertex_whole,
                                f->is_signed ? "uniform ivec4 c; out ivec4 result;\n"
                                               "void main() { result = c; }"
                                             : "uniform uvec4 c; out uvec4 result;\n"
                                               "void main() { result = c; }");
   if (f->is_signed) {
      glClearBufferiv(GL_COLOR, 0, (const GLint *)wanted[1]);
      glUniform4iv(glGetUniformLocation(program, "c"), 1, (const GLint *)drawn);
   } else {
      glClearBufferuiv(GL_COLOR, 0, wanted[1]);
      glUniform4uiv(glGetUniformLocation(program, "c"), 1, drawn);
   }
   es3_draw_masked(mask, SIZE_PX / 2, SIZE_PX);
   glDeleteProgram(program);
}

static void
expect_integers(struct rules *r, const struct integer_format *f, const uint32_t *have,
                uint32_t wanted[2][4], const char *how)
{
   for (int i = 0; i < VALUES; i++) {
      const int c = i % 4;
      const uint32_t w = c < f->channels ? wanted[i / 4 % SIZE_PX >= SIZE_PX / 2][c] : c == 3;
      if (have[i] != w)
         rules_fail(r, "format 0x%04x %s: channel %d of pixel (%d, %d) is 0x%x, not 0x%x",
                    f->format, how, c, i / 4 % SIZE_PX, i / 4 / SIZE_PX, have[i], w);
   }
}

static void
read_and_sample(struct rules *r, const struct integer_format *f, const struct es3_target *t,
                const struct es3_target *copy, uint32_t wanted[2][4])
{
   uint32_t have[VALUES];
   glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_RGBA_INTEGER, f->is_signed ? GL_INT : GL_UNSIGNED_INT,
                have);
   no_error("reading integers");
   rules_hash(r, have, sizeof(have));
   expect_integers(r, f, have, wanted, "read");
   GLuint program = es3_program(
      r, es3_vertex_whole,
      f->is_signed ? "uniform isampler2D image; out uvec4 result;\n"
                     "void main() { result = uvec4(texture(image, gl_FragCoord.xy / 16.0)); }"
                   : "uniform usampler2D image; out uvec4 result;\n"
                     "void main() { result = texture(image, gl_FragCoord.xy / 16.0); }");
   es3_target_bind(copy);
   glBindTexture(GL_TEXTURE_2D, t->texture);
   es3_draw_whole();
   uint32_t *sampled = es3_read_uint(r, SIZE_PX, SIZE_PX);
   expect_integers(r, f, sampled, wanted, "sampled");
   free(sampled);
   glDeleteProgram(program);
}

void
es3_integer_targets(struct rules *r)
{
   struct es3_target copy = es3_target_create(GL_RGBA32UI, SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      const struct integer_format *f = &integer_formats[(size_t)r->n % COUNT(integer_formats)];
      struct es3_target t = es3_target_create(f->format, SIZE_PX, SIZE_PX);
      uint32_t wanted[2][4];
      paint_integers(r, f, wanted);
      read_and_sample(r, f, &t, &copy, wanted);
      es3_target_delete(&t);
   }
   es3_target_delete(&copy);
}
