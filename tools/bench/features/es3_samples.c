/* SPDX-License-Identifier: MIT
 *
 * Renderbuffers of four samples in every format that may have them in OpenGL ES 3.0, and
 * glBlitFramebuffer: resolved, scaled, mirrored, of depth and of integers.
 */
#include "es3.h"

static void
attach(GLenum attachment, GLenum format, GLsizei samples)
{
   GLuint buffer;
   glGenRenderbuffers(1, &buffer);
   glBindRenderbuffer(GL_RENDERBUFFER, buffer);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, format, FEATURE_PX, FEATURE_PX);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer);
}

/* Attach a colour buffer of `image`, or, if that is one of depth, a depth buffer. */
static void
attach_all(const struct feature *feature, GLsizei samples)
{
   const GLenum internal = feature->image.internal;
   const bool depth = internal == GL_DEPTH24_STENCIL8 || internal == GL_DEPTH32F_STENCIL8;
   attach(GL_COLOR_ATTACHMENT0, depth ? GL_RGBA8 : internal, samples);
   attach(GL_DEPTH_STENCIL_ATTACHMENT, depth ? internal : GL_DEPTH24_STENCIL8, samples);
}

/* A target of four samples; with a `size`, also set up primitives of that size. */
static const char *
set_samples(const struct feature *feature, const struct scene *scene)
{
   attach_all(feature, ES3_SAMPLES);
   if (check_complete())
      return "no four samples of this format";
   blend_by_alpha();
   glDepthFunc(GL_LEQUAL);
   glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   return (feature->size ? set_es3_primitives : set_es3_quad)(feature, scene);
}

/* Blits read the frame buffer of the scene, and write one of one sample like it. */
static const char *
bind_destination(const struct feature *feature, const struct scene *scene)
{
   GLuint destination;
   glGenFramebuffers(1, &destination);
   glBindFramebuffer(GL_FRAMEBUFFER, destination);
   attach_all(feature, 0);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, scene->target);
   return check_complete();
}

/* A source in which the samples of many pixels differ. */
static const char *
set_resolved(const struct feature *feature, const struct scene *scene)
{
   const char *missing = set_samples(feature, scene);
   if (missing)
      return missing;
   draw_primitives(feature, scene);
   return bind_destination(feature, scene);
}

/* A source of one sample. */
static const char *
set_source(const struct feature *feature, const struct scene *scene)
{
   attach_all(feature, 0);
   set_es3_quad(feature, scene);
   glEnable(GL_DEPTH_TEST);
   glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   draw_es3_quad(feature, scene);
   return bind_destination(feature, scene);
}

static GLbitfield
blitted_bits(const struct feature *feature)
{
   const GLenum internal = feature->image.internal;
   return internal == GL_DEPTH24_STENCIL8 || internal == GL_DEPTH32F_STENCIL8
             ? GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT
             : GL_COLOR_BUFFER_BIT;
}

static void
draw_resolve(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   glBlitFramebuffer(0, 0, FEATURE_PX, FEATURE_PX, 0, 0, FEATURE_PX, FEATURE_PX,
                     blitted_bits(feature), GL_NEAREST);
}

/* To a square of `size` pixels, mirrored below 0, with the filter. */
static void
draw_blit(const struct feature *feature, const struct scene *scene)
{
   const GLint size = feature->size;
   (void)scene;
   glBlitFramebuffer(0, 0, FEATURE_PX, FEATURE_PX, size < 0 ? -size : 0, 0, size < 0 ? 0 : size,
                     size < 0 ? -size : size, blitted_bits(feature), feature->filter.min);
}

#define NUMBER_TEXT ES3_HEAD "out vec4 colour; void main() { colour = vec4(at, 0.5); }"
#define NATURAL_TEXT ES3_HEAD "out uvec4 colour; void main() { colour = uvec4(at * 99.0, 7u); }"

