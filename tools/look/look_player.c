/* SPDX-License-Identifier: MIT */
#include "look_player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/cf_hash.h"

#define EXTRA_B (16u << 20)
#define GAP_B (16u << 20) /* free, so that addresses beyond the capture's memory are faults */

struct look_player {
   struct cf_capture_reader *reader, *own; /* own: closed with the player; else NULL */
   struct cf_gpu *gpu;
   struct cf_bo memory, extra;
   uint32_t submissions, frames; /* so far */
   uint32_t end_frames;          /* the end: when so many were presented; 0: that of the file */
   bool presented;
   struct cf_surface surface;
   struct look_notes *notes;
   char forgiven[CF_CAPTURE_ERROR_B]; /* the failure that is; "": none */
};

static bool
make_gpu(struct look_player *player, const struct cf_model_config *config, char *error,
         size_t error_B)
{
   const char *why = NULL;
   struct cf_model_config quiet = config ? *config : (struct cf_model_config){ .threads = 0 };
   quiet.quiet = true; /* look_player_went_well says it */
   player->gpu = config ? cf_model_create(&quiet, &why) : cf_noop_create(&why);
   if (!player->gpu) {
      snprintf(error, error_B, "%s", why);
      return false;
   }
   const struct cf_gpu_ops *ops = player->gpu->ops;
   struct cf_bo gap = { 0 };
   const uint64_t first = cf_capture_first_address(player->reader),
                  end = cf_capture_end_address(player->reader);
   if (!ops->bo_alloc(player->gpu, end - CF_CAPTURE_FIRST_ADDRESS, &player->memory) ||
       !ops->bo_alloc(player->gpu, GAP_B, &gap) ||
       !ops->bo_alloc(player->gpu, EXTRA_B, &player->extra)) {
      snprintf(error, error_B, "no room for the capture's memory, %llu MiB",
               (unsigned long long)(end >> 20));
      return false;
   }
   ops->bo_free(player->gpu, &gap);
   if (first < player->memory.address) {
      snprintf(error, error_B,
               "the capture is of a host with smaller pages: GPU memory begins at 0x%llx here",
               (unsigned long long)player->memory.address);
      return false;
   }
   return true;
}

struct look_player *
look_player_open_reader(struct cf_capture_reader *reader, const struct cf_model_config *config,
                        char *error, size_t error_B)
{
   struct look_player *player = calloc(1, sizeof(*player));
   if (player)
      player->notes = look_notes_create();
   if (!player || !player->notes) {
      snprintf(error, error_B, "out of memory");
      free(player);
      return NULL;
   }
   player->reader = reader;
   cf_capture_rewind(reader);
   if (!make_gpu(player, config, error, error_B)) {
      look_player_close(player);
      return NULL;
   }
   /* on the plain path what a submission leaves is not, byte for byte, what the captured one did */
   const uint64_t path = player->gpu->ops->get_param(player->gpu, CF_PARAM_PATH);
   cf_capture_leave_drawn(reader, path == CF_PATH_PLAIN);
   return player;
}

struct look_player *
look_player_open(const char *path, const struct cf_model_config *config, char *error,
                 size_t error_B)
{
   struct cf_capture_reader *reader = cf_capture_open(path, error, error_B);
   struct look_player *player =
      reader ? look_player_open_reader(reader, config, error, error_B) : NULL;
   if (player)
      player->own = reader;
   else if (reader)
      cf_capture_close(reader);
   return player;
}

void
look_player_leave_drawn(struct look_player *player)
{
   cf_capture_leave_drawn(player->reader, true);
}

void
look_player_close(struct look_player *player)
{
   if (player->gpu)
      player->gpu->ops->destroy(player->gpu);
   if (player->own)
      cf_capture_close(player->own);
   look_notes_destroy(player->notes);
   free(player);
}

void
look_player_warn(const struct look_player *player, const char *path)
{
   const char *warning = cf_capture_warning(player->reader);
   if (warning)
      fprintf(stderr, "clipfree: %s: %s\n", path, warning);
}

void
look_player_end_at_frame(struct look_player *player, uint32_t number)
{
   player->end_frames = number + 1;
}

bool
look_player_went_well(const struct look_player *player, char *error, size_t error_B)
{
   if (player->gpu->ops->reset_status(player->gpu) == CF_RESET_NONE)
      return true;
   player->gpu->ops->last_error(player->gpu, error, error_B);
   if (strcmp(error, player->forgiven) != 0)
      return false;
   error[0] = 0;
   return true;
}

