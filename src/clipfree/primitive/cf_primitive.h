/* SPDX-License-Identifier: MIT */
/*
 * Primitive engine (paper A): assembly, culling, set-up in clip space without clipping, viewport
 * mapping of the coefficients, bounding box and binning, tile raster down to 4x4 blocks, and the
 * inputs of fragment tasks.
 *
 * Data: vertex records (post-transform store) -> cf_assemble -> cf_setup_* -> struct cf_prim ->
 * cf_prim_touches_tile (bins)
 * -> raster_tile (4x4 blocks with 16-bit masks, bit = cf_block_element) -> interpolate (inputs of a
 * task of 8 quads).
 */
#ifndef CF_PRIMITIVE_H
#define CF_PRIMITIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "clipfree/interface/cf_choices.h"
#include "clipfree/interface/cf_packets.h"
#include "clipfree/shader/cf_task.h"

/* What the primitive engine is configured with during one draw. Primitives point to it: it must
 * stay, unchanged, as long as primitives set up with it are used (clip planes, stipple and viewport
 * are read from it in raster). */
struct cf_primitive_config {
   struct cf_raster raster;
   struct cf_viewport viewport;
   struct cf_scissor scissor; /* already intersected with the frame buffer */
   enum cf_setup_policy policy;
   enum cf_host_level level; /* set-up's code */
   uint32_t depth_format_bits; /* polygon offset units: 16, 24: 2^-n; 0: floating point; */
   uint32_t varying_slots; /* entries of link; varyings of a primitive: 4 * varying_slots dwords of
                              3 floats */
   uint32_t vertex_dwords; /* size of a vertex record */
   uint32_t samples;       /* per pixel: 0, 1: one, at the pixel's centre; CF_SAMPLES: multisample rasterisation */
   struct cf_clip_planes clip_planes;
   struct cf_stipple stipple;
   struct cf_link link[CF_MAX_VARYING_DWORDS / 4]; /* the last, since draws have room for `varying_slots` of them only */
};

/* What a set-up primitive is. */
enum cf_prim_shape { CF_SHAPE_POINT, CF_SHAPE_LINE, CF_SHAPE_TRIANGLE };

/* A set-up primitive, as bins hold it; owned by the primitive engine. varyings point into the
 * caller's arena. */
struct cf_prim;
struct cf_quad;
/** Bytes of a struct cf_prim, to lay out an arena (a multiple of 64). */
extern const uint32_t cf_prim_size_B;
#define CF_PRIM_LIMIT_B 512 /* and no more than that */

/* Rectangle of pixels a primitive may touch, max exclusive, inside the scissor. */
struct cf_prim_bounds {
   uint16_t min_x_px, min_y_px, max_x_px, max_y_px;
};

#define CF_SINK_PRIMS 4

/* Where set-up puts its results: one chunk's arena. */
struct cf_prim_sink {
   void *user;
   /** Room for `count` primitives, at most CF_SINK_PRIMS, and their varyings. False: out of memory
    * (the draw is dropped and reported by the sink's owner). */
   bool (*reserve)(void *user, uint32_t count, struct cf_prim **prims, float (**varyings)[3]);
   /** One of the primitives reserved last is complete; they come in order, but some may be left
    * out. */
   void (*commit)(void *user, struct cf_prim *prim, const struct cf_prim_bounds *bounds);
   /** Vertex records may be heads alone (CF_RECORD_PENDING): of a primitive that is not culled, each such record is to be completed,
    * in place. False: it cannot be, the primitive is dropped. NULL: records are whole. */
   bool (*complete)(void *user, const float *record);
};

/** Number of primitives (points, lines, triangles; quads and polygons count the triangles they are
 * cut into) that vertices first .. of a run of `count` vertices make. */
uint32_t cf_assemble_count(enum cf_prim_kind prim, uint32_t count);

/** Whether culling and set-up read no more of vertex records than their heads, but for the varyings of primitives that are not culled. */
static inline bool
cf_assemble_reads_heads(const struct cf_primitive_config *config)
{
   return config->raster.clip_planes == 0 || !config->clip_planes.has_vertex;
}

struct cf_setup; /* cf_setup.h: made ready for a configuration and a sink */

/** Assemble and set up primitives begin .. end - 1 (as counted by cf_assemble_count) of a run of
 * `count` vertices. `vertex[i]` is the record of the run's i-th vertex (indices into records; only
 * those these primitives use need exist). Culled and empty primitives never reach the sink. */
