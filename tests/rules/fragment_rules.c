/* SPDX-License-Identifier: MIT
 *
 * What becomes of fragments, OpenGL ES 2.0 chapter 4 (and of OpenGL 2.1, logic operations): each
 * operation in all its states, and long random sequences of clears and draws, in which one sees
 * what the one before has left.
 */
#include "canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TARGETS 3

/* -------------------------------------------------------------------------------- random states */

static const struct ref_format *
random_format(struct rules *r, bool desktop)
{
   return &formats[rules_below(r, desktop ? FORMATS : FIXED_FORMATS)];
}

static const GLenum source_factors[] = {
   GL_ZERO, GL_ONE, GL_SRC_COLOR, GL_ONE_MINUS_SRC_COLOR, GL_DST_COLOR, GL_ONE_MINUS_DST_COLOR, GL_SRC_ALPHA,
   GL_ONE_MINUS_SRC_ALPHA, GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA, GL_CONSTANT_COLOR, GL_ONE_MINUS_CONSTANT_COLOR,
   GL_CONSTANT_ALPHA, GL_ONE_MINUS_CONSTANT_ALPHA, GL_SRC_ALPHA_SATURATE,
};
#define SOURCE_FACTORS ((int)COUNT(source_factors))
#define DESTINATION_FACTORS (SOURCE_FACTORS - 1) /* all but saturate */
static const GLenum equations[] = { GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT,
                                    GL_MIN_EXT, GL_MAX_EXT };
#define EQUATIONS ((int)COUNT(equations))
static const GLenum functions[] = { GL_NEVER,   GL_LESS,     GL_EQUAL,  GL_LEQUAL,
                                    GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS };
static const GLenum operations[] = { GL_KEEP, GL_ZERO,   GL_REPLACE,   GL_INCR,
                                     GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP };

/* Often a bound of the range, a whole step of 8 bits, or beyond the range; a float's colours may be
 * of any size. */
static void
random_color(struct rules *r, float color[4])
{
   for (int c = 0; c < 4; c++) {
      switch (rules_below(r, 6)) {
      case 0: color[c] = 0; break;
      case 1: color[c] = 1; break;
      case 2: color[c] = rules_float(r, -1, 2); break;
      case 3: color[c] = (float)rules_below(r, 256) / 255; break;
      default: color[c] = rules_float(r, 0, 1); break;
      }
   }
}

static uint32_t
random_mask(struct rules *r)
{
   static const uint32_t masks[] = { 0, 1, 0x0f, 0x80, 0xff, 0xff, ~0u };
   return rules_chance(r, 60) ? rules_pick(r, masks) : rules_below(r, 256);
}

static struct ref_stencil
random_stencil(struct rules *r)
{
   static const int refs[] = { 0, 1, 127, 128, 255, 256, -1, 1000 };
   return (struct ref_stencil){ rules_pick(r, functions), rules_chance(r, 50) ? rules_pick(r, refs) : rules_between(r, 0, 255),
                                random_mask(r), random_mask(r), rules_pick(r, operations), rules_pick(r, operations),
                                rules_pick(r, operations) };
}

static void
random_blending(struct rules *r, struct ref_state *s)
{
   for (int i = 0; i < 2; i++) {
      s->equation[i] = rules_pick(r, equations);
      s->source[i] = rules_pick(r, source_factors);
      s->destination[i] = source_factors[rules_below(r, DESTINATION_FACTORS)];
   }
   if (rules_chance(r, 40)) {
      s->source[0] = s->source[1] = GL_SRC_ALPHA;
      s->destination[0] = s->destination[1] = GL_ONE_MINUS_SRC_ALPHA;
      s->equation[0] = s->equation[1] = GL_FUNC_ADD;
   }
   random_color(r, s->blend_color);
}

/* Multiples of 1/16, so that with z in quarters depths are exact. */
static float
random_depth(struct rules *r)
{
   static const float depths[] = { 0, 1, 0.5f, 0.25f, 0.75f };
   return rules_chance(r, 80) ? rules_pick(r, depths) : (float)rules_below(r, 17) / 16;
}

