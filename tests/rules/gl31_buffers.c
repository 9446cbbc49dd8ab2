/* SPDX-License-Identifier: MIT
 *
 * Buffer textures (OpenGL 3.1, section 3.8.4): all formats of table 3.15 and those of three
 * components of 32 bits, in both stages; sizes; texels outside of the buffer, which read as 0;
 * buffers that change in every way while they are read.
 */
#include "gl31_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 16 /* of the target: each pixel, or vertex, reads a texel */

static const struct format {
   GLenum format;
   int components, bits;
   char kind; /* n: normalised, f: float, i, u */
} formats[GL31_BUFFER_FORMATS] = {
   { GL_R8, 1, 8, 'n' },        { 0x822a /* GL_R16 */, 1, 16, 'n' },
   { GL_R16F, 1, 16, 'f' },     { GL_R32F, 1, 32, 'f' },
   { GL_R8I, 1, 8, 'i' },       { GL_R16I, 1, 16, 'i' },
   { GL_R32I, 1, 32, 'i' },     { GL_R8UI, 1, 8, 'u' },
   { GL_R16UI, 1, 16, 'u' },    { GL_R32UI, 1, 32, 'u' },
   { GL_RG8, 2, 8, 'n' },       { 0x822c /* GL_RG16 */, 2, 16, 'n' },
   { GL_RG16F, 2, 16, 'f' },    { GL_RG32F, 2, 32, 'f' },
   { GL_RG8I, 2, 8, 'i' },      { GL_RG16I, 2, 16, 'i' },
   { GL_RG32I, 2, 32, 'i' },    { GL_RG8UI, 2, 8, 'u' },
   { GL_RG16UI, 2, 16, 'u' },   { GL_RG32UI, 2, 32, 'u' },
   { GL_RGBA8, 4, 8, 'n' },     { 0x805b /* GL_RGBA16 */, 4, 16, 'n' },
   { GL_RGBA16F, 4, 16, 'f' },  { GL_RGBA32F, 4, 32, 'f' },
   { GL_RGBA8I, 4, 8, 'i' },    { GL_RGBA16I, 4, 16, 'i' },
   { GL_RGBA32I, 4, 32, 'i' },  { GL_RGBA8UI, 4, 8, 'u' },
   { GL_RGBA16UI, 4, 16, 'u' }, /* the next three: ARB_texture_buffer_object_rgb32 */
   { GL_RGB32F, 3, 32, 'f' },   { GL_RGB32I, 3, 32, 'i' },
   { GL_RGB32UI, 3, 32, 'u' },  { GL_RGBA32UI, 4, 32, 'u' },
};

static int
texel_B(const struct format *f)
{
   return f->components * f->bits / 8;
}

static float
half_value(uint32_t bits)
{
   const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
   const float sign = bits >> 15 ? -1 : 1;
   if (exponent == 31)
      return mantissa ? NAN : sign * INFINITY;
   return sign * (exponent ? ldexpf((float)(mantissa + 1024), exponent - 25)
                           : ldexpf((float)mantissa, -24));
}

/* Component c of a texel as the shader's 32 bits. Missing ones are 0, 0, 0, 1. */
static uint32_t
wanted_component(const struct format *f, const uint8_t *texel, int c)
{
   const bool is_float = f->kind == 'n' || f->kind == 'f';
   uint32_t bits = 0;
   if (c >= f->components)
      return c < 3 ? 0 : is_float ? es3_bits(1) : 1;
   memcpy(&bits, texel + c * f->bits / 8, (size_t)f->bits / 8);
   if (f->kind == 'n')
      return es3_bits((float)(bits / (double)((1u << f->bits) - 1)));
   if (f->kind == 'f')
      return f->bits == 16 ? es3_bits(half_value(bits)) : bits;
   if (f->kind == 'i' && f->bits < 32)
      return (bits ^ 1u << (f->bits - 1)) - (1u << (f->bits - 1));
   return bits;
}

static bool
same_component(const struct format *f, uint32_t have, uint32_t wanted)
{
   const float h = es3_float(have), w = es3_float(wanted);
   if (f->kind == 'f')
      return have == wanted || (isnan(h) && isnan(w));
   return f->kind == 'n' ? fabsf(h - w) <= 2e-7f : have == wanted;
}

