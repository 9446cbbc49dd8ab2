/* SPDX-License-Identifier: MIT */
/*
 * Faults of single packets: the first fault of a submission is the one that is told, whatever fits;
 * and each packet of state, and each transfer, with a bit of its header that has no meaning is
 * refused, and told as such. Arrays of vertex elements: what they say of the vertex stage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/command/cf_fault.h"
#include "clipfree/command/cf_state.h"
#include "clipfree/command/cf_transfer.h"
#include "clipfree/interface/cf_packets.h"
#include "clipfree/isa/cf_asm.h"

#define MOST_DWORDS 64
#define RESERVED (1u << 8) /* of a header */

/* ------------------------------------------------------------------ faults */

static void
the_first_fault_stays(void **state)
{
   struct cf_fault fault = { .packet = "draw", .address = 0x1234 };
   assert_false(cf_fault_set(&fault, "prim", "%u", 7));
   assert_string_equal(fault.text, "packet draw at 0x1234: field prim: 7");
   assert_false(cf_fault_set(&fault, "count", "%u", 8));
   assert_string_equal(fault.text, "packet draw at 0x1234: field prim: 7");
   assert_false(fault.out_of_memory);
}

/* Lack of memory is told as such, unless it follows a fault of the submission. */
static void
lack_of_memory(void **state)
{
   struct cf_fault fault = { .packet = "draw", .address = 16 };
   assert_false(cf_fault_out_of_memory(&fault, "prim"));
   assert_true(fault.out_of_memory);
   assert_string_equal(fault.text, "packet draw at 0x10: field prim: out of host memory");
   assert_false(cf_fault_out_of_memory(&fault, "count")); /* again: still the first */
   assert_true(fault.out_of_memory);
   assert_string_equal(fault.text, "packet draw at 0x10: field prim: out of host memory");
   fault = (struct cf_fault){ .packet = "draw" };
   cf_fault_set(&fault, "prim", "wrong");
   assert_false(cf_fault_out_of_memory(&fault, "prim"));
   assert_false(fault.out_of_memory);
   assert_string_equal(fault.text, "packet draw at 0x0: field prim: wrong");
}

/* What does not fit is cut: in the text, and in the name of the field; nothing lies behind it. */
static void
long_faults(void **state)
{
   static const char start[] = "packet draw at 0x0: field ";
   char field[400];
   for (size_t length = 280; length < sizeof(field); length++) {
      struct {
         struct cf_fault fault;
         uint64_t behind;
      } is = { .fault = { .packet = "draw" }, .behind = ~0ull };
      memset(field, 'x', length);
      field[length] = 0;
      assert_false(cf_fault_set(&is.fault, field, "%s", "reason"));
      const size_t whole = strlen(start) + length + strlen(": reason"),
                   most = sizeof(is.fault.text) - 1;
      assert_int_equal(strlen(is.fault.text), whole < most ? whole : most);
      assert_memory_equal(is.fault.text, start, strlen(start));
      assert_int_equal(is.behind, ~0ull);
      assert_false(is.fault.out_of_memory);
      if (whole <= most)
         assert_string_equal(is.fault.text + strlen(start) + length, ": reason");
   }
}

/* ------------------------------------------------------------------ packets */

/* The packet's name; its header with all else zero, as any kind of packet may be. */
/* clang-format off */
#define HEADER(NAME) { #NAME, CF_OPCODE_##NAME | CF_##NAME##_DWORDS << 16 }
/* clang-format on */

struct header {
   const char *name;
   uint32_t dw;
};

static const struct cf_state_config config;
static struct cf_state state_of;

static void
state_packets(void **state)
{
   static const struct header headers[] = {
      HEADER(VIEWPORT),     HEADER(SCISSOR),         HEADER(RASTER),      HEADER(STIPPLE),
      HEADER(CLIP_PLANES),  HEADER(DEPTH_STENCIL),   HEADER(STENCIL_REF), HEADER(BLEND),
      HEADER(BLEND_COLOR),  HEADER(SAMPLE_MASK),     HEADER(SHADER),      HEADER(CONSTANTS),
      HEADER(BIND_TEXTURE), HEADER(VERTEX_ELEMENTS), HEADER(VARYINGS),    HEADER(GEOMETRY_INPUTS),
      HEADER(FEEDBACK),
   };
   for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
      for (int reserved = 0; reserved < 2; reserved++) {
         const uint32_t dw[MOST_DWORDS] = { headers[i].dw | (reserved ? RESERVED : 0) };
         struct cf_fault fault = { .packet = headers[i].name };
         bool handled = false;
         cf_state_reset(&state_of, &config);
         if (cf_state_packet(&state_of, dw, &handled, &fault) == (bool)reserved)
            fail_msg("%s, %d: %s", headers[i].name, reserved, fault.text);
         assert_true(handled);
         assert_int_equal(strstr(fault.text, "field reserved: ") != NULL, reserved);
      }
   }
}

