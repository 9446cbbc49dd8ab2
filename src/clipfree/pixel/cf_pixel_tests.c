/* SPDX-License-Identifier: MIT */
/*
 * Alpha, stencil and depth tests of the lanes of a block or a task (paper B, "fragment test"; GL
 * 2.1 sections 4.1.4 to 4.1.6). Compiled once per host vector level.
 *
 * Data flow: pixels of a block (in place) or of eight quads (gathered) -> test_lanes -> updated
 * pixels, and the lanes that pass. One loop without branches serves all states: a comparison is
 * masks of less, equal and greater, a stencil operation the operands of one formula
 * (struct cf_stencil_update).
 */
#include "clipfree/base/cf_inline.h"
#include "clipfree/pixel/cf_pixel_lanes.h"

typedef uint32_t __attribute__((may_alias)) u32_alias;
typedef uint16_t __attribute__((may_alias)) u16_alias;

/* A comparison as masks: all ones for each result that passes (cf_compare_ints). */
struct compare {
   uint32_t less, equal, greater;
};

CF_INLINE struct compare
compare_of(uint32_t func)
{
   return (struct compare){ CF_COMPARE_MASK(func, 0), CF_COMPARE_MASK(func, 1),
                            CF_COMPARE_MASK(func, 2) };
}

CF_INLINE uint32_t
compare_int(struct compare c, int32_t a, int32_t b)
{
   return cf_compare_ints(a, b, c.less, c.equal, c.greater);
}

CF_INLINE uint32_t
compare_float(struct compare c, float a, float b)
{
   return cf_compare_floats(a, b, c.less, c.equal, c.greater,
                            c.less & c.greater); /* with a NaN notequal and always are true */
}

CF_INLINE uint32_t
update_stencil(const struct cf_stencil_update *u, uint32_t stencil)
{
   return cf_stencil_result(stencil, u->and_bits, u->xor_bits, u->add, u->min, u->max);
}

CF_INLINE uint32_t
select_u32(uint32_t mask, uint32_t a, uint32_t b)
{
   return (a & mask) | (b & ~mask);
}

/* Depth and stencil bits of one pixel, depth as it is stored. */
struct zs_pixel {
   uint32_t depth, stencil;
};

CF_INLINE struct zs_pixel
load_zs(enum cf_zs_layout layout, const uint8_t *pixels, uint32_t lane)
{
   switch (layout) {
   case CF_ZS_Z16:
      return (struct zs_pixel){((const u16_alias *)pixels)[lane], 0};
   case CF_ZS_Z24: {
      const uint32_t word = ((const u32_alias *)pixels)[lane];
      return (struct zs_pixel){word & 0xffffff, word >> 24};
   }
   case CF_ZS_Z32F:
      return (struct zs_pixel){((const u32_alias *)pixels)[lane], 0};
   case CF_ZS_Z32F_S8: /* the unused 24 bits are kept in `stencil` */
      return (struct zs_pixel){((const u32_alias *)pixels)[2 * lane], ((const u32_alias *)pixels)[2 * lane + 1]};
   case CF_ZS_S8:
      return (struct zs_pixel){0, pixels[lane]};
   case CF_ZS_NONE:
      break;
   }
   return (struct zs_pixel){0, 0};
}

CF_INLINE void
store_zs(enum cf_zs_layout layout, uint8_t *pixels, uint32_t lane, struct zs_pixel pixel)
{
   switch (layout) {
   case CF_ZS_Z16:
      ((u16_alias *)pixels)[lane] = (uint16_t)pixel.depth;
      break;
   case CF_ZS_Z24:
      ((u32_alias *)pixels)[lane] = pixel.depth | pixel.stencil << 24;
      break;
   case CF_ZS_Z32F:
      ((u32_alias *)pixels)[lane] = pixel.depth;
      break;
   case CF_ZS_Z32F_S8:
      ((u32_alias *)pixels)[2 * lane] = pixel.depth;
      ((u32_alias *)pixels)[2 * lane + 1] = pixel.stencil;
      break;
   case CF_ZS_S8:
      pixels[lane] = (uint8_t)pixel.stencil;
      break;
   case CF_ZS_NONE:
      break;
   }
}

/* Test and update `lanes` pixels, packed as in memory; only lanes in the mask change. All are of
 * one face. Layout, stencil and lanes are compile-time constants. Returns the lanes that pass. */
