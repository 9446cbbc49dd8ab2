/* SPDX-License-Identifier: MIT */
/*
 * The step function of the proof against the processor: instructions and short sequences
 * (test_proof_truth_cases.S) run with random numbers, of which the proof is told sets that they are
 * in. What it says afterwards of registers, vectors, the stack and comparisons must hold for what
 * the processor has then.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clipfree/base/cf_lanes.h"
#include "clipfree/base/test_random.h"
#include "clipfree/jit/proof/cf_proof_step.h"

#define TRIALS 120    /* of each case */
#define MOST_WRONG 40 /* cases, of which there are thousands */
#define VECTORS 4
#define VECTOR_DWORDS 16
#define STACK_B 64 /* below the stack pointer */

#define FLAG_CARRY 0x001
#define FLAG_ZERO 0x040
#define FLAGS 0x8d5 /* carry, parity, adjust, zero, sign, overflow */

/* What a case begins and ends with. The layout is also that of the assembly. */
struct machine {
   uint64_t gpr[CF_PROOF_GPRS]; /* of the stack pointer: what it is at the case's entry */
   uint64_t flags;
   uint64_t mask[2]; /* k1, k2 */
   uint64_t level;   /* enum cf_host_level: which vectors there are */
   uint8_t stack[STACK_B];
   uint32_t vector[VECTORS][VECTOR_DWORDS];
};
_Static_assert(offsetof(struct machine, level) == 152, "at_flags, at_masks, at_level");
_Static_assert(offsetof(struct machine, vector) == 224, "at_stack, at_vectors");

/* A case's name is its code. The last one has no name, and begins where the one before it ends. */
struct truth_case {
   const char *name;
   const uint8_t *code;
   uint64_t level; /* enum cf_host_level that it needs */
};

extern const struct truth_case cf_truth_cases[];
extern const uint8_t cf_truth_memory[]; /* their constants, and behind those all code */

void cf_truth_run(struct machine *machine, const uint8_t *code);

struct trial {
   struct cf_random *random;
   unsigned number, drawn; /* of the trial, and of sets that were drawn for it */
   const struct truth_case *c;
   const struct cf_proof_task *task;
   unsigned dwords; /* of vectors that the case's code sees */
   struct machine before, after;
   struct cf_proof_value told_reg[CF_PROOF_GPRS], told_vector[VECTORS];
   struct cf_proof_state state;
};

/* ---- numbers, and sets of them ---- */

/* Where signs and widths change. The first trials are these alone, each a set of one number, of
 * which the proof says most. */
static const int64_t edges[] = {
   0,         1,         -1,        INT32_MAX, INT32_MIN,  UINT32_MAX,
   INT64_MAX, INT64_MIN, 2,         15,        16,         -16,
   INT8_MAX,  INT8_MIN,  UINT8_MAX, INT16_MAX, UINT16_MAX, UINT16_MAX + 1,
   1ll << 31, 1ll << 32, 1ll << 62
};
#define EDGES (sizeof(edges) / sizeof(edges[0]))

/* Uniform in 0 .. most. */
static uint64_t
up_to(struct cf_random *r, uint64_t most)
{
   const uint64_t any = cf_random_u64(r);
   return most == UINT64_MAX ? any : any % (most + 1);
}

/* Any of so many low bits, so that small numbers are as frequent as great ones. */
static uint64_t
some_bits(struct cf_random *r)
{
   return cf_random_u64(r) >> cf_random_below(r, 64);
}

/* A power of two, or one beside it, or the negative of that; or what bytes are shuffled by. */
static int64_t
near_edge(struct cf_random *r)
{
   const uint64_t n = (UINT64_C(1) << cf_random_below(r, 64)) + cf_random_below(r, 3) - 1;
   const unsigned kind = cf_random_below(r, 8);
   return kind == 0 ? 0x80808000 | (int64_t)(n & UINT8_MAX) : (int64_t)(kind < 3 ? 0 - n : n);
}

static uint64_t
any_step(struct cf_random *r)
{
   const uint32_t one_of[] = { 1, 1 + cf_random_below(r, 12), 1u << cf_random_below(r, 32),
                               1 + (uint32_t)(some_bits(r) >> 32) };
   return one_of[cf_random_below(r, 4)];
}

