/* SPDX-License-Identifier: MIT */
/*
 * What vertices did, as tasks and caches take it from the trace: found by a slow search; loads that
 * refer to one dword or to several; texels and the lines that they lie in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/timing/cf_sim_check.h"
#include "clipfree/timing/cf_sim_hits.h"
#include "clipfree/timing/cf_sim_task.h"
#include "clipfree/timing/test_gpu.h"

#define MOST 200

static void
make_chunk(struct cf_sim_chunk *c, uint32_t vertices)
{
   struct made_frame f = made_frame_default();
   f.vertices = vertices;
   f.primitives = f.side_px = 0;
   make_frame(c, &f);
   c->vertex_texel = calloc(MOST, sizeof(c->vertex_texel[0]));
   c->vertex_step = calloc(MOST, sizeof(c->vertex_step[0]));
   assert_true(c->vertex_texel && c->vertex_step);
   c->vertex_texel_room = c->vertex_step_room = MOST;
}

/* ------------------------------------------------------------------ the first of a vertex */

static uint64_t
key(uint32_t op, uint32_t instance, uint32_t element)
{
   return op * 100 + instance * 10 + element;
}

#define KEY(item) key((item).op, (item).instance, (item).element)

/* Numbers in ascending order, some twice and some left out. */
static size_t
make_keys(struct cf_random *random, uint32_t made[MOST])
{
   size_t count = 0;
   for (uint32_t number = 0; number < 64; number++) {
      for (uint32_t times = cf_random_below(random, 4); times > 1; times--)
         made[count++] = number;
   }
   return count;
}

/* Of each item: op, instance, element from two bits each. */
#define FROM_KEY(number) .op = (number) >> 4, .instance = (number) >> 2 & 3, .element = (number)&3

static void
first_of_a_vertex(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("timing first_of_a_vertex");
   for (uint32_t round = 0; round < 50; round++) {
      struct cf_sim_chunk c;
      uint32_t made[MOST];
      make_chunk(&c, MOST);
      c.vertices = make_keys(&random, made);
      for (size_t i = 0; i < c.vertices; i++)
         c.vertex[i] = (struct cf_sim_vertex){ FROM_KEY(made[i]) };
      c.vertex_texels = make_keys(&random, made);
      for (size_t i = 0; i < c.vertex_texels; i++)
         c.vertex_texel[i] = (struct cf_sim_vertex_texel){ FROM_KEY(made[i]) };
      c.vertex_steps = make_keys(&random, made);
      for (size_t i = 0; i < c.vertex_steps; i++)
         c.vertex_step[i] = (struct cf_sim_vertex_step){ FROM_KEY(made[i]) };
      size_t texel = 0, step = 0;
      for (size_t v = 0; v < c.vertices; v++) {
         size_t slow_texel = 0, slow_step = 0;
         cf_sim_task_find_vertex(&c, v, &texel, &step);
         while (slow_texel < c.vertex_texels && KEY(c.vertex_texel[slow_texel]) < KEY(c.vertex[v]))
            slow_texel++;
         while (slow_step < c.vertex_steps && KEY(c.vertex_step[slow_step]) < KEY(c.vertex[v]))
            slow_step++;
         assert_int_equal(texel, slow_texel);
         assert_int_equal(step, slow_step);
      }
      cf_sim_chunk_free(&c);
   }
}

/* ------------------------------------------------------------------ references */

#define AT 7

static void
begin_vertices(struct cf_sim_task *t, const struct cf_sim_chunk *c)
{
   size_t texel = 0, step = 0;
   memset(t, 0, sizeof(*t));
   cf_sim_task_begin(t, c, CF_SIM_STAGE_VERTEX, 0, NULL);
   for (size_t v = 0; v < c->vertices; v++) {
      cf_sim_task_find_vertex(c, v, &texel, &step);
      cf_sim_task_add_vertex(t, texel, step);
   }
}

