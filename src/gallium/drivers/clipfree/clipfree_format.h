/* SPDX-License-Identifier: MIT */
/*
 * Gallium's formats as the GPU names them.
 */
#ifndef CLIPFREE_FORMAT_H
#define CLIPFREE_FORMAT_H

#include <stdbool.h>

#include "util/format/u_formats.h"
#include "pipe/p_defines.h"

#include "clipfree/memory/cf_format.h"

struct pipe_screen;

/** The GPU's format, CF_FORMAT_NONE if it has none. */
enum cf_format cf_format_from_pipe(enum pipe_format format);

/** The format of a buffer's texels. Formats of alpha, luminance and intensity are those of red and
 * green with the components moved: `swizzle` is `asked` (enum pipe_swizzle) of the GPU's format. */
enum cf_format cf_buffer_format_from_pipe(enum pipe_format format, const uint8_t asked[4],
                                          uint8_t swizzle[4]);

/** pipe_screen::is_format_supported. */
bool cf_is_format_supported(struct pipe_screen *screen, enum pipe_format format,
                            enum pipe_texture_target target, unsigned sample_count,
                            unsigned storage_sample_count, unsigned bind);

#endif
