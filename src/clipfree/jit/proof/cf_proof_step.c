/* SPDX-License-Identifier: MIT */
#include "clipfree/jit/proof/cf_proof_step.h"

static const uint8_t argument_reg[CF_PROOF_ARGUMENTS] = {
   CF_PROOF_RDI, CF_PROOF_RSI, CF_PROOF_RDX, CF_PROOF_RCX, 8, 9
};

/* ---- addresses ---- */

static struct cf_proof_value
index_of(const struct cf_proof_state *state, const struct cf_proof_insn *insn)
{
   const struct cf_proof_value scale = cf_proof_constant(CF_PROOF_NUMBER, insn->scale);
   if (insn->index == CF_PROOF_NO_REG)
      return cf_proof_constant(CF_PROOF_NUMBER, 0);
   if (insn->vector_index) {
      const struct cf_proof_value dword = state->vector[insn->index];
      return dword.hi <= INT32_MAX ? cf_proof_multiply(dword, scale)
                                   : cf_proof_numbers((int64_t)INT32_MIN * insn->scale,
                                                      (int64_t)INT32_MAX * insn->scale, 1);
   }
   struct cf_proof_value index = state->reg[insn->index];
   if (insn->scale == 1)
      return index;
   if (!cf_proof_is_natural(index) && index.base == CF_PROOF_NUMBER && index.lo >= INT32_MIN &&
       index.hi <= INT32_MAX)
      return cf_proof_numbers(index.lo * insn->scale, index.hi * insn->scale,
                              insn->scale); /* of movsxd */
   return cf_proof_multiply(index, scale);
}

static struct cf_proof_value
address_of(const struct cf_proof_state *state, const struct cf_proof_insn *insn)
{
   const struct cf_proof_value disp = cf_proof_constant(CF_PROOF_NUMBER, insn->disp);
   if (insn->base == CF_PROOF_RIP)
      return cf_proof_constant(CF_PROOF_CODE, (int64_t)insn->at_B + insn->length_B + insn->disp);
   struct cf_proof_value base = insn->base == CF_PROOF_NO_REG
                                   ? cf_proof_constant(CF_PROOF_NUMBER, 0)
                                   : state->reg[insn->base];
   if (insn->base == insn->index && !insn->vector_index) /* the same register twice is a multiple */
      base = cf_proof_multiply(base, cf_proof_constant(CF_PROOF_NUMBER, insn->scale + 1));
   else
      base = cf_proof_add(base, index_of(state, insn));
   return cf_proof_add(base, disp);
}

/* cf_proof_access, and what is relative to the entry lies above the aligned frame. */
static const char *
check(const struct cf_proof_task *task, const struct cf_proof_state *state,
      struct cf_proof_value at, unsigned size_B, unsigned how)
{
   if (at.base == CF_PROOF_STACK && state->aligned_at && at.lo < state->aligned_at)
      return "an access below the aligned frame";
   if (at.base == CF_PROOF_FRAME && !state->aligned_at)
      return "an access of a frame that is none yet";
   return cf_proof_access(task, at, size_B, how);
}

/* ---- values ---- */

/* The last source: a register, memory or a constant. */
static struct cf_proof_value
source_of(const struct cf_proof_task *task, const struct cf_proof_state *state,
          const struct cf_proof_insn *insn)
{
   if (insn->src != CF_PROOF_NO_REG)
      return state->reg[insn->src];
   if (insn->memory & CF_MEM_READ && insn->dst != CF_PROOF_NO_REG)
      return cf_proof_loaded(task, state, address_of(state, insn), insn->access_B);
   return cf_proof_constant(CF_PROOF_NUMBER, insn->imm);
}

/* A shift. Of a count in a register nothing is known, but to the right a number whose sign bit is
 * clear gets no greater. Example: 15 shifted so is 0 .. 15. */
