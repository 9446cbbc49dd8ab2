/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_fragments.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/timing/cf_sim_pixels.h"

const char *
cf_sim_module_name(enum cf_sim_module module)
{
   static const char *const name[CF_SIM_MODULES] = {
      [CF_SIM_MODULE_PARSE] = "parse",   [CF_SIM_MODULE_CLEAR] = "clear",
      [CF_SIM_MODULE_READ] = "read",     [CF_SIM_MODULE_SEND] = "send",
      [CF_SIM_MODULE_SELECT] = "select", [CF_SIM_MODULE_SETTINGS] = "settings",
      [CF_SIM_MODULE_TEST] = "test",     [CF_SIM_MODULE_CONTROL] = "control",
      [CF_SIM_MODULE_DECODE] = "decode", [CF_SIM_MODULE_BLEND1] = "blend1",
      [CF_SIM_MODULE_BLEND2] = "blend2", [CF_SIM_MODULE_MERGE] = "merge",
      [CF_SIM_MODULE_MEMORY] = "dram",
   };
   return name[module];
}

const char *
cf_sim_fragments_contradiction(const struct cf_sim_machine *m)
{
   if (m->gpu.model != CF_SIM_MODEL_FRAGMENTS)
      return NULL;
   if (m->fragment.word_px > m->z.line_width_px)
      return "gpu.model fragments needs words inside of lines: fragment.word_px is at most "
             "z.line_width_px";
   if (m->screen.pipelines != 1)
      return "gpu.model fragments has one unit: screen.pipelines is 1";
   return NULL;
}

/* ------------------------------------------------------------------ begin and end */

bool
cf_sim_fragments_init(struct cf_sim_fragments *f, const struct cf_sim_machine *machine)
{
   memset(f, 0, sizeof(*f));
   f->machine = machine;
   for (uint32_t i = 0; i < CF_SIM_MODULES; i++)
      f->unit[i] = (struct cf_sim_unit){ .wake = CF_SIM_NEVER, .cycles = f->cycles[i] };
   cf_sim_layout_init(&f->layout, machine);
   cf_sim_dram_init(&f->dram, machine, 4 * machine->fragment.word_px);
   return true;
}

void
cf_sim_fragments_free(struct cf_sim_fragments *f)
{
   cf_sim_layout_free(&f->layout);
   free(f->command);
   f->command = NULL;
}

void
cf_sim_fragments_finish(struct cf_sim_fragments *f)
{
   for (uint32_t i = 0; i < CF_SIM_MODULES; i++)
      cf_sim_because(&f->unit[i], f->time, f->unit[i].why);
}

/* ------------------------------------------------------------------ commands */

static void
add_command(struct cf_sim_fragments *f, const struct cf_sim_fragment *command)
{
   struct cf_sim_fragment *grown =
      cf_sim_grow(f->command, f->commands, 1, &f->command_room, sizeof(grown[0]));
   if (!grown) {
      f->failed = true;
      return;
   }
   f->command = grown;
   f->command[f->commands++] = *command;
}

/* The settings of an operation. */
static void
add_state(struct cf_sim_fragments *f, uint32_t op)
{
   const struct cf_sim_fragment state = { .kind = CF_SIM_COMMAND_STATE, .op = op };
   if (f->chunk->op[op].flags & (CF_SIM_TRANSFER | CF_SIM_GEOMETRY)) /* no settings of its own */
      return;
   for (uint32_t i = 0; i < f->machine->fragment.state_commands; i++)
      add_command(f, &state);
}

/* The 32 bits of each pixel of a clear, image by image, row by row. */
static void
add_clear(struct cf_sim_fragments *f, const struct cf_sim_item *item, const uint32_t *record)
{
   const struct cf_sim_op *op = &f->chunk->op[item->op];
   struct cf_sim_fragment c = { .kind = CF_SIM_COMMAND_CLEAR, .op = item->op };
   for (uint32_t image = 0; image < CF_SIM_DATA && f->machine->clear.writes; image++) {
      const bool color = image < CF_MAX_COLOR_TARGETS;
      const uint32_t number = color ? op->color_image[image] : op->zs_image;
      if (!(record[0] >> (16 + image) & 1) || number == CF_SIM_NONE ||
          (color && image >= op->colors))
         continue;
      c.image = (uint8_t)image;
      for (uint32_t y = record[2] >> 16; y < record[3] >> 16; y++)
         for (uint32_t x = record[2] & 0xffff; x < (record[3] & 0xffff); x++)
            for (uint32_t s = 0; s < op->samples; s++) {
               c.x_px = (uint16_t)x;
               c.y_px = (uint16_t)y;
               c.sample = (uint8_t)s;
               add_command(f, &c);
            }
   }
}

