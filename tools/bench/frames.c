/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "frames.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

typedef void *dlsym_function(void *handle, const char *name);
typedef unsigned swap_egl(void *display, void *surface);
typedef void swap_glx(void *display, unsigned long drawable);

static dlsym_function *
real_dlsym(void)
{
   static dlsym_function *found;
   /* versions of the symbol: in newer C libraries, in the first one of later architectures, of
    * x86-64 */
   static const char *const versions[] = { "GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5" };
   for (size_t i = 0; !found && i < sizeof(versions) / sizeof(versions[0]); i++)
      found = (dlsym_function *)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
   return found;
}

/* The definition of `name` behind this library: in libraries loaded after it, or opened later. */
static void *
real(const char *name, const char *library)
{
   void *found = real_dlsym()(RTLD_NEXT, name);
   void *handle = found ? NULL : dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
   return handle ? real_dlsym()(handle, name) : found;
}

static void *
find_egl(const char *name)
{
   gl_function *find = (gl_function *)real("eglGetProcAddress", "libEGL.so.1");
   return find ? find(name) : NULL;
}

static void *
find_glx(const char *name)
{
   gl_function *find = (gl_function *)real("glXGetProcAddress", "libGL.so.1");
   return find ? find(name) : NULL;
}

PUBLIC unsigned
eglSwapBuffers(void *display, void *surface)
{
   const unsigned swapped = ((swap_egl *)real("eglSwapBuffers", "libEGL.so.1"))(display, surface);
   if (swapped)
      frame_ended(true, find_egl);
   return swapped;
}

PUBLIC void
glXSwapBuffers(void *display, unsigned long drawable)
{
   ((swap_glx *)real("glXSwapBuffers", "libGL.so.1"))(display, drawable);
   frame_ended(true, find_glx);
}

/* glFinish, for programs that look it up through EGL. */
static void
finish(void)
{
   ((void (*)(void))find_egl("glFinish"))();
   frame_ended(false, find_egl);
}

PUBLIC void *
eglGetProcAddress(const char *name)
{
   return strcmp(name, "glFinish") == 0 ? (void *)finish : find_egl(name);
}

PUBLIC void *
dlsym(void *handle, const char *name)
{
   if (strcmp(name, "eglSwapBuffers") == 0)
      return (void *)eglSwapBuffers;
   if (strcmp(name, "glXSwapBuffers") == 0)
      return (void *)glXSwapBuffers;
   if (strcmp(name, "eglGetProcAddress") == 0)
      return (void *)eglGetProcAddress;
   return real_dlsym()(handle, name);
}
