/* SPDX-License-Identifier: MIT */
#include "clipfree/capture/cf_capture_reader.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/capture/cf_capture_source.h"

/* Most bytes of memory that one record gives. */
#define PIECE_B CF_CAPTURE_MAX_NOTE_B

struct cf_capture_reader {
   struct cf_capture_source *source;
   char *path;
   uint8_t *payload; /* PIECE_B bytes */
   uint64_t place_B; /* of the next byte of the records */
   uint64_t end_B;   /* where the records end; of an incomplete capture its last submission */
   bool incomplete;
   struct cf_capture_record rest; /* what is left of a record of memory; size_B 0: nothing */
   uint64_t rest_place_B;         /* of the record's head */
   /* of all records */
   uint64_t first_address, end_address;
   unsigned submissions;
   bool leaves_drawn; /* memory of CF_CAPTURE_BY_GPU is left out */
};

static bool
has_payload(const struct cf_capture_record *record)
{
   return record->kind != CF_CAPTURE_SUBMIT && record->kind != CF_CAPTURE_END;
}

/* The error in a record's head; NULL: none. */
static const char *
head_fault(const struct cf_capture_record *record)
{
   const bool memory = record->kind == CF_CAPTURE_MEMORY;
   const bool submit = record->kind == CF_CAPTURE_SUBMIT;
   if (record->kind == CF_CAPTURE_FRAME || record->kind == CF_CAPTURE_NOTE)
      return record->size_B > CF_CAPTURE_MAX_NOTE_B ? "it is too long" : NULL;
   if (record->kind == CF_CAPTURE_END)
      return NULL;
   if (!memory && !submit)
      return "there is no such kind of record";
   if (submit && (record->size_B % 4 || record->address % 4 || record->size_B > UINT32_MAX))
      return "a command buffer is of whole dwords, and less than 4 GiB";
   if (record->address < CF_CAPTURE_FIRST_ADDRESS || record->address >= CF_CAPTURE_MAX_ADDRESS ||
       record->size_B > CF_CAPTURE_MAX_ADDRESS - record->address)
      return "its addresses are not those of a GPU's memory";
   return NULL;
}

/* Describe a fault of the record at `place_B` among the records, which are counted as if they were
 * not compressed. Returns -1. */
static int
damaged(struct cf_capture_reader *reader, uint64_t place_B, const struct cf_capture_record *record,
        const char *fault, char *error, size_t error_B)
{
   const uint64_t byte = strlen(CF_CAPTURE_MAGIC) + place_B;
   reader->rest.size_B = 0;
   if (record)
      snprintf(error, error_B,
               "%s: record at byte %" PRIu64 " (kind %" PRIu32 ", address 0x%" PRIx64 ", %" PRIu64
               " bytes): %s",
               reader->path, byte, record->kind, record->address, record->size_B, fault);
   else
      snprintf(error, error_B, "%s: record at byte %" PRIu64 ": %s", reader->path, byte, fault);
   return -1;
}

/* The file ends, though the record at `place_B` goes on. A compressed file is incomplete then,
 * and ends before. Returns as cf_capture_next. */
static int
cut_off(struct cf_capture_reader *reader, uint64_t place_B, const struct cf_capture_record *record,
        char *error, size_t error_B)
{
   const char *fault = cf_capture_source_fault(reader->source);
   reader->incomplete = !fault && !cf_capture_source_is_plain(reader->source);
   if (reader->incomplete)
      return reader->rest.size_B = 0;
   if (!fault)
      fault = record ? "the file ends before its bytes do" : "the file ends in it";
   return damaged(reader, place_B, record, fault, error, error_B);
}

/* Read the head of the next record into `rest`. As cf_capture_next. */
static int
read_head(struct cf_capture_reader *reader, char *error, size_t error_B)
{
   if (reader->place_B >= reader->end_B)
      return 0;
   struct cf_capture_record *head = &reader->rest;
   const size_t read_B = cf_capture_source_read(reader->source, head, sizeof(*head));
   const bool ends = read_B == 0 && !cf_capture_source_fault(reader->source);
   reader->rest_place_B = reader->place_B;
   if (ends && cf_capture_source_is_plain(reader->source))
      return reader->rest.size_B = 0;
   if (read_B < sizeof(*head))
      return cut_off(reader, reader->place_B, NULL, error, error_B);
   reader->place_B += sizeof(*head);
   const struct cf_capture_record record = *head;
   const char *fault = head_fault(&record);
   return fault ? damaged(reader, reader->rest_place_B, &record, fault, error, error_B) : 1;
}

