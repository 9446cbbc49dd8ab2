/* SPDX-License-Identifier: MIT */
/*
 * Replay a capture (CLIPFREE_CAPTURE) on the model, without GL: for finding out what a frame costs,
 * and whether two settings give the same bits. Prints a hash of all GPU memory after the last
 * submission.
 *
 * Memory is put back before every repetition, so that each does the same work.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clipfree/command/cf_capture.h"
#include "clipfree/command/cf_gpu.h"
#include "clipfree/command/cf_packets.h"

#define FIRST_ADDRESS 4096 /* of the first allocation of a GPU */

struct capture {
   uint8_t *data;
   size_t size_B;
   uint64_t end_address; /* of all memory it names */
};

static void
die(const char *what)
{
   fprintf(stderr, "clipfree-replay: %s\n", what);
   exit(1);
}

static uint64_t
now_ns(clockid_t clock)
{
   struct timespec now;
   clock_gettime(clock, &now);
   return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The record at *at; moves past it. NULL at the end. */
static const struct cf_capture_record *
next_record(const struct capture *capture, size_t *at, const uint8_t **payload)
{
   const struct cf_capture_record *record = (const struct cf_capture_record *)(capture->data + *at);
   if (*at + sizeof(*record) > capture->size_B)
      return NULL;
   *at += sizeof(*record);
   *payload = capture->data + *at;
   if (record->kind == CF_CAPTURE_SUBMIT)
      return record;
   if (record->kind != CF_CAPTURE_MEMORY || record->size_B > capture->size_B - *at)
      return NULL;
   *at += record->size_B;
   return record;
}

static struct capture
load(const char *path)
{
   struct capture capture = { 0 };
   const size_t magic_B = strlen(CF_CAPTURE_MAGIC);
   FILE *file = fopen(path, "rb");
   if (!file || fseek(file, 0, SEEK_END) != 0)
      die("cannot open the capture");
   capture.size_B = (size_t)ftell(file) - magic_B;
   rewind(file);
   char magic[sizeof(CF_CAPTURE_MAGIC)] = "";
   if (fread(magic, magic_B, 1, file) != 1 || strcmp(magic, CF_CAPTURE_MAGIC) != 0)
      die("this is no capture of this version");
   capture.data = malloc(capture.size_B);
   if (!capture.data || fread(capture.data, capture.size_B, 1, file) != 1)
      die("cannot read the capture");
   fclose(file);
   const uint8_t *payload;
   const struct cf_capture_record *record;
   for (size_t at = 0; (record = next_record(&capture, &at, &payload));) {
      if (record->address + record->size_B > capture.end_address)
         capture.end_address = record->address + record->size_B;
   }
   return capture;
}

struct cost {
   uint64_t wall_ns, cpu_ns;
};

/* Returns what the submissions took. */
static struct cost
run(struct cf_gpu *gpu, const struct capture *capture, const struct cf_bo *memory, bool print)
{
   const uint8_t *payload;
   const struct cf_capture_record *record;
   struct cost cost = { 0 };
   for (size_t at = 0; (record = next_record(capture, &at, &payload));) {
      uint8_t *host = (uint8_t *)memory->map + (record->address - memory->address);
      if (record->kind == CF_CAPTURE_MEMORY) {
         memcpy(host, payload, record->size_B);
         continue;
      }
      const uint32_t *dw = (const uint32_t *)host;
      for (uint32_t i = 0; print && i < record->size_B / 4 && dw[i] >> 16; i += dw[i] >> 16)
         cf_packet_print(stdout, dw + i);
      const uint64_t wall_ns = now_ns(CLOCK_MONOTONIC), cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
      gpu->ops->wait(gpu, gpu->ops->submit(gpu, record->address, (uint32_t)record->size_B),
                     UINT64_MAX);
      cost.wall_ns += now_ns(CLOCK_MONOTONIC) - wall_ns;
      cost.cpu_ns += now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
   }
   return cost;
}

static uint64_t
hash(const uint8_t *data, uint64_t size_B)
{
   uint64_t hash = 0xcbf29ce484222325u;
   for (uint64_t i = 0; i + 8 <= size_B; i += 8) {
      uint64_t word;
      memcpy(&word, data + i, 8);
      hash = (hash ^ word) * 0x100000001b3u;
      hash ^= hash >> 29;
   }
   return hash;
}

static int
usage(void)
{
   fprintf(
      stderr,
      "usage: clipfree-replay [--threads N] [--engine interp|jit] [--repeat N] [--perf] [--print] "
      "CAPTURE\n"
      "  --threads N  worker threads (default: as many as the process may use; 0: none)\n"
      "  --engine E   interp: interpret programs (default); jit: compile them all before they run\n"
      "  --repeat N   run it N times and print the least times\n"
      "  --perf       print the time of each unit per submission\n"
      "  --print      print the packets\n");
   return 2;
}

int
main(int argc, char **argv)
{
   struct cf_model_config config = { .threads = -1, .memory_B = 32ull << 30 };
   const char *path = NULL, *error;
   unsigned repeat = 1;
   bool print = false;
   for (int i = 1; i < argc; i++) {
      if (!strcmp(argv[i], "--threads") && i + 1 < argc)
         config.threads = atoi(argv[++i]);
      else if (!strcmp(argv[i], "--repeat") && i + 1 < argc)
         repeat = (unsigned)atoi(argv[++i]);
      else if (!strcmp(argv[i], "--engine") && i + 1 < argc && !strcmp(argv[i + 1], "interp"))
         i++;
      else if (!strcmp(argv[i], "--engine") && i + 1 < argc && !strcmp(argv[i + 1], "jit"))
         i++, config.engine = CF_ENGINE_JIT;
      else if (!strcmp(argv[i], "--perf"))
         config.perf = true;
      else if (!strcmp(argv[i], "--print"))
         print = true;
      else if (argv[i][0] == '-' || path)
         return usage();
      else
         path = argv[i];
   }
   if (!path || repeat == 0)
      return usage();
   struct cf_gpu *gpu = cf_model_create(&config, &error);
   if (!gpu)
      die(error);
   if (gpu->ops->get_param(gpu, CF_PARAM_ENGINE) != config.engine)
      die(cf_model_has_jit() ? "--engine jit: the compiler cannot be loaded; it is libclipfree_jit.so, beside the library or in LD_LIBRARY_PATH"
                             : "--engine jit: this build has no compiler, LLVM was not found when it was configured");
   const struct capture capture = load(path);
   if (capture.end_address <= FIRST_ADDRESS)
      die("the capture is empty");
   struct cf_bo memory;
   if (!gpu->ops->bo_alloc(gpu, capture.end_address - FIRST_ADDRESS, &memory) ||
       memory.address != FIRST_ADDRESS)
      die("no room for the capture's memory");
   struct cost least = { UINT64_MAX, UINT64_MAX };
   for (unsigned i = 0; i < repeat; i++) {
      const struct cost cost = run(gpu, &capture, &memory, print && i == 0);
      least.wall_ns = cost.wall_ns < least.wall_ns ? cost.wall_ns : least.wall_ns;
      least.cpu_ns = cost.cpu_ns < least.cpu_ns ? cost.cpu_ns : least.cpu_ns;
   }
   char text[320];
   gpu->ops->last_error(gpu, text, sizeof(text));
   if (text[0])
      die(text);
   printf("%.1f us, %.1f us of processor time, memory %016" PRIx64 "\n",
          (double)least.wall_ns / 1e3, (double)least.cpu_ns / 1e3, hash(memory.map, memory.size_B));
   gpu->ops->destroy(gpu);
   return 0;
}
