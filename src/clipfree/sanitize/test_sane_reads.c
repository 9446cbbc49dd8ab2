/* SPDX-License-Identifier: MIT */
/*
 * What draws read: images and buffers that they write themselves, bytes and texels that were never
 * written; and the way of a value through programs. Events are made here, at the bounds of each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "clipfree/memory/cf_format.h"
#include "clipfree/sanitize/cf_sane_values.h"
#include "clipfree/sanitize/test_watched.h"
#include "clipfree/shader/cf_run.h"
#include "clipfree/texture/cf_texture.h"

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof(*(table))))
#define NOTHING "mov v0, 1.0\nend\n"

/* ------------------------------------------------------------------ buffers of feedback */

struct fed {
   uint32_t address, size_B, stride_B, divisor; /* of the vertex element */
   uint32_t index_size_B, index_address, count, start;
   uint32_t filled_B; /* of the buffer of feedback, bytes 0x1000 to 0x103f */
   bool found;
};

/* The bytes that a draw may read of its element or indices overlap those that it may write. */
static const struct fed feds[] = {
   { 0x0fc0, 128, 16, 0, 0, 0, 4, 0, 0, false }, /* up to 0xfff */
   { 0x0fc0, 128, 16, 0, 0, 0, 5, 0, 0, true },  /* up to 0x100f */
   { 0x0fc0, 128, 16, 0, 0, 0, 1, 3, 0, false },
   { 0x0fc0, 128, 16, 0, 0, 0, 1, 4, 0, true },
   { 0x0fc0, 256, 16, 0, 0, 0, 1, 7, 0, true },  /* 0x1030 to 0x103f */
   { 0x0fc0, 256, 16, 0, 0, 0, 1, 8, 0, false }, /* from 0x1040 on */
   { 0x0fc0, 64, 16, 0, 0, 0, 9, 0, 0, false },  /* no more than there is */
   { 0x0fc0, 64, 16, 0, 0, 0, 1, 4, 0, false },  /* beyond its end */
   { 0x0fc0, 65, 16, 0, 0, 0, 9, 0, 0, true },
   { 0x0fc0, 65, 0, 0, 0, 0, 1, 0, 0, true },       /* all vertices have the first bytes */
   { 0x0fc0, 65, 16, 1, 0, 0, 1, 0, 0, true },      /* by instance: any bytes */
   { 0x0fc0, 65, 16, 0, 2, 0x2000, 1, 0, 0, true }, /* with indices: any bytes */
   { 0x0fc0, 64, 16, 0, 2, 0x0ffe, 1, 0, 0, false },
   { 0x0fc0, 64, 16, 0, 2, 0x0ffe, 2, 0, 0, true },
   { 0x0fc0, 64, 16, 0, 2, 0x0ffe, 1, 1, 0, true },
   /* a draw without vertices reads nothing */
   { 0x0fc0, 64, 16, 0, 2, 0x0ffe, 0, 1, 0, false },
   { 0x1000, 64, 16, 0, 2, 0x2000, 0, 0, 0, false },
   { 0x1000, 64, 16, 0, 0, 0, 0, 0, 0, false },
   { 0x1000, 64, 0, 0, 0, 0, 0, 0, 0, false },
   /* what was filled by draws before is not written */
   { 0x1000, 32, 16, 0, 0, 0, 2, 0, 32, false },
   { 0x1000, 33, 16, 0, 0, 0, 3, 0, 32, true },
   { 0x1000, 64, 16, 0, 0, 0, 4, 0, 63, true },
   { 0x1000, 64, 16, 0, 0, 0, 4, 0, 64, false },
};

static void
feed(struct watched *w, const struct fed *f, uint64_t filled_at)
{
   const uint64_t elements =
      PUT(w, vertex_element, VERTEX_ELEMENT, .address = f->address, .size_B = f->size_B,
          .stride_B = f->stride_B, .divisor = f->divisor, .format = CF_FORMAT_R32_FLOAT);
   GIVE(w, vertex_elements, .count = 1, .address = elements);
   GIVE(w, feedback, .outputs = 1, .address = { 0x1000 }, .size_B = { 0x40 },
        .filled = { filled_at });
}

#define DRAW_FED(w, f, give)                                                                       \
   give(w, draw, .count = (f)->count, .start = (f)->start, .instances = 1,                         \
        .index_size_B = (f)->index_size_B, .index_address = (f)->index_address)

