/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_slow.h"

#include "clipfree/command/cf_program_cache.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/jit/cf_jit.h"
#include "clipfree/jit/cf_jit_source.h"
#include "clipfree/jit/cf_quad_work.h"
#include "clipfree/pixel/cf_pixel.h"

const char *
cf_slow_text(enum cf_slow reason)
{
   static const char *const texts[CF_SLOW_REASONS] = {
      [CF_SLOW_LONG] = "a program has more instructions than are compiled, and is interpreted",
      [CF_SLOW_REFUSED] = "a program, or a sample of it, could not be compiled, and is interpreted",
      [CF_SLOW_LEVELS] = "a program asks for levels of detail: the texture unit is called for each",
      [CF_SLOW_INPUTS] = "the fragment program has inputs that only the primitive engine computes: "
                         "at covered samples, or system values",
      [CF_SLOW_TEXTURE] = "a texture has no compiled samples: an array of cubes, of 2 GB or more, "
                          "or there are too many states of textures",
      [CF_SLOW_LINEAR] = "a target is not in blocks: pixels are written by the pixel engine",
      [CF_SLOW_FACES] = "front and back faces are drawn as different primitives",
   };
   return texts[reason];
}

static bool
asks_for_levels(const struct cf_cached_program *cached)
{
   return cached->texmodes >> CF_TEXMODE_QUERY_LOD & 1;
}

uint32_t
cf_slow_program(const struct cf_jit *jit, const struct cf_cached_program *cached)
{
   const bool inputs = cached->program.stage == CF_SHADER_STAGE_FRAGMENT &&
                       (cached->program.sysvals & ~CF_QUAD_SYSVALS) != 0;
   return (uint32_t)cf_jit_is_too_long(jit, cached->program.code_instrs) << CF_SLOW_LONG |
          (uint32_t)asks_for_levels(cached) << CF_SLOW_LEVELS | (uint32_t)inputs << CF_SLOW_INPUTS;
}

uint32_t
cf_slow_report(struct cf_slow_reported *reported, const void *program, uint32_t reasons)
{
   for (uint32_t i = 0; i < reported->count && i < CF_SLOW_PROGRAMS; i++) {
      if (reported->program[i] == program) {
         const uint32_t fresh = reasons & ~reported->reasons[i];
         reported->reasons[i] |= reasons;
         return fresh;
      }
   }
   const uint32_t place = reported->count++ % CF_SLOW_PROGRAMS;
   reported->program[place] = program;
   reported->reasons[place] = reasons;
   return reasons;
}
