/* SPDX-License-Identifier: MIT */
/*
 * Coverage of triangles: against rationals, pixel by pixel and sample by sample; watertight meshes; the papers' rounding
 * beside it; host levels.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "clipfree/arith/cf_exact.h"
#include "clipfree/primitive/test_bench.h"
#include "clipfree/primitive/test_exact_reference.h"

static float
power_of_ten(int range)
{
   return powf(10.0f, (int)below(2 * range + 1) - range);
}

/* ---- hostile vertices ---- */

/* Clip position of the centre of a pixel of the bench's window (exact if sizes are powers of two),
 * with some w. */
static struct bench_vertex
vertex_at_pixel(const struct bench *b, double x_px, double y_px, float w)
{
   const struct cf_viewport *vp = &b->config.viewport;
   const double x = (x_px + 0.5 - vp->translate_x) / vp->scale_x,
                y = (y_px + 0.5 - vp->translate_y) / vp->scale_y;
   return bench_vertex((float)(x * w), (float)(y * w), 0.0f, w);
}

static struct bench_vertex
random_vertex(const struct bench *b)
{
   static const float some_w[] = { 1, 1, 2, 0.5, -1, 3, -0.25, 0, 1e-30f, 7e20f };
   const float s = power_of_ten(30);
   switch (below(8)) {
   case 7: /* on the samples' lattice */
      return vertex_at_pixel(b, below(16 * b->width_px) / 16.0 - 0.5, below(16 * b->height_px) / 16.0 - 0.5,
                             some_w[below(4)]);
   case 0: /* on the pixels' lattice */
      return vertex_at_pixel(b, below(b->width_px + 4) - 2.0, below(b->height_px + 4) - 2.0,
                             some_w[below(5)]);
   case 1:
      return vertex_at_pixel(b, below(2 * b->width_px) / 2.0, below(2 * b->height_px) / 2.0,
                             uniform());
   case 2:
      return bench_vertex(uniform() * s, uniform() * s, 0, uniform() * s);
   case 3:
      return bench_vertex(uniform() * power_of_ten(37), uniform() * power_of_ten(37), 0,
                          uniform() * power_of_ten(37));
   case 4:
      return bench_vertex((int)below(5) - 2, (int)below(5) - 2, 0, some_w[below(10)]);
   case 5:
      return bench_vertex(uniform(), uniform(), 0, 1 + 1e-3f * uniform());
   default:
      return bench_vertex(2 * uniform(), 2 * uniform(), 0, uniform());
   }
}

/* v moved by some units in the last place. */
static void
jitter(struct bench_vertex *v)
{
   for (int i = 0; i < 4; i++)
      if (below(3) == 0)
         v->position[i] = nextafterf(v->position[i], uniform());
}

static void
random_triangle(const struct bench *b, struct bench_vertex v[3])
{
   for (int i = 0; i < 3; i++)
      v[i] = random_vertex(b);
   if (below(4) == 0) { /* a sliver: the third near the line of the others */
      const float t = 2 * uniform(), u = below(2) ? 1 - t : uniform();
      for (int i = 0; i < 4; i++)
         v[2].position[i] = t * v[0].position[i] + u * v[1].position[i];
   }
   if (below(8) == 0) {
      v[2] = v[below(2)];
      jitter(&v[2]);
   }
}

static void
random_viewport(struct bench *b)
{
   struct cf_viewport *vp = &b->config.viewport;
   vp->scale_x = b->width_px / 2.0f;
   vp->scale_y = b->height_px / 2.0f;
   vp->translate_x = b->width_px / 2.0f;
   vp->translate_y = b->height_px / 2.0f;
   if (below(3) == 0) {
      vp->scale_x *= 1 + 0.5f * uniform();
      vp->scale_y *= 1 + 0.5f * uniform();
      vp->translate_x += 3 * uniform();
      vp->translate_y += 3 * uniform();
   }
   vp->scale_x *= below(2) ? -1 : 1;
   vp->scale_y *= below(2) ? -1 : 1;
   b->config.raster.bottom_edge_rule = below(2);
   b->config.raster.depth_clip_near = b->config.raster.depth_clip_far = false;
}

/* ---- tests ---- */

/* Whether a pixel's centre is in the view volume's rectangle, which is the viewport; left and top
 * sides are in it. */