static void
add_quad(struct cf_sim_fragments *f, const struct cf_sim_item *item, const uint32_t *task)
{
   const uint32_t place = task[CF_SIM_TASK_DW + 2 * item->quad + 1];
   for (uint32_t i = 0; i < 4; i++) {
      for (uint32_t s = 0; s < f->chunk->op[item->op].samples; s++) {
         const struct cf_sim_quad_masks m = cf_sim_quad_masks(task, item->quad, s);
         const struct cf_sim_fragment c = { .kind = CF_SIM_COMMAND_FRAGMENT,
                                            .op = item->op,
                                            .x_px = (uint16_t)((place & 0xffff) + (i & 1)),
                                            .y_px = (uint16_t)((place >> 16) + (i >> 1)),
                                            .sample = (uint8_t)s,
                                            .tested = m.tested >> i & 1,
                                            .written = m.written >> i & 1 };
         if (m.covered >> i & 1)
            add_command(f, &c);
      }
   }
}

static void
add_fragments(struct cf_sim_fragments *f, const struct cf_sim_item *item)
{
   const uint32_t *record = cf_sim_item_record(f->chunk, item);
   if (cf_sim_kind(record[0]) == CF_SIM_TASK) {
      add_quad(f, item, record);
      return;
   }
   const struct cf_sim_fragment failed = { .kind = CF_SIM_COMMAND_FRAGMENT,
                                           .op = item->op,
                                           .x_px = (uint16_t)record[3],
                                           .y_px = (uint16_t)(record[3] >> 16),
                                           .sample = record[0] >> 16 & 3,
                                           .tested = true };
   add_command(f, &failed);
}

static int
compare_rows(const void *p, const void *q)
{
   const struct cf_sim_fragment *a = p, *b = q;
   const uint64_t ka = (uint64_t)a->y_px << 32 | a->x_px << 8 | a->sample << 2 | a->tested << 1 |
                       a->written,
                  kb = (uint64_t)b->y_px << 32 | b->x_px << 8 | b->sample << 2 | b->tested << 1 |
                       b->written;
   return ka < kb ? -1 : ka > kb;
}

/* The fragments of a primitive, or a clear of a tile. */
static void
add_items(struct cf_sim_fragments *f)
{
   const struct cf_sim_item *first = &f->order->item[f->next_item];
   const uint32_t *record = cf_sim_item_record(f->chunk, first);
   if (cf_sim_kind(record[0]) == CF_SIM_CLEARED) {
      f->next_item++;
      add_clear(f, first, record);
      return;
   }
   while (f->next_item < f->order->items) {
      const struct cf_sim_item *item = &f->order->item[f->next_item];
      if (item->op != first->op || item->primitive != first->primitive)
         break;
      add_fragments(f, item);
      f->next_item++;
   }
   if (f->machine->fragment.order == CF_SIM_FRAGMENT_ORDER_ROWS && f->commands > 1)
      qsort(f->command, f->commands, sizeof(f->command[0]), compare_rows);
}

/* The next command. NULL: there is none. */
static const struct cf_sim_fragment *
next_command(struct cf_sim_fragments *f)
{
   while (f->next_command == f->commands && !f->failed) {
      f->next_command = f->commands = 0;
      const bool items = f->next_item < f->order->items;
      if (f->next_op < f->chunk->ops && (!items || f->next_op <= f->order->item[f->next_item].op))
         add_state(f, f->next_op++);
      else if (items)
         add_items(f);
      else
         return NULL;
   }
   return f->failed ? NULL : &f->command[f->next_command];
}

/* ------------------------------------------------------------------ memory */

/* The word of a pixel of an image. */
static uint64_t
word_of(const struct cf_sim_fragments *f, uint32_t image, const struct cf_sim_fragment *c)
{
   const struct cf_sim_layout *l = &f->layout;
   const uint64_t line = cf_sim_layout_pixel(l, image, c->x_px, c->y_px, c->sample).line;
   const uint32_t in_row = c->x_px & ((1u << l->x_shift) - 1),
                  row = c->y_px & ((1u << l->y_shift) - 1);
   return ((line << l->y_shift | row) << l->x_shift | in_row) / f->machine->fragment.word_px;
}

