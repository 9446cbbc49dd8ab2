/* SPDX-License-Identifier: MIT */
#include "clipfree_passthrough.h"

#include "compiler/nir/nir_builder.h"
#include "util/u_memory.h"
#include "util/u_prim.h"

#include "clipfree_context.h"
#include "clipfree_program.h"

/* What the shaders take and emit: of `vertices` input vertices `emitted`, from number `first` on,
 * each `step`-th. */
static const struct cf_passthrough_io {
   enum mesa_prim input, output;
   uint8_t vertices, emitted, first, step;
} cf_passthrough_io[CF_PASSTHROUGH_KINDS] = {
   [CF_PASSTHROUGH_POINTS] = { MESA_PRIM_POINTS, MESA_PRIM_POINTS, 1, 1, 0, 1 },
   [CF_PASSTHROUGH_LINES] = { MESA_PRIM_LINES, MESA_PRIM_LINE_STRIP, 2, 2, 0, 1 },
   [CF_PASSTHROUGH_TRIANGLES] = { MESA_PRIM_TRIANGLES, MESA_PRIM_TRIANGLE_STRIP, 3, 3, 0, 1 },
   [CF_PASSTHROUGH_LINES_ADJACENCY] = { MESA_PRIM_LINES_ADJACENCY, MESA_PRIM_LINE_STRIP, 4, 2, 1,
                                        1 },
   [CF_PASSTHROUGH_TRIANGLES_ADJACENCY] = { MESA_PRIM_TRIANGLES_ADJACENCY,
                                            MESA_PRIM_TRIANGLE_STRIP, 6, 3, 0, 2 },
};

static enum cf_passthrough_kind
cf_passthrough_kind_of(enum mesa_prim mode)
{
   switch (mode) {
   case MESA_PRIM_POINTS:
      return CF_PASSTHROUGH_POINTS;
   case MESA_PRIM_LINES:
   case MESA_PRIM_LINE_LOOP:
   case MESA_PRIM_LINE_STRIP:
      return CF_PASSTHROUGH_LINES;
   case MESA_PRIM_LINES_ADJACENCY:
   case MESA_PRIM_LINE_STRIP_ADJACENCY:
      return CF_PASSTHROUGH_LINES_ADJACENCY;
   case MESA_PRIM_TRIANGLES_ADJACENCY:
   case MESA_PRIM_TRIANGLE_STRIP_ADJACENCY:
      return CF_PASSTHROUGH_TRIANGLES_ADJACENCY;
   default:
      return CF_PASSTHROUGH_TRIANGLES;
   }
}

bool
cf_reads_primitive_id(const struct nir_shader *nir)
{
   return nir->info.stage == MESA_SHADER_FRAGMENT &&
          nir->info.inputs_read & VARYING_BIT_PRIMITIVE_ID;
}

static void
cf_copy_output(nir_builder *b, unsigned vertex, unsigned location)
{
   const nir_io_semantics sem = { .location = location, .num_slots = 1 };
   const unsigned components = location == VARYING_SLOT_PSIZ ? 1 : 4;
   nir_def *value =
      nir_load_per_vertex_input(b, components, 32, nir_imm_int(b, vertex), nir_imm_int(b, 0),
                                .io_semantics = sem, .dest_type = nir_type_float32);
   nir_store_output(b, value, nir_imm_int(b, 0), .io_semantics = sem,
                    .write_mask = BITFIELD_MASK(components), .src_type = nir_type_float32);
}

static void
cf_emit_copy(nir_builder *b, const struct cf_binary *program, const struct cf_passthrough_io *io,
             unsigned vertex)
{
   const nir_io_semantics number = { .location = VARYING_SLOT_PRIMITIVE_ID, .num_slots = 1 };
   cf_copy_output(b, vertex, VARYING_SLOT_POS);
   if (program->writes_point_size)
      cf_copy_output(b, vertex, VARYING_SLOT_PSIZ);
   for (unsigned k = 0; k < program->varying_slots; k++)
      cf_copy_output(b, vertex, program->location[k]);
   nir_store_output(b, nir_load_primitive_id(b), nir_imm_int(b, 0), .io_semantics = number,
                    .write_mask = 1, .src_type = nir_type_int32);
   nir_emit_vertex(b, 0);
}

static nir_shader *
cf_passthrough_nir(const struct cf_binary *program, const struct cf_passthrough_io *io)
{
   nir_builder b =
      nir_builder_init_simple_shader(MESA_SHADER_GEOMETRY, &cf_nir_options, "primitive numbers");
   struct shader_info *info = &b.shader->info;
   info->io_lowered = true;
   info->internal = true;
   info->gs.input_primitive = io->input;
   info->gs.output_primitive = io->output;
   info->gs.vertices_in = io->vertices;
   info->gs.vertices_out = io->emitted;
   info->gs.invocations = 1;
   info->gs.active_stream_mask = 1;
   for (unsigned i = 0; i < io->emitted; i++)
      cf_emit_copy(&b, program, io, io->first + i * io->step);
   return b.shader;
}

struct cf_shader_object *
cf_passthrough_shader(struct cf_context *context, enum mesa_prim mode)
{
   struct cf_shader_object *vertex = context->stage[CF_SHADER_STAGE_VERTEX].shader;
   const enum cf_passthrough_kind kind = cf_passthrough_kind_of(mode);
   const struct cf_variant *variant = cf_shader_variant(context, vertex, false);
   simple_mtx_lock(&vertex->lock);
   struct cf_shader_object **shader = &vertex->passthrough[kind];
   if (!*shader && variant) {
      const struct pipe_shader_state state = {
         .type = PIPE_SHADER_IR_NIR,
         .ir.nir = cf_passthrough_nir(variant->binary, &cf_passthrough_io[kind]),
      };
      *shader = context->base.create_gs_state(&context->base, &state);
      if (*shader)
         (*shader)->clip_distances = vertex->clip_distances;
   }
   simple_mtx_unlock(&vertex->lock);
   return *shader;
}
