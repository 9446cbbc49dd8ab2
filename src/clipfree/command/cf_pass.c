/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_pass.h"

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/command/cf_print.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define KEEP_B (16u << 20)   /* arenas keep this much between passes */
/* Pieces before one for which a draw, then its vertex stage, then what that names is asked for; and how much of it */
#define DRAWS_AHEAD 24
#define STAGES_AHEAD 16
#define DATA_AHEAD 8
#define DATA_AHEAD_B 256u
#define FETCHES_AHEAD 4
/* Draws join the vertices of others only while those are no more, and with so many of their own at most: small draws fill their
 * tasks together, and what is made of them stays in the first cache until it is set up. */
#define JOINED_VERTICES 128
#define JOINING_VERTICES CF_TASK_LANES
#define LOAD_CLASSES 33      /* powers of two of a tile's entries; 0: none */

/* Primitives begin .. end - 1 of one run of a draw. */
struct piece {
   _Alignas(16) uint32_t draw; /* copied so */
   uint32_t run_count; /* elements */
   uint32_t begin, end;
   struct cf_vertex_range range; /* what they use */
};

struct chunk {
   uint32_t first_piece, end_piece;
};

/* What a worker keeps of this pass. */
struct share {
   /* the tiles that are its own: tile_order[next_tile .. end_tile - 1]; whoever takes one advances */
   _Alignas(64) _Atomic uint32_t next_tile;
   uint32_t end_tile;
   uint32_t tiles_of_class[LOAD_CLASSES]; /* while tiles are ordered: their number, then the next place */
   struct cf_arena arena;                 /* the primitives and bins that it made */
   struct cf_pass_stats stats;            /* of what it rendered */
};

/* Where set-up puts primitives while one draw of a chunk is assembled. */
struct sink {
   struct cf_arena *arena;
   struct cf_worker_engines *engines;
   uint32_t draw;
   size_t size_B; /* of a primitive with its varyings, a multiple of 64 */
   void *reserved;
   bool streams; /* they are made in `made` and copied: other threads read them */
   _Alignas(CF_ARENA_ALIGN_B) uint8_t made[CF_PRIM_LIMIT_B + CF_MAX_VARYING_DWORDS * sizeof(float[3])];
};

struct cf_pass {
   _Alignas(64) struct cf_engine_pool *pool; /* another pass is filled while this one is read: they share no cache line */
   struct share *share; /* per worker */
   uint32_t print;      /* enum cf_print_flag */
   enum cf_vertex_order vertices;
   uint64_t number; /* of this pass, among all */
   struct cf_arena arena;
   struct cf_frame frame;
   uint32_t tiles_x, tiles_y;
   struct cf_draw_state made; /* the next draw, if other threads read `draws`: it is copied there */
   struct cf_draw_state *draws;
   struct piece *pieces;
   struct chunk *chunks;
   struct cf_bins *bins; /* per chunk */
   uint32_t draw_count, draw_capacity;
   uint32_t piece_count, piece_capacity;
   uint32_t chunk_count, chunk_capacity, bins_capacity;
   /* the chunk being filled */
   uint32_t chunk_prims, chunk_vertices;
   uint64_t estimate_B; /* estimate of what the primitives of all chunks need; bins of large ones take more */
   uint32_t scratch_dwords;
   _Atomic uint32_t *tile_load; /* entries per tile */
   uint32_t *tile_order;
   uint32_t tile_capacity;
   _Atomic bool out_of_memory;
   _Atomic uint32_t gave_up; /* 1 + the draw of the task that the watchdog ended; 0: none */
   _Atomic bool outside_taken; /* `outside` belongs to whoever set this */
   struct cf_pass_outside outside;
   struct cf_pass_stats stats; /* of what was added */
};

struct cf_pass *
cf_pass_create(struct cf_engine_pool *pool, uint32_t print, enum cf_vertex_order vertices)
{
   struct cf_pass *pass = aligned_alloc(_Alignof(struct cf_pass), sizeof(*pass));
   if (!pass)
      return NULL;
   memset((void *)pass, 0, sizeof(*pass));
   pass->pool = pool;
   pass->print = print;
   pass->vertices = vertices;
   const size_t shares_B = pool->count * sizeof(*pass->share);
   pass->share = aligned_alloc(_Alignof(struct share), shares_B);
   if (!pass->share) {
      free(pass);
      return NULL;
   }
   memset((void *)pass->share, 0, shares_B);
   return pass;
}

