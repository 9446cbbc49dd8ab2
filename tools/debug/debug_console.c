/* SPDX-License-Identifier: MIT */
#include "debug_console.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "look/look_call.h"
#include "look/look_pixel.h"

#include "debug_expr.h"
#include "debug_feedback.h"
#include "debug_real.h"

#include "clipfree/isa/cf_asm.h"

const char debug_console_help[] =
   "Commands at the terminal:\n"
   "  n, b [N]          to the next line, back to the one before; N times\n"
   "  ni, bi [N]        by instruction\n"
   "  c, rc             go on to the next breakpoint, back to the one before\n"
   "  end, start        to the end or the start of the program\n"
   "  fragment N        to another fragment of the pixel, from 0\n"
   "  break LINE [if E]           a breakpoint at a line; LINE may be SOURCE:LINE\n"
   "  break @N [if E]             at instruction N\n"
   "  break pixel X,Y [if E]      where the shading of a pixel begins\n"
   "  delete ID                   remove a breakpoint\n"
   "  catch nan|inf|zero|index|none    stop where a NaN or an infinity is born, where 0 divides,\n"
   "                    where an index leaves its array\n"
   "  watch DATA        who wrote it last: pixel X,Y [of 0xIMAGE]; texel SAMPLER, the one that is\n"
   "                    sampled, or texel SAMPLER X,Y [level L] [layer N]; byte 0xADDRESS; goes\n"
   "                    there if it was a draw\n"
   "  p E               the value of an expression: names of GLSL, registers, numbers, operators\n"
   "  lanes E           the same in all lanes\n"
   "  lane N            look at another lane\n"
   "  info [GROUP]      locals, line, inputs, uniforms, samplers, outputs, system, registers;\n"
   "                    breaks, fragments, feedback\n"
   "  l, asm            the source, and the instructions, around here\n"
   "  side              GLSL, NIR and instructions side by side\n"
   "  w                 where it is\n"
   "  q                 end\n";

struct console {
   char *line;
   size_t line_B;
   bool prompts;
};

/* ------------------------------------------------------------------ where */

static void
print_line(const struct debug_session *session)
{
   const struct debug_line line = debug_session_line(session);
   const char *text;
   if (!line.line)
      return;
   const struct debug_source *source = &session->program.source[line.source];
   const int length = debug_source_line(source, line.line, &text);
   printf("%s:%" PRIu32 "   %.*s\n", source->name, line.line, length, text);
}

static void
print_instruction(const struct debug_session *session, uint32_t pc, bool here)
{
   char text[160];
   cf_disassemble_instr(&session->task.program->instrs[pc], text, sizeof(text));
   printf("%s%4" PRIu32 "  %s\n", here ? "=>" : "  ", pc, text);
}

static uint32_t
here_pc(const struct debug_session *session)
{
   const uint32_t at = session->task.at, last = debug_task_last(&session->task);
   return session->task.step[at < last ? at : last].pc;
}

static void
print_stop(const struct debug_session *session)
{
   char lane[64];
   debug_session_lane_text(session, session->view.lane, lane, sizeof(lane));
   if (strcmp(session->reason, "step"))
      printf("%s\n", session->reason);
   printf("lane %" PRIu32 ", %s%s, step %" PRIu32 " of %" PRIu32 "\n", session->view.lane, lane,
          debug_session_runs(session, session->view.lane) ? "" : " (masked off)", session->task.at,
          debug_task_last(&session->task));
   print_line(session);
   print_instruction(session, here_pc(session), true);
}

