/* SPDX-License-Identifier: MIT
 *
 * GLSL ES 3.00: switches of up to 1500 cases, and as long chains of conditions (section 6.2),
 * random ones, against the same evaluated here. They stand alone, in a loop, or in a case of
 * another switch, in both stages.
 */
#include "es3_rules.h"

#include <stdlib.h>
#include <string.h>

enum {
   MOST_CASES = 1500,
   SIDE = 32, /* of the target: each pixel, or vertex, is a value of n */
};

/* What a case does to s; the first two end it. */
enum action {
   ADD,      /* s += k; break; */
   RETURN,   /* return s ^ k; */
   FALL,     /* s = s * 3 + k; and on to the next */
   FALL_ODD, /* if ((n & 1) != 0) break; s ^= k; */
   NONE,     /* shares what follows */
   CONTINUE, /* s -= k; continue; in loops, else as ADD */
   ACTIONS
};

struct one_case {
   uint32_t label, k;
   enum action action;
   bool is_default;
};

/* Values of x are below `range`; `chain`: if and else if. */
struct big_switch {
   struct one_case cases[MOST_CASES];
   int count;
   uint32_t range, factor, step;
   int rounds; /* 0: no loop */
   bool chain;
};

/* Labels in any order, about three values of four have one. */
static void
random_switch(struct rules *r, struct big_switch *s, int count, bool chain)
{
   uint32_t *labels = malloc(2 * sizeof(*labels) * (size_t)count);
   *s = (struct big_switch){ .count = count, .chain = chain };
   s->range = (uint32_t)count * 4 / 3 + 1;
   s->factor = 1 + 2 * rules_below(r, 50), s->step = rules_below(r, 1000);
   s->rounds = rules_chance(r, 40) ? rules_between(r, 1, 5) : 0;
   for (uint32_t i = 0; i < s->range; i++) {
      const uint32_t at = rules_below(r, i + 1);
      labels[i] = labels[at], labels[at] = i;
   }
   const uint32_t usual = chain ? ADD : rules_below(r, ACTIONS);
   for (int i = 0; i < count; i++) {
      struct one_case *c = &s->cases[i];
      *c = (struct one_case){ .label = labels[i], .k = rules_below(r, 100000) };
      c->action = (enum action)(rules_chance(r, 60) ? usual : rules_below(r, ACTIONS));
      if (chain && c->action != RETURN && c->action != CONTINUE)
         c->action = ADD;
   }
   if (rules_chance(r, 70))
      s->cases[chain ? count - 1 : (int)rules_below(r, (uint32_t)count)].is_default = true;
   free(labels);
}

static void
print_action(struct text *t, const struct big_switch *s, const struct one_case *c)
{
   switch (c->action) {
   case RETURN:
      add(*t, "return s ^ %uu;\n", c->k);
      break;
   case FALL:
      add(*t, "s = s * 3u + %uu;\n", c->k);
      break;
   case FALL_ODD:
      add(*t, "if ((n & 1u) != 0u) break; s ^= %uu;\n", c->k);
      break;
   case NONE:
      break;
   case CONTINUE:
      if (s->rounds) {
         add(*t, "s -= %uu; continue;\n", c->k);
         break;
      } /* fallthrough */
   default:
      add(*t, "s += %uu; %s\n", c->k, s->chain ? "" : "break;");
   }
}

static void
print_switch(struct text *t, const struct big_switch *s, const char *name)
{
   add(*t, "uint %s(uint n) {\n   uint s = n;\n", name);
   if (s->rounds)
      add(*t, "   for (uint i = 0u; i < %uu; i++) {\n", (unsigned)s->rounds);
   add(*t, "   uint x = (n * %uu + %s * %uu) %% %uu;\n", s->factor, s->rounds ? "i" : "1u", s->step,
       s->range);
   if (!s->chain)
      add(*t, "   switch (x) {\n");
   for (int i = 0; i < s->count; i++) {
      const struct one_case *c = &s->cases[i];
      if (!s->chain && c->is_default)
         add(*t, "   default: ");
      else if (!s->chain)
         add(*t, "   case %uu: ", c->label);
      else if (c->is_default)
         add(*t, "   %s { ", i ? "else" : "");
      else
         add(*t, "   %sif (x == %uu) { ", i ? "else " : "", c->label);
      print_action(t, s, c);
      if (s->chain)
         add(*t, "   }\n");
   }
   if (!s->chain)
      add(*t, "   s += 1u;\n   }\n");
   add(*t, "   s = s * 5u + 1u;\n%s   return s;\n}\n", s->rounds ? "   }\n" : "");
}

/* Which case x begins with; count: none. */
static int
first_case(const struct big_switch *s, uint32_t x)
{
   int found = s->count;
   for (int i = 0; i < s->count; i++) {
      if (s->cases[i].is_default)
         found = i;
      else if (s->cases[i].label == x)
         return i;
   }
   return found;
}

