/* SPDX-License-Identifier: MIT */
/*
 * Texture unit, sampling: one tex instruction for 32 lanes (GL ES 2.0 section 3.7, GL 2.1
 * section 3.8).
 *
 * Data flow: coordinates -> (projection, cube face) -> level of detail per quad -> for each group
 * of lanes that share a level and a filter: wrap modes give two texel indices and a weight per axis
 * -> offsets -> texels -> filter -> result. All lanes are computed for each group, and the group's
 * results kept; typically there is one group.
 *
 * Formats whose channels are unorm of at most 8 bits are filtered in integers: weights of 8 bits,
 * rounded to nearest, products summed exactly; between slices of 3D textures in f32. All others are
 * filtered in f32, first along s, then t, then r.
 */
#include "clipfree/arith/cf_compare.h"
#include "clipfree/memory/cf_surface.h"
#include "clipfree/texture/cf_sample_footprint.h"
#include "clipfree/texture/cf_sample_lod.h"
#include "clipfree/texture/cf_sample_rgba8.h"
#include "clipfree/texture/cf_sample_watch.h"

struct sample_result {
   cf_lanes_f c[4];
};

/* ------------------------------------------------------------------ filters */

static void
fill(cf_lanes_f out, float value)
{
   CF_FOR_LANES (l)
      out[l] = value;
}

static uint32_t
component_of(char letter)
{
   return letter == 'g' ? 1 : letter == 'b' ? 2 : letter == 'a' ? 3 : 0;
}

static void
replace_border(const struct footprint *f, uint32_t corner, char letter, cf_lanes_f texel)
{
   const float border = f->unit->sampler.border[component_of(letter)];
   for (uint32_t a = 0; a < f->unit->dims; a++) {
      const uint32_t *outside = f->axis[a].outside[corner >> a & 1];
      CF_FOR_LANES (l)
         texel[l] = outside[l] ? border : texel[l];
   }
}

/* GL 2.1 section 3.8.14: r compared with the texel. With a NaN always alone is true. */
static void
compare_depth(const struct cf_texture_unit *unit, const float *reference, cf_lanes_f texel)
{
   const bool fixed_point = unit->format->channel[0].type == CF_CHANNEL_UNORM;
   const enum cf_compare func = unit->sampler.compare_func;
   const uint32_t less = CF_COMPARE_MASK(func, 0), equal = CF_COMPARE_MASK(func, 1),
                  greater = CF_COMPARE_MASK(func, 2);
   CF_FOR_LANES(l) {
      const float clamped = cf_fsat(reference[l]), r = fixed_point ? clamped : reference[l];
      texel[l] =
         cf_compare_floats(r, texel[l], less, equal, greater, less & equal & greater) ? 1.0f : 0.0f;
   }
}

static void
lerp(const cf_lanes_f a, const cf_lanes_f b, const cf_lanes_f weight, cf_lanes_f out)
{
   CF_FOR_LANES(l)
      out[l] = cf_lerp(a[l], b[l], weight[l]);
}

/* Filter one channel in f32: along s, then t, then r. */
static void
filter_channel(const struct footprint *f, const struct cf_raw_texels *raw, uint32_t channel,
               const float *reference, cf_lanes_f out)
{
   const uint32_t corners = f->linear ? 1u << f->unit->dims : 1;
   const struct cf_format_channel *description = &f->unit->format->channel[channel];
   cf_lanes_f texel[8];
   for (uint32_t n = 0; n < corners; n++) {
      cf_decode_channel(description, &raw[n], texel[n]);
      if (f->border)
         replace_border(f, n, description->letter, texel[n]);
      if (f->unit->compare)
         compare_depth(f->unit, reference, texel[n]);
   }
   if (f->seamless)
      fill_missing_corner(f->missing, texel);
   for (uint32_t a = 0, n = corners; n > 1; a++, n /= 2)
      for (uint32_t i = 0; i < n / 2; i++)
         lerp(texel[2 * i], texel[2 * i + 1], f->axis[a].weight, texel[i]);
   memcpy(out, texel[0], sizeof(texel[0]));
}