/* Any numbers from `least` to `most`, upwards or downwards from one of them. */
static struct cf_proof_value
numbers(struct cf_random *r, int64_t least, int64_t most)
{
   const bool down = cf_random_below(r, 3) == 0;
   const int64_t edge = near_edge(r);
   const uint64_t from = edge >= least && edge <= most
                            ? (uint64_t)edge
                            : (uint64_t)least + up_to(r, (uint64_t)most - (uint64_t)least);
   const uint64_t step = any_step(r),
                  steps = (down ? from - (uint64_t)least : (uint64_t)most - from) / step,
                  count = cf_random_below(r, 8) ? up_to(r, some_bits(r) % (steps | 1)) : steps;
   return cf_proof_numbers((int64_t)(down ? from - count * step : from),
                           (int64_t)(down ? from : from + count * step), (uint32_t)step);
}

/* What the proof is told of a number that is from `least` to `most`. */
static struct cf_proof_value
draw_set(struct trial *t, int64_t least, int64_t most)
{
   struct cf_random *r = t->random;
   const int64_t edge = edges[(t->number + 7 * t->drawn++) % EDGES],
                 within = least < 0 ? edge : (int64_t)((uint64_t)edge % ((uint64_t)most + 1));
   if (t->number < EDGES)
      return cf_proof_constant(CF_PROOF_NUMBER, within);
   switch (cf_random_below(r, 10)) {
   case 0:
      return cf_proof_numbers(least, most, 1);
   case 1:
      return cf_proof_constant(CF_PROOF_NUMBER, numbers(r, least, most).lo);
   case 2:
      return cf_proof_numbers(0, most < UINT32_MAX ? most : UINT32_MAX, 1);
   case 3:
      return cf_proof_numbers(0, (int64_t)(some_bits(r) % ((uint64_t)most + 1)), 1);
   case 4:
   case 5: /* bytes, and a little beyond */
      return numbers(r, 0, most < 300 ? most : 300);
   default:
      return numbers(r, least, most);
   }
}

/* One of the set, often its first or last. */
static uint64_t
draw_one(struct cf_random *r, struct cf_proof_value set)
{
   const uint64_t count = set.step ? ((uint64_t)set.hi - (uint64_t)set.lo) / set.step : 0;
   const unsigned kind = cf_random_below(r, 4);
   return (uint64_t)set.lo + set.step * (kind == 0 ? 0 : kind == 1 ? count : up_to(r, count));
}

/* ---- before a case ---- */

static const uint8_t drawn[] = {
   CF_PROOF_RAX, CF_PROOF_RCX, CF_PROOF_RDX, CF_PROOF_RSI, CF_PROOF_RDI, 8, 9
};

static void
draw_registers(struct trial *t)
{
   for (unsigned i = 0; i < CF_PROOF_GPRS; i++)
      t->before.gpr[i] = cf_random_u64(t->random);
   for (unsigned i = 0; i < sizeof(drawn); i++) {
      const struct cf_proof_value set = draw_set(t, INT64_MIN, INT64_MAX);
      const uint64_t one = t->before.gpr[drawn[i]] = draw_one(t->random, set);
      cf_proof_set(&t->state, drawn[i], set);
      if (cf_random_below(t->random, 3) == 0) /* a bound of the low byte, from elsewhere */
         t->state.low[drawn[i]] = (uint8_t)(one | cf_random_u64(t->random));
   }
   memcpy(t->told_reg, t->state.reg, sizeof(t->told_reg));
   t->before.flags = cf_random_u64(t->random) & FLAGS;
   t->before.mask[0] = cf_random_u64(t->random);
   t->before.mask[1] = cf_random_u64(t->random);
}

/* Dwords that the code does not see have any value, of which nothing is said. */
static void
draw_vectors(struct trial *t)
{
   for (unsigned v = 0; v < VECTORS && t->dwords; v++) {
      const struct cf_proof_value set = draw_set(t, 0, UINT32_MAX);
      t->told_vector[v] = t->state.vector[v] = set;
      for (unsigned i = 0; i < VECTOR_DWORDS; i++)
         t->before.vector[v][i] =
            i < t->dwords ? (uint32_t)draw_one(t->random, set) : cf_random_u32(t->random);
   }
}

