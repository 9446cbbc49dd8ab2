/* SPDX-License-Identifier: MIT */
/*
 * The debugger at a terminal: commands from stdin, a line each; what is seen goes to stdout.
 */
#ifndef DEBUG_CONSOLE_H
#define DEBUG_CONSOLE_H

#include "debug_scope.h"

extern const char debug_console_help[]; /* its commands, after a heading */

/** Run a session. False: `error`. */
bool debug_console(const struct debug_question *question, char *error, size_t error_B);

#endif
