/* SPDX-License-Identifier: MIT */
/*
 * An open-addressing hash table of the distinct vertices found so far. It stores part of each
 * vertex' hash, so that bytes are practically only compared for equal vertices.
 */
#include "clipfree_equal_vertices.h"

#include <stdlib.h>
#include <string.h>

/* Average number of probes per vertex at which the search is abandoned. */
#define CF_MEAN_PROBES 16

struct cf_equal_entry {
   uint32_t hash;
   uint32_t vertex_1; /* vertex number + 1; 0: empty */
};

struct cf_equal_search {
   struct cf_equal_entry *table;
   uint32_t places;
   uint32_t *same; /* results for the vertices before `next` */
   uint32_t next, vertices;
   uint32_t different, limit;
   uint64_t probes_left;
   bool abandoned;
};

static inline uint64_t
cf_hash_word(uint64_t hash, uint64_t word)
{
   hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
   return hash ^ hash >> 32;
}

static inline uint64_t
cf_hash_bytes(uint64_t hash, const uint8_t *bytes, uint32_t size_B)
{
   for (; size_B >= 8; bytes += 8, size_B -= 8) {
      uint64_t word;
      memcpy(&word, bytes, 8);
      hash = cf_hash_word(hash, word);
   }
   if (size_B >= 4) {
      uint32_t word;
      memcpy(&word, bytes, 4);
      hash = cf_hash_word(hash, word);
      bytes += 4;
      size_B -= 4;
   }
   for (; size_B > 0; bytes++, size_B--)
      hash = cf_hash_word(hash, *bytes);
   return hash;
}

static uint32_t
cf_hash_vertex(const struct cf_vertex_bytes *attributes, unsigned attribute_count, uint32_t vertex)
{
   uint64_t hash = 0;
   for (unsigned i = 0; i < attribute_count; i++)
      hash = cf_hash_bytes(hash, attributes[i].first + (size_t)vertex * attributes[i].stride_B,
                           attributes[i].size_B);
   return (uint32_t)hash;
}

static bool
cf_vertices_are_equal(const struct cf_vertex_bytes *attributes, unsigned attribute_count,
                      uint32_t a, uint32_t b)
{
   for (unsigned i = 0; i < attribute_count; i++) {
      const struct cf_vertex_bytes *at = &attributes[i];
      if (memcmp(at->first + (size_t)a * at->stride_B, at->first + (size_t)b * at->stride_B,
                 at->size_B))
         return false;
   }
   return true;
}

struct cf_equal_search *
cf_equal_search_begin(uint32_t vertices, uint32_t limit)
{
   uint32_t places = 64;
   while (places < UINT32_C(1) << 31 && places - places / 4 < limit)
      places *= 2;
   struct cf_equal_search *search = calloc(1, sizeof(*search));
   if (!search)
      return NULL;
   *search = (struct cf_equal_search){
      .table = calloc(places, sizeof(*search->table)),
      .same = malloc(vertices * sizeof(*search->same)),
      .places = places,
      .vertices = vertices,
      .limit = limit,
      .probes_left = (uint64_t)CF_MEAN_PROBES * vertices,
   };
   if (!search->table || !search->same) {
      cf_equal_search_end(search);
      return NULL;
   }
   return search;
}

void
cf_equal_search_end(struct cf_equal_search *search)
{
   if (!search)
      return;
   free(search->table);
   free(search->same);
   free(search);
}

/* Look up the next vertex among the earlier ones. False: the search is abandoned. */
static bool
cf_equal_search_next(struct cf_equal_search *search, const struct cf_vertex_bytes *attributes,
                     unsigned attribute_count)
{
   struct cf_equal_entry *table = search->table;
   const uint32_t vertex = search->next++,
                  hash = cf_hash_vertex(attributes, attribute_count, vertex);
   uint32_t at = hash & (search->places - 1);

   while (table[at].vertex_1 && search->probes_left > 0 &&
          (table[at].hash != hash ||
           !cf_vertices_are_equal(attributes, attribute_count, table[at].vertex_1 - 1, vertex))) {
      at = (at + 1) & (search->places - 1);
      search->probes_left--;
   }
   if (search->probes_left == 0 || (!table[at].vertex_1 && search->different == search->limit))
      return false;
   if (!table[at].vertex_1) {
      table[at] = (struct cf_equal_entry){ hash, vertex + 1 };
      search->different++;
   }
   search->same[vertex] = table[at].vertex_1 - 1;
   return true;
}

bool
cf_equal_search_step(struct cf_equal_search *search, const struct cf_vertex_bytes *attributes,
                      unsigned attribute_count, uint32_t count)
{
   for (; count > 0 && search->next < search->vertices && !search->abandoned; count--)
      search->abandoned = !cf_equal_search_next(search, attributes, attribute_count);
   return search->abandoned || search->next == search->vertices;
}

const uint32_t *
cf_equal_search_result(const struct cf_equal_search *search, uint32_t *different)
{
   *different = search->abandoned ? 0 : search->different;
   return search->abandoned ? NULL : search->same;
}
