/* SPDX-License-Identifier: MIT */
/* A pass's first loop, over chunks: shades the vertices of their pieces, assembles, sets up and
 * bins their primitives. */
#include "clipfree/schedule/cf_pass_loops.h"

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/base/cf_cache.h"
#include "clipfree/base/cf_inline.h"
#include "clipfree/primitive/cf_primitive_explain.h"

#include <stddef.h>

/* Prefetch distances, in pieces. A draw has the address of its vertex stage, which has those of
 * uniforms and vertices: each is prefetched when the structure with its address is in the cache. */
#define DRAW_PREFETCH_DISTANCE 24
#define STAGE_PREFETCH_DISTANCE 16
#define DATA_PREFETCH_DISTANCE 8
/* Amounts that are prefetched, of uniforms and of vertex elements. */
#define PREFETCHED_UNIFORMS_B 256u
#define PREFETCHED_ELEMENTS 4
/* Small draws are joined: vertices of several draws fill tasks together. A draw is joined to those
 * before it if it has at most JOINING_VERTICES and they have at most JOINED_VERTICES: then their
 * vertex records stay in the L1 cache until set-up reads them. */
#define JOINED_VERTICES 128
#define JOINING_VERTICES CF_TASK_LANES

/* Size of a primitive with the most varyings. */
#define LARGEST_PRIM_B (CF_PRIM_LIMIT_B + CF_MAX_VARYING_DWORDS * sizeof(float[3]))

/* The output of set-up for one draw of a chunk (struct cf_prim_sink). */
struct setup_sink {
   struct cf_arena *arena;
   struct cf_worker_engines *engines;
   uint32_t draw, primitive; /* primitive: number in the draw; 0 without an observer */
   size_t prim_B, size_B;    /* of a primitive, and with its varyings */
   bool streams; /* set-up writes primitives to `staging`, from where they are streamed to the arena
                  */
   _Alignas(CF_ARENA_ALIGN_B) uint8_t staging[CF_SINK_PRIMS][LARGEST_PRIM_B];
};

static bool
sink_reserve(void *user, uint32_t count, struct cf_prim **prims, float (**varyings)[3])
{
   struct setup_sink *sink = user;
   const size_t size_B = sink->size_B;
   uint8_t *room = sink->streams ? sink->staging[0] : cf_arena_alloc(sink->arena, count * size_B);
   if (!room) {
      sink->engines->binner.out_of_memory = true;
      return false;
   }
   for (uint32_t i = 0; i < count; i++, room += size_B) {
      prims[i] = (struct cf_prim *)room;
      varyings[i] = (float(*)[3])(room + sink->prim_B);
   }
   return true;
}

static void
sink_commit(void *user, struct cf_prim *prim, const struct cf_prim_bounds *bounds)
{
   struct setup_sink *sink = user;
   void *stored = prim;
   if (sink->streams) {
      stored = cf_arena_alloc(sink->arena, sink->size_B);
      if (!stored) {
         sink->engines->binner.out_of_memory = true;
         return;
      }
      cf_prim_set_varyings(prim, (const float(*)[3])((uint8_t *)stored + sink->prim_B));
      cf_stream_copy(stored, prim, sink->size_B);
   }
   cf_binner_add(&sink->engines->binner, prim, stored, sink->draw, sink->primitive, bounds);
}

static bool
sink_complete(void *user, const float *record)
{
   struct cf_worker_engines *engines = ((struct setup_sink *)user)->engines;
   const enum cf_unit before = cf_unit_begin(engines->task->clock, CF_UNIT_VERTICES);
   const bool completed = cf_vertex_complete(engines->vertex, record);
   cf_unit_begin(engines->task->clock, before);
   return completed;
}

/* The draw that vertices come from. */
static const struct cf_draw_state *
draw_of(const struct cf_vertex_source *source)
{
   return (const struct cf_draw_state *)((const uint8_t *)source -
                                         offsetof(struct cf_draw_state, source));
}

/* Report a load outside of a vertex buffer, if it is the first of the pass: which worker's does not
 * matter. */
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
   cf_binner_add(&engines->binner, NULL, NULL, draw, 0, &bounds);
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

/* The parts of a vertex stage that most programs read. */
static void
prefetch_stage(const struct cf_stage *stage)
{
   cf_prefetch(stage, offsetof(struct cf_stage, constants[2]));
   cf_prefetch(stage->fetch, PREFETCHED_ELEMENTS * sizeof(stage->fetch[0]));
}

