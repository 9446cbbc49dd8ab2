/* SPDX-License-Identifier: MIT */
/*
 * A captured GPU gives the same results as without capture, and replaying the file on another GPU
 * gives the same memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clipfree/base/test_random.h"
#include "clipfree/capture/cf_capture_reader.h"
#include "clipfree/capture/cf_capture_recorder.h"
#include "clipfree/command/cf_model.h"
#include "clipfree/command/test_gpu.h"
#include "clipfree/command/test_picture.h"
#include "clipfree/interface/cf_packets.h"

#define DATA_B 20000

struct buffers {
   struct cf_bo commands, a, b, gone;
};

static struct cf_gpu *
new_model(void)
{
   const char *error;
   struct cf_gpu *gpu = cf_model_create(&(struct cf_model_config){ .threads = 1 }, &error);
   assert_non_null(gpu);
   return gpu;
}

/* Capture submissions first .. first + count - 1. */
static struct cf_gpu *
capture(struct cf_gpu *gpu, const char *path, unsigned first, unsigned count)
{
   struct cf_capture_config config = { .start = CF_CAPTURE_AT_SUBMISSION,
                                       .first = first,
                                       .count = count };
   snprintf(config.path, sizeof(config.path), "%s", path);
   return cf_capture_create(gpu, &config);
}

/* Copy a to b from `offset_B` on, then fill the start of a. */
static void
submit_copy(struct cf_gpu *gpu, const struct buffers *buffers, uint32_t offset_B, uint32_t value)
{
   uint32_t *dw = buffers->commands.map;
   cf_copy_buffer_pack(dw, &(struct cf_copy_buffer){ .source = buffers->a.address + offset_B,
                                                     .destination = buffers->b.address + offset_B,
                                                     .size_B = 4000 });
   dw += CF_COPY_BUFFER_DWORDS;
   cf_fill_buffer_pack(dw, &(struct cf_fill_buffer){
                              .destination = buffers->a.address, .size_B = 64, .value = value });
   dw += CF_FILL_BUFFER_DWORDS;
   cf_end_pack(dw, &(struct cf_end){ 0 });
   dw += CF_END_DWORDS;
   const uint32_t size_B = (uint32_t)((uint8_t *)dw - (uint8_t *)buffers->commands.map);
   const uint64_t seqno = gpu->ops->submit(gpu, buffers->commands.address, size_B, 0);
   assert_true(gpu->ops->wait(gpu, seqno, UINT64_MAX));
}

/* Three submissions, between which the host writes, allocates and frees memory; the last two are
 * captured. */
static void
run_original(struct cf_gpu *gpu, struct buffers *buffers)
{
   assert_true(gpu->ops->bo_alloc(gpu, 4096, &buffers->commands));
   assert_true(gpu->ops->bo_alloc(gpu, DATA_B, &buffers->a));
   assert_true(gpu->ops->bo_alloc(gpu, DATA_B, &buffers->gone));
   uint8_t *a = buffers->a.map;
   for (uint32_t i = 0; i < DATA_B; i++)
      a[i] = (uint8_t)(i * 7 + i / 256);
   memset(buffers->gone.map, 0x55, DATA_B);
   assert_true(gpu->ops->bo_alloc(gpu, DATA_B, &buffers->b));
   submit_copy(gpu, buffers, 0, 0x11111111);
   submit_copy(gpu, buffers, 5000, 0x22222222);
   gpu->ops->bo_free(gpu, &buffers->gone);
   a[15000] = 99;
   /* at the freed address, zero again */
   assert_true(gpu->ops->bo_alloc(gpu, DATA_B, &buffers->gone));
   submit_copy(gpu, buffers, 13000, 0x33333333);
}

static struct cf_capture_reader *
open_capture(const char *path)
{
   char error[CF_CAPTURE_ERROR_B] = "";
   struct cf_capture_reader *reader = cf_capture_open(path, error, sizeof(error));
   if (!reader)
      fail_msg("%s", error);
   return reader;
}

/* Frames that were presented. The reader is at its beginning before and after. */
static unsigned
count_frames(struct cf_capture_reader *reader)
{
   char error[CF_CAPTURE_ERROR_B];
   struct cf_capture_record record;
   const uint8_t *payload;
   unsigned frames = 0;
   while (cf_capture_next(reader, &record, &payload, error, sizeof(error)) > 0)
      frames += record.kind == CF_CAPTURE_FRAME;
   cf_capture_rewind(reader);
   return frames;
}

/* Replay the file's records in `memory`, which spans all addresses of the captured GPU. *drawn: how
 * many pages the captured GPU had written; with leave_drawn they are left out. Returns the number
 * of submissions. */
