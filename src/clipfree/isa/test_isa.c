/* SPDX-License-Identifier: MIT */
/*
 * Encoder, decoder, assembler and disassembler: the case file both ways, every operation covered,
 * random words, programs with labels. Argument: the case file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/isa/cf_asm.h"

static const char *case_path;

/* The allocation that fails, counted down; 0: none. The linker leads the room's calls here. */
static unsigned allocations_left;

void *__real_calloc(size_t count, size_t size_B);
void *__real_realloc(void *memory, size_t size_B);
void *__wrap_calloc(size_t count, size_t size_B);
void *__wrap_realloc(void *memory, size_t size_B);

static bool
grants(void)
{
   return !allocations_left || --allocations_left;
}

void *
__wrap_calloc(size_t count, size_t size_B)
{
   return grants() ? __real_calloc(count, size_B) : NULL;
}

void *
__wrap_realloc(void *memory, size_t size_B)
{
   return grants() ? __real_realloc(memory, size_B) : NULL;
}

static void
check_positive(const char *line)
{
   char *text, shown[128], error[200];
   const uint64_t word = strtoull(line, &text, 16);
   struct cf_instr instr;
   const char *reason;
   uint64_t *code;
   unsigned count;
   text++;
   if (!cf_instr_decode(word, &instr, &reason))
      fail_msg("%s: decode: %s", line, reason);
   assert_int_equal(cf_disassemble_instr(&instr, shown, sizeof(shown)), strlen(text));
   assert_string_equal(shown, text);
   assert_int_equal(cf_instr_encode(&instr), word);
   if (!cf_assemble_text(text, &code, &count, error, sizeof(error)))
      fail_msg("%s: assemble: %s", line, error);
   assert_int_equal(count, 1);
   assert_int_equal(code[0], word);
   free(code);
}

static void
check_negative(char *line)
{
   char *expected = strstr(line, " => ");
   assert_non_null(expected);
   *expected = '\0';
   expected += strlen(" => ");
   if (line[1] == ' ') {
      uint64_t *code;
      unsigned count;
      char error[200] = "";
      assert_false(cf_assemble_text(line + 2, &code, &count, error, sizeof(error)));
      if (!strstr(error, expected))
         fail_msg("'%s': '%s' does not contain '%s'", line, error, expected);
   } else {
      struct cf_instr instr;
      const char *error = "";
      assert_false(cf_instr_decode(strtoull(line + 1, NULL, 16), &instr, &error));
      if (!strstr(error, expected))
         fail_msg("'%s': '%s' does not contain '%s'", line, error, expected);
   }
}

static void
test_cases(void **state)
{
   (void)state;
   bool seen[CF_OP_LIMIT] = { false };
   unsigned cases = 0;
   char line[200];
   FILE *file = fopen(case_path, "r");
   assert_non_null(file);
   while (fgets(line, sizeof(line), file)) {
      line[strcspn(line, "\n")] = '\0';
      if (!line[0] || line[0] == '#')
         continue;
      cases++;
      if (line[0] == '!') {
         check_negative(line);
      } else {
         check_positive(line);
         seen[strtoull(line, NULL, 16) & 0xff] = true;
      }
   }
   fclose(file);
   assert_true(cases > 150);
   for (unsigned op = 0; op < CF_OP_LIMIT; op++) {
      if (cf_ops[op].name && !seen[op])
         fail_msg("no case for %s", cf_ops[op].name);
   }
}

/* A word that decodes encodes to itself, and its disassembly assembles to it. */
static void
test_random_words(void **state)
{
   (void)state;
   struct cf_random seeds = cf_random_seed("isa test_random_words");
   const uint64_t seed = cf_random_u64(&seeds) | 1;
   uint64_t x = seed;
   unsigned decoded = 0;
   for (unsigned i = 0; i < 400000; i++) {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      const struct cf_op_info *info = cf_op_info(x & 0xff);
      const uint64_t word = info ? x & ~cf_forms[info->form].reserved : x;
      struct cf_instr instr;
      const char *reason = NULL;
      if (!cf_instr_decode(word, &instr, &reason)) {
         assert_non_null(reason);
         continue;
      }
      decoded++;
      assert_int_equal(cf_instr_encode(&instr), word);
      if (decoded % 8 == 0) {
         char text[128], line[160], error[200];
         uint64_t *code;
         unsigned count;
         cf_disassemble_instr(&instr, text, sizeof(text));
         snprintf(line, sizeof(line), "%016llx %s", (unsigned long long)word, text);
         assert_true(cf_assemble_text(text, &code, &count, error, sizeof(error)));
         assert_int_equal(code[0], word);
         free(code);
      }
   }
   assert_true(decoded > 20000);
}

