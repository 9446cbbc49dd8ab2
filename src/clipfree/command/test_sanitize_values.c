/* SPDX-License-Identifier: MIT */
/*
 * The sanitiser, instruction by instruction: which operations make a suspect value, what a report
 * says of it, which instructions pass it on and which do not; arrays of uniforms by what notes say
 * of them, at and beyond their ends; where values arrive.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "clipfree/command/test_sane_scene.h"

#define OUT "outf 0, v0\noutf 1, v0\noutf 2, v0\noutf 3, v0\nend\n"
#define OUT_ONE "mov v1, 1.0\noutf 0, v0\noutf 1, v1\noutf 2, v1\noutf 3, v1\nend\n"
#define COLUMNS "sys v4, frag_x\nflt v6, v4, 8.0\n" /* v6: columns 0 to 7 */
#define DIVISION "frcp v1, u0\n"

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof(*(table))))

/* Programs of all pixels, which have one finding, or none. */
struct value_case {
   const char *text;
   int check;           /* negative: none */
   const char *message; /* how it begins; NULL: anything */
   uint32_t count;      /* 0: all pixels */
};

static void
expect(const struct value_case *c, const struct cf_sanitize_report *report)
{
   const uint32_t count = c->count ? c->count : SANE_PIXELS;
   if (c->check < 0 ? report != NULL : !report || (int)report->check != c->check)
      fail_msg("%s: %s", c->text, report ? report->text : "no report");
   if (report && (report->next || report->count != count ||
                  (c->message && strncmp(report->message, c->message, strlen(c->message)) != 0)))
      fail_msg("%s: not \"%s\" %u times: %s, %llu times%s", c->text, c->message, count,
               report->text, (unsigned long long)report->count, report->next ? ", and more" : "");
}

static void
try_case(const struct value_case *c, uint32_t checks)
{
   struct sane_scene s;
   sane_scene_open(&s, &(struct cf_sanitize_config){ .checks = checks, .quiet = true }, 0);
   sane_draw(&s, sane_fragment_program(&s, c->text));
   expect(c, sane_scene_end(&s));
   cf_sanitize_close(s.sanitize);
}

static void
try_cases(const struct value_case *cases, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++)
      try_case(&cases[i], CF_SANITIZE_ALL);
}

/* ------------------------------------------------------------------ births */

static void
integers(void **state)
{
   static const struct value_case cases[] = {
      { "udiv v1, 3, u0\nu2f v0, v1\n" OUT, CF_SANITIZE_DIVISION, "the integer 3 divided by 0" },
      { "umod v1, 4, u0\nu2f v0, v1\n" OUT, CF_SANITIZE_DIVISION, "the integer 4 divided by 0" },
      { "irem v1, -1, u0\ni2f v0, v1\n" OUT, CF_SANITIZE_DIVISION, "the integer -1 divided by 0" },
      { "imod v1, 0, u0\ni2f v0, v1\n" OUT, CF_SANITIZE_DIVISION, "the integer 0 divided by 0" },
      { "idiv v1, 3, -1\ni2f v0, v1\n" OUT, -1 },
      { "udiv v1, u0, 1\nu2f v0, v1\n" OUT, -1 },
   };
   (void)state;
   try_cases(cases, COUNT(cases));
}

