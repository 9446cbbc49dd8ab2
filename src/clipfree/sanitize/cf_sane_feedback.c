/* SPDX-License-Identifier: MIT */
/* Draws that sample an image and write it: what they read is undefined (OpenGL ES 2.0, 4.4.4). */
#include <stdio.h>

#include "clipfree/base/cf_for.h"
#include "clipfree/sanitize/cf_sane.h"

/* Whether a sample may read the image at an address. */
static bool
reads(const struct cf_texture *texture, const struct cf_sampler *sampler, uint64_t address)
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
   const uint32_t *dw = descriptor ? cf_memory_at(memory, descriptor, 4 * CF_SURFACE_DWORDS) : NULL;
   return dw && cf_surface_unpack(dw, &surface, &bad) ? surface.address : 0;
}

static bool
reads_target(const struct cf_sanitize *s, const struct cf_memory *memory,
             const struct cf_texture *texture, const struct cf_sampler *sampler)
{
   for (uint32_t i = 0; i < s->framebuffer.color_count && i < CF_MAX_COLOR_TARGETS; i++) {
      const uint64_t pixels =
         s->color_masks >> i & 1 ? pixels_of(memory, s->framebuffer.color[i]) : 0;
      if (pixels && reads(texture, sampler, pixels))
         return true;
   }
   const uint64_t depths =
      s->depth_stencil.depth_write ? pixels_of(memory, s->framebuffer.depth_stencil) : 0;
   return depths && reads(texture, sampler, depths);
}

void
sane_check_feedback(struct cf_sanitize *s, const struct sane_draw *draw,
                    const struct cf_memory *memory)
{
   for (uint32_t stage = 0; stage < SANE_STAGES; stage++) {
      CF_FOR_BITS(unit, draw->program[stage] ? draw->program[stage]->units : 0) {
         const struct cf_bind_texture *bound = &s->texture[stage][unit];
         struct cf_texture texture;
         struct cf_sampler sampler;
         const char *bad;
         const uint32_t *t = cf_memory_at(memory, bound->texture, 4 * CF_TEXTURE_DWORDS),
                        *p = cf_memory_at(memory, bound->sampler, 4 * CF_SAMPLER_DWORDS);
         if (!bound->texture || !t || !p || !cf_texture_unpack(t, &texture, &bad) ||
             !cf_sampler_unpack(p, &sampler, &bad) || !reads_target(s, memory, &texture, &sampler))
            continue;
         struct cf_sanitize_report report = { .check = CF_SANITIZE_FEEDBACK,
                                              .stage = stage,
                                              .program = draw->program[stage]->descriptor,
                                              .instr = CF_SANITIZE_NO_INSTR };
         snprintf(report.message, sizeof(report.message),
                  "the %s shader samples texture unit %u, whose image the draw writes",
                  stage == CF_SHADER_STAGE_VERTEX ? "vertex" : "fragment", unit);
         sane_report(s, draw, &draw->program[stage]->feedback, 1, &report);
      }
   }
}
