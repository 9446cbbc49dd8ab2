/* SPDX-License-Identifier: MIT
 *
 * What OpenGL ES 2.0 allows a texture lookup to give, after section 3.7 of its specification, and
 * OpenGL 2.1 (section 3.8) where it has more wrap modes and a range of levels of detail; in double
 * arithmetic and with no regard to speed. Where the specification leaves freedom, every result that
 * it allows is accepted:
 *
 *   - the scale factor rho is anything in [max(mu, mv), mu + mv] (section 3.7.7), of derivatives
 *     taken anywhere within one pixel, since they may be differences to a neighbour;
 *   - coordinates carry the rounding errors of floating point (section 2.1.1);
 *   - filter weights may be rounded to 1/256 (dEQP asks for 7 bits, so this is stricter);
 *   - near an edge of a cube either face may be chosen.
 *
 * Where a filter that crosses edges meets a vertex of the cube, the mean of the three texels there
 * stands for the fourth, as ARB_seamless_cube_map advises.
 */
#ifndef TEXTURE_REFERENCE_H
#define TEXTURE_REFERENCE_H

#include <stdbool.h>

#include <GLES2/gl2.h>

#define REF_LEVELS 14

/* A function of the window's x and y: c + x * dx + y * dy. */
struct affine {
   double c, dx, dy;
};

struct ref_level {
   int size[3]; /* width, height, depth */
   double (*texel)[4]; /* as sampled (table 3.11): r, g, b, a; x runs fastest, then y, then z */
};

struct ref_texture {
   bool cube;
   int dims;   /* coordinates that are filtered: 1, 2 or 3 */
   int levels; /* complete ones */
   /* by face, in the order of GL_TEXTURE_CUBE_MAP_POSITIVE_X...; [0] for others */
   struct ref_level level[6][REF_LEVELS];
};

struct ref_sampler {
   GLenum min_filter, mag_filter, wrap[3];
   double border[4]; /* as sampled */
   bool seamless;    /* linear filters of cube maps cross the edges of faces */
   bool has_lod_range;
   double min_lod, max_lod;
};

/* Wrap modes of OpenGL 2.1 and of extensions. */
enum {
   REF_CLAMP = 0x2900,
   REF_CLAMP_TO_BORDER = 0x812d,
   REF_MIRROR_CLAMP = 0x8742,
   REF_MIRROR_CLAMP_TO_EDGE = 0x8743,
   REF_MIRROR_CLAMP_TO_BORDER = 0x8912,
};

/* Coordinates of a lookup over the window: s, t, r are coordinate[i] / divisor (of cube maps: the
 * direction is coordinate[0..2], at any scale). */
struct ref_lookup {
   struct affine coordinate[3], divisor;
   /* the level of detail is `lod`, exactly; else `lod` is added to the implicit one: a bias */
   bool has_lod;
   double lod;
   double error; /* of s, t, r, absolute; of a direction's components */
};

/* Bounds of the results accepted, to be printed. */
struct ref_bounds {
   double low[4], high[4], lod_low, lod_high;
};

/* Whether the lookup at the window point (x, y) may give `result`, clamped to [0, 1] as a frame
 * buffer of fixed point keeps it, each channel within `tolerance`. */
bool ref_accepts(const struct ref_texture *texture, const struct ref_sampler *sampler,
                 const struct ref_lookup *lookup, double x, double y, const double result[4],
                 const double tolerance[4], struct ref_bounds *bounds);

/* Allocates a level's texels, all zero; frees those of all levels. */
void ref_level_create(struct ref_level *level, int width, int height, int depth);
void ref_texture_free(struct ref_texture *texture);

#endif