static void
draw_slot(struct trial *t, unsigned at, unsigned size_B)
{
   const struct cf_proof_value set = size_B == 8   ? draw_set(t, INT64_MIN, INT64_MAX)
                                     : size_B == 1 ? draw_set(t, 0, UINT8_MAX)
                                                   : draw_set(t, 0, UINT32_MAX - 1);
   const unsigned part_B = size_B > 8 ? 4 : size_B;
   for (unsigned i = 0; i < size_B; i += part_B) {
      const uint64_t one = draw_one(t->random, set);
      memcpy(t->before.stack + at + i, &one, part_B);
   }
   if (size_B != 8 || !cf_proof_is_anything(set))
      t->state.slot[t->state.count++] = (struct cf_proof_slot){
         .at = (int64_t)at - STACK_B, .base = CF_PROOF_STACK, .size_B = size_B, .value = set
      };
}

/* Slots of all sizes, mostly at multiples of these, and between them bytes of which nothing is
 * known. */
static void
draw_stack(struct trial *t)
{
   static const uint8_t sizes_B[] = { 1, 4, 4, 8, 8, 8, 16, 32, 64 };
   struct cf_random *r = t->random;
   for (unsigned i = 0; i < STACK_B; i++)
      t->before.stack[i] = (uint8_t)cf_random_u32(r);
   for (unsigned at = cf_random_below(r, 4) ? 0 : cf_random_below(r, 8); at < STACK_B;) {
      const unsigned size_B = sizes_B[cf_random_below(r, sizeof(sizes_B))];
      if (cf_random_below(r, 4) && at + size_B <= STACK_B)
         draw_slot(t, at, size_B);
      at += size_B < 8 ? 4 + 4 * cf_random_below(r, 2) : size_B;
   }
}

/* ---- what holds ---- */

static bool
is_one_of(struct cf_proof_value set, int64_t x)
{
   if (x < set.lo || x > set.hi)
      return false;
   return set.step ? ((uint64_t)x - (uint64_t)set.lo) % set.step == 0 : x == set.lo;
}

/* Whether a register or eight bytes in memory may hold x by what the proof says of them. */
static bool
holds(const struct trial *t, struct cf_proof_value said, uint64_t x)
{
   switch (said.base) {
   case CF_PROOF_NUMBER:
      return is_one_of(said, (int64_t)x);
   case CF_PROOF_STACK:
      return is_one_of(said, (int64_t)(x - t->before.gpr[CF_PROOF_RSP]));
   case CF_PROOF_CODE:
      return is_one_of(said, (int64_t)(x - (uint64_t)(uintptr_t)cf_truth_memory));
   case CF_PROOF_SAVED:
      return cf_proof_is_constant(said) && x == t->before.gpr[said.lo];
   default: /* no case has others at its end */
      return false;
   }
}

static void
print_set(struct cf_proof_value v)
{
   print_error(" in base %u + %" PRId64 " .. %" PRId64 " by %u\n", v.base, v.lo, v.hi, v.step);
}

static void
print_told(const struct trial *t)
{
   for (unsigned i = 0; i < sizeof(drawn); i++) {
      print_error("   register %u was 0x%" PRIx64, drawn[i], t->before.gpr[drawn[i]]);
      print_set(t->told_reg[drawn[i]]);
   }
   for (unsigned v = 0; v < VECTORS && t->dwords; v++) {
      print_error("   vector %u was", v);
      for (unsigned i = 0; i < t->dwords; i++)
         print_error(" %x", t->before.vector[v][i]);
      print_set(t->told_vector[v]);
   }
   print_error("   flags %" PRIx64 ", k1 %" PRIx64 ", k2 %" PRIx64 ", stack", t->before.flags,
               t->before.mask[0], t->before.mask[1]);
   for (unsigned i = 0; i < STACK_B; i++)
      print_error(i % 8 ? "%02x" : " %02x", t->before.stack[i]);
   print_error("\n");
}

