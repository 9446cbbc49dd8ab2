/* SPDX-License-Identifier: MIT */
/*
 * why_faults [--count N] [--seed S] CAPTURE...: the proof of clipfree why. It plants a fault at
 * random in one draw of a capture - a wrong state, a missing texture, another uniform, NaN - and
 * asks why the draw looks as it does at a pixel that it made before and that has another colour
 * now. The verdict must name what was planted.
 *
 * Whether the pixel has changed an ordinary run of the faulted capture says (the normal path,
 * without an observer).
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clipfree/interface/cf_options.h"
#include "clipfree/memory/cf_format.h"
#include "look/look_pixel.h"
#include "look/look_state.h"

#include "why_ask.h"
#include "why_lift.h"

#define NAN_BITS 0x7fc00000u
#define TRIES 400 /* random faults in a row that change no pixel, until a capture is left */

enum kind {
   FAULT_CULL,
   FAULT_DISCARD,
   FAULT_SCISSOR,
   FAULT_DEPTH,
   FAULT_STENCIL,
   FAULT_ALPHA,
   FAULT_MASK,
   FAULT_BLEND,
   FAULT_CLIP_PLANE,
   FAULT_TEXTURE,
   FAULT_LEVEL,
   FAULT_UNIFORM,
   FAULT_NAN_ATTRIBUTE,
   FAULT_NAN_UNIFORM,
   FAULT_KINDS
};

static const char *const kind_names[FAULT_KINDS] = {
   "cull",        "discard", "scissor",    "depth function", "stencil function", "alpha test",
   "colour mask", "blend",   "clip plane", "texture",        "texture level",    "uniform",
   "NaN attribute", "NaN uniform",
};

/* Who made a pixel of the capture. */
struct maker {
   uint32_t op; /* index in the plan; UINT32_MAX: no draw */
   bool front;
};

/* A capture and its picture. */
struct subject {
   const char *path;
   struct why_plan plan;
   struct maker *maker;
   uint32_t submission; /* while it runs */
   /* Sample 0 of each pixel of the picture, after each submission: the next one's memory is what
    * the capture recorded, whatever was planted. */
   uint32_t (*pixel)[4];
};

/* A fault in one draw. */
struct fault {
   enum kind kind;
   const struct why_op *op;
   uint32_t x_px, y_px;
   bool front;
   uint64_t random;
   bool planted;      /* the draw could take it */
   uint64_t packet;   /* of the draw, as it was written anew */
   char expected[80]; /* a cause.kind, or what the verdict says */
   bool is_cause;
   uint32_t dword; /* uniform: which, and its bits */
   uint32_t bits;
};

static uint64_t state;

static uint32_t
random_below(uint32_t limit)
{
   state ^= state >> 12;
   state ^= state << 25;
   state ^= state >> 27;
   return (uint32_t)((state * UINT64_C(2685821657736338717)) >> 33) % limit;
}

static _Noreturn void __attribute__((format(printf, 1, 2))) die(const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   fputs("why_faults: ", stderr);
   vfprintf(stderr, format, arguments);
   fputc('\n', stderr);
   exit(1);
}

/* ------------------------------------------------------------------ planting */

/* A command buffer that is written anew. */
struct writer {
   uint32_t *dw;
   uint64_t address;
   uint32_t count, limit;
};

static void
append(struct writer *w, const uint32_t *packet)
{
   const uint32_t dwords = packet[0] >> 16;
   if (w->count + dwords > w->limit)
      die("a command buffer is too long to be changed");
   memcpy(w->dw + w->count, packet, 4 * dwords);
   w->count += dwords;
}

/* Pack a packet before the draw, and after it the one that held before. */
#define REPLACE(name, changed, original)                                                           \
   do {                                                                                            \
      cf_##name##_pack(before, &(changed));                                                        \
      cf_##name##_pack(after, &(original));                                                        \
      fault->planted = true;                                                                       \
   } while (0)

static void __attribute__((format(printf, 3, 4)))
expect(struct fault *fault, bool is_cause, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(fault->expected, sizeof(fault->expected), format, arguments);
   va_end(arguments);
   fault->is_cause = is_cause;
}

