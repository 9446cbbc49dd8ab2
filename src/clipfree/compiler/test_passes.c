/* SPDX-License-Identifier: MIT */
/*
 * Passes over the IR, as programs before and after each pass, in the text form of cf_ir_print
 * without numbers and indentation.
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

#include "cf_ir.h"
#include "cf_liveness.h"
#include "util/ralloc.h"

/* ---- text to IR: one instruction a line; operands %v0 %s0 u0, integers; `out` is followed by its
 * index */

struct parser {
   struct cf_ir *ir;
   uint32_t vreg_of[2][64]; /* [scalar][number in the text], or CF_NO_VREG */
};

static enum cf_op
find_op(const char *name)
{
   for (unsigned op = 0; op < CF_OP_LIMIT; op++) {
      const struct cf_op_info *info = cf_op_info(op);
      if (info && !strcmp(info->name, name))
         return op;
   }
   fail_msg("no operation '%s'", name);
   return 0;
}

static uint32_t
vreg(struct parser *p, const char *text)
{
   bool scalar = text[1] == 's';
   uint32_t *v = &p->vreg_of[scalar][atoi(text + 2)];
   if (*v == CF_NO_VREG)
      *v = cf_ir_vreg(p->ir, scalar);
   return *v;
}

static struct cf_src
operand(struct parser *p, const char *text)
{
   if (text[0] == '%')
      return cf_src_vreg(vreg(p, text));
   if (text[0] == 'u')
      return cf_src_uniform(atoi(text + 1));
   return cf_src_const(strtol(text, NULL, 0));
}

static void
parse_line(struct parser *p, char *line)
{
   char *save, *word = strtok_r(line, " ,", &save);
   if (!word)
      return;
   enum cf_op op = find_op(word);
   const struct cf_op_info *info = cf_op_info(op);
   uint32_t dst = info->has_dst ? vreg(p, strtok_r(NULL, " ,", &save)) : CF_NO_VREG;
   struct cf_src src[4];
   for (unsigned i = 0; i < info->sources; i++)
      src[i] = operand(p, strtok_r(NULL, " ,", &save));
   struct cf_ir_instr *instr = cf_ir_append(p->ir, op, dst, info->sources, src);
   word = strtok_r(NULL, " ,", &save);
   if (op == CF_OP_OUT)
      instr->index = atoi(word);
   if (op == CF_OP_MOVI)
      instr->imm = strtoul(word, NULL, 0);
}

static struct parser
parse(const char *text)
{
   struct parser p = { .ir = cf_ir_create(NULL) };
   memset(p.vreg_of, 0xff, sizeof(p.vreg_of));
   char *copy = strdup(text), *save;
   for (char *line = strtok_r(copy, ";\n", &save); line; line = strtok_r(NULL, ";\n", &save)) {
      p.ir->from.lines++;
      parse_line(&p, line);
   }
   p.ir->from.lines = 0;
   free(copy);
   return p;
}

/* Every instruction's words but its lines joined by single spaces, instructions by "; ". */
static char *
normal_form(const struct cf_ir *ir)
{
   char *text, *out;
   size_t size, n = 0;
   FILE *file = open_memstream(&text, &size);
   cf_ir_print(file, ir, NULL);
   fclose(file);
   out = calloc(2 * size + 2, 1);
   char *save;
   for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
      char *save_word, *lines = strstr(line, "//");
      if (lines)
         *lines = '\0';
      n += sprintf(out + n, "%s", n ? "; " : "");
      unsigned words = 0;
      for (char *word = strtok_r(strchr(line, ':') + 1, " ,", &save_word); word;
           word = strtok_r(NULL, " ,", &save_word)) {
         if (strcmp(word, "output"))
            n += sprintf(out + n, "%s%s", words++ ? " " : "", word);
      }
   }
   free(text);
   return out;
}

