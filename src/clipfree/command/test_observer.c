/* SPDX-License-Identifier: MIT */
/*
 * The observer gets an event for each fragment and each clear, and rebuilds the picture from these
 * events alone. Each event must find its pixel as the event before left it; the last ones leave
 * what is in memory at the end. Each fragment lies inside the primitive that its event names. Each
 * task begins, executes its instructions and ends; each primitive is set up or dropped for a reason
 * that holds.
 *
 * Inputs: random triangles, lines and points under random tests, with one and with four samples a
 * pixel, with 0 to 3 threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/arith/cf_fp.h"
#include "clipfree/base/test_random.h"
#include "clipfree/command/test_gpu.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/memory/cf_memory.h"
#include "clipfree/shader/cf_run.h"

#define WIDTH 150
#define HEIGHT 140
#define DRAWS 40
#define VERTICES 24 /* of a draw */
#define ZS_BIT (1u << CF_MAX_COLOR_TARGETS)

/* A draw, as it was emitted. */
struct emitted {
   uint64_t packet; /* GPU address of its packet; a later submission may reuse it */
   uint64_t clear;  /* GPU address of the clear packet after it; 0: none */
   enum cf_prim_kind kind;
   bool culls_back, clips_depth;
   uint32_t instances; /* all alike: 1 or 2 */
   float vertex[VERTICES][4];
   /* by primitive: 0: no event yet; else 1 + the number of primitives set up for it */
   uint32_t reported[2 * VERTICES];
};

/* What the observer knows: the draws as they were emitted; all else from events. */
struct watcher {
   struct emitted draw[DRAWS];
   uint32_t draws;
   pthread_mutex_t lock; /* tiles come from any thread */
   uint32_t color[HEIGHT][WIDTH][CF_SAMPLES], zs[HEIGHT][WIDTH][CF_SAMPLES];
   uint64_t first_clear;                       /* GPU address of the first clear's packet */
   uint64_t begun, ended, instructions, loads; /* counts over the tasks of both stages */
   uint64_t fates[CF_FATES], drops[CF_DROPS], clears;
   uint64_t pixels; /* events of tasks' pixels */
};

/* The draw that an event names. The latest with this address: submissions do not overlap. */
static struct emitted *
draw_of(struct watcher *w, uint64_t packet)
{
   for (uint32_t i = w->draws; i-- > 0;) {
      if (w->draw[i].packet == packet)
         return &w->draw[i];
   }
   fail_msg("no draw is at 0x%llx", (unsigned long long)packet);
   return NULL;
}

static uint32_t
vertices_of(enum cf_prim_kind kind)
{
   return kind == CF_PRIM_KIND_POINTS ? 1 : kind == CF_PRIM_KIND_LINES ? 2 : 3;
}

/* Of an instance. */
static uint32_t
primitives_of(const struct emitted *draw)
{
   return VERTICES / vertices_of(draw->kind);
}

