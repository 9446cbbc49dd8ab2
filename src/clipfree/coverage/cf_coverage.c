/* SPDX-License-Identifier: MIT */
/*
 * Who a task belongs to: packets come in order, so a draw's programs are those that are bound when
 * its packet comes. The table of a submission's draws has ascending addresses, and does not move
 * while workers look into it.
 */
#include "clipfree/coverage/cf_coverage.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clipfree/coverage/cf_covered.h"
#include "clipfree/interface/cf_note.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/memory/cf_memory.h"
#include "clipfree/profile/cf_live.h"
#include "clipfree/shader/cf_program_find.h"
#include "clipfree/shader/cf_run.h"

#define BLOCK_DRAWS 1024
#define BLOCKS 1024 /* further draws of a submission are not counted */

/* A draw of the submission. */
struct covered_draw {
   uint64_t packet;
   struct cf_covered_program *program[CF_STAGES]; /* NULL: not counted */
};

/* The program whose descriptor is at an address. */
struct noted_program {
   uint64_t descriptor, code_hash; /* code_hash: of the code that it was first bound with */
   struct cf_covered_program *program;
};

struct cf_coverage {
   struct cf_live live;
   struct cf_observer observer;
   char *folder;
   pthread_mutex_t lock; /* of the table of notes, and of `programs` */
   struct noted_program *noted;
   uint32_t noted_count, noted_capacity;
   struct cf_covered_program *programs; /* all, also those whose memory is gone */
   _Atomic bool lost; /* memory ran out: something is not counted, and counts are wrong */
   /* the thread that parses alone changes them */
   struct cf_covered_program *bound[CF_STAGES];
   struct covered_draw *block[BLOCKS];
   _Atomic uint32_t draws;
};

/* ------------------------------------------------------------------ notes */

/* Whether a note is of a program with lines of GLSL. */
static bool
has_lines(const void *note, size_t size_B)
{
   struct cf_note_part part;
   bool lines = false, source = false;
   for (size_t at = 0; cf_note_next(note, size_B, &at, &part);) {
      lines |= part.field == CF_NOTE_LINES && part.count > 0;
      source |= part.field == CF_NOTE_SOURCE;
   }
   return lines && source;
}

/* With the lock. NULL: none. */
static struct noted_program *
find_noted(struct cf_coverage *coverage, uint64_t descriptor)
{
   for (uint32_t i = coverage->noted_count; i-- > 0;) {
      if (coverage->noted[i].descriptor == descriptor)
         return &coverage->noted[i];
   }
   return NULL;
}

/* Room for the program at an address. With the lock. NULL: out of memory. */
static struct noted_program *
new_noted(struct cf_coverage *coverage, uint64_t descriptor)
{
   struct noted_program *noted = find_noted(coverage, descriptor);
   if (!noted && coverage->noted_count == coverage->noted_capacity) {
      const uint32_t capacity = 2 * coverage->noted_capacity + 64;
      struct noted_program *grown = realloc(coverage->noted, capacity * sizeof(*grown));
      if (!grown)
         return NULL;
      coverage->noted = grown;
      coverage->noted_capacity = capacity;
   }
   if (!noted)
      noted = &coverage->noted[coverage->noted_count++];
   *noted = (struct noted_program){ .descriptor = descriptor };
   return noted;
}

/* A program with its note; it is not counted until it is bound. NULL: out of memory. */
static struct cf_covered_program *
new_program(const void *note, size_t size_B)
{
   struct cf_covered_program *program = calloc(1, sizeof(*program));
   if (program)
      program->note = malloc(size_B);
   if (!program || !program->note) {
      free(program);
      return NULL;
   }
   memcpy(program->note, note, size_B);
   program->note_B = size_B;
   return program;
}

