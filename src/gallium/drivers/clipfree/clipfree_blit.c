/* SPDX-License-Identifier: MIT */
/*
 * Copies, mipmaps and blits. Mesa's boxes may extend beyond both images; only pixels inside the
 * destination and the scissor are written. A blit takes the first of these paths that supports it:
 *
 *    blit                                        way                                       boxes by then
 *    ------------------------------------------  ----------------------------------------  ------------------------------------
 *    whole pixels, none beyond an image          cf_resource_copy_region: COPY             inside, as Mesa's helper has seen
 *    of one size, pixels as they are             cf_blit_copy: COPY of all samples, of     both clipped (cf_blit_clip)
 *                                                one to each, or resolved
 *    others from several samples                 cf_blit_resolve_source: COPY to an own    the source's clipped, the own image is
 *                                                image, from where it goes on below        what is left and a pixel around it
 *    nearest, scaled or mirrored, as they are    cf_blit_nearest: GATHER                   the destination's clipped; pixels
 *                                                                                          outside of the source: the outermost
 *    the same with pixels that change            cf_blit_nearest: GATHER to an own image,  the destination's clipped, the own
 *                                                which is drawn as below                   image has its size
 *    of one size with stencil that changes its   cf_blit_stencil: by the CPU, for no       both clipped (cf_blit_clip)
 *    place in the pixel                          fragment program can write stencil
 *    the rest: linear filters, other formats     cf_blit_draw: u_blitter                   as they came: scissor and samplers
 *                                                                                          clip
 */
#include "util/box.h"
#include "util/format/u_format.h"
#include "util/u_blitter.h"
#include "util/u_math.h"
#include "util/u_surface.h"

#include "clipfree_context.h"
#include "clipfree_format.h"
#include "clipfree_present.h"
#include "clipfree_query.h"
#include "clipfree_resource.h"
#include "clipfree_samples.h"
#include "clipfree_screen.h"
#include "clipfree_filled.h"

/* ------------------------------------------------------------------ copies */

static void
cf_copy_buffer_region(struct cf_context *context, struct cf_resource *destination,
                      unsigned destination_B, struct cf_resource *source,
                      const struct pipe_box *box)
{
   if (!cf_context_begin(context, CF_COPY_BUFFER_DWORDS))
      return;
   const struct cf_buffer *from = cf_resource_use(&context->batch, source, CF_ACCESS_READ);
   const struct cf_buffer *to = cf_resource_use(&context->batch, destination, CF_ACCESS_WRITE);
   util_range_add(&destination->base, &destination->valid, destination_B,
                  destination_B + box->width);
   CF_EMIT(&context->batch, COPY_BUFFER, copy_buffer, .source = from->bo.address + box->x,
           .destination = to->bo.address + destination_B, .size_B = box->width);
}

/* One image of a resource: a layer, face or slice of a level. */
struct cf_resource_image {
   struct cf_resource *resource;
   unsigned level, image;
};

/* The part of each pixel that a packet copies, and the format that it assumes for the source, which
 * determines how samples are averaged. */
struct cf_blit_move {
   enum cf_copy_part part;
   enum cf_format format;
};

/* Addresses of the descriptors of a copy's source and destination; 0: out of memory. */
struct cf_copied {
   uint64_t from, to;
};

static struct cf_copied
cf_upload_copied(struct cf_batch *batch, const struct cf_resource_image *to,
                 const struct cf_resource_image *from, enum cf_format from_format)
{
   const uint32_t both = CF_ACCESS_READ | CF_ACCESS_WRITE;
   struct cf_copied copied;
   copied.from = cf_resource_upload_surface(batch, from->resource, from->level, from->image,
                                            from_format, both);
   copied.to = cf_resource_upload_surface(batch, to->resource, to->level, to->image,
                                          to->resource->format, both);
   cf_buffer_mark_write(cf_resource_buffer(to->resource));
   cf_filled_add_copy(to->resource, to->level, to->image, from->resource, from->level, from->image);
   return copied;
}

