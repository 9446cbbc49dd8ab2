/* SPDX-License-Identifier: MIT */
/*
 * Texture unit: the anisotropic filter, seamless cube maps, compressed textures, each against a
 * slow reference from its definition.
 */
#include "clipfree/memory/cf_s3tc.h"
#include "clipfree/texture/test_texture.h"

/* ------------------------------------------------------------------ anisotropic */

/* Sample with an explicit level of detail, without anisotropy, at one point. */
static void
ref_isotropic(const struct fixture *f, const double at[3], double lod, double out[4])
{
   struct fixture isotropic = *f;
   float str[3][32], q[32], rgba[4][32];
   isotropic.sampler.max_anisotropy = 0;
   bind(&isotropic);
   for (int l = 0; l < 32; l++) {
      for (int a = 0; a < 3; a++)
         str[a][l] = (float)at[a];
      q[l] = (float)lod;
   }
   const struct cf_texture_request request = { str[0],     str[1],         str[2], q,
                                               UINT32_MAX, CF_TEXMODE_LOD, 15,     true };
   memset(rgba, 0, sizeof(rgba));
   cf_texture_ops_at(CF_HOST_BASE)->sample(&isotropic.unit, &request, rgba);
   for (int c = 0; c < 4; c++)
      out[c] = rgba[c][0];
}

/* Squared length in texels of the derivative d at p; for cubes on the face of direction `at`: the
 * difference over a step of `step` times d, divided by that. */
static double
ref_length_squared(const struct fixture *f, const double p[3], const double d[3], double step,
                   const double at[3], uint32_t dims)
{
   const double size[3] = { f->texture.width_px, f->texture.height_px, f->texture.depth_px };
   double sum = 0;
   int m = 0;
   for (int a = 1; a < 3; a++)
      m = fabs(at[a]) > fabs(at[m]) ? a : m;
   for (uint32_t a = 0; a < dims; a++) {
      if (f->texture.kind == CF_TEXTURE_KIND_CUBE) {
         const double quotient =
            ((p[a] + step * d[a]) / (p[m] + step * d[m]) - p[a] / p[m]) / step * size[0] / 2;
         sum += (int)a == m ? 0 : quotient * quotient;
      } else {
         sum += d[a] * size[a] * d[a] * size[a];
      }
   }
   return sum;
}

/* EXT_texture_filter_anisotropic's example in double, with probes at least a texel apart. False:
 * the number of probes depends on rounding. */
static bool
ref_anisotropic(const struct fixture *f, const double corner[3], const double dx[3],
                const double dy[3], double step, const double at[3], uint32_t dims, double out[4])
{
   const double x2 = ref_length_squared(f, corner, dx, step, at, dims);
   const double y2 = ref_length_squared(f, corner, dy, step, at, dims);
   const double longer = sqrt(fmax(x2, y2)), shorter = fmax(sqrt(fmin(x2, y2)), 1);
   const double ratio = longer / shorter, most = f->sampler.max_anisotropy;
   if (fabs(ratio - round(ratio)) < 1e-4 || fabs(x2 - y2) < 1e-4 * x2)
      return false;
   const double n = fmin(fmax(ceil(ratio), 1), most);
   for (int c = 0; c < 4; c++)
      out[c] = 0;
   for (int i = 1; i <= (int)n; i++) {
      double probe[3], one[4];
      for (int a = 0; a < 3; a++)
         probe[a] = at[a] + (x2 > y2 ? dx[a] : dy[a]) * (n > 1 ? i / (n + 1) - 0.5 : 0);
      ref_isotropic(f, probe, log2(longer / n), one);
      for (int c = 0; c < 4; c++)
         out[c] += one[c] / n;
   }
   return true;
}

