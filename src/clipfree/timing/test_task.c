/* SPDX-License-Identifier: MIT */
/*
 * Paths: random programs with control flow run on a tree, by lanes of the host's tasks; tasks that
 * are packed anew of their quads run the same instructions in each lane, with the trace alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/timing/cf_sim_check.h"
#include "clipfree/timing/cf_sim_task.h"

#define NODES 200
#define MAX_CODE 600
#define HOSTS 5     /* tasks of the host */
#define MAX_RUN 600 /* instructions of a lane */

static struct cf_random random_state;

static uint32_t
below(uint32_t n)
{
   return cf_random_below(&random_state, n);
}

/* ------------------------------------------------------------------ programs as trees */

enum kind { ALU, TEX, IF, LOOP, BRK, CONT, KILL, DEMOTE };

struct node {
   enum kind kind;
   uint32_t at;             /* its instruction */
   struct node *next;       /* after it */
   struct node *in, *other; /* if: branches; loop: its body */
};

static struct node node[NODES];
static uint32_t nodes;
static struct cf_instr code[MAX_CODE];
static uint32_t count;

static struct node *
make(enum kind kind)
{
   struct node *n = &node[nodes++];
   *n = (struct node){ .kind = kind };
   return n;
}

static struct node *
make_list(uint32_t depth, bool in_loop)
{
   struct node *first = NULL, **to = &first;
   for (uint32_t i = 1 + below(4); i > 0 && nodes < NODES - 20; i--) {
      const uint32_t what = below(depth < 4 ? 8 : 5);
      struct node *n = make(what < 2                 ? ALU
                            : what == 2              ? TEX
                            : what == 3 && in_loop   ? BRK
                            : what == 4 && in_loop   ? CONT
                            : what == 4              ? (below(2) ? KILL : DEMOTE)
                            : what == 5 || what == 6 ? IF
                            : what == 7              ? LOOP
                                                     : ALU);
      if (n->kind == IF) {
         n->in = make_list(depth + 1, in_loop);
         n->other = below(2) ? make_list(depth + 1, in_loop) : NULL;
      } else if (n->kind == LOOP) {
         n->in = make(BRK); /* each way round can end */
         n->in->next = make_list(depth + 1, true);
      }
      *to = n;
      to = &n->next;
   }
   return first;
}

static uint32_t
emit(struct cf_instr instr)
{
   code[count] = instr;
   return count++;
}

/* Emit a list. `away`: instructions that want to know where lanes that come back may do so next. */
static void
emit_list(struct node *n, uint32_t *away, uint32_t *aways)
{
   for (; n; n = n->next) {
      switch (n->kind) {
      case ALU:
         n->at = emit(cf_make_fadd(cf_v(1), cf_v(2), cf_v(3)));
         break;
      case TEX:
         n->at = emit(cf_make_tex(cf_v(4), 15, 0, cf_v(1), cf_v(2), cf_v(2), cf_v(2), 0));
         break;
      case BRK:
      case CONT:
      case KILL:
      case DEMOTE:
         n->at = emit(n->kind == BRK    ? cf_make_brk(cf_v(1), 0)
                      : n->kind == CONT ? cf_make_cont(cf_v(1), 0)
                      : n->kind == KILL ? cf_make_kill(cf_v(1), 0)
                                        : cf_make_demote(cf_v(1), 0));
         away[(*aways)++] = n->at;
         break;
      default: {
         uint32_t inside[NODES], insides = 0;
         n->at = emit(n->kind == IF ? cf_make_if(cf_v(1), 0) : cf_make_loop());
         if (n->kind == IF)
            inside[insides++] = n->at;
         emit_list(n->in, inside, &insides);
         for (uint32_t i = 0; i < insides; i++)
            code[inside[i]].target = count;
         if (n->kind == LOOP) {
            emit(cf_make_endloop(n->at + 1));
         } else {
            insides = 0;
            if (n->other) {
               inside[insides++] = emit(cf_make_else(0));
               emit_list(n->other, inside, &insides);
               for (uint32_t i = 0; i < insides; i++)
                  code[inside[i]].target = count;
            }
            emit(cf_make_endif());
         }
      }
      }
   }
}

/* ------------------------------------------------------------------ runs of the host */

