/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_check.h"

#include "clipfree/isa/cf_isa.h"

#define MAX_PX 16384
#define MAX_LAYERS 65536
#define MAX_NESTING 64
#define MAX_BUFFERS (1u << 20)
#define MAX_ELEMENT_B 64

static bool
good_number(uint32_t number, size_t count)
{
   return number == CF_SIM_NONE || number < count;
}

static bool
good_op(const struct cf_sim_chunk *c, const struct cf_sim_op *op)
{
   bool good = op->width_px <= MAX_PX && op->height_px <= MAX_PX && op->samples >= 1 &&
               op->samples <= CF_SAMPLES && op->colors <= CF_MAX_COLOR_TARGETS;
   for (uint32_t i = 0; i < CF_SIM_UNITS; i++)
      good &= (op->texture[i] == CF_SIM_NONE || op->texture[i] < c->textures) &&
              (op->vertex_texture[i] == CF_SIM_NONE || op->vertex_texture[i] < c->textures);
   for (uint32_t i = 0; i < CF_MAX_COLOR_TARGETS; i++)
      good &= op->color_image[i] == CF_SIM_NONE || op->color_image[i] < MAX_PX;
   for (uint32_t i = 0; i < CF_SIM_STAGES; i++)
      good &=
         good_number(op->program[i], c->programs) && good_number(op->constants[i], MAX_BUFFERS);
   for (uint32_t i = 0; i < CF_SIM_ELEMENTS; i++)
      good &= op->element[i].buffer == CF_SIM_NONE ||
              (op->element[i].buffer < MAX_BUFFERS && op->element[i].size_B <= MAX_ELEMENT_B);
   good &= good_number(op->index_buffer, MAX_BUFFERS) && op->index_B <= 4;
   return good && (op->zs_image == CF_SIM_NONE || op->zs_image < MAX_PX);
}

static bool
good_texture(const struct cf_sim_texture *t)
{
   return t->width_px >= 1 && t->width_px <= MAX_PX && t->height_px >= 1 &&
          t->height_px <= MAX_PX && t->layers >= 1 && t->layers <= MAX_LAYERS && t->levels >= 1 &&
          t->levels <= CF_MAX_TEXTURE_LEVELS && t->texel_bits >= 1 && t->texel_bits <= 256;
}

/* Whether an instruction fits what is open: if, else or loop. Changes what is open. */
static bool
good_nesting(const struct cf_instr *instr, enum cf_op open[MAX_NESTING], uint32_t *depth)
{
   const enum cf_op top = *depth ? open[*depth - 1] : CF_OP_END; /* END: nothing is open */
   switch (instr->op) {
   case CF_OP_IF:
   case CF_OP_LOOP:
      if (*depth == MAX_NESTING)
         return false;
      open[(*depth)++] = instr->op;
      return true;
   case CF_OP_ELSE:
      if (top != CF_OP_IF)
         return false;
      open[*depth - 1] = CF_OP_ELSE;
      return true;
   case CF_OP_ENDIF:
      if (top != CF_OP_IF && top != CF_OP_ELSE)
         return false;
      (*depth)--;
      return true;
   case CF_OP_ENDLOOP:
      if (top != CF_OP_LOOP)
         return false;
      (*depth)--;
      return true;
   default:
      return true;
   }
}

/* Whether lanes that leave go forward, and loops back. */
static bool
good_target(const struct cf_instr *instr, uint32_t at)
{
   const enum cf_form form = cf_op_info(instr->op)->form;
   if (instr->op == CF_OP_ENDLOOP)
      return instr->target <= at;
   return (form != CF_FORM_FLOW && form != CF_FORM_FLOW_TARGET) || instr->target > at;
}

/* Whether instructions decode, targets are inside, constructs are nested, and `end` is the last. */
static bool
good_program(const struct cf_sim_chunk *c, const struct cf_sim_program *p)
{
   enum cf_op open[MAX_NESTING];
   uint32_t depth = 0;
   if (p->count < 1 || p->first > c->codes || p->count > c->codes - p->first ||
       p->count > UINT16_MAX + 1u || p->vector_regs > 128 || p->scalar_regs > 128)
      return false;
   for (uint32_t i = 0; i < p->count; i++) {
      struct cf_instr instr;
      const char *why;
      if (!cf_instr_decode(c->code[p->first + i], &instr, &why) || instr.target >= p->count ||
          !good_target(&instr, i) || !good_nesting(&instr, open, &depth) ||
          (instr.op == CF_OP_END) != (i == p->count - 1))
         return false;
   }
   return depth == 0;
}

/* Whether a place lies in the tile. */
static bool
in_tile(uint32_t place, uint32_t tile)
{
   return (place & 0xffff) / CF_TILE_PX == tile % CF_SIM_TILES_ACROSS &&
          (place >> 16) / CF_TILE_PX == tile / CF_SIM_TILES_ACROSS;
}

