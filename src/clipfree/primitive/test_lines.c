/* SPDX-License-Identifier: MIT */
/*
 * Lines against the rules of GL 2.1 chapter 3.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "clipfree/isa/cf_isa.h"
#include "clipfree/primitive/cf_line.h"
#include "clipfree/primitive/test_bench.h"
#include "clipfree/primitive/test_expected.h"

/* Whether an end lies in the diamond of a pixel of the column (row) whose centre is at `along`. A
 * wide line is the thin one (width - 1) / 2 away, repeated. In 1/256 pixel, from the centre. */
static bool
in_diamond(const double end[2], bool x_major, uint32_t width, double along)
{
   const int64_t a = llrint(256 * (end[!x_major] - along)),
                 b = llrint(256 * end[x_major]) - 128 * ((int64_t)width - 1);
   return llabs(a) + llabs((b & 255) - 128) < 128;
}

/* A line covers, column by column of its major axis, the `width` pixels whose centres are nearest;
 * of two equally near the one the top-left rule gives. Its columns are those whose centres lie from
 * the first end (included) to the second (not); also that of a diamond it begins in, not that of
 * one it ends in. Ends in 1/256 pixel: integers decide. */
static bool
line_covers(const double end[2][2], uint32_t width, double x, double y)
{
   const int64_t dx = llrint(256 * (end[1][0] - end[0][0])),
                 dy = llrint(256 * (end[1][1] - end[0][1]));
   const int64_t px = llrint(256 * (x - end[0][0])), py = llrint(256 * (y - end[0][1]));
   const bool x_major = llabs(dx) >= llabs(dy);
   const int64_t step = x_major ? dx : dy, along = (x_major ? px : py) * (step < 0 ? -1 : 1);
   /* twice the distance across, times |step|, less half the width on either side */
   const int64_t across =
      2 * (x_major ? py * dx - px * dy : px * dy - py * dx) * (step < 0 ? -1 : 1);
   const int64_t reach = 256 * (int64_t)width * llabs(step);
   /* the upper (left) side owns its points, if it is a left or top one: both sides run from the
    * first end to the second */
   const int64_t slope_x = x_major ? -dy * (step < 0 ? -1 : 1) : llabs(step);
   const bool low_owns = x_major ? slope_x >= 0 : true;
   const double centre = x_major ? x : y;
   const bool begun = along >= 0 || in_diamond(end[0], x_major, width, centre),
              ended = along >= llabs(step) || in_diamond(end[1], x_major, width, centre);
   return begun && !ended &&
          (low_owns ? across >= -reach && across < reach : across > -reach && across <= reach);
}

/* True if it is not clear which axis of a line is the major one. */
static bool
is_diagonal(double dx, double dy)
{
   return fabs(fabs(dx) - fabs(dy)) < 1e-3 * (fabs(dx) + fabs(dy));
}

static void
test_lines(void **state)
{
   (void)state;
   struct bench b;
   uint32_t covered = 0;
   bench_init(&b, 80, 70, 1);
   for (uint32_t n = 0; n < 1500; n++) {
      struct bench_vertex v[2];
      double end[2][2];
      const uint32_t width = 1 + below(4);
      for (uint32_t i = 0; i < 2; i++) {
         /* off the lattice of ties: odd multiples of 1/256, but for some axis-aligned lines through
          * centres */
         end[i][0] = (below(80 * 128) * 2 + 1) / 256.0;
         end[i][1] = (below(70 * 128) * 2 + 1) / 256.0;
      }
      if (below(5) == 0)
         end[1][1] = end[0][1];
      for (uint32_t i = 0; i < 2; i++)
         v[i] = at_window(&b, end[i][0], end[i][1], 1 + 0.9f * uniform());
      b.config.raster.line_width_px = width + 0.4f * uniform();
      bench_show(&b, CF_PRIM_KIND_LINES, v, 2);
      for (uint32_t y = 0; y < 70; y++)
         for (uint32_t x = 0; x < 80; x++) {
            assert_int_equal(b.covered[y * 80 + x], line_covers(end, width, x + 0.5, y + 0.5));
            covered += b.covered[y * 80 + x];
         }
   }
   assert_true(covered > 10000);
   bench_free(&b);
}

