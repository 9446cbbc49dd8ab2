/* SPDX-License-Identifier: MIT */
#include "sim_machines.h"

#include <stdlib.h>
#include <string.h>

#define LINE_B 1024

static bool
add_machine(struct sim_machine **machine, size_t *machines, const char *name)
{
   struct sim_machine *grown = realloc(*machine, (*machines + 1) * sizeof(grown[0]));
   if (!grown)
      return false;
   *machine = grown;
   memset(&grown[*machines], 0, sizeof(grown[0]));
   grown[*machines].machine = cf_sim_machine_default();
   grown[*machines].name = strdup(name);
   return grown[(*machines)++].name != NULL;
}

static bool
take_line(char *line, struct sim_machine **machine, size_t *machines, char *error, size_t error_B)
{
   line[strcspn(line, "\n")] = 0;
   char *value = strchr(line, ' ');
   if (!value) {
      snprintf(error, error_B, "a line of machines is a name and a value: %s", line);
      return false;
   }
   *value++ = 0;
   if (strcmp(line, "machine") == 0) {
      if (add_machine(machine, machines, value))
         return true;
      snprintf(error, error_B, "out of memory");
      return false;
   }
   if (*machines == 0) {
      snprintf(error, error_B, "machines begin with a line of a name: machine NAME");
      return false;
   }
   return cf_sim_machine_set(&(*machine)[*machines - 1].machine, line, value, error, error_B);
}

static const char *
contradiction(const struct cf_sim_machine *m, bool timed)
{
   const char *why = cf_sim_machine_contradiction(m);
   if (why || !timed)
      return why;
   switch (m->gpu.model) {
   case CF_SIM_MODEL_VERTICES:
      return cf_sim_vertices_contradiction(m);
   case CF_SIM_MODEL_FRAGMENTS:
      return cf_sim_fragments_contradiction(m);
   default:
      why = cf_sim_cycles_contradiction(m);
      return why ? why : cf_sim_gpu_contradiction(m);
   }
}

bool
sim_machines_read(FILE *file, bool timed, struct sim_machine **machine, size_t *machines,
                  char *error, size_t error_B)
{
   char line[LINE_B];
   *machine = NULL;
   *machines = 0;
   while (fgets(line, sizeof(line), file)) {
      if (!take_line(line, machine, machines, error, error_B))
         return false;
   }
   for (size_t i = 0; i < *machines; i++) {
      const char *why = contradiction(&(*machine)[i].machine, timed);
      if (why) {
         snprintf(error, error_B, "%s: %s", (*machine)[i].name, why);
         return false;
      }
   }
   return true;
}

void
sim_machines_free(struct sim_machine *machine, size_t machines)
{
   for (size_t i = 0; i < machines; i++)
      free(machine[i].name);
   free(machine);
}
