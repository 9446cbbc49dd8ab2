/* SPDX-License-Identifier: MIT */
/*
 * Depth fighting: of each pixel the depth that was written last is kept as it was before storage
 * rounded it. Two primitives fight where their depths differ by less than a step in several pixels,
 * and each wins in some. Equal depths, as of a mesh that is drawn twice, do not fight.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/memory/cf_format.h"
#include "clipfree/sanitize/cf_sane.h"

#define FIGHT_PX 8 /* pixels of a pair before it is reported */

bool
sane_draws_depth(const struct cf_depth_stencil *state)
{
   const enum cf_compare func = state->depth_func;
   return state->depth_test && state->depth_write &&
          (func == CF_COMPARE_LESS || func == CF_COMPARE_LEQUAL || func == CF_COMPARE_GREATER ||
           func == CF_COMPARE_GEQUAL);
}

/* A step of stored depths; of floats that of numbers below 1. */
static float
step_of(enum cf_format format)
{
   const char *name = cf_format_name(format);
   return strstr(name, "z16") ? 1.0f / 0xffff : 1.0f / 0xffffff;
}

static uint32_t
tiles_across(uint32_t size_px)
{
   return (size_px + CF_TILE_PX - 1) / CF_TILE_PX;
}

/* The entry of a pixel's tile in `cleared`. */
static uint32_t *
tile_at(struct sane_depths *depths, uint32_t x_px, uint32_t y_px)
{
   return &depths->cleared[(size_t)(y_px / CF_TILE_PX) * tiles_across(depths->width_px) +
                           x_px / CF_TILE_PX];
}

struct sane_depths *
sane_depths_of(struct cf_sanitize *s, const struct cf_memory *memory)
{
   struct cf_surface surface;
   const char *bad;
   const uint64_t at = s->framebuffer.depth_stencil;
   const uint32_t *dw = at ? cf_memory_aligned(memory, at, 4 * CF_SURFACE_DWORDS, 4) : NULL;
   if (!dw || !cf_surface_unpack(dw, &surface, &bad) || surface.width_px > 16384 ||
       surface.height_px > 16384)
      return NULL;
   for (struct sane_depths *d = s->depths; d; d = d->next) {
      if (d->address == surface.address && d->width_px == surface.width_px &&
          d->height_px == surface.height_px)
         return d;
   }
   const size_t pixels = (surface.width_px / 2 + 1ull) * (surface.height_px / 2 + 1ull);
   const size_t tiles = (size_t)tiles_across(surface.width_px) * tiles_across(surface.height_px);
   struct sane_depths *depths = calloc(1, sizeof(*depths) + pixels * sizeof(depths->pixel[0]) +
                                             tiles * sizeof(depths->cleared[0]));
   if (!depths)
      return NULL;
   depths->cleared = (uint32_t *)&depths->pixel[pixels];
   depths->address = surface.address;
   depths->width_px = surface.width_px;
   depths->height_px = surface.height_px;
   depths->step = step_of(surface.format);
   depths->next = s->depths;
   s->depths = depths;
   return depths;
}

/* The pair's place in the table; NULL: there is no room. With the lock. */
static struct sane_pair *
find_pair(struct cf_sanitize *s, const struct sane_pair *key)
{
   const uint32_t hash = (key->draw[0] * 31 + key->primitive[0]) * 0x9e3779b1u +
                         (key->draw[1] * 31 + key->primitive[1]) * 0x85ebca6bu;
   for (uint32_t i = 0; i < 16; i++) {
      struct sane_pair *pair = &s->pair[((hash >> 20) + i) & (SANE_PAIRS - 1)];
      if (pair->pixels == 0) {
         *pair = *key;
         return pair;
      }
      if (!memcmp(pair->draw, key->draw, sizeof(key->draw)) &&
          !memcmp(pair->primitive, key->primitive, sizeof(key->primitive)))
         return pair;
   }
   return NULL;
}

