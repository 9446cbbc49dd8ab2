/* SPDX-License-Identifier: MIT
 *
 * What depth fragments have: OpenGL ES 2.0 sections 2.12.1 (depth range), 3.5.1 (interpolation),
 * 3.5.2 (polygon offset). In OpenGL, which reads depth back; and flat shading (OpenGL 2.1 section
 * 2.14.7), which vertex provokes.
 */
#include "canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_PX 48
#define PIXELS (SIZE_PX * SIZE_PX)

/* What a pixel's depth may be. */
struct range {
   double least, most;
};

struct depth_scene {
   struct canvas canvas;
   int bits; /* of depth; 0: float */
   struct range expected[PIXELS];
   double offset_least, offset_most; /* polygon offset */
   double range_error;               /* of the depth range */
};

static const double cleared = 1;

static void
set_depth(void *user, const struct ref_fragment *f)
{
   struct depth_scene *s = user;
   s->expected[f->y * SIZE_PX + f->x] = (struct range){ fmin(fmax(f->z + s->offset_least, 0), 1),
                                                        fmin(fmax(f->z + s->offset_most, 0), 1) };
}

/* A random depth buffer, cleared. */
static void
begin(struct rules *r, struct depth_scene *s, const struct ref_state *state)
{
   static const enum depth_stencil kinds[] = { DEPTH16, DEPTH24_STENCIL8, DEPTH_FLOAT };
   static const int bits[] = { 16, 24, 0 };
   const uint32_t kind = rules_below(r, 3);
   s->bits = bits[kind];
   if (!canvas_create(&s->canvas, &formats[0], kinds[kind], SIZE_PX, SIZE_PX))
      rules_fail(r, "no framebuffer with a depth of %d bits", s->bits);
   ref_state_apply(state);
   glClearDepthf((float)cleared);
   glClear(GL_DEPTH_BUFFER_BIT);
   for (int i = 0; i < PIXELS; i++)
      s->expected[i] = (struct range){ cleared, cleared };
   s->offset_least = s->offset_most = 0;
   s->range_error = 0x1p-39;
}

/* Depth as a number: of fixed point, its code by the largest. */
static void
read_depth(struct rules *r, const struct depth_scene *s, double depth[PIXELS])
{
   static float reals[PIXELS];
   static uint32_t codes[PIXELS];
   if (s->bits)
      glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, codes);
   else
      glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_DEPTH_COMPONENT, GL_FLOAT, reals);
   no_error("reading depth");
   rules_hash(r, s->bits ? (const void *)codes : reals, sizeof(codes));
   for (int i = 0; i < PIXELS; i++)
      depth[i] = s->bits
                    ? (double)(codes[i] >> (32 - s->bits)) / (double)((UINT32_C(1) << s->bits) - 1)
                    : reals[i];
}

/* Depth is computed in single precision: half a unit of its last place; and rounded to the nearest
 * step. The depth range is applied as half its sum and half its difference, which are rounded,
 * too. */
static void
expect_depth(struct rules *r, const struct depth_scene *s)
{
   static double depth[PIXELS];
   const double half_step = s->bits ? 0.5 / (double)((UINT32_C(1) << s->bits) - 1) : 0;
   read_depth(r, s, depth);
   for (int i = 0; i < PIXELS; i++) {
      const struct range *e = &s->expected[i];
      const double error =
         half_step * 1.001 + fmax(fabs(e->least), fabs(e->most)) * 0x1p-24 + s->range_error;
      if (!(depth[i] >= e->least - error && depth[i] <= e->most + error))
         rules_fail(r, "pixel (%d, %d) has depth %.12g, not %.12g to %.12g; %d bits", i % SIZE_PX,
                    i / SIZE_PX, depth[i], e->least, e->most, s->bits);
   }
}

/* The attribute 0 of the next draw. */
static void
point_at_vertices(const struct ref_vertex *v, int count, float (*positions)[4])
{
   for (int i = 0; i < count; i++) {
      for (int c = 0; c < 4; c++)
         positions[i][c] = (float)v[i].clip[c];
   }
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, positions);
}

static const float ranges[][2] = { { 0, 1 }, { 1, 0 },         { 0.5f, 0.5f }, { 0, 0 },
                                   { 1, 1 }, { 0.25f, 0.75f }, { 0.9f, 0.1f }, { -1, 2 } };

/* Triangles with any slope, in any depth range; values outside [0, 1] of the range itself are
 * clamped. */
