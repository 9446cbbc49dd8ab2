/* SPDX-License-Identifier: MIT */
/*
 * What tests of depth and stencil share: GL's rules written out for one pixel, random states,
 * depths and planes.
 */
#ifndef CF_TEST_PIXEL_ZS_H
#define CF_TEST_PIXEL_ZS_H

#include "clipfree/pixel/cf_pixel_explain.h"
#include "clipfree/pixel/test_pixel.h"
#include "clipfree/primitive/cf_prim.h"

static const enum cf_format zs_formats[] = {
   CF_FORMAT_Z16_UNORM, CF_FORMAT_Z24_UNORM_S8_UINT,    CF_FORMAT_Z24X8_UNORM,
   CF_FORMAT_Z32_FLOAT, CF_FORMAT_Z32_FLOAT_S8X24_UINT, CF_FORMAT_S8_UINT
};

/* ------------------------------------------------------------------ reference */

/* A pixel of any depth/stencil format: depth as stored, as a number. */
struct ref_pixel {
   double depth;
   uint32_t stencil;
};

static inline struct ref_pixel
ref_load(enum cf_format format, const uint8_t *p)
{
   uint32_t word = 0;
   float f;
   memcpy(&word, p,
          cf_format_info_of(format)->pixel_B < 4 ? cf_format_info_of(format)->pixel_B : 4);
   memcpy(&f, &word, 4);
   switch (format) {
   case CF_FORMAT_Z16_UNORM:
      return (struct ref_pixel){ word, 0 };
   case CF_FORMAT_Z32_FLOAT:
      return (struct ref_pixel){ (double)f, 0 };
   case CF_FORMAT_Z32_FLOAT_S8X24_UINT:
      return (struct ref_pixel){ (double)f, p[4] };
   case CF_FORMAT_S8_UINT:
      return (struct ref_pixel){ 0, word };
   default:
      return (struct ref_pixel){ word & 0xffffff, word >> 24 };
   }
}

static inline double
ref_quantise(enum cf_format format, float z)
{
   const double clamped = z > 0 ? (z < 1 ? (double)z : 1.0) : 0.0;
   switch (format) {
   case CF_FORMAT_Z16_UNORM:
      return floor(clamped * 65535 + 0.5);
   case CF_FORMAT_Z24_UNORM_S8_UINT:
   case CF_FORMAT_Z24X8_UNORM:
      return floor(clamped * 16777215 + 0.5);
   default:
      return clamped;
   }
}

static inline bool
ref_compare(enum cf_compare func, double a, double b)
{
   switch (func) {
   case CF_COMPARE_NEVER:
      return false;
   case CF_COMPARE_LESS:
      return a < b;
   case CF_COMPARE_EQUAL:
      return a == b;
   case CF_COMPARE_LEQUAL:
      return a <= b;
   case CF_COMPARE_GREATER:
      return a > b;
   case CF_COMPARE_NOTEQUAL:
      return a != b;
   case CF_COMPARE_GEQUAL:
      return a >= b;
   case CF_COMPARE_ALWAYS:
      return true;
   }
   return false;
}

static inline uint32_t
ref_stencil_op(enum cf_stencil_op op, uint32_t s, uint32_t ref)
{
   switch (op) {
   case CF_STENCIL_OP_KEEP:
      return s;
   case CF_STENCIL_OP_ZERO:
      return 0;
   case CF_STENCIL_OP_REPLACE:
      return ref;
   case CF_STENCIL_OP_INCR:
      return s == 255 ? 255 : s + 1;
   case CF_STENCIL_OP_DECR:
      return s == 0 ? 0 : s - 1;
   case CF_STENCIL_OP_INCR_WRAP:
      return s == 255 ? 0 : s + 1;
   case CF_STENCIL_OP_DECR_WRAP:
      return s == 0 ? 255 : s - 1;
   case CF_STENCIL_OP_INVERT:
      return ~s & 255;
   }
   return s;
}

