/* SPDX-License-Identifier: MIT */
/*
 * Who wrote a pixel, a texel or a byte of a buffer last before a draw, or first after it.
 */
#ifndef DEBUG_DATA_H
#define DEBUG_DATA_H

#include "debug_scope.h"

struct debug_view; /* debug_values.h */

/* A pixel, a texel or a byte whose writer is asked for. */
struct debug_data {
   bool is_byte;
   uint64_t address;    /* of the byte, or of the image's pixels; 0: what was presented */
   uint32_t x_px, y_px; /* of a pixel or texel */
};

#define DEBUG_DATA_FORMS                                                                           \
   "pixel X,Y; pixel X,Y of 0xIMAGE; texel SAMPLER; texel SAMPLER X,Y [level L] [layer N]; "       \
   "byte 0xADDRESS"

/** Read one of DEBUG_DATA_FORMS; samplers are those of the view. Without a place the texel is the
 * first that the lane's sample there reads. False: `error`. */
bool debug_data_parse(const struct debug_view *view, const char *text, struct debug_data *data,
                      char *error, size_t error_B);

struct debug_writer {
   bool is_draw;
   struct debug_place at;
   struct debug_scope scope; /* of a draw: that of the pixel; to be freed */
   uint32_t place;           /* in it */
   char text[DEBUG_FATE_B + 96];
};

/** Whether a is before b (negative), or after it: by submission, packet, primitive. */
int debug_place_order(const struct debug_place *a, const struct debug_place *b);

/** Find the writer, last before `here` or first after it. False: `error` says why it is not known,
 * or that nobody is. */
bool debug_data_writer(const struct debug_question *question, const struct debug_data *data,
                       const struct debug_place *here, bool later, struct debug_writer *writer,
                       char *error, size_t error_B);

#endif