static struct cf_proof_value
shifted(const struct cf_proof_insn *insn, struct cf_proof_value left, struct cf_proof_value count)
{
   const bool by_register = insn->src != CF_PROOF_NO_REG,
              positive = cf_proof_is_natural(left) && (insn->width_B == 8 || left.hi <= INT32_MAX);
   if (by_register && insn->left != CF_PROOF_NO_REG && insn->op != CF_MC_SHL && positive)
      return cf_proof_numbers(0, left.hi, 1);
   if (by_register || count.lo < 0 || count.lo >= 8 * insn->width_B)
      return cf_proof_anything();
   switch (insn->op) {
   case CF_MC_SHL:
      return count.lo < 32 ? cf_proof_multiply(
                                left, cf_proof_constant(CF_PROOF_NUMBER, INT64_C(1) << count.lo))
                           : cf_proof_anything();
   case CF_MC_SHR:
      return cf_proof_shift_right(left, (unsigned)count.lo);
   default:
      return positive ? cf_proof_shift_right(left, (unsigned)count.lo) : cf_proof_anything();
   }
}

/* Of 32 bits, operations see numbers without a sign, and constants with it. */
static struct cf_proof_value
computed(const struct cf_proof_insn *insn, struct cf_proof_value left, struct cf_proof_value right,
         bool constant)
{
   if (insn->width_B == 4) {
      left = cf_proof_truncate(left, 4);
      if (!constant)
         right = cf_proof_truncate(right, 4);
      else if (insn->op == CF_MC_AND || insn->op == CF_MC_OR || insn->op == CF_MC_XOR)
         right = cf_proof_constant(CF_PROOF_NUMBER, (int64_t)(uint32_t)right.lo);
   }
   const bool itself = insn->src == insn->left && insn->src != CF_PROOF_NO_REG;
   switch (insn->op) {
   case CF_MC_ADD:
      return itself ? cf_proof_multiply(left, cf_proof_constant(CF_PROOF_NUMBER, 2))
                    : cf_proof_add(left, right);
   case CF_MC_SUB:
      return itself ? cf_proof_constant(CF_PROOF_NUMBER, 0) : cf_proof_subtract(left, right);
   case CF_MC_AND:
      return itself ? left : cf_proof_and(left, right);
   case CF_MC_XOR:
      return itself ? cf_proof_constant(CF_PROOF_NUMBER, 0) : cf_proof_xor(left, right);
   case CF_MC_OR:
      return itself ? left : cf_proof_or(left, right);
   case CF_MC_IMUL:
      return cf_proof_multiply(left, right);
   default:
      return shifted(insn, left, right);
   }
}

static struct cf_proof_value
operate(const struct cf_proof_task *task, const struct cf_proof_state *state,
        const struct cf_proof_insn *insn)
{
   struct cf_proof_value right = source_of(task, state, insn), left = right;
   if (insn->left != CF_PROOF_NO_REG)
      left = state->reg[insn->left];
   else if (insn->op == CF_MC_IMUL && insn->memory) /* memory times a constant */
      left = cf_proof_unsigned(insn->access_B),
      right = cf_proof_constant(CF_PROOF_NUMBER, insn->imm);
   if (insn->op == CF_MC_IMUL && insn->src == CF_PROOF_NO_REG && insn->left != CF_PROOF_NO_REG &&
       !insn->memory)
      right = cf_proof_constant(CF_PROOF_NUMBER, insn->imm);
   return computed(insn, left, right, insn->src == CF_PROOF_NO_REG && !insn->memory);
}

/* ---- comparisons ---- */

/* Numbers of a register between two bounds. False: it has none there. */
static bool
restrict_to(struct cf_proof_value *v, int64_t lo, int64_t hi)
{
   const int64_t least = v->lo > lo ? v->lo : lo, most = v->hi < hi ? v->hi : hi;
   if (least > most)
      return false;
   /* bounds stay on the steps; differences may be above INT64_MAX */
   const uint64_t step = v->step && v->lo != INT64_MIN ? v->step : 1;
   const uint64_t over = v->lo == INT64_MIN ? 0 : ((uint64_t)least - (uint64_t)v->lo) % step;
   const uint64_t up = over ? step - over : 0, room = (uint64_t)most - (uint64_t)least;
   if (up > room)
      return false;
   *v = cf_proof_numbers(least + (int64_t)up, most - (int64_t)((room - up) % step), (uint32_t)step);
   return true;
}

static enum cf_proof_condition
opposite(enum cf_proof_condition condition)
{
   switch (condition) {
   case CF_IF_BELOW:
      return CF_IF_NOT_BELOW;
   case CF_IF_NOT_BELOW:
      return CF_IF_BELOW;
   case CF_IF_ABOVE:
      return CF_IF_NOT_ABOVE;
   case CF_IF_NOT_ABOVE:
      return CF_IF_ABOVE;
   case CF_IF_EQUAL:
      return CF_IF_NOT_EQUAL;
   case CF_IF_NOT_EQUAL:
      return CF_IF_EQUAL;
   default:
      return CF_IF_UNKNOWN;
   }
}

