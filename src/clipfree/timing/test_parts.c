/* SPDX-License-Identifier: MIT */
/*
 * Parts of simulated machines by themselves: what is decoded of instructions, where textures and
 * images are placed, which lines a sample touches.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "clipfree/timing/cf_sim_code.h"
#include "clipfree/timing/cf_sim_gpu.h"
#include "clipfree/timing/cf_sim_layout.h"
#include "clipfree/timing/cf_sim_texels.h"

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof(*(table))))

/* ------------------------------------------------------------------ instructions */

/* What is known of an instruction beside its operation. */
struct known {
   enum cf_op_unit unit;
   bool fetches;
   uint32_t operands, constant;
   struct cf_sim_registers written, used;
};

static void
expect_of(uint64_t word, struct known known)
{
   static const struct cf_instr ends = { .op = CF_OP_END };
   uint64_t code[2] = { word, cf_instr_encode(&ends) };
   const struct cf_sim_chunk chunk = { .code = code, .codes = 2 };
   const struct cf_sim_program program = { .first = 0, .count = 2, .vector_regs = 128 };
   struct cf_sim_code decoded;
   assert_true(cf_sim_code_init(&decoded, &chunk, &program));
   const struct cf_sim_instr *to = &decoded.instr[0];
   assert_int_equal(to->unit, known.unit);
   assert_int_equal(to->fetches, known.fetches);
   assert_int_equal(to->operands, known.operands);
   assert_int_equal(to->constant, known.constant);
   assert_memory_equal(&to->written, &known.written, sizeof(to->written));
   assert_memory_equal(&to->used, &known.used, sizeof(to->used));
   assert_int_equal(decoded.instr[1].op, CF_OP_END);
   cf_sim_code_free(&decoded);
}

static void
expect(struct cf_instr instr, struct known known)
{
   expect_of(cf_instr_encode(&instr), known);
}

static struct cf_instr
tex(uint32_t first, uint32_t mask, enum cf_texmode mode)
{
   return cf_make_tex(cf_v(first), mask, 5, cf_v(0), cf_v(1), cf_v(0), cf_v(0), mode);
}

/* Registers are v0 to v127, then s0 to s127. What has a scalar result is of the scalar unit; tex
 * writes the registers of its mask, and fetches unless it asks for sizes or levels. */
static void
decoded(void **state)
{
   const struct known asks = { CF_OP_UNIT_MEMORY, false, 4, 0, { { 16 } }, { { 16 | 3 } } };
   (void)state;
   expect(cf_make_fadd(cf_v(1), cf_v(2), cf_v(64)),
          (struct known){ CF_OP_UNIT_ALU, false, 2, 0, { { 2 } }, { { 6, 1 } } });
   expect(cf_make_fadd(cf_s(1), cf_s(2), cf_s(64)),
          (struct known){ CF_OP_UNIT_SCALAR, false, 0, 0, { { 0, 0, 2 } }, { { 0, 0, 6, 1 } } });
   expect(cf_make_fadd(cf_v(1), cf_u(6), cf_v(2)),
          (struct known){ CF_OP_UNIT_ALU, false, 1, 7, { { 2 } }, { { 6 } } });
   expect(tex(62, 11, CF_TEXMODE_LOD), (struct known){ .unit = CF_OP_UNIT_MEMORY,
                                                       .fetches = true,
                                                       .operands = 4,
                                                       .written = { { 3ull << 62, 2 } },
                                                       .used = { { 3 | 3ull << 62, 2 } } });
   expect(tex(4, 1, CF_TEXMODE_SIZE), asks);
   expect(tex(4, 1, CF_TEXMODE_QUERY_LOD), asks);
   expect_of(~UINT64_C(0), (struct known){ .fetches = false }); /* no instruction */
}

/* ------------------------------------------------------------------ layouts */

