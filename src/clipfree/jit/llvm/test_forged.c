/* SPDX-License-Identifier: MIT */
/*
 * Whoever may write to the cache writes an object that is well-formed, with the right key and hash,
 * but does what it may not: it is not run, which is said once, and the program is interpreted until
 * it is compiled again.
 */
#include "clipfree/jit/llvm/test_canvas.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clipfree/base/cf_hash.h"
#include "clipfree/jit/cf_jit_job.h"
#include "clipfree/jit/proof/cf_proof.h"

#define HOT 16000 /* tasks, as in cf_jit.c */
#define HEAD_B 32 /* of a file of the cache: magic, sizes of key and object, hash */
#define MOST_B (1 << 20)

static char folder[] = "test-jit-forged-XXXXXX"; /* in the working directory */

static struct cf_jit_counts
live(const struct cf_jit_config *config, unsigned tasks)
{
   struct fixture f;
   struct cf_jit *jit = cf_jit_create(config);
   assert_non_null(jit);
   fixture_init(&f);
   assert_true(fixture_load(&f, text));
   cf_jit_attach(jit, (struct cf_decoded *)f.stage.program);
   cf_jit_finish(jit);
   run_tasks(&f, tasks);
   const struct cf_jit_counts counts = cf_jit_finish(jit);
   run_tasks(&f, 3);
   fixture_end(&f);
   cf_jit_destroy(jit);
   return counts;
}

static void
assert_counts(struct cf_jit_counts counts, unsigned compiled, unsigned loaded, unsigned failed)
{
   assert_int_equal(counts.compiled, compiled);
   assert_int_equal(counts.loaded, loaded);
   assert_int_equal(counts.failed, failed);
}

/* The only file of the folder. */
static int
open_cached(void)
{
   DIR *dir = opendir(folder);
   int file = -1;
   assert_non_null(dir);
   for (struct dirent *entry; (entry = readdir(dir));) {
      if (entry->d_name[0] != '.')
         file = openat(dirfd(dir), entry->d_name, O_RDWR);
   }
   closedir(dir);
   assert_true(file >= 0);
   return file;
}

/* Write a system call at the beginning of the code, and the hash that goes with it. */
static void
forge(uint8_t *data, size_t size_B)
{
   static const uint8_t call[] = { 0x0f, 0x05, 0xc3 }; /* syscall, ret */
   uint64_t key_B, hash = CF_HASH_NOTHING;
   bool found = false;
   memcpy(&key_B, data + 8, sizeof(key_B));
   uint8_t *object = data + HEAD_B + key_B;
   Elf64_Ehdr head;
   memcpy(&head, object, sizeof(head));
   for (unsigned i = 0; i < head.e_shnum; i++) {
      Elf64_Shdr section;
      memcpy(&section, object + head.e_shoff + i * sizeof(section), sizeof(section));
      if (!(section.sh_flags & SHF_EXECINSTR))
         continue;
      memcpy(object + section.sh_offset, call, sizeof(call));
      found = true;
   }
   assert_true(found);
   for (size_t i = HEAD_B; i < size_B; i++)
      hash = (hash ^ data[i]) * 0x100000001b3u;
   memcpy(data + 24, &hash, sizeof(hash));
}

static void
forge_cached(void)
{
   static uint8_t data[MOST_B];
   const int file = open_cached();
   const ssize_t size_B = pread(file, data, sizeof(data), 0);
   assert_in_range(size_B, HEAD_B + 1, MOST_B - 1);
   forge(data, (size_t)size_B);
   assert_int_equal(pwrite(file, data, (size_t)size_B, 0), size_B);
   close(file);
}

/* What live() prints on standard error, with its counts. */
static struct cf_jit_counts
live_aloud(const struct cf_jit_config *config, char said[512])
{
   FILE *file = tmpfile();
   const int before = dup(STDERR_FILENO);
   assert_non_null(file);
   dup2(fileno(file), STDERR_FILENO);
   const struct cf_jit_counts counts = live(config, 1);
   dup2(before, STDERR_FILENO);
   close(before);
   rewind(file);
   said[fread(said, 1, 511, file)] = 0;
   fclose(file);
   return counts;
}

static void
test_forged(void **state)
{
   char said[512];
   struct cf_jit_config config = config_of(CF_JIT_AUTO);
   (void)state;
   config.cache = folder;
   assert_counts(live(&config, HOT), 1, 0, 0);
   assert_counts(live(&config, 1), 0, 1, 0);
   forge_cached();
   assert_counts(live_aloud(&config, said), 0, 0, 0);
   assert_non_null(
      strstr(said, "compiled code is not run, but interpreted: it has an instruction of a kind"));
   assert_counts(live_aloud(&config, said), 0, 0, 0);
   assert_string_equal(said, ""); /* once */
   assert_counts(live(&config, HOT), 1, 0, 0);
   assert_counts(live(&config, 1), 0, 1, 0);
}

int
main(int argc, char **argv)
{
   assert_int_equal(argc, 2);
   module = argv[1];
   if (!cf_proof_is_built())
      return 77;
   assert_non_null(mkdtemp(folder));
   const struct CMUnitTest tests[] = { cmocka_unit_test(test_forged) };
   const int failed = cmocka_run_group_tests(tests, NULL, NULL);
   char command[80];
   snprintf(command, sizeof(command), "rm -r '%s'", folder);
   return failed + (system(command) != 0);
}
