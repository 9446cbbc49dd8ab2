/* SPDX-License-Identifier: MIT */
/*
 * Paper B's fragment operation unit: its merging of writes, closed forms, and random streams of
 * commands against recurrences of when each enters each module.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/timing/cf_sim_check.h"
#include "clipfree/timing/cf_sim_fragments.h"

#define SIDE_PX 32
#define MAX_PRIMITIVES 6
#define MAX_STREAM 20000
#define WRITTEN 4
#define TESTED 2
#define COVERED 1

/* A frame: primitives of pixels, each with bits of the above; one draw each. */
struct frame {
   uint32_t primitives, flags[MAX_PRIMITIVES]; /* enum cf_sim_op_flags */
   uint32_t color_reads, color_writes;
   bool clear, clear_last; /* of colour, before all, and after all */
   uint8_t pixel[MAX_PRIMITIVES][SIDE_PX][SIDE_PX];
};

static struct cf_sim_machine
paper_b(void)
{
   struct cf_sim_machine m = cf_sim_machine_default();
   m.gpu.model = CF_SIM_MODEL_FRAGMENTS;
   m.clear.writes = true;
   m.dram.bus_B = 16;
   m.dram.perfect = true;
   m.fragment.state_commands = 0;
   return m;
}

/* ------------------------------------------------------------------ traces */

static void
put_op(struct cf_sim_chunk *c, uint32_t flags, const struct frame *f)
{
   struct cf_sim_op op = { .flags = flags,
                           .width_px = SIDE_PX,
                           .height_px = SIDE_PX,
                           .samples = 1,
                           .colors = 1,
                           .color_B = { 4 },
                           .zs_image = 1,
                           .color_writes = f->color_writes,
                           .color_reads = f->color_reads,
                           .index_buffer = CF_SIM_NONE };
   memset(op.texture, 0xff, sizeof(op.texture));
   memset(op.vertex_texture, 0xff, sizeof(op.vertex_texture));
   memset(op.element, 0xff, sizeof(op.element));
   for (uint32_t s = 0; s < CF_SIM_STAGES; s++)
      op.program[s] = op.constants[s] = CF_SIM_NONE;
   c->op = cf_sim_grow(c->op, c->ops, 1, &c->op_room, sizeof(c->op[0]));
   c->op[c->ops++] = op;
}

static void
put_quad(struct cf_sim_tile *t, uint32_t op, const struct frame *f, uint32_t p, uint32_t x,
         uint32_t y)
{
   const uint32_t dwords = CF_SIM_TASK_DW + 2;
   uint32_t *dw = cf_sim_tile_room(t, dwords), any = 0;
   memset(dw, 0, 4 * dwords);
   dw[0] = cf_sim_head(CF_SIM_TASK, dwords, 1);
   dw[1] = op;
   for (uint32_t i = 0; i < 4; i++) {
      const uint8_t pixel = f->pixel[p][y + (i >> 1)][x + (i & 1)];
      any |= pixel;
      for (uint32_t bit = 0; bit < 3; bit++)
         dw[2 + bit * CF_SAMPLES] |= (uint32_t)(pixel >> bit & 1) << i;
   }
   dw[CF_SIM_TASK_DW] = 0;
   dw[CF_SIM_TASK_DW + 1] = x | y << 16;
   t->count += any ? dwords : 0;
}

static void
put_clear(struct cf_sim_chunk *c, const struct frame *f)
{
   struct cf_sim_tile *t = cf_sim_chunk_tile(c, 0);
   uint32_t *dw = cf_sim_tile_room(t, 4);
   put_op(c, CF_SIM_CLEAR, f);
   dw[0] = cf_sim_head(CF_SIM_CLEARED, 4, 1);
   dw[1] = (uint32_t)c->ops - 1;
   dw[2] = 0;
   dw[3] = SIDE_PX | SIDE_PX << 16;
   t->count += 4;
}