static bool
in_viewport(const struct bench *b, uint32_t x_px, uint32_t y_px)
{
   const struct cf_viewport *vp = &b->config.viewport;
   const double x = x_px + 0.5 - vp->translate_x, y = y_px + 0.5 - vp->translate_y;
   const double rx = fabs(vp->scale_x), ry = fabs(vp->scale_y);
   return x >= -rx && x < rx && y >= -ry && y < ry;
}

static void
compare_with_reals(struct bench *b, const struct bench_vertex v[3])
{
   const float *records[3] = { v[0].position, v[1].position, v[2].position };
   struct real_triangle real;
   bench_clear(b);
   bench_draw(b, CF_PRIM_KIND_TRIANGLES, v, 3);
   bench_raster(b, cf_host_level());
   real_init(&real, &b->config, records);
   const uint32_t samples = bench_samples(b);
   for (uint32_t y = 0; y < b->height_px; y++)
      for (uint32_t n = 0; n < b->width_px * samples; n++) {
         const uint32_t x = n / samples, s = n % samples, covered = b->covered[y * b->width_px * samples + n];
         const double x_win = x + bench_place_px(b, s, 0), y_win = y + bench_place_px(b, s, 1);
         if (covered != (in_viewport(b, x, y) && real_covers(&real, x_win, y_win)))
            fail_msg("pixel %u, %u of %u x %u, sample %u of %u: %u; viewport %a %a %a %a; vertices (%a %a %a) (%a "
                     "%a %a) (%a %a %a)",
                     x, y, b->width_px, b->height_px, s, samples, covered,
                     b->config.viewport.scale_x, b->config.viewport.scale_y,
                     b->config.viewport.translate_x, b->config.viewport.translate_y, records[0][0],
                     records[0][1], records[0][3], records[1][0], records[1][1], records[1][3],
                     records[2][0], records[2][1], records[2][3]);
      }
   real_clear(&real);
}

static void
test_coverage_is_exact(void **state)
{
   (void)state;
   static const uint32_t sizes[][2] = { { 16, 16 }, { 16, 8 }, { 23, 11 }, { 8, 32 }, { 70, 5 } };
   uint32_t drawn = 0;
   for (uint32_t i = 0; i < 3000; i++) {
      const uint32_t *size = sizes[below(5)];
      struct bench b;
      struct bench_vertex v[3];
      bench_init(&b, size[0], size[1], 1);
      b.config.samples = i & 1 ? CF_SAMPLES : 1;
      random_viewport(&b);
      random_triangle(&b, v);
      compare_with_reals(&b, v);
      drawn += b.count;
      bench_free(&b);
   }
   assert_true(drawn > 1000);
}

/* Every vertex and every centre of a triangle on the lattice: all ways the top-left rule can be
 * asked. */
static void
test_lattice_triangles(void **state)
{
   (void)state;
   struct bench b;
   bench_init(&b, 4, 4, 1);
   for (uint32_t i = 0; i < 9 * 9 * 9; i++) {
      const struct bench_vertex v[3] = { vertex_at_pixel(&b, i % 3, i / 3 % 3, 1),
                                         vertex_at_pixel(&b, i / 9 % 3, i / 27 % 3, 1),
                                         vertex_at_pixel(&b, i / 81 % 3, i / 243 % 3, 2) };
      b.config.samples = 1;
      compare_with_reals(&b, v);
   }
   /* and every vertex on a sample */
   b.config.samples = CF_SAMPLES;
   for (uint32_t i = 0; i < 16 * 16 * 16; i++) {
      struct bench_vertex v[3];
      for (uint32_t k = 0, n = i; k < 3; k++, n /= 16)
         v[k] = vertex_at_pixel(&b, n / 4 % 2 + bench_place_px(&b, n % 4, 0) - 0.5,
                                n / 8 % 2 + bench_place_px(&b, n % 4, 1) - 0.5, 1 + (k == 2));
      compare_with_reals(&b, v);
   }
   bench_free(&b);
}

/* Signed coverage: how many triangles with det > 0, less those with det < 0, cover each sample. */
static void
signed_coverage(struct bench *b, int *sum)
{
   struct cf_raster_samples blocks[256];
   memset(sum, 0, sizeof *sum * b->width_px * b->height_px * bench_samples(b));
   for (uint32_t i = 0; i < b->count; i++)
      for (uint32_t y = 0; y < b->height_px; y += 64)
         for (uint32_t x = 0; x < b->width_px; x += 64) {
            const uint32_t n = bench_tile(b, cf_host_level(), &b->prims[i], x, y, blocks);
            for (uint32_t k = 0; k < n; k++)
               for (uint32_t m = 0; m < 16 * bench_samples(b); m++)
                  if (blocks[k].mask[m / 16] >> m % 16 & 1)
                     sum[bench_index(b, &blocks[k], m % 16, m / 16)] += b->prims[i].flipped ? -1 : 1;
         }
}

