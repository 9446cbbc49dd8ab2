/* SPDX-License-Identifier: MIT */
#include "glsl_program.h"

#include <stdlib.h>
#include <string.h>

static const char *const op_text[GLSL_OPS] = {
   [GLSL_ADD] = "+", [GLSL_SUB] = "-", [GLSL_MUL] = "*", [GLSL_DIV] = "/", [GLSL_LT] = "<", [GLSL_LE] = "<=",
   [GLSL_GT] = ">", [GLSL_GE] = ">=", [GLSL_EQ] = "==", [GLSL_NE] = "!=", [GLSL_AND] = "&&", [GLSL_OR] = "||",
   [GLSL_XOR] = "^^", [GLSL_MATMUL] = "*", [GLSL_NEG] = "-", [GLSL_NOT] = "!", [GLSL_ABS] = "abs",
   [GLSL_SIGN] = "sign", [GLSL_FLOOR] = "floor", [GLSL_CEIL] = "ceil", [GLSL_FRACT] = "fract", [GLSL_ANY] = "any",
   [GLSL_ALL] = "all", [GLSL_NOT_EACH] = "not", [GLSL_WRAP] = "wrap", [GLSL_MIN] = "min", [GLSL_MAX] = "max",
   [GLSL_STEP] = "step", [GLSL_MOD] = "mod", [GLSL_DOT] = "dot", [GLSL_CROSS] = "cross", [GLSL_REFLECT] = "reflect",
   [GLSL_COMP_MULT] = "matrixCompMult", [GLSL_LESS] = "lessThan", [GLSL_LESS_EQUAL] = "lessThanEqual",
   [GLSL_GREATER] = "greaterThan", [GLSL_GREATER_EQUAL] = "greaterThanEqual", [GLSL_EQUAL] = "equal",
   [GLSL_NOT_EQUAL] = "notEqual", [GLSL_INDEX] = "inside", [GLSL_CLAMP] = "clamp", [GLSL_MIX] = "mix",
   [GLSL_FACEFORWARD] = "faceforward",
};

const char *
glsl_type_name(struct glsl_type type)
{
   static const char *const vectors[3][4] = { { "float", "vec2", "vec3", "vec4" },
                                              { "int", "ivec2", "ivec3", "ivec4" },
                                              { "bool", "bvec2", "bvec3", "bvec4" } };
   static const char *const matrices[] = { "mat2", "mat3", "mat4" };
   if (type.rows == 0)
      return "void";
   return type.columns > 1 ? matrices[type.columns - 2] : vectors[type.base][type.rows - 1];
}

static void
print_scalar(FILE *f, enum glsl_base base, double value)
{
   if (base == GLSL_BOOL)
      fprintf(f, "%s", value ? "true" : "false");
   else
      fprintf(f, base == GLSL_INT ? "%.0f" : "%.8f", value);
}

static void
print_constant(FILE *f, struct glsl_type type, const double *value)
{
   const int count = glsl_components(type);
   if (count > 1)
      fprintf(f, "%s(", glsl_type_name(type));
   for (int i = 0; i < count; i++) {
      fprintf(f, "%s", i ? ", " : "");
      print_scalar(f, type.base, value[i]);
   }
   fprintf(f, "%s", count > 1 ? ")" : "");
}

static void
print_swizzle(FILE *f, const int *swizzle, int count)
{
   fputc('.', f);
   for (int i = 0; i < count; i++)
      fputc("xyzw"[swizzle[i]], f);
}

static void print_expr(FILE *f, const struct glsl_expr *e);

static void
print_arguments(FILE *f, const char *name, const struct glsl_expr *e)
{
   fprintf(f, "%s(", name);
   for (int i = 0; i < 4 && e->arg[i]; i++) {
      fprintf(f, "%s", i ? ", " : "");
      print_expr(f, e->arg[i]);
   }
   fprintf(f, ")");
}

static void
print_expr(FILE *f, const struct glsl_expr *e)
{
   switch (e->op) {
   case GLSL_CONSTANT:
      print_constant(f, e->type, e->value);
      break;
   case GLSL_VARIABLE:
      fprintf(f, "%s%s", e->variable->name, e->variable->suffix);
      break;
   case GLSL_ELEMENT:
   case GLSL_COMPONENT:
      fprintf(f, "%s%s[", e->variable->name, e->op == GLSL_COMPONENT ? e->variable->suffix : "");
      print_expr(f, e->arg[0]);
      fprintf(f, "]%s", e->op == GLSL_ELEMENT ? e->variable->suffix : "");
      break;
   case GLSL_SELECT:
      fprintf(f, "(");
      print_expr(f, e->arg[0]);
      fprintf(f, " ? ");
      print_expr(f, e->arg[1]);
      fprintf(f, " : ");
      print_expr(f, e->arg[2]);
      fprintf(f, ")");
      break;
   case GLSL_SWIZZLE:
      fprintf(f, "(");
      print_expr(f, e->arg[0]);
      fprintf(f, ")");
      print_swizzle(f, e->swizzle, e->type.rows);
      break;
   case GLSL_CONSTRUCT:
      print_arguments(f, glsl_type_name(e->type), e);
      break;
   case GLSL_CALL:
      print_arguments(f, e->function->name, e);
      break;
   default:
      if (e->op >= GLSL_ABS) {
         print_arguments(f, op_text[e->op], e);
         break;
      }
      fprintf(f, "(");
      if (e->op < GLSL_NEG)
         print_expr(f, e->arg[0]);
      fprintf(f, " %s ", op_text[e->op]);
      print_expr(f, e->arg[e->op < GLSL_NEG]);
      fprintf(f, ")");
   }
}

