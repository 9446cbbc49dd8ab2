/* SPDX-License-Identifier: MIT */
/*
 * Texture unit, sampling: one tex instruction for 32 lanes (GL ES 2.0 section 3.7, GL 2.1
 * section 3.8).
 *
 * Data: coordinates -> (projection, cube face) -> level of detail per quad -> for each group of
 * lanes that share a level and a filter: wrap modes give two texel indices and a weight per axis ->
 * offsets -> texels -> filter -> result. All lanes of a group's pass are computed, the group's are
 * kept; typically there is one group.
 *
 * The level of detail is that of the quad's upper left corner (coarse derivatives), on the face of
 * a cube that the lane itself is on. A derivative is 0 if one of its two lanes is not in exec: what
 * such lanes hold is nobody's. Filtering of
 * formats whose channels are unorm of at most 8 bits is an integer specification: weights of 8
 * bits, rounded to nearest, products summed exactly. Others are filtered in f32, first along s,
 * then t, then r.
 */
#include "clipfree/arith/cf_special.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/texture/cf_sample_rgba8.h"
#include "clipfree/texture/cf_texel.h"

/* Texture coordinates of a task after projection and face selection. */
struct coords {
   cf_lanes_f axis[3];
   cf_lanes_u layer; /* array layer and cube face: multiples of the level's layer pitch */
};

/* The two texels an axis touches: index, and whether it is inside (else the border); weight of the
 * second. */
struct wrapped {
   cf_lanes_i index[2];
   cf_lanes_u outside[2];
   cf_lanes_f weight;
};

struct result {
   cf_lanes_f c[4];
};

/* ------------------------------------------------------------------ wrap modes */

static void
to_texels(enum cf_wrap wrap, const cf_lanes_f coord, float size, cf_lanes_f u)
{
   switch (wrap) {
   case CF_WRAP_REPEAT:
      CF_FOR_LANES(l)
         u[l] = (coord[l] - cf_floor(coord[l])) * size;
      break;
   case CF_WRAP_MIRROR_REPEAT:
      CF_FOR_LANES(l) {
         const float m = coord[l] - 2.0f * cf_floor(coord[l] * 0.5f);
         u[l] = (m > 1.0f ? 2.0f - m : m) * size;
      }
      break;
   case CF_WRAP_MIRROR_CLAMP:
   case CF_WRAP_MIRROR_CLAMP_TO_EDGE:
   case CF_WRAP_MIRROR_CLAMP_TO_BORDER:
      CF_FOR_LANES(l)
         u[l] = cf_fabs(coord[l]) * size;
      break;
   default:
      CF_FOR_LANES(l)
         u[l] = coord[l] * size;
   }
}

static bool
has_border(enum cf_wrap wrap, bool linear)
{
   return wrap == CF_WRAP_CLAMP_TO_BORDER || wrap == CF_WRAP_MIRROR_CLAMP_TO_BORDER ||
          (linear && (wrap == CF_WRAP_CLAMP || wrap == CF_WRAP_MIRROR_CLAMP));
}

static bool
mirrors_at_zero(enum cf_wrap wrap)
{
   return wrap == CF_WRAP_MIRROR_CLAMP || wrap == CF_WRAP_MIRROR_CLAMP_TO_EDGE ||
          wrap == CF_WRAP_MIRROR_CLAMP_TO_BORDER;
}

/* Bring index i, in [-1, size + 1], inside [0, size - 1]. */
static void
wrap_index(enum cf_wrap wrap, bool border, int32_t size, cf_lanes_i i, cf_lanes_u outside)
{
   if (border) {
      const int32_t low = mirrors_at_zero(wrap) ? -1 : 0; /* the mirror of texel -1 is texel 0 */
      CF_FOR_LANES(l)
         outside[l] = i[l] < low || i[l] >= size ? UINT32_MAX : 0;
   }
   if (wrap == CF_WRAP_REPEAT)
      CF_FOR_LANES(l)
         i[l] = i[l] < 0 ? size - 1 : i[l] >= size ? 0 : i[l];
   else
      CF_FOR_LANES(l)
         i[l] = i[l] < 0 ? 0 : i[l] >= size ? size - 1 : i[l];
}

/* GL ES 2.0 section 3.7.7: coordinate to texel indices and weight. NaN samples some texel inside.
 */
