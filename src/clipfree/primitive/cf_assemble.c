/* SPDX-License-Identifier: MIT */
/*
 * Primitive assembly (GL 2.1 section 2.6, provoking vertices of ARB_provoking_vertex): which
 * vertices of a run make primitive i, in which order (windings of a strip agree), which of them
 * provokes, and which sides are edges of the polygon. Quads are cut along the diagonal 1 - 3,
 * polygons into fans.
 */
#include "clipfree/base/cf_inline.h"
#include "clipfree/primitive/cf_line.h"
#include "clipfree/primitive/cf_point.h"
#include "clipfree/primitive/cf_triangle.h"

/* The face of points and lines that do not outline a polygon. */
static const struct cf_face no_face = { .front = true };

/* An assembled primitive: numbers of vertices in the run. */
struct assembled {
   uint32_t vertex[3], provoking;
   uint32_t edge_flags;   /* triangles: bit k: the side from vertex k to the next is an edge of the
                             polygon */
   bool use_vertex_flags; /* vertices say whether the edges that begin at them are (points, lines,
                             strips and fans: all are) */
};

/* Limit: if a stippled strip is set up in parts, a part derives its place in the pattern from at
 * most this many lines before it. */
#define CF_MAX_STIPPLED_LINES 1024

uint32_t
cf_assemble_count(enum cf_prim_kind prim, uint32_t count)
{
   switch (prim) {
   case CF_PRIM_KIND_POINTS:
      return count;
   case CF_PRIM_KIND_LINES:
      return count / 2;
   case CF_PRIM_KIND_LINE_LOOP:
      return count >= 2 ? count : 0;
   case CF_PRIM_KIND_LINE_STRIP:
      return count >= 2 ? count - 1 : 0;
   case CF_PRIM_KIND_TRIANGLES:
      return count / 3;
   case CF_PRIM_KIND_TRIANGLE_STRIP:
   case CF_PRIM_KIND_TRIANGLE_FAN:
   case CF_PRIM_KIND_POLYGON:
      return count >= 3 ? count - 2 : 0;
   case CF_PRIM_KIND_QUADS:
      return count / 4 * 2;
   case CF_PRIM_KIND_QUAD_STRIP:
      return count >= 4 ? (count - 2) / 2 * 2 : 0;
   case CF_PRIM_KIND_LINES_ADJACENCY:
      return count / 4;
   case CF_PRIM_KIND_LINE_STRIP_ADJACENCY:
      return count >= 4 ? count - 3 : 0;
   case CF_PRIM_KIND_TRIANGLES_ADJACENCY:
      return count / 6;
   case CF_PRIM_KIND_TRIANGLE_STRIP_ADJACENCY:
      return count >= 6 ? count / 2 - 2 : 0;
   }
   return 0;
}

/* Half of the quad a, b, c, d (around it): a b d, then b c d. */
static struct assembled
half_quad(uint32_t half, uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t provoking)
{
   if (half == 0)
      return (struct assembled){ { a, b, d }, provoking, 1 << 0 | 1 << 2, false };
   return (struct assembled){ { b, c, d }, provoking, 1 << 0 | 1 << 1, false };
}

static struct assembled
strip_triangle(uint32_t i, bool first)
{
   const uint32_t odd = i & 1;
   return (
      struct assembled){ { i + odd, i + 1 - odd, i + 2 }, first ? i : i + 2, CF_EDGES_ALL, false };
}

/* A triangle of a strip whose vertices lie between those beside them. */
static struct assembled
adjacency_strip_triangle(uint32_t i, bool first)
{
   struct assembled p = strip_triangle(i, first);
   for (uint32_t k = 0; k < 3; k++)
      p.vertex[k] *= 2;
   p.provoking *= 2;
   return p;
}

/* Sides from and to vertex 0 are edges only at the ends of the polygon. */
static struct assembled
polygon_triangle(uint32_t i, uint32_t count)
{
   const uint32_t flags = 1 << 1 | (i == 0) << 0 | (i + 3 == count) << 2;
   return (struct assembled){ { 0, i + 1, i + 2 }, 0, flags, true };
}

