/* SPDX-License-Identifier: MIT */
#include "heat/heat_scale.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ colours */

static uint8_t
srgb_code(double linear)
{
   const double clamped = fmin(fmax(linear, 0), 1);
   const double code =
      clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * pow(clamped, 1 / 2.4) - 0.055;
   return (uint8_t)lrint(255 * code);
}

/* A colour of Oklab (B. Ottosson 2020), where equal distances look equal: lightness, chroma, hue in
 * degrees. */
static void
oklch(double lightness, double chroma, double hue, uint8_t rgb[3])
{
   const double radians = hue * 3.14159265358979323846 / 180;
   const double a = chroma * cos(radians), b = chroma * sin(radians);
   const double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3),
                m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3),
                s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
   rgb[0] = srgb_code(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
   rgb[1] = srgb_code(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
   rgb[2] = srgb_code(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
}

/* From blue over red to yellow, in even steps of lightness, which every kind of sight tells
 * apart. */
static void
heat(double t, uint8_t rgb[3])
{
   oklch(0.34 + 0.58 * t, 0.13 + 0.04 * sin(3.14159265358979323846 * t), 275 + 185 * t, rgb);
}

/* ------------------------------------------------------------------ scales */

#define BINS 65536
#define FEW 16 /* counts up to it have a step each, however rare */

/* A count that less than 1 in 200 of those above 0 exceed; at least 1. */
static uint32_t
top_of(const uint32_t *count, size_t pixels, uint32_t max)
{
   const uint32_t width = max / BINS + 1;
   uint64_t *bins = calloc(BINS, sizeof(*bins)), drawn = 0, above = 0;
   if (!bins)
      return max;
   for (size_t i = 0; i < pixels; i++) {
      bins[count[i] / width] += count[i] > 0;
      drawn += count[i] > 0;
   }
   uint32_t bin = max / width;
   while (bin > 0 && (above + bins[bin]) * 200 < drawn)
      above += bins[bin--];
   free(bins);
   const uint64_t top = (uint64_t)bin * width + width - 1;
   return top < 1 ? 1 : top < max ? (uint32_t)top : max;
}

/* Even steps up to `top`, of one count each if they suffice. 1 is dark however low the top is. */
static void
even_steps(struct heat_scale *scale, uint32_t top)
{
   scale->levels = top < HEAT_LEVELS ? top : HEAT_LEVELS;
   for (uint32_t i = 0; i < scale->levels; i++) {
      scale->from[i] =
         scale->levels == 1 ? 1 : 1 + (uint32_t)((uint64_t)i * (top - 1) / (scale->levels - 1));
      heat((i + 1.0) / (scale->levels > 4 ? scale->levels : 4), scale->rgb[i]);
   }
}

static void
powers_of_2(struct heat_scale *scale)
{
   scale->levels = 9;
   for (uint32_t i = 0; i < scale->levels; i++) {
      scale->from[i] = 1u << i;
      heat(1 - i / (scale->levels - 1.0), scale->rgb[i]);
   }
}

void
heat_scale_of(const uint32_t *count, size_t pixels, bool powers, struct heat_scale *scale)
{
   *scale = (struct heat_scale){ 0 };
   for (size_t i = 0; count && i < pixels; i++) {
      scale->sum += count[i];
      scale->max = count[i] > scale->max ? count[i] : scale->max;
   }
   if (powers)
      powers_of_2(scale);
   else
      even_steps(scale, scale->max > FEW ? top_of(count, pixels, scale->max) : scale->max);
}

uint32_t
heat_scale_step(const struct heat_scale *scale, uint32_t count)
{
   uint32_t low = 0, high = scale->levels;
   while (high - low > 1) {
      const uint32_t middle = (low + high) / 2;
      if (scale->from[middle] <= count)
         low = middle;
      else
         high = middle;
   }
   return low;
}
