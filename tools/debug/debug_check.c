/* SPDX-License-Identifier: MIT */
#include "debug_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "look/look_error.h"
#include "look/look_pixel.h"
#include "look/look_step.h"

#include "debug_task.h"

/* A pixel that was chosen: what its last fragment left. */
struct pixel {
   bool chosen, drawn;
   uint32_t color[4];
};

struct check {
   struct cf_surface image;
   struct pixel *pixel;   /* of the image, row by row */
   uint32_t last, end_dw; /* submission of the last draw, and where its packet ends */
   uint64_t random;
   bool watching;
   /* the current task, stepped */
   struct debug_task task;
   bool stepped;
   uint64_t draw;
   struct cf_task_quad quad[CF_TASK_QUADS];
   uint32_t quads;
   uint64_t tasks, fragments, back;
   uint32_t equal;
   double back_s, longest_s;
   char *error;
   size_t error_B;
   bool failed;
};

/* ------------------------------------------------------------------ chance */

static uint64_t
random_of(uint64_t *state)
{
   uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15)); /* splitmix64 */
   z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
   z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
   return z ^ z >> 31;
}

static void
choose(struct check *c, uint32_t count)
{
   const uint64_t all = (uint64_t)c->image.width_px * c->image.height_px;
   for (uint64_t i = 0; i < all && count >= all; i++)
      c->pixel[i].chosen = true;
   for (uint32_t chosen = 0; chosen < count && count < all;) {
      struct pixel *pixel = &c->pixel[random_of(&c->random) % all];
      chosen += !pixel->chosen;
      pixel->chosen = true;
   }
}

/* ------------------------------------------------------------------ tasks */

static struct pixel *
pixel_at(const struct check *c, uint32_t x_px, uint32_t y_px)
{
   return x_px < c->image.width_px && y_px < c->image.height_px
             ? &c->pixel[(uint64_t)y_px * c->image.width_px + x_px]
             : NULL;
}

static bool
has_chosen(const struct check *c, const struct cf_task_event *e)
{
   for (uint32_t lane = 0; e->quad && lane < 4 * e->quads; lane++) {
      const struct cf_task_quad *quad = &e->quad[lane / 4];
      const struct pixel *pixel =
         pixel_at(c, quad->x_px + (lane & 1), quad->y_px + (lane >> 1 & 1));
      if (e->lanes >> lane & 1 && pixel && pixel->chosen)
         return true;
   }
   return false;
}

