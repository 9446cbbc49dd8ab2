/* SPDX-License-Identifier: MIT */
#include "texture_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WEIGHT_ERROR (1.0 / 256)
#define LOD_ERROR (1.0 / 64)

/* A set of results: what lies in one of the boxes. */
enum { MAX_BOXES = 512 };
struct box {
   double low[4], high[4];
};
struct boxes {
   int count;
   struct box box[MAX_BOXES];
};

struct interval {
   double low, high;
};

void
ref_level_create(struct ref_level *level, int width, int height, int depth)
{
   *level = (struct ref_level){ .size = { width, height, depth } };
   level->texel = calloc((size_t)width * height * depth, sizeof(*level->texel));
   if (!level->texel)
      abort();
}

void
ref_texture_free(struct ref_texture *texture)
{
   for (int face = 0; face < 6; face++)
      for (int i = 0; i < REF_LEVELS; i++)
         free(texture->level[face][i].texel);
   memset(texture, 0, sizeof(*texture));
}

/* --------------------------------------------------------- one level (sections 3.7.6 and 3.7.7) */

enum { BORDER = -1 };

/* Texel i of a row that continues for ever as the wrap mode says; or BORDER. */
static int
wrapped(GLenum wrap, int i, int size)
{
   const int in_two = ((i % (2 * size)) + 2 * size) % (2 * size);
   const int mirrored = i < 0 ? -1 - i : i;
   switch (wrap) {
   case REF_CLAMP:
   case REF_CLAMP_TO_BORDER:
      return i < 0 || i >= size ? BORDER : i;
   case REF_MIRROR_CLAMP:
   case REF_MIRROR_CLAMP_TO_BORDER:
      return mirrored >= size ? BORDER : mirrored;
   case REF_MIRROR_CLAMP_TO_EDGE:
      return mirrored >= size ? size - 1 : mirrored;
   case GL_REPEAT:
      return in_two % size;
   case GL_MIRRORED_REPEAT:
      return in_two < size ? in_two : 2 * size - 1 - in_two;
   default: /* GL_CLAMP_TO_EDGE */
      return i < 0 ? 0 : i >= size ? size - 1 : i;
   }
}

/* Coordinates that a wrap mode clamps to [0, 1] (or [-1, 1]) give the border half of a linear
 * filter's weight at most, and none of a nearest one's. u: of texels, where texel i lies at u = i
 * if the filter is linear. */
static void
clamp_coordinate(GLenum *wrap, bool linear, int size, struct interval *u)
{
   const bool mirror = *wrap == REF_MIRROR_CLAMP;
   if (*wrap != REF_CLAMP && !mirror)
      return;
   if (!linear) {
      *wrap = mirror ? REF_MIRROR_CLAMP_TO_EDGE : GL_CLAMP_TO_EDGE;
      return;
   }
   const double least = mirror ? -size - 0.5 : -0.5, most = size - 0.5;
   u->low = fmin(fmax(u->low, least), most);
   u->high = fmin(fmax(u->high, least), most);
}

/* A level and how to look at it. */
struct view {
   const struct ref_level *level;
   GLenum wrap[3];
   const double *border;
   /* NULL: edges are not crossed; else level `index`, face `face` of it */
   const struct ref_texture *seamless;
   int index, face;
};

/* Table 3.10 solved for the direction: which component sc, tc and ma are, with which signs. */
struct face_axes {
   int s, t, m;
   double s_sign, t_sign, m_sign;
};
static const struct face_axes face_axes[6] = { { 2, 1, 0, -1, -1, 1 }, { 2, 1, 0, 1, -1, -1 },
                                               { 0, 2, 1, 1, 1, 1 },   { 0, 2, 1, 1, -1, -1 },
                                               { 0, 1, 2, 1, -1, 1 },  { 0, 1, 2, -1, -1, -1 } };

static const double *
texel_of_direction(const struct view *view, const double d[3])
{
   for (int face = 0; face < 6; face++) {
      const struct face_axes *f = &face_axes[face];
      if (d[f->m] * f->m_sign != 1)
         continue;
      const struct ref_level *level = &view->seamless->level[face][view->index];
      const int size = level->size[0];
      const int x = (int)floor((d[f->s] * f->s_sign + 1) / 2 * size);
      const int y = (int)floor((d[f->t] * f->t_sign + 1) / 2 * size);
      return level->texel[(size_t)y * size + x];
   }
   abort();
}

