/* SPDX-License-Identifier: MIT */
#include "replay_query_lines.h"

#include <inttypes.h>
#include <string.h>

#include "look/look_error.h"
#include "look/look_pixel.h"

#include "replay_list.h"
#include "replay_queries.h"
#include "replay_stepped.h"

static void
set(json_t *object, const char *name, json_t *value)
{
   json_object_set_new(object, name, value);
}

/* ------------------------------------------------------------------ lines */

/* The queries of a submission, and what they have counted. */
static json_t *
queries_json(const struct look_player *player, const struct look_submission *submission)
{
   struct look_packets packets = look_packets_of(submission);
   struct cf_query query;
   const uint32_t *packet;
   json_t *queries = json_array();
   while ((packet = replay_queries_next(&packets, &query))) {
      uint64_t value = 0;
      const void *result = look_player_at(player, query.result, sizeof(value));
      if (result)
         memcpy(&value, result, sizeof(value));
      json_array_append_new(queries,
                            json_pack("{s:o, s:s, s:o, s:I}", "packet",
                                      look_json_address(look_packet_address(submission, packet)),
                                      "kind", cf_query_kind_name(query.kind), "result",
                                      look_json_address(query.result), "value", (json_int_t)value));
   }
   return queries;
}

/* Run a submission to its end. NULL: it has no queries, or failed. */
static json_t *
run_line(struct look_player *player, const struct look_submission *submission, struct look_ops *ops)
{
   struct look_op op;
   json_t *line = json_pack("{s:i, s:i}", "submission", (int)submission->number, "first_operation",
                            (int)ops->ops);
   look_ops_enter(ops, submission);
   while (look_ops_next(ops, &op))
      ; /* they count */
   look_player_run(player, submission);
   set(line, "operations", json_integer(ops->ops - look_number(line, "first_operation")));
   set(line, "queries", queries_json(player, submission));
   return line;
}

/* The results after an operation. NULL: `error`. */
static json_t *
line_after(const struct replay_side *side, uint32_t number, char *error, size_t error_B)
{
   struct look_player *player = look_player_open(side->path, &side->config, error, error_B);
   struct look_submission submission;
   struct look_ops ops = { 0 };
   struct look_op op;
   json_t *line = NULL;
   if (player && replay_play_to(player, number, &submission, &ops, error, error_B)) {
      look_ops_enter(&ops, &submission);
      while (look_ops_next(&ops, &op) && op.number != number)
         ;
      line = json_pack("{s:o}", "operation", replay_op_json(player, &submission, &op));
      look_run_until(player, &submission, op.at_dw + op.dwords);
      set(line, "queries", queries_json(player, &submission));
   }
   if (player)
      look_player_close(player);
   return line;
}

/* Lines of the submissions that have queries, until `take` has enough. */
static bool
walk(const struct replay_side *side, bool (*take)(void *user, const json_t *line), void *user,
     char *error, size_t error_B)
{
   struct look_player *player = look_player_open(side->path, &side->config, error, error_B);
   struct look_submission submission;
   struct look_ops ops = { 0 };
   bool more = true;
   int found = player ? 1 : -1;
   while (more && found > 0 &&
          (found = look_player_next(player, &submission, error, error_B)) > 0) {
      json_t *line = run_line(player, &submission, &ops);
      if (json_array_size(json_object_get(line, "queries")))
         more = take(user, line);
      json_decref(line);
   }
   if (found >= 0 && !look_player_went_well(player, error, error_B))
      found = -1;
   if (player)
      look_player_close(player);
   return found >= 0;
}

static bool
print_line(void *user, const json_t *line)
{
   json_dumpf(line, user, JSON_COMPACT);
   fputc('\n', user);
   return !ferror((FILE *)user);
}

bool
replay_query_lines(const struct replay_side *side, unsigned long number, FILE *file, char *error,
                   size_t error_B)
{
   if (number == REPLAY_NONE)
      return walk(side, print_line, file, error, error_B);
   json_t *line = line_after(side, (uint32_t)number, error, error_B);
   const bool ok = line != NULL;
   if (line)
      print_line(file, line);
   json_decref(line);
   return ok;
}

/* ------------------------------------------------------------------ comparison */

struct line_comparison {
   const struct replay_side *side;
   const struct replay_build *build;
   FILE *other; /* the other build's lines */
   uint32_t end;
   bool enough;  /* further lines of the other build are not read */
   bool missing; /* it has no such line */
   size_t query; /* that differs; its number in the line */
   json_t *line; /* of this build, that has it; NULL: none yet */
};

