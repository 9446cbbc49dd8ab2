/* SPDX-License-Identifier: MIT */
/*
 * Values of a task where it stands, in a lane: of GLSL's variables that lie outside of registers,
 * of registers, and of what the lines have computed so far.
 */
#ifndef DEBUG_VALUES_H
#define DEBUG_VALUES_H

#include <jansson.h>

#include "look/look_state.h"

#include "debug_program.h"

#define DEBUG_VALUE_B 40

/* What values are read from. */
struct debug_view {
   struct debug_task *task;
   const struct debug_program *program;
   const struct look_player *player;
   const struct look_state *state;
   uint32_t lane;
};

enum debug_group {
   DEBUG_LOCALS,  /* of programs that keep them: CLIPFREE_DEBUG=variables */
   DEBUG_RESULTS, /* what the instructions of the current line have computed */
   DEBUG_INPUTS,  /* varyings or attributes */
   DEBUG_UNIFORMS,
   DEBUG_SAMPLERS,
   DEBUG_OUTPUTS,
   DEBUG_SYSTEM, /* gl_FragCoord, ... */
   DEBUG_REGISTERS,
};
#define DEBUG_GROUPS 8

/** Its name in front ends: "Varyings", ... */
const char *debug_group_name(enum debug_group group, enum cf_shader_stage stage);

/** The values of a group: [{"name", "value", "type", "evaluate" (an expression), "children": of
 * vectors, matrices and arrays}]. `line`: the current one, of DEBUG_RESULTS. */
json_t *debug_values(const struct debug_view *view, enum debug_group group,
                     const struct debug_line *line);

/** The variable of a name: of locals with the same name the one that was assigned last. NULL: there
 * is none. */
const struct debug_variable *debug_variable_find(const struct debug_view *view, const char *word);

/** The number of components of a variable. */
uint32_t debug_variable_components(const struct debug_variable *variable);

/** Where a component is: a dword of uniforms, varyings or locals, by the variable's kind. */
uint32_t debug_variable_place(const struct debug_variable *variable, uint32_t component);

/** A component: those of element 0 first, in it those of column 0. False: it has no value (yet). */
bool debug_variable_read(const struct debug_view *view, const struct debug_variable *variable,
                         uint32_t component, uint32_t *bits);

/** A number that a program has without a note: gl_FragCoord, gl_Position, gl_FragColor, ... False:
 * the program has it not, or not yet. count: its components. */
bool debug_builtin_read(const struct debug_view *view, const char *name, uint32_t component,
                        uint32_t *bits, uint32_t *count, enum cf_note_scalar *scalar);

/** An output of the program, by its number. False: it was not written (yet). */
bool debug_output_read(const struct debug_view *view, uint32_t index, uint32_t *bits);

/** A register's value: "v3", "s0", "u7". False: it has none (yet). */
bool debug_register_read(const struct debug_view *view, char kind, uint32_t index, uint32_t *bits);

/** A value as text. */
void debug_value_text(uint32_t bits, enum cf_note_scalar scalar, char text[DEBUG_VALUE_B]);

#endif