static void
wrap_axis(enum cf_wrap wrap, bool linear, bool unnormalized, const cf_lanes_f coord,
          uint32_t size_px, struct wrapped *w)
{
   const float size = (float)size_px;
   cf_lanes_f u;
   if (unnormalized)
      CF_FOR_LANES(l)
         u[l] = coord[l];
   else
      to_texels(wrap, coord, size, u);
   if (wrap == CF_WRAP_CLAMP || wrap == CF_WRAP_MIRROR_CLAMP)
      CF_FOR_LANES(l)
         u[l] = u[l] > 0.0f ? (u[l] < size ? u[l] : size) : 0.0f;
   const float centre = linear ? 0.5f : 0.0f;
   CF_FOR_LANES(l) {
      const float v = u[l] - centre;
      const float inside = v > -1.0f ? (v < size ? v : size) : -1.0f;
      const float whole = cf_floor(inside);
      w->weight[l] = inside - whole;
      w->index[0][l] = (int32_t)whole;
      w->index[1][l] = (int32_t)whole + 1;
   }
   const bool border = has_border(wrap, linear);
   if (!linear && wrap == CF_WRAP_REPEAT) /* a fraction rounded up to 1 belongs to the last texel */
      CF_FOR_LANES(l)
         w->index[0][l] =
            w->index[0][l] >= (int32_t)size_px ? (int32_t)size_px - 1 : w->index[0][l];
   for (int n = 0; n < (linear ? 2 : 1); n++)
      wrap_index(wrap, border, (int32_t)size_px, w->index[n], w->outside[n]);
}

/* ------------------------------------------------------------------ offsets */

static void
axis_offset(const struct cf_texture_unit *unit, const struct cf_texture_level *level, int axis,
            const cf_lanes_i index, cf_lanes_u offset_B)
{
   const uint32_t pixel_B = unit->format->pixel_B, row_B = level->row_pitch_B,
                  layer_B = level->layer_pitch_B;
   const bool blocks = unit->texture.layout == CF_LAYOUT_BLOCKS;
   if (axis == 0 && blocks)
      CF_FOR_LANES(l) {
         const uint32_t x = (uint32_t)index[l];
         offset_B[l] = ((x >> 2) * 16 + (x & 1) + ((x & 2) << 1)) * pixel_B;
      }
   else if (axis == 0)
      CF_FOR_LANES(l)
         offset_B[l] = (uint32_t)index[l] * pixel_B;
   else if (axis == 1 && blocks)
      CF_FOR_LANES(l) {
         const uint32_t y = (uint32_t)index[l];
         offset_B[l] = (y >> 2) * row_B + (((y & 1) << 1) + ((y & 2) << 2)) * pixel_B;
      }
   else
      CF_FOR_LANES(l)
         offset_B[l] = (uint32_t)index[l] * (axis == 1 ? row_B : layer_B);
}

/* The texels of a pass: up to 2 x 2 x 2 of them. */
struct footprint {
   const struct cf_texture_unit *unit;
   const struct cf_texture_level *level;
   bool linear, border;
   struct wrapped axis[3];
   cf_lanes_u offset_B[3][2];
   cf_lanes_u base_B;
};

static void
make_footprint(const struct cf_texture_unit *unit, uint32_t level_index, bool linear,
               const struct coords *coords, struct footprint *f)
{
   const struct cf_texture_level *level = &unit->level[level_index];
   const enum cf_wrap wrap[3] = { unit->sampler.wrap_s, unit->sampler.wrap_t,
                                  unit->sampler.wrap_r };
   const uint32_t size_px[3] = { level->width_px, level->height_px, level->depth_px };
   f->unit = unit;
   f->level = level;
   f->linear = linear;
   f->border = false;
   const bool unnormalized =
      unit->sampler.unnormalized || unit->texture.kind == CF_TEXTURE_KIND_RECT;
   for (uint32_t a = 0; a < unit->dims; a++) {
      wrap_axis(wrap[a], linear, unnormalized, coords->axis[a], size_px[a], &f->axis[a]);
      f->border |= has_border(wrap[a], linear);
      for (int n = 0; n < (linear ? 2 : 1); n++)
         axis_offset(unit, level, (int)a, f->axis[a].index[n], f->offset_B[a][n]);
   }
   if (f->border)
      for (uint32_t a = 0; a < unit->dims; a++)
         if (!has_border(wrap[a], linear))
            memset(f->axis[a].outside, 0, sizeof(f->axis[a].outside));
   CF_FOR_LANES(l)
      f->base_B[l] = level->offset_B + coords->layer[l] * level->layer_pitch_B;
}