static void
random_box(struct rules *r, const struct ref_pixels *p, int box[4])
{
   const int aligned = rules_chance(r, 30) ? 64 : rules_chance(r, 30) ? 4 : 1;
   box[0] = rules_between(r, -20, p->width_px + 5) / aligned * aligned;
   box[1] = rules_between(r, -20, p->height_px + 5) / aligned * aligned;
   box[2] = rules_chance(r, 20) ? 1000 : rules_between(r, 0, p->width_px) / aligned * aligned;
   box[3] = rules_chance(r, 20) ? 1000 : rules_between(r, 0, p->height_px) / aligned * aligned;
}

static struct ref_state
random_state(struct rules *r, const struct pen *pen, const struct ref_pixels *p)
{
   static const GLenum faces[] = { GL_FRONT, GL_BACK, GL_FRONT_AND_BACK };
   struct ref_state s = initial_state;
   s.scissor_test = rules_chance(r, 40);
   random_box(r, p, s.scissor);
   s.depth_test = rules_chance(r, 60);
   s.depth_func = rules_pick(r, functions);
   s.depth_mask = rules_chance(r, 80);
   s.stencil_test = rules_chance(r, 50);
   s.stencil[0] = random_stencil(r);
   s.stencil[1] = rules_chance(r, 50) ? random_stencil(r) : s.stencil[0];
   s.blend = rules_chance(r, 50);
   random_blending(r, &s);
   for (int c = 0; c < 4; c++)
      s.color_mask[c] = rules_chance(r, 85);
   if (rules_chance(r, 10))
      memset(s.color_mask, 0, sizeof(s.color_mask));
   if (pen->desktop) {
      s.logic_operation = 0x1500 + rules_below(r, 16);
      s.logic_op = rules_chance(r, 25);
   }
   s.cull = rules_chance(r, 20);
   s.culled = rules_pick(r, faces);
   s.front_face = rules_chance(r, 50) ? GL_CW : GL_CCW;
   if (rules_chance(r, 30)) {
      s.depth_near = (float)rules_below(r, 5) / 4;
      s.depth_far = (float)rules_below(r, 5) / 4;
   }
   random_color(r, s.clear_color);
   s.clear_depth = random_depth(r);
   s.clear_stencil = rules_between(r, -2, 300);
   if (!pen->desktop && rules_chance(r, 25)) {
      s.alpha_to_coverage = rules_chance(r, 50);
      s.sample_coverage = rules_chance(r, 50);
      s.coverage = rules_float(r, 0, 1);
      s.coverage_invert = rules_chance(r, 50);
   }
   return s;
}

/* ---------------------------------------------------------------------------- single operations */

enum { SMALL_PX = 16 };

/* The state of `d`, and then a colour for each pixel of a small canvas. */
static void
draw_random_colors(struct rules *r, const struct pen *pen, struct draw *d)
{
   static float colors[SMALL_PX * SMALL_PX][4];
   for (int i = 0; i < SMALL_PX * SMALL_PX; i++)
      random_color(r, colors[i]);
   ref_state_apply(d->state);
   draw_pixels(pen, d, (const float(*)[4])colors, 0);
}

/* All equations, factors and formats, then random ones, also separate for alpha: random colours on
 * random colours. */
static void
blending(struct rules *r, bool desktop)
{
   const struct pen pen = pen_create(desktop);
   const int count = desktop ? FORMATS : FIXED_FORMATS;
   while (rules_next(r)) {
      struct canvas canvas;
      struct ref_state s = initial_state;
      struct draw d = { .state = &s };
      if (!canvas_create(&canvas, &formats[r->n % count], NO_DEPTH, SMALL_PX, SMALL_PX))
         continue;
      d.pixels = &canvas.pixels;
      for (int pass = 0; pass < 2; pass++) {
         if (pass == 1) {
            const int n = r->n / count;
            s.blend = true;
            random_blending(r, &s);
            if (n < SOURCE_FACTORS * DESTINATION_FACTORS) {
               s.source[0] = s.source[1] = source_factors[n % SOURCE_FACTORS];
               s.destination[0] = s.destination[1] = source_factors[n / SOURCE_FACTORS];
            }
            if (rules_chance(r, 20))
               s.color_mask[rules_below(r, 4)] = false;
         }
         draw_random_colors(r, &pen, &d);
      }
      expect_colors(r, &canvas.pixels);
      canvas_delete(&canvas);
   }
}

