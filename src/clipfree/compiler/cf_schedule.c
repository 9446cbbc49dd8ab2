/* SPDX-License-Identifier: MIT */
/*
 * Scheduling for fewer live vector registers: a JIT keeps few of them in host registers, and past
 * 128 they spill.
 *
 * Bottom-up list scheduling of each run of instructions without control flow: of the ready
 * instructions, whose readers are all placed, the one that leaves the fewest registers live is
 * placed next. Ties are broken by source order in one attempt, in the other by following the value
 * placed last; the order with the lowest peak wins, the source order if neither is lower.
 *
 * Limits: latency is not modelled, runs are independent of each other, and scalar registers are not
 * counted.
 */
#include "cf_liveness.h"

#include <string.h>

#include "util/macros.h"
#include "util/ralloc.h"

#define CF_MAX_RUN 4096 /* longer runs are not scheduled */

struct edge {
   uint32_t before; /* node that must come earlier */
   uint32_t next;   /* edge of the same later node, or NONE */
};

#define NONE UINT32_MAX

/* A run of instructions first .. first + count - 1; node i is instruction first + i. */
struct instruction_run {
   struct cf_ir *ir;
   unsigned first, count;
   struct edge *edges;
   unsigned edge_count, edge_capacity;
   uint32_t *first_edge; /* per node */
   uint32_t *readers;    /* per node: edges that name it as `before` */
};

struct scheduler {
   void *mem_ctx;
   struct cf_ir *ir;
   uint32_t *defs;      /* per virtual register: instructions that write it, in the whole program */
   uint32_t *last_node; /* per virtual register: node that wrote it, or that touched it if it has
                           several defs */
   bool *live, *live_out;
   uint32_t *order, *best, *pending, *ready;
};

/* ---- dependences */

static void
add_edge(void *mem_ctx, struct instruction_run *r, uint32_t before, uint32_t after)
{
   if (before == NONE || before == after)
      return;
   if (r->edge_count == r->edge_capacity) {
      r->edge_capacity = MAX2(64, 2 * r->edge_capacity);
      r->edges = reralloc(mem_ctx, r->edges, struct edge, r->edge_capacity);
   }
   r->edges[r->edge_count] = (struct edge){ before, r->first_edge[after] };
   r->first_edge[after] = r->edge_count++;
   r->readers[before]++;
}

static void
depend_on_vreg(struct scheduler *s, struct instruction_run *r, uint32_t vreg, uint32_t node,
               bool write)
{
   add_edge(s->mem_ctx, r, s->last_node[vreg], node);
   if (write ||
       s->defs[vreg] > 1) /* accesses of a register with several definitions are not reordered */
      s->last_node[vreg] = node;
}

static bool
accesses_scratch(enum cf_op op)
{
   return op == CF_OP_LDS || op == CF_OP_STS;
}

static bool
accesses_gradients(const struct cf_ir_instr *instr)
{
   return instr->op == CF_OP_GRAD || (instr->op == CF_OP_TEX && cf_tex_operands(instr->mode));
}

static void
build_edges(struct scheduler *s, struct instruction_run *r)
{
   uint32_t last_scratch = NONE, last_out = NONE, last_gradient = NONE;
   for (unsigned n = 0; n < r->count; n++) {
      const struct cf_ir_instr *instr = &r->ir->instrs[r->first + n];
      for (unsigned i = 0; i < 4; i++) {
         if (instr->src[i].kind == CF_SRC_VREG)
            depend_on_vreg(s, r, instr->src[i].value, n, false);
      }
      for (unsigned c = 0; c < cf_ir_defs(instr); c++)
         depend_on_vreg(s, r, instr->dst + c, n, true);
      if (accesses_scratch(instr->op)) {
         add_edge(s->mem_ctx, r, last_scratch, n);
         last_scratch = n;
      }
      if (instr->op == CF_OP_OUT || instr->op == CF_OP_OUTF) {
         add_edge(s->mem_ctx, r, last_out, n);
         last_out = n;
      }
      if (accesses_gradients(instr)) {
         add_edge(s->mem_ctx, r, last_gradient, n);
         last_gradient = n;
      }
   }
   for (unsigned n = 0; n < r->count; n++) { /* reset for the next run */
      const struct cf_ir_instr *instr = &r->ir->instrs[r->first + n];
      for (unsigned i = 0; i < 4; i++) {
         if (instr->src[i].kind == CF_SRC_VREG)
            s->last_node[instr->src[i].value] = NONE;
      }
      for (unsigned c = 0; c < cf_ir_defs(instr); c++)
         s->last_node[instr->dst + c] = NONE;
   }
}

