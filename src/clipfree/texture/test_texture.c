/* SPDX-License-Identifier: MIT */
/*
 * Texture unit against a slow reference: one lane at a time, in double, straight from GL ES 2.0
 * section 3.7 (and GL 2.1 section 3.8 for features that ES lacks). Random textures, formats, wrap
 * modes, filters and coordinates; all host vector levels must agree bit for bit.
 */
#include "clipfree/texture/test_texture.h"

static const enum cf_format formats[] = {
   CF_FORMAT_R8G8B8A8_UNORM,     CF_FORMAT_B8G8R8X8_UNORM, CF_FORMAT_B5G6R5_UNORM,
   CF_FORMAT_B4G4R4A4_UNORM,     CF_FORMAT_B5G5R5A1_UNORM, CF_FORMAT_L8_UNORM,
   CF_FORMAT_A8_UNORM,           CF_FORMAT_L8A8_UNORM,     CF_FORMAT_R16G16_FLOAT,
   CF_FORMAT_R32G32B32A32_FLOAT, CF_FORMAT_R8G8B8A8_SRGB,  CF_FORMAT_Z24_UNORM_S8_UINT,
   CF_FORMAT_Z16_UNORM,          CF_FORMAT_R8G8B8A8_SNORM, CF_FORMAT_R10G10B10A2_UNORM,
   CF_FORMAT_R11G11B10_FLOAT,    CF_FORMAT_R9G9B9E5_FLOAT,
};

/* Whether the view is r, g, b, a; other formats are tested without border colours. */
static bool
plain_view(enum cf_format format)
{
   const struct cf_format_info *info = cf_format_info_of(format);
   return info->channels == 4 && info->channel[0].letter != 'z';
}

static void
random_samples_match(void **state)
{
   (void)state;
   random_state = cf_random_seed("texture random_samples_match").state;
   uint32_t compared = 0;
   for (int n = 0; n < 3000; n++) {
      struct fixture f = { 0 };
      const enum cf_format format = formats[random_below(sizeof(formats) / sizeof(formats[0]))];
      const bool is_3d = random_below(4) == 0;
      make_texture(&f, is_3d ? CF_TEXTURE_KIND_T3D : CF_TEXTURE_KIND_T2D, format,
                   1 + random_below(37), 1 + random_below(23), is_3d ? 1 + random_below(5) : 1, 0,
                   random_below(4) ? CF_LAYOUT_BLOCKS : CF_LAYOUT_LINEAR);
      const bool linear = random_below(2);
      f.sampler.wrap_s = random_below(8);
      f.sampler.wrap_t = random_below(8);
      f.sampler.wrap_r = random_below(8);
      if (!plain_view(format))
         f.sampler.wrap_s = f.sampler.wrap_t = f.sampler.wrap_r =
            random_below(2) ? CF_WRAP_REPEAT : CF_WRAP_CLAMP_TO_EDGE;
      f.sampler.min_filter = f.sampler.mag_filter = linear;
      for (int c = 0; c < 4; c++)
         f.sampler.border[c] = random_float(0, 1);
      bind(&f);
      float coord[3][32], q[32] = { 0 }, rgba[4][32];
      for (int a = 0; a < 3; a++)
         for (int l = 0; l < 32; l++)
            coord[a][l] = random_float(-2.5f, 2.5f);
      const struct cf_texture_request request = { coord[0],   coord[1],       coord[2], q,
                                                  UINT32_MAX, CF_TEXMODE_LOD, 15,       false };
      sample_all_levels(&f, &request, rgba);
      for (int l = 0; l < 32; l++) {
         const double str[3] = { coord[0][l], coord[1][l], coord[2][l] };
         double want[4];
         if (ref_level(&f, 0, linear, str, 0, is_3d ? 3 : 2, want) < 1e-4)
            continue;
         /* 8-bit weights: half a step on each of two axes over a range of 1; floats: texels up to
          * 4, f32 weights */
         const double tolerance = linear ? 1.0 / 256 + 1e-3 : 1e-6;
         for (int c = 0; c < 4; c++)
            if (!(fabs(rgba[c][l] - want[c]) <= tolerance))
               fail_msg(
                  "case %d %s wrap %d %d %d linear %d at %g %g %g: component %d is %g, not %g", n,
                  f.unit.format->name, f.sampler.wrap_s, f.sampler.wrap_t, f.sampler.wrap_r, linear,
                  str[0], str[1], str[2], c, rgba[c][l], want[c]);
         compared++;
      }
      free(f.data);
   }
   assert_true(compared > 80000);
}

/* A packed operand, and what it moves the coordinates by in the texels of a level. */
static uint32_t
random_offsets(const struct fixture *f, uint32_t level, double moved[3])
{
   const uint32_t size_px[3] = { f->texture.width_px, f->texture.height_px, f->texture.depth_px };
   uint32_t packed = 0;
   for (int a = 0; a < 3; a++) {
      const int offset = (int)random_below(16) - 8;
      packed |= ((uint32_t)offset & 0xff) << 8 * a;
      moved[a] = (double)offset / minify(size_px[a], level);
   }
   return packed;
}

