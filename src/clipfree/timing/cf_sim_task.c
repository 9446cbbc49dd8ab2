/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_task.h"

void
cf_sim_task_begin(struct cf_sim_task *t, const struct cf_sim_chunk *chunk, enum cf_sim_stage stage,
                  uint32_t op, const struct cf_sim_code *code)
{
   t->stage = stage;
   t->chunk = chunk;
   t->op = &chunk->op[op];
   t->code = code;
   t->groups = 0;
   t->exec = t->alive = 0;
   t->moved = true;
   t->lost = t->done = false;
}

void
cf_sim_task_add_quad(struct cf_sim_task *t, const struct cf_sim_samples *samples, uint32_t covered)
{
   t->quad[t->groups] = *samples;
   t->exec |= (cf_sim_lanes)15 << 4 * t->groups;
   t->alive |= (cf_sim_lanes)covered << 4 * t->groups;
   t->groups++;
}

/* Whether what a vertex did comes after (op, instance, element). */
#define REACHED(s, v)                                                                              \
   ((s)->op != (v)->op               ? (s)->op > (v)->op                                           \
    : (s)->instance != (v)->instance ? (s)->instance > (v)->instance                               \
                                     : (s)->element >= (v)->element)

void
cf_sim_task_find_vertex(const struct cf_sim_chunk *c, size_t vertex, size_t *texel, size_t *step)
{
   const struct cf_sim_vertex *v = &c->vertex[vertex];
   while (*texel < c->vertex_texels && !REACHED(&c->vertex_texel[*texel], v))
      (*texel)++;
   while (*step < c->vertex_steps && !REACHED(&c->vertex_step[*step], v))
      (*step)++;
}

void
cf_sim_task_add_vertex(struct cf_sim_task *t, size_t texel, size_t step)
{
   const uint32_t lane = (uint32_t)__builtin_ctz(~(uint32_t)t->exec);
   t->texel[lane] = texel;
   t->step[lane] = step;
   t->order[lane] = 0;
   t->exec |= (cf_sim_lanes)1 << lane;
   t->alive = t->exec;
   t->groups = lane / 4 + 1;
}

/* ------------------------------------------------------------------ what vertices did */

/* A vertex's next step, if it is one of instruction `at`. NULL: it is not. */
static const struct cf_sim_vertex_step *
vertex_step(struct cf_sim_task *t, uint32_t at, uint32_t lane)
{
   const struct cf_sim_chunk *c = t->chunk;
   const struct cf_sim_vertex *v = &c->vertex[t->first_vertex + lane];
   if (t->step[lane] >= c->vertex_steps)
      return NULL;
   const struct cf_sim_vertex_step *s = &c->vertex_step[t->step[lane]];
   if (s->op != v->op || s->instance != v->instance || s->element != v->element ||
       s->order != t->order[lane] || s->at != at)
      return NULL;
   t->order[lane]++;
   t->step[lane]++;
   return s;
}

static const struct cf_sim_vertex_texel *
vertex_texel(struct cf_sim_task *t, uint32_t at, uint32_t lane)
{
   const struct cf_sim_chunk *c = t->chunk;
   const struct cf_sim_vertex *v = &c->vertex[t->first_vertex + lane];
   if (t->texel[lane] >= c->vertex_texels)
      return NULL;
   const struct cf_sim_vertex_texel *x = &c->vertex_texel[t->texel[lane]];
   if (x->op != v->op || x->instance != v->instance || x->element != v->element ||
       x->order != t->order[lane] || x->at != at)
      return NULL;
   t->order[lane]++;
   t->texel[lane]++;
   return x;
}

/* ------------------------------------------------------------------ branches */

/* Lanes in which the branch at `at` is taken. Lanes without an outcome leave the mask. */
static cf_sim_lanes
taken_by_vertices(struct cf_sim_task *t, uint32_t at)
{
   cf_sim_lanes taken = 0;
   for (uint32_t lane = 0; lane < CF_SIM_LANES; lane++) {
      if (!(t->exec >> lane & 1))
         continue;
      const struct cf_sim_vertex_step *s = vertex_step(t, at, lane);
      t->lost |= !s;
      taken |= (cf_sim_lanes)(s && s->value) << lane;
   }
   return taken;
}

static cf_sim_lanes
taken_by_quads(struct cf_sim_task *t, uint32_t at)
{
   cf_sim_lanes taken = 0;
   for (uint32_t g = 0; g < t->groups; g++) {
      const uint32_t here = cf_sim_task_group(t, g);
      uint32_t lanes = 0, of_quad = 0;
      if (!here)
         continue;
      t->lost |= !cf_sim_samples_branch(&t->quad[g], at, &lanes, &of_quad);
      t->exec &= ~((cf_sim_lanes)(15 & ~lanes) << 4 * g);
      taken |= (cf_sim_lanes)(of_quad & here) << 4 * g;
   }
   return taken;
}

static cf_sim_lanes
outcome(struct cf_sim_task *t, uint32_t at)
{
   t->moved = true;
   return (t->stage == CF_SIM_STAGE_VERTEX ? taken_by_vertices : taken_by_quads)(t, at);
}