void
cf_pass_destroy(struct cf_pass *pass)
{
   if (!pass)
      return;
   for (uint32_t i = 0; i < pass->pool->count; i++)
      cf_arena_free(&pass->share[i].arena);
   cf_arena_free(&pass->arena);
   free(pass->share);
   free(pass->draws);
   free(pass->pieces);
   free(pass->chunks);
   free(pass->bins);
   free((void *)pass->tile_load);
   free(pass->tile_order);
   free(pass);
}

struct cf_arena *
cf_pass_arena(struct cf_pass *pass)
{
   return &pass->arena;
}

void
cf_pass_begin(struct cf_pass *pass, const struct cf_frame *frame)
{
   pass->number = ++pass->pool->passes;
   pass->frame = *frame;
   pass->tiles_x = (frame->width_px + CF_TILE_PX - 1) / CF_TILE_PX;
   pass->tiles_y = (frame->height_px + CF_TILE_PX - 1) / CF_TILE_PX;
}

bool
cf_pass_is_empty(const struct cf_pass *pass)
{
   return pass->draw_count == 0;
}

bool
cf_pass_is_full(const struct cf_pass *pass)
{
   return pass->arena.used_B + pass->draw_count * sizeof(*pass->draws) > CF_PASS_STATE_B;
}

/* Room for one more element. */
static bool
make_room(void **array, uint32_t *capacity, uint32_t count, size_t element_B)
{
   if (count < *capacity)
      return true;
   const uint32_t grown = 2 * count + 64;
   void *memory = realloc(*array, grown * element_B);
   if (!memory)
      return false;
   *array = memory;
   *capacity = grown;
   return true;
}

/* ------------------------------------------------------------------ phase 1: chunks */

static struct cf_prim *
sink_reserve(void *user, float (**varyings)[3])
{
   struct sink *sink = user;
   if (!sink->reserved)
      sink->reserved = sink->streams ? sink->made : cf_arena_alloc(sink->arena, sink->size_B);
   if (!sink->reserved) {
      sink->engines->binner.out_of_memory = true;
      return NULL;
   }
   *varyings = (float(*)[3])((uint8_t *)sink->reserved + cf_prim_size_B);
   return sink->reserved;
}

static void
sink_commit(void *user, struct cf_prim *prim, const struct cf_prim_bounds *bounds)
{
   struct sink *sink = user;
   void *kept = prim;
   if (sink->streams) {
      kept = cf_arena_alloc(sink->arena, sink->size_B);
      if (!kept) {
         sink->engines->binner.out_of_memory = true;
         return;
      }
      cf_prim_set_varyings(prim, (const float(*)[3])((uint8_t *)kept + cf_prim_size_B));
      cf_stream_copy(kept, prim, sink->size_B);
   }
   sink->reserved = NULL;
   cf_binner_add(&sink->engines->binner, prim, kept, sink->draw, bounds);
}

static bool
sink_complete(void *user, const float *record)
{
   struct cf_worker_engines *engines = ((struct sink *)user)->engines;
   const enum cf_unit before = cf_unit_begin(engines->task->clock, CF_UNIT_VERTICES);
   const bool completed = cf_vertex_complete(engines->vertex, record);
   cf_unit_begin(engines->task->clock, before);
   return completed;
}

static size_t
prim_B(const struct cf_primitive_config *config)
{
   const size_t size_B = cf_prim_size_B + (size_t)config->varying_slots * 4 * sizeof(float[3]);
   return (size_B + CF_ARENA_ALIGN_B - 1) & ~(size_t)(CF_ARENA_ALIGN_B - 1);
}

/* The draw that vertices come from. */
static const struct cf_draw_state *
draw_of(const struct cf_vertex_source *source)
{
   return (const struct cf_draw_state *)((const uint8_t *)source - offsetof(struct cf_draw_state, source));
}

/* The first load outside of a vertex buffer is kept; whose it is does not matter. */
static void
note_outside(struct cf_pass *pass, const struct cf_worker_engines *engines)
{
   const struct cf_vertex_outside *outside = cf_vertex_outside(engines->vertex);
   if (outside && !atomic_exchange(&pass->outside_taken, true))
      pass->outside = (struct cf_pass_outside){
         .found = true,
         .packet = draw_of(outside->source)->packet,
         .program = outside->source->stage->program,
         .load = *outside,
      };
}

