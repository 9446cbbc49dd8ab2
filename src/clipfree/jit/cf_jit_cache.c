/* SPDX-License-Identifier: MIT */
#include "clipfree/jit/cf_jit_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/base/cf_hash.h"
#include "clipfree/base/cf_host.h"
#include "clipfree/jit/cf_jit_source.h"
#include "clipfree/jit/cf_jit_version.h" /* generated: CF_JIT_VERSION, of sources and LLVM */
#include "clipfree/shader/cf_decoded.h"

#define MAX_OBJECT_B (16u << 20)
#define NAME_B 32 /* 16 digits, ".o", 0, and a temporary's suffix */
#define DISK_PAGE_B 4096 /* what files take of a disk is a multiple of it */
/* The folder is listed again after a part of the limit was written: other processes write, too. */
#define PARTS 8

struct cf_jit_cache {
   int folder;
   uint64_t limit_B;
   uint64_t room_B; /* that may be written before the folder is listed again */
};

/* Head of a file; the key and the object follow. */
struct head {
   char magic[8];
   uint64_t key_B, object_B;
   uint64_t hash; /* of key and object */
};

static const char magic[8] = "cfjit02";

/* ---- keys ---- */

/* FNV-1a: no change of a single byte keeps it. */
static uint64_t
hash_bytes(uint64_t hash, const void *data, size_t size_B)
{
   const uint8_t *bytes = data;
   for (size_t i = 0; i < size_B; i++)
      hash = (hash ^ bytes[i]) * 0x100000001b3u;
   return hash;
}

