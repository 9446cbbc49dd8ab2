/* SPDX-License-Identifier: MIT */
/*
 * Relocations of the ELF objects that LLVM makes: x86-64's and AArch64's, on any host.
 */
#ifndef CF_JIT_RELOCATE_H
#define CF_JIT_RELOCATE_H

#include <elf.h>
#include <stdint.h>

/* The machine of this host's code; EM_NONE: there is none. */
#if defined(__x86_64__)
#define CF_JIT_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define CF_JIT_MACHINE EM_AARCH64
#else
#define CF_JIT_MACHINE EM_NONE
#endif

/** Bytes that a relocation changes; 0: its type is none of those that are known (the machine's
 * System V ABI, ELF). `machine`: EM_X86_64 or EM_AARCH64. */
unsigned cf_jit_relocation_B(unsigned machine, uint32_t type);

/** Make what is at `place` point to `value`: a symbol's address plus the addend. `type` is known.
 * Returns NULL, or the error: a static string. */
const char *cf_jit_relocate(unsigned machine, uint32_t type, uint8_t *place, uint64_t value);

#endif