/* What passes make has lines of the source, too: one or two that were there. */
static void
check_lines(const struct cf_ir *ir, unsigned before)
{
   for (unsigned i = 0; i < ir->count; i++) {
      const uint32_t lines = ir->instrs[i].from.lines;
      assert_in_range(lines & 0xffff, 1, before);
      assert_in_range(lines >> 16, 0, before);
   }
}

/* The pass turns `before` into `after`; registers are numbered in order of appearance in
 * `before`. */
static void
expect(void (*pass)(struct cf_ir *), const char *before, const char *after)
{
   struct parser p = parse(before);
   const unsigned instructions = p.ir->count;
   cf_validate_ir(p.ir, "parsing");
   pass(p.ir);
   cf_validate_ir(p.ir, "pass");
   check_lines(p.ir, instructions);
   char *got = normal_form(p.ir);
   assert_string_equal(got, after);
   free(got);
   ralloc_free(p.ir);
}

/* ---- control flow */

static void
test_flow_empty(void **state)
{
   expect(cf_opt_flow, "if u0; else; endif; end", "end");
   expect(cf_opt_flow, "if u0; out 1, 0; else; endif; end", "if u0; out 1 0; endif; end");
   expect(cf_opt_flow, "if u0; if u1; else; endif; else; endif; end", "end");
}

static void
test_flow_else_only(void **state)
{
   expect(cf_opt_flow, "mov %v0, u0; if %v0; else; out 1, 0; endif; end",
          "mov %v0 u0; not %v1 %v0; if %v1; out 1 0; endif; end");
}

static void
test_flow_break(void **state)
{
   expect(cf_opt_flow, "loop; if u0; brk -1; else; endif; endloop; end",
          "loop; brk u0; endloop; end");
   expect(cf_opt_flow, "loop; if u0; mov %v0, u1; brk -1; else; out 1, 0; endif; endloop; end",
          "loop; mov %v0 u1; brk u0; out 1 0; endloop; end");
   expect(cf_opt_flow, "loop; if u0; out 1, 0; else; cont -1; endif; endloop; end",
          "loop; not %s0 u0; cont %s0; out 1 0; endloop; end");
   expect(cf_opt_flow, "loop; brk u0; cont -1; endloop; end", "loop; brk u0; endloop; end");
}

/* A jump that is taken out of its branch is made from both. */
static void
test_flow_lines(void **state)
{
   struct parser p = parse("loop; if u0; mov %v0, u1; brk -1; else; endif; endloop; end");
   cf_opt_flow(p.ir);
   assert_int_equal(p.ir->instrs[2].op, CF_OP_BRK);
   assert_int_equal(p.ir->instrs[2].from.lines, 4 | 2 << 16);
   ralloc_free(p.ir);
}

/* What stores and loads a spilled register is made from what writes and reads it. */
static void
test_spill_lines(void **state)
{
   struct parser p = parse("mov %v0, u1; fadd %v1, %v0, u2; out 1, %v1; end");
   const uint32_t slot[2] = { 3, CF_NO_VREG };
   cf_spill(p.ir, slot);
   static const struct {
      enum cf_op op;
      uint32_t lines;
   } expected[] = { { CF_OP_MOV, 1 },  { CF_OP_STS, 1 }, { CF_OP_LDS, 2 },
                    { CF_OP_FADD, 2 }, { CF_OP_OUT, 3 }, { CF_OP_END, 4 } };
   assert_int_equal(p.ir->count, ARRAY_SIZE(expected));
   for (unsigned i = 0; i < p.ir->count; i++) {
      assert_int_equal(p.ir->instrs[i].op, expected[i].op);
      assert_int_equal(p.ir->instrs[i].from.lines, expected[i].lines);
   }
   ralloc_free(p.ir);
}

/* An operand that is read twice is loaded once; components that tex leaves out are not stored, nor
 * those without a slot; ldf writes all. */