static void
anisotropic_filter(void **state)
{
   (void)state;
   random_state = cf_random_seed("texture-filters anisotropic_filter").state;
   static const enum cf_texture_kind kinds[] = { CF_TEXTURE_KIND_T2D, CF_TEXTURE_KIND_CUBE,
                                                 CF_TEXTURE_KIND_T3D };
   uint32_t compared = 0, probed = 0;
   for (int n = 0; n < 400; n++) {
      struct fixture f = { 0 };
      const enum cf_texture_kind kind = kinds[random_below(3)];
      const uint32_t dims = kind == CF_TEXTURE_KIND_T2D ? 2 : 3;
      make_texture(&f, kind, CF_FORMAT_R8G8B8A8_UNORM, 32, 32, dims == 3 ? 8 : 1, 5,
                   CF_LAYOUT_BLOCKS);
      f.sampler = (struct cf_sampler){ .min_filter = CF_FILTER_LINEAR,
                                       .mag_filter = CF_FILTER_LINEAR,
                                       .mip_filter = CF_MIP_LINEAR,
                                       .max_anisotropy = 2 + random_below(15),
                                       .max_lod = 1000 };
      bind(&f);
      float coord[3][32], q[32], rgba[4][32];
      for (int a = 0; a < 3; a++) {
         for (int quad = 0; quad < 32; quad += 4) {
            const float size = random_below(2) ? 0.5f : 0.05f;
            const float x = random_float(-1, 1), across = random_float(-size, size),
                        down = random_float(-size, size) * (random_below(2) ? 0.1f : 1.0f);
            for (int l = 0; l < 4; l++)
               coord[a][quad + l] = x + (l & 1 ? across : 0) + (l & 2 ? down : 0);
         }
      }
      memset(q, 0, sizeof(q));
      const struct cf_texture_request request = { coord[0],   coord[1],            coord[2], q,
                                                  UINT32_MAX, CF_TEXMODE_IMPLICIT, 15,       true };
      sample_all_levels(&f, &request, rgba);
      for (int l = 0; l < 32; l++) {
         double corner[3], dx[3], dy[3], at[3], want[4], isotropic[4];
         for (int a = 0; a < 3; a++) {
            const float *x = &coord[a][l & ~3];
            corner[a] = x[0];
            dx[a] = (double)(x[1] - x[0]);
            dy[a] = (double)(x[2] - x[0]);
            at[a] = coord[a][l];
         }
         if (!ref_anisotropic(&f, corner, dx, dy, 1, at, dims, want))
            continue;
         for (int c = 0; c < 4; c++)
            if (!(fabs(rgba[c][l] - want[c]) <= 0.01))
               fail_msg("case %d kind %d lane %d: component %d is %g, not %g", n, kind, l, c,
                        rgba[c][l], want[c]);
         ref_isotropic(&f, at,
                       0.5 * log2(fmax(ref_length_squared(&f, corner, dx, 1, at, dims),
                                       ref_length_squared(&f, corner, dy, 1, at, dims))),
                       isotropic);
         probed += fabs(isotropic[0] - want[0]) > 0.02;
         compared++;
      }
      free(f.data);
   }
   assert_true(compared > 10000 && probed > 3000);
}

/* Random coordinates and gradients for each lane. */
static void
random_gradients(float coord[3][32], float gradient[CF_GRADIENTS][32])
{
   for (int l = 0; l < 32; l++) {
      const float size[2] = { random_below(2) ? 0.5f : 0.05f, random_below(2) ? 0.3f : 0.01f };
      for (int a = 0; a < 3; a++) {
         coord[a][l] = random_float(-1, 1);
         for (int axis = 0; axis < 2; axis++)
            gradient[3 * axis + a][l] = random_float(-size[axis], size[axis]);
      }
   }
}

