/* SPDX-License-Identifier: MIT */
/*
 * Passes over memory.
 */
#include <stdlib.h>
#include <string.h>

#include "look/look_pages.h"

#include "reduce_pass.h"

#define LINE_B 64
#define MOST_PARTS 512 /* into which memory is cut */
#define MOST_CONSTANTS_B 4096

/* ------------------------------------------------------------------ what packets name */

/* Mark the pages that packets name. False: the case cannot be run. */
static bool
find_named(struct reduce_trial *trial, struct look_pages *pages)
{
   char error[CF_CAPTURE_ERROR_B];
   struct look_submission submission;
   struct look_player *player = reduce_play_best(trial, error, sizeof(error));
   if (!player || !look_pages_begin(pages, player))
      return false;
   while (look_player_next(player, &submission, error, sizeof(error)) > 0) {
      look_pages_note(pages, player, &submission);
      look_player_run(player, &submission);
      look_pages_note(pages, player, &submission);
   }
   look_player_close(player);
   return true;
}

bool
reduce_unnamed_memory(struct reduce_trial *trial)
{
   struct look_pages pages = { 0 };
   uint64_t last = 1;
   if (trial->stopped || trial->verdict == REDUCE_CRASHED || !find_named(trial, &pages))
      return false;
   struct reduce_case *c = reduce_case_copy(trial->best);
   for (uint32_t s = 0; s < c->submissions; s++) {
      for (uint32_t i = c->submission[s].pages; i-- > 0;) {
         const uint64_t number = c->submission[s].page[i].number;
         if (!look_page_is_named(&pages, number * REDUCE_PAGE_B))
            reduce_case_set_page(c, s, number, NULL);
      }
   }
   for (uint64_t number = 1; number < c->end / REDUCE_PAGE_B; number++)
      last = look_page_is_named(&pages, number * REDUCE_PAGE_B) ? number : last;
   c->end = (last + 1) * REDUCE_PAGE_B;
   look_pages_end(&pages);
   reduce_trial_step(trial, "memory");
   return reduce_try(trial, c);
}

/* ------------------------------------------------------------------ parts of memory */

/* A part of memory that may become zero; a whole page before a later submission is left out. */
struct memory_part {
   uint32_t submission;
   uint64_t address;
};

struct parts {
   struct memory_part *part;
   uint32_t count, capacity, size_B;
};

static void
add_part(struct parts *parts, uint32_t submission, uint64_t address)
{
   if (parts->count == parts->capacity) {
      struct memory_part *old = parts->part;
      parts->capacity = 2 * parts->capacity + 64;
      parts->part = reduce_allocate(parts->capacity * sizeof(*parts->part));
      if (parts->count)
         memcpy(parts->part, old, parts->count * sizeof(*old));
      free(old);
   }
   parts->part[parts->count++] = (struct memory_part){ submission, address };
}

static void
apply_parts(struct reduce_case *candidate, const bool *keep, void *user)
{
   static const uint8_t zeros[LINE_B];
   const struct parts *parts = user;
   for (uint32_t i = 0; i < parts->count; i++) {
      const struct memory_part *part = &parts->part[i];
      if (!keep[i] && parts->size_B == REDUCE_PAGE_B)
         reduce_case_set_page(candidate, part->submission, part->address / REDUCE_PAGE_B, NULL);
      else if (!keep[i])
         reduce_case_write(candidate, part->submission, part->address, zeros, parts->size_B);
   }
}

static bool
run_parts(struct reduce_trial *trial, const char *step, struct parts *parts)
{
   const struct reduce_pass pass = { .step = step,
                                     .count = parts->count,
                                     .least = parts->count / MOST_PARTS,
                                     .apply = apply_parts,
                                     .user = parts };
   const bool changed = reduce_pass_run(trial, &pass);
   free(parts->part);
   return changed;
}

static bool
is_zero(const uint8_t *data, uint32_t size_B)
{
   return !data[0] && !memcmp(data, data + 1, size_B - 1);
}

static bool
reduce_pages(struct reduce_trial *trial, uint32_t size_B)
{
   const struct reduce_case *c = trial->best;
   struct parts parts = { .size_B = size_B };
   for (uint32_t s = 0; s < c->submissions; s++) {
      for (uint32_t i = 0; i < c->submission[s].pages; i++) {
         const struct reduce_page *page = &c->submission[s].page[i];
         for (uint32_t at = 0; at < REDUCE_PAGE_B; at += size_B) {
            if (!is_zero(page->bytes->data + at, size_B) || (s > 0 && size_B == REDUCE_PAGE_B))
               add_part(&parts, s, page->number * REDUCE_PAGE_B + at);
         }
      }
   }
   return run_parts(trial, size_B == REDUCE_PAGE_B ? "pages" : "bytes", &parts);
}

static bool
reduce_constants(struct reduce_trial *trial)
{
   const struct reduce_case *c = trial->best;
   struct parts parts = { .size_B = 4 };
   for (uint32_t s = 0; s < c->submissions; s++) {
      for (uint32_t i = 0; i < c->submission[s].packets; i++) {
         const struct reduce_packet *packet = &c->submission[s].packet[i];
         struct cf_constants constants;
         const char *bad_field;
         if (reduce_opcode(packet) != CF_OPCODE_CONSTANTS ||
             !cf_constants_unpack(packet->dw, &constants, &bad_field) ||
             constants.size_B > MOST_CONSTANTS_B)
            continue;
         for (uint32_t at = 0; at + 4 <= constants.size_B; at += 4) {
            uint32_t dw;
            if (reduce_case_read(c, s, constants.address + at, &dw, 4) && dw)
               add_part(&parts, s, constants.address + at);
         }
      }
   }
   return run_parts(trial, "constants", &parts);
}

bool
reduce_memory(struct reduce_trial *trial)
{
   bool changed = reduce_unnamed_memory(trial);
   changed |= reduce_pages(trial, REDUCE_PAGE_B);
   changed |= reduce_pages(trial, LINE_B);
   changed |= reduce_constants(trial);
   return changed;
}