/* The first report is of feedback; or there is none. */
static void
expect_feedback(const struct watched *w, bool found, uint32_t number)
{
   const struct cf_sanitize_report *r = cf_sanitize_reports(w->s);
   if (!r == found || (r && r->check != CF_SANITIZE_FEEDBACK))
      fail_msg("case %u: %s", number, r ? r->text : "no report");
}

static void
reads_what_it_feeds(void **state)
{
   (void)state;
   for (uint32_t i = 0; i < COUNT(feds); i++) {
      struct watched w;
      const uint64_t filled_B = feds[i].filled_B;
      watch(&w);
      bind(&w, CF_SHADER_STAGE_VERTEX, NOTHING);
      feed(&w, &feds[i], put(&w, &filled_B, sizeof(filled_B)));
      DRAW_FED(&w, &feds[i], GIVE);
      expect_feedback(&w, feds[i].found, i);
      stop(&w);
   }
}

/* Nothing is said of draws that are malformed or have no program, nor of what is not in memory. */
static void
no_feedback(void **state)
{
   static const struct fed f = { 0x1000, 64, 16, 0, 0, 0, 4, 0, 0, true };
   struct watched w;
   (void)state;
   watch(&w);
   const uint64_t zero = 0, filled = put(&w, &zero, sizeof(zero));
   feed(&w, &f, filled);
   DRAW_FED(&w, &f, GIVE); /* without a program */
   bind(&w, CF_SHADER_STAGE_VERTEX, NOTHING);
   DRAW_FED(&w, &f, GIVE_MALFORMED);
   feed(&w, &f, filled + 4); /* not aligned */
   DRAW_FED(&w, &f, GIVE);
   feed(&w, &f, 0);
   DRAW_FED(&w, &f, GIVE);
   feed(&w, &f, filled);
   uint32_t *element = cf_memory_at(w.memory, w.s->elements.address, 4 * CF_VERTEX_ELEMENT_DWORDS);
   element[4] |= 1u << 31; /* reserved */
   DRAW_FED(&w, &f, GIVE);
   GIVE(&w, vertex_elements, .count = 1, .address = UINT64_MAX - 3);
   DRAW_FED(&w, &f, GIVE);
   assert_null(cf_sanitize_reports(w.s));
   feed(&w, &f, filled);
   DRAW_FED(&w, &f, GIVE);
   assert_non_null(cf_sanitize_reports(w.s));
   stop(&w);
}

/* A primitive that does not fit is reported, of a draw with a program that is known. */
static void
no_room(void **state)
{
   struct watched w;
   (void)state;
   watch(&w);
   GIVE(&w, draw, .count = 3, .instances = 1);
   const struct cf_feedback_event bare = { .draw = w.packet, .primitive = 7 };
   bind(&w, CF_SHADER_STAGE_VERTEX, NOTHING);
   GIVE(&w, draw, .count = 3, .instances = 1);
   struct cf_feedback_event event = { .draw = w.packet, .primitive = 7, .fits = true };
   const struct cf_feedback_event unknown = { .draw = w.packet + 4, .primitive = 7 };
   sane_feedback(w.s, &bare);
   sane_feedback(w.s, &event);
   sane_feedback(w.s, &unknown);
   assert_null(cf_sanitize_reports(w.s));
   event.fits = false;
   sane_feedback(w.s, &event);
   sane_feedback(w.s, &event);
   const struct cf_sanitize_report *r = cf_sanitize_reports(w.s);
   assert_non_null(r);
   assert_int_equal(r->check, CF_SANITIZE_FEEDBACK_SIZE);
   assert_int_equal(r->count, 2);
   assert_string_equal(r->message, "a buffer of transform feedback has no room for primitive 7");
   stop(&w);
}

/* ------------------------------------------------------------------ images */

enum wrong {
   RIGHT,
   NO_TEXTURE,
   TEXTURE,
   SAMPLER,
   TEXTURE_BITS,
   SAMPLER_BITS,
   SURFACE,
   NO_SURFACE,
   SURFACE_OUTSIDE
};

