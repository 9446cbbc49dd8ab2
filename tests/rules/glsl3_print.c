/* SPDX-License-Identifier: MIT */
#include "glsl3_program.h"

#include <stdlib.h>
#include <string.h>

static const char *const op_text[G3_OPS] = {
   [G3_ADD] = "+",
   [G3_SUB] = "-",
   [G3_MUL] = "*",
   [G3_DIV] = "/",
   [G3_MOD] = "%",
   [G3_AND] = "&",
   [G3_OR] = "|",
   [G3_XOR] = "^",
   [G3_LEFT] = "<<",
   [G3_RIGHT] = ">>",
   [G3_LT] = "<",
   [G3_LE] = "<=",
   [G3_GT] = ">",
   [G3_GE] = ">=",
   [G3_EQ] = "==",
   [G3_NE] = "!=",
   [G3_BOTH] = "&&",
   [G3_EITHER] = "||",
   [G3_DIFFERENT] = "^^",
   [G3_MATMUL] = "*",
   [G3_NEG] = "-",
   [G3_COMPLEMENT] = "~",
   [G3_NOT] = "!",
   [G3_ABS] = "abs",
   [G3_SIGN] = "sign",
   [G3_FLOOR] = "floor",
   [G3_CEIL] = "ceil",
   [G3_TRUNC] = "trunc",
   [G3_ROUND] = "round",
   [G3_ROUND_EVEN] = "roundEven",
   [G3_FRACT] = "fract",
   [G3_NOT_EACH] = "not",
   [G3_WRAP] = "wrap",
   [G3_MIN] = "min",
   [G3_MAX] = "max",
   [G3_STEP] = "step",
   [G3_MODULO] = "mod",
   [G3_LESS] = "lessThan",
   [G3_LESS_EQUAL] = "lessThanEqual",
   [G3_GREATER] = "greaterThan",
   [G3_GREATER_EQUAL] = "greaterThanEqual",
   [G3_EQUAL] = "equal",
   [G3_NOT_EQUAL] = "notEqual",
   [G3_CLAMP] = "clamp",
   [G3_MIX] = "mix",
   [G3_IS_NAN] = "isnan",
   [G3_IS_INF] = "isinf",
   [G3_FLOAT_INT] = "floatBitsToInt",
   [G3_FLOAT_UINT] = "floatBitsToUint",
   [G3_INT_FLOAT] = "intBitsToFloat",
   [G3_UINT_FLOAT] = "uintBitsToFloat",
   [G3_ANY] = "any",
   [G3_ALL] = "all",
   [G3_DOT] = "dot",
   [G3_CROSS] = "cross",
   [G3_COMP_MULT] = "matrixCompMult",
   [G3_TRANSPOSE] = "transpose",
   [G3_OUTER] = "outerProduct",
   [G3_DETERMINANT] = "determinant",
   [G3_INVERSE] = "inverse",
   [G3_PACK_UNORM] = "packUnorm2x16",
   [G3_PACK_SNORM] = "packSnorm2x16",
   [G3_PACK_HALF] = "packHalf2x16",
   [G3_UNPACK_UNORM] = "roundEven(16.0 * unpackUnorm2x16",
   [G3_UNPACK_SNORM] = "roundEven(16.0 * unpackSnorm2x16",
   [G3_UNPACK_HALF] = "unpackHalf2x16",
};

static const char head[] = "uvec4 digest(uint x) { return uvec4(x); }\n"
                           "uvec4 digest(uvec2 x) { return x.xyxy; }\n"
                           "uvec4 digest(uvec3 x) { return x.xyzx; }\n"
                           "uvec4 digest(uvec4 x) { return x; }\n"
                           "ivec2 where;\nvec2 spot;\nuvec4 sum;\n"
                           "void add(uvec4 x) { sum = sum * 31u + x; }\n";

/* ---------------------------------------------------------------------------------- expressions */

static void
print_scalar(FILE *f, enum g3_base base, uint32_t word)
{
   const bool small = base == G3_INT ? (int32_t)word > -9999 && (int32_t)word < 9999 : word < 9999;
   if (base == G3_BOOL)
      fprintf(f, "%s", word ? "true" : "false");
   else if (base == G3_FLOAT)
      fprintf(f, "%.8f", g3_float(word));
   else
      fprintf(f, small ? "%d" : "0x%x", word);
   fprintf(f, "%s", base == G3_UINT ? "u" : "");
}

