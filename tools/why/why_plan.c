/* SPDX-License-Identifier: MIT */
#include "why_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_error.h"
#include "look/look_ops.h"

#include "clipfree/memory/cf_format.h"

/* ------------------------------------------------------------------ operations */

/* Room for one more entry. False: out of memory. */
static bool
grow(void **entries, uint32_t count, uint32_t *capacity, size_t entry_B)
{
   if (count < *capacity)
      return true;
   const uint32_t larger = *capacity ? 2 * *capacity : 64;
   void *grown = realloc(*entries, larger * entry_B);
   if (!grown)
      return false;
   *entries = grown;
   *capacity = larger;
   return true;
}

static bool
add_frame(struct why_plan *plan, const struct look_player *player,
          const struct cf_framebuffer *packet)
{
   struct why_frame frame = { .colors = packet->color_count };
   if (!grow((void **)&plan->frame, plan->frames, &plan->frame_capacity, sizeof(frame)))
      return false;
   for (uint32_t i = 0; i < packet->color_count && i < CF_MAX_COLOR_TARGETS; i++) {
      if (!look_surface_at(player, packet->color[i], &frame.image[i]))
         frame.image[i] = (struct cf_surface){ 0 };
   }
   if (!look_surface_at(player, packet->depth_stencil, &frame.image[CF_MAX_COLOR_TARGETS]))
      frame.image[CF_MAX_COLOR_TARGETS] = (struct cf_surface){ 0 };
   plan->frame[plan->frames++] = frame;
   return true;
}

static struct cf_rect
rect_at(uint32_t x_px, uint32_t y_px, uint32_t width_px, uint32_t height_px)
{
   return (struct cf_rect){ x_px, y_px, x_px + width_px, y_px + height_px };
}

static struct cf_rect
whole(const struct cf_surface *surface)
{
   return rect_at(0, 0, surface->width_px, surface->height_px);
}

/* A table of a gather, copied; NULL: it is not in memory. */
static uint32_t *
copy_table(const struct look_player *player, uint64_t address, uint32_t count)
{
   const void *data =
      address % 4 == 0 ? look_player_at(player, address, 4 * (uint64_t)count) : NULL;
   uint32_t *table = data ? malloc(4 * (size_t)count) : NULL;
   if (table)
      memcpy(table, data, 4 * (size_t)count);
   return table;
}

/* Rectangles of a copy. False: it is malformed. */
static bool
fill_copy(struct why_op *op, const uint32_t *packet)
{
   struct cf_copy copy;
   const char *bad_field;
   if (!cf_copy_unpack(packet, &copy, &bad_field))
      return false;
   op->part = copy.part != CF_COPY_PART_ALL;
   op->from = rect_at(copy.source_x_px, copy.source_y_px, copy.width_px, copy.height_px);
   op->to = rect_at(copy.destination_x_px, copy.destination_y_px, copy.width_px, copy.height_px);
   return true;
}

static bool
fill_gather(struct why_op *op, const struct look_player *player, const uint32_t *packet)
{
   struct cf_gather gather;
   const char *bad_field;
   if (!cf_gather_unpack(packet, &gather, &bad_field))
      return false;
   op->part = gather.part != CF_COPY_PART_ALL;
   op->to =
      rect_at(gather.destination_x_px, gather.destination_y_px, gather.width_px, gather.height_px);
   op->columns = copy_table(player, gather.columns, gather.width_px);
   op->rows = copy_table(player, gather.rows, gather.height_px);
   return op->columns && op->rows;
}

/* What a transfer does to pixels. False: nothing, or it is malformed. */
static bool
fill_transfer(struct why_op *op, const struct look_player *player, const struct look_op *of,
              const struct look_written *written)
{
   if (!written->images || op->opcode == CF_OPCODE_RESOLVE)
      return false;
   op->source = written->source;
   op->destination = written->image[0].surface;
   op->from = whole(&op->source);
   op->to = whole(&op->destination);
   if (!op->source.address)
      return op->opcode == CF_OPCODE_INVALIDATE;
   return op->opcode == CF_OPCODE_COPY     ? fill_copy(op, of->packet)
          : op->opcode == CF_OPCODE_GATHER ? fill_gather(op, player, of->packet)
                                           : true;
}

