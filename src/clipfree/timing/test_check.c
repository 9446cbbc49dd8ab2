/* SPDX-License-Identifier: MIT */
/*
 * What a trace may say: the largest and smallest numbers that are allowed, and those next to them,
 * which are refused; programs whose constructs are closed, records that fit their tile and task.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "clipfree/isa/cf_isa.h"
#include "clipfree/timing/cf_sim_check.h"
#include "clipfree/timing/test_gpu.h"

#define LAST_ELEMENT (CF_SIM_ELEMENTS - 1)
#define BUFFERS (1u << 20)

static const char wrong_numbers[] =
   "a draw, program, texture, vertex or primitive has numbers that are not possible";
static const char wrong_record[] = "a tile has a record that is not possible";

/* One draw, one texture, two programs, and something of each other array. */
static void
make_chunk(struct cf_sim_chunk *c)
{
   const struct made_frame f = made_frame_default();
   make_frame(c, &f);
   c->op[0].element[LAST_ELEMENT] = (struct cf_sim_element){ .buffer = 0, .size_B = 64 };
   c->vertex_texel = calloc(1, sizeof(c->vertex_texel[0]));
   c->vertex_step = calloc(1, sizeof(c->vertex_step[0]));
   assert_true(c->vertex_texel && c->vertex_step);
   c->vertex_texels = c->vertex_texel_room = c->vertex_steps = c->vertex_step_room = 1;
   assert_null(cf_sim_check(c));
}

/* ------------------------------------------------------------------ numbers */

enum array { OP, TEXTURE, PROGRAM, VERTEX, PRIMITIVE, TEXEL, STEP };

struct number {
   enum array array;
   size_t at_B, size_B;
   uint32_t good, bad; /* neighbours */
};

#define NUMBER(array, type, member, good, bad)                                                     \
   {                                                                                               \
      array, offsetof(struct type, member), sizeof(((struct type *)0)->member), good, bad          \
   }
#define OF_OP(...) NUMBER(OP, cf_sim_op, __VA_ARGS__)
#define OF_TEXTURE(...) NUMBER(TEXTURE, cf_sim_texture, __VA_ARGS__)

static const struct number numbers[] = {
   OF_OP(width_px, 16384, 16385),
   OF_OP(height_px, 16384, 16385),
   OF_OP(samples, 1, 0),
   OF_OP(samples, CF_SAMPLES, CF_SAMPLES + 1),
   OF_OP(colors, CF_MAX_COLOR_TARGETS, CF_MAX_COLOR_TARGETS + 1),
   OF_OP(color_image[CF_MAX_COLOR_TARGETS - 1], 16383, 16384),
   OF_OP(zs_image, 16383, 16384),
   OF_OP(zs_image, CF_SIM_NONE, CF_SIM_NONE - 1),
   OF_OP(texture[CF_SIM_UNITS - 1], 0, 1),
   OF_OP(vertex_texture[CF_SIM_UNITS - 1], 0, 1),
   OF_OP(program[CF_SIM_STAGE_VERTEX], 1, 2),
   OF_OP(program[CF_SIM_STAGE_FRAGMENT], CF_SIM_NONE, CF_SIM_NONE - 1),
   OF_OP(constants[CF_SIM_STAGE_FRAGMENT], BUFFERS - 1, BUFFERS),
   OF_OP(element[LAST_ELEMENT].buffer, BUFFERS - 1, BUFFERS),
   OF_OP(element[LAST_ELEMENT].size_B, 64, 65),
   OF_OP(index_buffer, BUFFERS - 1, BUFFERS),
   OF_OP(index_B, 4, 5),
   OF_TEXTURE(width_px, 1, 0),
   OF_TEXTURE(width_px, 16384, 16385),
   OF_TEXTURE(height_px, 1, 0),
   OF_TEXTURE(height_px, 16384, 16385),
   OF_TEXTURE(layers, 1, 0),
   OF_TEXTURE(layers, 65536, 65537),
   OF_TEXTURE(levels, 1, 0),
   OF_TEXTURE(levels, CF_MAX_TEXTURE_LEVELS, CF_MAX_TEXTURE_LEVELS + 1),
   OF_TEXTURE(texel_bits, 1, 0),
   OF_TEXTURE(texel_bits, 256, 257),
   NUMBER(PROGRAM, cf_sim_program, vector_regs, 128, 129),
   NUMBER(PROGRAM, cf_sim_program, scalar_regs, 128, 129),
   NUMBER(PROGRAM, cf_sim_program, first, 0, UINT32_MAX),
   NUMBER(VERTEX, cf_sim_vertex, op, 0, 1),
   NUMBER(PRIMITIVE, cf_sim_primitive, op, 0, 1),
   NUMBER(TEXEL, cf_sim_vertex_texel, op, 0, 1),
   NUMBER(TEXEL, cf_sim_vertex_texel, texture_unit, CF_SIM_UNITS - 1, CF_SIM_UNITS),
   NUMBER(TEXEL, cf_sim_vertex_texel, level, CF_MAX_TEXTURE_LEVELS - 1, CF_MAX_TEXTURE_LEVELS),
   NUMBER(STEP, cf_sim_vertex_step, op, 0, 1),
};

