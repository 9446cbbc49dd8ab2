/* SPDX-License-Identifier: MIT */
/*
 * Primitive engine (paper A): assembly, culling, set-up in clip space without clipping, viewport
 * mapping of the coefficients, bounding box and binning, raster of a tile down to 4x4 blocks, and
 * inputs of fragment tasks.
 *
 * Data flow: vertex records (post-transform store) -> cf_assemble -> cf_setup_* -> struct cf_prim
 * -> cf_prim_touches_tile (bins) -> raster_tile (4x4 blocks with masks of 16 bits by
 * cf_block_element) -> interpolate (inputs of a task of 8 quads).
 */
#ifndef CF_PRIMITIVE_H
#define CF_PRIMITIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "clipfree/interface/cf_choices.h"
#include "clipfree/interface/cf_packets.h"
#include "clipfree/shader/cf_task.h"

/* Configuration of the primitive engine during one draw. Primitives point to it, and raster reads
 * clip planes, stipple and viewport from it: it must stay unchanged as long as they are used. */
struct cf_primitive_config {
   struct cf_raster raster;
   struct cf_viewport viewport;
   struct cf_scissor scissor; /* already intersected with the frame buffer */
   enum cf_setup_policy policy;
   enum cf_host_level level; /* vector level of set-up */
   uint32_t depth_format_bits; /* unit of polygon offset: 16, 24: 2^-n; 0: floating point */
   /* entries of `link`; a primitive has 4 * varying_slots varying dwords, of 3 floats each */
   uint32_t varying_slots;
   uint32_t vertex_dwords; /* size of a vertex record */
   /* samples per pixel: 0, 1: one, at the centre; CF_SAMPLES: multisample rasterisation */
   uint32_t samples;
   struct cf_clip_planes clip_planes;
   struct cf_stipple stipple;
   /* the last member: draws allocate only `varying_slots` entries of it */
   struct cf_link link[CF_MAX_VARYING_DWORDS / 4];
};

/* Shape of a set-up primitive. */
enum cf_prim_shape { CF_SHAPE_POINT, CF_SHAPE_LINE, CF_SHAPE_TRIANGLE };

/* A set-up primitive. Its fields are the primitive engine's (cf_prim.h); varyings point into the
 * caller's arena. */
struct cf_prim;
struct cf_quad;
/** Size of a struct cf_prim, for arenas: a multiple of 64. */
extern const uint32_t cf_prim_size_B;
#define CF_PRIM_LIMIT_B 512 /* upper limit of cf_prim_size_B */

/* Bounds of a primitive: the rectangle of pixels that it may touch, inside the scissor; max
 * exclusive. */
struct cf_prim_bounds {
   uint16_t min_x_px, min_y_px, max_x_px, max_y_px;
};

#define CF_SINK_PRIMS 4

/* A sink: where set-up puts primitives. */
struct cf_prim_sink {
   void *user;
   /** Reserve memory for `count` primitives, at most CF_SINK_PRIMS, and their varyings. False: out
    * of memory; the owner of the sink drops the draw, and reports it. */
   bool (*reserve)(void *user, uint32_t count, struct cf_prim **prims, float (**varyings)[3]);
   /** A primitive reserved last is complete. Primitives come in order; some of those reserved may
    * be left out. */
   void (*commit)(void *user, struct cf_prim *prim, const struct cf_prim_bounds *bounds);
   /** Complete a vertex record that is a head alone (CF_RECORD_PENDING), in place: called for the
    * records of primitives that are not culled. False: it cannot be, drop the primitive. NULL: all
    * records are whole. */
   bool (*complete)(void *user, const float *record);
};

/** Number of primitives in a run of `count` vertices: points, lines, or triangles, also those that
 * quads and polygons are cut into. */
uint32_t cf_assemble_count(enum cf_prim_kind prim, uint32_t count);

/** Whether culling and set-up read only the heads of vertex records, apart from varyings of
 * primitives that are not culled. */
static inline bool
cf_assemble_reads_heads(const struct cf_primitive_config *config)
{
   return config->raster.clip_planes == 0 || !config->clip_planes.has_vertex;
}

struct cf_setup; /* cf_setup.h: made ready for a configuration and a sink */

/** Assemble and set up primitives begin .. end - 1 (numbered as cf_assemble_count counts) of a run
 * of `count` vertices. vertex[i] is the record of vertex i of the run; only the vertices of these
 * primitives need one. Culled and empty primitives do not reach the sink. */
