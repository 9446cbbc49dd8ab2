/* SPDX-License-Identifier: MIT */
/*
 * Windows of quads on hosts whose vectors have eight dwords (AVX2): the texels of a quad's bilinear
 * samples, if they are not much smaller than pixels.
 *
 * In a block 2x2 texels are 16 bytes one after the other, a unit, and a quad's sixteen texels lie
 * in 2x2 units: a window of 4x4 texels that begins at even coordinates. It takes four loads, two to
 * a vector, and four permutations, instead of sixteen loads.
 */
#include "clipfree/jit/llvm/cf_jit_sampler.h"

#define UNIT_BITS 4                    /* of a texel's offset in a unit of texels of four bytes */
#define WIDTH 8                        /* dwords of a vector */
#define MAX_PIECES (CF_TASK_LANES / WIDTH) /* vectors of a row: two quads each */
#define CORNERS 4 /* units of a window: bit 0 of the number is the right one, bit 1 the lower */

/* ---- vectors ---- */

/* Groups of four dwords, i of a and k of b. */
static LLVMValueRef
groups_of(const struct sampler *s, LLVMValueRef a, unsigned i, LLVMValueRef b, unsigned k)
{
   LLVMValueRef index[WIDTH];
   const unsigned size = LLVMGetVectorSize(LLVMTypeOf(a));
   for (unsigned n = 0; n < WIDTH; n++)
      index[n] = LLVMConstInt(s->j->i32, n < 4 ? 4 * i + n : size + 4 * k + n - 4, 0);
   return LLVMBuildShuffleVector(s->j->ir, a, b, LLVMConstVector(index, WIDTH), "");
}

/* Vector v of a row. */
static LLVMValueRef
piece_of(const struct sampler *s, LLVMValueRef row, unsigned v)
{
   return groups_of(s, row, 2 * v, row, 2 * v + 1);
}

static LLVMValueRef
row_of(const struct sampler *s, LLVMValueRef piece[MAX_PIECES])
{
   return join(s, piece, s->lanes / WIDTH);
}

static LLVMValueRef
call(const struct sampler *s, const char *name, LLVMValueRef first, LLVMValueRef second)
{
   LLVMValueRef arguments[2] = { first, second };
   return call_intrinsic(s->j, name, arguments, 2);
}

/* Lane by lane, entry `index` of a table of four dwords; index: a vector, whose bits 0 and 1 count.
 */
static LLVMValueRef
look_up(const struct sampler *s, const uint32_t table[4], LLVMValueRef index)
{
   LLVMValueRef entries[WIDTH];
   for (unsigned n = 0; n < WIDTH; n++)
      entries[n] = LLVMConstInt(s->j->i32, table[n % 4], 0);
   LLVMValueRef floats =
      LLVMConstBitCast(LLVMConstVector(entries, WIDTH), LLVMVectorType(s->j->f32, WIDTH));
   return LLVMBuildBitCast(s->j->ir, call(s, "llvm.x86.avx.vpermilvar.ps.256", floats, index),
                           LLVMTypeOf(index), "");
}

LLVMValueRef
cf_jit_look_up(const struct sampler *s, const uint32_t table[4], LLVMValueRef row)
{
   LLVMValueRef piece[MAX_PIECES];
   for (unsigned v = 0; v < s->lanes / WIDTH; v++)
      piece[v] = look_up(s, table, piece_of(s, row, v));
   return row_of(s, piece);
}

/* ---- loads ---- */

/* Offsets of the quads' units, corner by corner, vectors by quad. A unit outside of the level is
 * not needed, and is replaced by another one. */
static void
find_units(const struct sampler *s, const struct level *level, LLVMValueRef x_unit,
           LLVMValueRef y_unit, LLVMValueRef unit_B[CORNERS])
{
   LLVMValueRef one = u32_of(s, 1), part[2][2];
   LLVMValueRef first[2] = { x_unit, y_unit };
   for (unsigned a = 0; a < 2; a++) {
      LLVMValueRef last = shr(s, sub(s, level->size_px[a], one), 1);
      LLVMValueRef unit[2] = { first[a], imin(s, add(s, first[a], one), last) };
      for (unsigned n = 0; n < 2; n++) {
         LLVMValueRef block = shr(s, unit[n], 1), odd = shl(s, and(s, unit[n], one), UNIT_BITS + a);
         part[a][n] = add(s, odd, a ? mul(s, block, level->row_B) : shl(s, block, UNIT_BITS + 2));
      }
   }
   for (unsigned c = 0; c < CORNERS; c++)
      unit_B[c] = add(s, add(s, part[0][c & 1], level->base_B), part[1][c >> 1]);
}

