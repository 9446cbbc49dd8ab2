/* SPDX-License-Identifier: MIT */
#include "clipfree/jit/proof/cf_proof_state.h"

#include <string.h>

static bool
is_on_stack(uint32_t base)
{
   return base == CF_PROOF_STACK || base == CF_PROOF_FRAME;
}

/* ---- registers ---- */

void
cf_proof_set(struct cf_proof_state *state, unsigned reg, struct cf_proof_value value)
{
   state->reg[reg] = value;
   state->low[reg] =
      cf_proof_is_natural(value) && value.hi < UINT8_MAX ? (uint8_t)value.hi : UINT8_MAX;
   if (state->compared.reg == reg)
      state->compared.valid = false;
}

void
cf_proof_begin(struct cf_proof_state *state, const struct cf_proof_code *code)
{
   static const uint8_t arguments[CF_PROOF_ARGUMENTS] = {
      CF_PROOF_RDI, CF_PROOF_RSI, CF_PROOF_RDX, CF_PROOF_RCX, 8, 9
   };
   static const uint8_t saved[] = { CF_PROOF_RBX, CF_PROOF_RBP, 12, 13, 14, 15 };
   memset(state, 0, sizeof(*state));
   memset(state->low, UINT8_MAX, sizeof(state->low));
   for (unsigned i = 0; i < CF_PROOF_GPRS; i++)
      state->reg[i] = cf_proof_anything();
   for (unsigned i = 0; i < sizeof(saved); i++)
      state->reg[saved[i]] = cf_proof_constant(CF_PROOF_SAVED, saved[i]);
   for (unsigned i = 0; i < code->argument_count; i++) {
      if (code->arguments[i].take == CF_PROOF_TAKES_REGION)
         state->reg[arguments[i]] =
            cf_proof_constant(CF_PROOF_OF_REGIONS + code->arguments[i].region, 0);
   }
   for (unsigned i = 0; i < CF_PROOF_VECTORS; i++)
      state->vector[i] = cf_proof_unsigned(4);
   state->reg[CF_PROOF_RSP] = cf_proof_constant(CF_PROOF_STACK, 0);
}

/* ---- the stack ---- */

static bool
overlaps(const struct cf_proof_slot *slot, struct cf_proof_value at, unsigned size_B)
{
   return slot->base == at.base && slot->at < at.hi + (int64_t)size_B &&
          at.lo < slot->at + (int64_t)slot->size_B;
}

/* The slot for the same bytes as `slot`, which is number `likely` of another state. NULL: none.
 * States that meet mostly come from one, and have their slots in its order. */
static const struct cf_proof_slot *
find_slot(const struct cf_proof_state *state, const struct cf_proof_slot *slot, unsigned likely)
{
   for (unsigned i = 0, number = likely; i < state->count; i++, number++) {
      number = number < state->count ? number : 0;
      const struct cf_proof_slot *s = &state->slot[number];
      if (s->base == slot->base && s->at == slot->at && s->size_B == slot->size_B)
         return s;
   }
   return NULL;
}

void
cf_proof_stored(struct cf_proof_state *state, struct cf_proof_value at, unsigned size_B,
                struct cf_proof_value value)
{
   if (!is_on_stack(at.base))
      return;
   for (unsigned i = 0; i < state->count;) {
      if (overlaps(&state->slot[i], at, size_B))
         state->slot[i] = state->slot[--state->count];
      else
         i++;
   }
   const bool known = size_B == 8
                         ? !cf_proof_is_anything(value)
                         : value.base == CF_PROOF_NUMBER && value.lo >= 0 && value.hi < UINT32_MAX;
   if (cf_proof_is_constant(at) && known && state->count < CF_PROOF_SLOTS)
      state->slot[state->count++] =
         (struct cf_proof_slot){ .at = at.lo, .base = at.base, .size_B = size_B, .value = value };
}

/* The frame lies below all that is relative to the entry. */
void
cf_proof_forget_below(struct cf_proof_state *state, struct cf_proof_value stack_pointer)
{
   const int64_t depth_B = 2 * (int64_t)CF_PROOF_FRAME_B;
   struct cf_proof_value below = cf_proof_constant(stack_pointer.base, stack_pointer.lo - depth_B);
   cf_proof_stored(state, below, (unsigned)depth_B, cf_proof_anything());
   if (stack_pointer.base == CF_PROOF_STACK)
      cf_proof_stored(state, cf_proof_constant(CF_PROOF_FRAME, -depth_B), (unsigned)depth_B,
                      cf_proof_anything());
}

