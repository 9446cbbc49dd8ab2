/* SPDX-License-Identifier: MIT */
/*
 * Delta debugging, against what it promises; the rewriting of programs, against a symbolic run of
 * them along every way through their branches. Seeds are fixed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/isa/cf_asm.h"
#include "clipfree/shader/cf_program.h"

#include "reduce_case.h"
#include "reduce_code.h"
#include "reduce_ddmin.h"
#include "reduce_field_rules.h"

#define MOST_THINGS 1024

/* ------------------------------------------------------------------ delta debugging */

/* Some things are needed; of some pairs one is; some need others; and chance says no. */
struct rule {
   uint32_t count, tests;
   bool needed[MOST_THINGS];
   uint32_t either[8][2], eithers, needs[8][2], need_count;
   uint32_t chance; /* of 16 that subsets fail for no reason; they always do */
};

static bool
rule_says(const struct rule *rule, const bool *keep)
{
   uint64_t hash = 1469598103934665603u;
   bool all = true;
   for (uint32_t i = 0; i < rule->count; i++) {
      if (rule->needed[i] && !keep[i])
         return false;
      all &= keep[i];
      hash = (hash ^ keep[i]) * 1099511628211u;
   }
   for (uint32_t i = 0; i < rule->eithers; i++) {
      if (!keep[rule->either[i][0]] && !keep[rule->either[i][1]])
         return false;
   }
   for (uint32_t i = 0; i < rule->need_count; i++) {
      if (keep[rule->needs[i][0]] && !keep[rule->needs[i][1]])
         return false;
   }
   return all || hash >> 60 >= rule->chance;
}

static bool
count_and_say(void *user, const bool *keep)
{
   struct rule *rule = user;
   rule->tests++;
   return rule_says(rule, keep);
}

static struct rule
random_rule(uint64_t seed)
{
   struct cf_random r = { seed };
   struct rule rule = { .count = 1 + cf_random_below(&r, 40) };
   for (uint32_t i = 0; i < rule.count; i++)
      rule.needed[i] = cf_random_below(&r, 8) == 0;
   rule.eithers = cf_random_below(&r, 4);
   rule.need_count = cf_random_below(&r, 8);
   rule.chance = seed % 3 ? 0 : cf_random_below(&r, 12);
   for (uint32_t i = 0; i < 8; i++) {
      for (uint32_t k = 0; k < 2; k++) {
         rule.either[i][k] = cf_random_below(&r, rule.count);
         rule.needs[i][k] = cf_random_below(&r, rule.count);
      }
   }
   return rule;
}

/* What is left holds, and nothing of it can be left out alone. */
static void
check_minimal(const struct rule *rule, bool *keep, uint64_t seed)
{
   if (!rule_says(rule, keep))
      fail_msg("seed %llu: what is left does not hold", (unsigned long long)seed);
   for (uint32_t i = 0; i < rule->count; i++) {
      if (!keep[i])
         continue;
      keep[i] = false;
      if (rule_says(rule, keep))
         fail_msg("seed %llu: thing %u can be left out", (unsigned long long)seed, i);
      keep[i] = true;
   }
}

static void
test_minimal(void **state)
{
   (void)state;
   for (uint64_t seed = 1; seed <= 3000; seed++) {
      struct rule rule = random_rule(seed);
      const struct reduce_test test = { count_and_say, &rule };
      bool keep[MOST_THINGS];
      uint32_t left = 0;
      memset(keep, true, rule.count);
      const uint32_t told = reduce_ddmin(rule.count, 1, keep, &test);
      check_minimal(&rule, keep, seed);
      for (uint32_t i = 0; i < rule.count; i++)
         left += keep[i];
      assert_int_equal(told, left);
   }
}

/* Where things are needed or not, exactly those remain, and it takes few questions. */
static void
test_needed(void **state)
{
   (void)state;
   for (uint64_t seed = 1; seed <= 300; seed++) {
      struct cf_random r = { seed };
      struct rule rule = { .count = MOST_THINGS };
      const struct reduce_test test = { count_and_say, &rule };
      const uint32_t wanted = cf_random_below(&r, 4);
      bool keep[MOST_THINGS];
      for (uint32_t i = 0; i < wanted; i++)
         rule.needed[cf_random_below(&r, MOST_THINGS)] = true;
      memset(keep, true, sizeof(keep));
      reduce_ddmin(rule.count, 1, keep, &test);
      assert_memory_equal(keep, rule.needed, rule.count);
      assert_true(rule.tests <= 1 + 22 * (wanted + 1));
   }
}

