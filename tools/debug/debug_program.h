/* SPDX-License-Identifier: MIT */
/*
 * What a person knows of the program of a task: its GLSL and lines, the names of its variables.
 * Programs of captures without notes have none of them.
 */
#ifndef DEBUG_PROGRAM_H
#define DEBUG_PROGRAM_H

#include "look/look_lines.h"
#include "look/look_state.h"

#include "debug_task.h"

#define DEBUG_LINES 2  /* of an instruction */
#define DEBUG_PARTS 64 /* components of a varying */
#define DEBUG_WORD_B 64
#define DEBUG_NO_PLACE UINT32_MAX /* of a component that the program has not */

/* A line of a GLSL source of the program; line 0: none. */
struct debug_line {
   uint32_t source; /* number in debug_program.source */
   uint32_t line;   /* in the source's text, from 1 */
};

/* A shader object's text. */
struct debug_source {
   const char *text;
   char name[96]; /* "GLSL3.frag", "GLSL3-1.frag" of a further object */
};

/* A variable that does not lie in registers. */
struct debug_variable {
   enum cf_note_field field; /* CF_NOTE_ATTRIBUTE to CF_NOTE_UNIFORM, _BLOCK, _COLOR, _LOCAL */
   struct cf_note_variable is;
   const char *declaration;
   char word[DEBUG_WORD_B];
   bool array; /* it was declared as one */
   /* of a varying: the places of its components, which may lie between those of others. Else 0 */
   uint32_t parts, place[DEBUG_PARTS];
};

struct debug_program {
   uint64_t address; /* of its descriptor */
   enum cf_shader_stage stage;
   char name[64];
   struct debug_source *source;
   uint32_t sources;
   struct debug_line (*lines)[DEBUG_LINES]; /* by instruction */
   uint32_t instrs;
   bool has_lines, has_locals;
   struct debug_source nir; /* the program's NIR; text NULL: not known */
   uint32_t *nir_line;      /* by instruction its line of this text, from 1; 0: none */
   struct debug_variable *variable;
   uint32_t variables;
};

/** Read a program that a draw with this state runs. False: out of memory. Free it in any case. What
 * it names lasts as long as the player's notes. */
bool debug_program_read(const struct look_player *player, const struct look_state *state,
                        const struct cf_decoded *decoded, struct debug_program *program);
void debug_program_free(struct debug_program *program);

/** Whether the instruction is made from the line. */
bool debug_program_has(const struct debug_program *program, uint32_t pc,
                       const struct debug_line *line);

/** Whether any instruction is made from the line. */
bool debug_program_has_code(const struct debug_program *program, const struct debug_line *line);

/** A line's text, without blanks around it; not terminated. Returns its length. */
int debug_source_line(const struct debug_source *source, uint32_t line, const char **text);

/** The number of lines of a source. */
uint32_t debug_source_lines(const struct debug_source *source);

static inline bool
debug_line_equal(const struct debug_line *a, const struct debug_line *b)
{
   return a->source == b->source && a->line == b->line;
}

#endif