/* True if the eye may lie on the surface (a flat face not all in front): then it has no winding
 * number. */
static bool
eye_on_surface(const struct bench_vertex *v, uint32_t count)
{
   for (uint32_t i = 0; i < count; i += 3) {
      float xyw[3][3];
      bool in_front = true;
      for (uint32_t k = 0; k < 3; k++) {
         const float *p = v[i + k].position;
         memcpy(xyw[k], (float[3]){ p[0], p[1], p[3] }, sizeof xyw[k]);
         in_front &= p[3] > 0.0f;
      }
      if (!in_front && cf_exact_det_value(xyw[0], xyw[1], xyw[2]) == 0.0)
         return true;
   }
   return false;
}

/* A closed mesh of any vertices winds round the eye a whole number of times, the same in every
 * direction: seen along any pixel or sample, faces turned to the front less faces turned to the back is one
 * number. One leak or double hit on any edge or vertex breaks it. The mesh is an octahedron, each
 * face cut at a random vertex, twice. */
static void
test_closed_meshes_are_watertight(void **state)
{
   (void)state;
   static const uint8_t octahedron[8][3] = { { 0, 2, 4 }, { 2, 1, 4 }, { 1, 3, 4 }, { 3, 0, 4 },
                                             { 2, 0, 5 }, { 1, 2, 5 }, { 3, 1, 5 }, { 0, 3, 5 } };
   uint32_t round_the_eye = 0, meshes = 0;
   for (uint32_t n = 0; n < 3000; n++) {
      struct bench b;
      struct bench_vertex corner[6], v[8 * 9 * 3];
      uint32_t count = 0;
      bench_init(&b, below(2) ? 32 : 21, 16, 100);
      b.config.samples = n % 2 ? CF_SAMPLES : 1;
      random_viewport(&b);
      for (int i = 0; i < 6; i++)
         corner[i] = random_vertex(&b);
      for (int f = 0; f < 8; f++) {
         struct bench_vertex mid = random_vertex(&b);
         for (int s = 0; s < 3; s++, count += 3) {
            v[count] = corner[octahedron[f][s]];
            v[count + 1] = corner[octahedron[f][(s + 1) % 3]];
            v[count + 2] = mid;
         }
      }
      if (!eye_on_surface(v, count)) {
         int sum[32 * 16 * CF_SAMPLES];
         const uint32_t samples = bench_samples(&b);
         bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, count);
         signed_coverage(&b, sum);
         const int winding = sum[(b.height_px / 2 * b.width_px + b.width_px / 2) * samples];
         for (uint32_t i = 0; i < b.width_px * b.height_px * samples; i++) {
            const uint32_t p = i / samples;
            assert_int_equal(sum[i], in_viewport(&b, p % b.width_px, p / b.width_px) ? winding : 0);
         }
         round_the_eye += winding != 0;
         meshes++;
      }
      bench_free(&b);
   }
   print_message("%u of %u meshes wind round the eye\n", round_the_eye, meshes);
   assert_true(meshes > 500 && round_the_eye > 30);
}

/* A fan round a hub at the centre of a pixel, its rim outside the window. */
static void
draw_fan(struct bench *b)
{
   struct bench_vertex v[14];
   const uint32_t spokes = 3 + below(10);
   const float turn = 3 * uniform();
   v[0] = vertex_at_pixel(b, 3 + below(b->width_px - 6), 3 + below(b->height_px - 6),
                          1 + 0.9f * uniform());
   for (uint32_t i = 0; i < spokes; i++) {
      const float w = 1 + 0.9f * uniform(),
                  angle = turn + 6.2831853f * (i + 0.2f * uniform()) / spokes;
      v[1 + i] = bench_vertex(20 * w * cosf(angle), 20 * w * sinf(angle), 0, w);
   }
   v[spokes + 1] = v[1];
   bench_draw(b, CF_PRIM_KIND_TRIANGLE_FAN, v, spokes + 2);
}

