/* SPDX-License-Identifier: MIT */
#include "clipfree/command/test_sane_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/isa/cf_isa.h"

void
sane_scene_open(struct sane_scene *s, const struct cf_sanitize_config *config, int threads)
{
   memset(s, 0, sizeof(*s));
   s->instances = 1;
   s->sanitize = cf_sanitize_open(config);
   if (!s->sanitize)
      abort();
   test_gpu_open_on(&s->t, test_model_of((struct cf_model_config){
                              .threads = threads,
                              .path = CF_PATH_PLAIN,
                              .engine = CF_ENGINE_INTERP,
                              .observer = cf_sanitize_observer(s->sanitize) }));
   test_surface_create(&s->t, &s->color, CF_FORMAT_R32G32B32A32_FLOAT, SANE_SIZE_PX, SANE_SIZE_PX,
                       false);
}

const struct cf_sanitize_report *
sane_scene_end(struct sane_scene *s)
{
   test_no_error(&s->t);
   test_surface_free(&s->t, &s->color);
   test_gpu_close(&s->t);
   return cf_sanitize_reports(s->sanitize);
}

uint64_t
sane_fragment_program(struct sane_scene *s, const char *text)
{
   const bool depth = strstr(text, "outf 32,") != NULL;
   return test_program(
      &s->t, text,
      (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                           .vector_regs = 8,
                           .scalar_regs = 2,
                           .outputs = depth ? 33 : 8,
                           .color_outputs = 2,
                           .writes_depth = depth,
                           .uses_kill = true,
                           .needs_helpers = true,
                           .scratch_dwords = 16,
                           .sysvals = 1u << CF_SYSVAL_FRAG_X | 1u << CF_SYSVAL_FRAG_Y });
}

void
sane_note(struct sane_scene *s, uint64_t address, struct cf_note *note)
{
   s->t.gpu->ops->note(s->t.gpu, address, note->data, note->size_B);
   cf_note_free(note);
}

static void
emit_programs(struct sane_scene *s, uint64_t fragment_program)
{
   uint32_t dw[CF_SAMPLER_DWORDS];
   test_emit_positions(&s->t);
   if (s->vertex) {
      s->vertex_program = test_program(&s->t, s->vertex,
                                       (struct cf_program){ .stage = CF_SHADER_STAGE_VERTEX,
                                                            .vector_regs = 9,
                                                            .outputs = 12,
                                                            .sysvals = 1u << CF_SYSVAL_VERTEX_ID });
      EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = s->vertex_program);
   }
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = fragment_program);
   EMIT(&s->t, varyings, .count = 0);
   if (!s->texture)
      return;
   cf_sampler_pack(dw, &s->sampler);
   EMIT(&s->t, bind_texture, .stage = CF_SHADER_STAGE_FRAGMENT,
        .texture = test_put_texture(&s->t, s->texture), .sampler = test_put(&s->t, dw, sizeof(dw)));
}

static void
emit_constants(struct sane_scene *s)
{
   const union {
      float f;
      uint32_t u;
   } constant[SANE_CONSTANTS] = { { 0 }, { -2 }, { 3e38f }, { __builtin_inff() }, { .u = 100 } };
   const uint64_t address = test_put(&s->t, constant, sizeof(constant));
   for (int stage = 0; stage < 2; stage++)
      EMIT(&s->t, constants, .stage = stage ? CF_SHADER_STAGE_FRAGMENT : CF_SHADER_STAGE_VERTEX,
           .bank = 0, .address = address, .size_B = sizeof(constant));
}

void
sane_emit(struct sane_scene *s, uint64_t fragment_program)
{
   static const float position[4][4] = {
      { -1, -1, 0, 1 }, { 1, -1, 0, 1 }, { -1, 1, 0, 1 }, { 1, 1, 0, 1 }
   };
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   test_emit_frame(&s->t, &s->color, NULL);
   if (s->no_colors)
      EMIT(&s->t, blend, .target = 0, .write_mask = 0);
   emit_programs(s, fragment_program);
   emit_constants(s);
   cf_vertex_element_pack(
      dw, &(struct cf_vertex_element){ .address = test_put(&s->t, position, sizeof(position)),
                                       .size_B = sizeof(position),
                                       .stride_B = 16,
                                       .format = CF_FORMAT_R32G32B32A32_FLOAT,
                                       .divisor = s->divisor });
   EMIT(&s->t, vertex_elements, .count = 1, .address = test_put(&s->t, dw, sizeof(dw)));
   if (s->note)
      s->t.gpu->ops->note(s->t.gpu, s->t.commands.address + 4 * s->t.count, s->note->data,
                          s->note->size_B);
   EMIT(&s->t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .start = s->start, .count = 4,
        .instances = s->instances, .start_instance = s->start_instance);
}

void
sane_draw(struct sane_scene *s, uint64_t fragment_program)
{
   sane_emit(s, fragment_program);
   test_submit(&s->t);
}