/* A texel of a face, or one beyond one of its edges: bent around it, onto the other face. */
static const double *
texel_of_cube(const struct view *view, int x, int y)
{
   const struct face_axes *f = &face_axes[view->face];
   const int size = view->level->size[0];
   const bool beyond_s = x < 0 || x >= size, beyond_t = y < 0 || y >= size;
   const double sc = (2 * x + 1.0) / size - 1, tc = (2 * y + 1.0) / size - 1;
   double d[3];
   d[f->s] = f->s_sign * (beyond_s ? copysign(1, sc) : sc);
   d[f->t] = f->t_sign * (beyond_t ? copysign(1, tc) : tc);
   d[f->m] = f->m_sign * (beyond_s || beyond_t ? 1 - 1.0 / size : 1);
   return texel_of_direction(view, d);
}

static void
seamless_texel(const struct view *view, int x, int y, double texel[4])
{
   const int size = view->level->size[0];
   const bool beyond_both = (x < 0 || x >= size) && (y < 0 || y >= size);
   if (!beyond_both) {
      memcpy(texel, texel_of_cube(view, x, y), 4 * sizeof(*texel));
      return;
   }
   const int in_x = x < 0 ? 0 : size - 1, in_y = y < 0 ? 0 : size - 1;
   const double *three[3] = { texel_of_cube(view, in_x, in_y), texel_of_cube(view, x, in_y),
                              texel_of_cube(view, in_x, y) };
   for (int c = 0; c < 4; c++)
      texel[c] = (three[0][c] + three[1][c] + three[2][c]) / 3;
}

static void
texel_at(const struct view *view, const int at[3], double texel[4])
{
   const struct ref_level *level = view->level;
   const double *from = NULL;
   int i[3];
   if (view->seamless) {
      seamless_texel(view, at[0], at[1], texel);
      return;
   }
   for (int a = 0; a < 3; a++) {
      i[a] = wrapped(view->wrap[a], at[a], level->size[a]);
      if (i[a] == BORDER)
         from = view->border;
   }
   if (!from)
      from = level->texel[((size_t)i[2] * level->size[1] + i[1]) * level->size[0] + i[0]];
   memcpy(texel, from, 4 * sizeof(*texel));
}

/* Linear interpolation at u, where texel i lies at u = i. */
static void
filtered_at(const struct view *view, const double u[3], double result[4])
{
   memset(result, 0, 4 * sizeof(*result));
   for (int corner = 0; corner < 8; corner++) {
      int at[3];
      double weight = 1;
      for (int a = 0; a < 3; a++) {
         const int low = (int)floor(u[a]), second = corner >> a & 1;
         at[a] = low + second;
         weight *= second ? u[a] - low : 1 - (u[a] - low);
      }
      if (weight == 0)
         continue;
      double texel[4];
      texel_at(view, at, texel);
      for (int c = 0; c < 4; c++)
         result[c] += weight * texel[c];
   }
}

static struct box *
new_box(struct boxes *boxes)
{
   if (boxes->count == MAX_BOXES)
      abort(); /* a test asks for more than its coordinates can tell */
   struct box *box = &boxes->box[boxes->count++];
   for (int c = 0; c < 4; c++)
      box->low[c] = INFINITY, box->high[c] = -INFINITY;
   return box;
}

static void
widen(struct box *box, const double value[4])
{
   for (int c = 0; c < 4; c++) {
      box->low[c] = fmin(box->low[c], value[c]);
      box->high[c] = fmax(box->high[c], value[c]);
   }
}

/* The filter is linear in each coordinate between texels: its bounds over a box of coordinates are
 * found at the ends and at the texels between them. */
static void
linear_boxes(const struct view *view, const struct interval u[3], struct boxes *boxes)
{
   enum { MAX_POINTS = 64 };
   double points[3][MAX_POINTS];
   int count[3];
   for (int a = 0; a < 3; a++) {
      count[a] = 0;
      points[a][count[a]++] = u[a].low;
      for (double texel = floor(u[a].low) + 1; texel < u[a].high; texel++) {
         if (count[a] == MAX_POINTS - 1)
            abort();
         points[a][count[a]++] = texel;
      }
      if (u[a].high > u[a].low)
         points[a][count[a]++] = u[a].high;
   }
   struct box *box = new_box(boxes);
   for (int k = 0; k < count[2]; k++)
      for (int j = 0; j < count[1]; j++)
         for (int i = 0; i < count[0]; i++) {
            const double at[3] = { points[0][i], points[1][j], points[2][k] };
            double value[4];
            filtered_at(view, at, value);
            widen(box, value);
         }
}

