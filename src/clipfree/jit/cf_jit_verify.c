/* SPDX-License-Identifier: MIT */
#include "clipfree/jit/cf_jit_verify.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/isa/cf_asm.h"
#include "clipfree/pixel/cf_pixel.h"
#include "clipfree/shader/cf_interp.h"

/* Of the process: it may end without destroying its GPUs. */
static atomic_ullong verified_tasks;
static atomic_uint verified_programs;

static void
print_verified(void)
{
   fprintf(stderr, "clipfree: verified %llu tasks of %u programs\n", atomic_load(&verified_tasks),
           atomic_load(&verified_programs));
}

static void
print_at_exit(void)
{
   atexit(print_verified);
}

void
cf_jit_verify_begin(void)
{
   static pthread_once_t once = PTHREAD_ONCE_INIT;
   pthread_once(&once, print_at_exit);
}

void
cf_jit_verify_count(atomic_flag *seen)
{
   atomic_fetch_add(&verified_tasks, 1);
   if (!atomic_flag_test_and_set(seen))
      atomic_fetch_add(&verified_programs, 1);
}

static void
print_program(const struct cf_decoded *program)
{
   for (unsigned i = 0; i < program->count; i++) {
      char text[128];
      cf_disassemble_instr(&program->instrs[i], text, sizeof(text));
      fprintf(stderr, "%5u  %s\n", i, text);
   }
}

static _Noreturn void
report(const struct cf_run *run, const char *what, unsigned index, unsigned lane,
       uint32_t interpreted, uint32_t compiled)
{
   fprintf(stderr,
           "clipfree: the engines differ. %s %u, lane %u: interpreted 0x%08" PRIx32
           " (%g), compiled 0x%08" PRIx32 " (%g); first exec 0x%08" PRIx32 ", alive 0x%08" PRIx32
           ". The program:\n",
           what, index, lane, interpreted, (double)cf_float(interpreted), compiled,
           (double)cf_float(compiled), run->first_exec, run->alive);
   print_program(run->stage->program);
   abort();
}

/* Lanes whose outputs count: vertex programs have no dead ones. */
static uint32_t
exporting(const struct cf_run *run, uint32_t first_exec)
{
   return run->stage->program->info.stage == CF_SHADER_STAGE_FRAGMENT ? run->alive & first_exec
                                                                      : first_exec;
}

static void
compare_ends(const struct cf_run *run, const struct cf_run *other)
{
   if (run->task->gave_up != other->task->gave_up)
      report(run, "gave_up", 0, 0, run->task->gave_up, other->task->gave_up);
   if (!run->task->gave_up && run->alive != other->alive)
      report(run, "alive", 0, 0, run->alive, other->alive);
}

static void
compare(const struct cf_run *run, uint32_t first_exec, const struct cf_run *other)
{
   compare_ends(run, other);
   if (run->task->gave_up)
      return;
   for (unsigned i = 0; i < run->stage->program->info.outputs; i++) {
      for (unsigned lane = 0; lane < CF_TASK_LANES; lane++) {
         const uint32_t a = run->task->out[i][lane], b = other->task->out[i][lane];
         const bool same = a == b || (cf_isnan(cf_float(a)) && cf_isnan(cf_float(b)));
         if (exporting(run, first_exec) >> lane & 1 && !same)
            report(run, "output", i, lane, a, b);
      }
   }
}

/* A copy of a run, with its own task and scratch. */
struct copy {
   struct cf_run run;
   struct cf_task *task;
   void *scratch;
};

static bool
begin_copy(struct copy *copy, const struct cf_run *run)
{
   const size_t scratch_B = run->task->scratch ? (size_t)run->task->scratch_dwords * CF_ROW_B : 0;
   copy->run = *run;
   copy->task = aligned_alloc(64, sizeof(*copy->task));
   copy->scratch = aligned_alloc(64, (scratch_B + 64) & ~(size_t)63);
   if (!copy->task || !copy->scratch)
      return false;
   memcpy(copy->task, run->task, sizeof(*copy->task));
   if (scratch_B)
      memcpy(copy->scratch, run->task->scratch, scratch_B);
   copy->task->scratch = copy->scratch;
   copy->run.task = copy->task;
   return true;
}

static void
end_copy(struct copy *copy)
{
   free(copy->task);
   free(copy->scratch);
}

void
cf_jit_verify(cf_jit_function function, struct cf_run *run)
{
   const uint32_t first_exec = run->first_exec;
   struct copy other;
   const bool copied = begin_copy(&other, run);
   if (copied)
      function(&other.run);
   cf_interpret(run);
   if (copied)
      compare(run, first_exec, &other.run);
   end_copy(&other);
}

/* ---- from quads to pixels ---- */

/* The pixels of a task, by lane. */
static void
read_pixels(const struct cf_quad_work *work, uint32_t pixels[CF_TASK_QUADS][4])
{
   for (unsigned q = 0; q < CF_TASK_QUADS; q++)
      memcpy(pixels[q], work->pixels + cf_image_offset_B(&work->pixel->color[0], work->quads[q].x_px, work->quads[q].y_px),
             sizeof(pixels[q]));
}

static void
write_pixels(const struct cf_quad_work *work, const uint32_t pixels[CF_TASK_QUADS][4])
{
   for (unsigned q = 0; q < work->count; q++)
      memcpy(work->pixels + cf_image_offset_B(&work->pixel->color[0], work->quads[q].x_px, work->quads[q].y_px), pixels[q],
             sizeof(pixels[q]));
}

/* What all units but the engine's code do. */
static void
run_units(struct cf_run *run, enum cf_host_level level)
{
   const struct cf_quad_work *work = run->work;
   struct cf_task *task = run->task;
   cf_primitive_ops_at(level)
      ->interpolate(work->quads, CF_TASK_QUADS, run->stage->program->info.sysvals, 1u << CF_VARMODE_SMOOTH, task);
   memcpy(run->varyings, task->varyings, sizeof(run->varyings));
   memset(task->out, 0, run->stage->program->info.outputs * sizeof(task->out[0]));
   cf_interpret(run);
   cf_pixel_ops_at(level)
      ->write_quads(work->pixel, work->quads, work->count, run->alive, (const float(*)[CF_TASK_LANES])task->out);
}

void
cf_jit_verify_quads(cf_jit_function function, struct cf_run *run, enum cf_host_level level)
{
   uint32_t before[CF_TASK_QUADS][4], compiled[CF_TASK_QUADS][4], interpreted[CF_TASK_QUADS][4];
   struct copy other;
   const bool copied = begin_copy(&other, run);
   read_pixels(run->work, before);
   if (copied)
      function(&other.run);
   read_pixels(run->work, compiled);
   write_pixels(run->work, (const uint32_t(*)[4])before);
   run_units(run, level);
   read_pixels(run->work, interpreted);
   if (copied)
      compare_ends(run, &other.run);
   for (unsigned lane = 0; copied && lane < CF_TASK_LANES; lane++) {
      if (interpreted[lane / 4][lane % 4] != compiled[lane / 4][lane % 4])
         report(run, "pixel", 0, lane, interpreted[lane / 4][lane % 4], compiled[lane / 4][lane % 4]);
   }
   end_copy(&other);
}
