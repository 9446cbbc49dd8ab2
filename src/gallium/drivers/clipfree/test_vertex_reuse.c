/* SPDX-License-Identifier: MIT */
/*
 * Draws with equal vertices get an index list after a few of them, and never with a vertex shader
 * that has side effects: each vertex that the application names must run it. NIR says that a shader
 * writes memory; none that this driver compiles does today, so it is said of one that does not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compiler/nir/nir_builder.h"
#include "frontend/sw_winsys.h"
#include "util/u_inlines.h"

#include "clipfree_context.h"
#include "clipfree_public.h"
#include "clipfree_screen.h"
#include "clipfree_vertex_reuse.h"

#define VERTICES 384
#define DRAWS 20

struct fixture {
   struct pipe_screen *screen;
   struct pipe_context *pipe;
   struct pipe_resource *buffer;
   void *elements;
};

/* Nothing is shown. */
static void
destroy_nowhere(struct sw_winsys *nowhere)
{
   (void)nowhere;
}

static struct sw_winsys nowhere = { .destroy = destroy_nowhere };

static void *
create_shader(const struct fixture *f, bool writes_memory)
{
   nir_builder b = nir_builder_init_simple_shader(
      MESA_SHADER_VERTEX,
      f->screen->get_compiler_options(f->screen, PIPE_SHADER_IR_NIR, PIPE_SHADER_VERTEX), "reuse");
   nir_def *position =
      nir_load_input(&b, 4, 32, nir_imm_int(&b, 0), .dest_type = nir_type_float32,
                     .io_semantics = { .location = VERT_ATTRIB_GENERIC0, .num_slots = 1 });
   nir_store_output(&b, position, nir_imm_int(&b, 0), .src_type = nir_type_float32,
                    .write_mask = 15,
                    .io_semantics = { .location = VARYING_SLOT_POS, .num_slots = 1 });
   nir_shader_gather_info(b.shader, b.impl);
   assert_false(b.shader->info.writes_memory);
   b.shader->info.writes_memory = writes_memory;
   const struct pipe_shader_state state = { .type = PIPE_SHADER_IR_NIR, .ir.nir = b.shader };
   void *shader = f->pipe->create_vs_state(f->pipe, &state);
   assert_non_null(shader);
   return shader;
}

/* How many of some draws get an index list. */
static unsigned
reuses(const struct fixture *f, void *shader)
{
   const struct pipe_draw_info info = { .mode = MESA_PRIM_TRIANGLES };
   const struct pipe_draw_start_count_bias draw = { .count = VERTICES };
   unsigned found = 0;
   f->pipe->bind_vs_state(f->pipe, shader);
   for (unsigned i = 0; i < DRAWS; i++) {
      struct cf_reuse_indices indices;
      found += cf_reuse_vertices(cf_context(f->pipe), &info, &draw, &indices);
   }
   return found;
}

/* Six different vertices, again and again. */
static void
begin(struct fixture *f)
{
   static float vertices[VERTICES][4];
   const struct pipe_vertex_element element = { .src_format = PIPE_FORMAT_R32G32B32A32_FLOAT,
                                                .src_stride = sizeof(vertices[0]) };
   for (unsigned i = 0; i < VERTICES; i++)
      vertices[i][0] = (float)(i % 6);
   f->screen = clipfree_create_screen(&nowhere, NULL);
   assert_non_null(f->screen);
   f->pipe = f->screen->context_create(f->screen, NULL, 0);
   assert_non_null(f->pipe);
   f->buffer = pipe_buffer_create_with_data(f->pipe, PIPE_BIND_VERTEX_BUFFER, PIPE_USAGE_DEFAULT,
                                            sizeof(vertices), vertices);
   assert_non_null(f->buffer);
   f->elements = f->pipe->create_vertex_elements_state(f->pipe, 1, &element);
   f->pipe->bind_vertex_elements_state(f->pipe, f->elements);
   struct pipe_vertex_buffer bound = { 0 };
   pipe_resource_reference(&bound.buffer.resource, f->buffer); /* the context takes it */
   f->pipe->set_vertex_buffers(f->pipe, 1, &bound);
}

static void
end(struct fixture *f)
{
   f->pipe->bind_vs_state(f->pipe, NULL);
   f->pipe->delete_vertex_elements_state(f->pipe, f->elements);
   pipe_resource_reference(&f->buffer, NULL);
   f->pipe->destroy(f->pipe);
   f->screen->destroy(f->screen);
}

static void
test_effects(void **state)
{
   (void)state;
   struct fixture f;
   begin(&f);
   void *pure = create_shader(&f, false), *writes = create_shader(&f, true);
   assert_int_equal(reuses(&f, writes), 0);
   assert_in_range(reuses(&f, pure), DRAWS / 2, DRAWS - 1);
   assert_int_equal(reuses(&f, pure), DRAWS);
   assert_int_equal(reuses(&f, writes), 0); /* there is a list now, of the same vertices */
   f.pipe->bind_vs_state(f.pipe, NULL);
   f.pipe->delete_vs_state(f.pipe, pure);
   f.pipe->delete_vs_state(f.pipe, writes);
   end(&f);
}

int
main(void)
{
   const struct CMUnitTest tests[] = { cmocka_unit_test(test_effects) };
   return cmocka_run_group_tests_name("driver-vertex-reuse", tests, NULL, NULL);
}
