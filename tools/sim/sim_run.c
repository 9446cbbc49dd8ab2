/* SPDX-License-Identifier: MIT */
#include "sim_run.h"

#include <stdlib.h>

#include "look/look_player.h"

#include "clipfree/timing/cf_sim_account.h"
#include "clipfree/timing/cf_sim_file.h"
#include "clipfree/timing/cf_sim_order.h"
#include "clipfree/timing/cf_sim_recorder.h"

#include "sim_describe.h"

/* Where chunks come from and go. */
struct stream {
   struct sim_run *run;
   struct sim_describe describe;
   struct cf_sim_writer *writer;
   struct cf_sim_order order[CF_SIM_TRAVERSALS];
};

/* Bring the chunk into the order of a traversal, if a machine has it. */
static bool
order_chunk(struct stream *s, const struct cf_sim_chunk *chunk, enum cf_sim_traversal traversal)
{
   bool wanted = false;
   for (size_t i = 0; i < s->run->machines; i++)
      wanted |= s->run->machine[i].machine.raster.traversal == traversal;
   return !wanted || cf_sim_order_chunk(&s->order[traversal], chunk, traversal);
}

static void
run_time(struct sim_machine *m, const struct cf_sim_chunk *chunk, const struct cf_sim_order *order)
{
   if (m->gpu)
      cf_sim_gpu_chunk(m->gpu, chunk, order);
   else if (m->vertices)
      cf_sim_vertices_chunk(m->vertices, chunk);
   else if (m->fragments)
      cf_sim_fragments_chunk(m->fragments, chunk, order);
   else
      cf_sim_cycles_chunk(&m->cycles, chunk, order);
}

static bool
run_machines(struct stream *s, const struct cf_sim_chunk *chunk)
{
   for (uint32_t traversal = 0; traversal < CF_SIM_TRAVERSALS; traversal++) {
      if (!order_chunk(s, chunk, (enum cf_sim_traversal)traversal))
         return false;
   }
   for (size_t i = 0; i < s->run->machines; i++) {
      struct sim_machine *m = &s->run->machine[i];
      const struct cf_sim_order *order = &s->order[m->machine.raster.traversal];
      cf_sim_hits_chunk(&m->hits, chunk, order);
      if (m->watch)
         sim_watch_begin_chunk(m->watch, chunk, order);
      if (s->run->timed)
         run_time(m, chunk, order);
      if (m->watch)
         sim_watch_end_chunk(m->watch);
   }
   return true;
}

static bool
take_chunk(struct stream *s, const struct cf_sim_chunk *chunk)
{
   if (s->run->frames.features) {
      const struct cf_sim_features features = cf_sim_features_of(chunk);
      sim_frames_add(&s->run->frames, &features);
   }
   return (!sim_frames_chunk(s->run, chunk) || run_machines(s, chunk)) &&
          (!s->writer || cf_sim_writer_put(s->writer, chunk));
}

/* ------------------------------------------------------------------ captures */

static uint32_t
describe(void *user, struct cf_sim_recorder *recorder, const struct cf_packet_event *packet,
         struct cf_sim_op op[2])
{
   struct stream *s = user;
   return sim_describe(&s->describe, recorder, packet, op);
}

static bool
chunk_recorded(void *user, const struct cf_sim_chunk *chunk)
{
   return take_chunk(user, chunk);
}

static bool
replay(struct look_player *player, struct cf_sim_recorder *recorder, char *error, size_t error_B)
{
   struct look_submission submission;
   int found;
   while ((found = look_player_next(player, &submission, error, error_B)) > 0) {
      cf_sim_recorder_frame(recorder, look_player_frames(player));
      look_player_run(player, &submission);
      if (!cf_sim_recorder_went_well(recorder)) {
         snprintf(error, error_B, "out of memory, or the recording cannot be written");
         return false;
      }
   }
   return found == 0 && look_player_went_well(player, error, error_B);
}

