/* SPDX-License-Identifier: MIT */
/*
 * What surrounds a fragment program in tasks that go from quads to pixels (struct cf_quad_work): barycentrics before it, and
 * writing colours after it, without a way through the task's memory.
 *
 * Bits are those of the primitive engine (cf_interpolate_lanes.c) and of the pixel engine (cf_pixel_words.c): the same operations in
 * the same order.
 *
 * Limitations: triangles in frames of one sample; one target, of the kind that struct cf_pixel_key describes.
 */
#include "clipfree/jit/llvm/cf_jit_translator.h"
#include "clipfree/primitive/cf_prim.h"

/* ---- vectors ---- */

/* Elements index[i] of a vector, or of two one after the other. */
static LLVMValueRef
shuffle(struct translator *t, LLVMValueRef a, LLVMValueRef b, const unsigned *index, unsigned count)
{
   LLVMValueRef mask[CF_TASK_LANES];
   for (unsigned i = 0; i < count; i++)
      mask[i] = LLVMConstInt(t->j.i32, index[i], 0);
   return LLVMBuildShuffleVector(t->j.ir, a, b ? b : LLVMGetUndef(LLVMTypeOf(a)), LLVMConstVector(mask, count), "");
}

/* Elements first, first + step, ... */
static LLVMValueRef
slice(struct translator *t, LLVMValueRef v, unsigned first, unsigned step, unsigned count)
{
   unsigned index[CF_TASK_LANES];
   for (unsigned i = 0; i < count; i++)
      index[i] = first + i * step;
   return shuffle(t, v, NULL, index, count);
}

static LLVMValueRef
concatenate(struct translator *t, LLVMValueRef a, LLVMValueRef b, unsigned count)
{
   unsigned index[CF_TASK_LANES];
   for (unsigned i = 0; i < count; i++)
      index[i] = i;
   return shuffle(t, a, b, index, count);
}

/* One element per quad to the quad's four lanes. */
static LLVMValueRef
quads_to_lanes(struct translator *t, LLVMValueRef quads)
{
   unsigned index[CF_TASK_LANES];
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++)
      index[lane] = lane / 4;
   return shuffle(t, quads, NULL, index, CF_TASK_LANES);
}

/* As many elements of i32 as the array has. */
static LLVMValueRef
constants(struct translator *t, const uint32_t *values, unsigned count)
{
   LLVMValueRef element[CF_TASK_LANES];
   for (unsigned i = 0; i < count; i++)
      element[i] = LLVMConstInt(t->j.i32, values[i], 0);
   return LLVMConstVector(element, count);
}

static LLVMValueRef
same(struct translator *t, uint32_t value, unsigned count)
{
   LLVMValueRef element[CF_TASK_LANES];
   for (unsigned i = 0; i < count; i++)
      element[i] = LLVMConstInt(t->j.i32, value, 0);
   return LLVMConstVector(element, count);
}

/* All elements of a vector of booleans are true. */
static LLVMValueRef
all_of(struct translator *t, LLVMValueRef booleans, unsigned count)
{
   LLVMTypeRef type = LLVMIntTypeInContext(t->j.context, count);
   return LLVMBuildICmp(t->j.ir, LLVMIntEQ, LLVMBuildBitCast(t->j.ir, booleans, type, ""), LLVMConstAllOnes(type), "");
}

static LLVMValueRef
float_constant(struct translator *t, float value)
{
   return constant_f32(&t->j, cf_bits(value));
}

/* v > low ? v : low, then less than high: NaN gives low. */
static LLVMValueRef
clamp(struct translator *t, LLVMValueRef v, LLVMValueRef low, LLVMValueRef high)
{
   v = choose(&t->j, LLVMBuildFCmp(t->j.ir, LLVMRealOGT, v, low, ""), v, low);
   return choose(&t->j, LLVMBuildFCmp(t->j.ir, LLVMRealOLT, v, high, ""), v, high);
}

static LLVMValueRef
saturate(struct translator *t, LLVMValueRef v)
{
   return clamp(t, v, float_constant(t, 0.0f), float_constant(t, 1.0f));
}

/* ---- before the program ---- */

static LLVMValueRef
load_work(struct translator *t, LLVMTypeRef type, size_t offset_B, unsigned align_B)
{
   LLVMValueRef work = load_input(&t->j, t->j.pointer, t->run, offsetof(struct cf_run, work), 8);
   return load_input(&t->j, type, work, (int64_t)offset_B, align_B);
}