static void
limits_of_numbers(void **state)
{
   (void)state;
   struct cf_sim_chunk c;
   make_chunk(&c);
   void *const array[] = { c.op,        c.texture,      c.program,    c.vertex,
                           c.primitive, c.vertex_texel, c.vertex_step };
   for (uint32_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
      const struct number *n = &numbers[i];
      uint8_t *at = (uint8_t *)array[n->array] + n->at_B, before[4];
      memcpy(before, at, n->size_B);
      memcpy(at, &n->good, n->size_B); /* little endian: the low bytes */
      if (cf_sim_check(&c))
         fail_msg("number %u of the table: %u is refused", i, n->good);
      memcpy(at, &n->bad, n->size_B);
      const char *why = cf_sim_check(&c);
      if (!why || strcmp(why, wrong_numbers))
         fail_msg("number %u of the table: %u is not refused", i, n->bad);
      memcpy(at, before, n->size_B);
   }
   assert_null(cf_sim_check(&c));
   cf_sim_chunk_free(&c);
}

/* Two operations: their vertices and primitives come in this order, and clears and transfers have
 * none. */
static void
vertices_are_those_of_draws_in_order(void **state)
{
   (void)state;
   static const struct {
      uint32_t flags, first, second; /* of operation 1; operations of two items */
      bool good;
   } cases[] = {
      { 0, 0, 1, true },
      { 0, 1, 1, true },
      { 0, 1, 0, false },
      { CF_SIM_GEOMETRY, 0, 1, true },
      { CF_SIM_CLEAR, 0, 1, false },
      { CF_SIM_CLEAR, 0, 0, true },
      { CF_SIM_TRANSFER, 0, 1, false },
   };
   struct made_frame f = made_frame_default();
   f.vertices = f.primitives = 2;
   for (uint32_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
      struct cf_sim_chunk c;
      make_frame(&c, &f);
      c.op = cf_sim_grow(c.op, c.ops, 1, &c.op_room, sizeof(c.op[0]));
      assert_non_null(c.op);
      c.op[1] = c.op[0];
      c.op[1].flags = cases[i / 2].flags;
      c.ops = 2;
      for (uint32_t k = 0; k < 2; k++)
         *(i % 2 ? &c.vertex[k].op : &c.primitive[k].op) =
            k ? cases[i / 2].second : cases[i / 2].first;
      assert_int_equal(!cf_sim_check(&c), cases[i / 2].good);
      cf_sim_chunk_free(&c);
   }
}

/* ------------------------------------------------------------------ programs */

#define MOST 160

/* The chunk's second program is replaced. */
static bool
program_is_good(const struct cf_instr *instr, uint32_t count)
{
   struct cf_sim_chunk c;
   make_chunk(&c);
   const uint32_t first = c.program[1].first;
   c.code = cf_sim_grow(c.code, first, count, &c.code_room, sizeof(c.code[0]));
   assert_non_null(c.code);
   for (uint32_t i = 0; i < count; i++)
      c.code[first + i] = cf_instr_encode(&instr[i]);
   c.program[1].count = count;
   c.codes = first + count;
   const char *why = cf_sim_check(&c);
   if (why)
      assert_string_equal(why, wrong_numbers);
   cf_sim_chunk_free(&c);
   return !why;
}

