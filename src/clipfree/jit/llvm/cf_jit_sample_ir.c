/* SPDX-License-Identifier: MIT */
/*
 * Sampling to LLVM IR, for textures and samplers of one state: bit-exact with the specification,
 * texture/cf_sample_lanes.c, which explains every formula. Only the operations that the state needs
 * are emitted.
 *
 * Data flow: coordinates -> (projection, cube face, array layer) -> level of detail
 * (cf_jit_lod_ir.c) -> level (and the next one) of each lane (cf_jit_level_ir.c) -> samples of one
 * level (cf_jit_texel_ir.c), per probe for anisotropic filters. From the levels on part by part
 * (cf_jit_parts_ir.c), from the beginning if there is a level of detail for each lane.
 */
#include "clipfree/jit/llvm/cf_jit_sample_ir.h"

#include <stddef.h>

#include "clipfree/isa/cf_isa.h"
#include "clipfree/jit/cf_jit_llvm.h"
#include "clipfree/jit/llvm/cf_jit_alu.h"
#include "clipfree/jit/llvm/cf_jit_sampler.h"
#include "clipfree/texture/cf_texture.h"

/* ---- one level ---- */

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

/* Select the face of a direction and the coordinates on it. */
static void
select_faces(struct sampler *s, const LLVMValueRef str[3])
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
   s->major[0] = is_x;
   s->major[1] = is_y;
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

