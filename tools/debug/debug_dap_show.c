/* SPDX-License-Identifier: MIT */
#include "debug_dap_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_pixel.h"

#include "clipfree/isa/cf_asm.h"

/* Addresses of instructions, as editors see them. The first is not 0, so that editors may ask for
 * what is before it. */
#define FIRST_ADDRESS 0x100000
#define INSTRUCTION_B 8

/* References of variables: scopes by frame and group, then lists of children. */
#define FIRST_SCOPE 1
#define FIRST_CHILDREN 1000

/* ------------------------------------------------------------------ stops */

static const char *
reason_of(const struct debug_dap *dap)
{
   static const char *const reasons[] = { "entry",           "step", "breakpoint", "exception",
                                          "data breakpoint", "pause" };
   return reasons[dap->session->stop];
}

void
debug_dap_stopped(struct debug_dap *dap)
{
   const struct debug_session *session = dap->session;
   debug_dap_forget(dap);
   debug_wire_event(&dap->wire, "stopped",
                    json_pack("{s:s, s:s, s:s, s:I, s:b}", "reason", reason_of(dap), "description",
                              session->reason, "text", session->reason, "threadId",
                              (json_int_t)session->view.lane + 1, "allThreadsStopped", 1));
}

void
debug_dap_moved(struct debug_dap *dap, bool stays)
{
   dap->left = !stays;
   if (stays)
      debug_dap_stopped(dap);
}

void
debug_dap_forget(struct debug_dap *dap)
{
   for (uint32_t i = 0; i < dap->children_count; i++)
      json_decref(dap->children[i]);
   free(dap->children);
   dap->children = NULL;
   dap->children_count = 0;
}

struct debug_view
debug_dap_view(const struct debug_dap *dap, long long thread)
{
   struct debug_view view = dap->session->view;
   if (thread >= 1 && thread <= CF_TASK_LANES)
      view.lane = (uint32_t)thread - 1;
   return view;
}

void
debug_dap_pixel(const struct debug_dap *dap, uint32_t lane, char *text, size_t size)
{
   const struct debug_visit *visit = dap->session->visit;
   const struct cf_task_quad *quad = &visit->event->quad[lane / 4];
   struct cf_surface image;
   char of_image[32] = "";
   if (look_surface_at(visit->player, visit->state->framebuffer.color[0], &image))
      snprintf(of_image, sizeof(of_image), " of 0x%" PRIx64, image.address);
   snprintf(text, size, "pixel %u,%u%s", quad->x_px + (lane & 1), quad->y_px + (lane >> 1 & 1),
            of_image);
}

/* ------------------------------------------------------------------ places */

static uint32_t
here_pc(const struct debug_dap *dap)
{
   const struct debug_task *task = &dap->session->task;
   const uint32_t last = debug_task_last(task);
   return task->step[task->at < last ? task->at : last].pc;
}

static void
address_text(int64_t pc, char text[24])
{
   snprintf(text, 24, "0x%" PRIx64, (uint64_t)(FIRST_ADDRESS + INSTRUCTION_B * pc));
}

int64_t
debug_dap_pc(const char *reference, long long offset_B)
{
   const long long address = (long long)strtoull(reference, NULL, 16) + offset_B - FIRST_ADDRESS;
   return address < 0 ? -1 : address / INSTRUCTION_B;
}

static json_t *
source_json(struct debug_dap *dap, uint32_t number)
{
   const struct debug_source *source = &dap->session->program.source[number];
   const uint32_t file = debug_files_of_text(&dap->files, source->name, source->text);
   return file == UINT32_MAX
             ? json_pack("{s:s, s:I}", "name", source->name, "sourceReference",
                         (json_int_t)number + 1)
             : json_pack("{s:s, s:s}", "name", source->name, "path", dap->files.file[file].path);
}

void
debug_dap_threads(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   json_t *threads = json_array();
   (void)arguments;
   for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++) {
      char what[64], name[96];
      debug_session_lane_text(dap->session, lane, what, sizeof(what));
      snprintf(name, sizeof(name), "lane %" PRIu32 ": %s%s", lane, what,
               !strcmp(what, "empty") || debug_session_runs(dap->session, lane) ? ""
                                                                                : " (masked off)");
      json_array_append_new(threads,
                            json_pack("{s:I, s:s}", "id", (json_int_t)lane + 1, "name", name));
   }
   debug_wire_answer(&dap->wire, request, json_pack("{s:o}", "threads", threads));
}

