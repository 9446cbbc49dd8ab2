/* SPDX-License-Identifier: MIT */
/*
 * The seam: all that a driver sees of a GPU. State, shaders, vertices and draws cross it as bytes in GPU memory: a command
 * buffer of packets (packets.toml) plus what they point at. Which GPU stands behind the table is chosen at run time: the
 * model (cf_model_create), a GPU that accepts and drops work (cf_noop_create), or one that records another
 * (cf_capture_create).
 *
 * All functions may be called from any thread.
 */
#ifndef CF_GPU_H
#define CF_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CF_MODEL_MAX_THREADS 64

/* A piece of GPU memory. Driver and GPU share the pages: what is written through `map` before a submission is seen by it. */
struct cf_bo {
   uint64_t address; /* GPU address, a multiple of 64, never 0 */
   uint64_t size_B;
   void *map;
};

enum cf_gpu_param {
   CF_PARAM_MEMORY_B,       /* bytes that can be allocated in all */
   CF_PARAM_MEMORY_USED_B,
   CF_PARAM_THREADS,        /* worker threads; 0: work is done inside submit */
   CF_PARAM_MAX_TEXTURE_PX,
   CF_PARAM_ENGINE,         /* enum cf_engine_choice: what was asked for and can be had */
   CF_PARAM_TIME_NS,        /* the clock of timestamp queries */
   CF_PARAM_REPORTS,        /* how many reports there were (cf_gpu_ops.report) */
   CF_PARAM_SLOW_DRAWS,     /* draws that stay on a slow path (cf_slow.h) */
   CF_PARAM_HIDDEN,         /* primitives of tiles that hierarchical Z found hidden, wholly or in part, in this frame (end_frame) */
};

enum cf_reset_status {
   CF_RESET_NONE,
   CF_RESET_GUILTY, /* a submission was malformed or given up by the watchdog */
};

/* What there is to say of a submission. */
enum cf_report_kind {
   CF_REPORT_FAILURE, /* it was malformed or given up */
   CF_REPORT_WARNING, /* it did what is defined but surely not meant, as reading outside of a vertex buffer */
   CF_REPORT_SLOW,    /* it draws in a way that stays slow (cf_slow.h) */
};

struct cf_report {
   uint64_t seqno;
   enum cf_report_kind kind;
   char text[320]; /* "packet draw at 0x40: field index_address: ..." */
};

#define CF_REPORTS 64 /* so many are remembered */

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
   /** Let the GPU reach memory of the host that is shared (cf_memory_import). false: it cannot (the bo is untouched). Freed by
    *  bo_free; the caller's own mapping may end before. */
   bool (*bo_import)(struct cf_gpu *gpu, void *host, uint64_t size_B, struct cf_bo *bo);
   /** Write pixels to a surface at once: what a `copy` packet would do, on the calling thread. Nothing submitted that has not finished may
    *  use the surface. false: the surface is malformed, or has not all of the rectangle; nothing was written. */
   bool (*write_pixels)(struct cf_gpu *gpu, const struct cf_host_pixels *pixels);
   /** Queue the command buffer at `address`. Submissions run in order. Returns its sequence number (1, 2, ...). It is begun
    *  at the latest by `kick`, by whoever waits for it, or when the next one is submitted. A malformed
    *  command buffer does nothing after the malformed packet; reset_status and last_error tell. */
   uint64_t (*submit)(struct cf_gpu *gpu, uint64_t address, uint32_t size_B);
   /** Begin what was submitted, though nobody is going to wait for it soon. */
   void (*kick)(struct cf_gpu *gpu);
   /** Wait until submission `seqno` has finished. false: timeout. timeout_ns 0 polls (and begins nothing), UINT64_MAX waits
    *  for ever. The waiting thread may be used for the work. */
   bool (*wait)(struct cf_gpu *gpu, uint64_t seqno, uint64_t timeout_ns);
   uint64_t (*get_param)(struct cf_gpu *gpu, enum cf_gpu_param param);
   enum cf_reset_status (*reset_status)(struct cf_gpu *gpu);
   /** Copies the text of the last report of a failure into text; "" if none. */
   void (*last_error)(struct cf_gpu *gpu, char *text, size_t size);
   /** A frame ends here, all of its work has finished. Only for what is printed of it (cf_model_config.perf). */
   void (*end_frame)(struct cf_gpu *gpu);
   /** Get report number 1 .. CF_PARAM_REPORTS. false: it is forgotten, or there is none. */
   bool (*report)(struct cf_gpu *gpu, uint64_t number, struct cf_report *report);
};

