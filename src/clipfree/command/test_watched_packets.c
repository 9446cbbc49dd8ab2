/* SPDX-License-Identifier: MIT */
/*
 * Events of submissions and packets: each packet is reported once, in order, with the dwords and
 * the address that it has in the command buffer. What a packet names, such as a descriptor that an
 * earlier packet writes, is in memory when the packet is reported.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "clipfree/command/test_gpu.h"
#include "clipfree/memory/cf_memory.h"

#define WIDTH 150
#define HEIGHT 140
#define MOST_DWORDS 4096

/* Submissions and their packets, as events reported them. */
struct reported {
   uint32_t dw[MOST_DWORDS], count;
   uint64_t next; /* where the next packet must be */
   uint64_t begun, ended;
   bool failed;
   uint64_t descriptor; /* a surface that a `resolve` names; 0: none */
   uint32_t width_px;   /* its width_px in memory when that packet was reported */
};

static void
watch_begin(void *user, const struct cf_submission_event *e)
{
   struct reported *reported = user;
   assert_int_equal(reported->begun, reported->ended);
   assert_int_equal(e->number, ++reported->begun);
   assert_null(e->error);
   reported->next = e->address;
}

static void
watch_packet(void *user, const struct cf_packet_event *e)
{
   struct reported *reported = user;
   uint32_t dwords;
   assert_int_equal(e->submission, reported->begun);
   assert_int_equal(e->address, reported->next);
   assert_string_equal(e->name, cf_packet_name(e->dw[0] & 0xff, &dwords));
   assert_int_equal(e->dwords, dwords);
   assert_true(reported->count + dwords <= MOST_DWORDS);
   assert_memory_equal(e->dw, cf_memory_at(e->memory, e->address, 4 * dwords), 4 * dwords);
   memcpy(reported->dw + reported->count, e->dw, 4 * dwords);
   reported->count += dwords;
   reported->next += 4 * dwords;
   if ((e->dw[0] & 0xff) == CF_OPCODE_RESOLVE && reported->descriptor) {
      struct cf_surface surface;
      const char *bad_field;
      const uint32_t *dw = cf_memory_at(e->memory, reported->descriptor, 4 * CF_SURFACE_DWORDS);
      assert_true(cf_surface_unpack(dw, &surface, &bad_field));
      reported->width_px = surface.width_px;
   }
}

static void
watch_end(void *user, const struct cf_submission_event *e)
{
   struct reported *reported = user;
   assert_int_equal(e->number, reported->begun);
   reported->ended = e->number;
   reported->failed = e->error != NULL;
}

static struct cf_observer
packet_observer(struct reported *reported)
{
   return (struct cf_observer){ .user = reported,
                                .submission_begin = watch_begin,
                                .packet = watch_packet,
                                .submission_end = watch_end };
}

static struct cf_gpu *
watched_model(int threads, const struct cf_observer *observer)
{
   return test_model_of(
      (struct cf_model_config){ .threads = threads, .path = CF_PATH_PLAIN, .observer = observer });
}

static void
emit_some_packets(struct test_gpu *t, const struct test_surface *color)
{
   test_emit_frame(t, color, NULL);
   test_emit_positions(t);
   EMIT(t, nop, 0);
   EMIT(t, stipple, .pattern = { 1, 2, 3 });
   EMIT(t, clear, .colors = 1, .max_x_px = 9, .max_y_px = 9);
   EMIT(t, resolve, .surface = color->address);
}

/* All of a command buffer, dword for dword, while those before it are done. */
static void
packets_are_those_of_the_buffer(void **state)
{
   (void)state;
   for (int threads = 0; threads <= 3; threads++) {
      struct reported *reported = calloc(1, sizeof(*reported));
      const struct cf_observer observer = packet_observer(reported);
      struct test_gpu t;
      struct test_surface color;
      test_gpu_open_on(&t, watched_model(threads, &observer));
      test_surface_create(&t, &color, CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, true);
      for (uint32_t i = 0; i < 3; i++) {
         reported->count = 0;
         emit_some_packets(&t, &color);
         const uint32_t count = t.count + CF_END_DWORDS;
         test_submit(&t);
         assert_int_equal(reported->count, count);
         assert_memory_equal(reported->dw, t.dw, 4 * count);
         assert_int_equal(reported->ended, i + 1);
         assert_false(reported->failed);
      }
      test_surface_free(&t, &color);
      test_gpu_close(&t);
      free(reported);
   }
}

/* The malformed packet is the last; the end says that there was one. */
static void
a_malformed_packet_is_the_last(void **state)
{
   (void)state;
   struct reported *reported = calloc(1, sizeof(*reported));
   const struct cf_observer observer = packet_observer(reported);
   struct test_gpu t;
   test_gpu_open_on(&t, watched_model(2, &observer));
   EMIT(&t, nop, 0);
   EMIT(&t, resolve, .surface = 8); /* nothing is there */
   const uint32_t count = t.count;
   EMIT(&t, nop, 0);
   test_submit(&t);
   assert_int_equal(reported->count, count);
   assert_true(reported->failed);
   assert_int_equal(reported->ended, 1);
   test_gpu_close(&t);
   free(reported);
}

#define LARGE_B (8u << 20)

/* A packet writes a descriptor after long transfers. The event of a later packet that names the
 * descriptor finds it in memory. */
static void
descriptors_are_there(void **state)
{
   (void)state;
   struct reported *reported = calloc(1, sizeof(*reported));
   const struct cf_observer observer = packet_observer(reported);
   struct test_gpu t;
   struct test_surface color;
   struct cf_bo from, to;
   test_gpu_open_on(&t, watched_model(3, &observer));
   test_surface_create(&t, &color, CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, true);
   assert_true(t.gpu->ops->bo_alloc(t.gpu, LARGE_B, &from) &&
               t.gpu->ops->bo_alloc(t.gpu, LARGE_B, &to));
   const uint32_t at_B = LARGE_B - 4096;
   memcpy((uint8_t *)from.map + at_B,
          (const uint8_t *)t.heap.map + (color.address - t.heap.address), 4 * CF_SURFACE_DWORDS);
   reported->descriptor = to.address + at_B;
   EMIT(&t, copy_buffer, .source = from.address, .destination = to.address, .size_B = LARGE_B);
   EMIT(&t, resolve, .surface = reported->descriptor);
   test_submit(&t);
   test_no_error(&t);
   assert_int_equal(reported->width_px, WIDTH);
   t.gpu->ops->bo_free(t.gpu, &from);
   t.gpu->ops->bo_free(t.gpu, &to);
   test_surface_free(&t, &color);
   test_gpu_close(&t);
   free(reported);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(packets_are_those_of_the_buffer),
      cmocka_unit_test(a_malformed_packet_is_the_last),
      cmocka_unit_test(descriptors_are_there),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
