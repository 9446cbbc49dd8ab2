/* SPDX-License-Identifier: MIT */
#include "reduce_case.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/cf_hash.h"
#include "clipfree/capture/cf_capture_reader.h"
#include "clipfree/capture/cf_capture_writer.h"
#include "clipfree/interface/cf_note.h"

void *
reduce_allocate(size_t size_B)
{
   void *data = calloc(1, size_B ? size_B : 1);
   if (!data) {
      fputs("clipfree reduce: out of memory\n", stderr);
      exit(1);
   }
   return data;
}

/* Room for one more element of an array. */
static void *
grow(void *array, uint32_t count, uint32_t *capacity, size_t element_B)
{
   if (count < *capacity)
      return array;
   *capacity = 2 * *capacity + 16;
   array = realloc(array, *capacity * element_B);
   if (!array) {
      fputs("clipfree reduce: out of memory\n", stderr);
      exit(1);
   }
   return array;
}

/* ------------------------------------------------------------------ shared bytes */

static struct reduce_bytes *
make_bytes(const void *data, size_t size_B)
{
   struct reduce_bytes *bytes = reduce_allocate(sizeof(*bytes) + size_B);
   bytes->references = 1;
   bytes->size_B = (uint32_t)size_B;
   if (data)
      memcpy(bytes->data, data, size_B);
   return bytes;
}

static struct reduce_bytes *
share(struct reduce_bytes *bytes)
{
   if (bytes)
      bytes->references++;
   return bytes;
}

static void
release(struct reduce_bytes *bytes)
{
   if (bytes && --bytes->references == 0)
      free(bytes);
}

/* ------------------------------------------------------------------ pages */

/* The index of the page, or where it would be. */
static uint32_t
page_index(const struct reduce_submission *s, uint64_t number)
{
   uint32_t low = 0, high = s->pages;
   while (low < high) {
      const uint32_t middle = (low + high) / 2;
      if (s->page[middle].number < number)
         low = middle + 1;
      else
         high = middle;
   }
   return low;
}

static struct reduce_page *
find_page(const struct reduce_submission *s, uint64_t number)
{
   const uint32_t i = page_index(s, number);
   return i < s->pages && s->page[i].number == number ? &s->page[i] : NULL;
}

/* Takes over the reference. */
static void
put_page(struct reduce_submission *s, uint64_t number, struct reduce_bytes *bytes)
{
   const uint32_t i = page_index(s, number);
   if (i < s->pages && s->page[i].number == number) {
      release(s->page[i].bytes);
      s->page[i].bytes = bytes;
      return;
   }
   s->page = grow(s->page, s->pages, &s->page_capacity, sizeof(*s->page));
   memmove(&s->page[i + 1], &s->page[i], (s->pages - i) * sizeof(*s->page));
   s->page[i] = (struct reduce_page){ number, bytes };
   s->pages++;
}

/* The page as the host wrote it last before a submission; NULL: never. */
static struct reduce_page *
last_page(const struct reduce_case *c, uint32_t submission, uint64_t number)
{
   struct reduce_page *page = NULL;
   for (uint32_t s = submission + 1; s-- > 0 && !page;)
      page = find_page(&c->submission[s], number);
   return page;
}

static bool
is_inside(const struct reduce_case *c, uint64_t address, uint64_t size_B)
{
   return address && address < c->end && size_B <= c->end - address;
}

bool
reduce_case_read(const struct reduce_case *c, uint32_t submission, uint64_t address, void *data,
                 uint64_t size_B)
{
   uint8_t *to = data;
   if (!is_inside(c, address, size_B))
      return false;
   while (size_B > 0) {
      const uint64_t at = address % REDUCE_PAGE_B, left = REDUCE_PAGE_B - at;
      const uint64_t part_B = size_B < left ? size_B : left;
      const struct reduce_page *page = last_page(c, submission, address / REDUCE_PAGE_B);
      if (page)
         memcpy(to, page->bytes->data + at, part_B);
      else
         memset(to, 0, part_B);
      to += part_B;
      address += part_B;
      size_B -= part_B;
   }
   return true;
}

/* The bytes of a page, to be changed. */
static uint8_t *
own_page(struct reduce_case *c, uint32_t submission, uint64_t number)
{
   struct reduce_page *page = last_page(c, submission, number);
   if (!page) {
      put_page(&c->submission[0], number, make_bytes(NULL, REDUCE_PAGE_B));
      page = find_page(&c->submission[0], number);
   }
   if (page->bytes->references > 1) {
      struct reduce_bytes *copy = make_bytes(page->bytes->data, REDUCE_PAGE_B);
      release(page->bytes);
      page->bytes = copy;
   }
   return page->bytes->data;
}