static void
test_inline(void **state)
{
   (void)state;
   const float half = 0.5f, ten = 10.0f;
   uint32_t bits;
   assert_int_equal(cf_inline_value(0), 0);
   assert_int_equal(cf_inline_value(63), 63);
   assert_int_equal(cf_inline_value(64), 0xffffffff);
   assert_int_equal(cf_inline_value(79), 0xfffffff0);
   memcpy(&bits, &half, 4);
   assert_int_equal(cf_inline_index(bits), 80);
   memcpy(&bits, &ten, 4);
   assert_int_equal(cf_inline_value((unsigned)cf_inline_index(bits)), bits);
   assert_int_equal(cf_inline_index(0x80000000), -1);
   assert_int_equal(cf_inline_index(64), -1);
   for (unsigned i = 0; i < 128; i++) {
      if (i < CF_INLINE_FLOAT_0 + cf_inline_float_count)
         assert_int_equal(cf_inline_index(cf_inline_value(i)), i);
      else
         assert_int_equal(cf_inline_value(i), 0);
   }
}

/* By the operation: moves and what is loaded may be floats; comparisons and integers are none. */
static void
test_makes_float(void **state)
{
   static const struct {
      const char *text;
      bool makes_float;
   } cases[] = {
      { "mov v0, v1", true },        { "fadd v0, v1, v2", true }, { "frcp v0, v1", true },
      { "ldu v0, 0[v1 + 4]", true }, { "fneg v0, v1", true },     { "iadd v0, v1, v2", false },
      { "flt v0, v1, v2", false },   { "f2i v0, v1", false },     { "end", false },
   };
   (void)state;
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      uint64_t *code;
      unsigned count;
      char error[256];
      const char *why;
      struct cf_instr instr;
      if (!cf_assemble_text(cases[i].text, &code, &count, error, sizeof(error)))
         fail_msg("%s: %s", cases[i].text, error);
      assert_true(cf_instr_decode(code[0], &instr, &why));
      assert_int_equal(cf_instr_makes_float(&instr), cases[i].makes_float);
      free(code);
   }
}

static void
test_labels(void **state)
{
   (void)state;
   static const char text[] = "# a loop\n"
                              "   movi s0, 10.5e0 # literal\n"
                              "   loop\n"
                              "start:   brk v0, done\n"
                              "again:here: if v1, out1\n"
                              "\n"
                              "     mov v0, -1\n"
                              "out1: endif\n"
                              "done: endloop start\n"
                              "end";
   uint64_t *code, *code2;
   unsigned count, count2;
   char error[200], *listing;
   size_t size;
   assert_true(cf_assemble_text(text, &code, &count, error, sizeof(error)));
   assert_int_equal(count, 8);
   assert_int_equal(code[2] >> 32, 6);
   assert_int_equal(code[3] >> 32, 5);
   assert_int_equal(code[6] >> 32, 2);
   assert_int_equal(code[0] >> 32, 0x41280000);

   FILE *file = open_memstream(&listing, &size);
   cf_disassemble(file, code, count);
   fclose(file);
   assert_non_null(strstr(listing, "L6:"));
   assert_non_null(strstr(listing, "# 10.5"));
   assert_true(cf_assemble_text(listing, &code2, &count2, error, sizeof(error)));
   assert_int_equal(count2, count);
   assert_memory_equal(code, code2, count * sizeof(*code));
   free(listing);
   free(code);
   free(code2);
}

static void
comment_on_some(void *user, unsigned instr, char *text, size_t size)
{
   if (instr != 1)
      snprintf(text, size, "%s %u", (const char *)user, instr);
}

