/* SPDX-License-Identifier: MIT */
/*
 * Shared declarations of the translation of samples. A row has a value for each lane of the task,
 * or of the part of it that is sampled (cf_jit_parts_ir.c); shorter vectors have one for each quad.
 *
 * Data flow: coordinates (cf_jit_sample_ir.c) -> level of detail (cf_jit_lod_ir.c) -> levels
 * (cf_jit_level_ir.c) -> one level sampled (cf_jit_texel_ir.c), with texels fetched one by one, in
 * windows (cf_jit_window_ir.c), or across the seams of cubes (cf_jit_seam_ir.c).
 */
#ifndef CF_JIT_SAMPLER_H
#define CF_JIT_SAMPLER_H

#include <stddef.h>

#include "clipfree/jit/cf_jit_source.h"
#include "clipfree/jit/llvm/cf_jit_ir.h"
#include "clipfree/texture/cf_texture.h"

#define ROW_B (CF_TASK_LANES * 4)
#define ROW_ALIGN_B 64 /* of rows of the task and of their parts, in memory */

struct sampler {
   struct cf_jit_ir *j;
   const struct cf_sample_key *key;
   LLVMValueRef function, unit;
   unsigned lanes;      /* of a row: of the task, or of a part of it */
   LLVMValueRef exec;   /* a bit for each of these */
   LLVMValueRef part_B; /* where the part begins in a row of the task; NULL: it is no part */
   LLVMValueRef strq[4];          /* rows */
   LLVMValueRef operand[CF_TEX_OPERANDS]; /* rows, those that the mode has */
   LLVMValueRef data;
   LLVMValueRef str[3];           /* rows: coordinates after projection */
   LLVMValueRef major[2];         /* of cubes: whether x, or y, is the major axis of str */
   LLVMValueRef coord[3];         /* on the texture or face */
   LLVMValueRef layer;            /* cube face or array layer of each lane, or NULL */
   LLVMValueRef reference;        /* of the shadow comparison, or NULL */
   LLVMValueRef out[4], blend[4]; /* slots of results: of the first level, of the next one */
};

/** Whether the reference value of a shadow texture is q, not r. */
static inline bool
cf_jit_q_is_reference(const struct cf_sample_key *key)
{
   return key->compare && (key->cube || (key->array && key->dims == 2));
}

/* The level of every lane; integers. */
struct level {
   LLVMValueRef size_px[3], row_B, layer_B;
   LLVMValueRef base_B; /* offset of the level, or of a layer or face in it */
   LLVMValueRef same; /* boolean: the level is the same in all lanes; NULL: always */
   bool coarse;       /* its texels are at least as large as pixels */
};

/* The two texels along an axis, and the weight of the second, a float. */
struct axis {
   LLVMValueRef index[2], weight;
   LLVMValueRef outside[2]; /* booleans: the texel is the border colour; NULL: never */
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
   return compare_f(s->j, how, a, b);
}

static inline LLVMValueRef
compare_ints(const struct sampler *s, LLVMIntPredicate how, LLVMValueRef a, LLVMValueRef b)
{
   return LLVMBuildICmp(s->j->ir, how, a, b, "");
}

/* a > b ? a : b, and a < b ? a : b: one host instruction each; b if either is a NaN. */
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

/* Levels are found by four bits of their numbers, so that the proof of the machine code sees that
 * they lie in the unit (jit/proof/). */
#define LEVEL_MASK 15
_Static_assert(CF_MAX_TEXTURE_LEVELS <= LEVEL_MASK + 1 &&
                  LEVEL_B(layer_pitch_B) + sizeof(uint32_t) +
                        LEVEL_MASK * sizeof(struct cf_texture_level) <=
                     sizeof(struct cf_texture_unit),
               "behind the last level lies more of the unit");

/* Address to which LEVEL_B() offsets of a level are relative. */
static inline LLVMValueRef
level_address(const struct sampler *s, LLVMValueRef index)
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMValueRef number = LLVMBuildAnd(ir, LLVMBuildZExt(ir, index, s->j->i64, ""),
                                      LLVMConstInt(s->j->i64, LEVEL_MASK, 0), "");
   LLVMValueRef at =
      LLVMBuildMul(ir, number, LLVMConstInt(s->j->i64, sizeof(struct cf_texture_level), 0), "");
   return LLVMBuildGEP2(ir, s->j->i8, s->unit, &at, 1, "");
}

/* ---- lanes ---- */

