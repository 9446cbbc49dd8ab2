/* SPDX-License-Identifier: MIT */
#include "debug_fault.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *
debug_fault_name(enum debug_fault_kind kind)
{
   static const char *const names[DEBUG_FAULTS] = { "nan", "inf", "zero", "index" };
   return names[kind];
}

const char *
debug_fault_title(enum debug_fault_kind kind)
{
   static const char *const titles[DEBUG_FAULTS] = { "NaN is born", "Infinity is born",
                                                     "Division by zero", "Index out of range" };
   return titles[kind];
}

static float
float_of(uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof(value));
   return value;
}

/* ------------------------------------------------------------------ operands */

/* Of an instruction before it runs, in a lane. */
struct operands {
   const struct cf_instr *instr;
   uint32_t bits[4];
   bool nan, inf; /* a float operand is one */
};

static struct operands
read_operands(const struct cf_run *run, const struct cf_instr *instr, uint32_t lane)
{
   const struct cf_op_info *op = &cf_ops[instr->op];
   struct operands o = { .instr = instr };
   for (uint32_t i = 0; i < op->sources; i++) {
      o.bits[i] = cf_run_operand(run, i)[lane];
      if (op->alu && op->types[i + 1] == 'f') {
         o.nan |= isnan(float_of(o.bits[i]));
         o.inf |= isinf(float_of(o.bits[i])) != 0;
      }
   }
   return o;
}

/* ------------------------------------------------------------------ before it runs */

static bool
divides_by_zero(const struct operands *o)
{
   switch (o->instr->op) {
   case CF_OP_FDIV:
      return float_of(o->bits[1]) == 0;
   case CF_OP_FRCP:
   case CF_OP_FRSQ:
      return float_of(o->bits[0]) == 0;
   case CF_OP_UDIV:
   case CF_OP_UMOD:
   case CF_OP_IDIV:
   case CF_OP_IREM:
   case CF_OP_IMOD:
      return o->bits[1] == 0;
   default:
      return false;
   }
}

/* The uniform array that a load with an index belongs to: the one its constant offset lies in. */
static const struct debug_variable *
array_of(const struct debug_program *program, uint32_t offset)
{
   for (uint32_t i = 0; i < program->variables; i++) {
      const struct debug_variable *v = &program->variable[i];
      if (v->field == CF_NOTE_UNIFORM && v->is.scalar != CF_NOTE_SAMPLER &&
          offset - v->is.place < v->is.elements * v->is.columns * v->is.stride_dw)
         return v;
   }
   return NULL;
}

/* Whether a load or store with an index leaves its array. Constant addresses are the compiler's
 * own. */
static bool
leaves_array(const struct debug_task *task, const struct debug_program *program,
             const struct operands *o, char *text, size_t text_B)
{
   const struct cf_instr *instr = o->instr;
   const uint32_t dword = o->bits[0] + instr->offset;
   if (instr->src[0].kind == CF_KIND_INLINE)
      return false;
   if (instr->op == CF_OP_LDU) {
      const struct debug_variable *v = instr->bank == 0 ? array_of(program, instr->offset) : NULL;
      const uint32_t size = v ? v->is.elements * v->is.columns * v->is.stride_dw
                              : task->stage->constants[instr->bank].dwords;
      const int32_t at = (int32_t)(dword - (v ? v->is.place : 0));
      snprintf(text, text_B, "dword %" PRId32 " of %s, which has %" PRIu32, at,
               v ? v->word : "the uniforms", size);
      return (uint32_t)at >= size;
   }
   if (instr->op != CF_OP_LDS && instr->op != CF_OP_STS)
      return false;
   snprintf(text, text_B, "dword %" PRId32 " of the scratch, which has %" PRIu32, (int32_t)dword,
            task->program->info.scratch_dwords);
   return dword >= task->program->info.scratch_dwords;
}

static bool
find_before(const struct debug_task *task, const struct debug_program *program,
            const struct operands *o, uint32_t kinds, struct debug_fault *fault)
{
   char text[128];
   if (kinds >> DEBUG_ZERO & 1 && divides_by_zero(o)) {
      fault->kind = DEBUG_ZERO;
      snprintf(fault->text, sizeof(fault->text), "division by zero: %s", cf_ops[o->instr->op].name);
      return true;
   }
   if (kinds >> DEBUG_INDEX & 1 && leaves_array(task, program, o, text, sizeof(text))) {
      fault->kind = DEBUG_INDEX;
      snprintf(fault->text, sizeof(fault->text), "index out of range: %s", text);
      return true;
   }
   return false;
}

/* ------------------------------------------------------------------ after it ran */

/* "fdiv of 0 and 0" */
static void
set_text(struct debug_fault *fault, const char *what, const struct operands *o)
{
   const struct cf_op_info *op = &cf_ops[o->instr->op];
   int length = snprintf(fault->text, sizeof(fault->text), "%s: %s of", what, op->name);
   for (uint32_t i = 0; i < op->sources; i++)
      length += snprintf(fault->text + length, sizeof(fault->text) - (size_t)length, "%s %.9g",
                         i ? " and" : "", (double)float_of(o->bits[i]));
}

static bool
find_after(const struct operands *o, uint32_t result, uint32_t kinds, struct debug_fault *fault)
{
   const struct cf_op_info *op = &cf_ops[o->instr->op];
   const float value = float_of(result);
   if (!op->alu || op->types[0] != 'f' || o->nan)
      return false;
   const bool nan = isnan(value), inf = isinf(value) && !o->inf;
   if (nan && kinds >> DEBUG_NAN & 1) {
      fault->kind = DEBUG_NAN;
      set_text(fault, "NaN is born", o);
      return true;
   }
   if (inf && kinds >> DEBUG_INF & 1) {
      fault->kind = DEBUG_INF;
      set_text(fault, "infinity is born", o);
      return true;
   }
   return false;
}

bool
debug_fault_find(struct debug_task *task, const struct debug_program *program, uint32_t at,
                 uint32_t lanes, uint32_t kinds, struct debug_fault *fault)
{
   struct operands operands[CF_TASK_LANES];
   const uint32_t pc = task->step[at].pc;
   const struct cf_instr *instr = &task->program->instrs[pc];
   bool found = false;
   lanes &= task->step[at].exec;
   debug_task_seek(task, at);
   for (uint32_t lane = 0; lane < CF_TASK_LANES && !found; lane++) {
      fault->lane = lane;
      if (!(lanes >> lane & 1))
         continue;
      operands[lane] = read_operands(&task->now->run, instr, lane);
      found = find_before(task, program, &operands[lane], kinds, fault);
   }
   debug_task_seek(task, at + 1);
   for (uint32_t lane = 0; lane < CF_TASK_LANES && !found && cf_ops[instr->op].has_dst; lane++) {
      fault->lane = lane;
      found = lanes >> lane & 1 &&
              find_after(&operands[lane], debug_task_result(task, pc, 0)[lane], kinds, fault);
   }
   return found;
}
