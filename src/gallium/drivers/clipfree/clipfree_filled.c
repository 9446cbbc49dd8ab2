/* SPDX-License-Identifier: MIT */
#include "clipfree_filled.h"

#include "util/simple_mtx.h"
#include "util/u_math.h"
#include "util/u_memory.h"

#include "clipfree/interface/cf_note.h"

#include "clipfree_context.h"
#include "clipfree_format.h"
#include "clipfree_resource.h"
#include "clipfree_screen.h"

/* Pixels begin to end - 1 of an image; end 0: none. */
struct cf_filled_rect {
   uint16_t begin[2], end[2];
};

struct cf_filled {
   simple_mtx_t lock;             /* contexts share textures */
   struct cf_filled_rect image[]; /* of all levels */
};

void
cf_filled_init(struct cf_resource *texture)
{
   if (!cf_screen(texture->base.screen)->notes)
      return;
   const uint32_t images = cf_resource_image_count(texture);
   texture->filled =
      CALLOC_VARIANT_LENGTH_STRUCT(cf_filled, images * sizeof(struct cf_filled_rect));
   if (texture->filled)
      simple_mtx_init(&texture->filled->lock, mtx_plain);
}

void
cf_filled_fini(struct cf_resource *texture)
{
   if (!texture->filled)
      return;
   simple_mtx_destroy(&texture->filled->lock);
   FREE(texture->filled);
}

static struct cf_filled_rect *
cf_filled_rect(const struct cf_resource *texture, unsigned level, unsigned image)
{
   return &texture->filled->image[texture->level[level].first_image + image];
}

void
cf_filled_add(struct cf_resource *texture, unsigned level, const struct pipe_box *box)
{
   if (!texture->filled)
      return;
   simple_mtx_lock(&texture->filled->lock);
   for (int i = box->z; i < box->z + box->depth; i++) {
      struct cf_filled_rect *rect = cf_filled_rect(texture, level, i);
      const bool first = rect->end[0] == 0;
      rect->begin[0] = first ? box->x : MIN2(rect->begin[0], box->x);
      rect->begin[1] = first ? box->y : MIN2(rect->begin[1], box->y);
      rect->end[0] = MAX2(rect->end[0], box->x + box->width);
      rect->end[1] = MAX2(rect->end[1], box->y + box->height);
   }
   simple_mtx_unlock(&texture->filled->lock);
}

void
cf_filled_add_image(struct cf_resource *texture, unsigned level, unsigned image)
{
   const struct cf_level *size = &texture->level[level];
   const struct pipe_box box = {
      .z = image, .width = size->width_px, .height = size->height_px, .depth = 1
   };
   cf_filled_add(texture, level, &box);
}

void
cf_filled_add_copy(struct cf_resource *texture, unsigned level, unsigned image,
                   const struct cf_resource *source, unsigned source_level, unsigned source_image)
{
   if (!source->filled || cf_filled_rect(source, source_level, source_image)->end[0] > 0)
      cf_filled_add_image(texture, level, image);
}

/* ------------------------------------------------------------------ draws */

static void
cf_note_element(const struct cf_context *context, unsigned i, struct cf_note *note)
{
   const struct pipe_vertex_element *e = &context->elements->element[i];
   const struct pipe_vertex_buffer *vb = e->vertex_buffer_index < context->vertex_buffer_count
                                            ? &context->vertex_buffers[e->vertex_buffer_index]
                                            : NULL;
   if (!vb || vb->is_user_buffer || !vb->buffer.resource)
      return;
   const struct util_range *valid = &cf_resource(vb->buffer.resource)->valid;
   const uint32_t first_B = vb->buffer_offset + e->src_offset;
   const struct cf_note_written written = {
      .place = i,
      .begin = { valid->start < valid->end && valid->start > first_B ? valid->start - first_B : 0 },
      .end = { valid->start < valid->end && valid->end > first_B ? valid->end - first_B : 0 },
   };
   if (written.begin[0] > 0 || (uint64_t)written.end[0] + first_B < vb->buffer.resource->width0)
      cf_note_add_written(note, CF_NOTE_WRITTEN_BYTES, &written);
}

/* The texels of a buffer, in one row, that were written whole. */
static void
cf_note_buffer_view(const struct cf_sampler_view_object *view, unsigned stage, unsigned unit,
                    struct cf_note *note)
{
   const struct util_range *valid = &cf_resource(view->base.texture)->valid;
   const uint32_t pixel_B = cf_format_info_of(view->texture.format)->pixel_B,
                  texels = pixel_B ? view->texture.size_B / pixel_B : 0,
                  start_B = MAX2(valid->start, view->offset_B) - view->offset_B,
                  end_B = MAX2(valid->end, view->offset_B) - view->offset_B;
   const bool any = valid->start < valid->end;
   const struct cf_note_written written = {
      .stage = stage,
      .place = unit,
      .begin = { any ? DIV_ROUND_UP(start_B, MAX2(pixel_B, 1)) : 0, 0 },
      .end = { any ? end_B / MAX2(pixel_B, 1) : 0, 1 },
   };
   if (texels && (written.begin[0] > 0 || written.end[0] < texels))
      cf_note_add_written(note, CF_NOTE_WRITTEN_TEXELS, &written);
}

static void
cf_note_view(const struct cf_sampler_view_object *view, unsigned stage, unsigned unit,
             struct cf_note *note)
{
   const struct cf_resource *texture = view ? cf_resource(view->base.texture) : NULL;
   if (texture && texture->base.target == PIPE_BUFFER)
      cf_note_buffer_view(view, stage, unit, note);
   if (!texture || texture->base.target == PIPE_BUFFER || !texture->filled)
      return;
   simple_mtx_lock(&texture->filled->lock);
   for (unsigned l = view->base.u.tex.first_level; l <= view->base.u.tex.last_level; l++) {
      const struct cf_level *level = &texture->level[l];
      for (unsigned i = view->first_image; i <= MIN2(view->last_image, level->images - 1); i++) {
         const struct cf_filled_rect *rect = cf_filled_rect(texture, l, i);
         const struct cf_note_written written = {
            .stage = stage,
            .place = unit,
            .level = l,
            .layer = i,
            .begin = { rect->begin[0], rect->begin[1] },
            .end = { rect->end[0], rect->end[1] },
         };
         if (rect->begin[0] || rect->begin[1] || rect->end[0] < level->width_px ||
             rect->end[1] < level->height_px)
            cf_note_add_written(note, CF_NOTE_WRITTEN_TEXELS, &written);
      }
   }
   simple_mtx_unlock(&texture->filled->lock);
}

void
cf_note_filled(struct cf_context *context, struct cf_note *note)
{
   for (unsigned i = 0; context->elements && i < context->elements->count; i++)
      cf_note_element(context, i, note);
   for (unsigned stage = 0; stage < CF_STAGES; stage++) {
      const struct cf_stage_bindings *bindings = &context->stage[stage];
      for (unsigned unit = 0; unit < bindings->view_count; unit++)
         cf_note_view((struct cf_sampler_view_object *)bindings->views[unit], stage, unit, note);
   }
}
