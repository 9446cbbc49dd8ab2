/* SPDX-License-Identifier: MIT */
/*
 * Windows: texels of samples, fetched for several lanes at once.
 *
 * Textures in blocks keep 4x4 texels in 64 bytes, which are one vector, or in half of one, a
 * quarter, two or four. The texels that neighbouring lanes need often lie in 2x2 blocks, a window
 * of 8x8 texels: it takes four loads, and two permutations for every sixteen texels, one if they
 * are narrow, instead of sixteen loads.
 *
 * - A window for sixteen lanes at one level: the pixels of a block, if texels are at least as large
 *   as pixels. It is looked for by the corners of the block alone.
 * - A window for each quad: the sixteen texels of its bilinear samples, if texels are not much
 *   smaller than pixels.
 * - The same of units (cf_jit_unit_ir.c), on hosts whose vectors are half as long.
 * - Of 3D textures a window in each slice that sixteen lanes need: rays that march through a volume
 *   are in few slices at a time, but seldom in one.
 *
 * Every task checks whether its texels lie in such windows.
 */
#include <stddef.h>

#include "clipfree/base/cf_for.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/jit/llvm/cf_jit_sample_ir.h"
#include "clipfree/jit/llvm/cf_jit_sampler.h"
#include "clipfree/texture/cf_texture.h"

#define BLOCK_TEXELS 16
#define VECTOR_B                                                                                   \
   64 /* four blocks are as many vectors as texels have bytes: their texels by number, a corner    \
         after the other */
#define MAX_WINDOWS CF_TASK_QUADS
#define MAX_TEXELS (4 * CF_JIT_TOGETHER)
/* blocks of a window: bit 0 of a corner's number is the right half, bit 1 the lower one */
#define CORNERS 4
#define LANES_OF_QUAD 4
#define MAX_SLICES 8 /* of sixteen lanes: for more of them texels one by one are faster */

/* The windows' blocks, of each dword of a texel (plane) that has channels, as many texels a vector;
 * narrow texels: the blocks as they are in memory. */
struct windows {
   unsigned planes; /* bit per dword */
   LLVMValueRef block[CF_TEXEL_DWORDS][MAX_WINDOWS][CORNERS];
};

/* One axis of the windows and of the texels fetched from them; rows. */
struct window_axis {
   LLVMValueRef texel[MAX_TEXELS];
   LLVMValueRef part;              /* the window's first block or unit, the same in all its lanes */
   LLVMValueRef place[MAX_TEXELS]; /* texel's position in the window */
};

bool
cf_jit_has_windows(const struct sampler *s, enum cf_window kind)
{
   const struct cf_sample_key *key = s->key;
   const bool levels_of_lanes = key->needs_lod && key->mip != CF_MIP_NONE &&
                                (key->mode == CF_TEXMODE_LOD || key->mode == CF_TEXMODE_BIAS || key->mode == CF_TEXMODE_GRAD);
   if (!key->blocks || key->dims < 2)
      return false;
   if (kind == CF_WINDOW_OF_UNITS)
      return s->j->permutes && !s->j->gathers && key->dims == 2 && key->pixel_B == 4 &&
             !levels_of_lanes;
   return s->j->gathers && (kind == CF_WINDOW_OF_HALF || (key->pixel_B <= 4 && !levels_of_lanes));
}

static unsigned
lanes_of_window(enum cf_window kind)
{
   return kind == CF_WINDOW_OF_HALF ? BLOCK_TEXELS : LANES_OF_QUAD;
}

/* A window has 2x2 parts, blocks or units, of so many bits of a texel's coordinate. */
static unsigned
part_bits(enum cf_window kind)
{
   return kind == CF_WINDOW_OF_UNITS ? 1 : 2;
}

/* Lane l of the result is lane l ^ other. */
static LLVMValueRef
exchange(const struct sampler *s, LLVMValueRef row, unsigned other)
{
   LLVMValueRef index[CF_TASK_LANES];
   for (unsigned l = 0; l < s->lanes; l++)
      index[l] = LLVMConstInt(s->j->i32, l ^ other, 0);
   return LLVMBuildShuffleVector(s->j->ir, row, row, LLVMConstVector(index, s->lanes), "");
}

/* Find the windows of few lanes. The first of a sample's `each` texels is its lowest one; otherwise
 * (wrapped) they are not in one window. */
