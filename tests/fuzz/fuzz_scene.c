/* SPDX-License-Identifier: MIT */
#include "fuzz_scene.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <sanitizer/asan_interface.h>

#include "clipfree/sanitize/cf_sanitize.h"
#include "clipfree/shader/cf_geometry_layout.h"
#include "fuzz.h"

#define THREADS 4 /* numbers of them, from 0 */
#define MOST_HOLES 16
#define MOST_PIECES 16
#define HOLE_B 65536
#define TABLE_ENTRIES 32
#define ROOM_B 1024
#ifdef FUZZ_JIT_MODULE
#define FUZZ_HAS_COMPILER true
#else
#define FUZZ_HAS_COMPILER false
#endif
/* Tasks are ended soon, so that draws of endless programs take milliseconds. */
#define MOST_TASK_INSTRS 2048

/* ---- memory ---- */

/* Pieces of memory between those of a scene, which are freed when it is open: AddressSanitizer
 * finds there what goes beyond its piece. */
struct holes {
   const struct cf_gpu_ops *ops; /* of the model */
   struct cf_bo bo[MOST_HOLES];
   unsigned count;
};

static struct holes holes;

static bool
alloc_before_hole(struct cf_gpu *gpu, uint64_t size_B, struct cf_bo *bo)
{
   if (holes.count == MOST_HOLES)
      fuzz_fail("a scene has more pieces of memory than %u", MOST_HOLES);
   return holes.ops->bo_alloc(gpu, size_B, bo) &&
          holes.ops->bo_alloc(gpu, HOLE_B, &holes.bo[holes.count++]);
}

/* Passes the positions and the varying of triangles on. */
static uint64_t
put_geometry(struct test_gpu *t)
{
   const uint32_t vertex_dw = CF_OUTPUT_VARYINGS + 4, outputs = 1 + 3 * vertex_dw;
   struct cf_program info = { .stage = CF_SHADER_STAGE_GEOMETRY,
                              .vector_regs = 2,
                              .inputs = 4,
                              .outputs = vertex_dw,
                              .input_vertices = 3,
                              .output_prim = CF_PRIM_KIND_TRIANGLE_STRIP,
                              .max_vertices = 3 };
   char text[8192];
   FILE *file = fmemopen(text, sizeof(text), "w");
   for (uint32_t k = 0; k < 3; k++) {
      for (uint32_t c = 0; c < vertex_dw; c++)
         fprintf(file, "lds v0, [0 + %u]\nsts [0 + %u], v0\n", 1 + k * vertex_dw + c,
                 outputs + k * vertex_dw + c);
      fprintf(file, "mov v0, %u\nsts [0 + %u], v0\n", k == 2,
              outputs + k * vertex_dw + CF_OUTPUT_ENDS_STRIP);
   }
   fprintf(file, "mov v0, 3\nsts [0 + 0], v0\nend\n");
   fclose(file);
   info.scratch_dwords = cf_geometry_scratch_dwords(&info);
   return test_program(t, text, info);
}

static void
put_more(struct fuzz_scene *s)
{
   struct test_gpu *t = &s->scene.t;
   uint32_t table[TABLE_ENTRIES], dw[CF_FEEDBACK_OUTPUT_DWORDS], room[ROOM_B / 4] = { 0 };
   const uint32_t half_px = TEST_SCENE_PX / 2;
   test_surface_create(t, &s->half, CF_FORMAT_R8G8B8A8_UNORM, half_px, half_px, true);
   test_surface_create_samples(t, &s->color_4, CF_FORMAT_R8G8B8A8_UNORM, half_px, half_px,
                               CF_SAMPLES);
   test_surface_create_samples(t, &s->zs_4, CF_FORMAT_Z24_UNORM_S8_UINT, half_px, half_px,
                               CF_SAMPLES);
   s->geometry = put_geometry(t);
   for (uint32_t i = 0; i < TABLE_ENTRIES; i++)
      table[i] = 3 * i % half_px;
   s->table = test_put(t, table, sizeof(table));
   cf_feedback_output_pack(dw, &(struct cf_feedback_output){ .first = 0, .dwords = 4 });
   s->outputs = test_put(t, dw, sizeof(dw));
   s->room = test_put(t, room, sizeof(room));
}

