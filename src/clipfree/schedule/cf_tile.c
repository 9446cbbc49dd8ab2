/* SPDX-License-Identifier: MIT */
#include "clipfree/schedule/cf_tile.h"

#include <string.h>

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/base/cf_cache.h"
#include "clipfree/base/cf_for.h"
#include "clipfree/base/cf_inline.h"
#include "clipfree/base/cf_time_limit.h"
#include "clipfree/base/cf_unit_clock.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/jit/cf_quad_work.h"
#include "clipfree/pixel/cf_early_observed.h"
#include "clipfree/pixel/cf_pixel_samples.h"
#include "clipfree/primitive/cf_prim.h"
#include "clipfree/schedule/cf_tile_report.h"
#include "clipfree/shader/cf_run_watched.h"

#define NO_DRAW UINT32_MAX
#define PRIM_PREFETCH_DISTANCE 2

/* What serves frames of one sample and of several is always inlined: neither pays for the other. */

/* Usually all lanes are set. Hosts that cannot count bits call a function for other cases only. */
CF_INLINE uint32_t
count_lanes(uint32_t mask)
{
   return mask == UINT32_MAX ? CF_TASK_LANES : (uint32_t)__builtin_popcount(mask);
}

/* After a task: it or the thread took too long, and nothing more is drawn. */
static void
note_time(struct cf_tile_walker *walker)
{
   if (walker->task->timed_out || cf_time_limit_over(walker->task->limit))
      atomic_store_explicit(walker->input->timed_out_draw, walker->draw_index + 1,
                            memory_order_relaxed);
}

CF_INLINE bool
has_timed_out(const struct cf_tile_walker *walker)
{
   return atomic_load_explicit(walker->input->timed_out_draw, memory_order_relaxed) != 0;
}

/* Tell hierarchical Z when late tests of a task's quads hid all of them; `passed`: lanes with a
 * sample that passed. A failed alpha test counts, too: at worst bounds are taken that hide
 * nothing. */
CF_INLINE void
count_late(struct cf_tile_walker *walker, uint32_t count, uint32_t passed)
{
   if (!passed && walker->draw->pixel->late_tests && !walker->draw->pixel->early_tests)
      cf_hiz_count(&walker->hiz, walker->draw->pixel, (count + 3) / 4);
}

/* The units that test the samples of the draw. */
CF_INLINE struct cf_sample_units
sample_units(const struct cf_tile_walker *walker)
{
   return (struct cf_sample_units){ .primitive = walker->units->primitive,
                                    .pixel = walker->units->pixel,
                                    .at_samples = walker->draw->primitive->samples > 1 };
}

/* The fragments of a task, or of several. They refer to `units`. */
CF_INLINE struct cf_fragments
fragments_of(const struct cf_tile_walker *walker, const struct cf_sample_units *units,
             const struct cf_quad *quads, uint32_t count, uint32_t lanes, const float *coverage)
{
   const struct cf_draw_state *draw = walker->draw;
   return (struct cf_fragments){
      .units = units,
      .quads = quads,
      .count = cf_min_u32(count, CF_TASK_QUADS),
      .lanes = lanes,
      .varmodes = draw->varmodes,
      .coverage = draw->smooth ? coverage : NULL,
      .program = draw->fragment_program,
      .pixel = draw->pixel,
   };
}

/* The number in its draw of a primitive that waits in the pack: look back from the entry being
 * drawn. Few quads wait for long. */
static uint32_t
primitive_number(const struct cf_tile_walker *walker, const struct cf_prim *prim)
{
   uint32_t end = walker->entry + 1;
   for (uint32_t chunk = walker->chunk;; chunk--) {
      const struct cf_bins *bins = &walker->input->chunks[chunk];
      const uint16_t *entries = NULL;
      const uint32_t count = cf_bins_tile(bins, walker->tile_x, walker->tile_y, &entries);
      for (uint32_t i = cf_min_u32(end, count); i-- > 0;) {
         if (bins->prims[entries[i]].prim == prim)
            return bins->prims[entries[i]].primitive;
      }
      if (chunk == 0)
         return 0; /* not reached: all quads are of primitives of the tile */
      end = UINT32_MAX;
   }
}