static void
find_window(const struct sampler *s, enum cf_window kind, unsigned count, unsigned each,
            struct window_axis *axis)
{
   LLVMValueRef lowest = axis->texel[0];
   for (unsigned n = each; n < count; n += each)
      lowest = imin(s, lowest, axis->texel[n]);
   for (unsigned other = 1; other < LANES_OF_QUAD; other *= 2)
      lowest = imin(s, lowest, exchange(s, lowest, other));
   axis->part = shr(s, lowest, part_bits(kind));
   for (unsigned n = 0; n < count; n++)
      axis->place[n] = sub(s, axis->texel[n], shl(s, axis->part, part_bits(kind)));
}

static LLVMValueRef
all_lanes(const struct sampler *s, LLVMValueRef lanes)
{
   LLVMTypeRef mask = LLVMIntTypeInContext(s->j->context, s->lanes);
   return compare_ints(s, LLVMIntEQ, LLVMBuildBitCast(s->j->ir, lanes, mask, ""),
                       LLVMConstAllOnes(mask));
}

/* Whether the lanes of every window have the same layer or face. */
static LLVMValueRef
one_image(const struct sampler *s, const struct level *level, unsigned lanes)
{
   LLVMValueRef index[CF_TASK_LANES];
   for (unsigned l = 0; l < s->lanes; l++)
      index[l] = LLVMConstInt(s->j->i32, l & ~(lanes - 1), 0);
   LLVMValueRef first =
      LLVMBuildShuffleVector(s->j->ir, level->base_B, LLVMGetUndef(LLVMTypeOf(level->base_B)),
                             LLVMConstVector(index, s->lanes), "");
   return all_lanes(s, compare_ints(s, LLVMIntEQ, level->base_B, first));
}

/* Whether all texels lie in the windows of few lanes. */
static LLVMValueRef
all_inside(const struct sampler *s, enum cf_window kind, const struct window_axis *x,
           const struct window_axis *y, unsigned count)
{
   LLVMValueRef places = or(s, x->place[0], y->place[0]);
   for (unsigned n = 1; n < count; n++)
      places = or(s, places, or(s, x->place[n], y->place[n]));
   if (kind == CF_WINDOW_OF_UNITS)
      return none_in(s, and(s, places, u32_of(s, ~3u)));
   return all_lanes(s, compare_ints(s, LLVMIntULT, places, u32_of(s, 8)));
}

/* ---- windows of sixteen lanes ---- */

/* Rows of the windows of both halves, with x in the lower 16 bits and y in the upper ones. */
struct half_windows {
   LLVMValueRef block;             /* the upper left texel */
   LLVMValueRef place[MAX_TEXELS]; /* of a sample's first and last texel, in the window */
};

/* A texel's coordinates, in 16 bits each, as sizes of textures have (struct texture in
 * interface/packets.toml). */
static LLVMValueRef
both_axes(const struct sampler *s, LLVMValueRef x, LLVMValueRef y)
{
   return or (s, x, shl(s, y, 16));
}

static LLVMValueRef
as_halves(const struct sampler *s, LLVMValueRef row)
{
   LLVMTypeRef i16 = LLVMInt16TypeInContext(s->j->context);
   return LLVMBuildBitCast(s->j->ir, row, LLVMVectorType(i16, 2 * CF_TASK_LANES), "");
}

static LLVMValueRef
as_row(const struct sampler *s, LLVMValueRef halves)
{
   return LLVMBuildBitCast(s->j->ir, halves, row_type(s, s->j->i32), "");
}

/* The lower ones of both coordinates. */
static LLVMValueRef
lower_of(const struct sampler *s, LLVMValueRef a, LLVMValueRef b)
{
   a = as_halves(s, a);
   b = as_halves(s, b);
   return as_row(s, choose(s->j, compare_ints(s, LLVMIntULT, a, b), a, b));
}

/* The lowest of the corner pixels of each block, lanes 0, 5, 10 and 15 of sixteen: in pixels
 * between them no texel is lower unless the texture is wrapped or bent there. */
static LLVMValueRef
lowest_of_corners(const struct sampler *s, LLVMValueRef texel)
{
   LLVMValueRef index[CF_TASK_LANES];
   for (unsigned l = 0; l < CF_TASK_LANES; l++)
      index[l] = LLVMConstInt(s->j->i32, l & ~(BLOCK_TEXELS - 1u), 0);
   texel = lower_of(s, texel, exchange(s, texel, 5));
   texel = lower_of(s, texel, exchange(s, texel, 10));
   return LLVMBuildShuffleVector(s->j->ir, texel, texel, LLVMConstVector(index, CF_TASK_LANES), "");
}

/* Find the windows of both axes at once. Returns whether all texels lie in them. The first of a
 * sample's `each` texels is its lowest one, the last one its highest. */
