/* SPDX-License-Identifier: MIT */
/*
 * Passes over fields of packets and of descriptors: what they are by default is simplest.
 */
#include <stdlib.h>
#include <string.h>

#include "clipfree/interface/cf_limits.h"

#include "reduce_pass.h"

#define ONE 0x3f800000 /* 1.0 */
#define ALL NULL       /* fields of the record that stand in no rule before */

/* A field and what it is by default. A record without rules stays as it is. */
struct rule {
   const char *record, *field;
   uint32_t bits;
};

static const struct rule rules[] = {
   { "scissor", "max_x_px", 0xffff },
   { "scissor", "max_y_px", 0xffff },
   { "scissor", ALL, 0 },
   { "raster", "half_pixel_center", 1 },
   { "raster", "depth_clip_near", 1 },
   { "raster", "depth_clip_far", 1 },
   { "raster", "line_width_px", ONE },
   { "raster", "point_size_px", ONE },
   { "raster", ALL, 0 },
   { "depth_stencil", ALL, 0 },
   { "stencil_ref", ALL, 0 },
   { "blend", "write_mask", 0xf },
   { "blend", ALL, 0 },
   { "blend_color", ALL, 0 },
   { "sample_mask", ALL, 0xffff },
   { "framebuffer", "depth_stencil", 0 },
   { "bind_texture", "texture", 0 },
   { "draw", "start_instance", 0 },
   { "draw", "restart", 0 },
   { "draw", "restart_index", 0 },
   { "clear", "depth", 0 },
   { "clear", "depth_value", ONE },
   { "clear", "stencil", 0 },
   { "clear", "stencil_value", 0 },
   { "clear", "color", 0 },
   { "clear", "color_preserved", 0 },
   { "sampler", ALL, 0 },
   { "texture", "swizzle_r", CF_SWIZZLE_X },
   { "texture", "swizzle_g", CF_SWIZZLE_Y },
   { "texture", "swizzle_b", CF_SWIZZLE_Z },
   { "texture", "swizzle_a", CF_SWIZZLE_W },
   { "texture", "last_level", 0 },
   { "link", "flat", 0 },
   { "link", "two_sided", 0 },
   { "link", "back_slot", 0 },
};

/* Fields that name what the packet is about. */
static bool
is_place(const char *record, const char *field)
{
   return !strcmp(record, "blend") && !strcmp(field, "target");
}

/* Fields of textures and samplers that no call of OpenGL ES 2.0 sets. */
static const char *const beyond_gles[] = { "min_lod", "max_lod", "last_level", "magnify_to_half",
                                           "seamless" };

static bool
is_beyond_gles(const char *field)
{
   for (uint32_t i = 0; i < sizeof(beyond_gles) / sizeof(*beyond_gles); i++) {
      if (!strcmp(beyond_gles[i], field))
         return true;
   }
   return false;
}

static const struct cf_record *
record_named(const char *name)
{
   static const struct cf_record *const structures[] = { &cf_texture_record, &cf_sampler_record,
                                                         &cf_link_record };
   for (uint32_t i = 0; i < sizeof(structures) / sizeof(*structures); i++) {
      if (!strcmp(structures[i]->name, name))
         return structures[i];
   }
   for (uint32_t opcode = 0; opcode < 256; opcode++) {
      const struct cf_record *packet = cf_packet_record(opcode);
      if (packet && !strcmp(packet->name, name))
         return packet;
   }
   return NULL;
}

const char *
reduce_unknown_field(void)
{
   for (uint32_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
      const struct cf_record *record = record_named(rules[i].record);
      if (!record)
         return rules[i].record;
      if (rules[i].field && !cf_record_field(record, rules[i].field))
         return rules[i].field;
   }
   for (uint32_t i = 0; i < sizeof(beyond_gles) / sizeof(*beyond_gles); i++) {
      if (!cf_record_field(&cf_texture_record, beyond_gles[i]) &&
          !cf_record_field(&cf_sampler_record, beyond_gles[i]))
         return beyond_gles[i];
   }
   return NULL;
}

/* The rule of a field; NULL: it stays. */
static const struct rule *
rule_of(const char *record, const char *field, bool for_gles)
{
   if (for_gles &&
       (!strcmp(record, "link") || !strcmp(record, "bind_texture") || is_beyond_gles(field)))
      return NULL;
   for (uint32_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
      if (!strcmp(rules[i].record, record) && (!rules[i].field || !strcmp(rules[i].field, field)))
         return is_place(record, field) ? NULL : &rules[i];
   }
   return NULL;
}

/* ------------------------------------------------------------------ things */

