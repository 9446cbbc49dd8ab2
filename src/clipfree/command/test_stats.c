/* SPDX-License-Identifier: MIT */
/*
 * Statistics of draws, clears and transfers: known ones have the numbers that one counts by hand;
 * numbers do not depend on threads, host level or where chunks begin; those of a frame's rows add
 * up to the frame's, which the passes counted by themselves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/test_gpu.h"
#include "clipfree/command/test_picture.h"
#include "clipfree/interface/cf_note.h"
#include "clipfree/profile/test_table.h"

#define WIDTH 200
#define HEIGHT 150
#define LONG_STRIP 6000 /* elements: more than four chunks */

struct scene {
   struct test_gpu t;
   struct test_surface color, zs;
   char name[TEST_NAME_B];
};

static void
scene_open(struct scene *s, struct cf_model_config config, uint32_t samples)
{
   test_make_name(s->name);
   config.stats = s->name;
   test_gpu_open_on(&s->t, test_model_of(config));
   test_surface_create_samples(&s->t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, samples);
   test_surface_create_samples(&s->t, &s->zs, CF_FORMAT_Z24_UNORM_S8_UINT, WIDTH, HEIGHT, samples);
   test_emit_frame(&s->t, &s->color, &s->zs);
   test_emit_positions(&s->t);
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = test_varyings_program(&s->t));
}

/* End the frame, if it is not the one that closing ends, and read the file. */
static void
scene_close(struct scene *s, struct test_table *table)
{
   test_frame_close(&s->t, &s->color, &s->zs);
   test_read_table(table, s->name);
   unlink(s->name);
}

