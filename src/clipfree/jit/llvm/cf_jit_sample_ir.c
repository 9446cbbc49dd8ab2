/* SPDX-License-Identifier: MIT */
/*
 * Sampling to LLVM IR, for textures and samplers of one state: the same bits as texture/cf_sample_lanes.c, which is the
 * specification and says the why of every formula; here is only what the state needs of it.
 *
 * Data flow: coordinates -> (projection, cube face) -> level of detail -> level (and the next one) of each lane -> wrap
 * modes -> offsets -> texels -> integer filter -> rows of floats. All lanes are computed, the caller takes those it
 * needs; wrap modes bring every lane inside the texture, so loads need no mask.
 *
 * The level of detail of 2D textures is computed once a quad, in vectors of 8. Levels that are equal in all lanes that count,
 * as nearly always, are scalars.
 */
#include "clipfree/jit/llvm/cf_jit_sample_ir.h"

#include <stddef.h>

#include "clipfree/isa/cf_isa.h"
#include "clipfree/jit/llvm/cf_jit_alu.h"
#include "clipfree/jit/llvm/cf_jit_llvm.h"
#include "clipfree/texture/cf_texture.h"

#define ROW_B (CF_TASK_LANES * 4)

struct sampler {
   struct cf_jit_ir *j;
   const struct cf_sample_key *key;
   LLVMValueRef function, unit, exec;
   LLVMValueRef strq[4];          /* rows */
   LLVMValueRef data;
   LLVMValueRef s, t;  /* coordinates on the texture or face */
   LLVMValueRef layer; /* cube face of each lane, or NULL */
   LLVMValueRef out[4], blend[4]; /* slots */
};

/* One level for every lane: integers. */
struct level {
   LLVMValueRef width_px, height_px, row_B, base_B;
};

/* The texels an axis touches, and the weight of the second in 1/256. */
struct axis {
   LLVMValueRef index[2], weight;
};

/* ---- short names ---- */

static LLVMValueRef
f32_of(const struct sampler *s, float value)
{
   union {
      float f;
      uint32_t u;
   } bits = { .f = value };
   return constant_f32(s->j, bits.u);
}

static LLVMValueRef
u32_of(const struct sampler *s, uint32_t value)
{
   return constant_i32(s->j, value);
}

#define OPERATION(name, Build)                                                                                         \
   static LLVMValueRef name(const struct sampler *s, LLVMValueRef a, LLVMValueRef b)                                   \
   {                                                                                                                   \
      return LLVMBuild##Build(s->j->ir, a, b, "");                                                                     \
   }
OPERATION(fadd, FAdd)
OPERATION(fsub, FSub)
OPERATION(fmul, FMul)
OPERATION(fdiv, FDiv)
OPERATION(add, Add)
OPERATION(sub, Sub)
OPERATION(mul, Mul)
OPERATION(and, And)
OPERATION(or, Or)
#undef OPERATION

static LLVMValueRef
shl(const struct sampler *s, LLVMValueRef a, unsigned bits)
{
   return bits ? LLVMBuildShl(s->j->ir, a, u32_of(s, bits), "") : a;
}

static LLVMValueRef
shr(const struct sampler *s, LLVMValueRef a, unsigned bits)
{
   return bits ? LLVMBuildLShr(s->j->ir, a, u32_of(s, bits), "") : a;
}

static LLVMValueRef
compare_floats(const struct sampler *s, LLVMRealPredicate how, LLVMValueRef a, LLVMValueRef b)
{
   return LLVMBuildFCmp(s->j->ir, how, a, b, "");
}

static LLVMValueRef
compare_ints(const struct sampler *s, LLVMIntPredicate how, LLVMValueRef a, LLVMValueRef b)
{
   return LLVMBuildICmp(s->j->ir, how, a, b, "");
}

/* a > b ? a : b, and a < b ? a : b: one instruction of the host each, b if there is a NaN. */
static LLVMValueRef
fmax_or(const struct sampler *s, LLVMValueRef a, LLVMValueRef b)
{
   return choose(s->j, compare_floats(s, LLVMRealOGT, a, b), a, b);
}

static LLVMValueRef
fmin_or(const struct sampler *s, LLVMValueRef a, LLVMValueRef b)
{
   return choose(s->j, compare_floats(s, LLVMRealOLT, a, b), a, b);
}

static LLVMValueRef
imin(const struct sampler *s, LLVMValueRef a, LLVMValueRef b)
{
   return choose(s->j, compare_ints(s, LLVMIntSLT, a, b), a, b);
}

/* ---- lanes ---- */

static LLVMTypeRef
row_type(const struct sampler *s, LLVMTypeRef element)
{
   return LLVMVectorType(element, CF_TASK_LANES);
}