/* Texture unit 0 is 256 bytes at 0x1000. */
static void
reads_what_it_draws(void **state)
{
   static const struct {
      uint32_t color, mask, depths; /* addresses of pixels */
      bool depth_write;
      enum wrong wrong;
      bool found;
   } cases[] = {
      { 0x1000, 15, 0x3000, true, RIGHT, true },
      { 0x10ff, 1, 0x3000, true, RIGHT, true },
      { 0x1100, 15, 0x3000, true, RIGHT, false },
      { 0x1000, 0, 0x3000, true, RIGHT, false }, /* it writes no colours */
      { 0x2000, 15, 0x1000, true, RIGHT, true },
      { 0x2000, 15, 0x1000, false, RIGHT, false }, /* nor depths */
      { 0x1000, 15, 0x1000, true, NO_TEXTURE, false },
      { 0x1000, 15, 0x1000, true, TEXTURE, false },
      { 0x1000, 15, 0x1000, true, SAMPLER, false },
      { 0x1000, 15, 0x1000, true, TEXTURE_BITS, false },
      { 0x1000, 15, 0x1000, true, SAMPLER_BITS, false },
      { 0x1000, 15, 0x1000, true, SURFACE, false },
      { 0x1000, 15, 0x1000, true, NO_SURFACE, false },
      { 0x1000, 15, 0x1000, true, SURFACE_OUTSIDE, false },
   };
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      struct watched w;
      const enum wrong wrong = cases[i].wrong;
      watch(&w);
      uint64_t texture = PUT(&w, texture, TEXTURE, .address = 0x1000, .layers = 1, .depth_px = 1,
                             .level_layer_pitch_B = { 256 }),
               sampler = PUT(&w, sampler, SAMPLER, .min_lod = 0),
               color = PUT(&w, surface, SURFACE, .address = cases[i].color),
               depths = PUT(&w, surface, SURFACE, .address = cases[i].depths);
      if (wrong == TEXTURE_BITS)
         *(uint32_t *)cf_memory_at(w.memory, texture + 12, 4) |= 1u << 31;
      if (wrong == SAMPLER_BITS)
         *(uint32_t *)cf_memory_at(w.memory, sampler, 4) |= 1u << 31;
      if (wrong == SURFACE) {
         *(uint32_t *)cf_memory_at(w.memory, color + 16, 4) |= 1u << 31;
         *(uint32_t *)cf_memory_at(w.memory, depths + 16, 4) |= 1u << 31;
      }
      if (wrong == NO_SURFACE)
         color = depths = 0;
      if (wrong == SURFACE_OUTSIDE)
         color = depths = UINT64_MAX - 3;
      texture = wrong == NO_TEXTURE ? 0 : wrong == TEXTURE ? texture + 1 : texture;
      sampler = wrong == SAMPLER ? UINT64_MAX - 3 : sampler;
      bind(&w, CF_SHADER_STAGE_FRAGMENT, "tex v0.xyzw, 0, v1, v2, v3, v4, lod\nend\n");
      GIVE(&w, framebuffer, .color_count = 1, .color = { color }, .depth_stencil = depths);
      GIVE(&w, blend, .target = 0, .write_mask = cases[i].mask);
      GIVE(&w, depth_stencil, .depth_write = cases[i].depth_write);
      GIVE(&w, bind_texture, .stage = CF_SHADER_STAGE_FRAGMENT, .texture = texture,
           .sampler = sampler);
      GIVE(&w, draw, .count = 3, .instances = 1);
      expect_feedback(&w, cases[i].found, i);
      stop(&w);
   }
}

/* A frame buffer that says that it has more targets than there are: the eighth is the last. */
static void
too_many_targets(void **state)
{
   struct watched w;
   (void)state;
   watch(&w);
   const uint64_t last = PUT(&w, surface, SURFACE, .address = 0x4000);
   bind(&w, CF_SHADER_STAGE_FRAGMENT, "tex v0.xyzw, 0, v1, v2, v3, v4, lod\nend\n");
   const uint64_t texture = PUT(&w, texture, TEXTURE, .address = 0x1000),
                  sampler = PUT(&w, sampler, SAMPLER, .min_lod = 0);
   GIVE(&w, bind_texture, .stage = CF_SHADER_STAGE_FRAGMENT, .texture = texture,
        .sampler = sampler);
   GIVE(&w, blend, .target = 7, .write_mask = 15);
   GIVE(&w, framebuffer, .color_count = 15, .color = { [7] = last });
   GIVE(&w, draw, .count = 3, .instances = 1);
   assert_int_equal(w.s->draws, 1);
   for (uint32_t i = 0; i < 7; i++)
      assert_int_equal(w.s->draw[0]->target[i], 0);
   assert_int_equal(w.s->draw[0]->target[7], 0x4000);
   assert_null(cf_sanitize_reports(w.s));
   stop(&w);
}

/* ------------------------------------------------------------------ what was never written */

