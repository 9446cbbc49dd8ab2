/* SPDX-License-Identifier: MIT */
/*
 * The clipfree-replay of another build, as a process of its own.
 */
#ifndef REPLAY_PROCESS_H
#define REPLAY_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Another build, and what its clipfree-replay gets beside the capture. */
struct replay_build {
   const char *folder;
   const char *const *word; /* options of the model */
   uint32_t words;
};

struct replay_process {
   pid_t pid;
   FILE *output; /* what it prints */
};

/** Start it. Its command line: options of the model, then these words, which NULL ends, then the
 * capture. */
bool replay_process_start(struct replay_process *process, const struct replay_build *build,
                          const char *const *words, const char *path, char *error, size_t error_B);

/** Wait for its end. False: it failed. */
bool replay_process_finish(struct replay_process *process, char *error, size_t error_B);

#endif