/* Explicit gradients select levels and probes for each lane by itself, also without quads. */
static void
given_gradients(void **state)
{
   (void)state;
   random_state = cf_random_seed("texture-filters given_gradients").state;
   static const enum cf_texture_kind kinds[] = { CF_TEXTURE_KIND_T2D, CF_TEXTURE_KIND_CUBE,
                                                 CF_TEXTURE_KIND_T3D };
   uint32_t compared = 0;
   for (int n = 0; n < 400; n++) {
      struct fixture f = { 0 };
      const enum cf_texture_kind kind = kinds[random_below(3)];
      const uint32_t dims = kind == CF_TEXTURE_KIND_T2D ? 2 : 3;
      float coord[3][32], gradient[CF_GRADIENTS][32], q[32] = { 0 }, rgba[4][32];
      make_texture(&f, kind, CF_FORMAT_R8G8B8A8_UNORM, 32, 32, dims == 3 ? 8 : 1, 5,
                   CF_LAYOUT_BLOCKS);
      f.sampler = (struct cf_sampler){ .min_filter = CF_FILTER_LINEAR,
                                       .mag_filter = CF_FILTER_LINEAR,
                                       .mip_filter = CF_MIP_LINEAR,
                                       .max_anisotropy = random_below(3) ? 2 + random_below(15) : 1,
                                       .max_lod = 1000 };
      bind(&f);
      random_gradients(coord, gradient);
      const struct cf_texture_request request = {
         coord[0], coord[1],        coord[2],
         q,        UINT32_MAX,      CF_TEXMODE_GRAD,
         15,       random_below(2), (const float(*)[32])gradient
      };
      sample_all_levels(&f, &request, rgba);
      for (int l = 0; l < 32; l++) {
         double dx[3], dy[3], at[3], want[4];
         for (int a = 0; a < 3; a++) {
            at[a] = coord[a][l];
            dx[a] = gradient[a][l];
            dy[a] = gradient[3 + a][l];
         }
         if (!ref_anisotropic(&f, at, dx, dy, 1e-7, at, dims, want))
            continue;
         for (int c = 0; c < 4; c++)
            if (!(fabs(rgba[c][l] - want[c]) <= 0.01))
               fail_msg("case %d kind %d lane %d: component %d is %g, not %g", n, kind, l, c,
                        rgba[c][l], want[c]);
         compared++;
      }
      free(f.data);
   }
   assert_true(compared > 10000);
}

/* Explicit gradients equal to a quad's implicit ones give the same bits. */
static void
given_gradients_of_quads(void **state)
{
   (void)state;
   random_state = cf_random_seed("texture-filters given_gradients_of_quads").state;
   for (int n = 0; n < 400; n++) {
      struct fixture f = { 0 };
      float coord[3][32], gradient[CF_GRADIENTS][32], q[32] = { 0 }, given[4][32], implicit[4][32];
      make_texture(&f, random_below(2) ? CF_TEXTURE_KIND_T2D : CF_TEXTURE_KIND_T3D,
                   CF_FORMAT_R8G8B8A8_UNORM, 32, 16, 8, 5, CF_LAYOUT_BLOCKS);
      f.sampler = (struct cf_sampler){ .min_filter = random_below(2),
                                       .mag_filter = random_below(2),
                                       .mip_filter = random_below(3),
                                       .max_anisotropy = random_below(2) * random_below(16),
                                       .max_lod = 1000 };
      bind(&f);
      random_gradients(coord, gradient);
      for (int l = 0; l < 32; l++)
         for (int a = 0; a < 3; a++)
            for (int axis = 0; axis < 2; axis++)
               gradient[3 * axis + a][l] = coord[a][(l & ~3) + 1 + axis] - coord[a][l & ~3];
      struct cf_texture_request request = { coord[0], coord[1],   coord[2],
                                            q,        UINT32_MAX, CF_TEXMODE_IMPLICIT,
                                            15,       true,       (const float(*)[32])gradient };
      sample_all_levels(&f, &request, implicit);
      request.mode = CF_TEXMODE_GRAD;
      sample_all_levels(&f, &request, given);
      assert_memory_equal(given, implicit, sizeof(given));
      free(f.data);
   }
}

/* ------------------------------------------------------------------ seamless */

struct texel {
   uint32_t face, x, y;
};

/* Position of a texel's centre on a cube whose faces are `size` from its centre. */
static void
centre_of(const struct texel *texel, int size, int at[3])
{
   const int sc = 2 * (int)texel->x + 1 - size, tc = 2 * (int)texel->y + 1 - size;
   const int table[6][3] = { { size, -tc, -sc }, { -size, -tc, sc }, { sc, size, tc },
                             { sc, -size, -tc }, { sc, -tc, size },  { -sc, -tc, -size } };
   memcpy(at, table[texel->face], sizeof(table[0]));
}

