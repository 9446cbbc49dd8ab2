/* SPDX-License-Identifier: MIT */
/*
 * The part after the fragment program in tasks from quads to pixels (struct cf_quad_work): late
 * tests (stencil by a call of the pixel engine) -> for each color target: load old pixels if needed
 * -> blend (cf_jit_blend_ir.c) -> store, without a round trip through the task's memory.
 *
 * Pixels lie in 4x4 blocks, so that a quad is four consecutive pixels (cf_pixel_lanes.h).
 */
#include "clipfree/arith/cf_minmax.h"
#include "clipfree/jit/llvm/cf_jit_alu.h"
#include "clipfree/jit/llvm/cf_jit_pixels_ir.h"
#include "clipfree/pixel/cf_pixel.h"
#include "clipfree/pixel/cf_pixel_formulas.h"

/* ---- state ---- */

static LLVMValueRef
load_config(struct translator *t, LLVMTypeRef type, size_t offset_B, unsigned align_B)
{
   LLVMValueRef config = load_work(t, t->j.pointer, offsetof(struct cf_quad_work, fragments.pixel), 8);
   return load_input(&t->j, type, config, (int64_t)offset_B, align_B);
}

LLVMValueRef
cf_jit_target_state(struct translator *t, const struct target *target, LLVMTypeRef type, size_t offset_B)
{
   const size_t target_B = offsetof(struct cf_pixel_config, target) + target->index * sizeof(struct cf_pixel_target);
   return splat(&t->j, load_config(t, type, target_B + offset_B, 4));
}

static struct target
target_of(const struct cf_target_key *key, unsigned index)
{
   const struct cf_format_info *format = cf_format_info_of(key->format);
   struct target target = { .index = index,
                            .image_B = offsetof(struct cf_pixel_config, color) + index * sizeof(struct cf_image),
                            .key = key,
                            .pixel_B = format->pixel_B,
                            .words = (format->pixel_B + 3) / 4,
                            .clamp = true };
   for (unsigned i = 0; i < format->channels; i++) {
      const struct cf_format_channel *channel = &format->channel[i];
      const char *letter = strchr("rgba", channel->letter);
      if (!letter)
         continue;
      target.channel[letter - "rgba"] = (struct channel){ .type = channel->type,
                                                          .word = channel->offset_bits / 32,
                                                          .shift = channel->offset_bits % 32,
                                                          .bits = channel->bits };
      target.clamp &= channel->type != CF_CHANNEL_FLOAT;
   }
   return target;
}

/* ---- tests ---- */

static void
restrict_alive(struct translator *t, LLVMValueRef passed)
{
   LLVMBuildStore(t->j.ir, LLVMBuildAnd(t->j.ir, load_slot(t, t->alive), passed, ""), t->alive);
}

/* Lanes where a func b; of floats that are NaNs notequal and always alone are true. */
static LLVMValueRef
compare(struct translator *t, uint8_t func, bool floats, LLVMValueRef a, LLVMValueRef b)
{
   LLVMValueRef mask[3];
   for (unsigned i = 0; i < 3; i++)
      mask[i] = constant_i32(&t->j, CF_COMPARE_MASK(func, i));
   LLVMValueRef unordered =
      constant_i32(&t->j, CF_COMPARE_MASK(func, 0) & CF_COMPARE_MASK(func, 2));
   LLVMValueRef passes =
      floats ? cf_jit_compare_floats(&t->j, a, b, mask[0], mask[1], mask[2], unordered)
             : cf_jit_compare_ints(&t->j, a, b, mask[0], mask[1], mask[2]);
   return LLVMBuildICmp(t->j.ir, LLVMIntNE, passes, constant_i32(&t->j, 0), "");
}

/* Alpha test (GL 2.1 section 4.1.4): lanes that fail are removed from t->alive. */
static void
test_alpha(struct translator *t)
{
   const size_t ref_B = offsetof(struct cf_pixel_config, depth_stencil) + offsetof(struct cf_depth_stencil, alpha_ref);
   LLVMValueRef ref = splat(&t->j, load_config(t, t->j.f32, ref_B, 4));
   LLVMValueRef alpha = t->pixel->alpha_to_one ? float_constant(t, 1.0f) : float_of(&t->j, load_slot(t, t->out[3]));
   if (t->pixel->alpha_clamp) {
      ref = cf_jit_fsat(&t->j, ref);
      alpha = cf_jit_fsat(&t->j, alpha);
   }
   LLVMValueRef passes = compare(t, t->pixel->alpha_func, true, alpha, ref);
   restrict_alive(t, LLVMBuildBitCast(t->j.ir, passes, t->j.i32, ""));
}

