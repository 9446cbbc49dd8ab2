/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_gpu.h"

#define LANE_B 128 /* a register of a task */
#define EVENTS_LEFT 32

/* ------------------------------------------------------------------ slots */

static void
because(struct cf_sim_core *c, uint32_t slot, enum cf_sim_why why)
{
   c->why[c->slot[slot].why] &= ~(1u << slot);
   c->why[why] |= 1u << slot;
   c->slot[slot].why = why;
}

/* The next instruction is another one. */
static void
go_to(struct cf_sim_slot *s, uint32_t at)
{
   s->at = at;
   s->next = &s->task->code->instr[at];
}

static void
set_bit(uint32_t *map, uint32_t bit, bool on)
{
   *map = (*map & ~(1u << bit)) | (uint32_t)on << bit;
}

/* What the slot can do changes. */
static void
changed(const struct cf_sim_gpu *gpu, struct cf_sim_core *c, uint32_t slot)
{
   const struct cf_sim_slot *s = &c->slot[slot];
   const bool waits = s->ended | s->blocked, fetched = !s->missing & (s->fetched > 0);
   set_bit(&c->ready, slot, !waits & fetched);
   set_bit(&c->to_fetch, slot,
           !(s->stopped | s->missing) & (s->fetched < gpu->machine->core.buffer));
   set_bit(&c->alu_next, slot, s->next->unit == CF_OP_UNIT_ALU);
   if (!waits && !fetched)
      because(c, slot, CF_SIM_WHY_FETCH);
}

/* ------------------------------------------------------------------ places */

static uint32_t
registers_of(const struct cf_sim_task *task)
{
   return (task->code->vector_regs ? task->code->vector_regs : 1) * LANE_B;
}

bool
cf_sim_core_has_place(const struct cf_sim_gpu *gpu, uint32_t core)
{
   return gpu->core[core].tasks < gpu->machine->core.tasks;
}

bool
cf_sim_core_has_registers(const struct cf_sim_gpu *gpu, uint32_t core,
                          const struct cf_sim_task *task)
{
   const struct cf_sim_core *c = &gpu->core[core];
   const uint32_t all = gpu->machine->core.registers_B / gpu->machine->core.count;
   return c->tasks == 0 || c->registers_B + registers_of(task) <= all;
}

void
cf_sim_core_begin(struct cf_sim_gpu *gpu, uint32_t core, struct cf_sim_task *task)
{
   struct cf_sim_core *c = &gpu->core[core];
   const uint32_t slot = (uint32_t)__builtin_ctz(~c->used);
   c->slot[slot] = (struct cf_sim_slot){ .task = task, .why = CF_SIM_WHY_FETCH };
   go_to(&c->slot[slot], 0);
   c->used |= 1u << slot;
   changed(gpu, c, slot);
   c->tasks++;
   c->registers_B += registers_of(task);
   task->begun_cycle = gpu->time;
   task->lanes = cf_sim_count_lanes(task->exec);
   cf_sim_flow_in(&gpu->counts.in_cores, gpu->time);
   gpu->counts.tasks[CF_SIM_STAGE_VERTEX] += task->stage == CF_SIM_STAGE_VERTEX;
   gpu->counts.geometry_tasks +=
      task->stage == CF_SIM_STAGE_VERTEX && task->op->flags & CF_SIM_GEOMETRY;
   cf_sim_gpu_wake(gpu, CF_SIM_PART_CORE + core);
}

static bool
any(const struct cf_sim_registers *registers)
{
   return cf_sim_registers_meet(registers, registers);
}

/* The task leaves the core, if it may. */
static void
leave(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot)
{
   struct cf_sim_core *c = &gpu->core[core];
   struct cf_sim_slot *s = &c->slot[slot];
   if (!s->ended || s->loads || s->exports || any(&s->pending))
      return;
   if (!cf_sim_output_takes(gpu, s->task)) {
      because(c, slot, CF_SIM_WHY_ORDER);
      return;
   }
   c->used &= ~(1u << slot);
   c->ended &= ~(1u << slot);
   c->why[s->why] &= ~(1u << slot);
   c->tasks--;
   c->registers_B -= registers_of(s->task);
   cf_sim_flow_out(&gpu->counts.in_cores, gpu->time, s->task->begun_cycle);
   gpu->counts.lost += s->task->lost;
   cf_sim_gpu_wake(gpu, CF_SIM_PART_SCHEDULER);
   cf_sim_output_done(gpu, s->task);
}