/* Texel offsets count texels of the level that is sampled (ES 3.0 section 3.8.10.2). */
static void
texel_offsets(void **state)
{
   (void)state;
   random_state = cf_random_seed("texture texel_offsets").state;
   uint32_t compared = 0;
   for (int n = 0; n < 2000; n++) {
      struct fixture f = { 0 };
      const bool is_3d = random_below(4) == 0, linear = random_below(2);
      make_texture(&f, is_3d ? CF_TEXTURE_KIND_T3D : CF_TEXTURE_KIND_T2D,
                   random_below(2) ? CF_FORMAT_R8G8B8A8_UNORM : CF_FORMAT_R32G32B32A32_FLOAT,
                   16 + random_below(37), 16 + random_below(23), is_3d ? 9 : 1, 3,
                   CF_LAYOUT_BLOCKS);
      f.sampler = (struct cf_sampler){ .wrap_s = random_below(8),
                                       .wrap_t = random_below(8),
                                       .wrap_r = random_below(8),
                                       .min_filter = linear,
                                       .mag_filter = linear,
                                       .mip_filter = CF_MIP_NEAREST,
                                       .max_lod = 10 };
      bind(&f);
      float coord[3][32], q[32], rgba[4][32], operand[CF_TEX_OPERANDS][32];
      double moved[32][3];
      for (int l = 0; l < 32; l++) {
         const uint32_t level = random_below(4), offsets = random_offsets(&f, level, moved[l]);
         for (int a = 0; a < 3; a++)
            coord[a][l] = random_float(-1.5f, 1.5f);
         q[l] = (float)level;
         operand[CF_OPERAND_OFFSETS][l] = cf_float(offsets);
      }
      const struct cf_texture_request request = { coord[0], coord[1],   coord[2],
                                                  q,        UINT32_MAX, CF_TEXMODE_LOD,
                                                  15,       false,      (const float(*)[32])operand,
                                                  true };
      sample_all_levels(&f, &request, rgba);
      for (int l = 0; l < 32; l++) {
         const double str[3] = { coord[0][l] + moved[l][0], coord[1][l] + moved[l][1],
                                 coord[2][l] + moved[l][2] };
         double want[4];
         if (ref_level(&f, (uint32_t)q[l], linear, str, 0, is_3d ? 3 : 2, want) < 1e-4)
            continue;
         const double tolerance = linear ? 1.0 / 256 + 1e-3 : 1e-6;
         for (int c = 0; c < 4; c++)
            if (!(fabs(rgba[c][l] - want[c]) <= tolerance))
               fail_msg("case %d, level %g, at %g %g %g: component %d is %g, not %g", n, q[l],
                        str[0], str[1], str[2], c, rgba[c][l], want[c]);
         compared++;
      }
      free(f.data);
   }
   assert_true(compared > 50000);
}

/* The level or bias of a cube's shadow sample, whose q is the reference, is a further operand. */
static void
shadow_levels(void **state)
{
   (void)state;
   struct fixture f = { 0 };
   make_texture(&f, CF_TEXTURE_KIND_CUBE, CF_FORMAT_Z32_FLOAT, 4, 4, 1, 2, CF_LAYOUT_BLOCKS);
   for (uint32_t i = 0; i < f.texture.size_B; i += 4)
      memcpy(f.data + i, &(float){ i < f.texture.level_offset_B[1] ? 0.25f : 0.75f }, 4);
   f.sampler = (struct cf_sampler){ .compare_enable = true,
                                    .compare_func = CF_COMPARE_LESS,
                                    .mip_filter = CF_MIP_NEAREST,
                                    .max_lod = 10 };
   bind(&f);
   float s[32], q[32], rgba[4][32], operand[CF_TEX_OPERANDS][32] = { { 0 } };
   for (int l = 0; l < 32; l++) {
      s[l] = 1.0f;
      q[l] = 0.5f;
      operand[CF_OPERAND_LEVEL][l] = (float)(l % 3);
   }
   struct cf_texture_request request = {
      s, s, s, q, UINT32_MAX, CF_TEXMODE_LOD, 1, false, (const float(*)[32])operand, true
   };
   for (int bias = 0; bias < 2; bias++) {
      request.mode = bias ? CF_TEXMODE_BIAS : CF_TEXMODE_LOD;
      sample_all_levels(&f, &request, rgba);
      for (int l = 0; l < 32; l++)
         assert_true(rgba[0][l] == (l % 3 == 0 ? 0.0f : 1.0f));
   }
   free(f.data);
}

