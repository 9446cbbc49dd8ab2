/* SPDX-License-Identifier: MIT */
/*
 * Feedback against a reference that writes a list of vertices one byte at a time, in order. Random
 * outputs into up to four buffers, with holes between them, and none into some buffers; primitives
 * written in any order; draws that fit, fill the buffers to the last byte, or do not fit; and
 * several draws one after the other, each behind the one before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/vertex/cf_feedback.h"

#define MOST_OUTPUTS 12
#define RECORD_DWORDS 40
#define MOST_PRIMITIVES 24 /* of a draw */
#define DRAWS 3
#define STRIDE_DWORDS 16
#define ROUNDS 3000
#define UNTOUCHED 0xa5
#define BUFFER_B (DRAWS * MOST_PRIMITIVES * 3 * STRIDE_DWORDS * 4)

struct outputs {
   uint32_t count;
   struct cf_feedback_output output[MOST_OUTPUTS];
   uint32_t stride_B[CF_FEEDBACK_BUFFERS]; /* 0: no output is written to the buffer */
};

/* The buffers, written by the unit and by the reference. */
struct buffers {
   uint8_t data[CF_FEEDBACK_BUFFERS][BUFFER_B], expected[CF_FEEDBACK_BUFFERS][BUFFER_B];
   uint64_t filled_B[CF_FEEDBACK_BUFFERS], expected_B[CF_FEEDBACK_BUFFERS];
};

/* A draw's vertices, as bytes. */
struct drawn {
   uint32_t vertices; /* of a primitive */
   uint32_t primitives;
   uint32_t fits; /* so many have room */
   _Alignas(4) uint8_t record[MOST_PRIMITIVES][3][RECORD_DWORDS * 4];
};

/* ---- reference ---- */

static void
write_expected(struct buffers *b, const struct outputs *outputs, const struct drawn *drawn)
{
   const uint32_t written = drawn->primitives < drawn->fits ? drawn->primitives : drawn->fits;
   for (uint32_t i = 0; i < CF_FEEDBACK_BUFFERS; i++) {
      for (uint32_t p = 0; p < written; p++) {
         for (uint32_t k = 0; k < drawn->vertices; k++) {
            for (uint32_t o = 0; o < outputs->count; o++) {
               const struct cf_feedback_output *out = &outputs->output[o];
               for (uint32_t byte = 0; out->buffer == i && byte < 4 * out->dwords; byte++)
                  b->expected[i][b->expected_B[i] + 4 * out->offset_dw + byte] =
                     drawn->record[p][k][4 * out->first + byte];
            }
            b->expected_B[i] += outputs->stride_B[i];
         }
      }
   }
}

/* ---- random draws ---- */

/* Outputs that do not overlap, with holes before and between them; of a buffer's elements, some
 * have room behind the last one. */
static void
make_outputs(struct cf_random *r, struct outputs *outputs)
{
   uint32_t end_dw[CF_FEEDBACK_BUFFERS] = { 0 };
   const uint32_t wanted = 1 + cf_random_below(r, MOST_OUTPUTS);
   *outputs = (struct outputs){ 0 };
   for (uint32_t n = 0; n < wanted; n++) {
      const uint32_t buffer = cf_random_below(r, CF_FEEDBACK_BUFFERS);
      const uint32_t dwords = 1 + cf_random_below(r, 7); /* the compiler writes 1 to 4 */
      const uint32_t offset_dw = end_dw[buffer] + cf_random_below(r, 2) * cf_random_below(r, 4);
      if (offset_dw + dwords > STRIDE_DWORDS)
         continue;
      outputs->output[outputs->count++] =
         (struct cf_feedback_output){ .first = cf_random_below(r, RECORD_DWORDS - dwords + 1),
                                      .dwords = dwords,
                                      .buffer = buffer,
                                      .offset_dw = offset_dw };
      end_dw[buffer] = offset_dw + dwords;
   }
   for (uint32_t i = 0; i < CF_FEEDBACK_BUFFERS; i++) {
      if (end_dw[i])
         outputs->stride_B[i] = 4 * (end_dw[i] + cf_random_below(r, STRIDE_DWORDS - end_dw[i] + 1));
   }
}

/* What fits: nothing, all but one, exactly all, more, or any number. */
static void
make_drawn(struct cf_random *r, struct drawn *drawn, uint32_t round)
{
   drawn->vertices = 1 + cf_random_below(r, 3);
   drawn->primitives = cf_random_below(r, MOST_PRIMITIVES + 1);
   const uint32_t all = drawn->primitives;
   const uint32_t fits[] = { 0, all ? all - 1 : 0, all, all + 1, UINT32_MAX };
   drawn->fits = round % 6 < 5 ? fits[round % 6] : cf_random_below(r, MOST_PRIMITIVES);
   uint8_t *bytes = &drawn->record[0][0][0];
   for (uint32_t i = 0; i < sizeof(drawn->record); i++)
      bytes[i] = (uint8_t)cf_random_u32(r);
}