/* The next record, or piece of one. As cf_capture_next. */
static int
next_piece(struct cf_capture_reader *reader, struct cf_capture_record *record,
           const uint8_t **payload, char *error, size_t error_B)
{
   const int found = reader->rest.size_B > 0 ? 1 : read_head(reader, error, error_B);
   if (found <= 0)
      return found;
   struct cf_capture_record *rest = &reader->rest;
   *record = *rest;
   *payload = NULL;
   if (!has_payload(record)) {
      rest->size_B = 0;
      return 1;
   }
   *payload = reader->payload;
   record->size_B = cf_min_u64(record->size_B, PIECE_B);
   if (cf_capture_source_read(reader->source, reader->payload, record->size_B) < record->size_B) {
      const struct cf_capture_record head = *rest;
      return cut_off(reader, reader->rest_place_B, &head, error, error_B);
   }
   reader->place_B += record->size_B;
   rest->address += record->size_B;
   rest->size_B -= record->size_B;
   return 1;
}

int
cf_capture_next(struct cf_capture_reader *reader, struct cf_capture_record *record,
                const uint8_t **payload, char *error, size_t error_B)
{
   int found;
   do
      found = next_piece(reader, record, payload, error, error_B);
   while (found > 0 && reader->leaves_drawn && record->kind == CF_CAPTURE_MEMORY &&
          record->number == CF_CAPTURE_BY_GPU);
   return found;
}

void
cf_capture_leave_drawn(struct cf_capture_reader *reader, bool leave)
{
   reader->leaves_drawn = leave;
}

void
cf_capture_rewind(struct cf_capture_reader *reader)
{
   cf_capture_source_rewind(reader->source);
   reader->place_B = 0;
   reader->rest.size_B = 0;
}

void
cf_capture_keep(struct cf_capture_reader *reader)
{
   cf_capture_source_keep(reader->source);
   cf_capture_rewind(reader);
}

/* Read all records once. False: one is malformed, or there is nothing to replay. */
static bool
check(struct cf_capture_reader *reader, char *error, size_t error_B)
{
   struct cf_capture_record record;
   const uint8_t *payload;
   int found;
   uint64_t complete_B = 0;
   reader->end_B = UINT64_MAX;
   while ((found = cf_capture_next(reader, &record, &payload, error, error_B)) > 0) {
      if (record.kind == CF_CAPTURE_END)
         break;
      if (record.kind == CF_CAPTURE_SUBMIT || record.kind == CF_CAPTURE_FRAME ||
          cf_capture_source_is_plain(reader->source))
         complete_B = reader->place_B;
      reader->submissions += record.kind == CF_CAPTURE_SUBMIT;
      if (record.kind != CF_CAPTURE_MEMORY && record.kind != CF_CAPTURE_SUBMIT)
         continue;
      reader->first_address = cf_min_u64(reader->first_address, record.address);
      if (record.address + record.size_B > reader->end_address)
         reader->end_address = record.address + record.size_B;
   }
   if (found >= 0 && reader->submissions == 0) {
      snprintf(error, error_B, "%s: the capture has no submission", reader->path);
      return false;
   }
   cf_capture_rewind(reader);
   reader->end_B = complete_B;
   return found >= 0;
}

struct cf_capture_reader *
cf_capture_open(const char *path, char *error, size_t error_B)
{
   struct cf_capture_reader *reader = calloc(1, sizeof(*reader));
   if (!reader) {
      snprintf(error, error_B, "cannot open the capture %s: out of memory", path);
      return NULL;
   }
   reader->first_address = UINT64_MAX;
   reader->path = strdup(path);
   reader->payload = malloc(PIECE_B);
   if (reader->path && reader->payload)
      reader->source = cf_capture_source_open(path, error, error_B);
   else
      snprintf(error, error_B, "cannot open the capture %s: out of memory", path);
   if (!reader->source || !check(reader, error, error_B)) {
      cf_capture_close(reader);
      return NULL;
   }
   return reader;
}

void
cf_capture_close(struct cf_capture_reader *reader)
{
   if (reader->source)
      cf_capture_source_close(reader->source);
   free(reader->payload);
   free(reader->path);
   free(reader);
}

const char *
cf_capture_warning(const struct cf_capture_reader *reader)
{
   return reader->incomplete ? "the capture is not complete: the process that made it was killed, "
                               "or could not write; what follows its last submission is left out"
                             : NULL;
}

uint64_t
cf_capture_first_address(const struct cf_capture_reader *reader)
{
   return reader->first_address;
}

uint64_t
cf_capture_end_address(const struct cf_capture_reader *reader)
{
   return reader->end_address;
}

unsigned
cf_capture_submissions(const struct cf_capture_reader *reader)
{
   return reader->submissions;
}
