/* SPDX-License-Identifier: MIT */
/*
 * Where GLSL may be simpler: its statements and expressions, found by recursive descent. What is
 * not understood is left out as a whole or not at all.
 */
#include <stdlib.h>
#include <string.h>

#include "reduce_case.h"
#include "reduce_glsl.h"
#include "reduce_glsl_type.h"

#define NONE UINT32_MAX
#define MOST_ARGUMENTS 16
#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

/* A variable or a function. */
struct glsl_name {
   uint32_t token;
   struct glsl_type type;
};

struct glsl_parser {
   struct reduce_glsl *g;
   struct glsl_name *name; /* the last of a name counts, wherever it is declared */
   uint32_t names, name_capacity;
};

/* An expression: its tokens. None: `end` is `begin`. */
struct expression {
   uint32_t begin, end;
   struct glsl_type type;
   bool constant; /* made of literals alone */
};

static bool
is(const struct glsl_parser *p, uint32_t at, const char *text)
{
   return reduce_glsl_is(p->g, at, text);
}

static bool
is_kind(const struct glsl_parser *p, uint32_t at, int kind)
{
   return at < p->g->tokens && (int)p->g->token[at].kind == kind;
}

static bool
is_any(const struct glsl_parser *p, uint32_t at, const char *const *texts, size_t count)
{
   for (size_t i = 0; i < count; i++) {
      if (is(p, at, texts[i]))
         return true;
   }
   return false;
}

static const char *
text_of(const struct glsl_parser *p, uint32_t at, size_t *length)
{
   *length = p->g->token[at].end - p->g->token[at].begin;
   return p->g->text + p->g->token[at].begin;
}

/* The end of a bracket before `end`: the token that closes it, or `end`. */
static uint32_t
closed_at(const struct glsl_parser *p, uint32_t open, uint32_t end)
{
   const uint32_t partner = open < end ? p->g->token[open].partner : NONE;
   return partner < end && partner > open ? partner : end;
}

/* ------------------------------------------------------------------ edits */

/* Add an edit. NULL: in a text that ends too early its parts are not where they are to be. */
static struct reduce_glsl_edit *
keep_part(struct glsl_parser *p, enum reduce_glsl_kind kind, uint32_t begin, uint32_t end,
          uint32_t kept, uint32_t kept_end)
{
   struct reduce_glsl *g = p->g;
   if (begin > kept || kept > kept_end || kept_end > end || begin >= end || end > g->tokens)
      return NULL;
   if (g->edits == g->edit_capacity) {
      struct reduce_glsl_edit *old = g->edit;
      g->edit_capacity = 2 * g->edit_capacity + 256;
      g->edit = reduce_allocate(g->edit_capacity * sizeof(*old));
      if (g->edits)
         memcpy(g->edit, old, g->edits * sizeof(*old));
      free(old);
   }
   g->edit[g->edits] = (struct reduce_glsl_edit){ kind, begin, end, kept, kept_end, "" };
   return &g->edit[g->edits++];
}

static void
leave_out(struct glsl_parser *p, enum reduce_glsl_kind kind, uint32_t begin, uint32_t end)
{
   keep_part(p, kind, begin, end, begin, begin);
}

/* An expression becomes one of its operands, unless the types say that this cannot be. */
static void
keep_operand(struct glsl_parser *p, enum reduce_glsl_kind kind, const struct expression *whole,
             const struct expression *operand)
{
   if (!glsl_types_differ(whole->type, operand->type))
      keep_part(p, kind, whole->begin, whole->end, operand->begin, operand->end);
}

/* An expression becomes a constant, if its type is known. */
static struct expression
try_constants(struct glsl_parser *p, struct expression e)
{
   for (int one = 0; one < 2 && !e.constant && e.end > e.begin; one++) {
      char text[16];
      if (!glsl_type_constant(e.type, one, text))
         break;
      struct reduce_glsl_edit *edit =
         keep_part(p, one ? REDUCE_GLSL_ONE : REDUCE_GLSL_ZERO, e.begin, e.end, e.begin, e.begin);
      if (edit)
         memcpy(edit->constant, text, sizeof(text));
   }
   return e;
}