/* The largest float is 3.4e38. */
static void
floats(void **state)
{
   static const struct value_case cases[] = {
      { "fadd v0, u2, u2\n" OUT, CF_SANITIZE_NAN, "fadd(3e+38, 3e+38) is inf" },
      { "fneg v1, u2\nfsub v0, v1, u2\n" OUT, CF_SANITIZE_NAN, "fsub(-3e+38, 3e+38) is -inf" },
      { "fmad v0, u2, 2.0, u0\n" OUT, CF_SANITIZE_NAN, "fmad(3e+38, 2, 0) is inf" },
      { "fmsub v0, u2, 2.0, u2\n" OUT, CF_SANITIZE_NAN, "fmsub(3e+38, 2, 3e+38) is inf" },
      { "fsubm v0, u2, 2.0, u2\n" OUT, CF_SANITIZE_NAN, "fsubm(3e+38, 2, 3e+38) is -inf" },
      { "fexp2 v0, 255.0\n" OUT, CF_SANITIZE_NAN, "fexp2(255) is inf" },
      { "fexp2 v0, 16.0\n" OUT, -1 },
      { "fdiv v0, u2, 0.25\n" OUT, CF_SANITIZE_NAN, "fdiv(3e+38, 0.25) is inf" },
      /* 1 / 2^-128 is finite no more, but no division by zero */
      { "movi v1, 0x00200000\nfrcp v0, v1\n" OUT, CF_SANITIZE_NAN, "frcp(2.93874e-39) is inf" },
      { "movi v1, 0x00800000\nfrcp v0, v1\n" OUT, -1 },
      { "frcp v0, u1\n" OUT, -1 },
      { "fmul v0, u2, 1.0\n" OUT, -1 },
      { "fsqrt v0, u2\n" OUT, -1 },
      /* -0 is 0 */
      { "fneg v1, u0\nfrcp v0, v1\n" OUT, CF_SANITIZE_DIVISION, "1 / -0" },
      { "fneg v1, u0\nfdiv v0, u1, v1\n" OUT, CF_SANITIZE_DIVISION, "-2 / -0" },
      { "fneg v1, u0\nfsqrt v0, v1\n" OUT, -1 },
      { "frsq v0, u1\n" OUT, CF_SANITIZE_INVERSESQRT, "inversesqrt of -2" },
      /* the result lies where operands were, which the report names */
      { "mov v1, u0\nfrcp v1, v1\nmov v0, v1\n" OUT, CF_SANITIZE_DIVISION, "1 / 0" },
      { "mov v1, u2\nfadd v1, v1, v1\nmov v0, v1\n" OUT, CF_SANITIZE_NAN,
        "fadd(3e+38, 3e+38) is inf" },
   };
   (void)state;
   try_cases(cases, COUNT(cases));
}

/* u3 is infinite: nothing of the program made it. */
static void
loaded(void **state)
{
   static const struct value_case cases[] = {
      { "mov v0, u3\n" OUT_ONE, CF_SANITIZE_NAN, "outf(inf) is inf, of a value that was loaded" },
      { "fadd v0, u3, 1.0\n" OUT, CF_SANITIZE_NAN,
        "fadd(inf, 1) is inf, of a value that was loaded" },
      { "fmul v0, u3, u0\n" OUT, CF_SANITIZE_NAN,
        "fmul(inf, 0) is nan, of a value that was loaded" },
      { "fsqrt v0, u3\n" OUT, CF_SANITIZE_NAN, "fsqrt(inf) is inf, of a value that was loaded" },
      { "flog2 v0, u3\n" OUT, CF_SANITIZE_NAN, "flog2(inf) is inf, of a value that was loaded" },
      { "flog2 v1, u3\nfmul v1, v1, 2.0\nfexp2 v0, v1\n" OUT, CF_SANITIZE_NAN,
        "flog2(inf) is inf, of a value that was loaded" },
      { "fdiv v0, u3, 1.0\n" OUT, CF_SANITIZE_NAN, "fdiv(inf, 1) is inf, of a value that" },
      { "frsq v0, u3\n" OUT, -1 },
      { "frcp v0, u3\n" OUT, -1 },
      { "fdiv v0, 1.0, u3\n" OUT, -1 },
      { "fmin v0, u3, 1.0\n" OUT, -1 },
      { COLUMNS "sel v0, v6, u3, 1.0\n" OUT_ONE, CF_SANITIZE_NAN, "outf(inf) is inf, of a value",
        SANE_PIXELS / 2 },
   };
   (void)state;
   try_cases(cases, COUNT(cases));
}

