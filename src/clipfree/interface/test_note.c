/* SPDX-License-Identifier: MIT */
/*
 * What is written to a note is read from it; whatever bytes are read, nothing outside of them is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/interface/cf_note.h"

/* A host without memory; the linker leads the room's calls here. */
static bool refuses;

void *__real_realloc(void *memory, size_t size_B);
void *__wrap_realloc(void *memory, size_t size_B);

void *
__wrap_realloc(void *memory, size_t size_B)
{
   return refuses ? NULL : __real_realloc(memory, size_B);
}

static const struct cf_note_variable tint = { 12, 4, 3, CF_NOTE_FLOAT, 4, 1 };
static const struct cf_note_line lines[] = { { 0, 1, 2, 3, 4 }, { 7, 65535, 0, UINT32_MAX, 1 } };
static const struct cf_note_array arrays[] = { { 1, 2, 9 }, { 7, 0, UINT32_MAX } };
static const uint32_t nir_lines[] = { 0, 9, UINT32_MAX };
static const uint8_t precisions[] = { CF_NOTE_HIGHP, CF_NOTE_MEDIUMP, CF_NOTE_LOWP };
static const struct cf_note_written texels = { 1, 3, 2, 5, { 1, 2 }, { 7, 8 } };

/* A field of each kind, and one that this version does not know, which is left out. */
static void
write_fields(struct cf_note *all)
{
   struct cf_note note = { 0 };
   cf_note_add_text(&note, CF_NOTE_CALL, "glDrawArrays(GL_POINTS, 0, 1) and more", 29);
   cf_note_add_text(&note, CF_NOTE_GROUP, "", 0);
   cf_note_add_variable(&note, CF_NOTE_UNIFORM, &tint, "uniform vec4 tint[3]");
   cf_note_add_variable(&note, CF_NOTE_BLOCK, &tint, "uniform vec4 Light.tint[3]");
   cf_note_add_variable(&note, CF_NOTE_COLOR, &tint, "out vec4 colour");
   cf_note_add_lines(&note, lines, 2);
   cf_note_add_lines(&note, NULL, 0);
   cf_note_add_nir_lines(&note, nir_lines, 3);
   cf_note_add_arrays(&note, arrays, 2);
   cf_note_add_print(&note, &(struct cf_note_print){ 3, 4 }, "print vec4\n%s");
   cf_note_add_precisions(&note, precisions, 3);
   cf_note_add_written(&note, CF_NOTE_WRITTEN_TEXELS, &texels);
   cf_note_add_text(all, CF_NOTE_NAME, "GLSL1", 5);
   const struct cf_note_head unknown = { CF_NOTE_LAST + 1, 3 };
   cf_note_add_fields(all, &unknown, sizeof(unknown));
   cf_note_add_fields(all, "abc", 3);
   cf_note_add_fields(all, note.data, note.size_B);
   cf_note_free(&note);
}

/* Returns where the tables begin. */
static size_t
read_texts(const struct cf_note *all)
{
   struct cf_note_part part;
   size_t at = 0;
   assert_true(cf_note_next(all->data, all->size_B, &at, &part));
   assert_true(part.field == CF_NOTE_NAME && !strcmp(part.text, "GLSL1"));
   assert_true(cf_note_next(all->data, all->size_B, &at, &part));
   assert_true(part.field == CF_NOTE_CALL && !strcmp(part.text, "glDrawArrays(GL_POINTS, 0, 1)"));
   assert_true(cf_note_next(all->data, all->size_B, &at, &part));
   assert_true(part.field == CF_NOTE_GROUP && !strcmp(part.text, ""));
   assert_true(cf_note_next(all->data, all->size_B, &at, &part));
   assert_true(part.field == CF_NOTE_UNIFORM && !strcmp(part.text, "uniform vec4 tint[3]"));
   assert_memory_equal(&part.variable, &tint, sizeof(tint));
   assert_true(cf_note_next(all->data, all->size_B, &at, &part));
   assert_true(part.field == CF_NOTE_BLOCK && !strcmp(part.text, "uniform vec4 Light.tint[3]"));
   assert_memory_equal(&part.variable, &tint, sizeof(tint));
   assert_true(cf_note_next(all->data, all->size_B, &at, &part));
   assert_true(part.field == CF_NOTE_COLOR && !strcmp(part.text, "out vec4 colour"));
   assert_memory_equal(&part.variable, &tint, sizeof(tint));
   return at;
}