static unsigned
replay_leaving(struct cf_gpu *gpu, const struct cf_bo *memory, const char *path, bool leave_drawn,
               unsigned *drawn)
{
   unsigned submissions = 0;
   struct cf_capture_reader *reader = open_capture(path);
   *drawn = 0;
   if (leave_drawn)
      cf_capture_leave_drawn(reader, true);
   struct cf_capture_record record;
   const uint8_t *payload;
   char error[CF_CAPTURE_ERROR_B];
   int found;
   while ((found = cf_capture_next(reader, &record, &payload, error, sizeof(error))) > 0) {
      assert_in_range(record.address, memory->address, memory->address + memory->size_B);
      if (record.kind == CF_CAPTURE_SUBMIT) {
         const uint64_t seqno = gpu->ops->submit(gpu, record.address, (uint32_t)record.size_B, 0);
         assert_true(gpu->ops->wait(gpu, seqno, UINT64_MAX));
         submissions++;
         continue;
      }
      if (record.kind == CF_CAPTURE_FRAME || record.kind == CF_CAPTURE_NOTE)
         continue;
      assert_int_equal(record.kind, CF_CAPTURE_MEMORY);
      *drawn += record.number == CF_CAPTURE_BY_GPU;
      memcpy((uint8_t *)memory->map + (record.address - memory->address), payload, record.size_B);
   }
   assert_int_equal(found, 0);
   cf_capture_close(reader);
   return submissions;
}

static unsigned
replay(struct cf_gpu *gpu, const struct cf_bo *memory, const char *path)
{
   unsigned drawn;
   return replay_leaving(gpu, memory, path, false, &drawn);
}

#define PATH_B 64

/* Create an empty file with a unique name; mkstemp needs the X at its end. */
static void
make_file(char path[PATH_B])
{
   snprintf(path, PATH_B, "clipfree-test-capture-XXXXXX");
   const int file = mkstemp(path);
   assert_true(file >= 0);
   close(file);
}

static const char *
path_of(char path[PATH_B])
{
   make_file(path);
   return path;
}

/* The first captured submission fills 64 bytes of a, and copies 4000 to b, on two pages; then the
 * host writes to another page of a. The same memory comes of it if the replay keeps what its own
 * GPU wrote. */
static void
check_replay(const char *path, const struct buffers *buffers, bool leave_drawn)
{
   struct cf_gpu *other = new_model();
   struct cf_bo memory;
   unsigned drawn;
   assert_true(other->ops->bo_alloc(other, 1 << 20, &memory));
   assert_int_equal(replay_leaving(other, &memory, path, leave_drawn, &drawn), 2);
   assert_int_equal(drawn, leave_drawn ? 0 : 3);
   const struct cf_bo *compared[] = { &buffers->a, &buffers->b, &buffers->gone };
   for (uint32_t i = 0; i < 3; i++)
      assert_memory_equal(compared[i]->map,
                          (uint8_t *)memory.map + (compared[i]->address - memory.address), DATA_B);
   assert_int_equal(other->ops->reset_status(other), CF_RESET_NONE);
   other->ops->destroy(other);
}

static void
capture_and_replay(void **state)
{
   char path[PATH_B];
   make_file(path);
   struct buffers buffers;
   struct cf_gpu *gpu = capture(new_model(), path, 1, 2);
   assert_non_null(gpu);
   run_original(gpu, &buffers);

   assert_int_equal(((const uint8_t *)buffers.b.map)[15000], 99);
   check_replay(path, &buffers, false);
   check_replay(path, &buffers, true);
   gpu->ops->destroy(gpu);
   unlink(path);
}

/* The file holds the last page of an allocation even if nothing was written to it; imported memory
 * is captured as any other. */
