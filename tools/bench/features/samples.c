/* SPDX-License-Identifier: MIT
 *
 * A textured quad: formats, nearest and linear filters; wrap modes; mipmaps; 1D, 3D, cube and
 * rectangle textures; shadow textures.
 */
#include "features.h"

enum { TEXTURE_PX = 256, FACE_PX = 128, VOLUME_PX = 64, VOLUME_LAYERS = 16 };

static GLenum
target_of(const struct feature *feature)
{
   return feature->image.target ? feature->image.target : GL_TEXTURE_2D;
}

static void
fill_texture(const struct feature *feature, const void *texels)
{
   const GLenum target = target_of(feature), format = feature->image.format,
                type = feature->image.type;
   const GLint internal = (GLint)feature->image.internal;
   switch (target) {
   case GL_TEXTURE_1D:
      glTexImage1D(target, 0, internal, TEXTURE_PX, 0, format, type, texels);
      break;
   case GL_TEXTURE_3D:
      glTexImage3D(target, 0, internal, VOLUME_PX, VOLUME_PX, VOLUME_LAYERS, 0, format, type,
                   texels);
      break;
   case GL_TEXTURE_CUBE_MAP:
      for (GLenum face = 0; face < 6; face++)
         glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, internal, FACE_PX, FACE_PX, 0,
                      format, type, texels);
      break;
   default:
      glTexImage2D(target, 0, internal, TEXTURE_PX, TEXTURE_PX, 0, format, type, texels);
   }
}

const char *
set_texture(const struct feature *feature, const struct scene *scene)
{
   const GLenum target = target_of(feature);
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(target, texture);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   fill_texture(feature, scene->image);
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, (GLint)feature->filter.min);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, (GLint)feature->filter.mag);
   glEnable(target);
   return NULL;
}

static const char *
set_mipmapped(const struct feature *feature, const struct scene *scene)
{
   set_texture(feature, scene);
   glGenerateMipmap(target_of(feature));
   return NULL;
}

/* Anisotropic filter of at most `size` probes; the texture is minified four times as much in y as
 * in x. */
static const char *
set_anisotropic(const struct feature *feature, const struct scene *scene)
{
   set_mipmapped(feature, scene);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, feature->size);
   glMatrixMode(GL_TEXTURE);
   glScalef(0.25f, 1.0f, 1.0f);
   return NULL;
}

static const char *
set_wrapped(const struct feature *feature, const struct scene *scene)
{
   set_texture(feature, scene);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, (GLint)feature->mode);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, (GLint)feature->mode);
   return NULL;
}

/* Width and height are a few texels less than a power of two. */
static const char *
set_odd_size(const struct feature *feature, const struct scene *scene)
{
   set_texture(feature, scene);
   glTexImage2D(GL_TEXTURE_2D, 0, (GLint)feature->image.internal, TEXTURE_PX - 1, TEXTURE_PX - 3, 0,
                feature->image.format, feature->image.type, scene->image);
   return NULL;
}

static const char *
set_shadow(const struct feature *feature, const struct scene *scene)
{
   set_texture(feature, scene);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_R_TO_TEXTURE);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
   return NULL;
}

#define SAMPLE(name_, needs_, internal_, format_, type_)                                                                            \
   { .name = "sample: " name_ ", nearest", .needs = needs_, .set_up = set_texture,                                                   \
     .image = { .internal = internal_, .format = format_, .type = type_ }, .filter = { GL_NEAREST, GL_NEAREST } },                  \
   { .name = "sample: " name_ ", linear", .needs = needs_, .set_up = set_texture,                                                    \
     .image = { .internal = internal_, .format = format_, .type = type_ }, .filter = { GL_LINEAR, GL_LINEAR } }

/* A case with an RGBA8 texture; `target_` 0: two-dimensional. */
#define TEXTURE(name_, target_, set_up_, min_, ...)                                                                                 \
   { .name = name_, .set_up = set_up_, .image = { target_, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE }, .filter = { min_, GL_LINEAR },    \
     __VA_ARGS__ }

#define S3TC "GL_EXT_texture_compression_s3tc"