static void
bin_clear(struct cf_pass *pass, struct cf_worker_engines *engines, uint32_t draw)
{
   const struct cf_clear_op *op = pass->draws[draw].clear;
   const struct cf_prim_bounds bounds = {
      .min_x_px = (uint16_t)op->min_x_px,
      .min_y_px = (uint16_t)op->min_y_px,
      .max_x_px = (uint16_t)op->max_x_px,
      .max_y_px = (uint16_t)op->max_y_px,
   };
   cf_binner_add(&engines->binner, NULL, NULL, draw, &bounds);
}

static void
count_load(struct cf_pass *pass, const struct cf_bins *bins)
{
   for (uint32_t y = 0; y < bins->height; y++) {
      for (uint32_t x = 0; x < bins->width; x++) {
         const uint32_t *first = &bins->first[y * bins->width + x];
         if (first[1] != first[0])
            atomic_fetch_add_explicit(
               &pass->tile_load[(bins->min_y + y) * pass->tiles_x + bins->min_x + x],
               first[1] - first[0], memory_order_relaxed);
      }
   }
}

static inline void
ask_for(const void *at, size_t size_B)
{
   for (size_t i = 0; i < size_B; i += 64)
      __builtin_prefetch((const void *)((uintptr_t)at + i)); /* which may be nowhere */
}

/* Of a vertex stage, what most programs read. */
static void
ask_for_stage(const struct cf_stage *stage)
{
   ask_for(stage, offsetof(struct cf_stage, constants[2]));
   ask_for(stage->fetch, FETCHES_AHEAD * sizeof(stage->fetch[0]));
}

/* Vertices and uniforms of a small draw. */
static void
ask_for_data(const struct cf_vertex_source *source)
{
   const struct cf_stage *stage = source->stage;
   ask_for(stage->constants[0].data, cf_min_u32(4 * stage->constants[0].dwords, DATA_AHEAD_B));
   for (uint32_t i = 0; i < stage->fetches && i < FETCHES_AHEAD; i++)
      __builtin_prefetch((const void *)((uintptr_t)stage->fetch[i].data + (size_t)source->start * stage->fetch[i].stride_B));
}

/* What draws are made of, another thread has written, and their vertices and uniforms the application's: to fetch a line from its
 * cache takes as long as all else that is done for a small draw. So that of pieces to come is asked for before. */
static void
look_ahead(const struct cf_pass *pass, const struct piece *piece, const struct piece *end)
{
   const struct cf_draw_state *draws = pass->draws;
   const ptrdiff_t left = end - piece;
   if (left > DRAWS_AHEAD)
      ask_for(&draws[piece[DRAWS_AHEAD].draw], sizeof(*draws));
   if (left > STAGES_AHEAD && !draws[piece[STAGES_AHEAD].draw].clear)
      ask_for_stage(draws[piece[STAGES_AHEAD].draw].source.stage);
   if (left > DATA_AHEAD && !draws[piece[DATA_AHEAD].draw].clear)
      ask_for_data(&draws[piece[DATA_AHEAD].draw].source);
}

/* Whether the piece, which is not of the draw of the one before, and all that its draw has in the chunk joins that one's vertices,
 * of which there are so many. */
static bool
joins(const struct cf_pass *pass, const struct piece *piece, const struct piece *end, uint32_t vertices)
{
   const struct cf_draw_state *draw = &pass->draws[piece->draw], *before = &pass->draws[piece[-1].draw];
   const bool is_one = piece + 1 == end || piece[1].draw != piece->draw;
   return vertices <= JOINED_VERTICES && is_one && cf_vertex_next_handle(&piece->range, 0) <= JOINING_VERTICES &&
          !draw->clear && cf_vertex_can_join(&before->source, &draw->source);
}

/* Whether to shade the piece's draw for positions first, and as a whole where a primitive is not culled: its program has a slice for
 * that, faces are culled, and nobody joins. */