static void
test_spill_groups(void **state)
{
   for (unsigned tex = 0; tex < 2; tex++) {
      struct cf_ir *ir = cf_ir_create(NULL);
      const uint32_t v = cf_ir_vreg(ir, false), group = cf_ir_group(ir);
      const uint32_t slot[5] = { 7, 8, 9, CF_NO_VREG, 10 };
      struct cf_src u = cf_src_uniform(0), x = cf_src_vreg(v), z = cf_src_const(0);
      cf_ir_append(ir, CF_OP_MOV, v, 1, &u);
      cf_ir_append(ir, tex ? CF_OP_TEX : CF_OP_LDF, group, tex ? 4 : 1,
                   (struct cf_src[4]){ x, z, x, z })
         ->mask = tex ? 1 | 4 | 8 : 0;
      cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
      cf_spill(ir, slot);
      cf_validate_ir(ir, "cf_spill");
      char *got = normal_form(ir);
      assert_string_equal(got, tex ? "mov %v0 u0; sts 0 %v0 + 7; lds %v5 0 + 7; "
                                     "tex %v1 %v5 0 %v5 0 unit 0 mode 0 mask 0xd; "
                                     "sts 0 %v1 + 8; sts 0 %v4 + 10; end"
                                   : "mov %v0 u0; sts 0 %v0 + 7; lds %v5 0 + 7; "
                                     "ldf %v1 %v5 slot 0; "
                                     "sts 0 %v1 + 8; sts 0 %v2 + 9; sts 0 %v4 + 10; end");
      free(got);
      ralloc_free(ir);
   }
}

/* Only a few moves are hoisted: anything else may be costly, or write what other lanes read. */
static void
test_flow_keeps(void **state)
{
   expect(cf_opt_flow, "loop; if u0; fadd %v0, u1, u2; brk -1; endif; endloop; end",
          "loop; if u0; fadd %v0 u1 u2; brk -1; endif; endloop; end");
   expect(cf_opt_flow, "loop; if u0; brk u1; endif; endloop; end",
          "loop; if u0; brk u1; endif; endloop; end");
   expect(cf_opt_flow, "if u0; out 1, 0; else; out 2, 0; endif; end",
          "if u0; out 1 0; else; out 2 0; endif; end");
}

/* ---- dead code */

static void
test_dead(void **state)
{
   expect(cf_opt_dead, "fadd %v0, u0, u1; fmul %v1, %v0, %v0; end", "end");
   expect(cf_opt_dead, "fadd %v0, u0, u1; fmul %v1, %v0, %v0; out %v0, 3; end",
          "fadd %v0 u0 u1; out %v0 3; end");
   expect(cf_opt_dead, "mov %v0, u0; if u1; mov %v0, u2; endif; end", "if u1; endif; end");
}

/* What only the next round reads is dead if that is: found in the second walk. */
static void
test_dead_around_loop(void **state)
{
   expect(cf_opt_dead, "mov %v0, u0; loop; mov %v1, %v0; mov %v0, u1; brk u2; endloop; end",
          "loop; brk u2; endloop; end");
}

static void
test_dead_texture_components(void **state)
{
   struct cf_ir *ir = cf_ir_create(NULL);
   uint32_t group = cf_ir_group(ir);
   struct cf_src zero[4] = { cf_src_const(0), cf_src_const(0), cf_src_const(0), cf_src_const(0) },
                 z = cf_src_vreg(group + 2);
   cf_ir_append(ir, CF_OP_TEX, group, 4, zero)->mask = 15;
   cf_ir_append(ir, CF_OP_OUT, CF_NO_VREG, 1, &z);
   cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
   cf_opt_dead(ir);
   assert_int_equal(ir->count, 3);
   assert_int_equal(ir->instrs[0].mask, 4);
   ralloc_free(ir);
}

/* ---- constants */

static void
test_constants(void **state)
{
   expect(cf_lower_constants, "iadd %v0, u0, 63; iadd %v1, %v0, -16; end",
          "iadd %v0 u0 63; iadd %v1 %v0 -16; end");
   expect(cf_lower_constants, "iadd %v0, u0, 100; iadd %v1, %v0, 100; end",
          "movi %s2 0x64; iadd %v0 u0 %s2; iadd %v1 %v0 %s2; end");
   expect(cf_lower_constants, "mov %v0, 100; end", "movi %v0 0x64; end");
}