static const struct feature samples[] = {
   SAMPLE("RGBA8", NULL, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE),
   SAMPLE("RGB565", "GL_ARB_ES2_compatibility", GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5),
   SAMPLE("RGBA4", NULL, GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4),
   SAMPLE("A8", NULL, GL_ALPHA8, GL_ALPHA, GL_UNSIGNED_BYTE),
   SAMPLE("L8", NULL, GL_LUMINANCE8, GL_LUMINANCE, GL_UNSIGNED_BYTE),
   SAMPLE("LA8", NULL, GL_LUMINANCE8_ALPHA8, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE),
   SAMPLE("RGB10A2", NULL, GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV),
   SAMPLE("RGBA16", NULL, GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT),
   SAMPLE("sRGB8", "GL_EXT_texture_sRGB", GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE),
   SAMPLE("RGBA8 signed", "GL_EXT_texture_snorm", GL_RGBA8_SNORM, GL_RGBA, GL_BYTE),
   SAMPLE("RGBA16F", "GL_ARB_texture_float", GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT),
   SAMPLE("RGBA32F", "GL_ARB_texture_float", GL_RGBA32F, GL_RGBA, GL_FLOAT),
   SAMPLE("R32F", "GL_ARB_texture_rg", GL_R32F, GL_RED, GL_FLOAT),
   SAMPLE("depth of 24 bits", NULL, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT),
   SAMPLE("DXT1", S3TC, GL_COMPRESSED_RGB_S3TC_DXT1_EXT, GL_RGB, GL_UNSIGNED_BYTE),
   SAMPLE("DXT5", S3TC, GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, GL_RGBA, GL_UNSIGNED_BYTE),
   SAMPLE("RGTC2", "GL_ARB_texture_compression_rgtc", GL_COMPRESSED_RG_RGTC2, GL_RG,
          GL_UNSIGNED_BYTE),

   TEXTURE("wrap: repeated", 0, set_wrapped, GL_LINEAR, .mode = GL_REPEAT, .times = 3),
   TEXTURE("wrap: edge", 0, set_wrapped, GL_LINEAR, .mode = GL_CLAMP_TO_EDGE, .times = 3),
   TEXTURE("wrap: mirrored", 0, set_wrapped, GL_LINEAR, .mode = GL_MIRRORED_REPEAT, .times = 3),
   TEXTURE("wrap: border", 0, set_wrapped, GL_LINEAR, .mode = GL_CLAMP_TO_BORDER, .times = 3),
   TEXTURE("wrap: half of the border", 0, set_wrapped, GL_LINEAR, .mode = GL_CLAMP, .times = 3),
   TEXTURE("wrap: repeated, an odd size", 0, set_odd_size, GL_LINEAR, .times = 3),

   TEXTURE("mipmaps: nearest of the nearest", 0, set_mipmapped, GL_NEAREST_MIPMAP_NEAREST,
           .times = 7),
   TEXTURE("mipmaps: linear of the nearest", 0, set_mipmapped, GL_LINEAR_MIPMAP_NEAREST,
           .times = 7),
   TEXTURE("mipmaps: nearest of two", 0, set_mipmapped, GL_NEAREST_MIPMAP_LINEAR, .times = 7),
   TEXTURE("mipmaps: linear of two", 0, set_mipmapped, GL_LINEAR_MIPMAP_LINEAR, .times = 7),
   TEXTURE("mipmaps: anisotropic, 8", 0, set_anisotropic, GL_LINEAR_MIPMAP_LINEAR, .times = 7,
           .size = 8, .needs = "GL_EXT_texture_filter_anisotropic"),

   TEXTURE("textures: 1D", GL_TEXTURE_1D, set_texture, GL_LINEAR),
   TEXTURE("textures: 3D", GL_TEXTURE_3D, set_texture, GL_LINEAR),
   TEXTURE("textures: rectangle", GL_TEXTURE_RECTANGLE, set_texture, GL_LINEAR, .times = TEXTURE_PX,
           .needs = "GL_ARB_texture_rectangle"),
   TEXTURE("textures: cube", GL_TEXTURE_CUBE_MAP, set_texture, GL_LINEAR),
   TEXTURE("textures: cube, linear of two mipmaps", GL_TEXTURE_CUBE_MAP, set_mipmapped, GL_LINEAR_MIPMAP_LINEAR),
   { .name = "textures: shadow", .set_up = set_shadow, .filter = { GL_LINEAR, GL_LINEAR },
     .image = { .internal = GL_DEPTH_COMPONENT24, .format = GL_DEPTH_COMPONENT, .type = GL_UNSIGNED_INT } },
};

const struct feature_list features_of_samples = FEATURE_LIST(samples);
