/* SPDX-License-Identifier: MIT */
/*
 * Blending, logic ops, masks and writing, against GL's equations in double for one pixel. What is written must lie
 * between the codes of the exact result a little less and a little more; what involves no arithmetic must be exact.
 */
#include "clipfree/arith/cf_fp.h"
#include "clipfree/pixel/test_pixel.h"

/* ------------------------------------------------------------------ reference */

/* The color of one source or destination, r, g, b, a. */
struct color {
   double c[4];
};

static double
clamp01(double x)
{
   return x > 0 ? (x < 1 ? x : 1) : 0;
}

static double
ref_factor(enum cf_blend_factor factor, int i, const struct color *s, const struct color *d, const struct color *k,
           const struct color *s1)
{
   switch (factor) {
   case CF_BLEND_FACTOR_ZERO: return 0;
   case CF_BLEND_FACTOR_ONE: return 1;
   case CF_BLEND_FACTOR_SRC_COLOR: return s->c[i];
   case CF_BLEND_FACTOR_SRC_ALPHA: return s->c[3];
   case CF_BLEND_FACTOR_DST_COLOR: return d->c[i];
   case CF_BLEND_FACTOR_DST_ALPHA: return d->c[3];
   case CF_BLEND_FACTOR_CONST_COLOR: return k->c[i];
   case CF_BLEND_FACTOR_CONST_ALPHA: return k->c[3];
   case CF_BLEND_FACTOR_INV_SRC_COLOR: return 1 - s->c[i];
   case CF_BLEND_FACTOR_INV_SRC_ALPHA: return 1 - s->c[3];
   case CF_BLEND_FACTOR_INV_DST_COLOR: return 1 - d->c[i];
   case CF_BLEND_FACTOR_INV_DST_ALPHA: return 1 - d->c[3];
   case CF_BLEND_FACTOR_INV_CONST_COLOR: return 1 - k->c[i];
   case CF_BLEND_FACTOR_INV_CONST_ALPHA: return 1 - k->c[3];
   case CF_BLEND_FACTOR_SRC_ALPHA_SATURATE: return i == 3 ? 1 : fmin(s->c[3], 1 - d->c[3]);
   case CF_BLEND_FACTOR_SRC1_COLOR: return s1->c[i];
   case CF_BLEND_FACTOR_SRC1_ALPHA: return s1->c[3];
   case CF_BLEND_FACTOR_INV_SRC1_COLOR: return 1 - s1->c[i];
   case CF_BLEND_FACTOR_INV_SRC1_ALPHA: return 1 - s1->c[3];
   }
   return 0;
}

static double
ref_blend(const struct cf_blend *b, int i, const struct color *s, const struct color *d, const struct color *k,
          const struct color *s1)
{
   const double sf = ref_factor(i == 3 ? b->src_alpha : b->src_color, i, s, d, k, s1) * s->c[i];
   const double df = ref_factor(i == 3 ? b->dst_alpha : b->dst_color, i, s, d, k, s1) * d->c[i];
   switch (i == 3 ? b->alpha_func : b->color_func) {
   case CF_BLEND_FUNC_ADD: return sf + df;
   case CF_BLEND_FUNC_SUBTRACT: return sf - df;
   case CF_BLEND_FUNC_REVERSE_SUBTRACT: return df - sf;
   case CF_BLEND_FUNC_MIN: return fmin(s->c[i], d->c[i]);
   case CF_BLEND_FUNC_MAX: return fmax(s->c[i], d->c[i]);
   }
   return 0;
}

static uint32_t
ref_logic(enum cf_logicop op, uint32_t s, uint32_t d)
{
   switch (op) {
   case CF_LOGICOP_CLEAR: return 0;
   case CF_LOGICOP_NOR: return ~(s | d);
   case CF_LOGICOP_AND_INVERTED: return ~s & d;
   case CF_LOGICOP_COPY_INVERTED: return ~s;
   case CF_LOGICOP_AND_REVERSE: return s & ~d;
   case CF_LOGICOP_INVERT: return ~d;
   case CF_LOGICOP_XOR: return s ^ d;
   case CF_LOGICOP_NAND: return ~(s & d);
   case CF_LOGICOP_AND: return s & d;
   case CF_LOGICOP_EQUIV: return ~(s ^ d);
   case CF_LOGICOP_NOOP: return d;
   case CF_LOGICOP_OR_INVERTED: return ~s | d;
   case CF_LOGICOP_COPY: return s;
   case CF_LOGICOP_OR_REVERSE: return s | ~d;
   case CF_LOGICOP_OR: return s | d;
   case CF_LOGICOP_SET: return ~0u;
   }
   return 0;
}

