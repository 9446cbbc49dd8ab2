/* SPDX-License-Identifier: MIT */
#include "replay_choice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_error.h"

#include "clipfree/interface/cf_options.h"
#include "clipfree/memory/cf_format.h"

/* ------------------------------------------------------------------ names of images */

enum name_kind { NAME_ADDRESS, NAME_COLOR, NAME_ZS, NAME_TEXTURE };

struct name {
   enum name_kind kind;
   enum replay_aspect aspect;
   uint64_t address;
   unsigned long index; /* of a colour target, a texture unit */
   uint32_t stage;
};

static bool
parse_index(const char *text, unsigned long count, unsigned long *index)
{
   return cf_parse_number(text, count - 1, index);
}

static bool
parse_texture(const char *text, struct name *name)
{
   const char *unit = strchr(text, ':');
   name->kind = NAME_TEXTURE;
   for (name->stage = 0; unit && name->stage < LOOK_STAGES; name->stage++) {
      const char *stage = cf_shader_stage_name(name->stage);
      if (strlen(stage) == (size_t)(unit - text) && !strncmp(text, stage, strlen(stage)))
         return parse_index(unit + 1, CF_MAX_TEXTURE_UNITS, &name->index);
   }
   return false;
}

static bool
parse_address(const char *text, struct name *name)
{
   char *end;
   errno = 0;
   name->kind = NAME_ADDRESS;
   name->address = strtoull(text, &end, 16);
   if (!strcmp(end, ":stencil"))
      name->aspect = REPLAY_STENCIL;
   return !strncmp(text, "0x", 2) && end > text + 2 && !errno && name->address &&
          (!*end || name->aspect == REPLAY_STENCIL);
}

static bool
parse_name(const char *text, struct name *name)
{
   *name = (struct name){ .kind = NAME_COLOR };
   if (!strcmp(text, "color"))
      return true;
   if (!strncmp(text, "color:", 6))
      return parse_index(text + 6, CF_MAX_COLOR_TARGETS, &name->index);
   if (!strncmp(text, "texture:", 8))
      return parse_texture(text + 8, name);
   if (!strcmp(text, "depth") || !strcmp(text, "stencil")) {
      name->kind = NAME_ZS;
      name->aspect = text[0] == 'd' ? REPLAY_DEPTH : REPLAY_STENCIL;
      return true;
   }
   return parse_address(text, name);
}

bool
replay_choice_parse_image(const char *text)
{
   struct name name;
   return parse_name(text, &name);
}

/* ------------------------------------------------------------------ the search */

struct choice_search {
   const struct replay_choice *choice;
   struct name name;
   struct look_player *player;
   struct look_ops ops;
   struct look_state state; /* at the operation, or at the last one that has a frame buffer */
   bool has_state, reached;
   /* Of names that are addresses: what had it last */
   bool has_surface, has_texture;
   struct cf_surface surface;
   struct cf_texture texture;
};

static bool
texture_at(const struct look_player *player, uint64_t address, struct cf_texture *texture)
{
   const char *bad_field;
   const uint32_t *dw =
      address && address % 4 == 0 ? look_player_at(player, address, 4 * CF_TEXTURE_DWORDS) : NULL;
   return dw && cf_texture_unpack(dw, texture, &bad_field);
}

static void
note_surface(struct choice_search *s, const struct cf_surface *surface)
{
   if (surface->address != s->name.address || !surface->address)
      return;
   s->surface = *surface;
   s->has_surface = true;
}

static void
note_textures(struct choice_search *s)
{
   for (uint32_t i = 0; i < LOOK_STAGES * CF_MAX_TEXTURE_UNITS; i++) {
      const uint32_t stage = i / CF_MAX_TEXTURE_UNITS, unit = i % CF_MAX_TEXTURE_UNITS;
      struct cf_texture texture;
      if (!texture_at(s->player, s->ops.state.texture[stage][unit].texture, &texture) ||
          texture.address != s->name.address)
         continue;
      s->texture = texture;
      s->has_texture = true;
   }
}

static void
note_op(struct choice_search *s, const struct look_op *op)
{
   const struct look_written written = look_op_written(s->player, &s->ops.state, op);
   for (uint32_t i = 0; i < written.images; i++)
      note_surface(s, &written.image[i].surface);
   note_surface(s, &written.source);
   if (op->opcode == CF_OPCODE_DRAW && s->name.kind == NAME_ADDRESS)
      note_textures(s);
   if (op->opcode != CF_OPCODE_DRAW && op->opcode != CF_OPCODE_CLEAR)
      return;
   s->state = s->ops.state;
   s->has_state = true;
}

