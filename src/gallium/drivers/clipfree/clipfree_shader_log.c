/* SPDX-License-Identifier: MIT */
#include "clipfree_shader_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/nir/nir.h"
#include "util/simple_mtx.h"
#include "util/u_debug.h"
#include "util/u_memory.h"

#include "clipfree_context.h"
#include "clipfree_notes.h"
#include "clipfree_options.h"
#include "clipfree_program.h"
#include "clipfree_screen.h"

struct cf_shader_log {
   FILE *file;
   bool passes; /* with the program after each pass */
   simple_mtx_t lock;
};

/* The passes of the shader that is being compiled, as elements of an array in JSON. */
struct cf_pass_log {
   FILE *file;
   char *text;
   size_t size_B;
};

/* ------------------------------------------------------------------ JSON */

static void
write_text(FILE *file, const char *text)
{
   putc('"', file);
   for (; *text; text++) {
      const unsigned char c = *text;
      if (c == '"' || c == '\\')
         fprintf(file, "\\%c", c);
      else if (c == '\n')
         fputs("\\n", file);
      else if (c < ' ' || c > '~') /* GLSL's comments may hold any byte */
         fprintf(file, "\\u%04x", c);
      else
         putc(c, file);
   }
   putc('"', file);
}

static void
write_name(FILE *file, const char *name, const char *text)
{
   fprintf(file, ", \"%s\": ", name);
   if (text)
      write_text(file, text);
   else
      fputs("null", file);
}

static void
write_variable(FILE *file, const char *kind, const struct cf_note_part *part)
{
   static const char *const scalars[] = { "float", "int", "uint", "bool", "sampler" };
   const struct cf_note_variable *v = &part->variable;
   fprintf(file, "{\"kind\": \"%s\", \"place\": %u, \"stride\": %u, \"elements\": %u, ", kind,
           v->place, v->stride_dw, v->elements);
   fprintf(file, "\"scalar\": \"%s\", \"rows\": %u, \"columns\": %u",
           scalars[MIN2(v->scalar, CF_NOTE_SAMPLER)], v->rows, v->columns);
   write_name(file, "declaration", part->text);
   putc('}', file);
}

static void
write_sources(FILE *file, const struct cf_note *note)
{
   struct cf_note_part part;
   const char *separator = "";
   fputs(", \"sources\": [", file);
   for (size_t at = 0; cf_note_next(note->data, note->size_B, &at, &part);) {
      if (part.field != CF_NOTE_SOURCE)
         continue;
      fputs(separator, file);
      write_text(file, part.text);
      separator = ", ";
   }
   putc(']', file);
}

/* Uniforms, which GL knows, or what NIR knows. */
static void
write_variables(FILE *file, const struct cf_note *note, bool uniforms)
{
   static const char *const kinds[] = {
      [CF_NOTE_ATTRIBUTE] = "attribute",
      [CF_NOTE_INPUT] = "input",
      [CF_NOTE_OUTPUT] = "output",
      [CF_NOTE_UNIFORM] = "uniform",
      [CF_NOTE_LOCAL] = "local",
   };
   struct cf_note_part part;
   const char *separator = "";
   fputs(", \"variables\": [", file);
   for (size_t at = 0; cf_note_next(note->data, note->size_B, &at, &part);) {
      if (part.field >= ARRAY_SIZE(kinds) || !kinds[part.field] ||
          (part.field == CF_NOTE_UNIFORM) != uniforms)
         continue;
      fputs(separator, file);
      write_variable(file, kinds[part.field], &part);
      separator = ", ";
   }
   putc(']', file);
}

static void
write_lines(FILE *file, const struct cf_binary *binary)
{
   fputs(", \"lines\": [", file);
   for (uint32_t i = 0; i < binary->line_count; i++) {
      const struct cf_note_line *line = &binary->lines[i];
      fprintf(file, "%s[%u, %u, %u, %u, %u]", i ? ", " : "", line->instr, line->object,
              line->string, line->line, line->text_line);
   }
   putc(']', file);
}

static void
write_code(FILE *file, const struct cf_binary *binary)
{
   const struct cf_program *program = &binary->program;
   uint32_t dw[CF_PROGRAM_DWORDS];
   fprintf(file, ", \"vector_regs\": %u, \"scalar_regs\": %u, \"spills\": %u, \"scratch\": %u",
           program->vector_regs, program->scalar_regs, binary->spills, program->scratch_dwords);
   cf_program_pack(dw, program);
   fputs(", \"descriptor\": [", file);
   for (unsigned i = 0; i < CF_PROGRAM_DWORDS; i++)
      fprintf(file, "%s%" PRIu32, i ? ", " : "", dw[i]);
   fputs("], \"code\": [", file);
   for (unsigned i = 0; i < program->code_instrs; i++)
      fprintf(file, "%s\"%016" PRIx64 "\"", i ? ", " : "", binary->code[i]);
   putc(']', file);
   fputs(", \"locations\": [", file);
   for (unsigned i = 0; i < binary->varying_slots; i++)
      fprintf(file, "%s%u", i ? ", " : "", binary->location[i]);
   putc(']', file);
   write_lines(file, binary);
}