static void
plant_raster(struct fault *fault, const struct look_state *s, uint32_t *before, uint32_t *after)
{
   struct cf_raster changed = s->raster;
   changed.discard |= fault->kind == FAULT_DISCARD;
   changed.cull_front |= fault->kind == FAULT_CULL && fault->front;
   changed.cull_back |= fault->kind == FAULT_CULL && !fault->front;
   if (fault->kind == FAULT_CULL)
      expect(fault, false, "it is %s-facing", fault->front ? "front" : "back");
   else
      expect(fault, true, "discard");
   REPLACE(raster, changed, s->raster);
}

/* A rectangle on one side of the pixel. */
static void
plant_scissor(struct fault *fault, const struct look_state *s, uint32_t *before, uint32_t *after)
{
   struct cf_scissor changed = s->scissor;
   switch (fault->random % 4) {
   case 0:
      changed.max_x_px = fault->x_px;
      break;
   case 1:
      changed.min_x_px = fault->x_px + 1;
      break;
   case 2:
      changed.max_y_px = fault->y_px;
      break;
   case 3:
      changed.min_y_px = fault->y_px + 1;
      break;
   }
   expect(fault, true, "scissor");
   REPLACE(scissor, changed, s->scissor);
}

static void
plant_tests(struct fault *fault, const struct look_state *s, enum cf_format zs, uint32_t *before,
            uint32_t *after)
{
   struct cf_depth_stencil changed = s->depth_stencil;
   const enum cf_compare func = (enum cf_compare)(fault->random % 7); /* not always */
   const bool has_stencil = strchr(cf_format_name(zs), 's') != NULL && zs != CF_FORMAT_NONE;
   if (fault->kind == FAULT_DEPTH && zs != CF_FORMAT_NONE) {
      changed.depth_test = true;
      changed.depth_func = func;
      expect(fault, false, " %s ", cf_compare_name(func));
   } else if (fault->kind == FAULT_STENCIL && has_stencil) {
      changed.stencil_front = true;
      changed.stencil_back = false;
      changed.front_func = CF_COMPARE_NEVER;
      expect(fault, true, "stencil");
   } else if (fault->kind == FAULT_ALPHA) {
      changed.alpha_test = true;
      changed.alpha_func = func;
      changed.alpha_ref = (float)(fault->random >> 8 & 0xff) / 255;
      expect(fault, false, "alpha test: ");
   } else {
      return;
   }
   REPLACE(depth_stencil, changed, s->depth_stencil);
}

static void
plant_blend(struct fault *fault, const struct look_state *s, uint32_t *before, uint32_t *after)
{
   struct cf_blend changed = s->blend[0];
   changed.target = 0;
   if (fault->kind == FAULT_MASK) {
      changed.write_mask &= (uint32_t)(fault->random % 15);
      expect(fault, changed.write_mask == 0, changed.write_mask ? ", only " : "masked");
   } else {
      changed.enable = true;
      changed.logicop_enable = false;
      changed.color_func = CF_BLEND_FUNC_ADD;
      changed.src_color = (enum cf_blend_factor)(fault->random % 14);
      changed.dst_color = (enum cf_blend_factor)(fault->random / 14 % 14);
      expect(fault, false, "blended: add(%s * source, %s * destination)",
             cf_blend_factor_name(changed.src_color), cf_blend_factor_name(changed.dst_color));
   }
   REPLACE(blend, changed, s->blend[0]);
}

/* The address of memory beside the capture's. */
static uint64_t
extra_address(const struct look_player *player, const uint32_t *extra_dw)
{
   const struct cf_bo extra = look_player_extra(player);
   return extra.address + 4 * (uint64_t)(extra_dw - (const uint32_t *)extra.map);
}

/* The unit, of those that have a texture, that the random number chooses; negative: none has. */
static int
some_unit(const struct fault *fault, const struct look_state *s)
{
   uint32_t units = 0, chosen;
   for (uint32_t i = 0; i < CF_MAX_TEXTURE_UNITS; i++)
      units += s->texture[CF_SHADER_STAGE_FRAGMENT][i].texture != 0;
   chosen = units ? (uint32_t)(fault->random % units) : 0;
   for (uint32_t i = 0; i < CF_MAX_TEXTURE_UNITS && units; i++) {
      if (s->texture[CF_SHADER_STAGE_FRAGMENT][i].texture && chosen-- == 0)
         return (int)i;
   }
   return -1;
}

