/* SPDX-License-Identifier: MIT */
/*
 * NIR as text, in which each instruction's line is known. NIR prints an annotation behind an
 * instruction; here all instructions have the same one, which is taken out again.
 */
#include "cf_nir.h"

#include <string.h>

#include "util/hash_table.h"

#define MARK "@"
#define MARK_LINES MARK "\n\n" /* as NIR prints it */
#define COMMENT "  // line "   /* before numbers of lines, in a scale of NIR's own */

static char *
print_marked(void *mem_ctx, nir_shader *nir)
{
   struct hash_table *marks = _mesa_pointer_hash_table_create(mem_ctx);
   nir_foreach_block(block, nir_shader_get_entrypoint(nir)) {
      nir_foreach_instr(instr, block)
         _mesa_hash_table_insert(marks, instr, (void *)MARK);
   }
   char *text = nir_shader_as_str_annotated(nir, marks, mem_ctx);
   _mesa_hash_table_destroy(marks, NULL);
   return text;
}

/* The instruction after this one, in the order of the text. NULL: the last; of NULL the first. */
static nir_instr *
next_instr(nir_function_impl *impl, nir_instr *instr)
{
   nir_block *block = instr ? instr->block : nir_start_block(impl);
   nir_instr *next = instr ? nir_instr_next(instr) : nir_block_first_instr(block);
   while (!next && (block = nir_block_cf_tree_next(block)))
      next = nir_block_first_instr(block);
   return next;
}

/* Whether a line is the first after NIR's facts about the shader. */
static bool
begins_code(const char *line)
{
   return !strncmp(line, "decl_", strlen("decl_")) || !strncmp(line, "impl ", strlen("impl "));
}

static const char *
line_after(const char *line)
{
   const char *end = line + strcspn(line, "\n");
   return end + (*end == '\n');
}

/* The length of a line without its comment on lines. */
static size_t
length_of(const char *line)
{
   const size_t length = strcspn(line, "\n");
   const char *comment = strstr(line, COMMENT);
   return comment && comment < line + length ? (size_t)(comment - line) : length;
}

char *
cf_nir_text(void *mem_ctx, nir_shader *nir)
{
   char *text = print_marked(mem_ctx, nir);
   if (!text)
      return NULL;
   nir_instr *instr = NULL;
   uint32_t lines = 0;
   char *out = text;

   const char *line = text;
   while (*line && !begins_code(line))
      line = line_after(line);
   while (*line) {
      const size_t length = length_of(line);
      const char *next = line_after(line);
      memmove(out, line, length);
      out += length;
      *out++ = '\n';
      lines++;
      if (!strncmp(next, MARK_LINES, strlen(MARK_LINES))) {
         instr = next_instr(nir_shader_get_entrypoint(nir), instr);
         instr->index = lines;
         next += strlen(MARK_LINES);
      }
      line = next;
   }
   *out = 0;
   return text;
}