static void
test_comments(void **state)
{
   (void)state;
   uint64_t *code, *code2;
   unsigned count, count2;
   char error[200], *listing, user[] = "line";
   size_t size;
   static const char program[] = "movi s0, 10.5\nnot s0, s0\nend";
   assert_true(cf_assemble_text(program, &code, &count, error, sizeof(error)));
   FILE *file = open_memstream(&listing, &size);
   cf_disassemble_commented(file, code, count, comment_on_some, user);
   fclose(file);
   assert_non_null(strstr(listing, "# 10.5"));
   assert_non_null(strstr(listing, " # line 0\n"));
   assert_non_null(strstr(listing, "not s0, s0\n"));
   assert_non_null(strstr(listing, " # line 2\n"));
   assert_true(cf_assemble_text(listing, &code2, &count2, error, sizeof(error)));
   assert_int_equal(count2, count);
   assert_memory_equal(code, code2, count * sizeof(*code));
   free(listing);
   free(code);
   free(code2);
}

static void
test_text_errors(void **state)
{
   (void)state;
   uint64_t *code = (uint64_t *)1;
   unsigned count;
   char error[200];
   assert_false(cf_assemble_text("end\n\nmov v1, 0.3", &code, &count, error, sizeof(error)));
   assert_non_null(strstr(error, "line 3:"));
   assert_null(code);
   assert_false(cf_assemble_text("a: end\na: end", &code, &count, error, sizeof(error)));
   assert_non_null(strstr(error, "line 2: label 'a' is defined twice"));
   assert_true(cf_assemble_text("", &code, &count, error, sizeof(error)));
   assert_int_equal(count, 0);
   free(code);
}

/* Messages are cut to the room that there is; lines of another system end in another way. */
static void
test_small_messages(void **state)
{
   (void)state;
   uint64_t *code;
   unsigned count;
   char error[200], whole[200];
   assert_false(cf_assemble_text("nope", &code, &count, whole, sizeof(whole)));
   for (size_t room_B = 1; room_B <= sizeof("line 1: unknown"); room_B++) {
      memset(error, '?', sizeof(error));
      assert_false(cf_assemble_text("nope", &code, &count, error, room_B));
      assert_int_equal(strlen(error), room_B - 1);
      assert_memory_equal(error, whole, room_B - 1);
      assert_int_equal(error[room_B], '?');
   }
   assert_true(cf_assemble_text("mov v1, v2\r\nend\r\n", &code, &count, error, sizeof(error)));
   assert_int_equal(count, 2);
   free(code);
}

/* Each allocation fails: of the first label and one more, and of the code. */
static void
test_no_memory(void **state)
{
   (void)state;
   for (unsigned n = 1; n <= 4; n++) {
      uint64_t *code;
      unsigned count;
      char error[200] = "";
      allocations_left = n;
      const bool done =
         cf_assemble_text("a: mov v1, v2\nb: end", &code, &count, error, sizeof(error));
      allocations_left = 0;
      assert_int_equal(done, n == 4);
      assert_int_equal(code != NULL, done);
      assert_true(done || strstr(error, "out of memory"));
      free(code);
   }
}

/* A text that does not fit is truncated, and its full length is returned. */
static void
test_cut(void **state)
{
   (void)state;
   const struct cf_instr instr = cf_make_fadd(cf_v(100), cf_v(101), cf_v(102));
   char text[8];
   assert_int_equal(cf_disassemble_instr(&instr, text, sizeof(text)),
                    strlen("fadd v100, v101, v102"));
   assert_string_equal(text, "fadd v1");
   assert_int_equal(cf_disassemble_instr(&instr, NULL, 0), strlen("fadd v100, v101, v102"));
   for (size_t size_B = 1; size_B < sizeof("fadd v100, v101, v102"); size_B++) {
      char room[32] = "";
      assert_int_equal(cf_disassemble_instr(&instr, room, size_B), strlen("fadd v100, v101, v102"));
      assert_int_equal(strlen(room), size_B - 1);
      assert_memory_equal(room, "fadd v100, v101, v102", size_B - 1);
   }
}

/* What is no instruction is shown nevertheless. */
static void
test_unknown(void **state)
{
   (void)state;
   char text[64];
   struct cf_instr instr = cf_make_fadd(cf_v(1), cf_v(2), cf_v(3));
   instr.op = (enum cf_op)250;
   assert_int_equal(cf_disassemble_instr(&instr, text, sizeof(text)), 1);
   assert_string_equal(text, "?");
   instr = cf_make_sys(cf_v(1), (enum cf_sysval)255);
   assert_int_equal(cf_disassemble_instr(&instr, text, sizeof(text)), strlen("sys v1, ?"));
   assert_string_equal(text, "sys v1, ?");
}