bool
reduce_case_write(struct reduce_case *c, uint32_t submission, uint64_t address, const void *data,
                  uint64_t size_B)
{
   const uint8_t *from = data;
   if (!is_inside(c, address, size_B))
      return false;
   while (size_B > 0) {
      const uint64_t at = address % REDUCE_PAGE_B, left = REDUCE_PAGE_B - at;
      const uint64_t part_B = size_B < left ? size_B : left;
      memcpy(own_page(c, submission, address / REDUCE_PAGE_B) + at, from, part_B);
      from += part_B;
      address += part_B;
      size_B -= part_B;
   }
   return true;
}

uint64_t
reduce_case_allocate(struct reduce_case *c, uint64_t size_B)
{
   const uint64_t address = c->end;
   c->end += (size_B + REDUCE_PAGE_B - 1) / REDUCE_PAGE_B * REDUCE_PAGE_B;
   return address;
}

const uint8_t *
reduce_case_page(const struct reduce_case *c, uint32_t submission, uint64_t number)
{
   const struct reduce_page *page = find_page(&c->submission[submission], number);
   return page ? page->bytes->data : NULL;
}

void
reduce_case_set_page(struct reduce_case *c, uint32_t submission, uint64_t number,
                     const uint8_t *data)
{
   struct reduce_submission *s = &c->submission[submission];
   const uint32_t i = page_index(s, number);
   if (data) {
      put_page(s, number, make_bytes(data, REDUCE_PAGE_B));
   } else if (i < s->pages && s->page[i].number == number) {
      release(s->page[i].bytes);
      memmove(&s->page[i], &s->page[i + 1], (--s->pages - i) * sizeof(*s->page));
   }
}

/* ------------------------------------------------------------------ submissions */

static void
add_note(struct reduce_submission *s, uint64_t address, struct reduce_bytes *bytes)
{
   s->note = grow(s->note, s->notes, &s->note_capacity, sizeof(*s->note));
   s->note[s->notes++] = (struct reduce_note){ address, bytes };
}

static void
free_submission(struct reduce_submission *s)
{
   for (uint32_t i = 0; i < s->packets; i++)
      release(s->packet[i].note);
   for (uint32_t i = 0; i < s->pages; i++)
      release(s->page[i].bytes);
   for (uint32_t i = 0; i < s->notes; i++)
      release(s->note[i].bytes);
   release(s->rest);
   release(s->frame);
   free(s->packet);
   free(s->page);
   free(s->note);
}

static void *
copy_array(const void *array, uint32_t count, size_t element_B)
{
   void *copy = reduce_allocate(count * element_B);
   if (count)
      memcpy(copy, array, count * element_B);
   return copy;
}

static struct reduce_submission
copy_submission(const struct reduce_submission *s)
{
   struct reduce_submission copy = *s;
   copy.packet = copy_array(s->packet, s->packets, sizeof(*s->packet));
   copy.page = copy_array(s->page, s->pages, sizeof(*s->page));
   copy.note = copy_array(s->note, s->notes, sizeof(*s->note));
   copy.packet_capacity = s->packets;
   copy.page_capacity = s->pages;
   copy.note_capacity = s->notes;
   for (uint32_t i = 0; i < s->packets; i++)
      share(s->packet[i].note);
   for (uint32_t i = 0; i < s->pages; i++)
      share(s->page[i].bytes);
   for (uint32_t i = 0; i < s->notes; i++)
      share(s->note[i].bytes);
   share(s->rest);
   share(s->frame);
   return copy;
}

struct reduce_case *
reduce_case_copy(const struct reduce_case *c)
{
   struct reduce_case *copy = reduce_allocate(sizeof(*copy));
   *copy = *c;
   copy->submission = reduce_allocate((c->submissions + 1) * sizeof(*copy->submission));
   for (uint32_t i = 0; i <= c->submissions; i++)
      copy->submission[i] = copy_submission(&c->submission[i]);
   return copy;
}

void
reduce_case_free(struct reduce_case *c)
{
   for (uint32_t i = 0; c && i <= c->submissions; i++)
      free_submission(&c->submission[i]);
   if (c)
      free(c->submission);
   free(c);
}

static void
exchange_notes(struct reduce_submission *a, struct reduce_submission *b)
{
   const struct reduce_submission kept = *a;
   a->note = b->note;
   a->notes = b->notes;
   a->note_capacity = b->note_capacity;
   b->note = kept.note;
   b->notes = kept.notes;
   b->note_capacity = kept.note_capacity;
}

