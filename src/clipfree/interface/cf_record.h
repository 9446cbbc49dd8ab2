/* SPDX-License-Identifier: MIT */
/*
 * Packets and structures as tables of fields, for what handles any of them: printing, JSON,
 * editing. The tables are generated (cf_NAME_record in cf_packets.h). Units use the unpacked
 * structures.
 */
#ifndef CF_RECORD_H
#define CF_RECORD_H

#include <stdint.h>
#include <stdio.h>

enum cf_record_kind {
   CF_RECORD_UINT,
   CF_RECORD_INT,
   CF_RECORD_BOOL,
   CF_RECORD_FLOAT,
   CF_RECORD_ADDRESS, /* two dwords, the low one first */
   CF_RECORD_ENUM,
};

struct cf_field {
   const char *name;
   uint8_t kind; /* enum cf_record_kind */
   uint8_t first_dw;
   uint8_t low, width; /* bits */
   uint8_t count;      /* elements of an array; 0: no array */
   const char *(*value_name)(uint32_t value); /* of enums, else NULL; gives NULL: no such value */
};

struct cf_record {
   const char *name;
   uint32_t opcode; /* of packets; 0: a structure */
   uint32_t dwords; /* header included */
   uint32_t fields;
   const struct cf_field *field;
   const uint32_t *used; /* by dword: bits that may be set */
};

/** The field of this name; NULL: there is none. */
const struct cf_field *
cf_record_field(const struct cf_record *record, const char *name);

/** The bits of element i (0 if it is no array). Ints are not sign-extended. */
uint64_t
cf_field_bits(const struct cf_field *field, const uint32_t *dw, uint32_t i);

/** Replace element i by the low bits of `bits`. */
void
cf_field_set_bits(const struct cf_field *field, uint32_t *dw, uint32_t i, uint64_t bits);

/** The name of a field with a value that the record does not allow; "reserved": of bits that no
 * field has, or of a packet's header; NULL: the record is well-formed. As cf_NAME_unpack says. */
const char *
cf_record_fault(const struct cf_record *record, const uint32_t *dw);

/** Print it as text: its name, then a line for each field. */
void
cf_record_print(FILE *file, const struct cf_record *record, const uint32_t *dw);

#endif