/* Drivers note a program again when more is known of it. */
static void
take_note(void *user, uint64_t address, const void *note, size_t size_B)
{
   struct cf_coverage *coverage = user;
   if (!has_lines(note, size_B))
      return;
   pthread_mutex_lock(&coverage->lock);
   const struct noted_program *before = find_noted(coverage, address);
   const bool known = before && before->program->note_B == size_B &&
                      !memcmp(before->program->note, note, size_B);
   struct cf_covered_program *program = known ? NULL : new_program(note, size_B);
   struct noted_program *noted = program ? new_noted(coverage, address) : NULL;
   if (noted) {
      noted->program = program;
      program->next = coverage->programs;
      coverage->programs = program;
   } else if (program) {
      free(program->note);
      free(program);
   }
   if (!noted && !known)
      coverage->lost = true;
   pthread_mutex_unlock(&coverage->lock);
}

/* ------------------------------------------------------------------ packets */

/* Begin to count a program. False: out of memory. */
static bool
begin_program(struct cf_covered_program *program, const struct cf_program *info,
              const uint64_t *code)
{
   program->decides = calloc(info->code_instrs, sizeof(*program->decides));
   program->lanes = calloc(info->code_instrs, sizeof(*program->lanes));
   program->ways = calloc(info->code_instrs, sizeof(*program->ways));
   if (!program->decides || !program->lanes || !program->ways)
      return false;
   for (uint32_t i = 0; i < info->code_instrs; i++) {
      struct cf_instr instr;
      const char *error;
      program->decides[i] = cf_instr_decode(code[i], &instr, &error) &&
                            cf_op_info(instr.op)->form == CF_FORM_FLOW;
   }
   program->stage = info->stage;
   program->instrs = info->code_instrs; /* last: now it may be counted */
   return true;
}

/* The program at a descriptor, if it is the one that was noted there and can be counted. With the
 * lock. */
static struct cf_covered_program *
program_at(struct cf_coverage *coverage, const struct cf_memory *memory, uint64_t descriptor)
{
   struct cf_found_program found;
   struct noted_program *noted = find_noted(coverage, descriptor);
   if (!noted || !cf_program_find(memory, descriptor, &found))
      return NULL;
   if (noted->program->instrs == 0 && !coverage->lost) {
      if (begin_program(noted->program, &found.info, found.code))
         noted->code_hash = found.hash;
      else
         coverage->lost = true;
   }
   return noted->program->instrs && noted->code_hash == found.hash ? noted->program : NULL;
}

static void
add_draw(struct cf_coverage *coverage, uint64_t packet)
{
   const uint32_t number = coverage->draws, block = number / BLOCK_DRAWS;
   if (block >= BLOCKS)
      return;
   if (!coverage->block[block])
      coverage->block[block] = malloc(BLOCK_DRAWS * sizeof(**coverage->block));
   if (!coverage->block[block]) {
      coverage->lost = true;
      return;
   }
   struct covered_draw *draw = &coverage->block[block][number % BLOCK_DRAWS];
   draw->packet = packet;
   memcpy(draw->program, coverage->bound, sizeof(draw->program));
   atomic_store_explicit(&coverage->draws, number + 1, memory_order_release);
}

static void
take_packet(void *user, const struct cf_packet_event *event)
{
   struct cf_coverage *coverage = user;
   struct cf_shader shader;
   const char *bad;
   const uint32_t opcode = event->dw[0] & 0xff;
   if (opcode == CF_OPCODE_DRAW)
      add_draw(coverage, event->address);
   if (opcode != CF_OPCODE_SHADER || !cf_shader_unpack(event->dw, &shader, &bad))
      return;
   pthread_mutex_lock(&coverage->lock);
   coverage->bound[shader.stage] = program_at(coverage, event->memory, shader.program);
   pthread_mutex_unlock(&coverage->lock);
}

static void
begin_submission(void *user, const struct cf_submission_event *event)
{
   struct cf_coverage *coverage = user;
   (void)event;
   memset(coverage->bound, 0, sizeof(coverage->bound));
   atomic_store(&coverage->draws, 0);
}

/* ------------------------------------------------------------------ tasks */