/* A draw with a note, and this thread in a task of it. */
static struct sane_thread *
draw_with(struct watched *w, enum cf_shader_stage stage, const struct cf_note_written *written,
          uint32_t count)
{
   struct cf_note note = { 0 };
   for (uint32_t i = 0; i < count; i++)
      cf_note_add_written(&note, i & 1 ? CF_NOTE_WRITTEN_TEXELS : CF_NOTE_WRITTEN_BYTES,
                          &written[i]);
   watch(w);
   bind(w, stage, NOTHING);
   note_of(w, w->packet + PACKET_B, &note);
   GIVE(w, draw, .count = 3, .instances = 1);
   struct sane_thread *t = sane_thread(w->s);
   assert_non_null(t);
   assert_true(sane_find_draw(t, w->packet));
   assert_int_equal(t->draw->writtens, count);
   t->program = w->s->bound[stage];
   return t;
}

/* Of unit 3, level 1, layer 2 of fragments pixels (2, 3) to (5, 4) are written, nothing of unit 4,
 * all of others. */
static const struct cf_note_written written_texels[] = {
   { .place = 3, .end = { 1, 1 } }, /* of bytes */
   { CF_SHADER_STAGE_VERTEX, 3, 1, 2, { 0 }, { 1, 1 } },
   { .place = 3, .end = { 1, 1 } },
   { CF_SHADER_STAGE_FRAGMENT, 3, 1, 2, { 2, 3 }, { 6, 5 } },
   { .place = 3, .end = { 1, 1 } },
   { CF_SHADER_STAGE_FRAGMENT, 4, 0, 0, { 0 }, { 0 } },
};

static void
texels(void **state)
{
   static const struct {
      struct cf_texel texel;
      bool written;
   } cases[] = {
      { { .unit = 3, .level = 1, .layer = 2, .x_px = 2, .y_px = 3 }, true },
      { { .unit = 3, .level = 1, .layer = 2, .x_px = 5, .y_px = 4 }, true },
      { { .unit = 3, .level = 1, .layer = 2, .x_px = 1, .y_px = 3 }, false },
      { { .unit = 3, .level = 1, .layer = 2, .x_px = 6, .y_px = 3 }, false },
      { { .unit = 3, .level = 1, .layer = 2, .x_px = 2, .y_px = 2 }, false },
      { { .unit = 3, .level = 1, .layer = 2, .x_px = 2, .y_px = 5 }, false },
      { { .unit = 2, .level = 1, .layer = 2, .x_px = 6, .y_px = 5 }, true },
      { { .unit = 3, .level = 0, .layer = 2, .x_px = 6, .y_px = 5 }, true },
      { { .unit = 3, .level = 1, .layer = 1, .x_px = 6, .y_px = 5 }, true },
      { { .unit = 4 }, false },
   };
   struct watched w;
   (void)state;
   struct sane_thread *t =
      draw_with(&w, CF_SHADER_STAGE_FRAGMENT, written_texels, COUNT(written_texels));
   assert_true(sane_wants_texels(w.s, NULL));
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      struct cf_texel texel = cases[i].texel;
      t->texels[0] = t->texels[1] = 0;
      texel.lane = i;
      sane_texel(w.s, NULL, &texel);
      if (t->texels[cases[i].written] != 1u << i || t->texels[!cases[i].written])
         fail_msg("case %u: %#x, %#x", i, t->texels[0], t->texels[1]);
   }
   /* the first one of a lane is named */
   t->texels[0] = 0;
   sane_texel(w.s, NULL, &(struct cf_texel){ .unit = 4, .lane = 31, .x_px = 7, .y_px = 9 });
   sane_texel(w.s, NULL, &(struct cf_texel){ .unit = 4, .lane = 31, .x_px = 8, .y_px = 9 });
   assert_int_equal(t->texels[0], 1u << 31);
   assert_int_equal(t->texel[31], 7 | 9 << 16);
   stop(&w);
}

/* The corners of filters along one, two and three axes: lane 1 has texels x 2 and 6, y 3 and 5,
 * slices 2 and 3, or layer 2; of unit 3, as above. What is not of a kind that is noted is
 * written. */