static void
make_trace(struct cf_sim_chunk *c, const struct frame *f)
{
   assert_true(cf_sim_chunk_init(c));
   struct cf_sim_tile *t = cf_sim_chunk_tile(c, 0);
   if (f->clear)
      put_clear(c, f);
   for (uint32_t p = 0; p < f->primitives; p++) {
      put_op(c, f->flags[p], f);
      for (uint32_t y = 0; y < SIDE_PX; y += 2)
         for (uint32_t x = 0; x < SIDE_PX; x += 2)
            put_quad(t, (uint32_t)c->ops - 1, f, p, x, y);
   }
   if (f->clear_last)
      put_clear(c, f);
   assert_false(cf_sim_check(c));
}

static void
check_accounting(const struct cf_sim_fragments *f)
{
   const struct cf_sim_fragments_counts *n = &f->counts;
   for (uint32_t i = 0; i < CF_SIM_MODULES; i++) { /* each cycle has one cause */
      uint64_t sum = 0;
      for (uint32_t why = 0; why < CF_SIM_WHYS; why++)
         sum += f->cycles[i][why];
      assert_int_equal(sum, f->time);
   }
   assert_false(f->failed || f->stuck);
   assert_int_equal(f->dram.reads, n->reads);
   assert_int_equal(f->dram.writes, n->words);
   assert_true(n->words <= n->data && n->data <= n->words * f->machine->fragment.word_px * 1000);
}

static struct cf_sim_fragments *
run_chunk(const struct cf_sim_machine *m, const struct cf_sim_chunk *c)
{
   struct cf_sim_fragments *f = malloc(sizeof(*f));
   struct cf_sim_order order = { 0 };
   assert_null(cf_sim_fragments_contradiction(m));
   assert_true(cf_sim_order_chunk(&order, c, m->raster.traversal));
   assert_true(f && cf_sim_fragments_init(f, m));
   cf_sim_fragments_chunk(f, c, &order);
   cf_sim_fragments_finish(f);
   cf_sim_order_free(&order);
   return f;
}

static struct cf_sim_fragments *
run_frame_of(const struct cf_sim_machine *m, const struct frame *frame)
{
   struct cf_sim_chunk c;
   make_trace(&c, frame);
   struct cf_sim_fragments *f = run_chunk(m, &c);
   cf_sim_chunk_free(&c);
   check_accounting(f);
   return f;
}

static void
end(struct cf_sim_fragments *f)
{
   cf_sim_fragments_free(f);
   free(f);
}

/* A row of pixels that are written. */
static struct frame
row_of(uint32_t first, uint32_t pixels)
{
   struct frame f = { .primitives = 1, .color_writes = 1 };
   memset(&f.pixel[0][3][first], COVERED | TESTED | WRITTEN, pixels);
   return f;
}

/* ------------------------------------------------------------------ closed forms */

/* Four writes of 32 bits to one address are one of 128. */
static void
merging(void **state)
{
   (void)state;
   for (uint32_t first = 0; first < 9; first++) {
      for (uint32_t n = 0; n < 20; n++) {
         struct cf_sim_machine m = paper_b();
         const struct frame row = row_of(first, n);
         for (m.fragment.word_px = 1; m.fragment.word_px <= 4; m.fragment.word_px *= 2) {
            const uint32_t px = m.fragment.word_px;
            struct cf_sim_fragments *f = run_frame_of(&m, &row);
            assert_int_equal(f->counts.data, n);
            assert_int_equal(f->counts.words, n ? (first + n - 1) / px - first / px + 1 : 0);
            if (first % px == 0)
               assert_int_equal(f->counts.words, (n + px - 1) / px);
            end(f);
         }
      }
   }
}