/* Three vertices, in lanes 0 to 2, of which the second one's step is of the table. */
static void
references_of_vertices(void **state)
{
   (void)state;
   static struct cf_sim_task t;
   static const struct {
      struct cf_sim_vertex_step step;
      bool same;
   } cases[] = {
      { { .element = 1, .at = AT, .value = 4 }, true },
      { { .element = 1, .at = AT, .value = 5 }, false },
      /* no step of this instruction: its lane counts as one that refers to dword 0 */
      { { .element = 1, .at = AT + 1, .value = 4 }, false },
      { { .element = 1, .at = AT, .order = 1, .value = 4 }, false },
      { { .element = 1, .at = AT, .instance = 1, .value = 4 }, false },
      { { .op = 1, .element = 1, .at = AT, .value = 4 }, false },
   };
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct cf_sim_chunk c;
      uint32_t dword = 99;
      make_chunk(&c, 3);
      for (uint32_t v = 0; v < 3; v++)
         c.vertex_step[v] = (struct cf_sim_vertex_step){ .element = v, .at = AT, .value = 4 };
      c.vertex_steps = 3;
      c.vertex_step[1] = cases[i].step;
      begin_vertices(&t, &c);
      assert_int_equal(cf_sim_task_reference(&t, AT, &dword), cases[i].same);
      assert_int_equal(dword, 4); /* the first lane's */
      cf_sim_chunk_free(&c);
   }
}

/* A task of two quads; the second one's lanes refer to these dwords. */
static void
references_of_quads(void **state)
{
   (void)state;
   static struct cf_sim_task t;
   struct cf_sim_chunk c;
   struct cf_sim_layout layout;
   const struct cf_sim_machine m = cf_sim_machine_default();
   make_chunk(&c, 3);
   struct cf_sim_tile *tile = cf_sim_chunk_tile(&c, 0);
   for (uint32_t i = 0; i < 4; i++) {
      const uint32_t same = i < 2, lanes = same ? 1 : 8,
                     dwords = CF_SIM_TASK_DW + 4 + CF_SIM_REFERENCE_DW + lanes;
      tile->count = 0;
      uint32_t *dw = cf_sim_tile_room(tile, dwords), dword = 99;
      assert_non_null(dw);
      memset(dw, 0, 4 * dwords);
      tile->count = dwords;
      dw[0] = cf_sim_head(CF_SIM_TASK, CF_SIM_TASK_DW + 4, 2);
      uint32_t *reference = dw + CF_SIM_TASK_DW + 4;
      reference[0] = cf_sim_head(CF_SIM_REFERENCE, CF_SIM_REFERENCE_DW + lanes, same);
      reference[1] = 0xff;
      reference[2] = AT;
      for (uint32_t l = 0; l < lanes; l++)
         reference[CF_SIM_REFERENCE_DW + l] = 6 + (i == 3 && l == 7);
      assert_null(cf_sim_check(&c));
      cf_sim_layout_init(&layout, &m);
      cf_sim_task_begin(&t, &c, CF_SIM_STAGE_FRAGMENT, 0, NULL);
      for (uint32_t q = 0; q < 2; q++) {
         const struct cf_sim_item item = { .quad = q };
         const struct cf_sim_samples samples = cf_sim_samples_of(&layout, &c, &item);
         cf_sim_task_add_quad(&t, &samples, 15);
      }
      assert_int_equal(cf_sim_task_reference(&t, i == 1 ? AT + 1 : AT, &dword), i < 3);
      assert_int_equal(dword, i == 1 ? 99 : 6); /* of another instruction: none is found */
      cf_sim_layout_free(&layout);
   }
   cf_sim_chunk_free(&c);
}

/* ------------------------------------------------------------------ texels */

/* Vertices 0 to 4 read texels of a texture of 64x64, whose lines have 4x4; vertex 3 one of no
 * texture, vertex 4 nothing. */
static void
make_texels(struct cf_sim_chunk *c)
{
   static const struct {
      uint16_t element, x_px, y_px, unit;
   } made[] = { { 0, 0, 0, 0 }, { 0, 3, 3, 0 }, { 1, 4, 3, 0 }, { 2, 63, 63, 0 }, { 3, 0, 0, 1 } };
   make_chunk(c, 5);
   c->op[0].vertex_texture[0] = 0;
   for (uint32_t i = 0; i < 5; i++)
      c->vertex_texel[c->vertex_texels++] =
         (struct cf_sim_vertex_texel){ .element = made[i].element,
                                       .order = i == 1,
                                       .at = AT,
                                       .x_px = made[i].x_px,
                                       .y_px = made[i].y_px,
                                       .texture_unit = made[i].unit };
   assert_null(cf_sim_check(c));
}

