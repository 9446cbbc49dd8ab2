/* SPDX-License-Identifier: MIT */
/*
 * Batch-shape invariance: random draws give the same bits for every number of threads, in one
 * submission or in many; with one sample a pixel and with four. Large ones are also shaded positions
 * first. The plain path gives the same bits, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fenv.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/test_gpu.h"
#include "clipfree/command/test_picture.h"

static uint64_t
render(const struct test_picture *p, int threads, uint32_t batch)
{
   return test_picture_render(test_model(threads, cf_host_level()), p, batch);
}

static void
same_bits(void **state)
{
   struct cf_random seeds = cf_random_seed("command-invariance");
   for (int round = 0; round < 3; round++) {
      struct test_picture *p =
         test_picture_make(cf_random_u64(&seeds) | 1, round < 2 ? 1 : CF_SAMPLES);
      const uint64_t expected = render(p, 0, TEST_PICTURE_DRAWS + 1);
      static const int threads[] = { 0, 1, 2, 5 };
      static const uint32_t batches[] = { 1, 7, TEST_PICTURE_DRAWS + 1 };
      for (uint32_t i = 0; i < 4; i++) {
         for (uint32_t j = 0; j < 3; j++)
            assert_true(render(p, threads[i], batches[j]) == expected);
      }
      for (int level = CF_HOST_BASE; level <= (int)cf_host_level(); level++)
         assert_true(test_picture_render(test_model(2, level), p, 11) == expected);
      for (int n = 0; n <= 2; n++) {
         const struct cf_model_config positions = { .threads = n,
                                                    .vertices = CF_VERTICES_POSITIONS_FIRST };
         const struct cf_model_config plain = { .threads = n, .path = CF_PATH_PLAIN };
         assert_true(test_picture_render(test_model_of(positions), p, 7 + 20 * n) == expected);
         assert_true(test_picture_render(test_model_of(plain), p, 7 + 20 * n) == expected);
      }
      test_picture_free(p);
   }
}

/* The application's rounding mode and denormal flushing change no bit. */
static void
same_bits_in_any_environment(void **state)
{
   struct cf_random seeds = cf_random_seed("command-invariance in any environment");
   struct test_picture *p = test_picture_make(cf_random_u64(&seeds) | 1, 1);
   const uint64_t expected = render(p, 0, TEST_PICTURE_DRAWS + 1);
   for (int threads = 0; threads <= 2; threads++) {
      fenv_t before;
      fegetenv(&before);
      fesetround(FE_UPWARD);
#if defined(__x86_64__)
      __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
      const uint64_t hash = render(p, threads, 7);
      assert_int_equal(fegetround(), FE_UPWARD);
      fesetenv(&before);
      assert_true(hash == expected);
   }
   test_picture_free(p);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_bits),
      cmocka_unit_test(same_bits_in_any_environment),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