static void
blending_es2(struct rules *r)
{
   blending(r, false);
}

static void
blending_desktop(struct rules *r)
{
   blending(r, true);
}

/* The factors of a second colour (EXT_ and ARB_blend_func_extended), each in each place; the rest
 * is random, half of it with four samples. */
static void
blending_second(struct rules *r, bool desktop)
{
   static const GLenum second[] = { GL_SRC1_COLOR_EXT, GL_ONE_MINUS_SRC1_COLOR_EXT,
                                    GL_SRC1_ALPHA_EXT, GL_ONE_MINUS_SRC1_ALPHA_EXT };
   const struct pen pen = pen_create(desktop);
   const int count = desktop ? FORMATS : FIXED_FORMATS;
   if (!pen.programs[TWO_COLORS])
      rules_skip("there is no second colour");
   while (rules_next(r)) {
      struct canvas canvas;
      struct ref_state s = initial_state;
      struct draw d = { .state = &s, .shader = TWO_COLORS };
      if (!(desktop || r->n / 2 % 2 ? canvas_create : canvas_create_samples)(
             &canvas, &formats[r->n % count], NO_DEPTH, SMALL_PX, SMALL_PX))
         continue;
      d.pixels = &canvas.pixels;
      for (int pass = 0; pass < 3; pass++) {
         s.blend = pass > 0;
         random_blending(r, &s);
         GLenum *const places[4] = { &s.source[0], &s.source[1], &s.destination[0],
                                     &s.destination[1] };
         *places[(r->n / count + pass) % 4] = second[r->n / count / 4 % 4];
         for (int k = 0; k < 4; k++)
            *places[k] = rules_chance(r, 40) ? rules_pick(r, second) : *places[k];
         s.color_mask[rules_below(r, 4)] = !rules_chance(r, 20);
         draw_random_colors(r, &pen, &d);
      }
      expect_colors(r, &canvas.pixels);
      canvas_delete(&canvas);
   }
}

static void
blending_second_es2(struct rules *r)
{
   blending_second(r, false);
}

static void
blending_second_desktop(struct rules *r)
{
   blending_second(r, true);
}

/* Clears of all buffers with masks and scissors, from one to the next. */
static void
clears(struct rules *r, bool desktop)
{
   const struct pen pen = pen_create(desktop);
   while (rules_next(r)) {
      struct canvas canvas;
      if (!canvas_create(&canvas, random_format(r, desktop), (enum depth_stencil)rules_below(r, 4),
                         rules_between(r, 1, 140), rules_between(r, 1, 140)))
         continue;
      const int count = rules_between(r, 1, 8);
      for (int i = 0; i < count; i++) {
         const struct ref_state s = random_state(r, &pen, &canvas.pixels);
         const GLbitfield buffers = rules_pick(
            r, ((const GLbitfield[]){
                  GL_COLOR_BUFFER_BIT, GL_DEPTH_BUFFER_BIT, GL_STENCIL_BUFFER_BIT,
                  GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT,
                  GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT, 0 }));
         ref_state_apply(&s);
         glClear(buffers);
         ref_clear(&s, &canvas.pixels, buffers);
      }
      expect_colors(r, &canvas.pixels);
      if (desktop)
         expect_depth_stencil(r, &canvas.pixels);
      canvas_delete(&canvas);
   }
}

static void
clears_es2(struct rules *r)
{
   clears(r, false);
}

static void
clears_desktop(struct rules *r)
{
   clears(r, true);
}

/* Section 4.1.7: a dithered channel is one of the two values next to the exact one, by the pixel's
 * place and that alone. */
static void
dithering(struct rules *r)
{
   const struct pen pen = pen_create(false);
   while (rules_next(r)) {
      struct canvas canvas;
      struct ref_state s = initial_state;
      struct draw d = { .state = &s };
      if (!canvas_create(&canvas, &formats[r->n % 5], NO_DEPTH, SMALL_PX, SMALL_PX))
         continue;
      d.pixels = &canvas.pixels;
      random_color(r, d.color);
      ref_state_apply(&s);
      glEnable(GL_DITHER);
      draw_rectangle_of_pixels(&pen, &d, 0, 0, SMALL_PX, SMALL_PX, 0);
      glDisable(GL_DITHER);
      for (int i = 0; i < SMALL_PX * SMALL_PX; i++) {
         for (int c = 0; c < 4; c++) {
            const double exact =
               fmin(fmax(d.color[c], 0), 1) * ((1 << canvas.pixels.format->bits[c]) - 1);
            canvas.pixels.pixels[i].least[c] = floor(exact + 1e-4);
            canvas.pixels.pixels[i].most[c] = ceil(exact - 1e-4);
         }
      }
      expect_colors(r, &canvas.pixels);
      canvas_delete(&canvas);
   }
}

