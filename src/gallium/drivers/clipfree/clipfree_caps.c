/* SPDX-License-Identifier: MIT */
/*
 * Capabilities: OpenGL ES 3.0 and OpenGL 3.3, and nothing that the GPU does not support.
 */
#include "util/u_math.h"
#include "util/u_screen.h"

#include "clipfree/interface/cf_limits.h"

#include "clipfree_screen.h"

int
cf_get_shader_param(struct pipe_screen *pscreen, enum pipe_shader_type stage,
                    enum pipe_shader_cap param)
{
   const bool fragment = stage == PIPE_SHADER_FRAGMENT;

   if (!fragment && stage != PIPE_SHADER_VERTEX && stage != PIPE_SHADER_GEOMETRY)
      return 0;
   switch (param) {
   case PIPE_SHADER_CAP_MAX_INSTRUCTIONS:
   case PIPE_SHADER_CAP_MAX_ALU_INSTRUCTIONS:
   case PIPE_SHADER_CAP_MAX_TEX_INSTRUCTIONS:
   case PIPE_SHADER_CAP_MAX_TEX_INDIRECTIONS:
      return 65536;
   case PIPE_SHADER_CAP_MAX_CONTROL_FLOW_DEPTH:
      return 64;
   case PIPE_SHADER_CAP_MAX_INPUTS:
      return stage == PIPE_SHADER_VERTEX ? 16 : CF_MAX_VARYINGS;
   case PIPE_SHADER_CAP_MAX_OUTPUTS:
      return fragment ? PIPE_MAX_COLOR_BUFS : CF_MAX_VARYINGS;
   case PIPE_SHADER_CAP_MAX_TEMPS:
      return 4096;
   case PIPE_SHADER_CAP_MAX_CONST_BUFFER0_SIZE:
      return CF_MAX_UNIFORM_BUFFER_B;
   case PIPE_SHADER_CAP_MAX_CONST_BUFFERS:
      return CF_MAX_CONSTANT_BANKS;
   case PIPE_SHADER_CAP_MAX_TEXTURE_SAMPLERS:
   case PIPE_SHADER_CAP_MAX_SAMPLER_VIEWS:
      return CF_MAX_SAMPLERS;
   case PIPE_SHADER_CAP_CONT_SUPPORTED:
   case PIPE_SHADER_CAP_INDIRECT_TEMP_ADDR:
   case PIPE_SHADER_CAP_INDIRECT_CONST_ADDR:
   case PIPE_SHADER_CAP_INTEGERS:
   case PIPE_SHADER_CAP_TGSI_SQRT_SUPPORTED:
      return 1;
   case PIPE_SHADER_CAP_FP16: /* 2: lowp is fixed point (gl_nir_round_lowp.h) */
      return cf_screen(pscreen)->mediump == CF_MEDIUMP_FP10  ? 2
             : cf_screen(pscreen)->mediump != CF_MEDIUMP_OFF ? 1
                                                             : 0;
   case PIPE_SHADER_CAP_FP16_DERIVATIVES:
   case PIPE_SHADER_CAP_GLSL_16BIT_CONSTS:
      return cf_screen(pscreen)->mediump != CF_MEDIUMP_OFF;
   case PIPE_SHADER_CAP_MARK_PRECISION:
      return cf_screen(pscreen)->notes != NULL;
   case PIPE_SHADER_CAP_SUPPORTED_IRS:
      return 1 << PIPE_SHADER_IR_NIR;
   default:
      return 0;
   }
}

static void
cf_init_shader_caps(struct pipe_caps *caps)
{
   caps->glsl_feature_level = 330;
   caps->glsl_feature_level_compatibility = 330;
   caps->essl_feature_level = 300;
   caps->max_varyings = CF_MAX_VARYINGS;
   caps->tgsi_texcoord = true;
   caps->packed_uniforms = true;
   caps->fs_coord_origin_upper_left = true;
   caps->fs_coord_pixel_center_half_integer = true;
   caps->fs_position_is_sysval = true;
   caps->fs_point_is_sysval = true;
   caps->fs_face_is_integer_sysval = true;
   caps->vs_instanceid = true;
   caps->fragment_shader_texture_lod = true;
   caps->fragment_shader_derivatives = true;
   caps->fs_fine_derivative = true;
   caps->shareable_shaders = true;
   caps->robust_buffer_access_behavior = true;
   caps->device_reset_status_query = true;
   /* gl_ClipVertex and user clip planes become distances, decided per pixel: nothing is ever
    * clipped here */
   caps->clip_planes = 1; /* as many as GL allows */
   caps->flatshade = true;
   caps->alpha_test = true;
   caps->two_sided_color = true;
   caps->point_size_fixed = PIPE_POINT_SIZE_LOWER_NEVER;
}