/* Uniforms and the first vertex of a draw. */
static void
prefetch_data(const struct cf_vertex_source *source)
{
   const struct cf_stage *stage = source->stage;
   cf_prefetch(stage->constants[0].data,
               cf_min_u32(4 * stage->constants[0].dwords, PREFETCHED_UNIFORMS_B));
   for (uint32_t i = 0; i < stage->fetches && i < PREFETCHED_ELEMENTS; i++)
      cf_prefetch_line(stage->fetch[i].data, (size_t)source->start * stage->fetch[i].stride_B);
}

/* Prefetch for the pieces after this one. Draws were written by the parsing thread, their vertices
 * and uniforms by the application's: to fetch a line from another processor's cache takes as long
 * as all other work of a small draw. */
static void
prefetch_pieces(const struct cf_pass *pass, const struct cf_piece *piece,
                const struct cf_piece *end)
{
   const struct cf_draw_state *draws = pass->draws;
   const ptrdiff_t left = end - piece;
   if (left > DRAW_PREFETCH_DISTANCE)
      cf_prefetch(&draws[piece[DRAW_PREFETCH_DISTANCE].draw], sizeof(*draws));
   if (left > STAGE_PREFETCH_DISTANCE && !draws[piece[STAGE_PREFETCH_DISTANCE].draw].clear)
      prefetch_stage(draws[piece[STAGE_PREFETCH_DISTANCE].draw].source.stage);
   if (left > DATA_PREFETCH_DISTANCE && !draws[piece[DATA_PREFETCH_DISTANCE].draw].clear)
      prefetch_data(&draws[piece[DATA_PREFETCH_DISTANCE].draw].source);
}

/* Whether the draw of this piece joins the vertices of the draw before, of which there are
 * `vertices`. The piece must be all that the chunk has of its draw. Draws that are counted do not
 * join. */
static bool
joins(const struct cf_pass *pass, const struct cf_piece *piece, const struct cf_piece *end,
      uint32_t vertices)
{
   const struct cf_draw_state *draw = &pass->draws[piece->draw],
                              *before = &pass->draws[piece[-1].draw];
   const bool is_one = piece + 1 == end || piece[1].draw != piece->draw;
   return !pass->counts && vertices <= JOINED_VERTICES && is_one &&
          cf_vertex_next_handle(&piece->range, 0) <= JOINING_VERTICES && !draw->clear &&
          !draw->feedback && !before->feedback && !draw->geometry && !before->geometry &&
          cf_vertex_can_join(&before->source, &draw->source);
}

/* Whether to shade the piece's draw positions first, and whole where a primitive is not culled: its
 * program has a slice for that, faces are culled, and no other draw joins. */
static bool
is_positions_first(const struct cf_pass *pass, const struct cf_piece *piece)
{
   const struct cf_draw_state *draw = &pass->draws[piece->draw];
   const struct cf_raster *raster = &draw->primitive->raster;
   const bool culls = raster->cull_front || raster->cull_back ||
                      pass->config.vertices == CF_VERTICES_POSITIONS_FIRST;
   return cf_program_positions(draw->source.stage->program) && culls && !draw->feedback &&
          !draw->geometry && cf_vertex_next_handle(&piece->range, 0) > JOINED_VERTICES &&
          cf_assemble_reads_heads(draw->primitive);
}

/* Shade the vertices of pieces of one draw, from `begin` on, and of the draws after it that join.
 * Returns the end of these pieces; NULL: out of memory. */
