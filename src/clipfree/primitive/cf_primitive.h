/* SPDX-License-Identifier: MIT */
/*
 * Primitive engine (paper A): primitive assembly, culling, set-up in clip space without clipping,
 * viewport mapping of the coefficients, binning by bounding box, rasterisation of a tile down to
 * 4x4 blocks, interpolation of the inputs of fragment tasks.
 *
 * Data flow: vertex records (post-transform store) -> cf_assemble -> cf_setup_* -> struct cf_prim
 * -> bins (cf_binner_add, cf_prim_touches_tile) -> raster_tile (4x4 blocks with coverage masks of
 * 16 bits, by cf_block_element) -> quads (cf_quad_pack.h) -> interpolate (a task of 8 quads).
 */
#ifndef CF_PRIMITIVE_H
#define CF_PRIMITIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "clipfree/interface/cf_choices.h"
#include "clipfree/interface/cf_packets.h"
#include "clipfree/shader/cf_task.h"

/* Configuration of the primitive engine during one draw. Primitives point to it, and rasterisation
 * reads clip planes, stipple and viewport from it: it must not change until the last primitive of
 * the draw is rendered. */
struct cf_primitive_config {
   struct cf_raster raster;
   struct cf_viewport viewport;
   struct cf_scissor scissor; /* already intersected with the frame buffer */
   enum cf_setup_policy policy;
   enum cf_host_level level; /* vector level of set-up */
   /* unit of polygon offset (r of GL 2.1 section 3.5.5): 16, 24: 2^-n; 0: floating-point depth */
   uint32_t depth_format_bits;
   /* Entries of `link`. A primitive has 4 * varying_slots varying dwords; each is 3 floats, the
    * coefficients of its interpolation (cf_task.varyings). */
   uint32_t varying_slots;
   uint32_t vertex_dwords; /* size of a vertex record */
   /* samples per pixel: 0 or 1: one, at the centre; CF_SAMPLES: multisample rasterisation */
   uint32_t samples;
   struct cf_clip_planes clip_planes;
   struct cf_stipple stipple;
   /* the last member: draws allocate only `varying_slots` entries of it */
   struct cf_link link[CF_MAX_VARYING_DWORDS / 4];
};

/* Shape of a set-up primitive. */
enum cf_prim_shape { CF_SHAPE_POINT, CF_SHAPE_LINE, CF_SHAPE_TRIANGLE };

/* A set-up primitive. Its fields are private to the primitive engine (cf_prim.h). Its varyings lie
 * in the caller's arena. */
struct cf_prim;
struct cf_quad;
#define CF_PRIM_LIMIT_B 512 /* upper limit of cf_prim_kind_B */

/* Bounding box of a primitive: the pixels that it may cover, inside the scissor; max exclusive. */
struct cf_prim_bounds {
   uint16_t min_x_px, min_y_px, max_x_px, max_y_px;
};

#define CF_SINK_PRIMS 4 /* primitives that set-up reserves at once, at most */

/* The output of set-up: memory for primitives, and a callback for each that is complete. */
struct cf_prim_sink {
   void *user;
   /** Reserve memory for `count` primitives and their varyings. False: out of memory; the owner of
    * the sink drops the draw and reports it. */
   bool (*reserve)(void *user, uint32_t count, struct cf_prim **prims, float (**varyings)[3]);
   /** Commit a primitive of the latest reservation: it is complete. Commits follow the order of
    * assembly; reserved primitives that cover no pixel are not committed. */
   void (*commit)(void *user, struct cf_prim *prim, const struct cf_prim_bounds *bounds);
   /** Positions first: complete, in place, a vertex record that has only its head so far
    * (CF_RECORD_PENDING). Called for the records of primitives that are not culled. False: the
    * record cannot be completed, the primitive is dropped. NULL: all records are complete. */
   bool (*complete)(void *user, const float *record);
};

/** Vertices of a primitive of this kind: 1 of points, 2 of lines, 3 of triangles, which quads and
 * polygons are cut into. Vertices that are only beside it (adjacency) do not count. */
static inline uint32_t
cf_prim_kind_vertices(enum cf_prim_kind prim)
{
   const bool lines = prim <= CF_PRIM_KIND_LINE_STRIP || prim == CF_PRIM_KIND_LINES_ADJACENCY ||
                      prim == CF_PRIM_KIND_LINE_STRIP_ADJACENCY;
   return prim == CF_PRIM_KIND_POINTS ? 1 : lines ? 2 : 3;
}

