/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: clears that need no pass, as they change tile states alone.
 */
#ifndef CF_QUICK_CLEAR_H
#define CF_QUICK_CLEAR_H

#include "clipfree/command/cf_state.h"

/** Whether the clear is one of whole images with tile states, and not to be written to memory. */
bool cf_quick_clear_fits(const struct cf_clear_op *op, const struct cf_frame *frame);

/** Do such a clear, while no work on its images is in flight. */
void cf_quick_clear(const struct cf_clear_op *op, const struct cf_frame *frame);

#endif