void cf_assemble(const struct cf_setup *setup, enum cf_prim_kind prim, uint32_t count, uint32_t begin, uint32_t end,
                 const float *const *vertex);

/** The vertices of primitive i of a run of `count`: their numbers in the run. Returns their count:
 * 1, 2 or 3. */
uint32_t cf_assemble_vertices(const struct cf_primitive_config *config, enum cf_prim_kind prim,
                              uint32_t count, uint32_t i, uint32_t vertex[3]);

/** The range of a run's vertices that primitives begin .. end - 1 use: first and last, inclusive,
 * and whether vertex 0 is used as well (fans, polygons, closing lines). Stippled strips use up to
 * 1024 vertices before, to find their place in the pattern; in longer strips the pattern may start
 * anew there. */
void cf_assemble_span(const struct cf_primitive_config *config, enum cf_prim_kind prim,
                      uint32_t count, uint32_t begin, uint32_t end, uint32_t *first, uint32_t *last,
                      bool *needs_vertex_0);

#define CF_SAMPLE_CENTRE UINT32_MAX

/* A block: 4x4 pixels at (x_px, y_px), multiples of 4, with sets of its pixels: bit
 * cf_block_element(x, y). `covered` is kept beside `mask` because interpolation must not depend on
 * early tests: derivatives read neighbours that these took out. */
struct cf_raster_block {
   uint16_t x_px, y_px;
   uint16_t mask;    /* pixels to be shaded: covered ones, less those that early tests take out */
   uint16_t covered; /* pixels that the primitive covers */
};

/* A block and its primitive. */
struct cf_prim_block {
   const struct cf_prim *prim;
   uint16_t x_px, y_px;
   uint16_t mask, covered;
};

#define CF_SMALL_PRIMS 32 /* small triangles that are rasterised together: at most */
#define CF_TILE_BLOCKS (CF_TILE_PX / 4 * (CF_TILE_PX / 4))

/** The number of the pixel's block in its tile, in row order. */
static inline uint32_t
cf_tile_block(uint32_t x_px, uint32_t y_px)
{
   return y_px % CF_TILE_PX / 4 * (CF_TILE_PX / 4) + x_px % CF_TILE_PX / 4;
}

/* A block with several samples a pixel: a mask per sample. */
struct cf_raster_samples {
   uint16_t x_px, y_px;
   uint16_t mask[CF_SAMPLES];
   /* Set by cf_raster_samples_note_coverage, sets of pixels: with a covered sample; with a covered
    * centre for sure; and bits 0 and 1 of the number of the first covered sample */
   uint16_t covered, centre, first[2];
};

/** Note the coverage of a block before sample mask and early tests take samples out of its masks.
 * The centre lies between the samples: if all are covered, it is. */
static inline void
cf_raster_samples_note_coverage(struct cf_raster_samples *block)
{
   const uint16_t *m = block->mask;
   block->covered = m[0] | m[1] | m[2] | m[3];
   block->centre = m[0] & m[1] & m[2] & m[3];
   block->first[0] = (uint16_t)(~m[0] & (m[1] | ~m[2]));
   block->first[1] = (uint16_t)(~m[0] & ~m[1]);
}

/** Whether the primitive may cover a sample of the 64x64 tile at (x_px, y_px). Conservative: for
 * binning. */
bool cf_prim_touches_tile(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px);

/** The front-facing lanes of a task of `count` quads. */
uint32_t cf_quads_front_facing(const struct cf_quad *quads, uint32_t count);
const float (*cf_prim_varyings(const struct cf_prim *prim))[3];
/** Print a primitive, for people. `packet`: GPU address of its draw. */
void cf_prim_print(FILE *file, const struct cf_prim *prim, uint64_t packet);
/** Set the address of the primitive's varyings; they may be copied there later. */
void cf_prim_set_varyings(struct cf_prim *prim, const float (*varyings)[3]);

/* A 2x2 quad of a task: window position of its upper left pixel (both even), and sets of its
 * pixels, four bits each: pixel (x, y) is bit (x & 1) | (y & 1) << 1. */
struct cf_quad {
   const struct cf_prim *prim;
   uint16_t x_px, y_px;
   uint32_t sets; /* CF_QUAD_* */
};

