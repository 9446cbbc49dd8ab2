/* SPDX-License-Identifier: MIT */
/*
 * The texels of bilinear samples, fetched for quads of lanes at once.
 *
 * Textures in blocks keep 4x4 texels in 64 bytes, which are one vector. The sixteen texels that the four lanes of a quad need
 * mostly lie in 2x2 blocks, a window of 8x8 texels: it takes four loads and two permutations instead of sixteen loads.
 * Whether that is so for all quads is looked at in every task; if not, every texel is fetched by itself.
 */
#include <stddef.h>

#include "clipfree/isa/cf_isa.h"
#include "clipfree/jit/llvm/cf_jit_sampler.h"
#include "clipfree/texture/cf_texture.h"

#define BLOCK_TEXELS 16
#define BLOCK_B 64
#define CORNERS 4 /* blocks of a window: bit 0 of a corner's number is the right half, bit 1 the lower one */

/* One axis of every quad's window; rows. */
struct window_axis {
   LLVMValueRef block;    /* the first one, the same in a quad */
   LLVMValueRef place[2]; /* of the lane's texels from there: inside, if less than 8 */
};

bool
cf_jit_has_windows(const struct sampler *s)
{
   const struct cf_sample_key *key = s->key;
   const bool levels_of_lanes = key->needs_lod && key->mip != CF_MIP_NONE &&
                                (key->mode == CF_TEXMODE_LOD || key->mode == CF_TEXMODE_BIAS);
   return s->j->gathers && key->blocks && key->pixel_B == 4 && !key->cube && !levels_of_lanes;
}

static struct window_axis
find_window(const struct sampler *s, const struct axis *axis)
{
   static const unsigned beside[4] = { 1, 0, 3, 2 }, across[4] = { 2, 3, 0, 1 };
   LLVMValueRef lowest = imin(s, axis->index[0], permute_quads(s->j, axis->index[0], beside));
   lowest = imin(s, lowest, permute_quads(s->j, lowest, across));
   struct window_axis window = { .block = shr(s, lowest, 2) };
   for (unsigned n = 0; n < 2; n++)
      window.place[n] = sub(s, axis->index[n], shl(s, window.block, 2));
   return window;
}

static LLVMValueRef
all_inside(const struct sampler *s, const struct window_axis *x, const struct window_axis *y)
{
   LLVMValueRef places = or(s, or(s, x->place[0], x->place[1]), or(s, y->place[0], y->place[1]));
   LLVMValueRef inside = compare_ints(s, LLVMIntULT, places, u32_of(s, 8));
   return compare_ints(s, LLVMIntEQ, LLVMBuildBitCast(s->j->ir, inside, s->j->i32, ""), LLVMConstAllOnes(s->j->i32));
}

/* ---- loads ---- */

/* Memory at the function's beginning. */
static LLVMValueRef
allocate(const struct sampler *s, LLVMTypeRef type)
{
   LLVMBasicBlockRef here = LLVMGetInsertBlock(s->j->ir);
   LLVMPositionBuilderBefore(s->j->ir, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(s->function)));
   LLVMValueRef memory = LLVMBuildAlloca(s->j->ir, type, "");
   LLVMSetAlignment(memory, 64);
   LLVMPositionBuilderAtEnd(s->j->ir, here);
   return memory;
}

/* Where the corners of the quads' windows lie in the texture: 8 dwords each. A corner that would lie outside of the level is
 * not used, and another takes its place. */