/* With several samples a pixel: those in the rectangle round the line (GL 2.1 section 3.4.4), but
 * for those on its sides. */
static void
test_lines_of_samples(void **state)
{
   (void)state;
   struct bench b;
   uint32_t covered = 0;
   bench_init(&b, 80, 70, 1);
   b.config.samples = CF_SAMPLES;
   b.config.raster.multisample = true;
   for (uint32_t n = 0; n < 600; n++) {
      struct bench_vertex v[2];
      double end[2][2];
      for (uint32_t i = 0; i < 2; i++) {
         end[i][0] = below(80 * 256) / 256.0;
         end[i][1] = below(70 * 256) / 256.0;
         v[i] = at_window(&b, end[i][0], end[i][1], 1 + 0.9f * uniform());
      }
      const double dx = end[1][0] - end[0][0], dy = end[1][1] - end[0][1], length = hypot(dx, dy);
      const float width = 0.5f + 2.0f * (1 + uniform());
      b.config.raster.line_width_px = width;
      bench_show(&b, CF_PRIM_KIND_LINES, v, 2);
      for (uint32_t i = 0; i < 80 * 70 * CF_SAMPLES; i++) {
         const double x = i / CF_SAMPLES % 80 + bench_place_px(&b, i % CF_SAMPLES, 0) - end[0][0],
                      y = i / CF_SAMPLES / 80 + bench_place_px(&b, i % CF_SAMPLES, 1) - end[0][1];
         const double u = (x * dx + y * dy) / length, v_px = fabs(x * dy - y * dx) / length;
         /* how far inside, or negative: outside */
         const double inside = fmin(fmin(u, length - u), width / 2 - v_px);
         if (fabs(inside) > 1e-4)
            assert_int_equal(b.covered[i], inside > 0);
         covered += b.covered[i];
      }
   }
   assert_true(covered > 10000);
   bench_free(&b);
}

/* A loop through pixel centres covers no pixel twice and the first pixel of each side. */
static void
test_loops_join(void **state)
{
   (void)state;
   struct bench b;
   bench_init(&b, 40, 40, 8);
   for (uint32_t turn = 0; turn < 2; turn++) {
      const double corners[4][2] = { { 5.5, 5.5 }, { 20.5, 5.5 }, { 20.5, 30.5 }, { 5.5, 30.5 } };
      struct bench_vertex v[4];
      for (uint32_t i = 0; i < 4; i++)
         v[i] = at_window(&b, corners[turn ? 3 - i : i][0], corners[turn ? 3 - i : i][1], 1);
      bench_show(&b, CF_PRIM_KIND_LINE_LOOP, v, 4);
      for (uint32_t y = 0; y < 40; y++)
         for (uint32_t x = 0; x < 40; x++) {
            const bool in = x >= 5 && x <= 20 && y >= 5 && y <= 30,
                       inner = x > 5 && x < 20 && y > 5 && y < 30;
            assert_int_equal(b.covered[y * 40 + x], in && !inner);
         }
   }
   bench_free(&b);
}

/* Set up and raster lines begin .. end - 1 of a run. */
static void
draw_part(struct bench *b, enum cf_prim_kind kind, const struct bench_vertex *v, uint32_t count,
          uint32_t begin, uint32_t end)
{
   const float *records[MAX_COUNT] = { NULL };
   uint32_t first, last;
   bool needs_vertex_0;
   cf_assemble_span(&b->config, kind, count, begin, end, &first, &last, &needs_vertex_0);
   for (uint32_t i = 0; i < count; i++)
      records[i] = (i >= first && i <= last) || (i == 0 && needs_vertex_0) ? v[i].position : NULL;
   bench_assemble(b, kind, count, begin, end, records);
}

/* Line stipple: pixels counted along each line from its first end, on through strips and loops,
 * anew in each separate line. */
