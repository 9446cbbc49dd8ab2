/* SPDX-License-Identifier: MIT */
/* The allocator against a list of live allocations; bounds of cf_memory_at; zeroing; the limit;
 * threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clipfree/base/test_random.h"
#include "clipfree/memory/cf_memory.h"

/* Page size that sysconf reports to the allocator: that of other hosts can be tested, too. */
static long page_B;
#define PAGE_B ((uint64_t)page_B)

/* What it says of the host's memory; 0 or less: it does not know. */
static long host_pages = 1 << 20;

long
sysconf(int name)
{
   return name == _SC_PAGESIZE ? page_B : host_pages; /* _SC_PHYS_PAGES */
}

/* The linker leads the allocator's calls here. */
static bool no_memory;                  /* for lists */
static size_t longest_map_B = SIZE_MAX; /* that the host has addresses for */

void *__real_realloc(void *memory, size_t size_B);
void *__wrap_realloc(void *memory, size_t size_B);
void *__real_mmap64(void *at, size_t size_B, int protection, int flags, int file, off_t offset_B);
void *__wrap_mmap64(void *at, size_t size_B, int protection, int flags, int file, off_t offset_B);

void *
__wrap_realloc(void *memory, size_t size_B)
{
   return no_memory ? NULL : __real_realloc(memory, size_B);
}

void *
__wrap_mmap64(void *at, size_t size_B, int protection, int flags, int file, off_t offset_B)
{
   if (size_B > longest_map_B)
      return MAP_FAILED;
   return __real_mmap64(at, size_B, protection, flags, file, offset_B);
}

static uint64_t
next_random(uint64_t *state)
{
   *state ^= *state << 13;
   *state ^= *state >> 7;
   *state ^= *state << 17;
   return *state;
}

/* Whether a page is reserved, and nothing can be read there. */
static bool
is_empty(int pipe, const char *page)
{
   return msync((void *)(uintptr_t)page, 1, MS_ASYNC) == 0 && write(pipe, page, 1) == -1;
}

/* Around the memory is nothing, as far as compiled code may get with an offset. */
static void
surroundings(void **state)
{
   int ends[2];
   struct cf_memory *memory = cf_memory_create(0);
   assert_non_null(memory);
   assert_int_equal(pipe(ends), 0);
   const uint64_t a = cf_memory_alloc(memory, PAGE_B);
   const char *base = (char *)cf_memory_at(memory, a, 1) - a;
   /* 64 GB are reserved where addresses are not limited */
   const int64_t last = INT64_C(64) << 30;
   for (int64_t at = -CF_MEMORY_BEFORE_B; at < 0; at += INT64_C(1) << 27)
      assert_true(is_empty(ends[1], base + at));
   for (int64_t at = last; at < last + CF_MEMORY_AFTER_B; at += INT64_C(1) << 27)
      assert_true(is_empty(ends[1], base + at));
   assert_true(is_empty(ends[1], base - PAGE_B) && is_empty(ends[1], base));
   assert_true(is_empty(ends[1], base + last + CF_MEMORY_AFTER_B - PAGE_B));
   assert_false(is_empty(ends[1], base + a));
   close(ends[0]);
   close(ends[1]);
   cf_memory_destroy(memory);
   assert_int_equal(msync((void *)(uintptr_t)(base - CF_MEMORY_BEFORE_B), 1, MS_ASYNC), -1);
}

