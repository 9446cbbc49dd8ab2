/* SPDX-License-Identifier: MIT */
#ifndef REDUCE_PROGRAMS_H
#define REDUCE_PROGRAMS_H

#include "reduce_case.h"

/* A program that packets name: the address of its descriptor. */
struct reduce_program {
   uint32_t submission; /* that names it first */
   uint64_t address;
};

/** The programs that packets name, each once. Returns how many. Free the list. */
uint32_t reduce_list_programs(const struct reduce_case *c, struct reduce_program **programs);

/* The GLSL of these programs, each text once; of programs that have one. */
struct reduce_sources {
   char **text;
   uint32_t count;
};

/** List it. Free the list. */
struct reduce_sources reduce_list_sources(const struct reduce_case *c);
void reduce_free_sources(struct reduce_sources *sources);

#endif
