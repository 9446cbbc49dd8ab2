/* SPDX-License-Identifier: MIT
 *
 * Programs written by hand for what random ones do not have: jumps of every kind, side effects in
 * conditions, arrays and structures as parameters, indexing of attributes and varyings, built-in
 * variables. Each gives a vec4 that a function of the pixel states; all numbers are small and
 * exact.
 */
#include "shader_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_PX 16
#define DISCARDED NAN

struct flow_program {
   const char *name;
   /* declarations and `void body()`, run for the vertex at a pixel; NULL: one triangle */
   const char *vertex;
   const char *fragment; /* the same: writes gl_FragColor; `where` is the pixel */
   void (*expected)(int x, int y, double r[4]);
};

#define EXPECTED(name) static void name(int x, int y, double r[4])

EXPECTED(early_return)
{
   r[0] = x < 3 ? 1 : y > 9 ? 2 : x == y ? 3 : 4;
   r[1] = x < 3 ? 0 : x;
}

EXPECTED(nested_loops)
{
   for (int i = 0; i < 6; i++) {
      for (int j = 0; j < 5; j++) {
         if (j > x - i)
            break;
         if ((i + j) % 3 == y % 3)
            continue;
         r[0] += 1;
         r[1] += i * j;
      }
      if (i > y)
         break;
      r[2] += i;
   }
}

EXPECTED(do_while)
{
   int n = x, turns = 0;
   do {
      turns++;
      if (n == y)
         continue;
      n--;
   } while (n > 0 && turns < 20);
   r[0] = n, r[1] = turns;
}

EXPECTED(discard_in_function)
{
   r[0] = 0;
   for (int i = 0; i < 4; i++) {
      if (x == 2 * i + y) {
         r[0] = r[1] = DISCARDED;
         return;
      }
      r[0] += i + x;
   }
   r[1] = 1;
}

EXPECTED(discard_ends_loops)
{
   r[0] = x % 2 ? DISCARDED : x + 1;
   r[1] = x % 2 ? DISCARDED : (x + 1) * (y + 2);
}

EXPECTED(side_effects)
{
   const bool a = x > 5, b = y > 7;
   const int calls = 1 + (a ? 1 : 0) + 1 + (b ? 0 : 1) + 2;
   r[0] = calls;
   r[1] = (a && b) + 2 * (b || a) + 4 * (a != b);
   r[2] = a ? 10 : 20;
   r[3] = 3 + x;
}

EXPECTED(increments)
{
   int i = x, a = i++, b = ++i, c = i--, d = --i;
   r[0] = a + 10 * b, r[1] = c + 10 * d, r[2] = i, r[3] = 2 * y + 1;
}

EXPECTED(structures)
{
   const int i = (x + y) % 3;
   r[0] = 100 + i;             /* t[i].inner.b[1] */
   r[1] = x == 4 ? 1 : 0;      /* equality */
   r[2] = i * 2 + 7 * (x % 2); /* a copy keeps its value */
   r[3] = y;
}

EXPECTED(array_parameters)
{
   double sum = 0;
   for (int i = 0; i < 5; i++)
      sum += i * x;
   r[0] = sum, r[1] = 4 * x, r[2] = 4 * x + y, r[3] = 2 * y;
}

EXPECTED(matrix_elements)
{
   const int i = x % 3, j = y % 3;
   r[0] = 3 * i + j + 50, r[1] = 3 * j + i + (i == j ? 50 : 0), r[2] = 3 * i + (j == 0 ? 50 : 0),
   r[3] = 36 + 50;
}

EXPECTED(large_array)
{
   const int k = (7 * x + 3 * y) % 100;
   r[0] = (k * k) % 64, r[1] = k + x, r[2] = 99 * 99 % 64, r[3] = 1;
}

