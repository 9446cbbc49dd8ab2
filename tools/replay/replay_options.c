/* SPDX-License-Identifier: MIT */
#include "replay_options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void __attribute__((format(printf, 1, 2)))
replay_die(const char *format, ...)
{
   va_list arguments;
   va_start(arguments, format);
   fputs("clipfree-replay: ", stderr);
   vfprintf(stderr, format, arguments);
   fputc('\n', stderr);
   exit(1);
}

/* ------------------------------------------------------------------ values of options */

/* Begin what the command is to do. */
static void
set_mode(struct replay_request *request, enum replay_mode mode)
{
   if (request->mode != REPLAY_RUN && request->mode != mode)
      replay_die("one of --list, --png, --raw, --hashes, --queries, --record, --compare and --trim "
                 "may be given");
   request->mode = mode;
}

static bool
parse_repeat(const char *value, struct replay_request *request)
{
   return cf_parse_number(value, UINT32_MAX, &request->repeat) && request->repeat > 0;
}

static bool
parse_show(const char *value, struct replay_request *request)
{
   static const char *const units[] = { "setup", "rast", "tex", "pixel" }; /* enum cf_print_flag */
   for (uint32_t unit = 0; unit < 4; unit++) {
      if (strcmp(value, units[unit]) != 0)
         continue;
      request->config.print |= 1u << unit;
      return true;
   }
   return false;
}

static bool
parse_pixel(const char *value, struct replay_request *request)
{
   request->history.file = stdout;
   request->observer = pixel_history_observer(&request->history);
   request->config.observer = &request->observer;
   request->config.path = CF_PATH_PLAIN;
   return pixel_history_parse(value, &request->history);
}

static bool
parse_record(const char *value, struct replay_request *request)
{
   struct pixel_history pixel = { 0 };
   set_mode(request, REPLAY_RECORD);
   const bool known = pixel_history_parse(value, &pixel);
   request->record_x_px = (uint32_t)pixel.x_px;
   request->record_y_px = (uint32_t)pixel.y_px;
   return known;
}

static bool
parse_png(const char *value, struct replay_request *request)
{
   set_mode(request, REPLAY_PNG);
   request->output = value;
   return value[0] != 0;
}

static bool
parse_raw(const char *value, struct replay_request *request)
{
   set_mode(request, REPLAY_RAW);
   request->output = value;
   return value[0] != 0;
}

/* A number of the choice of an image. */
static bool
parse_chosen(const char *value, struct replay_request *request, unsigned long *number)
{
   request->choice_given = true;
   return cf_parse_number(value, REPLAY_NONE - 1, number);
}

static bool
parse_draw(const char *value, struct replay_request *request)
{
   return parse_chosen(value, request, &request->choice.draw);
}

static bool
parse_operation(const char *value, struct replay_request *request)
{
   return parse_chosen(value, request, &request->choice.operation);
}

static bool
parse_frame(const char *value, struct replay_request *request)
{
   return parse_chosen(value, request, &request->choice.frame);
}

static bool
parse_image(const char *value, struct replay_request *request)
{
   request->choice_given = true;
   request->choice.image = value;
   return replay_choice_parse_image(value);
}

static bool
parse_level(const char *value, struct replay_request *request)
{
   return parse_chosen(value, request, &request->choice.level);
}

static bool
parse_layer(const char *value, struct replay_request *request)
{
   return parse_chosen(value, request, &request->choice.layer);
}

static bool
parse_sample(const char *value, struct replay_request *request)
{
   return parse_chosen(value, request, &request->choice.sample);
}

/* "A..B" or one number. */
static bool
parse_range(const char *value, struct replay_range *range)
{
   char first[16] = "";
   const char *dots = strstr(value, "..");
   if (!dots) {
      const bool known = cf_parse_number(value, LOOK_NO_DRAW - 1, &range->first);
      range->last = range->first;
      return known;
   }
   if ((size_t)(dots - value) >= sizeof(first))
      return false;
   memcpy(first, value, (size_t)(dots - value));
   return cf_parse_number(first, LOOK_NO_DRAW - 1, &range->first) &&
          cf_parse_number(dots + 2, LOOK_NO_DRAW - 1, &range->last) && range->first <= range->last;
}

