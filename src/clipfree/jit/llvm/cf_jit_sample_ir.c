/* SPDX-License-Identifier: MIT */
/*
 * Sampling to LLVM IR, for textures and samplers of one state: bit-exact with the specification,
 * texture/cf_sample_lanes.c, which explains every formula. Only the operations that the state needs
 * are emitted.
 *
 * Data flow: coordinates -> (projection, cube face, array layer) -> level of detail
 * (cf_jit_lod_ir.c) -> level (and the next one) of each lane -> samples of one level
 * (cf_jit_texel_ir.c), per probe for anisotropic filters.
 *
 * A level that is the same in all active lanes, as nearly always, is a scalar.
 */
#include "clipfree/jit/llvm/cf_jit_sample_ir.h"

#include <stddef.h>

#include "clipfree/isa/cf_isa.h"
#include "clipfree/jit/cf_jit_llvm.h"
#include "clipfree/jit/llvm/cf_jit_alu.h"
#include "clipfree/jit/llvm/cf_jit_sampler.h"
#include "clipfree/texture/cf_texture.h"

/* ---- levels ---- */

static const size_t level_field_B[] = { LEVEL_B(width_px),    LEVEL_B(height_px), LEVEL_B(depth_px),
                                        LEVEL_B(row_pitch_B), LEVEL_B(offset_B),  LEVEL_B(layer_pitch_B) };
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
      field[n] = cf_jit_load_dwords(s, s->unit, add(s, at, u32_of(s, (uint32_t)level_field_B[n])), 4);
}

/* The subset of `lanes` whose level is not `level`. */
static LLVMValueRef
lanes_elsewhere(const struct sampler *s, LLVMValueRef index, LLVMValueRef level, LLVMValueRef lanes)
{
   return mask_in(s, compare_ints(s, LLVMIntNE, index, splat(s->j, level)), lanes);
}

/* A selected level: an index per lane, or one for all. */
struct choice {
   LLVMValueRef index;
   LLVMValueRef guess; /* prediction of the index in all lanes, or NULL */
   bool coarse;        /* as in struct level */
};

/* Load the fields of the lanes' levels, by one of up to three paths: the predicted level, which
 * does not depend on the index; one level for all of `lanes` (not 0); any levels. Returns whether
 * it was one of the first two. */
static LLVMValueRef
load_either(const struct sampler *s, const struct choice *choice, LLVMValueRef lanes, LLVMValueRef result[FIELDS])
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

/* The levels of `lanes`, or a scalar if one holds for all. */
static struct level
level_of(const struct sampler *s, const struct choice *choice, LLVMValueRef lanes)
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
   return level_of(s, &(struct choice){ .index = index }, lanes);
}

/* Add the layer or face of each lane to its base. */
static struct level
image_of(const struct sampler *s, const struct level *level)
{
   struct level image = *level;
   if (s->layer)
      image.base_B = add(s, level->base_B, mul(s, s->layer, level->layer_B));
   return image;
}

static void
sample_images(const struct sampler *s, const struct level *level, bool linear, LLVMValueRef result[4])
{
   struct taps taps;
   const struct level image = image_of(s, level);
   cf_jit_place_taps(s, &image, linear, &taps);
   cf_jit_sample_taps(s, &image, linear, &taps, result);
}

/* Sample one level per lane with one filter; `lanes`: the active ones. */
static void
sample_level(const struct sampler *s, const struct level *level, bool linear, LLVMValueRef lanes, LLVMValueRef result[4])
{
   LLVMBuilderRef ir = s->j->ir;
   if (!s->key->seamless || !linear) {
      sample_images(s, level, linear, result);
      return;
   }
   LLVMBasicBlockRef way[2] = { new_block(s), new_block(s) }, meet = new_block(s);
   LLVMValueRef value[2][4];
   LLVMBuildCondBr(ir, cf_jit_crosses_seams(s, level, lanes), way[1], way[0]);
   for (unsigned w = 0; w < 2; w++) {
      LLVMPositionBuilderAtEnd(ir, way[w]);
      (w ? cf_jit_sample_over_seams(s, level, value[w]) : sample_images(s, level, true, value[w]));
      way[w] = LLVMGetInsertBlock(ir);
      LLVMBuildBr(ir, meet);
   }
   LLVMMoveBasicBlockAfter(meet, LLVMGetLastBasicBlock(s->function));
   LLVMPositionBuilderAtEnd(ir, meet);
   for (unsigned c = 0; c < 4; c++) {
      result[c] = LLVMBuildPhi(ir, row_type(s, s->j->f32), "");
      for (unsigned w = 0; w < 2; w++)
         LLVMAddIncoming(result[c], &value[w][c], &way[w], 1);
   }
}