/* ---- pressure */

static bool
counts(const struct scheduler *s, uint32_t vreg)
{
   return !s->ir->vregs[vreg].scalar;
}

/* Change of the number of live registers if this instruction is placed next. */
static int
change(const struct scheduler *s, const struct cf_ir_instr *instr)
{
   int delta = 0;
   for (unsigned c = 0; c < cf_ir_defs(instr); c++)
      delta -= counts(s, instr->dst + c) && s->live[instr->dst + c];
   for (unsigned i = 0; i < 4; i++) {
      struct cf_src src = instr->src[i];
      bool repeated = false;
      for (unsigned k = 0; k < i; k++)
         repeated |= cf_src_equal(src, instr->src[k]);
      delta += src.kind == CF_SRC_VREG && !repeated && counts(s, src.value) && !s->live[src.value];
   }
   return delta;
}

static void
place(struct scheduler *s, const struct cf_ir_instr *instr)
{
   for (unsigned c = 0; c < cf_ir_defs(instr); c++)
      s->live[instr->dst + c] = false;
   for (unsigned i = 0; i < 4; i++) {
      if (instr->src[i].kind == CF_SRC_VREG)
         s->live[instr->src[i].value] = true;
   }
}

/* Reset liveness to the run's end, for the registers that it touches; all others are constant
 * throughout. */
static void
reset_live(struct scheduler *s, const struct instruction_run *r)
{
   for (unsigned n = 0; n < r->count; n++) {
      const struct cf_ir_instr *instr = &r->ir->instrs[r->first + n];
      for (unsigned c = 0; c < cf_ir_defs(instr); c++)
         s->live[instr->dst + c] = s->live_out[instr->dst + c];
      for (unsigned i = 0; i < 4; i++) {
         if (instr->src[i].kind == CF_SRC_VREG)
            s->live[instr->src[i].value] = s->live_out[instr->src[i].value];
      }
   }
}

/* Highest number of live registers, relative to the run's end. */
static int
peak(struct scheduler *s, const struct instruction_run *r, const uint32_t *order)
{
   int now = 0, highest = 0;
   reset_live(s, r);
   for (unsigned n = r->count; n-- > 0;) {
      const struct cf_ir_instr *instr = &r->ir->instrs[r->first + order[n]];
      int written = 0;
      for (unsigned c = 0; c < cf_ir_defs(instr); c++)
         written += counts(s, instr->dst + c) && !s->live[instr->dst + c];
      highest = MAX2(highest, now + written);
      now += change(s, instr);
      place(s, instr);
      highest = MAX2(highest, now);
   }
   return highest;
}

/* ---- list scheduling */

/* Index into `ready` of the instruction to place next. `ready` is in the order in which
 * instructions became ready. */
static unsigned
choose(const struct scheduler *s, const struct instruction_run *r, unsigned ready_count,
       bool follow)
{
   unsigned best = 0;
   int best_change = 0;
   for (unsigned k = 0; k < ready_count; k++) {
      int delta = change(s, &r->ir->instrs[r->first + s->ready[k]]);
      bool later = follow || s->ready[k] > s->ready[best];
      if (k == 0 || delta < best_change || (delta == best_change && later)) {
         best = k;
         best_change = delta;
      }
   }
   return best;
}

static void
schedule_run(struct scheduler *s, const struct instruction_run *r, bool follow)
{
   unsigned ready_count = 0;
   reset_live(s, r);
   for (unsigned n = 0; n < r->count; n++) {
      s->pending[n] = r->readers[n];
      if (!s->pending[n])
         s->ready[ready_count++] = n;
   }
   for (unsigned place_at = r->count; place_at-- > 0;) {
      unsigned k = choose(s, r, ready_count, follow);
      uint32_t n = s->ready[k];
      memmove(&s->ready[k], &s->ready[k + 1], (--ready_count - k) * sizeof(*s->ready));
      s->order[place_at] = n;
      place(s, &r->ir->instrs[r->first + n]);
      for (uint32_t e = r->first_edge[n]; e != NONE; e = r->edges[e].next) {
         if (--s->pending[r->edges[e].before] == 0)
            s->ready[ready_count++] = r->edges[e].before;
      }
   }
}