static double
now_s(void)
{
   struct timespec t;
   clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
   return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* To the end, an instruction back, to a random position and back to the end. */
static void
step_about(struct check *c)
{
   const uint32_t steps = c->task.steps;
   debug_task_seek(&c->task, steps);
   const double start_s = now_s();
   debug_task_seek(&c->task, steps - 1);
   const double took_s = now_s() - start_s;
   c->back_s += took_s;
   c->longest_s = took_s > c->longest_s ? took_s : c->longest_s;
   c->back++;
   debug_task_seek(&c->task, (uint32_t)(random_of(&c->random) % steps));
   debug_task_seek(&c->task, steps);
}

static void
begin_task(void *user, const struct cf_task_event *e)
{
   struct check *c = user;
   if (c->stepped)
      debug_task_end(&c->task);
   c->stepped = false;
   if (!c->watching || c->failed || !has_chosen(c, e))
      return;
   c->stepped = debug_task_begin(&c->task, e);
   c->draw = e->draw;
   c->quads = e->quads;
   memcpy(c->quad, e->quad, e->quads * sizeof(c->quad[0]));
   if (c->stepped)
      step_about(c);
   else
      c->failed = !look_fails(c->error, c->error_B, "out of memory");
   c->tasks++;
}

/* The outputs of the task itself are those that were stepped to. */
static void
end_task(void *user, const struct cf_task_event *e)
{
   struct check *c = user;
   const struct cf_task *real = e->run->task, *mine = c->stepped ? &c->task.now->task : NULL;
   if (!mine || c->failed)
      return;
   c->failed = real->alive != mine->alive || real->timed_out != mine->timed_out;
   for (uint32_t i = 0; i < CF_MAX_OUTPUTS && !c->failed; i++) {
      for (uint32_t lane = 0; lane < CF_TASK_LANES && !c->failed; lane++)
         c->failed = c->task.now->out[i] >> lane & 1 && real->out[i][lane] != mine->out[i][lane];
   }
   if (c->failed)
      look_fails(c->error, c->error_B,
                 "draw at 0x%" PRIx64 ", quad at %u,%u: stepping gives other outputs than the task",
                 e->draw, e->quad[0].x_px, e->quad[0].y_px);
}

/* ------------------------------------------------------------------ pixels */

static uint32_t
lane_of(const struct check *c, const struct cf_fragment_event *e)
{
   for (uint32_t q = 0; q < c->quads; q++) {
      const uint32_t x = e->x_px - c->quad[q].x_px, y = e->y_px - c->quad[q].y_px;
      if (x <= 1 && y <= 1 && c->quad[q].primitive == e->primitive)
         return 4 * q + x + 2 * y;
   }
   return UINT32_MAX;
}

static void
see_fragment(void *user, const struct cf_fragment_event *e)
{
   struct check *c = user;
   struct pixel *pixel = pixel_at(c, e->x_px, e->y_px);
   const uint32_t lane = c->stepped && e->draw == c->draw ? lane_of(c, e) : UINT32_MAX;
   if (c->failed || !pixel || !pixel->chosen || lane == UINT32_MAX || !e->color_count)
      return;
   c->fragments++;
   for (uint32_t i = 0; i < 3; i++) {
      if (c->task.now->out[i] >> lane & 1 &&
          memcmp(&e->color[i], &c->task.now->task.out[i][lane], 4))
         c->failed = true;
   }
   if (c->failed)
      look_fails(c->error, c->error_B, "pixel %u,%u: its colour is not what stepping gives",
                 e->x_px, e->y_px);
   if (e->sample == 0 && e->fate == CF_FATE_WRITTEN) {
      memcpy(pixel->color, e->color_after[0], sizeof(pixel->color));
      pixel->drawn = true;
   }
}

/* The frame buffer holds what the last fragments left. Returns how many pixels that is. */
static uint32_t
compare_frame(struct check *c, const struct look_player *player)
{
   uint32_t equal = 0;
   for (uint32_t y = 0; y < c->image.height_px && !c->failed; y++) {
      for (uint32_t x = 0; x < c->image.width_px && !c->failed; x++) {
         const struct pixel *pixel = pixel_at(c, x, y);
         uint32_t there[4] = { 0 };
         if (!pixel->drawn)
            continue;
         c->failed = !look_pixel_read(player, &c->image, x, y, 0, there) ||
                     memcmp(there, pixel->color, sizeof(there)) != 0;
         equal += !c->failed;
         if (c->failed)
            look_fails(c->error, c->error_B,
                       "pixel %" PRIu32 ",%" PRIu32 ": the frame buffer holds 0x%08" PRIx32
                       ", its last fragment left 0x%08" PRIx32,
                       x, y, there[0], pixel->color[0]);
      }
   }
   return equal;
}

/* ------------------------------------------------------------------ runs */

/* The image of the last draw, and where that is. */
static bool
find_image(const char *path, struct check *c)
{
   struct look_player *player = look_player_open(path, NULL, c->error, c->error_B);
   struct look_submission submission;
   struct look_ops ops = { 0 };
   struct look_op op;
   bool found = false;
   int next = player ? 1 : -1;
   while (next > 0 && (next = look_player_next(player, &submission, c->error, c->error_B)) > 0) {
      look_ops_enter(&ops, &submission);
      while (look_ops_next(&ops, &op)) {
         const struct look_written written = look_op_written(player, &ops.state, &op);
         if (op.draw == LOOK_NO_DRAW || !written.images || written.image[0].target != 0)
            continue;
         c->image = written.image[0].surface;
         c->last = submission.number;
         c->end_dw = op.at_dw + op.dwords;
         found = true;
      }
   }
   if (player)
      look_player_close(player);
   return next == 0 &&
          (found || look_fails(c->error, c->error_B, "no draw of the capture has a colour image"));
}

/* Forget what was drawn before a clear or a copy of the image. */
static void
forget(struct check *c)
{
   const uint64_t all = (uint64_t)c->image.width_px * c->image.height_px;
   for (uint64_t i = 0; i < all; i++)
      c->pixel[i].drawn = false;
}

static bool
writes_image(const struct check *c, const struct look_written *written)
{
   for (uint32_t i = 0; i < written->images; i++) {
      if (written->image[i].target == 0 && written->image[i].surface.address == c->image.address)
         return true;
   }
   return false;
}

/* Run an operation; watched are draws to the image. False: it is after the last one. */
static bool
step(void *user, struct look_steps *steps, const struct look_state *state, const struct look_op *op)
{
   struct check *c = user;
   if (steps->submission.number == c->last && op->at_dw >= c->end_dw)
      return false;
   const struct look_written written = look_op_written(steps->player, state, op);
   const bool writes = writes_image(c, &written);
   c->watching = writes && op->draw != LOOK_NO_DRAW;
   if (writes && !c->watching)
      forget(c);
   look_steps_run(steps, op);
   return true;
}

static bool
run(struct check *c, struct look_player *player)
{
   struct look_submission submission;
   int next;
   while ((next = look_player_next(player, &submission, c->error, c->error_B)) > 0 &&
          submission.number <= c->last) {
      struct look_ops ops = { 0 };
      if (!look_steps_each(player, &submission, &ops, step, c))
         return look_fails(c->error, c->error_B, "out of memory");
      look_player_forgive(player);
   }
   return next >= 0;
}

static bool
check(struct check *c, const char *path)
{
   const struct cf_observer observer = {
      .user = c, .task_begin = begin_task, .task_end = end_task, .fragment = see_fragment
   };
   const struct cf_model_config config = { .threads = 0,
                                           .memory_B = CF_CAPTURE_MAX_ADDRESS,
                                           .engine = CF_ENGINE_INTERP,
                                           .path = CF_PATH_PLAIN,
                                           .no_disk_cache = true,
                                           .observer = &observer };
   struct look_player *player = look_player_open(path, &config, c->error, c->error_B);
   if (!player)
      return false;
   const bool ran = run(c, player);
   c->equal = ran && !c->failed ? compare_frame(c, player) : 0;
   look_player_close(player);
   if (c->stepped)
      debug_task_end(&c->task);
   return ran && !c->failed;
}

bool
debug_check(const char *path, uint32_t pixels, uint64_t seed, char *error, size_t error_B)
{
   struct check c = { .random = seed, .error = error, .error_B = error_B };
   if (!find_image(path, &c))
      return false;
   c.pixel = calloc((size_t)c.image.width_px * c.image.height_px, sizeof(*c.pixel));
   if (!c.pixel)
      return look_fails(error, error_B, "out of memory");
   choose(&c, pixels);
   const bool ok = check(&c, path);
   if (ok)
      printf("seed %" PRIu64 ": %" PRIu32 " pixels are those of the frame buffer; %" PRIu64
             " fragments in %" PRIu64 " tasks, stepped to and fro; a step back takes %.3f ms, the "
             "longest %.3f ms\n",
             seed, c.equal, c.fragments, c.tasks, c.back ? 1e3 * c.back_s / (double)c.back : 0,
             1e3 * c.longest_s);
   free(c.pixel);
   return ok;
}
