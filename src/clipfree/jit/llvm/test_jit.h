/* SPDX-License-Identifier: MIT */
/*
 * For the JIT's tests: the compiler module, and programs that run compiled.
 */
#ifndef TEST_JIT_H
#define TEST_JIT_H

#include "clipfree/shader/test_shader.h"

#include <dlfcn.h>

#include "clipfree/jit/cf_jit_llvm.h"
#include "clipfree/jit/cf_jit_object.h"
#include "clipfree/jit/cf_jit_source.h"
#include "clipfree/shader/cf_engine.h"

/* The module given on the command line. */
static inline const struct cf_jit_compiler *
open_compiler(const char *path)
{
   void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
   if (!module)
      fail_msg("%s", dlerror());
   const struct cf_jit_compiler *compiler = dlsym(module, CF_JIT_COMPILER_SYMBOL);
   assert_non_null(compiler);
   assert_int_equal(compiler->size_B, sizeof(*compiler));
   return compiler;
}

/* Of all random textures or targets, by a test's argument; CF_FORMAT_NONE: formats are random. */
static enum cf_format only_format;

static inline void
choose_format(const char *name)
{
   for (uint32_t code = 1; code < CF_FORMAT_COUNT; code++) {
      if (cf_format_table[code].name && strcmp(cf_format_table[code].name, name) == 0)
         only_format = (enum cf_format)code;
   }
   if (!only_format)
      fail_msg("there is no format %s", name);
}

/* An engine that always runs compiled code. */
struct compiled {
   struct cf_engine engine;
   struct cf_jit_code code;
};

static inline bool
compiled_run(struct cf_engine *engine, struct cf_run *run)
{
   ((void (*)(struct cf_run *))((struct compiled *)engine)->code.entry)(run);
   return true;
}

static inline void
compiled_destroy(struct cf_engine *engine)
{
   cf_jit_object_unload(&((struct compiled *)engine)->code);
   free(engine);
}

/* Run the loaded program compiled (level >= 0) or interpreted (-1). `wanted`: the source's members
 * other than the program. Returns why its code is not taken: it is interpreted then. NULL: it is
 * taken. */
static inline const char *
fixture_engine_taken(struct fixture *f, const struct cf_jit_compiler *compiler, int level,
                   const struct cf_jit_source *wanted)
{
   struct cf_decoded *program = (struct cf_decoded *)f->stage.program;
   if (program->engine)
      program->engine->destroy(program->engine);
   program->engine = NULL;
   if (level < 0)
      return NULL;
   struct compiled *compiled = calloc(1, sizeof(*compiled));
   assert_non_null(compiled);
   struct cf_jit_source source = *wanted;
   source.program = program;
   struct cf_jit_bytes object;
   atomic_int phase;
   if (!compiler->compile(&source, (enum cf_host_level)level, &object, f->error, sizeof(f->error),
                          &phase))
      fail_msg("%s", f->error);
   const char *wrong =
      cf_jit_object_load(&compiled->code, object.data, object.size_B, &source, CF_JIT_ENTRY, NULL);
   free(object.data);
   compiled->engine = (struct cf_engine){ .run = compiled_run, .destroy = compiled_destroy };
   if (wrong)
      free(compiled);
   else
      program->engine = &compiled->engine;
   return wrong;
}

/* The same, where all code is taken. */
static inline void
fixture_engine_for(struct fixture *f, const struct cf_jit_compiler *compiler, int level,
                   const struct cf_jit_source *wanted)
{
   const char *wrong = fixture_engine_taken(f, compiler, level, wanted);
   if (wrong)
      fail_msg("object: %s", wrong);
}

/* The same for a task with inputs. `units`: as in struct cf_jit_source. */
static inline void
fixture_engine(struct fixture *f, const struct cf_jit_compiler *compiler, int level,
               const struct cf_sample_key *units)
{
   fixture_engine_for(f, compiler, level, &(struct cf_jit_source){ .units = units });
}

#endif
