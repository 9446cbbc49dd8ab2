/* SPDX-License-Identifier: MIT */
/* Draws and clears (cf_state.h): the state is checked, and invalid snapshots are taken anew. */
#include "clipfree/command/cf_state.h"

#include <string.h>

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/command/cf_slow.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/jit/cf_jit.h"
#include "clipfree/shader/cf_geometry_layout.h"

/* ------------------------------------------------------------------ snapshots of a draw */

/* Copy the texture in a slot to the pass' arena. NULL: out of memory. */
static const struct cf_texture_unit *
texture_copy(struct cf_state *state, uint32_t place, struct cf_arena *arena)
{
   const struct cf_state_config *config = state->config;
   struct cf_texture_unit *unit = &state->textures.unit[place];
   struct cf_texture_unit *copy = cf_arena_alloc(arena, sizeof(*copy));
   if (!copy)
      return NULL;
   unit->functions = config->jit ? cf_jit_sample_functions(config->jit, unit) : NULL;
   *copy = *unit;
   state->textures.copy[place] = copy;
   return copy;
}

/* Why the stage's tasks can never run compiled code: bit per enum cf_slow. */
static uint32_t
slow_stage(const struct cf_state *state, const struct cf_cached_program *program,
           const struct cf_stage *stage)
{
   bool no_code = false,
        refused = cf_jit_has_refused(program->decoded) && !(program->slow & 1u << CF_SLOW_LONG);
   if (!state->config->jit)
      return 0;
   for (uint32_t unit = 0; unit < program->units; unit++) {
      const struct cf_texture_unit *texture = stage->textures[unit];
      no_code = no_code || (texture && !texture->functions);
      refused = refused ||
                (texture && texture->functions && cf_jit_has_refused_samples(texture->functions));
   }
   return program->slow | (uint32_t)no_code << CF_SLOW_TEXTURE |
          (uint32_t)refused << CF_SLOW_REFUSED;
}

/* Take the stage's snapshot. It holds only what the program may read, since a draw with new
 * uniforms takes a new one. */
static bool
stage_piece(struct cf_state *state, struct cf_stage_state *stage, struct cf_arena *arena)
{
   const struct cf_cached_program *program = stage->program;
   struct cf_stage *whole = &stage->stage;
   struct cf_stage *piece = cf_arena_alloc(arena, offsetof(struct cf_stage, fetch) +
                                                     program->fetches * sizeof(piece->fetch[0]));
   if (!piece)
      return false;
   whole->program = program->decoded;
   whole->units = (uint16_t)program->units;
   whole->fetches = (uint16_t)program->fetches;
   for (uint32_t unit = 0; unit < program->units; unit++) {
      whole->textures[unit] = NULL;
      if (!(stage->textures >> unit & 1))
         continue;
      const uint32_t place = stage->texture[unit];
      const struct cf_texture_unit *copy = state->textures.copy[place];
      whole->textures[unit] = copy ? copy : texture_copy(state, place, arena);
      if (!whole->textures[unit])
         return false;
   }
   memcpy(piece, whole,
          offsetof(struct cf_stage, constants) + program->banks * sizeof(whole->constants[0]));
   memcpy(piece->textures, whole->textures, program->units * sizeof(whole->textures[0]));
   memcpy(piece->fetch, whole->fetch, program->fetches * sizeof(whole->fetch[0]));
   stage->slow = slow_stage(state, program, whole);
   stage->snapshot = piece;
   return true;
}

/* The program whose vertices are assembled. */
static const struct cf_program *
last_vertex_program(const struct cf_state *state)
{
   const struct cf_cached_program *geometry = state->stage[CF_SHADER_STAGE_GEOMETRY].program;
   return geometry ? &geometry->program : &state->stage[CF_SHADER_STAGE_VERTEX].program->program;
}

static uint32_t
depth_bits(const struct cf_image *zs)
{
   if (!zs->data)
      return 24;
   for (uint32_t i = 0; i < zs->format->channels; i++) {
      const struct cf_format_channel *channel = &zs->format->channel[i];
      if (channel->letter == 'z')
         return channel->type == CF_CHANNEL_FLOAT ? 0 : channel->bits;
   }
   return 24;
}