/* Lines of 64 bytes: 4x4 texels of 32 bits, 2x1 of 256 bits, and of 1 bit 32x16. */
static void
textures_placed(void **state)
{
   static const struct {
      struct cf_sim_texture texture; /* one more than before */
      uint32_t x_shift, y_shift, lines;
   } cases[] = {
      { { 16, 16, 1, 1, 32 }, 2, 2, 16 + 4 + 13 }, /* each of the further levels has a line */
      { { 16, 16, 2, 1, 32 }, 2, 2, 2 * (16 + 4 + 13) },
      { { 2, 1, 1, 1, 256 }, 1, 0, 15 },
      { { 3, 1, 1, 1, 256 }, 1, 0, 2 + 14 },
      { { 32, 16, 1, 1, 1 }, 5, 4, 15 },
      { { 33, 16, 1, 1, 1 }, 5, 4, 2 + 14 },
   };
   struct cf_sim_machine m = cf_sim_machine_default();
   struct cf_sim_texture textures[COUNT(cases)];
   struct cf_sim_chunk chunk = { .texture = textures };
   struct cf_sim_layout layout;
   uint32_t lines = 0;
   (void)state;
   m.texture.line_B = 64;
   m.texture.layout = CF_SIM_TEXTURE_LAYOUT_BLOCKS;
   cf_sim_layout_init(&layout, &m);
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      textures[i] = cases[i].texture;
      chunk.textures = i + 1;
      assert_true(cf_sim_layout_chunk(&layout, &chunk));
      const struct cf_sim_placed_texture *t = &layout.texture[i];
      if (t->x_shift != cases[i].x_shift || t->y_shift != cases[i].y_shift ||
          t->level[0].first != lines || layout.texture_lines != lines + cases[i].lines)
         fail_msg("case %u: %u, %u, from %u to %u", i, t->x_shift, t->y_shift, t->level[0].first,
                  layout.texture_lines);
      lines = layout.texture_lines;
   }
   /* one that changes lies elsewhere; the others stay */
   textures[2].width_px = 1;
   assert_true(cf_sim_layout_chunk(&layout, &chunk));
   assert_int_equal(layout.texture[2].level[0].first, lines);
   assert_int_equal(layout.texture_lines, lines + 15);
   assert_int_equal(layout.texture[1].level[0].first, 33);
   cf_sim_layout_free(&layout);
}

/* A texel that is as large as a line, or larger, has a line of its own. */
static void
large_texels(void **state)
{
   struct cf_sim_machine m = cf_sim_machine_default();
   struct cf_sim_texture texture = { 4, 4, 1, 1, 256 };
   const struct cf_sim_chunk chunk = { .texture = &texture, .textures = 1 };
   struct cf_sim_layout layout;
   (void)state;
   for (uint32_t line_B = 32; line_B >= 16; line_B /= 2) {
      struct cf_sim_sample_lines lines = { 0 };
      m.texture.line_B = line_B;
      cf_sim_layout_init(&layout, &m);
      assert_true(cf_sim_layout_chunk(&layout, &chunk));
      const struct cf_sim_placed_texture *t = &layout.texture[0];
      assert_int_equal(t->x_shift, 0);
      assert_int_equal(t->y_shift, 0);
      assert_int_equal(t->level[1].first, 16);
      cf_sim_sample_lines_add(&lines, t, 0, 0, 3, 2);
      cf_sim_sample_lines_add(&lines, t, 0, 0, 3, 2);
      assert_int_equal(lines.lines, 1);
      assert_int_equal(lines.words, 1);
      assert_int_equal(lines.line[0], 11);
      assert_int_equal(lines.word[0], 22); /* it has no second half */
      cf_sim_layout_free(&layout);
   }
}

