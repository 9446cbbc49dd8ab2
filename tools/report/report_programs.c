/* SPDX-License-Identifier: MIT */
#include "report_programs.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/isa/cf_asm.h"
#include "clipfree/isa/cf_isa_code.h"

#include "look/look_lines.h"

#include "report_alloc.h"

/* ------------------------------------------------------------------ which program */

static bool
is_same(const struct report_program *a, const struct report_program *b)
{
   return a->stage == b->stage && a->instrs == b->instrs && json_equal(a->name, b->name) &&
          json_equal(a->sources, b->sources) &&
          !memcmp(a->code, b->code, a->instrs * sizeof(a->code[0]));
}

static void
free_program(struct report_program *program)
{
   json_decref(program->name);
   json_decref(program->sources);
   json_decref(program->lines);
   free(program->code);
   free(program->instr);
   free(program);
}

/* The lines of GLSL that an instruction is of, each with the number of its source. */
static json_t *
lines_json(const struct look_notes *notes, uint64_t descriptor, uint32_t instr)
{
   struct look_line line[LOOK_MAX_LINES];
   json_t *lines = json_array();
   const unsigned count = look_lines(notes, descriptor, instr, line);
   for (unsigned i = 0; i < count; i++) {
      json_t *json = json_object();
      json_object_set_new(json, "source", json_integer(line[i].is.object));
      json_object_set_new(json, "line", json_integer(line[i].is.text_line));
      json_array_append_new(lines, json);
   }
   return lines;
}

/* What the notes say of it. */
static void
add_notes(struct report_program *program, const struct look_notes *notes, uint64_t descriptor)
{
   struct cf_note_part part;
   size_t at = 0;
   program->name = look_notes_next(notes, descriptor, CF_NOTE_NAME, &at, &part)
                      ? json_string(part.text)
                      : json_null();
   program->sources = json_array();
   for (at = 0; look_notes_next(notes, descriptor, CF_NOTE_SOURCE, &at, &part);)
      json_array_append_new(program->sources, json_string(part.text));
   program->lines = json_array();
   for (uint32_t i = 0; i < program->instrs; i++)
      json_array_append_new(program->lines, lines_json(notes, descriptor, i));
}

static struct report_program *
read_program(const struct look_player *player, uint64_t descriptor)
{
   struct cf_program packed;
   const char *bad_field;
   const uint32_t *dw = descriptor && descriptor % 4 == 0
                           ? look_player_at(player, descriptor, 4 * CF_PROGRAM_DWORDS)
                           : NULL;
   if (!dw || !cf_program_unpack(dw, &packed, &bad_field))
      return NULL;
   const size_t size_B = packed.code_instrs * sizeof(uint64_t);
   const void *code = look_player_at(player, packed.code, size_B);
   if (!code)
      return NULL;
   struct report_program *program = report_alloc(1, sizeof(*program));
   program->stage = packed.stage;
   program->instrs = packed.code_instrs;
   program->code = report_alloc(packed.code_instrs, sizeof(uint64_t));
   program->instr = report_alloc(packed.code_instrs, sizeof(struct report_instr));
   memcpy(program->code, code, size_B);
   add_notes(program, look_player_notes(player), descriptor);
   return program;
}

struct report_program *
report_program_at(struct report_programs *programs, const struct look_player *player,
                  uint64_t descriptor)
{
   struct report_program *found = read_program(player, descriptor);
   for (size_t i = 0; found && i < programs->count; i++) {
      if (is_same(programs->program[i], found)) {
         free_program(found);
         return programs->program[i];
      }
   }
   if (!found)
      return NULL;
   found->number = (uint32_t)programs->count;
   programs->program =
      report_grow(programs->program, programs->count, sizeof(programs->program[0]));
   programs->program[programs->count++] = found;
   return found;
}

void
report_programs_free(struct report_programs *programs)
{
   for (size_t i = 0; i < programs->count; i++)
      free_program(programs->program[i]);
   free(programs->program);
}

/* ------------------------------------------------------------------ JSON */

json_t *
report_counts_json(const struct report_count_name *table, size_t count, const void *counts)
{
   json_t *object = json_object();
   for (size_t i = 0; i < count; i++) {
      const uint64_t *value = (const uint64_t *)((const char *)counts + table[i].offset);
      json_t *group = table[i].group ? json_object_get(object, table[i].group) : object;
      if (!group) {
         group = json_object();
         json_object_set_new(object, table[i].group, group);
      }
      json_object_set_new(group, table[i].name, json_integer((json_int_t)*value));
   }
   return object;
}

static bool
has_condition(enum cf_op op)
{
   return cf_op_info(op)->form == CF_FORM_FLOW;
}

static json_t *
instr_json(uint64_t word, const struct report_instr *counts, json_t *lines)
{
   struct cf_instr instr;
   char text[128] = "?";
   json_t *json = json_object();
   const char *undefined;
   const bool known = cf_instr_decode(word, &instr, &undefined);
   if (known)
      cf_disassemble_instr(&instr, text, sizeof(text));
   json_object_set_new(json, "text", json_string(text));
   json_object_set_new(json, "runs", json_integer((json_int_t)counts->runs));
   json_object_set_new(json, "live", json_integer((json_int_t)counts->live));
   json_object_set_new(json, "branched", json_integer((json_int_t)counts->branched));
   json_object_set_new(json, "divergent", json_integer((json_int_t)counts->divergent));
   if (known && instr.op == CF_OP_TEX)
      json_object_set_new(json, "texels", json_integer((json_int_t)counts->texels));
   if (known && has_condition(instr.op)) {
      json_object_set_new(json, "taken", json_integer((json_int_t)counts->taken));
      json_object_set_new(json, "not_taken", json_integer((json_int_t)counts->not_taken));
   }
   if (json_array_size(lines))
      json_object_set(json, "lines", lines);
   return json;
}

json_t *
report_program_json(const struct report_program *program)
{
   json_t *json = json_object(), *instructions = json_array();
   for (uint32_t i = 0; i < program->instrs; i++)
      json_array_append_new(instructions, instr_json(program->code[i], &program->instr[i],
                                                     json_array_get(program->lines, i)));
   json_object_set_new(json, "program", json_integer(program->number));
   json_object_set_new(json, "stage", json_string(cf_shader_stage_name(program->stage)));
   json_object_set(json, "name", program->name);
   json_object_set_new(json, "draws", json_integer(program->draws));
   json_object_set_new(json, "sum",
                       report_counts_json(report_stage_table, report_stage_count, &program->sum));
   json_object_set(json, "sources", program->sources);
   json_object_set_new(json, "instructions", instructions);
   return json;
}
