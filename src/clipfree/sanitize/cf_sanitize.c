/* SPDX-License-Identifier: MIT */
/*
 * Who a task belongs to: packets come in order, so a draw's programs and images are those that are
 * bound when its packet comes. A submission's draws have ascending addresses.
 */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/sanitize/cf_sane.h"

/* ------------------------------------------------------------------ names */

static const struct {
   const char *name, *what;
} checks[] = {
#define X(identifier, name, what) { name, what },
   CF_SANITIZE_CHECKS(X)
#undef X
};

const char *
cf_sanitize_name(enum cf_sanitize_check check)
{
   return checks[check].name;
}

const char *
cf_sanitize_what(enum cf_sanitize_check check)
{
   return checks[check].what;
}

/* The bits of a name; 0: it is not known. */
static uint32_t
bits_of(const char *name, size_t length)
{
   if (length == 3 && !memcmp(name, "all", length))
      return CF_SANITIZE_ALL;
   if (length == 5 && !memcmp(name, "fatal", length))
      return CF_SANITIZE_FATAL;
   for (unsigned i = 0; i < CF_SANITIZE_COUNT; i++) {
      if (strlen(checks[i].name) == length && !memcmp(checks[i].name, name, length))
         return 1u << i;
   }
   return 0;
}

bool
cf_sanitize_parse(const char *list, uint32_t *found)
{
   *found = 0;
   for (size_t length;; list += length + 1) {
      length = strcspn(list, ",");
      const uint32_t bits = bits_of(list, length);
      if (bits == 0)
         return false;
      *found |= bits;
      if (!list[length])
         break;
   }
   if (*found == CF_SANITIZE_FATAL)
      *found |= CF_SANITIZE_ALL;
   return true;
}

/* ------------------------------------------------------------------ notes */

static int
by_address(const void *a, const void *b)
{
   const struct sane_note *x = a, *y = b;
   return (x->address > y->address) - (x->address < y->address);
}

const struct sane_note *
sane_note_at(const struct cf_sanitize *s, uint64_t address)
{
   const struct sane_note key = { .address = address };
   struct sane_note *const *found = tfind(&key, &s->notes, by_address);
   return found ? *found : NULL;
}

static bool
is_of_program(const void *bytes, size_t size_B)
{
   struct cf_note_part part;
   for (size_t at = 0; cf_note_next(bytes, size_B, &at, &part);) {
      if (part.field >= CF_NOTE_NAME && part.field <= CF_NOTE_PRINT)
         return true;
   }
   return false;
}

/* The note that an address had is not its note any more. A program may have it; that of a draw
 * nobody has. With the lock. */
static void
forget_note(struct cf_sanitize *s, uint64_t address)
{
   const struct sane_note key = { .address = address };
   struct sane_note **found = tfind(&key, &s->notes, by_address), *old = found ? *found : NULL;
   if (!old)
      return;
   tdelete(old, &s->notes, by_address);
   if (is_of_program(old->bytes, old->size_B)) {
      old->older = s->older;
      s->older = old;
   } else {
      free(old);
   }
}

/* Without memory the address has none. With the lock. */
static void
add_note(struct cf_sanitize *s, uint64_t address, const void *bytes, size_t size_B)
{
   struct sane_note *note = malloc(sizeof(*note) + size_B);
   if (!note)
      return;
   *note = (struct sane_note){ .address = address, .size_B = size_B };
   if (size_B)
      memcpy(note->bytes, bytes, size_B);
   if (!tsearch(note, &s->notes, by_address))
      free(note);
}

static void
take_note(void *user, uint64_t address, const void *bytes, size_t size_B)
{
   struct cf_sanitize *s = user;
   pthread_mutex_lock(&s->lock);
   const struct sane_note *old = sane_note_at(s, address);
   if (!old || old->size_B != size_B || memcmp(old->bytes, bytes, size_B) != 0) {
      forget_note(s, address);
      add_note(s, address, bytes, size_B);
   }
   pthread_mutex_unlock(&s->lock);
}

/* ------------------------------------------------------------------ packets */