/* ------------------------------------------------------------------ names */

static void
declare(struct glsl_parser *p, uint32_t token, struct glsl_type type)
{
   if (p->names == p->name_capacity) {
      struct glsl_name *old = p->name;
      p->name_capacity = 2 * p->name_capacity + 64;
      p->name = reduce_allocate(p->name_capacity * sizeof(*old));
      if (p->names)
         memcpy(p->name, old, p->names * sizeof(*old));
      free(old);
   }
   p->name[p->names++] = (struct glsl_name){ token, type };
}

/* The type of a word that stands for a value, or of what a function returns. */
static struct glsl_type
type_of(const struct glsl_parser *p, uint32_t token)
{
   size_t length, other_length;
   const char *text = text_of(p, token, &length);
   for (uint32_t i = p->names; i-- > 0;) {
      const char *other = text_of(p, p->name[i].token, &other_length);
      if (length == other_length && !memcmp(text, other, length))
         return p->name[i].type;
   }
   if (is(p, token, "gl_FragColor") || is(p, token, "gl_FragCoord") || is(p, token, "gl_Position"))
      return glsl_type_named("vec4", 4);
   if (is(p, token, "gl_FrontFacing") || is(p, token, "true") || is(p, token, "false"))
      return glsl_type_named("bool", 4);
   if (is(p, token, "gl_PointCoord"))
      return glsl_type_named("vec2", 4);
   return (struct glsl_type){ 0 };
}

static struct glsl_type
type_at(const struct glsl_parser *p, uint32_t token)
{
   size_t length;
   const char *text = text_of(p, token, &length);
   return glsl_type_named(text, length);
}

/* ------------------------------------------------------------------ expressions */

static struct expression parse_expression(struct glsl_parser *p, uint32_t at, uint32_t end);

/* The arguments of a call, whose type is wanted; the first and the last of this type may take its
 * place. */
static struct expression
parse_call(struct glsl_parser *p, uint32_t at, uint32_t end)
{
   const uint32_t close = closed_at(p, at + 1, end);
   struct expression call = { at, close < end ? close + 1 : end, type_of(p, at), false },
                     argument[MOST_ARGUMENTS];
   const bool is_constructor = type_at(p, at).scalar;
   struct glsl_type widest = { 0 };
   bool constant = is_constructor, all_known = true;
   uint32_t count = 0;
   for (uint32_t i = at + 2; i < close && count < MOST_ARGUMENTS; i = argument[count++].end + 1) {
      struct expression *a = &argument[count];
      *a = parse_expression(p, i, close);
      constant &= a->constant;
      all_known &= a->type.scalar != GLSL_UNKNOWN;
      if (a->type.rows * a->type.columns > widest.rows * widest.columns)
         widest = a->type;
   }
   if (!all_known && widest.rows == 1)
      widest = (struct glsl_type){ 0 };
   if (!call.type.scalar) {
      size_t length;
      const char *name = text_of(p, at, &length);
      call.type = glsl_type_of_call(name, length, widest);
   }
   call.constant = constant;
   if (count > 0)
      keep_operand(p, REDUCE_GLSL_FIRST, &call, &argument[0]);
   while (count > 1 && glsl_types_differ(call.type, argument[count - 1].type))
      count--;
   if (count > 1)
      keep_operand(p, REDUCE_GLSL_LAST, &call, &argument[count - 1]);
   return call;
}

static struct expression
parse_number(const struct glsl_parser *p, uint32_t at)
{
   size_t length;
   const char *text = text_of(p, at, &length);
   return (struct expression){ at, at + 1, glsl_type_of_number(text, length), true };
}