static void
test_line_stipple(void **state)
{
   (void)state;
   struct bench plain, b;
   bench_init(&plain, 80, 70, 1);
   bench_init(&b, 80, 70, MAX_COUNT);
   b.config.raster.line_stipple = true;
   for (uint32_t n = 0; n < 400; n++) {
      static const enum cf_prim_kind kinds[] = { CF_PRIM_KIND_LINES, CF_PRIM_KIND_LINE_STRIP,
                                                 CF_PRIM_KIND_LINE_LOOP };
      const enum cf_prim_kind kind = kinds[n % 3];
      const uint32_t pattern = cf_random_u32(&random_state) & 0xffff, factor = 1 + below(5),
                     count = 4;
      struct bench_vertex v[4];
      double end[4][2];
      uint32_t s = 0, want[80 * 70] = { 0 };
      struct expected lines[MAX_COUNT];
      for (uint32_t i = 0; i < count; i++) {
         end[i][0] = (below(80 * 128) * 2 + 1) / 256.0;
         end[i][1] = (below(70 * 128) * 2 + 1) / 256.0;
         v[i] = at_window(&b, end[i][0], end[i][1], 1 + 0.9f * uniform());
      }
      const uint32_t total = expected_primitives(kind, count, false, lines);
      for (uint32_t i = 0; i < total; i++) {
         const uint32_t *k = lines[i].v;
         const struct bench_vertex ends[2] = { v[k[0]], v[k[1]] };
         const double dx = end[k[1]][0] - end[k[0]][0], dy = end[k[1]][1] - end[k[0]][1];
         const bool x_major = fabs(dx) >= fabs(dy), back = x_major ? dx < 0 : dy < 0;
         const uint32_t length = x_major ? 80 : 70, across = x_major ? 70 : 80;
         bench_show(&plain, CF_PRIM_KIND_LINES, ends, 2);
         s = kind == CF_PRIM_KIND_LINES ? 0 : s;
         for (uint32_t p = 0; p < length; p++) {
            const uint32_t major = back ? length - 1 - p : p;
            bool any = false;
            for (uint32_t minor = 0; minor < across; minor++) {
               const uint32_t at = x_major ? minor * 80 + major : major * 80 + minor;
               any |= plain.covered[at];
               want[at] += plain.covered[at] && (pattern >> (s / factor % 16) & 1);
            }
            s += any;
         }
      }
      b.config.raster.stipple_pattern = pattern;
      b.config.raster.stipple_factor = factor - 1;
      const uint32_t cut = below(total);
      bench_clear(&b);
      draw_part(&b, kind, v, count, 0, cut);
      draw_part(&b, kind, v, count, cut, total);
      bench_raster(&b, cf_host_level());
      for (uint32_t p = 0; p < 80 * 70; p++)
         assert_int_equal(b.covered[p], want[p]);
   }
   bench_free(&plain);
   bench_free(&b);
}

/* The pattern goes on after lines of which pixels can be counted: 16 bits, each for
 * stipple_factor + 1 pixels. */
static void
test_stipple_of_odd_lines(void **state)
{
   (void)state;
   struct bench b;
   struct cf_setup setup;
   bench_init(&b, 64, 64, 1);
   b.config.raster.line_stipple = true;
   b.config.raster.stipple_factor = 1;
   assert_true(cf_setup_init(&setup, &b.config, &b.sink));
   const struct bench_vertex start = at_window(&b, 4.5, 8.5, 1), end = at_window(&b, 14.5, 8.5, 1);
   uint32_t stipple = 0;
   for (uint32_t i = 1; i <= 4; i++) {
      cf_line_advance_stipple(&setup, start.position, end.position, &stipple);
      assert_int_equal(stipple, 10 * i % 32);
   }
   const struct bench_vertex odd[] = {
      bench_vertex(NAN, 0, 0, 1),
      bench_vertex(0, INFINITY, 0, 1),
      bench_vertex(1, 0, 0, 0),
      bench_vertex(0.5f, 0, 0, -1),
      bench_vertex(0x1p100f, 0, 0, 1),
      bench_vertex(0x1p40f, 0, 0, 1),
      start, /* no length */
   };
   for (uint32_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
      cf_line_advance_stipple(&setup, start.position, odd[i].position, &stipple);
      cf_line_advance_stipple(&setup, odd[i].position, start.position, &stipple);
      assert_int_equal(stipple, 8);
   }
   bench_free(&b);
}

