/* SPDX-License-Identifier: MIT */
#include "why_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_pixel.h"
#include "look/look_state.h"

#include "clipfree/memory/cf_surface.h"
#include "clipfree/shader/cf_run.h"

#include "why_describe.h"
#include "why_endless.h"

#define SHADINGS 64 /* of watched pixels that are remembered: more than a task has */

struct run {
   const struct why_plan *plan;
   const struct why_candidates *candidates;
   struct why_events *events;
   const struct look_player *player;
   uint32_t submission;
   bool out_of_memory;
   bool all_tiles; /* are watched, not those of watched pixels alone */
   struct why_shading *shading; /* a ring of SHADINGS */
   uint32_t shadings;           /* in all */
   /* of the task that runs now */
   uint32_t first_running; /* its shadings: from here to `shadings` */
   struct why_loop loop;
};

const char *
why_rule_name(enum why_rule rule)
{
   static const char *const names[] = {
      [WHY_RULE_NONE] = "none",
      [WHY_RULE_CULLED] = "culled",
      [WHY_RULE_DISCARD] = "discard",
      [WHY_RULE_SCISSOR] = "scissor",
      [WHY_RULE_NEAR] = "near plane",
      [WHY_RULE_FAR] = "far plane",
      [WHY_RULE_CLIP_PLANE] = "clip plane",
      [WHY_RULE_STIPPLE] = "stipple",
      [WHY_RULE_SAMPLE_MASK] = "sample mask",
      [WHY_RULE_NOT_RUN] = "not run",
      [WHY_RULE_UNKNOWN] = "unknown",
   };
   return names[rule];
}

/* ------------------------------------------------------------------ events */

static struct why_event *
add_event(struct run *run, enum why_kind kind, uint32_t op)
{
   struct why_events *events = run->events;
   if (events->count == events->capacity) {
      const uint32_t capacity = 2 * events->capacity + 64;
      struct why_event *grown = realloc(events->event, capacity * sizeof(*grown));
      run->out_of_memory |= !grown;
      if (!grown)
         return NULL;
      events->event = grown;
      events->capacity = capacity;
   }
   struct why_event *event = &events->event[events->count];
   *event = (struct why_event){ .kind = kind, .op = op, .order = events->count };
   events->count++;
   return event;
}

/* The operation of a packet, if pixel (x, y) is watched in it; else NULL. */
static const struct why_op *
watched(const struct run *run, uint64_t packet, uint32_t x_px, uint32_t y_px,
        struct why_event *place)
{
   const struct why_op *op = why_plan_op(run->plan, run->submission, packet);
   const int watch = op ? why_plan_watch(run->plan, op, x_px, y_px, &place->target) : -1;
   if (watch < 0)
      return NULL;
   place->watch = (uint32_t)watch;
   place->op = (uint32_t)(op - run->plan->op);
   return op;
}

/* ------------------------------------------------------------------ shading */

static struct why_shading *
shading_at(const struct run *run, uint32_t number)
{
   return &run->shading[number % SHADINGS];
}

/* Follow the lanes of watched pixels. */
static void
note_task_begin(void *user, const struct cf_task_event *task)
{
   struct run *run = user;
   why_loop_begin(&run->loop);
   run->first_running = run->shadings;
   for (uint32_t lane = 0; task->quad && lane < 4 * task->quads; lane++) {
      const struct cf_task_quad *quad = &task->quad[lane / 4];
      struct why_event place = { 0 };
      if (task->lanes >> lane & 1 &&
          watched(run, task->draw, quad->x_px + (lane & 1), quad->y_px + (lane >> 1 & 1), &place))
         why_shading_begin(shading_at(run, run->shadings++), task, lane);
   }
}

static void
note_instruction(void *user, const struct cf_task_event *task)
{
   struct run *run = user;
   why_loop_instruction(&run->loop, task);
   for (uint32_t i = run->first_running; i < run->shadings; i++)
      why_shading_instruction(shading_at(run, i), task);
}

