/* SPDX-License-Identifier: MIT */
/*
 * Writing colours, inside: a color target as its code is made.
 */
#ifndef CF_JIT_PIXELS_IR_H
#define CF_JIT_PIXELS_IR_H

#include "clipfree/jit/llvm/cf_jit_quads_ir.h"
#include "clipfree/memory/cf_format.h"

#define MAX_WORDS 4 /* dwords of a pixel */

/* One color target, or what depth needs of it (image, pixels). Arrays of 4: by component r, g, b, a. */
struct target {
   unsigned index;     /* in the frame */
   size_t image_B;     /* offset of its image in struct cf_pixel_config */
   const struct cf_target_key *key;
   unsigned pixel_B, words; /* of a pixel; pixels of 1 and 2 bytes are one dword, its upper bits 0 */
   bool clamp;              /* colours are clamped to [0, 1]: unorm, srgb */
   struct channel {
      uint8_t type; /* enum cf_channel_type; none: the format has no such component */
      uint8_t word, shift, bits;
   } channel[4];
};

/** What the state says of the target: element `offset_B` of struct cf_pixel_target, in all lanes. */
LLVMValueRef cf_jit_target_state(struct translator *t, const struct target *target, LLVMTypeRef type, size_t offset_B);

/** Do new pixels depend on old ones, also where a pixel is covered? */
bool cf_jit_target_reads(const struct target *target);

/** The pixels that colours become, as dwords, of all lanes. `old`: the pixels before, [words]; not read unless
 *  cf_jit_target_reads. */
void cf_jit_new_pixels(struct translator *t, const struct target *target, const LLVMValueRef old[MAX_WORDS],
                       LLVMValueRef pixels[MAX_WORDS]);

#endif
