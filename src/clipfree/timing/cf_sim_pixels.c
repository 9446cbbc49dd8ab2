/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_pixels.h"

#define Z_FLAGS (CF_SIM_Z_READ | CF_SIM_Z_WRITE | CF_SIM_STENCIL_WRITE)

bool
cf_sim_same_block(const struct cf_sim_item *a, const struct cf_sim_item *b)
{
   /* `place` has the block's quad in its lower two bits in both traversals */
   return a && a->op == b->op && a->primitive == b->primitive && a->place >> 2 == b->place >> 2 &&
          a->tile == b->tile;
}

bool
cf_sim_same_tile(const struct cf_sim_layout *layout, const struct cf_sim_chunk *chunk,
                 const struct cf_sim_item *a, const struct cf_sim_item *b)
{
   const uint32_t samples = chunk->op[b->op].samples;
   return cf_sim_same_block(a, b) &&
          (cf_sim_layout_planes(layout, samples) == samples || a->place == b->place);
}

static uint32_t
number_of(const struct cf_sim_pixel_walk *w, const struct cf_sim_item *item)
{
   return (uint32_t)(item - w->order->item);
}

static void
emit(const struct cf_sim_pixel_walk *w, struct cf_sim_place place, bool color, bool reads,
     bool writes)
{
   const struct cf_sim_request request = { .line = place.line,
                                           .item = number_of(w, w->last_item),
                                           .pipeline = (uint8_t)place.pipeline,
                                           .color = color,
                                           .ideal = !color && w->ideal,
                                           .reads = reads,
                                           .writes = writes };
   w->sink->take(w->sink->user, &request);
}

uint32_t
cf_sim_item_pixel(const struct cf_sim_chunk *chunk, const struct cf_sim_item *item)
{
   const uint32_t *record = cf_sim_item_record(chunk, item);
   return cf_sim_kind(record[0]) == CF_SIM_TASK ? record[CF_SIM_TASK_DW + 2 * item->quad + 1]
                                                : record[3];
}

/* ------------------------------------------------------------------ prefetch */

bool
cf_sim_pixels_prefetch(const struct cf_sim_layout *layout, const struct cf_sim_chunk *chunk,
                       const struct cf_sim_item *item, uint32_t sample,
                       struct cf_sim_request *request)
{
   const struct cf_sim_op *op = &chunk->op[item->op];
   if (op->flags & CF_SIM_CLEAR || op->zs_image == CF_SIM_NONE || !(op->flags & Z_FLAGS) ||
       sample >= cf_sim_layout_planes(layout, op->samples))
      return false;
   const uint32_t pixel = cf_sim_item_pixel(chunk, item);
   const struct cf_sim_place place =
      cf_sim_layout_pixel(layout, op->zs_image, pixel & 0xffff, pixel >> 16, sample);
   *request = (struct cf_sim_request){
      .line = place.line, .pipeline = (uint8_t)place.pipeline, .reads = true, .prefetch = true
   };
   return true;
}

/* Raster finds the item: the first of a tile asks for its lines. */
static void
find(struct cf_sim_pixel_walk *w, const struct cf_sim_item *item)
{
   struct cf_sim_request request;
   if (cf_sim_same_tile(w->layout, w->chunk, w->last_found, item))
      return;
   w->last_found = item;
   w->found++;
   for (uint32_t s = 0; cf_sim_pixels_prefetch(w->layout, w->chunk, item, s, &request); s++) {
      request.item = number_of(w, item);
      w->sink->take(w->sink->user, &request);
   }
}

/* Let raster run ahead of the tests, which have reached `item`. */
static void
run_ahead(struct cf_sim_pixel_walk *w, const struct cf_sim_item *item)
{
   if (!cf_sim_same_tile(w->layout, w->chunk, w->last_done, item))
      w->done++;
   w->last_done = item;
   while (w->ahead < w->order->items && w->found < w->done + w->layout->machine->z.run_ahead)
      find(w, &w->order->item[w->ahead++]);
   /* the block itself, where raster is not ahead at all */
   while (w->ahead < w->order->items && &w->order->item[w->ahead] <= item)
      find(w, &w->order->item[w->ahead++]);
}

