/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_dram.h"

#include <string.h>

#define ROOM 2 /* for a read and a write-back */

void
cf_sim_dram_init(struct cf_sim_dram *d, const struct cf_sim_machine *machine, uint32_t line_B)
{
   memset(d, 0, sizeof(*d));
   d->machine = machine;
   d->line_B = line_B;
   d->burst = (line_B + machine->dram.bus_B - 1) / machine->dram.bus_B;
   for (uint32_t i = 0; i < CF_SIM_MAX_BANKS; i++)
      d->bank[i] =
         (struct cf_sim_bank){ .row = CF_SIM_NEVER, .hit = CF_SIM_NEVER, .other = CF_SIM_NEVER };
}

bool
cf_sim_dram_has_room(const struct cf_sim_dram *d)
{
   return d->queued + d->replies + ROOM <= d->machine->dram.queue + ROOM &&
          d->queued + d->replies + ROOM <= CF_SIM_MAX_DRAM_QUEUE;
}

/* The bank's first request of its open row, or of another one, is this now. */
static void
set_first(struct cf_sim_dram *d, uint32_t number, bool open, uint64_t request)
{
   uint64_t *banks = open ? &d->hits : &d->others;
   *(open ? &d->bank[number].hit : &d->bank[number].other) = request;
   *banks = request == CF_SIM_NEVER ? *banks & ~(1ull << number) : *banks | 1ull << number;
}

/* Find it, from a place of the queue on. */
static void
find_first(struct cf_sim_dram *d, uint32_t number, bool open, uint32_t from)
{
   for (uint32_t i = from; i < d->queued; i++) {
      const struct cf_sim_dram_request *r = &d->queue[i];
      if (r->bank == number && (r->row == d->bank[number].row) == open) {
         set_first(d, number, open, r->number);
         return;
      }
   }
   set_first(d, number, open, CF_SIM_NEVER);
}

void
cf_sim_dram_push(struct cf_sim_dram *d, uint64_t line, bool write, uint32_t user)
{
   const uint64_t row = line * d->line_B / d->machine->dram.row_B,
                  in_bank = row / d->machine->dram.banks, request = d->pushed++;
   const bool permuted = d->machine->dram.mapping == CF_SIM_MAPPING_PERMUTED;
   const uint32_t number =
      (uint32_t)((permuted ? row ^ in_bank : row) & (d->machine->dram.banks - 1));
   const bool open = in_bank == d->bank[number].row;
   if (d->watch)
      d->watch->memory(d->watch->user, line * d->line_B, write);
   d->quiet_until = 0;
   d->queue[d->queued++] = (struct cf_sim_dram_request){
      .number = request, .row = in_bank, .bank = number, .user = user, .write = write
   };
   if (!((open ? d->hits : d->others) >> number & 1))
      set_first(d, number, open, request);
}

static uint32_t
place_of(const struct cf_sim_dram *d, uint64_t request)
{
   uint32_t place = 0;
   while (d->queue[place].number != request)
      place++;
   return place;
}

/* The oldest request whose data can follow on the bus; d->queued: none. Not one of an open row for
 * which others of its bank have waited too long. */
static uint32_t
choose(const struct cf_sim_dram *d, uint64_t time)
{
   uint64_t closed = 0;
   for (uint32_t i = 0; d->hits && i < d->queued; i++) {
      const struct cf_sim_dram_request *r = &d->queue[i];
      const struct cf_sim_bank *bank = &d->bank[r->bank];
      if (r->number == bank->hit && bank->ready <= time && !(closed >> r->bank & 1))
         return i;
      if (r->passed >= CF_SIM_DRAM_PATIENCE && r->number == bank->other)
         closed |= 1ull << r->bank;
   }
   return d->queued;
}

/* Whether the open row is used before another one is opened. */
static bool
keeps_row(const struct cf_sim_dram *d, const struct cf_sim_bank *bank)
{
   return bank->hit < bank->other ||
          (bank->hit != CF_SIM_NEVER &&
           d->queue[place_of(d, bank->other)].passed < CF_SIM_DRAM_PATIENCE);
}

/* The bank of the oldest request whose row can be opened, as it has nothing else to do. NULL: none.
 */
static struct cf_sim_bank *
choose_bank(struct cf_sim_dram *d, uint64_t time)
{
   struct cf_sim_bank *chosen = NULL;
   for (uint64_t left = d->others; left; left &= left - 1) {
      struct cf_sim_bank *bank = &d->bank[__builtin_ctzll(left)];
      if (bank->end <= time && bank->ready <= time && (!chosen || bank->other < chosen->other) &&
          !keeps_row(d, bank))
         chosen = bank;
   }
   return chosen;
}