/* Depth and colour take turns: with one word that is gathered nothing merges. */
static void
words_that_are_gathered(void **state)
{
   (void)state;
   struct cf_sim_machine m = paper_b();
   struct frame row = row_of(0, 16);
   row.flags[0] = CF_SIM_Z_WRITE;
   for (m.fragment.words = 1; m.fragment.words <= 3; m.fragment.words++) {
      struct cf_sim_fragments *f = run_frame_of(&m, &row);
      assert_int_equal(f->counts.data, 32);
      assert_int_equal(f->counts.words, m.fragment.words == 1 ? 32 : 8);
      assert_int_equal(f->counts.full_words, m.fragment.words == 1 ? 0 : 8);
      end(f);
   }
   /* quads come in two rows: with one word that is gathered two pixels merge */
   row.flags[0] = 0;
   memcpy(row.pixel[0][2], row.pixel[0][3], SIDE_PX);
   for (m.fragment.words = 1; m.fragment.words <= 2; m.fragment.words++) {
      m.fragment.order = CF_SIM_FRAGMENT_ORDER_QUADS;
      struct cf_sim_fragments *f = run_frame_of(&m, &row);
      assert_int_equal(f->counts.words, m.fragment.words == 1 ? 16 : 8);
      end(f);
      m.fragment.order = CF_SIM_FRAGMENT_ORDER_ROWS;
      f = run_frame_of(&m, &row);
      assert_int_equal(f->counts.words, 8);
      end(f);
   }
}

/* A fragment is in each of nine modules for a cycle. The test unit, which takes one when it is
 * idle, has it for three; without that rule one leaves each cycle. */
static void
fill(void **state)
{
   (void)state;
   struct cf_sim_machine m = paper_b();
   struct frame square = { .primitives = 1, .color_writes = 1 };
   memset(square.pixel[0], COVERED | TESTED | WRITTEN, sizeof(square.pixel[0]));
   const uint32_t n = SIDE_PX * SIDE_PX;
   for (uint32_t idle = 0; idle < 2; idle++) {
      m.fragment.wait_idle = idle;
      struct cf_sim_fragments *f = run_frame_of(&m, &square);
      const uint32_t each = idle ? 3 : 1;
      assert_int_equal(f->time, 9 + each * (n - 1) + 2); /* the last word follows */
      assert_int_equal(f->cycles[CF_SIM_MODULE_TEST][CF_SIM_WHY_BUSY], n);
      assert_int_equal(f->cycles[CF_SIM_MODULE_MERGE][CF_SIM_WHY_MEMORY], 0);
      assert_int_equal(f->cycles[CF_SIM_MODULE_PARSE][CF_SIM_WHY_FULL], idle ? 2 * (n - 2) : 0);
      end(f);
   }
}

/* A clear makes 32 bits for each pixel. */
static void
clears(void **state)
{
   (void)state;
   struct cf_sim_machine m = paper_b();
   const struct frame frame = { .clear = true };
   const uint32_t n = SIDE_PX * SIDE_PX;
   struct cf_sim_fragments *f = run_frame_of(&m, &frame);
   assert_int_equal(f->counts.clears, n);
   assert_int_equal(f->counts.data, n);
   assert_int_equal(f->counts.words, n / 4);
   assert_int_equal(f->time, 9 + 3 * (n - 1) + 2);
   end(f);
   m.fragment.state_commands = 7;
   f = run_frame_of(&m, &frame);
   assert_int_equal(f->counts.commands, n + 7);
   assert_int_equal(f->time, 9 + 3 * (n + 7 - 1) + 2);
   end(f);
   m.clear.writes = false;
   m.fragment.state_commands = 0;
   f = run_frame_of(&m, &frame);
   assert_int_equal(f->time, 0);
   end(f);
}

