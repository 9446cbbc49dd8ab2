/* SPDX-License-Identifier: MIT
 *
 * glReadPixels: every colour format, all formats and types that it may be asked for, pack
 * parameters, rectangles that reach out of the frame buffer; not a byte written that is not a
 * pixel's.
 */
#include "colour_source.h"
#include "texture_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PX = 40, GUARD = 0xa5 };

struct read_format {
   GLenum format, type;
   int pixel_B;
   int bits[4]; /* r, g, b, a: the coarsest step; 0: floats */
   void (*decode)(const uint8_t *p, double rgba[4]);
};

static uint32_t
short_at(const uint8_t *p)
{
   uint16_t value;
   memcpy(&value, p, sizeof(value));
   return value;
}

static double
half_at(const uint8_t *p)
{
   return half_to_double((uint16_t)short_at(p));
}

static double
float_at(const uint8_t *p)
{
   float value;
   memcpy(&value, p, sizeof(value));
   return value;
}

#define DECODE(name, r, g, b, a)                                                                                       \
   static void name(const uint8_t *p, double rgba[4])                                                                  \
   {                                                                                                                   \
      rgba[0] = (r), rgba[1] = (g), rgba[2] = (b), rgba[3] = (a);                                                      \
   }
#define BITS(low, bits) ((short_at(p) >> (low) & ((1 << (bits)) - 1)) / (double)((1 << (bits)) - 1))
DECODE(rgba8, p[0] / 255.0, p[1] / 255.0, p[2] / 255.0, p[3] / 255.0)
DECODE(bgra8, p[2] / 255.0, p[1] / 255.0, p[0] / 255.0, p[3] / 255.0)
DECODE(rgb8, p[0] / 255.0, p[1] / 255.0, p[2] / 255.0, 1)
DECODE(rgb565, BITS(11, 5), BITS(5, 6), BITS(0, 5), 1)
DECODE(rgba4444, BITS(12, 4), BITS(8, 4), BITS(4, 4), BITS(0, 4))
DECODE(rgba5551, BITS(11, 5), BITS(6, 5), BITS(1, 5), BITS(0, 1))
DECODE(bgra4444_rev, BITS(8, 4), BITS(4, 4), BITS(0, 4), BITS(12, 4))
DECODE(bgra1555_rev, BITS(10, 5), BITS(5, 5), BITS(0, 5), BITS(15, 1))
DECODE(rgba4444_rev, BITS(0, 4), BITS(4, 4), BITS(8, 4), BITS(12, 4))
DECODE(rgba1555_rev, BITS(0, 5), BITS(5, 5), BITS(10, 5), BITS(15, 1))
DECODE(rgba_half, half_at(p), half_at(p + 2), half_at(p + 4), half_at(p + 6))
DECODE(rgba_float, float_at(p), float_at(p + 4), float_at(p + 8), float_at(p + 12))
DECODE(rg8, p[0] / 255.0, p[1] / 255.0, 0, 1)
DECODE(r8, p[0] / 255.0, 0, 0, 1)

#define HALF_FLOAT_ES3 0x140b /* OpenGL ES 3's number of GL_HALF_FLOAT_OES */