/* ------------------------------------------------------------------ requests */

static void
flush(struct cf_sim_pixel_walk *w)
{
   for (uint32_t color = 0; w->has_gathered && color < 2; color++) {
      for (uint32_t s = 0; s < CF_SAMPLES; s++) {
         const struct cf_sim_request *r = &w->gathered[color][s];
         if (r->reads | r->writes)
            w->sink->take(w->sink->user, r);
      }
   }
   w->has_gathered = false;
}

/* A block's request is that of all its quads. Several targets are one, of the last. */
static void
gather(struct cf_sim_pixel_walk *w, struct cf_sim_place place, uint32_t sample, bool color,
       bool reads, bool writes)
{
   struct cf_sim_request *r = &w->gathered[color][sample];
   if (!w->has_gathered) {
      for (uint32_t i = 0; i < 2 * CF_SAMPLES; i++)
         w->gathered[i / CF_SAMPLES][i % CF_SAMPLES] = (struct cf_sim_request){ 0 };
   }
   w->has_gathered = true;
   r->line = place.line;
   r->item = number_of(w, w->last_item);
   r->pipeline = (uint8_t)place.pipeline;
   r->color = color;
   r->ideal = !color && w->ideal;
   r->reads |= reads;
   r->writes |= writes;
}

/* What a quad, or a fragment, asks of an image. */
struct demand {
   uint32_t image, pixels; /* pixels: how many are concerned, a bit each */
   bool color, reads, writes;
};

/* Requests for a sample of the pixels at a place, x_px | y_px << 16. */
static void
request(struct cf_sim_pixel_walk *w, uint32_t at, uint32_t sample, struct demand d)
{
   const uint32_t kind = w->layout->machine->z.request;
   if (!d.pixels || !(d.reads | d.writes) || d.image == CF_SIM_NONE)
      return;
   const struct cf_sim_place place =
      cf_sim_layout_pixel(w->layout, d.image, at & 0xffff, at >> 16, sample);
   if (kind == CF_SIM_PIXEL_REQUEST_BLOCK) {
      gather(w, place, sample, d.color, d.reads, d.writes);
      return;
   }
   const uint32_t count = kind == CF_SIM_PIXEL_REQUEST_PIXEL ? cf_sim_pixels_in(d.pixels) : 1;
   for (uint32_t i = 0; i < count; i++)
      emit(w, place, d.color, d.reads, d.writes);
}

/* Of the samples that lie in a plane of lines: one of them, or all. */
static struct cf_sim_quad_masks
masks_of(const uint32_t *task, uint32_t quad, uint32_t plane, uint32_t planes, uint32_t samples)
{
   struct cf_sim_quad_masks all = { 0 };
   if (planes == samples)
      return cf_sim_quad_masks(task, quad, plane);
   for (uint32_t s = 0; s < samples; s++) {
      const struct cf_sim_quad_masks m = cf_sim_quad_masks(task, quad, s);
      all.covered |= m.covered;
      all.tested |= m.tested;
      all.written |= m.written;
   }
   return all;
}

static void
quad_requests(struct cf_sim_pixel_walk *w, const struct cf_sim_item *item, const uint32_t *task)
{
   const struct cf_sim_op *op = &w->chunk->op[item->op];
   const uint32_t at = task[CF_SIM_TASK_DW + 2 * item->quad + 1],
                  planes = cf_sim_layout_planes(w->layout, op->samples);
   for (uint32_t s = 0; s < planes; s++) {
      const struct cf_sim_quad_masks m = masks_of(task, item->quad, s, planes, op->samples);
      const bool writes =
         op->flags & CF_SIM_STENCIL_WRITE || (op->flags & CF_SIM_Z_WRITE && m.written);
      request(w, at, s,
              (struct demand){ op->zs_image, m.tested, false, op->flags & CF_SIM_Z_READ, writes });
      for (uint32_t c = 0; c < op->colors; c++)
         request(w, at, s,
                 (struct demand){ op->color_image[c], m.written, true, op->color_reads >> c & 1,
                                  op->color_writes >> c & 1 });
   }
}

