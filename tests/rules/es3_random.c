/* SPDX-License-Identifier: MIT
 *
 * Random programs of GLSL ES 3.00 in the vertex and the fragment stage, with outputs of integers
 * and floats: bit for bit what a walk through their trees gives (glsl3_program.h).
 */
#include "es3_rules.h"
#include "glsl3_program.h"
#include "glsl3_reduce.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 16 };

/* The textures that a program's outputs go to, as attachments of their locations, cleared to 0. */
struct outputs {
   GLuint framebuffer, textures[G3_MAX_OUTPUTS];
};

static GLenum
format_of(struct g3_type type)
{
   static const GLenum formats[3][3] = { { GL_R32F, GL_RG32F, GL_RGBA32F },
                                         { GL_R32I, GL_RG32I, GL_RGBA32I },
                                         { GL_R32UI, GL_RG32UI, GL_RGBA32UI } };
   return formats[type.base][type.rows / 2];
}

static void
clear_output(const struct g3_output *o)
{
   static const GLint zeros[4];
   const enum g3_base base = o->variable->type.base;
   if (base == G3_FLOAT)
      glClearBufferfv(GL_COLOR, o->location, (const GLfloat *)zeros);
   else if (base == G3_INT)
      glClearBufferiv(GL_COLOR, o->location, zeros);
   else
      glClearBufferuiv(GL_COLOR, o->location, (const GLuint *)zeros);
}

static struct outputs
create_outputs(const struct g3_program *p)
{
   struct outputs o;
   GLenum buffers[G3_MAX_OUTPUTS] = { GL_NONE, GL_NONE, GL_NONE, GL_NONE };
   glGenFramebuffers(1, &o.framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, o.framebuffer);
   glGenTextures(p->outputs, o.textures);
   for (int i = 0; i < p->outputs; i++) {
      const int location = p->output[i].location;
      glBindTexture(GL_TEXTURE_2D, o.textures[i]);
      glTexStorage2D(GL_TEXTURE_2D, 1, format_of(p->output[i].variable->type), SIZE_PX, SIZE_PX);
      buffers[location] = GL_COLOR_ATTACHMENT0 + (GLenum)location;
      glFramebufferTexture2D(GL_FRAMEBUFFER, buffers[location], GL_TEXTURE_2D, o.textures[i], 0);
   }
   glDrawBuffers(G3_MAX_OUTPUTS, buffers);
   for (int i = 0; i < p->outputs; i++)
      clear_output(&p->output[i]);
   no_error("making outputs");
   return o;
}

/* Words of all four components of a pixel, of which formats with fewer have 0, 0 and 1. */
static uint32_t *
read_output(struct rules *r, const struct g3_output *o)
{
   static const GLenum types[] = { GL_FLOAT, GL_INT, GL_UNSIGNED_INT };
   const enum g3_base base = o->variable->type.base;
   const size_t size_B = SIZE_PX * SIZE_PX * 4 * sizeof(uint32_t);
   uint32_t *words = malloc(size_B);
   glReadBuffer(GL_COLOR_ATTACHMENT0 + (GLenum)o->location);
   glReadPixels(0, 0, SIZE_PX, SIZE_PX, base == G3_FLOAT ? GL_RGBA : GL_RGBA_INTEGER, types[base],
                words);
   no_error("reading an output");
   rules_hash(r, words, size_B);
   return words;
}

/* The whole frame buffer, or a point for each vertex and instance. */
static void
draw(const struct g3_program *p)
{
   if (p->fragment)
      es3_draw_whole();
   else
      glDrawArraysInstanced(GL_POINTS, 0, SIZE_PX, SIZE_PX);
   no_error("drawing");
}

/* ----------------------------------------------------------------------------------- comparisons
 */

/* A program that is drawn, and the first word that differs. */
struct check {
   struct rules *r;
   const struct g3_program *p;
   bool differs;
   int x, y, component;
   const struct g3_variable *output;
   uint32_t have, wanted;
};