/* Bilinear filter of an unorm channel of at most 8 bits: 8-bit weights, exact integer sums. */
static void
filter_channel_unorm8(const struct cf_raw_texels raw[4], const struct cf_format_channel *channel,
                      const cf_lanes_i wx, const cf_lanes_i wy, cf_lanes_f out)
{
   const uint32_t shift = channel->offset_bits;
   const int32_t max = (1 << channel->bits) - 1;
   const float scale = 1.0f / ((float)max * 65536.0f);
   CF_FOR_LANES (l) {
      const int32_t t00 = (int32_t)(raw[0].word[0][l] >> shift) & max,
                    t10 = (int32_t)(raw[1].word[0][l] >> shift) & max;
      const int32_t t01 = (int32_t)(raw[2].word[0][l] >> shift) & max,
                    t11 = (int32_t)(raw[3].word[0][l] >> shift) & max;
      const int32_t upper = cf_integer_mix(t00, t10, wx[l]),
                    lower = cf_integer_mix(t01, t11, wx[l]);
      out[l] = (float)cf_integer_mix(upper, lower, wy[l]) * scale;
   }
}

/* The same for a whole footprint. A 1D texture's single row serves as both; slices of 3D textures
 * are mixed in f32. */
static void
filter_footprint_unorm8(const struct footprint *f, const struct cf_raw_texels raw[8], uint32_t channel, const cf_lanes_i wx,
                        const cf_lanes_i wy, cf_lanes_f out)
{
   const struct cf_format_channel *description = &f->unit->format->channel[channel];
   if (f->unit->dims == 1) {
      const struct cf_raw_texels rows[4] = { raw[0], raw[1], raw[0], raw[1] };
      filter_channel_unorm8(rows, description, wx, wx, out);
      return;
   }
   filter_channel_unorm8(raw, description, wx, wy, out);
   if (f->unit->dims == 3) {
      cf_lanes_f behind;
      filter_channel_unorm8(raw + 4, description, wx, wy, behind);
      lerp(out, behind, f->axis[2].weight, out);
   }
}

static void
integer_weights(const cf_lanes_f weight, cf_lanes_i out)
{
   CF_FOR_LANES(l)
      out[l] = cf_integer_weight(weight[l]);
}

/* The format's channels that the result components in `mask` read. */
static uint32_t
channels_needed(const struct cf_texture_unit *unit, uint32_t mask)
{
   uint32_t channels = 0;
   for (uint32_t c = 0; c < 4; c++)
      if (mask >> c & 1 && unit->source[c] < 4)
         channels |= 1u << unit->source[c];
   return channels;
}

/* Sample one level with one filter, for all lanes; texels of `lanes` are reported to a watch. */
static void
sample_level(const struct cf_texture_unit *unit, uint32_t level, bool linear, uint32_t lanes,
             const struct coords *coords, const float *reference, uint32_t mask,
             struct sample_result *result)
{
   struct footprint f;
   struct cf_raw_texels raw[8];
   cf_lanes_f channel[4];
   make_footprint(unit, level, linear, coords, &f);
   const uint32_t corners = linear ? 1u << unit->dims : 1;
   if (unit->watch) {
      report_footprint(&f, corners, level, coords, lanes);
      return;
   }
   for (uint32_t n = 0; n < corners; n++)
      load_corner(&f, n, &raw[n]);
   if (f.seamless && unit->unorm8)
      fill_missing_corner_unorm8(unit->format, f.missing, raw);
   const bool integer = linear && unit->unorm8 && !f.border;
   cf_lanes_i wx, wy;
   if (integer) {
      integer_weights(f.axis[0].weight, wx);
      if (unit->dims > 1)
         integer_weights(f.axis[1].weight, wy);
   }
   const uint32_t needed = channels_needed(unit, mask);
   for (uint32_t c = 0; c < unit->format->channels; c++) {
      if (!(needed >> c & 1))
         continue;
      if (integer)
         filter_footprint_unorm8(&f, raw, c, wx, wy, channel[c]);
      else
         filter_channel(&f, raw, c, reference, channel[c]);
   }
   for (uint32_t c = 0; c < 4; c++) {
      if (!(mask >> c & 1))
         continue;
      if (unit->source[c] < 4)
         memcpy(result->c[c], channel[unit->source[c]], sizeof(channel[0]));
      else
         fill(result->c[c], unit->source[c] == CF_VIEW_ONE ? cf_format_one(unit->format) : 0.0f);
   }
}