/* Of what was said of a place, which is not so. */
static bool
wrong(const struct trial *t, const char *what, int64_t where, struct cf_proof_value said,
      uint64_t is)
{
   print_error("%s: trial %u: %s %" PRId64 " is 0x%" PRIx64 ", not", t->c->name, t->number, what,
               where, is);
   print_set(said);
   print_told(t);
   return false;
}

static bool
registers_hold(const struct trial *t, const char *what)
{
   for (unsigned i = 0; i < CF_PROOF_GPRS; i++) {
      const uint64_t is = t->after.gpr[i];
      if (i != CF_PROOF_RSP && !holds(t, t->state.reg[i], is))
         return wrong(t, what, i, t->state.reg[i], is);
      if (i != CF_PROOF_RSP && (is & UINT8_MAX) > t->state.low[i])
         return wrong(t, "the low byte of register", i, cf_proof_numbers(0, t->state.low[i], 1),
                      is & UINT8_MAX);
   }
   return true;
}

static bool
vectors_hold(const struct trial *t)
{
   for (unsigned v = 0; v < VECTORS; v++) {
      for (unsigned i = 0; i < t->dwords; i++) {
         if (!is_one_of(t->state.vector[v], t->after.vector[v][i]))
            return wrong(t, "a dword of vector", v, t->state.vector[v], t->after.vector[v][i]);
      }
   }
   return true;
}

static bool
slot_holds(const struct trial *t, const struct cf_proof_slot *slot)
{
   const unsigned part_B = slot->size_B > 8 ? 4 : slot->size_B;
   for (unsigned i = 0; i < slot->size_B; i += part_B) {
      uint64_t part = 0;
      memcpy(&part, t->after.stack + STACK_B + slot->at + i, part_B);
      if (!holds(t, slot->value, part))
         return wrong(t, "on the stack,", slot->at + i, slot->value, part);
   }
   return true;
}

/* Of slots that lie deeper than what is saved after the run, nothing can be said. */
static bool
slots_hold(const struct trial *t)
{
   for (unsigned i = 0; i < t->state.count; i++) {
      const struct cf_proof_slot *slot = &t->state.slot[i];
      if (slot->base != CF_PROOF_STACK)
         return wrong(t, "a slot of a frame that is no more,", slot->at, slot->value, 0);
      if (slot->at >= -STACK_B && !slot_holds(t, slot))
         return false;
   }
   return true;
}

static bool
is_true(enum cf_proof_condition condition, uint64_t flags)
{
   const bool carry = flags & FLAG_CARRY, zero = flags & FLAG_ZERO;
   const bool truth[] = { false, carry, !carry, !carry && !zero, carry || zero, zero, !zero };
   return truth[condition];
}

/* What is learned where a jump goes the way that it really goes. */
static bool
learned_holds(struct trial *t)
{
   struct cf_proof_value reg[CF_PROOF_GPRS];
   bool hold = true;
   memcpy(reg, t->state.reg, sizeof(reg));
   for (unsigned i = CF_IF_BELOW; i <= CF_IF_NOT_EQUAL && hold; i++) {
      const enum cf_proof_condition condition = (enum cf_proof_condition)i;
      if (!cf_proof_learn(&t->state, condition, is_true(condition, t->after.flags)))
         return wrong(t, "a way that is gone cannot be, condition", i, reg[t->state.compared.reg],
                      t->after.gpr[t->state.compared.reg]);
      hold = registers_hold(t, "after a condition, register");
      memcpy(t->state.reg, reg, sizeof(reg));
   }
   return hold;
}

/* ---- cases ---- */

struct counts {
   unsigned run, skipped, wrong;
   uint64_t ops, conditions; /* of the proof that cases have, by bits */
};

/* What the cases have, and how much of vectors this one sees. */
static void
note_case(struct counts *counts, struct trial *t, const struct cf_proof_insns *insns)
{
   t->dwords = 0;
   for (unsigned i = 0; i < insns->count; i++) {
      const struct cf_proof_insn *insn = &insns->insn[i];
      counts->ops |= UINT64_C(1) << insn->op | UINT64_C(1) << insn->vector_op;
      if (insn->op == CF_MC_CMOV)
         counts->conditions |= UINT64_C(1) << insn->condition;
      t->dwords = insn->vector_B / 4u > t->dwords ? insn->vector_B / 4u : t->dwords;
   }
}