/* The line that a lane is in: what it saw last. */
static struct debug_line
line_of(const struct debug_dap *dap, uint32_t lane)
{
   struct debug_walk walk;
   struct debug_line line = { 0 };
   const struct debug_session *session = dap->session;
   if (lane == session->view.lane)
      return debug_session_line(session);
   if (debug_walk_make(&session->task, &session->program, lane, &walk)) {
      const uint32_t last = debug_task_last(&session->task);
      line = walk.line[session->task.at < last ? session->task.at : last];
   }
   debug_walk_free(&walk);
   return line;
}

void
debug_dap_stack_trace(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   const struct debug_session *session = dap->session;
   const struct debug_view view = debug_dap_view(dap, look_number(arguments, "threadId"));
   const struct debug_line line = line_of(dap, view.lane);
   char name[192], what[64], address[24];
   debug_session_lane_text(session, view.lane, what, sizeof(what));
   snprintf(name, sizeof(name), "main, draw %" PRIu32 ", %s%s", session->visit->place->draw, what,
            debug_session_runs(session, view.lane) ? "" : " (masked off)");
   address_text(here_pc(dap), address);
   json_t *frame = json_pack("{s:I, s:s, s:i, s:i, s:s}", "id", (json_int_t)view.lane + 1, "name",
                             name, "line", 0, "column", 0, "instructionPointerReference", address);
   if (line.line) {
      json_object_set_new(frame, "source", source_json(dap, line.source));
      json_object_set_new(frame, "line", json_integer(line.line - 1 + dap->line_base));
      json_object_set_new(frame, "column", json_integer(dap->line_base));
   }
   debug_wire_answer(&dap->wire, request,
                     json_pack("{s:[o], s:i}", "stackFrames", frame, "totalFrames", 1));
}

/* ------------------------------------------------------------------ variables */

void
debug_dap_scopes(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   const struct debug_view view = debug_dap_view(dap, look_number(arguments, "frameId"));
   json_t *scopes = json_array();
   for (enum debug_group group = 0; group < DEBUG_GROUPS; group++) {
      const json_int_t reference = FIRST_SCOPE + (json_int_t)(view.lane * DEBUG_GROUPS + group);
      json_t *scope =
         json_pack("{s:s, s:I, s:b}", "name", debug_group_name(group, dap->session->program.stage),
                   "variablesReference", reference, "expensive", group == DEBUG_REGISTERS);
      if (group == DEBUG_LOCALS || group == DEBUG_REGISTERS)
         json_object_set_new(scope, "presentationHint",
                             json_string(group == DEBUG_LOCALS ? "locals" : "registers"));
      json_array_append_new(scopes, scope);
   }
   debug_wire_answer(&dap->wire, request, json_pack("{s:o}", "scopes", scopes));
}

/* A reference of a list of children, which is kept. 0: none. */
static json_int_t
reference_of(struct debug_dap *dap, json_t *children)
{
   if (!children)
      return 0;
   json_t **grown = realloc(dap->children, (dap->children_count + 1) * sizeof(*grown));
   if (!grown)
      return 0;
   dap->children = grown;
   dap->children[dap->children_count] = json_incref(children);
   return FIRST_CHILDREN + (json_int_t)dap->children_count++;
}

static json_t *
variables_json(struct debug_dap *dap, const json_t *values)
{
   json_t *variables = json_array(), *value;
   size_t i;
   json_array_foreach(values, i, value)
   {
      json_array_append_new(
         variables, json_pack("{s:s, s:s, s:s, s:s, s:I}", "name", look_text(value, "name"),
                              "value", look_text(value, "value"), "type", look_text(value, "type"),
                              "evaluateName", look_text(value, "evaluate"), "variablesReference",
                              reference_of(dap, json_object_get(value, "children"))));
   }
   return variables;
}

void
debug_dap_variables(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   const long long reference = look_number(arguments, "variablesReference");
   json_t *values = NULL;
   if (reference >= FIRST_CHILDREN && reference - FIRST_CHILDREN < dap->children_count) {
      values = json_incref(dap->children[reference - FIRST_CHILDREN]);
   } else if (reference >= FIRST_SCOPE &&
              reference < FIRST_SCOPE + (long long)CF_TASK_LANES * DEBUG_GROUPS) {
      const uint32_t scope = (uint32_t)(reference - FIRST_SCOPE);
      const struct debug_view view = debug_dap_view(dap, scope / DEBUG_GROUPS + 1);
      const struct debug_line line = line_of(dap, view.lane);
      values = debug_values(&view, scope % DEBUG_GROUPS, &line);
   }
   if (values)
      debug_wire_answer(&dap->wire, request,
                        json_pack("{s:o}", "variables", variables_json(dap, values)));
   else
      debug_wire_refuse(&dap->wire, request,
                        "these variables are of an earlier stop; ask for the "
                        "scopes again");
   json_decref(values);
}