/* ------------------------------------------------------------------ what happens to slots */

static void
add_event(struct cf_sim_gpu *gpu, uint32_t core, uint64_t time, uint32_t slot,
          const struct cf_sim_instr *instr, bool load)
{
   struct cf_sim_core *c = &gpu->core[core];
   c->event[c->events++] =
      (struct cf_sim_event){ .time = time, .slot = slot, .instr = instr, .load = load };
   c->next_event = time < c->next_event ? time : c->next_event;
   cf_sim_wake(&gpu->unit[CF_SIM_PART_CORE + core], time);
}

static void
clear(struct cf_sim_registers *from, const struct cf_sim_registers *registers)
{
   for (uint32_t i = 0; i < 4; i++)
      from->bit[i] &= ~registers->bit[i];
}

static void
set(struct cf_sim_registers *to, const struct cf_sim_registers *registers)
{
   for (uint32_t i = 0; i < 4; i++)
      to->bit[i] |= registers->bit[i];
}

static void
take_events(struct cf_sim_gpu *gpu, uint32_t core)
{
   struct cf_sim_core *c = &gpu->core[core];
   if (c->next_event > gpu->time)
      return;
   c->next_event = CF_SIM_NEVER;
   for (uint32_t i = 0; i < c->events;) {
      const struct cf_sim_event e = c->event[i];
      if (e.time > gpu->time) {
         c->next_event = e.time < c->next_event ? e.time : c->next_event;
         i++;
         continue;
      }
      struct cf_sim_slot *s = &c->slot[e.slot];
      clear(&s->pending, &e.instr->written);
      clear(&s->loading, &e.instr->written);
      s->loads -= e.load;
      s->blocked = false;
      if (e.instr->unit == CF_OP_UNIT_BRANCH)
         s->stopped = false;
      changed(gpu, c, e.slot);
      c->event[i] = c->event[--c->events];
   }
}

void
cf_sim_core_loaded(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot, uint32_t at, uint64_t time)
{
   add_event(gpu, core, time, slot, &gpu->core[core].slot[slot].task->code->instr[at], true);
}

void
cf_sim_core_taken(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot)
{
   gpu->core[core].slot[slot].untaken--;
   cf_sim_core_has_room(gpu, core, CF_SIM_WHY_FULL);
}

void
cf_sim_core_exported(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot)
{
   gpu->core[core].slot[slot].exports--;
   if (gpu->core[core].slot[slot].ended)
      cf_sim_gpu_wake(gpu, CF_SIM_PART_CORE + core);
   cf_sim_core_has_room(gpu, core, CF_SIM_WHY_FULL);
}

static void
arrive(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot)
{
   gpu->core[core].slot[slot].missing = gpu->core[core].slot[slot].blocked = false;
   changed(gpu, &gpu->core[core], slot);
   cf_sim_gpu_wake(gpu, CF_SIM_PART_CORE + core);
}

void
cf_sim_core_has_room(struct cf_sim_gpu *gpu, uint32_t core, enum cf_sim_why why)
{
   if (gpu->core[core].why[why])
      cf_sim_gpu_wake(gpu, CF_SIM_PART_CORE + core);
}

/* ------------------------------------------------------------------ fetch */

static uint32_t
code_line(const struct cf_sim_gpu *gpu, const struct cf_sim_slot *s, uint32_t at)
{
   return cf_sim_code_line((uint32_t)(s->task->code - gpu->code), at, gpu->machine->texture.line_B);
}

void
cf_sim_core_fetched(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot)
{
   const struct cf_sim_slot *s = &gpu->core[core].slot[slot];
   cf_sim_line_cache_fill(&gpu->instructions, code_line(gpu, s, s->at + s->fetched));
   arrive(gpu, core, slot);
}