/* A member of the primitives, in all lanes. `one`: they are all the same. */
static LLVMValueRef
member(struct translator *t, bool one, LLVMTypeRef type, unsigned align_B, size_t offset_B)
{
   LLVMValueRef quads = LLVMGetUndef(LLVMVectorType(type, CF_TASK_QUADS));
   if (one)
      return splat(&t->j, load_input(&t->j, type, t->prims[0], (int64_t)offset_B, align_B));
   for (unsigned q = 0; q < CF_TASK_QUADS; q++) {
      LLVMValueRef value = load_input(&t->j, type, t->prims[q], (int64_t)offset_B, align_B);
      quads = LLVMBuildInsertElement(t->j.ir, quads, value, LLVMConstInt(t->j.i32, q, 0), "");
   }
   return quads_to_lanes(t, quads);
}

/* x (k = 0) or y of the lanes' pixels, as integers. */
static LLVMValueRef
pixel_position(struct translator *t, unsigned k)
{
   uint32_t place[CF_TASK_LANES];
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++)
      place[lane] = lane >> k & 1;
   return LLVMBuildAdd(t->j.ir, quads_to_lanes(t, t->quad_px[k]), constants(t, place, CF_TASK_LANES), "");
}

static LLVMValueRef
to_f64(struct translator *t, LLVMValueRef integers)
{
   return LLVMBuildSIToFP(t->j.ir, integers, lanes_of(&t->j, t->j.f64), "");
}

static LLVMValueRef
to_f32(struct translator *t, LLVMValueRef doubles)
{
   return LLVMBuildFPTrunc(t->j.ir, doubles, lanes_of(&t->j, t->j.f32), "");
}

/* a x + b y + c at the lanes' pixels; where the coefficients are in a primitive. */
static LLVMValueRef
linear_function(struct translator *t, bool one, LLVMValueRef x, LLVMValueRef y, size_t a_B, size_t b_B, size_t c_B)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef ax = LLVMBuildFMul(ir, member(t, one, t->j.f64, 8, a_B), x, "");
   LLVMValueRef by = LLVMBuildFMul(ir, member(t, one, t->j.f64, 8, b_B), y, "");
   return LLVMBuildFAdd(ir, LLVMBuildFAdd(ir, ax, by, ""), member(t, one, t->j.f64, 8, c_B), "");
}

/* Paper A eq. 5, as store_barycentrics (cf_interpolate_lanes.c): all pixels of a frame of one sample that are covered have their
 * centre inside. Results: barycentrics, sum of weights. */
static void
barycentrics(struct translator *t, bool one, LLVMValueRef x, LLVMValueRef y, LLVMValueRef result[3])
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef covered = LLVMBuildBitCast(ir, load_slot(t, t->alive), lanes_of(&t->j, t->j.i1), "");
   LLVMValueRef low = choose(&t->j, covered, float_constant(t, 0.0f), float_constant(t, -0x1p127f));
   LLVMValueRef high = choose(&t->j, covered, float_constant(t, 1.0f), float_constant(t, 0x1p127f));
   LLVMValueRef e[3];
   for (unsigned i = 0; i < 3; i++) {
      const size_t at = i * sizeof(double);
      e[i] = linear_function(t, one, x, y, offsetof(struct cf_prim, a) + at, offsetof(struct cf_prim, b) + at,
                             offsetof(struct cf_prim, c) + at);
   }
   result[2] = LLVMBuildFAdd(ir, LLVMBuildFAdd(ir, e[0], e[1], ""), e[2], "");
   for (unsigned i = 0; i < 2; i++)
      result[i] = clamp(t, LLVMBuildFDiv(ir, to_f32(t, e[i]), to_f32(t, result[2]), ""), low, high);
}

/* The quads' primitives and positions, and whether they are one primitive's. In single loads: a wide one would have to wait for
 * the stores of the quads before it, which have just been made. */