/* The texel of the adjacent face nearest to this one, which is at an edge. */
static struct texel
nearest_beyond(const struct texel *from, int dx, int dy, int size)
{
   struct texel best = { 0 };
   int a[3], b[3], least = 1 << 30;
   centre_of(from, size, a);
   /* a direction across the edge */
   const struct texel inner = { from->face, (uint32_t)((int)from->x - (size > 1 ? dx : 0)),
                                (uint32_t)((int)from->y - (size > 1 ? dy : 0)) };
   int out[3];
   centre_of(&inner, size, out);
   for (int i = 0; i < 3; i++)
      out[i] = a[i] - out[i];
   if (size == 1) { /* a single texel has no direction: use a cube of 2x2 texels */
      int to[3], origin[3];
      centre_of(&(struct texel){ from->face, dx > 0, dy > 0 }, 2, to);
      centre_of(&(struct texel){ from->face, dx < 0, dy < 0 }, 2, origin);
      for (int i = 0; i < 3; i++)
         out[i] = to[i] - origin[i];
   }
   for (uint32_t face = 0; face < 6; face++)
      for (uint32_t y = 0; y < (uint32_t)size; y++)
         for (uint32_t x = 0; x < (uint32_t)size; x++) {
            const struct texel t = { face, x, y };
            if (face == from->face)
               continue;
            centre_of(&t, size, b);
            int distance = 0, towards = 0;
            for (int i = 0; i < 3; i++) {
               distance += (a[i] - b[i]) * (a[i] - b[i]);
               towards += (b[i] - a[i]) * out[i];
            }
            if (towards > 0 && distance < least) {
               least = distance;
               best = t;
            }
         }
   return best;
}

static void
ref_seamless(const struct fixture *f, const float direction[3], double out[4])
{
   const int size = (int)f->texture.width_px;
   const double x = direction[0], y = direction[1], z = direction[2];
   const double ax = fabs(x), ay = fabs(y), az = fabs(z);
   uint32_t face;
   double s, t;
   if (ay > ax && ay >= az)
      face = 2 + (y < 0), s = x, t = y < 0 ? -z : z, s /= ay, t /= ay;
   else if (az >= ax && az > ay)
      face = 4 + (z < 0), s = z < 0 ? -x : x, t = -y, s /= az, t /= az;
   else
      face = x < 0, s = x < 0 ? z : -z, t = -y, s /= ax, t /= ax;
   const double u = (s + 1) / 2 * size - 0.5, v = (t + 1) / 2 * size - 0.5;
   double texel[4][4], weight[4];
   int missing = -1;
   for (int n = 0; n < 4; n++) {
      const int i = (int)floor(u) + (n & 1), j = (int)floor(v) + (n >> 1);
      const int beyond_x = i < 0 ? -1 : i >= size, beyond_y = j < 0 ? -1 : j >= size;
      weight[n] =
         (n & 1 ? u - floor(u) : 1 - u + floor(u)) * (n & 2 ? v - floor(v) : 1 - v + floor(v));
      struct texel at = { face, (uint32_t)(i - beyond_x), (uint32_t)(j - beyond_y) };
      if (beyond_x && beyond_y)
         missing = n;
      else if (beyond_x || beyond_y)
         at = nearest_beyond(&at, beyond_x, beyond_y, size);
      ref_texel(f, 0, at.face, at.x, at.y, texel[n]);
   }
   for (int c = 0; c < 4; c++) {
      if (missing >= 0)
         texel[missing][c] =
            (texel[missing ^ 1][c] + texel[missing ^ 2][c] + texel[missing ^ 3][c]) / 3;
      out[c] = 0;
      for (int n = 0; n < 4; n++)
         out[c] += weight[n] * texel[n][c];
   }
}