static bool
is_positions_first(const struct cf_pass *pass, const struct piece *piece)
{
   const struct cf_draw_state *draw = &pass->draws[piece->draw];
   const struct cf_raster *raster = &draw->primitive->raster;
   const bool culls = raster->cull_front || raster->cull_back || pass->vertices == CF_VERTICES_POSITIONS_FIRST;
   return cf_program_positions(draw->source.stage->program) && culls &&
          cf_vertex_next_handle(&piece->range, 0) > JOINED_VERTICES && cf_assemble_reads_heads(draw->primitive);
}

/* Shade the vertices of the first piece's draw, as far as there are pieces of it before `end`, and of draws after it that join.
 * Returns the end of their pieces; NULL: out of memory. */
static const struct piece *
shade_vertices(struct cf_pass *pass, struct cf_worker_engines *engines, const struct piece *begin, const struct piece *end,
               bool positions_first)
{
   struct cf_vertex_engine *vertex = engines->vertex;
   const struct piece *piece = begin;
   if (!cf_vertex_begin(vertex, &pass->draws[begin->draw].source, engines->task, positions_first))
      return NULL;
   for (uint32_t vertices = 0; piece < end; piece++) {
      if (pass->pool->count > 1)
         look_ahead(pass, piece, end);
      if (piece > begin && piece->draw != piece[-1].draw) {
         if (!joins(pass, piece, end, vertices))
            break;
         cf_vertex_join(vertex, &pass->draws[piece->draw].source);
      }
      cf_vertex_request(vertex, &piece->range);
      vertices = cf_vertex_next_handle(&piece->range, vertices);
   }
   cf_vertex_finish(vertex);
   note_outside(pass, engines);
   return piece;
}

/* Assemble pieces whose vertices are shaded. */
static void
assemble_pieces(struct cf_pass *pass, struct sink *sink, const struct cf_prim_sink *out, const struct piece *begin,
                const struct piece *end)
{
   struct cf_worker_engines *engines = sink->engines;
   uint32_t handle = 0;
   for (const struct piece *piece = begin; piece < end; piece++) {
      const struct cf_draw_state *draw = &pass->draws[piece->draw];
      const float *const *records = cf_vertex_records(engines->vertex, &piece->range, handle);
      handle = cf_vertex_next_handle(&piece->range, handle);
      sink->draw = piece->draw;
      sink->size_B = prim_B(draw->primitive);
      cf_worker_engines_set_up(engines, draw->primitive, out);
      if (!records)
         engines->binner.out_of_memory = true;
      else if (engines->visible)
         cf_assemble(&engines->setup, draw->prim, piece->run_count, piece->begin, piece->end, records);
   }
}

/* Shade the vertices of some pieces from `begin` on, and assemble them. Returns the end of those. */
static const struct piece *
run_pieces(struct cf_pass *pass, uint32_t worker, const struct piece *begin, const struct piece *end)
{
   struct cf_worker_engines *engines = &pass->pool->worker[worker];
   struct sink sink; /* `made` needs no values */
   sink.arena = &pass->share[worker].arena;
   sink.engines = engines;
   sink.reserved = NULL;
   sink.streams = pass->pool->count > 1;
   const bool positions_first = is_positions_first(pass, begin);
   const struct cf_prim_sink out = { .user = &sink,
                                     .reserve = sink_reserve,
                                     .commit = sink_commit,
                                     .complete = positions_first ? sink_complete : NULL };
   const enum cf_unit before = cf_unit_begin(engines->task->clock, CF_UNIT_VERTICES);
   end = shade_vertices(pass, engines, begin, end, positions_first);
   cf_unit_begin(engines->task->clock, before);
   if (!end) {
      engines->binner.out_of_memory = true;
      return begin + 1;
   }
   assemble_pieces(pass, &sink, &out, begin, end);
   const struct cf_vertex_source *gave_up = cf_vertex_gave_up(engines->vertex);
   if (gave_up)
      atomic_store_explicit(&pass->gave_up, (uint32_t)(draw_of(gave_up) - pass->draws) + 1, memory_order_relaxed);
   return end;
}

