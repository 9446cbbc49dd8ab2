/* SPDX-License-Identifier: MIT */
/*
 * An instruction that an answer names, with its lines of GLSL.
 */
#ifndef WHY_LINES_H
#define WHY_LINES_H

#include <jansson.h>

#include "look/look_player.h"

#define WHY_PLACE_B 256

/** {"instruction": 3, "lines": [{"line", "string", "object", "text_line", "text"}]}; `lines` is
 * empty where the capture knows none. */
json_t *why_instruction_json(const struct look_player *player, uint64_t program, uint32_t instr);

/** "line 12 of the vertex shader: `gl_Position = a / b;`"; where the capture knows no lines,
 * "instruction 3 of the vertex program". `instruction`: of why_instruction_json. */
void why_place_text(const json_t *instruction, const char *stage, char text[WHY_PLACE_B]);

#endif
