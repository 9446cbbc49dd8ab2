/* SPDX-License-Identifier: MIT */
#include "replay_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "look/look_error.h"
#include "look/look_pixel.h"
#include "look/look_player.h"

#include "clipfree/capture/cf_capture_reader.h"
#include "clipfree/interface/cf_gpu.h"
#include "clipfree/interface/cf_packets.h"

#include "replay_notes.h"

static uint64_t
now_ns(clockid_t clock)
{
   struct timespec now;
   clock_gettime(clock, &now);
   return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ------------------------------------------------------------------ records */

/* The packets of a command buffer up to the first malformed one. */
static json_t *
packets_json(const uint32_t *dw, uint32_t count, uint64_t address)
{
   json_t *array = json_array();
   for (uint32_t i = 0, dwords; i < count; i += dwords) {
      json_t *packet = json_object();
      const char *name = cf_packet_name(dw[i] & 0xff, &dwords), *bad;
      json_array_append_new(array, packet);
      json_object_set_new(packet, "packet", look_json_address(address + 4 * (uint64_t)i));
      if (!name || dwords > count - i) {
         json_object_set_new(packet, "header", look_json_address(dw[i]));
         return array;
      }
      const struct cf_record *record = cf_packet_record(dw[i] & 0xff);
      json_object_set_new(packet, "name", json_string(name));
      if ((bad = cf_record_fault(record, dw + i)))
         json_object_set_new(packet, "bad", json_string(bad));
      else
         json_object_set_new(packet, "values", look_json_record(record, dw + i));
   }
   return array;
}

/* What --print shows of a record. NULL: nothing. */
static json_t *
record_json(const struct cf_capture_record *record, const uint8_t *payload, const uint8_t *host)
{
   switch (record->kind) {
   case CF_CAPTURE_NOTE:
      return replay_note_json(record, payload);
   case CF_CAPTURE_FRAME:
      return json_pack("{s:s, s:I, s:o}", "record", "frame", "number", (json_int_t)record->number,
                       "image", look_json_address(record->address));
   case CF_CAPTURE_SUBMIT:
      return json_pack("{s:s, s:o, s:o}", "record", "submission", "address",
                       look_json_address(record->address), "packets",
                       packets_json((const uint32_t *)(const void *)host,
                                    (uint32_t)(record->size_B / 4), record->address));
   default:
      return NULL;
   }
}

static void
print_value(const json_t *value)
{
   if (json_is_string(value))
      printf(" %s", json_string_value(value));
   else if (json_is_real(value))
      printf(" %.9g", json_real_value(value));
   else if (json_is_boolean(value))
      printf(" %d", json_is_true(value));
   else
      printf(" %" JSON_INTEGER_FORMAT, json_integer_value(value));
}

static void
print_packet(const json_t *packet)
{
   const char *name;
   json_t *value, *element;
   size_t i;
   if (json_object_get(packet, "header")) {
      printf("0x%08llx: no packet, or one that does not end in the command buffer\n",
             strtoull(look_text(packet, "header"), NULL, 16));
      return;
   }
   if (json_object_get(packet, "bad"))
      printf("%s: bad %s\n", look_text(packet, "name"), look_text(packet, "bad"));
   else
      printf("%s\n", look_text(packet, "name"));
   json_object_foreach(json_object_get(packet, "values"), name, value)
   {
      printf("   %s:", name);
      if (!json_is_array(value))
         print_value(value);
      json_array_foreach(value, i, element) print_value(element);
      putchar('\n');
   }
}

static void
print_record(const json_t *record)
{
   size_t i;
   json_t *packet;
   if (!strcmp(look_text(record, "record"), "note"))
      replay_note_print(stdout, record);
   else if (!strcmp(look_text(record, "record"), "frame"))
      printf("frame %lld presented: image %s\n", look_number(record, "number"),
             look_text(record, "image"));
   json_array_foreach(json_object_get(record, "packets"), i, packet) print_packet(packet);
}

/* ------------------------------------------------------------------ the run */

struct cost {
   uint64_t wall_ns, cpu_ns;
};

#define FAILURE_B 320

/* Show a record, if it is to be shown: as text, or where there is an array, in that. */
static void
show_record(const struct replay_request *request, const struct cf_capture_record *record,
            const uint8_t *payload, const uint8_t *host, json_t *records)
{
   json_t *json = request->print ? record_json(record, payload, host) : NULL;
   if (json && records)
      json_array_append(records, json);
   else if (json)
      print_record(json);
   json_decref(json);
}

/* A capture that is replayed, on a GPU with all of its memory. */
struct replayed {
   struct cf_gpu *gpu;
   struct cf_capture_reader *capture;
   struct cf_bo memory;
   char failure[FAILURE_B]; /* what made the first submission fail that did; "": none did */
};

static struct cost
submit(struct replayed *replayed, const struct cf_capture_record *record)
{
   struct cf_gpu *gpu = replayed->gpu;
   const uint64_t wall_ns = now_ns(CLOCK_MONOTONIC), cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
   gpu->ops->wait(
      gpu,
      gpu->ops->submit(gpu, record->address, (uint32_t)record->size_B, look_time_limit_ns(gpu)),
      UINT64_MAX);
   const struct cost cost = { now_ns(CLOCK_MONOTONIC) - wall_ns,
                              now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns };
   if (!replayed->failure[0])
      gpu->ops->last_error(gpu, replayed->failure, FAILURE_B);
   return cost;
}

/* Do what a record says, and show it. Adds the cost of a submission. */
static void
take_record(struct replayed *replayed, const struct replay_request *request,
            const struct cf_capture_record *record, const uint8_t *payload, json_t *records,
            struct cost *cost)
{
   struct cf_gpu *gpu = replayed->gpu;
   const bool submits = record->kind == CF_CAPTURE_SUBMIT;
   uint8_t *host = NULL; /* of others the address may be any */
   if (submits || record->kind == CF_CAPTURE_MEMORY)
      host = (uint8_t *)replayed->memory.map + (record->address - replayed->memory.address);
   if (record->kind == CF_CAPTURE_MEMORY)
      memcpy(host, payload, record->size_B);
   if (record->kind == CF_CAPTURE_NOTE && gpu->ops->get_param(gpu, CF_PARAM_NOTES))
      gpu->ops->note(gpu, record->address, payload, record->size_B);
   show_record(request, record, payload, host, records);
   if (record->kind == CF_CAPTURE_FRAME)
      gpu->ops->end_frame(gpu, NULL);
   if (!submits)
      return;
   const struct cost one = submit(replayed, record);
   cost->wall_ns += one.wall_ns;
   cost->cpu_ns += one.cpu_ns;
}

/* Replay all records. *cost is that of the submissions. records: an array for those that are
 * printed; NULL: as text. False: `error`. */
static bool
run(struct replayed *replayed, const struct replay_request *request, json_t *records,
    struct cost *cost, char *error, size_t error_B)
{
   const uint8_t *payload;
   struct cf_capture_record record;
   int found;
   *cost = (struct cost){ 0 };
   cf_capture_rewind(replayed->capture);
   cf_capture_leave_drawn(replayed->capture, true);
   while ((found = cf_capture_next(replayed->capture, &record, &payload, error, error_B)) > 0)
      take_record(replayed, request, &record, payload, records, cost);
   return found == 0;
}

static bool
make_gpu(struct replayed *replayed, const struct cf_model_config *config, char *error,
         size_t error_B)
{
   const char *why;
   struct cf_gpu *gpu = replayed->gpu = cf_model_create(config, &why);
   if (!gpu)
      return look_fails(error, error_B, "%s", why);
   if (config->engine == CF_ENGINE_JIT &&
       gpu->ops->get_param(gpu, CF_PARAM_ENGINE) != CF_ENGINE_JIT)
      return look_fails(error, error_B,
                        "--engine jit: the compiler cannot be loaded; it is libclipfree_jit.so, "
                        "beside the library or in LD_LIBRARY_PATH");
   return true;
}

/* Open the capture, and allocate all of its memory. */
static bool
open_capture(struct replayed *replayed, const struct replay_request *request, char *error,
             size_t error_B)
{
   const struct cf_capture_reader *capture = replayed->capture =
      cf_capture_open(request->path, error, error_B);
   if (!capture)
      return false;
   if (cf_capture_warning(capture) && !request->quiet)
      fprintf(stderr, "clipfree-replay: %s: %s\n", request->path, cf_capture_warning(capture));
   const uint64_t size_B = cf_capture_end_address(capture) - CF_CAPTURE_FIRST_ADDRESS;
   if (!replayed->gpu->ops->bo_alloc(replayed->gpu, size_B, &replayed->memory))
      return look_fails(error, error_B, "no room for the capture's memory, %" PRIu64 " MiB",
                        (size_B + (1 << 20) - 1) >> 20);
   if (cf_capture_first_address(capture) < replayed->memory.address)
      return look_fails(error, error_B,
                        "the capture is of a host with smaller pages: GPU memory begins at "
                        "0x%" PRIx64 " here",
                        replayed->memory.address);
   return true;
}

/* *least: the least costs of its runs; records of the first one are shown. False: `error`. */
static bool
run_all(struct replayed *replayed, const struct replay_request *request, json_t *records,
        struct cost *least, char *error, size_t error_B)
{
   struct replay_request later = *request;
   later.print = false;
   *least = (struct cost){ UINT64_MAX, UINT64_MAX };
   if (request->repeat > 1)
      cf_capture_keep(replayed->capture);
   for (unsigned long i = 0; i < request->repeat; i++) {
      struct cost cost;
      if (!run(replayed, i ? &later : request, records, &cost, error, error_B))
         return false;
      least->wall_ns = cost.wall_ns < least->wall_ns ? cost.wall_ns : least->wall_ns;
      least->cpu_ns = cost.cpu_ns < least->cpu_ns ? cost.cpu_ns : least->cpu_ns;
   }
   return !replayed->failure[0] || look_fails(error, error_B, "%s", replayed->failure);
}

static json_t *
run_json(const struct replay_request *request, const struct replayed *replayed,
         const struct cost *least, json_t *records, json_t *events)
{
   json_t *json = json_object();
   json_object_set_new(json, "version", json_integer(1));
   json_object_set_new(json, "capture", json_string(request->path));
   json_object_set_new(json, "wall_us", json_real((double)least->wall_ns / 1e3));
   json_object_set_new(json, "cpu_us", json_real((double)least->cpu_ns / 1e3));
   json_object_set_new(json, "memory",
                       json_sprintf("%016" PRIx64, look_memory_hash(&replayed->memory)));
   if (request->print)
      json_object_set(json, "records", records);
   if (request->config.observer)
      json_object_set(json, "events", events);
   return json;
}

json_t *
replay_run(struct replay_request *request, char *error, size_t error_B)
{
   json_t *json = NULL, *records = json_array(), *events = json_array();
   struct replayed replayed = { .failure = "" };
   struct cost least;
   request->history.events = request->json ? events : NULL;
   if (make_gpu(&replayed, &request->config, error, error_B) &&
       open_capture(&replayed, request, error, error_B) &&
       run_all(&replayed, request, request->json ? records : NULL, &least, error, error_B))
      json = run_json(request, &replayed, &least, records, events);
   if (replayed.gpu)
      replayed.gpu->ops->destroy(replayed.gpu);
   if (replayed.capture)
      cf_capture_close(replayed.capture);
   json_decref(records);
   json_decref(events);
   return json;
}

void
replay_run_print(FILE *file, const json_t *run)
{
   fprintf(file, "%.1f us, %.1f us of processor time, memory %s\n",
           json_real_value(json_object_get(run, "wall_us")),
           json_real_value(json_object_get(run, "cpu_us")), look_text(run, "memory"));
}
