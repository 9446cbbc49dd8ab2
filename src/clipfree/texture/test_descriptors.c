/* SPDX-License-Identifier: MIT */
/*
 * What descriptors say: which are refused, and for which field; sizes; which texel is fetched;
 * coordinates of rectangles.
 */
#include "clipfree/texture/test_texture.h"

/* textureSize: of an array the layers, of a cube array the cubes; of a level that there is not the
 * first. */
static void
sizes(void **state)
{
   (void)state;
   static const struct {
      enum cf_texture_kind kind;
      uint32_t width_px, height_px, depth, size[2][3]; /* of levels 0 and 1 */
   } cases[] = {
      { CF_TEXTURE_KIND_T1D_ARRAY, 9, 1, 4, { { 9, 4, 4 }, { 4, 4, 4 } } },
      { CF_TEXTURE_KIND_T2D_ARRAY, 9, 6, 4, { { 9, 6, 4 }, { 4, 3, 4 } } },
      { CF_TEXTURE_KIND_T3D, 9, 6, 5, { { 9, 6, 5 }, { 4, 3, 2 } } },
      { CF_TEXTURE_KIND_CUBE, 8, 8, 6, { { 8, 8 }, { 4, 4 } } }, /* nobody asks for more */
      { CF_TEXTURE_KIND_CUBE_ARRAY, 8, 8, 18, { { 8, 8, 3 }, { 4, 4, 3 } } },
   };
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct fixture f = { 0 };
      make_texture(&f, cases[i].kind, CF_FORMAT_R8G8B8A8_UNORM, cases[i].width_px,
                   cases[i].height_px, cases[i].depth, 1, CF_LAYOUT_BLOCKS);
      bind(&f);
      float zero[32] = { 0 }, level[32], size[4][32];
      for (uint32_t l = 0; l < 32; l++)
         level[l] = cf_float(l < 30 ? l % 3 : 0 - l);
      const struct cf_texture_request request = { zero,  zero,       zero,
                                                  level, UINT32_MAX, CF_TEXMODE_SIZE,
                                                  15,    false };
      sample_all_levels(&f, &request, size);
      for (uint32_t l = 0; l < 32; l++) {
         const uint32_t *want = cases[i].size[cf_bits(level[l]) == 1];
         for (uint32_t c = 0; c < 3; c++)
            assert_true(!want[c] || cf_bits(size[c][l]) == want[c]);
         assert_int_equal(cf_bits(size[3][l]), 2);
      }
      free(f.data);
   }
}

/* Coordinates of rectangle textures are texels, as those of a sampler that says so. */
static void
rectangles(void **state)
{
   (void)state;
   random_state = cf_random_seed("texture rectangles").state;
   for (uint32_t n = 0; n < 200; n++) {
      struct fixture f = { 0 };
      make_texture(&f, CF_TEXTURE_KIND_T2D, CF_FORMAT_R8G8B8A8_UNORM, 1 + random_below(20),
                   1 + random_below(20), 1, 0, CF_LAYOUT_BLOCKS);
      f.sampler = (struct cf_sampler){ .wrap_s = CF_WRAP_CLAMP_TO_EDGE,
                                       .wrap_t = CF_WRAP_CLAMP_TO_EDGE,
                                       .min_filter = n & 1,
                                       .mag_filter = n >> 1 & 1,
                                       .max_lod = 10,
                                       .unnormalized = true };
      struct fixture rectangle = f;
      rectangle.texture.kind = CF_TEXTURE_KIND_RECT;
      rectangle.sampler.unnormalized = false;
      bind(&f);
      bind(&rectangle);
      assert_false(f.unit.rgba8 || rectangle.unit.rgba8);
      float coord[4][32], rgba[4][32], want[4][32];
      for (uint32_t l = 0; l < 32; l++)
         for (uint32_t a = 0; a < 4; a++)
            coord[a][l] = random_float(-2, 22);
      const struct cf_texture_request request = { coord[0], coord[1],   coord[2],
                                                  coord[3], UINT32_MAX, CF_TEXMODE_IMPLICIT,
                                                  15,       true };
      sample_all_levels(&f, &request, want);
      sample_all_levels(&rectangle, &request, rgba);
      assert_memory_equal(rgba, want, sizeof(rgba));
      for (uint32_t l = 0; n % 4 == 0 && l < 32; l++) { /* nearest */
         double texel[4];
         const double x = fmin(fmax(floor((double)coord[0][l]), 0), f.texture.width_px - 1),
                      y = fmin(fmax(floor((double)coord[1][l]), 0), f.texture.height_px - 1);
         ref_texel(&f, 0, 0, (uint32_t)x, (uint32_t)y, texel);
         assert_true((double)rgba[0][l] == texel[0]);
      }
      free(f.data);
   }
}