/* Record the COPY of a box of one image to (x, y) of another. */
static void
cf_copy_image(struct cf_context *context, const struct cf_resource_image *to, unsigned x_px,
              unsigned y_px, const struct cf_resource_image *from, const struct pipe_box *box,
              struct cf_blit_move move)
{
   struct cf_batch *batch = &context->batch;
   const uint32_t from_px = cf_resource_unit_px(from->resource),
                  to_px = cf_resource_unit_px(to->resource);

   if (!cf_context_begin(context, CF_COPY_DWORDS))
      return;
   const struct cf_copied copied = cf_upload_copied(batch, to, from, move.format);
   context->counters[CF_COUNTER_COPIES]++;
   if (copied.from && copied.to)
      CF_EMIT(batch, COPY, copy, .source = copied.from, .destination = copied.to,
              .source_x_px = box->x / from_px, .source_y_px = box->y / from_px,
              .destination_x_px = x_px / to_px, .destination_y_px = y_px / to_px,
              .width_px = DIV_ROUND_UP(box->width, from_px),
              .height_px = DIV_ROUND_UP(box->height, from_px), .part = move.part);
}

static void
cf_resource_copy_region(struct pipe_context *pcontext, struct pipe_resource *pdestination,
                        unsigned destination_level, unsigned x, unsigned y, unsigned z,
                        struct pipe_resource *psource, unsigned source_level,
                        const struct pipe_box *box)
{
   struct cf_context *context = cf_context(pcontext);
   struct cf_resource *destination = cf_resource(pdestination), *source = cf_resource(psource);

   cf_present_read_in(context, destination);
   cf_present_read_in(context, source);
   cf_samples_store(context);
   if (pdestination->target == PIPE_BUFFER && psource->target == PIPE_BUFFER) {
      cf_copy_buffer_region(context, destination, x, source, box);
      return;
   }
   if (cf_resource_unit_B(destination) != cf_resource_unit_B(source)) {
      util_resource_copy_region(pcontext, pdestination, destination_level, x, y, z, psource,
                                source_level, box);
      return;
   }
   for (int i = 0; i < box->depth; i++) {
      const struct cf_resource_image to = { destination, destination_level, z + i };
      const struct cf_resource_image from = { source, source_level, box->z + i };
      cf_copy_image(context, &to, x, y, &from, box,
                    (struct cf_blit_move){ CF_COPY_PART_ALL, source->format });
   }
}

/* ------------------------------------------------------------------ mipmaps */

/* Reduce one or two images of a level to one of the next level. False: out of memory. */
static bool
cf_reduce_image(struct cf_context *context, struct cf_resource *resource, unsigned level,
                unsigned image, enum cf_format format)
{
   struct cf_batch *batch = &context->batch;
   const uint32_t both = CF_ACCESS_READ | CF_ACCESS_WRITE;
   const bool slices = resource->base.target == PIPE_TEXTURE_3D;
   const bool halved = resource->level[level - 1].images > resource->level[level].images && slices;
   const unsigned from = halved ? 2 * image : image;

   if (!cf_context_begin(context, CF_REDUCE_DWORDS))
      return false;
   const uint64_t source =
      cf_resource_upload_surface(batch, resource, level - 1, from, format, both);
   const uint64_t second =
      halved ? cf_resource_upload_surface(batch, resource, level - 1, from + 1, format, both) : 0;
   const uint64_t destination =
      cf_resource_upload_surface(batch, resource, level, image, format, both);
   if (!source || !destination || (halved && !second))
      return false;
   cf_buffer_mark_write(cf_resource_buffer(resource));
   cf_filled_add_copy(resource, level, image, resource, level - 1, from);
   CF_EMIT(batch, REDUCE, reduce, .source = source, .second = second, .destination = destination);
   return true;
}

