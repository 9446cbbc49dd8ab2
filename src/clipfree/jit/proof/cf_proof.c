/* SPDX-License-Identifier: MIT */
/*
 * The proof: what is known is followed along all ways through the code, instruction by instruction,
 * until nothing new comes up (abstract interpretation). Where ways meet only what both know
 * remains. An instruction that could do what it may not, by what is known, is refused.
 */
#include "clipfree/jit/proof/cf_proof.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/jit/proof/cf_proof_step.h"

/* Visits of a loop's first block after which bounds that still move are given up: more than the
 * turns of short loops whose ends are known. */
#define EXACT_VISITS 12

struct proof {
   struct cf_proof_task task;
   struct cf_proof_insns insns;
   uint32_t *block_of; /* [count]: 1 + number of the block that begins at an instruction, or 0 */
   uint32_t *first;    /* [blocks + 1]: the first instruction of a block */
   struct cf_proof_state **in; /* [blocks]: what is known at its begin; NULL: not reached yet */
   bool *waits;                /* [blocks]: to be looked at again */
   unsigned blocks, next;      /* next: no block before it waits */
   struct cf_proof_verdict *verdict;
};

static bool
refuse(struct proof *p, const struct cf_proof_insn *insn, const char *wrong)
{
   p->verdict->wrong = wrong;
   p->verdict->at_B = insn->at_B;
   return false;
}

/* ---- blocks ---- */

static bool
ends_block(const struct cf_proof_insn *insn)
{
   return insn->op == CF_MC_JMP || insn->op == CF_MC_JCC || insn->op == CF_MC_RET;
}

static bool
find_blocks(struct proof *p)
{
   const unsigned count = p->insns.count;
   p->block_of = calloc(count + 1, sizeof(*p->block_of));
   p->first = malloc((count + 1) * sizeof(*p->first));
   if (!p->block_of || !p->first)
      return false;
   p->block_of[0] = 1;
   p->block_of[p->insns.number_at[p->task.code->entry_B - p->task.code->begin_B] - 1] = 1;
   for (unsigned i = 0; i < count; i++) {
      const struct cf_proof_insn *insn = &p->insns.insn[i];
      if (insn->op == CF_MC_JMP || insn->op == CF_MC_JCC)
         p->block_of[insn->target] = 1;
      if (ends_block(insn))
         p->block_of[i + 1] = 1;
   }
   for (unsigned i = 0; i < count; i++) {
      if (p->block_of[i]) {
         p->first[p->blocks++] = i;
         p->block_of[i] = p->blocks;
      }
   }
   p->first[p->blocks] = count;
   p->in = calloc(p->blocks, sizeof(*p->in));
   p->waits = calloc(p->blocks, sizeof(*p->waits));
   return p->in && p->waits;
}

/* ---- ways ---- */

static void
look_again(struct proof *p, unsigned block)
{
   p->waits[block] = true;
   p->next = block < p->next ? block : p->next;
}

/* Go on from a block to an instruction, which begins another, with what is known. Bounds that move
 * are given up where the way goes back: each loop has such a place. Elsewhere what the code itself
 * says of a bound holds, for example after a minimum. */
static bool
go_to(struct proof *p, unsigned from_block, unsigned number, const struct cf_proof_state *state)
{
   const struct cf_proof_insn *from = &p->insns.insn[p->first[from_block + 1] - 1];
   bool fine = true;
   if (number >= p->insns.count)
      return refuse(p, from, "code runs beyond its end");
   const unsigned block = p->block_of[number] - 1;
   if (!p->in[block]) {
      p->in[block] = malloc(cf_proof_state_B(state));
      if (!p->in[block])
         return refuse(p, from, "out of memory");
      memcpy(p->in[block], state, cf_proof_state_B(state));
      p->in[block]->visits = 0;
      p->in[block]->compared.valid = false;
      look_again(p, block);
   } else if (cf_proof_join(&p->task, p->in[block], state,
                            block <= from_block && p->in[block]->visits > EXACT_VISITS, &fine)) {
      look_again(p, block);
   }
   return fine || refuse(p, from, "ways meet with different stacks");
}

/* A way whose condition cannot hold for the numbers that are known is not followed. Where less is
 * known of them later, as in the next turn of a loop, the block is looked at again, and the way is
 * followed then. */
static bool
leave_block(struct proof *p, unsigned block, struct cf_proof_state *state)
{
   const unsigned last = p->first[block + 1] - 1;
   const struct cf_proof_insn *insn = &p->insns.insn[last];
   if (insn->op == CF_MC_RET)
      return true;
   if (insn->op == CF_MC_JMP)
      return go_to(p, block, insn->target, state);
   if (insn->op == CF_MC_JCC) {
      struct cf_proof_state taken;
      memcpy(&taken, state, cf_proof_state_B(state));
      if (cf_proof_learn(&taken, insn->condition, true) && !go_to(p, block, insn->target, &taken))
         return false;
      if (!cf_proof_learn(state, insn->condition, false))
         return true;
   }
   return go_to(p, block, last + 1, state);
}

static bool
look_at_block(struct proof *p, unsigned block)
{
   struct cf_proof_state state;
   memcpy(&state, p->in[block], cf_proof_state_B(p->in[block]));
   p->waits[block] = false;
   p->in[block]->visits++;
   for (unsigned i = p->first[block]; i < p->first[block + 1]; i++) {
      const char *wrong = cf_proof_step(&p->task, &state, &p->insns.insn[i]);
      if (wrong)
         return refuse(p, &p->insns.insn[i], wrong);
   }
   return leave_block(p, block, &state);
}

static bool
look_at_all(struct proof *p)
{
   const unsigned entry = p->insns.number_at[p->task.code->entry_B - p->task.code->begin_B] - 1;
   struct cf_proof_state begin;
   cf_proof_begin(&begin, p->task.code);
   bool fine = go_to(p, p->block_of[entry] - 1, entry, &begin);
   for (p->next = 0; fine && p->next < p->blocks;) {
      const unsigned block = p->next++;
      if (p->waits[block])
         fine = look_at_block(p, block);
   }
   return fine;
}

/* ---- the proof ---- */

static void
end(struct proof *p)
{
   for (unsigned i = 0; p->in && i < p->blocks; i++)
      free(p->in[i]);
   free(p->in);
   free(p->waits);
   free(p->first);
   free(p->block_of);
   cf_proof_insns_free(&p->insns);
}

struct cf_proof_verdict
cf_proof_check(const struct cf_proof_code *code, const struct cf_proof_map *map)
{
   struct cf_proof_verdict verdict = { .wrong = NULL, .at_B = code->entry_B };
   struct proof p = { .task = { .code = code, .map = map }, .verdict = &verdict };
   if (code->begin_B > code->entry_B || code->entry_B >= code->end_B ||
       code->end_B > code->memory_B || code->end_B - code->begin_B > CF_PROOF_MOST_B) {
      verdict.wrong = "code outside of its memory";
      return verdict;
   }
   if (cf_proof_decode(&p.insns, code, &verdict)) {
      if (!find_blocks(&p))
         verdict.wrong = "out of memory";
      else
         look_at_all(&p);
      end(&p);
   }
   return verdict;
}
