/* SPDX-License-Identifier: MIT */
/*
 * The screen: one GPU and what all contexts share of it.
 */
#ifndef CLIPFREE_SCREEN_H
#define CLIPFREE_SCREEN_H

#include "pipe/p_screen.h"
#include "pipe/p_state.h"
#include "util/list.h"
#include "util/simple_mtx.h"
#include "util/slab.h"

#include "clipfree/interface/cf_gpu.h"

#include "clipfree_buffer.h"

struct cf_winsys;
struct disk_cache;
struct sw_winsys;

#define CF_MAX_TEXTURE_LEVELS_2D 14 /* 8192 pixels */
#define CF_MAX_TEXTURE_LEVELS_3D 10 /* 512 pixels */
#define CF_MAX_TEXTURE_LAYERS 2048
#define CF_MAX_SAMPLERS 16
#define CF_MAX_VARYINGS 24 /* of 32 slots; the rest is for colors, fog and clip distances */
#define CF_MAX_UNIFORM_BUFFER_B 65536

struct cf_screen {
   struct pipe_screen base;
   struct cf_winsys *winsys;
   struct sw_winsys *sws; /* where pictures go; NULL: nowhere */
   struct cf_gpu *gpu;
   uint32_t debug; /* enum cf_debug_flag */
   char name[64];
   struct disk_cache *disk_cache;
   struct slab_parent_pool transfer_pool;

   /* Guards the seqnos and the pending clears of all buffers, and makes them follow the order of submissions. */
   simple_mtx_t submit_lock;

   /* Held while a picture of somebody else's is read in (cf_resource.unread). */
   simple_mtx_t read_in_lock;

   /* Buffers of one size for command streams and uploads, used again when idle. */
   simple_mtx_t chunk_lock;
   struct list_head chunks;

   /* Memory of destroyed buffers. */
   simple_mtx_t cache_lock;
   struct list_head cache[CF_CACHE_BUCKETS];
   uint64_t cache_B;

   uint64_t batch_count;  /* atomic; names batches */
   uint64_t content_count; /* atomic; names contents of buffers */
   uint32_t rename_count; /* atomic; goes up when a buffer gets other memory: addresses must be sent
                             again */
   uint32_t texture_rename_count; /* the same of textures */
};

static inline struct cf_screen *
cf_screen(struct pipe_screen *screen)
{
   return (struct cf_screen *)screen;
}

/** Fill screen->caps and the functions that tell what shaders may do. */
void cf_screen_init_caps(struct cf_screen *screen);

/** pipe_screen::get_shader_param. */
int cf_get_shader_param(struct pipe_screen *screen, enum pipe_shader_type stage,
                        enum pipe_shader_cap param);

#endif