/* -0 and 0 are one number. */
static bool
same_word(enum g3_base base, uint32_t a, uint32_t b)
{
   return a == b || (base == G3_FLOAT && g3_float(a) == g3_float(b));
}

static void
compare(struct check *c, const struct g3_output *o, const uint32_t *have,
        uint32_t (*wanted)[G3_MAX_MEMORY])
{
   const struct g3_variable *v = o->variable;
   for (int i = 0; i < 4 * SIZE_PX * SIZE_PX && !c->differs; i++) {
      if (i % 4 >= v->type.rows)
         continue;
      const uint32_t word = wanted[i / 4][v->memory + i % 4];
      c->differs = !same_word(v->type.base, have[i], word);
      c->x = i / 4 % SIZE_PX, c->y = i / 4 / SIZE_PX, c->component = i % 4;
      c->output = v, c->have = have[i], c->wanted = word;
   }
}

static void
compare_outputs(struct check *c)
{
   uint32_t(*wanted)[G3_MAX_MEMORY] = malloc(SIZE_PX * SIZE_PX * sizeof(*wanted));
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      if (!g3_evaluate(c->p, i % SIZE_PX, i / SIZE_PX, wanted[i]))
         memset(wanted[i], 0, sizeof(wanted[i]));
   }
   for (int i = 0; i < c->p->outputs; i++) {
      uint32_t *have = read_output(c->r, &c->p->output[i]);
      compare(c, &c->p->output[i], have, wanted);
      free(have);
   }
   free(wanted);
}

/* Draws with a linked program and compares. */
static void
draw_and_compare(struct check *c, GLuint program)
{
   struct outputs o = create_outputs(c->p);
   struct g3_data d = g3_data_create(c->r, c->p, program);
   c->differs = false;
   draw(c->p);
   compare_outputs(c);
   g3_data_delete(&d);
   glDeleteFramebuffers(1, &o.framebuffer);
   glDeleteTextures(c->p->outputs, o.textures);
   glDeleteProgram(program);
}

/* For g3_reduce(): whether a smaller program still differs; one that does not compile does not. */
static bool
still_differs(void *context)
{
   struct check *c = context;
   char *text = g3_print(c->p), *other = g3_print_other(c->p);
   const GLuint program =
      c->p->fragment ? es3_try_program(other, text) : es3_try_program(text, other);
   free(other);
   free(text);
   if (!program)
      return false;
   draw_and_compare(c, program);
   return c->differs;
}

/* Tells the smallest program that differs, by a word of its own. */
static void
report(struct check *c, struct g3_program *p)
{
   g3_reduce(p, c->x, c->y, still_differs, c);
   if (!still_differs(c))
      rules_fail(c->r, "a program differs once, and then no more");
   char *text = g3_print(p), *other = g3_print_other(p);
   rules_fail(c->r,
              "%s\n%s\nin the %s stage gives at (%d, %d) in component %d of %s 0x%08x, not 0x%08x",
              other, text, p->fragment ? "fragment" : "vertex", c->x, c->y, c->component,
              c->output->name, c->have, c->wanted);
}

static void
check_program(struct rules *r, struct g3_program *p)
{
   struct check c = { .r = r, .p = p };
   char *text = g3_print(p), *other = g3_print_other(p);
   draw_and_compare(&c, p->fragment ? es3_program(r, other, text) : es3_program(r, text, other));
   free(other);
   free(text);
   if (c.differs)
      report(&c, p);
}

/* Every second program is of the other stage. */
void
es3_random(struct rules *r)
{
   const char *extensions = (const char *)glGetString(GL_EXTENSIONS);
   const bool floats = strstr(extensions, "GL_EXT_color_buffer_float") != NULL;
   glViewport(0, 0, SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      struct g3_program *p = g3_random(r, r->n % 2 == 0, floats);
      check_program(r, p);
      g3_free(p);
   }
}