/* All of a case's code, its return too, which needs a stack pointer and saved registers as they
 * were. */
static const char *
step_all(struct trial *t, const struct cf_proof_insns *insns)
{
   const char *why = NULL;
   for (unsigned i = 0; i < insns->count && !why; i++)
      why = cf_proof_step(t->task, &t->state, &insns->insn[i]);
   return why;
}

/* False: what the proof says is not true, which is printed. */
static bool
run_trial(struct trial *t)
{
   t->after = t->before;
   cf_truth_run(&t->after, t->c->code);
   t->before.gpr[CF_PROOF_RSP] = t->after.gpr[CF_PROOF_RSP];
   return registers_hold(t, "register") && vectors_hold(t) && slots_hold(t) && learned_holds(t);
}

static bool
run_trials(struct trial *t, const struct cf_proof_insns *insns)
{
   unsigned accepted = 0;
   const char *refused = NULL;
   for (t->number = 0; t->number < TRIALS; t->number++) {
      t->drawn = 0;
      cf_proof_begin(&t->state, t->task->code);
      draw_registers(t);
      draw_vectors(t);
      draw_stack(t);
      const char *why = step_all(t, insns);
      refused = why ? why : refused;
      accepted += !why;
      if (!why && !run_trial(t))
         return false;
   }
   if (!accepted)
      print_error("%s: always refused: %s\n", t->c->name, refused);
   return accepted;
}

static void
check_case(struct counts *counts, struct trial *t)
{
   struct cf_proof_code code = *t->task->code;
   struct cf_proof_insns insns;
   struct cf_proof_verdict verdict;
   code.begin_B = code.entry_B = (size_t)(t->c[0].code - code.memory);
   code.end_B = (size_t)(t->c[1].code - code.memory);
   if (!cf_proof_decode(&insns, &code, &verdict)) {
      print_error("%s: not decoded: %s\n", t->c->name, verdict.wrong);
      counts->wrong++;
      return;
   }
   note_case(counts, t, &insns);
   const bool runs = t->c->level <= t->before.level;
   counts->run += runs;
   counts->skipped += !runs;
   counts->wrong += runs && !run_trials(t, &insns);
   cf_proof_insns_free(&insns);
}

static struct counts
check_cases(void)
{
   static const struct cf_proof_map no_map;
   struct cf_random random = cf_random_seed("jit-proof-truth");
   const struct truth_case *end = cf_truth_cases;
   while (end->name[0])
      end++;
   const struct cf_proof_code code = { .memory = cf_truth_memory,
                                       .memory_B = (size_t)(end->code - cf_truth_memory) };
   const struct cf_proof_task task = { &code, &no_map };
   struct counts counts = { 0 };
   struct trial trial = { .random = &random, .task = &task, .before.level = cf_host_level() };
   for (trial.c = cf_truth_cases; trial.c < end && counts.wrong < MOST_WRONG; trial.c++)
      check_case(&counts, &trial);
   print_message("%u cases run, %u skipped that need another processor\n", counts.run,
                 counts.skipped);
   return counts;
}

/* Each operation and condition that the proof follows is in a case, but for calls and jumps. */
static void
assert_complete(const struct counts *counts)
{
   const uint64_t flow =
      UINT64_C(1) << CF_MC_CALL | UINT64_C(1) << CF_MC_JMP | UINT64_C(1) << CF_MC_JCC;
   for (unsigned op = CF_MC_OTHER; op <= CF_MC_JCC; op++) {
      if (!((counts->ops | flow) >> op & 1))
         fail_msg("no case has operation %u", op);
   }
   for (unsigned condition = CF_IF_UNKNOWN; condition <= CF_IF_NOT_EQUAL; condition++) {
      if (!(counts->conditions >> condition & 1))
         fail_msg("no case has condition %u", condition);
   }
}

static void
test_cases(void **unused)
{
   const struct counts counts = check_cases();
   assert_int_equal(counts.wrong, 0);
   assert_complete(&counts);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