static const struct read_format read_formats[] = {
   /* of frame buffers of normalised colours: section 4.3.1, and GL_EXT_read_format_bgra */
   { GL_RGBA, GL_UNSIGNED_BYTE, 4, { 8, 8, 8, 8 }, rgba8 },
   { GL_BGRA_EXT, GL_UNSIGNED_BYTE, 4, { 8, 8, 8, 8 }, bgra8 },
   { GL_BGRA_EXT, GL_UNSIGNED_SHORT_4_4_4_4_REV_EXT, 2, { 4, 4, 4, 4 }, bgra4444_rev },
   { GL_BGRA_EXT, GL_UNSIGNED_SHORT_1_5_5_5_REV_EXT, 2, { 5, 5, 5, 1 }, bgra1555_rev },
   /* of frame buffers of floats: GL_EXT_color_buffer_half_float */
   { GL_RGBA, GL_FLOAT, 16, { 0, 0, 0, 0 }, rgba_float },
   /* what GL_IMPLEMENTATION_COLOR_READ_FORMAT and _TYPE may name besides */
   { GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4_REV_EXT, 2, { 4, 4, 4, 4 }, rgba4444_rev },
   { GL_RGBA, GL_UNSIGNED_SHORT_1_5_5_5_REV_EXT, 2, { 5, 5, 5, 1 }, rgba1555_rev },
   { GL_RGB, GL_UNSIGNED_BYTE, 3, { 8, 8, 8, 0 }, rgb8 },
   { GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2, { 5, 6, 5, 0 }, rgb565 },
   { GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, 2, { 4, 4, 4, 4 }, rgba4444 },
   { GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, 2, { 5, 5, 5, 1 }, rgba5551 },
   { GL_RGBA, GL_HALF_FLOAT_OES, 8, { 0, 0, 0, 0 }, rgba_half },
   { GL_RGBA, HALF_FLOAT_ES3, 8, { 0, 0, 0, 0 }, rgba_half },
   { GL_RG_EXT, GL_UNSIGNED_BYTE, 2, { 8, 8, 0, 0 }, rg8 },
   { GL_RED_EXT, GL_UNSIGNED_BYTE, 1, { 8, 0, 0, 0 }, r8 },
};
enum { READ_FORMATS = sizeof(read_formats) / sizeof(read_formats[0]), BGRA_FORMATS = 3, OF_FLOATS = 1 + BGRA_FORMATS };

static const struct read_format *
implementation_format(struct rules *r, const struct source *s)
{
   GLint format, type;
   glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_FORMAT, &format);
   glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_TYPE, &type);
   for (int i = 0; i < READ_FORMATS; i++)
      if (read_formats[i].format == (GLenum)format && read_formats[i].type == (GLenum)type)
         return &read_formats[i];
   rules_fail(r, "the implementation's read format of %s is %x, %x: not known", s->format->name,
              format, type);
}

/* What the frame buffer's colours must be readable as, or the implementation's choice. */
static const struct read_format *
choose_format(struct rules *r, const struct source *s)
{
   if (rules_chance(r, 40))
      return implementation_format(r, s);
   if (s->format->bits[0] == 11)
      return &read_formats[OF_FLOATS];
   return &read_formats[has_extension("GL_EXT_read_format_bgra") ? rules_below(r, 1 + BGRA_FORMATS) : 0];
}

static double
half_step(int bits)
{
   return bits == 0 || bits == 4 || bits == 8 ? 0 : 0.5 / ((1 << bits) - 1);
}

/* What is lost of k / 15 in the frame buffer and on the way out of it. */
static double
tolerance(const struct source *s, const struct read_format *f, int c)
{
   const int bits = s->format->bits[c];
   if (bits == 11 || f->bits[c] == 0)
      return 1e-3 + half_step(bits) + (f->bits[c] == 0 ? 0 : 0.5 / ((1 << f->bits[c]) - 1));
   const bool exact = bits == 4 || bits == 8;
   return 1e-6 + half_step(bits) +
          (exact || bits == 0 ? half_step(f->bits[c]) : 0.5 / ((1 << f->bits[c]) - 1));
}

static void
set_pack(int alignment_B, int row_length, int skip_pixels, int skip_rows)
{
   glPixelStorei(GL_PACK_ALIGNMENT, alignment_B);
   if (has_extension("GL_NV_pack_subimage")) {
      glPixelStorei(GL_PACK_ROW_LENGTH_NV, row_length);
      glPixelStorei(GL_PACK_SKIP_PIXELS_NV, skip_pixels);
      glPixelStorei(GL_PACK_SKIP_ROWS_NV, skip_rows);
   }
}