static void
read_quads(struct translator *t)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef xy = LLVMGetUndef(LLVMVectorType(t->j.i32, CF_TASK_QUADS)), differences = NULL, first = NULL;
   LLVMValueRef quads = load_work(t, t->j.pointer, offsetof(struct cf_quad_work, quads), 8);
   _Static_assert(offsetof(struct cf_quad, y_px) == offsetof(struct cf_quad, x_px) + 2, "they are one dword");
   for (unsigned q = 0; q < CF_TASK_QUADS; q++) {
      /* no inputs: the list of quads changes from task to task */
      const int64_t at = (int64_t)(q * sizeof(struct cf_quad));
      t->prims[q] = load_at(&t->j, t->j.pointer, quads, at, 8);
      t->varyings[q] = load_input(&t->j, t->j.pointer, t->prims[q], offsetof(struct cf_prim, varyings), 8);
      LLVMValueRef position = load_at(&t->j, t->j.i32, quads, at + (int64_t)offsetof(struct cf_quad, x_px), 4);
      xy = LLVMBuildInsertElement(ir, xy, position, LLVMConstInt(t->j.i32, q, 0), "");
      LLVMValueRef prim = LLVMBuildPtrToInt(ir, t->prims[q], t->j.i64, "");
      first = first ? first : prim;
      prim = LLVMBuildXor(ir, prim, first, "");
      differences = differences ? LLVMBuildOr(ir, differences, prim, "") : prim;
   }
   t->quad_px[0] = LLVMBuildAnd(ir, xy, same(t, 0xffff, CF_TASK_QUADS), "");
   t->quad_px[1] = LLVMBuildLShr(ir, xy, same(t, 16, CF_TASK_QUADS), "");
   t->one_primitive = LLVMBuildICmp(ir, LLVMIntEQ, differences, LLVMConstNull(t->j.i64), "");
}

void
cf_jit_begin_quads(struct translator *t)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMBasicBlockRef way[2], meet;
   LLVMValueRef phi[3];
   read_quads(t);
   LLVMValueRef x = to_f64(t, pixel_position(t, 0)), y = to_f64(t, pixel_position(t, 1));
   for (unsigned i = 0; i < 2; i++)
      way[i] = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   meet = LLVMAppendBasicBlockInContext(t->j.context, t->function, "");
   LLVMBuildCondBr(ir, t->one_primitive, way[1], way[0]);
   LLVMPositionBuilderAtEnd(ir, meet);
   for (unsigned k = 0; k < 3; k++)
      phi[k] = LLVMBuildPhi(ir, lanes_of(&t->j, k < 2 ? t->j.f32 : t->j.f64), "");
   for (unsigned i = 0; i < 2; i++) {
      LLVMValueRef result[3];
      LLVMPositionBuilderAtEnd(ir, way[i]);
      barycentrics(t, i == 1, x, y, result);
      for (unsigned k = 0; k < 3; k++)
         LLVMAddIncoming(phi[k], &result[k], &way[i], 1);
      LLVMBuildBr(ir, meet);
   }
   LLVMPositionBuilderAtEnd(ir, meet);
   t->bary[0] = phi[0];
   t->bary[1] = phi[1];
   t->weight_sum = phi[2];
}

/* Window x (k = 0) or y. */
static LLVMValueRef
fragment_position(struct translator *t, unsigned k)
{
   LLVMValueRef centre = load_work(t, t->j.f32, offsetof(struct cf_quad_work, centre_px), 4);
   return LLVMBuildFAdd(t->j.ir, i32_to_float(&t->j, pixel_position(t, k)), splat(&t->j, centre), "");
}

/* Window depth, as depth_of_quad (cf_interpolate_lanes.c). */
static LLVMValueRef
fragment_depth(struct translator *t)
{
   LLVMValueRef x = to_f64(t, pixel_position(t, 0)), y = to_f64(t, pixel_position(t, 1));
   LLVMValueRef z = linear_function(t, false, x, y, offsetof(struct cf_prim, z_a), offsetof(struct cf_prim, z_b),
                                    offsetof(struct cf_prim, z_c));
   return clamp(t, to_f32(t, z), member(t, false, t->j.f32, 4, offsetof(struct cf_prim, z_min)),
                member(t, false, t->j.f32, 4, offsetof(struct cf_prim, z_max)));
}

