/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_gpu.h"

#include <stdlib.h>

#define WORD_B 32
#define SCRATCH_CYCLES 4 /* 8 lanes a cycle */

bool
cf_sim_memory_init(struct cf_sim_gpu *gpu)
{
   struct cf_sim_memory *m = &gpu->memory;
   const struct cf_sim_machine_texture *t = &gpu->machine->texture;
   const uint32_t lines = t->size_B / t->line_B;
   *m = (struct cf_sim_memory){ .free_loads = CF_SIM_LOADS, .free_fills = CF_SIM_FILLS };
   for (uint16_t i = 0; i < CF_SIM_LOADS; i++)
      m->free_load[i] = i;
   for (uint16_t i = 0; i < CF_SIM_FILLS; i++)
      m->free_fill[i] = i;
   m->fill_of = calloc(lines ? lines : 1, sizeof(m->fill_of[0]));
   return m->fill_of && cf_sim_cache_init(&m->tags, t->size_B, t->line_B, t->ways, t->policy);
}

void
cf_sim_memory_free(struct cf_sim_memory *m)
{
   cf_sim_cache_free(&m->tags);
   free(m->fill_of);
   m->fill_of = NULL;
}

bool
cf_sim_memory_has_room(const struct cf_sim_gpu *gpu, uint32_t core)
{
   return gpu->core[core].loads < gpu->machine->memory.queue && gpu->memory.free_loads > 0;
}

void
cf_sim_memory_push(struct cf_sim_gpu *gpu, uint32_t core, uint32_t slot, uint32_t at)
{
   struct cf_sim_memory *m = &gpu->memory;
   const uint16_t number = m->free_load[--m->free_loads];
   m->load[number] = (struct cf_sim_load){ .task = gpu->core[core].slot[slot].task,
                                           .core = (uint8_t)core,
                                           .slot = (uint8_t)slot,
                                           .at = at };
   m->queue[(m->first_queued + m->queued++) % CF_SIM_LOAD_QUEUE] = number;
   m->loads_in++;
   gpu->core[core].loads++;
   cf_sim_gpu_wake(gpu, CF_SIM_PART_MEMORY);
}

/* ------------------------------------------------------------------ accesses */

/* The words of an element of four vertices. */
static bool
element_access(const struct cf_sim_gpu *gpu, const struct cf_sim_load *load, uint32_t group,
               struct cf_sim_sample_lines *lines)
{
   const struct cf_sim_task *t = load->task;
   const struct cf_sim_element *e =
      &t->op->element[t->code->instr[load->at].element % CF_SIM_ELEMENTS];
   const uint32_t line_B = gpu->machine->texture.line_B, lanes = cf_sim_task_group(t, group);
   lines->texels = lines->pixels = lines->words = lines->lines = 0;
   if (t->stage != CF_SIM_STAGE_VERTEX || e->buffer == CF_SIM_NONE || e->size_B == 0)
      return lanes != 0;
   for (uint32_t l = 0; l < 4; l++) {
      if (!(lanes >> l & 1))
         continue;
      const struct cf_sim_vertex *v = &t->chunk->vertex[t->first_vertex + 4 * group + l];
      const uint64_t number = e->divisor ? v->instance / e->divisor : v->vertex,
                     offset_B = e->offset_B + number * e->stride_B;
      for (uint64_t at = offset_B / (line_B / 2); at <= (offset_B + e->size_B - 1) / (line_B / 2);
           at++)
         cf_sim_sample_lines_add_word(lines,
                                      2 * cf_sim_buffer_line(e->buffer, at * (line_B / 2), line_B) +
                                         (uint32_t)(at & 1));
   }
   return lanes != 0;
}

/* The next access of the load at the tags. False: it has no more. */
static bool
next_access(struct cf_sim_gpu *gpu, struct cf_sim_load *load)
{
   struct cf_sim_memory *m = &gpu->memory;
   const struct cf_sim_instr *i = &load->task->code->instr[load->at];
   uint32_t dword;
   if (i->op == CF_OP_LDS || i->op == CF_OP_STS) {
      m->lines = (struct cf_sim_sample_lines){ 0 };
      if (m->group++ == 0)
         cf_sim_task_reference(load->task, load->at, &dword);
      return m->group == 1;
   }
   while (m->group < load->task->groups) {
      if (i->op == CF_OP_LDF && element_access(gpu, load, m->group++, &m->lines))
         return true;
      if (i->fetches &&
          cf_sim_task_sample(load->task, load->at, m->group, &gpu->pixels.layout, &m->lines))
         return true;
      m->group += i->op != CF_OP_LDF;
   }
   return false;
}

