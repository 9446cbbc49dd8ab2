/* SPDX-License-Identifier: MIT */
/*
 * Pixels written by the host (cf_gpu_ops.write_pixels): the same memory as after a copy packet from
 * a linear surface, also with pending clears; malformed arguments write nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/test_gpu.h"

#define MAX_PX 150
#define PIXEL_B 16 /* at most */
#define ROWS_B (MAX_PX * (MAX_PX + 9) * PIXEL_B)

static struct cf_surface
unpacked(const struct test_surface *s, enum cf_format format)
{
   return (struct cf_surface){
      .address = s->bo.address,
      .width_px = s->image.width_px,
      .height_px = s->image.height_px,
      .row_pitch_B = s->image.row_pitch_B,
      .format = format,
      .layout = s->image.blocks ? CF_LAYOUT_BLOCKS : CF_LAYOUT_LINEAR,
      .samples = 1,
      .size_B = (uint32_t)s->bo.size_B,
      .tile_state = s->tiles.address,
   };
}

static uint64_t
put_rows(struct test_gpu *t, const struct cf_host_pixels *pixels, enum cf_format format,
         const struct cf_bo *rows)
{
   uint32_t dw[CF_SURFACE_DWORDS];
   const struct cf_surface surface = {
      .address = rows->address,
      .width_px = pixels->width_px,
      .height_px = pixels->height_px,
      .row_pitch_B = pixels->row_pitch_B,
      .format = format,
      .layout = CF_LAYOUT_LINEAR,
      .samples = 1,
      .size_B = pixels->row_pitch_B * pixels->height_px,
   };
   cf_surface_pack(dw, &surface);
   return test_put(t, dw, sizeof(dw));
}

/* Two surfaces with the same pixels, some of their tiles cleared. */
static void
create_pair(struct test_gpu *t, struct test_surface s[2], enum cf_format format, bool blocks,
            struct cf_random *random)
{
   const uint32_t width_px = 1 + cf_random_u64(random) % MAX_PX,
                  height_px = 1 + cf_random_u64(random) % MAX_PX;
   for (int i = 0; i < 2; i++)
      test_surface_create(t, &s[i], format, width_px, height_px, blocks);
   for (uint64_t i = 0; i < s[0].bo.size_B; i++)
      ((uint8_t *)s[0].bo.map)[i] = (uint8_t)cf_random_u64(random);
   memcpy(s[1].bo.map, s[0].bo.map, s[0].bo.size_B);
   for (uint64_t i = 0; blocks && i < s[0].tiles.size_B / sizeof(struct cf_tile_state); i++) {
      const uint64_t kind = cf_random_u64(random) % 3;
      struct cf_tile_state *tile = (struct cf_tile_state *)s[0].tiles.map + i;
      for (uint32_t c = 0; kind && c < 4; c++) {
         tile->value[c] = (uint32_t)cf_random_u64(random);
         tile->known[c] = kind == 1 ? UINT32_MAX : (uint32_t)cf_random_u64(random);
         tile->pending[c] = tile->known[c] & (uint32_t)cf_random_u64(random);
      }
   }
   if (blocks)
      memcpy(s[1].tiles.map, s[0].tiles.map, s[0].tiles.size_B);
}

