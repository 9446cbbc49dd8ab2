/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t *
place_of(struct cf_sim_machine *machine, const struct cf_sim_parameter *p)
{
   return (uint32_t *)((char *)machine + p->offset_B);
}

struct cf_sim_machine
cf_sim_machine_default(void)
{
   struct cf_sim_machine machine;
   for (uint32_t i = 0; i < CF_SIM_PARAMETERS; i++)
      *place_of(&machine, &cf_sim_parameters[i]) = cf_sim_parameters[i].first;
   return machine;
}

uint32_t
cf_sim_machine_value(const struct cf_sim_machine *machine, const struct cf_sim_parameter *p)
{
   uint32_t value;
   memcpy(&value, (const char *)machine + p->offset_B, sizeof(value));
   return value;
}

static const struct cf_sim_parameter *
parameter_named(const char *name)
{
   for (uint32_t i = 0; i < CF_SIM_PARAMETERS; i++) {
      if (strcmp(cf_sim_parameters[i].name, name) == 0)
         return &cf_sim_parameters[i];
   }
   return NULL;
}

static bool
parse_choice(const struct cf_sim_parameter *p, const char *text, uint32_t *value)
{
   for (*value = 0; p->choices[*value]; (*value)++) {
      if (strcmp(p->choices[*value], text) == 0)
         return true;
   }
   return false;
}

static bool
parse(const struct cf_sim_parameter *p, const char *text, uint32_t *value)
{
   char *end;
   if (p->choices)
      return parse_choice(p, text, value);
   if (p->flag) {
      *value = strcmp(text, "true") == 0;
      return *value || strcmp(text, "false") == 0;
   }
   errno = 0;
   const unsigned long number = strtoul(text, &end, 10);
   *value = (uint32_t)number;
   return text[0] >= '0' && text[0] <= '9' && !*end && !errno && number >= p->least &&
          number <= p->most && (!p->power || (number & (number - 1)) == 0);
}

static void
say_range(const struct cf_sim_parameter *p, char *text, size_t text_B)
{
   if (p->flag)
      snprintf(text, text_B, "true or false");
   else if (!p->choices)
      snprintf(text, text_B, "%s from %u to %u", p->power ? "a power of two" : "a number", p->least,
               p->most);
   text[p->choices ? 0 : strlen(text)] = 0;
   for (uint32_t i = 0; p->choices && p->choices[i]; i++)
      snprintf(text + strlen(text), text_B - strlen(text), "%s%s", i ? ", " : "", p->choices[i]);
}

bool
cf_sim_machine_set(struct cf_sim_machine *machine, const char *name, const char *text, char *error,
                   size_t error_B)
{
   const struct cf_sim_parameter *p = parameter_named(name);
   char range[128];
   if (!p) {
      snprintf(error, error_B, "there is no parameter %s", name);
      return false;
   }
   if (parse(p, text, place_of(machine, p)))
      return true;
   say_range(p, range, sizeof(range));
   snprintf(error, error_B, "%s = %s: it may be %s", name, text, range);
   return false;
}

/* Whether sets of `ways` lines fill the cache, and their number is a power of two. */
static bool
whole_sets(uint32_t size_B, uint32_t line_B, uint32_t ways)
{
   const uint32_t lines = size_B / line_B, sets = ways ? lines / ways : 1;
   return size_B == 0 || (size_B % line_B == 0 && lines > 0 &&
                          (!ways || (lines % ways == 0 && sets > 0)) && (sets & (sets - 1)) == 0);
}

static bool
tree_of(uint32_t policy, uint32_t ways)
{
   return (policy != CF_SIM_POLICY_PLRU && policy != CF_SIM_POLICY_PLRU_OTT) ||
          (ways > 0 && (ways & (ways - 1)) == 0);
}

const char *
cf_sim_machine_contradiction(const struct cf_sim_machine *m)
{
   const uint32_t pixel_line_B = 4 * m->z.line_width_px * m->z.line_height_px;
   if (!whole_sets(m->z.size_B, pixel_line_B, m->z.ways))
      return "z.size_B is not of a power of two of sets of z.ways lines of z.line_width_px x "
             "z.line_height_px pixels of 4 bytes";
   if (!m->color.shared && !whole_sets(m->color.size_B, pixel_line_B, m->color.ways))
      return "color.size_B is not of a power of two of sets of color.ways lines of "
             "z.line_width_px x z.line_height_px pixels of 4 bytes";
   if (!whole_sets(m->texture.size_B, m->texture.line_B, m->texture.ways))
      return "texture.size_B is not of a power of two of sets of texture.ways lines of "
             "texture.line_B";
   if (!tree_of(m->z.policy, m->z.ways))
      return "z.policy plru needs z.ways that are a power of two";
   if (!tree_of(m->color.policy, m->color.ways))
      return "color.policy plru needs color.ways that are a power of two";
   if (!tree_of(m->texture.policy, m->texture.ways))
      return "texture.policy plru needs texture.ways that are a power of two";
   if (m->z.prefetch != CF_SIM_PREFETCH_NONE && m->z.policy == CF_SIM_POLICY_OPTIMAL)
      return "z.prefetch and z.policy optimal: what is best with prefetches is not defined";
   if (m->z.prefetch != CF_SIM_PREFETCH_NONE && m->z.size_B == 0)
      return "z.prefetch needs a cache: z.size_B is 0";
   if (m->z.line_samples == CF_SIM_LINE_SAMPLES_ALL &&
       (m->z.line_width_px < 4 || m->z.line_height_px < 4))
      return "z.line_samples all puts a quad into a line: z.line_width_px and z.line_height_px are "
             "4 at least";
   if (m->z.line_samples == CF_SIM_LINE_SAMPLES_ALL && m->gpu.model == CF_SIM_MODEL_FRAGMENTS)
      return "z.line_samples all: the words of gpu.model fragments are of one sample";
   if (m->screen.partition == CF_SIM_PARTITION_2X2 && m->screen.pipelines != 4)
      return "screen.partition 2x2 needs screen.pipelines 4";
   if (m->screen.partition == CF_SIM_PARTITION_NONE && m->screen.pipelines != 1)
      return "screen.pipelines needs a screen.partition";
   return NULL;
}
