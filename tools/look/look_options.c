/* SPDX-License-Identifier: MIT */
#include "look_options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/interface/cf_options.h"

#define COLUMNS 100 /* of --help */
#define MAX_VALUES 2
#define MAX_NAME_COLUMNS 20 /* of an option and its parameter that share a line with its text */
#define MAX_PX 65535

/* ------------------------------------------------------------------ complaints */

static void
say(const struct look_tool *tool, const char *format, va_list arguments)
{
   fprintf(stderr, "%s: ", tool->name);
   vfprintf(stderr, format, arguments);
   fputc('\n', stderr);
}

int
look_complain(const struct look_tool *tool, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   say(tool, format, arguments);
   va_end(arguments);
   return tool->failure;
}

int
look_wrong(const struct look_tool *tool, const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   say(tool, format, arguments);
   va_end(arguments);
   return LOOK_WRONG;
}

int
look_finish(const struct look_tool *tool, int status)
{
   if (fflush(stdout) == 0 && !ferror(stdout))
      return status;
   return look_complain(tool, "cannot write: %s", strerror(errno));
}

int
look_print_json(const struct look_tool *tool, json_t *document, int indent)
{
   if (!document)
      return look_complain(tool, "out of memory");
   json_dumpf(document, stdout, JSON_INDENT(indent) | JSON_REAL_PRECISION(9));
   fputc('\n', stdout);
   json_decref(document);
   return look_finish(tool, 0);
}

/* ------------------------------------------------------------------ usage */

/* A line for each way to call the tool. */
static void
print_synopsis(const struct look_tool *tool, FILE *file)
{
   const char *line = tool->synopsis, *head = "usage:";
   while (*line) {
      const int length = (int)strcspn(line, "\n");
      fprintf(file, "%-6s %.*s\n", head, length, line);
      line += length + (line[length] == '\n');
      head = "";
   }
}

/* Print words from column `*column` on, in lines that begin at column `left`. */
static void
print_words(FILE *file, const char *text, int left, int *column)
{
   while (*text) {
      const int length = (int)strcspn(text, " ");
      const bool begins = *column <= left;
      if (!begins && *column + 1 + length > COLUMNS) {
         fprintf(file, "\n%*s", left, "");
         *column = left;
      } else if (!begins) {
         fputc(' ', file);
         ++*column;
      }
      *column += fprintf(file, "%.*s", length, text);
      text += length + (text[length] == ' ');
   }
}

static int
name_columns(const struct look_option *option)
{
   return (int)(strlen(option->name) + (option->parameter ? 1 + strlen(option->parameter) : 0));
}

/* "  --name PARAMETER  text; PARAMETER: values", the text at column `left`. */
static void
print_option(FILE *file, const struct look_option *option, int left)
{
   int column = fprintf(file, "  %s%s%s", option->name, option->parameter ? " " : "",
                        option->parameter ? option->parameter : "");
   if (column + 2 > left) {
      fputc('\n', file);
      column = 0;
   }
   column += fprintf(file, "%*s", left - column, "");
   print_words(file, option->text, left, &column);
   if (option->values && option->parameter) {
      char head[32];
      snprintf(head, sizeof(head), "%.*s:", (int)strcspn(option->parameter, " "),
               option->parameter);
      if (option->text[strlen(option->text) - 1] != '.')
         column += fprintf(file, ".");
      print_words(file, head, left, &column);
      print_words(file, option->values, left, &column);
   }
   fputc('\n', file);
}

static void
print_usage(const struct look_tool *tool)
{
   static const struct look_option help = { .name = "--help", .text = "print this" };
   int widest = name_columns(&help);
   print_synopsis(tool, stdout);
   fputs(tool->text, stdout);
   for (const struct look_option *option = tool->options; option->name; option++) {
      const int columns = name_columns(option);
      if (columns > widest && columns <= MAX_NAME_COLUMNS)
         widest = columns;
   }
   for (const struct look_option *option = tool->options; option->name; option++)
      print_option(stdout, option, 2 + widest + 2);
   print_option(stdout, &help, 2 + widest + 2);
   fputs(tool->more ? tool->more : "", stdout);
}

