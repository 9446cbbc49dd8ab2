/* SPDX-License-Identifier: MIT */
/*
 * Packets: a submission in memory, with the structures that it points at, through validation and
 * execution. Whatever it is, the GPU must not crash or hang, and must draw a good one afterwards.
 * Some are drawn once more with all programs compiled: nothing may be another.
 *
 * Input: settings (1 byte, fuzz_scene.h), 3 bytes, number of dwords of structures (4 bytes),
 * these dwords, which are the beginning of the scene's memory, and the command buffer.
 */
#include "fuzz.h"

#include <string.h>

#include "clipfree/base/test_random.h"
#include "clipfree/interface/cf_record.h"
#include "fuzz_fields.h"
#include "fuzz_scene.h"
#include "fuzz_steady.h"

#define HEAD_DW 2
#define MOST_DW SCENE_MOST_DW /* of structures, and of the command buffer */
#define COMPILED_OF 16        /* one of so many inputs is compiled, too */
#define DRAWN_OF 4            /* after one of so many there is a good draw */

struct packets_input {
   uint32_t settings;
   uint32_t heap_dw, commands_dw;
   uint32_t heap[MOST_DW], commands[MOST_DW];
};

/* Submit what was emitted, and wait. Returns what it failed by, with a text; else an empty one. */
static struct cf_report
submit(struct test_gpu *t)
{
   const struct cf_gpu_ops *ops = t->gpu->ops;
   const uint64_t seqno = ops->submit(t->gpu, t->commands.address, t->count * 4, 0);
   if (!ops->wait(t->gpu, seqno, UINT64_MAX))
      fuzz_fail("the submission does not end");
   t->count = 0;
   struct cf_report report;
   const uint64_t reports = ops->get_param(t->gpu, CF_PARAM_REPORTS);
   for (uint64_t i = reports; i > 0 && ops->report(t->gpu, i, &report) && report.seqno == seqno;
        i--) {
      if (report.kind == CF_REPORT_FAILURE || report.kind == CF_REPORT_OUT_OF_MEMORY)
         return report;
   }
   return (struct cf_report){ .text = "" };
}

/* ---- inputs ---- */

static uint32_t
at_most(uint64_t a, uint64_t b)
{
   return (uint32_t)(a < b ? a : b);
}

static void
parse(struct packets_input *in, const uint8_t *data, size_t size_B)
{
   uint32_t head[HEAD_DW] = { 0 };
   memset(in, 0, sizeof(*in));
   memcpy(head, data, at_most(size_B, sizeof(head)));
   in->settings = head[0] & 0xff;
   if (size_B <= sizeof(head))
      return;
   const uint8_t *at = data + sizeof(head);
   const size_t left_dw = (size_B - sizeof(head)) / 4;
   in->heap_dw = at_most(at_most(head[1], left_dw), MOST_DW);
   in->commands_dw = at_most(left_dw - in->heap_dw, MOST_DW);
   memcpy(in->heap, at, in->heap_dw * 4);
   memcpy(in->commands, at + in->heap_dw * 4, in->commands_dw * 4);
}

/* Returns the size in bytes; 0: it has no room. */
static size_t
print(const struct packets_input *in, uint8_t *data, size_t max_B)
{
   const uint32_t head[HEAD_DW] = { in->settings, in->heap_dw };
   const size_t heap_B = in->heap_dw * 4, commands_B = in->commands_dw * 4;
   if (sizeof(head) + heap_B + commands_B > max_B)
      return 0;
   memcpy(data, head, sizeof(head));
   memcpy(data + sizeof(head), in->heap, heap_B);
   memcpy(data + sizeof(head) + heap_B, in->commands, commands_B);
   return sizeof(head) + heap_B + commands_B;
}

static struct cf_report
submit_input(struct fuzz_scene *s, const struct packets_input *in)
{
   struct test_gpu *t = &s->scene.t;
   fuzz_scene_reset(s);
   memcpy(t->heap.map, in->heap, in->heap_dw * 4);
   memcpy(t->dw, in->commands, in->commands_dw * 4);
   t->count = in->commands_dw;
   test_tame_draws(t->dw, t->count);
   return submit(t);
}

