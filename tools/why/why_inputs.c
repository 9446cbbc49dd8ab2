/* SPDX-License-Identifier: MIT */
#include "why_inputs.h"

#include <stddef.h>
#include <string.h>

#include "look/look_pixel.h"

#include "clipfree/isa/cf_isa.h"
#include "clipfree/shader/cf_run.h"

/* ------------------------------------------------------------------ sets */

static void
add_inputs(struct why_inputs *to, const struct why_inputs *from)
{
   for (uint32_t i = 0; i < WHY_UNIFORMS / 64; i++)
      to->uniform[i] |= from->uniform[i];
   for (uint32_t i = 0; i < WHY_VARYING_WORDS; i++)
      to->varying[i] |= from->varying[i];
   to->units |= from->units;
}

static void
add_uniform(struct why_shading *shading, struct why_inputs *to, uint32_t dword, uint32_t value,
            const struct cf_run *run)
{
   const uint32_t at = dword < WHY_UNIFORMS ? dword : WHY_UNIFORMS - 1;
   to->uniform[at / 64] |= UINT64_C(1) << at % 64;
   shading->uniform[at] = value;
   if (!shading->uniform_at[at])
      shading->uniform_at[at] = cf_run_at(run) + 1;
}

static void
add_varying(struct why_shading *shading, struct why_inputs *to, uint32_t index,
            const struct cf_run *run)
{
   to->varying[index / 64] |= UINT64_C(1) << index % 64;
   if (!shading->varying_at[index])
      shading->varying_at[index] = cf_run_at(run) + 1;
}

/* ------------------------------------------------------------------ instructions */

static bool
runs(const struct why_shading *shading, const struct cf_run *run)
{
   return run->exec >> shading->lane & 1;
}

static void
add_operand(struct why_shading *shading, const struct cf_run *run, const struct cf_instr *instr,
            uint32_t i, struct why_inputs *to)
{
   const struct cf_reg reg = instr->src[i];
   if (reg.kind == CF_KIND_V)
      add_inputs(to, &shading->vector[reg.index]);
   else if (reg.kind == CF_KIND_S)
      add_inputs(to, &shading->scalar[reg.index]);
   else if (reg.kind == CF_KIND_U)
      add_uniform(shading, to, reg.index, cf_run_operand(run, i)[shading->lane], run);
}

/* What the instruction reads. */
static struct why_inputs
inputs_of(struct why_shading *shading, const struct cf_run *run, const struct cf_instr *instr)
{
   struct why_inputs inputs = { .units = 0 };
   for (uint32_t i = 0; i < cf_ops[instr->op].sources; i++)
      add_operand(shading, run, instr, i, &inputs);
   switch (instr->op) {
   case CF_OP_LDU: {
      const uint32_t dword = cf_run_operand(run, 0)[shading->lane] + instr->offset;
      const uint32_t *data = run->stage->constants[0].data;
      if (instr->bank == 0)
         add_uniform(shading, &inputs, dword,
                     dword < run->stage->constants[0].dwords ? data[dword] : 0, run);
      break;
   }
   case CF_OP_LDS:
      add_inputs(&inputs, &shading->scratch);
      break;
   case CF_OP_LDVAR:
      add_varying(shading, &inputs, instr->index, run);
      break;
   case CF_OP_TEX:
      inputs.units |= 1u << instr->unit;
      if (cf_tex_operands(instr->mode))
         add_inputs(&inputs, &shading->gradients);
      break;
   default:
      break;
   }
   return inputs;
}

/* Take the value that the instruction before left. */
static void
take_pending(struct why_shading *shading, const struct cf_task *task)
{
   const struct why_pending *p = &shading->pending;
   if (p->kind == WHY_VARYING)
      memcpy(&shading->varying[p->index], &task->v[p->reg][shading->lane], 4);
   for (uint32_t c = 0; c < 4 && p->kind == WHY_SAMPLE; c++) {
      if (shading->sample[p->index].mask >> c & 1)
         memcpy(&shading->sample[p->index].rgba[c], &task->v[p->reg + c][shading->lane], 4);
   }
   shading->pending.kind = WHY_NOTHING;
}

static void
note_sample(struct why_shading *shading, const struct cf_run *run, const struct cf_instr *instr)
{
   struct why_sample *sample = &shading->sample[instr->unit];
   memset(sample, 0, sizeof(*sample));
   for (uint32_t i = 0; i < cf_ops[instr->op].sources; i++)
      memcpy(&sample->coordinate[i], &cf_run_operand(run, i)[shading->lane], 4);
   sample->mask = instr->mask;
   sample->at = cf_run_at(run);
   shading->pending = (struct why_pending){ WHY_SAMPLE, instr->unit, instr->dst.index };
}

static void
set_result(struct why_shading *shading, const struct cf_instr *instr,
           const struct why_inputs *inputs)
{
   const bool of_four = instr->op == CF_OP_TEX || instr->op == CF_OP_LDF;
   if (!cf_ops[instr->op].has_dst)
      return;
   if (instr->dst.kind == CF_KIND_S)
      shading->scalar[instr->dst.index] = *inputs;
   else if (!of_four)
      shading->vector[instr->dst.index] = *inputs;
   for (uint32_t c = 0; c < 4 && of_four; c++) {
      if (instr->op == CF_OP_LDF || instr->mask >> c & 1)
         shading->vector[instr->dst.index + c] = *inputs;
   }
}

static void
set_output(struct why_shading *shading, uint32_t index, const struct why_inputs *inputs)
{
   add_inputs(&shading->output[index < CF_OUTPUT_DEPTH ? index / 4 : WHY_DEPTH], inputs);
}