LLVMValueRef
cf_jit_quads_sysval(struct translator *t, enum cf_sysval value)
{
   LLVMValueRef scale, front;
   switch (value) {
   case CF_SYSVAL_FRAG_X:
   case CF_SYSVAL_FRAG_Y:
      return bits_of(&t->j, fragment_position(t, value == CF_SYSVAL_FRAG_Y));
   case CF_SYSVAL_FRAG_Z:
      return bits_of(&t->j, fragment_depth(t));
   case CF_SYSVAL_FRAG_W:
      scale = member(t, false, t->j.f64, 8, offsetof(struct cf_prim, inv_scale));
      return bits_of(&t->j, to_f32(t, LLVMBuildFMul(t->j.ir, t->weight_sum, scale, "")));
   default: /* front_face */
      front = member(t, false, t->j.i8, 1, offsetof(struct cf_prim, front));
      front = LLVMBuildICmp(t->j.ir, LLVMIntNE, front, LLVMConstNull(LLVMTypeOf(front)), "");
      return LLVMBuildSExt(t->j.ir, front, row_type(t), "");
   }
}

/* ---- after the program ---- */

/* Byte offsets of the quads' pixels: quad_offset_B (cf_pixel_lanes.h). */
static LLVMValueRef
quad_offsets(struct translator *t)
{
   LLVMBuilderRef ir = t->j.ir;
   LLVMValueRef x = t->quad_px[0], y = t->quad_px[1];
   const unsigned lanes = t->j.lanes;
   t->j.lanes = CF_TASK_QUADS;
   LLVMValueRef pitch_B = splat(&t->j, load_work(t, t->j.i32, offsetof(struct cf_quad_work, row_pitch_B), 4));
   t->j.lanes = lanes;
   LLVMValueRef offset = LLVMBuildMul(ir, LLVMBuildLShr(ir, y, same(t, 2, CF_TASK_QUADS), ""), pitch_B, "");
   /* 16 pixels a block, 4 a quad */
   const uint32_t pixel_B = t->pixel->pixel_B;
   LLVMValueRef parts[3] = {
      LLVMBuildMul(ir, LLVMBuildLShr(ir, x, same(t, 2, CF_TASK_QUADS), ""), same(t, 16 * pixel_B, CF_TASK_QUADS), ""),
      LLVMBuildMul(ir, LLVMBuildAnd(ir, x, same(t, 2, CF_TASK_QUADS), ""), same(t, 2 * pixel_B, CF_TASK_QUADS), ""),
      LLVMBuildMul(ir, LLVMBuildAnd(ir, y, same(t, 2, CF_TASK_QUADS), ""), same(t, 4 * pixel_B, CF_TASK_QUADS), ""),
   };
   for (unsigned i = 0; i < 3; i++)
      offset = LLVMBuildAdd(ir, offset, parts[i], "");
   return offset;
}

/* Where the pixels are. */
struct places {
   LLVMValueRef quad[CF_TASK_QUADS]; /* pointers */
   LLVMValueRef blocks;              /* boolean: quads 0 .. 3 follow one another in memory, and so do 4 .. 7 */
};

static void
locate(struct translator *t, struct places *places)
{
   static const unsigned first[CF_TASK_QUADS] = { 0, 0, 0, 0, 4, 4, 4, 4 };
   LLVMBuilderRef ir = t->j.ir;
   uint32_t in_block_B[CF_TASK_QUADS];
   LLVMValueRef pixels = load_work(t, t->j.pointer, offsetof(struct cf_quad_work, pixels), 8);
   LLVMValueRef offsets = quad_offsets(t);
   for (unsigned q = 0; q < CF_TASK_QUADS; q++) {
      in_block_B[q] = q % 4 * 4 * t->pixel->pixel_B;
      LLVMValueRef offset = LLVMBuildExtractElement(ir, offsets, LLVMConstInt(t->j.i32, q, 0), "");
      offset = LLVMBuildZExt(ir, offset, t->j.i64, "");
      places->quad[q] = LLVMBuildGEP2(ir, t->j.i8, pixels, &offset, 1, "");
   }
   LLVMValueRef expected = LLVMBuildAdd(ir, shuffle(t, offsets, NULL, first, CF_TASK_QUADS),
                                        constants(t, in_block_B, CF_TASK_QUADS), "");
   places->blocks = all_of(t, LLVMBuildICmp(ir, LLVMIntEQ, offsets, expected, ""), CF_TASK_QUADS);
}

#define BLOCK (CF_TASK_LANES / 2) /* pixels */

