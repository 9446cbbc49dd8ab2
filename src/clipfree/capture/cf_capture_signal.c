/* SPDX-License-Identifier: MIT */
/*
 * SIGUSR2 belongs to the process: its handler is process-wide, as is what it counts.
 */
#include <pthread.h>
#include <signal.h>

#include "clipfree/capture/cf_capture_trigger.h"

static volatile sig_atomic_t signals;
static struct sigaction before; /* what the process does with the signal itself */

static void
count_signal(int number, siginfo_t *info, void *context)
{
   signals = (sig_atomic_t)((unsigned)signals + 1);
   if (before.sa_flags & SA_SIGINFO)
      before.sa_sigaction(number, info, context);
   else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
      before.sa_handler(number);
}

static void
install(void)
{
   struct sigaction action = { .sa_sigaction = count_signal, .sa_flags = SA_SIGINFO | SA_RESTART };
   sigaction(SIGUSR2, NULL, &before);
   sigemptyset(&action.sa_mask);
   sigaction(SIGUSR2, &action, NULL);
}

void
cf_capture_watch_signal(void)
{
   static pthread_once_t once = PTHREAD_ONCE_INIT;
   pthread_once(&once, install);
}

unsigned
cf_capture_signals(void)
{
   return (unsigned)signals;
}