/* ------------------------------------------------------------------ one request */

/* Sample the lanes in `lanes`, each at its level with its filter, group by group. */
static void
sample_by_groups(const struct cf_texture_unit *unit, const cf_lanes_i level,
                 const cf_lanes_u linear, uint32_t lanes, const struct coords *coords,
                 const float *reference, uint32_t mask, struct sample_result *result)
{
   while (lanes) {
      const int first = __builtin_ctz(lanes);
      uint32_t group = 0;
      CF_FOR_LANES (l)
         group |= (uint32_t)(level[l] == level[first] && linear[l] == linear[first]) << l;
      group &= lanes;
      lanes &= ~group;
      struct sample_result pass;
      sample_level(unit, (uint32_t)level[first], linear[first], group, coords, reference, mask, &pass);
      for (uint32_t c = 0; c < 4; c++)
         if (mask >> c & 1)
            CF_FOR_LANES (l)
               result->c[c][l] = group >> l & 1 ? pass.c[c][l] : result->c[c][l];
   }
}

/* Whether any footprint reaches beyond its cube face; rarely true. */
static bool
crosses_seam(const struct cf_texture_unit *unit, const cf_lanes_i level, uint32_t lanes,
             const struct coords *coords)
{
   uint32_t inside = 0;
   CF_FOR_LANES (l) {
      const float size = (float)unit->level[level[l]].width_px;
      const float u = coords->axis[0][l] * size, v = coords->axis[1][l] * size;
      const float least = 0.5f, most = size - 0.5f; /* false for NaN */
      inside |= (uint32_t)((u >= least) & (u <= most) & (v >= least) & (v <= most)) << l;
   }
   return (inside & lanes) != lanes;
}

static void
sample_groups(const struct cf_texture_unit *unit, const cf_lanes_i level, const cf_lanes_u linear,
              uint32_t lanes, const struct coords *coords, const float *reference, uint32_t mask,
              struct sample_result *result)
{
   uint32_t filtered = 0;
   CF_FOR_LANES (l)
      filtered |= (linear[l] ? 1u : 0u) << l;
   filtered &= lanes;
   if (lanes && unit->rgba8 && !coords->offsets && (filtered == 0 || filtered == lanes) &&
       !(unit->seamless && filtered && crosses_seam(unit, level, lanes, coords)))
      rgba8_sample(unit, level, filtered != 0, lanes, coords, mask, result->c);
   else
      sample_by_groups(unit, level, linear, lanes, coords, reference, mask, result);
}

