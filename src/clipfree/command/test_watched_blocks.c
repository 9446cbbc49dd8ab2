/* SPDX-License-Identifier: MIT */
/*
 * Block events against the other events of a primitive:
 * - Coverage: each covered sample has exactly one fragment event, or an early-test event that
 *   failed. Draws come in pairs that differ in stipple alone: covered and stippled samples of one
 *   draw together are the covered samples of its pair.
 * - Hierarchical Z: no fragment of a block with a hidden verdict passes; depths lie within the
 *   block's bounds. Where stored depths are known, the verdict is the one that must come.
 * - Depth and stencil are rebuilt from events alone and compared with memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/test_gpu.h"
#include "clipfree/isa/cf_isa.h"

#define WIDTH 150
#define HEIGHT 140
#define BLOCKS_X ((WIDTH + 3) / 4)
#define BLOCKS_Y ((HEIGHT + 3) / 4)
#define PAIRS 12 /* of draws that differ in stipple alone */
#define DRAWS (2 * PAIRS)
#define VERTICES 12
#define PRIMITIVES (VERTICES / 2)

/* What events reported of a primitive, by pixel: masks of its samples, bit per sample. */
struct reported {
   uint8_t covered[HEIGHT][WIDTH], stippled[HEIGHT][WIDTH];
   uint8_t awaited[HEIGHT][WIDTH];  /* covered, without a fragment event so far */
   uint8_t untested[HEIGHT][WIDTH]; /* of draws with early tests: without an early-test event */
   enum cf_hiz_fate hiz[BLOCKS_Y][BLOCKS_X];
   float nearest[BLOCKS_Y][BLOCKS_X], farthest[BLOCKS_Y][BLOCKS_X];
};

struct watched_draw {
   uint64_t packet;
   bool lines, early, stippled;
   uint32_t sample_mask;
   struct reported reported[PRIMITIVES];
};

struct watched {
   struct watched_draw draw[DRAWS];
   uint32_t draws, samples;
   uint32_t zs[HEIGHT][WIDTH][CF_SAMPLES];
   pthread_mutex_t lock;
   uint64_t hiz[CF_HIZ_FATES], early[CF_FATES], stippled, masked, fragments;
};

static const uint32_t pattern_row = 0xf00ff0c3;

static struct watched_draw *
draw_of(struct watched *w, uint64_t packet)
{
   for (uint32_t i = 0; i < w->draws; i++) {
      if (w->draw[i].packet == packet)
         return &w->draw[i];
   }
   fail_msg("no draw is at 0x%llx", (unsigned long long)packet);
   return NULL;
}

static struct reported *
reported_of(struct watched *w, uint64_t packet, uint32_t primitive)
{
   struct watched_draw *draw = draw_of(w, packet);
   assert_true(primitive < (draw->lines ? VERTICES / 2 : VERTICES / 3));
   return &draw->reported[primitive];
}