/* How often fans miss, or hit twice, the pixel their hub lies on (or any other). */
static void
count_fans(enum cf_setup_policy policy, uint32_t fans, uint32_t *missed, uint32_t *twice)
{
   struct bench b;
   bench_init(&b, 128, 64, 16);
   b.config.policy = policy;
   *missed = *twice = 0;
   for (uint32_t n = 0; n < fans; n++) {
      bool miss = false, twin = false;
      bench_clear(&b);
      draw_fan(&b);
      bench_raster(&b, cf_host_level());
      for (uint32_t p = 0; p < 128 * 64; p++) {
         miss |= b.covered[p] == 0;
         twin |= b.covered[p] > 1;
      }
      *missed += miss;
      *twice += twin;
   }
   bench_free(&b);
}

static void
test_fans_under_each_policy(void **state)
{
   (void)state;
   static const char *names[] = { "exact", "dp3", "fma" };
   uint32_t missed[3], twice[3];
   for (int p = 0; p < 3; p++) {
      count_fans(p, 800, &missed[p], &twice[p]);
      print_message("%s: of 800 fans round a pixel centre, %u miss a pixel, %u cover one twice\n",
                    names[p], missed[p], twice[p]);
   }
   assert_int_equal(missed[CF_SETUP_EXACT] + twice[CF_SETUP_EXACT], 0);
   assert_in_range(missed[CF_SETUP_DP3], 10, 200); /* the paper's rounding */
   assert_in_range(twice[CF_SETUP_DP3], 100, 600);
   assert_true(missed[CF_SETUP_FMA] + twice[CF_SETUP_FMA] > 100);
}

static void
random_scene(struct bench *b, uint32_t triangles)
{
   bench_clear(b);
   for (uint32_t i = 0; i < triangles; i++) {
      struct bench_vertex v[3];
      if (below(3) == 0) {
         random_triangle(b, v);
      } else {
         const float x = uniform(), y = uniform(), size = power_of_ten(2);
         for (int k = 0; k < 3; k++)
            v[k] = bench_vertex(x + size * uniform(), y + size * uniform(), 1.5f * uniform(), 1);
      }
      bench_draw(b, CF_PRIM_KIND_TRIANGLES, v, 3);
   }
}

/* Scissor and tiles only select pixels. */
static void
test_scissor_selects(void **state)
{
   (void)state;
   struct bench whole, cut;
   bench_init(&whole, 200, 150, 300);
   bench_init(&cut, 200, 150, 300);
   for (uint32_t n = 0; n < 30; n++) {
      const struct cf_random before = random_state;
      random_scene(&whole, 200);
      random_state = before;
      cut.config.scissor =
         (struct cf_scissor){ below(100), below(75), 100 + below(100), 75 + below(75) };
      const struct cf_scissor s = cut.config.scissor;
      random_state = before;
      random_scene(&cut, 200);
      bench_raster(&whole, cf_host_level());
      bench_raster(&cut, cf_host_level());
      for (uint32_t y = 0; y < 150; y++)
         for (uint32_t x = 0; x < 200; x++) {
            const bool in = x >= s.min_x_px && x < s.max_x_px && y >= s.min_y_px && y < s.max_y_px;
            assert_int_equal(cut.covered[y * 200 + x], in ? whole.covered[y * 200 + x] : 0);
         }
   }
   bench_free(&whole);
   bench_free(&cut);
}

static void
compare_blocks(const struct bench *b, const struct cf_prim *prim, int level, uint32_t x, uint32_t y)
{
   struct cf_raster_samples base[256], other[256];
   memset(base, 0, sizeof base); /* what is not written of them is compared too */
   memset(other, 0, sizeof other);
   const uint32_t c0 = bench_tile(b, CF_HOST_BASE, prim, x, y, base);
   const uint32_t c1 = bench_tile(b, level, prim, x, y, other);
   assert_int_equal(c0, c1);
   assert_memory_equal(base, other, c0 * sizeof base[0]);
}