/* A check that is not asked for: the value is a NaN or infinity, if that is asked for. */
static void
choices(void **state)
{
   static const struct {
      uint32_t check; /* the only one */
      struct value_case c;
   } cases[] = {
      { CF_SANITIZE_NAN, { "frcp v0, u0\n" OUT, CF_SANITIZE_NAN, "frcp(0) is inf" } },
      { CF_SANITIZE_NAN, { "flog2 v0, u1\n" OUT, CF_SANITIZE_NAN, "flog2(-2) is nan" } },
      { CF_SANITIZE_NAN, { "udiv v1, 3, u0\nu2f v0, v1\n" OUT, -1 } },
      { CF_SANITIZE_LOG, { "frcp v0, u0\n" OUT, -1 } },
      { CF_SANITIZE_LOG, { "flog2 v0, u1\n" OUT, CF_SANITIZE_LOG, "log of -2" } },
      { CF_SANITIZE_DIVISION, { "mov v0, u3\n" OUT, -1 } },
      { CF_SANITIZE_DIVISION, { "movi v1, 16\nlds v0, [v1 + 0]\n" OUT, -1 } },
      { CF_SANITIZE_DIVISION, { "movi v1, 16\nmov v0, 0\nsts [v1 + 0], v0\n" OUT, -1 } },
      { CF_SANITIZE_ARRAY_INDEX,
        { "movi v1, 16\nlds v0, [v1 + 0]\n" OUT, CF_SANITIZE_ARRAY_INDEX, "dword 16 of" } },
      { CF_SANITIZE_MEDIUMP, { "frcp v0, u0\n" OUT, -1 } },
   };
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++)
      try_case(&cases[i].c, 1u << cases[i].check);
}

/* So many are followed in a task: of one more there is no report. */
static void
many_births(void **state)
{
   char text[4096] = "mov v0, 1.0\n";
   struct sane_scene s;
   uint32_t reports = 0;
   (void)state;
   for (uint32_t i = 0; i < 33; i++)
      strcat(text, "frcp v1, u0\noutf 1, v1\n");
   strcat(text, "outf 0, v0\noutf 2, v0\noutf 3, v0\nend\n");
   sane_scene_open(
      &s, &(struct cf_sanitize_config){ .checks = 1u << CF_SANITIZE_DIVISION, .quiet = true }, 0);
   sane_draw(&s, sane_fragment_program(&s, text));
   for (const struct cf_sanitize_report *r = sane_scene_end(&s); r; r = r->next, reports++) {
      assert_int_equal(r->instr, 1 + 2 * reports);
      assert_int_equal(r->count, SANE_PIXELS);
   }
   assert_int_equal(reports, 31);
   cf_sanitize_close(s.sanitize);
}

/* ------------------------------------------------------------------ what passes them on */

static void
passing(void **state)
{
   static const char one[] = "1 / 0; it reaches colour 0, red";
   static const struct value_case cases[] = {
      /* a bit that is masked away depends on nothing */
      { DIVISION "and v2, v1, 0\nb2f v0, v2\n" OUT, -1 },
      { DIVISION "and v2, 0, v1\nb2f v0, v2\n" OUT, -1 },
      { DIVISION "and v2, v1, 1\nb2f v0, v2\n" OUT, CF_SANITIZE_DIVISION, one },
      { DIVISION "and v2, 1, v1\nb2f v0, v2\n" OUT, CF_SANITIZE_DIVISION, one },
      { DIVISION "or v2, v1, -1\nb2f v0, v2\n" OUT, -1 },
      { DIVISION "or v2, -1, v1\nb2f v0, v2\n" OUT, -1 },
      { DIVISION "or v2, v1, 1\nb2f v0, v2\n" OUT, CF_SANITIZE_DIVISION, one },
      { DIVISION "or v2, 1, v1\nb2f v0, v2\n" OUT, CF_SANITIZE_DIVISION, one },
      { DIVISION "sel v0, 1, v1, 1.0\n" OUT, CF_SANITIZE_DIVISION, one },
      { DIVISION "sel v0, 0, v1, 1.0\n" OUT, -1 },
      { DIVISION "sel v0, 1, 1.0, v1\n" OUT, -1 },
      { DIVISION "sel v0, 0, 1.0, v1\n" OUT, CF_SANITIZE_DIVISION, one },
      { DIVISION "sel v0, v1, 1.0, 1.0\n" OUT, CF_SANITIZE_DIVISION, one },
      { DIVISION "iadd v2, 1, v1\nb2f v0, v2\n" OUT, CF_SANITIZE_DIVISION, one },
      /* a division by zero stays one when it is finite again; an infinity does not */
      { DIVISION "fsat v0, v1\n" OUT, CF_SANITIZE_DIVISION, one },
      { "fadd v1, u2, u2\nfsat v0, v1\n" OUT, -1 },
      { "fadd v1, u2, u2\nflt v2, v1, 1.0\nb2f v0, v2\n" OUT, -1 },
      { "fadd v1, u2, u2\nfneg v0, v1\n" OUT, CF_SANITIZE_NAN, "fadd(3e+38, 3e+38) is inf" },
      /* registers that are written again */
      { DIVISION "mov v1, 1.0\nmov v0, v1\n" OUT, -1 },
      { COLUMNS DIVISION "if v6, e\nmov v1, 1.0\ne: endif\nmov v0, v1\n" OUT, CF_SANITIZE_DIVISION,
        one, SANE_PIXELS / 2 },
      { "frcp s0, u0\nmov v0, s0\n" OUT, CF_SANITIZE_DIVISION, one },
      { "frcp s0, u0\nmov s0, 1.0\nmov v0, s0\n" OUT, -1 },
      /* arrays */
      { DIVISION "sts [0 + 3], v1\nlds v0, [0 + 3]\n" OUT, CF_SANITIZE_DIVISION, one },
      { DIVISION "sts [0 + 3], v1\nlds v0, [0 + 2]\n" OUT, -1 },
      { DIVISION "mov v0, 1.0\nsts [0 + 3], v1\nsts [0 + 3], v0\nlds v0, [0 + 3]\n" OUT, -1 },
      { COLUMNS DIVISION "mov v0, 1.0\nsts [0 + 3], v1\nif v6, e\nsts [0 + 3], v0\ne: endif\n"
                         "lds v0, [0 + 3]\n" OUT,
        CF_SANITIZE_DIVISION, one, SANE_PIXELS / 2 },
   };
   (void)state;
   try_cases(cases, COUNT(cases));
}

