/* SPDX-License-Identifier: MIT */
#include "debug_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more entry. NULL: out of memory. */
static void *
grow(void **entries, uint32_t count, size_t entry_B)
{
   void *grown = realloc(*entries, (count + 1) * entry_B);
   if (!grown)
      return NULL;
   *entries = grown;
   memset((char *)grown + count * entry_B, 0, entry_B);
   return (char *)grown + count * entry_B;
}

/* ------------------------------------------------------------------ sources and lines */

static bool
read_sources(struct debug_program *p, const struct look_notes *notes)
{
   struct cf_note_part part;
   size_t at = 0;
   if (look_notes_next(notes, p->address, CF_NOTE_NAME, &at, &part))
      snprintf(p->name, sizeof(p->name), "%s", part.text);
   for (at = 0; look_notes_next(notes, p->address, CF_NOTE_SOURCE, &at, &part);) {
      struct debug_source *source = grow((void **)&p->source, p->sources, sizeof(*source));
      char object[16] = "";
      if (!source)
         return false;
      if (p->sources)
         snprintf(object, sizeof(object), "-%u", p->sources);
      source->text = part.text;
      snprintf(source->name, sizeof(source->name), "%s%s.%s", p->name[0] ? p->name : "shader",
               object, cf_stage_suffix(p->stage));
      p->sources++;
   }
   return true;
}

static bool
read_lines(struct debug_program *p, const struct look_notes *notes)
{
   struct look_line line[LOOK_MAX_LINES];
   p->lines = calloc(p->instrs, sizeof(*p->lines));
   for (uint32_t pc = 0; p->lines && pc < p->instrs; pc++) {
      const unsigned count = look_lines(notes, p->address, pc, line);
      for (unsigned i = 0; i < count && i < DEBUG_LINES; i++) {
         if (line[i].is.object < p->sources)
            p->lines[pc][i] = (struct debug_line){ line[i].is.object, line[i].is.text_line };
      }
      p->has_lines |= p->lines[pc][0].line != 0;
   }
   return p->lines;
}

/* Captures of before notes had NIR have none. */
static bool
read_nir(struct debug_program *p, const struct look_notes *notes)
{
   struct cf_note_part text, table;
   size_t at = 0, table_at = 0;
   p->nir_line = calloc(p->instrs, sizeof(*p->nir_line));
   if (!p->nir_line)
      return false;
   if (!look_notes_next(notes, p->address, CF_NOTE_NIR, &at, &text) ||
       !look_notes_next(notes, p->address, CF_NOTE_NIR_LINES, &table_at, &table))
      return true;
   p->nir.text = text.text;
   snprintf(p->nir.name, sizeof(p->nir.name), "%s.%s.nir", p->name[0] ? p->name : "shader",
            cf_stage_suffix(p->stage));
   for (uint32_t pc = 0; pc < p->instrs && pc < table.count; pc++)
      p->nir_line[pc] = cf_note_nir_line(&table, pc);
   return true;
}

bool
debug_program_has(const struct debug_program *program, uint32_t pc, const struct debug_line *line)
{
   for (uint32_t i = 0; i < DEBUG_LINES; i++) {
      if (line->line && debug_line_equal(&program->lines[pc][i], line))
         return true;
   }
   return false;
}

bool
debug_program_has_code(const struct debug_program *program, const struct debug_line *line)
{
   for (uint32_t pc = 0; pc < program->instrs; pc++) {
      if (debug_program_has(program, pc, line))
         return true;
   }
   return false;
}

/* The compiler loads literals into scalar registers at the program's start. No statement begins
 * there; only a line that has nothing else keeps its literal. */
static void
drop_literals(struct debug_program *p, const struct cf_decoded *decoded)
{
   for (uint32_t pc = 0; pc < p->instrs; pc++) {
      const struct cf_instr *instr = &decoded->instrs[pc];
      struct debug_line line[DEBUG_LINES];
      if (instr->op != CF_OP_MOVI || instr->dst.kind != CF_KIND_S)
         continue;
      memcpy(line, p->lines[pc], sizeof(line));
      memset(p->lines[pc], 0, sizeof(line));
      if (!debug_program_has_code(p, &line[0]))
         memcpy(p->lines[pc], line, sizeof(line));
   }
}