void
fuzz_scene_open_on(struct fuzz_scene *s, struct cf_gpu *gpu, fuzz_alloc alloc)
{
   const struct cf_gpu_ops *const own = gpu->ops;
   struct cf_gpu_ops ops = *own;
   ops.bo_alloc = alloc;
   gpu->ops = &ops;
   test_scene_open_on(&s->scene, gpu);
   put_more(s);
   gpu->ops = own;
   s->good_dw = (uint32_t)s->scene.t.heap_used_B / 4;
   if (s->good_dw > SCENE_MOST_DW)
      fuzz_fail("the scene's structures have %u dwords", s->good_dw);
   memcpy(s->good, s->scene.t.heap.map, s->good_dw * 4);
}

static void
open_with_holes(struct fuzz_scene *s, struct cf_gpu *gpu)
{
   holes = (struct holes){ .ops = gpu->ops };
   fuzz_scene_open_on(s, gpu, alloc_before_hole);
   for (unsigned i = 0; i < holes.count; i++) {
      gpu->ops->bo_free(gpu, &holes.bo[i]);
      ASAN_POISON_MEMORY_REGION(holes.bo[i].map, HOLE_B);
   }
}

enum { PATH_NORMAL, PATH_PLAIN, PATH_SANITISER, PATHS };

#define SETTINGS (THREADS * CF_HOST_LEVELS * PATHS)

static uint32_t
path_of(uint32_t settings)
{
   return settings / (THREADS * CF_HOST_LEVELS) % PATHS;
}

/* The sanitiser for GL, which says nothing. */
static const struct cf_observer *
quiet_sanitiser(void)
{
   struct cf_sanitize *sanitize =
      cf_sanitize_open(&(struct cf_sanitize_config){ .checks = CF_SANITIZE_ALL, .quiet = true });
   if (!sanitize)
      fuzz_fail("there is no sanitiser");
   return cf_sanitize_observer(sanitize);
}

static struct cf_model_config
config_of(uint32_t settings, enum cf_engine_choice engine)
{
   const uint32_t path = path_of(settings);
   return (struct cf_model_config){
      .threads = (int)(settings % THREADS),
      .host_level = 1 + settings / THREADS % (cf_host_level() + 1u),
      .path = path == PATH_NORMAL ? CF_PATH_NORMAL : CF_PATH_PLAIN,
      .observer = path == PATH_SANITISER ? quiet_sanitiser() : NULL,
      .engine = engine,
      .quiet = true,
      .no_disk_cache = true,
      .max_task_instrs = MOST_TASK_INSTRS,
   };
}

static struct fuzz_scene *
open_once(struct fuzz_scene *s, uint32_t settings, enum cf_engine_choice engine)
{
   if (s->is_open)
      return s;
   s->is_open = true;
   struct cf_gpu *gpu = test_model_of(config_of(settings, engine));
   if (gpu->ops->get_param(gpu, CF_PARAM_ENGINE) != engine)
      fuzz_fail("the compiler's module cannot be loaded");
   open_with_holes(s, gpu);
   return s;
}

struct fuzz_scene *
fuzz_scene_open(uint32_t settings)
{
   static struct fuzz_scene all[SETTINGS];
   return open_once(&all[settings % SETTINGS], settings % SETTINGS, CF_ENGINE_INTERP);
}

struct fuzz_scene *
fuzz_scene_open_compiled(uint32_t settings)
{
   static struct fuzz_scene all[SETTINGS];
   const bool is_alone = settings % SETTINGS % THREADS == 0; /* threads may come in any order */
   if (!FUZZ_HAS_COMPILER || !is_alone || path_of(settings % SETTINGS) == PATH_SANITISER)
      return NULL;
   return open_once(&all[settings % SETTINGS], settings % SETTINGS, CF_ENGINE_JIT);
}

/* All pieces of memory that submissions can name. */
static unsigned
pieces_of(const struct fuzz_scene *s, struct cf_bo pieces[MOST_PIECES])
{
   const struct test_surface *const surfaces[] = { &s->scene.color, &s->scene.zs, &s->half,
                                                   &s->color_4, &s->zs_4 };
   unsigned count = 0;
   pieces[count++] = s->scene.t.heap;
   pieces[count++] = s->scene.t.commands;
   for (unsigned i = 0; i < sizeof(surfaces) / sizeof(surfaces[0]); i++) {
      pieces[count++] = surfaces[i]->bo;
      pieces[count++] = surfaces[i]->tiles;
   }
   return count;
}

void
fuzz_scene_reset(struct fuzz_scene *s)
{
   struct cf_bo pieces[MOST_PIECES];
   for (unsigned i = pieces_of(s, pieces); i-- > 0;) { /* the system's pages are zero */
      if (madvise(pieces[i].map, pieces[i].size_B, MADV_DONTNEED) != 0)
         memset(pieces[i].map, 0, pieces[i].size_B);
   }
   memcpy(s->scene.t.heap.map, s->good, s->good_dw * 4);
   s->scene.t.count = 0;
}

