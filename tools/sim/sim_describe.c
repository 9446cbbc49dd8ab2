/* SPDX-License-Identifier: MIT */
#include "sim_describe.h"

#include <string.h>

#include "clipfree/memory/cf_format.h"
#include "clipfree/texture/cf_texture.h"

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
   const uint32_t images = texture->kind == CF_TEXTURE_KIND_CUBE && most < 6 ? 6 : most;
   return images * at_least_1(texture->samples);
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
   const struct cf_texture_extent extent = cf_texture_extent(&texture);
   const uint32_t rows = extent.width_px >> 16; /* of long buffers, beside the first one */
   const struct cf_sim_texture t = {
      .width_px = rows ? 1 << 16 : at_least_1(extent.width_px),
      .height_px = at_least_1(extent.height_px) + rows,
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

/* The buffer that an element's data lies in: interleaved elements of one stride share it. */
static uint64_t
buffer_of(const struct cf_vertex_element *e, const struct cf_vertex_element *all, uint32_t count)
{
   uint64_t first = e->address;
   for (uint32_t i = 0; i < count; i++) {
      if (all[i].stride_B == e->stride_B && all[i].address < first &&
          e->address - all[i].address < e->stride_B)
         first = all[i].address;
   }
   return first;
}

static void
describe_elements(struct cf_sim_recorder *recorder, const struct cf_vertex_element *all,
                  uint32_t count, struct cf_sim_op *op)
{
   for (uint32_t i = 0; i < count; i++) {
      const uint64_t first = buffer_of(&all[i], all, count);
      op->elements++;
      op->vertex_B += cf_format_info_of(all[i].format)->pixel_B;
      op->element[i] = (struct cf_sim_element){ .buffer = cf_sim_recorder_buffer(recorder, first),
                                                .offset_B = (uint32_t)(all[i].address - first),
                                                .stride_B = all[i].stride_B,
                                                .size_B = cf_format_info_of(all[i].format)->pixel_B,
                                                .divisor = all[i].divisor };
   }
}

static void
describe_vertices(const struct sim_describe *d, struct cf_sim_recorder *recorder,
                  const struct cf_draw *draw, struct cf_sim_op *op)
{
   const uint32_t *dw =
      d->state.elements.count
         ? look_player_at(d->player, d->state.elements.address,
                          4ull * CF_VERTEX_ELEMENT_DWORDS * d->state.elements.count)
         : NULL;
   struct cf_vertex_element element[CF_MAX_VERTEX_ELEMENTS];
   uint32_t count = 0;
   op->prim = draw->prim;
   op->index_B = draw->index_size_B;
   op->index_offset_B = draw->start * draw->index_size_B;
   if (op->index_B)
      op->index_buffer = cf_sim_recorder_buffer(recorder, draw->index_address);
   while (dw && count < d->state.elements.count && count < CF_MAX_VERTEX_ELEMENTS) {
      const char *bad_field;
      if (!cf_vertex_element_unpack(dw + CF_VERTEX_ELEMENT_DWORDS * count, &element[count],
                                    &bad_field))
         break;
      count++;
   }
   describe_elements(recorder, element, count, op);
}

/* ------------------------------------------------------------------ programs */

/* The number of a stage's program; CF_SIM_NONE: it has none. */
static uint32_t
program_of(const struct sim_describe *d, struct cf_sim_recorder *recorder,
           enum cf_shader_stage stage)
{
   const uint64_t descriptor = d->state.shader[stage].program;
   const uint32_t *dw = descriptor && descriptor % 4 == 0
                           ? look_player_at(d->player, descriptor, 4 * CF_PROGRAM_DWORDS)
                           : NULL;
   struct cf_program program;
   const char *bad_field;
   if (!dw || !cf_program_unpack(dw, &program, &bad_field) || program.code % 8 != 0)
      return CF_SIM_NONE;
   const uint64_t *code = look_player_at(d->player, program.code, 8ull * program.code_instrs);
   const struct cf_sim_program p = { .count = program.code_instrs,
                                     .vector_regs = program.vector_regs,
                                     .scalar_regs = program.scalar_regs };
   return code ? cf_sim_recorder_program(recorder, &p, code) : CF_SIM_NONE;
}

static void
describe_stage(const struct sim_describe *d, struct cf_sim_recorder *recorder,
               enum cf_shader_stage stage, enum cf_sim_stage as, struct cf_sim_op *op)
{
   const uint64_t constants = d->state.constants[stage][0].address;
   op->program[as] = program_of(d, recorder, stage);
   op->constants[as] = constants ? cf_sim_recorder_buffer(recorder, constants) : CF_SIM_NONE;
}

/* What a geometry program makes of a draw: its primitives are vertices of the operation, by
 * number. */
static void
describe_geometry(const struct sim_describe *d, struct cf_sim_recorder *recorder,
                  const struct cf_sim_op *draw, struct cf_sim_op *op)
{
   *op = *draw;
   op->flags |= CF_SIM_GEOMETRY;
   op->prim = CF_PRIM_KIND_POINTS;
   op->index_B = op->vertex_B = op->elements = 0;
   op->index_buffer = CF_SIM_NONE;
   for (uint32_t i = 0; i < CF_SIM_ELEMENTS; i++)
      op->element[i] = (struct cf_sim_element){ .buffer = CF_SIM_NONE };
   for (uint32_t i = 0; i < CF_SIM_UNITS; i++)
      op->vertex_texture[i] =
         texture_at(d, recorder, d->state.texture[CF_SHADER_STAGE_GEOMETRY][i].texture);
   describe_stage(d, recorder, CF_SHADER_STAGE_GEOMETRY, CF_SIM_STAGE_VERTEX, op);
}

/* ------------------------------------------------------------------ transfers */

static uint32_t
surface_B(const struct sim_describe *d, uint64_t descriptor, uint32_t pixels)
{
   struct cf_surface s;
   if (!look_surface_at(d->player, descriptor, &s))
      return 0;
   return (pixels ? pixels : s.width_px * s.height_px) * cf_format_info_of(s.format)->pixel_B *
          at_least_1(s.samples);
}

/* Bytes of the transfers that move pixels or buffers. False: it is none of them. */
static bool
describe_transfer(const struct sim_describe *d, const uint32_t *dw, struct cf_sim_op *op)
{
   struct cf_copy copy;
   struct cf_gather gather;
   struct cf_reduce reduce;
   struct cf_copy_buffer buffer;
   struct cf_fill_buffer fill;
   const char *bad_field;
   const enum cf_opcode opcode = look_opcode(dw);
   if (opcode == CF_OPCODE_COPY && cf_copy_unpack(dw, &copy, &bad_field)) {
      op->read_B = surface_B(d, copy.source, copy.width_px * copy.height_px);
      op->written_B = surface_B(d, copy.destination, copy.width_px * copy.height_px);
   } else if (opcode == CF_OPCODE_GATHER && cf_gather_unpack(dw, &gather, &bad_field)) {
      op->read_B = surface_B(d, gather.source, gather.width_px * gather.height_px);
      op->written_B = surface_B(d, gather.destination, gather.width_px * gather.height_px);
   } else if (opcode == CF_OPCODE_REDUCE && cf_reduce_unpack(dw, &reduce, &bad_field)) {
      op->read_B =
         surface_B(d, reduce.source, 0) + (reduce.second ? surface_B(d, reduce.second, 0) : 0);
      op->written_B = surface_B(d, reduce.destination, 0);
   } else if (opcode == CF_OPCODE_COPY_BUFFER && cf_copy_buffer_unpack(dw, &buffer, &bad_field)) {
      op->read_B = op->written_B = buffer.size_B;
   } else if (opcode == CF_OPCODE_FILL_BUFFER && cf_fill_buffer_unpack(dw, &fill, &bad_field)) {
      op->written_B = fill.size_B;
   } else {
      return false;
   }
   op->flags = CF_SIM_TRANSFER;
   return true;
}

/* An operation without anything. */
static void
describe_nothing(struct cf_sim_op *op)
{
   op->samples = 1;
   op->zs_image = op->index_buffer = CF_SIM_NONE;
   for (uint32_t i = 0; i < CF_MAX_COLOR_TARGETS; i++)
      op->color_image[i] = CF_SIM_NONE;
   for (uint32_t i = 0; i < CF_SIM_UNITS; i++)
      op->texture[i] = op->vertex_texture[i] = CF_SIM_NONE;
   for (uint32_t i = 0; i < CF_SIM_STAGES; i++)
      op->program[i] = op->constants[i] = CF_SIM_NONE;
   for (uint32_t i = 0; i < CF_SIM_ELEMENTS; i++)
      op->element[i].buffer = CF_SIM_NONE;
}

uint32_t
sim_describe(void *user, struct cf_sim_recorder *recorder, const struct cf_packet_event *packet,
             struct cf_sim_op op[2])
{
   struct sim_describe *d = user;
   const enum cf_opcode opcode = look_opcode(packet->dw);
   struct cf_draw draw = { 0 };
   const char *bad_field;
   if (packet->submission != d->submission)
      memset(&d->state, 0, sizeof(d->state));
   d->submission = packet->submission;
   look_state_apply(&d->state, packet->dw);
   describe_nothing(op);
   if (describe_transfer(d, packet->dw, op))
      return 1;
   if (opcode == CF_OPCODE_DRAW)
      cf_draw_unpack(packet->dw, &draw, &bad_field);
   else if (opcode != CF_OPCODE_CLEAR)
      return 0;
   describe_images(d, recorder, op);
   describe_textures(d, recorder, op);
   if (opcode == CF_OPCODE_CLEAR) {
      op->flags = CF_SIM_CLEAR;
      return 1;
   }
   describe_tests(d, op);
   describe_vertices(d, recorder, &draw, op);
   describe_stage(d, recorder, CF_SHADER_STAGE_VERTEX, CF_SIM_STAGE_VERTEX, op);
   describe_stage(d, recorder, CF_SHADER_STAGE_FRAGMENT, CF_SIM_STAGE_FRAGMENT, op);
   if (!d->state.shader[CF_SHADER_STAGE_GEOMETRY].program)
      return 1;
   describe_geometry(d, recorder, &op[0], &op[1]);
   return 2;
}
