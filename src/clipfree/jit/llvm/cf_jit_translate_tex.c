/* SPDX-License-Identifier: MIT */
/*
 * Samples in programs: inlined if the texture's state is known and short, else a call of the unit's
 * sample function.
 */
#include <stdlib.h>

#include "clipfree/base/cf_for.h"
#include "clipfree/jit/llvm/cf_jit_translator.h"
#include "clipfree/texture/cf_texture.h"

/* A program with so many samples of a unit is treated as an image filter, whose texture is about as
 * large as the drawn area. */
#define FILTER_SAMPLES 3

/* ---- functions of the unit ---- */

/* Store the further operands of t->at from pointer + offset on. */
static void
store_operands(struct translator *t, LLVMValueRef pointer, int64_t offset_B)
{
   CF_FOR_BITS(k, cf_tex_operands(t->program->instrs[t->at].mode))
      store_at(&t->j, t->operand[k], pointer, offset_B + (int64_t)k * CF_ROW_B, ROW_ALIGN_B);
}

/* The texture unit itself: the handler reads the further operands in the task. */
static void
call_texture_unit(struct translator *t)
{
   store_operands(t, t->task, offsetof(struct cf_task, tex_operand));
   cf_jit_call_handler(t);
}

/* The variant of the sample t->at. */
static uint32_t
variant_of(const struct translator *t)
{
   const struct cf_instr *instr = &t->program->instrs[t->at];
   const bool quads = t->program->info.stage == CF_SHADER_STAGE_FRAGMENT;
   return cf_sample_variant(instr->mode, instr->mask, quads);
}

/* Call the unit's sample function, which exists. */
static void
call_sample_function(struct translator *t, LLVMValueRef unit, LLVMValueRef functions)
{
   const struct cf_instr *instr = &t->program->instrs[t->at];
   const uint32_t variant = variant_of(t);
   for (unsigned k = 0; k < 4; k++)
      store_at(&t->j, cf_jit_source_bits(t, k), t->strq, (int64_t)k * CF_ROW_B, ROW_ALIGN_B);
   store_operands(t, t->strq, 4 * CF_ROW_B);
   /* not load_input: it is replaced when the function has been compiled */
   LLVMValueRef function =
      load_at(&t->j, t->j.pointer, functions, (int64_t)(variant * sizeof(void *)), 8);
   LLVMTypeRef types[5] = { t->j.pointer, t->j.pointer, t->j.i32, t->j.i32, t->j.pointer };
   LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(t->j.context), types, 5, 0);
   LLVMValueRef arguments[5] = { unit, t->strq, load_slot(t, t->exec), mask_constant(t, variant),
                                 t->rgba };
   LLVMBuildCall2(t->j.ir, type, function, arguments, 5, "");
   for (unsigned c = 0; c < 4; c++) {
      if (instr->mask >> c & 1)
         cf_jit_write(t, c,
                      load_at(&t->j, row_type(t), t->rgba, (int64_t)c * CF_ROW_B, ROW_ALIGN_B));
   }
}

static LLVMValueRef
texture_unit(struct translator *t)
{
   const size_t unit_B = t->program->instrs[t->at].unit * sizeof(void *);
   LLVMValueRef stage = load_input(&t->j, t->j.pointer, t->run, offsetof(struct cf_run, stage), 8);
   return load_input(&t->j, t->j.pointer, stage,
                     (int64_t)(offsetof(struct cf_stage, textures) + unit_B), 8);
}

/* ---- inlined samples ---- */

/*
 * Consecutive samples of one unit are fetched together with the first of them, if their coordinates
 * do not depend on another sample: image filters read neighbouring texels. The instructions that
 * compute the coordinates are translated twice, here and in order; LLVM shares the results.
 */
struct lookahead {
   struct translator *t;
   unsigned first;      /* index of the sample being translated */
   /* [count]: results of later instructions, if known; with the lanes of their destination */
   LLVMValueRef *value;
};

/* Longest dependency chain that is followed. */
#define MAX_DEPTH 32

static LLVMValueRef value_ahead(struct lookahead *ahead, unsigned at, unsigned depth);