static void
print_type(FILE *f, struct g3_type type)
{
   fprintf(f, "%s", g3_type_name(type));
   if (type.length)
      fprintf(f, "[%d]", type.length);
}

static void print_constant(FILE *f, struct g3_type type, const uint32_t *value);

static void
print_members(FILE *f, const struct g3_struct *s, const uint32_t *value)
{
   for (int i = 0; i < s->members; i++) {
      fprintf(f, "%s", i ? ", " : "");
      print_constant(f, s->member[i].type, value + s->member[i].offset);
   }
}

static void
print_constant(FILE *f, struct g3_type type, const uint32_t *value)
{
   const bool plain = type.base != G3_STRUCT && !type.length;
   if (plain && g3_components(type) == 1) {
      print_scalar(f, type.base, value[0]);
      return;
   }
   print_type(f, type);
   fprintf(f, "(");
   if (type.base == G3_STRUCT && !type.length)
      print_members(f, type.structure, value);
   const struct g3_type part = plain ? g3_vector(type.base, 1) : g3_part(type);
   const int count = type.length ? type.length : plain ? g3_components(type) : 0;
   for (int i = 0; i < count; i++) {
      fprintf(f, "%s", i ? ", " : "");
      print_constant(f, part, value + i * g3_words(part));
   }
   fprintf(f, ")");
}

static void print_expr(FILE *f, const struct g3_expr *e);

static void
print_arguments(FILE *f, const struct g3_expr *e)
{
   fprintf(f, "(");
   for (int i = 0; i < G3_MAX_ARGUMENTS && e->arg[i]; i++) {
      fprintf(f, "%s", i ? ", " : "");
      print_expr(f, e->arg[i]);
   }
   fprintf(f, ")");
}

static void
print_between(FILE *f, const struct g3_expr *a, const char *text, const struct g3_expr *b)
{
   fprintf(f, "(");
   if (a)
      print_expr(f, a);
   fprintf(f, " %s ", text);
   print_expr(f, b);
   fprintf(f, ")");
}

static void
print_swizzle(FILE *f, const struct g3_expr *e)
{
   static const char *const names[] = { "xyzw", "rgba", "stpq" };
   print_expr(f, e->arg[0]);
   fputc('.', f);
   for (int i = 0; i < e->type.rows; i++)
      fputc(names[(e->place[0] + e->type.rows) % 3][e->place[i]], f);
}

/* A value's part, or a function that is written in its own way. */
static void
print_part(FILE *f, const struct g3_expr *e)
{
   if (e->op == G3_SWIZZLE && e->arg[0]->type.rows > 1) {
      print_swizzle(f, e);
      return;
   }
   print_expr(f, e->arg[0]);
   if (e->op == G3_FIELD)
      fprintf(f, ".%s", e->arg[0]->type.structure->member[e->place[0]].name);
   else if (e->op == G3_LENGTH)
      fprintf(f, ".length()");
   else if (e->op == G3_ELEMENT) {
      fprintf(f, "[");
      print_expr(f, e->arg[1]);
      fprintf(f, "]");
   }
}

static void
print_select(FILE *f, const struct g3_expr *e)
{
   fprintf(f, "(");
   print_expr(f, e->arg[0]);
   fprintf(f, " ? ");
   print_expr(f, e->arg[1]);
   fprintf(f, " : ");
   print_expr(f, e->arg[2]);
   fprintf(f, ")");
}

static void
print_digest(FILE *f, const struct g3_expr *e)
{
   const struct g3_type of = g3_vector(G3_UINT, e->type.rows);
   fprintf(f, "digest(%s(", g3_type_name(of));
   if (e->type.base == G3_FLOAT)
      fprintf(f, "%s(4.0 * ", g3_type_name(g3_vector(G3_INT, e->type.rows)));
   print_expr(f, e);
   fprintf(f, "%s))", e->type.base == G3_FLOAT ? ")" : "");
}

