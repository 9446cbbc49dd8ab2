/* SPDX-License-Identifier: MIT */
/*
 * Draws that read what they write: what they read is undefined (images: OpenGL ES 2.0, 4.4.4;
 * buffers of transform feedback: OpenGL ES 3.0, 2.15.2). Feedback without room for a primitive.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "clipfree/base/cf_for.h"
#include "clipfree/sanitize/cf_sane.h"

bool
sane_samples(const struct cf_texture *texture, const struct cf_sampler *sampler, uint64_t address)
{
   const uint32_t last =
      sampler->mip_filter == CF_MIP_NONE ? texture->first_level : texture->last_level;
   for (uint32_t level = texture->first_level; level <= last && level < 15; level++) {
      const uint64_t begin = texture->address + texture->level_offset_B[level];
      const uint64_t layers =
                        texture->depth_px > texture->layers ? texture->depth_px : texture->layers,
                     size_B = (uint64_t)texture->level_layer_pitch_B[level] * (layers ? layers : 1);
      if (address >= begin && address < begin + (size_B ? size_B : 1))
         return true;
   }
   return false;
}

/* The address of the pixels that a surface descriptor has; 0: none. */
static uint64_t
pixels_of(const struct cf_memory *memory, uint64_t descriptor)
{
   struct cf_surface surface;
   const char *bad;
   const uint32_t *dw =
      descriptor ? cf_memory_aligned(memory, descriptor, 4 * CF_SURFACE_DWORDS, 4) : NULL;
   return dw && cf_surface_unpack(dw, &surface, &bad) ? surface.address : 0;
}

void
sane_take_targets(const struct cf_sanitize *s, const struct cf_memory *memory,
                  struct sane_draw *draw)
{
   for (uint32_t i = 0; i < s->framebuffer.color_count && i < CF_MAX_COLOR_TARGETS; i++)
      draw->target[i] = pixels_of(memory, s->framebuffer.color[i]);
}

static bool
reads_target(const struct cf_sanitize *s, const struct cf_memory *memory,
             const struct cf_texture *texture, const struct cf_sampler *sampler)
{
   for (uint32_t i = 0; i < s->framebuffer.color_count && i < CF_MAX_COLOR_TARGETS; i++) {
      const uint64_t pixels =
         s->color_masks >> i & 1 ? pixels_of(memory, s->framebuffer.color[i]) : 0;
      if (pixels && sane_samples(texture, sampler, pixels))
         return true;
   }
   const uint64_t depths =
      s->depth_stencil.depth_write ? pixels_of(memory, s->framebuffer.depth_stencil) : 0;
   return depths && sane_samples(texture, sampler, depths);
}

/* ------------------------------------------------------------------ buffers */

/* Report that `what`, with a number, is read from a buffer that feedback of the draw writes, if the
 * bytes are. */
static void
check_read(struct cf_sanitize *s, const struct sane_draw *draw, const struct cf_memory *memory,
           const char *what, uint32_t number, uint64_t address, uint64_t size_B)
{
   struct sane_program *program = draw->program[CF_SHADER_STAGE_VERTEX];
   for (uint32_t i = 0; program && size_B && i < CF_FEEDBACK_BUFFERS; i++) {
      const uint64_t *filled_B =
         s->feedback.filled[i] ? cf_memory_aligned(memory, s->feedback.filled[i], 8, 8) : NULL;
      const uint64_t begin = s->feedback.address[i] + (filled_B ? *filled_B : 0),
                     end = s->feedback.address[i] + s->feedback.size_B[i];
      if (!filled_B || begin >= end || address >= end || address + size_B <= begin)
         continue;
      struct cf_sanitize_report report = { .check = CF_SANITIZE_FEEDBACK,
                                           .stage = CF_SHADER_STAGE_VERTEX,
                                           .program = program->descriptor,
                                           .instr = CF_SANITIZE_NO_INSTR };
      snprintf(report.message, sizeof(report.message),
               "%s %" PRIu32 " lies in buffer %" PRIu32 " of transform feedback, which the draw "
               "writes",
               what, number, i);
      sane_report(s, draw, &program->feedback, 1, &report);
   }
}

/* The bytes of a vertex element that a draw may read: without indices and divisor only those of its
 * vertices. */
