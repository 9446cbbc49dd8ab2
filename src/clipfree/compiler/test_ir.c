/* SPDX-License-Identifier: MIT */
/*
 * The rules of the IR, and of register allocation: programs that break one are printed with it, and
 * the compiler aborts. And the IR as text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cf_ir.h"
#include "util/macros.h"
#include "util/ralloc.h"

static sigjmp_buf aborted;

static void
leave(int number)
{
   siglongjmp(aborted, number);
}

/* What validation prints before it aborts; "" if it returns. Checks the allocation if there is one.
 * The caller frees it. */
static char *
refusal(const struct cf_ir *ir, const struct cf_ra_result *regs)
{
   static char *text;
   static size_t size;
   struct sigaction before, action = { .sa_handler = leave };
   FILE *const real = stderr;
   stderr = open_memstream(&text, &size);
   sigaction(SIGABRT, &action, &before);
   if (!sigsetjmp(aborted, 1)) {
      if (regs)
         cf_validate_ra(ir, regs);
      else
         cf_validate_ir(ir, "test");
   }
   sigaction(SIGABRT, &before, NULL);
   fclose(stderr);
   stderr = real;
   return text;
}

static void
assert_accepted(const struct cf_ir *ir, const struct cf_ra_result *regs)
{
   char *text = refusal(ir, regs);
   assert_string_equal(text, "");
   free(text);
}

/* The rule is named with the instruction that breaks it, before the program. */
static void
assert_refused(const struct cf_ir *ir, const struct cf_ra_result *regs, unsigned at,
               const char *rule)
{
   char expected[160], *text = refusal(ir, regs);
   snprintf(expected, sizeof(expected), "clipfree compiler: after %s: instruction %u: %s\n   0:",
            regs ? "register allocation" : "test", at, rule);
   if (strncmp(text, expected, strlen(expected)))
      fail_msg("'%s' instead of '%s'", text, expected);
   free(text);
}

/* ---- rules of the IR */

#define NONE CF_NO_VREG
#define VREG(v)                                                                                    \
   {                                                                                               \
      CF_SRC_VREG, v                                                                               \
   }
#define UNIFORM(u)                                                                                 \
   {                                                                                               \
      CF_SRC_UNIFORM, u                                                                            \
   }
#define CONSTANT(c)                                                                                \
   {                                                                                               \
      CF_SRC_CONST, c                                                                              \
   }

/* Virtual registers of the program below; `unwritten` is the last. */
enum { vector, scalar, group, unwritten = group + 4, vregs };

static const struct cf_ir_instr program[] = {
   { CF_OP_LOOP, NONE },
   { CF_OP_IF, NONE, { UNIFORM(0) } },
   { CF_OP_MOV, vector, { CONSTANT(1) } },
   { CF_OP_ELSE, NONE },
   { CF_OP_MOV, vector, { UNIFORM(CF_UNIFORM_OPERANDS - 1) } },
   { CF_OP_ENDIF, NONE },
   { CF_OP_BRK, NONE, { VREG(vector) } },
   { CF_OP_ENDLOOP, NONE },
   { CF_OP_MOV, scalar, { UNIFORM(1) } },
   { CF_OP_TEX, group, { VREG(vector), VREG(scalar), CONSTANT(0), CONSTANT(0) }, .mask = 15 },
   { CF_OP_OUT, NONE, { VREG(group + 3) } },
   { CF_OP_END, NONE },
};

static struct cf_ir *
create_program(void)
{
   struct cf_ir *ir = cf_ir_create(NULL);
   cf_ir_vreg(ir, false);
   cf_ir_vreg(ir, true);
   cf_ir_group(ir);
   cf_ir_vreg(ir, false);
   for (unsigned i = 0; i < ARRAY_SIZE(program); i++)
      cf_ir_append_copy(ir, &program[i]);
   return ir;
}