/* Whether a pixel's data is on the chip still, gathered or about to be written. */
static bool
is_here(const struct cf_sim_fragments *f, uint64_t word, uint32_t pixel)
{
   for (uint32_t i = 0; i < f->machine->fragment.words; i++) {
      if (f->gathered[i].word == word && f->gathered[i].pixels >> pixel & 1)
         return true;
   }
   for (uint32_t i = 0; i < f->writes; i++) {
      if (f->to_write[i].word == word && f->to_write[i].pixels >> pixel & 1)
         return true;
   }
   return false;
}

/* A gathered word is to be written. */
static void
release(struct cf_sim_fragments *f, struct cf_sim_gathered *g)
{
   f->counts.full_words += g->pixels == (1u << f->machine->fragment.word_px) - 1;
   f->to_write[f->writes++] = *g;
   g->pixels = 0;
}

/* 32 bits join their word. */
static void
gather(struct cf_sim_fragments *f, uint64_t word, uint32_t pixel)
{
   struct cf_sim_gathered *place = &f->gathered[0];
   for (uint32_t i = 0; i < f->machine->fragment.words; i++) {
      struct cf_sim_gathered *g = &f->gathered[i];
      if (g->pixels && g->word == word) {
         place = g;
         break;
      }
      if (place->pixels && (!g->pixels || g->used < place->used))
         place = g;
   }
   if (place->pixels && place->word != word)
      release(f, place);
   place->word = word;
   place->pixels |= 1u << pixel;
   place->used = ++f->counts.data;
   if (place->pixels == (1u << f->machine->fragment.word_px) - 1)
      release(f, place);
}

/* ------------------------------------------------------------------ what a fragment needs */

static const struct cf_sim_op *
op_of(const struct cf_sim_fragments *f, const struct cf_sim_fragment *c)
{
   return &f->chunk->op[c->op];
}

/* The words of its destination that a later module needs. Returns their number. */
static uint32_t
destination_of(const struct cf_sim_fragments *f, const struct cf_sim_fragment *c,
               uint64_t word[CF_SIM_DATA])
{
   const struct cf_sim_op *op = op_of(f, c);
   uint32_t words = 0;
   if (c->kind != CF_SIM_COMMAND_FRAGMENT)
      return 0;
   if (op->zs_image != CF_SIM_NONE && op->flags & (CF_SIM_Z_READ | CF_SIM_STENCIL_WRITE))
      word[words++] = word_of(f, op->zs_image, c);
   for (uint32_t i = 0; i < op->colors; i++) {
      if (op->color_image[i] != CF_SIM_NONE && op->color_reads >> i & 1)
         word[words++] = word_of(f, op->color_image[i], c);
   }
   return words;
}

/* Whether only its stencil is written. */
static bool
writes_stencil(const struct cf_sim_fragments *f, const struct cf_sim_fragment *c)
{
   return c->tested && op_of(f, c)->flags & CF_SIM_STENCIL_WRITE;
}

static void
gather_fragment(struct cf_sim_fragments *f, const struct cf_sim_fragment *c)
{
   const struct cf_sim_op *op = op_of(f, c);
   const uint32_t pixel = c->x_px & (f->machine->fragment.word_px - 1);
   if (op->zs_image != CF_SIM_NONE &&
       (writes_stencil(f, c) || (c->written && op->flags & CF_SIM_Z_WRITE)))
      gather(f, word_of(f, op->zs_image, c), pixel);
   for (uint32_t i = 0; i < op->colors && c->written; i++) {
      if (op->color_image[i] != CF_SIM_NONE && op->color_writes >> i & 1)
         gather(f, word_of(f, op->color_image[i], c), pixel);
   }
}

static bool
same_pixel(const struct cf_sim_fragment *a, const struct cf_sim_fragment *b)
{
   return a->kind != CF_SIM_COMMAND_STATE && a->x_px == b->x_px && a->y_px == b->y_px &&
          a->sample == b->sample;
}

/* Whether one before it has yet to write its pixel. */
static bool
is_overtaken(const struct cf_sim_fragments *f, const struct cf_sim_fragment *c)
{
   for (uint32_t i = 0; i < f->destinations; i++) {
      const uint32_t at = (f->first_destination + i) % CF_SIM_MAX_READS;
      if (same_pixel(&f->destination[at].held, c))
         return true;
   }
   for (uint32_t m = CF_SIM_MODULE_CLEAR; m <= CF_SIM_MODULE_MERGE; m++) {
      if (f->module[m].full && same_pixel(&f->module[m].held, c))
         return true;
   }
   return false;
}