/* The fast path gives the bits of the general one. */
static void
common_case_is_exact(void **state)
{
   (void)state;
   random_state = cf_random_seed("texture common_case_is_exact").state;
   static const enum cf_format formats4[] = { CF_FORMAT_R8G8B8A8_UNORM, CF_FORMAT_B8G8R8A8_UNORM,
                                              CF_FORMAT_B8G8R8X8_UNORM };
   static const enum cf_texture_kind kinds[] = { CF_TEXTURE_KIND_T2D, CF_TEXTURE_KIND_CUBE,
                                                 CF_TEXTURE_KIND_T2D_ARRAY };
   for (int n = 0; n < 3000; n++) {
      struct fixture f = { 0 };
      const enum cf_texture_kind kind = kinds[random_below(3)];
      const uint32_t width = 1 + random_below(70);
      make_texture(&f, kind, formats4[random_below(3)], width,
                   kind == CF_TEXTURE_KIND_CUBE ? width : 1 + random_below(70),
                   kind == CF_TEXTURE_KIND_T2D_ARRAY ? 3 : 1, random_below(2) ? 0 : random_below(7),
                   random_below(4) ? CF_LAYOUT_BLOCKS : CF_LAYOUT_LINEAR);
      f.texture.swizzle_g = random_below(6);
      f.sampler = (struct cf_sampler){ .wrap_s = random_below(2),
                                       .wrap_t = random_below(2),
                                       .min_filter = random_below(2),
                                       .mag_filter = random_below(2),
                                       .mip_filter = random_below(3),
                                       .max_lod = 10 };
      bind(&f);
      assert_true(f.unit.rgba8);
      struct fixture general = f;
      general.unit.rgba8 = false;
      float coord[4][32], rgba[4][32], want[4][32];
      for (int l = 0; l < 32; l++) {
         for (int a = 0; a < 3; a++)
            coord[a][l] = random_below(2) && l % 4 ? coord[a][l & ~3] + random_float(-0.1f, 0.1f)
                                                   : random_coordinate();
         coord[3][l] = random_float(-1, 7);
      }
      const struct cf_texture_request request = { coord[0],
                                                  coord[1],
                                                  coord[2],
                                                  coord[3],
                                                  random_below(4) ? UINT32_MAX : random_u32(),
                                                  random_below(2) ? CF_TEXMODE_IMPLICIT
                                                                  : CF_TEXMODE_LOD,
                                                  1 + random_below(15),
                                                  random_below(4) != 0 };
      sample_all_levels(&f, &request, rgba);
      sample_all_levels(&general, &request, want);
      assert_memory_equal(rgba, want, sizeof(rgba));
      free(f.data);
   }
}

/* Filtering a constant texture gives exactly its value, for every 8-bit value and channel width. */
static void
constants_stay(void **state)
{
   (void)state;
   const enum cf_format formats8[] = { CF_FORMAT_R8G8B8A8_UNORM, CF_FORMAT_B5G6R5_UNORM,
                                       CF_FORMAT_B4G4R4A4_UNORM, CF_FORMAT_B5G5R5A1_UNORM };
   for (uint32_t i = 0; i < 4; i++) {
      struct fixture f = { 0 };
      make_texture(&f, CF_TEXTURE_KIND_T2D, formats8[i], 8, 8, 1, 0, CF_LAYOUT_BLOCKS);
      f.sampler.min_filter = f.sampler.mag_filter = CF_FILTER_LINEAR;
      for (int value = 0; value < 256; value++) {
         memset(f.data, value, f.texture.size_B);
         bind(&f);
         float s[32], rgba[4][32], want[4];
         for (int l = 0; l < 32; l++)
            s[l] = 0.1f + (float)l / 37.0f;
         const struct cf_texture_request request = { s,  s,    s, s, UINT32_MAX, CF_TEXMODE_LOD,
                                                     15, false };
         sample_all_levels(&f, &request, rgba);
         cf_format_fetch(f.unit.format, f.data, want);
         for (int c = 0; c < 4; c++)
            for (int l = 0; l < 32; l++)
               assert_true(fabsf(rgba[c][l] - want[c]) <= 6e-8f &&
                           (want[c] != 1.0f || rgba[c][l] == 1.0f));
      }
      free(f.data);
   }
}

