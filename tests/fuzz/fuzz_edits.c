/* SPDX-License-Identifier: MIT */
/*
 * Places for edits are what clipfree reduce finds in GLSL (tools/reduce/reduce_glsl.h): statements
 * that can be left out, and expressions that could be a constant of their type.
 */
#include "fuzz_edits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_plain.h"
#include "reduce/reduce_case.h"
#include "reduce/reduce_glsl.h"
#include "reduce/reduce_glsl_type.h"

#define NONE UINT32_MAX
#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define MOST_FUNCTIONS 64

const char fuzz_edit_head[] = "uniform highp float " FUZZ_ZERO ", " FUZZ_ONE
                              ";\nuniform highp int " FUZZ_IZERO ", " FUZZ_IONE ";\n";

/* Tokens from `begin` to `end`, and for some kinds of places a part of them. */
struct place {
   uint32_t begin, end, other, other_end;
   const char *constant; /* of an expression: one of its type */
};

struct function {
   uint32_t type, name, open, close; /* tokens; brackets of the body */
   bool writes_arguments;
};

struct editor {
   struct reduce_glsl g;
   bool fragment, es3;
   uint32_t number;
   uint64_t random;
   struct function function[MOST_FUNCTIONS];
   uint32_t functions;
   struct place *place;
   uint32_t places;
};

bool
fuzz_is_es3(const char *text)
{
   return !strncmp(text, FUZZ_ES3, strlen(FUZZ_ES3));
}

static bool
is(const struct editor *e, uint32_t at, const char *text)
{
   return reduce_glsl_is(&e->g, at, text);
}

static bool
is_any(const struct editor *e, uint32_t at, const char *const *texts, size_t count)
{
   for (size_t i = 0; i < count; i++) {
      if (is(e, at, texts[i]))
         return true;
   }
   return false;
}

static bool
is_word(const struct editor *e, uint32_t at)
{
   return at < e->g.tokens && e->g.token[at].kind == REDUCE_GLSL_WORD;
}

static bool
is_same(const struct editor *e, uint32_t a, uint32_t b)
{
   const struct reduce_glsl_token *x = &e->g.token[a], *y = &e->g.token[b];
   return x->end - x->begin == y->end - y->begin &&
          !memcmp(e->g.text + x->begin, e->g.text + y->begin, x->end - x->begin);
}

/* Text of tokens, for "%.*s". */
#define TEXT(e, first, behind)                                                                     \
   (int)((e)->g.token[(behind)-1].end - (e)->g.token[first].begin),                                \
      (e)->g.text + (e)->g.token[first].begin

static uint32_t
below(struct editor *e, uint32_t n)
{
   return fuzz_random(&e->random, n);
}

#define PICK(e, array) ((array)[below(e, LENGTH(array))])

/* ------------------------------------------------------------------ functions */

static void
add_function(struct editor *e, uint32_t name, uint32_t open, uint32_t close)
{
   if (e->functions == MOST_FUNCTIONS || name == 0)
      return;
   struct function *f = &e->function[e->functions++];
   *f = (struct function){ name - 1, name, open, close, false };
   for (uint32_t i = name; i < open; i++)
      f->writes_arguments |= is(e, i, "out") || is(e, i, "inout");
}

static void
find_functions(struct editor *e)
{
   for (uint32_t at = 0; at < e->g.tokens; at++) {
      uint32_t partner = e->g.token[at].partner;
      const bool forward = partner != NONE && partner > at;
      if (is(e, at, "(") && forward && is(e, partner + 1, "{") &&
          e->g.token[partner + 1].partner != NONE) {
         const uint32_t open = partner + 1;
         partner = e->g.token[open].partner;
         add_function(e, at - 1, open, partner);
      }
      at = forward ? partner : at;
   }
}

/* The function whose body has the token; NULL: none. */
static const struct function *
function_at(const struct editor *e, uint32_t token)
{
   for (uint32_t i = 0; i < e->functions; i++) {
      if (token > e->function[i].open && token < e->function[i].close)
         return &e->function[i];
   }
   return NULL;
}

/* How many functions have this name; in `writes` whether one writes its arguments. */
static uint32_t
named(const struct editor *e, uint32_t token, bool *writes)
{
   uint32_t count = 0;
   for (uint32_t i = 0; i < e->functions; i++) {
      if (!is_same(e, e->function[i].name, token))
         continue;
      count++;
      *writes |= e->function[i].writes_arguments;
   }
   return count;
}

