/* SPDX-License-Identifier: MIT */
#include "clipfree/sanitize/cf_print.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LIMIT 20

/* ------------------------------------------------------------------ which */

/* A number at *at, and past it. */
static bool
parse_number(const char **at, uint32_t *number)
{
   char *end;
   const unsigned long long value = isdigit((unsigned char)**at) ? strtoull(*at, &end, 10) : 0;
   if (!isdigit((unsigned char)**at) || value > UINT32_MAX)
      return false;
   *number = (uint32_t)value;
   *at = end;
   return true;
}

/* Whether a word stands at *at; then past it. */
static bool
take_word(const char **at, const char *word)
{
   const size_t length = strlen(word);
   const bool found = !strncmp(*at, word, length);
   *at += found ? length : 0;
   return found;
}

static bool
parse_item(const char **at, struct cf_print_filter *filter)
{
   if (take_word(at, "pixel="))
      return filter->has_pixel = parse_number(at, &filter->x_px) && take_word(at, ",") &&
                                 parse_number(at, &filter->y_px);
   if (take_word(at, "vertex="))
      return filter->has_vertex = parse_number(at, &filter->vertex);
   if (take_word(at, "draw="))
      return filter->has_draw = parse_number(at, &filter->draw);
   if (take_word(at, "limit="))
      return parse_number(at, &filter->limit);
   if (take_word(at, "fatal"))
      return filter->fatal = true;
   return take_word(at, "all");
}

bool
cf_print_parse(const char *list, struct cf_print_filter *filter)
{
   *filter = (struct cf_print_filter){ .wanted = true, .limit = DEFAULT_LIMIT };
   do {
      if (!parse_item(&list, filter))
         return false;
   } while (take_word(&list, ","));
   return !*list;
}

/* ------------------------------------------------------------------ types */

struct type {
   char scalar; /* 'f', 'i', 'u' or 'b'; 0: not known */
   uint32_t rows, columns;
};

/* The digit of a size, 2 to 4; else 0. */
static uint32_t
size_at(const char *text, size_t length, size_t at)
{
   return at < length && text[at] >= '2' && text[at] <= '4' ? (uint32_t)(text[at] - '0') : 0;
}

static struct type
type_of(const char *name, size_t length)
{
   static const char *const scalars[] = { "float", "int", "uint", "bool" };
   for (int i = 0; i < 4; i++) {
      if (strlen(scalars[i]) == length && !memcmp(name, scalars[i], length))
         return (struct type){ name[0], 1, 1 };
   }
   const bool is_float = length == 4, known = is_float || (length == 5 && strchr("iub", name[0]));
   if (known && !memcmp(name + !is_float, "vec", 3) && size_at(name, length, length - 1))
      return (struct type){ is_float ? 'f' : name[0], size_at(name, length, length - 1), 1 };
   const uint32_t columns = size_at(name, length, 3);
   if ((length == 4 || (length == 6 && name[4] == 'x')) && !memcmp(name, "mat", 3) && columns &&
       size_at(name, length, length - 1))
      return (struct type){ 'f', size_at(name, length, length - 1), columns };
   return (struct type){ 0 };
}

/* The type of the next value; the last of a text is before its newline. */
static struct type
next_type(const char **types)
{
   *types += strspn(*types, " ");
   const char *name = *types;
   const size_t length = strcspn(name, " \n");
   *types += length;
   return length ? type_of(name, length) : (struct type){ 0 };
}

enum cf_print_kind
cf_print_kind(const char *text)
{
   static const char *const words[] = { [CF_PRINT_ASSERTION] = "assert ",
                                        [CF_PRINT_VARIABLE] = "variable ",
                                        [CF_PRINT_VARYING] = "varying " };
   for (int kind = CF_PRINT_ASSERTION; kind <= CF_PRINT_VARYING; kind++) {
      if (!strncmp(text, words[kind], strlen(words[kind])))
         return (enum cf_print_kind)kind;
   }
   return CF_PRINT;
}

/* ------------------------------------------------------------------ values */

