/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_stack.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_TIMES 4096
#define NO_LINE UINT32_MAX

/* The tree has `times` + 1 numbers, times a power of two. */
static void
add(struct cf_sim_stack *s, uint32_t time, uint32_t by)
{
   for (; time <= s->times; time += time & -time)
      s->tree[time] += by;
}

static uint32_t
sum_to(const struct cf_sim_stack *s, uint32_t time)
{
   uint32_t sum = 0;
   for (; time > 0; time -= time & -time)
      sum += s->tree[time];
   return sum;
}

static bool
make_times(struct cf_sim_stack *s, uint32_t times)
{
   uint32_t *tree = calloc(times + (size_t)1, sizeof(tree[0]));
   uint32_t *line_at = malloc((times + (size_t)1) * sizeof(line_at[0]));
   if (!tree || !line_at) {
      free(tree);
      free(line_at);
      return false;
   }
   free(s->tree);
   s->tree = tree;
   s->times = times;
   for (uint32_t t = 1; t <= s->time; t++) {
      line_at[t] = s->line_at[t];
      add(s, t, 1);
   }
   free(s->line_at);
   s->line_at = line_at;
   return true;
}

bool
cf_sim_stack_init(struct cf_sim_stack *s)
{
   *s = (struct cf_sim_stack){ .repeated = NO_LINE };
   return make_times(s, FIRST_TIMES);
}

void
cf_sim_stack_free(struct cf_sim_stack *s)
{
   free(s->last);
   free(s->tree);
   free(s->line_at);
   free(s->count);
   *s = (struct cf_sim_stack){ 0 };
}

/* Number the last uses from 1 on, and double the room if they need more than half of it. */
static bool
renumber(struct cf_sim_stack *s)
{
   uint32_t time = 0;
   for (uint32_t t = 1; t <= s->time; t++) {
      const uint32_t line = s->line_at[t];
      if (s->last[line] != t)
         continue;
      s->line_at[++time] = line;
      s->last[line] = time;
   }
   s->time = time;
   return make_times(s, time > s->times / 2 ? 2 * s->times : s->times);
}

/* Room for numbers up to `at`, new ones 0. */
static bool
reach(void **array, size_t *room, size_t at, size_t item_B)
{
   if (at < *room)
      return true;
   const size_t wanted = 2 * at + 256;
   char *grown = realloc(*array, wanted * item_B);
   if (!grown)
      return false;
   memset(grown + *room * item_B, 0, (wanted - *room) * item_B);
   *array = grown;
   *room = wanted;
   return true;
}

static bool
count(struct cf_sim_stack *s, uint32_t distance)
{
   void *array = s->count;
   if (!reach(&array, &s->count_room, distance, sizeof(s->count[0])))
      return false;
   s->count = array;
   s->count[distance]++;
   return true;
}

bool
cf_sim_stack_request(struct cf_sim_stack *s, uint32_t line)
{
   void *array = s->last;
   s->requests++;
   if (line == s->repeated)
      return count(s, 0);
   s->repeated = line;
   if (!reach(&array, &s->last_room, line, sizeof(s->last[0])))
      return false;
   s->last = array;
   if (s->time == s->times && !renumber(s))
      return false;
   const uint32_t last = s->last[line];
   if (last) {
      if (!count(s, s->lines - sum_to(s, last)))
         return false;
      add(s, last, UINT32_MAX); /* - 1 */
   } else {
      s->first++;
      s->lines++;
   }
   s->last[line] = ++s->time;
   s->line_at[s->time] = line;
   add(s, s->time, 1);
   return true;
}

uint64_t
cf_sim_stack_hits(const struct cf_sim_stack *s, uint32_t lines)
{
   uint64_t hits = 0;
   for (size_t d = 0; d < s->count_room && d < lines; d++)
      hits += s->count[d];
   return hits;
}