void
debug_dap_evaluate(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   const struct debug_view view = debug_dap_view(dap, look_number(arguments, "frameId"));
   struct debug_expr_value value;
   char error[DEBUG_EXPR_ERROR_B], text[512];
   if (!debug_expr(&view, look_text(arguments, "expression"), &value, error)) {
      debug_wire_refuse(&dap->wire, request, error);
      return;
   }
   debug_expr_text(&value, text, sizeof(text));
   debug_wire_answer(&dap->wire, request,
                     json_pack("{s:s, s:i}", "result", text, "variablesReference", 0));
}

void
debug_dap_exception_info(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   (void)arguments;
   debug_wire_answer(&dap->wire, request,
                     json_pack("{s:s, s:s, s:s}", "exceptionId", "shader", "description",
                               dap->session->reason, "breakMode", "always"));
}

/* ------------------------------------------------------------------ code */

/* A view of disassembly shows a symbol above the instruction: here the NIR that it is made from, of
 * the first instruction of several. */
static void
add_nir(const struct debug_program *program, uint32_t pc, json_t *json)
{
   const uint32_t line = program->nir_line[pc];
   const char *text;
   if (!program->nir.text || !line || (pc > 0 && program->nir_line[pc - 1] == line))
      return;
   const int length = debug_source_line(&program->nir, line, &text);
   json_object_set_new(json, "symbol", json_stringn(text ? text : "", (size_t)length));
}

static json_t *
instruction_json(struct debug_dap *dap, int64_t pc, struct debug_line *last)
{
   const struct debug_session *session = dap->session;
   char address[24], text[160] = "";
   address_text(pc, address);
   if (pc < 0 || pc >= session->program.instrs)
      return json_pack("{s:s, s:s, s:s}", "address", address, "instruction", "(outside)",
                       "presentationHint", "invalid");
   cf_disassemble_instr(&session->task.program->instrs[pc], text, sizeof(text));
   json_t *json = json_pack("{s:s, s:s}", "address", address, "instruction", text);
   add_nir(&session->program, (uint32_t)pc, json);
   const struct debug_line line = session->program.lines[pc][0];
   if (!line.line)
      return json;
   if (!debug_line_equal(&line, last))
      json_object_set_new(json, "location", source_json(dap, line.source));
   json_object_set_new(json, "line", json_integer(line.line - 1 + dap->line_base));
   *last = line;
   return json;
}

void
debug_dap_disassemble(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   const int64_t first =
      debug_dap_pc(look_text(arguments, "memoryReference"), look_number(arguments, "offset")) +
      look_number(arguments, "instructionOffset");
   const long long count = look_number(arguments, "instructionCount");
   struct debug_line last = { 0 };
   json_t *list = json_array();
   for (long long i = 0; i < count && i < 2 * CF_MAX_PROGRAM_INSTRS; i++)
      json_array_append_new(list, instruction_json(dap, first + i, &last));
   debug_wire_answer(&dap->wire, request, json_pack("{s:o}", "instructions", list));
}

void
debug_dap_source(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   const json_t *source = json_object_get(arguments, "source");
   const long long of_source = look_number(source, "sourceReference"),
                   number = of_source ? of_source : look_number(arguments, "sourceReference");
   const char *path = look_text(source, "path");
   const uint32_t file = *path ? debug_files_of_path(&dap->files, path) : UINT32_MAX;
   const struct debug_program *program = &dap->session->program;
   const char *text = number >= 1 && number <= program->sources ? program->source[number - 1].text
                      : number == program->sources + 1          ? program->nir.text
                      : file != UINT32_MAX                      ? dap->files.file[file].text
                                                                : NULL;
   if (text)
      debug_wire_answer(&dap->wire, request, json_pack("{s:s}", "content", text));
   else
      debug_wire_refuse(&dap->wire, request, "there is no such source");
}

void
debug_dap_loaded_sources(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   const struct debug_program *program = &dap->session->program;
   json_t *sources = json_array();
   (void)arguments;
   for (uint32_t i = 0; i < program->sources; i++)
      json_array_append_new(sources, source_json(dap, i));
   if (program->nir.text)
      json_array_append_new(sources,
                            json_pack("{s:s, s:I}", "name", program->nir.name, "sourceReference",
                                      (json_int_t)program->sources + 1));
   debug_wire_answer(&dap->wire, request, json_pack("{s:o}", "sources", sources));
}