/* ------------------------------------------------------------------ shaders */

static void
take_pass(void *user, const char *stage, const char *text)
{
   struct cf_pass_log *passes = user;
   if (!passes->file)
      passes->file = open_memstream(&passes->text, &passes->size_B);
   else
      fputs(", ", passes->file);
   if (!passes->file)
      return;
   fputs("{\"after\": ", passes->file);
   write_text(passes->file, stage);
   write_name(passes->file, "text", text);
   putc('}', passes->file);
}

void
cf_shader_log_begin(struct cf_shader_log *log, struct cf_compile_options *options)
{
   if (!log || !log->passes)
      return;
   options->user = CALLOC_STRUCT(cf_pass_log);
   options->look = options->user ? take_pass : NULL;
}

static void
write_passes(FILE *file, struct cf_pass_log *passes)
{
   if (passes->file && fclose(passes->file) == 0)
      fprintf(file, ", \"passes\": [%s]", passes->text);
   free(passes->text);
   FREE(passes);
}

void
cf_shader_log_end(struct cf_screen *screen, const struct cf_shader_object *shader,
                  const struct cf_compile_options *options, const struct cf_binary *binary)
{
   struct cf_shader_log *log = screen->shader_log;
   if (!log)
      return;
   struct cf_note note =
      binary->error ? (struct cf_note){ 0 } : cf_note_of_binary(screen, shader, binary);
   simple_mtx_lock(&log->lock);
   fprintf(log->file, "{\"stage\": \"%s\"", cf_shader_stage_name(shader->stage));
   write_name(log->file, "name", shader->nir->info.name);
   fprintf(log->file, ", \"flat\": %s", options->flat_shade_colors ? "true" : "false");
   write_name(log->file, "error", binary->error);
   if (!binary->error) {
      write_variables(log->file, &note, false);
      write_code(log->file, binary);
   }
   if (options->user)
      write_passes(log->file, options->user);
   fputs("}\n", log->file);
   fflush(log->file);
   simple_mtx_unlock(&log->lock);
   cf_note_free(&note);
}

void
cf_shader_log_link(struct cf_shader_log *log, const char *name, const void *fields, uint32_t size_B)
{
   const enum cf_shader_stage stage = cf_stage_of((enum pipe_shader_type)atoi(name));
   struct cf_note note = { 0 };
   if (!log)
      return;
   cf_note_add_fields(&note, fields, size_B);
   simple_mtx_lock(&log->lock);
   fprintf(log->file, "{\"noted\": \"%s\"", cf_shader_stage_name(stage));
   write_name(log->file, "name", strchrnul(name, ' ') + 1);
   write_sources(log->file, &note);
   write_variables(log->file, &note, true);
   fputs("}\n", log->file);
   fflush(log->file);
   simple_mtx_unlock(&log->lock);
   cf_note_free(&note);
}

/* ------------------------------------------------------------------ the file */

static bool
open_log(struct cf_shader_log *log, const char *value)
{
   const struct cf_option *option = &cf_driver_options[CF_OPTION_SHADERS];
   const char *comma = strchrnul(value, ',');
   log->passes = !strcmp(comma, ",passes");
   if (strncmp(value, "file=", 5) || comma == value + 5 || (*comma && !log->passes)) {
      fprintf(stderr, "clipfree: %s\n", cf_option_message(option));
      return false;
   }
   char *path = strndup(value + 5, comma - (value + 5));
   log->file = path ? fopen(path, "ae") : NULL;
   if (!log->file)
      fprintf(stderr, "clipfree: CLIPFREE_SHADERS: %s: %s\n", path, strerror(errno));
   free(path);
   return log->file;
}

bool
cf_screen_init_shader_log(struct cf_screen *screen)
{
   const char *value = cf_option_value(&cf_driver_options[CF_OPTION_SHADERS]);
   if (!value || !__normal_user())
      return true;
   struct cf_shader_log *log = CALLOC_STRUCT(cf_shader_log);
   if (!log || !open_log(log, value)) {
      FREE(log);
      return false;
   }
   simple_mtx_init(&log->lock, mtx_plain);
   screen->shader_log = log;
   return true;
}

void
cf_screen_fini_shader_log(struct cf_screen *screen)
{
   struct cf_shader_log *log = screen->shader_log;
   if (!log)
      return;
   fclose(log->file);
   simple_mtx_destroy(&log->lock);
   FREE(log);
}