/* Which texel is fetched, and whether it is inside. */
static void
fetched_texels(void **state)
{
   (void)state;
   struct fixture f = { 0 };
   struct cf_texel texel;
   make_texture(&f, CF_TEXTURE_KIND_T1D_ARRAY, CF_FORMAT_R8G8B8A8_UNORM, 9, 1, 4, 1,
                CF_LAYOUT_BLOCKS);
   bind(&f);
   assert_true(cf_texture_fetched(&f.unit, (uint32_t[4]){ 8, 3, 7, 0 }, 5, &texel));
   assert_true(texel.lane == 5 && texel.level == 0);
   assert_true(texel.x_px == 8 && texel.y_px == 0 && texel.layer == 3);
   assert_false(cf_texture_fetched(&f.unit, (uint32_t[4]){ 8, 4, 0, 0 }, 5, &texel));
   assert_false(cf_texture_fetched(&f.unit, (uint32_t[4]){ 9, 3, 0, 0 }, 5, &texel));
   assert_true(cf_texture_fetched(&f.unit, (uint32_t[4]){ 3, 3, 0, 1 }, 0, &texel));
   assert_false(cf_texture_fetched(&f.unit, (uint32_t[4]){ 4, 3, 0, 1 }, 0, &texel));
   assert_false(cf_texture_fetched(&f.unit, (uint32_t[4]){ 3, 3, 0, 2 }, 0, &texel));
   free(f.data);
   make_texture(&f, CF_TEXTURE_KIND_T2D, CF_FORMAT_R8G8B8A8_UNORM, 9, 5, 1, 0, CF_LAYOUT_BLOCKS);
   bind(&f);
   assert_true(cf_texture_fetched(&f.unit, (uint32_t[4]){ 8, 4, 9, 0 }, 1, &texel));
   assert_true(texel.x_px == 8 && texel.y_px == 4);
   assert_false(cf_texture_fetched(&f.unit, (uint32_t[4]){ 8, 5, 0, 0 }, 1, &texel));
   free(f.data);
}

/* Formats are data: channels of types and sizes that no texture format has are read by
 * cf_format_fetch's formulas, too. Four of a kind, each in its dword, from bit 0 on. */
static void
any_channel(void **state)
{
   (void)state;
   static const struct {
      uint8_t type, bits;
   } cases[] = {
      { CF_CHANNEL_UNORM, 8 },    { CF_CHANNEL_UNORM, 24 },   { CF_CHANNEL_UNORM, 32 },
      { CF_CHANNEL_SNORM, 16 },   { CF_CHANNEL_SNORM, 24 },   { CF_CHANNEL_SNORM, 32 },
      { CF_CHANNEL_UINT, 24 },    { CF_CHANNEL_SINT, 24 },    { CF_CHANNEL_FLOAT, 10 },
      { CF_CHANNEL_FLOAT, 11 },   { CF_CHANNEL_FLOAT, 16 },   { CF_CHANNEL_FLOAT, 32 },
      { CF_CHANNEL_USCALED, 16 }, { CF_CHANNEL_SSCALED, 16 }, { CF_CHANNEL_FIXED, 32 },
      { CF_CHANNEL_SRGB, 8 },     { CF_CHANNEL_SHARED, 14 },
   };
   random_state = cf_random_seed("texture any_channel").state;
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct fixture f = { 0 };
      make_texture(&f, CF_TEXTURE_KIND_T2D, CF_FORMAT_R32G32B32A32_FLOAT, 32, 1, 1, 0,
                   CF_LAYOUT_LINEAR);
      for (uint32_t k = 0; k < f.texture.size_B; k++)
         f.data[k] = (uint8_t)random_u32();
      bind(&f);
      struct cf_format_info info = *f.unit.format;
      for (uint32_t c = 0; c < 4; c++) {
         info.channel[c].type = cases[i].type;
         info.channel[c].bits = cases[i].bits;
      }
      f.unit.format = &info;
      float s[32], zero[32] = { 0 }, rgba[4][32];
      for (uint32_t l = 0; l < 32; l++) /* the nearest texel */
         s[l] = ((float)l + 0.5f) / 32;
      const struct cf_texture_request request = { s,    zero,       zero,
                                                  zero, UINT32_MAX, CF_TEXMODE_IMPLICIT,
                                                  15,   false };
      sample_all_levels(&f, &request, rgba);
      for (uint32_t l = 0; l < 32; l++) {
         float want[4];
         cf_format_fetch(&info, f.data + 16 * l, want);
         for (uint32_t c = 0; c < 4; c++)
            if (cf_bits(rgba[c][l]) != cf_bits(want[c]) && !(isnan(rgba[c][l]) && isnan(want[c])))
               fail_msg("type %u of %u bits: %a, not %a", cases[i].type, cases[i].bits,
                        (double)rgba[c][l], (double)want[c]);
      }
      free(f.data);
   }
}

