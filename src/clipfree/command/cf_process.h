/* SPDX-License-Identifier: MIT */
/*
 * Command processor: reads a command buffer packet by packet, keeps the state, hands draws to the
 * pass and runs the other commands. Everything a command buffer says is checked before it is used:
 * a bad one ends with a fault, never a crash.
 *
 * Parsing runs ahead: up to two passes are in flight (cf_pass.h) while the next one is collected, also over the end of a
 * command buffer, and so are transfers (cf_transfer.h), times and the counts of queries, which are loops in the same queue. What the
 * parser itself reads (descriptors, programs, tables of gathers, indices with restarts) it waits for if a loop in flight writes it.
 * What came of a pass is noted for its command buffer when it is taken back, always in order and by the thread that parses.
 *
 * Limitation: descriptors and programs are what the host or a buffer transfer wrote. If a pass or another transfer writes them and they
 * are bound already, it is undefined which is used.
 */
#ifndef CF_PROCESS_H
#define CF_PROCESS_H

#include "clipfree/command/cf_slow.h"
#include "clipfree/interface/cf_choices.h"
#include "clipfree/interface/cf_gpu.h"
#include "clipfree/memory/cf_memory.h"
#include "clipfree/schedule/cf_pass.h"

struct cf_processor;

struct cf_processor_config {
   struct cf_memory *memory;
   struct cf_workers *workers;
   struct cf_units units;
   struct cf_jit *jit; /* engine for programs; NULL: interpret */
   unsigned cordic_iterations; /* of special functions; 0: the exactly defined ones */
   enum cf_vertex_order vertices;
   bool plain; /* no shortcuts (enum cf_path) */
   enum cf_setup_policy policy;
   enum cf_host_level level; /* of set-up, as `units` are of it */
   uint64_t max_task_instrs;
   uint32_t print; /* enum cf_print_flag */
   bool perf; /* print what each submission took to stderr */
};

/** NULL: out of memory. */
struct cf_processor *cf_processor_create(const struct cf_processor_config *config);
void cf_processor_destroy(struct cf_processor *processor);

/* Submissions that may be begun and not be finished: the last pass of one is rendered while the next one is parsed. */
#define CF_PROCESS_SUBMISSIONS 2

/** Parse one command buffer and launch what it asks for; only what parsing has to wait for is finished when this
 * returns. If it is malformed, the packets before the malformed one are executed. cf_process_pending must be below
 * CF_PROCESS_SUBMISSIONS. */
void cf_process(struct cf_processor *processor, uint64_t address, uint32_t size_B);

/** Submissions whose results have not been taken. */
uint32_t cf_process_pending(const struct cf_processor *processor);

/* What a command buffer took, and did: times are measured if cf_processor_config.perf is set. */
struct cf_process_stats {
   uint64_t submissions;
   uint64_t all_ns;            /* wall time, from its begin until it was found finished; of a frame, since the end of the last one */
   uint64_t unit_ns[CF_UNITS]; /* summed over all threads: at most all_ns for each worker */
   uint64_t passes, draws, chunks, fragment_tasks, quads, fragments;
   uint64_t vertex_tasks, position_tasks; /* the latter: those of the former run for positions alone */
   uint64_t hidden; /* primitives of tiles */
   uint64_t interpreted; /* of the tasks: those that the interpreter ran */
   uint64_t waiting;     /* of the fragment tasks: those that code from quads to pixels was not there for yet */
   uint64_t slow_draws, slow[CF_SLOW_REASONS]; /* draws that stay on a slow path, and those of them for each reason */
};

struct cf_process_result {
   const char *error; /* what is wrong with the command buffer, or was given up; NULL: nothing */
   /* What it did that is defined but surely not meant (a vertex outside of its buffer), as text that
    * names packet, shader, pc and lane; NULL: nothing. Each program is warned of once. */
   const char *warning;
   const char *slow; /* a draw that stays on a slow path, and why; NULL: there is none of which that has not been told */
   const struct cf_process_stats *stats;
};

/** Take the result of the oldest submission, if that is finished; `wait`: work until it is. NULL: it is not, or there is
 * none. Valid until the next call or cf_process. */
const struct cf_process_result *cf_process_result(struct cf_processor *processor, bool wait);

void cf_process_add_stats(struct cf_process_stats *sum, const struct cf_process_stats *stats);

/** Lines to stderr: of each reason for which draws were slow, and what is temporary; nothing if there is nothing. */
void cf_process_print_slow(const struct cf_process_stats *stats);

/** One line to stderr: "clipfree: WHAT NUMBER: wall time, units' time and its sum; counts". */
void cf_process_print_stats(const char *what, uint64_t number, const struct cf_process_stats *stats);

#endif
