/* SPDX-License-Identifier: MIT */
/*
 * Memory reads of an instruction are found before it runs, apart from the run: vertex loads by the
 * formula of their addresses, texels by an extra sample of the texture unit, which reports them and
 * gives no result. So the observer cannot change what the run computes. Branches and references are
 * read off their operands.
 */
#include "clipfree/shader/cf_run_watched.h"

#include "clipfree/base/cf_for.h"
#include "clipfree/shader/cf_interp.h"

struct watch {
   const struct cf_observer *observer;
   const struct cf_task_event *event;
   const struct cf_texture_ops *texture;
   bool texels;       /* are wanted */
   uint32_t unit, at; /* texture unit and number of the instruction */
};

static void
call(const struct watch *w, void (*callback)(void *user, const struct cf_task_event *task))
{
   if (callback)
      callback(w->observer->user, w->event);
}

/* Report a lane's load: the data of its vertex, or, with a divisor, of its instance. */
static void
report_load(const struct watch *w, const struct cf_run *run, const struct cf_step *step,
            uint32_t lane)
{
   const struct cf_fetch *fetch = &run->stage->fetch[step->imm];
   uint64_t number = cf_row(run, step->src[0])[lane];
   if (fetch->divisor)
      number = (uint64_t)run->task->sys[CF_SYSVAL_BASE_INSTANCE][lane] +
               run->task->sys[CF_SYSVAL_INSTANCE_ID][lane] / fetch->divisor;
   w->observer->vertex_load(
      w->observer->user, w->event,
      &(struct cf_vertex_load){ .lane = lane,
                                .element = step->imm,
                                .number = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number,
                                .inside = number < cf_fetch_count(fetch),
                                .offset_B = number * fetch->stride_B });
}

static void
report_loads(const struct watch *w, const struct cf_run *run, const struct cf_step *step)
{
   CF_FOR_BITS (lane, run->exec)
      report_load(w, run, step, lane);
}

static void
report_texel(void *user, const struct cf_texel *texel)
{
   const struct watch *w = user;
   struct cf_texel of_unit = *texel;
   of_unit.unit = w->unit;
   of_unit.at = w->at;
   w->observer->texel(w->observer->user, w->event, &of_unit);
}

static void
report_footprint(void *user, const struct cf_footprint *footprint)
{
   const struct watch *w = user;
   struct cf_footprint of_unit = *footprint;
   of_unit.unit = w->unit;
   of_unit.at = w->at;
   w->observer->footprint(w->observer->user, w->event, &of_unit);
}

static void
report_texels(struct watch *w, const struct cf_run *run, const struct cf_step *step)
{
   _Alignas(64) float coordinate[4][CF_TASK_LANES], rgba[4][CF_TASK_LANES];
   const struct cf_texel_watch watch = { .user = w,
                                         .texel = report_texel,
                                         .footprint =
                                            w->observer->footprint ? report_footprint : NULL };
   if (!run->stage->textures[step->imm])
      return;
   const struct cf_texture_unit unit =
      cf_texture_unit_watched(run->stage->textures[step->imm], &watch);
   w->unit = step->imm;
   w->at = cf_run_at(run);
   struct cf_texture_request request = cf_texture_request_of(run, step, coordinate);
   request.mask = 0; /* no result */
   w->texture->sample(&unit, &request, rgba);
}

static void
report_branch(const struct watch *w, const struct cf_run *run, const struct cf_step *step)
{
   const uint32_t *row = cf_row(run, step->src[0]);
   struct cf_branch branch = { .at = cf_run_at(run), .lanes = run->exec };
   for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++)
      branch.taken |= (uint32_t)(row[lane] != 0) << lane;
   branch.taken &= run->exec;
   w->observer->branch(w->observer->user, w->event, &branch);
}

static void
report_reference(const struct watch *w, const struct cf_run *run, const struct cf_step *step)
{
   w->observer->reference(w->observer->user, w->event,
                          &(struct cf_reference){ .at = cf_run_at(run),
                                                  .lanes = run->exec,
                                                  .dword = cf_row(run, step->src[0]),
                                                  .offset = step->imm });
}

/* Report the next instruction, then what it reads, or where it goes. */
static void
report_instruction(struct watch *w, const struct cf_run *run)
{
   const struct cf_step *step = run->next;
   const enum cf_op op = run->stage->program->instrs[step - run->steps].op;
   call(w, w->observer->instruction);
   if (op == CF_OP_LDF && w->observer->vertex_load)
      report_loads(w, run, step);
   if (op == CF_OP_TEX && w->texels)
      report_texels(w, run, step);
   if (w->observer->branch && cf_op_info(op)->form == CF_FORM_FLOW)
      report_branch(w, run, step);
   if (w->observer->reference && (op == CF_OP_LDU || op == CF_OP_LDS || op == CF_OP_STS))
      report_reference(w, run, step);
}

void
cf_run_watched(const struct cf_shader_ops *ops, const struct cf_stage *stage, struct cf_task *task,
               const struct cf_observer *observer, struct cf_task_event *event)
{
   struct watch w = { .observer = observer, .event = event, .texture = ops->texture };
   struct cf_run run;
   void *kept = NULL;
   ops->begin(&run, stage, task);
   event->run = &run;
   event->kept = &kept;
   task->interpreted += task->exec != 0;
   call(&w, observer->task_begin);
   w.texels =
      observer->texel && (!observer->wants_texels || observer->wants_texels(observer->user, event));
   /* cf_run_step, without a call for each instruction */
   while (run.next) {
      report_instruction(&w, &run);
      run.next = run.table[run.next->handler](&run, run.next);
   }
   task->alive = run.alive;
   call(&w, observer->task_end);
}