static bool
reserve_nothing(void *user, uint32_t count, struct cf_prim **prims, float (**varyings)[3])
{
   (void)user, (void)count, (void)prims, (void)varyings;
   return false;
}

/* Without room for primitives none are made, of one line or several, near or through the plane of
 * the eye. */
static void
test_lines_without_room(void **state)
{
   (void)state;
   struct bench b;
   bench_init(&b, 64, 64, 1);
   b.sink.reserve = reserve_nothing;
   struct bench_vertex v[8];
   for (uint32_t i = 0; i < 8; i++)
      v[i] = at_window(&b, 10 + 4 * i, i % 2 ? 10 : 50, 1);
   bench_draw(&b, CF_PRIM_KIND_LINES, v, 8);
   bench_draw(&b, CF_PRIM_KIND_LINES, v, 2);
   v[1] = bench_vertex(0.5f, 0.25f, 0, -1);
   bench_draw(&b, CF_PRIM_KIND_LINES, v, 2);
   b.config.raster.line_stipple = true;
   bench_draw(&b, CF_PRIM_KIND_LINES, v, 8);
   assert_int_equal(b.count, 0);
   bench_free(&b);
}

/* GL 2.1 section 3.4.2: widths of aliased lines are rounded, at least 1; of others they are as they
 * are. */
static void
test_widths(void **state)
{
   (void)state;
   static const struct {
      float asked_px, aliased_px, smooth_px;
   } cases[] = { { 0, 1, 1 },
                 { 0.25f, 1, 0.25f },
                 { 1, 1, 1 },
                 { 1.5f, 2, 1.5f },
                 { 2.25f, 2, 2.25f },
                 { 2.5f, 3, 2.5f },
                 { 1e9f, CF_MAX_SIZE_PX, CF_MAX_SIZE_PX } };
   for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      struct cf_raster raster = { .line_width_px = cases[i].asked_px };
      assert_true(cf_line_width_px(&raster) == cases[i].aliased_px);
      raster.line_smooth = true;
      assert_true(cf_line_width_px(&raster) == cases[i].smooth_px);
      raster.line_smooth = false;
      raster.multisample = true;
      assert_true(cf_line_width_px(&raster) == cases[i].smooth_px);
   }
}

/* Whether a line of three pixels with one end behind the eye covers a window point: it is a
 * positive combination of the ends, moved along the minor axis. sure: not within 1e-6 of deciding
 * otherwise. */
static bool
eye_line_covers(const struct bench *b, const float *p, const float *q, double x, double y,
                bool *sure)
{
   const struct cf_viewport *vp = &b->config.viewport;
   const double sx = vp->scale_x, sy = vp->scale_y, tx = vp->translate_x, ty = vp->translate_y,
                pw = p[3], qw = q[3];
   const double px = sx * p[0] + tx * pw, py = sy * p[1] + ty * pw, qx = sx * q[0] + tx * qw,
                qy = sy * q[1] + ty * qw;
   const double a = py * qw - pw * qy, c = pw * qx - px * qw, d = px * qy - py * qx;
   const bool x_major = fabs(c) >= fabs(a);
   const double minor = (a * x + c * y + d) / (x_major ? c : a);
   const double at = x_major ? x : y, p0 = x_major ? px : py, q0 = x_major ? qx : qy,
                det = q0 * pw - p0 * qw;
   const double w0 = (q0 - at * qw) / det, w1 = (at * pw - p0) / det;
   *sure =
      fabs(fabs(minor) - 1.5) > 1e-6 && fabs(w0) > 1e-9 && fabs(w1) > 1e-9 && !is_diagonal(a, c);
   return fabs(minor) < 1.5 && w0 > 0.0 && w1 > 0.0;
}

