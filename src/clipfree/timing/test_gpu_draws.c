/* SPDX-License-Identifier: MIT */
/*
 * Two draws in the whole GPU: to the same images the second one follows at once; if one of its
 * images is another one, the command processor waits until the first draw is written. Either way
 * all of both is drawn.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "clipfree/timing/cf_sim_check.h"
#include "clipfree/timing/test_gpu.h"

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof(*(table))))

/* The records of a tile again, for operation 1. */
static void
draw_again(struct cf_sim_tile *tile)
{
   const size_t count = tile->count;
   cf_sim_tile_room(tile, (uint32_t)count);
   memcpy(tile->dw + count, tile->dw, count * sizeof(tile->dw[0]));
   tile->count += count;
   for (size_t at = count; at < tile->count; at += cf_sim_dwords(tile->dw[at])) {
      if (cf_sim_kind(tile->dw[at]) == CF_SIM_TASK)
         tile->dw[at + 1] = 1;
   }
}

/* A frame whose draw comes twice. */
static void
make_two(struct cf_sim_chunk *c, const struct made_frame *f)
{
   make_frame(c, f);
   c->op = cf_sim_grow(c->op, c->ops, 1, &c->op_room, sizeof(c->op[0]));
   c->vertex =
      cf_sim_grow(c->vertex, c->vertices, f->vertices, &c->vertex_room, sizeof(c->vertex[0]));
   c->primitive = cf_sim_grow(c->primitive, c->primitives, f->primitives, &c->primitive_room,
                              sizeof(c->primitive[0]));
   assert_true(c->op && c->vertex && c->primitive);
   c->op[c->ops++] = c->op[0];
   for (uint32_t i = 0; i < f->vertices; i++) {
      c->vertex[c->vertices] = c->vertex[i];
      c->vertex[c->vertices++].op = 1;
   }
   for (uint32_t i = 0; i < f->primitives; i++) {
      c->primitive[c->primitives] = c->primitive[i];
      c->primitive[c->primitives++].op = 1;
   }
   for (uint32_t i = 0; i < c->tiles; i++) {
      if (c->tile[i].count)
         draw_again(&c->tile[i]);
   }
}

struct outcome {
   uint64_t time, waited; /* cycles; waited: of the command processor, for the first draw */
   uint64_t texels;
};

static struct outcome
run_two(struct cf_sim_chunk *c, const struct cf_sim_machine *m)
{
   struct cf_sim_gpu *gpu = malloc(sizeof(*gpu));
   struct cf_sim_order order = { 0 };
   assert_null(cf_sim_check(c));
   assert_true(gpu && cf_sim_order_chunk(&order, c, m->raster.traversal) &&
               cf_sim_gpu_init(gpu, m));
   cf_sim_gpu_chunk(gpu, c, &order);
   cf_sim_gpu_finish(gpu);
   assert_false(gpu->stuck || gpu->failed);
   assert_int_equal(gpu->counts.vertices, 6);
   assert_int_equal(gpu->counts.primitives, 2);
   assert_int_equal(gpu->counts.quads, 2 * 32 * 32);
   const struct outcome o = { .time = gpu->time,
                              .waited = gpu->unit[CF_SIM_PART_COMMAND].cycles[CF_SIM_WHY_ORDER],
                              .texels = gpu->counts.texels };
   cf_sim_order_free(&order);
   cf_sim_gpu_free(gpu);
   free(gpu);
   return o;
}

static void
two_draws(void **state)
{
   static const struct {
      uint32_t colors, color_image, zs_image;
      bool waits;
   } cases[] = {
      { 1, 0, 1, false }, { 1, 0, 2, true },           { 1, 2, 1, true },
      { 0, 0, 1, true },  { 1, 0, CF_SIM_NONE, true },
   };
   const struct made_frame f = made_frame_default();
   const struct cf_sim_machine m = paper_a();
   uint64_t overlapped = 0;
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      struct cf_sim_chunk chunk;
      make_two(&chunk, &f);
      chunk.op[1].colors = cases[i].colors;
      chunk.op[1].color_image[0] = cases[i].color_image;
      chunk.op[1].zs_image = cases[i].zs_image;
      const struct outcome o = run_two(&chunk, &m);
      if ((o.waited > 0) != cases[i].waits)
         fail_msg("case %u: the command processor waits %llu cycles", i,
                  (unsigned long long)o.waited);
      overlapped = i ? overlapped : o.time;
      assert_true(!cases[i].waits || o.waited < o.time);
      assert_true(cases[i].color_image != 2 || o.time > overlapped);
      cf_sim_chunk_free(&chunk);
   }
}

/* Machines without early tests, or with a shorter queue or slow memory, draw the same; the latter
 * two are not faster. */
static void
other_machines(void **state)
{
   const struct made_frame f = made_frame_default();
   struct cf_sim_machine m = paper_a();
   struct cf_sim_chunk chunk;
   (void)state;
   make_two(&chunk, &f);
   const uint64_t time = run_two(&chunk, &m).time;
   m.z.early = !m.z.early;
   run_two(&chunk, &m);
   m.z.early = !m.z.early;
   m.scheduler.queue = 1;
   const uint64_t queued = run_two(&chunk, &m).time;
   assert_true(queued >= time);
   m.dram.perfect = false;
   assert_true(run_two(&chunk, &m).time > queued);
   cf_sim_chunk_free(&chunk);
}

/* Samples of nearest texels instead of bilinear ones. */
static void
make_nearest(struct cf_sim_chunk *c)
{
   for (uint32_t i = 0; i < c->tiles; i++) {
      struct cf_sim_tile *t = &c->tile[i];
      for (size_t at = 0; at < t->count; at += cf_sim_dwords(t->dw[at])) {
         if (cf_sim_kind(t->dw[at]) == CF_SIM_SAMPLE)
            t->dw[at] &= ~(1u << 25);
      }
   }
}

/* However texels lie in lines, each pixel reads four of them, or one. Where a line has one texel
 * alone, more lines are read, which takes longer. */
static void
texels_in_lines(void **state)
{
   static const struct {
      enum cf_sim_texture_layout layout;
      uint32_t line_B, texel_bits;
   } cases[] = {
      { CF_SIM_TEXTURE_LAYOUT_BLOCKS, 64, 32 },  { CF_SIM_TEXTURE_LAYOUT_ROWS, 64, 32 },
      { CF_SIM_TEXTURE_LAYOUT_BLOCKS, 64, 256 }, { CF_SIM_TEXTURE_LAYOUT_BLOCKS, 32, 256 },
      { CF_SIM_TEXTURE_LAYOUT_ROWS, 32, 256 },
   };
   const struct made_frame f = made_frame_default();
   const uint64_t pixels = 2 * 64 * 64;
   uint64_t first = 0;
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      struct cf_sim_machine m = paper_a();
      struct cf_sim_chunk chunk;
      m.texture.layout = cases[i].layout;
      m.texture.line_B = cases[i].line_B;
      make_two(&chunk, &f);
      chunk.texture[0].texel_bits = cases[i].texel_bits;
      const struct outcome four = run_two(&chunk, &m);
      make_nearest(&chunk);
      const struct outcome one = run_two(&chunk, &m);
      assert_int_equal(four.texels, 4 * pixels);
      assert_int_equal(one.texels, pixels);
      first = i ? first : four.time;
      assert_true(i < 3 || four.time > first);
      cf_sim_chunk_free(&chunk);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_draws),
      cmocka_unit_test(other_machines),
      cmocka_unit_test(texels_in_lines),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
