/* SPDX-License-Identifier: MIT */
/*
 * A note of a capture (interface/cf_note.h), as --print shows it.
 */
#ifndef REPLAY_NOTES_H
#define REPLAY_NOTES_H

#include <stdio.h>

#include <jansson.h>

#include "clipfree/capture/cf_capture_reader.h"

/** {"record": "note", "address", "parts"} (docs/schemas/replay-run.schema.json). */
json_t *replay_note_json(const struct cf_capture_record *record, const uint8_t *note);

/** The same as text. */
void replay_note_print(FILE *file, const json_t *note);

#endif
