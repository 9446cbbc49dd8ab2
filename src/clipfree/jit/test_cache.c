/* SPDX-License-Identifier: MIT */
/* The cache on disk: what was put is found; damage anywhere is a miss, and whoever is killed leaves
 * none; its folder has at most what it may, and the files used longest ago go first; a folder that
 * is not the user's alone is refused with one message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clipfree/base/test_random.h"
#include "clipfree/jit/cf_jit_cache.h"
#include "clipfree/jit/cf_jit_source.h"

#define KB 1024u
#define LIMIT_B (256 * KB)
#define OBJECT_B (9 * KB) /* 12 KB on the disk, with its head and key */
#define FIT (LIMIT_B / (12 * KB))
#define FILE_CLOCK_US 10000 /* times of files are as coarse as a tick of the kernel */

static char folder[] = "test-jit-cache-XXXXXX"; /* in the working directory */

/* A source and an object of a number, which are other ones for each. */
struct entry {
   struct cf_sample_key key;
   struct cf_jit_source source;
   uint8_t object[OBJECT_B];
};

static void
make_entry(struct entry *entry, unsigned number)
{
   struct cf_random random = { number };
   memset(entry, 0, sizeof(*entry));
   entry->key.mode = (uint8_t)number;
   entry->key.offsets = (uint8_t)(number >> 8);
   entry->source.sample = &entry->key;
   for (unsigned i = 0; i < sizeof(entry->object); i++)
      entry->object[i] = (uint8_t)cf_random_u32(&random);
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
   size_t size_B;
   make_entry(&entry, number);
   if (!cf_jit_cache_get(cache, &entry.source, CF_HOST_BASE, &object, &size_B)) {
      assert_null(object);
      return false;
   }
   assert_int_equal(size_B, sizeof(entry.object));
   assert_memory_equal(object, entry.object, size_B);
   free(object);
   return true;
}

static struct cf_jit_cache *
open_cache(const char *name)
{
   char path[64];
   snprintf(path, sizeof(path), "%s/%s", folder, name);
   struct cf_jit_cache *cache = cf_jit_cache_open(path, LIMIT_B);
   assert_non_null(cache);
   return cache;
}

/* Bytes on the disk, the number of files, and the name of one of them. */
struct held {
   uint64_t size_B;
   unsigned files;
   char name[128];
};

static struct held
held_of(const char *name)
{
   struct held held = { 0 };
   char path[64];
   snprintf(path, sizeof(path), "%s/%s", folder, name);
   DIR *dir = opendir(path);
   assert_non_null(dir);
   for (struct dirent *entry; (entry = readdir(dir));) {
      struct stat status;
      if (entry->d_name[0] == '.')
         continue;
      assert_int_equal(fstatat(dirfd(dir), entry->d_name, &status, 0), 0);
      held.size_B += ((uint64_t)status.st_size + 4095) / 4096 * 4096;
      held.files++;
      snprintf(held.name, sizeof(held.name), "%s/%.40s", path, entry->d_name);
   }
   closedir(dir);
   return held;
}

static void
what_was_put_is_found(void **state)
{
   (void)state;
   struct cf_jit_cache *cache = open_cache("found/in/a/folder");
   struct entry entry;
   uint8_t *object;
   size_t size_B;
   assert_false(get(cache, 1));
   put(cache, 1);
   put(cache, 2);
   assert_true(get(cache, 1) && get(cache, 2));
   assert_false(get(cache, 3));
   make_entry(&entry, 1);
   assert_false(cf_jit_cache_get(cache, &entry.source, CF_HOST_V3, &object, &size_B));
   cf_jit_cache_close(cache);
   cache = open_cache("found/in/a/folder");
   assert_true(get(cache, 1) && get(cache, 2));
   cf_jit_cache_close(cache);
}

/* The byte at `at`, changed. */
static void
change_byte(int file, off_t at, uint8_t by)
{
   uint8_t byte;
   assert_int_equal(pread(file, &byte, 1, at), 1);
   byte ^= by;
   assert_int_equal(pwrite(file, &byte, 1, at), 1);
}

static void
damage_is_a_miss(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("damage_is_a_miss");
   struct cf_jit_cache *cache = open_cache("damaged");
   put(cache, 1);
   const int file = open(held_of("damaged").name, O_RDWR);
   const off_t size_B = lseek(file, 0, SEEK_END);
   assert_true(size_B > OBJECT_B);
   for (off_t at = 0; at < size_B; at++) {
      const uint8_t by = (uint8_t)(1 + cf_random_below(&random, 255));
      change_byte(file, at, by);
      assert_false(get(cache, 1));
      change_byte(file, at, by);
   }
   assert_true(get(cache, 1));
   for (unsigned i = 0; i < 100; i++) {
      assert_int_equal(ftruncate(file, (off_t)cf_random_below(&random, (uint32_t)size_B)), 0);
      assert_false(get(cache, 1));
   }
   close(file);
   put(cache, 1); /* in its place */
   assert_true(get(cache, 1));
   assert_int_equal(held_of("damaged").files, 1);
   cf_jit_cache_close(cache);
}