/* The number of the first query that counted in another way; negative: all are equal. */
static int
first_query(const json_t *a, const json_t *b)
{
   const json_t *of_a = json_object_get(a, "queries"), *of_b = json_object_get(b, "queries"),
                *query;
   size_t i;
   json_array_foreach(of_a, i, query)
   {
      if (!json_equal(json_object_get(query, "value"),
                      json_object_get(json_array_get(of_b, i), "value")))
         return (int)i;
   }
   return -1;
}

static bool
compare_line(void *user, const json_t *line)
{
   struct line_comparison *c = user;
   c->enough = look_number(line, "submission") >= c->end;
   if (c->enough)
      return false;
   json_t *other = json_loadf(c->other, JSON_DISABLE_EOF_CHECK, NULL);
   const int query = other ? first_query(line, other) : -1;
   c->missing = !other;
   c->enough = query >= 0;
   json_decref(other);
   if (!c->enough)
      return !c->missing;
   c->line = json_deep_copy(line);
   c->query = (size_t)query;
   return false;
}

/* The other build's line after an operation. NULL: `error`. */
static json_t *
fetch_line(const struct line_comparison *c, uint32_t number, char *error, size_t error_B)
{
   char text[16];
   struct replay_process process;
   snprintf(text, sizeof(text), "%" PRIu32, number);
   const char *const words[] = { "--queries", "--operation", text, NULL };
   if (!replay_process_start(&process, c->build, words, c->side->path, error, error_B))
      return NULL;
   json_t *line = json_loadf(process.output, JSON_DISABLE_EOF_CHECK, NULL);
   const bool ok = replay_process_finish(&process, error, error_B);
   if (ok && line)
      return line;
   if (ok)
      look_fails(error, error_B, "its --queries ends early");
   json_decref(line);
   return NULL;
}

/* The query after an operation: that of this build, with the other's value as "b". NULL:
 * `error`. */
static json_t *
query_after(const struct line_comparison *c, uint32_t number, char *error, size_t error_B)
{
   json_t *line = line_after(c->side, number, error, error_B),
          *other = line ? fetch_line(c, number, error, error_B) : NULL, *found = NULL;
   if (other) {
      const json_t *queries = json_object_get(other, "queries");
      found = json_copy(json_array_get(json_object_get(line, "queries"), c->query));
      set(found, "operation", json_incref(json_object_get(line, "operation")));
      set(found, "b", json_integer(look_number(json_array_get(queries, c->query), "value")));
   }
   json_decref(line);
   json_decref(other);
   return found;
}

static bool
differs(const json_t *query)
{
   return !json_equal(json_object_get(query, "value"), json_object_get(query, "b"));
}

/* Halve the submission's operations, after all of which the query differs. */
static json_t *
find_operation(const struct line_comparison *c, char *error, size_t error_B)
{
   uint32_t low = (uint32_t)look_number(c->line, "first_operation"),
            high = low + (uint32_t)look_number(c->line, "operations");
   json_t *found = NULL, *query = NULL;
   if (low < high)
      high--;
   while (low < high && (query = query_after(c, (low + high) / 2, error, error_B))) {
      if (differs(query))
         high = (low + high) / 2;
      else
         low = (low + high) / 2 + 1;
      json_decref(query);
   }
   if (low == high)
      found = query_after(c, high, error, error_B);
   return found;
}

static json_t *
difference_json(const json_t *query)
{
   json_t *difference = json_object(), *named = json_object();
   static const char *const names[] = { "packet", "kind", "result" };
   for (uint32_t i = 0; i < 3; i++)
      set(named, names[i], json_incref(json_object_get(query, names[i])));
   set(difference, "query", named);
   set(difference, "a", json_incref(json_object_get(query, "value")));
   set(difference, "b", json_incref(json_object_get(query, "b")));
   set(difference, "operation", json_incref(json_object_get(query, "operation")));
   return difference;
}

bool
replay_query_lines_compare(const struct replay_side *side, const struct replay_build *build,
                           uint32_t end, json_t **difference, char *error, size_t error_B)
{
   static const char *const words[] = { "--queries", NULL };
   struct line_comparison c = { .side = side, .build = build, .end = end };
   struct replay_process process;
   *difference = NULL;
   if (!replay_process_start(&process, build, words, side->path, error, error_B))
      return false;
   c.other = process.output;
   bool ok = walk(side, compare_line, &c, error, error_B);
   ok = (replay_process_finish(&process, error, error_B) || c.enough) && ok;
   if (ok && c.missing)
      ok = look_fails(error, error_B, "its --queries ends early");
   json_t *query = ok && c.line ? find_operation(&c, error, error_B) : NULL;
   if (query)
      *difference = difference_json(query);
   ok = ok && (!c.line || query);
   json_decref(query);
   json_decref(c.line);
   return ok;
}
