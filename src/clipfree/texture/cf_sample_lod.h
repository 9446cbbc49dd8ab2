/* SPDX-License-Identifier: MIT */
/*
 * Texture unit, coordinates: cube faces and array layers, level of detail, and the probes of the
 * anisotropic filter (GL ES 2.0 sections 3.7.5 and 3.7.7, EXT_texture_filter_anisotropic).
 * Included by lane sources only.
 *
 * Implicit derivatives are coarse: differences to the quad's upper left pixel, on a cube projected
 * to the lane's own face. The derivative along x or y is 0 if one of its two lanes is not in exec,
 * since such lanes hold undefined values. In mode grad the program supplies each lane's
 * derivatives.
 */
#ifndef CF_SAMPLE_LOD_H
#define CF_SAMPLE_LOD_H

#include "clipfree/arith/cf_special.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/texture/cf_texel.h"
#include "clipfree/texture/cf_texture_formulas.h"

/* Texture coordinates of a task after projection and face selection. */
struct coords {
   cf_lanes_f axis[3];
   cf_lanes_u layer; /* array layer and cube face: multiples of the level's layer pitch */
   const uint32_t *offsets; /* texel offsets (CF_OPERAND_OFFSETS); NULL: none */
};

/* Whether the reference value of a shadow texture is q, not r. */
static inline bool
q_is_reference(const struct cf_texture_unit *unit)
{
   return unit->compare && (unit->cube || unit->texture.kind == CF_TEXTURE_KIND_T2D_ARRAY);
}

/* ------------------------------------------------------------------ faces and layers */

/* The major axis of a direction: 0, 1 or 2. Ties, which GL leaves open: x before y, y before z, z
 * before x; x if all are equal. */
static inline int32_t
major_axis(float x, float y, float z)
{
   const float ax = cf_fabs(x), ay = cf_fabs(y), az = cf_fabs(z);
   const bool is_y = ay > ax && ay >= az, is_z = az >= ax && az > ay;
   return is_y ? 1 : is_z ? 2 : 0;
}

/* The face that a direction points to, and the coordinates on it (GL ES 2.0 section 3.7.5, table
 * 3.21). */
static void
select_faces(const float *const str[3], struct coords *coords)
{
   CF_FOR_LANES (l) {
      const float x = str[0][l], y = str[1][l], z = str[2][l];
      const int32_t major = major_axis(x, y, z);
      const bool is_x = major == 0, is_y = major == 1;
      const float m = is_x ? x : is_y ? y : z;
      const bool negative = m < 0.0f;
      const float sc = is_x ? (negative ? z : -z) : is_y ? x : (negative ? -x : x);
      const float tc = is_x ? -y : is_y ? (negative ? -z : z) : -y;
      const float ma = cf_fabs(m);
      coords->axis[0][l] = (sc / ma + 1.0f) * 0.5f;
      coords->axis[1][l] = (tc / ma + 1.0f) * 0.5f;
      coords->layer[l] = (uint32_t)(is_x ? 0 : is_y ? 2 : 4) + (negative ? 1 : 0);
   }
}

/* Layer of an array texture: rounded, halves up, and clamped (EXT_texture_array, additions to
 * section 3.8.8). */
static void
select_layer(const struct cf_texture_unit *unit, const float *coordinate, uint32_t per_layer,
             struct coords *coords)
{
   const float last = (float)(unit->level[unit->texture.first_level].depth_px / per_layer - 1);
   CF_FOR_LANES (l) {
      const float whole = cf_floor(coordinate[l]); /* coordinate + 0.5 would be rounded */
      const float rounded = coordinate[l] - whole >= 0.5f ? whole + 1.0f : whole;
      const float inside = rounded > 0.0f ? (rounded < last ? rounded : last) : 0.0f;
      coords->layer[l] += (uint32_t)(int32_t)inside * per_layer;
   }
}

/* Select array layers and cube faces. str: the coordinates after projection. */
static void
address(const struct cf_texture_unit *unit, const float *const str[3], const float *q,
        struct coords *coords)
{
   memset(coords->layer, 0, sizeof(coords->layer));
   if (unit->cube)
      select_faces(str, coords);
   else
      for (uint32_t a = 0; a < unit->dims; a++)
         memcpy(coords->axis[a], str[a], sizeof(coords->axis[a]));
   if (unit->array)
      select_layer(unit, unit->cube ? q : str[unit->dims], unit->cube ? 6 : 1, coords);
}

/* ------------------------------------------------------------------ derivatives */

/* Squared lengths of derivatives along x and y, in texels of the base level: one per quad; one per
 * lane for cubes, whose lanes may be on different faces, and in mode grad. */
struct derivatives {
   int entries; /* CF_TASK_QUADS or CF_TASK_LANES */
   cf_lanes_f dx, dy;
};

