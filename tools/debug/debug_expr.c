/* SPDX-License-Identifier: MIT */
#include "debug_expr.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64

struct expr_parser {
   const struct debug_view *view;
   const char *at;
   char *error;
   uint32_t depth;
   bool absent; /* the error is that a value is not there */
};

static bool __attribute__((format(printf, 2, 3)))
fails(struct expr_parser *p, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(p->error, DEBUG_EXPR_ERROR_B, format, arguments);
   va_end(arguments);
   return false;
}

static void
skip(struct expr_parser *p)
{
   p->at += strspn(p->at, " \t");
}

/* Whether this comes next; then it is passed. */
static bool
accept(struct expr_parser *p, const char *token)
{
   skip(p);
   const size_t length = strlen(token);
   if (strncmp(p->at, token, length))
      return false;
   p->at += length;
   return true;
}

static struct debug_expr_value
number_value(double number)
{
   return (struct debug_expr_value){ .number = { number }, .count = 1, .scalar = CF_NOTE_FLOAT };
}

static double
number_of(uint32_t bits, enum cf_note_scalar scalar)
{
   float value;
   memcpy(&value, &bits, sizeof(value));
   return scalar == CF_NOTE_FLOAT  ? (double)value
          : scalar == CF_NOTE_INT  ? (double)(int32_t)bits
          : scalar == CF_NOTE_BOOL ? (double)(bits != 0)
                                   : (double)bits;
}

/* ------------------------------------------------------------------ names */

/* What a name stands for, narrowed by indices and swizzles. */
struct reference {
   const struct debug_variable *variable; /* NULL: a built-in variable */
   char builtin[32];
   uint32_t component[DEBUG_EXPR_VALUES];
   uint32_t count;
   uint32_t elements, columns, rows; /* that are still to be chosen from; 0: none */
   enum cf_note_scalar scalar;
};

static bool
read_reference(struct expr_parser *p, const struct reference *ref, const char *name,
               struct debug_expr_value *value)
{
   *value =
      (struct debug_expr_value){ .count = ref->count, .scalar = ref->scalar, .is_name = true };
   for (uint32_t i = 0; i < ref->count; i++) {
      uint32_t count;
      enum cf_note_scalar scalar;
      const bool known =
         ref->variable
            ? debug_variable_read(p->view, ref->variable, ref->component[i], &value->bits[i])
            : debug_builtin_read(p->view, ref->builtin, ref->component[i], &value->bits[i], &count,
                                 &scalar);
      if (known)
         value->number[i] = number_of(value->bits[i], ref->scalar);
      else
         value->missing |= 1u << i;
   }
   if (value->missing < (1u << ref->count) - 1)
      return true;
   p->absent = true;
   return fails(p, "%s has no value here (yet)", name);
}

static bool
parse_index(struct expr_parser *p, uint32_t *index)
{
   char *end;
   skip(p);
   if (!isdigit((unsigned char)*p->at))
      return fails(p, "an index is a number");
   *index = (uint32_t)strtoul(p->at, &end, 10);
   p->at = end;
   return accept(p, "]") || fails(p, "] is missing");
}

/* The components of the reference that begin at `first`. */
static void
narrow(struct reference *ref, uint32_t first, uint32_t count)
{
   memmove(ref->component, ref->component + first, count * sizeof(ref->component[0]));
   ref->count = count;
}

static bool
parse_swizzle(struct expr_parser *p, struct reference *ref)
{
   static const char *const sets[] = { "xyzw", "rgba", "stpq" };
   struct reference from = *ref;
   uint32_t count = 0;
   for (; isalpha((unsigned char)*p->at); p->at++) {
      uint32_t which = 4;
      for (size_t s = 0; s < 3; s++) {
         const char *found = strchr(sets[s], *p->at);
         which = found ? (uint32_t)(found - sets[s]) : which;
      }
      if (which >= from.count || from.columns > 1 || from.elements > 1 || count == 4)
         return fails(p, "it has no component %c", *p->at);
      ref->component[count++] = from.component[which];
   }
   ref->count = ref->rows = count;
   return count || fails(p, "a component is missing");
}