static struct expression
parse_primary(struct glsl_parser *p, uint32_t at, uint32_t end)
{
   if (at < end && is(p, at, "(")) {
      const uint32_t close = closed_at(p, at, end);
      struct expression inner = parse_expression(p, at + 1, close),
                        whole = { at, close < end ? close + 1 : end, inner.type, inner.constant };
      keep_operand(p, REDUCE_GLSL_FIRST, &whole, &inner);
      return whole;
   }
   if (at < end && is_kind(p, at, REDUCE_GLSL_NUMBER))
      return parse_number(p, at);
   if (at < end && is_kind(p, at, REDUCE_GLSL_WORD)) {
      if (at + 1 < end && is(p, at + 1, "("))
         return parse_call(p, at, end);
      return (struct expression){ at, at + 1, type_of(p, at),
                                  is(p, at, "true") || is(p, at, "false") };
   }
   return (struct expression){ .begin = at, .end = at };
}

/* A primary expression, and what is taken out of it. */
static struct expression
parse_postfix(struct glsl_parser *p, uint32_t at, uint32_t end)
{
   struct expression e = parse_primary(p, at, end);
   while (e.end > at && e.end < end) {
      if (is(p, e.end, ".") && e.end + 1 < end) {
         size_t length;
         const char *name = text_of(p, e.end + 1, &length);
         e.type = glsl_type_member(e.type, name, length);
         e.end += 2;
      } else if (is(p, e.end, "[")) {
         const uint32_t close = closed_at(p, e.end, end);
         parse_expression(p, e.end + 1, close);
         e.type = glsl_type_element(e.type);
         e.end = close < end ? close + 1 : end;
      } else if (is(p, e.end, "++") || is(p, e.end, "--")) {
         e.end++;
      } else {
         break;
      }
   }
   return is(p, at, "(") ? e : try_constants(p, e);
}

static struct expression
parse_unary(struct glsl_parser *p, uint32_t at, uint32_t end)
{
   static const char *const operators[] = { "-", "+", "!", "~", "++", "--" };
   if (at >= end || !is_any(p, at, operators, LENGTH(operators)))
      return parse_postfix(p, at, end);
   const struct expression operand = parse_unary(p, at + 1, end);
   const struct expression e = { at, operand.end, operand.type, operand.constant };
   if (operand.end > operand.begin)
      keep_operand(p, REDUCE_GLSL_FIRST, &e, &operand);
   return try_constants(p, e);
}

/* How tightly an operator binds, from 1; 0: it joins no operands. */
static uint32_t
level_of(const struct glsl_parser *p, uint32_t at)
{
   static const char *const levels[][4] = {
      { "||" },       { "^^" },     { "&&" },          { "|" },
      { "^" },        { "&" },      { "==", "!=" },    { "<", ">", "<=", ">=" },
      { "<<", ">>" }, { "+", "-" }, { "*", "/", "%" },
   };
   for (uint32_t level = 0; level < LENGTH(levels); level++) {
      for (uint32_t i = 0; i < 4 && levels[level][i]; i++) {
         if (is(p, at, levels[level][i]))
            return level + 1;
      }
   }
   return 0;
}

static struct expression
parse_binary(struct glsl_parser *p, uint32_t at, uint32_t end, uint32_t level)
{
   struct expression left = parse_unary(p, at, end);
   while (left.end > at && left.end < end) {
      const uint32_t operator_ = left.end, found = level_of(p, operator_);
      if (found < level)
         break;
      const struct expression right = parse_binary(p, operator_ + 1, end, found + 1);
      if (right.end == right.begin)
         break;
      size_t length;
      const char *mark = text_of(p, operator_, &length);
      const struct expression whole = { at, right.end,
                                        glsl_type_joined(left.type, right.type, mark, length),
                                        left.constant && right.constant };
      keep_operand(p, REDUCE_GLSL_FIRST, &whole, &left);
      keep_operand(p, REDUCE_GLSL_LAST, &whole, &right);
      left = try_constants(p, whole);
   }
   return left;
}