/* ------------------------------------------------------------------------------------ sequences */

static void
random_draw(struct rules *r, const struct pen *pen, struct canvas *canvas)
{
   const struct ref_state s = random_state(r, pen, &canvas->pixels);
   struct ref_pixels *p = &canvas->pixels;
   struct draw d = { .state = &s, .pixels = p, .depth = random_depth(r) };
   do
      d.shader = (enum shader)rules_below(r, ONE_COLOR);
   while (!pen->programs[d.shader]);
   random_color(r, d.color);
   ref_state_apply(&s);
   const int z = rules_between(r, -2, 2) * 2;
   if (rules_chance(r, 10) && p->width_px * p->height_px < 1000) {
      float(*colors)[4] = malloc(sizeof(*colors) * (size_t)(p->width_px * p->height_px));
      for (int i = 0; i < p->width_px * p->height_px; i++)
         random_color(r, colors[i]);
      draw_pixels(pen, &d, (const float(*)[4])colors, z);
      free(colors);
   } else if (rules_chance(r, 50)) {
      int box[4] = { 0, 0, p->width_px, p->height_px };
      if (rules_chance(r, 60))
         random_box(r, p, box);
      draw_rectangle_of_pixels(pen, &d, box[0], box[1], box[0] + box[2], box[1] + box[3], z);
   } else {
      const int count = rules_between(r, 1, 4);
      for (int i = 0; i < count; i++) {
         struct ref_vertex v[3];
         for (int k = 0; k < 3; k++)
            v[k] = (struct ref_vertex){ { rules_between(r, -96, 96), rules_between(r, -96, 96),
                                          16 * z, 64 } };
         draw_triangle(pen, &d, v);
      }
   }
}

static void
random_clear(struct rules *r, const struct pen *pen, struct canvas *canvas)
{
   const GLbitfield buffers = (rules_chance(r, 70) ? GL_COLOR_BUFFER_BIT : 0) |
                              (rules_chance(r, 60) ? GL_DEPTH_BUFFER_BIT : 0) |
                              (rules_chance(r, 60) ? GL_STENCIL_BUFFER_BIT : 0);
   struct ref_state s = random_state(r, pen, &canvas->pixels);
   if (rules_chance(r, 50)) {
      s.scissor_test = false;
      s.depth_mask = true;
      s.stencil[0].write_mask = 255;
      memset(s.color_mask, 1, sizeof(s.color_mask));
   }
   ref_state_apply(&s);
   glClear(buffers);
   ref_clear(&s, &canvas->pixels, buffers);
}

/* Shows stencil and depth in the colours: where a bit of the stencil is set, where depth has a
 * value. */
static void
expect_probed(struct rules *r, const struct pen *pen, struct canvas *canvas)
{
   struct ref_pixels *p = &canvas->pixels;
   for (int probe = 0; probe < 8 + 5; probe++) {
      struct ref_state s = initial_state;
      struct draw d = { .state = &s, .pixels = p, .color = { 1, 1, 1, 1 } };
      s.depth_mask = false;
      ref_state_apply(&s);
      glClear(GL_COLOR_BUFFER_BIT);
      ref_clear(&s, p, GL_COLOR_BUFFER_BIT);
      if (probe < 8) {
         s.stencil_test = true;
         s.stencil[0] = s.stencil[1] =
            (struct ref_stencil){ GL_EQUAL, 1 << probe, 1u << probe, 0, GL_KEEP, GL_KEEP, GL_KEEP };
      } else {
         s.depth_test = true;
         s.depth_func = GL_EQUAL;
      }
      ref_state_apply(&s);
      if (probe < 8 ? p->has_stencil : p->has_depth)
         draw_rectangle_of_pixels(pen, &d, 0, 0, p->width_px, p->height_px,
                                  probe < 8 ? 0 : 2 * (probe - 10));
      expect_colors(r, p);
   }
}