static void
print_target(FILE *f, const struct glsl_target *t)
{
   fprintf(f, "%s", t->variable->name);
   if (t->index && t->variable->length) {
      fprintf(f, "[");
      print_expr(f, t->index);
      fprintf(f, "]");
   }
   fprintf(f, "%s", t->variable->suffix);
   if (t->index && !t->variable->length) {
      fprintf(f, "[");
      print_expr(f, t->index);
      fprintf(f, "]");
   }
   if (t->count)
      print_swizzle(f, t->swizzle, t->count);
}

/* Compound assignments leave the range; the second statement brings the target back. */
static void
print_assignment(FILE *f, const struct glsl_statement *s)
{
   print_target(f, &s->target);
   if (s->kind == GLSL_INCREMENT) {
      fprintf(f, "++");
   } else {
      fprintf(f, " %s ",
              s->kind == GLSL_ASSIGN_ADD   ? "+="
              : s->kind == GLSL_ASSIGN_MUL ? "*="
                                           : "=");
      print_expr(f, s->expr);
   }
   fprintf(f, ";");
   if (s->kind != GLSL_ASSIGN) {
      fprintf(f, " ");
      print_target(f, &s->target);
      fprintf(f, " = wrap(");
      print_target(f, &s->target);
      fprintf(f, ");");
   }
   fprintf(f, "\n");
}

static void print_list(FILE *f, const struct glsl_statement *s, int indent);

static void
print_loop(FILE *f, const struct glsl_statement *s, int indent)
{
   const char *counter = s->variable->name;
   if (s->kind == GLSL_FOR) {
      fprintf(f, "for (int %s = 0; %s < %d; %s++) {\n", counter, counter, s->count, counter);
   } else {
      fprintf(f, "int %s = 0;\n%*s", counter, indent, "");
      fprintf(f, s->kind == GLSL_DO ? "do {\n" : "while (%s < %d && ", counter, s->count);
      if (s->kind == GLSL_WHILE) {
         print_expr(f, s->expr);
         fprintf(f, ") {\n");
      }
      fprintf(f, "%*s%s++;\n", indent + 3, "", counter);
   }
   print_list(f, s->body, indent + 3);
   fprintf(f, "%*s}", indent, "");
   if (s->kind == GLSL_DO) {
      fprintf(f, " while (%s < %d && ", counter, s->count);
      print_expr(f, s->expr);
      fprintf(f, ");");
   }
   fprintf(f, "\n");
}

static void
print_statement(FILE *f, const struct glsl_statement *s, int indent)
{
   fprintf(f, "%*s", indent, "");
   switch (s->kind) {
   case GLSL_DECLARE:
      fprintf(f, "%s %s = ", glsl_type_name(s->variable->type), s->variable->name);
      print_expr(f, s->expr);
      fprintf(f, ";\n");
      break;
   case GLSL_ASSIGN:
   case GLSL_ASSIGN_ADD:
   case GLSL_ASSIGN_MUL:
   case GLSL_INCREMENT:
      print_assignment(f, s);
      break;
   case GLSL_IF:
      fprintf(f, "if (");
      print_expr(f, s->expr);
      fprintf(f, ") {\n");
      print_list(f, s->body, indent + 3);
      if (s->other) {
         fprintf(f, "%*s} else {\n", indent, "");
         print_list(f, s->other, indent + 3);
      }
      fprintf(f, "%*s}\n", indent, "");
      break;
   case GLSL_FOR:
   case GLSL_WHILE:
   case GLSL_DO:
      print_loop(f, s, indent);
      break;
   case GLSL_BLOCK:
      fprintf(f, "{\n");
      print_list(f, s->body, indent + 3);
      fprintf(f, "%*s}\n", indent, "");
      break;
   case GLSL_BREAK:
      fprintf(f, "break;\n");
      break;
   case GLSL_CONTINUE:
      fprintf(f, "continue;\n");
      break;
   case GLSL_DISCARD:
      fprintf(f, "discard;\n");
      break;
   case GLSL_RETURN:
      fprintf(f, "return");
      if (s->expr) {
         fprintf(f, " ");
         print_expr(f, s->expr);
      }
      fprintf(f, ";\n");
      break;
   }
}

