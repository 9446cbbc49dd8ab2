/* SPDX-License-Identifier: MIT */
/*
 * Trials: a candidate is written to a file, the GPU runs it in a process of its own, and then the
 * command says whether it is still interesting. The best case so far is kept. Signals that ask the
 * process to end stop all trials, so that the best can be written.
 */
#ifndef REDUCE_TRIAL_H
#define REDUCE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "look/look_player.h"

#include "reduce_case.h"

enum reduce_verdict {
   REDUCE_WELL,     /* the GPU runs it to its end */
   REDUCE_REJECTED, /* it is malformed, or the watchdog ends it */
   REDUCE_CRASHED,  /* the process that ran it did not end in order, or in time */
};

enum reduce_progress {
   REDUCE_QUIET,
   REDUCE_LINES,
   REDUCE_ONE_LINE, /* written over again and again: a terminal */
};

struct reduce_size {
   uint32_t submissions, operations, draws;
   uint64_t elements;     /* vertices of all instances */
   uint64_t lines;        /* of GLSL, each text counted once */
   uint64_t instructions; /* of programs, each counted once */
   uint64_t file_B;
};

struct reduce_trial {
   const char *command;
   unsigned long limit_s;
   enum reduce_progress progress;
   bool verbose; /* what the command prints is shown */
   /* a program in C is wanted: programs remain, and draws have all state that GL has */
   bool for_gles;
   char *folder, *file; /* of candidates */
   int signals;         /* file descriptor: signals that ask to end */
   struct reduce_case *best;
   uint64_t best_hash;
   struct reduce_size size;      /* of the best */
   enum reduce_verdict verdict;  /* of the original; candidates have no worse one */
   struct reduce_case *proved;   /* the last best whose program in C holds; NULL: none */
   bool may_be_undefined;        /* its GLSL reads what nothing wrote from the beginning */
   bool settled;                 /* what is best remains so: its program in C must hold */
   char no_glsl[512];            /* why GLSL is not made simpler; "": it is */
   const char *step;             /* what is being tried, for people */
   bool stopped;                 /* interrupted, or `error` */
   char error[512];              /* "": none */
   unsigned long tests, skipped; /* commands run; candidates that the GPU refused */
   /* hashes of candidates that failed, an open table */
   uint64_t *failed;
   uint32_t failed_count, failed_capacity;
   int64_t reported_ns; /* when progress was reported last, and of which case */
   uint64_t told_hash;
};

/** Begin with an original. False: `error` says why the command is of no use. Options are set
 * before; end in any case. */
bool reduce_trial_begin(struct reduce_trial *trial, struct reduce_case *original);
void reduce_trial_end(struct reduce_trial *trial);

/** Try a candidate, which is taken over. Whether it is now the best. */
bool reduce_try(struct reduce_trial *trial, struct reduce_case *candidate);

/** Whether a case holds, which stays the caller's; the best does not change. */
bool reduce_holds(struct reduce_trial *trial, const struct reduce_case *c);

/** Make a case, which is taken over and is known to hold, the best. */
void reduce_adopt(struct reduce_trial *trial, struct reduce_case *c);

/** Whether a candidate with this hash, which is odd, is the best or has failed; let it fail. */
bool reduce_is_known(const struct reduce_trial *trial, uint64_t hash);
void reduce_note_failed(struct reduce_trial *trial, uint64_t hash);

/** Say what is being tried from now on. */
void reduce_trial_step(struct reduce_trial *trial, const char *step);

/** Run a shell's script with two arguments, $1 and $2. Returns the exit status; -1: it did not end
 * in order or in time; -2: interrupted. */
int reduce_run_script(struct reduce_trial *trial, const char *script, const char *first,
                      const char *second);

/** Open a capture to run it. NULL: `error` says why it cannot be. */
struct look_player *reduce_play(const char *file, char *error, size_t error_B);
/** The same of the best case. */
struct look_player *reduce_play_best(struct reduce_trial *trial, char *error, size_t error_B);

#endif
