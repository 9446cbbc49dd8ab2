/* SPDX-License-Identifier: MIT */
/*
 * Control flow on random structured programs: the interpreter's masks against a simulator that runs
 * one lane after the other as an ordinary program, from the tree the text was written from. At
 * every host level, with random first exec masks; at once, and in runs that stop anywhere.
 *
 * v0..v7 hold integers, v8..v15 floats (a NaN's bits must not reach integers), v16.. loop counters,
 * v30 conditions; the constants and scalars 0..7 are integers, 8..15 floats.
 */
#include "clipfree/base/test_random.h"
#include "clipfree/shader/cf_engine.h"
#include "clipfree/shader/test_shader.h"

#define PROGRAMS 1500
#define MAX_DEPTH 5
#define MAX_NODES 4000
#define SENTINEL 0xdeadbeef

enum node_kind { NODE_OP, NODE_IF, NODE_LOOP, NODE_BRK, NODE_CONT, NODE_KILL, NODE_DEMOTE };

struct source {
   char kind; /* v s u, or n: an integer */
   unsigned index;
};

struct node {
   enum node_kind kind;
   unsigned op; /* of ops[] */
   unsigned dst;
   struct source src[3];
   unsigned condition, bit; /* flow: bit `bit` of integer register `condition` */
   unsigned bound;          /* loop: iterations at most */
   unsigned depth;
   bool has_other;
   struct node *body, *other, *next;
};

struct generator {
   uint64_t random;
   struct node nodes[MAX_NODES];
   unsigned count, left;
   unsigned labels;
   struct program_text out;
};

/* ---- operations, with meanings of this test's own ---- */

/* clang-format off */
static uint32_t op_iadd(const uint32_t *x) { return x[0] + x[1]; }
static uint32_t op_imul(const uint32_t *x) { return x[0] * x[1]; }
static uint32_t op_xor(const uint32_t *x) { return x[0] ^ x[1]; }
static uint32_t op_shr(const uint32_t *x) { return x[0] >> (x[1] & 31); }
static uint32_t op_sel(const uint32_t *x) { return x[0] ? x[1] : x[2]; }
static uint32_t op_ilt(const uint32_t *x) { return (int32_t)x[0] < (int32_t)x[1] ? 0xffffffff : 0; }
static uint32_t op_mov(const uint32_t *x) { return x[0]; }
static uint32_t op_flt(const uint32_t *x) { return cf_float(x[0]) < cf_float(x[1]) ? 0xffffffff : 0; }
static uint32_t op_fadd(const uint32_t *x) { return cf_bits(cf_float(x[0]) + cf_float(x[1])); }
static uint32_t op_fmul(const uint32_t *x) { return cf_bits(cf_float(x[0]) * cf_float(x[1])); }
static uint32_t op_fabs(const uint32_t *x) { return x[0] & 0x7fffffff; }
static uint32_t op_i2f(const uint32_t *x) { return cf_bits((float)(int32_t)x[0]); }
/* clang-format on */

/* bank: where destination and sources live, 0 integers, 8 floats */
static const struct op {
   const char *name;
   uint32_t (*meaning)(const uint32_t *);
   unsigned sources, dst_bank, src_bank;
} ops[] = {
   { "iadd", op_iadd, 2, 0, 0 }, { "imul", op_imul, 2, 0, 0 }, { "xor", op_xor, 2, 0, 0 },
   { "shr", op_shr, 2, 0, 0 },   { "sel", op_sel, 3, 0, 0 },   { "ilt", op_ilt, 2, 0, 0 },
   { "mov", op_mov, 1, 0, 0 },   { "flt", op_flt, 2, 0, 8 },   { "fadd", op_fadd, 2, 8, 8 },
   { "fmul", op_fmul, 2, 8, 8 }, { "fabs", op_fabs, 1, 8, 8 }, { "i2f", op_i2f, 1, 8, 0 },
   { "mov", op_mov, 1, 8, 8 },
};
#define OPS (sizeof(ops) / sizeof(ops[0]))

/* ---- random trees ---- */

static unsigned
pick(struct generator *g, unsigned n)
{
   return random_u32(&g->random) % n;
}