/* Mipmaps: level n is constant n; explicit lod, bias and clamps give the expected level or mix. */
static void
mipmaps(void **state)
{
   (void)state;
   struct fixture f = { 0 };
   make_texture(&f, CF_TEXTURE_KIND_T2D, CF_FORMAT_R32_FLOAT, 64, 64, 1, 6, CF_LAYOUT_BLOCKS);
   for (uint32_t l = 0; l <= 6; l++)
      for (uint32_t i = 0; i < f.texture.level_layer_pitch_B[l]; i += 4)
         memcpy(f.data + f.texture.level_offset_B[l] + i, &(float){ (float)l }, 4);
   f.sampler.max_lod = 1000;
   float s[32], t[32], q[32], rgba[4][32];
   for (int l = 0; l < 32; l++) {
      s[l] = t[l] = 0.3f;
      q[l] = -2.0f + 0.3f * (float)l;
   }
   for (int mip = CF_MIP_NONE; mip <= CF_MIP_LINEAR; mip++) {
      f.sampler.mip_filter = mip;
      bind(&f);
      const struct cf_texture_request request = {
         s, t, s, q, UINT32_MAX, CF_TEXMODE_LOD, 1, false
      };
      sample_all_levels(&f, &request, rgba);
      for (int l = 0; l < 32; l++) {
         const double lod = q[l] < 0 ? 0 : q[l] > 6 ? 6 : q[l];
         const double want = mip == CF_MIP_NONE      ? 0
                             : mip == CF_MIP_NEAREST ? fmin(6, fmax(0, ceil(lod + 0.5) - 1))
                                                     : lod;
         assert_true(fabs(rgba[0][l] - want) < 1e-5);
      }
   }
   /* implicit: neighbouring pixels 4 texels apart: level 2; with bias 1: 3; max_lod 1.5 caps */
   for (int l = 0; l < 32; l++) {
      s[l] = 0.1f + (float)(l & 1) * 4.0f / 64.0f;
      t[l] = 0.1f + (float)(l >> 1 & 1) * 2.0f / 64.0f;
      q[l] = 1.0f;
   }
   struct cf_texture_request request = { s, t, s, q, UINT32_MAX, CF_TEXMODE_IMPLICIT, 1, true };
   sample_all_levels(&f, &request, rgba);
   assert_true(fabsf(rgba[0][7] - 2.0f) < 1e-4f);
   request.mode = CF_TEXMODE_BIAS;
   sample_all_levels(&f, &request, rgba);
   assert_true(fabsf(rgba[0][7] - 3.0f) < 1e-4f);
   f.sampler.max_lod = 1.5f;
   bind(&f);
   sample_all_levels(&f, &request, rgba);
   assert_true(fabsf(rgba[0][7] - 1.5f) < 1e-4f);
   request.quads = false; /* no derivatives: level 0 + bias */
   request.mode = CF_TEXMODE_IMPLICIT;
   sample_all_levels(&f, &request, rgba);
   assert_true(rgba[0][7] == 0.0f);
   free(f.data);
}

/* Magnification ends at level of detail c: 0, or 0.5 if the sampler says so. */
static void
magnification_ends(void **state)
{
   (void)state;
   static const float lods[] = { -1.0f,       0.0f, 0x1p-20f,      0.25f,
                                 0.49999997f, 0.5f, 0x1.00001p-1f, 1.0f };
   struct fixture f = { 0 };
   make_texture(&f, CF_TEXTURE_KIND_T2D, CF_FORMAT_R32_FLOAT, 2, 1, 1, 1, CF_LAYOUT_LINEAR);
   const float texels[] = { 0.0f, 16.0f, 32.0f }; /* the last one is level 1 */
   memcpy(f.data, texels, sizeof(texels));
   float s[32], lod[32], rgba[4][32];
   for (int l = 0; l < 32; l++) {
      s[l] = 0.375f;
      lod[l] = lods[l % 8];
   }
   const struct cf_texture_request request = { s, s, s, lod, UINT32_MAX, CF_TEXMODE_LOD, 15, true };
   for (int n = 0; n < 4; n++) {
      const bool to_half = n & 1, between_levels = n & 2;
      f.sampler =
         (struct cf_sampler){ .mag_filter = CF_FILTER_LINEAR,
                              .mip_filter = between_levels ? CF_MIP_LINEAR : CF_MIP_NEAREST,
                              .magnify_to_half = to_half,
                              .max_lod = 10 };
      bind(&f);
      sample_all_levels(&f, &request, rgba);
      for (int l = 0; l < 32; l++) {
         const float minified = between_levels ? lod[l] * 32.0f : lod[l] <= 0.5f ? 0.0f : 32.0f;
         assert_true(rgba[0][l] == (lod[l] <= (to_half ? 0.5f : 0.0f) ? 4.0f : minified));
      }
   }
   free(f.data);
}

/* Lanes outside exec do not matter: whatever they hold, the result is the same, and a derivative
 * that would need one is 0. */