void cf_assemble(const struct cf_setup *setup, enum cf_prim_kind prim, uint32_t count, uint32_t begin, uint32_t end,
                 const float *const *vertex);

/** The vertices of primitive i of a run of `count`: their numbers in the run. Returns how many: 1, 2 or 3. */
uint32_t cf_assemble_vertices(const struct cf_primitive_config *config, enum cf_prim_kind prim,
                              uint32_t count, uint32_t i, uint32_t vertex[3]);

/** Range of a run's vertices that primitives begin .. end - 1 use: fills first and last
 * (inclusive), plus whether vertex 0 (fans, polygons, closing lines) is also used. Stippled strips
 * use up to 1024 vertices before, for their place in the pattern; in longer ones the pattern may
 * start anew there. */
void cf_assemble_span(const struct cf_primitive_config *config, enum cf_prim_kind prim,
                      uint32_t count, uint32_t begin, uint32_t end, uint32_t *first, uint32_t *last,
                      bool *needs_vertex_0);

#define CF_SAMPLE_CENTRE UINT32_MAX

/* A block found by raster: 4x4 pixels at (x_px, y_px), both multiples of 4. Sets of pixels: bit cf_block_element(x, y).
 * What is interpolated must not depend on tests that come before it: derivatives read the neighbours. */
struct cf_raster_block {
   uint16_t x_px, y_px;
   uint16_t mask;    /* to be shaded: tests before the shader take pixels out */
   uint16_t covered; /* by the primitive, whatever tests say */
};

/* The same of one of many primitives. */
struct cf_prim_block {
   const struct cf_prim *prim;
   uint16_t x_px, y_px;
   uint16_t mask, covered;
};

#define CF_SMALL_PRIMS 32 /* small triangles that are rasterised together, at most */
#define CF_TILE_BLOCKS (CF_TILE_PX / 4 * (CF_TILE_PX / 4))

/** The number of a pixel's block in its tile, in row order. */
static inline uint32_t
cf_tile_block(uint32_t x_px, uint32_t y_px)
{
   return y_px % CF_TILE_PX / 4 * (CF_TILE_PX / 4) + x_px % CF_TILE_PX / 4;
}

/* The same with several samples a pixel: a mask per sample. */
struct cf_raster_samples {
   uint16_t x_px, y_px;
   uint16_t mask[CF_SAMPLES];
   /* Of cf_raster_samples_note_coverage: pixels with a sample, pixels whose centre is sure to be inside, and bits 0 and 1
    * of the number of a pixel's first sample, of those that have one */
   uint16_t covered, centre, first[2];
};

/** Keep what of the block is covered, before samples are taken out of its masks. A pixel's centre
 * lies between its samples. */
static inline void
cf_raster_samples_note_coverage(struct cf_raster_samples *block)
{
   const uint16_t *m = block->mask;
   block->covered = m[0] | m[1] | m[2] | m[3];
   block->centre = m[0] & m[1] & m[2] & m[3];
   block->first[0] = (uint16_t)(~m[0] & (m[1] | ~m[2]));
   block->first[1] = (uint16_t)(~m[0] & ~m[1]);
}

/** False if no sample of the 64x64 tile at (x_px, y_px) can be covered (conservative; used
 * for binning). */
bool cf_prim_touches_tile(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px);

/** The lanes of a task of `count` quads whose primitives show their front. */
uint32_t cf_quads_front_facing(const struct cf_quad *quads, uint32_t count);
const float (*cf_prim_varyings(const struct cf_prim *prim))[3];
/** Lines of text for people. `packet`: the address of its draw. */
void cf_prim_print(FILE *file, const struct cf_prim *prim, uint64_t packet);
/** The primitive's varyings are, or are going to be, there. */
void cf_prim_set_varyings(struct cf_prim *prim, const float (*varyings)[3]);

/* A 2x2 quad of a task: window position of its upper left pixel (both even), and sets of its pixels,
 * four bits each, at (x & 1) | (y & 1) << 1. */
struct cf_quad {
   const struct cf_prim *prim;
   uint16_t x_px, y_px;
   uint32_t sets; /* CF_QUAD_* */
};

#define CF_QUAD_COVERED 0x0001 /* bits 3:0: the primitive covers any sample of the pixel, whatever tests say */
#define CF_QUAD_UNSURE 0x0010  /* 7:4: the pixel's centre may be outside of the primitive, though it is covered */
#define CF_QUAD_SAMPLE(s) (0x0100u << 4 * (s)) /* 23:8: sample s is to be written, in frames of several a pixel */
#define CF_QUAD_FIRST(b) (0x1000000u << 4 * (b)) /* 31:24: bit b of the number of the first covered sample, there */