/* Primitive i of a run of count vertices; first: provoking vertex convention. */
CF_INLINE struct assembled
assemble(enum cf_prim_kind prim, uint32_t count, uint32_t i, bool first)
{
   const uint32_t q = i / 2;
   struct assembled p;
   switch (prim) {
   case CF_PRIM_KIND_LINES:
      return (struct assembled){ { 2 * i, 2 * i + 1 }, first ? 2 * i : 2 * i + 1, 0, false };
   case CF_PRIM_KIND_LINE_STRIP:
      return (struct assembled){ { i, i + 1 }, first ? i : i + 1, 0, false };
   case CF_PRIM_KIND_LINE_LOOP: {
      const uint32_t end = i + 1 == count ? 0 : i + 1;
      return (struct assembled){ { i, end }, first ? i : end, 0, false };
   }
   case CF_PRIM_KIND_TRIANGLES:
      return (struct assembled){
         { 3 * i, 3 * i + 1, 3 * i + 2 }, first ? 3 * i : 3 * i + 2, CF_EDGES_ALL, true
      };
   case CF_PRIM_KIND_TRIANGLE_STRIP:
      return strip_triangle(i, first);
   case CF_PRIM_KIND_TRIANGLE_FAN:
      return (struct assembled){ { 0, i + 1, i + 2 }, first ? i + 1 : i + 2, CF_EDGES_ALL, false };
   case CF_PRIM_KIND_POLYGON:
      return polygon_triangle(i, count);
   case CF_PRIM_KIND_QUADS:
      p = half_quad(i & 1, 4 * q, 4 * q + 1, 4 * q + 2, 4 * q + 3, first ? 4 * q : 4 * q + 3);
      p.use_vertex_flags = true;
      return p;
   case CF_PRIM_KIND_QUAD_STRIP:
      return half_quad(i & 1, 2 * q, 2 * q + 1, 2 * q + 3, 2 * q + 2, first ? 2 * q : 2 * q + 3);
   case CF_PRIM_KIND_LINES_ADJACENCY:
      return (struct assembled){ { 4 * i + 1, 4 * i + 2 }, 4 * i + (first ? 1 : 2), 0, false };
   case CF_PRIM_KIND_LINE_STRIP_ADJACENCY:
      return (struct assembled){ { i + 1, i + 2 }, i + (first ? 1 : 2), 0, false };
   case CF_PRIM_KIND_TRIANGLES_ADJACENCY:
      return (struct assembled){
         { 6 * i, 6 * i + 2, 6 * i + 4 }, 6 * i + (first ? 0 : 4), CF_EDGES_ALL, true
      };
   case CF_PRIM_KIND_TRIANGLE_STRIP_ADJACENCY:
      return adjacency_strip_triangle(i, first);
   case CF_PRIM_KIND_POINTS:
      break;
   }
   return (struct assembled){ { i }, i, 0, false };
}

uint32_t
cf_assemble_vertices(const struct cf_primitive_config *config, enum cf_prim_kind prim, uint32_t count, uint32_t i,
                     uint32_t vertex[3])
{
   const struct assembled p = assemble(prim, count, i, config->raster.provoking_first);
   for (uint32_t k = 0; k < cf_prim_kind_vertices(prim); k++)
      vertex[k] = p.vertex[k];
   return cf_prim_kind_vertices(prim);
}

/* Triangle i of a strip with adjacency (GL 3.2 table 2.4, from 0): odd ones begin with their second
 * vertex; beside the strip's first and last sides are its first and last vertices. */
static void
adjacency_strip_inputs(uint32_t count, uint32_t i, uint32_t vertex[6])
{
   const bool is_last = i + 1 == cf_assemble_count(CF_PRIM_KIND_TRIANGLE_STRIP_ADJACENCY, count);
   const uint32_t begin = 2 * i, odd = i & 1;
   const uint32_t before = i == 0 ? 1 : begin - 2, after = is_last ? begin + 5 : begin + 6;
   vertex[0] = odd ? begin + 2 : begin;
   vertex[1] = before;
   vertex[2] = odd ? begin : begin + 2;
   vertex[3] = odd ? begin + 3 : after;
   vertex[4] = begin + 4;
   vertex[5] = odd ? after : begin + 3;
}

