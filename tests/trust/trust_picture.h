/* SPDX-License-Identifier: MIT
 *
 * The picture that the cases of suite `trust` draw and compare.
 */
#ifndef TRUST_PICTURE_H
#define TRUST_PICTURE_H

#include <stdint.h>

/* Draws the picture of this number off screen, each with a program of its own, and returns a hash
 * of its pixels. It takes long enough for the program to be compiled beside. */
uint64_t picture_draw(unsigned number);

/* The same once more for a picture that was drawn, without new programs. */
uint64_t picture_draw_again(void);

#endif
