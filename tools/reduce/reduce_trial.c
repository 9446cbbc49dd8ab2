/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* pidfd_open, signalfd */
#include "reduce_trial.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "look/look_ops.h"

#include "reduce_programs.h"
#include "reduce_trip.h"

#define GPU_LIMIT_S 600     /* the watchdog of the GPU is far below */
#define LINE_NS 10000000000 /* between two lines of progress; on one line a 20th of it */
#define INTERRUPTED (-2)

/* ------------------------------------------------------------------ processes */

static void
ending_signals(sigset_t *set)
{
   sigemptyset(set);
   sigaddset(set, SIGINT);
   sigaddset(set, SIGTERM);
   sigaddset(set, SIGHUP);
}

/* Whether someone wants the process to end. */
static bool
is_interrupted(struct reduce_trial *trial)
{
   struct pollfd watched = { trial->signals, POLLIN, 0 };
   if (poll(&watched, 1, 0) > 0)
      trial->stopped = true;
   return trial->stopped;
}

/* Wait for a child, and end its group after a time, or where the process is to end. Returns the
 * exit status, -1, or INTERRUPTED. */
static int
wait_for(struct reduce_trial *trial, pid_t child, unsigned long limit_s)
{
   const int descriptor = pidfd_open(child, 0);
   struct pollfd watched[2] = { { descriptor, POLLIN, 0 }, { trial->signals, POLLIN, 0 } };
   int status, found;
   do
      found = poll(watched, 2, limit_s > 2000000 ? -1 : (int)(1000 * limit_s));
   while (found < 0 && errno == EINTR);
   const bool ended = watched[0].revents != 0, interrupted = !ended && watched[1].revents != 0;
   if (!ended)
      kill(-child, SIGKILL);
   while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      ;
   kill(-child, SIGKILL); /* what it left running */
   close(descriptor);
   trial->stopped |= interrupted;
   return interrupted ? INTERRUPTED : ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A child in a group of its own, with the signals of a new process and nothing to read. */
static pid_t
begin_child(bool verbose)
{
   fflush(NULL);
   const pid_t child = fork();
   if (child != 0) {
      if (child > 0)
         setpgid(child, child);
      return child;
   }
   sigset_t none;
   const int null = open("/dev/null", O_RDWR);
   setpgid(0, 0);
   sigemptyset(&none);
   sigprocmask(SIG_SETMASK, &none, NULL);
   dup2(null, STDIN_FILENO);
   dup2(verbose ? STDERR_FILENO : null, STDOUT_FILENO);
   if (!verbose)
      dup2(null, STDERR_FILENO);
   return 0;
}

/* The command with the file's path in place of each {}. The path has no character that a shell
 * treats. */
static char *
command_of(const char *command, const char *file)
{
   const bool names = strstr(command, "{}") || strstr(command, "$1");
   const size_t file_B = strlen(file);
   char *text = reduce_allocate(strlen(command) * (file_B + 1) + 8), *to = text;
   for (const char *at = command; *at;) {
      if (!strncmp(at, "{}", 2)) {
         to = stpcpy(to, file);
         at += 2;
      } else {
         *to++ = *at++;
      }
   }
   strcpy(to, names ? "" : " \"$1\"");
   return text;
}

int
reduce_run_script(struct reduce_trial *trial, const char *script, const char *first,
                  const char *second)
{
   const pid_t child = begin_child(trial->verbose);
   if (child == 0) {
      execl("/bin/sh", "sh", "-c", script, "clipfree-reduce", first, second, (char *)NULL);
      _exit(127);
   }
   return child < 0 ? -1 : wait_for(trial, child, trial->limit_s);
}

/* Run a shell's command with the file's path in place of {}. Returns what reduce_run_script does.
 */
static int
run_command(struct reduce_trial *trial, const char *command, const char *file)
{
   char *text = command_of(command, file);
   const int status = reduce_run_script(trial, text, file, NULL);
   free(text);
   return status;
}

struct look_player *
reduce_play(const char *file, char *error, size_t error_B)
{
   const struct cf_model_config config = { .threads = -1,
                                           .memory_B = CF_CAPTURE_MAX_ADDRESS,
                                           .engine = CF_ENGINE_INTERP,
                                           .no_disk_cache = true };
   return look_player_open(file, &config, error, error_B);
}

struct look_player *
reduce_play_best(struct reduce_trial *trial, char *error, size_t error_B)
{
   if (reduce_case_save(trial->best, trial->file))
      return reduce_play(trial->file, error, error_B);
   snprintf(error, error_B, "cannot write %s: %s", trial->file, strerror(errno));
   return NULL;
}

/* In a process of its own: whether the GPU runs the file. */
static bool
gpu_runs(const char *file)
{
   char error[CF_CAPTURE_ERROR_B];
   struct look_player *player = reduce_play(file, error, sizeof(error));
   struct look_submission submission;
   int found = player ? 1 : -1;
   while (found > 0 && (found = look_player_next(player, &submission, error, sizeof(error))) > 0)
      look_player_run(player, &submission);
   return found == 0 && look_player_went_well(player, error, sizeof(error));
}

static enum reduce_verdict
run_gpu(struct reduce_trial *trial, const char *file)
{
   const pid_t child = begin_child(false);
   if (child == 0)
      _exit(gpu_runs(file) ? REDUCE_WELL : REDUCE_REJECTED);
   const int status = child < 0 ? -1 : wait_for(trial, child, GPU_LIMIT_S);
   return status == REDUCE_WELL || status == REDUCE_REJECTED ? (enum reduce_verdict)status
                                                             : REDUCE_CRASHED;
}

/* ------------------------------------------------------------------ progress */

/* Instructions of a program that no packet before named. */
static uint64_t
instructions_of(const struct reduce_case *c, uint32_t submission,
                const struct reduce_packet *packet, uint64_t **seen, uint32_t *count)
{
   const char *bad_field;
   uint32_t dw[CF_PROGRAM_DWORDS];
   struct cf_shader shader;
   struct cf_program program;
   if (!cf_shader_unpack(packet->dw, &shader, &bad_field) ||
       !reduce_case_read(c, submission, shader.program, dw, sizeof(dw)) ||
       !cf_program_unpack(dw, &program, &bad_field))
      return 0;
   for (uint32_t i = 0; i < *count; i++) {
      if ((*seen)[i] == program.code)
         return 0;
   }
   *seen = realloc(*seen, (*count + 1) * sizeof(**seen));
   if (!*seen)
      return 0;
   (*seen)[(*count)++] = program.code;
   return program.code_instrs;
}

/* Lines of GLSL that are not empty. */
static uint64_t
lines_of(const struct reduce_case *c)
{
   struct reduce_sources sources = reduce_list_sources(c);
   uint64_t lines = 0;
   for (uint32_t i = 0; i < sources.count; i++) {
      for (const char *line = sources.text[i]; *line;) {
         const size_t length = strcspn(line, "\n");
         lines += strspn(line, " \t\r") < length;
         line += length + (line[length] == '\n');
      }
   }
   reduce_free_sources(&sources);
   return lines;
}

static struct reduce_size
size_of(const struct reduce_case *c)
{
   struct reduce_size size = { .submissions = c->submissions };
   uint64_t *seen = NULL;
   uint32_t programs = 0;
   for (uint32_t s = 0; s < c->submissions; s++) {
      for (uint32_t i = 0; i < c->submission[s].packets; i++) {
         const struct reduce_packet *packet = &c->submission[s].packet[i];
         struct cf_draw draw;
         const char *bad_field;
         const bool is_draw = reduce_opcode(packet) == CF_OPCODE_DRAW;
         size.operations += look_is_op(reduce_opcode(packet));
         size.draws += is_draw;
         if (is_draw && cf_draw_unpack(packet->dw, &draw, &bad_field))
            size.elements += (uint64_t)draw.count * draw.instances;
         if (reduce_opcode(packet) == CF_OPCODE_SHADER)
            size.instructions += instructions_of(c, s, packet, &seen, &programs);
      }
   }
   free(seen);
   size.lines = lines_of(c);
   return size;
}

static int64_t
now_ns(void)
{
   struct timespec now;
   clock_gettime(CLOCK_MONOTONIC, &now);
   return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* Tell where it is, if it is time to. */
static void
report_progress(struct reduce_trial *trial, bool now)
{
   const struct reduce_size *size = &trial->size;
   const bool one_line = trial->progress == REDUCE_ONE_LINE;
   const int64_t time_ns = now_ns();
   if (trial->progress == REDUCE_QUIET ||
       (!now && time_ns - trial->reported_ns < (one_line ? LINE_NS / 20 : LINE_NS)))
      return;
   trial->reported_ns = time_ns;
   fprintf(stderr,
           "%s%-12s %lu tests; %" PRIu32 " submissions, %" PRIu32 " operations, %" PRIu32
           " draws, %" PRIu64 " elements, %" PRIu64 " instructions, %" PRIu64
           " lines of GLSL, %.1f kB%s",
           one_line ? "\r" : "", trial->step, trial->tests, size->submissions, size->operations,
           size->draws, size->elements, size->instructions, size->lines, (double)size->file_B / 1e3,
           one_line ? "\033[K" : "\n");
   fflush(stderr);
}

void
reduce_trial_step(struct reduce_trial *trial, const char *step)
{
   const bool news = trial->progress == REDUCE_ONE_LINE || trial->told_hash != trial->best_hash;
   trial->step = step;
   trial->told_hash = trial->best_hash;
   report_progress(trial, news);
}

/* ------------------------------------------------------------------ trials */

static uint64_t *
place_of(const struct reduce_trial *trial, uint64_t hash)
{
   uint32_t at = (uint32_t)hash & (trial->failed_capacity - 1);
   while (trial->failed[at] && trial->failed[at] != hash)
      at = (at + 1) & (trial->failed_capacity - 1);
   return &trial->failed[at];
}

bool
reduce_is_known(const struct reduce_trial *trial, uint64_t hash)
{
   return hash == trial->best_hash || (trial->failed_capacity && *place_of(trial, hash) == hash);
}

void
reduce_note_failed(struct reduce_trial *trial, uint64_t hash)
{
   if (2 * (trial->failed_count + 1) > trial->failed_capacity) {
      uint64_t *old = trial->failed;
      const uint32_t count = trial->failed_capacity;
      trial->failed_capacity = count ? 2 * count : 1024;
      trial->failed = reduce_allocate(trial->failed_capacity * sizeof(*trial->failed));
      for (uint32_t i = 0; i < count; i++) {
         if (old[i])
            *place_of(trial, old[i]) = old[i];
      }
      free(old);
   }
   trial->failed_count++;
   *place_of(trial, hash) = hash;
}

/* Write the candidate. */
static bool
save(struct reduce_trial *trial, const struct reduce_case *c)
{
   if (reduce_case_save(c, trial->file))
      return true;
   snprintf(trial->error, sizeof(trial->error),
            "cannot write %s: %s; TMPDIR may name another folder for candidates", trial->file,
            strerror(errno));
   trial->stopped = true;
   return false;
}

void
reduce_adopt(struct reduce_trial *trial, struct reduce_case *candidate)
{
   struct stat status = { 0 };
   stat(trial->file, &status);
   if (candidate != trial->best)
      reduce_case_free(trial->best);
   trial->best = candidate;
   trial->best_hash = reduce_case_hash(candidate) | 1;
   trial->size = size_of(candidate);
   trial->size.file_B = (uint64_t)status.st_size;
}

bool
reduce_holds(struct reduce_trial *trial, const struct reduce_case *c)
{
   if (is_interrupted(trial) || !save(trial, c))
      return false;
   if (run_gpu(trial, trial->file) > trial->verdict) {
      trial->skipped += !trial->stopped;
      return false;
   }
   if (is_interrupted(trial))
      return false;
   trial->tests++;
   return run_command(trial, trial->command, trial->file) == 0;
}

bool
reduce_try(struct reduce_trial *trial, struct reduce_case *candidate)
{
   const uint64_t hash = reduce_case_hash(candidate) | 1;
   const bool known = reduce_is_known(trial, hash);
   report_progress(trial, false);
   if (!known && reduce_holds(trial, candidate)) {
      reduce_adopt(trial, candidate);
      return true;
   }
   if (!known && !trial->stopped)
      reduce_note_failed(trial, hash);
   reduce_case_free(candidate);
   return false;
}

/* ------------------------------------------------------------------ begin and end */

/* A folder for candidates, with a name that a shell leaves as it is. */
static bool
make_folder(struct reduce_trial *trial)
{
   static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+";
   const char *root = getenv("TMPDIR");
   root = root && *root ? root : "/tmp";
   const size_t size_B = strlen(root) + 64;
   if (root[strspn(root, plain)]) {
      snprintf(trial->error, sizeof(trial->error),
               "TMPDIR=%s: its name is to be of letters, digits and / . _ - + alone", root);
      return false;
   }
   trial->folder = reduce_allocate(size_B);
   trial->file = reduce_allocate(size_B);
   snprintf(trial->folder, size_B, "%s/clipfree-reduce-XXXXXX", root);
   if (!mkdtemp(trial->folder)) {
      snprintf(trial->error, sizeof(trial->error), "cannot make a folder in %s: %s", root,
               strerror(errno));
      free(trial->folder);
      trial->folder = NULL;
      return false;
   }
   snprintf(trial->file, size_B, "%s/candidate.cap", trial->folder);
   return true;
}

/* Whether the command says yes to the original. */
static bool
try_original(struct reduce_trial *trial)
{
   if (!save(trial, trial->best))
      return false;
   trial->verdict = run_gpu(trial, trial->file);
   trial->tests++;
   const int status =
      trial->stopped ? INTERRUPTED : run_command(trial, trial->command, trial->file);
   reduce_adopt(trial, trial->best);
   if (status == INTERRUPTED)
      snprintf(trial->error, sizeof(trial->error), "interrupted before anything was tried");
   else if (status < 0)
      snprintf(trial->error, sizeof(trial->error),
               "the command does not end in order in %lu s on the whole capture: --limit allows "
               "more; --verbose shows what it prints",
               trial->limit_s);
   else if (status > 0)
      snprintf(trial->error, sizeof(trial->error),
               "the command fails on the whole capture (exit status %d), where it is to succeed: "
               "--verbose shows what it prints",
               status);
   return status == 0;
}

bool
reduce_trial_begin(struct reduce_trial *trial, struct reduce_case *original)
{
   sigset_t set;
   trial->best = original;
   trial->step = "begin";
   ending_signals(&set);
   sigprocmask(SIG_BLOCK, &set, NULL);
   trial->signals = signalfd(-1, &set, SFD_CLOEXEC);
   return make_folder(trial) && try_original(trial);
}

void
reduce_trial_end(struct reduce_trial *trial)
{
   if (trial->progress == REDUCE_ONE_LINE)
      fputc('\n', stderr);
   if (trial->folder) {
      reduce_trip_clean(trial->folder);
      unlink(trial->file);
      rmdir(trial->folder);
   }
   if (trial->signals > 0)
      close(trial->signals);
   reduce_case_free(trial->best);
   if (trial->proved)
      reduce_case_free(trial->proved);
   free(trial->folder);
   free(trial->file);
   free(trial->failed);
}
