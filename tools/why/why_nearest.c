/* SPDX-License-Identifier: MIT */
#include "why_nearest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/shader/cf_run.h"
#include "look/look_assembly.h"
#include "look/look_pixel.h"
#include "look/look_state.h"

#include "why_bad_vertex.h"
#include "why_lift.h"

/* A shaded vertex. */
struct vertex {
   uint32_t op, instance, element;
   uint32_t number; /* of the vertex in its buffers */
   float position[4];
};

/* A primitive that was assembled. */
struct primitive {
   uint32_t op, number, instance;
   enum cf_drop drop;
};

struct search {
   const struct why_question *question;
   const struct why_plan *plan;
   uint32_t submission;
   struct vertex *vertex;
   struct primitive *primitive;
   uint32_t vertices, primitives, vertex_capacity, primitive_capacity; /* of the submission */
   bool out_of_memory;
   json_t *answer;
   struct why_bad_vertex bad[WHY_BAD_VERTICES]; /* of the nearest primitives */
   uint32_t bad_count;
};

/* How a primitive missed. */
struct miss {
   const struct primitive *primitive;
   const char *reason;
   double distance_px; /* of the window's rectangle around it; INFINITY: it has none */
   const struct vertex *vertex[LOOK_MAX_VERTICES];
   uint32_t vertices;
};

/* ------------------------------------------------------------------ what is seen */

/* Room for one more; false: out of memory. */
static bool
grow(struct search *search, void **entries, uint32_t count, uint32_t *capacity, size_t entry_B)
{
   if (count < *capacity)
      return true;
   const uint32_t larger = 2 * *capacity + 256;
   void *grown = realloc(*entries, larger * entry_B);
   search->out_of_memory |= !grown;
   if (!grown)
      return false;
   *entries = grown;
   *capacity = larger;
   return true;
}

/* The operation of a draw that is asked about; NULL: it is not. */
static const struct why_op *
asked(const struct search *search, uint64_t packet)
{
   const struct why_op *op = why_plan_op(search->plan, search->submission, packet);
   const bool of_draw =
      search->question->draw == WHY_NO_DRAW || (op && op->draw == search->question->draw);
   return of_draw ? op : NULL;
}

static void
note_vertices(void *user, const struct cf_task_event *task)
{
   struct search *search = user;
   const struct why_op *op =
      cf_task_stage(task) == CF_SHADER_STAGE_VERTEX ? asked(search, task->draw) : NULL;
   for (uint32_t lane = 0; op && lane < 32; lane++) {
      if (!(task->lanes >> lane & 1) || !grow(search, (void **)&search->vertex, search->vertices,
                                              &search->vertex_capacity, sizeof(*search->vertex)))
         continue;
      struct vertex *vertex = &search->vertex[search->vertices++];
      *vertex = (struct vertex){ .op = (uint32_t)(op - search->plan->op),
                                 .instance = task->instance[lane],
                                 .element = task->element[lane],
                                 .number = task->vertex[lane] };
      for (uint32_t c = 0; c < 4; c++)
         memcpy(&vertex->position[c], &task->run->task->out[c][lane], 4);
   }
}

static void
note_primitive(void *user, const struct cf_primitive_event *e)
{
   struct search *search = user;
   const struct why_op *op = asked(search, e->draw);
   if (!op || !grow(search, (void **)&search->primitive, search->primitives,
                    &search->primitive_capacity, sizeof(*search->primitive)))
      return;
   search->primitive[search->primitives++] =
      (struct primitive){ (uint32_t)(op - search->plan->op), e->primitive, e->instance, e->drop };
}

/* ------------------------------------------------------------------ assembly */

static int
by_vertex(const void *a, const void *b)
{
   const struct vertex *x = a, *y = b;
   if (x->op != y->op)
      return x->op < y->op ? -1 : 1;
   if (x->instance != y->instance)
      return x->instance < y->instance ? -1 : 1;
   return (x->element > y->element) - (x->element < y->element);
}

static int
by_primitive(const void *a, const void *b)
{
   const struct primitive *x = a, *y = b;
   if (x->op != y->op)
      return x->op < y->op ? -1 : 1;
   return (x->number > y->number) - (x->number < y->number);
}

