/* SPDX-License-Identifier: MIT */
/*
 * Messages of the Debug Adapter Protocol: JSON behind a header with its length.
 */
#ifndef DEBUG_WIRE_H
#define DEBUG_WIRE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct debug_wire {
   FILE *in, *out;
   json_int_t seq;
};

/** stdin and stdout (port -1), or the first client of a port of the loopback; 0: a free port, which
 * is printed. False: `error`. */
bool debug_wire_open(struct debug_wire *wire, int port, char *error, size_t error_B);
void debug_wire_close(struct debug_wire *wire);

/** The next request, to be freed; NULL: the client is gone, or sent no message of the protocol. */
json_t *debug_wire_read(struct debug_wire *wire);

/** Answer a request. body: taken over; NULL: none. */
void debug_wire_answer(struct debug_wire *wire, const json_t *request, json_t *body);
/** Answer that it cannot be done, with the reason. */
void debug_wire_refuse(struct debug_wire *wire, const json_t *request, const char *reason);
/** An event. body: taken over; NULL: none. */
void debug_wire_event(struct debug_wire *wire, const char *event, json_t *body);

#endif