static struct node *
make_op(struct generator *g, struct node *node)
{
   node->kind = NODE_OP;
   node->op = pick(g, OPS);
   const struct op *op = &ops[node->op];
   node->dst = op->dst_bank + pick(g, 8);
   for (unsigned k = 0; k < 3; k++) {
      node->src[k].kind = "vvvsun"[pick(g, op->src_bank ? 5 : 6)];
      node->src[k].index = node->src[k].kind == 'n' ? pick(g, 64) : op->src_bank + pick(g, 8);
   }
   return node;
}

static struct node *make_block(struct generator *g, unsigned depth, bool in_loop);

static struct node *
make_node(struct generator *g, unsigned depth, bool in_loop)
{
   struct node *node = &g->nodes[g->count++];
   const unsigned choice = pick(g, 20);
   memset(node, 0, sizeof(*node));
   node->depth = depth;
   node->condition = pick(g, 8);
   node->bit = pick(g, 6);
   if (choice < 4 && depth < MAX_DEPTH) {
      node->kind = NODE_IF;
      node->has_other = pick(g, 2);
      node->body = make_block(g, depth + 1, in_loop);
      node->other = node->has_other ? make_block(g, depth + 1, in_loop) : NULL;
   } else if (choice < 6 && depth < MAX_DEPTH) {
      node->kind = NODE_LOOP;
      node->bound = 1 + pick(g, 4);
      node->body = make_block(g, depth + 1, true);
   } else if (choice < 9 && in_loop) {
      node->kind = choice < 8 ? NODE_BRK : NODE_CONT;
   } else if (choice == 9 && pick(g, 4) == 0) {
      node->kind = pick(g, 2) ? NODE_KILL : NODE_DEMOTE;
   } else {
      return make_op(g, node);
   }
   return node;
}

static struct node *
make_block(struct generator *g, unsigned depth, bool in_loop)
{
   struct node *first = NULL, **end = &first;
   for (unsigned n = pick(g, 6); n > 0 && g->left > 0; n--) {
      g->left--;
      *end = make_node(g, depth, in_loop);
      end = &(*end)->next;
   }
   return first;
}

/* ---- text ---- */

static void
put_op(struct generator *g, const struct node *node)
{
   program_text_put(&g->out, "%s v%u", ops[node->op].name, node->dst);
   for (unsigned k = 0; k < ops[node->op].sources; k++) {
      if (node->src[k].kind == 'n')
         program_text_put(&g->out, ", %u", node->src[k].index);
      else
         program_text_put(&g->out, ", %c%u", node->src[k].kind, node->src[k].index);
   }
   program_text_put(&g->out, "\n");
}

/* `next`: the label where an empty exec mask goes on. */
static void
put_block(struct generator *g, const struct node *node, unsigned next)
{
   for (; node; node = node->next) {
      const unsigned first = g->labels++, second = g->labels++, counter = 16 + node->depth;
      if (node->kind != NODE_OP && node->kind != NODE_LOOP)
         program_text_put(&g->out, "and v30, v%u, %u\n", node->condition, 1u << (node->bit % 6));
      switch (node->kind) {
      case NODE_OP:
         put_op(g, node);
         break;
      case NODE_IF:
         program_text_put(&g->out, "if v30, l%u\n", node->has_other ? first : second);
         put_block(g, node->body, node->has_other ? first : second);
         if (node->has_other) {
            program_text_put(&g->out, "l%u: else l%u\n", first, second);
            put_block(g, node->other, second);
         }
         program_text_put(&g->out, "l%u: endif\n", second);
         break;
      case NODE_LOOP:
         program_text_put(
            &g->out, "mov v%u, 0\nloop\nl%u: iadd v%u, v%u, 1\nult v30, %u, v%u\nbrk v30, l%u\n",
            counter, first, counter, counter, node->bound, counter, second);
         put_block(g, node->body, second);
         program_text_put(&g->out, "l%u: endloop l%u\n", second, first);
         break;
      case NODE_BRK:
         program_text_put(&g->out, "brk v30, l%u\n", next);
         break;
      case NODE_CONT:
         program_text_put(&g->out, "cont v30, l%u\n", next);
         break;
      case NODE_KILL:
         program_text_put(&g->out, "kill v30, l%u\n", next);
         break;
      case NODE_DEMOTE:
         program_text_put(&g->out, "demote v30, l%u\n", next);
         break;
      }
   }
}