static void
find_vertices(const struct search *search, const struct look_assembly *assembly, struct miss *miss)
{
   const struct primitive *p = miss->primitive;
   uint32_t element[LOOK_MAX_VERTICES];
   const uint32_t count = look_assembly_elements(assembly, p->number, element);
   for (uint32_t i = 0; i < count; i++) {
      const struct vertex key = { .op = p->op, .instance = p->instance, .element = element[i] };
      const struct vertex *vertex =
         search->vertices ? bsearch(&key, search->vertex, search->vertices, sizeof(key), by_vertex)
                          : NULL;
      if (vertex)
         miss->vertex[miss->vertices++] = vertex;
   }
}

/* ------------------------------------------------------------------ misses */

static bool
is_finite(const struct vertex *v)
{
   return isfinite(v->position[0]) && isfinite(v->position[1]) && isfinite(v->position[2]) &&
          isfinite(v->position[3]);
}

/* Where a vertex in front of the eye is in the window. */
static void
window_of(const struct vertex *v, const struct cf_viewport *viewport, double window[2])
{
   window[0] = (double)viewport->translate_x +
               (double)viewport->scale_x * (double)v->position[0] / (double)v->position[3];
   window[1] = (double)viewport->translate_y +
               (double)viewport->scale_y * (double)v->position[1] / (double)v->position[3];
}

/* The pixel's distance from the rectangle around the primitive; INFINITY: a vertex is behind the
 * eye. */
static double
distance_of(const struct miss *miss, const struct cf_viewport *viewport,
            const struct why_watch *watch)
{
   double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, at[2];
   for (uint32_t i = 0; i < miss->vertices; i++) {
      if (!is_finite(miss->vertex[i]) || !(miss->vertex[i]->position[3] > 0))
         return (double)INFINITY;
      window_of(miss->vertex[i], viewport, at);
      for (int axis = 0; axis < 2; axis++) {
         low[axis] = fmin(low[axis], at[axis]);
         high[axis] = fmax(high[axis], at[axis]);
      }
   }
   const double x = fmax(fmax(low[0] - watch->x_px - 0.5, watch->x_px + 0.5 - high[0]), 0),
                y = fmax(fmax(low[1] - watch->y_px - 0.5, watch->y_px + 0.5 - high[1]), 0);
   return miss->vertices ? hypot(x, y) : (double)INFINITY;
}

static const char *
reason_of(enum cf_drop drop)
{
   switch (drop) {
   case CF_DROP_NOT_FINITE:
      return "position is not finite";
   case CF_DROP_BEHIND:
      return "behind the eye";
   case CF_DROP_NO_AREA:
      return "no area";
   default:
      return "outside";
   }
}

/* Of two misses, that which says more: a fault in the data, then the nearer one. */
static bool
says_more(const struct miss *a, const struct miss *b)
{
   const bool fault_a = a->primitive->drop == CF_DROP_NOT_FINITE,
              fault_b = b->primitive->drop == CF_DROP_NOT_FINITE;
   return fault_a != fault_b ? fault_a : a->distance_px < b->distance_px;
}

static json_t *
miss_json(const struct miss *miss, const struct cf_viewport *viewport)
{
   json_t *vertices = json_array();
   for (uint32_t i = 0; i < miss->vertices; i++) {
      const struct vertex *v = miss->vertex[i];
      json_t *json = json_pack("{s:i, s:i, s:o}", "element", (int)v->element, "vertex",
                               (int)v->number, "position", look_json_floats(v->position, 4));
      double at[2];
      window_of(v, viewport, at);
      if (v->position[3] > 0)
         json_object_set_new(json, "window",
                             json_pack("[o, o]", look_json_float(at[0]), look_json_float(at[1])));
      json_array_append_new(vertices, json);
   }
   return json_pack("{s:i, s:s, s:o, s:o}", "primitive", (int)miss->primitive->number, "reason",
                    miss->reason, "distance_px", look_json_float(miss->distance_px), "vertices",
                    vertices);
}

