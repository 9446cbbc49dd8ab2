/* SPDX-License-Identifier: MIT */
/*
 * CLIPFREE_DEBUG: the driver's debug flags.
 */
#ifndef CLIPFREE_DEBUG_H
#define CLIPFREE_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/compiler/cf_compiler.h"

enum cf_debug_flag {
   CF_DEBUG_VS = 1 << 0,
   CF_DEBUG_FS = 1 << 1,
   CF_DEBUG_NIR = 1 << 2,
   CF_DEBUG_IR = 1 << 3,
   CF_DEBUG_ASM = 1 << 4,
   CF_DEBUG_SHADERDB = 1 << 5,
   CF_DEBUG_PERF = 1 << 6,
   CF_DEBUG_SYNC = 1 << 7,
   CF_DEBUG_NOCACHE = 1 << 8,
   CF_DEBUG_NOVALIDATE = 1 << 9,
   CF_DEBUG_VERIFY = 1 << 10,
   CF_DEBUG_SETUP = 1 << 11,
   CF_DEBUG_RAST = 1 << 12,
   CF_DEBUG_TEX = 1 << 13,
   CF_DEBUG_PIXEL = 1 << 14,
   CF_DEBUG_NOJIT = 1 << 15,
   CF_DEBUG_NOREUSE = 1 << 16,
   CF_DEBUG_FLUSH = 1 << 17,
   CF_DEBUG_SYMBOLS = 1 << 18,
   CF_DEBUG_SLOW = 1 << 19,
   CF_DEBUG_VARIABLES = 1 << 20,
   CF_DEBUG_GS = 1 << 21,
};

/** Parse CLIPFREE_DEBUG: flags separated by commas or spaces. `help` prints them all. False if one
 * is unknown, with a message that lists all flags. */
bool cf_debug_parse(uint32_t *flags);

/** Parse CLIPFREE_COMPILER: passes that are left out, as bits of enum cf_pass. `help` prints the
 * passes. False if one is unknown, with a message that lists all. */
bool cf_debug_parse_compiler(uint32_t *passes_off);

/** Parse CLIPFREE_MEDIUMP. False if the value is not known, with a message. */
bool cf_debug_parse_mediump(enum cf_mediump *mediump);

/** The enum cf_compile_debug bits for a shader of the stage: dumps only when the flags name the
 * stage (or no stage). */
uint32_t cf_debug_compile_flags(uint32_t flags, enum cf_shader_stage stage);

/** The print flags of the GPU's units: enum cf_print_flag. */
uint32_t cf_debug_print_flags(uint32_t flags);

#endif