/* A program that writes texel `first` + number of the pixel, or of the vertex. */
static GLuint
fetch_program(const struct rules *r, char kind, bool vertex)
{
   char text[600];
   const char *prefix = kind == 'i' || kind == 'u' ? (char[]){ kind, 0 } : "";
   const char *number = vertex ? "gl_VertexID" : "int(gl_FragCoord.x) + 16 * int(gl_FragCoord.y)";
   snprintf(text, sizeof(text),
            "uniform %ssamplerBuffer b; uniform int first; %s uvec4 v;\n"
            "void main() {\n   %svec4 t = texelFetch(b, first + %s); v = %s(t);\n%s}",
            prefix, vertex ? "flat out" : "out", prefix, number,
            *prefix ? "uvec4" : "floatBitsToUint",
            vertex ? "   gl_Position = vec4((vec2(gl_VertexID % 16, gl_VertexID / 16) * 2.0 + 1.0)"
                     " / 16.0 - 1.0, 0.0, 1.0);\n"
                   : "");
   return vertex ? es3_program(r, text,
                               "flat in uvec4 v; out uvec4 result;\nvoid main() { result = v; }")
                 : es3_program(r, es3_vertex_whole, text);
}

static uint32_t *
draw_fetches(struct rules *r, GLuint program, bool vertex, int first)
{
   es3_uniform(program, "first", first);
   glDrawArrays(vertex ? GL_POINTS : GL_TRIANGLES, 0, vertex ? SIDE * SIDE : 3);
   return es3_read_uint(r, SIDE, SIDE);
}

struct buffer {
   GLuint name, texture;
   uint8_t *bytes; /* what it holds */
   int size_B;
};

static void
random_bytes(struct rules *r, uint8_t *bytes, int size_B)
{
   for (int i = 0; i < size_B; i += 4) {
      const uint32_t bits = es3_random_bits(r);
      memcpy(bytes + i, &bits, (size_t)(size_B - i < 4 ? size_B - i : 4));
   }
}

/* Halves that are no numbers become infinite: which bits they have as floats is not said. */
static void
remove_half_nans(uint8_t *bytes, int size_B)
{
   for (int i = 0; i + 1 < size_B; i += 2) {
      if ((bytes[i + 1] & 0x7c) == 0x7c)
         bytes[i] = 0, bytes[i + 1] &= 0xfc;
   }
}

static struct buffer
random_buffer(struct rules *r, const struct format *f, int size_B)
{
   struct buffer b = { .size_B = size_B, .bytes = malloc((size_t)size_B) };
   random_bytes(r, b.bytes, size_B);
   if (f->kind == 'f' && f->bits == 16)
      remove_half_nans(b.bytes, size_B);
   glGenBuffers(1, &b.name);
   glBindBuffer(GL_TEXTURE_BUFFER, b.name);
   glBufferData(GL_TEXTURE_BUFFER, size_B, b.bytes, GL_STATIC_DRAW);
   glGenTextures(1, &b.texture);
   glBindTexture(GL_TEXTURE_BUFFER, b.texture);
   glTexBuffer(GL_TEXTURE_BUFFER, f->format, b.name);
   no_error("making a buffer texture");
   return b;
}

static void
delete_buffer(struct buffer *b)
{
   glDeleteTextures(1, &b->texture);
   glDeleteBuffers(1, &b->name);
   free(b->bytes);
}

/* Compares all pixels: texels of the buffer, and 0 outside of it. */
static void
check_fetches(const struct rules *r, const struct buffer *b, const struct format *f, int first,
              const uint32_t *have, const char *what)
{
   const int texels = b->size_B / texel_B(f);
   for (int i = 0; i < SIDE * SIDE; i++) {
      const int64_t at = (int64_t)first + i;
      const bool inside = at >= 0 && at < texels;
      for (int c = 0; c < 4; c++) {
         const uint32_t wanted = inside ? wanted_component(f, b->bytes + at * texel_B(f), c) : 0;
         if (!same_component(f, have[4 * i + c], wanted))
            rules_fail(r, "%s, format 0x%04x, texel %lld of %d, component %d: 0x%08x, not 0x%08x",
                       what, f->format, (long long)at, texels, c, have[4 * i + c], wanted);
      }
   }
}

