/* SPDX-License-Identifier: MIT */
/*
 * Transfer events: all images and buffers are rebuilt from the events of transfers and of the
 * clears between them, and compared with memory. Each event comes when its transfer is executed.
 *
 * Touch events: the memory that a copy leaves is rebuilt from its touches and the tile states
 * before it. Tile states are set to values that contradict memory, so that a pixel shows whether
 * the copy took it from the state (CF_TOUCH_KNOWN) or from memory (CF_TOUCH_READ).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/command/test_gpu.h"
#include "clipfree/memory/cf_mipmap.h"

#define WIDTH 150
#define HEIGHT 140

static struct cf_gpu *
watched_model(int threads, const struct cf_observer *observer)
{
   return test_model_of(
      (struct cf_model_config){ .threads = threads, .path = CF_PATH_PLAIN, .observer = observer });
}

/* ------------------------------------------------------------------ transfers */

#define BUFFER_B (700u << 10) /* more than a slice */
#define ROUNDS 120
#define KINDS 8

/* Images by number: four that may be copied to each other, then those of mipmaps. */
enum { COLOR, SAMPLES, LINEAR, ZS, ZS_LINEAR, SECOND, SMALLER, IMAGES };

/* What all images and the buffer hold by the events of transfers and clears alone. */
struct shadow {
   uint64_t address[IMAGES]; /* GPU address of the pixels */
   uint32_t width_px[IMAGES], height_px[IMAGES], samples[IMAGES];
   uint32_t pixel[IMAGES][HEIGHT][WIDTH][CF_SAMPLES];
   uint64_t buffer; /* its address */
   uint8_t bytes[BUFFER_B];
   uint64_t reported[256]; /* number of events of transfers and clears, by opcode */
   bool open;            /* a submission has begun, and not ended */
   pthread_mutex_t lock; /* tiles come from any thread */
};

static uint32_t
image_of(const struct shadow *s, const struct cf_surface *surface)
{
   for (uint32_t i = 0; i < IMAGES; i++) {
      if (s->address[i] == surface->address) {
         assert_int_equal(s->width_px[i], surface->width_px);
         assert_int_equal(s->height_px[i], surface->height_px);
         assert_int_equal(s->samples[i], surface->samples > 1 ? surface->samples : 1);
         return i;
      }
   }
   fail_msg("no image is at 0x%llx", (unsigned long long)surface->address);
   return 0;
}

/* Of four unorm channels, halves up. */
static uint32_t
average(const uint32_t pixel[CF_SAMPLES])
{
   uint32_t result = 0;
   for (uint32_t shift = 0; shift < 32; shift += 8) {
      uint32_t sum = 2;
      for (uint32_t i = 0; i < CF_SAMPLES; i++)
         sum += pixel[i] >> shift & 255;
      result |= sum / 4 << shift;
   }
   return result;
}

/* A pixel of `from` becomes one of `to`, under a mask. */
static void
move_pixel(const struct shadow *s, uint32_t from, const uint32_t source[CF_SAMPLES], uint32_t to,
           uint32_t destination[CF_SAMPLES], const uint32_t mask[4])
{
   for (uint32_t i = 0; i < s->samples[to]; i++) {
      const uint32_t value = s->samples[from] == s->samples[to] ? source[i]
                             : s->samples[from] == 1            ? source[0]
                                                                : average(source);
      destination[i] = (destination[i] & ~mask[0]) | (value & mask[0]);
   }
}

/* Copies and gathers, from pixels as they were before. */
static void
redo_copy(struct shadow *s, const struct cf_transfer_event *e)
{
   const uint32_t from = image_of(s, &e->source), to = image_of(s, &e->destination);
   static uint32_t before[HEIGHT][WIDTH][CF_SAMPLES];
   memcpy(before, s->pixel[from], sizeof(before));
   for (uint32_t y = 0; y < e->to.max_y_px - e->to.min_y_px; y++) {
      for (uint32_t x = 0; x < e->to.max_x_px - e->to.min_x_px; x++) {
         const bool gather = e->kind == CF_OPCODE_GATHER;
         const uint32_t *source = gather ? before[e->rows[y]][e->columns[x]]
                                         : before[e->from.min_y_px + y][e->from.min_x_px + x];
         move_pixel(s, from, source, to, s->pixel[to][e->to.min_y_px + y][e->to.min_x_px + x],
                    e->mask);
      }
   }
   if (e->kind == CF_OPCODE_COPY) {
      assert_int_equal(e->from.max_x_px - e->from.min_x_px, e->to.max_x_px - e->to.min_x_px);
      assert_int_equal(e->from.max_y_px - e->from.min_y_px, e->to.max_y_px - e->to.min_y_px);
   }
}