static void
test_line_through_the_eye_plane(void **state)
{
   (void)state;
   struct bench b;
   uint32_t pixels = 0;
   bench_init(&b, 64, 64, 1);
   b.config.raster.line_width_px = 3;
   for (uint32_t n = 0; n < 500; n++) {
      struct bench_vertex v[2] = { bench_vertex(uniform(), uniform(), 0, 1),
                                   bench_vertex(3 * uniform(), 3 * uniform(), 0, -1 - uniform()) };
      bench_show(&b, CF_PRIM_KIND_LINES, v, 2);
      for (uint32_t k = 0; k < 64 * 64; k++) {
         bool sure;
         const bool want =
            eye_line_covers(&b, v[0].position, v[1].position, k % 64 + 0.5, k / 64 + 0.5, &sure);
         if (sure)
            assert_int_equal(b.covered[k], want);
         pixels += b.covered[k];
      }
   }
   assert_true(pixels > 10000);
   bench_free(&b);
}

static void
test_varyings_along_lines(void **state)
{
   (void)state;
   static struct cf_task task;
   struct bench b;
   bench_init(&b, 64, 64, 1);
   for (uint32_t n = 0; n < 200; n++) {
      struct bench_vertex v[2];
      const float w0 = 1 + 0.8f * uniform(), w1 = 1 + 0.8f * uniform();
      const double x0 = below(20), x1 = 40 + below(20);
      v[0] = at_window(&b, x0, 30.5, w0);
      v[1] = at_window(&b, x1, 30.5, w1);
      v[0].slot[0][0] = 1;
      v[0].position[2] = -0.5f * w0;
      v[1].position[2] = 0.5f * w1;
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_LINES, v, 2);
      const uint32_t x = 20 + below(20);
      const struct cf_quad quad = { &b.prims[0], x & ~1u, 30, 3 };
      cf_primitive_ops_at(cf_host_level())
         ->interpolate(&quad, 1, 0, 1 << CF_VARMODE_SMOOTH | 1 << CF_VARMODE_LINEAR, &task);
      /* linear in the window, then perspective */
      const double t = (x + 0.5 - x0) / (x1 - x0), p0 = (1 - t) / w0, p1 = t / w1,
                   want = p0 / (p0 + p1);
      const float *p = task.varyings[0][0];
      assert_true(fabs(p[0] + task.bary[0][x & 1] * p[1] + task.bary[1][x & 1] * p[2] - want) <
                  1e-6);
      assert_true(fabs(task.linear[0][x & 1] - (1 - t)) < 1e-6);
      float depth[16];
      bench_depth_block(cf_primitive_ops_at(cf_host_level()), &b.prims[0], x & ~3u, 28,
                        CF_SAMPLE_CENTRE, depth);
      assert_true(fabs(depth[(x & 1) | (x & 2) << 1 | 8] - (0.25 + 0.5 * t)) < 1e-6);
   }
   bench_free(&b);
}

/* ---- lines set up together ---- */

#define LINES 60

/* A line of some kind. */
static void
random_line(struct bench_vertex v[2])
{
   const uint32_t kind = below(12);
   const float spread = below(2) ? 1.0f : below(2) ? 3.0f : 0.05f;
   for (uint32_t i = 0; i < 2; i++) {
      v[i] = bench_vertex(0, 0, 0, 1);
      ordinary_vertex(v[i].position, spread);
      for (uint32_t c = 0; c < 8; c++)
         v[i].slot[c / 4][c % 4] = uniform();
   }
   if (kind == 0) /* an end behind the eye, or both */
      for (uint32_t i = below(2); i < 2; i++)
         v[i].position[3] = below(3) ? -v[i].position[3] : 0.0f;
   else if (kind == 1) /* no length */
      memcpy(v[0].position, v[1].position, sizeof v[0].position);
   else if (kind == 2) /* along an axis */
      v[0].position[3] = v[1].position[3] = 1.0f, v[0].position[below(2)] = v[1].position[0];
   else if (kind == 3) /* not finite, denormal, huge */
      v[below(2)].position[below(4)] = odd_number();
   else if (kind == 4)
      for (uint32_t i = 0; i < 8; i++)
         v[i / 4].position[i % 4] *= below(2) ? 0x1p100f : 0x1p-100f;
   else if (kind == 5) /* ends at corners and centres of pixels, and beside them */
      for (uint32_t i = 0; i < 4; i++)
         v[i / 2].position[i % 2] =
            v[i / 2].position[3] *
            ((float)below(129) / (i % 2 ? 96.0f : 160.0f) * (below(4) ? 1.0f : 1.001f) - 0.4f);
}