static uint32_t
channel_value(const struct cf_format_channel *channel, const uint8_t *pixel)
{
   uint64_t bits = 0;
   memcpy(&bits, pixel + channel->offset_bits / 8, (channel->offset_bits % 8 + channel->bits + 7) / 8);
   return (uint32_t)(bits >> channel->offset_bits % 8 & (UINT64_MAX >> (64 - channel->bits)));
}

/* The integer whose bits x has, clamped to the channel's. */
static uint32_t
encode_integer(const struct cf_format_channel *channel, float x)
{
   const int64_t max = (1ll << channel->bits) - 1;
   if (channel->type == CF_CHANNEL_UINT)
      return cf_bits(x) < max ? cf_bits(x) : (uint32_t)max;
   const int64_t value = (int32_t)cf_bits(x), most = max >> 1;
   const int64_t inside = value > most ? most : value < -most - 1 ? -most - 1 : value;
   return (uint32_t)(inside & max);
}

/* Code of x in the channel (unorm, srgb, integers). */
static uint32_t
encode(const struct cf_format_channel *channel, double x)
{
   if (channel->type == CF_CHANNEL_UINT || channel->type == CF_CHANNEL_SINT)
      return encode_integer(channel, (float)x);
   if (channel->type == CF_CHANNEL_SRGB)
      return cf_linear_to_srgb8((float)clamp01(x));
   return (uint32_t)floor(clamp01(x) * ((1u << channel->bits) - 1) + 0.5);
}

static int
component_of(char letter)
{
   return (int)(strchr("rgba", letter) - "rgba");
}

static double
float_of(const struct cf_format_channel *channel, uint32_t value)
{
   return (double)cf_float_decode(value, channel->bits);
}

/* Equal bits, or zeros of either sign. */
static bool
same_value(const struct cf_format_channel *channel, uint32_t a, uint32_t b)
{
   return a == b || (channel->type == CF_CHANNEL_FLOAT && float_of(channel, a) == 0 && float_of(channel, b) == 0);
}

/* One channel of one written pixel. exact: no arithmetic was involved. */
static void
check_channel(const struct cf_format_channel *channel, uint32_t got, double want, double magnitude, bool exact)
{
   if (channel->type == CF_CHANNEL_FLOAT) {
      const int mantissa_bits = channel->bits == 32   ? 23
                                : channel->bits == 16 ? 10
                                                      : channel->bits - 5;
      const double half_unit =
         channel->bits == 32 ? 0 : ldexp(1, -15 - mantissa_bits); /* of denormals */
      const double tolerance =
         ldexp(fabs(want), -1 - mantissa_bits) + magnitude * 0x1p-21 + half_unit;
      const double value = float_of(channel, got);
      if (isnan(want))
         assert_int_equal(got, cf_float_encode(NAN, channel->bits));
      else if (channel->bits < 16 && !(want > 0)) /* there is no sign */
         assert_true(value <= (exact ? 0 : tolerance));
      else
         assert_true(value == want ||
                     fabs(value - want) <= (exact && channel->bits == 32 ? 0 : tolerance));
      return;
   }
   if (channel->type == CF_CHANNEL_UINT ||
       channel->type == CF_CHANNEL_SINT) { /* nothing is computed */
      assert_int_equal(got, encode(channel, want));
      return;
   }
   const double slack = exact ? 1e-7 : 4e-7; /* f32 rounding of at most six operations on [0, 1] */
   assert_in_range(got, encode(channel, want - slack), encode(channel, want + slack));
}

/* ------------------------------------------------------------------ random states */

static float
random_color(void)
{
   static const float special[] = {0, 1, 0.5f, -0.0f, -0.25f, 1.5f, 1.0f / 255, 127.5f / 255, 0x1.fffffep-1f, 1e-20f};
   switch (cf_random_below(&rng, 8)) {
   case 0: return special[cf_random_below(&rng, 10)];
   case 1: return (float)cf_random_below(&rng, 256) / 255.0f;
   case 2: return ((float)cf_random_below(&rng, 512) + 0.5f) / 511.0f;
   default: return (float)cf_random_u32(&rng) * 0x1p-32f;
   }
}

/* Float targets hold moderate numbers. */
static void
tame_surface(struct test_surface *s)
{
   const struct cf_format_info *format = s->image.format;
   if (format->channel[0].type == CF_CHANNEL_FLOAT) {
      for (size_t i = 0; i + format->pixel_B <= s->size_B; i += format->pixel_B) {
         const float rgba[4] = {random_color() * 4 - 2, random_color() * 4 - 2, random_color() * 4 - 2, random_color()};
         cf_format_store(format, s->before + i, rgba);
      }
   }
   test_surface_reset(s);
}