static inline LLVMTypeRef
row_type(const struct sampler *s, LLVMTypeRef element)
{
   return LLVMVectorType(element, s->lanes);
}

/* Lane `lane` of every quad. */
static inline LLVMValueRef
of_quads(const struct sampler *s, LLVMValueRef row, unsigned lane)
{
   LLVMValueRef index[CF_TASK_QUADS];
   const unsigned quads = s->lanes / 4;
   for (unsigned q = 0; q < quads; q++)
      index[q] = LLVMConstInt(s->j->i32, 4 * q + lane, 0);
   return LLVMBuildShuffleVector(s->j->ir, row, LLVMGetUndef(LLVMTypeOf(row)),
                                 LLVMConstVector(index, quads), "");
}

/* The level of each quad, that of its first lane; of images of two dimensions. */
static inline struct level
level_of_quads(const struct sampler *s, const struct level *level)
{
   return (struct level){
      .size_px = { of_quads(s, level->size_px[0], 0), of_quads(s, level->size_px[1], 0) },
      .row_B = of_quads(s, level->row_B, 0),
      .base_B = of_quads(s, level->base_B, 0),
   };
}

/* Broadcast a value of all lanes, of quads, or a scalar, to all lanes. */
static inline LLVMValueRef
to_lanes(const struct sampler *s, LLVMValueRef value)
{
   LLVMTypeRef type = LLVMTypeOf(value);
   if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
      return splat(s->j, value);
   if (LLVMGetVectorSize(type) == s->lanes)
      return value;
   LLVMValueRef index[CF_TASK_LANES];
   for (unsigned l = 0; l < s->lanes; l++)
      index[l] = LLVMConstInt(s->j->i32, l / 4, 0);
   return LLVMBuildShuffleVector(s->j->ir, value, LLVMGetUndef(type),
                                 LLVMConstVector(index, s->lanes), "");
}

/* Mask of the lanes in exec whose boolean is true. */
static inline LLVMValueRef
mask_in(const struct sampler *s, LLVMValueRef lanes, LLVMValueRef exec)
{
   LLVMTypeRef mask = LLVMIntTypeInContext(s->j->context, s->lanes);
   lanes = LLVMBuildBitCast(s->j->ir, lanes, mask, "");
   return and(s, LLVMBuildZExt(s->j->ir, lanes, s->j->i32, ""), exec);
}

/* The lanes in exec, as booleans. */
static inline LLVMValueRef
in_exec(const struct sampler *s)
{
   LLVMTypeRef mask = LLVMIntTypeInContext(s->j->context, s->lanes);
   return LLVMBuildBitCast(s->j->ir, LLVMBuildTrunc(s->j->ir, s->exec, mask, ""),
                           row_type(s, s->j->i1), "");
}

static inline LLVMValueRef
any(const struct sampler *s, LLVMValueRef mask)
{
   return compare_ints(s, LLVMIntNE, mask, LLVMConstInt(s->j->i32, 0, 0));
}

/* Index of the first lane of a non-zero mask. */
static inline LLVMValueRef
first_of(const struct sampler *s, LLVMValueRef lanes)
{
   LLVMTypeRef type = s->j->i32;
   const unsigned id = LLVMLookupIntrinsicID("llvm.cttz", 9);
   LLVMValueRef arguments[2] = { lanes, LLVMConstInt(s->j->i1, 1, 0) };
   return LLVMBuildCall2(s->j->ir, LLVMIntrinsicGetType(s->j->context, id, &type, 1),
                         LLVMGetIntrinsicDeclaration(s->j->module, id, &type, 1), arguments, 2, "");
}

/* Whether all lanes of a row of integers are 0: with AVX-512 by a mask, else a vector of 256 bits
 * is compared as one number. */
static inline LLVMValueRef
none_in(const struct sampler *s, LLVMValueRef row)
{
   unsigned lanes = s->lanes;
   for (LLVMValueRef index[CF_TASK_LANES], half[2]; lanes > (s->j->gathers ? 16 : 8);
        row = or (s, half[0], half[1])) {
      lanes /= 2;
      for (unsigned h = 0; h < 2; h++) {
         for (unsigned l = 0; l < lanes; l++)
            index[l] = LLVMConstInt(s->j->i32, h * lanes + l, 0);
         half[h] = LLVMBuildShuffleVector(s->j->ir, row, LLVMGetUndef(LLVMTypeOf(row)),
                                          LLVMConstVector(index, lanes), "");
      }
   }
   LLVMTypeRef number = LLVMIntTypeInContext(s->j->context, s->j->gathers ? lanes : 32 * lanes);
   if (s->j->gathers)
      row = compare_ints(s, LLVMIntNE, row, LLVMConstNull(LLVMTypeOf(row)));
   return compare_ints(s, LLVMIntEQ, LLVMBuildBitCast(s->j->ir, row, number, ""),
                       LLVMConstNull(number));
}

