/* SPDX-License-Identifier: MIT */
/*
 * GPU address space. One PROT_NONE reservation; allocations are runs of its pages, made accessible
 * when allocated.
 *
 * Ranges that were freed lately stay committed in a small cache, from which requests of the same
 * size are served: a memset of warm pages costs a fraction of decommitting and faulting them in
 * again. All other free ranges are in a list, sorted by address and merged, searched first fit.
 *
 * A table with an entry per page finds an address' allocation without the lock: entries are
 * written, under the lock, before the address is returned, and cleared when it is freed.
 *
 * Imported memory is a second mapping of its pages, in a range of the reservation.
 */
#include "clipfree/memory/cf_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clipfree/arith/cf_minmax.h"

#define RESERVE_MAX_B (64ull << 30)
#define RESERVE_MIN_B (1ull << 28)
#define OTHERS_MIN_B (96ull << 20)
#define CACHE_ENTRIES 64
#define CACHE_MAX_B (256ull << 20)
/* Above this, fresh zero pages are cheaper than clearing old ones through the caches. */
#define CACHE_MAX_ENTRY_B (32ull << 20)
#define IMPORTED (1 << 30) /* flag in an allocation's page count */

struct range {
   uint64_t first_page, pages;
};

struct cf_memory {
   uint8_t *base; /* GPU address 0 */
   void *reserved; /* all of the reservation, with what lies before and after the memory */
   uint64_t all_B;
   uint64_t page_B; /* the host's page size; a power of two, at least 4096 */
   uint32_t page_log2;
   uint64_t reserved_B, limit_B;
   pthread_mutex_t lock;
   /* written under the lock */
   _Atomic uint64_t used_B;
   struct range *free; /* sorted by address, never adjacent */
   uint32_t free_count, free_capacity;
   struct range cache[CACHE_ENTRIES]; /* committed, oldest first */
   uint32_t cache_count;
   uint64_t cache_B;
   /* per page: for the first page of an allocation its page count, with IMPORTED if it is; for
    * others minus the distance to the first; 0: free */
   _Atomic int32_t *page;
   size_t page_table_B;
};

static uint64_t
host_page_B(void)
{
   const long size_B = sysconf(_SC_PAGESIZE);
   return size_B > 4096 ? (uint64_t)size_B : 4096;
}

static uint64_t
host_memory_B(void)
{
   const long pages = sysconf(_SC_PHYS_PAGES);
   return pages > 0 ? (uint64_t)pages * host_page_B() : RESERVE_MIN_B;
}

/* Where addresses are limited (RLIMIT_AS), others get as many, and more than the first draws need:
 * else those would fail in the midst. */