struct colors {
   float lane[CF_MAX_COLOR_TARGETS][4][CF_TASK_LANES];
};

static void
random_colors(struct colors *colors, bool moderate)
{
   float *all = &colors->lane[0][0][0];
   for (uint32_t i = 0; i < sizeof(*colors) / sizeof(float); i++) {
      all[i] = random_color();
      if (!moderate && cf_random_below(&rng, 40) == 0)
         all[i] = cf_random_below(&rng, 2) ? NAN : (cf_random_below(&rng, 2) ? INFINITY : -INFINITY);
   }
}

static void
write_all_levels(struct cf_pixel_config *c, struct test_surface *surfaces, const struct test_quads *t, const struct colors *colors)
{
   for (uint32_t level = 0; level <= (uint32_t)cf_host_level(); level++) {
      for (uint32_t i = 0; i < c->color_count; i++)
         c->color[i].data = surfaces[i].data[level];
      cf_pixel_ops_at(level)->write_quads(c, t->quad, t->count, t->mask, colors->lane[0]);
   }
   for (uint32_t i = 0; i < c->color_count; i++)
      test_surface_levels_agree(&surfaces[i]);
}

static struct color
fetch_color(const struct cf_format_info *format, const uint8_t *pixel)
{
   float rgba[4];
   cf_format_fetch(format, pixel, rgba);
   return (struct color){{(double)rgba[0], (double)rgba[1], (double)rgba[2], (double)rgba[3]}};
}

static struct color
source_color(const struct colors *colors, uint32_t target, uint32_t lane, bool clamp)
{
   struct color s;
   for (int i = 0; i < 4; i++)
      s.c[i] = clamp ? clamp01((double)colors->lane[target][i][lane]) : (double)colors->lane[target][i][lane];
   return s;
}

/* One written pixel of target `t`, channel by channel. */
static void
check_pixel(const struct cf_pixel_config *c, uint32_t t, const struct colors *colors, uint32_t lane, const uint8_t *before,
            const uint8_t *after)
{
   const struct cf_format_info *format = c->color[t].format;
   const struct cf_blend *b = &c->blend[t];
   const bool is_float = format->channel[0].type == CF_CHANNEL_FLOAT, srgb = format->channel[0].type == CF_CHANNEL_SRGB;
   const bool clamped = !is_float && !cf_format_is_integer(format);
   struct color s = source_color(colors, c->program_color0_to_all ? 0 : t, lane, clamped);
   struct color s1 = source_color(colors, c->program_color_outputs >> 1 & 1, lane, clamped);
   const struct color d = fetch_color(format, before);
   struct color k;
   for (int i = 0; i < 4; i++)
      k.c[i] = is_float ? (double)c->blend_color.color[i] : clamp01((double)c->blend_color.color[i]);
   if (b->alpha_to_one)
      s.c[3] = s1.c[3] = 1;
   const bool blend = b->enable && !b->logicop_enable && format->uses & CF_USE_BLEND,
              logic = b->logicop_enable && !is_float && !srgb;
   for (uint32_t n = 0; n < format->channels; n++) {
      const struct cf_format_channel *channel = &format->channel[n];
      const int i = component_of(channel->letter);
      const uint32_t old = channel_value(channel, before), got = channel_value(channel, after);
      if (!(b->write_mask >> i & 1)) {
         assert_int_equal(got, old);
      } else if (logic) {
         const uint32_t max = (uint32_t)((1ull << channel->bits) - 1);
         const double slack = clamped ? 1e-7 : 0;
         const uint32_t low = ref_logic(b->logicop, encode(channel, s.c[i] - slack), old) & max;
         const uint32_t high = ref_logic(b->logicop, encode(channel, s.c[i] + slack), old) & max;
         assert_true(got == low || got == high);
      } else {
         const double want = blend ? ref_blend(b, i, &s, &d, &k, &s1) : s.c[i];
         check_channel(channel, got, want, 16, !blend);
      }
   }
}

static void
check_unused_bits(const struct cf_format_info *format, const struct cf_blend *b, const uint8_t *before, const uint8_t *after)
{
   if (format->channels != 3 || format->pixel_B != 4 ||
       format->channel[2].offset_bits + format->channel[2].bits == 32)
      return;
   assert_int_equal(after[3], (b->write_mask & 7) == 7 ? 0 : before[3]);
}