static void
store_slots(const struct sampler *s, const LLVMValueRef slot[4], const LLVMValueRef value[4])
{
   for (unsigned c = 0; c < 4; c++)
      LLVMBuildStore(s->j->ir, value[c], slot[c]);
}

static LLVMValueRef
load_slot(const struct sampler *s, LLVMValueRef slot)
{
   return LLVMBuildLoad2(s->j->ir, LLVMGetAllocatedType(slot), slot, "");
}

/* Sample `lanes` at their levels, into the slots. `magnified`: lanes with the magnification
 * filter. */
static void
sample_lanes(const struct sampler *s, const struct level *level, LLVMValueRef magnified, LLVMValueRef lanes,
             const LLVMValueRef slot[4])
{
   LLVMValueRef result[4];
   if (s->key->min_linear == s->key->mag_linear) {
      sample_level(s, level, s->key->min_linear, lanes, result);
      store_slots(s, slot, result);
      return;
   }
   LLVMValueRef is_magnified = mask_in(s, magnified, lanes);
   LLVMBasicBlockRef after =
      begin_if(s, compare_ints(s, LLVMIntNE, is_magnified, lanes)); /* some lanes are not magnified */
   sample_level(s, level, s->key->min_linear, lanes, result);
   store_slots(s, slot, result);
   end_if(s, after);
   after = begin_if(s, any(s, is_magnified));
   sample_level(s, level, s->key->mag_linear, lanes, result);
   for (unsigned c = 0; c < 4; c++)
      result[c] = choose(s->j, magnified, result[c], load_slot(s, slot[c]));
   store_slots(s, slot, result);
   end_if(s, after);
}

/* ---- coordinates ---- */

/* Select the face of a direction and the coordinates on it; major: whether x, or y, is the major
 * axis. */
static void
select_faces(struct sampler *s, const LLVMValueRef str[3], LLVMValueRef major[2])
{
   struct cf_jit_ir *j = s->j;
   LLVMValueRef a[3], minus[3];
   for (unsigned i = 0; i < 3; i++) {
      a[i] = cf_jit_fabs(j, str[i]);
      minus[i] = LLVMBuildFNeg(j->ir, str[i], "");
   }
   LLVMValueRef is_y = and(s, compare_floats(s, LLVMRealOGT, a[1], a[0]), compare_floats(s, LLVMRealOGE, a[1], a[2]));
   LLVMValueRef is_z = and(s, compare_floats(s, LLVMRealOGE, a[2], a[0]), compare_floats(s, LLVMRealOGT, a[2], a[1]));
   LLVMValueRef is_x = LLVMBuildNot(j->ir, or(s, is_y, is_z), "");
   LLVMValueRef m = choose(j, is_x, str[0], choose(j, is_y, str[1], str[2]));
   LLVMValueRef negative = compare_floats(s, LLVMRealOLT, m, f32_of(s, 0.0f));
   LLVMValueRef sc = choose(j, is_x, choose(j, negative, str[2], minus[2]),
                            choose(j, is_y, str[0], choose(j, negative, minus[0], str[0])));
   LLVMValueRef tc = choose(j, is_y, choose(j, negative, minus[2], str[2]), minus[1]);
   LLVMValueRef ma = cf_jit_fabs(j, m), one = f32_of(s, 1.0f), half = f32_of(s, 0.5f);
   s->coord[0] = fmul(s, fadd(s, fdiv(s, sc, ma), one), half);
   s->coord[1] = fmul(s, fadd(s, fdiv(s, tc, ma), one), half);
   LLVMValueRef face = choose(j, is_x, u32_of(s, 0), choose(j, is_y, u32_of(s, 2), u32_of(s, 4)));
   s->layer = add(s, face, bool_to_int(j, negative));
   major[0] = is_x;
   major[1] = is_y;
}

