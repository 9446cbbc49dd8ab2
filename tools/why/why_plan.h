/* SPDX-License-Identifier: MIT */
/*
 * What there is to watch: the operations of a capture, in order, and from the pixel that was asked
 * for back along the copies that brought it there, the pixels of other images that it came from.
 * Example: a window's pixel is a copy of the back buffer's, which is the mean of four samples.
 *
 * It reads packets and runs nothing.
 */
#ifndef WHY_PLAN_H
#define WHY_PLAN_H

#include "look/look_ops.h"

#include "clipfree/interface/cf_limits.h"
#include "clipfree/interface/cf_observer.h"

#define WHY_IMAGES LOOK_IMAGES
#define WHY_WATCHES 64
#define WHY_NO_DRAW LOOK_NO_DRAW

/* The images of a frame buffer. address 0: none. */
struct why_frame {
   struct cf_surface image[WHY_IMAGES];
   uint32_t colors;
};

/* An operation that writes pixels (look_ops.h). */
struct why_op {
   uint32_t submission, frame_number;
   uint64_t packet;
   enum cf_opcode opcode;
   uint32_t draw;  /* number of a draw among the capture's, from 0; else WHY_NO_DRAW */
   uint32_t frame; /* draws and clears: index in why_plan.frame */
   /* copy, gather, reduce, resolve, invalidate */
   struct cf_surface source, destination;
   struct cf_rect from, to;
   uint32_t *columns, *rows; /* gather: the tables, owned */
   bool part;                /* only depth or stencil is copied */
};

/* A pixel of an image, between two operations: those with index first .. last - 1 matter. */
struct why_watch {
   struct cf_surface image;
   uint32_t x_px, y_px;
   uint32_t first, last;
   uint32_t copied_to; /* the watch whose pixel operation `last` copies from here; its own: none */
};

struct why_plan {
   struct why_op *op;
   struct why_frame *frame;
   uint32_t ops, frames, draws, op_capacity, frame_capacity;
   struct cf_surface shown; /* the image that is asked for */
   struct why_watch watch[WHY_WATCHES];
   uint32_t watches;
};

struct why_question {
   const char *path;
   struct cf_capture_reader *reader; /* of the file, open, so that it is checked once; NULL */
   uint32_t x_px, y_px;
   uint64_t image;     /* address of its pixels; 0: what was presented or drawn last */
   unsigned long draw; /* number of a draw; WHY_NO_DRAW: none */
   bool all;           /* what was before the last clear, too */
   /* Puts other packets in the place of a submission's, before anything looks at it; NULL: none. */
   void (*edit)(void *user, const struct look_player *player, struct look_submission *submission);
   void *edit_user;
};

/** Change the submission as the question asks. */
static inline void
why_edit(const struct why_question *question, const struct look_player *player,
         struct look_submission *submission)
{
   if (question->edit)
      question->edit(question->edit_user, player, submission);
}

/** Play the capture that is asked about; look_player_open. */
struct look_player *why_play(const struct why_question *question,
                             const struct cf_model_config *config, char *error, size_t error_B);

/** Find what to watch. False: `error` says why there is nothing. Free it in any case. */
bool why_plan_make(const struct why_question *question, struct why_plan *plan, char *error,
                   size_t error_B);
void why_plan_free(struct why_plan *plan);

/** The operation of a packet; NULL: it is none. */
const struct why_op *why_plan_op(const struct why_plan *plan, uint32_t submission, uint64_t packet);

/** The watch of pixel (x, y) whose image operation `op` draws to, clears or transfers to, and in
 * whose time that is; -1: none. *target: the image's index in the frame buffer. */
int why_plan_watch(const struct why_plan *plan, const struct why_op *op, uint32_t x_px,
                   uint32_t y_px, uint32_t *target);

/** Whether a watched pixel lies in the tile of its image; cf_observer.wants_tile. */
bool why_plan_wants_tile(const struct why_plan *plan, uint32_t tile_x, uint32_t tile_y);

#endif