/* Packets of no state are left to others. */
static void
packets_of_others(void **state)
{
   static const struct header headers[] = { HEADER(NOP),         HEADER(DRAW), HEADER(CLEAR),
                                            HEADER(FRAMEBUFFER), HEADER(COPY), HEADER(END) };
   for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
      const uint32_t dw[MOST_DWORDS] = { headers[i].dw | RESERVED };
      struct cf_fault fault = { 0 };
      bool handled = true;
      cf_state_reset(&state_of, &config);
      assert_true(cf_state_packet(&state_of, dw, &handled, &fault));
      assert_false(handled);
      assert_string_equal(fault.text, "");
   }
}

static void
transfers(void **state)
{
   static const struct header headers[] = { HEADER(COPY),        HEADER(GATHER),
                                            HEADER(REDUCE),      HEADER(COPY_BUFFER),
                                            HEADER(FILL_BUFFER), HEADER(RESOLVE),
                                            HEADER(INVALIDATE) };
   struct cf_workers *workers = cf_workers_create(1);
   struct cf_transfers *all =
      cf_transfers_create(&(struct cf_transfer_config){ .workers = workers });
   assert_true(workers && all);
   for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
      const uint32_t dw[MOST_DWORDS] = { headers[i].dw | RESERVED };
      struct cf_fault fault = { .packet = headers[i].name };
      assert_false(cf_transfers_launch(all, dw, NULL, &fault));
      assert_non_null(strstr(fault.text, headers[i].name));
      assert_non_null(strstr(fault.text, "field reserved: "));
   }
   /* a packet that is no transfer moves nothing */
   const uint32_t nop[MOST_DWORDS] = { CF_OPCODE_NOP | CF_NOP_DWORDS << 16 };
   struct cf_fault fault = { 0 };
   assert_true(cf_transfers_launch(all, nop, NULL, &fault));
   assert_string_equal(fault.text, "");
   assert_int_equal(cf_workers_launched(workers), 0);
   cf_transfers_destroy(all);
   cf_transfers_destroy(NULL);
   cf_workers_destroy(workers);
}

/* ------------------------------------------------------------------ vertex elements */

#define FLOATS CF_FORMAT_R32G32B32A32_FLOAT
#define BUFFER_B 1024u

struct arrays {
   struct cf_memory *memory;
   struct cf_workers *workers;
   struct cf_written written;
   struct cf_resolver resolver;
   struct cf_state_config config;
   uint64_t buffer, used_B;
};

static void
open_arrays(struct arrays *a)
{
   *a = (struct arrays){ .memory = cf_memory_create(0), .workers = cf_workers_create(1) };
   assert_true(a->memory && a->workers);
   a->written.workers = a->workers;
   a->resolver = (struct cf_resolver){ .memory = a->memory, .written = &a->written };
   a->config.resolver = &a->resolver;
   a->buffer = cf_memory_alloc(a->memory, 1 << 20);
   assert_true(a->buffer != 0);
   a->used_B = BUFFER_B; /* vertices come first */
   cf_state_reset(&state_of, &a->config);
}

static void
close_arrays(struct arrays *a)
{
   cf_workers_destroy(a->workers);
   cf_memory_destroy(a->memory);
}

/* Bind an array. Returns whether the stage became another one (cf_stage.family). */
static bool
bind(struct arrays *a, uint32_t count, const struct cf_vertex_element *elements)
{
   uint32_t dw[CF_VERTEX_ELEMENTS_DWORDS];
   bool handled;
   struct cf_fault fault = { .packet = "vertex_elements" };
   const uint32_t before = state_of.stage[CF_SHADER_STAGE_VERTEX].stage.family;
   const uint64_t address = a->buffer + a->used_B;
   uint32_t *to = cf_memory_at(a->memory, address, 4 * CF_VERTEX_ELEMENT_DWORDS * count);
   for (uint32_t i = 0; i < count; i++)
      cf_vertex_element_pack(to + i * CF_VERTEX_ELEMENT_DWORDS, &elements[i]);
   a->used_B += 128; /* slots are told apart by cache lines */
   cf_vertex_elements_pack(dw, &(struct cf_vertex_elements){ .count = count, .address = address });
   if (!cf_state_packet(&state_of, dw, &handled, &fault))
      fail_msg("%s", fault.text);
   return state_of.stage[CF_SHADER_STAGE_VERTEX].stage.family != before;
}