static void
print_where(const struct debug_session *session)
{
   const struct debug_visit *visit = session->visit;
   char call[LOOK_CALL_B];
   look_call(visit->player, visit->place->packet, visit->packet, call);
   printf("draw %" PRIu32 ": %s\n", visit->place->draw, call);
   if (session->scope.question.kind == DEBUG_PIXEL)
      printf("fragment %" PRIu32 " of %" PRIu32 ": primitive %" PRIu32 ", %s\n", visit->number,
             session->scope.places, visit->place->primitive, visit->place->fate);
   printf("%s program %s, %" PRIu32 " instructions%s\n",
          cf_shader_stage_name(session->program.stage), cf_program_label(session->task.program),
          session->program.instrs,
          session->program.has_lines ? "" : "; no lines are known: steps are instructions");
   print_stop(session);
}

static void
list_source(const struct debug_session *session)
{
   const struct debug_line line = debug_session_line(session);
   if (!line.line) {
      printf("no line of GLSL is known here; asm shows the instructions\n");
      return;
   }
   const struct debug_source *source = &session->program.source[line.source];
   const uint32_t lines = debug_source_lines(source);
   for (uint32_t n = line.line > 5 ? line.line - 5 : 1; n <= line.line + 5 && n <= lines; n++) {
      const char *text = NULL;
      debug_source_line(source, n, &text);
      while (text && text > source->text && text[-1] != '\n')
         text--;
      printf("%s%4" PRIu32 "  %.*s\n", n == line.line ? "=>" : "  ", n,
             text ? (int)strcspn(text, "\r\n") : 0, text ? text : "");
   }
}

static void
list_instructions(const struct debug_session *session)
{
   const uint32_t pc = here_pc(session);
   struct debug_line last = { 0 };
   for (uint32_t n = pc > 8 ? pc - 8 : 0; n <= pc + 8 && n < session->program.instrs; n++) {
      const struct debug_line line = session->program.lines[n][0];
      const char *text;
      if (line.line && !debug_line_equal(&line, &last)) {
         const struct debug_source *source = &session->program.source[line.source];
         const int length = debug_source_line(source, line.line, &text);
         printf("%s:%" PRIu32 "   %.*s\n", source->name, line.line, length, text);
         last = line;
      }
      print_instruction(session, n, n == pc);
   }
}

/* Columns of `side`, without the number of the line. */
#define SIDE_GLSL 34
#define SIDE_NIR 40

/* A cell: a line's number and text, cut at the width; empty if it is that of the row above. */
static void
print_cell(const struct debug_source *source, uint32_t line, bool again, int width)
{
   const char *text = "";
   if (!line || again || !source->text) {
      printf("%*s", width + 7, "");
      return;
   }
   const int length = debug_source_line(source, line, &text);
   const bool cut = length > width;
   printf("%5" PRIu32 " %-*.*s%s", line, cut ? width - 1 : width, cut ? width - 1 : length,
          text ? text : "", cut ? "~ " : " ");
}

static void
list_side_by_side(const struct debug_session *session)
{
   const struct debug_program *program = &session->program;
   const uint32_t pc = here_pc(session);
   struct debug_line last = { 0 };
   uint32_t last_nir = 0;
   if (!program->nir.text)
      printf("the capture has no NIR\n");
   for (uint32_t n = pc > 8 ? pc - 8 : 0; n <= pc + 8 && n < program->instrs; n++) {
      const struct debug_line line = program->lines[n][0];
      print_cell(line.line ? &program->source[line.source] : NULL, line.line,
                 debug_line_equal(&line, &last), SIDE_GLSL);
      print_cell(&program->nir, program->nir_line[n], program->nir_line[n] == last_nir, SIDE_NIR);
      print_instruction(session, n, n == pc);
      last = line;
      last_nir = program->nir_line[n];
   }
}

/* ------------------------------------------------------------------ values */

static void
print_values(const json_t *values, int depth)
{
   size_t i;
   json_t *value;
   json_array_foreach(values, i, value)
   {
      const json_t *children = json_object_get(value, "children");
      const char *type = look_text(value, "type");
      printf("%*s%s = %s%s%s\n", 3 * depth, "", look_text(value, "name"), look_text(value, "value"),
             strchr(type, ':') ? "   " : "", strchr(type, ':') ? type : "");
      if (children && json_object_get(json_array_get(children, 0), "children"))
         print_values(children, depth + 1);
   }
}

