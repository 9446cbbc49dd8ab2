/* SPDX-License-Identifier: MIT
 *
 * Tables of shaders' sources, by topics: shader_sources_*.c, compiled and drawn by
 * shader_sources.c.
 */
#ifndef SHADER_SOURCES_H
#define SHADER_SOURCES_H

#include <stddef.h>

enum { VERTEX = 1, FRAGMENT = 2, BOTH = 3 };
enum outcome { WRONG, RIGHT, TRUE /* right, and leaves true in `ok` */ };

/* body: of main(), behind a default precision; NULL: the source is the global text alone. */
struct source {
   enum outcome outcome;
   unsigned stages;
   const char *global, *body;
};

/* A statement of main(), a declaration, a whole source. */
#define B(outcome, body) { outcome, BOTH, "", body }
#define G(outcome, global) { outcome, BOTH, global, "" }
#define GB(outcome, global, body) { outcome, BOTH, global, body }
#define GV(outcome, global) { outcome, VERTEX, global, "" }
#define GF(outcome, global) { outcome, FRAGMENT, global, "" }
#define BV(outcome, body) { outcome, VERTEX, "", body }
#define BF(outcome, body) { outcome, FRAGMENT, "", body }
#define ALL(outcome, text) { outcome, BOTH, text, NULL }
#define ALL_V(outcome, text) { outcome, VERTEX, text, NULL }
#define ALL_F(outcome, text) { outcome, FRAGMENT, text, NULL }

struct source_topic {
   const char *name;
   const struct source *sources;
   size_t count;
};

#define TOPIC(table) { #table, table, sizeof(table) / sizeof((table)[0]) }

extern const struct source_topic characters_sources, preprocessor_sources, types_sources,
   scopes_sources, qualifiers_sources, expressions_sources, statements_sources, builtins_sources;

#endif