/* ------------------------------------------------------------------ modules */

static void
put(struct cf_sim_fragments *f, enum cf_sim_module module, const struct cf_sim_fragment *c)
{
   f->module[module] =
      (struct cf_sim_module_slot){ *c, true, f->time + f->machine->fragment.module_cycles };
   f->moved = true;
}

static bool
is_done(const struct cf_sim_fragments *f, enum cf_sim_module module)
{
   return f->module[module].full && f->module[module].ready <= f->time;
}

/* What a module holds goes on, if it is done and there is room. */
static void
pass(struct cf_sim_fragments *f, enum cf_sim_module from, enum cf_sim_module to)
{
   if (!is_done(f, from) || f->module[to].full)
      return;
   put(f, to, &f->module[from].held);
   f->module[from].full = false;
}

/* A word goes to memory a cycle; a command is taken when all its words have gone. */
static void
tick_merge(struct cf_sim_fragments *f)
{
   struct cf_sim_module_slot *slot = &f->module[CF_SIM_MODULE_MERGE];
   f->wrote = false;
   f->blocked = f->writes > 0 && !cf_sim_dram_has_room(&f->dram);
   if (f->writes > 0 && !f->blocked) {
      cf_sim_dram_push(&f->dram, f->to_write[0].word, true, 0);
      memmove(f->to_write, f->to_write + 1, --f->writes * sizeof(f->to_write[0]));
      f->counts.words++;
      f->wrote = f->moved = true;
   }
   if (f->writes > 0 || !is_done(f, CF_SIM_MODULE_MERGE))
      return;
   const struct cf_sim_fragment *c = &slot->held;
   const struct cf_sim_op *op = op_of(f, c);
   if (c->kind == CF_SIM_COMMAND_FRAGMENT)
      gather_fragment(f, c);
   else if (c->kind == CF_SIM_COMMAND_CLEAR)
      gather(
         f,
         word_of(f, c->image < CF_MAX_COLOR_TARGETS ? op->color_image[c->image] : op->zs_image, c),
         c->x_px & (f->machine->fragment.word_px - 1));
   slot->full = false;
   f->moved = true;
}

/* What fails its tests goes no further, unless stencil is written. */
static void
tick_control(struct cf_sim_fragments *f)
{
   struct cf_sim_module_slot *slot = &f->module[CF_SIM_MODULE_CONTROL];
   if (!is_done(f, CF_SIM_MODULE_CONTROL))
      return;
   const bool fails = slot->held.kind == CF_SIM_COMMAND_FRAGMENT && !slot->held.written;
   if (fails && !writes_stencil(f, &slot->held)) {
      slot->full = false;
      f->counts.dropped++;
      f->moved = true;
   } else if (!f->module[CF_SIM_MODULE_DECODE].full) {
      f->counts.stencil_only += fails;
      pass(f, CF_SIM_MODULE_CONTROL, CF_SIM_MODULE_DECODE);
   }
}

static void
tick_select(struct cf_sim_fragments *f)
{
   const struct cf_sim_module_slot *m = f->module;
   const bool tests = m[CF_SIM_MODULE_SELECT].held.kind == CF_SIM_COMMAND_FRAGMENT;
   const enum cf_sim_module to = tests ? CF_SIM_MODULE_TEST : CF_SIM_MODULE_SETTINGS;
   /* the two ways meet again: what came first goes first */
   if (!m[tests ? CF_SIM_MODULE_SETTINGS : CF_SIM_MODULE_TEST].full)
      pass(f, CF_SIM_MODULE_SELECT, to);
   const bool idle = !m[CF_SIM_MODULE_SETTINGS].full && !m[CF_SIM_MODULE_TEST].full &&
                     !m[CF_SIM_MODULE_CONTROL].full;
   if (idle || !f->machine->fragment.wait_idle)
      pass(f, CF_SIM_MODULE_SEND, CF_SIM_MODULE_SELECT);
}

/* ------------------------------------------------------------------ the destination */

/* Ask for a word of the oldest fragment that needs one. */
static void
request_word(struct cf_sim_fragments *f)
{
   for (uint32_t i = 0; i < f->destinations; i++) {
      const uint32_t at = (f->first_destination + i) % CF_SIM_MAX_READS;
      struct cf_sim_destination *d = &f->destination[at];
      if (d->to_ask == 0)
         continue;
      const uint64_t word = d->word[d->words - d->to_ask];
      if (is_here(f, word, d->pixel)) {
         f->counts.forwarded++;
      } else if (cf_sim_dram_has_room(&f->dram)) {
         cf_sim_dram_push(&f->dram, word, false, at);
         f->counts.reads++;
         d->outstanding++;
      } else {
         return;
      }
      d->to_ask--;
      f->moved = true;
      return;
   }
}