static bool
run_capture(struct stream *s, char *error, size_t error_B)
{
   const struct cf_sim_recorder_config of_stream = { s, describe, chunk_recorded };
   struct cf_sim_recorder *recorder = cf_sim_recorder_create(&of_stream);
   if (!recorder) {
      snprintf(error, error_B, "out of memory");
      return false;
   }
   const struct cf_observer observer = cf_sim_recorder_observer(recorder);
   const struct cf_model_config config = { .threads = s->run->threads,
                                           .engine = CF_ENGINE_INTERP,
                                           .path = CF_PATH_PLAIN,
                                           .observer = &observer };
   struct look_player *player = look_player_open(s->run->path, &config, error, error_B);
   s->describe.player = player;
   bool ok = player != NULL;
   if (player) {
      look_player_warn(player, s->run->path);
      ok = replay(player, recorder, error, error_B);
      const struct cf_bo memory = look_player_memory(player);
      s->run->memory_hash = look_memory_hash(&memory);
      s->run->replayed = ok;
      look_player_close(player);
   }
   cf_sim_recorder_destroy(recorder);
   return ok;
}

/* ------------------------------------------------------------------ recordings */

static bool
read_chunks(struct stream *s, struct cf_sim_reader *reader, char error[CF_SIM_ERROR_B])
{
   struct cf_sim_chunk chunk;
   int found = -1;
   bool ok = cf_sim_chunk_init(&chunk);
   if (!ok)
      snprintf(error, CF_SIM_ERROR_B, "out of memory");
   while (ok && (found = cf_sim_reader_next(reader, &chunk, error)) > 0) {
      ok = take_chunk(s, &chunk);
      if (!ok)
         snprintf(error, CF_SIM_ERROR_B, "out of memory, or a recording cannot be written");
   }
   cf_sim_chunk_free(&chunk);
   return ok && found == 0;
}

/* Read the chunks that machines run, and no others; what all have is in the index. */
static bool
read_some(struct stream *s, struct cf_sim_reader *reader, char error[CF_SIM_ERROR_B])
{
   const struct cf_sim_place_in_file *index;
   struct sim_frames *frames = &s->run->frames;
   struct cf_sim_chunk chunk;
   uint32_t chunks;
   bool ok = cf_sim_chunk_init(&chunk) && cf_sim_reader_index(reader, &index, &chunks, error);
   for (uint32_t i = 0; ok && i < chunks; i++) {
      const struct cf_sim_features *features = &index[i].features;
      if (frames->features)
         sim_frames_add(frames, features);
      if (!frames->chosen || features->frame == CF_SIM_NONE ||
          !sim_frames_wants(frames, features->frame))
         continue;
      cf_sim_reader_seek(reader, i);
      ok = cf_sim_reader_next(reader, &chunk, error) > 0;
      if (ok && sim_frames_chunk(s->run, &chunk) && !run_machines(s, &chunk)) {
         snprintf(error, CF_SIM_ERROR_B, "out of memory");
         ok = false;
      }
   }
   cf_sim_chunk_free(&chunk);
   return ok;
}

static bool
run_recording(struct stream *s, char *error, size_t error_B)
{
   char why[CF_SIM_ERROR_B] = "";
   struct cf_sim_reader *reader = cf_sim_reader_open(s->run->path, why);
   const struct sim_run *run = s->run;
   const bool some =
      !run->record && (run->frames.chosen || (run->frames.features && !run->machines));
   const bool ok = reader && (some ? read_some : read_chunks)(s, reader, why);
   if (reader)
      cf_sim_reader_close(reader);
   if (!ok)
      snprintf(error, error_B, "%s", why);
   return ok;
}

/* ------------------------------------------------------------------ all */

static bool
begin_time(struct sim_machine *m)
{
   switch (m->machine.gpu.model) {
   case CF_SIM_MODEL_WHOLE:
      m->gpu = malloc(sizeof(*m->gpu));
      return m->gpu && cf_sim_gpu_init(m->gpu, &m->machine);
   case CF_SIM_MODEL_VERTICES:
      m->vertices = malloc(sizeof(*m->vertices));
      return m->vertices && cf_sim_vertices_init(m->vertices, &m->machine);
   case CF_SIM_MODEL_FRAGMENTS:
      m->fragments = malloc(sizeof(*m->fragments));
      return m->fragments && cf_sim_fragments_init(m->fragments, &m->machine);
   default:
      return cf_sim_cycles_init(&m->cycles, &m->machine);
   }
}

