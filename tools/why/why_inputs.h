/* SPDX-License-Identifier: MIT */
/*
 * What a fragment's outputs were computed from: the uniforms, varyings and texture samples that
 * each output depends on, with their values in this very run. Dependence is that of data: the
 * registers of each instruction are followed while it runs. What only a branch looked at is not
 * counted.
 */
#ifndef WHY_INPUTS_H
#define WHY_INPUTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "clipfree/interface/cf_limits.h"
#include "clipfree/interface/cf_observer.h"

#include "why_origin.h"

#define WHY_UNIFORMS                                                                               \
   1024 /* dwords of constant bank 0 that are followed; later ones count as the last */
#define WHY_VARYING_WORDS ((CF_MAX_VARYING_DWORDS + 63) / 64) /* of a set: 64 bits each */
#define WHY_KILLED CF_MAX_COLOR_TARGETS /* index in why_shading.output: what `kill` looked at */
#define WHY_DEPTH (CF_MAX_COLOR_TARGETS + 1) /* the depth that the program writes */
#define WHY_BRANCHES (CF_MAX_COLOR_TARGETS + 2) /* what its branches looked at */
#define WHY_OUTPUTS (CF_MAX_COLOR_TARGETS + 3)

#define WHY_ENDLESS "endless" /* the fate, and the cause, of what the watchdog ended */

/* How a shading ended. */
enum why_end {
   WHY_END_DONE,
   WHY_END_ENDLESS,  /* the watchdog stopped it in a loop */
   WHY_END_WITH_TASK, /* another lane's loop did not end: the watchdog ended the whole task */
};

/* A set of inputs. */
struct why_inputs {
   uint64_t uniform[WHY_UNIFORMS / 64];
   uint64_t varying[WHY_VARYING_WORDS];
   uint32_t units;
};

/* A texture sample: the last one of its unit. */
struct why_sample {
   float coordinate[4];
   float rgba[4];
   uint32_t mask; /* components that it wrote */
   uint32_t at;   /* the instruction */
};

/* The shading of a watched pixel, or of a vertex. */
struct why_shading {
   uint64_t draw;
   uint32_t primitive, x_px, y_px; /* of a fragment */
   uint32_t lane;
   uint32_t kill_at; /* number of the instruction that killed it; UINT32_MAX: none did */
   enum why_end end;
   struct why_origin origin; /* of what is not finite */
   struct why_inputs output[WHY_OUTPUTS];
   uint32_t uniform[WHY_UNIFORMS]; /* values of those that were read */
   float varying[CF_MAX_VARYING_DWORDS];
   /* the first instruction that read it, + 1; 0: none did */
   uint32_t uniform_at[WHY_UNIFORMS], varying_at[CF_MAX_VARYING_DWORDS];
   struct why_sample sample[CF_MAX_TEXTURE_UNITS];
   /* while it runs: inputs of each register, of scratch as a whole, of the gradients */
   struct why_inputs vector[CF_MAX_VECTOR_REGS], scalar[CF_MAX_SCALAR_REGS], scratch, gradients;
   struct why_pending {
      enum { WHY_NOTHING, WHY_VARYING, WHY_SAMPLE } kind;
      uint32_t index, reg; /* of the varying or unit; first register of the result */
   } pending;              /* whose result the instruction before leaves in a register */
};

/** Begin to follow lane `lane` of a task. */
void why_shading_begin(struct why_shading *shading, const struct cf_task_event *task,
                       uint32_t lane);

/** Follow the instruction that comes next. */
void why_shading_instruction(struct why_shading *shading, const struct cf_task_event *task);

/** The task has ended. */
void why_shading_end(struct why_shading *shading, const struct cf_task_event *task);

/** Two outputs make one colour: `output` gets the inputs of `other` too. */
void why_shading_join(struct why_shading *shading, uint32_t output, uint32_t other);

/** Whether its branches looked at anything. */
bool why_shading_branched(const struct why_shading *shading);

/** The instruction that made what is not finite in an output; WHY_FINITE: it is finite. */
uint32_t why_shading_not_finite(const struct why_shading *shading, uint32_t output);

/** Inputs of an output (a colour target, WHY_KILLED, WHY_DEPTH or WHY_BRANCHES): {"uniforms":
 * [{"dword", "bits", "value"}], "varyings": [{"slot", "component", "value"}], "samples": [{"unit",
 * "coordinates", "result"}]}, each with the "instruction" that read it first, or of samples last.
 */
json_t *why_shading_json(const struct why_shading *shading, uint32_t output);

#endif