/* The quads of a task, as events have them. */
static void
task_quads(const struct cf_tile_walker *walker, const struct cf_fragments *fragments,
           struct cf_task_quad quad[CF_TASK_QUADS])
{
   const struct cf_prim *prim = NULL;
   uint32_t number = 0;
   for (uint32_t q = 0; q < fragments->count; q++) {
      const struct cf_quad *from = &fragments->quads[q];
      if (from->prim != prim)
         number = primitive_number(walker, from->prim);
      prim = from->prim;
      quad[q] =
         (struct cf_task_quad){ (uint16_t)from->x_px, (uint16_t)from->y_px, number };
   }
}

static void
end_observed(struct cf_tile_walker *walker, const struct cf_fragments *fragments, uint32_t alive,
             uint32_t written[CF_SAMPLES])
{
   struct cf_fragments_event_sink sink = { .observer = walker->observer,
                                           .draw = walker->draw->packet };
   struct cf_task_quad quad[CF_TASK_QUADS];
   task_quads(walker, fragments, quad);
   for (uint32_t q = 0; q < fragments->count; q++)
      sink.primitive[q] = quad[q].primitive;
   cf_fragments_end_observed(fragments, walker->task, alive, written, &sink);
}

/* Report what became of the task's fragments at each sample. */
static void
report_pixels(const struct cf_tile_walker *walker, const struct cf_fragments *fragments,
              uint32_t alive, const uint32_t written[CF_SAMPLES])
{
   const struct cf_observer *observer = walker->observer;
   struct cf_task_quad quad[CF_TASK_QUADS];
   struct cf_pixels_event event = { .draw = walker->draw->packet,
                                    .quad = quad,
                                    .quads = fragments->count };
   task_quads(walker, fragments, quad);
   cf_fragments_reached(fragments, walker->task, alive, event.covered, event.tested);
   for (uint32_t s = 0; s < CF_SAMPLES; s++)
      event.written[s] = written[s] & event.covered[s];
   observer->pixels(observer->user, &event);
}

/* cf_fragments_end, with an observer. */
static void
end_watched(struct cf_tile_walker *walker, const struct cf_fragments *fragments, uint32_t alive,
            uint32_t written[CF_SAMPLES])
{
   const struct cf_observer *observer = walker->observer;
   if (observer->fragment && (!observer->wants_fragments ||
                              observer->wants_fragments(observer->user, walker->draw->packet)))
      end_observed(walker, fragments, alive, written);
   else
      cf_fragments_end(fragments, walker->task, alive, written);
   if (observer->pixels)
      report_pixels(walker, fragments, alive, written);
}

static void
end_fragments(struct cf_tile_walker *walker, const struct cf_fragments *fragments, uint32_t alive,
              uint32_t written[CF_SAMPLES])
{
   if (walker->observer)
      end_watched(walker, fragments, alive, written);
   else
      cf_fragments_end(fragments, walker->task, alive, written);
}

/* Run the fragment program step by step, and report its task with pixels and primitives. */
static void
run_watched(struct cf_tile_walker *walker, const struct cf_fragments *fragments)
{
   struct cf_task_quad quad[CF_TASK_QUADS];
   struct cf_task_event event = { .draw = walker->draw->packet,
                                  .lanes = fragments->lanes,
                                  .quad = quad,
                                  .quads = fragments->count };
   task_quads(walker, fragments, quad);
   cf_run_watched(walker->units->shader, walker->draw->fragment_stage, walker->task,
                  walker->observer, &event);
}

/* Run a task unit by unit: interpolation, program, tests, blending. */
static void
run_units(struct cf_tile_walker *walker, const struct cf_quad *quads, uint32_t count,
          uint32_t lanes, const float *coverage)
{
   struct cf_task *task = walker->task;
   const struct cf_sample_units units = sample_units(walker);
   const struct cf_fragments fragments = fragments_of(walker, &units, quads, count, lanes, coverage);
   uint32_t written[CF_SAMPLES] = { 0 };
   if (has_timed_out(walker))
      return;
   const enum cf_unit before = cf_unit_begin(task->clock, CF_UNIT_SHADING);
   cf_fragments_begin(&fragments, task);
   if (cf_observer_watches_tasks(walker->observer))
      run_watched(walker, &fragments);
   else
      walker->units->shader->run(walker->draw->fragment_stage, task);
   walker->stats.tasks++;
   walker->stats.quads += count;
   cf_unit_begin(task->clock, CF_UNIT_PIXELS);
   note_time(walker);
   end_fragments(walker, &fragments, task->timed_out ? 0 : task->alive, written);
   count_late(walker, count, written[0] | written[1] | written[2] | written[3]);
   for (uint32_t s = 0; s < CF_SAMPLES; s++)
      walker->samples += count_lanes(written[s]);
   cf_unit_begin(task->clock, before);
}