static uint64_t
hash_of(const uint8_t *key, size_t key_B, const uint8_t *object, size_t object_B)
{
   return hash_bytes(hash_bytes(CF_HASH_NOTHING, key, key_B), object, object_B);
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
   const uint64_t hash = hash_bytes(CF_HASH_NOTHING, key, key_B);
   snprintf(name, NAME_B, "%016llx.o", (unsigned long long)(hash ^ hash >> 32));
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

/* Why a folder is not used; NULL: it is the user's alone. Code from it is run. */
static const char *
refusal(int folder)
{
   struct stat status;
   if (fstat(folder, &status) != 0)
      return strerror(errno);
   if (status.st_uid != geteuid())
      return "belongs to another user";
   if (status.st_mode & (S_IWGRP | S_IWOTH))
      return "can be written by others (chmod go-w helps)";
   return NULL;
}

static void
complain_once(const char *path, const char *why)
{
   static atomic_flag said = ATOMIC_FLAG_INIT;
   if (!atomic_flag_test_and_set(&said))
      fprintf(stderr, "clipfree: compiled shaders are not kept: the folder %s %s\n", path, why);
}

struct cf_jit_cache *
cf_jit_cache_open(const char *path, uint64_t limit_B)
{
   make_folders(path);
   const int folder = cf_host_keep_apart(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
   if (folder < 0)
      return NULL;
   const char *why = refusal(folder);
   if (why)
      complain_once(path, why);
   struct cf_jit_cache *cache = why ? NULL : calloc(1, sizeof(*cache));
   if (!cache) {
      close(folder);
      return NULL;
   }
   cache->folder = folder;
   cache->limit_B = limit_B ? limit_B : CF_JIT_CACHE_B;
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
   int64_t used_ns;
   uint64_t size_B; /* on the disk */
};

static int
older(const void *a, const void *b)
{
   const int64_t x = ((const struct old_file *)a)->used_ns,
                 y = ((const struct old_file *)b)->used_ns;
   return (x > y) - (x < y);
}

static uint64_t
on_disk_B(uint64_t size_B)
{
   return (size_B + DISK_PAGE_B - 1) / DISK_PAGE_B * DISK_PAGE_B;
}

/* Whether it is an object of the folder, or a temporary of a process that died. */
static bool
find_file(const struct cf_jit_cache *cache, const char *name, struct old_file *file)
{
   struct stat status;
   if (strlen(name) >= NAME_B || !strstr(name, ".o") ||
       fstatat(cache->folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
      return false;
   strcpy(file->name, name);
   file->used_ns = status.st_mtim.tv_sec * 1000000000ll + status.st_mtim.tv_nsec;
   file->size_B = on_disk_B((uint64_t)status.st_size);
   return true;
}

struct file_list {
   struct old_file *file;
   unsigned count, room;
};

static bool
add_file(struct file_list *list, const struct old_file *file)
{
   if (list->count == list->room) {
      const unsigned room = list->room ? 2 * list->room : 256;
      struct old_file *more = realloc(list->file, room * sizeof(*more));
      if (!more)
         return false;
      list->file = more;
      list->room = room;
   }
   list->file[list->count++] = *file;
   return true;
}

/* False: it cannot be read, or there is no memory. */
static bool
list_files(const struct cf_jit_cache *cache, struct file_list *list)
{
   struct old_file file;
   bool ok = true;
   const int folder = dup(cache->folder);
   DIR *dir = folder >= 0 ? fdopendir(folder) : NULL;
   if (!dir) {
      if (folder >= 0)
         close(folder);
      return false;
   }
   rewinddir(dir);
   for (struct dirent *entry; ok && (entry = readdir(dir));) {
      if (find_file(cache, entry->d_name, &file))
         ok = add_file(list, &file);
   }
   closedir(dir);
   return ok;
}

/* If the folder has no room for `size_B` more, delete the files used longest ago, to half of the
 * limit. Returns what is left. */
static uint64_t
drop_files(struct cf_jit_cache *cache, struct file_list *list, uint64_t size_B)
{
   uint64_t held_B = 0;
   for (unsigned i = 0; i < list->count; i++)
      held_B += list->file[i].size_B;
   if (held_B + size_B <= cache->limit_B)
      return held_B;
   qsort(list->file, list->count, sizeof(*list->file), older);
   for (unsigned i = 0; i < list->count && held_B + size_B > cache->limit_B / 2; i++) {
      if (unlinkat(cache->folder, list->file[i].name, 0) == 0 || errno == ENOENT)
         held_B -= list->file[i].size_B;
   }
   return held_B;
}

/* There is none where it is not known what the folder has. */
static void
make_room(struct cf_jit_cache *cache, uint64_t size_B)
{
   struct file_list list = { 0 };
   const uint64_t part_B = cache->limit_B / PARTS > size_B ? cache->limit_B / PARTS : size_B;
   cache->room_B = 0;
   if (list_files(cache, &list)) {
      const uint64_t held_B = drop_files(cache, &list, size_B);
      cache->room_B = held_B < cache->limit_B ? cf_min_u64(cache->limit_B - held_B, part_B) : 0;
   }
   free(list.file);
}

/* Take room for a file. False: there is none, or one file is not worth that of many. */
static bool
take_room(struct cf_jit_cache *cache, uint64_t size_B)
{
   const uint64_t needed_B = on_disk_B(size_B);
   if (needed_B > cache->limit_B / 2)
      return false;
   if (needed_B > cache->room_B)
      make_room(cache, needed_B);
   const bool fits = needed_B <= cache->room_B;
   cache->room_B -= fits ? needed_B : 0;
   return fits;
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
       hash_of(data, key_B, data + key_B, head.object_B) != head.hash) {
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
                        .hash = hash_of(key, key_B, object, size_B) };
   memcpy(head.magic, magic, sizeof(magic));
   return write_all(file, &head, sizeof(head)) && write_all(file, key, key_B) &&
          write_all(file, object, size_B);
}

/* Create a file of this thread's own. What has its name is of one that died: of this machine, or
 * of another container. */
static int
create_temporary(struct cf_jit_cache *cache, const char *name, char temporary[NAME_B])
{
   const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
   snprintf(temporary, NAME_B, "%.18s%lu", name, (unsigned long)gettid());
   int file = openat(cache->folder, temporary, flags, 0600);
   if (file < 0 && errno == EEXIST && unlinkat(cache->folder, temporary, 0) == 0)
      file = openat(cache->folder, temporary, flags, 0600);
   return cf_host_keep_apart(file);
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
   const int file = take_room(cache, sizeof(struct head) + key_B + size_B)
                       ? create_temporary(cache, name, temporary)
                       : -1;
   if (file >= 0) {
      const bool written = write_object(file, key, key_B, object, size_B);
      if (close(file) != 0 || !written ||
          renameat(cache->folder, temporary, cache->folder, name) != 0)
         unlinkat(cache->folder, temporary, 0);
   }
   free(key);
}