static bool
destination_is_there(const struct cf_sim_fragments *f)
{
   const struct cf_sim_destination *d = &f->destination[f->first_destination];
   return d->to_ask == 0 && d->outstanding == 0;
}

/* The oldest fragment goes on when its destination is there; then another word is asked for. */
static void
tick_read(struct cf_sim_fragments *f)
{
   const struct cf_sim_destination *d = &f->destination[f->first_destination];
   if (f->destinations > 0 && d->ready <= f->time && destination_is_there(f) &&
       !f->module[CF_SIM_MODULE_SEND].full) {
      put(f, CF_SIM_MODULE_SEND, &d->held);
      f->first_destination = (f->first_destination + 1) % CF_SIM_MAX_READS;
      f->destinations--;
   }
   request_word(f);
}

/* A fragment whose destination is needed. False: there is no room. */
static bool
push_destination(struct cf_sim_fragments *f, const struct cf_sim_fragment *c,
                 const uint64_t word[CF_SIM_DATA], uint32_t words)
{
   if (f->destinations == f->machine->fragment.reads)
      return false;
   struct cf_sim_destination *d =
      &f->destination[(f->first_destination + f->destinations++) % CF_SIM_MAX_READS];
   *d = (struct cf_sim_destination){ .held = *c,
                                     .ready = f->time + f->machine->fragment.module_cycles,
                                     .to_ask = words,
                                     .words = words,
                                     .pixel = c->x_px & (f->machine->fragment.word_px - 1) };
   memcpy(d->word, word, words * sizeof(word[0]));
   f->moved = true;
   return true;
}

/* What is parsed goes to where it is needed, in order. */
static void
tick_parse(struct cf_sim_fragments *f)
{
   struct cf_sim_module_slot *slot = &f->module[CF_SIM_MODULE_PARSE];
   uint64_t word[CF_SIM_DATA];
   f->waits_for_order = false;
   if (!is_done(f, CF_SIM_MODULE_PARSE))
      return;
   const uint32_t words = destination_of(f, &slot->held, word);
   if (words > 0) {
      f->waits_for_order = is_overtaken(f, &slot->held);
      if (!f->waits_for_order && push_destination(f, &slot->held, word, words))
         slot->full = false;
   } else if (f->destinations > 0) {
      f->waits_for_order = true;
   } else {
      pass(f, CF_SIM_MODULE_PARSE, CF_SIM_MODULE_SEND);
   }
}

/* The next command comes: to clear what is of clears, when all before it has left; else to parse.
 */
static void
take_command(struct cf_sim_fragments *f)
{
   const struct cf_sim_fragment *c = next_command(f);
   if (!c)
      return;
   const bool clear = c->kind == CF_SIM_COMMAND_CLEAR;
   const enum cf_sim_module to = clear ? CF_SIM_MODULE_CLEAR : CF_SIM_MODULE_PARSE,
                            other = clear ? CF_SIM_MODULE_PARSE : CF_SIM_MODULE_CLEAR;
   if (f->module[to].full || f->module[other].full || (clear && f->destinations > 0))
      return;
   f->counts.commands++;
   f->counts.fragments += c->kind == CF_SIM_COMMAND_FRAGMENT;
   f->counts.clears += clear;
   f->next_command++;
   put(f, to, c);
}

/* ------------------------------------------------------------------ time */

static enum cf_sim_why
why_of(const struct cf_sim_fragments *f, enum cf_sim_module module)
{
   const struct cf_sim_module_slot *slot = &f->module[module];
   switch (module) {
   case CF_SIM_MODULE_READ:
      return f->destinations == 0                                   ? CF_SIM_WHY_EMPTY
             : f->destination[f->first_destination].ready > f->time ? CF_SIM_WHY_BUSY
             : !destination_is_there(f)                             ? CF_SIM_WHY_MEMORY
                                                                    : CF_SIM_WHY_FULL;
   case CF_SIM_MODULE_MERGE:
      return f->blocked ? CF_SIM_WHY_MEMORY
             : f->wrote || f->writes > 0 || (slot->full && slot->ready > f->time)
                ? CF_SIM_WHY_BUSY
                : CF_SIM_WHY_EMPTY;
   case CF_SIM_MODULE_MEMORY:
      return f->dram.bus_free > f->time                  ? CF_SIM_WHY_BUSY
             : f->dram.queued > 0 || f->dram.replies > 0 ? CF_SIM_WHY_MEMORY
                                                         : CF_SIM_WHY_EMPTY;
   default:
      return !slot->full                                           ? CF_SIM_WHY_EMPTY
             : slot->ready > f->time                               ? CF_SIM_WHY_BUSY
             : module == CF_SIM_MODULE_PARSE && f->waits_for_order ? CF_SIM_WHY_ORDER
                                                                   : CF_SIM_WHY_FULL;
   }
}

