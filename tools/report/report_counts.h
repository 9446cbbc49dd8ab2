/* SPDX-License-Identifier: MIT */
/*
 * What is counted, of a draw, a frame or a program. All are numbers of 64 bits, so that counts are
 * added member by member; report_counts_table names them, docs/report.md explains them.
 */
#ifndef REPORT_COUNTS_H
#define REPORT_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clipfree/interface/cf_observer.h"

/* Tasks of a stage. A slot is a lane in an instruction that its task runs:
 * 32 instructions = live + helper + killed + branched + empty. */
struct report_stage {
   uint64_t tasks;
   uint64_t lanes;        /* vertices, or fragments: pixels of a primitive */
   uint64_t instructions; /* that tasks run, of 32 lanes each */
   uint64_t live;         /* slots that work for a vertex or a fragment */
   uint64_t helper;       /* of pixels that are there for the differences in their quad alone */
   uint64_t killed;       /* of fragments after their discard */
   uint64_t branched;     /* of lanes that wait while others take a branch */
   uint64_t empty;        /* of lanes without vertex or pixel */
   uint64_t divergent;    /* instructions with a branched slot */
   uint64_t fetches;      /* texture samples by live lanes */
   uint64_t texels;       /* that they read */
   uint64_t scattered;    /* fetches far from those of the pixels beside */
   uint64_t scratch;      /* loads from and stores to scratch by live lanes */
};

struct report_counts {
   struct report_stage vertex, fragment;
   uint64_t primitives, set_up, drops[CF_DROPS];
   uint64_t fed; /* primitives that transform feedback writes */
   uint64_t blocks, hiz[CF_HIZ_FATES];
   uint64_t quads;
   uint64_t covered;         /* samples, that the sample mask leaves */
   uint64_t fates[CF_FATES]; /* of covered samples */
   /* Quads of which depth or stencil test reject every fragment; their fragments; their slots */
   uint64_t hidden_quads, hidden_fragments, hidden_slots;
};

struct report_count_name {
   const char *group, *name; /* group NULL: none */
   size_t offset;
};

extern const struct report_count_name report_counts_table[];
extern const size_t report_counts_count;

/** The names of a stage's counts alone, offsets from its start. */
extern const struct report_count_name report_stage_table[];
extern const size_t report_stage_count;

void report_stage_add(struct report_stage *sum, const struct report_stage *stage);
void report_counts_add(struct report_counts *sum, const struct report_counts *counts);

/** Slots that programs occupy on the normal path. `early`: it leaves hidden quads out. */
uint64_t report_cost(const struct report_counts *counts, bool early);

#endif