static bool
parse_trim(const char *value, struct replay_request *request)
{
   set_mode(request, REPLAY_TRIM);
   return parse_range(value, &request->range);
}

static bool
parse_against(const char *value, struct replay_request *request)
{
   set_mode(request, REPLAY_COMPARE);
   request->against_settings = value;
   return strlen(value) < REPLAY_MAX_SETTINGS_B / 2;
}

static bool
parse_against_capture(const char *value, struct replay_request *request)
{
   set_mode(request, REPLAY_COMPARE);
   request->against_capture = value;
   return value[0] != 0;
}

static bool
parse_against_build(const char *value, struct replay_request *request)
{
   set_mode(request, REPLAY_COMPARE);
   request->against_build = value;
   return value[0] != 0;
}

/* ------------------------------------------------------------------ tables */

/* An option with a value. */
struct valued {
   const char *name, *parameter;
   const char *values; /* for error messages: "it may be ..." */
   const char *text;   /* its help, a line or more; NULL: with the option before */
   bool (*parse)(const char *value, struct replay_request *request);
};

static const struct valued valued[] = {
   { "--repeat", "N", "a number from 1", "run it N times and print the least times", parse_repeat },
   { "--show", "UNIT", "setup, rast, tex or pixel",
     "print what a unit does for each pass; may be repeated", parse_show },
   { "--pixel", "X,Y", "two numbers, X,Y",
     "print what happens to the pixel in column X, row Y of memory, of every image, which are\n"
     "      named by their addresses: on the plain path, interpreted",
     parse_pixel },
   { "--png", "FILE", "the name of a file", "write an image as PNG", parse_png },
   { "--raw", "FILE", "the name of a file",
     "write an image as bytes: its pixels, row by row, as they are in memory", parse_raw },
   { "--draw", "N", "a number from 0, as --list prints them", "--png, --raw: after draw N",
     parse_draw },
   { "--operation", "N", "a number from 0, as --list --json prints them",
     "--png, --raw, --queries: after operation N; --record: of draw operation N", parse_operation },
   { "--frame", "N", "a number from 0, as --list prints them",
     "--png, --raw: what frame N of the capture shows", parse_frame },
   { "--image", "I",
     "0xADDRESS, 0xADDRESS:stencil, color, color:K, depth, stencil, texture:vertex:U or "
     "texture:fragment:U",
     "--png, --raw: the image; without it color 0 of the frame buffer there, or at the end\n"
     "      what was presented",
     parse_image },
   { "--level", "N", "a number from 0", "--png, --raw: a level of a texture", parse_level },
   { "--layer", "N", "a number from 0", "--png, --raw: a layer, face or slice of a texture",
     parse_layer },
   { "--sample", "N", "a number from 0", "--png, --raw, --record: a sample of each pixel",
     parse_sample },
   { "--record", "X,Y", "two numbers, X,Y",
     "print what a draw does to the pixel in column X, row Y, by instruction, as lines of JSON",
     parse_record },
   { "--trim", "A..B FILE", "two numbers of draws from 0, A..B, and the name of a file",
     "write draws A to B as a smaller capture that gives the same bits", parse_trim },
   { "--against", "S",
     "settings such as engine=jit,threads=2,setup=dp3: the options above without dashes",
     "--compare: the other side has these settings, too", parse_against },
   { "--against-capture", "FILE", "the name of a file", "--compare: with another capture",
     parse_against_capture },
   { "--against-build", "DIR", "a build folder",
     "--compare: with the clipfree-replay of another build", parse_against_build },
   { NULL },
};

/* An option without a value. */
struct flag {
   const char *name, *text;
   void (*set)(struct replay_request *request);
};

static void
set_verify(struct replay_request *request)
{
   request->config.verify_engine = true;
}

static void
set_perf(struct replay_request *request)
{
   request->config.perf = true;
}

static void
set_symbols(struct replay_request *request)
{
   request->config.code_symbols = true;
}

static void
set_print(struct replay_request *request)
{
   request->print = true;
}