/* Depth for late tests: the program's output, else the primitive's. */
static LLVMValueRef
late_depth(struct translator *t)
{
   if (t->pixel->writes_depth && t->out[CF_OUTPUT_DEPTH])
      return load_slot(t, t->out[CF_OUTPUT_DEPTH]);
   return cf_jit_quads_sysval(t, CF_SYSVAL_FRAG_Z);
}

/* Store a row to the task, where the pixel engine reads it. */
static LLVMValueRef
store_row(struct translator *t, LLVMValueRef bits, size_t offset_B)
{
   store_at(&t->j, bits, t->task, (int64_t)offset_B, ROW_ALIGN_B);
   return byte_offset(&t->j, t->task, (int64_t)offset_B);
}

/* All late tests by the pixel engine: work->test_quads. */
static void
test_quads(struct translator *t)
{
   const struct cf_jit_ir *j = &t->j;
   LLVMTypeRef types[7] = { j->pointer, j->pointer, j->i32, j->i32, j->pointer, j->pointer, j->i32 };
   LLVMValueRef depth = late_depth(t), front = cf_jit_quads_sysval(t, CF_SYSVAL_FRONT_FACE);
   front = LLVMBuildICmp(j->ir, LLVMIntNE, front, constant_i32(j, 0), "");
   LLVMValueRef arguments[7] = {
      load_work(t, j->pointer, offsetof(struct cf_quad_work, fragments.pixel), 8),
      load_work(t, j->pointer, offsetof(struct cf_quad_work, fragments.quads), 8),
      load_work(t, j->i32, offsetof(struct cf_quad_work, fragments.count), 4),
      load_slot(t, t->alive),
      store_row(t, depth, offsetof(struct cf_task, sys) + CF_SYSVAL_FRAG_Z * CF_ROW_B),
      store_row(t, load_slot(t, t->out[3]), offsetof(struct cf_task, out) + 3 * CF_ROW_B),
      LLVMBuildBitCast(j->ir, front, j->i32, ""),
   };
   LLVMValueRef function = load_work(t, j->pointer, offsetof(struct cf_quad_work, test_quads), 8);
   restrict_alive(
      t, LLVMBuildCall2(j->ir, LLVMFunctionType(j->i32, types, 7, 0), function, arguments, 7, ""));
}

/* ---- samples ---- */

/* All late tests of all samples by the pixel engine: work->test_samples. */
static void
test_samples(struct translator *t, LLVMValueRef lanes)
{
   const struct cf_jit_ir *j = &t->j;
   LLVMTypeRef types[6] = { j->pointer, j->pointer, j->pointer, j->i32, j->pointer, j->pointer };
   store_row(t, load_slot(t, t->out[3]), offsetof(struct cf_task, out) + 3 * CF_ROW_B);
   if (t->pixel->writes_depth && t->out[CF_OUTPUT_DEPTH])
      store_row(t, load_slot(t, t->out[CF_OUTPUT_DEPTH]),
                offsetof(struct cf_task, out) + CF_OUTPUT_DEPTH * CF_ROW_B);
   LLVMValueRef arguments[6] = {
      load_work(t, j->pointer, offsetof(struct cf_quad_work, fragments.units), 8),
      load_work(t, j->pointer, offsetof(struct cf_quad_work, fragments.pixel), 8),
      load_work(t, j->pointer, offsetof(struct cf_quad_work, fragments.quads), 8),
      load_work(t, j->i32, offsetof(struct cf_quad_work, fragments.count), 4),
      byte_offset(j, t->task, offsetof(struct cf_task, out)),
      lanes,
   };
   LLVMValueRef function = load_work(t, j->pointer, offsetof(struct cf_quad_work, test_samples), 8);
   LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(j->context), types, 6, 0);
   LLVMBuildCall2(j->ir, type, function, arguments, 6, "");
}

/* Store the lanes to write of each sample to work->written; lanes without any sample are removed
 * from t->alive. */
