/* SPDX-License-Identifier: MIT */
/*
 * CLIPFREE_DEBUG. Unlike Mesa's own parser this one rejects unknown flags.
 */
#include "clipfree_debug.h"

#include <stdio.h>
#include <string.h>

#include "util/u_debug.h"

#include "clipfree/compiler/cf_compiler.h"
#include "clipfree/interface/cf_choices.h"

#include "clipfree_options.h"

static const struct debug_named_value cf_debug_options[] = {
   { "vs", CF_DEBUG_VS, "Print vertex shaders (alone: their code)." },
   { "fs", CF_DEBUG_FS, "Print fragment shaders (alone: their code)." },
   { "gs", CF_DEBUG_GS, "Print geometry shaders (alone: their code)." },
   { "nir", CF_DEBUG_NIR, "Print shaders as NIR." },
   { "ir", CF_DEBUG_IR, "Print shaders in the compiler's own form." },
   { "asm", CF_DEBUG_ASM, "Print shaders as assembly." },
   { "shaderdb", CF_DEBUG_SHADERDB, "Print one line of statistics for each shader." },
   { "setup", CF_DEBUG_SETUP, "Print set-up primitives: vertices, edges, depth plane, bounds." },
   { "rast", CF_DEBUG_RAST, "Print tiles: what each primitive covers of them." },
   { "tex", CF_DEBUG_TEX, "Print the texture units of each draw: texture and sampler." },
   { "pixel", CF_DEBUG_PIXEL,
     "Print the pixel engine's state of each draw: tests, blending, masks." },
   { "perf", CF_DEBUG_PERF,
     "Print the time each unit took, for each submission and frame; and what slow prints." },
   { "slow", CF_DEBUG_SLOW, "Print draws that stay on a slow path, and why." },
   { "sync", CF_DEBUG_SYNC, "Wait for each submission before going on." },
   { "flush", CF_DEBUG_FLUSH, "Submit after each draw and each clear." },
   { "nocache", CF_DEBUG_NOCACHE, "Do not use the shader cache on disk." },
   { "nojit", CF_DEBUG_NOJIT, "Interpret all shaders, whatever CLIPFREE_ENGINE says." },
   { "noreuse", CF_DEBUG_NOREUSE, "Do not look for equal vertices in draws without indices." },
   { "verify", CF_DEBUG_VERIFY,
     "Compile all shaders, run them in the interpreter too, and stop at the first difference." },
   { "symbols", CF_DEBUG_SYMBOLS,
     "Give perf (/tmp/perf-PID.map) and gdb the names of compiled shaders." },
   { "variables", CF_DEBUG_VARIABLES,
     "Keep all variables of GLSL, for the debugger: shaders are not optimised across statements." },
   { "novalidate", CF_DEBUG_NOVALIDATE,
     "Do not validate the program after each pass of the compiler." },
   DEBUG_NAMED_VALUE_END
};

static const struct debug_named_value *
cf_debug_find(const char *name, size_t length)
{
   for (const struct debug_named_value *o = cf_debug_options; o->name; o++) {
      if (strlen(o->name) == length && !memcmp(o->name, name, length))
         return o;
   }
   return NULL;
}

static void
cf_debug_print_options(void)
{
   fprintf(stderr, "CLIPFREE_DEBUG takes these flags, separated by commas:\n");
   for (const struct debug_named_value *o = cf_debug_options; o->name; o++)
      fprintf(stderr, "   %-12s %s\n", o->name, o->desc);
}

static void
cf_debug_help(void)
{
   cf_debug_print_options();
   fprintf(stderr, "All variables of the environment that steer clipfree:\n");
   cf_options_print(stderr);
}

bool
cf_debug_parse(uint32_t *flags)
{
   static const char separators[] = ", ";
   const char *text = cf_option_value(&cf_driver_options[CF_OPTION_DEBUG]);

   *flags = 0;
   while (text && *(text += strspn(text, separators))) {
      const size_t length = strcspn(text, separators);
      const struct debug_named_value *option = cf_debug_find(text, length);

      if (option) {
         *flags |= option->value;
      } else {
         const bool help = length == 4 && !memcmp(text, "help", 4);
         if (!help) {
            fprintf(stderr, "clipfree: CLIPFREE_DEBUG: no flag '%.*s'.\n", (int)length, text);
            cf_debug_print_options();
            return false;
         }
         cf_debug_help();
      }
      text += length;
   }
   return true;
}