/* Lane `lane` of every quad. */
static LLVMValueRef
of_quads(const struct sampler *s, LLVMValueRef row, unsigned lane)
{
   LLVMValueRef index[CF_TASK_QUADS];
   for (unsigned q = 0; q < CF_TASK_QUADS; q++)
      index[q] = LLVMConstInt(s->j->i32, 4 * q + lane, 0);
   return LLVMBuildShuffleVector(s->j->ir, row, LLVMGetUndef(LLVMTypeOf(row)), LLVMConstVector(index, CF_TASK_QUADS),
                                 "");
}

/* All lanes of what was computed for all lanes, one a quad, or one. */
static LLVMValueRef
to_lanes(const struct sampler *s, LLVMValueRef value)
{
   LLVMTypeRef type = LLVMTypeOf(value);
   if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
      return splat(s->j, value);
   if (LLVMGetVectorSize(type) == CF_TASK_LANES)
      return value;
   LLVMValueRef index[CF_TASK_LANES];
   for (unsigned l = 0; l < CF_TASK_LANES; l++)
      index[l] = LLVMConstInt(s->j->i32, l / 4, 0);
   return LLVMBuildShuffleVector(s->j->ir, value, LLVMGetUndef(type), LLVMConstVector(index, CF_TASK_LANES), "");
}

/* Booleans of lanes to a mask, those of exec. */
static LLVMValueRef
mask_in(const struct sampler *s, LLVMValueRef lanes, LLVMValueRef exec)
{
   return and(s, LLVMBuildBitCast(s->j->ir, lanes, s->j->i32, ""), exec);
}

static LLVMValueRef
any(const struct sampler *s, LLVMValueRef mask)
{
   return compare_ints(s, LLVMIntNE, mask, LLVMConstInt(s->j->i32, 0, 0));
}

/* ---- blocks ---- */

static LLVMBasicBlockRef
new_block(const struct sampler *s)
{
   return LLVMAppendBasicBlockInContext(s->j->context, s->function, "");
}

/* What follows is done if `condition`; returns the block that end_if takes. */
static LLVMBasicBlockRef
begin_if(const struct sampler *s, LLVMValueRef condition)
{
   LLVMBasicBlockRef inside = new_block(s), after = new_block(s);
   LLVMBuildCondBr(s->j->ir, condition, inside, after);
   LLVMPositionBuilderAtEnd(s->j->ir, inside);
   return after;
}

static void
end_if(const struct sampler *s, LLVMBasicBlockRef after)
{
   LLVMBuildBr(s->j->ir, after);
   LLVMMoveBasicBlockAfter(after, LLVMGetLastBasicBlock(s->function));
   LLVMPositionBuilderAtEnd(s->j->ir, after);
}

/* ---- levels ---- */

#define LEVEL_B(field) (offsetof(struct cf_texture_unit, level) + offsetof(struct cf_texture_level, field))
static const size_t level_field_B[] = { LEVEL_B(width_px), LEVEL_B(height_px), LEVEL_B(row_pitch_B), LEVEL_B(offset_B),
                                        LEVEL_B(layer_pitch_B) };
enum { WIDTH, HEIGHT, ROW, OFFSET, LAYER, FIELDS };

static LLVMValueRef
unit_field(const struct sampler *s, LLVMTypeRef type, size_t offset_B)
{
   return load_input(s->j, type, s->unit, (int64_t)offset_B, 4);
}

static LLVMValueRef
first_level(const struct sampler *s)
{
   return unit_field(s, s->j->i32, offsetof(struct cf_texture_unit, texture.first_level));
}

/* What LEVEL_B() of a level is relative to. */
static LLVMValueRef
level_address(const struct sampler *s, LLVMValueRef index)
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMValueRef at = LLVMBuildMul(ir, LLVMBuildZExt(ir, index, s->j->i64, ""),
                                  LLVMConstInt(s->j->i64, sizeof(struct cf_texture_level), 0), "");
   return LLVMBuildGEP2(ir, s->j->i8, s->unit, &at, 1, "");
}

/* Fields of one level, in all lanes. */
static void
load_level(const struct sampler *s, LLVMValueRef index, LLVMValueRef field[FIELDS])
{
   LLVMValueRef level = level_address(s, index);
   for (unsigned n = 0; n < FIELDS; n++)
      field[n] = splat(s->j, load_input(s->j, s->j->i32, level, (int64_t)level_field_B[n], 4));
}

static LLVMValueRef load_dwords(const struct sampler *s, LLVMValueRef base, LLVMValueRef offset_B, unsigned load_B);

/* Fields of every lane's level. */
static void
load_levels(const struct sampler *s, LLVMValueRef index, LLVMValueRef field[FIELDS])
{
   LLVMValueRef at = mul(s, index, u32_of(s, sizeof(struct cf_texture_level)));
   for (unsigned n = 0; n < FIELDS; n++)
      field[n] = load_dwords(s, s->unit, add(s, at, u32_of(s, (uint32_t)level_field_B[n])), 4);
}