static void
test_boundaries(void **state)
{
   (void)state;
   struct rule rule = { .count = 1 };
   const struct reduce_test test = { count_and_say, &rule };
   bool keep[8] = { true };
   assert_int_equal(reduce_ddmin(0, 1, keep, &test), 0);
   assert_int_equal(rule.tests, 0);
   assert_int_equal(reduce_ddmin(1, 1, keep, &test), 0);
   keep[0] = rule.needed[0] = true;
   assert_int_equal(reduce_ddmin(1, 1, keep, &test), 1);
   /* what is out at the beginning stays out, and is not asked for */
   rule = (struct rule){ .count = 8 };
   memset(keep, false, sizeof(keep));
   keep[3] = keep[5] = rule.needed[5] = true;
   assert_int_equal(reduce_ddmin(8, 1, keep, &test), 1);
   assert_true(keep[5] && !keep[3] && !keep[0]);
}

/* Runs are not shorter than the least. */
static void
test_least(void **state)
{
   (void)state;
   struct rule rule = { .count = 64 };
   const struct reduce_test test = { count_and_say, &rule };
   bool keep[64];
   rule.needed[17] = true;
   memset(keep, true, sizeof(keep));
   assert_int_equal(reduce_ddmin(64, 8, keep, &test), 8);
   assert_true(keep[16] && keep[23] && !keep[15] && !keep[24]);
   memset(keep, true, sizeof(keep));
   rule.tests = 0;
   assert_int_equal(reduce_ddmin(64, 100, keep, &test), 64);
   assert_int_equal(rule.tests, 1);
}

/* ------------------------------------------------------------------ programs */

#define PROGRAM_REGISTERS 12
#define MOST_INSTRUCTIONS 200

/* Random structured programs of vector registers. */
struct maker {
   struct cf_random r;
   struct cf_instr instr[MOST_INSTRUCTIONS];
   uint32_t count;
};

static struct cf_reg
some_register(struct maker *m)
{
   return cf_v(cf_random_below(&m->r, PROGRAM_REGISTERS));
}

static void
emit(struct maker *m, struct cf_instr instr)
{
   m->instr[m->count++] = instr;
}

static void
emit_body(struct maker *m, uint32_t depth, bool loop)
{
   for (uint32_t n = 1 + cf_random_below(&m->r, 4); n-- > 0 && m->count < 120;) {
      const uint32_t what = cf_random_below(&m->r, 10);
      if (what < 4 || depth == 3) {
         emit(m, (struct cf_instr){ .op = CF_OP_FADD,
                                    .dst = some_register(m),
                                    .src = { some_register(m), some_register(m) } });
      } else if (what == 4) {
         emit(m, (struct cf_instr){ .op = CF_OP_OUTF,
                                    .src = { some_register(m) },
                                    .index = (uint8_t)cf_random_below(&m->r, 4) });
      } else if (what == 5 && loop) {
         emit(m, (struct cf_instr){ .op = CF_OP_BRK, .src = { some_register(m) } });
      } else if (what == 6) {
         emit(m, (struct cf_instr){ .op = CF_OP_KILL, .src = { some_register(m) } });
      } else if (what == 7) {
         emit(m, (struct cf_instr){ .op = CF_OP_LOOP });
         emit_body(m, depth + 1, true);
         emit(m, (struct cf_instr){ .op = CF_OP_BRK, .src = { some_register(m) } });
         emit(m, (struct cf_instr){ .op = CF_OP_ENDLOOP });
      } else {
         emit(m, (struct cf_instr){ .op = CF_OP_IF, .src = { some_register(m) } });
         emit_body(m, depth + 1, loop);
         if (what == 8) {
            emit(m, (struct cf_instr){ .op = CF_OP_ELSE });
            emit_body(m, depth + 1, loop);
         }
         emit(m, (struct cf_instr){ .op = CF_OP_ENDIF });
      }
   }
}

