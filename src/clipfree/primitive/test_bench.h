/* SPDX-License-Identifier: MIT */
/*
 * What the primitive engine's tests share: a configuration of a w x h window, a sink that keeps
 * primitives, a frame that counts how often each pixel is covered, random numbers.
 */
#ifndef CF_TEST_BENCH_H
#define CF_TEST_BENCH_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/primitive/cf_prim.h"
#include "clipfree/primitive/cf_setup.h"

/* A test program's random numbers: its main() seeds them. */
static struct cf_random random_state __attribute__((unused));

/* In [-1, 1). */
static inline float
uniform(void)
{
   return (int32_t)cf_random_u32(&random_state) * 0x1p-31f;
}

static inline uint32_t
below(uint32_t n)
{
   return cf_random_below(&random_state, n);
}

static inline float
odd_number(void)
{
   static const float odd[] = { 0.0f,      -0.0f, 1.0f,      -1.0f,    INFINITY,
                                -INFINITY, NAN,   0x1p-149f, 0x1p127f, -0x1.fffffep127f,
                                0x1p-60f };
   return odd[below(sizeof odd / sizeof odd[0])];
}

/* w > 0, on a coarse grid now and then, so that edges are exact and corners shared. */
static inline void
ordinary_vertex(float v[4], float spread)
{
   const bool grid = below(4) == 0;
   v[3] = below(3) ? 1.0f : 0.1f + fabsf(uniform()) * 8.0f;
   for (uint32_t c = 0; c < 3; c++)
      v[c] = (grid ? (float)((int)below(17) - 8) / 8.0f : uniform() * spread) * v[3];
}

#define BENCH_SLOTS 2
#define BENCH_VERTEX_DWORDS 16
#define BENCH_VARYINGS (4 * BENCH_SLOTS)

/* A post-transform record: clip position, point size, edge flag, unused, two slots of varyings. */
struct bench_vertex {
   float position[4], point_size, edge_flag, unused[2], slot[BENCH_SLOTS][4];
};

#define BENCH_UNSET 0xff /* in each byte */

struct bench {
   struct cf_primitive_config config;
   struct cf_prim_sink sink;
   uint32_t count, capacity;
   struct cf_prim *prims;
   float (*varyings)[BENCH_VARYINGS][3];
   uint32_t width_px, height_px;
   uint8_t *covered; /* times, per pixel; with config.samples > 1 per sample, those of a pixel next to each other */
};

/* Depths of one block. */
static inline void
bench_depth_block(const struct cf_primitive_ops *ops, const struct cf_prim *prim, uint32_t x_px,
                  uint32_t y_px, uint32_t sample, float depth[16])
{
   struct cf_quad quads[4];
   float lanes[CF_TASK_LANES];
   for (uint32_t q = 0; q < 4; q++)
      quads[q] = (struct cf_quad){ prim, (uint16_t)(x_px + (q & 1) * 2), (uint16_t)(y_px + (q & 2)), 0 };
   ops->depth_quads(quads, 4, sample, lanes);
   memcpy(depth, lanes, 16 * sizeof(float));
}

static inline bool
bench_reserve(void *user, uint32_t count, struct cf_prim **prims, float (**varyings)[3])
{
   struct bench *b = user;
   assert(count <= CF_SINK_PRIMS && b->count + count <= b->capacity);
   for (uint32_t i = 0; i < count; i++) {
      prims[i] = &b->prims[b->count + i];
      varyings[i] = b->varyings[b->count + i];
   }
   return true;
}

static inline void
bench_commit(void *user, struct cf_prim *prim, const struct cf_prim_bounds *bounds)
{
   struct bench *b = user;
   assert(prim == &b->prims[b->count] && bounds->min_x_px < bounds->max_x_px);
   (void)prim;
   (void)bounds;
   b->count++;
}

/* Forget the primitives. What set-up does not write then is NaN, and no pointer. */
static inline void
bench_forget(struct bench *b)
{
   b->count = 0;
   memset(b->prims, BENCH_UNSET, b->capacity * sizeof *b->prims);
   memset(b->varyings, BENCH_UNSET, b->capacity * sizeof *b->varyings);
}

static inline void
bench_init(struct bench *b, uint32_t width_px, uint32_t height_px, uint32_t capacity)
{
   memset(b, 0, sizeof *b);
   struct cf_primitive_config *c = &b->config;
   c->raster.half_pixel_center = true;
   c->raster.depth_clip_near = c->raster.depth_clip_far = true;
   c->raster.line_width_px = c->raster.point_size_px = 1.0f;
   c->viewport.scale_x = c->viewport.translate_x = width_px / 2.0f;
   c->viewport.scale_y = -(c->viewport.translate_y = height_px / 2.0f);
   c->viewport.scale_z = c->viewport.translate_z = 0.5f;
   c->scissor.max_x_px = width_px;
   c->scissor.max_y_px = height_px;
   c->depth_format_bits = 24;
   c->level = cf_host_level();
   c->vertex_dwords = BENCH_VERTEX_DWORDS;
   c->varying_slots = BENCH_SLOTS;
   for (uint32_t i = 0; i < BENCH_SLOTS; i++)
      c->link[i] = (struct cf_link){ .slot = i, .present = true };
   b->sink = (struct cf_prim_sink){ b, bench_reserve, bench_commit };
   b->capacity = capacity;
   b->prims = aligned_alloc(64, capacity * sizeof *b->prims);
   b->varyings = malloc(capacity * sizeof *b->varyings);
   bench_forget(b);
   b->width_px = width_px;
   b->height_px = height_px;
   b->covered = calloc(width_px * height_px, CF_SAMPLES);
}