/* The array layer: rounded, halves up, and clamped. */
static void
select_layer(struct sampler *s, LLVMValueRef coordinate)
{
   struct cf_jit_ir *j = s->j;
   LLVMValueRef layers = load_input(j, j->i32, level_address(s, first_level(s)), LEVEL_B(depth_px), 4);
   LLVMValueRef last = i32_to_float(j, splat(j, LLVMBuildSub(j->ir, layers, LLVMConstInt(j->i32, 1, 0), "")));
   LLVMValueRef whole = cf_jit_floor(j, coordinate), zero = f32_of(s, 0.0f);
   LLVMValueRef up = compare_floats(s, LLVMRealOGE, fsub(s, coordinate, whole), f32_of(s, 0.5f));
   LLVMValueRef rounded = choose(j, up, fadd(s, whole, f32_of(s, 1.0f)), whole);
   LLVMValueRef below = choose(j, compare_floats(s, LLVMRealOLT, rounded, last), rounded, last);
   LLVMValueRef inside = choose(j, compare_floats(s, LLVMRealOGT, rounded, zero), below, zero);
   s->layer = float_to_i32(j, inside);
}

/* Set layer and coordinates on the image from str, after projection. major: for cubes, whether x,
 * or y, is the major axis. */
static void
place_on_texture(struct sampler *s, const LLVMValueRef str[3], LLVMValueRef major[2])
{
   memcpy(s->coord, str, s->key->dims * sizeof(str[0]));
   if (s->key->cube)
      select_faces(s, str, major);
}

/* Divide `count` coordinates by q, which is 1 in all lanes of most tasks: fixed-function OpenGL
 * projects all it samples. */
static void
project(const struct sampler *s, unsigned count, LLVMValueRef str[3])
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMValueRef q = s->strq[3], not_one = compare_floats(s, LLVMRealUNE, q, f32_of(s, 1.0f));
   LLVMBasicBlockRef way[2] = { LLVMGetInsertBlock(ir), new_block(s) }, meet = new_block(s);
   LLVMBuildCondBr(ir, any(s, mask_in(s, not_one, s->exec)), way[1], meet);
   LLVMPositionBuilderAtEnd(ir, way[1]);
   LLVMValueRef value[3][2];
   for (unsigned a = 0; a < count; a++) {
      value[a][0] = str[a];
      value[a][1] = fdiv(s, str[a], q);
   }
   LLVMBuildBr(ir, meet);
   LLVMPositionBuilderAtEnd(ir, meet);
   for (unsigned a = 0; a < count; a++) {
      str[a] = LLVMBuildPhi(ir, LLVMTypeOf(q), "");
      LLVMAddIncoming(str[a], value[a], way, 2);
   }
}

/* The same of the request's; str: coordinates after projection. */
static void
address(struct sampler *s, LLVMValueRef str[3], LLVMValueRef major[2])
{
   const struct cf_sample_key *key = s->key;
   const unsigned count = key->cube || key->compare ? 3u : key->dims + key->array;
   memcpy(str, s->strq, count * sizeof(str[0]));
   if (key->mode == CF_TEXMODE_PROJ)
      project(s, count, str);
   if (key->compare)
      s->reference = cf_jit_q_is_reference(key) ? s->strq[3] : str[2];
   place_on_texture(s, str, major);
   if (key->array)
      select_layer(s, str[key->dims]);
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
   LLVMValueRef bits = bits_of(s->j, LLVMBuildExtractElement(s->j->ir, longest, u32_of(s, 0), ""));
   LLVMValueRef exponent = sub(s, shr(s, bits, 23), u32_of(s, s->key->mip == CF_MIP_NEAREST ? 126 : 127));
   LLVMValueRef level = LLVMBuildAShr(s->j->ir, exponent, u32_of(s, 1), "");
   LLVMValueRef below = compare_ints(s, LLVMIntSLT, level, u32_of(s, 0));
   level = imin(s, add(s, first, choose(s->j, below, u32_of(s, 0), level)), last);
   s->j->lanes = lanes;
   return level;
}

/* Levels and weights selected by the level of detail. */
struct selection {
   struct choice level, next;
   LLVMValueRef magnified, weight; /* weight: of `next`, or NULL */
   bool loaded;                    /* `fields` holds those of the levels */
   struct level fields[2];
};

