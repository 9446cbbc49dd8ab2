/* SPDX-License-Identifier: MIT
 *
 * A KMS device that this process plays for itself: dumb buffers (create, map, destroy) in memory.
 * The program's own drmIoctl and mmap stand before libdrm's and libc's, so that the driver under
 * test meets it as it would the kernel's.
 *
 * Limits: no modes, no connectors, no sharing between processes; at most 16 buffers of 16 MB.
 */
#ifndef DUMB_KMS_H
#define DUMB_KMS_H

#include <stdbool.h>
#include <stdint.h>

/* Opens the device, with the capability of dumb buffers or without. */
int dumb_kms_open(bool dumb_buffers);

/* The pixels of a live buffer; NULL if there is none with the handle. */
uint8_t *dumb_kms_pixels(uint32_t handle);

int dumb_kms_live_buffers(void);

#endif