/* A unit without texture, or one that begins at another level. */
static void
plant_texture(struct fault *fault, const struct look_state *s, const struct look_player *player,
              uint32_t *extra_dw, uint32_t *before, uint32_t *after)
{
   const int unit = some_unit(fault, s);
   if (unit < 0)
      return;
   const struct cf_bind_texture *original = &s->texture[CF_SHADER_STAGE_FRAGMENT][unit];
   struct cf_bind_texture changed = *original;
   const uint32_t *dw = look_player_at(player, original->texture, 4 * CF_TEXTURE_DWORDS);
   struct cf_texture texture;
   const char *bad_field;
   if (!dw || !cf_texture_unpack(dw, &texture, &bad_field))
      return;
   if (fault->kind == FAULT_TEXTURE) {
      changed.texture = 0;
      expect(fault, false, " (no texture");
   } else if (texture.last_level > texture.first_level) {
      texture.first_level = texture.last_level;
      cf_texture_pack(extra_dw, &texture);
      changed.texture = extra_address(player, extra_dw);
      expect(fault, false, "levels %" PRIu32 " to %" PRIu32, texture.first_level,
             texture.last_level);
   } else {
      return;
   }
   REPLACE(bind_texture, changed, *original);
}

/* A copy of a stage's uniforms, one of which is another value. */
static void
plant_uniform(struct fault *fault, const struct look_state *s, const struct look_player *player,
              enum cf_shader_stage stage, float value, uint32_t *extra_dw, uint32_t *before,
              uint32_t *after)
{
   const struct cf_constants *original = &s->constants[stage][0];
   const void *data =
      original->size_B ? look_player_at(player, original->address, original->size_B) : NULL;
   struct cf_constants changed = *original;
   const uint32_t dwords = original->size_B / 4;
   if (!data || dwords > WHY_UNIFORMS - 1)
      return;
   memcpy(extra_dw, data, original->size_B);
   fault->dword = (uint32_t)(fault->random % dwords);
   memcpy(&fault->bits, &value, 4);
   extra_dw[fault->dword] = fault->bits;
   changed.address = extra_address(player, extra_dw);
   REPLACE(constants, changed, *original);
}

/* The first vertex of a draw without restarts. False: it is not known. */
static bool
first_vertex(const struct look_player *player, const uint32_t *packet, uint32_t *vertex)
{
   struct cf_draw draw;
   const char *bad_field;
   if (!cf_draw_unpack(packet, &draw, &bad_field) || draw.restart)
      return false;
   const uint64_t at = draw.index_address + (uint64_t)draw.start * draw.index_size_B;
   const void *index =
      draw.index_size_B ? look_player_at(player, at, draw.index_size_B) : &draw.start;
   *vertex = 0;
   if (index)
      memcpy(vertex, index, draw.index_size_B ? draw.index_size_B : sizeof(*vertex));
   *vertex += draw.index_size_B ? (uint32_t)draw.index_bias : 0;
   return index != NULL;
}

static void
expect_nan(struct fault *fault, const struct look_player *player, const uint32_t *draw)
{
   uint32_t vertex;
   if (first_vertex(player, draw, &vertex))
      expect(fault, false, "position is not finite: vertex %" PRIu32 " is (", vertex);
   else
      fault->planted = false;
}

/* An attribute that is NaN for all vertices. */
static void
plant_nan_attribute(struct fault *fault, const struct look_state *s,
                    const struct look_player *player, uint32_t *extra_dw, uint32_t *before,
                    uint32_t *after)
{
   const uint32_t dwords = s->elements.count * CF_VERTEX_ELEMENT_DWORDS,
                  number = s->elements.count ? (uint32_t)(fault->random % s->elements.count) : 0;
   const void *data = dwords ? look_player_at(player, s->elements.address, 4 * dwords) : NULL;
   struct cf_vertex_elements changed = s->elements;
   uint32_t *element_dw = extra_dw + number * CF_VERTEX_ELEMENT_DWORDS, *nan_dw = extra_dw + dwords;
   struct cf_vertex_element element;
   const char *bad_field;
   if (!data)
      return;
   memcpy(extra_dw, data, 4 * dwords);
   if (!cf_vertex_element_unpack(element_dw, &element, &bad_field) ||
       element.format < CF_FORMAT_R32_FLOAT || element.format > CF_FORMAT_R32G32B32A32_FLOAT)
      return;
   for (uint32_t i = 0; i < 4; i++)
      nan_dw[i] = NAN_BITS;
   element.address = extra_address(player, nan_dw);
   element.size_B = 16;
   element.stride_B = 0;
   cf_vertex_element_pack(element_dw, &element);
   changed.address = extra_address(player, extra_dw);
   REPLACE(vertex_elements, changed, s->elements);
}