/* The formats that can be rendered to. */
/* ------------------------------------------------------------------ tests */

static void
writes_match_reference(void **state)
{
   (void)state;
   static struct colors colors;
   for (uint32_t round = 0; round < 8000; round++) {
      const uint32_t targets = cf_random_below(&rng, 3) == 0 ? 1 + cf_random_below(&rng, 3) : 1;
      struct test_surface s[CF_MAX_COLOR_TARGETS];
      struct cf_pixel_config c = { .color_count = targets,
                                   .program_color0_to_all = cf_random_below(&rng, 4) == 0,
                                   .program_color_outputs = cf_random_below(&rng, 4) ? 255 : 1 };
      const uint32_t width_px = 1 + cf_random_below(&rng, 19), height_px = 1 + cf_random_below(&rng, 19);
      bool has_float = false;
      for (uint32_t t = 0; t < targets; t++) {
         test_surface_init(&s[t], random_format(), cf_random_below(&rng, 5) > 0, width_px, height_px);
         tame_surface(&s[t]);
         c.color[t] = s[t].image;
         c.blend[t] = random_blend();
         has_float |= s[t].image.format->channel[0].type == CF_CHANNEL_FLOAT;
      }
      for (uint32_t i = 0; i < 4; i++)
         c.blend_color.color[i] = random_color();
      random_colors(&colors, has_float);
      cf_pixel_configure(&c);
      const struct test_quads t = random_quads(&s[0].image);
      write_all_levels(&c, s, &t, &colors);
      for (uint32_t i = 0; i < targets; i++) {
         only_lanes_changed(&s[i], &t, t.mask);
         for (uint32_t lane = 0; lane < 32; lane++) {
            if (!(t.mask >> lane & 1))
               continue;
            const uint32_t at = lane_offset_B(&s[i].image, &t, lane);
            if (!(c.color_writes >> i & 1)) {
               assert_memory_equal(s[i].data[0] + at, s[i].before + at, s[i].image.format->pixel_B);
               continue;
            }
            check_pixel(&c, i, &colors, lane, s[i].before + at, s[i].data[0] + at);
            check_unused_bits(s[i].image.format, &c.blend[i], s[i].before + at, s[i].data[0] + at);
         }
         test_surface_free(&s[i]);
      }
   }
}

/* A single-target set-up with a full task on an 16x16 surface. */
struct fixture {
   struct test_surface s;
   struct cf_pixel_config c;
   struct test_quads t;
   struct colors colors;
};

static struct fixture *
fixture_new(enum cf_format format, bool blocks, const struct cf_blend *blend)
{
   struct fixture *f = calloc(1, sizeof(*f));
   test_surface_init(&f->s, format, blocks, 16, 16);
   tame_surface(&f->s);
   f->c = (struct cf_pixel_config){.color_count = 1, .program_color_outputs = 1, .color = {f->s.image}, .blend = {*blend}};
   f->t.count = 8;
   f->t.mask = ~0u;
   for (uint32_t q = 0; q < 8; q++)
      f->t.quad[q] =
         (struct cf_quad){ .x_px = (uint16_t)(2 * q), .y_px = 4, .masks = 15 * CF_QUAD_COVERED };
   return f;
}

static void
fixture_free(struct fixture *f)
{
   test_surface_free(&f->s);
   free(f);
}

/* The path a format takes is not visible: linear and block layout give the same pixels, bit for bit. */
static void
paths_agree(void **state)
{
   (void)state;
   for (uint32_t round = 0; round < 3000; round++) {
      const struct cf_blend blend = random_blend();
      const enum cf_format format = random_format();
      struct fixture *a = fixture_new(format, true, &blend), *b = fixture_new(format, false, &blend);
      cf_image_copy((struct cf_image_at){ &a->s.image, 0, 0 },
                    (struct cf_image_at){ &b->s.image, 0, 0 }, 16, 16);
      memcpy(b->s.before, b->s.data[0], b->s.size_B);
      test_surface_reset(&b->s);
      random_colors(&a->colors, a->s.image.format->channel[0].type == CF_CHANNEL_FLOAT);
      b->colors = a->colors;
      a->t.mask = b->t.mask = cf_random_below(&rng, 2) ? ~0u : cf_random_u32(&rng);
      cf_pixel_configure(&a->c);
      cf_pixel_configure(&b->c);
      write_all_levels(&a->c, &a->s, &a->t, &a->colors);
      write_all_levels(&b->c, &b->s, &b->t, &b->colors);
      for (uint32_t y = 0; y < 16; y++) {
         for (uint32_t x = 0; x < 16; x++)
            assert_memory_equal(a->s.data[0] + cf_image_offset_B(&a->s.image, x, y),
                                b->s.data[0] + cf_image_offset_B(&b->s.image, x, y), a->s.image.format->pixel_B);
      }
      fixture_free(a);
      fixture_free(b);
   }
}