void
cf_proof_leave_frame(struct cf_proof_state *state)
{
   state->aligned_at = 0;
   for (unsigned i = 0; i < CF_PROOF_GPRS; i++) {
      if (state->reg[i].base == CF_PROOF_FRAME)
         cf_proof_set(state, i, cf_proof_anything());
   }
   for (unsigned i = 0; i < state->count;) {
      if (state->slot[i].base == CF_PROOF_FRAME || state->slot[i].value.base == CF_PROOF_FRAME)
         state->slot[i] = state->slot[--state->count];
      else
         i++;
   }
}

/* ---- accesses ---- */

static bool
is_within(struct cf_proof_value at, unsigned size_B, struct cf_proof_range range)
{
   return at.lo >= range.begin && at.hi <= range.end - (int64_t)size_B;
}

static bool
may_write(const struct cf_proof_region *region, struct cf_proof_value at, unsigned size_B)
{
   bool may = false;
   for (unsigned i = 0; i < region->write_count && !may; i++)
      may = is_within(at, size_B, region->writes[i]);
   return may;
}

static bool
may_read(const struct cf_proof_task *task, struct cf_proof_value at, unsigned size_B)
{
   const struct cf_proof_range code = { 0, (int64_t)task->code->memory_B };
   if (at.base == CF_PROOF_CODE)
      return is_within(at, size_B, code);
   return is_within(at, size_B, task->map->regions[at.base - CF_PROOF_OF_REGIONS].read);
}

const char *
cf_proof_access(const struct cf_proof_task *task, struct cf_proof_value at, unsigned size_B,
                unsigned how)
{
   const struct cf_proof_range stack = { -CF_PROOF_FRAME_B, 0 };
   if (at.base == CF_PROOF_NUMBER || at.base == CF_PROOF_SAVED || at.base & CF_PROOF_FUNCTION)
      return "an address that is no known pointer";
   if (is_on_stack(at.base))
      return is_within(at, size_B, stack) ? NULL : "an access outside of the stack frame";
   if (at.base == CF_PROOF_CHOSEN || at.base == CF_PROOF_CHOSEN_ROW) {
      const struct cf_proof_range chosen = { 0, at.base == CF_PROOF_CHOSEN ? 4 : CF_PROOF_ROW_B };
      return how == CF_MEM_READ && is_within(at, size_B, chosen)
                ? NULL
                : "an access beside what was chosen";
   }
   if (how & CF_MEM_WRITE && at.base == CF_PROOF_CODE)
      return "a store to the code or its constants";
   if (how & CF_MEM_WRITE &&
       !may_write(&task->map->regions[at.base - CF_PROOF_OF_REGIONS], at, size_B))
      return "a store outside of what may be written";
   if (how & CF_MEM_READ && !may_read(task, at, size_B))
      return "a load outside of what may be read";
   return NULL;
}

/* Whether all that an offset may be are pointers of this kind. */
static bool
are_pointers(const struct cf_proof_pointer *pointer, struct cf_proof_value at)
{
   const int64_t last = pointer->offset_B + (int64_t)pointer->stride_B * (pointer->count - 1),
                 from = at.lo - pointer->offset_B;
   return at.lo >= pointer->offset_B && at.hi <= last &&
          (!pointer->stride_B || from % pointer->stride_B == 0) &&
          (cf_proof_is_constant(at) || (pointer->stride_B && at.step % pointer->stride_B == 0));
}

/* What was stored there, or a part of it: of a vector any dwords, of numbers and of a vector's
 * first dword the lowest bytes. */
static struct cf_proof_value
loaded_from_stack(const struct cf_proof_state *state, struct cf_proof_value at, unsigned size_B)
{
   const struct cf_proof_value number = cf_proof_unsigned(size_B);
   for (unsigned i = 0; i < state->count; i++) {
      const struct cf_proof_slot *slot = &state->slot[i];
      const int64_t from = at.lo - slot->at;
      if (slot->base != at.base || from < 0 || from + (int64_t)size_B > (int64_t)slot->size_B)
         continue;
      const bool whole = size_B == slot->size_B, one = size_B <= 4 || slot->size_B <= 8,
                 low =
                    !from && one && cf_proof_is_natural(slot->value) && slot->value.hi <= number.hi,
                 dwords = slot->size_B > 8 && size_B != 8 && size_B % 4 == 0 && from % 4 == 0;
      return whole || dwords || low ? slot->value : number;
   }
   return number;
}