/* Shade, set up and bin what is in the chunk. */
static void
fill_bins(struct cf_pass *pass, uint32_t worker, const struct chunk *chunk, struct cf_bins *bins)
{
   struct cf_worker_engines *engines = &pass->pool->worker[worker];
   const struct piece *piece = &pass->pieces[chunk->first_piece];
   const struct piece *end = &pass->pieces[chunk->end_piece];
   cf_binner_begin(&engines->binner);
   while (piece < end && !atomic_load_explicit(&pass->gave_up, memory_order_relaxed)) {
      if (pass->draws[piece->draw].clear)
         bin_clear(pass, engines, (piece++)->draw);
      else
         piece = run_pieces(pass, worker, piece, end);
   }
   if (!cf_binner_finish(&engines->binner, &pass->share[worker].arena, bins))
      atomic_store(&pass->out_of_memory, true);
}

static void
run_chunk(void *user, uint32_t worker, uint32_t item)
{
   struct cf_pass *pass = user;
   struct cf_worker_engines *engines = &pass->pool->worker[worker];
   struct cf_pass_stats *stats = &pass->share[worker].stats;
   const struct cf_vertex_stats before = cf_vertex_stats(engines->vertex);
   cf_unit_clock_start(engines->task->clock, stats->unit_ns, CF_UNIT_PRIMITIVES);
   if (cf_worker_engines_enter(engines, pass->number, pass->scratch_dwords)) {
      fill_bins(pass, worker, &pass->chunks[item], &pass->bins[item]);
   } else {
      pass->bins[item] = (struct cf_bins){ 0 };
      atomic_store(&pass->out_of_memory, true);
   }
   count_load(pass, &pass->bins[item]);
   cf_stream_end();
   const struct cf_vertex_stats after = cf_vertex_stats(engines->vertex);
   stats->vertex_tasks += after.tasks - before.tasks;
   stats->unseen += after.unseen - before.unseen;
   cf_unit_clock_stop(engines->task->clock);
}

/* ------------------------------------------------------------------ phase 2: tiles */

static struct cf_tile_input
tile_input(struct cf_pass *pass)
{
   return (struct cf_tile_input){
      .frame = &pass->frame,
      .draws = pass->draws,
      .chunks = pass->bins,
      .chunk_count = pass->chunk_count,
      .gave_up = &pass->gave_up,
   };
}

/* A tile is at home with one worker, in every pass: its pixels lie in the cache of that processor,
 * and fetching them from another one's takes long. */
static uint32_t
home(const struct cf_pass *pass, uint32_t tile)
{
   return (tile % pass->tiles_x + tile / pass->tiles_x) % pass->pool->count;
}

/* A tile for a worker: the next of its own, else of the others'. There is one for every call. */
static uint32_t
take_tile(struct cf_pass *pass, uint32_t worker)
{
   const uint32_t count = pass->pool->count;
   for (uint32_t i = worker;; i = i + 1 < count ? i + 1 : 0) {
      struct share *share = &pass->share[i];
      if (atomic_load_explicit(&share->next_tile, memory_order_relaxed) >= share->end_tile)
         continue;
      const uint32_t at = atomic_fetch_add_explicit(&share->next_tile, 1, memory_order_relaxed);
      if (at < share->end_tile)
         return pass->tile_order[at];
   }
}

static void
run_tile(void *user, uint32_t worker, uint32_t item)
{
   struct cf_pass *pass = user;
   struct cf_worker_engines *engines = &pass->pool->worker[worker];
   struct cf_pass_stats *stats = &pass->share[worker].stats;
   const struct cf_tile_input input = tile_input(pass);
   const struct cf_tile_stats before = engines->walker.stats;
   cf_unit_clock_start(engines->task->clock, stats->unit_ns, CF_UNIT_RASTER);
   const uint32_t tile = take_tile(pass, worker);
   (void)item;
   if (cf_worker_engines_enter(engines, pass->number, pass->scratch_dwords))
      cf_tile_walk(&engines->walker, &input, tile % pass->tiles_x, tile / pass->tiles_x);
   else
      atomic_store(&pass->out_of_memory, true);
   stats->tile.tasks += engines->walker.stats.tasks - before.tasks;
   stats->tile.quads += engines->walker.stats.quads - before.quads;
   stats->tile.fragments += engines->walker.stats.fragments - before.fragments;
   stats->tile.hidden += engines->walker.stats.hidden - before.hidden;
   cf_unit_clock_stop(engines->task->clock);
}

static uint32_t
load_class(uint32_t load)
{
   return load ? 32 - (uint32_t)__builtin_clz(load) : 0;
}

