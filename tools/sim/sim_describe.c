/* SPDX-License-Identifier: MIT */
#include "sim_describe.h"

#include <string.h>

#include "clipfree/memory/cf_format.h"

static uint32_t
at_least_1(uint32_t v)
{
   return v ? v : 1;
}

/* ------------------------------------------------------------------ images */

static uint32_t
image_at(const struct sim_describe *d, struct cf_sim_recorder *recorder, uint64_t descriptor,
         uint8_t *pixel_B)
{
   struct cf_surface surface;
   *pixel_B = 0;
   if (!look_surface_at(d->player, descriptor, &surface))
      return CF_SIM_NONE;
   *pixel_B = (uint8_t)cf_format_info_of(surface.format)->pixel_B;
   return cf_sim_recorder_image(recorder, surface.address);
}

static void
describe_images(const struct sim_describe *d, struct cf_sim_recorder *recorder,
                struct cf_sim_op *op)
{
   const struct cf_framebuffer *frame = &d->state.framebuffer;
   op->width_px = frame->width_px;
   op->height_px = frame->height_px;
   op->samples = at_least_1(frame->samples);
   op->colors =
      frame->color_count < CF_MAX_COLOR_TARGETS ? frame->color_count : CF_MAX_COLOR_TARGETS;
   for (uint32_t i = 0; i < CF_MAX_COLOR_TARGETS; i++)
      op->color_image[i] =
         i < op->colors ? image_at(d, recorder, frame->color[i], &op->color_B[i]) : CF_SIM_NONE;
   op->zs_image = image_at(d, recorder, frame->depth_stencil, &op->zs_B);
}

/* ------------------------------------------------------------------ textures */

static uint32_t
layers_of(const struct cf_texture *texture)
{
   const uint32_t layers = at_least_1(texture->layers), slices = at_least_1(texture->depth_px);
   const uint32_t most = layers > slices ? layers : slices;
   return texture->kind == CF_TEXTURE_KIND_CUBE && most < 6 ? 6 : most;
}

static uint32_t
texture_at(const struct sim_describe *d, struct cf_sim_recorder *recorder, uint64_t descriptor)
{
   const uint32_t *dw = descriptor && descriptor % 4 == 0
                           ? look_player_at(d->player, descriptor, 4 * CF_TEXTURE_DWORDS)
                           : NULL;
   struct cf_texture texture;
   const char *bad_field;
   if (!dw || !cf_texture_unpack(dw, &texture, &bad_field))
      return CF_SIM_NONE;
   const struct cf_format_info *format = cf_format_info_of(texture.format);
   const struct cf_sim_texture t = {
      .width_px = at_least_1(texture.width_px),
      .height_px = at_least_1(texture.height_px),
      .layers = layers_of(&texture),
      .levels = texture.last_level + 1,
      .texel_bits = at_least_1(format->compression ? format->block_B / 2 : 8 * format->pixel_B)
   };
   return cf_sim_recorder_texture(recorder, texture.address, &t);
}

static void
describe_textures(const struct sim_describe *d, struct cf_sim_recorder *recorder,
                  struct cf_sim_op *op)
{
   for (uint32_t i = 0; i < CF_SIM_UNITS; i++) {
      op->texture[i] =
         texture_at(d, recorder, d->state.texture[CF_SHADER_STAGE_FRAGMENT][i].texture);
      op->vertex_texture[i] =
         texture_at(d, recorder, d->state.texture[CF_SHADER_STAGE_VERTEX][i].texture);
   }
}

/* ------------------------------------------------------------------ tests and blending */

static bool
changes_stencil(const struct cf_depth_stencil *ds)
{
   const bool front = ds->front_write_mask && (ds->front_fail != CF_STENCIL_OP_KEEP ||
                                               ds->front_zfail != CF_STENCIL_OP_KEEP ||
                                               ds->front_zpass != CF_STENCIL_OP_KEEP);
   const bool back = ds->stencil_back && ds->back_write_mask &&
                     (ds->back_fail != CF_STENCIL_OP_KEEP || ds->back_zfail != CF_STENCIL_OP_KEEP ||
                      ds->back_zpass != CF_STENCIL_OP_KEEP);
   return ds->stencil_front && (front || back);
}