/* False: Mesa must draw the levels. Slices of 3D textures can only be averaged in pairs. */
static bool
cf_generate_mipmap(struct pipe_context *pcontext, struct pipe_resource *presource,
                   enum pipe_format pformat, unsigned base_level, unsigned last_level,
                   unsigned first_layer, unsigned last_layer)
{
   struct cf_resource *resource = cf_resource(presource);
   const enum cf_format format = cf_format_from_pipe(pformat);
   const bool is_3d = presource->target == PIPE_TEXTURE_3D;

   if (!cf_format_has_mean(cf_format_info_of(format)) || cf_resource_samples(resource) > 1)
      return false;
   cf_samples_store(cf_context(pcontext));
   for (unsigned l = base_level; l < last_level; l++) {
      const uint32_t images = resource->level[l].images;
      if (is_3d && images > 1 && images % 2)
         return false;
   }
   for (unsigned l = base_level + 1; l <= last_level; l++) {
      const unsigned first = is_3d ? 0 : first_layer;
      const unsigned last = is_3d ? resource->level[l].images - 1 : last_layer;
      for (unsigned image = first; image <= last; image++)
         if (!cf_reduce_image(cf_context(pcontext), resource, l, image, format))
            return false;
   }
   return true;
}

/* ------------------------------------------------------------------ clipping */

/* Move the lower or the upper end of a row of pixels to the limit, in destination and source
 * alike. */
static void
cf_blit_clip_axis(int *to, int *from, int *length, int from_size, int low, int high)
{
   low = MAX3(low, 0, *to - *from);
   high = MIN2(high, *to - *from + from_size);
   const int first = MAX2(*to, low), end = MIN2(*to + *length, high);
   *from += first - *to;
   *to = first;
   *length = end - first;
}

/* The part of an unscaled blit inside the scissor and both images. False: none. */
static bool
cf_blit_clip(struct pipe_blit_info *info)
{
   const struct cf_level *destination = &cf_resource(info->dst.resource)->level[info->dst.level];
   const struct cf_level *source = &cf_resource(info->src.resource)->level[info->src.level];
   struct pipe_box *to = &info->dst.box, *from = &info->src.box;
   const struct pipe_scissor_state *s = &info->scissor;
   const bool cut = info->scissor_enable;
   int x = to->x, y = to->y, from_x = from->x, from_y = from->y, width = to->width, height = to->height;

   cf_blit_clip_axis(&x, &from_x, &width, source->width_px, cut ? s->minx : 0,
                     cut ? MIN2(s->maxx, destination->width_px) : destination->width_px);
   cf_blit_clip_axis(&y, &from_y, &height, source->height_px, cut ? s->miny : 0,
                     cut ? MIN2(s->maxy, destination->height_px) : destination->height_px);
   if (width <= 0 || height <= 0)
      return false;
   u_box_3d(x, y, to->z, width, height, to->depth, to);
   u_box_3d(from_x, from_y, from->z, width, height, from->depth, from);
   return true;
}

/* ------------------------------------------------------------------ drawing, and stencil */

/* Bits of a pixel that are stencil. */
static uint64_t
cf_stencil_mask(enum cf_format format)
{
   const struct cf_format_info *info = cf_format_info_of(format);
   for (unsigned c = 0; c < info->channels; c++) {
      if (info->channel[c].letter == 's')
         return ((UINT64_C(1) << info->channel[c].bits) - 1) << info->channel[c].offset_bits;
   }
   return 0;
}

static uint64_t
cf_read_pixel(const uint8_t *pixel, uint32_t pixel_B)
{
   uint64_t bits = 0;
   memcpy(&bits, pixel, pixel_B);
   return bits;
}

static void
cf_copy_stencil_rows(const struct pipe_blit_info *info, uint8_t *to, unsigned to_stride,
                     const uint8_t *from, unsigned from_stride)
{
   const struct cf_resource *destination = cf_resource(info->dst.resource);
   const struct cf_resource *source = cf_resource(info->src.resource);
   const uint32_t to_B = cf_resource_pixel_B(destination), from_B = cf_resource_pixel_B(source);
   const uint64_t to_mask = cf_stencil_mask(destination->format),
                  from_mask = cf_stencil_mask(source->format);
   const struct pipe_box *box = &info->dst.box;

   for (int y = 0; y < box->height; y++) {
      for (int x = 0; x < box->width; x++) {
         const uint64_t stencil =
            (cf_read_pixel(from + y * from_stride + x * from_B, from_B) & from_mask) /
            (from_mask & -from_mask);
         uint8_t *pixel = to + y * to_stride + x * to_B;
         const uint64_t bits =
            (cf_read_pixel(pixel, to_B) & ~to_mask) | stencil * (to_mask & -to_mask);
         memcpy(pixel, &bits, to_B);
      }
   }
}