/** Size of a struct cf_prim of this kind, for arenas: a multiple of 64. Points that are drawn as
 * such, with one sample a pixel, are shorter than other primitives. */
uint32_t cf_prim_kind_B(const struct cf_primitive_config *config, enum cf_prim_kind prim);

/** Number of primitives in a run of `count` vertices: points, lines, or triangles, also those that
 * quads and polygons are cut into. */
uint32_t cf_assemble_count(enum cf_prim_kind prim, uint32_t count);

/** Whether culling reads only the heads of vertex records (the position), so that varyings are
 * needed for primitives that are not culled alone. False with user clip planes on gl_ClipVertex,
 * which is a varying. */
static inline bool
cf_assemble_reads_heads(const struct cf_primitive_config *config)
{
   return config->raster.clip_planes == 0 || !config->clip_planes.has_vertex;
}

struct cf_setup; /* cf_setup.h: set-up state, prepared for a configuration and a sink */

/** Assemble and set up primitives begin .. end - 1 (numbers as of cf_assemble_count) of a run of
 * `count` vertices. vertex[i] is the record of vertex i of the run; only vertices of these
 * primitives need one. Primitives that are culled or cover no pixel do not reach the sink. */
void cf_assemble(const struct cf_setup *setup, enum cf_prim_kind prim, uint32_t count, uint32_t begin, uint32_t end,
                 const float *const *vertex);

#define CF_GATHERED 64

/* Primitives of many short runs, gathered until set-up has as many as it takes at once. */
struct cf_prim_gather {
   const struct cf_setup *setup;
   enum cf_prim_kind prim;
   uint32_t batch, count; /* primitives: that set-up takes at once, and gathered so far */
   const float *vertex[3 * CF_GATHERED], *provoking[CF_GATHERED]; /* records */
};

/** Begin to gather primitives of this kind; there are none yet. */
void cf_prim_gather_begin(struct cf_prim_gather *gather, const struct cf_setup *setup,
                          enum cf_prim_kind prim);

/** cf_assemble, but the primitives may be set up later, in the order in which they are added: until
 * cf_prim_gather_end their records stay what and where they are. */
void cf_prim_gather_add(struct cf_prim_gather *gather, uint32_t count, uint32_t begin, uint32_t end,
                        const float *const *vertex);

/** Set up what is gathered; there is none then. */
void cf_prim_gather_end(struct cf_prim_gather *gather);

/** The vertices of primitive i of a run of `count` vertices, as numbers in the run. Returns how
 * many: 1, 2 or 3. Example: triangle 1 of a strip has vertices 1, 2, 3 in an order that keeps its
 * orientation. */
uint32_t cf_assemble_vertices(const struct cf_primitive_config *config, enum cf_prim_kind prim,
                              uint32_t count, uint32_t i, uint32_t vertex[3]);

/** Vertices of each primitive of a list, where they lie one after the other in their order; 0: of
 * kinds that are no lists. */
uint32_t cf_assemble_list_vertices(enum cf_prim_kind prim);

/** The vertices of primitive i as a geometry program takes them (GL 3.2 section 2.12.1): also those
 * beside it (adjacency). Returns how many: 1, 2, 3, 4 or 6. Example: of triangles with adjacency
 * 0, 2 and 4 are the triangle's; 1 is beside its side from 0 to 2. */
uint32_t cf_assemble_inputs(enum cf_prim_kind prim, uint32_t count, uint32_t i, uint32_t vertex[6]);

/** cf_assemble_vertices in the order in which feedback writes them: where the provoking vertex is
 * to be the first, also rotated until it is; halves of quads without it stay as they are. By the
 * other convention it is the last one already, but in polygons and quad strips. */
uint32_t cf_assemble_in_order(const struct cf_primitive_config *config, enum cf_prim_kind prim,
                              uint32_t count, uint32_t i, uint32_t vertex[3]);

/** The vertices that primitives begin .. end - 1 of a run use: first and last, inclusive, and
 * whether vertex 0 is used as well (fans, polygons, the closing line of a loop). A stippled line
 * strip also uses up to 1024 vertices before, for the position in the pattern; in longer strips the
 * pattern may restart there. */