static void
check_element(struct cf_sanitize *s, const struct sane_draw *draw, const struct cf_memory *memory,
              const struct cf_draw *packet, uint32_t number,
              const struct cf_vertex_element *element)
{
   uint64_t begin_B = 0, end_B = element->size_B;
   if (!packet->index_size_B && !element->divisor) {
      begin_B = (uint64_t)packet->start * element->stride_B;
      const uint64_t last_B = begin_B + (uint64_t)packet->count * element->stride_B;
      end_B = element->stride_B && last_B < end_B ? last_B : end_B;
   }
   if (begin_B < end_B)
      check_read(s, draw, memory, "vertex element", number, element->address + begin_B,
                 end_B - begin_B);
}

static void
check_fed(struct cf_sanitize *s, const struct sane_draw *draw, const struct cf_packet_event *event)
{
   const struct cf_memory *memory = event->memory;
   struct cf_draw packet;
   const char *bad;
   const uint32_t *dw = cf_memory_aligned(
      memory, s->elements.address, (uint64_t)s->elements.count * 4 * CF_VERTEX_ELEMENT_DWORDS, 4);
   if (!cf_draw_unpack(event->dw, &packet, &bad) || packet.count == 0)
      return; /* without vertices it reads nothing */
   for (uint32_t i = 0; dw && i < s->elements.count; i++, dw += CF_VERTEX_ELEMENT_DWORDS) {
      struct cf_vertex_element element;
      if (cf_vertex_element_unpack(dw, &element, &bad))
         check_element(s, draw, memory, &packet, i, &element);
   }
   if (packet.index_size_B)
      check_read(s, draw, memory, "the index of vertex", 0,
                 packet.index_address + (uint64_t)packet.start * packet.index_size_B,
                 (uint64_t)packet.count * packet.index_size_B);
   for (uint32_t bank = 0; bank < CF_MAX_CONSTANT_BANKS; bank++) {
      const struct cf_constants *constants = &s->constants[CF_SHADER_STAGE_VERTEX][bank];
      check_read(s, draw, memory, "constant bank", bank, constants->address, constants->size_B);
   }
}

void
sane_feedback(void *user, const struct cf_feedback_event *event)
{
   struct cf_sanitize *s = user;
   struct sane_thread *thread = event->fits ? NULL : sane_thread(s);
   if (!thread || !sane_find_draw(thread, event->draw))
      return;
   struct sane_program *program = thread->draw->program[CF_SHADER_STAGE_VERTEX];
   struct cf_sanitize_report report = { .check = CF_SANITIZE_FEEDBACK_SIZE,
                                        .stage = CF_SHADER_STAGE_VERTEX,
                                        .instr = CF_SANITIZE_NO_INSTR };
   if (!program)
      return;
   report.program = program->descriptor;
   snprintf(report.message, sizeof(report.message),
            "a buffer of transform feedback has no room for primitive %" PRIu32, event->primitive);
   sane_report(s, thread->draw, &program->feedback_size, 1, &report);
}

/* ------------------------------------------------------------------ images */

void
sane_check_feedback(struct cf_sanitize *s, const struct sane_draw *draw,
                    const struct cf_packet_event *event)
{
   const struct cf_memory *memory = event->memory;
   if (s->feedback.outputs)
      check_fed(s, draw, event);
   for (uint32_t stage = 0; stage < SANE_STAGES; stage++) {
      CF_FOR_BITS(unit, draw->program[stage] ? draw->program[stage]->units : 0) {
         const struct cf_bind_texture *bound = &s->texture[stage][unit];
         struct cf_texture texture;
         struct cf_sampler sampler;
         const char *bad;
         const uint32_t *t = cf_memory_aligned(memory, bound->texture, 4 * CF_TEXTURE_DWORDS, 4),
                        *p = cf_memory_aligned(memory, bound->sampler, 4 * CF_SAMPLER_DWORDS, 4);
         if (!bound->texture || !t || !p || !cf_texture_unpack(t, &texture, &bad) ||
             !cf_sampler_unpack(p, &sampler, &bad) || !reads_target(s, memory, &texture, &sampler))
            continue;
         struct cf_sanitize_report report = { .check = CF_SANITIZE_FEEDBACK,
                                              .stage = stage,
                                              .program = draw->program[stage]->descriptor,
                                              .instr = CF_SANITIZE_NO_INSTR };
         snprintf(report.message, sizeof(report.message),
                  "the %s shader samples texture unit %u, whose image the draw writes",
                  cf_shader_stage_name((enum cf_shader_stage)stage), unit);
         sane_report(s, draw, &draw->program[stage]->feedback, 1, &report);
      }
   }
}
