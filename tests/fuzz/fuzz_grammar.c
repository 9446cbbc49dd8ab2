/* SPDX-License-Identifier: MIT */
/* Parts of GLSL are what clipfree reduce would leave out (tools/reduce/reduce_glsl.h). */
#include "fuzz_grammar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_plain.h"
#include "reduce/reduce_glsl.h"

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))
#define DEEPEST 300 /* of brackets in each other */
#define NEAR 12     /* edits */

static const char *const numbers[] = {
   "0",     "1",          "2",          "-1",         "3",          "4",           "31",    "32",
   "65535", "0x7fffffff", "0.0",        "1.0",        "0.5",        "-0.",         ".5",    "1e38",
   "1e-45", "1e999",      "2147483647", "2147483648", "07",         "0u",          "1.0lf", "16",
   "4095",  "1e-38",      "3.4e38",     "4294967295", "4294967296", "0xffffffffu",
};
static const char *const words[] = {
   "float",
   "int",
   "bool",
   "void",
   "uint",
   "vec2",
   "vec3",
   "vec4",
   "ivec2",
   "ivec3",
   "ivec4",
   "uvec4",
   "bvec2",
   "bvec4",
   "mat2",
   "mat3",
   "mat4",
   "mat2x3",
   "mat4x2",
   "sampler2D",
   "samplerCube",
   "sampler3D",
   "sampler2DShadow",
   "isampler2D",
   "usampler2DArray",
   "struct",
   "const",
   "uniform",
   "varying",
   "attribute",
   "in",
   "out",
   "inout",
   "flat",
   "smooth",
   "centroid",
   "invariant",
   "highp",
   "mediump",
   "lowp",
   "precision",
   "if",
   "else",
   "for",
   "while",
   "do",
   "switch",
   "case",
   "default",
   "break",
   "continue",
   "return",
   "discard",
   "true",
   "false",
   "main",
   "gl_FragColor",
   "gl_FragData",
   "gl_FragCoord",
   "gl_FrontFacing",
   "gl_PointCoord",
   "gl_FragDepth",
   "gl_Position",
   "gl_PointSize",
   "gl_VertexID",
   "gl_InstanceID",
   "gl_MaxDrawBuffers",
   "sin",
   "cos",
   "tan",
   "asin",
   "acos",
   "atan",
   "pow",
   "exp",
   "log",
   "exp2",
   "log2",
   "sqrt",
   "inversesqrt",
   "abs",
   "sign",
   "floor",
   "ceil",
   "fract",
   "mod",
   "min",
   "max",
   "clamp",
   "mix",
   "step",
   "smoothstep",
   "length",
   "distance",
   "dot",
   "cross",
   "normalize",
   "faceforward",
   "reflect",
   "refract",
   "matrixCompMult",
   "lessThan",
   "equal",
   "any",
   "all",
   "not",
   "texture2D",
   "texture2DLod",
   "texture2DProj",
   "textureCube",
   "texture",
   "textureLod",
   "textureGrad",
   "texelFetch",
   "textureSize",
   "dFdx",
   "dFdy",
   "fwidth",
   "transpose",
   "inverse",
   "determinant",
   "outerProduct",
   "floatBitsToInt",
   "uintBitsToFloat",
   "packUnorm2x16",
   "round",
   "roundEven",
   "trunc",
   "isnan",
   "isinf",
   "modf",
   "sinh",
   "layout",
   "location",
   "std140",
   "xyzw",
   "x",
   "rgba",
   "stpq",
};
static const char *const marks[] = {
   "+",  "-",  "*",  "/",  "%",  "<",  ">", "<=", ">=", "==", "!=", "&&", "||",  "^^",  "&",
   "|",  "^",  "~",  "!",  "<<", ">>", "=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=",
   "|=", "^=", "++", "--", "?",  ":",  ",", ";",  ".",  "(",  ")",  "[",  "]",   "{",   "}",
};
static const char *const lines[] = {
   "#version 100\n",
   "#version 110\n",
   "#version 120\n",
   "#version 130\n",
   "#version 140\n",
   "#version 150\n",
   "#version 330\n",
   "#version 300 es\n",
   "#version 310 es\n",
   "#extension all : enable\n",
   "#extension all : warn\n",
   "#extension GL_OES_standard_derivatives : enable\n",
   "#extension GL_EXT_frag_depth : require\n",
   "#extension GL_ARB_shader_texture_lod : enable\n",
   "#pragma STDGL invariant(all)\n",
   "#pragma optimize(off)\n",
   "#define float int\n",
   "#define main(x) x x\n",
   "#define f(a, b) a##b\n",
   "#undef f\n",
   "#if 1\n",
   "#if 1/0\n",
   "#ifdef GL_ES\n",
   "#ifndef x\n",
   "#else\n",
   "#elif 0\n",
   "#endif\n",
   "#error no\n",
   "#line 2147483647 3\n",
   "#\n",
   "precision mediump float;\n",
   "precision highp int;\n",
   "invariant gl_Position;\n",
   "layout(std140) uniform;\n",
};
/* What stands before and behind a statement. */
static const char *const around[][2] = {
   { "{ ", " }" },
   { "if (true) { ", " }" },
   { "for (;;) { ", " break; }" },
   { "do { ", " } while (false);" },
   { "while (true) { ", " return; }" },
   { "switch (1) { case 0: ", " default: break; }" },
   { "for (int i = 0; i < 4; i++) ", "" },
   { "if (false) ; else ", "" },
};