void
reduce_case_drop_submission(struct reduce_case *c, uint32_t submission)
{
   struct reduce_submission *s = &c->submission[submission], *next = s + 1;
   for (uint32_t i = 0; i < s->pages; i++) {
      if (!find_page(next, s->page[i].number))
         put_page(next, s->page[i].number, share(s->page[i].bytes));
   }
   for (uint32_t i = 0; i < next->notes; i++) /* the last of an address counts */
      add_note(s, next->note[i].address, share(next->note[i].bytes));
   exchange_notes(s, next);
   if (!next->frame) {
      next->frame = share(s->frame);
      next->frame_address = s->frame_address;
      next->frame_number = s->frame_number;
   }
   free_submission(s);
   memmove(s, next, (c->submissions - submission) * sizeof(*s));
   c->submissions--;
}

void
reduce_case_keep_packets(struct reduce_case *c, uint32_t submission, const bool *keep)
{
   struct reduce_submission *s = &c->submission[submission];
   uint32_t kept = 0;
   for (uint32_t i = 0; i < s->packets; i++) {
      if (keep[i])
         s->packet[kept++] = s->packet[i];
      else
         release(s->packet[i].note);
   }
   s->packets = kept;
}

static struct reduce_note *
find_note(const struct reduce_case *c, uint32_t submission, uint64_t address)
{
   for (uint32_t s = submission + 1; s-- > 0;) {
      for (uint32_t i = c->submission[s].notes; i-- > 0;) {
         if (c->submission[s].note[i].address == address)
            return &c->submission[s].note[i];
      }
   }
   return NULL;
}

/* A field of a note as it is. */
static void
copy_field(struct cf_note *to, const struct reduce_note *from, size_t begin, size_t end)
{
   cf_note_add_fields(to, from->bytes->data + begin, end - begin);
}

/* Whether a field describes instructions, which are other ones now. */
static bool
is_of_code(enum cf_note_field field)
{
   return field == CF_NOTE_LINES || field == CF_NOTE_NIR || field == CF_NOTE_NIR_LINES ||
          field == CF_NOTE_ARRAYS || field == CF_NOTE_PRECISIONS;
}

/* The note of a program again, without what is of its code, and with other GLSL, if there is any.
 */
static void
change_note(struct reduce_note *note, const char *source)
{
   struct cf_note changed = { 0 };
   struct cf_note_part part;
   size_t at = 0, begin = 0;
   while (cf_note_next(note->bytes->data, note->bytes->size_B, &at, &part)) {
      if (part.field == CF_NOTE_SOURCE && source)
         cf_note_add_text(&changed, CF_NOTE_SOURCE, source, strlen(source));
      else if (!is_of_code(part.field))
         copy_field(&changed, note, begin, at);
      begin = at;
   }
   release(note->bytes);
   note->bytes = make_bytes(changed.data, changed.size_B);
   cf_note_free(&changed);
}

void
reduce_case_drop_lines(struct reduce_case *c, uint32_t submission, uint64_t address)
{
   struct reduce_note *note = find_note(c, submission, address);
   if (note)
      change_note(note, NULL);
}

void
reduce_case_set_source(struct reduce_case *c, uint32_t submission, uint64_t address,
                       const char *source)
{
   struct reduce_note *note = find_note(c, submission, address);
   if (note)
      change_note(note, source);
}

char *
reduce_case_source(const struct reduce_case *c, uint32_t submission, uint64_t address)
{
   const struct reduce_note *note = find_note(c, submission, address);
   struct cf_note_part part;
   const char *source = NULL;
   uint32_t sources = 0;
   for (size_t at = 0; note && cf_note_next(note->bytes->data, note->bytes->size_B, &at, &part);) {
      sources += part.field == CF_NOTE_SOURCE;
      source = part.field == CF_NOTE_SOURCE ? part.text : source;
   }
   return sources == 1 ? strdup(source) : NULL;
}

/* ------------------------------------------------------------------ loading */

static void
load_memory(struct reduce_case *c, const struct cf_capture_record *record, const uint8_t *payload)
{
   struct reduce_submission *s = &c->submission[c->submissions];
   const uint64_t end = record->address + record->size_B;
   for (uint64_t at = record->address, next; at < end; at = next) {
      const uint64_t number = at / REDUCE_PAGE_B;
      uint8_t page[REDUCE_PAGE_B];
      next = (number + 1) * REDUCE_PAGE_B < end ? (number + 1) * REDUCE_PAGE_B : end;
      if (next - at < REDUCE_PAGE_B)
         reduce_case_read(c, c->submissions, number * REDUCE_PAGE_B, page, REDUCE_PAGE_B);
      memcpy(page + at % REDUCE_PAGE_B, payload + (at - record->address), next - at);
      put_page(s, number, make_bytes(page, REDUCE_PAGE_B));
   }
}