/* ---- one lane as an ordinary program ---- */

enum outcome { GO_ON, BROKE, CONTINUED, DIED };

struct lane {
   uint32_t v[32];
   const uint32_t *s, *u;
   bool alive;
};

static uint32_t
read_source(const struct lane *lane, struct source source)
{
   switch (source.kind) {
   case 'v':
      return lane->v[source.index];
   case 's':
      return lane->s[source.index];
   case 'u':
      return lane->u[source.index];
   default:
      return source.index;
   }
}

static enum outcome run_lane(struct lane *lane, const struct node *node);

static enum outcome
run_loop(struct lane *lane, const struct node *node)
{
   for (unsigned i = 0; i < node->bound; i++) {
      const enum outcome outcome = run_lane(lane, node->body);
      if (outcome == BROKE)
         return GO_ON;
      if (outcome == DIED)
         return DIED;
   }
   return GO_ON;
}

static enum outcome
run_node(struct lane *lane, const struct node *node)
{
   const bool condition = lane->v[node->condition] >> (node->bit % 6) & 1;
   uint32_t in[3];
   switch (node->kind) {
   case NODE_OP:
      for (unsigned k = 0; k < 3; k++)
         in[k] = read_source(lane, node->src[k]);
      lane->v[node->dst] = ops[node->op].meaning(in);
      return GO_ON;
   case NODE_IF:
      return run_lane(lane, condition ? node->body : node->other);
   case NODE_LOOP:
      return run_loop(lane, node);
   case NODE_BRK:
      return condition ? BROKE : GO_ON;
   case NODE_CONT:
      return condition ? CONTINUED : GO_ON;
   case NODE_KILL:
      lane->alive &= !condition;
      return condition ? DIED : GO_ON;
   case NODE_DEMOTE:
      lane->alive &= !condition;
      return GO_ON;
   }
   return GO_ON;
}

static enum outcome
run_lane(struct lane *lane, const struct node *node)
{
   for (; node; node = node->next) {
      const enum outcome outcome = run_node(lane, node);
      if (outcome != GO_ON)
         return outcome;
   }
   return GO_ON;
}

/* ---- comparison ---- */

struct inputs {
   uint32_t v[16][LANES], s[16], u[16];
};

static uint32_t
random_value(struct generator *g, unsigned index)
{
   return index < 8 ? random_u32(&g->random) >> pick(g, 32)
                    : cf_bits((float)(int32_t)random_u32(&g->random) * 0x1p-20f);
}

static void
make_inputs(struct generator *g, struct inputs *in)
{
   for (unsigned i = 0; i < 16; i++) {
      in->s[i] = random_value(g, i);
      in->u[i] = random_value(g, i);
      for (unsigned lane = 0; lane < LANES; lane++)
         in->v[i][lane] = random_value(g, i);
   }
}

static void
compare_lane(const struct fixture *f, const struct inputs *in, const struct node *tree,
             unsigned lane, const char *text)
{
   struct lane reference = { .s = in->s, .u = in->u, .alive = true };
   const bool alive = f->task->alive >> lane & 1;
   for (unsigned i = 0; i < 16; i++)
      reference.v[i] = in->v[i][lane];
   const bool died = run_lane(&reference, tree) == DIED;
   if (alive != reference.alive)
      fail_msg("lane %u: alive %d, expected %d\n%s", lane, alive, reference.alive, text);
   for (unsigned i = 0; i < 16; i++) {
      const uint32_t got = f->task->out[i][lane];
      if (died && got != SENTINEL)
         fail_msg("lane %u wrote output %u after its death\n%s", lane, i, text);
      if (alive && !(i < 8 ? got == reference.v[i] : same_float(got, reference.v[i])))
         fail_msg("lane %u output %u: %08x, expected %08x\n%s", lane, i, got, reference.v[i], text);
      if (alive && is_nan_bits(got) && i >= 8)
         assert_int_equal(got, 0x7fc00000);
   }
}

static void
set_inputs(struct cf_task *task, const struct inputs *in)
{
   for (unsigned i = 0; i < 16; i++) {
      for (unsigned lane = 0; lane < LANES; lane++) {
         task->v[i][lane] = in->v[i][lane];
         task->s[i][lane] = in->s[i];
         task->out[i][lane] = SENTINEL;
      }
   }
}

