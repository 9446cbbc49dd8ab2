/* SPDX-License-Identifier: MIT */
#include "clipfree/base/test_failing_host.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "clipfree/base/cf_arena.h"

struct test_host test_host;

void
test_host_arm(unsigned fail_at, bool all)
{
   test_host.fail_at = fail_at;
   test_host.all = all;
   test_host.requests = test_host.failed = 0;
}

unsigned
test_host_disarm(void)
{
   const unsigned failed = test_host.failed;
   test_host_arm(0, false);
   return failed;
}

bool
test_host_grants(void)
{
   if (test_host.paused)
      return true;
   const unsigned number = ++test_host.requests, at = test_host.fail_at;
   const bool fails = at && (test_host.all ? number >= at : number == at);
   test_host.failed += fails;
   if (fails)
      errno = ENOMEM;
   return !fails;
}

static void *
count(void *memory)
{
   test_host.live += memory != NULL;
   return memory;
}

void *__real_malloc(size_t size_B);
void *__real_calloc(size_t count, size_t size_B);
void *__real_realloc(void *memory, size_t size_B);
void *__real_aligned_alloc(size_t alignment_B, size_t size_B);
char *__real_strdup(const char *text);
void __real_free(void *memory);
void *__real_mmap64(void *at, size_t size_B, int rights, int flags, int file, off_t offset_B);
int __real_mprotect(void *memory, size_t size_B, int rights);
int __real_madvise(void *memory, size_t size_B, int advice);
void *__real_cf_arena_alloc_slow(struct cf_arena *arena, size_t size_B);
void *__wrap_malloc(size_t size_B);
void *__wrap_calloc(size_t elements, size_t size_B);
void *__wrap_realloc(void *memory, size_t size_B);
void *__wrap_aligned_alloc(size_t alignment_B, size_t size_B);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);
void *__wrap_mmap64(void *at, size_t size_B, int rights, int flags, int file, off_t offset_B);
int __wrap_mprotect(void *memory, size_t size_B, int rights);
int __wrap_madvise(void *memory, size_t size_B, int advice);
void *__wrap_cf_arena_alloc_slow(struct cf_arena *arena, size_t size_B);

void *
__wrap_malloc(size_t size_B)
{
   return test_host_grants() ? count(__real_malloc(size_B)) : NULL;
}

void *
__wrap_calloc(size_t elements, size_t size_B)
{
   return test_host_grants() ? count(__real_calloc(elements, size_B)) : NULL;
}

void *
__wrap_aligned_alloc(size_t alignment_B, size_t size_B)
{
   return test_host_grants() ? count(__real_aligned_alloc(alignment_B, size_B)) : NULL;
}

char *
__wrap_strdup(const char *text)
{
   return test_host_grants() ? count(__real_strdup(text)) : NULL;
}

void *
__wrap_realloc(void *memory, size_t size_B)
{
   if (!test_host_grants())
      return NULL;
   void *grown = __real_realloc(memory, size_B);
   test_host.live += grown && !memory;
   return grown;
}

void
__wrap_free(void *memory)
{
   test_host.live -= memory != NULL;
   __real_free(memory);
}

void *
__wrap_mmap64(void *at, size_t size_B, int rights, int flags, int file, off_t offset_B)
{
   return test_host_grants() ? __real_mmap64(at, size_B, rights, flags, file, offset_B)
                             : MAP_FAILED;
}

int
__wrap_mprotect(void *memory, size_t size_B, int rights)
{
   return test_host_grants() ? __real_mprotect(memory, size_B, rights) : -1;
}

int
__wrap_madvise(void *memory, size_t size_B, int advice)
{
   return test_host_grants() ? __real_madvise(memory, size_B, advice) : -1;
}

/* Each allocation of an arena is a request, not only those that begin a block. */
void *
__wrap_cf_arena_alloc_slow(struct cf_arena *arena, size_t size_B)
{
   void *memory = test_host_grants() ? __real_cf_arena_alloc_slow(arena, size_B) : NULL;
   arena->end = memory ? arena->at : arena->end;
   return memory;
}
