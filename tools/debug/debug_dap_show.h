/* SPDX-License-Identifier: MIT */
/*
 * Private to the adapter: its state, and the requests that only look.
 */
#ifndef DEBUG_DAP_SHOW_H
#define DEBUG_DAP_SHOW_H

#include "debug_expr.h"
#include "debug_files.h"
#include "debug_real.h"
#include "debug_wire.h"

struct debug_dap {
   struct debug_wire wire;
   struct debug_question question;
   bool has_question;
   struct debug_session *session; /* NULL: none yet */
   const json_t *launch;          /* the request */
   bool began, configured, stop_on_entry;
   bool left;  /* the task is to be left */
   bool ended; /* the client is gone */
   int line_base;
   struct debug_files files;
   json_t *
      *children; /* lists of variables that the client has been told of, while it stands still */
   uint32_t children_count;
};

/** Tell the client that the session has stopped, and why. */
void debug_dap_stopped(struct debug_dap *dap);
/** The session has moved: it has stopped again, or leaves the task. */
void debug_dap_moved(struct debug_dap *dap, bool stays);
/** Forget the variables that the client has been told of. */
void debug_dap_forget(struct debug_dap *dap);

/** What is looked at in a thread; 0: in the one that is looked at. */
struct debug_view debug_dap_view(const struct debug_dap *dap, long long thread);
/** "pixel X,Y of 0xIMAGE": that of a lane, in the image that is drawn to. */
void debug_dap_pixel(const struct debug_dap *dap, uint32_t lane, char *text, size_t size);
/** The instruction that a reference, and an offset in bytes, name. */
int64_t debug_dap_pc(const char *reference, long long offset_B);

void debug_dap_threads(struct debug_dap *dap, const json_t *request, const json_t *arguments);
void debug_dap_stack_trace(struct debug_dap *dap, const json_t *request, const json_t *arguments);
void debug_dap_scopes(struct debug_dap *dap, const json_t *request, const json_t *arguments);
void debug_dap_variables(struct debug_dap *dap, const json_t *request, const json_t *arguments);
void debug_dap_evaluate(struct debug_dap *dap, const json_t *request, const json_t *arguments);
void debug_dap_disassemble(struct debug_dap *dap, const json_t *request, const json_t *arguments);
void debug_dap_source(struct debug_dap *dap, const json_t *request, const json_t *arguments);
void debug_dap_loaded_sources(struct debug_dap *dap, const json_t *request,
                              const json_t *arguments);
void debug_dap_exception_info(struct debug_dap *dap, const json_t *request,
                              const json_t *arguments);

#endif