/* The shadow's pixels of an image of one sample, in rows. */
static struct cf_image
rows_of(const struct shadow *s, uint32_t image, uint32_t *pixels)
{
   for (uint32_t y = 0; y < s->height_px[image]; y++) {
      for (uint32_t x = 0; x < s->width_px[image]; x++)
         pixels[y * WIDTH + x] = s->pixel[image][y][x][0];
   }
   return (struct cf_image){ .data = (uint8_t *)pixels,
                             .format = cf_format_info_of(CF_FORMAT_R8G8B8A8_UNORM),
                             .width_px = s->width_px[image],
                             .height_px = s->height_px[image],
                             .row_pitch_B = 4 * WIDTH,
                             .samples = 1 };
}

static void
redo_reduction(struct shadow *s, const struct cf_transfer_event *e)
{
   static uint32_t pixels[3][HEIGHT * WIDTH];
   const uint32_t to = image_of(s, &e->destination);
   const struct cf_image source = rows_of(s, image_of(s, &e->source), pixels[0]),
                         second = e->second.address ? rows_of(s, image_of(s, &e->second), pixels[1])
                                                    : source,
                         made = rows_of(s, to, pixels[2]);
   assert_int_equal(e->to.max_x_px, made.width_px);
   assert_int_equal(e->to.max_y_px, made.height_px);
   cf_mipmap_ops_base.reduce(&source, e->second.address ? &second : NULL, &made, 0, made.height_px);
   for (uint32_t y = 0; y < made.height_px; y++) {
      for (uint32_t x = 0; x < made.width_px; x++)
         s->pixel[to][y][x][0] = pixels[2][y * WIDTH + x];
   }
}

static void
redo(void *user, const struct cf_transfer_event *e)
{
   struct shadow *s = user;
   uint8_t *to = s->bytes + (e->destination_B - s->buffer);
   assert_true(e->packet != 0 && s->open);
   s->reported[e->kind]++;
   switch (e->kind) {
   case CF_OPCODE_COPY:
   case CF_OPCODE_GATHER:
      redo_copy(s, e);
      break;
   case CF_OPCODE_REDUCE:
      redo_reduction(s, e);
      break;
   case CF_OPCODE_INVALIDATE:
      memset(s->pixel[image_of(s, &e->destination)], 0xee, sizeof(s->pixel[0])); /* anything */
      break;
   case CF_OPCODE_COPY_BUFFER:
      memmove(to, s->bytes + (e->source_B - s->buffer), e->size_B);
      break;
   case CF_OPCODE_FILL_BUFFER:
      for (uint32_t i = 0; i < e->size_B; i += 4)
         memcpy(to + i, &e->value, 4);
      break;
   default:
      assert_int_equal(e->kind, CF_OPCODE_RESOLVE);
      image_of(s, &e->destination);
   }
}

/* Of COLOR and ZS. */
static void
redo_clear(void *user, const struct cf_clear_event *e)
{
   static const uint32_t images[] = { [0] = COLOR, [CF_MAX_COLOR_TARGETS] = ZS };
   struct shadow *s = user;
   pthread_mutex_lock(&s->lock);
   assert_true(s->open);
   for (uint32_t i = 0; i <= CF_MAX_COLOR_TARGETS; i += CF_MAX_COLOR_TARGETS) {
      for (uint32_t y = e->min_y_px; e->images >> i & 1 && y < e->max_y_px; y++) {
         for (uint32_t x = e->min_x_px; x < e->max_x_px; x++) {
            uint32_t *pixel = s->pixel[images[i]][y][x];
            *pixel = (*pixel & ~e->mask[i][0]) | (e->value[i][0] & e->mask[i][0]);
         }
      }
   }
   s->reported[CF_OPCODE_CLEAR]++;
   pthread_mutex_unlock(&s->lock);
}

