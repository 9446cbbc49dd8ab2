/* SPDX-License-Identifier: MIT
 *
 * Pixel transfers: between the application's memory and textures or render targets, in many
 * formats, and between these; and mipmap generation. All are FEATURE_PX x FEATURE_PX.
 */
#include "features.h"

static void
fill_2d(const struct feature *feature, const void *texels)
{
   glTexImage2D(GL_TEXTURE_2D, 0, (GLint)feature->image.internal, FEATURE_PX, FEATURE_PX, 0,
                feature->image.format, feature->image.type, texels);
}

/* Create a texture that is not enabled, so that quads do not sample it. */
static const char *
set_storage(const struct feature *feature, const struct scene *scene)
{
   GLuint texture;
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   fill_2d(feature, scene->image);
   return NULL;
}

static void
draw_image(const struct feature *feature, const struct scene *scene)
{
   fill_2d(feature, scene->image);
}

static void
draw_sub_image(const struct feature *feature, const struct scene *scene)
{
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, FEATURE_PX, FEATURE_PX, feature->image.format,
                   feature->image.type, scene->image);
}

static void
draw_sub_image_and_quad(const struct feature *feature, const struct scene *scene)
{
   draw_sub_image(feature, scene);
   draw_quad(feature, scene);
}

static const char *
set_sampled_storage(const struct feature *feature, const struct scene *scene)
{
   glEnable(GL_TEXTURE_2D);
   return set_storage(feature, scene);
}

static const char *
set_packing(const struct feature *feature, const struct scene *scene)
{
   (void)feature, (void)scene;
   glPixelStorei(GL_PACK_ALIGNMENT, 1);
   return NULL;
}

/* Read after drawing a quad, so that the pixels were not read before. */
static void
draw_read(const struct feature *feature, const struct scene *scene)
{
   static float pixels[FEATURE_PX * FEATURE_PX][4];
   draw_quad(feature, scene);
   glReadPixels(0, 0, FEATURE_PX, FEATURE_PX, feature->image.format, feature->image.type, pixels);
}

static const char *
set_raster_place(const struct feature *feature, const struct scene *scene)
{
   (void)feature, (void)scene;
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   glRasterPos2f(-1.0f, -1.0f);
   return NULL;
}

static void
draw_pixels(const struct feature *feature, const struct scene *scene)
{
   glDrawPixels(FEATURE_PX, FEATURE_PX, feature->image.format, feature->image.type, scene->image);
}

/* Draw the source of copies: a quad, also in the depth buffer. */
static const char *
set_source(const struct feature *feature, const struct scene *scene)
{
   glEnable(GL_DEPTH_TEST);
   draw_quad(feature, scene);
   glDisable(GL_DEPTH_TEST);
   return set_raster_place(feature, scene);
}

static const char *
set_source_and_storage(const struct feature *feature, const struct scene *scene)
{
   set_source(feature, scene);
   return set_storage(feature, scene);
}

static void
draw_copy_pixels(const struct feature *feature, const struct scene *scene)
{
   (void)feature, (void)scene;
   glCopyPixels(0, 0, FEATURE_PX / 2, FEATURE_PX, GL_COLOR);
}

static void
draw_copy_to_texture(const struct feature *feature, const struct scene *scene)
{
   (void)feature, (void)scene;
   glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, FEATURE_PX, FEATURE_PX);
}

/* Blit buffers `bits` to a square of `size` pixels of the other frame buffer, with filter
 * `mode`. */
static void
blit(const struct feature *feature, const struct scene *scene, GLbitfield bits)
{
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, scene->other);
   glBlitFramebuffer(0, 0, FEATURE_PX, FEATURE_PX, 0, 0, feature->size, feature->size, bits,
                     feature->mode);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, scene->target);
}

static void
draw_blit(const struct feature *feature, const struct scene *scene)
{
   blit(feature, scene, GL_COLOR_BUFFER_BIT);
}

