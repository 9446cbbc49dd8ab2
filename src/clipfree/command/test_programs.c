/* SPDX-License-Identifier: MIT */
/*
 * Two draws between which only a program changes: the engines' configuration follows, for each
 * property of programs that it depends on (`alike` in packets.toml). The reference draws them in
 * two submissions, each of which starts from reset state.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clipfree/command/test_gpu.h"
#include "clipfree/isa/cf_isa.h"

#define SIDE_PX 16
#define TARGETS 2
#define PAIRS 2 /* draws of a picture */

static const char vertex_text[] =
   "sys v8, vertex_id\nldf v0, 0[v8]\nout 0, v0\nout 1, v1\nout 2, v2\n"
   "out 3, v3\nmovi v4, 0x41100000\nout 4, v4\nout 8, v0\nout 9, v1\nout 10, v2\nout 11, v3\nend\n";

struct program {
   const char *text;
   struct cf_program info;
};

#define FRAGMENT(...)                                                                              \
   {                                                                                               \
      .stage = CF_SHADER_STAGE_FRAGMENT, .vector_regs = 4, __VA_ARGS__                             \
   }

/* Each differs from some other one in a single property. */
static const struct program fragment_programs[] = {
   { "out 0, 1.0\nout 1, 0\nout 2, 0\nout 3, 1.0\nend\n",
     FRAGMENT(.outputs = 4, .color_outputs = 1) },
   { "out 0, 0\nout 1, 1.0\nout 2, 0\nout 3, 1.0\nend\n",
     FRAGMENT(.outputs = 4, .color_outputs = 1, .color0_to_all = true) },
   { "out 0, 0\nout 1, 0\nout 2, 1.0\nout 3, 1.0\nend\n", FRAGMENT(.outputs = 4) },
   { "movi v0, 0x3e000000\nout 0, 0\nout 1, 1.0\nout 2, 1.0\nout 3, 1.0\nout 32, v0\nend\n",
     FRAGMENT(.outputs = 33, .color_outputs = 1, .writes_depth = true) },
   { "flt v1, 0, 1.0\nkill v1, done\nout 0, 1.0\nout 1, 1.0\nout 2, 0\nout 3, 1.0\ndone: end\n",
     FRAGMENT(.outputs = 4, .color_outputs = 1, .uses_kill = true) },
   { "flt v1, 0, 1.0\nkill v1, done\nout 0, 1.0\nout 1, 1.0\nout 2, 0\nout 3, 1.0\ndone: end\n",
     FRAGMENT(.outputs = 4, .color_outputs = 1, .uses_kill = true, .early_tests = true) },
};
#define FRAGMENT_PROGRAMS (sizeof(fragment_programs) / sizeof(fragment_programs[0]))

#define VERTEX(...)                                                                                \
   {                                                                                               \
      .stage = CF_SHADER_STAGE_VERTEX, .vector_regs = 9, .sysvals = 1u << CF_SYSVAL_VERTEX_ID,     \
      __VA_ARGS__                                                                                  \
   }

static const struct program vertex_programs[] = {
   { vertex_text, VERTEX(.outputs = 12) },
   { vertex_text, VERTEX(.outputs = 12, .raster_point_size = true) },
};

struct picture {
   uint32_t color[TARGETS][SIDE_PX * SIDE_PX], zs[SIDE_PX * SIDE_PX];
};

struct scene {
   struct test_gpu t;
   struct test_surface color[TARGETS], zs;
};

/* All state but for the programs: two targets, depth test and writing. */
static void
emit_state(struct scene *s)
{
   struct test_gpu *t = &s->t;
   uint32_t link[CF_LINK_DWORDS];
   test_emit_frame(t, &s->color[0], &s->zs);
   EMIT(t, framebuffer, .width_px = SIDE_PX, .height_px = SIDE_PX, .samples = 1,
        .color_count = TARGETS, .color = { s->color[0].address, s->color[1].address },
        .depth_stencil = s->zs.address);
   EMIT(t, blend, .target = 1, .write_mask = 0xf);
   EMIT(t, depth_stencil, .depth_test = true, .depth_write = true, .depth_func = CF_COMPARE_LESS);
   EMIT(t, raster, .half_pixel_center = true, .point_size_px = 3, .point_size_per_vertex = true);
   cf_link_pack(link, &(struct cf_link){ .slot = 0, .present = true });
   EMIT(t, varyings, .count = 1, .address = test_put(t, link, sizeof(link)));
}

