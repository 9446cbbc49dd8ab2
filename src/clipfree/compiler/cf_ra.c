/* SPDX-License-Identifier: MIT */
/*
 * Register allocation: coalesce moves, then first fit over live ranges; if some do not fit, spill
 * and repeat.
 *
 * Registers joined by a move share one "web" if no member is written while another holds a
 * different value. Webs take, in order of their first position, the lowest register that is free
 * over their whole range; the four webs of a group take four consecutive ones.
 */
#include "cf_liveness.h"

#include <stdlib.h>

#include "util/bitset.h"
#include "util/macros.h"
#include "util/ralloc.h"

#define MAX_ROUNDS 64

struct web {
   struct cf_range range;
   uint32_t *defs; /* instructions that write it */
   unsigned def_count, def_capacity;
   float weight;    /* spill cost: reads and writes, weighted by loop depth */
   uint32_t leader; /* of the group it belongs to, or CF_NO_VREG */
   bool no_spill, spilled;
   int reg; /* -1: none yet */
};

struct allocation {
   void *mem_ctx;
   struct cf_ir *ir;
   struct cf_liveness *live;
   uint32_t *parent;                /* union-find over virtual registers */
   struct web *webs;                /* valid at roots */
   BITSET_WORD *busy[2][CF_MAX_REGS]; /* [scalar]: positions at which the register is taken */
   unsigned positions;
   unsigned used[2];
};

static uint32_t
root(struct allocation *a, uint32_t v)
{
   while (a->parent[v] != v)
      v = a->parent[v] = a->parent[a->parent[v]];
   return v;
}

static float
depth_weight(unsigned depth)
{
   return depth == 0 ? 1.0f : depth == 1 ? 10.0f : depth == 2 ? 100.0f : 1000.0f;
}

static void
add_def(struct allocation *a, struct web *w, uint32_t i)
{
   if (w->def_count == w->def_capacity) {
      w->def_capacity = MAX2(2, w->def_capacity * 2);
      w->defs = reralloc(a->mem_ctx, w->defs, uint32_t, w->def_capacity);
   }
   w->defs[w->def_count++] = i;
}

static void
make_webs(struct allocation *a)
{
   struct cf_ir *ir = a->ir;
   a->parent = ralloc_array(a->mem_ctx, uint32_t, ir->vreg_count + 1);
   a->webs = rzalloc_array(a->mem_ctx, struct web, ir->vreg_count + 1);
   for (uint32_t v = 0; v < ir->vreg_count; v++) {
      const struct cf_vreg *vreg = &ir->vregs[v];
      a->parent[v] = v;
      a->webs[v] =
         (struct web){ .range = a->live->ranges[v], .no_spill = vreg->no_spill, .reg = -1 };
      a->webs[v].leader = vreg->grouped ? v - vreg->component : CF_NO_VREG;
   }
   for (unsigned i = 0; i < ir->count; i++) {
      float weight = depth_weight(a->live->depth[i]);
      for (unsigned c = 0; c < cf_ir_defs(&ir->instrs[i]); c++) {
         add_def(a, &a->webs[ir->instrs[i].dst + c], i);
         a->webs[ir->instrs[i].dst + c].weight += weight;
      }
      for (unsigned s = 0; s < 4; s++) {
         if (ir->instrs[i].src[s].kind == CF_SRC_VREG)
            a->webs[ir->instrs[i].src[s].value].weight += weight;
      }
   }
}

/* ---- coalescing */

/* True if some write of web x happens while web y holds a value still needed that is not the one
 * written. */
static bool
clobbers(struct allocation *a, uint32_t x, uint32_t y)
{
   const struct web *wx = &a->webs[x], *wy = &a->webs[y];
   for (unsigned k = 0; k < wx->def_count; k++) {
      uint32_t i = wx->defs[k];
      const struct cf_ir_instr *instr = &a->ir->instrs[i];
      if (instr->op == CF_OP_MOV && instr->src[0].kind == CF_SRC_VREG &&
          root(a, instr->src[0].value) == y)
         continue;
      if (cf_range_contains(&wy->range, 2 * i + 1) ||
          (cf_ir_defs(instr) == 4 && cf_range_contains(&wy->range, 2 * i)))
         return true;
   }
   return false;
}

static void
merge(struct allocation *a, uint32_t x, uint32_t y)
{
   struct web *wx = &a->webs[x], *wy = &a->webs[y];
   /* the web of a group member stays the root, so that its number stays aligned in the group */
   if (wy->leader != CF_NO_VREG) {
      merge(a, y, x);
      return;
   }
   a->parent[y] = x;
   cf_range_merge(a->mem_ctx, &wx->range, &wy->range);
   for (unsigned k = 0; k < wy->def_count; k++)
      add_def(a, wx, wy->defs[k]);
   wx->weight += wy->weight;
   wx->no_spill |= wy->no_spill;
}