/* Fetch an instruction of a slot, or ask for it. */
static void
fetch(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot)
{
   struct cf_sim_slot *s = &gpu->core[core].slot[slot];
   const uint32_t line = code_line(gpu, s, s->at + s->fetched);
   if (!cf_sim_line_cache_has(&gpu->instructions, line)) {
      s->missing = cf_sim_l2_request(gpu, line, CF_SIM_CLIENT_INSTRUCTION, core << 8 | slot);
   } else {
      s->stopped = s->next[s->fetched].unit == CF_OP_UNIT_BRANCH;
      s->fetched++;
   }
   changed(gpu, &gpu->core[core], slot);
}

/* Fetch for the next slot that needs it. True: one does. */
static bool
fetch_next(struct cf_sim_gpu *gpu, uint32_t core)
{
   struct cf_sim_core *c = &gpu->core[core];
   const uint32_t wanted = c->to_fetch & c->used;
   if (!wanted)
      return false;
   const uint32_t after = wanted & ~((2u << c->last_fetched) - 1);
   c->last_fetched = (uint32_t)__builtin_ctz(after ? after : wanted);
   fetch(gpu, core, c->last_fetched);
   return true;
}

/* ------------------------------------------------------------------ constants */

static uint32_t
constant_line(const struct cf_sim_gpu *gpu, const struct cf_sim_slot *s)
{
   const struct cf_sim_instr *i = s->next;
   const uint32_t dword = s->referred ? s->dword : i->constant - 1u;
   return cf_sim_buffer_line(s->task->op->constants[s->task->stage], 4ull * dword,
                             gpu->machine->texture.line_B);
}

void
cf_sim_core_has_constant(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot)
{
   cf_sim_line_cache_fill(&gpu->constants, constant_line(gpu, &gpu->core[core].slot[slot]));
   arrive(gpu, core, slot);
}

/* Whether the constant that the next instruction needs is there; else it is asked for. */
static bool
has_constant(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot)
{
   struct cf_sim_slot *s = &gpu->core[core].slot[slot];
   const struct cf_sim_instr *i = s->next;
   const bool load = i->op == CF_OP_LDU;
   if (load && !s->referred)
      s->referred = cf_sim_task_reference(s->task, s->at, &s->dword);
   if (s->task->op->constants[s->task->stage] == CF_SIM_NONE ||
       (load ? !s->referred : !i->constant))
      return true;
   if (cf_sim_line_cache_has(&gpu->constants, constant_line(gpu, s)))
      return true;
   s->missing =
      cf_sim_l2_request(gpu, constant_line(gpu, s), CF_SIM_CLIENT_CONSTANT, core << 8 | slot);
   changed(gpu, &gpu->core[core], slot);
   if (!s->missing)
      cf_sim_gpu_wake(gpu, CF_SIM_PART_CORE + core);
   return false;
}

/* ------------------------------------------------------------------ issue */

/* Results will be there at a time. */
static void
expect(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot, uint64_t time)
{
   struct cf_sim_slot *s = &gpu->core[core].slot[slot];
   const struct cf_sim_instr *i = s->next;
   set(&s->pending, &i->written);
   add_event(gpu, core, time, slot, i, false);
}

/* Into a collector, then through the ALU: 32 lanes take 32 / lanes cycles, once for each pass. */
static void
issue_alu(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot)
{
   struct cf_sim_core *c = &gpu->core[core];
   const struct cf_sim_machine *m = gpu->machine;
   const struct cf_sim_slot *s = &c->slot[slot];
   const struct cf_sim_instr *i = s->next;
   const uint32_t reads = (i->operands + m->core.read_ports - 1) / m->core.read_ports,
                  pass = 32 / m->core.lanes, times = reads > i->passes ? reads : i->passes;
   const uint64_t ready = gpu->time + 1, start = c->alu_free > ready ? c->alu_free : ready;
   c->collected[(c->first_collected + c->collectors++) % CF_SIM_COLLECTORS] = start;
   c->alu_free = start + times * pass;
   gpu->counts.alu_instructions++;
   gpu->counts.alu_lanes += s->task->lanes;
   expect(gpu, core, slot, c->alu_free - 1 + i->latency);
}

