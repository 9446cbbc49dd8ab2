/* SPDX-License-Identifier: MIT */
/*
 * Passes over programs.
 */
#include <stdlib.h>
#include <string.h>

#include "clipfree/interface/cf_limits.h"

#include "reduce_code.h"
#include "reduce_pass.h"
#include "reduce_programs.h"

#define ONE 0x3f800000 /* 1.0 */

enum { CONSTANT, STRAIGHT };

struct program_edits {
   uint32_t submission;
   uint64_t address; /* of the program's descriptor */
   struct cf_program info;
   struct reduce_code code;
   /* what is tried */
   int kind;
   uint32_t constant;
   enum reduce_branch branch;
   uint32_t *number; /* instructions that may be left out */
};

/* Load a program. False: there is none, or it is malformed. */
static bool
load(const struct reduce_case *c, struct program_edits *subject)
{
   uint32_t dw[CF_PROGRAM_DWORDS];
   const char *bad_field;
   subject->code = (struct reduce_code){ 0 };
   if (!reduce_case_read(c, subject->submission, subject->address, dw, sizeof(dw)) ||
       !cf_program_unpack(dw, &subject->info, &bad_field) ||
       8 * (uint64_t)subject->info.code_instrs > c->end)
      return false;
   uint64_t *words = reduce_allocate(8 * (size_t)subject->info.code_instrs);
   const bool ok = reduce_case_read(c, subject->submission, subject->info.code, words,
                                    8 * (uint64_t)subject->info.code_instrs) &&
                   reduce_code_decode(words, subject->info.code_instrs, &subject->code);
   free(words);
   return ok;
}

/* Write a program where it was, or if it is longer than that, elsewhere. */
static void
store(struct reduce_case *c, const struct program_edits *subject, const struct reduce_code *code)
{
   struct cf_program info = subject->info;
   const uint32_t room = info.code_instrs > code->count ? info.code_instrs : code->count;
   uint64_t *words = reduce_allocate(8 * (size_t)room);
   uint32_t dw[CF_PROGRAM_DWORDS];
   if (code->count > info.code_instrs)
      info.code = reduce_case_allocate(c, 8 * (uint64_t)code->count);
   if (reduce_code_encode(code, words)) {
      info.code_instrs = code->count;
      reduce_case_write(c, subject->submission, info.code, words, 8 * (uint64_t)room);
      cf_program_pack(dw, &info);
      reduce_case_write(c, subject->submission, subject->address, dw, sizeof(dw));
      reduce_case_drop_lines(c, subject->submission, subject->address);
   }
   free(words);
}

static void
apply_program(struct reduce_case *candidate, const bool *keep, void *user)
{
   const struct program_edits *subject = user;
   struct reduce_code code = reduce_code_copy(&subject->code);
   bool *kept = reduce_allocate(code.count);
   for (uint32_t i = 0, n = 0; i < code.count; i++) {
      kept[i] = subject->number[n] != i || keep[n];
      n += subject->number[n] == i;
   }
   if (subject->kind == CONSTANT)
      reduce_code_replace(&code, kept, subject->constant);
   else
      reduce_code_straighten(&code, kept, subject->branch);
   reduce_code_remove_dead(&code);
   store(candidate, subject, &code);
   reduce_code_free(&code);
   free(kept);
}

static bool
is_branch(const struct cf_instr *instr)
{
   return instr->op == CF_OP_IF || instr->op == CF_OP_LOOP;
}

/* One pass over a program as it is in the best case. */
static bool
run(struct reduce_trial *trial, struct program_edits *subject)
{
   bool (*may)(const struct cf_instr *instr) =
      subject->kind == CONSTANT ? reduce_code_is_work : is_branch;
   struct reduce_pass pass = {
      .step = "programs", .least = 1, .apply = apply_program, .user = subject
   };
   bool changed = false;
   if (load(trial->best, subject)) {
      subject->number = reduce_allocate((subject->code.count + 1) * sizeof(uint32_t));
      for (uint32_t i = 0; i < subject->code.count; i++) {
         if (may(&subject->code.instr[i]))
            subject->number[pass.count++] = i;
      }
      subject->number[pass.count] = UINT32_MAX;
      changed = reduce_pass_run(trial, &pass);
      free(subject->number);
   }
   reduce_code_free(&subject->code);
   return changed;
}

uint32_t
reduce_list_programs(const struct reduce_case *c, struct reduce_program **programs)
{
   uint32_t count = 0, capacity = 0;
   for (uint32_t s = 0; s < c->submissions; s++)
      capacity += c->submission[s].packets;
   *programs = reduce_allocate(capacity * sizeof(**programs));
   for (uint32_t s = 0; s < c->submissions; s++) {
      for (uint32_t i = 0; i < c->submission[s].packets; i++) {
         struct cf_shader shader;
         const char *bad_field;
         if (!cf_shader_unpack(c->submission[s].packet[i].dw, &shader, &bad_field))
            continue;
         uint32_t k = 0;
         while (k < count && (*programs)[k].address != shader.program)
            k++;
         if (k == count && shader.program)
            (*programs)[count++] = (struct reduce_program){ s, shader.program };
      }
   }
   return count;
}

/* All that is tried with a program. */
static bool
reduce_program(struct reduce_trial *trial, const struct reduce_program *program)
{
   static const struct {
      int kind;
      enum reduce_branch branch;
      uint32_t constant;
   } tries[] = {
      { STRAIGHT, REDUCE_THEN, 0 },
      { STRAIGHT, REDUCE_ELSE, 0 },
      { CONSTANT, REDUCE_THEN, 0 },
      { CONSTANT, REDUCE_THEN, ONE },
   };
   bool changed = false;
   for (uint32_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
      struct program_edits subject = { .submission = program->submission,
                                       .address = program->address,
                                       .kind = tries[i].kind,
                                       .branch = tries[i].branch,
                                       .constant = tries[i].constant };
      changed |= run(trial, &subject);
   }
   return changed;
}

bool
reduce_programs(struct reduce_trial *trial)
{
   struct reduce_program *programs;
   if (trial->for_gles)
      return false;
   const uint32_t count = reduce_list_programs(trial->best, &programs);
   bool changed = false;
   for (uint32_t i = 0; i < count && !trial->stopped; i++)
      changed |= reduce_program(trial, &programs[i]);
   free(programs);
   return changed;
}