static void
report_pair(const struct sane_thread *t, const struct cf_fragment_event *e,
            const struct sane_depth *other)
{
   struct sane_program *program = t->draw->program[CF_SHADER_STAGE_FRAGMENT];
   struct cf_sanitize_report report = { .check = CF_SANITIZE_DEPTH_FIGHTING,
                                        .stage = CF_SHADER_STAGE_FRAGMENT,
                                        .instr = CF_SANITIZE_NO_INSTR,
                                        .has_pixel = true,
                                        .x_px = e->x_px,
                                        .y_px = e->y_px,
                                        .primitive = e->primitive };
   snprintf(report.message, sizeof(report.message),
            "depth %.9g, and %.9g of draw %u, primitive %u: less than a step, %.3g, apart",
            (double)e->depth, (double)other->depth, other->draw - 1, other->primitive,
            (double)t->draw->depths->step);
   if (program)
      sane_report(t->sanitize, t->draw, &program->fighting, 1, &report);
}

/* A pixel where two primitives are nearer to each other than a step. */
static void
take_near(const struct sane_thread *t, const struct cf_fragment_event *e,
          const struct sane_depth *other)
{
   struct cf_sanitize *s = t->sanitize;
   const struct sane_pair key = { .draw = { other->draw, t->draw->number + 1 },
                                  .primitive = { other->primitive, e->primitive } };
   pthread_mutex_lock(&s->lock);
   struct sane_pair *pair = find_pair(s, &key);
   if (pair) {
      pair->pixels++;
      pair->passed += e->fate == CF_FATE_WRITTEN;
      pair->differ += e->depth != other->depth;
   }
   const bool fights = pair && pair->pixels >= FIGHT_PX && pair->passed > 0 &&
                       pair->passed < pair->pixels && pair->differ > 0;
   pthread_mutex_unlock(&s->lock);
   if (fights)
      report_pair(t, e, other);
}

/* The entry of a quad's first pixel, which alone is looked at. */
static struct sane_depth *
depth_at(struct sane_depths *depths, uint32_t x_px, uint32_t y_px)
{
   return &depths->pixel[(y_px / 2) * (size_t)(depths->width_px / 2 + 1) + x_px / 2];
}

static uint32_t
least(uint32_t a, uint32_t b)
{
   return a < b ? a : b;
}

bool
sane_compares_depth(void *user, uint64_t draw)
{
   struct sane_thread *t = sane_thread(user);
   return t && sane_find_draw(t, draw) && t->draw->depths;
}

void
sane_depth_fragment(void *user, const struct cf_fragment_event *e)
{
   struct sane_thread *t = pthread_getspecific(((struct cf_sanitize *)user)->thread);
   if (e->sample != 0 || (e->fate != CF_FATE_WRITTEN && e->fate != CF_FATE_DEPTH))
      return;
   struct sane_depths *depths = t->draw->depths;
   if (e->x_px >= depths->width_px || e->y_px >= depths->height_px)
      return;
   struct sane_depth *before = depth_at(depths, e->x_px, e->y_px);
   const bool other = before->draw > *tile_at(depths, e->x_px, e->y_px) &&
                      (before->draw != t->draw->number + 1 || before->primitive != e->primitive);
   if (other && fabsf(before->depth - e->depth) < depths->step)
      take_near(t, e, before);
   if (e->fate == CF_FATE_WRITTEN)
      *before = (struct sane_depth){ e->depth, t->draw->number + 1, e->primitive };
}

void
sane_depth_clear(void *user, const struct cf_clear_event *clear)
{
   struct sane_thread *t = sane_thread(user);
   if (!(clear->images >> CF_MAX_COLOR_TARGETS & 1) || !t || !sane_find_draw(t, clear->draw) ||
       !t->draw->depths)
      return;
   struct sane_depths *depths = t->draw->depths;
   if (clear->max_x_px - clear->min_x_px == CF_TILE_PX &&
       clear->max_y_px - clear->min_y_px == CF_TILE_PX && clear->min_x_px < depths->width_px &&
       clear->min_y_px < depths->height_px) {
      *tile_at(depths, clear->min_x_px, clear->min_y_px) = t->draw->number;
      return;
   }
   const uint32_t end_x_px = least(clear->max_x_px, depths->width_px),
                  end_y_px = least(clear->max_y_px, depths->height_px);
   for (uint32_t y = (clear->min_y_px + 1) & ~1u; y < end_y_px; y += 2) {
      for (uint32_t x = (clear->min_x_px + 1) & ~1u; x < end_x_px; x += 2)
         depth_at(depths, x, y)->draw = 0;
   }
}