/* Returns where they end. */
static size_t
read_tables(const struct cf_note *all, size_t at)
{
   struct cf_note_part part;
   assert_true(cf_note_next(all->data, all->size_B, &at, &part));
   assert_true(part.field == CF_NOTE_LINES && part.count == 2 && !part.text);
   for (uint32_t i = 0; i < 2; i++) {
      const struct cf_note_line line = cf_note_line(&part, i);
      assert_memory_equal(&line, &lines[i], sizeof(line));
   }
   assert_true(cf_note_next(all->data, all->size_B, &at, &part));
   assert_true(part.field == CF_NOTE_LINES && part.count == 0);
   assert_true(cf_note_next(all->data, all->size_B, &at, &part));
   assert_true(part.field == CF_NOTE_NIR_LINES && part.count == 3 && !part.text);
   for (uint32_t i = 0; i < 3; i++)
      assert_int_equal(cf_note_nir_line(&part, i), nir_lines[i]);
   assert_true(cf_note_next(all->data, all->size_B, &at, &part));
   assert_true(part.field == CF_NOTE_ARRAYS && part.count == 2 && !part.text);
   for (uint32_t i = 0; i < 2; i++) {
      const struct cf_note_array array = cf_note_array(&part, i);
      assert_memory_equal(&array, &arrays[i], sizeof(array));
   }
   assert_true(cf_note_next(all->data, all->size_B, &at, &part));
   assert_true(part.field == CF_NOTE_PRINT && !strcmp(part.text, "print vec4\n%s"));
   assert_true(part.print.place == 3 && part.print.dwords == 4);
   assert_true(cf_note_next(all->data, all->size_B, &at, &part));
   assert_true(part.field == CF_NOTE_PRECISIONS && part.count == 3 && !part.text);
   assert_memory_equal(part.table, precisions, 3);
   assert_true(cf_note_next(all->data, all->size_B, &at, &part));
   assert_true(part.field == CF_NOTE_WRITTEN_TEXELS && !part.text);
   assert_memory_equal(&part.written, &texels, sizeof(texels));
   return at;
}

static void
gives_back(void **state)
{
   struct cf_note all = { 0 };
   struct cf_note_part part;
   write_fields(&all);
   size_t at = read_tables(&all, read_texts(&all));
   assert_false(cf_note_next(all.data, all.size_B, &at, &part));
   assert_false(cf_note_next(NULL, 0, &(size_t){ 0 }, &part));
   cf_note_free(&all);
}

/* A note never gets longer than it may be; what follows a field that was left out is there. */
static void
has_a_limit(void **state)
{
   struct cf_note note = { 0 };
   char *source = malloc(CF_NOTE_MAX_B);
   memset(source, 'x', CF_NOTE_MAX_B);
   const size_t head_B = sizeof(struct cf_note_head);
   cf_note_add_text(&note, CF_NOTE_SOURCE, source, CF_NOTE_MAX_B - head_B); /* and its end */
   assert_int_equal(note.size_B, 0);
   cf_note_add_text(&note, CF_NOTE_NAME, "a", 1);
   const uint32_t used_B = note.size_B;
   cf_note_add_text(&note, CF_NOTE_SOURCE, source, CF_NOTE_MAX_B - used_B - head_B);
   assert_int_equal(note.size_B, used_B);
   cf_note_add_fields(&note, source, CF_NOTE_MAX_B);
   assert_int_equal(note.size_B, used_B);
   cf_note_add_lines(&note, (const void *)source, CF_NOTE_MAX_B / 16);
   cf_note_add_lines(&note, (const void *)source, UINT32_MAX);
   cf_note_add_precisions(&note, (const void *)source, CF_NOTE_MAX_B);
   assert_int_equal(note.size_B, used_B);
   cf_note_add_text(&note, CF_NOTE_SOURCE, source, CF_NOTE_MAX_B - used_B - head_B - 1);
   assert_int_equal(note.size_B, CF_NOTE_MAX_B);
   cf_note_add_written(&note, CF_NOTE_WRITTEN_BYTES, &(struct cf_note_written){ 0 });
   cf_note_add_text(&note, CF_NOTE_NAME, source, CF_NOTE_MAX_B + 1);
   cf_note_add_fields(&note, source, 0);
   assert_int_equal(note.size_B, CF_NOTE_MAX_B);
   struct cf_note_part part;
   size_t at = CF_NOTE_MAX_B + 1; /* behind its end there is none */
   assert_false(cf_note_next(note.data, note.size_B, &at, &part));
   cf_note_free(&note);
   free(source);
}

