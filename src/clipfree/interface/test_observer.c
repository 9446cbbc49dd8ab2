/* SPDX-License-Identifier: MIT */
/* What an observer asks for, by the functions that it has; names of stages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clipfree/interface/cf_observer.h"

static void
see_task(void *user, const struct cf_task_event *task)
{
   (void)user, (void)task;
}

static void
see_load(void *user, const struct cf_task_event *task, const struct cf_vertex_load *load)
{
   (void)user, (void)task, (void)load;
}

static void
see_texel(void *user, const struct cf_task_event *task, const struct cf_texel *texel)
{
   (void)user, (void)task, (void)texel;
}

static void
see_footprint(void *user, const struct cf_task_event *task, const struct cf_footprint *footprint)
{
   (void)user, (void)task, (void)footprint;
}

static void
see_branch(void *user, const struct cf_task_event *task, const struct cf_branch *branch)
{
   (void)user, (void)task, (void)branch;
}

static void
see_reference(void *user, const struct cf_task_event *task, const struct cf_reference *reference)
{
   (void)user, (void)task, (void)reference;
}

static void
see_clear(void *user, const struct cf_clear_event *event)
{
   (void)user, (void)event;
}

static bool
wants_even_tiles(void *user, uint32_t tile_x, uint32_t tile_y)
{
   (void)user, (void)tile_y;
   return tile_x % 2 == 0;
}

/* Each function of tasks alone makes programs run step by step; no other does. */
static void
tasks_are_watched(void **state)
{
   (void)state;
   struct cf_observer watching[] = {
      { .task_begin = see_task },     { .instruction = see_task },    { .vertex_load = see_load },
      { .texel = see_texel },         { .footprint = see_footprint }, { .branch = see_branch },
      { .reference = see_reference }, { .task_end = see_task },
   };
   for (unsigned i = 0; i < sizeof(watching) / sizeof(watching[0]); i++) {
      assert_true(cf_observer_watches_tasks(&watching[i]));
      assert_true(cf_observer_watches_vertices(&watching[i]));
      watching[i].fragment_tasks = true;
      assert_true(cf_observer_watches_tasks(&watching[i]));
      assert_false(cf_observer_watches_vertices(&watching[i]));
   }
   const struct cf_observer other = { .clear = see_clear, .wants_tile = wants_even_tiles };
   assert_false(cf_observer_watches_tasks(&other));
   assert_false(cf_observer_watches_vertices(&other));
   assert_false(cf_observer_watches_tasks(NULL));
   assert_false(cf_observer_watches_vertices(NULL));
}

static void
tiles_are_asked_for(void **state)
{
   (void)state;
   const struct cf_observer all = { .fragment_tasks = true };
   struct cf_observer some = { .wants_tile = wants_even_tiles };
   assert_null(cf_observer_of_tile(NULL, 0, 0));
   assert_ptr_equal(cf_observer_of_tile(&all, 1, 0), &all);
   assert_ptr_equal(cf_observer_of_tile(&some, 2, 1), &some);
   assert_null(cf_observer_of_tile(&some, 1, 2));
   assert_false(cf_observer_leaves_tiles(&all));
   assert_false(cf_observer_leaves_tiles(&some));
   some.fragment_tasks = true;
   assert_true(cf_observer_leaves_tiles(&some));
}

static void
stages_have_names(void **state)
{
   (void)state;
   const struct cf_task_quad quad = { 0 };
   assert_string_equal(cf_stage_suffix(CF_SHADER_STAGE_VERTEX), "vert");
   assert_string_equal(cf_stage_suffix(CF_SHADER_STAGE_FRAGMENT), "frag");
   assert_string_equal(cf_stage_suffix(CF_SHADER_STAGE_GEOMETRY), "geom");
   assert_int_equal(cf_task_stage(&(struct cf_task_event){ .quad = &quad }),
                    CF_SHADER_STAGE_FRAGMENT);
   assert_int_equal(cf_task_stage(&(struct cf_task_event){ .geometry = true }),
                    CF_SHADER_STAGE_GEOMETRY);
   assert_int_equal(cf_task_stage(&(struct cf_task_event){ 0 }), CF_SHADER_STAGE_VERTEX);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(tasks_are_watched),
      cmocka_unit_test(tiles_are_asked_for),
      cmocka_unit_test(stages_have_names),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