/* Put the data of a request on the bus. */
static void
transfer(struct cf_sim_dram *d, uint64_t time, uint32_t chosen)
{
   const struct cf_sim_dram_request r = d->queue[chosen];
   const uint64_t column = time + d->machine->dram.cas,
                  data = column < d->bus_free ? d->bus_free : column;
   for (uint32_t i = 0; i < chosen; i++)
      d->queue[i].passed++;
   memmove(&d->queue[chosen], &d->queue[chosen + 1],
           (d->queued - chosen - 1) * sizeof(d->queue[0]));
   d->queued--;
   find_first(d, r.bank, true, chosen);
   d->bus_free = d->bank[r.bank].end = data + d->burst;
   d->busy += d->burst;
   *(r.write ? &d->writes : &d->reads) += 1;
   if (!r.write)
      d->reply[(d->first_reply + d->replies++) % CF_SIM_MAX_DRAM_QUEUE] =
         (struct cf_sim_dram_reply){ d->bus_free + d->machine->dram.latency, r.user };
}

/* Open the row of the bank's oldest request of another one. */
static void
open_row(struct cf_sim_dram *d, uint64_t time, struct cf_sim_bank *bank)
{
   const struct cf_sim_dram_request r = d->queue[place_of(d, bank->other)];
   bank->ready = time + d->machine->dram.activate +
                 (bank->row == CF_SIM_NEVER ? 0 : d->machine->dram.precharge);
   bank->row = r.row;
   set_first(d, r.bank, true, r.number);
   find_first(d, r.bank, false, 0);
   d->activations++;
}

/* When something can be done for any request, at the earliest. */
static uint64_t
any_begins(const struct cf_sim_dram *d)
{
   const uint32_t cas = d->machine->dram.cas;
   const uint64_t bus = d->bus_free > cas ? d->bus_free - cas : 0;
   uint64_t ready = CF_SIM_NEVER, next = CF_SIM_NEVER;
   for (uint64_t left = d->hits; left && ready > bus; left &= left - 1) {
      const uint64_t of_bank = d->bank[__builtin_ctzll(left)].ready;
      ready = of_bank < ready ? of_bank : ready;
   }
   if (d->hits)
      next = ready > bus ? ready : bus;
   for (uint64_t left = d->others; left; left &= left - 1) {
      const struct cf_sim_bank *bank = &d->bank[__builtin_ctzll(left)];
      const uint64_t at = bank->end > bank->ready ? bank->end : bank->ready;
      next = at < next ? at : next;
   }
   return next;
}

/* Memory without time: all is answered at once. */
static void
serve_all(struct cf_sim_dram *d, uint64_t time)
{
   for (uint32_t i = 0; i < d->queued; i++) {
      *(d->queue[i].write ? &d->writes : &d->reads) += 1;
      if (!d->queue[i].write)
         d->reply[(d->first_reply + d->replies++) % CF_SIM_MAX_DRAM_QUEUE] =
            (struct cf_sim_dram_reply){ time, d->queue[i].user };
   }
   d->queued = 0;
   for (uint64_t left = d->others; left; left &= left - 1)
      d->bank[__builtin_ctzll(left)].other = CF_SIM_NEVER; /* no row is open */
   d->others = 0;
}

void
cf_sim_dram_tick(struct cf_sim_dram *d, uint64_t time)
{
   if (d->queued == 0 || time < d->quiet_until)
      return;
   if (d->machine->dram.perfect) {
      serve_all(d, time);
      return;
   }
   /* a transfer makes its bank busy, and changes no other bank's row */
   struct cf_sim_bank *bank = choose_bank(d, time);
   const bool bus = d->bus_free <= time + d->machine->dram.cas;
   const uint32_t chosen = bus ? choose(d, time) : d->queued;
   if (chosen < d->queued)
      transfer(d, time, chosen);
   if (bank)
      open_row(d, time, bank);
   d->quiet_until = any_begins(d);
}

bool
cf_sim_dram_pop(struct cf_sim_dram *d, uint64_t time, uint32_t *user)
{
   if (d->replies == 0 || d->reply[d->first_reply].time > time)
      return false;
   *user = d->reply[d->first_reply].user;
   d->first_reply = (d->first_reply + 1) % CF_SIM_MAX_DRAM_QUEUE;
   d->replies--;
   return true;
}

uint64_t
cf_sim_dram_next(const struct cf_sim_dram *d, uint64_t time)
{
   const uint64_t reply = d->replies ? d->reply[d->first_reply].time : CF_SIM_NEVER;
   uint64_t next = d->queued ? d->quiet_until : CF_SIM_NEVER;
   if (d->queued && next <= time)
      next = time + 1;
   return reply < next ? reply : next;
}