/* What fails its tests is dropped, or goes on for stencil alone. */
static void
failed_tests(void **state)
{
   (void)state;
   const struct cf_sim_machine m = paper_b();
   struct frame row = row_of(0, 12);
   memset(&row.pixel[0][3][0], COVERED, 4);
   memset(&row.pixel[0][3][4], COVERED | TESTED, 4);
   struct cf_sim_fragments *f = run_frame_of(&m, &row);
   assert_int_equal(f->counts.fragments, 12);
   assert_int_equal(f->counts.dropped, 8);
   assert_int_equal(f->counts.data, 4);
   end(f);
   row.flags[0] = CF_SIM_STENCIL_WRITE;
   f = run_frame_of(&m, &row);
   assert_int_equal(f->counts.dropped, 4);
   assert_int_equal(f->counts.stencil_only, 4);
   assert_int_equal(f->counts.data, 4 + 4 + 4); /* stencil of eight, colour of four */
   assert_int_equal(f->counts.words, 3);
   end(f);
}

/* ------------------------------------------------------------------ destinations */

/* One fragment's destination is read at a time: the time between them is that of memory. */
static void
reads(void **state)
{
   (void)state;
   struct cf_sim_machine m = paper_b();
   struct frame row = row_of(0, 16);
   row.flags[0] = CF_SIM_Z_READ;
   m.dram.perfect = false;
   m.dram.latency = 500;
   m.fragment.reads = 1;
   struct cf_sim_fragments *one = run_frame_of(&m, &row);
   m.fragment.reads = 16;
   struct cf_sim_fragments *all = run_frame_of(&m, &row);
   assert_int_equal(one->counts.reads, 16);
   assert_int_equal(all->counts.reads, 16);
   /* in one row of a bank, each waits 14 cycles for its column, one for its data, 500 for the way,
    * one to be asked for and one to go on */
   assert_in_range(one->time, 16 * (500 + 14 + 1 + 1), 16 * (500 + 14 + 1 + 2) + 60);
   assert_in_range(all->time, 500 + 3 * 16, 500 + 3 * 16 + 60);
   assert_true(one->cycles[CF_SIM_MODULE_READ][CF_SIM_WHY_MEMORY] > 16 * 500);
   end(one);
   end(all);
}

/* A fragment does not read a pixel that one before it has yet to write; what is gathered still is
 * not read from memory. */
static void
the_same_pixel_again(void **state)
{
   (void)state;
   const struct cf_sim_machine m = paper_b();
   struct frame f = row_of(5, 1);
   f.primitives = 3;
   f.color_reads = 1;
   memcpy(f.pixel[1], f.pixel[0], sizeof(f.pixel[0]));
   memcpy(f.pixel[2], f.pixel[0], sizeof(f.pixel[0]));
   struct cf_sim_fragments *same = run_frame_of(&m, &f);
   assert_int_equal(same->counts.reads, 1);
   assert_int_equal(same->counts.forwarded, 2);
   assert_int_equal(same->counts.data, 3);
   assert_int_equal(same->counts.words, 1);
   assert_true(same->cycles[CF_SIM_MODULE_PARSE][CF_SIM_WHY_ORDER] > 0);
   end(same);
}

/* Its neighbour is in the word that is gathered, but not its data. */
static void
the_pixel_beside(void **state)
{
   (void)state;
   const struct cf_sim_machine m = paper_b();
   struct frame f = { .primitives = 2, .color_reads = 1, .color_writes = 1 };
   memset(&f.pixel[0][0][0], COVERED | TESTED | WRITTEN, 1);
   memset(&f.pixel[0][8][0], COVERED, 20); /* in the meantime it is gathered */
   memset(&f.pixel[1][0][1], COVERED | TESTED | WRITTEN, 1);
   struct cf_sim_fragments *beside = run_frame_of(&m, &f);
   assert_int_equal(beside->counts.reads, 22);
   assert_int_equal(beside->counts.forwarded, 0);
   assert_int_equal(beside->cycles[CF_SIM_MODULE_PARSE][CF_SIM_WHY_ORDER], 0);
   assert_int_equal(beside->counts.words, 1);
   end(beside);
   f.pixel[1][0][0] = COVERED; /* one that is gathered, too */
   beside = run_frame_of(&m, &f);
   assert_int_equal(beside->counts.reads, 22);
   assert_int_equal(beside->counts.forwarded, 1);
   end(beside);
}