/* The instructions of a lane, but for control flow that has no outcome. */
struct lane_run {
   uint32_t at[MAX_RUN], count;
};

struct host {
   uint32_t quads, lanes, alive;
   struct lane_run run[32];
   struct cf_sim_tile *tile;
   uint32_t broken, continued; /* of the innermost loop */
   uint32_t rounds;
};

static void
note(struct host *h, uint32_t at, uint32_t lanes)
{
   for (uint32_t l = 0; l < 32; l++) {
      if (lanes >> l & 1 && h->run[l].count < MAX_RUN)
         h->run[l].at[h->run[l].count++] = at;
   }
}

static uint32_t *
append(struct host *h, enum cf_sim_record kind, uint32_t dwords, uint32_t rest)
{
   uint32_t *dw = cf_sim_tile_room(h->tile, dwords);
   memset(dw, 0, 4 * dwords);
   dw[0] = cf_sim_head(kind, dwords, rest);
   h->tile->count += dwords;
   return dw;
}

static uint32_t
branch(struct host *h, uint32_t at, uint32_t lanes, bool always)
{
   uint32_t *dw = append(h, CF_SIM_BRANCH, CF_SIM_BRANCH_DW, 0);
   dw[1] = lanes;
   dw[2] = always ? lanes : lanes & cf_random_u32(&random_state);
   dw[3] = at;
   return dw[2];
}

/* Lanes become helpers. Returns the lanes of quads with one that is alive. */
static uint32_t
demote(struct host *h, uint32_t lanes)
{
   uint32_t left = 0;
   h->alive &= ~lanes;
   for (uint32_t q = 0; q < 8; q++)
      left |= h->alive >> 4 * q & 15 ? 15u << 4 * q : 0;
   return left;
}

/* Run a list in some lanes: those that come to its end. */
static uint32_t
run_list(struct host *h, const struct node *n, uint32_t lanes)
{
   for (; n && lanes; n = n->next) {
      uint32_t taken;
      note(h, n->at, n->kind == LOOP ? 0 : lanes);
      switch (n->kind) {
      case ALU:
         break;
      case TEX: {
         const uint32_t dwords = CF_SIM_SAMPLE_DW + 4 * h->quads;
         uint32_t *dw = append(h, CF_SIM_SAMPLE, dwords, 0);
         dw[1] = lanes;
         dw[2] = n->at << 16;
         break;
      }
      case IF:
         taken = branch(h, n->at, lanes, false);
         lanes = run_list(h, n->in, taken) | run_list(h, n->other, lanes & ~taken);
         break;
      case LOOP: {
         const uint32_t broken = h->broken, continued = h->continued;
         uint32_t round = lanes;
         for (h->broken = 0; round; round |= h->continued) {
            h->continued = 0;
            round = run_list(h, n->in, round);
         }
         lanes = h->broken;
         h->broken = broken;
         h->continued = continued;
         break;
      }
      default:
         h->rounds++;
         taken = branch(h, n->at, lanes, n->kind == BRK && h->rounds > 60);
         h->broken |= n->kind == BRK ? taken : 0;
         h->continued |= n->kind == CONT ? taken : 0;
         if (n->kind == DEMOTE)
            lanes &= demote(h, taken);
         else
            lanes &= ~taken;
      }
   }
   return lanes;
}

static void
run_host(struct host *h, const struct node *program, struct cf_sim_tile *tile, uint32_t x_px)
{
   memset(h, 0, sizeof(*h));
   h->tile = tile;
   h->quads = 1 + below(8);
   h->lanes = h->alive = UINT32_MAX >> (32 - 4 * h->quads);
   uint32_t *dw = append(h, CF_SIM_TASK, CF_SIM_TASK_DW + 2 * h->quads, h->quads);
   dw[2] = h->lanes;
   for (uint32_t q = 0; q < h->quads; q++)
      dw[CF_SIM_TASK_DW + 2 * q + 1] = x_px + 2 * q;
   run_list(h, program, h->lanes);
}

/* ------------------------------------------------------------------ packed anew */

