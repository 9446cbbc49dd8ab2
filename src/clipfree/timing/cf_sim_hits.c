/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_hits.h"

#include "clipfree/base/cf_cache.h"
#include "clipfree/timing/cf_sim_pixels.h"
#include "clipfree/timing/cf_sim_texels.h"

#define RECORD_PREFETCH_DISTANCE 16 /* items; their records lie in any order */

static uint32_t
pixel_line_B(const struct cf_sim_machine *m)
{
   return 4 * m->z.line_width_px * m->z.line_height_px;
}

bool
cf_sim_hits_init(struct cf_sim_hits *h, const struct cf_sim_machine *m, bool stacks)
{
   *h = (struct cf_sim_hits){ .machine = m, .stacks = stacks, .work.last_frame = CF_SIM_NONE };
   bool ok = cf_sim_cache_init(&h->texture, m->texture.size_B, m->texture.line_B, m->texture.ways,
                               m->texture.policy);
   cf_sim_layout_init(&h->layout, m);
   for (uint32_t p = 0; ok && p < m->screen.pipelines; p++)
      ok = cf_sim_cache_init(&h->z[p], m->z.size_B, pixel_line_B(m), m->z.ways, m->z.policy) &&
           cf_sim_cache_init(&h->color[p], m->color.size_B, pixel_line_B(m), m->color.ways,
                             m->color.policy);
   if (ok && stacks)
      ok = cf_sim_stack_init(&h->texture_stack) && cf_sim_stack_init(&h->z_stack) &&
           cf_sim_stack_init(&h->color_stack);
   if (!ok)
      cf_sim_hits_free(h);
   return ok;
}

void
cf_sim_hits_free(struct cf_sim_hits *h)
{
   cf_sim_cache_free(&h->texture);
   for (uint32_t p = 0; p < CF_SIM_MAX_PIPELINES; p++) {
      cf_sim_cache_free(&h->z[p]);
      cf_sim_cache_free(&h->color[p]);
   }
   cf_sim_stack_free(&h->texture_stack);
   cf_sim_stack_free(&h->z_stack);
   cf_sim_stack_free(&h->color_stack);
   cf_sim_layout_free(&h->layout);
}

/* ------------------------------------------------------------------ texels */

static void
request_texture(struct cf_sim_hits *h, const struct cf_sim_sample_lines *lines)
{
   h->work.samples++;
   h->work.texels += lines->texels;
   /* a line's texels come together: all but the first hit */
   const uint32_t repeats = h->machine->texture.request == CF_SIM_TEXTURE_REQUEST_TEXEL &&
                                  lines->texels > lines->lines && lines->lines > 0
                               ? lines->texels - lines->lines
                               : 0;
   for (uint32_t i = 0; i < lines->lines; i++) {
      h->failed |= !cf_sim_cache_request(&h->texture, lines->line[i], false);
      if (h->stacks)
         h->failed |= !cf_sim_stack_request(&h->texture_stack, lines->line[i]);
   }
   for (uint32_t i = 0; i < repeats; i++)
      h->failed |= !cf_sim_cache_request(&h->texture, lines->line[lines->lines - 1], false);
}

/* Run the samples of a task of quads. */
static void
run_task(struct cf_sim_hits *h, const struct cf_sim_chunk *chunk,
         const struct cf_sim_item *const *quad, uint32_t quads)
{
   struct cf_sim_samples samples[CF_SIM_QUADS];
   struct cf_sim_sample_lines lines;
   uint32_t left = (1u << quads) - 1;
   h->work.tasks += quads > 0;
   for (uint32_t q = 0; q < quads; q++)
      samples[q] = cf_sim_samples_of(&h->layout, chunk, quad[q]);
   while (left) {
      for (uint32_t q = 0; q < quads; q++) {
         if (!(left >> q & 1))
            continue;
         if (cf_sim_samples_next(&samples[q], &lines))
            request_texture(h, &lines);
         else
            left &= ~(1u << q);
      }
   }
}

static void
count_quad(struct cf_sim_work *work, const uint32_t *task, uint32_t quad, uint32_t samples)
{
   work->quads++;
   for (uint32_t s = 0; s < samples; s++) {
      const struct cf_sim_quad_masks m = cf_sim_quad_masks(task, quad, s);
      work->fragments += cf_sim_pixels_in(m.covered);
      work->tested += cf_sim_pixels_in(m.tested);
      work->written += cf_sim_pixels_in(m.written);
   }
}

/* Texels of vertex programs come before the fragments of their draw. */
static size_t
run_vertices(struct cf_sim_hits *h, const struct cf_sim_chunk *chunk, size_t at, uint32_t op)
{
   for (; at < chunk->vertex_texels && chunk->vertex_texel[at].op <= op; at++) {
      const struct cf_sim_vertex_texel *v = &chunk->vertex_texel[at];
      const uint32_t number = chunk->op[v->op].vertex_texture[v->texture_unit];
      struct cf_sim_sample_lines lines = { .texels = 1 };
      if (number < h->layout.textures) {
         const struct cf_sim_placed_texture *t = &h->layout.texture[number];
         lines.line[lines.lines++] = cf_sim_layout_texel(
            t, v->level, v->layer, v->x_px >> t->x_shift, v->y_px >> t->y_shift);
      }
      request_texture(h, &lines);
   }
   return at;
}