/* ------------------------------------------------------------------ where they arrive */

static void
arrivals(void **state)
{
   static const struct value_case cases[] = {
      { DIVISION "f2i v2, v1\nimin v2, v2, 3\nlds v0, [v2 + 0]\n" OUT, CF_SANITIZE_DIVISION,
        "1 / 0; it reaches an index" },
      { DIVISION "f2i v2, v1\nimin v2, v2, 3\nmov v0, 1.0\nsts [v2 + 0], v0\n" OUT,
        CF_SANITIZE_DIVISION, "1 / 0; it reaches an index" },
      { DIVISION "mov v0, 1.0\nloop\nl: brk v1, e\ne: endloop l\n" OUT, CF_SANITIZE_DIVISION,
        "1 / 0; it reaches a branch" },
      { DIVISION "mov v0, 1.0\nkill v1, e\noutf 0, v0\noutf 1, v0\noutf 2, v0\noutf 3, v0\n"
                 "e: end\n",
        CF_SANITIZE_DIVISION, "1 / 0; it reaches a discard" },
      /* a discard of a program with derivatives */
      { DIVISION "mov v0, 1.0\ndemote v1, e\noutf 0, v0\noutf 1, v0\noutf 2, v0\noutf 3, v0\n"
                 "e: end\n",
        CF_SANITIZE_DIVISION, "1 / 0; it reaches a discard" },
      { "mov v0, 1.0\nfrcp v1, u0\noutf 0, v0\noutf 1, v0\noutf 2, v0\noutf 3, v0\noutf 7, v1\n"
        "outf 4, v0\noutf 5, v0\noutf 6, v0\nend\n",
        CF_SANITIZE_DIVISION, "1 / 0; it reaches colour 1, alpha" },
      { "mov v0, 1.0\nfrcp v1, u0\noutf 32, v1\n" OUT, CF_SANITIZE_DIVISION,
        "1 / 0; it reaches gl_FragDepth" },
      /* pixels that are discarded before: nothing arrives */
      { COLUMNS DIVISION "mov v0, 1.0\nkill v6, e\noutf 0, v1\noutf 1, v0\noutf 2, v0\n"
                         "outf 3, v0\ne: end\n",
        CF_SANITIZE_DIVISION, "1 / 0; it reaches colour 0, red", SANE_PIXELS / 2 },
   };
   (void)state;
   try_cases(cases, COUNT(cases));
}