/* A triangle over most of the frame, or a point: the second in front of the first. */
static void
emit_draw(struct test_gpu *t, enum cf_prim_kind kind, uint32_t i)
{
   const float z = i ? -0.5f : 0.5f;
   const float vertex[3][4] = { { kind == CF_PRIM_KIND_POINTS ? 0 : -1, 0, z, 1 },
                                { 1, -1, z, 1 },
                                { 1, 1, z, 1 } };
   uint32_t dw[CF_VERTEX_ELEMENT_DWORDS];
   cf_vertex_element_pack(
      dw, &(struct cf_vertex_element){ .address = test_put(t, vertex, sizeof(vertex)),
                                       .size_B = sizeof(vertex),
                                       .stride_B = sizeof(vertex[0]),
                                       .format = CF_FORMAT_R32G32B32A32_FLOAT });
   EMIT(t, vertex_elements, .count = 1, .address = test_put(t, dw, sizeof(dw)));
   EMIT(t, draw, .prim = kind, .count = kind == CF_PRIM_KIND_POINTS ? 1 : 3, .instances = 1);
}

static void
read_picture(const struct scene *s, struct picture *p)
{
   for (uint32_t i = 0; i < SIDE_PX * SIDE_PX; i++) {
      for (uint32_t k = 0; k < TARGETS; k++)
         p->color[k][i] = test_surface_pixel(&s->color[k], i % SIDE_PX, i / SIDE_PX);
      p->zs[i] = test_surface_pixel(&s->zs, i % SIDE_PX, i / SIDE_PX);
   }
}

/* programs: of both stages, for each draw. `apart`: one submission per draw. */
static void
draw(const struct program *const programs[PAIRS][2], enum cf_prim_kind kind, bool apart,
     struct picture *p)
{
   struct scene s;
   test_gpu_open(&s.t, 0);
   for (uint32_t i = 0; i < TARGETS; i++)
      test_surface_create(&s.t, &s.color[i], CF_FORMAT_R8G8B8A8_UNORM, SIDE_PX, SIDE_PX, true);
   test_surface_create(&s.t, &s.zs, CF_FORMAT_Z24_UNORM_S8_UINT, SIDE_PX, SIDE_PX, true);
   for (uint32_t i = 0; i < PAIRS; i++) {
      if (i == 0 || apart)
         emit_state(&s);
      if (i == 0)
         EMIT(&s.t, clear, .colors = 3, .depth = true, .depth_value = 1, .max_x_px = SIDE_PX,
              .max_y_px = SIDE_PX);
      for (uint32_t stage = 0; stage < 2; stage++)
         EMIT(&s.t, shader, .stage = (enum cf_shader_stage)stage,
              .program = test_program(&s.t, programs[i][stage]->text, programs[i][stage]->info));
      emit_draw(&s.t, kind, i);
      if (apart)
         test_submit(&s.t);
   }
   test_submit(&s.t);
   test_no_error(&s.t);
   read_picture(&s, p);
   test_surface_free(&s.t, &s.color[1]);
   test_frame_close(&s.t, &s.color[0], &s.zs);
}

static void
check_pair(const struct program *const programs[PAIRS][2], enum cf_prim_kind kind)
{
   struct picture together, apart;
   draw(programs, kind, false, &together);
   draw(programs, kind, true, &apart);
   assert_memory_equal(&together, &apart, sizeof(apart));
}

static void
fragment_programs_change(void **state)
{
   (void)state;
   for (uint32_t i = 0; i < FRAGMENT_PROGRAMS * FRAGMENT_PROGRAMS; i++)
      check_pair(
         (const struct program *const[PAIRS][2]){
            { &vertex_programs[0], &fragment_programs[i % FRAGMENT_PROGRAMS] },
            { &vertex_programs[0], &fragment_programs[i / FRAGMENT_PROGRAMS] } },
         CF_PRIM_KIND_TRIANGLES);
}

static void
vertex_programs_change(void **state)
{
   (void)state;
   for (uint32_t i = 0; i < 4; i++)
      check_pair(
         (const struct program *const[PAIRS][2]){
            { &vertex_programs[i % 2], &fragment_programs[0] },
            { &vertex_programs[i / 2], &fragment_programs[0] } },
         CF_PRIM_KIND_POINTS);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(fragment_programs_change),
      cmocka_unit_test(vertex_programs_change),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