/* To the unit that all cores share. */
static void
issue_load(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot)
{
   struct cf_sim_slot *s = &gpu->core[core].slot[slot];
   const struct cf_sim_instr *i = s->next;
   set(&s->pending, &i->written);
   set(&s->loading, &i->written);
   s->loads++;
   s->untaken++;
   cf_sim_memory_push(gpu, core, slot, s->at);
}

static void
issue_flow(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot)
{
   struct cf_sim_slot *s = &gpu->core[core].slot[slot];
   const struct cf_sim_instr *i = s->next;
   if (i->op == CF_OP_END) {
      s->ended = true;
      gpu->core[core].ended |= 1u << slot;
      because(&gpu->core[core], slot, s->loads ? CF_SIM_WHY_LOAD : CF_SIM_WHY_FULL);
      leave(gpu, core, slot);
      return;
   }
   go_to(s, cf_sim_task_flow(s->task, s->at));
   s->fetched = 0;
   s->blocked = true; /* until it is resolved; nothing is fetched before */
   because(&gpu->core[core], slot, CF_SIM_WHY_FETCH);
   add_event(gpu, core, gpu->time + i->latency, slot, i, false);
}

/* Whether the unit of the next instruction takes it. The vector ALU does: it has a collector. */
static bool
unit_takes(struct cf_sim_gpu *gpu, uint32_t core, const struct cf_sim_instr *i)
{
   switch (i->unit) {
   case CF_OP_UNIT_MEMORY:
      return cf_sim_memory_has_room(gpu, core);
   case CF_OP_UNIT_OUTPUT:
      return cf_sim_output_has_room(gpu, core);
   default:
      return true;
   }
}

/* Whether the next instruction takes records of the trace as it issues: what branches did, and the
 * dword of ldu. They stand behind those of the loads before it. */
static bool
takes_records(const struct cf_sim_instr *i)
{
   return i->op == CF_OP_LDU || (i->unit == CF_OP_UNIT_BRANCH && i->op != CF_OP_END);
}

/* Whether a slot that is ready can issue; else why not. */
static bool
may_issue(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot)
{
   struct cf_sim_core *c = &gpu->core[core];
   struct cf_sim_slot *s = &c->slot[slot];
   const struct cf_sim_instr *i = s->next;
   if (cf_sim_registers_meet(&s->pending, &i->used)) {
      s->blocked = true;
      changed(gpu, c, slot);
      because(c, slot,
              cf_sim_registers_meet(&s->loading, &i->used) ? CF_SIM_WHY_LOAD
                                                           : CF_SIM_WHY_DEPENDENCY);
      return false;
   }
   if (!unit_takes(gpu, core, i) || (s->untaken > 0 && takes_records(i))) {
      because(c, slot, CF_SIM_WHY_FULL);
      return false;
   }
   if ((i->constant || i->op == CF_OP_LDU) && !has_constant(gpu, core, slot)) {
      because(c, slot, CF_SIM_WHY_FETCH);
      return false;
   }
   return true;
}

static void
issue(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot)
{
   struct cf_sim_slot *s = &gpu->core[core].slot[slot];
   const struct cf_sim_instr *i = s->next;
   gpu->counts.instructions++;
   if (i->unit == CF_OP_UNIT_BRANCH) {
      issue_flow(gpu, core, slot);
      changed(gpu, &gpu->core[core], slot);
      return;
   }
   if (i->unit == CF_OP_UNIT_ALU)
      issue_alu(gpu, core, slot);
   else if (i->unit == CF_OP_UNIT_MEMORY)
      issue_load(gpu, core, slot);
   else if (i->unit == CF_OP_UNIT_OUTPUT)
      cf_sim_output_push(gpu, core, slot);
   else /* a load of constants that differ by lane is as slow as lanes are many */
      expect(gpu, core, slot,
             gpu->time + i->latency + (i->op == CF_OP_LDU && !s->referred ? 32 : 0));
   s->referred = false;
   go_to(s, s->at + 1);
   s->fetched--;
   changed(gpu, &gpu->core[core], slot);
}