/* The value that source k of instruction `at` will have, in j.lanes lanes. NULL: not known yet. */
static LLVMValueRef
source_ahead(struct lookahead *ahead, unsigned at, unsigned k, unsigned depth)
{
   struct translator *t = ahead->t;
   const struct cf_reg reg = t->program->instrs[at].src[k];
   const unsigned here = t->at;
   if (reg.kind == CF_KIND_V || reg.kind == CF_KIND_S) {
      for (unsigned i = at; i-- > ahead->first;) {
         if (cf_jit_writes(&t->program->instrs[i], reg)) {
            LLVMValueRef value = value_ahead(ahead, i, depth);
            return value && reg.kind == CF_KIND_S ? splat(&t->j, value) : value;
         }
      }
      return cf_jit_register_bits(t, reg);
   }
   t->at = at;
   LLVMValueRef value = cf_jit_source_bits(t, k);
   t->at = here;
   return value;
}

/* The value that instruction `at` will write. NULL: not known yet. */
static LLVMValueRef
value_ahead(struct lookahead *ahead, unsigned at, unsigned depth)
{
   struct translator *t = ahead->t;
   const struct cf_instr *instr = &t->program->instrs[at];
   const struct cf_op_info *op = cf_op_info(instr->op);
   const unsigned here = t->at, lanes = t->j.lanes;
   const bool arithmetic = op->form == CF_FORM_ALU1 || op->form == CF_FORM_ALU2 ||
                           op->form == CF_FORM_ALU3 || op->form == CF_FORM_MOVI;
   LLVMValueRef src[3] = { NULL };
   bool known = depth > 0 && arithmetic && !op->cross_lane;
   if (ahead->value[at] || !known)
      return ahead->value[at];
   t->j.lanes = instr->dst.kind == CF_KIND_S ? 1 : CF_TASK_LANES;
   for (unsigned k = 0; k < op->sources && known; k++)
      known = (src[k] = source_ahead(ahead, at, k, depth - 1)) != NULL;
   t->at = at;
   if (known)
      ahead->value[at] = cf_jit_operation(t, src);
   t->at = here;
   t->j.lanes = lanes;
   return ahead->value[at];
}

/* The texel offsets that sample `at` will have. NULL: not known yet. */
static LLVMValueRef
offsets_ahead(struct lookahead *ahead, unsigned at)
{
   const struct cf_instr *instrs = ahead->t->program->instrs;
   for (unsigned i = at; i-- > ahead->first;) {
      if (instrs[i].op == CF_OP_GRAD && instrs[i].index == CF_OPERAND_OFFSETS)
         return source_ahead(ahead, i, 0, MAX_DEPTH);
   }
   return ahead->t->operand[CF_OPERAND_OFFSETS];
}

/* The operands of sample `at` that a short state reads. False: not known yet. */
static bool
operands_ahead(struct lookahead *ahead, const struct cf_sample_key *key, unsigned at,
               struct cf_jit_request *request)
{
   struct translator *t = ahead->t;
   const bool has_offsets = cf_texmode_has_offsets(t->program->instrs[at].mode);
   for (unsigned k = 0; k < 4; k++) {
      const bool needed =
         k < 2 || (k == 2 && key->compare) ||
         (k == 3 && (key->mode == CF_TEXMODE_PROJ || key->mode == CF_TEXMODE_FETCH));
      LLVMValueRef bits =
         needed ? source_ahead(ahead, at, k, MAX_DEPTH) : LLVMConstNull(row_type(t));
      if (!bits)
         return false;
      request->strq[k] = float_of(&t->j, bits);
   }
   request->offsets = has_offsets ? offsets_ahead(ahead, at) : NULL;
   return request->offsets || !has_offsets;
}

/* Whether the sample `instr` can be fetched with `first`. */
static bool
goes_with(const struct cf_instr *first, const struct cf_instr *instr)
{
   const uint32_t mode = cf_texmode_alone(first->mode);
   const bool one_level = mode != CF_TEXMODE_FETCH || (instr->src[3].kind == CF_KIND_INLINE &&
                                                       first->src[3].kind == CF_KIND_INLINE &&
                                                       instr->src[3].index == first->src[3].index);
   return instr->op == CF_OP_TEX && instr->unit == first->unit &&
          cf_texmode_alone(instr->mode) == mode && one_level;
}