void
gl31_buffer_formats(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIDE, SIDE);
   while (rules_next(r)) {
      const struct format *f = &formats[r->n / 2 % GL31_BUFFER_FORMATS];
      const bool vertex = r->n % 2;
      struct buffer b = random_buffer(r, f, 2 * SIDE * SIDE * texel_B(f));
      GLuint program = fetch_program(r, f->kind, vertex);
      const int first = rules_between(r, 0, SIDE * SIDE);
      uint32_t *have = draw_fetches(r, program, vertex, first);
      check_fetches(r, &b, f, first, have, vertex ? "vertex shader" : "fragment shader");
      free(have);
      delete_buffer(&b);
      glDeleteProgram(program);
   }
   es3_target_delete(&target);
}

/* What textureSize says. */
static int
asked_size(struct rules *r, char kind)
{
   char text[200];
   snprintf(text, sizeof(text),
            "uniform %.1ssamplerBuffer b; out uvec4 v;\n"
            "void main() { v = uvec4(textureSize(b)); }",
            kind == 'i'   ? "i"
            : kind == 'u' ? "u"
                          : "");
   GLuint program = es3_program(r, es3_vertex_whole, text);
   es3_draw_whole();
   uint32_t *have = es3_read_uint(r, 1, 1);
   const int size = (int)have[0];
   free(have);
   glDeleteProgram(program);
   return size;
}

/* Sizes that are no whole texels, less than one, and more than 65536; texels before and behind. */
void
gl31_buffer_range(struct rules *r)
{
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIDE, SIDE);
   GLint most;
   glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &most);
   if (most < 65536)
      rules_fail(r, "GL_MAX_TEXTURE_BUFFER_SIZE is %d, less than 65536", most);
   while (rules_next(r)) {
      const struct format *f = &rules_pick(r, formats);
      static const int far[] = { INT32_MIN, INT32_MIN + 1, -65536, INT32_MAX - 255, 1 << 30 };
      const bool vertex = r->n % 2;
      const int texels = r->n % 10 == 0   ? 0
                         : r->n % 10 == 1 ? rules_between(r, 65536, 200000)
                                          : rules_between(r, 1, 600);
      const int rest_B =
                   texels || texel_B(f) > 1 ? rules_between(r, texels ? 0 : 1, texel_B(f) - 1) : 0,
                size_B = texels * texel_B(f) + rest_B;
      if (!size_B)
         continue; /* a byte is a texel */
      struct buffer b = random_buffer(r, f, size_B);
      const int firsts[] = { -rules_between(r, 1, 300), texels - rules_between(r, 0, 255),
                             rules_pick(r, far) };
      GLuint program = fetch_program(r, f->kind, vertex);
      for (size_t i = 0; i < COUNT(firsts); i++) {
         uint32_t *have = draw_fetches(r, program, vertex, firsts[i]);
         check_fetches(r, &b, f, firsts[i], have, vertex ? "vertex shader" : "fragment shader");
         free(have);
      }
      if (asked_size(r, f->kind) != texels)
         rules_fail(r, "format 0x%04x: textureSize of %d bytes is not %d", f->format, size_B,
                    texels);
      delete_buffer(&b);
      glDeleteProgram(program);
   }
   es3_target_delete(&target);
}

/* ------------------------------------------------------------------------------------- updates */

/* Captures four new words from each of `count` vertices into the buffer. */
static void
capture(struct rules *r, struct buffer *b, int count)
{
   static const char *const names[] = { "captured" };
   const struct es3_capture how = { names, 1, GL_INTERLEAVED_ATTRIBS };
   const int salt = rules_between(r, 1, 1000000);
   GLuint program =
      es3_program_capture(r,
                          "flat out uvec4 captured; uniform int salt;\n"
                          "void main() { gl_Position = vec4(0.0);\n"
                          "   captured = uvec4(gl_VertexID * salt) + uvec4(0, 1, 2, 3); }",
                          es3_fragment_none, &how);
   es3_uniform(program, "salt", salt);
   glBindBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, b->name, 0, 16 * count);
   glEnable(GL_RASTERIZER_DISCARD);
   glBeginTransformFeedback(GL_POINTS);
   glDrawArrays(GL_POINTS, 0, count);
   glEndTransformFeedback();
   glDisable(GL_RASTERIZER_DISCARD);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
   for (int i = 0; i < 4 * count; i++) {
      const uint32_t word = (uint32_t)(i / 4) * (uint32_t)salt + (uint32_t)(i % 4);
      memcpy(b->bytes + 4 * i, &word, 4);
   }
   glDeleteProgram(program);
}