/* ------------------------------------------------------------------ compiled code */

/* What all runs of a draw in the tile have in common. */
static void
begin_work(struct cf_tile_walker *walker)
{
   const struct cf_draw_state *draw = walker->draw;
   walker->sample_units = sample_units(walker);
   walker->work = (struct cf_quad_work){
      .fragments = fragments_of(walker, &walker->sample_units, NULL, 0, 0, NULL),
      .centre_px = draw->primitive->raster.half_pixel_center ? 0.5f : 0.0f,
      .key = draw->pixel_key,
      .shared = draw->varmodes & CF_VARMODES_SHARED ? UINT32_MAX : 0,
      .test_quads = walker->units->pixel->test_quads,
      .test_samples = cf_samples_test,
   };
}

/* Run tasks of `count` quads by code from quads to pixels; the results are in walker->work. False:
 * nothing was done. */
CF_INLINE bool
run_work(struct cf_tile_walker *walker, const struct cf_quad *quads, uint32_t count,
         const uint32_t *lanes, const float *coverage)
{
   const struct cf_draw_state *draw = walker->draw;
   struct cf_quad_work *work = &walker->work;
   if (has_timed_out(walker))
      return false;
   work->fragments.quads = quads;
   work->fragments.count = cf_min_u32(count, CF_TASK_QUADS);
   work->fragments.coverage = draw->smooth ? coverage : NULL;
   work->lanes = lanes;
   work->tasks = (count + CF_TASK_QUADS - 1) / CF_TASK_QUADS;
   cf_quad_work_begin(work, walker->task);
   if (!walker->units->shader->run_quads(draw->fragment_stage, walker->task, work))
      return false;
   walker->stats.tasks += work->tasks;
   walker->stats.quads += count;
   for (uint32_t i = 0; draw->pixel->late_tests && i < work->tasks; i++)
      count_late(walker, work->fragments.count, work->alive[i]);
   note_time(walker);
   return true;
}

CF_INLINE bool
run_quads(struct cf_tile_walker *walker, const struct cf_quad *quads, uint32_t count,
          const uint32_t *lanes, const float *coverage)
{
   if (!run_work(walker, quads, count, lanes, coverage))
      return false;
   for (uint32_t i = 0; i < walker->work.tasks; i++)
      walker->samples += count_lanes(walker->work.alive[i]);
   return true;
}

/* run_quads of a frame of several samples. */
static bool
run_quads_samples(struct cf_tile_walker *walker, const struct cf_quad *quads, uint32_t count,
                  const uint32_t *lanes, const float *coverage)
{
   memset(walker->written, 0, sizeof(walker->written));
   walker->work.written = walker->written;
   if (!run_work(walker, quads, count, lanes, coverage))
      return false;
   for (uint32_t i = 0; i < walker->work.tasks; i++)
      for (uint32_t s = 0; s < CF_SAMPLES; s++)
         walker->samples += count_lanes(walker->written[i][s]);
   return true;
}

/* ------------------------------------------------------------------ tasks */

/* Run a task, or several, by code from quads to pixels, if the draw allows it. False: there is no
 * code (yet). */
CF_INLINE bool
run_compiled(struct cf_tile_walker *walker, const struct cf_quad *quads, uint32_t count,
             const uint32_t *lanes, const float *coverage, bool samples)
{
   if (!walker->draw->pixel_key)
      return false;
   const enum cf_unit before = cf_unit_begin(walker->task->clock, CF_UNIT_FUSED);
   const bool done = samples ? run_quads_samples(walker, quads, count, lanes, coverage)
                             : run_quads(walker, quads, count, lanes, coverage);
   cf_unit_begin(walker->task->clock, before);
   return done;
}

/* Run tasks by compiled code, or else unit by unit. Several tasks without code are tried one by
 * one: each try counts towards compiling it. */
CF_INLINE void
run_any(struct cf_tile_walker *walker, const struct cf_quad *quads, uint32_t count,
        const uint32_t *lanes, const float *coverage, bool samples)
{
   if (run_compiled(walker, quads, count, lanes, coverage, samples))
      return;
   walker->stats.waiting += walker->draw->pixel_key ? (count + CF_TASK_QUADS - 1) / CF_TASK_QUADS : 0;
   for (uint32_t i = 0; i < count; i += CF_TASK_QUADS, lanes++) {
      const uint32_t in_task = cf_min_u32(count, CF_TASK_QUADS);
      if (count > CF_TASK_QUADS &&
          run_compiled(walker, quads + i, in_task, lanes, coverage, samples))
         continue;
      run_units(walker, quads + i, in_task, *lanes, coverage);
   }
}