static void *
reserve_B(uint64_t size_B, uint64_t others_B)
{
   uint8_t *base =
      mmap(NULL, size_B + others_B, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
   if (base == MAP_FAILED)
      return NULL;
   munmap(base + size_B, others_B);
   return base;
}

/* With CF_MEMORY_BEFORE_B and CF_MEMORY_AFTER_B only if addresses are not limited. */
static bool
reserve(struct cf_memory *memory)
{
   memory->reserved_B = RESERVE_MAX_B;
   memory->all_B = CF_MEMORY_BEFORE_B + RESERVE_MAX_B + CF_MEMORY_AFTER_B;
   memory->reserved = reserve_B(memory->all_B, RESERVE_MAX_B);
   memory->base = memory->reserved ? (uint8_t *)memory->reserved + CF_MEMORY_BEFORE_B : NULL;
   for (; !memory->base && memory->reserved_B >= RESERVE_MIN_B;
        memory->reserved_B /= memory->base ? 1 : 2) {
      memory->all_B = memory->reserved_B;
      memory->reserved = reserve_B(
         memory->all_B, memory->reserved_B > RESERVE_MIN_B ? memory->reserved_B : OTHERS_MIN_B);
      memory->base = memory->reserved;
   }
   return memory->base;
}

struct cf_memory *
cf_memory_create(uint64_t limit_B)
{
   struct cf_memory *memory = calloc(1, sizeof(*memory));
   if (!memory)
      return NULL;
   memory->page_B = host_page_B();
   memory->page_log2 = (uint32_t)__builtin_ctzll(memory->page_B);
   const bool reserved = reserve(memory);
   memory->page_table_B = (memory->reserved_B >> memory->page_log2) * sizeof(*memory->page);
   void *table = mmap(NULL, memory->page_table_B, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
   memory->free_capacity = 64;
   memory->free = malloc(memory->free_capacity * sizeof(*memory->free));
   memory->page = table;
   if (!reserved || table == MAP_FAILED || !memory->free) {
      if (reserved)
         munmap(memory->reserved, memory->all_B);
      if (table != MAP_FAILED)
         munmap(table, memory->page_table_B);
      free(memory->free);
      free(memory);
      return NULL;
   }
   memory->free[0] = (struct range){ .first_page = 1, .pages = (memory->reserved_B >> memory->page_log2) - 1 };
   memory->free_count = 1;
   limit_B = limit_B ? limit_B : host_memory_B() / 4 * 3;
   memory->limit_B = cf_min_u64(limit_B, memory->reserved_B - memory->page_B);
   pthread_mutex_init(&memory->lock, NULL);
   return memory;
}

void
cf_memory_destroy(struct cf_memory *memory)
{
   if (!memory)
      return;
   pthread_mutex_destroy(&memory->lock);
   munmap(memory->reserved, memory->all_B);
   munmap((void *)memory->page, memory->page_table_B);
   free(memory->free);
   free(memory);
}

/* Insert into the sorted list and merge with the neighbours. False: no memory for the list. */
static bool
free_insert(struct cf_memory *memory, struct range range)
{
   if (memory->free_count + 1 > memory->free_capacity) {
      struct range *grown = realloc(memory->free, 2 * memory->free_capacity * sizeof(*grown));
      if (!grown)
         return false;
      memory->free = grown;
      memory->free_capacity *= 2;
   }
   uint32_t low = 0, high = memory->free_count;
   while (low < high) {
      const uint32_t middle = (low + high) / 2;
      if (memory->free[middle].first_page < range.first_page)
         low = middle + 1;
      else
         high = middle;
   }
   struct range *at = &memory->free[low];
   const bool joins_next =
      low < memory->free_count && range.first_page + range.pages == at->first_page;
   const bool joins_previous = low > 0 && at[-1].first_page + at[-1].pages == range.first_page;
   if (joins_previous) {
      at[-1].pages += range.pages + (joins_next ? at->pages : 0);
      if (joins_next) {
         memmove(at, at + 1, (memory->free_count - low - 1) * sizeof(*at));
         memory->free_count--;
      }
   } else if (joins_next) {
      *at = (struct range){ .first_page = range.first_page, .pages = range.pages + at->pages };
   } else {
      memmove(at + 1, at, (memory->free_count - low) * sizeof(*at));
      *at = range;
      memory->free_count++;
   }
   return true;
}

/* First fit. 0: none. */
static uint64_t
free_take(struct cf_memory *memory, uint64_t pages)
{
   for (uint32_t i = 0; i < memory->free_count; i++) {
      struct range *range = &memory->free[i];
      if (range->pages < pages)
         continue;
      const uint64_t first_page = range->first_page;
      range->first_page += pages;
      range->pages -= pages;
      if (range->pages == 0) {
         memmove(range, range + 1, (memory->free_count - i - 1) * sizeof(*range));
         memory->free_count--;
      }
      return first_page;
   }
   return 0;
}

static void
decommit(struct cf_memory *memory, struct range range)
{
   uint8_t *start = memory->base + range.first_page * memory->page_B;
   if (madvise(start, range.pages * memory->page_B, MADV_DONTNEED) != 0)
      memset(start, 0, range.pages * memory->page_B); /* the process has locked its memory */
   mprotect(start, range.pages * memory->page_B, PROT_NONE);
   free_insert(memory, range);
}

static struct range
cache_remove(struct cf_memory *memory, uint32_t i)
{
   const struct range range = memory->cache[i];
   memory->cache_count--;
   memmove(&memory->cache[i], &memory->cache[i + 1], (memory->cache_count - i) * sizeof(range));
   memory->cache_B -= range.pages * memory->page_B;
   return range;
}

static uint64_t
cache_take(struct cf_memory *memory, uint64_t pages)
{
   for (uint32_t i = memory->cache_count; i-- > 0;) {
      if (memory->cache[i].pages == pages)
         return cache_remove(memory, i).first_page;
   }
   return 0;
}

static void
cache_empty(struct cf_memory *memory)
{
   while (memory->cache_count > 0)
      decommit(memory, cache_remove(memory, 0));
}

/* Take free pages, inaccessible; cached ranges give way. 0: none are free. */
static uint64_t
take_fresh(struct cf_memory *memory, uint64_t pages)
{
   const uint64_t first_page = free_take(memory, pages);
   if (first_page)
      return first_page;
   cache_empty(memory);
   return free_take(memory, pages);
}

/* Commit fresh pages, zero and accessible. 0: none are free. */
static uint64_t
commit_fresh(struct cf_memory *memory, uint64_t pages)
{
   const uint64_t first_page = take_fresh(memory, pages);
   if (!first_page)
      return 0;
   uint8_t *start = memory->base + first_page * memory->page_B;
   if (mprotect(start, pages * memory->page_B, PROT_READ | PROT_WRITE) != 0) {
      free_insert(memory, (struct range){ .first_page = first_page, .pages = pages });
      return 0;
   }
   return first_page;
}

/* Write the page table's entries of a range. `first`: the first page's entry; 0: clear all. */
static void
set_pages(struct cf_memory *memory, uint64_t first_page, uint64_t pages, int32_t first)
{
   for (uint64_t i = 1; i < pages; i++)
      atomic_store_explicit(&memory->page[first_page + i], first ? -(int32_t)i : 0,
                            memory_order_relaxed);
   atomic_store_explicit(&memory->page[first_page], first, memory_order_release);
}

uint64_t
cf_memory_alloc(struct cf_memory *memory, uint64_t size_B)
{
   if (size_B == 0 || size_B > memory->limit_B)
      return 0;
   const uint64_t pages = (size_B + memory->page_B - 1) >> memory->page_log2;
   pthread_mutex_lock(&memory->lock);
   if (memory->used_B + pages * memory->page_B > memory->limit_B) {
      pthread_mutex_unlock(&memory->lock);
      return 0;
   }
   uint64_t first_page = cache_take(memory, pages);
   const bool dirty = first_page != 0;
   if (!first_page)
      first_page = commit_fresh(memory, pages);
   if (first_page)
      memory->used_B += pages * memory->page_B;
   pthread_mutex_unlock(&memory->lock);
   if (!first_page)
      return 0;
   if (dirty)
      memset(memory->base + first_page * memory->page_B, 0, pages * memory->page_B);
   set_pages(memory, first_page, pages, (int32_t)pages);
   return first_page * memory->page_B;
}

/* Unmap imported pages: the range becomes inaccessible and free. Where the host cannot do that, it
 * is lost: others may be mapped there. */
static void
end_import(struct cf_memory *memory, struct range range)
{
   if (mmap(memory->base + range.first_page * memory->page_B, range.pages * memory->page_B,
            PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
            0) != MAP_FAILED)
      free_insert(memory, range);
}

uint64_t
cf_memory_import(struct cf_memory *memory, int file, uint64_t size_B)
{
   struct stat status;
   if (size_B == 0 || size_B > memory->limit_B || fstat(file, &status) ||
       (uint64_t)status.st_size < size_B)
      return 0;
   const uint64_t pages = (size_B + memory->page_B - 1) >> memory->page_log2;
   pthread_mutex_lock(&memory->lock);
   const uint64_t first_page = take_fresh(memory, pages);
   const bool mapped =
      first_page && mmap(memory->base + first_page * memory->page_B, pages * memory->page_B,
                         PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED;
   if (first_page && !mapped)
      end_import(memory, (struct range){ .first_page = first_page, .pages = pages });
   pthread_mutex_unlock(&memory->lock);
   if (!mapped)
      return 0;
   set_pages(memory, first_page, pages, (int32_t)pages | IMPORTED);
   return first_page * memory->page_B;
}

/* Cache a freed range, or decommit it. Under the lock. */
static void
retire(struct cf_memory *memory, struct range range)
{
   const uint64_t size_B = range.pages * memory->page_B;
   memory->used_B -= size_B;
   if (size_B > CACHE_MAX_ENTRY_B) {
      decommit(memory, range);
      return;
   }
   while (memory->cache_count == CACHE_ENTRIES ||
          (memory->cache_count && memory->cache_B + size_B > CACHE_MAX_B))
      decommit(memory, cache_remove(memory, 0));
   memory->cache[memory->cache_count++] = range;
   memory->cache_B += size_B;
}

void
cf_memory_free(struct cf_memory *memory, uint64_t address)
{
   const uint64_t first_page = address >> memory->page_log2;
   if ((address & (memory->page_B - 1)) || address >= memory->reserved_B)
      return;
   const int32_t first = atomic_load_explicit(&memory->page[first_page], memory_order_acquire);
   if (first <= 0)
      return;
   const struct range range = { .first_page = first_page, .pages = (uint64_t)(first & ~IMPORTED) };
   set_pages(memory, first_page, range.pages, 0);
   pthread_mutex_lock(&memory->lock);
   if (first & IMPORTED)
      end_import(memory, range);
   else
      retire(memory, range);
   pthread_mutex_unlock(&memory->lock);
}

void *
cf_memory_at(const struct cf_memory *memory, uint64_t address, uint64_t size_B)
{
   if (address >= memory->reserved_B || size_B > memory->reserved_B)
      return NULL;
   uint64_t first_page = address >> memory->page_log2;
   int32_t pages = atomic_load_explicit(&memory->page[first_page], memory_order_acquire);
   if (pages < 0) {
      first_page -= (uint64_t) - (int64_t)pages;
      pages = atomic_load_explicit(&memory->page[first_page], memory_order_acquire);
   }
   if (pages <= 0 || address + size_B > (first_page + (uint64_t)(pages & ~IMPORTED)) * memory->page_B)
      return NULL;
   return memory->base + address;
}

uint64_t
cf_memory_address(const struct cf_memory *memory, const void *host)
{
   return (uint64_t)((const uint8_t *)host - memory->base);
}

uint64_t
cf_memory_used_B(const struct cf_memory *memory)
{
   return memory->used_B;
}

uint64_t
cf_memory_limit_B(const struct cf_memory *memory)
{
   return memory->limit_B;
}