/* Blending that is no blending: source * ONE + destination * ZERO, and the reverse, change nothing whatever the other side holds. */
static void
identities_are_exact(void **state)
{
   (void)state;
   for (uint32_t code = 0; code < CF_FORMAT_COUNT; code++) {
      const struct cf_format_info *info = cf_format_info_of(code);
      if (!(info->uses & CF_USE_COLOR) || !(info->uses & CF_USE_BLEND))
         continue;
      /* different factors for alpha, of the same value, so that the state is not recognised */
      struct cf_blend keep = {.enable = true, .src_color = CF_BLEND_FACTOR_ZERO, .dst_color = CF_BLEND_FACTOR_ONE,
                              .src_alpha = CF_BLEND_FACTOR_ZERO, .dst_alpha = CF_BLEND_FACTOR_SRC_ALPHA_SATURATE, .write_mask = 15};
      struct fixture *f = fixture_new(code, true, &keep);
      random_colors(&f->colors, false);
      cf_pixel_configure(&f->c);
      assert_int_equal(f->c.reads_color, 1);
      if (info->channel[0].type != CF_CHANNEL_FLOAT) {
         for (size_t i = 0; i < f->s.size_B; i++)
            f->s.before[i] = (uint8_t)i; /* every code of a byte */
         test_surface_reset(&f->s);
      }
      write_all_levels(&f->c, &f->s, &f->t, &f->colors);
      for (uint32_t lane = 0; lane < 32; lane++) {
         const uint32_t at = lane_offset_B(&f->s.image, &f->t, lane);
         for (uint32_t n = 0; n < info->channels; n++)
            assert_true(same_value(&info->channel[n], channel_value(&info->channel[n], f->s.data[0] + at),
                                   channel_value(&info->channel[n], f->s.before + at)));
      }
      struct cf_blend replace = {.enable = true, .src_color = CF_BLEND_FACTOR_ONE, .dst_color = CF_BLEND_FACTOR_ZERO,
                                 .src_alpha = CF_BLEND_FACTOR_SRC_ALPHA_SATURATE, .dst_alpha = CF_BLEND_FACTOR_ZERO, .write_mask = 15};
      f->c.blend[0] = replace;
      cf_pixel_configure(&f->c);
      write_all_levels(&f->c, &f->s, &f->t, &f->colors);
      for (uint32_t lane = 0; lane < 32; lane++) {
         float rgba[4];
         uint8_t want[16];
         for (uint32_t i = 0; i < 4; i++)
            rgba[i] = f->colors.lane[0][i][lane];
         cf_format_store(info, want, rgba);
         const uint8_t *got = f->s.data[0] + lane_offset_B(&f->s.image, &f->t, lane);
         for (uint32_t n = 0; n < info->channels; n++) {
            assert_true(same_value(&info->channel[n], channel_value(&info->channel[n], got),
                                   channel_value(&info->channel[n], want)));
         }
      }
      fixture_free(f);
   }
}

/* Plain writes are cf_format_store, bit for bit, for every format and any float. */
static void
writes_are_format_store(void **state)
{
   (void)state;
   const struct cf_blend plain = {.write_mask = 15};
   for (uint32_t round = 0; round < 40 * CF_FORMAT_COUNT; round++) {
      const struct cf_format_info *info = cf_format_info_of(round % CF_FORMAT_COUNT);
      if (!(info->uses & CF_USE_COLOR))
         continue;
      struct fixture *f = fixture_new(info->code, cf_random_below(&rng, 2), &plain);
      random_colors(&f->colors, false);
      for (uint32_t i = 0; i < 32; i += 4) /* any bits at all */
         f->colors.lane[0][i / 4 % 4][i] = cf_float(cf_random_u32(&rng));
      cf_pixel_configure(&f->c);
      assert_int_equal(f->c.reads_color, 0);
      write_all_levels(&f->c, &f->s, &f->t, &f->colors);
      for (uint32_t lane = 0; lane < 32; lane++) {
         const float rgba[4] = {f->colors.lane[0][0][lane], f->colors.lane[0][1][lane], f->colors.lane[0][2][lane],
                                f->colors.lane[0][3][lane]};
         uint8_t want[16];
         cf_format_store(info, want, rgba);
         assert_memory_equal(f->s.data[0] + lane_offset_B(&f->s.image, &f->t, lane), want, info->pixel_B);
      }
      fixture_free(f);
   }
}