/* The first lane of a mask that is not 0. */
static LLVMValueRef
first_of(const struct sampler *s, LLVMValueRef lanes)
{
   LLVMTypeRef type = s->j->i32;
   const unsigned id = LLVMLookupIntrinsicID("llvm.cttz", 9);
   LLVMValueRef arguments[2] = { lanes, LLVMConstInt(s->j->i1, 1, 0) };
   return LLVMBuildCall2(s->j->ir, LLVMIntrinsicGetType(s->j->context, id, &type, 1),
                         LLVMGetIntrinsicDeclaration(s->j->module, id, &type, 1), arguments, 2, "");
}

/* Fields of the lanes' levels: two ways, one for a level that is the same in all of `lanes`, which is not 0; they meet
 * again. */
static void
load_either(const struct sampler *s, LLVMValueRef index, LLVMValueRef lanes, LLVMValueRef result[FIELDS])
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMValueRef field[2][FIELDS];
   LLVMBasicBlockRef way[2] = { new_block(s), new_block(s) }, meet = new_block(s);
   LLVMValueRef first = LLVMBuildExtractElement(ir, index, first_of(s, lanes), "");
   LLVMValueRef others = mask_in(s, compare_ints(s, LLVMIntNE, index, splat(s->j, first)), lanes);
   LLVMBuildCondBr(ir, any(s, others), way[1], way[0]);
   LLVMPositionBuilderAtEnd(ir, way[0]);
   load_level(s, first, field[0]);
   LLVMBuildBr(ir, meet);
   LLVMPositionBuilderAtEnd(ir, way[1]);
   load_levels(s, index, field[1]);
   LLVMBuildBr(ir, meet);
   LLVMMoveBasicBlockAfter(meet, LLVMGetLastBasicBlock(s->function));
   LLVMPositionBuilderAtEnd(ir, meet);
   for (unsigned n = 0; n < FIELDS; n++) {
      LLVMValueRef values[2] = { field[0][n], field[1][n] };
      result[n] = LLVMBuildPhi(ir, LLVMTypeOf(field[0][n]), "");
      LLVMAddIncoming(result[n], values, way, 2);
   }
}

/* The levels of lanes, or the one of all (a scalar); `lanes` are those that count. */
static struct level
level_of(const struct sampler *s, LLVMValueRef index, LLVMValueRef lanes)
{
   LLVMValueRef field[FIELDS];
   if (LLVMGetTypeKind(LLVMTypeOf(index)) == LLVMVectorTypeKind)
      load_either(s, index, lanes, field);
   else
      load_level(s, index, field);
   struct level level = { field[WIDTH], field[HEIGHT], field[ROW], field[OFFSET] };
   if (s->layer)
      level.base_B = add(s, level.base_B, mul(s, s->layer, field[LAYER]));
   return level;
}

/* ---- wrap modes ---- */

static LLVMValueRef
to_texels(const struct sampler *s, unsigned wrap, LLVMValueRef coord, LLVMValueRef size)
{
   if (s->key->unnormalized)
      return coord;
   if (wrap == CF_WRAP_REPEAT)
      coord = fsub(s, coord, cf_jit_floor(s->j, coord));
   if (wrap == CF_WRAP_MIRROR_REPEAT) {
      LLVMValueRef whole = cf_jit_floor(s->j, fmul(s, coord, f32_of(s, 0.5f)));
      LLVMValueRef m = fsub(s, coord, fmul(s, f32_of(s, 2.0f), whole));
      LLVMValueRef far = compare_floats(s, LLVMRealOGT, m, f32_of(s, 1.0f));
      coord = choose(s->j, far, fsub(s, f32_of(s, 2.0f), m), m);
   }
   return fmul(s, coord, size);
}

/* Weight of the second texel, from what is left of a coordinate in texels. */
static LLVMValueRef
weight_of(const struct sampler *s, LLVMValueRef fraction)
{
   return float_to_i32(s->j, fadd(s, fmul(s, fraction, f32_of(s, 256.0f)), f32_of(s, 0.5f)));
}

/* Coordinates that are held at the edge, after mirroring. Where both texels are the last of their side the weight does not
 * matter, so coordinates are clamped to the texels' centres first; that makes them positive, and a NaN 0. */
static struct axis
clamp_axis(const struct sampler *s, bool linear, LLVMValueRef u, LLVMValueRef last)
{
   struct axis axis = { { NULL } };
   LLVMValueRef inside = fmax_or(s, u, f32_of(s, 0.0f));
   inside = fmin_or(s, inside, i32_to_float(s->j, last));
   axis.index[0] = float_to_i32(s->j, inside);
   if (linear) {
      axis.index[1] = imin(s, add(s, axis.index[0], u32_of(s, 1)), last);
      axis.weight = weight_of(s, fsub(s, inside, i32_to_float(s->j, axis.index[0])));
   }
   return axis;
}

