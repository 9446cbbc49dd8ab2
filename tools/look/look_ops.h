/* SPDX-License-Identifier: MIT */
/*
 * Operations: packets that write memory. Draws, clears and transfers, each with the state when it
 * is reached, and what it writes.
 */
#ifndef LOOK_OPS_H
#define LOOK_OPS_H

#include "look_state.h"

#define LOOK_IMAGES (CF_MAX_COLOR_TARGETS + 1) /* of a frame buffer; depth and stencil last */
#define LOOK_NO_DRAW UINT32_MAX

struct look_op {
   uint32_t number;        /* among the capture's operations, from 0 */
   uint32_t draw;          /* among its draws, from 0; of others LOOK_NO_DRAW */
   uint32_t at_dw, dwords; /* where its packet is in the submission */
   enum cf_opcode opcode;
   const uint32_t *packet;
};

/** Whether packets of this kind are operations. */
bool look_is_op(enum cf_opcode opcode);

/* A walk through the operations of submissions, one after the other. Begins as { 0 }. */
struct look_ops {
   struct look_packets packets;
   struct look_state state; /* when the last operation found is reached */
   uint32_t ops, draws;     /* found so far, in all submissions */
};

/** Go on with the first operation of this submission. */
void look_ops_enter(struct look_ops *ops, const struct look_submission *submission);

/** The next operation of the submission; false: there is none. */
bool look_ops_next(struct look_ops *ops, struct look_op *op);

/* An image of an operation. */
struct look_op_image {
   uint32_t target; /* of draws and clears: its number in the frame buffer, below LOOK_IMAGES */
   struct cf_surface surface;
};

/* A buffer of an operation. Of feedback: the whole buffer, or its count. */
struct look_op_buffer {
   uint64_t address, size_B;
   bool is_fed;      /* by feedback, from the vertices of a draw */
   bool is_count;    /* how many bytes feedback has filled */
   uint32_t binding; /* number of the buffer in packet feedback */
};
#define LOOK_BUFFERS (2 * CF_FEEDBACK_BUFFERS)

/* What an operation writes, and reads as a source. */
struct look_written {
   struct look_op_image image[LOOK_IMAGES];
   uint32_t images;
   struct cf_surface source;  /* of transfers between images; address 0: none */
   struct look_op_buffer buffer[LOOK_BUFFERS]; /* of transfers between buffers, and of feedback */
   uint32_t buffers;
};

/** What the operation writes. Images that are not in memory, or malformed, are left out. */
struct look_written look_op_written(const struct look_player *player,
                                    const struct look_state *state, const struct look_op *op);

/** The name of a target: "color 0", ..., "depth_stencil"; of transfers "destination". */
const char *look_target_name(const struct look_op *op, uint32_t target);

/** The name of a buffer: "feedback 0", "count of feedback 0", ...; of transfers "destination". */
const char *look_buffer_name(const struct look_op_buffer *buffer);

#endif