/* Texel `corner` (bit a: the second index of axis a). */
static void
load_corner(const struct footprint *f, uint32_t corner, struct cf_raw_texels *raw)
{
   cf_lanes_u offset_B;
   CF_FOR_LANES(l)
      offset_B[l] = f->base_B[l] + f->offset_B[0][corner & 1][l];
   for (uint32_t a = 1; a < f->unit->dims; a++)
      CF_FOR_LANES(l)
         offset_B[l] += f->offset_B[a][corner >> a & 1][l];
   cf_load_words(f->unit->format->pixel_B, f->unit->data, offset_B, raw);
}

/* ------------------------------------------------------------------ filters */

static void
fill(cf_lanes_f out, float value)
{
   CF_FOR_LANES(l)
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
      CF_FOR_LANES(l)
         texel[l] = outside[l] ? border : texel[l];
   }
}

/* GL 2.1 section 3.8.14: r compared with the texel. */
static void
compare_depth(const struct cf_texture_unit *unit, const float *reference, cf_lanes_f texel)
{
   const bool fixed_point = unit->format->channel[0].type == CF_CHANNEL_UNORM;
   const enum cf_compare func = unit->sampler.compare_func;
   CF_FOR_LANES(l) {
      const float clamped = cf_fsat(reference[l]);
      const float r = fixed_point ? clamped : reference[l], d = texel[l];
      const bool less = r<d, equal = r == d, greater = r> d;
      const bool pass = (func & 1 && less) || (func & 2 && equal) || (func & 4 && greater);
      texel[l] = pass || func == CF_COMPARE_ALWAYS ? 1.0f : 0.0f;
   }
}

static void
lerp(const cf_lanes_f a, const cf_lanes_f b, const cf_lanes_f weight, cf_lanes_f out)
{
   CF_FOR_LANES(l)
      out[l] = a[l] + weight[l] * (b[l] - a[l]);
}

/* One channel, in f32; corners are reduced along s, then t, then r. */
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
   CF_FOR_LANES(l) {
      const int32_t t00 = (int32_t)(raw[0].word[0][l] >> shift) & max,
                    t10 = (int32_t)(raw[1].word[0][l] >> shift) & max;
      const int32_t t01 = (int32_t)(raw[2].word[0][l] >> shift) & max,
                    t11 = (int32_t)(raw[3].word[0][l] >> shift) & max;
      const int32_t upper = t00 * 256 + (t10 - t00) * wx[l];
      const int32_t lower = t01 * 256 + (t11 - t01) * wx[l];
      out[l] = (float)(upper * 256 + (lower - upper) * wy[l]) * scale;
   }
}

static void
integer_weights(const cf_lanes_f weight, cf_lanes_i out)
{
   CF_FOR_LANES(l)
      out[l] = (int32_t)(weight[l] * 256.0f + 0.5f);
}

/* The channels of the format that the result's components in mask read. */
static uint32_t
channels_needed(const struct cf_texture_unit *unit, uint32_t mask)
{
   uint32_t channels = 0;
   for (uint32_t c = 0; c < 4; c++)
      if (mask >> c & 1 && unit->source[c] < 4)
         channels |= 1u << unit->source[c];
   return channels;
}

/* Sample one level with one filter, all lanes. */
static void
sample_level(const struct cf_texture_unit *unit, uint32_t level, bool linear,
             const struct coords *coords, const float *reference, uint32_t mask,
             struct result *result)
{
   struct footprint f;
   struct cf_raw_texels raw[8];
   cf_lanes_f channel[4];
   make_footprint(unit, level, linear, coords, &f);
   const uint32_t corners = linear ? 1u << unit->dims : 1;
   for (uint32_t n = 0; n < corners; n++)
      load_corner(&f, n, &raw[n]);
   const bool integer = linear && unit->unorm8 && unit->dims == 2 && !f.border;
   cf_lanes_i wx, wy;
   if (integer) {
      integer_weights(f.axis[0].weight, wx);
      integer_weights(f.axis[1].weight, wy);
   }
   const uint32_t needed = channels_needed(unit, mask);
   for (uint32_t c = 0; c < unit->format->channels; c++) {
      if (!(needed >> c & 1))
         continue;
      if (integer)
         filter_channel_unorm8(raw, &unit->format->channel[c], wx, wy, channel[c]);
      else
         filter_channel(&f, raw, c, reference, channel[c]);
   }
   for (uint32_t c = 0; c < 4; c++) {
      if (!(mask >> c & 1))
         continue;
      if (unit->source[c] < 4)
         memcpy(result->c[c], channel[unit->source[c]], sizeof(channel[0]));
      else
         fill(result->c[c], unit->source[c] == CF_VIEW_ONE ? 1.0f : 0.0f);
   }
}