/* Stencil alone, on the CPU, of boxes of one size. */
static void
cf_blit_stencil(struct pipe_context *pcontext, const struct pipe_blit_info *blit)
{
   struct pipe_blit_info info = *blit;
   struct pipe_transfer *to_transfer = NULL, *from_transfer = NULL;

   if (!cf_stencil_mask(cf_resource(info.src.resource)->format) ||
       !cf_stencil_mask(cf_resource(info.dst.resource)->format) || !cf_blit_clip(&info))
      return;
   util_debug_message(&pcontext->debug, PERF_INFO, "clipfree: a blit's stencil is moved by the CPU");
   const uint8_t *from = pcontext->texture_map(pcontext, info.src.resource, info.src.level,
                                               PIPE_MAP_READ, &info.src.box, &from_transfer);
   uint8_t *to = pcontext->texture_map(pcontext, info.dst.resource, info.dst.level,
                                       PIPE_MAP_READ_WRITE, &info.dst.box, &to_transfer);
   if (from && to)
      cf_copy_stencil_rows(&info, to, to_transfer->stride, from, from_transfer->stride);
   if (to)
      pcontext->texture_unmap(pcontext, to_transfer);
   if (from)
      pcontext->texture_unmap(pcontext, from_transfer);
}

static void
cf_blitter_save(struct cf_context *context)
{
   struct blitter_context *blitter = context->blitter;
   struct cf_stage_bindings *fragment = &context->stage[CF_SHADER_STAGE_FRAGMENT];

   util_blitter_save_vertex_buffers(blitter, context->vertex_buffers, context->vertex_buffer_count);
   util_blitter_save_vertex_elements(blitter, context->elements);
   util_blitter_save_vertex_shader(blitter, context->stage[CF_SHADER_STAGE_VERTEX].shader);
   util_blitter_save_geometry_shader(blitter, context->geometry);
   util_blitter_save_rasterizer(blitter, context->raster);
   util_blitter_save_viewport(blitter, &context->viewport);
   util_blitter_save_scissor(blitter, &context->scissor);
   util_blitter_save_fragment_shader(blitter, fragment->shader);
   util_blitter_save_blend(blitter, context->blend);
   util_blitter_save_depth_stencil_alpha(blitter, context->depth_stencil);
   util_blitter_save_stencil_ref(blitter, &context->stencil_ref);
   util_blitter_save_so_targets(blitter, context->feedback.count, context->feedback.target,
                                context->feedback.prim);
   util_blitter_save_sample_mask(blitter, context->sample_mask, 0);
   util_blitter_save_framebuffer(blitter, &context->framebuffer);
   util_blitter_save_fragment_sampler_states(blitter, fragment->sampler_count,
                                             (void **)fragment->samplers);
   util_blitter_save_fragment_sampler_views(blitter, fragment->view_count, fragment->views);
   util_blitter_save_fragment_constant_buffer_slot(blitter, fragment->constants);
   util_blitter_save_render_condition(blitter, (struct pipe_query *)context->render_condition.query,
                                      context->render_condition.condition,
                                      context->render_condition.mode);
}

/* util_blitter_blit, which does not look whether there was memory for its views, and does not say
 * so of its vertices. */
