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
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clipfree/base/test_failing_host.h"
#include "clipfree/jit/cf_jit.h"
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
WRAP(int, renameat, (int folder, const char *from, int other, const char *to),
     (folder, from, other, to), -1)

static bool files_stay; /* none can be deleted */
static bool deletes_first, stats_last; /* another process deletes files just before this one */
static unsigned calls; /* of read and write, while each second one is interrupted, others short */
static bool interrupts, disk_is_full; /* full: nothing is written, and no error */

int __real_unlinkat(int folder, const char *name, int flags);
int __wrap_unlinkat(int folder, const char *name, int flags);
int __real_openat64(int folder, const char *name, int flags, mode_t mode);
int __wrap_openat64(int folder, const char *name, int flags, mode_t mode);
int __real_close(int file);
int __wrap_close(int file);
int __real_fstatat64(int folder, const char *name, struct stat *status, int flags);
int __wrap_fstatat64(int folder, const char *name, struct stat *status, int flags);
ssize_t __real_read(int file, void *data, size_t size_B);
ssize_t __wrap_read(int file, void *data, size_t size_B);
ssize_t __real_write(int file, const void *data, size_t size_B);
ssize_t __wrap_write(int file, const void *data, size_t size_B);

int
__wrap_unlinkat(int folder, const char *name, int flags)
{
   const bool ok = test_host_grants() && !files_stay;
   const int done = ok ? __real_unlinkat(folder, name, flags) : -1;
   if (ok && !deletes_first)
      return done;
   errno = ok ? ENOENT : EACCES;
   return -1;
}

int
__wrap_fstatat64(int folder, const char *name, struct stat *status, int flags)
{
   if (stats_last && strstr(name, ".o"))
      __real_unlinkat(folder, name, 0);
   return __real_fstatat64(folder, name, status, flags);
}

static bool
is_interrupted(size_t *size_B)
{
   if (!interrupts || *size_B < 2)
      return false;
   *size_B = *size_B / 2;
   errno = EINTR;
   return calls++ % 2;
}

ssize_t
__wrap_read(int file, void *data, size_t size_B)
{
   return test_host_grants() && !is_interrupted(&size_B) ? __real_read(file, data, size_B) : -1;
}