/* The level after `level`, at most `last`; with as many lanes. */
static struct choice
next_level(const struct sampler *s, const struct choice *level, LLVMValueRef last, LLVMValueRef last_level)
{
   struct choice next = { .index = imin(s, add(s, level->index, u32_of(s, 1)), last), .coarse = true };
   const unsigned lanes = s->j->lanes;
   s->j->lanes = 1;
   if (level->guess)
      next.guess = imin(s, add(s, level->guess, u32_of(s, 1)), last_level);
   s->j->lanes = lanes;
   return next;
}

static struct selection
select_levels(const struct sampler *s, LLVMValueRef lod, LLVMValueRef longest)
{
   struct selection selection = { 0 };
   LLVMValueRef last_level = unit_field(s, s->j->i32, offsetof(struct cf_texture_unit, texture.last_level));
   LLVMValueRef first = splat(s->j, first_level(s)), last = splat(s->j, last_level);
   LLVMValueRef zero = f32_of(s, 0.0f);
   LLVMValueRef most_magnified = f32_of(s, cf_most_magnified(s->key->magnify_to_half));
   selection.magnified = compare_floats(s, LLVMRealOLE, lod, most_magnified);
   if (s->key->mip == CF_MIP_NONE) {
      selection.level.index = first_level(s);
      return selection;
   }
   LLVMValueRef bounded = fmin_or(s, fmax_or(s, lod, zero), f32_of(s, 16.0f));
   LLVMValueRef whole = s->key->mip == CF_MIP_NEAREST
                           ? fsub(s, cf_jit_ceil(s->j, fadd(s, bounded, f32_of(s, 0.5f))), f32_of(s, 1.0f))
                           : cf_jit_floor(s->j, bounded);
   LLVMValueRef at = add(s, first, float_to_i32(s->j, whole));
   selection.level.index = imin(s, choose(s->j, selection.magnified, first, at), last);
   if (longest)
      selection.level.guess = guess_level(s, longest, first_level(s), last_level);
   if (s->key->mip == CF_MIP_LINEAR) {
      LLVMValueRef more = compare_ints(s, LLVMIntSLT, selection.level.index, last);
      more = and(s, more, LLVMBuildNot(s->j->ir, selection.magnified, ""));
      selection.weight = choose(s->j, more, fsub(s, bounded, whole), zero);
      selection.next = next_level(s, &selection.level, last, last_level);
   }
   return selection;
}

/* Select the levels of all lanes by their level of detail. */
static struct selection
select_for(const struct sampler *s, const struct detail *detail)
{
   struct selection selection = select_levels(s, detail->lod, detail->longest);
   s->j->lanes = CF_TASK_LANES;
   selection.magnified = to_lanes(s, selection.magnified);
   if (s->key->mip != CF_MIP_NONE)
      selection.level.index = to_lanes(s, selection.level.index);
   if (selection.weight) {
      selection.weight = to_lanes(s, selection.weight);
      selection.next.index = to_lanes(s, selection.next.index);
   }
   return selection;
}

/* Load the levels' fields once for all probes. */
static void
load_fields(const struct sampler *s, struct selection *selection)
{
   selection->loaded = true;
   selection->fields[0] = level_of(s, &selection->level, s->exec);
   if (selection->weight)
      selection->fields[1] = level_of(s, &selection->next, s->exec);
}

/* ---- filters and mipmaps ---- */

static void
sample_next_level(const struct sampler *s, const struct selection *selection, LLVMValueRef blended, LLVMValueRef lanes)
{
   const struct level next = selection->loaded ? selection->fields[1] : level_of(s, &selection->next, lanes);
   sample_lanes(s, &next, selection->magnified, lanes, s->blend);
   for (unsigned c = 0; c < 4; c++) {
      LLVMValueRef lower = load_slot(s, s->out[c]), upper = load_slot(s, s->blend[c]);
      LLVMValueRef mixed = fadd(s, lower, fmul(s, selection->weight, fsub(s, upper, lower)));
      LLVMBuildStore(s->j->ir, choose(s->j, blended, mixed, lower), s->out[c]);
   }
}

/* Sample at s->coord for `lanes`, into s->out. */
static void
sample_filtered(const struct sampler *s, const struct selection *selection, LLVMValueRef lanes)
{
   const struct level level = selection->loaded ? selection->fields[0] : level_of(s, &selection->level, lanes);
   sample_lanes(s, &level, selection->magnified, lanes, s->out);
   if (!selection->weight)
      return;
   LLVMValueRef blended = compare_floats(s, LLVMRealOGT, selection->weight, f32_of(s, 0.0f));
   lanes = mask_in(s, blended, lanes);
   LLVMBasicBlockRef after = begin_if(s, any(s, lanes));
   sample_next_level(s, selection, blended, lanes);
   end_if(s, after);
}