uint32_t
cf_assemble_list_vertices(enum cf_prim_kind prim)
{
   switch (prim) {
   case CF_PRIM_KIND_POINTS:
      return 1;
   case CF_PRIM_KIND_LINES:
      return 2;
   case CF_PRIM_KIND_TRIANGLES:
      return 3;
   case CF_PRIM_KIND_LINES_ADJACENCY:
      return 4;
   case CF_PRIM_KIND_TRIANGLES_ADJACENCY:
      return 6;
   default:
      return 0;
   }
}

uint32_t
cf_assemble_inputs(enum cf_prim_kind prim, uint32_t count, uint32_t i, uint32_t vertex[6])
{
   uint32_t vertices = 4;
   switch (prim) {
   case CF_PRIM_KIND_LINES_ADJACENCY:
   case CF_PRIM_KIND_LINE_STRIP_ADJACENCY:
      for (uint32_t k = 0; k < 4; k++)
         vertex[k] = (prim == CF_PRIM_KIND_LINES_ADJACENCY ? 4 * i : i) + k;
      return vertices;
   case CF_PRIM_KIND_TRIANGLES_ADJACENCY:
      for (uint32_t k = 0; k < 6; k++)
         vertex[k] = 6 * i + k;
      return 6;
   case CF_PRIM_KIND_TRIANGLE_STRIP_ADJACENCY:
      adjacency_strip_inputs(count, i, vertex);
      return 6;
   default: {
      const struct assembled p = assemble(prim, count, i, false);
      vertices = cf_prim_kind_vertices(prim);
      for (uint32_t k = 0; k < vertices; k++)
         vertex[k] = p.vertex[k];
      return vertices;
   }
   }
}

uint32_t
cf_assemble_in_order(const struct cf_primitive_config *config, enum cf_prim_kind prim,
                     uint32_t count, uint32_t i, uint32_t vertex[3])
{
   const bool first = config->raster.provoking_first;
   const struct assembled p = assemble(prim, count, i, first);
   const uint32_t vertices = cf_prim_kind_vertices(prim);
   uint32_t begin = 0;
   while (first && begin < vertices && p.vertex[begin] != p.provoking)
      begin++;
   for (uint32_t k = 0; k < vertices; k++)
      vertex[k] = p.vertex[(begin + k) % vertices];
   return vertices;
}

/* Edge flags of the vertices (output 5) that edges begin at; only polygon modes read them. */
static uint32_t
edge_flags(const struct assembled *p, const float *const v[3])
{
   uint32_t flags = p->edge_flags;
   for (uint32_t k = 0; p->use_vertex_flags && k < 3; k++)
      if (v[k][5] == 0.0f)
         flags &= ~(1u << k);
   return flags;
}

/* True if lines of this kind continue the stipple pattern of those before them. */
static bool
continues_stipple(const struct cf_primitive_config *config, enum cf_prim_kind prim)
{
   return config->raster.line_stipple &&
          (prim == CF_PRIM_KIND_LINE_STRIP || prim == CF_PRIM_KIND_LINE_LOOP);
}

/* The first line of a strip that counts for the place in the stipple pattern at line `begin`. */
static uint32_t
stipple_begin(uint32_t begin)
{
   return begin > CF_MAX_STIPPLED_LINES ? begin - CF_MAX_STIPPLED_LINES : 0;
}

/* Place in the stipple pattern at line `begin` of a strip. */
static uint32_t
stipple_at(const struct cf_setup *setup, uint32_t begin, const float *const *vertex)
{
   uint32_t stipple = 0;
   for (uint32_t i = stipple_begin(begin); i < begin; i++)
      cf_line_advance_stipple(setup, vertex[i], vertex[i + 1], &stipple);
   return stipple;
}

/* How many primitives set-up takes at once: filled triangles, plain lines. */
static uint32_t
batch_of(const struct cf_setup *setup, enum cf_prim_kind prim)
{
   switch (cf_prim_kind_vertices(prim)) {
   case 3:
      return cf_triangle_all_filled(setup->config) ? CF_TRIANGLE_BATCH : 1;
   case 2:
      return cf_lines_are_plain(setup->config) ? CF_LINE_BATCH : 1;
   default:
      return 1;
   }
}

