/* SPDX-License-Identifier: MIT */
/* A slow model of paper C's vertex shader, which goes cycle by cycle through its stages. */
#ifndef CF_SIM_TEST_VERTICES_H
#define CF_SIM_TEST_VERTICES_H

#include "clipfree/timing/cf_sim_vertices.h"

#define MAX_CODE 400
#define MAX_VERTICES 12
#define MAX_RUN 4000      /* instructions of all vertices */
#define MAX_CYCLES 100000 /* that these take */

/* An instruction that is run, of all vertices in order. */
struct step {
   const struct cf_sim_simd_instr *instr; /* NULL: control flow */
   uint32_t vertex, condition;            /* a register */
   bool first, last, jumps, has_condition;
};

struct slow_run {
   uint64_t end;                                        /* cycles */
   uint64_t cycles[CF_SIM_VERTICES_PARTS][CF_SIM_WHYS]; /* of fetch those of BUSY and FULL alone */
};

/** Run steps of up to MAX_VERTICES vertices of two attributes. The answer holds until the next
 * call. */
const struct slow_run *run_slow(const struct cf_sim_machine *machine, const struct step *step,
                                uint32_t steps);

#endif