/* The draw of a task; NULL: it is not in the table. */
static const struct covered_draw *
find_draw(const struct cf_coverage *coverage, uint64_t packet)
{
   uint32_t low = 0, high = atomic_load_explicit(&coverage->draws, memory_order_acquire);
   while (low < high) {
      const uint32_t middle = (low + high) / 2;
      const struct covered_draw *draw =
         &coverage->block[middle / BLOCK_DRAWS][middle % BLOCK_DRAWS];
      if (draw->packet == packet)
         return draw;
      if (draw->packet < packet)
         low = middle + 1;
      else
         high = middle;
   }
   return NULL;
}

static void
add(uint64_t *count, uint32_t lanes)
{
   if (lanes)
      __atomic_fetch_add(count, (uint64_t)__builtin_popcount(lanes), __ATOMIC_RELAXED);
}

static void
take_instruction(void *user, const struct cf_task_event *task)
{
   const struct covered_draw *draw = find_draw(user, task->draw);
   const uint32_t at = cf_run_at(task->run);
   const uint32_t lanes = task->lanes & task->run->exec & task->run->alive;
   struct cf_covered_program *program = draw ? draw->program[cf_task_stage(task)] : NULL;
   if (!program || at >= program->instrs)
      return;
   add(&program->lanes[at], lanes);
   if (!program->decides[at])
      return;
   const uint32_t *condition = cf_run_operand(task->run, 0);
   uint32_t true_lanes = 0;
   for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++)
      true_lanes |= (uint32_t)(condition[lane] != 0) << lane;
   add(&program->ways[at][0], lanes & true_lanes);
   add(&program->ways[at][1], lanes & ~true_lanes);
}

/* ------------------------------------------------------------------ open and close */

/* Counts that are wrong are not written. */
static bool
write_counts(const struct cf_coverage *coverage)
{
   if (!coverage->lost)
      return cf_covered_write(coverage->programs, coverage->folder);
   errno = ENOMEM;
   return false;
}

/* Write, once. */
static void
end(struct cf_live *live)
{
   struct cf_coverage *coverage = (struct cf_coverage *)live;
   pthread_mutex_lock(&coverage->lock);
   if (!write_counts(coverage))
      fprintf(stderr, "clipfree: coverage %s: %s; there is none of this run\n", coverage->folder,
              strerror(errno));
   pthread_mutex_unlock(&coverage->lock);
}

/* False: errno says why. */
static bool
is_folder(const char *path)
{
   struct stat status;
   if (stat(path, &status) != 0)
      return false;
   errno = ENOTDIR;
   return S_ISDIR(status.st_mode);
}

struct cf_coverage *
cf_coverage_open(const char *folder)
{
   struct cf_coverage *coverage = calloc(1, sizeof(*coverage));
   if (!coverage)
      return NULL;
   if (mkdir(folder, 0777) != 0 && errno != EEXIST)
      goto fail;
   coverage->folder = realpath(folder, NULL);
   if (!coverage->folder || !is_folder(coverage->folder) ||
       access(coverage->folder, W_OK | X_OK) != 0)
      goto fail;
   pthread_mutex_init(&coverage->lock, NULL);
   coverage->observer = (struct cf_observer){ .user = coverage,
                                              .submission_begin = begin_submission,
                                              .packet = take_packet,
                                              .instruction = take_instruction,
                                              .note = take_note };
   cf_live_add(&coverage->live, end);
   return coverage;
fail:;
   const int error = errno;
   free(coverage->folder);
   free(coverage);
   errno = error;
   return NULL;
}

const struct cf_observer *
cf_coverage_observer(const struct cf_coverage *coverage)
{
   return &coverage->observer;
}

void
cf_coverage_close(struct cf_coverage *coverage)
{
   if (!coverage)
      return;
   if (cf_live_remove(&coverage->live))
      end(&coverage->live);
   for (struct cf_covered_program *program = coverage->programs, *next; program; program = next) {
      next = program->next;
      free(program->note);
      free(program->decides);
      free(program->lanes);
      free(program->ways);
      free(program);
   }
   for (uint32_t i = 0; i < BLOCKS; i++)
      free(coverage->block[i]);
   pthread_mutex_destroy(&coverage->lock);
   free(coverage->noted);
   free(coverage->folder);
   free(coverage);
}
