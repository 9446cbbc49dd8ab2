/* SPDX-License-Identifier: MIT */
/*
 * What is interpolated: window depth, near and far planes, polygon offset, barycentrics, system
 * values; against rationals.
 *
 * Bounds checked here, at covered pixels of triangles that are larger than a pixel: depth within
 * half a unit of f32 plus 2^-40; barycentrics within 3.1 * 2^-24 of themselves plus 2^-40. Of any
 * triangle: numbers, in range.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "clipfree/isa/cf_isa.h"
#include "clipfree/primitive/test_bench.h"
#include "clipfree/primitive/test_exact_reference.h"

static const struct cf_primitive_ops *
ops(void)
{
   return cf_primitive_ops_at(cf_host_level());
}

static float
as_float(uint32_t u)
{
   union {
      uint32_t u;
      float f;
   } v = { .u = u };
   return v.f;
}

static void
random_triangle(struct bench_vertex v[3], float z_range)
{
   for (int i = 0; i < 3; i++) {
      const float w = 1 + 0.8f * uniform();
      v[i] = bench_vertex(w * 1.2f * uniform(), w * 1.2f * uniform(), w * z_range * uniform(), w);
      for (int k = 0; k < 8; k++)
         v[i].slot[k / 4][k % 4] = uniform();
   }
}

/* Real values at a pixel: barycentrics b0, b1 and NDC depth. */
struct real_point {
   double b[3], z_ndc, inv_w;
};

static struct real_point
real_at(const struct real_triangle *t, const struct bench_vertex v[3], uint32_t x_px, uint32_t y_px)
{
   struct real_point r;
   mpq_t e[3], sum, z, w, q;
   mpq_inits(e[0], e[1], e[2], sum, z, w, q, NULL);
   for (int i = 0; i < 3; i++) {
      real_edge(t, i, x_px + 0.5, y_px + 0.5, e[i]);
      mpq_add(sum, sum, e[i]);
      real_add_mul(z, e[i], v[i].position[2]);
      real_add_mul(w, e[i], v[i].position[3]);
   }
   for (int i = 0; i < 3; i++) {
      mpq_div(q, e[i], sum);
      r.b[i] = mpq_get_d(q);
   }
   mpq_div(q, z, w);
   r.z_ndc = mpq_get_d(q);
   mpq_div(q, sum, w);
   r.inv_w = mpq_get_d(q);
   mpq_clears(e[0], e[1], e[2], sum, z, w, q, NULL);
   return r;
}

#define ALL_VARMODES (1 << CF_VARMODE_SMOOTH | 1 << CF_VARMODE_LINEAR | 1 << CF_VARMODE_CENTROID)