/* Texels that the filter takes: four of each sample, with weight 0 where it reads fewer. */
static uint32_t
filtered(const struct cf_sim_sample_lines *lines)
{
   return lines->texels > 4 * lines->pixels ? lines->texels : 4 * lines->pixels;
}

/* Cycles in which the data of an access is read and filtered. */
static uint32_t
data_cycles(const struct cf_sim_gpu *gpu, const struct cf_sim_load *load)
{
   const struct cf_sim_machine_memory *p = &gpu->machine->memory;
   const struct cf_sim_sample_lines *lines = &gpu->memory.lines;
   const enum cf_op op = load->task->code->instr[load->at].op;
   uint32_t bank[32] = { 0 }, fullest = 0;
   uint32_t most = (filtered(lines) + p->texels_per_cycle - 1) / p->texels_per_cycle;
   for (uint32_t i = 0; i < lines->words; i++) {
      const uint32_t words = ++bank[lines->word[i] & (p->banks - 1)];
      fullest = words > fullest ? words : fullest;
   }
   const uint32_t reads = (fullest + p->ports - 1) / p->ports;
   most = reads > most ? reads : most;
   if (op == CF_OP_LDS || op == CF_OP_STS)
      most = SCRATCH_CYCLES;
   return most > 0 ? most : 1;
}

/* ------------------------------------------------------------------ tags */

/* Look a line up. False: it has to wait, as there is no room for what it needs. */
static bool
look_up(struct cf_sim_gpu *gpu, uint32_t line)
{
   struct cf_sim_memory *m = &gpu->memory;
   const uint32_t set = line & (m->tags.sets - 1);
   uint32_t in_set = cf_sim_cache_way(&m->tags, set, line);
   uint32_t way = set * m->tags.ways + in_set;
   if (in_set == CF_SIM_NO_LINE) {
      const uint64_t all = m->tags.ways >= 64 ? UINT64_MAX : (1ull << m->tags.ways) - 1;
      if (m->free_fills == 0 ||
          !cf_sim_l2_request(gpu, line, CF_SIM_CLIENT_DATA, m->free_fill[m->free_fills - 1]))
         return false;
      const uint16_t fill = m->free_fill[--m->free_fills];
      in_set = cf_sim_cache_victim(&m->tags, set, all);
      way = set * m->tags.ways + in_set;
      /* data comes in order: what waits for the line that was here reads it before it is gone */
      m->tags.way[way] = (struct cf_sim_way){ .line = line };
      m->fill[fill] = (struct cf_sim_fill){ .way = way };
      m->fill_of[way] = (uint16_t)(fill + 1);
      m->misses++;
      if (gpu->watch)
         gpu->watch->data_miss(gpu->watch->user, m->load[m->queue[m->first_queued]].task, m->group);
   } else {
      m->hits++;
   }
   m->requests++;
   cf_sim_cache_use(&m->tags, set, in_set);
   if (m->fill_of[way]) {
      m->fill[m->fill_of[way] - 1].waiting[m->access / 64] |= 1ull << m->access % 64;
      m->waiting[m->access].lines++;
   }
   return true;
}

void
cf_sim_memory_filled(struct cf_sim_gpu *gpu, uint32_t number)
{
   struct cf_sim_memory *m = &gpu->memory;
   struct cf_sim_fill *f = &m->fill[number];
   for (uint32_t w = 0; w < CF_SIM_ACCESSES / 64; w++) {
      for (uint64_t left = f->waiting[w]; left; left &= left - 1)
         m->waiting[64 * w + (uint32_t)__builtin_ctzll(left)].lines--;
   }
   if (m->fill_of[f->way] == number + 1)
      m->fill_of[f->way] = 0;
   m->free_fill[m->free_fills++] = (uint16_t)number;
   cf_sim_gpu_wake(gpu, CF_SIM_PART_MEMORY);
}

/* All data of a load is read, up to `time`. */
static void
complete(struct cf_sim_gpu *gpu, uint16_t number, uint64_t time)
{
   struct cf_sim_memory *m = &gpu->memory;
   const struct cf_sim_load *load = &m->load[number];
   m->free_load[m->free_loads++] = number;
   m->loads_out++;
   cf_sim_core_loaded(gpu, load->core, load->slot, load->at,
                      time + load->task->code->instr[load->at].latency);
}

/* The load at the tags has no more accesses. */
static void
finish_tags(struct cf_sim_gpu *gpu, struct cf_sim_load *load)
{
   struct cf_sim_memory *m = &gpu->memory;
   load->all = true;
   if (load->left == 0)
      complete(gpu, m->queue[m->first_queued], gpu->time + 1);
   m->first_queued = (m->first_queued + 1) % CF_SIM_LOAD_QUEUE;
   m->queued--;
   gpu->core[load->core].loads--;
   m->group = 0;
   m->any_access = false;
   cf_sim_core_taken(gpu, load->core, load->slot);
}