/* `defined` registers are written at the beginning. */
static struct reduce_code
random_code(uint64_t seed, uint32_t defined)
{
   struct maker m = { .r = { seed } };
   for (uint32_t i = 0; i < defined; i++)
      emit(&m, (struct cf_instr){ .op = CF_OP_MOVI, .dst = cf_v(i), .imm = i + 1 });
   emit_body(&m, 0, false);
   for (uint8_t i = 0; i < 4; i++)
      emit(&m, (struct cf_instr){ .op = CF_OP_OUTF, .src = { some_register(&m) }, .index = i });
   emit(&m, (struct cf_instr){ .op = CF_OP_END });
   struct reduce_code code = { reduce_allocate(sizeof(m.instr)), m.count };
   bool keep[MOST_INSTRUCTIONS];
   memset(keep, true, sizeof(keep));
   memcpy(code.instr, m.instr, m.count * sizeof(*m.instr));
   reduce_code_straighten(&code, keep, REDUCE_THEN); /* changes nothing, but sets targets */
   assert_int_equal(code.count, m.count);
   return code;
}

/* The GPU's own check. */
static void
check_valid(const struct reduce_code *code, uint64_t seed)
{
   const struct cf_program info = { .code_instrs = code->count,
                                    .stage = CF_SHADER_STAGE_FRAGMENT,
                                    .vector_regs = 128,
                                    .scalar_regs = 128,
                                    .outputs = 4,
                                    .uses_kill = true };
   char error[200];
   uint64_t *words = reduce_allocate(8 * (size_t)code->count);
   assert_true(reduce_code_encode(code, words));
   struct cf_decoded *decoded = cf_program_decode(&info, words, error, sizeof(error));
   if (!decoded) {
      cf_disassemble(stdout, words, code->count);
      fail_msg("seed %llu: %s", (unsigned long long)seed, error);
   }
   cf_program_free(decoded);
   free(words);
}

/* A run along one way: bit n of `way` is what the n-th if does. Values are hashes of how they came
 * about; loops run once. */
struct symbolic {
   uint64_t value[PROGRAM_REGISTERS], out[4];
   bool written[PROGRAM_REGISTERS], undefined[PROGRAM_REGISTERS];
   uint32_t ifs; /* met */
};

static uint64_t
mixed(uint64_t hash, uint64_t value)
{
   return ((hash ^ value) * 0x100000001b3u) ^ hash >> 29;
}

static uint64_t
read_value(struct symbolic *s, struct cf_reg reg)
{
   if (reg.kind != CF_KIND_V)
      return reg.kind == CF_KIND_INLINE && reg.index == 0 ? 0 : 1000 + reg.index;
   s->undefined[reg.index] |= !s->written[reg.index];
   return s->value[reg.index];
}

/* Skip to the end of a part: after its else or endif. */
static uint32_t
after_part(const struct reduce_code *code, uint32_t at)
{
   for (int depth = 0;; at++) {
      const enum cf_op op = code->instr[at].op;
      if (depth == 0 && (op == CF_OP_ELSE || op == CF_OP_ENDIF))
         return at + 1;
      depth += op == CF_OP_IF || op == CF_OP_LOOP;
      depth -= op == CF_OP_ENDIF || op == CF_OP_ENDLOOP;
   }
}

static struct symbolic
run_symbolic(const struct reduce_code *code, uint64_t way)
{
   struct symbolic s = { 0 };
   for (uint32_t at = 0; at < code->count;) {
      const struct cf_instr *i = &code->instr[at++];
      const struct cf_op_info *info = cf_op_info(i->op);
      uint64_t hash = mixed(i->op, i->imm);
      for (uint32_t k = 0; k < info->sources; k++)
         hash = mixed(hash, read_value(&s, i->src[k]));
      if (i->op == CF_OP_MOVI)
         hash = i->imm;
      if (info->has_dst) {
         s.value[i->dst.index] = hash;
         s.written[i->dst.index] = true;
      }
      if (i->op == CF_OP_OUTF)
         s.out[i->index] = read_value(&s, i->src[0]);
      else if (i->op == CF_OP_IF && !(way >> (s.ifs++ & 63) & 1))
         at = after_part(code, at);
      else if (i->op == CF_OP_ELSE)
         at = after_part(code, at);
   }
   return s;
}

