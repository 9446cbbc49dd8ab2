/* SPDX-License-Identifier: MIT */
#include "clipfree/pixel/cf_pixel_explain.h"

#include <math.h>
#include <string.h>

/* With a NaN only notequal and always are true. */
static bool
compare(enum cf_compare func, double a, double b)
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
   return true;
}

/* NaN gives 0. */
static double
clamped(double v)
{
   return v > 0 ? (v < 1 ? v : 1) : 0;
}

bool
cf_pixel_explain_alpha(const struct cf_pixel_config *config, float alpha)
{
   const double a = config->alpha_to_one ? 1 : (double)alpha,
                ref = (double)config->depth_stencil.alpha_ref;
   if (!config->depth_stencil.alpha_test)
      return true;
   if (config->alpha_clamp)
      return compare(config->depth_stencil.alpha_func, clamped(a), clamped(ref));
   return compare(config->depth_stencil.alpha_func, a, ref);
}

static bool
passes_stencil(const struct cf_pixel_config *config, const uint32_t zs[2], bool front)
{
   const struct cf_depth_stencil *ds = &config->depth_stencil;
   const bool back = ds->stencil_back && !front;
   const uint32_t stored = config->zs_layout == CF_ZS_Z24       ? zs[0] >> 24
                           : config->zs_layout == CF_ZS_Z32F_S8 ? zs[1] & 255
                                                                : zs[0] & 255;
   const uint32_t ref = back ? config->stencil_ref.back : config->stencil_ref.front;
   const uint32_t mask = back ? ds->back_value_mask : ds->front_value_mask;
   return !config->stencil_test ||
          compare(back ? ds->back_func : ds->front_func, ref & mask, stored & mask);
}

/* A depth as it is stored: clamped; in n bits round(depth (2^n - 1)). */
static double
stored_depth(enum cf_zs_layout layout, float depth)
{
   const double z = clamped((double)depth);
   return layout == CF_ZS_Z16   ? floor(z * 0xffff + 0.5)
          : layout == CF_ZS_Z24 ? floor(z * 0xffffff + 0.5)
                                : z;
}

static bool
passes_depth(const struct cf_pixel_config *config, const uint32_t zs[2], float depth)
{
   const enum cf_zs_layout layout = config->zs_layout;
   float f;
   memcpy(&f, &zs[0], sizeof(f));
   const double old = layout == CF_ZS_Z16   ? zs[0] & 0xffff
                      : layout == CF_ZS_Z24 ? zs[0] & 0xffffff
                                            : (double)f;
   return !config->depth_test ||
          compare(config->depth_stencil.depth_func, stored_depth(layout, depth), old);
}

enum cf_fate
cf_pixel_explain_tests(const struct cf_pixel_config *config, const uint32_t zs[2], float depth,
                       bool front)
{
   if (!passes_stencil(config, zs, front))
      return CF_FATE_STENCIL;
   return passes_depth(config, zs, depth) ? CF_FATE_WRITTEN : CF_FATE_DEPTH;
}

enum cf_fate
cf_pixel_explain(const struct cf_pixel_config *config, const uint32_t zs[2], float depth,
                 float alpha, bool front)
{
   if (!cf_pixel_explain_alpha(config, alpha))
      return CF_FATE_ALPHA;
   if (config->early_tests)
      return CF_FATE_WRITTEN; /* it passed stencil and depth before the program */
   return cf_pixel_explain_tests(config, zs, depth, front);
}