void
look_player_forgive(struct look_player *player)
{
   player->gpu->ops->last_error(player->gpu, player->forgiven, sizeof(player->forgiven));
}

static void
note_frame(struct look_player *player, const struct cf_capture_record *record,
           const uint8_t *payload)
{
   uint32_t dw[CF_SURFACE_DWORDS];
   const char *bad_field;
   player->frames++;
   if (record->size_B != sizeof(dw))
      return;
   memcpy(dw, payload, sizeof(dw));
   player->presented = cf_surface_unpack(dw, &player->surface, &bad_field);
}

int
look_player_next(struct look_player *player, struct look_submission *submission, char *error,
                 size_t error_B)
{
   const struct cf_gpu_ops *ops = player->gpu->ops;
   struct cf_capture_record record;
   const uint8_t *payload;
   int found;
   if (!look_player_went_well(player, error, error_B))
      return -1;
   while ((found = cf_capture_next(player->reader, &record, &payload, error, error_B)) > 0) {
      if (record.kind == CF_CAPTURE_FRAME) {
         note_frame(player, &record, payload);
         if (player->frames == player->end_frames)
            return 0;
      }
      if (record.kind == CF_CAPTURE_NOTE && payload &&
          !look_notes_put(player->notes, record.address, payload, record.size_B)) {
         snprintf(error, error_B, "out of memory");
         return -1;
      }
      if (record.kind == CF_CAPTURE_NOTE && payload && ops->get_param(player->gpu, CF_PARAM_NOTES))
         ops->note(player->gpu, record.address, payload, record.size_B);
      if (record.kind != CF_CAPTURE_MEMORY && record.kind != CF_CAPTURE_SUBMIT)
         continue;
      uint8_t *host = (uint8_t *)player->memory.map + (record.address - player->memory.address);
      if (record.kind == CF_CAPTURE_MEMORY) {
         memcpy(host, payload, record.size_B);
         continue;
      }
      *submission = (struct look_submission){ .number = player->submissions++,
                                              .address = record.address,
                                              .dw = (uint32_t *)host,
                                              .dwords = (uint32_t)(record.size_B / 4) };
      return 1;
   }
   return found;
}

uint64_t
look_time_limit_ns(struct cf_gpu *gpu)
{
   const uint64_t wanted_ns = gpu->ops->get_param(gpu, CF_PARAM_TIME_LIMIT_NS);
   return wanted_ns == CF_NO_TIME_LIMIT ? 0 : wanted_ns;
}

void
look_player_run(struct look_player *player, const struct look_submission *submission)
{
   const struct cf_gpu_ops *ops = player->gpu->ops;
   ops->wait(player->gpu,
             ops->submit(player->gpu, submission->address, 4 * submission->dwords,
                         look_time_limit_ns(player->gpu)),
             UINT64_MAX);
}

static void *
address_in(const struct cf_bo *bo, uint64_t address, uint64_t size_B)
{
   if (address < bo->address || address - bo->address > bo->size_B ||
       size_B > bo->size_B - (address - bo->address))
      return NULL;
   return (uint8_t *)bo->map + (address - bo->address);
}

void *
look_player_at(const struct look_player *player, uint64_t address, uint64_t size_B)
{
   void *data = address_in(&player->memory, address, size_B);
   return data ? data : address_in(&player->extra, address, size_B);
}

struct cf_bo
look_player_memory(const struct look_player *player)
{
   return player->memory;
}

uint64_t
look_memory_hash(const struct cf_bo *memory)
{
   return cf_hash_words(CF_HASH_NOTHING, memory->map, memory->size_B / 8);
}

struct cf_bo
look_player_extra(const struct look_player *player)
{
   return player->extra;
}

bool
look_player_presented(const struct look_player *player, struct cf_surface *surface)
{
   *surface = player->surface;
   return player->presented;
}

const struct look_notes *
look_player_notes(const struct look_player *player)
{
   return player->notes;
}

uint32_t
look_player_frames(const struct look_player *player)
{
   return player->frames;
}

uint32_t
look_player_submissions(const struct look_player *player)
{
   return cf_capture_submissions(player->reader);
}

const uint32_t *
look_packets_next(struct look_packets *packets)
{
   uint32_t dwords;
   if (packets->at >= packets->dwords)
      return NULL;
   const uint32_t *packet = packets->dw + packets->at;
   if (!cf_packet_name(packet[0] & 0xff, &dwords) || dwords > packets->dwords - packets->at)
      return NULL;
   packets->at += dwords;
   return packet;
}
