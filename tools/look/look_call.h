/* SPDX-License-Identifier: MIT */
#ifndef LOOK_CALL_H
#define LOOK_CALL_H

#include "look_player.h"

#define LOOK_CALL_B 160

/** A draw as text: GL's call, "glDrawElements(GL_TRIANGLES, 36, GL_UNSIGNED_SHORT)", if the capture
 * has a note of the packet at `address`; else what the packet says, "triangles, 36 indices". "": it
 * is no draw. */
void look_call(const struct look_player *player, uint64_t address, const uint32_t *packet,
               char text[LOOK_CALL_B]);

#endif