static void
bounds(void **state)
{
   struct cf_memory *memory = cf_memory_create(0);
   assert_non_null(memory);
   assert_null(cf_memory_at(memory, 0, 0));
   assert_int_equal(cf_memory_alloc(memory, 0), 0);
   const uint64_t a = cf_memory_alloc(memory, PAGE_B + 1), b = cf_memory_alloc(memory, 1);
   assert_true(a && b && a % PAGE_B == 0 && b % PAGE_B == 0);
   assert_non_null(cf_memory_at(memory, a, 2 * PAGE_B));
   assert_null(cf_memory_at(memory, a, 2 * PAGE_B + 1));
   assert_non_null(cf_memory_at(memory, a + 2 * PAGE_B - 1, 1));
   assert_ptr_equal((char *)cf_memory_at(memory, a, 1) + PAGE_B + 5,
                    cf_memory_at(memory, a + PAGE_B + 5, 7));
   assert_null(cf_memory_at(memory, a, UINT64_MAX));
   assert_null(cf_memory_at(memory, UINT64_MAX, 1));
   assert_null(cf_memory_at(memory, UINT64_MAX - 3, 8));
   assert_null(cf_memory_at(memory, 1ull << 40, 1));
   assert_ptr_equal(cf_memory_aligned(memory, a + 4, 8, 4), cf_memory_at(memory, a + 4, 8));
   assert_null(cf_memory_aligned(memory, a + 4, 8, 8));
   assert_null(cf_memory_aligned(memory, a + 1, 8, 4));
   assert_null(cf_memory_aligned(memory, a, 2 * PAGE_B + 1, 4));
   assert_int_equal(cf_memory_used_B(memory), 3 * PAGE_B);
   cf_memory_free(memory, a + PAGE_B); /* not the start of an allocation: ignored */
   cf_memory_free(memory, a + 1);
   cf_memory_free(memory, UINT64_C(1) << 40);
   cf_memory_free(memory, 0);
   assert_int_equal(cf_memory_used_B(memory), 3 * PAGE_B);
   assert_non_null(cf_memory_at(memory, a, 1));
   cf_memory_free(memory, a);
   assert_null(cf_memory_at(memory, a, 1));
   assert_null(cf_memory_at(memory, a + PAGE_B, 1));
   cf_memory_free(memory, a);
   assert_int_equal(cf_memory_used_B(memory), PAGE_B);
   cf_memory_destroy(memory);
}

static void
limit(void **state)
{
   struct cf_memory *memory = cf_memory_create(1 << 20);
   assert_int_equal(cf_memory_limit_B(memory), 1 << 20);
   assert_int_equal(cf_memory_alloc(memory, (1 << 20) + 1), 0);
   const uint64_t a = cf_memory_alloc(memory, 1 << 20);
   assert_int_not_equal(a, 0);
   assert_int_equal(cf_memory_alloc(memory, 1), 0);
   cf_memory_free(memory, a);
   assert_int_not_equal(cf_memory_alloc(memory, 1), 0);
   cf_memory_destroy(memory);
}

/* Three quarters of the host's memory, or of the least that is reserved where that is not known. */
static void
limit_of_host(void **state)
{
   static const struct {
      long pages;
      uint64_t limit_B;
   } cases[] = { { 1 << 18, 3ull << 28 }, { 4, 12288 }, { 0, 3ull << 26 }, { -1, 3ull << 26 } };
   for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      host_pages = cases[i].pages;
      struct cf_memory *memory = cf_memory_create(0);
      host_pages = 1 << 20;
      assert_int_equal(cf_memory_limit_B(memory), cases[i].limit_B);
      cf_memory_destroy(memory);
   }
}

#define LEAST_B (UINT64_C(256) << 20) /* the least that is reserved */
#define PIECE_B (UINT64_C(32) << 20)  /* the largest that is kept for the next of its size */
#define PIECES 8

/* All that there is where addresses are scarce: the first page is not given away. */
static struct cf_memory *
create_least(void)
{
   longest_map_B = LEAST_B + (UINT64_C(96) << 20);
   struct cf_memory *memory = cf_memory_create(UINT64_MAX);
   longest_map_B = SIZE_MAX;
   assert_non_null(memory);
   assert_int_equal(cf_memory_limit_B(memory), LEAST_B - PAGE_B);
   return memory;
}

/* Fill the memory; the last piece is a page shorter. */
static void
fill_least(struct cf_memory *memory, uint64_t piece[PIECES])
{
   for (unsigned i = 0; i < PIECES; i++) {
      piece[i] = cf_memory_alloc(memory, i < PIECES - 1 ? PIECE_B : PIECE_B - PAGE_B);
      assert_int_not_equal(piece[i], 0);
   }
   assert_int_equal(cf_memory_used_B(memory), LEAST_B - PAGE_B);
}

