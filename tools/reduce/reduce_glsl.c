/* SPDX-License-Identifier: MIT */
/*
 * The tokens of GLSL, and texts made of some of them.
 */
#include "reduce_glsl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reduce_case.h"

#define NONE UINT32_MAX

/* ------------------------------------------------------------------ tokens */

static bool
is_word(char c)
{
   return isalnum((unsigned char)c) || c == '_';
}

/* The end of what is no token at `at`: space and comments. */
static uint32_t
skip_space(const char *text, uint32_t at, bool *new_line)
{
   for (;;) {
      if (isspace((unsigned char)text[at])) {
         *new_line |= text[at++] == '\n';
      } else if (text[at] == '/' && text[at + 1] == '/') {
         at += (uint32_t)strcspn(text + at, "\n");
      } else if (text[at] == '/' && text[at + 1] == '*') {
         const char *end = strstr(text + at + 2, "*/");
         at = end ? (uint32_t)(end + 2 - text) : (uint32_t)strlen(text);
      } else {
         return at;
      }
   }
}

/* The end of a line of the preprocessor; one may go on after a backslash. */
static uint32_t
end_of_line(const char *text, uint32_t at)
{
   while (text[at] && text[at] != '\n')
      at += text[at] == '\\' && text[at + 1] ? 2 : 1;
   return at;
}

static uint32_t
end_of_number(const char *text, uint32_t at)
{
   while (is_word(text[at]) || text[at] == '.' ||
          ((text[at] == '+' || text[at] == '-') && tolower((unsigned char)text[at - 1]) == 'e'))
      at++;
   return at;
}

static uint32_t
end_of_mark(const char *text, uint32_t at)
{
   static const char *const marks[] = {
      "<<=", ">>=", "++", "--", "+=", "-=", "*=", "/=", "%=", "<<", ">>",
      "<=",  ">=",  "==", "!=", "&&", "||", "^^", "&=", "|=", "^="
   };
   for (uint32_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
      const size_t length = strlen(marks[i]);
      if (!strncmp(text + at, marks[i], length))
         return at + (uint32_t)length;
   }
   return at + 1;
}

static struct reduce_glsl_token
token_at(const char *text, uint32_t at, bool new_line)
{
   struct reduce_glsl_token token = { .begin = at, .partner = NONE, .on_new_line = new_line };
   const unsigned char c = (unsigned char)text[at];
   if (c == '#') {
      token.kind = REDUCE_GLSL_HASH;
      token.end = end_of_line(text, at);
   } else if (isdigit(c) || (c == '.' && isdigit((unsigned char)text[at + 1]))) {
      token.kind = REDUCE_GLSL_NUMBER;
      token.end = end_of_number(text, at + 1);
   } else if (is_word(text[at])) {
      token.kind = REDUCE_GLSL_WORD;
      for (token.end = at; is_word(text[token.end]);)
         token.end++;
   } else {
      token.kind = REDUCE_GLSL_MARK;
      token.end = end_of_mark(text, at);
   }
   return token;
}

static void
add_token(struct reduce_glsl *g, const struct reduce_glsl_token *token)
{
   if (g->tokens == g->token_capacity) {
      struct reduce_glsl_token *old = g->token;
      g->token_capacity = 2 * g->token_capacity + 256;
      g->token = reduce_allocate(g->token_capacity * sizeof(*old));
      if (g->tokens)
         memcpy(g->token, old, g->tokens * sizeof(*old));
      free(old);
   }
   g->token[g->tokens++] = *token;
}

/* Let brackets know each other. */
static void
pair_brackets(struct reduce_glsl *g)
{
   uint32_t *open = reduce_allocate((g->tokens + 1) * sizeof(*open)), depth = 0;
   for (uint32_t i = 0; i < g->tokens; i++) {
      const char c = g->token[i].kind == REDUCE_GLSL_MARK ? g->text[g->token[i].begin] : 0;
      if (c == '(' || c == '[' || c == '{') {
         open[depth++] = i;
      } else if (depth > 0 && (c == ')' || c == ']' || c == '}')) {
         g->token[i].partner = open[--depth];
         g->token[open[depth]].partner = i;
      }
   }
   free(open);
}