static void
expect_read(struct rules *r, const struct source *s)
{
   static const int alignments_B[] = { 1, 2, 4, 8 };
   const struct read_format *f = choose_format(r, s);
   const int alignment_B = rules_pick(r, alignments_B);
   const bool sub = has_extension("GL_NV_pack_subimage") && rules_chance(r, 40);
   const bool outside = rules_chance(r, 30);
   const int x = outside ? rules_between(r, -9, s->width + 9) : rules_between(r, 0, s->width - 1);
   const int y = outside ? rules_between(r, -9, s->height + 9) : rules_between(r, 0, s->height - 1);
   const int width = outside ? rules_between(r, 0, MOST_PX) : rules_between(r, 1, s->width - x);
   const int height = outside ? rules_between(r, 0, MOST_PX) : rules_between(r, 1, s->height - y);
   const int skip_x = sub ? rules_between(r, 0, 4) : 0, skip_y = sub ? rules_between(r, 0, 3) : 0;
   const int length = sub ? width + skip_x + rules_between(r, 0, 5) : width;
   const int row_B = (length * f->pixel_B + alignment_B - 1) / alignment_B * alignment_B;
   const size_t size_B = (size_t)row_B * (size_t)(skip_y + height + 1);
   uint8_t *memory = malloc(size_B + 1);
   memset(memory, GUARD, size_B);
   set_pack(alignment_B, sub ? length : 0, skip_x, skip_y);
   glReadPixels(x, y, width, height, f->format, f->type, memory);
   const GLenum error = glGetError();
   set_pack(4, 0, 0, 0);
   if (error)
      rules_fail(r, "%s: glReadPixels(%d, %d, %d, %d, %x, %x): error %x", s->format->name, x, y,
                 width, height, f->format, f->type, error);
   for (size_t b = 0; b < size_B; b++) {
      const int j = (int)(b / (size_t)row_B) - skip_y,
                i = (int)(b % (size_t)row_B) / f->pixel_B - skip_x;
      const bool pixel = i >= 0 && i < width && j >= 0 && j < height;
      if (!pixel && memory[b] != GUARD)
         rules_fail(r,
                    "%s: glReadPixels(%d, %d, %d, %d, %x, %x) writes byte %d, which is no pixel's",
                    s->format->name, x, y, width, height, f->format, f->type, (int)b);
   }
   for (int j = 0; j < height; j++)
      for (int i = 0; i < width; i++) {
         double have[4];
         if (x + i < 0 || y + j < 0 || x + i >= s->width || y + j >= s->height)
            continue; /* section 4.3.1: undefined */
         const double *wanted = s->pixel[(y + j) * s->width + x + i];
         f->decode(memory + (size_t)(skip_y + j) * row_B + (size_t)(skip_x + i) * f->pixel_B, have);
         for (int c = 0; c < 4; c++) {
            const bool given = f->format == GL_RGBA || f->format == GL_BGRA_EXT ||
                               strchr(s->format->components, "rgba"[c]);
            if (given && fabs(have[c] - wanted[c]) > tolerance(s, f, c))
               rules_fail(r, "%s: glReadPixels(%d, %d, %d, %d, %x, %x): channel %d of pixel (%d, %d) is %f, not %f +- %f",
                          s->format->name, x, y, width, height, f->format, f->type, c, x + i, y + j, have[c], wanted[c],
                          tolerance(s, f, c));
         }
      }
   rules_hash(r, memory, outside ? 0 : size_B);
   free(memory);
}

void
fbo_read_pixels(struct rules *r)
{
   source_context();
   while (rules_next(r)) {
      struct source s = { .format = &colour_formats[r->n % COLOUR_FORMATS],
                          .width = rules_between(r, 1, MOST_PX),
                          .height = rules_between(r, 1, MOST_PX) };
      if (!source_supported(&s))
         continue;
      if (source_create(&s)) {
         source_fill(r, &s);
         for (int i = 0; i < 6; i++)
            expect_read(r, &s);
      }
      source_delete(&s);
   }
}
