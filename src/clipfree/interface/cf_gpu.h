/* SPDX-License-Identifier: MIT */
/*
 * The seam: all that a driver sees of a GPU. State, shaders, vertices and draws cross it as bytes in GPU memory: a command
 * buffer of packets (packets.toml) plus what they point at. Which GPU stands behind the table is chosen at run time: the
 * model, a GPU that accepts and drops work, or one that records another (command/cf_model.h).
 *
 * All functions may be called from any thread.
 */
#ifndef CF_GPU_H
#define CF_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A buffer object: a piece of GPU memory. Driver and GPU share its pages: a submission sees what
 * was written through `map` before it. */
struct cf_bo {
   uint64_t address; /* GPU address, a multiple of 64, never 0 */
   uint64_t size_B;
   void *map;
};

enum cf_gpu_param {
   CF_PARAM_MEMORY_B, /* bytes that can be allocated in all */
   CF_PARAM_MEMORY_USED_B,
   CF_PARAM_THREADS, /* worker threads; 0: work is done inside submit */
   CF_PARAM_MAX_TEXTURE_PX,
   CF_PARAM_ENGINE,      /* enum cf_engine_choice: what was asked for and can be had */
   CF_PARAM_PATH,        /* enum cf_path */
   CF_PARAM_TIME_NS,     /* the clock of timestamp queries */
   CF_PARAM_REPORTS,     /* how many reports there were (cf_gpu_ops.report) */
   CF_PARAM_SLOW_DRAWS,  /* draws that stay on a slow path (cf_slow.h) */
   CF_PARAM_REUSE_PRIMS, /* reach of the vertex cache, in consecutive primitives of a draw; 0: none
                          */
   /* primitives, counted per tile, that hierarchical Z found hidden, wholly or in part, since the
    * last end_frame */
   CF_PARAM_HIDDEN,
   CF_PARAM_NOTES, /* enum cf_gpu_notes */
   /* what the user wants as limit of submissions; CF_NO_TIME_LIMIT: none; 0: has not said */
   CF_PARAM_TIME_LIMIT_NS,
};

#define CF_NO_TIME_LIMIT UINT64_MAX

/* Shortcuts skip work that has no effect on pictures: hidden fragments, repeated vertices, clears
 * of memory that is not read (docs/architecture.md, "The plain path"). */
enum cf_path {
   CF_PATH_NORMAL, /* all shortcuts */
   /* no shortcut: each vertex of each draw is shaded, all outputs at once; each covered fragment is
    * shaded, then tested; clears write memory. For comparison with the normal path, and for
    * observers */
   CF_PATH_PLAIN,
};

/* Whether a GPU wants to know what a person knows of draws and programs (cf_note.h). */
enum cf_gpu_notes {
   CF_GPU_NO_NOTES,
   CF_GPU_NOTES, /* call `note` and `mark` */
   /* and submit what was recorded so far before each mark: captures begin and end there */
   CF_GPU_NOTES_AND_SPLITS,
};

/* What a driver does for a frame, for statistics of frames. */
enum cf_gpu_count {
   CF_GPU_COUNT_UPLOADED_B,
   CF_GPU_COUNT_WAITS, /* maps that waited for the GPU */
   CF_GPU_COUNT_COMPILATIONS,
};
#define CF_GPU_COUNTS 3

/* What an application marks in its commands. */
enum cf_gpu_mark {
   CF_GPU_GROUP_BEGIN,
   CF_GPU_GROUP_END,
   CF_GPU_MARKER,
};

enum cf_reset_status {
   CF_RESET_NONE,
   CF_RESET_GUILTY, /* a submission was malformed or stopped by the watchdog */
   CF_RESET_LOST,   /* it is another process' (cf_forked.h) */
};

/* A report: a message about a submission. */
enum cf_report_kind {
   CF_REPORT_FAILURE, /* it was malformed or stopped */
   /* it did something defined but hardly meant, as reading outside of a vertex buffer */
   CF_REPORT_WARNING,
   CF_REPORT_SLOW,  /* it has a draw that stays on a slow path (cf_slow.h) */
   CF_REPORT_PRINT, /* a line that a shader printed */
   /* it was stopped, since the host has no memory for what it needs */
   CF_REPORT_OUT_OF_MEMORY,
};

struct cf_report {
   uint64_t seqno;
   enum cf_report_kind kind;
   char text[1024]; /* "packet draw at 0x40: field index_address: ...", or a finding of the
                       sanitiser */
};