/* The pieces of a row, one after the other: a power of two. */
static inline LLVMValueRef
join(const struct sampler *s, LLVMValueRef *piece, unsigned pieces)
{
   LLVMValueRef index[CF_TASK_LANES];
   for (; pieces > 1; pieces /= 2) {
      const unsigned lanes = 2 * LLVMGetVectorSize(LLVMTypeOf(piece[0]));
      for (unsigned n = 0; n < lanes; n++)
         index[n] = LLVMConstInt(s->j->i32, n, 0);
      for (unsigned n = 0; n < pieces / 2; n++)
         piece[n] = LLVMBuildShuffleVector(s->j->ir, piece[2 * n], piece[2 * n + 1],
                                           LLVMConstVector(index, lanes), "");
   }
   return piece[0];
}

/* The value that came by one of two ways. */
static inline LLVMValueRef
by_way(const struct sampler *s, LLVMBasicBlockRef way[2], LLVMValueRef first, LLVMValueRef second)
{
   LLVMValueRef values[2] = { first, second };
   LLVMValueRef phi = LLVMBuildPhi(s->j->ir, LLVMTypeOf(first), "");
   LLVMAddIncoming(phi, values, way, 2);
   return phi;
}

/* ---- memory ---- */

/* Stack memory, allocated in the function's entry block. */
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

/* Spill offsets to memory, from where each is loaded as a scalar: extracting so many vector
 * elements costs more than the loads that use them. */
static inline void
store_offsets(const struct sampler *s, LLVMValueRef offset_B, LLVMValueRef memory, unsigned at_B)
{
   LLVMValueRef store = LLVMBuildStore(s->j->ir, offset_B, byte_offset(s->j, memory, at_B));
   LLVMSetVolatile(store, true);
}

/* Load, aligned to dwords, from base + the offset stored at memory + at_B. */
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

/* Begin code that runs if `condition`; returns the block for end_if. */
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

/* Squared lengths of the derivatives along x and y, in texels of the first level: by quad or by
 * lane. */
struct derivative_lanes {
   LLVMValueRef along[2];
};

/* The probes of the anisotropic filter: probe n = 1 .. count is at str - back + n * step. Floats,
 * by quad or by lane. */
struct filter_probes {
   LLVMValueRef count, back[3], step[3];
   LLVMValueRef reciprocal; /* of count, rounded */
};

struct detail {
   LLVMValueRef lod;     /* clamped; by lane, by quad, or a scalar */
   /* squared length in texels from which alone `lod` was computed; else NULL */
   LLVMValueRef longest;
   struct filter_probes probes; /* count NULL: a single sample at the pixel */
};

/** Does the level of detail come from derivatives? */
bool cf_jit_has_derivatives(const struct sampler *s);

/** Derivatives of the coordinates s->str. */
struct derivative_lanes cf_jit_find_derivatives(const struct sampler *s);

/** Whether all lanes certainly want one sample, of the first level, by the magnification filter.
 * That takes few operations, a level of detail many. Not for requests that add to it. */
LLVMValueRef cf_jit_all_magnified(const struct sampler *s, const struct derivative_lanes *d);

/** Level of detail of a sample at coordinates s->str. d: derivatives, or NULL if it has none. Sets
 * j->lanes to that of detail->lod. */
void cf_jit_level_of_detail(const struct sampler *s, const struct derivative_lanes *d,
                            struct detail *detail);

/** Largest count of the lanes in exec, a scalar integer. `count`: integers of at least 1, as
 * floats, by lane. */
LLVMValueRef cf_jit_most_in_exec(const struct sampler *s, LLVMValueRef count);

/* ---- levels (cf_jit_level_ir.c) ---- */

/* A selected level: an index per lane, or one for all. */
struct choice {
   LLVMValueRef index;
   LLVMValueRef guess; /* prediction of the index in all lanes, or NULL */
   bool coarse;        /* as in struct level */
};

/* What the level of detail selects, for each lane or quad of the task, or a scalar; kept for its
 * parts. */
