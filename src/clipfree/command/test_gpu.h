/* SPDX-License-Identifier: MIT */
/*
 * For tests: a GPU, memory in it, and command buffers written by hand.
 */
#ifndef CF_TEST_GPU_H
#define CF_TEST_GPU_H

#include "clipfree/base/cf_lanes.h"
#include "clipfree/command/cf_model.h"
#include "clipfree/interface/cf_packets.h"
#include "clipfree/memory/cf_surface.h"
#include "clipfree/texture/test_linear_texture.h"

struct test_gpu {
   struct cf_gpu *gpu;
   struct cf_bo heap; /* programs, descriptors, vertices: only ever grows */
   size_t heap_used_B;
   struct cf_bo commands;
   uint32_t *dw;
   uint32_t count; /* dwords of the command buffer so far */
};

struct test_surface {
   struct cf_bo bo, tiles;
   uint64_t address;      /* of the struct surface */
   struct cf_image image; /* as the host sees it */
};

/** The watchdog is set to 2^18 instructions. Aborts on failure, as all functions here. */
void test_gpu_open(struct test_gpu *t, int threads);
/** The same with a given GPU, which `t` then owns. */
void test_gpu_open_on(struct test_gpu *t, struct cf_gpu *gpu);
struct cf_gpu *test_model(int threads, enum cf_host_level level);
/** config.max_task_instrs 0: as above. */
struct cf_gpu *test_model_of(struct cf_model_config config);
void test_gpu_close(struct test_gpu *t);

/** GPU address of a copy of data in the heap. */
uint64_t test_put(struct test_gpu *t, const void *data, size_t size_B);

/** A surface: in blocks with tile states, or linear without. */
void test_surface_create(struct test_gpu *t, struct test_surface *s, enum cf_format format,
                         uint32_t width_px, uint32_t height_px, bool blocks);
/** A surface in blocks with tile states, of 1 or CF_SAMPLES samples a pixel. */
void test_surface_create_samples(struct test_gpu *t, struct test_surface *s, enum cf_format format,
                                 uint32_t width_px, uint32_t height_px, uint32_t samples);
void test_surface_free(struct test_gpu *t, struct test_surface *s);
/** First 32 bits of a pixel (sample 0), with pending clears applied. */
uint32_t test_surface_pixel(const struct test_surface *s, uint32_t x_px, uint32_t y_px);
uint32_t test_surface_sample(const struct test_surface *s, uint32_t x_px, uint32_t y_px,
                             uint32_t sample);

/** Assemble a program and put it with its descriptor; `info`: the descriptor's fields that the text
 * does not determine. Returns the descriptor's address. */
uint64_t test_program(struct test_gpu *t, const char *text, struct cf_program info);
/** A vertex program: position and varying slot 0 are element 0, by vertex_id. Returns the
 * descriptor's address. */
uint64_t test_positions_program(struct test_gpu *t);
/** Emit that program and its link. */
void test_emit_positions(struct test_gpu *t);
/** A fragment program whose colour is the first four varyings, smooth. Returns the descriptor's
 * address. */
uint64_t test_varyings_program(struct test_gpu *t);

/** A fragment program of two varyings, whose fragments are killed where the first is below 0.5. */
extern const char test_kill_text[];

/** GPU address of the packed descriptor. */
uint64_t test_put_texture(struct test_gpu *t, const struct cf_texture *texture);

/** Append a packet: EMIT(t, draw, .prim = CF_PRIM_KIND_TRIANGLES, ...). */
#define EMIT(t, type, ...)                                                                         \
   do {                                                                                            \
      const struct cf_##type packet_ = { __VA_ARGS__ };                                            \
      cf_##type##_pack((t)->dw + (t)->count, &packet_);                                            \
      (t)->count += ((t)->dw[(t)->count] >> 16);                                                   \
   } while (0)

/** Frame buffer (of as many samples as `color` has), viewport and scissor of that size, all writes
 * on, no tests. `zs` may be NULL. */
void test_emit_frame(struct test_gpu *t, const struct test_surface *color,
                     const struct test_surface *zs);

/** Free both, and close the GPU. */
void test_frame_close(struct test_gpu *t, struct test_surface *color, struct test_surface *zs);

/** Add the end packet, submit, wait, begin an empty command buffer. */
void test_submit(struct test_gpu *t);

/** Fails, with the GPU's error text, if a submission was malformed. */
void test_no_error(struct test_gpu *t);

/** xorshift64*. */
uint64_t test_random(uint64_t *state);
/** Below n. */
uint32_t test_below(uint64_t *state, uint32_t n);
/** In [low, high). */
float test_random_float(uint64_t *state, float low, float high);

#endif