static void
print_group(struct debug_session *session, enum debug_group group)
{
   const struct debug_line line = debug_session_line(session);
   json_t *values = debug_values(&session->view, group, &line);
   if (json_array_size(values) == 0)
      printf("%s: none\n", debug_group_name(group, session->program.stage));
   print_values(values, 0);
   json_decref(values);
}

static void
print_breaks(const struct debug_session *session)
{
   for (uint32_t i = 0; i < session->breaks.count; i++) {
      const struct debug_break *one = &session->breaks.of[i];
      printf("%" PRIu32 ": ", one->id);
      if (one->kind == DEBUG_BREAK_LINE)
         printf("line %" PRIu32, one->line);
      else if (one->kind == DEBUG_BREAK_INSTRUCTION)
         printf("instruction %" PRIu32, one->pc);
      else
         printf("pixel %" PRIu32 ",%" PRIu32, one->x_px, one->y_px);
      printf("%s%s\n", one->condition ? " if " : "", one->condition ? one->condition : "");
   }
   for (uint32_t kind = 0; kind < DEBUG_FAULTS; kind++) {
      if (session->breaks.faults >> kind & 1)
         printf("catch %s\n", debug_fault_name(kind));
   }
}

static void
print_fragments(const struct debug_session *session)
{
   for (uint32_t i = 0; i < session->scope.places; i++) {
      const struct debug_place *place = &session->scope.place[i];
      printf("%s%3" PRIu32 "  draw %" PRIu32 ", primitive %" PRIu32 ": %s\n",
             i == session->visit->number ? "=>" : "  ", i, place->draw, place->primitive,
             place->fate);
   }
}

static void
print_info(struct debug_session *session, const char *what)
{
   static const char *const names[DEBUG_GROUPS] = { "locals",   "line",    "inputs", "uniforms",
                                                    "samplers", "outputs", "system", "registers" };
   if (!strcmp(what, "breaks")) {
      print_breaks(session);
      return;
   }
   if (!strcmp(what, "fragments")) {
      print_fragments(session);
      return;
   }
   if (!strcmp(what, "feedback")) {
      debug_feedback_print(stdout, &session->view);
      return;
   }
   for (uint32_t group = 0; group < DEBUG_GROUPS; group++) {
      if (!strcmp(what, names[group])) {
         print_group(session, group);
         return;
      }
   }
   printf(
      "info takes locals, line, inputs, uniforms, samplers, outputs, system, registers, breaks, "
      "fragments or feedback\n");
}

static void
print_expression(const struct debug_session *session, const char *text)
{
   struct debug_expr_value value;
   char error[DEBUG_EXPR_ERROR_B], out[256];
   if (!debug_expr(&session->view, text, &value, error)) {
      printf("%s\n", error);
      return;
   }
   debug_expr_text(&value, out, sizeof(out));
   printf("%s\n", out);
}

static void
print_lanes(const struct debug_session *session, const char *text)
{
   for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++) {
      struct debug_view view = session->view;
      struct debug_expr_value value;
      char error[DEBUG_EXPR_ERROR_B], out[256], name[64];
      view.lane = lane;
      debug_session_lane_text(session, lane, name, sizeof(name));
      if (!strcmp(name, "empty"))
         continue;
      if (debug_expr(&view, text, &value, error))
         debug_expr_text(&value, out, sizeof(out));
      printf("%s%3" PRIu32 "%c %-28s %s\n", lane == session->view.lane ? "=>" : "  ", lane,
             debug_session_runs(session, lane) ? ' ' : '-', name, error[0] ? error : out);
   }
}

/* ------------------------------------------------------------------ breakpoints */

