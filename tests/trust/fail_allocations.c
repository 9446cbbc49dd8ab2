/* SPDX-License-Identifier: MIT
 *
 * To be preloaded: counts the allocations that the driver makes, and fails some of them, as a host
 * does that runs out of memory. The driver's are those whose caller lies in the code that the file
 * FAIL_CODE names, lines of a library's name, and two offsets in it (hexadecimal): allocations of
 * Mesa, of libc and of LLVM succeed.
 *
 * FAIL_AT=N fails the N-th (1 is the first), with FAIL_ALL=1 all from there on, until
 * fail_allocations_end() is called. At the end of the process FAIL_REPORT gets
 *
 *    call LIBRARY OFFSET          who made each, in their order (only without FAIL_AT)
 *    failed N                     how many failed
 *    left LIBRARY OFFSET SIZE     who allocated what was never freed
 *    mapped SIZE                  bytes that the driver mapped and did not unmap
 */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* mmap and mmap64 are both made here */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_LIBRARIES 4
#define MAX_RANGES 8192
#define MAX_CALLS (1 << 20)
#define LIVE (1 << 18) /* places of the table; fewer allocations than that live at once */
#define GONE ((void *)1)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);
void fail_allocations_end(void);

struct library {
   char name[64];
   uint32_t first, count; /* of its ranges */
};

struct range {
   uintptr_t begin, end;
};

/* A place in the driver's code. */
struct site {
   uint32_t library;
   uint32_t offset;
};

struct live {
   void *memory; /* NULL: free, and ends a search; GONE: free */
   size_t size_B;
   struct site site;
};