/* Tiles with something in them: the workers' one after the other, each by falling power of two of
 * their entries. Returns their number and zeroes the loads. */
static uint32_t
order_tiles(struct cf_pass *pass)
{
   const uint32_t tiles = pass->tiles_x * pass->tiles_y, workers = pass->pool->count;
   uint32_t filled = 0;
   for (uint32_t i = 0; i < workers; i++)
      memset(pass->share[i].tiles_of_class, 0, sizeof(pass->share[i].tiles_of_class));
   for (uint32_t tile = 0; tile < tiles; tile++)
      pass->share[home(pass, tile)].tiles_of_class[load_class(pass->tile_load[tile])]++;
   for (uint32_t i = 0; i < workers; i++) {
      pass->share[i].next_tile = filled;
      for (uint32_t class = LOAD_CLASSES - 1; class > 0; class --) {
         const uint32_t count = pass->share[i].tiles_of_class[class];
         pass->share[i].tiles_of_class[class] = filled;
         filled += count;
      }
      pass->share[i].end_tile = filled;
   }
   for (uint32_t tile = 0; tile < tiles; tile++) {
      const uint32_t load = pass->tile_load[tile];
      if (load)
         pass->tile_order[pass->share[home(pass, tile)].tiles_of_class[load_class(load)]++] = tile;
      pass->tile_load[tile] = 0;
   }
   return filled;
}

/* ------------------------------------------------------------------ the pass */

static void
close_chunk(struct cf_pass *pass)
{
   struct chunk *chunk = pass->chunk_count ? &pass->chunks[pass->chunk_count - 1] : NULL;
   const uint32_t first_piece = chunk ? chunk->end_piece : 0;
   pass->chunk_prims = pass->chunk_vertices = 0;
   if (first_piece == pass->piece_count)
      return;
   if (!make_room((void **)&pass->chunks, &pass->chunk_capacity, pass->chunk_count,
                  sizeof(*pass->chunks)) ||
       !make_room((void **)&pass->bins, &pass->bins_capacity, pass->chunk_count,
                  sizeof(*pass->bins))) {
      pass->out_of_memory = true;
      pass->piece_count = first_piece;
      return;
   }
   pass->chunks[pass->chunk_count++] =
      (struct chunk){ .first_piece = first_piece, .end_piece = pass->piece_count };
}

static bool
make_tiles(struct cf_pass *pass)
{
   const uint32_t tiles = pass->tiles_x * pass->tiles_y;
   if (tiles > pass->tile_capacity) {
      free((void *)pass->tile_load);
      free(pass->tile_order);
      pass->tile_load = calloc(tiles, sizeof(*pass->tile_load));
      pass->tile_order = malloc(tiles * sizeof(*pass->tile_order));
      pass->tile_capacity = pass->tile_load && pass->tile_order ? tiles : 0;
   }
   return pass->tile_capacity >= tiles;
}

/* Between the loops: all chunks are done. */
static uint32_t
open_tiles(void *user)
{
   struct cf_pass *pass = user;
   struct cf_unit_clock made, *clock = pass->pool->parser ? &made : NULL;
   const struct cf_tile_input input = tile_input(pass);
   if (pass->print)
      cf_print_pass(pass->print, &pass->pool->units, &input, pass->draw_count, pass->tiles_x, pass->tiles_y);
   cf_unit_clock_start(clock, pass->stats.unit_ns, CF_UNIT_PRIMITIVES);
   const uint32_t tiles = order_tiles(pass);
   cf_unit_clock_stop(clock);
   return tiles;
}

static void
launch(struct cf_pass *pass, uint64_t after, bool waited_for)
{
   close_chunk(pass);
   if (pass->chunk_count == 0)
      return;
   if (!make_tiles(pass)) {
      pass->out_of_memory = true;
      return;
   }
   struct cf_workers *workers = pass->pool->workers;
   cf_stream_end();
   pass->stats.chunks += pass->chunk_count;
   const enum cf_unit before = cf_unit_begin(pass->pool->parser, CF_UNIT_NONE);
   const uint64_t chunks = cf_workers_launch(workers, &(struct cf_loop){ .work = run_chunk,
                                                                         .user = pass,
                                                                         .items = pass->chunk_count,
                                                                         .after = after,
                                                                         .waited_for = waited_for });
   cf_workers_launch(workers, &(struct cf_loop){ .work = run_tile,
                                                 .user = pass,
                                                 .open = open_tiles,
                                                 .after = chunks,
                                                 .waited_for = waited_for });
   cf_unit_begin(pass->pool->parser, before);
}