static LLVMValueRef
find_half(const struct sampler *s, unsigned count, unsigned each, const struct window_axis *x,
          const struct window_axis *y, struct half_windows *half)
{
   LLVMValueRef lowest = both_axes(s, x->texel[0], y->texel[0]), beyond = u32_of(s, 0);
   for (unsigned n = each; n < count; n += each)
      lowest = lower_of(s, lowest, both_axes(s, x->texel[n], y->texel[n]));
   half->block = and(s, lowest_of_corners(s, lowest), u32_of(s, ~0x30003u));
   for (unsigned n = 0; n < count; n++) {
      if (n % each != 0 && n % each != each - 1)
         continue;
      LLVMValueRef texel = both_axes(s, x->texel[n], y->texel[n]);
      half->place[n] =
         as_row(s, LLVMBuildSub(s->j->ir, as_halves(s, texel), as_halves(s, half->block), ""));
      beyond = or (s, beyond, half->place[n]);
   }
   return none_in(s, and(s, beyond, u32_of(s, ~0x70007u)));
}

/* ---- loads ---- */

/* Offsets of the windows' corner blocks, for j->lanes windows. A corner outside of the level is not
 * needed, and is replaced by another one. */
static void
find_corners(const struct sampler *s, const struct level *level, LLVMValueRef x_block, LLVMValueRef y_block,
             LLVMValueRef corner_B[CORNERS])
{
   LLVMValueRef one = u32_of(s, 1), column[2] = { x_block }, row[2] = { y_block };
   column[1] = imin(s, add(s, x_block, one), shr(s, sub(s, level->size_px[0], one), 2));
   row[1] = imin(s, add(s, y_block, one), shr(s, sub(s, level->size_px[1], one), 2));
   const unsigned block_bits =
      4 + (unsigned)__builtin_ctz(s->key->pixel_B); /* of an offset in a block */
   for (unsigned c = 0; c < CORNERS; c++)
      corner_B[c] = add(s, shl(s, column[c & 1], block_bits),
                        add(s, mul(s, row[c >> 1], level->row_B), level->base_B));
}

static LLVMTypeRef
block_type(const struct sampler *s)
{
   return LLVMVectorType(s->j->i32, BLOCK_TEXELS * s->key->pixel_B / 4);
}

static LLVMValueRef
load_block(const struct sampler *s, LLVMValueRef offset_B)
{
   LLVMValueRef at = LLVMBuildZExt(s->j->ir, offset_B, s->j->i64, "");
   return load_at(s->j, block_type(s), LLVMBuildGEP2(s->j->ir, s->j->i8, s->data, &at, 1, ""), 0,
                  4);
}

static LLVMValueRef
concatenate(const struct sampler *s, LLVMValueRef low, LLVMValueRef high)
{
   LLVMValueRef index[CF_TASK_LANES];
   const unsigned count = 2 * LLVMGetVectorSize(LLVMTypeOf(low));
   for (unsigned n = 0; n < count; n++)
      index[n] = LLVMConstInt(s->j->i32, n, 0);
   return LLVMBuildShuffleVector(s->j->ir, low, high, LLVMConstVector(index, count), "");
}

/* Dword `plane` of each texel of a block. */
static LLVMValueRef
plane_of(const struct sampler *s, LLVMValueRef block, unsigned plane)
{
   LLVMValueRef index[BLOCK_TEXELS];
   for (unsigned n = 0; n < BLOCK_TEXELS; n++)
      index[n] = LLVMConstInt(s->j->i32, n * (s->key->pixel_B / 4) + plane, 0);
   return LLVMBuildShuffleVector(s->j->ir, block, block, LLVMConstVector(index, BLOCK_TEXELS), "");
}

/* Put a loaded block into window w, by planes. */
static void
put_block(const struct sampler *s, LLVMValueRef block, struct windows *windows, unsigned w,
          unsigned corner)
{
   if (s->key->pixel_B <= 4)
      windows->block[0][w][corner] = block;
   else
      CF_FOR_BITS(plane, windows->planes)
         windows->block[plane][w][corner] = plane_of(s, block, plane);
}