void
fuzz_scene_compare(const struct fuzz_scene *a, const struct fuzz_scene *b)
{
   struct cf_bo pieces[2][MOST_PIECES];
   pieces_of(b, pieces[1]);
   for (unsigned i = pieces_of(a, pieces[0]); i-- > 0;) {
      const uint8_t *const in_a = pieces[0][i].map, *const in_b = pieces[1][i].map;
      uint64_t at_B = 0;
      if (memcmp(in_a, in_b, pieces[0][i].size_B) == 0)
         continue;
      while (in_a[at_B] == in_b[at_B])
         at_B++;
      fuzz_fail("compiled: byte %llu of memory from 0x%llx on is 0x%02x, not 0x%02x",
                (unsigned long long)at_B, (unsigned long long)pieces[0][i].address, in_b[at_B],
                in_a[at_B]);
   }
}

uint64_t
fuzz_scene_address(const struct fuzz_scene *s, uint32_t n)
{
   const struct test_scene *t = &s->scene;
   const uint64_t addresses[] = {
      t->color.address,
      t->zs.address,
      s->half.address,
      s->color_4.address,
      s->zs_4.address,
      t->color.bo.address,
      t->zs.bo.address,
      t->color.tiles.address,
      s->color_4.bo.address,
      s->zs_4.tiles.address,
      t->vertex_program,
      t->fragment_program,
      s->geometry,
      t->elements,
      t->link,
      t->texture,
      t->sampler,
      t->indices,
      t->result,
      s->outputs,
      s->table,
      s->room,
      t->t.heap.address,
      t->t.commands.address,
      t->zs.bo.address + t->zs.bo.size_B,
      t->t.heap.address + t->t.heap.size_B,
   };
   return addresses[n % (sizeof(addresses) / sizeof(addresses[0]))];
}

/* ---- valid submissions ---- */

static void
emit_all(struct fuzz_scene *s)
{
   test_scene_emit_all(&s->scene);
   s->scene.t.count -= CF_END_DWORDS;
}

static void
emit_prims(struct fuzz_scene *s)
{
   test_scene_emit_state(&s->scene);
   for (uint32_t prim = CF_PRIM_KIND_POINTS; prim <= CF_PRIM_KIND_TRIANGLE_FAN; prim++)
      EMIT(&s->scene.t, draw, .prim = prim, .count = 8, .instances = 1);
}

static void
emit_transfers(struct fuzz_scene *s)
{
   struct test_gpu *t = &s->scene.t;
   test_scene_emit_state(&s->scene);
   EMIT(t, clear, .colors = 1, .color = { 0x3f000000 }, .max_x_px = 70, .max_y_px = 90);
   test_scene_emit_draw(&s->scene);
   EMIT(t, reduce, .source = s->scene.color.address, .destination = s->half.address);
   EMIT(t, gather, .source = s->scene.color.address, .destination = s->half.address,
        .columns = s->table, .rows = s->table, .destination_x_px = 5, .width_px = TABLE_ENTRIES,
        .height_px = 7);
   EMIT(t, copy, .source = s->half.address, .destination = s->scene.color.address,
        .destination_x_px = 13, .destination_y_px = 8, .width_px = 40, .height_px = 41);
   EMIT(t, invalidate, .surface = s->scene.zs.address);
   EMIT(t, resolve, .surface = s->scene.color.address);
   EMIT(t, query, .kind = CF_QUERY_KIND_TIMESTAMP, .result = s->scene.result);
   EMIT(t, condition, .result = s->scene.result);
   test_scene_emit_draw(&s->scene);
}

static void
emit_samples(struct fuzz_scene *s)
{
   struct test_gpu *t = &s->scene.t;
   test_scene_emit_state(&s->scene);
   test_emit_frame(t, &s->color_4, &s->zs_4);
   EMIT(t, depth_stencil, .depth_test = true, .depth_write = true, .depth_func = CF_COMPARE_LESS);
   EMIT(t, clear, .colors = 1, .depth = true, .depth_value = 1, .max_x_px = 50, .max_y_px = 50);
   test_scene_emit_draw(&s->scene);
   EMIT(t, copy, .source = s->color_4.address, .destination = s->half.address, .width_px = 50,
        .height_px = 49);
   EMIT(t, copy, .source = s->half.address, .destination = s->color_4.address, .width_px = 3,
        .height_px = 50);
}

