/* SPDX-License-Identifier: MIT */
/*
 * Metamorphic variants: a shader is drawn, and again after edits that leave what it computes as it
 * is (fuzz_edits.h). Both pictures are 32-bit floats.
 *
 * The input: words of 32 bits. The first is the shader: one in four of tests/fuzz/shaders/, the
 * others random programs whose numbers never round (tests/rules/glsl_program.h), every second as
 * GLSL ES 3.00: a compiler may do their operations in any order, and pictures have the same bits.
 * Those of the folder round, in the order that the compiler chooses: their pictures are compared as
 * is said at MOST_FAR_PX. The further words are edits. A finding is told with the fewest of its
 * edits.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "fuzz_edits.h"
#include "fuzz_plain.h"
#include "fuzz_shaders.h"
#include "glsl_program.h"
#include "shader_draw.h"

#define SIZE_PX 16
#define FLOATS (4 * SIZE_PX * SIZE_PX)
#define MOST_EDITS 12
#define LOG_B 1000
/* Of shaders that round: components further apart than this, relative to numbers above 1, are far,
 * and so many pixels may have one, where rounding decides on a branch. */
#define FAR 1e-3f
#define MOST_FAR_PX 4
#define LONGEST_B 60000 /* of a variant; edits may double it */

/* The other stage of a shader of GLSL ES 3.00. */
#define VERTEX_300                                                                                 \
   FUZZ_ES3 "\nin vec2 place; in vec4 position;\n"                                                 \
            "void main() { gl_Position = position + 0.0 * place.xyxy; }\n"
#define FRAGMENT_300                                                                               \
   FUZZ_ES3 "\nprecision highp float; in vec4 result; out vec4 color;\n"                           \
            "void main() { color = result; }\n"

/* A shader, drawn. */
struct base {
   uint32_t number;
   bool fragment, good;
   struct glsl_program *program; /* NULL: it is of tests/fuzz/shaders/ */
   char *text;
   float picture[FLOATS];
};

/* ------------------------------------------------------------------ pictures */

static void
make_image(void)
{
   uint8_t texels[8 * 8 * 4];
   uint64_t random = 1;
   GLuint texture;
   for (size_t i = 0; i < sizeof(texels); i++)
      texels[i] = (uint8_t)fuzz_random(&random, 256);
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
}

/* Once: a context stays. */
static void
open_gl(void)
{
   static bool is_open;
   if (is_open)
      return;
   setenv("CLIPFREE_THREADS", "0", 0);
   setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
   context_create_desktop(display_open(), EGL_NO_CONTEXT);
   shader_target(SIZE_PX, SIZE_PX);
   make_image();
   is_open = true;
}

/* Those of edits, of tests/fuzz/shaders/, of a random program. */
static void
set_uniforms(const struct base *base, GLuint program)
{
   static const float zero = 0, one = 1, time = 0.75f, tint[4] = { 0.25f, 0.5f, 0.75f, 1 },
                      turn[9] = { 0.6f, 0.8f, 0, -0.8f, 0.6f, 0, 0, 0, 1 };
   shader_uniform(program, FUZZ_ZERO, 1, 1, &zero, NULL);
   shader_uniform(program, FUZZ_ONE, 1, 1, &one, NULL);
   shader_uniform(program, FUZZ_IZERO, 1, 1, NULL, &(GLint){ 0 });
   shader_uniform(program, FUZZ_IONE, 1, 1, NULL, &(GLint){ 1 });
   if (base->program) {
      shader_set_uniforms(base->program, program);
      return;
   }
   shader_uniform(program, "time", 1, 1, &time, NULL);
   shader_uniform(program, "tint", 1, 4, tint, NULL);
   shader_uniform(program, "turn", 3, 3, turn, NULL);
   shader_uniform(program, "count", 1, 1, NULL, &(GLint){ 5 });
}

/* False: it is not taken, for what `log` says. */
static bool
draw(const struct base *base, const char *text, float picture[FLOATS], char log[LOG_B])
{
   log[0] = 0;
   const bool es3 = fuzz_is_es3(text);
   const char *vertex = es3 ? VERTEX_300 : shader_vertex_place,
              *fragment = es3 ? FRAGMENT_300 : shader_fragment_result;
   const GLuint program = base->fragment ? shader_try_program(vertex, text, log, LOG_B)
                                         : shader_try_program(text, fragment, log, LOG_B);
   if (!program)
      return false;
   set_uniforms(base, program);
   glClear(GL_COLOR_BUFFER_BIT);
   if (base->fragment)
      shader_draw_rectangle();
   else
      shader_draw_places(SIZE_PX, SIZE_PX);
   glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_RGBA, GL_FLOAT, picture);
   glDeleteProgram(program);
   const GLenum error = glGetError();
   if (error)
      snprintf(log, LOG_B, "GL error %#x", error);
   return !error;
}