void
cf_pass_launch(struct cf_pass *pass, uint64_t after)
{
   launch(pass, after, false);
}

/* Chunks were rendered, or never will be. */
static void
forget_chunks(struct cf_pass *pass)
{
   for (uint32_t i = 0; i < pass->pool->count; i++)
      cf_arena_reset(&pass->share[i].arena, KEEP_B);
   pass->piece_count = pass->chunk_count = 0;
   pass->chunk_prims = pass->chunk_vertices = 0;
   pass->estimate_B = 0;
}

/* Render the chunks there are; draws stay. */
static void
render_part(struct cf_pass *pass)
{
   struct cf_workers *workers = pass->pool->workers;
   launch(pass, cf_workers_launched(workers), true);
   const enum cf_unit before = cf_unit_begin(pass->pool->parser, CF_UNIT_NONE);
   cf_workers_finish(workers, cf_workers_launched(workers));
   cf_unit_begin(pass->pool->parser, before);
   forget_chunks(pass);
}

static void
add_stats(struct cf_pass_stats *sum, const struct cf_pass_stats *stats)
{
   sum->vertex_tasks += stats->vertex_tasks;
   sum->unseen += stats->unseen;
   for (uint32_t i = 0; i < CF_UNITS; i++)
      sum->unit_ns[i] += stats->unit_ns[i];
   sum->tile.tasks += stats->tile.tasks;
   sum->tile.quads += stats->tile.quads;
   sum->tile.fragments += stats->tile.fragments;
   sum->tile.hidden += stats->tile.hidden;
}

void
cf_pass_take(struct cf_pass *pass, struct cf_pass_report *report)
{
   const uint32_t gave_up = pass->gave_up;
   *report = (struct cf_pass_report){ .outside = pass->outside, .stats = pass->stats };
   report->stats.draws = pass->draw_count;
   report->stats.passes = pass->draw_count > 0;
   for (uint32_t i = 0; i < pass->pool->count; i++) {
      add_stats(&report->stats, &pass->share[i].stats);
      pass->share[i].stats = (struct cf_pass_stats){ 0 };
   }
   if (gave_up) {
      report->result = CF_PASS_GAVE_UP;
      report->given_up_packet = pass->draws[gave_up - 1].packet;
   } else if (pass->out_of_memory) {
      report->result = CF_PASS_OUT_OF_MEMORY;
   }
   forget_chunks(pass);
   pass->draw_count = 0;
   pass->scratch_dwords = 0;
   pass->gave_up = 0;
   pass->out_of_memory = pass->outside_taken = false;
   pass->outside.found = false;
   pass->stats = (struct cf_pass_stats){ 0 };
   cf_arena_reset(&pass->arena, CF_PASS_STATE_B + CF_ARENA_BLOCK_B);
}

/* ------------------------------------------------------------------ adding draws */

static bool
add_piece(struct cf_pass *pass, const struct piece *piece)
{
   if (!make_room((void **)&pass->pieces, &pass->piece_capacity, pass->piece_count,
                  sizeof(*pass->pieces)))
      return false;
   struct piece *kept = &pass->pieces[pass->piece_count++];
   if (pass->pool->count > 1)
      cf_stream_copy(kept, piece, sizeof(*piece));
   else
      *kept = *piece;
   return true;
}

/* Primitives of a chunk, when `left` of a run's are to be added. At the end of a long run chunks get smaller, so that
 * workers end together. */
static uint32_t
chunk_limit(const struct cf_pass *pass, uint32_t run_prims, uint32_t left)
{
   const uint32_t workers = pass->pool->count, share = left / (2 * workers);
   if (workers == 1 || run_prims < 4 * CF_CHUNK_PRIMS || share > CF_CHUNK_PRIMS)
      return CF_CHUNK_PRIMS;
   return share > CF_CHUNK_PRIMS / 8 ? share : CF_CHUNK_PRIMS / 8;
}

/* A part of it was rendered, and nothing more will be: there is no use in cutting what remains of the draw. */
static bool
has_failed(const struct cf_pass *pass)
{
   return pass->gave_up || pass->out_of_memory;
}