static struct expression
parse_choice(struct glsl_parser *p, uint32_t at, uint32_t end)
{
   const struct expression condition = parse_binary(p, at, end, 1);
   if (condition.end >= end || !is(p, condition.end, "?"))
      return condition;
   const struct expression yes = parse_expression(p, condition.end + 1, end);
   if (yes.end >= end || !is(p, yes.end, ":"))
      return condition;
   const struct expression no = parse_expression(p, yes.end + 1, end);
   const struct expression whole = { at, no.end, yes.type, false };
   keep_operand(p, REDUCE_GLSL_FIRST, &whole, &yes);
   keep_operand(p, REDUCE_GLSL_LAST, &whole, &no);
   return try_constants(p, whole);
}

/* An expression, up to a comma. What is assigned to stays. */
static struct expression
parse_expression(struct glsl_parser *p, uint32_t at, uint32_t end)
{
   static const char *const operators[] = { "=",   "+=",  "-=", "*=", "/=", "%=",
                                            "<<=", ">>=", "&=", "^=", "|=" };
   const uint32_t edits = p->g->edits;
   const struct expression target = parse_choice(p, at, end);
   if (target.end >= end || !is_any(p, target.end, operators, LENGTH(operators)))
      return target;
   p->g->edits = edits;
   const struct expression value = parse_expression(p, target.end + 1, end);
   return (struct expression){ at, value.end, target.type, false };
}

/* Expressions with commas between them. */
static void
parse_expressions(struct glsl_parser *p, uint32_t at, uint32_t end)
{
   while (at < end) {
      const uint32_t next = parse_expression(p, at, end).end;
      at = next > at ? next : at + 1;
      at += at < end && is(p, at, ",");
   }
}

/* ------------------------------------------------------------------ declarations */

static uint32_t
skip_qualifiers(const struct glsl_parser *p, uint32_t at)
{
   static const char *const qualifiers[] = { "const",   "highp", "mediump",  "lowp",
                                             "uniform", "in",    "varying",  "attribute",
                                             "out",     "inout", "centroid", "invariant",
                                             "flat",    "smooth" };
   while (is_any(p, at, qualifiers, LENGTH(qualifiers)) || is(p, at, "layout"))
      at = is(p, at, "layout") ? closed_at(p, at + 1, p->g->tokens) + 1 : at + 1;
   return at;
}

/* The name that a declaration of variables begins with; NONE: it is none. */
static uint32_t
find_declared(const struct glsl_parser *p, uint32_t at, uint32_t end)
{
   const uint32_t type = skip_qualifiers(p, at);
   const bool found = type + 1 < end && is_kind(p, type, REDUCE_GLSL_WORD) &&
                      is_kind(p, type + 1, REDUCE_GLSL_WORD);
   return found ? type + 1 : NONE;
}

/* Names with their values, of one type. Each may go if there are several. */
static void
parse_declared(struct glsl_parser *p, uint32_t at, uint32_t end)
{
   const struct glsl_type type = type_at(p, at - 1);
   const uint32_t first = at;
   for (bool more = true; more && at < end && is_kind(p, at, REDUCE_GLSL_WORD);) {
      const uint32_t begin = at++;
      struct glsl_type own = type;
      own.is_array = at < end && is(p, at, "[");
      if (own.is_array)
         at = closed_at(p, at, end) + 1;
      if (at < end && is(p, at, "="))
         at = parse_expression(p, at + 1, end).end;
      declare(p, begin, own);
      more = at < end && is(p, at, ",");
      at += more;
      if (more)
         leave_out(p, REDUCE_GLSL_STATEMENT, begin, at);
      else if (begin > first && at <= end)
         leave_out(p, REDUCE_GLSL_STATEMENT, begin - 1, at);
   }
}

/* The parameters of a function are variables. */
static void
declare_parameters(struct glsl_parser *p, uint32_t open, uint32_t close)
{
   for (uint32_t i = open + 2; i < close; i++) {
      struct glsl_type type = type_at(p, i - 1);
      type.is_array = is(p, i + 1, "[");
      if (is_kind(p, i, REDUCE_GLSL_WORD) && is_kind(p, i - 1, REDUCE_GLSL_WORD))
         declare(p, i, type);
   }
}

/* ------------------------------------------------------------------ statements */

