/* SPDX-License-Identifier: MIT */
#include "sim_timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/timing/cf_sim_pixels.h"

#define MOST_SLICES 8000000 /* 400 MB of them, a file of 1 GB */
#define NONE UINT32_MAX

/* Tracks: those of units, then those of what comes in numbers, which have as many lanes as are
 * under way at once. */
enum group { UNITS, BLOCKS, PREFETCHES, Z, COLOR, GROUPS };

static const char *const group_names[GROUPS] = {
   [BLOCKS] = "blocks found",
   [PREFETCHES] = "z prefetches",
   [Z] = "z requests",
   [COLOR] = "color requests",
};

struct slice {
   uint64_t begin, end;
   const char *name;
   uint16_t group, lane; /* of units the lane is its number */
   uint32_t place;       /* x_px | y_px << 16; NONE: none */
};

/* From the slice of a block to that of its first request; `prefetch` is NONE where there is none.
 */
struct flow {
   uint32_t block, prefetch, use;
};

/* What a unit is doing. */
struct unit_activity {
   char name[CF_SIM_PART_NAME_B];
   const char *doing;
   uint64_t since;
};

#define UNITS_MOST (CF_SIM_PARTS + CF_SIM_MAX_CORES + CF_SIM_MAX_CACHES)

struct sim_timeline {
   const struct sim_machine *machine;
   uint64_t from, to;
   const struct cf_sim_chunk *chunk;
   const struct cf_sim_order *order;
   uint32_t *block_of;        /* by item: the first of its block */
   uint32_t *found, *fetched; /* by first item: its slices; NONE */
   bool *used;
   struct slice *slice;
   size_t slices, slice_room;
   struct flow *flow;
   size_t flows, flow_room;
   struct unit_activity unit[UNITS_MOST];
   bool too_many, failed;
};

/* ------------------------------------------------------------------ begin and end */

struct sim_timeline *
sim_timeline_create(const struct sim_machine *machine, uint64_t from, uint64_t to)
{
   struct sim_timeline *t = calloc(1, sizeof(*t));
   if (!t)
      return NULL;
   t->machine = machine;
   t->from = from;
   t->to = to;
   return t;
}

static void
free_chunk(struct sim_timeline *t)
{
   free(t->block_of);
   free(t->found);
   free(t->fetched);
   free(t->used);
}

void
sim_timeline_destroy(struct sim_timeline *t)
{
   if (!t)
      return;
   free_chunk(t);
   free(t->slice);
   free(t->flow);
   free(t);
}

void
sim_timeline_chunk(struct sim_timeline *t, const struct cf_sim_chunk *chunk,
                   const struct cf_sim_order *order)
{
   const size_t items = order->items + 1;
   free_chunk(t);
   t->chunk = chunk;
   t->order = order;
   t->block_of = malloc(items * sizeof(t->block_of[0]));
   t->found = malloc(items * sizeof(t->found[0]));
   t->fetched = malloc(items * sizeof(t->fetched[0]));
   t->used = calloc(items, sizeof(t->used[0]));
   if (!t->block_of || !t->found || !t->fetched || !t->used) {
      t->failed = true;
      return;
   }
   memset(t->found, 0xff, items * sizeof(t->found[0]));
   memset(t->fetched, 0xff, items * sizeof(t->fetched[0]));
   for (uint32_t i = 0; i < order->items; i++)
      t->block_of[i] =
         i > 0 && cf_sim_same_block(&order->item[i - 1], &order->item[i]) ? t->block_of[i - 1] : i;
}

/* ------------------------------------------------------------------ slices */

static uint32_t
place_of(const struct sim_timeline *t, uint32_t item)
{
   const struct cf_sim_item *i = &t->order->item[item];
   return cf_sim_kind(cf_sim_item_record(t->chunk, i)[0]) == CF_SIM_CLEARED
             ? NONE
             : cf_sim_item_pixel(t->chunk, i);
}

/* Returns its number; NONE: it is none. */
static uint32_t
add_slice(struct sim_timeline *t, const struct slice *slice)
{
   struct slice *grown;
   if (slice->begin >= slice->end || t->too_many || t->failed)
      return NONE;
   if (t->slices == MOST_SLICES) {
      t->too_many = true;
      return NONE;
   }
   grown = cf_sim_grow(t->slice, t->slices, 1, &t->slice_room, sizeof(grown[0]));
   if (!grown) {
      t->failed = true;
      return NONE;
   }
   t->slice = grown;
   t->slice[t->slices] = *slice;
   return (uint32_t)t->slices++;
}