/* What a stepped run left, of lanes of exec, is what a run at once left. */
static void
compare_stepped(const struct cf_task *task, const struct cf_task *at_once, uint32_t exec,
                const char *text)
{
   assert_int_equal(task->alive, at_once->alive);
   assert_int_equal(task->timed_out, at_once->timed_out);
   for (unsigned i = 0; i < 16; i++) {
      for (unsigned lane = 0; lane < LANES; lane++) {
         if (exec >> lane & 1 && (task->out[i][lane] != at_once->out[i][lane] ||
                                  task->v[i][lane] != at_once->v[i][lane]))
            fail_msg("stepped: lane %u: output %u %08x, expected %08x; v%u %08x, expected %08x\n%s",
                     lane, i, task->out[i][lane], at_once->out[i][lane], i, task->v[i][lane],
                     at_once->v[i][lane], text);
      }
   }
}

static bool
stop_by_chance(void *user, const struct cf_run *run)
{
   assert_true(cf_run_at(run) < run->stage->program->count);
   assert_int_equal(run->exec & ~run->first_exec, 0);
   return random_u32(user) % 4 == 0;
}

/* A task ready to run, from these inputs with the lanes rotated by so many. */
static void
prepare_rotated(struct cf_task *task, const struct fixture *f, enum cf_host_level level,
                const struct inputs *in, unsigned lanes, uint32_t exec)
{
   set_inputs(task, in);
   for (unsigned i = 0; i < 16; i++) {
      for (unsigned lane = 0; lane < LANES; lane++)
         task->v[i][lane] = in->v[i][(lane + lanes) % LANES];
   }
   task->exec = task->alive = exec;
   cf_shader_ops_at(level)->prepare(&f->stage, task);
}

/* Two tasks with different inputs in runs that stop anywhere, in turn. */
static void
step_program(struct generator *g, const struct fixture *f, enum cf_host_level level,
             const struct inputs *in, uint32_t exec, const char *text)
{
   static struct cf_task task[2], at_once[2];
   struct cf_run run[2];
   for (unsigned i = 0; i < 2; i++) {
      prepare_rotated(&at_once[i], f, level, in, i, exec);
      cf_shader_ops_at(level)->run(&f->stage, &at_once[i]);
      prepare_rotated(&task[i], f, level, in, i, exec);
      cf_shader_ops_at(level)->begin(&run[i], &f->stage, &task[i]);
   }
   while (run[0].next || run[1].next)
      run_until(&run[pick(g, 2)], stop_by_chance, &g->random);
   for (unsigned i = 0; i < 2; i++)
      compare_stepped(&task[i], &at_once[i], exec, text);
}

static void
run_program(struct generator *g, struct fixture *f, const struct inputs *in,
            const struct node *tree, uint32_t exec, const char *text)
{
   for (int level = CF_HOST_BASE; level <= (int)cf_host_level(); level++) {
      set_inputs(f->task, in);
      fixture_run(f, (enum cf_host_level)level, exec);
      assert_false(f->task->timed_out);
      assert_int_equal(f->task->alive & ~exec, 0);
      for (unsigned lane = 0; lane < LANES; lane++) {
         if (exec >> lane & 1)
            compare_lane(f, in, tree, lane, text);
      }
      step_program(g, f, (enum cf_host_level)level, in, exec, text);
   }
}