void cf_assemble_span(const struct cf_primitive_config *config, enum cf_prim_kind prim,
                      uint32_t count, uint32_t begin, uint32_t end, uint32_t *first, uint32_t *last,
                      bool *needs_vertex_0);

#define CF_SAMPLE_CENTRE UINT32_MAX

/* A block: 4x4 pixels at (x_px, y_px), both multiples of 4, with masks of its pixels: bit
 * cf_block_element(x, y). `covered` beside `mask`: pixels that fail early tests still are helper
 * pixels of their quads, and derivatives must not depend on early tests. */
struct cf_raster_block {
   uint16_t x_px, y_px;
   uint16_t mask;    /* pixels to be shaded: covered, and passed by early tests so far */
   uint16_t covered; /* coverage: pixels that the primitive covers */
};

/* A struct cf_raster_block with its primitive, for blocks of several primitives. */
struct cf_prim_block {
   const struct cf_prim *prim;
   uint16_t x_px, y_px;
   uint16_t mask, covered;
};

#define CF_SMALL_PRIMS 32 /* small primitives that are rasterised together, at most */
#define CF_TILE_BLOCKS (CF_TILE_PX / 4 * (CF_TILE_PX / 4))

/** The number of the pixel's block in its tile, in row order. */
static inline uint32_t
cf_tile_block(uint32_t x_px, uint32_t y_px)
{
   return y_px % CF_TILE_PX / 4 * (CF_TILE_PX / 4) + x_px % CF_TILE_PX / 4;
}

/* A block of a frame with several samples a pixel. */
struct cf_raster_samples {
   uint16_t x_px, y_px;
   uint16_t mask[CF_SAMPLES]; /* by sample: pixels where it is covered, and passed tests so far */
   /* Masks of pixels, set by cf_raster_samples_note_coverage: */
   uint16_t covered;  /* any sample is covered */
   uint16_t centre;   /* the centre is covered for certain */
   uint16_t first[2]; /* bits 0 and 1 of the number of the first covered sample */
};

/** Derive covered, centre and first from the masks, before sample mask and early tests remove
 * samples from them. The centre is inside the convex hull of the samples: if all are covered, it is
 * too. */
static inline void
cf_raster_samples_note_coverage(struct cf_raster_samples *block)
{
   const uint16_t *m = block->mask;
   block->covered = m[0] | m[1] | m[2] | m[3];
   block->centre = m[0] & m[1] & m[2] & m[3];
   block->first[0] = (uint16_t)(~m[0] & (m[1] | ~m[2]));
   block->first[1] = (uint16_t)(~m[0] & ~m[1]);
}

/** Whether the primitive may cover a sample of the 64x64 tile at (x_px, y_px). Conservative: true
 * for some tiles that it does not cover. */
bool cf_prim_touches_tile(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px);

/** The lanes of a task of `count` quads whose primitives are front-facing. */
uint32_t cf_quads_front_facing(const struct cf_quad *quads, uint32_t count);

/** Print a primitive in readable form (CLIPFREE_DEBUG=setup). `packet`: GPU address of its draw. */
void cf_prim_print(FILE *file, const struct cf_prim *prim, uint64_t packet);
/** Set the address of the primitive's varyings. The caller may copy them there later. */
void cf_prim_set_varyings(struct cf_prim *prim, const float (*varyings)[3]);

/* A 2x2 quad of a task: the window position of its upper left pixel (both even), and masks of its
 * pixels. */
struct cf_quad {
   const struct cf_prim *prim;
   uint16_t x_px, y_px;
   uint32_t masks; /* CF_QUAD_* */
};

/* cf_quad.masks holds masks of four bits: pixel (x, y) is bit (x & 1) | (y & 1) << 1. Each name is
 * bit 0 of its mask: 0xf * CF_QUAD_UNSURE are all bits of that one. Frames of one sample use
 * CF_QUAD_COVERED alone. */
/* 3:0: the primitive covers a sample of the pixel; early tests do not change this */
#define CF_QUAD_COVERED 0x0001
#define CF_QUAD_UNSURE 0x0010 /* 7:4: covered, but the centre may be outside of the primitive */
/* 23:8: sample s of the pixel is to be written */
#define CF_QUAD_SAMPLE(s) (0x0100u << 4 * (s))
/* 31:24: bit b (0, 1) of the number of the pixel's first covered sample */
#define CF_QUAD_FIRST(b) (0x1000000u << 4 * (b))

