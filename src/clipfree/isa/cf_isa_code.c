/* SPDX-License-Identifier: MIT */
/*
 * Encoder and decoder: walk the generated field table of an instruction's form.
 */
#include "clipfree/isa/cf_isa.h"

#include <assert.h>
#include <string.h>

#define REG_INDEX_BITS 7
#define REG_INDEX_MASK 0x7fu

const struct cf_op_info *
cf_op_info(unsigned op)
{
   return op < CF_OP_LIMIT && cf_ops[op].name ? &cf_ops[op] : NULL;
}

uint32_t
cf_inline_value(unsigned index)
{
   if (index < CF_INLINE_MINUS_1)
      return index;
   if (index < CF_INLINE_FLOAT_0)
      return 0u - (index - CF_INLINE_MINUS_1 + 1);
   if (index < CF_INLINE_FLOAT_0 + cf_inline_float_count)
      return cf_inline_floats[index - CF_INLINE_FLOAT_0];
   return 0;
}

int
cf_inline_index(uint32_t value)
{
   for (unsigned i = 0; i < CF_INLINE_FLOAT_0 + cf_inline_float_count; i++) {
      if (cf_inline_value(i) == value)
         return (int)i;
   }
   return -1;
}

static bool
is_register(const struct cf_field_info *field)
{
   return field->type <= CF_FIELD_DST4;
}

/* The value of a field, as encoded in the instruction word. */
static uint32_t
get_member(const struct cf_instr *instr, const struct cf_field_info *field)
{
   const uint8_t *member = (const uint8_t *)instr + field->member;
   uint32_t value = 0;
   if (is_register(field)) {
      struct cf_reg reg;
      memcpy(&reg, member, sizeof(reg));
      if (reg.index > REG_INDEX_MASK)
         return UINT32_MAX; /* fits no field */
      return (uint32_t)reg.kind << REG_INDEX_BITS | reg.index;
   }
   memcpy(&value, member, field->member_B); /* little endian, as the build requires */
   return value;
}

static void
set_member(struct cf_instr *instr, const struct cf_field_info *field, uint32_t value)
{
   uint8_t *member = (uint8_t *)instr + field->member;
   if (is_register(field)) {
      const struct cf_reg reg = { (uint8_t)(value >> REG_INDEX_BITS),
                                  (uint8_t)(value & REG_INDEX_MASK) };
      memcpy(member, &reg, sizeof(reg));
   } else {
      memcpy(member, &value, field->member_B);
   }
}

/* NULL, or the error in the value of a field. */
static const char *
check_value(const struct cf_field_info *field, uint32_t value)
{
   const unsigned kind = value >> REG_INDEX_BITS, index = value & REG_INDEX_MASK;
   if ((uint64_t)value >> field->bits)
      return "a value does not fit its field";
   switch (field->type) {
   case CF_FIELD_SRC:
      if (kind == CF_KIND_INLINE && index >= CF_INLINE_FLOAT_0 + cf_inline_float_count)
         return "undefined inline constant";
      return NULL;
   case CF_FIELD_DSTV:
      return kind == CF_KIND_V ? NULL : "the destination must be a vector register";
   case CF_FIELD_DST4:
      if (kind != CF_KIND_V)
         return "the destination must be a vector register";
      return index <= REG_INDEX_MASK - 3 ? NULL
                                         : "four registers from the destination on go past v127";
   case CF_FIELD_MASK4:
      return value ? NULL : "the mask is empty";
   case CF_FIELD_ENUM:
      return value < field->count && field->names[value] ? NULL : "undefined mode or value";
   default:
      return NULL;
   }
}

/* NULL, or why a scalar destination is not allowed here. */
static const char *
check_scalar_dst(const struct cf_op_info *info, const struct cf_instr *instr)
{
   if (!info->has_dst || instr->dst.kind != CF_KIND_S)
      return NULL;
   if (!info->scalar_dst)
      return "the destination must be a vector register";
   for (unsigned i = 0; i < info->sources; i++) {
      if (instr->src[i].kind == CF_KIND_V)
         return "a scalar destination with a vector source";
   }
   return NULL;
}

const char *
cf_instr_check(const struct cf_instr *instr)
{
   const struct cf_op_info *info = cf_op_info(instr->op);
   if (!info)
      return "undefined operation";
   const struct cf_form_info *form = &cf_forms[info->form];
   for (unsigned i = 0; i < form->field_count; i++) {
      const uint32_t value = get_member(instr, &form->fields[i]);
      const char *error = check_value(&form->fields[i], value);
      if (error)
         return error;
   }
   return check_scalar_dst(info, instr);
}

uint64_t
cf_instr_encode(const struct cf_instr *instr)
{
   assert(!cf_instr_check(instr) && "not an instruction: cf_instr_check says why");
   const struct cf_form_info *form = &cf_forms[cf_ops[instr->op].form];
   uint64_t code = instr->op;
   for (unsigned i = 0; i < form->field_count; i++)
      code |= (uint64_t)get_member(instr, &form->fields[i]) << form->fields[i].low;
   return code;
}

bool
cf_instr_decode(uint64_t code, struct cf_instr *instr, const char **error)
{
   memset(instr, 0, sizeof(*instr));
   instr->op = (enum cf_op)(code & 0xff);
   *error = NULL;
   const struct cf_op_info *info = cf_op_info(instr->op);
   if (!info) {
      *error = "undefined operation";
      return false;
   }
   const struct cf_form_info *form = &cf_forms[info->form];
   for (unsigned i = 0; i < form->field_count; i++) {
      const struct cf_field_info *field = &form->fields[i];
      set_member(instr, field, (uint32_t)(code >> field->low & ((1ull << field->bits) - 1)));
   }
   *error = code & form->reserved ? "a reserved bit is set" : cf_instr_check(instr);
   return !*error;
}

bool
cf_instr_makes_float(const struct cf_instr *instr)
{
   switch (instr->op) {
   case CF_OP_MOV:
   case CF_OP_MOVI:
   case CF_OP_SEL:
   case CF_OP_FNEG:
   case CF_OP_FABS:
   case CF_OP_LDU:
   case CF_OP_LDS:
   case CF_OP_LDF:
   case CF_OP_LDVAR:
   case CF_OP_TEX:
      return true;
   default:
      return cf_ops[instr->op].alu && cf_ops[instr->op].types[0] == 'f';
   }
}