static void
print_expr(FILE *f, const struct g3_expr *e)
{
   switch (e->op) {
   case G3_CONSTANT:
      print_constant(f, e->type, e->value);
      break;
   case G3_VARIABLE:
      fprintf(f, "%s", e->variable->name);
      break;
   case G3_SWIZZLE:
   case G3_FIELD:
   case G3_LENGTH:
   case G3_ELEMENT:
      print_part(f, e);
      break;
   case G3_FETCH:
      fprintf(f, "fetch%d", e->place[0]);
      print_arguments(f, e);
      break;
   case G3_SIZE:
      fprintf(f, "textureSize(t%d, ", e->place[0]);
      print_expr(f, e->arg[0]);
      fprintf(f, ")");
      break;
   case G3_SELECT:
      print_select(f, e);
      break;
   case G3_CONSTRUCT:
      print_type(f, e->type);
      print_arguments(f, e);
      break;
   case G3_CALL:
      fprintf(f, "%s", e->function->name);
      print_arguments(f, e);
      break;
   default:
      if (e->op < G3_ABS) {
         const bool front = e->op >= G3_NEG;
         print_between(f, front ? NULL : e->arg[0], op_text[e->op], e->arg[!front]);
         break;
      }
      fprintf(f, "%s", op_text[e->op]);
      print_arguments(f, e);
      fprintf(f, "%s", e->op == G3_UNPACK_UNORM || e->op == G3_UNPACK_SNORM ? ")" : "");
   }
}

/* ----------------------------------------------------------------------------------- statements */

static void print_list(FILE *f, const struct g3_statement *s, int indent);

static void
print_declared(FILE *f, const struct g3_variable *v, const struct g3_expr *value)
{
   /* half of the arrays have their length behind the name */
   const bool behind = v->type.length && v->memory % 2;
   fprintf(f, "%s", v->storage == G3_CONST ? "const " : "");
   print_type(f, behind ? g3_array(v->type, 0) : v->type);
   fprintf(f, " %s", v->name);
   if (behind)
      fprintf(f, v->memory % 4 == 1 && value ? "[]" : "[%d]", v->type.length);
   if (value) {
      fprintf(f, " = ");
      print_expr(f, value);
   }
   fprintf(f, ";");
}

static void
print_declaration(FILE *f, const struct g3_variable *v, const struct g3_expr *value)
{
   print_declared(f, v, value);
   fprintf(f, "\n");
}

/* Where a counter ends: a number, or one that the compiler does not know. */
static void
print_end(FILE *f, const struct g3_statement *s)
{
   const bool is_signed = s->variable->type.base == G3_INT;
   fprintf(f, "%d%s", s->first + s->count * s->step, is_signed ? "" : "u");
   if (s->before)
      fprintf(f, is_signed ? " + zero" : " + uint(zero)");
}

static void
print_for(FILE *f, const struct g3_statement *s)
{
   const char *name = s->variable->name, *u = s->variable->type.base == G3_UINT ? "u" : "";
   fprintf(f, "for (%s %s = %d%s; %s ", g3_type_name(s->variable->type), name, s->first, u, name);
   fprintf(f, "%s ", s->count % 2 ? "!=" : s->step < 0 ? ">" : "<");
   print_end(f, s);
   fprintf(f, "; ");
   if (abs(s->step) == 1)
      fprintf(f, s->count % 3 ? "%s%s) {\n" : "%2$s%1$s) {\n", name, s->step < 0 ? "--" : "++");
   else
      fprintf(f, "%s += %d%s) {\n", name, s->step, u);
}

static void
print_loop(FILE *f, const struct g3_statement *s, int indent)
{
   const struct g3_variable *v = s->variable;
   const char *u = v->type.base == G3_UINT ? "u" : "";
   if (s->kind == G3_FOR) {
      print_for(f, s);
   } else {
      fprintf(f, "%s %s = 0%s;\n%*s", g3_type_name(v->type), v->name, u, indent, "");
      if (s->kind == G3_DO)
         fprintf(f, "do {\n");
      else {
         fprintf(f, "while (%s < ", v->name);
         print_end(f, s);
         fprintf(f, " && ");
         print_expr(f, s->expr);
         fprintf(f, ") {\n");
      }
      fprintf(f, "%*s%s++;\n", indent + 3, "", v->name);
   }
   print_list(f, s->body, indent + 3);
   fprintf(f, "%*s}", indent, "");
   if (s->kind == G3_DO) {
      fprintf(f, " while (%s < ", v->name);
      print_end(f, s);
      fprintf(f, " && ");
      print_expr(f, s->expr);
      fprintf(f, ");");
   }
   fprintf(f, "\n");
}

