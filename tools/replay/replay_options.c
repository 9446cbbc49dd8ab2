/* SPDX-License-Identifier: MIT */
#include "replay_options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OPTIONS 64

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

static bool
parse_show(const struct look_option *option, const char *const *value, void *target)
{
   static const char *const units[] = { "setup", "rast", "tex", "pixel" }; /* enum cf_print_flag */
   uint32_t *print = target;
   (void)option;
   for (uint32_t unit = 0; unit < 4; unit++) {
      if (strcmp(value[0], units[unit]) != 0)
         continue;
      *print |= 1u << unit;
      return true;
   }
   return false;
}

static bool
parse_pixel(const struct look_option *option, const char *const *value, void *target)
{
   struct replay_request *request = target;
   (void)option;
   request->history.file = stdout;
   request->observer = pixel_history_observer(&request->history);
   request->config.observer = &request->observer;
   request->config.path = CF_PATH_PLAIN;
   return look_parse_pixel(value[0], &request->history.x_px, &request->history.y_px);
}

static bool
parse_record(const struct look_option *option, const char *const *value, void *target)
{
   struct replay_request *request = target;
   (void)option;
   request->record = true;
   return look_parse_pixel(value[0], &request->record_x_px, &request->record_y_px);
}

static bool
parse_image(const struct look_option *option, const char *const *value, void *target)
{
   return look_set_text(option, value, target) && replay_choice_parse_image(value[0]);
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
parse_trim(const struct look_option *option, const char *const *value, void *target)
{
   struct replay_request *request = target;
   (void)option;
   request->trim = value[1];
   return parse_range(value[0], &request->range) && value[1][0];
}

static bool
parse_against(const struct look_option *option, const char *const *value, void *target)
{
   const char **settings = target;
   (void)option;
   *settings = value[0];
   return strlen(value[0]) < REPLAY_MAX_SETTINGS_B / 2;
}

/* The option of the model. NULL: there is none. */
static const struct cf_option *
find_model_option(const char *name)
{
   for (const struct cf_option *option = cf_model_options; option->variable; option++) {
      if (!strcmp(name, option->argument))
         return option;
   }
   return NULL;
}

/* Note an option of the model for the other side's command line. False: there are too many. */
static bool
add_words(struct replay_request *request, const char *name, const char *value)
{
   request->too_many |= request->words + 2 > REPLAY_MAX_WORDS;
   if (!request->too_many) {
      request->word[request->words++] = name;
      request->word[request->words++] = value;
   }
   return !request->too_many;
}

static bool
parse_model(const struct look_option *option, const char *const *value, void *target)
{
   struct replay_request *request = target;
   request->engine_given |= !strcmp(option->name, "--engine");
   add_words(request, option->name, value[0]);
   return find_model_option(option->name)->parse(value[0], &request->config);
}

/* ------------------------------------------------------------------ the table */

#define AT(field) .offset = offsetof(struct replay_request, field)
#define CHOSEN(field)                                                                              \
   look_set_number, offsetof(struct replay_request, choice.field), .most = REPLAY_NONE - 1

/* Those of the model come before them. */
static const struct look_option own_options[] = {
   { "--repeat", "N", "run it N times and print the least times", "a number from 1",
     look_set_number, offsetof(struct replay_request, repeat), 1, UINT32_MAX },
   { "--show", "UNIT", "print what a unit does for each pass; may be repeated",
     "setup, rast, tex or pixel", .parse = parse_show, AT(config.print) },
   { "--pixel", "X,Y",
     "print what happens to the pixel in column X, row Y of memory, of every image, which are "
     "named by their addresses: on the plain path, interpreted",
     "two numbers, as 3,4", .parse = parse_pixel },
   { "--png", "FILE", "write an image as PNG", .parse = look_set_text, AT(png) },
   { "--raw", "FILE", "write an image as bytes: its pixels, row by row, as they are in memory",
     .parse = look_set_text, AT(raw) },
   { "--draw", "N", "--png, --raw: after draw N", "a number from 0, as --list prints them",
     CHOSEN(draw) },
   { "--operation", "N",
     "--png, --raw, --queries: after operation N; --record: of draw operation N",
     "a number from 0, as --list --json prints them", CHOSEN(operation) },
   { "--frame", "N", "--png, --raw: what frame N of the capture shows",
     "a number from 0, as --list prints them", CHOSEN(frame) },
   { "--image", "I",
     "--png, --raw: the image; without it color 0 of the frame buffer there, or at the end what "
     "was presented",
     "0xADDRESS, 0xADDRESS:stencil, color, color:K, depth, stencil, texture:vertex:U or "
     "texture:fragment:U",
     .parse = parse_image, AT(choice.image) },
   { "--level", "N", "--png, --raw: a level of a texture", "a number from 0", CHOSEN(level) },
   { "--layer", "N", "--png, --raw: a layer, face or slice of a texture", "a number from 0",
     CHOSEN(layer) },
   { "--sample", "N", "--png, --raw, --record: a sample of each pixel", "a number from 0",
     CHOSEN(sample) },
   { "--record", "X,Y",
     "print what a draw does to the pixel in column X, row Y, by instruction, as lines of JSON",
     "two numbers, as 3,4", .parse = parse_record },
   { "--trim", "A..B FILE", "write draws A to B as a smaller capture that gives the same bits",
     "two numbers of draws from 0, and the name of a file", .parse = parse_trim },
   { "--against", "S", "--compare: the other side has these settings, too",
     "settings such as engine=jit,threads=2,setup=dp3: the options above without dashes",
     .parse = parse_against, AT(against_settings) },
   { "--against-capture", "FILE", "--compare: with another capture", .parse = look_set_text,
     AT(against_capture) },
   { "--against-build", "DIR", "--compare: with the clipfree-replay of another build",
     .parse = look_set_text, AT(against_build) },
   { "--verify", NULL,
     "compile all programs, run them in the interpreter too, and stop at the first difference",
     AT(config.verify_engine) },
   { "--perf", NULL, "print the time of each unit per submission and frame", AT(config.perf) },
   { "--symbols", NULL, "tell perf (/tmp/perf-PID.map) and gdb the names of compiled programs",
     AT(config.code_symbols) },
   { "--print", NULL, "print the packets, and what is known of draws and programs", AT(print) },
   { "--list", NULL, "print submissions, draws and what else writes memory; run nothing",
     AT(list) },
   { "--before", NULL, "--png, --raw: before the draw or operation, not after it",
     AT(choice.before) },
   { "--hashes", NULL, "print a hash of every image after every operation that writes it",
     AT(hashes) },
   { "--queries", NULL, "print what queries have counted after each submission, as lines of JSON",
     AT(queries) },
   { "--compare", NULL,
     "compare with another side after every draw and name the first difference; exit status 3",
     AT(compare) },
   { "--json", NULL,
     "JSON (docs/replay.md): of --list, --compare, --trim, and of a run, also with --print and "
     "--pixel",
     AT(json) },
   { NULL },
};

/* The table: the capture, options of the model, and its own. */
static void
list_options(struct look_option options[MOST_OPTIONS])
{
   uint32_t count = 0;
   options[count++] = (struct look_option){ .name = "CAPTURE", .text = LOOK_CAPTURE };
   for (const struct cf_option *option = cf_model_options; option->variable; option++)
      options[count++] = (struct look_option){ option->argument, "V", option->text, option->values,
                                               .parse = parse_model };
   memcpy(options + count, own_options, sizeof(own_options));
}

/* ------------------------------------------------------------------ the command line */

/* Find what is to be done. False: several things. */
static bool
find_mode(struct replay_request *request)
{
   const bool asked[] = {
      [REPLAY_LIST] = request->list,
      [REPLAY_PNG] = request->png,
      [REPLAY_RAW] = request->raw,
      [REPLAY_HASHES] = request->hashes,
      [REPLAY_QUERIES] = request->queries,
      [REPLAY_RECORD] = request->record,
      [REPLAY_COMPARE] = request->compare || request->against_settings ||
                         request->against_capture || request->against_build,
      [REPLAY_TRIM] = request->trim,
   };
   uint32_t count = 0;
   for (uint32_t mode = 0; mode < sizeof(asked) / sizeof(asked[0]); mode++) {
      if (!asked[mode])
         continue;
      request->mode = (enum replay_mode)mode;
      count++;
   }
   return count <= 1;
}

/* The other side's settings, from "engine=jit,threads=2". Returns the one that is not known; NULL:
 * all are. */
static const char *
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
      const struct cf_option *option = find_model_option(name);
      if (!value || !option || !option->parse(value, &request->against))
         return setting;
      add_words(request, name, value);
      name += length + 1;
   }
   return NULL;
}