/* Indices and swizzles. Of an array that is too long to hold, an index chooses an element first. */
static bool
parse_postfix(struct expr_parser *p, struct reference *ref)
{
   while (accept(p, "[")) {
      uint32_t index = 0;
      if (!parse_index(p, &index))
         return false;
      uint32_t *extent = ref->elements      ? &ref->elements
                         : ref->columns > 1 ? &ref->columns
                                            : &ref->rows;
      if (index >= *extent)
         return fails(p, "index %u is out of range; it has %u", index, *extent);
      const bool element = ref->elements != 0;
      *extent = element ? 0 : 1;
      const uint32_t each = element                   ? ref->columns * ref->rows
                            : extent == &ref->columns ? ref->rows
                                                      : 1;
      if (element) {
         for (uint32_t i = 0; i < each && i < DEBUG_EXPR_VALUES; i++)
            ref->component[i] = index * each + i;
         ref->count = each < DEBUG_EXPR_VALUES ? each : DEBUG_EXPR_VALUES;
      } else {
         narrow(ref, index * each, each);
      }
   }
   return *p->at != '.' || !isalpha((unsigned char)p->at[1]) || (p->at++, parse_swizzle(p, ref));
}

static bool
find_name(const struct expr_parser *p, const char *name, struct reference *ref)
{
   *ref = (struct reference){ .columns = 1 };
   const struct debug_variable *v = debug_variable_find(p->view, name);
   if (v) {
      ref->variable = v;
      ref->scalar = v->is.scalar;
      ref->elements = v->array && !v->parts ? v->is.elements : 0;
      ref->columns = v->is.columns;
      ref->rows = v->is.rows;
      ref->count = debug_variable_components(v);
   }
   if (!ref->variable) {
      uint32_t bits;
      snprintf(ref->builtin, sizeof(ref->builtin), "%.31s", name);
      debug_builtin_read(p->view, name, 0, &bits, &ref->rows, &ref->scalar);
      ref->count = ref->rows;
   }
   ref->count = ref->count < DEBUG_EXPR_VALUES ? ref->count : DEBUG_EXPR_VALUES;
   for (uint32_t i = 0; i < ref->count; i++)
      ref->component[i] = i;
   return ref->count;
}

/* "v3", "s0", "u7". */
static bool
is_register(const char *name, uint32_t *index)
{
   if (!strchr("vsu", name[0]) || !name[0] || strspn(name + 1, "0123456789") != strlen(name + 1) ||
       !name[1])
      return false;
   *index = (uint32_t)strtoul(name + 1, NULL, 10);
   return true;
}

static bool
parse_register(struct expr_parser *p, const char *name, uint32_t index,
               struct debug_expr_value *value)
{
   *value = number_value(0);
   value->is_name = true;
   if (!debug_register_read(p->view, name[0], index, &value->bits[0])) {
      p->absent = true;
      return fails(p, "%s has no value here (yet)", name);
   }
   value->number[0] = number_of(value->bits[0], CF_NOTE_FLOAT);
   return true;
}

static bool
parse_name(struct expr_parser *p, const char *name, struct debug_expr_value *value)
{
   struct reference ref;
   uint32_t index;
   if (!strcmp(name, "lane")) {
      *value = number_value(p->view->lane);
      return true;
   }
   if (!strcmp(name, "true") || !strcmp(name, "false")) {
      *value = number_value(name[0] == 't');
      return true;
   }
   if (find_name(p, name, &ref))
      return parse_postfix(p, &ref) && read_reference(p, &ref, name, value);
   if (is_register(name, &index))
      return parse_register(p, name, index, value);
   return fails(p, "%s is no variable of this program that is kept, and no register", name);
}

/* ------------------------------------------------------------------ operators */

static bool parse_or(struct expr_parser *p, struct debug_expr_value *value);