/* The same of words that memory does not take yet. */
static void
the_pixel_beside_what_is_written(void **state)
{
   (void)state;
   struct cf_sim_machine m = paper_b();
   struct frame f = { .primitives = 2, .flags = { CF_SIM_Z_WRITE, CF_SIM_Z_READ } };
   for (uint32_t y = 0; y < 20; y++)
      f.pixel[0][y][0] = COVERED | TESTED | WRITTEN;
   m.dram.perfect = false;
   m.dram.bus_B = 1;
   m.dram.queue = 1;
   m.fragment.words = 1;
   for (uint32_t y = 0; y < 20; y++) { /* whichever word waits when it is asked for */
      f.pixel[1][y][1] = COVERED;
      struct cf_sim_fragments *beside = run_frame_of(&m, &f);
      assert_true(beside->cycles[CF_SIM_MODULE_MERGE][CF_SIM_WHY_MEMORY] > 20);
      assert_int_equal(beside->counts.forwarded, 0);
      assert_int_equal(beside->counts.reads, 1);
      end(beside);
      f.pixel[1][y][1] = 0;
   }
}

/* What needs no destination does not overtake what waits for one. */
static void
order_is_kept(void **state)
{
   (void)state;
   struct cf_sim_machine m = paper_b();
   struct frame f = row_of(0, 1);
   f.primitives = 2;
   f.flags[0] = CF_SIM_Z_READ;
   memset(&f.pixel[1][9][0], COVERED | TESTED | WRITTEN, 1);
   m.dram.perfect = false;
   m.dram.latency = 500;
   struct cf_sim_fragments *draws = run_frame_of(&m, &f);
   assert_in_range(draws->cycles[CF_SIM_MODULE_PARSE][CF_SIM_WHY_ORDER], 500, 600);
   end(draws);
   f.primitives = 1;
   f.clear_last = true;
   struct cf_sim_fragments *clear = run_frame_of(&m, &f);
   assert_true(clear->time >= 500 + 3 * SIDE_PX * SIDE_PX);
   end(clear);
}

/* All is done when the last word has gone over the bus. */
static void
the_last_word(void **state)
{
   (void)state;
   struct cf_sim_machine m = paper_b();
   const struct frame f = row_of(0, 1);
   m.dram.perfect = false;
   m.dram.bus_B = 1;
   struct cf_sim_fragments *last = run_frame_of(&m, &f);
   /* nine modules, a word that is given to memory in the next cycle, a row, a column, 16 bytes */
   assert_int_equal(last->time, 9 + 1 + m.dram.activate + m.dram.cas + 16);
   end(last);
}

/* ------------------------------------------------------------------ recurrences */

static uint32_t
below(struct cf_random *random, uint32_t n)
{
   return cf_random_below(random, n);
}

static struct frame
random_frame(struct cf_random *random)
{
   static const uint8_t kinds[] = { 0, COVERED, COVERED | TESTED, COVERED | TESTED | WRITTEN };
   struct frame f = { .primitives = below(random, MAX_PRIMITIVES + 1),
                      .color_writes = below(random, 4) > 0,
                      .clear = below(random, 3) == 0 };
   for (uint32_t p = 0; p < f.primitives; p++) {
      const uint32_t width = 1 + below(random, SIDE_PX), height = 1 + below(random, 9),
                     full = below(random, 2);
      f.flags[p] = (below(random, 2) ? CF_SIM_Z_WRITE : 0u) |
                   (below(random, 3) == 0 ? CF_SIM_STENCIL_WRITE : 0u);
      for (uint32_t y = 0; y < height; y++)
         for (uint32_t x = 0; x < width; x++)
            f.pixel[p][y][x] = full ? COVERED | TESTED | WRITTEN : kinds[below(random, 4)];
   }
   return f;
}

