/* SPDX-License-Identifier: MIT */
#ifndef WHY_TEXT_H
#define WHY_TEXT_H

#include <jansson.h>
#include <stdio.h>

/** Print an answer (why_verdict.h) for people to read: the verdict, then a line for each event. */
void why_print(FILE *file, const json_t *answer);

#endif