/* What a descriptor of several samples may be. */
static void
bad_samples_are_named(void **state)
{
   (void)state;
   struct fixture f = { 0 };
   make_samples(&f, CF_TEXTURE_KIND_T2D, CF_FORMAT_R8G8B8A8_UNORM, 5, 3, 1);
   bind(&f);
   const struct cf_texture good = f.texture;
   struct cf_texture bad[9];
   for (int i = 0; i < 9; i++)
      bad[i] = good;
   bad[0].samples = 2;
   bad[1].samples = 8;
   bad[2].layout = CF_LAYOUT_LINEAR;
   bad[3].kind = CF_TEXTURE_KIND_RECT;
   bad[4].last_level = 1;
   bad[5].level_row_pitch_B[0] -= CF_SAMPLES * 4; /* less than two blocks of each sample */
   bad[6].size_B--;
   bad[7].level_row_pitch_B[0] -= 4; /* no multiple of a pixel of each sample */
   bad[8].format = CF_FORMAT_DXT1_RGBA;
   for (int i = 0; i < 9; i++) {
      const char *field = cf_texture_unit_init(&f.unit, &bad[i], &f.sampler, f.data);
      assert_non_null(field);
      assert_string_equal(field, i < 5 || i == 8 ? "samples" : "level_offset_B");
   }
   free(f.data);
}

static void
bad_descriptors_are_named(void **state)
{
   (void)state;
   struct fixture f = { 0 };
   make_texture(&f, CF_TEXTURE_KIND_T2D, CF_FORMAT_R8G8B8A8_UNORM, 16, 16, 1, 4, CF_LAYOUT_BLOCKS);
   struct cf_texture bad = f.texture;
   bad.size_B -= 1;
   assert_string_equal(cf_texture_unit_init(&f.unit, &bad, &f.sampler, f.data), "level_offset_B");
   bad = f.texture;
   bad.level_row_pitch_B[0] = 16;
   assert_string_equal(cf_texture_unit_init(&f.unit, &bad, &f.sampler, f.data), "level_offset_B");
   bad = f.texture;
   bad.last_level = 15;
   assert_string_equal(cf_texture_unit_init(&f.unit, &bad, &f.sampler, f.data), "last_level");
   bad = f.texture;
   bad.format = CF_FORMAT_R8G8B8_SSCALED;
   assert_string_equal(cf_texture_unit_init(&f.unit, &bad, &f.sampler, f.data), "format");
   bad = f.texture;
   bad.width_px = 0;
   assert_string_equal(cf_texture_unit_init(&f.unit, &bad, &f.sampler, f.data), "width_px");
   bad = f.texture;
   bad.height_px = 0;
   assert_string_equal(cf_texture_unit_init(&f.unit, &bad, &f.sampler, f.data), "height_px");
   bad = f.texture;
   bad.first_level = 5;
   assert_string_equal(cf_texture_unit_init(&f.unit, &bad, &f.sampler, f.data), "last_level");
   free(f.data);
}

static void
check_field(struct fixture *f, const struct cf_texture *texture, const char *expected)
{
   const char *field = cf_texture_unit_init(&f->unit, texture, &f->sampler, f->data);
   if (expected ? !field || strcmp(field, expected) != 0 : field != NULL)
      fail_msg("%s, not %s", field ? field : "accepted", expected ? expected : "accepted");
}

/* What textures of a kind or format need of their sizes. */
static void
bad_sizes_are_named(void **state)
{
   (void)state;
   struct fixture f = { 0 };
   make_texture(&f, CF_TEXTURE_KIND_T3D, CF_FORMAT_R8G8B8A8_UNORM, 4, 4, 4, 0, CF_LAYOUT_BLOCKS);
   check_field(&f, &f.texture, NULL);
   f.texture.depth_px = 0;
   check_field(&f, &f.texture, "depth_px");
   free(f.data);

   make_texture(&f, CF_TEXTURE_KIND_CUBE_ARRAY, CF_FORMAT_R8G8B8A8_UNORM, 4, 4, 12, 0,
                CF_LAYOUT_BLOCKS);
   struct cf_texture texture = f.texture;
   check_field(&f, &texture, NULL);
   texture.layers = 6;
   check_field(&f, &texture, NULL);
   for (uint32_t layers = 0; layers < 12; layers += layers == 5 ? 2 : 1) {
      texture.layers = layers;
      check_field(&f, &texture, "layers");
   }
   texture = f.texture;
   texture.height_px = 3;
   check_field(&f, &texture, "height_px");
   texture.kind = CF_TEXTURE_KIND_CUBE;
   check_field(&f, &texture, "height_px");
   free(f.data);

   make_texture(&f, CF_TEXTURE_KIND_T2D, CF_FORMAT_DXT1_RGBA, 8, 8, 1, 0, CF_LAYOUT_BLOCKS);
   check_field(&f, &f.texture, NULL);
   f.texture.layout = CF_LAYOUT_LINEAR;
   check_field(&f, &f.texture, "layout");
   free(f.data);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes),
      cmocka_unit_test(any_channel),
      cmocka_unit_test(rectangles),
      cmocka_unit_test(fetched_texels),
      cmocka_unit_test(bad_samples_are_named),
      cmocka_unit_test(bad_descriptors_are_named),
      cmocka_unit_test(bad_sizes_are_named),
   };
   return cmocka_run_group_tests_name("texture-descriptors", tests, NULL, NULL);
}
