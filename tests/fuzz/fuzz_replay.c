/* SPDX-License-Identifier: MIT */
/*
 * Replays: a capture is run as `clipfree replay` runs it, twice. It is refused with a reason, or
 * leaves the same memory each time, but where a limit of work stops it or threads may race. Some
 * are also listed.
 *
 * Input: settings (1 byte: worker threads, host level, path), then a capture (fuzz_capture.h).
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clipfree/capture/cf_capture_reader.h"
#include "clipfree/capture/cf_capture_recorder.h"
#include "clipfree/interface/cf_note.h"
#include "clipfree/interface/cf_packets.h"
#include "fuzz_capture.h"
#include "fuzz_fields.h"
#include "fuzz_scene.h"
#include "fuzz_steady.h"
#include "look/look_pixel.h"
#include "replay/replay_list.h"
#include "replay/replay_run.h"

#define THREADS 3              /* numbers of them, from 0 */
#define LISTED_OF 4            /* one of so many is listed */
#define MOST_SUBMISSIONS 8     /* more take more time, and do nothing else */
#define MEMORY_B (8ull << 20)  /* of the GPU */
#define TIME_LIMIT_NS 40000000 /* of a submission's draws */
#define MOST_TASK_INSTRS 2048
#define SEED_BO_B (256u << 10) /* pieces of memory of first inputs are no larger */
#define MOST_HEADS 256
#define MOST_PACKETS 256

/* ---- replaying ---- */

static struct cf_model_config
config_of(uint32_t settings)
{
   return (struct cf_model_config){
      .threads = (int)(settings % THREADS),
      .host_level = 1 + settings / THREADS % (cf_host_level() + 1u),
      .path = settings / (THREADS * CF_HOST_LEVELS) % 2 ? CF_PATH_PLAIN : CF_PATH_NORMAL,
      .engine = CF_ENGINE_INTERP,
      .memory_B = MEMORY_B,
      .time_limit_ns = TIME_LIMIT_NS,
      .quiet = true,
      .no_disk_cache = true,
      .max_task_instrs = MOST_TASK_INSTRS,
   };
}

/* What came of it: a hash of memory, or why there is none. */
struct outcome {
   char memory[32], error[CF_CAPTURE_ERROR_B];
};

static struct outcome
replay(const char *path, const struct cf_model_config *config, bool print)
{
   struct outcome outcome = { .error = "" };
   struct replay_request request = {
      .config = *config, .path = path, .repeat = 1, .print = print, .json = true, .quiet = true
   };
   json_t *run = replay_run(&request, outcome.error, sizeof(outcome.error));
   if (run)
      snprintf(outcome.memory, sizeof(outcome.memory), "%s", look_text(run, "memory"));
   else if (!outcome.error[0])
      fuzz_fail("it is refused without a reason");
   json_decref(run);
   return outcome;
}

static void
replay_twice(const char *path, const struct cf_model_config *config)
{
   fuzz_steady_stopped();
   const struct outcome first = replay(path, config, true), second = replay(path, config, false);
   if (fuzz_steady_stopped() || config->threads > 0)
      return;
   if (strcmp(first.error, second.error) != 0 || strcmp(first.memory, second.memory) != 0)
      fuzz_fail("the second time there is '%s%s', not '%s%s'", second.memory, second.error,
                first.memory, first.error);
}

static void
list(const char *path)
{
   char error[CF_CAPTURE_ERROR_B] = "";
   json_t *document = replay_list(path, error, sizeof(error));
   if (!document && !error[0])
      fuzz_fail("it is not listed, without a reason");
   json_decref(document);
}

static bool
has_few_submissions(const char *path)
{
   char error[CF_CAPTURE_ERROR_B];
   struct cf_capture_reader *reader = cf_capture_open(path, error, sizeof(error));
   const unsigned submissions = reader ? cf_capture_submissions(reader) : 0;
   if (reader)
      cf_capture_close(reader);
   return submissions <= MOST_SUBMISSIONS;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
   struct fuzz_bytes bytes = { data, size_B < CAPTURE_MOST_B ? size_B : CAPTURE_MOST_B };
   const struct cf_model_config config = config_of((uint32_t)fuzz_take(&bytes, 1));
   const struct fuzz_capture in = fuzz_capture_of(bytes.at, bytes.left_B);
   char path[CAPTURE_PATH_B];
   const int fd = fuzz_capture_file(&in, path);
   if (has_few_submissions(path)) {
      replay_twice(path, &config);
      if (fuzz_hash(data, size_B) % LISTED_OF == 0)
         list(path);
   }
   close(fd);
   return 0;
}

/* ---- mutations ---- */

/* The records of an input, those of each kind by number. */
struct records {
   uint8_t *data;
   size_t offset[MOST_HEADS + 1]; /* and the end */
   unsigned count;
};

static struct cf_capture_record
head_of(const struct records *records, unsigned i)
{
   struct cf_capture_record head;
   memcpy(&head, records->data + records->offset[i], sizeof(head));
   return head;
}

