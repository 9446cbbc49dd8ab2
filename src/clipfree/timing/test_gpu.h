/* SPDX-License-Identifier: MIT */
/* Traces of made-up frames, whose work is known, for tests of the whole GPU. */
#ifndef CF_SIM_TEST_GPU_H
#define CF_SIM_TEST_GPU_H

#include "clipfree/timing/cf_sim_gpu.h"

struct made_frame {
   uint32_t vertices, vertex_alu;   /* instructions of the vector ALU in the vertex program */
   uint32_t prim, primitives, drop; /* enum cf_prim_kind; drop: all are culled for it */
   /* The first primitive covers a square of pixels, or each a quad of its own. */
   uint32_t side_px;
   bool scattered;
   uint32_t samples, sample_alu; /* bilinear samples of a pixel, ALU instructions before each */
   bool branches;                /* after each sample: an if that does not wait for it */
   uint32_t special;             /* instructions of the class `special` in the fragment program */
   uint32_t texture_px;          /* side */
   uint32_t vector_regs;
   bool depth;
   uint32_t index_B, index_offset_B; /* of an index (0: none); where the first one lies */
};

/** A small frame with something of all. */
struct made_frame made_frame_default(void);

/** The trace of a frame; ends with cf_sim_chunk_free. */
void make_frame(struct cf_sim_chunk *chunk, const struct made_frame *frame);

/** Run it. The GPU ends with cf_sim_gpu_free, and free. */
struct cf_sim_gpu *run_frame(const struct cf_sim_machine *machine, const struct made_frame *frame);

/** Paper A's machine, with memory that takes no time. */
struct cf_sim_machine paper_a(void);

#endif
