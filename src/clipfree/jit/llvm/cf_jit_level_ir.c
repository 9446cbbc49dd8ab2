/* SPDX-License-Identifier: MIT */
/*
 * The levels that lanes sample, by their level of detail, and what is known of these. A level that
 * is the same in all active lanes, as nearly always, is a scalar.
 */
#include <stddef.h>

#include "clipfree/jit/llvm/cf_jit_alu.h"
#include "clipfree/jit/llvm/cf_jit_sampler.h"
#include "clipfree/texture/cf_texture.h"

/* ---- levels ---- */

static const size_t level_field_B[] = { LEVEL_B(width_px), LEVEL_B(height_px),
                                        LEVEL_B(depth_px), LEVEL_B(row_pitch_B),
                                        LEVEL_B(offset_B), LEVEL_B(layer_pitch_B) };
enum { WIDTH, HEIGHT, DEPTH, ROW, OFFSET, LAYER, FIELDS };

/* Load the fields of one level, broadcast to all lanes. */
static void
load_level(const struct sampler *s, LLVMValueRef index, LLVMValueRef field[FIELDS])
{
   LLVMValueRef level = level_address(s, index);
   for (unsigned n = 0; n < FIELDS; n++)
      field[n] = splat(s->j, load_input(s->j, s->j->i32, level, (int64_t)level_field_B[n], 4));
}

/* Load the fields of every lane's level. */
static void
load_levels(const struct sampler *s, LLVMValueRef index, LLVMValueRef field[FIELDS])
{
   LLVMValueRef at =
      mul(s, and(s, index, u32_of(s, LEVEL_MASK)), u32_of(s, sizeof(struct cf_texture_level)));
   for (unsigned n = 0; n < FIELDS; n++)
      field[n] =
         cf_jit_load_dwords(s, s->unit, add(s, at, u32_of(s, (uint32_t)level_field_B[n])), 4);
}

/* The subset of `lanes` whose level is not `level`. */
static LLVMValueRef
lanes_elsewhere(const struct sampler *s, LLVMValueRef index, LLVMValueRef level, LLVMValueRef lanes)
{
   return mask_in(s, compare_ints(s, LLVMIntNE, index, splat(s->j, level)), lanes);
}

/* Load the fields of the lanes' levels, by one of up to three paths: the predicted level, which
 * does not depend on the index; one level for all of `lanes` (not 0); any levels. Returns whether
 * it was one of the first two. */
static LLVMValueRef
load_either(const struct sampler *s, const struct choice *choice, LLVMValueRef lanes,
            LLVMValueRef result[FIELDS])
{
   enum { GUESSED, SAME, ANY, WAYS };
   LLVMBuilderRef ir = s->j->ir;
   LLVMValueRef index = choice->index, guess = choice->guess, field[WAYS][FIELDS];
   LLVMBasicBlockRef way[WAYS], meet = new_block(s);
   const unsigned first_way = guess ? GUESSED : SAME;
   for (unsigned w = first_way; w < WAYS; w++)
      way[w] = new_block(s);
   if (guess) {
      LLVMBasicBlockRef wrong = new_block(s);
      LLVMBuildCondBr(ir, any(s, lanes_elsewhere(s, index, guess, lanes)), wrong, way[GUESSED]);
      LLVMPositionBuilderAtEnd(ir, way[GUESSED]);
      load_level(s, guess, field[GUESSED]);
      LLVMBuildBr(ir, meet);
      LLVMPositionBuilderAtEnd(ir, wrong);
   }
   LLVMValueRef first = LLVMBuildExtractElement(ir, index, first_of(s, lanes), "");
   LLVMBuildCondBr(ir, any(s, lanes_elsewhere(s, index, first, lanes)), way[ANY], way[SAME]);
   LLVMPositionBuilderAtEnd(ir, way[SAME]);
   load_level(s, first, field[SAME]);
   LLVMBuildBr(ir, meet);
   LLVMPositionBuilderAtEnd(ir, way[ANY]);
   load_levels(s, index, field[ANY]);
   LLVMBuildBr(ir, meet);
   LLVMMoveBasicBlockAfter(meet, LLVMGetLastBasicBlock(s->function));
   LLVMPositionBuilderAtEnd(ir, meet);
   for (unsigned n = 0; n < FIELDS; n++) {
      result[n] = LLVMBuildPhi(ir, LLVMTypeOf(field[SAME][n]), "");
      for (unsigned w = first_way; w < WAYS; w++)
         LLVMAddIncoming(result[n], &field[w][n], &way[w], 1);
   }
   LLVMValueRef same = LLVMBuildPhi(ir, s->j->i1, "");
   for (unsigned w = first_way; w < WAYS; w++) {
      LLVMValueRef is_same = LLVMConstInt(s->j->i1, w != ANY, 0);
      LLVMAddIncoming(same, &is_same, &way[w], 1);
   }
   return same;
}

struct level
cf_jit_level_of(const struct sampler *s, const struct choice *choice, LLVMValueRef lanes)
{
   LLVMValueRef field[FIELDS], same = NULL;
   if (LLVMGetTypeKind(LLVMTypeOf(choice->index)) == LLVMVectorTypeKind)
      same = load_either(s, choice, lanes, field);
   else
      load_level(s, choice->index, field);
   return (struct level){
      .size_px = { field[WIDTH], field[HEIGHT], field[DEPTH] },
      .row_B = field[ROW],
      .layer_B = field[LAYER],
      .base_B = field[OFFSET],
      .same = same,
      .coarse = choice->coarse,
   };
}

