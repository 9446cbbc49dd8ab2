/* SPDX-License-Identifier: MIT */
/*
 * Formats: a table from Gallium's formats to the GPU's (names agree, formats.toml), and supported
 * uses, which come from the GPU's description (cf_format_info.uses) alone.
 */
#include "clipfree_format.h"

#include "util/format/u_format.h"
#include "util/macros.h"
#include "util/u_math.h"

#include "frontend/sw_winsys.h"

#include "clipfree/interface/cf_limits.h"

#include "clipfree_screen.h"

#define F(name) [PIPE_FORMAT_##name] = CF_FORMAT_##name
static const uint8_t cf_format_by_pipe[PIPE_FORMAT_COUNT] = {
   F(R8_UNORM),
   F(R8G8_UNORM),
   F(R8G8B8_UNORM),
   F(R8G8B8A8_UNORM),
   F(R8G8B8X8_UNORM),
   F(B8G8R8A8_UNORM),
   F(B8G8R8X8_UNORM),
   F(B5G6R5_UNORM),
   F(B4G4R4A4_UNORM),
   F(B5G5R5A1_UNORM),
   F(A4B4G4R4_UNORM),
   F(A1B5G5R5_UNORM),
   F(A8_UNORM),
   F(L8_UNORM),
   F(L8A8_UNORM),
   F(I8_UNORM),
   F(R10G10B10A2_UNORM),
   F(R16_UNORM),
   F(R16G16_UNORM),
   F(R16G16B16_UNORM),
   F(R16G16B16A16_UNORM),
   F(R8G8B8A8_SRGB),
   F(B8G8R8A8_SRGB),
   F(R8G8B8X8_SRGB),
   F(B8G8R8X8_SRGB),
   F(L8_SRGB),
   F(L8A8_SRGB),
   F(R16_FLOAT),
   F(R16G16_FLOAT),
   F(R16G16B16_FLOAT),
   F(R16G16B16A16_FLOAT),
   F(R32_FLOAT),
   F(R32G32_FLOAT),
   F(R32G32B32_FLOAT),
   F(R32G32B32A32_FLOAT),
   F(L16_FLOAT),
   F(L16A16_FLOAT),
   F(A16_FLOAT),
   F(I16_FLOAT),
   F(L32_FLOAT),
   F(L32A32_FLOAT),
   F(A32_FLOAT),
   F(I32_FLOAT),
   F(Z16_UNORM),
   F(Z24_UNORM_S8_UINT),
   F(Z24X8_UNORM),
   F(Z32_FLOAT),
   F(Z32_FLOAT_S8X24_UINT),
   F(S8_UINT),
   F(X24S8_UINT),
   F(DXT1_RGB),
   F(DXT1_RGBA),
   F(DXT3_RGBA),
   F(DXT5_RGBA),
   F(DXT1_SRGB),
   F(DXT1_SRGBA),
   F(DXT3_SRGBA),
   F(DXT5_SRGBA),
   F(R8_SNORM),
   F(R8G8_SNORM),
   F(R8G8B8_SNORM),
   F(R8G8B8A8_SNORM),
   F(R16_SNORM),
   F(R16G16_SNORM),
   F(R16G16B16_SNORM),
   F(R16G16B16A16_SNORM),
   F(R8_USCALED),
   F(R8G8_USCALED),
   F(R8G8B8_USCALED),
   F(R8G8B8A8_USCALED),
   F(R8_SSCALED),
   F(R8G8_SSCALED),
   F(R8G8B8_SSCALED),
   F(R8G8B8A8_SSCALED),
   F(R16_USCALED),
   F(R16G16_USCALED),
   F(R16G16B16_USCALED),
   F(R16G16B16A16_USCALED),
   F(R16_SSCALED),
   F(R16G16_SSCALED),
   F(R16G16B16_SSCALED),
   F(R16G16B16A16_SSCALED),
   F(R32_UNORM),
   F(R32G32_UNORM),
   F(R32G32B32_UNORM),
   F(R32G32B32A32_UNORM),
   F(R32_SNORM),
   F(R32G32_SNORM),
   F(R32G32B32_SNORM),
   F(R32G32B32A32_SNORM),
   F(R32_USCALED),
   F(R32G32_USCALED),
   F(R32G32B32_USCALED),
   F(R32G32B32A32_USCALED),
   F(R32_SSCALED),
   F(R32G32_SSCALED),
   F(R32G32B32_SSCALED),
   F(R32G32B32A32_SSCALED),
   F(R32_FIXED),
   F(R32G32_FIXED),
   F(R32G32B32_FIXED),
   F(R32G32B32A32_FIXED),
   F(R16G16B16_SINT),
   F(R16G16B16_UINT),
   F(R32_SINT),
   F(R32G32_SINT),
   F(R32G32B32_SINT),
   F(R32G32B32A32_SINT),
   F(R32_UINT),
   F(R32G32_UINT),
   F(R32G32B32_UINT),
   F(R32G32B32A32_UINT),
   F(R11G11B10_FLOAT),
   F(R10G10B10A2_UINT),
   F(R8_UINT),
   F(R8_SINT),
   F(R8G8_UINT),
   F(R8G8_SINT),
   F(R8G8B8A8_UINT),
   F(R8G8B8A8_SINT),
   F(R16_UINT),
   F(R16_SINT),
   F(R16G16_UINT),
   F(R16G16_SINT),
   F(R16G16B16A16_UINT),
   F(R16G16B16A16_SINT),
   F(R9G9B9E5_FLOAT),
   F(R8G8B8_UINT),
   F(R8G8B8_SINT),
   F(R10G10B10A2_SNORM),
   F(R10G10B10A2_USCALED),
   F(R10G10B10A2_SSCALED),
   F(B10G10R10A2_UNORM),
   F(B10G10R10A2_SNORM),
   F(B10G10R10A2_USCALED),
   F(B10G10R10A2_SSCALED),
};
#undef F