#define IF(target) cf_make_if(cf_v(1), target)
#define ELSE(target) cf_make_else(target)
#define ENDIF cf_make_endif()
#define LOOP cf_make_loop()
#define ENDLOOP(target) cf_make_endloop(target)
#define END cf_make_end()
#define GOOD(...) EXPECT(true, __VA_ARGS__)
#define BAD(...) EXPECT(false, __VA_ARGS__)
#define EXPECT(good, ...)                                                                          \
   do {                                                                                            \
      const struct cf_instr instr_[] = { __VA_ARGS__ };                                            \
      assert_int_equal(program_is_good(instr_, sizeof(instr_) / sizeof(instr_[0])), good);         \
   } while (0)

static void
constructs_are_closed(void **state)
{
   (void)state;
   GOOD(END);
   BAD(cf_make_fadd(cf_v(1), cf_v(2), cf_v(3)));
   BAD(END, END);
   GOOD(IF(1), ENDIF, END);
   GOOD(IF(1), ELSE(2), ENDIF, END);
   GOOD(LOOP, cf_make_brk(cf_v(1), 3), ENDLOOP(1), END);
   BAD(IF(1), END);
   BAD(LOOP, END);
   BAD(ELSE(1), ENDIF, END);
   BAD(IF(1), ELSE(2), ELSE(3), ENDIF, END);
   BAD(LOOP, ELSE(2), ENDIF, END);
   BAD(ENDIF, END);
   BAD(LOOP, ENDIF, END);
   BAD(ENDLOOP(0), END);
   BAD(IF(1), ENDLOOP(0), END);
   BAD(IF(1), ELSE(2), ENDLOOP(0), END);
}

/* Lanes that leave go forward, a loop back, and none goes out of the program. */
static void
targets(void **state)
{
   (void)state;
   BAD(IF(0), ENDIF, END);
   GOOD(IF(2), ENDIF, END);
   BAD(IF(3), ENDIF, END);
   BAD(IF(1), ELSE(1), ENDIF, END);
   GOOD(LOOP, ENDLOOP(1), END);
   GOOD(LOOP, ENDLOOP(0), END);
   BAD(LOOP, ENDLOOP(2), END);
   BAD(LOOP, cf_make_brk(cf_v(1), 1), ENDLOOP(1), END);
}

/* 64 constructs may be open. */
static void
nesting(void **state)
{
   (void)state;
   for (uint32_t depth = 64; depth <= 65; depth++) {
      struct cf_instr instr[MOST];
      for (uint32_t i = 0; i < depth; i++) {
         instr[i] = LOOP;
         instr[depth + i] = ENDLOOP(depth - i);
      }
      instr[2 * depth] = END;
      assert_int_equal(program_is_good(instr, 2 * depth + 1), depth == 64);
   }
}

/* Programs lie inside of the code, have an instruction at least, and all of them decode. */
static void
code_of_programs(void **state)
{
   (void)state;
   struct cf_sim_chunk c;
   make_chunk(&c);
   struct cf_sim_program *p = &c.program[1];
   const struct cf_sim_program whole = *p;
   p->count = 0;
   assert_string_equal(cf_sim_check(&c), wrong_numbers);
   p->count = whole.count + 1;
   assert_string_equal(cf_sim_check(&c), wrong_numbers);
   *p = whole;
   p->first++;
   assert_string_equal(cf_sim_check(&c), wrong_numbers);
   *p = whole;
   assert_null(cf_sim_check(&c));
   c.code[p->first] = UINT64_MAX;
   assert_string_equal(cf_sim_check(&c), wrong_numbers);
   cf_sim_chunk_free(&c);
}

/* An instruction's number has 16 bits. */
static void
longest_program(void **state)
{
   (void)state;
   const uint32_t most = UINT16_MAX + 1;
   struct cf_instr *instr = malloc((most + 1) * sizeof(instr[0]));
   assert_non_null(instr);
   for (uint32_t i = 0; i < most; i++)
      instr[i] = cf_make_fadd(cf_v(1), cf_v(2), cf_v(3));
   instr[most - 1] = instr[most] = END;
   assert_true(program_is_good(instr, most));
   instr[most - 1] = instr[0];
   assert_false(program_is_good(instr, most + 1));
   free(instr);
}