static void
open_submission(void *user, const struct cf_submission_event *e)
{
   struct shadow *s = user;
   assert_false(s->open);
   s->open = true;
}

static void
close_submission(void *user, const struct cf_submission_event *e)
{
   struct shadow *s = user;
   assert_true(s->open);
   s->open = false;
}

struct scene {
   struct test_gpu t;
   struct test_surface image[IMAGES];
   struct cf_bo buffer;
};

/* Random pixels; some tiles have a clear that is pending in all of its bits or in some. */
static void
fill_image(struct test_surface *image, uint64_t *seed)
{
   const uint32_t size_B =
      image->image.row_pitch_B *
      (image->image.blocks ? (image->image.height_px + 3) / 4 : image->image.height_px);
   for (uint32_t i = 0; i < size_B / 4; i++)
      ((uint32_t *)image->bo.map)[i] = (uint32_t)test_random(seed);
   if (!image->image.tiles)
      return;
   const uint32_t tiles = image->image.tiles_per_row * ((image->image.height_px + 63) / 64);
   for (uint32_t i = 0; i < tiles; i++) {
      const uint32_t bits = i % 3 == 0 ? UINT32_MAX : i % 3 == 1 ? 0xffffff : 0;
      image->image.tiles[i] = (struct cf_tile_state){
         .value = { (uint32_t)test_random(seed) & bits }, .known = { bits }, .pending = { bits }
      };
   }
}

static void
scene_open(struct scene *s, struct cf_gpu *gpu, uint64_t seed)
{
   static const struct {
      enum cf_format format;
      uint32_t width_px, height_px, samples;
      bool linear;
   } kinds[IMAGES] = {
      [COLOR] = { CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, 1, false },
      [SAMPLES] = { CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, CF_SAMPLES, false },
      [LINEAR] = { CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, 1, true },
      [ZS] = { CF_FORMAT_Z24_UNORM_S8_UINT, WIDTH, HEIGHT, 1, false },
      [ZS_LINEAR] = { CF_FORMAT_Z24_UNORM_S8_UINT, WIDTH, HEIGHT, 1, true },
      [SECOND] = { CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, 1, false },
      [SMALLER] = { CF_FORMAT_R8G8B8A8_UNORM, WIDTH / 2, HEIGHT / 2, 1, false },
   };
   test_gpu_open_on(&s->t, gpu);
   for (uint32_t i = 0; i < IMAGES; i++) {
      if (kinds[i].linear)
         test_surface_create(&s->t, &s->image[i], kinds[i].format, kinds[i].width_px,
                             kinds[i].height_px, false);
      else
         test_surface_create_samples(&s->t, &s->image[i], kinds[i].format, kinds[i].width_px,
                                     kinds[i].height_px, kinds[i].samples);
      fill_image(&s->image[i], &seed);
   }
   assert_true(s->t.gpu->ops->bo_alloc(s->t.gpu, BUFFER_B, &s->buffer));
   for (uint32_t i = 0; i < BUFFER_B; i++)
      ((uint8_t *)s->buffer.map)[i] = (uint8_t)test_random(&seed);
}

static void
scene_close(struct scene *s)
{
   for (uint32_t i = 0; i < IMAGES; i++)
      test_surface_free(&s->t, &s->image[i]);
   s->t.gpu->ops->bo_free(s->t.gpu, &s->buffer);
   test_gpu_close(&s->t);
}