static const struct cf_piece *
shade_vertices(struct cf_pass *pass, struct cf_worker_engines *engines,
               const struct cf_piece *begin, const struct cf_piece *end, bool positions_first)
{
   struct cf_vertex_engine *vertex = engines->vertex;
   const struct cf_piece *piece = begin;
   if (!cf_vertex_begin(vertex, &pass->draws[begin->draw].source, engines->task, positions_first))
      return NULL;
   for (uint32_t vertices = 0; piece < end; piece++) {
      if (pass->pool->count > 1)
         prefetch_pieces(pass, piece, end);
      if (piece > begin && cf_draw_is_in_order(&pass->draws[piece->draw]))
         break; /* the store holds a piece of it, not all of the chunk */
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

/* Report primitive number `primitive` of a draw with feedback, whose vertices have these numbers in
 * the run, or (geometry programs') in the strip. */
static void
report_fed(const struct cf_observer *observer, const struct cf_draw_state *draw,
           const struct cf_piece *piece, uint64_t primitive, const uint32_t number[3])
{
   const struct cf_feedback_draw *feedback = draw->feedback;
   struct cf_feedback_event event = { .draw = draw->packet,
                                      .primitive = (uint32_t)primitive,
                                      .instance = piece->range.instance,
                                      .vertices = feedback->vertices,
                                      .fits = primitive < feedback->primitives,
                                      .output = feedback->output,
                                      .outputs = feedback->outputs };
   for (uint32_t k = 0; k < feedback->vertices; k++)
      event.element[k] = (draw->geometry ? 0 : piece->range.run_first) + number[k];
   for (uint32_t i = 0; i < CF_FEEDBACK_BUFFERS; i++) {
      const uint32_t stride_B = feedback->buffer[i].stride_B;
      event.buffer[i].stride_B = stride_B;
      if (event.fits && feedback->buffer[i].data)
         event.buffer[i].address =
            feedback->buffer[i].address + primitive * feedback->vertices * stride_B;
   }
   observer->feedback(observer->user, &event);
}

/* Write primitive i of a run of `count` vertices, which is number `primitive` of the draw, to the
 * buffers of feedback. `observer`: NULL: none. */
static void
feed(const struct cf_draw_state *draw, const struct cf_piece *piece, uint32_t count, uint32_t i,
     const float *const *records, uint64_t primitive, const struct cf_observer *observer)
{
   uint32_t number[3];
   const float *v[3];
   const uint32_t vertices =
      cf_assemble_in_order(draw->primitive, draw->output_prim, count, i, number);
   for (uint32_t k = 0; k < vertices; k++)
      v[k] = records[number[k]];
   cf_feedback_write(draw->feedback, primitive, v);
   if (observer && observer->feedback)
      report_fed(observer, draw, piece, primitive, number);
}

/* Write the piece's primitives. */
static void
feed_piece(const struct cf_draw_state *draw, const struct cf_piece *piece,
           const float *const *records, const struct cf_observer *observer)
{
   for (uint32_t i = piece->begin; i < piece->end; i++)
      feed(draw, piece, piece->run_count, i, records, piece->first + (i - piece->begin), observer);
}

/* Why primitive i of a run of `count` vertices was dropped. */
static enum cf_drop
why_dropped(const struct cf_worker_engines *engines, const struct cf_draw_state *draw,
            enum cf_prim_kind prim, uint32_t count, uint32_t i, const float *const *records)
{
   const float *v[3];
   uint32_t number[3];
   if (!engines->visible)
      return CF_DROP_OUTSIDE;
   const uint32_t vertices = cf_assemble_vertices(draw->primitive, prim, count, i, number);
   for (uint32_t k = 0; k < vertices; k++)
      v[k] = records[number[k]];
   return cf_primitive_explain(&engines->setup, vertices, v);
}

/* Assemble primitive i of a run of `count` vertices, and report of it: set up, or why not. */
static void
assemble_observed(const struct cf_pass *pass, struct setup_sink *sink, const struct cf_piece *piece,
                  enum cf_prim_kind prim, uint32_t count, uint32_t i, const float *const *records)
{
   const struct cf_draw_state *draw = &pass->draws[piece->draw];
   struct cf_worker_engines *engines = sink->engines;
   const struct cf_observer *observer = pass->pool->units.observer;
   const uint32_t before = engines->binner.prim_count;
   if (engines->visible)
      cf_assemble(&engines->setup, prim, count, i, i + 1, records);
   const uint32_t set_up = engines->binner.prim_count - before;
   if (observer->primitive)
      observer->primitive(
         observer->user,
         &(struct cf_primitive_event){
            .draw = draw->packet,
            .primitive = sink->primitive,
            .instance = piece->range.instance,
            .set_up = set_up,
            .drop = set_up ? CF_DROP_NONE : why_dropped(engines, draw, prim, count, i, records) });
}

/* The piece's primitives, one by one. */
static void
assemble_piece_observed(const struct cf_pass *pass, struct setup_sink *sink,
                        const struct cf_piece *piece, const float *const *records)
{
   const enum cf_prim_kind prim = pass->draws[piece->draw].prim;
   for (uint32_t i = piece->begin; i < piece->end; i++) {
      sink->primitive = piece->first + (i - piece->begin);
      assemble_observed(pass, sink, piece, prim, piece->run_count, i, records);
   }
}

/* Feed back the strips that lane `lane` of the geometry task emitted, and set up and bin them, or
 * add them to what is gathered. */
static void
assemble_emitted(const struct cf_pass *pass, struct setup_sink *sink, const struct cf_piece *piece,
                 uint32_t lane, struct cf_prim_gather *gather)
{
   const struct cf_draw_state *draw = &pass->draws[piece->draw];
   struct cf_worker_engines *engines = sink->engines;
   uint32_t first = 0, count;
   uint64_t emitted = 0;
   for (;; first += count) {
      const float *const *strip = cf_geometry_strip(engines->geometry, lane, first, &count);
      if (!count)
         break;
      const uint32_t prims = cf_assemble_count(draw->output_prim, count);
      const bool is_drawn =
         !pass->frame.layered || cf_geometry_layer(strip[0]) == pass->frame.layer;
      emitted += prims;
      for (uint32_t i = 0; draw->feedback && i < prims; i++)
         feed(draw, piece, count, i, strip, (*draw->feedback->emitted)++,
              pass->pool->units.observer);
      for (uint32_t i = 0; is_drawn && pass->pool->units.observer && i < prims; i++)
         assemble_observed(pass, sink, piece, draw->output_prim, count, i, strip);
      if (is_drawn && !pass->pool->units.observer && engines->visible)
         cf_prim_gather_add(gather, count, 0, prims, strip);
   }
   if (draw->primitives)
      __atomic_fetch_add(draw->primitives, emitted, __ATOMIC_RELAXED);
}

/* The vertices of primitive i that the draw's geometry program takes. */
static uint32_t
geometry_vertices(const struct cf_draw_state *draw, uint32_t count, uint32_t i, uint32_t number[6])
{
   const bool in_order = cf_program_info(draw->geometry->stage->program)->provoking_order;
   return in_order && draw->prim < CF_PRIM_KIND_LINES_ADJACENCY
             ? cf_assemble_in_order(draw->primitive, draw->prim, count, i, number)
             : cf_assemble_inputs(draw->prim, count, i, number);
}

/* The records of the vertices of `count` primitives of the piece, from `begin` on. */
static void
find_vertices(const struct cf_draw_state *draw, const struct cf_piece *piece, uint32_t begin,
              uint32_t count, const float *const *records, struct cf_geometry_input *inputs)
{
   const uint32_t each = cf_assemble_list_vertices(draw->prim);
   for (uint32_t lane = 0; lane < count; lane++) {
      uint32_t number[6];
      for (uint32_t k = 0; k < each; k++)
         inputs[lane].vertex[k] = records[each * (begin + lane) + k];
      const uint32_t vertices =
         each ? 0 : geometry_vertices(draw, piece->run_count, begin + lane, number);
      for (uint32_t k = 0; k < vertices; k++)
         inputs[lane].vertex[k] = records[number[k]];
   }
}

/* The number in its instance of primitive i of the piece's run (gl_PrimitiveID, GL 3.2 section
 * 3.12.2): the triangles of a quad or polygon have that of the quad or polygon. */
static uint32_t
primitive_number(const struct cf_draw_state *draw, const struct cf_piece *piece, uint32_t i)
{
   const uint32_t number = piece->first_of_instance + (i - piece->begin);
   switch (draw->prim) {
   case CF_PRIM_KIND_QUADS:
   case CF_PRIM_KIND_QUAD_STRIP:
      return number / 2;
   case CF_PRIM_KIND_POLYGON:
      return piece->first_of_instance;
   default:
      return number;
   }
}

/* Run the geometry program for the piece's primitives, and set up and bin what it emits. */
static void
run_geometry(struct cf_pass *pass, struct setup_sink *sink, const struct cf_piece *piece,
             const float *const *records)
{
   const struct cf_draw_state *draw = &pass->draws[piece->draw];
   struct cf_worker_engines *engines = sink->engines;
   struct cf_geometry_input inputs[CF_TASK_LANES];
   struct cf_prim_gather gather;
   if (engines->visible)
      cf_prim_gather_begin(&gather, &engines->setup, draw->output_prim);
   if (!cf_geometry_begin(engines->geometry, draw->geometry, draw->packet, engines->task)) {
      engines->binner.out_of_memory = true;
      return;
   }
   for (uint32_t begin = piece->begin, n; begin < piece->end; begin += n) {
      n = cf_min_u32(piece->end - begin, CF_TASK_LANES);
      find_vertices(draw, piece, begin, n, records, inputs);
      for (uint32_t lane = 0; lane < n; lane++) {
         inputs[lane].instance = piece->range.instance;
         inputs[lane].primitive = primitive_number(draw, piece, begin + lane);
      }
      if (!cf_geometry_run(engines->geometry, inputs, n)) {
         atomic_store_explicit(&pass->timed_out_draw, piece->draw + 1, memory_order_relaxed);
         return;
      }
      for (uint32_t lane = 0; lane < n && cf_geometry_emits(engines->geometry); lane++) {
         sink->primitive = piece->first + (begin + lane - piece->begin);
         assemble_emitted(pass, sink, piece, lane, &gather);
      }
      if (engines->visible)
         cf_prim_gather_end(&gather); /* the next task's records replace these */
   }
}

/* Whether a task was stopped: what is left of the pass need not be done. */
static bool
is_stopped(const struct cf_pass *pass)
{
   return atomic_load_explicit(&pass->timed_out_draw, memory_order_relaxed) != 0;
}

/* Assemble, set up and bin the primitives of pieces whose vertices are shaded. */
static void
assemble_pieces(struct cf_pass *pass, struct setup_sink *sink, const struct cf_prim_sink *out,
                const struct cf_piece *begin, const struct cf_piece *end)
{
   struct cf_worker_engines *engines = sink->engines;
   uint32_t handle = 0;
   for (const struct cf_piece *piece = begin; piece < end && !is_stopped(pass); piece++) {
      const struct cf_draw_state *draw = &pass->draws[piece->draw];
      const float *const *records = cf_vertex_records(engines->vertex, &piece->range, handle);
      handle = cf_vertex_next_handle(&piece->range, handle);
      sink->draw = piece->draw;
      sink->prim_B = cf_prim_kind_B(draw->primitive, draw->output_prim);
      sink->size_B = cf_pass_prim_B(draw);
      cf_worker_engines_set_up(engines, draw->primitive, out);
      if (records && draw->feedback && !draw->geometry)
         feed_piece(draw, piece, records, pass->pool->units.observer);
      if (!records)
         engines->binner.out_of_memory = true;
      else if (draw->geometry)
         run_geometry(pass, sink, piece, records);
      else if (pass->pool->units.observer)
         assemble_piece_observed(pass, sink, piece, records);
      else if (engines->visible)
         cf_assemble(&engines->setup, draw->prim, piece->run_count, piece->begin, piece->end,
                     records);
   }
}

/* Something was done for the pieces from `begin` on. */
CF_INLINE void
trace_pieces(const struct cf_pass *pass, const struct cf_piece *begin, const char *name,
             uint64_t start_ns)
{
   const struct cf_draw_state *draw = &pass->draws[begin->draw];
   cf_trace_slice(pass->pool->trace, start_ns, .name = name,
                  .text = cf_program_label(draw->source.stage->program),
                  .number = { { "packet", draw->packet } });
}

/* Render as many pieces from `begin` on as can share vertex tasks: shade, then assemble. Returns
 * the end of these pieces. */
static const struct cf_piece *
run_pieces(struct cf_pass *pass, uint32_t worker, const struct cf_piece *begin,
           const struct cf_piece *end)
{
   struct cf_worker_engines *engines = &pass->pool->worker[worker];
   struct setup_sink sink; /* `staging` stays uninitialised */
   sink.arena = &pass->share[worker].arena;
   sink.engines = engines;
   sink.primitive = 0;
   sink.streams = pass->streams;
   const bool positions_first = is_positions_first(pass, begin);
   const struct cf_prim_sink out = { .user = &sink,
                                     .reserve = sink_reserve,
                                     .commit = sink_commit,
                                     .complete = positions_first ? sink_complete : NULL };
   const enum cf_unit before = cf_unit_begin(engines->task->clock, CF_UNIT_VERTICES);
   const uint64_t start_ns = cf_trace_now(pass->pool->trace);
   end = shade_vertices(pass, engines, begin, end, positions_first);
   cf_unit_begin(engines->task->clock, before);
   trace_pieces(pass, begin, "vertices", start_ns);
   if (!end) {
      engines->binner.out_of_memory = true;
      return begin + 1;
   }
   const uint64_t shaded_ns = cf_trace_now(pass->pool->trace);
   assemble_pieces(pass, &sink, &out, begin, end);
   trace_pieces(pass, begin, "set-up", shaded_ns);
   const struct cf_vertex_source *timed_out = cf_vertex_timed_out(engines->vertex);
   if (timed_out)
      atomic_store_explicit(&pass->timed_out_draw, (uint32_t)(draw_of(timed_out) - pass->draws) + 1,
                            memory_order_relaxed);
   return end;
}

/* The engines begin to count, in a chunk. */
static void
begin_counts(struct cf_worker_engines *engines)
{
   engines->counted = (struct cf_counted){ .vertex = cf_vertex_stats(engines->vertex),
                                           .interpreted = engines->task->interpreted };
}

/* What was done since the last call, or since begin_counts, is of this draw. */
static void
count_pieces(struct cf_stats_row *row, struct cf_worker_engines *engines)
{
   const struct cf_counted now = { .vertex = cf_vertex_stats(engines->vertex),
                                   .prims = engines->binner.prim_count,
                                   .interpreted = engines->task->interpreted };
   const struct cf_counted *before = &engines->counted;
   cf_stats_count(row, CF_STAT_SET_UP, now.prims - before->prims);
   cf_stats_count(row, CF_STAT_VERTICES, cf_vertex_shaded(engines->vertex));
   cf_stats_count(row, CF_STAT_VERTEX_TASKS, now.vertex.tasks - before->vertex.tasks);
   cf_stats_count(row, CF_STAT_POSITION_TASKS,
                  now.vertex.position_tasks - before->vertex.position_tasks);
   cf_stats_count(row, CF_STAT_INTERPRETED, now.interpreted - before->interpreted);
   cf_stats_count_ticks(row, engines->task->clock);
   engines->counted = now;
}

/* Shade, set up and bin the pieces of a chunk. */
static void
fill_bins(struct cf_pass *pass, uint32_t worker, const struct cf_chunk *chunk, struct cf_bins *bins)
{
   struct cf_worker_engines *engines = &pass->pool->worker[worker];
   const struct cf_piece *piece = &pass->pieces[chunk->first_piece];
   const struct cf_piece *end = &pass->pieces[chunk->end_piece];
   cf_binner_begin(&engines->binner);
   if (pass->counts)
      begin_counts(engines);
   while (piece < end && !is_stopped(pass)) {
      const uint32_t draw = piece->draw;
      if (pass->draws[draw].clear) {
         bin_clear(pass, engines, draw);
         piece++;
      } else {
         piece = run_pieces(pass, worker, piece, end);
      }
      if (pass->counts)
         count_pieces(&pass->counts[draw], engines);
   }
   if (!cf_binner_finish(&engines->binner, &pass->share[worker].arena, bins))
      atomic_store(&pass->out_of_memory, true);
}

void
cf_pass_run_chunk(void *user, uint32_t worker, uint32_t item)
{
   struct cf_pass *pass = user;
   struct cf_worker_engines *engines = &pass->pool->worker[worker];
   struct cf_pass_stats *stats = &pass->share[worker].stats;
   const struct cf_vertex_stats before = cf_vertex_stats(engines->vertex);
   const uint64_t interpreted_before = engines->task->interpreted;
   const uint64_t start_ns = cf_trace_now(pass->pool->trace);
   struct cf_time_limit *limit =
      cf_pass_begin_time(pass, worker, CF_PASS_CHUNKS, item, pass->chunk_count);
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
   stats->position_tasks += after.position_tasks - before.position_tasks;
   stats->interpreted += engines->task->interpreted - interpreted_before;
   cf_unit_clock_stop(engines->task->clock);
   cf_time_limit_end(limit, after.tasks - before.tasks);
   cf_trace_slice(pass->pool->trace, start_ns, .name = "chunk",
                  .number = { { "pass", pass->number },
                              { "chunk", item },
                              { "vertex tasks", after.tasks - before.tasks },
                              { "primitives set up", engines->binner.prim_count } });
}
