/* SPDX-License-Identifier: MIT */
/*
 * Liveness on two control-flow graphs over the same instructions.
 *
 * Vector registers are written in lanes of the exec mask only, so each lane sees the program as if
 * it ran alone: the *logical* graph, where a lane takes one side of an `if` and leaves a loop at
 * its `brk`. What other lanes do in between cannot touch its values.
 *
 * Scalar registers are written whenever the instruction is reached: the *physical* graph, where
 * control falls from the end of `then` into `else`, and past a `brk`, because some lanes may still
 * be there. Jumps go to the next marker.
 */
#include "cf_liveness.h"

#include "util/bitset.h"
#include "util/macros.h"
#include "util/ralloc.h"

struct block {
   unsigned begin, end;         /* instructions begin .. end - 1 */
   unsigned successor_count[2]; /* [scalar graph] */
   unsigned successors[2][2];   /* blocks */
   BITSET_WORD *live_in;
};

struct graph {
   struct block *blocks;
   unsigned count;
};

static bool
starts_block(const struct cf_ir *ir, unsigned i)
{
   enum cf_op op = ir->instrs[i].op;
   return i == 0 || op == CF_OP_ELSE || op == CF_OP_ENDIF || op == CF_OP_ENDLOOP ||
          op == CF_OP_END || cf_ir_is_flow(ir->instrs[i - 1].op);
}

static bool
falls_through(const struct cf_ir_instr *jump)
{
   return !(jump->src[0].kind == CF_SRC_CONST && jump->src[0].value);
}

static unsigned
logical_successors(const struct cf_ir *ir, const uint32_t *targets, unsigned i, uint32_t loop,
                   uint32_t endloop, unsigned successors[2])
{
   const struct cf_ir_instr *instr = &ir->instrs[i];
   switch (instr->op) {
   case CF_OP_IF:
      successors[0] = i + 1;
      successors[1] = targets[i] + (ir->instrs[targets[i]].op == CF_OP_ELSE);
      return 2;
   case CF_OP_ELSE:
      successors[0] = targets[i];
      return 1;
   case CF_OP_ENDLOOP:
      successors[0] = targets[i] + 1;
      return 1;
   case CF_OP_BRK:
   case CF_OP_CONT:
      successors[0] = instr->op == CF_OP_BRK ? endloop + 1 : loop + 1;
      successors[1] = i + 1;
      return 1 + falls_through(instr);
   case CF_OP_END:
      return 0;
   default:
      successors[0] = i + 1;
      return 1;
   }
}

static unsigned
physical_successors(const struct cf_ir *ir, const uint32_t *targets, unsigned i,
                    unsigned successors[2])
{
   switch (ir->instrs[i].op) {
   case CF_OP_IF: /* as in the logical graph: the lanes that do not take `then` exist, or nothing
                     runs at all */
      successors[0] = i + 1;
      successors[1] = targets[i] + (ir->instrs[targets[i]].op == CF_OP_ELSE);
      return 2;
   case CF_OP_ELSE:
   case CF_OP_BRK:
   case CF_OP_CONT:
   case CF_OP_KILL:
   case CF_OP_DEMOTE:
      successors[0] = i + 1;
      successors[1] = targets[i];
      return 2;
   case CF_OP_ENDLOOP:
      successors[0] = i + 1;
      successors[1] = targets[i] + 1;
      return 2;
   case CF_OP_END:
      return 0;
   default:
      successors[0] = i + 1;
      return 1;
   }
}

unsigned
cf_successors(const struct cf_ir *ir, const uint32_t *targets, unsigned i, uint32_t loop,
              uint32_t endloop, bool scalar, unsigned successors[2])
{
   return scalar ? physical_successors(ir, targets, i, successors)
                 : logical_successors(ir, targets, i, loop, endloop, successors);
}