static void
samples_of_vertices(void **state)
{
   (void)state;
   static struct cf_sim_task t;
   const struct cf_sim_machine m = cf_sim_machine_default();
   struct cf_sim_chunk c;
   struct cf_sim_layout layout;
   struct cf_sim_sample_lines lines;
   make_texels(&c);
   cf_sim_layout_init(&layout, &m);
   assert_true(cf_sim_layout_chunk(&layout, &c));
   begin_vertices(&t, &c);
   assert_false(cf_sim_task_sample(&t, AT + 1, 0, &layout, &lines));
   assert_true(cf_sim_task_sample(&t, AT, 0, &layout, &lines));
   assert_int_equal(lines.texels, 5);
   assert_int_equal(lines.pixels, 4);
   assert_int_equal(lines.lines, 3);
   assert_false(cf_sim_task_sample(&t, AT, 0, &layout, &lines)); /* each is taken once */
   assert_false(cf_sim_task_sample(&t, AT, 1, &layout, &lines));
   cf_sim_layout_free(&layout);
   cf_sim_chunk_free(&c);
}

static struct cf_sim_hits
hits_of(const struct cf_sim_machine *m, struct cf_sim_chunk *c)
{
   struct cf_sim_hits h;
   struct cf_sim_order order = { 0 };
   assert_true(cf_sim_hits_init(&h, m, false) &&
               cf_sim_order_chunk(&order, c, m->raster.traversal));
   cf_sim_hits_chunk(&h, c, &order);
   assert_true(cf_sim_hits_finish(&h));
   cf_sim_order_free(&order);
   cf_sim_chunk_free(c);
   return h;
}

/* Without time each texel of a vertex is a request of its own: of four, one hits. */
static void
hits_of_vertices(void **state)
{
   (void)state;
   const struct cf_sim_machine m = cf_sim_machine_default();
   struct cf_sim_chunk c;
   make_texels(&c);
   struct cf_sim_hits h = hits_of(&m, &c);
   assert_int_equal(h.work.texels, 5);
   assert_int_equal(h.texture.counts.requests, 4);
   assert_int_equal(h.texture.counts.misses, 3);
   assert_int_equal(h.texture.counts.hits, 1);
   cf_sim_hits_free(&h);
}

/* Requests by texel: as many as texels, and all beyond those by line hit. */
static void
requests_by_texel(void **state)
{
   (void)state;
   struct cf_sim_machine m = cf_sim_machine_default();
   const struct made_frame f = made_frame_default();
   struct cf_sim_hits by[2];
   for (uint32_t i = 0; i < 2; i++) {
      struct cf_sim_chunk c;
      m.texture.request = i ? CF_SIM_TEXTURE_REQUEST_TEXEL : CF_SIM_TEXTURE_REQUEST_LINE;
      make_frame(&c, &f);
      by[i] = hits_of(&m, &c);
   }
   assert_int_equal(by[1].work.texels, 64 * 64 * 4); /* a bilinear sample of each pixel */
   assert_int_equal(by[1].texture.counts.requests, by[1].work.texels);
   assert_true(by[0].texture.counts.requests < by[1].texture.counts.requests);
   assert_int_equal(by[0].texture.counts.misses, by[1].texture.counts.misses);
   assert_int_equal(by[1].texture.counts.hits - by[0].texture.counts.hits,
                    by[1].texture.counts.requests - by[0].texture.counts.requests);
   cf_sim_hits_free(&by[0]);
   cf_sim_hits_free(&by[1]);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_of_a_vertex),   cmocka_unit_test(references_of_vertices),
      cmocka_unit_test(references_of_quads), cmocka_unit_test(samples_of_vertices),
      cmocka_unit_test(hits_of_vertices),    cmocka_unit_test(requests_by_texel),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
