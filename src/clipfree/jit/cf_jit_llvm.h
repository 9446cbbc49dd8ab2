/* SPDX-License-Identifier: MIT */
/*
 * Compilation of a source to a host object by LLVM: the interface of the module clipfree_jit, which
 * is loaded with dlopen.
 *
 * The object is a relocatable ELF file with one function, CF_JIT_ENTRY: a cf_jit_function
 * (cf_jit.h) for a program, a cf_sample_function (texture/cf_texture.h) for a sample. It has no
 * external references, so that it can be stored on disk and loaded without LLVM (cf_jit_object.h).
 */
#ifndef CF_JIT_LLVM_H
#define CF_JIT_LLVM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clipfree/base/cf_lanes.h"

struct cf_jit_source;

#define CF_JIT_ENTRY "cf_jit_task"

/* Bytes of an object; free() them. */
struct cf_jit_bytes {
   uint8_t *data;
   size_t size_B;
};

/* LLVM need not come to an end. Whoever has waited this long leaves it: the largest programs that
 * are compiled take 3 s of an idle machine. */
#define CF_JIT_LIMIT_NS 10000000000ull

/* How far a compilation is. */
enum cf_jit_phase {
   CF_JIT_READS, /* the source, which has to stay; this takes no time */
   CF_JIT_WORKS, /* LLVM; the source is not read any more */
   CF_JIT_ENDED,
   CF_JIT_LEFT, /* instead of CF_JIT_WORKS: another thread does not wait for it */
};

/* The module exports one of these, under the name cf_jit_compiler. */
struct cf_jit_compiler {
   size_t size_B; /* of this struct */

   /** Translate and compile. False: the reason is in `error`, or it was left. May be called by many
    * threads at once. `phase`: how far it is, an enum cf_jit_phase. */
   bool (*compile)(const struct cf_jit_source *source, enum cf_host_level level,
                   struct cf_jit_bytes *object, char *error, size_t error_size, atomic_int *phase);

   /** Leave a compilation by another thread: false if LLVM does not work on it now. From then on
    * the process' end does not wait for it, and its thread gets false, if it comes to an end. */
   bool (*leave)(atomic_int *phase);

   /** The IR after the passes, or (`assembly`) the host's assembly, as text; free() it. NULL: the
    * reason is in `error`. */
   char *(*print)(const struct cf_jit_source *source, enum cf_host_level level, bool assembly,
                  char *error, size_t error_size);
};

#define CF_JIT_COMPILER_SYMBOL "cf_jit_compiler"

#endif
