/* SPDX-License-Identifier: MIT */
#include "debug_dap.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_error.h"
#include "look/look_options.h"
#include "look/look_pixel.h"

#include "debug_dap_show.h"

#define OWNER_INSTRUCTIONS (-2)
#define OWNER_PIXELS (-3)

/* A request: answered, or refused; then the session may be elsewhere. */
typedef void (*request_fn)(struct debug_dap *dap, const json_t *request, const json_t *arguments);

static void __attribute__((format(printf, 3, 4)))
refuse(struct debug_dap *dap, const json_t *request, const char *format, ...)
{
   char reason[1024];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(reason, sizeof(reason), format, arguments);
   va_end(arguments);
   debug_wire_refuse(&dap->wire, request, reason);
}

/* ------------------------------------------------------------------ begin */

static void
initialize(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   static const char *const can[] = {
      "supportsConfigurationDoneRequest", "supportsConditionalBreakpoints",
      "supportsEvaluateForHovers",        "supportsStepBack",
      "supportsExceptionInfoRequest",     "supportsLoadedSourcesRequest",
      "supportsDataBreakpoints",          "supportsDisassembleRequest",
      "supportsSteppingGranularity",      "supportsInstructionBreakpoints",
      "supportsTerminateRequest",         "supportsFunctionBreakpoints",
   };
   json_t *body = json_object(), *filters = json_array();
   const json_t *from_1 = json_object_get(arguments, "linesStartAt1");
   dap->line_base = from_1 && json_is_false(from_1) ? 0 : 1;
   for (size_t i = 0; i < sizeof(can) / sizeof(can[0]); i++)
      json_object_set_new(body, can[i], json_true());
   for (enum debug_fault_kind kind = 0; kind < DEBUG_FAULTS; kind++)
      json_array_append_new(filters, json_pack("{s:s, s:s}", "filter", debug_fault_name(kind),
                                               "label", debug_fault_title(kind)));
   json_object_set_new(body, "exceptionBreakpointFilters", filters);
   debug_wire_answer(&dap->wire, request, body);
}

/* What a launch request may have; the extension of VS Code (vscode/package.json) describes the
 * same. Clients add words of their own. */
static const struct {
   const char *name;
   json_type type; /* JSON_TRUE: true or false */
} attributes[] = {
   { "capture", JSON_STRING },   { "pixel", JSON_STRING },   { "image", JSON_STRING },
   { "draw", JSON_INTEGER },     { "vertex", JSON_INTEGER }, { "real", JSON_STRING },
   { "stopOnEntry", JSON_TRUE },
};

/* Whether all of them have values of their types; else `wrong` says which has not. */
static bool
check_types(const json_t *arguments, char wrong[128])
{
   for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
      const json_t *value = json_object_get(arguments, attributes[i].name);
      const json_type type = attributes[i].type;
      if (!value || json_typeof(value) == type || (type == JSON_TRUE && json_is_boolean(value)))
         continue;
      snprintf(wrong, 128, "\"%s\" may be %s", attributes[i].name,
               type == JSON_STRING    ? "a text"
               : type == JSON_INTEGER ? "a number without a fraction"
                                      : "true or false");
      return false;
   }
   return true;
}

/* The pixel, draw or vertex of a launch request. False: it is malformed. */
static bool
read_place(struct debug_dap *dap, const json_t *arguments)
{
   struct debug_question *q = &dap->question;
   const json_t *pixel = json_object_get(arguments, "pixel"),
                *draw = json_object_get(arguments, "draw"),
                *vertex = json_object_get(arguments, "vertex");
   if (draw) {
      q->draw = (uint32_t)json_integer_value(draw);
      q->kind = DEBUG_DRAW;
   }
   if (vertex) {
      q->element = (uint32_t)json_integer_value(vertex);
      q->kind = DEBUG_VERTEX;
   }
   if (pixel)
      q->kind = DEBUG_PIXEL;
   dap->has_question |= draw || pixel;
   return !pixel || look_parse_pixel(json_string_value(pixel), &q->x_px, &q->y_px);
}

