/* SPDX-License-Identifier: MIT */
#include "debug_scope.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_error.h"
#include "look/look_pixel.h"
#include "why/why_ask.h"

/* Room for one more. NULL: out of memory. */
static struct debug_place *
add_place(struct debug_place **place, uint32_t *places)
{
   struct debug_place *grown = realloc(*place, (*places + 1) * sizeof(*grown));
   if (!grown)
      return NULL;
   *place = grown;
   grown[*places] = (struct debug_place){ .draw = DEBUG_NONE };
   return &grown[(*places)++];
}

/* ------------------------------------------------------------------ pixels */

/* Whether the event is another sample of the fragment that was added last. */
static bool
is_same(const struct debug_place *place, const struct why_op *op, const struct why_event *event)
{
   return place->submission == op->submission && place->packet == op->packet &&
          place->primitive == event->primitive;
}

/* Add the fragment of an event. */
static bool
add_fragment(struct debug_scope *scope, const struct why_plan *plan, const struct why_event *event)
{
   const struct why_op *op = &plan->op[event->op];
   struct debug_place *place = scope->places ? &scope->place[scope->places - 1] : NULL;
   if (scope->question.draw != DEBUG_NONE && op->draw != scope->question.draw)
      return true;
   if (!place || !is_same(place, op, event))
      place = add_place(&scope->place, &scope->places);
   if (!place)
      return false;
   place->submission = op->submission;
   place->draw = op->draw;
   place->packet = op->packet;
   place->primitive = event->primitive;
   place->x_px = event->fragment.x_px;
   place->y_px = event->fragment.y_px;
   place->written |= event->fragment.fate == CF_FATE_WRITTEN;
   snprintf(place->fate, sizeof(place->fate), "%s", look_text(event->json, "why"));
   return true;
}

/* Add a clear or a copy. */
static bool
add_other(struct debug_scope *scope, const struct why_plan *plan, const struct why_event *event)
{
   const struct why_op *op = &plan->op[event->op];
   struct debug_place *other = add_place(&scope->other, &scope->others);
   if (!other)
      return false;
   other->submission = op->submission;
   other->packet = op->packet;
   other->written = true;
   snprintf(other->fate, sizeof(other->fate), "%s", look_text(event->json, "why"));
   return true;
}

static bool
add_event(void *user, const struct why_plan *plan, const struct why_event *event)
{
   struct debug_scope *scope = user;
   switch (event->kind) {
   case WHY_FRAGMENT:
      return add_fragment(scope, plan, event);
   case WHY_CLEAR:
   case WHY_TRANSFER:
      return add_other(scope, plan, event);
   default:
      return true;
   }
}

static bool
find_pixel(struct debug_scope *scope, char *error, size_t error_B)
{
   const struct debug_question *asked = &scope->question;
   const struct why_question question = { .path = asked->path,
                                          .x_px = asked->x_px,
                                          .y_px = asked->y_px,
                                          .image = asked->image,
                                          .draw =
                                             asked->draw == DEBUG_NONE ? WHY_NO_DRAW : asked->draw,
                                          .all = true };
   json_t *answer = why_ask(&question, add_event, scope, error, error_B);
   if (!answer)
      return false;
   scope->verdict = strdup(look_text(answer, "verdict"));
   json_decref(answer);
   if (scope->places)
      return true;
   if (asked->draw == DEBUG_NONE)
      return look_fails(error, error_B,
                        "no fragment of a draw is at pixel %" PRIu32 ",%" PRIu32
                        ", so there is no shader to step. %s",
                        asked->x_px, asked->y_px, scope->verdict ? scope->verdict : "");
   return look_fails(error, error_B,
                     "draw %" PRIu32 " has no fragment at pixel %" PRIu32 ",%" PRIu32 ". %s",
                     asked->draw, asked->x_px, asked->y_px, scope->verdict ? scope->verdict : "");
}

/* ------------------------------------------------------------------ draws */

static bool
check_draw(const struct debug_scope *scope, uint32_t draws, const uint32_t *packet, char *error,
           size_t error_B)
{
   const struct debug_question *asked = &scope->question;
   const char *bad_field;
   struct cf_draw draw;
   if (!packet)
      return look_fails(error, error_B,
                        draws ? "there is no draw %" PRIu32 "; the capture has draws 0 to %" PRIu32
                              : "there is no draw %" PRIu32 "; the capture has none",
                        asked->draw, draws - 1);
   if (asked->kind == DEBUG_VERTEX && cf_draw_unpack(packet, &draw, &bad_field) &&
       asked->element >= draw.count)
      return look_fails(error, error_B,
                        "draw %" PRIu32 " has no vertex %" PRIu32 "; it has %" PRIu32
                        ", counted from 0 in the order in which it names them",
                        asked->draw, asked->element, draw.count);
   return true;
}

/* Find the draw. It reads packets and runs nothing. */
static bool
find_draw(struct debug_scope *scope, char *error, size_t error_B)
{
   struct look_player *player = look_player_open(scope->question.path, NULL, error, error_B);
   struct look_submission submission;
   struct look_ops ops = { 0 };
   struct look_op op;
   bool ok = player != NULL, found = false;
   if (player)
      look_player_warn(player, scope->question.path);
   while (ok && !found) {
      const int next = look_player_next(player, &submission, error, error_B);
      if (next <= 0) {
         ok = next == 0 && check_draw(scope, ops.draws, NULL, error, error_B);
         break;
      }
      look_ops_enter(&ops, &submission);
      while (!found && look_ops_next(&ops, &op))
         found = op.draw == scope->question.draw;
   }
   if (found) {
      struct debug_place *place = add_place(&scope->place, &scope->places);
      ok = place && check_draw(scope, ops.draws, op.packet, error, error_B);
      if (place) {
         place->submission = submission.number;
         place->packet = look_packet_address(&submission, op.packet);
         place->draw = op.draw;
      }
   }
   if (player)
      look_player_close(player);
   return ok && found;
}

bool
debug_scope_find(const struct debug_question *question, struct debug_scope *scope, char *error,
                 size_t error_B)
{
   *scope = (struct debug_scope){ .question = *question };
   return question->kind == DEBUG_PIXEL ? find_pixel(scope, error, error_B)
                                        : find_draw(scope, error, error_B);
}

void
debug_scope_free(struct debug_scope *scope)
{
   free(scope->place);
   free(scope->other);
   free(scope->verdict);
   *scope = (struct debug_scope){ 0 };
}

uint32_t
debug_scope_first(const struct debug_scope *scope)
{
   for (uint32_t i = scope->places; i-- > 0;) {
      if (scope->place[i].written)
         return i;
   }
   return scope->question.kind == DEBUG_PIXEL ? scope->places - 1 : 0;
}