/* The source that "GLSL3.frag:12" names, or the one that the lane is in. */
static const struct debug_source *
source_of(const struct debug_session *session, const char *place, const char **line)
{
   const char *colon = strchr(place, ':');
   *line = colon ? colon + 1 : place;
   for (uint32_t i = 0; colon && i < session->program.sources; i++) {
      if (!strncmp(session->program.source[i].name, place, (size_t)(colon - place)))
         return &session->program.source[i];
   }
   const struct debug_line here = debug_session_line(session);
   return colon || !session->program.sources ? NULL : &session->program.source[here.source];
}

static bool
read_place(const struct debug_session *session, const char *place, struct debug_break *one)
{
   const char *line;
   int end = 0;
   if (sscanf(place, "pixel %" SCNu32 ",%" SCNu32 "%n", &one->x_px, &one->y_px, &end) == 2 && end) {
      one->kind = DEBUG_BREAK_PIXEL;
      return true;
   }
   if (sscanf(place, "@%" SCNu32 "%n", &one->pc, &end) == 1 && end) {
      one->kind = DEBUG_BREAK_INSTRUCTION;
      one->stage = session->program.stage;
      return one->pc < session->program.instrs;
   }
   const struct debug_source *source = source_of(session, place, &line);
   one->text = source ? (char *)source->text : NULL;
   return source && sscanf(line, "%" SCNu32, &one->line) == 1 && one->line;
}

static void
add_break(struct debug_session *session, char *place)
{
   struct debug_break one = { 0 };
   char error[DEBUG_EXPR_ERROR_B];
   char *condition = strstr(place, " if ");
   if (condition) {
      *condition = 0;
      one.condition = condition + 4;
   }
   if (!read_place(session, place, &one)) {
      printf("'%s' is no place of this program: break LINE, break SOURCE:LINE, break @INSTRUCTION, "
             "break pixel X,Y\n",
             place);
      return;
   }
   if (one.condition && !debug_expr_check(&session->view, one.condition, error)) {
      printf("%s\n", error);
      return;
   }
   const struct debug_line line = debug_break_line(&one, &session->program);
   if (one.kind == DEBUG_BREAK_LINE && !line.line) {
      printf("no instruction is made from line %" PRIu32 " or one after it\n", one.line);
      return;
   }
   const struct debug_break *added = debug_breaks_add(&session->breaks, &one);
   printf(added ? "breakpoint %" PRIu32 : "out of memory", added ? added->id : 0);
   if (one.kind == DEBUG_BREAK_LINE && line.line != one.line)
      printf(" at line %" PRIu32 ", the next with code", line.line);
   printf("\n");
}

static void catch (struct debug_session *session, const char *what)
{
   if (!strcmp(what, "none")) {
      session->breaks.faults = 0;
      return;
   }
   for (uint32_t kind = 0; kind < DEBUG_FAULTS; kind++) {
      if (!strcmp(what, debug_fault_name(kind))) {
         session->breaks.faults |= 1u << kind;
         return;
      }
   }
   printf("catch takes nan, inf, zero, index or none\n");
}

/* ------------------------------------------------------------------ commands */

static bool
watch(struct debug_session *session, const char *what)
{
   struct debug_data data;
   char error[256];
   if (debug_data_parse(&session->view, what, &data, error, sizeof(error)))
      return debug_session_writer(session, &data, 1, false);
   printf("%s\n", error);
   return true;
}

static bool
go_to_fragment(struct debug_session *session, const char *what)
{
   unsigned number;
   if (sscanf(what, "%u", &number) == 1 && number < session->scope.places &&
       session->scope.question.kind == DEBUG_PIXEL)
      return debug_session_visit(session, number, 0);
   printf("fragment takes a number from 0 to %" PRIu32 " (info fragments)\n",
          session->scope.places - 1);
   return true;
}

static void
look(struct debug_session *session, const char *what)
{
   unsigned lane;
   if (sscanf(what, "%u", &lane) == 1 && lane < CF_TASK_LANES)
      debug_session_look(session, lane);
   else
      printf("lane takes a number from 0 to 31\n");
}

