/* SPDX-License-Identifier: MIT */
/*
 * Edits of GLSL: what each makes of a shader; that each makes it simpler, so that reductions end;
 * and that texts which are no GLSL do no harm. Seeds are fixed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"

#include "reduce_glsl.h"

static const char sample[] = "#ifdef GL_ES // of the preprocessor\n"
                             "precision mediump float;\n"
                             "#else\n"
                             "#define lowp\n"
                             "#endif\n"
                             "uniform sampler2D image;\n"
                             "uniform vec3 paint, other, third;\n"
                             "uniform mat4 m[3];\n"
                             "varying highp vec2 place;\n"
                             "const float K = 3.0e+1;\n"
                             "float f(float a, in vec2 b)\n"
                             "{\n"
                             "   if (a > b.x) return a; else return -b.y * 2.0;\n"
                             "}\n"
                             "void main()\n"
                             "{\n"
                             "   float s = 0.0, t; /* two names */\n"
                             "   for (int i = 0; i < 4; i++) { s += f(s, place); t = s; }\n"
                             "   do { s -= 1.0; } while (s > 4.0);\n"
                             "   while (s > 3.0)\n"
                             "      s *= 0.5;\n"
                             "   vec3 seen = paint * texture2D(image, place * 3.0).rgb;\n"
                             "   if (s > 0.5 && !(t < 1.0))\n"
                             "      discard;\n"
                             "   gl_FragColor = m[1] * vec4(mix(seen, other, s), s < t ? K : t);\n"
                             "}\n";

/* The text after one edit. Free it. */
static char *
edited(const struct reduce_glsl *g, enum reduce_glsl_kind kind, uint32_t number)
{
   const uint32_t count = reduce_glsl_count(g, kind);
   bool *keep = malloc(count + 1);
   assert_non_null(keep);
   memset(keep, true, count + 1);
   keep[number] = false;
   char *text = reduce_glsl_without(g, kind, keep);
   free(keep);
   return text;
}

/* Whether one edit of the kind makes `to` of `from`. */
static bool
makes(enum reduce_glsl_kind kind, const char *from, const char *to)
{
   struct reduce_glsl g = reduce_glsl_read(from);
   bool found = false;
   for (uint32_t i = 0; i < reduce_glsl_count(&g, kind) && !found; i++) {
      char *text = edited(&g, kind, i);
      found = !strcmp(text, to);
      free(text);
   }
   reduce_glsl_free(&g);
   return found;
}