/* Memory can be allocated to its last byte, in one or many pieces, and again as one. */
static void
all_of_it(void **state)
{
   uint64_t piece[PIECES];
   struct cf_memory *memory = create_least();
   fill_least(memory, piece);
   assert_int_equal(cf_memory_alloc(memory, 1), 0);
   const int file = memfd_create("test", MFD_CLOEXEC);
   assert_int_equal(ftruncate(file, 1), 0);
   assert_int_equal(cf_memory_import(memory, file, 1), 0); /* no addresses are left */
   *(uint8_t *)cf_memory_at(memory, piece[3], 1) = 1;
   for (unsigned i = 0; i < PIECES; i++)
      cf_memory_free(memory, piece[i]);
   const uint64_t imported = cf_memory_import(memory, file, 1); /* what is kept gives way */
   assert_int_not_equal(imported, 0);
   cf_memory_free(memory, imported);
   close(file);
   for (unsigned round = 0; round < 2; round++) {
      const uint64_t all = cf_memory_alloc(memory, LEAST_B - PAGE_B);
      assert_int_equal(all, PAGE_B);
      uint8_t *data = cf_memory_at(memory, all, LEAST_B - PAGE_B);
      assert_non_null(data);
      assert_int_equal(data[0] | data[piece[3] - all] | data[LEAST_B - PAGE_B - 1], 0);
      data[0] = data[LEAST_B - PAGE_B - 1] = 1;
      cf_memory_free(memory, all);
   }
   assert_int_equal(cf_memory_used_B(memory), 0);
   cf_memory_destroy(memory);
}

/* Enough memory, but not at one place: refused, and nothing is changed. */
static void
in_pieces(void **state)
{
   uint64_t piece[PIECES];
   struct cf_memory *memory = create_least();
   fill_least(memory, piece);
   cf_memory_free(memory, piece[0]);
   cf_memory_free(memory, piece[2]);
   assert_int_equal(cf_memory_alloc(memory, PIECE_B + 1), 0);
   assert_int_equal(cf_memory_used_B(memory), LEAST_B - PAGE_B - 2 * PIECE_B);
   const uint64_t a = cf_memory_alloc(memory, PIECE_B), b = cf_memory_alloc(memory, PIECE_B);
   assert_true((a == piece[0] && b == piece[2]) || (a == piece[2] && b == piece[0]));
   cf_memory_destroy(memory);
}

/* What is kept for the next of its size is at most 256 MB: the oldest is given back. */
static void
kept_memory(void **state)
{
   int ends[2];
   uint64_t piece[PIECES + 1];
   struct cf_memory *memory = cf_memory_create(0);
   assert_int_equal(pipe(ends), 0);
   for (unsigned i = 0; i < PIECES + 1; i++)
      piece[i] = cf_memory_alloc(memory, PIECE_B);
   const char *base = (char *)cf_memory_at(memory, piece[0], 1) - piece[0];
   for (unsigned i = 0; i < PIECES; i++)
      cf_memory_free(memory, piece[i]);
   assert_false(is_empty(ends[1], base + piece[0]));
   cf_memory_free(memory, piece[PIECES]);
   assert_true(is_empty(ends[1], base + piece[0]));
   assert_true(is_empty(ends[1], base + piece[0] + PIECE_B - PAGE_B));
   for (unsigned i = 1; i < PIECES + 1; i++)
      assert_false(is_empty(ends[1], base + piece[i]));
   close(ends[0]);
   close(ends[1]);
   cf_memory_destroy(memory);
}

/* Where the host has no memory for the list of free ranges, some are lost; the others, and what is
 * allocated, are not. */