#define SAMPLED(name_, internal_, needs_)                                                          \
   { .name = "ES3 samples: " name_ ", quad",                                                       \
     .needs = needs_,                                                                              \
     .set_up = set_samples,                                                                        \
     .draw = draw_es3_quad,                                                                        \
     .fragment = NUMBER_TEXT,                                                                      \
     .image = { .internal = internal_ } },                                                         \
      { .name = "ES3 samples: " name_ ", blended",                                                 \
        .needs = needs_,                                                                           \
        .enable = { GL_BLEND },                                                                    \
        .set_up = set_samples,                                                                     \
        .draw = draw_es3_quad,                                                                     \
        .fragment = NUMBER_TEXT,                                                                   \
        .image = { .internal = internal_ } },                                                      \
      { .name = "ES3 samples: " name_ ", triangles of 30 px",                                      \
        .needs = needs_,                                                                           \
        .enable = { GL_DEPTH_TEST },                                                               \
        .set_up = set_samples,                                                                     \
        .draw = draw_primitives,                                                                   \
        .fragment = NUMBER_TEXT,                                                                   \
        .mode = GL_TRIANGLES,                                                                      \
        .size = 30,                                                                                \
        .image = { .internal = internal_ } },                                                      \
   {                                                                                               \
      .name = "ES3 samples: " name_ ", resolved", .needs = needs_, .set_up = set_resolved,         \
      .draw = draw_resolve, .fragment = NUMBER_TEXT, .mode = GL_TRIANGLES, .size = 30, .image = {  \
         .internal = internal_                                                                     \
      }                                                                                            \
   }

#define BLIT(name_, text_, internal_, size_, filter_, ...)                                         \
   {                                                                                               \
      .name = "ES3 blit: " name_, .set_up = set_source, .draw = draw_blit, .fragment = text_,      \
      .size = size_, .image = { .internal = internal_ }, .filter = { filter_ }, __VA_ARGS__        \
   }

#define FLOATS "GL_EXT_color_buffer_float"

static const struct feature samples[] = {
   SAMPLED("RGBA8", GL_RGBA8, NULL),
   SAMPLED("sRGB8", GL_SRGB8_ALPHA8, NULL),
   SAMPLED("RG8", GL_RG8, NULL),
   SAMPLED("RGB565", GL_RGB565, NULL),
   SAMPLED("RGB10A2", GL_RGB10_A2, NULL),
   SAMPLED("R11F G11F B10F", GL_R11F_G11F_B10F, FLOATS),
   SAMPLED("RGBA16F", GL_RGBA16F, FLOATS),
   SAMPLED("RGBA32F", GL_RGBA32F, "GL_EXT_float_blend"),
   SAMPLED("depth of 32F, stencil", GL_DEPTH32F_STENCIL8, NULL),

   BLIT("RGBA8", NUMBER_TEXT, GL_RGBA8, FEATURE_PX, GL_NEAREST, ),
   BLIT("RGBA8, smaller", NUMBER_TEXT, GL_RGBA8, 300, GL_NEAREST, ),
   BLIT("RGBA8, smaller and linear", NUMBER_TEXT, GL_RGBA8, 300, GL_LINEAR, ),
   BLIT("RGBA8, mirrored", NUMBER_TEXT, GL_RGBA8, -FEATURE_PX, GL_NEAREST, ),
   BLIT("sRGB8, smaller and linear", NUMBER_TEXT, GL_SRGB8_ALPHA8, 300, GL_LINEAR, ),
   BLIT("RGBA16F, smaller and linear", NUMBER_TEXT, GL_RGBA16F, 300, GL_LINEAR, .needs = FLOATS),
   BLIT("RGBA8UI", NATURAL_TEXT, GL_RGBA8UI, FEATURE_PX, GL_NEAREST, ),
   BLIT("RGBA8UI, smaller", NATURAL_TEXT, GL_RGBA8UI, 300, GL_NEAREST, ),
   BLIT("depth of 24 bits, stencil", NUMBER_TEXT, GL_DEPTH24_STENCIL8, FEATURE_PX, GL_NEAREST, ),
   BLIT("depth of 32F, stencil", NUMBER_TEXT, GL_DEPTH32F_STENCIL8, FEATURE_PX, GL_NEAREST, ),
   BLIT("depth of 32F, stencil, smaller", NUMBER_TEXT, GL_DEPTH32F_STENCIL8, 300, GL_NEAREST, ),
};

const struct feature_list features_of_es3_samples = ES3_LIST(samples);