static uint32_t parse_statement(struct glsl_parser *p, uint32_t at, uint32_t end, bool removable);

/* Behind the next semicolon that is in no bracket. */
static uint32_t
behind_semicolon(const struct glsl_parser *p, uint32_t at, uint32_t end)
{
   while (at < end && !is(p, at, ";"))
      at = p->g->token[at].partner != NONE ? closed_at(p, at, end) + 1 : at + 1;
   return at < end ? at + 1 : end;
}

static void
parse_statements(struct glsl_parser *p, uint32_t at, uint32_t end)
{
   while (at < end)
      at = parse_statement(p, at, end, true);
}

static uint32_t
parse_block(struct glsl_parser *p, uint32_t at, uint32_t end, bool removable)
{
   const uint32_t close = closed_at(p, at, end), next = close < end ? close + 1 : end;
   parse_statements(p, at + 1, close);
   if (removable)
      keep_part(p, REDUCE_GLSL_THEN, at, next, at + 1, close);
   return next;
}

static uint32_t
parse_if(struct glsl_parser *p, uint32_t at, uint32_t end)
{
   const uint32_t close = closed_at(p, at + 1, end), then = close + 1;
   parse_expressions(p, at + 2, close);
   const uint32_t then_end = then < end ? parse_statement(p, then, end, false) : end;
   uint32_t next = then_end;
   if (then_end < end && is(p, then_end, "else")) {
      next = parse_statement(p, then_end + 1, end, false);
      leave_out(p, REDUCE_GLSL_STATEMENT, then_end, next);
      keep_part(p, REDUCE_GLSL_ELSE, at, next, then_end + 1, next);
   }
   keep_part(p, REDUCE_GLSL_THEN, at, next, then, then_end);
   return next;
}

/* for (...) or while (...). The head stays as it is: a loop without an end is not simpler. */
static uint32_t
parse_loop(struct glsl_parser *p, uint32_t at, uint32_t end)
{
   const uint32_t close = closed_at(p, at + 1, end), body = close + 1, edits = p->g->edits;
   if (is(p, at, "for"))
      parse_statement(p, at + 2, close, false);
   p->g->edits = edits;
   const uint32_t next = body < end ? parse_statement(p, body, end, false) : end;
   keep_part(p, REDUCE_GLSL_THEN, at, next, body, next);
   return next;
}

static uint32_t
parse_do(struct glsl_parser *p, uint32_t at, uint32_t end)
{
   const uint32_t body_end = parse_statement(p, at + 1, end, false),
                  next = behind_semicolon(p, body_end, end);
   keep_part(p, REDUCE_GLSL_THEN, at, next, at + 1, body_end);
   return next;
}

static uint32_t
parse_switch(struct glsl_parser *p, uint32_t at, uint32_t end)
{
   const uint32_t close = closed_at(p, at + 1, end), body = close + 1,
                  body_end = body < end ? closed_at(p, body, end) : end;
   parse_expressions(p, at + 2, close);
   parse_statements(p, body + 1, body_end);
   return body_end < end ? body_end + 1 : end;
}

/* `case value:` or `default:`, which is no part of the statement that follows. */
static uint32_t
behind_label(const struct glsl_parser *p, uint32_t at, uint32_t end)
{
   while (at < end && !is(p, at, ":"))
      at++;
   return at < end ? at + 1 : end;
}

/* What ends with a semicolon. */
static uint32_t
parse_simple(struct glsl_parser *p, uint32_t at, uint32_t end)
{
   const uint32_t next = behind_semicolon(p, at, end), name = find_declared(p, at, next);
   if (is(p, at, "return"))
      parse_expressions(p, at + 1, next - 1);
   else if (name != NONE)
      parse_declared(p, name, next - 1);
   else
      parse_expressions(p, at, next - 1);
   return next;
}