static void
improve(struct scheduler *s, struct instruction_run *r, struct cf_ir_instr *out)
{
   for (unsigned n = 0; n < r->count; n++)
      s->best[n] = n;
   int lowest = peak(s, r, s->best);
   for (unsigned follow = 0; follow < 2; follow++) {
      schedule_run(s, r, follow);
      int p = peak(s, r, s->order);
      if (p < lowest) {
         lowest = p;
         memcpy(s->best, s->order, r->count * sizeof(*s->best));
      }
   }
   for (unsigned n = 0; n < r->count; n++)
      out[n] = r->ir->instrs[r->first + s->best[n]];
   memcpy(&r->ir->instrs[r->first], out, r->count * sizeof(*out));
}

static void
find_live_out(struct scheduler *s, const struct instruction_run *r, const struct cf_liveness *live)
{
   uint32_t position = 2 * (r->first + r->count);
   for (unsigned n = 0; n < r->count; n++) {
      const struct cf_ir_instr *instr = &r->ir->instrs[r->first + n];
      for (unsigned c = 0; c < cf_ir_defs(instr); c++)
         s->live_out[instr->dst + c] = cf_range_contains(&live->ranges[instr->dst + c], position);
      for (unsigned i = 0; i < 4; i++) {
         if (instr->src[i].kind == CF_SRC_VREG)
            s->live_out[instr->src[i].value] =
               cf_range_contains(&live->ranges[instr->src[i].value], position);
      }
   }
}

static void
do_run(struct scheduler *s, unsigned first, unsigned count, const struct cf_liveness *live)
{
   if (count < 3 || count > CF_MAX_RUN)
      return;
   struct instruction_run r = { .ir = s->ir, .first = first, .count = count };
   r.first_edge = ralloc_array(s->mem_ctx, uint32_t, count);
   r.readers = rzalloc_array(s->mem_ctx, uint32_t, count);
   memset(r.first_edge, 0xff, count * sizeof(uint32_t));
   struct cf_ir_instr *out = ralloc_array(s->mem_ctx, struct cf_ir_instr, count);
   build_edges(s, &r);
   find_live_out(s, &r, live);
   improve(s, &r, out);
}

void
cf_schedule(struct cf_ir *ir)
{
   struct scheduler s = { .mem_ctx = ralloc_context(NULL), .ir = ir };
   struct cf_liveness *live = cf_liveness(s.mem_ctx, ir);
   if (!live) {
      ralloc_free(s.mem_ctx);
      return;
   }
   s.defs = rzalloc_array(s.mem_ctx, uint32_t, ir->vreg_count + 1);
   s.last_node = ralloc_array(s.mem_ctx, uint32_t, ir->vreg_count + 1);
   memset(s.last_node, 0xff, (ir->vreg_count + 1) * sizeof(uint32_t));
   s.live = rzalloc_array(s.mem_ctx, bool, ir->vreg_count + 1);
   s.live_out = rzalloc_array(s.mem_ctx, bool, ir->vreg_count + 1);
   s.order = ralloc_array(s.mem_ctx, uint32_t, ir->count);
   s.best = ralloc_array(s.mem_ctx, uint32_t, ir->count);
   s.pending = ralloc_array(s.mem_ctx, uint32_t, ir->count);
   s.ready = ralloc_array(s.mem_ctx, uint32_t, ir->count);
   for (unsigned i = 0; i < ir->count; i++) {
      for (unsigned c = 0; c < cf_ir_defs(&ir->instrs[i]); c++)
         s.defs[ir->instrs[i].dst + c]++;
   }
   for (unsigned i = 0, first = 0; i < ir->count; i++) {
      if (cf_ir_is_flow(ir->instrs[i].op)) {
         do_run(&s, first, i - first, live);
         first = i + 1;
      }
   }
   ralloc_free(s.mem_ctx);
}
