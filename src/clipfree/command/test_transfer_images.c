/* SPDX-License-Identifier: MIT */
/*
 * Transfers between images at their limits: rectangles without pixels, linear images, mip levels of
 * images that lie in one another's memory; and what a timeline and statistics have of transfers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/test_gpu.h"

#define SIZE_PX 256 /* of sources: the next level has more pixels than one worker does at once */
#define HALF_PX (SIZE_PX / 2)
#define PITCH_B (4 * (SIZE_PX + HALF_PX))
#define NOWHERE 0x7000000000 /* an address without memory */

static void
submit(struct test_gpu *t)
{
   test_submit(t);
   test_no_error(t);
}

/* Copies and gathers of no pixels, whose tables nobody reads, leave all as it is. */
static void
nothing_is_moved(void **state)
{
   struct test_gpu t;
   struct test_surface from, to;
   test_gpu_open(&t, 0);
   test_surface_create(&t, &from, CF_FORMAT_R8G8B8A8_UNORM, 64, 64, true);
   test_surface_create(&t, &to, CF_FORMAT_R8G8B8A8_UNORM, 64, 64, true);
   memset(from.bo.map, 0x11, from.bo.size_B);
   memset(to.bo.map, 0x22, to.bo.size_B);
   for (uint32_t i = 0; i < 3; i++) {
      const uint32_t width_px = i == 1, height_px = i == 2;
      EMIT(&t, copy, .source = from.address, .destination = to.address, .width_px = width_px,
           .height_px = height_px);
      EMIT(&t, gather, .source = from.address, .destination = to.address, .columns = NOWHERE,
           .rows = NOWHERE, .width_px = width_px, .height_px = height_px);
   }
   submit(&t);
   for (uint32_t i = 0; i < to.bo.size_B; i++)
      assert_int_equal(((const uint8_t *)to.bo.map)[i], 0x22);
   EMIT(&t, copy, .source = from.address, .destination = to.address, .width_px = 1, .height_px = 1);
   submit(&t);
   assert_int_equal(test_surface_pixel(&to, 0, 0), 0x11111111);
   assert_int_equal(test_surface_pixel(&to, 1, 0), 0x22222222);
   test_surface_free(&t, &from);
   test_surface_free(&t, &to);
   test_gpu_close(&t);
}

/* A linear image has no pending clears: what is invalidated and resolved stays. */
static void
linear_images_stay(void **state)
{
   struct test_gpu t;
   struct test_surface rows;
   test_gpu_open(&t, 0);
   test_surface_create(&t, &rows, CF_FORMAT_R8G8B8A8_UNORM, 70, 70, false);
   memset(rows.bo.map, 0x33, rows.bo.size_B);
   EMIT(&t, invalidate, .surface = rows.address);
   EMIT(&t, resolve, .surface = rows.address);
   submit(&t);
   for (uint32_t i = 0; i < 70 * 70; i++)
      assert_int_equal(test_surface_pixel(&rows, i % 70, i / 70), 0x33333333);
   test_surface_free(&t, &rows);
   test_gpu_close(&t);
}

/* ------------------------------------------------------------------ mip levels */

/* A linear image in rows of PITCH_B. Returns the surface's address. */
static uint64_t
put_rows(struct test_gpu *t, uint64_t address, uint32_t size_px)
{
   uint32_t dw[CF_SURFACE_DWORDS];
   cf_surface_pack(dw, &(struct cf_surface){ .address = address,
                                             .width_px = size_px,
                                             .height_px = size_px,
                                             .row_pitch_B = PITCH_B,
                                             .format = CF_FORMAT_R8G8B8A8_UNORM,
                                             .layout = CF_LAYOUT_LINEAR,
                                             .size_B = (size_px - 1) * PITCH_B + 4 * size_px });
   return test_put(t, dw, sizeof(dw));
}

/* Fill an image's memory. All four channels of a pixel are alike, and multiples of 8: the mean of
 * four or eight of them is a whole number. */
static void
fill(struct cf_random *rng, uint8_t *bytes, uint64_t size_B)
{
   for (uint64_t i = 0; i < size_B; i += 4)
      memset(bytes + i, (int)(8 * cf_random_below(rng, 32)), 4);
}

/* The sum of the four pixels under pixel (x, y) of the next level. */
static uint32_t
sum_under(const uint8_t *bytes, uint32_t x, uint32_t y)
{
   uint32_t sum = 0;
   for (uint32_t i = 0; i < 4; i++)
      sum += bytes[(2 * y + i / 2) * PITCH_B + 4 * (2 * x + i % 2)];
   return sum;
}

/* Reduces one image, or two, to a level in the memory of its own, or between the rows of one of
 * them, where both share no pixel. */