/* Remember the first vertex whose position is not finite, to find out why. */
static void
note_bad_vertex(struct search *search, const struct miss *miss, json_t *json)
{
   for (uint32_t i = 0; i < miss->vertices; i++) {
      const struct vertex *v = miss->vertex[i];
      if (is_finite(v) || search->bad_count == WHY_BAD_VERTICES)
         continue;
      search->bad[search->bad_count++] = (struct why_bad_vertex){
         v->op, v->instance, v->element, json_array_get(json_object_get(json, "vertices"), i)
      };
      return;
   }
}

#define MISSES 3 /* of a draw that are named */

/* The misses of one draw: primitives first .. last - 1. */
static void
add_draw(struct search *search, const struct look_player *player,
         const struct look_submission *submission, uint32_t first, uint32_t last)
{
   const struct why_op *op = &search->plan->op[search->primitive[first].op];
   struct look_state state;
   struct cf_draw draw;
   const char *bad_field;
   struct look_assembly assembly;
   struct miss best[MISSES];
   uint32_t count = 0;
   const uint32_t *packet = look_state_at(submission, op->packet, &state);
   if (!packet || !cf_draw_unpack(packet, &draw, &bad_field))
      return;
   search->out_of_memory |= !look_assembly_begin(&assembly, &draw, player);
   json_t *reasons = json_object();
   for (uint32_t i = first; i < last; i++) {
      struct miss miss = { .primitive = &search->primitive[i],
                           .reason = reason_of(search->primitive[i].drop) };
      find_vertices(search, &assembly, &miss);
      miss.distance_px =
         distance_of(&miss, &state.viewport, &search->plan->watch[search->plan->watches - 1]);
      json_object_set_new(
         reasons, miss.reason,
         json_integer(json_integer_value(json_object_get(reasons, miss.reason)) + 1));
      uint32_t place = count < MISSES ? count++ : MISSES;
      while (place > 0 && says_more(&miss, &best[place - 1])) {
         if (place < MISSES)
            best[place] = best[place - 1];
         place--;
      }
      if (place < MISSES)
         best[place] = miss;
   }
   look_assembly_end(&assembly);
   json_t *nearest = json_array();
   for (uint32_t i = 0; i < count; i++)
      json_array_append_new(nearest, miss_json(&best[i], &state.viewport));
   if (count > 0)
      note_bad_vertex(search, &best[0], json_array_get(nearest, 0));
   json_array_append_new(search->answer,
                         json_pack("{s:i, s:i, s:o, s:o}", "draw", (int)op->draw, "primitives",
                                   (int)(last - first), "reasons", reasons, "nearest", nearest));
}

static void
begin_submission(void *user, uint32_t number)
{
   struct search *search = user;
   search->submission = number;
   search->vertices = search->primitives = 0;
}

static void
end_submission(void *user, const struct look_player *player,
               const struct look_submission *submission)
{
   struct search *search = user;
   (void)player;
   if (search->vertices)
      qsort(search->vertex, search->vertices, sizeof(*search->vertex), by_vertex);
   if (search->primitives)
      qsort(search->primitive, search->primitives, sizeof(*search->primitive), by_primitive);
   for (uint32_t first = 0, last; first < search->primitives; first = last) {
      for (last = first + 1;
           last < search->primitives && search->primitive[last].op == search->primitive[first].op;)
         last++;
      add_draw(search, player, submission, first, last);
   }
}

static bool
wants_no_tile(void *user, uint32_t tile_x, uint32_t tile_y)
{
   (void)user, (void)tile_x, (void)tile_y;
   return false;
}

json_t *
why_nearest(const struct why_question *question, const struct why_plan *plan, char *error,
            size_t error_B)
{
   struct search search = { .question = question, .plan = plan, .answer = json_array() };
   const struct why_lifted_use use = {
      .observer = { .user = &search,
                    .primitive = note_primitive,
                    .task_end = note_vertices,
                    .wants_tile = wants_no_tile },
      .begin = begin_submission,
      .end = end_submission,
   };
   const bool ok = why_lift_run(question, plan, &use, error, error_B);
   if (ok && search.out_of_memory)
      snprintf(error, error_B, "out of memory");
   free(search.vertex);
   free(search.primitive);
   if (ok && !search.out_of_memory &&
       why_bad_vertices(question, plan, search.bad, search.bad_count, error, error_B))
      return search.answer;
   json_decref(search.answer);
   return NULL;
}