/* ------------------------------------------------------------------ places */

static void
add_place(struct editor *e, struct place place)
{
   e->place[e->places++] = place;
}

static bool
is_step(const struct editor *e, uint32_t at)
{
   return is(e, at, "++") || is(e, at, "--");
}

/* Whether an argument that a function writes, or a constant's value, is at a token. */
static bool
is_bound(const struct editor *e, uint32_t token)
{
   uint32_t depth = 0, at = token;
   for (; at-- > 0 && (depth > 0 || !is_any(e, at, (const char *const[]){ ";", "{", "}" }, 3));) {
      if (is(e, at, ")") || is(e, at, "]"))
         depth++;
      else if ((is(e, at, "(") || is(e, at, "[")) && depth > 0)
         depth--;
      else if (is(e, at, "(") && at > 0) {
         bool writes = false;
         named(e, at - 1, &writes);
         if (writes)
            return true;
      }
   }
   return is(e, at + 1, "const");
}

/* Changes nothing, and has the same value each time. */
static bool
is_pure(const struct editor *e, uint32_t begin, uint32_t end)
{
   static const char *const writing[] = { "=",   "+=",  "-=", "*=", "/=", "%=",
                                          "<<=", ">>=", "&=", "^=", "|=" };
   bool writes = false;
   for (uint32_t i = begin; i < end; i++) {
      if (is_step(e, i) || is_any(e, i, writing, LENGTH(writing)))
         return false;
      if (is_word(e, i) && is(e, i + 1, "(") && named(e, i, &writes))
         return false;
   }
   return true;
}

/* An expression whose type may be another than what was read: of a function that has several. */
static bool
is_overloaded(const struct editor *e, uint32_t begin, uint32_t end)
{
   bool writes = false;
   for (uint32_t i = begin; i < end; i++) {
      if (is_word(e, i) && is(e, i + 1, "(") && named(e, i, &writes) > 1)
         return true;
   }
   return false;
}

static void
find_expressions(struct editor *e)
{
   for (uint32_t i = 0; i < e->g.edits; i++) {
      const struct reduce_glsl_edit *edit = &e->g.edit[i];
      if (edit->kind == REDUCE_GLSL_ZERO && function_at(e, edit->begin) &&
          !is_step(e, edit->begin - 1) && !is_step(e, edit->end) && !is_bound(e, edit->begin))
         add_place(e, (struct place){ edit->begin, edit->end, 0, 0, edit->constant });
   }
}

static void
find_typed(struct editor *e)
{
   uint32_t kept = 0;
   find_expressions(e);
   for (uint32_t i = 0; i < e->places; i++) {
      if (!is_overloaded(e, e->place[i].begin, e->place[i].end))
         e->place[kept++] = e->place[i];
   }
   e->places = kept;
}

static void
find_numbers(struct editor *e)
{
   for (uint32_t i = 1; i < e->g.tokens; i++) {
      if (e->g.token[i].kind == REDUCE_GLSL_NUMBER && function_at(e, i) && !is(e, i - 1, "[") &&
          !is(e, i - 1, "case") && !is_bound(e, i))
         add_place(e, (struct place){ i, i + 1, 0, 0, "" });
   }
}

/* Statements of blocks and behind labels, declarations too. */
static void
find_all_statements(struct editor *e)
{
   static const char *const before[] = { ";", "{", "}", ":" }, *const last[] = { ";", "}" };
   for (uint32_t i = 0; i < e->g.edits; i++) {
      const struct reduce_glsl_edit *edit = &e->g.edit[i];
      if (edit->kind == REDUCE_GLSL_STATEMENT && function_at(e, edit->begin) &&
          is_any(e, edit->begin - 1, before, LENGTH(before)) &&
          is_any(e, edit->end - 1, last, LENGTH(last)) && !is(e, edit->begin, "else"))
         add_place(e, (struct place){ edit->begin, edit->end, 0, 0, "" });
   }
}

static bool
is_declaration(const struct editor *e, uint32_t at)
{
   static const char *const qualifiers[] = { "const", "highp", "mediump", "lowp" },
                            *const jumps[] = { "return",  "break", "continue",
                                               "discard", "else",  "do" };
   return is_any(e, at, qualifiers, LENGTH(qualifiers)) ||
          (is_word(e, at) && is_word(e, at + 1) && !is_any(e, at, jumps, LENGTH(jumps)));
}