struct change {
   struct reduce_glsl text, other;
   uint64_t *random;
};

#define BELOW(c, n) fuzz_random((c)->random, n)
#define PICK(c, array) ((array)[BELOW(c, LENGTH(array))])

/* The bytes from `begin` to `end` become `length` others. */
static char *
spliced(const struct change *c, uint32_t begin, uint32_t end, const char *bytes, size_t length)
{
   const char *text = c->text.text;
   const size_t rest = strlen(text + end);
   char *whole = malloc(begin + length + rest + 3), *at = whole;
   memcpy(at, text, begin);
   at += begin;
   *at++ = ' ';
   memcpy(at, bytes, length);
   at += length;
   *at++ = ' ';
   memcpy(at, text + end, rest + 1);
   return whole;
}

/* ------------------------------------------------------------------ tokens */

/* A token of a kind. NULL: there is none. */
static const struct reduce_glsl_token *
find_token(const struct change *c, int kind)
{
   for (int tries = 0; tries < 40 && c->text.tokens; tries++) {
      const struct reduce_glsl_token *t = &c->text.token[BELOW(c, c->text.tokens)];
      if ((int)t->kind == kind)
         return t;
   }
   return NULL;
}

static char *
put_text(const struct change *c, const struct reduce_glsl_token *t, const char *text)
{
   return t ? spliced(c, t->begin, t->end, text, strlen(text)) : NULL;
}

static char *
change_number(const struct change *c)
{
   return put_text(c, find_token(c, REDUCE_GLSL_NUMBER), PICK(c, numbers));
}

/* A word becomes one of GLSL, or another one of the text. */
static char *
change_word(const struct change *c)
{
   const struct reduce_glsl_token *t = find_token(c, REDUCE_GLSL_WORD),
                                  *other = find_token(c, REDUCE_GLSL_WORD);
   if (!t || !other || BELOW(c, 2))
      return put_text(c, t, PICK(c, words));
   return spliced(c, t->begin, t->end, c->text.text + other->begin, other->end - other->begin);
}

static char *
change_mark(const struct change *c)
{
   return put_text(c, find_token(c, REDUCE_GLSL_MARK), PICK(c, marks));
}

static char *
drop_token(const struct change *c)
{
   const struct reduce_glsl_token *t =
      c->text.tokens ? &c->text.token[BELOW(c, c->text.tokens)] : NULL;
   return put_text(c, t, "");
}

/* A word, mark or number more. */
static char *
add_token(const struct change *c)
{
   const struct reduce_glsl_token *t =
      c->text.tokens ? &c->text.token[BELOW(c, c->text.tokens)] : NULL;
   const uint32_t kind = BELOW(c, 3);
   const char *text = kind == 0 ? PICK(c, words) : kind == 1 ? PICK(c, marks) : PICK(c, numbers);
   return t ? spliced(c, t->begin, t->begin, text, strlen(text)) : NULL;
}

static char *
add_line(const struct change *c)
{
   const char *line = PICK(c, lines);
   const char *at = strchr(c->text.text + BELOW(c, (uint32_t)strlen(c->text.text) + 1), '\n');
   const uint32_t place = BELOW(c, 2) || !at ? 0 : (uint32_t)(at + 1 - c->text.text);
   char *text = spliced(c, place, place, line, strlen(line));
   text[place] = '\n'; /* before the line */
   return text;
}

/* ------------------------------------------------------------------ parts */

struct part {
   uint32_t edit;        /* its number */
   uint32_t begin, end;  /* bytes */
   const char *constant; /* of an expression: one of its type; of others "" */
};

static bool
is_part(const struct reduce_glsl *g, uint32_t i, enum reduce_glsl_kind kind, struct part *part)
{
   if (i >= g->edits || g->edit[i].kind != kind)
      return false;
   const struct reduce_glsl_edit *edit = &g->edit[i];
   *part =
      (struct part){ i, g->token[edit->begin].begin, g->token[edit->end - 1].end, edit->constant };
   return true;
}

/* A part of a text that is one of these edits' places. */
static bool
find_part(const struct change *c, const struct reduce_glsl *g, enum reduce_glsl_kind kind,
          struct part *part)
{
   for (int tries = 0; tries < 60 && g->edits; tries++) {
      if (is_part(g, BELOW(c, g->edits), kind, part))
         return true;
   }
   return false;
}

/* Another part of this kind, most often of the same type; in the text that `as` is of near to it,
 * where its names are known. */