static void
emit_geometry(struct fuzz_scene *s)
{
   struct test_gpu *t = &s->scene.t;
   test_scene_emit_state(&s->scene);
   EMIT(t, shader, .stage = CF_SHADER_STAGE_GEOMETRY, .program = s->geometry);
   EMIT(t, geometry_inputs, .count = 1, .address = s->scene.link);
   EMIT(t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .count = 8, .instances = 2);
}

static void
emit_feedback(struct fuzz_scene *s)
{
   struct test_gpu *t = &s->scene.t;
   test_scene_emit_state(&s->scene);
   EMIT(t, feedback, .outputs = 1, .restart = 1, .output_address = s->outputs, .stride_dw = { 4 },
        .size_B = { ROOM_B - 64 }, .address = { s->room }, .filled = { s->room + ROOM_B - 64 });
   EMIT(t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 6, .instances = 1);
   EMIT(t, feedback, .outputs = 0);
   test_scene_emit_draw(&s->scene);
}

static void
emit_fragment_state(struct fuzz_scene *s)
{
   struct test_gpu *t = &s->scene.t;
   test_scene_emit_state(&s->scene);
   EMIT(t, blend, .target = 0, .write_mask = 0xf, .enable = true,
        .src_color = CF_BLEND_FACTOR_SRC_ALPHA, .dst_color = CF_BLEND_FACTOR_INV_SRC_ALPHA,
        .src_alpha = CF_BLEND_FACTOR_ONE, .dither = true);
   EMIT(t, depth_stencil, .depth_test = true, .depth_func = CF_COMPARE_ALWAYS, .alpha_test = true,
        .alpha_func = CF_COMPARE_GEQUAL, .alpha_ref = 0.25f, .stencil_front = true,
        .front_func = CF_COMPARE_ALWAYS, .front_zpass = CF_STENCIL_OP_INCR_WRAP,
        .front_value_mask = 255, .front_write_mask = 255);
   EMIT(t, stencil_ref, .front = 3);
   EMIT(t, stipple, .pattern = { 0xaaaaaaaa, 0x55555555 });
   EMIT(t, raster, .half_pixel_center = true, .depth_clip_near = true, .line_width_px = 3,
        .point_size_px = 5, .poly_stipple = true, .line_stipple = true, .stipple_factor = 2,
        .stipple_pattern = 0x5555, .offset_fill = true, .offset_units = 1);
   EMIT(t, draw, .prim = CF_PRIM_KIND_LINE_STRIP, .count = 8, .instances = 1);
   test_scene_emit_draw(&s->scene);
}

/* Triangles of a few pixels, with depth tests. */
static void
emit_small(struct fuzz_scene *s)
{
   struct test_gpu *t = &s->scene.t;
   test_scene_emit_state(&s->scene);
   EMIT(t, viewport, .scale_x = 3, .scale_y = 2.5f, .scale_z = 0.5f, .translate_x = 40,
        .translate_y = 40, .translate_z = 0.5f);
   EMIT(t, depth_stencil, .depth_test = true, .depth_write = true, .depth_func = CF_COMPARE_GEQUAL);
   EMIT(t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .count = 8, .instances = 7);
   EMIT(t, draw, .prim = CF_PRIM_KIND_TRIANGLES, .count = 40, .instances = 1);
   EMIT(t, draw, .prim = CF_PRIM_KIND_TRIANGLE_STRIP, .count = 8, .instances = 2);
}

static void
emit_smooth(struct fuzz_scene *s)
{
   struct test_gpu *t = &s->scene.t;
   test_scene_emit_state(&s->scene);
   EMIT(t, raster, .half_pixel_center = true, .line_width_px = 3, .point_size_px = 5,
        .point_smooth = true, .line_smooth = true, .poly_smooth = true);
   for (uint32_t prim = CF_PRIM_KIND_POINTS; prim <= CF_PRIM_KIND_TRIANGLES; prim++)
      EMIT(t, draw, .prim = prim, .count = 8, .instances = 1);
}

const struct fuzz_submission fuzz_submissions[] = {
   { "all", emit_all },
   { "prims", emit_prims },
   { "transfers", emit_transfers },
   { "samples", emit_samples },
   { "geometry", emit_geometry },
   { "feedback", emit_feedback },
   { "fragments", emit_fragment_state },
   { "small", emit_small },
   { "smooth", emit_smooth },
   { NULL, NULL },
};
