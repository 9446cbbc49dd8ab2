/* SPDX-License-Identifier: MIT */
/*
 * Frame dumps: pictures to files.
 */
#ifndef CLIPFREE_FRAME_DUMP_H
#define CLIPFREE_FRAME_DUMP_H

struct cf_picture;

/** Write the picture to <prefix>nnnn.png (8 bits of red, green and blue) and print a line with the
 * SHA-1 of those bytes, row by row from the top. Errors are printed. */
void cf_frame_dump(const char *prefix, unsigned frame, const struct cf_picture *picture);

#endif