static void
load_of_quads(const struct sampler *s, const struct level *level, const struct window_axis *x,
              const struct window_axis *y, struct windows *windows)
{
   struct cf_jit_ir *j = s->j;
   const unsigned size_B = CF_TASK_QUADS * 4;
   const struct level of_quad = level_of_quads(s, level);
   LLVMValueRef x_block = of_quads(s, x->part, 0), y_block = of_quads(s, y->part, 0),
                corner_B[CORNERS];
   j->lanes = CF_TASK_QUADS;
   find_corners(s, &of_quad, x_block, y_block, corner_B);
   j->lanes = CF_TASK_LANES;
   LLVMValueRef offsets = allocate(s, LLVMArrayType(LLVMTypeOf(corner_B[0]), CORNERS));
   for (unsigned c = 0; c < CORNERS; c++)
      store_offsets(s, corner_B[c], offsets, c * size_B);
   for (unsigned q = 0; q < CF_TASK_QUADS; q++) {
      for (unsigned c = 0; c < CORNERS; c++)
         put_block(s, load_at_offset(s, block_type(s), s->data, offsets, c * size_B + q * 4),
                   windows, q, c);
   }
}

static LLVMValueRef
lane_of(const struct sampler *s, LLVMValueRef row, unsigned lane)
{
   return LLVMBuildExtractElement(s->j->ir, row, LLVMConstInt(s->j->i32, lane, 0), "");
}

/* Load the blocks of the window of half h into window w. base_B: of its image. */
static void
load_of_half(const struct sampler *s, const struct level *level, LLVMValueRef base_B,
             const struct half_windows *half, unsigned h, struct windows *windows, unsigned w)
{
   const struct level of_half = {
      .size_px = { lane_of(s, level->size_px[0], 0), lane_of(s, level->size_px[1], 0) },
      .row_B = lane_of(s, level->row_B, 0),
      .base_B = base_B,
   };
   LLVMValueRef corner_B[CORNERS], block = lane_of(s, half->block, BLOCK_TEXELS * h);
   s->j->lanes = 1;
   LLVMValueRef x_block = shr(s, and(s, block, u32_of(s, 0xffff)), 2), y_block = shr(s, block, 18);
   find_corners(s, &of_half, x_block, y_block, corner_B);
   s->j->lanes = CF_TASK_LANES;
   for (unsigned c = 0; c < CORNERS; c++)
      put_block(s, load_block(s, corner_B[c]), windows, w, c);
}

static void
load_of_halves(const struct sampler *s, const struct level *level, const struct half_windows *half,
               struct windows *windows)
{
   for (unsigned h = 0; h < 2; h++)
      load_of_half(s, level, lane_of(s, level->base_B, BLOCK_TEXELS * h), half, h, windows, h);
}

/* ---- permutations ---- */

/* Call an intrinsic that is not overloaded. */
static LLVMValueRef
call(const struct sampler *s, const char *name, LLVMValueRef *arguments, unsigned count)
{
   const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
   return LLVMBuildCall2(s->j->ir, LLVMIntrinsicGetType(s->j->context, id, NULL, 0),
                         LLVMGetIntrinsicDeclaration(s->j->module, id, NULL, 0), arguments, count, "");
}

/* Texels of two bytes: two blocks are a vector. */
static LLVMValueRef
permute_halves(const struct sampler *s, const LLVMValueRef window[CORNERS], LLVMValueRef element)
{
   LLVMTypeRef halves = LLVMVectorType(LLVMIntTypeInContext(s->j->context, 16), VECTOR_B / 2);
   LLVMValueRef arguments[3] = { concatenate(s, window[0], window[1]), element,
                                 concatenate(s, window[2], window[3]) };
   for (unsigned n = 0; n < 3; n++)
      arguments[n] = LLVMBuildBitCast(s->j->ir, arguments[n], halves, "");
   return LLVMBuildBitCast(s->j->ir, call(s, "llvm.x86.avx512.vpermi2var.hi.512", arguments, 3),
                           LLVMTypeOf(element), "");
}

/* Texels of a byte: four blocks are a vector. The halves that have them, shifted. */
static LLVMValueRef
permute_bytes(const struct sampler *s, const LLVMValueRef window[CORNERS], LLVMValueRef element)
{
   LLVMTypeRef halves = LLVMVectorType(LLVMIntTypeInContext(s->j->context, 16), VECTOR_B / 2);
   LLVMValueRef all =
      concatenate(s, concatenate(s, window[0], window[1]), concatenate(s, window[2], window[3]));
   s->j->lanes = BLOCK_TEXELS;
   LLVMValueRef half = shr(s, element, 1), bits = shl(s, and(s, element, u32_of(s, 1)), 3);
   s->j->lanes = CF_TASK_LANES;
   LLVMValueRef arguments[2] = { LLVMBuildBitCast(s->j->ir, all, halves, ""),
                                 LLVMBuildBitCast(s->j->ir, half, halves, "") };
   LLVMValueRef found = call(s, "llvm.x86.avx512.permvar.hi.512", arguments, 2);
   return LLVMBuildLShr(s->j->ir, LLVMBuildBitCast(s->j->ir, found, LLVMTypeOf(element), ""), bits,
                        "");
}

