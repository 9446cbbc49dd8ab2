/* SPDX-License-Identifier: MIT */
/*
 * Command processor: reads a command buffer packet by packet, keeps the state, hands draws to the
 * pass and runs the other commands. Everything a command buffer says is checked before it is used:
 * a bad one ends with a fault, never a crash.
 *
 * Parsing runs ahead: up to two passes are in flight (cf_pass.h) while the next one is collected,
 * also across the end of a command buffer. Transfers (cf_transfer.h), clock readings and query
 * counts are loops in the same queue. Memory that the parser itself reads (descriptors, programs,
 * tables of gathers, indices with restarts) is waited for if a loop in flight writes it. A finished
 * pass is retired in order by the parsing thread, which then records its result for its command
 * buffer.
 *
 * Limitation: bound descriptors and programs are followed when the host or a buffer transfer writes
 * them. If a pass or another transfer writes them, it is undefined whether draws use the old or the
 * new contents.
 */
#ifndef CF_PROCESS_H
#define CF_PROCESS_H

#include "clipfree/command/cf_slow.h"
#include "clipfree/interface/cf_choices.h"
#include "clipfree/interface/cf_gpu.h"
#include "clipfree/memory/cf_memory.h"
#include "clipfree/profile/cf_stats_file.h"
#include "clipfree/profile/cf_trace.h"
#include "clipfree/schedule/cf_pass.h"

struct cf_processor;

struct cf_processor_config {
   struct cf_memory *memory;
   struct cf_workers *workers;
   struct cf_units units;
   struct cf_jit *jit; /* engine for programs; NULL: interpret */
   unsigned cordic_iterations; /* of special functions; 0: the exactly defined functions */
   enum cf_vertex_order vertices;
   bool plain; /* no shortcuts (enum cf_path) */
   enum cf_setup_policy policy;
   /* host vector instructions of primitive set-up; `units` have the same */
   enum cf_host_level level;
   uint64_t max_task_instrs;
   uint32_t print; /* enum cf_print_flag */
   bool perf; /* print the times of each submission to stderr */
   struct cf_stats_file *stats; /* gets a row for each draw; NULL: none */
   struct cf_trace *trace;      /* gets what is done when; NULL: none */
};

/** NULL: out of memory. */
struct cf_processor *cf_processor_create(const struct cf_processor_config *config);
void cf_processor_destroy(struct cf_processor *processor);

/* Submissions in flight: the last pass of one is rendered while the next one is parsed. */
#define CF_PROCESS_SUBMISSIONS 2

/** Parse one command buffer and launch its work, which may be unfinished on return. Packets before
 * a malformed one are executed. `limit_ns`: of the time that each worker spends on its passes; 0:
 * none. cf_process_pending must be below CF_PROCESS_SUBMISSIONS. */
void cf_process(struct cf_processor *processor, uint64_t address, uint32_t size_B,
                uint64_t limit_ns);

/** Number of submissions whose results have not been collected by cf_process_result. */
uint32_t cf_process_pending(const struct cf_processor *processor);

/* Statistics of a command buffer. Times are measured if perf or stats are set in the
 * configuration. */
struct cf_process_stats {
   uint64_t submissions;
   /* wall time: from the start of parsing until cf_process_result found it finished; of a frame:
    * since the end of the frame before */
   uint64_t all_ns;
   uint64_t unit_ns[CF_UNITS]; /* summed over all threads: at most all_ns for each worker */
   uint64_t passes, draws, chunks, vertex_tasks;
   uint64_t position_tasks; /* vertex tasks run for positions alone */
   uint64_t fragment_tasks, quads, fragments;
   uint64_t hidden;      /* primitives culled by hierarchical Z, counted once per tile */
   uint64_t interpreted; /* vertex and fragment tasks run by the interpreter */
   uint64_t waiting;     /* fragment tasks whose code from quads to pixels was not compiled yet */
   uint64_t slow_draws, slow[CF_SLOW_REASONS]; /* draws that stay on a slow path; by reason */
};

struct cf_process_result {
   const char *error; /* the first fault, or a task that the watchdog ended; NULL: none */
   enum cf_report_kind kind; /* of the error: a failure, or that the host has no memory */
   /* Behaviour that is defined but hardly intended (a vertex outside of its buffer), as text that
    * names packet, shader, pc and lane; NULL: none. Each program is warned of once. */
   const char *warning;
   const char *slow; /* a draw that stays on a slow path, and why; NULL: none that is unreported */
   const struct cf_process_stats *stats;
};

/** Collect the result of the oldest pending submission; `wait`: work until it is finished. NULL: it
 * is unfinished, or none is pending. Valid until the next call or cf_process. */
const struct cf_process_result *cf_process_result(struct cf_processor *processor, bool wait);

void cf_process_add_stats(struct cf_process_stats *sum, const struct cf_process_stats *stats);

/** Add what a pass did. */
void cf_process_count_pass(struct cf_process_stats *stats, const struct cf_pass_stats *pass);

/** End a submission: its numbers are added to the frame's, its rows are written. */
void cf_process_end_rows(struct cf_stats_file *file, const struct cf_process_stats *stats);

/** Print a line to stderr for each reason for which draws were slow, and one for tasks that were
 * slow only until their code was compiled. */
void cf_process_print_slow(const struct cf_process_stats *stats);

/** Print one line to stderr: "clipfree: WHAT NUMBER: wall time, units' time and its sum;
 * counts". */
void cf_process_print_stats(const char *what, uint64_t number,
                            const struct cf_process_stats *stats);

#endif
