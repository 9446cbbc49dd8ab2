/* SPDX-License-Identifier: MIT */
/*
 * Mode `hits`: caches in the order of access, without time.
 */
#ifndef CF_SIM_HITS_H
#define CF_SIM_HITS_H

#include "clipfree/timing/cf_sim_cache.h"
#include "clipfree/timing/cf_sim_layout.h"
#include "clipfree/timing/cf_sim_order.h"
#include "clipfree/timing/cf_sim_stack.h"

#define CF_SIM_MAX_PIPELINES 16

/* What the trace has, whatever the machine. */
struct cf_sim_work {
   uint64_t frames, draws, clears;
   uint64_t vertices, primitives, set_up;      /* set_up: not culled */
   uint64_t geometry;                          /* primitives that geometry programs take */
   uint64_t tasks;                             /* fragment tasks of eight quads */
   uint64_t quads, fragments, tested, written; /* fragments: covered, by sample */
   uint64_t hidden_quads;    /* not shaded, as early tests leave nothing of them */
   uint64_t samples, texels; /* texture samples of quads, and what they read */
   uint32_t last_frame;
};

struct cf_sim_hits {
   const struct cf_sim_machine *machine;
   struct cf_sim_layout layout;
   struct cf_sim_work work;
   struct cf_sim_cache texture, z[CF_SIM_MAX_PIPELINES], color[CF_SIM_MAX_PIPELINES];
   uint64_t z_reads, z_writes, color_reads, color_writes; /* requests */
   /* stack distances, if they are asked for: of the texture cache, and of pipeline 0 */
   bool stacks;
   struct cf_sim_stack texture_stack, z_stack, color_stack;
   bool failed;
};

/** False: out of memory. The machine must outlive it. */
bool cf_sim_hits_init(struct cf_sim_hits *hits, const struct cf_sim_machine *machine, bool stacks);
void cf_sim_hits_free(struct cf_sim_hits *hits);

/** Take a chunk, whose order is that of the machine's traversal. */
void cf_sim_hits_chunk(struct cf_sim_hits *hits, const struct cf_sim_chunk *chunk,
                       const struct cf_sim_order *order);

/** All chunks are taken: the counts are valid. False: out of memory. */
bool cf_sim_hits_finish(struct cf_sim_hits *hits);

/** The sum over pipelines. */
struct cf_sim_cache_counts cf_sim_hits_sum(const struct cf_sim_hits *hits,
                                           const struct cf_sim_cache *cache);

#endif