/* The varying slot has what clip planes cut. */
static bool
check_corners(const struct cf_state *state, uint32_t slot, struct cf_fault *fault)
{
   return (slot < state->links && state->link[slot].present && state->link[slot].corners) ||
          cf_fault_set(fault, "prim",
                       "clip planes want varying slot %u, whose link does not give corners", slot);
}

static bool
check_links(const struct cf_state *state, uint32_t record_dwords, struct cf_fault *fault)
{
   const struct cf_program *program = &state->stage[CF_SHADER_STAGE_FRAGMENT].program->program;
   if (program->inputs > 4 * state->links)
      return cf_fault_set(
         fault, "prim",
         "the fragment program reads %u varying dwords, packet varyings gave %u slots",
         program->inputs, state->links);
   for (uint32_t i = 0; i < state->links; i++) {
      const struct cf_link *link = &state->link[i];
      const uint32_t slot =
         link->two_sided && link->back_slot > link->slot ? link->back_slot : link->slot;
      if (link->present && 8 + 4 * slot + 4 > record_dwords)
         return cf_fault_set(
            fault, "prim", "link %u wants varying slot %u, which the vertex program does not write",
            i, slot);
   }
   const struct cf_clip_planes *planes = &state->clip_planes;
   return !planes->has_vertex ||
          (check_corners(state, planes->vertex_varying, fault) &&
           (!(planes->distances & 0xf0) || check_corners(state, planes->second_varying, fault)));
}

/* Infinities and NaN become 0. */
static float
finite_or_0(float x)
{
   return x - x == 0.0f ? x : 0.0f;
}

static struct cf_viewport
finite_viewport(const struct cf_viewport *viewport)
{
   return (struct cf_viewport){
      .scale_x = finite_or_0(viewport->scale_x),
      .scale_y = finite_or_0(viewport->scale_y),
      .scale_z = finite_or_0(viewport->scale_z),
      .translate_x = finite_or_0(viewport->translate_x),
      .translate_y = finite_or_0(viewport->translate_y),
      .translate_z = finite_or_0(viewport->translate_z),
   };
}

static struct cf_raster
finite_raster(const struct cf_raster *raster)
{
   struct cf_raster result = *raster;
   result.line_width_px = finite_or_0(raster->line_width_px);
   result.point_size_px = finite_or_0(raster->point_size_px);
   result.offset_units = finite_or_0(raster->offset_units);
   result.offset_scale = finite_or_0(raster->offset_scale);
   result.offset_clamp = finite_or_0(raster->offset_clamp);
   return result;
}

static bool
primitive_piece(struct cf_state *state, struct cf_arena *arena, struct cf_fault *fault)
{
   const struct cf_program *vertex_program = last_vertex_program(state);
   const uint32_t record_dwords = cf_record_dwords(vertex_program);
   if (!check_links(state, record_dwords, fault))
      return false;
   const size_t links_B = state->links * sizeof(state->link[0]);
   struct cf_primitive_config *piece =
      cf_arena_alloc(arena, offsetof(struct cf_primitive_config, link) + links_B);
   if (!piece)
      return cf_fault_out_of_memory(fault, "prim");
   /* built in place, while it is in this thread's cache for later draws; field by field, since an
    * initialiser would clear all links */
   piece->raster = finite_raster(&state->raster);
   piece->viewport = finite_viewport(&state->viewport);
   piece->scissor = state->scissor;
   piece->policy = state->config->policy;
   piece->level = state->config->level;
   piece->depth_format_bits = depth_bits(&state->frame.zs);
   piece->varying_slots = state->links;
   piece->vertex_dwords = record_dwords;
   piece->samples = state->raster.multisample ? state->frame.samples : 1;
   piece->clip_planes = state->clip_planes;
   piece->stipple = state->stipple;
   memcpy(piece->link, state->link, links_B);
   if (vertex_program->raster_point_size)
      piece->raster.point_size_per_vertex = false;
   piece->scissor.max_x_px = cf_min_u32(state->scissor.max_x_px, state->frame.width_px);
   piece->scissor.max_y_px = cf_min_u32(state->scissor.max_y_px, state->frame.height_px);
   state->primitive = piece;
   return true;
}

