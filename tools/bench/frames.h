/* SPDX-License-Identifier: MIT
 *
 * For libraries that are preloaded into a program and follow its frames, whatever driver it runs
 * on. Programs find the functions that present by name, at link time or through dlsym and
 * eglGetProcAddress: frames.c stands before them. A library has frames.c and one frame_ended().
 */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdbool.h>

/* A function of OpenGL by its name; NULL: there is none. */
typedef void *gl_function(const char *name);

/* A frame has ended, in the thread that presented it and with its context current: by a swap, or,
 * where the program presents nothing, by glFinish (`presented` is false). */
void frame_ended(bool presented, gl_function *find);

#endif