/* What a register is if it compares so with a constant. Comparisons are without sign: what is below
 * a natural number is one. False: it cannot compare so. */
static bool
learned(struct cf_proof_value *v, int64_t with, enum cf_proof_condition condition, unsigned width_B)
{
   const bool narrow = width_B < 8 && !(cf_proof_is_natural(*v) && v->hi <= UINT32_MAX);
   if (with < 0 || narrow || v->base != CF_PROOF_NUMBER)
      return true;
   switch (condition) {
   case CF_IF_BELOW:
      return restrict_to(v, 0, with - 1);
   case CF_IF_NOT_ABOVE:
      return restrict_to(v, 0, with);
   case CF_IF_EQUAL:
      return restrict_to(v, with, with);
   case CF_IF_NOT_BELOW:
      return !cf_proof_is_natural(*v) || restrict_to(v, with, INT64_MAX);
   case CF_IF_ABOVE:
      return !cf_proof_is_natural(*v) || (v->hi > with && restrict_to(v, with + 1, INT64_MAX));
   case CF_IF_NOT_EQUAL:
      if (v->hi == with)
         return restrict_to(v, INT64_MIN, with - 1);
      return v->lo != with || restrict_to(v, with + 1, INT64_MAX);
   default:
      return true;
   }
}

bool
cf_proof_learn(struct cf_proof_state *state, enum cf_proof_condition condition, bool taken)
{
   if (!state->compared.valid || !cf_proof_is_constant(state->compared.with))
      return true;
   return learned(&state->reg[state->compared.reg], state->compared.with.lo,
                  taken ? condition : opposite(condition), state->compared.width_B);
}

static void
compare(const struct cf_proof_task *task, struct cf_proof_state *state,
        const struct cf_proof_insn *insn)
{
   const bool constant = insn->src == CF_PROOF_NO_REG && !insn->memory;
   const struct cf_proof_value with =
      constant ? cf_proof_constant(CF_PROOF_NUMBER, insn->imm) : source_of(task, state, insn);
   state->compared.valid =
      insn->dst != CF_PROOF_NO_REG && insn->width_B >= 4 && with.base == CF_PROOF_NUMBER;
   state->compared.reg = insn->dst;
   state->compared.width_B = insn->width_B;
   state->compared.with = insn->width_B == 4 && !constant ? cf_proof_truncate(with, 4) : with;
}

/* A conditional move: the destination as it is where the condition is false, or the source where it
 * is true; one of them where the other cannot be. */
static struct cf_proof_value
moved_if(const struct cf_proof_task *task, const struct cf_proof_state *state,
         const struct cf_proof_insn *insn)
{
   struct cf_proof_state yes, no;
   yes.compared = no.compared = state->compared;
   for (unsigned i = 0; i < CF_PROOF_GPRS; i++)
      yes.reg[i] = no.reg[i] = state->reg[i];
   const bool moves = cf_proof_learn(&yes, insn->condition, true);
   const bool stays = cf_proof_learn(&no, insn->condition, false);
   struct cf_proof_value source =
      insn->src != CF_PROOF_NO_REG ? yes.reg[insn->src] : source_of(task, state, insn);
   struct cf_proof_value old = no.reg[insn->dst];
   if (insn->width_B == 4) {
      source = cf_proof_truncate(source, 4);
      old = cf_proof_truncate(old, 4);
   }
   if (moves != stays)
      return moves ? source : old;
   return cf_proof_either(task, source, old);
}

/* ---- the stack and calls ---- */

static const char *
push(const struct cf_proof_task *task, struct cf_proof_state *state, struct cf_proof_value value,
     bool keep)
{
   struct cf_proof_value top =
      cf_proof_add(state->reg[CF_PROOF_RSP], cf_proof_constant(CF_PROOF_NUMBER, -8));
   const char *wrong = check(task, state, top, 8, CF_MEM_WRITE);
   cf_proof_stored(state, top, 8, value);
   if (keep)
      cf_proof_set(state, CF_PROOF_RSP, top);
   return wrong;
}