static void
nearest_boxes(const struct view *view, const struct interval u[3], struct boxes *boxes)
{
   double texel[4];
   int at[3];
   for (at[2] = (int)floor(u[2].low); at[2] <= (int)floor(u[2].high); at[2]++)
      for (at[1] = (int)floor(u[1].low); at[1] <= (int)floor(u[1].high); at[1]++)
         for (at[0] = (int)floor(u[0].low); at[0] <= (int)floor(u[0].high); at[0]++) {
            texel_at(view, at, texel);
            widen(new_box(boxes), texel);
         }
}

/* All that a level may give; `around` lacks the wrap modes. */
static void
level_boxes(const struct view *around, int dims, const struct ref_sampler *sampler, bool linear,
            const double coordinate[3], const double error[3], struct boxes *boxes)
{
   const struct ref_level *level = around->level;
   struct view view = *around;
   struct interval u[3] = { { 0, 0 }, { 0, 0 }, { 0, 0 } };
   for (int a = 0; a < dims; a++) {
      const double centre = coordinate[a] * level->size[a] - (linear ? 0.5 : 0);
      const double around = error[a] * level->size[a] + (linear ? WEIGHT_ERROR : 0);
      u[a] = (struct interval){ centre - around, centre + around };
      view.wrap[a] = sampler->wrap[a];
      if (view.seamless) /* no coordinate is beyond the face; its error may be */
         u[a] = (struct interval){ fmax(u[a].low, -0.5), fmin(u[a].high, level->size[a] - 0.5) };
      clamp_coordinate(&view.wrap[a], linear, level->size[a], &u[a]);
   }
   boxes->count = 0;
   if (linear)
      linear_boxes(&view, u, boxes);
   else
      nearest_boxes(&view, u, boxes);
}

/* ----------------------------------------------------------- filters (sections 3.7.7 and 3.7.8) */

/* A lookup whose face, coordinates and level of detail are settled, but for their errors. */
struct settled {
   const struct ref_level *level;
   int face;
   const struct ref_texture *texture;
   const struct ref_sampler *sampler;
   const double *coordinate, *error;
   const double *result, *tolerance;
   struct ref_bounds *bounds;
};

static double
clamped(double x)
{
   return fmin(fmax(x, 0), 1);
}

static bool
box_accepts(const struct settled *s, const struct box *box)
{
   bool inside = true;
   for (int c = 0; c < 4; c++) {
      const double low = clamped(box->low[c]), high = clamped(box->high[c]);
      s->bounds->low[c] = fmin(s->bounds->low[c], low);
      s->bounds->high[c] = fmax(s->bounds->high[c], high);
      inside &= s->result[c] >= low - s->tolerance[c] && s->result[c] <= high + s->tolerance[c];
   }
   return inside;
}

static void
boxes_of(const struct settled *s, int level, bool linear, struct boxes *boxes)
{
   const struct view view = {
      .level = &s->level[level],
      .wrap = { GL_REPEAT, GL_REPEAT, GL_REPEAT },
      .border = s->sampler->border,
      .seamless = s->texture->cube && s->sampler->seamless && linear ? s->texture : NULL,
      .index = level,
      .face = s->face,
   };
   level_boxes(&view, s->texture->dims, s->sampler, linear, s->coordinate, s->error, boxes);
}

static bool
level_accepts(const struct settled *s, int level, bool linear)
{
   struct boxes boxes;
   bool accepted = false;
   boxes_of(s, level, linear, &boxes);
   for (int i = 0; i < boxes.count; i++)
      accepted |= box_accepts(s, &boxes.box[i]);
   return accepted;
}