static void
footprints(void **state)
{
   static const struct {
      uint32_t axes, corners, texels[2];
      struct cf_note_written written;
   } cases[] = {
      { 1, 1, { 0, 2 }, { CF_SHADER_STAGE_FRAGMENT, 3, 1, 2, { 2, 0 }, { 3, 1 } } },
      { 1, 2, { 2, 2 }, { CF_SHADER_STAGE_FRAGMENT, 3, 1, 2, { 2, 0 }, { 3, 1 } } },
      { 1, 2, { 0, 2 }, { CF_SHADER_STAGE_FRAGMENT, 3, 1, 2, { 2, 0 }, { 7, 1 } } },
      { 1, 2, { 2, 0 }, { CF_SHADER_STAGE_FRAGMENT, 3, 1, 2, { 2, 1 }, { 7, 9 } } }, /* y is 0 */
      { 2, 1, { 0, 2 }, { CF_SHADER_STAGE_FRAGMENT, 3, 1, 2, { 2, 3 }, { 3, 4 } } },
      { 2, 4, { 2, 2 }, { CF_SHADER_STAGE_FRAGMENT, 3, 1, 2, { 2, 3 }, { 7, 5 } } },
      { 2, 4, { 0, 2 }, { CF_SHADER_STAGE_FRAGMENT, 3, 1, 2, { 2, 3 }, { 7, 6 } } },
      { 3, 8, { 2, 2 }, { CF_SHADER_STAGE_FRAGMENT, 3, 1, 3, { 2, 3 }, { 6, 6 } } },
      { 3, 8, { 0, 2 }, { CF_SHADER_STAGE_FRAGMENT, 3, 1, 3, { 2, 3 }, { 7, 6 } } },
      { 3, 8, { 0, 2 }, { CF_SHADER_STAGE_FRAGMENT, 3, 1, 4, { 0, 0 }, { 0, 0 } } },
   };
   static const int32_t axis[3][2][CF_TASK_LANES] = { { { 9, 2 }, { 9, 6 } },
                                                      { { 9, 3 }, { 9, 5 } },
                                                      { { 9, 2 }, { 9, 3 } } };
   static const uint32_t layer[CF_TASK_LANES] = { 9, 2 };
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      const struct cf_note_written written[2] = { { .place = 3 }, cases[i].written };
      struct cf_footprint f = { .unit = 3,
                                .level = 1,
                                .lanes = 2,
                                .axes = cases[i].axes,
                                .corners = cases[i].corners,
                                .layer = layer };
      struct watched w;
      for (uint32_t a = 0; a < 6; a++)
         f.axis[a / 2][a % 2] = axis[a / 2][a % 2];
      struct sane_thread *t = draw_with(&w, CF_SHADER_STAGE_FRAGMENT, written, 2);
      sane_footprint(w.s, NULL, &f);
      if (memcmp(t->texels, cases[i].texels, sizeof(t->texels)) != 0)
         fail_msg("case %u: %#x, %#x", i, t->texels[0], t->texels[1]);
      stop(&w);
   }
}

/* A buffer of four elements of 8 bytes, 12 apart, of which bytes 12 to 31 are written. An element
 * that it has not is another matter. */
static void
attributes(void **state)
{
   static const struct cf_note_written written[] = { { .place = 2, .begin = { 12 }, .end = { 32 } },
                                                     { .place = 1 } };
   static const uint8_t bytes[44];
   static const uint32_t number[CF_TASK_LANES] = { 0, 1, 2, 3, 4, UINT32_MAX };
   struct cf_stage stage = { 0 };
   struct watched w;
   (void)state;
   struct sane_thread *t = draw_with(&w, CF_SHADER_STAGE_VERTEX, written, 2);
   stage.fetch[2] = (struct cf_fetch){ .data = bytes,
                                       .size_B = sizeof(bytes),
                                       .stride_B = 12,
                                       .format = cf_format_info_of(CF_FORMAT_R32G32_FLOAT) };
   const struct cf_run run = { .stage = &stage };
   const struct cf_task_event event = { .run = &run };
   struct cf_instr load = { .op = CF_OP_LDF, .slot = 2 };
   t->instr = &load;
   t->operand[0] = number;
   t->exec = 0x3f;
   assert_int_equal(sane_unwritten_lanes(t, &event), 1u << 0 | 1u << 3);
   t->exec = 0x3e;
   assert_int_equal(sane_unwritten_lanes(t, &event), 1u << 3);
   load.slot = 3; /* nothing is noted of it */
   assert_int_equal(sane_unwritten_lanes(t, &event), 0);
   load.slot = 2;
   stage.fetch[2].format = NULL; /* it is not there */
   assert_int_equal(sane_unwritten_lanes(t, &event), 0);
   stop(&w);
}