static const char *
pop(const struct cf_proof_task *task, struct cf_proof_state *state,
    const struct cf_proof_insn *insn)
{
   const struct cf_proof_value top = state->reg[CF_PROOF_RSP];
   const char *wrong = check(task, state, top, 8, CF_MEM_READ);
   if (insn->dst == CF_PROOF_NO_REG || insn->dst == CF_PROOF_RSP || insn->width_B != 8)
      return "a pop of another kind";
   if (!wrong)
      cf_proof_set(state, insn->dst, cf_proof_loaded(task, state, top, 8));
   cf_proof_set(state, CF_PROOF_RSP, cf_proof_add(top, cf_proof_constant(CF_PROOF_NUMBER, 8)));
   return wrong;
}

static const char *
check_argument(const struct cf_proof_task *task, struct cf_proof_state *state,
               const struct cf_proof_argument *argument, struct cf_proof_value function,
               struct cf_proof_value value)
{
   const bool region = value.base == (uint32_t)CF_PROOF_OF_REGIONS + argument->region;
   const char *wrong = NULL;
   switch (argument->take) {
   case CF_PROOF_TAKES_NUMBER:
      return NULL;
   case CF_PROOF_TAKES_REGION:
      return region && !value.lo && !value.hi ? NULL : "a call with another pointer than it takes";
   case CF_PROOF_TAKES_PART:
      return region && cf_proof_is_constant(value) && value.lo % argument->size_B == 0 &&
                   !cf_proof_access(task, value, argument->size_B, CF_MEM_READ) &&
                   (!argument->function_of ||
                    argument->function_of[value.lo / argument->size_B] == function.lo)
                ? NULL
                : "a call with a pointer beside what it takes";
   case CF_PROOF_TAKES_INPUT:
      return check(task, state, value, argument->size_B, CF_MEM_READ);
   default:
      wrong = check(task, state, value, argument->size_B, CF_MEM_WRITE);
      if (!wrong)
         cf_proof_stored(state, value, argument->size_B, cf_proof_anything());
      return wrong;
   }
}

static void
lose_registers(struct cf_proof_state *state)
{
   static const uint8_t lost[] = {
      CF_PROOF_RAX, CF_PROOF_RCX, CF_PROOF_RDX, CF_PROOF_RSI, CF_PROOF_RDI, 8, 9, 10, 11
   };
   for (unsigned i = 0; i < sizeof(lost); i++)
      cf_proof_set(state, lost[i], cf_proof_anything());
   for (unsigned i = 0; i < CF_PROOF_VECTORS; i++)
      state->vector[i] = cf_proof_unsigned(4);
   state->compared.valid = false;
}

static const char *
call(const struct cf_proof_task *task, struct cf_proof_state *state,
     const struct cf_proof_insn *insn)
{
   const struct cf_proof_value to =
      insn->src != CF_PROOF_NO_REG
         ? state->reg[insn->src]
         : cf_proof_loaded(task, state, address_of(state, insn), insn->access_B);
   const struct cf_proof_region *function =
      to.base & CF_PROOF_FUNCTION
         ? &task->map->regions[(to.base & ~CF_PROOF_FUNCTION) - CF_PROOF_OF_REGIONS]
         : NULL;
   if (!function || !cf_proof_is_constant(to))
      return "a call of what is no listed function";
   const char *wrong = push(task, state, cf_proof_anything(), false);
   for (unsigned i = 0; i < function->argument_count && !wrong; i++)
      wrong = check_argument(task, state, &function->arguments[i], to, state->reg[argument_reg[i]]);
   cf_proof_forget_below(state, state->reg[CF_PROOF_RSP]);
   lose_registers(state);
   return wrong;
}

static const char *
leave(const struct cf_proof_state *state)
{
   static const uint8_t saved[] = { CF_PROOF_RBX, CF_PROOF_RBP, 12, 13, 14, 15 };
   if (!cf_proof_equal(state->reg[CF_PROOF_RSP], cf_proof_constant(CF_PROOF_STACK, 0)))
      return "a return with another stack pointer than at the entry";
   for (unsigned i = 0; i < sizeof(saved); i++) {
      if (!cf_proof_equal(state->reg[saved[i]], cf_proof_constant(CF_PROOF_SAVED, saved[i])))
         return "a return with a register that was not restored";
   }
   return NULL;
}

/* The stack pointer is aligned once, to what is not known: from here on all below it is relative to
 * that. */