/* A slice that lies in the range as a whole. */
static uint32_t
add_whole(struct sim_timeline *t, enum group group, const char *name, uint32_t item, uint64_t begin,
          uint64_t end)
{
   if (begin < t->from || end > t->to)
      return NONE;
   return add_slice(t, &(struct slice){ .begin = begin,
                                        .end = end,
                                        .name = name,
                                        .group = (uint16_t)group,
                                        .place = place_of(t, item) });
}

void
sim_timeline_block(struct sim_timeline *t, uint32_t item, uint64_t time)
{
   const uint32_t first = t->failed ? NONE : t->block_of[item];
   if (first != NONE && t->found[first] == NONE)
      t->found[first] = add_whole(t, BLOCKS, "block", first, time, time + 1);
}

/* The first request for a block ends its flow. */
static void
end_flow(struct sim_timeline *t, uint32_t first, uint32_t use)
{
   const struct flow flow = { t->found[first], t->fetched[first], use };
   const bool whole = !t->used[first] && flow.block != NONE && use != NONE;
   t->used[first] = true;
   struct flow *grown =
      whole ? cf_sim_grow(t->flow, t->flows, 1, &t->flow_room, sizeof(grown[0])) : NULL;
   if (!grown) {
      t->failed |= whole;
      return;
   }
   t->flow = grown;
   t->flow[t->flows++] = flow;
}

void
sim_timeline_answered(struct sim_timeline *t, const struct cf_sim_misses *cache,
                      const struct cf_sim_access *a, enum cf_sim_outcome outcome, uint64_t begin,
                      uint64_t end)
{
   static const char *const names[CF_SIM_OUTCOMES] = {
      [CF_SIM_OUTCOME_HIT] = "hit",
      [CF_SIM_OUTCOME_MISS] = "miss",
      [CF_SIM_OUTCOME_CHAINED] = "chained",
      [CF_SIM_OUTCOME_LATE] = "late prefetch",
   };
   const uint32_t first = t->failed ? NONE : t->block_of[a->value];
   const bool z = cache->number % 2 == 0;
   if (first == NONE)
      return;
   if (a->prefetch) {
      t->fetched[first] = add_whole(
         t, PREFETCHES, outcome == CF_SIM_OUTCOME_HIT ? "there" : "prefetch", a->value, begin, end);
      return;
   }
   const uint32_t use = add_whole(t, z ? Z : COLOR, names[outcome], a->value, begin, end);
   if (z)
      end_flow(t, first, use);
}

/* ------------------------------------------------------------------ units */

/* From a time on a unit does something. */
static void
note(struct sim_timeline *t, uint32_t number, const char *doing, uint64_t time)
{
   struct unit_activity *u = &t->unit[number];
   if (u->doing == doing)
      return;
   const uint64_t begin = u->since > t->from ? u->since : t->from,
                  end = time < t->to ? time : t->to;
   if (u->doing && begin < end)
      add_slice(t, &(struct slice){ .begin = begin,
                                    .end = end,
                                    .name = u->doing,
                                    .group = UNITS,
                                    .lane = (uint16_t)number,
                                    .place = NONE });
   u->doing = doing;
   u->since = time;
}

/* An ALU is busy, or has the cause of its core (cf_sim_core_count_alu). */
static void
note_alu(struct sim_timeline *t, uint32_t number, const struct cf_sim_gpu *gpu, uint32_t core,
         uint64_t now, uint64_t next)
{
   const uint64_t free = gpu->core[core].alu_free;
   const enum cf_sim_why why = gpu->unit[CF_SIM_PART_CORE + core].why;
   const char *busy = cf_sim_why_name(CF_SIM_WHY_BUSY),
              *other = why == CF_SIM_WHY_ALU ? busy : cf_sim_why_name(why);
   if (free > now)
      note(t, number, busy, now);
   if (free < next)
      note(t, number, other, free > now ? free : now);
}