static bool
parse_function(struct expr_parser *p, const char *name, struct debug_expr_value *value)
{
   struct debug_expr_value of;
   if (!parse_or(p, &of))
      return false;
   if (!accept(p, ")"))
      return fails(p, ") is missing after %s(", name);
   if (of.count != 1)
      return fails(p, "%s takes a number; choose a component, such as .x", name);
   const bool bits = !strcmp(name, "int") || !strcmp(name, "uint");
   if (bits && of.is_name && of.scalar == CF_NOTE_FLOAT)
      *value = number_value(number_of(of.bits[0], name[0] == 'i' ? CF_NOTE_INT : CF_NOTE_UINT));
   else if (bits)
      *value = number_value(trunc(of.number[0]));
   else if (!strcmp(name, "isnan"))
      *value = number_value(isnan(of.number[0]));
   else if (!strcmp(name, "isinf"))
      *value = number_value(isinf(of.number[0]) != 0);
   else if (!strcmp(name, "abs"))
      *value = number_value(fabs(of.number[0]));
   else
      return fails(p, "there is no function %s; isnan, isinf, abs, int and uint are", name);
   return true;
}

static size_t
word_length(const char *at)
{
   size_t length = 0;
   while (isalnum((unsigned char)at[length]) || at[length] == '_')
      length++;
   return length;
}

/* The characters of an index or of a member, "[1]" or ".color"; 0: neither comes next. */
static size_t
part_length(const char *at)
{
   const size_t digits = *at == '[' ? strspn(at + 1, "0123456789") : 0,
                word = *at == '.' ? word_length(at + 1) : 0;
   return digits && at[1 + digits] == ']' ? digits + 2 : word ? word + 1 : 0;
}

/* The characters of the longest path that is the name of a variable, as "lights[1].color" of a
 * structure or block; those of its first word, if none is. */
static size_t
name_length(const struct expr_parser *p)
{
   const size_t first = word_length(p->at);
   size_t found = first;
   for (size_t part, length = first; first && (part = part_length(p->at + length));) {
      char name[DEBUG_WORD_B];
      length += part;
      if (length >= sizeof(name))
         break;
      snprintf(name, sizeof(name), "%.*s", (int)length, p->at);
      found = debug_variable_find(p->view, name) ? length : found;
   }
   return found;
}

static bool
parse_primary(struct expr_parser *p, struct debug_expr_value *value)
{
   char name[DEBUG_WORD_B];
   skip(p);
   if (accept(p, "("))
      return parse_or(p, value) && (accept(p, ")") || fails(p, ") is missing"));
   if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1]))) {
      char *end;
      *value = number_value(strtod(p->at, &end));
      p->at = end;
      return true;
   }
   const size_t length = name_length(p);
   if (!length || length >= sizeof(name))
      return fails(p, length ? "the name is too long" : "a value is missing before '%.20s'", p->at);
   memcpy(name, p->at, length);
   name[length] = 0;
   p->at += length;
   return accept(p, "(") ? parse_function(p, name, value) : parse_name(p, name, value);
}

static bool
parse_unary(struct expr_parser *p, struct debug_expr_value *value)
{
   const bool not = accept(p, "!"), negative = !not &&accept(p, "-");
   if (++p->depth > MAX_DEPTH)
      return fails(p, "it is nested too deep");
   if (!(not || negative ? parse_unary(p, value) : parse_primary(p, value)))
      return false;
   p->depth--;
   if ((not || negative) && value->count != 1)
      return fails(p, "! and - take numbers; choose a component, such as .x");
   if (not || negative)
      *value = number_value(not ? !value->number[0] : -value->number[0]);
   return true;
}

enum operation { OR, AND, EQ, NE, LE, GE, LT, GT, ADD, SUB, MUL, DIV };

struct precedence_level {
   uint32_t count;
   struct {
      const char *token;
      enum operation operation;
   } of[4];
};