/* Set-up and raster at every host level the machine has: the same bits. */
static void
test_host_levels_agree(void **state)
{
   (void)state;
   const int best = cf_host_level();
   struct bench b[2];
   bench_init(&b[0], 200, 150, 300);
   bench_init(&b[1], 200, 150, 300);
   for (uint32_t n = 0; n < 30; n++) {
      const int level = n % (best + 1);
      random_viewport(&b[0]);
      b[0].config.raster.depth_clip_near = b[0].config.raster.depth_clip_far = n & 1;
      b[0].config.samples = n & 2 ? CF_SAMPLES : 1;
      b[1].config = b[0].config;
      b[0].config.level = CF_HOST_BASE;
      b[1].config.level = level;
      const struct cf_random before = random_state;
      random_scene(&b[0], 200);
      random_state = before;
      random_scene(&b[1], 200);
      assert_int_equal(b[0].count, b[1].count);
      for (uint32_t i = 0; i < b[0].count; i++) {
         const struct cf_prim *p = &b[0].prims[i], *q = &b[1].prims[i];
         assert_memory_equal(p, q, offsetof(struct cf_prim, config));
         assert_true(p->inclusive == q->inclusive && p->front == q->front &&
                     p->flipped == q->flipped && p->planes == q->planes);
         assert_memory_equal(b[0].varyings[i], b[1].varyings[i], sizeof b[0].varyings[i]);
         for (uint32_t tile = 0; tile < 12; tile++)
            compare_blocks(&b[0], p, level, tile % 4 * 64, tile / 4 * 64);
      }
   }
   bench_free(&b[0]);
   bench_free(&b[1]);
}

/* A triangle, or sometimes another primitive, of some pixels on the samples' lattice, or hostile;
 * some lie before the near plane. `points`: a point. */
static void
draw_small_primitive(struct bench *b, bool points)
{
   static const enum cf_prim_kind kinds[] = { CF_PRIM_KIND_TRIANGLES, CF_PRIM_KIND_TRIANGLES, CF_PRIM_KIND_TRIANGLES,
                                              CF_PRIM_KIND_LINES, CF_PRIM_KIND_POINTS };
   const enum cf_prim_kind kind = points ? CF_PRIM_KIND_POINTS : kinds[below(5)];
   const uint32_t x_px = below(b->width_px), y_px = below(b->height_px);
   struct bench_vertex v[3];
   random_triangle(b, v);
   for (uint32_t i = 0; i < 3 && below(8) != 0; i++) {
      v[i] = vertex_at_pixel(b, x_px + below(96) / 16.0 - 0.5, y_px + below(96) / 16.0 - 0.5, 1.0f + (float)below(2));
      v[i].position[2] = 4.0f * uniform();
   }
   bench_draw(b, kind, v, kind == CF_PRIM_KIND_TRIANGLES ? 3 : kind == CF_PRIM_KIND_LINES ? 2 : 1);
}

/* By rows of blocks. */
static int
compare_places(const void *a, const void *b)
{
   const struct cf_raster_block *p = a, *q = b;
   return p->y_px != q->y_px ? p->y_px - q->y_px : p->x_px - q->x_px;
}

/* raster_small of a tile against raster_tile of each primitive; returns the number of blocks. */
static uint32_t
compare_small(const struct bench *b, enum cf_host_level level, uint32_t x_px, uint32_t y_px)
{
   const struct cf_prim *small[CF_SMALL_PRIMS];
   struct cf_prim_block expected[4 * CF_SMALL_PRIMS], found[4 * CF_SMALL_PRIMS];
   struct cf_raster_block blocks[256];
   uint32_t small_count = 0, count = 0;
   for (uint32_t i = 0; i < b->count; i++) {
      const struct cf_prim *prim = &b->prims[i];
      if (!cf_prim_is_small(prim, x_px, y_px))
         continue;
      small[small_count++] = prim;
      const uint32_t n = cf_primitive_ops_at(CF_HOST_BASE)->raster_tile(prim, x_px, y_px, blocks);
      qsort(blocks, n, sizeof blocks[0], compare_places); /* lines are in another order there */
      for (uint32_t k = 0; k < n; k++)
         expected[count++] = (struct cf_prim_block){ prim, blocks[k].x_px, blocks[k].y_px, blocks[k].mask };
   }
   assert_int_equal(cf_primitive_ops_at(level)->raster_small(small, small_count, x_px, y_px, found), count);
   for (uint32_t i = 0; i < count; i++) {
      assert_ptr_equal(found[i].prim, expected[i].prim);
      assert_true(found[i].x_px == expected[i].x_px && found[i].y_px == expected[i].y_px);
      assert_int_equal(found[i].mask, expected[i].mask);
      assert_int_equal(found[i].covered, expected[i].mask);
   }
   return count;
}