/* Whether components differ. A NaN is one whatever its bits are, and GLSL leaves the sign of a zero
 * open. */
static bool
differ(float a, float b, bool rounds)
{
   if (a != a || b != b)
      return (a == a) != (b == b);
   if (rounds)
      return fabsf(a - b) > FAR * fmaxf(fabsf(a), 1);
   return a != b;
}

/* The first component of a picture that differs; -1: the pictures are the same. */
static int
difference(const struct base *base, const float *picture)
{
   const bool rounds = !base->program;
   int first = -1, pixels = 0;
   for (int i = 0, last = -1; i < FLOATS; i++) {
      if (!differ(base->picture[i], picture[i], rounds))
         continue;
      first = first < 0 ? i : first;
      pixels += i / 4 != last;
      last = i / 4;
   }
   return rounds && pixels <= MOST_FAR_PX ? -1 : first;
}

/* ------------------------------------------------------------------ shaders */

/* #version stays the first line. */
static char *
with_head(const char *text)
{
   const int first_B = fuzz_is_es3(text) ? (int)strcspn(text, "\n") + 1 : 0;
   char *both;
   if (asprintf(&both, "%.*s%s%s", first_B, text, fuzz_edit_head, text + first_B) < 0)
      abort();
   return both;
}

/* A text of GLSL ES 1.00 as one of 3.00. Frees it. */
static char *
of_es3(char *text, bool fragment)
{
   char *both;
   if (asprintf(&both,
                FUZZ_ES3 "\n#define attribute in\n#define varying %s\n"
                         "#define gl_FragColor color\n%s%s",
                fragment ? "in" : "out", fragment ? "out highp vec4 color;\n" : "", text) < 0)
      abort();
   free(text);
   return both;
}

static void
make_text(struct base *base)
{
   uint32_t shaders;
   const struct fuzz_shader *shader = fuzz_shaders(&shaders);
   if (base->number % 4 == 0) {
      shader += base->number / 4 % shaders;
      base->fragment = shader->fragment;
      base->program = NULL;
      base->text = with_head(shader->text);
      return;
   }
   struct rules r = { .name = "variants", .random = fuzz_hash((void *)&base->number, 4) };
   base->fragment = base->number % 4 != 1;
   base->program = glsl_random(&r, base->fragment);
   char *text = glsl_print(base->program);
   if (base->number / 4 % 2)
      text = of_es3(text, base->fragment);
   base->text = with_head(text);
   free(text);
}

/* The shader of a number. It is kept for the next input, which is likely of the same. */
static const struct base *
find_base(uint32_t number)
{
   static struct base base;
   char log[LOG_B];
   if (base.text && base.number == number)
      return &base;
   free(base.text);
   if (base.program)
      glsl_free(base.program);
   base.number = number;
   make_text(&base);
   base.good = draw(&base, base.text, base.picture, log);
   if (!base.good && !base.program)
      fuzz_fail("a shader of tests/fuzz/shaders is not taken: %s\n%s", log, base.text);
   return &base;
}

/* ------------------------------------------------------------------ variants */

/* Edits that do not leave out any; `edit` has the number of each, so that names stay. */
struct variant {
   uint32_t edit[MOST_EDITS], number[MOST_EDITS];
   uint32_t edits;
};

/* Its text; in `applied` a bit for each edit that found a place. Free it. */
static char *
text_of(const struct base *base, const struct variant *v, uint32_t *applied)
{
   char *text = strdup(base->text);
   *applied = 0;
   for (uint32_t i = 0; i < v->edits && strlen(text) < LONGEST_B; i++) {
      char *edited = fuzz_edit(text, base->fragment, v->edit[i], v->number[i]);
      if (!edited)
         continue;
      free(text);
      text = edited;
      *applied |= 1u << i;
   }
   return text;
}

struct outcome {
   bool taken;
   int wrong; /* component; -1: none */
   float picture[FLOATS];
   char log[LOG_B];
};

