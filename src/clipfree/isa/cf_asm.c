/* SPDX-License-Identifier: MIT */
/*
 * Assembler. Two passes over the lines: the first numbers instructions and collects labels, the
 * second parses each instruction by its form's syntax string, in which words name fields and all
 * other characters are literal.
 */
#include "clipfree/isa/cf_asm.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME 64

struct label {
   char name[MAX_NAME];
   unsigned index;
};

struct assembler {
   const char *at; /* position in the line */
   unsigned line;
   struct label *labels;
   unsigned label_count;
   unsigned count; /* instructions so far */
   char *error;
   size_t error_size;
};

static bool __attribute__((format(printf, 2, 3)))
fail(struct assembler *as, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   const int length = snprintf(as->error, as->error_size, "line %u: ", as->line);
   if ((size_t)length < as->error_size)
      vsnprintf(as->error + length, as->error_size - (size_t)length, format, args);
   va_end(args);
   return false;
}

static void
skip_space(struct assembler *as)
{
   while (*as->at == ' ' || *as->at == '\t' || *as->at == '\r')
      as->at++;
}

/* Whether the rest of the line is empty or a comment. */
static bool
at_end(struct assembler *as)
{
   skip_space(as);
   return *as->at == '\0' || *as->at == '\n' || *as->at == '#';
}

/* Length of the excerpt in an error message. */
static int
rest(const struct assembler *as)
{
   const size_t length = strcspn(as->at, "\n");
   return length < 24 ? (int)length : 24;
}

static bool
read_name(struct assembler *as, char name[MAX_NAME])
{
   size_t length = 0;
   skip_space(as);
   if (!isalpha((unsigned char)*as->at) && *as->at != '_')
      return false;
   while (isalnum((unsigned char)as->at[length]) || as->at[length] == '_')
      length++;
   if (length >= MAX_NAME)
      return false;
   memcpy(name, as->at, length);
   name[length] = '\0';
   as->at += length;
   return true;
}

/* A number as 32 bits: a float if it has a point or an exponent, else an integer -2^31 .. 2^32 - 1.
 */
static bool
read_number(struct assembler *as, uint32_t *bits)
{
   skip_space(as);
   const char *p = as->at + (*as->at == '-' || *as->at == '+');
   if (!isdigit((unsigned char)*p) && *p != '.')
      return false;
   const bool hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
   const size_t digits = strspn(p, "0123456789.eE");
   char *end;
   errno = 0;
   if (!hex && strcspn(p, ".eE") < digits) {
      const float value = strtof(as->at, &end);
      memcpy(bits, &value, sizeof(value));
   } else {
      const long long value = strtoll(as->at, &end, hex ? 16 : 10);
      if (errno || value < INT32_MIN || value > UINT32_MAX)
         return false;
      *bits = (uint32_t)value;
   }
   const bool read = end != as->at;
   as->at = end;
   return read;
}

static bool
read_reg(struct assembler *as, const struct cf_field_info *field, struct cf_reg *reg)
{
   static const char prefixes[] = "vsu";
   skip_space(as);
   const char *prefix = *as->at ? strchr(prefixes, *as->at) : NULL;
   if (prefix && isdigit((unsigned char)as->at[1])) {
      char *end;
      const unsigned long index = strtoul(as->at + 1, &end, 10);
      const unsigned kind = (unsigned)(prefix - prefixes);
      if (index > 127)
         return fail(as, "registers and constants are numbered 0 to 127");
      if (kind == CF_KIND_U && field->type != CF_FIELD_SRC)
         return fail(as, "constants cannot be written");
      as->at = end;
      *reg = (struct cf_reg){ (uint8_t)kind, (uint8_t)index };
      return true;
   }
   uint32_t bits;
   if (field->type != CF_FIELD_SRC || !read_number(as, &bits))
      return fail(as, "expected an operand for '%s' at '%.*s'", field->name, rest(as), as->at);
   const int index = cf_inline_index(bits);
   if (index < 0)
      return fail(as, "the number for '%s' is no inline constant: load it with movi", field->name);
   *reg = cf_inline((unsigned)index);
   return true;
}

static bool
read_target(struct assembler *as, uint32_t *target)
{
   char name[MAX_NAME];
   if (!read_name(as, name))
      return read_number(as, target) || fail(as, "expected a label");
   for (unsigned i = 0; i < as->label_count; i++) {
      if (!strcmp(as->labels[i].name, name)) {
         *target = as->labels[i].index;
         return true;
      }
   }
   return fail(as, "label '%s' is not defined", name);
}

static bool
read_enum(struct assembler *as, const struct cf_field_info *field, uint32_t *value)
{
   char name[MAX_NAME];
   if (!read_name(as, name))
      return fail(as, "expected a name for '%s'", field->name);
   for (*value = 0; *value < field->count; (*value)++) {
      if (field->names[*value] && !strcmp(field->names[*value], name))
         return true;
   }
   return fail(as, "'%s' is no %s", name, field->name);
}

static bool
read_mask(struct assembler *as, uint32_t *mask)
{
   *mask = 0;
   for (unsigned c = 0; c < 4; c++) {
      if (*as->at == "xyzw"[c]) {
         *mask |= 1u << c;
         as->at++;
      }
   }
   return *mask || fail(as, "expected components out of xyzw, in this order");
}