void
cf_prim_gather_begin(struct cf_prim_gather *gather, const struct cf_setup *setup,
                     enum cf_prim_kind prim)
{
   _Static_assert(CF_GATHERED >= CF_TRIANGLE_BATCH && CF_GATHERED >= CF_LINE_BATCH, "room");
   gather->setup = setup;
   gather->prim = prim;
   gather->batch = batch_of(setup, prim);
   gather->count = 0;
}

void
cf_prim_gather_add(struct cf_prim_gather *gather, uint32_t count, uint32_t begin, uint32_t end,
                   const float *const *vertex)
{
   const bool first = gather->setup->config->raster.provoking_first;
   const uint32_t vertices = cf_prim_kind_vertices(gather->prim);
   if (gather->batch == 1) {
      cf_assemble(gather->setup, gather->prim, count, begin, end, vertex);
      return;
   }
   for (uint32_t i = begin; i < end; i++) {
      const struct assembled p = assemble(gather->prim, count, i, first);
      for (uint32_t k = 0; k < vertices; k++)
         gather->vertex[gather->count * vertices + k] = vertex[p.vertex[k]];
      gather->provoking[gather->count++] = vertex[p.provoking];
      if (gather->count == gather->batch)
         cf_prim_gather_end(gather);
   }
}

void
cf_prim_gather_end(struct cf_prim_gather *gather)
{
   const struct cf_setup *setup = gather->setup;
   if (gather->count == 0)
      return;
   if (cf_prim_kind_vertices(gather->prim) == 3)
      setup->triangle->setup_filled(setup, (const float *const(*)[3])gather->vertex,
                                    gather->provoking, 1, gather->count);
   else
      setup->line->setup(setup, (const float *const(*)[2])gather->vertex, gather->provoking,
                         gather->count);
   gather->count = 0;
}

/* Primitives begin .. end - 1 of one run, where set-up takes several at once. */
static void
setup_gathered(const struct cf_setup *setup, enum cf_prim_kind prim, uint32_t count, uint32_t begin,
               uint32_t end, const float *const *vertex)
{
   struct cf_prim_gather gather;
   cf_prim_gather_begin(&gather, setup, prim);
   cf_prim_gather_add(&gather, count, begin, end, vertex);
   cf_prim_gather_end(&gather);
}

/* The same for separate triangles that are filled: their vertex pointers already have the layout
 * set-up needs. */
static void
setup_separate_triangles(const struct cf_setup *setup, uint32_t begin, uint32_t end,
                         const float *const *vertex)
{
   const float *const(*v)[3] = (const float *const(*)[3])vertex;
   const uint32_t provoking = setup->config->raster.provoking_first ? 0 : 2;
   for (uint32_t i = begin, n; i < end; i += n) {
      n = end - i < CF_TRIANGLE_BATCH ? end - i : CF_TRIANGLE_BATCH;
      setup->triangle->setup_filled(setup, v + i, &v[i][provoking], 3, n);
   }
}

static void
setup_triangles(const struct cf_setup *setup, enum cf_prim_kind prim, uint32_t count, uint32_t begin,
                uint32_t end, const float *const *vertex)
{
   const struct cf_raster *raster = &setup->config->raster;
   const bool outline =
      raster->fill_front != CF_POLYGON_MODE_FILL || raster->fill_back != CF_POLYGON_MODE_FILL;
   for (uint32_t i = begin; i < end; i++) {
      const struct assembled p = assemble(prim, count, i, raster->provoking_first);
      const float *const v[3] = { vertex[p.vertex[0]], vertex[p.vertex[1]], vertex[p.vertex[2]] };
      setup->triangle->setup(setup, v, vertex[p.provoking], outline ? edge_flags(&p, v) : CF_EDGES_ALL);
   }
}

static void
setup_lines(const struct cf_setup *setup, enum cf_prim_kind prim, uint32_t count, uint32_t begin, uint32_t end,
            const float *const *vertex)
{
   const bool continues = continues_stipple(setup->config, prim);
   uint32_t stipple = continues ? stipple_at(setup, begin, vertex) : 0;
   for (uint32_t i = begin; i < end; i++) {
      const struct assembled p = assemble(prim, count, i, setup->config->raster.provoking_first);
      stipple = continues ? stipple : 0;
      cf_setup_line(setup, vertex[p.vertex[0]], vertex[p.vertex[1]], vertex[p.provoking], &no_face, &stipple);
   }
}