/* One fragment: returns what becomes of it, and changes the pixel. */
static inline enum cf_fate
ref_test(const struct cf_pixel_config *c, enum cf_format format, struct ref_pixel *pixel, float z,
         bool front)
{
   const struct cf_depth_stencil *ds = &c->depth_stencil;
   const bool has_depth = format != CF_FORMAT_S8_UINT;
   const bool has_stencil = format == CF_FORMAT_S8_UINT || format == CF_FORMAT_Z24_UNORM_S8_UINT ||
                            format == CF_FORMAT_Z32_FLOAT_S8X24_UINT;
   const double incoming = ref_quantise(format, z);
   const bool depth_on = has_depth && ds->depth_test;
   const bool depth_pass = !depth_on || ref_compare(ds->depth_func, incoming, pixel->depth);
   bool stencil_pass = true;
   if (has_stencil && ds->stencil_front) {
      const bool back = ds->stencil_back && !front;
      const uint32_t ref = back ? c->stencil_ref.back : c->stencil_ref.front;
      const uint32_t value_mask = back ? ds->back_value_mask : ds->front_value_mask;
      const uint32_t write_mask = back ? ds->back_write_mask : ds->front_write_mask;
      stencil_pass = ref_compare(back ? ds->back_func : ds->front_func, ref & value_mask,
                                 pixel->stencil & value_mask);
      const enum cf_stencil_op op = !stencil_pass ? (back ? ds->back_fail : ds->front_fail)
                                    : !depth_pass ? (back ? ds->back_zfail : ds->front_zfail)
                                                  : (back ? ds->back_zpass : ds->front_zpass);
      pixel->stencil =
         (pixel->stencil & ~write_mask) | (ref_stencil_op(op, pixel->stencil, ref) & write_mask);
   }
   if (stencil_pass && depth_pass && depth_on && ds->depth_write)
      pixel->depth = incoming;
   return !stencil_pass ? CF_FATE_STENCIL : !depth_pass ? CF_FATE_DEPTH : CF_FATE_WRITTEN;
}

/* ------------------------------------------------------------------ random states */

static inline uint32_t
one_of(uint32_t a, uint32_t b)
{
   return cf_random_below(&rng, 2) ? a : b;
}

static inline struct cf_depth_stencil
random_depth_stencil(void)
{
   return (struct cf_depth_stencil){
      .depth_test = cf_random_below(&rng, 4) > 0,
      .depth_write = cf_random_below(&rng, 3) > 0,
      .depth_func = cf_random_below(&rng, 8),
      .alpha_test = cf_random_below(&rng, 3) == 0,
      .alpha_func = cf_random_below(&rng, 8),
      .stencil_front = cf_random_below(&rng, 2),
      .stencil_back = cf_random_below(&rng, 2),
      .front_func = cf_random_below(&rng, 8),
      .front_fail = cf_random_below(&rng, 8),
      .front_zfail = cf_random_below(&rng, 8),
      .front_zpass = cf_random_below(&rng, 8),
      .back_func = cf_random_below(&rng, 8),
      .back_fail = cf_random_below(&rng, 8),
      .back_zfail = cf_random_below(&rng, 8),
      .back_zpass = cf_random_below(&rng, 8),
      .front_value_mask = one_of(255, cf_random_below(&rng, 256)),
      .front_write_mask = one_of(255, cf_random_below(&rng, 256)),
      .back_value_mask = one_of(255, cf_random_below(&rng, 256)),
      .back_write_mask = one_of(255, cf_random_below(&rng, 256)),
      .alpha_ref = cf_random_below(&rng, 3) ? 0.5f : (float)cf_random_below(&rng, 3) - 0.5f,
   };
}