static bool
add_run(struct cf_pass *pass, const struct cf_draw_state *draw, uint32_t draw_index, uint32_t instance,
        uint32_t run_first, uint32_t run_count)
{
   const uint32_t prims = cf_assemble_count(draw->prim, run_count);
   const struct cf_raster *raster = &draw->primitive->raster;
   const bool filled =
      raster->fill_front == CF_POLYGON_MODE_FILL && raster->fill_back == CF_POLYGON_MODE_FILL;
   if (draw->primitives)
      *draw->primitives += prims;
   const size_t bound_B = (prim_B(draw->primitive) + 64) * (filled ? 1 : 3);
   for (uint32_t begin = 0; begin < prims && !has_failed(pass);) {
      const uint32_t limit = chunk_limit(pass, prims, prims - begin);
      if (pass->chunk_prims >= limit)
         close_chunk(pass);
      const uint32_t room = limit - pass->chunk_prims;
      const uint32_t count = prims - begin < room ? prims - begin : room;
      struct piece piece = {
         .draw = draw_index,
         .run_count = run_count,
         .begin = begin,
         .end = begin + count,
         .range = { .run_first = run_first, .instance = instance },
      };
      cf_assemble_span(draw->primitive, draw->prim, run_count, piece.begin, piece.end,
                       &piece.range.first, &piece.range.last, &piece.range.needs_vertex_0);
      const uint32_t vertices = cf_vertex_next_handle(&piece.range, 0);
      if (pass->chunk_vertices + vertices > CF_CHUNK_VERTICES && pass->chunk_prims > 0) {
         close_chunk(pass);
         continue;
      }
      if (!add_piece(pass, &piece))
         return false;
      pass->chunk_prims += count;
      pass->chunk_vertices += vertices;
      pass->estimate_B += bound_B * count;
      begin += count;
      if (pass->estimate_B > CF_PASS_LIMIT_B)
         render_part(pass);
   }
   return true;
}

static bool
make_draw_room(struct cf_pass *pass)
{
   return make_room((void **)&pass->draws, &pass->draw_capacity, pass->draw_count, sizeof(*pass->draws));
}

static uint32_t
element_index(const struct cf_vertex_source *source, uint32_t element)
{
   uint32_t index = 0;
   memcpy(&index, source->indices + (size_t)element * source->index_size_B, source->index_size_B);
   return index;
}

/* Cut the draw at its restart elements. */
static bool
add_runs(struct cf_pass *pass, const struct cf_draw_state *draw, uint32_t draw_index, uint32_t instance)
{
   if (!draw->restart)
      return add_run(pass, draw, draw_index, instance, 0, draw->count);
   uint32_t first = 0;
   for (uint32_t i = 0; i < draw->count; i++) {
      if (element_index(&draw->source, i) != draw->restart_index)
         continue;
      if (!add_run(pass, draw, draw_index, instance, first, i - first))
         return false;
      first = i + 1;
   }
   return add_run(pass, draw, draw_index, instance, first, draw->count - first);
}

struct cf_draw_state *
cf_pass_new_draw(struct cf_pass *pass)
{
   if (pass->pool->count > 1)
      return &pass->made;
   return make_draw_room(pass) ? &pass->draws[pass->draw_count] : NULL;
}

bool
cf_pass_draw(struct cf_pass *pass, const struct cf_draw_state *draw)
{
   if (!make_draw_room(pass))
      return false;
   const uint32_t index = pass->draw_count++;
   _Static_assert(sizeof(*draw) % 16 == 0, "copied so");
   if (pass->pool->count > 1)
      cf_stream_copy(&pass->draws[index], draw, sizeof(*draw));
   else if (draw != &pass->draws[index])
      pass->draws[index] = *draw;
   if (draw->clear)
      return add_piece(pass, &(struct piece){ .draw = index });
   pass->scratch_dwords =
      draw->scratch_dwords > pass->scratch_dwords ? draw->scratch_dwords : pass->scratch_dwords;
   if (!draw->restart && cf_assemble_count(draw->prim, draw->count) == 0)
      return true;
   for (uint32_t instance = 0; instance < draw->instances && !has_failed(pass); instance++) {
      if (!add_runs(pass, draw, index, instance))
         return false;
   }
   return !pass->out_of_memory;
}
