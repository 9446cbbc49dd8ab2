/* SPDX-License-Identifier: MIT */
#include "clipfree/sanitize/cf_sane_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/shader/cf_run.h"
#include "clipfree/texture/cf_texture.h"

/* ------------------------------------------------------------------ scratch */

uint8_t
sane_scratch_tag(const struct sane_thread *t, uint32_t lane)
{
   const uint32_t dw = t->operand[0][lane] + t->instr->offset;
   return dw < t->scratch_dwords ? t->scratch[dw][lane] : 0;
}

void
sane_scratch_store(struct sane_thread *t, uint32_t lane, uint8_t tag)
{
   const uint32_t dw = t->operand[0][lane] + t->instr->offset,
                  dwords = t->program->info.scratch_dwords;
   if (t->scratch_dwords < dwords) {
      uint8_t(*grown)[CF_TASK_LANES] = realloc(t->scratch, dwords * sizeof(*grown));
      if (!grown)
         return;
      memset(grown + t->scratch_dwords, 0, (dwords - t->scratch_dwords) * sizeof(*grown));
      t->scratch = grown;
      t->scratch_dwords = dwords;
   }
   if (dw < t->scratch_dwords)
      t->scratch[dw][lane] = tag;
}

/* ------------------------------------------------------------------ words */

static double
value_of(uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof(value));
   return value != value ? __builtin_nan("") : value; /* no sign: a host's matter */
}

/* "fmad(1, 2, nan) is nan" */
static void
print_operation(const struct sane_birth *birth, uint32_t lane, char *text, size_t text_B)
{
   const struct cf_op_info *op = &cf_ops[birth->code->op];
   size_t length = (size_t)snprintf(text, text_B, "%s(", op->name);
   for (uint32_t k = 0; k < op->sources && length < text_B; k++)
      length += (size_t)snprintf(text + length, text_B - length, "%s%.6g", k ? ", " : "",
                                 value_of(birth->operand[k][lane]));
   if (length < text_B)
      snprintf(text + length, text_B - length, ") is %.6g", value_of(birth->result[lane]));
}

bool
sane_is_loaded(const struct sane_birth *birth, uint32_t lane)
{
   for (uint32_t k = 0; k < cf_ops[birth->code->op].sources; k++) {
      if (!sane_is_finite(birth->operand[k][lane]))
         return true;
   }
   return false;
}

static void
print_uniform_index(const struct sane_thread *t, const struct sane_birth *birth, uint32_t lane,
                    char *text, size_t text_B)
{
   const struct sane_instr *known = &t->program->instr[birth->instr];
   const int32_t dw = (int32_t)birth->result[lane];
   const uint32_t bank = birth->code->bank;
   if (!known->end_dw) {
      char block[48] = "";
      if (bank)
         snprintf(block, sizeof(block), " (uniform block %u of the stage)", bank - 1);
      snprintf(text, text_B, "dword %d of constant bank %u%s, which has not as many", dw, bank,
               block);
      return;
   }
   const int32_t stride_dw = (int32_t)known->stride_dw, offset_dw = dw - (int32_t)known->first_dw;
   snprintf(text, text_B, "index %d of a uniform of %u vectors",
            offset_dw < 0 ? -((stride_dw - 1 - offset_dw) / stride_dw) : offset_dw / stride_dw,
            (known->end_dw - known->first_dw + known->stride_dw - 1) / known->stride_dw);
}

static void
print_division(const struct sane_birth *birth, uint32_t lane, char *text, size_t text_B)
{
   switch (birth->code->op) {
   case CF_OP_FDIV:
      snprintf(text, text_B, "%.6g / %.6g", value_of(birth->operand[0][lane]),
               value_of(birth->operand[1][lane]));
      break;
   case CF_OP_FRCP:
      snprintf(text, text_B, "1 / %.6g", value_of(birth->operand[0][lane]));
      break;
   case CF_OP_TEX:
      snprintf(text, text_B, "a projected coordinate divided by 0");
      break;
   default:
      snprintf(text, text_B, "the integer %d divided by 0", (int32_t)birth->operand[0][lane]);
   }
}

/* "texel 16,3 of level 0; texture unit 1 has 16 x 16 x 1 and levels 0 to 4" */
static void
print_fetch(const struct cf_texture_unit *unit, const struct sane_birth *birth, uint32_t lane,
            char *text, size_t text_B)
{
   const struct cf_texture *texture = &unit->texture;
   const bool samples = texture->samples > 1;
   const uint32_t axes = unit->dims + unit->array, q = birth->operand[3][lane],
                  last =
                     samples ? texture->samples - 1 : texture->last_level - texture->first_level;
   const struct cf_texture_level *level =
      &unit->level[texture->first_level + (samples || q > last ? 0 : q)];
   const char *what = samples ? "sample" : "level";
   size_t length = (size_t)snprintf(text, text_B, "texel %d", (int32_t)birth->operand[0][lane]);
   for (uint32_t a = 1; a < axes && length < text_B; a++)
      length +=
         (size_t)snprintf(text + length, text_B - length, ",%d", (int32_t)birth->operand[a][lane]);
   if (length < text_B)
      snprintf(text + length, text_B - length,
               " of %s %d; texture unit %u has %u x %u x %u and %ss 0 to %u", what, (int32_t)q,
               birth->code->unit, level->width_px, level->height_px, level->depth_px, what, last);
}

