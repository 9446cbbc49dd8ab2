/* SPDX-License-Identifier: MIT */
/* Random programs, compiled, in the interpreter. */
#include "test_random_program.h"

#include <stdlib.h>
#include <string.h>

#include "cf_compiler.h"
#include "clipfree/base/cf_lanes.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/memory/cf_format.h"

static void
set_vertex_inputs(struct cf_stage *stage, struct cf_task *task, const struct inputs *inputs)
{
   for (unsigned n = 0; n < ATTRIBUTES; n++) {
      stage->fetch[n] =
         (struct cf_fetch){ .data = (const uint8_t *)inputs->attributes[n],
                            .size_B = sizeof(inputs->attributes[n]),
                            .stride_B = 16,
                            .format = cf_format_info_of(CF_FORMAT_R32G32B32A32_FLOAT) };
   }
   for (unsigned lane = 0; lane < LANES; lane++)
      task->sys[CF_SYSVAL_VERTEX_ID][lane] = lane;
   task->parts = 0;
}

/* `placed`: varyings in the binary's slots. */
static void
set_fragment_inputs(struct cf_task *task, const struct inputs *inputs,
                    const struct cf_binary *binary, float placed[CF_TASK_QUADS][4 * ATTRIBUTES][3])
{
   for (unsigned quad = 0; quad < CF_TASK_QUADS; quad++) {
      for (unsigned k = 0; k < binary->varying_slots; k++)
         memcpy(placed[quad][4 * k],
                inputs->varyings[quad][binary->location[k] - VARYING_SLOT_VAR0],
                sizeof(placed[quad][0]) * 4);
      task->varyings[quad] = (const float(*)[3])placed[quad];
   }
   memcpy(task->bary, inputs->bary, sizeof(task->bary));
   task->one_primitive = false;
   task->shared = 0;
}

uint32_t
random_run(const struct cf_decoded *program, const struct inputs *inputs,
           const struct cf_binary *binary, uint32_t outputs[OUTPUTS][LANES])
{
   float placed[CF_TASK_QUADS][4 * ATTRIBUTES][3];
   struct cf_stage stage = { .program = program, .max_instrs = 1000000 };
   const uint32_t scratch_dwords = cf_program_info(program)->scratch_dwords;
   stage.constants[0].data = inputs->uniforms;
   stage.constants[0].dwords = UNIFORMS;
   struct cf_task *task = aligned_alloc(64, sizeof(*task));
   memset(task, 0xa5, sizeof(*task)); /* registers hold garbage */
   task->limit = NULL;
   task->clock = NULL;
   if (binary)
      set_fragment_inputs(task, inputs, binary, placed);
   else
      set_vertex_inputs(&stage, task, inputs);
   task->exec = task->alive = ~0u;
   task->scratch_dwords = scratch_dwords;
   task->scratch = calloc(task->scratch_dwords + 1, sizeof(*task->scratch));
   cf_shader_ops_base.prepare(&stage, task);
   cf_shader_ops_base.run(&stage, task);
   if (task->timed_out)
      abort(); /* no random program has a loop without an end */
   memcpy(outputs, task->out[binary ? 0 : 8], VARYINGS * sizeof(*outputs));
   memcpy(outputs + VARYINGS, task->out[binary ? VARYINGS : 0],
          (OUTPUTS - VARYINGS) * sizeof(*outputs));
   const uint32_t alive = task->alive;
   free(task->scratch);
   free(task);
   return alive;
}

bool
random_same_float(uint32_t a, uint32_t b)
{
   float x, y;
   memcpy(&x, &a, 4);
   memcpy(&y, &b, 4);
   return x == y || (x != x && y != y);
}
