/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_gpu.h"

#define BLOCKS_PER_POP 4

void
cf_sim_raster_begin_chunk(struct cf_sim_gpu *gpu)
{
   gpu->raster.item = gpu->raster.range_item = 0;
}

bool
cf_sim_raster_idle(const struct cf_sim_raster *r)
{
   return !r->active && r->queue.count == 0 && r->blocks == 0 && !r->packing;
}

/* ------------------------------------------------------------------ recursion */

/* Levels of halving, in both directions, that tell two blocks apart. */
static uint32_t
levels_between(uint32_t a, uint32_t b)
{
   return a == b ? 0 : (32 - (uint32_t)__builtin_clz(a ^ b) + 1) / 2;
}

uint32_t
cf_sim_raster_pops(uint32_t block, uint32_t next)
{
   const uint32_t levels = levels_between(block, next);
   return levels > 0 ? levels - 1 : 0;
}

static uint32_t
block_of(const struct cf_sim_item *item)
{
   return item->place >> 2;
}

static bool
of_primitive(const struct cf_sim_item *item, uint32_t op, uint32_t primitive)
{
   return item->op == op && item->primitive == primitive;
}

/* Find the items of the first primitive. */
static void
begin_primitive(struct cf_sim_gpu *gpu, const struct cf_sim_set_up *p)
{
   struct cf_sim_raster *r = &gpu->raster;
   const struct cf_sim_item *item = gpu->order->item;
   const size_t items = gpu->order->items;
   const uint32_t number = gpu->chunk->primitive[p->primitive].number;
   while (r->item < items && (item[r->item].op < p->op ||
                              (item[r->item].op == p->op && item[r->item].primitive < number)))
      r->item++; /* clears, which need no raster */
   r->end_item = r->item;
   while (r->end_item < items && of_primitive(&item[r->end_item], p->op, number))
      r->end_item++;
   r->active = true;
   r->pops = 1;
   if (r->end_item > r->item && gpu->machine->raster.traversal == CF_SIM_TRAVERSAL_RECURSIVE) {
      const uint32_t levels =
         levels_between(block_of(&item[r->item]), block_of(&item[r->end_item - 1]));
      r->pops = levels > 0 ? levels : 1;
   }
}

static void
push_block(struct cf_sim_gpu *gpu, const struct cf_sim_block *block)
{
   struct cf_sim_raster *r = &gpu->raster;
   r->block[(r->first_block + r->blocks++) % CF_SIM_BLOCK_QUEUE] = *block;
   r->blocks_in++;
   if (gpu->watch && !block->end)
      gpu->watch->block(gpu->watch->user, (uint32_t)block->first_item, gpu->time);
   cf_sim_gpu_wake(gpu, CF_SIM_PART_BLOCKS);
   cf_sim_prefetch_wake(gpu);
}

/* The block that was found joins the queue; how many pops there are until the next one. */
static void
find_block(struct cf_sim_gpu *gpu)
{
   struct cf_sim_raster *r = &gpu->raster;
   const struct cf_sim_item *item = gpu->order->item;
   size_t end = r->item + 1;
   while (end < r->end_item && block_of(&item[end]) == block_of(&item[r->item]) &&
          item[end].tile == item[r->item].tile)
      end++;
   push_block(gpu, &(struct cf_sim_block){ .first_item = r->item, .end_item = end });
   if (end < r->end_item)
      r->pops = gpu->machine->raster.traversal == CF_SIM_TRAVERSAL_RECURSIVE
                   ? cf_sim_raster_pops(block_of(&item[r->item]), block_of(&item[end]))
                   : 1;
   r->item = end;
}

