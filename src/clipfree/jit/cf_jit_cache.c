/* SPDX-License-Identifier: MIT */
#include "clipfree/jit/cf_jit_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clipfree/jit/cf_jit_source.h"
#include "clipfree/jit/cf_jit_version.h" /* generated: CF_JIT_VERSION, of sources and LLVM */
#include "clipfree/shader/cf_decoded.h"

#define MAX_OBJECT_B (16u << 20)
#define NAME_B 32 /* 16 digits, ".o", 0, and a temporary's suffix */

struct cf_jit_cache {
   int folder;
   unsigned files; /* estimate of the number of files */
};

/* Head of a file; the key and the object follow. */
struct head {
   char magic[8];
   uint64_t key_B, object_B;
   uint64_t object_hash;
};

static const char magic[8] = "cfjit01";

/* ---- keys ---- */

static uint64_t
hash_bytes(const void *data, size_t size_B)
{
   const uint8_t *bytes = data;
   uint64_t hash = 0xcbf29ce484222325u;
   for (size_t i = 0; i < size_B; i++)
      hash = (hash ^ bytes[i]) * 0x100000001b3u;
   return hash ^ hash >> 32;
}

/* Size of the texture states in a key. A key is: version, four dwords (host level, stage, scratch,
 * length), code, texture states, pixel key. */
#define UNITS_B (CF_MAX_TEXTURE_UNITS * sizeof(struct cf_sample_key))

static size_t
code_B(const struct cf_jit_source *source)
{
   if (!source->program)
      return sizeof(*source->sample);
   return source->program->count * sizeof(uint64_t) + (source->units ? UNITS_B : 0) +
          (source->pixel ? sizeof(*source->pixel) : 0);
}

static void
write_code(const struct cf_jit_source *source, uint8_t *at)
{
   for (unsigned i = 0; source->program && i < source->program->count; i++) {
      const uint64_t code = cf_instr_encode(&source->program->instrs[i]);
      memcpy(at, &code, sizeof(code));
      at += sizeof(code);
   }
   if (source->program && source->units) {
      memcpy(at, source->units, UNITS_B);
      at += UNITS_B;
   }
   if (source->program && source->pixel)
      memcpy(at, source->pixel, sizeof(*source->pixel));
   if (source->sample)
      memcpy(at, source->sample, sizeof(*source->sample));
}

/* The key: everything that the object depends on. */
static uint8_t *
make_key(const struct cf_jit_source *source, enum cf_host_level level, size_t *key_B)
{
   uint32_t declared[4] = { (uint32_t)level, UINT32_MAX };
   const size_t version_B = sizeof(CF_JIT_VERSION);
   if (source->program) {
      const struct cf_program *info = &source->program->info;
      declared[1] = (uint32_t)info->stage;
      declared[2] = info->scratch_dwords;
      declared[3] = source->program->count;
   }
   *key_B = version_B + sizeof(declared) + code_B(source);
   uint8_t *key = malloc(*key_B);
   if (!key)
      return NULL;
   memcpy(key, CF_JIT_VERSION, version_B);
   memcpy(key + version_B, declared, sizeof(declared));
   write_code(source, key + version_B + sizeof(declared));
   return key;
}

static void
make_name(char name[NAME_B], const uint8_t *key, size_t key_B)
{
   snprintf(name, NAME_B, "%016llx.o", (unsigned long long)hash_bytes(key, key_B));
}

/* ---- the folder ---- */

/* mkdir -p */
static void
make_folders(const char *path)
{
   char *copy = strdup(path);
   for (char *at = copy; at && (at = strchr(at + 1, '/'));) {
      *at = 0;
      mkdir(copy, 0700);
      *at = '/';
   }
   free(copy);
   mkdir(path, 0700);
}

struct cf_jit_cache *
cf_jit_cache_open(const char *path)
{
   struct stat status;
   make_folders(path);
   const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
   if (folder < 0)
      return NULL;
   struct cf_jit_cache *cache = calloc(1, sizeof(*cache));
   if (!cache || fstat(folder, &status) != 0 || status.st_uid != geteuid() ||
       status.st_mode & (S_IWGRP | S_IWOTH)) {
      close(folder);
      free(cache);
      return NULL;
   }
   cache->folder = folder;
   cache->files =
      CF_JIT_CACHE_FILES / 2; /* assume half full: the folder is listed only after as many new files */
   return cache;
}

void
cf_jit_cache_close(struct cf_jit_cache *cache)
{
   if (!cache)
      return;
   close(cache->folder);
   free(cache);
}

/* ---- dropping old files ---- */

struct old_file {
   char name[NAME_B];
   int64_t used_s;
};

static int
older(const void *a, const void *b)
{
   const int64_t x = ((const struct old_file *)a)->used_s, y = ((const struct old_file *)b)->used_s;
   return (x > y) - (x < y);
}