/* Load the windows: of each quad the upper two units, and the lower two. */
static void
load_units(const struct sampler *s, const struct level *level, LLVMValueRef x_unit,
           LLVMValueRef y_unit, LLVMValueRef window[CF_TASK_QUADS][2])
{
   struct cf_jit_ir *j = s->j;
   const unsigned quads = s->lanes / 4, size_B = quads * 4;
   const struct level of_quad = level_of_quads(s, level);
   LLVMTypeRef unit_type = LLVMVectorType(j->i32, 4);
   LLVMValueRef unit_B[CORNERS], x_of_quad = of_quads(s, x_unit, 0),
                                 y_of_quad = of_quads(s, y_unit, 0);
   j->lanes = quads;
   find_units(s, &of_quad, x_of_quad, y_of_quad, unit_B);
   j->lanes = s->lanes;
   LLVMValueRef offsets = allocate(s, LLVMArrayType(LLVMTypeOf(unit_B[0]), CORNERS));
   for (unsigned c = 0; c < CORNERS; c++)
      store_offsets(s, unit_B[c], offsets, c * size_B);
   for (unsigned q = 0; q < quads; q++) {
      LLVMValueRef unit[CORNERS];
      for (unsigned c = 0; c < CORNERS; c++)
         unit[c] = load_at_offset(s, unit_type, s->data, offsets, c * size_B + q * 4);
      window[q][0] = groups_of(s, unit[0], 0, unit[1], 0);
      window[q][1] = groups_of(s, unit[2], 0, unit[3], 0);
   }
}

/* ---- permutations ---- */

/* Lane by lane, the texel's place among the eight of two units, in bits 0 to 2; bit 31: those are
 * the lower two. x, y: places in the window. */
static LLVMValueRef
element_of(const struct sampler *s, LLVMValueRef x, LLVMValueRef y)
{
   static const uint32_t of_x[4] = { 0, 1, 4, 5 }, of_y[4] = { 0, 2, 1u << 31, 1u << 31 | 2 };
   return LLVMBuildOr(s->j->ir, look_up(s, of_x, x), look_up(s, of_y, y), "");
}

static LLVMValueRef
permute(const struct sampler *s, const LLVMValueRef window[2], LLVMValueRef element)
{
   LLVMValueRef is_lower =
      LLVMBuildICmp(s->j->ir, LLVMIntSLT, element, LLVMConstNull(LLVMTypeOf(element)), "");
   LLVMValueRef upper = call(s, "llvm.x86.avx2.permd", window[0], element);
   return choose(s->j, is_lower, call(s, "llvm.x86.avx2.permd", window[1], element), upper);
}

/* Of two quads, whose elements are four vectors, one for each texel of a lane: all of a quad's are
 * brought together, permuted, and brought back. */
static void
take_of_two_quads(const struct sampler *s, LLVMValueRef window[2][2],
                  const LLVMValueRef element[CF_IMAGE_TEXELS], LLVMValueRef texel[CF_IMAGE_TEXELS])
{
   for (unsigned n = 0; n < CF_IMAGE_TEXELS; n += 2) {
      LLVMValueRef of_quad[2];
      for (unsigned q = 0; q < 2; q++)
         of_quad[q] = permute(s, window[q], groups_of(s, element[n], q, element[n + 1], q));
      for (unsigned k = 0; k < 2; k++)
         texel[n + k] = groups_of(s, of_quad[0], k, of_quad[1], k);
   }
}

void
cf_jit_take_of_units(const struct sampler *s, const struct level *level, LLVMValueRef x_unit,
                     LLVMValueRef y_unit, const LLVMValueRef x_place[CF_IMAGE_TEXELS],
                     const LLVMValueRef y_place[CF_IMAGE_TEXELS],
                     LLVMValueRef texel[CF_IMAGE_TEXELS])
{
   LLVMValueRef window[CF_TASK_QUADS][2], piece[CF_IMAGE_TEXELS][MAX_PIECES];
   load_units(s, level, x_unit, y_unit, window);
   for (unsigned v = 0; v < s->lanes / WIDTH; v++) {
      LLVMValueRef element[CF_IMAGE_TEXELS], taken[CF_IMAGE_TEXELS];
      for (unsigned n = 0; n < CF_IMAGE_TEXELS; n++)
         element[n] = element_of(s, piece_of(s, x_place[n], v), piece_of(s, y_place[n], v));
      take_of_two_quads(s, &window[2 * v], element, taken);
      for (unsigned n = 0; n < CF_IMAGE_TEXELS; n++)
         piece[n][v] = taken[n];
   }
   for (unsigned n = 0; n < CF_IMAGE_TEXELS; n++)
      texel[n] = row_of(s, piece[n]);
}
