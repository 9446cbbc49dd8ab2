/* SPDX-License-Identifier: MIT */
/*
 * Inside the translation of samples: what its parts share. A row has a value for each lane of the task; the vectors of 8 have one
 * for each quad.
 *
 * Coordinates and levels (cf_jit_sample_ir.c), by the level of detail (cf_jit_lod_ir.c) -> one level, sampled (cf_jit_texel_ir.c), its
 * texels fetched one by one, in windows (cf_jit_window_ir.c), or beyond the seams of cubes (cf_jit_seam_ir.c).
 */
#ifndef CF_JIT_SAMPLER_H
#define CF_JIT_SAMPLER_H

#include <stddef.h>

#include "clipfree/jit/cf_jit_source.h"
#include "clipfree/jit/llvm/cf_jit_ir.h"
#include "clipfree/texture/cf_texture.h"

#define ROW_B (CF_TASK_LANES * 4)

struct sampler {
   struct cf_jit_ir *j;
   const struct cf_sample_key *key;
   LLVMValueRef function, unit, exec;
   LLVMValueRef strq[4];          /* rows */
   LLVMValueRef gradient[CF_GRADIENTS]; /* rows, of requests with gradients */
   LLVMValueRef data;
   LLVMValueRef coord[3];         /* on the texture or face */
   LLVMValueRef layer;            /* cube face or array layer of each lane, or NULL */
   LLVMValueRef reference;        /* that depth is compared with, or NULL */
   LLVMValueRef out[4], blend[4]; /* slots */
};

/* One level for every lane: integers. */
struct level {
   LLVMValueRef size_px[3], row_B, layer_B;
   LLVMValueRef base_B; /* of the level, or of one image of it: of the array's layer, or the cube's face */
   LLVMValueRef same; /* boolean: it is the same in all lanes. NULL: always */
   bool coarse;       /* its texels are not smaller than pixels */
};

/* The texels an axis touches, and the weight of the second, a float. */
struct axis {
   LLVMValueRef index[2], weight;
   LLVMValueRef outside[2]; /* booleans: the border is there. NULL: it never is */
};

/* ---- short names ---- */

static inline LLVMValueRef
f32_of(const struct sampler *s, float value)
{
   union {
      float f;
      uint32_t u;
   } bits = { .f = value };
   return constant_f32(s->j, bits.u);
}

static inline LLVMValueRef
u32_of(const struct sampler *s, uint32_t value)
{
   return constant_i32(s->j, value);
}

#define OPERATION(name, Build)                                                                                         \
   static inline LLVMValueRef name(const struct sampler *s, LLVMValueRef a, LLVMValueRef b)                                   \
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

static inline LLVMValueRef
shl(const struct sampler *s, LLVMValueRef a, unsigned bits)
{
   return bits ? LLVMBuildShl(s->j->ir, a, u32_of(s, bits), "") : a;
}

static inline LLVMValueRef
shr(const struct sampler *s, LLVMValueRef a, unsigned bits)
{
   return bits ? LLVMBuildLShr(s->j->ir, a, u32_of(s, bits), "") : a;
}

static inline LLVMValueRef
compare_floats(const struct sampler *s, LLVMRealPredicate how, LLVMValueRef a, LLVMValueRef b)
{
   return LLVMBuildFCmp(s->j->ir, how, a, b, "");
}

static inline LLVMValueRef
compare_ints(const struct sampler *s, LLVMIntPredicate how, LLVMValueRef a, LLVMValueRef b)
{
   return LLVMBuildICmp(s->j->ir, how, a, b, "");
}

/* a > b ? a : b, and a < b ? a : b: one instruction of the host each, b if there is a NaN. */
static inline LLVMValueRef
fmax_or(const struct sampler *s, LLVMValueRef a, LLVMValueRef b)
{
   return choose(s->j, compare_floats(s, LLVMRealOGT, a, b), a, b);
}

static inline LLVMValueRef
fmin_or(const struct sampler *s, LLVMValueRef a, LLVMValueRef b)
{
   return choose(s->j, compare_floats(s, LLVMRealOLT, a, b), a, b);
}

static inline LLVMValueRef
imax(const struct sampler *s, LLVMValueRef a, LLVMValueRef b)
{
   return choose(s->j, compare_ints(s, LLVMIntSGT, a, b), a, b);
}

static inline LLVMValueRef
imin(const struct sampler *s, LLVMValueRef a, LLVMValueRef b)
{
   return choose(s->j, compare_ints(s, LLVMIntSLT, a, b), a, b);
}

/* ---- the unit ---- */

#define LEVEL_B(field) (offsetof(struct cf_texture_unit, level) + offsetof(struct cf_texture_level, field))