static bool
add_op(struct why_plan *plan, const struct look_player *player,
       const struct look_submission *submission, const struct look_ops *ops,
       const struct look_op *of)
{
   struct why_op op = { .submission = submission->number,
                        .frame_number = look_player_frames(player),
                        .packet = look_packet_address(submission, of->packet),
                        .opcode = of->opcode,
                        .draw = of->draw,
                        .frame = plan->frames - 1 };
   const struct look_written written = look_op_written(player, &ops->state, of);
   const bool draws = op.opcode == CF_OPCODE_DRAW || op.opcode == CF_OPCODE_CLEAR;
   if (!draws && !fill_transfer(&op, player, of, &written)) {
      free(op.columns);
      free(op.rows);
      return true;
   }
   if (!grow((void **)&plan->op, plan->ops, &plan->op_capacity, sizeof(op)))
      return false;
   plan->op[plan->ops++] = op;
   return true;
}

static bool
add_submission(struct why_plan *plan, const struct look_player *player,
               const struct look_submission *submission, struct look_ops *ops)
{
   struct cf_framebuffer framebuffer = { 0 };
   struct look_op op;
   look_ops_enter(ops, submission);
   bool ok = add_frame(plan, player, &framebuffer);
   while (ok && look_ops_next(ops, &op)) {
      if (memcmp(&framebuffer, &ops->state.framebuffer, sizeof(framebuffer)) != 0) {
         framebuffer = ops->state.framebuffer;
         ok = add_frame(plan, player, &framebuffer);
      }
      ok = ok && add_op(plan, player, submission, ops, &op);
   }
   plan->draws = ops->draws;
   return ok;
}

/* ------------------------------------------------------------------ which image */

static bool
has_color(const struct cf_surface *surface)
{
   return surface->address && !(cf_format_info_of(surface->format)->uses & CF_USE_DEPTH_STENCIL);
}

/* The image with these pixels, as the last operation that names it has it. */
static bool
named_image(const struct why_plan *plan, uint64_t address, struct cf_surface *image)
{
   for (uint32_t i = plan->ops; i-- > 0;) {
      const struct why_op *op = &plan->op[i];
      const bool drawn = op->opcode == CF_OPCODE_DRAW || op->opcode == CF_OPCODE_CLEAR;
      for (uint32_t t = 0; t < WHY_IMAGES && drawn; t++) {
         *image = plan->frame[op->frame].image[t];
         if (image->address == address)
            return true;
      }
      *image = op->destination;
      if (image->address == address)
         return true;
      *image = op->source;
      if (image->address == address)
         return true;
   }
   return false;
}

/* The colour image that was written last. */
static bool
last_image(const struct why_plan *plan, struct cf_surface *image)
{
   for (uint32_t i = plan->ops; i-- > 0;) {
      const struct why_op *op = &plan->op[i];
      const bool drawn = op->opcode == CF_OPCODE_DRAW || op->opcode == CF_OPCODE_CLEAR;
      *image = drawn ? plan->frame[op->frame].image[0] : op->destination;
      if (has_color(image) && op->opcode != CF_OPCODE_INVALIDATE)
         return true;
   }
   return false;
}

static bool
choose_image(const struct why_question *question, struct why_plan *plan,
             const struct look_player *player, char *error, size_t error_B)
{
   if (question->image && !named_image(plan, question->image, &plan->shown))
      return look_fails(error, error_B,
                   "no operation of the capture names an image 0x%" PRIx64
                   "; see 'clipfree replay --print'",
                   question->image);
   if (!question->image && !look_player_presented(player, &plan->shown) &&
       !last_image(plan, &plan->shown))
      return look_fails(error, error_B, "the capture draws to no image");
   if (question->draw != WHY_NO_DRAW && question->draw >= plan->draws)
      return look_fails(error, error_B, "there is no draw %lu; the capture has draws 0 to %" PRIu32,
                   question->draw, plan->draws - 1);
   if (question->x_px >= plan->shown.width_px || question->y_px >= plan->shown.height_px)
      return look_fails(error, error_B,
                        "there is no pixel %" PRIu32 ",%" PRIu32 "; the image has %" PRIu32
                        " x %" PRIu32 " pixels",
                        question->x_px, question->y_px, plan->shown.width_px,
                        plan->shown.height_px);
   return true;
}

/* ------------------------------------------------------------------ watches */

static bool
inside(const struct cf_rect *r, uint32_t x_px, uint32_t y_px)
{
   return x_px >= r->min_x_px && x_px < r->max_x_px && y_px >= r->min_y_px && y_px < r->max_y_px;
}

/* The pixel of the source that a copy brings to pixel (x, y). False: it is no copy of one pixel. */
static bool
source_pixel(const struct why_op *op, uint32_t *x_px, uint32_t *y_px)
{
   const uint32_t x = *x_px - op->to.min_x_px, y = *y_px - op->to.min_y_px;
   if (op->opcode == CF_OPCODE_COPY) {
      *x_px = op->from.min_x_px + x;
      *y_px = op->from.min_y_px + y;
      return true;
   }
   if (op->opcode != CF_OPCODE_GATHER)
      return false;
   *x_px = op->columns[x];
   *y_px = op->rows[y];
   return true;
}