/* What is wrong with the choice of an image or operation; NULL: nothing. */
static const char *
check_choice(const struct replay_request *request)
{
   const struct replay_choice *choice = &request->choice;
   const bool writes = request->mode == REPLAY_PNG || request->mode == REPLAY_RAW,
              records = request->mode == REPLAY_RECORD;
   const bool others = choice->draw != REPLAY_NONE || choice->frame != REPLAY_NONE ||
                       choice->before || choice->image || choice->level != REPLAY_NONE ||
                       choice->layer || (choice->sample && !records);
   const bool operation = choice->operation != REPLAY_NONE;
   if (records && !operation)
      return "--record needs --operation N, a draw's";
   if (!writes && (others || (operation && !records && request->mode != REPLAY_QUERIES)))
      return "--draw, --operation, --frame, --before, --image, --level, --layer and --sample are "
             "for --png and --raw (--operation for --queries and --record, --sample for --record, "
             "too)";
   if ((choice->draw != REPLAY_NONE) + operation + (choice->frame != REPLAY_NONE) > 1)
      return "one of --draw, --operation and --frame may be given";
   if (choice->before && choice->draw == REPLAY_NONE && !operation)
      return "--before needs --draw or --operation";
   return NULL;
}

/* What is wrong with the options of a run, if the capture is looked into otherwise; NULL: nothing.
 */