/* Keep that the watchdog ended the task, of one lane that was in the loop: a watched one if there
 * is one. */
static void
add_ended(struct run *run, const struct cf_task_event *task, uint32_t loops)
{
   const struct why_op *op = why_plan_op(run->plan, run->submission, task->draw);
   struct why_event *event =
      op ? add_event(run, WHY_WATCHDOG, (uint32_t)(op - run->plan->op)) : NULL;
   struct why_shading *shading = malloc(sizeof(*shading));
   uint32_t lane = (uint32_t)__builtin_ctz(loops & task->lanes ? loops & task->lanes : loops);
   for (uint32_t i = run->first_running; i < run->shadings; i++)
      lane = loops >> shading_at(run, i)->lane & 1 ? shading_at(run, i)->lane : lane;
   const bool ok = event && shading && why_follow_again(task, lane, shading);
   run->out_of_memory |= !ok;
   if (ok) {
      event->primitive = shading->primitive;
      event->ended = (struct why_ended){ .vertices = !task->quad,
                                         .instruction = run->loop.at,
                                         .x_px = shading->x_px,
                                         .y_px = shading->y_px };
      if (!task->quad) {
         event->ended.element = task->element[lane];
         event->ended.vertex = task->vertex[lane];
         event->ended.instance = task->instance[lane];
      }
      event->branches = why_shading_json(shading, WHY_BRANCHES);
   }
   free(shading);
}

static void
note_task_end(void *user, const struct cf_task_event *task)
{
   struct run *run = user;
   const bool ended = task->run->task->timed_out;
   const uint32_t loops = why_loop_lanes(&run->loop);
   for (uint32_t i = run->first_running; i < run->shadings; i++) {
      struct why_shading *shading = shading_at(run, i);
      why_shading_end(shading, task);
      if (ended)
         shading->end = loops >> shading->lane & 1 ? WHY_END_ENDLESS : WHY_END_WITH_TASK;
   }
   if (ended)
      add_ended(run, task, loops);
   run->first_running = run->shadings;
}

/* The shading that a fragment comes from; NULL: it was not followed. */
static struct why_shading *
shading_of(struct run *run, const struct cf_fragment_event *e)
{
   const uint32_t least = run->shadings > SHADINGS ? run->shadings - SHADINGS : 0;
   for (uint32_t i = run->shadings; i-- > least;) {
      struct why_shading *s = shading_at(run, i);
      if (s->draw == e->draw && s->primitive == e->primitive && s->x_px == e->x_px &&
          s->y_px == e->y_px)
         return s;
   }
   return NULL;
}

/* ------------------------------------------------------------------ fragments, primitives, clears
 */

/* The primitive's candidate, which covers the pixel; NULL: it is none. */
static const struct why_candidate *
see_candidate(const struct run *run, uint32_t op, uint32_t primitive)
{
   struct why_candidate *candidate = why_candidate_of(run->candidates, op, primitive);
   if (candidate)
      candidate->seen = true;
   return candidate;
}

/* What the fragment was computed from: the colour that is watched, or what killed it. */
static uint32_t
output_of(const struct why_event *event)
{
   if (event->fragment.fate == CF_FATE_KILLED)
      return WHY_KILLED;
   return event->target < CF_MAX_COLOR_TARGETS ? event->target : WHY_DEPTH;
}

/* Keep what the fragment was computed from. */
static void
keep_inputs(struct run *run, struct why_event *event)
{
   struct why_shading *shading = shading_of(run, &event->fragment);
   if (!shading || event->kind == WHY_EARLY)
      return;
   if (event->fragment.blends_second)
      why_shading_join(shading, 0, 1);
   event->kill_at = shading->kill_at;
   event->end = shading->kill_at == UINT32_MAX ? shading->end : WHY_END_DONE;
   event->not_finite_at = event->fragment.fate == CF_FATE_KILLED
                             ? WHY_FINITE
                             : why_shading_not_finite(shading, output_of(event));
   event->inputs = why_shading_json(shading, output_of(event));
   if (why_shading_branched(shading))
      event->branches = why_shading_json(shading, WHY_BRANCHES);
}