static void
emit_draw(struct scene *s, const float (*position)[4], uint32_t count, enum cf_prim_kind prim)
{
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   const uint32_t size_B = count * sizeof(position[0]);
   cf_vertex_element_pack(dw, &(struct cf_vertex_element){
                                 .address = test_put(&s->t, position, size_B),
                                 .size_B = size_B,
                                 .stride_B = sizeof(position[0]),
                                 .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(&s->t, vertex_elements, .count = 1, .address = test_put(&s->t, dw, sizeof(dw)));
   EMIT(&s->t, draw, .prim = prim, .count = count, .instances = 1);
}

/* A strip of two triangles over pixels (left, top) .. (right, bottom). */
static void
emit_quad(struct scene *s, float left_px, float top_px, float right_px, float bottom_px, float z)
{
   const float x0 = left_px / WIDTH * 2 - 1, x1 = right_px / WIDTH * 2 - 1;
   const float y0 = top_px / HEIGHT * 2 - 1, y1 = bottom_px / HEIGHT * 2 - 1;
   const float position[4][4] = {
      { x0, y0, z, 1 }, { x1, y0, z, 1 }, { x0, y1, z, 1 }, { x1, y1, z, 1 }
   };
   emit_draw(s, position, 4, CF_PRIM_KIND_TRIANGLE_STRIP);
}

/* ------------------------------------------------------------------ known draws */

/* A square of 64 by 64 pixels, hidden in part by one that was drawn before; one off the screen.
 * Clears between them have rows of their own. */
static void
emit_known(struct scene *s)
{
   EMIT(&s->t, depth_stencil, .depth_test = true, .depth_write = true,
        .depth_func = CF_COMPARE_LESS);
   EMIT(&s->t, clear, .colors = 1, .depth = true, .depth_value = 1.0f, .max_x_px = WIDTH,
        .max_y_px = HEIGHT);
   emit_quad(s, 0, 0, 16, 64, 0.0f);
   emit_quad(s, 0, 0, 64, 64, 0.5f);
   EMIT(&s->t, clear, .colors = 1, .min_x_px = 10, .max_x_px = 20, .max_y_px = 64);
   EMIT(&s->t, depth_stencil, .depth_test = false);
   emit_quad(s, 300, 0, 400, 64, 0.0f);
   test_submit(&s->t);
}

struct known {
   enum cf_stat stat;
   uint64_t number[3]; /* by draw */
};

static void
assert_known(const struct test_table *table, uint32_t samples)
{
   const struct known known[] = {
      { CF_STAT_FRAME, { 0, 0, 0 } },
      { CF_STAT_SUBMISSION, { 0, 0, 0 } },
      { CF_STAT_DRAW, { 0, 1, 2 } },
      { CF_STAT_ELEMENTS, { 4, 4, 4 } },
      { CF_STAT_INSTANCES, { 1, 1, 1 } },
      { CF_STAT_PRIMITIVES, { 2, 2, 2 } },
      { CF_STAT_SET_UP, { 2, 2, 0 } },
      { CF_STAT_VERTICES, { 4, 4, 4 } },
      { CF_STAT_VERTEX_TASKS, { 1, 1, 1 } },
      { CF_STAT_POSITION_TASKS, { 0, 0, 0 } },
      { CF_STAT_VERTEX_INSTRUCTIONS, { 11, 11, 11 } },
      { CF_STAT_SHADED, { 1024, 4096 - 1024, 0 } },
      { CF_STAT_FRAGMENTS, { samples * 1024, samples * (4096 - 1024), 0 } },
      { CF_STAT_FRAGMENT_INSTRUCTIONS, { 9, 9, 9 } },
      { CF_STAT_HIDDEN, { 0, 0, 0 } },
   };
   for (uint32_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
      for (uint32_t draw = 0; draw < 3; draw++) {
         if (test_number(table, 1 + draw, known[i].stat) != known[i].number[draw])
            fail_msg("draw %u has %s %s", draw,
                     table->cell[1 + draw][CF_STAT_TEXTS + known[i].stat],
                     cf_stats_columns[CF_STAT_TEXTS + known[i].stat].name);
      }
   }
}

static void
known_draws_have_known_numbers(void **state)
{
   static struct test_table table;
   for (int threads = 0; threads <= 2; threads++) {
      for (uint32_t samples = 1; samples <= CF_SAMPLES; samples += CF_SAMPLES - 1) {
         struct scene s;
         scene_open(&s, (struct cf_model_config){ .threads = threads }, samples);
         emit_known(&s);
         scene_close(&s, &table);
         assert_int_equal(table.lines, 1 + 5 + 1);
         assert_int_equal(test_number(&table, 6, CF_STAT_DRAWS), 3);
         assert_int_equal(test_number(&table, 6, CF_STAT_CLEARS), 2);
         assert_int_equal(test_number(&table, 6, CF_STAT_SUBMISSIONS), 1);
         test_keep_rows(&table, "draw");
         assert_int_equal(table.lines, 1 + 3);
         assert_known(&table, samples);
         assert_string_equal(table.cell[1][CF_STAT_PRIM_KIND], "triangle_strip");
         assert_memory_equal(table.cell[1][CF_STAT_VERTEX_PROGRAM], "clipfree_vs_", 12);
         assert_memory_equal(table.cell[1][CF_STAT_FRAGMENT_PROGRAM], "clipfree_fs_", 12);
         test_free_table(&table);
      }
   }
}

/* The plain path counts all that is covered: what the early test hid is shaded, too. */
static void
plain_counts_do_not_depend_on_what_is_skipped(void **state)
{
   static struct test_table table;
   for (uint32_t samples = 1; samples <= CF_SAMPLES; samples += CF_SAMPLES - 1) {
      struct scene s;
      scene_open(&s, (struct cf_model_config){ .path = CF_PATH_PLAIN }, samples);
      emit_known(&s);
      scene_close(&s, &table);
      test_keep_rows(&table, "draw");
      assert_int_equal(table.lines, 1 + 3);
      const uint64_t shaded[3] = { 1024, 4096, 0 }, passed[3] = { 1024, 4096 - 1024, 0 };
      for (uint32_t i = 0; i < 3; i++) {
         assert_int_equal(test_number(&table, 1 + i, CF_STAT_SHADED), shaded[i]);
         assert_int_equal(test_number(&table, 1 + i, CF_STAT_FRAGMENTS), samples * passed[i]);
         assert_int_equal(test_number(&table, 1 + i, CF_STAT_HIDDEN), 0);
      }
      test_free_table(&table);
   }
}

/* ------------------------------------------------------------------ clears and transfers */

struct known_operation {
   const char *kind;
   uint64_t cleared, tiles, transferred, size_B, resolved;
};

/* Clears at once, in a pass and of a part; transfers to images and buffers. */
static void
emit_operations(struct scene *s, const struct test_surface *other)
{
   const uint64_t buffer = test_put(&s->t, (uint32_t[64]){ 0 }, 256);
   EMIT(&s->t, clear, .colors = 1, .depth = true, .depth_value = 1.0f, .max_x_px = 16384,
        .max_y_px = 16384);
   /* known wholly; known but for the stencil */
   EMIT(&s->t, copy, .source = s->color.address, .destination = other->address, .width_px = 10,
        .height_px = 7);
   EMIT(&s->t, copy, .source = s->zs.address, .destination = other->address, .width_px = 10,
        .height_px = 7);
   EMIT(&s->t, resolve, .surface = s->color.address);
   emit_quad(s, 0, 0, 16, 64, 0.0f);
   EMIT(&s->t, clear, .colors = 1, .min_x_px = 63, .min_y_px = 64, .max_x_px = 129,
        .max_y_px = 128);
   EMIT(&s->t, copy, .source = s->color.address, .destination = other->address, .source_x_px = 20,
        .destination_x_px = 30, .width_px = 100, .height_px = 80);
   EMIT(&s->t, fill_buffer, .destination = buffer, .size_B = 128, .value = 7);
   EMIT(&s->t, copy_buffer, .source = buffer, .destination = buffer + 128, .size_B = 100);
   EMIT(&s->t, invalidate, .surface = s->zs.address);
   emit_quad(s, 0, 0, 16, 64, 0.0f);
   test_submit(&s->t);
}

static void
assert_operations(const struct test_table *table, const struct known_operation *known,
                  uint32_t count)
{
   static const enum cf_stat stats[] = { CF_STAT_CLEARED, CF_STAT_CLEARED_TILES,
                                         CF_STAT_TRANSFERRED, CF_STAT_TRANSFERRED_B,
                                         CF_STAT_RESOLVED_TILES };
   uint64_t packet = 0, sum[5] = { 0 };
   assert_int_equal(table->lines, 1 + count + 1);
   for (uint32_t i = 0; i < count; i++) {
      const uint64_t number[5] = { known[i].cleared, known[i].tiles, known[i].transferred,
                                   known[i].size_B, known[i].resolved };
      assert_string_equal(table->cell[1 + i][CF_STAT_KIND], known[i].kind);
      assert_true(test_number(table, 1 + i, CF_STAT_PACKET) > packet); /* in their order */
      packet = test_number(table, 1 + i, CF_STAT_PACKET);
      for (uint32_t k = 0; k < 5; k++) {
         if (test_number(table, 1 + i, stats[k]) != number[k])
            fail_msg("%s, row %u: %s %s", known[i].kind, i,
                     cf_stats_columns[CF_STAT_TEXTS + stats[k]].name,
                     table->cell[1 + i][CF_STAT_TEXTS + stats[k]]);
         sum[k] += number[k];
      }
   }
   for (uint32_t k = 0; k < 5; k++)
      assert_int_equal(test_number(table, 1 + count, stats[k]), sum[k]);
   assert_int_equal(test_number(table, 1 + count, CF_STAT_CLEARS), 2);
   assert_int_equal(test_number(table, 1 + count, CF_STAT_TRANSFERS), 7);
   assert_true(test_number(table, 7, CF_STAT_UNIT_NS + CF_UNIT_COPIES - 1) > 0);
   assert_true(test_number(table, 1, CF_STAT_UNIT_NS + CF_UNIT_CLEARS - 1) > 0);
   assert_true(test_number(table, 6, CF_STAT_UNIT_NS + CF_UNIT_CLEARS - 1) > 0);
   assert_true(test_number(table, 1 + count, CF_STAT_UNIT_NS + CF_UNIT_COPIES - 1) >=
               test_number(table, 7, CF_STAT_UNIT_NS + CF_UNIT_COPIES - 1));
}

static void
clears_and_transfers_have_known_numbers(void **state)
{
   static struct test_table table;
   for (int threads = 0; threads <= 3; threads++) {
      for (uint32_t i = 0; i < 4; i++) {
         const uint32_t samples = i % 2 ? CF_SAMPLES : 1;
         const enum cf_path path = i < 2 ? CF_PATH_NORMAL : CF_PATH_PLAIN;
         const struct known_operation known[] = {
            { "clear", 2 * WIDTH * HEIGHT, 2 * 4 * 3, 0, 0, 0 },
            { "copy", 0, 0, 70, 70 * 4 * samples, 0 },
            { "copy", 0, 0, 70, 70 * 4 * samples, path == CF_PATH_NORMAL ? 4 * 3 : 0 },
            { "resolve", 0, 0, 0, 0, path == CF_PATH_NORMAL ? 4 * 3 : 0 },
            { "draw", 0, 0, 0, 0, 0 },
            { "clear", 66 * 64, 3, 0, 0, 0 },
            { "copy", 0, 0, 8000, 8000 * 4 * samples, 0 },
            { "fill_buffer", 0, 0, 0, 128, 0 },
            { "copy_buffer", 0, 0, 0, 100, 0 },
            { "invalidate", 0, 0, 0, 0, 0 },
            { "draw", 0, 0, 0, 0, 0 },
         };
         struct scene s;
         struct test_surface other;
         scene_open(&s, (struct cf_model_config){ .threads = threads, .path = path }, samples);
         test_surface_create_samples(&s.t, &other, CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT,
                                     samples);
         emit_operations(&s, &other);
         test_no_error(&s.t);
         test_surface_free(&s.t, &other);
         scene_close(&s, &table);
         assert_operations(&table, known, sizeof(known) / sizeof(known[0]));
         test_free_table(&table);
      }
   }
}

/* ------------------------------------------------------------------ notes */

static void
note_next_draw(struct scene *s, const char *call)
{
   struct cf_note note = { 0 };
   /* a quad's draw follows the packet of its vertex elements */
   const uint64_t packet =
      s->t.commands.address + 4 * (s->t.count + CF_VERTEX_ELEMENTS_DWORDS);
   cf_note_add_text(&note, CF_NOTE_CALL, call, strlen(call));
   cf_note_add_text(&note, CF_NOTE_GROUP, "world", 5);
   cf_note_add_text(&note, CF_NOTE_GROUP, "trees", 5);
   s->t.gpu->ops->note(s->t.gpu, packet, note.data, note.size_B);
   cf_note_free(&note);
}

/* Draws have what their notes say; a later draw at the same address has nothing of it. */
static void
draws_have_what_was_noted(void **state)
{
   static struct test_table table;
   for (int threads = 0; threads <= 2; threads++) {
      struct scene s;
      scene_open(&s, (struct cf_model_config){ .threads = threads }, 1);
      assert_int_equal(s.t.gpu->ops->get_param(s.t.gpu, CF_PARAM_NOTES), CF_GPU_NOTES);
      for (uint32_t i = 0; i < 2; i++) {
         if (i == 0)
            note_next_draw(&s, "glDrawArrays(GL_TRIANGLE_STRIP, 0, 4)");
         emit_quad(&s, 0, 0, 16, 64, 0);
         test_submit(&s.t);
         test_emit_frame(&s.t, &s.color, &s.zs);
         test_emit_positions(&s.t);
         EMIT(&s.t, shader, .stage = CF_SHADER_STAGE_FRAGMENT,
              .program = test_varyings_program(&s.t));
      }
      scene_close(&s, &table);
      assert_int_equal(table.lines, 1 + 2 + 1);
      assert_string_equal(table.cell[1][CF_STAT_PACKET + CF_STAT_TEXTS],
                          table.cell[2][CF_STAT_PACKET + CF_STAT_TEXTS]);
      assert_string_equal(table.cell[1][CF_STAT_CALL], "glDrawArrays(GL_TRIANGLE_STRIP, 0, 4)");
      assert_string_equal(table.cell[1][CF_STAT_GROUP], "world / trees");
      assert_string_equal(table.cell[2][CF_STAT_CALL], "");
      assert_string_equal(table.cell[2][CF_STAT_GROUP], "");
      test_free_table(&table);
   }
   struct test_gpu t;
   test_gpu_open_on(&t, test_model_of((struct cf_model_config){ 0 }));
   assert_int_equal(t.gpu->ops->get_param(t.gpu, CF_PARAM_NOTES), CF_GPU_NO_NOTES);
   test_gpu_close(&t);
}

/* A draw of no instance has no row, and the next one at its address nothing of its note. */
static void
notes_of_no_row_are_dropped(void **state)
{
   static struct test_table table;
   for (int threads = 0; threads <= 2; threads++) {
      struct scene s;
      uint64_t packet[2];
      scene_open(&s, (struct cf_model_config){ .threads = threads }, 1);
      for (uint32_t i = 0; i < 2; i++) {
         if (i == 0)
            note_next_draw(&s, "glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, 0)");
         emit_quad(&s, 0, 0, 16, 64, 0);
         uint32_t *const dw = s.t.dw + s.t.count - CF_DRAW_DWORDS;
         packet[i] = s.t.commands.address + 4 * (s.t.count - CF_DRAW_DWORDS);
         if (i == 0)
            cf_draw_pack(dw, &(struct cf_draw){ .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .count = 4 });
         test_submit(&s.t);
         test_emit_frame(&s.t, &s.color, &s.zs);
         test_emit_positions(&s.t);
         EMIT(&s.t, shader, .stage = CF_SHADER_STAGE_FRAGMENT,
              .program = test_varyings_program(&s.t));
      }
      scene_close(&s, &table);
      assert_true(packet[0] == packet[1]);
      assert_int_equal(table.lines, 1 + 1 + 1);
      assert_string_equal(table.cell[1][CF_STAT_CALL], "");
      assert_string_equal(table.cell[1][CF_STAT_GROUP], "");
      test_free_table(&table);
   }
}

/* Draws that share tasks otherwise are told apart, and have time where they had work. */
static void
small_draws_are_told_apart(void **state)
{
   static struct test_table table;
   for (int threads = 0; threads <= 2; threads++) {
      struct scene s;
      scene_open(&s, (struct cf_model_config){ .threads = threads }, 1);
      for (uint32_t i = 0; i < 40; i++)
         emit_quad(&s, 4, 4, 4 + (float)i, 8, 0);
      test_submit(&s.t);
      scene_close(&s, &table);
      assert_int_equal(table.lines, 1 + 40 + 1);
      for (uint32_t i = 0; i < 40; i++) {
         assert_int_equal(test_number(&table, 1 + i, CF_STAT_DRAW), i);
         assert_int_equal(test_number(&table, 1 + i, CF_STAT_FRAGMENTS), 4 * i);
         assert_int_equal(test_number(&table, 1 + i, CF_STAT_SHADED), 4 * i);
         assert_int_equal(test_number(&table, 1 + i, CF_STAT_VERTICES), 4);
         assert_true(test_number(&table, 1 + i, CF_STAT_UNIT_NS + CF_UNIT_STATE - 1) > 0);
         assert_true(test_number(&table, 1 + i, CF_STAT_UNIT_NS + CF_UNIT_VERTICES - 1) > 0);
         assert_int_equal(test_number(&table, 1 + i, CF_STAT_UNIT_NS + CF_UNIT_SHADING - 1) > 0,
                          i > 0);
      }
      test_free_table(&table);
   }
}

/* Chunks of a long strip begin elsewhere with more threads, unless draws are counted: the vertices
 * where two meet are shaded twice. */
static void
a_long_strip_is_cut_alike(void **state)
{
   static struct test_table table;
   static float position[LONG_STRIP][4];
   for (uint32_t i = 0; i < LONG_STRIP; i++)
      memcpy(position[i], (float[4]){ (float)i / LONG_STRIP, i % 2 ? 0.5f : 0, 0, 1 },
             sizeof(position[i]));
   uint64_t vertices = 0;
   for (int threads = 0; threads <= 5; threads++) {
      struct scene s;
      scene_open(&s, (struct cf_model_config){ .threads = threads }, 1);
      emit_draw(&s, (const float(*)[4])position, LONG_STRIP, CF_PRIM_KIND_TRIANGLE_STRIP);
      test_submit(&s.t);
      scene_close(&s, &table);
      vertices = threads == 0 ? test_number(&table, 1, CF_STAT_VERTICES) : vertices;
      assert_int_equal(test_number(&table, 1, CF_STAT_PRIMITIVES), LONG_STRIP - 2);
      assert_int_equal(test_number(&table, 1, CF_STAT_VERTICES), vertices);
      assert_true(vertices > LONG_STRIP);
      test_free_table(&table);
   }
}

/* ------------------------------------------------------------------ random draws */

static uint64_t
render(struct cf_model_config config, const struct test_picture *p, struct test_table *table)
{
   char name[TEST_NAME_B];
   test_make_name(name);
   config.stats = name;
   const uint64_t hash = test_picture_render(test_model_of(config), p, 7);
   test_read_table(table, name);
   unlink(name);
   return hash;
}

/* All numbers that are said to be the same. */
static void
assert_equal(const struct test_table *a, const struct test_table *b)
{
   assert_int_equal(a->lines, b->lines);
   for (uint32_t line = 0; line < a->lines; line++) {
      for (uint32_t i = 0; i < TEST_COLUMNS; i++) {
         if ((cf_stats_columns[i].rows & CF_STAT_FIXED) &&
             strcmp(a->cell[line][i], b->cell[line][i]) != 0)
            fail_msg("line %u, %s: %s, %s", line, cf_stats_columns[i].name, a->cell[line][i],
                     b->cell[line][i]);
      }
   }
}

/* Each number that a frame has and its other rows have adds up. */
static void
assert_sums(const struct test_table *table)
{
   const uint32_t others = CF_STAT_OF_DRAW | CF_STAT_OF_CLEAR | CF_STAT_OF_TRANSFER,
                  frame = table->lines - 1;
   for (enum cf_stat stat = CF_STAT_PACKET; stat < CF_STAT_WALL_NS; stat++) {
      uint64_t sum = 0;
      const uint32_t rows = cf_stats_columns[CF_STAT_TEXTS + stat].rows;
      if (!(rows & others) || !(rows & CF_STAT_OF_FRAME))
         continue;
      for (uint32_t line = 1; line < frame; line++)
         sum += test_number(table, line, stat);
      if (sum != test_number(table, frame, stat))
         fail_msg("%s: rows have %u, the frame %u",
                  cf_stats_columns[CF_STAT_TEXTS + stat].name, (unsigned)sum,
                  (unsigned)test_number(table, frame, stat));
   }
   assert_string_equal(table->cell[frame][CF_STAT_KIND], "frame");
   assert_true(test_number(table, frame, CF_STAT_FRAGMENTS) > 10000);
   assert_true(test_number(table, frame, CF_STAT_CLEARS) > 1);
   assert_true(test_number(table, frame, CF_STAT_CLEARED) > 10000);
}

/* Pictures do not change either. */
static void
numbers_are_fixed_and_add_up(void **state)
{
   static struct test_table first, other;
   static const struct cf_model_config configs[] = {
      { .threads = 1 },
      { .threads = 2 },
      { .threads = 5 },
      { .threads = 2, .host_level = 1 + CF_HOST_BASE },
   };
   const uint64_t seeds[] = { 0x1d, 0x2f00d, 0x3beef };
   for (uint32_t i = 0; i < 3; i++) {
      struct test_picture *p = test_picture_make(seeds[i], i < 2 ? 1 : CF_SAMPLES);
      const uint64_t expected = test_picture_render(test_model(0, cf_host_level()), p, 7);
      assert_true(render((struct cf_model_config){ 0 }, p, &first) == expected);
      assert_sums(&first);
      for (uint32_t k = 0; k < sizeof(configs) / sizeof(configs[0]); k++) {
         assert_true(render(configs[k], p, &other) == expected);
         assert_sums(&other);
         assert_equal(&first, &other);
         test_free_table(&other);
      }
      test_free_table(&first);
      test_picture_free(p);
   }
}

/* A file that cannot be made: a message, and everything goes on. */
static void
without_a_file_all_goes_on(void **state)
{
   struct scene s;
   static struct test_table table;
   scene_open(&s, (struct cf_model_config){ 0 }, 1);
   emit_known(&s);
   scene_close(&s, &table);
   struct test_gpu t;
   test_gpu_open_on(&t, test_model_of((struct cf_model_config){ .stats = "/nonexistent/s.csv" }));
   test_submit(&t);
   t.gpu->ops->end_frame(t.gpu, NULL);
   test_no_error(&t);
   test_gpu_close(&t);
   test_free_table(&table);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_draws_have_known_numbers),
      cmocka_unit_test(plain_counts_do_not_depend_on_what_is_skipped),
      cmocka_unit_test(clears_and_transfers_have_known_numbers),
      cmocka_unit_test(draws_have_what_was_noted),
      cmocka_unit_test(notes_of_no_row_are_dropped),
      cmocka_unit_test(small_draws_are_told_apart),
      cmocka_unit_test(a_long_strip_is_cut_alike),
      cmocka_unit_test(numbers_are_fixed_and_add_up),
      cmocka_unit_test(without_a_file_all_goes_on),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