static const char *
check_run(const struct replay_request *request)
{
   const struct cf_model_config *config = &request->config;
   if (request->mode == REPLAY_RUN)
      return NULL;
   if (config->observer || config->print || request->print)
      return "--pixel, --show and --print are for a run that is not looked into otherwise";
   if (config->verify_engine)
      return "--verify is for a run that is not looked into otherwise";
   if (config->stats || config->trace || config->coverage)
      return "--stats, --trace and --coverage are for a run that is not looked into otherwise";
   return NULL;
}

/* Whether it writes a file of its own format, or lines of JSON. */
static bool
writes_lines(const struct replay_request *request)
{
   return request->mode == REPLAY_PNG || request->mode == REPLAY_RAW ||
          request->mode == REPLAY_HASHES || request->mode == REPLAY_QUERIES ||
          request->mode == REPLAY_RECORD;
}

/* What is wrong with options beside each other; NULL: nothing. */
static const char *
check(struct replay_request *request)
{
   if (!find_mode(request))
      return "one of --list, --png, --raw, --hashes, --queries, --record, --compare and --trim may "
             "be given";
   const char *choice = check_choice(request), *run = check_run(request);
   if (choice || run)
      return choice ? choice : run;
   if (request->json && (writes_lines(request) || request->config.print))
      return "--json is for --list, --compare, --trim and runs without --show";
   if (request->against_build && request->against_capture)
      return "one of --against-build and --against-capture may be given";
   return NULL;
}

int
replay_parse_arguments(int argc, char **argv, struct replay_request *request)
{
   struct look_option options[MOST_OPTIONS];
   const struct look_tool tool = {
      .name = "clipfree-replay",
      .synopsis = "clipfree-replay [OPTION...] CAPTURE",
      .text = "Run the submissions of a capture, and print their time and a hash of all GPU "
              "memory; or look\ninto it.\n",
      .more = "Programs are interpreted if --engine does not say otherwise.\n",
      .options = options,
      .least_words = 1,
      .most_words = 1,
      .failure = 1,
   };
   list_options(options);
   const int status = look_parse(&tool, argc, argv, request, &request->path);
   if (status != LOOK_CONTINUE)
      return status;
   const char *wrong = check(request);
   if (wrong)
      return look_wrong(&tool, "%s", wrong);
   if (request->config.verify_engine && !request->engine_given)
      request->config.engine = CF_ENGINE_JIT;
   const char *setting = parse_settings(request);
   if (setting)
      return look_wrong(&tool,
                        "--against=%s is not known: %s is no setting of the model with a value, "
                        "such as engine=jit; --help lists them",
                        request->against_settings, setting);
   if (request->too_many)
      return look_wrong(&tool, "too many options; each may be given once");
   return LOOK_CONTINUE;
}