static void
keep_places(struct editor *e, bool (*wanted)(const struct editor *e, const struct place *p))
{
   uint32_t kept = 0;
   for (uint32_t i = 0; i < e->places; i++) {
      if (wanted(e, &e->place[i]))
         e->place[kept++] = e->place[i];
   }
   e->places = kept;
}

static bool
is_movable(const struct editor *e, const struct place *p)
{
   return !is_declaration(e, p->begin);
}

/* Into a loop: a jump of its own would leave that one. */
static bool
is_loopable(const struct editor *e, const struct place *p)
{
   static const char *const jumps[] = { "break", "continue" };
   for (uint32_t i = p->begin; i < p->end; i++) {
      if (is_any(e, i, jumps, LENGTH(jumps)))
         return false;
   }
   return is_movable(e, p);
}

/* type name = value; */
static bool
is_splittable(const struct editor *e, const struct place *p)
{
   uint32_t depth = 0;
   if (!is_word(e, p->begin) || !is_word(e, p->begin + 1) || !is(e, p->begin + 2, "=") ||
       !is_declaration(e, p->begin) || is(e, p->begin, "const"))
      return false;
   for (uint32_t i = p->begin; i < p->end; i++) {
      depth += is(e, i, "(") || is(e, i, "[");
      depth -= is(e, i, ")") || is(e, i, "]");
      if (depth == 0 && is(e, i, ","))
         return false;
   }
   return true;
}

/* name = value; whose value does not have the name. */
static bool
is_repeatable(const struct editor *e, const struct place *p)
{
   if (!is_word(e, p->begin) || !is(e, p->begin + 1, "=") || !is_pure(e, p->begin + 2, p->end))
      return false;
   for (uint32_t i = p->begin + 2; i < p->end; i++) {
      if (is_same(e, i, p->begin))
         return false;
   }
   return true;
}

static bool
is_assignment(const struct editor *e, const struct place *p)
{
   static const char *const words[] = { "if",     "for",   "while",    "do",      "{",
                                        "return", "break", "continue", "discard", ";" };
   return !is_any(e, p->begin, words, LENGTH(words)) && is_movable(e, p) && is(e, p->end - 1, ";");
}

static void
find_movable(struct editor *e)
{
   find_all_statements(e);
   keep_places(e, is_movable);
}

static void
find_loopable(struct editor *e)
{
   find_all_statements(e);
   keep_places(e, is_loopable);
}

static void
find_splittable(struct editor *e)
{
   find_all_statements(e);
   keep_places(e, is_splittable);
}

static void
find_repeatable(struct editor *e)
{
   find_all_statements(e);
   keep_places(e, is_repeatable);
}

/* Semicolons between two assignments. */
static void
find_seams(struct editor *e)
{
   find_all_statements(e);
   keep_places(e, is_assignment);
   const uint32_t count = e->places;
   for (uint32_t i = 0; i < count; i++) {
      for (uint32_t k = 0; k < count; k++) {
         if (e->place[i].end == e->place[k].begin)
            add_place(e, (struct place){ e->place[i].end - 1, e->place[i].end, 0, 0, "" });
      }
   }
   memmove(e->place, e->place + count, (e->places - count) * sizeof(*e->place));
   e->places -= count;
}

/* if (condition) ... else ...: `other` is what follows the else. */
static void
find_branches(struct editor *e)
{
   for (uint32_t i = 0; i < e->g.edits; i++) {
      const struct reduce_glsl_edit *edit = &e->g.edit[i];
      if (edit->kind == REDUCE_GLSL_ELSE && function_at(e, edit->begin))
         add_place(e, (struct place){ edit->begin, edit->end, edit->kept, edit->kept_end, "" });
   }
}

/* ------------------------------------------------------------------ what is put there */

/* The text with a place's tokens replaced. */
static char *__attribute__((format(printf, 3, 4)))
replaced(const struct editor *e, const struct place *p, const char *format, ...)
{
   char *text = NULL;
   size_t size_B;
   va_list args;
   FILE *file = open_memstream(&text, &size_B);
   fprintf(file, "%.*s", (int)e->g.token[p->begin].begin, e->g.text);
   va_start(args, format);
   vfprintf(file, format, args);
   va_end(args);
   fputs(e->g.text + e->g.token[p->end - 1].end, file);
   fclose(file);
   return text;
}