static void
lost_ranges(void **state)
{
   enum { COUNT = 400 };
   uint64_t a[COUNT];
   struct cf_memory *memory = cf_memory_create(0);
   for (unsigned i = 0; i < COUNT; i++) {
      a[i] = cf_memory_alloc(memory, PAGE_B);
      *(uint32_t *)cf_memory_at(memory, a[i], 4) = i;
   }
   no_memory = true;
   for (unsigned i = 0; i < COUNT; i += 2)
      cf_memory_free(memory, a[i]);
   no_memory = false;
   assert_int_equal(cf_memory_used_B(memory), COUNT / 2 * PAGE_B);
   for (unsigned i = 1; i < COUNT; i += 2)
      assert_int_equal(*(uint32_t *)cf_memory_at(memory, a[i], 4), i);
   for (unsigned i = 0; i < COUNT; i += 2)
      assert_null(cf_memory_at(memory, a[i], 1));
   for (unsigned i = 0; i < COUNT; i += 2) {
      a[i] = cf_memory_alloc(memory, PAGE_B);
      assert_int_equal(*(uint32_t *)cf_memory_at(memory, a[i], 4), 0);
   }
   assert_int_equal(cf_memory_used_B(memory), COUNT * PAGE_B);
   cf_memory_destroy(memory);
}

struct piece {
   uint64_t address, size_B;
   uint8_t value;
};

/* Allocations never overlap, start as zero, and keep their contents, whatever is freed around
 * them. */
static void
churn(struct cf_memory *memory, uint64_t seed, unsigned steps)
{
   struct piece piece[64] = { 0 };
   for (unsigned step = 0; step < steps; step++) {
      struct piece *p = &piece[next_random(&seed) % 64];
      if (p->address) {
         uint8_t *data = cf_memory_at(memory, p->address, p->size_B);
         assert_non_null(data);
         for (uint64_t i = 0; i < p->size_B; i += 97)
            assert_int_equal(data[i], p->value);
         assert_int_equal(data[p->size_B - 1], p->value);
         cf_memory_free(memory, p->address);
         p->address = 0;
      } else {
         p->size_B = 1 + next_random(&seed) % (next_random(&seed) % 4 ? 8 * PAGE_B : 300 * PAGE_B);
         p->address = cf_memory_alloc(memory, p->size_B);
         assert_int_not_equal(p->address, 0);
         p->value = (uint8_t)(1 + step % 255);
         uint8_t *data = cf_memory_at(memory, p->address, p->size_B);
         for (uint64_t i = 0; i < p->size_B; i++)
            assert_int_equal(data[i], 0);
         memset(data, p->value, p->size_B);
      }
   }
   for (unsigned i = 0; i < 64; i++)
      cf_memory_free(memory, piece[i].address);
}

static void
random_pieces(void **state)
{
   struct cf_random seeds = cf_random_seed("memory random pieces");
   struct cf_memory *memory = cf_memory_create(0);
   churn(memory, cf_random_u64(&seeds) | 1, 2000);
   assert_int_equal(cf_memory_used_B(memory), 0);
   cf_memory_destroy(memory);
}

/* The same with larger host pages. */
static void
large_pages(void **state)
{
   const long host_page_B = page_B;
   while ((page_B *= 4) <= 64 << 10) {
      struct cf_memory *memory = cf_memory_create(0);
      churn(memory, (uint64_t)page_B, 100);
      assert_int_equal(cf_memory_used_B(memory), 0);
      cf_memory_destroy(memory);
      bounds(state);
      limit(state);
   }
   page_B = host_page_B;
}

struct worker {
   struct cf_memory *memory;
   uint64_t seed;
};

static void *
work(void *user)
{
   struct worker *worker = user;
   churn(worker->memory, worker->seed, 400);
   return NULL;
}

static void
threads(void **state)
{
   struct cf_memory *memory = cf_memory_create(0);
   pthread_t thread[4];
   struct worker worker[4];
   struct cf_random seeds = cf_random_seed("memory threads");
   for (unsigned i = 0; i < 4; i++) {
      worker[i] = (struct worker){ .memory = memory, .seed = cf_random_u64(&seeds) | 1 };
      assert_int_equal(pthread_create(&thread[i], NULL, work, &worker[i]), 0);
   }
   for (unsigned i = 0; i < 4; i++)
      pthread_join(thread[i], NULL);
   assert_int_equal(cf_memory_used_B(memory), 0);
   cf_memory_destroy(memory);
}

