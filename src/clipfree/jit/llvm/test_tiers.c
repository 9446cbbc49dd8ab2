/* SPDX-License-Identifier: MIT */
/*
 * Tiers: hot programs are compiled, objects are loaded from the cache on disk, damaged and missing
 * files are survived, and code is registered with perf and gdb.
 */
#include "clipfree/jit/llvm/test_canvas.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clipfree/jit/cf_jit_job.h"
#include "clipfree/jit/cf_jit_symbols.h"
#include "clipfree/texture/cf_texture.h"

#define HOT 16000 /* tasks, as in cf_jit.c */

static char folder[] = "test-jit-cache-XXXXXX"; /* in the working directory */

/* Create a JIT, run some tasks of one program, destroy it. */
static struct cf_jit_counts
live(const struct cf_jit_config *config, unsigned tasks)
{
   struct fixture f;
   struct cf_jit *jit = cf_jit_create(config);
   assert_non_null(jit);
   fixture_init(&f);
   assert_true(fixture_load(&f, text));
   cf_jit_attach(jit, (struct cf_decoded *)f.stage.program);
   cf_jit_finish(jit); /* looked for in the cache */
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

static void
test_hot_is_compiled(void **state)
{
   (void)state;
   const struct cf_jit_config config = config_of(CF_JIT_AUTO);
   assert_counts(live(&config, HOT - 1), 0, 0, 0);
   assert_counts(live(&config, HOT), 1, 0, 0);
}

/* A program that becomes hot before its cache lookup, while the thread compiles another one, is
 * compiled, too. */
static void
test_hot_before_it_is_looked_for(void **state)
{
   (void)state;
   const struct cf_jit_config config = config_of(CF_JIT_AUTO);
   struct cf_jit *jit = cf_jit_create(&config);
   struct fixture first, second;
   assert_non_null(jit);
   fixture_init(&first);
   fixture_init(&second);
   assert_true(fixture_load(&first, text));
   assert_true(
      fixture_load(&second, "sys v0, frag_x\nmov v1, v0\nfmul v1, v0, v1\noutf 0, v1\nend"));
   cf_jit_attach(jit, (struct cf_decoded *)first.stage.program);
   cf_jit_finish(jit);
   run_tasks(&first, HOT);
   cf_jit_attach(jit, (struct cf_decoded *)second.stage.program);
   run_tasks(&second, HOT);
   assert_counts(cf_jit_finish(jit), 2, 0, 0);
   fixture_end(&first);
   fixture_end(&second);
   cf_jit_destroy(jit);
}

/* A task counts as often as its loops go through the program's length: 160 times 5 of 9
 * instructions are 88 of it. */
static void
test_loops_are_hot(void **state)
{
   (void)state;
   static const char looping[] =
      "movi v0, 160\nloop\nstart: ieq v1, v0, 0\nbrk v1, last\n"
      "iadd v0, v0, -1\nmov v2, v2\nlast: endloop start\noutf 0, v0\nend";
   const unsigned tasks = (HOT + 88) / 89;
   const struct cf_jit_config config = config_of(CF_JIT_AUTO);
   struct cf_jit *jit = cf_jit_create(&config);
   struct fixture f;
   assert_non_null(jit);
   fixture_init(&f);
   assert_true(fixture_load(&f, looping));
   cf_jit_attach(jit, (struct cf_decoded *)f.stage.program);
   cf_jit_finish(jit);
   for (unsigned n = 1; n < tasks; n++)
      fixture_run(&f, cf_host_level(), 0xffffffff);
   assert_counts(cf_jit_finish(jit), 0, 0, 0);
   fixture_run(&f, cf_host_level(), 0xffffffff);
   assert_counts(cf_jit_finish(jit), 1, 0, 0);
   fixture_end(&f);
   cf_jit_destroy(jit);
}

static void
test_always_compiles_first(void **state)
{
   (void)state;
   struct cf_jit_config config = config_of(CF_JIT_ALWAYS);
   assert_counts(live(&config, 1), 1, 0, 0);
   config.verify = true;
   assert_counts(live(&config, 10), 1, 0, 0);
}

/* The only file of the cache folder. */
static int
open_cached(const char *in)
{
   DIR *dir = opendir(in);
   int file = -1;
   assert_non_null(dir);
   for (struct dirent *entry; (entry = readdir(dir));) {
      if (entry->d_name[0] == '.')
         continue;
      assert_int_equal(file, -1);
      file = openat(dirfd(dir), entry->d_name, O_RDWR);
      assert_true(file >= 0);
   }
   closedir(dir);
   return file;
}

static void
test_cache(void **state)
{
   (void)state;
   char path[64];
   snprintf(path, sizeof(path), "%s/a/b", folder);
   struct cf_jit_config config = config_of(CF_JIT_AUTO);
   config.cache = path;
   assert_counts(live(&config, HOT), 1, 0, 0);
   assert_counts(live(&config, 1), 0, 1, 0);

   /* a damaged byte anywhere is a miss, after which the file is rewritten */
   const int file = open_cached(path);
   struct stat status;
   assert_int_equal(fstat(file, &status), 0);
   for (off_t at = 0; at < status.st_size; at += status.st_size / 37) {
      uint8_t byte;
      assert_int_equal(pread(file, &byte, 1, at), 1);
      byte ^= 0x10;
      assert_int_equal(pwrite(file, &byte, 1, at), 1);
      assert_counts(live(&config, 1), 0, 0, 0);
      byte ^= 0x10;
      assert_int_equal(pwrite(file, &byte, 1, at), 1);
   }
   assert_int_equal(ftruncate(file, status.st_size - 1), 0);
   assert_counts(live(&config, 1), 0, 0, 0);
   close(file);
   assert_counts(live(&config, HOT), 1, 0, 0);
   assert_counts(live(&config, 1), 0, 1, 0);

   /* a folder that others may write to is not used */
   assert_int_equal(chmod(path, 0777), 0);
   assert_counts(live(&config, 1), 0, 0, 0);
}

/* ---- textures ---- */

#define HOT_SAMPLES 8000    /* as in cf_jit_sample.c */
#define HOT_SPECIAL 30000 /* tasks, as in cf_jit.c */

static const char sampling_text[] = "sys v0, frag_x\ntex v4.xyzw, 0, v0, v0, v0, v0, implicit\n"
                                    "outf 0, v4\noutf 1, v7\nend";

static void
init_unit(struct cf_texture_unit *unit, const uint8_t texels[64], enum cf_wrap wrap)
{
   const struct cf_sampler sampler = { .wrap_s = wrap,
                                       .min_filter = CF_FILTER_LINEAR,
                                       .mag_filter = CF_FILTER_LINEAR };
   const struct cf_texture texture = { .kind = CF_TEXTURE_KIND_T2D,
                                       .format = CF_FORMAT_R8G8B8A8_UNORM,
                                       .layout = CF_LAYOUT_LINEAR,
                                       .width_px = 4,
                                       .height_px = 4,
                                       .size_B = 64,
                                       .level_row_pitch_B = { 16 },
                                       .swizzle_a = CF_SWIZZLE_W };
   assert_null(cf_texture_unit_init(unit, &texture, &sampler, texels));
}

/* Runs tasks, and compares the last one with the interpreter. */
static void
run_samples(struct fixture *f, unsigned tasks)
{
   struct cf_decoded *program = (struct cf_decoded *)f->stage.program;
   struct cf_engine *engine = program->engine;
   uint32_t out[2][LANES];
   for (unsigned lane = 0; lane < LANES; lane++)
      f->task->sys[CF_SYSVAL_FRAG_X][lane] = cf_bits((float)lane * 0.0731f);
   for (unsigned n = 0; n < tasks; n++)
      fixture_run(f, cf_host_level(), 0xffffffff);
   memcpy(out, f->task->out, sizeof(out));
   program->engine = NULL;
   fixture_run(f, cf_host_level(), 0xffffffff);
   program->engine = engine;
   assert_memory_equal(out, f->task->out, sizeof(out));
}

/* Run tasks in steps; `ready`: number of jobs compiled, or loaded, after each step. */
static void
live_with_textures(const struct cf_jit_config *config, const unsigned tasks[5],
                   const unsigned ready[5], bool cached)
{
   struct fixture f;
   uint8_t texels[64];
   struct cf_texture_unit unit[2];
   struct cf_jit *jit = cf_jit_create(config);
   for (unsigned i = 0; i < sizeof(texels); i++)
      texels[i] = (uint8_t)(i * 41);
   init_unit(&unit[0], texels, CF_WRAP_REPEAT);
   init_unit(&unit[1], texels, CF_WRAP_CLAMP_TO_EDGE);
   for (unsigned n = 0; n < 2; n++)
      unit[n].functions = cf_jit_sample_functions(jit, &unit[n]);
   assert_true(unit[0].functions != unit[1].functions);
   assert_true(unit[0].functions == cf_jit_sample_functions(jit, &unit[0]));
   fixture_init(&f);
   f.stage.textures[0] = &unit[0];
   assert_true(fixture_load(&f, sampling_text));
   cf_jit_attach(jit, (struct cf_decoded *)f.stage.program);
   cf_jit_finish(jit);
   for (unsigned n = 0; n < 5; n++) {
      run_samples(&f, tasks[n]);
      const struct cf_jit_counts counts = cf_jit_finish(jit);
      assert_int_equal(cached ? counts.loaded : counts.compiled, ready[n]);
      assert_int_equal(cached ? counts.compiled : counts.loaded, 0);
   }
   f.stage.textures[0] = &unit[1]; /* another state than the program was specialised for */
   run_samples(&f, 3);
   f.stage.textures[0] = NULL;
   run_samples(&f, 3);
   fixture_end(&f);
   cf_jit_destroy(jit);
}

/* The program is compiled, then its sample function, then the program with the sample inlined; all
 * are loaded from the cache later. */
static void
test_textures(void **state)
{
   (void)state;
   char path[64];
   snprintf(path, sizeof(path), "%s/textures", folder);
   struct cf_jit_config config = config_of(CF_JIT_AUTO);
   config.cache = path;
   /* in steps: each job is first looked up in the cache */
   live_with_textures(&config, (const unsigned[]){ HOT, 1, HOT_SAMPLES, HOT_SPECIAL, 1 },
                      (const unsigned[]){ 1, 1, 2, 3, 3 }, false);
   live_with_textures(&config, (const unsigned[]){ 1, 1, 1, SPECIAL_TASKS, 1 },
                      (const unsigned[]){ 2, 2, 2, 3, 3 }, true);
}

/* ---- from quads to pixels ---- */

/* Code from quads to pixels is compiled for a pixel key after some tasks, and loaded from the cache
 * later. */
static void
live_with_quads(const struct cf_jit_config *config, bool cached)
{
   struct fixture f;
   struct canvas canvas;
   struct cf_jit *jit = cf_jit_create(config);
   canvas_init(&canvas);
   fixture_init(&f);
   f.info.outputs = 4;
   assert_true(fixture_load(&f, white_text));
   cf_jit_attach(jit, (struct cf_decoded *)f.stage.program);
   cf_jit_finish(jit);
   assert_int_equal(run_quad_tasks(&f, &canvas, SPECIAL_TASKS), 0);
   assert_counts(cf_jit_finish(jit), 0, cached, 0);
   assert_int_equal(run_quad_tasks(&f, &canvas, HOT), cached ? HOT : 0);
   assert_counts(cf_jit_finish(jit), !cached, cached, 0);
   assert_int_equal(run_quad_tasks(&f, &canvas, 3), 3);
   canvas.key.target[0].blend = true; /* another pixel key */
   assert_int_equal(run_quad_tasks(&f, &canvas, 3), 0);
   fixture_end(&f);
   cf_jit_destroy(jit);
}

static void
test_quads(void **state)
{
   (void)state;
   char path[64];
   snprintf(path, sizeof(path), "%s/quads", folder);
   struct cf_jit_config config = config_of(CF_JIT_AUTO);
   config.cache = path;
   live_with_quads(&config, false);
   live_with_quads(&config, true);
   config.verify = true;
   live_with_quads(&config, true);
}

/* Run tasks as a tile does: by the general code if there is none from quads to pixels. Returns how
 * many were. */
static unsigned
run_tile_tasks(struct fixture *f, struct canvas *canvas, unsigned tasks)
{
   unsigned by_program = 0;
   for (unsigned n = 0; n < tasks; n++) {
      if (run_quad_tasks(f, canvas, 1))
         continue;
      fixture_run(f, cf_host_level(), 0xffffffff);
      by_program++;
   }
   return by_program;
}

static struct cf_jit *
begin_white(struct fixture *f, struct canvas *canvas, enum cf_jit_policy policy)
{
   const struct cf_jit_config config = config_of(policy);
   struct cf_jit *jit = cf_jit_create(&config);
   canvas_init(canvas);
   fixture_init(f);
   f->info.outputs = 4;
   assert_true(fixture_load(f, white_text));
   cf_jit_attach(jit, (struct cf_decoded *)f->stage.program);
   return jit;
}

/* Loops count for the code from quads to pixels that tasks wait for, and not for the general code.
 */
static void
test_loops_in_quads_are_hot(void **state)
{
   (void)state;
   static const char looping[] =
      "movi v0, 160\nloop\nstart: ieq v1, v0, 0\nbrk v1, last\niadd v0, v0, -1\nmov v2, v2\n"
      "last: endloop start\noutf 0, 1.0\noutf 1, 1.0\noutf 2, 1.0\noutf 3, 1.0\nend";
   const struct cf_jit_config config = config_of(CF_JIT_AUTO);
   struct cf_jit *jit = cf_jit_create(&config);
   struct fixture f;
   struct canvas canvas;
   canvas_init(&canvas);
   fixture_init(&f);
   f.info.outputs = 4;
   assert_true(fixture_load(&f, looping));
   cf_jit_attach(jit, (struct cf_decoded *)f.stage.program);
   cf_jit_finish(jit);
   assert_int_equal(run_tile_tasks(&f, &canvas, SPECIAL_TASKS), SPECIAL_TASKS);
   assert_counts(cf_jit_finish(jit), 0, 0, 0);
   assert_int_equal(run_tile_tasks(&f, &canvas, HOT / 66), HOT / 66);
   assert_counts(cf_jit_finish(jit), 1, 0, 0);
   assert_int_equal(run_tile_tasks(&f, &canvas, 3), 0);
   fixture_end(&f);
   cf_jit_destroy(jit);
}

/* A program whose tasks all have code from quads to pixels needs no general code. */
static void
test_quads_alone(void **state)
{
   (void)state;
   struct fixture f;
   struct canvas canvas;
   struct cf_jit *jit = begin_white(&f, &canvas, CF_JIT_ALWAYS);
   assert_int_equal(run_tile_tasks(&f, &canvas, 3), 0); /* not even the first one */
   assert_counts(cf_jit_finish(jit), 1, 0, 0);
   canvas.key.target[0].blend = true;
   assert_int_equal(run_tile_tasks(&f, &canvas, 3), 3);
   assert_counts(cf_jit_finish(jit), 2, 0, 0);
   fixture_end(&f);
   cf_jit_destroy(jit);

   jit = begin_white(&f, &canvas, CF_JIT_AUTO);
   assert_true(run_tile_tasks(&f, &canvas, SPECIAL_TASKS + HOT) >= SPECIAL_TASKS + HOT - 1);
   assert_counts(cf_jit_finish(jit), 1, 0, 0);
   assert_int_equal(run_tile_tasks(&f, &canvas, 3), 0);
   for (unsigned n = 0; n < HOT; n++)
      fixture_run(&f, cf_host_level(), 0xffffffff);
   assert_counts(cf_jit_finish(jit), 2, 0, 0);
   fixture_end(&f);
   cf_jit_destroy(jit);
}

/* With more pixel keys than a program may have code for, the least recently used code is
 * evicted. */
static void
test_quads_make_room(void **state)
{
   (void)state;
   enum { WAYS = 64 };
   struct fixture f;
   struct canvas canvas;
   struct cf_jit *jit = begin_white(&f, &canvas, CF_JIT_AUTO);
   for (unsigned way = 0; way < WAYS; way++) { /* the first two are compiled */
      canvas.key.depth_func = (uint8_t)way; /* changes the key only: there are no depth tests */
      run_quad_tasks(&f, &canvas, SPECIAL_TASKS);
      cf_jit_finish(jit);
      if (way < 2)
         run_quad_tasks(&f, &canvas, HOT);
      canvas.key.depth_func = 0;
      cf_jit_finish(jit);
      assert_int_equal(run_quad_tasks(&f, &canvas, 1), 1); /* this one is used all the time */
   }
   assert_counts(cf_jit_finish(jit), 2, 0, 0);
   assert_false(cf_jit_wants_eviction(jit));
   canvas.key.depth_func = WAYS;
   run_quad_tasks(&f, &canvas, SPECIAL_TASKS);
   assert_true(cf_jit_wants_eviction(jit));
   cf_jit_evict(jit);
   assert_false(cf_jit_wants_eviction(jit));
   run_quad_tasks(&f, &canvas, SPECIAL_TASKS + HOT);
   assert_counts(cf_jit_finish(jit), 3, 0, 0);
   assert_int_equal(run_quad_tasks(&f, &canvas, 3), 3);
   canvas.key.depth_func = 0;
   assert_int_equal(run_quad_tasks(&f, &canvas, 3), 3);
   canvas.key.depth_func = 1;
   assert_int_equal(run_quad_tasks(&f, &canvas, 3), 0);
   fixture_end(&f);
   cf_jit_destroy(jit);
}

static void
assert_cache_folder(const char *expected)
{
   char *found = cf_jit_cache_folder();
   if (expected)
      assert_string_equal(found, expected);
   else
      assert_null(found);
   free(found);
}

/* Mesa's environment variables apply to this cache, too. */
static void
test_cache_folder(void **state)
{
   (void)state;
   unsetenv("MESA_SHADER_CACHE_DISABLE");
   unsetenv("MESA_SHADER_CACHE_DIR");
   unsetenv("XDG_CACHE_HOME");
   setenv("HOME", "/home/user", 1);
   assert_cache_folder("/home/user/.cache/clipfree");
   setenv("XDG_CACHE_HOME", "relative", 1);
   assert_cache_folder("/home/user/.cache/clipfree");
   setenv("XDG_CACHE_HOME", "/cache", 1);
   assert_cache_folder("/cache/clipfree");
   setenv("MESA_SHADER_CACHE_DIR", "here", 1);
   assert_cache_folder("here/clipfree");
   setenv("MESA_SHADER_CACHE_DISABLE", "False", 1);
   assert_cache_folder("here/clipfree");
   setenv("MESA_SHADER_CACHE_DISABLE", "True", 1);
   assert_cache_folder(NULL);
}

static void
test_no_module(void **state)
{
   (void)state;
   struct cf_jit_config config = config_of(CF_JIT_AUTO);
   config.module = "/nonexistent/module.so";
   assert_counts(live(&config, 2 * HOT), 0, 0, 1);
   /* under CF_JIT_ALWAYS creation fails */
   config.policy = CF_JIT_ALWAYS;
   assert_null(cf_jit_create(&config));
}

/* A program may be destroyed at any time: queued, being compiled, compiled. */
static void
test_programs_go(void **state)
{
   (void)state;
   const struct cf_jit_config config = config_of(CF_JIT_AUTO);
   struct cf_jit *jit = cf_jit_create(&config);
   for (unsigned n = 0; n < 12; n++) {
      struct fixture f;
      fixture_init(&f);
      assert_true(fixture_load(&f, text));
      cf_jit_attach(jit, (struct cf_decoded *)f.stage.program);
      run_tasks(&f, n % 3 ? HOT + n * 40 : 1);
      fixture_end(&f);
   }
   assert_int_equal(cf_jit_finish(jit).failed, 0);
   cf_jit_destroy(jit);
}

/* End a lookup that reads a FIFO: close the writing end. */
static void *
end_lookup_later(void *writer)
{
   usleep(100000);
   close(*(int *)writer);
   return NULL;
}

/* Open a FIFO for writing, once somebody reads it. */
static int
open_for_reader(const char *fifo)
{
   int writer;
   while ((writer = open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0 && errno == ENXIO)
      usleep(1000);
   assert_true(writer >= 0);
   return writer;
}

/* A program that becomes hot during its cache lookup, and is destroyed before the lookup ends, is
 * not compiled. Its file is a FIFO, so that the lookup takes as long as the test wants. */
static void
test_hot_program_goes_while_it_is_looked_for(void **state)
{
   (void)state;
   char path[64], link[64], fifo[PATH_MAX];
   snprintf(path, sizeof(path), "%s/fifo", folder);
   struct cf_jit_config config = config_of(CF_JIT_AUTO);
   config.cache = path;
   assert_counts(live(&config, HOT), 1, 0, 0);
   const int file = open_cached(path);
   snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
   const ssize_t length = readlink(link, fifo, sizeof(fifo) - 1);
   assert_true(length > 0);
   close(file);
   fifo[length] = 0;
   assert_int_equal(unlink(fifo), 0);
   assert_int_equal(mkfifo(fifo, 0600), 0);

   struct fixture f;
   pthread_t thread;
   struct cf_jit *jit = cf_jit_create(&config);
   fixture_init(&f);
   assert_true(fixture_load(&f, text));
   cf_jit_attach(jit, (struct cf_decoded *)f.stage.program);
   int writer = open_for_reader(fifo);
   run_tasks(&f, HOT);
   assert_int_equal(pthread_create(&thread, NULL, end_lookup_later, &writer), 0);
   fixture_end(&f);
   assert_int_equal(pthread_join(thread, NULL), 0);
   assert_counts(cf_jit_finish(jit), 0, 0, 0);
   cf_jit_destroy(jit);
}

/* ---- perf and gdb ---- */

/* Find the line of perf's file for a function's address. False: there is none. */
static bool
find_in_perf_map(const void *address, size_t *size_B, char name[96])
{
   char path[64];
   unsigned long begin = 0;
   snprintf(path, sizeof(path), "/tmp/perf-%ld.map", (long)getpid());
   FILE *file = fopen(path, "r");
   while (file && begin != (uintptr_t)address &&
          fscanf(file, "%lx %zx %95s\n", &begin, size_B, name) == 3)
      ;
   if (file)
      fclose(file);
   return begin == (uintptr_t)address;
}

static void
remove_perf_map(void)
{
   char path[64];
   snprintf(path, sizeof(path), "/tmp/perf-%ld.map", (long)getpid());
   unlink(path);
}

/* The load address of a function in an ELF object; NULL: there is none of that name. */
static const uint8_t *
find_in_object(const uint8_t *object, const char *name, size_t *size_B)
{
   const Elf64_Ehdr *head = (const Elf64_Ehdr *)object;
   const Elf64_Shdr *section = (const Elf64_Shdr *)(object + head->e_shoff);
   for (unsigned i = 0; i < head->e_shnum; i++) {
      const Elf64_Sym *symbol = (const Elf64_Sym *)(object + section[i].sh_offset);
      const char *strings = (const char *)object + section[section[i].sh_link].sh_offset;
      for (size_t n = 0;
           section[i].sh_type == SHT_SYMTAB && n < section[i].sh_size / sizeof(*symbol); n++) {
         assert_true(symbol[n].st_name + strlen(strings + symbol[n].st_name) <
                     section[section[i].sh_link].sh_size);
         if (strcmp(strings + symbol[n].st_name, name) == 0) {
            *size_B = symbol[n].st_size;
            return (const uint8_t *)(section[symbol[n].st_shndx].sh_addr + symbol[n].st_value);
         }
      }
   }
   return NULL;
}

/* Count gdb's entries with the function, and check the list's links. */
static unsigned
count_in_gdb_list(const void *function, const char *name)
{
   unsigned found = 0;
   const struct cf_jit_gdb_entry *previous = NULL;
   assert_int_equal(__jit_debug_descriptor.version, 1);
   for (const struct cf_jit_gdb_entry *e = __jit_debug_descriptor.first; e; e = e->next) {
      size_t size_B = 0;
      assert_ptr_equal(e->previous, previous);
      previous = e;
      found += find_in_object(e->file, name, &size_B) == function && size_B > 0;
   }
   return found;
}

static void
assert_listed(const void *function, const char *name)
{
   char listed[96];
   size_t size_B = 0;
   assert_true(find_in_perf_map(function, &size_B, listed));
   assert_string_equal(listed, name);
   assert_in_range(size_B, 16, 4096);
   assert_int_equal(count_in_gdb_list(function, name), 1);
}

/* Compiles the program of `f` and checks that perf and gdb know it until it is freed. */
static const void *
check_listed(struct cf_jit *jit, const struct fixture *f)
{
   struct cf_jit_job job;
   const struct cf_decoded *program = f->stage.program;
   cf_jit_job_begin(&job, jit, (struct cf_jit_source){ .program = program }, 1);
   const void *function = cf_jit_job_function(&job);
   assert_non_null(function);
   assert_listed(function, program->name);
   cf_jit_job_end(&job);
   assert_int_equal(count_in_gdb_list(function, program->name), 0);
   return function;
}

static void
test_symbols(void **state)
{
   (void)state;
   struct fixture f;
   int status;
   struct cf_jit_config config = config_of(CF_JIT_ALWAYS);
   remove_perf_map(); /* left by an earlier process with the same id */
   live(&config, 1);
   assert_null(__jit_debug_descriptor.first);
   config.symbols = true;
   struct cf_jit *jit[2] = { cf_jit_create(&config), cf_jit_create(&config) };
   fixture_init(&f);
   assert_true(fixture_load(&f, text));
   const void *first = check_listed(jit[0], &f);
   /* addresses are never reused: perf's file keeps the old entry */
   assert_true(check_listed(jit[1], &f) != first);
   assert_true(check_listed(jit[0], &f) != first);
   cf_jit_destroy(jit[0]);
   cf_jit_destroy(jit[1]);
   const pid_t child = fork();
   if (child == 0) {
      remove_perf_map();
      struct cf_jit *own = cf_jit_create(&config);
      check_listed(own, &f);
      cf_jit_destroy(own);
      remove_perf_map();
      _exit(0);
   }
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_int_equal(status, 0);
   fixture_end(&f);
   remove_perf_map();
}

/* An unwritable file is reported once. */
static void
test_symbols_unwritable(void **state)
{
   (void)state;
   int pipes[2], status;
   char message[1024] = "";
   assert_int_equal(pipe(pipes), 0);
   const pid_t child = fork();
   if (child == 0) {
      char path[64];
      struct cf_jit_config config = config_of(CF_JIT_ALWAYS);
      config.symbols = true;
      dup2(pipes[1], 2);
      remove_perf_map();
      snprintf(path, sizeof(path), "/tmp/perf-%ld.map", (long)getpid());
      /* a link may be planted by another user */
      const bool linked = symlink("elsewhere", path) == 0;
      live(&config, 1);
      live(&config, 1);
      remove_perf_map();
      _exit(!linked);
   }
   close(pipes[1]);
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_int_equal(status, 0);
   assert_true(read(pipes[0], message, sizeof(message) - 1) > 0);
   close(pipes[0]);
   const char *said = strstr(message, "perf will not know compiled shaders: /tmp/perf-");
   assert_non_null(said);
   assert_null(strstr(said + 1, "perf will not know"));
}

/* The process exits during a compilation. Exits with 0 if it was, with 1 if the code was ready
 * already. */
static void
end_while_compiling(unsigned after_ms)
{
   static char long_text[1 << 16];
   size_t length = (size_t)sprintf(long_text, "sys v0, frag_x\n");
   for (unsigned n = 0; n < 500; n++)
      length += (size_t)sprintf(long_text + length, "fmad v0, v0, v0, %u\n", n % 64);
   sprintf(long_text + length, "outf 0, v0\nend");

   struct fixture f;
   struct cf_jit_job job;
   const struct cf_jit_config config = config_of(CF_JIT_AUTO);
   struct cf_jit *jit = cf_jit_create(&config);
   fixture_init(&f);
   assert_true(fixture_load(&f, long_text));
   cf_jit_job_begin(&job, jit, (struct cf_jit_source){ .program = f.stage.program }, 1);
   cf_jit_finish(jit); /* looked for in the cache */
   assert_null(cf_jit_job_function(&job)); /* this run makes it hot */
   usleep(after_ms * 1000);
   exit(cf_jit_job_function(&job) != NULL); /* destructors of libraries run */
}

static void
test_end_while_compiling(void **state)
{
   (void)state;
   unsigned early = 0;
   for (unsigned n = 0; n < 10; n++) {
      int status;
      const pid_t child = fork();
      if (child == 0)
         end_while_compiling(1 + n * n * 2);
      assert_int_equal(waitpid(child, &status, 0), child);
      assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
      early += WEXITSTATUS(status) == 0;
   }
   assert_in_range(early, 1, 10);
}

int
main(int argc, char **argv)
{
   assert_int_equal(argc, 2);
   module = argv[1];
   assert_non_null(mkdtemp(folder));
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_end_while_compiling), /* first: the children load LLVM themselves */
      cmocka_unit_test(test_hot_is_compiled),
      cmocka_unit_test(test_hot_before_it_is_looked_for),
      cmocka_unit_test(test_loops_are_hot),
      cmocka_unit_test(test_always_compiles_first),
      cmocka_unit_test(test_cache),
      cmocka_unit_test(test_textures),
      cmocka_unit_test(test_quads),
      cmocka_unit_test(test_loops_in_quads_are_hot),
      cmocka_unit_test(test_quads_alone),
      cmocka_unit_test(test_quads_make_room),
      cmocka_unit_test(test_cache_folder),
      cmocka_unit_test(test_no_module),
      cmocka_unit_test(test_programs_go),
      cmocka_unit_test(test_hot_program_goes_while_it_is_looked_for),
      cmocka_unit_test(test_symbols),
      cmocka_unit_test(test_symbols_unwritable),
   };
   const int failed = cmocka_run_group_tests(tests, NULL, NULL);
   char command[80];
   snprintf(command, sizeof(command), "rm -r '%s'", folder);
   return failed + (system(command) != 0);
}