static inline LLVMValueRef
unit_field(const struct sampler *s, LLVMTypeRef type, size_t offset_B)
{
   return load_input(s->j, type, s->unit, (int64_t)offset_B, 4);
}

static inline LLVMValueRef
first_level(const struct sampler *s)
{
   return unit_field(s, s->j->i32, offsetof(struct cf_texture_unit, texture.first_level));
}

/* What LEVEL_B() of a level is relative to. */
static inline LLVMValueRef
level_address(const struct sampler *s, LLVMValueRef index)
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMValueRef at = LLVMBuildMul(ir, LLVMBuildZExt(ir, index, s->j->i64, ""),
                                  LLVMConstInt(s->j->i64, sizeof(struct cf_texture_level), 0), "");
   return LLVMBuildGEP2(ir, s->j->i8, s->unit, &at, 1, "");
}

/* ---- lanes ---- */

static inline LLVMTypeRef
row_type(const struct sampler *s, LLVMTypeRef element)
{
   return LLVMVectorType(element, CF_TASK_LANES);
}

/* Lane `lane` of every quad. */
static inline LLVMValueRef
of_quads(const struct sampler *s, LLVMValueRef row, unsigned lane)
{
   LLVMValueRef index[CF_TASK_QUADS];
   for (unsigned q = 0; q < CF_TASK_QUADS; q++)
      index[q] = LLVMConstInt(s->j->i32, 4 * q + lane, 0);
   return LLVMBuildShuffleVector(s->j->ir, row, LLVMGetUndef(LLVMTypeOf(row)), LLVMConstVector(index, CF_TASK_QUADS),
                                 "");
}

/* All lanes of what was computed for all lanes, one a quad, or one. */
static inline LLVMValueRef
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
static inline LLVMValueRef
mask_in(const struct sampler *s, LLVMValueRef lanes, LLVMValueRef exec)
{
   return and(s, LLVMBuildBitCast(s->j->ir, lanes, s->j->i32, ""), exec);
}

static inline LLVMValueRef
any(const struct sampler *s, LLVMValueRef mask)
{
   return compare_ints(s, LLVMIntNE, mask, LLVMConstInt(s->j->i32, 0, 0));
}

/* ---- memory ---- */

/* Memory at the function's beginning. */
static inline LLVMValueRef
allocate(const struct sampler *s, LLVMTypeRef type)
{
   LLVMBasicBlockRef here = LLVMGetInsertBlock(s->j->ir);
   LLVMPositionBuilderBefore(s->j->ir, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(s->function)));
   LLVMValueRef memory = LLVMBuildAlloca(s->j->ir, type, "");
   LLVMSetAlignment(memory, 64);
   LLVMPositionBuilderAtEnd(s->j->ir, here);
   return memory;
}

/* Offsets go through memory, from where each is an operand of its own: taking so many out of vectors costs more than loads of what
 * they point to. */
static inline void
store_offsets(const struct sampler *s, LLVMValueRef offset_B, LLVMValueRef memory, unsigned at_B)
{
   LLVMValueRef store = LLVMBuildStore(s->j->ir, offset_B, byte_offset(s->j, memory, at_B));
   LLVMSetVolatile(store, true);
}

/* Aligned to dwords, at base + the offset at memory + at_B. */
static inline LLVMValueRef
load_at_offset(const struct sampler *s, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef memory, unsigned at_B)
{
   LLVMValueRef offset_B = load_at(s->j, s->j->i32, memory, at_B, 4);
   LLVMSetVolatile(offset_B, true);
   LLVMValueRef at = LLVMBuildZExt(s->j->ir, offset_B, s->j->i64, "");
   return load_at(s->j, type, LLVMBuildGEP2(s->j->ir, s->j->i8, base, &at, 1, ""), 0, 4);
}

/* ---- blocks ---- */

static inline LLVMBasicBlockRef
new_block(const struct sampler *s)
{
   return LLVMAppendBasicBlockInContext(s->j->context, s->function, "");
}

/* What follows is done if `condition`; returns the block that end_if takes. */
static inline LLVMBasicBlockRef
begin_if(const struct sampler *s, LLVMValueRef condition)
{
   LLVMBasicBlockRef inside = new_block(s), after = new_block(s);
   LLVMBuildCondBr(s->j->ir, condition, inside, after);
   LLVMPositionBuilderAtEnd(s->j->ir, inside);
   return after;
}

static inline void
end_if(const struct sampler *s, LLVMBasicBlockRef after)
{
   LLVMBuildBr(s->j->ir, after);
   LLVMMoveBasicBlockAfter(after, LLVMGetLastBasicBlock(s->function));
   LLVMPositionBuilderAtEnd(s->j->ir, after);
}

/* ---- level of detail ---- */

