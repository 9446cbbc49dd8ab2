/* SPDX-License-Identifier: MIT
 *
 * The rules of textures, buffers and frame buffer objects; texture_rules.c has their table.
 */
#ifndef TEXTURE_RULES_H
#define TEXTURE_RULES_H

#include "rules.h"
#include "texture_draw.h"
#include "texture_reference.h"

/* tex_filter.c */
void tex_filter_2d(struct rules *r);
void tex_filter_large(struct rules *r);
void tex_filter_3d(struct rules *r);
void tex_filter_cube(struct rules *r);

/* tex_nearest.c, tex_gradient.c */
void tex_nearest(struct rules *r);
void tex_gradients(struct rules *r);

/* tex_sampler.c */
void tex_border(struct rules *r);
void tex_sampler(struct rules *r);
void tex_seamless(struct rules *r);
void tex_anisotropic(struct rules *r);

/* tex_format.c */
void tex_format_upload(struct rules *r);

/* tex_copy.c, tex_render.c */
void tex_copy_framebuffer(struct rules *r);
void tex_generate_mipmap(struct rules *r);
void tex_render_sample(struct rules *r);

/* tex_compressed.c */
void tex_compressed(struct rules *r);
void tex_immutable(struct rules *r);

/* tex_depth.c */
void tex_depth(struct rules *r);

/* tex_internal.c */
void tex_internal_format(struct rules *r);
void tex_upload_3d(struct rules *r);
void tex_rendered_formats(struct rules *r);
void tex_feedback(struct rules *r);

/* tex_object.c, tex_share.c, tex_units.c, tex_vertex.c */
void tex_complete(struct rules *r);
void tex_in_flight(struct rules *r);
void tex_egl_image(struct rules *r);
void tex_share_threads(struct rules *r);
void tex_share_turns(struct rules *r);
void tex_units(struct rules *r);
void tex_vertex(struct rules *r);

/* buffer_*.c */
void buffer_vertex_arrays(struct rules *r);
void buffer_update(struct rules *r);
void buffer_reuse(struct rules *r);
void buffer_large(struct rules *r);
void buffer_program_binary(struct rules *r);

/* fbo_*.c */
void fbo_read_pixels(struct rules *r);
void fbo_shared(struct rules *r);
void fbo_shared_samples(struct rules *r);
void fbo_complete(struct rules *r);
void fbo_deleted(struct rules *r);
void fbo_blit_nearest(struct rules *r);
void fbo_clear_several(struct rules *r);

#endif
