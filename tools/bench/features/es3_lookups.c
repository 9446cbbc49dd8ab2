/* SPDX-License-Identifier: MIT
 *
 * How a texture is looked up in OpenGL ES 3.0: a texel, offsets, gradients, projections, levels,
 * layers, comparisons.
 */
#include "es3.h"

/* A texture with all levels; `mode` is the largest of them that is used, if it is not 0. */
static const char *
set_mipmapped(const struct feature *feature, const struct scene *scene)
{
   const GLenum target = feature->image.target ? feature->image.target : GL_TEXTURE_2D;
   set_es3_texture(feature, scene);
   glGenerateMipmap(target);
   if (feature->mode)
      glTexParameteri(target, GL_TEXTURE_MAX_LEVEL, (GLint)feature->mode);
   return NULL;
}

static const char *
set_swizzled(const struct feature *feature, const struct scene *scene)
{
   set_es3_texture(feature, scene);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_R, GL_BLUE);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_B, GL_RED);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_A, GL_ONE);
   return NULL;
}

static const char *
set_compared(const struct feature *feature, const struct scene *scene)
{
   const GLenum target = feature->image.target ? feature->image.target : GL_TEXTURE_2D;
   set_es3_texture(feature, scene);
   glTexParameteri(target, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
   glTexParameteri(target, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
   return NULL;
}

/* A sampler object in the place of the texture's own filter. */
static const char *
set_sampler(const struct feature *feature, const struct scene *scene)
{
   GLuint sampler;
   set_mipmapped(feature, scene);
   glGenSamplers(1, &sampler);
   glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
   glSamplerParameteri(sampler, GL_TEXTURE_WRAP_S, GL_MIRRORED_REPEAT);
   glSamplerParameterf(sampler, GL_TEXTURE_MAX_LOD, 2.5f);
   glBindSampler(0, sampler);
   return NULL;
}

#define LOOKUP(name_, sampler_, text_, set_up_, ...)                                               \
   {                                                                                               \
      .name = name_, .set_up = set_up_, .draw = draw_es3_quad,                                     \
      .fragment = ES3_HEAD "uniform highp " sampler_ " image; out vec4 colour;\n"                  \
                           "void main() { " text_ " }",                                            \
      __VA_ARGS__                                                                                  \
   }
#define RGBA8(target_) .image = { target_, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE }
#define LINEAR .filter = { GL_LINEAR, GL_LINEAR }
#define TRILINEAR .filter = { GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR }

#define FLAT(name_, text_, set_up_)                                                                \
   LOOKUP("ES3 lookup: " name_, "sampler2D", text_, set_up_, RGBA8(0), LINEAR)
#define MIPMAPPED(name_, text_, set_up_, ...)                                                      \
   LOOKUP("ES3 lookup: " name_, "sampler2D", text_, set_up_, RGBA8(0), TRILINEAR, .times = 7,      \
          __VA_ARGS__)
#define LAYERED(name_, sampler_, target_, text_, ...)                                              \
   LOOKUP("ES3 layers: " name_, sampler_, text_, set_mipmapped, RGBA8(target_), TRILINEAR,         \
          __VA_ARGS__)
#define COMPARED(name_, sampler_, target_, filter_, text_)                                         \
   LOOKUP("ES3 shadow: " name_, sampler_, text_, set_compared,                                     \
          .image = { target_, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT },         \
          .filter = { filter_, filter_ })

#define SHADOW(name_, sampler_, target_, text_)                                                    \
   COMPARED(name_ ", nearest", sampler_, target_, GL_NEAREST, text_),                              \
      COMPARED(name_ ", linear", sampler_, target_, GL_LINEAR, text_)

#define ARRAY "sampler2DArray"

static const struct feature lookups[] = {
   FLAT("texelFetch", "colour = texelFetch(image, ivec2(at.xy * 255.0), 0);", set_es3_texture),
   FLAT("9 times texelFetch",
        "ivec2 p = ivec2(at.xy * 253.0) + 1; colour = vec4(0);\n"
        "for (int i = 0; i < 9; i++)\n"
        "   colour += texelFetch(image, p + ivec2(i % 3, i / 3) - 1, 0);",
        set_es3_texture),
   FLAT("textureOffset", "colour = textureOffset(image, at.xy, ivec2(3, -2));", set_es3_texture),
   FLAT(
      "9 times textureOffset",
      "colour = textureOffset(image, at.xy, ivec2(-1, -1)) + texture(image, at.xy)\n"
      "   + textureOffset(image, at.xy, ivec2(0, -1)) + textureOffset(image, at.xy, ivec2(1, -1))\n"
      "   + textureOffset(image, at.xy, ivec2(-1, 0)) + textureOffset(image, at.xy, ivec2(1, 0))\n"
      "   + textureOffset(image, at.xy, ivec2(-1, 1)) + textureOffset(image, at.xy, ivec2(0, 1))\n"
      "   + textureOffset(image, at.xy, ivec2(1, 1));",
      set_es3_texture),
   FLAT("textureProj", "colour = textureProj(image, vec3(at.xy, 1.0 + at.x));", set_es3_texture),
   FLAT("textureSize", "colour = texture(image, at.xy + 0.5 / vec2(textureSize(image, 0)));",
        set_es3_texture),
   FLAT("swizzle", "colour = texture(image, at.xy);", set_swizzled),
   MIPMAPPED("textureGrad",
             "colour = textureGrad(image, at.xy, vec2(at.y * 0.01, 0), vec2(0, at.x * 0.01));",
             set_mipmapped, ),
   MIPMAPPED("textureGradOffset",
             "colour = textureGradOffset(image, at.xy, vec2(0.01, 0), vec2(0, 0.02), ivec2(2));",
             set_mipmapped, ),
   MIPMAPPED("textureLod", "colour = textureLod(image, at.xy, at.x * 0.7);", set_mipmapped, ),
   MIPMAPPED("textureLodOffset", "colour = textureLodOffset(image, at.xy, at.y * 0.7, ivec2(-1));",
             set_mipmapped, ),
   MIPMAPPED("texelFetch of a level", "colour = texelFetch(image, ivec2(at.xy * 9.0), 2);",
             set_mipmapped, ),
   MIPMAPPED("largest level 2", "colour = texture(image, at.xy);", set_mipmapped, .mode = 2),
   MIPMAPPED("sampler object", "colour = texture(image, at.xy);", set_sampler, ),

   LAYERED("2D array", ARRAY, GL_TEXTURE_2D_ARRAY, "colour = texture(image, vec3(at.xy, 3.0));", ),
   LAYERED("2D array, each quad another", ARRAY, GL_TEXTURE_2D_ARRAY,
           "colour = texture(image, vec3(at.xy, at.x * 8.0));", ),
   LAYERED("2D array, minified", ARRAY, GL_TEXTURE_2D_ARRAY,
           "colour = texture(image, vec3(at.xy, 3.0));", .times = 7),
   LAYERED("texelFetch of a 2D array", ARRAY, GL_TEXTURE_2D_ARRAY,
           "colour = texelFetch(image, ivec3(at.xy * 255.0, 3), 0);", ),
   LAYERED("3D", "sampler3D", GL_TEXTURE_3D, "colour = texture(image, vec3(at.xy, 0.3));", ),
   LAYERED("3D, minified", "sampler3D", GL_TEXTURE_3D,
           "colour = texture(image, vec3(at.xy, at.x));", .times = 7),
   LAYERED("texelFetch of 3D", "sampler3D", GL_TEXTURE_3D,
           "colour = texelFetch(image, ivec3(at.xy * 255.0, 3), 0);", ),
   LAYERED("cube", "samplerCube", GL_TEXTURE_CUBE_MAP, "colour = texture(image, at - 0.5);", ),
   LAYERED("cube, textureLod", "samplerCube", GL_TEXTURE_CUBE_MAP,
           "colour = textureLod(image, at - 0.5, at.x * 3.0);", ),
   LOOKUP("ES3 layers: RGBA8UI, 2D array", "usampler2DArray",
          "colour = vec4(texture(image, vec3(at.xy, 3.0)));", set_es3_texture,
          .image = { GL_TEXTURE_2D_ARRAY, GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE }),
   LOOKUP("ES3 layers: ETC2 RGB, 2D array", ARRAY, "colour = texture(image, vec3(at.xy, 3.0));",
          set_es3_texture, .image = { GL_TEXTURE_2D_ARRAY, GL_COMPRESSED_RGB8_ETC2 }, .size = 8,
          LINEAR),

   SHADOW("2D", "sampler2DShadow", 0, "colour = vec4(texture(image, at));"),
   SHADOW("2D, textureProj", "sampler2DShadow", 0,
          "colour = vec4(textureProj(image, vec4(at, 1.0 + at.x)));"),
   SHADOW("2D array", "sampler2DArrayShadow", GL_TEXTURE_2D_ARRAY,
          "colour = vec4(texture(image, vec4(at.xy, 3.0, at.z)));"),
   SHADOW("cube", "samplerCubeShadow", GL_TEXTURE_CUBE_MAP,
          "colour = vec4(texture(image, vec4(at - 0.5, 0.4)));"),
   COMPARED("9 times 2D", "sampler2DShadow", 0, GL_LINEAR,
            "colour = vec4(0); for (int i = 0; i < 9; i++)\n"
            "   colour += texture(image, at + vec3(i % 3 - 1, i / 3 - 1, 0) * 0.004);"),
};

const struct feature_list features_of_es3_lookups = ES3_LIST(lookups);
