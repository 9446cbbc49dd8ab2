/* SPDX-License-Identifier: MIT */
/*
 * The text of NIR: instructions bear the numbers of the lines that show them, and but for comments
 * on lines and what stands before declarations the text is what NIR prints.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cf_compiler.h"
#include "cf_nir.h"
#include "compiler/nir/nir_builder.h"

/* A loop with an if that leaves it, and blocks without instructions. */
static nir_shader *
looping_shader(void)
{
   nir_builder b =
      nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, &cf_nir_options, "nir-text");
   nir_def *sum = nir_imm_float(&b, 0.5);
   sum->parent_instr->lines = 3 | 4 << 16;
   nir_push_loop(&b);
   nir_push_if(&b, nir_flt(&b, sum, nir_imm_float(&b, 1)));
   nir_jump(&b, nir_jump_break);
   nir_push_else(&b, NULL);
   nir_pop_if(&b, NULL);
   nir_def *product = nir_fmul_imm(&b, sum, 7);
   product->parent_instr->lines = 12;
   nir_fadd(&b, product, product);
   nir_pop_loop(&b, NULL);
   nir_store_output(&b, sum, nir_imm_int(&b, 0), .src_type = nir_type_float32, .write_mask = 1,
                    .io_semantics = { .location = FRAG_RESULT_DATA0, .num_slots = 1 });
   return b.shader;
}

static const char *
line_of(const char *text, uint32_t number)
{
   for (uint32_t n = 1; n < number; n++)
      text = strchr(text, '\n') + 1;
   return text;
}

/* What stands in an instruction's line. */
static const char *
word_of(const nir_instr *instr)
{
   if (instr->type == nir_instr_type_alu)
      return nir_op_infos[nir_instr_as_alu((nir_instr *)instr)->op].name;
   if (instr->type == nir_instr_type_load_const)
      return "load_const";
   return instr->type == nir_instr_type_jump ? "break" : "@store_output";
}

static void
test_lines(void **state)
{
   nir_shader *nir = looping_shader();
   const char *text = cf_nir_text(nir, nir);
   uint32_t last = 0, count = 0;
   nir_foreach_block(block, nir_shader_get_entrypoint(nir)) {
      nir_foreach_instr(instr, block) {
         const char *line = line_of(text, instr->index);
         const char *word = strstr(line, word_of(instr));
         assert_true(instr->index > last && word && word < strchr(line, '\n'));
         last = instr->index;
         count++;
      }
   }
   assert_int_equal(count, 9);
   ralloc_free(nir);
}

/* The slow way: print, and leave out the comments on lines, and what is before the first function.
 */
static void
test_text(void **state)
{
   nir_shader *nir = looping_shader();
   char *printed = nir_shader_as_str(nir, nir);
   char *expected = ralloc_strdup(nir, "");
   assert_non_null(strstr(printed, "// line 3, 4\n"));
   assert_int_equal(strncmp(printed, "shader: ", 8), 0);
   for (char *line = strtok(strstr(printed, "decl_function"), "\n"); line;
        line = strtok(NULL, "\n")) {
      char *comment = strstr(line, "  // line ");
      if (comment)
         *comment = 0;
      ralloc_asprintf_append(&expected, "%s\n", line);
   }
   const char *text = cf_nir_text(nir, nir);
   char *dense = ralloc_strdup(nir, ""); /* strtok took empty lines out above */
   char *copy = ralloc_strdup(nir, text);
   for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n"))
      ralloc_asprintf_append(&dense, "%s\n", line);
   assert_string_equal(dense, expected);
   ralloc_free(nir);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_text),
   };
   glsl_type_singleton_init_or_ref();
   int result = cmocka_run_group_tests(tests, NULL, NULL);
   glsl_type_singleton_decref();
   return result;
}
