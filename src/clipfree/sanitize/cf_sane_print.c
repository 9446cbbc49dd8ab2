/* SPDX-License-Identifier: MIT */
/*
 * What shaders print. A program stores the values to scratch, the last one last; then they are
 * taken. Of each print in a draw the first lines are kept, in an order that does not depend on
 * threads: vertices by instance and number, then fragments by primitive, row and column, each with
 * its prints as they ran. They are printed when the submission is done.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/cf_for.h"
#include "clipfree/sanitize/cf_sane.h"
#include "clipfree/shader/cf_run.h"

/* ------------------------------------------------------------------ programs */

void
sane_find_prints(struct sane_program *program)
{
   struct cf_note_part part;
   uint32_t count = 0;
   for (size_t at = 0; program->note &&
                       cf_note_next(program->note->bytes, program->note->size_B, &at, &part);)
      count += part.field == CF_NOTE_PRINT;
   program->print = count ? calloc(count, sizeof(*program->print)) : NULL;
   for (size_t at = 0; program->print &&
                       cf_note_next(program->note->bytes, program->note->size_B, &at, &part);) {
      const uint32_t scratch_dw = program->info.scratch_dwords;
      if (part.field == CF_NOTE_PRINT && part.print.dwords && part.print.dwords <= scratch_dw &&
          part.print.place <= scratch_dw - part.print.dwords)
         program->print[program->prints++] = (struct sane_print){
            .place = part.print, .text = part.text, .kind = cf_print_kind(part.text)
         };
   }
   for (uint32_t i = 0; i < program->info.code_instrs && program->prints; i++) {
      if (program->code[i].op == CF_OP_STS)
         program->instr[i].flags |= SANE_PRINT;
   }
}

/* ------------------------------------------------------------------ lanes */

/* The place of a key in a set, or of the first empty one. */
static uint32_t
find_seen(const struct sane_seen *seen, uint64_t key)
{
   uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (seen->capacity - 1);
   while (seen->key[at] != key && seen->key[at] != UINT64_MAX)
      at = (at + 1) & (seen->capacity - 1);
   return at;
}

static bool
grow_seen(struct sane_seen *seen)
{
   struct sane_seen grown = { .count = seen->count,
                              .capacity = seen->capacity ? 2 * seen->capacity : 256 };
   grown.key = malloc(grown.capacity * sizeof(*grown.key));
   if (!grown.key)
      return false;
   memset(grown.key, 0xff, grown.capacity * sizeof(*grown.key));
   for (uint32_t i = 0; i < seen->capacity; i++) {
      if (seen->key[i] != UINT64_MAX)
         grown.key[find_seen(&grown, seen->key[i])] = seen->key[i];
   }
   free(seen->key);
   *seen = grown;
   return true;
}

/* Whether a vertex comes first: indices name most several times, and each is shaded. With the
 * lock. */
static bool
comes_first(struct sane_seen *seen, uint64_t key)
{
   if (2 * seen->count >= seen->capacity && !grow_seen(seen))
      return true;
   const uint32_t at = find_seen(seen, key);
   const bool first = seen->key[at] != key;
   seen->key[at] = key;
   seen->count += first;
   return first;
}

static uint32_t
vertex_lanes(struct sane_thread *t, const struct cf_task_event *event)
{
   const struct cf_print_filter *filter = &t->sanitize->config.print;
   uint32_t lanes = 0;
   if (filter->has_pixel && !filter->has_vertex)
      return 0;
   pthread_mutex_lock(&t->sanitize->lock);
   CF_FOR_BITS(lane, event->lanes) {
      const uint64_t key = (uint64_t)event->instance[lane] << 32 | event->vertex[lane];
      if ((!filter->has_vertex || event->vertex[lane] == filter->vertex) &&
          comes_first(&t->draw->seen, key))
         lanes |= 1u << lane;
   }
   pthread_mutex_unlock(&t->sanitize->lock);
   return lanes;
}

static uint32_t
pixel_lanes(const struct sane_thread *t, const struct cf_task_event *event)
{
   const struct cf_print_filter *filter = &t->sanitize->config.print;
   uint32_t lanes = 0;
   if (!filter->has_pixel)
      return filter->has_vertex ? 0 : event->lanes;
   CF_FOR_BITS(lane, event->lanes) {
      const struct cf_task_quad *quad = &event->quad[lane / 4];
      if (quad->x_px + (lane & 1) == filter->x_px && quad->y_px + (lane >> 1 & 1) == filter->y_px)
         lanes |= 1u << lane;
   }
   return lanes;
}