/* A dword of what was stored as vectors: an element with a computed index. */
static struct cf_proof_value
loaded_dword(const struct cf_proof_state *state, struct cf_proof_value at, unsigned size_B)
{
   struct cf_proof_value all = cf_proof_unsigned(size_B);
   for (int64_t from = at.lo; size_B == 4 && from < at.hi + 4;) {
      const struct cf_proof_slot *slot = NULL;
      for (unsigned i = 0; i < state->count && !slot; i++) {
         const struct cf_proof_slot *s = &state->slot[i];
         slot = s->size_B > 8 && s->base == at.base && s->at <= from &&
                      from < s->at + (int64_t)s->size_B
                   ? s
                   : NULL;
      }
      if (!slot || at.step % 4 || (from - slot->at) % 4)
         return cf_proof_unsigned(size_B);
      all = from == at.lo ? slot->value : cf_proof_union(all, slot->value);
      from = slot->at + slot->size_B;
   }
   return all;
}

/* What a pointer there points to. */
static struct cf_proof_value
pointed_at(const struct cf_proof_task *task, const struct cf_proof_pointer *pointer,
           struct cf_proof_value at)
{
   const uint32_t base = CF_PROOF_OF_REGIONS + pointer->region;
   if (!task->map->regions[pointer->region].arguments)
      return cf_proof_constant(base, 0);
   if (!cf_proof_is_constant(at))
      return cf_proof_anything();
   return cf_proof_constant(base | CF_PROOF_FUNCTION,
                            pointer->stride_B ? (at.lo - pointer->offset_B) / pointer->stride_B
                                              : 0);
}

struct cf_proof_value
cf_proof_loaded(const struct cf_proof_task *task, const struct cf_proof_state *state,
                struct cf_proof_value at, unsigned size_B)
{
   const struct cf_proof_value number = cf_proof_unsigned(size_B);
   if (is_on_stack(at.base))
      return cf_proof_is_constant(at) ? loaded_from_stack(state, at, size_B)
                                      : loaded_dword(state, at, size_B);
   if (size_B != 8 || at.base < CF_PROOF_STACK || at.base == CF_PROOF_CODE ||
       at.base & CF_PROOF_FUNCTION)
      return number;
   const struct cf_proof_region *region = &task->map->regions[at.base - CF_PROOF_OF_REGIONS];
   for (unsigned i = 0; i < region->pointer_count; i++) {
      if (are_pointers(&region->pointers[i], at))
         return pointed_at(task, &region->pointers[i], at);
   }
   return number;
}

/* Constants of the code. */
static struct cf_proof_value
constant_dwords(const struct cf_proof_task *task, int64_t at, unsigned size_B)
{
   struct cf_proof_value all = cf_proof_anything();
   for (unsigned i = 0; i + 4 <= size_B; i += 4) {
      uint32_t dword;
      memcpy(&dword, task->code->memory + at + i, sizeof(dword));
      const struct cf_proof_value one = cf_proof_constant(CF_PROOF_NUMBER, dword);
      all = i ? cf_proof_union(all, one) : one;
   }
   return all;
}

struct cf_proof_value
cf_proof_loaded_dwords(const struct cf_proof_task *task, const struct cf_proof_state *state,
                       struct cf_proof_value at, unsigned size_B)
{
   struct cf_proof_value v = cf_proof_anything();
   if (at.base == CF_PROOF_CODE && cf_proof_is_constant(at)) /* which was checked */
      v = constant_dwords(task, at.lo, size_B);
   else if (size_B != 8 && is_on_stack(at.base))
      v = cf_proof_loaded(task, state, at, size_B);
   return cf_proof_truncate(v, 4);
}