static void
setup_points(const struct cf_setup *setup, uint32_t begin, uint32_t end, const float *const *vertex)
{
   const uint32_t most = cf_points_are_batched(setup->config) ? CF_POINT_BATCH : 1;
   for (uint32_t i = begin, n; i < end; i += n) {
      n = cf_min_u32(end - i, most);
      if (most > 1)
         setup->point->setup(setup, &vertex[i], n);
      else
         cf_setup_point(setup, vertex[i], vertex[i], &no_face);
   }
}

void
cf_assemble(const struct cf_setup *setup, enum cf_prim_kind prim, uint32_t count, uint32_t begin, uint32_t end,
            const float *const *vertex)
{
   const bool gathers = batch_of(setup, prim) > 1;
   if (gathers && prim == CF_PRIM_KIND_TRIANGLES)
      setup_separate_triangles(setup, begin, end, vertex);
   else if (gathers)
      setup_gathered(setup, prim, count, begin, end, vertex);
   else if (cf_prim_kind_vertices(prim) == 3)
      setup_triangles(setup, prim, count, begin, end, vertex);
   else if (cf_prim_kind_vertices(prim) == 2)
      setup_lines(setup, prim, count, begin, end, vertex);
   else
      setup_points(setup, begin, end, vertex);
}

/* Widen the range by vertex n of primitive i. */
static void
span_add(enum cf_prim_kind prim, uint32_t n, bool closes_loop, uint32_t *first, uint32_t *last,
         bool *needs_vertex_0)
{
   if (n == 0 &&
       (prim == CF_PRIM_KIND_TRIANGLE_FAN || prim == CF_PRIM_KIND_POLYGON || closes_loop)) {
      *needs_vertex_0 = true;
      return;
   }
   *first = n < *first ? n : *first;
   *last = n > *last ? n : *last;
}

/* The vertices of primitives begin .. end - 1 of a kind with adjacency, those beside them
 * included. */
static void
adjacency_span(enum cf_prim_kind prim, uint32_t count, uint32_t begin, uint32_t end,
               uint32_t *first, uint32_t *last)
{
   uint32_t vertex[6];
   *first = UINT32_MAX;
   *last = 0;
   for (uint32_t i = begin; i < end; i = i + 1 < end ? end - 1 : end) {
      const uint32_t vertices = cf_assemble_inputs(prim, count, i, vertex);
      for (uint32_t k = 0; k < vertices; k++) {
         *first = vertex[k] < *first ? vertex[k] : *first;
         *last = vertex[k] > *last ? vertex[k] : *last;
      }
   }
}

void
cf_assemble_span(const struct cf_primitive_config *config, enum cf_prim_kind prim, uint32_t count,
                 uint32_t begin, uint32_t end, uint32_t *first, uint32_t *last,
                 bool *needs_vertex_0)
{
   const uint32_t vertices = cf_prim_kind_vertices(prim);
   if (prim == CF_PRIM_KIND_TRIANGLES) {
      *first = 3 * begin;
      *last = 3 * end - 1;
      *needs_vertex_0 = false;
      return;
   }
   *needs_vertex_0 = false;
   if (prim >= CF_PRIM_KIND_LINES_ADJACENCY) {
      adjacency_span(prim, count, begin, end, first, last);
      return;
   }
   *first = UINT32_MAX;
   *last = 0;
   /* vertex numbers grow with i, except within a quad or a pair of strip triangles: the extremes
    * are in the first primitive and the last two */
   const uint32_t tail = end - begin > 2 ? end - 2 : begin;
   for (uint32_t i = begin; i < end; i = i == begin && tail > i ? tail : i + 1) {
      const bool closes_loop = prim == CF_PRIM_KIND_LINE_LOOP && i + 1 == count;
      for (uint32_t convention = 0; convention < 2; convention++) {
         const struct assembled p = assemble(prim, count, i, convention != 0);
         for (uint32_t k = 0; k < vertices; k++)
            span_add(prim, p.vertex[k], closes_loop, first, last, needs_vertex_0);
         span_add(prim, p.provoking, closes_loop, first, last, needs_vertex_0);
      }
   }
   *first = *first == UINT32_MAX ? 0 : *first;
   if (continues_stipple(config, prim))
      *first = stipple_begin(begin);
}