/* A uniform is reported once a program, at its fragment program if there is one, by any number of
 * draws. */
static void
uniforms(void **state)
{
   struct watched w;
   (void)state;
   watch(&w);
   for (uint32_t i = 0; i < 5; i++) {
      struct cf_note note = { 0 };
      if (i == 1)
         bind(&w, CF_SHADER_STAGE_VERTEX, NOTHING);
      if (i == 3)
         bind(&w, CF_SHADER_STAGE_FRAGMENT, NOTHING);
      cf_note_add_text(&note, CF_NOTE_UNSET, "uniform float a", 15);
      note_of(&w, w.packet + PACKET_B, &note);
      GIVE(&w, draw, .count = 3, .instances = 1);
      if (i == 0)
         assert_null(cf_sanitize_reports(w.s)); /* without programs it is not read */
   }
   const struct cf_sanitize_report *r = cf_sanitize_reports(w.s);
   assert_non_null(r);
   assert_int_equal(r->stage, CF_SHADER_STAGE_VERTEX);
   assert_int_equal(r->count, 2);
   assert_string_equal(r->message, "uniform float a was never set, and is 0");
   assert_non_null(r->next);
   assert_int_equal(r->next->stage, CF_SHADER_STAGE_FRAGMENT);
   assert_int_equal(r->next->count, 2);
   assert_null(r->next->next);
   stop(&w);
}

/* ------------------------------------------------------------------ ways of values */

/* Instructions that a value passes, in their order: not the one that made it, none twice in a row,
 * and the first SANE_THROUGH. */
static void
passes(void **state)
{
   struct sane_thread t = { .births = 2, .birth = { { .instr = 3 }, { .instr = 9 } } };
   static const uint32_t at[] = { 3, 4, 4, 5, 4, 3 }, expected[] = { 4, 5, 4 };
   (void)state;
   for (uint32_t i = 0; i < COUNT(at); i++) {
      t.at = at[i];
      sane_pass_through(&t, 1u << 1 | 1u);
   }
   assert_int_equal(t.birth[0].throughs, COUNT(expected));
   assert_memory_equal(t.birth[0].through, expected, sizeof(expected));
   assert_int_equal(t.birth[1].throughs, 0);
   for (uint32_t i = 0; i < SANE_THROUGH + 5; i++) {
      t.at = 100 + i;
      sane_pass_through(&t, 1u << 2);
   }
   assert_int_equal(t.birth[1].throughs, SANE_THROUGH);
   assert_int_equal(t.birth[1].through[0], 100);
   assert_int_equal(t.birth[1].through[SANE_THROUGH - 1], 100 + SANE_THROUGH - 1);
}

/* Lines of what a value passes: each once, not the one of its report, eight at most. */
static void
lines_passed(void **state)
{
   static const uint32_t lines[] = { 7, 8, 7, 9, 8, 10, 11, 12, 13, 14, 15, 16 },
                         expected[] = { 8, 9, 10, 11, 12, 13, 14, 15 };
   struct cf_note_line line[COUNT(lines)];
   struct cf_note note = { 0 };
   struct cf_sanitize_report report = { .line = 7 };
   struct sane_birth birth = { .throughs = COUNT(lines) };
   struct watched w;
   (void)state;
   watch(&w);
   const uint64_t descriptor = assembled(&w, CF_SHADER_STAGE_VERTEX, NOTHING);
   for (uint32_t i = 0; i < COUNT(lines); i++) {
      line[i] = (struct cf_note_line){ .instr = i, .line = lines[i], .text_line = 1 };
      birth.through[i] = i;
   }
   cf_note_add_lines(&note, line, COUNT(lines));
   note_of(&w, descriptor, &note);
   const struct sane_thread t = { .program = sane_program_at(w.s, w.memory, descriptor),
                                  .at = 99 }; /* which has no line */
   sane_take_through(&t, &birth, &report);
   assert_int_equal(report.throughs, CF_SANITIZE_LINES);
   assert_memory_equal(report.through, expected, sizeof(expected));
   stop(&w);
}