static void
coalesce_move(struct allocation *a, const struct cf_ir_instr *mov)
{
   if (mov->op != CF_OP_MOV || mov->src[0].kind != CF_SRC_VREG)
      return;
   uint32_t x = root(a, mov->dst), y = root(a, mov->src[0].value);
   if (x == y || a->ir->vregs[x].scalar != a->ir->vregs[y].scalar)
      return;
   if (a->webs[x].leader != CF_NO_VREG && a->webs[y].leader != CF_NO_VREG)
      return;
   if (!clobbers(a, x, y) && !clobbers(a, y, x))
      merge(a, x, y);
}

/* Moves in the deepest loops first. */
static void
coalesce(struct allocation *a)
{
   unsigned deepest = 0;
   for (unsigned i = 0; i < a->ir->count; i++)
      deepest = MAX2(deepest, a->live->depth[i]);
   for (int depth = deepest; depth >= 0; depth--) {
      for (unsigned i = 0; i < a->ir->count; i++) {
         if (a->live->depth[i] == depth)
            coalesce_move(a, &a->ir->instrs[i]);
      }
   }
}

/* ---- assignment */

static bool
is_free(struct allocation *a, bool scalar, unsigned reg, const struct cf_range *range)
{
   const BITSET_WORD *busy = a->busy[scalar][reg];
   if (!busy)
      return true;
   for (unsigned k = 0; k < range->count; k++) {
      uint32_t begin = range->segments[k].begin, end = range->segments[k].end;
      for (uint32_t w = begin / 32; w <= (end - 1) / 32; w++) {
         uint32_t mask = ~0u;
         if (w == begin / 32)
            mask &= ~0u << (begin % 32);
         if (w == (end - 1) / 32)
            mask &= ~0u >> (31 - (end - 1) % 32);
         if (busy[w] & mask)
            return false;
      }
   }
   return true;
}

static void
occupy(struct allocation *a, bool scalar, uint32_t v, int reg)
{
   struct web *w = &a->webs[v];
   if (!a->busy[scalar][reg])
      a->busy[scalar][reg] = rzalloc_array(a->mem_ctx, BITSET_WORD, BITSET_WORDS(a->positions) + 1);
   for (unsigned k = 0; k < w->range.count; k++)
      BITSET_SET_RANGE(a->busy[scalar][reg], w->range.segments[k].begin,
                       w->range.segments[k].end - 1);
   w->reg = reg;
   a->used[scalar] = MAX2(a->used[scalar], (unsigned)reg + 1);
}

static void
release(struct allocation *a, bool scalar, uint32_t v)
{
   struct web *w = &a->webs[v];
   for (unsigned k = 0; k < w->range.count; k++)
      BITSET_CLEAR_RANGE(a->busy[scalar][w->reg], w->range.segments[k].begin,
                         w->range.segments[k].end - 1);
   w->reg = -1;
}

/* Assign registers to a web or to the four webs of a group. */
static bool
place(struct allocation *a, uint32_t v)
{
   bool scalar = a->ir->vregs[v].scalar;
   uint32_t leader = a->webs[v].leader;
   uint32_t first = leader == CF_NO_VREG ? v : leader;
   unsigned count = leader == CF_NO_VREG ? 1 : 4;

   for (unsigned reg = 0; reg + count <= CF_MAX_REGS; reg++) {
      bool fits = true;
      for (unsigned c = 0; c < count && fits; c++)
         fits = is_free(a, scalar, reg + c, &a->webs[first + c].range);
      if (fits) {
         for (unsigned c = 0; c < count; c++)
            occupy(a, scalar, first + c, reg + c);
         return true;
      }
   }
   return false;
}

static bool
overlap(const struct cf_range *a, const struct cf_range *b)
{
   for (unsigned i = 0, j = 0; i < a->count && j < b->count;) {
      if (a->segments[i].end <= b->segments[j].begin)
         i++;
      else if (b->segments[j].end <= a->segments[i].begin)
         j++;
      else
         return true;
   }
   return false;
}

static float
spill_cost(const struct web *w)
{
   float length = 1.0f;
   for (unsigned k = 0; k < w->range.count; k++)
      length += w->range.segments[k].end - w->range.segments[k].begin;
   return w->weight / length;
}

static bool
in_the_way(struct allocation *a, uint32_t v, uint32_t other)
{
   uint32_t leader = a->webs[v].leader;
   if (leader == CF_NO_VREG)
      return other == v ||
             (a->webs[other].reg >= 0 && overlap(&a->webs[v].range, &a->webs[other].range));
   for (unsigned c = 0; c < 4; c++) {
      if (other == leader + c ||
          (a->webs[other].reg >= 0 && overlap(&a->webs[leader + c].range, &a->webs[other].range)))
         return true;
   }
   return false;
}

/* The cheapest web to spill to make room for v; CF_NO_VREG if there is none. */
static uint32_t
choose_spill(struct allocation *a, uint32_t v)
{
   uint32_t best = CF_NO_VREG;
   for (uint32_t u = 0; u < a->ir->vreg_count; u++) {
      const struct web *w = &a->webs[u];
      if (a->parent[u] != u || w->no_spill || w->spilled ||
          a->ir->vregs[u].scalar != a->ir->vregs[v].scalar)
         continue;
      if (!w->range.count || !in_the_way(a, v, u))
         continue;
      if (best == CF_NO_VREG || spill_cost(w) < spill_cost(&a->webs[best]))
         best = u;
   }
   return best;
}