/* Begin with the next access. False: there is none, or no room behind the tags. */
static bool
begin_access(struct cf_sim_gpu *gpu)
{
   struct cf_sim_memory *m = &gpu->memory;
   if (m->queued == 0 || m->waitings == gpu->machine->memory.run_ahead)
      return false;
   struct cf_sim_load *load = &m->load[m->queue[m->first_queued]];
   if (!next_access(gpu, load)) {
      if (!m->any_access) /* it asks for a size, or has no texture: it takes its cycle */
         m->lines = (struct cf_sim_sample_lines){ 0 };
      else
         return false;
   }
   m->any_access = m->has_access = true;
   m->next_line = 0;
   m->access = (m->first_waiting + m->waitings) % CF_SIM_ACCESSES;
   m->waiting[m->access] =
      (struct cf_sim_waiting_access){ .load = m->queue[m->first_queued],
                                      .cycles = (uint16_t)data_cycles(gpu, load),
                                      .texels = (uint16_t)m->lines.texels,
                                      .filtered = (uint16_t)filtered(&m->lines) };
   return true;
}

/* An access was looked up. If it was its load's last one, the load leaves the tags. */
static void
end_access(struct cf_sim_gpu *gpu)
{
   struct cf_sim_memory *m = &gpu->memory;
   struct cf_sim_load *load = &m->load[m->queue[m->first_queued]];
   const struct cf_sim_instr *i = &load->task->code->instr[load->at];
   const bool reads = i->op == CF_OP_LDF || i->fetches;
   if (!reads || m->group >= load->task->groups)
      finish_tags(gpu, load);
}

/* A cycle of the tags. True: something was looked up. */
static bool
tick_tags(struct cf_sim_gpu *gpu)
{
   struct cf_sim_memory *m = &gpu->memory;
   bool active = false;
   if (!m->has_access && !begin_access(gpu)) {
      if (m->queued > 0 && m->any_access && m->waitings < gpu->machine->memory.run_ahead) {
         finish_tags(gpu, &m->load[m->queue[m->first_queued]]);
         return tick_tags(gpu);
      }
      return false;
   }
   for (uint32_t i = 0; i < gpu->machine->memory.tags && m->next_line < m->lines.lines; i++) {
      if (!look_up(gpu, m->lines.line[m->next_line]))
         return active;
      m->next_line++;
      active = true;
   }
   if (m->next_line == m->lines.lines) {
      m->load[m->waiting[m->access].load].left++;
      m->waitings++;
      m->has_access = false;
      end_access(gpu);
   }
   return true;
}

/* ------------------------------------------------------------------ data */

/* Read the data of the oldest access, if its lines are there. True: it is read. */
static bool
tick_data(struct cf_sim_gpu *gpu)
{
   struct cf_sim_memory *m = &gpu->memory;
   const struct cf_sim_waiting_access a = m->waiting[m->first_waiting];
   if (m->waitings == 0 || a.lines > 0)
      return false;
   struct cf_sim_load *load = &m->load[a.load];
   m->data_free = gpu->time + a.cycles;
   m->first_waiting = (m->first_waiting + 1) % CF_SIM_ACCESSES;
   m->waitings--;
   gpu->counts.texels += a.texels;
   gpu->counts.filtered += a.filtered;
   gpu->counts.samples += a.texels > 0;
   if (--load->left == 0 && load->all)
      complete(gpu, a.load, m->data_free);
   return true;
}

void
cf_sim_memory_tick(struct cf_sim_gpu *gpu)
{
   struct cf_sim_memory *m = &gpu->memory;
   struct cf_sim_unit *unit = &gpu->unit[CF_SIM_PART_MEMORY];
   const bool reading = m->data_free > gpu->time, data = !reading && tick_data(gpu),
              tags = tick_tags(gpu);
   cf_sim_because(unit, gpu->time,
                  data                               ? CF_SIM_WHY_BUSY
                  : reading                          ? CF_SIM_WHY_CONFLICT
                  : m->waitings > 0 || m->has_access ? CF_SIM_WHY_MEMORY
                  : m->queued > 0                    ? CF_SIM_WHY_BUSY
                                                     : CF_SIM_WHY_EMPTY);
   if (tags || data)
      cf_sim_wake(unit, gpu->time + 1);
   else if (m->data_free > gpu->time)
      cf_sim_wake(unit, m->data_free);
}
