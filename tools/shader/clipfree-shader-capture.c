/* SPDX-License-Identifier: MIT */
/*
 * Programs of a capture, for clipfree shader.
 *
 *    clipfree-shader-capture CAPTURE                      its programs as JSON, as CLIPFREE_SHADERS
 * has them clipfree-shader-capture CAPTURE CHANGES IMAGE        play it with other programs
 *
 * CHANGES is JSON: {"ADDRESS of a descriptor": {"descriptor": [dwords], "code": ["16 digits",
 * ...]}}; IMAGE gets the picture: what was presented last, or color 0 of the last draw. Its bytes,
 * row by row; its size and format are printed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/isa/cf_asm.h"
#include "look/look_change.h"
#include "look/look_ops.h"
#include "look/look_pixel.h"

#define ERROR_B 1024

/* ------------------------------------------------------------------ the programs */

static const char *const variable_kinds[] = {
   [CF_NOTE_ATTRIBUTE] = "attribute",
   [CF_NOTE_INPUT] = "input",
   [CF_NOTE_OUTPUT] = "output",
   [CF_NOTE_UNIFORM] = "uniform",
};
static const char *const scalars[] = { "float", "int", "uint", "bool", "sampler" };

static json_t *
variable_json(const struct cf_note_part *part)
{
   const struct cf_note_variable *v = &part->variable;
   return json_pack("{s:s, s:i, s:i, s:i, s:s, s:i, s:i, s:s}", "kind", variable_kinds[part->field],
                    "place", (int)v->place, "stride", (int)v->stride_dw, "elements",
                    (int)v->elements, "scalar",
                    scalars[v->scalar <= CF_NOTE_SAMPLER ? v->scalar : 0], "rows", v->rows,
                    "columns", v->columns, "declaration", part->text);
}

/* What the notes of a descriptor say. */
static void
add_notes(json_t *program, const struct look_notes *notes, uint64_t address)
{
   json_t *sources = json_array(), *variables = json_array(), *lines = json_array();
   struct cf_note_part part;
   size_t at = 0;
   if (look_notes_next(notes, address, CF_NOTE_NAME, &at, &part))
      json_object_set_new(program, "name", json_string(part.text));
   for (at = 0; look_notes_next(notes, address, CF_NOTE_SOURCE, &at, &part);)
      json_array_append_new(sources, json_string(part.text));
   for (enum cf_note_field field = CF_NOTE_ATTRIBUTE; field <= CF_NOTE_UNIFORM; field++) {
      for (at = 0; look_notes_next(notes, address, field, &at, &part);)
         json_array_append_new(variables, variable_json(&part));
   }
   for (at = 0; look_notes_next(notes, address, CF_NOTE_LINES, &at, &part);) {
      for (uint32_t i = 0; i < part.count; i++) {
         const struct cf_note_line l = cf_note_line(&part, i);
         json_array_append_new(lines, json_pack("[i, i, i, i, i]", (int)l.instr, l.object, l.string,
                                                (int)l.line, (int)l.text_line));
      }
   }
   json_object_set_new(program, "sources", sources);
   json_object_set_new(program, "variables", variables);
   json_object_set_new(program, "lines", lines);
}

static json_t *
code_json(const uint64_t *code, uint32_t count)
{
   json_t *words = json_array();
   for (uint32_t i = 0; i < count; i++) {
      char word[17];
      snprintf(word, sizeof(word), "%016" PRIx64, code[i]);
      json_array_append_new(words, json_string(word));
   }
   return words;
}

