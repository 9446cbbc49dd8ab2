/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: what is known at a place in the code, of general registers and of what lies
 * on the stack; and accesses of memory, which are checked and change that.
 */
#ifndef CF_PROOF_STATE_H
#define CF_PROOF_STATE_H

#include "clipfree/jit/proof/cf_proof_insn.h"
#include "clipfree/jit/proof/cf_proof_value.h"

/* Of more, what is known is forgotten. */
#define CF_PROOF_SLOTS 1024

/* What was stored on the stack: of eight bytes any value, of others numbers below 2^32 - 1. */
struct cf_proof_slot {
   int64_t at; /* relative to `base` */
   uint32_t base, size_B;
   struct cf_proof_value value;
};

struct cf_proof_state {
   unsigned visits; /* of a block that begins so */
   struct cf_proof_value reg[CF_PROOF_GPRS];
   uint8_t low[CF_PROOF_GPRS];                     /* upper bound of a register's low byte */
   struct cf_proof_value vector[CF_PROOF_VECTORS]; /* each of its dwords, without a sign */
   /* the stack pointer was aligned here, relative to CF_PROOF_STACK; 0: not yet */
   int64_t aligned_at;
   /* what flags were set by: a comparison of a register, as long as both are unchanged */
   struct {
      bool valid;
      uint8_t reg, width_B;
      struct cf_proof_value with;
   } compared;
   unsigned count;
   struct cf_proof_slot slot[CF_PROOF_SLOTS];
};

/* What does not change. */
struct cf_proof_task {
   const struct cf_proof_code *code;
   const struct cf_proof_map *map;
};

/** What is known where the function is called. */
void cf_proof_begin(struct cf_proof_state *state, const struct cf_proof_code *code);

/** Bytes of a state that are used: of what is copied, and of a state that is only joined with
 * others. */
static inline size_t
cf_proof_state_B(const struct cf_proof_state *state)
{
   return offsetof(struct cf_proof_state, slot) + state->count * sizeof(state->slot[0]);
}

/** Forget what `from` does not know as well. `widen`: and bounds that it goes beyond. Returns
 * whether something was forgotten; false in `fine`: the stack differs. */
bool cf_proof_join(const struct cf_proof_task *task, struct cf_proof_state *to,
                   const struct cf_proof_state *from, bool widen, bool *fine);

/** One of two values. */
struct cf_proof_value cf_proof_either(const struct cf_proof_task *task, struct cf_proof_value a,
                                      struct cf_proof_value b);

/** Why so many bytes at an address may not be accessed as `how` (CF_MEM_*). NULL: they may. */
const char *cf_proof_access(const struct cf_proof_task *task, struct cf_proof_value at,
                            unsigned size_B, unsigned how);

/** What a general register gets that is loaded from there: `size_B` bytes, without a sign. */
struct cf_proof_value cf_proof_loaded(const struct cf_proof_task *task,
                                      const struct cf_proof_state *state, struct cf_proof_value at,
                                      unsigned size_B);

/** Bytes were stored there, of a register that held `value`, or of any. */
void cf_proof_stored(struct cf_proof_state *state, struct cf_proof_value at, unsigned size_B,
                     struct cf_proof_value value);

/** What lies below the stack pointer is lost in a call. */
void cf_proof_forget_below(struct cf_proof_state *state, struct cf_proof_value stack_pointer);

/** The dwords of a vector that is loaded from there, or of one that is broadcast. */
struct cf_proof_value cf_proof_loaded_dwords(const struct cf_proof_task *task,
                                             const struct cf_proof_state *state,
                                             struct cf_proof_value at, unsigned size_B);

/** Elements of 1 or 2 bytes that are loaded from there, each made a dword, of its sign or not. */
struct cf_proof_value cf_proof_loaded_elements(const struct cf_proof_task *task,
                                               struct cf_proof_value at, unsigned size_B,
                                               unsigned element_B, bool sign);

/** The stack pointer is relative to the entry again: the aligned frame is no more, nor what points
 * to it. */
void cf_proof_leave_frame(struct cf_proof_state *state);

/** Give a register a value. */
void cf_proof_set(struct cf_proof_state *state, unsigned reg, struct cf_proof_value value);

#endif
