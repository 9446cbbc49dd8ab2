/* SPDX-License-Identifier: MIT */
/*
 * What a draw does to a pixel, recorded on the plain path: its fragments there, the results of each
 * instruction of the programs that made them, and those of the draw's vertices.
 */
#ifndef REPLAY_WATCH_H
#define REPLAY_WATCH_H

#include "clipfree/interface/cf_observer.h"

struct cf_decoded; /* shader/cf_decoded.h */

struct replay_instruction {
   char text[128];
   bool input; /* of the program, which the primitive makes: a varying, a system value */
};

/* A program of a task, as text, since it may be another build's. */
struct replay_program {
   const struct cf_decoded *decoded; /* while it is recorded */
   char *name;
   struct replay_instruction *instruction;
   uint32_t count;
};

/* The results of a task's instructions, in the lanes that are watched. */
struct replay_task {
   bool vertices;        /* else it is a fragment task, and one lane is watched */
   uint32_t primitive;   /* of fragments */
   uint32_t lanes;       /* that are watched */
   uint32_t element[32]; /* of vertices, by lane */
   const struct replay_program *program;
   /* By instruction: its number, the watched lanes that run it (bit i: the i-th watched lane), the
    * rows that it writes; then these rows, of each a dword for each such lane */
   uint32_t *word;
   uint32_t words, capacity;
};

struct replay_watch {
   /* set by the caller, before the draw runs; the rest is 0 */
   uint64_t draw; /* address of its packet; 0: nothing is recorded */
   uint32_t x_px, y_px, sample;
   /* recorded */
   struct cf_fragment_event *fragment; /* of the pixel and sample, in order */
   struct replay_task *task;
   struct replay_program **program; /* of the tasks */
   uint32_t fragments, tasks, programs, fragment_capacity, task_capacity, program_capacity;
   uint64_t words;  /* in all tasks */
   bool incomplete; /* memory ran out, or there was too much */
   /* an early test that passed, before the fragment's program: what it found */
   bool tested;
   uint32_t zs_before[2];
   /* the task that runs */
   bool open;
   uint32_t pc, exec; /* of the instruction that is running; pc UINT32_MAX: none */
};

/* Where two tasks have different results first. */
struct replay_step_difference {
   bool flow; /* they went on differently after the instruction, or with different ones */
   uint32_t pc, row, lane; /* lane: of a */
   uint32_t a, b;
};

/** An observer that records; without threads. */
struct cf_observer replay_watch_observer(struct replay_watch *watch);
void replay_watch_free(struct replay_watch *watch);

/** Room for another entry at the end of what a watch records, all 0; NULL: out of memory. A program
 * stays where it is until the watch is freed. */
struct cf_fragment_event *replay_watch_add_fragment(struct replay_watch *watch);
struct replay_task *replay_watch_add_task(struct replay_watch *watch);
struct replay_program *replay_watch_add_program(struct replay_watch *watch, const char *name,
                                                uint32_t count);

/** The first difference. False: none. */
bool replay_tasks_differ(const struct replay_task *a, const struct replay_task *b,
                         struct replay_step_difference *difference);

/** The task that shades the primitive's fragment; NULL: there is none. */
const struct replay_task *replay_watch_fragment_task(const struct replay_watch *watch,
                                                     uint32_t primitive);

#endif