/* Turn the configuration of sample 0 into that of another sample. */
static void
move_to_sample(const struct cf_frame *frame, uint32_t sample, struct cf_pixel_config *config)
{
   for (uint32_t i = 0; i < frame->color_count; i++) {
      if (frame->color[i].data)
         config->color[i] = cf_image_sample(&frame->color[i], sample);
   }
   if (frame->zs.data)
      config->zs = cf_image_sample(&frame->zs, sample);
}

/* Size of the pixel engine's configurations: one per sample of the frame. */
static size_t
pixel_piece_B(const struct cf_frame *frame)
{
   const uint32_t targets = frame->color_count ? frame->color_count : 1;
   return frame->samples > 1
             ? frame->samples * sizeof(struct cf_pixel_config)
             : offsetof(struct cf_pixel_config, target) + targets * sizeof(struct cf_pixel_target);
}

/* The configuration of sample 0. */
static void
configure_pixels(const struct cf_state *state, struct cf_pixel_config *config)
{
   const struct cf_program *program = &state->stage[CF_SHADER_STAGE_FRAGMENT].program->program;
   const struct cf_frame *frame = &state->frame;
   config->depth_stencil = state->depth_stencil;
   config->stencil_ref = state->stencil_ref;
   memcpy(config->blend, state->blend,
          (frame->color_count ? frame->color_count : 1) * sizeof(config->blend[0]));
   config->blend_color = state->blend_color;
   memcpy(config->color, frame->color, frame->color_count * sizeof(config->color[0]));
   config->zs = frame->zs;
   config->color_count = frame->color_count;
   config->samples = frame->samples;
   config->sample_mask = state->sample_mask.mask;
   config->plain = state->config->plain;
   config->program_kills = program->uses_kill;
   config->program_writes_depth = program->writes_depth;
   config->program_early_tests = program->early_tests;
   config->program_color0_to_all = program->color0_to_all;
   config->program_color_outputs = program->color_outputs;
   cf_pixel_configure(config);
}

static bool
pixel_piece(struct cf_state *state, struct cf_arena *arena)
{
   const struct cf_frame *frame = &state->frame;
   struct cf_pixel_config config; /* only color_count of its color targets are set */
   struct cf_pixel_config *piece = cf_arena_alloc(arena, pixel_piece_B(frame));
   if (!piece)
      return false;
   configure_pixels(state, &config);
   state->has_key = state->config->jit && cf_pixel_key_of(&state->key, &config);
   state->slow_pixels = state->config->jit && !state->has_key ? 1u << CF_SLOW_LINEAR : 0;
   memset(state->pixel_key, 0, sizeof(state->pixel_key));
   if (frame->samples > 1) {
      piece[0] = config;
      for (uint32_t i = 1; i < frame->samples; i++) {
         piece[i] = config;
         move_to_sample(frame, i, &piece[i]);
      }
   } else {
      memcpy(piece, &config, pixel_piece_B(frame));
   }
   state->pixel = piece;
   return true;
}

/* The vertex stages of this pass read this memory: their chunks come after its last writer. */
static void
note_read(struct cf_state *state, const void *data, uint64_t size_B)
{
   const uint64_t last = cf_written_last(state->config->resolver->written, data, size_B);
   state->reads_of = last > state->reads_of ? last : state->reads_of;
}

/* Note all memory that a stage before rasterisation may read. */
static void
note_stage_reads(struct cf_state *state, const struct cf_stage_state *vertex)
{
   const struct cf_cached_program *program = vertex->program;
   const struct cf_stage *stage = &vertex->stage;
   if (state->config->resolver->written->count == 0)
      return;
   for (uint32_t i = 0; i < program->fetches; i++) {
      if (stage->fetch[i].data)
         note_read(state, stage->fetch[i].data, stage->fetch[i].size_B);
   }
   for (uint32_t i = 0; i < program->banks; i++)
      note_read(state, stage->constants[i].data, 4ull * stage->constants[i].dwords);
   for (uint32_t i = 0; i < program->units; i++) {
      const struct cf_texture_unit *unit = &state->textures.unit[vertex->texture[i]];
      if (vertex->textures >> i & 1)
         note_read(state, unit->data, unit->texture.size_B);
   }
}

/* ------------------------------------------------------------------ draws and clears */