/* A memory has 2^30 lines. */
static void
no_lines_left(void **state)
{
   struct cf_sim_machine m = cf_sim_machine_default();
   struct cf_sim_texture texture = { 16384, 16384, 48, 1, 256 };
   struct cf_sim_op op = { .width_px = 16384,
                           .height_px = 16384,
                           .samples = 4,
                           .colors = 4,
                           .color_image = { 0, 1, 2, 3 },
                           .zs_image = CF_SIM_NONE };
   struct cf_sim_chunk chunk = { .texture = &texture, .textures = 1 };
   struct cf_sim_layout layout;
   (void)state;
   m.texture.line_B = 64;
   cf_sim_layout_init(&layout, &m);
   assert_false(cf_sim_layout_chunk(&layout, &chunk)); /* 48 layers of 2^27 lines */
   cf_sim_layout_free(&layout);

   chunk = (struct cf_sim_chunk){ .op = &op, .ops = 1 };
   m.z.line_width_px = m.z.line_height_px = 2;
   cf_sim_layout_init(&layout, &m);
   assert_true(cf_sim_layout_chunk(&layout, &chunk)); /* 4 images of 2^28, all that there are */
   assert_int_equal(layout.image_lines, 1u << 30);
   op.zs_image = 4;
   assert_false(cf_sim_layout_chunk(&layout, &chunk));
   cf_sim_layout_free(&layout);
   cf_sim_layout_init(&layout, &m);
   op.zs_image = CF_SIM_NONE;
   op.colors = 5;
   op.color_image[4] = 4;
   assert_false(cf_sim_layout_chunk(&layout, &chunk));
   cf_sim_layout_free(&layout);
}

/* An image that is drawn to as a larger one, or with more samples, is placed anew. */
static void
images_grow(void **state)
{
   static const struct {
      uint32_t width_px, height_px, samples, lines; /* lines: so far, of 4x4 pixels */
   } cases[] = {
      { 16, 8, 1, 8 },      { 16, 8, 1, 8 },       { 15, 7, 1, 8 },
      { 17, 8, 1, 8 + 10 }, { 16, 9, 1, 18 + 12 }, { 16, 9, 4, 30 + 48 },
   };
   struct cf_sim_machine m = cf_sim_machine_default();
   struct cf_sim_op op = { .colors = 1, .zs_image = CF_SIM_NONE };
   const struct cf_sim_chunk chunk = { .op = &op, .ops = 1 };
   struct cf_sim_layout layout;
   (void)state;
   m.z.line_width_px = m.z.line_height_px = 4;
   cf_sim_layout_init(&layout, &m);
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      op.width_px = cases[i].width_px;
      op.height_px = cases[i].height_px;
      op.samples = cases[i].samples;
      assert_true(cf_sim_layout_chunk(&layout, &chunk));
      if (layout.image_lines != cases[i].lines)
         fail_msg("case %u: %u lines", i, layout.image_lines);
   }
   cf_sim_layout_free(&layout);
}

/* ------------------------------------------------------------------ samples */

/* A quad's sample touches at most 32 lines: 4 lanes with 8 texels. Each is kept once. */
static void
lines_of_a_sample(void **state)
{
   struct cf_sim_sample_lines lines = { 0 }, words = { 0 };
   (void)state;
   for (uint32_t i = 0; i < 80; i++) {
      cf_sim_sample_lines_add_line(&lines, 1000 + i / 2);
      cf_sim_sample_lines_add_word(&words, 2000 + i / 2);
   }
   assert_int_equal(lines.lines, 32);
   assert_int_equal(lines.line[31], 1031);
   assert_int_equal(lines.words, 0);
   assert_int_equal(words.words, 32);
   assert_int_equal(words.word[31], 2031);
   assert_int_equal(words.lines, 16);
   assert_int_equal(words.line[15], 1015);
}

/* Paper A's raster halves regions: to the next block of the same region no step back. */
static void
pops(void **state)
{
   (void)state;
   assert_int_equal(cf_sim_raster_pops(5, 5), 0);
   assert_int_equal(cf_sim_raster_pops(4, 7), 0);
   assert_int_equal(cf_sim_raster_pops(3, 4), 1);
   assert_int_equal(cf_sim_raster_pops(15, 16), 2);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(decoded),      cmocka_unit_test(textures_placed),
      cmocka_unit_test(large_texels), cmocka_unit_test(no_lines_left),
      cmocka_unit_test(images_grow),  cmocka_unit_test(lines_of_a_sample),
      cmocka_unit_test(pops),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