static const char *
condition(struct editor *e, bool value)
{
   static const char *const conditions[][2] = {
      { FUZZ_ONE " < " FUZZ_ZERO, FUZZ_ONE " > " FUZZ_ZERO },
      { FUZZ_IONE " == 2", FUZZ_IONE " == 1" },
      { FUZZ_ZERO " > 0.5", FUZZ_ZERO " < 0.5" },
      { FUZZ_IZERO " > " FUZZ_IONE, FUZZ_IZERO " <= " FUZZ_IONE },
      { "!(" FUZZ_ZERO " == 0.0 || " FUZZ_IONE " != 1)", FUZZ_ZERO " == 0.0 && " FUZZ_IONE " > 0" },
   },
      *const of_lanes[][2] = { { "position.w < 0.0", "position.w > 0.0" },
                               { "gl_FragCoord.x < 0.0", "gl_FragCoord.x >= 0.0" } };
   return below(e, 4) ? PICK(e, conditions)[value] : of_lanes[e->fragment][value];
}

/* Statements that never run. Free it. */
static char *
dead_code(struct editor *e, const struct place *p)
{
   const struct function *f = function_at(e, p->begin);
   const struct reduce_glsl_token *type = &e->g.token[f->type];
   char value[16] = "", *text = NULL;
   const bool is_void = is(e, f->type, "void");
   const bool returns = is_void || glsl_type_constant(glsl_type_named(e->g.text + type->begin,
                                                                      type->end - type->begin),
                                                      below(e, 2), value);
   int done = -1;
   switch (below(e, 6)) {
   case 0:
      done = returns ? asprintf(&text, "return %s;", value) : -1;
      break;
   case 1:
      done = e->fragment ? asprintf(&text, "discard;") : asprintf(&text, "gl_PointSize = 9.0;");
      break;
   case 2:
      done = asprintf(&text, "%s = vec4(" FUZZ_ONE ");",
                      !e->fragment ? "gl_Position"
                      : e->es3     ? "color"
                                   : "gl_FragColor");
      break;
   case 3:
      done = asprintf(&text, "while (%s) { }", condition(e, true));
      break;
   default:
      if (!is_declaration(e, p->begin) && is_loopable(e, p))
         done = asprintf(&text, "%.*s", TEXT(e, p->begin, p->end));
   }
   if (done < 0 && asprintf(&text, "{ int fuzz_d%u = 1; fuzz_d%u++; }", e->number, e->number) < 0)
      abort();
   return text;
}

static char *
put_dead(struct editor *e, const struct place *p)
{
   static const char *const heads[] = { "if (%s)", "while (%s)", "for (; %s;)" };
   char head[200], *dead = dead_code(e, p);
   snprintf(head, sizeof(head), PICK(e, heads), condition(e, false));
   char *text = replaced(e, p, "%s { %s }\n%.*s", head, dead, TEXT(e, p->begin, p->end));
   free(dead);
   return text;
}

static char *
put_branch(struct editor *e, const struct place *p)
{
   const bool value = below(e, 2);
   char *dead = dead_code(e, p), *text;
   if (below(e, 3) == 0)
      text = replaced(e, p, "if (%s) {\n%.*s\n} else { %.*s }", condition(e, value),
                      TEXT(e, p->begin, p->end), TEXT(e, p->begin, p->end));
   else if (value)
      text = replaced(e, p, "if (%s) {\n%.*s\n} else { %s }", condition(e, true),
                      TEXT(e, p->begin, p->end), dead);
   else
      text = replaced(e, p, "if (%s) { %s } else {\n%.*s\n}", condition(e, false), dead,
                      TEXT(e, p->begin, p->end));
   free(dead);
   return text;
}

static char *
put_loop(struct editor *e, const struct place *p)
{
   const uint32_t n = e->number;
   switch (below(e, 4)) {
   case 0:
      return replaced(e, p,
                      "for (int fuzz_i%u = 0; fuzz_i%u < " FUZZ_IONE "; fuzz_i%u++) {\n%.*s\n}", n,
                      n, n, TEXT(e, p->begin, p->end));
   case 1:
      return replaced(e, p, "for (int fuzz_i%u = 0; fuzz_i%u < 1; fuzz_i%u++) {\n%.*s\n}", n, n, n,
                      TEXT(e, p->begin, p->end));
   case 2:
      return replaced(e, p, "do {\n%.*s\n} while (%s);", TEXT(e, p->begin, p->end),
                      condition(e, false));
   default:
      return replaced(e, p, "while (%s) {\n%.*s\nif (%s) break;\n}", condition(e, true),
                      TEXT(e, p->begin, p->end), condition(e, true));
   }
}

