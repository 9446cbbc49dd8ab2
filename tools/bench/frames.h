/* SPDX-License-Identifier: MIT
 *
 * For libraries that are preloaded into a program to observe its frames, on any driver. frames.c
 * interposes the functions that present, which programs find by name, at link time or through dlsym
 * and eglGetProcAddress. A library consists of frames.c and one definition of frame_ended().
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdbool.h>

/* Look up a function of OpenGL by name; NULL: there is none. */
typedef void *gl_function(const char *name);

/* Called at the end of each frame, in the thread that presents and with its context current: at a
 * swap, or at glFinish (`presented` is false) in programs that present nothing. */
void frame_ended(bool presented, gl_function *find);

#endif