EXPECTED(components)
{
   double v[4] = { 1, 2, 3, 4 };
   v[x % 4] += 10;
   v[(x + y) % 4] *= 2;
   for (int i = 0; i < 4; i++)
      r[i] = v[(i + y) % 4];
}

EXPECTED(swizzles)
{
   r[0] = y, r[1] = 5, r[2] = x, r[3] = x + y;
}

EXPECTED(scopes)
{
   r[0] = x, r[1] = x + 1, r[2] = 2 * y, r[3] = 5;
}

EXPECTED(float_counters)
{
   for (double f = x; f < 12; f += 2.5)
      r[0] += f;
   for (double f = 1; f <= 64; f *= 2)
      r[1] += 1;
   r[2] = y * (y + 1) / 2;
}

EXPECTED(overloads)
{
   r[0] = x, r[1] = x + y, r[2] = 3 * x, r[3] = 100;
}

EXPECTED(frag_coord)
{
   r[0] = x + 0.5, r[1] = y + 0.5, r[2] = 0.5, r[3] = 1;
}

EXPECTED(front_facing)
{
   (void)x, (void)y;
   r[0] = 1, r[1] = 7;
}

EXPECTED(varying_arrays)
{
   const int i = (x + 2 * y) % 6;
   r[0] = 10 * i + x, r[1] = 10 * i + y, r[2] = 100 + (x % 3), r[3] = 50 + y % 2;
}

EXPECTED(varying_structures)
{
   r[0] = x + 1, r[1] = y + 2, r[2] = x * 4 + y % 4, r[3] = 3;
}

EXPECTED(attribute_matrix)
{
   r[0] = x % 2 == 0 ? x : y, r[1] = x, r[2] = y, r[3] = 1;
}

EXPECTED(frag_data)
{
   r[0] = x, r[1] = y, r[2] = 3, r[3] = 4;
}

EXPECTED(many_returns)
{
   const int n = x + y;
   r[0] = n < 5 ? 1 : n < 10 ? 2 : n < 15 ? 3 : n % 2 ? 4 : 5;
   for (int i = 0; i < 8; i++)
      r[1] += i + x < 5 ? 1 : i + x < 10 ? 2 : i + x < 15 ? 3 : (i + x) % 2 ? 4 : 5;
}

EXPECTED(underflow)
{
   (void)x, (void)y;
   r[0] = 0, r[1] = 0, r[2] = 1, r[3] = 1;
}