/* What is in the scene, pending clears seen. */
static void
look(const struct scene *s, struct shadow *shadow)
{
   for (uint32_t i = 0; i < IMAGES; i++) {
      const struct cf_image *image = &s->image[i].image;
      shadow->address[i] = s->image[i].bo.address;
      shadow->width_px[i] = image->width_px;
      shadow->height_px[i] = image->height_px;
      shadow->samples[i] = cf_image_samples(image);
      for (uint32_t at = 0; at < image->width_px * image->height_px * shadow->samples[i]; at++) {
         const uint32_t sample = at % shadow->samples[i], pixel = at / shadow->samples[i],
                        x = pixel % image->width_px, y = pixel / image->width_px;
         shadow->pixel[i][y][x][sample] = test_surface_sample(&s->image[i], x, y, sample);
      }
   }
   shadow->buffer = s->buffer.address;
   memcpy(shadow->bytes, s->buffer.map, BUFFER_B);
}

/* A rectangle in an image of WIDTH x HEIGHT that may be moved to another place in it. */
struct place {
   uint32_t x_px, y_px, to_x_px, to_y_px, width_px, height_px;
};

static struct place
random_place(uint64_t *seed)
{
   const uint32_t kind = test_random(seed) % 4;
   struct place p = { .width_px = WIDTH, .height_px = HEIGHT };
   if (kind == 0)
      return p;
   p.width_px = kind == 1 ? CF_TILE_PX : 1 + test_random(seed) % WIDTH;
   p.height_px = kind == 1 ? CF_TILE_PX : 1 + test_random(seed) % HEIGHT;
   p.x_px = test_random(seed) % (WIDTH - p.width_px + 1) & (kind == 1 ? ~63u : ~0u);
   p.y_px = test_random(seed) % (HEIGHT - p.height_px + 1) & (kind == 1 ? ~63u : ~0u);
   p.to_x_px = kind == 1 ? p.x_px : test_random(seed) % (WIDTH - p.width_px + 1);
   p.to_y_px = kind == 1 ? p.y_px : test_random(seed) % (HEIGHT - p.height_px + 1);
   return p;
}

static void
emit_copy(struct scene *s, uint64_t *seed)
{
   uint32_t from = test_random(seed) % (ZS_LINEAR + 1), to = test_random(seed) % (ZS_LINEAR + 1);
   enum cf_copy_part part = CF_COPY_PART_ALL;
   if (test_random(seed) % 4 == 0) {
      from = ZS + test_random(seed) % 2;
      to = ZS + test_random(seed) % 2;
      part = CF_COPY_PART_DEPTH + test_random(seed) % 2;
   }
   const struct place p = random_place(seed);
   EMIT(&s->t, copy, .source = s->image[from].address, .destination = s->image[to].address,
        .source_x_px = p.x_px, .source_y_px = p.y_px, .destination_x_px = p.to_x_px,
        .destination_y_px = p.to_y_px, .width_px = p.width_px, .height_px = p.height_px,
        .part = part);
}

static void
emit_gather(struct scene *s, uint64_t *seed)
{
   static const uint32_t sources[] = { COLOR, LINEAR, ZS };
   const struct place p = random_place(seed);
   uint32_t columns[WIDTH], rows[HEIGHT];
   for (uint32_t i = 0; i < p.width_px; i++)
      columns[i] = test_random(seed) % WIDTH;
   for (uint32_t i = 0; i < p.height_px; i++)
      rows[i] = test_random(seed) % HEIGHT;
   const uint64_t columns_address = test_put(&s->t, columns, sizeof(columns));
   EMIT(&s->t, gather, .source = s->image[sources[test_random(seed) % 3]].address,
        .destination = s->image[SECOND].address, .columns = columns_address,
        .rows = test_put(&s->t, rows, sizeof(rows)), .destination_x_px = p.to_x_px,
        .destination_y_px = p.to_y_px, .width_px = p.width_px, .height_px = p.height_px);
}

static void
emit_buffers(struct scene *s, uint64_t *seed, bool fill)
{
   const uint32_t size_B = (uint32_t)test_random(seed) % (BUFFER_B / 2) & ~3u;
   const uint64_t from = s->buffer.address + test_random(seed) % (BUFFER_B - size_B),
                  to = s->buffer.address + (test_random(seed) % (BUFFER_B - size_B) & ~(uint64_t)3);
   if (fill)
      EMIT(&s->t, fill_buffer, .destination = to, .size_B = size_B,
           .value = (uint32_t)test_random(seed));
   else
      EMIT(&s->t, copy_buffer, .source = from, .destination = to, .size_B = size_B);
}