uint32_t
sane_printing_lanes(struct sane_thread *t, const struct cf_task_event *event)
{
   const struct cf_print_filter *filter = &t->sanitize->config.print;
   if (filter->has_draw && t->draw->number != filter->draw)
      return 0;
   return event->quad ? pixel_lanes(t, event) : vertex_lanes(t, event);
}

/* ------------------------------------------------------------------ lines */

static int
compare_rows(const uint32_t *a, const uint32_t *b)
{
   int i = 0;
   while (i < SANE_KEY_DW - 1 && a[i] == b[i])
      i++;
   return (a[i] > b[i]) - (a[i] < b[i]);
}

static void
swap_rows(uint32_t *a, uint32_t *b, uint32_t row_dw)
{
   for (uint32_t i = 0; i < row_dw; i++) {
      const uint32_t was = a[i];
      a[i] = b[i];
      b[i] = was;
   }
}

/* Let the last row of a heap rise to its place. */
static void
rise(struct sane_lines *lines, uint32_t row_dw)
{
   for (uint32_t at = lines->kept - 1, parent; at > 0; at = parent) {
      parent = (at - 1) / 2;
      if (compare_rows(&lines->row[parent * row_dw], &lines->row[at * row_dw]) >= 0)
         return;
      swap_rows(&lines->row[parent * row_dw], &lines->row[at * row_dw], row_dw);
   }
}

/* Let the first row sink to its place. */
static void
sink(struct sane_lines *lines, uint32_t row_dw)
{
   for (uint32_t at = 0, child = 1; child < lines->kept; at = child, child = 2 * at + 1) {
      if (child + 1 < lines->kept &&
          compare_rows(&lines->row[(child + 1) * row_dw], &lines->row[child * row_dw]) > 0)
         child++;
      if (compare_rows(&lines->row[at * row_dw], &lines->row[child * row_dw]) >= 0)
         return;
      swap_rows(&lines->row[at * row_dw], &lines->row[child * row_dw], row_dw);
   }
}

/* Keep a row if it is among the first `limit`. Without memory, or beyond, it is only counted. */
static void
add_row(struct sane_lines *lines, const uint32_t *row, uint32_t row_dw, uint32_t limit)
{
   lines->count++;
   if (lines->kept == limit) {
      if (limit > 0 && compare_rows(row, lines->row) < 0) {
         memcpy(lines->row, row, row_dw * sizeof(*row));
         sink(lines, row_dw);
      }
      return;
   }
   if (lines->kept == lines->capacity) {
      const uint32_t capacity = 2 * lines->capacity + 32;
      uint32_t *grown = realloc(lines->row, (size_t)capacity * row_dw * sizeof(*grown));
      if (!grown)
         return;
      lines->row = grown;
      lines->capacity = capacity;
   }
   memcpy(&lines->row[lines->kept++ * row_dw], row, row_dw * sizeof(*row));
   rise(lines, row_dw);
}

/* ------------------------------------------------------------------ values */

/* Dword k of a print in a lane; the last one is stored only now. */
static uint32_t
value_of(const struct sane_thread *t, const struct cf_task *task, const struct sane_print *print,
         uint32_t k, uint32_t lane)
{
   return k == print->place.dwords - 1 ? t->operand[1][lane]
                                       : task->scratch[print->place.place + k][lane];
}

static void
take_values(const struct sane_thread *t, const struct cf_task *task, const struct sane_print *print,
            uint32_t lane, uint32_t *value)
{
   for (uint32_t k = 0; k < print->place.dwords; k++)
      value[k] = value_of(t, task, print, k, lane);
}

static void
take_key(const struct sane_thread *t, const struct cf_task_event *event, uint32_t lane,
         uint32_t key[SANE_KEY_DW])
{
   key[0] = event->quad ? event->quad[lane / 4].primitive : event->instance[lane];
   key[1] = event->quad ? event->quad[lane / 4].y_px + (lane >> 1 & 1) : event->vertex[lane];
   key[2] = event->quad ? event->quad[lane / 4].x_px + (lane & 1) : 0;
   key[3] = t->printed;
}

static void
print_values(struct sane_thread *t, const struct cf_task_event *event,
             const struct sane_print *print, uint32_t lanes)
{
   const struct sane_program *program = t->program;
   const uint32_t row_dw = SANE_KEY_DW + print->place.dwords;
   struct sane_lines **of_draw = &t->draw->lines[program->info.stage];
   uint32_t *row = malloc(row_dw * sizeof(*row));
   pthread_mutex_lock(&t->sanitize->lock);
   if (!*of_draw)
      *of_draw = calloc(program->prints, sizeof(**of_draw));
   CF_FOR_BITS(lane, *of_draw && row ? lanes : 0) {
      struct sane_lines *lines = &(*of_draw)[print - program->print];
      take_key(t, event, lane, row);
      take_values(t, event->run->task, print, lane, row + SANE_KEY_DW);
      add_row(lines, row, row_dw, t->sanitize->config.print.limit);
      lines->instr = t->at;
   }
   pthread_mutex_unlock(&t->sanitize->lock);
   free(row);
}