static void
lanes_outside_exec(void **state)
{
   (void)state;
   random_state = cf_random_seed("texture lanes_outside_exec").state;
   static const enum cf_texture_kind kinds[] = { CF_TEXTURE_KIND_T2D, CF_TEXTURE_KIND_CUBE,
                                                 CF_TEXTURE_KIND_T3D };
   static const uint32_t modes[] = { CF_TEXMODE_IMPLICIT, CF_TEXMODE_BIAS, CF_TEXMODE_PROJ,
                                     CF_TEXMODE_QUERY_LOD };
   uint32_t without = 0;
   for (int n = 0; n < 2000; n++) {
      struct fixture f = { 0 };
      const enum cf_texture_kind kind = kinds[random_below(3)];
      make_texture(&f, kind, CF_FORMAT_R8G8B8A8_UNORM, 16, 16, kind == CF_TEXTURE_KIND_T3D ? 8 : 1,
                   4, CF_LAYOUT_BLOCKS);
      f.sampler = (struct cf_sampler){ .min_filter = CF_FILTER_LINEAR,
                                       .mip_filter = CF_MIP_LINEAR,
                                       .min_lod = -1000,
                                       .max_lod = 1000 };
      bind(&f);
      const uint32_t exec = random_u32() | (random_below(2) ? random_u32() : 0);
      const uint32_t mode = modes[random_below(4)];
      float coord[4][32], rgba[2][4][32];
      for (int run = 0; run < 2; run++) {
         for (int a = 0; a < 4; a++)
            for (int l = 0; l < 32; l++)
               if (run == 0 || !(exec >> l & 1))
                  coord[a][l] = random_coordinate();
         const struct cf_texture_request request = { coord[0], coord[1], coord[2], coord[3], exec,
                                                     mode,     15,       true };
         sample_all_levels(&f, &request, rgba[run]);
      }
      assert_memory_equal(rgba[0], rgba[1], sizeof(rgba[0]));
      for (int l = 0; l < 32 && mode == CF_TEXMODE_QUERY_LOD; l++) {
         const uint32_t quad = exec >> (l & ~3);
         if ((exec >> l & 1) && (quad & 3) != 3 && (quad & 5) != 5) {
            assert_true(rgba[0][1][l] == -INFINITY);
            without++;
         }
      }
      free(f.data);
   }
   assert_true(without > 1000);
   /* two texels a pixel along y, eight along x: without lane 1 of the quad only the derivative
    * along y remains */
   struct fixture f = { 0 };
   make_texture(&f, CF_TEXTURE_KIND_T2D, CF_FORMAT_R32_FLOAT, 64, 64, 1, 6, CF_LAYOUT_BLOCKS);
   f.sampler = (struct cf_sampler){ .min_filter = 1, .mip_filter = CF_MIP_LINEAR, .max_lod = 10 };
   bind(&f);
   float s[32], t[32], rgba[4][32];
   for (int l = 0; l < 32; l++) {
      s[l] = (float)(l & 1) * 8.0f / 64.0f;
      t[l] = (float)(l >> 1 & 1) * 2.0f / 64.0f;
   }
   /* quad 0 lacks lanes 1 and 2, quad 1 lacks lane 1 */
   const struct cf_texture_request request = {
      s, t, s, s, ~0x26u, CF_TEXMODE_QUERY_LOD, 15, true
   };
   sample_all_levels(&f, &request, rgba);
   assert_true(rgba[0][0] == 0.0f && rgba[0][3] == 0.0f);
   assert_true(rgba[0][4] == 1.0f && rgba[0][6] == 1.0f && rgba[0][7] == 1.0f);
   assert_true(rgba[0][8] == 3.0f);
   free(f.data);
}

/* Every texel of a cube has its own value: directions select their face, at edges and vertices by
 * the ties of cf_sample_lod.h; texel (0, 0) shows the orientation of table 3.21. */
static void
cube_faces(void **state)
{
   (void)state;
   struct fixture f = { 0 };
   make_texture(&f, CF_TEXTURE_KIND_CUBE, CF_FORMAT_R32_FLOAT, 2, 2, 1, 0, CF_LAYOUT_LINEAR);
   for (uint32_t i = 0; i < 24; i++)
      memcpy(f.data + 4 * i, &(float){ (float)i }, 4);
   f.sampler.wrap_s = f.sampler.wrap_t = CF_WRAP_CLAMP_TO_EDGE;
   bind(&f);
   /* direction towards texel (0, 0) of each face: sc < 0, tc < 0 */
   const float direction[6][3] = { { 1, .5f, .5f },   { -1, .5f, -.5f }, { -.5f, 1, -.5f },
                                   { -.5f, -1, .5f }, { -.5f, .5f, 1 },  { .5f, .5f, -1 } };
   static const struct {
      float direction[3];
      int face;
   } ties[] = { { { 1, -1, .5f }, 0 }, { { -1, 1, .5f }, 1 }, { { .5f, 1, -1 }, 2 },
                { { .5f, -1, 1 }, 3 }, { { -1, .5f, 1 }, 4 }, { { 1, .5f, -1 }, 5 },
                { { 1, 1, 1 }, 0 },    { { -1, 1, 1 }, 1 },   { { 1, -1, -1 }, 0 },
                { { -1, -1, -1 }, 1 } };
   float s[32] = { 0 }, t[32] = { 0 }, r[32] = { 0 }, q[32] = { 0 }, rgba[4][32];
   for (int l = 0; l < 32; l++) {
      s[l] = direction[l % 6][0];
      t[l] = direction[l % 6][1];
      r[l] = direction[l % 6][2];
   }
   const struct cf_texture_request request = { s, t, r, q, UINT32_MAX, CF_TEXMODE_LOD, 1, false };
   sample_all_levels(&f, &request, rgba);
   for (int l = 0; l < 32; l++)
      assert_true(rgba[0][l] == (float)(l % 6 * 4));
   const int count = sizeof(ties) / sizeof(ties[0]);
   for (int l = 0; l < 32; l++) {
      s[l] = ties[l % count].direction[0];
      t[l] = ties[l % count].direction[1];
      r[l] = ties[l % count].direction[2];
   }
   sample_all_levels(&f, &request, rgba);
   for (int l = 0; l < 32; l++)
      assert_true((int)rgba[0][l] / 4 == ties[l % count].face);
   free(f.data);
}

