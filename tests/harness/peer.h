/* SPDX-License-Identifier: MIT
 *
 * A thread with an OpenGL ES 2.0 context that does one thing at a time, as it is told. Its context
 * stays current, so that nothing is flushed but by what it does.
 */
#ifndef PEER_H
#define PEER_H

#include <pthread.h>

#include "gles2_context.h"

struct peer {
   EGLDisplay display;
   EGLContext context;
   pthread_t id;
   pthread_barrier_t begin, end;
   void (*task)(void *data); /* NULL: it ends */
   void *data;
};

/* The context is the peer's from now on, and current nowhere. */
void peer_start(struct peer *peer, EGLDisplay display, EGLContext context);

/* Returns when the thread has done it. */
void peer_do(struct peer *peer, void (*task)(void *data), void *data);

/* Ends the thread and destroys its context. */
void peer_stop(struct peer *peer);

#endif
