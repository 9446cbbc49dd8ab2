/* SPDX-License-Identifier: MIT */
#include "replay_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "clipfree/capture/cf_capture_reader.h"
#include "clipfree/interface/cf_gpu.h"
#include "clipfree/interface/cf_note.h"
#include "clipfree/interface/cf_packets.h"

static uint64_t
now_ns(clockid_t clock)
{
   struct timespec now;
   clock_gettime(clock, &now);
   return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Print the packets of a command buffer up to the first malformed one. */
static void
print_packets(const uint32_t *dw, uint32_t count)
{
   for (uint32_t i = 0, dwords; i < count; i += dwords) {
      if (!cf_packet_name(dw[i] & 0xff, &dwords) || dwords > count - i) {
         printf("0x%08" PRIx32 ": no packet, or one that does not end in the command buffer\n",
                dw[i]);
         return;
      }
      cf_record_print(stdout, cf_packet_record(dw[i] & 0xff), dw + i);
   }
}

/* Print a text that may have several lines: the others are indented. */
static void
print_text(const char *text)
{
   for (; *text; text++) {
      if (*text == '\n' && text[1])
         fputs("\n      ", stdout);
      else if (*text != '\n')
         putchar(*text);
   }
   putchar('\n');
}

#define MAX_LINE_B 200 /* of a line that is printed */

/* A note, and its line table. */
struct table {
   const uint8_t *note;
   size_t size_B;
   struct cf_note_part part;
};

struct lines_of {
   uint32_t instr, end; /* entries before `end` are its own */
   char text[512];
};

/* The text of source `object` of the note; NULL: it has none. */
static const char *
source_of(const struct table *table, uint32_t object)
{
   struct cf_note_part part;
   for (size_t at = 0; cf_note_next(table->note, table->size_B, &at, &part);) {
      if (part.field == CF_NOTE_SOURCE && object-- == 0)
         return part.text;
   }
   return NULL;
}

/* The lines of the instruction whose first entry is `i`: "12: `a = b;`, 2:14: `c`". */
static struct lines_of
lines_of(const struct table *table, uint32_t i)
{
   struct lines_of lines = { .instr = cf_note_line(&table->part, i).instr };
   size_t length = 0;
   for (; i < table->part.count && cf_note_line(&table->part, i).instr == lines.instr; i++) {
      const struct cf_note_line line = cf_note_line(&table->part, i);
      char name[CF_NOTE_LINE_NAME_B];
      int text_B = 0;
      const char *text =
         cf_note_source_line(source_of(table, line.object), line.text_line, &text_B);
      cf_note_line_name(&line, name);
      if (length < sizeof(lines.text))
         length += (size_t)snprintf(lines.text + length, sizeof(lines.text) - length,
                                    text ? "%s%s: `%.*s`" : "%s%s", length ? ", " : "", name,
                                    text_B < MAX_LINE_B ? text_B : MAX_LINE_B, text);
   }
   lines.end = i;
   return lines;
}

/* A line table, a run of instructions of equal lines at a time. */
static void
print_lines(const struct table *table)
{
   for (uint32_t i = 0; i < table->part.count;) {
      const struct lines_of first = lines_of(table, i);
      struct lines_of last = first;
      for (i = first.end; i < table->part.count; i = last.end) {
         const struct lines_of next = lines_of(table, i);
         if (next.instr != last.instr + 1 || strcmp(next.text, first.text) != 0)
            break;
         last = next;
      }
      printf("\n      instruction %" PRIu32, first.instr);
      if (last.instr != first.instr)
         printf(" to %" PRIu32, last.instr);
      printf(": line %s", first.text);
   }
   putchar('\n');
}

/* By instruction its line of NIR, of those that have one. */
static void
print_nir_lines(const struct cf_note_part *part)
{
   for (uint32_t i = 0; i < part->count; i++) {
      const uint32_t line = cf_note_nir_line(part, i);
      if (line)
         printf("\n      instruction %" PRIu32 ": line %" PRIu32, i, line);
   }
   putchar('\n');
}

/* By instruction the constants that it may load with its index. */
static void
print_arrays(const struct cf_note_part *part)
{
   for (uint32_t i = 0; i < part->count; i++) {
      const struct cf_note_array array = cf_note_array(part, i);
      printf("\n      instruction %" PRIu32 ": constants %" PRIu32 " to %" PRIu32, array.instr,
             array.first_dw, array.end_dw - 1);
   }
   putchar('\n');
}

/* How many results are mediump and lowp. */
static void
print_precisions(const struct cf_note_part *part)
{
   uint32_t count[CF_NOTE_LOWP + 1] = { 0 };
   for (uint32_t i = 0; i < part->count; i++)
      count[part->table[i] <= CF_NOTE_LOWP ? part->table[i] : CF_NOTE_HIGHP]++;
   printf("%" PRIu32 " instructions mediump, %" PRIu32 " lowp\n", count[CF_NOTE_MEDIUMP],
          count[CF_NOTE_LOWP]);
}

/* " 2 of stage 1, level 0, layer 0: 0,0 to 8,8", or "0: 0 to 64". False: it is no such part. */
static bool
print_written(const struct cf_note_part *part)
{
   const struct cf_note_written *w = &part->written;
   if (part->field == CF_NOTE_WRITTEN_BYTES)
      printf(" %" PRIu32 ": %" PRIu32 " to %" PRIu32 "\n", w->place, w->begin[0], w->end[0]);
   else if (part->field == CF_NOTE_WRITTEN_TEXELS)
      printf(" %" PRIu32 " of stage %" PRIu32 ", level %" PRIu32 ", layer %" PRIu32 ": %" PRIu32
             ",%" PRIu32 " to %" PRIu32 ",%" PRIu32 "\n",
             w->place, w->stage, w->level, w->layer, w->begin[0], w->begin[1], w->end[0],
             w->end[1]);
   else
      return false;
   return true;
}

static void
print_note(const struct cf_capture_record *record, const uint8_t *note)
{
   static const char *const names[] = {
      [CF_NOTE_CALL] = "call",
      [CF_NOTE_GROUP] = "group",
      [CF_NOTE_MARKER] = "marker",
      [CF_NOTE_LABEL] = "label",
      [CF_NOTE_NAME] = "name",
      [CF_NOTE_SOURCE] = "source",
      [CF_NOTE_ATTRIBUTE] = "vertex element",
      [CF_NOTE_INPUT] = "varying component",
      [CF_NOTE_OUTPUT] = "varying component",
      [CF_NOTE_UNIFORM] = "constant",
      [CF_NOTE_LINES] = "lines",
      [CF_NOTE_LOCAL] = "scratch dword",
      [CF_NOTE_ARRAYS] = "arrays",
      [CF_NOTE_NIR] = "nir",
      [CF_NOTE_NIR_LINES] = "lines of nir",
      [CF_NOTE_PRINT] = "printed scratch dword",
      [CF_NOTE_PRECISIONS] = "precisions",
      [CF_NOTE_WRITTEN_BYTES] = "written bytes of vertex element",
      [CF_NOTE_WRITTEN_TEXELS] = "written texels of texture unit",
      [CF_NOTE_UNSET] = "never set",
   };
   struct cf_note_part part;
   printf("note of 0x%" PRIx64 "\n", record->address);
   for (size_t at = 0; cf_note_next(note, record->size_B, &at, &part);) {
      const bool sampler = part.field == CF_NOTE_UNIFORM && part.variable.scalar == CF_NOTE_SAMPLER;
      printf("   %s", sampler ? "texture unit" : names[part.field]);
      if ((part.field >= CF_NOTE_ATTRIBUTE && part.field <= CF_NOTE_UNIFORM) ||
          part.field == CF_NOTE_LOCAL)
         printf(" %" PRIu32, part.variable.place);
      if (part.field == CF_NOTE_PRINT)
         printf(" %" PRIu32, part.print.place);
      if (print_written(&part))
         continue;
      fputs(": ", stdout);
      if (part.field == CF_NOTE_LINES)
         print_lines(&(struct table){ note, record->size_B, part });
      else if (part.field == CF_NOTE_ARRAYS)
         print_arrays(&part);
      else if (part.field == CF_NOTE_NIR_LINES)
         print_nir_lines(&part);
      else if (part.field == CF_NOTE_PRECISIONS)
         print_precisions(&part);
      else
         print_text(part.text);
   }
}

struct cost {
   uint64_t wall_ns, cpu_ns;
};

#define FAILURE_B 320

/* Replay all records. Returns the cost of the submissions. failure: what made the first of them
 * fail that did; "" before. */
static struct cost
run(struct cf_gpu *gpu, struct cf_capture_reader *capture, const struct cf_bo *memory, bool print,
    char failure[FAILURE_B])
{
   const uint8_t *payload;
   struct cf_capture_record record;
   struct cost cost = { 0 };
   char error[CF_CAPTURE_ERROR_B];
   int found;
   cf_capture_rewind(capture);
   if (gpu->ops->get_param(gpu, CF_PARAM_PATH) == CF_PATH_PLAIN)
      cf_capture_leave_drawn(capture);
   while ((found = cf_capture_next(capture, &record, &payload, error, sizeof(error))) > 0) {
      uint8_t *host = (uint8_t *)memory->map + (record.address - memory->address);
      if (record.kind == CF_CAPTURE_MEMORY)
         memcpy(host, payload, record.size_B);
      if (record.kind == CF_CAPTURE_NOTE && gpu->ops->get_param(gpu, CF_PARAM_NOTES))
         gpu->ops->note(gpu, record.address, payload, record.size_B);
      if (record.kind == CF_CAPTURE_NOTE && print)
         print_note(&record, payload);
      if (record.kind == CF_CAPTURE_FRAME && print)
         printf("frame %" PRIu32 " presented: image 0x%" PRIx64 "\n", record.number,
                record.address);
      if (record.kind == CF_CAPTURE_FRAME)
         gpu->ops->end_frame(gpu, NULL);
      if (record.kind != CF_CAPTURE_SUBMIT)
         continue;
      if (print)
         print_packets((const uint32_t *)host, (uint32_t)(record.size_B / 4));
      const uint64_t wall_ns = now_ns(CLOCK_MONOTONIC), cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
      gpu->ops->wait(gpu, gpu->ops->submit(gpu, record.address, (uint32_t)record.size_B, 0),
                     UINT64_MAX);
      cost.wall_ns += now_ns(CLOCK_MONOTONIC) - wall_ns;
      cost.cpu_ns += now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
      if (!failure[0])
         gpu->ops->last_error(gpu, failure, FAILURE_B);
   }
   if (found < 0)
      replay_die("%s", error);
   return cost;
}

static struct cf_gpu *
make_gpu(const struct cf_model_config *config)
{
   const char *error;
   struct cf_gpu *gpu = cf_model_create(config, &error);
   if (!gpu)
      replay_die("%s", error);
   if (config->engine == CF_ENGINE_JIT &&
       gpu->ops->get_param(gpu, CF_PARAM_ENGINE) != CF_ENGINE_JIT)
      replay_die(
         "--engine jit: the compiler cannot be loaded; it is libclipfree_jit.so, beside the "
         "library or in LD_LIBRARY_PATH");
   return gpu;
}

/* Open the capture, and allocate all of its memory. */
static struct cf_capture_reader *
open_capture(const char *path, struct cf_gpu *gpu, struct cf_bo *memory)
{
   char error[CF_CAPTURE_ERROR_B];
   struct cf_capture_reader *capture = cf_capture_open(path, error, sizeof(error));
   if (!capture)
      replay_die("%s", error);
   if (cf_capture_warning(capture))
      fprintf(stderr, "clipfree-replay: %s: %s\n", path, cf_capture_warning(capture));
   const uint64_t size_B = cf_capture_end_address(capture) - CF_CAPTURE_FIRST_ADDRESS;
   if (!gpu->ops->bo_alloc(gpu, size_B, memory))
      replay_die("no room for the capture's memory");
   if (cf_capture_first_address(capture) < memory->address)
      replay_die("the capture is of a host with smaller pages: GPU memory begins at 0x%" PRIx64
                 " here",
                 memory->address);
   return capture;
}

void
replay_run(const struct replay_request *request)
{
   struct cf_gpu *gpu = make_gpu(&request->config);
   struct cf_bo memory;
   struct cf_capture_reader *capture = open_capture(request->path, gpu, &memory);
   struct cost least = { UINT64_MAX, UINT64_MAX };
   char failure[FAILURE_B] = "";
   if (request->repeat > 1)
      cf_capture_keep(capture);
   for (unsigned long i = 0; i < request->repeat; i++) {
      const struct cost cost = run(gpu, capture, &memory, request->print && i == 0, failure);
      least.wall_ns = cost.wall_ns < least.wall_ns ? cost.wall_ns : least.wall_ns;
      least.cpu_ns = cost.cpu_ns < least.cpu_ns ? cost.cpu_ns : least.cpu_ns;
   }
   if (failure[0])
      replay_die("%s", failure);
   printf("%.1f us, %.1f us of processor time, memory %016" PRIx64 "\n",
          (double)least.wall_ns / 1e3, (double)least.cpu_ns / 1e3, look_memory_hash(&memory));
   gpu->ops->destroy(gpu);
   cf_capture_close(capture);
}