CF_INLINE uint32_t
test_lanes(const struct cf_pixel_config *config, const struct cf_stencil_face *face, enum cf_zs_layout layout, bool stencil,
           uint32_t lanes, uint8_t *restrict pixels, uint32_t mask, const float *restrict depth)
{
   const bool has_depth = layout != CF_ZS_S8, is_float = layout == CF_ZS_Z32F || layout == CF_ZS_Z32F_S8;
   const struct compare depth_compare = compare_of(config->depth_test ? config->depth_stencil.depth_func : CF_COMPARE_ALWAYS);
   const struct compare stencil_compare = compare_of(face->func);
   const uint32_t depth_write = config->depth_write ? ~0u : 0;
   const struct cf_stencil_face f = *face;
   uint32_t result = 0;
   for (uint32_t i = 0; i < lanes; i++) {
      const uint32_t in = lane_in(mask, i);
      struct zs_pixel pixel = load_zs(layout, pixels, i);
      uint32_t pass = in, depth_pass = ~0u, new_depth = 0;
      if (has_depth) {
         new_depth = depth_to_stored(layout, depth[i]);
         depth_pass = is_float ? compare_float(depth_compare, cf_float(new_depth), cf_float(pixel.depth))
                               : compare_int(depth_compare, (int32_t)new_depth, (int32_t)pixel.depth);
      }
      if (stencil) {
         const uint32_t old = pixel.stencil & 255;
         const uint32_t stencil_pass = compare_int(stencil_compare, (int32_t)f.ref, (int32_t)(old & f.value_mask));
         const uint32_t passed = select_u32(depth_pass, update_stencil(&f.zpass, old), update_stencil(&f.zfail, old));
         const uint32_t s = select_u32(stencil_pass, passed, update_stencil(&f.fail, old));
         pixel.stencil ^= (s ^ old) & f.write_mask & in;
         pass &= stencil_pass;
      }
      pass &= depth_pass;
      if (has_depth)
         pixel.depth = select_u32(pass & depth_write, new_depth, pixel.depth);
      store_zs(layout, pixels, i, pixel);
      result |= pass & cf_lane_bit[i];
   }
   return result;
}

/* test_lanes, specialised for the draw's layout and stencil test. */
CF_INLINE uint32_t
test_pixels(const struct cf_pixel_config *config, const struct cf_stencil_face *face, uint32_t lanes, uint8_t *pixels,
            uint32_t mask, const float *depth)
{
   const bool stencil = config->stencil_test;
   switch (config->zs_layout) {
   case CF_ZS_Z16:
      return test_lanes(config, face, CF_ZS_Z16, false, lanes, pixels, mask, depth);
   case CF_ZS_Z24:
      return stencil ? test_lanes(config, face, CF_ZS_Z24, true, lanes, pixels, mask, depth)
                     : test_lanes(config, face, CF_ZS_Z24, false, lanes, pixels, mask, depth);
   case CF_ZS_Z32F:
      return test_lanes(config, face, CF_ZS_Z32F, false, lanes, pixels, mask, depth);
   case CF_ZS_Z32F_S8:
      return stencil ? test_lanes(config, face, CF_ZS_Z32F_S8, true, lanes, pixels, mask, depth)
                     : test_lanes(config, face, CF_ZS_Z32F_S8, false, lanes, pixels, mask, depth);
   case CF_ZS_S8:
      return test_lanes(config, face, CF_ZS_S8, true, lanes, pixels, mask, depth);
   case CF_ZS_NONE:
      break;
   }
   return mask;
}

static uint32_t
test_16(const struct cf_pixel_config *config, const struct cf_stencil_face *face, uint8_t *pixels, uint32_t mask,
        const float *depth)
{
   return test_pixels(config, face, 16, pixels, mask, depth);
}

static uint32_t
test_32(const struct cf_pixel_config *config, const struct cf_stencil_face *face, uint8_t *pixels, uint32_t mask,
        const float *depth)
{
   return test_pixels(config, face, CF_TASK_LANES, pixels, mask, depth);
}

/* Test lanes of both faces; `front`: those of front-facing primitives. */
static uint32_t
test_faces(const struct cf_pixel_config *config, uint8_t *pixels, uint32_t mask, const float *depth, uint32_t front)
{
   if (!config->two_sided || !config->stencil_test)
      return test_32(config, &config->stencil[0], pixels, mask, depth);
   return test_32(config, &config->stencil[0], pixels, mask & front, depth) |
          test_32(config, &config->stencil[1], pixels, mask & ~front, depth);
}

CF_INLINE uint32_t
test_quads_in_blocks(const struct cf_pixel_config *config, uint32_t pixel_B, const struct cf_quad *quads, uint32_t count,
                     uint32_t mask, const float *depth, uint32_t front)
{
   _Alignas(64) uint8_t pixels[CF_TASK_LANES * 8], spare[4 * 8] = {0};
   uint8_t *at[CF_TASK_QUADS];
   locate_quads(&config->zs, quads, count, pixel_B, spare, at);
   gather_quads(at, pixel_B, pixels);
   const uint32_t pass = test_faces(config, pixels, mask, depth, front);
   scatter_quads(at, pixel_B, pixels);
   return pass;
}