/* Run the submission, up to the operation that was asked for if it is in it. */
static void
run_to_place(struct choice_search *s, const struct look_submission *submission)
{
   const struct replay_choice *choice = s->choice;
   struct look_op op;
   look_ops_enter(&s->ops, submission);
   while (look_ops_next(&s->ops, &op)) {
      note_op(s, &op);
      const bool by_draw = choice->draw != REPLAY_NONE && op.draw == choice->draw;
      if (!by_draw && (choice->operation == REPLAY_NONE || op.number != choice->operation))
         continue;
      s->reached = true;
      look_run_until(s->player, submission, op.at_dw + (choice->before ? 0 : op.dwords));
      return;
   }
   look_player_run(s->player, submission);
}

static bool
missing_place(const struct choice_search *s, char *error, size_t error_B)
{
   const bool by_draw = s->choice->draw != REPLAY_NONE;
   const uint32_t count = by_draw ? s->ops.draws : s->ops.ops;
   const char *what = by_draw ? "draw" : "operation";
   if (!count)
      return look_fails(error, error_B, "the capture has no %ss", what);
   return look_fails(error, error_B,
                "there is no %s %lu; the capture has %ss 0 to %" PRIu32 ", which --list shows",
                what, by_draw ? s->choice->draw : s->choice->operation, what, count - 1);
}

static bool
missing_frame(const struct choice_search *s, char *error, size_t error_B)
{
   const uint32_t count = look_player_frames(s->player);
   if (!count)
      return look_fails(error, error_B, "the capture has no frames that were presented");
   return look_fails(error, error_B,
                     "there is no frame %lu; the capture has frames 0 to %" PRIu32 " presented",
                     s->choice->frame, count - 1);
}

static bool
play(struct choice_search *s, char *error, size_t error_B)
{
   struct look_submission submission;
   int found = 1;
   while (!s->reached && (found = look_player_next(s->player, &submission, error, error_B)) > 0)
      run_to_place(s, &submission);
   if (found < 0 || !look_player_went_well(s->player, error, error_B))
      return false;
   const bool asked = s->choice->draw != REPLAY_NONE || s->choice->operation != REPLAY_NONE;
   if (s->choice->frame != REPLAY_NONE && look_player_frames(s->player) <= s->choice->frame)
      return missing_frame(s, error, error_B);
   return s->reached || !asked || missing_place(s, error, error_B);
}

/* ------------------------------------------------------------------ the image */

static bool
take_surface(const struct choice_search *s, const struct cf_surface *surface,
             struct replay_found *found, char *error, size_t error_B)
{
   if (s->choice->level != REPLAY_NONE || s->choice->layer)
      return look_fails(error, error_B,
                   "image 0x%" PRIx64
                   " is one level and layer of memory; --level and --layer are for "
                   "textures, such as --image texture:fragment:0",
                   surface->address);
   return look_image_of(s->player, surface, &found->image) ||
          look_fails(error, error_B,
                "image 0x%" PRIx64 " is malformed: 'clipfree replay CAPTURE' says how",
                surface->address);
}

static bool
take_texture(const struct choice_search *s, const struct cf_texture *texture,
             struct replay_found *found, char *error, size_t error_B)
{
   const uint32_t level =
      s->choice->level == REPLAY_NONE ? texture->first_level : (uint32_t)s->choice->level;
   const char *lacking =
      look_image_of_texture(s->player, texture, level, (uint32_t)s->choice->layer, &found->image);
   if (!lacking)
      return true;
   if (!strcmp(lacking, "level"))
      return look_fails(error, error_B,
                   "the texture has no level %" PRIu32 "; it has levels %" PRIu32 " to %" PRIu32,
                   level, texture->first_level, texture->last_level);
   if (!strcmp(lacking, "layer"))
      return look_fails(error, error_B, "level %" PRIu32 " of the texture has no layer %lu", level,
                   s->choice->layer);
   return look_fails(error, error_B,
                     "the texture is malformed: 'clipfree replay CAPTURE' says how");
}