static void
step_whole(struct sim_timeline *t, const struct cf_sim_gpu *gpu, uint64_t now, uint64_t next)
{
   for (uint32_t i = 0; i < CF_SIM_PARTS; i++) {
      const uint32_t core = i - CF_SIM_PART_CORE;
      if (i >= CF_SIM_PART_CORE && i < CF_SIM_PART_MEMORY && core >= gpu->machine->core.count)
         continue;
      if (!t->unit[i].name[0])
         cf_sim_part_name((enum cf_sim_part)i, t->unit[i].name);
      note(t, i, cf_sim_why_name(gpu->unit[i].why), now);
   }
   for (uint32_t i = 0; i < gpu->machine->core.count; i++) {
      const uint32_t number = CF_SIM_PARTS + i;
      snprintf(t->unit[number].name, sizeof(t->unit[number].name), "alu%u", i);
      note_alu(t, number, gpu, i, now, next);
   }
}

static void
step_caches(struct sim_timeline *t, const struct cf_sim_cycles *c, uint64_t now)
{
   for (uint32_t i = 0; i < c->caches; i++) {
      if (!t->unit[i].name[0])
         snprintf(t->unit[i].name, sizeof(t->unit[i].name), "%s%u", i % 2 ? "color" : "z", i / 2);
      note(t, i, cf_sim_cause_name(c->cause[i]), now);
   }
}

void
sim_timeline_step(struct sim_timeline *t, uint64_t now, uint64_t next)
{
   if (next <= t->from || now >= t->to)
      return;
   if (t->machine->gpu)
      step_whole(t, t->machine->gpu, now, next);
   else
      step_caches(t, &t->machine->cycles, now);
}

void
sim_timeline_end(struct sim_timeline *t, uint64_t time)
{
   for (uint32_t i = 0; i < UNITS_MOST; i++)
      note(t, i, NULL, time);
}

/* ------------------------------------------------------------------ the file */

/* A slice's number by when it begins, then as it came. */
struct slice_place {
   uint64_t begin;
   uint32_t number;
};

static int
compare(const void *p, const void *q)
{
   const struct slice_place *a = p, *b = q;
   if (a->begin != b->begin)
      return a->begin > b->begin ? 1 : -1;
   return (a->number > b->number) - (a->number < b->number);
}

/* The slices in the order of their begins. NULL: out of memory. */
static struct slice_place *
in_order(const struct sim_timeline *t)
{
   struct slice_place *place = malloc((t->slices + 1) * sizeof(place[0]));
   for (uint32_t i = 0; place && i < t->slices; i++)
      place[i] = (struct slice_place){ t->slice[i].begin, i };
   if (place)
      qsort(place, t->slices, sizeof(place[0]), compare);
   return place;
}

/* Lanes of a group: when each is free. */
struct group_lanes {
   uint64_t *free;
   size_t count, room;
};

/* Give each slice the first lane that is free. False: out of memory. */
static bool
find_lanes(struct sim_timeline *t, const struct slice_place *place,
           struct group_lanes lanes[GROUPS])
{
   for (size_t i = 0; i < t->slices; i++) {
      struct slice *s = &t->slice[place[i].number];
      struct group_lanes *l = &lanes[s->group];
      uint16_t lane = 0;
      if (s->group == UNITS)
         continue;
      while (lane < l->count && l->free[lane] > s->begin)
         lane++;
      if (lane == l->count) {
         uint64_t *grown = cf_sim_grow(l->free, l->count, 1, &l->room, sizeof(grown[0]));
         if (!grown)
            return false;
         l->free = grown;
         l->count++;
      }
      l->free[lane] = s->end;
      s->lane = lane;
   }
   return true;
}

static uint32_t
track_of(const struct slice *s)
{
   return 1 + 65536u * s->group + s->lane;
}

static void
write_name(FILE *file, uint32_t track, const char *name, uint32_t lane)
{
   fprintf(file,
           ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"%s",
           track, name);
   if (lane)
      fprintf(file, " %u", lane + 1);
   fprintf(file,
           "\"}},\n{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_sort_index\",\"args\":"
           "{\"sort_index\":%u}}",
           track, track);
}

static void
write_names(const struct sim_timeline *t, const struct group_lanes lanes[GROUPS], FILE *file)
{
   for (uint32_t i = 0; i < UNITS_MOST; i++) {
      if (t->unit[i].name[0])
         write_name(file, 1 + i, t->unit[i].name, 0);
   }
   for (uint32_t group = BLOCKS; group < GROUPS; group++) {
      for (uint32_t lane = 0; lane < lanes[group].count; lane++)
         write_name(file, 1 + 65536u * group + lane, group_names[group], lane);
   }
}

