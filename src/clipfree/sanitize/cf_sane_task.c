/* SPDX-License-Identifier: MIT */
/*
 * Follows the values of a task. Where a suspect value is made, it gets a number, its birth. The
 * number goes along with the values that are computed from it, lane by lane, as a tag of registers;
 * what a selection does not select loses it. So a division by zero in a branch that became a
 * selection is no report. While no value of a task is suspect, all that is done is to look whether
 * results are finite.
 *
 * The result of an instruction is looked at when the next one comes (cf_sane_lanes.c). A task with
 * a scalar destination has it in all lanes.
 */
#include <stdlib.h>
#include <string.h>

#include "clipfree/arith/cf_fp.h"
#include "clipfree/base/cf_for.h"
#include "clipfree/sanitize/cf_sane.h"
#include "clipfree/sanitize/cf_sane_values.h"
#include "clipfree/shader/cf_run.h"
#include "clipfree/texture/cf_texture.h"

static const uint8_t no_tags[CF_TASK_LANES];

/* ------------------------------------------------------------------ tags */

static uint8_t *
tags_of(struct sane_thread *t, struct cf_reg reg)
{
   return reg.kind == CF_KIND_V   ? t->vector[reg.index]
          : reg.kind == CF_KIND_S ? t->scalar[reg.index]
                                  : (uint8_t *)no_tags;
}

static bool
is_nan_birth(const struct sane_thread *t, uint8_t tag)
{
   return tag && t->birth[tag - 1].check == CF_SANITIZE_NAN;
}

/* The tag of a lane's result: that of an operand which it depends on. */
static uint8_t
tag_of_result(struct sane_thread *t, uint32_t lane)
{
   const struct cf_instr *instr = t->instr;
   const uint8_t *a = tags_of(t, instr->src[0]), *b = tags_of(t, instr->src[1]);
   switch (instr->op) {
   case CF_OP_SEL:
      return a[lane] ? a[lane] : tags_of(t, instr->src[t->operand[0][lane] ? 1 : 2])[lane];
   case CF_OP_AND:
      return a[lane] && t->operand[1][lane]   ? a[lane]
             : b[lane] && t->operand[0][lane] ? b[lane]
                                              : 0;
   case CF_OP_OR:
      return a[lane] && t->operand[1][lane] != UINT32_MAX   ? a[lane]
             : b[lane] && t->operand[0][lane] != UINT32_MAX ? b[lane]
                                                            : 0;
   case CF_OP_LDS:
      return sane_scratch_tag(t, lane);
   case CF_OP_TEX:
   case CF_OP_LDF:
   case CF_OP_LDU:
      return 0; /* coordinates and indices are reported themselves */
   default:
      for (uint32_t k = 0; k < cf_ops[instr->op].sources; k++) {
         const uint8_t tag = tags_of(t, instr->src[k])[lane];
         if (tag)
            return tag;
      }
      return 0;
   }
}

/* ------------------------------------------------------------------ operands */

/* The operands of the instruction, as they were before it ran. */
static void
take_operands(struct sane_thread *t)
{
   const struct cf_run *run = t->run;
   const uint32_t overwritten = t->known->overwritten;
   t->sources = cf_ops[t->instr->op].sources;
   for (uint32_t k = 0; k < t->sources; k++)
      t->operand[k] = overwritten >> k & 1 ? t->saved[k] : cf_run_operand_of(run, t->at, k);
}

/* ------------------------------------------------------------------ births */

/* The check of a result that is not finite. */
static enum cf_sanitize_check
check_of(const struct sane_thread *t, uint32_t lane)
{
   const enum cf_sanitize_check domain = t->known->domain;
   float value[2] = { 0 };
   for (uint32_t k = 0; k < t->sources && k < 2; k++)
      memcpy(&value[k], &t->operand[k][lane], sizeof(value[k]));
   const float divisor = t->instr->op == CF_OP_FDIV ? value[1] : value[0];
   const bool outside = domain == CF_SANITIZE_DIVISION ? divisor == 0
                        : domain == CF_SANITIZE_SQRT || domain == CF_SANITIZE_POW
                           ? value[0] < 0
                           : domain != CF_SANITIZE_NAN && value[0] <= 0;
   return outside && sane_checks(t->sanitize, domain) ? domain : CF_SANITIZE_NAN;
}