static void
test_many_constants(void **state)
{
   struct cf_ir *ir = cf_ir_create(NULL);
   for (unsigned i = 0; i < 100; i++) {
      struct cf_src src[2] = { cf_src_const(1000 + i), cf_src_const(1000 + i) };
      cf_ir_append(ir, CF_OP_IADD, cf_ir_vreg(ir, false), 2, src);
   }
   cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
   cf_lower_constants(ir);
   cf_validate_ir(ir, "cf_lower_constants");
   assert_int_equal(ir->instrs[0].op, CF_OP_MOVI);
   struct cf_ra_result regs;
   assert_true(cf_ra(ir, &regs));
   assert_in_range(regs.scalar_regs, 1, 2); /* not all at once */
   ralloc_free(ir);
}

/* ---- liveness and allocation */

static bool
live_at(const struct cf_liveness *live, uint32_t v, unsigned instr)
{
   return cf_range_contains(&live->ranges[v], 2 * instr);
}

/* `then` may reuse the register of a vector that only `else` reads, but not that of a scalar, since
 * both sides may be executed. */
static void
test_liveness_of_both_files(void **state)
{
   struct parser p = parse("mov %v0, u0; mov %s0, u1; mov %v1, u2; if %v1; out 1, 0; else; out "
                           "%v0, 1; out %s0, 2; endif; end");
   struct cf_liveness *live = cf_liveness(p.ir, p.ir);
   assert_true(live_at(live, p.vreg_of[0][0], 3));
   assert_false(live_at(live, p.vreg_of[0][0], 4));
   assert_true(live_at(live, p.vreg_of[0][0], 6));
   assert_true(live_at(live, p.vreg_of[1][0], 4));
   ralloc_free(p.ir);
}

static void
test_liveness_around_loops(void **state)
{
   struct parser p = parse("mov %v0, u0; mov %v1, 0; loop; ige %v2, %v1, %v0; brk %v2; iadd %v1, "
                           "%v1, 1; endloop; out %v1, 0; end");
   struct cf_liveness *live = cf_liveness(p.ir, p.ir);
   for (unsigned i = 3; i <= 6; i++)
      assert_true(live_at(live, p.vreg_of[0][0], i)); /* read again in the next round */
   assert_false(live_at(live, p.vreg_of[0][0], 7));
   assert_true(live_at(live, p.vreg_of[0][1], 7));
   assert_int_equal(live->depth[1], 0);
   assert_int_equal(live->depth[4], 1);
   ralloc_free(p.ir);
}

static void
allocate(struct parser *p, struct cf_ra_result *regs)
{
   assert_true(cf_ra(p->ir, regs));
   cf_validate_ir(p->ir, "cf_ra");
   cf_validate_ra(p->ir, regs);
}

/* A counted loop's phi needs no moves. */
static void
test_coalesce_loop(void **state)
{
   struct parser p = parse("mov %v0, 0; loop; mov %v1, %v0; ige %v2, %v1, u0; brk %v2; iadd %v3, "
                           "%v1, 1; mov %v0, %v3; endloop; end");
   struct cf_ra_result regs;
   allocate(&p, &regs);
   assert_int_equal(regs.reg[p.vreg_of[0][0]], regs.reg[p.vreg_of[0][1]]);
   assert_int_equal(regs.reg[p.vreg_of[0][0]], regs.reg[p.vreg_of[0][3]]);
   assert_int_equal(regs.vector_regs, 2);
   ralloc_free(p.ir);
}

/* The old value is still read after the new one exists: they cannot share. */
static void
test_no_coalescing_of_interfering_values(void **state)
{
   struct parser p =
      parse("mov %v0, u0; mov %v1, %v0; iadd %v0, %v0, 1; out %v1, 0; out %v0, 1; end");
   struct cf_ra_result regs;
   allocate(&p, &regs);
   assert_int_not_equal(regs.reg[p.vreg_of[0][0]], regs.reg[p.vreg_of[0][1]]);
   ralloc_free(p.ir);
}

