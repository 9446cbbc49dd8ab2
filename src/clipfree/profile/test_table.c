/* SPDX-License-Identifier: MIT */
#include "clipfree/profile/test_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT_B (1u << 21)

void
test_make_name(char name[TEST_NAME_B])
{
   strcpy(name, "/tmp/cf_profile_XXXXXX");
   const int fd = mkstemp(name);
   assert_true(fd >= 0);
   close(fd);
}

/* Terminate a cell, which is unquoted in place. Returns what follows `end`, which must be there. */
static char *
end_cell(char *at, char end)
{
   char *to = at;
   const bool quoted = *at == '"';
   for (at += quoted; *at; at++) {
      if (quoted ? *at == '"' && *++at != '"' : strchr(",\"\r\n", *at) != NULL)
         break;
      *to++ = *at;
   }
   assert_int_equal(*at, end);
   *to = 0;
   return at + 1;
}

void
test_read_table(struct test_table *table, const char *name)
{
   FILE *file = fopen(name, "r");
   assert_non_null(file);
   table->text = calloc(1, LIMIT_B);
   const size_t size_B = fread(table->text, 1, LIMIT_B - 1, file);
   fclose(file);
   assert_true(size_B > 0 && size_B < LIMIT_B - 1 && table->text[size_B - 1] == '\n');
   char *at = table->text;
   table->lines = 0;
   while (*at) {
      assert_true(table->lines < TEST_LINES);
      char **cell = table->cell[table->lines++];
      for (uint32_t i = 0; i < TEST_COLUMNS; i++) {
         cell[i] = at;
         at = end_cell(at, i + 1 < TEST_COLUMNS ? ',' : '\n');
      }
   }
}

void
test_keep_rows(struct test_table *table, const char *kind)
{
   uint32_t kept = 1;
   for (uint32_t line = 1; line < table->lines; line++) {
      if (strcmp(table->cell[line][CF_STAT_KIND], kind) == 0)
         memcpy(table->cell[kept++], table->cell[line], sizeof(table->cell[0]));
   }
   table->lines = kept;
}

void
test_free_table(struct test_table *table)
{
   free(table->text);
}

uint64_t
test_number(const struct test_table *table, uint32_t line, enum cf_stat stat)
{
   return strtoull(table->cell[line][CF_STAT_TEXTS + stat], NULL, 0);
}