static bool
end_time(struct sim_machine *m)
{
   if (m->gpu)
      cf_sim_gpu_finish(m->gpu);
   if (m->vertices)
      cf_sim_vertices_finish(m->vertices);
   if (m->fragments)
      cf_sim_fragments_finish(m->fragments);
   return !m->cycles.failed && (!m->gpu || !m->gpu->failed) &&
          (!m->vertices || !m->vertices->failed) && (!m->fragments || !m->fragments->failed);
}

static void
free_time(struct sim_machine *m)
{
   cf_sim_cycles_free(&m->cycles);
   if (m->gpu)
      cf_sim_gpu_free(m->gpu);
   if (m->vertices)
      cf_sim_vertices_free(m->vertices);
   if (m->fragments)
      cf_sim_fragments_free(m->fragments);
   free(m->gpu);
   free(m->vertices);
   free(m->fragments);
}

static bool
begin(struct stream *s)
{
   bool ok = true;
   if (s->run->record) {
      s->writer = cf_sim_writer_open(s->run->record);
      ok = s->writer != NULL;
   }
   for (size_t i = 0; i < s->run->machines; i++) {
      struct sim_machine *m = &s->run->machine[i];
      ok = cf_sim_hits_init(&m->hits, &m->machine, s->run->stacks) && ok;
      if (s->run->timed)
         ok = begin_time(m) && ok;
      if (ok && s->run->watched)
         ok = (m->watch = sim_watch_create(m, &s->run->watch)) != NULL;
   }
   return ok;
}

static bool
end(struct stream *s)
{
   bool ok = !s->writer || cf_sim_writer_close(s->writer);
   sim_frames_end(s->run);
   for (size_t i = 0; i < s->run->machines; i++)
      ok = cf_sim_hits_finish(&s->run->machine[i].hits) && end_time(&s->run->machine[i]) && ok;
   for (uint32_t t = 0; t < CF_SIM_TRAVERSALS; t++)
      cf_sim_order_free(&s->order[t]);
   return ok;
}

/* Whether each cycle of each unit has one cause. */
static bool
adds_up(const struct sim_machine *m, char error[CF_SIM_ACCOUNT_B])
{
   return m->gpu         ? cf_sim_account_gpu(m->gpu, error)
          : m->vertices  ? cf_sim_account_vertices(m->vertices, error)
          : m->fragments ? cf_sim_account_fragments(m->fragments, error)
                         : cf_sim_account_cycles(&m->cycles, error);
}

static bool
check_accounts(const struct sim_run *run, char *error, size_t error_B)
{
   char why[CF_SIM_ACCOUNT_B];
   for (size_t i = 0; run->timed && i < run->machines; i++) {
      if (!adds_up(&run->machine[i], why)) {
         snprintf(
            error, error_B,
            "internal error of machine %s: %s. This is a fault of clipfree sim: please report "
            "it with the capture",
            run->machine[i].name, why);
         return false;
      }
   }
   return true;
}

bool
sim_run(struct sim_run *run, char *error, size_t error_B)
{
   struct stream s = { .run = run };
   bool ok = begin(&s);
   if (!ok)
      snprintf(error, error_B, "out of memory, or the recording cannot be written");
   ok = ok && (cf_sim_is_recording(run->path) ? run_recording : run_capture)(&s, error, error_B);
   if (!end(&s) && ok) {
      snprintf(error, error_B, "out of memory, or the recording cannot be written");
      return false;
   }
   ok = ok && check_accounts(run, error, error_B);
   for (size_t i = 0; ok && run->watched && i < run->machines; i++)
      ok = sim_watch_end(run->machine[i].watch, run->path, error, error_B);
   return ok;
}

void
sim_run_free(struct sim_run *run)
{
   sim_frames_free(&run->frames);
   for (size_t i = 0; i < run->machines; i++) {
      cf_sim_hits_free(&run->machine[i].hits);
      free_time(&run->machine[i]);
      sim_watch_destroy(run->machine[i].watch);
   }
}