static void
shadow_compare(void **state)
{
   (void)state;
   struct fixture f = { 0 };
   make_texture(&f, CF_TEXTURE_KIND_T2D, CF_FORMAT_Z32_FLOAT, 4, 4, 1, 0, CF_LAYOUT_BLOCKS);
   for (uint32_t i = 0; i < f.texture.size_B; i += 4)
      memcpy(f.data + i, &(float){ 0.5f }, 4);
   f.sampler.compare_enable = true;
   float s[32], r[32], rgba[4][32];
   for (int l = 0; l < 32; l++) {
      s[l] = 0.4f;
      r[l] = l % 3 == 0 ? 0.25f : l % 3 == 1 ? 0.5f : 0.75f;
   }
   const struct cf_texture_request request = { s, s, r, s, UINT32_MAX, CF_TEXMODE_LOD, 15, false };
   for (int func = 0; func < 8; func++) {
      f.sampler.compare_func = func;
      f.sampler.min_filter = f.sampler.mag_filter = func & 1;
      bind(&f);
      sample_all_levels(&f, &request, rgba);
      for (int l = 0; l < 32; l++) {
         const bool want[8] = { false, r[l]<.5f, r[l] == .5f, r[l] <= .5f, r[l]> .5f, r[l] != .5f,
                                r[l] >= .5f, true };
         assert_true(rgba[0][l] == (want[func] ? 1.0f : 0.0f) && rgba[3][l] == 1.0f);
      }
   }
   free(f.data);
}

/* EXT_texture_array, section 3.8.8: layer max(0, min(layers - 1, floor(coordinate + 0.5))). */
static uint32_t
ref_layer(float coordinate, uint32_t layers)
{
   const double rounded = floor((double)coordinate + 0.5);
   return rounded > 0 ? rounded < layers ? (uint32_t)rounded : layers - 1 : 0;
}

/* The layer is the coordinate after those of the image, the reference of a shadow texture the one
 * after that. */
static void
array_layers(void **state)
{
   (void)state;
   static const float layer_of_lane[] = { 0.0f,  -0.0f,     0.49999997f, 0.5f, 1.49999988f, 1.5f,
                                          2.5f,  3.0f,      3.5f,        9.0f, -0.5f,       -7.0f,
                                          3e38f, -INFINITY, INFINITY,    NAN };
   for (int dims = 1; dims <= 2; dims++)
      for (int compare = 0; compare < 2; compare++) {
         struct fixture f = { 0 };
         make_texture(&f, dims == 1 ? CF_TEXTURE_KIND_T1D_ARRAY : CF_TEXTURE_KIND_T2D_ARRAY,
                      compare ? CF_FORMAT_Z32_FLOAT : CF_FORMAT_R8G8B8A8_UNORM, 9,
                      dims == 1 ? 1 : 7, 4, 3, CF_LAYOUT_BLOCKS);
         f.sampler = (struct cf_sampler){ .max_lod = 10,
                                          .mip_filter = CF_MIP_NEAREST,
                                          .compare_enable = compare,
                                          .compare_func = CF_COMPARE_LESS };
         bind(&f);
         float coord[4][32], rgba[4][32];
         for (int l = 0; l < 32; l++) {
            coord[0][l] = coord[1][l] = 0.05f + 0.03f * (float)l;
            coord[dims][l] = layer_of_lane[l % 16];
            coord[dims + 1][l] = compare ? (float)(l / 16) : 0.0f;
         }
         const struct cf_texture_request request = { coord[0], coord[1],   coord[2],
                                                     coord[3], UINT32_MAX, CF_TEXMODE_IMPLICIT,
                                                     15,       false };
         sample_all_levels(&f, &request, rgba);
         for (int l = 0; l < 32; l++) {
            double want[4];
            const double st[3] = { coord[0][l], coord[1][l], 0 };
            ref_level(&f, 0, false, st, ref_layer(coord[dims][l], 4), (uint32_t)dims, want);
            if (compare)
               want[0] = coord[dims + 1][l] < want[0];
            assert_true(fabs(rgba[0][l] - want[0]) < 1e-6);
         }
         free(f.data);
      }
}