static uint32_t
program_flags(const struct sim_describe *d)
{
   const uint64_t descriptor = d->state.shader[CF_SHADER_STAGE_FRAGMENT].program;
   const uint32_t *dw = descriptor && descriptor % 4 == 0
                           ? look_player_at(d->player, descriptor, 4 * CF_PROGRAM_DWORDS)
                           : NULL;
   struct cf_program program;
   const char *bad_field;
   if (!dw || !cf_program_unpack(dw, &program, &bad_field))
      return 0;
   return (program.uses_kill || program.writes_depth ? CF_SIM_LATE : 0u) |
          (program.early_tests ? CF_SIM_EARLY : 0u);
}

static void
describe_tests(const struct sim_describe *d, struct cf_sim_op *op)
{
   const struct cf_depth_stencil *ds = &d->state.depth_stencil;
   op->flags |= program_flags(d);
   if (ds->depth_test || ds->stencil_front)
      op->flags |= CF_SIM_Z_READ;
   if (ds->depth_test && ds->depth_write)
      op->flags |= CF_SIM_Z_WRITE;
   if (changes_stencil(ds))
      op->flags |= CF_SIM_STENCIL_WRITE;
   if (ds->alpha_test || d->state.blend[0].alpha_to_coverage)
      op->flags |= CF_SIM_LATE;
   for (uint32_t i = 0; i < op->colors; i++) {
      const struct cf_blend *blend = &d->state.blend[i];
      const bool reads = blend->enable || blend->logicop_enable || blend->write_mask != 0xf;
      op->color_writes |= (blend->write_mask != 0 ? 1u : 0u) << i;
      op->color_reads |= (blend->write_mask != 0 && reads ? 1u : 0u) << i;
   }
}

/* ------------------------------------------------------------------ vertices */

static void
describe_vertices(const struct sim_describe *d, const struct cf_draw *draw, struct cf_sim_op *op)
{
   const uint32_t *dw =
      d->state.elements.count
         ? look_player_at(d->player, d->state.elements.address,
                          4ull * CF_VERTEX_ELEMENT_DWORDS * d->state.elements.count)
         : NULL;
   op->index_B = draw->index_size_B;
   for (uint32_t i = 0; dw && i < d->state.elements.count; i++) {
      struct cf_vertex_element element;
      const char *bad_field;
      if (!cf_vertex_element_unpack(dw + CF_VERTEX_ELEMENT_DWORDS * i, &element, &bad_field))
         continue;
      op->elements++;
      op->vertex_B += cf_format_info_of(element.format)->pixel_B;
   }
}

bool
sim_describe(void *user, struct cf_sim_recorder *recorder, const struct cf_packet_event *packet,
             struct cf_sim_op *op)
{
   struct sim_describe *d = user;
   const enum cf_opcode opcode = look_opcode(packet->dw);
   struct cf_draw draw = { 0 };
   const char *bad_field;
   if (packet->submission != d->submission)
      memset(&d->state, 0, sizeof(d->state));
   d->submission = packet->submission;
   look_state_apply(&d->state, packet->dw);
   if (opcode == CF_OPCODE_DRAW)
      cf_draw_unpack(packet->dw, &draw, &bad_field);
   else if (opcode != CF_OPCODE_CLEAR)
      return false;
   describe_images(d, recorder, op);
   describe_textures(d, recorder, op);
   if (opcode == CF_OPCODE_CLEAR) {
      op->flags = CF_SIM_CLEAR;
      return true;
   }
   describe_tests(d, op);
   describe_vertices(d, &draw, op);
   return true;
}