/* ------------------------------------------------------------------ records */

#define HEAD(kind, dwords, rest) ((uint32_t)(kind) | (dwords) << 4 | (uint32_t)(rest) << 16)
#define LEVEL(level) ((level) << 5)
#define SAME 1
#define MOVED (1 << (CF_SIM_MOVED_BIT - 16))
#define AT(x_px, y_px) ((x_px) | (uint32_t)(y_px) << 16)
/* Of one quad: its lanes are 0 to 3. */
#define OWN_SAMPLE HEAD(CF_SIM_SAMPLE, 11, 0), 15, 0, 0, 0, 0, 0, 0, 0, 0, 0
#define TOO_MANY_LEVELS LEVEL(CF_MAX_TEXTURE_LEVELS)

/* The records of a tile; `task`: those of a task of a quad come before them. */
static const struct {
   uint32_t tile, count;
   bool task, good;
   uint32_t dw[24];
} records[] = {
   { 0, 0, true, true, { 0 } },
   { 0, 1, true, false, { HEAD(CF_SIM_BRANCH, 0, 0) } },
   { 0, 4, true, false, { HEAD(8, 4, 0) } },
   { 0, 11, true, true, { OWN_SAMPLE } },
   { 0, 11, false, false, { OWN_SAMPLE } },
   { 0, 10, true, false, { OWN_SAMPLE } }, /* it does not fit */
   { 0, 10, true, false, { HEAD(CF_SIM_SAMPLE, 10, 0), 15 } },
   { 0, 11, true, false, { HEAD(CF_SIM_SAMPLE, 11, 0), 0 } },
   { 0, 11, true, false, { HEAD(CF_SIM_SAMPLE, 11, 0), 16 } },
   { 0, 11, true, true, { HEAD(CF_SIM_SAMPLE, 11, LEVEL(CF_MAX_TEXTURE_LEVELS - 1)), 8 } },
   { 0, 11, true, false, { HEAD(CF_SIM_SAMPLE, 11, TOO_MANY_LEVELS), 8 } },
   { 0, 8, true, false, { HEAD(CF_SIM_SAMPLE, 8, MOVED), 1 } }, /* nothing that it is moved from */
   { 0, 19, true, true, { OWN_SAMPLE, HEAD(CF_SIM_SAMPLE, 8, MOVED), 1 } },
   { 0, 20, true, false, { OWN_SAMPLE, HEAD(CF_SIM_SAMPLE, 9, MOVED), 1 } },
   { 0, 4, true, true, { HEAD(CF_SIM_TEXEL, 4, LEVEL(CF_MAX_TEXTURE_LEVELS - 1)), 3 } },
   { 0, 4, true, false, { HEAD(CF_SIM_TEXEL, 4, TOO_MANY_LEVELS), 3 } },
   { 0, 4, true, false, { HEAD(CF_SIM_TEXEL, 4, 0), 4 } },
   { 0, 5, true, false, { HEAD(CF_SIM_TEXEL, 5, 0), 3 } },
   { 0, 4, false, false, { HEAD(CF_SIM_TEXEL, 4, 0), 3 } },
   { 0, 4, true, true, { HEAD(CF_SIM_BRANCH, 4, 0), 15 } },
   { 0, 5, true, false, { HEAD(CF_SIM_BRANCH, 5, 0), 15 } },
   { 0, 4, false, false, { HEAD(CF_SIM_BRANCH, 4, 0), 15 } },
   { 0, 4, true, true, { HEAD(CF_SIM_REFERENCE, 4, SAME), 15 } },
   { 0, 7, true, false, { HEAD(CF_SIM_REFERENCE, 7, SAME), 15 } },
   { 0, 7, true, true, { HEAD(CF_SIM_REFERENCE, 7, 0), 15 } },
   { 0, 4, true, false, { HEAD(CF_SIM_REFERENCE, 4, 0), 15 } },
   { 0, 4, false, false, { HEAD(CF_SIM_REFERENCE, 4, SAME), 15 } },
   { 0, 4, false, true, { HEAD(CF_SIM_EARLY_TEST, 4, 0), 0, 0, AT(63, 63) } },
   { 0, 4, false, false, { HEAD(CF_SIM_EARLY_TEST, 4, 0), 0, 0, AT(64, 63) } },
   { 0, 4, false, false, { HEAD(CF_SIM_EARLY_TEST, 4, 0), 0, 0, AT(63, 64) } },
   { 257, 4, false, true, { HEAD(CF_SIM_EARLY_TEST, 4, 0), 0, 0, AT(64, 127) } },
   { 257, 4, false, false, { HEAD(CF_SIM_EARLY_TEST, 4, 0), 0, 0, AT(63, 127) } },
   { 0, 4, false, false, { HEAD(CF_SIM_EARLY_TEST, 4, 0), 1, 0, 0 } },
   { 0, 5, false, false, { HEAD(CF_SIM_EARLY_TEST, 5, 0), 0, 0, 0 } },
   { 0, 4, false, true, { HEAD(CF_SIM_CLEARED, 4, 1), 0, AT(63, 0), AT(64, 64) } },
   { 0, 4, false, false, { HEAD(CF_SIM_CLEARED, 4, 1), 0, AT(64, 0), AT(65, 64) } },
   { 0, 4, false, false, { HEAD(CF_SIM_CLEARED, 4, 1), 1, 0, AT(64, 64) } },
   { 0, 5, false, false, { HEAD(CF_SIM_CLEARED, 5, 1), 0, 0, AT(64, 64) } },
   { 0, 14, false, false, { HEAD(CF_SIM_TASK, 14, 0) } },
   { 0, 16, false, true, { HEAD(CF_SIM_TASK, 16, 1) } },
   { 0, 16, false, false, { HEAD(CF_SIM_TASK, 16, 1), 1 } },
   { 0, 18, false, false, { HEAD(CF_SIM_TASK, 18, 1) } },
   { 0, 18, false, true, { HEAD(CF_SIM_TASK, 18, 2), [17] = AT(62, 62) } },
   { 0, 18, false, false, { HEAD(CF_SIM_TASK, 18, 2), [17] = AT(0, 64) } },
};