/* Everything is on the wrong side of plane 0. */
static void
plant_clip_plane(struct fault *fault, const struct look_state *s, struct writer *w,
                 uint32_t *before, uint32_t *after)
{
   struct cf_raster changed = s->raster;
   struct cf_clip_planes planes = s->clip_planes;
   uint32_t packet[CF_PACKET_DWORDS];
   if (s->raster.clip_planes)
      return;
   changed.clip_planes = 1;
   planes.has_vertex = false;
   memset(planes.plane, 0, sizeof(planes.plane));
   planes.plane[3] = -1;
   cf_clip_planes_pack(packet, &planes);
   append(w, packet);
   expect(fault, true, "clip plane");
   REPLACE(raster, changed, s->raster);
}

static bool
is_nan(const struct fault *fault)
{
   return fault->kind == FAULT_NAN_ATTRIBUTE || fault->kind == FAULT_NAN_UNIFORM;
}

/* Write the fault's packet, the draw, and the packet that undoes it. */
static void
plant(struct fault *fault, const struct look_player *player, const struct look_state *s,
      struct writer *w, const uint32_t *draw, enum cf_format zs)
{
   uint32_t before[CF_PACKET_DWORDS], after[CF_PACKET_DWORDS];
   uint32_t *spare = (uint32_t *)look_player_extra(player).map + WHY_LIFT_EXTRA_B / 4;
   fault->planted = false;
   switch (fault->kind) {
   case FAULT_CULL:
   case FAULT_DISCARD:
      plant_raster(fault, s, before, after);
      break;
   case FAULT_SCISSOR:
      plant_scissor(fault, s, before, after);
      break;
   case FAULT_DEPTH:
   case FAULT_STENCIL:
   case FAULT_ALPHA:
      plant_tests(fault, s, zs, before, after);
      break;
   case FAULT_MASK:
   case FAULT_BLEND:
      plant_blend(fault, s, before, after);
      break;
   case FAULT_CLIP_PLANE:
      plant_clip_plane(fault, s, w, before, after);
      break;
   case FAULT_TEXTURE:
   case FAULT_LEVEL:
      plant_texture(fault, s, player, spare, before, after);
      break;
   case FAULT_UNIFORM:
      plant_uniform(fault, s, player, CF_SHADER_STAGE_FRAGMENT,
                    (float)(fault->random >> 32 & 0xff) / 64 - 1, spare, before, after);
      break;
   case FAULT_NAN_ATTRIBUTE:
      plant_nan_attribute(fault, s, player, spare, before, after);
      break;
   case FAULT_NAN_UNIFORM:
      plant_uniform(fault, s, player, CF_SHADER_STAGE_VERTEX, NAN, spare, before, after);
      break;
   case FAULT_KINDS:
      break;
   }
   if (fault->planted && is_nan(fault))
      expect_nan(fault, player, draw);
   if (fault->planted)
      append(w, before);
   fault->packet = w->address + 4 * (uint64_t)w->count;
   append(w, draw);
   if (fault->planted)
      append(w, after);
}

struct planting {
   const struct subject *subject;
   struct fault *fault;
};

/* The submission with the fault, in memory beside the capture's. */
static void
edit(void *user, const struct look_player *player, struct look_submission *submission)
{
   const struct planting *p = user;
   const struct cf_bo extra = look_player_extra(player);
   const uint32_t at_B = (uint32_t)(extra.size_B / 2);
   struct writer w = { .dw = (uint32_t *)((uint8_t *)extra.map + at_B),
                       .address = extra.address + at_B,
                       .limit = (uint32_t)(extra.size_B - at_B) / 4 };
   struct look_packets packets = look_packets_of(submission);
   struct look_state s = { 0 };
   const uint32_t *packet;
   if (submission->number != p->fault->op->submission)
      return;
   while ((packet = look_packets_next(&packets))) {
      if (look_packet_address(submission, packet) == p->fault->op->packet)
         plant(p->fault, player, &s, &w, packet,
               p->subject->plan.frame[p->fault->op->frame].image[CF_MAX_COLOR_TARGETS].format);
      else
         append(&w, packet);
      look_state_apply(&s, packet);
   }
   submission->dw = w.dw;
   submission->address = extra.address + at_B;
   submission->dwords = w.count;
}