/* The payload of a record; its end is that of the input at most. */
static uint8_t *
payload_of(const struct records *records, unsigned i, size_t *size_B)
{
   const size_t at = records->offset[i] + CAPTURE_HEAD_B;
   *size_B = records->offset[i + 1] - at;
   return records->data + at;
}

/* A record of this kind, one of those that there are; `count`: none. */
static unsigned
random_record(struct cf_random *random, const struct records *records, enum cf_capture_kind kind)
{
   unsigned found = 0, which[MOST_HEADS];
   for (unsigned i = 0; i < records->count; i++) {
      if (head_of(records, i).kind == kind)
         which[found++] = i;
   }
   return found ? which[cf_random_below(random, found)] : records->count;
}

/* In or beside memory of the capture. */
static uint64_t
random_address(struct cf_random *random, const struct records *records)
{
   const unsigned i = random_record(random, records, CF_CAPTURE_MEMORY);
   if (i == records->count)
      return CF_CAPTURE_FIRST_ADDRESS;
   const struct cf_capture_record head = head_of(records, i);
   const uint64_t end = head.address + head.size_B;
   return cf_random_below(random, 4) ? head.address + 64ull * cf_random_below(random, 64)
                                     : end - 4ull * cf_random_below(random, 4);
}

/* Change a packet in memory of which a submission begins `data`. */
static void
change_packet(struct cf_random *random, const struct records *records, uint8_t *data, size_t size_B)
{
   uint32_t offset[MOST_PACKETS], packets = 0, dw[CF_PACKET_DWORDS];
   for (uint32_t at = 0; packets < MOST_PACKETS && size_B - at >= 4;) {
      memcpy(dw, data + at, 4);
      const uint32_t dwords = dw[0] >> 16;
      if (dwords == 0 || dwords > CF_PACKET_DWORDS || 4 * dwords > size_B - at)
         break;
      offset[packets++] = at;
      at += 4 * dwords;
   }
   if (packets == 0)
      return;
   uint8_t *packet = data + offset[cf_random_below(random, packets)];
   memcpy(dw, packet, 4);
   const uint32_t dwords = dw[0] >> 16;
   memcpy(dw, packet, 4 * dwords);
   fuzz_change_field(random, dw, dwords, random_address(random, records));
   memcpy(packet, dw, 4 * dwords);
}

/* Change a packet of a submission, where its memory is in one record. */
static void
change_submission(struct cf_random *random, const struct records *records)
{
   const unsigned submission = random_record(random, records, CF_CAPTURE_SUBMIT);
   for (unsigned i = 0; submission < records->count && i < records->count; i++) {
      const struct cf_capture_record head = head_of(records, i),
                                     submit = head_of(records, submission);
      size_t size_B;
      uint8_t *data = payload_of(records, i, &size_B);
      if (head.kind != CF_CAPTURE_MEMORY || submit.address < head.address ||
          submit.address - head.address >= size_B)
         continue;
      const size_t before_B = submit.address - head.address;
      change_packet(random, records, data + before_B, size_B - before_B);
      return;
   }
}

/* Change a dword of memory, or of a note. */
static void
change_payload(struct cf_random *random, const struct records *records)
{
   const unsigned i = random_record(
      random, records, cf_random_below(random, 8) ? CF_CAPTURE_MEMORY : CF_CAPTURE_NOTE);
   size_t size_B;
   uint8_t *data = i < records->count ? payload_of(records, i, &size_B) : NULL;
   if (!data || size_B < 4)
      return;
   uint32_t dw;
   data += 4 * cf_random_below(random, (uint32_t)(size_B / 4));
   memcpy(&dw, data, 4);
   dw = cf_random_below(random, 8) ? (uint32_t)fuzz_bits(random, dw, 32)
                                   : (uint32_t)random_address(random, records);
   memcpy(data, &dw, 4);
}

static void
change_contents(struct cf_random *random, uint8_t *data, size_t size_B)
{
   const struct fuzz_capture in = fuzz_capture_of(data, size_B);
   struct records records = { .data = data + (in.data - data) };
   if (in.way == CAPTURE_BYTES)
      return;
   records.count = fuzz_capture_heads(in.data, in.size_B, records.offset, MOST_HEADS);
   records.offset[records.count] = in.size_B;
   if (cf_random_below(random, 2))
      change_submission(random, &records);
   else
      change_payload(random, &records);
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size_B, size_t max_B, unsigned seed)
{
   struct cf_random random = { seed };
   if (size_B == 0)
      return LLVMFuzzerMutate(data, size_B, max_B);
   for (uint32_t n = cf_random_below(&random, 4); n > 0; n--)
      change_contents(&random, data + 1, size_B - 1);
   if (cf_random_below(&random, 16) == 0)
      data[0] = (uint8_t)cf_random_u32(&random);
   if (cf_random_below(&random, 2))
      return size_B;
   return 1 + fuzz_capture_mutate(&random, data + 1, size_B - 1, max_B - 1);
}