static void
write_slice(const struct slice *s, FILE *file)
{
   fprintf(file,
           ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"name\":\"%s\",\"ts\":%" PRIu64
           ",\"dur\":%" PRIu64,
           track_of(s), s->name, s->begin, s->end - s->begin);
   if (s->place != NONE)
      fprintf(file, ",\"args\":{\"x\":%u,\"y\":%u}", s->place & 0xffff, s->place >> 16);
   fputs("}", file);
}

static void
write_flow(const struct sim_timeline *t, const char *phase, uint32_t slice, size_t number,
           FILE *file)
{
   const struct slice *s = &t->slice[slice];
   fprintf(file,
           ",\n{\"ph\":\"%s\",\"pid\":1,\"tid\":%u,\"cat\":\"block\",\"name\":\"block\",\"id\":%zu,"
           "\"ts\":%" PRIu64 "%s}",
           phase, track_of(s), number, s->begin, *phase == 'f' ? ",\"bp\":\"e\"" : "");
}

static void
write_flows(const struct sim_timeline *t, FILE *file)
{
   for (size_t i = 0; i < t->flows; i++) {
      write_flow(t, "s", t->flow[i].block, i, file);
      if (t->flow[i].prefetch != NONE)
         write_flow(t, "t", t->flow[i].prefetch, i, file);
      write_flow(t, "f", t->flow[i].use, i, file);
   }
}

/* ------------------------------------------------------------------ counters */

/* Counters of rows that are shown as a rate. */
static const struct {
   const char *column, *name;
} rates[] = {
   { "bus_B", "dram B/cycle" },
   { "z_requests", "z requests/cycle" },
   { "z_misses", "z misses/cycle" },
   { "color_requests", "color requests/cycle" },
   { "gpu.texels", "texels/cycle" },
   { "gpu.alu_instructions", "alu instructions/cycle" },
   { "gpu.data_misses", "data misses/cycle" },
   { "gpu.l2_misses", "l2 misses/cycle" },
};

static void
write_counter(const char *name, uint64_t sum, const struct sim_row *row, FILE *file)
{
   fprintf(file,
           ",\n{\"ph\":\"C\",\"pid\":1,\"name\":\"%s\",\"ts\":%" PRIu64
           ",\"args\":{\"value\":%.6g}}",
           name, row->begin, (double)sum / (double)(row->end - row->begin));
}

static void
write_counters(const struct sim_timeline *t, const struct sim_rows *rows, FILE *file)
{
   for (size_t i = 0; i < rows->intervals.rows; i++) {
      const struct sim_row *row = &rows->intervals.row[i];
      const char *name;
      json_t *number;
      if (row->begin < t->from || row->end > t->to || row->begin == row->end)
         continue;
      for (size_t k = 0; k < sizeof(rates) / sizeof(rates[0]); k++) {
         if (json_object_get(rows->columns, rates[k].column))
            write_counter(rates[k].name, sim_row_value(rows, row, rates[k].column), row, file);
      }
      json_object_foreach(rows->columns, name, number)
      {
         if (strncmp(name, "queues.", 7) == 0)
            write_counter(name, sim_row_value(rows, row, name), row, file);
      }
   }
}

bool
sim_timeline_write(struct sim_timeline *t, const char *title, const struct sim_rows *rows,
                   FILE *file, char *error, size_t error_B)
{
   struct group_lanes lanes[GROUPS] = { { 0 } };
   struct slice_place *place = t->failed || t->too_many ? NULL : in_order(t);
   json_t *name = json_string(title);
   char *quoted = name ? json_dumps(name, JSON_ENCODE_ANY) : NULL;
   const bool ok = place && quoted && find_lanes(t, place, lanes);
   if (t->too_many)
      snprintf(error, error_B,
               "the timeline has more than %u slices; narrow the range of --from and --to",
               MOST_SLICES);
   else if (!ok)
      snprintf(error, error_B, "out of memory");
   if (ok) {
      fprintf(file, "[\n{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":%s}}",
              quoted);
      write_names(t, lanes, file);
      for (size_t i = 0; i < t->slices; i++)
         write_slice(&t->slice[place[i].number], file);
      write_flows(t, file);
      write_counters(t, rows, file);
      fputs("\n]\n", file);
   }
   for (uint32_t group = 0; group < GROUPS; group++)
      free(lanes[group].free);
   free(place);
   free(quoted);
   json_decref(name);
   return ok;
}