static void
cf_blitter_draw(struct cf_context *context, const struct pipe_blit_info *info)
{
   struct pipe_context *pcontext = &context->base;
   struct pipe_resource *from = info->src.resource, *to = info->dst.resource;
   struct pipe_surface to_templat;
   struct pipe_sampler_view from_templat;

   util_blitter_default_dst_texture(&to_templat, to, info->dst.level, info->dst.box.z);
   util_blitter_default_src_texture(context->blitter, &from_templat, from, info->src.level);
   to_templat.format = info->dst.format;
   from_templat.format = info->src.format;
   if (info->swizzle_enable) {
      from_templat.swizzle_r = info->swizzle[0];
      from_templat.swizzle_g = info->swizzle[1];
      from_templat.swizzle_b = info->swizzle[2];
      from_templat.swizzle_a = info->swizzle[3];
   }
   struct pipe_surface *to_view = pcontext->create_surface(pcontext, to, &to_templat);
   struct pipe_sampler_view *from_view =
      pcontext->create_sampler_view(pcontext, from, &from_templat);
   const uint32_t refused = p_atomic_read(&context->screen->refused_count);
   if (to_view && from_view) {
      cf_blitter_save(context);
      util_blitter_blit_generic(context->blitter, to_view, &info->dst.box, from_view,
                                &info->src.box, from->width0, from->height0, info->mask,
                                info->filter, info->scissor_enable ? &info->scissor : NULL,
                                info->alpha_blend, info->sample0_only, info->dst_sample, NULL);
   }
   if (p_atomic_read(&context->screen->refused_count) != refused)
      cf_no_memory(context); /* for vertices: nothing was drawn */
   pipe_surface_reference(&to_view, NULL);
   pipe_sampler_view_reference(&from_view, NULL);
}

/* Draw the blit, and copy its stencil on the CPU. */
static void
cf_blit_draw(struct cf_context *context, const struct pipe_blit_info *blit)
{
   struct pipe_context *pcontext = &context->base;
   struct pipe_blit_info info = *blit;

   if (info.mask & PIPE_MASK_S)
      cf_blit_stencil(pcontext, &info);
   info.mask &= ~PIPE_MASK_S;
   if (!info.mask)
      return;
   if (!util_blitter_is_blit_supported(context->blitter, &info)) {
      util_debug_message(&pcontext->debug, ERROR, "clipfree: cannot blit from %s to %s",
                         util_format_short_name(info.src.format),
                         util_format_short_name(info.dst.format));
      return;
   }
   cf_blitter_draw(context, &info);
}

/* ------------------------------------------------------------------ copies of bits */

/* Both formats have the channel in the same bits. */
static bool
cf_same_bits(const struct cf_resource *a, const struct cf_resource *b, char letter)
{
   uint32_t bits_a[4] = { 0 }, bits_b[4] = { 0 };
   return cf_format_or_channel(cf_format_info_of(a->format), letter, ~0u, bits_a) &&
          cf_format_or_channel(cf_format_info_of(b->format), letter, ~0u, bits_b) &&
          memcmp(bits_a, bits_b, sizeof(bits_a)) == 0;
}

/* Find the move for a blit that does not convert pixels. False: it converts, or blends. */
static bool
cf_blit_find_move(const struct pipe_blit_info *info, struct cf_blit_move *move)
{
   const struct cf_resource *destination = cf_resource(info->dst.resource), *source = cf_resource(info->src.resource);
   const enum cf_format format = cf_format_from_pipe(info->src.format);
   const unsigned whole = util_format_get_mask(info->dst.format), moved = info->mask & whole;

   if (cf_resource_unit_px(source) > 1 || cf_format_info_of(format)->pixel_B != cf_resource_pixel_B(source) ||
       cf_resource_pixel_B(source) != cf_resource_pixel_B(destination) || info->swizzle_enable || info->alpha_blend ||
       info->num_window_rectangles)
      return false;
   if (info->src.format == info->dst.format && moved == whole) {
      *move = (struct cf_blit_move){ CF_COPY_PART_ALL, format };
      return true;
   }
   const bool depth = moved == PIPE_MASK_Z;
   *move = (struct cf_blit_move){ depth ? CF_COPY_PART_DEPTH : CF_COPY_PART_STENCIL, source->format };
   return (depth || moved == PIPE_MASK_S) && cf_same_bits(source, destination, depth ? 'z' : 's');
}