/* Repeated coordinates, in [0, size], less half a texel if linear; a NaN is in the last texel. */
static struct axis
repeat_axis(const struct sampler *s, bool linear, LLVMValueRef u, LLVMValueRef last)
{
   struct axis axis = { { NULL } };
   if (!linear) {
      axis.index[0] = float_to_i32(s->j, fmin_or(s, u, i32_to_float(s->j, last)));
      return axis;
   }
   LLVMValueRef inside = fmax_or(s, u, f32_of(s, -1.0f)), whole = cf_jit_floor(s->j, inside);
   LLVMValueRef i = float_to_i32(s->j, whole);
   axis.index[0] = choose(s->j, compare_ints(s, LLVMIntULT, i, last), i, last); /* -1: the last */
   axis.index[1] = choose(s->j, compare_ints(s, LLVMIntEQ, i, last), u32_of(s, 0), add(s, i, u32_of(s, 1)));
   axis.weight = weight_of(s, fsub(s, inside, whole));
   return axis;
}

/* Coordinate to texel indices and weight. */
static struct axis
wrap_axis(const struct sampler *s, unsigned wrap, bool linear, LLVMValueRef coord, LLVMValueRef size_px)
{
   LLVMValueRef size = i32_to_float(s->j, size_px), last = sub(s, size_px, u32_of(s, 1));
   LLVMValueRef u = to_texels(s, wrap, coord, size);
   u = linear ? fsub(s, u, f32_of(s, 0.5f)) : u;
   return wrap == CF_WRAP_REPEAT ? repeat_axis(s, linear, u, last) : clamp_axis(s, linear, u, last);
}

/* ---- texels ---- */

static LLVMValueRef
x_offset(const struct sampler *s, LLVMValueRef x)
{
   const unsigned pixel_B = s->key->pixel_B;
   if (!s->key->blocks)
      return mul(s, x, u32_of(s, pixel_B));
   LLVMValueRef block = shl(s, shr(s, x, 2), 4);
   LLVMValueRef in_block = add(s, and(s, x, u32_of(s, 1)), shl(s, and(s, x, u32_of(s, 2)), 1));
   return mul(s, add(s, block, in_block), u32_of(s, pixel_B));
}

static LLVMValueRef
y_offset(const struct sampler *s, LLVMValueRef y, const struct level *level)
{
   if (!s->key->blocks)
      return add(s, mul(s, y, level->row_B), level->base_B);
   LLVMValueRef in_block = add(s, shl(s, and(s, y, u32_of(s, 1)), 1), shl(s, and(s, y, u32_of(s, 2)), 2));
   LLVMValueRef rows = add(s, mul(s, shr(s, y, 2), level->row_B), level->base_B);
   return add(s, rows, mul(s, in_block, u32_of(s, s->key->pixel_B)));
}

/* A gather of sixteen dwords at base + offset, offsets below 2^31. */
static LLVMValueRef
gather(const struct sampler *s, LLVMValueRef base, LLVMValueRef offset_B)
{
   static const char name[] = "llvm.x86.avx512.mask.gather.dpi.512";
   LLVMTypeRef row = LLVMTypeOf(offset_B);
   LLVMTypeRef mask = LLVMVectorType(s->j->i1, 16);
   const unsigned id = LLVMLookupIntrinsicID(name, sizeof(name) - 1);
   LLVMValueRef arguments[5] = { LLVMGetUndef(row), base, offset_B, LLVMConstAllOnes(mask),
                                 LLVMConstInt(s->j->i32, 1, 0) };
   return LLVMBuildCall2(s->j->ir, LLVMIntrinsicGetType(s->j->context, id, NULL, 0),
                         LLVMGetIntrinsicDeclaration(s->j->module, id, NULL, 0), arguments, 5, "");
}

static LLVMValueRef
gather_row(const struct sampler *s, LLVMValueRef base, LLVMValueRef offset_B)
{
   LLVMValueRef index[CF_TASK_LANES], half[2];
   for (unsigned l = 0; l < CF_TASK_LANES; l++)
      index[l] = LLVMConstInt(s->j->i32, l, 0);
   for (unsigned h = 0; h < 2; h++)
      half[h] = gather(s, base,
                       LLVMBuildShuffleVector(s->j->ir, offset_B, LLVMGetUndef(LLVMTypeOf(offset_B)),
                                              LLVMConstVector(index + 16 * h, 16), ""));
   return LLVMBuildShuffleVector(s->j->ir, half[0], half[1], LLVMConstVector(index, CF_TASK_LANES), "");
}

/* Values of load_B bytes (1, 2 or 4) at base + offset of every lane, one load a lane. */
static LLVMValueRef
load_dwords(const struct sampler *s, LLVMValueRef base, LLVMValueRef offset_B, unsigned load_B)
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMTypeRef type = LLVMIntTypeInContext(s->j->context, 8 * load_B);
   LLVMValueRef row = LLVMGetUndef(row_type(s, s->j->i32));
   for (unsigned l = 0; l < CF_TASK_LANES; l++) {
      LLVMValueRef lane = LLVMConstInt(s->j->i32, l, 0);
      LLVMValueRef at = LLVMBuildZExt(ir, LLVMBuildExtractElement(ir, offset_B, lane, ""), s->j->i64, "");
      LLVMValueRef value = LLVMBuildLoad2(ir, type, LLVMBuildGEP2(ir, s->j->i8, base, &at, 1, ""), "");
      LLVMSetAlignment(value, 1);
      row = LLVMBuildInsertElement(ir, row, load_B == 4 ? value : LLVMBuildZExt(ir, value, s->j->i32, ""), lane, "");
   }
   return row;
}

