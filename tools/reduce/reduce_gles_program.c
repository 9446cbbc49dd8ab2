/* SPDX-License-Identifier: MIT */
/*
 * Programs, from their notes: GLSL, and the names of uniforms with their values in constant bank 0.
 */
#include "reduce_gles_draw.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reduce_case.h"

/* ------------------------------------------------------------------ GLSL */

/* The GLSL of a program. NULL: it has none, or that of several shaders. */
static const char *
source_of(const struct reduce_gles *g, uint64_t program)
{
   const struct look_notes *notes = look_player_notes(g->player);
   struct cf_note_part part, other;
   size_t at = 0;
   if (!look_notes_next(notes, program, CF_NOTE_SOURCE, &at, &part))
      return NULL;
   return look_notes_next(notes, program, CF_NOTE_SOURCE, &at, &other) ? NULL : part.text;
}

/* Whether GLSL is of the desktop's OpenGL. */
static bool
is_desktop(const char *source)
{
   static const char *const words[] = {
      "ftransform",   "gl_Vertex",      "gl_Normal",     "gl_Color",     "gl_MultiTexCoord",
      "gl_TexCoord",  "gl_ModelView",   "gl_Projection", "gl_NormalMat", "gl_FrontColor",
      "gl_BackColor", "gl_LightSource", "gl_Fog",        "texture1D",    "texture3D",
      "shadow1D",     "shadow2D",
   };
   const char *version = strstr(source, "#version");
   if (version && strtoul(version + strlen("#version"), NULL, 10) != 100)
      return true;
   for (uint32_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
      if (strstr(source, words[i]))
         return true;
   }
   return false;
}

/* A text as a C string of a line each. */
static void
put_text(struct reduce_gles *g, const char *name, const char *text)
{
   fprintf(g->arrays, "static const char %s_%u[] =\n   \"", name, g->number);
   for (; *text; text++) {
      const unsigned char c = (unsigned char)*text;
      if (c == '\n')
         fputs(text[1] ? "\\n\"\n   \"" : "\\n", g->arrays);
      else if (c == '"' || c == '\\' || c == '?')
         fprintf(g->arrays, "\\%c", c);
      else if (c < ' ' || c > '~')
         fprintf(g->arrays, "\\%03o", c);
      else
         fputc(c, g->arrays);
   }
   fputs("\";\n", g->arrays);
}

static void
put_shader(struct reduce_gles *g, const struct look_state *state, enum cf_shader_stage stage)
{
   const char *name = cf_shader_stage_name(stage);
   const char *source = source_of(g, state->shader[stage].program);
   if (!source)
      reduce_gles_fail(g, "its %s program has no GLSL", name);
   else if (is_desktop(source))
      reduce_gles_fail(g, "its %s program is in the GLSL of the desktop's OpenGL", name);
   else
      put_text(g, name, source);
}

/* ------------------------------------------------------------------ uniforms */

/* The dwords of a uniform, element after element, column after column. */
static void
read_uniform(const struct reduce_gles *g, const struct cf_constants *bank,
             const struct cf_note_variable *v, uint32_t *to)
{
   for (uint32_t i = 0; i < v->elements * v->columns; i++) {
      for (uint32_t row = 0; row < v->rows; row++, to++) {
         const uint64_t at = 4 * ((uint64_t)v->place + (uint64_t)i * v->stride_dw + row);
         const uint32_t *dw =
            at + 4 <= bank->size_B ? look_player_at(g->player, bank->address + at, 4) : NULL;
         *to = dw ? *dw : 0;
      }
   }
}

static void
put_integers(struct reduce_gles *g, const char *name, const uint32_t *dw, uint32_t count,
             bool is_bool)
{
   fprintf(g->arrays, "static const int %s[] = {", name);
   for (uint32_t i = 0; i < count; i++)
      fprintf(g->arrays, " %" PRId32 ",", is_bool ? dw[i] != 0 : (int32_t)dw[i]);
   fputs(" };\n", g->arrays);
}

static void
put_uniform(struct reduce_gles *g, const struct cf_constants *bank, const struct cf_note_part *part,
            uint32_t number)
{
   const struct cf_note_variable *v = &part->variable;
   const uint32_t count = v->elements * v->rows * v->columns;
   const bool is_float = v->scalar == CF_NOTE_FLOAT;
   uint32_t *dw = reduce_allocate(count * sizeof(*dw));
   char array[64];
   const char *word;
   const int length = look_note_word(part->text, &word);
   snprintf(array, sizeof(array), "uniform_%u_%u", g->number, number);
   read_uniform(g, bank, v, dw);
   if (is_float)
      reduce_gles_floats(g, array, (const float *)dw, count);
   else
      put_integers(g, array, dw, count, v->scalar == CF_NOTE_BOOL);
   if (v->columns > 1)
      fprintf(g->calls, "   glUniformMatrix%ufv(", v->columns);
   else
      fprintf(g->calls, "   glUniform%u%cv(", v->rows, is_float ? 'f' : 'i');
   fprintf(g->calls, "glGetUniformLocation(program, \"%.*s\"), %u, %s(const void *)%s);\n", length,
           word, v->elements, v->columns > 1 ? "GL_FALSE, " : "", array);
   if (v->columns > 1 && v->rows != v->columns)
      reduce_gles_fail(g, "a uniform is a matrix of %u x %u", v->columns, v->rows);
   free(dw);
}

static uint32_t
put_uniforms(struct reduce_gles *g, const struct look_state *state, enum cf_shader_stage stage,
             uint32_t number)
{
   struct cf_note_part part;
   size_t at = 0;
   while (look_notes_next(look_player_notes(g->player), state->shader[stage].program,
                          CF_NOTE_UNIFORM, &at, &part)) {
      if (part.variable.scalar != CF_NOTE_SAMPLER)
         put_uniform(g, &state->constants[stage][0], &part, number++);
   }
   return number;
}

void
reduce_gles_program(struct reduce_gles *g, const struct look_state *state)
{
   put_shader(g, state, CF_SHADER_STAGE_VERTEX);
   put_shader(g, state, CF_SHADER_STAGE_FRAGMENT);
   if (g->error[0])
      return;
   fprintf(g->calls, "   const GLuint program = use_program(vertex_%u, fragment_%u);\n", g->number,
           g->number);
   const uint32_t number = put_uniforms(g, state, CF_SHADER_STAGE_VERTEX, 0);
   put_uniforms(g, state, CF_SHADER_STAGE_FRAGMENT, number);
   const uint32_t unit = reduce_gles_textures(g, state, CF_SHADER_STAGE_VERTEX, 0);
   reduce_gles_textures(g, state, CF_SHADER_STAGE_FRAGMENT, unit);
}
