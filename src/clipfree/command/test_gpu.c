/* SPDX-License-Identifier: MIT */
#include "clipfree/command/test_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/isa/cf_asm.h"
#include "clipfree/isa/cf_isa.h"

#define HEAP_B (32u << 20)
#define COMMANDS_B (8u << 20)

static void
check(bool ok, const char *what)
{
   if (ok)
      return;
   fprintf(stderr, "test set-up failed: %s\n", what);
   abort();
}

struct cf_gpu *
test_model_of(struct cf_model_config config)
{
   const char *error;
   config.max_task_instrs = config.max_task_instrs ? config.max_task_instrs : 1 << 18;
   struct cf_gpu *gpu = cf_model_create(&config, &error);
   check(gpu, error);
   return gpu;
}

struct cf_gpu *
test_model(int threads, enum cf_host_level level)
{
   return test_model_of((struct cf_model_config){ .threads = threads, .host_level = 1 + level });
}

void
test_gpu_open(struct test_gpu *t, int threads)
{
   test_gpu_open_on(t, test_model(threads, cf_host_level()));
}

void
test_gpu_open_on(struct test_gpu *t, struct cf_gpu *gpu)
{
   *t = (struct test_gpu){ .gpu = gpu };
   check(t->gpu->ops->bo_alloc(t->gpu, HEAP_B, &t->heap), "heap");
   check(t->gpu->ops->bo_alloc(t->gpu, COMMANDS_B, &t->commands), "command buffer");
   t->dw = t->commands.map;
}

void
test_gpu_close(struct test_gpu *t)
{
   t->gpu->ops->destroy(t->gpu);
}

uint64_t
test_put(struct test_gpu *t, const void *data, size_t size_B)
{
   check(t->heap_used_B + size_B <= HEAP_B, "heap is full");
   const uint64_t address = t->heap.address + t->heap_used_B;
   memcpy((uint8_t *)t->heap.map + t->heap_used_B, data, size_B);
   t->heap_used_B = (t->heap_used_B + size_B + 63) & ~(size_t)63;
   return address;
}

static void
surface_create(struct test_gpu *t, struct test_surface *s, enum cf_format format, uint32_t width_px,
               uint32_t height_px, bool blocks, uint32_t samples)
{
   const struct cf_format_info *info = cf_format_info_of(format);
   const uint32_t tiles_x = (width_px + 63) / 64, tiles_y = (height_px + 63) / 64;
   *s = (struct test_surface){ 0 };
   struct cf_surface surface = {
      .width_px = width_px, .height_px = height_px, .format = format, .samples = samples
   };
   surface.layout = blocks ? CF_LAYOUT_BLOCKS : CF_LAYOUT_LINEAR;
   surface.row_pitch_B = (blocks ? (width_px + 3) / 4 * 16 : width_px) * info->pixel_B * samples;
   surface.size_B = surface.row_pitch_B * (blocks ? (height_px + 3) / 4 : height_px);
   check(t->gpu->ops->bo_alloc(t->gpu, surface.size_B, &s->bo), "surface");
   surface.address = s->bo.address;
   if (blocks) {
      check(
         t->gpu->ops->bo_alloc(t->gpu, tiles_x * tiles_y * sizeof(struct cf_tile_state), &s->tiles),
         "tile states");
      surface.tile_state = s->tiles.address;
   }
   uint32_t dw[CF_SURFACE_DWORDS];
   cf_surface_pack(dw, &surface);
   s->address = test_put(t, dw, sizeof(dw));
   s->image = (struct cf_image){
      .data = s->bo.map,
      .format = info,
      .width_px = width_px,
      .height_px = height_px,
      .row_pitch_B = surface.row_pitch_B,
      .blocks = blocks,
      .samples = samples,
      .tiles = s->tiles.map,
      .tiles_per_row = tiles_x,
   };
}

void
test_surface_create(struct test_gpu *t, struct test_surface *s, enum cf_format format,
                    uint32_t width_px, uint32_t height_px, bool blocks)
{
   surface_create(t, s, format, width_px, height_px, blocks, 1);
}

void
test_surface_create_samples(struct test_gpu *t, struct test_surface *s, enum cf_format format,
                            uint32_t width_px, uint32_t height_px, uint32_t samples)
{
   surface_create(t, s, format, width_px, height_px, true, samples);
}

void
test_surface_free(struct test_gpu *t, struct test_surface *s)
{
   t->gpu->ops->bo_free(t->gpu, &s->bo);
   if (s->tiles.address)
      t->gpu->ops->bo_free(t->gpu, &s->tiles);
}

uint32_t
test_surface_pixel(const struct test_surface *s, uint32_t x_px, uint32_t y_px)
{
   return test_surface_sample(s, x_px, y_px, 0);
}

uint32_t
test_surface_sample(const struct test_surface *s, uint32_t x_px, uint32_t y_px, uint32_t sample)
{
   const uint32_t pitch_B = s->image.row_pitch_B / cf_image_samples(&s->image);
   const struct cf_tile_state *tile =
      s->image.tiles ? &s->image.tiles[y_px / 64 * s->image.tiles_per_row + x_px / 64] : NULL;
   const uint32_t pixel_B = s->image.format->pixel_B < 4 ? s->image.format->pixel_B : 4,
                  pending = tile ? tile->pending[0] : 0;
   uint32_t value = 0;
   memcpy(&value, s->image.data + sample * pitch_B + cf_image_offset_B(&s->image, x_px, y_px),
          pixel_B);
   return (value & ~pending) | (tile ? tile->value[0] & pending : 0);
}