/* Element n of the result: texel element[n] of a window, whose bits 0 to 3 are that in a block, 4
 * and 5 the corner; narrow ones in the low bits. */
static LLVMValueRef
permute(const struct sampler *s, const LLVMValueRef window[CORNERS], LLVMValueRef element)
{
   LLVMValueRef half[2];
   if (s->key->pixel_B < 4)
      return s->key->pixel_B == 2 ? permute_halves(s, window, element)
                                  : permute_bytes(s, window, element);
   for (unsigned n = 0; n < 2; n++) {
      LLVMValueRef arguments[3] = { window[2 * n], element, window[2 * n + 1] };
      half[n] = call(s, "llvm.x86.avx512.vpermi2var.d.512", arguments, 3);
   }
   s->j->lanes = BLOCK_TEXELS;
   LLVMValueRef lower = compare_ints(s, LLVMIntNE, and(s, element, u32_of(s, 32)), u32_of(s, 0));
   s->j->lanes = CF_TASK_LANES;
   return choose(s->j, lower, half[1], half[0]);
}

/* Lanes 16h to 16h + 15 of a row. */
static LLVMValueRef
half_row(const struct sampler *s, LLVMValueRef row, unsigned h)
{
   LLVMValueRef index[BLOCK_TEXELS];
   for (unsigned n = 0; n < BLOCK_TEXELS; n++)
      index[n] = LLVMConstInt(s->j->i32, BLOCK_TEXELS * h + n, 0);
   return LLVMBuildShuffleVector(s->j->ir, row, row, LLVMConstVector(index, BLOCK_TEXELS), "");
}

/* Positions 0 to 7 in some bytes, with bit n moved to bit 2n + shift of the byte. */
static LLVMValueRef
spread(const struct sampler *s, LLVMValueRef place, unsigned shift)
{
   LLVMValueRef table[VECTOR_B], half[2];
   LLVMTypeRef bytes = LLVMVectorType(s->j->i8, VECTOR_B);
   for (unsigned n = 0; n < VECTOR_B; n++) { /* in each group of 16 bytes the same */
      const unsigned bits = (n & 1) | (n & 2) << 1 | (n & 4) << 2;
      table[n] = LLVMConstInt(s->j->i8, bits << shift, 0);
   }
   for (unsigned h = 0; h < 2; h++) {
      half[h] = half_row(s, place, h);
      LLVMValueRef arguments[2] = { LLVMConstVector(table, VECTOR_B),
                                    LLVMBuildBitCast(s->j->ir, half[h], bytes, "") };
      half[h] = LLVMBuildBitCast(s->j->ir, call(s, "llvm.x86.avx512.pshuf.b.512", arguments, 2),
                                 LLVMTypeOf(half[h]), "");
   }
   return concatenate(s, half[0], half[1]);
}

/* Groups of four elements: groups i and k of a, then of b. */
static LLVMValueRef
pick_groups(const struct sampler *s, LLVMValueRef a, LLVMValueRef b, unsigned i, unsigned k)
{
   LLVMValueRef index[BLOCK_TEXELS];
   for (unsigned n = 0; n < BLOCK_TEXELS; n++) {
      const unsigned group = n / 4 % 2 ? k : i;
      index[n] = LLVMConstInt(s->j->i32, (n < 8 ? 0 : BLOCK_TEXELS) + 4 * group + n % 4, 0);
   }
   return LLVMBuildShuffleVector(s->j->ir, a, b, LLVMConstVector(index, BLOCK_TEXELS), "");
}

/* Transpose four vectors of four groups. */
static void
transpose_groups(const struct sampler *s, const LLVMValueRef in[4], LLVMValueRef out[4])
{
   for (unsigned pair = 0; pair < 2; pair++) {
      LLVMValueRef low = pick_groups(s, in[0], in[1], 2 * pair, 2 * pair + 1);
      LLVMValueRef high = pick_groups(s, in[2], in[3], 2 * pair, 2 * pair + 1);
      out[2 * pair] = pick_groups(s, low, high, 0, 2);
      out[2 * pair + 1] = pick_groups(s, low, high, 1, 3);
   }
}

/* Take texels from a window per quad: four rows of elements are transposed to one vector per quad,
 * permuted, and transposed back. */