static bool
check_draw(const struct cf_state *state, const struct cf_draw *packet, struct cf_fault *fault)
{
   if (state->frame.width_px == 0 || state->frame.height_px == 0)
      return cf_fault_set(fault, "prim", "no frame buffer is bound");
   for (uint32_t i = 0; i < CF_STAGES; i++) {
      if (!state->stage[i].program && i != CF_SHADER_STAGE_GEOMETRY)
         return cf_fault_set(fault, "prim", "no %s program is bound",
                             cf_shader_stage_name((enum cf_shader_stage)i));
   }
   if (packet->index_size_B > 4 || packet->index_size_B == 3)
      return cf_fault_set(fault, "index_size_B", "%u, must be 0, 1, 2 or 4", packet->index_size_B);
   return true;
}

/* Index elements past the end of the buffer are not drawn. */
static bool
resolve_indices(struct cf_state *state, const struct cf_draw *packet,
                struct cf_draw_state *draw, struct cf_fault *fault)
{
   if (packet->index_size_B == 0) {
      draw->source.start = packet->start;
      return true;
   }
   const uint32_t total = packet->index_size_total_B / packet->index_size_B;
   if (packet->start >= total) {
      draw->count = 0;
      return true;
   }
   /* this thread itself reads the indices to find restarts */
   const uint8_t *indices = (packet->restart ? cf_resolve_to_read : cf_resolve_memory)(
      state->config->resolver, packet->index_address, packet->index_size_total_B, 1,
      "index_address", fault);
   if (!indices)
      return false;
   note_read(state, indices, packet->index_size_total_B);
   draw->source.indices = indices + (size_t)packet->start * packet->index_size_B;
   draw->source.index_size_B = packet->index_size_B;
   draw->source.index_bias = packet->index_bias;
   draw->count = cf_min_u32(packet->count, total - packet->start);
   draw->restart = packet->restart;
   draw->restart_index = packet->restart_index;
   return true;
}

/* Take the vertex stage's snapshot, and cache it with the bound array of elements. */
static bool
vertex_stage_piece(struct cf_state *state, struct cf_arena *arena)
{
   struct cf_stage_state *vertex = &state->stage[CF_SHADER_STAGE_VERTEX];
   note_stage_reads(state, vertex);
   if (!stage_piece(state, vertex, arena))
      return false;
   state->elements.entry[state->elements.bound].snapshot = vertex->snapshot;
   state->elements.entry[state->elements.bound].family = vertex->stage.family;
   return true;
}

/* Each varying that the geometry program reads is linked to one that the vertex program writes. */
static bool
check_geometry_links(const struct cf_state *state, struct cf_fault *fault)
{
   const struct cf_program *program = &state->stage[CF_SHADER_STAGE_GEOMETRY].program->program;
   const uint32_t dwords = cf_record_dwords(&state->stage[CF_SHADER_STAGE_VERTEX].program->program);
   if (program->inputs > 4 * state->geometry_links)
      return cf_fault_set(
         fault, "prim",
         "the geometry program reads %u varying dwords, packet geometry_inputs gave %u slots",
         program->inputs, state->geometry_links);
   for (uint32_t i = 0; i < state->geometry_links; i++) {
      const struct cf_link *link = &state->geometry_link[i];
      if (link->present && CF_OUTPUT_VARYINGS + 4 * link->slot + 4 > dwords)
         return cf_fault_set(fault, "prim",
                             "geometry input %u wants varying slot %u, which the vertex program "
                             "does not write",
                             i, link->slot);
   }
   return true;
}

static bool
geometry_piece(struct cf_state *state, struct cf_arena *arena, struct cf_fault *fault)
{
   struct cf_stage_state *stage = &state->stage[CF_SHADER_STAGE_GEOMETRY];
   if (!check_geometry_links(state, fault))
      return false;
   struct cf_geometry_source *piece = cf_arena_alloc(arena, sizeof(*piece));
   note_stage_reads(state, stage);
   if (!piece || (!stage->snapshot && !stage_piece(state, stage, arena)))
      return cf_fault_out_of_memory(fault, "prim");
   const struct cf_program *program = &stage->program->program;
   piece->stage = stage->snapshot;
   piece->record_dwords = cf_record_dwords(program);
   piece->prim = program->output_prim;
   piece->links = state->geometry_links;
   memcpy(piece->link, state->geometry_link, sizeof(piece->link));
   state->geometry = piece;
   return true;
}