/* A command as it must come, and where its data goes: 1 word of colour, 2 of depth and stencil. */
struct expected {
   bool state, clear;
   bool dropped;
   uint32_t data;
   uint64_t word[2];
   uint32_t pixel;
};

static struct expected stream[MAX_STREAM];
static uint32_t streamed;

static struct expected *
stream_one(void)
{
   assert_true(streamed < MAX_STREAM);
   stream[streamed] = (struct expected){ 0 };
   return &stream[streamed++];
}

static void
stream_states(const struct cf_sim_machine *m)
{
   for (uint32_t i = 0; i < m->fragment.state_commands; i++)
      stream_one()->state = true;
}

/* Words are told apart by image, row, and place in the row. */
static uint64_t
name_of(const struct cf_sim_machine *m, uint32_t image, uint32_t x, uint32_t y)
{
   return (uint64_t)image << 32 | y << 16 | x / m->fragment.word_px;
}

static void
make_stream(const struct cf_sim_machine *m, const struct frame *f)
{
   streamed = 0;
   if (f->clear)
      stream_states(m);
   for (uint32_t i = 0; f->clear && i < SIDE_PX * SIDE_PX; i++) {
      struct expected *e = stream_one();
      e->clear = true;
      e->pixel = i % SIDE_PX % m->fragment.word_px;
      e->word[e->data++] = name_of(m, 0, i % SIDE_PX, i / SIDE_PX);
   }
   for (uint32_t p = 0; p < f->primitives; p++) {
      stream_states(m);
      for (uint32_t i = 0; i < SIDE_PX * SIDE_PX; i++) {
         const uint32_t x = i % SIDE_PX, y = i / SIDE_PX, pixel = f->pixel[p][y][x];
         if (!pixel)
            continue;
         const bool stencil = pixel & TESTED && f->flags[p] & CF_SIM_STENCIL_WRITE,
                    written = pixel & WRITTEN;
         struct expected *e = stream_one();
         e->dropped = !stencil && !written;
         e->pixel = x % m->fragment.word_px;
         if (stencil || (written && f->flags[p] & CF_SIM_Z_WRITE))
            e->word[e->data++] = name_of(m, 1, x, y);
         if (written && f->color_writes)
            e->word[e->data++] = name_of(m, 0, x, y);
      }
   }
}

/* Words that are gathered, the one used last first. */
struct list {
   uint64_t word[CF_SIM_MAX_WORDS];
   uint32_t pixels[CF_SIM_MAX_WORDS], count;
};

/* Returns how many words leave. */
static uint32_t
gather_slowly(const struct cf_sim_machine *m, struct list *l, const struct expected *e)
{
   uint32_t left = 0;
   for (uint32_t d = 0; d < e->data; d++) {
      uint32_t at = 0, pixels = 0;
      while (at < l->count && l->word[at] != e->word[d])
         at++;
      if (at < l->count)
         pixels = l->pixels[at];
      else if (l->count == m->fragment.words)
         left++, at--;
      else
         l->count++;
      for (; at > 0; at--) {
         l->word[at] = l->word[at - 1];
         l->pixels[at] = l->pixels[at - 1];
      }
      l->word[0] = e->word[d];
      l->pixels[0] = pixels | 1u << e->pixel;
      if (l->pixels[0] == (1u << m->fragment.word_px) - 1) {
         left++;
         l->count--;
         memmove(l->word, l->word + 1, l->count * sizeof(l->word[0]));
         memmove(l->pixels, l->pixels + 1, l->count * sizeof(l->pixels[0]));
      }
   }
   return left;
}

enum { FIRST, SEND, SELECT, TEST, CONTROL, DECODE, BLEND1, BLEND2, MERGE, OUT, PLACES };

static uint64_t
latest(uint64_t a, uint64_t b)
{
   return a > b ? a : b;
}

/* What the stream takes: a command enters a module when it has been in the one before for as long
 * as that takes, and the command before it has left. */