/* A copy of a random part from a new buffer. */
static void
copy_part(struct rules *r, struct buffer *b, int begin_B, int size_B)
{
   GLuint from;
   random_bytes(r, b->bytes + begin_B, size_B);
   glGenBuffers(1, &from);
   glBindBuffer(GL_COPY_READ_BUFFER, from);
   glBufferData(GL_COPY_READ_BUFFER, size_B + 32, NULL, GL_STATIC_DRAW);
   glBufferSubData(GL_COPY_READ_BUFFER, 32, size_B, b->bytes + begin_B);
   glBindBuffer(GL_COPY_WRITE_BUFFER, b->name);
   glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 32, begin_B, size_B);
   glDeleteBuffers(1, &from);
}

static const char *
update(struct rules *r, struct buffer *b)
{
   const int begin_B = 4 * rules_between(r, 0, b->size_B / 4 - 1),
             size_B = 4 * rules_between(r, 1, (b->size_B - begin_B) / 4);
   glBindBuffer(GL_TEXTURE_BUFFER, b->name);
   switch (rules_below(r, 5)) {
   case 0:
      random_bytes(r, b->bytes + begin_B, size_B);
      glBufferSubData(GL_TEXTURE_BUFFER, begin_B, size_B, b->bytes + begin_B);
      return "after glBufferSubData";
   case 1:
      b->size_B = 16 * rules_between(r, 64, 512);
      b->bytes = realloc(b->bytes, (size_t)b->size_B);
      random_bytes(r, b->bytes, b->size_B);
      glBufferData(GL_TEXTURE_BUFFER, b->size_B, b->bytes, GL_STATIC_DRAW);
      return "after glBufferData";
   case 2: {
      random_bytes(r, b->bytes + begin_B, size_B);
      void *mapped = glMapBufferRange(GL_TEXTURE_BUFFER, begin_B, size_B,
                                      GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT);
      memcpy(mapped, b->bytes + begin_B, (size_t)size_B);
      glUnmapBuffer(GL_TEXTURE_BUFFER);
      return "after a map";
   }
   case 3:
      copy_part(r, b, begin_B, size_B);
      return "after glCopyBufferSubData";
   default:
      capture(r, b, rules_between(r, 1, b->size_B / 16));
      return "after transform feedback";
   }
}

/* Draws and updates in turn; each draw sees what was there then. */
void
gl31_buffer_update(struct rules *r)
{
   enum { DRAWS = 6 };
   const struct format *f = &formats[GL31_BUFFER_FORMATS - 1];
   struct es3_target targets[DRAWS];
   for (int i = 0; i < DRAWS; i++)
      targets[i] = es3_target_create(GL_RGBA32UI, SIDE, SIDE);
   while (rules_next(r)) {
      const bool vertex = r->n % 2;
      struct buffer b = random_buffer(r, f, 16 * rules_between(r, 64, 512));
      GLuint program = fetch_program(r, f->kind, vertex);
      struct buffer then[DRAWS];
      const char *what[DRAWS];
      int first[DRAWS];
      for (int i = 0; i < DRAWS; i++) { /* nothing is read before the last draw */
         what[i] = i ? update(r, &b) : "at first";
         then[i] = b;
         then[i].bytes = memcpy(malloc((size_t)b.size_B), b.bytes, (size_t)b.size_B);
         first[i] = rules_between(r, 0, b.size_B / 16);
         es3_target_bind(&targets[i]);
         glUseProgram(program);
         es3_uniform(program, "first", first[i]);
         glDrawArrays(vertex ? GL_POINTS : GL_TRIANGLES, 0, vertex ? SIDE * SIDE : 3);
      }
      for (int i = 0; i < DRAWS; i++) {
         es3_target_bind(&targets[i]);
         uint32_t *have = es3_read_uint(r, SIDE, SIDE);
         check_fetches(r, &then[i], f, first[i], have, what[i]);
         free(have), free(then[i].bytes);
      }
      delete_buffer(&b);
      glDeleteProgram(program);
   }
   for (int i = 0; i < DRAWS; i++)
      es3_target_delete(&targets[i]);
}
