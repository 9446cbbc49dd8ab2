/* SPDX-License-Identifier: MIT
 *
 * Random programs in the vertex and the fragment stage, bit for bit what an evaluation of their
 * trees gives.
 */
#include "glsl_program.h"
#include "shader_draw.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_PX 16

static void
expect_result(struct rules *r, const struct glsl_program *p, const char *text, const float *have)
{
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      const double place[2] = { i % SIZE_PX, i / SIZE_PX };
      double wanted[4] = { 0 };
      if (!glsl_evaluate(p, place, wanted))
         memset(wanted, 0, sizeof(wanted));
      for (int c = 0; c < 4; c++) {
         if (have[4 * i + c] != wanted[c])
            rules_fail(r, "%s\nat (%d, %d) component %d is %.9g, not %.9g", text, i % SIZE_PX,
                       i / SIZE_PX, c, have[4 * i + c], wanted[c]);
      }
   }
}

/* Every second program is of the other stage where both are wanted. */
static void
run(struct rules *r, bool vertex_stage, bool fragment_stage)
{
   shader_target(SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      const bool fragment = fragment_stage && (!vertex_stage || r->n % 2);
      struct glsl_program *p = glsl_random(r, fragment);
      char *text = glsl_print(p);
      GLuint program = fragment ? shader_program(r, shader_vertex_place, text)
                                : shader_program(r, text, shader_fragment_result);
      shader_set_uniforms(p, program);
      glClear(GL_COLOR_BUFFER_BIT);
      if (fragment)
         shader_draw_rectangle();
      else
         shader_draw_places(SIZE_PX, SIZE_PX);
      float *have = rules_read_float(r, SIZE_PX, SIZE_PX);
      expect_result(r, p, text, have);
      free(have);
      free(text);
      glDeleteProgram(program);
      glsl_free(p);
   }
}

void
rule_random_fragment(struct rules *r)
{
   run(r, false, true);
}

void
rule_random_vertex(struct rules *r)
{
   run(r, true, false);
}

/* Few, to be run in many ways. */
void
rule_random_few(struct rules *r)
{
   run(r, true, true);
}
