/* SPDX-License-Identifier: MIT */
/*
 * What Mesa says to the driver when it creates a context
 * (st-mesa-tell-clipfree-of-contexts-of-OpenGL-ES-3.patch): flags beside Gallium's own,
 * PIPE_CONTEXT_*, which are low bits.
 */
#ifndef CF_CONTEXT_FLAGS_H
#define CF_CONTEXT_FLAGS_H

/* Magnification ends at a level of detail of 0 with all filters, as the context is one of OpenGL ES
 * 3, not of ES 2.0 or OpenGL. */
#define CF_CONTEXT_MAGNIFY_TO_ZERO (1u << 31)

#endif
