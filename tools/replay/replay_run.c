/* SPDX-License-Identifier: MIT */
#include "replay_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "look/look_pixel.h"

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

/* Replay all records. Returns the cost of the submissions. records: an array for those that are
 * printed; NULL: as text. failure: what made the first of them fail that did; "" before. */
static struct cost
run(struct cf_gpu *gpu, struct cf_capture_reader *capture, const struct cf_bo *memory,
    const struct replay_request *request, json_t *records, char failure[FAILURE_B])
{
   const uint8_t *payload;
   struct cf_capture_record record;
   struct cost cost = { 0 };
   char error[CF_CAPTURE_ERROR_B];
   int found;
   cf_capture_rewind(capture);
   cf_capture_leave_drawn(capture, true);
   while ((found = cf_capture_next(capture, &record, &payload, error, sizeof(error))) > 0) {
      uint8_t *host = (uint8_t *)memory->map + (record.address - memory->address);
      if (record.kind == CF_CAPTURE_MEMORY)
         memcpy(host, payload, record.size_B);
      if (record.kind == CF_CAPTURE_NOTE && gpu->ops->get_param(gpu, CF_PARAM_NOTES))
         gpu->ops->note(gpu, record.address, payload, record.size_B);
      show_record(request, &record, payload, host, records);
      if (record.kind == CF_CAPTURE_FRAME)
         gpu->ops->end_frame(gpu, NULL);
      if (record.kind != CF_CAPTURE_SUBMIT)
         continue;
      const uint64_t wall_ns = now_ns(CLOCK_MONOTONIC), cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
      gpu->ops->wait(gpu, gpu->ops->submit(gpu, record.address, (uint32_t)record.size_B, 0),
                     UINT64_MAX);
      cost.wall_ns += now_ns(CLOCK_MONOTONIC) - wall_ns;
      cost.cpu_ns += now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
      if (!failure[0])
         gpu->ops->last_error(gpu, failure, FAILURE_B);
   }
   if (found < 0)
      replay_die("%s", error);
   return cost;
}

static struct cf_gpu *
make_gpu(const struct cf_model_config *config)
{
   const char *error;
   struct cf_gpu *gpu = cf_model_create(config, &error);
   if (!gpu)
      replay_die("%s", error);
   if (config->engine == CF_ENGINE_JIT &&
       gpu->ops->get_param(gpu, CF_PARAM_ENGINE) != CF_ENGINE_JIT)
      replay_die(
         "--engine jit: the compiler cannot be loaded; it is libclipfree_jit.so, beside the "
         "library or in LD_LIBRARY_PATH");
   return gpu;
}

/* Open the capture, and allocate all of its memory. */
static struct cf_capture_reader *
open_capture(const char *path, struct cf_gpu *gpu, struct cf_bo *memory)
{
   char error[CF_CAPTURE_ERROR_B];
   struct cf_capture_reader *capture = cf_capture_open(path, error, sizeof(error));
   if (!capture)
      replay_die("%s", error);
   if (cf_capture_warning(capture))
      fprintf(stderr, "clipfree-replay: %s: %s\n", path, cf_capture_warning(capture));
   const uint64_t size_B = cf_capture_end_address(capture) - CF_CAPTURE_FIRST_ADDRESS;
   if (!gpu->ops->bo_alloc(gpu, size_B, memory))
      replay_die("no room for the capture's memory");
   if (cf_capture_first_address(capture) < memory->address)
      replay_die("the capture is of a host with smaller pages: GPU memory begins at 0x%" PRIx64
                 " here",
                 memory->address);
   return capture;
}

/* The least costs of its runs; records of the first one are shown. */
static struct cost
run_all(const struct replay_request *request, struct cf_gpu *gpu, struct cf_capture_reader *capture,
        const struct cf_bo *memory, json_t *records)
{
   struct replay_request later = *request;
   struct cost least = { UINT64_MAX, UINT64_MAX };
   char failure[FAILURE_B] = "";
   later.print = false;
   if (request->repeat > 1)
      cf_capture_keep(capture);
   for (unsigned long i = 0; i < request->repeat; i++) {
      const struct cost cost = run(gpu, capture, memory, i ? &later : request, records, failure);
      least.wall_ns = cost.wall_ns < least.wall_ns ? cost.wall_ns : least.wall_ns;
      least.cpu_ns = cost.cpu_ns < least.cpu_ns ? cost.cpu_ns : least.cpu_ns;
   }
   if (failure[0])
      replay_die("%s", failure);
   return least;
}

json_t *
replay_run(struct replay_request *request)
{
   json_t *json = json_object(), *records = json_array(), *events = json_array();
   request->history.events = request->json ? events : NULL;
   struct cf_gpu *gpu = make_gpu(&request->config);
   struct cf_bo memory;
   struct cf_capture_reader *capture = open_capture(request->path, gpu, &memory);
   const struct cost least =
      run_all(request, gpu, capture, &memory, request->json ? records : NULL);
   json_object_set_new(json, "version", json_integer(1));
   json_object_set_new(json, "capture", json_string(request->path));
   json_object_set_new(json, "wall_us", json_real((double)least.wall_ns / 1e3));
   json_object_set_new(json, "cpu_us", json_real((double)least.cpu_ns / 1e3));
   json_object_set_new(json, "memory", json_sprintf("%016" PRIx64, look_memory_hash(&memory)));
   if (request->print)
      json_object_set(json, "records", records);
   if (request->config.observer)
      json_object_set(json, "events", events);
   gpu->ops->destroy(gpu);
   cf_capture_close(capture);
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