static void
take_element(const struct cf_task_event *event, const uint32_t key[SANE_KEY_DW],
             struct cf_sanitize_report *report)
{
   report->has_pixel = event->quad != NULL;
   report->has_vertex = !report->has_pixel;
   report->stage = cf_task_stage(event);
   *(event->quad ? &report->primitive : &report->instance) = key[0];
   *(event->quad ? &report->y_px : &report->vertex) = key[1];
   report->x_px = key[2];
}

/* The text of a print with its values, cut off where it is too long. */
static void
print_text(const char *text, const uint32_t *value, uint32_t dwords, char *to, size_t to_B)
{
   FILE *file = fmemopen(to, to_B, "w");
   to[0] = 0;
   if (!file)
      return;
   cf_print_write(file, text, value, dwords);
   fclose(file);
   to[to_B - 1] = 0;
}

static enum cf_sanitize_check
check_of(const struct sane_print *print)
{
   return print->kind == CF_PRINT_VARIABLE  ? CF_SANITIZE_UNWRITTEN_VARIABLE
          : print->kind == CF_PRINT_VARYING ? CF_SANITIZE_UNWRITTEN_VARYING
                                            : CF_SANITIZE_ASSERT;
}

/* Whether an assertion counts. Those that a varying is written stand where it is read, but that of
 * gl_Position at its program's end: it is read if primitives are drawn. */
static bool
is_due(const struct sane_thread *t, const struct sane_print *print)
{
   const enum cf_shader_stage stage = t->program->info.stage;
   if (print->kind != CF_PRINT_VARYING || stage == CF_SHADER_STAGE_FRAGMENT)
      return true;
   return stage == CF_SHADER_STAGE_VERTEX ? t->draw->positions : !t->draw->discards;
}

static void
report_failure(struct sane_thread *t, const struct cf_task_event *event,
               const struct sane_print *print, uint32_t lanes)
{
   const enum cf_sanitize_check check = check_of(print);
   struct cf_sanitize_report report = { .check = check,
                                        .program = t->program->descriptor,
                                        .instr = t->at };
   const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
   uint32_t key[SANE_KEY_DW], *value = malloc(print->place.dwords * sizeof(*value));
   if (!value)
      return;
   take_key(t, event, lane, key);
   take_element(event, key, &report);
   take_values(t, event->run->task, print, lane, value);
   sane_take_line(t->program, &report);
   print_text(print->text, value, print->place.dwords, report.message, sizeof(report.message));
   sane_report(t->sanitize, t->draw, &t->program->place[t->at * CF_SANITIZE_COUNT + check],
               (uint32_t)__builtin_popcount(lanes), &report);
   free(value);
}

/* The print whose last dword is stored; NULL: none. */
static const struct sane_print *
find_print(const struct sane_program *program, uint32_t dw)
{
   for (uint32_t i = 0; i < program->prints; i++) {
      const struct cf_note_print *place = &program->print[i].place;
      if (place->place + place->dwords - 1 == dw)
         return &program->print[i];
   }
   return NULL;
}

void
sane_print_store(struct sane_thread *t, const struct cf_task_event *event)
{
   const uint32_t exec = t->exec & t->printing & t->lanes;
   if (!exec)
      return;
   const uint32_t dw = t->operand[0][__builtin_ctz(exec)] + t->instr->offset;
   const struct sane_print *print = find_print(t->program, dw);
   if (!print)
      return;
   uint32_t failing = 0;
   t->printed++;
   CF_FOR_BITS(lane, print->kind != CF_PRINT ? exec : 0)
      failing |= (uint32_t)!value_of(t, event->run->task, print, 0, lane) << lane;
   if (failing && sane_checks(t->sanitize, check_of(print)) && is_due(t, print))
      report_failure(t, event, print, failing);
   if (print->kind == CF_PRINT && t->sanitize->config.print.wanted)
      print_values(t, event, print, exec);
}

/* ------------------------------------------------------------------ a submission's lines */

/* A row on its way to stdout. */
struct sane_line {
   const uint32_t *row;
   const struct sane_print *print;
   uint32_t instr;
};

static int
compare_lines(const void *a, const void *b)
{
   return compare_rows(((const struct sane_line *)a)->row, ((const struct sane_line *)b)->row);
}

static void
write_line(const struct cf_sanitize *s, char *text)
{
   if (!s->config.quiet)
      puts(text);
   if (s->config.printed)
      s->config.printed(s->config.user, text);
   free(text);
}

