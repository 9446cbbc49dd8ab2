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
#include "look/look_file.h"
#include "look/look_image.h"
#include "look/look_ops.h"
#include "look/look_pixel.h"

#define ERROR_B 1024
#define CODE_ALIGN_B 64

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
   json_t *json =
      json_pack("{s:n, s:s, s:o, s:i, s:i, s:i}", "name", "stage",
                program.stage == CF_SHADER_STAGE_FRAGMENT ? "fragment" : "vertex", "address",
                look_json_address(address), "vector_regs", (int)program.vector_regs, "scalar_regs",
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

/* Put a program in the place of one. False: it cannot be. */
static bool
replace(const struct look_player *player, uint64_t address, const json_t *change, uint64_t *used_B)
{
   const json_t *words = json_object_get(change, "code"),
                *dwords = json_object_get(change, "descriptor");
   const struct cf_bo extra = look_player_extra(player);
   const size_t count = json_array_size(words);
   uint32_t *dw = look_player_at(player, address, 4 * CF_PROGRAM_DWORDS), packed[CF_PROGRAM_DWORDS];
   uint64_t *code = (uint64_t *)((uint8_t *)extra.map + *used_B);
   struct cf_program program;
   const char *bad_field;
   if (!dw)
      return true; /* not yet in memory */
   for (unsigned i = 0; i < CF_PROGRAM_DWORDS; i++)
      packed[i] = (uint32_t)json_integer_value(json_array_get(dwords, i));
   if (!count || *used_B + 8 * count > extra.size_B ||
       !cf_program_unpack(packed, &program, &bad_field))
      return false;
   for (size_t i = 0; i < count; i++)
      code[i] = strtoull(json_string_value(json_array_get(words, i)), NULL, 16);
   program.code = extra.address + *used_B;
   program.code_instrs = (uint32_t)count;
   cf_program_pack(dw, &program);
   *used_B += (8 * count + CODE_ALIGN_B - 1) / CODE_ALIGN_B * CODE_ALIGN_B;
   return true;
}

static bool
replace_all(const struct look_player *player, json_t *changes, char *error)
{
   uint64_t used_B = 0;
   const char *address;
   json_t *change;
   json_object_foreach(changes, address, change)
   {
      if (!replace(player, strtoull(address, NULL, 16), change, &used_B)) {
         snprintf(error, ERROR_B, "the program at %s cannot be replaced", address);
         return false;
      }
   }
   return true;
}

/* Color 0 of the submission's last draw. */
static void
find_drawn(const struct look_player *player, const struct look_submission *submission,
           struct cf_surface *surface)
{
   struct look_ops ops = { 0 };
   struct look_op op;
   look_ops_enter(&ops, submission);
   while (look_ops_next(&ops, &op)) {
      if (op.opcode == CF_OPCODE_DRAW && ops.state.framebuffer.color_count > 0)
         look_surface_at(player, ops.state.framebuffer.color[0], surface);
   }
}

static bool
write_image(const struct look_player *player, const struct cf_surface *surface, const char *path,
            char *error)
{
   struct look_image image;
   struct look_file file;
   uint32_t pixel[4];
   if (!surface->width_px || !look_image_of(player, surface, &image)) {
      snprintf(error, ERROR_B, "the capture draws no picture");
      return false;
   }
   if (!look_file_begin(&file, path, error, ERROR_B))
      return false;
   for (uint32_t y = 0; y < image.image.height_px; y++) {
      for (uint32_t x = 0; x < image.image.width_px; x++) {
         look_image_pixel(&image, x, y, 0, pixel);
         fwrite(pixel, 1, image.image.format->pixel_B, file.file);
      }
   }
   printf("%u %u %s %u\n", image.image.width_px, image.image.height_px, image.image.format->name,
          image.image.format->pixel_B);
   return look_file_end(&file, true, error, ERROR_B);
}

static int
play(struct look_player *player, json_t *changes, const char *path, char *error)
{
   struct cf_surface surface = { 0 }, presented;
   struct look_submission submission;
   int more;
   while ((more = look_player_next(player, &submission, error, ERROR_B)) > 0) {
      if (!replace_all(player, changes, error))
         return 1;
      find_drawn(player, &submission, &surface);
      look_player_run(player, &submission);
   }
   if (more < 0 || !look_player_went_well(player, error, ERROR_B))
      return 1;
   if (look_player_presented(player, &presented))
      surface = presented;
   return write_image(player, &surface, path, error) ? 0 : 1;
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