static void
fetch_and_size(void **state)
{
   (void)state;
   struct fixture f = { 0 };
   make_texture(&f, CF_TEXTURE_KIND_T2D, CF_FORMAT_R8G8B8A8_UNORM, 9, 7, 1, 2, CF_LAYOUT_BLOCKS);
   bind(&f);
   float s[32], t[32], q[32], rgba[4][32];
   for (uint32_t l = 0; l < 32; l++) {
      s[l] = cf_float(l % 11);
      t[l] = cf_float(l % 7);
      q[l] = cf_float(l % 4);
   }
   struct cf_texture_request request = { s, t, t, q, 0x7fffffff, CF_TEXMODE_FETCH, 15, true };
   sample_all_levels(&f, &request, rgba);
   for (uint32_t l = 0; l < 31; l++) {
      const uint32_t level = l % 4, x = l % 11, y = l % 7;
      double want[4] = { 0 };
      if (level < 3 && x < minify(9, level) && y < minify(7, level))
         ref_texel(&f, level, 0, x, y, want);
      for (int c = 0; c < 4; c++)
         assert_true((double)rgba[c][l] == want[c]);
   }
   assert_int_equal(cf_bits(rgba[0][31]), 0x55555555); /* not in exec: untouched */
   request.mode = CF_TEXMODE_SIZE;
   sample_all_levels(&f, &request, rgba);
   assert_int_equal(cf_bits(rgba[0][1]), 4);
   assert_int_equal(cf_bits(rgba[1][1]), 3);
   assert_int_equal(cf_bits(rgba[3][1]), 3);
   free(f.data);
}

/* q is the sample of a texture of several; the other modes take sample 0. */
static void
fetch_samples(void **state)
{
   (void)state;
   static const enum cf_format formats[] = { CF_FORMAT_R8G8B8A8_UNORM, CF_FORMAT_R32_FLOAT,
                                             CF_FORMAT_Z24_UNORM_S8_UINT, CF_FORMAT_R16G16_UINT };
   random_state = cf_random_seed("texture fetch_samples").state;
   for (uint32_t n = 0; n < 64; n++) {
      const uint32_t width = 1 + random_below(9), height = 1 + random_below(9),
                     layers = 1 + n / 4 % 2 * random_below(4);
      struct fixture f = { 0 };
      make_samples(&f, layers > 1 ? CF_TEXTURE_KIND_T2D_ARRAY : CF_TEXTURE_KIND_T2D, formats[n % 4],
                   width, height, layers);
      bind(&f);
      float at[4][32], rgba[4][32];
      for (uint32_t l = 0; l < 32; l++) {
         const uint32_t limit[4] = { width, height, layers, CF_SAMPLES };
         for (int a = 0; a < 4; a++)
            at[a][l] = cf_float(random_below(20) ? random_below(limit[a] + 1) : random_u32());
      }
      struct cf_texture_request request = { at[0], at[1],      at[2],
                                            at[3], UINT32_MAX, CF_TEXMODE_FETCH,
                                            15,    true };
      sample_all_levels(&f, &request, rgba);
      for (uint32_t l = 0; l < 32; l++) {
         const uint32_t x = cf_bits(at[0][l]), y = cf_bits(at[1][l]),
                        layer = layers > 1 ? cf_bits(at[2][l]) : 0, sample = cf_bits(at[3][l]);
         double want[4] = { 0 };
         if (x < width && y < height && layer < layers && sample < CF_SAMPLES)
            ref_texel_sample(&f, 0, layer, x, y, sample, want);
         for (int c = 0; c < 4; c++)
            assert_true((double)rgba[c][l] == want[c]);
      }
      for (uint32_t l = 0; l < 32; l++)
         at[0][l] = at[1][l] = at[3][l] = 0;
      request.mode = CF_TEXMODE_LOD;
      sample_all_levels(&f, &request, rgba);
      double first[4];
      ref_texel(&f, 0, 0, 0, 0, first);
      assert_true(layers > 1 || (double)rgba[0][0] == first[0]);
      request.mode = CF_TEXMODE_SIZE;
      sample_all_levels(&f, &request, rgba);
      assert_int_equal(cf_bits(rgba[0][0]), width);
      assert_int_equal(cf_bits(rgba[1][0]), height);
      assert_int_equal(cf_bits(rgba[2][0]), layers);
      free(f.data);
   }
}

/* Texels of a buffer, in it and outside; a buffer with no whole texel; and fields that it may not
 * have. */
