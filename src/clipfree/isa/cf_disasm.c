/* SPDX-License-Identifier: MIT */
/*
 * Disassembler: prints the fields of an instruction in the order of its form's syntax.
 */
#include "clipfree/isa/cf_asm.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct text {
   char *data;
   size_t size, length;
};

static void __attribute__((format(printf, 2, 3))) put(struct text *text, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   const size_t room = text->length < text->size ? text->size - text->length : 0;
   text->length += (size_t)vsnprintf(room ? text->data + text->length : NULL, room, format, args);
   va_end(args);
}

static float
float_of(uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof(value));
   return value;
}

/* Print a short decimal that reads back as the same float, with a point or exponent to tell it from
 * an integer. */
static void
put_float(struct text *text, float value)
{
   char digits[32];
   for (int precision = 6; precision <= 9; precision++) {
      snprintf(digits, sizeof(digits), "%.*g", precision, (double)value);
      if (strtof(digits, NULL) == value)
         break;
   }
   put(text, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
}

static void
put_reg(struct text *text, struct cf_reg reg)
{
   static const char prefix[] = { [CF_KIND_V] = 'v', [CF_KIND_S] = 's', [CF_KIND_U] = 'u' };
   if (reg.kind != CF_KIND_INLINE)
      put(text, "%c%u", prefix[reg.kind], reg.index);
   else if (reg.index < CF_INLINE_FLOAT_0)
      put(text, "%" PRId32, (int32_t)cf_inline_value(reg.index));
   else
      put_float(text, float_of(cf_inline_value(reg.index)));
}

static void
put_field(struct text *text, const struct cf_instr *instr, const struct cf_field_info *field,
          bool labels)
{
   const uint8_t *member = (const uint8_t *)instr + field->member;
   uint32_t value = 0;
   memcpy(&value, member, field->member_B);
   switch (field->type) {
   case CF_FIELD_SRC:
   case CF_FIELD_DST:
   case CF_FIELD_DSTV:
   case CF_FIELD_DST4: {
      struct cf_reg reg;
      memcpy(&reg, member, sizeof(reg));
      put_reg(text, reg);
      break;
   }
   case CF_FIELD_UINT:
      put(text, "%" PRIu32, value);
      break;
   case CF_FIELD_HEX32:
      put(text, "0x%08" PRIx32, value);
      break;
   case CF_FIELD_TARGET:
      put(text, labels ? "L%" PRIu32 : "%" PRIu32, value);
      break;
   case CF_FIELD_MASK4:
      for (unsigned c = 0; c < 4; c++) {
         if (value >> c & 1)
            put(text, "%c", "xyzw"[c]);
      }
      break;
   case CF_FIELD_ENUM:
      put(text, "%s", value < field->count && field->names[value] ? field->names[value] : "?");
      break;
   }
}

static const struct cf_field_info *
find_field(const struct cf_form_info *form, const char *name, size_t length)
{
   for (unsigned i = 0; i < form->field_count; i++) {
      if (strlen(form->fields[i].name) == length && !memcmp(form->fields[i].name, name, length))
         return &form->fields[i];
   }
   return NULL;
}

static void
put_instr(struct text *text, const struct cf_instr *instr, bool labels)
{
   const struct cf_op_info *info = cf_op_info(instr->op);
   if (!info) {
      put(text, "?");
      return;
   }
   const struct cf_form_info *form = &cf_forms[info->form];
   put(text, form->syntax[0] ? "%s " : "%s", info->name);
   for (const char *s = form->syntax; *s;) {
      size_t length = 0;
      while (isalnum((unsigned char)s[length]))
         length++;
      if (length)
         put_field(text, instr, find_field(form, s, length), labels);
      else
         put(text, "%c", *s);
      s += length ? length : 1;
   }
}

int
cf_disassemble_instr(const struct cf_instr *instr, char *text, size_t size)
{
   struct text out = { text, size, 0 };
   if (size)
      text[0] = '\0';
   put_instr(&out, instr, false);
   return (int)out.length;
}

static bool
has_target(const struct cf_instr *instr)
{
   const struct cf_form_info *form = &cf_forms[cf_op_info(instr->op)->form];
   return find_field(form, "target", strlen("target")) != NULL;
}

/* Flags the instructions that are targets. */
static bool *
find_targets(const uint64_t *code, unsigned count)
{
   bool *is_target = calloc((size_t)count + 1, sizeof(*is_target));
   for (unsigned i = 0; is_target && i < count; i++) {
      struct cf_instr instr;
      const char *error;
      if (cf_instr_decode(code[i], &instr, &error) && has_target(&instr) && instr.target < count)
         is_target[instr.target] = true;
   }
   return is_target;
}

/* Print the literal of a movi as a float in a comment, if it is a plausible one. */
static void
put_literal_comment(struct text *text, const struct cf_instr *instr)
{
   const float value = float_of(instr->imm);
   if (instr->op != CF_OP_MOVI || !isfinite(value) || fabsf(value) < 1e-10f || fabsf(value) > 1e10f)
      return;
   put(text, " # ");
   put_float(text, value);
}

void
cf_disassemble(FILE *file, const uint64_t *code, unsigned count)
{
   cf_disassemble_commented(file, code, count, NULL, NULL);
}

/* Columns to the comments. */
#define CODE_COLUMNS 40

void
cf_disassemble_commented(FILE *file, const uint64_t *code, unsigned count, cf_asm_comment comment,
                         void *user)
{
   bool *is_target = find_targets(code, count);
   for (unsigned i = 0; i < count; i++) {
      char line[256] = "", said[128] = "";
      struct text text = { line, sizeof(line), 0 };
      struct cf_instr instr;
      const char *error;
      if (is_target && is_target[i])
         fprintf(file, "L%u:\n", i);
      if (cf_instr_decode(code[i], &instr, &error)) {
         put_instr(&text, &instr, is_target && has_target(&instr) && instr.target < count);
         put_literal_comment(&text, &instr);
      } else {
         put(&text, "# 0x%016" PRIx64 ": %s", code[i], error);
      }
      if (comment)
         comment(user, i, said, sizeof(said));
      if (said[0])
         fprintf(file, "   %-*s # %s\n", CODE_COLUMNS, line, said);
      else
         fprintf(file, "   %s\n", line);
   }
   free(is_target);
}