/* Run a task, by the trace: the same instructions for each of its lanes. */
static void
check_task(struct cf_sim_task *t, const struct cf_sim_code *c, const struct cf_sim_layout *layout,
           const struct lane_run *const want[CF_SIM_GROUPS])
{
   uint32_t done[CF_SIM_GROUPS * 4] = { 0 }, at = 0;
   for (uint32_t steps = 0; c->instr[at].op != CF_OP_END; steps++) {
      const struct cf_sim_instr *i = &c->instr[at];
      const bool silent = i->op == CF_OP_ELSE || i->op == CF_OP_ENDIF || i->op == CF_OP_LOOP ||
                          i->op == CF_OP_ENDLOOP;
      assert_true(steps < 100000);
      for (uint32_t l = 0; !silent && l < 4 * t->groups; l++) {
         const struct lane_run *lane = want[l / 4] + l % 4;
         if (!(t->exec >> l & 1))
            continue;
         assert_true(done[l] < lane->count);
         assert_int_equal(lane->at[done[l]++], at);
      }
      for (uint32_t g = 0; i->op == CF_OP_TEX && g < t->groups; g++) {
         struct cf_sim_sample_lines lines;
         const uint32_t lanes = cf_sim_task_group(t, g);
         assert_int_equal(cf_sim_task_sample(t, at, g, layout, &lines), lanes != 0);
         assert_int_equal(lines.pixels * (lanes != 0), (uint32_t)__builtin_popcount(lanes));
         assert_false(cf_sim_task_sample(t, at, g, layout, &lines));
      }
      at = i->unit == CF_OP_UNIT_BRANCH ? cf_sim_task_flow(t, at) : at + 1;
      assert_false(t->lost);
   }
   for (uint32_t l = 0; l < 4 * t->groups; l++)
      assert_int_equal(done[l], want[l / 4][l % 4].count);
}

static void
make_chunk(struct cf_sim_chunk *c, struct host *host, const struct node *program)
{
   assert_true(cf_sim_chunk_init(c));
   c->op = calloc(1, sizeof(c->op[0]));
   c->ops = c->op_room = 1;
   memset(c->op, 0xff, sizeof(c->op[0]));
   c->op->flags = c->op->index_B = c->op->width_px = c->op->height_px = c->op->colors = 0;
   c->op->samples = 1;
   c->program = calloc(1, sizeof(c->program[0]));
   c->programs = c->program_room = 1;
   c->program[0] = (struct cf_sim_program){ 0, count, 16, 0 };
   c->code = malloc(8 * count);
   c->codes = c->code_room = count;
   for (uint32_t i = 0; i < count; i++)
      c->code[i] = cf_instr_encode(&code[i]);
   for (uint32_t h = 0; h < HOSTS; h++)
      run_host(&host[h], program, cf_sim_chunk_tile(c, h), 64 * h);
   assert_null(cf_sim_check(c));
}

static void
lanes_run_what_they_ran(void **state)
{
   (void)state;
   static struct host host[HOSTS];
   static struct cf_sim_task task;
   uint32_t branches = 0;
   random_state = cf_random_seed("timing lanes_run_what_they_ran");
   for (uint32_t i = 0; i < 400; i++) {
      struct cf_sim_chunk c;
      struct cf_sim_code decoded;
      const struct cf_sim_machine machine = cf_sim_machine_default();
      struct cf_sim_layout layout;
      const struct lane_run *want[CF_SIM_GROUPS];
      uint32_t away[NODES], aways = 0;
      nodes = count = 0;
      const struct node *program = make_list(0, false);
      emit_list((struct node *)program, away, &aways);
      for (uint32_t k = 0; k < aways; k++)
         code[away[k]].target = count;
      emit(cf_make_end());
      make_chunk(&c, host, program);
      assert_true(cf_sim_code_init(&decoded, &c, &c.program[0]));
      cf_sim_layout_init(&layout, &machine);
      cf_sim_task_begin(&task, &c, CF_SIM_STAGE_FRAGMENT, 0, &decoded);
      for (uint32_t h = 0; h < HOSTS; h++) {
         for (uint32_t q = 0; q < host[h].quads && task.groups < CF_SIM_GROUPS; q++) {
            const struct cf_sim_item item = { .tile = h, .quad = q };
            const struct cf_sim_samples samples = cf_sim_samples_of(&layout, &c, &item);
            if (below(4) == 0)
               continue;
            want[task.groups] = &host[h].run[4 * q];
            cf_sim_task_add_quad(&task, &samples, 15);
         }
      }
      check_task(&task, &decoded, &layout, want);
      branches += c.tile[0].count > CF_SIM_TASK_DW + 2 * host[0].quads;
      cf_sim_code_free(&decoded);
      cf_sim_layout_free(&layout);
      cf_sim_chunk_free(&c);
   }
   assert_true(branches > 200);
}

