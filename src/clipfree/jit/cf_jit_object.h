/* SPDX-License-Identifier: MIT */
/*
 * Compiled code in memory: a loader for the relocatable ELF objects that cf_jit_llvm.h makes. They
 * come from a disk cache too, so nothing in them is trusted to be well-formed: every offset is
 * checked. (What the code does cannot be checked: the cache must be the user's own.)
 *
 * Limitations: x86-64 relocations, and only those against sections of the object itself.
 */
#ifndef CF_JIT_OBJECT_H
#define CF_JIT_OBJECT_H

#include <stddef.h>
#include <stdint.h>

struct cf_jit_symbol;

struct cf_jit_code {
   void *memory;
   size_t memory_B;
   void *entry;                  /* address of the symbol looked for */
   struct cf_jit_symbol *symbol; /* what perf and gdb know, or NULL */
};

/** Map the object's sections, relocate them, make them executable. `name`: what perf and gdb are told that the function is
 * called (cf_jit_symbols.h); NULL: nothing. NULL, or what is wrong (a static string). */
const char *cf_jit_object_load(struct cf_jit_code *code, const uint8_t *object, size_t size_B,
                               const char *symbol, const char *name);

/** Free the code. Addresses that perf and gdb were told of are not used again. */
void cf_jit_object_unload(struct cf_jit_code *code);

#endif