/* ------------------------------------------------------------------ pictures */

static void
note_maker(void *user, const struct cf_fragment_event *e)
{
   struct subject *subject = user;
   const struct cf_surface *shown = &subject->plan.shown;
   const struct why_op *op = why_plan_op(&subject->plan, subject->submission, e->draw);
   if (!op || e->fate != CF_FATE_WRITTEN || e->sample != 0 || e->x_px >= shown->width_px ||
       e->y_px >= shown->height_px ||
       subject->plan.frame[op->frame].image[0].address != shown->address)
      return;
   subject->maker[e->y_px * shown->width_px + e->x_px] =
      (struct maker){ (uint32_t)(op - subject->plan.op), e->front };
}

static struct cf_model_config
config_of(const struct cf_observer *observer)
{
   return (struct cf_model_config){ .threads = 0,
                                    .memory_B = CF_CAPTURE_MAX_ADDRESS,
                                    .engine = CF_ENGINE_INTERP,
                                    .path = observer ? CF_PATH_PLAIN : CF_PATH_NORMAL,
                                    .no_disk_cache = true,
                                    .observer = observer };
}

/* Run the capture, with a fault or without; `look` sees memory after each submission. */
static void
run(struct subject *subject, const struct cf_observer *observer, struct planting *planting,
    void (*look)(const struct look_player *player, void *user), void *user)
{
   char error[CF_CAPTURE_ERROR_B];
   const struct cf_model_config config = config_of(observer);
   struct look_submission submission;
   int found;
   struct look_player *player = look_player_open(subject->path, &config, error, sizeof(error));
   if (!player)
      die("%s", error);
   while ((found = look_player_next(player, &submission, error, sizeof(error))) > 0) {
      subject->submission = submission.number;
      if (planting)
         edit(planting, player, &submission);
      look_player_run(player, &submission);
      if (planting && (planting->fault->kind == FAULT_UNIFORM || is_nan(planting->fault)))
         look_player_forgive(player); /* it may have made a loop endless */
      look(player, user);
   }
   if (found < 0)
      die("%s: %s", subject->path, error);
   look_player_close(player);
}

static uint32_t
pixels_of(const struct subject *subject)
{
   return subject->plan.shown.width_px * subject->plan.shown.height_px;
}

static void
keep_picture(const struct look_player *player, void *user)
{
   struct subject *subject = user;
   const struct cf_surface *shown = &subject->plan.shown;
   if (!subject->pixel)
      subject->pixel = calloc((size_t)look_player_submissions(player) * pixels_of(subject),
                              sizeof(*subject->pixel));
   if (!subject->pixel)
      die("out of memory");
   uint32_t(*pixel)[4] = subject->pixel + (size_t)subject->submission * pixels_of(subject);
   for (uint32_t i = 0; i < pixels_of(subject); i++)
      look_pixel_read(player, shown, i % shown->width_px, i / shown->width_px, 0, pixel[i]);
}

static struct subject
open_subject(const char *path)
{
   struct subject subject = { .path = path };
   const struct why_question question = { .path = path, .draw = WHY_NO_DRAW };
   const struct cf_observer observer = { .user = &subject, .fragment = note_maker };
   char error[CF_CAPTURE_ERROR_B];
   if (!why_plan_make(&question, &subject.plan, error, sizeof(error)))
      die("%s: %s", path, error);
   /* Of a window, what is drawn to: the image that its picture is copied from. */
   subject.plan.shown = subject.plan.watch[subject.plan.watches - 1].image;
   const uint32_t pixels = pixels_of(&subject);
   subject.maker = malloc(pixels * sizeof(*subject.maker));
   if (!subject.maker)
      die("out of memory");
   for (uint32_t i = 0; i < pixels; i++)
      subject.maker[i].op = UINT32_MAX;
   run(&subject, &observer, NULL, keep_picture, &subject);
   return subject;
}

