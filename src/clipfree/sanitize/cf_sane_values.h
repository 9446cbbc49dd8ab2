/* SPDX-License-Identifier: MIT */
/* Private to the room: what suspect values are in words, and their tags in scratch. */
#ifndef CF_SANE_VALUES_H
#define CF_SANE_VALUES_H

#include "clipfree/sanitize/cf_sane.h"

/** Report a birth in these lanes, which came to `where`. */
void sane_report_birth(const struct sane_thread *t, const struct cf_task_event *event,
                       const struct sane_birth *birth, uint32_t lanes, const char *where);

/** Whether a lane's value was not finite before the instruction of its birth. */
bool sane_is_loaded(const struct sane_birth *birth, uint32_t lane);

/** Where a lane of a task is, into a report. */
void sane_take_lane(const struct cf_task_event *event, uint32_t lane,
                    struct cf_sanitize_report *report);

/* ---- cf_sane_way.c */

/** Births of these tags, a bit each, pass the instruction that ran. */
void sane_pass_through(struct sane_thread *t, uint32_t tags);

/** The lines that a birth passed to the instruction that comes, into a report. */
void sane_take_through(const struct sane_thread *t, const struct sane_birth *birth,
                       struct cf_sanitize_report *report);

/** A birth came to `where` in these lanes. If its value came into the program from what is reported
 * elsewhere, this is a step of that report; and where it goes is noted. `known`: the birth's own
 * report, or NULL. */
void sane_follow(const struct sane_thread *t, const struct cf_task_event *event,
                 const struct sane_birth *birth, uint32_t lanes, const char *where,
                 struct cf_sanitize_report *known);

/** Report vertices at infinity. */
void sane_report_position(const struct sane_thread *t, const struct cf_task_event *event,
                          uint32_t lanes);

/** The tag of the dword that lds loads, by its operand. */
uint8_t sane_scratch_tag(const struct sane_thread *t, uint32_t lane);

/** Set the tag of the dword that sts stored. */
void sane_scratch_store(struct sane_thread *t, uint32_t lane, uint8_t tag);

#endif