/* Minification and magnification filters, mipmaps (GL ES 2.0 sections 3.7.7 and 3.7.8). */
static void
sample_filtered(const struct cf_texture_unit *unit, const cf_lanes_f lod, uint32_t exec,
                const struct coords *coords, const float *reference, uint32_t mask,
                struct sample_result *result)
{
   const int32_t first = (int32_t)unit->texture.first_level,
                 last = (int32_t)unit->texture.last_level;
   const enum cf_mip mip = unit->sampler.mip_filter;
   const uint32_t min_linear = unit->sampler.min_filter == CF_FILTER_LINEAR,
                  mag_linear = unit->sampler.mag_filter == CF_FILTER_LINEAR;
   const float most_magnified = cf_most_magnified(unit->sampler.magnify_to_half);
   cf_lanes_i level, next;
   cf_lanes_u linear;
   cf_lanes_f weight;
   uint32_t blended = 0;
   CF_FOR_LANES (l) {
      const bool magnify = lod[l] <= most_magnified;
      const float bounded = lod[l] > 0.0f ? (lod[l] < 16.0f ? lod[l] : 16.0f) : 0.0f;
      const float whole =
         mip == CF_MIP_NEAREST ? cf_ceil(bounded + 0.5f) - 1.0f : cf_floor(bounded);
      const int32_t at = mip == CF_MIP_NONE || magnify ? first : first + (int32_t)whole;
      level[l] = at > last ? last : at;
      next[l] = level[l] + 1 > last ? last : level[l] + 1;
      weight[l] = mip == CF_MIP_LINEAR && !magnify && level[l] < last ? bounded - whole : 0.0f;
      linear[l] = magnify ? mag_linear : min_linear;
   }
   sample_groups(unit, level, linear, exec, coords, reference, mask, result);
   CF_FOR_LANES (l)
      blended |= (uint32_t)(weight[l] > 0.0f) << l;
   blended &= exec;
   if (!blended)
      return;
   struct sample_result upper;
   sample_groups(unit, next, linear, blended, coords, reference, mask, &upper);
   for (uint32_t c = 0; c < 4; c++)
      if (mask >> c & 1)
         CF_FOR_LANES (l)
            result->c[c][l] = blended >> l & 1 ? cf_lerp(result->c[c][l], upper.c[c][l], weight[l])
                                               : result->c[c][l];
}

/* The reference value of a shadow texture: the coordinate after those of the image. */
static const float *
reference_of(const struct cf_texture_unit *unit, const struct cf_texture_request *request,
             const float *const str[3])
{
   return q_is_reference(unit) ? request->q : str[2];
}

/* Sample all lanes from the base level with one filter, without a level of detail. `lanes`: as in
 * sample_level. */
static void
sample_base(const struct cf_texture_unit *unit, uint32_t lanes, const struct coords *coords,
            const float *reference, uint32_t mask, struct sample_result *result)
{
   const uint32_t base = unit->texture.first_level;
   const bool linear = unit->sampler.min_filter == CF_FILTER_LINEAR;
   cf_lanes_i level;
   CF_FOR_LANES (l)
      level[l] = (int32_t)base;
   if (unit->rgba8 && !coords->offsets &&
       !(unit->seamless && linear && crosses_seam(unit, level, UINT32_MAX, coords))) {
      rgba8_sample(unit, level, linear, UINT32_MAX, coords, mask, result->c);
   } else {
      sample_level(unit, base, linear, lanes, coords, reference, mask, result);
   }
}

/* NULL: none; cube maps have none. */
static const uint32_t *
offsets_of(const struct cf_texture_unit *unit, const struct cf_texture_request *request)
{
   return request->offsets && !unit->cube ? (const uint32_t *)request->operand[CF_OPERAND_OFFSETS]
                                          : NULL;
}