static void
reduce(struct cf_random *rng, int threads, bool second, uint32_t inside)
{
   static uint8_t expected[HALF_PX][HALF_PX];
   struct test_gpu t;
   struct cf_bo bo[3];
   test_gpu_open(&t, threads);
   for (uint32_t i = 0; i < 3; i++) {
      assert_true(t.gpu->ops->bo_alloc(t.gpu, SIZE_PX * PITCH_B, &bo[i]));
      fill(rng, bo[i].map, bo[i].size_B);
   }
   for (uint32_t i = 0; i < HALF_PX * HALF_PX; i++) {
      const uint32_t x = i % HALF_PX, y = i / HALF_PX, sum = sum_under(bo[0].map, x, y);
      expected[y][x] = (uint8_t)(second ? (sum + sum_under(bo[1].map, x, y)) / 8 : sum / 4);
   }
   const uint64_t offset_B = inside < 2 ? 4 * SIZE_PX : 0;
   EMIT(&t, reduce, .source = put_rows(&t, bo[0].address, SIZE_PX),
        .second = second ? put_rows(&t, bo[1].address, SIZE_PX) : 0,
        .destination = put_rows(&t, bo[inside].address + offset_B, HALF_PX));
   submit(&t);
   const uint8_t *bytes = (const uint8_t *)bo[inside].map + offset_B;
   for (uint32_t i = 0; i < HALF_PX * HALF_PX; i++) {
      const uint32_t x = i % HALF_PX, y = i / HALF_PX;
      const int off = bytes[y * PITCH_B + 4 * x] - expected[y][x];
      if (off < -1 || off > 1) /* halves may be rounded either way */
         fail_msg("pixel %u, %u is %d off; in image %u", x, y, off, inside);
   }
   for (uint32_t i = 0; i < 3; i++)
      t.gpu->ops->bo_free(t.gpu, &bo[i]);
   test_gpu_close(&t);
}

static void
levels_beside_their_images(void **state)
{
   struct cf_random rng = cf_random_seed("levels_beside_their_images");
   for (int threads = 0; threads <= 3; threads += 3) {
      for (uint32_t inside = 0; inside < 3; inside++) {
         reduce(&rng, threads, true, inside);
         if (inside != 1)
            reduce(&rng, threads, false, inside);
      }
   }
}

/* ------------------------------------------------------------------ timelines */

static char *
text_of(const char *path)
{
   FILE *file = fopen(path, "r");
   char *text = calloc(1, 1 << 20);
   assert_true(file && text);
   assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
   fclose(file);
   return text;
}

/* A timeline has each transfer by its name, with its packet's address; and who waits for it, pixels
 * that the host writes, and frames. */
static void
timelines_have_transfers(void **state)
{
   char path[] = "/tmp/clipfree-transfers-XXXXXX", wanted[100];
   const int file = mkstemp(path);
   assert_true(file >= 0);
   close(file);
   struct test_gpu t;
   struct test_surface surface;
   test_gpu_open_on(&t, test_model_of((struct cf_model_config){ .trace = path }));
   test_surface_create(&t, &surface, CF_FORMAT_R8G8B8A8_UNORM, 64, 64, true);
   const uint64_t invalidates = t.commands.address + 4ull * t.count;
   EMIT(&t, invalidate, .surface = surface.address);
   const uint64_t fills = t.commands.address + 4ull * t.count;
   EMIT(&t, fill_buffer, .destination = surface.bo.address, .size_B = 64, .value = 5);
   submit(&t);
   for (uint32_t i = 0; i < 2; i++)
      t.gpu->ops->end_frame(t.gpu, NULL);
   assert_int_equal(test_surface_pixel(&surface, 0, 0), 5);
   test_surface_free(&t, &surface);
   test_gpu_close(&t);
   char *text = text_of(path);
   unlink(path);
   snprintf(wanted, sizeof(wanted), "\"packet\":%llu", (unsigned long long)invalidates);
   assert_non_null(strstr(text, "\"name\":\"invalidate\""));
   assert_non_null(strstr(text, wanted));
   snprintf(wanted, sizeof(wanted), "\"packet\":%llu", (unsigned long long)fills);
   assert_non_null(strstr(text, "\"name\":\"fill_buffer\""));
   assert_non_null(strstr(text, wanted));
   assert_non_null(strstr(text, "\"name\":\"wait for submission\""));
   assert_non_null(strstr(text, "\"name\":\"frame\""));
   free(text);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_moved),
      cmocka_unit_test(linear_images_stay),
      cmocka_unit_test(levels_beside_their_images),
      cmocka_unit_test(timelines_have_transfers),
   };
   return cmocka_run_group_tests_name("transfers of images", tests, NULL, NULL);
}
