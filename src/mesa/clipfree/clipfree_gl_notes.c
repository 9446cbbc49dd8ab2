/* SPDX-License-Identifier: MIT */
#include "clipfree/clipfree_gl_notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/glsl_types.h"
#include "main/dd.h"
#include "main/enums.h"
#include "main/mtypes.h"
#include "main/shader_types.h"
#include "pipe/p_context.h"
#include "pipe/p_state.h"
#include "program/prog_parameter.h"
#include "state_tracker/st_draw.h"
#include "util/bitscan.h"
#include "util/macros.h"

#include "clipfree/interface/cf_note.h"

#define TEXT_B 512

static void PRINTFLIKE(3, 4)
   add_text(struct cf_note *note, enum cf_note_field field, const char *format, ...)
{
   char text[TEXT_B];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(text, sizeof(text), format, arguments);
   va_end(arguments);
   cf_note_add_text(note, field, text, strlen(text));
}

/* ------------------------------------------------------------------ programs */

static enum cf_note_scalar
scalar_of(const struct glsl_type *type)
{
   switch (glsl_get_base_type(type)) {
   case GLSL_TYPE_INT:
      return CF_NOTE_INT;
   case GLSL_TYPE_UINT:
      return CF_NOTE_UINT;
   case GLSL_TYPE_BOOL:
      return CF_NOTE_BOOL;
   case GLSL_TYPE_SAMPLER:
      return CF_NOTE_SAMPLER;
   default:
      return CF_NOTE_FLOAT;
   }
}

/* Where the uniform lies in constant bank 0. False: nowhere. */
static bool
find_constants(const struct gl_program_parameter_list *list, unsigned uniform,
               struct cf_note_variable *variable)
{
   for (unsigned i = 0; i < list->NumParameters; i++) {
      const struct gl_program_parameter *parameter = &list->Parameters[i];
      if (parameter->Type != PROGRAM_UNIFORM || parameter->UniformStorageIndex != uniform)
         continue;
      variable->place = parameter->ValueOffset;
      variable->stride_dw = variable->elements * variable->columns > 1
                               ? parameter[1].ValueOffset - parameter->ValueOffset
                               : parameter->Size;
      return true;
   }
   return false;
}

/* A uniform without its place. */
static struct cf_note_variable
variable_of(const struct gl_uniform_storage *storage)
{
   return (struct cf_note_variable){
      .elements = MAX2(storage->array_elements, 1),
      .scalar = scalar_of(storage->type),
      .rows = MAX2(glsl_get_vector_elements(storage->type), 1),
      .columns = MAX2(glsl_get_matrix_columns(storage->type), 1),
   };
}

static void
add_declaration(struct cf_note *note, enum cf_note_field field,
                const struct gl_uniform_storage *storage, const struct cf_note_variable *variable,
                const char *name)
{
   char text[TEXT_B], elements[16] = "";
   if (storage->array_elements)
      snprintf(elements, sizeof(elements), "[%u]", storage->array_elements);
   snprintf(text, sizeof(text), "uniform %s %s%s", glsl_get_type_name(storage->type), name,
            elements);
   cf_note_add_variable(note, field, variable, text);
}

static void
add_uniform(struct cf_note *note, const struct gl_program *stage, unsigned uniform)
{
   const struct gl_uniform_storage *storage = &stage->sh.data->UniformStorage[uniform];
   struct cf_note_variable variable = variable_of(storage);
   if (variable.scalar == CF_NOTE_SAMPLER) {
      if (!storage->opaque[stage->info.stage].active)
         return;
      variable.place = storage->opaque[stage->info.stage].index;
   } else if (!find_constants(stage->Parameters, uniform, &variable)) {
      return;
   }
   add_declaration(note, CF_NOTE_UNIFORM, storage, &variable, storage->name.string);
}

/* Where a variable of a block lies in it. False: not as notes can say. */
static bool
find_in_block(const struct gl_uniform_storage *storage, struct cf_note_variable *variable)
{
   const unsigned columns = variable->columns;
   if (storage->row_major && columns > 1)
      return false;
   if (columns > 1 && storage->array_elements &&
       storage->array_stride != (int)columns * storage->matrix_stride)
      return false;
   variable->place = storage->offset / 4;
   variable->stride_dw = columns > 1               ? storage->matrix_stride / 4
                         : storage->array_elements ? storage->array_stride / 4
                                                   : variable->rows;
   return true;
}

/* A variable of a block, in each block of the stage that has it: those of an array of blocks have
 * it all, and Mesa lists it for the first. `block` is the constant bank less 1. */