/* The draw's primitives go through the geometry program that is bound. */
static bool
make_geometry(struct cf_state *state, struct cf_arena *arena, struct cf_draw_state *draw,
              struct cf_fault *fault)
{
   const struct cf_program *program = &state->stage[CF_SHADER_STAGE_GEOMETRY].program->program;
   uint32_t vertex[6];
   const uint32_t vertices = cf_assemble_inputs(draw->prim, 0, 0, vertex);
   if (vertices != program->input_vertices)
      return cf_fault_set(fault, "prim",
                          "has primitives of %u vertices, the geometry program takes %u", vertices,
                          program->input_vertices);
   if (!state->geometry && !geometry_piece(state, arena, fault))
      return false;
   draw->geometry = state->geometry;
   draw->output_prim = program->output_prim;
   draw->scratch_dwords = cf_max_u32(draw->scratch_dwords, program->scratch_dwords);
   return true;
}

static bool
make_pieces(struct cf_state *state, struct cf_arena *arena, struct cf_fault *fault)
{
   struct cf_stage_state *vertex = &state->stage[CF_SHADER_STAGE_VERTEX];
   struct cf_stage_state *fragment = &state->stage[CF_SHADER_STAGE_FRAGMENT];
   if (!state->primitive && !primitive_piece(state, arena, fault))
      return false;
   if ((!vertex->snapshot && !vertex_stage_piece(state, arena)) ||
       (!fragment->snapshot && !stage_piece(state, fragment, arena)) ||
       (!state->pixel && !pixel_piece(state, arena)))
      return cf_fault_out_of_memory(fault, "prim");
   return true;
}

/* The shape of the draw's primitives after set-up. False: front and back faces differ in it. */
static bool
shape_of(const struct cf_draw_state *draw, enum cf_prim_shape *shape)
{
   static const enum cf_prim_shape of_mode[] = {
      [CF_POLYGON_MODE_FILL] = CF_SHAPE_TRIANGLE,
      [CF_POLYGON_MODE_LINE] = CF_SHAPE_LINE,
      [CF_POLYGON_MODE_POINT] = CF_SHAPE_POINT,
   };
   const struct cf_raster *raster = &draw->primitive->raster;
   const uint32_t vertices = cf_prim_kind_vertices(draw->output_prim);
   if (vertices == 3)
      *shape = of_mode[raster->fill_front];
   else
      *shape = vertices == 1 ? CF_SHAPE_POINT : CF_SHAPE_LINE;
   return vertices < 3 || raster->fill_front == raster->fill_back;
}

static bool
has_sprites(const struct cf_primitive_config *config)
{
   bool found = false;
   for (uint32_t i = 0; i < config->varying_slots; i++)
      found = found || config->link[i].sprite;
   return found;
}

/* The pixel key for primitives of a shape. NULL: out of memory. */
static const struct cf_pixel_key *
key_of_shape(struct cf_state *state, const struct cf_primitive_config *primitive,
             enum cf_prim_shape shape, struct cf_arena *arena)
{
   const bool smooth = cf_shape_is_smooth(primitive, shape),
              sprites = shape == CF_SHAPE_POINT && has_sprites(primitive);
   const bool wide = shape == CF_SHAPE_LINE && cf_lines_are_replicated(primitive);
   const unsigned kind = sprites ? CF_PIXEL_SPRITES : wide ? CF_PIXEL_WIDE_LINES : (unsigned)shape;
   const struct cf_pixel_key **cached = &state->pixel_key[2 * kind + smooth];
   const size_t key_B = cf_pixel_key_B(&state->key);
   if (*cached)
      return *cached;
   struct cf_pixel_key key = state->key, *copy = cf_arena_alloc(arena, key_B);
   if (!copy)
      return NULL;
   key.shape = (uint8_t)shape;
   key.replicated = wide;
   key.sprites = sprites;
   key.coverage = smooth;
   memcpy(copy, &key, key_B);
   return *cached = copy;
}