static bool
is_right(const struct base *base, const char *text, struct outcome *o)
{
   o->taken = draw(base, text, o->picture, o->log);
   o->wrong = o->taken ? difference(base, o->picture) : -1;
   return o->taken && o->wrong < 0;
}

static bool
is_wrong(const struct base *base, const struct variant *v)
{
   struct outcome o;
   uint32_t applied;
   char *text = text_of(base, v, &applied);
   const bool wrong = !is_right(base, text, &o);
   free(text);
   return wrong;
}

/* Leaves out edits, one after the other, as long as what is left is wrong. */
static void
reduce(const struct base *base, struct variant *v)
{
   for (uint32_t i = v->edits; i-- > 0;) {
      struct variant less = *v;
      less.edits--;
      memmove(less.edit + i, less.edit + i + 1, (less.edits - i) * sizeof(*less.edit));
      memmove(less.number + i, less.number + i + 1, (less.edits - i) * sizeof(*less.number));
      if (is_wrong(base, &less))
         *v = less;
   }
}

static void __attribute__((noreturn)) tell(const struct base *base, struct variant *v)
{
   struct outcome o;
   uint32_t applied;
   reduce(base, v);
   char *text = text_of(base, v, &applied);
   is_right(base, text, &o);
   fprintf(stderr, "---- the shader\n%s---- the variant\n%s----\n", base->text, text);
   for (uint32_t i = 0; i < v->edits; i++)
      fprintf(stderr, "edit %u: %s\n", v->number[i], fuzz_edit_name(v->edit[i]));
   if (!o.taken)
      fuzz_fail("a variant is not taken: %s", o.log);
   if (o.wrong < 0)
      fuzz_fail("a variant differed, and does not when it is drawn again");
   const int pixel = o.wrong / 4;
   fuzz_fail("a variant has another picture: at (%d, %d) component %d is %.9g, not %.9g",
             pixel % SIZE_PX, pixel / SIZE_PX, o.wrong % 4, o.picture[o.wrong],
             base->picture[o.wrong]);
}

/* Kinds of edits that follow one another. */
static void
reach_edits(const struct variant *v, uint32_t applied)
{
   const uint32_t kinds = fuzz_edit_kinds();
   uint32_t before = kinds;
   for (uint32_t i = 0; i < v->edits; i++) {
      if (!(applied >> i & 1))
         continue;
      fuzz_reach(before * kinds + v->edit[i] % kinds);
      before = v->edit[i] % kinds;
   }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
   struct fuzz_bytes bytes = { data, size_B };
   struct variant v = { .edits = 0 };
   struct outcome o;
   uint32_t applied;
   open_gl();
   const struct base *base = find_base((uint32_t)fuzz_take(&bytes, 4));
   while (bytes.left_B >= 4 && v.edits < MOST_EDITS) {
      v.number[v.edits] = v.edits;
      v.edit[v.edits++] = (uint32_t)fuzz_take(&bytes, 4);
   }
   char *text = base->good ? text_of(base, &v, &applied) : NULL;
   if (!text || applied == 0)
      fuzz_void();
   else if (!is_right(base, text, &o))
      tell(base, &v);
   if (text)
      reach_edits(&v, applied);
   free(text);
   return 0;
}

/* New edits, most often of the shader before. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size_B, size_t max_B, unsigned seed)
{
   static uint32_t words[1 + MOST_EDITS];
   uint64_t random = seed;
   (void)size_B;
   if (fuzz_random(&random, 8) == 0)
      words[0] = fuzz_random(&random, 1u << 31);
   uint32_t count = 1 + 1 + fuzz_random(&random, MOST_EDITS);
   for (uint32_t i = 1; i < count; i++)
      words[i] = fuzz_random(&random, 1u << 31);
   if (count * sizeof(*words) > max_B)
      count = (uint32_t)(max_B / sizeof(*words));
   memcpy(data, words, count * sizeof(*words));
   return count * sizeof(*words);
}

/* Each kind of edit, of each shader of the folder. */
void
fuzz_write_seeds(const char *folder)
{
   uint32_t shaders;
   fuzz_shaders(&shaders);
   for (uint32_t i = 0; i < shaders; i++) {
      uint32_t words[1 + MOST_EDITS] = { 4 * i };
      char name[20];
      for (uint32_t k = 0; k < MOST_EDITS; k++)
         words[1 + k] = k + i * 7 * fuzz_edit_kinds();
      snprintf(name, sizeof(name), "shader-%02u", i);
      fuzz_write_seed(folder, name, words, sizeof(words));
   }
}