/* cf_quad_pack.run, in frames of one sample */
static void
run_tasks(void *user, const struct cf_quad *quads, uint32_t count, const uint32_t *lanes,
          const float *coverage)
{
   run_any(user, quads, count, lanes, coverage, false);
}

/* cf_quad_pack.run, in frames of several samples */
static void
run_tasks_samples(void *user, const struct cf_quad *quads, uint32_t count, const uint32_t *lanes,
                  const float *coverage)
{
   run_any(user, quads, count, lanes, coverage, true);
}

/* cf_quad_pack.run in tiles that are watched */
static void
run_tasks_watched(void *user, const struct cf_quad *quads, uint32_t count, const uint32_t *lanes,
                  const float *coverage)
{
   for (uint32_t i = 0; i < count; i += CF_TASK_QUADS)
      run_units(user, quads + i, cf_min_u32(count, CF_TASK_QUADS), *lanes++, coverage);
}

/* cf_quad_pack.run where draws are counted */
static void
run_tasks_counted(void *user, const struct cf_quad *quads, uint32_t count, const uint32_t *lanes,
                  const float *coverage)
{
   struct cf_tile_walker *walker = user;
   for (uint32_t i = 0; i < (count + CF_TASK_QUADS - 1) / CF_TASK_QUADS; i++)
      walker->stats.shaded += count_lanes(lanes[i]);
   walker->run(user, quads, count, lanes, coverage);
}

void
cf_tile_walker_init(struct cf_tile_walker *walker, const struct cf_units *units,
                    struct cf_task *task)
{
   memset(walker, 0, sizeof(*walker));
   walker->units = units;
   walker->task = task;
   walker->pack.user = walker;
}

/* Resolve the images that a draw reads or writes: their memory becomes valid. */
static void
resolve(struct cf_tile_walker *walker, const struct cf_pixel_config *pixel)
{
   const struct cf_frame *frame = walker->input->frame;
   const uint32_t zs_bits[4] = { pixel->zs_bits[0] & ~walker->resolved_zs[0], pixel->zs_bits[1] & ~walker->resolved_zs[1] };
   uint32_t images = (pixel->color_writes | pixel->reads_color) & ~walker->resolved;
   if (!(images | zs_bits[0] | zs_bits[1]))
      return;
   const enum cf_unit before = cf_unit_begin(walker->task->clock, CF_UNIT_CLEARS);
   walker->resolved |= images;
   CF_FOR_BITS (image, images)
      cf_image_resolve_tile(&frame->color[image], walker->tile_x, walker->tile_y);
   for (uint32_t i = 0; i < 2; i++)
      walker->resolved_zs[i] |= zs_bits[i];
   if (zs_bits[0] | zs_bits[1])
      cf_image_resolve_tile_bits(&frame->zs, walker->tile_x, walker->tile_y, zs_bits);
   cf_unit_begin(walker->task->clock, before);
}

/* Forget that these images are resolved: a clear has changed the states of their tile. */
static void
forget_resolved(struct cf_tile_walker *walker, uint32_t images)
{
   walker->resolved &= ~images;
   if (images & CF_CLEAR_ZS)
      memset(walker->resolved_zs, 0, sizeof(walker->resolved_zs));
}

/* Rasterise the small primitives that wait, test and pack their blocks. */
static void
draw_small(struct cf_tile_walker *walker)
{
   const struct cf_pixel_config *pixel = walker->draw->pixel;
   const uint32_t x_px = walker->tile_x * CF_TILE_PX, y_px = walker->tile_y * CF_TILE_PX;
   struct cf_prim_block *blocks = walker->raster.small;
   uint32_t count = walker->units->primitive->raster_small(walker->small, walker->small_count, x_px, y_px, blocks);
   walker->small_count = 0;
   if (pixel->early_tests && pixel->tests_needed) {
      const uint32_t left = walker->units->pixel->test_prims(pixel, blocks, count);
      cf_hiz_count(&walker->hiz, pixel, count - left);
      count = left;
   }
   if (pixel->shading_needed)
      walker->units->pack->prims(&walker->pack, blocks, count);
   else
      for (uint32_t i = 0; i < count; i++)
         walker->samples += (uint32_t)__builtin_popcount(blocks[i].mask);
}