static struct graph
build_graph(void *mem_ctx, const struct cf_ir *ir, const uint32_t *targets, uint8_t *depth)
{
   struct graph g = { .blocks = rzalloc_array(mem_ctx, struct block, ir->count + 1) };
   uint32_t *block_of = ralloc_array(mem_ctx, uint32_t, ir->count + 1);
   uint32_t *endloop_of = ralloc_array(mem_ctx, uint32_t, ir->count);
   uint32_t loops[CF_MAX_NESTING + 1];
   unsigned open = 0;

   for (unsigned i = 0; i < ir->count; i++) {
      if (starts_block(ir, i)) {
         if (g.count)
            g.blocks[g.count - 1].end = i;
         g.blocks[g.count++].begin = i;
      }
      block_of[i] = g.count - 1;
      if (ir->instrs[i].op == CF_OP_ENDLOOP)
         endloop_of[targets[i]] = i;
   }
   g.blocks[g.count - 1].end = ir->count;

   for (unsigned b = 0; b < g.count; b++) {
      for (unsigned i = g.blocks[b].begin; i < g.blocks[b].end; i++) {
         if (ir->instrs[i].op == CF_OP_ENDLOOP)
            open--;
         depth[i] = open;
         if (ir->instrs[i].op == CF_OP_LOOP)
            loops[open++] = i;
      }
      unsigned last = g.blocks[b].end - 1;
      uint32_t loop = open ? loops[open - 1] : UINT32_MAX;
      for (unsigned scalar = 0; scalar < 2; scalar++) {
         unsigned successors[2];
         unsigned n = cf_successors(ir, targets, last, loop, open ? endloop_of[loop] : UINT32_MAX,
                                    scalar, successors);
         g.blocks[b].successor_count[scalar] = n;
         for (unsigned k = 0; k < n; k++)
            g.blocks[b].successors[scalar][k] = block_of[successors[k]];
      }
   }
   return g;
}

/* live = what is live at the block's end, for the registers of one file (mask). */
static void
live_out(const struct graph *g, unsigned b, bool scalar, const BITSET_WORD *mask, BITSET_WORD *live,
         unsigned words)
{
   for (unsigned k = 0; k < g->blocks[b].successor_count[scalar]; k++) {
      const BITSET_WORD *in = g->blocks[g->blocks[b].successors[scalar][k]].live_in;
      for (unsigned w = 0; w < words; w++)
         live[w] |= in[w] & mask[w];
   }
}

static void
transfer(const struct cf_ir_instr *instr, BITSET_WORD *live)
{
   for (unsigned c = 0; c < cf_ir_defs(instr); c++)
      BITSET_CLEAR(live, instr->dst + c);
   for (unsigned s = 0; s < 4; s++) {
      if (instr->src[s].kind == CF_SRC_VREG)
         BITSET_SET(live, instr->src[s].value);
   }
}

struct file_masks {
   BITSET_WORD *mask[2]; /* vector registers, scalar registers */
   unsigned words;
};

static struct file_masks
make_masks(void *mem_ctx, const struct cf_ir *ir)
{
   struct file_masks m = { .words = BITSET_WORDS(ir->vreg_count) };
   for (unsigned f = 0; f < 2; f++)
      m.mask[f] = rzalloc_array(mem_ctx, BITSET_WORD, m.words + 1);
   for (unsigned v = 0; v < ir->vreg_count; v++)
      BITSET_SET(m.mask[ir->vregs[v].scalar], v);
   return m;
}

static void
solve(const struct cf_ir *ir, struct graph *g, const struct file_masks *m, BITSET_WORD *live)
{
   bool progress = true;
   while (progress) {
      progress = false;
      for (unsigned b = g->count; b-- > 0;) {
         memset(live, 0, m->words * sizeof(BITSET_WORD));
         for (unsigned f = 0; f < 2; f++)
            live_out(g, b, f, m->mask[f], live, m->words);
         for (unsigned i = g->blocks[b].end; i-- > g->blocks[b].begin;)
            transfer(&ir->instrs[i], live);
         if (memcmp(live, g->blocks[b].live_in, m->words * sizeof(BITSET_WORD))) {
            memcpy(g->blocks[b].live_in, live, m->words * sizeof(BITSET_WORD));
            progress = true;
         }
      }
   }
}

/* Segments are found from the end of the program; they are appended in that order and turned round
 * at the end. */
static void
add_segment(void *mem_ctx, struct cf_range *r, uint32_t begin, uint32_t end)
{
   if (r->count && r->segments[r->count - 1].begin <= end) {
      r->segments[r->count - 1].begin = MIN2(begin, r->segments[r->count - 1].begin);
      return;
   }
   if (r->count == r->capacity) {
      r->capacity = MAX2(2, r->capacity * 2);
      r->segments = reralloc(mem_ctx, r->segments, struct cf_segment, r->capacity);
   }
   r->segments[r->count++] = (struct cf_segment){ begin, end };
}

