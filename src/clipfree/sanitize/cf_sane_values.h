/* SPDX-License-Identifier: MIT */
/* Private to the room: what suspect values are in words, and their tags in scratch. */
#ifndef CF_SANE_VALUES_H
#define CF_SANE_VALUES_H

#include "clipfree/sanitize/cf_sane.h"

/** Report a birth in these lanes, which came to `where`. */
void sane_report_birth(const struct sane_thread *t, const struct cf_task_event *event,
                       const struct sane_birth *birth, uint32_t lanes, const char *where);

/** Report vertices at infinity. */
void sane_report_position(const struct sane_thread *t, const struct cf_task_event *event,
                          uint32_t lanes);

/** The tag of the dword that lds loads, by its operand. */
uint8_t sane_scratch_tag(const struct sane_thread *t, uint32_t lane);

/** Set the tag of the dword that sts stored. */
void sane_scratch_store(struct sane_thread *t, uint32_t lane, uint8_t tag);

#endif
