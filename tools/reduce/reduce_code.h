/* SPDX-License-Identifier: MIT */
/*
 * Programs as instructions that are taken away, so that what remains is a program again: targets
 * match, and no register is read before it is written.
 */
#ifndef REDUCE_CODE_H
#define REDUCE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/isa/cf_isa.h"

struct reduce_code {
   struct cf_instr *instr;
   uint32_t count;
};

/** Decode; false: it is no program. Free it with reduce_code_free in any case. */
bool reduce_code_decode(const uint64_t *words, uint32_t count, struct reduce_code *code);
struct reduce_code reduce_code_copy(const struct reduce_code *code);
void reduce_code_free(struct reduce_code *code);

/** Encode to `words`, of code->count; false: an instruction is invalid. */
bool reduce_code_encode(const struct reduce_code *code, uint64_t *words);

/** Whether the instruction computes something that a constant may replace, or does something that
 * may be left out. */
bool reduce_code_is_work(const struct cf_instr *instr);

/** Replace work: results become `constant`, exports 0, the rest is left out. keep is by
 * instruction; what is no work remains. */
void reduce_code_replace(struct reduce_code *code, const bool *keep, uint32_t constant);

enum reduce_branch {
   REDUCE_THEN, /* as if all lanes took it; of loops, as if all left after the first time */
   REDUCE_ELSE, /* as if no lane did; loops remain */
};

/** Make the ifs and loops straight that are not kept, by the number of their instruction. */
void reduce_code_straighten(struct reduce_code *code, const bool *keep, enum reduce_branch branch);

/** Remove instructions whose results nothing reads. */
void reduce_code_remove_dead(struct reduce_code *code);

#endif