/* The birth of a check at this instruction, as a tag, with a lane's values; 0: none. */
static uint8_t
new_birth(struct sane_thread *t, enum cf_sanitize_check check, uint32_t lane, uint32_t result)
{
   uint32_t i = 0;
   if (!sane_checks(t->sanitize, check))
      return 0;
   while (i < t->births && (t->birth[i].instr != t->at || t->birth[i].check != check))
      i++;
   if (i == SANE_BIRTHS)
      return 0;
   struct sane_birth *birth = &t->birth[i];
   take_operands(t);
   if (i == t->births) {
      t->births++;
      birth->check = check;
      birth->instr = t->at;
      birth->code = t->instr;
      birth->lanes = birth->reported = birth->throughs = 0;
      birth->elsewhere = t->instr->op == CF_OP_LDVAR;
   }
   birth->lanes |= 1u << lane;
   for (uint32_t k = 0; k < t->sources; k++)
      birth->operand[k][lane] = t->operand[k][lane];
   birth->result[lane] = result;
   t->any = true;
   return (uint8_t)(i + 1);
}

/* Tag the instruction's result in a lane: it is suspect, whatever its value is. */
static void
tag_result(struct sane_thread *t, enum cf_sanitize_check check, uint32_t lane, uint32_t value)
{
   const uint8_t tag = t->lanes >> lane & 1 ? new_birth(t, check, lane, value) : 0;
   t->result_tag[lane] = tag;
   t->has_result_tag |= tag != 0;
}

/* ------------------------------------------------------------------ results */

/* A finite value that is outside of its precision's range; the first on its way. */
static bool
is_outside(const struct sane_thread *t, uint32_t bits)
{
   return t->flags & SANE_RANGE && (bits & 0x7fffffff) > cf_bits(t->known->most);
}

static bool
is_range_birth(const struct sane_thread *t, uint8_t tag)
{
   return tag && t->birth[tag - 1].check == CF_SANITIZE_MEDIUMP;
}

/* The tags of a row of results. `tag`: those of operands. */
static void
settle_row(struct sane_thread *t, const uint32_t *row, const uint8_t *tag, uint8_t *tags)
{
   const bool is_float = cf_instr_makes_float(t->instr), births = t->flags & SANE_FLOAT;
   const uint32_t lanes = t->instr->dst.kind == CF_KIND_S ? UINT32_MAX : t->exec;
   uint32_t passing = 0; /* by tag */
   CF_FOR_BITS(lane, lanes) {
      uint8_t now = tag[lane];
      const bool finite = sane_is_finite(row[lane]);
      if (is_nan_birth(t, now) && (finite || !is_float))
         now = 0;
      const bool active = t->lanes >> lane & 1;
      if ((!now || is_range_birth(t, now)) && !finite && births && active)
         now = new_birth(t, check_of(t, lane), lane, row[lane]);
      else if (!now && finite && is_float && active && is_outside(t, row[lane]))
         now = new_birth(t, CF_SANITIZE_MEDIUMP, lane, row[lane]);
      tags[lane] = now;
      passing |= 1u << now;
   }
   sane_pass_through(t, passing);
}

static void
settle_store(struct sane_thread *t)
{
   const uint8_t *tags = tags_of(t, t->instr->src[1]);
   CF_FOR_BITS(lane, t->exec)
      sane_scratch_store(t, lane, tags[lane]);
}

/* A sample of which no texel was ever written; others may have the weight 0. */
static void
tag_unwritten(struct sane_thread *t)
{
   CF_FOR_BITS(lane, t->exec & t->texels[0] & ~t->texels[1]) {
      if (!t->result_tag[lane])
         tag_result(t, CF_SANITIZE_UNWRITTEN_TEXEL, lane, t->texel[lane]);
   }
}

/* The tags of the results of the instruction before. Its operands are those before it ran. */
static void
settle_rows(struct sane_thread *t)
{
   uint8_t tag[CF_TASK_LANES] = { 0 };
   take_operands(t);
   if (t->any) {
      CF_FOR_LANES(lane)
         tag[lane] =
            t->has_result_tag && t->result_tag[lane] ? t->result_tag[lane] : tag_of_result(t, lane);
   }
   CF_FOR_BITS(k, t->known->rows) {
      const struct cf_reg reg = { t->instr->dst.kind, (uint8_t)(t->instr->dst.index + k) };
      settle_row(t, sane_result_row(t->instr, t->run->task, k), tag, tags_of(t, reg));
   }
}

static bool
has_tags(const uint8_t *tags)
{
   uint64_t word[CF_TASK_LANES / 8], any = 0;
   memcpy(word, tags, sizeof(word));
   for (uint32_t i = 0; i < CF_TASK_LANES / 8; i++)
      any |= word[i];
   return any;
}