bool
reduce_glsl_is(const struct reduce_glsl *g, uint32_t token, const char *text)
{
   if (token >= g->tokens)
      return false;
   const struct reduce_glsl_token *t = &g->token[token];
   const size_t length = strlen(text);
   return t->end - t->begin == length && !memcmp(g->text + t->begin, text, length);
}

struct reduce_glsl
reduce_glsl_read(const char *text)
{
   struct reduce_glsl g = { .text = text };
   bool new_line = false;
   for (uint32_t at = skip_space(text, 0, &new_line); text[at];) {
      const struct reduce_glsl_token token = token_at(text, at, new_line);
      add_token(&g, &token);
      new_line = false;
      at = skip_space(text, token.end, &new_line);
   }
   pair_brackets(&g);
   reduce_glsl_find_edits(&g);
   return g;
}

void
reduce_glsl_free(struct reduce_glsl *g)
{
   free(g->token);
   free(g->edit);
}

/* ------------------------------------------------------------------ texts */

uint32_t
reduce_glsl_count(const struct reduce_glsl *g, enum reduce_glsl_kind kind)
{
   uint32_t count = 0;
   for (uint32_t i = 0; i < g->edits; i++)
      count += g->edit[i].kind == kind;
   return count;
}

/* What stands for each token: its own text, a constant, or NULL, if it is left out. */
static const char **
words_without(const struct reduce_glsl *g, enum reduce_glsl_kind kind, const bool *keep)
{
   const char **words = reduce_allocate((g->tokens + 1) * sizeof(*words));
   for (uint32_t i = 0; i < g->tokens; i++)
      words[i] = g->text + g->token[i].begin;
   for (uint32_t i = 0, n = 0; i < g->edits; i++) {
      const struct reduce_glsl_edit *edit = &g->edit[i];
      if (edit->kind != kind || keep[n++])
         continue;
      for (uint32_t t = edit->begin; t < edit->end; t++) {
         if (t < edit->kept || t >= edit->kept_end)
            words[t] = NULL;
      }
      if (edit->constant[0])
         words[edit->begin] = edit->constant;
   }
   return words;
}

/* What stands before a token: the space of a line, which a token begins, or NONE, and what
 * separates it from the one before. */
static void
put_space(const struct reduce_glsl *g, FILE *file, uint32_t token, uint32_t before, uint32_t line)
{
   if (line != NONE) {
      uint32_t begin = g->token[line].begin;
      while (begin > 0 && (g->text[begin - 1] == ' ' || g->text[begin - 1] == '\t'))
         begin--;
      fprintf(file, "\n%.*s", (int)(g->token[line].begin - begin), g->text + begin);
   } else if ((before != token - 1 || g->token[before].end != g->token[token].begin) &&
              !strchr(";,.)]", g->text[g->token[token].begin]) &&
              !strchr("([.", g->text[g->token[before].begin])) {
      fputc(' ', file);
   }
}

char *
reduce_glsl_without(const struct reduce_glsl *g, enum reduce_glsl_kind kind, const bool *keep)
{
   char *text = NULL;
   size_t size_B;
   FILE *file = open_memstream(&text, &size_B);
   const char **words = words_without(g, kind, keep);
   uint32_t before = NONE, line = NONE;
   for (uint32_t i = 0; i < g->tokens; i++) {
      const struct reduce_glsl_token *t = &g->token[i];
      const bool own = words[i] == g->text + t->begin;
      line = t->on_new_line ? i : line;
      if (!words[i])
         continue;
      if (before != NONE)
         put_space(g, file, i, before, line);
      fprintf(file, "%.*s", own ? (int)(t->end - t->begin) : 99, words[i]);
      before = i;
      line = NONE;
   }
   fputc('\n', file);
   fclose(file);
   free(words);
   return text;
}