enum cf_format
cf_format_from_pipe(enum pipe_format format)
{
   return format < PIPE_FORMAT_COUNT ? cf_format_by_pipe[format] : CF_FORMAT_NONE;
}

/* The format of one or two channels like the first: NONE, if there is no such format in GL. */
static enum pipe_format
cf_red_green_format(const struct util_format_description *d)
{
   enum channel { UNORM, FLOAT, UINT, SINT };
   static const enum pipe_format formats[2][4][3] = {
      { [UNORM] = { PIPE_FORMAT_R8_UNORM, PIPE_FORMAT_R16_UNORM },
        [FLOAT] = { 0, PIPE_FORMAT_R16_FLOAT, PIPE_FORMAT_R32_FLOAT },
        [UINT] = { PIPE_FORMAT_R8_UINT, PIPE_FORMAT_R16_UINT, PIPE_FORMAT_R32_UINT },
        [SINT] = { PIPE_FORMAT_R8_SINT, PIPE_FORMAT_R16_SINT, PIPE_FORMAT_R32_SINT } },
      { [UNORM] = { PIPE_FORMAT_R8G8_UNORM, PIPE_FORMAT_R16G16_UNORM },
        [FLOAT] = { 0, PIPE_FORMAT_R16G16_FLOAT, PIPE_FORMAT_R32G32_FLOAT },
        [UINT] = { PIPE_FORMAT_R8G8_UINT, PIPE_FORMAT_R16G16_UINT, PIPE_FORMAT_R32G32_UINT },
        [SINT] = { PIPE_FORMAT_R8G8_SINT, PIPE_FORMAT_R16G16_SINT, PIPE_FORMAT_R32G32_SINT } },
   };
   const struct util_format_channel_description *first = &d->channel[0];
   const enum channel channel = first->type == UTIL_FORMAT_TYPE_FLOAT    ? FLOAT
                                : !first->pure_integer                   ? UNORM
                                : first->type == UTIL_FORMAT_TYPE_SIGNED ? SINT
                                                                         : UINT;
   if (d->nr_channels > 2 || first->size < 8 || first->size > 32)
      return PIPE_FORMAT_NONE;
   return formats[d->nr_channels - 1][channel][util_logbase2(first->size / 8)];
}

enum cf_format
cf_buffer_format_from_pipe(enum pipe_format format, const uint8_t asked[4], uint8_t swizzle[4])
{
   const struct util_format_description *d = util_format_description(format);
   if (cf_format_from_pipe(format) != CF_FORMAT_NONE) {
      memcpy(swizzle, asked, 4);
      return cf_format_from_pipe(format);
   }
   util_format_compose_swizzles(d->swizzle, asked, swizzle);
   return cf_format_from_pipe(cf_red_green_format(d));
}