static void
take_of_quads(const struct sampler *s, LLVMValueRef window[MAX_WINDOWS][CORNERS], const LLVMValueRef element[4],
              LLVMValueRef texel[4])
{
   LLVMValueRef half[2][4];
   for (unsigned h = 0; h < 2; h++) {
      LLVMValueRef of_quad[4];
      for (unsigned n = 0; n < 4; n++)
         half[h][n] = half_row(s, element[n], h);
      transpose_groups(s, half[h], of_quad);
      for (unsigned q = 0; q < 4; q++)
         of_quad[q] = permute(s, window[4 * h + q], of_quad[q]);
      transpose_groups(s, of_quad, half[h]);
   }
   for (unsigned n = 0; n < 4; n++)
      texel[n] = concatenate(s, half[0][n], half[1][n]);
}

static LLVMValueRef
take_of_halves(const struct sampler *s, LLVMValueRef window[MAX_WINDOWS][CORNERS], LLVMValueRef element)
{
   return concatenate(s, permute(s, window[0], half_row(s, element, 0)),
                      permute(s, window[1], half_row(s, element, 1)));
}

/* Find which elements of the windows a sample's texels are, from its first and last one. Example: x
 * is 5 and y is 2 in the lower and upper 16 bits; their bits spread are 010001 and 000100; the
 * upper ones, moved to one bit above the lower ones, give element 011001. */
static void
find_elements(const struct sampler *s, const struct half_windows *half, unsigned first,
              unsigned each, LLVMValueRef element[4])
{
   LLVMValueRef column[2], row[2];
   for (unsigned n = 0; n < 2; n++) {
      LLVMValueRef bits = spread(s, half->place[n ? first + each - 1 : first], 0);
      column[n] = and(s, bits, u32_of(s, 0xff));
      row[n] = shr(s, bits, 15);
   }
   for (unsigned n = 0; n < each; n++)
      element[n] = or (s, column[n & 1], row[n >> 1]);
}

static void
take_of_half_windows(const struct sampler *s, const struct level *level,
                     const struct half_windows *half, unsigned count, unsigned each,
                     LLVMValueRef texel[CF_TEXEL_DWORDS][MAX_TEXELS])
{
   struct windows windows = { .planes = cf_jit_texel_dwords(s) };
   LLVMValueRef element[MAX_TEXELS];
   load_of_halves(s, level, half, &windows);
   for (unsigned n = 0; n < count; n += each)
      find_elements(s, half, n, each, &element[n]);
   CF_FOR_BITS(plane, windows.planes)
      for (unsigned n = 0; n < count; n++)
         texel[plane][n] = take_of_halves(s, windows.block[plane], element[n]);
}

/* Take texels from a window for each quad; count is a multiple of 4. */
static void
take_of_quad_windows(const struct sampler *s, const struct level *level,
                     const struct window_axis *x, const struct window_axis *y, unsigned count,
                     LLVMValueRef texel[CF_TEXEL_DWORDS][MAX_TEXELS])
{
   struct windows windows = { .planes = cf_jit_texel_dwords(s) };
   LLVMValueRef element[MAX_TEXELS];
   load_of_quads(s, level, x, y, &windows);
   for (unsigned n = 0; n < count; n++)
      element[n] = or (s, spread(s, x->place[n], 0), spread(s, y->place[n], 1));
   CF_FOR_BITS(plane, windows.planes)
      for (unsigned n = 0; n < count; n += 4)
         take_of_quads(s, windows.block[plane], &element[n], &texel[plane][n]);
}

/* ---- fetching ---- */

/* List the texels of the samples, padded to a multiple of 4. */
static unsigned
list_texels(bool linear, const struct taps *taps, unsigned count, struct window_axis *x, struct window_axis *y)
{
   const unsigned each = linear ? 4 : 1, texels = (count * each + 3) & ~3u;
   for (unsigned n = 0; n < texels; n++) {
      const struct taps *tap = &taps[n / each < count ? n / each : 0];
      x->texel[n] = tap->axis[0].index[n % each & 1];
      y->texel[n] = tap->axis[1].index[n % each >> 1];
   }
   return texels;
}