/* ---- the anisotropic filter ---- */

/* Add the sample of probe `number` to `sum`. */
static void
sample_probe(const struct sampler *s, const struct probe_lanes *probes,
             const struct selection *selection, LLVMValueRef number, const LLVMValueRef sum[4])
{
   struct sampler probe = *s;
   LLVMValueRef str[3] = { NULL }, major[2];
   LLVMValueRef at = i32_to_float(s->j, splat(s->j, number));
   LLVMValueRef wanted = compare_floats(s, LLVMRealOGE, probes->count, at);
   for (unsigned a = 0; a < (s->key->cube ? 3u : s->key->dims); a++)
      str[a] = fadd(s, probes->start[a], fmul(s, at, probes->step[a]));
   place_on_texture(&probe, str, major);
   sample_filtered(&probe, selection, mask_in(s, wanted, s->exec));
   for (unsigned c = 0; c < 4; c++) {
      LLVMValueRef before = load_slot(s, sum[c]);
      LLVMBuildStore(s->j->ir, choose(s->j, wanted, fadd(s, before, load_slot(s, s->out[c])), before), sum[c]);
   }
}

/* sum / count, rounded once. Sums of colours are neither huge, nor tiny, nor NaN. */
static LLVMValueRef
mean(const struct sampler *s, LLVMValueRef sum, const struct probe_lanes *probes)
{
   if (!s->j->half_instrs || !s->key->integer || cf_sample_key_has_border(s->key, true))
      return fdiv(s, sum, probes->count);
   return cf_jit_quotient(s->j, sum, probes->count, probes->reciprocal);
}

/* The mean of the probes, to s->out. */
static void
sample_probes(const struct sampler *s, const struct probe_lanes *probes, const struct selection *selection)
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMValueRef sum[4], one = LLVMConstInt(s->j->i32, 1, 0);
   for (unsigned c = 0; c < 4; c++) {
      sum[c] = allocate(s, row_type(s, s->j->f32));
      LLVMBuildStore(ir, f32_of(s, -0.0f), sum[c]); /* adding to -0 changes no value */
   }
   LLVMBasicBlockRef before = LLVMGetInsertBlock(ir), loop = new_block(s);
   LLVMBuildBr(ir, loop);
   LLVMPositionBuilderAtEnd(ir, loop);
   LLVMValueRef number = LLVMBuildPhi(ir, s->j->i32, "");
   sample_probe(s, probes, selection, number, sum);
   LLVMBasicBlockRef end = LLVMGetInsertBlock(ir), after = new_block(s);
   LLVMValueRef next = LLVMBuildAdd(ir, number, one, "");
   LLVMAddIncoming(number, &one, &before, 1);
   LLVMAddIncoming(number, &next, &end, 1);
   LLVMBuildCondBr(ir, compare_ints(s, LLVMIntSLE, next, probes->most), loop, after);
   LLVMPositionBuilderAtEnd(ir, after);
   for (unsigned c = 0; c < 4; c++)
      LLVMBuildStore(ir, mean(s, load_slot(s, sum[c]), probes), s->out[c]);
}

/* ---- the function ---- */

/* Sample with mipmaps, or by several probes. */
static void
sample_by_detail(const struct sampler *s, const LLVMValueRef str[3],
                 const struct derivative_lanes *d)
{
   struct detail detail;
   cf_jit_level_of_detail(s, str, d, &detail);
   struct selection selection = select_for(s, &detail);
   if (detail.probes.count) {
      load_fields(s, &selection);
      sample_probes(s, &detail.probes, &selection);
   } else {
      sample_filtered(s, &selection, s->exec);
   }
}

/* One sample of the first level, to s->out. */
static void
sample_magnified(const struct sampler *s)
{
   LLVMValueRef rgba[4];
   const struct level level = level_of(s, &(struct choice){ .index = first_level(s) }, NULL);
   sample_level(s, &level, s->key->mag_linear, s->exec, rgba);
   store_slots(s, s->out, rgba);
}

/* Magnified tasks of the anisotropic filter have a path of their own, which does not wait for the
 * number of probes and the level of detail; so have those of 3D textures, which know then that they
 * need one level and one filter. For trilinear filters of images, whose level is predicted, one
 * more branch is worth nothing. */