/* A draw's value goes into each of its programs; with a geometry program it comes from that one. */
static void
step_into_each(struct watched *w, struct sane_thread *t, const struct cf_task_event *event,
               const struct sane_birth *birth, struct cf_sanitize_report *origin)
{
   bind(w, CF_SHADER_STAGE_GEOMETRY, "mov v0, 0.5\nend\n");
   struct sane_program *geometry = w->s->bound[CF_SHADER_STAGE_GEOMETRY];
   GIVE(w, draw, .count = 3, .instances = 1);
   assert_true(sane_find_draw(t, w->packet));
   sane_follow(t, event, birth, 8, "a branch", NULL);
   assert_null(origin->way);
   geometry->arrived[CF_OUTPUT_VARYINGS + 1] = origin;
   sane_follow(t, event, birth, 8, "a branch", NULL);
   t->program = geometry;
   sane_follow(t, event, birth, 8, "a branch", NULL);
   sane_follow(t, event, birth, 8, "a branch", NULL);
   assert_non_null(origin->way);
   struct cf_sanitize_report *second = origin->way->next;
   assert_non_null(second);
   assert_int_equal(second->program, geometry->descriptor);
   assert_null(second->next);
   free(origin->way);
   free(second);
   origin->way = NULL;
}

/* The value of a report in the vertex program comes into fragments through a varying: a step for
 * each draw and program, 16 at most. */
static void
steps(void **state)
{
   static const struct cf_task_quad quad = { 4, 6, 2 };
   static const struct cf_instr ldvar = { .op = CF_OP_LDVAR, .index = 1 },
                                mov = { .op = CF_OP_MOV };
   const struct cf_task_event event = { .quad = &quad, .quads = 1 };
   struct sane_birth birth = { .elsewhere = true, .code = &ldvar, .lanes = 8 };
   struct cf_sanitize_report origin = { .check = CF_SANITIZE_NAN };
   struct watched w;
   uint32_t count = 0;
   (void)state;
   watch(&w);
   GIVE(&w, draw, .count = 3, .instances = 1); /* without a vertex program */
   const uint64_t bare = w.packet;
   bind(&w, CF_SHADER_STAGE_VERTEX, NOTHING);
   bind(&w, CF_SHADER_STAGE_FRAGMENT, NOTHING);
   struct sane_thread *t = sane_thread(w.s);
   t->program = w.s->bound[CF_SHADER_STAGE_FRAGMENT];
   t->instr = &mov;
   w.s->bound[CF_SHADER_STAGE_VERTEX]->arrived[CF_OUTPUT_VARYINGS + 1] = &origin;
   assert_true(sane_find_draw(t, bare));
   sane_follow(t, &event, &birth, 8, "a branch", NULL);
   assert_null(origin.way);
   for (uint32_t i = 0; i < 18; i++) {
      GIVE(&w, draw, .count = 3, .instances = 1);
      assert_true(sane_find_draw(t, w.packet));
      sane_follow(t, &event, &birth, 8, "a branch", NULL);
      sane_follow(t, &event, &birth, 8, "a branch", NULL);
      sane_follow(t, &event, &birth, 8, "a branch", &origin); /* it is not a step of itself */
   }
   for (struct cf_sanitize_report *step = origin.way, *next; step; step = next, count++) {
      next = step->next;
      assert_int_equal(step->x_px, 5);
      assert_int_equal(step->y_px, 7);
      assert_int_equal(step->draw, count + 1);
      assert_string_equal(step->message, "through output 9 to a branch");
      free(step);
   }
   assert_int_equal(count, 16);
   origin.way = NULL;
   step_into_each(&w, t, &event, &birth, &origin);
   static const struct cf_instr beyond = { .op = CF_OP_LDVAR, .index = CF_MAX_VARYING_DWORDS };
   birth.code = &beyond; /* no output has such a number */
   sane_follow(t, &event, &birth, 8, "a branch", NULL);
   assert_null(origin.way);
   stop(&w);
}

/* Images that such values were drawn to: the last SANE_STAINS are known. A texture that is not
 * bound has none. */