/** One of the sets (a power of two), as bits 0..3. */
static inline uint32_t
cf_quad_set(const struct cf_quad *quad, uint32_t set)
{
   return quad->sets >> __builtin_ctz(set) & 0xf;
}

/** The lanes of a task of `count` quads that their primitives cover: CF_QUAD_COVERED. */
static inline uint32_t
cf_quads_covered(const struct cf_quad *quads, uint32_t count)
{
   uint32_t lanes = 0;
   for (uint32_t q = 0; q < count; q++)
      lanes |= cf_quad_set(&quads[q], CF_QUAD_COVERED) << 4 * q;
   return lanes;
}

/* With the bit of smooth varyings: those of pixels that are covered in part are made so that
 * triangles of one plane agree (struct cf_task: bary_rest, shared). */
#define CF_VARMODES_SHARED (1u << 31)

struct cf_primitive_ops {
   /** Covered blocks of the tile whose upper left pixel is (x_px, y_px): exact coverage, scissor,
    * near and far planes, clip planes, stipple. Writes at most 256 blocks, in order; returns their
    * number. */
   uint32_t (*raster_tile)(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px,
                           struct cf_raster_block *blocks);
   /** The same of `count` triangles, at most CF_SMALL_PRIMS, that are small in the tile
    * (cf_prim_is_small), neither smooth nor stippled: the blocks of all of them, in order. There is
    * room for four each. */
   uint32_t (*raster_small)(const struct cf_prim *const *prims, uint32_t count, uint32_t x_px, uint32_t y_px,
                            struct cf_prim_block *blocks);
   /** The same of draws whose primitives may be smooth, with the share of each covered pixel that is inside, which antialiasing
    * multiplies alpha with (GL 2.1 section 3.12): coverage[cf_tile_block][cf_block_element], 1 of primitives that are not smooth.
    * Those of other pixels are not written, or anything from 0 to 1. */
   uint32_t (*raster_smooth)(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, struct cf_raster_block *blocks,
                             float coverage[CF_TILE_BLOCKS][16]);
   /** raster_tile with coverage per sample, for primitives of a configuration with CF_SAMPLES
    * samples. */
   uint32_t (*raster_samples)(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px,
                              struct cf_raster_samples *blocks);
   /** Window depth (viewport, polygon offset, clamped to [0, 1]) of the pixels of `count` quads, by lane: at a
    * sample, or with CF_SAMPLE_CENTRE at the pixels' centres; lanes beyond are copies of quad 0. Of blocks:
    * cf_depth_lanes.h, as part of the early tests. */
   void (*depth_quads)(const struct cf_quad *quads, uint32_t count, uint32_t sample,
                       float depth[CF_TASK_LANES]);
   /** Inputs of a fragment task of `count` quads: varyings, one_primitive, the barycentrics that
    * the bit set `varmodes` (of enum cf_varmode, and CF_VARMODES_SHARED) needs and the system
    * values in the bit set `sysvals`; lanes of quads beyond count are copies of quad 0 (so that
    * nothing is undefined). */
   void (*interpolate)(const struct cf_quad *quads, uint32_t count, uint32_t sysvals,
                       uint32_t varmodes, struct cf_task *task);
};
/** True if primitives of this shape are smooth in a draw, so that they cover pixels in part: their switch is on, and
 * multisampling, which takes its place (GL 2.1 section 3.2.1), is off. Sprites never are (section 3.3). */
static inline bool
cf_shape_is_smooth(const struct cf_primitive_config *config, enum cf_prim_shape shape)
{
   const struct cf_raster *raster = &config->raster;
   if (raster->multisample)
      return false;
   return shape == CF_SHAPE_POINT  ? raster->point_smooth && !raster->point_quad
          : shape == CF_SHAPE_LINE ? raster->line_smooth
                                   : raster->poly_smooth;
}

/** True if pixels of lines in front of the eye may have the data of others (cf_prim.h): wide ones that are neither smooth nor
 * multisampled. */
bool cf_lines_are_replicated(const struct cf_primitive_config *config);

/** True if primitives of any shape are. */
bool cf_primitive_is_smooth(const struct cf_primitive_config *config);

CF_LANES_DECLARE(struct cf_primitive_ops, cf_primitive_ops)

#endif