struct level
cf_jit_levels(const struct sampler *s, LLVMValueRef index, LLVMValueRef lanes)
{
   return cf_jit_level_of(s, &(struct choice){ .index = index }, lanes);
}

/* ---- levels of lanes ---- */

/*
 * Predict the level. The level of detail is a long dependency chain, and the addresses of all
 * texels would depend on it. The exponent of the squared length nearly always determines the level,
 * so it is predicted from that of the first quad. A branch compares it with the real level, so that
 * the host executes speculatively with the prediction.
 */
static LLVMValueRef
guess_level(const struct sampler *s, LLVMValueRef longest, LLVMValueRef first, LLVMValueRef last)
{
   const unsigned lanes = s->j->lanes;
   s->j->lanes = 1;
   LLVMValueRef bits = bits_of(s->j, cf_jit_first_kept(s, longest));
   LLVMValueRef exponent =
      sub(s, shr(s, bits, 23), u32_of(s, s->key->mip == CF_MIP_NEAREST ? 126 : 127));
   LLVMValueRef level = LLVMBuildAShr(s->j->ir, exponent, u32_of(s, 1), "");
   LLVMValueRef below = compare_ints(s, LLVMIntSLT, level, u32_of(s, 0));
   level = imin(s, add(s, first, choose(s->j, below, u32_of(s, 0), level)), last);
   s->j->lanes = lanes;
   return level;
}

static LLVMValueRef
last_level(const struct sampler *s)
{
   return unit_field(s, s->j->i32, offsetof(struct cf_texture_unit, texture.last_level));
}

static LLVMValueRef
is_magnified(const struct sampler *s, LLVMValueRef lod)
{
   return compare_floats(s, LLVMRealOLE, lod,
                         f32_of(s, cf_most_magnified(s->key->magnify_to_half)));
}

/* Select levels and weights; as many as detail->lod has lanes, which j->lanes is. */
static struct task_levels
select_levels(const struct sampler *s, const struct detail *detail)
{
   struct task_levels of_task = { .lod = detail->lod, .longest = detail->longest };
   if (s->key->mip == CF_MIP_NONE)
      return of_task;
   LLVMValueRef first = splat(s->j, first_level(s)), last = splat(s->j, last_level(s));
   LLVMValueRef zero = f32_of(s, 0.0f), magnified = is_magnified(s, detail->lod);
   LLVMValueRef bounded = fmin_or(s, fmax_or(s, detail->lod, zero), f32_of(s, 16.0f));
   LLVMValueRef whole =
      s->key->mip == CF_MIP_NEAREST
         ? fsub(s, cf_jit_ceil(s->j, fadd(s, bounded, f32_of(s, 0.5f))), f32_of(s, 1.0f))
         : cf_jit_floor(s->j, bounded);
   LLVMValueRef at = add(s, first, float_to_i32(s->j, whole));
   of_task.level = imin(s, choose(s->j, magnified, first, at), last);
   if (s->key->mip == CF_MIP_LINEAR) {
      LLVMValueRef more = compare_ints(s, LLVMIntSLT, of_task.level, last);
      more = and(s, more, LLVMBuildNot(s->j->ir, magnified, ""));
      of_task.weight = choose(s->j, more, fsub(s, bounded, whole), zero);
      of_task.next = imin(s, add(s, of_task.level, u32_of(s, 1)), last);
   }
   return of_task;
}

struct task_levels
cf_jit_levels_of_task(const struct sampler *s, const struct detail *detail)
{
   struct task_levels of_task = select_levels(s, detail);
   s->j->lanes = s->lanes;
   of_task.probes = detail->probes;
   LLVMValueRef *all[] = { &of_task.lod,
                           &of_task.longest,
                           &of_task.level,
                           &of_task.next,
                           &of_task.weight,
                           &of_task.probes.count,
                           &of_task.probes.reciprocal };
   for (unsigned n = 0; n < sizeof(all) / sizeof(all[0]); n++)
      *all[n] = cf_jit_keep(s, *all[n]);
   for (unsigned a = 0; a < 3; a++) {
      of_task.probes.back[a] = cf_jit_keep(s, of_task.probes.back[a]);
      of_task.probes.step[a] = cf_jit_keep(s, of_task.probes.step[a]);
   }
   return of_task;
}

/* The level after the predicted one, at most the last. */
static LLVMValueRef
next_guess(const struct sampler *s, LLVMValueRef guess)
{
   const unsigned lanes = s->j->lanes;
   s->j->lanes = 1;
   guess = imin(s, add(s, guess, u32_of(s, 1)), last_level(s));
   s->j->lanes = lanes;
   return guess;
}

struct part_levels
cf_jit_levels_of_part(const struct sampler *s, const struct task_levels *of_task)
{
   struct part_levels of_part = { .magnified = is_magnified(s, cf_jit_of_lanes(s, of_task->lod)),
                                  .next.coarse = true };
   if (!of_task->level) {
      of_part.level.index = first_level(s);
      return of_part;
   }
   of_part.level.index = cf_jit_of_lanes(s, of_task->level);
   if (of_task->longest)
      of_part.level.guess = guess_level(s, of_task->longest, first_level(s), last_level(s));
   if (of_task->next) {
      of_part.next.index = cf_jit_of_lanes(s, of_task->next);
      of_part.weight = cf_jit_of_lanes(s, of_task->weight);
      of_part.next.guess = of_part.level.guess ? next_guess(s, of_part.level.guess) : NULL;
   }
   return of_part;
}
