/* SPDX-License-Identifier: MIT */
/* The command processor. */
#include "clipfree/timing/cf_sim_gpu.h"

#define TRANSFER_NUMBER 62 /* among the caches that memory knows */
#define TRANSFER_BASE (1ull << 41)
#define MOST_READING 32

void
cf_sim_front_begin_chunk(struct cf_sim_gpu *gpu)
{
   struct cf_sim_front *f = &gpu->front;
   f->op = f->draws = 0;
   f->read = false;
   f->last_draw = CF_SIM_NONE;
   f->next_vertex = f->texel = f->step = 0;
   f->packing = NULL;
   cf_sim_gpu_wake(gpu, CF_SIM_PART_COMMAND);
}

static bool
is_draw(const struct cf_sim_op *op)
{
   return !(op->flags & (CF_SIM_CLEAR | CF_SIM_TRANSFER));
}

/* Whether a draw goes to other images than the last one: it waits until that one is written. */
static bool
other_images(const struct cf_sim_gpu *gpu, const struct cf_sim_op *op)
{
   if (gpu->front.last_draw == CF_SIM_NONE)
      return false;
   const struct cf_sim_op *last = &gpu->chunk->op[gpu->front.last_draw];
   bool other = op->colors != last->colors || op->zs_image != last->zs_image;
   for (uint32_t i = 0; i < op->colors; i++)
      other |= op->color_image[i] != last->color_image[i];
   return other;
}

/* ------------------------------------------------------------------ transfers */

void
cf_sim_command_has_line(struct cf_sim_gpu *gpu)
{
   gpu->front.reading--;
   cf_sim_gpu_wake(gpu, CF_SIM_PART_COMMAND);
}

static void
begin_transfer(struct cf_sim_gpu *gpu, const struct cf_sim_op *op)
{
   struct cf_sim_front *f = &gpu->front;
   const uint32_t line_B = gpu->pixels.dram.line_B;
   f->transferring = true;
   f->to_read = (op->read_B + line_B - 1) / line_B;
   f->to_write = (op->written_B + line_B - 1) / line_B;
   if (!gpu->machine->command.transfers)
      f->to_read = f->to_write = 0;
   f->transfer_lines += f->to_read + f->to_write;
}

/* A line is read, and one written, a cycle. True: the transfer is done. */
static bool
transfer(struct cf_sim_gpu *gpu)
{
   struct cf_sim_front *f = &gpu->front;
   struct cf_sim_dram *dram = &gpu->pixels.dram;
   if (f->to_read > 0 && f->reading < MOST_READING && cf_sim_dram_has_room(dram)) {
      cf_sim_dram_push(dram, TRANSFER_BASE + f->to_read--, false,
                       TRANSFER_NUMBER << CF_SIM_ENTRY_BITS);
      f->reading++;
   }
   if (f->to_write > f->to_read && cf_sim_dram_has_room(dram))
      cf_sim_dram_push(dram, 2 * TRANSFER_BASE + f->to_write--, true, 0);
   if (f->to_read > 0 || f->to_write > 0)
      cf_sim_gpu_wake(gpu, CF_SIM_PART_COMMAND);
   cf_sim_gpu_wake(gpu, CF_SIM_PART_DRAM);
   return f->to_read == 0 && f->to_write == 0 && f->reading == 0;
}

/* What a draw's feedback writes, before the draw goes on. True: it is written. */
static bool
feed(struct cf_sim_gpu *gpu, const struct cf_sim_op *op)
{
   struct cf_sim_front *f = &gpu->front;
   if (!f->transferring)
      begin_transfer(gpu, op);
   f->transferring = !transfer(gpu);
   return !f->transferring;
}

/* ------------------------------------------------------------------ operations */

/* Do the operation that was read. Returns what the cycle is for; BUSY: it is done. */
static enum cf_sim_why
take(struct cf_sim_gpu *gpu, const struct cf_sim_op *op)
{
   struct cf_sim_front *f = &gpu->front;
   if (op->flags & CF_SIM_TRANSFER) {
      if (!f->transferring && !cf_sim_gpu_drained(gpu)) {
         cf_sim_gpu_wake(gpu, CF_SIM_PART_COMMAND);
         return CF_SIM_WHY_ORDER;
      }
      if (!f->transferring)
         begin_transfer(gpu, op);
      f->transferring = !transfer(gpu);
      return f->transferring ? CF_SIM_WHY_MEMORY : CF_SIM_WHY_BUSY;
   }
   if (!is_draw(op))
      return CF_SIM_WHY_BUSY;
   if (other_images(gpu, op) && !cf_sim_gpu_drained(gpu)) {
      cf_sim_gpu_wake(gpu, CF_SIM_PART_COMMAND);
      return CF_SIM_WHY_ORDER;
   }
   if (f->draws == CF_SIM_DRAWS)
      return CF_SIM_WHY_FULL;
   if (op->written_B > 0 && !feed(gpu, op))
      return CF_SIM_WHY_MEMORY;
   f->draw[f->draws++] = f->last_draw = f->op;
   cf_sim_gpu_wake(gpu, CF_SIM_PART_VERTEX);
   return CF_SIM_WHY_BUSY;
}

void
cf_sim_command_tick(struct cf_sim_gpu *gpu)
{
   struct cf_sim_front *f = &gpu->front;
   struct cf_sim_unit *unit = &gpu->unit[CF_SIM_PART_COMMAND];
   if (f->op == gpu->chunk->ops) {
      cf_sim_because(unit, gpu->time, CF_SIM_WHY_EMPTY);
      return;
   }
   if (!f->read) {
      f->read = true;
      /* what a geometry program makes is of the draw that was read */
      f->ready =
         gpu->time +
         (gpu->chunk->op[f->op].flags & CF_SIM_GEOMETRY ? 0 : gpu->machine->command.draw_cycles);
   }
   if (f->ready > gpu->time) {
      cf_sim_because(unit, gpu->time, CF_SIM_WHY_BUSY);
      cf_sim_wake(unit, f->ready);
      return;
   }
   const enum cf_sim_why why = take(gpu, &gpu->chunk->op[f->op]);
   cf_sim_because(unit, gpu->time, why);
   if (why == CF_SIM_WHY_BUSY) {
      f->op++;
      f->read = false;
      cf_sim_wake(unit, gpu->time + 1);
   }
}