static void
early_request(struct cf_sim_pixel_walk *w, const struct cf_sim_item *item, const uint32_t *record)
{
   const struct cf_sim_op *op = &w->chunk->op[item->op];
   const uint32_t sample = (record[0] >> 16 & 3) % cf_sim_layout_planes(w->layout, op->samples);
   request(w, record[3], sample,
           (struct demand){ op->zs_image, 1, false, true, op->flags & CF_SIM_STENCIL_WRITE });
}

/* Writes of a clear: each line once. */
static void
clear_requests(struct cf_sim_pixel_walk *w, const struct cf_sim_item *item, const uint32_t *record)
{
   const struct cf_sim_op *op = &w->chunk->op[item->op];
   const uint32_t planes = cf_sim_layout_planes(w->layout, op->samples);
   for (uint32_t image = 0; image <= CF_MAX_COLOR_TARGETS; image++) {
      const bool color = image < CF_MAX_COLOR_TARGETS;
      const uint32_t number = color ? op->color_image[image] : op->zs_image;
      if (!(record[0] >> (16 + image) & 1) || number == CF_SIM_NONE ||
          (color && image >= op->colors))
         continue;
      const struct cf_sim_placed_image *i = &w->layout->image[number];
      const uint32_t width_px = 1u << i->x_shift, height_px = 1u << i->y_shift;
      for (uint32_t y = record[2] >> 16; y < record[3] >> 16; y += height_px)
         for (uint32_t x = record[2] & 0xffff; x < (record[3] & 0xffff); x += width_px)
            for (uint32_t s = 0; s < planes; s++)
               emit(w, cf_sim_layout_pixel(w->layout, number, x, y, s), color, false, true);
   }
}

bool
cf_sim_hidden_early(const struct cf_sim_chunk *chunk, const struct cf_sim_item *item)
{
   const struct cf_sim_op *op = &chunk->op[item->op];
   const uint32_t *task = cf_sim_item_record(chunk, item);
   uint32_t left = 0;
   if (op->flags & CF_SIM_LATE)
      return false;
   for (uint32_t s = 0; s < op->samples; s++)
      left |= cf_sim_quad_masks(task, item->quad, s).written;
   return !left;
}

struct cf_sim_pixel_walk
cf_sim_pixels_begin(const struct cf_sim_layout *layout, const struct cf_sim_chunk *chunk,
                    const struct cf_sim_order *order, const struct cf_sim_request_sink *sink)
{
   const uint32_t prefetch = layout->machine->z.prefetch;
   const bool ideal = prefetch == CF_SIM_PREFETCH_IDEAL;
   return (struct cf_sim_pixel_walk){ .layout = layout,
                                      .chunk = chunk,
                                      .order = order,
                                      .sink = sink,
                                      .ideal = ideal,
                                      .prefetches = prefetch != CF_SIM_PREFETCH_NONE && !ideal };
}

void
cf_sim_pixels_item(struct cf_sim_pixel_walk *w, const struct cf_sim_item *item)
{
   const uint32_t *record = cf_sim_item_record(w->chunk, item);
   if (w->has_gathered && !cf_sim_same_tile(w->layout, w->chunk, w->last_item, item))
      flush(w);
   w->last_item = item;
   if (w->prefetches)
      run_ahead(w, item);
   if (cf_sim_kind(record[0]) == CF_SIM_TASK)
      quad_requests(w, item, record);
   else if (cf_sim_kind(record[0]) == CF_SIM_EARLY_TEST)
      early_request(w, item, record);
   else if (w->layout->machine->clear.writes)
      clear_requests(w, item, record);
}

void
cf_sim_pixels_end(struct cf_sim_pixel_walk *w)
{
   flush(w);
}

void
cf_sim_pixels_chunk(const struct cf_sim_layout *layout, const struct cf_sim_chunk *chunk,
                    const struct cf_sim_order *order, const struct cf_sim_request_sink *sink)
{
   struct cf_sim_pixel_walk w = cf_sim_pixels_begin(layout, chunk, order, sink);
   for (size_t i = 0; i < order->items; i++)
      cf_sim_pixels_item(&w, &order->item[i]);
   cf_sim_pixels_end(&w);
}