/* With the lock. NULL: no memory. */
static struct sane_draw *
add_draw(struct cf_sanitize *s, const struct cf_packet_event *event)
{
   if (s->draws == s->draw_capacity) {
      const uint32_t capacity = 2 * s->draw_capacity + 256;
      struct sane_draw **grown = realloc(s->draw, capacity * sizeof(struct sane_draw *));
      if (!grown)
         return NULL;
      s->draw = grown;
      s->draw_capacity = capacity;
   }
   struct sane_draw *draw = calloc(1, sizeof(*draw));
   if (!draw)
      return NULL;
   *draw =
      (struct sane_draw){ .packet = event->address,
                          .submission = event->submission,
                          .number = s->numbered,
                          .discards = s->raster.discard,
                          .positions = !s->raster.discard && !s->bound[CF_SHADER_STAGE_GEOMETRY] };
   memcpy(draw->program, s->bound, sizeof(draw->program));
   s->draw[s->draws++] = draw;
   return draw;
}

static void
take_draw(struct cf_sanitize *s, const struct cf_packet_event *event)
{
   pthread_mutex_lock(&s->lock);
   struct sane_draw *draw = add_draw(s, event);
   if (draw)
      sane_take_targets(s, event->memory, draw);
   if (draw && sane_checks(s, CF_SANITIZE_DEPTH_FIGHTING) && sane_draws_depth(&s->depth_stencil))
      draw->depths = sane_depths_of(s, event->memory);
   s->numbered++;
   pthread_mutex_unlock(&s->lock);
   if (draw)
      sane_take_written(s, draw);
   if (draw && sane_checks(s, CF_SANITIZE_FEEDBACK))
      sane_check_feedback(s, draw, event);
}

/* A clear of depths. */
static void
take_clear(struct cf_sanitize *s, const struct cf_packet_event *event)
{
   pthread_mutex_lock(&s->lock);
   struct sane_draw *clear = add_draw(s, event);
   if (clear)
      clear->depths = sane_depths_of(s, event->memory);
   pthread_mutex_unlock(&s->lock);
}

static void
take_shader(struct cf_sanitize *s, const struct cf_packet_event *event)
{
   struct cf_shader shader;
   const char *bad;
   if (!cf_shader_unpack(event->dw, &shader, &bad))
      return;
   pthread_mutex_lock(&s->lock);
   s->bound[shader.stage] = sane_program_at(s, event->memory, shader.program);
   pthread_mutex_unlock(&s->lock);
}

/* Packets that name buffers. */
static void
take_buffers(struct cf_sanitize *s, const struct cf_packet_event *event)
{
   struct cf_vertex_elements elements;
   struct cf_constants constants;
   struct cf_feedback feedback;
   const char *bad;
   switch (event->dw[0] & 0xff) {
   case CF_OPCODE_VERTEX_ELEMENTS:
      if (cf_vertex_elements_unpack(event->dw, &elements, &bad))
         s->elements = elements;
      break;
   case CF_OPCODE_CONSTANTS:
      if (cf_constants_unpack(event->dw, &constants, &bad) &&
          constants.bank < CF_MAX_CONSTANT_BANKS)
         s->constants[constants.stage][constants.bank] = constants;
      break;
   case CF_OPCODE_FEEDBACK:
      if (cf_feedback_unpack(event->dw, &feedback, &bad))
         s->feedback = feedback;
      break;
   default:
      break;
   }
}

