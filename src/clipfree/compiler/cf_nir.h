/* SPDX-License-Identifier: MIT */
/*
 * NIR passes before instruction selection.
 */
#ifndef CF_NIR_H
#define CF_NIR_H

#include "cf_compiler.h"
#include "nir.h"

/** Lower and optimise until only what cf_from_nir knows is left: scalar ALU operations of the ISA,
 * 32-bit booleans, lowered I/O, scratch for arrays indexed at run time, scalar phis, loop-closed
 * SSA with divergence. Changes nir; of a geometry shader describes its inputs, outputs and program
 * in `binary`. passes_off: bits of enum cf_pass. Returns NULL, or why it cannot be compiled. */
const char *cf_nir_lower(nir_shader *nir, uint32_t passes_off, struct cf_binary *binary);

/** Describe a geometry shader's inputs, outputs and program in `binary`, and reserve their scratch,
 * which must be the first of the shader. */
void cf_nir_reserve_geometry(nir_shader *nir, struct cf_binary *binary);

/** Make inputs and outputs of a geometry shader, whose variables are lowered, loads and stores of
 * its scratch. Returns NULL, or why it cannot be compiled. */
const char *cf_nir_lower_geometry(nir_shader *nir, struct cf_binary *binary);

/** Whether the value may be the result of arithmetic in floats, so that it may be a NaN whose bits
 * the engine chose. */
bool cf_computes_float(const nir_function_impl *impl, nir_scalar value);

/** The shader's variables and code as text, child of mem_ctx; the index of each instruction becomes
 * its line there, from
 * 1. NULL: out of memory. */
char *cf_nir_text(void *mem_ctx, nir_shader *nir);

/** Make floats of 16 bits, which mediump and lowp are, floats of 32 bits that are rounded: 16 bits
 * have only the values between f2f16 and f2f32. */
void cf_nir_widen(nir_shader *nir, enum cf_mediump mediump);

/** How deep conditions and loops are nested. */
unsigned cf_nir_depth(nir_shader *nir);

/** Cut chains of conditions that are nested deeper than CF_MAX_NESTING into pieces behind each
 * other. What is deep otherwise stays. Returns whether nir was changed. */
bool cf_nir_flatten(nir_shader *nir);

/** What mediump is rounded to: enum cf_round_format. */
uint32_t cf_round_format_of(enum cf_mediump mediump);

#endif