struct task_levels {
   LLVMValueRef lod, longest; /* as in struct detail */
   LLVMValueRef level;
   LLVMValueRef next, weight; /* the next level and its weight, or NULL */
   struct filter_probes probes;
};

/* The same for each lane of a part. */
struct part_levels {
   struct choice level, next;
   LLVMValueRef magnified, weight; /* weight: of `next`, or NULL */
   bool loaded;                    /* `fields` holds those of the levels */
   struct level fields[2];
};

/** The levels of `lanes`, which are not 0, by index; a scalar or a value per lane. */
struct level cf_jit_levels(const struct sampler *s, LLVMValueRef index, LLVMValueRef lanes);

/** The levels that were chosen for `lanes`, which are not 0. */
struct level cf_jit_level_of(const struct sampler *s, const struct choice *choice,
                             LLVMValueRef lanes);

/** What the level of detail selects in the task. */
struct task_levels cf_jit_levels_of_task(const struct sampler *s, const struct detail *detail);

/** The level of the lanes of this part, and the next one. */
struct part_levels cf_jit_levels_of_part(const struct sampler *s,
                                         const struct task_levels *of_task);

/* ---- parts of a task (cf_jit_parts_ir.c) ---- */

/** Whether such samples are faster in parts of a task than in whole rows: linear filters on hosts
 * without AVX-512. A sample inlined in a program is only if the key says is_filter. */
bool cf_jit_has_parts(const struct sampler *s);

/* A loop over the parts of a task, or code for all of it. */
struct sample_parts {
   struct sampler sampler; /* of the part's lanes; without a loop, as given to cf_jit_begin_parts */
   LLVMBasicBlockRef next; /* goes on to the next part; NULL: there is no loop */
   LLVMValueRef first_B;   /* the loop's counter: where the part begins in a row */
};

/** If s is a task that is sampled by parts, begin a loop over those that have lanes in exec, and
 * return true: parts->sampler has no operands yet. Else code for s itself follows: it is a part, or
 * it has none. */
bool cf_jit_begin_parts(const struct sampler *s, struct sample_parts *parts);

/** End what cf_jit_begin_parts began. */
void cf_jit_end_parts(const struct sample_parts *parts);

/** Keep a value of the task for its parts: one for each lane or quad, or a scalar. Returns what
 * only cf_jit_of_lanes and cf_jit_first_kept may read; the value itself, if there are no parts. */
LLVMValueRef cf_jit_keep(const struct sampler *s, LLVMValueRef value);

/** A value that was kept, for each lane of this part. */
LLVMValueRef cf_jit_of_lanes(const struct sampler *s, LLVMValueRef kept);

/** That of this part's first lane or quad, a scalar. */
LLVMValueRef cf_jit_first_kept(const struct sampler *s, LLVMValueRef kept);

/** Where this part begins in a row of the task in memory. */
LLVMValueRef cf_jit_part_of_row(const struct sampler *s, LLVMValueRef row);

/* ---- texels ---- */

/* The texels of one sample in one level. Linear filters have several: bit a of a texel's number
 * selects the one along axis a. */
#define CF_IMAGE_TEXELS 4 /* at most, of one image; 3D textures take two */
#define CF_TEXEL_DWORDS 4
struct taps {
   struct axis axis[3];
   /* rows of those dwords that have channels */
   LLVMValueRef texel[2 * CF_IMAGE_TEXELS][CF_TEXEL_DWORDS];
   /* by lane: the texel that does not exist at a cube's vertex; NULL: never */
   LLVMValueRef missing;
   /* by lane, a boolean: the texture has the texel, else all is 0; NULL: always */
   LLVMValueRef inside;
};

/* ---- samples of one level ---- */

/** The level whose texels the lanes fetch, in mode fetch, from the sample on that they want;
 * *exists: where there is one. */
struct level cf_jit_fetched_level(const struct sampler *s, LLVMValueRef *exists);

/** Set the indices of the texel that mode fetch names, without filter, and where it is inside: at
 * most where its level exists. The level's base moves to the lanes' layers. */
void cf_jit_place_fetch(const struct sampler *s, struct level *level, LLVMValueRef exists,
                        struct taps *taps);

/** What a request of mode size gives. */
void cf_jit_sample_size(const struct sampler *s, LLVMValueRef rgba[4]);

/** Set the texel indices and weights of samples at s->coord on a level. */
void cf_jit_place_taps(const struct sampler *s, const struct level *level, bool linear, struct taps *taps);

/** Texels and weight of a linear filter without wrapping: the first index is -1 to the size, the
 * second one more. */