struct cf_proof_value
cf_proof_loaded_elements(const struct cf_proof_task *task, struct cf_proof_value at,
                         unsigned size_B, unsigned element_B, bool sign)
{
   const bool known = at.base == CF_PROOF_CODE && cf_proof_is_constant(at);
   struct cf_proof_value all =
      known ? cf_proof_constant(CF_PROOF_NUMBER, 0) : cf_proof_unsigned(element_B);
   for (unsigned i = 0; known && i + element_B <= size_B; i += element_B) {
      uint32_t element = 0;
      memcpy(&element, task->code->memory + at.lo + i, element_B);
      const struct cf_proof_value one = cf_proof_constant(CF_PROOF_NUMBER, element);
      all = i ? cf_proof_union(all, one) : one;
   }
   return sign ? cf_proof_truncate(cf_proof_sign_extend(all, element_B), 4) : all;
}

/* ---- joins ---- */

struct cf_proof_value
cf_proof_either(const struct cf_proof_task *task, struct cf_proof_value a, struct cf_proof_value b)
{
   if (a.base == b.base && a.base != CF_PROOF_SAVED && !(a.base & CF_PROOF_FUNCTION))
      return cf_proof_union(a, b);
   if (cf_proof_equal(a, b))
      return a;
   if (!cf_proof_access(task, a, CF_PROOF_ROW_B, CF_MEM_READ) &&
       !cf_proof_access(task, b, CF_PROOF_ROW_B, CF_MEM_READ))
      return cf_proof_constant(CF_PROOF_CHOSEN_ROW, 0);
   if (!cf_proof_access(task, a, 4, CF_MEM_READ) && !cf_proof_access(task, b, 4, CF_MEM_READ))
      return cf_proof_constant(CF_PROOF_CHOSEN, 0);
   return cf_proof_anything();
}

/* An upper bound that still moves goes up to the next power of two less one, and a lower one of
 * natural numbers down to the first multiple of the step from 0, so that the values of a loop are
 * found after some turns; other bounds that move are given up. */
static struct cf_proof_value
widened(struct cf_proof_value old, struct cf_proof_value both)
{
   if (old.base != both.base || cf_proof_equal(old, both))
      return both;
   if (!cf_proof_is_natural(both))
      return cf_proof_anything();
   const int64_t lo = both.lo < old.lo ? both.lo % both.step : both.lo,
                 limit = (int64_t)(UINT64_MAX >> __builtin_clzll((uint64_t)both.hi)),
                 hi = both.hi > old.hi ? limit - (limit - lo) % both.step : both.hi;
   return cf_proof_numbers(lo, hi, both.step);
}

static bool
join_values(const struct cf_proof_task *task, struct cf_proof_value *to, struct cf_proof_value from,
            bool widen)
{
   const struct cf_proof_value both =
      cf_proof_equal(*to, from) ? *to : cf_proof_either(task, *to, from);
   const struct cf_proof_value value = widen ? widened(*to, both) : both;
   const bool changed = !cf_proof_equal(*to, value);
   *to = value;
   return changed;
}

static bool
join_slots(const struct cf_proof_task *task, struct cf_proof_state *to,
           const struct cf_proof_state *from, bool widen)
{
   bool changed = false;
   for (unsigned i = 0; i < to->count;) {
      struct cf_proof_slot *slot = &to->slot[i];
      const struct cf_proof_slot *other = find_slot(from, slot, i);
      changed |= join_values(task, &slot->value, other ? other->value : cf_proof_anything(), widen);
      if (cf_proof_is_anything(slot->value))
         *slot = to->slot[--to->count];
      else
         i++;
   }
   return changed;
}

bool
cf_proof_join(const struct cf_proof_task *task, struct cf_proof_state *to,
              const struct cf_proof_state *from, bool widen, bool *fine)
{
   bool changed = false;
   *fine = cf_proof_equal(to->reg[CF_PROOF_RSP], from->reg[CF_PROOF_RSP]) &&
           to->aligned_at == from->aligned_at;
   for (unsigned i = 0; i < CF_PROOF_GPRS; i++) {
      changed |= join_values(task, &to->reg[i], from->reg[i], widen) || from->low[i] > to->low[i];
      to->low[i] = from->low[i] > to->low[i] ? from->low[i] : to->low[i];
   }
   for (unsigned i = 0; i < CF_PROOF_VECTORS; i++) {
      changed |= join_values(task, &to->vector[i], from->vector[i], widen);
      to->vector[i] = cf_proof_truncate(to->vector[i], 4);
   }
   return join_slots(task, to, from, widen) || changed;
}
