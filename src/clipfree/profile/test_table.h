/* SPDX-License-Identifier: MIT */
/*
 * For tests: files of statistics (cf_stats_file.h), read.
 */
#ifndef CF_TEST_TABLE_H
#define CF_TEST_TABLE_H

#include "clipfree/profile/cf_stats.h"

#define TEST_COLUMNS (CF_STAT_TEXTS + CF_STATS)
#define TEST_LINES 2000

/* A file as lines of cells; line 0 is its head. */
struct test_table {
   char *text;
   uint32_t lines;
   char *cell[TEST_LINES][TEST_COLUMNS];
};

#define TEST_NAME_B 32

/** Make the name of a new file in /tmp. Fails if it cannot, as all functions here. */
void test_make_name(char name[TEST_NAME_B]);

/** Read a file that ends with a whole row. */
void test_read_table(struct test_table *table, const char *name);
void test_free_table(struct test_table *table);

/** Drop all lines but the head and the rows of a kind. */
void test_keep_rows(struct test_table *table, const char *kind);

uint64_t test_number(const struct test_table *table, uint32_t line, enum cf_stat stat);

#endif
