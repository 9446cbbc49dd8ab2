/* SPDX-License-Identifier: MIT */
#include "soak_program.h"

#include <stdarg.h>
#include <string.h>

#define MOST_B 16384
#define DEEPEST 5

/* A shader that is being written. */
struct text {
   char text[MOST_B];
   size_t length;
   uint64_t *seed;
};

static void __attribute__((format(printf, 2, 3)))
add(struct text *t, const char *format, ...)
{
   va_list list;
   va_start(list, format);
   t->length += (size_t)vsnprintf(t->text + t->length, MOST_B - t->length, format, list);
   va_end(list);
   if (t->length >= MOST_B)
      die("a random program is longer than %d bytes", MOST_B);
}

static void
add_leaf(struct text *t)
{
   static const char *const leaves[] = { "v", "v.wzyx", "sum", "gl_FragCoord * 0.01" };
   const uint32_t which = random_below(t->seed, 6);
   if (which < 4)
      add(t, "%s", leaves[which]);
   else if (which == 4)
      add(t, "vec4(%u.0, 0.5, %u.0, 0.25)", random_below(t->seed, 1000), random_below(t->seed, 9));
   else
      add(t, "texture2D(image, v.%s * %u.0)", random_below(t->seed, 2) ? "xy" : "zw",
          1 + random_below(t->seed, 4));
}

static void
add_expression(struct text *t, unsigned depth)
{
   static const char *const functions[] = {
      "sin", "fract", "abs", "sqrt(abs", "normalize", "exp2"
   };
   static const char operators[] = "+-*/";
   if (depth == 0 || random_below(t->seed, 6) == 0) {
      add_leaf(t);
      return;
   }
   const uint32_t which = random_below(t->seed, 10);
   if (which < 6) {
      add(t, "%s(", functions[which]);
      add_expression(t, depth - 1);
      add(t, which == 3 ? "))" : ")");
      return;
   }
   add(t, "(");
   add_expression(t, depth - 1);
   add(t, " %c ", operators[which - 6]);
   add_expression(t, depth - 1);
   add(t, ")");
}

static void
add_statement(struct text *t)
{
   const uint32_t kind = random_below(t->seed, 3);
   if (kind == 1)
      add(t, "   for (int i = 0; i < %u; i++)\n", 1 + random_below(t->seed, 6));
   else if (kind == 2)
      add(t, "   if (fract(v.x * %u.0) > 0.5)\n", 1 + random_below(t->seed, 16));
   add(t, "   sum += ");
   add_expression(t, 1 + random_below(t->seed, DEEPEST));
   add(t, ";\n");
}

GLuint
soak_program_create(uint32_t number)
{
   uint64_t seed = (uint64_t)number << 32;
   struct text t = { .seed = &seed };
   add(&t, "precision highp float;\nvarying vec4 v;\nuniform sampler2D image;\n"
           "void main() {\n   vec4 sum = vec4(0.0);\n");
   for (uint32_t left = 1 + random_below(&seed, 6); left; left--)
      add_statement(&t);
   add(&t, "   gl_FragColor = fract(sum);\n}\n");
   return program_create(plain_vertex, t.text);
}