/* The probes of an anisotropic filter, by lane: the first lies `step` after `start`, and so does each from the one before. */
struct probe_lanes {
   LLVMValueRef count, start[3], step[3]; /* floats */
   LLVMValueRef most;                     /* of the lanes in exec: one integer */
};

struct detail {
   LLVMValueRef lod;     /* clamped: of lanes, of quads, or one: as many as differ */
   LLVMValueRef longest; /* the squared length in texels that it was made of, where that is all; or NULL */
   struct probe_lanes probes; /* count NULL: there are none, what is sampled is the pixel */
};

/** Of a sample at these coordinates, after projection. major: of cubes, whether x, y is the major axis. Leaves j->lanes at detail->lod's. */
void cf_jit_level_of_detail(const struct sampler *s, const LLVMValueRef str[3], const LLVMValueRef major[2], struct detail *detail);

/* ---- texels ---- */

/* What one sample needs of one level: where linear filters have several texels, bit a of a texel's number says which of axis a. */
#define CF_IMAGE_TEXELS 4 /* at most, of one image; 3D textures take two */
#define CF_TEXEL_DWORDS 4
struct taps {
   struct axis axis[3];
   LLVMValueRef texel[2 * CF_IMAGE_TEXELS][CF_TEXEL_DWORDS]; /* rows of those dwords that have channels */
   LLVMValueRef missing; /* of each lane, the texel that is not there, at a corner of a cube; NULL: none is */
};

/* ---- parts ---- */

/** Where samples at s->coord fall on a level. */
void cf_jit_place_taps(const struct sampler *s, const struct level *level, bool linear, struct taps *taps);

/** Where a linear filter of one that knows no edges falls: indices are -1 to the size, or one more for the second. */
struct axis cf_jit_unbounded_axis(const struct sampler *s, LLVMValueRef coord, LLVMValueRef size_px);

/** The texel x, y of an image. */
void cf_jit_fetch_texel(const struct sampler *s, const struct level *image, LLVMValueRef x, LLVMValueRef y,
                        LLVMValueRef texel[CF_TEXEL_DWORDS]);

/** Fetch the texels of `count` samples that were placed, at most CF_JIT_TOGETHER; 1 of 3D textures. */
void cf_jit_fetch_taps(const struct sampler *s, const struct level *level, bool linear, struct taps *taps, unsigned count);

/** Floats of the sample, compared with s->reference if the key says so; components outside of the key's mask are 0. */
void cf_jit_filter_taps(const struct sampler *s, bool linear, const struct taps *taps, LLVMValueRef result[4]);

/** Whether a linear filter at s->coord takes texels beyond the edges of its face of a cube, in some of `lanes`. */
LLVMValueRef cf_jit_crosses_seams(const struct sampler *s, const struct level *level, LLVMValueRef lanes);

/** Sample a level of a cube with the linear filter, the texels beyond the edges of a face from the face there. */
void cf_jit_sample_over_seams(const struct sampler *s, const struct level *level, LLVMValueRef result[4]);

/** Values of load_B bytes (1, 2 or 4) at base + offset of every lane, one load a lane. */
LLVMValueRef cf_jit_load_dwords(const struct sampler *s, LLVMValueRef base, LLVMValueRef offset_B, unsigned load_B);

/** Dwords at base + offset of every lane, gathered if the host can. */
LLVMValueRef cf_jit_load_words(const struct sampler *s, LLVMValueRef base, LLVMValueRef offset_B);

/** `count` dwords from base + offset of every lane on, which are 2 to 4: one load a lane. */
void cf_jit_load_texels(const struct sampler *s, LLVMValueRef base, LLVMValueRef offset_B, unsigned count,
                        LLVMValueRef dword[CF_TEXEL_DWORDS]);

/** Texels x, y, decoded, of a compressed texture whose blocks with them begin at these offsets. */
LLVMValueRef cf_jit_load_s3tc(const struct sampler *s, LLVMValueRef block_B, LLVMValueRef x, LLVMValueRef y);

/* Lanes that share a window (cf_jit_window_ir.c). */
#define CF_WINDOW_OF_QUAD 4
#define CF_WINDOW_OF_HALF 16

/** Are there windows of so many lanes for textures of this state? */
bool cf_jit_has_windows(const struct sampler *s, unsigned lanes);

/* Another way to fetch, from one image. */
typedef void (*cf_jit_fetch)(const struct sampler *s, const struct level *level, bool linear, struct taps *taps,
                             unsigned count);

/** Fetch from an image's windows if all texels that their lanes need, for all these samples, are within them; else with `otherwise`. */
void cf_jit_fetch_windows(const struct sampler *s, const struct level *level, bool linear, struct taps *taps,
                          unsigned count, unsigned lanes, cf_jit_fetch otherwise);

#endif
