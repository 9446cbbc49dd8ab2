/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: rows of statistics (cf_stats_file.h), in the order of packets.
 *
 * A draw's row is counted by its pass, as is that of a clear in a pass. A clear that is done at
 * once and a transfer have a row in the list of their submission, until it is known that they are
 * done: when the pass that was launched after them is, or the submission.
 */
#ifndef CF_PROCESS_ROWS_H
#define CF_PROCESS_ROWS_H

#include "clipfree/command/cf_transfer.h"
#include "clipfree/profile/cf_stats_file.h"
#include "clipfree/schedule/cf_pass.h"

/* A clear that is done at once, or a transfer. */
struct cf_operation_row {
   struct cf_operation_row *next;
   struct cf_stats_row row;
   enum cf_stat_rows kind;
   uint64_t passes; /* of the submission that were launched before it */
   uint64_t loop;   /* the last one of a transfer */
   struct cf_transfer_counts counts;
};

/* Those of a submission. All zero: none. */
struct cf_operation_rows {
   struct cf_operation_row *first, *last;
   uint64_t passes; /* launched so far */
};

/** Make a row that is in no list. packet: its address. NULL: out of memory. */
struct cf_operation_row *cf_operation_row_create(enum cf_stat_rows kind, const char *name,
                                                 uint64_t packet, uint64_t submission);

/** Append a row to those of its submission, which frees it. */
void cf_operation_rows_append(struct cf_operation_rows *rows, struct cf_operation_row *row);

/** Add the rows of what was done before pass number `pass` of the submission to the file, from the
 * list, and their times to ns[CF_UNITS]. Waits until it is done. */
void cf_operation_rows_add(struct cf_operation_rows *rows, uint64_t pass,
                           struct cf_stats_file *file, struct cf_workers *workers, uint64_t *ns);

void cf_operation_rows_free(struct cf_operation_rows *rows);

/** Note what a draw is that was added to the pass last, if it is counted: `number` of the draw
 * packet, from 0, in `submission`, from 0. The parser's clock is split. */
void cf_process_describe_draw(struct cf_pass *pass, const struct cf_draw_state *draw,
                              uint64_t number, uint64_t submission, struct cf_unit_clock *parser);

/** Give the draw that was added last the texts of its note, if it has one. */
void cf_process_note_draw(struct cf_stats_file *file, struct cf_pass *pass, uint64_t packet);

/** Drop the note of a draw that has no row, so that a later draw at its address does not get it. */
void cf_process_drop_note(struct cf_stats_file *file, uint64_t packet);

/** Note what a clear is in its row: its rectangle lies in its images, of which there are any. The
 * parser's clock is split. */
void cf_process_describe_clear(struct cf_stats_row *row, const struct cf_clear_op *op,
                               struct cf_unit_clock *parser);

/** Add the rows of the draws and clears of a pass that is done. */
void cf_process_add_draws(struct cf_stats_file *file, const struct cf_pass *pass);

#endif