/* Pixels that follow one another, as dwords. */
static LLVMValueRef
load_run(struct translator *t, LLVMValueRef at, unsigned count)
{
   const uint32_t pixel_B = t->pixel->pixel_B;
   LLVMTypeRef pixel = LLVMIntTypeInContext(t->j.context, 8 * pixel_B);
   LLVMValueRef pixels = load_at(&t->j, LLVMVectorType(pixel, count), at, 0, pixel_B);
   return LLVMBuildZExt(t->j.ir, pixels, LLVMVectorType(t->j.i32, count), "");
}

static void
store_run(struct translator *t, LLVMValueRef words, LLVMValueRef at, unsigned count)
{
   const uint32_t pixel_B = t->pixel->pixel_B;
   LLVMTypeRef pixel = LLVMIntTypeInContext(t->j.context, 8 * pixel_B);
   store_at(&t->j, LLVMBuildTrunc(t->j.ir, words, LLVMVectorType(pixel, count), ""), at, 0, pixel_B);
}

static LLVMValueRef
load_blocks(struct translator *t, const struct places *places)
{
   return concatenate(t, load_run(t, places->quad[0], BLOCK), load_run(t, places->quad[CF_TASK_QUADS / 2], BLOCK),
                      CF_TASK_LANES);
}

static void
store_blocks(struct translator *t, const struct places *places, LLVMValueRef words)
{
   store_run(t, slice(t, words, 0, 1, BLOCK), places->quad[0], BLOCK);
   store_run(t, slice(t, words, BLOCK, 1, BLOCK), places->quad[CF_TASK_QUADS / 2], BLOCK);
}

static LLVMValueRef
load_each(struct translator *t, const struct places *places)
{
   LLVMValueRef part[CF_TASK_QUADS];
   for (unsigned q = 0; q < CF_TASK_QUADS; q++)
      part[q] = load_run(t, places->quad[q], 4);
   for (unsigned count = CF_TASK_QUADS / 2; count; count /= 2) {
      for (unsigned i = 0; i < count; i++)
         part[i] = concatenate(t, part[2 * i], part[2 * i + 1], CF_TASK_LANES / count);
   }
   return part[0];
}

/* From the last to the first: copies of quad 0 are overwritten by it. */
static void
store_each(struct translator *t, const struct places *places, LLVMValueRef words)
{
   for (unsigned q = CF_TASK_QUADS; q-- > 0;)
      store_run(t, slice(t, words, 4 * q, 1, 4), places->quad[q], 4);
}

/* cf_scale_to_uint of a saturated value, shifted to its place. Adding 2^23 rounds, and leaves its own bits. */
static LLVMValueRef
pack_channel(struct translator *t, unsigned c, LLVMValueRef saturated)
{
   const struct cf_pixel_key *key = t->pixel;
   LLVMValueRef scaled = LLVMBuildFMul(t->j.ir, saturated, float_constant(t, (float)(UINT32_MAX >> (32 - key->bits[c]))), "");
   LLVMValueRef biased = bits_of(&t->j, LLVMBuildFAdd(t->j.ir, scaled, float_constant(t, 0x1p23f), ""));
   LLVMValueRef value = LLVMBuildSub(t->j.ir, biased, constant_i32(&t->j, cf_bits(0x1p23f)), "");
   return LLVMBuildShl(t->j.ir, value, constant_i32(&t->j, key->shift[c]), "");
}

/* offset + scale * alpha, for alpha in [0, 1]. */
static LLVMValueRef
factor(struct translator *t, int offset, int scale, LLVMValueRef alpha)
{
   LLVMValueRef product = LLVMBuildFMul(t->j.ir, float_constant(t, (float)scale), alpha, "");
   return LLVMBuildFAdd(t->j.ir, float_constant(t, (float)offset), product, "");
}

/* Component c of the pixels in memory. */
static LLVMValueRef
unpack_channel(struct translator *t, unsigned c, LLVMValueRef old)
{
   const struct cf_pixel_key *key = t->pixel;
   const uint32_t max = UINT32_MAX >> (32 - key->bits[c]);
   float reciprocal[2];
   cf_unorm_reciprocal(key->bits[c], reciprocal);
   LLVMValueRef u = LLVMBuildLShr(t->j.ir, old, constant_i32(&t->j, key->shift[c]), "");
   u = i32_to_float(&t->j, LLVMBuildAnd(t->j.ir, u, constant_i32(&t->j, max), ""));
   return LLVMBuildFAdd(t->j.ir, LLVMBuildFMul(t->j.ir, u, float_constant(t, reciprocal[0]), ""),
                        LLVMBuildFMul(t->j.ir, u, float_constant(t, reciprocal[1]), ""), "");
}

