/* SPDX-License-Identifier: MIT */
/* Where a geometry program's inputs and the vertices that it makes lie in scratch, in dwords of a
 * lane (struct program in interface/packets.toml). */
#ifndef CF_GEOMETRY_LAYOUT_H
#define CF_GEOMETRY_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/interface/cf_limits.h"
#include "clipfree/interface/cf_packets.h"

#define CF_GEOMETRY_MADE 0 /* number of vertices that were made */
#define CF_GEOMETRY_INPUTS 1
#define CF_MAX_GEOMETRY_VERTICES 1023

/** Dwords of a record of a program's vertices. */
static inline uint32_t
cf_record_dwords(const struct cf_program *program)
{
   const uint32_t dwords = (program->outputs + 3u) & ~3u;
   return dwords < CF_OUTPUT_VARYINGS ? CF_OUTPUT_VARYINGS : dwords;
}

/** Dwords of an input vertex. */
static inline uint32_t
cf_geometry_input_dwords(const struct cf_program *program)
{
   return CF_OUTPUT_VARYINGS + program->inputs;
}

/** The first dword of the first vertex that is made. */
static inline uint32_t
cf_geometry_outputs(const struct cf_program *program)
{
   return CF_GEOMETRY_INPUTS + program->input_vertices * cf_geometry_input_dwords(program);
}

/** What a geometry program needs at least: also room for one vertex more than it makes, which it
 * may write and not count. */
static inline uint32_t
cf_geometry_scratch_dwords(const struct cf_program *program)
{
   return cf_geometry_outputs(program) + (program->max_vertices + 1) * cf_record_dwords(program);
}

/** The first dword of scratch that is 0 when a task begins, after its inputs; but what counts the
 * made vertices is 0, too. */
static inline uint32_t
cf_scratch_inputs_end(const struct cf_program *program)
{
   return program->stage == CF_SHADER_STAGE_GEOMETRY ? cf_geometry_outputs(program) : 0;
}

#endif