static json_t *
program_json(const struct look_player *player, uint64_t address)
{
   struct cf_program program;
   const char *bad_field;
   const uint32_t *dw = look_player_at(player, address, 4 * CF_PROGRAM_DWORDS);
   if (!dw || !cf_program_unpack(dw, &program, &bad_field))
      return NULL;
   const uint64_t *code = look_player_at(player, program.code, 8 * (uint64_t)program.code_instrs);
   if (!code)
      return NULL;
   json_t *json = json_pack(
      "{s:n, s:s, s:o, s:i, s:i, s:i}", "name", "stage", cf_shader_stage_name(program.stage),
      "address", look_json_address(address), "vector_regs", (int)program.vector_regs, "scalar_regs",
      (int)program.scalar_regs, "scratch", (int)program.scratch_dwords);
   json_t *descriptor = json_array();
   for (unsigned i = 0; i < CF_PROGRAM_DWORDS; i++)
      json_array_append_new(descriptor, json_integer(dw[i]));
   json_object_set_new(json, "descriptor", descriptor);
   json_object_set_new(json, "code", code_json(code, program.code_instrs));
   add_notes(json, look_player_notes(player), address);
   return json;
}

/* Add the programs that draws of a submission use; `seen` has their addresses. */
static void
add_programs(json_t *programs, json_t *seen, const struct look_player *player, struct look_ops *ops,
             const struct look_submission *submission)
{
   struct look_op op;
   look_ops_enter(ops, submission);
   while (look_ops_next(ops, &op)) {
      for (unsigned stage = 0; op.opcode == CF_OPCODE_DRAW && stage < LOOK_STAGES; stage++) {
         const uint64_t address = ops->state.shader[stage].program;
         char key[24];
         snprintf(key, sizeof(key), "0x%" PRIx64, address);
         json_t *program = json_object_get(seen, key) ? NULL : program_json(player, address);
         json_object_set_new(seen, key, json_true());
         if (program)
            json_array_append_new(programs, program);
      }
   }
}

static int
list(struct look_player *player, char *error)
{
   json_t *programs = json_array(), *seen = json_object(), *all;
   struct look_submission submission;
   struct look_ops ops = { 0 };
   int more;
   while ((more = look_player_next(player, &submission, error, ERROR_B)) > 0)
      add_programs(programs, seen, player, &ops, &submission);
   all = json_pack("{s:i, s:o}", "version", 1, "programs", programs);
   if (more == 0)
      json_dumpf(all, stdout, 0);
   json_decref(seen);
   json_decref(all);
   return more == 0 ? 0 : 1;
}

/* ------------------------------------------------------------------ other programs */

static int
play(struct look_player *player, json_t *changes, const char *path, char *error)
{
   struct cf_surface surface = { 0 }, presented;
   struct look_submission submission;
   int more;
   look_player_leave_drawn(player);
   while ((more = look_player_next(player, &submission, error, ERROR_B)) > 0) {
      if (!look_change_programs(player, changes, error, ERROR_B))
         return 1;
      look_last_drawn(player, &submission, &surface);
      look_player_run(player, &submission);
   }
   if (more < 0 || !look_player_went_well(player, error, ERROR_B))
      return 1;
   if (look_player_presented(player, &presented))
      surface = presented;
   return look_write_pixels(player, &surface, path, error, ERROR_B) ? 0 : 1;
}

int
main(int argc, char **argv)
{
   const struct cf_model_config config = { .threads = -1 };
   char error[ERROR_B] = "";
   if (argc != 2 && argc != 4) {
      fprintf(
         stderr,
         "usage: clipfree-shader-capture CAPTURE [CHANGES IMAGE]; './clipfree shader --help'\n");
      return 2;
   }
   struct look_player *player =
      look_player_open(argv[1], argc == 4 ? &config : NULL, error, ERROR_B);
   json_t *changes = argc == 4 ? json_load_file(argv[2], 0, NULL) : NULL;
   int status = 1;
   if (player && argc == 4 && !changes)
      snprintf(error, ERROR_B, "%s is not JSON", argv[2]);
   else if (player)
      status = argc == 4 ? play(player, changes, argv[3], error) : list(player, error);
   if (status)
      fprintf(stderr, "clipfree-shader-capture: %s\n", error);
   json_decref(changes);
   if (player)
      look_player_close(player);
   return status;
}