/* ------------------------------------------------------------------ level of detail */

/* GL ES 2.0 section 3.7.5, table 3.21: the face a direction points to, and the coordinates on it.
 * axis: 0..2 of the major axis. */
static void
select_faces(const float *const str[3], struct coords *coords, cf_lanes_i major)
{
   CF_FOR_LANES(l) {
      const float x = str[0][l], y = str[1][l], z = str[2][l];
      const float ax = cf_fabs(x), ay = cf_fabs(y), az = cf_fabs(z);
      const bool is_x = ax >= ay && ax >= az, is_y = !is_x && ay >= az;
      const float m = is_x ? x : is_y ? y : z;
      const bool negative = m < 0.0f;
      const float sc = is_x ? (negative ? z : -z) : is_y ? x : (negative ? -x : x);
      const float tc = is_x ? -y : is_y ? (negative ? -z : z) : -y;
      const float ma = cf_fabs(m);
      coords->axis[0][l] = (sc / ma + 1.0f) * 0.5f;
      coords->axis[1][l] = (tc / ma + 1.0f) * 0.5f;
      major[l] = is_x ? 0 : is_y ? 1 : 2;
      coords->layer[l] = (uint32_t)(is_x ? 0 : is_y ? 2 : 4) + (negative ? 1 : 0);
   }
}

/* Are a lane and the one `other` after it both in exec? */
static inline bool
in_exec(uint32_t exec, int lane, int other)
{
   return exec >> lane & exec >> (lane + other) & 1;
}

/* Level of detail of each quad: that of the longer of the two derivatives, in texels of the base
 * level. */
static void
quad_lods(const struct cf_texture_unit *unit, const struct coords *coords, uint32_t exec,
          float lod[CF_TASK_QUADS])
{
   const struct cf_texture_level *base = &unit->level[unit->texture.first_level];
   const bool unnormalized =
      unit->sampler.unnormalized || unit->texture.kind == CF_TEXTURE_KIND_RECT;
   const float size[3] = { (float)base->width_px, (float)base->height_px, (float)base->depth_px };
   float dx[CF_TASK_QUADS] = { 0 }, dy[CF_TASK_QUADS] = { 0 }; /* squared lengths */
   for (uint32_t a = 0; a < unit->dims; a++) {
      const float *x = coords->axis[a], scale = unnormalized ? 1.0f : size[a];
      for (int q = 0; q < CF_TASK_QUADS; q++) {
         const float across = (x[4 * q + 1] - x[4 * q]) * scale,
                     down = (x[4 * q + 2] - x[4 * q]) * scale;
         dx[q] += across * across;
         dy[q] += down * down;
      }
   }
   if (exec != UINT32_MAX)
      for (int q = 0; q < CF_TASK_QUADS; q++) {
         dx[q] = in_exec(exec, 4 * q, 1) ? dx[q] : 0.0f;
         dy[q] = in_exec(exec, 4 * q, 2) ? dy[q] : 0.0f;
      }
   for (int q = 0; q < CF_TASK_QUADS; q++)
      lod[q] = 0.5f * cf_log2(dx[q] > dy[q] ? dx[q] : dy[q]);
}

/* Cube maps: squared length of the difference of (sc / ma, tc / ma) / 2 between the quad's first lane
 * and the one `other` after it, both seen on the face of the lane itself; sc and tc are the two
 * components that are not the major one (signs do not matter to a length). Lanes of one face agree. */