/* The note of a packet, taken from those before its submission: the last one. */
static struct reduce_bytes *
take_note(struct reduce_submission *s, uint64_t address)
{
   for (uint32_t i = s->notes; i-- > 0;) {
      if (s->note[i].address == address)
         return share(s->note[i].bytes);
   }
   return NULL;
}

/* Notes of packets are with the packets, which may move. */
static void
drop_notes(struct reduce_submission *s, uint64_t address, uint64_t size_B)
{
   uint32_t kept = 0;
   for (uint32_t i = 0; i < s->notes; i++) {
      if (s->note[i].address - address < size_B)
         release(s->note[i].bytes);
      else
         s->note[kept++] = s->note[i];
   }
   s->notes = kept;
}

/* Take the packets out of memory. */
static void
load_packets(struct reduce_case *c, struct reduce_submission *s, uint64_t size_B)
{
   uint32_t *dw = reduce_allocate(size_B), dwords;
   const uint32_t count = (uint32_t)(size_B / 4);
   uint32_t at = 0;
   if (!reduce_case_read(c, c->submissions, s->address, dw, size_B))
      memset(dw, 0, size_B);
   for (; at < count && cf_packet_name(dw[at] & 0xff, &dwords) && dwords <= count - at;
        at += dwords) {
      s->packet = grow(s->packet, s->packets, &s->packet_capacity, sizeof(*s->packet));
      struct reduce_packet *packet = &s->packet[s->packets++];
      *packet = (struct reduce_packet){ .dwords = dwords,
                                        .note = take_note(s, s->address + 4 * (uint64_t)at) };
      memcpy(packet->dw, dw + at, 4 * (size_t)dwords);
   }
   if (at < count)
      s->rest = make_bytes(dw + at, 4 * (size_t)(count - at));
   memset(dw, 0, size_B);
   reduce_case_write(c, c->submissions, s->address, dw, size_B);
   drop_notes(s, s->address, size_B);
   free(dw);
}

static void
load_record(struct reduce_case *c, const struct cf_capture_record *record, const uint8_t *payload)
{
   struct reduce_submission *s = &c->submission[c->submissions];
   switch (record->kind) {
   case CF_CAPTURE_MEMORY:
      load_memory(c, record, payload);
      break;
   case CF_CAPTURE_NOTE:
      if (payload)
         add_note(s, record->address, make_bytes(payload, record->size_B));
      break;
   case CF_CAPTURE_FRAME:
      release(s->frame);
      s->frame = make_bytes(payload, payload ? record->size_B : 0);
      s->frame_address = record->address;
      s->frame_number = record->number;
      break;
   case CF_CAPTURE_SUBMIT:
      s->address = record->address;
      load_packets(c, s, record->size_B);
      c->submissions++;
      break;
   default:
      break;
   }
}

struct reduce_case *
reduce_case_load(const char *path, char *error, size_t error_B)
{
   struct cf_capture_reader *reader = cf_capture_open(path, error, error_B);
   struct cf_capture_record record;
   const uint8_t *payload;
   int found;
   if (!reader)
      return NULL;
   struct reduce_case *c = reduce_allocate(sizeof(*c));
   c->end = (cf_capture_end_address(reader) + REDUCE_PAGE_B - 1) / REDUCE_PAGE_B * REDUCE_PAGE_B;
   c->submission = reduce_allocate((cf_capture_submissions(reader) + 1) * sizeof(*c->submission));
   while ((found = cf_capture_next(reader, &record, &payload, error, error_B)) > 0)
      load_record(c, &record, payload);
   cf_capture_close(reader);
   if (found == 0)
      return c;
   reduce_case_free(c);
   return NULL;
}

/* ------------------------------------------------------------------ saving */

/* Where records go to: a file, or a hash. */
struct record_sink {
   struct cf_capture_writer *writer; /* NULL: the hash */
   uint64_t hash;
   bool ok;
};

static void
add_hash(uint64_t *hash, const void *data, size_t size_B)
{
   uint64_t last = 0;
   *hash = cf_hash_words(*hash, data, size_B / 8);
   if (size_B % 8) {
      memcpy(&last, (const uint8_t *)data + size_B / 8 * 8, size_B % 8);
      *hash = cf_hash_words(*hash, &last, 1);
   }
}