/* "GLSL3.frag:7", of what is known. */
static void
write_place(FILE *file, const struct sane_program *program, uint32_t instr)
{
   char name[CF_NOTE_LINE_NAME_B];
   struct cf_note_line line;
   fprintf(file, "%s.%s", sane_program_name(program), cf_stage_suffix(program->info.stage));
   if (sane_first_line(program->note, instr, &line)) {
      cf_note_line_name(&line, name);
      fprintf(file, ":%s", name);
   }
}

/* "draw 3 (glDrawArrays(GL_TRIANGLES, 0, 3))" */
static void
write_draw(FILE *file, const struct cf_sanitize *s, const struct sane_draw *draw)
{
   char call[CF_SANITIZE_NAMES_B], group[CF_SANITIZE_NAMES_B];
   sane_draw_names(s, draw->packet, call, group);
   fprintf(file, "draw %u", draw->number);
   if (call[0])
      fprintf(file, " (%s%s%s)", call, group[0] ? ", in " : "", group);
}

static void
print_line(const struct cf_sanitize *s, const struct sane_draw *draw,
           const struct sane_program *program, const struct sane_line *line)
{
   char *text = NULL;
   size_t text_B;
   FILE *file = open_memstream(&text, &text_B);
   if (!file)
      return;
   write_draw(file, s, draw);
   if (program->info.stage == CF_SHADER_STAGE_FRAGMENT)
      fprintf(file, ", pixel %u,%u, ", line->row[2], line->row[1]);
   else if (line->row[0])
      fprintf(file, ", vertex %u of instance %u, ", line->row[1], line->row[0]);
   else
      fprintf(file, ", vertex %u, ", line->row[1]);
   write_place(file, program, line->instr);
   fputs(": ", file);
   cf_print_write(file, line->print->text, line->row + SANE_KEY_DW, line->print->place.dwords);
   if (fclose(file) == 0)
      write_line(s, text);
}

/* How many lines were left out. */
static void
print_rest(const struct cf_sanitize *s, const struct sane_draw *draw,
           const struct sane_program *program, const struct sane_lines *lines)
{
   char *text = NULL;
   size_t text_B;
   FILE *file = lines->count > lines->kept ? open_memstream(&text, &text_B) : NULL;
   if (!file)
      return;
   write_draw(file, s, draw);
   fputs(", ", file);
   write_place(file, program, lines->instr);
   fprintf(file, ": %llu more (limit=%u)", (unsigned long long)(lines->count - lines->kept),
           s->config.print.limit);
   if (fclose(file) == 0)
      write_line(s, text);
}

static void
print_stage(const struct cf_sanitize *s, const struct sane_draw *draw, uint32_t stage)
{
   const struct sane_program *program = draw->program[stage];
   const struct sane_lines *lines = draw->lines[stage];
   size_t count = 0;
   for (uint32_t i = 0; lines && i < program->prints; i++)
      count += lines[i].kept;
   struct sane_line *line = count ? malloc(count * sizeof(*line)) : NULL;
   struct sane_line *end = line;
   for (uint32_t i = 0; line && i < program->prints; i++) {
      for (uint32_t k = 0; k < lines[i].kept; k++)
         *end++ =
            (struct sane_line){ lines[i].row + k * (SANE_KEY_DW + program->print[i].place.dwords),
                                &program->print[i], lines[i].instr };
   }
   if (line)
      qsort(line, count, sizeof(*line), compare_lines);
   for (const struct sane_line *l = line; l < end; l++)
      print_line(s, draw, program, l);
   for (uint32_t i = 0; lines && i < program->prints; i++)
      print_rest(s, draw, program, &lines[i]);
   free(line);
}

void
sane_print_lines(struct cf_sanitize *s)
{
   bool any = false;
   for (uint32_t i = 0; i < s->draws; i++) {
      for (uint32_t stage = 0; stage < SANE_STAGES; stage++) {
         any |= s->draw[i]->lines[stage] != NULL;
         print_stage(s, s->draw[i], stage);
      }
      sane_free_lines(s->draw[i]);
   }
   if (any && !s->config.quiet)
      fflush(stdout);
}

void
sane_free_lines(struct sane_draw *draw)
{
   for (uint32_t stage = 0; stage < SANE_STAGES; stage++) {
      for (uint32_t i = 0; draw->lines[stage] && i < draw->program[stage]->prints; i++)
         free(draw->lines[stage][i].row);
      free(draw->lines[stage]);
      draw->lines[stage] = NULL;
   }
   free(draw->seen.key);
   draw->seen = (struct sane_seen){ 0 };
}
