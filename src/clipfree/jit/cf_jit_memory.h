/* SPDX-License-Identifier: MIT */
/*
 * Memory for code: it can be written until it is sealed, and executed from then on; never both.
 */
#ifndef CF_JIT_MEMORY_H
#define CF_JIT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/** What callers say when cf_jit_memory_seal fails. */
extern const char cf_jit_memory_refused[];

/** Map memory that is zero and can be written; munmap() it. NULL: out of memory. */
void *cf_jit_memory_map(size_t size_B);

/** Let the memory be executed, and no longer written, where it is. False: the host lets this
 * process have no executable memory; it is as before. */
bool cf_jit_memory_seal(void *memory, size_t size_B);

/** Whether the host lets this process have executable memory, by an attempt. */
bool cf_jit_memory_is_allowed(void);

#endif