static void
emit_clear(struct scene *s, uint64_t *seed)
{
   const struct place p = random_place(seed);
   test_emit_frame(&s->t, &s->image[COLOR], &s->image[ZS]);
   EMIT(&s->t, clear, .colors = 1, .color = { 0x3f800000, test_random(seed) % 2 ? 0x3f000000 : 0 },
        .color_preserved = (uint32_t)test_random(seed) % 16, .depth = test_random(seed) % 2,
        .depth_value = 0.25f, .stencil = true, .stencil_value = (uint32_t)test_random(seed) % 256,
        .stencil_write_mask = 0x3f, .min_x_px = p.to_x_px, .min_y_px = p.to_y_px,
        .max_x_px = p.to_x_px + p.width_px, .max_y_px = p.to_y_px + p.height_px);
}

/* Of every kind in turn. What is invalidated is written anew. */
static void
emit_transfer(struct scene *s, uint64_t *seed, uint32_t kind)
{
   const uint32_t image = test_random(seed) % IMAGES;
   switch (kind) {
   case 0:
      emit_copy(s, seed);
      break;
   case 1:
      emit_gather(s, seed);
      break;
   case 2:
      EMIT(&s->t, reduce, .source = s->image[COLOR].address,
           .second = test_random(seed) % 2 ? s->image[SECOND].address : 0,
           .destination = s->image[SMALLER].address);
      break;
   case 3:
      EMIT(&s->t, resolve, .surface = s->image[image].address);
      break;
   case 4:
      EMIT(&s->t, invalidate, .surface = s->image[SAMPLES].address);
      EMIT(&s->t, copy, .source = s->image[LINEAR].address,
           .destination = s->image[SAMPLES].address, .width_px = WIDTH, .height_px = HEIGHT);
      break;
   case 5: /* clears are still being done when it is launched */
      emit_clear(s, seed);
      emit_copy(s, seed);
      break;
   default:
      emit_buffers(s, seed, kind == 6);
   }
}

/* All of them in some submissions; then what is there. */
static void
run_transfers(struct scene *s, uint64_t seed)
{
   for (uint32_t i = 0; i < ROUNDS; i++) {
      emit_transfer(s, &seed, i % KINDS);
      if (i % 37 == 36)
         test_submit(&s->t);
   }
   test_submit(&s->t);
   test_no_error(&s->t);
}