/* ------------------------------------------------------------------ faults */

struct faulted {
   const struct subject *subject;
   const struct fault *fault;
   bool changed; /* the pixel, after the draw's submission */
};

static void
compare_pixel(const struct look_player *player, void *user)
{
   struct faulted *faulted = user;
   const struct subject *subject = faulted->subject;
   const struct fault *fault = faulted->fault;
   const size_t at = fault->y_px * subject->plan.shown.width_px + fault->x_px;
   uint32_t pixel[4] = { 0 };
   if (subject->submission != fault->op->submission)
      return;
   look_pixel_read(player, &subject->plan.shown, fault->x_px, fault->y_px, 0, pixel);
   faulted->changed = memcmp(pixel, subject->pixel[subject->submission * pixels_of(subject) + at],
                             sizeof(pixel)) != 0;
}

/* Primitives of the faulted draw. */
struct dropped {
   const struct fault *fault;
   uint32_t not_finite, others;
};

static void
count_dropped(void *user, const struct cf_primitive_event *e)
{
   struct dropped *dropped = user;
   if (e->draw != dropped->fault->packet)
      return;
   if (e->drop == CF_DROP_NOT_FINITE)
      dropped->not_finite++;
   else
      dropped->others++;
}

static void
look_at_nothing(const struct look_player *player, void *user)
{
   (void)player;
   (void)user;
}

/* Whether the fault makes positions of all primitives NaN, so that they are why the draw is not
 * there; it may also have come to a colour alone, or to some vertices. */
static bool
is_all_nan(struct subject *subject, struct fault *fault)
{
   struct dropped dropped = { .fault = fault };
   const struct cf_observer observer = { .user = &dropped, .primitive = count_dropped };
   run(subject, &observer, &(struct planting){ subject, fault }, look_at_nothing, NULL);
   return dropped.not_finite && !dropped.others;
}

/* Choose a fault. False: it changes nothing. */
static bool
choose(struct subject *subject, struct fault *fault)
{
   const uint32_t width_px = subject->plan.shown.width_px, pixel = random_below(pixels_of(subject));
   struct faulted faulted = { .subject = subject, .fault = fault };
   if (subject->maker[pixel].op == UINT32_MAX)
      return false;
   *fault =
      (struct fault){ .kind = (enum kind)random_below(FAULT_KINDS),
                      .op = &subject->plan.op[subject->maker[pixel].op],
                      .front = subject->maker[pixel].front,
                      .x_px = pixel % width_px,
                      .y_px = pixel / width_px,
                      .random = (uint64_t)random_below(1u << 31) << 31 | random_below(1u << 31) };
   run(subject, NULL, &(struct planting){ subject, fault }, compare_pixel, &faulted);
   return fault->planted && faulted.changed && (!is_nan(fault) || is_all_nan(subject, fault));
}

/* Whether a text begins with a value of these bits: a float, an integer or a boolean. */
static bool
is_value(const char *text, const json_t *value, uint32_t bits)
{
   float number;
   memcpy(&number, &bits, 4);
   if (json_is_boolean(value))
      return !strncmp(text, bits ? "true" : "false", bits ? 4 : 5);
   if (json_is_integer(value))
      return (uint32_t)strtoll(text, NULL, 10) == bits;
   return strtof(text, NULL) == number;
}

/* Whether a sentence says of the uniform, by its name or without one by its number, that it has the
 * value that was planted: " light = 0.5". */
static bool
says_uniform(const char *sentence, const json_t *uniform, const struct fault *fault)
{
   char words[LOOK_NAME_B + 8];
   const char *name = look_text(uniform, "name");
   if (name[0])
      snprintf(words, sizeof(words), " %s = ", name);
   else
      snprintf(words, sizeof(words), " %" PRIu32 " = ", fault->dword);
   while ((sentence = strstr(sentence, words))) {
      sentence += strlen(words);
      if (is_value(sentence, json_object_get(uniform, "value"), fault->bits))
         return true;
   }
   return false;
}

/* Whether the uniform is in a set of inputs, and the sentence names it. */
static bool
names_input(const char *sentence, const json_t *inputs, const struct fault *fault)
{
   size_t i;
   const json_t *uniform;
   json_array_foreach(json_object_get(inputs, "uniforms"), i, uniform)
   {
      if (look_number(uniform, "dword") == fault->dword && says_uniform(sentence, uniform, fault))
         return true;
   }
   return false;
}