/* A pop, and the blocks that it ends in. */
static enum cf_sim_why
pop(struct cf_sim_gpu *gpu)
{
   struct cf_sim_raster *r = &gpu->raster;
   const uint32_t most = gpu->machine->raster.queue;
   if (r->pops == 0 && r->blocks >= most)
      return CF_SIM_WHY_FULL;
   if (r->pops > 0) {
      r->pops--;
      r->popped++;
   }
   for (uint32_t i = 0; r->pops == 0 && i < BLOCKS_PER_POP; i++) {
      if (r->item == r->end_item || r->blocks >= most)
         break;
      find_block(gpu);
   }
   if (r->pops == 0 && r->item == r->end_item) {
      r->active = false;
      cf_sim_primitive_drop(&r->queue);
      cf_sim_gpu_wake(gpu, CF_SIM_PART_ASSEMBLY + CF_SIM_SETUP_VIEWPORT);
   }
   return CF_SIM_WHY_BUSY;
}

/* The end of an operation: all items of it, and of clears before the next one. */
static enum cf_sim_why
end_operation(struct cf_sim_gpu *gpu, uint32_t op)
{
   struct cf_sim_raster *r = &gpu->raster;
   if (r->blocks >= gpu->machine->raster.queue)
      return CF_SIM_WHY_FULL;
   while (r->item < gpu->order->items && gpu->order->item[r->item].op <= op)
      r->item++;
   push_block(gpu, &(struct cf_sim_block){ .end_item = r->item, .end = true });
   cf_sim_primitive_drop(&r->queue);
   cf_sim_gpu_wake(gpu, CF_SIM_PART_ASSEMBLY + CF_SIM_SETUP_VIEWPORT);
   return CF_SIM_WHY_BUSY;
}

void
cf_sim_raster_tick(struct cf_sim_gpu *gpu)
{
   struct cf_sim_raster *r = &gpu->raster;
   struct cf_sim_unit *unit = &gpu->unit[CF_SIM_PART_RASTER];
   struct cf_sim_set_up *p = cf_sim_primitive_front(&r->queue);
   enum cf_sim_why why = CF_SIM_WHY_EMPTY;
   if (p && p->ready > gpu->time)
      cf_sim_wake(unit, p->ready);
   else if (p && p->end)
      why = end_operation(gpu, p->op);
   else if (p) {
      if (!r->active)
         begin_primitive(gpu, p);
      why = pop(gpu);
   }
   cf_sim_because(unit, gpu->time, why);
   if (why == CF_SIM_WHY_BUSY)
      cf_sim_wake(unit, gpu->time + 1);
}

/* ------------------------------------------------------------------ pixel-level raster */

/* The task goes to the scheduler, with the items since the last one. False: there is no room. */
static bool
hand_over(struct cf_sim_gpu *gpu, size_t end_item)
{
   struct cf_sim_raster *r = &gpu->raster;
   if (gpu->front.pixels.count == gpu->machine->scheduler.queue ||
       gpu->pixel.tasks == CF_SIM_PIXEL_TASKS)
      return false;
   r->packing->end_item = end_item;
   cf_sim_pixel_expect(gpu, r->packing);
   cf_sim_scheduler_push_pixels(gpu, r->packing);
   gpu->counts.tasks[CF_SIM_STAGE_FRAGMENT]++;
   r->packing = NULL;
   r->range_item = end_item;
   return true;
}

/* Pixels of a quad that are covered, in any sample. */
static uint32_t
covered_by(const struct cf_sim_gpu *gpu, const struct cf_sim_item *item)
{
   const uint32_t *record = cf_sim_item_record(gpu->chunk, item);
   uint32_t covered = 0;
   for (uint32_t s = 0; s < gpu->chunk->op[item->op].samples; s++)
      covered |= cf_sim_quad_masks(record, item->quad, s).covered;
   return covered;
}

/* Whether a quad with so many covered pixels still fits into the task. */
static bool
fits(const struct cf_sim_gpu *gpu, uint32_t pixels)
{
   const struct cf_sim_raster *r = &gpu->raster;
   if (gpu->machine->raster.pack == CF_SIM_PACK_QUADS)
      return r->packing->groups < CF_SIM_QUADS;
   return r->packing->groups < CF_SIM_GROUPS && r->covered + pixels <= CF_SIM_LANES;
}