static void
test_random_programs(void **state)
{
   (void)state;
   struct cf_random seeds = cf_random_seed("shader-flow test_random_programs");
   const uint64_t seed = cf_random_u64(&seeds) | 1;
   static struct generator g;
   static struct inputs in;
   struct fixture f;
   uint64_t nodes = 0;
   fixture_init(&f);
   g.random = seed;
   g.out = program_text_begin();
   for (unsigned n = 0; n < PROGRAMS; n++) {
      struct node *tree = NULL, **end = &tree;
      g.count = g.labels = 0;
      g.out.length = 0;
      g.left = 150;
      for (unsigned i = 0; i < 8; i++) {
         *end = make_node(&g, 0, false);
         end = &(*end)->next;
      }
      const unsigned last = g.labels++;
      put_block(&g, tree, last);
      /* an empty exec mask goes to the end instruction itself */
      for (unsigned i = 0; i < 16; i++)
         program_text_put(&g.out, "%s %u, v%u\n", i < 8 ? "out" : "outf", i, i);
      program_text_put(&g.out, "l%u: end\n", last);
      nodes += g.count;

      make_inputs(&g, &in);
      f.stage.constants[0].data = in.u;
      f.stage.constants[0].dwords = 16;
      if (!fixture_load(&f, g.out.text))
         fail_msg("%s\n%s", f.error, g.out.text);
      run_program(&g, &f, &in, tree, pick(&g, 2) ? 0xffffffff : random_u32(&g.random), g.out.text);
   }
   print_message("%u programs, %llu nodes\n", PROGRAMS, (unsigned long long)nodes);
   assert_true(nodes > 20 * PROGRAMS);
   free(g.out.text);
   fixture_end(&f);
}

/* The watchdog ends an endless loop: nothing is alive. It does not end one below the limit. */
static void
test_watchdog(void **state)
{
   (void)state;
   struct fixture f;
   fixture_init(&f);
   f.stage.max_instrs = 1000;
   for (int level = CF_HOST_BASE; level <= (int)cf_host_level(); level++) {
      assert_true(fixture_load(&f, "loop\nstart: mov v0, 0\nendloop start\nend"));
      fixture_run(&f, (enum cf_host_level)level, 0xffffffff);
      assert_true(f.task->timed_out);
      assert_int_equal(f.task->alive, 0);
      /* 5 instructions an iteration, gone back 200 times: exactly the limit */
      assert_true(fixture_load(
         &f, "movi v0, 200\nloop\nstart: ieq v1, v0, 0\nbrk v1, last\niadd v0, v0, -1\nmov v2, v2\n"
             "last: endloop start\nend"));
      fixture_run(&f, (enum cf_host_level)level, 0xffffffff);
      assert_false(f.task->timed_out);
      f.stage.max_instrs = 999;
      fixture_run(&f, (enum cf_host_level)level, 0xffffffff);
      assert_true(f.task->timed_out);
      f.stage.max_instrs = 1000;
      /* a sample counts as 64: 68 an iteration, gone back 14 times */
      assert_true(fixture_load(&f, "movi v0, 14\nloop\nstart: ieq v1, v0, 0\nbrk v1, last\n"
                                   "iadd v0, v0, -1\ntex v2.x, 0, 0, 0, 0, 0, fetch\n"
                                   "last: endloop start\nend"));
      f.stage.max_instrs = 14 * 68;
      fixture_run(&f, (enum cf_host_level)level, 0xffffffff);
      assert_false(f.task->timed_out);
      f.stage.max_instrs = 14 * 68 - 1;
      fixture_run(&f, (enum cf_host_level)level, 0xffffffff);
      assert_true(f.task->timed_out);
      f.stage.max_instrs = 1000;
   }
   fixture_end(&f);
}

/* A demoted lane continues as a helper lane while its quad has others; `sys helper` says so. */
static void
test_demote(void **state)
{
   (void)state;
   struct fixture f;
   fixture_init(&f);
   assert_true(
      fixture_load(&f, "demote v0, last\nmov v1, 1\nsys v2, helper\nfddx v3, v4\nlast: end"));
   for (int level = CF_HOST_BASE; level <= (int)cf_host_level(); level++) {
      for (unsigned lane = 0; lane < LANES; lane++) {
         f.task->v[0][lane] = lane == 1 || (lane >= 4 && lane < 8);
         f.task->v[1][lane] = 0;
         f.task->v[4][lane] = cf_bits((float)(lane * lane));
      }
      fixture_run(&f, (enum cf_host_level)level, 0xffffffff);
      assert_int_equal(f.task->alive, 0xffffff0d);
      for (unsigned lane = 0; lane < LANES; lane++) {
         assert_int_equal(f.task->v[1][lane], lane / 4 != 1);
         if (lane / 4 != 1)
            assert_int_equal(f.task->v[2][lane], lane == 1 ? 0xffffffff : 0);
      }
      assert_int_equal(f.task->v[3][0], cf_bits(1.0f));
   }
   fixture_end(&f);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_programs),
      cmocka_unit_test(test_watchdog),
      cmocka_unit_test(test_demote),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