int
debug_source_line(const struct debug_source *source, uint32_t line, const char **text)
{
   *text = source->text;
   for (uint32_t n = 1; *text && n < line; n++) {
      *text = strchr(*text, '\n');
      *text = *text ? *text + 1 : NULL;
   }
   if (!*text)
      return 0;
   *text += strspn(*text, " \t");
   size_t length = strcspn(*text, "\r\n");
   while (length > 0 && ((*text)[length - 1] == ' ' || (*text)[length - 1] == '\t'))
      length--;
   return (int)length;
}

uint32_t
debug_source_lines(const struct debug_source *source)
{
   uint32_t lines = 0;
   for (const char *text = source->text; *text; lines++) {
      text += strcspn(text, "\n");
      text += *text == '\n';
   }
   return lines;
}

/* ------------------------------------------------------------------ variables */

static struct debug_variable *
find_part_of(struct debug_program *p, enum cf_note_field field, const char *word, size_t length)
{
   for (uint32_t i = 0; i < p->variables; i++) {
      struct debug_variable *v = &p->variable[i];
      if (v->parts && v->field == field && strlen(v->word) == length &&
          !strncmp(v->word, word, length))
         return v;
   }
   return NULL;
}

/* The varying whose name are `length` characters of `word`; a new one has no components. NULL: out
 * of memory. */
static struct debug_variable *
find_or_add_varying(struct debug_program *p, const struct cf_note_part *part,
                    enum cf_note_field field, const char *word, size_t length)
{
   length = length < DEBUG_WORD_B ? length : DEBUG_WORD_B - 1;
   struct debug_variable *v = find_part_of(p, field, word, length);
   if (!v) {
      v = grow((void **)&p->variable, p->variables, sizeof(*v));
      if (!v)
         return NULL;
      p->variables++;
      v->field = field;
      v->is =
         (struct cf_note_variable){ .elements = 1, .scalar = part->variable.scalar, .columns = 1 };
      v->declaration = part->text;
      memcpy(v->word, word, length);
   }
   return v;
}

/* Add component `place` of a varying, whose name `word` begins with. */
static bool
add_component(struct debug_program *p, const struct cf_note_part *part, enum cf_note_field field,
              const char *word, uint32_t place)
{
   struct debug_variable *v = find_or_add_varying(p, part, field, word, strcspn(word, ","));
   if (!v)
      return false;
   if (v->parts < DEBUG_PARTS)
      v->place[v->parts++] = place;
   v->is.rows = (uint8_t)v->parts;
   return true;
}

/* The rows of a note of one component, "out vec2 way.y"; 0: it is of another form. */
static uint32_t
component_rows(const struct cf_note_part *part, const char *word)
{
   const size_t length = strlen(word);
   const char digit = word - part->text >= 2 ? word[-2] : 0;
   return part->variable.rows == 1 && digit >= '2' && digit <= '4' && length > 2 &&
                word[length - 2] == '.'
             ? (uint32_t)(digit - '0')
             : 0;
}

/* Add the component of a vector at its place; those that the program has not have no place. */
static bool
add_component_of(struct debug_program *p, const struct cf_note_part *part, enum cf_note_field field,
                 const char *word, uint32_t rows, uint32_t place)
{
   const uint32_t component = (uint32_t)strcspn("xyzw", &word[strlen(word) - 1]);
   struct debug_variable *v = find_or_add_varying(p, part, field, word, strlen(word) - 2);
   if (!v)
      return false;
   for (; v->parts < rows; v->parts++)
      v->place[v->parts] = DEBUG_NO_PLACE;
   v->is.rows = (uint8_t)v->parts;
   if (component < v->parts)
      v->place[component] = place;
   return true;
}

/* Add the varyings of a slot. The slot of several is named component by component, as in "out vec4
 * place,place,color,color"; a variable's components are in order, over all slots. */
static bool
add_varyings(struct debug_program *p, const struct cf_note_part *part, enum cf_note_field field,
             uint32_t place)
{
   const char *word;
   look_note_word(part->text, &word);
   const uint32_t rows = component_rows(part, word);
   if (rows)
      return add_component_of(p, part, field, word, rows, place);
   for (uint32_t i = 0; i < part->variable.rows; i++) {
      const char *comma = strchr(word, ',');
      if (!add_component(p, part, field, word, place + i))
         return false;
      word = comma ? comma + 1 : word;
   }
   return true;
}