struct cf_gpu {
   const struct cf_gpu_ops *ops;
};

enum cf_setup_policy { CF_SETUP_EXACT, CF_SETUP_DP3, CF_SETUP_FMA };

/* How shaders run. All engines give the same bits. */
enum cf_engine_choice {
   CF_ENGINE_INTERP, /* interpreted */
   CF_ENGINE_JIT,    /* compiled: the GPU waits for the compiler */
   CF_ENGINE_AUTO,   /* interpreted until compiled in the background, if they run often */
};

/* What the model's units print of every pass. */
enum cf_print_flag {
   CF_PRINT_SETUP = 1 << 0, /* primitives: edges, depth plane, bounds */
   CF_PRINT_RAST = 1 << 1,  /* tiles: the primitives of each, and what they cover */
   CF_PRINT_TEX = 1 << 2,   /* texture units of each draw */
   CF_PRINT_PIXEL = 1 << 3, /* pixel engine's state of each draw */
};

/* What vertex programs are run for first. Pictures do not show it. */
enum cf_vertex_order {
   CF_VERTICES_AUTO,            /* whichever is likely faster */
   CF_VERTICES_WHOLE,           /* all that they compute */
   CF_VERTICES_POSITIONS_FIRST, /* positions; the whole is run where a primitive was not culled */
};

struct cf_model_config {
   int threads;          /* worker threads; 0: none; -1: as many as the process may use */
   uint64_t memory_B;    /* 0: default */
   enum cf_setup_policy setup;
   bool perf;            /* print time by unit per submission and frame */
   bool slow;            /* print draws that stay on a slow path, and why */
   uint32_t print;       /* enum cf_print_flag */
   enum cf_engine_choice engine;
   uint32_t host_level;  /* vector instructions to use: 1 + enum cf_host_level; 0: the best that the host has */
   unsigned cordic_iterations; /* special functions by CORDIC, interpreted (for study); 0: the exactly defined ones */
   enum cf_vertex_order vertices;
   bool verify_engine;   /* run tasks of compiled programs in both engines; a difference is printed and aborts */
   bool code_symbols;    /* tell perf and gdb where compiled programs are: /tmp/perf-PID.map, gdb's JIT interface */
   bool no_disk_cache;   /* keep no compiled programs on disk */
   uint64_t max_task_instrs; /* watchdog: instructions a task may run; 0: default */
};

/** Whether this build has the JIT: CF_ENGINE_JIT and CF_ENGINE_AUTO differ from CF_ENGINE_INTERP. */
bool
cf_model_has_jit(void);

/** The model. NULL and a message in `error` (static string) when it cannot be made, or `config` contradicts itself, the
 *  build or the host. Where CF_ENGINE_JIT has no compiler at run time, programs are interpreted (CF_PARAM_ENGINE tells), except
 *  to verify them. */
struct cf_gpu *
cf_model_create(const struct cf_model_config *config, const char **error);

/** Accepts and drops work. */
struct cf_gpu *
cf_noop_create(const char **error);

/** Records what goes to `gpu` (which it owns from then on) into file `path`: submissions first .. first + count - 1. Says on
 *  stderr, when it or the process ends, if there were not as many; a file without a submission is removed. NULL: the file cannot
 *  be written, errno says why. */
struct cf_gpu *
cf_capture_create(struct cf_gpu *gpu, const char *path, unsigned first, unsigned count);

#endif