static void
one_write(struct test_gpu *t, const struct cf_bo *rows, struct cf_random *random)
{
   static const enum cf_format formats[] = { CF_FORMAT_R8_UNORM, CF_FORMAT_B5G6R5_UNORM,
                                             CF_FORMAT_R8G8B8A8_UNORM, CF_FORMAT_R32G32_UINT,
                                             CF_FORMAT_R32G32B32A32_UINT };
   const enum cf_format format = formats[cf_random_u64(random) % 5];
   const uint32_t pixel_B = cf_format_info_of(format)->pixel_B;
   struct test_surface s[2];
   create_pair(t, s, format, cf_random_u64(random) % 4, random);
   const struct cf_surface surface = unpacked(&s[0], format);
   const bool whole = cf_random_u64(random) % 3 == 0;
   struct cf_host_pixels pixels = { .surface = &surface, .rows = rows->map };
   pixels.width_px = whole ? surface.width_px : 1 + cf_random_u64(random) % surface.width_px;
   pixels.height_px = whole ? surface.height_px : 1 + cf_random_u64(random) % surface.height_px;
   pixels.x_px = cf_random_u64(random) % (surface.width_px - pixels.width_px + 1);
   pixels.y_px = cf_random_u64(random) % (surface.height_px - pixels.height_px + 1);
   pixels.row_pitch_B = (pixels.width_px + cf_random_u64(random) % 9) * pixel_B;
   for (uint32_t i = 0; i < pixels.row_pitch_B * pixels.height_px; i++)
      ((uint8_t *)rows->map)[i] = (uint8_t)cf_random_u64(random);

   assert_true(t->gpu->ops->write_pixels(t->gpu, &pixels));
   EMIT(t, copy, .source = put_rows(t, &pixels, format, rows), .destination = s[1].address,
        .width_px = pixels.width_px, .height_px = pixels.height_px, .destination_x_px = pixels.x_px,
        .destination_y_px = pixels.y_px);
   test_submit(t);
   test_no_error(t);
   assert_memory_equal(s[0].bo.map, s[1].bo.map, s[0].bo.size_B);
   if (s[0].tiles.address)
      assert_memory_equal(s[0].tiles.map, s[1].tiles.map, s[0].tiles.size_B);
   for (int i = 0; i < 2; i++)
      test_surface_free(t, &s[i]);
}

static void
as_a_copy_packet(void **state)
{
   struct cf_random random = cf_random_seed("command-host-copy");
   struct test_gpu t;
   struct cf_bo rows;
   (void)state;
   test_gpu_open(&t, 2);
   assert_true(t.gpu->ops->bo_alloc(t.gpu, ROWS_B, &rows));
   for (int i = 0; i < 300; i++)
      one_write(&t, &rows, &random);
   test_gpu_close(&t);
}

static void
malformed_writes_nothing(void **state)
{
   static const uint32_t rows[64 * 64];
   struct test_gpu t;
   struct test_surface s;
   (void)state;
   test_gpu_open(&t, 0);
   test_surface_create(&t, &s, CF_FORMAT_R8G8B8A8_UNORM, 16, 16, true);
   memset(s.bo.map, 0x5a, s.bo.size_B);
   struct cf_surface surface = unpacked(&s, CF_FORMAT_R8G8B8A8_UNORM);
   struct cf_host_pixels pixels = { .surface = &surface, .x_px = 9, .width_px = 8, .height_px = 16, .rows = rows, .row_pitch_B = 256 };
   assert_false(t.gpu->ops->write_pixels(t.gpu, &pixels));
   pixels.x_px = UINT32_MAX - 3; /* the sum wraps round */
   assert_false(t.gpu->ops->write_pixels(t.gpu, &pixels));
   pixels.x_px = 8;
   pixels.y_px = 1;
   assert_false(t.gpu->ops->write_pixels(t.gpu, &pixels));
   pixels.y_px = 0;
   surface.address = 0; /* never allocated */
   assert_false(t.gpu->ops->write_pixels(t.gpu, &pixels));
   for (uint64_t i = 0; i < s.bo.size_B; i++)
      assert_int_equal(((const uint8_t *)s.bo.map)[i], 0x5a);
   surface = unpacked(&s, CF_FORMAT_R8G8B8A8_UNORM);
   assert_true(t.gpu->ops->write_pixels(t.gpu, &pixels));
   assert_int_equal(test_surface_pixel(&s, 8, 0), 0);
   assert_int_equal(test_surface_pixel(&s, 7, 0), 0x5a5a5a5a);
   test_gpu_close(&t);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_a_copy_packet),
      cmocka_unit_test(malformed_writes_nothing),
   };
   return cmocka_run_group_tests_name("host-copy", tests, NULL, NULL);
}
