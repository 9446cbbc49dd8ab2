/* SPDX-License-Identifier: MIT */
/*
 * Command processor: reads a command buffer packet by packet, keeps the state, hands draws to the
 * pass and runs the other commands. Everything a command buffer says is checked before it is used:
 * a bad one ends with a fault, never a crash.
 */
#ifndef CF_PROCESS_H
#define CF_PROCESS_H

#include "clipfree/command/cf_gpu.h"
#include "clipfree/command/cf_pass.h"
#include "clipfree/memory/cf_memory.h"

struct cf_processor;

struct cf_processor_config {
   struct cf_memory *memory;
   struct cf_workers *workers;
   struct cf_units units;
   struct cf_jit *jit; /* engine for programs; NULL: interpret */
   unsigned cordic_iterations; /* of special functions; 0: the exactly defined ones */
   enum cf_setup_policy policy;
   enum cf_host_level level; /* of set-up, as `units` are of it */
   uint64_t max_task_instrs;
   uint32_t print; /* enum cf_print_flag */
   bool perf; /* print what each submission took to stderr */
};

/** NULL: out of memory. */
struct cf_processor *cf_processor_create(const struct cf_processor_config *config);
void cf_processor_destroy(struct cf_processor *processor);

/** Run one command buffer to its end. NULL, or what is wrong with it (valid until the next call):
 * then the packets before the malformed one have been executed. */
const char *cf_process(struct cf_processor *processor, uint64_t address, uint32_t size_B);

/* What a command buffer took, and did: counted if cf_processor_config.perf is set. */
struct cf_process_stats {
   uint64_t submissions;
   uint64_t all_ns, vertex_ns, tile_ns, copy_ns;
   uint64_t passes, draws, chunks, vertex_tasks, fragment_tasks, quads, fragments;
};

/** Add that of the last command buffer to a sum. */
void cf_process_add_stats(const struct cf_processor *processor, struct cf_process_stats *sum);

/** One line to stderr: "clipfree: WHAT NUMBER: ...". */
void cf_process_print_stats(const char *what, uint64_t number, const struct cf_process_stats *stats);

/** What the last command buffer did that is defined but surely not meant (a vertex outside of its buffer), as text that
 * names packet, shader, pc and lane; NULL: nothing. Each program is warned of once. */
const char *cf_process_warning(const struct cf_processor *processor);

#endif