/* An element of a field that is not what it is by default. */
struct thing {
   uint32_t submission, packet;
   uint64_t address; /* of the structure that has it; 0: the packet has it */
   const struct cf_record *record;
   const struct cf_field *field;
   uint32_t element, bits;
};

struct things {
   struct thing *thing;
   uint32_t count, capacity;
   bool for_gles; /* what links programs remains */
};

static void
add(struct things *things, const struct thing *thing)
{
   if (things->count == things->capacity) {
      struct thing *old = things->thing;
      things->capacity = 2 * things->capacity + 64;
      things->thing = reduce_allocate(things->capacity * sizeof(*old));
      if (things->count)
         memcpy(things->thing, old, things->count * sizeof(*old));
      free(old);
   }
   things->thing[things->count++] = *thing;
}

/* Add the fields of a record that are not what they are by default. */
static void
add_fields(struct things *things, const struct thing *where, const uint32_t *dw)
{
   for (uint32_t f = 0; f < where->record->fields; f++) {
      struct thing thing = *where;
      thing.field = &where->record->field[f];
      const struct rule *rule = rule_of(where->record->name, thing.field->name, things->for_gles);
      const uint32_t elements = thing.field->count ? thing.field->count : 1;
      for (thing.element = 0; rule && thing.element < elements; thing.element++) {
         thing.bits = rule->bits;
         if (cf_field_bits(thing.field, dw, thing.element) != rule->bits)
            add(things, &thing);
      }
   }
}

static void
add_structure(struct things *things, const struct reduce_case *c, struct thing where,
              const struct cf_record *record, uint64_t address)
{
   uint32_t dw[64];
   where.record = record;
   where.address = address;
   if (record->dwords <= 64 &&
       reduce_case_read(c, where.submission, address, dw, 4 * (uint64_t)record->dwords))
      add_fields(things, &where, dw);
}

static void
add_packet(struct things *things, const struct reduce_case *c, uint32_t s, uint32_t i)
{
   const struct reduce_packet *packet = &c->submission[s].packet[i];
   const struct thing where = { .submission = s,
                                .packet = i,
                                .record = cf_packet_record(reduce_opcode(packet)) };
   struct cf_bind_texture bind;
   struct cf_varyings varyings;
   const char *bad_field;
   add_fields(things, &where, packet->dw);
   if (cf_bind_texture_unpack(packet->dw, &bind, &bad_field) && bind.texture) {
      add_structure(things, c, where, &cf_texture_record, bind.texture);
      if (bind.sampler)
         add_structure(things, c, where, &cf_sampler_record, bind.sampler);
   }
   if (cf_varyings_unpack(packet->dw, &varyings, &bad_field)) {
      for (uint32_t k = 0; k < varyings.count; k++)
         add_structure(things, c, where, &cf_link_record,
                       varyings.address + 4 * CF_LINK_DWORDS * (uint64_t)k);
   }
}

static void
apply_fields(struct reduce_case *candidate, const bool *keep, void *user)
{
   const struct things *things = user;
   for (uint32_t i = 0; i < things->count; i++) {
      const struct thing *t = &things->thing[i];
      uint32_t dw[64];
      if (keep[i])
         continue;
      if (!t->address) {
         cf_field_set_bits(t->field, candidate->submission[t->submission].packet[t->packet].dw,
                           t->element, t->bits);
         continue;
      }
      const uint64_t size_B = 4 * (uint64_t)t->record->dwords;
      reduce_case_read(candidate, t->submission, t->address, dw, size_B);
      cf_field_set_bits(t->field, dw, t->element, t->bits);
      reduce_case_write(candidate, t->submission, t->address, dw, size_B);
   }
}

bool
reduce_fields(struct reduce_trial *trial)
{
   const struct reduce_case *c = trial->best;
   struct things things = { .for_gles = trial->for_gles };
   for (uint32_t s = 0; s < c->submissions; s++) {
      for (uint32_t i = 0; i < c->submission[s].packets; i++)
         add_packet(&things, c, s, i);
   }
   const bool changed = reduce_pass_run(trial, &(struct reduce_pass){ .step = "fields",
                                                                      .count = things.count,
                                                                      .least = 1,
                                                                      .apply = apply_fields,
                                                                      .user = &things });
   free(things.thing);
   return changed;
}

/* ------------------------------------------------------------------ textures */

/* How textures become smaller. */
enum shrink {
   ONE_TEXEL,  /* the first of the first level */
   NEXT_LEVEL, /* the first level goes */
   HALF,       /* the half of each level with the first texels; of cubes the quarter */
};

struct shrinking {
   struct things textures;
   enum shrink how;
};

