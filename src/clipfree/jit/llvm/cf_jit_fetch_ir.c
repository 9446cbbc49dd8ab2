/* SPDX-License-Identifier: MIT */
/*
 * Fetches of texels by integer coordinates, and sizes of textures: fetch_texels and texture_size of
 * texture/cf_sample_lanes.c.
 */
#include "clipfree/jit/llvm/cf_jit_sampler.h"

static LLVMValueRef
below(const struct sampler *s, LLVMValueRef a, LLVMValueRef limit)
{
   return compare_ints(s, LLVMIntULT, a, limit);
}

static LLVMValueRef
operand(const struct sampler *s, unsigned k)
{
   return bits_of(s->j, s->strq[k]);
}

/* The lanes' level, or the first where there is none that they want; *exists: where there is. A
 * scalar if they want the same. */
static LLVMValueRef
level_index(const struct sampler *s, LLVMValueRef *exists)
{
   LLVMValueRef level = operand(s, 3), one = repeated_bits(s->j, level);
   if (one) {
      s->j->lanes = 1;
      level = one;
   }
   LLVMValueRef first = splat(s->j, first_level(s));
   LLVMValueRef last = splat(
      s->j, unit_field(s, s->j->i32, offsetof(struct cf_texture_unit, texture.last_level)));
   LLVMValueRef is = compare_ints(s, LLVMIntULE, level, sub(s, last, first));
   LLVMValueRef index = add(s, first, choose(s->j, is, level, u32_of(s, 0)));
   s->j->lanes = s->lanes;
   *exists = to_lanes(s, is);
   return index;
}

/* The coordinate where it is inside of the level, else 0; *inside gets less where it is not. */
static LLVMValueRef
bounded(const struct sampler *s, LLVMValueRef coordinate, LLVMValueRef size, LLVMValueRef *inside)
{
   LLVMValueRef is = below(s, coordinate, size);
   *inside = and(s, *inside, is);
   return choose(s->j, is, coordinate, u32_of(s, 0));
}

struct level
cf_jit_fetched_level(const struct sampler *s, LLVMValueRef *exists)
{
   if (!s->key->samples) {
      LLVMValueRef index = level_index(s, exists);
      return cf_jit_levels(s, index, s->exec);
   }
   const unsigned samples = s->key->samples;
   struct level level = cf_jit_levels(s, first_level(s), s->exec);
   *exists = compare_ints(s, LLVMIntULT, operand(s, 3), u32_of(s, samples));
   LLVMValueRef sample = choose(s->j, *exists, operand(s, 3), u32_of(s, 0));
   LLVMValueRef sample_B = LLVMBuildUDiv(s->j->ir, level.row_B, u32_of(s, samples), "");
   level.base_B = add(s, level.base_B, mul(s, sample, sample_B));
   return level;
}

void
cf_jit_place_fetch(const struct sampler *s, struct level *level, LLVMValueRef exists,
                   struct taps *taps)
{
   const unsigned dims = s->key->dims;
   *taps = (struct taps){ .inside = exists };
   for (unsigned a = 0; a < 2; a++)
      taps->axis[a].index[0] =
         a < dims ? bounded(s, operand(s, a), level->size_px[a], &taps->inside) : u32_of(s, 0);
   if (dims > 2 || s->key->array) {
      LLVMValueRef layer =
         bounded(s, operand(s, dims > 2 ? 2 : dims), level->size_px[2], &taps->inside);
      level->base_B = add(s, level->base_B, mul(s, layer, level->layer_B));
   }
}

void
cf_jit_sample_size(const struct sampler *s, LLVMValueRef rgba[4])
{
   LLVMValueRef exists, index = level_index(s, &exists);
   const struct level level = cf_jit_levels(s, index, s->exec);
   LLVMValueRef first = splat(s->j, first_level(s));
   LLVMValueRef last = splat(
      s->j, unit_field(s, s->j->i32, offsetof(struct cf_texture_unit, texture.last_level)));
   LLVMValueRef layers = level.size_px[2];
   rgba[0] = float_of(s->j, level.size_px[0]);
   rgba[1] = float_of(s->j, s->key->dims == 1 ? layers : level.size_px[1]);
   rgba[2] = float_of(s->j, layers);
   rgba[3] = float_of(s->j, add(s, sub(s, last, first), u32_of(s, 1)));
}
