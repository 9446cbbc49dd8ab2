/* SPDX-License-Identifier: MIT */
/*
 * Texture samples of tasks, as the simulated GPU runs them: eight quads a task in the order of
 * submission, each sample of the program for all quads before the next one.
 */
#ifndef CF_SIM_TEXELS_H
#define CF_SIM_TEXELS_H

#include "clipfree/timing/cf_sim_layout.h"
#include "clipfree/timing/cf_sim_order.h"

/* The lines that a sample of a quad touches, each once, in the order of its texels. */
struct cf_sim_sample_lines {
   uint32_t texels; /* read, with those of helper pixels */
   uint32_t pixels; /* samples of lanes: a bilinear filter has four texels of each */
   uint32_t lines, words;
   uint32_t line[4 * 8];
   uint32_t word[4 * 8]; /* the halves of lines that it touches: 2 line, 2 line + 1 */
};

/* A walk through the samples of a quad. */
struct cf_sim_samples {
   const struct cf_sim_layout *layout;
   const struct cf_sim_op *op;
   const uint32_t *dw, *end; /* the next record of its task; where the tile ends */
   const uint32_t *own;      /* the last sample with coordinates of its own */
   uint32_t quad;
};

/** A texel is read. */
void cf_sim_sample_lines_add(struct cf_sim_sample_lines *lines,
                             const struct cf_sim_placed_texture *texture, uint32_t level,
                             uint32_t layer, uint32_t x_px, uint32_t y_px);

/** A line is read. */
static inline void
cf_sim_sample_lines_add_line(struct cf_sim_sample_lines *lines, uint32_t line)
{
   for (uint32_t i = 0; i < lines->lines; i++) {
      if (lines->line[i] == line)
         return;
   }
   if (lines->lines < sizeof(lines->line) / sizeof(lines->line[0]))
      lines->line[lines->lines++] = line;
}

/** Half a line is read: word 2 line, or 2 line + 1. */
static inline void
cf_sim_sample_lines_add_word(struct cf_sim_sample_lines *lines, uint32_t word)
{
   for (uint32_t i = 0; i < lines->words; i++) {
      if (lines->word[i] == word)
         return;
   }
   if (lines->words == sizeof(lines->word) / sizeof(lines->word[0]))
      return;
   lines->word[lines->words++] = word;
   cf_sim_sample_lines_add_line(lines, word / 2);
}

/** Begin with a quad's first sample. */
struct cf_sim_samples cf_sim_samples_of(const struct cf_sim_layout *layout,
                                        const struct cf_sim_chunk *chunk,
                                        const struct cf_sim_item *item);

/** The next sample, without its words. False: there is none. */
bool cf_sim_samples_next(struct cf_sim_samples *samples, struct cf_sim_sample_lines *lines);

/** The next record of the quad, if it is a sample of instruction `at`. */
bool cf_sim_samples_at(struct cf_sim_samples *samples, uint32_t at,
                       struct cf_sim_sample_lines *lines);

/** The same: if it is a branch, the lanes of the quad that run it and those that take it; if it is
 * a reference, the dword of each lane. */
bool cf_sim_samples_branch(struct cf_sim_samples *samples, uint32_t at, uint32_t *lanes,
                           uint32_t *taken);
bool cf_sim_samples_reference(struct cf_sim_samples *samples, uint32_t at, uint32_t dword[4]);

#endif