/* Bit of a pixel in a block's masks. */
static uint32_t
element(uint32_t x, uint32_t y)
{
   return (x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2;
}

static void
check_pattern(const struct watched_draw *draw, uint32_t x, uint32_t covered, uint32_t stippled)
{
   const bool kept = pattern_row >> (31 - x % 32) & 1;
   assert_int_equal(covered & stippled, 0);
   if (!draw->stippled)
      assert_int_equal(stippled, 0);
   else if (!draw->lines)
      assert_int_equal(kept ? stippled : covered, 0);
}

static void
watch_block(void *user, const struct cf_block_event *e)
{
   struct watched *w = user;
   pthread_mutex_lock(&w->lock);
   const struct watched_draw *draw = draw_of(w, e->draw);
   struct reported *reported = reported_of(w, e->draw, e->primitive);
   assert_int_equal(e->x_px % 4 | e->y_px % 4, 0);
   assert_int_equal(e->sample_mask, w->samples == 1 ? 1 : draw->sample_mask);
   reported->hiz[e->y_px / 4][e->x_px / 4] = e->hiz;
   reported->nearest[e->y_px / 4][e->x_px / 4] = e->nearest;
   reported->farthest[e->y_px / 4][e->x_px / 4] = e->farthest;
   w->hiz[e->hiz]++;
   for (uint32_t i = 0; i < 16; i++) {
      const uint32_t x = e->x_px + i % 4, y = e->y_px + i / 4;
      uint32_t covered = 0, stippled = 0;
      for (uint32_t s = 0; s < CF_SAMPLES; s++) {
         covered |= (e->covered[s] >> element(x, y) & 1u) << s;
         stippled |= (e->stippled[s] >> element(x, y) & 1u) << s;
      }
      if (covered | stippled) {
         assert_true(x < WIDTH && y < HEIGHT);
         assert_int_equal(reported->covered[y][x] | reported->stippled[y][x], 0);
         check_pattern(draw, x, covered, stippled);
         reported->covered[y][x] = (uint8_t)covered;
         reported->stippled[y][x] = (uint8_t)stippled;
         reported->awaited[y][x] = (uint8_t)(covered & e->sample_mask);
         reported->untested[y][x] = draw->early ? reported->awaited[y][x] : 0;
         w->stippled += stippled != 0;
         w->masked += (covered & ~e->sample_mask) != 0;
      }
   }
   pthread_mutex_unlock(&w->lock);
}

/* A fragment is of a block, and has a depth that it may have. */
static void
check_block(const struct reported *reported, const struct cf_fragment_event *e)
{
   const uint32_t x = e->x_px / 4, y = e->y_px / 4;
   assert_true(e->depth >= reported->nearest[y][x] && e->depth <= reported->farthest[y][x]);
   if (reported->hiz[y][x] >= CF_HIZ_HIDDEN_BLOCK)
      assert_int_not_equal(e->fate, CF_FATE_WRITTEN);
}

static void
watch_early(void *user, const struct cf_fragment_event *e)
{
   struct watched *w = user;
   const uint32_t bit = 1u << e->sample;
   uint32_t *zs = &w->zs[e->y_px][e->x_px][e->sample];
   pthread_mutex_lock(&w->lock);
   struct reported *reported = reported_of(w, e->draw, e->primitive);
   assert_true(reported->untested[e->y_px][e->x_px] & bit);
   reported->untested[e->y_px][e->x_px] &= (uint8_t)~bit;
   assert_int_equal(e->color_count, 0);
   assert_int_equal(e->zs_before[0], *zs);
   *zs = e->zs_after[0];
   check_block(reported, e);
   if (e->fate != CF_FATE_WRITTEN) {
      assert_true(e->fate == CF_FATE_STENCIL || e->fate == CF_FATE_DEPTH);
      assert_int_equal((e->zs_before[0] ^ e->zs_after[0]) & 0xffffff, 0);
      reported->awaited[e->y_px][e->x_px] &= (uint8_t)~bit;
   }
   w->early[e->fate]++;
   pthread_mutex_unlock(&w->lock);
}

static void
watch_fragment(void *user, const struct cf_fragment_event *e)
{
   struct watched *w = user;
   const uint32_t bit = 1u << e->sample;
   uint32_t *zs = &w->zs[e->y_px][e->x_px][e->sample];
   pthread_mutex_lock(&w->lock);
   struct reported *reported = reported_of(w, e->draw, e->primitive);
   assert_true(reported->awaited[e->y_px][e->x_px] & bit);
   assert_false(reported->untested[e->y_px][e->x_px] & bit);
   reported->awaited[e->y_px][e->x_px] &= (uint8_t)~bit;
   assert_int_equal(e->zs_before[0], *zs);
   *zs = e->zs_after[0];
   if (draw_of(w, e->draw)->early)
      assert_int_equal(e->zs_after[0], e->zs_before[0]);
   else
      check_block(reported, e);
   w->fragments++;
   pthread_mutex_unlock(&w->lock);
}

/* Draws come after a clear that is the only one. */
static void
watch_clear(void *user, const struct cf_clear_event *e)
{
   struct watched *w = user;
   pthread_mutex_lock(&w->lock);
   for (uint32_t y = e->min_y_px; y < e->max_y_px; y++) {
      for (uint32_t x = e->min_x_px; x < e->max_x_px; x++) {
         for (uint32_t s = 0; s < CF_SAMPLES; s++)
            w->zs[y][x][s] = e->value[CF_MAX_COLOR_TARGETS][0];
      }
   }
   pthread_mutex_unlock(&w->lock);
}

static uint64_t
fragment_program(struct test_gpu *t, bool early)
{
   return test_program(t,
                       "ldvar v0, 0, smooth\nflt v3, v0, -0.5\nkill v3, done\n"
                       "out 0, v0\nout 1, v0\nout 2, v0\nout 3, v0\ndone: end\n",
                       (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                                            .vector_regs = 4,
                                            .outputs = 4,
                                            .inputs = 1,
                                            .color_outputs = 1,
                                            .early_tests = early,
                                            .uses_kill = true });
}

static void
emit_vertices(struct test_gpu *t, const float (*vertex)[4], uint32_t count)
{
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   cf_vertex_element_pack(
      dw, &(struct cf_vertex_element){ .address = test_put(t, vertex, count * sizeof(*vertex)),
                                       .size_B = count * (uint32_t)sizeof(*vertex),
                                       .stride_B = sizeof(*vertex),
                                       .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(t, vertex_elements, .count = 1, .address = test_put(t, dw, sizeof(dw)));
}

/* What both draws of a pair have. */
static void
emit_state(struct test_gpu *t, uint64_t *seed, uint32_t pair, struct watched_draw *draw)
{
   static const enum cf_compare funcs[] = {
      CF_COMPARE_LESS,  CF_COMPARE_LEQUAL, CF_COMPARE_GREATER,
      CF_COMPARE_EQUAL, CF_COMPARE_ALWAYS, CF_COMPARE_GEQUAL
   };
   const bool stencil = pair % 4 == 3;
   draw->early = pair % 3 == 1;
   draw->lines = pair % 4 == 2;
   draw->sample_mask = pair % 2 ? (uint32_t)test_random(seed) & 15 : 15;
   float vertex[VERTICES][4];
   for (uint32_t i = 0; i < VERTICES; i++) {
      for (uint32_t k = 0; k < 3; k++)
         vertex[i][k] = test_random_float(seed, -1.1f, 1.1f);
      vertex[i][3] = test_random_float(seed, 0.9f, 1.5f);
   }
   emit_vertices(t, (const float(*)[4])vertex, VERTICES);
   EMIT(t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = fragment_program(t, draw->early));
   EMIT(t, depth_stencil, .depth_test = true, .depth_write = pair % 5 != 2,
        .depth_func = funcs[pair % 6], .stencil_front = stencil, .front_func = CF_COMPARE_EQUAL,
        .front_fail = CF_STENCIL_OP_INCR_WRAP, .front_zfail = CF_STENCIL_OP_INVERT,
        .front_zpass = CF_STENCIL_OP_DECR_WRAP, .front_value_mask = 1, .front_write_mask = 0xff);
   EMIT(t, sample_mask, .mask = draw->sample_mask);
}

static void
emit_pair(struct test_gpu *t, uint64_t *seed, uint32_t pair, struct watched *w)
{
   struct watched_draw *draws = &w->draw[2 * pair];
   emit_state(t, seed, pair, &draws[0]);
   draws[1].lines = draws[0].lines;
   draws[1].early = draws[0].early;
   draws[1].sample_mask = draws[0].sample_mask;
   draws[1].stippled = true;
   for (uint32_t i = 0; i < 2; i++) {
      EMIT(t, raster, .half_pixel_center = true, .line_width_px = 5, .multisample = pair % 3 != 0,
           .poly_stipple = i == 1, .line_stipple = i == 1, .stipple_pattern = 0x0f33,
           .stipple_factor = 2, .poly_smooth = pair % 6 == 0, .line_smooth = pair % 8 == 2);
      draws[i].packet = t->commands.address + 4 * t->count;
      EMIT(t, draw, .prim = draws[i].lines ? CF_PRIM_KIND_LINES : CF_PRIM_KIND_TRIANGLES,
           .count = VERTICES, .instances = 1);
   }
   w->draws += 2;
}

struct scene {
   struct test_gpu t;
   struct test_surface color, zs;
};

static void
scene_open(struct scene *s, struct cf_model_config config, uint32_t samples)
{
   test_gpu_open_on(&s->t, test_model_of(config));
   test_surface_create_samples(&s->t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, samples);
   test_surface_create_samples(&s->t, &s->zs, CF_FORMAT_Z24_UNORM_S8_UINT, WIDTH, HEIGHT, samples);
   test_emit_frame(&s->t, &s->color, &s->zs);
   test_emit_positions(&s->t);
   EMIT(&s->t, clear, .colors = 1, .depth = true, .stencil = true, .stencil_write_mask = 0xff,
        .depth_value = 0.5f, .max_x_px = WIDTH, .max_y_px = HEIGHT);
}

/* All pairs; the hash of both images. */
static uint64_t
render(struct cf_model_config config, uint32_t samples, uint64_t seed, struct watched *w)
{
   struct scene s;
   struct cf_stipple stipple;
   uint64_t hash = 0xcbf29ce484222325u;
   scene_open(&s, config, samples);
   for (uint32_t i = 0; i < 32; i++)
      stipple.pattern[i] = pattern_row;
   cf_stipple_pack(s.t.dw + s.t.count, &stipple);
   s.t.count += CF_STIPPLE_DWORDS;
   w->samples = samples;
   for (uint32_t pair = 0; pair < PAIRS; pair++)
      emit_pair(&s.t, &seed, pair, w);
   test_submit(&s.t);
   test_no_error(&s.t);
   for (uint32_t i = 0; i < WIDTH * HEIGHT * samples; i++) {
      const uint32_t sample = i % samples, x = i / samples % WIDTH, y = i / samples / WIDTH;
      const uint32_t zs = test_surface_sample(&s.zs, x, y, sample);
      hash = ((hash ^ test_surface_sample(&s.color, x, y, sample)) * 0x100000001b3u ^ zs) *
             0x100000001b3u;
      if (config.observer && config.observer->clear)
         assert_int_equal(w->zs[y][x][sample], zs);
   }
   test_frame_close(&s.t, &s.color, &s.zs);
   return hash;
}

/* Every sample that goes on has had its fragment. Stipple took out what its pair has more. */
static void
check_primitives(const struct watched *w)
{
   for (uint32_t i = 0; i < DRAWS; i++) {
      for (uint32_t p = 0; p < PRIMITIVES; p++) {
         const struct reported *reported = &w->draw[i].reported[p],
                               *pair = &w->draw[i ^ 1].reported[p];
         for (uint32_t at = 0; at < WIDTH * HEIGHT; at++) {
            const uint32_t x = at % WIDTH, y = at / WIDTH;
            assert_int_equal(reported->awaited[y][x] | reported->untested[y][x], 0);
            assert_int_equal(reported->covered[y][x] | reported->stippled[y][x],
                             pair->covered[y][x] | pair->stippled[y][x]);
         }
      }
   }
}

static void
check_counts(const struct watched *w)
{
   assert_true(w->fragments > 0 && w->stippled > 0);
   assert_true(w->samples == 1 || w->masked > 0);
   for (enum cf_hiz_fate fate = 0; fate < CF_HIZ_FATES; fate++)
      assert_true(w->hiz[fate] > 0);
   assert_true(w->early[CF_FATE_WRITTEN] > 0 && w->early[CF_FATE_DEPTH] > 0 &&
               w->early[CF_FATE_STENCIL] > 0);
}

static void
blocks_are_their_fragments(void **state)
{
   (void)state;
   struct cf_random seeds = cf_random_seed("command-watched-blocks");
   for (uint32_t run = 0; run < 4; run++) {
      const uint32_t samples = run % 2 ? CF_SAMPLES : 1;
      const uint64_t seed =
         run < 2 ? 1 : cf_random_u64(&seeds) | 1; /* what must happen does, with the first */
      static struct watched unwatched;
      unwatched = (struct watched){ 0 };
      const uint64_t normal =
         render((struct cf_model_config){ .threads = 1 }, samples, seed, &unwatched);
      for (int threads = 0; threads <= 3; threads++) {
         struct watched *w = calloc(1, sizeof(*w));
         pthread_mutex_init(&w->lock, NULL);
         const struct cf_observer all = { .user = w,
                                          .clear = watch_clear,
                                          .block = watch_block,
                                          .early_test = watch_early,
                                          .fragment = watch_fragment };
         const struct cf_observer none = { NULL };
         struct cf_model_config config = { .threads = threads,
                                           .path = CF_PATH_PLAIN,
                                           .observer = &all };
         assert_true(render(config, samples, seed, w) == normal);
         check_primitives(w);
         if (run < 2)
            check_counts(w);
         config.observer = &none;
         unwatched = (struct watched){ 0 };
         assert_true(render(config, samples, seed, &unwatched) == normal);
         pthread_mutex_destroy(&w->lock);
         free(w);
      }
   }
}

/* ------------------------------------------------------------------ known depths */

#define EDGE_PX 72 /* in the middle of a region */

/* Two draws: the first stores a depth left of EDGE_PX, the second is of one depth everywhere. */
struct layers {
   uint64_t second; /* its packet */
   enum cf_hiz_fate left, cut,
      right; /* of whole regions, of blocks in the region that is cut, of the others */
   uint32_t blocks;
};

static void
watch_layer(void *user, const struct cf_block_event *e)
{
   struct layers *l = user;
   if (e->draw != l->second)
      return;
   assert_int_equal(e->hiz, e->x_px < EDGE_PX / 16 * 16 ? l->left
                            : e->x_px < EDGE_PX         ? l->cut
                                                        : l->right);
   assert_true(e->nearest == e->farthest);
   l->blocks++;
}

static void
emit_layer(struct test_gpu *t, float right, float z)
{
   const float vertex[6][4] = { { -1, -1, z, 1 }, { right, -1, z, 1 }, { -1, 1, z, 1 },
                                { -1, 1, z, 1 },  { right, -1, z, 1 }, { right, 1, z, 1 } };
   emit_vertices(t, vertex, 6);
   EMIT(t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 6, .instances = 1);
}

static void
draw_layers(struct layers *l, uint32_t samples, enum cf_compare func, float first, float second,
            bool stencil)
{
   const struct cf_observer observer = { .user = l, .block = watch_layer };
   struct scene s;
   scene_open(&s, (struct cf_model_config){ .path = CF_PATH_PLAIN, .observer = &observer },
              samples);
   EMIT(&s.t, raster, .half_pixel_center = true, .multisample = true);
   EMIT(&s.t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = test_varyings_program(&s.t));
   EMIT(&s.t, depth_stencil, .depth_test = true, .depth_write = true,
        .depth_func = CF_COMPARE_ALWAYS);
   emit_layer(&s.t, EDGE_PX * 2.0f / WIDTH - 1, first);
   EMIT(&s.t, depth_stencil, .depth_test = true, .depth_func = func, .stencil_front = stencil,
        .front_func = CF_COMPARE_EQUAL, .front_value_mask = 1);
   l->blocks = 0;
   l->second = s.t.commands.address + 4 * (s.t.count + CF_VERTEX_ELEMENTS_DWORDS);
   emit_layer(&s.t, 1, second);
   test_submit(&s.t);
   test_no_error(&s.t);
   assert_true(l->blocks >= BLOCKS_X * BLOCKS_Y);
   test_frame_close(&s.t, &s.color, &s.zs);
}

/* Depth is cleared to 0.5: that is 0 in clip space, where -1 is near. */
static void
known_depths_hide(void **state)
{
   (void)state;
   struct layers behind = { .left = CF_HIZ_HIDDEN_REGION,
                            .cut = CF_HIZ_HIDDEN_BLOCK,
                            .right = CF_HIZ_KEPT };
   struct layers kept = { .left = CF_HIZ_KEPT, .cut = CF_HIZ_KEPT, .right = CF_HIZ_KEPT };
   struct layers none = { .left = CF_HIZ_NONE, .cut = CF_HIZ_NONE, .right = CF_HIZ_NONE };
   for (uint32_t samples = 1; samples <= CF_SAMPLES; samples += CF_SAMPLES - 1) {
      draw_layers(&behind, samples, CF_COMPARE_LESS, -0.5f, -0.25f, false);
      draw_layers(&behind, samples, CF_COMPARE_LESS, -0.5f, -0.5f, false);
      draw_layers(&behind, samples, CF_COMPARE_GREATER, 0.5f, 0.25f, false);
      draw_layers(&behind, samples, CF_COMPARE_EQUAL, -0.5f, 0, false);
      draw_layers(&kept, samples, CF_COMPARE_LEQUAL, -0.5f, -0.5f, false);
      draw_layers(&kept, samples, CF_COMPARE_GEQUAL, 0.5f, 0.5f, false);
      draw_layers(&none, samples, CF_COMPARE_LESS, -0.5f, -0.25f, true);
      draw_layers(&none, samples, CF_COMPARE_ALWAYS, -0.5f, -0.25f, false);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_their_fragments),
      cmocka_unit_test(known_depths_hide),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