/* Small primitives, many at once, cover what each covers alone. */
static void
test_small_primitives_together(void **state)
{
   (void)state;
   struct bench b;
   uint32_t blocks = 0;
   bench_init(&b, 128, 128, CF_SMALL_PRIMS);
   for (uint32_t round = 0; round < 3000; round++) {
      random_viewport(&b);
      b.config.raster.depth_clip_near = b.config.raster.depth_clip_far = below(2);
      b.config.scissor = (struct cf_scissor){ .max_x_px = 128, .max_y_px = 128 };
      if (below(4) == 0) {
         b.config.scissor.min_x_px = below(120);
         b.config.scissor.max_x_px = b.config.scissor.min_x_px + 1 + below(8);
      }
      b.config.raster.line_width_px = 1.0f + (float)below(4);
      b.config.raster.point_size_px = 1.0f + (float)below(6);
      b.config.raster.bottom_edge_rule = below(2);
      bench_clear(&b);
      const bool points = below(4) == 0;
      for (uint32_t i = below(CF_SMALL_PRIMS + 1); i > 0; i--)
         draw_small_primitive(&b, points);
      for (uint32_t tile = 0; tile < 4; tile++)
         blocks += compare_small(&b, round % (cf_host_level() + 1), tile % 2 * 64, tile / 2 * 64);
   }
   assert_true(blocks > 1000);
   bench_free(&b);
}

/* Which faces are drawn: every combination of orientation, mirrored viewport, front_ccw and
 * culling. */
static void
test_facing_and_culling(void **state)
{
   (void)state;
   const struct bench_vertex ccw[3] = { bench_vertex(-1, -1, 0, 1), bench_vertex(1, -1, 0, 1),
                                        bench_vertex(0, 1, 0, 1) };
   const struct bench_vertex cw[3] = { ccw[0], ccw[2], ccw[1] };
   for (uint32_t bits = 0; bits < 32; bits++) {
      struct bench b;
      const bool is_ccw = bits & 1, y_up = bits >> 1 & 1, front_ccw = bits >> 2 & 1;
      bench_init(&b, 8, 8, 1);
      b.config.viewport.scale_y = y_up ? -4 : 4; /* window y points down */
      b.config.raster.front_ccw = front_ccw;
      b.config.raster.cull_front = bits >> 3 & 1;
      b.config.raster.cull_back = bits >> 4 & 1;
      bench_draw(&b, CF_PRIM_KIND_TRIANGLES, is_ccw ? ccw : cw, 3);
      const bool seen_ccw = is_ccw == y_up, front = seen_ccw == front_ccw;
      const bool culled = front ? b.config.raster.cull_front : b.config.raster.cull_back;
      assert_int_equal(b.count, !culled);
      if (b.count != 0)
         assert_int_equal(cf_prim_front_facing(&b.prims[0]), front);
      bench_free(&b);
   }
}

static void
test_bad_vertices_draw_nothing(void **state)
{
   (void)state;
   struct bench b;
   bench_init(&b, 8, 8, 1);
   for (uint32_t i = 0; i < 24; i++) {
      struct bench_vertex v[3] = { bench_vertex(-1, -1, 0, 1), bench_vertex(1, -1, 0, 1),
                                   bench_vertex(0, 1, 0, 1) };
      v[i / 8].position[i / 2 % 4] = i & 1 ? NAN : -INFINITY;
      bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
      bench_draw(&b, CF_PRIM_KIND_LINES, &v[i / 8], 1);
      bench_draw(&b, CF_PRIM_KIND_POINTS, &v[i / 8], 1);
      assert_int_equal(b.count, 0);
   }
   const struct bench_vertex behind[3] = { bench_vertex(-1, -1, 0, -1), bench_vertex(1, -1, 0, 0),
                                           bench_vertex(0, 1, 0, -1) };
   bench_draw(&b, CF_PRIM_KIND_TRIANGLES, behind, 3);
   assert_int_equal(b.count, 0);
   bench_free(&b);
}