/* Without memory a field is left out, and the next one is there. */
static void
has_no_memory(void **state)
{
   struct cf_note note = { 0 };
   refuses = true;
   cf_note_add_text(&note, CF_NOTE_NAME, "lost", 4);
   refuses = false;
   assert_int_equal(note.size_B, 0);
   cf_note_add_text(&note, CF_NOTE_NAME, "kept", 4);
   struct cf_note_part part;
   size_t at = 0;
   assert_true(cf_note_next(note.data, note.size_B, &at, &part));
   assert_string_equal(part.text, "kept");
   assert_false(cf_note_next(note.data, note.size_B, &at, &part));
   cf_note_free(&note);
}

static void
names_lines(void **state)
{
   static const struct {
      struct cf_note_line line;
      const char *name;
   } cases[] = {
      { { 0, 0, 0, 12, 12 }, "12" },
      { { 0, 0, 2, 1, 40 }, "2:1" },
      { { 0, 1, 0, 7, 7 }, "7 of object 1" },
      { { 0, 65535, 65535, UINT32_MAX, 1 }, "65535:4294967295 of object 65535" },
   };
   for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
      char name[CF_NOTE_LINE_NAME_B];
      cf_note_line_name(&cases[i].line, name);
      assert_string_equal(name, cases[i].name);
   }
}

static void
finds_lines_of_sources(void **state)
{
   static const char source[] = "first;\n\n  a = b;\t \r\n\t\nlast";
   static const char *const lines[] = { NULL, "first;", "", "a = b;", "", "last", NULL };
   for (uint32_t n = 0; n < 7; n++) {
      int length = -1;
      const char *line = cf_note_source_line(source, n, &length);
      assert_int_equal(!line, !lines[n]);
      assert_true(!line || (length == (int)strlen(lines[n]) && !strncmp(line, lines[n], length)));
   }
   assert_null(cf_note_source_line(NULL, 1, &(int){ 0 }));
}

/* Each note lies at the end of its own allocation, where a sanitizer sees what is read beyond. */
static void
malformed(void **state)
{
   struct cf_random random = cf_random_seed("interface-note");
   for (unsigned round = 0; round < 20000; round++) {
      struct cf_note note = { 0 };
      const struct cf_note_variable variable = { 0 };
      cf_note_add_text(&note, CF_NOTE_CALL, "a call", 6);
      cf_note_add_variable(&note, CF_NOTE_INPUT, &variable, "in float x");
      cf_note_add_lines(&note, &(struct cf_note_line){ 0 }, 1);
      cf_note_add_nir_lines(&note, &(uint32_t){ 1 }, 1);
      cf_note_add_arrays(&note, &(struct cf_note_array){ 1 }, 1);
      cf_note_add_print(&note, &(struct cf_note_print){ 0 }, "assert bool\nok");
      cf_note_add_written(&note, CF_NOTE_WRITTEN_BYTES, &(struct cf_note_written){ 0 });
      const size_t size_B = cf_random_below(&random, note.size_B + 1);
      uint8_t *bytes = malloc(size_B + 1);
      memcpy(bytes, note.data, size_B);
      for (unsigned i = 0; i < 2 && size_B > 0; i++)
         bytes[cf_random_below(&random, (uint32_t)size_B)] = (uint8_t)cf_random_u32(&random);
      bytes = realloc(bytes, size_B ? size_B : 1);
      struct cf_note_part part;
      unsigned parts = 0;
      for (size_t at = 0; cf_note_next(bytes, size_B, &at, &part); parts++) {
         assert_in_range(at, 1, size_B);
         const uint32_t entry_B = part.field == CF_NOTE_LINES        ? 16
                                  : part.field == CF_NOTE_ARRAYS     ? 12
                                  : part.field == CF_NOTE_PRECISIONS ? 1
                                                                     : 4;
         if (part.table)
            assert_true(part.table + entry_B * part.count == bytes + at);
         else if (part.text)
            assert_true((const uint8_t *)part.text + strlen(part.text) < bytes + at);
      }
      assert_true(parts <= size_B / 8);
      cf_note_free(&note);
      free(bytes);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(gives_back),
      cmocka_unit_test(has_a_limit),
      cmocka_unit_test(has_no_memory),
      cmocka_unit_test(names_lines),
      cmocka_unit_test(finds_lines_of_sources),
      cmocka_unit_test(malformed),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