static void
print_braces(FILE *f, const char *before, const struct g3_expr *e, const struct g3_statement *body,
             int indent)
{
   fprintf(f, "%s", before);
   if (e) {
      fprintf(f, " (");
      print_expr(f, e);
      fprintf(f, ") ");
   }
   fprintf(f, "{\n");
   print_list(f, body, indent + 3);
   fprintf(f, "%*s}\n", indent, "");
}

static void
print_assignment(FILE *f, const struct g3_statement *s)
{
   const char *step = s->kind == G3_STEP_UP ? "++" : s->kind == G3_STEP_DOWN ? "--" : NULL;
   fprintf(f, "%s", step && s->before ? step : "");
   print_expr(f, s->target);
   if (step)
      fprintf(f, "%s", s->before ? "" : step);
   else {
      fprintf(f, " %s= %s", s->kind == G3_COMPOUND ? op_text[s->op] : "",
              s->kind == G3_MODF ? "modf(" : "");
      print_expr(f, s->expr);
   }
   if (s->kind == G3_MODF) {
      fprintf(f, ", ");
      print_expr(f, s->other);
      fprintf(f, ")");
   }
   fprintf(f, ";\n");
}

static void
print_return(FILE *f, const struct g3_statement *s)
{
   fprintf(f, "return ");
   if (s->expr)
      print_expr(f, s->expr);
   fprintf(f, ";\n");
}

static void
print_statement(FILE *f, const struct g3_statement *s, int indent)
{
   static const char *const words[] = { [G3_DEFAULT] = "default:\n",
                                        [G3_BREAK] = "break;\n",
                                        [G3_CONTINUE] = "continue;\n",
                                        [G3_DISCARD] = "discard;\n" };
   fprintf(f, "%*s", indent, "");
   switch (s->kind) {
   case G3_DECLARE:
      print_declaration(f, s->variable, s->expr ? s->expr : s->variable->initial);
      break;
   case G3_ASSIGN:
   case G3_COMPOUND:
   case G3_STEP_UP:
   case G3_STEP_DOWN:
   case G3_MODF:
      print_assignment(f, s);
      break;
   case G3_SUM:
      fprintf(f, "add(");
      print_digest(f, s->expr);
      fprintf(f, ");\n");
      break;
   case G3_IF:
      print_braces(f, "if", s->expr, s->body, indent);
      if (s->otherwise) {
         fprintf(f, "%*s", indent, "");
         print_braces(f, "else", NULL, s->otherwise, indent);
      }
      break;
   case G3_FOR:
   case G3_WHILE:
   case G3_DO:
      print_loop(f, s, indent);
      break;
   case G3_SWITCH:
      print_braces(f, "switch", s->expr, s->body, indent);
      break;
   case G3_CASE:
      fprintf(f, "case %d%s:\n", s->first, s->before ? "u" : "");
      break;
   case G3_BLOCK:
      print_braces(f, "", NULL, s->body, indent);
      break;
   case G3_RETURN:
      print_return(f, s);
      break;
   default:
      fprintf(f, "%s", words[s->kind]);
   }
}

static void
print_list(FILE *f, const struct g3_statement *s, int indent)
{
   for (; s; s = s->next)
      print_statement(f, s, indent);
}

/* ------------------------------------------------------------------------------------- programs */

static void
print_function(FILE *f, const struct g3_function *function)
{
   static const char *const qualifiers[] = { "in", "const in", "out", "inout" };
   print_type(f, function->type);
   fprintf(f, " %s(", function->name);
   for (int i = 0; i < function->parameters; i++) {
      fprintf(f, "%s%s ", i ? ", " : "", qualifiers[function->qualifier[i]]);
      print_type(f, function->parameter[i]->type);
      fprintf(f, " %s", function->parameter[i]->name);
   }
   fprintf(f, ") {\n");
   print_list(f, function->body, 3);
   fprintf(f, "}\n");
}