/* A scalar that is not written on every path becomes a vector. */
static void
test_exposed_scalar(void **state)
{
   struct parser p = parse(
      "mov %v0, u0; loop; if %v0; mov %s0, u1; else; brk -1; endif; out %s0, 0; endloop; end");
   struct cf_ra_result regs;
   allocate(&p, &regs);
   assert_false(p.ir->vregs[p.vreg_of[1][0]].scalar);
   ralloc_free(p.ir);
}

static void
many_live_values(bool scalar, unsigned count)
{
   struct cf_ir *ir = cf_ir_create(NULL);
   for (unsigned i = 0; i < count; i++) {
      struct cf_src src[2] = { cf_src_uniform(i % 128), cf_src_const(i % 60) };
      cf_ir_append(ir, CF_OP_IADD, cf_ir_vreg(ir, scalar), 2, src);
   }
   for (unsigned i = 0; i < count; i++) {
      struct cf_src src = cf_src_vreg(i);
      cf_ir_append(ir, CF_OP_OUT, CF_NO_VREG, 1, &src)->index = i % 128;
   }
   cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
   struct cf_ra_result regs;
   assert_true(cf_ra(ir, &regs));
   cf_validate_ir(ir, "cf_ra");
   assert_in_range(regs.vector_regs, 0, 128);
   assert_in_range(regs.scalar_regs, 0, 128);
   assert_int_equal(ir->scratch_dwords > 0, count > (scalar ? 256 : 128));
   ralloc_free(ir);
}

/* ---- groups of four registers */

/* `count` values, live from here until they are exported. `fixed`: none can be spilled. */
static void
define_values(struct cf_ir *ir, unsigned count, bool fixed)
{
   for (unsigned i = 0; i < count; i++) {
      const struct cf_src src = cf_src_uniform(i);
      const uint32_t v = cf_ir_vreg(ir, false);
      cf_ir_append(ir, CF_OP_MOV, v, 1, &src);
      ir->vregs[v].no_spill = fixed;
   }
}

static void
export_values(struct cf_ir *ir, uint32_t first, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      const struct cf_src src = cf_src_vreg(first + i);
      cf_ir_append(ir, CF_OP_OUT, CF_NO_VREG, 1, &src)->index = i % 128;
   }
}

static uint32_t
load_group(struct cf_ir *ir)
{
   const struct cf_src zero = cf_src_const(0);
   const uint32_t group = cf_ir_group(ir);
   cf_ir_append(ir, CF_OP_LDF, group, 1, &zero);
   return group;
}

/* Allocates; the four registers of each group follow each other. */
static void
check_groups(struct cf_ir *ir)
{
   struct parser p = { .ir = ir };
   struct cf_ra_result regs;
   allocate(&p, &regs);
   for (uint32_t v = 0; v < ir->vreg_count; v++) {
      if (ir->vregs[v].grouped)
         assert_int_equal(regs.reg[v],
                          regs.reg[v - ir->vregs[v].component] + ir->vregs[v].component);
   }
   assert_in_range(regs.vector_regs, 4, 128);
}

/* A group beside 124 values fits; for more, other values or the group itself are spilled. */
static void
test_group_among_values(void **state)
{
   for (unsigned count = 124; count <= 128; count++) {
      for (unsigned group_last = 0; group_last < 2; group_last++) {
         struct cf_ir *ir = cf_ir_create(NULL);
         define_values(ir, count, false);
         const uint32_t group = load_group(ir);
         if (!group_last)
            export_values(ir, group, 4);
         export_values(ir, 0, count);
         if (group_last)
            export_values(ir, group, 4);
         cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
         check_groups(ir);
         assert_int_equal(ir->scratch_dwords > 0, count > 124);
         ralloc_free(ir);
      }
   }
}