/* List all objects of the folder, and temporaries left by processes that died. */
static unsigned
list_files(const struct cf_jit_cache *cache, struct old_file **files)
{
   unsigned count = 0, room = 0;
   *files = NULL;
   const int folder = dup(cache->folder);
   DIR *dir = folder >= 0 ? fdopendir(folder) : NULL;
   if (!dir)
      return 0;
   rewinddir(dir);
   for (struct dirent *entry; (entry = readdir(dir));) {
      struct stat status;
      if (strlen(entry->d_name) >= NAME_B || !strstr(entry->d_name, ".o") ||
          fstatat(cache->folder, entry->d_name, &status, 0) != 0)
         continue;
      if (count == room) {
         room = room ? 2 * room : 256;
         struct old_file *more = realloc(*files, room * sizeof(**files));
         if (!more)
            break;
         *files = more;
      }
      strcpy((*files)[count].name, entry->d_name);
      (*files)[count++].used_s = status.st_mtime;
   }
   closedir(dir);
   return count;
}

static void
drop_old(struct cf_jit_cache *cache)
{
   struct old_file *files;
   cache->files = list_files(cache, &files);
   if (cache->files > CF_JIT_CACHE_FILES) {
      qsort(files, cache->files, sizeof(*files), older);
      for (unsigned i = 0; i < cache->files - CF_JIT_CACHE_FILES / 2; i++)
         unlinkat(cache->folder, files[i].name, 0);
      cache->files = CF_JIT_CACHE_FILES / 2;
   }
   free(files);
}

/* ---- files ---- */

static bool
read_all(int file, void *data, size_t size_B)
{
   for (uint8_t *at = data; size_B;) {
      const ssize_t n = read(file, at, size_B);
      if (n <= 0 && !(n < 0 && errno == EINTR))
         return false;
      at += n > 0 ? n : 0;
      size_B -= n > 0 ? (size_t)n : 0;
   }
   return true;
}

static bool
write_all(int file, const void *data, size_t size_B)
{
   for (const uint8_t *at = data; size_B;) {
      const ssize_t n = write(file, at, size_B);
      if (n <= 0 && !(n < 0 && errno == EINTR))
         return false;
      at += n > 0 ? n : 0;
      size_B -= n > 0 ? (size_t)n : 0;
   }
   return true;
}

/* Read the object of an open file. NULL: its head, key or hash does not match. */
static uint8_t *
read_object(int file, const uint8_t *key, size_t key_B, size_t *size_B)
{
   struct head head;
   if (!read_all(file, &head, sizeof(head)) || memcmp(head.magic, magic, sizeof(magic)) != 0 ||
       head.key_B != key_B || head.object_B > MAX_OBJECT_B)
      return NULL;
   uint8_t *data = malloc(key_B + head.object_B);
   if (!data || !read_all(file, data, key_B + head.object_B) || memcmp(data, key, key_B) != 0 ||
       hash_bytes(data + key_B, head.object_B) != head.object_hash) {
      free(data);
      return NULL;
   }
   memmove(data, data + key_B, head.object_B);
   *size_B = head.object_B;
   return data;
}

bool
cf_jit_cache_get(struct cf_jit_cache *cache, const struct cf_jit_source *source,
                 enum cf_host_level level, uint8_t **object, size_t *size_B)
{
   size_t key_B;
   char name[NAME_B];
   uint8_t *key = make_key(source, level, &key_B);
   *object = NULL;
   if (!key)
      return false;
   make_name(name, key, key_B);
   const int file = openat(cache->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
   if (file >= 0) {
      *object = read_object(file, key, key_B, size_B);
      if (*object)
         futimens(file, NULL); /* update the time of last use */
      close(file);
   }
   free(key);
   return *object != NULL;
}

static bool
write_object(int file, const uint8_t *key, size_t key_B, const uint8_t *object, size_t size_B)
{
   struct head head = { .key_B = key_B,
                        .object_B = size_B,
                        .object_hash = hash_bytes(object, size_B) };
   memcpy(head.magic, magic, sizeof(magic));
   return write_all(file, &head, sizeof(head)) && write_all(file, key, key_B) &&
          write_all(file, object, size_B);
}

void
cf_jit_cache_put(struct cf_jit_cache *cache, const struct cf_jit_source *source,
                 enum cf_host_level level, const uint8_t *object, size_t size_B)
{
   size_t key_B;
   char name[NAME_B], temporary[NAME_B];
   uint8_t *key = size_B <= MAX_OBJECT_B ? make_key(source, level, &key_B) : NULL;
   if (!key)
      return;
   make_name(name, key, key_B);
   snprintf(temporary, NAME_B, "%.18s%lu", name, (unsigned long)getpid());
   const int file =
      openat(cache->folder, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
   if (file >= 0) {
      const bool written = write_object(file, key, key_B, object, size_B);
      if (close(file) != 0 || !written ||
          renameat(cache->folder, temporary, cache->folder, name) != 0)
         unlinkat(cache->folder, temporary, 0);
      else if (++cache->files > CF_JIT_CACHE_FILES)
         drop_old(cache);
   }
   free(key);
}