/* Linear layout: only lanes in mask are accessed, the others may lie outside of the image. */
static uint32_t
test_quads_in_rows(const struct cf_pixel_config *config, const struct cf_quad *quads, uint32_t mask, const float *depth,
                   uint32_t front)
{
   _Alignas(64) uint8_t pixels[CF_TASK_LANES * 8] = {0};
   const uint32_t pixel_B = config->zs.format->pixel_B;
   for (uint32_t i = 0; i < CF_TASK_LANES; i++) {
      if (mask >> i & 1)
         memcpy(pixels + i * pixel_B, lane_pixel(&config->zs, quads, i), pixel_B);
   }
   const uint32_t pass = test_faces(config, pixels, mask, depth, front);
   for (uint32_t i = 0; i < CF_TASK_LANES; i++) {
      if (mask >> i & 1)
         memcpy(lane_pixel(&config->zs, quads, i), pixels + i * pixel_B, pixel_B);
   }
   return pass;
}

/* Stencil and depth tests of quads. */
static uint32_t
test_zs_quads(const struct cf_pixel_config *config, const struct cf_quad *quads, uint32_t count, uint32_t mask,
              const float *depth, uint32_t front)
{
   static const float no_depth[CF_TASK_LANES];
   if (!depth)
      depth = no_depth;
   if (!config->zs.blocks)
      return test_quads_in_rows(config, quads, mask, depth, front);
   switch (config->zs.format->pixel_B) {
   case 1:
      return test_quads_in_blocks(config, 1, quads, count, mask, depth, front);
   case 2:
      return test_quads_in_blocks(config, 2, quads, count, mask, depth, front);
   case 4:
      return test_quads_in_blocks(config, 4, quads, count, mask, depth, front);
   default:
      return test_quads_in_blocks(config, 8, quads, count, mask, depth, front);
   }
}

uint32_t
CF_LANES(cf_pixel_test_block)(const struct cf_pixel_config *config, uint32_t x_px, uint32_t y_px, uint32_t mask,
                              const float depth[16], bool front)
{
   const struct cf_image *zs = &config->zs;
   if (!config->tests_needed)
      return mask;
   if (!zs->blocks) {
      struct cf_quad quads[4] = {{.x_px = (uint16_t)x_px, .y_px = (uint16_t)y_px}};
      float lane_depth[CF_TASK_LANES] = {0};
      for (uint32_t q = 0; q < 4; q++) {
         quads[q].x_px = (uint16_t)(x_px + (q & 1) * 2);
         quads[q].y_px = (uint16_t)(y_px + (q >> 1) * 2);
      }
      memcpy(lane_depth, depth, 16 * sizeof(float));
      return test_zs_quads(config, quads, 4, mask, lane_depth, front ? ~0u : 0);
   }
   uint8_t *pixels = zs->data + (size_t)(y_px / 4) * zs->row_pitch_B + (size_t)(x_px / 4) * 16 * zs->format->pixel_B;
   return test_16(config, &config->stencil[front ? 0 : 1], pixels, mask, depth);
}

/* Alpha to coverage (GL 2.1 section 4.1.3): lanes whose alpha covers the sample. Alpha need not be
 * clamped: all thresholds lie in (0, 1). */
uint32_t
CF_LANES(cf_pixel_alpha_coverage)(const struct cf_pixel_config *config, const float *color0_alpha, uint32_t sample)
{
   const float threshold = ((float)sample + 0.5f) / (float)config->samples;
   uint32_t result = 0;
   for (uint32_t i = 0; i < CF_TASK_LANES; i++)
      result |= color0_alpha[i] > threshold ? cf_lane_bit[i] : 0;
   return result;
}

/* The alpha test (GL 2.1 section 4.1.4). */
static uint32_t
test_alpha(const struct cf_pixel_config *config, const float *alpha)
{
   const struct compare compare = compare_of(config->depth_stencil.alpha_func);
   const float ref = config->alpha_clamp ? cf_fsat(config->depth_stencil.alpha_ref) : config->depth_stencil.alpha_ref;
   const uint32_t clamp = config->alpha_clamp ? ~0u : 0;
   uint32_t result = 0;
   for (uint32_t i = 0; i < CF_TASK_LANES; i++) {
      const float x = config->alpha_to_one ? 1.0f : alpha[i];
      const float a = cf_float(select_u32(clamp, cf_bits(cf_fsat(x)), cf_bits(x)));
      result |= compare_float(compare, a, ref) & cf_lane_bit[i];
   }
   return result;
}

uint32_t
CF_LANES(cf_pixel_test_quads)(const struct cf_pixel_config *config, const struct cf_quad *quads, uint32_t count, uint32_t mask,
                              const float *depth, const float *color0_alpha, uint32_t front)
{
   mask &= lanes_of_quads(count);
   if (config->alpha_test)
      mask &= test_alpha(config, color0_alpha);
   if (!config->tests_needed || config->early_tests || !mask)
      return mask;
   return test_zs_quads(config, quads, count, mask, depth, front);
}
