/* SPDX-License-Identifier: MIT */
/*
 * Texels that a sample is said to read (cf_texture_unit.watch) are those that its result depends
 * on: with all others changed it keeps its bits; with one of them changed it does not. Random
 * textures, wrap modes, filters, levels, texel offsets, probes and faces; where a texel lies is
 * found by the layout's formula.
 */
#include "clipfree/texture/test_texture.h"

#define CASES 400
#define MOST_TEXELS 1024 /* of a lane: 16 probes, 2 levels, 8 texels each, and room */
#define FAR 1e6f         /* a change that shows under any weight above 1e-12 */

struct reported {
   struct cf_texel texel[CF_TASK_LANES][MOST_TEXELS];
   uint32_t count[CF_TASK_LANES];
};

static void
note_texel(void *user, const struct cf_texel *texel)
{
   struct reported *reported = user;
   assert_true(texel->lane < CF_TASK_LANES && reported->count[texel->lane] < MOST_TEXELS);
   reported->texel[texel->lane][reported->count[texel->lane]++] = *texel;
}

static uint32_t
offset_of(const struct fixture *f, const struct cf_texel *t)
{
   const struct cf_texture *texture = &f->texture;
   const uint32_t pixel_B = cf_format_info_of(texture->format)->pixel_B;
   const uint32_t level_B = texture->level_offset_B[t->level] +
                            t->layer * texture->level_layer_pitch_B[t->level] +
                            t->sample * (texture->level_row_pitch_B[t->level] / CF_SAMPLES);
   assert_true(t->level <= texture->last_level && t->x_px < minify(texture->width_px, t->level) &&
               t->y_px < minify(texture->height_px, t->level));
   if (texture->layout == CF_LAYOUT_BLOCKS)
      return level_B + t->y_px / 4 * texture->level_row_pitch_B[t->level] +
             (t->x_px / 4 * 16 + cf_block_element(t->x_px, t->y_px)) * pixel_B;
   return level_B + t->y_px * texture->level_row_pitch_B[t->level] + t->x_px * pixel_B;
}

/* A texture of floats, or of bytes with the integer filter, and any sampler. */
static void
make_random(struct fixture *f, bool floats)
{
   static const enum cf_texture_kind kinds[] = { CF_TEXTURE_KIND_T1D, CF_TEXTURE_KIND_T2D,
                                                 CF_TEXTURE_KIND_T3D, CF_TEXTURE_KIND_CUBE,
                                                 CF_TEXTURE_KIND_T2D_ARRAY };
   const enum cf_texture_kind kind = kinds[random_below(5)];
   const uint32_t width = 1 + random_below(20);
   const uint32_t height = kind == CF_TEXTURE_KIND_T1D    ? 1
                           : kind == CF_TEXTURE_KIND_CUBE ? width
                                                          : 1 + random_below(20);
   const bool deep = kind == CF_TEXTURE_KIND_T3D || kind == CF_TEXTURE_KIND_T2D_ARRAY;
   const enum cf_format format = floats ? CF_FORMAT_R32G32B32A32_FLOAT : CF_FORMAT_R8G8B8A8_UNORM;
   const uint32_t depth = deep ? 1 + random_below(4) : 1;
   if ((kind == CF_TEXTURE_KIND_T2D || kind == CF_TEXTURE_KIND_T2D_ARRAY) && random_below(3) == 0)
      make_samples(f, kind, format, width, height, depth);
   else
      make_texture(f, kind, format, width, height, depth, random_below(4),
                   random_below(2) ? CF_LAYOUT_BLOCKS : CF_LAYOUT_LINEAR);
   f->sampler = (struct cf_sampler){ .wrap_s = random_below(8),
                                     .wrap_t = random_below(8),
                                     .wrap_r = random_below(8),
                                     .min_filter = random_below(2),
                                     .mag_filter = random_below(2),
                                     .mip_filter = random_below(3),
                                     .max_lod = 10,
                                     .max_anisotropy = random_below(2) ? 0 : 2 + random_below(7),
                                     .seamless = random_below(2) };
   bind(f);
}

/* Far from a texture with a border the texel at its edge has a weight of 0. */
static bool
may_read_in_vain(const struct fixture *f, bool inside)
{
   const enum cf_wrap wrap[3] = { f->sampler.wrap_s, f->sampler.wrap_t, f->sampler.wrap_r };
   bool border = false;
   for (int a = 0; a < 3; a++)
      border |= wrap[a] != CF_WRAP_REPEAT && wrap[a] != CF_WRAP_CLAMP_TO_EDGE &&
                wrap[a] != CF_WRAP_MIRROR_REPEAT && wrap[a] != CF_WRAP_MIRROR_CLAMP_TO_EDGE;
   return border && (!inside || f->sampler.max_anisotropy > 1);
}

