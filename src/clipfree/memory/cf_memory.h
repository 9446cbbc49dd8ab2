/* SPDX-License-Identifier: MIT */
/*
 * GPU address space: one reserved range of host addresses; a GPU address is an offset into it.
 * Allocations are pieces of the range, committed when allocated. Address 0 is never allocated.
 */
#ifndef CF_MEMORY_H
#define CF_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cf_memory;

/* Addresses reserved before and after the memory, where nothing is: compiled code adds numbers of
 * 32 bits, also as an index of dwords, to host addresses in it, and what is proven of it
 * (jit/proof/) is that it does no more. */
#define CF_MEMORY_BEFORE_B (INT64_C(4) << 30)
#define CF_MEMORY_AFTER_B (INT64_C(20) << 30)

/** Reserve address space for at most limit_B bytes of allocations (0: three quarters of the host's
 * memory). NULL: out of memory. */
struct cf_memory *cf_memory_create(uint64_t limit_B);
void cf_memory_destroy(struct cf_memory *memory);

/** Allocate size_B zeroed bytes, aligned to a host page, at least 4096. Returns the GPU address, 0
 * when out of memory. Thread safe. */
uint64_t cf_memory_alloc(struct cf_memory *memory, uint64_t size_B);
void cf_memory_free(struct cf_memory *memory, uint64_t address);

/** Import memory of the host: the first size_B bytes of an open file, of memfd_create for example,
 * which has as many and may be written. The GPU sees the file's pages, as others do that have it
 * mapped; they are not zeroed and do not count as used. The caller may close the descriptor at any
 * time; who makes the file shorter ends the process. Returns the GPU address, freed like any other;
 * 0: not possible. Thread safe. */
uint64_t cf_memory_import(struct cf_memory *memory, int file, uint64_t size_B);

/** The host address of [address, address + size_B); NULL unless the whole range lies in one live
 * allocation. Called once per descriptor; accesses are then checked against the descriptor's
 * size. */
void *cf_memory_at(const struct cf_memory *memory, uint64_t address, uint64_t size_B);

/** The same of what must be aligned: NULL, too, if the address is no multiple of align_B, at most
 * 4096. For those who see addresses that the command processor has not checked yet. */
static inline const void *
cf_memory_aligned(const struct cf_memory *memory, uint64_t address, uint64_t size_B,
                  uint32_t align_B)
{
   return address % align_B == 0 ? cf_memory_at(memory, address, size_B) : NULL;
}

/** The GPU address of a host address that cf_memory_at gave, or one inside of its range. */
uint64_t cf_memory_address(const struct cf_memory *memory, const void *host);

uint64_t cf_memory_used_B(const struct cf_memory *memory);
uint64_t cf_memory_limit_B(const struct cf_memory *memory);

#endif