/* A format of four channels of a type, each in its dword, from bit 0 on. */
static struct cf_format_info
wide_format(enum cf_channel_type type, uint32_t bits)
{
   struct cf_format_info info = *cf_format_info_of(CF_FORMAT_R32G32B32A32_FLOAT);
   for (uint32_t c = 0; c < 4; c++) {
      info.channel[c].type = (uint8_t)type;
      info.channel[c].bits = (uint8_t)bits;
   }
   return info;
}

/* The lanes' pixels have the channels that cf_format_store makes of these colours. */
static void
check_stored(const struct fixture *f, const struct cf_format_info *info, const float rgba[32][4])
{
   for (uint32_t lane = 0; lane < 32; lane++) {
      uint8_t want[16] = { 0 };
      cf_format_store(info, want, rgba[lane]);
      const uint8_t *got = f->s.data[0] + lane_offset_B(&f->s.image, &f->t, lane);
      for (uint32_t c = 0; c < 4; c++) {
         const struct cf_format_channel *channel = &info->channel[c];
         if (!same_value(channel, channel_value(channel, got), channel_value(channel, want)))
            fail_msg("type %u of %u bits: 0x%x instead of 0x%x", channel->type, channel->bits,
                     channel_value(channel, got), channel_value(channel, want));
      }
   }
}

/* Formats are data: channels of types and sizes that no colour format has are written, and read for
 * blending, by the formulas of cf_format_store and cf_format_fetch, too. */
static void
any_channel(void **state)
{
   (void)state;
   static const struct {
      uint8_t type, bits;
   } cases[] = {
      { CF_CHANNEL_UNORM, 8 },    { CF_CHANNEL_UNORM, 16 },   { CF_CHANNEL_UNORM, 24 },
      { CF_CHANNEL_UNORM, 32 },   { CF_CHANNEL_SNORM, 8 },    { CF_CHANNEL_SNORM, 16 },
      { CF_CHANNEL_SNORM, 24 },   { CF_CHANNEL_SNORM, 32 },   { CF_CHANNEL_FLOAT, 10 },
      { CF_CHANNEL_FLOAT, 11 },   { CF_CHANNEL_FLOAT, 16 },   { CF_CHANNEL_FLOAT, 32 },
      { CF_CHANNEL_USCALED, 8 },  { CF_CHANNEL_USCALED, 16 }, { CF_CHANNEL_SSCALED, 8 },
      { CF_CHANNEL_SSCALED, 16 }, { CF_CHANNEL_FIXED, 32 },   { CF_CHANNEL_SRGB, 8 },
      { CF_CHANNEL_UINT, 8 },     { CF_CHANNEL_UINT, 32 },    { CF_CHANNEL_SINT, 8 },
      { CF_CHANNEL_SINT, 32 },
   };
   /* src * 0 + dst * 1, in a way that is not recognised */
   const struct cf_blend plain = { .write_mask = 15 },
                         keep = { .enable = true,
                                  .dst_color = CF_BLEND_FACTOR_ONE,
                                  .src_color = CF_BLEND_FACTOR_ZERO,
                                  .src_alpha = CF_BLEND_FACTOR_ZERO,
                                  .dst_alpha = CF_BLEND_FACTOR_SRC_ALPHA_SATURATE,
                                  .write_mask = 15 };
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      const bool integer = cases[i].type == CF_CHANNEL_UINT || cases[i].type == CF_CHANNEL_SINT;
      const struct cf_format_info info =
         wide_format((enum cf_channel_type)cases[i].type, cases[i].bits);
      struct fixture *f = fixture_new(CF_FORMAT_R32G32B32A32_FLOAT, true, &plain);
      float rgba[32][4];
      f->s.image.format = f->c.color[0].format = &info;
      random_colors(&f->colors, true);
      cf_pixel_configure(&f->c);
      write_all_levels(&f->c, &f->s, &f->t, &f->colors);
      for (uint32_t lane = 0; lane < 32; lane++)
         for (uint32_t c = 0; c < 4; c++)
            rgba[lane][c] = f->colors.lane[0][c][lane];
      check_stored(f, &info, rgba);
      if (!integer) { /* those are not blended */
         memcpy(f->s.before, f->s.data[0], f->s.size_B);
         test_surface_reset(&f->s);
         for (uint32_t lane = 0; lane < 32; lane++)
            cf_format_fetch(&info, f->s.before + lane_offset_B(&f->s.image, &f->t, lane),
                            rgba[lane]);
         f->c.blend[0] = keep;
         random_colors(&f->colors, true);
         cf_pixel_configure(&f->c);
         assert_int_equal(f->c.reads_color, 1);
         write_all_levels(&f->c, &f->s, &f->t, &f->colors);
         check_stored(f, &info, rgba);
      }
      fixture_free(f);
   }
}