struct order {
   uint32_t vreg, position;
};

static int
compare_order(const void *pa, const void *pb)
{
   const struct order *a = pa, *b = pb;
   if (a->position != b->position)
      return a->position < b->position ? -1 : 1;
   return (a->vreg > b->vreg) - (a->vreg < b->vreg);
}

static uint32_t
first_position(struct allocation *a, uint32_t v)
{
   uint32_t leader = a->webs[v].leader, first = UINT32_MAX;
   if (leader == CF_NO_VREG)
      return a->webs[v].range.segments[0].begin;
   for (unsigned c = 0; c < 4; c++) {
      if (a->webs[leader + c].range.count)
         first = MIN2(first, a->webs[leader + c].range.segments[0].begin);
   }
   return first;
}

/* Number of webs that have to be spilled; -1: no assignment exists. */
static int
assign(struct allocation *a)
{
   struct order *order = ralloc_array(a->mem_ctx, struct order, a->ir->vreg_count + 1);
   unsigned count = 0;
   int spilled = 0;
   for (uint32_t v = 0; v < a->ir->vreg_count; v++) {
      if (a->parent[v] == v && a->webs[v].range.count)
         order[count++] = (struct order){ v, first_position(a, v) };
   }
   qsort(order, count, sizeof(*order), compare_order);

   for (unsigned k = 0; k < count; k++) {
      uint32_t v = order[k].vreg;
      while (a->webs[v].reg < 0 && !a->webs[v].spilled && !place(a, v)) {
         uint32_t victim = choose_spill(a, v);
         if (victim == CF_NO_VREG)
            return -1;
         if (a->webs[victim].reg >= 0)
            release(a, a->ir->vregs[victim].scalar, victim);
         a->webs[victim].spilled = true;
         spilled++;
         if (a->webs[v].leader != CF_NO_VREG && a->webs[victim].leader == a->webs[v].leader)
            break; /* the group is placed in the next round */
      }
   }
   return spilled;
}

/* ---- rounds */

static void
spill(struct allocation *a)
{
   struct cf_ir *ir = a->ir;
   uint32_t *slot = ralloc_array(a->mem_ctx, uint32_t, ir->vreg_count);
   uint32_t *slot_of_web = ralloc_array(a->mem_ctx, uint32_t, ir->vreg_count);
   for (uint32_t v = 0; v < ir->vreg_count; v++) {
      slot_of_web[v] = CF_NO_VREG;
      if (a->parent[v] == v && a->webs[v].spilled) {
         slot_of_web[v] = ir->vregs[v].scalar ? 0 : ir->scratch_dwords++;
         ir->spills += !ir->vregs[v].scalar;
      }
   }
   for (uint32_t v = 0; v < ir->vreg_count; v++)
      slot[v] = slot_of_web[root(a, v)];
   cf_spill(ir, slot);
}

/* A scalar register may only be read where every physical path has written it; else it becomes a
 * vector register. */
static bool
mark_exposed_scalars(struct allocation *a)
{
   bool any = false;
   for (uint32_t v = 0; v < a->ir->vreg_count; v++) {
      a->webs[v].spilled = a->ir->vregs[v].scalar && cf_range_contains(&a->live->ranges[v], 0);
      any |= a->webs[v].spilled;
   }
   return any;
}

static int
round_of(struct allocation *a, struct cf_ra_result *result)
{
   a->live = cf_liveness(a->mem_ctx, a->ir);
   if (!a->live)
      return -1;
   a->positions = 2 * a->ir->count + 2;
   make_webs(a);
   int spilled = mark_exposed_scalars(a);
   if (!spilled) {
      if (!(a->ir->passes_off & BITFIELD_BIT(CF_PASS_COALESCE)))
         coalesce(a);
      spilled = assign(a);
   }
   if (spilled > 0)
      spill(a);
   if (spilled == 0) {
      result->reg = ralloc_array(a->ir->mem_ctx, uint8_t, a->ir->vreg_count + 1);
      for (uint32_t v = 0; v < a->ir->vreg_count; v++)
         result->reg[v] = MAX2(0, a->webs[root(a, v)].reg);
      result->vector_regs = a->used[0];
      result->scalar_regs = a->used[1];
   }
   return spilled;
}

bool
cf_ra(struct cf_ir *ir, struct cf_ra_result *result)
{
   for (unsigned r = 0; r < MAX_ROUNDS; r++) {
      struct allocation a = { .mem_ctx = ralloc_context(NULL), .ir = ir };
      int spilled = round_of(&a, result);
      ralloc_free(a.mem_ctx);
      if (spilled == 0)
         return true;
      if (spilled < 0)
         break;
   }
   cf_ir_fail(ir, "it needs more registers than there are, even with spilling");
   return false;
}
