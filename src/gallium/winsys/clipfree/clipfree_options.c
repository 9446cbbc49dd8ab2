/* SPDX-License-Identifier: MIT */
#include "clipfree_options.h"

#include "util/os_misc.h"
#include "util/u_debug.h"

const struct cf_option cf_driver_options[CF_OPTION_COUNT] = {
   [CF_OPTION_DEBUG] = { "CLIPFREE_DEBUG", NULL, "help or flags, separated by commas",
                         "What to print and what to do differently." },
   [CF_OPTION_GPU] = { "CLIPFREE_GPU", NULL, "model or noop",
                       "Which GPU: the model, or one that drops all work, which leaves the CPU's "
                       "share alone." },
   [CF_OPTION_CAPTURE] = { "CLIPFREE_CAPTURE", NULL,
                           "file=PATH[,count=M][,frame=N or submission=N or signal or marker=TEXT]",
                           "Record M (1) frames from number N (0) on, or from submission N, from "
                           "SIGUSR2 or from a debug marker or group with TEXT on, in a file for "
                           "clipfree-replay." },
   [CF_OPTION_FRAMES] = { "CLIPFREE_FRAMES", NULL, "1 to 999999999",
                          "End the process after so many frames." },
   [CF_OPTION_FRAME_DUMP] = { "CLIPFREE_FRAME_DUMP", NULL, "the beginning of file names",
                              "Write each frame to PREFIXnnnn.png, and print its hash." },
   [CF_OPTION_SHADERS] = { "CLIPFREE_SHADERS", NULL, "file=PATH[,passes]",
                           "Append a line of JSON for each compiled shader, with passes also "
                           "the program after each pass of the compiler (docs/shader.md)." },
   [CF_OPTION_COMPILER] = { "CLIPFREE_COMPILER", NULL, "help or no-PASS, separated by commas",
                            "Leave out passes of the compiler, to find the one that changes "
                            "a picture." },
   [CF_OPTION_MEDIUMP] = { "CLIPFREE_MEDIUMP", NULL, "off, fp16, fp16,flush or fp10",
                           "Run mediump and lowp with the precision that a phone has "
                           "(docs/mediump.md)." },
};

const char *
cf_option_value(const struct cf_option *option)
{
   return os_get_option(option->variable);
}

const char *
cf_option_message(const struct cf_option *option)
{
   static char text[256];

   cf_option_error(option, option->variable, cf_option_value(option), text, sizeof(text));
   return text;
}

bool
cf_options_parse_model(struct cf_model_config *config, const char **error)
{
   for (const struct cf_option *option = cf_model_options; option->variable; option++) {
      const char *value = cf_option_value(option);
      if (option->writes_files && !__normal_user())
         continue;
      if (value && !option->parse(value, config)) {
         *error = cf_option_message(option);
         return false;
      }
   }
   return true;
}

void
cf_options_print(FILE *file)
{
   for (unsigned i = 0; i < CF_OPTION_COUNT; i++)
      fprintf(file, "   %s=%s\n      %s\n", cf_driver_options[i].variable,
              cf_driver_options[i].values, cf_driver_options[i].text);
   for (const struct cf_option *option = cf_model_options; option->variable; option++)
      fprintf(file, "   %s=%s\n      %s\n", option->variable, option->values, option->text);
}
