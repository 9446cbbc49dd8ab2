/* SPDX-License-Identifier: MIT
 *
 * Rules of textures, buffers and frame buffer objects: see rules.h for the command line.
 */
#include "texture_rules.h"

static const struct rule rules[] = {
   { "tex-filter-2d", RULE_ES2, 1728, tex_filter_2d },
   { "tex-filter-large", RULE_ES2, 72, tex_filter_large },
   { "tex-filter-3d", RULE_ES2, 432, tex_filter_3d },
   { "tex-filter-cube", RULE_ES2, 864, tex_filter_cube },
   { "tex-nearest", RULE_ES2, 400, tex_nearest },
   { "tex-border", RULE_ES2, 23 * 20, tex_border },
   { "tex-sampler", RULE_DESKTOP, 1000, tex_sampler },
   { "tex-seamless", RULE_DESKTOP, 500, tex_seamless },
   { "tex-anisotropic", RULE_ES2, 200, tex_anisotropic },
   { "tex-gradients", RULE_ES2, 300, tex_gradients },
   { "tex-format-upload", RULE_ES2, IMAGE_FORMATS * 20, tex_format_upload },
   { "tex-compressed", RULE_ES2, 5 * 40, tex_compressed },
   { "tex-immutable", RULE_ES2, 9 * 15, tex_immutable },
   { "tex-internal-format", RULE_ES2, 14 * 15, tex_internal_format },
   { "tex-upload-3d", RULE_ES2, 8 * 10, tex_upload_3d },
   { "tex-rendered-formats", RULE_ES2, 18 * 20, tex_rendered_formats },
   { "tex-feedback", RULE_ES2, 60, tex_feedback },
   { "tex-depth", RULE_ES2, 120, tex_depth },
   { "tex-copy-framebuffer", RULE_ES2, 18 * 50, tex_copy_framebuffer },
   { "tex-generate-mipmap", RULE_ES2, 23 * 15, tex_generate_mipmap },
   { "tex-render-sample", RULE_ES2, 150, tex_render_sample },
   { "tex-complete", RULE_ES2, 1000, tex_complete },
   { "tex-in-flight", RULE_ES2, 100, tex_in_flight },
   { "tex-egl-image", RULE_ES2, 200, tex_egl_image },
   { "tex-share-threads", RULE_ES2, 30, tex_share_threads },
   { "tex-share-turns", RULE_ES2, 60, tex_share_turns },
   { "tex-units", RULE_ES2, 60, tex_units },
   { "tex-vertex", RULE_ES2, 600, tex_vertex },
   { "buffer-vertex-arrays", RULE_ES2, 630, buffer_vertex_arrays },
   { "buffer-update", RULE_ES2, 200, buffer_update },
   { "buffer-reuse", RULE_ES2, 60, buffer_reuse },
   { "buffer-large", RULE_ES2, 25, buffer_large },
   { "buffer-program-binary", RULE_ES2, 20, buffer_program_binary },
   { "fbo-read-pixels", RULE_ES2, 18 * 40, fbo_read_pixels },
   { "fbo-shared", RULE_ES2, 100, fbo_shared },
   { "fbo-shared-samples", RULE_ES2, 100, fbo_shared_samples },
   { "fbo-complete", RULE_ES2, 600, fbo_complete },
   { "fbo-deleted", RULE_ES2, 60, fbo_deleted },
   { "fbo-blit-nearest", RULE_DESKTOP, 600, fbo_blit_nearest },
   { "fbo-clear-several", RULE_DESKTOP, 300, fbo_clear_several },
};

int
main(int argc, char **argv)
{
   return rules_main(argc, argv, rules, sizeof(rules) / sizeof(rules[0]));
}