static struct {
   pthread_mutex_t lock;
   bool ready, over, all;
   uint64_t at, calls, failed;
   int64_t mapped_B;
   struct library library[MAX_LIBRARIES];
   struct range range[MAX_RANGES];
   uint32_t libraries, ranges;
   struct site call[MAX_CALLS];
   struct live live[LIVE];
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ------------------------------------------------------------------ whose code it is */

static void
add_range(const char *name, uintptr_t begin, uintptr_t end)
{
   struct library *last = state.libraries ? &state.library[state.libraries - 1] : NULL;
   if (!last || strcmp(last->name, name) != 0) {
      if (state.libraries == MAX_LIBRARIES)
         abort();
      last = &state.library[state.libraries++];
      *last = (struct library){ .first = state.ranges };
      snprintf(last->name, sizeof(last->name), "%s", name);
   }
   if (state.ranges == MAX_RANGES)
      abort();
   state.range[state.ranges++] = (struct range){ begin, end };
   last->count++;
}

/* Lines of a library follow each other, in ascending order. */
static void
read_code(const char *path)
{
   char name[64];
   unsigned long begin, end;
   FILE *file = fopen(path, "r");
   if (!file)
      abort();
   while (fscanf(file, "%63s %lx %lx", name, &begin, &end) == 3)
      add_range(name, begin, end);
   fclose(file);
}

static const struct library *
library_of(const struct link_map *map)
{
   const char *slash = strrchr(map->l_name, '/'), *name = slash ? slash + 1 : map->l_name;
   for (uint32_t i = 0; i < state.libraries; i++) {
      if (!strcmp(state.library[i].name, name))
         return &state.library[i];
   }
   return NULL;
}

static bool
has_code(const struct library *library, uintptr_t offset)
{
   const struct range *range = &state.range[library->first];
   uint32_t low = 0, high = library->count;
   while (low < high) {
      const uint32_t middle = (low + high) / 2;
      if (range[middle].end <= offset)
         low = middle + 1;
      else
         high = middle;
   }
   return low < library->count && range[low].begin <= offset;
}

/* Whether an address lies in the driver's code. */
static bool
find_site(void *caller, struct site *site)
{
   struct dl_find_object found;
   if (!state.ready || _dl_find_object(caller, &found))
      return false;
   const struct library *library = library_of(found.dlfo_link_map);
   const uintptr_t offset = (uintptr_t)caller - 1 - found.dlfo_link_map->l_addr;
   if (!library || !has_code(library, offset))
      return false;
   *site = (struct site){ (uint32_t)(library - state.library), (uint32_t)offset };
   return true;
}

/* ------------------------------------------------------------------ counting */

/* An allocation of the driver: whether it succeeds. With the lock. */
static bool
count_call(struct site site)
{
   if (state.over)
      return true;
   const uint64_t number = ++state.calls;
   if (!state.at && number <= MAX_CALLS)
      state.call[number - 1] = site;
   const bool fails = state.at && (state.all ? number >= state.at : number == state.at);
   state.failed += fails;
   return !fails;
}

static struct live *
first_place(const void *memory)
{
   return &state.live[((uintptr_t)memory >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 46];
}

static struct live *
next_place(struct live *place)
{
   return ++place == state.live + LIVE ? state.live : place;
}

static void
add_live(void *memory, size_t size_B, struct site site)
{
   struct live *place = first_place(memory);
   for (unsigned i = 0; i < LIVE; i++, place = next_place(place)) {
      if (!place->memory || place->memory == GONE) {
         *place = (struct live){ memory, size_B, site };
         return;
      }
   }
   abort();
}

static void
remove_live(const void *memory)
{
   for (struct live *place = first_place(memory); place->memory; place = next_place(place)) {
      if (place->memory == memory) {
         place->memory = GONE;
         return;
      }
   }
}

/* Begins an allocation. False: it fails. *ours: it is the driver's, at *site, and the lock is held
 * until finish_call, so that the table follows the order of allocations. */
static bool
begin_call(void *caller, struct site *site, bool *ours)
{
   *ours = find_site(caller, site);
   if (!*ours)
      return true;
   pthread_mutex_lock(&state.lock);
   if (count_call(*site))
      return true;
   pthread_mutex_unlock(&state.lock);
   errno = ENOMEM;
   return false;
}

static void *
finish_call(void *memory, size_t size_B, struct site site, bool ours)
{
   if (!ours)
      return memory;
   if (memory)
      add_live(memory, size_B, site);
   pthread_mutex_unlock(&state.lock);
   return memory;
}

/* Whether a call that makes nothing that is freed succeeds. */
static bool
passes(void *caller)
{
   struct site site;
   bool ours;
   const bool passes = begin_call(caller, &site, &ours);
   if (passes && ours)
      pthread_mutex_unlock(&state.lock);
   return passes;
}

static void
forget(const void *memory)
{
   if (!memory || !state.ready)
      return;
   pthread_mutex_lock(&state.lock);
   remove_live(memory);
   pthread_mutex_unlock(&state.lock);
}

/* ------------------------------------------------------------------ memory of the heap */

#define ALLOCATE(size_B, call)                                                                     \
   do {                                                                                            \
      struct site site = { 0 };                                                                    \
      bool ours;                                                                                   \
      if (!begin_call(__builtin_return_address(0), &site, &ours))                                  \
         return NULL;                                                                              \
      return finish_call(call, size_B, site, ours);                                                \
   } while (0)

void *
malloc(size_t size)
{
   ALLOCATE(size, __libc_malloc(size));
}

void *
calloc(size_t count, size_t size)
{
   ALLOCATE(count * size, __libc_calloc(count, size));
}

void *
aligned_alloc(size_t alignment, size_t size)
{
   ALLOCATE(size, __libc_memalign(alignment, size));
}

int
posix_memalign(void **memory, size_t alignment, size_t size)
{
   struct site site = { 0 };
   bool ours;
   if (!begin_call(__builtin_return_address(0), &site, &ours))
      return ENOMEM;
   void *found = finish_call(__libc_memalign(alignment, size), size, site, ours);
   if (found)
      *memory = found;
   return found ? 0 : ENOMEM;
}

void *
realloc(void *memory, size_t size)
{
   struct site site = { 0 };
   bool ours;
   if (!begin_call(__builtin_return_address(0), &site, &ours))
      return NULL;
   if (!ours && state.ready)
      pthread_mutex_lock(&state.lock);
   void *grown = __libc_realloc(memory, size);
   if (memory && grown && state.ready)
      remove_live(memory);
   if (!ours && state.ready)
      pthread_mutex_unlock(&state.lock);
   return finish_call(grown, size, site, ours);
}

void
free(void *memory)
{
   forget(memory);
   __libc_free(memory);
}

static char *
copy_text(const char *text, size_t length)
{
   char *copy = __libc_malloc(length + 1);
   if (copy) {
      memcpy(copy, text, length);
      copy[length] = 0;
   }
   return copy;
}

char *
strdup(const char *text)
{
   ALLOCATE(strlen(text) + 1, copy_text(text, strlen(text)));
}

char *
strndup(const char *text, size_t most)
{
   ALLOCATE(strnlen(text, most) + 1, copy_text(text, strnlen(text, most)));
}

FILE *
open_memstream(char **text, size_t *size)
{
   if (!passes(__builtin_return_address(0)))
      return NULL;
   return ((FILE * (*)(char **, size_t *)) dlsym(RTLD_NEXT, "open_memstream"))(text, size);
}

/* ------------------------------------------------------------------ memory of pages */

static void
add_mapped(void *caller, int64_t size_B)
{
   struct site site;
   if (!find_site(caller, &site))
      return;
   pthread_mutex_lock(&state.lock);
   state.mapped_B += size_B;
   pthread_mutex_unlock(&state.lock);
}

static void *
map_for(const void *caller, void *address, size_t size, int rights, int flags, int file,
        off64_t offset)
{
   if (!passes(caller))
      return MAP_FAILED;
   void *mapped = (void *)syscall(SYS_mmap, address, size, rights, flags, file, offset);
   if (mapped != MAP_FAILED && !(flags & MAP_FIXED))
      add_mapped(caller, (int64_t)size);
   return mapped;
}

void *
mmap(void *address, size_t size, int rights, int flags, int file, off_t offset)
{
   return map_for(__builtin_return_address(0), address, size, rights, flags, file, offset);
}

void *
mmap64(void *address, size_t size, int rights, int flags, int file, off64_t offset)
{
   return map_for(__builtin_return_address(0), address, size, rights, flags, file, offset);
}

int
munmap(void *memory, size_t size)
{
   const int error = (int)syscall(SYS_munmap, memory, size);
   if (!error)
      add_mapped(__builtin_return_address(0), -(int64_t)size);
   return error;
}

void *
mremap(void *memory, size_t old_size, size_t size, int flags, ...)
{
   va_list arguments;
   va_start(arguments, flags);
   void *wanted = flags & MREMAP_FIXED ? va_arg(arguments, void *) : NULL;
   va_end(arguments);
   if (!passes(__builtin_return_address(0)))
      return MAP_FAILED;
   return (void *)syscall(SYS_mremap, memory, old_size, size, flags, wanted);
}

int
mprotect(void *memory, size_t size, int rights)
{
   if (!passes(__builtin_return_address(0)))
      return -1;
   return (int)syscall(SYS_mprotect, memory, size, rights);
}

int
memfd_create(const char *name, unsigned flags)
{
   if (!passes(__builtin_return_address(0)))
      return -1;
   return (int)syscall(SYS_memfd_create, name, flags);
}

/* ------------------------------------------------------------------ begin and end */

void
fail_allocations_end(void)
{
   pthread_mutex_lock(&state.lock);
   state.over = true;
   pthread_mutex_unlock(&state.lock);
}

static void
print_site(FILE *report, const char *what, struct site site)
{
   fprintf(report, "%s %s %x", what, state.library[site.library].name, site.offset);
}

static void __attribute__((destructor)) write_report(void)
{
   const char *path = getenv("FAIL_REPORT");
   FILE *report = state.ready && path ? fopen(path, "w") : NULL;
   state.ready = false;
   if (!report)
      return;
   for (uint64_t i = 0; !state.at && i < state.calls && i < MAX_CALLS; i++) {
      print_site(report, "call", state.call[i]);
      fputc('\n', report);
   }
   fprintf(report, "failed %llu\n", (unsigned long long)state.failed);
   for (unsigned i = 0; i < LIVE; i++) {
      if (state.live[i].memory && state.live[i].memory != GONE) {
         print_site(report, "left", state.live[i].site);
         fprintf(report, " %zu\n", state.live[i].size_B);
      }
   }
   fprintf(report, "mapped %lld\n", (long long)state.mapped_B);
   fclose(report);
}

static void __attribute__((constructor)) begin(void)
{
   const char *code = getenv("FAIL_CODE"), *at = getenv("FAIL_AT"), *all = getenv("FAIL_ALL");
   if (!code)
      return;
   state.at = at ? strtoull(at, NULL, 10) : 0;
   state.all = all && !strcmp(all, "1");
   read_code(code);
   state.ready = true;
}
