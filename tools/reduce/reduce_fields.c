/* SPDX-License-Identifier: MIT */
/*
 * Passes over fields of packets and of descriptors: what they are by default is simplest.
 */
#include <stdlib.h>
#include <string.h>

#include "reduce_field_rules.h"
#include "reduce_pass.h"

/* Fields that name what the packet is about. */
static bool
is_place(const char *record, const char *field)
{
   return !strcmp(record, "blend") && !strcmp(field, "target");
}

static bool
is_beyond_gles(const char *field)
{
   for (uint32_t i = 0; i < sizeof(reduce_beyond_gles) / sizeof(*reduce_beyond_gles); i++) {
      if (!strcmp(reduce_beyond_gles[i], field))
         return true;
   }
   return false;
}

/* The rule of a field; NULL: it stays. */
static const struct reduce_field_rule *
rule_of(const char *record, const char *field, bool for_gles)
{
   if (for_gles &&
       (!strcmp(record, "link") || !strcmp(record, "bind_texture") || is_beyond_gles(field)))
      return NULL;
   for (uint32_t i = 0; i < sizeof(reduce_field_rules) / sizeof(*reduce_field_rules); i++) {
      const struct reduce_field_rule *rule = &reduce_field_rules[i];
      if (!strcmp(rule->record, record) && (!rule->field || !strcmp(rule->field, field)))
         return is_place(record, field) ? NULL : rule;
   }
   return NULL;
}

/* ------------------------------------------------------------------ fields */

/* An element of a field that is not what it is by default. */
struct changed_field {
   uint32_t submission, packet;
   uint64_t address; /* of the structure that has it; 0: the packet has it */
   const struct cf_record *record;
   const struct cf_field *field;
   uint32_t element, bits;
};

struct changed_fields {
   struct changed_field *changed;
   uint32_t count, capacity;
   bool for_gles; /* what links programs remains */
};

static void
add(struct changed_fields *fields, const struct changed_field *changed)
{
   if (fields->count == fields->capacity) {
      struct changed_field *old = fields->changed;
      fields->capacity = 2 * fields->capacity + 64;
      fields->changed = reduce_allocate(fields->capacity * sizeof(*old));
      if (fields->count)
         memcpy(fields->changed, old, fields->count * sizeof(*old));
      free(old);
   }
   fields->changed[fields->count++] = *changed;
}

/* Add the fields of a record that are not what they are by default. */
static void
add_fields(struct changed_fields *fields, const struct changed_field *where, const uint32_t *dw)
{
   for (uint32_t f = 0; f < where->record->fields; f++) {
      struct changed_field changed = *where;
      changed.field = &where->record->field[f];
      const struct reduce_field_rule *rule =
         rule_of(where->record->name, changed.field->name, fields->for_gles);
      const uint32_t elements = changed.field->count ? changed.field->count : 1;
      for (changed.element = 0; rule && changed.element < elements; changed.element++) {
         changed.bits = rule->bits;
         if (cf_field_bits(changed.field, dw, changed.element) != rule->bits)
            add(fields, &changed);
      }
   }
}

static void
add_structure(struct changed_fields *fields, const struct reduce_case *c,
              struct changed_field where, const struct cf_record *record, uint64_t address)
{
   uint32_t dw[64];
   where.record = record;
   where.address = address;
   if (record->dwords <= 64 &&
       reduce_case_read(c, where.submission, address, dw, 4 * (uint64_t)record->dwords))
      add_fields(fields, &where, dw);
}

static void
add_packet(struct changed_fields *fields, const struct reduce_case *c, uint32_t s, uint32_t i)
{
   const struct reduce_packet *packet = &c->submission[s].packet[i];
   const struct changed_field where = { .submission = s,
                                        .packet = i,
                                        .record = cf_packet_record(reduce_opcode(packet)) };
   struct cf_bind_texture bind;
   struct cf_varyings varyings;
   const char *bad_field;
   add_fields(fields, &where, packet->dw);
   if (cf_bind_texture_unpack(packet->dw, &bind, &bad_field) && bind.texture) {
      add_structure(fields, c, where, &cf_texture_record, bind.texture);
      if (bind.sampler)
         add_structure(fields, c, where, &cf_sampler_record, bind.sampler);
   }
   if (cf_varyings_unpack(packet->dw, &varyings, &bad_field)) {
      for (uint32_t k = 0; k < varyings.count; k++)
         add_structure(fields, c, where, &cf_link_record,
                       varyings.address + 4 * CF_LINK_DWORDS * (uint64_t)k);
   }
}

static void
apply_fields(struct reduce_case *candidate, const bool *keep, void *user)
{
   const struct changed_fields *fields = user;
   for (uint32_t i = 0; i < fields->count; i++) {
      const struct changed_field *t = &fields->changed[i];
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
   struct changed_fields fields = { .for_gles = trial->for_gles };
   for (uint32_t s = 0; s < c->submissions; s++) {
      for (uint32_t i = 0; i < c->submission[s].packets; i++)
         add_packet(&fields, c, s, i);
   }
   const bool changed = reduce_pass_run(trial, &(struct reduce_pass){ .step = "fields",
                                                                      .count = fields.count,
                                                                      .least = 1,
                                                                      .apply = apply_fields,
                                                                      .user = &fields });
   free(fields.changed);
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
   struct changed_fields textures;
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
shrink_texture(struct reduce_case *c, const struct changed_field *t, enum shrink how)
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
         shrink_texture(candidate, &shrinking->textures.changed[i], shrinking->how);
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
   struct changed_fields *fields = &shrinking->textures;
   for (uint32_t k = 0; k < fields->count; k++) {
      if (fields->changed[k].address == bind.texture)
         return;
   }
   add(fields, &(struct changed_field){ .submission = s, .address = bind.texture });
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
   free(shrinking.textures.changed);
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
