/* SPDX-License-Identifier: MIT */
#include "mediump_watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/arith/cf_fp.h"
#include "clipfree/base/cf_for.h"
#include "clipfree/memory/cf_memory.h"

#include "mediump_shadow.h"

#define AGREE (2.0f / 255.0f)
#define SMALL (1.0f / 16.0f)

/* A program, with and without its roundings. */
struct rounded_program {
   struct rounded_program *next;
   const struct cf_decoded *decoded; /* of the model; names it */
   uint64_t descriptor, code;        /* its address in memory */
   struct cf_decoded *without;       /* NULL: it has no roundings */
   uint32_t *place;                  /* of each instruction, + 1; 0: none */
};

struct image {
   struct image *next;
   uint64_t address;
   uint32_t width_px, height_px;
   struct mediump_pixel pixel[];
};

/* A draw of the submission. */
struct draw {
   uint64_t packet, descriptor[CF_STAGES];
   uint32_t number;
   struct image *image;
   bool blends; /* pixels keep something of what was there */
};

struct mediump_watch {
   struct cf_observer observer;
   struct rounded_program *programs;
   struct image *images;
   struct mediump_place *place;
   uint32_t places;
   struct draw *draw;
   uint32_t draws, numbered;
   bool failed;
   /* what is bound, by packets */
   uint64_t bound[CF_STAGES];
   struct image *target;
   bool blends;
   /* the task that runs */
   struct mediump_shadow *shadow;
   struct rounded_program *program; /* NULL: it is not compared */
   const struct draw *of;
   uint32_t at;     /* the instruction before, if has_before */
   bool has_before; /* both tasks ran it */
   uint32_t exec;   /* lanes in which they did */
   uint32_t parted; /* lanes that have parted before */
   struct mediump_pixel lane[CF_TASK_LANES];
};

/* Room for one more entry; NULL: out of memory. */
static void *
grow(void **entries, uint32_t count, size_t entry_B)
{
   if (count & (count - 1))
      return (char *)*entries + count * entry_B; /* it has doubled at the last power of two */
   void *grown = realloc(*entries, (count ? 2 * (size_t)count : 1) * entry_B);
   if (!grown)
      return NULL;
   *entries = grown;
   return (char *)grown + count * entry_B;
}

/* ------------------------------------------------------------------ packets */

static struct image *
image_of(struct mediump_watch *w, const struct cf_surface *surface)
{
   const size_t pixels = (size_t)surface->width_px * surface->height_px;
   for (struct image *image = w->images; image; image = image->next) {
      if (image->address == surface->address && image->width_px == surface->width_px &&
          image->height_px == surface->height_px)
         return image;
   }
   struct image *image = calloc(1, sizeof(*image) + pixels * sizeof(image->pixel[0]));
   w->failed |= !image;
   if (!image)
      return NULL;
   image->address = surface->address;
   image->width_px = surface->width_px;
   image->height_px = surface->height_px;
   image->next = w->images;
   return w->images = image;
}

static void
take_target(struct mediump_watch *w, const struct cf_packet_event *e)
{
   struct cf_framebuffer framebuffer;
   struct cf_surface surface;
   const char *bad;
   w->target = NULL;
   if (!cf_framebuffer_unpack(e->dw, &framebuffer, &bad) || !framebuffer.color_count)
      return;
   const uint32_t *dw =
      cf_memory_aligned(e->memory, framebuffer.color[0], 4 * CF_SURFACE_DWORDS, 4);
   if (dw && cf_surface_unpack(dw, &surface, &bad))
      w->target = image_of(w, &surface);
}

static void
take_draw(struct mediump_watch *w, const struct cf_packet_event *e)
{
   struct draw *draw = grow((void **)&w->draw, w->draws, sizeof(*draw));
   w->failed |= !draw;
   if (!draw)
      return;
   *draw = (struct draw){
      .packet = e->address, .number = w->numbered++, .image = w->target, .blends = w->blends
   };
   memcpy(draw->descriptor, w->bound, sizeof(w->bound));
   w->draws++;
}

static void
take_packet(void *user, const struct cf_packet_event *e)
{
   struct mediump_watch *w = user;
   struct cf_shader shader;
   struct cf_blend blend;
   const char *bad;
   switch (e->dw[0] & 0xff) {
   case CF_OPCODE_FRAMEBUFFER:
      take_target(w, e);
      break;
   case CF_OPCODE_SHADER:
      if (cf_shader_unpack(e->dw, &shader, &bad))
         w->bound[shader.stage] = shader.program;
      break;
   case CF_OPCODE_BLEND:
      if (cf_blend_unpack(e->dw, &blend, &bad) && blend.target == 0)
         w->blends = blend.enable;
      break;
   case CF_OPCODE_DRAW:
      take_draw(w, e);
      break;
   default:
      break;
   }
}

static void
begin_submission(void *user, const struct cf_submission_event *e)
{
   struct mediump_watch *w = user;
   (void)e;
   w->draws = 0;
   w->target = NULL;
   w->blends = false;
}