/* A chunk's walk through its quads: those of the task that is being filled. */
struct texture_walk {
   const struct cf_sim_item *quad[CF_SIM_QUADS];
   uint32_t quads, op;
   size_t vertex_texel; /* the next one */
};

/* Quads of another operation, or more of them than a task has, begin another task. */
static void
take_quad(struct cf_sim_hits *h, const struct cf_sim_chunk *chunk, struct texture_walk *w,
          const struct cf_sim_item *item)
{
   if (item->op != w->op || w->quads == CF_SIM_QUADS) {
      run_task(h, chunk, w->quad, w->quads);
      w->quads = 0;
   }
   if (item->op != w->op)
      w->vertex_texel = run_vertices(h, chunk, w->vertex_texel, item->op);
   w->op = item->op;
   count_quad(&h->work, cf_sim_item_record(chunk, item), item->quad, chunk->op[item->op].samples);
   if (h->machine->z.early && cf_sim_hidden_early(chunk, item))
      h->work.hidden_quads++;
   else
      w->quad[w->quads++] = item;
}

/* ------------------------------------------------------------------ pixels */

static void
take_request(void *user, const struct cf_sim_request *r)
{
   struct cf_sim_hits *h = user;
   const bool own = r->color && !h->machine->color.shared;
   struct cf_sim_cache *cache = own ? &h->color[r->pipeline] : &h->z[r->pipeline];
   if (r->prefetch) {
      h->failed |= !cf_sim_cache_prefetch(cache, r->line);
      return;
   }
   *(r->color ? &h->color_reads : &h->z_reads) += r->reads;
   *(r->color ? &h->color_writes : &h->z_writes) += r->writes;
   if (r->ideal)
      h->failed |= !cf_sim_cache_prefetch(cache, r->line);
   h->failed |= !cf_sim_cache_request(cache, r->line, r->writes);
   if (h->stacks && r->pipeline == 0)
      h->failed |= !cf_sim_stack_request(own ? &h->color_stack : &h->z_stack, r->line);
}

static void
count_events(struct cf_sim_work *work, const struct cf_sim_chunk *chunk)
{
   for (size_t i = 0; i < chunk->ops; i++) {
      const struct cf_sim_op *op = &chunk->op[i];
      work->clears += (op->flags & CF_SIM_CLEAR) != 0;
      work->draws += !(op->flags & (CF_SIM_CLEAR | CF_SIM_TRANSFER | CF_SIM_GEOMETRY));
      work->frames += op->frame != work->last_frame;
      work->last_frame = op->frame;
   }
   work->geometry += cf_sim_chunk_geometry(chunk);
   work->vertices += chunk->vertices - cf_sim_chunk_geometry(chunk);
   work->primitives += chunk->primitives;
   for (size_t i = 0; i < chunk->primitives; i++)
      work->set_up += chunk->primitive[i].set_up;
}

void
cf_sim_hits_chunk(struct cf_sim_hits *h, const struct cf_sim_chunk *chunk,
                  const struct cf_sim_order *order)
{
   const struct cf_sim_request_sink sink = { h, take_request };
   struct texture_walk textures = { .op = CF_SIM_NONE };
   count_events(&h->work, chunk);
   if (!cf_sim_layout_chunk(&h->layout, chunk)) {
      h->failed = true;
      return;
   }
   struct cf_sim_pixel_walk pixels = cf_sim_pixels_begin(&h->layout, chunk, order, &sink);
   for (size_t i = 0; i < order->items; i++) {
      const struct cf_sim_item *item = &order->item[i];
      if (i + RECORD_PREFETCH_DISTANCE < order->items)
         cf_prefetch_line(cf_sim_item_record(chunk, &order->item[i + RECORD_PREFETCH_DISTANCE]), 0);
      if (cf_sim_kind(cf_sim_item_record(chunk, item)[0]) == CF_SIM_TASK)
         take_quad(h, chunk, &textures, item);
      cf_sim_pixels_item(&pixels, item);
   }
   run_task(h, chunk, textures.quad, textures.quads);
   run_vertices(h, chunk, textures.vertex_texel, CF_SIM_NONE);
   cf_sim_pixels_end(&pixels);
}

bool
cf_sim_hits_finish(struct cf_sim_hits *h)
{
   bool ok = !h->failed && cf_sim_cache_finish(&h->texture);
   for (uint32_t p = 0; ok && p < h->machine->screen.pipelines; p++)
      ok = cf_sim_cache_finish(&h->z[p]) && cf_sim_cache_finish(&h->color[p]);
   return ok;
}

struct cf_sim_cache_counts
cf_sim_hits_sum(const struct cf_sim_hits *h, const struct cf_sim_cache *cache)
{
   struct cf_sim_cache_counts sum = { 0 };
   for (uint32_t p = 0; p < h->machine->screen.pipelines; p++) {
      const struct cf_sim_cache_counts *c = &cache[p].counts;
      sum.requests += c->requests;
      sum.hits += c->hits;
      sum.misses += c->misses;
      sum.compulsory += c->compulsory;
      sum.writes += c->writes;
      sum.prefetches += c->prefetches;
      sum.prefetched += c->prefetched;
      sum.useless += c->useless;
      sum.fills += c->fills;
      sum.write_backs += c->write_backs;
   }
   return sum;
}