/* A good draw, after whatever was before it. */
static void
draw_good(struct fuzz_scene *s)
{
   struct test_gpu *t = &s->scene.t;
   fuzz_scene_reset(s);
   test_scene_emit_state(&s->scene);
   test_scene_emit_draw(&s->scene);
   EMIT(t, end, 0);
   submit(t);
   const uint32_t pixel = test_surface_pixel(&s->scene.color, 50, 50);
   if (pixel != TEST_SCENE_RED)
      fuzz_fail("a good draw after it leaves 0x%08x", pixel);
}

/* Compiled it is refused as interpreted, or leaves the same memory, but where a limit of work
 * stopped it. */
static void
compare_compiled(const struct packets_input *in, const struct fuzz_scene *interpreted,
                 const struct cf_report *expected)
{
   struct fuzz_scene *s = fuzz_scene_open_compiled(in->settings);
   if (!s)
      return;
   const struct cf_report report = submit_input(s, in);
   if (!fuzz_steady_stopped()) {
      if (report.kind != expected->kind || strcmp(report.text, expected->text) != 0)
         fuzz_fail("compiled: '%s', not '%s'", report.text, expected->text);
      fuzz_scene_compare(interpreted, s);
   }
   draw_good(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_B)
{
   static struct packets_input in;
   parse(&in, data, size_B);
   const uint64_t hash = fuzz_hash(data, size_B);
   struct fuzz_scene *s = fuzz_scene_open(in.settings);
   fuzz_steady_stopped();
   const struct cf_report report = submit_input(s, &in);
   if (hash % COMPILED_OF == 0)
      compare_compiled(&in, s, &report);
   if (hash % DRAWN_OF == 0)
      draw_good(s);
   return 0;
}

/* ---- mutations ---- */

/* A packet of the command buffer by number, one of those that are there. NULL: there is none. */
static uint32_t *
random_packet(struct packets_input *in, struct cf_random *random, uint32_t *dwords)
{
   uint32_t count = 0, at = 0, offsets[MOST_DW];
   for (; at < in->commands_dw; at += in->commands[at] >> 16) {
      const uint32_t size = in->commands[at] >> 16;
      if (size == 0 || size > in->commands_dw - at)
         break;
      offsets[count++] = at;
   }
   if (count == 0)
      return NULL;
   uint32_t *packet = &in->commands[offsets[cf_random_below(random, count)]];
   *dwords = *packet >> 16;
   return packet;
}

static uint64_t
random_address(struct cf_random *random)
{
   const uint64_t address = fuzz_scene_address(fuzz_scene_open(0), cf_random_u32(random));
   switch (cf_random_below(random, 4)) {
   case 0:
      return address + 4 * cf_random_below(random, 64);
   case 1:
      return address - 4 * cf_random_below(random, 4);
   default:
      return address;
   }
}

/* Make room for a packet before another one, or at the end. NULL: there is none. */
static uint32_t *
insert_packet(struct packets_input *in, struct cf_random *random, uint32_t dwords)
{
   uint32_t unused;
   const uint32_t *before = random_packet(in, random, &unused);
   const uint32_t at = before ? (uint32_t)(before - in->commands) : in->commands_dw;
   if (dwords > MOST_DW - in->commands_dw)
      return NULL;
   uint32_t *packet = &in->commands[at];
   memmove(packet + dwords, packet, (in->commands_dw - at) * 4);
   in->commands_dw += dwords;
   return packet;
}

static void
insert_new(struct packets_input *in, struct cf_random *random)
{
   uint32_t opcode, tries = 0;
   const struct cf_record *record;
   do
      record = cf_packet_record(opcode = cf_random_below(random, CF_OPCODE_END + 1));
   while ((!record || opcode == CF_OPCODE_END) && ++tries < 100);
   uint32_t *packet = record ? insert_packet(in, random, record->dwords) : NULL;
   if (!packet)
      return;
   memset(packet, 0, record->dwords * 4);
   packet[0] = opcode | record->dwords << 16;
   for (uint32_t n = 2 * record->fields; n > 0; n--)
      fuzz_change_field(random, packet, record->dwords, random_address(random));
   packet[0] = opcode | record->dwords << 16;
}

static void
copy_packet(struct packets_input *in, struct cf_random *random)
{
   uint32_t copy[MOST_DW], dwords;
   const uint32_t *from = random_packet(in, random, &dwords);
   if (!from)
      return;
   memcpy(copy, from, dwords * 4);
   uint32_t *packet = insert_packet(in, random, dwords);
   if (packet)
      memcpy(packet, copy, dwords * 4);
}

static void
drop_packet(struct packets_input *in, struct cf_random *random)
{
   uint32_t dwords;
   uint32_t *packet = random_packet(in, random, &dwords);
   if (!packet)
      return;
   in->commands_dw -= dwords;
   memmove(packet, packet + dwords, (in->commands_dw - (uint32_t)(packet - in->commands)) * 4);
}

static void
change_structure(struct packets_input *in, struct cf_random *random)
{
   if (in->heap_dw == 0)
      return;
   uint32_t *dw = &in->heap[cf_random_below(random, in->heap_dw)];
   if (cf_random_below(random, 16) == 0)
      *dw = in->heap[cf_random_below(random, in->heap_dw)];
   else if (cf_random_below(random, 16) == 0)
      *dw = (uint32_t)random_address(random);
   else
      *dw = (uint32_t)fuzz_bits(random, *dw, 32);
}

static void
mutate(struct packets_input *in, struct cf_random *random)
{
   uint32_t dwords;
   uint32_t *packet = random_packet(in, random, &dwords);
   switch (cf_random_below(random, 12)) {
   case 0:
      insert_new(in, random);
      break;
   case 1:
      copy_packet(in, random);
      break;
   case 2:
      drop_packet(in, random);
      break;
   case 3:
      in->settings = cf_random_u32(random) & 0xff;
      break;
   case 4:
   case 5:
   case 6:
      change_structure(in, random);
      break;
   default:
      if (packet)
         fuzz_change_field(random, packet, dwords, random_address(random));
   }
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size_B, size_t max_B, unsigned seed)
{
   static struct packets_input in;
   struct cf_random random = { seed };
   if (cf_random_below(&random, 16) == 0)
      return LLVMFuzzerMutate(data, size_B, max_B);
   parse(&in, data, size_B);
   for (uint32_t n = 1 + cf_random_below(&random, 3); n > 0; n--)
      mutate(&in, &random);
   const size_t mutated_B = print(&in, data, max_B);
   return mutated_B ? mutated_B : LLVMFuzzerMutate(data, size_B, max_B);
}

/* ---- seeds ---- */

static void
write_commands(const char *folder, const char *name, struct fuzz_scene *s, uint32_t settings)
{
   static struct packets_input in;
   static uint8_t data[sizeof(in)];
   const struct test_gpu *t = &s->scene.t;
   in = (struct packets_input){ .settings = settings,
                                .heap_dw = s->good_dw,
                                .commands_dw = t->count };
   if (t->count > MOST_DW)
      fuzz_fail("the seed %s is too long", name);
   memcpy(in.heap, t->heap.map, in.heap_dw * 4);
   memcpy(in.commands, t->dw, t->count * 4);
   fuzz_write_seed(folder, name, data, print(&in, data, sizeof(data)));
}

/* A packet of each kind, whose fields are 0 but for addresses. */
static void
emit_each(struct fuzz_scene *s)
{
   struct test_gpu *t = &s->scene.t;
   struct cf_random random = { 1 };
   for (uint32_t opcode = 1; opcode < CF_OPCODE_END; opcode++) {
      const struct cf_record *record = cf_packet_record(opcode);
      if (!record)
         continue;
      uint32_t *packet = t->dw + t->count;
      memset(packet, 0, record->dwords * 4);
      packet[0] = opcode | record->dwords << 16;
      for (uint32_t i = 0; i < record->fields; i++) {
         if (record->field[i].kind == CF_RECORD_ADDRESS)
            cf_field_set_bits(&record->field[i], packet, 0, random_address(&random));
      }
      t->count += record->dwords;
   }
}

void
fuzz_write_seeds(const char *folder)
{
   struct fuzz_scene *s = fuzz_scene_open(0);
   struct test_gpu *t = &s->scene.t;
   for (unsigned i = 0; fuzz_submissions[i].name; i++) {
      fuzz_scene_reset(s);
      fuzz_submissions[i].emit(s);
      EMIT(t, end, 0);
      write_commands(folder, fuzz_submissions[i].name, s, 5 * i);
      const struct cf_report report = submit(t);
      if (report.text[0])
         fuzz_fail("the seed %s is malformed: %s", fuzz_submissions[i].name, report.text);
   }
   fuzz_scene_reset(s);
   test_scene_emit_state(&s->scene);
   emit_each(s);
   EMIT(t, end, 0);
   write_commands(folder, "each", s, 1);
}