/* Quads of neighbours, or `inside` of the texture. */
static void
make_coordinates(float coord[4][CF_TASK_LANES], bool fetch, bool inside)
{
   for (int l = 0; l < CF_TASK_LANES; l++) {
      for (int a = 0; a < 3; a++)
         coord[a][l] = fetch    ? cf_float(random_below(6) - 1)
                       : inside ? random_float(0, 1)
                       : l % 4  ? coord[a][l & ~3] + random_float(-0.2f, 0.2f)
                                : random_float(-2.5f, 2.5f);
      coord[3][l] = fetch ? cf_float(random_below(5)) : random_float(-1, 4);
   }
}

static void
sample(const struct fixture *f, const struct cf_texture_request *request, uint8_t *data,
       float rgba[4][CF_TASK_LANES])
{
   struct cf_texture_unit unit = f->unit;
   unit.data = data;
   memset(rgba, 0, 4 * sizeof(rgba[0]));
   cf_texture_ops_at(cf_host_level())->sample(&unit, request, rgba);
}

static bool
same_result(float a[4][CF_TASK_LANES], float b[4][CF_TASK_LANES], uint32_t lane)
{
   bool same = true;
   for (int c = 0; c < 4; c++)
      same &= cf_bits(a[c][lane]) == cf_bits(b[c][lane]);
   return same;
}

/* All texels but those that the lane reads are other ones. */
static void
check_enough(const struct fixture *f, const struct cf_texture_request *request,
             const struct reported *reported, uint32_t lane, float want[4][CF_TASK_LANES])
{
   const uint32_t pixel_B = cf_format_info_of(f->texture.format)->pixel_B;
   float got[4][CF_TASK_LANES];
   uint8_t *data = malloc(f->texture.size_B);
   for (uint32_t i = 0; i < f->texture.size_B; i++)
      data[i] = (uint8_t)random_u32();
   for (uint32_t i = 0; i < reported->count[lane]; i++) {
      const uint32_t offset_B = offset_of(f, &reported->texel[lane][i]);
      memcpy(data + offset_B, f->data + offset_B, pixel_B);
   }
   sample(f, request, data, got);
   if (!same_result(got, want, lane))
      fail_msg("lane %u reads texels that are not reported, of kind %u", lane, f->texture.kind);
   free(data);
}

/* One of the floats that the lane reads is another one. */
static void
check_needed(const struct fixture *f, const struct cf_texture_request *request,
             const struct cf_texel *texel, float want[4][CF_TASK_LANES])
{
   const float far[4] = { FAR, FAR, FAR, FAR };
   float got[4][CF_TASK_LANES], kept[4];
   uint8_t *at = f->data + offset_of(f, texel);
   memcpy(kept, at, sizeof(kept));
   memcpy(at, far, sizeof(far));
   sample(f, request, f->data, got);
   memcpy(at, kept, sizeof(kept));
   if (same_result(got, want, texel->lane))
      fail_msg("lane %u does not read texel %u %u of layer %u, level %u, kind %u", texel->lane,
               texel->x_px, texel->y_px, texel->layer, texel->level, f->texture.kind);
}

/* The texels of a footprint, in the order in which they are reported one by one. */
static void
note_footprint(void *user, const struct cf_footprint *f)
{
   struct reported *reported = user;
   for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++) {
      for (uint32_t c = 0; f->lanes >> lane & 1 && c < f->corners; c++) {
         uint32_t at[3] = { 0, 0, f->layer[lane] };
         for (uint32_t a = 0; a < f->axes; a++)
            at[a] = (uint32_t)f->axis[a][c >> a & 1][lane];
         note_texel(reported, &(struct cf_texel){ .lane = lane,
                                                  .level = f->level,
                                                  .x_px = at[0],
                                                  .y_px = at[1],
                                                  .layer = at[2] });
      }
   }
}

/* The texels that are reported one by one, and as footprints: they are the same. */
static void
watch_sample(const struct fixture *f, const struct cf_texture_request *request,
             struct reported *reported)
{
   static struct reported by_footprint;
   float nothing[4][CF_TASK_LANES];
   struct cf_texture_request watched = *request;
   struct cf_texel_watch watch = { .user = reported, .texel = note_texel };
   struct fixture of_watcher = *f;
   watched.mask = 0;
   memset(reported->count, 0, sizeof(reported->count));
   of_watcher.unit = cf_texture_unit_watched(&f->unit, &watch);
   sample(&of_watcher, &watched, f->data, nothing);
   watch = (struct cf_texel_watch){ &by_footprint, note_texel, note_footprint };
   memset(by_footprint.count, 0, sizeof(by_footprint.count));
   sample(&of_watcher, &watched, f->data, nothing);
   assert_memory_equal(reported->count, by_footprint.count, sizeof(by_footprint.count));
   for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++)
      assert_memory_equal(reported->texel[lane], by_footprint.texel[lane],
                          reported->count[lane] * sizeof(by_footprint.texel[lane][0]));
}