static void
take_state(struct cf_sanitize *s, const struct cf_packet_event *event)
{
   struct cf_bind_texture texture;
   struct cf_framebuffer framebuffer;
   struct cf_depth_stencil depth_stencil;
   struct cf_raster raster;
   struct cf_blend blend;
   const char *bad;
   switch (event->dw[0] & 0xff) {
   case CF_OPCODE_FRAMEBUFFER:
      if (cf_framebuffer_unpack(event->dw, &framebuffer, &bad))
         s->framebuffer = framebuffer;
      break;
   case CF_OPCODE_DEPTH_STENCIL:
      if (cf_depth_stencil_unpack(event->dw, &depth_stencil, &bad))
         s->depth_stencil = depth_stencil;
      break;
   case CF_OPCODE_RASTER:
      if (cf_raster_unpack(event->dw, &raster, &bad))
         s->raster = raster;
      break;
   case CF_OPCODE_BIND_TEXTURE:
      if (cf_bind_texture_unpack(event->dw, &texture, &bad) && texture.unit < CF_MAX_TEXTURE_UNITS)
         s->texture[texture.stage][texture.unit] = texture;
      break;
   case CF_OPCODE_BLEND:
      if (cf_blend_unpack(event->dw, &blend, &bad) && blend.target < CF_MAX_COLOR_TARGETS)
         s->color_masks = (s->color_masks & ~(1u << blend.target)) |
                          (uint32_t)(blend.write_mask != 0) << blend.target;
      break;
   default:
      take_buffers(s, event);
      break;
   }
}

static void
take_packet(void *user, const struct cf_packet_event *event)
{
   const uint32_t opcode = event->dw[0] & 0xff;
   if (opcode == CF_OPCODE_DRAW)
      take_draw(user, event);
   else if (opcode == CF_OPCODE_CLEAR && ((struct cf_sanitize *)user)->observer.clear)
      take_clear(user, event);
   else if (opcode == CF_OPCODE_SHADER)
      take_shader(user, event);
   else
      take_state(user, event);
}

static void
free_draws(struct cf_sanitize *s)
{
   for (uint32_t i = 0; i < s->draws; i++) {
      sane_free_lines(s->draw[i]);
      free(s->draw[i]->written);
      free(s->draw[i]);
   }
   s->draws = 0;
}

static void
end_submission(void *user, const struct cf_submission_event *event)
{
   struct cf_sanitize *s = user;
   (void)event;
   pthread_mutex_lock(&s->lock);
   sane_print_lines(s);
   pthread_mutex_unlock(&s->lock);
}

static void
begin_submission(void *user, const struct cf_submission_event *event)
{
   struct cf_sanitize *s = user;
   pthread_mutex_lock(&s->lock);
   free_draws(s);
   memset(s->pair, 0, sizeof(s->pair));
   s->submission = event->number;
   pthread_mutex_unlock(&s->lock);
   memset(s->bound, 0, sizeof(s->bound));
   memset(s->texture, 0, sizeof(s->texture));
   memset(&s->framebuffer, 0, sizeof(s->framebuffer));
   memset(&s->depth_stencil, 0, sizeof(s->depth_stencil));
   memset(&s->raster, 0, sizeof(s->raster));
   s->color_masks = 0;
   memset(&s->elements, 0, sizeof(s->elements));
   memset(s->constants, 0, sizeof(s->constants));
   memset(&s->feedback, 0, sizeof(s->feedback));
}

/* ------------------------------------------------------------------ threads */

struct sane_thread *
sane_thread(struct cf_sanitize *s)
{
   struct sane_thread *thread = pthread_getspecific(s->thread);
   if (thread)
      return thread;
   thread = calloc(1, sizeof(*thread));
   if (!thread || pthread_setspecific(s->thread, thread) != 0) {
      free(thread);
      return NULL;
   }
   thread->sanitize = s;
   pthread_mutex_lock(&s->lock);
   thread->next = s->threads;
   s->threads = thread;
   pthread_mutex_unlock(&s->lock);
   return thread;
}

bool
sane_find_draw(struct sane_thread *thread, uint64_t packet)
{
   struct cf_sanitize *s = thread->sanitize;
   if (thread->packet == packet && thread->submission == s->submission)
      return thread->draw;
   pthread_mutex_lock(&s->lock);
   thread->draw = NULL;
   for (uint32_t low = 0, high = s->draws; low < high && !thread->draw;) {
      const uint32_t middle = (low + high) / 2;
      if (s->draw[middle]->packet == packet)
         thread->draw = s->draw[middle];
      else if (s->draw[middle]->packet < packet)
         low = middle + 1;
      else
         high = middle;
   }
   thread->packet = packet;
   thread->submission = s->submission;
   pthread_mutex_unlock(&s->lock);
   return thread->draw;
}

/* ------------------------------------------------------------------ open and close */