/* Issue an instruction of the next slot that has one. False: none can be issued. */
static bool
issue_next(struct cf_sim_gpu *gpu, uint32_t core)
{
   struct cf_sim_core *c = &gpu->core[core];
   if (c->events > CF_SIM_EVENTS - EVENTS_LEFT)
      return false;
   uint32_t ready = c->ready & c->used;
   if (c->collectors == gpu->machine->core.collectors) {
      for (uint32_t left = ready & c->alu_next & ~c->why[CF_SIM_WHY_ALU]; left; left &= left - 1)
         because(c, (uint32_t)__builtin_ctz(left), CF_SIM_WHY_ALU);
      ready &= ~c->alu_next;
   }
   const uint32_t above = ready & ~((2u << c->last_issued) - 1), below = ready & ~above;
   for (uint32_t half = 0; half < 2; half++) {
      for (uint32_t left = half ? below : above; left; left &= left - 1) {
         const uint32_t slot = (uint32_t)__builtin_ctz(left);
         if (!may_issue(gpu, core, slot))
            continue;
         c->last_issued = slot;
         issue(gpu, core, slot);
         return true;
      }
   }
   return false;
}

/* ------------------------------------------------------------------ cycles */

void
cf_sim_core_count_alu(struct cf_sim_gpu *gpu, uint32_t core, uint64_t time)
{
   struct cf_sim_core *c = &gpu->core[core];
   const struct cf_sim_unit *unit = &gpu->unit[CF_SIM_PART_CORE + core];
   const uint64_t from = c->alu.since, to = time,
                  busy_to = c->alu_free < from ? from
                            : c->alu_free > to ? to
                                               : c->alu_free;
   c->alu.cycles[CF_SIM_WHY_BUSY] += busy_to - from;
   c->alu.cycles[unit->why == CF_SIM_WHY_ALU ? CF_SIM_WHY_BUSY : unit->why] += to - busy_to;
   c->alu.since = to;
}

/* Why nothing was issued: of all tasks' reasons the one that is nearest to issue. */
static enum cf_sim_why
reason(const struct cf_sim_core *c)
{
   static const enum cf_sim_why order[] = { CF_SIM_WHY_ALU,        CF_SIM_WHY_FULL,
                                            CF_SIM_WHY_DEPENDENCY, CF_SIM_WHY_FETCH,
                                            CF_SIM_WHY_LOAD,       CF_SIM_WHY_ORDER };
   for (uint32_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
      if (c->why[order[i]] & c->used)
         return order[i];
   }
   return CF_SIM_WHY_EMPTY;
}

/* Tasks that have ended leave when it is their turn. */
static void
leave_all(struct cf_sim_gpu *gpu, uint32_t core)
{
   struct cf_sim_core *c = &gpu->core[core];
   const uint32_t too_early = c->retired == gpu->pixel.retired ? c->why[CF_SIM_WHY_ORDER] : 0;
   c->retired = gpu->pixel.retired;
   for (uint32_t left = c->ended & ~too_early; left; left &= left - 1)
      leave(gpu, core, (uint32_t)__builtin_ctz(left));
}

void
cf_sim_core_tick(struct cf_sim_gpu *gpu, uint32_t core)
{
   struct cf_sim_core *c = &gpu->core[core];
   struct cf_sim_unit *unit = &gpu->unit[CF_SIM_PART_CORE + core];
   cf_sim_core_count_alu(gpu, core, gpu->time);
   take_events(gpu, core);
   leave_all(gpu, core);
   while (c->collectors > 0 && c->collected[c->first_collected] <= gpu->time) {
      c->first_collected = (c->first_collected + 1) % CF_SIM_COLLECTORS;
      c->collectors--;
   }
   const bool issued = issue_next(gpu, core), fetched = fetch_next(gpu, core);
   const enum cf_sim_why why = issued ? CF_SIM_WHY_BUSY : reason(c);
   cf_sim_because(unit, gpu->time, why);
   const uint64_t collector = c->collectors > 0 && why == CF_SIM_WHY_ALU
                                 ? c->collected[c->first_collected]
                                 : CF_SIM_NEVER,
                  later = collector < c->next_event ? collector : c->next_event;
   cf_sim_wake(unit, issued || fetched ? gpu->time + 1 : later);
}