static bool
add_variable(struct debug_program *p, const struct cf_note_part *part)
{
   const char *word;
   const int length = look_note_word(part->text, &word);
   struct debug_variable *v = grow((void **)&p->variable, p->variables, sizeof(*v));
   if (!v)
      return false;
   p->variables++;
   v->field = part->field;
   v->is = part->variable;
   v->is.stride_dw += !v->is.stride_dw;
   v->declaration = part->text;
   v->array = word[length] == '[';
   snprintf(v->word, sizeof(v->word), "%.*s", length, word);
   return true;
}

/* The slot of the vertex program that fragment slot `slot` is linked to. UINT32_MAX: none. */
static uint32_t
linked_slot(const struct look_player *player, const struct look_state *state, uint32_t slot)
{
   struct cf_link link;
   const char *bad_field;
   const uint64_t at = state->varyings.address + 4 * CF_LINK_DWORDS * (uint64_t)slot;
   const uint32_t *dw = at % 4 == 0 ? look_player_at(player, at, 4 * CF_LINK_DWORDS) : NULL;
   return dw && cf_link_unpack(dw, &link, &bad_field) && link.present ? link.slot : UINT32_MAX;
}

/* The varyings of a fragment program, by the names of the vertex program's outputs: what linking
 * packs has no others. False: out of memory. */
static bool
add_linked(struct debug_program *p, const struct look_player *player,
           const struct look_state *state)
{
   const uint64_t vertex = state->shader[CF_SHADER_STAGE_VERTEX].program;
   for (uint32_t slot = 0; slot < state->varyings.count; slot++) {
      const uint32_t from = linked_slot(player, state, slot);
      struct cf_note_part part;
      for (size_t at = 0;
           look_notes_next(look_player_notes(player), vertex, CF_NOTE_OUTPUT, &at, &part);) {
         if (part.variable.place / 4 == from &&
             !add_varyings(p, &part, CF_NOTE_INPUT, 4 * slot + part.variable.place % 4))
            return false;
      }
   }
   return true;
}

static bool
add_field(struct debug_program *p, const struct look_player *player, enum cf_note_field field)
{
   struct cf_note_part part;
   for (size_t at = 0; look_notes_next(look_player_notes(player), p->address, field, &at, &part);) {
      const bool varying =
         field == CF_NOTE_INPUT || field == CF_NOTE_OUTPUT || field == CF_NOTE_COLOR;
      if (!(varying ? add_varyings(p, &part, field, part.variable.place) : add_variable(p, &part)))
         return false;
   }
   return true;
}

bool
debug_program_read(const struct look_player *player, const struct look_state *state,
                   const struct cf_decoded *decoded, struct debug_program *program)
{
   const enum cf_shader_stage stage = decoded->info.stage;
   *program = (struct debug_program){ .address = state->shader[stage].program,
                                      .stage = stage,
                                      .instrs = decoded->count };
   const struct look_notes *notes = look_player_notes(player);
   bool ok = read_sources(program, notes) && read_lines(program, notes) && read_nir(program, notes);
   if (ok)
      drop_literals(program, decoded);
   for (uint32_t field = CF_NOTE_ATTRIBUTE; ok && field <= CF_NOTE_UNIFORM; field++) {
      const uint32_t before = program->variables;
      if (field == CF_NOTE_INPUT && stage == CF_SHADER_STAGE_FRAGMENT)
         ok = add_linked(program, player, state);
      if (ok && program->variables == before)
         ok = add_field(program, player, field);
   }
   ok =
      ok && add_field(program, player, CF_NOTE_BLOCK) && add_field(program, player, CF_NOTE_COLOR);
   const uint32_t before = program->variables;
   ok = ok && add_field(program, player, CF_NOTE_LOCAL);
   program->has_locals = program->variables > before;
   return ok;
}

void
debug_program_free(struct debug_program *program)
{
   free(program->source);
   free(program->lines);
   free(program->nir_line);
   free(program->variable);
   *program = (struct debug_program){ 0 };
}
