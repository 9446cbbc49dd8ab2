/* SPDX-License-Identifier: MIT */
/* What is asked of each result, and kept of each instruction: loops over lanes, at the host's
 * vector level. */
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include <string.h>

#include "clipfree/arith/cf_fp.h"
#include "clipfree/base/cf_for.h"
#include "clipfree/sanitize/cf_sane.h"
#include "clipfree/sanitize/cf_sane_lanes.h"
#include "clipfree/shader/cf_run.h"

#ifdef __AVX512F__
/* Two comparisons; the loop below would add up what they find, which takes longer. */
static bool
has_larger(const uint32_t row[CF_TASK_LANES], uint32_t most)
{
   const __m512i magnitude = _mm512_set1_epi32(0x7fffffff), limit = _mm512_set1_epi32((int)most);
   const __m512i low = _mm512_and_epi32(_mm512_loadu_si512(row), magnitude),
                 high = _mm512_and_epi32(_mm512_loadu_si512(row + 16), magnitude);
   return _mm512_cmpgt_epu32_mask(low, limit) | _mm512_cmpgt_epu32_mask(high, limit);
}
#else
static bool
has_larger(const uint32_t row[CF_TASK_LANES], uint32_t most)
{
   uint32_t found = 0;
   CF_FOR_LANES(lane)
      found |= (row[lane] & 0x7fffffff) > most;
   return found;
}
#endif

/* Whether some result of the instruction before is not finite, or outside of its range. */
static bool
has_suspect(const struct sane_thread *t, const struct cf_task *task)
{
   const uint32_t rows = t->flags & (SANE_FLOAT | SANE_RANGE) ? t->known->rows : 0,
                  most = cf_bits(t->known->most);
   for (uint32_t k = 0; rows >> k; k++) {
      if (rows >> k & 1 && has_larger(sane_result_row(t->instr, task, k), most))
         return true;
   }
   return false;
}

/* Keep the operands that the instruction may overwrite. */
static void
save_operands(struct sane_thread *t, const struct cf_run *run)
{
   CF_FOR_BITS(k, t->known->overwritten)
      memcpy(t->saved[k], cf_run_operand(run, k), sizeof(t->saved[k]));
}

static void
instruction(void *user, const struct cf_task_event *event)
{
   struct sane_thread *t = *event->kept;
   const struct cf_run *run = event->run;
   const uint32_t at = cf_run_at(run);
   if (!t || at >= t->program->info.code_instrs)
      return;
   const bool suspect = t->instr && has_suspect(t, run->task);
   if (t->any || suspect || (t->instr && t->instr->op == CF_OP_TEX))
      sane_settle(t, suspect);
   t->at = at;
   t->instr = &t->program->code[at];
   t->known = &t->program->instr[at];
   t->flags = t->known->flags;
   t->exec = run->exec;
   t->has_result_tag = false;
   if (!t->flags && !t->any)
      return;
   t->lanes = event->lanes & run->alive;
   save_operands(t, run);
   if (t->any || t->flags & ~(SANE_FLOAT | SANE_RANGE))
      sane_look(t, event);
}

const struct cf_sane_ops CF_LANES(cf_sane_ops) = {
   .instruction = instruction,
   .has_larger = has_larger,
};
