/* SPDX-License-Identifier: MIT
 *
 * Preloaded into a program: counts its frames, and prints their number, time and cost:
 *
 *    counted 250 frames from number 41 in 2001.5 ms, 3205.1 ms of processor time, on RENDERER
 *
 * on standard error. The count begins at the end of the first frame, of the first one after
 * COUNT_FRAMES_WARM_UP_MS, or of frame number COUNT_FRAMES_FROM. It ends with the first frame after
 * COUNT_FRAMES_MS, or after COUNT_FRAMES_COUNT frames, and exits the program; without these
 * variables it ends with the program's last frame. Processor time is that of the process with all
 * of its threads. COUNT_FRAMES_AT=finish counts calls of glFinish instead of swaps.
 *
 * With tests/harness/steady_clock.c preloaded before it, each frame advances the program's clock by
 * FRAME_US: frame number N shows the same picture at any speed.
 */
#define _GNU_SOURCE
#include "frames.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FRAME_US 16667
#define GL_RENDERER 0x1F01

/* In steady_clock.c; NULL if that is not preloaded. */
extern void steady_clock_move(uint64_t us) __attribute__((weak));

struct moment {
   uint64_t wall_ns, cpu_ns;
};

static struct {
   uint64_t ended; /* number of frames since the program began */
   uint64_t from;  /* `ended` when the count began; 0: not begun */
   struct moment first, begin, last;
   char renderer[100];
} count;

static uint64_t
clock_ns(clockid_t clock)
{
   struct timespec t;
   clock_gettime(clock, &t);
   return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t
number_of(const char *variable, uint64_t otherwise)
{
   const char *value = getenv(variable);
   return value ? strtoull(value, NULL, 10) : otherwise;
}

static void
name_renderer(gl_function *find)
{
   const char *(*get)(unsigned) = (const char *(*)(unsigned))find("glGetString");
   const char *name = get ? get(GL_RENDERER) : NULL;
   snprintf(count.renderer, sizeof count.renderer, "%s", name ? name : "nobody");
}

__attribute__((destructor)) static void
say(void)
{
   if (count.from == 0 || count.ended == count.from)
      return;
   fprintf(stderr,
           "\ncounted %llu frames from number %llu in %.3f ms, %.3f ms of processor time, on %s\n",
           (unsigned long long)(count.ended - count.from), (unsigned long long)count.from,
           (double)(count.last.wall_ns - count.begin.wall_ns) * 1e-6,
           (double)(count.last.cpu_ns - count.begin.cpu_ns) * 1e-6, count.renderer);
}

static bool
warm(void)
{
   return count.ended >= number_of("COUNT_FRAMES_FROM", 0) &&
          count.last.wall_ns - count.first.wall_ns >=
             number_of("COUNT_FRAMES_WARM_UP_MS", 0) * 1000000u;
}

static bool
counted(void)
{
   const uint64_t ms = number_of("COUNT_FRAMES_MS", UINT64_MAX / 1000000u);
   return count.last.wall_ns - count.begin.wall_ns >= ms * 1000000u ||
          count.ended - count.from >= number_of("COUNT_FRAMES_COUNT", UINT64_MAX);
}

void
frame_ended(bool presented, gl_function *find)
{
   const char *at = getenv("COUNT_FRAMES_AT");
   if (presented == (at && strcmp(at, "finish") == 0))
      return;
   count.last = (struct moment){ clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_PROCESS_CPUTIME_ID) };
   if (count.ended++ == 0)
      count.first = count.last;
   if (steady_clock_move)
      steady_clock_move(FRAME_US);
   if (count.from == 0 && warm()) {
      count.from = count.ended;
      count.begin = count.last;
      name_renderer(find);
   } else if (count.from != 0 && counted()) {
      say();
      _exit(0);
   }
}