struct axis cf_jit_unbounded_axis(const struct sampler *s, LLVMValueRef coord, LLVMValueRef size_px);

/** Fetch the texel x, y of an image. */
void cf_jit_fetch_texel(const struct sampler *s, const struct level *image, LLVMValueRef x, LLVMValueRef y,
                        LLVMValueRef texel[CF_TEXEL_DWORDS]);

/** Fetch the texels of `count` placed samples: at most CF_JIT_TOGETHER, 1 for 3D textures. */
void cf_jit_fetch_taps(const struct sampler *s, const struct level *level, bool linear, struct taps *taps, unsigned count);

/** Fetch a placed sample and filter it, as the next function does. */
void cf_jit_sample_taps(const struct sampler *s, const struct level *level, bool linear,
                        struct taps *taps, LLVMValueRef result[4]);

/** Filter a sample to floats, after the shadow comparison if the key has one; components outside of
 * the key's mask are 0. */
void cf_jit_filter_taps(const struct sampler *s, bool linear, const struct taps *taps, LLVMValueRef result[4]);

/** A channel of 8 bits, at offset_bits, of an image's four texels, filtered: in 1/65536. x_weight,
 * y_weight: of the second texel along x and y, 0 to 256. */
LLVMValueRef cf_jit_filter_bytes(const struct sampler *s, const LLVMValueRef texel[4],
                                 LLVMValueRef x_weight, LLVMValueRef y_weight,
                                 unsigned offset_bits);

/** Whether in some of `lanes` the linear filter at s->coord reaches beyond an edge of its cube
 * face. */
LLVMValueRef cf_jit_crosses_seams(const struct sampler *s, const struct level *level, LLVMValueRef lanes);

/** Sample a level of a cube with the linear filter, taking texels beyond an edge from the adjacent
 * face. */
void cf_jit_sample_over_seams(const struct sampler *s, const struct level *level, LLVMValueRef result[4]);

/** The dwords of a texel that have channels which are sampled: bit for each. */
unsigned cf_jit_texel_dwords(const struct sampler *s);

/** Load load_B bytes (1, 2 or 4) at base + offset, one load per lane. */
LLVMValueRef cf_jit_load_dwords(const struct sampler *s, LLVMValueRef base, LLVMValueRef offset_B, unsigned load_B);

/* Windows (cf_jit_window_ir.c): what shares one, and what it consists of. */
enum cf_window {
   CF_WINDOW_OF_UNITS, /* a quad; 2x2 units of 2x2 texels */
   CF_WINDOW_OF_QUAD,  /* a quad; 2x2 blocks */
   CF_WINDOW_OF_HALF,  /* sixteen lanes; 2x2 blocks */
};

/** Whether there are windows of this kind for textures of this state. */
bool cf_jit_has_windows(const struct sampler *s, enum cf_window kind);

/* A function that fetches from one image. */
typedef void (*cf_jit_fetch)(const struct sampler *s, const struct level *level, bool linear, struct taps *taps,
                             unsigned count);

/** Fetch through windows of an image if they contain all texels of their lanes, for all these
 * samples; else by `otherwise`. */
void cf_jit_fetch_windows(const struct sampler *s, const struct level *level, bool linear,
                          struct taps *taps, unsigned count, enum cf_window kind,
                          cf_jit_fetch otherwise);

/** Lane by lane, the entry of a table that bits 0 and 1 of a row name; for hosts with j->permutes.
 */
LLVMValueRef cf_jit_look_up(const struct sampler *s, const uint32_t table[4], LLVMValueRef row);

/** Take the texels of a bilinear sample from windows of units. x_unit, y_unit: each quad's first
 * unit, the same in its lanes; x_place, y_place: of each texel in its window, below 4. */
void cf_jit_take_of_units(const struct sampler *s, const struct level *level, LLVMValueRef x_unit,
                          LLVMValueRef y_unit, const LLVMValueRef x_place[CF_IMAGE_TEXELS],
                          const LLVMValueRef y_place[CF_IMAGE_TEXELS],
                          LLVMValueRef texel[CF_IMAGE_TEXELS]);

/** Fetch the texels of a linear sample of a 3D texture through windows in its slices, if those
 * contain all that the lanes need; else by `otherwise`. For states with windows of half a task. */
void cf_jit_fetch_slices(const struct sampler *s, const struct level *level, struct taps *taps,
                         void (*otherwise)(const struct sampler *s, const struct level *level,
                                           bool linear, struct taps *taps));

#endif