static const struct draw *
draw_at(const struct mediump_watch *w, uint64_t packet)
{
   for (uint32_t i = w->draws; i-- > 0;) {
      if (w->draw[i].packet == packet)
         return &w->draw[i];
   }
   return NULL;
}

/* ------------------------------------------------------------------ programs and places */

static bool
rounds(const struct cf_decoded *decoded)
{
   for (uint32_t i = 0; i < cf_program_info(decoded)->code_instrs; i++) {
      if (cf_program_instrs(decoded)[i].op == CF_OP_FROUND)
         return true;
   }
   return false;
}

static struct rounded_program *
program_of(struct mediump_watch *w, const struct cf_decoded *decoded, uint64_t descriptor)
{
   struct rounded_program *p = w->programs;
   while (p && (p->descriptor != descriptor || p->code != cf_program_info(decoded)->code))
      p = p->next;
   if (p)
      return p;
   p = calloc(1, sizeof(*p));
   if (p) {
      p->descriptor = descriptor;
      p->code = cf_program_info(decoded)->code;
      p->place = calloc(cf_program_info(decoded)->code_instrs, sizeof(*p->place));
      p->without = rounds(decoded) ? mediump_without_rounding(decoded) : NULL;
      p->next = w->programs;
      w->programs = p;
   }
   w->failed |= !p || !p->place || (rounds(decoded) && !p->without);
   return w->failed ? NULL : p;
}

/* The place of an instruction of the task; NULL: out of memory. */
static struct mediump_place *
place_of(struct mediump_watch *w, const struct cf_task_event *e, uint32_t instr, uint32_t lane)
{
   uint32_t *number = &w->program->place[instr];
   if (!*number) {
      struct mediump_place *place = grow((void **)&w->place, w->places, sizeof(*place));
      w->failed |= !place;
      if (!place)
         return NULL;
      const bool fragment = e->quad != NULL;
      *place = (struct mediump_place){
         .descriptor = w->program->descriptor,
         .instr = instr,
         .stage = cf_task_stage(e),
         .draw = w->of->number,
         .x_px = fragment ? e->quad[lane / 4].x_px + (lane & 1) : 0,
         .y_px = fragment ? e->quad[lane / 4].y_px + (lane >> 1 & 1) : 0,
         .vertex = fragment ? 0 : e->vertex[lane],
      };
      *number = ++w->places;
   }
   return &w->place[*number - 1];
}

/* ------------------------------------------------------------------ values */

/* Whether results are integers or conditions, or bits of them. */
static bool
is_integer(const struct cf_instr *instr)
{
   const char type = cf_ops[instr->op].types[0];
   return type == 'b' || type == 'i' ||
          (type == 'u' && instr->op != CF_OP_MOV && instr->op != CF_OP_SEL &&
           instr->op != CF_OP_MOVI && instr->op != CF_OP_FNEG && instr->op != CF_OP_FABS);
}

static bool
agree(float a, float b)
{
   const float larger = fmaxf(fmaxf(fabsf(a), fabsf(b)), SMALL);
   if (!isfinite(a) || !isfinite(b))
      return (isnan(a) && isnan(b)) || a == b;
   return fabsf(a - b) <= AGREE * larger;
}

static void
part(struct mediump_watch *w, const struct cf_task_event *e, uint32_t lane, float with,
     float without)
{
   struct mediump_place *place = place_of(w, e, w->at, lane);
   w->parted |= 1u << lane;
   if (!place)
      return;
   if (!place->parts++) {
      place->with = with;
      place->without = without;
   }
   w->lane[lane] = (struct mediump_pixel){ w->program->place[w->at], with, without };
}

/* A row that the instruction before has written in both tasks. */
static void
compare_row(struct mediump_watch *w, const struct cf_task_event *e, const uint32_t *with,
            const uint32_t *without, bool integer, uint32_t lanes)
{
   CF_FOR_BITS(lane, lanes) {
      if (with[lane] == without[lane] || w->parted >> lane & 1)
         continue;
      const float a = cf_float(with[lane]), b = cf_float(without[lane]);
      if (integer)
         part(w, e, lane, (float)(int32_t)with[lane], (float)(int32_t)without[lane]);
      else if (!agree(a, b))
         part(w, e, lane, a, b);
   }
}

/* Compare what the instruction before has made. */
static void
settle(struct mediump_watch *w, const struct cf_task_event *e)
{
   const struct cf_run *run = e->run;
   const struct cf_instr *instr = &cf_program_instrs(run->stage->program)[w->at];
   if (!w->has_before || !cf_ops[instr->op].has_dst)
      return;
   const unsigned rows = cf_written_rows(instr);
   const uint32_t lanes = w->exec & e->lanes & ~w->parted;
   for (uint32_t k = 0; k < 4 && rows >> k && lanes; k++) {
      const uint32_t reg = instr->dst.index + k;
      const bool scalar = instr->dst.kind == CF_KIND_S;
      if (rows >> k & 1)
         compare_row(w, e, scalar ? run->task->s[reg] : run->task->v[reg],
                     scalar ? w->shadow->task.s[reg] : w->shadow->task.v[reg], is_integer(instr),
                     lanes);
   }
}