/* Numbers of any size to [-16, 16), without rounding. */
static void
print_wraps(FILE *f, const struct g3_program *p)
{
   for (int rows = 1; rows <= 4; rows++) {
      const char *name = g3_type_name(g3_vector(G3_FLOAT, rows));
      fprintf(f, "%s wrap(%s x) { return mod(floor(x), 32.0) - 16.0; }\n", name, name);
   }
   for (int columns = 2; columns <= 4; columns++) {
      for (int rows = 2; rows <= 4; rows++) {
         const char *name = g3_type_name(g3_matrix(columns, rows));
         if (!p->wraps[columns][rows])
            continue;
         fprintf(f, "%s wrap(%s x) { return %s(", name, name, name);
         for (int i = 0; i < columns; i++)
            fprintf(f, "%swrap(x[%d])", i ? ", " : "", i);
         fprintf(f, "); }\n");
      }
   }
}

static void
print_textures(FILE *f, const struct g3_program *p)
{
   static const char prefix[] = { [G3_UINT] = 'u', [G3_INT] = 'i', [G3_FLOAT] = ' ' };
   for (int i = 0; i < G3_TEXTURES; i++) {
      const enum g3_base base = p->texture[i].base;
      fprintf(f, "uniform highp %csampler2D t%d;\n", prefix[base], i);
      fprintf(f,
              "%s fetch%d(int level, ivec2 p) {\n"
              "   return texelFetch(t%d, ivec2(uvec2(p) %% uvec2(textureSize(t%d, level))), "
              "level);\n}\n",
              g3_type_name(g3_vector(base, 4)), i, i, i);
   }
}

static void
print_structures(FILE *f, const struct g3_program *p)
{
   for (int i = 0; i < p->structures; i++) {
      const struct g3_struct *s = &p->structure[i];
      fprintf(f, "struct %s {", s->name);
      for (int m = 0; m < s->members; m++) {
         fprintf(f, " ");
         print_type(f, s->member[m].type);
         fprintf(f, " %s;", s->member[m].name);
      }
      fprintf(f, " };\n");
   }
}

/* The value of what does not come from the text. */
static void
print_comment(FILE *f, const struct g3_program *p, const struct g3_variable *v)
{
   fprintf(f, " // ");
   print_constant(f, v->type, p->initial + v->memory);
   fprintf(f, "\n");
}

static void
print_block(FILE *f, const struct g3_program *p, int number)
{
   const struct g3_block *b = &p->block[number - 1];
   fprintf(f, "layout(std140%s) uniform %s {\n", b->row_major ? ", row_major" : "", b->name);
   for (int i = 0; i < p->variables; i++) {
      const struct g3_variable *v = &p->variable[i];
      if (v->block != number)
         continue;
      if (v->says_major)
         fprintf(f, "   layout(%s)", v->row_major ? "row_major" : "column_major");
      fprintf(f, "   ");
      print_type(f, v->type);
      fprintf(f, " %s;", v->name + (b->instance[0] ? strlen(b->instance) + 1 : 0));
      print_comment(f, p, v);
   }
   fprintf(f, "} %s;\n", b->instance);
}

static void
print_global(FILE *f, const struct g3_program *p, const struct g3_variable *v)
{
   if (v->storage == G3_CONST && !v->is_local) {
      print_declaration(f, v, v->initial);
   } else if (v->storage == G3_UNIFORM && !v->block) {
      fprintf(f, "uniform ");
      print_declared(f, v, NULL);
      print_comment(f, p, v);
   } else if (v->storage == G3_INPUT) {
      fprintf(f, "flat in ");
      print_declaration(f, v, NULL);
   } else if (v->storage == G3_OUTPUT && !p->fragment) {
      fprintf(f, "flat out ");
      print_declaration(f, v, NULL);
   } else if (v->storage == G3_GLOBAL) {
      print_type(f, v->type);
      fprintf(f, " %s = ", v->name);
      print_constant(f, v->type, p->initial + v->memory);
      fprintf(f, ";\n");
   }
}