/* Two levels, the second with a weight in an interval. */
static bool
two_levels_accept(const struct settled *s, int level, bool linear, struct interval weight)
{
   static struct boxes first, second;
   bool accepted = false;
   boxes_of(s, level, linear, &first);
   boxes_of(s, level + 1, linear, &second);
   const double w[2] = { fmax(weight.low, 0), fmin(weight.high, 1) };
   for (int i = 0; i < first.count; i++)
      for (int j = 0; j < second.count; j++) {
         struct box box;
         for (int c = 0; c < 4; c++) {
            const double *low[2] = { first.box[i].low, second.box[j].low };
            const double *high[2] = { first.box[i].high, second.box[j].high };
            box.low[c] = fmin(low[0][c] + w[0] * (low[1][c] - low[0][c]),
                              low[0][c] + w[1] * (low[1][c] - low[0][c]));
            box.high[c] = fmax(high[0][c] + w[0] * (high[1][c] - high[0][c]),
                               high[0][c] + w[1] * (high[1][c] - high[0][c]));
         }
         accepted |= box_accepts(s, &box);
      }
   return accepted;
}

static bool
minified_accepts(const struct settled *s, struct interval lod)
{
   const GLenum filter = s->sampler->min_filter;
   const bool linear = filter == GL_LINEAR || filter == GL_LINEAR_MIPMAP_NEAREST ||
                       filter == GL_LINEAR_MIPMAP_LINEAR;
   const int last = s->texture->levels - 1;
   bool accepted = false;
   if (filter == GL_NEAREST || filter == GL_LINEAR)
      return level_accepts(s, 0, linear);
   if (filter == GL_NEAREST_MIPMAP_NEAREST || filter == GL_LINEAR_MIPMAP_NEAREST) {
      /* equation 3.25 */
      const int low = (int)fmin(fmax(ceil(lod.low + 0.5) - 1, 0), last);
      const int high = (int)fmin(fmax(ceil(lod.high + 0.5) - 1, 0), last);
      for (int level = low; level <= high; level++)
         accepted |= level_accepts(s, level, linear);
      return accepted;
   }
   if (lod.high >= last)
      accepted |= level_accepts(s, last, linear);
   for (int level = (int)fmax(floor(lod.low), 0); level <= lod.high && level < last; level++) {
      const struct interval weight = { lod.low - level - WEIGHT_ERROR,
                                       lod.high - level + WEIGHT_ERROR };
      accepted |= two_levels_accept(s, level, linear, weight);
   }
   return accepted;
}

/* The level of detail up to which the texture is magnified: c of section 3.7.8. */
static double
most_magnified(const struct ref_sampler *sampler)
{
   const bool nearest_in_mipmaps = sampler->min_filter == GL_NEAREST_MIPMAP_NEAREST ||
                                   sampler->min_filter == GL_NEAREST_MIPMAP_LINEAR;
   return sampler->mag_filter == GL_LINEAR && nearest_in_mipmaps ? 0.5 : 0;
}

static bool
lod_accepts(const struct settled *s, struct interval lod)
{
   const double c = most_magnified(s->sampler);
   bool accepted = false;
   if (lod.low <= c)
      accepted |= level_accepts(s, 0, s->sampler->mag_filter == GL_LINEAR);
   if (lod.high > c)
      accepted |= minified_accepts(s, (struct interval){ fmax(lod.low, c), lod.high });
   return accepted;
}

/* ------------------------------------------------------------------ coordinates */

static double
value_at(const struct affine *f, double x, double y)
{
   return f->c + f->dx * x + f->dy * y;
}

/* s, t, r as quotients of functions of the window. */
struct quotients {
   struct affine over[3], under;
};

/* Section 3.7.5, table 3.10: the coordinates (sc / |ma| + 1) / 2 and (tc / |ma| + 1) / 2 of a
 * face. */
static struct quotients
face_quotients(const struct affine d[3], int face)
{
   const struct face_axes *f = &face_axes[face];
   const double sign = f->m_sign, ss = f->s_sign, ts = f->t_sign;
   const struct affine sc = d[f->s], tc = d[f->t], m = d[f->m];
   const struct affine ma = { sign * m.c, sign * m.dx, sign * m.dy };
   return (struct quotients){
      .over = { { (ss * sc.c + ma.c) / 2, (ss * sc.dx + ma.dx) / 2, (ss * sc.dy + ma.dy) / 2 },
                { (ts * tc.c + ma.c) / 2, (ts * tc.dx + ma.dx) / 2, (ts * tc.dy + ma.dy) / 2 } },
      .under = ma,
   };
}

/* d/dx or d/dy of over / under. */
static double
derivative(const struct affine *over, const struct affine *under, double x, double y, bool by_x)
{
   const double n = value_at(over, x, y), d = value_at(under, x, y);
   const double dn = by_x ? over->dx : over->dy, dd = by_x ? under->dx : under->dy;
   return (dn * d - n * dd) / (d * d);
}