static void
sample_by_derivatives(const struct sampler *s, const LLVMValueRef str[3],
                      const LLVMValueRef major[2])
{
   const struct derivative_lanes d = cf_jit_find_derivatives(s, str, major);
   const bool pays = s->key->anisotropic || s->key->dims == 3;
   if (s->key->mode == CF_TEXMODE_BIAS || !pays) {
      sample_by_detail(s, str, &d);
      return;
   }
   LLVMBasicBlockRef magnified = new_block(s), minified = new_block(s), meet = new_block(s);
   LLVMBuildCondBr(s->j->ir, cf_jit_all_magnified(s, &d), magnified, minified);
   LLVMPositionBuilderAtEnd(s->j->ir, magnified);
   sample_magnified(s);
   LLVMBuildBr(s->j->ir, meet);
   LLVMPositionBuilderAtEnd(s->j->ir, minified);
   sample_by_detail(s, str, &d);
   end_if(s, meet);
}

static void
make_slots(const struct sampler *s, LLVMValueRef slot[4])
{
   for (unsigned c = 0; c < 4; c++) {
      slot[c] = allocate(s, row_type(s, s->j->f32));
      LLVMBuildStore(s->j->ir, LLVMConstNull(row_type(s, s->j->f32)), slot[c]);
   }
}

static void
sample_fetch(const struct sampler *s, LLVMValueRef rgba[4])
{
   struct taps taps;
   LLVMValueRef exists;
   struct level level = cf_jit_fetched_level(s, &exists);
   cf_jit_place_fetch(s, &level, exists, &taps);
   cf_jit_fetch_texel(s, &level, taps.axis[0].index[0], taps.axis[1].index[0], taps.texel[0]);
   cf_jit_filter_taps(s, false, &taps, rgba);
}

static void
sample(struct sampler *s, LLVMValueRef rgba[4])
{
   LLVMValueRef str[3] = { NULL }, major[2] = { NULL };
   if (s->key->mode == CF_TEXMODE_FETCH || s->key->mode == CF_TEXMODE_SIZE) {
      (s->key->mode == CF_TEXMODE_FETCH ? sample_fetch : cf_jit_sample_size)(s, rgba);
      return;
   }
   address(s, str, major);
   if (!s->key->needs_lod) {
      const struct level level = level_of(s, &(struct choice){ .index = first_level(s) }, NULL);
      sample_level(s, &level, s->key->min_linear, s->exec, rgba);
      return;
   }
   make_slots(s, s->out);
   make_slots(s, s->blend);
   if (cf_jit_has_derivatives(s))
      sample_by_derivatives(s, str, major);
   else
      sample_by_detail(s, str, NULL);
   for (unsigned c = 0; c < 4; c++)
      rgba[c] = load_slot(s, s->out[c]);
}

static LLVMValueRef
texels(const struct cf_jit_ir *j, LLVMValueRef unit)
{
   return load_input(j, j->pointer, unit, offsetof(struct cf_texture_unit, data), 8);
}

void
cf_jit_translate_sample(struct cf_jit_ir *j, const struct cf_sample_key *key)
{
   LLVMTypeRef types[5] = { j->pointer, j->pointer, j->i32, j->i32, j->pointer };
   LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(j->context), types, 5, 0);
   struct sampler s = { .j = j, .key = key, .function = LLVMAddFunction(j->module, CF_JIT_ENTRY, type) };
   LLVMValueRef rgba[4];
   j->lanes = CF_TASK_LANES;
   LLVMPositionBuilderAtEnd(j->ir, new_block(&s));
   s.unit = LLVMGetParam(s.function, 0);
   s.exec = LLVMGetParam(s.function, 2);
   s.data = texels(j, s.unit);
   for (unsigned k = 0; k < 4; k++)
      s.strq[k] = load_at(j, row_type(&s, j->f32), LLVMGetParam(s.function, 1), (int64_t)k * ROW_B, 64);
   const uint32_t operands = cf_tex_operands(key->mode | key->offsets);
   for (unsigned k = 0; k < CF_TEX_OPERANDS; k++) {
      if (operands >> k & 1)
         s.operand[k] = load_at(j, row_type(&s, k == CF_OPERAND_OFFSETS ? j->i32 : j->f32),
                                LLVMGetParam(s.function, 1), (int64_t)(4 + k) * ROW_B, 64);
   }
   sample(&s, rgba);
   for (unsigned c = 0; c < 4; c++) {
      if (key->mask >> c & 1)
         store_at(j, rgba[c], LLVMGetParam(s.function, 4), (int64_t)c * ROW_B, 64);
   }
   LLVMBuildRetVoid(j->ir);
}

