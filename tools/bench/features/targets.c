/* SPDX-License-Identifier: MIT
 *
 * Render targets of every format: a quad over all pixels, opaque and blended, a clear, and small
 * triangles; and targets of four samples.
 */
#include "features.h"

enum { SAMPLES = 4 };

const char *
check_complete(void)
{
   return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE
             ? NULL
             : "its frame buffer is not complete";
}

void
blend_by_alpha(void)
{
   glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
}

/* Make a texture of `image` the colour buffer; with a `size`, also set up primitives of that
 * size. */
static const char *
set_target(const struct feature *feature, const struct scene *scene)
{
   GLuint texture;
   if (feature->size)
      set_primitives(feature, scene);
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, (GLint)feature->image.internal, FEATURE_PX, FEATURE_PX, 0,
                GL_RGBA, GL_FLOAT, NULL);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   blend_by_alpha();
   return check_complete();
}

static void
attach_samples(GLenum attachment, GLenum format)
{
   GLuint buffer;
   glGenRenderbuffers(1, &buffer);
   glBindRenderbuffer(GL_RENDERBUFFER, buffer);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, SAMPLES, format, FEATURE_PX, FEATURE_PX);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer);
}

/* Make a target with four samples; with a `size`, also set up primitives of that size. */
const char *
set_four_samples(const struct feature *feature, const struct scene *scene)
{
   GLint most = 0;
   glGetIntegerv(GL_MAX_SAMPLES, &most);
   if (most < SAMPLES)
      return "no four samples";
   attach_samples(GL_COLOR_ATTACHMENT0, GL_RGBA8);
   attach_samples(GL_DEPTH_STENCIL_ATTACHMENT, GL_DEPTH24_STENCIL8);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   glDepthFunc(GL_LEQUAL);
   blend_by_alpha();
   if (feature->size)
      set_primitives(feature, scene);
   return check_complete();
}

/* Set up a target in which the samples of many pixels differ. */
static const char *
set_resolved(const struct feature *feature, const struct scene *scene)
{
   const char *missing = set_four_samples(feature, scene);
   if (!missing)
      draw_primitives(feature, scene);
   return missing;
}

static void
draw_resolve(const struct feature *feature, const struct scene *scene)
{
   (void)feature;
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, scene->other);
   glBlitFramebuffer(0, 0, FEATURE_PX, FEATURE_PX, 0, 0, FEATURE_PX, FEATURE_PX,
                     GL_COLOR_BUFFER_BIT, GL_NEAREST);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, scene->target);
}

static void
draw_cleared_resolve(const struct feature *feature, const struct scene *scene)
{
   draw_clear_and_triangle(feature, scene);
   draw_resolve(feature, scene);
}

#define TARGET_OF(name_, internal_, needs_, enable_)                                                                                \
   { .name = "target: " name_ ", quad", .needs = needs_, .enable = { enable_ }, .set_up = set_target, .image = { .internal = internal_ } }, \
   { .name = "target: " name_ ", blended", .needs = needs_, .enable = { GL_BLEND, enable_ }, .set_up = set_target,                  \
     .image = { .internal = internal_ } },                                                                                          \
   { .name = "clear: " name_, .needs = needs_, .enable = { enable_ }, .set_up = set_target, .draw = draw_clear,                     \
     .mode = GL_COLOR_BUFFER_BIT, .image = { .internal = internal_ } },                                                             \
   { .name = "target: " name_ ", triangles of 4 px", .needs = needs_, .enable = { enable_ }, .set_up = set_target,                  \
     .draw = draw_primitives, .mode = GL_TRIANGLES, .size = 4, .image = { .internal = internal_ } }
#define TARGET(name_, internal_, needs_) TARGET_OF(name_, internal_, needs_, 0)

#define SAMPLED(name_, ...)                                                                        \
   {                                                                                               \
      .name = "four samples: " name_, .set_up = set_four_samples, __VA_ARGS__                      \
   }

static const struct feature targets[] = {
   TARGET_OF("sRGB8", GL_SRGB8_ALPHA8, "GL_ARB_framebuffer_sRGB", GL_FRAMEBUFFER_SRGB),
   TARGET("RGB565", GL_RGB565, "GL_ARB_ES2_compatibility"),
   TARGET("RGBA4", GL_RGBA4, NULL),
   TARGET("RGB5A1", GL_RGB5_A1, NULL),
   TARGET("RGB10A2", GL_RGB10_A2, NULL),
   TARGET("RGBA16", GL_RGBA16, NULL),
   TARGET("RGBA16F", GL_RGBA16F, "GL_ARB_texture_float"),
   TARGET("RGBA32F", GL_RGBA32F, "GL_ARB_texture_float"),
   TARGET("R8", GL_R8, "GL_ARB_texture_rg"),
   TARGET("RG8", GL_RG8, "GL_ARB_texture_rg"),
   TARGET("R16F", GL_R16F, "GL_ARB_texture_rg"),
   TARGET("R32F", GL_R32F, "GL_ARB_texture_rg"),
   TARGET("A8", GL_ALPHA8, "GL_ARB_framebuffer_object"),

   SAMPLED("quad", ),
   SAMPLED("blended quad", .enable = { GL_BLEND }),
   SAMPLED("alpha to coverage", .enable = { GL_SAMPLE_ALPHA_TO_COVERAGE }),
   SAMPLED("triangles of 4 px", .draw = draw_primitives, .mode = GL_TRIANGLES, .size = 4),
   SAMPLED("triangles of 30 px", .draw = draw_primitives, .mode = GL_TRIANGLES, .size = 30),
   SAMPLED("triangles of 30 px, depth", .enable = { GL_DEPTH_TEST }, .draw = draw_primitives,
           .mode = GL_TRIANGLES, .size = 30),
   SAMPLED("lines", .draw = draw_primitives, .mode = GL_LINES, .size = 1),
   SAMPLED("depth cleared, then a triangle", .enable = { GL_DEPTH_TEST },
           .draw = draw_clear_and_triangle, .mode = GL_DEPTH_BUFFER_BIT),
   SAMPLED("clear, a triangle, resolve", .enable = { GL_DEPTH_TEST }, .draw = draw_cleared_resolve,
           .mode = GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT),
   { .name = "four samples: resolve", .set_up = set_resolved, .draw = draw_resolve, .mode = GL_TRIANGLES, .size = 30 },
};

const struct feature_list features_of_targets = FEATURE_LIST(targets);