/* A statement. One that another needs is not removable. Returns where the next begins. */
static uint32_t
parse_statement(struct glsl_parser *p, uint32_t at, uint32_t end, bool removable)
{
   uint32_t next;
   if (at >= end || is_kind(p, at, REDUCE_GLSL_HASH))
      return at < end ? at + 1 : end;
   if (is(p, at, "case") || is(p, at, "default"))
      return behind_label(p, at, end);
   if (is(p, at, "{"))
      next = parse_block(p, at, end, removable);
   else if (is(p, at, "if"))
      next = parse_if(p, at, end);
   else if (is(p, at, "for") || is(p, at, "while"))
      next = parse_loop(p, at, end);
   else if (is(p, at, "do"))
      next = parse_do(p, at, end);
   else if (is(p, at, "switch"))
      next = parse_switch(p, at, end);
   else
      next = parse_simple(p, at, end);
   if (removable)
      leave_out(p, REDUCE_GLSL_STATEMENT, at, next);
   return next;
}

/* ------------------------------------------------------------------ the whole */

/* A function from its name on. Returns what follows it. */
static uint32_t
parse_function(struct glsl_parser *p, uint32_t name, uint32_t end)
{
   const uint32_t close = closed_at(p, name + 1, end);
   declare(p, name, type_at(p, name - 1));
   declare_parameters(p, name + 1, close);
   if (close + 1 >= end || !is(p, close + 1, "{"))
      return behind_semicolon(p, close, end);
   const uint32_t body_end = closed_at(p, close + 1, end);
   parse_statements(p, close + 2, body_end);
   return body_end < end ? body_end + 1 : end;
}

/* A function or a global declaration. Returns what follows it. */
static uint32_t
parse_global(struct glsl_parser *p, uint32_t at, uint32_t end)
{
   const uint32_t name = find_declared(p, at, end);
   uint32_t next;
   if (is_kind(p, at, REDUCE_GLSL_HASH))
      return at + 1;
   if (name != NONE && is(p, name + 1, "(")) {
      next = parse_function(p, name, end);
   } else {
      next = behind_semicolon(p, at, end);
      if (name != NONE)
         parse_declared(p, name, next - 1);
   }
   if (name == NONE || !is(p, name, "main"))
      leave_out(p, REDUCE_GLSL_GLOBAL, at, next);
   return next;
}

/* The word after the # of a line. */
static bool
is_directive(const struct glsl_parser *p, uint32_t at, const char *word)
{
   const char *text = p->g->text + p->g->token[at].begin + 1;
   text += strspn(text, " \t");
   return !strncmp(text, word, strlen(word));
}

/* Lines of the preprocessor from `at` on, to the end of the block that they are in: to #endif, and
 * to a first #else or #elif, if there is one. Returns the #endif. */
static uint32_t
parse_directives(struct glsl_parser *p, uint32_t at, uint32_t *otherwise)
{
   const uint32_t tokens = p->g->tokens;
   for (; at < tokens; at++) {
      if (!is_kind(p, at, REDUCE_GLSL_HASH))
         continue;
      if (is_directive(p, at, "endif"))
         return at;
      if (is_directive(p, at, "el")) {
         *otherwise = *otherwise == NONE ? at : *otherwise;
      } else if (is_directive(p, at, "if")) {
         uint32_t other = NONE;
         const uint32_t end = parse_directives(p, at + 1, &other);
         if (end == tokens)
            return end;
         keep_part(p, REDUCE_GLSL_IF_THEN, at, end + 1, at + 1, other < end ? other : end);
         if (other < end && is_directive(p, other, "else"))
            keep_part(p, REDUCE_GLSL_IF_ELSE, at, end + 1, other + 1, end);
         leave_out(p, REDUCE_GLSL_DIRECTIVE, at, end + 1);
         at = end;
      } else {
         leave_out(p, REDUCE_GLSL_DIRECTIVE, at, at + 1);
      }
   }
   return at;
}

void
reduce_glsl_find_edits(struct reduce_glsl *g)
{
   struct glsl_parser p = { .g = g };
   uint32_t otherwise = NONE;
   parse_directives(&p, 0, &otherwise);
   for (uint32_t at = 0; at < g->tokens;)
      at = parse_global(&p, at, g->tokens);
   free(p.name);
}
