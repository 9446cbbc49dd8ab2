/* SPDX-License-Identifier: MIT */
#include "peer.h"

#include <stddef.h>

static void *
peer_live(void *data)
{
   struct peer *peer = data;
   eglBindAPI(EGL_OPENGL_ES_API);
   make_current(peer->display, EGL_NO_SURFACE, peer->context);
   for (;;) {
      pthread_barrier_wait(&peer->begin);
      if (!peer->task)
         break;
      peer->task(peer->data);
      pthread_barrier_wait(&peer->end);
   }
   eglMakeCurrent(peer->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroyContext(peer->display, peer->context);
   eglReleaseThread();
   return NULL;
}

void
peer_start(struct peer *peer, EGLDisplay display, EGLContext context)
{
   *peer = (struct peer){ .display = display, .context = context };
   pthread_barrier_init(&peer->begin, NULL, 2);
   pthread_barrier_init(&peer->end, NULL, 2);
   pthread_create(&peer->id, NULL, peer_live, peer);
}

void
peer_do(struct peer *peer, void (*task)(void *data), void *data)
{
   peer->task = task;
   peer->data = data;
   pthread_barrier_wait(&peer->begin);
   pthread_barrier_wait(&peer->end);
}

void
peer_stop(struct peer *peer)
{
   peer->task = NULL;
   pthread_barrier_wait(&peer->begin);
   pthread_join(peer->id, NULL);
   pthread_barrier_destroy(&peer->begin);
   pthread_barrier_destroy(&peer->end);
}
