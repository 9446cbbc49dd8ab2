/* SPDX-License-Identifier: MIT
 *
 * Rules of GLSL ES 1.00 and of what its programs give.
 */
#include "rules.h"

void rule_component_builtins(struct rules *r);
void rule_vector_builtins(struct rules *r);
void rule_shader_flow(struct rules *r);
void rule_shader_limits(struct rules *r);
void rule_shader_errors(struct rules *r);
void rule_shader_sources(struct rules *r);
void rule_shader_links(struct rules *r);
void rule_shader_big(struct rules *r);
void rule_shader_impossible(struct rules *r);
void rule_shader_endless(struct rules *r);
void rule_shader_invariance(struct rules *r);
void rule_random_fragment(struct rules *r);
void rule_random_vertex(struct rules *r);
void rule_random_few(struct rules *r);

static const struct rule rules[] = {
   { "component-builtins", RULE_DESKTOP, 240, rule_component_builtins },
   { "vector-builtins", RULE_DESKTOP, 120, rule_vector_builtins },
   { "shader-flow", RULE_DESKTOP, 23, rule_shader_flow },
   { "shader-limits", RULE_DESKTOP, 20, rule_shader_limits },
   { "shader-errors", RULE_DESKTOP, 20, rule_shader_errors },
   { "shader-links", RULE_ES2, 17, rule_shader_links },
   { "shader-sources", RULE_ES2, 8, rule_shader_sources },
   { "shader-big", RULE_DESKTOP, 10, rule_shader_big },
   { "shader-impossible", RULE_DESKTOP, 2, rule_shader_impossible },
   { "shader-endless", RULE_DESKTOP, 4, rule_shader_endless },
   { "shader-invariance", RULE_ES2, 100, rule_shader_invariance },
   { "random-fragment", RULE_DESKTOP, 250, rule_random_fragment },
   { "random-vertex", RULE_DESKTOP, 150, rule_random_vertex },
   { "random-few", RULE_DESKTOP, 12, rule_random_few },
};

int
main(int argc, char **argv)
{
   return rules_main(argc, argv, rules, sizeof(rules) / sizeof(rules[0]));
}