/* Why the draw's fragment tasks cannot run as one compiled function from quads to pixels
 * (cf_shader_ops.run_quads): bit per enum cf_slow. */
static uint32_t
slow_fragments(const struct cf_state *state, const struct cf_draw_state *draw,
               enum cf_prim_shape *shape)
{
   const struct cf_cached_program *program = state->stage[CF_SHADER_STAGE_FRAGMENT].program;
   const bool faces = !shape_of(draw, shape);
   const bool centroid = state->frame.samples > 1 && program->varmodes & 1u << CF_VARMODE_CENTROID;
   return state->slow_pixels | (program->slow & 1u << CF_SLOW_INPUTS) |
          (uint32_t)centroid << CF_SLOW_INPUTS | (uint32_t)faces << CF_SLOW_FACES;
}

/* Choose how the draw's fragment tasks run: set draw->pixel_key if code from quads to pixels may
 * run them, and draw->slow. */
static void
choose_engine(struct cf_state *state, struct cf_draw_state *draw, struct cf_arena *arena)
{
   enum cf_prim_shape shape;
   draw->slow = state->stage[CF_SHADER_STAGE_VERTEX].slow;
   if (draw->geometry)
      draw->slow |= state->stage[CF_SHADER_STAGE_GEOMETRY].slow;
   if (!state->config->jit || !draw->pixel->shading_needed)
      return;
   const uint32_t slow = slow_fragments(state, draw, &shape);
   draw->slow |= slow | state->stage[CF_SHADER_STAGE_FRAGMENT].slow;
   if (!slow)
      draw->pixel_key = key_of_shape(state, draw->primitive, shape, arena);
}

/* Whether a texture of the fragment program has a nearest filter. */
static bool
takes_nearest(const struct cf_stage *stage)
{
   for (uint32_t i = 0; i < stage->units; i++) {
      const struct cf_texture_unit *unit = stage->textures[i];
      if (unit && (unit->sampler.min_filter == CF_FILTER_NEAREST ||
                   unit->sampler.mag_filter == CF_FILTER_NEAREST))
         return true;
   }
   return false;
}

/* Triangles that share a pixel of several samples must agree on coordinates whose last bit selects
 * a nearest texel: then varyings are computed in f64 (CF_VARMODES_SHARED). Elsewhere the difference
 * is invisible, and small triangles would be a sixth slower. */
static uint32_t
varmodes_of(const struct cf_state *state, const struct cf_draw_state *draw)
{
   const uint32_t varmodes = state->stage[CF_SHADER_STAGE_FRAGMENT].program->varmodes;
   const bool shared = state->frame.samples > 1 && takes_nearest(draw->fragment_stage);
   return varmodes | (shared ? CF_VARMODES_SHARED : 0);
}

bool
cf_state_draw(struct cf_state *state, const uint32_t *dw, struct cf_arena *arena,
              struct cf_draw_state *draw, struct cf_fault *fault)
{
   struct cf_draw packet;
   const char *bad_field;
   if (!cf_draw_unpack(dw, &packet, &bad_field))
      return cf_fault_set(fault, bad_field, "reserved bits are set, or there is no such value");
   static const struct cf_draw_state nothing = { 0 };
   /* an assignment compiles to a few vector stores, an initialiser to a slow loop */
   *draw = nothing;
   draw->prim = draw->output_prim = packet.prim;
   draw->count = packet.count;
   draw->instances = packet.instances;
   if (!check_draw(state, &packet, fault) || !resolve_indices(state, &packet, draw, fault) ||
       !make_pieces(state, arena, fault))
      return false;
   if (draw->count == 0)
      draw->instances = 0;
   const struct cf_cached_program *vertex = state->stage[CF_SHADER_STAGE_VERTEX].program;
   const struct cf_cached_program *fragment = state->stage[CF_SHADER_STAGE_FRAGMENT].program;
   draw->primitive = state->primitive;
   draw->pixel = state->pixel;
   draw->fragment_program = &fragment->program;
   draw->fragment_stage = state->stage[CF_SHADER_STAGE_FRAGMENT].snapshot;
   draw->varmodes = varmodes_of(state, draw);
   draw->scratch_dwords =
      cf_max_u32(vertex->program.scratch_dwords, fragment->program.scratch_dwords);
   if (state->stage[CF_SHADER_STAGE_GEOMETRY].program && !make_geometry(state, arena, draw, fault))
      return false;
   choose_engine(state, draw, arena);
   draw->smooth = cf_primitive_is_smooth(draw->primitive);
   draw->source.stage = state->stage[CF_SHADER_STAGE_VERTEX].snapshot;
   draw->source.base_instance = packet.start_instance;
   draw->source.plain = state->config->plain;
   draw->source.record_dwords = cf_record_dwords(&vertex->program);
   draw->again = packet.again;
   return state->feedback.outputs == 0 || packet.again ||
          cf_state_feed(state, arena, draw, fault);
}