static uint64_t
check_case(uint32_t mode, bool floats)
{
   struct fixture f = { 0 };
   static struct reported reported;
   float coord[4][CF_TASK_LANES], rgba[4][CF_TASK_LANES];
   float operand[CF_TEX_OPERANDS][CF_TASK_LANES] = { { 0 } };
   uint64_t texels = 0;
   make_random(&f, floats);
   const bool offsets = mode != CF_TEXMODE_FETCH && random_below(2),
              inside = !offsets && random_below(2);
   make_coordinates(coord, mode == CF_TEXMODE_FETCH, inside);
   for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++)
      operand[CF_OPERAND_OFFSETS][lane] = cf_float(random_u32() & 0x070707); /* 0 to 7 */
   const struct cf_texture_request request = {
      .s = coord[0],
      .t = coord[1],
      .r = coord[2],
      .q = coord[3],
      .exec = random_below(2) ? UINT32_MAX : random_u32(),
      .mode = mode,
      .mask = 15,
      .quads = true,
      .operand = (const float(*)[CF_TASK_LANES])operand,
      .offsets = offsets,
   };
   sample(&f, &request, f.data, rgba);
   watch_sample(&f, &request, &reported);
   for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++) {
      texels += reported.count[lane];
      assert_true(request.exec >> lane & 1 || reported.count[lane] == 0);
      if (request.exec >> lane & 1)
         check_enough(&f, &request, &reported, lane, rgba);
   }
   for (uint32_t n = 0; floats && !may_read_in_vain(&f, inside) && n < 16; n++) {
      const uint32_t lane = random_below(CF_TASK_LANES);
      if (reported.count[lane])
         check_needed(&f, &request, &reported.texel[lane][random_below(reported.count[lane])],
                      rgba);
   }
   free(f.data);
   return texels;
}

static void
results_depend_on_the_texels_reported(void **state)
{
   (void)state;
   static const uint32_t modes[] = { CF_TEXMODE_IMPLICIT, CF_TEXMODE_LOD, CF_TEXMODE_FETCH };
   random_state = cf_random_seed("texels results_depend_on_the_texels_reported").state;
   for (uint32_t m = 0; m < 3; m++) {
      for (uint32_t floats = 0; floats < 2; floats++) {
         uint64_t texels = 0;
         for (uint32_t n = 0; n < CASES; n++)
            texels += check_case(modes[m], floats);
         assert_true(texels > CASES);
      }
   }
}

/* How many texels lane 0 reads at these coordinates, with the linear filter. */
static uint32_t
count_at(struct fixture *f, float s, float t, float r)
{
   static struct reported reported;
   float coord[4][CF_TASK_LANES] = { { s }, { t }, { r } }, rgba[4][CF_TASK_LANES];
   const struct cf_texture_request request = { coord[0], coord[1],       coord[2], coord[3],
                                               1,        CF_TEXMODE_LOD, 15,       false };
   const struct cf_texel_watch watch = { .user = &reported, .texel = note_texel };
   f->sampler.min_filter = f->sampler.mag_filter = CF_FILTER_LINEAR;
   bind(f);
   f->unit = cf_texture_unit_watched(&f->unit, &watch);
   reported.count[0] = 0;
   sample(f, &request, f->data, rgba);
   return reported.count[0];
}

/* What is not there is not read: texels beyond a border, the fourth texel at a vertex of a cube. */
static void
texels_that_do_not_exist(void **state)
{
   (void)state;
   struct fixture f = { 0 };
   make_texture(&f, CF_TEXTURE_KIND_T2D, CF_FORMAT_R8G8B8A8_UNORM, 4, 4, 1, 0, CF_LAYOUT_BLOCKS);
   f.sampler.wrap_s = f.sampler.wrap_t = CF_WRAP_CLAMP_TO_BORDER;
   assert_int_equal(count_at(&f, 0.5f, 0.5f, 0), 4);
   assert_int_equal(count_at(&f, 0, 0.5f, 0), 2);
   assert_int_equal(count_at(&f, 0, 1, 0), 1);
   assert_int_equal(count_at(&f, 2, 0.5f, 0), 0);
   free(f.data);
   make_texture(&f, CF_TEXTURE_KIND_CUBE, CF_FORMAT_R8G8B8A8_UNORM, 4, 4, 1, 0, CF_LAYOUT_BLOCKS);
   for (uint32_t seamless = 0; seamless < 2; seamless++) {
      f.sampler = (struct cf_sampler){ .wrap_s = CF_WRAP_CLAMP_TO_EDGE,
                                       .wrap_t = CF_WRAP_CLAMP_TO_EDGE,
                                       .seamless = seamless };
      assert_int_equal(count_at(&f, 1, 0, 0), 4);
      assert_int_equal(count_at(&f, 1, 0.99f, 0), 4);
      assert_int_equal(count_at(&f, 1, 0.99f, 0.99f), seamless ? 3 : 4);
   }
   free(f.data);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_depend_on_the_texels_reported),
      cmocka_unit_test(texels_that_do_not_exist),
   };
   return cmocka_run_group_tests_name("texels", tests, NULL, NULL);
}