/* Whether its results may get a tag from its operands, or have one. */
static bool
has_tagged_operand(struct sane_thread *t)
{
   const uint32_t sources = cf_ops[t->instr->op].sources;
   uint32_t k = 0;
   while (k < sources && !has_tags(tags_of(t, t->instr->src[k])))
      k++;
   return k < sources || t->has_result_tag || t->instr->op == CF_OP_LDS;
}

/* Results without a tag. */
static void
clear_rows(struct sane_thread *t)
{
   const uint32_t lanes = t->instr->dst.kind == CF_KIND_S ? UINT32_MAX : t->exec;
   CF_FOR_BITS(k, t->known->rows) {
      const struct cf_reg reg = { t->instr->dst.kind, (uint8_t)(t->instr->dst.index + k) };
      uint8_t *tags = tags_of(t, reg);
      CF_FOR_BITS(lane, has_tags(tags) ? lanes : 0)
         tags[lane] = 0;
   }
}

void
sane_settle(struct sane_thread *t, bool suspect)
{
   if (t->instr->op == CF_OP_TEX)
      tag_unwritten(t);
   if (t->any && (t->flags & SANE_STORE))
      settle_store(t);
   if (suspect || (t->any && has_tagged_operand(t)))
      settle_rows(t);
   else if (t->any)
      clear_rows(t);
}

/* ------------------------------------------------------------------ before an instruction runs */

static void
check_uniform_index(struct sane_thread *t, const struct cf_run *run)
{
   const struct sane_instr *known = t->known;
   const enum cf_kind kind = t->instr->src[0].kind;
   const uint32_t first_dw = known->end_dw ? known->first_dw : 0,
                  end_dw =
                     known->end_dw ? known->end_dw : run->stage->constants[t->instr->bank].dwords;
   if (kind != CF_KIND_V && kind != CF_KIND_S && kind != CF_KIND_U)
      return;
   CF_FOR_BITS(lane, t->exec) {
      const uint32_t dw = t->operand[0][lane] + t->instr->offset;
      if (dw - first_dw >= end_dw - first_dw)
         tag_result(t, CF_SANITIZE_UNIFORM_INDEX, lane, dw);
   }
}

static void
check_array_index(struct sane_thread *t)
{
   CF_FOR_BITS(lane, t->exec) {
      const uint32_t dw = t->operand[0][lane] + t->instr->offset;
      if (dw >= t->program->info.scratch_dwords)
         tag_result(t, CF_SANITIZE_ARRAY_INDEX, lane, dw);
   }
}

uint64_t
sane_element_number(const struct sane_thread *t, const struct cf_run *run, uint32_t lane)
{
   const struct cf_fetch *fetch = &run->stage->fetch[t->instr->slot];
   if (!fetch->divisor)
      return t->operand[0][lane];
   return (uint64_t)run->task->sys[CF_SYSVAL_BASE_INSTANCE][lane] +
          run->task->sys[CF_SYSVAL_INSTANCE_ID][lane] / fetch->divisor;
}

static void
check_attribute(struct sane_thread *t, const struct cf_task_event *event)
{
   const struct cf_fetch *fetch = &event->run->stage->fetch[t->instr->slot];
   const uint64_t count = cf_fetch_count(fetch);
   const uint32_t unwritten = t->draw->writtens ? sane_unwritten_lanes(t, event) : 0;
   CF_FOR_BITS(lane, t->exec) {
      const uint64_t number = sane_element_number(t, event->run, lane);
      if (number >= count && fetch->data)
         tag_result(t, CF_SANITIZE_ATTRIBUTE_INDEX, lane, (uint32_t)number);
      else if (unwritten >> lane & 1)
         tag_result(t, CF_SANITIZE_UNWRITTEN_ATTRIBUTE, lane, (uint32_t)number);
   }
}

/* Quads of which lanes wait elsewhere; not those that were discarded, or had no pixel. */
static void
check_quads(struct sane_thread *t, const struct cf_run *run)
{
   const struct cf_texture_unit *unit =
      t->instr->op == CF_OP_TEX ? run->stage->textures[t->instr->unit] : NULL;
   const uint32_t mode = cf_texmode_alone(t->instr->mode);
   if (t->instr->op == CF_OP_TEX &&
       (!unit || !unit->needs_lod || mode == CF_TEXMODE_LOD || mode == CF_TEXMODE_GRAD ||
        mode == CF_TEXMODE_FETCH || mode == CF_TEXMODE_SIZE))
      return;
   const uint32_t missing = t->first_exec & ~t->exec & ~t->killed;
   CF_FOR_BITS(lane, missing ? t->exec : 0) {
      if (missing >> (lane & ~3u) & 15)
         tag_result(t, CF_SANITIZE_DIVERGENCE, lane, 0);
   }
}