/* What was done since the last call is of the draw that is left. */
static void
count_draw(struct cf_tile_walker *walker)
{
   const struct cf_tile_stats *now = &walker->stats, *before = &walker->counted;
   struct cf_stats_row *row = &walker->input->counts[walker->draw_index];
   cf_stats_count(row, CF_STAT_HIDDEN, now->hidden - before->hidden);
   cf_stats_count(row, CF_STAT_FRAGMENT_TASKS, now->tasks - before->tasks);
   cf_stats_count(row, CF_STAT_QUADS, now->quads - before->quads);
   cf_stats_count(row, CF_STAT_SHADED, now->shaded - before->shaded);
   cf_stats_count(row, CF_STAT_FRAGMENTS, now->fragments - before->fragments);
   cf_stats_count(row, CF_STAT_INTERPRETED,
                  walker->task->interpreted - walker->counted_interpreted);
   cf_stats_count_ticks(row, walker->task->clock);
   walker->counted = walker->stats;
   walker->counted_interpreted = walker->task->interpreted;
}

static void
leave_draw(struct cf_tile_walker *walker)
{
   if (walker->draw_index == NO_DRAW)
      return;
   if (walker->small_count)
      draw_small(walker);
   walker->units->pack->flush(&walker->pack);
   if (walker->samples && walker->draw->samples)
      __atomic_fetch_add(walker->draw->samples, walker->samples, __ATOMIC_RELAXED);
   walker->stats.fragments += walker->samples;
   walker->samples = 0;
   if (walker->input->counts)
      count_draw(walker);
}

/* Whether tasks may have quads of both draws: their state after raster is the same. Draws that are
 * counted have tasks of their own. */
CF_INLINE bool
share_tasks(const struct cf_tile_walker *walker, const struct cf_draw_state *draw)
{
   const struct cf_draw_state *other = walker->draw;
   return !walker->input->counts && draw->fragment_stage == other->fragment_stage &&
          draw->pixel == other->pixel && draw->pixel_key == other->pixel_key &&
          draw->primitive == other->primitive && draw->samples == other->samples &&
          !(draw->pixel && draw->pixel->plain);
}

static void
enter_draw(struct cf_tile_walker *walker, uint32_t index)
{
   const struct cf_draw_state *draw = &walker->input->draws[index];
   const bool shares_tasks = walker->draw_index != NO_DRAW && share_tasks(walker, draw);
   if (!shares_tasks)
      leave_draw(walker);
   walker->draw_index = index;
   walker->draw = draw;
   if (shares_tasks || draw->clear)
      return;
   walker->pack.coverage = draw->smooth ? (const float(*)[16])walker->coverage : NULL;
   if (walker->task->prepared != walker->draw->fragment_stage)
      walker->units->shader->prepare(walker->draw->fragment_stage, walker->task);
   begin_work(walker);
   const struct cf_pixel_config *pixel = walker->draw->pixel;
   const struct cf_raster *raster = &draw->primitive->raster;
   /* a primitive with its first varyings */
   walker->prefetched_B = cf_prim_kind_B(draw->primitive, draw->output_prim) + CF_CACHE_LINE_B;
   walker->collects_small =
      !draw->smooth && !raster->poly_stipple && !raster->line_stipple && !pixel->plain;
   cf_hiz_enter_draw(&walker->hiz, pixel);
   resolve(walker, pixel);
}

/* Resolve these images: write pending clears to the tile's memory. */
static void
write_clears(struct cf_tile_walker *walker, uint32_t images)
{
   const struct cf_frame *frame = walker->input->frame;
   CF_FOR_BITS (image, images) {
      cf_image_resolve_tile(image == CF_MAX_COLOR_TARGETS ? &frame->zs : &frame->color[image],
                            walker->tile_x, walker->tile_y);
   }
}

