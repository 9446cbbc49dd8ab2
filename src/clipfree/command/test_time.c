/* SPDX-License-Identifier: MIT */
/*
 * The limit of a thread's time for a submission (cf_gpu_ops.submit): what would take minutes or
 * years ends soon, with a reset; what comes next is drawn. Each program alone stays below the
 * watchdog's limit. Much work of short tasks goes on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "clipfree/base/cf_host.h"
#include "clipfree/base/cf_time_limit.h"
#include "clipfree/command/test_gpu.h"
#include "clipfree/isa/cf_isa.h"

#define SIZE_PX 256
#define LIMIT_NS (20u * 1000000)
/* What a submission with that limit may take: the limit of each of three threads one after the
 * other, were there but one processor, a task more of each, and that again for other programs. */
#define SOON_NS (400u * 1000000)
/* Of tasks that are short (CF_TIME_SHORT_TASK_NS), also where each instruction takes ten times as
 * long: some 10000 instructions, or 1000. */
#ifdef __SANITIZE_THREAD__
#define SHORT_LOOP LOOP(250)
#else
#define SHORT_LOOP LOOP(2500)
#endif
/* Submissions below their limit that may be stopped in one scene, and are tried again: a host that
 * stops this machine for a while adds to the times of its threads. */
#define STOPPED_BY_HOST_MOST 3

/* 16000 times four instructions, in each stage the longest that the watchdog lets by. */
#define LONG_LOOP LOOP(16000)
#define LOOP(times)                                                                                \
   "movi v9, " #times "\nloop\nagain: ieq v8, v9, 0\nbrk v8, last\niadd v9, v9, -1\nmov v7, v9\n"  \
   "last: endloop again\n"

struct scene {
   struct test_gpu t;
   struct test_surface color;
   uint64_t quick_fragments, long_fragments, quick_vertices, long_vertices, inside, outside;
   int stopped_by_host;
};

static uint64_t
vertex_program(struct test_gpu *t, const char *loop)
{
   char text[600];
   snprintf(text, sizeof(text),
            "sys v4, vertex_id\n%sand v4, v4, 3\nldf v0, 0[v4]\nout 0, v0\nout 1, v1\nout 2, v2\n"
            "out 3, v3\nout 8, v0\nout 9, v1\nout 10, v2\nout 11, v3\nend\n",
            loop);
   return test_program(t, text,
                       (struct cf_program){ .stage = CF_SHADER_STAGE_VERTEX,
                                            .vector_regs = 10,
                                            .outputs = 12,
                                            .sysvals = 1u << CF_SYSVAL_VERTEX_ID });
}

static uint64_t
fragment_program(struct test_gpu *t, const char *loop)
{
   char text[600];
   snprintf(text, sizeof(text), "%smovi v0, 1.0\nout 0, v0\nout 1, v0\nout 2, v0\nout 3, v0\nend\n",
            loop);
   return test_program(
      t, text,
      (struct cf_program){
         .stage = CF_SHADER_STAGE_FRAGMENT, .vector_regs = 10, .outputs = 4, .color_outputs = 1 });
}

static uint64_t
put_elements(struct test_gpu *t, const float vertices[4][4])
{
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   const struct cf_vertex_element element = {
      .address = test_put(t, vertices, 16 * sizeof(float)),
      .size_B = 16 * sizeof(float),
      .stride_B = 4 * sizeof(float),
      .format = CF_FORMAT_R32G32B32A32_FLOAT,
   };
   cf_vertex_element_pack(dw, &element);
   return test_put(t, dw, sizeof(dw));
}

static void
scene_open(struct scene *s, int threads)
{
   static const float inside[4][4] = { { -1, -1, 0, 1 }, { 3, -1, 0, 1 }, { -1, 3, 0, 1 } };
   static const float outside[4][4] = { { 5, 5, 0, 1 }, { 6, 5, 0, 1 }, { 5, 6, 0, 1 } };
   *s = (struct scene){ 0 };
   test_gpu_open(&s->t, threads);
   test_surface_create(&s->t, &s->color, CF_FORMAT_R8G8B8A8_UNORM, SIZE_PX, SIZE_PX, true);
   s->quick_vertices = vertex_program(&s->t, "");
   s->long_vertices = vertex_program(&s->t, LONG_LOOP);
   s->quick_fragments = fragment_program(&s->t, "");
   s->long_fragments = fragment_program(&s->t, LONG_LOOP);
   s->inside = put_elements(&s->t, inside);
   s->outside = put_elements(&s->t, outside);
}