static void
part_samples(struct translator *t)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef written = load_work(t, t->j.pointer, offsetof(struct cf_quad_work, written), 8);
   LLVMValueRef alive = load_slot(t, t->alive), some = mask_constant(t, 0);
   for (unsigned s = 0; s < CF_SAMPLES; s++) {
      LLVMValueRef covered =
         LLVMBuildBitCast(ir, cf_jit_lanes_in_mask(t, CF_QUAD_SAMPLE(s)), t->j.i32, "");
      store_at(&t->j, LLVMBuildAnd(ir, covered, alive, ""), written, s * sizeof(uint32_t), 4);
   }
   if (t->pixel->late_tests)
      test_samples(t, written);
   for (unsigned s = 0; s < CF_SAMPLES; s++)
      some = LLVMBuildOr(ir, some, load_at(&t->j, t->j.i32, written, s * sizeof(uint32_t), 4), "");
   LLVMBuildStore(ir, some, t->alive);
}

/* ---- coverage ---- */

/* Antialiasing (GL 2.1 section 3.12): coverage multiplies the alpha of every colour. */
static void
apply_coverage(struct translator *t)
{
   LLVMValueRef at = load_work(t, t->j.pointer, offsetof(struct cf_quad_work, fragments.coverage), 8);
   LLVMValueRef coverage = load_at(&t->j, lanes_of(&t->j, t->j.f32), at, 0, sizeof(float));
   for (unsigned alpha = 3; alpha < CF_QUADS_OUTPUTS; alpha += 4) {
      if (!t->out[alpha])
         continue;
      LLVMValueRef value = LLVMBuildFMul(t->j.ir, float_of(&t->j, load_slot(t, t->out[alpha])), coverage, "");
      LLVMBuildStore(t->j.ir, bits_of(&t->j, value), t->out[alpha]);
   }
}

/* ---- addresses of pixels ---- */

/* Addresses of a target's pixels. */
struct pixel_places {
   const struct target *target;
   LLVMValueRef offset_B[CF_TASK_QUADS]; /* from the image's beginning */
   LLVMValueRef quad[CF_TASK_QUADS];     /* pointers */
   /* boolean: quads 0 .. 3 lie one behind the other, as a block's do, and so do quads 4 .. 7 */
   LLVMValueRef blocks;
};

/* Byte offsets of the quads' pixels: quad_offset_B (cf_pixel_lanes.h). */
static LLVMValueRef
quad_offsets(struct translator *t, const struct target *target, LLVMValueRef row_pitch_B)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef x = t->quad_px[0], y = t->quad_px[1];
   const unsigned lanes = t->j.lanes;
   t->j.lanes = CF_TASK_QUADS;
   LLVMValueRef pitch_B = splat(&t->j, row_pitch_B);
   t->j.lanes = lanes;
   LLVMValueRef offset = LLVMBuildMul(ir, LLVMBuildLShr(ir, y, same(t, 2, CF_TASK_QUADS), ""), pitch_B, "");
   /* 16 pixels a block, 4 a quad */
   const uint32_t pixel_B = target->pixel_B;
   LLVMValueRef parts[3] = {
      LLVMBuildMul(ir, LLVMBuildLShr(ir, x, same(t, 2, CF_TASK_QUADS), ""), same(t, 16 * pixel_B, CF_TASK_QUADS), ""),
      LLVMBuildMul(ir, LLVMBuildAnd(ir, x, same(t, 2, CF_TASK_QUADS), ""), same(t, 2 * pixel_B, CF_TASK_QUADS), ""),
      LLVMBuildMul(ir, LLVMBuildAnd(ir, y, same(t, 2, CF_TASK_QUADS), ""), same(t, 4 * pixel_B, CF_TASK_QUADS), ""),
   };
   for (unsigned i = 0; i < 3; i++)
      offset = LLVMBuildAdd(ir, offset, parts[i], "");
   return offset;
}

/* Set the addresses for the image at `pixels`. */
static void
place_at(struct translator *t, LLVMValueRef pixels, struct pixel_places *places)
{
   for (unsigned q = 0; q < CF_TASK_QUADS; q++)
      places->quad[q] = LLVMBuildGEP2(t->j.ir, t->j.i8, pixels, &places->offset_B[q], 1, "");
}