/* Outputs of vertices: 1 / 0 in output N, of each of the four. */
static void
outputs_of_vertices(void **state)
{
   static const struct {
      uint32_t output;
      const char *name;
   } outputs[] = {
      { 0, "gl_Position.x" }, { 3, "gl_Position.w" }, { 4, "gl_PointSize" },
      { 5, "output 5" },      { 7, "output 7" },      { 8, "output 8" },
   };
   (void)state;
   for (uint32_t i = 0; i < COUNT(outputs); i++) {
      char vertex[256] = "sys v8, vertex_id\nldf v0, 0[v8]\nfrcp v4, u0\n", message[64];
      struct sane_scene s;
      sane_scene_open(
         &s, &(struct cf_sanitize_config){ .checks = 1u << CF_SANITIZE_DIVISION, .quiet = true },
         0);
      for (uint32_t k = 0; k < 12; k++)
         snprintf(vertex + strlen(vertex), sizeof(vertex) - strlen(vertex), "out %u, v%u\n", k,
                  k == outputs[i].output ? 4 : k % 4);
      strcat(vertex, "end\n");
      s.vertex = vertex;
      sane_draw(&s, sane_fragment_program(&s, "mov v0, 1.0\n" OUT));
      snprintf(message, sizeof(message), "1 / 0; it reaches %s", outputs[i].name);
      const struct cf_sanitize_report *report = sane_scene_end(&s);
      assert_non_null(report);
      assert_string_equal(report->message, message);
      assert_int_equal(report->count, 4);
      assert_true(report->has_vertex && report->stage == CF_SHADER_STAGE_VERTEX);
      cf_sanitize_close(s.sanitize);
   }
}

/* ------------------------------------------------------------------ arrays of uniforms */

/* list[4] has one float in each of four vectors from dword 4 on: 4, 8, 12 and 16. A struct with an
 * array of it ends at dword 40. Constant bank 0 has 16 dwords. */
#define LIST                                                                                       \
   {                                                                                               \
      4, 4, 4, CF_NOTE_FLOAT, 1, 1                                                                 \
   }