static void
check_projection(struct sane_thread *t)
{
   CF_FOR_BITS(lane, t->exec) {
      if ((t->operand[3][lane] & 0x7fffffff) == 0)
         tag_result(t, CF_SANITIZE_DIVISION, lane, 0);
   }
}

static void
check_divisor(struct sane_thread *t)
{
   CF_FOR_BITS(lane, t->exec) {
      if (t->operand[1][lane] == 0)
         tag_result(t, CF_SANITIZE_DIVISION, lane, 0);
   }
}

/* texelFetch of a texel that the texture has not. */
static void
check_fetch(struct sane_thread *t, const struct cf_run *run)
{
   const struct cf_texture_unit *unit = run->stage->textures[t->instr->unit];
   struct cf_texel texel;
   CF_FOR_BITS(lane, unit ? t->exec : 0) {
      const uint32_t strq[4] = { t->operand[0][lane], t->operand[1][lane], t->operand[2][lane],
                                 t->operand[3][lane] };
      if (!cf_texture_fetched(unit, strq, lane, &texel))
         tag_result(t, CF_SANITIZE_TEXEL_INDEX, lane, 0);
   }
}

static void
check_texture(struct sane_thread *t, const struct cf_run *run)
{
   const uint32_t mode = cf_texmode_alone(t->instr->mode);
   const struct cf_texture_unit *unit = run->stage->textures[t->instr->unit];
   if (!unit || unit->unorm8)
      t->flags &= ~(SANE_FLOAT | SANE_RANGE); /* from 0 to 1: there is nothing to look at */
   if (mode == CF_TEXMODE_PROJ || mode == CF_TEXMODE_FETCH)
      take_operands(t);
   if (mode == CF_TEXMODE_PROJ)
      check_projection(t);
   else if (mode == CF_TEXMODE_FETCH)
      check_fetch(t, run);
}

/* What is suspect whatever the result is. */
static void
check_before(struct sane_thread *t, const struct cf_task_event *event)
{
   const struct cf_run *run = event->run;
   memset(t->result_tag, 0, sizeof(t->result_tag));
   t->texels[0] = t->texels[1] = 0;
   if (t->instr->op == CF_OP_LDU)
      check_uniform_index(t, run);
   else if (t->instr->op == CF_OP_LDS)
      check_array_index(t);
   else if (t->instr->op == CF_OP_LDF)
      check_attribute(t, event);
   else if (t->flags & SANE_INTEGER)
      check_divisor(t);
   if (t->flags & SANE_QUAD && t->program->info.stage == CF_SHADER_STAGE_FRAGMENT)
      check_quads(t, run);
   if (t->instr->op == CF_OP_TEX)
      check_texture(t, run);
}

/* ------------------------------------------------------------------ where values arrive */

/* A place of an event's task where suspect values arrive. */
static void
arrive(struct sane_thread *t, const struct cf_task_event *event, const uint8_t *tags,
       const char *where)
{
   uint32_t lanes[SANE_BIRTHS + 1] = { 0 };
   CF_FOR_BITS(lane, t->exec & t->lanes & event->run->alive)
      lanes[tags[lane]] |= 1u << lane;
   for (uint32_t i = 0; i < t->births; i++) {
      struct sane_birth *birth = &t->birth[i];
      const uint32_t found = lanes[i + 1] & ~birth->reported;
      birth->reported |= found;
      if (found && birth->elsewhere)
         sane_follow(t, event, birth, found, where, NULL);
      else if (found)
         sane_report_birth(t, event, birth, found, where);
   }
}

/* A NaN or infinity that was loaded and goes straight to an output. */
static void
new_birth_of_load(struct sane_thread *t, uint8_t tags[CF_TASK_LANES])
{
   if (!t->sanitize->ops->has_larger(t->operand[0], CF_SANE_FINITE))
      return;
   CF_FOR_BITS(lane, t->exec & t->lanes) {
      if (!tags[lane] && !sane_is_finite(t->operand[0][lane]))
         tags[lane] = new_birth(t, CF_SANITIZE_NAN, lane, t->operand[0][lane]);
   }
}

static void
arrive_output(struct sane_thread *t, const struct cf_task_event *event)
{
   uint8_t tags[CF_TASK_LANES];
   char name[64];
   memcpy(tags, tags_of(t, t->instr->src[0]), sizeof(tags));
   if (t->instr->op == CF_OP_OUTF)
      new_birth_of_load(t, tags);
   if (!t->any)
      return;
   sane_output_name(t->program, t->instr->index, name);
   arrive(t, event, tags, name);
}