struct work {
   const char *name;
   uint64_t vertices, fragments, elements;
   uint32_t count, instances, draws;
   bool in_parts; /* drawn in parts, of which nobody knows how many will come: not on pace */
};

static void
emit_work(struct scene *s, const struct work *work)
{
   uint32_t link[CF_LINK_DWORDS];
   cf_link_pack(link, &(struct cf_link){ .slot = 0, .present = true });
   test_emit_frame(&s->t, &s->color, NULL);
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = work->vertices);
   EMIT(&s->t, varyings, .count = 1, .address = test_put(&s->t, link, sizeof(link)));
   EMIT(&s->t, shader, .stage = CF_SHADER_STAGE_FRAGMENT, .program = work->fragments);
   EMIT(&s->t, vertex_elements, .count = 1, .address = work->elements);
   for (uint32_t i = 0; i < work->draws; i++)
      EMIT(&s->t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = work->count,
           .instances = work->instances);
}

/* Submit with a limit, wait, and return how long that took. */
static uint64_t
submit_ns(struct test_gpu *t, uint64_t limit_ns)
{
   const uint64_t start_ns = cf_time_ns();
   EMIT(t, end, 0);
   const uint64_t seqno = t->gpu->ops->submit(t->gpu, t->commands.address, t->count * 4, limit_ns);
   assert_true(t->gpu->ops->wait(t->gpu, seqno, UINT64_MAX));
   t->count = 0;
   return cf_time_ns() - start_ns;
}

static uint32_t
failures(struct test_gpu *t)
{
   const uint64_t reports = t->gpu->ops->get_param(t->gpu, CF_PARAM_REPORTS);
   uint32_t count = 0;
   for (uint64_t i = 1; i <= reports; i++) {
      struct cf_report report;
      count += t->gpu->ops->report(t->gpu, i, &report) && report.kind == CF_REPORT_FAILURE;
   }
   return count;
}

/* The limit that a message names, in ms: what the thread worked before may be added
 * (cf_time_limit.h). 0: none. */
static unsigned
named_limit_ms(const char *text)
{
   static const char before[] = "a thread worked more than ";
   const char *found = strstr(text, before);
   unsigned limit_ms = 0;
   return found && sscanf(found + strlen(before), "%u ms and was stopped", &limit_ms) == 1
             ? limit_ms
             : 0;
}

/* Ends with a report of its time, after as much as may be. A machine that is busy otherwise takes
 * longer: then what all threads of this process worked must be little. */
static void
expect_stopped(struct scene *s, const struct work *work)
{
   char text[320];
   const uint32_t failed = failures(&s->t);
   const uint64_t cpu_ns = cf_process_cpu_ns();
   emit_work(s, work);
   const uint64_t wall_ns = submit_ns(&s->t, LIMIT_NS);
   s->t.gpu->ops->last_error(s->t.gpu, text, sizeof(text));
   const bool is_late = wall_ns > SOON_NS && cf_process_cpu_ns() - cpu_ns > SOON_NS;
   const unsigned limit_ms = named_limit_ms(text), least_ms = LIMIT_NS / 1000000,
                  most_ms = (work->in_parts ? 1 : CF_TIME_MOST) * least_ms;
   if (limit_ms < least_ms || limit_ms > most_ms || is_late)
      fail_msg("%s: %.0f ms, \"%s\"", work->name, (double)wall_ns / 1e6, text);
   assert_int_equal(failures(&s->t), failed + 1);
   assert_int_equal(s->t.gpu->ops->reset_status(s->t.gpu), CF_RESET_GUILTY);
}

