/* SPDX-License-Identifier: MIT */
/*
 * Replays a capture (CLIPFREE_CAPTURE) on the model, without GL: to measure a frame's cost, and to
 * compare the bits of two settings. Prints a hash of all GPU memory after the last submission.
 *
 * Memory is restored before every repetition, so that each does the same work.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/command/cf_capture.h"
#include "clipfree/command/cf_model.h"
#include "clipfree/interface/cf_gpu.h"
#include "clipfree/interface/cf_packets.h"

#include "pixel_history.h"

#define FIRST_ADDRESS 4096 /* of a GPU's first allocation; with larger host pages, their size */

struct capture {
   uint8_t *data; /* the records */
   size_t size_B;
   uint64_t first_address, end_address; /* range of all memory in the records */
};

static _Noreturn void __attribute__((format(printf, 1, 2)))
die(const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   fputs("clipfree-replay: ", stderr);
   vfprintf(stderr, format, arguments);
   fputc('\n', stderr);
   exit(1);
}

static uint64_t
now_ns(clockid_t clock)
{
   struct timespec now;
   clock_gettime(clock, &now);
   return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Most memory of a replay: that of the largest GPU. */
#define MEMORY_B (32ull << 30)

/* Read the record at *at and advance past it. False: the end. The records were checked before. */
static bool
next_record(const struct capture *capture, size_t *at, struct cf_capture_record *record, const uint8_t **payload)
{
   if (*at == capture->size_B)
      return false;
   memcpy(record, capture->data + *at, sizeof(*record));
   *at += sizeof(*record);
   *payload = capture->data + *at;
   *at += record->kind == CF_CAPTURE_MEMORY ? record->size_B : 0;
   return true;
}

/* The error in a record that is followed by `left_B` bytes of the file; NULL: none. */
static const char *
record_fault(const struct cf_capture_record *record, size_t left_B)
{
   if (record->kind != CF_CAPTURE_MEMORY && record->kind != CF_CAPTURE_SUBMIT)
      return "there is no such kind of record";
   if (record->kind == CF_CAPTURE_MEMORY && record->size_B > left_B)
      return "the file ends before its memory does";
   if (record->kind == CF_CAPTURE_SUBMIT && (record->size_B % 4 || record->address % 4 || record->size_B > UINT32_MAX))
      return "a command buffer is of whole dwords, and less than 4 GiB";
   if (record->address < FIRST_ADDRESS || record->address >= MEMORY_B || record->size_B > MEMORY_B - record->address)
      return "its addresses are not those of a GPU's memory";
   return NULL;
}

/* Check all records and find the range of memory. Exits if a record is malformed, e.g. in a
 * truncated file. */
static void
check_capture(struct capture *capture)
{
   struct cf_capture_record record;
   unsigned submissions = 0;
   for (size_t at = 0; at < capture->size_B;) {
      const size_t left_B = capture->size_B - at;
      const size_t place = strlen(CF_CAPTURE_MAGIC) + at;
      if (left_B < sizeof(record))
         die("record at byte %zu: the file ends in it", place);
      memcpy(&record, capture->data + at, sizeof(record));
      const char *fault = record_fault(&record, left_B - sizeof(record));
      if (fault)
         die("record at byte %zu (kind %" PRIu32 ", address 0x%" PRIx64 ", %" PRIu64 " bytes): %s", place, record.kind,
             record.address, record.size_B, fault);
      at += sizeof(record) + (record.kind == CF_CAPTURE_MEMORY ? record.size_B : 0);
      submissions += record.kind == CF_CAPTURE_SUBMIT;
      capture->first_address = cf_min_u64(capture->first_address, record.address);
      if (record.address + record.size_B > capture->end_address)
         capture->end_address = record.address + record.size_B;
   }
   if (submissions == 0)
      die("the capture has no submission");
}

static struct capture
load(const char *path)
{
   struct capture capture = { .first_address = UINT64_MAX };
   const size_t magic_B = strlen(CF_CAPTURE_MAGIC);
   char magic[sizeof(CF_CAPTURE_MAGIC)] = "";
   FILE *file = fopen(path, "rb");
   if (!file)
      die("cannot open the capture %s: %s", path, strerror(errno));
   if (fread(magic, 1, magic_B, file) != magic_B || strcmp(magic, CF_CAPTURE_MAGIC) != 0)
      die("%s is no capture of this version", path);
   const bool sized = fseek(file, 0, SEEK_END) == 0 && ftell(file) >= (long)magic_B;
   capture.size_B = sized ? (size_t)ftell(file) - magic_B : 0;
   capture.data = malloc(capture.size_B + 1);
   if (!sized || !capture.data || fseek(file, (long)magic_B, SEEK_SET) != 0 ||
       fread(capture.data, 1, capture.size_B, file) != capture.size_B)
      die("cannot read the capture %s: %s", path, strerror(errno));
   fclose(file);
   check_capture(&capture);
   return capture;
}

/* Print the packets of a command buffer up to the first malformed one. */
static void
print_packets(const uint32_t *dw, uint32_t count)
{
   for (uint32_t i = 0, dwords; i < count; i += dwords) {
      if (!cf_packet_name(dw[i] & 0xff, &dwords) || dwords > count - i) {
         printf("0x%08" PRIx32 ": no packet, or one that does not end in the command buffer\n", dw[i]);
         return;
      }
      cf_record_print(stdout, cf_packet_record(dw[i] & 0xff), dw + i);
   }
}

struct cost {
   uint64_t wall_ns, cpu_ns;
};

/* Replay all records. Returns the cost of the submissions. */
static struct cost
run(struct cf_gpu *gpu, const struct capture *capture, const struct cf_bo *memory, bool print)
{
   const uint8_t *payload;
   struct cf_capture_record record;
   struct cost cost = { 0 };
   for (size_t at = 0; next_record(capture, &at, &record, &payload);) {
      uint8_t *host = (uint8_t *)memory->map + (record.address - memory->address);
      if (record.kind == CF_CAPTURE_MEMORY) {
         memcpy(host, payload, record.size_B);
         continue;
      }
      if (print)
         print_packets((const uint32_t *)host, (uint32_t)(record.size_B / 4));
      const uint64_t wall_ns = now_ns(CLOCK_MONOTONIC), cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
      gpu->ops->wait(gpu, gpu->ops->submit(gpu, record.address, (uint32_t)record.size_B),
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

/* ---- the command line ---- */

struct request {
   struct cf_model_config config;
   const char *path;
   unsigned long repeat;
   bool engine_given, print;
   struct pixel_history history;
   struct cf_observer observer; /* of `history`, if it was requested */
};

static void
print_usage(FILE *file)
{
   fputs("usage: clipfree-replay [OPTION...] CAPTURE\n"
         "Run the submissions of a capture, and print their time and a hash of all GPU memory.\n",
         file);
   for (const struct cf_option *option = cf_model_options; option->variable; option++)
      fprintf(file, "  %s V: %s\n      %s\n", option->argument, option->values, option->text);
   fputs("  --repeat N    run it N times and print the least times\n"
         "  --verify      compile all programs, run them in the interpreter too, and stop at the "
         "first difference\n"
         "  --perf        print the time of each unit per submission\n"
         "  --symbols     tell perf (/tmp/perf-PID.map) and gdb the names of compiled programs\n"
         "  --print       print the packets\n"
         "  --show UNIT   print what a unit does for each pass: setup, rast, tex or pixel; may be "
         "repeated\n"
         "  --pixel X,Y   print what happens to the pixel in column X, row Y of memory, of every "
         "image, which are named by\n"
         "                their addresses: on the plain path, interpreted\n"
         "  --help        print this\n"
         "Programs are interpreted if --engine does not say otherwise.\n",
         file);
}

/* Parse an option with a value. False: there is no such option. */
static bool
parse_valued(const char *name, const char *value, struct request *request)
{
   static const char *const units[] = { "setup", "rast", "tex", "pixel" }; /* enum cf_print_flag */
   char text[256];
   for (const struct cf_option *option = cf_model_options; option->variable; option++) {
      if (strcmp(name, option->argument) != 0)
         continue;
      if (!option->parse(value, &request->config)) {
         cf_option_error(option, name, value, text, sizeof(text));
         die("%s", text);
      }
      request->engine_given = request->engine_given || !strcmp(name, "--engine");
      return true;
   }
   if (!strcmp(name, "--repeat")) {
      if (!cf_parse_number(value, UINT32_MAX, &request->repeat) || request->repeat == 0)
         die("--repeat=%s is not known; it may be a number from 1", value);
      return true;
   }
   if (!strcmp(name, "--pixel")) {
      request->history.file = stdout;
      request->observer = pixel_history_observer(&request->history);
      request->config.observer = &request->observer;
      request->config.path = CF_PATH_PLAIN;
      if (!pixel_history_parse(value, &request->history))
         die("--pixel=%s is not known; it may be two numbers, X,Y", value);
      return true;
   }
   if (strcmp(name, "--show") != 0)
      return false;
   unsigned unit = 0;
   while (unit < 4 && strcmp(value, units[unit]) != 0)
      unit++;
   if (unit == 4)
      die("--show=%s is not known; it may be setup, rast, tex or pixel", value);
   request->config.print |= 1u << unit;
   return true;
}

/* Parse the command line. Negative: continue; else the exit status. */
static int
parse_arguments(int argc, char **argv, struct request *request)
{
   bool known = true;
   for (int i = 1; known && i < argc; i++) {
      if (!strcmp(argv[i], "--help")) {
         print_usage(stdout);
         return 0;
      }
      if (!strcmp(argv[i], "--perf"))
         request->config.perf = true;
      else if (!strcmp(argv[i], "--print"))
         request->print = true;
      else if (!strcmp(argv[i], "--symbols"))
         request->config.code_symbols = true;
      else if (!strcmp(argv[i], "--verify"))
         request->config.verify_engine = true;
      else if (argv[i][0] != '-' && !request->path)
         request->path = argv[i];
      else if (i + 1 < argc && parse_valued(argv[i], argv[i + 1], request))
         i++;
      else
         known = false;
   }
   if (!known || !request->path) {
      print_usage(stderr);
      return 2;
   }
   if (request->config.verify_engine && !request->engine_given)
      request->config.engine = CF_ENGINE_JIT;
   return -1;
}

static struct cf_gpu *
make_gpu(const struct cf_model_config *config)
{
   const char *error;
   struct cf_gpu *gpu = cf_model_create(config, &error);
   if (!gpu)
      die("%s", error);
   if (config->engine == CF_ENGINE_JIT && gpu->ops->get_param(gpu, CF_PARAM_ENGINE) != CF_ENGINE_JIT)
      die("--engine jit: the compiler cannot be loaded; it is libclipfree_jit.so, beside the library or in LD_LIBRARY_PATH");
   return gpu;
}

int
main(int argc, char **argv)
{
   struct request request = { .config = { .threads = -1, .memory_B = MEMORY_B }, .repeat = 1 };
   const int status = parse_arguments(argc, argv, &request);
   if (status >= 0)
      return status;
   struct cf_gpu *gpu = make_gpu(&request.config);
   const struct capture capture = load(request.path);
   struct cf_bo memory;
   if (!gpu->ops->bo_alloc(gpu, capture.end_address - FIRST_ADDRESS, &memory))
      die("no room for the capture's memory");
   if (capture.first_address < memory.address)
      die("the capture is of a host with smaller pages: GPU memory begins at 0x%" PRIx64 " here", memory.address);
   struct cost least = { UINT64_MAX, UINT64_MAX };
   for (unsigned long i = 0; i < request.repeat; i++) {
      const struct cost cost = run(gpu, &capture, &memory, request.print && i == 0);
      least.wall_ns = cost.wall_ns < least.wall_ns ? cost.wall_ns : least.wall_ns;
      least.cpu_ns = cost.cpu_ns < least.cpu_ns ? cost.cpu_ns : least.cpu_ns;
   }
   char text[320];
   gpu->ops->last_error(gpu, text, sizeof(text));
   if (text[0])
      die("%s", text);
   printf("%.1f us, %.1f us of processor time, memory %016" PRIx64 "\n",
          (double)least.wall_ns / 1e3, (double)least.cpu_ns / 1e3, hash(memory.map, memory.size_B));
   gpu->ops->destroy(gpu);
   if (request.config.observer)
      pixel_history_end(&request.history);
   free(capture.data);
   return 0;
}
