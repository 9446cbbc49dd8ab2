/* SPDX-License-Identifier: MIT
 *
 * Rules of OpenGL 3.1: see rules.h for the command line.
 */
#include "gl31_rules.h"

static const struct rule rules[] = {
   { "gl31-buffer-formats", RULE_GL31, 4 * GL31_BUFFER_FORMATS, gl31_buffer_formats },
   { "gl31-buffer-range", RULE_GL31, 100, gl31_buffer_range },
   { "gl31-buffer-update", RULE_GL31, 100, gl31_buffer_update },
   { "gl31-rectangle", RULE_GL31, 100, gl31_rectangle },
   { "gl31-restart", RULE_GL31, 60, gl31_restart },
   { "gl31-snorm", RULE_GL31, 60, gl31_snorm },
   { "gl31-block", RULE_GL31, 40, gl31_block },
};

int
main(int argc, char **argv)
{
   return rules_main(argc, argv, rules, sizeof(rules) / sizeof(rules[0]));
}
