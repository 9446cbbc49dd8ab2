/* SPDX-License-Identifier: MIT */
/*
 * Resources: buffers, and textures in 4x4-block layout with a state per 64x64 tile of every
 * renderable image.
 */
#ifndef CLIPFREE_RESOURCE_H
#define CLIPFREE_RESOURCE_H

#include "pipe/p_state.h"
#include "util/u_atomic.h"
#include "util/u_range.h"

#include "clipfree/interface/cf_limits.h"
#include "clipfree/interface/cf_packets.h"
#include "clipfree/memory/cf_format.h"

#include "clipfree_buffer.h"
#include "clipfree_vertex_reuse.h"

struct cf_batch;
struct cf_context;
struct cf_screen;
struct cf_swapchain;
struct cf_filled;
struct sw_displaytarget;

/* One mip level. An image is one layer of an array, face of a cube or slice of a 3D texture at one
 * level. */
struct cf_level {
   uint32_t width_px, height_px;
   uint32_t images;
   uint32_t first_image; /* number of its first image, counted over all levels */
   uint32_t offset_B;
   uint32_t row_pitch_B; /* of a row of blocks of all samples */
   uint32_t image_pitch_B;
   uint32_t tiles_offset_B; /* of its first image's tile states */
   uint32_t tiles_pitch_B;  /* from image to image */
};

struct cf_resource {
   struct pipe_resource base;
   /* Its memory: another buffer after a rename, which another thread's context may do at any time.
    * So use cf_resource_use or cf_resource_hold; what cf_resource_buffer returns may be gone. */
   struct cf_buffer *buffer;
   uint64_t size_B; /* of its memory */
   enum cf_format format;
   uint32_t texels_B; /* size of all levels */
   bool has_tiles;
   struct cf_level level[CF_MAX_TEXTURE_LEVELS];
   struct util_range valid;     /* buffers: bytes that were ever written */
   struct cf_filled *filled;    /* textures: texels that were; NULL: all, or nobody asks */
   struct cf_reuse reuse;       /* buffers: equal vertices of draws without indices */
   struct sw_displaytarget *dt; /* its display target; NULL: none */
   uint32_t dt_stride_B;
   bool unread;    /* dt holds a foreign picture that was not copied to the texture yet. Atomic */
   void *front_of; /* the drawable of Mesa's DRI frontend whose front buffer it is; or NULL */
   bool dt_filled; /* a whole picture was copied to dt: later copies may be partial */
   /* means of presentation, created when first presented */
   bool in_window;                 /* a window's back buffer: only we read and write dt */
   struct cf_swapchain *swapchain; /* display targets that the GPU writes itself; or else: */
   struct cf_buffer *rows;         /* linear copy of the picture, from which dt is filled */
   /* maps `rows`, displayed instead of dt without a copy; NULL: none */
   struct sw_displaytarget *rows_dt;
};

struct cf_transfer {
   struct pipe_transfer base;
   struct cf_buffer *mapped;  /* a buffer's memory, if it is mapped directly */
   struct cf_buffer *staging; /* NULL: mapped directly */
   uint64_t address;          /* of the staging memory */
};

static inline struct cf_resource *
cf_resource(struct pipe_resource *resource)
{
   return (struct cf_resource *)resource;
}

/** The resource's memory of this moment, for comparisons and for its numbers (when it was used, its
 * contents' number); what was read of one that another thread destroys meanwhile is out of date. */
static inline struct cf_buffer *
cf_resource_buffer(struct cf_resource *resource)
{
   return p_atomic_read(&resource->buffer);
}

/** The resource's memory, which recorded work accesses (enum cf_access) from now on; the batch
 * holds it until it is submitted. */
struct cf_buffer *cf_resource_use(struct cf_batch *batch, struct cf_resource *resource,
                                  uint32_t access);

/** A reference to the resource's memory, for access by the CPU. */
struct cf_buffer *cf_resource_hold(struct cf_resource *resource);

/** Rename the resource, replace its memory: work recorded so far keeps the old one, all contexts
 * send addresses again. Takes over the reference of `renamed`. */