static void
seamless_cubes(void **state)
{
   (void)state;
   random_state = cf_random_seed("texture-filters seamless_cubes").state;
   static const enum cf_format cube_formats[] = { CF_FORMAT_R8G8B8A8_UNORM,
                                                  CF_FORMAT_R32G32B32A32_FLOAT,
                                                  CF_FORMAT_B5G6R5_UNORM };
   for (int n = 0; n < 300; n++) {
      struct fixture f = { 0 };
      const uint32_t size = 1 + random_below(7);
      make_texture(&f, CF_TEXTURE_KIND_CUBE, cube_formats[n % 3], size, size, 1, 0,
                   n & 1 ? CF_LAYOUT_BLOCKS : CF_LAYOUT_LINEAR);
      f.sampler = (struct cf_sampler){ .min_filter = CF_FILTER_LINEAR,
                                       .mag_filter = CF_FILTER_LINEAR,
                                       .seamless = true };
      bind(&f);
      float coord[3][32], rgba[4][32];
      for (int l = 0; l < 32; l++) {
         /* mostly near edges and vertices */
         for (int a = 0; a < 3; a++)
            coord[a][l] = random_below(3) ? (random_below(2) ? 1.0f : -1.0f) * random_float(0.8f, 1)
                                          : random_float(-1, 1);
      }
      const struct cf_texture_request request = { coord[0],   coord[1],       coord[2], coord[0],
                                                  UINT32_MAX, CF_TEXMODE_LOD, 15,       false };
      sample_all_levels(&f, &request, rgba);
      for (int l = 0; l < 32; l++) {
         double want[4];
         ref_seamless(&f, (float[]){ coord[0][l], coord[1][l], coord[2][l] }, want);
         for (int c = 0; c < 4; c++)
            if (!(fabs(rgba[c][l] - want[c]) <= 1.0 / 256 + 4e-3))
               fail_msg("case %d size %u at %g %g %g: component %d is %g, not %g", n, size,
                        coord[0][l], coord[1][l], coord[2][l], c, rgba[c][l], want[c]);
      }
      free(f.data);
   }
}

/* Seamless filtering changes nothing inside a face or with nearest filters. */
static void
seams_end_inside(void **state)
{
   (void)state;
   random_state = cf_random_seed("texture-filters seams_end_inside").state;
   for (int n = 0; n < 200; n++) {
      struct fixture f = { 0 };
      make_texture(&f, CF_TEXTURE_KIND_CUBE, CF_FORMAT_R8G8B8A8_UNORM, 8, 8, 1, 0,
                   CF_LAYOUT_BLOCKS);
      f.sampler.wrap_s = f.sampler.wrap_t = CF_WRAP_CLAMP_TO_EDGE;
      f.sampler.min_filter = f.sampler.mag_filter = n & 1;
      bind(&f);
      struct fixture seamless = f;
      seamless.sampler.seamless = true;
      bind(&seamless);
      float coord[3][32], rgba[4][32], want[4][32];
      for (int l = 0; l < 32; l++)
         for (int a = 0; a < 3; a++)
            coord[a][l] = a == l % 3                 ? (l & 4 ? -1.0f : 1.0f)
                          : n & 1 ? random_float(-0.87f, 0.87f)
                                                     : random_float(-1, 1);
      const struct cf_texture_request request = { coord[0],   coord[1],       coord[2], coord[0],
                                                  UINT32_MAX, CF_TEXMODE_LOD, 15,       false };
      sample_all_levels(&f, &request, want);
      sample_all_levels(&seamless, &request, rgba);
      assert_memory_equal(rgba, want, sizeof(rgba));
      free(f.data);
   }
}

