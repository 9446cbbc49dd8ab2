/* SPDX-License-Identifier: MIT */
/*
 * What is debugged: the tasks that a debugger visits, in order. Of a pixel: of each fragment that
 * wanted it; of a vertex: the one that shades it; of a draw: all.
 */
#ifndef DEBUG_SCOPE_H
#define DEBUG_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clipfree/interface/cf_observer.h"

#define DEBUG_NONE UINT32_MAX
#define DEBUG_FATE_B 256

enum debug_kind {
   DEBUG_PIXEL,
   DEBUG_VERTEX,
   DEBUG_DRAW,
};

/* What a person asks for. */
struct debug_question {
   const char *path;
   const char
      *real; /* a capture of the same frame, with the real programs (debug_real.h); or NULL */
   enum debug_kind kind;
   uint32_t x_px, y_px; /* of a pixel */
   uint64_t image;      /* its image; 0: what was presented or drawn last */
   uint32_t element;    /* of a vertex: its number in the draw, from 0 */
   uint32_t draw;       /* DEBUG_NONE: any, of a pixel */
};

/* A place to visit: a draw, and of a pixel the primitive whose fragment it is. */
struct debug_place {
   uint32_t submission, draw;
   uint64_t packet;
   uint32_t x_px, y_px, primitive; /* of a pixel, in the image that is drawn to */
   bool written;
   char fate[DEBUG_FATE_B]; /* what became of the fragment */
};

struct debug_scope {
   struct debug_question question;
   struct debug_place *place; /* of a draw or vertex: one */
   uint32_t places;
   /* of a pixel */
   struct debug_place *other; /* clears and copies that wrote it, in order; `fate` names them */
   uint32_t others;
   char *verdict; /* what `clipfree why` says of it */
};

/** Find what to visit. False: `error` says why there is nothing. Free it in any case. */
bool debug_scope_find(const struct debug_question *question, struct debug_scope *scope, char *error,
                      size_t error_B);
void debug_scope_free(struct debug_scope *scope);

/** The place to begin at: of a pixel its last fragment that was written, or the last. */
uint32_t debug_scope_first(const struct debug_scope *scope);

#endif