static void
cube_footprint_squared(const struct cf_texture_unit *unit, const float *const str[3],
                       const cf_lanes_i major, uint32_t exec, int other, cf_lanes_f out)
{
   const float size = 0.5f * (float)unit->level[unit->texture.first_level].width_px;
   CF_FOR_LANES(l) {
      const float *ma = str[major[l]], *sc = str[major[l] == 0], *tc = str[major[l] == 2 ? 1 : 2];
      const int a = l & ~3, b = a + other;
      const float scale = size / (ma[a] * ma[b]);
      const float du = (sc[b] * ma[a] - sc[a] * ma[b]) * scale,
                  dv = (tc[b] * ma[a] - tc[a] * ma[b]) * scale;
      out[l] = in_exec(exec, a, other) ? du * du + dv * dv : 0.0f;
   }
}

/* GL ES 2.0 equations 3.12-3.14: lambda before bias and clamping. Quads agree, but for lanes on
 * different faces of a cube: each has its own face's. */
static void
implicit_lod(const struct cf_texture_unit *unit, const struct coords *coords,
             const float *const str[3], const cf_lanes_i major, uint32_t exec, cf_lanes_f lod)
{
   if (!unit->cube) {
      float quad_lod[CF_TASK_QUADS];
      quad_lods(unit, coords, exec, quad_lod);
      CF_FOR_LANES(l)
         lod[l] = quad_lod[l / 4];
      return;
   }
   cf_lanes_f dx, dy;
   cube_footprint_squared(unit, str, major, exec, 1, dx);
   cube_footprint_squared(unit, str, major, exec, 2, dy);
   CF_FOR_LANES(l)
      lod[l] = 0.5f * cf_log2(dx[l] > dy[l] ? dx[l] : dy[l]);
}

static void
level_of_detail(const struct cf_texture_unit *unit, const struct cf_texture_request *request,
                const struct coords *coords, const float *const str[3], const cf_lanes_i major,
                cf_lanes_f unclamped, cf_lanes_f lod)
{
   if (request->mode == CF_TEXMODE_LOD)
      memcpy(unclamped, request->q, sizeof(cf_lanes_f));
   else if (request->quads)
      implicit_lod(unit, coords, str, major, request->exec, unclamped);
   else
      fill(unclamped, 0.0f);
   if (request->mode == CF_TEXMODE_BIAS)
      CF_FOR_LANES(l)
         unclamped[l] += request->q[l];
   const float bias = unit->sampler.lod_bias, low = unit->sampler.min_lod,
               high = unit->sampler.max_lod;
   CF_FOR_LANES(l) {
      const float biased = unclamped[l] + bias;
      const float at_most = biased < high ? biased : high;
      lod[l] = at_most > low ? at_most : low; /* NaN: max_lod at most */
   }
}

/* ------------------------------------------------------------------ one request */

/* Sample lanes in `lanes`, each at its level with its filter, group by group. */
static void
sample_by_groups(const struct cf_texture_unit *unit, const cf_lanes_i level,
                 const cf_lanes_u linear, uint32_t lanes, const struct coords *coords,
                 const float *reference, uint32_t mask, struct result *result)
{
   while (lanes) {
      const int first = __builtin_ctz(lanes);
      uint32_t group = 0;
      CF_FOR_LANES(l)
         group |= (uint32_t)(level[l] == level[first] && linear[l] == linear[first]) << l;
      group &= lanes;
      lanes &= ~group;
      struct result pass;
      sample_level(unit, (uint32_t)level[first], linear[first], coords, reference, mask, &pass);
      for (uint32_t c = 0; c < 4; c++)
         if (mask >> c & 1)
            CF_FOR_LANES(l)
               result->c[c][l] = group >> l & 1 ? pass.c[c][l] : result->c[c][l];
   }
}

static void
sample_groups(const struct cf_texture_unit *unit, const cf_lanes_i level, const cf_lanes_u linear,
              uint32_t lanes, const struct coords *coords, const float *reference, uint32_t mask,
              struct result *result)
{
   uint32_t filtered = 0;
   CF_FOR_LANES(l)
      filtered |= (linear[l] ? 1u : 0u) << l;
   filtered &= lanes;
   if (lanes && unit->rgba8 && (filtered == 0 || filtered == lanes))
      rgba8_sample(unit, level, filtered != 0, lanes, coords->axis[0], coords->axis[1],
                   coords->layer, mask, result->c);
   else
      sample_by_groups(unit, level, linear, lanes, coords, reference, mask, result);
}

