/* SPDX-License-Identifier: MIT */
/*
 * The cache on disk on a host that fails - its memory, each call that looks at or changes the
 * folder -, each request alone and with all after it: what is found is what was put; the folder
 * stays within its limit, even where old files cannot be deleted; no temporary stays, but where it
 * cannot be deleted; descriptors and memory are given back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clipfree/base/test_failing_host.h"
#include "clipfree/jit/cf_jit_cache.h"
#include "clipfree/jit/cf_jit_source.h"

#define FOLDER "clipfree-test-cache-faults" /* in the working directory */
#define LIMIT_B (256u << 10)
#define OBJECT_B (9u << 10) /* 12 KB on the disk, with its head and key */
#define FILE_B (12u << 10)
#define FIT (LIMIT_B / FILE_B)
#define MOST_RUNS 1000

/* ------------------------------------------------------------------ folders that fail, too */

#define WRAP(type, name, parameters, arguments, failed)                                            \
   type __real_##name parameters;                                                                  \
   type __wrap_##name parameters;                                                                  \
   type __wrap_##name parameters                                                                   \
   {                                                                                               \
      return test_host_grants() ? __real_##name arguments : failed;                                \
   }

WRAP(int, fstat64, (int file, struct stat *status), (file, status), -1)
WRAP(int, dup, (int file), (file), -1)
WRAP(DIR *, fdopendir, (int file), (file), NULL)
WRAP(ssize_t, read, (int file, void *data, size_t size_B), (file, data, size_B), -1)
WRAP(ssize_t, write, (int file, const void *data, size_t size_B), (file, data, size_B), -1)
WRAP(int, renameat, (int folder, const char *from, int other, const char *to),
     (folder, from, other, to), -1)

static bool files_stay; /* none can be deleted */

int __real_unlinkat(int folder, const char *name, int flags);
int __wrap_unlinkat(int folder, const char *name, int flags);
int __real_openat64(int folder, const char *name, int flags, mode_t mode);
int __wrap_openat64(int folder, const char *name, int flags, mode_t mode);
int __real_close(int file);
int __wrap_close(int file);

int
__wrap_unlinkat(int folder, const char *name, int flags)
{
   if (test_host_grants() && !files_stay)
      return __real_unlinkat(folder, name, flags);
   errno = EACCES;
   return -1;
}

int
__wrap_openat64(int folder, const char *name, int flags, mode_t mode)
{
   return test_host_grants() ? __real_openat64(folder, name, flags, mode) : -1;
}

/* It is closed in any case. */
int
__wrap_close(int file)
{
   const bool ok = test_host_grants();
   const int closed = __real_close(file);
   return ok ? closed : -1;
}

/* ------------------------------------------------------------------ entries */

/* A source and an object of a number, which are other ones for each. */
struct entry {
   struct cf_sample_key key;
   struct cf_jit_source source;
   uint8_t object[OBJECT_B];
};

static void
make_entry(struct entry *entry, unsigned number)
{
   memset(entry, 0, sizeof(*entry));
   entry->key.mode = (uint8_t)number;
   entry->source.sample = &entry->key;
   memset(entry->object, (int)number, sizeof(entry->object));
}

static void
put(struct cf_jit_cache *cache, unsigned number)
{
   struct entry entry;
   make_entry(&entry, number);
   cf_jit_cache_put(cache, &entry.source, CF_HOST_BASE, entry.object, sizeof(entry.object));
}

/* Whether it is there; if it is, it is what was put. */
static bool
get(struct cf_jit_cache *cache, unsigned number)
{
   struct entry entry;
   uint8_t *object;
   size_t size_B = 0;
   make_entry(&entry, number);
   const bool found = cf_jit_cache_get(cache, &entry.source, CF_HOST_BASE, &object, &size_B);
   assert_int_equal(found, object != NULL);
   if (!found)
      return false;
   assert_int_equal(size_B, sizeof(entry.object));
   assert_memory_equal(object, entry.object, size_B);
   free(object);
   return true;
}

