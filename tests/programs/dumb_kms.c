/* SPDX-License-Identifier: MIT
 *
 * The device is a descriptor of /dev/full: a character device, as GBM wants one, that nobody else
 * maps or asks for modes. Buffers lie in a memory file, the one with handle h at h * SLOT_B; a
 * buffer's offset to map is that as well.
 */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* with it mmap is another name of mmap64, and both are defined here */
#include "dumb_kms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xf86drm.h>

#define SLOTS 16
#define SLOT_B (16ll << 20)

static struct {
   bool dumb_buffers;
   int memory;
   dev_t number;
   bool live[SLOTS + 1]; /* by handle; there is no handle 0 */
   uint8_t *pixels;
} kms;

int
dumb_kms_open(bool dumb_buffers)
{
   struct stat device;
   int fd = open("/dev/full", O_RDWR | O_CLOEXEC);
   kms.dumb_buffers = dumb_buffers;
   kms.memory = memfd_create("dumb_kms", MFD_CLOEXEC);
   if (fd < 0 || fstat(fd, &device) || kms.memory < 0 ||
       ftruncate(kms.memory, (SLOTS + 1) * SLOT_B)) {
      perror("dumb_kms");
      exit(1);
   }
   kms.number = device.st_rdev;
   kms.pixels = mmap(NULL, (SLOTS + 1) * SLOT_B, PROT_READ | PROT_WRITE, MAP_SHARED, kms.memory, 0);
   return fd;
}

uint8_t *
dumb_kms_pixels(uint32_t handle)
{
   return handle <= SLOTS && kms.live[handle] ? kms.pixels + handle * SLOT_B : NULL;
}

int
dumb_kms_live_buffers(void)
{
   int count = 0;
   for (int i = 1; i <= SLOTS; i++)
      count += kms.live[i];
   return count;
}

static int
create_buffer(struct drm_mode_create_dumb *request)
{
   uint32_t handle = 1;
   while (handle <= SLOTS && kms.live[handle])
      handle++;
   request->pitch = (request->width * request->bpp / 8 + 255) / 256 * 256;
   request->size = (uint64_t)request->pitch * request->height;
   if (handle > SLOTS || request->size > SLOT_B) {
      errno = ENOMEM;
      return -1;
   }
   request->handle = handle;
   kms.live[handle] = true;
   return 0;
}

/* A descriptor of a buffer is one of the memory, at the offset of its handle. */
static int
export_buffer(struct drm_prime_handle *request)
{
   char path[40];
   snprintf(path, sizeof(path), "/proc/self/fd/%d", kms.memory);
   request->fd = open(path, O_RDWR | O_CLOEXEC);
   return request->fd < 0 || lseek(request->fd, request->handle, SEEK_SET) < 0 ? -1 : 0;
}

static int
import_buffer(struct drm_prime_handle *request)
{
   request->handle = lseek(request->fd, 0, SEEK_CUR);
   return 0;
}

/* Whether the descriptor is the device's, or a duplicate of it. */
static bool
is_device(int fd)
{
   struct stat file;
   return kms.number && fd >= 0 && !fstat(fd, &file) && S_ISCHR(file.st_mode) &&
          file.st_rdev == kms.number;
}

__attribute__((visibility("default"))) int
drmIoctl(int fd, unsigned long request, void *argument)
{
   if (!is_device(fd))
      return ioctl(fd, request, argument);
   if (request == DRM_IOCTL_GET_CAP) {
      struct drm_get_cap *cap = argument;
      cap->value = 0;
      if (cap->capability == DRM_CAP_DUMB_BUFFER)
         cap->value = kms.dumb_buffers;
      else if (cap->capability == DRM_CAP_PRIME)
         cap->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
      return 0;
   }
   if (kms.dumb_buffers) {
      switch (request) {
      case DRM_IOCTL_MODE_CREATE_DUMB:
         return create_buffer(argument);
      case DRM_IOCTL_PRIME_HANDLE_TO_FD:
         return export_buffer(argument);
      case DRM_IOCTL_PRIME_FD_TO_HANDLE:
         return import_buffer(argument);
      case DRM_IOCTL_MODE_MAP_DUMB: {
         struct drm_mode_map_dumb *map = argument;
         map->offset = map->handle * SLOT_B;
         return 0;
      }
      case DRM_IOCTL_MODE_DESTROY_DUMB: {
         const uint32_t handle = ((struct drm_mode_destroy_dumb *)argument)->handle;
         if (handle <= SLOTS)
            kms.live[handle] = false;
         return 0;
      }
      }
   }
   errno = ENOTTY;
   return -1;
}

__attribute__((visibility("default"))) void *
mmap(void *address, size_t size_B, int protection, int flags, int fd, off_t offset_B)
{
   if (is_device(fd))
      fd = kms.memory;
   return (void *)syscall(SYS_mmap, address, size_B, protection, flags, fd, offset_B);
}

__attribute__((visibility("default"))) void *
mmap64(void *address, size_t size_B, int protection, int flags, int fd, off_t offset_B)
{
   return mmap(address, size_B, protection, flags, fd, offset_B);
}