static void
locate(struct translator *t, const struct target *target, struct pixel_places *places)
{
   static const unsigned first[CF_TASK_QUADS] = { 0, 0, 0, 0, 4, 4, 4, 4 };
   LLVMBuilderRef ir = t->j.ir;
   uint32_t in_block_B[CF_TASK_QUADS];
   const size_t image_B = target->image_B;
   LLVMValueRef pixels = load_config(t, t->j.pointer, image_B + offsetof(struct cf_image, data), 8);
   LLVMValueRef pitch_B = load_config(t, t->j.i32, image_B + offsetof(struct cf_image, row_pitch_B), 4);
   LLVMValueRef offsets = quad_offsets(t, target, pitch_B);
   places->target = target;
   for (unsigned q = 0; q < CF_TASK_QUADS; q++) {
      in_block_B[q] = q % 4 * 4 * target->pixel_B;
      LLVMValueRef offset = LLVMBuildExtractElement(ir, offsets, LLVMConstInt(t->j.i32, q, 0), "");
      places->offset_B[q] = LLVMBuildZExt(ir, offset, t->j.i64, "");
   }
   place_at(t, pixels, places);
   LLVMValueRef expected = LLVMBuildAdd(ir, shuffle(t, offsets, NULL, first, CF_TASK_QUADS),
                                        constants(t, in_block_B, CF_TASK_QUADS), "");
   places->blocks = all_of(t, LLVMBuildICmp(ir, LLVMIntEQ, offsets, expected, ""), CF_TASK_QUADS);
}

/* ---- pixels and words ---- */

#define BLOCK (CF_TASK_LANES / 2) /* pixels */

/* Interleave two vectors of `count` elements of `type`: a0 b0 a1 b1 .. */
static LLVMValueRef
interleave(struct translator *t, LLVMValueRef a, LLVMValueRef b, LLVMTypeRef type, unsigned count)
{
   unsigned index[MAX_ELEMENTS];
   a = LLVMBuildBitCast(t->j.ir, a, LLVMVectorType(type, count), "");
   b = LLVMBuildBitCast(t->j.ir, b, LLVMVectorType(type, count), "");
   for (unsigned i = 0; i < 2 * count; i++)
      index[i] = i / 2 + i % 2 * count;
   return shuffle(t, a, b, index, 2 * count);
}

/* Load consecutive pixels, as dwords. */
static void
load_run(struct translator *t, const struct target *target, LLVMValueRef at, unsigned count, LLVMValueRef words[MAX_WORDS])
{
   LLVMTypeRef word = LLVMIntTypeInContext(t->j.context, target->pixel_B < 4 ? 8 * target->pixel_B : 32);
   LLVMTypeRef row = LLVMVectorType(t->j.i32, count);
   LLVMValueRef pixels = load_at(&t->j, LLVMVectorType(word, count * target->words), at, 0, cf_min_u32(target->pixel_B, 4));
   for (unsigned w = 0; w < target->words; w++)
      words[w] = target->words == 1 ? LLVMBuildZExt(t->j.ir, pixels, row, "") : slice(t, pixels, w, target->words, count);
}

static void
store_run(struct translator *t, const struct target *target, const LLVMValueRef words[MAX_WORDS], LLVMValueRef at, unsigned count)
{
   const uint32_t word_B = cf_min_u32(target->pixel_B, 4);
   LLVMTypeRef row = LLVMVectorType(LLVMIntTypeInContext(t->j.context, 8 * word_B), count);
   LLVMValueRef pixels = words[0];
   if (target->words == 1)
      pixels = LLVMBuildTrunc(t->j.ir, pixels, row, "");
   if (target->words >= 2)
      pixels = interleave(t, words[0], words[1], t->j.i32, count);
   if (target->words == 4)
      pixels = interleave(t, pixels, interleave(t, words[2], words[3], t->j.i32, count), t->j.i64, count);
   store_at(&t->j, pixels, at, 0, word_B);
}

static void
load_blocks(struct translator *t, const struct pixel_places *places, LLVMValueRef words[MAX_WORDS])
{
   LLVMValueRef half[2][MAX_WORDS];
   for (unsigned h = 0; h < 2; h++)
      load_run(t, places->target, places->quad[h * CF_TASK_QUADS / 2], BLOCK, half[h]);
   for (unsigned w = 0; w < places->target->words; w++)
      words[w] = concatenate(t, half[0][w], half[1][w], CF_TASK_LANES);
}