/* What is written goes on as if a process had died before: its temporary has the same name. */
static void
temporaries_of_the_dead(void **state)
{
   (void)state;
   struct cf_jit_cache *cache = open_cache("dead");
   char path[sizeof(((struct held *)0)->name) + 32];
   put(cache, 1);
   snprintf(path, sizeof(path), "%s%lu", held_of("dead").name, (unsigned long)gettid());
   const int file = open(path, O_WRONLY | O_CREAT, 0600);
   assert_int_equal(write(file, "half", 4), 4);
   put(cache, 1);
   assert_true(get(cache, 1));
   assert_int_equal(held_of("dead").files, 1);
   assert_int_equal(write(file, " a file", 7), 7); /* it was alive */
   close(file);
   assert_true(get(cache, 1));
   cf_jit_cache_close(cache);
}

/* By several processes' caches, in turn; one is used all the time. */
static void
folder_is_bounded(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("folder_is_bounded");
   uint64_t most_B = 0;
   for (unsigned number = 0; number < 300;) {
      struct cf_jit_cache *cache = open_cache("bounded");
      const unsigned puts = 1 + cf_random_below(&random, 8);
      for (unsigned i = 0; i < puts; i++)
         put(cache, number++);
      usleep(FILE_CLOCK_US);
      assert_true(get(cache, 0));
      assert_true(get(cache, number - 1));
      cf_jit_cache_close(cache);
      const struct held held = held_of("bounded");
      most_B = held.size_B > most_B ? held.size_B : most_B;
      assert_in_range(held.size_B, 1, LIMIT_B);
   }
   assert_in_range(most_B, LIMIT_B / 4 * 3, LIMIT_B); /* it is used, too */
}

/* Room is made by deleting what was used longest ago, to half of the limit. */
static void
oldest_go_first(void **state)
{
   (void)state;
   struct cf_jit_cache *cache = open_cache("old");
   for (unsigned number = 0; number < FIT; number++)
      put(cache, number);
   for (unsigned i = 0; i < FIT + 4; i++) {
      usleep(FILE_CLOCK_US);
      assert_true(get(cache, i % FIT)); /* the first four twice */
   }
   usleep(FILE_CLOCK_US);
   put(cache, FIT);
   const unsigned kept = LIMIT_B / 2 / (12 * KB) - 1; /* beside the new one */
   for (unsigned number = 0; number <= FIT; number++)
      assert_int_equal(get(cache, number), number < 4 || number >= FIT - (kept - 4));
   cf_jit_cache_close(cache);
}

static void
too_large_is_not_kept(void **state)
{
   (void)state;
   struct entry entry;
   struct cf_jit_cache *cache = open_cache("large");
   uint8_t *large = calloc(1, LIMIT_B);
   make_entry(&entry, 1);
   put(cache, 2);
   cf_jit_cache_put(cache, &entry.source, CF_HOST_BASE, large, LIMIT_B);
   assert_int_equal(held_of("large").files, 1);
   assert_true(get(cache, 2));
   free(large);
   cf_jit_cache_close(cache);
   const size_t most_B = 16u << 20; /* of an object, in a folder of any size */
   large = calloc(1, most_B + 1);
   assert_non_null(large);
   cache = cf_jit_cache_open(folder, 0);
   assert_non_null(cache);
   cf_jit_cache_put(cache, &entry.source, CF_HOST_BASE, large, most_B + 1);
   assert_false(get(cache, 1));
   free(large);
   cf_jit_cache_close(cache);
}

static void
make_file(const char *path)
{
   const int file = open(path, O_WRONLY | O_CREAT, 0600);
   assert_true(file >= 0);
   close(file);
}

/* Files that no cache wrote stay, when room is made. */
static void
files_of_others_stay(void **state)
{
   (void)state;
   static const char *const names[] = { "readme", "0123456789abcdef01234567890123456789.o" };
   char path[128];
   struct cf_jit_cache *cache = open_cache("shared");
   for (unsigned i = 0; i < 2; i++) {
      snprintf(path, sizeof(path), "%s/shared/%s", folder, names[i]);
      make_file(path);
   }
   for (unsigned number = 0; number < 2 * FIT; number++)
      put(cache, number);
   assert_true(get(cache, 2 * FIT - 1) && !get(cache, 0));
   for (unsigned i = 0; i < 2; i++) {
      snprintf(path, sizeof(path), "%s/shared/%s", folder, names[i]);
      assert_int_equal(access(path, F_OK), 0);
   }
   cf_jit_cache_close(cache);
}