/* The texels' bytes, in the low bits of dwords. Textures begin at a dword, so one that holds a texel is theirs. */
static LLVMValueRef
load_texels(const struct sampler *s, LLVMValueRef offset_B)
{
   const unsigned pixel_B = s->key->pixel_B;
   if (!s->j->gathers)
      return load_dwords(s, s->data, offset_B, pixel_B);
   if (pixel_B == 4)
      return gather_row(s, s->data, offset_B);
   LLVMValueRef dwords = gather_row(s, s->data, and(s, offset_B, u32_of(s, ~3u)));
   LLVMValueRef bits = shl(s, and(s, offset_B, u32_of(s, 3)), 3);
   return LLVMBuildLShr(s->j->ir, dwords, bits, "");
}

/* ---- filters ---- */

static LLVMValueRef
channel_bits(const struct sampler *s, LLVMValueRef texel, const struct cf_sample_component *c)
{
   return and(s, shr(s, texel, c->offset_bits), u32_of(s, (1u << c->bits) - 1));
}

/* u / max, rounded once; for 255 u times the first half of the reciprocal is exact. */
static LLVMValueRef
nearest_channel(const struct sampler *s, LLVMValueRef texel, const struct cf_sample_component *c)
{
   LLVMValueRef u = i32_to_float(s->j, channel_bits(s, texel, c));
   if (c->bits != 8)
      return fdiv(s, u, f32_of(s, (float)((1 << c->bits) - 1)));
   const float high = 0x1.0101p-8f, low = (float)(1.0 / 255.0 - 0x1.0101p-8);
   return fadd(s, fmul(s, u, f32_of(s, high)), fmul(s, u, f32_of(s, low)));
}

/* t0 256 + (t1 - t0) weight */
static LLVMValueRef
mix(const struct sampler *s, LLVMValueRef t0, LLVMValueRef t1, LLVMValueRef weight)
{
   return add(s, shl(s, t0, 8), mul(s, sub(s, t1, t0), weight));
}

static LLVMValueRef
linear_channel(const struct sampler *s, const LLVMValueRef texel[4], const struct cf_sample_component *c,
               const struct axis *x, const struct axis *y)
{
   LLVMValueRef row[2];
   const float scale = 1.0f / ((float)((1 << c->bits) - 1) * 65536.0f);
   for (unsigned n = 0; n < 2; n++) {
      if (s->key->pixel_B == 4 && c->bits == 8) {
         /* bytes 0 and 2, or 1 and 3, of a texel at once: 16 bits each, which their sums fit (cf_sample_rgba8.h). Equal
          * channels' rows are shared by LLVM. */
         const unsigned odd = c->offset_bits & 8;
         LLVMValueRef pair[2];
         for (unsigned i = 0; i < 2; i++)
            pair[i] = and(s, shr(s, texel[2 * n + i], odd), u32_of(s, 0xff00ff));
         row[n] = mix(s, pair[0], pair[1], x->weight);
         row[n] = and(s, shr(s, row[n], c->offset_bits & 16), u32_of(s, 0xffff));
      } else {
         row[n] = mix(s, channel_bits(s, texel[2 * n], c), channel_bits(s, texel[2 * n + 1], c), x->weight);
      }
   }
   return fmul(s, i32_to_float(s->j, mix(s, row[0], row[1], y->weight)), f32_of(s, scale));
}