static const char *
align_stack(struct cf_proof_state *state, const struct cf_proof_insn *insn)
{
   const struct cf_proof_value top = state->reg[CF_PROOF_RSP];
   const bool mask = insn->src == CF_PROOF_NO_REG && !insn->memory && insn->imm < 0 &&
                     insn->imm >= -4096 && (insn->imm & -insn->imm) == -insn->imm;
   if (!mask || insn->width_B != 8 || top.base != CF_PROOF_STACK || !cf_proof_is_constant(top) ||
       top.lo >= 0 || state->aligned_at)
      return "a stack pointer that is not known";
   state->aligned_at = top.lo;
   cf_proof_forget_below(state, top);
   cf_proof_set(state, CF_PROOF_RSP, cf_proof_constant(CF_PROOF_FRAME, 0));
   return NULL;
}

/* ---- instructions ---- */

static const char *
flow(const struct cf_proof_task *task, struct cf_proof_state *state,
     const struct cf_proof_insn *insn)
{
   switch (insn->op) {
   case CF_MC_PUSH:
      return insn->width_B == 8 && !insn->memory
                ? push(task, state,
                       insn->src == CF_PROOF_NO_REG ? cf_proof_anything() : state->reg[insn->src],
                       true)
                : "a push of another kind";
   case CF_MC_POP:
      return pop(task, state, insn);
   case CF_MC_CALL:
      return call(task, state, insn);
   case CF_MC_RET:
      return leave(state);
   default:
      return NULL;
   }
}

/* The most that the low byte of the destination is. */
static uint8_t
low_byte(const struct cf_proof_state *state, const struct cf_proof_insn *insn)
{
   uint8_t left = state->low[insn->dst], right = UINT8_MAX;
   if (insn->src != CF_PROOF_NO_REG)
      right = state->low[insn->src];
   else if (!insn->memory)
      right = (uint8_t)insn->imm;
   switch (insn->op) {
   case CF_MC_SET:
      return 1;
   case CF_MC_BYTE_AND:
      return left < right ? left : right;
   case CF_MC_BYTE_OR:
      left |= right;
      return left ? (uint8_t)(UINT8_MAX >> (__builtin_clz(left) - 24)) : 0;
   default:
      return right;
   }
}

/* The value of the destination. */
static struct cf_proof_value
result_of(const struct cf_proof_task *task, const struct cf_proof_state *state,
          const struct cf_proof_insn *insn)
{
   switch (insn->op) {
   case CF_MC_MOV: {
      const bool constant = insn->src == CF_PROOF_NO_REG && !insn->memory;
      const struct cf_proof_value v = insn->src != CF_PROOF_NO_REG && insn->from_B == 1
                                         ? cf_proof_numbers(0, state->low[insn->src], 1)
                                         : source_of(task, state, insn);
      return constant && insn->width_B == 4
                ? cf_proof_constant(CF_PROOF_NUMBER, (int64_t)(uint32_t)insn->imm)
                : cf_proof_truncate(v, constant ? insn->width_B : insn->from_B);
   }
   case CF_MC_MOVSX:
      return cf_proof_sign_extend(source_of(task, state, insn), insn->from_B);
   case CF_MC_LEA:
      return address_of(state, insn);
   case CF_MC_CMOV:
      return moved_if(task, state, insn);
   case CF_MC_SET:
   case CF_MC_BYTE: /* the low byte alone */
   case CF_MC_BYTE_AND:
   case CF_MC_BYTE_OR:
      return cf_proof_is_natural(state->reg[insn->dst]) && state->reg[insn->dst].hi <= UINT8_MAX
                ? cf_proof_numbers(0, low_byte(state, insn), 1)
                : cf_proof_anything();
   case CF_MC_LANE:
      return insn->vector_left != CF_PROOF_NO_REG ? state->vector[insn->vector_left]
                                                  : cf_proof_unsigned(insn->width_B);
   case CF_MC_OTHER:
      return cf_proof_unsigned(insn->width_B);
   default:
      return operate(task, state, insn);
   }
}