#define PROGRAMS 400
#define WAYS 64

static void
test_dead(void **state)
{
   (void)state;
   uint32_t removed = 0;
   for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
      struct reduce_code code = random_code(seed, PROGRAM_REGISTERS);
      struct reduce_code less = reduce_code_copy(&code);
      reduce_code_remove_dead(&less);
      check_valid(&less, seed);
      removed += code.count - less.count;
      for (uint64_t way = 0; way < WAYS; way++) {
         const struct symbolic a = run_symbolic(&code, way), b = run_symbolic(&less, way);
         assert_memory_equal(a.out, b.out, sizeof(a.out));
      }
      reduce_code_free(&code);
      reduce_code_free(&less);
   }
   assert_true(removed > PROGRAMS); /* it does something */
}

/* Programs of no branches keep nothing that is not needed. */
static void
test_dead_straight(void **state)
{
   (void)state;
   static const char text[] = "movi v0, 1.0\nfadd v1, v0, v0\nmovi v1, 2.0\nfmul v2, v1, v0\n"
                              "movi v0, 3.0\noutf 0, v1\nend\n",
                     expected[] = "movi v1, 2.0\noutf 0, v1\nend\n";
   uint64_t *words, *wanted, out[16];
   unsigned count, wanted_count;
   char error[200];
   struct reduce_code code;
   assert_true(cf_assemble_text(text, &words, &count, error, sizeof(error)));
   assert_true(cf_assemble_text(expected, &wanted, &wanted_count, error, sizeof(error)));
   assert_true(reduce_code_decode(words, count, &code));
   reduce_code_remove_dead(&code);
   assert_int_equal(code.count, wanted_count);
   assert_true(reduce_code_encode(&code, out));
   assert_memory_equal(out, wanted, 8 * wanted_count);
   reduce_code_free(&code);
   free(words);
   free(wanted);
}

/* With all branches straight, what comes out is what came out along that way. */
static void
test_straight(void **state)
{
   (void)state;
   for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
      for (int branch = REDUCE_THEN; branch <= REDUCE_ELSE; branch++) {
         struct reduce_code code = random_code(seed, PROGRAM_REGISTERS);
         struct reduce_code less = reduce_code_copy(&code);
         bool *keep = reduce_allocate(code.count);
         reduce_code_straighten(&less, keep, branch);
         check_valid(&less, seed);
         const struct symbolic a = run_symbolic(&code, branch == REDUCE_THEN ? UINT64_MAX : 0),
                               b = run_symbolic(&less, 0);
         assert_memory_equal(a.out, b.out, sizeof(a.out));
         for (uint32_t i = 0; i < less.count; i++)
            assert_true(less.instr[i].op != CF_OP_IF);
         reduce_code_free(&code);
         reduce_code_free(&less);
         free(keep);
      }
   }
}

/* Where a branch was made straight, no register is read before it is written, along any way. */
static void
test_defined(void **state)
{
   (void)state;
   uint32_t undefined = 0;
   for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
      struct cf_random r = { seed };
      struct reduce_code code = random_code(seed, PROGRAM_REGISTERS - 2);
      bool *keep = reduce_allocate(code.count), any = false;
      for (uint64_t way = 0; way < WAYS; way++) {
         const struct symbolic s = run_symbolic(&code, way);
         for (uint32_t v = 0; v < PROGRAM_REGISTERS; v++)
            undefined += s.undefined[v];
      }
      for (uint32_t i = 0; i < code.count; i++) {
         keep[i] = cf_random_below(&r, 2);
         any |= !keep[i];
      }
      reduce_code_straighten(&code, keep, seed % 2 ? REDUCE_THEN : REDUCE_ELSE);
      check_valid(&code, seed);
      for (uint64_t way = 0; way < WAYS && any; way++) {
         const struct symbolic s = run_symbolic(&code, way);
         for (uint32_t v = 0; v < PROGRAM_REGISTERS; v++) {
            if (s.undefined[v])
               fail_msg("seed %llu: v%u", (unsigned long long)seed, v);
         }
      }
      reduce_code_free(&code);
      free(keep);
   }
   assert_true(undefined > 0);
}