/* ------------------------------------------------------------------ the command line */

/* How a tool is called, after what is wrong with how it was. */
static int
show_synopsis(const struct look_tool *tool)
{
   print_synopsis(tool, stderr);
   fputs("--help lists the options\n", stderr);
   return LOOK_WRONG;
}

int
look_incomplete(const struct look_tool *tool)
{
   look_wrong(tool, "an argument is missing");
   return show_synopsis(tool);
}

static int
count_values(const struct look_option *option)
{
   int count = option->parameter != NULL;
   for (const char *at = option->parameter; at && (at = strchr(at, ' ')); at++)
      count++;
   return count;
}

static const struct look_option *
find_option(const struct look_tool *tool, const char *name)
{
   for (const struct look_option *option = tool->options; option->name; option++) {
      if (option->name[0] == '-' && !strcmp(option->name, name))
         return option;
   }
   return NULL;
}

/* Set an option from the words after its name. */
static int
set_option(const struct look_tool *tool, const struct look_option *option, int left, char **words,
           void *request)
{
   const int count = count_values(option);
   const char *value[MAX_VALUES] = { "", "" };
   void *target = (char *)request + option->offset;
   if (count > left)
      return look_wrong(tool, "%s needs a value: %s", option->name, option->parameter);
   for (int i = 0; i < count; i++)
      value[i] = words[i];
   if (!option->parse) {
      *(bool *)target = true;
      return LOOK_CONTINUE;
   }
   if (option->parse(option, value, target))
      return LOOK_CONTINUE;
   return look_wrong(tool, "%s=%s is not known; it may be %s", option->name, value[0],
                     option->values ? option->values : "any text but an empty one");
}

int
look_parse(const struct look_tool *tool, int argc, char **argv, void *request, const char **word)
{
   int words = 0;
   for (int i = 1; i < argc; i++) {
      const struct look_option *option = find_option(tool, argv[i]);
      if (!strcmp(argv[i], "--help")) {
         print_usage(tool);
         return look_finish(tool, 0);
      }
      if (option) {
         const int status = set_option(tool, option, argc - i - 1, argv + i + 1, request);
         if (status != LOOK_CONTINUE)
            return status;
         i += count_values(option);
      } else if ((argv[i][0] == '-' && argv[i][1]) || words == tool->most_words) {
         look_wrong(tool, "%s is not known", argv[i]);
         return show_synopsis(tool);
      } else
         word[words++] = argv[i];
   }
   return words >= tool->least_words ? LOOK_CONTINUE : look_incomplete(tool);
}

/* ------------------------------------------------------------------ values */

bool
look_set_text(const struct look_option *option, const char *const *value, void *target)
{
   (void)option;
   *(const char **)target = value[0];
   return value[0][0] != 0;
}

bool
look_set_number(const struct look_option *option, const char *const *value, void *target)
{
   unsigned long *number = target;
   return cf_parse_number(value[0], option->most, number) && *number >= option->least;
}

bool
look_set_address(const struct look_option *option, const char *const *value, void *target)
{
   uint64_t *address = target;
   char *end;
   (void)option;
   errno = 0;
   *address = strtoull(value[0], &end, 16);
   return !strncmp(value[0], "0x", 2) && end > value[0] + 2 && !*end && !errno && *address;
}

bool
look_parse_pixel(const char *text, uint32_t *x_px, uint32_t *y_px)
{
   char x_text[8] = "";
   unsigned long x, y;
   const char *comma = strchr(text, ',');
   if (!comma || (size_t)(comma - text) >= sizeof(x_text))
      return false;
   memcpy(x_text, text, (size_t)(comma - text));
   if (!cf_parse_number(x_text, MAX_PX, &x) || !cf_parse_number(comma + 1, MAX_PX, &y))
      return false;
   *x_px = (uint32_t)x;
   *y_px = (uint32_t)y;
   return true;
}