static void
write_registers(const struct cf_proof_task *task, struct cf_proof_state *state,
                const struct cf_proof_insn *insn)
{
   const bool byte = insn->op >= CF_MC_SET && insn->op <= CF_MC_BYTE_OR,
              whole = insn->dst != CF_PROOF_NO_REG && (insn->width_B >= 4 || byte);
   const uint8_t low = whole && byte ? low_byte(state, insn) : UINT8_MAX;
   struct cf_proof_value result = cf_proof_anything();
   if (whole && insn->clobbers >> insn->dst & 1)
      result = result_of(task, state, insn);
   if (whole && insn->width_B >= 4)
      result = cf_proof_truncate(result, insn->width_B);
   if (insn->flags)
      state->compared.valid = false;
   for (unsigned i = 0; i < CF_PROOF_GPRS; i++) {
      if (insn->clobbers >> i & 1)
         cf_proof_set(state, i, i == insn->dst ? result : cf_proof_anything());
   }
   if (whole && byte && insn->clobbers >> insn->dst & 1)
      state->low[insn->dst] = low;
}

/* ---- vectors ---- */

/* Elements of a vector, or of memory, that become dwords. */
static struct cf_proof_value
extended(const struct cf_proof_task *task, const struct cf_proof_state *state,
         const struct cf_proof_insn *insn)
{
   const bool sign = insn->vector_op == CF_MC_SIGN_EXTEND;
   if (!(insn->memory & CF_MEM_READ))
      return sign ? cf_proof_anything() : cf_proof_unsigned(2);
   return cf_proof_loaded_elements(task, address_of(state, insn), insn->access_B,
                                   4u * insn->access_B / insn->vector_B, sign);
}

static struct cf_proof_value
dwords(const struct cf_proof_task *task, const struct cf_proof_state *state,
       const struct cf_proof_insn *insn)
{
   const struct cf_proof_value left =
      insn->vector_left != CF_PROOF_NO_REG ? state->vector[insn->vector_left] : cf_proof_anything();
   struct cf_proof_value right = cf_proof_anything();
   if (insn->vector_src != CF_PROOF_NO_REG)
      right = state->vector[insn->vector_src];
   else if (insn->memory & CF_MEM_READ)
      right = cf_proof_loaded_dwords(task, state, address_of(state, insn), insn->access_B);
   else if (insn->number != CF_PROOF_NO_REG)
      right = cf_proof_truncate(state->reg[insn->number], 4);
   switch (insn->vector_op) {
   case CF_MC_MOV:
      return right;
   case CF_MC_BLEND:
      return cf_proof_union(left, right);
   case CF_MC_MIN:
      return cf_proof_least(left, right);
   case CF_MC_AND:
      return cf_proof_and(left, right);
   case CF_MC_OR:
      return cf_proof_or(left, right);
   case CF_MC_XOR:
      return insn->vector_left == insn->vector_src && insn->vector_src != CF_PROOF_NO_REG
                ? cf_proof_constant(CF_PROOF_NUMBER, 0)
                : cf_proof_xor(left, right);
   case CF_MC_TERNARY_LOGIC:
      return cf_proof_ternary_logic((uint8_t)insn->imm, state->vector[insn->vector_dst], left,
                                    right);
   case CF_MC_ADD:
      return cf_proof_add(left, right);
   case CF_MC_IMUL:
      return cf_proof_multiply(left, right);
   case CF_MC_SHUFFLE: /* of one byte a dword */
      return right.lo >> 8 == 0x808080 && right.hi >> 8 == 0x808080 ? cf_proof_unsigned(1)
                                                                    : cf_proof_anything();
   case CF_MC_ZERO_EXTEND:
   case CF_MC_SIGN_EXTEND:
      return extended(task, state, insn);
   case CF_MC_MADD: /* of upper halves that are 0 */
      return left.hi <= INT16_MAX && right.hi <= INT16_MAX ? cf_proof_multiply(left, right)
                                                           : cf_proof_anything();
   case CF_MC_SHL:
      return insn->imm >= 0 && insn->imm < 32
                ? cf_proof_multiply(right,
                                    cf_proof_constant(CF_PROOF_NUMBER, INT64_C(1) << insn->imm))
                : cf_proof_anything();
   case CF_MC_SHR:
      return insn->imm >= 0 && insn->imm < 32
                ? cf_proof_shift_right(cf_proof_truncate(right, 4), (unsigned)insn->imm)
                : cf_proof_anything();
   default:
      return cf_proof_anything();
   }
}

/* Lanes that are not written keep what they have, or become 0; so do those beyond the vector's
 * width. */