/* A lane's result does not depend on whether other lanes are at a seam. */
static void
seams_are_each_lanes_own(void **state)
{
   (void)state;
   random_state = cf_random_seed("texture-filters seams_are_each_lanes_own").state;
   for (int n = 0; n < 200; n++) {
      struct fixture f = { 0 };
      make_texture(&f, CF_TEXTURE_KIND_CUBE, CF_FORMAT_R8G8B8A8_UNORM, 16, 16, 1, 2,
                   CF_LAYOUT_BLOCKS);
      f.sampler = (struct cf_sampler){ .min_filter = CF_FILTER_LINEAR,
                                       .mag_filter = random_below(2),
                                       .mip_filter = random_below(3),
                                       .seamless = true,
                                       .max_lod = 10 };
      bind(&f);
      float coord[4][32], alone[4][32], rgba[4][32], want[4][32];
      for (int l = 0; l < 32; l++) {
         for (int a = 0; a < 3; a++)
            coord[a][l] = random_coordinate();
         coord[3][l] = random_float(-1, 3);
      }
      struct cf_texture_request request = { coord[0],   coord[1],       coord[2], coord[3],
                                            UINT32_MAX, CF_TEXMODE_LOD, 15,       false };
      sample_all_levels(&f, &request, rgba);
      for (int l = 0; l < 32; l += 5) {
         for (int a = 0; a < 4; a++)
            for (int other = 0; other < 32; other++)
               alone[a][other] = coord[a][l];
         request.s = alone[0];
         request.t = alone[1];
         request.r = alone[2];
         request.q = alone[3];
         sample_all_levels(&f, &request, want);
         for (int c = 0; c < 4; c++)
            assert_int_equal(cf_bits(cf_canon(rgba[c][l])), cf_bits(cf_canon(want[c][0])));
      }
      free(f.data);
   }
}

/* ------------------------------------------------------------------ compressed */

/* A texel decoded in real numbers, literally as in EXT_texture_compression_s3tc. */
static void
ref_s3tc(enum cf_compression compression, const uint8_t *block, int x, int y, double rgba[4])
{
   const uint8_t *c = compression == CF_COMPRESSION_DXT3 || compression == CF_COMPRESSION_DXT5
                         ? block + 8
                         : block;
   const uint32_t color0 = c[0] + c[1] * 256u, color1 = c[2] + c[3] * 256u;
   const double rgb0[3] = { (color0 >> 11) / 31.0, (color0 >> 5 & 63) / 63.0,
                            (color0 & 31) / 31.0 };
   const double rgb1[3] = { (color1 >> 11) / 31.0, (color1 >> 5 & 63) / 63.0,
                            (color1 & 31) / 31.0 };
   const uint32_t bits = c[4] + 256u * (c[5] + 256u * (c[6] + 256u * c[7]));
   const uint32_t code = bits >> (2 * (4 * y + x)) & 3;
   const bool dxt1 = c == block;
   for (int i = 0; i < 3; i++) {
      if (code == 0)
         rgba[i] = rgb0[i];
      else if (code == 1)
         rgba[i] = rgb1[i];
      else if (color0 > color1 || !dxt1)
         rgba[i] = code == 2 ? (2 * rgb0[i] + rgb1[i]) / 3 : (rgb0[i] + 2 * rgb1[i]) / 3;
      else
         rgba[i] = code == 2 ? (rgb0[i] + rgb1[i]) / 2 : 0;
   }
   rgba[3] = compression == CF_COMPRESSION_DXT1_RGBA && color0 <= color1 && code == 3 ? 0 : 1;
   if (compression == CF_COMPRESSION_DXT3)
      rgba[3] = (block[2 * y + x / 2] >> (x % 2 ? 4 : 0) & 15) / 15.0;
   if (compression == CF_COMPRESSION_DXT5) {
      const double a0 = block[0] / 255.0, a1 = block[1] / 255.0;
      const double table[2][8] = { { a0, a1, (4 * a0 + a1) / 5, (3 * a0 + 2 * a1) / 5,
                                     (2 * a0 + 3 * a1) / 5, (a0 + 4 * a1) / 5, 0, 1 },
                                   { a0, a1, (6 * a0 + a1) / 7, (5 * a0 + 2 * a1) / 7,
                                     (4 * a0 + 3 * a1) / 7, (3 * a0 + 4 * a1) / 7,
                                     (2 * a0 + 5 * a1) / 7, (a0 + 6 * a1) / 7 } };
      uint32_t alpha_code = 0;
      for (int bit = 0; bit < 3; bit++) {
         const int at = 3 * (4 * y + x) + bit;
         alpha_code |= (uint32_t)(block[2 + at / 8] >> at % 8 & 1) << bit;
      }
      rgba[3] = table[a0 > a1][alpha_code];
   }
}