/* ------------------------------------------------------------------ the folder */

struct held {
   uint64_t size_B;
   unsigned files, temporaries;
};

/* What is in the folder, which is removed if that is wanted. */
static struct held
look(bool remove)
{
   struct held held = { 0 };
   DIR *dir = opendir(FOLDER);
   for (struct dirent *entry; dir && (entry = readdir(dir));) {
      struct stat status;
      if (entry->d_name[0] == '.')
         continue;
      assert_int_equal(fstatat(dirfd(dir), entry->d_name, &status, 0), 0);
      held.size_B += ((uint64_t)status.st_size + 4095) / 4096 * 4096;
      held.files++;
      held.temporaries += strcmp(strrchr(entry->d_name, '.'), ".o") != 0;
      if (remove)
         unlinkat(dirfd(dir), entry->d_name, 0);
   }
   if (dir)
      closedir(dir);
   if (remove)
      rmdir(FOLDER);
   return held;
}

/* Entries 0 to 19 are in the folder, almost all that fit. */
static void
fill(void)
{
   look(true); /* what a run before left that failed */
   struct cf_jit_cache *cache = cf_jit_cache_open(FOLDER, LIMIT_B);
   assert_non_null(cache);
   for (unsigned i = 0; i < FIT - 1; i++)
      put(cache, i);
   cf_jit_cache_close(cache);
   assert_int_equal(look(false).files, FIT - 1);
}

/* Descriptors that are open. */
static unsigned
count_descriptors(void)
{
   unsigned count = 0;
   for (int file = 0; file < 64; file++)
      count += fcntl(file, F_GETFD) >= 0;
   return count;
}

/* Look up and put some while a request fails. Returns how many did. */
static unsigned
run(unsigned fail_at, bool all, unsigned *found)
{
   test_host.paused = false;
   test_host_arm(fail_at, all);
   struct cf_jit_cache *cache = cf_jit_cache_open(FOLDER, LIMIT_B);
   *found = 0;
   if (cache) {
      *found += get(cache, 3);
      for (unsigned i = 0; i < 4; i++) {
         put(cache, 100 + i);
         *found += get(cache, 100 + i);
      }
   }
   cf_jit_cache_close(cache);
   const unsigned failed = test_host_disarm();
   test_host.paused = true;
   return failed;
}

/* ------------------------------------------------------------------ tests */

static void
a_host_that_fails(void **state)
{
   (void)state;
   const long before = test_host.live;
   const unsigned descriptors = count_descriptors();
   for (int all = 0; all < 2; all++) {
      unsigned runs = 0, misses = 0, failed, found;
      do {
         fill();
         failed = run(++runs, all, &found);
         assert_true(failed || found == 5);
         misses += found < 5;
         const struct held held = look(true);
         assert_true(held.size_B <= LIMIT_B);
         assert_true(all || held.temporaries == 0);
         assert_int_equal(test_host.live, before);
         assert_int_equal(count_descriptors(), descriptors);
      } while (failed && runs < MOST_RUNS);
      assert_true(runs < MOST_RUNS && misses > 15);
   }
}

/* Where nothing can be deleted, nothing is put any more; later it is again. */
static void
files_that_stay(void **state)
{
   (void)state;
   fill();
   struct cf_jit_cache *cache = cf_jit_cache_open(FOLDER, LIMIT_B);
   assert_non_null(cache);
   files_stay = true;
   for (unsigned i = 0; i < 2 * FIT; i++)
      put(cache, 100 + i);
   files_stay = false;
   assert_in_range(look(false).files, FIT - 1, FIT);
   assert_true(get(cache, 0));
   put(cache, 99);
   assert_true(get(cache, 99));
   assert_true(look(false).size_B <= LIMIT_B / 2 + FILE_B);
   cf_jit_cache_close(cache);
   look(true);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_host_that_fails),
      cmocka_unit_test(files_that_stay),
   };
   test_host.paused = true;
   return cmocka_run_group_tests(tests, NULL, NULL);
}