/* Depths near what is stored, at the ends of the range, and outside it. */
static inline float
random_depth(enum cf_format format, const uint8_t *pixel)
{
   static const float special[] = { 0.0f, 1.0f,   0.5f,   -0.0f,          -1.0f,
                                    2.0f, 1e-30f, 1e-42f, 0x1.fffffep-1f, 0x1.fffffep-2f };
   switch (cf_random_below(&rng, 4)) {
   case 0:
      return special[cf_random_below(&rng, 10)];
   case 1:
      return cf_random_below(&rng, 2) ? NAN : (cf_random_below(&rng, 2) ? INFINITY : -INFINITY);
   case 2: {
      const double max = format == CF_FORMAT_Z16_UNORM   ? 65535
                         : format == CF_FORMAT_Z32_FLOAT ? 1
                                                         : 16777215;
      const double near = ref_load(format, pixel).depth + (double)cf_random_below(&rng, 5) / 2 - 1;
      return (float)(near / max);
   }
   default:
      return (float)cf_random_u32(&rng) * 0x1p-32f;
   }
}

/* Stencil values and float depths worth testing; integer depths are random as they are. */
static inline void
tame_surface(struct test_surface *s)
{
   static const uint8_t stencils[] = { 0, 1, 127, 128, 254, 255 };
   const enum cf_format format = s->image.format->code;
   for (size_t i = 0; i + s->image.format->pixel_B <= s->size_B; i += s->image.format->pixel_B) {
      const uint8_t stencil = stencils[cf_random_below(&rng, 6)];
      const float z = cf_random_below(&rng, 8) ? (float)cf_random_below(&rng, 3) * 0.5f : NAN;
      if (format == CF_FORMAT_Z32_FLOAT || format == CF_FORMAT_Z32_FLOAT_S8X24_UINT)
         memcpy(s->before + i, &z, 4);
      if (format == CF_FORMAT_Z24_UNORM_S8_UINT)
         s->before[i + 3] = stencil;
      else if (format == CF_FORMAT_Z32_FLOAT_S8X24_UINT)
         s->before[i + 4] = stencil;
      else if (format == CF_FORMAT_S8_UINT)
         s->before[i] = stencil;
   }
   test_surface_reset(s);
}

/* A depth plane: near what is stored in a pixel of the surface, steep, or no number at all; and the
 * range it is clamped to. */
static inline struct cf_prim
random_plane(const struct test_surface *s)
{
   static const double slopes[] = { 0, 0, 0x1p-24, -0x1p-16, 0.01, -0.3, 1e30, -INFINITY, NAN };
   const struct cf_image *image = &s->image;
   const uint32_t x = cf_random_below(&rng, image->width_px),
                  y = cf_random_below(&rng, image->height_px);
   struct cf_prim prim = { .z_a = slopes[cf_random_below(&rng, cf_random_below(&rng, 4) ? 6 : 9)],
                           .z_b = slopes[cf_random_below(&rng, cf_random_below(&rng, 4) ? 6 : 9)],
                           .front = cf_random_below(&rng, 2),
                           .z_max = 1 };
   prim.z_c = random_depth(image->format->code, s->before + cf_image_offset_B(image, x, y)) -
              (prim.z_a * x + prim.z_b * y);
   if (cf_random_below(&rng, 2))
      prim.z_min = random_depth(CF_FORMAT_Z32_FLOAT, (const uint8_t[8]){ 0 });
   if (cf_random_below(&rng, 4) == 0)
      prim.z_max = cf_random_below(&rng, 2) ? INFINITY : (float)cf_random_u32(&rng) * 0x1p-32f;
   prim.z_min = prim.z_min == prim.z_min ? prim.z_min : -INFINITY;
   return prim;
}

/* Depth at a place of a pixel, one operation after the other. */
static inline float
plane_at(const struct cf_prim *prim, double x, double y)
{
   const float z = (float)((prim->z_a * x + prim->z_b * y) + prim->z_c);
   const float above = z > prim->z_min ? z : prim->z_min;
   return above < prim->z_max ? above : prim->z_max;
}

#endif