static void
random_state_of_lines(struct cf_primitive_config *c)
{
   struct cf_raster *r = &c->raster;
   r->line_width_px = below(2) ? 1.0f : 5.0f * (1.0f + uniform());
   r->line_smooth = below(4) == 0;
   c->samples = below(4) ? 1 : 4;
   r->multisample = c->samples > 1 && below(2);
   r->half_pixel_center = below(4) != 0;
   r->bottom_edge_rule = below(2);
   r->depth_clip_near = below(4) != 0;
   r->depth_clip_far = below(4) != 0;
   r->clip_halfz = below(2);
   r->depth_clamp = below(4) == 0;
   r->cut_to_viewport = below(4) == 0;
   for (uint32_t i = 0; i < BENCH_SLOTS; i++)
      c->link[i].flat = below(2);
   if (below(2))
      c->viewport.scale_y = -c->viewport.scale_y;
   if (below(4) == 0)
      c->viewport.scale_x *= -2.5f;
   if (below(4) == 0)
      c->viewport.translate_x += 7.3f;
   c->scissor.min_x_px = below(3) ? 0 : below(80);
   c->scissor.max_y_px = below(3) ? c->scissor.max_y_px : 1 + below(60);
}

/* Lines of a batch have the same bits as each alone, at every level. */
static void
test_together_as_alone(void **state)
{
   (void)state;
   static const char *const names[] = { "base", "v3", "v4" };
   static const struct cf_face face = { .front = true };
   static struct bench_vertex vertices[LINES][2];
   const float *v[LINES][2], *provoking[LINES];
   uint64_t drawn = 0;
   for (uint32_t round = 0; round < 3000; round++) {
      struct bench alone, together;
      bench_init(&alone, 160, 96, LINES);
      bench_init(&together, 160, 96, LINES);
      random_state_of_lines(&alone.config);
      for (uint32_t i = 0; i < LINES; i++) {
         random_line(vertices[i]);
         for (uint32_t k = 0; k < 2; k++)
            v[i][k] = vertices[i][k].position;
         provoking[i] = v[i][below(2)];
      }
      for (int level = CF_HOST_BASE; level <= (int)cf_host_level(); level++) {
         struct cf_setup setup;
         uint32_t stipple = 0;
         alone.config.level = level;
         bench_forget(&alone);
         bench_forget(&together);
         assert_true(cf_lines_are_plain(&alone.config));
         if (!cf_setup_init(&setup, &alone.config, &alone.sink))
            continue;
         for (uint32_t i = 0; i < LINES; i++)
            cf_setup_line(&setup, v[i][0], v[i][1], provoking[i], &face, &stipple);
         setup.sink = &together.sink;
         for (uint32_t i = 0, n; i < LINES; i += n) {
            n = below(4) ? CF_LINE_BATCH : 1 + below(CF_LINE_BATCH);
            n = n < LINES - i ? n : LINES - i;
            setup.line->setup(&setup, (const float *const(*)[2])(v + i), provoking + i, n);
         }
         bench_expect_same(&alone, &together, names[level]);
         drawn += alone.count;
      }
      bench_free(&alone);
      bench_free(&together);
   }
   assert_true(drawn > 0);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_lines_of_samples),
      cmocka_unit_test(test_loops_join),
      cmocka_unit_test(test_line_stipple),
      cmocka_unit_test(test_stipple_of_odd_lines),
      cmocka_unit_test(test_lines_without_room),
      cmocka_unit_test(test_widths),
      cmocka_unit_test(test_line_through_the_eye_plane),
      cmocka_unit_test(test_varyings_along_lines),
      cmocka_unit_test(test_together_as_alone),
   };
   random_state = cf_random_seed("primitive-lines");
   return cmocka_run_group_tests(tests, NULL, NULL);
}