/* Quads of a task, or 0: it is damaged. */
static uint32_t
task_quads(const struct cf_sim_chunk *c, const uint32_t *dw, uint32_t dwords, uint32_t tile)
{
   const uint32_t quads = dw[0] >> 16;
   if (quads < 1 || quads > CF_SIM_QUADS || dwords != CF_SIM_TASK_DW + 2 * quads || dw[1] >= c->ops)
      return 0;
   for (uint32_t q = 0; q < quads; q++) {
      if (!in_tile(dw[CF_SIM_TASK_DW + 2 * q + 1], tile))
         return 0;
   }
   return quads;
}

static bool
good_tile(const struct cf_sim_chunk *c, const struct cf_sim_tile *t, uint32_t number)
{
   uint32_t quads = 0;
   bool own = false; /* the task has a sample with coordinates of its own */
   for (size_t at = 0; at < t->count;) {
      const uint32_t *dw = t->dw + at, dwords = cf_sim_dwords(dw[0]);
      bool good = dwords > 0 && dwords <= t->count - at;
      switch (good ? cf_sim_kind(dw[0]) : 0) {
      case CF_SIM_TASK:
         own = false;
         good = dwords > CF_SIM_TASK_DW && (quads = task_quads(c, dw, dwords, number)) > 0;
         break;
      case CF_SIM_SAMPLE:
         good = quads > 0 &&
                (dw[0] >> CF_SIM_MOVED_BIT & 1 ? own && dwords == CF_SIM_MOVED_DW
                                               : dwords == CF_SIM_SAMPLE_DW + 4 * quads) &&
                (dw[0] >> 21 & 15) < CF_MAX_TEXTURE_LEVELS && dw[1] != 0 &&
                ((uint64_t)dw[1] >> 4 * quads) == 0;
         own = true;
         break;
      case CF_SIM_TEXEL:
         good = quads > 0 && dwords == CF_SIM_TEXEL_DW && (dw[1] & 255) < 4 * quads &&
                (dw[0] >> 21 & 15) < CF_MAX_TEXTURE_LEVELS;
         break;
      case CF_SIM_BRANCH:
         good = quads > 0 && dwords == CF_SIM_BRANCH_DW;
         break;
      case CF_SIM_REFERENCE:
         good = quads > 0 && dwords == CF_SIM_REFERENCE_DW + (dw[0] >> 16 & 1 ? 1 : 4 * quads);
         break;
      case CF_SIM_EARLY_TEST:
         good = dwords == 4 && dw[1] < c->ops && in_tile(dw[3], number);
         break;
      case CF_SIM_CLEARED:
         good = dwords == 4 && dw[1] < c->ops && in_tile(dw[2], number);
         break;
      default:
         good = false;
      }
      if (!good)
         return false;
      at += dwords;
   }
   return true;
}

static bool
is_draw(const struct cf_sim_chunk *c, uint32_t op)
{
   return op < c->ops && !(c->op[op].flags & (CF_SIM_CLEAR | CF_SIM_TRANSFER));
}

/* Whether vertices and primitives are those of draws, in order. */
static bool
good_draws(const struct cf_sim_chunk *c)
{
   bool good = true;
   for (size_t i = 0; i < c->vertices; i++)
      good &= is_draw(c, c->vertex[i].op) && (i == 0 || c->vertex[i - 1].op <= c->vertex[i].op);
   for (size_t i = 0; i < c->primitives; i++)
      good &=
         is_draw(c, c->primitive[i].op) && (i == 0 || c->primitive[i - 1].op <= c->primitive[i].op);
   return good;
}

const char *
cf_sim_check(const struct cf_sim_chunk *c)
{
   bool good = true;
   for (size_t i = 0; i < c->textures; i++)
      good &= good_texture(&c->texture[i]);
   for (size_t i = 0; i < c->programs; i++)
      good &= good_program(c, &c->program[i]);
   for (size_t i = 0; i < c->ops; i++)
      good &= good_op(c, &c->op[i]);
   good &= good_draws(c);
   for (size_t i = 0; i < c->vertex_texels; i++)
      good &= c->vertex_texel[i].op < c->ops && c->vertex_texel[i].texture_unit < CF_SIM_UNITS &&
              c->vertex_texel[i].level < CF_MAX_TEXTURE_LEVELS;
   for (size_t i = 0; i < c->vertex_steps; i++)
      good &= c->vertex_step[i].op < c->ops;
   if (!good)
      return "a draw, program, texture, vertex or primitive has numbers that are not possible";
   for (uint32_t i = 0; i < c->tiles; i++) {
      if (!good_tile(c, &c->tile[i], i))
         return "a tile has a record that is not possible";
   }
   return NULL;
}