static void
set_list(struct replay_request *request)
{
   set_mode(request, REPLAY_LIST);
}

static void
set_hashes(struct replay_request *request)
{
   set_mode(request, REPLAY_HASHES);
}

static void
set_queries(struct replay_request *request)
{
   set_mode(request, REPLAY_QUERIES);
}

static void
set_compare(struct replay_request *request)
{
   set_mode(request, REPLAY_COMPARE);
}

static void
set_before(struct replay_request *request)
{
   request->choice.before = true;
   request->choice_given = true;
}

static void
set_json(struct replay_request *request)
{
   request->json = true;
}

static const struct flag flags[] = {
   { "--verify",
     "compile all programs, run them in the interpreter too, and stop at the first difference",
     set_verify },
   { "--perf", "print the time of each unit per submission and frame", set_perf },
   { "--symbols", "tell perf (/tmp/perf-PID.map) and gdb the names of compiled programs",
     set_symbols },
   { "--print", "print the packets, and what is known of draws and programs", set_print },
   { "--list", "print submissions, draws and what else writes memory; run nothing", set_list },
   { "--before", "--png, --raw: before the draw or operation, not after it", set_before },
   { "--hashes", "print a hash of every image after every operation that writes it", set_hashes },
   { "--queries", "print what queries have counted after each submission, as lines of JSON",
     set_queries },
   { "--compare",
     "compare with another side after every draw and name the first difference; exit status 3",
     set_compare },
   { "--json", "--list, --compare: JSON (docs/replay.md)", set_json },
   { NULL },
};

static void
print_usage(FILE *file)
{
   fputs("usage: clipfree-replay [OPTION...] CAPTURE\n"
         "Run the submissions of a capture, and print their time and a hash of all GPU memory; or "
         "look "
         "into it.\n",
         file);
   for (const struct cf_option *option = cf_model_options; option->variable; option++)
      fprintf(file, "  %s V: %s\n      %s\n", option->argument, option->values, option->text);
   for (const struct valued *option = valued; option->name; option++)
      fprintf(file, "  %s %s: %s\n      %s\n", option->name, option->parameter, option->values,
              option->text);
   for (const struct flag *flag = flags; flag->name; flag++)
      fprintf(file, "  %s\n      %s\n", flag->name, flag->text);
   fputs("  --help\n      print this\n"
         "Programs are interpreted if --engine does not say otherwise.\n",
         file);
}

/* ------------------------------------------------------------------ the command line */

/* Parse an option of the model. False: there is no such option. */
static bool
parse_model(const char *name, const char *value, struct cf_model_config *config)
{
   char text[256];
   for (const struct cf_option *option = cf_model_options; option->variable; option++) {
      if (strcmp(name, option->argument) != 0)
         continue;
      if (!option->parse(value, config)) {
         cf_option_error(option, name, value, text, sizeof(text));
         replay_die("%s", text);
      }
      return true;
   }
   return false;
}

/* Note an option of the model for the other side's command line. */
static void
add_words(struct replay_request *request, const char *name, const char *value)
{
   if (request->words + 2 > REPLAY_MAX_WORDS)
      replay_die("too many options; each may be given once");
   request->word[request->words++] = name;
   request->word[request->words++] = value;
}

/* Parse an option with a value. False: there is no such option. */
static bool
parse_valued(const char *name, const char *value, struct replay_request *request)
{
   if (parse_model(name, value, &request->config)) {
      add_words(request, name, value);
      request->engine_given = request->engine_given || !strcmp(name, "--engine");
      return true;
   }
   for (const struct valued *option = valued; option->name; option++) {
      if (strcmp(name, option->name) != 0)
         continue;
      if (!option->parse(value, request))
         replay_die("%s=%s is not known; it may be %s", name, value, option->values);
      return true;
   }
   return false;
}

static bool
parse_flag(const char *name, struct replay_request *request)
{
   for (const struct flag *flag = flags; flag->name; flag++) {
      if (strcmp(name, flag->name) != 0)
         continue;
      flag->set(request);
      return true;
   }
   return false;
}