static void
add(struct cf_sim_tile *tile, const uint32_t *dw, uint32_t count)
{
   uint32_t *to = cf_sim_tile_room(tile, count);
   assert_non_null(to);
   memcpy(to, dw, 4 * count);
   tile->count += count;
}

static void
records_fit(void **state)
{
   (void)state;
   struct cf_sim_chunk c;
   make_chunk(&c);
   for (uint32_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
      struct cf_sim_tile *tile = cf_sim_chunk_tile(&c, records[i].tile);
      const uint32_t task[16] = { HEAD(CF_SIM_TASK, 16, 1) };
      tile->count = 0;
      if (records[i].task)
         add(tile, task, 16);
      if (records[i].count)
         add(tile, records[i].dw, records[i].count);
      const char *why = cf_sim_check(&c);
      if (records[i].good != !why)
         fail_msg("records %u of the table: %s", i, why ? why : "they are not refused");
      if (why)
         assert_string_equal(why, wrong_record);
      tile->count = 0;
   }
   cf_sim_chunk_free(&c);
}

/* A task of nine quads: they are more than eight, though they all lie in the tile. */
static void
tasks_have_eight_quads(void **state)
{
   (void)state;
   struct cf_sim_chunk c;
   make_chunk(&c);
   struct cf_sim_tile *tile = cf_sim_chunk_tile(&c, 0);
   for (uint32_t quads = 8; quads <= 9; quads++) {
      uint32_t task[CF_SIM_TASK_DW + 18] = { HEAD(CF_SIM_TASK, CF_SIM_TASK_DW + 2 * quads, quads) };
      tile->count = 0;
      add(tile, task, CF_SIM_TASK_DW + 2 * quads);
      assert_int_equal(cf_sim_check(&c) == NULL, quads == 8);
   }
   cf_sim_chunk_free(&c);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_of_numbers),
      cmocka_unit_test(vertices_are_those_of_draws_in_order),
      cmocka_unit_test(constructs_are_closed),
      cmocka_unit_test(targets),
      cmocka_unit_test(nesting),
      cmocka_unit_test(code_of_programs),
      cmocka_unit_test(longest_program),
      cmocka_unit_test(records_fit),
      cmocka_unit_test(tasks_have_eight_quads),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