static const struct {
   unsigned at; /* the instruction that is another one */
   struct cf_ir_instr instr;
   const char *rule;
} faults[] = {
   { 2, { CF_OP_LIMIT, vector, { CONSTANT(1) } }, "no such operation" },
   /* operands */
   { 2, { CF_OP_MOV, vector }, "wrong number of operands" },
   { 2, { CF_OP_MOV, vector, { CONSTANT(1), CONSTANT(1) } }, "wrong number of operands" },
   { 10, { CF_OP_OUT, NONE, { VREG(vregs) } }, "operand does not exist" },
   { 2, { CF_OP_MOV, vector, { UNIFORM(CF_UNIFORM_OPERANDS) } }, "uniform operand out of range" },
   { 10, { CF_OP_OUT, NONE, { VREG(unwritten) } }, "operand is read before it is written" },
   /* destinations */
   { 2, { CF_OP_MOV, NONE, { CONSTANT(1) } }, "destination missing or not wanted" },
   { 10, { CF_OP_OUT, unwritten, { CONSTANT(1) } }, "destination missing or not wanted" },
   { 2, { CF_OP_MOV, vregs, { CONSTANT(1) } }, "destination does not exist" },
   { 9, { CF_OP_LDF, vregs - 3, { CONSTANT(1) } }, "destination does not exist" },
   { 9, { CF_OP_LDF, scalar, { CONSTANT(1) } }, "destination is not a group" },
   { 9, { CF_OP_LDF, group + 1, { CONSTANT(1) } }, "destination is not a group" },
   { 8, { CF_OP_SYS, scalar }, "destination must be a vector register" },
   { 8, { CF_OP_MOV, scalar, { VREG(vector) } }, "scalar destination with a vector operand" },
   /* markers: outside of all, in a loop, behind another else */
   { 10, { CF_OP_ELSE, NONE }, "else without if" },
   { 6, { CF_OP_ELSE, NONE }, "else without if" },
   { 4, { CF_OP_ELSE, NONE }, "else without if" },
   { 10, { CF_OP_ENDIF, NONE }, "endif without if" },
   { 6, { CF_OP_ENDIF, NONE }, "endif without if" },
   { 10, { CF_OP_ENDLOOP, NONE }, "endloop without loop" },
   { 4, { CF_OP_ENDLOOP, NONE }, "endloop without loop" },
   /* the end */
   { 10, { CF_OP_END, NONE }, "end is the last instruction and only that" },
   { 11, { CF_OP_OUT, NONE, { CONSTANT(1) } }, "end is the last instruction and only that" },
};

static void
test_rules(void **state)
{
   for (unsigned i = 0; i < ARRAY_SIZE(faults); i++) {
      struct cf_ir *ir = create_program();
      assert_accepted(ir, NULL);
      ir->instrs[faults[i].at] = faults[i].instr;
      assert_refused(ir, NULL, faults[i].at, faults[i].rule);
      ralloc_free(ir);
   }
}

/* Told behind the last instruction. */
static void
test_open_loop(void **state)
{
   struct cf_ir *ir = create_program();
   ir->instrs[7] = program[2];
   assert_refused(ir, NULL, ARRAY_SIZE(program), "if or loop is not closed");
   ralloc_free(ir);
}

/* What has an error already is no fault of a pass. */
static void
test_error(void **state)
{
   struct cf_ir *ir = create_program();
   ir->instrs[10].op = CF_OP_END;
   cf_ir_fail(ir, "the first reason");
   cf_ir_fail(ir, "another");
   assert_string_equal(ir->error, "the first reason");
   assert_accepted(ir, NULL);
   ralloc_free(ir);
}

/* What is nested too deep is refused later, with a reason; as deep as possible is checked. */
static void
test_deepest(void **state)
{
   for (unsigned depth = CF_MAX_NESTING; depth <= CF_MAX_NESTING + 1; depth++) {
      struct cf_ir *ir = cf_ir_create(NULL);
      for (unsigned i = 0; i < depth; i++)
         cf_ir_append(ir, CF_OP_LOOP, CF_NO_VREG, 0, NULL);
      for (unsigned i = 0; i < depth; i++)
         cf_ir_append(ir, CF_OP_ENDLOOP, CF_NO_VREG, 0, NULL);
      cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
      assert_accepted(ir, NULL);
      ir->instrs[2 * depth - 1].op = CF_OP_ENDIF;
      if (depth == CF_MAX_NESTING)
         assert_refused(ir, NULL, 2 * depth - 1, "endif without if");
      else
         assert_accepted(ir, NULL);
      ralloc_free(ir);
   }
}

/* ---- rules of allocation */

static struct cf_src
src_of(struct cf_ir *ir, uint32_t number)
{
   while (ir->vreg_count <= number)
      cf_ir_vreg(ir, false);
   return cf_src_vreg(number);
}

static void
move(struct cf_ir *ir, uint32_t dst, struct cf_src src)
{
   src_of(ir, dst);
   cf_ir_append(ir, CF_OP_MOV, dst, 1, &src);
}

static void
out(struct cf_ir *ir, uint32_t number)
{
   struct cf_src src = src_of(ir, number);
   cf_ir_append(ir, CF_OP_OUT, CF_NO_VREG, 1, &src);
}

#define FAULT "an operand's register holds something else"

/* Two values that are live together need two registers, of the same file. */
static void
test_shared_register(void **state)
{
   struct cf_ir *ir = cf_ir_create(NULL);
   move(ir, 0, cf_src_uniform(0));
   move(ir, 1, cf_src_uniform(1));
   out(ir, 0);
   out(ir, 1);
   cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
   uint8_t reg[] = { 0, 1 };
   const struct cf_ra_result regs = { .reg = reg };
   assert_accepted(ir, &regs);
   reg[1] = 0;
   assert_refused(ir, &regs, 2, FAULT);
   ir->vregs[1].scalar = true;
   assert_accepted(ir, &regs);
   ralloc_free(ir);
}