/* Store lanes first .. first + count - 1 from the address of the first one on. */
static void
store_lanes(struct translator *t, const struct pixel_places *places,
            const LLVMValueRef words[MAX_WORDS], unsigned first, unsigned count)
{
   LLVMValueRef part[MAX_WORDS];
   for (unsigned w = 0; w < places->target->words; w++)
      part[w] = slice(t, words[w], first, 1, count);
   store_run(t, places->target, part, places->quad[first / 4], count);
}

/* The second half first, as store_each does. Of a task with seven quads the eighth is a copy of
 * quad 0 that keeps the old pixels. If quad 0 is the last one of the block of quads 4 to 6, the
 * second half looks like a block, and quad 0 has to be stored after its copy. */
static void
store_blocks(struct translator *t, const struct pixel_places *places, const LLVMValueRef words[MAX_WORDS])
{
   store_lanes(t, places, words, BLOCK, BLOCK);
   store_lanes(t, places, words, 0, BLOCK);
}

static void
load_each(struct translator *t, const struct pixel_places *places, LLVMValueRef words[MAX_WORDS])
{
   LLVMValueRef part[CF_TASK_QUADS][MAX_WORDS];
   for (unsigned q = 0; q < CF_TASK_QUADS; q++)
      load_run(t, places->target, places->quad[q], 4, part[q]);
   for (unsigned w = 0; w < places->target->words; w++) {
      for (unsigned count = CF_TASK_QUADS / 2; count; count /= 2) {
         for (unsigned i = 0; i < count; i++)
            part[i][w] = concatenate(t, part[2 * i][w], part[2 * i + 1][w], CF_TASK_LANES / count);
      }
      words[w] = part[0][w];
   }
}

/* Store quad by quad, last to first: unused quads are copies of quad 0, which then overwrites
 * them. */
static void
store_each(struct translator *t, const struct pixel_places *places, const LLVMValueRef words[MAX_WORDS])
{
   for (unsigned q = CF_TASK_QUADS; q-- > 0;)
      store_lanes(t, places, words, 4 * q, 4);
}

/* ---- two branches ---- */

/* Control flow with two branches: `blocks` for quads that are whole blocks, written in full; `each`
 * for other quads. Code built after begin_branches is the first branch, code after
 * begin_second_branch the second; end_branches joins them. */
struct branches {
   LLVMBasicBlockRef blocks, each, join;
};

static struct branches
begin_branches(struct translator *t, LLVMValueRef blocks)
{
   const struct branches branches = {
      LLVMAppendBasicBlockInContext(t->j.context, t->function, ""),
      LLVMAppendBasicBlockInContext(t->j.context, t->function, ""),
      LLVMAppendBasicBlockInContext(t->j.context, t->function, ""),
   };
   LLVMBuildCondBr(t->j.ir, blocks, branches.blocks, branches.each);
   LLVMPositionBuilderAtEnd(t->j.ir, branches.blocks);
   return branches;
}

static void
begin_second_branch(struct translator *t, const struct branches *branches)
{
   LLVMBuildBr(t->j.ir, branches->join);
   LLVMPositionBuilderAtEnd(t->j.ir, branches->each);
}

static void
end_branches(struct translator *t, const struct branches *branches)
{
   LLVMBuildBr(t->j.ir, branches->join);
   LLVMPositionBuilderAtEnd(t->j.ir, branches->join);
}

static void
load_pixels(struct translator *t, const struct pixel_places *places, LLVMValueRef blocks, LLVMValueRef words[MAX_WORDS])
{
   struct branches branches = begin_branches(t, blocks);
   LLVMValueRef whole[MAX_WORDS], each[MAX_WORDS];
   load_blocks(t, places, whole);
   begin_second_branch(t, &branches);
   load_each(t, places, each);
   end_branches(t, &branches);
   for (unsigned w = 0; w < places->target->words; w++) {
      words[w] = LLVMBuildPhi(t->j.ir, row_type(t), "");
      LLVMAddIncoming(words[w], &whole[w], &branches.blocks, 1);
      LLVMAddIncoming(words[w], &each[w], &branches.each, 1);
   }
}

/* ---- depth ---- */

static LLVMValueRef
stored_depth(struct translator *t, const struct cf_format_channel *channel, LLVMValueRef depth)
{
   return cf_jit_depth_stored(&t->j, float_of(&t->j, depth), channel->type == CF_CHANNEL_FLOAT,
                              constant_f64(&t->j, (double)cf_channel_max(channel->bits)));
}