/* `end` of a live register is where its segment ends, 0 if it is dead. */
static void
close_defs(void *mem_ctx, const struct cf_ir_instr *instr, unsigned i, struct cf_range *ranges,
           uint32_t *end)
{
   unsigned defs = cf_ir_defs(instr);
   for (unsigned c = 0; c < defs; c++) {
      uint32_t v = instr->dst + c;
      /* a group may be written before all operands are read */
      add_segment(mem_ctx, &ranges[v], defs == 4 ? 2 * i : 2 * i + 1, end[v] ? end[v] : 2 * i + 2);
      end[v] = 0;
   }
}

static void
build_ranges(void *mem_ctx, const struct cf_ir *ir, const struct graph *g,
             const struct file_masks *m, BITSET_WORD *live, struct cf_range *ranges)
{
   uint32_t *end = rzalloc_array(mem_ctx, uint32_t, ir->vreg_count + 1);
   for (unsigned b = g->count; b-- > 0;) {
      const struct block *block = &g->blocks[b];
      memset(live, 0, m->words * sizeof(BITSET_WORD));
      for (unsigned f = 0; f < 2; f++)
         live_out(g, b, f, m->mask[f], live, m->words);
      unsigned v;
      BITSET_FOREACH_SET(v, live, ir->vreg_count)
         end[v] = 2 * block->end;
      for (unsigned i = block->end; i-- > block->begin;) {
         const struct cf_ir_instr *instr = &ir->instrs[i];
         close_defs(mem_ctx, instr, i, ranges, end);
         for (unsigned s = 0; s < 4; s++) {
            if (instr->src[s].kind == CF_SRC_VREG && !end[instr->src[s].value])
               end[instr->src[s].value] = 2 * i + 1;
         }
      }
      BITSET_FOREACH_SET(v, block->live_in, ir->vreg_count) {
         add_segment(mem_ctx, &ranges[v], 2 * block->begin, end[v]);
         end[v] = 0;
      }
   }
   for (unsigned v = 0; v < ir->vreg_count; v++) {
      struct cf_range *r = &ranges[v];
      for (unsigned k = 0; k < r->count / 2; k++) {
         struct cf_segment t = r->segments[k];
         r->segments[k] = r->segments[r->count - 1 - k];
         r->segments[r->count - 1 - k] = t;
      }
   }
}

struct cf_liveness *
cf_liveness(void *mem_ctx, struct cf_ir *ir)
{
   uint32_t *targets = cf_ir_targets(ir);
   if (!targets)
      return NULL;
   void *scratch = ralloc_context(NULL);
   struct cf_liveness *l = rzalloc(mem_ctx, struct cf_liveness);
   l->ranges = rzalloc_array(l, struct cf_range, ir->vreg_count + 1);
   l->depth = rzalloc_array(l, uint8_t, ir->count);

   struct graph g = build_graph(scratch, ir, targets, l->depth);
   struct file_masks m = make_masks(scratch, ir);
   for (unsigned b = 0; b < g.count; b++)
      g.blocks[b].live_in = rzalloc_array(scratch, BITSET_WORD, m.words + 1);
   BITSET_WORD *live = rzalloc_array(scratch, BITSET_WORD, m.words + 1);
   solve(ir, &g, &m, live);
   build_ranges(l, ir, &g, &m, live, l->ranges);
   ralloc_free(scratch);
   ralloc_free(targets);
   return l;
}

bool
cf_range_contains(const struct cf_range *range, uint32_t position)
{
   unsigned low = 0, high = range->count;
   while (low < high) {
      unsigned middle = (low + high) / 2;
      if (position >= range->segments[middle].end)
         low = middle + 1;
      else if (position < range->segments[middle].begin)
         high = middle;
      else
         return true;
   }
   return false;
}

void
cf_range_merge(void *mem_ctx, struct cf_range *range, const struct cf_range *b)
{
   struct cf_range out = { .capacity = range->count + b->count };
   out.segments = ralloc_array(mem_ctx, struct cf_segment, MAX2(1, out.capacity));
   for (unsigned i = 0, j = 0; i < range->count || j < b->count;) {
      bool from_a =
         j == b->count || (i < range->count && range->segments[i].begin < b->segments[j].begin);
      struct cf_segment next = from_a ? range->segments[i++] : b->segments[j++];
      if (out.count && next.begin <= out.segments[out.count - 1].end)
         out.segments[out.count - 1].end = MAX2(out.segments[out.count - 1].end, next.end);
      else
         out.segments[out.count++] = next;
   }
   *range = out;
}
