/* SPDX-License-Identifier: MIT */
/*
 * The screen: one GPU, and state shared by all contexts.
 */
#ifndef CLIPFREE_SCREEN_H
#define CLIPFREE_SCREEN_H

#include "pipe/p_screen.h"
#include "pipe/p_state.h"
#include "util/list.h"
#include "util/simple_mtx.h"
#include "util/slab.h"

#include "clipfree/compiler/cf_compiler.h"
#include "clipfree/interface/cf_gpu.h"

#include "clipfree_buffer.h"

struct cf_program_notes;
struct cf_shader_log;
struct cf_winsys;
struct disk_cache;
struct sw_winsys;

#define CF_MAX_TEXTURE_LEVELS_2D 14 /* 8192 pixels */
#define CF_MAX_TEXTURE_LEVELS_3D 10 /* 512 pixels */
#define CF_MAX_TEXTURE_LAYERS 2048
#define CF_MAX_SAMPLERS 16
#define CF_MAX_VARYINGS 32 /* of CF_MAX_VARYING_SLOTS; others are back colors, clip distances */
#define CF_MAX_UNIFORM_BUFFER_B 65536

struct cf_screen {
   struct pipe_screen base;
   struct cf_winsys *winsys;
   struct sw_winsys *sws; /* for display targets; NULL: none */
   struct cf_gpu *gpu;
   uint32_t debug; /* enum cf_debug_flag */
   char name[64];
   struct disk_cache *disk_cache;
   struct slab_parent_pool transfer_pool;
   struct cf_program_notes *notes; /* NULL: nobody wants any */
   struct cf_shader_log *shader_log; /* NULL: none */
   uint32_t passes_off; /* of the compiler: bits of enum cf_pass */
   enum cf_mediump mediump; /* the precision of mediump and lowp */

   /* Guards the seqnos and the pending clears of all buffers; held during submission, so that they
    * follow its order. */
   simple_mtx_t submit_lock;

   /* Held while a foreign picture is copied in (cf_resource.unread). */
   simple_mtx_t read_in_lock;

   /* Pool of equally sized buffers for command streams and uploads, reused when idle. */
   simple_mtx_t chunk_lock;
   struct list_head chunks;

   /* Cache of destroyed buffers' memory. */
   simple_mtx_t cache_lock;
   struct list_head cache[CF_CACHE_BUCKETS];
   uint64_t cache_B;
   struct list_head retired; /* buffers without memory, whose structs serve again */

   /* Held while a resource changes its memory, and while a batch or a transfer takes a reference
    * to it. */
   simple_mtx_t rename_lock;

   uint64_t batch_count;  /* last cf_batch.id. Atomic */
   uint64_t content_count; /* last cf_buffer.content. Atomic */
   /* number of buffer renames: after one, addresses are sent again. Atomic */
   uint32_t rename_count;
   uint32_t texture_rename_count; /* the same for textures */
   uint32_t refused_count;        /* resources for which there was no memory. Atomic */
};

static inline struct cf_screen *
cf_screen(struct pipe_screen *screen)
{
   return (struct cf_screen *)screen;
}

/** Fill screen->caps and set the functions that report shader capabilities. */
void cf_screen_init_caps(struct cf_screen *screen);

/** pipe_screen::get_shader_param. */
int cf_get_shader_param(struct pipe_screen *screen, enum pipe_shader_type stage,
                        enum pipe_shader_cap param);

#endif