/* ---- running ---- */

static struct cf_feedback_draw *
new_draw(struct buffers *b, const struct outputs *outputs, const struct drawn *drawn)
{
   struct cf_feedback_draw *draw =
      calloc(1, sizeof(*draw) + outputs->count * sizeof(draw->output[0]));
   assert_non_null(draw);
   draw->vertices = drawn->vertices;
   draw->primitives = drawn->fits;
   draw->outputs = outputs->count;
   memcpy(draw->output, outputs->output, outputs->count * sizeof(draw->output[0]));
   for (uint32_t i = 0; i < CF_FEEDBACK_BUFFERS; i++) {
      if (!outputs->stride_B[i])
         continue;
      draw->buffer[i].data = b->data[i] + b->filled_B[i];
      draw->buffer[i].filled_B = &b->filled_B[i];
      draw->buffer[i].stride_B = outputs->stride_B[i];
   }
   return draw;
}

/* Write all primitives, as threads might: in any order. */
static void
write_drawn(struct cf_random *r, const struct cf_feedback_draw *draw, const struct drawn *drawn)
{
   uint32_t order[MOST_PRIMITIVES];
   for (uint32_t p = 0; p < drawn->primitives; p++) {
      const uint32_t other = cf_random_below(r, p + 1);
      order[p] = order[other];
      order[other] = p;
   }
   for (uint32_t i = 0; i < drawn->primitives; i++) {
      const float *record[3];
      for (uint32_t k = 0; k < drawn->vertices; k++)
         record[k] = (const float *)(const void *)drawn->record[order[i]][k];
      cf_feedback_write(draw, order[i], record);
   }
}

static void
run_draw(struct cf_random *r, struct buffers *b, const struct outputs *outputs,
         const struct drawn *drawn)
{
   struct cf_feedback_draw *draw = new_draw(b, outputs, drawn);
   write_drawn(r, draw, drawn);
   const uint64_t written = cf_feedback_finish(draw, drawn->primitives);
   assert_int_equal(written, drawn->primitives < drawn->fits ? drawn->primitives : drawn->fits);
   free(draw);
}

static void
buffers_are_right(void **state)
{
   struct cf_random r = cf_random_seed("vertex-feedback");
   struct buffers *b = malloc(sizeof(*b));
   struct drawn *drawn = malloc(sizeof(*drawn));
   uint64_t written_B = 0;
   for (uint32_t round = 0; round < ROUNDS; round++) {
      struct outputs outputs;
      make_outputs(&r, &outputs);
      memset(b, 0, sizeof(*b));
      memset(b->data, UNTOUCHED, sizeof(b->data));
      memset(b->expected, UNTOUCHED, sizeof(b->expected));
      for (uint32_t n = 0; n < DRAWS; n++) {
         make_drawn(&r, drawn, round + n);
         run_draw(&r, b, &outputs, drawn);
         write_expected(b, &outputs, drawn);
         assert_memory_equal(b->filled_B, b->expected_B, sizeof(b->filled_B));
      }
      for (uint32_t i = 0; i < CF_FEEDBACK_BUFFERS; i++) {
         assert_memory_equal(b->data[i], b->expected[i], BUFFER_B);
         written_B += b->expected_B[i];
      }
   }
   assert_true(written_B > 1000 * ROUNDS);
   free(drawn);
   free(b);
}

/* Numbers of primitives, and bytes, beyond 32 bits. */
static void
counts_are_wide(void **state)
{
   struct cf_feedback_draw *draw = calloc(1, sizeof(*draw));
   uint8_t data;
   uint64_t filled_B = 7;
   draw->vertices = 3;
   draw->primitives = UINT64_C(1) << 33;
   draw->buffer[2].data = &data;
   draw->buffer[2].filled_B = &filled_B;
   draw->buffer[2].stride_B = 12;
   assert_int_equal(cf_feedback_finish(draw, (UINT64_C(1) << 32) + 1), (UINT64_C(1) << 32) + 1);
   assert_true(filled_B == 7 + 36 * ((UINT64_C(1) << 32) + 1));
   cf_feedback_write(draw, UINT64_C(1) << 33, NULL); /* does not fit: reads no record */
   assert_int_equal(cf_feedback_finish(draw, 0), 0);
   assert_true(filled_B == 7 + 36 * ((UINT64_C(1) << 32) + 1));
   free(draw);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(buffers_are_right),
      cmocka_unit_test(counts_are_wide),
   };
   return cmocka_run_group_tests_name("vertex-feedback", tests, NULL, NULL);
}
