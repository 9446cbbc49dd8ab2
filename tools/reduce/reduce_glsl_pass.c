/* SPDX-License-Identifier: MIT */
/*
 * The pass over GLSL. A candidate is a program in C with simpler GLSL; what it draws on clipfree's
 * driver, as a capture, is tried in its place.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reduce_glsl.h"
#include "reduce_pass.h"
#include "reduce_programs.h"
#include "reduce_trip.h"

/* Edits of one kind of one text. */
struct glsl_edits {
   const char *source;
   struct reduce_glsl glsl;
   enum reduce_glsl_kind kind;
};

/* ------------------------------------------------------------------ texts */

struct reduce_sources
reduce_list_sources(const struct reduce_case *c)
{
   struct reduce_program *programs;
   const uint32_t count = reduce_list_programs(c, &programs);
   struct reduce_sources sources = { reduce_allocate((count + 1) * sizeof(char *)), 0 };
   for (uint32_t i = 0; i < count; i++) {
      char *text = reduce_case_source(c, programs[i].submission, programs[i].address);
      uint32_t k = 0;
      while (text && k < sources.count && strcmp(sources.text[k], text) != 0)
         k++;
      if (text && k == sources.count)
         sources.text[sources.count++] = text;
      else
         free(text);
   }
   free(programs);
   return sources;
}

void
reduce_free_sources(struct reduce_sources *sources)
{
   for (uint32_t i = 0; i < sources->count; i++)
      free(sources->text[i]);
   free(sources->text);
}

/* Replace a text in all programs that have it. */
static void
replace_source(struct reduce_case *c, const char *old, const char *new)
{
   struct reduce_program *programs;
   const uint32_t count = reduce_list_programs(c, &programs);
   for (uint32_t i = 0; i < count; i++) {
      char *text = reduce_case_source(c, programs[i].submission, programs[i].address);
      if (text && !strcmp(text, old))
         reduce_case_set_source(c, programs[i].submission, programs[i].address, new);
      free(text);
   }
   free(programs);
}

/* ------------------------------------------------------------------ the pass */

static void
apply_edits(struct reduce_case *candidate, const bool *keep, void *user)
{
   const struct glsl_edits *subject = user;
   char *text = reduce_glsl_without(&subject->glsl, subject->kind, keep);
   replace_source(candidate, subject->source, text);
   free(text);
}

static struct reduce_case *
draw_again(struct reduce_trial *trial, const struct reduce_case *candidate)
{
   char error[256];
   return reduce_trip(trial, candidate, error, sizeof(error));
}

/* Try the edits of a kind in text number `number` of the best case. */
static bool
run(struct reduce_trial *trial, uint32_t number, enum reduce_glsl_kind kind)
{
   struct reduce_sources sources = reduce_list_sources(trial->best);
   bool changed = false;
   if (number < sources.count) {
      struct glsl_edits subject = { sources.text[number], reduce_glsl_read(sources.text[number]),
                                    kind };
      changed = reduce_pass_run(
         trial, &(struct reduce_pass){ .step = "GLSL",
                                       .count = reduce_glsl_count(&subject.glsl, kind),
                                       .least = 1,
                                       .apply = apply_edits,
                                       .make = draw_again,
                                       .user = &subject });
      reduce_glsl_free(&subject.glsl);
   }
   reduce_free_sources(&sources);
   return changed;
}

/* The program of the best case holds, or does not: then the last case whose program did is best,
 * and remains so. */
static void
note_proof(struct reduce_trial *trial, bool holds, const char *why_not)
{
   if (holds) {
      if (trial->proved)
         reduce_case_free(trial->proved);
      trial->proved = reduce_case_copy(trial->best);
   } else if (trial->proved) {
      reduce_case_save(trial->proved, trial->file);
      reduce_adopt(trial, reduce_case_copy(trial->proved));
      trial->settled = true;
   } else {
      snprintf(trial->no_glsl, sizeof(trial->no_glsl), "%s", why_not);
   }
}

/* Whether what the program in C draws holds as it is. */
static bool
prove(struct reduce_trial *trial)
{
   char error[256];
   struct reduce_case *drawn = reduce_trip(trial, trial->best, error, sizeof(error));
   const bool holds = drawn && reduce_holds(trial, drawn);
   if (!trial->stopped)
      note_proof(trial, holds, drawn ? "the command fails for what the program in C draws" : error);
   if (drawn)
      reduce_case_free(drawn);
   return holds && !trial->stopped;
}

bool
reduce_glsl(struct reduce_trial *trial)
{
   if (!trial->for_gles || trial->no_glsl[0] || trial->stopped)
      return false;
   reduce_trial_step(trial, "GLSL");
   if (!prove(trial))
      return false;
   struct reduce_sources sources = reduce_list_sources(trial->best);
   bool changed = false;
   for (uint32_t i = sources.count; i-- > 0;) { /* fragment programs first: they read varyings */
      for (uint32_t kind = 0; kind < REDUCE_GLSL_KINDS; kind++)
         changed |= run(trial, i, (enum reduce_glsl_kind)kind);
   }
   reduce_free_sources(&sources);
   return changed;
}