/* Scale from derivatives of coordinate `axis` to texels. */
static float
texels_per_coordinate(const struct cf_texture_unit *unit, uint32_t axis)
{
   const struct cf_texture_level *base = &unit->level[unit->texture.first_level];
   const uint32_t size_px[3] = { base->width_px, base->height_px, base->depth_px };
   const bool unnormalized =
      unit->sampler.unnormalized || unit->texture.kind == CF_TEXTURE_KIND_RECT;
   return unnormalized ? 1.0f : (float)size_px[axis];
}

/* Whether a lane and lane + other are both in exec. */
static inline bool
pair_in_exec(uint32_t exec, int lane, int other)
{
   return exec >> lane & exec >> (lane + other) & 1;
}

static void
plane_derivatives(const struct cf_texture_unit *unit, const float *const str[3], uint32_t exec,
                  struct derivatives *d)
{
   d->entries = CF_TASK_QUADS;
   for (int q = 0; q < CF_TASK_QUADS; q++)
      d->dx[q] = d->dy[q] = 0.0f;
   for (uint32_t a = 0; a < unit->dims; a++) {
      const float *x = str[a], scale = texels_per_coordinate(unit, a);
      for (int q = 0; q < CF_TASK_QUADS; q++) {
         const float across = (x[4 * q + 1] - x[4 * q]) * scale,
                     down = (x[4 * q + 2] - x[4 * q]) * scale;
         d->dx[q] += across * across;
         d->dy[q] += down * down;
      }
   }
   if (exec != UINT32_MAX)
      for (int q = 0; q < CF_TASK_QUADS; q++) {
         d->dx[q] = pair_in_exec(exec, 4 * q, 1) ? d->dx[q] : 0.0f;
         d->dy[q] = pair_in_exec(exec, 4 * q, 2) ? d->dy[q] : 0.0f;
      }
}

/* Squared length of the difference of (sc / ma, tc / ma) / 2 between lanes a and b; m: the major
 * axis of the face to which both are projected. sc and tc are the two other components (their signs
 * do not matter to a length). */
static inline float
face_difference_squared(const float *const str[3], int32_t m, float size, int a, int b)
{
   const float *ma = str[m], *sc = str[m == 0], *tc = str[m == 2 ? 1 : 2];
   return cf_face_length_squared(sc[a], tc[a], ma[a], sc[b], tc[b], ma[b], size / (ma[a] * ma[b]));
}

static void
cube_derivatives(const struct cf_texture_unit *unit, const float *const str[3], uint32_t exec,
                 struct derivatives *d)
{
   const float size = 0.5f * (float)unit->level[unit->texture.first_level].width_px;
   cf_lanes_i major;
   d->entries = CF_TASK_LANES;
   CF_FOR_LANES (l)
      major[l] = major_axis(str[0][l], str[1][l], str[2][l]);
   CF_FOR_LANES (l) {
      const int first = l & ~3;
      const float dx = face_difference_squared(str, major[l], size, first, first + 1);
      const float dy = face_difference_squared(str, major[l], size, first, first + 2);
      d->dx[l] = pair_in_exec(exec, first, 1) ? dx : 0.0f;
      d->dy[l] = pair_in_exec(exec, first, 2) ? dy : 0.0f;
   }
}

/* Squared length of the derivative of (sc / ma, tc / ma) / 2 at a lane; g: the derivative of the
 * direction. */
static inline float
face_gradient_squared(const float *const str[3], const float (*g)[CF_TASK_LANES], int32_t m,
                      float size, int l)
{
   const int s = m == 0, t = m == 2 ? 1 : 2;
   const float ma = str[m][l];
   return cf_face_length_squared(str[s][l], str[t][l], ma, g[s][l], g[t][l], g[m][l],
                                 size / (ma * ma));
}

/* Derivatives supplied by the program, of coordinates after projection. */
static void
given_derivatives(const struct cf_texture_unit *unit, const float *const str[3],
                  const float (*gradient)[CF_TASK_LANES], struct derivatives *d)
{
   d->entries = CF_TASK_LANES;
   memset(d->dx, 0, sizeof(d->dx));
   memset(d->dy, 0, sizeof(d->dy));
   if (unit->cube) {
      const float size = 0.5f * texels_per_coordinate(unit, 0);
      CF_FOR_LANES (l) {
         const int32_t major = major_axis(str[0][l], str[1][l], str[2][l]);
         d->dx[l] = face_gradient_squared(str, gradient, major, size, l);
         d->dy[l] = face_gradient_squared(str, gradient + 3, major, size, l);
      }
      return;
   }
   for (uint32_t a = 0; a < unit->dims; a++) {
      const float scale = texels_per_coordinate(unit, a);
      CF_FOR_LANES (l) {
         const float across = gradient[a][l] * scale, down = gradient[3 + a][l] * scale;
         d->dx[l] += across * across;
         d->dy[l] += down * down;
      }
   }
}