/* Equations 3.22 to 3.24 at one point: bounds of rho. */
static struct interval
scale_factor(const struct quotients *q, const struct ref_level *base, int dims, double x, double y)
{
   struct interval rho = { 0, 0 };
   for (int a = 0; a < dims; a++) {
      const double m = fmax(fabs(derivative(&q->over[a], &q->under, x, y, true)),
                            fabs(derivative(&q->over[a], &q->under, x, y, false))) *
                       base->size[a];
      rho.low = fmax(rho.low, m);
      rho.high += m;
   }
   return rho;
}

/* The implicit level of detail: derivatives of any point within a pixel. */
static struct interval
implicit_lod(const struct quotients *q, const struct ref_level *base, int dims, double x, double y)
{
   struct interval rho = scale_factor(q, base, dims, x, y);
   for (int i = 0; i < 9; i++) {
      const struct interval there = scale_factor(q, base, dims, x + i % 3 - 1, y + i / 3 - 1);
      rho.low = fmin(rho.low, there.low);
      rho.high = fmax(rho.high, there.high);
   }
   return (struct interval){ log2(rho.low) - LOD_ERROR, log2(rho.high) + LOD_ERROR };
}

/* `settled` lacks the coordinates and their errors. */
static bool
settled_accepts(const struct settled *settled, const struct quotients *q,
                const struct ref_lookup *lookup, double x, double y, double error_scale)
{
   double coordinate[3] = { 0, 0, 0 }, error[3] = { 0, 0, 0 };
   struct settled s = *settled;
   s.coordinate = coordinate;
   s.error = error;
   for (int a = 0; a < s.texture->dims; a++) {
      coordinate[a] = value_at(&q->over[a], x, y) / value_at(&q->under, x, y);
      error[a] = lookup->error * error_scale;
   }
   struct interval lod = { lookup->lod, lookup->lod };
   if (!lookup->has_lod) {
      lod = implicit_lod(q, &s.level[0], s.texture->dims, x, y);
      lod.low += lookup->lod;
      lod.high += lookup->lod;
   }
   if (s.sampler->has_lod_range) {
      lod.low = fmax(fmin(lod.low, s.sampler->max_lod), s.sampler->min_lod);
      lod.high = fmax(fmin(lod.high, s.sampler->max_lod), s.sampler->min_lod);
   }
   s.bounds->lod_low = fmin(s.bounds->lod_low, lod.low);
   s.bounds->lod_high = fmax(s.bounds->lod_high, lod.high);
   return lod_accepts(&s, lod);
}

/* A face may be chosen if its component is the largest, but for rounding. */
static bool
cube_accepts(struct settled *s, const struct ref_lookup *lookup, double x, double y)
{
   double d[3], largest = 0;
   bool accepted = false;
   for (int a = 0; a < 3; a++) {
      d[a] = value_at(&lookup->coordinate[a], x, y);
      largest = fmax(largest, fabs(d[a]));
   }
   for (int face = 0; face < 6; face++) {
      const double ma = face % 2 ? -d[face / 2] : d[face / 2];
      if (ma < largest - 2 * lookup->error || ma <= 0)
         continue;
      const struct quotients q = face_quotients(lookup->coordinate, face);
      s->level = s->texture->level[face];
      s->face = face;
      accepted |= settled_accepts(s, &q, lookup, x, y, 1 / ma);
   }
   return accepted;
}

bool
ref_accepts(const struct ref_texture *texture, const struct ref_sampler *sampler,
            const struct ref_lookup *lookup, double x, double y, const double result[4],
            const double tolerance[4], struct ref_bounds *bounds)
{
   struct settled s = {
      .texture = texture, .sampler = sampler, .result = result, .tolerance = tolerance, .bounds = bounds,
   };
   for (int c = 0; c < 4; c++)
      bounds->low[c] = INFINITY, bounds->high[c] = -INFINITY;
   bounds->lod_low = INFINITY, bounds->lod_high = -INFINITY;
   if (texture->cube)
      return cube_accepts(&s, lookup, x, y);
   struct quotients q = { .under = lookup->divisor };
   memcpy(q.over, lookup->coordinate, sizeof(q.over));
   s.level = texture->level[0];
   return settled_accepts(&s, &q, lookup, x, y, 1);
}