void
why_shading_begin(struct why_shading *shading, const struct cf_task_event *task, uint32_t lane)
{
   memset(shading, 0, sizeof(*shading));
   shading->draw = task->draw;
   shading->lane = lane;
   if (task->quad) {
      const struct cf_task_quad *quad = &task->quad[lane / 4];
      shading->primitive = quad->primitive;
      shading->x_px = quad->x_px + (lane & 1);
      shading->y_px = quad->y_px + (lane >> 1 & 1);
   }
   shading->kill_at = UINT32_MAX;
   why_origin_begin(&shading->origin, lane);
}

void
why_shading_instruction(struct why_shading *shading, const struct cf_task_event *event)
{
   const struct cf_run *run = event->run;
   const struct cf_instr *instr = cf_run_instr(run);
   take_pending(shading, run->task);
   why_origin_instruction(&shading->origin, event);
   if (!runs(shading, run) && instr->dst.kind != CF_KIND_S)
      return;
   const struct why_inputs inputs = inputs_of(shading, run, instr);
   switch (instr->op) {
   case CF_OP_OUT:
   case CF_OP_OUTF:
      set_output(shading, instr->index, &inputs);
      break;
   case CF_OP_IF:
   case CF_OP_BRK:
   case CF_OP_CONT:
      add_inputs(&shading->output[WHY_BRANCHES], &inputs);
      break;
   case CF_OP_STS:
      add_inputs(&shading->scratch, &inputs);
      break;
   case CF_OP_GRAD:
      add_inputs(&shading->gradients, &inputs);
      break;
   case CF_OP_KILL:
   case CF_OP_DEMOTE:
      if (!cf_run_operand(run, 0)[shading->lane] || shading->kill_at != UINT32_MAX)
         break;
      shading->kill_at = cf_run_at(run);
      shading->output[WHY_KILLED] = inputs;
      break;
   case CF_OP_LDVAR:
      shading->pending = (struct why_pending){ WHY_VARYING, instr->index, instr->dst.index };
      break;
   case CF_OP_TEX:
      note_sample(shading, run, instr);
      break;
   default:
      break;
   }
   set_result(shading, instr, &inputs);
}

void
why_shading_end(struct why_shading *shading, const struct cf_task_event *task)
{
   take_pending(shading, task->run->task);
}

bool
why_shading_branched(const struct why_shading *shading)
{
   static const struct why_inputs nothing;
   return memcmp(&shading->output[WHY_BRANCHES], &nothing, offsetof(struct why_inputs, units)) ||
          shading->output[WHY_BRANCHES].units;
}

void
why_shading_join(struct why_shading *shading, uint32_t output, uint32_t other)
{
   add_inputs(&shading->output[output], &shading->output[other]);
}

uint32_t
why_shading_not_finite(const struct why_shading *shading, uint32_t output)
{
   const uint32_t *of = shading->origin.output;
   if (output == WHY_DEPTH)
      return of[CF_OUTPUT_DEPTH];
   for (uint32_t i = 4 * output; i < 4 * output + 4; i++) {
      if (of[i] != WHY_FINITE)
         return of[i];
   }
   return WHY_FINITE;
}

/* ------------------------------------------------------------------ JSON */

static json_t *
uniforms_json(const struct why_shading *shading, const struct why_inputs *inputs)
{
   json_t *array = json_array();
   for (uint32_t i = 0; i < WHY_UNIFORMS; i++) {
      float value;
      memcpy(&value, &shading->uniform[i], 4);
      if (inputs->uniform[i / 64] >> i % 64 & 1)
         json_array_append_new(array, json_pack("{s:i, s:I, s:o, s:I}", "dword", (int)i, "bits",
                                                (json_int_t)shading->uniform[i], "value",
                                                look_json_float((double)value), "instruction",
                                                (json_int_t)shading->uniform_at[i] - 1));
   }
   return array;
}

static json_t *
varyings_json(const struct why_shading *shading, const struct why_inputs *inputs)
{
   json_t *array = json_array();
   for (uint32_t i = 0; i < CF_MAX_VARYING_DWORDS; i++) {
      if (inputs->varying[i / 64] >> i % 64 & 1)
         json_array_append_new(
            array, json_pack("{s:i, s:i, s:o, s:I}", "slot", (int)(i / 4), "component",
                             (int)(i % 4), "value", look_json_float((double)shading->varying[i]),
                             "instruction", (json_int_t)shading->varying_at[i] - 1));
   }
   return array;
}

static json_t *
samples_json(const struct why_shading *shading, const struct why_inputs *inputs)
{
   json_t *array = json_array();
   for (uint32_t unit = 0; unit < CF_MAX_TEXTURE_UNITS; unit++) {
      const struct why_sample *sample = &shading->sample[unit];
      if (inputs->units >> unit & 1)
         json_array_append_new(array,
                               json_pack("{s:i, s:o, s:o, s:I}", "unit", (int)unit, "coordinates",
                                         look_json_floats(sample->coordinate, 4), "result",
                                         look_json_floats(sample->rgba, 4), "instruction",
                                         (json_int_t)sample->at));
   }
   return array;
}

json_t *
why_shading_json(const struct why_shading *shading, uint32_t output)
{
   const struct why_inputs *inputs = &shading->output[output];
   return json_pack("{s:o, s:o, s:o}", "uniforms", uniforms_json(shading, inputs), "varyings",
                    varyings_json(shading, inputs), "samples", samples_json(shading, inputs));
}