/* The other side's settings, from "engine=jit,threads=2". */
static void
parse_settings(struct replay_request *request)
{
   char *rest = request->settings, *name = request->names;
   request->against = request->config;
   snprintf(request->settings, sizeof(request->settings), "%s",
            request->against_settings ? request->against_settings : "");
   for (char *setting; (setting = strsep(&rest, ","));) {
      char *value = strchr(setting, '=');
      if (!setting[0])
         continue;
      if (value)
         *value++ = 0;
      const int length = sprintf(name, "--%s", setting);
      if (!value || !parse_model(name, value, &request->against))
         replay_die(
            "--against=%s is not known: %s is no setting of the model with a value, such as "
            "engine=jit; --help lists them",
            request->against_settings, setting);
      add_words(request, name, value);
      name += length + 1;
   }
}

/* Whether the choice of an image or operation goes with the rest; dies if not. */
static void
check_choice(const struct replay_request *request)
{
   const struct replay_choice *choice = &request->choice;
   const bool writes = request->mode == REPLAY_PNG || request->mode == REPLAY_RAW,
              records = request->mode == REPLAY_RECORD;
   const bool others = choice->draw != REPLAY_NONE || choice->frame != REPLAY_NONE ||
                       choice->before || choice->image || choice->level != REPLAY_NONE ||
                       choice->layer || (choice->sample && !records);
   if (records && choice->operation == REPLAY_NONE)
      replay_die("--record needs --operation N, a draw's");
   const bool some = records || request->mode == REPLAY_QUERIES;
   if (request->choice_given && !writes && (others || !some))
      replay_die("--draw, --operation, --frame, --before, --image, --level, --layer and --sample "
                 "are for --png and --raw (--operation for --queries and --record, --sample for "
                 "--record, too)");
   if ((choice->draw != REPLAY_NONE) + (choice->operation != REPLAY_NONE) +
          (choice->frame != REPLAY_NONE) > 1)
      replay_die("one of --draw, --operation and --frame may be given");
   if (choice->before && choice->draw == REPLAY_NONE && choice->operation == REPLAY_NONE)
      replay_die("--before needs --draw or --operation");
}

/* Whether the options agree with each other; dies if not. */
static void
check(struct replay_request *request)
{
   check_choice(request);
   if (request->json && request->mode != REPLAY_LIST && request->mode != REPLAY_COMPARE)
      replay_die("--json is for --list and --compare");
   if (request->mode != REPLAY_RUN &&
       (request->config.observer || request->config.print || request->print))
      replay_die("--pixel, --show and --print are for a run that is not looked into otherwise");
   if (request->mode != REPLAY_RUN && request->config.verify_engine)
      replay_die("--verify is for a run that is not looked into otherwise");
   const struct cf_model_config *config = &request->config;
   if (request->mode != REPLAY_RUN && (config->stats || config->trace || config->coverage))
      replay_die("--stats, --trace and --coverage are for a run that is not looked into otherwise");
   if (request->mode == REPLAY_TRIM && !request->output)
      replay_die("--trim needs A..B and the name of a file: --trim 3..7 small.cap CAPTURE");
   if (request->against_build && request->against_capture)
      replay_die("one of --against-build and --against-capture may be given");
   if (request->config.verify_engine && !request->engine_given)
      request->config.engine = CF_ENGINE_JIT;
   parse_settings(request);
}

int
replay_parse_arguments(int argc, char **argv, struct replay_request *request)
{
   bool known = true;
   for (int i = 1; known && i < argc; i++) {
      if (!strcmp(argv[i], "--help")) {
         print_usage(stdout);
         return 0;
      }
      if (parse_flag(argv[i], request))
         continue;
      if (argv[i][0] != '-' && !request->path)
         request->path = argv[i];
      else if (i + 2 < argc && !strcmp(argv[i], "--trim") &&
               parse_valued(argv[i], argv[i + 1], request)) {
         request->output = argv[i + 2];
         i += 2;
      } else if (i + 1 < argc && parse_valued(argv[i], argv[i + 1], request))
         i++;
      else
         known = false;
   }
   if (!known || !request->path) {
      print_usage(stderr);
      return 2;
   }
   check(request);
   return -1;
}