/** One of the quad's pixel masks: `mask` is one of CF_QUAD_*. Example: pixels 0 and 3 are covered,
 * then the mask CF_QUAD_COVERED is 9. */
static inline uint32_t
cf_quad_mask(const struct cf_quad *quad, uint32_t mask)
{
   return quad->masks >> __builtin_ctz(mask) & 0xf;
}

/** The covered lanes of a task of `count` quads (CF_QUAD_COVERED). */
static inline uint32_t
cf_quads_covered(const struct cf_quad *quads, uint32_t count)
{
   uint32_t lanes = 0;
   for (uint32_t q = 0; q < count; q++)
      lanes |= cf_quad_mask(&quads[q], CF_QUAD_COVERED) << 4 * q;
   return lanes;
}

/* A bit for `varmodes`, beside bits of enum cf_varmode. Multisampling: in pixels that a triangle
 * covers in part, varyings are computed in f64 and rounded once, so that all triangles of one plane
 * get the same value there (cf_task.bary_rest). */
#define CF_VARMODES_SHARED (1u << 31)

struct cf_primitive_ops {
   /** Rasterise a primitive in the tile at (x_px, y_px): exact coverage, scissor, near and far
    * planes, user clip planes, stipple. Writes the covered blocks, at most CF_TILE_BLOCKS; returns
    * their number. */
   uint32_t (*raster_tile)(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px,
                           struct cf_raster_block *blocks);
   /** raster_tile for `count` primitives, at most CF_SMALL_PRIMS, that are small in the tile
    * (cf_prim_is_small), neither smooth nor stippled. Writes their blocks in the order of `prims`,
    * at most four each; returns their number. */
   uint32_t (*raster_small)(const struct cf_prim *const *prims, uint32_t count, uint32_t x_px, uint32_t y_px,
                            struct cf_prim_block *blocks);
   /** raster_tile for draws whose primitives may be smooth. Also writes, for each pixel of a mask,
    * the share of its area that is inside the primitive to
    * coverage[cf_tile_block][cf_block_element]; antialiasing multiplies alpha by it (GL 2.1
    * section 3.12). 1 if the primitive is not smooth. Entries of other pixels are undefined. */
   uint32_t (*raster_smooth)(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px, struct cf_raster_block *blocks,
                             float coverage[CF_TILE_BLOCKS][16]);
   /** raster_tile with coverage per sample, for configurations with CF_SAMPLES samples. */
   uint32_t (*raster_samples)(const struct cf_prim *prim, uint32_t x_px, uint32_t y_px,
                              struct cf_raster_samples *blocks);
   /** Window depth (with viewport and polygon offset, clamped to cf_prim.z_min .. z_max) of the
    * pixels of `count` quads, by lane: at a sample, or with CF_SAMPLE_CENTRE at centres. Lanes
    * beyond are copies of quad 0. For late tests; early tests compute the depth of blocks
    * themselves (cf_depth_lanes.h). */
   void (*depth_quads)(const struct cf_quad *quads, uint32_t count, uint32_t sample,
                       float depth[CF_TASK_LANES]);
   /** Compute the inputs of a fragment task of `count` quads: varyings, one_primitive, the
    * barycentrics that `varmodes` needs (bits of enum cf_varmode, and CF_VARMODES_SHARED) and the
    * system values in the bit set `sysvals`. Lanes beyond are copies of quad 0, so that no input is
    * undefined. */
   void (*interpolate)(const struct cf_quad *quads, uint32_t count, uint32_t sysvals,
                       uint32_t varmodes, struct cf_task *task);
};

/** Whether primitives of this shape are smooth (antialiased): their switch is on, and
 * multisampling, which overrides it (GL 2.1 section 3.2.1), is off. Point sprites never are
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

/** Whether lines may be cf_prim.replicated: wide lines, neither smooth nor multisampled. */
bool cf_lines_are_replicated(const struct cf_primitive_config *config);

/** Whether primitives of some shape are smooth. */
bool cf_primitive_is_smooth(const struct cf_primitive_config *config);

CF_LANES_DECLARE(struct cf_primitive_ops, cf_primitive_ops)

#endif