static void
add_fragment(struct run *run, enum why_kind kind, const struct cf_fragment_event *e)
{
   struct why_event place = { 0 };
   if (!watched(run, e->draw, e->x_px, e->y_px, &place))
      return;
   struct why_event *event = add_event(run, kind, place.op);
   if (!event)
      return;
   event->watch = place.watch;
   event->target = place.target;
   event->primitive = e->primitive;
   event->fragment = *e;
   keep_inputs(run, event);
   const struct why_candidate *candidate = see_candidate(run, place.op, e->primitive);
   if (candidate)
      event->hiz = candidate->hiz;
}

static void
note_fragment(void *user, const struct cf_fragment_event *e)
{
   add_fragment(user, WHY_FRAGMENT, e);
}

static void
note_early_test(void *user, const struct cf_fragment_event *e)
{
   if (e->fate != CF_FATE_WRITTEN) /* else it is reported again */
      add_fragment(user, WHY_EARLY, e);
}

static void
note_primitive(void *user, const struct cf_primitive_event *e)
{
   struct run *run = user;
   if (e->drop == CF_DROP_NONE || run->candidates->count == 0)
      return;
   const struct why_op *op = why_plan_op(run->plan, run->submission, e->draw);
   struct why_candidate *candidate =
      op ? why_candidate_of(run->candidates, (uint32_t)(op - run->plan->op), e->primitive) : NULL;
   if (candidate)
      candidate->drop = e->drop;
}

/* Keep what hierarchical Z would say of the block of a watched pixel. */
static void
note_hiz(struct run *run, const struct cf_block_event *e, uint32_t op)
{
   struct why_candidate *candidate = why_candidate_of(run->candidates, op, e->primitive);
   const struct why_frame *frame = &run->plan->frame[run->plan->op[op].frame];
   if (candidate)
      candidate->hiz = why_hiz_of(run->player, &frame->image[CF_MAX_COLOR_TARGETS], e);
}

/* A watched pixel that the primitive covers, or whose coverage stipple or the sample mask removed.
 */
static void
note_block_pixel(struct run *run, const struct cf_block_event *e, uint32_t x_px, uint32_t y_px)
{
   struct why_event place = { 0 };
   const uint32_t bit = cf_block_element(x_px, y_px);
   uint32_t covered = 0, stippled = 0;
   for (uint32_t s = 0; s < CF_SAMPLES; s++) {
      covered |= (e->covered[s] >> bit & 1u) << s;
      stippled |= (e->stippled[s] >> bit & 1u) << s;
   }
   const bool masked = covered && !(covered & e->sample_mask);
   if (!(covered | stippled) || !watched(run, e->draw, x_px, y_px, &place))
      return;
   note_hiz(run, e, place.op);
   if (!masked && covered)
      return;
   struct why_event *event = add_event(run, WHY_REMOVED, place.op);
   if (!event)
      return;
   event->watch = place.watch;
   event->target = place.target;
   event->primitive = e->primitive;
   event->rule = masked ? WHY_RULE_SAMPLE_MASK : WHY_RULE_STIPPLE;
   see_candidate(run, place.op, e->primitive);
}

static bool
in_block(const struct cf_block_event *e, const struct why_watch *watch)
{
   return watch->x_px - e->x_px < CF_BLOCK_PX && watch->y_px - e->y_px < CF_BLOCK_PX;
}