/* Blit by copying: one sample to each, sample to sample, or resolving. False: this blit is not a
 * copy. */
static bool
cf_blit_copy(struct cf_context *context, const struct pipe_blit_info *blit)
{
   struct pipe_blit_info info = *blit;
   struct cf_resource *destination = cf_resource(info.dst.resource), *source = cf_resource(info.src.resource);
   struct cf_blit_move move;

   if (info.src.box.width != info.dst.box.width || info.src.box.height != info.dst.box.height ||
       info.src.box.depth != info.dst.box.depth || !cf_blit_find_move(&info, &move))
      return false;
   if (!cf_blit_clip(&info))
      return true;
   for (int i = 0; i < info.dst.box.depth; i++) {
      const struct cf_resource_image to = { destination, info.dst.level, info.dst.box.z + i };
      const struct cf_resource_image from = { source, info.src.level, info.src.box.z + i };
      cf_copy_image(context, &to, info.dst.box.x, info.dst.box.y, &from, &info.src.box, move);
   }
   return true;
}

/* Create a temporary image of the source's format. */
static struct pipe_resource *
cf_blit_create_own(struct cf_context *context, enum pipe_format format, int width, int height)
{
   const bool zs = util_format_is_depth_or_stencil(format);
   const struct pipe_resource templat = {
      .target = PIPE_TEXTURE_2D,
      .format = format,
      .width0 = width,
      .height0 = height,
      .depth0 = 1,
      .array_size = 1,
      .bind = PIPE_BIND_SAMPLER_VIEW | (zs ? PIPE_BIND_DEPTH_STENCIL : PIPE_BIND_RENDER_TARGET),
   };
   struct pipe_resource *own =
      context->base.screen->resource_create(context->base.screen, &templat);
   return own ? own : cf_no_memory(context);
}

/* Resolve the part of the source that the box touches, with a border of one pixel for linear
 * filters, to a temporary image, which replaces the source in `info` and belongs to the caller.
 * False: the box misses the source, or out of memory. */
static bool
cf_blit_resolve_source(struct cf_context *context, struct pipe_blit_info *info, struct pipe_resource **own)
{
   const struct cf_level *level = &cf_resource(info->src.resource)->level[info->src.level];
   struct pipe_box *box = &info->src.box;
   const int x = MAX2(box->x + MIN2(box->width, 0) - 1, 0), y = MAX2(box->y + MIN2(box->height, 0) - 1, 0);
   const int width = MIN2(box->x + MAX2(box->width, 0) + 1, (int)level->width_px) - x;
   const int height = MIN2(box->y + MAX2(box->height, 0) + 1, (int)level->height_px) - y;

   if (width <= 0 || height <= 0)
      return false;
   *own = cf_blit_create_own(context, info->src.format, width, height);
   if (!*own)
      return false;
   struct pipe_blit_info resolve = {
      .src = { .resource = info->src.resource, .level = info->src.level, .format = info->src.format },
      .dst = { .resource = *own, .format = info->src.format },
      .mask = util_format_get_mask(info->src.format),
   };
   u_box_3d(x, y, box->z, width, height, 1, &resolve.src.box);
   u_box_3d(0, 0, 0, width, height, 1, &resolve.dst.box);
   cf_blit_copy(context, &resolve);
   info->src.resource = *own;
   info->src.level = 0;
   box->x -= x, box->y -= y, box->z = 0;
   return true;
}

/* ------------------------------------------------------------------ nearest pixels */

/* Limit of ranges of pixels, so that twice the product of two stays below 2^63. */
#define CF_BLIT_LENGTH_LIMIT (1 << 30)

/* One axis of a blit: destination pixels to .. to + length - 1 and their source range. from_length
 * < 0: mirrored; `from` is then the end of the source range. */
struct cf_blit_axis {
   int to, length, from, from_length;
   int first, count; /* the part to be written, in destination pixels */
};

/* Both axes, and their uploaded tables, which all layers share. */
struct cf_blit_area {
   struct cf_blit_axis x, y;
   struct {
      uint64_t batch_id; /* of the batch that holds them; 0: none */
      uint64_t columns, rows;
   } tables;
};