static void
draw_depth_blit(const struct feature *feature, const struct scene *scene)
{
   blit(feature, scene, GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

/* Mipmaps of a texture of FEATURE_PX - size pixels, an odd number if `size` is not 0. */
static const char *
set_mipmaps(const struct feature *feature, const struct scene *scene)
{
   set_storage(feature, scene);
   if (feature->size)
      glTexImage2D(GL_TEXTURE_2D, 0, (GLint)feature->image.internal, FEATURE_PX - feature->size,
                   FEATURE_PX - feature->size, 0, feature->image.format, feature->image.type,
                   scene->image);
   return NULL;
}

static void
draw_mipmaps(const struct feature *feature, const struct scene *scene)
{
   (void)feature, (void)scene;
   glGenerateMipmap(GL_TEXTURE_2D);
}

#define MOVE(name_, needs_, set_up_, draw_, internal_, format_, type_, ...)                                                         \
   { .name = name_, .needs = needs_, .set_up = set_up_, .draw = draw_,                                                              \
     .image = { .internal = internal_, .format = format_, .type = type_ }, __VA_ARGS__ }

#define UPLOADS(name_, needs_, ...)                                                                                                 \
   MOVE("glTexImage2D: " name_, needs_, set_storage, draw_image, __VA_ARGS__, ),                                                    \
   MOVE("glTexSubImage2D: " name_, needs_, set_storage, draw_sub_image, __VA_ARGS__, )

#define READ(name_, ...) MOVE("glReadPixels: " name_, NULL, set_packing, draw_read, 0, __VA_ARGS__, )
#define DRAW(name_, ...) MOVE("glDrawPixels: " name_, NULL, set_raster_place, draw_pixels, 0, __VA_ARGS__, )
#define COPY(name_, needs_, ...) MOVE("copies: to " name_, needs_, set_source_and_storage, draw_copy_to_texture, __VA_ARGS__, )
#define MIPMAPS(name_, needs_, internal_, ...)                                                                                      \
   MOVE("glGenerateMipmap: " name_, needs_, set_mipmaps, draw_mipmaps, internal_, GL_RGBA, GL_UNSIGNED_BYTE, __VA_ARGS__)

#define ES2 "GL_ARB_ES2_compatibility"
#define FLOATS "GL_ARB_texture_float"
#define S3TC "GL_EXT_texture_compression_s3tc"

static const struct feature transfers[] = {
   UPLOADS("RGBA8", NULL, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE),
   UPLOADS("BGRA8 to RGBA8", NULL, GL_RGBA8, GL_BGRA, GL_UNSIGNED_BYTE),
   UPLOADS("RGB8", NULL, GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE),
   UPLOADS("L8", NULL, GL_LUMINANCE8, GL_LUMINANCE, GL_UNSIGNED_BYTE),
   UPLOADS("A8", NULL, GL_ALPHA8, GL_ALPHA, GL_UNSIGNED_BYTE),
   UPLOADS("RGB565", ES2, GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5),
   UPLOADS("RGBA4", NULL, GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4),
   UPLOADS("floats to RGBA8", NULL, GL_RGBA8, GL_RGBA, GL_FLOAT),
   UPLOADS("RGBA32F", FLOATS, GL_RGBA32F, GL_RGBA, GL_FLOAT),
   UPLOADS("RGBA16F", FLOATS, GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT),
   UPLOADS("RGB8 to DXT1", S3TC, GL_COMPRESSED_RGB_S3TC_DXT1_EXT, GL_RGB, GL_UNSIGNED_BYTE),
   UPLOADS("depth", NULL, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT),
   UPLOADS("floats to depth", NULL, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_FLOAT),
   MOVE("glTexSubImage2D: RGBA8, then a quad", NULL, set_sampled_storage, draw_sub_image_and_quad,
        GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, ),

   READ("RGBA8", GL_RGBA, GL_UNSIGNED_BYTE),
   READ("BGRA8", GL_BGRA, GL_UNSIGNED_BYTE),
   READ("RGB8", GL_RGB, GL_UNSIGNED_BYTE),
   READ("L8", GL_LUMINANCE, GL_UNSIGNED_BYTE),
   READ("A8", GL_ALPHA, GL_UNSIGNED_BYTE),
   READ("RGB565", GL_RGB, GL_UNSIGNED_SHORT_5_6_5),
   READ("RGBA4", GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4),
   READ("floats", GL_RGBA, GL_FLOAT),
   READ("half floats", GL_RGBA, GL_HALF_FLOAT),
   READ("depth", GL_DEPTH_COMPONENT, GL_UNSIGNED_INT),
   READ("depth as floats", GL_DEPTH_COMPONENT, GL_FLOAT),
   READ("stencil", GL_STENCIL_INDEX, GL_UNSIGNED_BYTE),

   DRAW("RGBA8", GL_RGBA, GL_UNSIGNED_BYTE),
   DRAW("BGRA8", GL_BGRA, GL_UNSIGNED_BYTE),
   DRAW("RGB8", GL_RGB, GL_UNSIGNED_BYTE),
   DRAW("floats", GL_RGBA, GL_FLOAT),
   DRAW("depth", GL_DEPTH_COMPONENT, GL_UNSIGNED_INT),

   COPY("RGBA8", NULL, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE),
   COPY("L8", NULL, GL_LUMINANCE8, GL_LUMINANCE, GL_UNSIGNED_BYTE),
   COPY("RGB565", ES2, GL_RGB565, GL_RGB, GL_UNSIGNED_BYTE),
   { .name = "copies: glCopyPixels", .set_up = set_source, .draw = draw_copy_pixels },
   { .name = "copies: blit", .set_up = set_source, .draw = draw_blit, .mode = GL_NEAREST, .size = FEATURE_PX },
   { .name = "copies: blit, smaller and linear", .set_up = set_source, .draw = draw_blit, .mode = GL_LINEAR, .size = 300 },
   { .name = "copies: blit of depth and stencil", .set_up = set_source, .draw = draw_depth_blit, .mode = GL_NEAREST, .size = FEATURE_PX },

   MIPMAPS("RGBA8", NULL, GL_RGBA8, ),
   MIPMAPS("RGBA8 of an odd size", NULL, GL_RGBA8, .size = 3),
   MIPMAPS("RGB565", ES2, GL_RGB565, ),
   MIPMAPS("L8", NULL, GL_LUMINANCE8, ),
   MIPMAPS("sRGB8", "GL_EXT_texture_sRGB", GL_SRGB8_ALPHA8, ),
   MIPMAPS("RGBA16F", FLOATS, GL_RGBA16F, ),
};

const struct feature_list features_of_transfers = FEATURE_LIST(transfers);