static void
put(struct record_sink *sink, uint32_t kind, uint64_t address, uint64_t size_B, const void *payload)
{
   const struct cf_capture_record record = { .kind = kind, .address = address, .size_B = size_B };
   if (sink->writer)
      sink->ok = sink->ok && cf_capture_writer_put(sink->writer, &record, payload);
   else
      add_hash(&sink->hash, &record, sizeof(record));
   if (!sink->writer && payload)
      add_hash(&sink->hash, payload, size_B);
}

static void
put_frame(struct record_sink *sink, const struct reduce_submission *s)
{
   const struct cf_capture_record record = { .kind = CF_CAPTURE_FRAME,
                                             .number = s->frame_number,
                                             .address = s->frame_address,
                                             .size_B = s->frame ? s->frame->size_B : 0 };
   if (s->frame && sink->writer)
      sink->ok = sink->ok && cf_capture_writer_put(sink->writer, &record, s->frame->data);
   if (s->frame && !sink->writer) {
      add_hash(&sink->hash, &record, sizeof(record));
      add_hash(&sink->hash, s->frame->data, s->frame->size_B);
   }
}

static bool
is_zero(const uint8_t *page)
{
   return !page[0] && !memcmp(page, page + 1, REDUCE_PAGE_B - 1);
}

/* Memory before the first submission is zero where nothing is said. The last page is there in any
 * case, so that the end is known. */
static void
put_memory(struct record_sink *sink, const struct reduce_case *c, uint32_t number)
{
   static const uint8_t zeros[REDUCE_PAGE_B];
   const struct reduce_submission *s = &c->submission[number];
   const uint64_t last = c->end / REDUCE_PAGE_B - 1;
   for (uint32_t i = 0; i < s->pages; i++) {
      const uint8_t *data = s->page[i].bytes->data;
      if (number > 0 || s->page[i].number == last || !is_zero(data))
         put(sink, CF_CAPTURE_MEMORY, s->page[i].number * REDUCE_PAGE_B, REDUCE_PAGE_B, data);
   }
   if (number == 0 && !find_page(s, last))
      put(sink, CF_CAPTURE_MEMORY, last * REDUCE_PAGE_B, REDUCE_PAGE_B, zeros);
}

static void
put_packets(struct record_sink *sink, const struct reduce_submission *s)
{
   uint64_t address = s->address;
   for (uint32_t i = 0; i < s->packets; i++) {
      const struct reduce_packet *packet = &s->packet[i];
      put(sink, CF_CAPTURE_MEMORY, address, 4 * packet->dwords, packet->dw);
      if (packet->note)
         put(sink, CF_CAPTURE_NOTE, address, packet->note->size_B, packet->note->data);
      address += 4 * packet->dwords;
   }
   if (s->rest) {
      put(sink, CF_CAPTURE_MEMORY, address, s->rest->size_B, s->rest->data);
      address += s->rest->size_B;
   }
   put(sink, CF_CAPTURE_SUBMIT, s->address, address - s->address, NULL);
}

static void
put_case(struct record_sink *sink, const struct reduce_case *c)
{
   for (uint32_t i = 0; i <= c->submissions; i++) {
      const struct reduce_submission *s = &c->submission[i];
      put_frame(sink, s);
      if (i == c->submissions)
         break;
      put_memory(sink, c, i);
      for (uint32_t n = 0; n < s->notes; n++)
         put(sink, CF_CAPTURE_NOTE, s->note[n].address, s->note[n].bytes->size_B,
             s->note[n].bytes->data);
      put_packets(sink, s);
      if (sink->writer)
         sink->ok = sink->ok && cf_capture_writer_flush(sink->writer);
   }
   put(sink, CF_CAPTURE_END, 0, 0, NULL);
}

bool
reduce_case_save(const struct reduce_case *c, const char *path)
{
   struct record_sink sink = { .writer = cf_capture_writer_open(path), .ok = true };
   if (!sink.writer)
      return false;
   put_case(&sink, c);
   const bool ok = sink.ok && cf_capture_writer_flush(sink.writer);
   const int reason = errno;
   cf_capture_writer_close(sink.writer, false);
   errno = reason;
   return ok;
}

uint64_t
reduce_case_hash(const struct reduce_case *c)
{
   struct record_sink sink = { .hash = 0xcbf29ce484222325u };
   put_case(&sink, c);
   return sink.hash;
}