static void
buffers(void **state)
{
   (void)state;
   struct fixture f = { 0 };
   make_texture(&f, CF_TEXTURE_KIND_BUFFER, CF_FORMAT_R16G16_UNORM, 70000, 1, 1, 0,
                CF_LAYOUT_LINEAR);
   float s[32], q[32] = { 0 }, rgba[4][32];
   struct cf_texture_request request = { s, s, s, q, UINT32_MAX, CF_TEXMODE_FETCH, 15, false };
   for (uint32_t texels = 70000; texels != UINT32_MAX; texels = texels ? texels / 40 : UINT32_MAX) {
      f.texture.size_B = 4 * texels + 3;
      bind(&f);
      for (uint32_t l = 0; l < 32; l++)
         s[l] = cf_float(l < 16 ? texels - 8 + l : l < 24 ? l : random_u32());
      request.mode = CF_TEXMODE_FETCH;
      sample_all_levels(&f, &request, rgba);
      for (uint32_t l = 0; l < 32; l++) {
         double want[4] = { 0 };
         if (cf_bits(s[l]) < texels)
            ref_texel(&f, 0, 0, cf_bits(s[l]), 0, want);
         for (int c = 0; c < 4; c++)
            assert_true((double)rgba[c][l] == want[c]);
      }
      request.mode = CF_TEXMODE_SIZE;
      sample_all_levels(&f, &request, rgba);
      assert_int_equal(cf_bits(rgba[0][5]), texels);
      request.mode = CF_TEXMODE_LOD;
      sample_all_levels(&f, &request, rgba);
      assert_true(texels || rgba[3][0] == 0);
   }
   struct cf_texture bad = f.texture;
   bad.layout = CF_LAYOUT_BLOCKS;
   assert_string_equal(cf_texture_unit_init(&f.unit, &bad, &f.sampler, f.data), "layout");
   bad = f.texture, bad.last_level = 1;
   assert_string_equal(cf_texture_unit_init(&f.unit, &bad, &f.sampler, f.data), "last_level");
   bad = f.texture, bad.level_offset_B[0] = 4;
   assert_string_equal(cf_texture_unit_init(&f.unit, &bad, &f.sampler, f.data), "layout");
   bad = f.texture, bad.format = CF_FORMAT_NONE;
   const struct cf_texture_extent none = cf_texture_extent(&bad);
   assert_true(none.width_px == 0 && none.height_px == 1);
   assert_string_equal(cf_texture_unit_init(&f.unit, &bad, &f.sampler, f.data), "format");
   free(f.data);
}

/* Infinities, NaN and huge coordinates sample some texel inside, with every wrap mode. */
static void
hostile_coordinates(void **state)
{
   (void)state;
   const float hostile[] = { NAN,     INFINITY,      -INFINITY, 3e38f,       -3e38f, 1e-45f,
                             -1e-45f, 2147483648.0f, -0.0f,     0.99999994f, 1.0f };
   const uint32_t count = sizeof(hostile) / sizeof(hostile[0]);
   struct fixture f = { 0 };
   make_texture(&f, CF_TEXTURE_KIND_T2D, CF_FORMAT_R8G8B8A8_UNORM, 5, 3, 1, 1, CF_LAYOUT_BLOCKS);
   for (int wrap = 0; wrap < 8; wrap++)
      for (int filter = 0; filter < 2; filter++) {
         f.sampler.wrap_s = f.sampler.wrap_t = wrap;
         f.sampler.min_filter = filter;
         f.sampler.mag_filter = !filter;
         f.sampler.mip_filter = CF_MIP_LINEAR;
         f.sampler.max_lod = 1000;
         bind(&f);
         float s[32], t[32], rgba[4][32];
         for (uint32_t l = 0; l < 32; l++) {
            s[l] = hostile[l % count];
            t[l] = hostile[l * 5 / 3 % count];
         }
         const struct cf_texture_request request = { s,  t,   s, t, UINT32_MAX, CF_TEXMODE_IMPLICIT,
                                                     15, true };
         sample_all_levels(&f, &request, rgba);
         for (uint32_t l = 0; l < 32; l++)
            assert_true(filter || isfinite(rgba[0][l]) || isnan(s[l]) || isnan(t[l]) ||
                        isinf(s[l]) || isinf(t[l]));
      }
   free(f.data);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(texel_offsets),        cmocka_unit_test(shadow_levels),
      cmocka_unit_test(common_case_is_exact), cmocka_unit_test(random_samples_match),
      cmocka_unit_test(constants_stay),       cmocka_unit_test(mipmaps),
      cmocka_unit_test(magnification_ends),   cmocka_unit_test(lanes_outside_exec),
      cmocka_unit_test(cube_faces),           cmocka_unit_test(shadow_compare),
      cmocka_unit_test(array_layers),         cmocka_unit_test(fetch_and_size),
      cmocka_unit_test(fetch_samples),        cmocka_unit_test(buffers),
      cmocka_unit_test(hostile_coordinates),
   };
   return cmocka_run_group_tests_name("texture", tests, NULL, NULL);
}