static void
store_depth(struct translator *t, const struct pixel_places *places, const LLVMValueRef words[MAX_WORDS])
{
   struct branches branches = begin_branches(t, places->blocks);
   store_blocks(t, places, words);
   begin_second_branch(t, &branches);
   store_each(t, places, words);
   end_branches(t, &branches);
}

/* Depth test (GL 2.1 section 4.1.6) without stencil test: lanes that fail are removed from
 * t->alive. Depth is the channel at bit 0. Whole quads are stored, as for colours. */
static void
test_depth(struct translator *t)
{
   const struct cf_format_info *format = cf_format_info_of(t->pixel->depth_format);
   const struct cf_format_channel *channel = &format->channel[0];
   const struct target target = { .image_B = offsetof(struct cf_pixel_config, zs),
                                  .pixel_B = format->pixel_B,
                                  .words = (format->pixel_B + 3) / 4 };
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef fresh = stored_depth(t, channel, late_depth(t)), words[MAX_WORDS];
   LLVMValueRef depth_bits = constant_i32(&t->j, cf_channel_max(channel->bits));
   struct pixel_places places;
   locate(t, &target, &places);
   load_pixels(t, &places, places.blocks, words);
   LLVMValueRef old = LLVMBuildAnd(ir, words[0], depth_bits, "");
   LLVMValueRef passes =
      channel->type == CF_CHANNEL_FLOAT
         ? compare(t, t->pixel->depth_func, true, float_of(&t->j, fresh), float_of(&t->j, old))
         : compare(t, t->pixel->depth_func, false, fresh, old);
   restrict_alive(t, LLVMBuildBitCast(ir, passes, t->j.i32, ""));
   if (!t->pixel->depth_write)
      return;
   LLVMValueRef kept = LLVMBuildAnd(ir, words[0], LLVMBuildNot(ir, depth_bits, ""), "");
   LLVMValueRef lanes = lanes_in(&t->j, load_slot(t, t->alive));
   words[0] = choose(&t->j, lanes, LLVMBuildOr(ir, kept, fresh, ""), words[0]);
   store_depth(t, &places, words);
}

/* ---- a target ---- */

/* Store quads; lanes that are not alive keep their old pixels. Storing whole quads is safe, since
 * the tile belongs to one worker. */
static void
store_alive(struct translator *t, const struct pixel_places *places, const LLVMValueRef *old,
            LLVMValueRef words[MAX_WORDS])
{
   LLVMValueRef kept[MAX_WORDS];
   LLVMValueRef lanes = lanes_in(&t->j, load_slot(t, t->alive));
   if (!old) {
      load_each(t, places, kept);
      old = kept;
   }
   for (unsigned w = 0; w < places->target->words; w++)
      words[w] = choose(&t->j, lanes, words[w], old[w]);
   store_each(t, places, words);
}

/* Write the lanes that are alive. `words`: the new pixels, if they do not depend on the old
 * ones. */
static void
write_alive(struct translator *t, const struct pixel_places *places, LLVMValueRef words[MAX_WORDS])
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef old[MAX_WORDS], pixels[MAX_WORDS];
   const bool reads = cf_jit_target_reads(places->target);
   LLVMValueRef all = LLVMBuildICmp(ir, LLVMIntEQ, load_slot(t, t->alive), mask_constant(t, UINT32_MAX), "");
   LLVMValueRef blocks = LLVMBuildAnd(ir, places->blocks, all, "");
   if (reads) {
      load_pixels(t, places, blocks, old);
      cf_jit_new_pixels(t, places->target, old, pixels);
      words = pixels;
   }
   struct branches branches = begin_branches(t, blocks);
   store_blocks(t, places, words);
   begin_second_branch(t, &branches);
   store_alive(t, places, reads ? old : NULL, words);
   end_branches(t, &branches);
}

static LLVMValueRef
element(struct translator *t, LLVMTypeRef type, LLVMValueRef array, size_t element_B, LLVMValueRef index, size_t offset_B)
{
   LLVMValueRef at_B = LLVMBuildMul(t->j.ir, index, LLVMConstInt(t->j.i64, element_B, 0), "");
   LLVMValueRef at = LLVMBuildGEP2(t->j.ir, t->j.i8, array, &at_B, 1, "");
   return load_at(&t->j, type, at, (int64_t)offset_B, type == t->j.pointer ? 8 : 4);
}