uint64_t
test_varyings_program(struct test_gpu *t)
{
   static const char text[] =
      "ldvar v0, 0, smooth\nldvar v1, 1, smooth\nldvar v2, 2, smooth\nldvar v3, 3, smooth\n"
      "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\n"
      "end\n";
   return test_program(t, text,
                       (struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                                            .vector_regs = 4,
                                            .outputs = 4,
                                            .inputs = 4,
                                            .color_outputs = 1 });
}

const char test_kill_text[] =
   "ldvar v0, 0, smooth\nldvar v1, 1, smooth\nflt v2, v0, 0.5\nkill v2, done\n"
   "out 0, v1\nout 1, v0\nout 2, v1\nout 3, v0\ndone: end\n";

uint64_t
test_positions_program(struct test_gpu *t)
{
   static const char text[] = "sys v4, vertex_id\nldf v0, 0[v4]\n"
                              "out 0, v0\nout 1, v1\nout 2, v2\nout 3, v3\n"
                              "out 8, v0\nout 9, v1\nout 10, v2\nout 11, v3\nend\n";
   return test_program(t, text,
                       (struct cf_program){ .stage = CF_SHADER_STAGE_VERTEX,
                                            .vector_regs = 5,
                                            .outputs = 12,
                                            .sysvals = 1u << CF_SYSVAL_VERTEX_ID });
}

void
test_emit_positions(struct test_gpu *t)
{
   uint32_t link[CF_LINK_DWORDS];
   EMIT(t, shader, .stage = CF_SHADER_STAGE_VERTEX, .program = test_positions_program(t));
   cf_link_pack(link, &(struct cf_link){ .slot = 0, .present = true });
   EMIT(t, varyings, .count = 1, .address = test_put(t, link, sizeof(link)));
}

uint64_t
test_put_texture(struct test_gpu *t, const struct cf_texture *texture)
{
   uint32_t dw[CF_TEXTURE_DWORDS];
   cf_texture_pack(dw, texture);
   return test_put(t, dw, sizeof(dw));
}

uint64_t
test_program(struct test_gpu *t, const char *text, struct cf_program info)
{
   uint64_t *code;
   unsigned count;
   char error[200];
   uint32_t dw[CF_PROGRAM_DWORDS];
   check(cf_assemble_text(text, &code, &count, error, sizeof(error)), error);
   info.code = test_put(t, code, count * sizeof(*code));
   info.code_instrs = count;
   free(code);
   cf_program_pack(dw, &info);
   return test_put(t, dw, sizeof(dw));
}

void
test_emit_frame(struct test_gpu *t, const struct test_surface *color, const struct test_surface *zs)
{
   const uint32_t width_px = color->image.width_px, height_px = color->image.height_px;
   EMIT(t, framebuffer, .width_px = width_px, .height_px = height_px, .color_count = 1,
        .samples = color->image.samples, .depth_stencil = zs ? zs->address : 0,
        .color = { color->address });
   EMIT(t, viewport, .scale_x = width_px * 0.5f, .scale_y = height_px * 0.5f, .scale_z = 0.5f,
        .translate_x = width_px * 0.5f, .translate_y = height_px * 0.5f, .translate_z = 0.5f);
   EMIT(t, scissor, .max_x_px = width_px, .max_y_px = height_px);
   EMIT(t, raster, .front_ccw = true, .half_pixel_center = true, .depth_clip_near = true,
        .depth_clip_far = true, .line_width_px = 1.0f, .point_size_px = 1.0f);
   EMIT(t, blend, .target = 0, .write_mask = 0xf);
   EMIT(t, sample_mask, .mask = 0xffff);
}

void
test_frame_close(struct test_gpu *t, struct test_surface *color, struct test_surface *zs)
{
   test_surface_free(t, color);
   test_surface_free(t, zs);
   test_gpu_close(t);
}

void
test_submit(struct test_gpu *t)
{
   EMIT(t, end, 0);
   const uint64_t seqno = t->gpu->ops->submit(t->gpu, t->commands.address, t->count * 4, 0);
   check(t->gpu->ops->wait(t->gpu, seqno, UINT64_MAX), "wait");
   t->count = 0;
}

void
test_no_error(struct test_gpu *t)
{
   char text[320];
   t->gpu->ops->last_error(t->gpu, text, sizeof(text));
   check(text[0] == '\0', text);
   check(t->gpu->ops->reset_status(t->gpu) == CF_RESET_NONE, "reset status");
}

uint64_t
test_random(uint64_t *state)
{
   *state ^= *state >> 12;
   *state ^= *state << 25;
   *state ^= *state >> 27;
   return *state * 0x2545f4914f6cdd1dull >> 16;
}

uint32_t
test_below(uint64_t *state, uint32_t n)
{
   return (uint32_t)(test_random(state) >> 32) % n;
}

float
test_random_float(uint64_t *state, float low, float high)
{
   return low + (high - low) * (float)(test_random(state) & 0xffffff) * (1.0f / 16777216.0f);
}