static void
write_vectors(const struct cf_proof_task *task, struct cf_proof_state *state,
              const struct cf_proof_insn *insn)
{
   if (insn->vector_dst != CF_PROOF_NO_REG) {
      struct cf_proof_value *to = &state->vector[insn->vector_dst], v = dwords(task, state, insn);
      const bool keeps = insn->lanes && insn->vector_op != CF_MC_BLEND;
      v = cf_proof_truncate(keeps ? cf_proof_union(v, *to) : v, 4);
      *to =
         insn->lanes || !insn->whole ? cf_proof_union(v, cf_proof_constant(CF_PROOF_NUMBER, 0)) : v;
   }
   if (insn->also != CF_PROOF_NO_REG)
      state->vector[insn->also] = cf_proof_unsigned(4);
   if (insn->vector_op == CF_MC_CLEAR) {
      for (unsigned i = 0; i < CF_PROOF_VECTORS; i++)
         state->vector[i] = cf_proof_union(state->vector[i], cf_proof_constant(CF_PROOF_NUMBER, 0));
   }
}

/* What an operation stores where its destination is memory. Example: or dword ptr [rsp], 12. */
static struct cf_proof_value
operate_in_memory(const struct cf_proof_task *task, const struct cf_proof_state *state,
                  const struct cf_proof_insn *insn, struct cf_proof_value at)
{
   const bool constant = insn->src == CF_PROOF_NO_REG;
   const struct cf_proof_value old = cf_proof_loaded(task, state, at, insn->access_B),
                               with = constant ? cf_proof_constant(CF_PROOF_NUMBER, insn->imm)
                                               : state->reg[insn->src];
   return cf_proof_truncate(computed(insn, old, with, constant), insn->width_B);
}

/* What is stored at `at`: a condition, a register or its low byte, what was computed there, or
 * anything. */
static struct cf_proof_value
stored_value(const struct cf_proof_task *task, const struct cf_proof_state *state,
             const struct cf_proof_insn *insn, struct cf_proof_value at)
{
   const bool in_memory = insn->memory & CF_MEM_READ && insn->dst == CF_PROOF_NO_REG;
   if (insn->op == CF_MC_SET)
      return cf_proof_numbers(0, 1, 1);
   if (insn->op >= CF_MC_ADD && insn->op <= CF_MC_SAR && in_memory && insn->width_B >= 4)
      return operate_in_memory(task, state, insn, at);
   if (insn->op != CF_MC_MOV || insn->src == CF_PROOF_NO_REG || insn->width_B == 2)
      return cf_proof_anything();
   return insn->width_B == 1 ? cf_proof_numbers(0, state->low[insn->src], 1)
                             : cf_proof_truncate(state->reg[insn->src], insn->width_B);
}

const char *
cf_proof_step(const struct cf_proof_task *task, struct cf_proof_state *state,
              const struct cf_proof_insn *insn)
{
   if (insn->memory) {
      const struct cf_proof_value at = address_of(state, insn);
      const char *wrong = check(task, state, at, insn->access_B, insn->memory);
      if (wrong)
         return wrong;
      if (insn->memory & CF_MEM_WRITE && insn->vector_op == CF_MC_MOV &&
          insn->vector_src != CF_PROOF_NO_REG && !insn->lanes)
         cf_proof_stored(state, at, insn->access_B, state->vector[insn->vector_src]);
      else if (insn->memory & CF_MEM_WRITE)
         cf_proof_stored(state, at, insn->access_B, stored_value(task, state, insn, at));
   }
   if (insn->op >= CF_MC_PUSH)
      return flow(task, state, insn);
   if (insn->op == CF_MC_AND && insn->dst == CF_PROOF_RSP)
      return align_stack(state, insn);
   write_vectors(task, state, insn);
   if (insn->clobbers)
      write_registers(task, state, insn);
   if (insn->flags)
      state->compared.valid = false;
   if (insn->op == CF_MC_CMP)
      compare(task, state, insn);
   const struct cf_proof_value top = state->reg[CF_PROOF_RSP];
   if (!cf_proof_is_constant(top) || (top.base != CF_PROOF_STACK && top.base != CF_PROOF_FRAME))
      return "a stack pointer that is not known";
   if (top.base == CF_PROOF_STACK && state->aligned_at)
      cf_proof_leave_frame(state);
   return NULL;
}