/* What happened in a lane. */
static void
print_birth(const struct sane_thread *t, const struct cf_run *run, const struct sane_birth *birth,
            uint32_t lane, char *text, size_t text_B)
{
   const double operand = value_of(birth->operand[0][lane]);
   switch (birth->check) {
   case CF_SANITIZE_DIVISION:
      print_division(birth, lane, text, text_B);
      break;
   case CF_SANITIZE_POW:
      snprintf(text, text_B, "pow of %.6g", operand);
      break;
   case CF_SANITIZE_NORMALIZE:
      snprintf(text, text_B, "normalize of a vector of length 0");
      break;
   case CF_SANITIZE_INVERSESQRT:
   case CF_SANITIZE_SQRT:
   case CF_SANITIZE_LOG:
      snprintf(text, text_B, "%s of %.6g", cf_sanitize_name(birth->check), operand);
      break;
   case CF_SANITIZE_UNIFORM_INDEX:
      print_uniform_index(t, birth, lane, text, text_B);
      break;
   case CF_SANITIZE_ARRAY_INDEX:
      snprintf(text, text_B, "dword %d of a shader's arrays, which have %u",
               (int32_t)birth->result[lane], t->program->info.scratch_dwords);
      break;
   case CF_SANITIZE_ATTRIBUTE_INDEX:
      snprintf(text, text_B, "vertex element %u is read at %u, beyond the end of its buffer",
               birth->code->slot, birth->result[lane]);
      break;
   case CF_SANITIZE_TEXEL_INDEX:
      print_fetch(run->stage->textures[birth->code->unit], birth, lane, text, text_B);
      break;
   case CF_SANITIZE_MEDIUMP:
      snprintf(text, text_B, "%.6g is outside of %s", value_of(birth->result[lane]),
               t->program->instr[birth->instr].most > 2 ? "mediump" : "lowp");
      break;
   case CF_SANITIZE_UNWRITTEN_ATTRIBUTE:
      snprintf(text, text_B, "vertex element %u is read at %u, where its buffer was never written",
               birth->code->slot, birth->result[lane]);
      break;
   case CF_SANITIZE_UNWRITTEN_TEXEL:
      snprintf(text, text_B, "texel %u,%u of texture unit %u was never written",
               birth->result[lane] & 0xffff, birth->result[lane] >> 16, birth->code->unit);
      break;
   case CF_SANITIZE_DIVERGENCE:
      snprintf(text, text_B, "%s where not all pixels of the quad are",
               birth->code->op == CF_OP_TEX ? "a texture's level of detail" : "a derivative");
      break;
   default:
      print_operation(birth, lane, text, text_B);
      if (sane_is_loaded(birth, lane))
         snprintf(text + strlen(text), text_B - strlen(text), ", of a value that was loaded");
   }
}

void
sane_take_lane(const struct cf_task_event *event, uint32_t lane, struct cf_sanitize_report *report)
{
   if (event->quad) {
      const struct cf_task_quad *quad = &event->quad[lane / 4];
      report->stage = CF_SHADER_STAGE_FRAGMENT;
      report->has_pixel = true;
      report->x_px = quad->x_px + (lane & 1);
      report->y_px = quad->y_px + (lane >> 1 & 1);
      report->primitive = quad->primitive;
   } else {
      report->stage = cf_task_stage(event);
      report->has_vertex = true;
      report->vertex = event->vertex[lane];
      report->instance = event->instance[lane];
   }
}

void
sane_report_birth(const struct sane_thread *t, const struct cf_task_event *event,
                  const struct sane_birth *birth, uint32_t lanes, const char *where)
{
   struct cf_sanitize_report report = { .check = birth->check,
                                        .program = t->program->descriptor,
                                        .instr = birth->instr };
   const uint32_t both = lanes & birth->lanes, lane = (uint32_t)__builtin_ctz(both ? both : lanes),
                  of_lane = both ? lane : (uint32_t)__builtin_ctz(birth->lanes);
   _Atomic(struct cf_sanitize_report *) *place =
      &t->program->place[birth->instr * CF_SANITIZE_COUNT + birth->check];
   char text[sizeof(report.message)];
   sane_take_lane(event, lane, &report);
   sane_take_line(t->program, &report);
   if (!atomic_load(place))
      sane_take_through(t, birth, &report);
   print_birth(t, event->run, birth, of_lane, text, sizeof(text));
   snprintf(report.message, sizeof(report.message), "%.90s; it reaches %s", text, where);
   struct cf_sanitize_report *known =
      sane_report(t->sanitize, t->draw, place, (uint32_t)__builtin_popcount(lanes), &report);
   sane_follow(t, event, birth, lanes, where, known);
}

void
sane_report_position(const struct sane_thread *t, const struct cf_task_event *event, uint32_t lanes)
{
   struct cf_sanitize_report report = { .check = CF_SANITIZE_INFINITY,
                                        .program = t->program->descriptor,
                                        .instr = CF_SANITIZE_NO_INSTR };
   const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
   const uint32_t(*out)[CF_TASK_LANES] = event->run->task->out;
   sane_take_lane(event, lane, &report);
   snprintf(report.message, sizeof(report.message), "gl_Position is (%.6g, %.6g, %.6g, %.6g)",
            value_of(out[0][lane]), value_of(out[1][lane]), value_of(out[2][lane]),
            value_of(out[3][lane]));
   sane_report(t->sanitize, t->draw, &t->program->position, (uint32_t)__builtin_popcount(lanes),
               &report);
}