static bool
has_channel(const struct cf_format_info *format, char letter)
{
   for (uint32_t i = 0; i < format->channels; i++) {
      if (format->channel[i].letter == letter)
         return true;
   }
   return false;
}

/* Mask of the bits that a clear writes in a color target: all bits if all components are cleared.
 * False: none is. */
static bool
clear_color(const struct cf_format_info *format, uint32_t preserved, uint32_t mask[4])
{
   static const char letters[] = "rgba";
   bool some = false, all = true;
   for (uint32_t i = 0; i < 4; i++) {
      if (!has_channel(format, letters[i]))
         continue;
      if (preserved >> i & 1)
         all = false;
      else
         some = cf_format_or_channel(format, letters[i], UINT32_MAX, mask);
   }
   if (all)
      memset(mask, 0xff, 16);
   return some;
}

/* Value and mask of a clear of depth and stencil: all bits if each component that the format has is
 * cleared, else the bits of those that are. */
static void
clear_depth_stencil(const struct cf_format_info *format, const struct cf_clear *packet,
                    struct cf_clear_op *op)
{
   uint32_t *value = op->value[CF_MAX_COLOR_TARGETS], *mask = op->mask[CF_MAX_COLOR_TARGETS];
   const bool depth = packet->depth && has_channel(format, 'z');
   const bool stencil = packet->stencil && packet->stencil_write_mask && has_channel(format, 's');
   if (!depth && !stencil)
      return;
   const uint32_t stencil_value = packet->stencil_value;
   float rgba[4] = { packet->depth_value };
   memcpy(&rgba[1], &stencil_value, 4);
   cf_format_store(format, (uint8_t *)value, rgba);
   const bool whole =
      (depth || !has_channel(format, 'z')) &&
      ((stencil && packet->stencil_write_mask == 0xff) || !has_channel(format, 's'));
   if (whole)
      memset(mask, 0xff, 16);
   if (depth)
      cf_format_or_channel(format, 'z', UINT32_MAX, mask);
   if (stencil)
      cf_format_or_channel(format, 's', packet->stencil_write_mask, mask);
   op->images |= CF_CLEAR_ZS;
}

bool
cf_state_clear(const struct cf_state *state, const uint32_t *dw, struct cf_clear_op *op,
               struct cf_fault *fault)
{
   struct cf_clear packet;
   const char *bad_field;
   *op = (struct cf_clear_op){ .written = state->config->plain };
   if (!cf_clear_unpack(dw, &packet, &bad_field))
      return cf_fault_set(fault, bad_field, "reserved bits are set, or there is no such value");
   const struct cf_frame *frame = &state->frame;
   op->min_x_px = packet.min_x_px;
   op->min_y_px = packet.min_y_px;
   op->max_x_px = cf_min_u32(packet.max_x_px, frame->width_px);
   op->max_y_px = cf_min_u32(packet.max_y_px, frame->height_px);
   if (op->min_x_px >= op->max_x_px || op->min_y_px >= op->max_y_px)
      return true;
   for (uint32_t i = 0; i < frame->color_count; i++) {
      if (!(packet.colors >> i & 1) || !frame->color[i].data)
         continue;
      float rgba[4];
      memcpy(rgba, packet.color, sizeof(rgba));
      cf_format_store(frame->color[i].format, (uint8_t *)op->value[i], rgba);
      if (clear_color(frame->color[i].format, packet.color_preserved >> 4 * i, op->mask[i]))
         op->images |= 1u << i;
   }
   if (frame->zs.data)
      clear_depth_stencil(frame->zs.format, &packet, op);
   return true;
}