static void
clear(struct cf_tile_walker *walker, const struct cf_clear_op *op)
{
   const enum cf_unit before = cf_unit_begin(walker->task->clock, CF_UNIT_CLEARS);
   const struct cf_frame *frame = walker->input->frame;
   const struct cf_observer *observer = walker->observer;
   const uint32_t x_px = walker->tile_x * CF_TILE_PX, y_px = walker->tile_y * CF_TILE_PX;
   const uint32_t min_x_px = op->min_x_px > x_px ? op->min_x_px : x_px;
   const uint32_t min_y_px = op->min_y_px > y_px ? op->min_y_px : y_px;
   const uint32_t max_x_px = op->max_x_px < x_px + CF_TILE_PX ? op->max_x_px : x_px + CF_TILE_PX;
   const uint32_t max_y_px = op->max_y_px < y_px + CF_TILE_PX ? op->max_y_px : y_px + CF_TILE_PX;
   CF_FOR_BITS (image, op->images) {
      cf_image_clear(image == CF_MAX_COLOR_TARGETS ? &frame->zs : &frame->color[image],
                     op->value[image], op->mask[image], min_x_px, min_y_px, max_x_px, max_y_px);
   }
   if (op->written)
      write_clears(walker, op->images);
   if (observer && observer->clear && min_x_px < max_x_px && min_y_px < max_y_px)
      cf_tile_report_clear(
         walker, &(struct cf_clear_event){ walker->draw->packet, min_x_px, min_y_px, max_x_px,
                                           max_y_px, op->images, op->value, op->mask, NULL });
   forget_resolved(walker, op->images);
   if (op->images & CF_CLEAR_ZS)
      cf_hiz_drop(&walker->hiz);
   cf_unit_begin(walker->task->clock, before);
}

/* Rasterise a primitive: its blocks, and for smooth draws their coverage. */
CF_INLINE uint32_t
raster(struct cf_tile_walker *walker, const struct cf_prim *prim, struct cf_raster_block *blocks)
{
   const struct cf_primitive_ops *primitive = walker->units->primitive;
   const uint32_t x_px = walker->tile_x * CF_TILE_PX, y_px = walker->tile_y * CF_TILE_PX;
   if (walker->draw->smooth)
      return primitive->raster_smooth(prim, x_px, y_px, blocks, walker->coverage);
   return primitive->raster_tile(prim, x_px, y_px, blocks);
}

/* The regions of the tile where hierarchical Z hides the primitive, or tests that stop all. */
CF_INLINE uint32_t
hidden_regions(struct cf_tile_walker *walker, const struct cf_prim *prim)
{
   const struct cf_pixel_config *pixel = walker->draw->pixel;
   if (pixel->draws_nothing && !pixel->plain)
      return CF_HIZ_EVERYWHERE;
   const uint32_t x_px = walker->tile_x * CF_TILE_PX, y_px = walker->tile_y * CF_TILE_PX;
   if (cf_hiz_is_due(&walker->hiz, pixel))
      cf_hiz_take(&walker->hiz, walker->units->pixel, pixel, x_px, y_px);
   if (!walker->hiz.side)
      return 0;
   const uint32_t hidden = cf_hiz_hidden(&walker->hiz, pixel, prim, x_px, y_px);
   walker->stats.hidden += hidden != 0;
   return hidden;
}

/* Collect a small primitive. False: the primitive is not small; those that waited are drawn.
 * `known`: it is known to be. */
CF_INLINE bool
collect_small(struct cf_tile_walker *walker, const struct cf_prim *prim, bool known)
{
   const bool is_small =
      walker->collects_small &&
      (known || cf_prim_is_small(prim, walker->tile_x * CF_TILE_PX, walker->tile_y * CF_TILE_PX));
   if (is_small)
      walker->small[walker->small_count++] = prim;
   if (walker->small_count == CF_SMALL_PRIMS || (walker->small_count && !is_small))
      draw_small(walker);
   return is_small;
}

CF_INLINE void
draw_prim(struct cf_tile_walker *walker, const struct cf_prim *prim, bool known_small)
{
   const struct cf_pixel_config *pixel = walker->draw->pixel;
   struct cf_raster_block *blocks = walker->raster.blocks;
   const uint32_t hidden = hidden_regions(walker, prim);
   if (hidden == CF_HIZ_EVERYWHERE || collect_small(walker, prim, known_small))
      return;
   uint32_t count = raster(walker, prim, blocks);
   if (hidden)
      count = cf_hiz_visible_blocks(hidden, blocks, count);
   cf_hiz_test_blocks(&walker->hiz, walker->units->pixel, pixel, prim, blocks, count);
   if (pixel->shading_needed)
      walker->units->pack->blocks(&walker->pack, prim, blocks, count);
   else
      for (uint32_t i = 0; i < count; i++)
         walker->samples += (uint32_t)__builtin_popcount(blocks[i].mask);
}

/* Expand blocks of one sample to several: all samples of a pixel are covered, or none. From the
 * last to the first, since both arrays lie in the same memory. */
static void
repeat_for_samples(struct cf_tile_walker *walker, uint32_t count)
{
   for (uint32_t i = count; i-- > 0;) {
      const struct cf_raster_block b = walker->raster.blocks[i];
      walker->raster.samples[i] = (struct cf_raster_samples){
         .x_px = b.x_px, .y_px = b.y_px, .mask = { b.mask, b.mask, b.mask, b.mask }
      };
   }
}