/* The fewest digits that give the same float again. */
static void
print_float(char *text, size_t text_B, float value)
{
   if (value != value) {
      snprintf(text, text_B, "nan"); /* without a sign: that is a host's matter */
      return;
   }
   for (int digits = 6; digits <= 9; digits++) {
      snprintf(text, text_B, "%.*g", digits, (double)value);
      if (strtof(text, NULL) == value)
         return;
   }
}

/* What %s prints of a component. */
static void
print_plain(char *text, size_t text_B, char scalar, uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof(value));
   if (scalar == 'f')
      print_float(text, text_B, value);
   else if (scalar == 'b')
      snprintf(text, text_B, "%s", bits ? "true" : "false");
   else if (scalar == 'i')
      snprintf(text, text_B, "%" PRId32, (int32_t)bits);
   else
      snprintf(text, text_B, "%" PRIu32, bits);
}

#define CONVERSION_B 16

/* A conversion of C's printf, of one component. It comes from find_conversion. */
static void
write_component(FILE *file, const char *conversion, char scalar, uint32_t bits)
{
   char format[CONVERSION_B + 1], plain[32];
   const size_t length = strlen(conversion);
   const char letter = conversion[length - 1];
   float value;
   memcpy(&value, &bits, sizeof(value));
   memcpy(format, conversion, length + 1);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
   if (scalar == 'f' && strchr("eEfFgG", letter)) {
      fprintf(file, format, value != value ? __builtin_nan("") : (double)value);
   } else if (scalar != 'f' && strchr("diuoxX", letter)) {
      fprintf(file, format, bits); /* 32 bits, of either sign */
   } else {
      format[length - 1] = 's';
      print_plain(plain, sizeof(plain), scalar, bits);
      fprintf(file, format, plain);
   }
#pragma GCC diagnostic pop
}

/* A value, vectors and columns in parentheses. Past its dwords. */
static void
write_value(FILE *file, const char *conversion, struct type type, const uint32_t **value,
            uint32_t *dwords)
{
   if (!type.scalar || type.rows * type.columns > *dwords) {
      fputs("?", file);
      *dwords = 0;
      return;
   }
   fputs(type.columns > 1 ? "(" : "", file);
   for (uint32_t column = 0; column < type.columns; column++) {
      fputs(column ? ", " : "", file);
      fputs(type.rows > 1 ? "(" : "", file);
      for (uint32_t row = 0; row < type.rows; row++) {
         fputs(row ? ", " : "", file);
         write_component(file, conversion, type.scalar, *(*value)++);
      }
      fputs(type.rows > 1 ? ")" : "", file);
   }
   fputs(type.columns > 1 ? ")" : "", file);
   *dwords -= type.rows * type.columns;
}

/* The conversion that begins here, or "" if it is none that write_component knows. */
static void
find_conversion(const char *text, char conversion[CONVERSION_B])
{
   bool known = text[0] == '%';
   size_t length = known ? 1 + strspn(text + 1, "-+ #0") : 0;
   length += strspn(text + length, "0123456789");
   if (text[length] == '.')
      length += 1 + strspn(text + length + 1, "0123456789");
   known = known && length < 8 && text[length] && strchr("sdiuoxXeEfFgG", text[length]);
   snprintf(conversion, CONVERSION_B, "%.*s", known ? (int)length + 1 : 0, text);
}

void
cf_print_write(FILE *file, const char *text, const uint32_t *value, uint32_t dwords)
{
   char conversion[CONVERSION_B];
   const char *types = text + strcspn(text, " \n"), *format = strchr(text, '\n');
   format = format ? format + 1 : "";
   if (cf_print_kind(text) != CF_PRINT && next_type(&types).scalar && dwords) {
      value++;
      dwords--;
   }
   for (; *format; format++) {
      find_conversion(format, conversion);
      if (*format == '%' && format[1] == '%') {
         putc(*format++, file);
      } else if (conversion[0]) {
         write_value(file, conversion, next_type(&types), &value, &dwords);
         format += strlen(conversion) - 1;
      } else {
         putc(*format, file);
      }
   }
}