/* Constants in the place of all work. */
static void
test_constants(void **state)
{
   (void)state;
   for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
      struct reduce_code code = random_code(seed, PROGRAM_REGISTERS);
      bool *keep = reduce_allocate(code.count);
      reduce_code_replace(&code, keep, 0);
      check_valid(&code, seed);
      const struct symbolic s = run_symbolic(&code, seed);
      for (uint32_t i = 0; i < 4; i++)
         assert_true(s.out[i] == 0);
      for (uint32_t i = 0; i < code.count; i++)
         assert_false(reduce_code_is_work(&code.instr[i]));
      reduce_code_free(&code);
      free(keep);
   }
}

/* Instructions that write four registers, and scalars. */
static void
test_constants_of_four(void **state)
{
   (void)state;
   static const char text[] = "tex v4.xw, 0, v0, v0, 0.0, 0.0, implicit\nmov s3, u2\n"
                              "demote v4, 3\nend\n",
                     expected[] = "movi v4, 1.0\nmovi v7, 1.0\nmovi s3, 1.0\nend\n";
   uint64_t *words, *wanted, out[16];
   unsigned count, wanted_count;
   char error[200];
   struct reduce_code code;
   bool keep[4] = { false };
   assert_true(cf_assemble_text(text, &words, &count, error, sizeof(error)));
   assert_true(cf_assemble_text(expected, &wanted, &wanted_count, error, sizeof(error)));
   assert_true(reduce_code_decode(words, count, &code));
   reduce_code_replace(&code, keep, 0x3f800000);
   assert_int_equal(code.count, wanted_count);
   assert_true(reduce_code_encode(&code, out));
   assert_memory_equal(out, wanted, 8 * wanted_count);
   reduce_code_free(&code);
   free(words);
   free(wanted);
}

/* ------------------------------------------------------------------ fields */

static const struct cf_record *
record_named(const char *name)
{
   static const struct cf_record *const structures[] = { &cf_texture_record, &cf_sampler_record,
                                                         &cf_link_record };
   for (uint32_t i = 0; i < sizeof(structures) / sizeof(*structures); i++) {
      if (!strcmp(structures[i]->name, name))
         return structures[i];
   }
   for (uint32_t opcode = 0; opcode < 256; opcode++) {
      const struct cf_record *packet = cf_packet_record(opcode);
      if (packet && !strcmp(packet->name, name))
         return packet;
   }
   return NULL;
}

/* Rules name packets and descriptors, and fields of theirs. */
static void
test_fields(void **state)
{
   (void)state;
   for (uint32_t i = 0; i < sizeof(reduce_field_rules) / sizeof(*reduce_field_rules); i++) {
      const struct reduce_field_rule *rule = &reduce_field_rules[i];
      const struct cf_record *record = record_named(rule->record);
      if (!record || (rule->field && !cf_record_field(record, rule->field)))
         fail_msg("no %s has '%s'", rule->record, rule->field ? rule->field : "fields");
   }
   for (uint32_t i = 0; i < sizeof(reduce_beyond_gles) / sizeof(*reduce_beyond_gles); i++) {
      if (!cf_record_field(&cf_texture_record, reduce_beyond_gles[i]) &&
          !cf_record_field(&cf_sampler_record, reduce_beyond_gles[i]))
         fail_msg("no texture or sampler has '%s'", reduce_beyond_gles[i]);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_minimal),    cmocka_unit_test(test_needed),
      cmocka_unit_test(test_boundaries), cmocka_unit_test(test_least),
      cmocka_unit_test(test_dead),       cmocka_unit_test(test_dead_straight),
      cmocka_unit_test(test_straight),   cmocka_unit_test(test_defined),
      cmocka_unit_test(test_constants),  cmocka_unit_test(test_constants_of_four),
      cmocka_unit_test(test_fields),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