static void
compressed_blocks(void **state)
{
   (void)state;
   random_state = cf_random_seed("texture-filters compressed_blocks").state;
   for (uint32_t n = 0; n < 50000; n++) {
      uint8_t block[16];
      for (int i = 0; i < 16; i++)
         block[i] = (uint8_t)random_u32();
      if (n % 4 == 0) /* equal colors and alphas: the mode boundary */
         memcpy(block + 10, block + 8, 2), memcpy(block + 2, block, 2), block[1] = block[0];
      for (uint32_t compression = 1; compression <= CF_COMPRESSION_DXT5; compression++)
         for (uint32_t i = 0; i < 16; i++) {
            double want[4];
            const uint32_t texel = cf_s3tc_texel(compression, block, i);
            ref_s3tc(compression, block, (int)i % 4, (int)i / 4, want);
            for (int c = 0; c < 4; c++)
               if (!(fabs((texel >> 8 * c & 255) - 255 * want[c]) <= 0.5 + 1e-9))
                  fail_msg("block %u, compression %u, texel %u: component %d is %u, not %g", n,
                           compression, i, c, texel >> 8 * c & 255, 255 * want[c]);
         }
   }
}

/* Every value of every channel in every mix. */
static void
compressed_colors(void **state)
{
   (void)state;
   for (uint32_t color0 = 0; color0 < 64; color0++)
      for (uint32_t color1 = 0; color1 < 64; color1++)
         for (uint32_t code = 0; code < 4; code++)
            for (uint32_t four = 0; four < 2; four++) {
               const uint32_t half[2] = { color0 / 2, color1 / 2 };
               const uint32_t rgb =
                  cf_s3tc_color(half[0] << 11 | color0 << 5 | half[0],
                                half[1] << 11 | color1 << 5 | half[1], four, code);
               const double first = code == 0   ? 1
                                    : code == 1 ? 0
                                    : four      ? (code == 2 ? 2 : 1) / 3.0
                                                : 0.5;
               const bool black = !four && code == 3;
               const double green = (first * color0 + (1 - first) * color1) / 63 * 255;
               const double red = (first * half[0] + (1 - first) * half[1]) / 31 * 255;
               assert_true(fabs((rgb >> 8 & 255) - (black ? 0 : green)) <= 0.5 + 1e-9);
               assert_true(fabs((rgb & 255) - (black ? 0 : red)) <= 0.5 + 1e-9);
               assert_int_equal(rgb & 255, rgb >> 16);
            }
}

/* Write the decoded texels of a compressed texture to one of four bytes a texel. */
static void
decode_into(struct fixture *plain, const struct fixture *f)
{
   const struct cf_texture *t = &f->texture, *to = &plain->texture;
   const struct cf_format_info *info = cf_format_info_of(t->format);
   for (uint32_t l = 0; l <= t->last_level; l++)
      for (uint32_t z = 0; z < (t->kind == CF_TEXTURE_KIND_CUBE ? 6 : minify(t->depth_px, l)); z++)
         for (uint32_t y = 0; y < minify(t->height_px, l); y++)
            for (uint32_t x = 0; x < minify(t->width_px, l); x++) {
               const uint8_t *block = f->data + t->level_offset_B[l] +
                                      z * t->level_layer_pitch_B[l] +
                                      y / 4 * t->level_row_pitch_B[l] + x / 4 * info->block_B;
               const uint32_t texel = cf_s3tc_texel(info->compression, block, x % 4 + y % 4 * 4);
               memcpy(plain->data + to->level_offset_B[l] + z * to->level_layer_pitch_B[l] +
                         y * to->level_row_pitch_B[l] + x * 4,
                      &texel, 4);
            }
}

static struct cf_sampler
random_sampler(void)
{
   return (struct cf_sampler){ .wrap_s = random_below(8),
                               .wrap_t = random_below(8),
                               .wrap_r = random_below(8),
                               .min_filter = random_below(2),
                               .mag_filter = random_below(2),
                               .mip_filter = random_below(3),
                               .seamless = random_below(2),
                               .border = { 0.25f, 0.5f, 0.75f, 1.0f },
                               .max_lod = 10 };
}