static inline void
bench_free(struct bench *b)
{
   free(b->prims);
   free(b->varyings);
   free(b->covered);
}

static inline struct bench_vertex
bench_vertex(float x, float y, float z, float w)
{
   return (
      struct bench_vertex){ .position = { x, y, z, w }, .point_size = 1.0f, .edge_flag = 1.0f };
}

/* Both have the same primitives, bit for bit. */
static inline void
bench_expect_same(struct bench *alone, struct bench *together, const char *level)
{
   if (alone->count != together->count)
      fail_msg("level %s: %u primitives, not %u", level, together->count, alone->count);
   for (uint32_t i = 0; i < alone->count; i++) {
      struct cf_prim a = alone->prims[i], b = together->prims[i];
      a.varyings = b.varyings = NULL;
      if (memcmp(&a, &b, sizeof a) ||
          memcmp(alone->varyings[i], together->varyings[i], sizeof alone->varyings[i]))
         fail_msg("level %s: primitive %u has other bits", level, i);
   }
}

/* Assemble and set up primitives begin .. end - 1 of a run; they are added to b->prims. */
static inline void
bench_assemble(struct bench *b, enum cf_prim_kind kind, uint32_t count, uint32_t begin,
               uint32_t end, const float *const *records)
{
   struct cf_setup setup;
   if (!b->config.raster.discard && cf_setup_init(&setup, &b->config, &b->sink))
      cf_assemble(&setup, kind, count, begin, end, records);
}

/* The same of a whole run of vertices. */
static inline void
bench_draw(struct bench *b, enum cf_prim_kind kind, const struct bench_vertex *v, uint32_t count)
{
   const float **records = malloc((count + 1) * sizeof *records);
   for (uint32_t i = 0; i < count; i++)
      records[i] = v[i].position;
   bench_assemble(b, kind, count, 0, cf_assemble_count(kind, count), records);
   free(records);
}

/* Samples a pixel. */
static inline uint32_t
bench_samples(const struct bench *b)
{
   return b->config.samples > 1 ? b->config.samples : 1;
}

/* Offset of sample s from its pixel's upper left corner, x (axis 0) or y. */
static inline double
bench_place_px(const struct bench *b, uint32_t s, uint32_t axis)
{
   return bench_samples(b) > 1 ? cf_sample_position[s][axis] / 16.0 : 0.5;
}

/* Raster one primitive in one tile, with one or several samples. */
static inline uint32_t
bench_tile(const struct bench *b, enum cf_host_level level, const struct cf_prim *prim, uint32_t x, uint32_t y,
           struct cf_raster_samples blocks[256])
{
   const struct cf_primitive_ops *ops = cf_primitive_ops_at(level);
   struct cf_raster_block plain[256];
   if (bench_samples(b) > 1)
      return ops->raster_samples(prim, x, y, blocks);
   const uint32_t n = ops->raster_tile(prim, x, y, plain);
   for (uint32_t k = 0; k < n; k++)
      blocks[k] = (struct cf_raster_samples){ plain[k].x_px, plain[k].y_px, { plain[k].mask } };
   return n;
}

/* Where bit m of the mask of sample s of a block is in b->covered. */
static inline uint32_t
bench_index(const struct bench *b, const struct cf_raster_samples *block, uint32_t m, uint32_t s)
{
   const uint32_t x = block->x_px + (m & 1) + (m >> 1 & 2), y = block->y_px + (m >> 1 & 1) + (m >> 2 & 2);
   return (y * b->width_px + x) * bench_samples(b) + s;
}

/* Raster all primitives, tile by tile; adds to b->covered. */
static inline void
bench_raster(struct bench *b, enum cf_host_level level)
{
   struct cf_raster_samples blocks[256];
   for (uint32_t y = 0; y < b->height_px; y += 64)
      for (uint32_t x = 0; x < b->width_px; x += 64)
         for (uint32_t i = 0; i < b->count; i++) {
            const uint32_t n = bench_tile(b, level, &b->prims[i], x, y, blocks);
            assert(n == 0 || cf_prim_touches_tile(&b->prims[i], x, y));
            for (uint32_t k = 0; k < n; k++)
               for (uint32_t m = 0; m < 16 * bench_samples(b); m++)
                  if (blocks[k].mask[m / 16] >> m % 16 & 1)
                     b->covered[bench_index(b, &blocks[k], m % 16, m / 16)]++;
         }
}

/* Forget primitives and coverage. */
static inline void
bench_clear(struct bench *b)
{
   b->count = 0;
   memset(b->covered, 0, (size_t)b->width_px * b->height_px * CF_SAMPLES);
}

/* A vertex at a window point, of depth 0. */
static inline struct bench_vertex
at_window(const struct bench *b, double x_px, double y_px, float w)
{
   const struct cf_viewport *vp = &b->config.viewport;
   return bench_vertex((float)((x_px - vp->translate_x) / vp->scale_x * w),
                       (float)((y_px - vp->translate_y) / vp->scale_y * w), 0, w);
}

/* Draw into an empty bench, and rasterise. */
static inline void
bench_show(struct bench *b, enum cf_prim_kind kind, const struct bench_vertex *v, uint32_t count)
{
   bench_clear(b);
   bench_draw(b, kind, v, count);
   bench_raster(b, cf_host_level());
}

#endif