static uint64_t
recur(const struct cf_sim_machine *m, uint64_t *words)
{
   const uint64_t each = m->fragment.module_cycles;
   uint64_t free[PLACES] = { 0 }, writes_end = 0, last = 0;
   struct list list = { .count = 0 };
   *words = 0;
   for (uint32_t i = 0; i < streamed; i++) {
      const struct expected *e = &stream[i];
      const uint32_t stages = e->dropped ? DECODE : OUT;
      uint64_t enter[PLACES] = { 0 };
      enter[FIRST] = free[FIRST];
      for (uint32_t s = SEND; s < stages; s++) {
         enter[s] = latest(enter[s - 1] + each, free[s]);
         if (s == SELECT && m->fragment.wait_idle)
            enter[s] = latest(enter[s], free[CONTROL]);
         free[s - 1] = enter[s];
      }
      const uint64_t leaves = enter[stages - 1] + each;
      free[stages - 1] = e->dropped ? leaves : latest(leaves, writes_end);
      last = latest(last, free[stages - 1]);
      if (!e->dropped) {
         const uint32_t left = gather_slowly(m, &list, e);
         writes_end = free[MERGE] + left;
         *words += left;
      }
   }
   *words += list.count;
   return streamed ? latest(last, writes_end) + 1 + list.count : 0;
}

/* Random streams on random machines, with memory that takes all. */
static void
as_recurrences(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("timing fragments");
   uint64_t dropped = 0, stencil = 0;
   for (uint32_t i = 0; i < 400; i++) {
      struct cf_sim_machine m = paper_b();
      struct frame frame = random_frame(&random);
      const bool reads = below(&random, 3) == 0; /* the destination, for stencil */
      uint64_t words;
      for (uint32_t p = 0; p < frame.primitives; p++)
         frame.flags[p] &= reads ? UINT32_MAX : ~(uint32_t)CF_SIM_STENCIL_WRITE;
      m.fragment.wait_idle = below(&random, 2);
      m.fragment.module_cycles = 1 + below(&random, 3);
      m.fragment.word_px = 1u << below(&random, 3);
      m.fragment.words = 1 + below(&random, 4);
      m.fragment.state_commands = below(&random, 3) * below(&random, 10);
      make_stream(&m, &frame);
      struct cf_sim_fragments *f = run_frame_of(&m, &frame);
      const uint64_t time = recur(&m, &words);
      assert_int_equal(f->counts.commands, streamed);
      assert_int_equal(f->counts.words, words);
      if (!reads)
         assert_int_equal(f->time, time);
      dropped += f->counts.dropped;
      stencil += f->counts.stencil_only;
      end(f);
   }
   assert_true(dropped > 0 && stencil > 0);
}

/* ------------------------------------------------------------------ with memory */

static struct cf_sim_machine
random_machine(struct cf_random *random)
{
   struct cf_sim_machine m = paper_b();
   m.dram.perfect = below(random, 4) == 0;
   m.dram.latency = below(random, 100);
   m.dram.queue = 1 + below(random, 20);
   m.dram.bus_B = 4u << below(random, 3);
   m.fragment.reads = 1 + below(random, 20);
   m.fragment.wait_idle = below(random, 2);
   m.fragment.module_cycles = 1 + below(random, 2);
   m.fragment.word_px = 1u << below(random, 3);
   m.fragment.words = 1 + below(random, 4);
   m.fragment.order = below(random, 2) ? CF_SIM_FRAGMENT_ORDER_ROWS : CF_SIM_FRAGMENT_ORDER_QUADS;
   return m;
}