static void
print_list(FILE *f, const struct glsl_statement *s, int indent)
{
   for (; s; s = s->next)
      print_statement(f, s, indent);
}

static void
print_function(FILE *f, const struct glsl_function *function)
{
   static const char *const qualifiers[] = { "in", "out", "inout" };
   fprintf(f, "%s %s(", glsl_type_name(function->type), function->name);
   for (int i = 0; i < function->parameters; i++)
      fprintf(f, "%s%s %s %s", i ? ", " : "", qualifiers[function->qualifier[i]],
              glsl_type_name(function->parameter[i]->type), function->parameter[i]->name);
   fprintf(f, ") {\n");
   print_list(f, function->body, 3);
   fprintf(f, "}\n");
}

/* Numbers of any size to small ones, without rounding; a number to an index. */
static void
print_helpers(FILE *f)
{
   for (int n = 1; n <= 4; n++) {
      const char *real = glsl_type_name((struct glsl_type){ GLSL_FLOAT, n, 1 });
      const char *whole = glsl_type_name((struct glsl_type){ GLSL_INT, n, 1 });
      fprintf(f, "%s wrap(%s x) { return mod(floor(x), 32.0) - 16.0; }\n", real, real);
      fprintf(f, "%s wrap(%s x) { return x - x / 101 * 101; }\n", whole, whole);
   }
   for (int n = 2; n <= 4; n++) {
      fprintf(f, "mat%d wrap(mat%d x) { return mat%d(", n, n, n);
      for (int i = 0; i < n; i++)
         fprintf(f, "%swrap(x[%d])", i ? ", " : "", i);
      fprintf(f, "); }\n");
   }
   fprintf(f, "int inside(int x, int n) { x = x < 0 ? -x : x; return x - x / n * n; }\n");
}

static bool
is_member(const struct glsl_variable *v)
{
   return v->suffix[0];
}

/* Members of one structure follow one another; each structure is declared at its first. */
static void
print_globals(FILE *f, const struct glsl_program *p)
{
   for (int i = 0; i < p->variables; i++) {
      const struct glsl_variable *v = &p->variable[i];
      if (v->storage != GLSL_UNIFORM && v->storage != GLSL_GLOBAL)
         continue;
      fprintf(f, "%s", v->storage == GLSL_UNIFORM ? "uniform " : "");
      if (is_member(v)) {
         fprintf(f, "struct S%d {", i);
         for (; i < p->variables && is_member(&p->variable[i]) &&
                !strcmp(p->variable[i].name, v->name);
              i++)
            fprintf(f, " %s %s;", glsl_type_name(p->variable[i].type), p->variable[i].suffix + 1);
         i--;
         fprintf(f, " } %s", v->name);
      } else {
         fprintf(f, "%s %s", glsl_type_name(v->type), v->name);
      }
      if (v->length)
         fprintf(f, "[%d]", v->length);
      fprintf(f, ";\n");
   }
}

/* Globals have no initialisers where they are arrays or members. */
static void
print_initial_values(FILE *f, const struct glsl_program *p)
{
   for (int i = 0; i < p->variables; i++) {
      const struct glsl_variable *v = &p->variable[i];
      if (v->storage != GLSL_GLOBAL)
         continue;
      for (int k = 0; k < (v->length ? v->length : 1); k++) {
         fprintf(f, "   %s", v->name);
         if (v->length)
            fprintf(f, "[%d]", k);
         fprintf(f, "%s = ", v->suffix);
         print_constant(f, v->type, p->initial + v->memory + k * glsl_components(v->type));
         fprintf(f, ";\n");
      }
   }
}

char *
glsl_print(const struct glsl_program *p)
{
   char *text = NULL;
   size_t size = 0;
   FILE *f = open_memstream(&text, &size);
   fprintf(f, "precision highp float;\nprecision highp int;\n");
   if (!p->fragment)
      fprintf(f, "attribute vec2 place;\nattribute vec4 position;\nvarying vec4 result;\n");
   print_globals(f, p);
   fprintf(f, "vec2 where;\nvec4 sum;\n");
   print_helpers(f);
   for (int i = 0; i < p->functions; i++)
      print_function(f, &p->function[i]);
   fprintf(f, "void body() {\n");
   print_list(f, p->main, 3);
   fprintf(f, "}\nvoid main() {\n   where = %s;\n   sum = vec4(0.0);\n",
           p->fragment ? "floor(gl_FragCoord.xy)" : "place");
   print_initial_values(f, p);
   fprintf(f, "   body();\n   %s = sum;\n", p->fragment ? "gl_FragColor" : "result");
   if (!p->fragment)
      fprintf(f, "   gl_Position = position;\n   gl_PointSize = 1.0;\n");
   fprintf(f, "}\n");
   fclose(f);
   return text;
}