/* Elements without memory, and those of instances, do not say how many vertices there are. */
static void
vertices_of_elements(void **state)
{
   struct arrays a;
   open_arrays(&a);
   const struct cf_stage *stage = &state_of.stage[CF_SHADER_STAGE_VERTEX].stage;
   const struct cf_vertex_element elements[] = {
      { .address = a.buffer, .size_B = 64, .stride_B = 16, .format = FLOATS },
      { .format = FLOATS },
      { .address = a.buffer, .size_B = 16, .stride_B = 16, .format = FLOATS, .divisor = 1 },
   };
   bind(&a, 3, elements);
   assert_int_equal(stage->fetch_vertices, 4);
   assert_non_null(stage->fetch[0].data);
   assert_null(stage->fetch[1].data);
   assert_int_equal(stage->fetch[2].divisor, 1);
   bind(&a, 2, &elements[1]);
   assert_true(stage->fetch_vertices == UINT64_MAX);
   assert_null(stage->fetch[0].data);
   assert_non_null(stage->fetch[1].data);
   assert_null(stage->fetch[2].format); /* which is no longer bound */
   close_arrays(&a);
}

/* A stage is another one where the number of elements changes, or the format or divisor of one; not
 * where it is in other memory. */
static void
kinds_of_elements(void **state)
{
   struct arrays a;
   open_arrays(&a);
   struct cf_vertex_element element[2] = {
      { .address = a.buffer, .size_B = 64, .stride_B = 16, .format = FLOATS },
      { .address = a.buffer, .size_B = 64, .stride_B = 16, .format = FLOATS },
   };
   assert_true(bind(&a, 2, element));
   assert_false(bind(&a, 2, element));
   element[0].address += 64;
   element[1].stride_B = 8;
   assert_false(bind(&a, 2, element));
   element[1].divisor = 1;
   assert_true(bind(&a, 2, element));
   element[0].format = CF_FORMAT_R32G32_FLOAT;
   assert_true(bind(&a, 2, element));
   assert_false(bind(&a, 2, element));
   assert_true(bind(&a, 1, element));
   close_arrays(&a);
}

/* ------------------------------------------------------------------ many programs */

#define PROGRAMS 2049 /* one more than are kept for ever */
#define OLD 1000      /* refreshes until those that nobody asked for may go */

/* Program `number`: one instruction, and as many inputs and outputs as tell it from the others. */
static const struct cf_cached_program *
get_program(struct arrays *a, struct cf_program_cache *cache, uint32_t number)
{
   struct cf_fault fault = { .packet = "shader" };
   uint64_t *code;
   unsigned count;
   char error[200];
   assert_true(cf_assemble_text("end\n", &code, &count, error, sizeof(error)));
   memcpy(cf_memory_at(a->memory, a->buffer, 8 * count), code, 8 * count);
   free(code);
   const uint64_t address = a->buffer + BUFFER_B + 4ull * CF_PROGRAM_DWORDS * number;
   uint32_t *dw = cf_memory_at(a->memory, address, 4 * CF_PROGRAM_DWORDS);
   cf_program_pack(dw, &(struct cf_program){ .stage = CF_SHADER_STAGE_FRAGMENT,
                                             .code = a->buffer,
                                             .code_instrs = count,
                                             .outputs = number % 32,
                                             .inputs = number / 32 });
   const struct cf_cached_program *program =
      cf_program_cache_get(cache, &a->resolver, address, CF_SHADER_STAGE_FRAGMENT, &fault);
   if (!program)
      fail_msg("program %u: %s", number, fault.text);
   assert_int_equal(program->program.outputs, number % 32);
   assert_int_equal(program->program.inputs, number / 32);
   return program;
}

/* Many programs are too many once some are old; then those go, and what was asked for lately
 * stays. */
static void
old_programs_go(void **state)
{
   struct arrays a;
   open_arrays(&a);
   struct cf_program_cache *cache = cf_program_cache_create(NULL, 0, CF_VERTICES_WHOLE);
   assert_non_null(cache);
   for (uint32_t i = 0; i + 1 < PROGRAMS; i++)
      get_program(&a, cache, i);
   for (uint32_t i = 0; i <= OLD; i++)
      cf_program_cache_refresh(cache, true);
   assert_false(cf_program_cache_is_large(cache));
   const struct cf_cached_program *last = get_program(&a, cache, PROGRAMS - 1),
                                  *first = get_program(&a, cache, 0);
   assert_true(cf_program_cache_is_large(cache));
   cf_program_cache_refresh(cache, false); /* programs are in use */
   assert_true(cf_program_cache_is_large(cache));
   cf_program_cache_refresh(cache, true);
   assert_false(cf_program_cache_is_large(cache));
   assert_ptr_equal(get_program(&a, cache, PROGRAMS - 1), last);
   assert_ptr_equal(get_program(&a, cache, 0), first);
   cf_program_cache_destroy(cache);
   close_arrays(&a);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_fault_stays), cmocka_unit_test(lack_of_memory),
      cmocka_unit_test(long_faults),           cmocka_unit_test(state_packets),
      cmocka_unit_test(packets_of_others),     cmocka_unit_test(transfers),
      cmocka_unit_test(vertices_of_elements),  cmocka_unit_test(kinds_of_elements),
      cmocka_unit_test(old_programs_go),
   };
   return cmocka_run_group_tests_name("faults of packets", tests, NULL, NULL);
}