/* A path that is a file, or goes through one. */
static void
a_file_is_no_folder(void **state)
{
   (void)state;
   char path[64];
   snprintf(path, sizeof(path), "%s/file", folder);
   make_file(path);
   assert_null(cf_jit_cache_open(path, LIMIT_B));
   snprintf(path, sizeof(path), "%s/file/folder", folder);
   assert_null(cf_jit_cache_open(path, LIMIT_B));
}

/* Put entries until killed. */
static void
put_for_ever(const char *name)
{
   struct cf_jit_cache *cache = open_cache(name);
   for (unsigned number = 0;; number = (number + 1) % FIT)
      put(cache, number);
}

/* How many files have the name of an object, and are not temporaries. */
static unsigned
objects_of(const char *name)
{
   char path[64];
   unsigned count = 0;
   snprintf(path, sizeof(path), "%s/%s", folder, name);
   DIR *dir = opendir(path);
   assert_non_null(dir);
   for (struct dirent *entry; (entry = readdir(dir));)
      count += strlen(entry->d_name) == 18 && !strcmp(entry->d_name + 16, ".o");
   closedir(dir);
   return count;
}

/* Whoever is killed, wherever it was, leaves whole objects, or none. */
static void
killed_at_any_time(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("killed_at_any_time");
   unsigned most = 0;
   /* after each 300 they live twice as long, if on a busy host none has filled half of the folder
    */
   for (unsigned kills = 0; kills < 300 || (most < FIT / 2 && kills < 2400); kills++) {
      int status;
      const pid_t child = fork();
      if (child == 0)
         put_for_ever("killed");
      usleep(100 + cf_random_below(&random, 3000u << kills / 300));
      assert_int_equal(kill(child, SIGKILL), 0);
      assert_int_equal(waitpid(child, &status, 0), child);
      assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
      struct cf_jit_cache *cache = open_cache("killed");
      unsigned found = 0;
      for (unsigned number = 0; number < FIT; number++)
         found += get(cache, number);
      assert_int_equal(found, objects_of("killed"));
      most = found > most ? found : most;
      cf_jit_cache_close(cache);
   }
   assert_in_range(most, FIT / 2, FIT);
}

/* Open a folder with these rights and owner, with its messages in `said`. NULL: it is refused. */
static struct cf_jit_cache *
open_with(const char *name, mode_t mode, uid_t owner, char said[256])
{
   char path[64];
   snprintf(path, sizeof(path), "%s/%s", folder, name);
   cf_jit_cache_close(open_cache(name));
   assert_int_equal(chmod(path, mode), 0);
   if (owner != geteuid() && chown(path, owner, (gid_t)-1) != 0)
      return NULL;
   FILE *file = tmpfile();
   fflush(stderr);
   const int before = dup(STDERR_FILENO);
   dup2(fileno(file), STDERR_FILENO);
   struct cf_jit_cache *cache = cf_jit_cache_open(path, 0);
   fflush(stderr);
   dup2(before, STDERR_FILENO);
   close(before);
   rewind(file);
   said[fread(said, 1, 255, file)] = 0;
   fclose(file);
   return cache;
}

static void
folders_of_others_are_refused(void **state)
{
   (void)state;
   char said[256];
   struct cf_jit_cache *cache = open_with("mine", 0755, geteuid(), said);
   assert_non_null(cache);
   assert_string_equal(said, "");
   cf_jit_cache_close(cache);
   assert_null(open_with("group", 0770, geteuid(), said));
   assert_non_null(strstr(said, "/group can be written by others"));
   assert_null(open_with("others", 0702, geteuid(), said));
   assert_string_equal(said, ""); /* once */
   if (geteuid() == 0)
      assert_null(open_with("another", 0700, 65534, said));
}

int
main(void)
{
   assert_non_null(mkdtemp(folder));
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_put_is_found),   cmocka_unit_test(damage_is_a_miss),
      cmocka_unit_test(temporaries_of_the_dead), cmocka_unit_test(folder_is_bounded),
      cmocka_unit_test(oldest_go_first),         cmocka_unit_test(too_large_is_not_kept),
      cmocka_unit_test(killed_at_any_time),      cmocka_unit_test(folders_of_others_are_refused),
      cmocka_unit_test(files_of_others_stay),    cmocka_unit_test(a_file_is_no_folder),
   };
   const int failed = cmocka_run_group_tests(tests, NULL, NULL);
   char command[80];
   snprintf(command, sizeof(command), "rm -r '%s'", folder);
   return failed + (system(command) != 0);
}