/* The anisotropic filter: the mean of a pixel's probes, each filtered like an isotropic sample. */
static void
sample_probes(const struct cf_texture_unit *unit, const struct cf_texture_request *request,
              const float *const str[3], const cf_lanes_f lod, const struct probes *probes,
              const float *reference, struct sample_result *result)
{
   for (int32_t number = 1; number <= probes->most; number++) {
      cf_lanes_f probe[3];
      struct coords coords;
      struct sample_result one;
      uint32_t lanes = 0;
      const float *at[3] = { str[0], str[1], str[2] };
      probe_coordinates(unit, probes, number, probe);
      for (uint32_t a = 0; a < (unit->cube ? 3 : unit->dims); a++)
         at[a] = probe[a];
      address(unit, at, request->q, &coords);
      coords.offsets = offsets_of(unit, request);
      CF_FOR_LANES (l)
         lanes |= (uint32_t)(probes->count[l] >= (float)number) << l;
      lanes &= request->exec;
      sample_filtered(unit, lod, lanes, &coords, reference, request->mask, &one);
      for (uint32_t c = 0; c < 4; c++)
         if (request->mask >> c & 1)
            CF_FOR_LANES (l) {
               const float sum = number == 1 ? one.c[c][l] : result->c[c][l] + one.c[c][l];
               result->c[c][l] = lanes >> l & 1 ? sum : result->c[c][l];
            }
   }
   for (uint32_t c = 0; c < 4; c++)
      if (request->mask >> c & 1)
         CF_FOR_LANES (l)
            result->c[c][l] = result->c[c][l] / probes->count[l];
}

/* ARB_texture_query_lod: the level, or place between two levels, that a sample would take; and the
 * level of detail. */
static void
query_lod(const struct cf_texture_unit *unit, const cf_lanes_f lod, const cf_lanes_f unclamped,
          struct sample_result *result)
{
   const enum cf_mip mip = unit->sampler.mip_filter;
   const float most = (float)(unit->texture.last_level - unit->texture.first_level);
   CF_FOR_LANES (l) {
      const float bounded = lod[l] > 0.0f ? (lod[l] < most ? lod[l] : most) : 0.0f;
      result->c[0][l] = mip == CF_MIP_NONE      ? 0.0f
                        : mip == CF_MIP_NEAREST ? cf_ceil(bounded + 0.5f) - 1.0f
                                                : bounded;
      result->c[1][l] = unclamped[l] + unit->sampler.lod_bias;
   }
   fill(result->c[2], 0.0f);
   fill(result->c[3], 0.0f);
}

static void
sample_coordinates(const struct cf_texture_unit *unit, const struct cf_texture_request *request,
                   struct sample_result *result)
{
   const float *str[3] = { request->s, request->t, request->r };
   cf_lanes_f projected[3];
   if (unit->empty) {
      for (uint32_t c = 0; c < 4; c++)
         fill(result->c[c], 0.0f);
      return;
   }
   if (request->mode == CF_TEXMODE_PROJ)
      for (int a = 0; a < 3; a++) {
         CF_FOR_LANES (l)
            projected[a][l] = str[a][l] / request->q[l];
         str[a] = projected[a];
      }
   const bool query = request->mode == CF_TEXMODE_QUERY_LOD;
   const float *reference = reference_of(unit, request, str);
   cf_lanes_f unclamped, lod;
   struct probes probes;
   struct coords coords;
   probes.most = 1;
   if (unit->needs_lod || query)
      level_of_detail(unit, request, str, unclamped, lod, &probes);
   if (query) {
      query_lod(unit, lod, unclamped, result);
   } else if (unit->anisotropic && probes.most > 1) {
      sample_probes(unit, request, str, lod, &probes, reference, result);
   } else {
      address(unit, str, request->q, &coords);
      coords.offsets = offsets_of(unit, request);
      if (unit->needs_lod)
         sample_filtered(unit, lod, request->exec, &coords, reference, request->mask, result);
      else
         sample_base(unit, request->exec, &coords, reference, request->mask, result);
   }
}