/* Clip the range to the destination and the scissor. */
static struct cf_blit_axis
cf_blit_axis_of(int to, int length, int from, int from_length, int low, int high)
{
   const int64_t end = MIN2((int64_t)to + length, high);
   const int first = MAX2(to, low);
   return (struct cf_blit_axis){ to, length, from, from_length, first, (int)MAX2(end - first, 0) };
}

/* Upload a table of source coordinates (GL 4.5 section 18.3.1, NEAREST): the source pixel that
 * contains each destination pixel's centre. Ties take the larger coordinate, or, mirrored, the
 * pixel of the unmirrored blit. Coordinates are clamped to the source. */
static bool
cf_blit_upload_axis(struct cf_batch *batch, const struct cf_blit_axis *axis, int source_px, uint64_t *address)
{
   uint32_t *table = cf_batch_upload(batch, axis->count * sizeof(*table), address, NULL);
   const int64_t source_length = llabs((int64_t)axis->from_length);

   for (int i = 0; table && i < axis->count; i++) {
      const int64_t pixel = (int64_t)axis->first + i - axis->to;
      const int64_t at = (2 * pixel + 1) * source_length / (2 * (int64_t)axis->length);
      const int64_t from = axis->from_length < 0 ? axis->from - 1 - at : axis->from + at;
      table[i] = (uint32_t)CLAMP(from, 0, source_px - 1);
   }
   return table != NULL;
}

/* Upload the tables of both axes, unless the batch has them already. */
static bool
cf_blit_upload_tables(struct cf_batch *batch, const struct cf_level *source, struct cf_blit_area *area)
{
   if (area->tables.batch_id == batch->id)
      return true;
   if (!cf_blit_upload_axis(batch, &area->x, source->width_px, &area->tables.columns) ||
       !cf_blit_upload_axis(batch, &area->y, source->height_px, &area->tables.rows))
      return false;
   area->tables.batch_id = batch->id;
   return true;
}

/* Record the GATHER of one image. */
static void
cf_gather_image(struct cf_context *context, const struct cf_resource_image *to,
                const struct cf_resource_image *from, struct cf_blit_move move,
                struct cf_blit_area *area)
{
   struct cf_batch *batch = &context->batch;

   if (!cf_context_begin(context, CF_GATHER_DWORDS))
      return;
   const struct cf_copied copied = cf_upload_copied(batch, to, from, move.format);
   context->counters[CF_COUNTER_COPIES]++;
   if (copied.from && copied.to &&
       cf_blit_upload_tables(batch, &from->resource->level[from->level], area))
      CF_EMIT(batch, GATHER, gather, .source = copied.from, .destination = copied.to,
              .columns = area->tables.columns, .rows = area->tables.rows,
              .destination_x_px = area->x.first, .destination_y_px = area->y.first,
              .width_px = area->x.count, .height_px = area->y.count, .part = move.part);
}

/* Whether a scaled or mirrored blit takes nearest pixels without filtering. */
static bool
cf_blit_is_nearest(const struct pipe_blit_info *info)
{
   const struct cf_resource *source = cf_resource(info->src.resource);
   const struct pipe_box *to = &info->dst.box, *from = &info->src.box;
   const enum cf_format format = cf_format_from_pipe(info->src.format);
   const bool same_size = abs(from->width) == to->width && abs(from->height) == to->height;

   return (from->width != to->width || from->height != to->height) && from->depth == to->depth &&
          MAX2(to->width, to->height) < CF_BLIT_LENGTH_LIMIT &&
          MAX2(abs(from->width), abs(from->height)) < CF_BLIT_LENGTH_LIMIT &&
          (info->filter == PIPE_TEX_FILTER_NEAREST || same_size) && cf_resource_unit_px(source) == 1 &&
          cf_format_info_of(format)->pixel_B == cf_resource_pixel_B(source);
}