static void
expect_canvas(struct rules *r, const struct pen *pen, struct canvas *canvas)
{
   canvas_bind(canvas);
   expect_colors(r, &canvas->pixels);
   if (pen->desktop)
      expect_depth_stencil(r, &canvas->pixels);
   else
      expect_probed(r, pen, canvas);
}

/* A few framebuffers of different formats and sizes, and perhaps a window's (whose rows run the
 * other way), used in turn. */
enum sequence_kind { ONE_SAMPLE, FOUR_SAMPLES, DESKTOP };

static void
sequence(struct rules *r, enum sequence_kind kind)
{
   bool (*const create)(struct canvas *, const struct ref_format *, enum depth_stencil, int, int) =
      kind == FOUR_SAMPLES ? canvas_create_samples : canvas_create;
   const bool desktop = kind == DESKTOP;
   const struct pen pen = pen_create(desktop);
   while (rules_next(r)) {
      struct canvas canvases[MOST_TARGETS];
      int count = 0;
      if (rules_chance(r, 25))
         canvas_create_pbuffer(&canvases[count++], rules_between(r, 1, 100),
                               rules_between(r, 1, 100));
      const int wanted = rules_between(r, 1, MOST_TARGETS),
                most_px = rules_chance(r, 50) ? 30 : 150;
      while (count < wanted) {
         const enum depth_stencil buffers =
            rules_chance(r, 70) ? DEPTH24_STENCIL8
                                : (enum depth_stencil)rules_below(r, desktop ? 5 : 4);
         count += (rules_chance(r, 80) ? create : canvas_create)(
            &canvases[count], rules_chance(r, 40) ? &formats[0] : random_format(r, desktop),
            buffers, rules_between(r, 1, most_px), rules_between(r, 1, most_px));
      }
      const int steps = rules_between(r, 1, 30);
      struct canvas *canvas = &canvases[0];
      for (int i = 0; i < steps; i++) {
         if (i == 0 || rules_chance(r, 15)) {
            canvas = &canvases[rules_below(r, (uint32_t)count)];
            canvas_bind(canvas);
         }
         if (rules_chance(r, 25))
            random_clear(r, &pen, canvas);
         else
            random_draw(r, &pen, canvas);
         if (rules_chance(r, 10))
            expect_colors(r, &canvas->pixels);
         if (rules_chance(r, 5))
            glFlush();
         if (rules_chance(r, 2))
            glFinish();
      }
      for (int i = 0; i < count; i++) {
         expect_canvas(r, &pen, &canvases[i]);
         canvas_delete(&canvases[i]);
      }
   }
}

static void
sequence_es2(struct rules *r)
{
   sequence(r, ONE_SAMPLE);
}

static void
sequence_samples(struct rules *r)
{
   sequence(r, FOUR_SAMPLES);
}

static void
sequence_desktop(struct rules *r)
{
   sequence(r, DESKTOP);
}

static const struct rule table[] = {
   { "blending-es2", RULE_ES2, SOURCE_FACTORS *DESTINATION_FACTORS *FIXED_FORMATS + 500,
     blending_es2 },
   { "blending-desktop", RULE_DESKTOP, SOURCE_FACTORS *DESTINATION_FACTORS *(FIXED_FORMATS + 2),
     blending_desktop },
   { "blending-second-es2", RULE_ES2, 16 * FIXED_FORMATS * 4, blending_second_es2 },
   { "blending-second-desktop", RULE_DESKTOP, 16 * FORMATS * 2, blending_second_desktop },
   { "clears-es2", RULE_ES2, 200, clears_es2 },
   { "clears-desktop", RULE_DESKTOP, 200, clears_desktop },
   { "dithering", RULE_ES2, 100, dithering },
   { "sequence-es2", RULE_ES2, 150, sequence_es2 },
   { "sequence-samples", RULE_ES2_SAMPLES, 40, sequence_samples },
   { "sequence-desktop", RULE_DESKTOP, 150, sequence_desktop },
};

int
main(int argc, char **argv)
{
   return rules_main(argc, argv, table, COUNT(table));
}