/* ---- samples inlined in a program ---- */

static struct sampler
short_sampler(struct cf_jit_ir *j, const struct cf_sample_key *key, LLVMValueRef unit)
{
   return (struct sampler){
      .j = j,
      .key = key,
      .unit = unit,
      .exec = LLVMConstAllOnes(j->i32),
      .function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(j->ir)),
   };
}

unsigned
cf_jit_short_together(struct cf_jit_ir *j, const struct cf_sample_key *key)
{
   const struct sampler s = short_sampler(j, key, NULL);
   return !key->min_linear && cf_jit_has_windows(&s, CF_WINDOW_OF_QUAD) ? CF_JIT_TOGETHER : 1;
}

/* The level of samples of one level: the first, or the one that all of them fetch from. */
static struct level
short_level(struct sampler *s, const struct cf_jit_request *first, LLVMValueRef *exists)
{
   memcpy(s->strq, first->strq, sizeof(s->strq));
   if (s->key->mode == CF_TEXMODE_FETCH)
      return cf_jit_fetched_level(s, exists);
   return level_of(s, &(struct choice){ .index = first_level(s) }, NULL);
}

static void
place_short(struct sampler *s, const struct cf_jit_request *request, struct level *level,
            LLVMValueRef exists, struct taps *taps)
{
   LLVMValueRef str[3], major[2];
   memcpy(s->strq, request->strq, sizeof(s->strq));
   s->operand[CF_OPERAND_OFFSETS] = request->offsets;
   if (s->key->mode == CF_TEXMODE_FETCH) {
      cf_jit_place_fetch(s, level, exists, taps);
      return;
   }
   address(s, str, major);
   cf_jit_place_taps(s, level, s->key->min_linear, taps);
}

void
cf_jit_fetch_short(struct cf_jit_ir *j, const struct cf_sample_key *key, LLVMValueRef unit,
                   unsigned count, const struct cf_jit_request *requests,
                   struct cf_jit_short *fetched)
{
   struct sampler s = short_sampler(j, key, unit);
   struct taps taps[CF_JIT_TOGETHER];
   LLVMValueRef reference[CF_JIT_TOGETHER], exists = NULL;
   s.data = texels(j, unit);
   struct level level = short_level(&s, requests, &exists);
   for (unsigned n = 0; n < count; n++) {
      place_short(&s, &requests[n], &level, exists, &taps[n]);
      reference[n] = s.reference;
   }
   memset(fetched, 0, count * sizeof(*fetched));
   if (count == 1) {
      cf_jit_sample_taps(&s, &level, key->min_linear, taps, fetched->rgba);
      return;
   }
   cf_jit_fetch_taps(&s, &level, key->min_linear, taps, count);
   for (unsigned n = 0; n < count; n++) {
      fetched[n].reference = reference[n];
      fetched[n].inside = taps[n].inside;
      for (unsigned a = 0; a < key->dims; a++)
         fetched[n].weight[a] = taps[n].axis[a].weight;
      for (unsigned k = 0; k < CF_IMAGE_TEXELS; k++)
         fetched[n].texel[k] = taps[n].texel[k][0];
   }
}

void
cf_jit_filter_short(struct cf_jit_ir *j, const struct cf_sample_key *key, LLVMValueRef unit,
                    const struct cf_jit_short *fetched, LLVMValueRef rgba[4])
{
   struct sampler s = short_sampler(j, key, unit);
   s.reference = fetched->reference;
   struct taps taps = { .inside = fetched->inside };
   memcpy(rgba, fetched->rgba, sizeof(fetched->rgba));
   if (rgba[0])
      return;
   for (unsigned a = 0; a < key->dims; a++)
      taps.axis[a].weight = fetched->weight[a];
   for (unsigned k = 0; k < CF_IMAGE_TEXELS; k++)
      taps.texel[k][0] = fetched->texel[k];
   cf_jit_filter_taps(&s, key->min_linear, &taps, rgba);
}
