/* SPDX-License-Identifier: MIT */
/*
 * Fences: a submission to wait for.
 */
#ifndef CLIPFREE_FENCE_H
#define CLIPFREE_FENCE_H

#include <stdint.h>

struct cf_context;
struct cf_screen;

void cf_screen_init_fences(struct cf_screen *screen);
void cf_context_init_fences(struct cf_context *context);

#endif