ssize_t
__wrap_write(int file, const void *data, size_t size_B)
{
   if (disk_is_full)
      return 0;
   return test_host_grants() && !is_interrupted(&size_B) ? __real_write(file, data, size_B) : -1;
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

/* ------------------------------------------------------------------ rights of another user */

static bool is_secure;
static uid_t other_user; /* 1: the process has the rights of another one than who runs it */
static gid_t other_group;

unsigned long __real_getauxval(unsigned long type);
uid_t __real_getuid(void);
gid_t __real_getgid(void);
unsigned long __wrap_getauxval(unsigned long type);
uid_t __wrap_getuid(void);
gid_t __wrap_getgid(void);

unsigned long
__wrap_getauxval(unsigned long type)
{
   return type == AT_SECURE && is_secure ? 1 : __real_getauxval(type);
}

uid_t
__wrap_getuid(void)
{
   return __real_getuid() + other_user;
}

gid_t
__wrap_getgid(void)
{
   return __real_getgid() + other_group;
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

/* The same where the folder has more than its limit, which became a smaller one. */
static void
more_than_the_limit_stays(void **state)
{
   (void)state;
   fill();
   struct cf_jit_cache *cache = cf_jit_cache_open(FOLDER, LIMIT_B / 4);
   assert_non_null(cache);
   files_stay = true;
   put(cache, 100);
   files_stay = false;
   assert_int_equal(look(false).files, FIT - 1);
   put(cache, 101);
   assert_true(get(cache, 101) && !get(cache, 100));
   assert_true(look(false).size_B <= LIMIT_B / 4);
   cf_jit_cache_close(cache);
   look(true);
}

/* Other processes make room, too: what they delete is gone, before it is looked at or after. */
static void
others_delete(void **state)
{
   (void)state;
   for (int before = 0; before < 2; before++) {
      fill();
      struct cf_jit_cache *cache = cf_jit_cache_open(FOLDER, LIMIT_B);
      assert_non_null(cache);
      deletes_first = !before;
      for (unsigned i = 0; i < 2; i++)
         put(cache, 100 + i);
      stats_last = before;
      put(cache, 102);
      put(cache, 103);
      deletes_first = stats_last = false;
      assert_true(get(cache, 103));
      assert_true(look(false).size_B <= (before ? 2 : FIT) * FILE_B);
      cf_jit_cache_close(cache);
   }
   look(true);
}

/* Reads and writes that are interrupted, or end early, go on. */
static void
interrupted(void **state)
{
   (void)state;
   fill();
   struct cf_jit_cache *cache = cf_jit_cache_open(FOLDER, LIMIT_B);
   assert_non_null(cache);
   interrupts = true;
   put(cache, 100);
   const bool found = get(cache, 100) && get(cache, 3);
   interrupts = false;
   assert_true(found && calls > 20);
   assert_true(get(cache, 100));
   cf_jit_cache_close(cache);
   look(true);
}

/* A write that writes nothing is not tried for ever, and leaves no half object. */
static void
full_disk(void **state)
{
   (void)state;
   fill();
   struct cf_jit_cache *cache = cf_jit_cache_open(FOLDER, LIMIT_B);
   assert_non_null(cache);
   disk_is_full = true;
   put(cache, 100);
   disk_is_full = false;
   assert_false(get(cache, 100));
   assert_int_equal(look(false).files, FIT - 1);
   cf_jit_cache_close(cache);
   look(true);
}

/* A temporary of a process that died, and cannot be deleted: nothing is put. */
static void
a_temporary_that_stays(void **state)
{
   (void)state;
   char name[64] = "", temporary[96];
   look(true);
   struct cf_jit_cache *cache = cf_jit_cache_open(FOLDER, LIMIT_B);
   assert_non_null(cache);
   put(cache, 1);
   DIR *dir = opendir(FOLDER);
   assert_non_null(dir);
   for (struct dirent *entry; (entry = readdir(dir));) {
      if (entry->d_name[0] != '.')
         snprintf(name, sizeof(name), "%.40s", entry->d_name);
   }
   snprintf(temporary, sizeof(temporary), "%s%lu", name, (unsigned long)gettid());
   assert_int_equal(renameat(dirfd(dir), name, dirfd(dir), temporary), 0);
   closedir(dir);
   files_stay = true;
   put(cache, 1);
   files_stay = false;
   assert_false(get(cache, 1));
   put(cache, 1);
   assert_true(get(cache, 1));
   assert_int_equal(look(false).files, 1);
   cf_jit_cache_close(cache);
   look(true);
}

static void
assert_folder(const char *expected)
{
   test_host.paused = false;
   char *found = cf_jit_cache_folder();
   test_host.paused = true;
   if (expected)
      assert_string_equal(found, expected);
   else
      assert_null(found);
   free(found);
}

/* The environment names the folder, but not that of who runs a process with another's rights. */
static void
which_folder(void **state)
{
   (void)state;
   unsetenv("MESA_SHADER_CACHE_DISABLE");
   unsetenv("XDG_CACHE_HOME");
   setenv("MESA_SHADER_CACHE_DIR", "", 1);
   setenv("HOME", "relative", 1);
   assert_folder(NULL);
   unsetenv("HOME");
   assert_folder(NULL);
   setenv("HOME", "/user", 1);
   assert_folder("/user/.cache/clipfree");
   is_secure = true;
   assert_folder(NULL);
   is_secure = false, other_user = 1;
   assert_folder(NULL);
   other_user = 0, other_group = 1;
   assert_folder(NULL);
   other_group = 0;
   test_host_arm(1, false);
   assert_folder(NULL);
   assert_int_equal(test_host_disarm(), 1);
   assert_folder("/user/.cache/clipfree");
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_host_that_fails),
      cmocka_unit_test(files_that_stay),
      cmocka_unit_test(more_than_the_limit_stays),
      cmocka_unit_test(others_delete),
      cmocka_unit_test(interrupted),
      cmocka_unit_test(full_disk),
      cmocka_unit_test(a_temporary_that_stays),
      cmocka_unit_test(which_folder),
   };
   test_host.paused = true;
   return cmocka_run_group_tests(tests, NULL, NULL);
}