/* Drawn with a limit that it does not reach, or none (0). */
static void
expect_done(struct scene *s, const struct work *work, uint64_t limit_ns)
{
   for (uint32_t failed = failures(&s->t);; failed++, s->stopped_by_host++) {
      emit_work(s, work);
      submit_ns(&s->t, limit_ns);
      if (failures(&s->t) == failed)
         return;
      assert_int_equal(failures(&s->t), failed + 1);
      assert_true(limit_ns && s->stopped_by_host < STOPPED_BY_HOST_MOST);
   }
}

/* What is drawn without a limit, or below it, is drawn as ever. */
static void
expect_drawn(struct scene *s, uint64_t limit_ns)
{
   const struct work work = { "whole", s->quick_vertices, s->quick_fragments, s->inside, 4, 1, 1 };
   expect_done(s, &work, limit_ns);
   assert_int_equal(test_surface_pixel(&s->color, 5, 5), 0xffffffff);
   assert_int_equal(test_surface_pixel(&s->color, SIZE_PX - 1, 9), 0xffffffff);
}

static void
long_work(int threads)
{
   struct scene s;
   scene_open(&s, threads);
   const uint64_t qv = s.quick_vertices, qf = s.quick_fragments;
   const struct work works[] = {
      { "long fragments", qv, s.long_fragments, s.inside, 4, 1, 1 },
      { "short fragments", qv, qf, s.inside, 4, 5000, 1 }, /* without a loop that asks */
      { "long fragments of many draws", qv, s.long_fragments, s.inside, 4, 1, 50 },
      { "long vertices", s.long_vertices, qf, s.outside, 3000000, 1, 1 },
      { "long vertices of instances", s.long_vertices, qf, s.outside, 4, 1000000, 1 },
      { "2^32 - 1 vertices outside", qv, qf, s.outside, UINT32_MAX, 1, 1 },
      { "2^31 vertices inside", qv, qf, s.inside, 1u << 31, 1, 1, true },
      { "2^32 - 1 instances outside", qv, qf, s.outside, 4, UINT32_MAX, 1 },
      { "2^31 instances inside", qv, qf, s.inside, 4, 1u << 31, 1, true },
   };
   for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
      expect_stopped(&s, &works[i]);
      expect_drawn(&s, 0);
      expect_drawn(&s, LIMIT_NS);
   }
   test_surface_free(&s.t, &s.color);
   test_gpu_close(&s.t);
}

static void
long_work_is_stopped(void **state)
{
   (void)state;
   long_work(0);
   long_work(2);
}

/* Frames of short tasks, which take a thread a third more than the limit, are drawn; so they are
 * where one thread does all of it, for others do not get a processor. */
static void
much_work(int threads)
{
   struct scene s;
   scene_open(&s, threads);
   const struct work work = {
      "much", s.quick_vertices, fragment_program(&s.t, SHORT_LOOP), s.inside, 4, 1, 3
   };
   uint64_t whole_ns = 0;
   for (int i = 0; i < 2; i++) {
      const uint64_t start_ns = cf_process_cpu_ns();
      expect_done(&s, &work, 0);
      const uint64_t time_ns = cf_process_cpu_ns() - start_ns;
      whole_ns = time_ns > whole_ns ? time_ns : whole_ns;
   }
   expect_done(&s, &work, whole_ns * 3 / 4 / (threads + 1));
   assert_int_equal(test_surface_pixel(&s.color, SIZE_PX - 1, 9), 0xffffffff);
   test_surface_free(&s.t, &s.color);
   test_gpu_close(&s.t);
}

static void
much_work_goes_on(void **state)
{
   (void)state;
   much_work(0);
   much_work(2);
}

/* Many submissions below the limit, whose sum is beyond it. */
static void
submissions_count_alone(void **state)
{
   struct scene s;
   (void)state;
   scene_open(&s, 2);
   const uint64_t start_ns = cf_process_cpu_ns();
   while (cf_process_cpu_ns() - start_ns < 4u * LIMIT_NS)
      expect_drawn(&s, LIMIT_NS);
   test_surface_free(&s.t, &s.color);
   test_gpu_close(&s.t);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_work_is_stopped),
      cmocka_unit_test(much_work_goes_on),
      cmocka_unit_test(submissions_count_alone),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