void
cf_jit_fetch_windows(const struct sampler *s, const struct level *level, bool linear,
                     struct taps *taps, unsigned count, enum cf_window kind, cf_jit_fetch otherwise)
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMBasicBlockRef way[2] = { new_block(s), new_block(s) }, meet = new_block(s);
   const unsigned planes = cf_jit_texel_dwords(s);
   LLVMValueRef fetched[CF_TEXEL_DWORDS][MAX_TEXELS];
   struct window_axis x, y;
   struct half_windows half;
   const unsigned each = linear ? 4 : 1, texels = list_texels(linear, taps, count, &x, &y);
   LLVMValueRef inside;
   if (kind == CF_WINDOW_OF_HALF) {
      inside = find_half(s, texels, each, &x, &y, &half);
   } else {
      find_window(s, kind, texels, each, &x);
      find_window(s, kind, texels, each, &y);
      inside = all_inside(s, kind, &x, &y, texels);
   }
   if (s->layer || s->key->mode == CF_TEXMODE_FETCH) /* fetched samples are images, too */
      inside = and(s, inside, one_image(s, level, lanes_of_window(kind)));
   if ((kind == CF_WINDOW_OF_HALF || s->key->cube) && level->same)
      inside = and(s, inside, level->same);
   LLVMBuildCondBr(ir, inside, way[0], way[1]);
   LLVMPositionBuilderAtEnd(ir, way[0]);
   if (kind == CF_WINDOW_OF_HALF)
      take_of_half_windows(s, level, &half, texels, each, fetched);
   else if (kind == CF_WINDOW_OF_QUAD)
      take_of_quad_windows(s, level, &x, &y, texels, fetched);
   else
      cf_jit_take_of_units(s, level, x.part, y.part, x.place, y.place, fetched[0]);
   LLVMBuildBr(ir, meet);
   LLVMPositionBuilderAtEnd(ir, way[1]);
   otherwise(s, level, linear, taps, count);
   way[1] = LLVMGetInsertBlock(ir);
   LLVMBuildBr(ir, meet);
   LLVMMoveBasicBlockAfter(meet, LLVMGetLastBasicBlock(s->function));
   LLVMPositionBuilderAtEnd(ir, meet);
   for (unsigned n = 0; n < count * each; n++) {
      CF_FOR_BITS(plane, planes) {
         LLVMValueRef *texel = &taps[n / each].texel[n % each][plane];
         *texel = by_way(s, way, fetched[plane][n], *texel);
      }
   }
}

/* ---- slices ---- */

/* The slices that the lanes of each half need: scalars. */
struct slices {
   LLVMValueRef first[2], last[2];
};

/* The least or greatest of sixteen integers. */
static LLVMValueRef
bound_of(const struct sampler *s, const char *name, LLVMValueRef row)
{
   LLVMTypeRef type = LLVMTypeOf(row);
   const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
   return LLVMBuildCall2(s->j->ir, LLVMIntrinsicGetType(s->j->context, id, &type, 1),
                         LLVMGetIntrinsicDeclaration(s->j->module, id, &type, 1), &row, 1, "");
}

/* Returns whether they are few enough. */
static LLVMValueRef
find_slices(const struct sampler *s, const struct axis *z, struct slices *slices)
{
   LLVMValueRef few = LLVMConstInt(s->j->i1, 1, 0), most = LLVMConstInt(s->j->i32, MAX_SLICES, 0);
   LLVMValueRef low = imin(s, z->index[0], z->index[1]), high = imax(s, z->index[0], z->index[1]);
   for (unsigned h = 0; h < 2; h++) {
      slices->first[h] = bound_of(s, "llvm.vector.reduce.smin", half_row(s, low, h));
      slices->last[h] = bound_of(s, "llvm.vector.reduce.smax", half_row(s, high, h));
      LLVMValueRef distance = sub(s, slices->last[h], slices->first[h]);
      few = and(s, few, compare_ints(s, LLVMIntULT, distance, most));
   }
   return few;
}

/* Texels of a half, half rows: those of the lower slice of each lane, then of the upper one. */
typedef LLVMValueRef slice_texels[CF_TEXEL_DWORDS][2 * CF_IMAGE_TEXELS];

/* Take from the windows in slice `number` what the half's lanes need of it; `all`: where the others
 * are. */
static void
take_from_slice(const struct sampler *s, struct windows *windows, const LLVMValueRef element[4],
                const LLVMValueRef z[2], LLVMValueRef number, slice_texels all, slice_texels taken)
{
   s->j->lanes = BLOCK_TEXELS;
   LLVMValueRef here = splat(s->j, number), is_here[2];
   for (unsigned k = 0; k < 2; k++)
      is_here[k] = compare_ints(s, LLVMIntEQ, z[k], here);
   s->j->lanes = CF_TASK_LANES;
   CF_FOR_BITS(plane, windows->planes) {
      for (unsigned n = 0; n < CF_IMAGE_TEXELS; n++) {
         LLVMValueRef texel = permute(s, windows->block[plane][0], element[n]);
         for (unsigned k = 0; k < 2; k++) {
            const unsigned t = CF_IMAGE_TEXELS * k + n;
            taken[plane][t] = choose(s->j, is_here[k], texel, all[plane][t]);
         }
      }
   }
}