static char *
listing_of(const uint64_t *code, unsigned count)
{
   char *listing;
   size_t size;
   FILE *file = open_memstream(&listing, &size);
   cf_disassemble(file, code, count);
   fclose(file);
   return listing;
}

/* Targets have labels if they are of the code that is shown, and if there is memory. */
static void
test_targets_elsewhere(void **state)
{
   (void)state;
   uint64_t *code;
   unsigned count;
   char error[200];
   assert_true(cf_assemble_text("if v1, out\nmov v0, -1\nout: endif\nend", &code, &count, error,
                                sizeof(error)));
   assert_int_equal(count, 4);
   char *whole = listing_of(code, 4), *part = listing_of(code, 2), *up_to = listing_of(code, 3);
   allocations_left = 1;
   char *without = listing_of(code, 4);
   allocations_left = 0;
   assert_non_null(strstr(whole, "if v1, L2\n"));
   assert_non_null(strstr(whole, "L2:\n"));
   assert_non_null(strstr(up_to, "L2:\n"));
   assert_string_equal(part, "   if v1, 2\n   mov v0, -1\n");
   assert_string_equal(without, "   if v1, 2\n   mov v0, -1\n   endif\n   end\n");
   free(whole);
   free(part);
   free(up_to);
   free(without);
   free(code);
}

/* A literal is explained as a number if it is likely to be one: 1e-10 .. 1e10, of either sign. */
static void
test_literals(void **state)
{
   (void)state;
   static const struct {
      const char *literal, *comment;
   } cases[] = {
      { "1.5", " # 1.5\n" },
      { "-2.0", " # -2.0\n" },
      { "1.0e10", " # 1e+10\n" },
      { "1.1e10", NULL },
      { "1.1e-10", " # 1.1e-10\n" },
      { "0.9e-10", NULL },
      { "-1.1e10", NULL },
      { "0x7f800000", NULL },
      { "0xff800000", NULL },
      { "0x7fc00000", NULL },
      { "0", NULL },
   };
   for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      uint64_t *code;
      unsigned count;
      char program[64], error[200];
      snprintf(program, sizeof(program), "movi s0, %s\nend", cases[i].literal);
      if (!cf_assemble_text(program, &code, &count, error, sizeof(error)))
         fail_msg("%s: %s", program, error);
      char *listing = listing_of(code, count);
      if (cases[i].comment ? !strstr(listing, cases[i].comment) : strchr(listing, '#') != NULL)
         fail_msg("%s: %s", program, listing);
      free(listing);
      free(code);
   }
}

static void
test_check(void **state)
{
   (void)state;
   struct cf_instr instr = cf_make_fadd(cf_v(1), cf_s(2), cf_u(3));
   assert_null(cf_instr_check(&instr));
   instr.src[0].index = 128;
   assert_non_null(cf_instr_check(&instr));
   instr = cf_make_ldu(cf_v(1), 16, cf_v(0), 0);
   assert_non_null(cf_instr_check(&instr));
   instr = cf_make_mov(cf_u(1), cf_v(0));
   assert_non_null(cf_instr_check(&instr));
   instr.op = (enum cf_op)250;
   assert_non_null(cf_instr_check(&instr));
}

int
main(int argc, char **argv)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases),       cmocka_unit_test(test_random_words),
      cmocka_unit_test(test_inline),      cmocka_unit_test(test_labels),
      cmocka_unit_test(test_makes_float), cmocka_unit_test(test_comments),
      cmocka_unit_test(test_text_errors), cmocka_unit_test(test_small_messages),
      cmocka_unit_test(test_no_memory),   cmocka_unit_test(test_cut),
      cmocka_unit_test(test_check),       cmocka_unit_test(test_unknown),
      cmocka_unit_test(test_literals),    cmocka_unit_test(test_targets_elsewhere),
   };
   if (argc != 2) {
      fprintf(stderr, "usage: %s cases.txt\n", argv[0]);
      return 2;
   }
   case_path = argv[1];
   return cmocka_run_group_tests(tests, NULL, NULL);
}