/* What needs no reading and no writing is known beforehand. */
static void
configuration(void **state)
{
   (void)state;
   const struct cf_blend plain = {.write_mask = 15};
   struct fixture *f = fixture_new(CF_FORMAT_B8G8R8X8_UNORM, true, &plain);
   struct cf_pixel_config *c = &f->c;
   struct cf_blend *b = &c->blend[0];
   cf_pixel_configure(c);
   assert_true(c->color_writes == 1 && c->reads_color == 0 && c->shading_needed);
   b->write_mask = 7; /* all the channels there are */
   cf_pixel_configure(c);
   assert_true(c->color_writes == 1 && c->reads_color == 0);
   b->write_mask = 3;
   cf_pixel_configure(c);
   assert_true(c->color_writes == 1 && c->reads_color == 1);
   b->write_mask = 8; /* a channel there is not */
   cf_pixel_configure(c);
   assert_true(c->color_writes == 0 && c->reads_color == 0 && !c->shading_needed);
   *b = (struct cf_blend){.write_mask = 15, .enable = true, .src_color = CF_BLEND_FACTOR_ONE, .src_alpha = CF_BLEND_FACTOR_ONE};
   cf_pixel_configure(c);
   assert_true(c->color_writes == 1 && c->reads_color == 0);
   *b = (struct cf_blend){.write_mask = 15, .enable = true, .dst_color = CF_BLEND_FACTOR_ONE, .dst_alpha = CF_BLEND_FACTOR_ONE};
   cf_pixel_configure(c);
   assert_true(c->color_writes == 0);
   *b = (struct cf_blend){.write_mask = 15, .logicop_enable = true, .logicop = CF_LOGICOP_NOOP};
   cf_pixel_configure(c);
   assert_true(c->color_writes == 0);
   *b = plain;
   c->program_color_outputs = 2;
   cf_pixel_configure(c);
   assert_true(c->color_writes == 0);
   c->program_color_outputs = 1;
   c->color[1] = c->color[0];
   c->blend[1] = plain;
   c->color_count = 2;
   cf_pixel_configure(c);
   assert_int_equal(c->color_writes, 1);
   c->program_color0_to_all = true;
   cf_pixel_configure(c);
   assert_int_equal(c->color_writes, 3);
   c->color[0].data = NULL;
   cf_pixel_configure(c);
   assert_int_equal(c->color_writes, 2);
   c->color[1].format = NULL;
   cf_pixel_configure(c);
   assert_int_equal(c->color_writes, 0);
   c->color[1].format = cf_format_info_of(CF_FORMAT_Z16_UNORM); /* is no colour */
   cf_pixel_configure(c);
   assert_int_equal(c->color_writes, 0);
   fixture_free(f);
}

/* One color over a surface of another: the first pixel's word. */
static uint32_t
draw_over(const struct cf_blend *blend, uint32_t word, float r, float g, float b, float a)
{
   struct fixture *f = fixture_new(CF_FORMAT_R8G8B8A8_UNORM, true, blend);
   for (size_t i = 0; i < f->s.size_B; i += 4)
      memcpy(f->s.before + i, &word, 4);
   test_surface_reset(&f->s);
   const float rgba[4] = {r, g, b, a};
   for (uint32_t i = 0; i < 4 * CF_TASK_LANES; i++)
      f->colors.lane[0][i / CF_TASK_LANES][i % CF_TASK_LANES] = rgba[i / CF_TASK_LANES];
   cf_pixel_configure(&f->c);
   write_all_levels(&f->c, &f->s, &f->t, &f->colors);
   uint32_t result;
   memcpy(&result, f->s.data[0] + lane_offset_B(&f->s.image, &f->t, 0), 4);
   fixture_free(f);
   return result;
}