static const struct flow_program programs[] = {
   { "early return", NULL,
     "void body() { gl_FragColor = vec4(1.0, 0.0, 0.0, 0.0); if (where.x < 3.0) return; gl_FragColor.y = where.x;\n"
     "if (where.y > 9.0) { gl_FragColor.x = 2.0; return; } if (where.x == where.y) { gl_FragColor.x = 3.0; return; }\n"
     "gl_FragColor.x = 4.0; }", early_return },
   { "nested loops", NULL,
     "void body() { vec3 r = vec3(0.0); for (int i = 0; i < 6; i++) { for (int j = 0; j < 5; j++) {\n"
     "if (j > int(where.x) - i) break; if (mod(float(i + j), 3.0) == mod(where.y, 3.0)) continue;\n"
     "r.x += 1.0; r.y += float(i * j); } if (i > int(where.y)) break; r.z += float(i); } gl_FragColor = vec4(r, 0.0); }",
     nested_loops },
   { "do while", NULL,
     "void body() { int n = int(where.x), turns = 0; do { turns++; if (n == int(where.y)) continue; n--; }\n"
     "while (n > 0 && turns < 20); gl_FragColor = vec4(float(n), float(turns), 0.0, 0.0); }", do_while },
   { "discard in a function in a loop", NULL,
     "float f(float a) { if (where.x == a) discard; return where.x; }\n"
     "void body() { float s = 0.0; for (int i = 0; i < 4; i++) s += float(i) + f(2.0 * float(i) + where.y);\n"
     "gl_FragColor = vec4(s, 1.0, 0.0, 0.0); }", discard_in_function },
   { "discard ends loops whose neighbours have ended", NULL, /* which derivatives would need */
     "uniform sampler2D none; void body() { float n = 0.0, t = 0.0; bool odd = mod(where.x, 2.0) == 1.0;\n"
     "for (;;) { for (;;) { t += 1.0; if (odd && t > 20.0) discard; if (mod(t, where.y + 2.0) == 0.0) break; }\n"
     "n += 1.0; if (!odd && n > where.x) break; } gl_FragColor = vec4(n, t, texture2D(none, where * t).x, 0.0); }",
     discard_ends_loops },
   { "side effects", NULL,
     "float calls; bool f(bool b) { calls += 1.0; return b; }\n"
     "void body() { bool a = where.x > 5.0, b = where.y > 7.0; vec4 r; calls = 0.0;\n"
     "bool p = f(a) && f(b), q = f(b) || f(a), s = f(a) ^^ f(b); r.x = calls;\n"
     "r.y = float(p) + 2.0 * float(q) + 4.0 * float(s); float u = 0.0, v = 0.0;\n"
     "float w = a ? (u += 10.0, u) : (v += 20.0, v); r.z = u + v + 0.0 * w;\n"
     "float t; r.w = (t = 3.0, t + where.x); gl_FragColor = r; }", side_effects },
   { "increments", NULL,
     "void body() { int i = int(where.x); int a = i++; int b = ++i; int c = i--; int d = --i; float f = where.y;\n"
     "float g = f++ + where.y + 1.0; gl_FragColor = vec4(float(a + 10 * b), float(c + 10 * d), float(i), g); }", increments },
   { "structures", NULL,
     "struct Inner { float a; vec3 b; }; struct S { vec2 v; Inner inner; }; struct P { vec2 v; float f; };\n"
     "void change(inout S s) { s.v.x += 7.0; s.inner.b[1] = 0.0; }\n"
     "vec2 left(S s) { change(s); return s.v; }\n"
     "void body() { S t[3]; for (int i = 0; i < 3; i++) { t[i].v = vec2(float(i) * 2.0, where.y); t[i].inner.a = 1.0;\n"
     "for (int k = 0; k < 3; k++) t[i].inner.b[k] = float(i + 100 * k); } int i = int(mod(where.x + where.y, 3.0));\n"
     "S copy = t[i]; if (mod(where.x, 2.0) == 1.0) change(copy); left(copy); P p = P(vec2(4.0, 1.0), 2.0), q = p; q.v.x = where.x;\n"
     "gl_FragColor = vec4(t[i].inner.b[1], float(p == q), copy.v.x, copy.v.y); }", structures },
   { "array parameters", NULL,
     "float sum(float a[5]) { float s = 0.0; for (int i = 0; i < 5; i++) { s += a[i]; a[i] = 1000.0; } return s; }\n"
     "void raise(inout float a[5], out float b[2]) { a[4] += where.y; b[0] = where.y; b[1] = where.y; }\n"
     "void body() { float a[5]; float b[2]; for (int i = 0; i < 5; i++) a[i] = float(i) * where.x; float s = sum(a);\n"
     "float last = a[4]; raise(a, b); gl_FragColor = vec4(s, last, a[4], b[0] + b[1]); }", array_parameters },
   { "matrix elements", NULL,
     "void body() { mat3 m; for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) m[i][j] = float(3 * i + j);\n"
     "int i = int(mod(where.x, 3.0)), j = int(mod(where.y, 3.0)); m[i][j] += 50.0; float all = 0.0;\n"
     "for (int k = 0; k < 3; k++) all += dot(m[k], vec3(1.0)); gl_FragColor = vec4(m[i][j], m[j][i], m[i].x, all); }",
     matrix_elements },
   { "large array", NULL,
     "void body() { float a[100]; for (int i = 0; i < 100; i++) a[i] = mod(float(i * i), 64.0);\n"
     "int k = int(mod(7.0 * where.x + 3.0 * where.y, 100.0)); float before = a[k]; float last = a[99];\n"
     "a[k] = float(k) + where.x; float after = a[k], all = 0.0; for (int i = 0; i < 100; i++) all += a[i] == after ? 1.0 : 0.0;\n"
     "gl_FragColor = vec4(before, after, last, all > 0.0); }", large_array },
   { "components", NULL,
     "void body() { vec4 v = vec4(1.0, 2.0, 3.0, 4.0), r; v[int(mod(where.x, 4.0))] += 10.0;\n"
     "v[int(mod(where.x + where.y, 4.0))] *= 2.0; for (int i = 0; i < 4; i++) r[i] = v[int(mod(float(i) + where.y, 4.0))];\n"
     "gl_FragColor = r; }", components },
   { "swizzles", NULL,
     "void body() { vec4 v; v.zx = where; v.wy = vec2(v.x + v.z, 5.0); gl_FragColor = v.rgba.stpq; }", swizzles },
   { "scopes", NULL,
     "float a = 5.0; float f(float a) { { float a = 2.0; } return a; }\n"
     "void body() { vec4 r; r.w = a; float a = where.x; { float a = a + 1.0; r.y = a; }\n"
     "for (int a = 0; a < 2; a++) { r.z = f(where.y) * float(a + 1); } r.x = a; gl_FragColor = r; }", scopes },
   { "float counters", NULL,
     "void body() { vec4 r = vec4(0.0); for (float f = where.x; f < 12.0; f += 2.5) r.x += f;\n"
     "for (float f = 1.0; f <= 64.0; f *= 2.0) r.y++; float n = where.y; while (n > 0.0) r.z += n--; gl_FragColor = r; }",
     float_counters },
   { "overloads", NULL,
     "float f(float a) { return a; } float f(vec2 a) { return a.x + a.y; } float f(int a) { return 3.0 * float(a); }\n"
     "float f(bool a) { return 100.0; } void body() { gl_FragColor = vec4(f(where.x), f(where), f(int(where.x)), f(true)); }",
     overloads },
   { "gl_FragCoord", NULL, "void body() { gl_FragColor = gl_FragCoord; }", frag_coord },
   { "gl_FrontFacing", NULL,
     "void body() { gl_FragColor = vec4(gl_FrontFacing, 0.0, 0.0, 0.0); if (gl_FrontFacing) gl_FragColor.y = 7.0; }",
     front_facing },
   { "varying arrays",
     "varying vec4 v[6]; varying mat3 m; varying float f[2];\n"
     "void body() { for (int i = 0; i < 6; i++) v[int(mod(float(i) + place.x, 6.0))] = vec4(0.0);\n"
     "for (int i = 0; i < 6; i++) v[i].xy = place + 10.0 * float(i); m = mat3(0.0);\n"
     "for (int i = 0; i < 3; i++) m[i][1] = 100.0 + float(i); f[0] = 50.0; f[1] = 51.0; }",
     "varying vec4 v[6]; varying mat3 m; varying float f[2];\n"
     "void body() { vec4 a = v[int(mod(where.x + 2.0 * where.y, 6.0))];\n"
     "gl_FragColor = vec4(a.xy, m[int(mod(where.x, 3.0))][1], f[int(mod(where.y, 2.0))]); }", varying_arrays },
   { "varyings of many shapes",
     "varying float a; varying vec2 b; varying vec3 c[2]; varying mat2 d; varying vec2 e[3];\n"
     "void body() { a = place.x; b = vec2(1.0, place.y); c[0] = vec3(2.0); c[1] = vec3(place, 4.0);\n"
     "d = mat2(place.x, 1.0, 2.0, place.y); e[0] = e[1] = vec2(0.0); e[2] = vec2(3.0, 0.0); }",
     "varying float a; varying vec2 b; varying vec3 c[2]; varying mat2 d; varying vec2 e[3];\n"
     "void body() { gl_FragColor = vec4(a + b.x, b.y + c[0].y, c[1].x * c[1].z + mod(d[1][1], 4.0), e[2].x); }",
     varying_structures },
   { "attribute matrix",
     "attribute mat4 in_c; varying vec4 v;\n"
     "void body() { mat4 m = in_c; m[2] = vec4(place, place.yx); int i = int(mod(place.x, 2.0));\n"
     "v = vec4(m[2][i], m[2][0], m[2].y, m[2] == vec4(place, place.yx)); }",
     "varying vec4 v; void body() { gl_FragColor = v; }", attribute_matrix },
   { "gl_FragData", NULL,
     "void body() { gl_FragData[0] = vec4(0.0); gl_FragData[0].xy = where; gl_FragData[0].zw = vec2(3.0, 4.0); }", frag_data },
   { "many returns", NULL,
     "float f(float n) { if (n < 5.0) return 1.0; if (n < 10.0) { if (n >= 0.0) return 2.0; } else { if (n < 15.0) return 3.0;\n"
     "for (int i = 0; i < 9; i++) { if (mod(n, 2.0) == 1.0) return 4.0; } } return 5.0; }\n"
     "void body() { float s = 0.0; for (int i = 0; i < 8; i++) s += f(float(i) + where.x);\n"
     "gl_FragColor = vec4(f(where.x + where.y), s, 0.0, 0.0); }", many_returns },
   { "underflow compared with zero", NULL,
     "void body() { float tiny = exp2(-140.0 - 0.25 * where.x), none = 0.0 * where.x;\n"
     "gl_FragColor = vec4(tiny > 0.0, -tiny < 0.0, tiny <= 0.0, none >= tiny || tiny >= 0.0); }", underflow },
};