static bool
mask_has(uint32_t mask, uint32_t x, uint32_t y)
{
   return mask >> ((x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2) & 1;
}

/* Barycentrics, depth and 1 / w of one pixel of a primitive, through the task. */
static void
shade_pixel(const struct cf_prim *prim, uint32_t x, uint32_t y, bool covered, struct cf_task *task)
{
   const uint32_t lane = (x & 1) | (y & 1) << 1;
   const struct cf_quad quad = { prim, x & ~1u, y & ~1u, covered ? CF_QUAD_COVERED << lane : 0 };
   ops()->interpolate(&quad, 1, 0x1fff, ALL_VARMODES, task);
}

static void
test_barycentrics_and_depth(void **state)
{
   (void)state;
   static struct cf_task task;
   struct bench b;
   struct cf_raster_block blocks[256];
   uint32_t pixels = 0;
   bench_init(&b, 64, 64, 1);
   b.config.viewport.scale_y *= -1;
   for (uint32_t n = 0; n < 300; n++) {
      struct bench_vertex v[3];
      const float *records[3] = { v[0].position, v[1].position, v[2].position };
      struct real_triangle real;
      random_triangle(v, 0.99f);
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
      if (b.count == 0)
         continue;
      const struct cf_prim *prim = &b.prims[0];
      real_init(&real, &b.config, records);
      const uint32_t count = ops()->raster_tile(prim, 0, 0, blocks);
      for (uint32_t k = 0; k < count; k += 1 + below(8)) {
         const uint32_t x = blocks[k].x_px + below(4), y = blocks[k].y_px + below(4),
                        lane = (x & 1) | (y & 1) << 1;
         if (!mask_has(blocks[k].mask, x, y))
            continue;
         const struct real_point want = real_at(&real, v, x, y);
         float depth[16];
         shade_pixel(prim, x, y, true, &task);
         bench_depth_block(ops(), prim, blocks[k].x_px, blocks[k].y_px, CF_SAMPLE_CENTRE, depth);
         for (int i = 0; i < 2; i++) {
            const double linear = want.b[i] * v[i].position[3] * want.inv_w;
            assert_true(fabs(task.bary[i][lane] - want.b[i]) <=
                        3.1 * 0x1p-24 * want.b[i] + 0x1p-40);
            assert_true(task.centroid[i][lane] == task.bary[i][lane]); /* of one sample */
            assert_true(fabs(task.linear[i][lane] - linear) <= 1.1 * 0x1p-24 * linear + 0x1p-40);
         }
         const float z = as_float(task.sys[CF_SYSVAL_FRAG_Z][lane]),
                     w = as_float(task.sys[CF_SYSVAL_FRAG_W][lane]);
         assert_true(fabs(z - (want.z_ndc * 0.5 + 0.5)) <= 0x1p-25 + 0x1p-40);
         assert_true(fabs(w - want.inv_w) <= 1.1 * 0x1p-24 * want.inv_w);
         assert_true(z == depth[(x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2]);
         assert_true(as_float(task.sys[CF_SYSVAL_FRAG_X][lane]) == x + 0.5f);
         assert_true(as_float(task.sys[CF_SYSVAL_FRAG_Y][lane]) == y + 0.5f);
         assert_int_equal(task.sys[CF_SYSVAL_HELPER][lane], 0);
         assert_int_equal(task.sys[CF_SYSVAL_HELPER][lane ^ 1], UINT32_MAX);
         pixels++;
      }
      real_clear(&real);
   }
   assert_true(pixels > 1000);
   bench_free(&b);
}

/* Slivers, triangles across w = 0, huge and tiny ones: covered pixels get barycentrics in [0, 1]
 * and depth in range. */
static void
test_hostile_triangles_give_numbers(void **state)
{
   (void)state;
   static struct cf_task task;
   struct bench b;
   struct cf_raster_block blocks[256];
   uint32_t pixels = 0;
   bench_init(&b, 64, 64, 1);
   b.config.raster.depth_clip_near = b.config.raster.depth_clip_far = false;
   for (uint32_t n = 0; n < 20000; n++) {
      struct bench_vertex v[3];
      random_triangle(v, 2);
      for (int i = 0; i < 3; i++)
         for (int k = 0; k < 4; k++)
            if (below(3) == 0)
               v[i].position[k] *= powf(10.0f, (int)below(76) - 38) * (below(4) ? 1 : -1);
      if (below(2))
         for (int k = 0; k < 4; k++)
            v[2].position[k] = 0.5f * v[0].position[k] + 0.5f * v[1].position[k];
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
      const uint32_t count = b.count == 0 ? 0 : ops()->raster_tile(&b.prims[0], 0, 0, blocks);
      for (uint32_t k = 0; k < count; k += 1 + below(20)) {
         const uint32_t x = blocks[k].x_px + below(4), y = blocks[k].y_px + below(4),
                        lane = (x & 1) | (y & 1) << 1;
         if (!mask_has(blocks[k].mask, x, y))
            continue;
         shade_pixel(&b.prims[0], x, y, true, &task);
         for (int i = 0; i < 2; i++) {
            assert_true(task.bary[i][lane] >= 0.0f && task.bary[i][lane] <= 1.0f);
            assert_true(task.linear[i][lane] >= 0.0f && task.linear[i][lane] <= 1.0f);
            for (int q = 0; q < 4; q++)
               assert_true(task.bary[i][q] == task.bary[i][q] &&
                           task.linear[i][q] == task.linear[i][q]);
         }
         const float z = as_float(task.sys[CF_SYSVAL_FRAG_Z][lane]);
         assert_true(z >= 0.0f && z <= 1.0f);
         pixels++;
      }
   }
   assert_true(pixels > 1000);
   bench_free(&b);
}

static void
test_constant_depth_is_constant(void **state)
{
   (void)state;
   struct bench b;
   bench_init(&b, 64, 64, 1);
   for (uint32_t n = 0; n < 2000; n++) {
      struct bench_vertex v[3];
      const float k = uniform();
      float depth[16];
      random_triangle(v, 0);
      for (int i = 0; i < 3; i++) {
         v[i].position[3] = 0.25f * (1 + below(16));
         v[i].position[2] =
            ldexpf(floorf(ldexpf(k, 16)), -16) * v[i].position[3]; /* exact product */
      }
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
      if (b.count == 0)
         continue;
      const float want = (float)((double)v[0].position[2] / v[0].position[3] * 0.5 + 0.5);
      bench_depth_block(ops(), &b.prims[0], 4 * below(16), 4 * below(16), CF_SAMPLE_CENTRE, depth);
      for (int i = 0; i < 16; i++)
         assert_true(depth[i] == want);
   }
   bench_free(&b);
}

/* Pixels whose depth is clearly outside the view volume are not covered, those clearly inside are.
 */
static void
test_near_and_far_planes(void **state)
{
   (void)state;
   struct bench b, all;
   uint32_t cut = 0;
   bench_init(&b, 32, 32, 1);
   bench_init(&all, 32, 32, 1);
   b.config.viewport.scale_y *= -1;
   all.config.viewport.scale_y *= -1;
   for (uint32_t n = 0; n < 600; n++) {
      struct bench_vertex v[3];
      const float *records[3] = { v[0].position, v[1].position, v[2].position };
      struct real_triangle real;
      const bool near = below(2), far = below(2), halfz = below(2);
      random_triangle(v, 2);
      if (below(2))
         v[below(3)].position[3] *= -1;
      b.config.raster.depth_clip_near = near;
      b.config.raster.depth_clip_far = far;
      b.config.raster.clip_halfz = halfz;
      all.config.raster.depth_clip_near = all.config.raster.depth_clip_far = false;
      bench_clear(&b);
      bench_clear(&all);
      bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
      bench_draw(&all, CF_PRIM_KIND_TRIANGLES, v, 3);
      bench_raster(&b, cf_host_level());
      bench_raster(&all, cf_host_level());
      real_init(&real, &b.config, records);
      for (uint32_t p = 0; p < 32 * 32 && all.count != 0; p++) {
         if (!all.covered[p]) {
            assert_int_equal(b.covered[p], 0);
            continue;
         }
         const double z = real_at(&real, v, p % 32, p / 32).z_ndc, low = halfz ? 0.0 : -1.0;
         const bool out = (near && z < low) || (far && z > 1.0);
         if (fabs(z - low) > 1e-9 && fabs(z - 1.0) > 1e-9)
            assert_int_equal(b.covered[p], !out);
         cut += out;
      }
      real_clear(&real);
   }
   assert_true(cut > 1000);
   bench_free(&b);
   bench_free(&all);
}

static void
test_user_clip_planes(void **state)
{
   (void)state;
   struct bench b;
   bench_init(&b, 32, 32, 2);
   b.config.raster.clip_planes = 1 << 3 | 1 << 5;
   b.config.clip_planes.plane[4 * 3] = 1.0f; /* x >= 0 */
   b.config.clip_planes.plane[4 * 5 + 1] = 1.0f;
   b.config.clip_planes.plane[4 * 5 + 3] = 0.5f; /* y >= -w / 2 */
   const struct bench_vertex v[3] = { bench_vertex(-3, -3, 0, 1), bench_vertex(3, -3, 0, 1),
                                      bench_vertex(0, 9, 0, 3) };
   bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
   bench_raster(&b, cf_host_level());
   for (uint32_t y = 0; y < 32; y++)
      for (uint32_t x = 0; x < 32; x++)
         assert_int_equal(b.covered[y * 32 + x], x >= 16 && y < 24);
   bench_free(&b);
}

/* What two sides of a plane let through of a triangle is all of it, once, whichever vertex of the two the plane looks at; also where
 * the plane passes through vertices or is nowhere near them. */
static void
test_clip_plane_sides(void **state)
{
   (void)state;
   struct bench b;
   uint32_t cut = 0;
   bench_init(&b, 32, 32, 1);
   b.config.link[0] = (struct cf_link){ .present = true, .corners = true };
   for (int n = 0; n < 400; n++) {
      struct bench_vertex v[3];
      uint32_t count[32 * 32] = { 0 };
      for (int i = 0; i < 3; i++) {
         float p[8];
         for (int k = 0; k < 8; k++)
            p[k] = (float)((int)below(17) - 8) / (n % 2 ? 4 : 3);
         v[i] = bench_vertex(p[0], p[1], p[2] / 4, i == n % 3 ? p[3] : 2);
         memcpy(v[i].slot[0], p + 4, sizeof v[i].slot[0]);
      }
      b.config.raster.clip_planes = 0;
      b.config.clip_planes.has_vertex = n % 4 >= 2;
      for (int side = -1; side <= 1; side++) {
         for (int k = 0; k < 4 && side == -1; k++)
            b.config.clip_planes.plane[k] = (float)((int)below(9) - 4) + (k == 3 ? 0.125f : 0);
         for (int k = 0; k < 4 && side == 1; k++)
            b.config.clip_planes.plane[k] = -b.config.clip_planes.plane[k];
         b.config.raster.clip_planes = side != 0;
         bench_clear(&b);
         bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
         bench_raster(&b, cf_host_level());
         for (uint32_t p = 0; p < 32 * 32; p++)
            count[p] += side == 0 ? b.covered[p] << 16 : b.covered[p];
      }
      for (uint32_t p = 0; p < 32 * 32; p++) {
         assert_int_equal(count[p] & 0xffff, count[p] >> 16);
         cut += count[p] != 0;
      }
   }
   assert_true(cut > 10000);
   bench_free(&b);
}

/* A plane through pixel centres: those belong to the side that lies right of them or, on a
 * horizontal plane, below, whichever way the triangle is wound; so both sides together have each
 * once. A triangle that lies in the plane belongs to both. */
static void
test_clip_planes_through_centres(void **state)
{
   (void)state;
   static const struct {
      float plane[4];
      bool corners, both;          /* pixels lie at their corners; the plane is 0 everywhere */
      uint32_t min_x_px, min_y_px; /* of the plane's own side */
   } cases[] = {
      { { 1, 0, 0, -0x1p-5f }, false, false, 16, 0 },  /* 0 in column 16 */
      { { 0, -1, 0, -0x1p-5f }, false, false, 0, 16 }, /* 0 in row 16 */
      { { 1, 0, 0, 0 }, true, false, 16, 0 },          { { 0, -1, 0, 0 }, true, false, 0, 16 },
      { { 0, 0, 3, 0 }, false, true, 0, 0 },
   };
   struct bench b;
   bench_init(&b, 32, 32, 1);
   b.config.raster.clip_planes = 1;
   for (uint32_t n = 0; n < 4 * sizeof(cases) / sizeof(cases[0]); n++) {
      const uint32_t i = n / 4, side = n & 1, winding = n >> 1 & 1;
      /* w is not 1 everywhere */
      const struct bench_vertex left = bench_vertex(-3, -3, 0, 1),
                                right = bench_vertex(3, -3, 0, 1);
      const struct bench_vertex v[3] = { winding ? right : left, winding ? left : right,
                                         bench_vertex(0, 14, 0, 2) };
      b.config.raster.half_pixel_center = !cases[i].corners;
      for (uint32_t k = 0; k < 4; k++)
         b.config.clip_planes.plane[k] = side ? -cases[i].plane[k] : cases[i].plane[k];
      bench_show(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
      for (uint32_t y = 0; y < 32; y++)
         for (uint32_t x = 0; x < 32; x++) {
            const bool own = x >= cases[i].min_x_px && y >= cases[i].min_y_px;
            if (b.covered[y * 32 + x] != (cases[i].both || own == !side))
               fail_msg("case %u, side %u, winding %u: pixel %u, %u", i, side, winding, x, y);
         }
   }
   bench_free(&b);
}

/* The other policies of set-up cut at a plane between centres, too; a plane that is no number has
 * nothing inside. */
static void
test_clip_planes_under_each_policy(void **state)
{
   (void)state;
   static const enum cf_setup_policy policies[] = { CF_SETUP_EXACT, CF_SETUP_DP3, CF_SETUP_FMA };
   const struct bench_vertex v[3] = { bench_vertex(-3, -3, 0, 1), bench_vertex(3, -3, 0, 1),
                                      bench_vertex(0, 14, 0, 2) };
   struct bench b;
   bench_init(&b, 32, 32, 1);
   b.config.raster.clip_planes = 1;
   for (uint32_t i = 0; i < 3; i++) {
      b.config.policy = policies[i];
      for (uint32_t broken = 0; broken < 2; broken++) {
         b.config.clip_planes.plane[0] = 1;
         b.config.clip_planes.plane[3] = broken ? NAN : -0.25f;
         bench_show(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
         for (uint32_t p = 0; p < 32 * 32; p++)
            assert_int_equal(b.covered[p], !broken && p % 32 >= 20);
      }
   }
   bench_free(&b);
}

/* A slope that is not finite moves nothing, and an offset that is no number is none. */
static void
test_offset_of_odd_slopes(void **state)
{
   (void)state;
   struct bench b;
   struct cf_setup setup;
   bench_init(&b, 32, 32, 1);
   b.config.raster.offset_scale = 2.0f;
   b.config.raster.offset_units = 4.0f;
   assert_true(cf_setup_init(&setup, &b.config, &b.sink));
   const double units = 4 * 0x1p-23; /* of 24 bits of depth: 2^-24, twice */
   assert_true(cf_setup_depth_offset(&setup, 0.5, 1.0) == 1.0 + units);
   assert_true(cf_setup_depth_offset(&setup, INFINITY, 1.0) == units);
   assert_true(cf_setup_depth_offset(&setup, NAN, 1.0) == units);
   b.config.raster.offset_units = 0.0f;
   b.config.raster.offset_scale = INFINITY;
   assert_true(cf_setup_depth_offset(&setup, 0.0, 1.0) == 0.0);
   bench_free(&b);
}

/* Depth with offset = depth without + factor * slope + units * unit, clamped. */
static void
test_polygon_offset(void **state)
{
   (void)state;
   struct bench b;
   /* z_ndc = x: window depth (x + 1) / 2, slope 1 / 64 a pixel */
   const struct bench_vertex v[3] = { bench_vertex(-1, -1, -1, 1), bench_vertex(1, -1, 1, 1),
                                      bench_vertex(-1, 1, -1, 1) };
   static const struct {
      uint32_t bits;
      float scale, units, clamp;
      double want;
   } cases[] = {
      { 24, 0, 0, 0, 0 },
      { 24, 0, 64, 0, 64 * 0x1p-23 },
      { 16, 0, -8, 0, -8 * 0x1p-15 },
      { 24, 2, 0, 0, 2.0 / 64 },
      { 24, 2, 0, 0.015625f, 1.0 / 64 },
      { 24, -2, 0, -0.015625f, -1.0 / 64 },
      { 0, 0, 1024, 0, 1024 * 0x1p-23 }, /* floating point, largest z is 1 */
   };
   for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      float depth[16];
      bench_init(&b, 64, 64, 1);
      b.config.depth_format_bits = cases[i].bits;
      b.config.raster.offset_fill = true;
      b.config.raster.offset_scale = cases[i].scale;
      b.config.raster.offset_units = cases[i].units;
      b.config.raster.offset_clamp = cases[i].clamp;
      bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
      bench_depth_block(ops(), &b.prims[0], 16, 40, CF_SAMPLE_CENTRE, depth);
      assert_true(depth[0] == (float)(16.5 / 64 + cases[i].want));
      bench_depth_block(ops(), &b.prims[0], 0, 40, CF_SAMPLE_CENTRE, depth);
      assert_true(depth[0] == fmaxf((float)(0.5 / 64 + cases[i].want), 0.0f));
      bench_free(&b);
   }
}

/* One unit of offset is seen in the buffer, whatever the depth. */
static void
test_one_unit_resolves(void **state)
{
   (void)state;
   struct bench b;
   bench_init(&b, 64, 64, 2);
   for (uint32_t n = 0; n < 2000; n++) {
      const double steps = n & 1 ? 65535.0 : 16777215.0;
      const float z = n < 4 ? 0.0f : uniform();
      const struct bench_vertex v[3] = { bench_vertex(-1, -1, z, 1), bench_vertex(1, -1, z, 1),
                                         bench_vertex(-1, 1, z, 1) };
      float depth[2][16];
      bench_clear(&b);
      b.config.depth_format_bits = n & 1 ? 16 : 24;
      b.config.raster.offset_units = 1;
      for (uint32_t k = 0; k < 2; k++) {
         b.config.raster.offset_fill = k;
         bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
         bench_depth_block(ops(), &b.prims[k], 16, 40, CF_SAMPLE_CENTRE, depth[k]);
      }
      assert_true(rint(depth[0][0] * steps) < rint(depth[1][0] * steps) || depth[0][0] > 0.9999f);
   }
   bench_free(&b);
}

static void
test_depth_clamp(void **state)
{
   (void)state;
   struct bench b;
   float depth[16];
   const struct bench_vertex v[3] = { bench_vertex(-1, -1, -3, 1), bench_vertex(1, -1, 3, 1),
                                      bench_vertex(-1, 1, -3, 1) };
   bench_init(&b, 64, 64, 1);
   b.config.raster.depth_clip_near = b.config.raster.depth_clip_far = false;
   b.config.raster.depth_clamp = true;
   b.config.viewport.scale_z = -0.25f; /* depth range 0.75 .. 0.25 */
   bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
   bench_depth_block(ops(), &b.prims[0], 0, 40, CF_SAMPLE_CENTRE, depth);
   assert_true(depth[0] == 0.75f);
   bench_depth_block(ops(), &b.prims[0], 60, 40, CF_SAMPLE_CENTRE, depth);
   assert_true(depth[0] == 0.25f);
   bench_free(&b);
}

static float
varying(const struct cf_task *task, uint32_t quad, uint32_t lane, uint32_t dword)
{
   const float *p = task->varyings[quad][dword];
   return p[0] + task->bary[0][lane] * p[1] + task->bary[1][lane] * p[2];
}

static void
test_varyings_of_triangles(void **state)
{
   (void)state;
   static struct cf_task task;
   struct bench b;
   struct bench_vertex v[3];
   const float *records[3] = { v[0].position, v[1].position, v[2].position };
   struct real_triangle real;
   bench_init(&b, 64, 64, 1);
   b.config.link[1].flat = true;
   for (uint32_t n = 0; n < 300; n++) {
      random_triangle(v, 0.5f);
      b.config.raster.provoking_first = below(2);
      bench_clear(&b);
      bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
      if (b.count == 0)
         continue;
      real_init(&real, &b.config, records);
      const uint32_t x = below(64), y = below(64), lane = (x & 1) | (y & 1) << 1;
      if (real_covers(&real, x + 0.5, y + 0.5)) {
         const struct real_point r = real_at(&real, v, x, y);
         shade_pixel(&b.prims[0], x, y, true, &task);
         for (uint32_t i = 0; i < 4; i++) {
            const double want =
               r.b[0] * v[0].slot[0][i] + r.b[1] * v[1].slot[0][i] + r.b[2] * v[2].slot[0][i];
            assert_true(fabs(varying(&task, 0, lane, i) - want) < 2e-6);
            assert_true(varying(&task, 0, lane, 4 + i) ==
                        v[b.config.raster.provoking_first ? 0 : 2].slot[1][i]);
         }
      }
      real_clear(&real);
   }
   bench_free(&b);
}

/* Absent slots give (0, 0, 0, 1); the back slot is taken on back faces. */
static void
test_links(void **state)
{
   (void)state;
   for (uint32_t back = 0; back < 2; back++) {
      struct bench b;
      struct bench_vertex v[3];
      random_triangle(v, 0);
      bench_init(&b, 64, 64, 1);
      b.config.link[0].present = false;
      b.config.link[1] = (struct cf_link){
         .slot = 0, .back_slot = 1, .present = true, .two_sided = true, .flat = true
      };
      b.config.raster.front_ccw = true;
      do {
         bench_clear(&b);
         random_triangle(v, 0);
         bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
      } while (b.count == 0 || b.prims[0].front == back);
      for (uint32_t i = 0; i < 4; i++) {
         assert_true(b.varyings[0][i][0] == (i == 3) && b.varyings[0][i][1] == 0.0f &&
                     b.varyings[0][i][2] == 0.0f);
         assert_true(b.varyings[0][4 + i][0] == v[2].slot[back][i]);
      }
      bench_free(&b);
   }
}

/* A slot beyond the vertex record is absent; point coordinates are points' alone. */
static void
test_links_that_do_not_apply(void **state)
{
   (void)state;
   struct bench b;
   bench_init(&b, 32, 32, 1);
   struct bench_vertex v[3] = { at_window(&b, 4, 4, 1), at_window(&b, 24, 4, 1),
                                at_window(&b, 4, 24, 1) };
   for (uint32_t i = 0; i < 3; i++)
      for (uint32_t k = 0; k < 4; k++)
         v[i].slot[1][k] = (float)(10 * i + k);
   b.config.link[0] = (struct cf_link){ .slot = BENCH_SLOTS, .present = true };
   b.config.link[1] = (struct cf_link){ .slot = 1, .present = true, .sprite = true };
   bench_draw(&b, CF_PRIM_KIND_TRIANGLES, v, 3);
   assert_int_equal(b.count, 1);
   for (uint32_t k = 0; k < 4; k++) {
      assert_true(b.varyings[0][k][0] == (k == 3) && b.varyings[0][k][1] == 0.0f);
      assert_true(b.varyings[0][4 + k][0] == v[2].slot[1][k]);
      assert_true(b.varyings[0][4 + k][1] == v[0].slot[1][k] - v[2].slot[1][k]);
   }
   bench_free(&b);
}

/* Whole tasks, mixed primitives: the same bits at every level; lanes of missing quads repeat quad
 * 0. */
static void
test_host_levels_agree(void **state)
{
   (void)state;
   static struct cf_task base, other;
   struct bench b;
   bench_init(&b, 64, 64, 64);
   while (b.count < 40) {
      struct bench_vertex v[3];
      random_triangle(v, 1);
      bench_draw(&b,
                 below(2)   ? CF_PRIM_KIND_LINES
                 : below(4) ? CF_PRIM_KIND_TRIANGLES
                            : CF_PRIM_KIND_POINTS,
                 v, 3);
   }
   for (uint32_t n = 0; n < 3000; n++) {
      struct cf_quad quads[CF_TASK_QUADS];
      const uint32_t count = 1 + below(CF_TASK_QUADS), primitive = below(b.count), sysvals = 0x1ff8;
      for (uint32_t q = 0; q < count; q++)
         quads[q] = (struct cf_quad){ &b.prims[n & 1 ? primitive : below(b.count)], 2 * below(32),
                                      2 * below(32), below(1 << 24) };
      cf_primitive_ops_at(CF_HOST_BASE)->interpolate(quads, count, sysvals, ALL_VARMODES, &base);
      for (int level = CF_HOST_V3; level <= (int)cf_host_level(); level++) {
         _Alignas(64) float depth[2][CF_TASK_LANES];
         const uint32_t x_px = 4 * below(16), sample = below(CF_SAMPLES);
         cf_primitive_ops_at(level)->interpolate(quads, count, sysvals, ALL_VARMODES, &other);
         assert_memory_equal(base.bary, other.bary, sizeof base.bary);
         assert_memory_equal(base.linear, other.linear, sizeof base.linear);
         assert_memory_equal(base.centroid, other.centroid, sizeof base.centroid);
         for (uint32_t s = CF_SYSVAL_FRAG_X; s <= CF_SYSVAL_LANE; s++)
            assert_memory_equal(base.sys[s], other.sys[s], sizeof base.sys[s]);
         bench_depth_block(cf_primitive_ops_at(CF_HOST_BASE), quads[0].prim, x_px, 8, sample, depth[0]);
         bench_depth_block(cf_primitive_ops_at(level), quads[0].prim, x_px, 8, sample, depth[1]);
         assert_memory_equal(depth[0], depth[1], 16 * sizeof depth[0][0]);
         cf_primitive_ops_at(CF_HOST_BASE)->depth_quads(quads, count, sample, depth[0]);
         cf_primitive_ops_at(level)->depth_quads(quads, count, sample, depth[1]);
         assert_memory_equal(depth[0], depth[1], sizeof depth[0]);
      }
      bool one = true;
      for (uint32_t q = 0; q < CF_TASK_QUADS; q++) {
         assert_ptr_equal(base.varyings[q], quads[q < count ? q : 0].prim->varyings);
         one &= base.varyings[q] == base.varyings[0];
      }
      assert_int_equal(base.one_primitive, one);
   }
   bench_free(&b);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_barycentrics_and_depth),
      cmocka_unit_test(test_hostile_triangles_give_numbers),
      cmocka_unit_test(test_constant_depth_is_constant),
      cmocka_unit_test(test_near_and_far_planes),
      cmocka_unit_test(test_user_clip_planes),
      cmocka_unit_test(test_clip_plane_sides),
      cmocka_unit_test(test_clip_planes_through_centres),
      cmocka_unit_test(test_clip_planes_under_each_policy),
      cmocka_unit_test(test_offset_of_odd_slopes),
      cmocka_unit_test(test_polygon_offset),
      cmocka_unit_test(test_one_unit_resolves),
      cmocka_unit_test(test_depth_clamp),
      cmocka_unit_test(test_varyings_of_triangles),
      cmocka_unit_test(test_links),
      cmocka_unit_test(test_links_that_do_not_apply),
      cmocka_unit_test(test_host_levels_agree),
   };
   random_state = cf_random_seed("primitive-planes");
   return cmocka_run_group_tests(tests, NULL, NULL);
}
