/* SPDX-License-Identifier: MIT */
/*
 * KMS devices, for programs without a window system: the program opens the device and gives the
 * descriptor to GBM; Mesa's kms-dri winsys creates a dumb buffer (libdrm) for each display target;
 * cf_winsys_put copies finished pictures to it; the program sets the mode and flips. This file only
 * rejects devices that lack the capabilities, before a first buffer fails.
 */
#include "clipfree_drm.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <xf86drm.h>

/* A capability's value; 0, with errno set, if the device does not know it. */
static uint64_t
cf_drm_capability(int fd, uint64_t capability)
{
   struct drm_get_cap cap = { .capability = capability };

   errno = 0;
   return drmIoctl(fd, DRM_IOCTL_GET_CAP, &cap) ? 0 : cap.value;
}

bool
cf_drm_check(int fd)
{
   const char *missing = NULL;

   /* GBM hands buffers to EGL through PRIME: without it, Mesa 25.0.7 would crash. */
   if (!cf_drm_capability(fd, DRM_CAP_DUMB_BUFFER))
      missing = "dumb buffers";
   else if (!(cf_drm_capability(fd, DRM_CAP_PRIME) & DRM_PRIME_CAP_EXPORT))
      missing = "export of buffers (PRIME)";
   if (missing)
      fprintf(stderr,
              "clipfree: the device given to GBM has no %s%s%s. Open a display controller "
              "(/dev/dri/card*), or draw without one: on X11, Wayland or EGL's surfaceless platform.\n",
              missing, errno ? ": " : "", errno ? strerror(errno) : "");
   return !missing;
}
