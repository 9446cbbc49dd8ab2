/* SPDX-License-Identifier: MIT */
/*
 * Interface between cf_jit_pixels_ir.c and cf_jit_blend_ir.c: a color target during translation.
 */
#ifndef CF_JIT_PIXELS_IR_H
#define CF_JIT_PIXELS_IR_H

#include "clipfree/jit/llvm/cf_jit_quads_ir.h"
#include "clipfree/memory/cf_format.h"

#define MAX_WORDS 4 /* dwords of a pixel */

/* A color target; also the depth image, which only uses image and pixels. Arrays of 4: by component
 * r, g, b, a. */
struct target {
   unsigned index;     /* in the frame */
   size_t image_B;     /* offset of its image in struct cf_pixel_config */
   const struct cf_target_key *key;
   /* bytes and dwords of a pixel; pixels of 1 and 2 bytes are zero-extended to a dword */
   unsigned pixel_B, words;
   bool clamp;              /* colours are clamped to [0, 1] (unorm, srgb) */
   struct channel {
      uint8_t type; /* enum cf_channel_type; none: the format has no such component */
      uint8_t word, shift, bits;
   } channel[4];
};

/** State of the target, read at run time: the element at `offset_B` of struct cf_pixel_target, in
 * all lanes. */
LLVMValueRef cf_jit_target_state(struct translator *t, const struct target *target,
                                 LLVMTypeRef type, size_t offset_B);

/** Whether new pixels depend on old ones even where all lanes are written. */
bool cf_jit_target_reads(const struct target *target);

/** Blend and pack the colours of all lanes to pixels, as dwords. `old`: the old pixels, [words];
 * read only if cf_jit_target_reads. */
void cf_jit_new_pixels(struct translator *t, const struct target *target,
                       const LLVMValueRef old[MAX_WORDS], LLVMValueRef pixels[MAX_WORDS]);

#endif