static const struct {
   const char *text;
   int check;
   const char *message;
   struct cf_note_variable variable; /* elements 0: no note */
   struct cf_note_array array;       /* end_dw 0: none */
} arrays[] = {
   { "movi v1, 0\nldu v0, 0[v1 + 4]\n" OUT, -1, NULL, LIST, { 1, 4, 17 } },
   { "movi v1, 12\nldu v0, 0[v1 + 4]\n" OUT, -1, NULL, LIST, { 1, 4, 17 } },
   { "movi v1, 16\nldu v0, 0[v1 + 4]\n" OUT, 1, "index 4 of a uniform of 4", LIST, { 1, 4, 17 } },
   { "movi v1, 17\nldu v0, 0[v1 + 4]\n" OUT, 1, "index 4 of a uniform of 4", LIST, { 1, 4, 17 } },
   { "movi v1, -1\nldu v0, 0[v1 + 4]\n" OUT, 1, "index -1 of a uniform of 4", LIST, { 1, 4, 17 } },
   { "movi v1, -4\nldu v0, 0[v1 + 4]\n" OUT, 1, "index -1 of a uniform of 4", LIST, { 1, 4, 17 } },
   { "movi v1, -5\nldu v0, 0[v1 + 4]\n" OUT, 1, "index -2 of a uniform of 4", LIST, { 1, 4, 17 } },
   { "movi s0, 16\nldu v0, 0[s0 + 4]\n" OUT, 1, "index 4 of a uniform of 4", LIST, { 1, 4, 17 } },
   { "ldu v0, 0[u4 + 4]\n" OUT, 1, "index 25 of a uniform of 4", LIST, { 0, 4, 17 } },
   { "ldu v0, 0[63 + 4]\n" OUT, -1, NULL, LIST, { 0, 4, 17 } }, /* a constant: no index */
   /* inside of a larger array; no further than that */
   { "movi v1, 16\nldu v0, 0[v1 + 4]\n" OUT, -1, NULL, LIST, { 1, 4, 40 } },
   { "movi v1, 36\nldu v0, 0[v1 + 4]\n" OUT, 1, "index 9 of a uniform of 9", LIST, { 1, 4, 40 } },
   /* the note is of another instruction, or there is none: by the offset, or by what is added */
   { "movi v1, 16\nldu v0, 0[v1 + 4]\n" OUT, 1, "index 4 of a uniform of 4", LIST, { 7, 4, 40 } },
   { "movi v1, 16\nldu v0, 0[v1 + 4]\n" OUT, 1, "index 4 of a uniform of 4", LIST, { 0 } },
   { "movi v2, 16\niadd v1, v2, 4\nldu v0, 0[v1 + 0]\n" OUT, 1, "index 4 of a", LIST, { 0 } },
   { "movi v2, 16\niadd v1, 4, v2\nldu v0, 0[v1 + 0]\n" OUT, 1, "index 4 of a", LIST, { 0 } },
   { "movi v2, 4\nimad v1, v2, 4, 4\nldu v0, 0[v1 + 0]\n" OUT, 1, "index 4 of a", LIST, { 0 } },
   { "movi v2, 5\nimul v1, v2, 4\nldu v0, 0[v1 + 0]\n" OUT,
     1,
     "dword 20 of constant bank 0, which",
     LIST,
     { 0 } },
   { "movi v2, 16\niadd v1, v2, 4\nif u2, e\ne: endif\nldu v0, 0[v1 + 0]\n" OUT,
     1,
     "dword 20 of constant bank 0, which has not as many",
     LIST,
     { 0 } },
   { "ldu v0, 0[u4 + 0]\n" OUT, 1, "dword 100 of constant bank 0, which", LIST, { 0 } },
   /* not of this array, of no array, or not of uniforms */
   { "movi v1, 5\nldu v0, 0[v1 + 0]\n" OUT, -1, NULL, LIST, { 0 } },
   { "movi v1, 12\nldu v0, 0[v1 + 3]\n" OUT, -1, NULL, LIST, { 0 } },
   { "movi v1, 16\nldu v0, 0[v1 + 4]\n" OUT,
     1,
     "dword 20 of constant bank 0, which",
     { 4, 4, 4, CF_NOTE_SAMPLER, 1, 1 },
     { 1, 4, 17 } },
   { "movi v1, 16\nldu v0, 0[v1 + 4]\n" OUT,
     1,
     "dword 20 of constant bank 0, which",
     { 4, 4, 1, CF_NOTE_FLOAT, 4, 1 },
     { 1, 4, 17 } },
   { "movi v1, 16\nldu v0, 0[v1 + 4]\n" OUT,
     1,
     "dword 20 of constant bank 0, which",
     { 0 },
     { 0 } },
   { "movi v1, 9\nldu v0, 2[v1 + 4]\n" OUT,
     1,
     "dword 13 of constant bank 2 (uniform block 1 of the stage), which has not as many",
     LIST,
     { 1, 4, 17 } },
   /* a matrix is an array of its columns; without a stride all lie in one place */
   { "movi v1, 8\nldu v0, 0[v1 + 4]\n" OUT,
     1,
     "index 2 of a uniform of 2 vectors",
     { 4, 4, 1, CF_NOTE_FLOAT, 4, 2 },
     { 1, 4, 12 } },
   { "movi v1, 4\nldu v0, 0[v1 + 4]\n" OUT,
     1,
     "index 4 of a uniform of 4 vectors",
     { 4, 0, 2, CF_NOTE_FLOAT, 4, 1 },
     { 1, 4, 8 } },
};

static void
note_arrays(struct sane_scene *s, uint64_t program, uint32_t i)
{
   struct cf_note note = { 0 };
   if (arrays[i].variable.elements)
      cf_note_add_variable(&note, CF_NOTE_UNIFORM, &arrays[i].variable, "uniform float list[4]");
   if (arrays[i].array.end_dw)
      cf_note_add_arrays(&note, &arrays[i].array, 1);
   sane_note(s, program, &note);
}

static void
uniform_arrays(void **state)
{
   (void)state;
   for (uint32_t i = 0; i < COUNT(arrays); i++) {
      const int check = arrays[i].check < 0 ? -1 : CF_SANITIZE_UNIFORM_INDEX;
      struct sane_scene s;
      sane_scene_open(&s, &(struct cf_sanitize_config){ .checks = CF_SANITIZE_ALL, .quiet = true },
                      0);
      const uint64_t program = sane_fragment_program(&s, arrays[i].text);
      note_arrays(&s, program, i);
      sane_draw(&s, program);
      expect(&(struct value_case){ arrays[i].text, check, arrays[i].message }, sane_scene_end(&s));
      cf_sanitize_close(s.sanitize);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers),       cmocka_unit_test(floats),
      cmocka_unit_test(loaded),         cmocka_unit_test(choices),
      cmocka_unit_test(passing),        cmocka_unit_test(many_births),
      cmocka_unit_test(arrivals),       cmocka_unit_test(outputs_of_vertices),
      cmocka_unit_test(uniform_arrays),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