/* Set layer and coordinates on the image from str, after projection. */
static void
place_on_texture(struct sampler *s, const LLVMValueRef str[3])
{
   memcpy(s->coord, str, s->key->dims * sizeof(str[0]));
   if (s->key->cube)
      select_faces(s, str);
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

/* Set the coordinates that the request has. */
static void
address(struct sampler *s)
{
   const struct cf_sample_key *key = s->key;
   const unsigned count = key->cube || key->compare ? 3u : key->dims + key->array;
   memcpy(s->str, s->strq, count * sizeof(s->str[0]));
   if (key->mode == CF_TEXMODE_PROJ)
      project(s, count, s->str);
   if (key->compare)
      s->reference = cf_jit_q_is_reference(key) ? s->strq[3] : s->str[2];
   place_on_texture(s, s->str);
   if (key->array)
      select_layer(s, s->str[key->dims]);
}

/* ---- filters and mipmaps ---- */

/* Load the levels' fields once for all probes. */
static void
load_fields(const struct sampler *s, struct part_levels *of_part)
{
   of_part->loaded = true;
   of_part->fields[0] = cf_jit_level_of(s, &of_part->level, s->exec);
   if (of_part->weight)
      of_part->fields[1] = cf_jit_level_of(s, &of_part->next, s->exec);
}

static void
sample_next_level(const struct sampler *s, const struct part_levels *of_part, LLVMValueRef blended,
                  LLVMValueRef lanes)
{
   const struct level next =
      of_part->loaded ? of_part->fields[1] : cf_jit_level_of(s, &of_part->next, lanes);
   sample_lanes(s, &next, of_part->magnified, lanes, s->blend);
   for (unsigned c = 0; c < 4; c++) {
      LLVMValueRef lower = load_slot(s, s->out[c]), upper = load_slot(s, s->blend[c]);
      LLVMValueRef mixed = fadd(s, lower, fmul(s, of_part->weight, fsub(s, upper, lower)));
      LLVMBuildStore(s->j->ir, choose(s->j, blended, mixed, lower), s->out[c]);
   }
}

/* Sample at s->coord for `lanes`, into s->out. */
static void
sample_filtered(const struct sampler *s, const struct part_levels *of_part, LLVMValueRef lanes)
{
   const struct level level =
      of_part->loaded ? of_part->fields[0] : cf_jit_level_of(s, &of_part->level, lanes);
   sample_lanes(s, &level, of_part->magnified, lanes, s->out);
   if (!of_part->weight)
      return;
   LLVMValueRef blended = compare_floats(s, LLVMRealOGT, of_part->weight, f32_of(s, 0.0f));
   lanes = mask_in(s, blended, lanes);
   LLVMBasicBlockRef after = begin_if(s, any(s, lanes));
   sample_next_level(s, of_part, blended, lanes);
   end_if(s, after);
}

/* ---- the anisotropic filter ---- */

/* The probes of this part's lanes: probe n = 1 .. count is at start + n * step. */
struct probe_lanes {
   LLVMValueRef count, start[3], step[3], reciprocal; /* floats */
};

static struct probe_lanes
probes_of(const struct sampler *s, const struct filter_probes *of)
{
   struct probe_lanes probes = { .count = cf_jit_of_lanes(s, of->count),
                                 .reciprocal = cf_jit_of_lanes(s, of->reciprocal) };
   for (unsigned a = 0; a < (s->key->cube ? 3u : s->key->dims); a++) {
      probes.start[a] = fsub(s, s->str[a], cf_jit_of_lanes(s, of->back[a]));
      probes.step[a] = cf_jit_of_lanes(s, of->step[a]);
   }
   return probes;
}

/* Add the sample of probe `number` to `sum`. */
static void
sample_probe(const struct sampler *s, const struct probe_lanes *probes,
             const struct part_levels *of_part, LLVMValueRef number, const LLVMValueRef sum[4])
{
   struct sampler probe = *s;
   LLVMValueRef str[3] = { NULL };
   LLVMValueRef at = i32_to_float(s->j, splat(s->j, number));
   LLVMValueRef wanted = compare_floats(s, LLVMRealOGE, probes->count, at);
   for (unsigned a = 0; a < (s->key->cube ? 3u : s->key->dims); a++)
      str[a] = fadd(s, probes->start[a], fmul(s, at, probes->step[a]));
   place_on_texture(&probe, str);
   sample_filtered(&probe, of_part, mask_in(s, wanted, s->exec));
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
sample_probes(const struct sampler *s, const struct probe_lanes *probes,
              const struct part_levels *of_part)
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMValueRef sum[4], one = LLVMConstInt(s->j->i32, 1, 0);
   LLVMValueRef most = cf_jit_most_in_exec(s, probes->count);
   for (unsigned c = 0; c < 4; c++) {
      sum[c] = allocate(s, row_type(s, s->j->f32));
      LLVMBuildStore(ir, f32_of(s, -0.0f), sum[c]); /* adding to -0 changes no value */
   }
   LLVMBasicBlockRef before = LLVMGetInsertBlock(ir), loop = new_block(s);
   LLVMBuildBr(ir, loop);
   LLVMPositionBuilderAtEnd(ir, loop);
   LLVMValueRef number = LLVMBuildPhi(ir, s->j->i32, "");
   sample_probe(s, probes, of_part, number, sum);
   LLVMBasicBlockRef end = LLVMGetInsertBlock(ir), after = new_block(s);
   LLVMValueRef next = LLVMBuildAdd(ir, number, one, "");
   LLVMAddIncoming(number, &one, &before, 1);
   LLVMAddIncoming(number, &next, &end, 1);
   LLVMBuildCondBr(ir, compare_ints(s, LLVMIntSLE, next, most), loop, after);
   LLVMPositionBuilderAtEnd(ir, after);
   for (unsigned c = 0; c < 4; c++)
      LLVMBuildStore(ir, mean(s, load_slot(s, sum[c]), probes), s->out[c]);
}

/* ---- the function ---- */

/* Memory of a request and of its result: rows. */
struct sample_memory {
   LLVMValueRef request, result;
};

/* Load the operands: all rows that the mode may have, of this part. */
static void
load_operands(struct sampler *s, const struct sample_memory *memory)
{
   const uint32_t operands = cf_tex_operands(s->key->mode | s->key->offsets);
   LLVMValueRef request = cf_jit_part_of_row(s, memory->request);
   for (unsigned k = 0; k < 4; k++)
      s->strq[k] = load_at(s->j, row_type(s, s->j->f32), request, (int64_t)k * ROW_B, ROW_ALIGN_B);
   for (unsigned k = 0; k < CF_TEX_OPERANDS; k++) {
      if (operands >> k & 1)
         s->operand[k] = load_at(s->j, row_type(s, k == CF_OPERAND_OFFSETS ? s->j->i32 : s->j->f32),
                                 request, (int64_t)(4 + k) * ROW_B, ROW_ALIGN_B);
   }
}

static void
make_slots(const struct sampler *s, LLVMValueRef slot[4])
{
   for (unsigned c = 0; c < 4; c++) {
      slot[c] = allocate(s, row_type(s, s->j->f32));
      LLVMBuildStore(s->j->ir, LLVMConstNull(row_type(s, s->j->f32)), slot[c]);
   }
}

/* Begin what is done for every part of the task, with operands and coordinates. */
static void
begin_parts(const struct sampler *s, const struct sample_memory *memory, struct sample_parts *parts)
{
   if (cf_jit_begin_parts(s, parts)) {
      load_operands(&parts->sampler, memory);
      address(&parts->sampler);
   }
   make_slots(&parts->sampler, parts->sampler.out);
   make_slots(&parts->sampler, parts->sampler.blend);
}

/* Store the part's results, which are in s->out. */
static void
end_parts(const struct sample_parts *parts, const struct sample_memory *memory)
{
   const struct sampler *s = &parts->sampler;
   LLVMValueRef result = cf_jit_part_of_row(s, memory->result);
   for (unsigned c = 0; c < 4; c++) {
      if (s->key->mask >> c & 1)
         store_at(s->j, load_slot(s, s->out[c]), result, (int64_t)c * ROW_B, ROW_ALIGN_B);
   }
   cf_jit_end_parts(parts);
}

/* Sample with mipmaps, or by several probes. d: NULL if there are no derivatives. */
static void
sample_by_detail(const struct sampler *s, const struct sample_memory *memory,
                 const struct derivative_lanes *d)
{
   struct detail detail;
   struct sample_parts parts;
   cf_jit_level_of_detail(s, d, &detail);
   const struct task_levels of_task = cf_jit_levels_of_task(s, &detail);
   begin_parts(s, memory, &parts);
   const struct sampler *part = &parts.sampler;
   struct part_levels of_part = cf_jit_levels_of_part(part, &of_task);
   if (of_task.probes.count) {
      const struct probe_lanes probes = probes_of(part, &of_task.probes);
      load_fields(part, &of_part);
      sample_probes(part, &probes, &of_part);
   } else {
      sample_filtered(part, &of_part, part->exec);
   }
   end_parts(&parts, memory);
}

/* One sample of the first level. */
static void
sample_once(const struct sampler *s, const struct sample_memory *memory, bool linear)
{
   struct sample_parts parts;
   LLVMValueRef rgba[4];
   begin_parts(s, memory, &parts);
   const struct sampler *part = &parts.sampler;
   const struct level level = cf_jit_levels(part, first_level(part), NULL);
   sample_level(part, &level, linear, part->exec, rgba);
   store_slots(part, part->out, rgba);
   end_parts(&parts, memory);
}

/* Magnified tasks of the anisotropic filter have a path of their own, which does not wait for the
 * number of probes and the level of detail; so have those of 3D textures, which know then that they
 * need one level and one filter. For trilinear filters of images, whose level is predicted, one
 * more branch is worth nothing. */
static void
sample_by_derivatives(const struct sampler *s, const struct sample_memory *memory)
{
   const struct derivative_lanes d = cf_jit_find_derivatives(s);
   const bool pays = s->key->anisotropic || s->key->dims == 3;
   if (s->key->mode == CF_TEXMODE_BIAS || !pays) {
      sample_by_detail(s, memory, &d);
      return;
   }
   LLVMBasicBlockRef magnified = new_block(s), minified = new_block(s), meet = new_block(s);
   LLVMBuildCondBr(s->j->ir, cf_jit_all_magnified(s, &d), magnified, minified);
   LLVMPositionBuilderAtEnd(s->j->ir, magnified);
   sample_once(s, memory, s->key->mag_linear);
   LLVMBuildBr(s->j->ir, meet);
   LLVMPositionBuilderAtEnd(s->j->ir, minified);
   sample_by_detail(s, memory, &d);
   end_if(s, meet);
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

/* Sample at the coordinates that were set. */
static void
sample(const struct sampler *s, const struct sample_memory *memory)
{
   if (!s->key->needs_lod)
      sample_once(s, memory, s->key->min_linear);
   else if (cf_jit_has_derivatives(s))
      sample_by_derivatives(s, memory);
   else
      sample_by_detail(s, memory, NULL);
}

/* Whether the level of detail is the same in all lanes of a quad, so that the task has few. */
static bool
has_detail_of_quads(const struct sampler *s)
{
   return s->key->needs_lod && cf_jit_has_derivatives(s) && !s->key->cube &&
          s->key->mode != CF_TEXMODE_GRAD;
}

static LLVMValueRef
texels(const struct cf_jit_ir *j, LLVMValueRef unit)
{
   return load_input(j, j->pointer, unit, offsetof(struct cf_texture_unit, data), 8);
}

/* Translate the function's body, from operands to results. */
static void
sample_rows(struct sampler *s, const struct sample_memory *memory)
{
   const bool fetches = s->key->mode == CF_TEXMODE_FETCH || s->key->mode == CF_TEXMODE_SIZE;
   struct sample_parts parts = { .sampler = *s };
   if (!has_detail_of_quads(s))
      cf_jit_begin_parts(s, &parts);
   struct sampler *part = &parts.sampler;
   load_operands(part, memory);
   if (fetches) {
      LLVMValueRef rgba[4];
      make_slots(part, part->out);
      (s->key->mode == CF_TEXMODE_FETCH ? sample_fetch : cf_jit_sample_size)(part, rgba);
      store_slots(part, part->out, rgba);
      end_parts(&parts, memory);
      return;
   }
   address(part);
   sample(part, memory);
   cf_jit_end_parts(&parts);
}

void
cf_jit_translate_sample(struct cf_jit_ir *j, const struct cf_sample_key *key)
{
   LLVMTypeRef types[5] = { j->pointer, j->pointer, j->i32, j->i32, j->pointer };
   LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(j->context), types, 5, 0);
   struct sampler s = { .j = j,
                        .key = key,
                        .function = LLVMAddFunction(j->module, CF_JIT_ENTRY, type),
                        .lanes = CF_TASK_LANES };
   const struct sample_memory memory = { LLVMGetParam(s.function, 1), LLVMGetParam(s.function, 4) };
   j->lanes = CF_TASK_LANES;
   LLVMPositionBuilderAtEnd(j->ir, new_block(&s));
   s.unit = LLVMGetParam(s.function, 0);
   s.exec = LLVMGetParam(s.function, 2);
   s.data = texels(j, s.unit);
   sample_rows(&s, &memory);
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
      .lanes = CF_TASK_LANES,
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
   return cf_jit_levels(s, first_level(s), NULL);
}

static void
place_short(struct sampler *s, const struct cf_jit_request *request, struct level *level,
            LLVMValueRef exists, struct taps *taps)
{
   memcpy(s->strq, request->strq, sizeof(s->strq));
   s->operand[CF_OPERAND_OFFSETS] = request->offsets;
   if (s->key->mode == CF_TEXMODE_FETCH) {
      cf_jit_place_fetch(s, level, exists, taps);
      return;
   }
   address(s);
   cf_jit_place_taps(s, level, s->key->min_linear, taps);
}

/* The operands of the lower or upper sixteen lanes. Texel offsets that are the same in all lanes
 * are splat anew, as repeated_bits does not recognise them in a half: coordinates then take one
 * division of scalars (moved_coordinate), not one a lane. */
static struct cf_jit_request
half_request(const struct cf_jit_ir *j, const struct cf_jit_request *request, unsigned half)
{
   struct cf_jit_request of_half = { .offsets = request->offsets };
   for (unsigned k = 0; k < 4; k++)
      of_half.strq[k] = half_of(j, request->strq[k], half);
   if (request->offsets) {
      LLVMValueRef same = repeated_bits(j, request->offsets);
      of_half.offsets = same ? splat(j, same) : half_of(j, request->offsets, half);
   }
   return of_half;
}

/* Sample the lower sixteen lanes of the task, then the upper ones, by code of their own each: rows
 * of sixteen lanes take half the registers. Measured, this pays in programs with three and more
 * samples of a texture (is_filter); one or two are faster as whole rows. */
static void
sample_halves(const struct sampler *s, const struct cf_jit_request *request, LLVMValueRef rgba[4])
{
   LLVMValueRef result[4][2];
   struct sampler part = *s;
   part.lanes = s->j->lanes = CF_TASK_LANES / 2;
   for (unsigned h = 0; h < 2; h++) {
      const struct cf_jit_request of_half = half_request(s->j, request, h);
      LLVMValueRef of_lanes[4];
      struct taps taps;
      struct level level = short_level(&part, &of_half, NULL);
      place_short(&part, &of_half, &level, NULL, &taps);
      cf_jit_sample_taps(&part, &level, s->key->min_linear, &taps, of_lanes);
      for (unsigned c = 0; c < 4; c++)
         result[c][h] = of_lanes[c];
   }
   s->j->lanes = CF_TASK_LANES;
   for (unsigned c = 0; c < 4; c++)
      rgba[c] = join(s, result[c], 2);
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
   memset(fetched, 0, count * sizeof(*fetched));
   if (key->is_filter && count == 1 && cf_jit_has_parts(&s)) {
      sample_halves(&s, requests, fetched->rgba);
      return;
   }
   struct level level = short_level(&s, requests, &exists);
   for (unsigned n = 0; n < count; n++) {
      place_short(&s, &requests[n], &level, exists, &taps[n]);
      reference[n] = s.reference;
   }
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