/* One round. True: the function has returned. `skip`: the round has been left. */
static bool
run_cases(const struct big_switch *s, uint32_t n, uint32_t x, uint32_t *v, bool *skip)
{
   int i = first_case(s, x);
   *skip = false;
   if (i == s->count)
      return false;
   for (; i < s->count; i++) {
      const struct one_case *c = &s->cases[i];
      switch (c->action) {
      case RETURN:
         *v ^= c->k;
         return true;
      case FALL:
         *v = *v * 3 + c->k;
         break;
      case FALL_ODD:
         if (n & 1)
            return false;
         *v ^= c->k;
         break;
      case NONE:
         break;
      case CONTINUE:
         *skip = s->rounds > 0;
         *v = *skip ? *v - c->k : *v + c->k;
         return false;
      default:
         *v += c->k;
         return false;
      }
   }
   *v += 1; /* behind the last case */
   return false;
}

static uint32_t
evaluate(const struct big_switch *s, uint32_t n)
{
   uint32_t v = n;
   for (uint32_t i = s->rounds ? 0 : 1; i < (uint32_t)(s->rounds ? s->rounds : 2); i++) {
      bool skip;
      if (run_cases(s, n, (n * s->factor + i * s->step) % s->range, &v, &skip))
         return v;
      if (!skip)
         v = v * 5 + 1;
   }
   return v;
}

/* f, and where `inner` is not NULL a switch whose second case calls it. */
static char *
switch_shader(const struct big_switch *s, const struct big_switch *inner, bool vertex)
{
   struct text t;
   text_begin(&t);
   add(t, "%s uvec4 v;\n", vertex ? "flat out" : "out");
   print_switch(&t, s, "f");
   if (inner) {
      print_switch(&t, inner, "g");
      add(t, "uint h(uint n) { switch (n %% 3u) { case 0u: return f(n);\n"
             "   case 1u: return g(n); default: return f(n + 7u) + g(n); } }\n");
   }
   const char *name = inner ? "h" : "f";
   if (vertex)
      add(t,
          "void main() { v = uvec4(%s(uint(gl_VertexID))); gl_PointSize = 1.0;\n"
          "   vec2 p = vec2(gl_VertexID %% 32, gl_VertexID / 32);\n"
          "   gl_Position = vec4((p * 2.0 + 1.0) / 32.0 - 1.0, 0.0, 1.0); }",
          name);
   else
      add(t, "void main() { uvec2 p = uvec2(gl_FragCoord.xy); v = uvec4(%s(p.x + 32u * p.y)); }",
          name);
   return text_end(&t);
}

static uint32_t
wanted_value(const struct big_switch *s, const struct big_switch *inner, uint32_t n)
{
   if (!inner || n % 3 == 0)
      return evaluate(s, n);
   return n % 3 == 1 ? evaluate(inner, n) : evaluate(s, n + 7) + evaluate(inner, n);
}

/* Draws with the shader and compares each pixel. */
static void
check_switch(struct rules *r, const struct big_switch *s, const struct big_switch *inner)
{
   const bool vertex = r->n % 2;
   char *shader = switch_shader(s, inner, vertex);
   GLuint program = vertex ? es3_program(r, shader,
                                         "flat in uvec4 v; out uvec4 result;\n"
                                         "void main() { result = v; }")
                           : es3_program(r, es3_vertex_whole, shader);
   glDrawArrays(vertex ? GL_POINTS : GL_TRIANGLES, 0, vertex ? SIDE * SIDE : 3);
   uint32_t *have = es3_read_uint(r, SIDE, SIDE);
   for (uint32_t n = 0; n < SIDE * SIDE; n++) {
      if (have[4 * n] != wanted_value(s, inner, n))
         rules_fail(r, "%s of %d cases in the %s shader, %d rounds%s: of %u is %u, not %u",
                    s->chain ? "chain" : "switch", s->count, vertex ? "vertex" : "fragment",
                    s->rounds, inner ? ", beside another" : "", n, have[4 * n],
                    wanted_value(s, inner, n));
   }
   free(have), free(shader);
   glDeleteProgram(program);
}

void
es3_switch(struct rules *r)
{
   static const int boundaries[] = { 1, 60, 61, 1000, 62, 2, 1000, 1500 };
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIDE, SIDE);
   struct big_switch *s = malloc(2 * sizeof(*s));
   while (rules_next(r)) {
      const bool pair = r->n % 4 == 3;
      const int count = r->n < 16 ? boundaries[r->n / 2] : rules_between(r, 1, pair ? 300 : 1200);
      random_switch(r, &s[0], count, r->n % 3 == 2);
      if (pair)
         random_switch(r, &s[1], rules_between(r, 50, 300), rules_chance(r, 30));
      check_switch(r, &s[0], pair ? &s[1] : NULL);
   }
   free(s);
   es3_target_delete(&target);
}
