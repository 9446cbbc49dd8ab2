/* SPDX-License-Identifier: MIT */
/*
 * What paper B shows of the pixel engine: its pictures of stencil and alpha tests, pixel by pixel.
 */
#include "clipfree/pixel/test_pixel.h"

/* A shape written with REPLACE; what is drawn with NOTEQUAL appears outside it only. */
static void
stencil_picture(void **state)
{
   (void)state;
   struct test_surface s;
   test_surface_init(&s, CF_FORMAT_Z24_UNORM_S8_UINT, true, 4, 4);
   memset(s.before, 0, s.size_B);
   test_surface_reset(&s);
   struct cf_pixel_config c = { .depth_stencil = { .stencil_front = true,
                                                   .front_func = CF_COMPARE_ALWAYS,
                                                   .front_value_mask = 255,
                                                   .front_write_mask = 255,
                                                   .front_zpass = CF_STENCIL_OP_REPLACE },
                                .stencil_ref = { 1, 0 },
                                .zs = s.image };
   const float depth[16] = { 0 };
   cf_pixel_configure(&c);
   assert_int_equal(cf_pixel_ops_base.test_block(&c, 0, 0, 0x0ff0, depth, true), 0x0ff0);
   c.depth_stencil.front_func = CF_COMPARE_NOTEQUAL;
   c.depth_stencil.front_zpass = CF_STENCIL_OP_KEEP;
   cf_pixel_configure(&c);
   assert_int_equal(cf_pixel_ops_base.test_block(&c, 0, 0, 0xffff, depth, true), 0xf00f);
   test_surface_free(&s);
}

/* A gradient of 0.1 to 0.8 under GREATER 0.4. */
static void
alpha_picture(void **state)
{
   (void)state;
   struct cf_pixel_config c = { .depth_stencil = { .alpha_test = true,
                                                   .alpha_func = CF_COMPARE_GREATER,
                                                   .alpha_ref = 0.4f } };
   cf_pixel_configure(&c);
   assert_true(c.late_tests && !c.tests_needed);
   float alpha[32];
   uint32_t expected = 0;
   for (uint32_t i = 0; i < 32; i++) {
      alpha[i] = 0.1f + 0.7f * (float)i / 31.0f;
      expected |= (uint32_t)(alpha[i] > 0.4f) << i;
   }
   struct cf_quad quads[8] = { { .x_px = 0 } };
   assert_int_equal(cf_pixel_ops_base.test_quads(&c, quads, 8, ~0u, NULL, alpha, ~0u), expected);
   assert_true(expected > 0 && ~expected > 0);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(stencil_picture),
      cmocka_unit_test(alpha_picture),
   };
   return cmocka_run_group_tests_name("paper B", tests, NULL, NULL);
}