void cf_resource_replace(struct cf_resource *resource, struct cf_buffer *renamed);

/** Bytes of a pixel. */
static inline uint32_t
cf_resource_pixel_B(const struct cf_resource *resource)
{
   return cf_format_info_of(resource->format)->pixel_B;
}

/** Side in pixels of the unit of copies: a pixel, or a 4x4 block of a compressed texture. */
static inline uint32_t
cf_resource_unit_px(const struct cf_resource *resource)
{
   return cf_format_info_of(resource->format)->compression ? CF_BLOCK_PX : 1;
}

/** Size in bytes of the unit of copies. */
static inline uint32_t
cf_resource_unit_B(const struct cf_resource *resource)
{
   const struct cf_format_info *info = cf_format_info_of(resource->format);
   return info->compression ? info->block_B : info->pixel_B;
}

/** Size of an image's tile states. */
static inline uint32_t
cf_tile_states_B(uint32_t width_px, uint32_t height_px)
{
   return ((width_px + CF_TILE_PX - 1) / CF_TILE_PX) * ((height_px + CF_TILE_PX - 1) / CF_TILE_PX) *
          sizeof(struct cf_tile_state);
}

/** The format that copies use for an image of `format`. */
static inline enum cf_format
cf_copy_format(enum cf_format format)
{
   const struct cf_format_info *info = cf_format_info_of(format);
   if (!info->compression)
      return format;
   return info->block_B == 8 ? CF_FORMAT_R32G32_UINT : CF_FORMAT_R32G32B32A32_UINT;
}

/** Number of images of all levels. */
static inline uint32_t
cf_resource_image_count(const struct cf_resource *resource)
{
   const struct cf_level *last = &resource->level[resource->base.last_level];
   return last->first_image + last->images;
}

/** Samples per pixel: 1 or CF_SAMPLES. */
static inline uint32_t
cf_resource_samples(const struct cf_resource *resource)
{
   return resource->base.nr_samples > 1 ? resource->base.nr_samples : 1;
}

/** The surface descriptor of one image in this memory of the resource, viewed as `format`. Those of
 * compressed images are for copies only: a pixel is one block. */
struct cf_surface cf_resource_surface(const struct cf_resource *resource,
                                      const struct cf_buffer *memory, unsigned level,
                                      unsigned image, enum cf_format format);

/** Upload that descriptor to the batch and note the access (enum cf_access). Returns its address;
 * 0: out of memory. */
uint64_t cf_resource_upload_surface(struct cf_batch *batch, struct cf_resource *resource,
                                    unsigned level, unsigned image, enum cf_format format,
                                    uint32_t access);

/** Other memory for a texture, whose texels are uninitialised (cf_resource_replace). NULL: out of
 * memory. */
struct cf_buffer *cf_resource_create_memory(const struct cf_resource *resource);

/** A linear image at an address, without tile states. */
struct cf_surface cf_linear_surface(uint64_t address, enum cf_format format, uint32_t width_px,
                                    uint32_t height_px, uint32_t row_pitch_B);

/** Upload the descriptor of such an image. */
uint64_t cf_upload_linear_surface(struct cf_batch *batch, uint64_t address, enum cf_format format,
                                  uint32_t width_px, uint32_t height_px, uint32_t row_pitch_B);

/** The last packet of the batch cleared an image: note the pending clear. */
void cf_resource_note_clear(struct cf_batch *batch, struct cf_resource *resource, unsigned level,
                            unsigned image);

/** Make memory valid for units that ignore tile states (the texture unit): sends RESOLVE for each
 * of these levels and images with a pending clear (clipfree_clears.h). */
void cf_resource_resolve(struct cf_context *context, struct cf_resource *resource,
                         unsigned first_level, unsigned last_level, unsigned first_image,
                         unsigned last_image);

void cf_screen_init_resources(struct cf_screen *screen);
void cf_context_init_resources(struct cf_context *context);
void cf_context_init_transfers(struct cf_context *context);

#endif