/* Whether the operation replaces all of the watched pixel by a transfer. */
static bool
is_transfer_to(const struct why_op *op, const struct why_watch *watch)
{
   return op->destination.address == watch->image.address && !op->part &&
          op->opcode != CF_OPCODE_DRAW && op->opcode != CF_OPCODE_CLEAR &&
          inside(&op->to, watch->x_px, watch->y_px);
}

/* Where the watched pixel begins: at the last transfer that replaces it. If that is a copy, its
 * source is watched before. */
static void
trace(struct why_plan *plan, uint32_t number)
{
   struct why_watch *watch = &plan->watch[number];
   uint32_t i = watch->last;
   while (i > 0 && !is_transfer_to(&plan->op[i - 1], watch))
      i--;
   watch->first = i ? i - 1 : 0;
   if (i == 0 || plan->watches == WHY_WATCHES)
      return;
   struct why_watch source = { .image = plan->op[i - 1].source,
                               .x_px = watch->x_px,
                               .y_px = watch->y_px,
                               .last = i - 1,
                               .copied_to = number };
   if (source_pixel(&plan->op[i - 1], &source.x_px, &source.y_px))
      plan->watch[plan->watches++] = source;
}

struct look_player *
why_play(const struct why_question *question, const struct cf_model_config *config, char *error,
         size_t error_B)
{
   return question->reader ? look_player_open_reader(question->reader, config, error, error_B)
                           : look_player_open(question->path, config, error, error_B);
}

static bool
scan(const struct why_question *question, struct why_plan *plan, struct look_player *player,
     char *error, size_t error_B)
{
   struct look_submission submission;
   struct look_ops ops = { 0 };
   int found;
   while ((found = look_player_next(player, &submission, error, error_B)) > 0) {
      why_edit(question, player, &submission);
      if (!add_submission(plan, player, &submission, &ops))
         return look_fails(error, error_B, "out of memory");
   }
   return found == 0 && choose_image(question, plan, player, error, error_B);
}

bool
why_plan_make(const struct why_question *question, struct why_plan *plan, char *error,
              size_t error_B)
{
   *plan = (struct why_plan){ 0 };
   struct look_player *player = why_play(question, NULL, error, error_B);
   if (!player)
      return false;
   look_player_warn(player, question->path);
   const bool ok = scan(question, plan, player, error, error_B);
   look_player_close(player);
   if (!ok)
      return false;
   plan->watch[plan->watches++] = (struct why_watch){
      .image = plan->shown, .x_px = question->x_px, .y_px = question->y_px, .last = plan->ops
   };
   for (uint32_t i = 0; i < plan->watches; i++)
      trace(plan, i);
   return true;
}

void
why_plan_free(struct why_plan *plan)
{
   for (uint32_t i = 0; i < plan->ops; i++) {
      free(plan->op[i].columns);
      free(plan->op[i].rows);
   }
   free(plan->op);
   free(plan->frame);
}

const struct why_op *
why_plan_op(const struct why_plan *plan, uint32_t submission, uint64_t packet)
{
   uint32_t low = 0, high = plan->ops;
   while (low < high) {
      const uint32_t middle = (low + high) / 2;
      const struct why_op *op = &plan->op[middle];
      if (op->submission < submission || (op->submission == submission && op->packet < packet))
         low = middle + 1;
      else
         high = middle;
   }
   const struct why_op *op = &plan->op[low];
   return low < plan->ops && op->submission == submission && op->packet == packet ? op : NULL;
}

int
why_plan_watch(const struct why_plan *plan, const struct why_op *op, uint32_t x_px, uint32_t y_px,
               uint32_t *target)
{
   const uint32_t index = (uint32_t)(op - plan->op);
   for (uint32_t w = 0; w < plan->watches; w++) {
      const struct why_watch *watch = &plan->watch[w];
      if (watch->x_px != x_px || watch->y_px != y_px || index < watch->first ||
          index >= watch->last)
         continue;
      for (uint32_t t = 0; t < WHY_IMAGES; t++) {
         if (plan->frame[op->frame].image[t].address == watch->image.address) {
            *target = t;
            return (int)w;
         }
      }
   }
   return -1;
}

bool
why_plan_wants_tile(const struct why_plan *plan, uint32_t tile_x, uint32_t tile_y)
{
   bool wanted = false;
   for (uint32_t w = 0; w < plan->watches; w++) {
      const struct why_watch *watch = &plan->watch[w];
      wanted |= watch->x_px / CF_TILE_PX == tile_x && watch->y_px / CF_TILE_PX == tile_y;
   }
   return wanted;
}