/* Minification and magnification filters, mipmaps (GL ES 2.0 sections 3.7.7 and 3.7.8). The switch between them, c, is
 * 0 for all filters: where section 3.7.8 has 0.5 (a linear magnification with minification by the nearest texel of a
 * mipmap), the conformance suite accepts 0 only. */
static void
sample_filtered(const struct cf_texture_unit *unit, const cf_lanes_f lod, uint32_t exec,
                const struct coords *coords, const float *reference, uint32_t mask,
                struct result *result)
{
   const int32_t first = (int32_t)unit->texture.first_level,
                 last = (int32_t)unit->texture.last_level;
   const enum cf_mip mip = unit->sampler.mip_filter;
   const uint32_t min_linear = unit->sampler.min_filter == CF_FILTER_LINEAR,
                  mag_linear = unit->sampler.mag_filter == CF_FILTER_LINEAR;
   cf_lanes_i level, next;
   cf_lanes_u linear;
   cf_lanes_f weight;
   uint32_t blended = 0;
   CF_FOR_LANES(l) {
      const bool magnify = lod[l] <= 0.0f;
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
   CF_FOR_LANES(l)
      blended |= (uint32_t)(weight[l] > 0.0f) << l;
   blended &= exec;
   if (!blended)
      return;
   struct result upper;
   sample_groups(unit, next, linear, blended, coords, reference, mask, &upper);
   for (uint32_t c = 0; c < 4; c++)
      if (mask >> c & 1)
         CF_FOR_LANES(l)
            result->c[c][l] = blended >> l & 1
                                 ? result->c[c][l] + weight[l] * (upper.c[c][l] - result->c[c][l])
                                 : result->c[c][l];
}

/* Layer of an array texture: r (t of 1D arrays) rounded, clamped. */
static void
select_layer(const struct cf_texture_unit *unit, const float *coordinate, uint32_t per_layer,
             struct coords *coords)
{
   const float last = (float)(unit->level[unit->texture.first_level].depth_px / per_layer - 1);
   CF_FOR_LANES(l) {
      const float rounded = cf_floor(coordinate[l] + 0.5f);
      const float inside = rounded > 0.0f ? (rounded < last ? rounded : last) : 0.0f;
      coords->layer[l] += (uint32_t)(int32_t)inside * per_layer;
   }
}

/* The depth reference of a shadow texture: the coordinate after those that address it. */
static const float *
reference_of(const struct cf_texture_unit *unit, const struct cf_texture_request *request,
             const float *const str[3])
{
   return unit->cube || unit->texture.kind == CF_TEXTURE_KIND_T2D_ARRAY ? request->q : str[2];
}

static void
sample_coordinates(const struct cf_texture_unit *unit, const struct cf_texture_request *request,
                   uint32_t mask, bool query, struct result *result)
{
   const float *str[3] = { request->s, request->t, request->r };
   cf_lanes_f projected[3];
   if (request->mode == CF_TEXMODE_PROJ)
      for (int a = 0; a < 3; a++) {
         CF_FOR_LANES(l)
            projected[a][l] = str[a][l] / request->q[l];
         str[a] = projected[a];
      }
   struct coords coords;
   cf_lanes_i major;
   memset(coords.layer, 0, sizeof(coords.layer));
   if (unit->cube)
      select_faces(str, &coords, major);
   else
      for (uint32_t a = 0; a < unit->dims; a++)
         memcpy(coords.axis[a], str[a], sizeof(coords.axis[a]));
   if (unit->array)
      select_layer(unit, unit->cube ? request->q : str[unit->dims], unit->cube ? 6 : 1, &coords);
   cf_lanes_f unclamped, lod;
   if (unit->needs_lod || query)
      level_of_detail(unit, request, &coords, str, major, unclamped, lod);
   if (query) {
      memcpy(result->c[0], lod, sizeof(lod));
      memcpy(result->c[1], unclamped, sizeof(unclamped));
      fill(result->c[2], 0.0f);
      fill(result->c[3], 0.0f);
      return;
   }
   const float *reference = reference_of(unit, request, str);
   const bool linear = unit->sampler.min_filter == CF_FILTER_LINEAR;
   if (unit->needs_lod) {
      sample_filtered(unit, lod, request->exec, &coords, reference, mask, result);
   } else if (unit->rgba8) {
      CF_FOR_LANES(l)
         major[l] =
            (int32_t)unit->texture.first_level; /* the face has been selected: major is free */
      rgba8_sample(unit, major, linear, UINT32_MAX, coords.axis[0], coords.axis[1], coords.layer,
                   mask, result->c);
   } else {
      sample_level(unit, unit->texture.first_level, linear, &coords, reference, mask, result);
   }
}

/* texelFetch: integer coordinates, level in q; outside the level or the texture: 0. */
static void
fetch_texels(const struct cf_texture_unit *unit, const struct cf_texture_request *request,
             uint32_t mask, struct result *result)
{
   const float *str[3] = { request->s, request->t, request->r };
   for (uint32_t c = 0; c < 4; c++)
      fill(result->c[c], 0.0f);
   CF_FOR_LANES(l) {
      const uint32_t level_index = unit->texture.first_level + cf_bits(request->q[l]);
      if (!(request->exec >> l & 1) || level_index > unit->texture.last_level)
         continue;
      const struct cf_texture_level *level = &unit->level[level_index];
      const uint32_t size[3] = { level->width_px,
                                 unit->texture.kind == CF_TEXTURE_KIND_T1D_ARRAY ? level->depth_px
                                                                                 : level->height_px,
                                 level->depth_px };
      uint32_t at[3] = { 0, 0, 0 };
      bool inside = true;
      for (uint32_t a = 0; a < unit->dims + (unit->array ? 1 : 0); a++) {
         at[a] = cf_bits(str[a][l]);
         inside &= at[a] < size[a];
      }
      if (!inside)
         continue;
      const uint32_t y = unit->dims >= 2 ? at[1] : 0, layer = unit->dims == 1 ? at[1] : at[2];
      const uint32_t pixel_B = unit->format->pixel_B;
      uint32_t offset_B =
         level->offset_B + layer * level->layer_pitch_B + y * level->row_pitch_B + at[0] * pixel_B;
      if (unit->texture.layout == CF_LAYOUT_BLOCKS)
         offset_B =
            level->offset_B + layer * level->layer_pitch_B + y / 4 * level->row_pitch_B +
            (at[0] / 4 * 16 + ((at[0] & 1) | (y & 1) << 1 | (at[0] & 2) << 1 | (y & 2) << 2)) *
               pixel_B;
      float rgba[4];
      cf_format_fetch(unit->format, unit->data + offset_B, rgba);
      const float *view = rgba; /* format's view applied; the descriptor's swizzle comes on top */
      const enum cf_swizzle swizzle[4] = { unit->texture.swizzle_r, unit->texture.swizzle_g,
                                           unit->texture.swizzle_b, unit->texture.swizzle_a };
      for (uint32_t c = 0; c < 4; c++)
         if (mask >> c & 1)
            result->c[c][l] = swizzle[c] == CF_SWIZZLE_ZERO  ? 0.0f
                              : swizzle[c] == CF_SWIZZLE_ONE ? 1.0f
                                                             : view[swizzle[c]];
   }
}

static void
texture_size(const struct cf_texture_unit *unit, const struct cf_texture_request *request,
             struct result *result)
{
   const uint32_t levels = unit->texture.last_level - unit->texture.first_level + 1;
   CF_FOR_LANES(l) {
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
   struct result result;
   const uint32_t mask = request->mask;
   switch (request->mode) {
   case CF_TEXMODE_FETCH:
      fetch_texels(unit, request, mask, &result);
      break;
   case CF_TEXMODE_SIZE:
      texture_size(unit, request, &result);
      break;
   default:
      sample_coordinates(unit, request, mask, request->mode == CF_TEXMODE_QUERY_LOD, &result);
   }
   for (uint32_t c = 0; c < 4; c++) {
      if (!(mask >> c & 1))
         continue;
      if (request->exec == UINT32_MAX)
         memcpy(rgba[c], result.c[c], sizeof(result.c[c]));
      else
         CF_FOR_LANES(l)
            rgba[c][l] = request->exec >> l & 1 ? result.c[c][l] : rgba[c][l];
   }
}

const struct cf_texture_ops CF_LANES(cf_texture_ops) = {
   .sample = sample,
};