static char *
text_of(const struct flow_program *p, bool fragment)
{
   char *text;
   size_t size;
   FILE *f = open_memstream(&text, &size);
   if (fragment)
      fprintf(f, "precision highp float; precision highp int; vec2 where;\n%s\n"
              "void main() { where = floor(gl_FragCoord.xy); body(); }\n", p->fragment);
   else
      fprintf(f, "attribute vec2 place; attribute vec4 position;\n%s\n"
              "void main() { body(); gl_Position = position; gl_PointSize = 1.0; }\n", p->vertex);
   fclose(f);
   return text;
}

static void
check(struct rules *r, const struct flow_program *p)
{
   char *fragment = text_of(p, true), *vertex = p->vertex ? text_of(p, false) : NULL;
   GLuint program = shader_program(r, vertex ? vertex : shader_vertex_place, fragment);
   glClearColor(-1, -1, -1, -1);
   glClear(GL_COLOR_BUFFER_BIT);
   if (p->vertex)
      shader_draw_places(SIZE_PX, SIZE_PX);
   else
      shader_draw_rectangle();
   float *have = rules_read_float(r, SIZE_PX, SIZE_PX);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      double wanted[4] = { 0 };
      p->expected(i % SIZE_PX, i / SIZE_PX, wanted);
      for (int c = 0; c < 4; c++) {
         const double w = isnan(wanted[0]) ? -1 : wanted[c];
         if (have[4 * i + c] != w)
            rules_fail(r, "%s: at (%d, %d) component %d is %.9g, not %.9g", p->name, i % SIZE_PX,
                       i / SIZE_PX, c, have[4 * i + c], w);
      }
   }
   free(have);
   free(fragment);
   free(vertex);
   glDeleteProgram(program);
}

void
rule_shader_flow(struct rules *r)
{
   shader_target(SIZE_PX, SIZE_PX);
   while (rules_next(r))
      check(r, &programs[(size_t)r->n % (sizeof(programs) / sizeof(programs[0]))]);
}