/* A copy may share the register of what it copies, until one of them is written. */
static void
test_shared_copy(void **state)
{
   struct cf_ir *ir = cf_ir_create(NULL);
   move(ir, 0, cf_src_uniform(0));
   move(ir, 1, src_of(ir, 0));
   out(ir, 0);
   out(ir, 1);
   cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
   uint8_t reg[] = { 3, 3 };
   const struct cf_ra_result regs = { .reg = reg };
   assert_accepted(ir, &regs);
   ir->instrs[2].op = CF_OP_MOV;
   ir->instrs[2].dst = 0;
   ir->instrs[2].src[0] = cf_src_uniform(2);
   assert_refused(ir, &regs, 3, FAULT);
   ralloc_free(ir);
}

/* A vector's copy of a scalar is in the other file: registers of equal numbers are different ones.
 */
static void
test_copy_of_scalar(void **state)
{
   struct cf_ir *ir = cf_ir_create(NULL);
   cf_ir_vreg(ir, true);
   move(ir, 0, cf_src_uniform(0));
   move(ir, 1, src_of(ir, 0));
   move(ir, 2, cf_src_uniform(1));
   out(ir, 0);
   out(ir, 1);
   cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
   uint8_t reg[] = { 3, 3, 4 };
   const struct cf_ra_result regs = { .reg = reg };
   assert_accepted(ir, &regs);
   reg[2] = 3;
   assert_refused(ir, &regs, 4, FAULT);
   ralloc_free(ir);
}

/* In the first round register 0 still holds what is read, in the second no more. */
static void
test_loop(void **state)
{
   struct cf_ir *ir = cf_ir_create(NULL);
   move(ir, 0, cf_src_uniform(0));
   cf_ir_append(ir, CF_OP_LOOP, CF_NO_VREG, 0, NULL);
   out(ir, 0);
   move(ir, 1, cf_src_uniform(1));
   struct cf_src condition = cf_src_vreg(1);
   cf_ir_append(ir, CF_OP_BRK, CF_NO_VREG, 1, &condition);
   cf_ir_append(ir, CF_OP_ENDLOOP, CF_NO_VREG, 0, NULL);
   cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
   uint8_t reg[] = { 0, 1 };
   const struct cf_ra_result regs = { .reg = reg };
   assert_accepted(ir, &regs);
   reg[1] = 0;
   assert_refused(ir, &regs, 2, FAULT);
   ralloc_free(ir);
}

/* Long programs are not checked: it would take too long. */
static void
test_long(void **state)
{
   for (unsigned count = 3000; count <= 3001; count++) {
      struct cf_ir *ir = cf_ir_create(NULL);
      move(ir, 0, cf_src_uniform(0));
      move(ir, 1, cf_src_uniform(1));
      while (ir->count < count - 1)
         out(ir, 0);
      cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
      uint8_t reg[] = { 0, 0 };
      const struct cf_ra_result regs = { .reg = reg };
      if (count == 3000)
         assert_refused(ir, &regs, 2, FAULT);
      else
         assert_accepted(ir, &regs);
      ralloc_free(ir);
   }
}

/* ---- text */

static void
expect_text(const struct cf_ir *ir, const struct cf_ra_result *regs, const char *expected)
{
   char *text;
   size_t size;
   FILE *file = open_memstream(&text, &size);
   cf_ir_print(file, ir, regs);
   fclose(file);
   assert_string_equal(text, expected);
   free(text);
}

/* Virtual registers have a %, allocated ones have none; markers indent what is between them. */
static void
test_text(void **state)
{
   struct cf_ir *ir = create_program();
   uint8_t reg[] = { 7, 8, 9, 10, 11, 12, 0 };
   const struct cf_ra_result regs = { .reg = reg };
   ir->count = 11;
   expect_text(ir, NULL,
               "   0:   loop   \n   1:      if      u0\n   2:         mov     %v0, 1\n"
               "   3:      else   \n   4:         mov     %v0, u127\n   5:      endif  \n"
               "   6:      brk     %v0\n   7:   endloop\n   8:   mov     %s1, u1\n"
               "   9:   tex     %v2, %v0, %s1, 0, 0, unit 0 mode 0 mask 0xf\n"
               "  10:   out     %v5, output 0\n");
   expect_text(ir, &regs,
               "   0:   loop   \n   1:      if      u0\n   2:         mov     v7, 1\n"
               "   3:      else   \n   4:         mov     v7, u127\n   5:      endif  \n"
               "   6:      brk     v7\n   7:   endloop\n   8:   mov     s8, u1\n"
               "   9:   tex     v9, v7, s8, 0, 0, unit 0 mode 0 mask 0xf\n"
               "  10:   out     v12, output 0\n");
   ralloc_free(ir);
}

