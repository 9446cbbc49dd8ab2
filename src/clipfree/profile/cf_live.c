/* SPDX-License-Identifier: MIT */
#include "clipfree/profile/cf_live.h"

#include <pthread.h>
#include <stdlib.h>

static struct cf_live *first;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void
end_all(void)
{
   pthread_mutex_lock(&lock);
   for (; first; first = first->next)
      first->end(first);
   pthread_mutex_unlock(&lock);
}

static void
end_at_exit(void)
{
   atexit(end_all);
}

void
cf_live_add(struct cf_live *live, void (*end)(struct cf_live *live))
{
   static pthread_once_t once = PTHREAD_ONCE_INIT;
   pthread_once(&once, end_at_exit);
   pthread_mutex_lock(&lock);
   live->end = end;
   live->next = first;
   first = live;
   pthread_mutex_unlock(&lock);
}

bool
cf_live_remove(struct cf_live *live)
{
   pthread_mutex_lock(&lock);
   struct cf_live **at = &first;
   while (*at && *at != live)
      at = &(*at)->next;
   const bool found = *at;
   if (found)
      *at = live->next;
   pthread_mutex_unlock(&lock);
   return found;
}