/* A quad joins the task. False: there is no room for the task that is full. */
static bool
pack(struct cf_sim_gpu *gpu, size_t number)
{
   struct cf_sim_raster *r = &gpu->raster;
   const struct cf_sim_item *item = &gpu->order->item[number];
   const uint32_t kind = cf_sim_kind(cf_sim_item_record(gpu->chunk, item)[0]);
   if (kind != CF_SIM_TASK || (gpu->machine->z.early && cf_sim_hidden_early(gpu->chunk, item)))
      return true; /* the pixel engine alone has to do with it */
   const uint32_t covered = covered_by(gpu, item), pixels = (uint32_t)__builtin_popcount(covered);
   if (r->packing && !fits(gpu, pixels) && !hand_over(gpu, number))
      return false;
   if (!r->packing) {
      r->packing = cf_sim_gpu_take_task(gpu, CF_SIM_STAGE_FRAGMENT, item->op);
      r->covered = 0;
   }
   if (!r->packing)
      return false;
   const struct cf_sim_samples samples = cf_sim_samples_of(&gpu->pixels.layout, gpu->chunk, item);
   cf_sim_task_add_quad(r->packing, &samples, covered);
   if (gpu->watch)
      gpu->watch->quad(gpu->watch->user, r->packing, (uint32_t)number);
   r->covered += pixels;
   gpu->counts.quads++;
   gpu->counts.covered += pixels;
   return true;
}

/* The end of an operation: its last task, and items that need none. False: there is no room. */
static bool
end_tasks(struct cf_sim_gpu *gpu, size_t end_item)
{
   struct cf_sim_raster *r = &gpu->raster;
   if (r->packing)
      return hand_over(gpu, end_item);
   if (r->range_item == end_item)
      return true;
   struct cf_sim_task *task =
      gpu->pixel.tasks == CF_SIM_PIXEL_TASKS
         ? NULL
         : cf_sim_gpu_take_task(gpu, CF_SIM_STAGE_FRAGMENT, gpu->order->item[r->range_item].op);
   if (!task)
      return false;
   task->end_item = r->range_item = end_item;
   cf_sim_pixel_expect(gpu, task);
   cf_sim_output_done(gpu, task);
   return true;
}

/* Pack what is left of the first block. False: there is no room. */
static bool
pack_block(struct cf_sim_gpu *gpu, const struct cf_sim_block *b)
{
   struct cf_sim_raster *r = &gpu->raster;
   if (b->end) {
      const bool ended = end_tasks(gpu, b->end_item);
      if (ended && gpu->watch)
         gpu->watch->packed(gpu->watch->user);
      return ended;
   }
   for (; r->quad < b->end_item; r->quad++) {
      if (!pack(gpu, r->quad))
         return false;
   }
   return true;
}

void
cf_sim_blocks_tick(struct cf_sim_gpu *gpu)
{
   struct cf_sim_raster *r = &gpu->raster;
   struct cf_sim_unit *unit = &gpu->unit[CF_SIM_PART_BLOCKS];
   enum cf_sim_why why = CF_SIM_WHY_BUSY;
   if (r->block_free > gpu->time) {
      cf_sim_wake(unit, r->block_free);
   } else if (r->blocks == 0) {
      why = CF_SIM_WHY_EMPTY;
   } else {
      const struct cf_sim_block b = r->block[r->first_block];
      if (!r->taken)
         r->quad = b.first_item;
      r->taken = true;
      if (pack_block(gpu, &b)) {
         r->taken = false;
         r->first_block = (r->first_block + 1) % CF_SIM_BLOCK_QUEUE;
         r->blocks--;
         r->blocks_out++;
         r->block_free = gpu->time + gpu->machine->raster.block_cycles;
         cf_sim_gpu_wake(gpu, CF_SIM_PART_RASTER);
         cf_sim_wake(unit, r->block_free);
      } else {
         why = CF_SIM_WHY_FULL;
      }
   }
   cf_sim_because(unit, gpu->time, why);
}