/* Where only groups can be spilled, one is, component by component. */
static void
test_groups_among_fixed_values(void **state)
{
   struct cf_ir *ir = cf_ir_create(NULL);
   define_values(ir, 123, true);
   const uint32_t first = load_group(ir), second = load_group(ir);
   export_values(ir, first, 4);
   export_values(ir, second, 4);
   export_values(ir, 0, 123);
   cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
   check_groups(ir);
   assert_true(ir->spills > 0);
   ralloc_free(ir);
}

/* Four registers are free, or there is no way. */
static void
test_no_registers(void **state)
{
   for (unsigned count = 124; count <= 125; count++) {
      struct cf_ir *ir = cf_ir_create(NULL);
      define_values(ir, count, true);
      export_values(ir, load_group(ir), 4);
      export_values(ir, 0, count);
      cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
      struct cf_ra_result regs;
      assert_int_equal(cf_ra(ir, &regs), count == 124);
      if (count == 125)
         assert_string_equal(ir->error,
                             "it needs more registers than there are, even with spilling");
      ralloc_free(ir);
   }
}

/* A component that a move copies shares its register, but not with what the load still reads. */
static void
test_coalesce_group(void **state)
{
   for (unsigned read = 0; read < 2; read++) {
      struct cf_ir *ir = cf_ir_create(NULL);
      define_values(ir, 2, false);
      const uint32_t group = cf_ir_group(ir);
      const struct cf_src index = cf_src_vreg(read ? 0 : 1), copied = cf_src_vreg(group + 2);
      cf_ir_append(ir, CF_OP_LDF, group, 1, &index);
      cf_ir_append(ir, CF_OP_MOV, 0, 1, &copied);
      export_values(ir, 0, 1);
      cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
      struct parser p = { .ir = ir };
      struct cf_ra_result regs;
      allocate(&p, &regs);
      assert_int_equal(regs.reg[0] == regs.reg[group + 2], !read);
      ralloc_free(ir);
   }
}

static void
test_spill(void **state)
{
   many_live_values(false, 128);
   many_live_values(false, 129);
   many_live_values(false, 600);
   many_live_values(true, 128);
   many_live_values(true, 200);
   many_live_values(true, 300);
}

static void
test_too_deep(void **state)
{
   struct cf_ir *ir = cf_ir_create(NULL);
   struct cf_src u = cf_src_uniform(0);
   for (unsigned i = 0; i <= CF_MAX_NESTING; i++)
      cf_ir_append(ir, CF_OP_IF, CF_NO_VREG, 1, &u);
   for (unsigned i = 0; i <= CF_MAX_NESTING; i++)
      cf_ir_append(ir, CF_OP_ENDIF, CF_NO_VREG, 0, NULL);
   cf_ir_append(ir, CF_OP_END, CF_NO_VREG, 0, NULL);
   struct cf_ra_result regs;
   assert_false(cf_ra(ir, &regs));
   assert_non_null(strstr(ir->error, "60 deep"));
   ralloc_free(ir);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flow_empty),
      cmocka_unit_test(test_flow_else_only),
      cmocka_unit_test(test_flow_break),
      cmocka_unit_test(test_flow_lines),
      cmocka_unit_test(test_spill_lines),
      cmocka_unit_test(test_spill_groups),
      cmocka_unit_test(test_flow_keeps),
      cmocka_unit_test(test_dead),
      cmocka_unit_test(test_dead_around_loop),
      cmocka_unit_test(test_dead_texture_components),
      cmocka_unit_test(test_constants),
      cmocka_unit_test(test_many_constants),
      cmocka_unit_test(test_liveness_of_both_files),
      cmocka_unit_test(test_liveness_around_loops),
      cmocka_unit_test(test_coalesce_loop),
      cmocka_unit_test(test_no_coalescing_of_interfering_values),
      cmocka_unit_test(test_exposed_scalar),
      cmocka_unit_test(test_group_among_values),
      cmocka_unit_test(test_groups_among_fixed_values),
      cmocka_unit_test(test_no_registers),
      cmocka_unit_test(test_coalesce_group),
      cmocka_unit_test(test_spill),
      cmocka_unit_test(test_too_deep),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
