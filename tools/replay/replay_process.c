/* SPDX-License-Identifier: MIT */
#include "replay_process.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "look/look_error.h"

extern char **environ;

#define MAX_ARGUMENTS 96

bool
replay_process_start(struct replay_process *process, const struct replay_build *build,
                     const char *const *words, const char *path, char *error, size_t error_B)
{
   char program[4096];
   const char *argument[MAX_ARGUMENTS] = { program };
   uint32_t count = 1;
   int ends[2];
   posix_spawn_file_actions_t actions;
   snprintf(program, sizeof(program), "%s/tools/clipfree-replay", build->folder);
   for (uint32_t i = 0; i < build->words; i++)
      argument[count++] = build->word[i];
   for (; *words; words++)
      argument[count++] = *words;
   argument[count++] = path;
   if (pipe(ends))
      return look_fails(error, error_B, "%s: %s", program, strerror(errno));
   posix_spawn_file_actions_init(&actions);
   posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
   posix_spawn_file_actions_addclose(&actions, ends[0]);
   posix_spawn_file_actions_addclose(&actions, ends[1]);
   const int reason =
      posix_spawn(&process->pid, program, &actions, NULL, (char **)argument, environ);
   posix_spawn_file_actions_destroy(&actions);
   close(ends[1]);
   process->output = fdopen(ends[0], "r");
   if (!reason && process->output)
      return true;
   return look_fails(error, error_B, "%s: %s", program,
                     reason ? strerror(reason) : "out of memory");
}

bool
replay_process_finish(struct replay_process *process, char *error, size_t error_B)
{
   int status = 0;
   fclose(process->output);
   waitpid(process->pid, &status, 0);
   if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      return true;
   return look_fails(error, error_B,
                     "its clipfree-replay failed; it must know --hashes, --queries, --raw and "
                     "--record, and its messages are above");
}