static void
add_block_variable(struct cf_note *note, const struct gl_program *stage,
                   const struct gl_uniform_storage *storage, unsigned block)
{
   const char *first = stage->sh.data->UniformBlocks[storage->block_index].name.string,
              *name = stage->sh.UniformBlocks[block]->name.string;
   const size_t base = strcspn(first, "[");
   struct cf_note_variable variable = variable_of(storage);
   char text[TEXT_B];
   if (strcspn(name, "[") != base || strncmp(name, first, base) ||
       !find_in_block(storage, &variable))
      return;
   variable.place += CF_NOTE_BANK_DW * (block + 1);
   /* only blocks with an instance's name are before their variables' names */
   const char *word = storage->name.string;
   if (name[base] && !strncmp(word, name, base) && strchr(word, '.'))
      snprintf(text, sizeof(text), "%s%s", name, strchr(word, '.'));
   else
      snprintf(text, sizeof(text), "%s", word);
   add_declaration(note, CF_NOTE_BLOCK, storage, &variable, text);
}

static void
add_block_variables(struct cf_note *note, const struct gl_program *stage)
{
   for (unsigned block = 0; block < stage->sh.NumUniformBlocks; block++) {
      for (unsigned i = 0; i < stage->sh.data->NumUniformStorage; i++) {
         const struct gl_uniform_storage *storage = &stage->sh.data->UniformStorage[i];
         if (storage->block_index >= 0 && !storage->is_shader_storage)
            add_block_variable(note, stage, storage, block);
      }
   }
}

static void
note_stage(struct gl_context *ctx, const struct gl_shader_program *program,
           const struct gl_program *stage)
{
   struct cf_note note = { 0 };
   char name[32];
   for (unsigned i = 0; i < program->NumShaders; i++) {
      const struct gl_shader *shader = program->Shaders[i];
      if (shader->Stage == stage->info.stage && shader->Source)
         cf_note_add_text(&note, CF_NOTE_SOURCE, shader->Source, strlen(shader->Source));
   }
   for (unsigned i = 0; i < stage->sh.data->NumUniformStorage; i++)
      add_uniform(&note, stage, i);
   add_block_variables(&note, stage);
   /* the driver finds it by the stage and NIR's name */
   snprintf(name, sizeof(name), "%u GLSL%u", (unsigned)stage->info.stage, program->Name);
   ctx->pipe->note(ctx->pipe, PIPE_NOTE_PROGRAM, name, note.data, note.size_B);
   cf_note_free(&note);
}

void
clipfree_note_program(struct gl_context *ctx, const struct gl_shader_program *program)
{
   for (unsigned stage = 0; stage < MESA_SHADER_STAGES; stage++) {
      if (program->_LinkedShaders[stage])
         note_stage(ctx, program, program->_LinkedShaders[stage]->Program);
   }
}

/* ------------------------------------------------------------------ draws */

static void
add_label(struct cf_note *note, const char *what, unsigned number, const char *label)
{
   if (label)
      add_text(note, CF_NOTE_LABEL, "%s %u: %s", what, number, label);
}

/* The textures that a stage samples, by the driver's units. */
static void
add_textures(struct cf_note *note, const struct gl_context *ctx, const struct gl_program *stage)
{
   if (!stage)
      return;
   const char *what =
      stage->info.stage == MESA_SHADER_FRAGMENT ? "fragment texture" : "vertex texture";
   u_foreach_bit(sampler, stage->SamplersUsed) {
      const struct gl_texture_object *texture =
         ctx->Texture.Unit[stage->SamplerUnits[sampler]]._Current;
      if (texture)
         add_label(note, what, sampler, texture->Label);
   }
}

static void
add_buffers(struct cf_note *note, const struct gl_vertex_array_object *arrays)
{
   add_label(note, "vertex array", arrays->Name, arrays->Label);
   if (arrays->IndexBufferObj)
      add_label(note, "index buffer", arrays->IndexBufferObj->Name, arrays->IndexBufferObj->Label);
   uint32_t seen = 0;
   u_foreach_bit(attribute, arrays->Enabled) {
      const unsigned binding = arrays->VertexAttrib[attribute].BufferBindingIndex;
      const struct gl_buffer_object *buffer = arrays->BufferBinding[binding].BufferObj;
      if (buffer && !(seen & BITFIELD_BIT(binding)))
         add_label(note, "vertex buffer", buffer->Name, buffer->Label);
      seen |= BITFIELD_BIT(binding);
   }
}

static void
add_framebuffer(struct cf_note *note, const struct gl_framebuffer *framebuffer)
{
   add_label(note, "framebuffer", framebuffer->Name, framebuffer->Label);
   for (unsigned i = 0; i < framebuffer->_NumColorDrawBuffers; i++) {
      const int index = framebuffer->_ColorDrawBufferIndexes[i];
      const struct gl_renderbuffer_attachment *attached =
         index >= 0 ? &framebuffer->Attachment[index] : NULL;
      if (attached && attached->Texture)
         add_label(note, "color target", i, attached->Texture->Label);
      else if (attached && attached->Renderbuffer)
         add_label(note, "color target", i, attached->Renderbuffer->Label);
   }
}

