/* SPDX-License-Identifier: MIT */
/*
 * Elements of a draw's primitives, against those that assembly takes; and that a draw with as many
 * elements as are said to be needed draws the primitive, and with one less does not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clipfree/primitive/cf_primitive.h"

#include "look_assembly.h"

#define MOST_ELEMENTS 20
#define KINDS (CF_PRIM_KIND_TRIANGLE_STRIP_ADJACENCY + 1)

static bool
has(const uint32_t *element, uint32_t count, uint32_t wanted)
{
   for (uint32_t i = 0; i < count; i++) {
      if (element[i] == wanted)
         return true;
   }
   return false;
}

static bool
is_of_quads(enum cf_prim_kind prim)
{
   return prim == CF_PRIM_KIND_QUADS || prim == CF_PRIM_KIND_QUAD_STRIP;
}

/* Whether the last primitive has other vertices than it has in a longer draw. */
static bool
ends_otherwise(enum cf_prim_kind prim)
{
   return prim == CF_PRIM_KIND_LINE_LOOP || prim == CF_PRIM_KIND_TRIANGLE_STRIP_ADJACENCY;
}

static void
check_primitive(const struct look_assembly *assembly, uint32_t p)
{
   const struct cf_draw *draw = &assembly->draw;
   uint32_t element[LOOK_MAX_VERTICES], vertex[3];
   const struct cf_primitive_config config = { 0 };
   const uint32_t count = look_assembly_elements(assembly, p, element),
                  vertices = cf_assemble_vertices(&config, draw->prim, draw->count, p, vertex),
                  up_to = look_assembly_up_to(assembly, p);
   assert_int_equal(count, is_of_quads(draw->prim) ? 4 : vertices);
   for (uint32_t i = 0; i < vertices; i++)
      assert_true(has(element, count, vertex[i]));
   assert_true(up_to <= draw->count);
   assert_true(cf_assemble_count(draw->prim, up_to) > p);
   if (!ends_otherwise(draw->prim))
      assert_true(cf_assemble_count(draw->prim, up_to - 1) <= p);
}

static void
test_elements(void **state)
{
   (void)state;
   for (enum cf_prim_kind prim = 0; prim < KINDS; prim++) {
      for (uint32_t count = 0; count <= MOST_ELEMENTS; count++) {
         const struct cf_draw draw = { .prim = prim, .count = count };
         struct look_assembly assembly;
         assert_true(look_assembly_begin(&assembly, &draw, NULL));
         assert_int_equal(assembly.primitives, cf_assemble_count(prim, count));
         for (uint32_t p = 0; p < assembly.primitives; p++)
            check_primitive(&assembly, p);
         look_assembly_end(&assembly);
      }
   }
}

/* Without primitives there are no elements. */
static void
test_none(void **state)
{
   const struct cf_draw draw = { .prim = CF_PRIM_KIND_TRIANGLES, .count = 2 };
   uint32_t element[LOOK_MAX_VERTICES];
   struct look_assembly assembly;
   (void)state;
   assert_true(look_assembly_begin(&assembly, &draw, NULL));
   assert_int_equal(look_assembly_elements(&assembly, 0, element), 0);
   assert_int_equal(look_assembly_up_to(&assembly, 0), 0);
   look_assembly_end(&assembly);
}

int
main(void)
{
   const struct CMUnitTest tests[] = { cmocka_unit_test(test_elements),
                                       cmocka_unit_test(test_none) };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