/* Sample one level of every lane with one filter. */
static void
sample_level(const struct sampler *s, const struct level *level, bool linear, LLVMValueRef result[4])
{
   LLVMValueRef x_B[2], y_B[2], texel[4];
   const struct axis x = wrap_axis(s, s->key->wrap_s, linear, s->s, level->width_px);
   const struct axis y = wrap_axis(s, s->key->wrap_t, linear, s->t, level->height_px);
   for (unsigned n = 0; n < (linear ? 2 : 1); n++) {
      x_B[n] = x_offset(s, x.index[n]);
      y_B[n] = y_offset(s, y.index[n], level);
   }
   for (unsigned n = 0; n < (linear ? 4 : 1); n++)
      texel[n] = load_texels(s, add(s, x_B[n & 1], y_B[n >> 1]));
   for (unsigned c = 0; c < 4; c++) {
      const struct cf_sample_component *component = &s->key->component[c];
      if (component->source != CF_SAMPLE_CHANNEL)
         result[c] = f32_of(s, component->source == CF_SAMPLE_ONE ? 1.0f : 0.0f);
      else if (linear)
         result[c] = linear_channel(s, texel, component, &x, &y);
      else
         result[c] = nearest_channel(s, texel[0], component);
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

/* Sample lanes in `lanes` at their levels to the slots. `magnified` (or NULL: none): those that the magnification filter is
 * for. */
static void
sample_lanes(const struct sampler *s, LLVMValueRef index, LLVMValueRef magnified, LLVMValueRef lanes,
             const LLVMValueRef slot[4])
{
   LLVMValueRef result[4];
   const struct level level = level_of(s, index, lanes);
   if (!magnified || s->key->min_linear == s->key->mag_linear) {
      sample_level(s, &level, s->key->min_linear, result);
      store_slots(s, slot, result);
      return;
   }
   LLVMValueRef is_magnified = mask_in(s, magnified, lanes);
   LLVMBasicBlockRef after =
      begin_if(s, compare_ints(s, LLVMIntNE, is_magnified, lanes)); /* some are not */
   sample_level(s, &level, s->key->min_linear, result);
   store_slots(s, slot, result);
   end_if(s, after);
   after = begin_if(s, any(s, is_magnified));
   sample_level(s, &level, s->key->mag_linear, result);
   for (unsigned c = 0; c < 4; c++)
      result[c] = choose(s->j, magnified, result[c], load_slot(s, slot[c]));
   store_slots(s, slot, result);
   end_if(s, after);
}

/* ---- level of detail ---- */

/* Whether lane 0 and lane `other` of the quad are both in exec, for every quad or (of cubes) lane. */
static LLVMValueRef
both_in_exec(const struct sampler *s, unsigned other)
{
   LLVMValueRef bits[CF_TASK_LANES];
   const unsigned each = CF_TASK_LANES / s->j->lanes;
   for (unsigned n = 0; n < s->j->lanes; n++)
      bits[n] = LLVMConstInt(s->j->i32, (1u | 1u << other) << (n * each & ~3u), 0);
   LLVMValueRef both = LLVMConstVector(bits, s->j->lanes);
   return compare_ints(s, LLVMIntEQ, and(s, splat(s->j, s->exec), both), both);
}

static LLVMValueRef
base_size(const struct sampler *s, size_t field_B)
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMValueRef level = level_address(s, first_level(s));
   return splat(s->j, LLVMBuildUIToFP(ir, load_input(s->j, s->j->i32, level, (int64_t)field_B, 4), s->j->f32, ""));
}

/* Squared length of the derivative towards lane `other` of each quad, in texels of the first level; 0 where a lane is not
 * in exec. */
static LLVMValueRef
footprint_squared(const struct sampler *s, unsigned other)
{
   LLVMValueRef across = fsub(s, of_quads(s, s->s, other), of_quads(s, s->s, 0));
   LLVMValueRef down = fsub(s, of_quads(s, s->t, other), of_quads(s, s->t, 0));
   if (!s->key->unnormalized) {
      across = fmul(s, across, base_size(s, LEVEL_B(width_px)));
      down = fmul(s, down, base_size(s, LEVEL_B(height_px)));
   }
   LLVMValueRef squared = fadd(s, fmul(s, across, across), fmul(s, down, down));
   return choose(s->j, both_in_exec(s, other), squared, f32_of(s, 0.0f));
}

/* The same on the face of a cube that each lane itself is on. */
static LLVMValueRef
cube_footprint_squared(const struct sampler *s, const LLVMValueRef str[3], const LLVMValueRef major[2], unsigned other)
{
   struct cf_jit_ir *j = s->j;
   LLVMValueRef ma[2], sc[2], tc[2]; /* of lane 0 of the quad and lane `other` */
   LLVMValueRef is_z = LLVMBuildNot(j->ir, or(s, major[0], major[1]), "");
   for (unsigned n = 0; n < 2; n++) {
      LLVMValueRef x[3];
      for (unsigned a = 0; a < 3; a++)
         x[a] = to_lanes(s, of_quads(s, str[a], n ? other : 0));
      ma[n] = choose(j, major[0], x[0], choose(j, major[1], x[1], x[2]));
      sc[n] = choose(j, major[0], x[1], x[0]);
      tc[n] = choose(j, is_z, x[1], x[2]);
   }
   LLVMValueRef size = fmul(s, f32_of(s, 0.5f), base_size(s, LEVEL_B(width_px)));
   LLVMValueRef scale = fdiv(s, size, fmul(s, ma[0], ma[1]));
   LLVMValueRef du = fmul(s, fsub(s, fmul(s, sc[1], ma[0]), fmul(s, sc[0], ma[1])), scale);
   LLVMValueRef dv = fmul(s, fsub(s, fmul(s, tc[1], ma[0]), fmul(s, tc[0], ma[1])), scale);
   LLVMValueRef squared = fadd(s, fmul(s, du, du), fmul(s, dv, dv));
   return choose(j, both_in_exec(s, other), squared, f32_of(s, 0.0f));
}

/* One a quad; of cubes, one a lane. str, major: of cubes. */
static LLVMValueRef
implicit_lod(const struct sampler *s, const LLVMValueRef str[3], const LLVMValueRef major[2])
{
   LLVMValueRef squared[2];
   s->j->lanes = s->key->cube ? CF_TASK_LANES : CF_TASK_QUADS;
   for (unsigned n = 0; n < 2; n++)
      squared[n] = s->key->cube ? cube_footprint_squared(s, str, major, n + 1) : footprint_squared(s, n + 1);
   LLVMValueRef lod = fmul(s, f32_of(s, 0.5f), cf_jit_log2(s->j, fmax_or(s, squared[0], squared[1])));
   s->j->lanes = CF_TASK_LANES;
   return lod;
}

static void
set_lanes_like(const struct sampler *s, LLVMValueRef value)
{
   LLVMTypeRef type = LLVMTypeOf(value);
   s->j->lanes = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

/* The clamped level of detail, of as many lanes as differ: leaves j->lanes at that. */
static LLVMValueRef
level_of_detail(const struct sampler *s, const LLVMValueRef str[3], const LLVMValueRef major[2])
{
   LLVMValueRef lod;
   if (s->key->mode == CF_TEXMODE_LOD)
      lod = s->strq[3];
   else if (s->key->quads)
      lod = implicit_lod(s, str, major);
   else
      lod = LLVMConstNull(s->j->f32);
   if (s->key->mode == CF_TEXMODE_BIAS)
      lod = fadd(s, to_lanes(s, lod), s->strq[3]);
   set_lanes_like(s, lod);
   const size_t sampler_B = offsetof(struct cf_texture_unit, sampler);
   LLVMValueRef bias = unit_field(s, s->j->f32, sampler_B + offsetof(struct cf_sampler, lod_bias));
   LLVMValueRef low = unit_field(s, s->j->f32, sampler_B + offsetof(struct cf_sampler, min_lod));
   LLVMValueRef high = unit_field(s, s->j->f32, sampler_B + offsetof(struct cf_sampler, max_lod));
   lod = fadd(s, lod, splat(s->j, bias));
   return fmax_or(s, fmin_or(s, lod, splat(s->j, high)), splat(s->j, low));
}

/* What the level of detail of lanes comes to. */
struct selection {
   LLVMValueRef level, next, magnified, weight; /* weight: of next, or NULL */
};

static struct selection
select_levels(const struct sampler *s, LLVMValueRef lod)
{
   struct selection selection = { 0 };
   LLVMValueRef first = splat(s->j, first_level(s));
   LLVMValueRef last = splat(s->j, unit_field(s, s->j->i32, offsetof(struct cf_texture_unit, texture.last_level)));
   LLVMValueRef zero = f32_of(s, 0.0f);
   selection.magnified = compare_floats(s, LLVMRealOLE, lod, zero);
   selection.level = first;
   if (s->key->mip != CF_MIP_NONE) {
      LLVMValueRef bounded = fmin_or(s, fmax_or(s, lod, zero), f32_of(s, 16.0f));
      LLVMValueRef whole = s->key->mip == CF_MIP_NEAREST
                              ? fsub(s, cf_jit_ceil(s->j, fadd(s, bounded, f32_of(s, 0.5f))), f32_of(s, 1.0f))
                              : cf_jit_floor(s->j, bounded);
      LLVMValueRef at = add(s, first, float_to_i32(s->j, whole));
      selection.level = imin(s, choose(s->j, selection.magnified, first, at), last);
      if (s->key->mip == CF_MIP_LINEAR) {
         LLVMValueRef more = compare_ints(s, LLVMIntSLT, selection.level, last);
         more = and(s, more, LLVMBuildNot(s->j->ir, selection.magnified, ""));
         selection.weight = choose(s->j, more, fsub(s, bounded, whole), zero);
         selection.next = imin(s, add(s, selection.level, u32_of(s, 1)), last);
      }
   }
   return selection;
}

/* Filters and mipmaps. */
static void
sample_filtered(const struct sampler *s, const LLVMValueRef str[3], const LLVMValueRef major[2])
{
   struct selection selection = select_levels(s, level_of_detail(s, str, major));
   s->j->lanes = CF_TASK_LANES;
   selection.magnified = to_lanes(s, selection.magnified);
   if (s->key->mip != CF_MIP_NONE)
      selection.level = to_lanes(s, selection.level);
   else
      selection.level = first_level(s);
   sample_lanes(s, selection.level, selection.magnified, s->exec, s->out);
   if (!selection.weight)
      return;
   selection.weight = to_lanes(s, selection.weight);
   LLVMValueRef blended = compare_floats(s, LLVMRealOGT, selection.weight, f32_of(s, 0.0f));
   LLVMValueRef lanes = mask_in(s, blended, s->exec);
   LLVMBasicBlockRef after = begin_if(s, any(s, lanes));
   sample_lanes(s, to_lanes(s, selection.next), selection.magnified, lanes, s->blend);
   for (unsigned c = 0; c < 4; c++) {
      LLVMValueRef lower = load_slot(s, s->out[c]), upper = load_slot(s, s->blend[c]);
      LLVMValueRef mixed = fadd(s, lower, fmul(s, selection.weight, fsub(s, upper, lower)));
      LLVMBuildStore(s->j->ir, choose(s->j, blended, mixed, lower), s->out[c]);
   }
   end_if(s, after);
}

/* ---- coordinates ---- */

/* Direction to face and coordinates on it; major: whether x, y is the major axis. */
static void
select_faces(struct sampler *s, const LLVMValueRef str[3], LLVMValueRef major[2])
{
   struct cf_jit_ir *j = s->j;
   LLVMValueRef a[3], minus[3];
   for (unsigned i = 0; i < 3; i++) {
      a[i] = cf_jit_fabs(j, str[i]);
      minus[i] = LLVMBuildFNeg(j->ir, str[i], "");
   }
   LLVMValueRef is_x = and(s, compare_floats(s, LLVMRealOGE, a[0], a[1]), compare_floats(s, LLVMRealOGE, a[0], a[2]));
   LLVMValueRef is_y = and(s, LLVMBuildNot(j->ir, is_x, ""), compare_floats(s, LLVMRealOGE, a[1], a[2]));
   LLVMValueRef m = choose(j, is_x, str[0], choose(j, is_y, str[1], str[2]));
   LLVMValueRef negative = compare_floats(s, LLVMRealOLT, m, f32_of(s, 0.0f));
   LLVMValueRef sc = choose(j, is_x, choose(j, negative, str[2], minus[2]),
                            choose(j, is_y, str[0], choose(j, negative, minus[0], str[0])));
   LLVMValueRef tc = choose(j, is_y, choose(j, negative, minus[2], str[2]), minus[1]);
   LLVMValueRef ma = cf_jit_fabs(j, m), one = f32_of(s, 1.0f), half = f32_of(s, 0.5f);
   s->s = fmul(s, fadd(s, fdiv(s, sc, ma), one), half);
   s->t = fmul(s, fadd(s, fdiv(s, tc, ma), one), half);
   LLVMValueRef face = choose(j, is_x, u32_of(s, 0), choose(j, is_y, u32_of(s, 2), u32_of(s, 4)));
   s->layer = add(s, face, bool_to_int(j, negative));
   major[0] = is_x;
   major[1] = is_y;
}

/* Coordinates on the texture; str, major: of the face. */
static void
address(struct sampler *s, LLVMValueRef str[3], LLVMValueRef major[2])
{
   for (unsigned a = 0; a < (s->key->cube ? 3 : 2); a++) {
      str[a] = s->strq[a];
      if (s->key->mode == CF_TEXMODE_PROJ)
         str[a] = fdiv(s, str[a], s->strq[3]);
   }
   s->s = str[0];
   s->t = str[1];
   if (s->key->cube)
      select_faces(s, str, major);
}

static void
sample_first_level(const struct sampler *s, LLVMValueRef rgba[4])
{
   const struct level level = level_of(s, first_level(s), NULL);
   sample_level(s, &level, s->key->min_linear, rgba);
}

/* ---- the function ---- */

static void
make_slots(const struct sampler *s, LLVMValueRef slot[4])
{
   for (unsigned c = 0; c < 4; c++) {
      slot[c] = LLVMBuildAlloca(s->j->ir, row_type(s, s->j->f32), "");
      LLVMBuildStore(s->j->ir, LLVMConstNull(row_type(s, s->j->f32)), slot[c]);
   }
}

static void
sample(struct sampler *s, LLVMValueRef rgba[4])
{
   LLVMValueRef str[3] = { NULL }, major[2] = { NULL };
   address(s, str, major);
   if (!s->key->needs_lod) {
      sample_first_level(s, rgba);
      return;
   }
   make_slots(s, s->out);
   make_slots(s, s->blend);
   sample_filtered(s, str, major);
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
   sample(&s, rgba);
   for (unsigned c = 0; c < 4; c++) {
      if (key->mask >> c & 1)
         store_at(j, rgba[c], LLVMGetParam(s.function, 4), (int64_t)c * ROW_B, 64);
   }
   LLVMBuildRetVoid(j->ir);
}

void
cf_jit_sample_short(struct cf_jit_ir *j, const struct cf_sample_key *key, LLVMValueRef unit,
                    const LLVMValueRef strq[4], LLVMValueRef rgba[4])
{
   struct sampler s = { .j = j, .key = key, .unit = unit, .data = texels(j, unit) };
   LLVMValueRef str[3], major[2];
   memcpy(s.strq, strq, sizeof(s.strq));
   address(&s, str, major);
   sample_first_level(&s, rgba);
}