/* What a launch request asks for; what it leaves out is as the command line says. NULL, or what is
 * wrong, of which `text` may be a part. */
static const char *
read_launch(struct debug_dap *dap, const json_t *arguments, char text[128])
{
   struct debug_question *q = &dap->question;
   const json_t *capture = json_object_get(arguments, "capture"),
                *real = json_object_get(arguments, "real"),
                *entry = json_object_get(arguments, "stopOnEntry"),
                *image = json_object_get(arguments, "image");
   if (!check_types(arguments, text))
      return text;
   if (capture)
      q->path = json_string_value(capture);
   if (real)
      q->real = json_string_value(real);
   if (image)
      q->image = strtoull(json_string_value(image), NULL, 16);
   if (!read_place(dap, arguments))
      return "\"pixel\" may be two numbers in a string, \"X,Y\"";
   dap->stop_on_entry = !entry || json_is_true(entry);
   if (!q->path)
      return "\"capture\" is missing: the path of a file that CLIPFREE_CAPTURE wrote";
   if (!dap->has_question || (q->kind == DEBUG_VERTEX && q->draw == DEBUG_NONE))
      return "what to step is missing: \"pixel\": \"X,Y\", or \"draw\": D, or \"draw\" and "
             "\"vertex\": N";
   return NULL;
}

/* The session is in its first task: the client may set breakpoints. */
static void
begin(struct debug_dap *dap)
{
   dap->began = true;
   debug_wire_answer(&dap->wire, dap->launch, NULL);
   debug_wire_event(&dap->wire, "initialized", NULL);
}

static void
configuration_done(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   (void)arguments;
   debug_wire_answer(&dap->wire, request, NULL);
   dap->configured = true;
   if (dap->stop_on_entry)
      debug_dap_stopped(dap);
   else
      debug_dap_moved(dap, debug_session_continue(dap->session, false));
}

/* ------------------------------------------------------------------ breakpoints */

static json_t *
refused_breakpoint(const char *why)
{
   return json_pack("{s:b, s:s}", "verified", 0, "message", why);
}

/* Add a breakpoint with the condition that the client asks for, and describe it. */
static json_t *
add_break(struct debug_dap *dap, struct debug_break *one, const json_t *asked)
{
   const char *condition = look_text(asked, "condition");
   char error[DEBUG_EXPR_ERROR_B];
   if (*condition && !debug_expr_check(&dap->session->view, condition, error))
      return refused_breakpoint(error);
   one->condition = *condition ? (char *)condition : NULL;
   const struct debug_break *added = debug_breaks_add(&dap->session->breaks, one);
   if (!added)
      return refused_breakpoint("out of memory");
   json_t *json = json_pack("{s:b, s:I}", "verified", 1, "id", (json_int_t)added->id);
   if (one->kind != DEBUG_BREAK_LINE)
      return json;
   const struct debug_line line = debug_break_line(one, &dap->session->program);
   if (line.line) {
      json_object_set_new(json, "line", json_integer(line.line - 1 + dap->line_base));
   } else {
      json_object_set_new(json, "verified", json_false());
      json_object_set_new(json, "message",
                          json_string("the program here is not made from this text, or has no "
                                      "instruction from this line on"));
   }
   return json;
}

static void
set_breakpoints(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   const char *path = look_text(json_object_get(arguments, "source"), "path");
   const uint32_t file = *path ? debug_files_of_path(&dap->files, path) : UINT32_MAX;
   json_t *list = json_array(), *asked;
   size_t i;
   if (file != UINT32_MAX)
      debug_breaks_clear(&dap->session->breaks, (int)file);
   json_array_foreach(json_object_get(arguments, "breakpoints"), i, asked)
   {
      const long long line = look_number(asked, "line") + 1 - dap->line_base;
      struct debug_break one = { .kind = DEBUG_BREAK_LINE, .owner = (int)file };
      one.line = line > 0 ? (uint32_t)line : 1;
      one.text = file == UINT32_MAX ? NULL : dap->files.file[file].text;
      json_array_append_new(list, one.text ? add_break(dap, &one, asked)
                                           : refused_breakpoint("the file cannot be read"));
   }
   debug_wire_answer(&dap->wire, request, json_pack("{s:o}", "breakpoints", list));
}