static void
add_labels(struct cf_note *note, const struct gl_context *ctx)
{
   const struct gl_shader_program *programs[] = {
      ctx->_Shader->ReferencedPrograms[MESA_SHADER_VERTEX],
      ctx->_Shader->ReferencedPrograms[MESA_SHADER_FRAGMENT],
   };
   for (unsigned i = 0; i < 2; i++) {
      if (programs[i] && (i == 0 || programs[i] != programs[0]))
         add_label(note, "program", programs[i]->Name, programs[i]->Label);
   }
   add_textures(note, ctx, ctx->VertexProgram._Current);
   add_textures(note, ctx, ctx->FragmentProgram._Current);
   add_buffers(note, ctx->Array.VAO);
   add_framebuffer(note, ctx->DrawBuffer);
}

/* Uniforms of a stage that were never set. Those of blocks are in buffers. */
static void
add_unset(struct cf_note *note, const struct gl_program *stage)
{
   for (unsigned i = 0; stage && stage->sh.data && i < stage->sh.data->NumUniformStorage; i++) {
      const struct gl_uniform_storage *storage = &stage->sh.data->UniformStorage[i];
      if (!storage->is_set && !storage->builtin && !storage->hidden && storage->block_index < 0 &&
          storage->active_shader_mask & BITFIELD_BIT(stage->info.stage) &&
          !glsl_contains_opaque(storage->type))
         add_text(note, CF_NOTE_UNSET, "uniform %s %s", glsl_get_type_name(storage->type),
                  storage->name.string);
   }
}

static const char *
index_type(unsigned index_size_B)
{
   return index_size_B == 1   ? "GL_UNSIGNED_BYTE"
          : index_size_B == 2 ? "GL_UNSIGNED_SHORT"
                              : "GL_UNSIGNED_INT";
}

/* The call, as far as it is known: the driver's draw does not tell calls with equal effects
 * apart. */
static void
add_call(struct cf_note *note, const struct pipe_draw_info *info, bool indirect,
         const struct pipe_draw_start_count_bias *draws, unsigned num_draws)
{
   const char *mode = _mesa_lookup_prim_by_nr(info->mode), *many = num_draws > 1 ? "Multi" : "";
   const char *what = info->index_size ? "Elements" : "Arrays";
   char numbers[64], instances[32] = "", base[32] = "";
   if (num_draws > 1)
      snprintf(numbers, sizeof(numbers), "%u draws", num_draws);
   else if (info->index_size)
      snprintf(numbers, sizeof(numbers), "%u, %s", draws->count, index_type(info->index_size));
   else
      snprintf(numbers, sizeof(numbers), "%u, %u", draws->start, draws->count);
   if (indirect) {
      add_text(note, CF_NOTE_CALL, "glDraw%sIndirect(%s)", what, mode);
      return;
   }
   if (info->instance_count != 1)
      snprintf(instances, sizeof(instances), ", %u instances", info->instance_count);
   if (info->index_size && draws->index_bias)
      snprintf(base, sizeof(base), ", base vertex %d", draws->index_bias);
   add_text(note, CF_NOTE_CALL, "gl%sDraw%s(%s, %s%s%s)", many, what, mode, numbers, instances,
            base);
}

static void
note_begin(struct gl_context *ctx, struct cf_note *note)
{
   add_labels(note, ctx);
   add_unset(note, ctx->VertexProgram._Current);
   add_unset(note, ctx->GeometryProgram._Current);
   add_unset(note, ctx->FragmentProgram._Current);
   ctx->pipe->note(ctx->pipe, PIPE_NOTE_CALL_BEGIN, NULL, note->data, note->size_B);
   cf_note_free(note);
}

static void
note_end(struct gl_context *ctx)
{
   ctx->pipe->note(ctx->pipe, PIPE_NOTE_CALL_END, NULL, NULL, 0);
}

static void
draw_noted(struct gl_context *ctx, const struct pipe_draw_info *info, unsigned drawid_offset,
           const struct pipe_draw_indirect_info *indirect,
           const struct pipe_draw_start_count_bias *draws, unsigned num_draws)
{
   struct cf_note note = { 0 };
   add_call(&note, info, indirect != NULL, draws, num_draws);
   note_begin(ctx, &note);
   st_draw_gallium(ctx, info, drawid_offset, indirect, draws, num_draws);
   note_end(ctx);
}

/* Vertices between glBegin and glEnd, or of a display list. */
static void
draw_multimode_noted(struct gl_context *ctx, struct pipe_draw_info *info,
                     const struct pipe_draw_start_count_bias *draws, const unsigned char *mode,
                     unsigned num_draws)
{
   for (unsigned i = 0; i < num_draws; i++) {
      struct cf_note note = { 0 };
      add_text(&note, CF_NOTE_CALL, "glBegin(%s), %u vertices", _mesa_lookup_prim_by_nr(mode[i]),
               draws[i].count);
      note_begin(ctx, &note);
      info->mode = mode[i];
      st_draw_gallium(ctx, info, 0, NULL, &draws[i], 1);
      /* the reference is passed once */
      info->take_index_buffer_ownership = false;
      note_end(ctx);
   }
}

void
clipfree_note_draws(struct dd_function_table *functions)
{
   functions->DrawGallium = draw_noted;
   functions->DrawGalliumMultiMode = draw_multimode_noted;
}