static void
test_edits(void **state)
{
   (void)state;
   static const struct {
      enum reduce_glsl_kind kind;
      const char *from, *to;
   } edits[] = {
      { REDUCE_GLSL_DIRECTIVE, "#ifdef A\nint a;\n#endif\nint b;\n", "int b;\n" },
      { REDUCE_GLSL_DIRECTIVE, "#define A \\\n 1\nint b;\n", "int b;\n" },
      { REDUCE_GLSL_IF_THEN, "#ifdef A\nint a;\n#else\nint b;\n#endif\n", "int a;\n" },
      { REDUCE_GLSL_IF_ELSE, "#ifdef A\nint a;\n#else\nint b;\n#endif\n", "int b;\n" },
      { REDUCE_GLSL_GLOBAL, "uniform vec2 a; // a\nvoid main() {}\n", "void main() {}\n" },
      { REDUCE_GLSL_GLOBAL, "void f() { { } }\nvoid main() {}\n", "void main() {}\n" },
      { REDUCE_GLSL_STATEMENT, "vec2 a, b[2], c;\n", "vec2 b[2], c;\n" },
      { REDUCE_GLSL_STATEMENT, "vec2 a, b[2], c;\n", "vec2 a, c;\n" },
      { REDUCE_GLSL_STATEMENT, "vec2 a, b = vec2(1.0, 2.0);\n", "vec2 a;\n" },
      { REDUCE_GLSL_STATEMENT, "void f() {\n   a;\n   b(1, 2);\n}\n", "void f() {\n   a;\n}\n" },
      { REDUCE_GLSL_STATEMENT, "void f() { if (a) b; else c; }\n", "void f() { if (a) b; }\n" },
      { REDUCE_GLSL_THEN, "void f() { if (a) b; else c; }\n", "void f() { b; }\n" },
      { REDUCE_GLSL_ELSE, "void f() { if (a) b; else c; }\n", "void f() { c; }\n" },
      { REDUCE_GLSL_THEN, "void f() { for (;;) b; }\n", "void f() { b; }\n" },
      { REDUCE_GLSL_THEN, "void f() { do { b; } while (a); }\n", "void f() { { b; } }\n" },
      { REDUCE_GLSL_THEN, "void f() { { b; } }\n", "void f() { b; }\n" },
      { REDUCE_GLSL_ZERO, "uniform vec2 a;\nvoid f() { b = a; }\n",
        "uniform vec2 a;\nvoid f() { b = vec2(0.0); }\n" },
      { REDUCE_GLSL_ONE, "uniform mat3 a;\nvoid f() { b = a[i + 1]; }\n",
        "uniform mat3 a;\nvoid f() { b = vec3(1.0); }\n" },
      { REDUCE_GLSL_ZERO, "void f() { if (a < b) c; }\n", "void f() { if (false) c; }\n" },
      { REDUCE_GLSL_ZERO, "void f(vec4 a) { b = a.xyz; }\n",
        "void f(vec4 a) { b = vec3(0.0); }\n" },
      { REDUCE_GLSL_ZERO, "void f(int a) { b = -a; }\n", "void f(int a) { b = 0; }\n" },
      { REDUCE_GLSL_FIRST, "void f() { a = b * (c + d) - e; }\n",
        "void f() { a = b * (c + d); }\n" },
      { REDUCE_GLSL_FIRST, "void f() { a = b * (c + d) - e; }\n", "void f() { a = b - e; }\n" },
      { REDUCE_GLSL_LAST, "void f() { a = b * (c + d) - e; }\n",
        "void f() { a = (c + d) - e; }\n" },
      { REDUCE_GLSL_LAST, "void f() { a = b ? c : d; }\n", "void f() { a = d; }\n" },
      { REDUCE_GLSL_FIRST, "void f() { a = b(c, d); }\n", "void f() { a = c; }\n" },
      { REDUCE_GLSL_LAST, "void f() { a = b(c, d); }\n", "void f() { a = d; }\n" },
      /* of GLSL ES 3.00 */
      { REDUCE_GLSL_ZERO, "flat in uvec2 a;\nvoid f() { b = a << 3; }\n",
        "flat in uvec2 a;\nvoid f() { b = uvec2(0u); }\n" },
      { REDUCE_GLSL_ONE, "void f(uint a) { b = a & 0x1eu; }\n", "void f(uint a) { b = 1u; }\n" },
      { REDUCE_GLSL_ZERO, "layout(location = 0) in int a;\nvoid f() { b = a ^ 0xe; }\n",
        "layout(location = 0) in int a;\nvoid f() { b = 0; }\n" },
      { REDUCE_GLSL_STATEMENT, "void f() { switch (a) { case 1: b; default: c; } d; }\n",
        "void f() { switch (a) { case 1: default: c; } d; }\n" },
      { REDUCE_GLSL_STATEMENT, "void f() { switch (a) { case 1: b; } d; }\n", "void f() { d; }\n" },
   };
   for (uint32_t i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
      if (!makes(edits[i].kind, edits[i].from, edits[i].to))
         fail_msg("no edit of kind %d makes\n%sof\n%s", edits[i].kind, edits[i].to, edits[i].from);
   }
}

/* What is not simpler, or never compiles, is not tried. */
static void
test_no_edits(void **state)
{
   (void)state;
   static const struct {
      enum reduce_glsl_kind kind;
      const char *text;
   } none[] = {
      { REDUCE_GLSL_GLOBAL, "void main() { a; }\n" },
      { REDUCE_GLSL_ZERO,
        "uniform vec2 a;\nvoid f() { a.x = 1.0; a[0] = -2.0; }\n" },        /* assigned */
      { REDUCE_GLSL_ZERO, "void f() { b = vec3(1.0, 2, 0.5); }\n" },        /* constant */
      { REDUCE_GLSL_ZERO, "void f() { for (int i = 0; i < 4; i++) ; }\n" }, /* without an end */
      { REDUCE_GLSL_ZERO, "uniform sampler2D a;\nvoid f() { b = a; }\n" },
      { REDUCE_GLSL_FIRST, "uniform sampler2D a;\nvoid f() { b = vec2(1.0); }\n" }, /* of a type */
      { REDUCE_GLSL_STATEMENT, "precision mediump float;\nuniform vec2 a;\n" },
   };
   for (uint32_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
      struct reduce_glsl g = reduce_glsl_read(none[i].text);
      if (reduce_glsl_count(&g, none[i].kind))
         fail_msg("there are edits of kind %d of\n%s", none[i].kind, none[i].text);
      reduce_glsl_free(&g);
   }
}