static void
set_instruction_breakpoints(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   json_t *list = json_array(), *asked;
   size_t i;
   debug_breaks_clear(&dap->session->breaks, OWNER_INSTRUCTIONS);
   json_array_foreach(json_object_get(arguments, "breakpoints"), i, asked)
   {
      const int64_t pc =
         debug_dap_pc(look_text(asked, "instructionReference"), look_number(asked, "offset"));
      struct debug_break one = { .kind = DEBUG_BREAK_INSTRUCTION,
                                 .stage = dap->session->program.stage,
                                 .owner = OWNER_INSTRUCTIONS,
                                 .pc = (uint32_t)pc };
      const bool is_there = pc >= 0 && pc < dap->session->program.instrs;
      json_array_append_new(list, is_there ? add_break(dap, &one, asked)
                                           : refused_breakpoint("no such instruction"));
   }
   debug_wire_answer(&dap->wire, request, json_pack("{s:o}", "breakpoints", list));
}

/* Shaders have no functions left. What editors ask for by name are pixels: "pixel X,Y", where the
 * shading of a pixel begins. */
static void
set_function_breakpoints(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   json_t *list = json_array(), *asked;
   size_t i;
   debug_breaks_clear(&dap->session->breaks, OWNER_PIXELS);
   json_array_foreach(json_object_get(arguments, "breakpoints"), i, asked)
   {
      const char *name = look_text(asked, "name");
      struct debug_break one = { .kind = DEBUG_BREAK_PIXEL, .owner = OWNER_PIXELS };
      const bool is_pixel =
         !strncmp(name, "pixel ", 6) &&
         look_parse_pixel(name + 6 + strspn(name + 6, " "), &one.x_px, &one.y_px);
      json_array_append_new(list, is_pixel ? add_break(dap, &one, asked)
                                           : refused_breakpoint("functions are inlined; a name may "
                                                                "be a pixel: \"pixel X,Y\""));
   }
   debug_wire_answer(&dap->wire, request, json_pack("{s:o}", "breakpoints", list));
}

static void
set_exception_breakpoints(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   const json_t *filter;
   size_t i;
   dap->session->breaks.faults = 0;
   json_array_foreach(json_object_get(arguments, "filters"), i, filter)
   {
      for (enum debug_fault_kind kind = 0; kind < DEBUG_FAULTS; kind++) {
         if (json_is_string(filter) && !strcmp(json_string_value(filter), debug_fault_name(kind)))
            dap->session->breaks.faults |= 1u << kind;
      }
   }
   debug_wire_answer(&dap->wire, request, NULL);
}

/* Whether a group of values has one of this name. */
static bool
is_in(struct debug_dap *dap, enum debug_group group, const char *name)
{
   const struct debug_view view = debug_dap_view(dap, 0);
   json_t *values = debug_values(&view, group, NULL), *value;
   size_t i;
   bool found = false;
   json_array_foreach(values, i, value) found |= !strcmp(look_text(value, "name"), name);
   json_decref(values);
   return found;
}

/* The data of an output is its pixel, that of a sampler the texel that it samples. Others are named
 * as at the terminal. */
