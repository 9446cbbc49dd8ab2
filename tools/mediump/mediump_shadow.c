/* SPDX-License-Identifier: MIT */
#include "mediump_shadow.h"

#include <stdlib.h>
#include <string.h>

struct cf_decoded *
mediump_without_rounding(const struct cf_decoded *program)
{
   const struct cf_program *info = cf_program_info(program);
   uint64_t *code = malloc(info->code_instrs * sizeof(*code));
   char error[256];
   for (uint32_t i = 0; code && i < info->code_instrs; i++) {
      struct cf_instr instr = cf_program_instrs(program)[i];
      if (instr.op == CF_OP_FROUND)
         instr = cf_make_mov(instr.dst, instr.src[0]);
      code[i] = cf_instr_encode(&instr);
   }
   struct cf_decoded *without = code ? cf_program_decode(info, code, error, sizeof(error)) : NULL;
   free(code);
   return without;
}

/* Draws have only as many elements of `fetch` as they use. */
static void
copy_stage(struct mediump_shadow *shadow, const struct cf_stage *stage,
           const struct cf_decoded *program)
{
   memcpy(&shadow->stage, stage,
          offsetof(struct cf_stage, fetch) + stage->fetches * sizeof(stage->fetch[0]));
   shadow->stage.program = program;
}

/* Room for the program's scratch, which is 0 when it begins. */
static bool
clear_scratch(struct mediump_shadow *shadow, const struct cf_decoded *program)
{
   const size_t size_B = (size_t)cf_program_info(program)->scratch_dwords * CF_ROW_B;
   if (size_B > shadow->scratch_B) {
      free(shadow->task.scratch);
      shadow->task.scratch = aligned_alloc(CF_ROW_B, size_B);
      shadow->scratch_B = shadow->task.scratch ? size_B : 0;
   }
   if (size_B && shadow->task.scratch)
      memset(shadow->task.scratch, 0, size_B);
   return shadow->scratch_B >= size_B;
}

bool
mediump_shadow_begin(struct mediump_shadow *shadow, const struct cf_decoded *program,
                     const struct cf_task_event *event)
{
   const struct cf_task *real = event->run->task;
   if (!clear_scratch(shadow, program))
      return false;
   uint32_t(*scratch)[CF_TASK_LANES] = shadow->task.scratch;
   copy_stage(shadow, event->run->stage, program);
   memcpy(&shadow->task, real, sizeof(shadow->task));
   shadow->task.scratch = scratch;
   shadow->task.scratch_dwords = cf_program_info(program)->scratch_dwords;
   shadow->task.clock = NULL;
   shadow->task.prepared = NULL;
   cf_shader_ops_base.prepare(&shadow->stage, &shadow->task);
   cf_shader_ops_base.begin(&shadow->run, &shadow->stage, &shadow->task);
   return true;
}

void
mediump_shadow_free(struct mediump_shadow *shadow)
{
   free(shadow->task.scratch);
   free(shadow);
}

bool
mediump_shadow_follow(struct mediump_shadow *shadow, uint32_t at)
{
   while (!cf_run_has_ended(&shadow->run) && cf_run_at(&shadow->run) < at)
      cf_run_step(&shadow->run);
   return !cf_run_has_ended(&shadow->run) && cf_run_at(&shadow->run) == at;
}
