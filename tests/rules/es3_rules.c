/* SPDX-License-Identifier: MIT
 *
 * Rules of OpenGL ES 3.0: see rules.h for the command line.
 */
#include "es3_rules.h"

static const struct rule rules[] = {
   { "es3-operations", RULE_ES3, 148, es3_operations },
   { "es3-built-ins", RULE_ES3, 112, es3_built_ins },
   { "es3-attributes", RULE_ES3, 110, es3_attributes },
   { "es3-integer-targets", RULE_ES3, 57, es3_integer_targets },
   { "es3-fetch", RULE_ES3, 240, es3_fetch },
   { "es3-size", RULE_ES3, 60, es3_size },
   { "es3-shadow", RULE_ES3, 240, es3_shadow },
   { "es3-shadow-linear", RULE_ES3, 60, es3_shadow_linear },
   { "es3-feedback", RULE_ES3, 180, es3_feedback },
   { "es3-feedback-errors", RULE_ES3, 2, es3_feedback_errors },
   { "es3-block-layout", RULE_ES3, 100, es3_block_layout },
   { "es3-block-limits", RULE_ES3, 4, es3_block_limits },
   { "es3-draw-buffers", RULE_ES3, 100, es3_draw_buffers },
   { "es3-blend", RULE_ES3, 240, es3_blend },
   { "es3-depth-stencil", RULE_ES3, 120, es3_depth_stencil },
   { "es3-derivatives", RULE_ES3, 40, es3_derivatives },
   { "es3-layers", RULE_ES3, 60, es3_layers },
   { "es3-blit", RULE_ES3, 200, es3_blit },
   { "es3-formats", RULE_ES3, 225, es3_formats },
   { "es3-read-buffers", RULE_ES3, 50, es3_read_buffers },
   { "es3-etc2", RULE_ES3, 200, es3_etc2 },
   { "es3-levels", RULE_ES3, 240, es3_levels },
   { "es3-switch-over", RULE_ES3, 240, es3_switch_over },
   { "es3-cube-edges", RULE_ES3, 120, es3_cube_edges },
   { "es3-samples", RULE_ES3, 120, es3_samples },
   { "es3-centroid", RULE_ES3, 60, es3_centroid },
   { "es3-vertex-id", RULE_ES3, 120, es3_vertex_id },
   { "es3-restart", RULE_ES3, 105, es3_restart },
   { "es3-flat", RULE_ES3, 60, es3_flat },
   { "es3-queries", RULE_ES3, 40, es3_queries },
   { "es3-matrices", RULE_ES3, 220, es3_matrices },
   { "es3-inverses", RULE_ES3, 48, es3_inverses },
   { "es3-flow", RULE_ES3, 16, es3_flow },
   { "es3-switch", RULE_ES3, 24, es3_switch },
   { "es3-random", RULE_ES3, 100, es3_random },
   { "es3-random-few", RULE_ES3, 12, es3_random },
   { "es3-found", RULE_ES3, 24, es3_found },
   { "es3-probed", RULE_ES3, 60, es3_probed },
   { "es3-copy-buffers", RULE_ES3, 100, es3_copy_buffers },
   { "es3-copy-layers", RULE_ES3, 60, es3_copy_layers },
   { "es3-read-halves", RULE_ES3, 60, es3_read_halves },
   { "es3-internal-formats", RULE_ES3, 36, es3_internal_formats },
   { "es3-binaries", RULE_ES3, 100, es3_binaries },
   { "es3-errors", RULE_ES3, ES3_ERROR_TOPICS, es3_errors },
   { "es3-state", RULE_ES3, 40, es3_state },
   { "es3-bad-shaders", RULE_ES3, ES3_BAD_SHADERS, es3_bad_shaders },
};

int
main(int argc, char **argv)
{
   return rules_main(argc, argv, rules, sizeof(rules) / sizeof(rules[0]));
}