static void
data_breakpoint_info(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   const struct cf_task_event *e = dap->session->visit->event;
   const char *name = look_text(arguments, "name");
   const uint32_t lane = dap->session->view.lane;
   struct debug_data data;
   char id[64], error[256];
   snprintf(id, sizeof(id), "%.63s", name);
   if (e->quad && is_in(dap, DEBUG_OUTPUTS, name))
      debug_dap_pixel(dap, lane, id, sizeof(id));
   else if (is_in(dap, DEBUG_SAMPLERS, name))
      snprintf(id, sizeof(id), "texel %.57s", name);
   if (debug_data_parse(&dap->session->view, id, &data, error, sizeof(error)))
      debug_wire_answer(
         &dap->wire, request,
         json_pack("{s:s, s:s, s:[s]}", "dataId", id, "description", id, "accessTypes", "write"));
   else
      debug_wire_answer(&dap->wire, request,
                        json_pack("{s:n, s:s}", "dataId", "description", error));
}

static void
set_data_breakpoints(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   struct debug_session *session = dap->session;
   json_t *list = json_array(), *asked;
   size_t i;
   session->datas = 0;
   json_array_foreach(json_object_get(arguments, "breakpoints"), i, asked)
   {
      char error[256] = "there may be 8";
      if (session->datas < DEBUG_DATAS &&
          debug_data_parse(&session->view, look_text(asked, "dataId"),
                           &session->data[session->datas], error, sizeof(error))) {
         session->datas++;
         json_array_append_new(list, json_pack("{s:b}", "verified", 1));
      } else {
         json_array_append_new(list, refused_breakpoint(error));
      }
   }
   debug_wire_answer(&dap->wire, request, json_pack("{s:o}", "breakpoints", list));
}

/* ------------------------------------------------------------------ motion */

/* The lane of the thread that a request names. */
static void
look_at_thread(struct debug_dap *dap, const json_t *arguments)
{
   const long long thread = look_number(arguments, "threadId");
   if (thread >= 1 && thread <= CF_TASK_LANES)
      debug_session_look(dap->session, (uint32_t)thread - 1);
}

static void
step(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   const bool back = !strcmp(look_text(request, "command"), "stepBack"),
              instruction = !strcmp(look_text(arguments, "granularity"), "instruction");
   look_at_thread(dap, arguments);
   debug_wire_answer(&dap->wire, request, NULL);
   debug_dap_moved(dap, debug_session_step(dap->session, back, instruction));
}

static void
step_out(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   look_at_thread(dap, arguments);
   debug_wire_answer(&dap->wire, request, NULL);
   debug_dap_moved(dap, debug_session_finish(dap->session, false));
}

static void
resume(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   const bool back = !strcmp(look_text(request, "command"), "reverseContinue");
   look_at_thread(dap, arguments);
   debug_wire_answer(&dap->wire, request,
                     back ? NULL : json_pack("{s:b}", "allThreadsContinued", 1));
   debug_dap_moved(dap, debug_session_continue(dap->session, back));
}

/* It stands still whenever a request is read. */
static void
pause_request(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   (void)arguments;
   debug_wire_answer(&dap->wire, request, NULL);
   debug_dap_stopped(dap);
}

static void
end(struct debug_dap *dap, const json_t *request, const json_t *arguments)
{
   (void)arguments;
   debug_wire_answer(&dap->wire, request, NULL);
   if (dap->session)
      debug_session_quit(dap->session);
   dap->left = dap->ended = true;
   if (!strcmp(look_text(request, "command"), "terminate"))
      debug_wire_event(&dap->wire, "terminated", NULL);
}

/* ------------------------------------------------------------------ dispatch */

static const struct {
   const char *command;
   request_fn serve;
} requests[] = {
   { "setBreakpoints", set_breakpoints },
   { "setInstructionBreakpoints", set_instruction_breakpoints },
   { "setFunctionBreakpoints", set_function_breakpoints },
   { "setExceptionBreakpoints", set_exception_breakpoints },
   { "dataBreakpointInfo", data_breakpoint_info },
   { "setDataBreakpoints", set_data_breakpoints },
   { "configurationDone", configuration_done },
   { "next", step },
   { "stepIn", step },
   { "stepBack", step },
   { "stepOut", step_out },
   { "continue", resume },
   { "reverseContinue", resume },
   { "pause", pause_request },
   { "disconnect", end },
   { "terminate", end },
   { "threads", debug_dap_threads },
   { "stackTrace", debug_dap_stack_trace },
   { "scopes", debug_dap_scopes },
   { "variables", debug_dap_variables },
   { "evaluate", debug_dap_evaluate },
   { "disassemble", debug_dap_disassemble },
   { "source", debug_dap_source },
   { "loadedSources", debug_dap_loaded_sources },
   { "exceptionInfo", debug_dap_exception_info },
};

