/* SPDX-License-Identifier: MIT */
/*
 * For the shader room's tests: a program from text with a stage and a task around it, and random
 * numbers.
 */
#ifndef TEST_SHADER_H
#define TEST_SHADER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/arith/cf_fp.h"
#include "clipfree/isa/cf_asm.h"
#include "clipfree/shader/cf_run.h"
#include "clipfree/shader/cf_program.h"

#define LANES CF_TASK_LANES
#define SCRATCH_DWORDS 16

struct fixture {
   struct cf_program info; /* set before fixture_load */
   struct cf_stage stage;
   struct cf_task *task;
   char error[400];
};

/* Everything declared generously; a fragment program. */
static inline void
fixture_init(struct fixture *f)
{
   memset(f, 0, sizeof(*f));
   f->info.stage = CF_SHADER_STAGE_FRAGMENT;
   f->info.vector_regs = 128;
   f->info.scalar_regs = 128;
   f->info.scratch_dwords = SCRATCH_DWORDS;
   f->info.outputs = CF_MAX_OUTPUTS;
   f->info.inputs = CF_MAX_VARYING_DWORDS;
   f->info.uses_kill = true;
   f->info.sysvals = (1u << CF_SYSVAL_LIMIT) - 1;
   f->stage.max_instrs = 100000;
   f->task = aligned_alloc(64, sizeof(*f->task));
   assert_non_null(f->task);
   memset(f->task, 0, sizeof(*f->task));
   f->task->scratch = calloc(SCRATCH_DWORDS, sizeof(*f->task->scratch));
   f->task->scratch_dwords = SCRATCH_DWORDS;
}

/* Assemble and decode; false with the reason in f->error. */
static inline bool
fixture_load(struct fixture *f, const char *text)
{
   uint64_t *code;
   unsigned count;
   if (!cf_assemble_text(text, &code, &count, f->error, sizeof(f->error)))
      fail_msg("assembler: %s in\n%s", f->error, text);
   cf_program_free((struct cf_decoded *)f->stage.program);
   f->info.code_instrs = count;
   struct cf_decoded *decoded = cf_program_decode(&f->info, code, f->error, sizeof(f->error));
   f->stage.program = decoded;
   free(code);
   return decoded != NULL;
}

static inline void
fixture_run(struct fixture *f, enum cf_host_level level, uint32_t exec)
{
   f->task->exec = exec;
   f->task->alive = exec;
   cf_shader_ops_at(level)->prepare(&f->stage, f->task);
   cf_shader_ops_at(level)->run(&f->stage, f->task);
}

static inline void
fixture_end(struct fixture *f)
{
   cf_program_free((struct cf_decoded *)f->stage.program);
   free(f->task->scratch);
   free(f->task);
}

/* Text that is put together. */
struct program_text {
   char *text;
   size_t length, size;
};

static inline struct program_text
program_text_begin(void)
{
   struct program_text t = { .size = 1 << 20 };
   t.text = malloc(t.size);
   assert_non_null(t.text);
   return t;
}

static inline void __attribute__((format(printf, 2, 3)))
program_text_put(struct program_text *t, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   t->length += (size_t)vsnprintf(t->text + t->length, t->size - t->length, format, args);
   va_end(args);
   assert_true(t->length < t->size);
}

/* xorshift64* */
static inline uint32_t
random_u32(uint64_t *state)
{
   *state ^= *state >> 12;
   *state ^= *state << 25;
   *state ^= *state >> 27;
   return (uint32_t)(*state * 0x2545f4914f6cdd1dull >> 32);
}

static inline bool
is_nan_bits(uint32_t bits)
{
   return (bits & 0x7fffffff) > 0x7f800000;
}

/* Equal as floats are to programs: any NaN is as good as any other. */
static inline bool
same_float(uint32_t a, uint32_t b)
{
   return a == b || (is_nan_bits(a) && is_nan_bits(b));
}

/* Input n of one operand of an operation: boundary values against each other first, then random bits, some made moderate
 * floats or small integers. */
static inline uint32_t
make_input(uint64_t *random, unsigned n, unsigned operand)
{
   static const uint32_t boundary[] = {
      0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
      0x7f812345, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3effffff,
      0x3f000000, 0x3fc00000, 0xbf000000, 0x40200000, 0x4b000000, 0x4affffff, 0xcb000001, 0x4effffff,
      0x4f000000, 0xcf000000, 0x4f7fffff, 0x4f800000, 0x7fffffff, 0xffffffff, 0xfffffffe, 0x00000002,
      0x0000001f, 0x00000020, 0x00000021, 0x0000ffff, 0x00010000, 0x00007c00, 0x0000fc01, 0x000003ff,
      0x33000000, 0x33000001, 0x38800000, 0x387fe000, 0x477fefff, 0x477ff000, 0x40490fdb, 0x43000000,
      0xc3160000, 0xb3000000, 0xb2ffffff, 0x3f3504f3, 0x3f3504f4, 0x47c90e00, 0x4a800000, 0x3f4ba5e3,
   };
   const unsigned count = sizeof(boundary) / sizeof(boundary[0]);
   if (n < count * count)
      return boundary[(operand == 0 ? n / count : operand == 1 ? n : n * 7 + 3) % count];
   const uint32_t bits = random_u32(random);
   switch (random_u32(random) % 4) {
   case 0:
      return (bits & 0x83ffffff) + 0x3c000000; /* a float of ordinary size */
   case 1:
      return (uint32_t)((int32_t)bits >> (bits & 31));
   default:
      return bits;
   }
}

/* Whether to stop before the instruction that comes next. */
typedef bool (*run_stop)(void *user, const struct cf_run *run);

/* Run at least one instruction, then more until `stop` returns true: the step of a debugger that
 * continues from a breakpoint. False: the run has ended, or had before. */
static inline bool
run_until(struct cf_run *run, run_stop stop, void *user)
{
   while (cf_run_step(run)) {
      if (stop(user, run))
         return true;
   }
   return false;
}

#endif