static char *
put_block(struct editor *e, const struct place *p)
{
   return replaced(e, p, "{ %.*s }", TEXT(e, p->begin, p->end));
}

static char *
put_split(struct editor *e, const struct place *p)
{
   return replaced(e, p, "%.*s; %.*s", TEXT(e, p->begin, p->begin + 2),
                   TEXT(e, p->begin + 1, p->end));
}

static char *
put_seam(struct editor *e, const struct place *p)
{
   return replaced(e, p, ",");
}

static char *
put_twice(struct editor *e, const struct place *p)
{
   return replaced(e, p, "%.*s %.*s", TEXT(e, p->begin, p->end), TEXT(e, p->begin, p->end));
}

/* if (a) b else c: if (!(a)) c else b */
static char *
put_turned(struct editor *e, const struct place *p)
{
   const uint32_t close = e->g.token[p->begin + 1].partner;
   return replaced(e, p, "if (!%.*s) { %.*s } else { %.*s }", TEXT(e, p->begin + 1, close + 1),
                   TEXT(e, p->other, p->other_end), TEXT(e, close + 1, p->other - 1));
}

/* Whatever type it has. */
static char *
put_selected(struct editor *e, const struct place *p)
{
   if (below(e, 3) == 0)
      return replaced(e, p, "(%.*s)", TEXT(e, p->begin, p->end));
   return replaced(e, p, "(%s ? (%.*s) : (%.*s))", condition(e, below(e, 2)),
                   TEXT(e, p->begin, p->end), TEXT(e, p->begin, p->end));
}

static char *
put_choice(struct editor *e, const struct place *p)
{
   if (below(e, 2))
      return replaced(e, p, "(%s ? (%.*s) : %s)", condition(e, true), TEXT(e, p->begin, p->end),
                      p->constant);
   return replaced(e, p, "(%s ? %s : (%.*s))", condition(e, false), p->constant,
                   TEXT(e, p->begin, p->end));
}

/* What stands before and behind an expression that stays what it is. */
static char *
put_around(struct editor *e, const struct place *p, const char *const around[2])
{
   return replaced(e, p, "%s%.*s%s", around[0], TEXT(e, p->begin, p->end), around[1]);
}

static char *
put_float(struct editor *e, const struct place *p)
{
   /* x + 0.0 is not among them: it makes -0.0 to 0.0 */
   static const char *const ways[][2] = {
      { "((", ") * 1.0)" },           { "(1.0 * (", "))" },
      { "((", ") * " FUZZ_ONE ")" },  { "((", ") / 1.0)" },
      { "((", ") / " FUZZ_ONE ")" },  { "((", ") - 0.0)" },
      { "((", ") - " FUZZ_ZERO ")" }, { "(-(-(", ")))" },
      { "(" FUZZ_ONE " * (", "))" },
   };
   const bool is_matrix = p->constant[0] == 'm';
   if (!is_matrix && below(e, 4) == 0 && is_pure(e, p->begin, p->end))
      return replaced(e, p, "%s((%.*s), (%.*s))", below(e, 2) ? "min" : "max",
                      TEXT(e, p->begin, p->end), TEXT(e, p->begin, p->end));
   return put_around(e, p, PICK(e, ways));
}

static char *
put_int(struct editor *e, const struct place *p)
{
   static const char *const ways[][2] = {
      { "((", ") * 1)" },
      { "((", ") * " FUZZ_IONE ")" },
      { "((", ") + 0)" },
      { "((", ") + " FUZZ_IZERO ")" },
      { "((", ") - " FUZZ_IZERO ")" },
      { "(-(-(", ")))" },
      { "((", ") / " FUZZ_IONE ")" },
      { "((", ") + 7 - 7)" },
   },
      *const of_es3[][2] = {
      { "((", ") ^ 0)" },
      { "((", ") ^ " FUZZ_IZERO ")" },
      { "((", ") | " FUZZ_IZERO ")" },
      { "((", ") & -1)" },
      { "((", ") & ~" FUZZ_IZERO ")" },
      { "(~(~(", ")))" },
      { "((", ") << " FUZZ_IZERO ")" },
      { "((", ") >> 0u)" },
      { "((", ") ^ 0x5a5a ^ 0x5a5a)" },
   };
   return put_around(e, p, e->es3 && below(e, 2) ? PICK(e, of_es3) : PICK(e, ways));
}