/* For blits that also convert pixels: gather to a temporary image, which is then drawn unscaled. */
static void
cf_blit_gather_and_draw(struct cf_context *context, const struct pipe_blit_info *blit, int image, struct cf_blit_area *area)
{
   const struct cf_blit_move all = { CF_COPY_PART_ALL, cf_format_from_pipe(blit->src.format) };
   struct pipe_blit_info info = *blit;
   struct cf_blit_area at_0 = *area;
   struct cf_blit_axis *x = &at_0.x, *y = &at_0.y;
   struct pipe_resource *own = cf_blit_create_own(context, info.src.format, x->count, y->count);

   if (!own)
      return;
   u_box_3d(x->first, y->first, info.dst.box.z + image, x->count, y->count, 1, &info.dst.box);
   x->to -= x->first, x->first = 0;
   y->to -= y->first, y->first = 0;
   const struct cf_resource_image to = { cf_resource(own), 0, 0 };
   const struct cf_resource_image from = { cf_resource(info.src.resource), info.src.level,
                                           info.src.box.z + image };
   cf_gather_image(context, &to, &from, all, &at_0);
   area->tables = at_0.tables;
   info.src.resource = own;
   info.src.level = 0;
   u_box_3d(0, 0, 0, x->count, y->count, 1, &info.src.box);
   cf_blit_draw(context, &info);
   pipe_resource_reference(&own, NULL);
}

/* Scaled or mirrored blit with nearest filter from one sample, by tables of rows and columns.
 * False: not such a blit. */
static bool
cf_blit_nearest(struct cf_context *context, const struct pipe_blit_info *info)
{
   struct cf_resource *destination = cf_resource(info->dst.resource), *source = cf_resource(info->src.resource);
   const struct cf_level *level = &destination->level[info->dst.level];
   const struct pipe_scissor_state *s = &info->scissor;
   const struct pipe_box *to = &info->dst.box, *from = &info->src.box;
   const bool cut = info->scissor_enable;
   struct cf_blit_move move;

   if (!cf_blit_is_nearest(info))
      return false;
   const bool as_it_is = cf_blit_find_move(info, &move);
   struct cf_blit_area area = {
      .x = cf_blit_axis_of(to->x, to->width, from->x, from->width, cut ? s->minx : 0,
                           cut ? MIN2(s->maxx, level->width_px) : level->width_px),
      .y = cf_blit_axis_of(to->y, to->height, from->y, from->height, cut ? s->miny : 0,
                           cut ? MIN2(s->maxy, level->height_px) : level->height_px),
   };
   for (int i = 0; area.x.count && area.y.count && i < to->depth; i++) {
      const struct cf_resource_image image = { destination, info->dst.level, to->z + i };
      const struct cf_resource_image source_image = { source, info->src.level, from->z + i };
      if (as_it_is)
         cf_gather_image(context, &image, &source_image, move, &area);
      else
         cf_blit_gather_and_draw(context, info, i, &area);
   }
   return true;
}

/* ------------------------------------------------------------------ blits */

static void
cf_blit(struct pipe_context *pcontext, const struct pipe_blit_info *blit)
{
   struct cf_context *context = cf_context(pcontext);
   struct pipe_blit_info info = *blit;
   struct pipe_resource *own = NULL;

   if (info.render_condition_enable && !cf_query_condition_passes(context))
      return;
   cf_present_read_in(context, cf_resource(info.dst.resource));
   cf_present_read_in(context, cf_resource(info.src.resource));
   cf_samples_store(context);
   if (util_try_blit_via_copy_region(pcontext, &info, false) || cf_blit_copy(context, &info))
      return;
   if (cf_resource_samples(cf_resource(info.src.resource)) > 1 && !cf_blit_resolve_source(context, &info, &own))
      return;
   if (!cf_blit_nearest(context, &info))
      cf_blit_draw(context, &info);
   pipe_resource_reference(&own, NULL);
}

void
cf_context_init_blit(struct cf_context *context)
{
   context->base.resource_copy_region = cf_resource_copy_region;
   context->base.blit = cf_blit;
   context->base.generate_mipmap = cf_generate_mipmap;
   context->base.clear_texture = u_default_clear_texture;
}