static int
new_file(uint64_t size_B)
{
   const int file = memfd_create("test", MFD_CLOEXEC);
   assert_int_equal(ftruncate(file, (off_t)size_B), 0);
   return file;
}

/* Both mappings show the same pages; freeing removes one, and its range is allocated again,
 * zeroed. */
static void
check_import(int file, uint8_t *host, uint64_t size_B)
{
   struct cf_memory *memory = cf_memory_create(0);
   for (unsigned round = 0; round < 3; round++) {
      const uint64_t a = cf_memory_import(memory, file, size_B);
      assert_int_not_equal(a, 0);
      assert_int_equal(cf_memory_used_B(memory), 0);
      uint8_t *gpu = cf_memory_at(memory, a, size_B);
      assert_non_null(gpu);
      assert_non_null(cf_memory_at(memory, a + size_B - 1, 1));
      assert_null(cf_memory_at(memory, a, size_B + PAGE_B));
      gpu[0] = gpu[size_B - 1] = (uint8_t)(10 + round);
      assert_int_equal(host[0], 10 + round);
      host[PAGE_B] = (uint8_t)(20 + round);
      assert_int_equal(gpu[PAGE_B], 20 + round);
      cf_memory_free(memory, a);
      assert_null(cf_memory_at(memory, a, 1));
      assert_int_equal(host[size_B - 1], 10 + round);
      const uint64_t b = cf_memory_alloc(memory, size_B);
      const uint8_t *zero = cf_memory_at(memory, b, size_B);
      assert_int_equal(zero[0] | zero[PAGE_B] | zero[size_B - 1], 0);
      cf_memory_free(memory, b);
   }
   cf_memory_destroy(memory);
}

static void
imports(void **state)
{
   const uint64_t size_B = 5 * PAGE_B - 100;
   const int file = new_file(size_B);
   void *host = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
   assert_ptr_not_equal(host, MAP_FAILED);
   check_import(file, host, size_B);
   munmap(host, size_B);
   close(file);
}

/* What is no such file is refused, and the address space stays unchanged. */
static void
refused_imports(void **state)
{
   struct cf_memory *memory = cf_memory_create(1 << 20);
   const int file = new_file(2 * PAGE_B), only_read = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
   int pipes[2];
   assert_int_equal(pipe(pipes), 0);
   assert_int_equal(cf_memory_import(memory, -1, PAGE_B), 0);
   assert_int_equal(cf_memory_import(memory, pipes[0], PAGE_B), 0);
   assert_int_equal(cf_memory_import(memory, only_read, PAGE_B), 0);
   assert_int_equal(cf_memory_import(memory, file, 2 * PAGE_B + 1), 0);
   assert_int_equal(cf_memory_import(memory, file, 0), 0);
   assert_int_equal(ftruncate(file, 2 << 20), 0);
   assert_int_equal(cf_memory_import(memory, file, (1 << 20) + 1), 0);
   close(pipes[0]);
   close(pipes[1]);
   close(only_read);
   close(file);
   const uint64_t a = cf_memory_alloc(memory, 1 << 20);
   memset(cf_memory_at(memory, a, 1 << 20), 1, 1 << 20);
   cf_memory_destroy(memory);
}

int
main(void)
{
   page_B = getpagesize();
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(surroundings),    cmocka_unit_test(bounds),
      cmocka_unit_test(limit),           cmocka_unit_test(limit_of_host),
      cmocka_unit_test(all_of_it),       cmocka_unit_test(in_pieces),
      cmocka_unit_test(kept_memory),     cmocka_unit_test(lost_ranges),
      cmocka_unit_test(random_pieces),   cmocka_unit_test(large_pages),
      cmocka_unit_test(threads),         cmocka_unit_test(imports),
      cmocka_unit_test(refused_imports),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