static void
repeat(struct debug_session *session, const char *count, bool back, bool instruction)
{
   unsigned n = 1;
   sscanf(count, "%u", &n);
   while (n-- > 0) {
      debug_session_step(session, back, instruction);
      if (session->stop == DEBUG_STOP_END)
         break;
   }
}

/* Commands that only show something. False: it is none of them. */
static bool
show(struct debug_session *session, const char *word, char *rest)
{
   if (!strcmp(word, "p"))
      print_expression(session, rest);
   else if (!strcmp(word, "lanes"))
      print_lanes(session, rest);
   else if (!strcmp(word, "info"))
      print_info(session, *rest ? rest : session->program.has_locals ? "locals" : "line");
   else if (!strcmp(word, "l"))
      list_source(session);
   else if (!strcmp(word, "asm"))
      list_instructions(session);
   else if (!strcmp(word, "side"))
      list_side_by_side(session);
   else if (!strcmp(word, "w"))
      print_where(session);
   else if (!strcmp(word, "break"))
      add_break(session, rest);
   else if (!strcmp(word, "catch"))
      catch (session, rest);
   else if (!strcmp(word, "delete")) {
      if (!debug_breaks_remove(&session->breaks, (uint32_t)strtoul(rest, NULL, 10)))
         printf("there is no breakpoint %s (info breaks)\n", rest);
   } else
      return false;
   return true;
}

/* Run a command. False: the task is left. */
static bool
command(struct debug_session *session, const char *word, char *rest)
{
   bool stays = true;
   if (!*word || show(session, word, rest))
      return true;
   if (!strcmp(word, "n") || !strcmp(word, "ni"))
      repeat(session, rest, false, word[1]);
   else if (!strcmp(word, "b") || !strcmp(word, "bi"))
      repeat(session, rest, true, word[1]);
   else if (!strcmp(word, "c") || !strcmp(word, "rc"))
      stays = debug_session_continue(session, word[0] == 'r');
   else if (!strcmp(word, "end") || !strcmp(word, "start"))
      stays = debug_session_finish(session, word[0] == 's');
   else if (!strcmp(word, "watch"))
      stays = watch(session, rest);
   else if (!strcmp(word, "fragment"))
      stays = go_to_fragment(session, rest);
   else if (!strcmp(word, "lane"))
      look(session, rest);
   else if (!strcmp(word, "q")) {
      debug_session_quit(session);
      return false;
   } else {
      printf("%s", debug_console_help);
      return true;
   }
   if (stays)
      print_stop(session);
   return stays;
}

static void
print_comparison(struct debug_session *session)
{
   char text[DEBUG_REAL_B];
   if (!session->scope.question.real)
      return;
   debug_real_compare(session, session->scope.question.real, text);
   printf("%s\n", text);
}

static void
stopped(void *user, struct debug_session *session)
{
   struct console *console = user;
   print_where(session);
   print_comparison(session);
   for (;;) {
      if (console->prompts)
         fputs("> ", stdout);
      if (fflush(stdout) || getline(&console->line, &console->line_B, stdin) < 0) {
         debug_session_quit(session);
         return;
      }
      char *word = console->line + strspn(console->line, " \t");
      word[strcspn(word, "\r\n")] = 0;
      char *rest = word + strcspn(word, " \t");
      if (*rest)
         *rest++ = 0;
      rest += strspn(rest, " \t");
      if (!command(session, word, rest))
         return;
   }
}

bool
debug_console(const struct debug_question *question, char *error, size_t error_B)
{
   struct console console = { .prompts = isatty(STDIN_FILENO) };
   struct debug_session session;
   const struct debug_front front = { .user = &console, .stopped = stopped };
   const bool ok = debug_session_run(question, &front, &session, error, error_B);
   debug_session_free(&session);
   free(console.line);
   return ok;
}