/* Paper B's pictures of its blend, logic and mask units. Words are a, b, g, r from the highest byte. */
static void
paper_b(void **state)
{
   (void)state;
   const struct cf_blend nor = {.write_mask = 15, .logicop_enable = true, .logicop = CF_LOGICOP_NOR};
   assert_int_equal(draw_over(&nor, 0x00000000, 1, 1, 0, 1), 0x00ff0000);           /* yellow on black: blue */
   assert_int_equal(draw_over(&nor, 0x80808080, 1, 1, 0, 1) & 0xffffff, 0x7f0000); /* on its grey: half blue */
   const struct cf_blend mask = {.write_mask = 6}; /* (0, 1, 1) */
   assert_int_equal(draw_over(&mask, 0x11223344, 1, 1, 1, 1), 0x11ffff44);
   const struct cf_blend add = {.write_mask = 15, .enable = true, .src_color = CF_BLEND_FACTOR_SRC_ALPHA,
                                .dst_color = CF_BLEND_FACTOR_INV_SRC_ALPHA, .src_alpha = CF_BLEND_FACTOR_SRC_ALPHA,
                                .dst_alpha = CF_BLEND_FACTOR_INV_SRC_ALPHA}; /* smoothed points: FUNC_ADD */
   assert_int_equal(draw_over(&add, 0x80808080, 1, 0, 0, 1), 0xff0000ff);
   assert_int_equal(draw_over(&add, 0x80808080, 1, 0, 0, 0), 0x80808080);
   assert_int_equal(draw_over(&add, 0xff000000, 1, 0.5f, 0, 0.5f), 0xbf004080); /* 191.25, 63.75, 127.5 to even */
   const struct cf_blend sum = {.write_mask = 15, .enable = true, .src_color = CF_BLEND_FACTOR_ONE, .dst_color = CF_BLEND_FACTOR_ONE,
                                .src_alpha = CF_BLEND_FACTOR_ONE, .dst_alpha = CF_BLEND_FACTOR_ONE};
   assert_int_equal(draw_over(&sum, 0xf0102030, 0.2f, 0.2f, 1, 0.2f), 0xffff5363); /* saturates */
}

/* All samples at once are written as one after the other. */
static void
samples_match_one_by_one(void **state)
{
   (void)state;
   static struct colors colors;
   for (uint32_t round = 0; round < 2000; round++) {
      const enum cf_format format = cf_random_below(&rng, 2) ? CF_FORMAT_R8G8B8A8_UNORM : random_format();
      const uint32_t size_px = 8 + cf_random_below(&rng, 12);
      const bool blocks = cf_random_below(&rng, 8) > 0;
      struct test_surface s[CF_SAMPLES];
      struct cf_pixel_config c[CF_SAMPLES];
      c[0] = (struct cf_pixel_config){ .color_count = 1, .samples = CF_SAMPLES };
      c[0].program_color_outputs = cf_random_below(&rng, 2) ? 3 : 1;
      c[0].blend[0] = random_blend();
      c[0].blend[0].enable = cf_random_below(&rng, 4) == 0;
      for (uint32_t i = 0; i < CF_SAMPLES; i++) {
         test_surface_init(&s[i], format, blocks, size_px, size_px);
         tame_surface(&s[i]);
         c[i] = c[0];
         c[i].color[0] = s[i].image;
         cf_pixel_configure(&c[i]);
      }
      random_colors(&colors, true);
      struct test_quads t;
      do
         t = random_quads(&s[0].image);
      while (t.count != CF_TASK_QUADS);
      for (uint32_t level = 0; level <= (uint32_t)cf_host_level(); level++) {
         for (uint32_t i = 0; i < CF_SAMPLES; i++)
            c[i].color[0].data = s[i].data[level];
         cf_pixel_ops_at(level)->write_all_samples(c, t.quad, t.mask, colors.lane[0]);
      }
      for (uint32_t i = 0; i < CF_SAMPLES; i++) {
         uint8_t *const expected = malloc(s[i].size_B);
         memcpy(expected, s[i].before, s[i].size_B);
         c[i].color[0].data = expected;
         cf_pixel_ops_base.write_quads(&c[i], t.quad, t.count, t.mask, colors.lane[0]);
         test_surface_levels_agree(&s[i]);
         assert_memory_equal(s[i].data[0], expected, s[i].size_B);
         free(expected);
         test_surface_free(&s[i]);
      }
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(writes_match_reference),
      cmocka_unit_test(paths_agree),
      cmocka_unit_test(identities_are_exact),
      cmocka_unit_test(writes_are_format_store),
      cmocka_unit_test(configuration),
      cmocka_unit_test(paper_b),
      cmocka_unit_test(samples_match_one_by_one),
      cmocka_unit_test(any_channel),
   };
   rng = cf_random_seed("pixel writes");
   return cmocka_run_group_tests_name("pixel writes", tests, NULL, NULL);
}
