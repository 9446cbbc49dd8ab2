/* SPDX-License-Identifier: MIT
 *
 * Preloaded into a program: presses keys at the end of given frames, through xdotool, so that the
 * input does not depend on the program's speed. PRESS_KEYS="100:Return 160:space" lists frame
 * numbers and keys, in ascending order. "100:+Up 300:-Up" holds a key between two frames: programs
 * that look once a frame which keys are down may miss one that is only pressed.
 */
#include "frames.h"

#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* The child process runs without preloaded libraries: it must neither press keys nor be
 * recorded. */
static void
press(char *key)
{
   char *action = *key == '+' ? "keydown" : *key == '-' ? "keyup" : "key";
   char *name = key + (*key == '+' || *key == '-');
   static char *const variables[] = { "DISPLAY", "PATH" };
   char texts[2][256], *environment[3] = { texts[0], texts[1], NULL },
                       *command[] = { "xdotool", action, name, NULL };
   pid_t process;
   for (size_t i = 0; i < 2; i++) {
      const char *value = getenv(variables[i]);
      snprintf(texts[i], sizeof texts[i], "%s=%s", variables[i], value ? value : "");
   }
   if (posix_spawnp(&process, "xdotool", NULL, NULL, command, environment) != 0)
      fprintf(stderr, "press_keys: there is no xdotool\n");
}

void
frame_ended(bool presented, gl_function *find)
{
   static unsigned long frames;
   static const char *rest;
   char key[32];
   unsigned long frame;
   int length;
   (void)find;
   if (!presented)
      return;
   if (!rest)
      rest = getenv("PRESS_KEYS");
   frames++;
   while (rest && sscanf(rest, " %lu:%31s%n", &frame, key, &length) == 2 && frame <= frames) {
      press(key);
      rest += length;
   }
}