/* Take the texels of half h: a loop over its slices. */
static void
take_of_slices(const struct sampler *s, const struct level *level, const struct half_windows *half,
               const struct axis *z_axis, const struct slices *slices, unsigned h,
               slice_texels texels)
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMBasicBlockRef before = LLVMGetInsertBlock(ir), loop = new_block(s), after = new_block(s);
   LLVMTypeRef type = LLVMVectorType(s->j->i32, BLOCK_TEXELS);
   struct windows windows = { .planes = cf_jit_texel_dwords(s) };
   LLVMValueRef element[CF_IMAGE_TEXELS], none = LLVMGetUndef(type);
   const LLVMValueRef z[2] = { half_row(s, z_axis->index[0], h), half_row(s, z_axis->index[1], h) };
   slice_texels all;
   find_elements(s, half, 0, CF_IMAGE_TEXELS, element);
   for (unsigned n = 0; n < CF_IMAGE_TEXELS; n++)
      element[n] = half_row(s, element[n], h);
   LLVMBuildBr(ir, loop);
   LLVMPositionBuilderAtEnd(ir, loop);
   LLVMValueRef number = LLVMBuildPhi(ir, s->j->i32, "");
   CF_FOR_BITS(plane, windows.planes)
      for (unsigned t = 0; t < 2 * CF_IMAGE_TEXELS; t++)
         all[plane][t] = LLVMBuildPhi(ir, type, "");
   LLVMValueRef slice_B = LLVMBuildMul(ir, number, lane_of(s, level->layer_B, 0), "");
   slice_B = LLVMBuildAdd(ir, slice_B, lane_of(s, level->base_B, 0), "");
   load_of_half(s, level, slice_B, half, h, &windows, 0);
   take_from_slice(s, &windows, element, z, number, all, texels);
   LLVMValueRef next = LLVMBuildAdd(ir, number, LLVMConstInt(s->j->i32, 1, 0), "");
   LLVMAddIncoming(number, (LLVMValueRef[]){ slices->first[h], next },
                   (LLVMBasicBlockRef[]){ before, loop }, 2);
   CF_FOR_BITS(plane, windows.planes)
      for (unsigned t = 0; t < 2 * CF_IMAGE_TEXELS; t++)
         LLVMAddIncoming(all[plane][t], (LLVMValueRef[]){ none, texels[plane][t] },
                         (LLVMBasicBlockRef[]){ before, loop }, 2);
   LLVMBuildCondBr(ir, compare_ints(s, LLVMIntSLE, next, slices->last[h]), loop, after);
   LLVMPositionBuilderAtEnd(ir, after);
}

void
cf_jit_fetch_slices(const struct sampler *s, const struct level *level, struct taps *taps,
                    void (*otherwise)(const struct sampler *s, const struct level *level,
                                      bool linear, struct taps *taps))
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMBasicBlockRef way[2] = { new_block(s), new_block(s) }, meet = new_block(s);
   const unsigned planes = cf_jit_texel_dwords(s);
   struct window_axis x, y;
   struct half_windows windows;
   struct slices slices;
   slice_texels half[2];
   list_texels(true, taps, 1, &x, &y);
   LLVMValueRef inside = find_half(s, CF_IMAGE_TEXELS, CF_IMAGE_TEXELS, &x, &y, &windows);
   inside = and(s, inside, find_slices(s, &taps->axis[2], &slices));
   if (level->same)
      inside = and(s, inside, level->same);
   LLVMBuildCondBr(ir, inside, way[0], way[1]);
   LLVMPositionBuilderAtEnd(ir, way[0]);
   for (unsigned h = 0; h < 2; h++)
      take_of_slices(s, level, &windows, &taps->axis[2], &slices, h, half[h]);
   CF_FOR_BITS(plane, planes)
      for (unsigned t = 0; t < 2 * CF_IMAGE_TEXELS; t++)
         half[0][plane][t] = concatenate(s, half[0][plane][t], half[1][plane][t]);
   way[0] = LLVMGetInsertBlock(ir);
   LLVMBuildBr(ir, meet);
   LLVMPositionBuilderAtEnd(ir, way[1]);
   otherwise(s, level, true, taps);
   way[1] = LLVMGetInsertBlock(ir);
   LLVMBuildBr(ir, meet);
   LLVMMoveBasicBlockAfter(meet, LLVMGetLastBasicBlock(s->function));
   LLVMPositionBuilderAtEnd(ir, meet);
   CF_FOR_BITS(plane, planes) {
      for (unsigned t = 0; t < 2 * CF_IMAGE_TEXELS; t++)
         taps->texel[t][plane] = by_way(s, way, half[0][plane][t], taps->texel[t][plane]);
   }
}