/* A viewport without area or with a number that is none draws nothing. */
static void
test_bad_viewports_draw_nothing(void **state)
{
   (void)state;
   static const float bad[] = { NAN, INFINITY, -INFINITY, 0.0f };
   struct bench b;
   bench_init(&b, 8, 8, 1);
   const struct cf_viewport good = b.config.viewport;
   struct cf_setup setup;
   assert_true(cf_setup_init(&setup, &b.config, &b.sink));
   for (uint32_t i = 0; i < 4; i++) {
      float *const field[] = { &b.config.viewport.scale_x,     &b.config.viewport.scale_y,
                               &b.config.viewport.translate_x, &b.config.viewport.translate_y,
                               &b.config.viewport.scale_z,     &b.config.viewport.translate_z };
      for (uint32_t k = 0; k < 6; k++) {
         const bool may_be_zero = k >= 2;
         b.config.viewport = good;
         *field[k] = bad[i];
         assert_int_equal(cf_setup_init(&setup, &b.config, &b.sink), bad[i] == 0 && may_be_zero);
      }
   }
   bench_free(&b);
}

/* Tiles beside a primitive's pixels are not touched; those with one of its pixels are. */
static void
test_tiles_touched(void **state)
{
   (void)state;
   struct bench b;
   bench_init(&b, 192, 192, 1);
   const struct bench_vertex v[3] = { at_window(&b, 70, 70, 1), at_window(&b, 120, 70, 1),
                                      at_window(&b, 70, 120, 1) };
   bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
   assert_int_equal(b.count, 1);
   for (uint32_t y = 0; y < 192; y += 64)
      for (uint32_t x = 0; x < 192; x += 64)
         assert_int_equal(cf_prim_touches_tile(&b.prims[0], x, y), x == 64 && y == 64);
   bench_free(&b);
}

/* The text names all that decides coverage and depth. */
static void
test_print(void **state)
{
   (void)state;
   char *text;
   size_t size_B;
   struct bench b;
   bench_init(&b, 16, 16, 1);
   const struct bench_vertex v[3] = { at_window(&b, 2, 2, 1), at_window(&b, 10, 2, 1),
                                      at_window(&b, 2, 12, 1) };
   static const struct {
      enum cf_prim_kind kind;
      const char *head;
      uint32_t edges;
   } cases[] = {
      { CF_PRIM_KIND_TRIANGLES, "triangle of draw 0x40: ", 3 },
      { CF_PRIM_KIND_LINES, "line of draw 0x40: ", 4 },
      { CF_PRIM_KIND_POINTS, "point of draw 0x40: ", 0 },
   };
   for (uint32_t i = 0; i < 3; i++) {
      b.count = 0;
      bench_draw(&b, cases[i].kind, v, 3 - i);
      assert_int_equal(b.count, 1);
      for (uint32_t front = 0; front < 2; front++) {
         FILE *file = open_memstream(&text, &size_B);
         b.prims[0].front = front;
         cf_prim_print(file, &b.prims[0], 0x40);
         fclose(file);
         uint32_t edges = 0, vertices = 0;
         for (const char *at = text; (at = strstr(at, "edge ")) != NULL; at++)
            edges++;
         for (const char *at = text; (at = strstr(at, "vertex ")) != NULL; at++)
            vertices++;
         assert_non_null(strstr(text, cases[i].head));
         assert_non_null(strstr(text, front ? ": front, " : ": back, "));
         assert_non_null(strstr(text, "depth: "));
         assert_int_equal(vertices, 3 - i);
         assert_int_equal(strstr(text, "across: ") != NULL, cases[i].kind == CF_PRIM_KIND_POINTS);
         assert_int_equal(edges, b.prims[0].edges);
         assert_true(!cases[i].edges || edges == cases[i].edges);
         if (i == 0) {
            assert_non_null(strstr(text, "pixels 2..9 x 2..11, "));
            assert_non_null(strstr(text, " >= 0, error "));
            assert_non_null(strstr(text, " > 0, error "));
         }
         free(text);
      }
   }
   bench_free(&b);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lattice_triangles),
      cmocka_unit_test(test_facing_and_culling),
      cmocka_unit_test(test_bad_vertices_draw_nothing),
      cmocka_unit_test(test_bad_viewports_draw_nothing),
      cmocka_unit_test(test_tiles_touched),
      cmocka_unit_test(test_print),
      cmocka_unit_test(test_coverage_is_exact),
      cmocka_unit_test(test_closed_meshes_are_watertight),
      cmocka_unit_test(test_fans_under_each_policy),
      cmocka_unit_test(test_scissor_selects),
      cmocka_unit_test(test_host_levels_agree),
      cmocka_unit_test(test_small_primitives_together),
   };
   random_state = cf_random_seed("primitive-raster");
   return cmocka_run_group_tests(tests, NULL, NULL);
}
