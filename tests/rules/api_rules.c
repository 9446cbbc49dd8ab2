/* SPDX-License-Identifier: MIT
 *
 * Rules of OpenGL ES 2.0's interface: see rules.h for the command line.
 */
#include "api_rules.h"

static const struct rule rules[] = {
   { "api-errors", RULE_ES2, API_ERROR_TOPICS, rule_api_errors },
   { "api-uniforms", RULE_ES2, 150, rule_api_uniforms },
   { "api-attributes", RULE_ES2, 150, rule_api_attributes },
   { "api-state", RULE_ES2, 200, rule_api_state },
};

int
main(int argc, char **argv)
{
   return rules_main(argc, argv, rules, sizeof(rules) / sizeof(rules[0]));
}
