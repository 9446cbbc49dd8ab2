/* SPDX-License-Identifier: MIT */
/*
 * Machines: what parameters a simulated GPU has. Described once, in machine.toml.
 */
#ifndef CF_SIM_MACHINE_H
#define CF_SIM_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clipfree/timing/cf_sim_machine_parameters.h" /* generated */

struct cf_sim_parameter {
   const char *name; /* "group.parameter" */
   size_t offset_B;  /* in struct cf_sim_machine */
   uint32_t first;   /* the default */
   uint32_t least, most;
   bool power, flag;
   const char *const *choices; /* names, ended by NULL; NULL: a number */
};

extern const struct cf_sim_parameter cf_sim_parameters[CF_SIM_PARAMETERS];

/** All defaults. */
struct cf_sim_machine cf_sim_machine_default(void);

/** Set a parameter by names. False: `error` says which values it may have. */
bool cf_sim_machine_set(struct cf_sim_machine *machine, const char *name, const char *value,
                        char *error, size_t error_B);

/** The value of a parameter. */
uint32_t cf_sim_machine_value(const struct cf_sim_machine *machine,
                              const struct cf_sim_parameter *parameter);

/** Whether the parameters agree with each other. NULL, or which do not, and why. */
const char *cf_sim_machine_contradiction(const struct cf_sim_machine *machine);

#endif