static void
find_corners(const struct sampler *s, const struct level *level, const struct window_axis *x, const struct window_axis *y,
             LLVMValueRef corner_B[CORNERS])
{
   LLVMValueRef width_px = of_quads(s, level->width_px, 0), height_px = of_quads(s, level->height_px, 0);
   LLVMValueRef row_B = of_quads(s, level->row_B, 0), base_B = of_quads(s, level->base_B, 0);
   LLVMValueRef column[2] = { of_quads(s, x->block, 0) }, row[2] = { of_quads(s, y->block, 0) };
   s->j->lanes = CF_TASK_QUADS;
   LLVMValueRef one = u32_of(s, 1), x_B = u32_of(s, BLOCK_B);
   column[1] = imin(s, add(s, column[0], one), shr(s, sub(s, width_px, one), 2));
   row[1] = imin(s, add(s, row[0], one), shr(s, sub(s, height_px, one), 2));
   for (unsigned c = 0; c < CORNERS; c++)
      corner_B[c] = add(s, mul(s, column[c & 1], x_B), add(s, mul(s, row[c >> 1], row_B), base_B));
   s->j->lanes = CF_TASK_LANES;
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

/* The windows' blocks. Offsets go through memory, from where each is an operand of its own: taking them out of vectors
 * costs more than the loads. */
static void
load_windows(const struct sampler *s, const LLVMValueRef corner_B[CORNERS], LLVMValueRef window[CF_TASK_QUADS][CORNERS])
{
   struct cf_jit_ir *j = s->j;
   const unsigned size_B = CF_TASK_QUADS * 4;
   LLVMTypeRef block_type = LLVMVectorType(j->i32, BLOCK_TEXELS);
   LLVMValueRef offsets = allocate(s, LLVMArrayType(LLVMTypeOf(corner_B[0]), CORNERS));
   for (unsigned c = 0; c < CORNERS; c++) {
      LLVMValueRef store = LLVMBuildStore(j->ir, corner_B[c], byte_offset(j, offsets, c * size_B));
      LLVMSetVolatile(store, true);
   }
   for (unsigned q = 0; q < CF_TASK_QUADS; q++) {
      for (unsigned c = 0; c < CORNERS; c++) {
         LLVMValueRef offset_B = load_at(j, j->i32, offsets, c * size_B + q * 4, 4);
         LLVMSetVolatile(offset_B, true);
         LLVMValueRef at = LLVMBuildZExt(j->ir, offset_B, j->i64, "");
         window[q][c] = load_at(j, block_type, LLVMBuildGEP2(j->ir, j->i8, s->data, &at, 1, ""), 0, 4);
      }
   }
}

/* ---- permutations ---- */

/* Element 4n + l of the result: lane 4q + l of row[order[n]]. */
static LLVMValueRef
four_of_quad(const struct sampler *s, const LLVMValueRef row[2], unsigned q, const unsigned order[4])
{
   LLVMValueRef index[BLOCK_TEXELS];
   for (unsigned n = 0; n < BLOCK_TEXELS; n++)
      index[n] = LLVMConstInt(s->j->i32, CF_TASK_LANES * order[n / 4] + 4 * q + n % 4, 0);
   return LLVMBuildShuffleVector(s->j->ir, row[0], row[1], LLVMConstVector(index, BLOCK_TEXELS), "");
}

/* An intrinsic that is not overloaded. */
static LLVMValueRef
call(const struct sampler *s, const char *name, LLVMValueRef *arguments, unsigned count)
{
   const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
   return LLVMBuildCall2(s->j->ir, LLVMIntrinsicGetType(s->j->context, id, NULL, 0),
                         LLVMGetIntrinsicDeclaration(s->j->module, id, NULL, 0), arguments, count, "");
}

/* Element n of the result: texel element[n] of a window, whose bits 0 to 3 are that in a block, 4 and 5 the corner. */
static LLVMValueRef
permute(const struct sampler *s, const LLVMValueRef window[CORNERS], LLVMValueRef element)
{
   LLVMValueRef half[2];
   for (unsigned n = 0; n < 2; n++) {
      LLVMValueRef arguments[3] = { window[2 * n], element, window[2 * n + 1] };
      half[n] = call(s, "llvm.x86.avx512.vpermi2var.d.512", arguments, 3);
   }
   s->j->lanes = BLOCK_TEXELS;
   LLVMValueRef lower = compare_ints(s, LLVMIntNE, and(s, element, u32_of(s, 32)), u32_of(s, 0));
   s->j->lanes = CF_TASK_LANES;
   return choose(s->j, lower, half[1], half[0]);
}

/* Places 0 to 7 of a row of lanes, bit n moved to bit 2n + shift. */
static LLVMValueRef
spread(const struct sampler *s, LLVMValueRef place, unsigned shift)
{
   LLVMValueRef table[BLOCK_B], half[2];
   LLVMTypeRef bytes = LLVMVectorType(s->j->i8, BLOCK_B);
   for (unsigned n = 0; n < BLOCK_B; n++) { /* in each group of 16 bytes the same */
      const unsigned spread = (n & 1) | (n & 2) << 1 | (n & 4) << 2;
      table[n] = LLVMConstInt(s->j->i8, spread << shift, 0);
   }
   for (unsigned h = 0; h < 2; h++) {
      LLVMValueRef index[BLOCK_TEXELS];
      for (unsigned n = 0; n < BLOCK_TEXELS; n++)
         index[n] = LLVMConstInt(s->j->i32, BLOCK_TEXELS * h + n, 0);
      half[h] = LLVMBuildShuffleVector(s->j->ir, place, place, LLVMConstVector(index, BLOCK_TEXELS), "");
      LLVMValueRef arguments[2] = { LLVMConstVector(table, BLOCK_B), LLVMBuildBitCast(s->j->ir, half[h], bytes, "") };
      half[h] = LLVMBuildBitCast(s->j->ir, call(s, "llvm.x86.avx512.pshuf.b.512", arguments, 2),
                                 LLVMTypeOf(half[h]), "");
   }
   return concatenate(s, half[0], half[1]);
}

/* Groups of four elements: a's i and k, then b's. */
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

/* From groups of four by quad to rows by texel. */
static void
to_rows(const struct sampler *s, const LLVMValueRef of_quad[CF_TASK_QUADS], LLVMValueRef texel[4])
{
   LLVMValueRef half[2][4];
   for (unsigned h = 0; h < 2; h++) {
      const LLVMValueRef *quad = &of_quad[4 * h];
      for (unsigned pair = 0; pair < 2; pair++) { /* texels 2 pair and 2 pair + 1 */
         LLVMValueRef low = pick_groups(s, quad[0], quad[1], 2 * pair, 2 * pair + 1);
         LLVMValueRef high = pick_groups(s, quad[2], quad[3], 2 * pair, 2 * pair + 1);
         half[h][2 * pair] = pick_groups(s, low, high, 0, 2);
         half[h][2 * pair + 1] = pick_groups(s, low, high, 1, 3);
      }
   }
   for (unsigned n = 0; n < 4; n++)
      texel[n] = concatenate(s, half[0][n], half[1][n]);
}

static void
take_from_windows(const struct sampler *s, LLVMValueRef window[CF_TASK_QUADS][CORNERS], const struct window_axis *x,
                  const struct window_axis *y, LLVMValueRef texel[4])
{
   static const unsigned alternating[4] = { 0, 1, 0, 1 }, paired[4] = { 0, 0, 1, 1 };
   LLVMValueRef column[2], row[2], of_quad[CF_TASK_QUADS];
   for (unsigned n = 0; n < 2; n++) {
      column[n] = spread(s, x->place[n], 0);
      row[n] = spread(s, y->place[n], 1);
   }
   for (unsigned q = 0; q < CF_TASK_QUADS; q++)
      of_quad[q] = permute(s, window[q],
                           or(s, four_of_quad(s, column, q, alternating), four_of_quad(s, row, q, paired)));
   to_rows(s, of_quad, texel);
}

/* ---- both ways ---- */

void
cf_jit_fetch_windows(const struct sampler *s, const struct level *level, const struct axis *x, const struct axis *y,
                     void (*gather)(const struct sampler *s, const struct level *level, const struct axis *x,
                                    const struct axis *y, LLVMValueRef texel[4]),
                     LLVMValueRef texel[4])
{
   LLVMBuilderRef ir = s->j->ir;
   LLVMBasicBlockRef way[2] = { new_block(s), new_block(s) }, meet = new_block(s);
   LLVMValueRef fetched[2][4], corner_B[CORNERS], window[CF_TASK_QUADS][CORNERS];
   const struct window_axis window_x = find_window(s, x), window_y = find_window(s, y);
   LLVMBuildCondBr(ir, all_inside(s, &window_x, &window_y), way[0], way[1]);
   LLVMPositionBuilderAtEnd(ir, way[0]);
   find_corners(s, level, &window_x, &window_y, corner_B);
   load_windows(s, corner_B, window);
   take_from_windows(s, window, &window_x, &window_y, fetched[0]);
   LLVMBuildBr(ir, meet);
   LLVMPositionBuilderAtEnd(ir, way[1]);
   gather(s, level, x, y, fetched[1]);
   LLVMBuildBr(ir, meet);
   LLVMMoveBasicBlockAfter(meet, LLVMGetLastBasicBlock(s->function));
   LLVMPositionBuilderAtEnd(ir, meet);
   for (unsigned n = 0; n < 4; n++) {
      LLVMValueRef values[2] = { fetched[0][n], fetched[1][n] };
      texel[n] = LLVMBuildPhi(ir, LLVMTypeOf(values[0]), "");
      LLVMAddIncoming(texel[n], values, way, 2);
   }
}