static void
print_globals(FILE *f, const struct g3_program *p)
{
   print_structures(f, p);
   for (int i = 1; i <= p->blocks; i++)
      print_block(f, p, i);
   for (int i = 0; i < p->variables; i++)
      print_global(f, p, &p->variable[i]);
   for (int i = 0; i < p->outputs && p->fragment; i++) {
      const struct g3_variable *v = p->output[i].variable;
      fprintf(f, "layout(location = %d) out %s %s;\n", p->output[i].location, g3_type_name(v->type),
              v->name);
   }
}

static void
print_main(FILE *f, const struct g3_program *p)
{
   fprintf(f, "void body() {\n");
   print_list(f, p->main, 3);
   fprintf(f, "}\nvoid main() {\n   sum = uvec4(0u);\n   where = %s;\n   spot = %s;\n",
           p->fragment ? "ivec2(gl_FragCoord.xy)" : "ivec2(gl_VertexID, gl_InstanceID)",
           p->fragment ? "gl_FragCoord.xy" : "vec2(where) + 0.5");
   for (int i = 0; i < p->outputs; i++) {
      const struct g3_variable *v = p->output[i].variable;
      fprintf(f, "   %s = ", v->name);
      print_constant(f, v->type, p->initial + v->memory);
      fprintf(f, ";\n");
   }
   fprintf(f, "   body();\n");
   print_list(f, p->finish, 3);
   if (!p->fragment)
      fprintf(f, "   gl_PointSize = 1.0;\n"
                 "   gl_Position = vec4(spot * 0.125 - 1.0, 0.0, 1.0);\n");
   fprintf(f, "}\n");
}

char *
g3_print(const struct g3_program *p)
{
   char *text = NULL;
   size_t size = 0;
   FILE *f = open_memstream(&text, &size);
   fprintf(f, "%s", head);
   print_textures(f, p);
   print_wraps(f, p);
   print_globals(f, p);
   for (int i = 0; i < p->functions; i++)
      print_function(f, &p->function[i]);
   print_main(f, p);
   fclose(f);
   return text;
}

/* --------------------------------------------------------------------------------- other stages */

/* Flat varyings come from the last vertex. The others have zeros. */
static void
print_vertex(FILE *f, const struct g3_program *p)
{
   static const uint32_t zeros[G3_MAX_WORDS];
   for (int i = 0; i < p->variables; i++) {
      if (p->variable[i].storage != G3_INPUT)
         continue;
      fprintf(f, "flat out ");
      print_declaration(f, &p->variable[i], NULL);
   }
   fprintf(f, "void main() {\n");
   for (int i = 0; i < p->variables; i++) {
      const struct g3_variable *v = &p->variable[i];
      if (v->storage != G3_INPUT)
         continue;
      fprintf(f, "   if (gl_VertexID == 2)\n      %s = ", v->name);
      print_constant(f, v->type, p->initial + v->memory);
      fprintf(f, ";\n   else\n      %s = ", v->name);
      print_constant(f, v->type, zeros);
      fprintf(f, ";\n");
   }
   fprintf(f,
           "   gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0,\n"
           "                      0.0, 1.0);\n}\n");
}

static void
print_fragment(FILE *f, const struct g3_program *p)
{
   for (int i = 0; i < p->outputs; i++) {
      const struct g3_variable *v = p->output[i].variable;
      const char *type = g3_type_name(v->type);
      fprintf(f, "flat in %s %s;\nlayout(location = %d) out %s to_%s;\n", type, v->name,
              p->output[i].location, type, v->name);
   }
   fprintf(f, "void main() {\n");
   for (int i = 0; i < p->outputs; i++)
      fprintf(f, "   to_%s = %s;\n", p->output[i].variable->name, p->output[i].variable->name);
   fprintf(f, "}\n");
}

char *
g3_print_other(const struct g3_program *p)
{
   char *text = NULL;
   size_t size = 0;
   FILE *f = open_memstream(&text, &size);
   if (p->fragment)
      print_vertex(f, p);
   else
      print_fragment(f, p);
   fclose(f);
   return text;
}