static void
memory_to_its_end(void **state)
{
   char path[PATH_B];
   make_file(path);
   struct buffers buffers;
   struct cf_gpu *gpu = capture(new_model(), path, 0, 1);
   assert_non_null(gpu);
   assert_true(gpu->ops->bo_alloc(gpu, 4096, &buffers.commands));
   assert_true(gpu->ops->bo_alloc(gpu, DATA_B, &buffers.a));
   const int file = memfd_create("test", MFD_CLOEXEC);
   assert_int_equal(ftruncate(file, DATA_B), 0);
   void *shared = mmap(NULL, DATA_B, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
   assert_ptr_not_equal(shared, MAP_FAILED);
   assert_true(gpu->ops->bo_import(gpu, file, DATA_B, &buffers.b));
   close(file);
   memset(buffers.a.map, 7, DATA_B);
   submit_copy(gpu, &buffers, 13000, 0x11111111);
   assert_int_equal(((const uint8_t *)shared)[13000], 7);

   assert_true(buffers.b.address > buffers.a.address);
   struct cf_capture_reader *reader = open_capture(path);
   assert_true(cf_capture_end_address(reader) >= buffers.b.address + DATA_B);
   cf_capture_close(reader);
   gpu->ops->destroy(gpu);
   munmap(shared, DATA_B);
   unlink(path);
}

/* A file whose submissions never come is removed. */
static void
too_few_submissions(void **state)
{
   char path[PATH_B];
   make_file(path);
   struct buffers buffers;
   struct cf_gpu *gpu = capture(new_model(), path, 3, 1);
   run_original(gpu, &buffers);
   gpu->ops->destroy(gpu);
   assert_int_equal(access(path, F_OK), -1);
}

static void
unwritable(void **state)
{
   struct cf_gpu *gpu = new_model();
   assert_null(capture(gpu, "no-such-folder/capture", 0, 1));
   assert_int_equal(errno, ENOENT);
   gpu->ops->destroy(gpu);
}

/* Write a capture of a picture drawn in many submissions, for the test of clipfree-replay. */
static int
write_picture(const char *path)
{
   enum { BATCH = 7 };
   struct test_picture *picture = test_picture_make(3, 1);
   struct cf_gpu *gpu =
      capture(test_model(0, cf_host_level()), path, 0, TEST_PICTURE_DRAWS / BATCH + 1);
   if (!gpu) {
      perror(path);
      return 1;
   }
   test_picture_render(gpu, picture, BATCH);
   test_picture_free(picture);
   return 0;
}

static struct cf_gpu *
capture_as(const char *options, char path[PATH_B])
{
   struct cf_capture_config config;
   char text[PATH_B + 64];
   make_file(path);
   snprintf(text, sizeof(text), "file=%s%s", path, options);
   assert_true(cf_capture_parse(text, &config));
   return cf_capture_create(new_model(), &config);
}

static void
alloc_buffers(struct cf_gpu *gpu, struct buffers *buffers)
{
   assert_true(gpu->ops->bo_alloc(gpu, 4096, &buffers->commands));
   assert_true(gpu->ops->bo_alloc(gpu, DATA_B, &buffers->a));
   assert_true(gpu->ops->bo_alloc(gpu, DATA_B, &buffers->b));
   memset(buffers->a.map, 0x77, DATA_B);
}

/* Submissions that were captured before the first frame was presented are dropped, and nothing of
 * what they wrote to the file is missing in it. */
static void
captures_a_frame(void **state)
{
   char path[PATH_B], error[CF_CAPTURE_ERROR_B];
   struct buffers buffers;
   struct cf_gpu *gpu = capture_as(",frame=1", path);
   const struct cf_surface presented = { .address = 0x4000, .width_px = 7, .height_px = 5 };
   alloc_buffers(gpu, &buffers);
   gpu->ops->note(gpu, buffers.a.address, "[a]", 3);
   for (unsigned i = 0; i < 7; i++) {
      submit_copy(gpu, &buffers, 256 * i, i);
      if (i == 2 || i == 4 || i == 5)
         gpu->ops->end_frame(gpu, &presented);
   }
   struct cf_capture_reader *reader = open_capture(path);
   assert_null(cf_capture_warning(reader));
   assert_int_equal(cf_capture_submissions(reader), 2);
   assert_int_equal(count_frames(reader), 1);
   struct cf_capture_record record;
   const uint8_t *payload;
   unsigned notes = 0;
   while (cf_capture_next(reader, &record, &payload, error, sizeof(error)) > 0 &&
          record.kind != CF_CAPTURE_FRAME)
      notes += record.kind == CF_CAPTURE_NOTE;
   assert_int_equal(notes, 1);
   assert_int_equal(record.kind, CF_CAPTURE_FRAME);
   assert_int_equal(record.number, 1);
   assert_int_equal(record.address, 0x4000);
   struct cf_surface surface;
   const char *bad_field;
   assert_int_equal(record.size_B, 4 * CF_SURFACE_DWORDS);
   cf_surface_unpack((const uint32_t *)payload, &surface, &bad_field);
   assert_true(surface.width_px == 7 && surface.height_px == 5);
   cf_capture_close(reader);

   struct cf_gpu *other = new_model();
   struct cf_bo memory;
   assert_true(other->ops->bo_alloc(other, 1 << 20, &memory));
   assert_int_equal(replay(other, &memory, path), 2);
   /* what the submissions of frame 0 wrote, and those of frame 1; not the last */
   const uint8_t *b = (const uint8_t *)memory.map + (buffers.b.address - memory.address);
   assert_memory_equal(b, buffers.b.map, 256 * 4 + 4000);
   assert_int_equal(b[256 * 6 + 4000 - 1], 0);
   assert_int_equal(((const uint8_t *)buffers.b.map)[256 * 6 + 4000 - 1], 0x77);
   other->ops->destroy(other);
   gpu->ops->destroy(gpu);
   unlink(path);
}

/* Where nothing is presented, what was kept in case the first frame was not over is dropped. */
static void
captures_off_screen(void **state)
{
   char path[PATH_B];
   struct buffers buffers;
   struct cf_gpu *gpu = capture_as(",count=2", path);
   alloc_buffers(gpu, &buffers);
   for (unsigned i = 0; i < 5; i++)
      submit_copy(gpu, &buffers, 256 * i, i);
   gpu->ops->destroy(gpu);
   struct cf_capture_reader *reader = open_capture(path);
   assert_null(cf_capture_warning(reader));
   assert_int_equal(cf_capture_submissions(reader), 2);
   assert_int_equal(count_frames(reader), 0);
   cf_capture_close(reader);
   unlink(path);
}

/* Notes come before the submission that they belong to, an object's once; those of memory that is
 * free no more. */
static void
captures_notes(void **state)
{
   char path[PATH_B], error[CF_CAPTURE_ERROR_B], found[200] = "";
   struct buffers buffers;
   struct cf_gpu *gpu = capture_as(",submission=1,count=2", path);
   assert_int_equal(gpu->ops->get_param(gpu, CF_PARAM_NOTES), CF_GPU_NOTES);
   alloc_buffers(gpu, &buffers);
   assert_true(gpu->ops->bo_alloc(gpu, DATA_B, &buffers.gone));
   const uint64_t draw = buffers.commands.address + 8, program = buffers.a.address + 64;
   gpu->ops->note(gpu, program, "[replaced]", 10);
   gpu->ops->note(gpu, program, "[program]", 9);
   gpu->ops->note(gpu, buffers.gone.address + DATA_B - 1, "[gone]", 6);
   gpu->ops->note(gpu, draw + 12, "[draw 0]", 8);
   submit_copy(gpu, &buffers, 0, 0);
   gpu->ops->bo_free(gpu, &buffers.gone);
   gpu->ops->note(gpu, draw, "[draw 1]", 8);
   submit_copy(gpu, &buffers, 0, 1);
   gpu->ops->note(gpu, draw + 4, "[draw 2]", 8);
   submit_copy(gpu, &buffers, 0, 2);
   struct cf_capture_reader *reader = open_capture(path);
   struct cf_capture_record record;
   const uint8_t *payload;
   while (cf_capture_next(reader, &record, &payload, error, sizeof(error)) > 0) {
      const size_t length = strlen(found);
      if (record.kind == CF_CAPTURE_NOTE)
         snprintf(found + length, sizeof(found) - length, "%.*s@%u", (int)record.size_B, payload,
                  (unsigned)(record.address == program ? 0 : record.address - draw + 8));
      if (record.kind == CF_CAPTURE_SUBMIT)
         snprintf(found + length, sizeof(found) - length, "; ");
   }
   assert_string_equal(found, "[program]@0[draw 1]@8; [draw 2]@12; ");
   cf_capture_close(reader);
   gpu->ops->destroy(gpu);
   unlink(path);
}

/* A marker's capture has what is submitted in its group. */
static void
captures_a_group(void **state)
{
   char path[PATH_B];
   struct buffers buffers;
   struct cf_gpu *gpu = capture_as(",marker=sky", path);
   assert_int_equal(gpu->ops->get_param(gpu, CF_PARAM_NOTES), CF_GPU_NOTES_AND_SPLITS);
   alloc_buffers(gpu, &buffers);
   submit_copy(gpu, &buffers, 0, 0);
   gpu->ops->mark(gpu, CF_GPU_GROUP_BEGIN, "the sky");
   submit_copy(gpu, &buffers, 0, 1);
   submit_copy(gpu, &buffers, 0, 2);
   gpu->ops->mark(gpu, CF_GPU_GROUP_END, NULL);
   submit_copy(gpu, &buffers, 0, 3);
   struct cf_capture_reader *reader = open_capture(path);
   assert_null(cf_capture_warning(reader));
   assert_int_equal(cf_capture_submissions(reader), 2);
   cf_capture_close(reader);
   gpu->ops->destroy(gpu);
   unlink(path);
}

/* No half file is left where nothing could be written, and a device is not removed. */
static void
disk_full(void **state)
{
   struct buffers buffers;
   struct cf_gpu *gpu = capture(new_model(), "/dev/full", 0, 2);
   assert_non_null(gpu);
   run_original(gpu, &buffers);
   assert_int_equal(((const uint8_t *)buffers.b.map)[15000], 99);
   gpu->ops->destroy(gpu);
   assert_int_equal(access("/dev/full", W_OK), 0);
}

/* Where the file may not grow beyond its first submission, it ends with that. */
static void
disk_full_later(void **state)
{
   char path[PATH_B];
   make_file(path);
   const pid_t child = fork();
   if (child == 0) {
      struct buffers buffers;
      signal(SIGXFSZ, SIG_IGN);
      struct cf_gpu *gpu = capture(new_model(), path, 0, 2);
      assert_true(gpu->ops->bo_alloc(gpu, 4096, &buffers.commands));
      assert_true(gpu->ops->bo_alloc(gpu, DATA_B, &buffers.a));
      assert_true(gpu->ops->bo_alloc(gpu, DATA_B, &buffers.b));
      submit_copy(gpu, &buffers, 0, 1);
      struct stat status;
      assert_int_equal(stat(path, &status), 0);
      const struct rlimit limit = { status.st_size + 100, RLIM_INFINITY };
      assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
      struct cf_random random = cf_random_seed("capture-recorder disk full");
      for (uint32_t i = 0; i < DATA_B; i++)
         ((uint8_t *)buffers.a.map)[i] = (uint8_t)cf_random_u64(&random);
      submit_copy(gpu, &buffers, 0, 2);
      gpu->ops->destroy(gpu);
      _exit(0);
   }
   int status;
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
   struct cf_capture_reader *reader = open_capture(path);
   assert_int_equal(cf_capture_submissions(reader), 1);
   assert_non_null(cf_capture_warning(reader));
   cf_capture_close(reader);
   unlink(path);
}

/* A file with another byte anywhere is refused, or not complete. */
static void
damaged(void **state)
{
   char path[PATH_B], error[CF_CAPTURE_ERROR_B];
   struct buffers buffers;
   struct cf_gpu *gpu = capture(new_model(), path_of(path), 1, 2);
   run_original(gpu, &buffers);
   gpu->ops->destroy(gpu);
   struct stat status;
   assert_int_equal(stat(path, &status), 0);
   FILE *file = fopen(path, "r+b");
   for (long at = 0; at < status.st_size; at += 7) {
      fseek(file, at, SEEK_SET);
      const int byte = fgetc(file);
      fseek(file, at, SEEK_SET);
      fputc(byte ^ 0x55, file);
      fflush(file);
      struct cf_capture_reader *reader = cf_capture_open(path, error, sizeof(error));
      if (reader) {
         assert_non_null(cf_capture_warning(reader));
         cf_capture_close(reader);
      }
      fseek(file, at, SEEK_SET);
      fputc(byte, file);
   }
   fclose(file);
   cf_capture_close(open_capture(path));
   unlink(path);
}

/* A process that is killed leaves the submissions that it made. */
static void
killed(void **state)
{
   char path[PATH_B];
   make_file(path);
   const pid_t child = fork();
   if (child == 0) {
      struct buffers buffers;
      struct cf_gpu *gpu = capture(new_model(), path, 1, 100);
      run_original(gpu, &buffers);
      kill(getpid(), SIGKILL);
   }
   int status;
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_true(WIFSIGNALED(status));
   struct cf_capture_reader *reader = open_capture(path);
   assert_int_equal(cf_capture_submissions(reader), 2);
   assert_non_null(cf_capture_warning(reader));
   cf_capture_close(reader);
   struct cf_gpu *gpu = new_model();
   struct cf_bo memory;
   assert_true(gpu->ops->bo_alloc(gpu, 1 << 20, &memory));
   assert_int_equal(replay(gpu, &memory, path), 2);
   gpu->ops->destroy(gpu);
   unlink(path);
}

int
main(int argc, char **argv)
{
   if (argc > 1)
      return write_picture(argv[1]);
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(capture_and_replay),
      cmocka_unit_test(memory_to_its_end),
      cmocka_unit_test(too_few_submissions),
      cmocka_unit_test(unwritable),
      cmocka_unit_test(captures_a_frame),
      cmocka_unit_test(captures_off_screen),
      cmocka_unit_test(captures_notes),
      cmocka_unit_test(captures_a_group),
      cmocka_unit_test(disk_full),
      cmocka_unit_test(disk_full_later),
      cmocka_unit_test(damaged),
      cmocka_unit_test(killed),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