static void
note_block(void *user, const struct cf_block_event *e)
{
   struct run *run = user;
   for (uint32_t w = 0; w < run->plan->watches; w++) {
      const struct why_watch *watch = &run->plan->watch[w];
      bool first = in_block(e, watch); /* of the watches of this pixel */
      for (uint32_t i = 0; i < w && first; i++)
         first = run->plan->watch[i].x_px != watch->x_px || run->plan->watch[i].y_px != watch->y_px;
      if (first)
         note_block_pixel(run, e, watch->x_px, watch->y_px);
   }
}

static void
note_clear(void *user, const struct cf_clear_event *e)
{
   struct run *run = user;
   for (uint32_t w = 0; w < run->plan->watches; w++) {
      const struct why_watch *watch = &run->plan->watch[w];
      struct why_event place = { 0 };
      if (watch->x_px < e->min_x_px || watch->x_px >= e->max_x_px || watch->y_px < e->min_y_px ||
          watch->y_px >= e->max_y_px || !watched(run, e->draw, watch->x_px, watch->y_px, &place) ||
          place.watch != w || !(e->images >> place.target & 1))
         continue;
      struct why_event *event = add_event(run, WHY_CLEAR, place.op);
      if (!event)
         return;
      event->watch = place.watch;
      event->target = place.target;
      memcpy(event->value, e->value[place.target], e->pixel_B[place.target]);
      memcpy(event->mask, e->mask[place.target], e->pixel_B[place.target]);
   }
}

/* ------------------------------------------------------------------ what no event says */

/* Primitives of the submission's draws that would cover a watched pixel and do not. */
static void
add_missed(struct run *run)
{
   for (uint32_t i = 0; i < run->candidates->count; i++) {
      const struct why_candidate *candidate = &run->candidates->entry[i];
      if (candidate->seen || run->plan->op[candidate->op].submission != run->submission)
         continue;
      struct why_event *event = add_event(run, WHY_MISSED, candidate->op);
      if (!event)
         return;
      event->watch = candidate->watch;
      event->target = candidate->target;
      event->primitive = candidate->primitive;
      event->missed = *candidate;
   }
}

/* Transfers that bring a watched pixel. */
static void
add_transfers(struct run *run)
{
   for (uint32_t w = 0; w < run->plan->watches; w++) {
      const struct why_watch *watch = &run->plan->watch[w];
      const struct why_op *op = &run->plan->op[watch->first];
      if (watch->first == watch->last || op->submission != run->submission ||
          op->opcode == CF_OPCODE_DRAW || op->opcode == CF_OPCODE_CLEAR ||
          op->destination.address != watch->image.address)
         continue;
      struct why_event *event = add_event(run, WHY_TRANSFER, watch->first);
      if (event)
         event->watch = w;
   }
}

/* Describe the submission's events while memory has what its packets name. */
static void
end_submission(struct run *run, const struct look_player *player,
               const struct look_submission *submission, uint32_t first)
{
   add_missed(run);
   add_transfers(run);
   for (uint32_t i = first; i < run->events->count; i++) {
      struct why_event *event = &run->events->event[i];
      const struct why_place place = { run->plan, run->events, player, submission };
      event->json = why_describe(&place, event);
   }
}

/* By operation; transfers, which were found last, are alone in theirs. Missed primitives stand
 * where their number says: drawing order. */
static int
by_order(const void *a, const void *b)
{
   const struct why_event *x = a, *y = b;
   if (x->op != y->op)
      return x->op < y->op ? -1 : 1;
   if (x->primitive != y->primitive)
      return x->primitive < y->primitive ? -1 : 1;
   return (x->order > y->order) - (x->order < y->order);
}

/* Whether the watchdog ended the submission, whose events begin with number `first`. */
static bool
was_ended(const struct run *run, uint32_t first)
{
   bool ended = false;
   for (uint32_t i = first; i < run->events->count; i++)
      ended |= run->events->event[i].kind == WHY_WATCHDOG;
   return ended;
}