/* The pixels that the colours become. */
static LLVMValueRef
new_words(struct translator *t, LLVMValueRef old)
{
   const struct cf_pixel_key *key = t->pixel;
   LLVMValueRef words = constant_i32(&t->j, 0), color[4];
   for (unsigned c = 0; c < 4; c++)
      color[c] = saturate(t, float_of(&t->j, load_slot(t, t->out[c])));
   for (unsigned c = 0; c < 4; c++) {
      LLVMValueRef value = color[c];
      if (!(key->present >> c & 1))
         continue;
      if (key->blend) {
         LLVMValueRef src = LLVMBuildFMul(t->j.ir, value, factor(t, key->src_offset[c], key->src_scale[c], color[3]), "");
         LLVMValueRef dst = LLVMBuildFMul(t->j.ir, unpack_channel(t, c, old),
                                          factor(t, key->dst_offset[c], key->dst_scale[c], color[3]), "");
         value = saturate(t, LLVMBuildFAdd(t->j.ir, src, dst, ""));
      }
      words = LLVMBuildAdd(t->j.ir, words, pack_channel(t, c, value), "");
   }
   return words;
}

/* Two ways, for whole blocks that are written in full and for anything else, that meet again. */
struct ways {
   LLVMBasicBlockRef blocks, each, meet;
};

static struct ways
part_ways(struct translator *t, LLVMValueRef blocks)
{
   const struct ways ways = {
      LLVMAppendBasicBlockInContext(t->j.context, t->function, ""),
      LLVMAppendBasicBlockInContext(t->j.context, t->function, ""),
      LLVMAppendBasicBlockInContext(t->j.context, t->function, ""),
   };
   LLVMBuildCondBr(t->j.ir, blocks, ways.blocks, ways.each);
   return ways;
}

static LLVMValueRef
load_pixels(struct translator *t, const struct places *places, LLVMValueRef blocks)
{
   struct ways ways = part_ways(t, blocks);
   LLVMPositionBuilderAtEnd(t->j.ir, ways.meet);
   LLVMValueRef words = LLVMBuildPhi(t->j.ir, row_type(t), "");
   LLVMPositionBuilderAtEnd(t->j.ir, ways.blocks);
   LLVMValueRef value = load_blocks(t, places);
   LLVMAddIncoming(words, &value, &ways.blocks, 1);
   LLVMBuildBr(t->j.ir, ways.meet);
   LLVMPositionBuilderAtEnd(t->j.ir, ways.each);
   value = load_each(t, places);
   LLVMAddIncoming(words, &value, &ways.each, 1);
   LLVMBuildBr(t->j.ir, ways.meet);
   LLVMPositionBuilderAtEnd(t->j.ir, ways.meet);
   return words;
}

void
cf_jit_end_quads(struct translator *t)
{
   LLVMBuilderRef ir = t->j.ir;
   struct places places;
   locate(t, &places);
   LLVMValueRef alive = load_slot(t, t->alive);
   LLVMValueRef all = LLVMBuildICmp(ir, LLVMIntEQ, alive, mask_constant(t, UINT32_MAX), "");
   LLVMValueRef blocks = LLVMBuildAnd(ir, places.blocks, all, "");
   LLVMValueRef old = t->pixel->blend ? load_pixels(t, &places, blocks) : NULL;
   LLVMValueRef words = new_words(t, old);
   struct ways ways = part_ways(t, blocks);
   LLVMPositionBuilderAtEnd(ir, ways.blocks);
   store_blocks(t, &places, words);
   LLVMBuildBr(ir, ways.meet);
   /* whole quads are written, which are the tile's: its worker's alone */
   LLVMPositionBuilderAtEnd(ir, ways.each);
   LLVMValueRef lanes = LLVMBuildBitCast(ir, alive, lanes_of(&t->j, t->j.i1), "");
   store_each(t, &places, choose(&t->j, lanes, words, old ? old : load_each(t, &places)));
   LLVMBuildBr(ir, ways.meet);
   LLVMPositionBuilderAtEnd(ir, ways.meet);
}