static bool
take_address(const struct choice_search *s, struct replay_found *found, char *error, size_t error_B)
{
   const bool as_texture = s->choice->level != REPLAY_NONE || s->choice->layer || !s->has_surface;
   if (s->has_texture && as_texture)
      return take_texture(s, &s->texture, found, error, error_B);
   if (s->has_surface)
      return take_surface(s, &s->surface, found, error, error_B);
   return look_fails(error, error_B,
                "no operation up to there names an image 0x%" PRIx64 "; --list shows the images",
                s->name.address);
}

static bool
take_target(const struct choice_search *s, struct replay_found *found, char *error, size_t error_B)
{
   struct cf_surface surface;
   const bool zs = s->name.kind == NAME_ZS;
   const struct cf_framebuffer *frame = &s->state.framebuffer;
   if (!s->has_state)
      return look_fails(error, error_B,
                   "nothing is drawn or cleared up to there, so there is no frame buffer");
   if (!zs && s->name.index >= frame->color_count)
      return look_fails(error, error_B, "the frame buffer there has no color %lu; it has %" PRIu32,
                   s->name.index, frame->color_count);
   if (!look_surface_at(s->player, zs ? frame->depth_stencil : frame->color[s->name.index],
                        &surface))
      return look_fails(error, error_B, "the frame buffer there has no %s",
                   zs ? "depth and stencil" : "such color");
   return take_surface(s, &surface, found, error, error_B);
}

static bool
take_unit(const struct choice_search *s, struct replay_found *found, char *error, size_t error_B)
{
   struct cf_texture texture;
   if (!s->has_state ||
       !texture_at(s->player, s->state.texture[s->name.stage][s->name.index].texture, &texture))
      return look_fails(error, error_B, "no texture is bound to unit %lu of the %s stage there",
                   s->name.index, cf_shader_stage_name(s->name.stage));
   return take_texture(s, &texture, found, error, error_B);
}

static bool
take_image(const struct choice_search *s, struct replay_found *found, char *error, size_t error_B)
{
   struct cf_surface presented;
   const bool at_end = !s->reached && !s->choice->image;
   if (at_end && look_player_presented(s->player, &presented))
      return take_surface(s, &presented, found, error, error_B);
   switch (s->name.kind) {
   case NAME_ADDRESS: return take_address(s, found, error, error_B);
   case NAME_TEXTURE: return take_unit(s, found, error, error_B);
   case NAME_COLOR:
   case NAME_ZS: break;
   }
   return take_target(s, found, error, error_B);
}

/* Whether the image has the aspect and the sample. */
static bool
check(const struct choice_search *s, struct replay_found *found, char *error, size_t error_B)
{
   const struct cf_format_info *format = found->image.image.format;
   bool depth = false, stencil = false;
   for (uint32_t c = 0; c < format->channels; c++) {
      depth |= format->channel[c].letter == 'z';
      stencil |= format->channel[c].letter == 's';
   }
   found->aspect = s->name.aspect;
   if (found->aspect == REPLAY_COLOR && (depth || stencil))
      found->aspect = depth ? REPLAY_DEPTH : REPLAY_STENCIL;
   if (found->aspect == REPLAY_DEPTH && !depth)
      return look_fails(error, error_B, "the image, of format %s, has no depth", format->name);
   if (found->aspect == REPLAY_STENCIL && !stencil)
      return look_fails(error, error_B, "the image, of format %s, has no stencil", format->name);
   found->sample = (uint32_t)s->choice->sample;
   return found->sample < cf_image_samples(&found->image.image) ||
          look_fails(error, error_B, "the image has no sample %" PRIu32 "; it has %" PRIu32,
                found->sample, cf_image_samples(&found->image.image));
}

bool
replay_choose(const char *path, const struct cf_model_config *config,
              const struct replay_choice *choice, struct replay_found *found, char *error,
              size_t error_B)
{
   struct choice_search search = { .choice = choice };
   *found = (struct replay_found){ 0 };
   if (!parse_name(choice->image ? choice->image : "color", &search.name))
      return look_fails(error, error_B, "--image=%s is not known", choice->image);
   found->player = search.player = look_player_open(path, config, error, error_B);
   if (!found->player)
      return false;
   look_player_warn(found->player, path);
   look_player_leave_drawn(found->player);
   if (choice->frame != REPLAY_NONE)
      look_player_end_at_frame(found->player, (uint32_t)choice->frame);
   return play(&search, error, error_B) &&
          take_image(&search, found, error, error_B) && check(&search, found, error, error_B);
}