/* Samples with a level of detail; of what is no cube also fetches. */
static struct cf_texture_request
random_request(float coord[4][32], bool may_fetch)
{
   const bool fetch = may_fetch && random_below(4) == 0;
   for (int l = 0; l < 32; l++) {
      for (int a = 0; a < 3; a++)
         coord[a][l] = random_coordinate();
      coord[3][l] = random_below(2) ? random_float(-1, 5) : cf_float(random_below(5));
      for (int a = 0; a < 4 && fetch; a++)
         coord[a][l] = cf_float(random_below(a < 2 ? 20 : 6));
   }
   return (struct cf_texture_request){ coord[0],   coord[1],
                                       coord[2],   coord[3],
                                       UINT32_MAX, fetch ? CF_TEXMODE_FETCH : CF_TEXMODE_LOD,
                                       15,         false };
}

static const struct {
   enum cf_format compressed, plain;
} s3tc_pairs[] = {
   { CF_FORMAT_DXT1_RGB, CF_FORMAT_R8G8B8A8_UNORM },
   { CF_FORMAT_DXT1_RGBA, CF_FORMAT_R8G8B8A8_UNORM },
   { CF_FORMAT_DXT3_RGBA, CF_FORMAT_R8G8B8A8_UNORM },
   { CF_FORMAT_DXT5_RGBA, CF_FORMAT_R8G8B8A8_UNORM },
   { CF_FORMAT_DXT1_SRGB, CF_FORMAT_R8G8B8A8_SRGB },
   { CF_FORMAT_DXT1_SRGBA, CF_FORMAT_R8G8B8A8_SRGB },
   { CF_FORMAT_DXT3_SRGBA, CF_FORMAT_R8G8B8A8_SRGB },
   { CF_FORMAT_DXT5_SRGBA, CF_FORMAT_R8G8B8A8_SRGB },
};

/* A compressed texture gives the same samples as an uncompressed one of its decoded texels: all
 * sizes down to 1x1, all wrap modes and filters, every kind of texture. */
static void
compressed_textures(void **state)
{
   (void)state;
   random_state = cf_random_seed("texture-filters compressed_textures").state;
   static const enum cf_texture_kind kinds[] = { CF_TEXTURE_KIND_T2D, CF_TEXTURE_KIND_CUBE,
                                                 CF_TEXTURE_KIND_T3D };
   for (int n = 0; n < 1500; n++) {
      struct fixture f = { 0 }, plain = { 0 };
      const enum cf_texture_kind kind = kinds[random_below(3)];
      const uint32_t pair = random_below(8), width = 1 + random_below(19);
      const uint32_t height = kind == CF_TEXTURE_KIND_CUBE ? width : 1 + random_below(19);
      const uint32_t depth = kind == CF_TEXTURE_KIND_T3D ? 1 + random_below(5) : 1,
                     last = random_below(5);
      make_texture(&f, kind, s3tc_pairs[pair].compressed, width, height, depth, last,
                   CF_LAYOUT_BLOCKS);
      make_texture(&plain, kind, s3tc_pairs[pair].plain, width, height, depth, last,
                   CF_LAYOUT_LINEAR);
      decode_into(&plain, &f);
      f.sampler = plain.sampler = random_sampler();
      bind(&f);
      bind(&plain);
      float coord[4][32], rgba[4][32], want[4][32];
      const struct cf_texture_request request = random_request(coord, kind != CF_TEXTURE_KIND_CUBE);
      sample_all_levels(&f, &request, rgba);
      sample_all_levels(&plain, &request, want);
      assert_memory_equal(rgba, want, sizeof(rgba));
      free(f.data);
      free(plain.data);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(anisotropic_filter), cmocka_unit_test(given_gradients),
      cmocka_unit_test(given_gradients_of_quads), cmocka_unit_test(seamless_cubes),
      cmocka_unit_test(seams_end_inside),   cmocka_unit_test(seams_are_each_lanes_own),
      cmocka_unit_test(compressed_blocks),  cmocka_unit_test(compressed_colors),
      cmocka_unit_test(compressed_textures),
   };
   return cmocka_run_group_tests_name("texture-filters", tests, NULL, NULL);
}