static void
serve(struct debug_dap *dap, const json_t *request)
{
   const char *command = look_text(request, "command");
   for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
      if (!strcmp(command, requests[i].command)) {
         requests[i].serve(dap, request, json_object_get(request, "arguments"));
         return;
      }
   }
   refuse(dap, request, "there is no request '%s' here", command);
}

/* Whether what is stepped computes what the real program does. */
static void
tell_comparison(struct debug_dap *dap)
{
   char text[DEBUG_REAL_B];
   if (!dap->question.real)
      return;
   debug_real_compare(dap->session, dap->question.real, text);
   debug_wire_event(&dap->wire, "output",
                    json_pack("{s:s, s:s+}", "category", "console", "output", text, "\n"));
}

static void
stopped(void *user, struct debug_session *session)
{
   struct debug_dap *dap = user;
   dap->session = session;
   dap->left = false;
   debug_dap_forget(dap);
   if (!dap->began)
      begin(dap);
   else
      debug_dap_stopped(dap);
   tell_comparison(dap);
   while (!dap->left) {
      json_t *request = debug_wire_read(&dap->wire);
      if (!request) {
         debug_session_quit(session);
         dap->ended = true;
         break;
      }
      serve(dap, request);
      json_decref(request);
   }
}

/* A session, until the client ends it. */
static void
launch(struct debug_dap *dap, json_t *request)
{
   char error[1536];
   struct debug_session session;
   const struct debug_front front = { .user = dap, .stopped = stopped };
   char text[128];
   const char *wrong = read_launch(dap, json_object_get(request, "arguments"), text);
   dap->launch = request;
   if (wrong) {
      debug_wire_refuse(&dap->wire, request, wrong);
      return;
   }
   const bool ok = debug_session_run(&dap->question, &front, &session, error, sizeof(error));
   if (!ok && !dap->began)
      debug_wire_refuse(&dap->wire, request, error);
   else if (!ok)
      debug_wire_event(&dap->wire, "output",
                       json_pack("{s:s, s:s+}", "category", "stderr", "output", error, "\n"));
   if (dap->began && !dap->ended)
      debug_wire_event(&dap->wire, "terminated", NULL);
   debug_session_free(&session);
   dap->session = NULL;
   dap->began = dap->configured = false;
}

/* Requests while there is no session. */
static void
serve_outside(struct debug_dap *dap, json_t *request)
{
   const char *command = look_text(request, "command");
   if (!strcmp(command, "initialize"))
      initialize(dap, request, json_object_get(request, "arguments"));
   else if (!strcmp(command, "launch") || !strcmp(command, "attach"))
      launch(dap, request);
   else if (!strcmp(command, "disconnect") || !strcmp(command, "terminate"))
      end(dap, request, NULL);
   else
      refuse(dap, request, "'%s' comes after launch or attach", command);
}

bool
debug_dap(const struct debug_question *question, bool has_question, int port, char *error,
          size_t error_B)
{
   struct debug_dap dap = { .question = *question, .has_question = has_question, .line_base = 1 };
   json_t *request;
   if (!debug_wire_open(&dap.wire, port, error, error_B)) {
      debug_wire_close(&dap.wire);
      return false;
   }
   while (!dap.ended && (request = debug_wire_read(&dap.wire))) {
      serve_outside(&dap, request);
      json_decref(request);
   }
   debug_dap_forget(&dap);
   debug_files_free(&dap.files);
   debug_wire_close(&dap.wire);
   return true;
}