/* By precedence, the lowest first. */
static const struct precedence_level levels[] = {
   { 1, { { "||", OR } } },
   { 1, { { "&&", AND } } },
   { 2, { { "==", EQ }, { "!=", NE } } },
   { 4, { { "<=", LE }, { ">=", GE }, { "<", LT }, { ">", GT } } },
   { 2, { { "+", ADD }, { "-", SUB } } },
   { 2, { { "*", MUL }, { "/", DIV } } },
};
#define LEVELS (sizeof(levels) / sizeof(levels[0]))

static double
apply(enum operation operation, double a, double b)
{
   switch (operation) {
   case OR:
      return a || b;
   case AND:
      return a && b;
   case EQ:
      return a == b;
   case NE:
      return a != b;
   case LE:
      return a <= b;
   case GE:
      return a >= b;
   case LT:
      return a < b;
   case GT:
      return a > b;
   case ADD:
      return a + b;
   case SUB:
      return a - b;
   case MUL:
      return a * b;
   case DIV:
      return a / b;
   }
   return 0;
}

static bool
parse_level(struct expr_parser *p, size_t level, struct debug_expr_value *value)
{
   if (level == LEVELS)
      return parse_unary(p, value);
   if (!parse_level(p, level + 1, value))
      return false;
   for (;;) {
      uint32_t i = 0;
      while (i < levels[level].count && !accept(p, levels[level].of[i].token))
         i++;
      if (i == levels[level].count)
         return true;
      struct debug_expr_value right;
      if (!parse_level(p, level + 1, &right))
         return false;
      if (value->count != 1 || right.count != 1)
         return fails(p, "%s takes numbers; choose components, such as .x",
                      levels[level].of[i].token);
      *value =
         number_value(apply(levels[level].of[i].operation, value->number[0], right.number[0]));
   }
}

static bool
parse_or(struct expr_parser *p, struct debug_expr_value *value)
{
   if (++p->depth > MAX_DEPTH)
      return fails(p, "it is nested too deep");
   const bool ok = parse_level(p, 0, value);
   p->depth--;
   return ok;
}

static bool
evaluate(struct expr_parser *p, struct debug_expr_value *value)
{
   p->error[0] = 0;
   if (!parse_or(p, value))
      return false;
   skip(p);
   return !*p->at || fails(p, "'%.40s' is not understood", p->at);
}

bool
debug_expr(const struct debug_view *view, const char *text, struct debug_expr_value *value,
           char error[DEBUG_EXPR_ERROR_B])
{
   struct expr_parser p = { .view = view, .at = text, .error = error };
   return evaluate(&p, value);
}

bool
debug_expr_true(const struct debug_view *view, const char *text, char error[DEBUG_EXPR_ERROR_B])
{
   struct debug_expr_value value;
   return debug_expr(view, text, &value, error) && value.count == 1 && value.number[0];
}

bool
debug_expr_check(const struct debug_view *view, const char *text, char error[DEBUG_EXPR_ERROR_B])
{
   struct debug_expr_value value;
   struct expr_parser p = { .view = view, .at = text, .error = error };
   if (evaluate(&p, &value))
      return value.count == 1 ||
             fails(&p, "a condition is a number; choose a component, such as .x");
   if (p.absent)
      error[0] = 0;
   return p.absent;
}

void
debug_expr_text(const struct debug_expr_value *value, char *text, size_t size)
{
   size_t length = 0;
   text[0] = 0;
   for (uint32_t i = 0; i < value->count && length < size; i++) {
      char one[DEBUG_VALUE_B];
      if (value->missing >> i & 1)
         snprintf(one, sizeof(one), "-");
      else if (value->is_name)
         debug_value_text(value->bits[i], value->scalar, one);
      else
         snprintf(one, sizeof(one),
                  fabs(value->number[i]) < 1e15 && value->number[i] == trunc(value->number[i])
                     ? "%.0f"
                     : "%.9g",
                  value->number[i]);
      length += (size_t)snprintf(text + length, size - length, "%s%s%s",
                                 i                  ? ", "
                                 : value->count > 1 ? "("
                                                    : "",
                                 one, i + 1 == value->count && value->count > 1 ? ")" : "");
   }
}
