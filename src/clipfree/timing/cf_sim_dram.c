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
      d->bank[i].row = CF_SIM_NEVER;
}

bool
cf_sim_dram_has_room(const struct cf_sim_dram *d)
{
   return d->queued + d->replies + ROOM <= d->machine->dram.queue + ROOM &&
          d->queued + d->replies + ROOM <= CF_SIM_MAX_DRAM_QUEUE;
}

void
cf_sim_dram_push(struct cf_sim_dram *d, uint64_t line, bool write, uint32_t user)
{
   const uint64_t row = line * d->line_B / d->machine->dram.row_B,
                  of_bank = row / d->machine->dram.banks;
   const bool permuted = d->machine->dram.mapping == CF_SIM_MAPPING_PERMUTED;
   const uint64_t bank = (permuted ? row ^ of_bank : row) & (d->machine->dram.banks - 1);
   d->quiet_until = 0;
   d->queue[d->queued++] = (struct cf_sim_dram_request){
      .row = of_bank, .bank = (uint32_t)bank, .user = user, .write = write
   };
}

/* Banks, a bit each: with requests of their open row; whose open row must not be used any more, as
 * others have waited too long. */
struct wanted {
   uint64_t open, old;
};

/* The oldest request whose data can follow on the bus; d->queued: none. */
static uint32_t
choose(const struct cf_sim_dram *d, uint64_t time, struct wanted *wanted)
{
   uint32_t chosen = d->queued;
   *wanted = (struct wanted){ 0 };
   for (uint32_t i = 0; i < d->queued; i++) {
      const struct cf_sim_dram_request *r = &d->queue[i];
      const bool hit = d->bank[r->bank].row == r->row;
      const uint64_t bit = 1ull << r->bank;
      if (!hit && r->passed >= CF_SIM_DRAM_PATIENCE)
         wanted->old |= bit;
      if (!hit || wanted->old & bit)
         continue;
      wanted->open |= bit;
      if (chosen == d->queued && d->bank[r->bank].ready <= time)
         chosen = i;
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
   d->bus_free = d->bank[r.bank].end = data + d->burst;
   d->busy += d->burst;
   *(r.write ? &d->writes : &d->reads) += 1;
   if (!r.write)
      d->reply[(d->first_reply + d->replies++) % CF_SIM_MAX_DRAM_QUEUE] =
         (struct cf_sim_dram_reply){ d->bus_free + d->machine->dram.latency, r.user };
}

/* Open the row of the oldest request whose bank has nothing else to do. */
static void
open_row(struct cf_sim_dram *d, uint64_t time, const struct wanted *wanted)
{
   for (uint32_t i = 0; i < d->queued; i++) {
      const uint32_t bank = d->queue[i].bank;
      const uint64_t row = d->queue[i].row;
      if (d->bank[bank].row == row || wanted->open >> bank & 1 || d->bank[bank].end > time ||
          d->bank[bank].ready > time)
         continue;
      d->bank[bank].ready = time + d->machine->dram.activate +
                            (d->bank[bank].row == CF_SIM_NEVER ? 0 : d->machine->dram.precharge);
      d->bank[bank].row = row;
      d->activations++;
      return;
   }
}

/* When something can be done for a request, at the earliest. */
static uint64_t
begins(const struct cf_sim_dram *d, const struct cf_sim_dram_request *r)
{
   const uint64_t ready = d->bank[r->bank].ready, end = d->bank[r->bank].end,
                  bus = d->bus_free > d->machine->dram.cas ? d->bus_free - d->machine->dram.cas : 0;
   const uint64_t other = d->bank[r->bank].row == r->row ? bus : end;
   return ready > other ? ready : other;
}

/* When something can be done for any. */
static uint64_t
any_begins(const struct cf_sim_dram *d)
{
   uint64_t next = CF_SIM_NEVER;
   for (uint32_t i = 0; i < d->queued; i++) {
      const uint64_t at = begins(d, &d->queue[i]);
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
}

void
cf_sim_dram_tick(struct cf_sim_dram *d, uint64_t time)
{
   struct wanted wanted;
   if (d->queued == 0 || time < d->quiet_until)
      return;
   if (d->machine->dram.perfect) {
      serve_all(d, time);
      return;
   }
   const uint32_t chosen = choose(d, time, &wanted);
   if (chosen < d->queued && d->bus_free <= time + d->machine->dram.cas)
      transfer(d, time, chosen);
   open_row(d, time, &wanted);
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