/* 3:0: the primitive covers a sample of the pixel, early tests aside */
#define CF_QUAD_COVERED 0x0001
#define CF_QUAD_UNSURE 0x0010  /* 7:4: covered, but the centre may be outside of the primitive */
/* 23:8: sample s is to be written, in frames of several */
#define CF_QUAD_SAMPLE(s) (0x0100u << 4 * (s))
/* 31:24: bit b of the first covered sample's number */
#define CF_QUAD_FIRST(b) (0x1000000u << 4 * (b))

/** The pixels in one of the sets CF_QUAD_*, as bits 0 .. 3. */
static inline uint32_t
cf_quad_set(const struct cf_quad *quad, uint32_t set)
{
   return quad->sets >> __builtin_ctz(set) & 0xf;
}

/** The covered lanes of a task of `count` quads (CF_QUAD_COVERED). */
static inline uint32_t
cf_quads_covered(const struct cf_quad *quads, uint32_t count)
{
   uint32_t lanes = 0;
   for (uint32_t q = 0; q < count; q++)
      lanes |= cf_quad_set(&quads[q], CF_QUAD_COVERED) << 4 * q;
   return lanes;
}

/* A bit beside that of smooth varyings: pixels covered in part get values on which triangles of one
 * plane agree (cf_task.bary_rest). */
#define CF_VARMODES_SHARED (1u << 31)

struct cf_primitive_ops {
   /** Rasterise a primitive in the tile at (x_px, y_px): exact coverage, scissor, near and far
    * planes, clip planes, stipple. Writes the covered blocks, at most 256, in order; returns their
    * number. */
   uint32_t (*raster_tile)(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px,
                           struct cf_raster_block *blocks);
   /** raster_tile for `count` triangles, at most CF_SMALL_PRIMS, that are small in the tile
    * (cf_prim_is_small), neither smooth nor stippled. Writes the blocks of all of them, in order:
    * at most four each. */
   uint32_t (*raster_small)(const struct cf_prim *const *prims, uint32_t count, uint32_t x_px, uint32_t y_px,
                            struct cf_prim_block *blocks);
   /** raster_tile for draws whose primitives may be smooth. Also writes the share of each covered
    * pixel that is inside, by which antialiasing multiplies alpha (GL 2.1 section 3.12), to
    * coverage[cf_tile_block][cf_block_element]: 1 for primitives that are not smooth. Entries of
    * other pixels are undefined, or lie in 0 .. 1. */
   uint32_t (*raster_smooth)(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, struct cf_raster_block *blocks,
                             float coverage[CF_TILE_BLOCKS][16]);
   /** raster_tile with coverage per sample, for configurations with CF_SAMPLES samples. */
   uint32_t (*raster_samples)(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px,
                              struct cf_raster_samples *blocks);
   /** Window depth (with viewport and polygon offset, clamped to [0, 1]) of the pixels of `count`
    * quads, by lane: at a sample, or with CF_SAMPLE_CENTRE at centres. Lanes beyond are copies of
    * quad 0. Blocks have their depth in the early tests (cf_depth_lanes.h). */
   void (*depth_quads)(const struct cf_quad *quads, uint32_t count, uint32_t sample,
                       float depth[CF_TASK_LANES]);
   /** Interpolate the inputs of a fragment task of `count` quads: varyings, one_primitive, the
    * barycentrics that `varmodes` needs (bits of enum cf_varmode, and CF_VARMODES_SHARED) and the
    * system values in the bit set `sysvals`. Lanes beyond are copies of quad 0, so that nothing is
    * undefined. */
   void (*interpolate)(const struct cf_quad *quads, uint32_t count, uint32_t sysvals,
                       uint32_t varmodes, struct cf_task *task);
};
/** Whether primitives of this shape are smooth, so that they cover pixels in part: their switch is
 * on, and multisampling, which takes its place (GL 2.1 section 3.2.1), is off. Sprites never are
 * (section 3.3). */
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

/** Whether lines may be cf_prim.replicated: wide ones, neither smooth nor multisampled. */
bool cf_lines_are_replicated(const struct cf_primitive_config *config);

/** Whether primitives of any shape are smooth. */
bool cf_primitive_is_smooth(const struct cf_primitive_config *config);

CF_LANES_DECLARE(struct cf_primitive_ops, cf_primitive_ops)

#endif