/* A store outside of the shader's arrays: it is dropped, so that nothing of it arrives elsewhere.
 */
static void
check_store(struct sane_thread *t, const struct cf_task_event *event)
{
   CF_FOR_BITS(lane, t->exec & t->lanes & event->run->alive) {
      const uint32_t dw = t->operand[0][lane] + t->instr->offset;
      const uint8_t tag =
         dw < t->program->info.scratch_dwords ? 0 : new_birth(t, CF_SANITIZE_ARRAY_INDEX, lane, dw);
      struct sane_birth *birth = tag ? &t->birth[tag - 1] : NULL;
      if (birth && !(birth->reported >> lane & 1))
         sane_report_birth(t, event, birth, 1u << lane, "no array: the store is dropped");
      if (birth)
         birth->reported |= 1u << lane;
   }
}

/* Report the suspect operands of the instruction that comes. */
static void
arrive_at(struct sane_thread *t, const struct cf_task_event *event)
{
   const struct cf_instr *instr = t->instr;
   if (t->flags & SANE_OUT)
      arrive_output(t, event);
   if (!t->any)
      return;
   if (cf_ops[instr->op].form == CF_FORM_FLOW)
      arrive(t, event, tags_of(t, instr->src[0]),
             t->flags & SANE_KILL ? "a discard" : "a branch");
   if (instr->op == CF_OP_TEX) {
      for (uint32_t k = 0; k < 4; k++)
         arrive(t, event, tags_of(t, instr->src[k]), "a texture coordinate");
   }
   if (instr->op == CF_OP_LDU || instr->op == CF_OP_LDS || instr->op == CF_OP_STS)
      arrive(t, event, tags_of(t, instr->src[0]), "an index");
}

/* ------------------------------------------------------------------ events */

void
sane_task_begin(void *user, const struct cf_task_event *event)
{
   struct sane_thread *t = sane_thread(user);
   if (!t)
      return;
   const enum cf_shader_stage stage = cf_task_stage(event);
   t->program = sane_find_draw(t, event->draw) ? t->draw->program[stage] : NULL;
   t->printing = t->program && t->program->prints ? sane_printing_lanes(t, event) : 0;
   t->printed = 0;
   if (!(t->sanitize->config.checks & CF_SANITIZE_ALL & ~(1u << CF_SANITIZE_ASSERT)) &&
       !t->printing)
      t->program = NULL; /* there is nothing to look at */
   t->run = event->run;
   t->instr = NULL;
   t->flags = 0;
   t->first_exec = event->run->exec;
   t->killed = 0;
   t->lanes = event->lanes;
   *event->kept = t->program ? t : NULL;
   if (t->any) {
      memset(t->vector, 0, sizeof(t->vector));
      memset(t->scalar, 0, sizeof(t->scalar));
      if (t->scratch_dwords)
         memset(t->scratch, 0, t->scratch_dwords * sizeof(*t->scratch));
   }
   t->any = false;
   t->births = 0;
}

void
sane_look(struct sane_thread *t, const struct cf_task_event *event)
{
   if (t->any || t->instr->op != CF_OP_TEX) /* few samples need theirs */
      take_operands(t);
   if (t->flags & (SANE_LOAD | SANE_QUAD | SANE_INTEGER))
      check_before(t, event);
   if (t->flags & SANE_STORE)
      check_store(t, event);
   arrive_at(t, event);
   if (t->flags & SANE_PRINT && t->printing)
      sane_print_store(t, event);
   if (t->flags & SANE_KILL) {
      CF_FOR_BITS(lane, t->exec)
         t->killed |= (uint32_t)(t->operand[0][lane] != 0) << lane;
   }
}

void
sane_task_end(void *user, const struct cf_task_event *event)
{
   struct sane_thread *t = *event->kept;
   const struct cf_task *task = event->run->task;
   if (!t || event->quad || task->timed_out || !t->draw->positions ||
       !sane_checks(t->sanitize, CF_SANITIZE_INFINITY))
      return;
   uint32_t found = 0;
   CF_FOR_BITS(lane, event->lanes) {
      bool finite = (task->out[3][lane] & 0x7fffffff) != 0;
      for (uint32_t k = 0; k < 4; k++)
         finite = finite && sane_is_finite(task->out[k][lane]);
      found |= (uint32_t)!finite << lane;
   }
   if (found)
      sane_report_position(t, event, found);
}