/* Counts are those of the frame, whatever memory does; it comes to an end; twice the same. */
static void
conserved(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("timing fragments conserved");
   for (uint32_t i = 0; i < 150; i++) {
      const struct cf_sim_machine m = random_machine(&random);
      struct frame frame = random_frame(&random);
      uint64_t data = 0, dropped = 0, fragments = 0, needs = 0;
      frame.color_reads = frame.color_writes && below(&random, 2);
      for (uint32_t p = 0; p < frame.primitives; p++)
         frame.flags[p] |= below(&random, 2) ? CF_SIM_Z_READ : 0u;
      make_stream(&m, &frame);
      for (uint32_t k = 0; k < streamed; k++) {
         data += stream[k].data;
         dropped += stream[k].dropped;
      }
      for (uint32_t p = 0; p < frame.primitives; p++)
         for (uint32_t k = 0; k < SIDE_PX * SIDE_PX; k++) {
            const bool covered = frame.pixel[p][k / SIDE_PX][k % SIDE_PX];
            fragments += covered;
            needs += covered * (frame.color_reads +
                                ((frame.flags[p] & (CF_SIM_Z_READ | CF_SIM_STENCIL_WRITE)) != 0));
         }
      struct cf_sim_fragments *f = run_frame_of(&m, &frame), *again = run_frame_of(&m, &frame);
      assert_int_equal(f->counts.fragments, fragments);
      assert_int_equal(f->counts.dropped, dropped);
      assert_int_equal(f->counts.data, data);
      assert_int_equal(f->counts.reads + f->counts.forwarded, needs);
      assert_int_equal(f->time, again->time);
      assert_memory_equal(f->cycles, again->cycles, sizeof(f->cycles));
      end(f);
      end(again);
   }
}

/* Traces with wrong numbers are refused, or can be run to their end. */
static void
damaged_traces_end(void **state)
{
   (void)state;
   struct cf_random random = cf_random_seed("timing fragments damaged");
   uint32_t refused = 0, used = 0;
   for (uint32_t i = 0; i < 300; i++) {
      const struct cf_sim_machine m = random_machine(&random);
      const struct frame frame = random_frame(&random);
      struct cf_sim_chunk c;
      make_trace(&c, &frame);
      struct cf_sim_tile *t = cf_sim_chunk_tile(&c, 0);
      uint8_t *array = below(&random, 2) ? (uint8_t *)t->dw : (uint8_t *)c.op;
      const size_t size_B = array == (uint8_t *)t->dw ? 4 * t->count : c.ops * sizeof(c.op[0]);
      if (size_B > 0)
         array[below(&random, (uint32_t)size_B)] ^= 1u << below(&random, 8);
      if (cf_sim_check(&c)) {
         refused++;
      } else {
         struct cf_sim_fragments *f = run_chunk(&m, &c);
         used++;
         assert_false(f->stuck);
         end(f);
      }
      cf_sim_chunk_free(&c);
   }
   assert_true(refused > 20 && used > 20);
}

static void
contradictions(void **state)
{
   (void)state;
   struct cf_sim_machine m = paper_b();
   m.fragment.word_px = 8;
   assert_non_null(cf_sim_fragments_contradiction(&m));
   m.z.line_width_px = 8;
   assert_null(cf_sim_fragments_contradiction(&m));
   m.screen.pipelines = 4;
   assert_non_null(cf_sim_fragments_contradiction(&m));
   m.gpu.model = CF_SIM_MODEL_PIXELS;
   assert_null(cf_sim_fragments_contradiction(&m));
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(merging),
      cmocka_unit_test(words_that_are_gathered),
      cmocka_unit_test(fill),
      cmocka_unit_test(clears),
      cmocka_unit_test(failed_tests),
      cmocka_unit_test(reads),
      cmocka_unit_test(as_recurrences),
      cmocka_unit_test(the_same_pixel_again),
      cmocka_unit_test(the_pixel_beside),
      cmocka_unit_test(the_pixel_beside_what_is_written),
      cmocka_unit_test(order_is_kept),
      cmocka_unit_test(the_last_word),
      cmocka_unit_test(conserved),
      cmocka_unit_test(damaged_traces_end),
      cmocka_unit_test(contradictions),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