static void
load_texel(const struct cf_texture_unit *unit, const struct cf_texel *texel, float rgba[4])
{
   const struct cf_texture_level *level = &unit->level[texel->level];
   const uint32_t x = texel->x_px, y = texel->y_px, pixel_B = unit->format->pixel_B;
   const uint8_t *image = unit->data + level->offset_B + texel->layer * level->layer_pitch_B;
   if (unit->format->compression) {
      const uint32_t decoded = cf_s3tc_texel(
         unit->format->compression,
         image + y / 4 * level->row_pitch_B + x / 4 * unit->format->block_B, x % 4 + y % 4 * 4);
      cf_format_fetch(unit->format, (const uint8_t *)&decoded, rgba);
      return;
   }
   uint32_t offset_B = y * level->row_pitch_B + x * pixel_B;
   if (unit->texture.layout == CF_LAYOUT_BLOCKS)
      offset_B = y / 4 * level->row_pitch_B + (x / 4 * 16 + cf_block_element(x, y)) * pixel_B;
   if (texel->sample)
      offset_B += texel->sample * (level->row_pitch_B / unit->texture.samples);
   cf_format_fetch(unit->format, image + offset_B, rgba);
}

/* texelFetch: integer coordinates; q is the level, or the sample of a texture of several; 0 outside
 * of the texture. */
static void
fetch_texels(const struct cf_texture_unit *unit, const struct cf_texture_request *request,
             uint32_t mask, struct sample_result *result)
{
   const enum cf_swizzle swizzle[4] = { unit->texture.swizzle_r, unit->texture.swizzle_g,
                                        unit->texture.swizzle_b, unit->texture.swizzle_a };
   for (uint32_t c = 0; c < 4; c++)
      fill(result->c[c], 0.0f);
   CF_FOR_BITS(l, request->exec) {
      struct cf_texel texel;
      float view[4]; /* the format's view; the descriptor's swizzle is applied to it */
      const uint32_t strq[4] = { cf_bits(request->s[l]), cf_bits(request->t[l]),
                                 cf_bits(request->r[l]), cf_bits(request->q[l]) };
      if (!cf_texture_fetched(unit, strq, l, &texel))
         continue;
      if (unit->watch)
         unit->watch->texel(unit->watch->user, &texel);
      load_texel(unit, &texel, view);
      for (uint32_t c = 0; c < 4; c++)
         if (mask >> c & 1)
            result->c[c][l] = swizzle[c] == CF_SWIZZLE_ZERO  ? 0.0f
                              : swizzle[c] == CF_SWIZZLE_ONE ? cf_format_one(unit->format)
                                                             : view[swizzle[c]];
   }
}

static void
texture_size(const struct cf_texture_unit *unit, const struct cf_texture_request *request,
             struct sample_result *result)
{
   const uint32_t levels = unit->texture.last_level - unit->texture.first_level + 1;
   CF_FOR_LANES (l) {
      const uint32_t level_index = cf_bits(request->q[l]);
      const struct cf_texture_level *level =
         &unit->level[unit->texture.first_level + (level_index < levels ? level_index : 0)];
      const uint32_t layers = unit->cube && unit->array ? level->depth_px / 6 : level->depth_px;
      result->c[0][l] = cf_float(level->width_px);
      result->c[1][l] = cf_float(unit->dims == 1 ? layers : level->height_px);
      result->c[2][l] = cf_float(layers);
      result->c[3][l] = cf_float(levels);
   }
}

static void
sample(const struct cf_texture_unit *unit, const struct cf_texture_request *request,
       float (*rgba)[CF_TASK_LANES])
{
   struct sample_result result;
   const uint32_t mask = request->mask;
   switch (request->mode) {
   case CF_TEXMODE_FETCH:
      fetch_texels(unit, request, mask, &result);
      break;
   case CF_TEXMODE_SIZE:
      texture_size(unit, request, &result);
      break;
   default:
      sample_coordinates(unit, request, &result);
   }
   for (uint32_t c = 0; c < 4; c++) {
      if (!(mask >> c & 1))
         continue;
      if (request->exec == UINT32_MAX)
         memcpy(rgba[c], result.c[c], sizeof(result.c[c]));
      else
         CF_FOR_LANES (l)
            rgba[c][l] = request->exec >> l & 1 ? result.c[c][l] : rgba[c][l];
   }
}

const struct cf_texture_ops CF_LANES(cf_texture_ops) = {
   .sample = sample,
};