static void
depth_values(struct rules *r)
{
   const struct pen pen = pen_create(true);
   static struct depth_scene s;
   while (rules_next(r)) {
      struct ref_state state = initial_state;
      float positions[3][4];
      struct ref_vertex v[3];
      const float *range = rules_pick(r, ranges);
      state.depth_test = true;
      state.depth_func = GL_ALWAYS;
      state.depth_near = range[0];
      state.depth_far = range[1];
      begin(r, &s, &state);
      s.range_error = fmod(range[0], 0.25) || fmod(range[1], 0.25) ? 0x1p-25 : 0x1p-39;
      const int most = rules_chance(r, 50) ? 8 : 1000, least_w = rules_chance(r, 80) ? 1 : -most;
      for (int i = 0; i < 3; i++)
         v[i] = (struct ref_vertex){ { rules_between(r, -most, most), rules_between(r, -most, most),
                                       rules_between(r, -most, most), rules_between(r, least_w, most) } };
      struct ref_raster raster = { { 0, 0, SIZE_PX, SIZE_PX, fmin(fmax(range[0], 0), 1), fmin(fmax(range[1], 0), 1) },
                                   SIZE_PX, SIZE_PX, false, set_depth, &s, { 0, 0 } };
      point_at_vertices(v, 3, positions);
      glUseProgram(pen.programs[PLAIN]);
      ref_triangle(&raster, v);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      expect_depth(r, &s);
      canvas_delete(&s.canvas);
   }
}

/* The largest slope of the triangle's depth in the window: GL leaves the choice between the larger
 * of its slopes in x and y, and the length of both. */
static struct range
largest_slope(const struct ref_viewport *viewport, const struct ref_vertex v[3])
{
   struct ref_window p[3];
   for (int i = 0; i < 3; i++)
      p[i] = ref_window_position(viewport, &v[i]);
   const double ax = p[1].x - p[0].x, ay = p[1].y - p[0].y, az = p[1].z - p[0].z;
   const double bx = p[2].x - p[0].x, by = p[2].y - p[0].y, bz = p[2].z - p[0].z,
                det = ax * by - ay * bx;
   const double dx = fabs((az * by - bz * ay) / det), dy = fabs((ax * bz - bx * az) / det);
   return (struct range){ fmax(dx, dy), sqrt(dx * dx + dy * dy) };
}

/* r of section 3.5.2: a step of the buffer that is sure to be resolved. Of fixed point at most two
 * of its own; of floats, one of the largest depth. */
static struct range
resolvable(int bits, const struct ref_viewport *viewport, const struct ref_vertex v[3])
{
   double most = 0;
   int exponent;
   if (bits)
      return (struct range){ ldexp(1, -bits), ldexp(2, -bits) };
   for (int i = 0; i < 3; i++)
      most = fmax(most, ref_window_position(viewport, &v[i]).z);
   frexp(most, &exponent);
   return (struct range){ ldexp(1, exponent - 24), ldexp(1, exponent - 24) };
}

static void
polygon_offset(struct rules *r)
{
   static const float factors[] = { 0, 1, -1, 0.5f, 100, -100 },
                      units[] = { 0, 1, -1, 2, -8, 1000, 1e9f, -1e9f };
   const struct pen pen = pen_create(true);
   static struct depth_scene s;
   while (rules_next(r)) {
      struct ref_state state = initial_state;
      float positions[3][4];
      struct ref_vertex v[3];
      state.depth_test = true;
      state.depth_func = GL_ALWAYS;
      begin(r, &s, &state);
      const float factor = rules_pick(r, factors), unit = rules_pick(r, units);
      const bool flat = rules_chance(r, 30);
      const int64_t z = rules_between(r, -120, 120);
      do {
         for (int i = 0; i < 3; i++)
            v[i] = (struct ref_vertex){ { rules_between(r, -128, 128), rules_between(r, -128, 128),
                                          flat ? z : rules_between(r, -120, 120), 128 } };
      } while (!ref_area_sign(v));
      struct ref_raster raster = {
         { 0, 0, SIZE_PX, SIZE_PX, 0, 1 }, SIZE_PX, SIZE_PX, false, set_depth, &s, { 0, 0 }
      };
      const struct range slope = largest_slope(&raster.viewport, v),
                         step = resolvable(s.bits, &raster.viewport, v);
      const double by_slope[2] = { slope.least * factor, slope.most * factor },
                   by_step[2] = { step.least * unit, step.most * unit };
      s.offset_least = fmin(by_slope[0], by_slope[1]) + fmin(by_step[0], by_step[1]);
      s.offset_most = fmax(by_slope[0], by_slope[1]) + fmax(by_step[0], by_step[1]);
      /* The offset itself is a sum in single precision. */
      const double error = 0x1p-22 * (fabs(by_slope[1]) + fabs(by_step[1]));
      s.offset_least -= error;
      s.offset_most += error;
      glUseProgram(pen.programs[PLAIN]);
      point_at_vertices(v, 3, positions);
      glEnable(GL_POLYGON_OFFSET_FILL);
      glPolygonOffset(factor, unit);
      ref_triangle(&raster, v);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      glDisable(GL_POLYGON_OFFSET_FILL);
      expect_depth(r, &s);
      canvas_delete(&s.canvas);
   }
}