static int
run_submissions(struct run *run, const struct why_question *question, struct look_player *player,
                char *error, size_t error_B)
{
   struct look_submission submission;
   int found;
   while ((found = look_player_next(player, &submission, error, error_B)) > 0) {
      const uint32_t first = run->events->count;
      run->submission = submission.number;
      why_edit(question, player, &submission);
      look_player_run(player, &submission);
      if (was_ended(run, first))
         look_player_forgive(player);
      end_submission(run, player, &submission, first);
   }
   return found;
}

static void
read_final(const struct why_plan *plan, const struct look_player *player, struct why_events *events)
{
   const struct why_watch *watch = &plan->watch[0];
   const uint32_t samples = watch->image.samples > 1 ? watch->image.samples : 1;
   events->has_final = true;
   for (uint32_t s = 0; s < samples; s++)
      events->has_final &=
         look_pixel_read(player, &watch->image, watch->x_px, watch->y_px, s, events->final[s]);
}

/* Those of the watched pixels; or all, where a program that does not end may be in any. */
static bool
wants_tile(void *user, uint32_t tile_x, uint32_t tile_y)
{
   const struct run *run = user;
   return run->all_tiles || why_plan_wants_tile(run->plan, tile_x, tile_y);
}

/* Run the capture. Negative: `error`. */
static int
run_capture(struct run *run, const struct why_question *question, char *error, size_t error_B)
{
   const struct cf_observer observer = { .user = run,
                                         .primitive = note_primitive,
                                         .wants_tile = wants_tile,
                                         .fragment_tasks = !run->all_tiles,
                                         .block = note_block,
                                         .early_test = note_early_test,
                                         .fragment = note_fragment,
                                         .clear = note_clear,
                                         .task_begin = note_task_begin,
                                         .instruction = note_instruction,
                                         .task_end = note_task_end };
   const struct cf_model_config config = { .threads = 0,
                                           .memory_B = CF_CAPTURE_MAX_ADDRESS,
                                           .engine =
                                              run->all_tiles ? CF_ENGINE_INTERP : CF_ENGINE_AUTO,
                                           .path = CF_PATH_PLAIN,
                                           .observer = &observer };
   struct look_player *player = why_play(question, &config, error, error_B);
   if (!player)
      return -1;
   run->player = player;
   const int found = run_submissions(run, question, player, error, error_B);
   read_final(run->plan, player, run->events);
   look_player_close(player);
   return found;
}

bool
why_run(const struct why_question *question, const struct why_plan *plan,
        const struct why_candidates *candidates, struct why_events *events, char *error,
        size_t error_B)
{
   struct run run = { .plan = plan, .candidates = candidates, .events = events };
   int found = -1;
   *events = (struct why_events){ 0 };
   run.shading = malloc(SHADINGS * sizeof(*run.shading));
   run.out_of_memory = !run.shading;
   if (run.shading)
      found = run_capture(&run, question, error, error_B);
   if (found < 0 && run.shading) { /* perhaps the watchdog, in a tile that was not watched */
      why_events_free(events);
      *events = (struct why_events){ 0 };
      run.all_tiles = true;
      run.shadings = run.first_running = 0;
      found = run_capture(&run, question, error, error_B);
   }
   free(run.shading);
   if (events->count)
      qsort(events->event, events->count, sizeof(*events->event), by_order);
   if (run.out_of_memory)
      snprintf(error, error_B, "out of memory");
   return found == 0 && !run.out_of_memory;
}

const struct why_event *
why_ended_before(const struct why_plan *plan, const struct why_events *events, uint32_t op)
{
   for (uint32_t i = 0; i < events->count; i++) {
      const struct why_event *event = &events->event[i];
      const struct why_op *ended = &plan->op[event->op];
      if (event->kind == WHY_WATCHDOG && ended->submission == plan->op[op].submission &&
          (event->op <= op || ended->frame == plan->op[op].frame))
         return event;
   }
   return NULL;
}

void
why_events_free(struct why_events *events)
{
   for (uint32_t i = 0; i < events->count; i++)
      json_decref(events->event[i].json);
   free(events->event);
}