/* cf_hiz_visible_blocks for blocks of several samples. */
static uint32_t
visible_samples(uint32_t hidden, struct cf_raster_samples *blocks, uint32_t count)
{
   uint32_t visible = 0;
   for (uint32_t i = 0; i < count; i++) {
      const struct cf_raster_samples block = blocks[i];
      blocks[visible] = block;
      visible += !cf_hiz_hides_block(hidden, block.x_px, block.y_px);
   }
   return visible;
}

/* Samples that the sample mask has not are left out. */
CF_INLINE void
mask_samples(struct cf_raster_samples *blocks, uint32_t count, uint32_t sample_mask)
{
   for (uint32_t i = 0; i < count; i++)
      cf_raster_samples_note_coverage(&blocks[i]);
   for (uint32_t s = 0; s < CF_SAMPLES; s++)
      for (uint32_t i = 0; i < count && !(sample_mask >> s & 1); i++)
         blocks[i].mask[s] = 0;
}

/* The samples that are left after sample mask and early tests go on to shading. */
static void
draw_samples(struct cf_tile_walker *walker, const struct cf_prim *prim,
             struct cf_raster_samples *blocks, uint32_t count)
{
   const struct cf_pixel_config *pixel = walker->draw->pixel;
   mask_samples(blocks, count, pixel->sample_mask);
   if (pixel->early_tests && pixel->tests_needed)
      cf_hiz_count(&walker->hiz, pixel,
                   walker->units->pixel->test_samples(pixel, prim, walker->draw->primitive->samples > 1, blocks, count));
   if (pixel->shading_needed)
      walker->units->pack->samples(&walker->pack, prim, blocks, count);
   for (uint32_t i = 0; i < count && !pixel->shading_needed; i++)
      for (uint32_t s = 0; s < CF_SAMPLES; s++)
         walker->samples += (uint32_t)__builtin_popcount(blocks[i].mask[s]);
}

/* The blocks of a primitive, with their samples. */
CF_INLINE uint32_t
raster_any_samples(struct cf_tile_walker *walker, const struct cf_prim *prim)
{
   const uint32_t x_px = walker->tile_x * CF_TILE_PX, y_px = walker->tile_y * CF_TILE_PX;
   if (walker->draw->primitive->samples > 1)
      return walker->units->primitive->raster_samples(prim, x_px, y_px, walker->raster.samples);
   const uint32_t count = raster(walker, prim, walker->raster.blocks);
   repeat_for_samples(walker, count);
   return count;
}

/* draw_prim for frames of several samples. */
static void
draw_prim_samples(struct cf_tile_walker *walker, const struct cf_prim *prim)
{
   struct cf_raster_samples *blocks = walker->raster.samples;
   const uint32_t hidden = hidden_regions(walker, prim);
   if (hidden == CF_HIZ_EVERYWHERE)
      return;
   uint32_t count = raster_any_samples(walker, prim);
   if (hidden)
      count = visible_samples(hidden, blocks, count);
   if (count)
      draw_samples(walker, prim, blocks, count);
}

/* ------------------------------------------------------------------ primitives with an observer */

/* Report blocks of a frame of one sample. */
static void
report_blocks(const struct cf_tile_walker *walker, const struct cf_prim *prim, uint32_t count)
{
   struct cf_raster_samples blocks[CF_TILE_BLOCKS];
   for (uint32_t i = 0; i < count; i++) {
      const struct cf_raster_block *b = &walker->raster.blocks[i];
      blocks[i] =
         (struct cf_raster_samples){ .x_px = b->x_px, .y_px = b->y_px, .mask = { b->mask } };
   }
   cf_tile_report_blocks(walker, prim, primitive_number(walker, prim), blocks, count);
}

/* draw_prim, on the plain path: no hierarchical Z, no small primitives rasterised together. Each
 * primitive reports its blocks and early tests. */
static void
draw_prim_observed(struct cf_tile_walker *walker, const struct cf_prim *prim)
{
   const struct cf_pixel_config *pixel = walker->draw->pixel;
   const struct cf_observer *observer = walker->observer;
   struct cf_raster_block *blocks = walker->raster.blocks;
   const struct cf_sample_units units = sample_units(walker);
   const struct cf_early_event_sink sink = { observer, walker->draw->packet,
                                             primitive_number(walker, prim) };
   const uint32_t count = raster(walker, prim, blocks);
   if (observer->block)
      report_blocks(walker, prim, count);
   if (pixel->early_tests && observer->early_test)
      cf_early_blocks_observed(&units, pixel, prim, blocks, count, &sink);
   else if (pixel->early_tests)
      walker->units->pixel->test_blocks(pixel, prim, CF_SAMPLE_CENTRE, blocks, count);
   walker->units->pack->blocks(&walker->pack, prim, blocks, count);
}