/* Let the texture begin with another level. */
static void
begin_with_level(struct cf_texture *texture, uint32_t first)
{
   for (uint32_t i = first; i <= texture->last_level; i++) {
      texture->level_offset_B[i - first] = texture->level_offset_B[i];
      texture->level_row_pitch_B[i - first] = texture->level_row_pitch_B[i];
      texture->level_layer_pitch_B[i - first] = texture->level_layer_pitch_B[i];
   }
   texture->width_px = texture->width_px >> first ? texture->width_px >> first : 1;
   texture->height_px = texture->height_px >> first ? texture->height_px >> first : 1;
   texture->first_level = 0;
   texture->last_level -= first;
}

static void
halve(struct cf_texture *texture)
{
   const uint32_t width_px = texture->width_px, height_px = texture->height_px;
   const bool cube = texture->kind == CF_TEXTURE_KIND_CUBE;
   texture->width_px = width_px > 1 && (cube || width_px >= height_px) ? width_px / 2 : width_px;
   texture->height_px = height_px > 1 && (cube || height_px > width_px) ? height_px / 2 : height_px;
   const uint32_t longest =
      texture->width_px > texture->height_px ? texture->width_px : texture->height_px;
   while (texture->last_level > 0 && !(longest >> texture->last_level))
      texture->last_level--;
}

/* Whether a texture could become smaller so. */
static bool
may_shrink(const struct cf_texture *texture, enum shrink how)
{
   return texture->last_level < CF_MAX_TEXTURE_LEVELS && texture->kind != CF_TEXTURE_KIND_BUFFER &&
          texture->first_level <= texture->last_level &&
          (how == NEXT_LEVEL ? texture->last_level > texture->first_level && texture->depth_px <= 1
                             : texture->width_px > 1 || texture->height_px > 1);
}

static void
shrink_texture(struct reduce_case *c, const struct thing *t, enum shrink how)
{
   uint32_t dw[CF_TEXTURE_DWORDS];
   struct cf_texture texture;
   const char *bad_field;
   if (!reduce_case_read(c, t->submission, t->address, dw, sizeof(dw)) ||
       !cf_texture_unpack(dw, &texture, &bad_field))
      return;
   begin_with_level(&texture, texture.first_level + (how == NEXT_LEVEL));
   if (how == ONE_TEXEL) {
      texture.width_px = texture.height_px = 1;
      texture.depth_px = texture.depth_px ? 1 : 0;
      texture.last_level = 0;
   } else if (how == HALF) {
      halve(&texture);
   }
   cf_texture_pack(dw, &texture);
   reduce_case_write(c, t->submission, t->address, dw, sizeof(dw));
}

static void
apply_textures(struct reduce_case *candidate, const bool *keep, void *user)
{
   const struct shrinking *shrinking = user;
   for (uint32_t i = 0; i < shrinking->textures.count; i++) {
      if (!keep[i])
         shrink_texture(candidate, &shrinking->textures.thing[i], shrinking->how);
   }
}

/* The texture that a packet binds, if it may become smaller. */
static void
add_texture(struct shrinking *shrinking, const struct reduce_case *c, uint32_t s, uint32_t i)
{
   struct cf_bind_texture bind;
   struct cf_texture texture;
   uint32_t dw[CF_TEXTURE_DWORDS];
   const char *bad_field;
   if (!cf_bind_texture_unpack(c->submission[s].packet[i].dw, &bind, &bad_field) ||
       !reduce_case_read(c, s, bind.texture, dw, sizeof(dw)) ||
       !cf_texture_unpack(dw, &texture, &bad_field) || !may_shrink(&texture, shrinking->how))
      return;
   struct things *things = &shrinking->textures;
   for (uint32_t k = 0; k < things->count; k++) {
      if (things->thing[k].address == bind.texture)
         return;
   }
   add(things, &(struct thing){ .submission = s, .address = bind.texture });
}

/* All textures that may become smaller so, once. */
static bool
shrink_textures(struct reduce_trial *trial, enum shrink how)
{
   const struct reduce_case *c = trial->best;
   struct shrinking shrinking = { .how = how };
   for (uint32_t s = 0; s < c->submissions; s++) {
      for (uint32_t i = 0; i < c->submission[s].packets; i++)
         add_texture(&shrinking, c, s, i);
   }
   const bool changed =
      reduce_pass_run(trial, &(struct reduce_pass){ .step = "textures",
                                                    .count = shrinking.textures.count,
                                                    .least = 1,
                                                    .apply = apply_textures,
                                                    .user = &shrinking });
   free(shrinking.textures.thing);
   return changed;
}

bool
reduce_textures(struct reduce_trial *trial)
{
   bool changed = shrink_textures(trial, ONE_TEXEL);
   while (shrink_textures(trial, NEXT_LEVEL) || shrink_textures(trial, HALF))
      changed = true;
   return changed;
}