static bool
read_plain(struct assembler *as, const struct cf_field_info *field, uint32_t *value)
{
   switch (field->type) {
   case CF_FIELD_TARGET:
      return read_target(as, value);
   case CF_FIELD_ENUM:
      return read_enum(as, field, value);
   case CF_FIELD_MASK4:
      return read_mask(as, value);
   default:
      if (!read_number(as, value))
         return fail(as, "expected a number for '%s'", field->name);
      if ((uint64_t)*value >> field->bits)
         return fail(as, "'%s' has %u bits", field->name, field->bits);
      return true;
   }
}

static bool
read_field(struct assembler *as, const struct cf_field_info *field, struct cf_instr *instr)
{
   uint8_t *member = (uint8_t *)instr + field->member;
   if (field->type <= CF_FIELD_DST4) {
      struct cf_reg reg;
      if (!read_reg(as, field, &reg))
         return false;
      memcpy(member, &reg, sizeof(reg));
   } else {
      uint32_t value;
      if (!read_plain(as, field, &value))
         return false;
      memcpy(member, &value, field->member_B);
   }
   return true;
}

static const struct cf_field_info *
syntax_field(const struct cf_form_info *form, const char *syntax, size_t *length)
{
   *length = 0;
   while (isalnum((unsigned char)syntax[*length]))
      (*length)++;
   for (unsigned i = 0; i < form->field_count; i++) {
      if (strlen(form->fields[i].name) == *length && !memcmp(form->fields[i].name, syntax, *length))
         return &form->fields[i];
   }
   return NULL;
}

static bool
read_operands(struct assembler *as, const struct cf_form_info *form, struct cf_instr *instr)
{
   for (const char *s = form->syntax; *s;) {
      size_t length;
      const struct cf_field_info *field = syntax_field(form, s, &length);
      if (field) {
         if (!read_field(as, field, instr))
            return false;
         s += length;
      } else {
         if (*s != ' ') {
            skip_space(as);
            if (*as->at != *s)
               return fail(as, "expected '%c' at '%.*s'", *s, rest(as), as->at);
            as->at++;
         }
         s++;
      }
   }
   return at_end(as) || fail(as, "unexpected '%.*s'", rest(as), as->at);
}

static bool
find_op(const char *name, enum cf_op *op)
{
   for (unsigned i = 0; i < CF_OP_LIMIT; i++) {
      if (cf_ops[i].name && !strcmp(cf_ops[i].name, name)) {
         *op = (enum cf_op)i;
         return true;
      }
   }
   return false;
}

static bool
read_instr(struct assembler *as, uint64_t *code)
{
   struct cf_instr instr = { 0 };
   char name[MAX_NAME] = "";
   if (!read_name(as, name) || !find_op(name, &instr.op))
      return fail(as, "unknown instruction '%s'", name);
   if (!read_operands(as, &cf_forms[cf_ops[instr.op].form], &instr))
      return false;
   const char *error = cf_instr_check(&instr);
   if (error)
      return fail(as, "%s", error);
   *code = cf_instr_encode(&instr);
   return true;
}

static bool
add_label(struct assembler *as, const char *name)
{
   for (unsigned i = 0; i < as->label_count; i++) {
      if (!strcmp(as->labels[i].name, name))
         return fail(as, "label '%s' is defined twice", name);
   }
   struct label *labels = realloc(as->labels, (as->label_count + 1) * sizeof(*labels));
   if (!labels)
      return fail(as, "out of memory");
   as->labels = labels;
   strcpy(labels[as->label_count].name, name);
   labels[as->label_count++].index = as->count;
   return true;
}

/* Parse the line's labels; with `add`, record them. */
static bool
read_labels(struct assembler *as, bool add)
{
   for (;;) {
      char name[MAX_NAME];
      const char *start = as->at;
      if (!read_name(as, name) || *as->at != ':') {
         as->at = start;
         return true;
      }
      as->at++;
      if (add && !add_label(as, name))
         return false;
   }
}

/* One pass: the first (code NULL) counts instructions and collects labels, the second makes code.
 */
static bool
read_lines(struct assembler *as, const char *text, uint64_t *code)
{
   as->count = 0;
   as->line = 0;
   for (const char *line = text; line && *line;
        line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
      as->at = line;
      as->line++;
      if (!read_labels(as, !code))
         return false;
      if (at_end(as))
         continue;
      if (code && !read_instr(as, &code[as->count]))
         return false;
      as->count++;
   }
   return true;
}

bool
cf_assemble_text(const char *text, uint64_t **code, unsigned *count, char *error, size_t error_size)
{
   struct assembler as = { .error = error, .error_size = error_size };
   bool done = read_lines(&as, text, NULL);
   *code = NULL;
   *count = as.count;
   if (done) {
      *code = calloc((size_t)as.count + 1, sizeof(**code));
      done = *code ? read_lines(&as, text, *code) : fail(&as, "out of memory");
   }
   if (!done) {
      free(*code);
      *code = NULL;
   }
   free(as.labels);
   return done;
}
