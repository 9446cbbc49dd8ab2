/* SPDX-License-Identifier: MIT */
#include "sim_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/timing/cf_sim_trace.h"

#define NAME_B 128

bool
sim_rows_init(struct sim_rows *rows)
{
   *rows = (struct sim_rows){ .columns = json_object() };
   return rows->columns != NULL;
}

static void
free_list(struct sim_row_list *list)
{
   for (size_t i = 0; i < list->rows; i++)
      free(list->row[i].value);
   free(list->row);
   free(list->value);
}

void
sim_rows_free(struct sim_rows *rows)
{
   json_decref(rows->columns);
   free_list(&rows->intervals);
   free_list(&rows->draws);
}

/* ------------------------------------------------------------------ counters */

/* The number of a column, which is new where its name is. */
static size_t
column(struct sim_rows *rows, const char *name)
{
   json_t *known = json_object_get(rows->columns, name);
   const size_t count = json_object_size(rows->columns);
   if (known)
      return (size_t)json_integer_value(known);
   json_object_set_new(rows->columns, name, json_integer((json_int_t)count));
   return count;
}

/* Put counts into their columns. Names are those of the objects that they are in, with dots. */
static void
flatten(struct sim_rows *rows, const json_t *counters, const char *prefix, uint64_t **value,
        size_t *room)
{
   const char *key;
   json_t *item;
   json_object_foreach((json_t *)counters, key, item)
   {
      char name[NAME_B];
      snprintf(name, sizeof(name), "%s%s%s", prefix, *prefix ? "." : "", key);
      if (json_is_object(item))
         flatten(rows, item, name, value, room);
      if (!json_is_integer(item))
         continue;
      const size_t at = column(rows, name);
      if (at >= *room) {
         uint64_t *grown = realloc(*value, (2 * at + 256) * sizeof(grown[0]));
         if (!grown) {
            rows->failed = true;
            return;
         }
         memset(grown + *room, 0, (2 * at + 256 - *room) * sizeof(grown[0]));
         *value = grown;
         *room = 2 * at + 256;
      }
      (*value)[at] = (uint64_t)json_integer_value(item);
   }
}

static struct sim_row *
append(struct sim_rows *rows, struct sim_row_list *list, const struct sim_row *row)
{
   struct sim_row *grown = cf_sim_grow(list->row, list->rows, 1, &list->room, sizeof(list->row[0]));
   if (!grown) {
      rows->failed = true;
      free(row->value);
      return NULL;
   }
   list->row = grown;
   list->row[list->rows] = *row;
   return &list->row[list->rows++];
}

struct sim_row *
sim_rows_add(struct sim_rows *rows, struct sim_row_list *list, uint64_t time,
             const json_t *counters)
{
   uint64_t *value = NULL;
   size_t room = 0;
   if (list->rows == SIM_MOST_ROWS) {
      rows->too_many = true;
      return NULL;
   }
   flatten(rows, counters, "", &value, &room);
   const size_t values = json_object_size(rows->columns);
   struct sim_row row = { .begin = list->end, .end = time, .values = values };
   row.value = calloc(values ? values : 1, sizeof(row.value[0]));
   if (!value || !row.value) {
      rows->failed = true;
      free(value);
      free(row.value);
      return NULL;
   }
   for (size_t i = 0; i < values; i++)
      row.value[i] =
         (i < room ? value[i] : 0) - (list->value && i < list->values ? list->value[i] : 0);
   free(list->value);
   list->value = value;
   list->values = values < room ? values : room;
   list->end = time;
   return append(rows, list, &row);
}

void
sim_rows_halve(struct sim_row_list *list)
{
   for (size_t i = 0; i < list->rows / 2; i++) {
      struct sim_row a = list->row[2 * i], b = list->row[2 * i + 1];
      for (size_t k = 0; k < a.values; k++) /* b has all columns that a has */
         b.value[k] += a.value[k];
      b.begin = a.begin;
      free(a.value);
      list->row[i] = b;
   }
   list->rows /= 2;
}

/* ------------------------------------------------------------------ JSON */

json_t *
sim_rows_columns(const struct sim_rows *rows)
{
   const char *name;
   json_t *number, *names = json_array();
   for (size_t i = 0; i < json_object_size(rows->columns); i++)
      json_array_append_new(names, json_null());
   json_object_foreach(rows->columns, name, number)
      json_array_set_new(names, (size_t)json_integer_value(number), json_string(name));
   return names;
}

static void
add(json_t *array, uint64_t number)
{
   json_array_append_new(array, json_integer((json_int_t)number));
}

json_t *
sim_rows_json(const struct sim_rows *rows, const struct sim_row_list *list, bool draws)
{
   json_t *json = json_array();
   for (size_t i = 0; i < list->rows; i++) {
      const struct sim_row *r = &list->row[i];
      json_t *one = json_array();
      if (draws) {
         add(one, r->frame);
         json_array_append_new(one, r->op == SIM_ROW_NONE ? json_null() : json_integer(r->op));
         add(one, r->flags);
      }
      add(one, r->begin);
      add(one, r->end);
      for (size_t k = 0; k < json_object_size(rows->columns); k++)
         add(one, k < r->values ? r->value[k] : 0);
      json_array_append_new(json, one);
   }
   return json;
}

uint64_t
sim_row_value(const struct sim_rows *rows, const struct sim_row *row, const char *name)
{
   const json_t *number = json_object_get(rows->columns, name);
   const size_t at = number ? (size_t)json_integer_value(number) : row->values;
   return at < row->values ? row->value[at] : 0;
}