/* The uses that these bindings require: bits of enum cf_format_use. */
static uint32_t
cf_uses_of_bind(unsigned bind)
{
   uint32_t uses = 0;
   if (bind & PIPE_BIND_SAMPLER_VIEW)
      uses |= CF_USE_TEXTURE;
   if (bind & (PIPE_BIND_RENDER_TARGET | PIPE_BIND_DISPLAY_TARGET | PIPE_BIND_SCANOUT))
      uses |= CF_USE_COLOR;
   if (bind & PIPE_BIND_BLENDABLE)
      uses |= CF_USE_BLEND;
   if (bind & PIPE_BIND_DEPTH_STENCIL)
      uses |= CF_USE_DEPTH_STENCIL;
   if (bind & PIPE_BIND_VERTEX_BUFFER)
      uses |= CF_USE_VERTEX;
   return uses;
}

static bool
cf_is_index_format(enum pipe_format format)
{
   return format == PIPE_FORMAT_R8_UINT || format == PIPE_FORMAT_R16_UINT ||
          format == PIPE_FORMAT_R32_UINT;
}

/* Images of several samples can be rendered to, cleared, copied, resolved and fetched from, but not
 * filtered or displayed. Stencil-only images are stored with depth, so that blits to and from any
 * other stencil are copies. */
static bool
cf_are_samples_supported(enum pipe_format format, enum pipe_texture_target target, unsigned samples,
                         unsigned storage_samples, unsigned bind)
{
   const unsigned uses = PIPE_BIND_RENDER_TARGET | PIPE_BIND_BLENDABLE | PIPE_BIND_DEPTH_STENCIL |
                         PIPE_BIND_SAMPLER_VIEW;

   if (MAX2(samples, 1) != MAX2(storage_samples, 1))
      return false;
   return samples <= 1 ||
          (samples == CF_SAMPLES && !(bind & ~uses) && format != PIPE_FORMAT_S8_UINT &&
           (target == PIPE_TEXTURE_2D || target == PIPE_TEXTURE_RECT ||
            target == PIPE_TEXTURE_2D_ARRAY));
}

bool
cf_is_format_supported(struct pipe_screen *pscreen, enum pipe_format format,
                       enum pipe_texture_target target, unsigned sample_count,
                       unsigned storage_sample_count, unsigned bind)
{
   const struct cf_format_info *info = cf_format_info_of(cf_format_from_pipe(format));
   const unsigned displayed = PIPE_BIND_DISPLAY_TARGET | PIPE_BIND_SCANOUT | PIPE_BIND_SHARED;
   const unsigned unsupported = PIPE_BIND_SHADER_IMAGE | PIPE_BIND_SHADER_BUFFER |
                                PIPE_BIND_STREAM_OUTPUT | PIPE_BIND_SAMPLER_REDUCTION_MINMAX |
                                PIPE_BIND_COMPUTE_RESOURCE | PIPE_BIND_CURSOR;

   if ((bind & unsupported) ||
       !cf_are_samples_supported(format, target, sample_count, storage_sample_count, bind))
      return false;
   if (format == PIPE_FORMAT_NONE) /* frame buffers without attachments: any supported sample count */
      return bind == PIPE_BIND_RENDER_TARGET;
   if (bind & PIPE_BIND_INDEX_BUFFER)
      return cf_is_index_format(format);
   if (!info->pixel_B)
      return false;
   if (target == PIPE_BUFFER &&
       ((bind & ~(PIPE_BIND_VERTEX_BUFFER | PIPE_BIND_CONSTANT_BUFFER | PIPE_BIND_SAMPLER_VIEW)) ||
        info->compression))
      return false;
   if (bind & displayed) {
      struct sw_winsys *sws = cf_screen(pscreen)->sws;
      if (!sws || !sws->is_displaytarget_format_supported(sws, bind, format))
         return false;
   }
   const uint32_t uses = cf_uses_of_bind(bind), has = info->uses;
   if (target == PIPE_BUFFER) /* what is fetched for vertices is fetched for texels */
      return has & (CF_USE_TEXTURE | CF_USE_VERTEX) && !(uses & ~has & ~CF_USE_TEXTURE);
   const bool drawn = has & (CF_USE_COLOR | CF_USE_DEPTH_STENCIL);
   return (has & uses) == uses && (sample_count <= 1 || drawn);
}