static void
cf_init_texture_caps(struct pipe_caps *caps)
{
   caps->max_texture_2d_size = 1 << (CF_MAX_TEXTURE_LEVELS_2D - 1);
   caps->max_texture_3d_levels = CF_MAX_TEXTURE_LEVELS_3D;
   caps->max_texture_cube_levels = CF_MAX_TEXTURE_LEVELS_2D;
   caps->max_texture_array_layers = CF_MAX_TEXTURE_LAYERS;
   caps->npot_textures = true;
   caps->anisotropic_filter = true;
   caps->max_texture_anisotropy = 16.0f;
   caps->max_texture_lod_bias = 16.0f;
   caps->texture_swizzle = true;
   caps->texture_shadow_map = true;
   caps->texture_float_linear = true;
   caps->texture_half_float_linear = true;
   caps->texture_mirror_clamp = true;
   caps->texture_mirror_clamp_to_edge = true;
   caps->texrect = true;
   caps->generate_mipmap = true;
   caps->gl_clamp = true;
   caps->seamless_cube_map = true;
   caps->seamless_cube_map_per_texture = true;
   caps->texture_barrier = true;
   caps->texture_multisample = true;
   caps->texture_buffer_objects = true;
   caps->max_texel_buffer_elements = CF_MAX_BUFFER_TEXELS;
   caps->texture_buffer_offset_alignment = 16;
   caps->texture_query_lod = true;
   caps->copy_between_compressed_and_plain_formats = true;
   /* Mesa converts transfers on the CPU: drawing them would run on the same CPU */
   caps->texture_transfer_modes = 0;
}

static void
cf_init_raster_caps(struct pipe_caps *caps)
{
   /* all modes, even patches, which no supported API can draw: with any mode missing Mesa takes a
    * slow path for every draw */
   caps->max_geometry_output_vertices = 256;
   caps->max_geometry_total_output_components = 1024;
   caps->max_gs_invocations = 1;
   caps->supported_prim_modes = BITFIELD_MASK(MESA_PRIM_COUNT);
   caps->supported_prim_modes_with_restart = caps->supported_prim_modes;
   caps->primitive_restart = true;
   caps->primitive_restart_fixed_index = true;
   caps->vertex_element_instance_divisor = true;
   caps->start_instance = true;
   caps->draw_indirect = true;
   caps->max_vertex_attrib_stride = 2048;
   caps->depth_clip_disable = true;
   caps->depth_clip_disable_separate = true;
   caps->depth_clamp_enable = true;
   caps->clip_halfz = true;
   caps->polygon_offset_clamp = true;
   caps->quads_follow_provoking_vertex_convention = true;

   caps->min_line_width = caps->min_line_width_aa = 1.0f;
   caps->max_line_width = caps->max_line_width_aa = CF_MAX_SIZE_PX;
   caps->line_width_granularity = 0.1f;
   caps->min_point_size = caps->min_point_size_aa = 1.0f;
   caps->max_point_size = caps->max_point_size_aa = CF_MAX_SIZE_PX;
   caps->point_size_granularity = 0.1f;
   /* positions are never snapped, which GL cannot express */
   caps->rasterizer_subpixel_bits = 8;
   caps->viewport_subpixel_bits = 8;
}

static void
cf_init_pixel_caps(struct pipe_caps *caps)
{
   caps->max_render_targets = PIPE_MAX_COLOR_BUFS;
   caps->mixed_framebuffer_sizes = true;
   caps->surface_sample_count = true;
   caps->mixed_color_depth_bits = true;
   caps->mixed_colorbuffer_formats = true;
   caps->blend_equation_separate = true;
   caps->indep_blend_enable = true;
   caps->indep_blend_func = true;
   caps->max_dual_source_render_targets = 1;
   caps->vertex_color_unclamped = true;
   caps->dest_surface_srgb_control = true;
   caps->clear_scissored = true;
   caps->occlusion_query = true;
   caps->max_stream_output_buffers = CF_FEEDBACK_BUFFERS;
   caps->stream_output_pause_resume = true;
   caps->stream_output_interleave_buffers = true;
   caps->max_stream_output_separate_components = 4;
   caps->max_stream_output_interleaved_components = 4 * CF_MAX_VARYINGS;
   caps->query_time_elapsed = true;
   caps->query_timestamp = true;
   caps->conditional_render = true;
   caps->conditional_render_inverted = true;
}

void
cf_screen_init_caps(struct cf_screen *screen)
{
   struct pipe_caps *caps = (struct pipe_caps *)&screen->base.caps;
   struct cf_gpu *gpu = screen->gpu;

   u_init_pipe_screen_caps(&screen->base, 0);
   cf_init_shader_caps(caps);
   cf_init_texture_caps(caps);
   cf_init_raster_caps(caps);
   cf_init_pixel_caps(caps);
   caps->max_constant_buffer_size = CF_MAX_UNIFORM_BUFFER_B;
   caps->constant_buffer_offset_alignment = 16;
   caps->max_vertex_buffers = 16;
   caps->user_vertex_buffers = true;
   caps->buffer_map_persistent_coherent = true;
   caps->query_memory_info = true;
   caps->video_memory = gpu->ops->get_param(gpu, CF_PARAM_MEMORY_B) >> 20;
   caps->uma = true;
}