/* Twice the area in the window; triangles have w > 0. */
static float
area_px2(const float v[3][4])
{
   float x[3], y[3];
   for (uint32_t i = 0; i < 3; i++) {
      x[i] = v[i][0] / v[i][3] * WIDTH / 2;
      y[i] = v[i][1] / v[i][3] * HEIGHT / 2;
   }
   return (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
}

/* Faces and planes, by the window. */
static void
check_drop(const struct emitted *draw, const struct cf_primitive_event *e)
{
   const uint32_t count = vertices_of(draw->kind);
   const float(*v)[4] = (const float(*)[4])draw->vertex[e->primitive % primitives_of(draw) * count];
   const bool back = count == 3 && draw->culls_back &&
                     area_px2(v) < 0; /* front faces are clockwise: y points down */
   uint32_t near = 0, far = 0;
   for (uint32_t i = 0; i < count; i++) {
      near += v[i][2] < -v[i][3];
      far += v[i][2] > v[i][3];
   }
   const bool beyond = draw->clips_depth && (near == count || far == count);
   assert_int_equal(e->drop == CF_DROP_BACK, back);
   assert_int_equal(e->drop == CF_DROP_PLANE, beyond && !back);
   assert_true(e->drop == CF_DROP_NONE || e->drop >= CF_DROP_BACK);
}

static void
watch_primitive(void *user, const struct cf_primitive_event *e)
{
   struct watcher *w = user;
   pthread_mutex_lock(&w->lock);
   struct emitted *draw = draw_of(w, e->draw);
   assert_true(e->primitive < draw->instances * primitives_of(draw) && e->set_up <= 1);
   assert_int_equal(e->instance, e->primitive / primitives_of(draw));
   assert_int_equal(draw->reported[e->primitive], 0);
   draw->reported[e->primitive] = 1 + e->set_up;
   assert_int_equal(e->drop == CF_DROP_NONE, e->set_up > 0);
   check_drop(draw, e);
   w->drops[e->drop]++;
   pthread_mutex_unlock(&w->lock);
}

/* The fragment is near the primitive that it is said to be of: inside the corners' box, and what
 * width and size add. */
static void
check_place(const struct emitted *draw, const struct cf_fragment_event *e)
{
   const uint32_t count = vertices_of(draw->kind);
   float low[2] = { 1e9f, 1e9f }, high[2] = { -1e9f, -1e9f };
   assert_int_equal(draw->reported[e->primitive], 2);
   for (uint32_t i = 0; i < count; i++) {
      const float *v = draw->vertex[e->primitive % primitives_of(draw) * count + i];
      const float at[2] = { (v[0] / v[3] + 1) * WIDTH / 2, (v[1] / v[3] + 1) * HEIGHT / 2 };
      for (uint32_t k = 0; k < 2; k++) {
         low[k] = at[k] < low[k] ? at[k] : low[k];
         high[k] = at[k] > high[k] ? at[k] : high[k];
      }
   }
   assert_true(e->x_px + 1 >= low[0] - 6 && e->x_px <= high[0] + 6 && e->y_px + 1 >= low[1] - 6 &&
               e->y_px <= high[1] + 6);
}

/* The fragment task that came last from this thread: fragments after it are its own. Lanes by
 * sample, as the events of its fragments have them. */
static _Thread_local struct {
   uint64_t draw;
   uint32_t lanes, quads;
   struct cf_task_quad quad[CF_TASK_QUADS];
   uint32_t covered[CF_SAMPLES], tested[CF_SAMPLES], written[CF_SAMPLES];
} last_task;

static void
note_fate(uint32_t lane, const struct cf_fragment_event *e)
{
   const uint32_t bit = 1u << lane;
   last_task.covered[e->sample] |= bit;
   if (e->fate == CF_FATE_WRITTEN || e->fate == CF_FATE_STENCIL || e->fate == CF_FATE_DEPTH)
      last_task.tested[e->sample] |= bit;
   if (e->fate == CF_FATE_WRITTEN)
      last_task.written[e->sample] |= bit;
}

static void
check_task(const struct cf_fragment_event *e)
{
   bool found = false;
   assert_int_equal(last_task.draw, e->draw);
   for (uint32_t q = 0; q < last_task.quads; q++) {
      const struct cf_task_quad *quad = &last_task.quad[q];
      const uint32_t x = (uint32_t)e->x_px - quad->x_px, y = (uint32_t)e->y_px - quad->y_px;
      if (x < 2 && y < 2 && quad->primitive == e->primitive &&
          last_task.lanes >> (4 * q + 2 * y + x) & 1) {
         note_fate(4 * q + 2 * y + x, e);
         found = true;
      }
   }
   assert_true(found);
}

static void
watch_fragment(void *user, const struct cf_fragment_event *e)
{
   struct watcher *w = user;
   uint32_t *color = &w->color[e->y_px][e->x_px][e->sample],
            *zs = &w->zs[e->y_px][e->x_px][e->sample];
   pthread_mutex_lock(&w->lock);
   assert_true(e->x_px < WIDTH && e->y_px < HEIGHT && e->sample < CF_SAMPLES && e->draw != 0);
   assert_true(e->color_count == 1 && e->color_B[0] == 4 && e->zs_B == 4);
   check_place(draw_of(w, e->draw), e);
   check_task(e);
   assert_int_equal(e->color_before[0][0], *color);
   assert_int_equal(e->zs_before[0], *zs);
   /* a fragment that fails the stencil or the depth test may change stencil, no other may change
    * anything */
   if (e->fate != CF_FATE_WRITTEN)
      assert_int_equal(e->color_after[0][0], *color);
   if (e->fate != CF_FATE_WRITTEN)
      assert_int_equal(e->zs_after[0] & 0xffffff, *zs & 0xffffff);
   if (e->fate == CF_FATE_KILLED || e->fate == CF_FATE_COVERAGE || e->fate == CF_FATE_ALPHA)
      assert_int_equal(e->zs_after[0], *zs);
   *color = e->color_after[0][0];
   *zs = e->zs_after[0];
   w->fates[e->fate]++;
   pthread_mutex_unlock(&w->lock);
}

/* A task's pixels, after the events of its fragments. */
static void
watch_pixels(void *user, const struct cf_pixels_event *e)
{
   struct watcher *w = user;
   assert_true(e->draw == last_task.draw && e->quads == last_task.quads);
   assert_memory_equal(e->quad, last_task.quad, e->quads * sizeof(e->quad[0]));
   assert_memory_equal(e->covered, last_task.covered, sizeof(e->covered));
   assert_memory_equal(e->tested, last_task.tested, sizeof(e->tested));
   assert_memory_equal(e->written, last_task.written, sizeof(e->written));
   __atomic_fetch_add(&w->pixels, 1, __ATOMIC_RELAXED);
}

static void
watch_task_begin(void *user, const struct cf_task_event *task)
{
   struct watcher *w = user;
   pthread_mutex_lock(&w->lock);
   draw_of(w, task->draw);
   assert_int_equal(task->lanes & ~task->run->exec, 0);
   assert_true((task->quad != NULL) != (task->vertex != NULL));
   if (task->quad) {
      memset(&last_task, 0, sizeof(last_task));
      last_task.draw = task->draw;
      last_task.lanes = task->lanes;
      last_task.quads = task->quads;
      memcpy(last_task.quad, task->quad, task->quads * sizeof(task->quad[0]));
   }
   w->begun++;
   pthread_mutex_unlock(&w->lock);
}

static void
watch_task_end(void *user, const struct cf_task_event *task)
{
   struct watcher *w = user;
   (void)task;
   __atomic_fetch_add(&w->ended, 1, __ATOMIC_RELAXED);
}

static void
watch_instruction(void *user, const struct cf_task_event *task)
{
   struct watcher *w = user;
   assert_non_null(task->run->next);
   __atomic_fetch_add(&w->instructions, 1, __ATOMIC_RELAXED);
}

/* Draws have no indices: an element is a vertex, and the buffer has it. */
static void
watch_load(void *user, const struct cf_task_event *task, const struct cf_vertex_load *load)
{
   struct watcher *w = user;
   assert_true(load->inside && load->number < VERTICES && load->number == task->vertex[load->lane]);
   assert_int_equal(load->number, task->element[load->lane]);
   assert_int_equal(load->offset_B, load->number * 16);
   __atomic_fetch_add(&w->loads, 1, __ATOMIC_RELAXED);
}

static bool
is_clear(const struct watcher *w, uint64_t packet)
{
   bool found = packet == w->first_clear;
   for (uint32_t i = 0; i < w->draws; i++)
      found |= packet != 0 && packet == w->draw[i].clear;
   return found;
}

static void
watch_clear(void *user, const struct cf_clear_event *e)
{
   struct watcher *w = user;
   pthread_mutex_lock(&w->lock);
   assert_true(is_clear(w, e->draw));
   assert_int_equal(e->pixel_B[0], e->images & 1 ? 4 : 0);
   for (uint32_t y = e->min_y_px; y < e->max_y_px; y++) {
      for (uint32_t x = e->min_x_px; x < e->max_x_px; x++) {
         for (uint32_t s = 0; s < CF_SAMPLES; s++) {
            uint32_t *color = &w->color[y][x][s], *zs = &w->zs[y][x][s];
            if (e->images & 1)
               *color = (*color & ~e->mask[0][0]) | (e->value[0][0] & e->mask[0][0]);
            if (e->images & ZS_BIT)
               *zs = (*zs & ~e->mask[CF_MAX_COLOR_TARGETS][0]) |
                     (e->value[CF_MAX_COLOR_TARGETS][0] & e->mask[CF_MAX_COLOR_TARGETS][0]);
         }
      }
   }
   w->clears++;
   pthread_mutex_unlock(&w->lock);
}

/* Colour is the position; a fragment of low red ends. */
static void
emit_programs(struct test_gpu *t)
{
   test_emit_positions(t);
   EMIT(t, shader, .stage = CF_SHADER_STAGE_FRAGMENT,
        .program = test_program(t,
                                "ldvar v0, 0, smooth\nldvar v1, 1, smooth\nldvar v2, 2, "
                                "smooth\nflt v3, v0, -0.5\nkill v3, done\n"
                                "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v1\ndone: end\n",
                                (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                                                     .vector_regs = 4,
                                                     .outputs = 4,
                                                     .inputs = 3,
                                                     .color_outputs = 1,
                                                     .uses_kill = true }));
}

/* Nothing is left to luck: the first draws have what must happen, on a triangle that covers the
 * window. */
enum sure { SURE_DROPS, SURE_ALPHA, SURE_STENCIL, SURE_DEPTH, SURE_KILL, SURE_COVERAGE, SURE };

static void
emit_random_state(struct test_gpu *t, uint64_t *seed, uint32_t i, struct emitted *draw)
{
   struct cf_depth_stencil ds = {
      .depth_test = test_random(seed) % 4 != 0,
      .depth_write = test_random(seed) % 2,
      .depth_func = test_random(seed) % 8,
      .alpha_test = test_random(seed) % 3 == 0,
      .alpha_func = CF_COMPARE_GREATER,
      .alpha_ref = 0.25f,
      .stencil_front = test_random(seed) % 2,
      .front_func = test_random(seed) % 8,
      .front_fail = CF_STENCIL_OP_INCR_WRAP,
      .front_zfail = CF_STENCIL_OP_INVERT,
      .front_zpass = CF_STENCIL_OP_DECR_WRAP,
      .front_value_mask = 3,
      .front_write_mask = 0xff,
   };
   if (i < SURE) {
      ds.alpha_test = i == SURE_ALPHA;
      ds.stencil_front = i == SURE_STENCIL;
      ds.front_func = CF_COMPARE_NEVER;
      ds.depth_test = i == SURE_DEPTH;
      ds.depth_func = CF_COMPARE_NEVER;
   }
   cf_depth_stencil_pack(t->dw + t->count, &ds);
   t->count += CF_DEPTH_STENCIL_DWORDS;
   draw->culls_back = i == SURE_DROPS || (i >= SURE && test_random(seed) % 3 == 0);
   draw->clips_depth = i == SURE_DROPS || test_random(seed) % 2;
   EMIT(t, stencil_ref, .front = test_random(seed) % 4);
   EMIT(t, blend, .enable = test_random(seed) % 2, .src_color = CF_BLEND_FACTOR_SRC_ALPHA,
        .dst_color = CF_BLEND_FACTOR_INV_SRC_ALPHA, .src_alpha = CF_BLEND_FACTOR_ONE,
        .dst_alpha = CF_BLEND_FACTOR_ONE, .write_mask = test_random(seed) % 4 ? 0xf : 0x5,
        .alpha_to_coverage = i == SURE_COVERAGE || test_random(seed) % 3 == 0);
   EMIT(t, raster, .depth_clip_near = draw->clips_depth, .depth_clip_far = draw->clips_depth,
        .half_pixel_center = true, .line_width_px = 3, .point_size_px = 9,
        .multisample = i == SURE_COVERAGE || test_random(seed) % 4 != 0,
        .cull_back = draw->culls_back, .line_smooth = test_random(seed) % 2,
        .point_smooth = test_random(seed) % 2);
   EMIT(t, sample_mask,
        .mask = i < SURE || test_random(seed) % 4 ? 0xf : (uint32_t)test_random(seed) % 16);
}

/* The first triangle covers the window; three others are dropped if back faces and depth are. */
static void
make_sure(struct emitted *draw)
{
   static const float sure[12][4] = {
      { -1, -1, 0, 1 },   { 3, -1, 0, 1 },    { -1, 3, 0, 1 },    /* seen from the front */
      { 0, 0, 0, 1 },     { 0, 1, 0, 1 },     { 1, 0, 0, 1 },     /* from the back */
      { 0, 0, 3, 1 },     { 1, 0, 3, 1 },     { 0, 1, 3, 1 },     /* too far */
      { -1.9f, 0, 0, 1 }, { -1.5f, 0, 0, 1 }, { -1.5f, 1, 0, 1 }, /* beside */
   };
   draw->kind = CF_PRIM_KIND_TRIANGLES;
   memcpy(draw->vertex, sure, sizeof(sure));
}

static void
emit_random_draw(struct test_gpu *t, uint64_t *seed, uint32_t index, struct emitted *draw)
{
   static const enum cf_prim_kind kinds[] = { CF_PRIM_KIND_TRIANGLES, CF_PRIM_KIND_LINES,
                                              CF_PRIM_KIND_POINTS, CF_PRIM_KIND_TRIANGLES };
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   draw->kind = kinds[test_random(seed) % 4];
   draw->instances = 1 + test_random(seed) % 2;
   for (uint32_t i = 0; i < VERTICES; i++) {
      for (uint32_t k = 0; k < 3; k++)
         draw->vertex[i][k] = test_random_float(seed, -1.1f, 1.1f);
      draw->vertex[i][3] = test_random_float(seed, 0.9f, 1.5f);
   }
   if (index < SURE)
      make_sure(draw);
   cf_vertex_element_pack(
      dw, &(struct cf_vertex_element){ .address = test_put(t, draw->vertex, sizeof(draw->vertex)),
                                       .size_B = sizeof(draw->vertex),
                                       .stride_B = sizeof(draw->vertex[0]),
                                       .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(t, vertex_elements, .count = 1, .address = test_put(t, dw, sizeof(dw)));
   draw->packet = t->commands.address + 4 * t->count;
   EMIT(t, draw, .prim = draw->kind, .count = VERTICES, .instances = draw->instances);
   if (test_random(seed) % 8 != 0)
      return;
   draw->clear = t->commands.address + 4 * t->count;
   EMIT(t, clear, .colors = test_random(seed) % 2, .stencil = true, .stencil_value = 2,
        .stencil_write_mask = 0x0f, .min_x_px = 30, .min_y_px = 50, .max_x_px = 100,
        .max_y_px = 90);
}

/* All draws, in several submissions; the queries' count. */
static uint64_t
draw_all(struct test_gpu *t, const struct test_surface *color, const struct test_surface *zs,
         uint64_t seed, struct watcher *watcher)
{
   struct cf_bo result;
   assert_true(t->gpu->ops->bo_alloc(t->gpu, 8, &result));
   for (uint32_t i = 0; i < DRAWS; i++) {
      if (i % 16 == 0) {
         if (i)
            test_submit(t);
         test_emit_frame(t, color, zs);
         emit_programs(t);
         EMIT(t, query, .kind = CF_QUERY_KIND_SAMPLES_PASSED, .begin = true,
              .result = result.address);
      }
      if (i == 0)
         watcher->first_clear = t->commands.address + 4 * t->count;
      if (i == 0)
         EMIT(t, clear, .colors = 1, .depth = true, .stencil = true, .stencil_write_mask = 0xff,
              .depth_value = 0.5f, .max_x_px = WIDTH, .max_y_px = HEIGHT);
      emit_random_state(t, &seed, i, &watcher->draw[i]);
      emit_random_draw(t, &seed, i, &watcher->draw[i]);
      watcher->draws = i + 1;
   }
   test_submit(t);
   test_no_error(t);
   const uint64_t count = *(const uint64_t *)result.map;
   t->gpu->ops->bo_free(t->gpu, &result);
   return count;
}

/* Every primitive of each draw had its event. */
static void
check_primitives(const struct watcher *watcher)
{
   uint32_t dropped = 0;
   for (uint32_t i = 0; i < DRAWS; i++) {
      const struct emitted *draw = &watcher->draw[i];
      for (uint32_t p = 0; p < draw->instances * primitives_of(draw); p++) {
         assert_int_not_equal(draw->reported[p], 0);
         dropped += draw->reported[p] == 1;
      }
   }
   assert_true(dropped > 0);
}

/* The picture of a model, against what its watcher knows if it was watched; and its hash. */
static uint64_t
render(struct cf_model_config config, uint32_t samples, uint64_t seed, struct watcher *watcher)
{
   const bool watched = config.observer && config.observer->user == watcher;
   struct test_gpu t;
   struct test_surface color, zs;
   uint64_t hash = 0xcbf29ce484222325u;
   test_gpu_open_on(&t, test_model_of(config));
   test_surface_create_samples(&t, &color, CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, samples);
   test_surface_create_samples(&t, &zs, CF_FORMAT_Z24_UNORM_S8_UINT, WIDTH, HEIGHT, samples);
   const uint64_t passed = draw_all(&t, &color, &zs, seed, watcher);
   for (uint32_t i = 0; i < WIDTH * HEIGHT * samples; i++) {
      const uint32_t s = i % samples, x = i / samples % WIDTH, y = i / samples / WIDTH;
      const uint32_t c = test_surface_sample(&color, x, y, s),
                     z = test_surface_sample(&zs, x, y, s);
      hash = ((hash ^ c) * 0x100000001b3u ^ z) * 0x100000001b3u;
      if (!watched)
         continue;
      assert_int_equal(watcher->color[y][x][s], c);
      assert_int_equal(watcher->zs[y][x][s], z);
   }
   if (watched) {
      assert_int_equal(watcher->fates[CF_FATE_WRITTEN], passed);
      check_primitives(watcher);
   }
   test_frame_close(&t, &color, &zs);
   return hash ^ passed;
}

static void
events_make_the_picture(void **state)
{
   (void)state;
   struct cf_random seeds = cf_random_seed("command-observer");
   for (uint32_t samples = 1; samples <= CF_SAMPLES; samples += CF_SAMPLES - 1) {
      const uint64_t seed = cf_random_u64(&seeds) | 1;
      static struct watcher unwatched;
      const uint64_t normal =
         render((struct cf_model_config){ .threads = 1 }, samples, seed, &unwatched);
      for (int threads = 0; threads <= 3; threads++) {
         struct watcher *w = calloc(1, sizeof(*w));
         pthread_mutex_init(&w->lock, NULL);
         const struct cf_observer observer = { .user = w,
                                               .clear = watch_clear,
                                               .primitive = watch_primitive,
                                               .fragment = watch_fragment,
                                               .pixels = watch_pixels,
                                               .task_begin = watch_task_begin,
                                               .instruction = watch_instruction,
                                               .vertex_load = watch_load,
                                               .task_end = watch_task_end };
         const struct cf_model_config config = { .threads = threads,
                                                 .path = CF_PATH_PLAIN,
                                                 .observer = &observer };
         assert_true(render(config, samples, seed, w) == normal);
         for (enum cf_fate fate = 0; fate < CF_FATES; fate++)
            assert_true(w->fates[fate] > 0 || (fate == CF_FATE_COVERAGE && samples == 1));
         assert_true(w->begun > 0 && w->begun == w->ended && w->instructions > w->begun && w->loads > 0);
         assert_true(w->pixels > 0 && w->pixels < w->begun);
         assert_true(w->clears > 0 && w->drops[CF_DROP_BACK] > 0 && w->drops[CF_DROP_PLANE] > 0 &&
                     w->drops[CF_DROP_OUTSIDE] > 0);
         pthread_mutex_destroy(&w->lock);
         free(w);
      }
   }
}

/* ------------------------------------------------------------------ a part of the fragments */

static bool
wants_fragments(void *user, uint64_t draw)
{
   (void)user;
   return draw >> 3 & 1;
}

static bool
wants_tile(void *user, uint32_t tile_x, uint32_t tile_y)
{
   (void)user;
   return (tile_x + tile_y) % 2;
}

struct sum {
   uint64_t of; /* over fragments, of what stands before the colours in their events */
   bool chosen; /* all are reported: those of the first pixel of each quad, and of draws and tiles
                   that are wanted, are chosen from them */
};

static void
sum_fragment(void *user, const struct cf_fragment_event *e)
{
   struct sum *sum = user;
   uint64_t hash = e->draw;
   const uint64_t parts[] = { e->primitive, e->x_px, e->y_px,          e->sample,
                              e->front,     e->fate, cf_bits(e->depth) };
   for (uint32_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
      hash = (hash ^ parts[i]) * 0x9e3779b97f4a7c15u;
   if (!sum->chosen || (!((e->x_px | e->y_px) & 1) && wants_fragments(NULL, e->draw) &&
                        wants_tile(NULL, e->x_px / CF_TILE_PX, e->y_px / CF_TILE_PX)))
      sum->of += hash >> 8;
}

/* An observer that wants a part of the fragments, or a part of what is known of them, gets that. */
static void
a_part_of_the_fragments_is_reported(void **state)
{
   (void)state;
   struct cf_random seeds = cf_random_seed("command-observer part");
   for (uint32_t samples = 1; samples <= CF_SAMPLES; samples += CF_SAMPLES - 1) {
      const uint64_t seed = cf_random_u64(&seeds) | 1;
      struct sum sums[2] = { { .chosen = true } };
      for (uint32_t part = 0; part < 2; part++) {
         static struct watcher emitted;
         memset(&emitted, 0, sizeof(emitted));
         const struct cf_observer observer = { .user = &sums[part],
                                               .fragment = sum_fragment,
                                               .fragment_tasks = part,
                                               .wants_tile = part ? wants_tile : NULL,
                                               .wants_fragments = part ? wants_fragments : NULL,
                                               .fragment_pixels = part,
                                               .fragment_depths = part };
         render((struct cf_model_config){ .path = CF_PATH_PLAIN,
                                          .engine = part ? CF_ENGINE_AUTO : CF_ENGINE_INTERP,
                                          .observer = &observer },
                samples, seed, &emitted);
      }
      assert_true(sums[0].of != 0 && sums[0].of == sums[1].of);
   }
}

/* ------------------------------------------------------------------ indices and addresses */

#define INDICES 50
#define INDEX_BIAS 3
#define RESTART 0xffu

/* The state of the latest draw, by packets alone; elements that were shaded. */
struct fetching {
   const struct cf_memory *memory;
   struct cf_draw draw;
   struct cf_vertex_elements elements;
   uint32_t shaded[2][INDICES]; /* by instance and element */
   uint32_t loads[2];           /* by vertex element */
};

static void
fetch_packet(void *user, const struct cf_packet_event *e)
{
   struct fetching *f = user;
   const char *bad_field;
   f->memory = e->memory;
   if (e->dw[0] == (CF_OPCODE_DRAW | CF_DRAW_DWORDS << 16))
      assert_true(cf_draw_unpack(e->dw, &f->draw, &bad_field));
   if (e->dw[0] == (CF_OPCODE_VERTEX_ELEMENTS | CF_VERTEX_ELEMENTS_DWORDS << 16))
      assert_true(cf_vertex_elements_unpack(e->dw, &f->elements, &bad_field));
}

/* The index of an element, at its address. */
static uint32_t
index_at(const struct fetching *f, uint32_t element)
{
   uint32_t index = 0;
   const uint64_t address =
      f->draw.index_address + (uint64_t)f->draw.index_size_B * (f->draw.start + element);
   memcpy(&index, cf_memory_at(f->memory, address, f->draw.index_size_B), f->draw.index_size_B);
   return index;
}

static void
fetch_task(void *user, const struct cf_task_event *task)
{
   struct fetching *f = user;
   if (!task->vertex)
      return;
   for (uint32_t lanes = task->lanes; lanes; lanes &= lanes - 1) {
      const uint32_t lane = (uint32_t)__builtin_ctz(lanes),
                     index = index_at(f, task->element[lane]);
      assert_int_not_equal(index, RESTART);
      assert_int_equal(task->vertex[lane], index + INDEX_BIAS);
      assert_true(task->instance[lane] < 2 && task->element[lane] < INDICES);
      f->shaded[task->instance[lane]][task->element[lane]]++;
   }
}

/* Data are numbered: what lies at the load's address is what the vertex, or the instance, has. */
static void
fetch_load(void *user, const struct cf_task_event *task, const struct cf_vertex_load *load)
{
   struct fetching *f = user;
   struct cf_vertex_element element;
   const char *bad_field;
   float found[4];
   const uint64_t descriptor = f->elements.address + 4 * CF_VERTEX_ELEMENT_DWORDS * load->element;
   assert_true(cf_vertex_element_unpack(
      cf_memory_at(f->memory, descriptor, 4 * CF_VERTEX_ELEMENT_DWORDS), &element, &bad_field));
   memcpy(found, cf_memory_at(f->memory, element.address + load->offset_B, sizeof(found)),
          sizeof(found));
   assert_true(load->inside);
   assert_true(found[0] == (float)(load->element ? 1000 + task->instance[load->lane]
                                                 : task->vertex[load->lane]));
   f->loads[load->element]++;
}

/* Random indices of every size, some of them restarts, with a bias; one buffer by vertices, one by
 * instances. */
static void
emit_indexed_draw(struct test_gpu *t, uint32_t index_size_B, uint64_t *seed,
                  uint32_t index[INDICES])
{
   float data[2][20][4];
   uint8_t packed[(INDICES + 2) * 4];
   uint32_t dw[2 * CF_VERTEX_ELEMENT_DWORDS];
   for (uint32_t i = 0; i < 20; i++) {
      data[0][i][0] = (float)i;
      data[1][i][0] = (float)(1000 + i);
   }
   for (uint32_t i = 0; i < INDICES + 2; i++) {
      const uint32_t value = i % 13 == 9 ? RESTART : (uint32_t)test_random(seed) % 16;
      memcpy(packed + i * index_size_B, &value, index_size_B);
      if (i >= 2)
         index[i - 2] = value;
   }
   for (uint32_t i = 0; i < 2; i++)
      cf_vertex_element_pack(
         dw + i * CF_VERTEX_ELEMENT_DWORDS,
         &(struct cf_vertex_element){ .address = test_put(t, data[i], sizeof(data[i])),
                                      .size_B = sizeof(data[i]),
                                      .stride_B = sizeof(data[i][0]),
                                      .divisor = i,
                                      .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(t, vertex_elements, .count = 2, .address = test_put(t, dw, sizeof(dw)));
   EMIT(t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .index_size_B = index_size_B, .restart = true,
        .count = INDICES, .start = 2, .instances = 2, .index_bias = INDEX_BIAS,
        .restart_index = RESTART, .index_size_total_B = (INDICES + 2) * index_size_B,
        .index_address = test_put(t, packed, sizeof(packed)));
}

static void
indices_and_addresses_are_found(void **state)
{
   (void)state;
   struct cf_random seeds = cf_random_seed("command-observer indices");
   uint64_t seed = cf_random_u64(&seeds) | 1;
   for (uint32_t index_size_B = 1; index_size_B <= 4; index_size_B *= 2) {
      struct fetching f = { .memory = NULL };
      const struct cf_observer observer = {
         .user = &f, .packet = fetch_packet, .task_begin = fetch_task, .vertex_load = fetch_load
      };
      struct test_gpu t;
      struct test_surface color;
      uint32_t index[INDICES];
      test_gpu_open_on(&t, test_model_of((struct cf_model_config){ .path = CF_PATH_PLAIN,
                                                                   .observer = &observer }));
      test_surface_create(&t, &color, CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, true);
      test_emit_frame(&t, &color, NULL);
      emit_programs(&t);
      EMIT(&t, shader, .stage = CF_SHADER_STAGE_VERTEX,
           .program = test_program(
              &t, "sys v8, vertex_id\nldf v0, 0[v8]\nldf v4, 1[v8]\nout 0, v0\nout 1, v4\nend\n",
              (struct cf_program){ .stage = CF_SHADER_STAGE_VERTEX,
                                   .vector_regs = 9,
                                   .outputs = 12,
                                   .sysvals = 1u << CF_SYSVAL_VERTEX_ID }));
      emit_indexed_draw(&t, index_size_B, &seed, index);
      test_submit(&t);
      test_no_error(&t);
      for (uint32_t i = 0; i < 2 * INDICES; i++)
         assert_int_equal(f.shaded[i / INDICES][i % INDICES] > 0, index[i % INDICES] != RESTART);
      assert_true(f.loads[0] > INDICES && f.loads[0] == f.loads[1]);
      test_surface_free(&t, &color);
      test_gpu_close(&t);
   }
}

/* Shortcuts and compiled code are not watched. */
static void
only_the_plain_path_is_watched(void **state)
{
   (void)state;
   const struct cf_observer observer = { NULL };
   const struct cf_model_config wrong[] = {
      { .observer = &observer },
      { .observer = &observer, .path = CF_PATH_PLAIN, .engine = CF_ENGINE_AUTO },
      { .observer = &observer, .path = CF_PATH_PLAIN, .engine = CF_ENGINE_JIT },
   };
   const char *error = NULL;
   for (uint32_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
      assert_null(cf_model_create(&wrong[i], &error));
      assert_non_null(error);
   }
   struct cf_gpu *gpu = cf_model_create(
      &(struct cf_model_config){ .observer = &observer, .path = CF_PATH_PLAIN }, &error);
   assert_non_null(gpu); /* one that wants to know nothing is no mistake */
   gpu->ops->destroy(gpu);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_make_the_picture),
      cmocka_unit_test(a_part_of_the_fragments_is_reported),
      cmocka_unit_test(indices_and_addresses_are_found),
      cmocka_unit_test(only_the_plain_path_is_watched),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