/* How often each place came, once. */
static void
end(struct cf_live *live)
{
   struct cf_sanitize *s = (struct cf_sanitize *)live;
   pthread_mutex_lock(&s->lock);
   for (const struct cf_sanitize_report *report = s->first; report && !s->config.quiet;
        report = report->next) {
      fprintf(stderr, "clipfree: sanitize: %llu times: %s\n", (unsigned long long)report->count,
              report->text);
      for (const struct cf_sanitize_report *step = report->way; step; step = step->next)
         fprintf(stderr, "clipfree: sanitize:    then %s\n", step->text);
   }
   pthread_mutex_unlock(&s->lock);
}

static struct cf_observer
make_observer(struct cf_sanitize *s)
{
   const uint32_t of_draws = 1u << CF_SANITIZE_FEEDBACK | 1u << CF_SANITIZE_DEPTH_FIGHTING |
                             1u << CF_SANITIZE_FEEDBACK_SIZE | 1u << CF_SANITIZE_UNWRITTEN_UNIFORM;
   struct cf_observer observer = { .user = s,
                                   .submission_begin = begin_submission,
                                   .submission_end = end_submission,
                                   .packet = take_packet,
                                   .note = take_note };
   if (s->config.checks & CF_SANITIZE_ALL & ~of_draws) {
      observer.task_begin = sane_task_begin;
      observer.instruction = s->ops->instruction;
      observer.task_end = sane_task_end;
   }
   if (sane_checks(s, CF_SANITIZE_UNWRITTEN_TEXEL)) {
      observer.texel = sane_texel;
      observer.footprint = sane_footprint;
      observer.wants_texels = sane_wants_texels;
   }
   if (sane_checks(s, CF_SANITIZE_FEEDBACK_SIZE))
      observer.feedback = sane_feedback;
   if (sane_checks(s, CF_SANITIZE_DEPTH_FIGHTING)) {
      observer.fragment = sane_depth_fragment;
      observer.wants_fragments = sane_compares_depth;
      observer.fragment_pixels = 1; /* they take most of the time */
      observer.fragment_depths = true;
      observer.clear = sane_depth_clear;
   }
   return observer;
}

struct cf_sanitize *
cf_sanitize_open(const struct cf_sanitize_config *config)
{
   struct cf_sanitize *s = calloc(1, sizeof(*s));
   if (!s || pthread_key_create(&s->thread, NULL) != 0) {
      free(s);
      return NULL;
   }
   s->config = *config;
   s->ops = cf_sane_ops_at(cf_host_level());
   s->last = &s->first;
   s->observer = make_observer(s);
   pthread_mutex_init(&s->lock, NULL);
   cf_live_add(&s->live, end);
   return s;
}

const struct cf_observer *
cf_sanitize_observer(const struct cf_sanitize *s)
{
   return &s->observer;
}

const struct cf_sanitize_report *
cf_sanitize_reports(const struct cf_sanitize *s)
{
   return s->first;
}

static void
free_lists(struct cf_sanitize *s)
{
   for (struct sane_thread *t = s->threads, *next; t; t = next) {
      next = t->next;
      free(t->scratch);
      free(t);
   }
   for (struct sane_program *p = s->programs, *next; p; p = next) {
      next = p->next;
      sane_program_free(p);
   }
   for (struct sane_depths *d = s->depths, *next; d; d = next) {
      next = d->next;
      free(d);
   }
   for (struct cf_sanitize_report *r = s->first, *next; r; r = next) {
      next = r->next;
      for (struct cf_sanitize_report *step = r->way, *after; step; step = after) {
         after = step->next;
         free(step);
      }
      free(r);
   }
   for (struct sane_note *n = s->older, *next; n; n = next) {
      next = n->older;
      free(n);
   }
}

void
cf_sanitize_close(struct cf_sanitize *s)
{
   if (!s)
      return;
   if (cf_live_remove(&s->live))
      end(&s->live);
   free_lists(s);
   tdestroy(s->notes, free);
   free_draws(s);
   free(s->draw);
   pthread_key_delete(s->thread);
   pthread_mutex_destroy(&s->lock);
   free(s);
}