/* draw_prim_samples, with the same differences. */
static void
draw_samples_observed(struct cf_tile_walker *walker, const struct cf_prim *prim)
{
   const struct cf_pixel_config *pixel = walker->draw->pixel;
   const struct cf_observer *observer = walker->observer;
   struct cf_raster_samples *blocks = walker->raster.samples;
   const struct cf_sample_units units = sample_units(walker);
   const struct cf_early_event_sink sink = { observer, walker->draw->packet,
                                             primitive_number(walker, prim) };
   const uint32_t count = raster_any_samples(walker, prim);
   if (observer->block)
      cf_tile_report_blocks(walker, prim, sink.primitive, blocks, count);
   mask_samples(blocks, count, pixel->sample_mask);
   if (pixel->early_tests && observer->early_test)
      cf_early_samples_observed(&units, pixel, prim, blocks, count, &sink);
   else if (pixel->early_tests)
      walker->units->pixel->test_samples(pixel, prim, units.at_samples, blocks, count);
   walker->units->pack->samples(&walker->pack, prim, blocks, count);
}

/* ------------------------------------------------------------------ tiles */

/* Prefetch for the entries after number i of `count` that a tile has in a chunk. A tile sees few of
 * the chunk's primitives: the host cannot guess the next one. */
CF_INLINE void
prefetch_entry(const struct cf_tile_walker *walker, const struct cf_bins *bins,
               const uint16_t *entries, uint32_t count, uint32_t i)
{
   if (i + PRIM_PREFETCH_DISTANCE < count)
      cf_prefetch(bins->prims[entries[i + PRIM_PREFETCH_DISTANCE]].prim, walker->prefetched_B);
}

/* A primitive of the tile, or a clear. `samples`: the frame has several a pixel. `observed`, a
 * constant: there is an observer. */
CF_INLINE void
draw_entry(struct cf_tile_walker *walker, const struct cf_bin_prim *entry, bool samples,
           bool observed)
{
   if (entry->draw != walker->draw_index)
      enter_draw(walker, entry->draw);
   if (!entry->prim)
      clear(walker, walker->draw->clear);
   else if (observed)
      (samples ? draw_samples_observed : draw_prim_observed)(walker, entry->prim);
   else if (samples)
      draw_prim_samples(walker, entry->prim);
   else
      draw_prim(walker, entry->prim, entry->is_small);
}

/* All entries of the tile. */
CF_INLINE void
draw_entries(struct cf_tile_walker *walker, bool observed)
{
   const struct cf_tile_input *input = walker->input;
   const bool samples = input->frame->samples > 1;
   for (uint32_t chunk = 0; chunk < input->chunk_count && !has_timed_out(walker); chunk++) {
      const struct cf_bins *bins = &input->chunks[chunk];
      const uint16_t *entries;
      const uint32_t count = cf_bins_tile(bins, walker->tile_x, walker->tile_y, &entries);
      for (uint32_t i = 0; i < count; i++) {
         walker->chunk = chunk;
         walker->entry = i;
         prefetch_entry(walker, bins, entries, count, i);
         draw_entry(walker, &bins->prims[entries[i]], samples, observed);
      }
   }
}

void
cf_tile_walk(struct cf_tile_walker *walker, const struct cf_tile_input *input, uint32_t tile_x,
             uint32_t tile_y)
{
   walker->input = input;
   walker->tile_x = tile_x;
   walker->tile_y = tile_y;
   walker->draw_index = NO_DRAW;
   walker->observer = cf_observer_of_tile(walker->units->observer, tile_x, tile_y);
   forget_resolved(walker, UINT32_MAX);
   cf_hiz_begin(&walker->hiz);
   walker->run = walker->observer            ? run_tasks_watched
                 : input->frame->samples > 1 ? run_tasks_samples
                                             : run_tasks;
   walker->pack.run = input->counts ? run_tasks_counted : walker->run;
   walker->counted_interpreted = walker->task->interpreted; /* chunks count theirs */
   if (walker->observer)
      draw_entries(walker, true);
   else
      draw_entries(walker, false);
   leave_draw(walker);
}