static void
transfers_are_redone(void **state)
{
   (void)state;
   static const enum cf_opcode kinds[] = { CF_OPCODE_GATHER,      CF_OPCODE_REDUCE,
                                           CF_OPCODE_RESOLVE,     CF_OPCODE_INVALIDATE,
                                           CF_OPCODE_COPY_BUFFER, CF_OPCODE_FILL_BUFFER };
   struct cf_random seeds = cf_random_seed("command-watched-transfers");
   const uint64_t content = cf_random_u64(&seeds) | 1, seed = cf_random_u64(&seeds) | 1;
   struct shadow *shadow = calloc(1, sizeof(*shadow)), *found = calloc(1, sizeof(*found)),
                 *alone = calloc(1, sizeof(*alone));
   struct scene s;
   scene_open(&s, test_model_of((struct cf_model_config){ .path = CF_PATH_PLAIN }), content);
   run_transfers(&s, seed);
   look(&s, alone);
   scene_close(&s);
   for (int threads = 0; threads <= 3; threads++) {
      memset(shadow, 0, sizeof(*shadow));
      const struct cf_observer observer = { .user = shadow,
                                            .submission_begin = open_submission,
                                            .transfer = redo,
                                            .clear = redo_clear,
                                            .submission_end = close_submission };
      pthread_mutex_init(&shadow->lock, NULL);
      scene_open(&s, watched_model(threads, &observer), content);
      look(&s, shadow);
      run_transfers(&s, seed);
      look(&s, found);
      assert_memory_equal(shadow->pixel, found->pixel, sizeof(found->pixel));
      assert_memory_equal(shadow->bytes, found->bytes, BUFFER_B);
      assert_memory_equal(alone->pixel, found->pixel, sizeof(found->pixel));
      assert_memory_equal(alone->bytes, found->bytes, BUFFER_B);
      for (uint32_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
         assert_int_equal(shadow->reported[kinds[i]], ROUNDS / KINDS);
      assert_true(shadow->reported[CF_OPCODE_COPY] >= ROUNDS / KINDS &&
                  shadow->reported[CF_OPCODE_CLEAR] > 0);
      assert_false(shadow->open);
      pthread_mutex_destroy(&shadow->lock);
      scene_close(&s);
   }
   free(shadow);
   free(found);
   free(alone);
}

/* ------------------------------------------------------------------ touches */

#define COPIES 400

/* Memory of two images, as touches say it is changed, and their states before the copy. */
struct touched {
   uint64_t address[2]; /* of source and destination */
   uint32_t memory[2][HEIGHT][WIDTH];
   struct cf_tile_state state[2][9];
   const struct cf_image *image[2];
   bool is_piece; /* the event before was of the source: this is what is written from it */
   struct cf_touch_event from;
   uint32_t covered[HEIGHT][WIDTH]; /* how often a pixel of the destination was a piece's */
   uint64_t reported[CF_TOUCHES], pending;
};

static const struct cf_tile_state *
state_at(const struct touched *t, uint32_t image, uint32_t x_px, uint32_t y_px)
{
   return &t->state[image][y_px / 64 * 3 + x_px / 64];
}

/* A tile whose clear is pending; all that is known is written where that is all of a pixel. */
static void
write_pending(struct touched *t, uint32_t image, const struct cf_rect *r)
{
   struct cf_tile_state *state = &t->state[image][r->min_y_px / 64 * 3 + r->min_x_px / 64];
   const uint32_t bits = state->known[0] == UINT32_MAX ? UINT32_MAX : state->pending[0];
   assert_true(state->pending[0] != 0 && r->min_x_px % 64 == 0 && r->min_y_px % 64 == 0);
   for (uint32_t y = r->min_y_px; y < r->max_y_px; y++) {
      for (uint32_t x = r->min_x_px; x < r->max_x_px; x++)
         t->memory[image][y][x] = (t->memory[image][y][x] & ~bits) | (state->value[0] & bits);
   }
   state->pending[0] = 0;
   t->pending++;
}

/* A piece of the destination, from the source's of the event before. */
static void
write_piece(struct touched *t, const struct cf_touch_event *e)
{
   const struct cf_rect *r = &e->pixels, *from = &t->from.pixels;
   assert_int_equal(r->max_x_px - r->min_x_px, from->max_x_px - from->min_x_px);
   assert_int_equal(r->max_y_px - r->min_y_px, from->max_y_px - from->min_y_px);
   for (uint32_t y = r->min_y_px; y < r->max_y_px; y++) {
      for (uint32_t x = r->min_x_px; x < r->max_x_px; x++) {
         const uint32_t from_x = from->min_x_px + x - r->min_x_px,
                        from_y = from->min_y_px + y - r->min_y_px;
         t->covered[y][x]++;
         if (e->touch == CF_TOUCH_WRITTEN)
            t->memory[1][y][x] = t->from.touch == CF_TOUCH_KNOWN
                                    ? state_at(t, 0, from_x, from_y)->value[0]
                                    : t->memory[0][from_y][from_x];
      }
   }
}

static void
watch_touch(void *user, const struct cf_touch_event *e)
{
   struct touched *t = user;
   t->reported[e->touch]++;
   const bool is_source = e->touch == CF_TOUCH_READ || e->touch == CF_TOUCH_KNOWN;
   if (t->is_piece) {
      assert_true(!is_source && e->surface == t->address[1]);
      write_piece(t, e);
   } else if (is_source) {
      assert_true(e->surface == t->address[0]);
      t->from = *e;
   } else {
      assert_int_equal(e->touch, CF_TOUCH_WRITTEN);
      assert_true(e->surface == t->address[0] || e->surface == t->address[1]);
      write_pending(t, e->surface == t->address[1], &e->pixels);
   }
   t->is_piece = is_source;
}

/* Memory that is unlike at every pixel, and states that say something else. */
static void
contradict(struct test_surface *image, struct touched *t, uint32_t number, uint64_t *seed)
{
   static const uint32_t values[] = { 0x11111111, 0x22222222 };
   t->address[number] = image->bo.address;
   for (uint32_t i = 0; image->image.tiles && i < 9; i++) {
      const uint32_t kind = test_random(seed) % 5, value = values[test_random(seed) % 8 == 0];
      const uint32_t known = kind == 0 ? 0 : kind == 1 ? 0xffff : UINT32_MAX;
      const uint32_t pending = kind == 1 || kind == 2 ? known : kind == 3 ? 0xff : 0;
      image->image.tiles[i] = (struct cf_tile_state){ .value = { value & known },
                                                      .known = { known },
                                                      .pending = { pending } };
   }
   for (uint32_t i = 0; i < 9; i++)
      t->state[number][i] =
         image->image.tiles ? image->image.tiles[i] : (struct cf_tile_state){ 0 };
   for (uint32_t y = 0; y < HEIGHT; y++) {
      for (uint32_t x = 0; x < WIDTH; x++) {
         const uint32_t pixel = 0x80000000u | number << 24 | y << 8 | x;
         memcpy(image->image.data + cf_image_offset_B(&image->image, x, y), &pixel, 4);
         t->memory[number][y][x] = pixel;
      }
   }
}

static void
check_memory(const struct test_surface *image, const struct touched *t, uint32_t number)
{
   for (uint32_t y = 0; y < HEIGHT; y++) {
      for (uint32_t x = 0; x < WIDTH; x++) {
         uint32_t pixel;
         memcpy(&pixel, image->image.data + cf_image_offset_B(&image->image, x, y), 4);
         assert_int_equal(pixel, t->memory[number][y][x]);
      }
   }
}

/* Copies between images with states and without, of all pixels, of tiles, of anything. */
static void
touches_are_what_is_done(void **state)
{
   (void)state;
   struct cf_random seeds = cf_random_seed("command-watched-touches");
   struct touched *t = calloc(1, sizeof(*t));
   const struct cf_observer observer = { .user = t, .touch = watch_touch };
   struct test_surface image[3];
   struct test_gpu gpu;
   uint64_t seed = 1; /* touches of each kind are counted */
   test_gpu_open_on(&gpu, watched_model(2, &observer));
   for (uint32_t i = 0; i < 3; i++)
      test_surface_create(&gpu, &image[i], CF_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, i < 2);
   for (uint32_t i = 0; i < COPIES; i++) {
      const uint32_t to = i % 4 == 0 ? 2 : 1, from = i % 4 == 1 ? 2 : 0;
      seed = i == COPIES / 2 ? cf_random_u64(&seeds) | 1 : seed;
      const struct place p = random_place(&seed);
      contradict(&image[from], t, 0, &seed);
      contradict(&image[to], t, 1, &seed);
      memset(t->covered, 0, sizeof(t->covered));
      EMIT(&gpu, copy, .source = image[from].address, .destination = image[to].address,
           .source_x_px = p.x_px, .source_y_px = p.y_px, .destination_x_px = p.to_x_px,
           .destination_y_px = p.to_y_px, .width_px = p.width_px, .height_px = p.height_px);
      test_submit(&gpu);
      check_memory(&image[from], t, 0);
      check_memory(&image[to], t, 1);
      for (uint32_t y = 0; y < HEIGHT; y++) {
         for (uint32_t x = 0; x < WIDTH; x++)
            assert_int_equal(t->covered[y][x],
                             x - p.to_x_px < p.width_px && y - p.to_y_px < p.height_px);
      }
      for (enum cf_touch touch = 0; i == COPIES / 2 - 1 && touch < CF_TOUCHES; touch++)
         assert_true(t->reported[touch] > 0 && t->pending > 0);
   }
   for (uint32_t i = 0; i < 3; i++)
      test_surface_free(&gpu, &image[i]);
   test_gpu_close(&gpu);
   free(t);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(transfers_are_redone),
      cmocka_unit_test(touches_are_what_is_done),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
