/* SPDX-License-Identifier: MIT */
/*
 * A render pass: draws and clears to one set of images, collected and then rendered sort-middle in
 * two parallel phases.
 *
 *   1. Chunks of at most CF_CHUNK_PRIMS primitives: vertices are shaded, primitives assembled, set
 * up and binned.
 *   2. Tiles, the fullest first: each walks all chunks in drawing order.
 *
 * Pictures do not depend on how the work is cut: primitives keep their order in every tile, and
 * tiles share nothing. So a pass may be rendered in pieces when what its primitives need exceeds
 * CF_PASS_LIMIT_B, or its draws CF_PASS_STATE_B.
 */
#ifndef CF_PASS_H
#define CF_PASS_H

#include "clipfree/command/cf_arena.h"
#include "clipfree/command/cf_draw.h"
#include "clipfree/command/cf_tile.h"
#include "clipfree/command/cf_workers.h"

#define CF_CHUNK_PRIMS 512
#define CF_PASS_LIMIT_B (64ull << 20)
/* Pieces of draws: they should still be in the cache when they are rendered. */
#define CF_PASS_STATE_B (768u << 10)

struct cf_pass;

struct cf_pass_stats {
   uint64_t draws, passes, chunks, vertex_tasks;
   uint64_t vertex_ns, tile_ns; /* wall time of the two phases */
   struct cf_tile_stats tile;
};

/** `print`: enum cf_print_flag. NULL: out of memory. */
struct cf_pass *cf_pass_create(const struct cf_units *units, struct cf_workers *workers, uint32_t print);
void cf_pass_destroy(struct cf_pass *pass);

/** Where the pieces of draws are to be allocated: valid until cf_pass_recycle. */
struct cf_arena *cf_pass_arena(struct cf_pass *pass);

/** The images of the draws that follow. Nothing may be pending. */
void cf_pass_begin(struct cf_pass *pass, const struct cf_frame *frame);

/** Add a draw or a clear. False: out of memory, or an earlier part of the pass ran out of it. */
bool cf_pass_draw(struct cf_pass *pass, const struct cf_draw_state *draw);

/** True if nothing has been added since the last cf_pass_finish. */
bool cf_pass_is_empty(const struct cf_pass *pass);

enum cf_pass_result {
   CF_PASS_DONE,
   CF_PASS_OUT_OF_MEMORY, /* some primitives are missing */
   CF_PASS_GAVE_UP,       /* the watchdog ended a task: what was not drawn by then is missing */
};

/** Render what is pending. */
enum cf_pass_result cf_pass_finish(struct cf_pass *pass);

/** After CF_PASS_GAVE_UP: the address of the draw packet. */
uint64_t cf_pass_given_up_packet(const struct cf_pass *pass);

/* A vertex program's load outside of a vertex buffer, which gave 0. */
struct cf_pass_outside {
   bool found;
   uint64_t packet; /* of the draw */
   const struct cf_decoded *program;
   struct cf_vertex_outside load;
};

/** One load outside of a vertex buffer since the last call, if there was any. */
bool cf_pass_take_outside(struct cf_pass *pass, struct cf_pass_outside *outside);

/** Empty the arena. Nothing may be pending. */
void cf_pass_recycle(struct cf_pass *pass);

void cf_pass_get_stats(const struct cf_pass *pass, struct cf_pass_stats *stats);

#endif