/* Groups with a lane of the mask, all their lanes. */
static cf_sim_lanes
whole_groups(cf_sim_lanes lanes)
{
   const cf_sim_lanes ones = ~(cf_sim_lanes)0 / 15; /* bit 0 of each group */
   const cf_sim_lanes any = (lanes | lanes >> 1 | lanes >> 2 | lanes >> 3) & ones;
   return any * 15;
}

/* The number of the next instruction, where lanes have left. */
static uint32_t
next_instruction(const struct cf_sim_task *t, const struct cf_sim_instr *i, uint32_t at)
{
   return t->exec ? at + 1 : i->target;
}

static uint32_t
end_loop(struct cf_sim_task *t, const struct cf_sim_instr *i, uint32_t at)
{
   t->exec |= t->continued[i->slot];
   t->continued[i->slot] = 0;
   if (t->exec && !t->moved)
      t->lost = true;
   if (t->exec) {
      t->moved = false;
      return i->target;
   }
   t->exec = t->waiting[i->slot];
   return at + 1;
}

/* What the instructions of control flow do (isa.toml). */
static uint32_t
flow(struct cf_sim_task *t, const struct cf_sim_instr *i, uint32_t at)
{
   cf_sim_lanes lanes;
   switch (i->op) {
   case CF_OP_IF:
      lanes = outcome(t, at);
      t->waiting[i->slot] = t->exec & ~lanes;
      t->exec &= lanes;
      return next_instruction(t, i, at);
   case CF_OP_ELSE:
      lanes = t->waiting[i->slot];
      t->waiting[i->slot] = t->exec;
      t->exec = lanes;
      return next_instruction(t, i, at);
   case CF_OP_ENDIF:
      t->exec |= t->waiting[i->slot];
      return at + 1;
   case CF_OP_LOOP:
      t->waiting[i->slot] = t->continued[i->slot] = 0;
      return at + 1;
   case CF_OP_BRK:
   case CF_OP_CONT:
      lanes = outcome(t, at);
      (i->op == CF_OP_BRK ? t->waiting : t->continued)[i->slot] |= lanes;
      t->exec &= ~lanes;
      return next_instruction(t, i, at);
   case CF_OP_ENDLOOP:
      return end_loop(t, i, at);
   case CF_OP_KILL:
      t->exec &= ~outcome(t, at);
      return next_instruction(t, i, at);
   case CF_OP_DEMOTE:
      t->alive &= ~outcome(t, at);
      t->exec &= whole_groups(t->alive);
      return next_instruction(t, i, at);
   default:
      return at + 1;
   }
}

uint32_t
cf_sim_task_flow(struct cf_sim_task *t, uint32_t at)
{
   const uint32_t next = flow(t, &t->code->instr[at], at);
   t->lanes = cf_sim_count_lanes(t->exec);
   return t->lost ? t->code->count - 1 : next;
}

/* ------------------------------------------------------------------ references and samples */

bool
cf_sim_task_reference(struct cf_sim_task *t, uint32_t at, uint32_t *dword)
{
   bool found = false, same = true;
   for (uint32_t g = 0; g < t->groups; g++) {
      uint32_t lanes = cf_sim_task_group(t, g), of_group[4] = { 0 };
      if (t->stage == CF_SIM_STAGE_FRAGMENT &&
          (!lanes || !cf_sim_samples_reference(&t->quad[g], at, of_group)))
         continue;
      for (uint32_t l = 0; l < 4; l++) {
         const struct cf_sim_vertex_step *s = NULL;
         if (!(lanes >> l & 1))
            continue;
         if (t->stage == CF_SIM_STAGE_VERTEX && (s = vertex_step(t, at, 4 * g + l)))
            of_group[l] = s->value;
         same &= !found || of_group[l] == *dword;
         *dword = found ? *dword : of_group[l];
         found = true;
      }
   }
   return same;
}

/* The texels that the lanes of four vertices read, all at once. */
static bool
vertex_sample(struct cf_sim_task *t, uint32_t at, uint32_t group,
              const struct cf_sim_layout *layout, struct cf_sim_sample_lines *lines)
{
   *lines = (struct cf_sim_sample_lines){ 0 };
   for (uint32_t lane = 4 * group; lane < 4 * group + 4; lane++) {
      const struct cf_sim_vertex_texel *x;
      const uint32_t before = lines->texels;
      while (t->exec >> lane & 1 && (x = vertex_texel(t, at, lane))) {
         const uint32_t number = t->op->vertex_texture[x->texture_unit];
         lines->texels++;
         if (number < layout->textures)
            cf_sim_sample_lines_add(lines, &layout->texture[number], x->level, x->layer, x->x_px,
                                    x->y_px);
      }
      lines->pixels += lines->texels > before;
   }
   return lines->texels > 0;
}

bool
cf_sim_task_sample(struct cf_sim_task *t, uint32_t at, uint32_t group,
                   const struct cf_sim_layout *layout, struct cf_sim_sample_lines *lines)
{
   if (t->stage == CF_SIM_STAGE_VERTEX)
      return vertex_sample(t, at, group, layout, lines);
   return cf_sim_task_group(t, group) && cf_sim_samples_at(&t->quad[group], at, lines);
}
