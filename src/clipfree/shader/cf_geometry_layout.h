/* SPDX-License-Identifier: MIT */
/* Where a geometry program's input vertices and the vertices that it emits lie in scratch, in
 * dwords of a lane (struct program in interface/packets.toml). */
#ifndef CF_GEOMETRY_LAYOUT_H
#define CF_GEOMETRY_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "clipfree/interface/cf_limits.h"
#include "clipfree/interface/cf_packets.h"

#define CF_GEOMETRY_EMITTED 0 /* number of vertices emitted */
#define CF_GEOMETRY_INPUTS 1
#define CF_MAX_GEOMETRY_VERTICES 1023
#define CF_MAX_INPUT_VERTICES 6
/* Groups of four dwords of all input vertices (cf_geometry_input_fours), at most. */
#define CF_GEOMETRY_INPUT_FOURS                                                                    \
   (CF_MAX_INPUT_VERTICES * (CF_OUTPUT_VARYINGS + CF_MAX_VARYING_DWORDS) / 4)

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

/** Groups of four dwords of an input vertex; the last may be shorter. */
static inline uint32_t
cf_geometry_input_fours(const struct cf_program *program)
{
   return (cf_geometry_input_dwords(program) + 3) / 4;
}

/** The first dword of the first emitted vertex. */
static inline uint32_t
cf_geometry_outputs(const struct cf_program *program)
{
   return CF_GEOMETRY_INPUTS + program->input_vertices * cf_geometry_input_dwords(program);
}

/** Scratch that a geometry program needs at least. One vertex more than max_vertices has room: what
 * is emitted beyond them is written there, and not counted. */
static inline uint32_t
cf_geometry_scratch_dwords(const struct cf_program *program)
{
   return cf_geometry_outputs(program) + (program->max_vertices + 1) * cf_record_dwords(program);
}

/** The first dword of scratch behind the inputs: from it on scratch is 0 when a task begins, as is
 * CF_GEOMETRY_EMITTED. */
static inline uint32_t
cf_scratch_inputs_end(const struct cf_program *program)
{
   return program->stage == CF_SHADER_STAGE_GEOMETRY ? cf_geometry_outputs(program) : 0;
}

#endif