#define CF_REPORTS 512 /* reports that are remembered: the last ones */

struct cf_gpu;
struct cf_surface;

/* Pixels of the host for a rectangle of a surface, in the surface's format. */
struct cf_host_pixels {
   const struct cf_surface *surface; /* (cf_packets.h) */
   uint32_t x_px, y_px, width_px, height_px;
   const void *rows;
   uint32_t row_pitch_B;
};

struct cf_gpu_ops {
   void (*destroy)(struct cf_gpu *gpu);
   /** Allocate zeroed memory. false: out of memory (the bo is untouched). */
   bool (*bo_alloc)(struct cf_gpu *gpu, uint64_t size_B, struct cf_bo *bo);
   /** Free; takes effect when all work submitted before has finished. */
   void (*bo_free)(struct cf_gpu *gpu, const struct cf_bo *bo);
   /** Let the GPU reach the memory of an open file (cf_memory_import). false: it cannot (the bo is
    *  untouched). Freed by bo_free; the caller may close the descriptor before. */
   bool (*bo_import)(struct cf_gpu *gpu, int file, uint64_t size_B, struct cf_bo *bo);
   /** Write pixels to a surface at once: what a `copy` packet would do, on the calling thread. Nothing submitted that has not finished may
    *  use the surface. false: the surface is malformed, or has not all of the rectangle; nothing was written. */
   bool (*write_pixels)(struct cf_gpu *gpu, const struct cf_host_pixels *pixels);
   /** Queue the command buffer at `address`. Submissions run in order. Returns its sequence number
    *  (1, 2, ...). It begins at the latest with `kick`, `wait` or the next submission. A malformed
    *  command buffer does nothing after the malformed packet; reset_status and last_error report
    *  it. So they do of one that a thread spends more than `limit_ns` of processor time on, which
    *  is stopped; 0: there is no limit. */
   uint64_t (*submit)(struct cf_gpu *gpu, uint64_t address, uint32_t size_B, uint64_t limit_ns);
   /** Begin all submissions, on the model's own thread: for a caller that does not wait soon. */
   void (*kick)(struct cf_gpu *gpu);
   /** Wait until submission `seqno` has finished. false: timeout. timeout_ns 0 polls (and begins nothing), UINT64_MAX waits
    *  for ever. The waiting thread may be used for the work. */
   bool (*wait)(struct cf_gpu *gpu, uint64_t seqno, uint64_t timeout_ns);
   uint64_t (*get_param)(struct cf_gpu *gpu, enum cf_gpu_param param);
   enum cf_reset_status (*reset_status)(struct cf_gpu *gpu);
   /** Copies the text of the last report of a failure into text; "" if none. */
   void (*last_error)(struct cf_gpu *gpu, char *text, size_t size);
   /** A frame ends here, all of its work has finished; `presented` may be NULL. Only for what is
    *  printed of it (cf_model_config.perf) and for captures. */
   void (*end_frame)(struct cf_gpu *gpu, const struct cf_surface *presented);
   /** The driver did so much more in this frame; by enum cf_gpu_count. NULL: nobody asks. */
   void (*count)(struct cf_gpu *gpu, const uint64_t counts[CF_GPU_COUNTS]);
   /** A note (cf_note.h) of the draw packet or program descriptor at `address`. This and `mark`
    *  are called only if CF_PARAM_NOTES asks for it. */
   void (*note)(struct cf_gpu *gpu, uint64_t address, const void *note, size_t size_B);
   /** The application's mark; `text` is NULL at the end of a group. */
   void (*mark)(struct cf_gpu *gpu, enum cf_gpu_mark mark, const char *text);
   /** Get report number 1 .. CF_PARAM_REPORTS. false: it is forgotten, or there is none. */
   bool (*report)(struct cf_gpu *gpu, uint64_t number, struct cf_report *report);
};

struct cf_gpu {
   const struct cf_gpu_ops *ops;
   struct cf_gpu *next_watched; /* (cf_forked.h) */
};

/* How shaders run. All engines give the same bits. */
enum cf_engine_choice {
   CF_ENGINE_INTERP, /* interpreted */
   CF_ENGINE_JIT,    /* compiled: the GPU waits for the compiler */
   CF_ENGINE_AUTO,   /* interpreted until compiled in the background, if they run often */
};

#endif