/* ------------------------------------------------------------------ anisotropic filter */

/* The probes of each lane: probe n = 1 .. count is at start + n * step, along the footprint's major
 * axis, centred on the pixel. A single probe is at the pixel's own coordinates. */
struct probes {
   cf_lanes_f count, start[3], step[3];
   int32_t most; /* largest count of the lanes in exec */
};

/* The anisotropic level of detail, of each entry: that of a probe. */
static void
place_probes(const struct cf_texture_unit *unit, const struct cf_texture_request *request,
             const float *const str[3], const struct derivatives *d, float *lod,
             struct probes *probes)
{
   const int lanes = CF_TASK_LANES / d->entries;
   const float most = (float)unit->sampler.max_anisotropy;
   cf_lanes_f count;
   for (int e = 0; e < d->entries; e++) {
      count[e] = cf_probe_count(d->dx[e], d->dy[e], most);
      lod[e] = cf_lod_of_length(cf_longer(d->dx[e], d->dy[e]) / (count[e] * count[e]));
   }
   CF_FOR_LANES(l) {
      probes->count[l] = count[l / lanes];
      if (request->exec >> l & 1 && (int32_t)probes->count[l] > probes->most)
         probes->most = (int32_t)probes->count[l];
   }
   for (uint32_t a = 0; a < (unit->cube ? 3 : unit->dims) && probes->most > 1; a++)
      CF_FOR_LANES (l) {
         const int first = l & ~3, along_y = d->dx[l / lanes] > d->dy[l / lanes] ? 0 : 1;
         const float way = request->mode == CF_TEXMODE_GRAD
                              ? request->operand[3 * along_y + (int)a][l]
                              : str[a][first + 1 + along_y] - str[a][first];
         const bool several = probes->count[l] > 1.0f;
         probes->start[a][l] = several ? str[a][l] - 0.5f * way : str[a][l];
         probes->step[a][l] = several ? way / (probes->count[l] + 1.0f) : 0.0f;
      }
}

/* Coordinates of probe `number`, from 1 on. */
static void
probe_coordinates(const struct cf_texture_unit *unit, const struct probes *probes, int32_t number,
                  cf_lanes_f probe[3])
{
   for (uint32_t a = 0; a < (unit->cube ? 3 : unit->dims); a++)
      CF_FOR_LANES (l)
         probe[a][l] = probes->start[a][l] + (float)number * probes->step[a][l];
}

/* ------------------------------------------------------------------ level of detail */

/* Lambda before bias and clamping (GL ES 2.0 equations 3.12-3.14): of the longer of the two
 * derivatives; with the anisotropic filter, of one probe's share. */
static void
lod_of_derivatives(const struct cf_texture_unit *unit, const struct cf_texture_request *request,
                   const float *const str[3], cf_lanes_f lod, struct probes *probes)
{
   struct derivatives d;
   cf_lanes_f each;
   if (request->mode == CF_TEXMODE_GRAD)
      given_derivatives(unit, str, request->operand, &d);
   else if (unit->cube)
      cube_derivatives(unit, str, request->exec, &d);
   else
      plane_derivatives(unit, str, request->exec, &d);
   if (unit->anisotropic)
      place_probes(unit, request, str, &d, each, probes);
   else
      for (int e = 0; e < d.entries; e++)
         each[e] = cf_lod_of_length(cf_longer(d.dx[e], d.dy[e]));
   CF_FOR_LANES(l)
      lod[l] = each[d.entries == CF_TASK_LANES ? l : l / 4];
}

/* The level of detail or the bias. */
static const float *
level_operand(const struct cf_texture_unit *unit, const struct cf_texture_request *request)
{
   return request->offsets && q_is_reference(unit) ? request->operand[CF_OPERAND_LEVEL]
                                                   : request->q;
}

/* Level of detail of each lane, and its probes. str: the coordinates after projection. */
static void
level_of_detail(const struct cf_texture_unit *unit, const struct cf_texture_request *request,
                const float *const str[3], cf_lanes_f unclamped, cf_lanes_f lod,
                struct probes *probes)
{
   if (request->mode == CF_TEXMODE_LOD)
      memcpy(unclamped, level_operand(unit, request), sizeof(cf_lanes_f));
   else if (request->quads || request->mode == CF_TEXMODE_GRAD)
      lod_of_derivatives(unit, request, str, unclamped, probes);
   else
      memset(unclamped, 0, sizeof(cf_lanes_f));
   if (request->mode == CF_TEXMODE_BIAS) {
      const float *bias = level_operand(unit, request);
      CF_FOR_LANES (l)
         unclamped[l] += bias[l];
   }
   const float bias = unit->sampler.lod_bias, low = unit->sampler.min_lod,
               high = unit->sampler.max_lod;
   CF_FOR_LANES(l)
      lod[l] = cf_lod_clamped(unclamped[l], bias, low, high);
}

#endif
