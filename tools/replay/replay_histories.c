/* SPDX-License-Identifier: MIT */
#include "replay_histories.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_pixel.h"

#include "pixel_history.h"
#include "replay_packets.h"

/* A fragment's line. */
struct fragment {
   uint32_t primitive;
   char fate[16];
   float depth, color[4];
   char *change; /* "000000ff -> ffffffff", of the image */
};

struct history {
   struct fragment *fragment;
   uint32_t fragments, capacity;
   bool out_of_memory;
};

/* ------------------------------------------------------------------ lines */

/* "before -> after" of the image in a line; NULL: it has none. */
static char *
change_of(const char *line, const char *image)
{
   char name[48];
   snprintf(name, sizeof(name), ", image %s: ", image);
   const char *at = strstr(line, name);
   return at ? strndup(at + strlen(name), strcspn(at + strlen(name), ";\n")) : NULL;
}

/* Whether the change is none. */
static bool
is_unchanged(const char *change)
{
   const char *arrow = strstr(change, " -> ");
   const size_t length = arrow ? (size_t)(arrow - change) : 0;
   return arrow && strlen(arrow + 4) == length && !strncmp(change, arrow + 4, length);
}

/* Keep a line if it is of a fragment of the draw at the sample. */
static void
keep_line(struct history *history, const char *line, const char *packet, uint32_t sample,
          const char *image)
{
   struct fragment f = { 0 };
   char address[24];
   uint32_t at;
   if (sscanf(line,
              "draw %23[^,], primitive %" SCNu32 ", sample %" SCNu32
              ": %15[^;]; depth %f, colour %f %f %f %f",
              address, &f.primitive, &at, f.fate, &f.depth, &f.color[0], &f.color[1], &f.color[2],
              &f.color[3]) != 9 ||
       strcmp(address, packet) != 0 || at != sample || !(f.change = change_of(line, image)))
      return;
   if (history->fragments == history->capacity) {
      const uint32_t capacity = 2 * history->capacity + 64;
      struct fragment *grown = realloc(history->fragment, capacity * sizeof(*grown));
      history->out_of_memory |= !grown;
      if (!grown) {
         free(f.change);
         return;
      }
      history->fragment = grown;
      history->capacity = capacity;
   }
   history->fragment[history->fragments++] = f;
}

static void
read_lines(struct history *history, FILE *file, const char *packet, uint32_t sample,
           const char *image)
{
   char *line = NULL;
   size_t size_B = 0;
   while (getline(&line, &size_B, file) > 0)
      keep_line(history, line, packet, sample, image);
   free(line);
}

static void
free_history(struct history *history)
{
   for (uint32_t i = 0; i < history->fragments; i++)
      free(history->fragment[i].change);
   free(history->fragment);
}

/* ------------------------------------------------------------------ both sides */

/* What this build does, up to the submission. */
static bool
run_here(const struct replay_side *side, const struct replay_pixel *pixel, FILE *file)
{
   struct pixel_history history = { .file = file, .x_px = pixel->x_px, .y_px = pixel->y_px };
   const struct cf_observer observer = pixel_history_observer(&history);
   struct cf_model_config config = side->config;
   struct look_submission submission;
   char error[CF_CAPTURE_ERROR_B];
   config.threads = 0;
   config.engine = CF_ENGINE_INTERP;
   config.path = CF_PATH_PLAIN;
   config.observer = &observer;
   struct look_player *player = look_player_open(side->path, &config, error, sizeof(error));
   int found = player ? 1 : -1;
   while (found > 0 && (found = look_player_next(player, &submission, error, sizeof(error))) > 0 &&
          submission.number <= pixel->submission)
      look_player_run(player, &submission);
   if (player)
      look_player_close(player);
   pixel_history_end(&history);
   return found >= 0;
}