static void
tick_memory(struct cf_sim_fragments *f)
{
   const uint32_t queued = f->dram.queued;
   cf_sim_dram_tick(&f->dram, f->time);
   f->moved |= f->dram.queued != queued;
}

/* A cycle: modules from the last to the first, so that room is seen at once. */
static void
tick(struct cf_sim_fragments *f)
{
   uint32_t user;
   f->moved = false;
   while (cf_sim_dram_pop(&f->dram, f->time, &user)) {
      f->destination[user].outstanding--;
      f->moved = true;
   }
   tick_merge(f);
   pass(f, CF_SIM_MODULE_BLEND2, CF_SIM_MODULE_MERGE);
   pass(f, CF_SIM_MODULE_BLEND1, CF_SIM_MODULE_BLEND2);
   pass(f, CF_SIM_MODULE_DECODE, CF_SIM_MODULE_BLEND1);
   tick_control(f);
   pass(f, CF_SIM_MODULE_TEST, CF_SIM_MODULE_CONTROL);
   pass(f, CF_SIM_MODULE_SETTINGS, CF_SIM_MODULE_CONTROL);
   tick_select(f);
   tick_read(f);
   pass(f, CF_SIM_MODULE_CLEAR, CF_SIM_MODULE_SEND);
   tick_parse(f);
   take_command(f);
   tick_memory(f);
   for (uint32_t m = 0; m < CF_SIM_MODULES; m++)
      cf_sim_because(&f->unit[m], f->time, why_of(f, (enum cf_sim_module)m));
}

/* The next cycle in which something can happen, where nothing did in this one. */
static uint64_t
next_time(const struct cf_sim_fragments *f)
{
   uint64_t next = cf_sim_dram_next(&f->dram, f->time);
   for (uint32_t m = 0; m < CF_SIM_MODULES; m++) {
      const struct cf_sim_module_slot *slot = &f->module[m];
      if (slot->full && slot->ready > f->time && slot->ready < next)
         next = slot->ready;
   }
   const uint64_t ready = f->destination[f->first_destination].ready;
   if (f->destinations > 0 && ready > f->time && ready < next)
      next = ready;
   if (f->dram.bus_free > f->time && f->dram.bus_free < next)
      next = f->dram.bus_free; /* what its cycles are for changes then */
   return next;
}

/* Whether all commands have left the modules. */
static bool
is_drained(struct cf_sim_fragments *f)
{
   for (uint32_t m = 0; m < CF_SIM_MODULES; m++) {
      if (f->module[m].full)
         return false;
   }
   return f->destinations == 0 && !next_command(f);
}

static void
run(struct cf_sim_fragments *f)
{
   bool released = false;
   while (!f->failed && !f->stuck) {
      if (!released && is_drained(f)) {
         for (uint32_t i = 0; i < CF_SIM_MAX_WORDS; i++) {
            if (f->gathered[i].pixels)
               release(f, &f->gathered[i]);
         }
         released = true;
      }
      if (released && f->writes == 0 && f->dram.queued == 0 && f->dram.bus_free <= f->time)
         return;
      tick(f);
      const uint64_t next = f->moved ? f->time + 1 : next_time(f);
      f->stuck = next == CF_SIM_NEVER;
      f->time = f->stuck ? f->time : next;
   }
}

void
cf_sim_fragments_chunk(struct cf_sim_fragments *f, const struct cf_sim_chunk *chunk,
                       const struct cf_sim_order *order)
{
   f->chunk = chunk;
   f->order = order;
   f->next_op = 0;
   f->next_item = f->next_command = f->commands = 0;
   if (!cf_sim_layout_chunk(&f->layout, chunk)) {
      f->failed = true;
      return;
   }
   run(f);
}