static bool
find_like(const struct change *c, const struct reduce_glsl *g, enum reduce_glsl_kind kind,
          const struct part *as, struct part *part)
{
   const bool near = g == &c->text && BELOW(c, 8);
   for (int tries = 0; tries < 60 && g->edits; tries++) {
      const uint32_t i = near ? as->edit + BELOW(c, 2 * NEAR + 1) - NEAR : BELOW(c, g->edits);
      if (is_part(g, i, kind, part) && (!strcmp(part->constant, as->constant) || !BELOW(c, 16)))
         return true;
   }
   return false;
}

static enum reduce_glsl_kind
kind_of_part(const struct change *c)
{
   static const enum reduce_glsl_kind kinds[] = { REDUCE_GLSL_GLOBAL, REDUCE_GLSL_STATEMENT,
                                                  REDUCE_GLSL_STATEMENT, REDUCE_GLSL_ZERO,
                                                  REDUCE_GLSL_ZERO };
   return PICK(c, kinds);
}

static char *
drop_part(const struct change *c)
{
   struct part p;
   return find_part(c, &c->text, kind_of_part(c), &p) ? spliced(c, p.begin, p.end, "", 0) : NULL;
}

/* A part in the place of another of its kind, or before it; from this text or the other one. */
static char *
copy_part(const struct change *c)
{
   const enum reduce_glsl_kind kind = kind_of_part(c);
   const struct reduce_glsl *from = BELOW(c, 4) ? &c->text : &c->other;
   struct part p, source;
   if (!find_part(c, &c->text, kind, &p) || !find_like(c, from, kind, &p, &source))
      return NULL;
   return spliced(c, p.begin, kind != REDUCE_GLSL_ZERO && BELOW(c, 2) ? p.begin : p.end,
                  from->text + source.begin, source.end - source.begin);
}

/* Two parts in each other's place. */
static char *
exchange_parts(const struct change *c)
{
   const enum reduce_glsl_kind kind = kind_of_part(c);
   struct part a, b;
   char *middle;
   if (!find_part(c, &c->text, kind, &a) || !find_like(c, &c->text, kind, &a, &b) ||
       a.end > b.begin)
      return NULL;
   const char *text = c->text.text;
   const int length =
      asprintf(&middle, "%.*s%.*s%.*s", (int)(b.end - b.begin), text + b.begin,
               (int)(b.begin - a.end), text + a.end, (int)(a.end - a.begin), text + a.begin);
   char *whole = length < 0 ? NULL : spliced(c, a.begin, b.end, middle, (size_t)length);
   free(middle);
   return whole;
}

static char *
surround(const struct change *c, struct part p, const char *before, const char *behind)
{
   char *middle;
   const int length =
      asprintf(&middle, "%s%.*s%s", before, (int)(p.end - p.begin), c->text.text + p.begin, behind);
   char *whole = length < 0 ? NULL : spliced(c, p.begin, p.end, middle, (size_t)length);
   free(middle);
   return whole;
}

static char *
surround_statement(const struct change *c)
{
   struct part p;
   const char *const *both = PICK(c, around);
   return find_part(c, &c->text, REDUCE_GLSL_STATEMENT, &p) ? surround(c, p, both[0], both[1])
                                                            : NULL;
}

/* Many brackets around a part. */
static char *
nest(const struct change *c)
{
   static const char *const pairs[] = { "()", "{}", "-)", "!)", "~)" };
   const char *pair = PICK(c, pairs);
   char before[2 * DEEPEST + 1] = "", behind[DEEPEST + 1] = "";
   const uint32_t depth = 1 + BELOW(c, DEEPEST - 1);
   const bool is_block = pair[0] == '{';
   struct part p;
   for (uint32_t i = 0; i < depth; i++) {
      before[2 * i] = pair[0];
      before[2 * i + 1] = is_block || pair[0] == '(' ? ' ' : '(';
      behind[i] = pair[1];
   }
   return find_part(c, &c->text, is_block ? REDUCE_GLSL_STATEMENT : REDUCE_GLSL_ZERO, &p)
             ? surround(c, p, before, behind)
             : NULL;
}

char *
fuzz_grammar_change(const char *text, const char *other, uint64_t *random)
{
   /* tokens break a text most often: one change in six */
   static char *(*const tokens[])(const struct change *c) = {
      change_number, change_word, change_mark, drop_token, add_token, add_line,
   };
   static char *(*const parts[])(const struct change *c) = {
      change_number, drop_part, copy_part, copy_part, exchange_parts, nest, surround_statement,
   };
   struct change c = { reduce_glsl_read(text), reduce_glsl_read(other), random };
   char *changed = NULL;
   for (int tries = 0; tries < 20 && !changed; tries++)
      changed = BELOW(&c, 6) ? PICK(&c, parts)(&c) : PICK(&c, tokens)(&c);
   reduce_glsl_free(&c.text);
   reduce_glsl_free(&c.other);
   return changed ? changed : strdup(text);
}
