/* SPDX-License-Identifier: MIT */
/*
 * clipfree-asm: text to ISA words and back. Words are little-endian 64-bit, or with -x one
 * hexadecimal number a line. With --json the program is a document, the same both ways.
 *
 * Data flow: file -> text or words -> cf_assemble_text or cf_disassemble -> file. Syntax:
 * docs/isa.md and isa/cf_asm.h.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "clipfree/isa/cf_asm.h"

#define MAX_INSTR_B 256 /* of an instruction's text */

struct options {
   bool disassemble, hex, json;
   const char *input, *output; /* NULL: standard input, output */
};

static void
print_usage(FILE *file)
{
   fputs("usage: clipfree-asm [-d] [-x] [--json] [-o FILE] [FILE]\n"
         "Assemble a program of the clipfree GPU, from FILE or standard input.\n"
         "  -d, --disassemble  the other way: words to text\n"
         "  -x, --hex          words are hexadecimal text, one a line, instead of binary\n"
         "  -j, --json         the program as JSON: words and text of its instructions "
         "(docs/isa.md)\n"
         "  -o, --output FILE  write to FILE instead of standard output\n"
         "  -h, --help         this text\n",
         file);
}

/* Read a whole file, and append a zero byte. NULL: it cannot be read, errno says why. */
static char *
read_all(const char *path, size_t *size)
{
   FILE *file = path ? fopen(path, "rb") : stdin;
   size_t room = 1 << 16;
   char *data = file ? malloc(room) : NULL;
   *size = 0;
   while (data) {
      const size_t got = fread(data + *size, 1, room - 1 - *size, file);
      *size += got;
      if (got == 0)
         break;
      if (*size == room - 1) {
         char *larger = realloc(data, room *= 2);
         if (!larger)
            free(data);
         data = larger;
      }
   }
   if (data && ferror(file)) {
      const int error = errno;
      free(data);
      data = NULL;
      errno = error;
   }
   if (data)
      data[*size] = '\0';
   if (file && file != stdin)
      fclose(file);
   return data;
}

/* Convert a sequence of hexadecimal numbers to words, in place. False: there is other text. */
static bool
parse_hex(char *data, size_t *size)
{
   char *at = data;
   size_t count = 0;
   for (;;) {
      char *end;
      const uint64_t word = strtoull(at, &end, 16);
      if (end == at)
         break;
      if (end - data < (ptrdiff_t)((count + 1) * sizeof(word)))
         return false; /* fewer than 16 digits: the text is shorter than its word */
      memcpy(data + count++ * sizeof(word), &word, sizeof(word));
      at = end;
   }
   *size = count * sizeof(uint64_t);
   return at[strspn(at, " \t\r\n")] == '\0';
}

/* An instruction: its word, and its text, with targets as numbers; or why it is none. */
static json_t *
instr_json(unsigned number, uint64_t word)
{
   struct cf_instr instr;
   const char *error;
   char text[MAX_INSTR_B];
   json_t *json = json_pack("{s:I, s:o}", "instruction", (json_int_t)number, "word",
                            json_sprintf("0x%016" PRIx64, word));
   if (!cf_instr_decode(word, &instr, &error)) {
      json_object_set_new(json, "error", json_string(error));
      return json;
   }
   cf_disassemble_instr(&instr, text, sizeof(text));
   json_object_set_new(json, "text", json_string(text));
   return json;
}

/* Write the program as JSON. Returns the exit status. */
static int
write_json(const struct options *options, const uint64_t *code, unsigned count, FILE *out)
{
   json_t *array = json_array();
   for (unsigned i = 0; i < count; i++)
      json_array_append_new(array, instr_json(i, code[i]));
   json_t *document =
      json_pack("{s:i, s:s?, s:o}", "version", 1, "input", options->input, "instructions", array);
   const int failed = document ? json_dumpf(document, out, JSON_INDENT(2)) : -1;
   fputc('\n', out);
   json_decref(document);
   return failed ? 1 : 0;
}

static int
disassemble(const struct options *options, char *data, size_t size, FILE *out)
{
   if (options->hex && !parse_hex(data, &size)) {
      fprintf(stderr, "clipfree-asm: the input is not a list of 16-digit hexadecimal words\n");
      return 1;
   }
   if (size % sizeof(uint64_t)) {
      fprintf(stderr,
              "clipfree-asm: %zu bytes are no whole number of 8-byte instructions; is this text? "
              "Then leave out -d or add -x\n",
              size);
      return 1;
   }
   const uint64_t *code = (const uint64_t *)(const void *)data;
   const unsigned count = (unsigned)(size / sizeof(*code));
   if (options->json)
      return write_json(options, code, count, out);
   cf_disassemble(out, code, count);
   return 0;
}

static int
assemble(const struct options *options, const char *text, FILE *out)
{
   uint64_t *code;
   unsigned count;
   char error[256];
   if (!cf_assemble_text(text, &code, &count, error, sizeof(error))) {
      fprintf(stderr, "%s: %s\n", options->input ? options->input : "standard input", error);
      return 1;
   }
   int status = 0;
   if (options->json)
      status = write_json(options, code, count, out);
   else if (!options->hex)
      fwrite(code, sizeof(*code), count, out);
   for (unsigned i = 0; i < count && options->hex && !options->json; i++)
      fprintf(out, "%016" PRIx64 "\n", code[i]);
   free(code);
   return status;
}

/* Parse the command line. Negative: continue; else the exit status. */
static int
parse_options(struct options *options, int argc, char **argv)
{
   static const struct option names[] = {
      { "disassemble", no_argument, NULL, 'd' }, { "hex", no_argument, NULL, 'x' },
      { "json", no_argument, NULL, 'j' },        { "output", required_argument, NULL, 'o' },
      { "help", no_argument, NULL, 'h' },        { NULL, 0, NULL, 0 },
   };
   int option;
   while ((option = getopt_long(argc, argv, "dxjo:h", names, NULL)) != -1) {
      switch (option) {
      case 'd':
         options->disassemble = true;
         break;
      case 'x':
         options->hex = true;
         break;
      case 'j':
         options->json = true;
         break;
      case 'o':
         options->output = optarg;
         break;
      case 'h':
         print_usage(stdout);
         return 0;
      default:
         print_usage(stderr);
         return 2;
      }
   }
   options->input = optind < argc ? argv[optind++] : NULL;
   if (optind < argc) {
      print_usage(stderr);
      return 2;
   }
   return -1;
}

int
main(int argc, char **argv)
{
   struct options options = { 0 };
   const int status = parse_options(&options, argc, argv);
   if (status >= 0)
      return status;

   size_t size;
   char *data = read_all(options.input, &size);
   if (!data) {
      fprintf(stderr, "clipfree-asm: %s: %s\n", options.input ? options.input : "standard input",
              strerror(errno));
      return 1;
   }
   FILE *out = options.output ? fopen(options.output, "wb") : stdout;
   if (!out) {
      perror(options.output);
      free(data);
      return 1;
   }
   int result =
      options.disassemble ? disassemble(&options, data, size, out) : assemble(&options, data, out);
   if (fflush(out) || ferror(out)) {
      perror("clipfree-asm: writing");
      result = 1;
   }
   if (out != stdout)
      fclose(out);
   free(data);
   return result;
}