static char *
put_uint(struct editor *e, const struct place *p)
{
   static const char *const ways[][2] = {
      { "((", ") * 1u)" },
      { "((", ") * uint(" FUZZ_IONE "))" },
      { "((", ") + 0u)" },
      { "((", ") - uint(" FUZZ_IZERO "))" },
      { "((", ") / uint(" FUZZ_IONE "))" },
      { "((", ") + 7u - 7u)" },
      { "((", ") - 7u + 7u)" },
      { "(-(-(", ")))" },
      { "(~(~(", ")))" },
      { "((", ") | uint(" FUZZ_IZERO "))" },
      { "((", ") & 0xffffffffu)" },
      { "((", ") & ~uint(" FUZZ_IZERO "))" },
      { "((", ") << " FUZZ_IZERO ")" },
      { "((", ") >> uint(" FUZZ_IZERO "))" },
      { "((", ") ^ 0x80000000u ^ 0x80000000u)" },
   };
   return put_around(e, p, PICK(e, ways));
}

static char *
put_bool(struct editor *e, const struct place *p)
{
   static const char *const ways[][2] = {
      { "((", ") && " FUZZ_ONE " > 0.5)" },
      { "((", ") || " FUZZ_ZERO " > 0.5)" },
      { "(!(!(", ")))" },
      { "((", ") ^^ " FUZZ_IONE " == 0)" },
      { "((", ") == true)" },
      { "(" FUZZ_ZERO " < 0.5 && (", "))" },
   };
   return put_around(e, p, PICK(e, ways));
}

/* An operation that changes nothing. */
static char *
put_identity(struct editor *e, const struct place *p)
{
   const char first = p->constant[0];
   const bool is_vector = strchr(p->constant, '(');
   if (!strncmp(p->constant, "0.0", 3) || first == 'v' || first == 'm')
      return put_float(e, p);
   if (first == 'u' || !strcmp(p->constant, "0u"))
      return put_uint(e, p);
   if (first == '0' || first == 'i')
      return put_int(e, p);
   return is_vector ? put_choice(e, p) : put_bool(e, p);
}

static char *
put_number(struct editor *e, const struct place *p)
{
   const struct reduce_glsl_token *t = &e->g.token[p->begin];
   switch (glsl_type_of_number(e->g.text + t->begin, t->end - t->begin).scalar) {
   case GLSL_FLOAT:
      return put_float(e, p);
   case GLSL_UINT:
      return put_uint(e, p);
   default:
      return put_int(e, p);
   }
}

/* ------------------------------------------------------------------ edits */

static const struct kind {
   const char *name;
   void (*find)(struct editor *e);
   char *(*put)(struct editor *e, const struct place *p);
} kinds[] = {
   { "dead code", find_all_statements, put_dead },
   { "a condition around a statement", find_movable, put_branch },
   { "a loop of one turn", find_loopable, put_loop },
   { "a block", find_movable, put_block },
   { "a declaration split", find_splittable, put_split },
   { "statements joined", find_seams, put_seam },
   { "a statement twice", find_repeatable, put_twice },
   { "branches exchanged", find_branches, put_turned },
   { "an expression selected", find_expressions, put_selected },
   { "an expression or a constant", find_typed, put_choice },
   { "an identity", find_typed, put_identity },
   { "an identity at a number", find_numbers, put_number },
};

uint32_t
fuzz_edit_kinds(void)
{
   return LENGTH(kinds);
}

const char *
fuzz_edit_name(uint32_t choice)
{
   return kinds[choice % LENGTH(kinds)].name;
}

char *
fuzz_edit(const char *text, bool fragment, uint32_t choice, uint32_t number)
{
   const struct kind *kind = &kinds[choice % LENGTH(kinds)];
   struct editor e = { .g = reduce_glsl_read(text),
                       .fragment = fragment,
                       .es3 = fuzz_is_es3(text),
                       .number = number,
                       .random = choice * 0x9e3779b97f4a7c15ull };
   char *edited = NULL;
   e.place = reduce_allocate((3 * (size_t)e.g.edits + e.g.tokens + 1) * sizeof(*e.place));
   find_functions(&e);
   kind->find(&e);
   if (e.places > 0)
      edited = kind->put(&e, &e.place[below(&e, e.places)]);
   free(e.place);
   reduce_glsl_free(&e.g);
   return edited;
}