/* ---- seeds ---- */

static const struct cf_gpu_ops *recorder;

/* Scenes ask for more than their captures need: what is hashed, and kept zero, is time. */
static bool
alloc_small(struct cf_gpu *gpu, uint64_t size_B, struct cf_bo *bo)
{
   return recorder->bo_alloc(gpu, size_B < SEED_BO_B ? size_B : SEED_BO_B, bo);
}

/* A note for each kind of field: from `address` on, which notes do not need to be exact about. */
static void
note_all(struct cf_gpu *gpu, uint64_t address)
{
   static const uint8_t fields[48] =
      "\1\0\0\0\2\0\0\0\1\0\0\0\0\0\4\1uniform vec4 a\nprint vec4\n%s";
   for (uint32_t field = CF_NOTE_CALL; field <= CF_NOTE_LAST; field++) {
      const bool written = field == CF_NOTE_WRITTEN_BYTES || field == CF_NOTE_WRITTEN_TEXELS;
      const struct cf_note_head head = { field, written ? sizeof(struct cf_note_written)
                                                        : sizeof(fields) };
      uint8_t note[sizeof(head) + sizeof(fields)];
      memcpy(note, &head, sizeof(head));
      memcpy(note + sizeof(head), fields, sizeof(fields));
      gpu->ops->note(gpu, address + field, note, sizeof(head) + head.size_B);
   }
}

/* A capture of one of the scene's submissions, `count` times. */
static void
record(const char *path, const struct fuzz_submission *submission, unsigned count)
{
   struct cf_capture_config config = { .start = CF_CAPTURE_AT_SUBMISSION, .count = count };
   static struct fuzz_scene s;
   snprintf(config.path, sizeof(config.path), "%s", path);
   struct cf_gpu *gpu =
      cf_capture_create(test_model_of((struct cf_model_config){ .quiet = true }), &config);
   if (!gpu)
      fuzz_fail("a capture cannot be recorded: %s", path);
   recorder = gpu->ops;
   fuzz_scene_open_on(&s, gpu, alloc_small);
   for (unsigned i = 0; i < count; i++) {
      submission->emit(&s);
      note_all(gpu, s.scene.fragment_program);
      test_submit(&s.scene.t);
      gpu->ops->end_frame(gpu, NULL);
   }
   test_gpu_close(&s.scene.t);
}

/* It is replayed without a fault, whatever time it takes. */
static void
check_seed(const char *name, const struct fuzz_capture_seed *seed)
{
   const struct fuzz_capture in = fuzz_capture_of(seed->data + 1, seed->size_B - 1);
   struct cf_model_config config = config_of(0);
   char path[CAPTURE_PATH_B];
   const int fd = fuzz_capture_file(&in, path);
   config.time_limit_ns = CF_NO_TIME_LIMIT;
   const struct outcome outcome = replay(path, &config, true);
   if (outcome.error[0])
      fuzz_fail("the seed %s fails: %s", name, outcome.error);
   close(fd);
}

/* The records of a capture without zeros at the ends of pages that the first submission finds, but
 * for one byte of each, and without what the GPU wrote, which a replay leaves out. */
static void
write_small(const char *folder, const char *name, const char *path, uint8_t settings)
{
   static struct fuzz_capture_seed seed;
   char error[CF_CAPTURE_ERROR_B];
   struct cf_capture_record record = { 0 };
   const uint8_t *payload;
   bool first = true;
   struct cf_capture_reader *reader = cf_capture_open(path, error, sizeof(error));
   if (!reader)
      fuzz_fail("what was recorded cannot be read: %s", error);
   seed.size_B = 0;
   fuzz_capture_append(&seed, (uint8_t[]){ settings, CAPTURE_PLAIN }, 2);
   while (cf_capture_next(reader, &record, &payload, error, sizeof(error)) > 0) {
      if (record.kind == CF_CAPTURE_MEMORY && !first && record.number == CF_CAPTURE_BY_GPU)
         continue;
      while (record.kind == CF_CAPTURE_MEMORY && first && record.size_B > 1 &&
             payload[record.size_B - 1] == 0)
         record.size_B--;
      first = first && record.kind != CF_CAPTURE_SUBMIT;
      fuzz_capture_append_record(&seed, record, payload);
   }
   cf_capture_close(reader);
   fuzz_write_seed(folder, name, seed.data, seed.size_B);
   check_seed(name, &seed);
}

void
fuzz_write_seeds(const char *folder)
{
   for (unsigned i = 0; fuzz_submissions[i].name; i++) {
      char path[4096];
      snprintf(path, sizeof(path), "%s/%s", folder, fuzz_submissions[i].name);
      record(path, &fuzz_submissions[i], 1 + i % 2);
      write_small(folder, fuzz_submissions[i].name, path, (uint8_t)(THREADS * i));
   }
   fuzz_write_seed(folder, "nothing", (uint8_t[]){ 0, CAPTURE_BYTES }, 2);
}