/* A trace that lacks outcomes ends its tasks, and never runs for ever. */
static void
damaged_paths_end(void **state)
{
   (void)state;
   static struct host host[HOSTS];
   static struct cf_sim_task task;
   uint32_t lost = 0;
   random_state = (struct cf_random){ 18 };
   for (uint32_t i = 0; i < 300; i++) {
      struct cf_sim_chunk c;
      struct cf_sim_code decoded;
      const struct cf_sim_machine machine = cf_sim_machine_default();
      struct cf_sim_layout layout;
      uint32_t away[NODES], aways = 0, at = 0;
      nodes = count = 0;
      const struct node *program = make_list(0, false);
      emit_list((struct node *)program, away, &aways);
      for (uint32_t k = 0; k < aways; k++)
         code[away[k]].target = count;
      emit(cf_make_end());
      make_chunk(&c, host, program);
      struct cf_sim_tile *t = cf_sim_chunk_tile(&c, 0);
      t->dw[below((uint32_t)t->count)] ^= 1u << below(32);
      if (!cf_sim_check(&c)) {
         assert_true(cf_sim_code_init(&decoded, &c, &c.program[0]));
         cf_sim_layout_init(&layout, &machine);
         cf_sim_task_begin(&task, &c, CF_SIM_STAGE_FRAGMENT, 0, &decoded);
         for (uint32_t q = 0; q < host[0].quads; q++) {
            const struct cf_sim_item item = { .tile = 0, .quad = q };
            const struct cf_sim_samples samples = cf_sim_samples_of(&layout, &c, &item);
            cf_sim_task_add_quad(&task, &samples, 15);
         }
         for (uint32_t steps = 0; decoded.instr[at].op != CF_OP_END; steps++) {
            assert_true(steps < 1000000);
            at = decoded.instr[at].unit == CF_OP_UNIT_BRANCH ? cf_sim_task_flow(&task, at) : at + 1;
         }
         lost += task.lost;
         cf_sim_code_free(&decoded);
         cf_sim_layout_free(&layout);
      }
      cf_sim_chunk_free(&c);
   }
   assert_true(lost > 5);
}

/* A loop that nothing leaves: no outcome is taken in it. */
static void
loops_without_a_way_out_end(void **state)
{
   (void)state;
   static struct host host[HOSTS];
   static struct cf_sim_task task;
   struct cf_sim_chunk c;
   struct cf_sim_code decoded;
   struct cf_sim_layout layout;
   const struct cf_sim_machine machine = cf_sim_machine_default();
   const struct cf_sim_item item = { 0 };
   uint32_t at = 0;
   count = 0;
   emit(cf_make_loop());
   emit(cf_make_fadd(cf_v(1), cf_v(2), cf_v(3)));
   emit(cf_make_endloop(1));
   emit(cf_make_end());
   make_chunk(&c, host, NULL);
   assert_true(cf_sim_code_init(&decoded, &c, &c.program[0]));
   cf_sim_layout_init(&layout, &machine);
   cf_sim_task_begin(&task, &c, CF_SIM_STAGE_FRAGMENT, 0, &decoded);
   const struct cf_sim_samples samples = cf_sim_samples_of(&layout, &c, &item);
   cf_sim_task_add_quad(&task, &samples, 15);
   for (uint32_t steps = 0; decoded.instr[at].op != CF_OP_END; steps++) {
      assert_true(steps < 100);
      at = decoded.instr[at].unit == CF_OP_UNIT_BRANCH ? cf_sim_task_flow(&task, at) : at + 1;
   }
   assert_true(task.lost);
   cf_sim_code_free(&decoded);
   cf_sim_layout_free(&layout);
   cf_sim_chunk_free(&c);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(lanes_run_what_they_ran),
      cmocka_unit_test(damaged_paths_end),
      cmocka_unit_test(loops_without_a_way_out_end),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