/* Numbers that the rounding which comes next makes infinite, or cuts to lowp's range. */
static void
count_overflows(struct mediump_watch *w, const struct cf_task_event *e, uint32_t at)
{
   const uint32_t *value = cf_run_operand(e->run, 0), *format = cf_run_operand(e->run, 1);
   CF_FOR_BITS(lane, e->run->exec & e->lanes & e->run->alive) {
      const float x = cf_float(value[lane]);
      const bool low = (format[lane] & 3) == CF_ROUND_LOW;
      if (!isfinite(x) || (low ? x >= -2 && x <= 2 : isfinite(cf_round_to(x, format[lane]))))
         continue;
      struct mediump_place *place = place_of(w, e, at, lane);
      if (!place)
         return;
      place->overflows++;
      if (fabsf(x) > fabsf(place->too_large))
         place->too_large = x;
   }
}

/* ------------------------------------------------------------------ tasks */

static void
begin_task(void *user, const struct cf_task_event *e)
{
   struct mediump_watch *w = user;
   const enum cf_shader_stage stage = cf_task_stage(e);
   w->program = NULL;
   w->has_before = false;
   w->parted = 0;
   memset(w->lane, 0, sizeof(w->lane));
   w->of = draw_at(w, e->draw);
   if (!w->of || w->failed)
      return;
   w->program = program_of(w, e->run->stage->program, w->of->descriptor[stage]);
   if (w->program && !w->program->without)
      w->program = NULL;
   if (w->program && !mediump_shadow_begin(w->shadow, w->program->without, e)) {
      w->failed = true;
      w->program = NULL;
   }
}

static void
see_instruction(void *user, const struct cf_task_event *e)
{
   struct mediump_watch *w = user;
   if (!w->program)
      return;
   const uint32_t at = cf_run_at(e->run);
   if (w->has_before)
      settle(w, e);
   w->has_before = mediump_shadow_follow(w->shadow, at);
   w->at = at;
   w->exec = w->has_before ? e->run->exec & w->shadow->run.exec : 0;
   if (cf_run_instr(e->run)->op == CF_OP_FROUND)
      count_overflows(w, e, at);
   if (w->has_before)
      cf_run_step(&w->shadow->run);
}

/* The fragments of the task that has just run. */
static void
see_pixels(void *user, const struct cf_pixels_event *e)
{
   struct mediump_watch *w = user;
   struct image *image = w->of && w->of->packet == e->draw ? w->of->image : NULL;
   uint32_t written = 0;
   for (uint32_t sample = 0; sample < CF_SAMPLES; sample++)
      written |= e->written[sample];
   CF_FOR_BITS(lane, image ? written : 0) {
      const uint32_t x = e->quad[lane / 4].x_px + (lane & 1),
                     y = e->quad[lane / 4].y_px + (lane >> 1 & 1);
      if (x >= image->width_px || y >= image->height_px)
         continue;
      struct mediump_pixel *pixel = &image->pixel[(size_t)y * image->width_px + x];
      if (w->lane[lane].place || !w->of->blends)
         *pixel = w->lane[lane];
   }
}

/* ------------------------------------------------------------------ open and close */

struct mediump_watch *
mediump_watch_open(void)
{
   struct mediump_watch *w = calloc(1, sizeof(*w));
   if (!w)
      return NULL;
   w->observer = (struct cf_observer){ .user = w,
                                       .submission_begin = begin_submission,
                                       .packet = take_packet,
                                       .task_begin = begin_task,
                                       .instruction = see_instruction,
                                       .pixels = see_pixels };
   w->shadow = aligned_alloc(_Alignof(struct mediump_shadow), sizeof(*w->shadow));
   if (!w->shadow) {
      free(w);
      return NULL;
   }
   memset(w->shadow, 0, sizeof(*w->shadow));
   return w;
}

void
mediump_watch_close(struct mediump_watch *w)
{
   for (struct rounded_program *p = w->programs, *next; p; p = next) {
      next = p->next;
      cf_program_free(p->without);
      free(p->place);
      free(p);
   }
   for (struct image *image = w->images, *next; image; image = next) {
      next = image->next;
      free(image);
   }
   mediump_shadow_free(w->shadow);
   free(w->draw);
   free(w->place);
   free(w);
}

const struct cf_observer *
mediump_watch_observer(struct mediump_watch *w)
{
   return &w->observer;
}

const struct mediump_place *
mediump_watch_places(const struct mediump_watch *w, uint32_t *count)
{
   static const struct mediump_place none;
   *count = w->places;
   return w->failed ? NULL : w->places ? w->place : &none;
}

const struct mediump_pixel *
mediump_watch_pixels(const struct mediump_watch *w, uint64_t address, uint32_t *width_px,
                     uint32_t *height_px)
{
   for (const struct image *image = w->images; image; image = image->next) {
      if (image->address != address)
         continue;
      *width_px = image->width_px;
      *height_px = image->height_px;
      return image->pixel;
   }
   return NULL;
}