/* Fetch for the sample t->at, and for later ones that can be fetched with it. */
static void
fetch_here(struct translator *t, const struct cf_sample_key *key)
{
   const struct cf_instr *instrs = t->program->instrs, *first = &instrs[t->at];
   struct lookahead ahead = { t, t->at, calloc(t->program->count, sizeof(*ahead.value)) };
   const unsigned most =
      ahead.value && t->plan.instr[t->at].outside ? cf_jit_short_together(&t->j, key) : 1;
   struct cf_jit_request request[CF_JIT_TOGETHER];
   struct cf_jit_short sample[CF_JIT_TOGETHER];
   unsigned at[CF_JIT_TOGETHER], count = 0;
   for (unsigned i = t->at; count < most && cf_jit_is_straight_line(instrs[i].op); i++) {
      if ((i == t->at || goes_with(first, &instrs[i])) && !t->fetched[i].valid &&
          operands_ahead(&ahead, key, i, &request[count]))
         at[count++] = i;
   }
   free(ahead.value);
   cf_jit_fetch_short(&t->j, key, texture_unit(t), count, request, sample);
   for (unsigned n = 0; n < count; n++)
      t->fetched[at[n]] = (struct fetched){ true, sample[n] };
}

/* Number of samples of a unit in the program. */
static unsigned
count_samples(const struct translator *t, unsigned unit)
{
   unsigned count = 0;
   for (unsigned i = 0; i < t->program->count; i++)
      count += t->program->instrs[i].op == CF_OP_TEX && t->program->instrs[i].unit == unit;
   return count;
}

/* Inline a sample. */
static void
sample_here(struct translator *t, struct cf_sample_key key)
{
   const struct cf_instr *instr = &t->program->instrs[t->at];
   LLVMValueRef rgba[4];
   cf_sample_key_request(&key, variant_of(t));
   key.is_filter = count_samples(t, instr->unit) >= FILTER_SAMPLES;
   if (!t->fetched[t->at].valid)
      fetch_here(t, &key);
   cf_jit_filter_short(&t->j, &key, texture_unit(t), &t->fetched[t->at].sample, rgba);
   for (unsigned c = 0; c < 4; c++) {
      if (instr->mask >> c & 1)
         cf_jit_write(t, c, bits_of(&t->j, rgba[c]));
   }
}

/* ---- all samples ---- */

/* Most units have a table of sample functions (cf_jit_sample.c), found through the unit at run
 * time. */
void
cf_jit_translate_tex(struct translator *t)
{
   LLVMBuilderRef ir = t->j.ir;
   const struct cf_instr *instr = &t->program->instrs[t->at];
   if (instr->mode == CF_TEXMODE_QUERY_LOD) {
      cf_jit_call_handler(t);
      return;
   }
   if (t->units && cf_sample_is_inlined(&t->units[instr->unit], variant_of(t))) {
      sample_here(t, t->units[instr->unit]);
      return;
   }
   LLVMBasicBlockRef bound = cf_jit_new_block(t);
   LLVMBasicBlockRef compiled = cf_jit_new_block(t);
   LLVMBasicBlockRef handled = cf_jit_new_block(t);
   LLVMBasicBlockRef meet = cf_jit_new_block(t);
   LLVMValueRef unit = texture_unit(t);
   LLVMBuildCondBr(ir, LLVMBuildIsNull(ir, unit, ""), handled, bound);
   LLVMPositionBuilderAtEnd(ir, bound);
   LLVMValueRef functions =
      load_input(&t->j, t->j.pointer, unit, offsetof(struct cf_texture_unit, functions), 8);
   LLVMBuildCondBr(ir, LLVMBuildIsNull(ir, functions, ""), handled, compiled);
   LLVMPositionBuilderAtEnd(ir, compiled);
   call_sample_function(t, unit, functions);
   LLVMBuildBr(ir, meet);
   LLVMPositionBuilderAtEnd(ir, handled);
   call_texture_unit(t);
   LLVMBuildBr(ir, meet);
   LLVMPositionBuilderAtEnd(ir, meet);
}