/* Tokens, and of these words that are no constructors of constants: what reductions lower. */
static void
measure(const char *text, uint32_t *tokens, uint32_t *words)
{
   static const char *const constants[] = { "false", "true", "vec2", "vec3", "vec4", "mat4" };
   struct reduce_glsl g = reduce_glsl_read(text);
   *tokens = g.tokens;
   *words = 0;
   for (uint32_t i = 0; i < g.tokens; i++) {
      bool constant = g.token[i].kind != REDUCE_GLSL_WORD;
      for (uint32_t k = 0; k < sizeof(constants) / sizeof(*constants); k++)
         constant |= reduce_glsl_is(&g, i, constants[k]);
      *words += !constant;
   }
   reduce_glsl_free(&g);
}

static void
test_simpler(void **state)
{
   (void)state;
   struct reduce_glsl g = reduce_glsl_read(sample);
   uint32_t tokens, words, tokens_before, words_before;
   measure(sample, &tokens_before, &words_before);
   for (int kind = 0; kind < REDUCE_GLSL_KINDS; kind++) {
      const uint32_t count = reduce_glsl_count(&g, (enum reduce_glsl_kind)kind);
      assert_true(count > 0);
      for (uint32_t i = 0; i < count; i++) {
         char *text = edited(&g, (enum reduce_glsl_kind)kind, i);
         measure(text, &tokens, &words);
         if (words > words_before || (words == words_before && tokens >= tokens_before))
            fail_msg("edit %u of kind %d is not simpler:\n%s", i, kind, text);
         free(text);
      }
   }
   reduce_glsl_free(&g);
}

/* Any edits together, again and again, until nothing is left or there is no edit. */
static void
test_together(void **state)
{
   (void)state;
   struct cf_random random = { 31 };
   for (uint32_t round = 0; round < 200; round++) {
      char *text = strdup(sample);
      for (uint32_t step = 0; step < 40; step++) {
         struct reduce_glsl g = reduce_glsl_read(text);
         const enum reduce_glsl_kind kind =
            (enum reduce_glsl_kind)cf_random_below(&random, REDUCE_GLSL_KINDS);
         const uint32_t count = reduce_glsl_count(&g, kind);
         bool *keep = malloc(count + 1);
         assert_non_null(keep);
         for (uint32_t i = 0; i < count; i++)
            keep[i] = cf_random_below(&random, 4) > 0;
         char *next = reduce_glsl_without(&g, kind, keep);
         free(keep);
         reduce_glsl_free(&g);
         assert_true(strlen(next) <= strlen(sample) + 200);
         free(text);
         text = next;
      }
      free(text);
   }
}

/* Texts that end anywhere, and such with other characters here and there. */
static void
test_no_glsl(void **state)
{
   (void)state;
   static const char marks[] = "(){}[];,.#?:=+-\n/*\\\"a1";
   struct cf_random random = { 32 };
   for (uint32_t length = 0; length < sizeof(sample); length++) {
      char *text = strndup(sample, length);
      for (uint32_t i = 0; i < length / 64; i++)
         text[cf_random_below(&random, length)] =
            marks[cf_random_below(&random, sizeof(marks) - 1)];
      struct reduce_glsl g = reduce_glsl_read(text);
      for (uint32_t i = 0; i < g.edits; i++) {
         const struct reduce_glsl_edit *e = &g.edit[i];
         assert_true(e->begin <= e->kept && e->kept <= e->kept_end && e->kept_end <= e->end);
         assert_true(e->begin < e->end && e->end <= g.tokens);
      }
      reduce_glsl_free(&g);
      free(text);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_edits),   cmocka_unit_test(test_no_edits),
      cmocka_unit_test(test_simpler), cmocka_unit_test(test_together),
      cmocka_unit_test(test_no_glsl),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
