/* SPDX-License-Identifier: MIT */
/*
 * KMS devices.
 */
#ifndef CLIPFREE_DRM_H
#define CLIPFREE_DRM_H

#include <stdbool.h>

/** Whether the DRM device open as fd can present for GBM clients: it has dumb buffers, for
 * pictures, and can export them. False: reported, with advice. */
bool cf_drm_check(int fd);

#endif
