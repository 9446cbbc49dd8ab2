/* SPDX-License-Identifier: MIT */
/*
 * A loader for the relocatable ELF objects of cf_jit_llvm.h. Objects may come from the cache on
 * disk, so that nothing in them is trusted to be well-formed: every offset is checked, and so is
 * what the code does (cf_jit_map.h).
 *
 * Limitations: relocations of cf_jit_relocate.h, and only against sections of the object itself.
 */
#ifndef CF_JIT_OBJECT_H
#define CF_JIT_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cf_jit_source;
struct cf_jit_symbol;

struct cf_jit_code {
   void *memory;
   size_t memory_B;
   void *entry;                  /* address of the requested symbol */
   struct cf_jit_symbol *symbol; /* registered with perf and gdb, or NULL */
   bool refused;                 /* not loaded: it is not proven to be harmless */
   uint64_t proof_ns;            /* time of this thread that the proof took */
};

/** Map the object's sections, relocate them, look whether the function is proven to do only what
 * code of `source` may (proof/cf_proof.h), make them executable. `name`: the function's name in
 * perf and gdb (cf_jit_symbols.h); NULL: it is not registered. Returns NULL, or the error: a static
 * string, cf_jit_memory_refused if it is that, and what the proof says, which sets `refused`. */
const char *cf_jit_object_load(struct cf_jit_code *code, const uint8_t *object, size_t size_B,
                               const struct cf_jit_source *source, const char *symbol,
                               const char *name);

/** Free the code. Addresses registered with perf are never reused. */
void cf_jit_object_unload(struct cf_jit_code *code);

#endif
