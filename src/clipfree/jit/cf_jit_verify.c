/* SPDX-License-Identifier: MIT */
#include "clipfree/jit/cf_jit_verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/isa/cf_asm.h"
#include "clipfree/shader/cf_interp.h"

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
compare(const struct cf_run *run, uint32_t first_exec, const struct cf_run *other)
{
   if (run->task->gave_up != other->task->gave_up)
      report(run, "gave_up", 0, 0, run->task->gave_up, other->task->gave_up);
   if (run->task->gave_up)
      return;
   if (run->alive != other->alive)
      report(run, "alive", 0, 0, run->alive, other->alive);
   for (unsigned i = 0; i < run->stage->program->info.outputs; i++) {
      for (unsigned lane = 0; lane < CF_TASK_LANES; lane++) {
         const uint32_t a = run->task->out[i][lane], b = other->task->out[i][lane];
         const bool same = a == b || (cf_isnan(cf_float(a)) && cf_isnan(cf_float(b)));
         if (exporting(run, first_exec) >> lane & 1 && !same)
            report(run, "output", i, lane, a, b);
      }
   }
}

void
cf_jit_verify(cf_jit_function function, struct cf_run *run)
{
   const uint32_t first_exec = run->first_exec;
   const size_t scratch_B = run->task->scratch ? (size_t)run->task->scratch_dwords * CF_ROW_B : 0;
   struct cf_task *task = aligned_alloc(64, sizeof(*task));
   void *scratch = aligned_alloc(64, (scratch_B + 64) & ~(size_t)63);
   if (task && scratch) {
      struct cf_run other = *run;
      memcpy(task, run->task, sizeof(*task));
      if (scratch_B)
         memcpy(scratch, task->scratch, scratch_B);
      task->scratch = scratch;
      other.task = task;
      function(&other);
      cf_interpret(run);
      compare(run, first_exec, &other);
   } else {
      cf_interpret(run);
   }
   free(task);
   free(scratch);
}