/* One unit more or less is seen at every pixel, as long as nothing is clamped. */
static void
offset_resolves(struct rules *r)
{
   const struct pen pen = pen_create(true);
   static struct depth_scene s;
   static double depth[2][PIXELS];
   while (rules_next(r)) {
      struct ref_state state = initial_state;
      float positions[3][4];
      struct ref_vertex v[3];
      state.depth_test = true;
      state.depth_func = GL_ALWAYS;
      const uint64_t random = r->random;
      const int unit = rules_between(r, -5, 5);
      for (int pass = 0; pass < 2; pass++) {
         r->random = random;
         begin(r, &s, &state);
         for (int i = 0; i < 3; i++)
            v[i] = (struct ref_vertex){ { rules_between(r, -256, 256), rules_between(r, -256, 256),
                                          rules_between(r, -120, 120), 128 } };
         glUseProgram(pen.programs[PLAIN]);
         point_at_vertices(v, 3, positions);
         glEnable(GL_POLYGON_OFFSET_FILL);
         glPolygonOffset(0, (float)(unit + pass));
         glDrawArrays(GL_TRIANGLES, 0, 3);
         glDisable(GL_POLYGON_OFFSET_FILL);
         read_depth(r, &s, depth[pass]);
         canvas_delete(&s.canvas);
      }
      for (int i = 0; i < PIXELS; i++) {
         if (depth[0][i] != cleared && !(depth[1][i] > depth[0][i]))
            rules_fail(
               r, "pixel (%d, %d) has depth %.12g with %d units and %.12g with one more; %d bits",
               i % SIZE_PX, i / SIZE_PX, depth[0][i], unit, depth[1][i], s.bits);
      }
   }
}

/* --------------------------------------------------------------------------------- flat shading */

/* A triangle of one colour. */
struct flat {
   struct ref_pixels *pixels;
   const float *color;
};

static void
write_flat(void *user, const struct ref_fragment *f)
{
   const struct flat *flat = user;
   ref_draw_fragment(&initial_state, flat->pixels, f->x, f->y, 0, f->z, f->front, flat->color);
}

/* OpenGL 2.1 table 2.12: a triangle has the colour of its last vertex, in all modes. */
static void
flat_shading(struct rules *r)
{
   enum { MOST = 12, FLAT = 0x1D00 };
   static const GLenum modes[] = { GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN };
   typedef void shade_model(GLenum);
   program_create("#version 120\nattribute vec4 position, colour;\n"
                  "void main() { gl_Position = position; gl_FrontColor = colour; gl_BackColor = colour; }\n",
                  "#version 120\nvoid main() { gl_FragColor = gl_Color; }\n");
   ((shade_model *)eglGetProcAddress("glShadeModel"))(FLAT);
   while (rules_next(r)) {
      struct canvas canvas;
      struct ref_vertex v[MOST];
      float positions[MOST][4], colors[MOST][4];
      if (!canvas_create(&canvas, &formats[0], NO_DEPTH, SIZE_PX, SIZE_PX))
         rules_fail(r, "no framebuffer of RGBA8");
      const GLenum mode = rules_pick(r, modes);
      const int count = rules_between(r, 0, MOST);
      for (int i = 0; i < count; i++) {
         v[i] = (struct ref_vertex){ { rules_between(r, -99, 99), rules_between(r, -99, 99), 0,
                                       rules_between(r, 32, 99) } };
         for (int c = 0; c < 4; c++)
            colors[i][c] = (float)rules_below(r, 256) / 255;
      }
      for (int i = 2; i < count; i += mode == GL_TRIANGLES ? 3 : 1) {
         struct flat flat = { &canvas.pixels, colors[i] };
         const struct ref_raster raster = { { 0, 0, SIZE_PX, SIZE_PX, 0, 1 }, SIZE_PX, SIZE_PX, false, write_flat, &flat, { 0, 0 } };
         ref_triangle(&raster, (const struct ref_vertex[3]){ v[mode == GL_TRIANGLE_FAN ? 0 : i - 2], v[i - 1], v[i] });
      }
      point_at_vertices(v, count, positions);
      glEnableVertexAttribArray(1);
      glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 0, colors);
      glDrawArrays(mode, 0, count);
      expect_colors(r, &canvas.pixels);
      canvas_delete(&canvas);
   }
}

static const struct rule table[] = {
   { "depth-values", RULE_DESKTOP, 400, depth_values },
   { "polygon-offset", RULE_DESKTOP, 400, polygon_offset },
   { "offset-resolves", RULE_DESKTOP, 100, offset_resolves },
   { "flat-shading", RULE_DESKTOP, 200, flat_shading },
};

int
main(int argc, char **argv)
{
   return rules_main(argc, argv, table, COUNT(table));
}
