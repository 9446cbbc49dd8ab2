/* SPDX-License-Identifier: MIT */
/*
 * A debug adapter: the Debug Adapter Protocol (docs/debug.md) on stdin and stdout, or on a port of
 * the loopback.
 */
#ifndef DEBUG_DAP_H
#define DEBUG_DAP_H

#include "debug_scope.h"

/** Serve one client. `question`: of the command line, if it has one; what the client's launch
 * request names comes first. port: -1: stdin and stdout; 0: a free port, which is printed. False:
 * `error`. */
bool debug_dap(const struct debug_question *question, bool has_question, int port, char *error,
               size_t error_B);

#endif