/* Numbers as integers up to 4096, else as bits and as float; the fields of each operation. */
static void
test_text_of_fields(void **state)
{
   static const struct {
      struct cf_ir_instr instr;
      const char *text;
   } cases[] = {
      { { CF_OP_MOV, 0, { CONSTANT(4096) } }, "mov     %v0, 4096" },
      { { CF_OP_MOV, 0, { CONSTANT(4097) } }, "mov     %v0, 0x1001(5.74112e-42)" },
      { { CF_OP_MOV, 0, { CONSTANT(-4096u) } }, "mov     %v0, -4096" },
      { { CF_OP_MOV, 0, { CONSTANT(-4097u) } }, "mov     %v0, 0xffffefff(-nan)" },
      { { CF_OP_MOV, 0, { CONSTANT(0x3fc00000) } }, "mov     %v0, 0x3fc00000(1.5)" },
      { { CF_OP_MOV, 0 }, "mov     %v0, _" },
      { { CF_OP_LIMIT, 0 }, "?       %v0" },
      { { CF_OP_MOVI, 0, .imm = 0x80000001 }, "movi    %v0, 0x80000001" },
      { { CF_OP_LDU, 0, { CONSTANT(1) }, .bank = 2, .offset = 3 }, "ldu     %v0, 1, bank 2 + 3" },
      { { CF_OP_LDS, 0, { CONSTANT(1) }, .offset = 4 }, "lds     %v0, 1, + 4" },
      { { CF_OP_STS, NONE, { CONSTANT(1), CONSTANT(2) }, .offset = 5 }, "sts     1, 2, + 5" },
      { { CF_OP_LDF, 0, { CONSTANT(1) }, .slot = 6 }, "ldf     %v0, 1, slot 6" },
      { { CF_OP_LDVAR, 0, .index = 7, .mode = 1 }, "ldvar   %v0, input 7 mode 1" },
      { { CF_OP_SYS, 0, .value = 8 }, "sys     %v0, sysval 8" },
      { { CF_OP_OUTF, NONE, { CONSTANT(0) }, .index = 9 }, "outf    0, output 9" },
      { { CF_OP_GRAD, NONE, { CONSTANT(0) }, .index = 3 }, "grad    0, gradient 3" },
      /* lines: none, one, two, the same twice */
      { { CF_OP_END, NONE, .from = { 7 } }, "end      // line 7" },
      { { CF_OP_END, NONE, .from = { 7 | 9 << 16 } }, "end      // line 7, 9" },
      { { CF_OP_END, NONE, .from = { 7 | 7 << 16 } }, "end      // line 7" },
   };
   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      char expected[80];
      struct cf_ir *ir = cf_ir_create(NULL);
      cf_ir_vreg(ir, false);
      cf_ir_append_copy(ir, &cases[i].instr);
      snprintf(expected, sizeof(expected), "   0:   %s\n", cases[i].text);
      expect_text(ir, NULL, expected);
      ralloc_free(ir);
   }
}

/* A pass that fails gives the program its reason. */
static void
test_rewriter(void **state)
{
   struct cf_ir *ir = create_program();
   struct cf_ir kept = cf_ir_rewriter(ir);
   cf_ir_append_copy(&kept, &program[ARRAY_SIZE(program) - 1]);
   cf_ir_take_instrs(ir, &kept);
   assert_int_equal(ir->count, 1);
   assert_int_equal(ir->vreg_count, vregs);
   assert_null(ir->error);
   struct cf_ir failed = cf_ir_rewriter(ir);
   cf_ir_fail(&failed, "a reason");
   cf_ir_take_instrs(ir, &failed);
   assert_string_equal(ir->error, "a reason");
   ralloc_free(ir);
}

/* Exports and gradients act on what follows, markers on all: none may be left out. */
static void
test_removable(void **state)
{
   for (unsigned op = 0; op < CF_OP_LIMIT; op++) {
      const struct cf_op_info *info = cf_op_info(op);
      if (info)
         assert_int_equal(cf_ir_removable(&(struct cf_ir_instr){ .op = op }), info->has_dst);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rules),
      cmocka_unit_test(test_open_loop),
      cmocka_unit_test(test_error),
      cmocka_unit_test(test_deepest),
      cmocka_unit_test(test_shared_register),
      cmocka_unit_test(test_shared_copy),
      cmocka_unit_test(test_loop),
      cmocka_unit_test(test_long),
      cmocka_unit_test(test_text),
      cmocka_unit_test(test_text_of_fields),
      cmocka_unit_test(test_removable),
      cmocka_unit_test(test_copy_of_scalar),
      cmocka_unit_test(test_rewriter),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