static void
cf_debug_print_passes(void)
{
   fprintf(stderr, "CLIPFREE_COMPILER takes no-PASS, separated by commas. The passes:\n");
   for (unsigned i = 0; i < CF_PASS_COUNT; i++)
      fprintf(stderr, "   %-20s %s\n", cf_passes[i].name, cf_passes[i].text);
}

/* The pass of `no-PASS`; CF_PASS_COUNT: there is none. */
static unsigned
cf_debug_find_pass(const char *word, size_t length)
{
   unsigned i = 0;
   while (i < CF_PASS_COUNT && (length < 3 || strncmp(word, "no-", 3) ||
                                strlen(cf_passes[i].name) != length - 3 ||
                                memcmp(cf_passes[i].name, word + 3, length - 3)))
      i++;
   return i;
}

bool
cf_debug_parse_compiler(uint32_t *passes_off)
{
   static const char separators[] = ", ";
   const char *text = cf_option_value(&cf_driver_options[CF_OPTION_COMPILER]);

   *passes_off = 0;
   while (text && *(text += strspn(text, separators))) {
      const size_t length = strcspn(text, separators);
      const unsigned pass = cf_debug_find_pass(text, length);
      const bool help = length == 4 && !memcmp(text, "help", 4);

      if (pass < CF_PASS_COUNT) {
         *passes_off |= 1u << pass;
      } else {
         if (!help)
            fprintf(stderr, "clipfree: CLIPFREE_COMPILER: what is '%.*s'?\n", (int)length, text);
         cf_debug_print_passes();
         if (!help)
            return false;
      }
      text += length;
   }
   return true;
}

bool
cf_debug_parse_mediump(enum cf_mediump *mediump)
{
   static const char *const values[] = {
      [CF_MEDIUMP_OFF] = "off",
      [CF_MEDIUMP_FP16] = "fp16",
      [CF_MEDIUMP_FP16_FLUSHED] = "fp16,flush",
      [CF_MEDIUMP_FP10] = "fp10",
   };
   const char *text = cf_option_value(&cf_driver_options[CF_OPTION_MEDIUMP]);

   *mediump = CF_MEDIUMP_OFF;
   for (unsigned i = 0; text && i < ARRAY_SIZE(values); i++) {
      if (!strcmp(text, values[i])) {
         *mediump = i;
         return true;
      }
   }
   if (text)
      fprintf(stderr, "clipfree: %s\n", cf_option_message(&cf_driver_options[CF_OPTION_MEDIUMP]));
   return !text;
}

uint32_t
cf_debug_compile_flags(uint32_t flags, enum cf_shader_stage stage)
{
   static const uint32_t flag_of[] = { [CF_SHADER_STAGE_VERTEX] = CF_DEBUG_VS,
                                       [CF_SHADER_STAGE_FRAGMENT] = CF_DEBUG_FS,
                                       [CF_SHADER_STAGE_GEOMETRY] = CF_DEBUG_GS };
   const uint32_t stages = flags & (CF_DEBUG_VS | CF_DEBUG_FS | CF_DEBUG_GS);
   const bool named = stages & flag_of[stage];
   const uint32_t dumps = flags & (CF_DEBUG_NIR | CF_DEBUG_IR | CF_DEBUG_ASM);
   uint32_t result = 0;

   if (!stages || named) {
      result |= flags & CF_DEBUG_NIR ? CF_COMPILE_NIR : 0;
      result |= flags & CF_DEBUG_IR ? CF_COMPILE_IR : 0;
      result |= (flags & CF_DEBUG_ASM) || (named && !dumps) ? CF_COMPILE_ASM : 0;
   }
   result |= flags & CF_DEBUG_SHADERDB ? CF_COMPILE_SHADERDB : 0;
   result |= flags & CF_DEBUG_NOVALIDATE ? CF_COMPILE_NOVALIDATE : 0;
   return result;
}

uint32_t
cf_debug_print_flags(uint32_t flags)
{
   return (flags & CF_DEBUG_SETUP ? CF_PRINT_SETUP : 0) |
          (flags & CF_DEBUG_RAST ? CF_PRINT_RAST : 0) | (flags & CF_DEBUG_TEX ? CF_PRINT_TEX : 0) |
          (flags & CF_DEBUG_PIXEL ? CF_PRINT_PIXEL : 0);
}