/* What the other build does. */
static bool
run_there(const struct replay_side *side, const struct replay_build *build,
          const struct replay_pixel *pixel, struct history *history, const char *packet,
          const char *image)
{
   char place[32], error[CF_CAPTURE_ERROR_B];
   struct replay_process process;
   snprintf(place, sizeof(place), "%" PRIu32 ",%" PRIu32, pixel->x_px, pixel->y_px);
   const char *const words[] = { "--threads", "0",     "--engine", "interp", "--path",
                                 "plain",     "--pixel", place,    NULL };
   if (!replay_process_start(&process, build, words, side->path, error, sizeof(error)))
      return false;
   read_lines(history, process.output, packet, pixel->sample, image);
   return replay_process_finish(&process, error, sizeof(error));
}

static bool
run_both(const struct replay_side *side, const struct replay_build *build,
         const struct replay_pixel *pixel, const char *packet, const char *image,
         struct history history[2])
{
   FILE *file = tmpfile();
   bool ok = file && run_here(side, pixel, file);
   if (ok) {
      rewind(file);
      read_lines(&history[0], file, packet, pixel->sample, image);
      ok = run_there(side, build, pixel, &history[1], packet, image);
   }
   if (file)
      fclose(file);
   return ok && !history[0].out_of_memory && !history[1].out_of_memory;
}

/* ------------------------------------------------------------------ the difference */

/* The next fragment that changes the pixel, from *i on; NULL: none. */
static const struct fragment *
next_change(const struct history *history, uint32_t *i)
{
   while (*i < history->fragments && is_unchanged(history->fragment[*i].change))
      ++*i;
   return *i < history->fragments ? &history->fragment[*i] : NULL;
}

/* The fragment of a primitive, from number `i` on; NULL: there is none. */
static const struct fragment *
fragment_of(const struct history *history, uint32_t i, uint32_t primitive)
{
   while (i < history->fragments && history->fragment[i].primitive != primitive)
      i++;
   return i < history->fragments ? &history->fragment[i] : NULL;
}

static void
tell_primitive(const struct fragment *of[2], uint32_t primitive, json_t *difference)
{
   static const char *const names[2] = { "a", "b" };
   char text[2][160];
   json_t *json = json_object();
   for (uint32_t i = 0; i < 2; i++) {
      snprintf(text[i], sizeof(text[i]), "none");
      if (!of[i])
         continue;
      snprintf(text[i], sizeof(text[i]), "%s, depth %.9g, %s", of[i]->fate, (double)of[i]->depth,
               of[i]->change);
      json_object_set_new(json, names[i],
                          json_pack("{s:s, s:o, s:o}", "fate", of[i]->fate, "depth",
                                    look_json_float((double)of[i]->depth), "color",
                                    look_json_floats(of[i]->color, 4)));
   }
   json_object_set_new(difference, "primitive", json_integer(primitive));
   json_object_set_new(difference, "fragment", json);
   replay_note(difference, "primitive %" PRIu32 " has different fragments there: a %s; b %s",
               primitive, text[0], text[1]);
}

/* The first fragments that change the pixel in different ways. False: there are none. */
static bool
tell_first(const struct history history[2], json_t *difference)
{
   for (uint32_t i = 0, k = 0;; i++, k++) {
      const uint32_t from_i = i, from_k = k;
      const struct fragment *a = next_change(&history[0], &i), *b = next_change(&history[1], &k);
      if (!a && !b)
         return false;
      if (a && b && a->primitive == b->primitive && !strcmp(a->change, b->change))
         continue;
      const uint32_t primitive =
         a && (!b || a->primitive < b->primitive) ? a->primitive : b->primitive;
      const struct fragment *of[2] = { fragment_of(&history[0], from_i, primitive),
                                       fragment_of(&history[1], from_k, primitive) };
      tell_primitive(of, primitive, difference);
      return true;
   }
}

void
replay_compare_histories(const struct replay_side *side, const struct replay_build *build,
                         const struct replay_pixel *pixel, const char *packet, const char *image,
                         json_t *difference)
{
   struct history history[2] = { { 0 } };
   if (!run_both(side, build, pixel, packet, image, history))
      replay_note(difference, "the primitive is not known: a side fails with --pixel");
   else if (!tell_first(history, difference))
      replay_note(difference,
                  "the primitive is not known: interpreted on the plain path both builds do the "
                  "same there, so that engine, threads, host level or path make the difference");
   free_history(&history[0]);
   free_history(&history[1]);
}