static void
stains(void **state)
{
   static const struct cf_task_quad quad = { 0 };
   static const struct cf_instr add = { .op = CF_OP_FADD }, mov = { .op = CF_OP_MOV };
   static const struct {
      uint32_t stains;
      bool bound, found;
   } cases[] = {
      { 0, true, false },          { 1, true, true },
      { SANE_STAINS, true, true }, { SANE_STAINS + 1, true, false },
      { 1, false, false },
   };
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      struct cf_texture_unit unit = { .texture = { .address = 0x1000 } };
      struct cf_stage stage = { .textures = { [3] = cases[i].bound ? &unit : NULL } };
      const struct cf_run run = { .stage = &stage };
      const struct cf_task_event event = { .run = &run, .quad = &quad, .quads = 1 };
      struct sane_birth birth = { .code = &add, .lanes = 1, .operand = { { 0x7f800000 } } };
      struct cf_sanitize_report origin = { .check = CF_SANITIZE_NAN };
      struct watched w;
      watch(&w);
      bind(&w, CF_SHADER_STAGE_FRAGMENT, "tex v0.xyzw, 3, v1, v2, v3, v4, lod\nend\n");
      GIVE(&w, draw, .count = 3, .instances = 1);
      struct sane_thread *t = sane_thread(w.s);
      assert_true(sane_find_draw(t, w.packet));
      t->program = w.s->bound[CF_SHADER_STAGE_FRAGMENT];
      t->instr = &mov;
      for (uint32_t k = 0; k < cases[i].stains; k++) /* the first one is of the texture */
         w.s->stain[w.s->stains++ % SANE_STAINS] =
            (struct sane_stain){ k ? 0x2000 : 0x1000, &origin };
      sane_follow(t, &event, &birth, 1, "a branch", NULL);
      if (!origin.way == cases[i].found)
         fail_msg("case %u: %s", i, origin.way ? origin.way->text : "no step");
      free(origin.way);
      stop(&w);
   }
}

/* A report names what a fetch wanted and what there is: levels, or samples of textures that have
 * several. The lane is one where the value was made, if there is one. */
static void
fetches(void **state)
{
   static const struct cf_task_quad quad[2] = { { 0, 0, 0 }, { 8, 2, 1 } };
   static const struct cf_instr tex = { .op = CF_OP_TEX, .unit = 3, .mode = CF_TEXMODE_FETCH };
   static const struct {
      uint32_t samples, lanes, x_px;
      const char *message;
   } cases[] = {
      { 4, 0x12, 8,
        "texel 2,5 of sample 7; texture unit 3 has 16 x 8 x 1 and samples 0 to 3; it reaches x" },
      { 1, 0x30, 8,
        "texel 2,5 of level 7; texture unit 3 has 16 x 8 x 1 and levels 0 to 2; it reaches x" },
      { 1, 0x02, 1,
        "texel 2,5 of level 7; texture unit 3 has 16 x 8 x 1 and levels 0 to 2; it reaches x" },
   };
   (void)state;
   for (uint32_t i = 0; i < COUNT(cases); i++) {
      struct cf_texture_unit unit = { .texture = { .samples = cases[i].samples, .last_level = 2 },
                                      .dims = 2,
                                      .level = {
                                         { .width_px = 16, .height_px = 8, .depth_px = 1 } } };
      struct cf_stage stage = { .textures = { [3] = &unit } };
      const struct cf_run run = { .stage = &stage };
      const struct cf_task_event event = { .run = &run, .quad = quad, .quads = 2 };
      struct sane_birth birth = { .check = CF_SANITIZE_TEXEL_INDEX, .code = &tex, .lanes = 0x10 };
      struct watched w;
      watch(&w);
      bind(&w, CF_SHADER_STAGE_FRAGMENT, "tex v0.xyzw, 3, v1, v2, v3, v4, lod\nend\n");
      GIVE(&w, draw, .count = 3, .instances = 1);
      struct sane_thread *t = sane_thread(w.s);
      assert_true(sane_find_draw(t, w.packet));
      t->program = w.s->bound[CF_SHADER_STAGE_FRAGMENT];
      t->instr = &tex;
      birth.operand[0][4] = 2;
      birth.operand[1][4] = 5;
      birth.operand[3][4] = 7;
      sane_report_birth(t, &event, &birth, cases[i].lanes, "x");
      const struct cf_sanitize_report *r = cf_sanitize_reports(w.s);
      assert_non_null(r);
      assert_string_equal(r->message, cases[i].message);
      assert_int_equal(r->x_px, cases[i].x_px);
      assert_int_equal(r->count, __builtin_popcount(cases[i].lanes));
      stop(&w);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_what_it_feeds),
      cmocka_unit_test(no_feedback),
      cmocka_unit_test(no_room),
      cmocka_unit_test(reads_what_it_draws),
      cmocka_unit_test(too_many_targets),
      cmocka_unit_test(texels),
      cmocka_unit_test(footprints),
      cmocka_unit_test(attributes),
      cmocka_unit_test(uniforms),
      cmocka_unit_test(passes),
      cmocka_unit_test(lines_passed),
      cmocka_unit_test(steps),
      cmocka_unit_test(stains),
      cmocka_unit_test(fetches),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
