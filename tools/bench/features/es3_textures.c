/* SPDX-License-Identifier: MIT
 *
 * A textured quad in OpenGL ES 3.0: every format that OpenGL ES 2.0 does not have.
 */
#include "es3.h"

#define SAMPLE(name_, sampler_, filter_, ...)                                                      \
   {                                                                                               \
      .name = "ES3 texture: " name_, .set_up = set_es3_texture, .draw = draw_es3_quad,             \
      .fragment = ES3_HEAD "uniform highp " sampler_ "2D image; out vec4 colour;\n"                \
                           "void main() { colour = vec4(texture(image, at.xy)); }",                \
      .filter = { filter_, filter_ }, __VA_ARGS__                                                  \
   }

#define IMAGE(...) .image = { 0, __VA_ARGS__ }

/* A format that can be filtered. */
#define FILTERED(name_, ...)                                                                       \
   SAMPLE(name_ ", nearest", "sampler", GL_NEAREST, IMAGE(__VA_ARGS__)),                           \
      SAMPLE(name_ ", linear", "sampler", GL_LINEAR, IMAGE(__VA_ARGS__))

/* The same of 32 bits a component, which an extension filters. */
#define FILTERED_32(name_, ...)                                                                    \
   SAMPLE(name_ ", nearest", "sampler", GL_NEAREST, IMAGE(__VA_ARGS__)),                           \
      SAMPLE(name_ ", linear", "sampler", GL_LINEAR, IMAGE(__VA_ARGS__),                           \
             .needs = "GL_OES_texture_float_linear")

/* Integers of one number of components: six types. */
#define INTEGERS(name_, format_)                                                                   \
   SAMPLE(#name_ "8I", "isampler", GL_NEAREST, IMAGE(GL_##name_##8I, format_, GL_BYTE)),           \
      SAMPLE(#name_ "8UI", "usampler", GL_NEAREST,                                                 \
             IMAGE(GL_##name_##8UI, format_, GL_UNSIGNED_BYTE)),                                   \
      SAMPLE(#name_ "16I", "isampler", GL_NEAREST, IMAGE(GL_##name_##16I, format_, GL_SHORT)),     \
      SAMPLE(#name_ "16UI", "usampler", GL_NEAREST,                                                \
             IMAGE(GL_##name_##16UI, format_, GL_UNSIGNED_SHORT)),                                 \
      SAMPLE(#name_ "32I", "isampler", GL_NEAREST, IMAGE(GL_##name_##32I, format_, GL_INT)),       \
      SAMPLE(#name_ "32UI", "usampler", GL_NEAREST,                                                \
             IMAGE(GL_##name_##32UI, format_, GL_UNSIGNED_INT))

/* Numbers of one number of components: signed bytes, halves and floats. */
#define NUMBERS(name_, format_)                                                                    \
   FILTERED(#name_ "8 signed", GL_##name_##8_SNORM, format_, GL_BYTE),                             \
      FILTERED(#name_ "16F", GL_##name_##16F, format_, GL_HALF_FLOAT),                             \
      FILTERED_32(#name_ "32F", GL_##name_##32F, format_, GL_FLOAT)

#define COMPRESSED(name_, internal_, block_B_)                                                     \
   SAMPLE(name_ ", nearest", "sampler", GL_NEAREST, IMAGE(internal_), .size = block_B_),           \
      SAMPLE(name_ ", linear", "sampler", GL_LINEAR, IMAGE(internal_), .size = block_B_)

static const struct feature textures[] = {
   FILTERED("R8", GL_R8, GL_RED, GL_UNSIGNED_BYTE),
   FILTERED("RG8", GL_RG8, GL_RG, GL_UNSIGNED_BYTE),
   FILTERED("sRGB8", GL_SRGB8, GL_RGB, GL_UNSIGNED_BYTE),
   FILTERED("sRGB8 with alpha", GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE),
   FILTERED("RGB10A2", GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV),
   FILTERED("R11F G11F B10F", GL_R11F_G11F_B10F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV),
   FILTERED("RGB9 E5", GL_RGB9_E5, GL_RGB, GL_UNSIGNED_INT_5_9_9_9_REV),
   NUMBERS(R, GL_RED),
   NUMBERS(RG, GL_RG),
   NUMBERS(RGB, GL_RGB),
   NUMBERS(RGBA, GL_RGBA),

   SAMPLE("depth of 16 bits", "sampler", GL_NEAREST,
          IMAGE(GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT)),
   SAMPLE("depth of 32F", "sampler", GL_NEAREST,
          IMAGE(GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT)),
   SAMPLE("depth of 24 bits, stencil", "sampler", GL_NEAREST,
          IMAGE(GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8)),
   SAMPLE("depth of 32F, stencil", "sampler", GL_NEAREST,
          IMAGE(GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL, GL_FLOAT_32_UNSIGNED_INT_24_8_REV)),

   INTEGERS(R, GL_RED_INTEGER),
   INTEGERS(RG, GL_RG_INTEGER),
   INTEGERS(RGB, GL_RGB_INTEGER),
   INTEGERS(RGBA, GL_RGBA_INTEGER),
   SAMPLE("RGB10A2UI", "usampler", GL_NEAREST,
          IMAGE(GL_RGB10_A2UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV)),

   COMPRESSED("ETC2 RGB", GL_COMPRESSED_RGB8_ETC2, 8),
   COMPRESSED("ETC2 sRGB", GL_COMPRESSED_SRGB8_ETC2, 8),
   COMPRESSED("ETC2 RGB with a bit of alpha", GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2, 8),
   COMPRESSED("ETC2 sRGB with a bit of alpha", GL_COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2, 8),
   COMPRESSED("ETC2 RGBA", GL_COMPRESSED_RGBA8_ETC2_EAC, 16),
   COMPRESSED("ETC2 sRGB with alpha", GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC, 16),
   COMPRESSED("EAC R", GL_COMPRESSED_R11_EAC, 8),
   COMPRESSED("EAC RG", GL_COMPRESSED_RG11_EAC, 16),
   COMPRESSED("EAC R signed", GL_COMPRESSED_SIGNED_R11_EAC, 8),
   COMPRESSED("EAC RG signed", GL_COMPRESSED_SIGNED_RG11_EAC, 16),
};

const struct feature_list features_of_es3_textures = ES3_LIST(textures);