/* Whether the verdict names the uniform, from which a fragment of the draw was computed, or which
 * showed it its way. */
static bool
names_uniform(const json_t *answer, const char *verdict, const struct fault *fault)
{
   size_t i;
   const json_t *event;
   bool named = false;
   json_array_foreach(json_object_get(answer, "fragments"), i, event)
   {
      named |= look_number(event, "draw") == fault->op->draw &&
               (names_input(verdict, json_object_get(event, "inputs"), fault) ||
                names_input(verdict, json_object_get(event, "branches"), fault));
   }
   return named;
}

static bool
is_named(const json_t *answer, const struct fault *fault)
{
   const char *verdict = json_string_value(json_object_get(answer, "verdict"));
   const char *kind = json_string_value(json_object_get(json_object_get(answer, "cause"), "kind"));
   if (fault->kind == FAULT_UNIFORM)
      return verdict && names_uniform(answer, verdict, fault);
   if (fault->is_cause)
      return kind && !strcmp(kind, fault->expected);
   if (is_nan(fault) && (!verdict || !strstr(verdict, "nan")))
      return false;
   return verdict && strstr(verdict, fault->expected);
}

/* Ask about the draw at the pixel. Returns the answer. */
static json_t *
ask(struct subject *subject, struct fault *fault)
{
   struct planting planting = { subject, fault };
   const struct why_question question = { .path = subject->path,
                                          .x_px = fault->x_px,
                                          .y_px = fault->y_px,
                                          .image = subject->plan.shown.address,
                                          .draw = fault->op->draw,
                                          .edit = edit,
                                          .edit_user = &planting };
   char error[CF_CAPTURE_ERROR_B] = "";
   json_t *answer = why_ask(&question, NULL, NULL, error, sizeof(error));
   if (!answer)
      die("%s: %s", subject->path, error);
   return answer;
}

/* Plant one fault and look whether it is named. Negative: no fault changes the picture. */
static int
try_fault(struct subject *subject, uint32_t planted[FAULT_KINDS])
{
   struct fault fault;
   uint32_t tries = 0;
   while (!choose(subject, &fault)) {
      if (tries++ == TRIES)
         return -1;
   }
   json_t *answer = ask(subject, &fault);
   const bool named = is_named(answer, &fault);
   planted[fault.kind]++;
   if (!named)
      printf("%s: %s in draw %" PRIu32 " at %" PRIu32 ",%" PRIu32
             " is not named (expected '%s', dword %" PRIu32 "): %s\n",
             subject->path, kind_names[fault.kind], fault.op->draw, fault.x_px, fault.y_px,
             fault.expected, fault.dword, json_string_value(json_object_get(answer, "verdict")));
   json_decref(answer);
   return named;
}

int
main(int argc, char **argv)
{
   unsigned long count = 100, seed = (unsigned long)time(NULL);
   uint32_t planted[FAULT_KINDS] = { 0 };
   int first = 1, named = 0, total = 0;
   while (first + 1 < argc && argv[first][0] == '-') {
      unsigned long *value = !strcmp(argv[first], "--count")  ? &count
                             : !strcmp(argv[first], "--seed") ? &seed
                                                              : NULL;
      if (!value || !cf_parse_number(argv[first + 1], UINT32_MAX, value))
         die("usage: why_faults [--count N] [--seed S] CAPTURE...");
      first += 2;
   }
   state = seed * 2 + 1;
   printf("seed %lu\n", seed);
   for (int i = first; i < argc; i++) {
      struct subject subject = open_subject(argv[i]);
      for (unsigned long n = 0; n < count; n++) {
         const int result = try_fault(&subject, planted);
         if (result < 0)
            die("%s: no fault changes its picture", argv[i]);
         named += result;
         total++;
      }
      why_plan_free(&subject.plan);
      free(subject.maker);
      free(subject.pixel);
   }
   for (int kind = 0; kind < FAULT_KINDS; kind++)
      printf("%s: %" PRIu32 " faults\n", kind_names[kind], planted[kind]);
   printf("%d of %d faults are named\n", named, total);
   return total && named * 1000 >= total * 999 ? 0 : 1;
}
