/* SPDX-License-Identifier: MIT */
#include "clipfree/interface/cf_record.h"

#include <inttypes.h>
#include <string.h>

const struct cf_field *
cf_record_field(const struct cf_record *record, const char *name)
{
   for (uint32_t i = 0; i < record->fields; i++) {
      if (!strcmp(record->field[i].name, name))
         return &record->field[i];
   }
   return NULL;
}

static uint32_t
element_dw(const struct cf_field *field, uint32_t i)
{
   return field->first_dw + i * (field->kind == CF_RECORD_ADDRESS ? 2 : 1);
}

static uint32_t
mask_of(const struct cf_field *field)
{
   return field->width >= 32 ? ~0u : (1u << field->width) - 1;
}

uint64_t
cf_field_bits(const struct cf_field *field, const uint32_t *dw, uint32_t i)
{
   const uint32_t *at = dw + element_dw(field, i);
   if (field->kind == CF_RECORD_ADDRESS)
      return at[0] | (uint64_t)at[1] << 32;
   return at[0] >> field->low & mask_of(field);
}

void
cf_field_set_bits(const struct cf_field *field, uint32_t *dw, uint32_t i, uint64_t bits)
{
   uint32_t *at = dw + element_dw(field, i);
   const uint32_t mask = mask_of(field) << field->low;
   at[0] = (at[0] & ~mask) | ((uint32_t)bits << field->low & mask);
   if (field->kind == CF_RECORD_ADDRESS)
      at[1] = (uint32_t)(bits >> 32);
}

static uint32_t
elements(const struct cf_field *field)
{
   return field->count ? field->count : 1;
}

const char *
cf_record_fault(const struct cf_record *record, const uint32_t *dw)
{
   if (record->opcode && dw[0] != (record->opcode | record->dwords << 16))
      return "reserved";
   for (uint32_t i = 0; i < record->dwords; i++) {
      if (dw[i] & ~record->used[i])
         return "reserved";
   }
   for (uint32_t f = 0; f < record->fields; f++) {
      const struct cf_field *field = &record->field[f];
      for (uint32_t i = 0; i < elements(field) && field->kind == CF_RECORD_ENUM; i++) {
         if (!field->value_name((uint32_t)cf_field_bits(field, dw, i)))
            return field->name;
      }
   }
   return NULL;
}

static void
print_element(FILE *file, const struct cf_field *field, const uint32_t *dw, uint32_t i)
{
   const uint64_t bits = cf_field_bits(field, dw, i);
   const uint32_t low = (uint32_t)bits;
   float number;
   memcpy(&number, &low, sizeof(number));
   switch ((enum cf_record_kind)field->kind) {
   case CF_RECORD_FLOAT: fprintf(file, " %.9g", (double)number); break;
   case CF_RECORD_ADDRESS: fprintf(file, " 0x%" PRIx64, bits); break;
   case CF_RECORD_ENUM: fprintf(file, " %s", field->value_name(low)); break;
   case CF_RECORD_INT: fprintf(file, " %" PRId32, (int32_t)low); break;
   case CF_RECORD_UINT:
   case CF_RECORD_BOOL: fprintf(file, " %" PRIu32, low); break;
   }
}

void
cf_record_print(FILE *file, const struct cf_record *record, const uint32_t *dw)
{
   const char *fault = cf_record_fault(record, dw);
   fprintf(file, fault ? "%s: bad %s\n" : "%s\n", record->name, fault);
   for (uint32_t f = 0; f < record->fields && !fault; f++) {
      const struct cf_field *field = &record->field[f];
      fprintf(file, "   %s:", field->name);
      for (uint32_t i = 0; i < elements(field); i++)
         print_element(file, field, dw, i);
      fputc('\n', file);
   }
}