/* A sample's number, so that machine code shows that it is one. It is proven of the code that it
 * reads the lanes and the configuration of a sample (jit/proof/). */
static LLVMValueRef
evident(struct translator *t, LLVMValueRef sample)
{
   _Static_assert((CF_SAMPLES & (CF_SAMPLES - 1)) == 0, "a mask of its bits");
   return LLVMBuildAnd(t->j.ir, unseen(&t->j, sample), LLVMConstInt(t->j.i64, CF_SAMPLES - 1, 0),
                       "");
}

/* Write each sample, in a loop: the lanes in work->written. */
static void
write_samples(struct translator *t, struct pixel_places *places, LLVMValueRef words[MAX_WORDS])
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMBasicBlockRef block[4], before = LLVMGetInsertBlock(ir); /* head, body, next, done */
   LLVMValueRef some = load_slot(t, t->alive), written = load_work(t, t->j.pointer, offsetof(struct cf_quad_work, written), 8);
   LLVMValueRef config = load_work(t, t->j.pointer, offsetof(struct cf_quad_work, fragments.pixel), 8);
   for (unsigned i = 0; i < 4; i++)
      block[i] = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   LLVMBuildBr(ir, block[0]);
   LLVMPositionBuilderAtEnd(ir, block[0]);
   LLVMValueRef sample = LLVMBuildPhi(ir, t->j.i64, ""), first = LLVMConstNull(t->j.i64);
   LLVMValueRef number = evident(t, sample);
   LLVMValueRef lanes = element(t, t->j.i32, written, sizeof(uint32_t), number, 0);
   LLVMBuildStore(ir, lanes, t->alive);
   LLVMBuildCondBr(ir, LLVMBuildICmp(ir, LLVMIntNE, lanes, mask_constant(t, 0), ""), block[1], block[2]);
   LLVMPositionBuilderAtEnd(ir, block[1]);
   place_at(t,
            element(t, t->j.pointer, config, sizeof(struct cf_pixel_config), number,
                    places->target->image_B + offsetof(struct cf_image, data)),
            places);
   write_alive(t, places, words);
   LLVMBuildBr(ir, block[2]);
   LLVMPositionBuilderAtEnd(ir, block[2]);
   LLVMValueRef next = LLVMBuildAdd(ir, sample, LLVMConstInt(t->j.i64, 1, 0), "");
   LLVMAddIncoming(sample, &first, &before, 1);
   LLVMAddIncoming(sample, &next, &block[2], 1);
   LLVMBuildCondBr(ir, LLVMBuildICmp(ir, LLVMIntULT, next, LLVMConstInt(t->j.i64, CF_SAMPLES, 0), ""), block[0], block[3]);
   LLVMPositionBuilderAtEnd(ir, block[3]);
   LLVMBuildStore(ir, some, t->alive);
}

static void
write_target(struct translator *t, const struct target *target)
{
   struct pixel_places places;
   LLVMValueRef words[MAX_WORDS];
   locate(t, target, &places);
   if (!cf_jit_target_reads(target))
      cf_jit_new_pixels(t, target, NULL, words);
   if (t->pixel->samples)
      write_samples(t, &places, words);
   else
      write_alive(t, &places, words);
}

static void
write_targets(struct translator *t)
{
   for (unsigned i = 0; i < t->pixel->targets; i++) {
      if (!t->pixel->target[i].format)
         continue;
      const struct target target = target_of(&t->pixel->target[i], i);
      write_target(t, &target);
   }
}

void
cf_jit_end_quads(struct translator *t)
{
   LLVMBuilderRef ir = t->j.ir;
   if (t->pixel->coverage)
      apply_coverage(t);
   if (t->pixel->late_tests && !t->pixel->depth_format && !t->pixel->samples)
      test_quads(t);
   if (t->pixel->alpha_func != CF_COMPARE_ALWAYS)
      test_alpha(t);
   if (t->pixel->depth_format)
      test_depth(t);
   if (t->pixel->samples)
      part_samples(t);
   LLVMBasicBlockRef some = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   LLVMBuildCondBr(ir, LLVMBuildICmp(ir, LLVMIntNE, load_slot(t, t->alive), mask_constant(t, 0), ""), some, done);
   LLVMPositionBuilderAtEnd(ir, some);
   write_targets(t);
   LLVMBuildBr(ir, done);
   LLVMPositionBuilderAtEnd(ir, done);
}
