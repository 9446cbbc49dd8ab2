/* SPDX-License-Identifier: MIT
 *
 * Render targets of OpenGL ES 3.0: every format, several at once, layers, clears of one of them.
 */
#include "es3.h"

enum { MOST_TARGETS = 8, LAYER_PX = 256 };

static void
attach(GLenum attachment, const struct feature *feature)
{
   const GLuint texture = make_es3_texture(feature, NULL, FEATURE_PX);
   glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_2D, texture, 0);
}

/* Make a texture of `image` the colour buffer; draw a quad, or primitives of `size`. */
static const char *
set_target(const struct feature *feature, const struct scene *scene)
{
   attach(GL_COLOR_ATTACHMENT0, feature);
   glBindTexture(GL_TEXTURE_2D, 0);
   blend_by_alpha();
   (feature->size ? set_es3_primitives : set_es3_quad)(feature, scene);
   return check_complete();
}

/* glClearBuffer of the type that `mode` says, of the first colour buffer, or of depth and
 * stencil. */
static void
draw_clear_buffer(const struct feature *feature, const struct scene *scene)
{
   static const GLfloat floats[4] = { 0.1f, 0.2f, 0.3f, 0.4f };
   static const GLint integers[4] = { -1, 2, 3, 4 };
   static const GLuint naturals[4] = { 1, 2, 3, 4 };
   (void)scene;
   if (feature->mode == GL_FLOAT)
      glClearBufferfv(GL_COLOR, 0, floats);
   else if (feature->mode == GL_INT)
      glClearBufferiv(GL_COLOR, 0, integers);
   else if (feature->mode == GL_UNSIGNED_INT)
      glClearBufferuiv(GL_COLOR, 0, naturals);
   else
      glClearBufferfi(GL_DEPTH_STENCIL, 0, 0.5f, 3);
}

/* A clear, and a quad over it, so that pixels are written. */
static void
draw_clear_buffer_and_quad(const struct feature *feature, const struct scene *scene)
{
   draw_clear_buffer(feature, scene);
   draw_es3_quad(feature, scene);
}

/* `size` colour buffers of `image`; without a format, of four formats in turn. */
static const char *
set_targets(const struct feature *feature, const struct scene *scene)
{
   static const struct feature mixed[4] = {
      { .image = { 0, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE } },
      { .image = { 0, GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV } },
      { .image = { 0, GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT } },
      { .image = { 0, GL_R32F, GL_RED, GL_FLOAT } },
   };
   GLenum buffers[MOST_TARGETS];
   for (GLint i = 0; i < feature->size; i++) {
      buffers[i] = GL_COLOR_ATTACHMENT0 + (GLenum)i;
      attach(buffers[i], feature->image.internal ? feature : &mixed[i % 4]);
   }
   glBindTexture(GL_TEXTURE_2D, 0);
   glDrawBuffers(feature->size, buffers);
   blend_by_alpha();
   set_es3_quad(feature, scene);
   return check_complete();
}

/* A depth buffer of `image`, and a quad, or primitives of `size`. */
static const char *
set_depth_buffer(const struct feature *feature, const struct scene *scene)
{
   GLuint buffer;
   glGenRenderbuffers(1, &buffer);
   glBindRenderbuffer(GL_RENDERBUFFER, buffer);
   glRenderbufferStorage(GL_RENDERBUFFER, feature->image.internal, FEATURE_PX, FEATURE_PX);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, buffer);
   glClear(GL_DEPTH_BUFFER_BIT);
   glDepthFunc(GL_LEQUAL);
   (feature->size ? set_es3_primitives : set_es3_quad)(feature, scene);
   return check_complete();
}

/* Each layer of `image` gets a quad, through a frame buffer of its own. */
static const char *
set_layers(const struct feature *feature, const struct scene *scene)
{
   const GLuint texture = make_es3_texture(feature, NULL, LAYER_PX);
   glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0, 0);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_TEXTURE_2D, 0, 0);
   glBindTexture(feature->image.target, 0);
   glViewport(0, 0, LAYER_PX, LAYER_PX);
   set_es3_quad(feature, scene);
   return check_complete();
}

static void
draw_layers(const struct feature *feature, const struct scene *scene)
{
   GLint texture;
   glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                         GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, &texture);
   for (GLint layer = 0; layer < ES3_LAYERS; layer++) {
      glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, (GLuint)texture, 0, layer);
      draw_es3_quad(feature, scene);
   }
}

static void
draw_invalidated(const struct feature *feature, const struct scene *scene)
{
   static const GLenum depth = GL_DEPTH_STENCIL_ATTACHMENT;
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   draw_es3_quad(feature, scene);
   glInvalidateFramebuffer(GL_FRAMEBUFFER, 1, &depth);
}

#define IMAGE(...) .image = { 0, __VA_ARGS__ }
#define NUMBER_TEXT "out vec4 colour; void main() { colour = vec4(at, 0.5); }"
#define SIGNED_TEXT "out ivec4 colour; void main() { colour = ivec4(vec4(at, 0.5) * 99.0); }"
#define NATURAL_TEXT "out uvec4 colour; void main() { colour = uvec4(vec4(at, 0.5) * 99.0); }"

#define TARGET(name_, text_, clear_, ...)                                                          \
   { .name = "ES3 target: " name_ ", quad",                                                        \
     .set_up = set_target,                                                                         \
     .draw = draw_es3_quad,                                                                        \
     .fragment = ES3_HEAD text_,                                                                   \
     __VA_ARGS__ },                                                                                \
      { .name = "ES3 target: " name_ ", triangles of 4 px",                                        \
        .set_up = set_target,                                                                      \
        .draw = draw_primitives,                                                                   \
        .fragment = ES3_HEAD text_,                                                                \
        .mode = GL_TRIANGLES,                                                                      \
        .size = 4,                                                                                 \
        __VA_ARGS__ },                                                                             \
   {                                                                                               \
      .name = "ES3 clear: " name_ ", then a quad", .set_up = set_target,                           \
      .draw = draw_clear_buffer_and_quad, .fragment = ES3_HEAD text_, .mode = clear_, __VA_ARGS__  \
   }

/* A format of numbers is also blended with. */
#define NUMBERS(name_, ...)                                                                        \
   TARGET(name_, NUMBER_TEXT, GL_FLOAT, __VA_ARGS__),                                              \
   {                                                                                               \
      .name = "ES3 target: " name_ ", blended", .enable = { GL_BLEND }, .set_up = set_target,      \
      .draw = draw_es3_quad, .fragment = ES3_HEAD NUMBER_TEXT, __VA_ARGS__                         \
   }

/* Floats have extensions for targets, and for blending of 32 bits. */
#define FLOATS(name_, ...)                                                                         \
   TARGET(name_, NUMBER_TEXT, GL_FLOAT, .needs = "GL_EXT_color_buffer_float", __VA_ARGS__)
#define BLENDED(name_, needs_, ...)                                                                \
   {                                                                                               \
      .name = "ES3 target: " name_ ", blended", .enable = { GL_BLEND }, .needs = needs_,           \
      .set_up = set_target, .draw = draw_es3_quad, .fragment = ES3_HEAD NUMBER_TEXT, __VA_ARGS__   \
   }

/* Integers of one number of components: six types. */
#define INTEGERS(name_, format_)                                                                   \
   TARGET(#name_ "8I", SIGNED_TEXT, GL_INT, IMAGE(GL_##name_##8I, format_, GL_BYTE)),              \
      TARGET(#name_ "16I", SIGNED_TEXT, GL_INT, IMAGE(GL_##name_##16I, format_, GL_SHORT)),        \
      TARGET(#name_ "32I", SIGNED_TEXT, GL_INT, IMAGE(GL_##name_##32I, format_, GL_INT)),          \
      TARGET(#name_ "8UI", NATURAL_TEXT, GL_UNSIGNED_INT,                                          \
             IMAGE(GL_##name_##8UI, format_, GL_UNSIGNED_BYTE)),                                   \
      TARGET(#name_ "16UI", NATURAL_TEXT, GL_UNSIGNED_INT,                                         \
             IMAGE(GL_##name_##16UI, format_, GL_UNSIGNED_SHORT)),                                 \
      TARGET(#name_ "32UI", NATURAL_TEXT, GL_UNSIGNED_INT,                                         \
             IMAGE(GL_##name_##32UI, format_, GL_UNSIGNED_INT))

#define SEVERAL(name_, count_, more_, ...)                                                         \
   {                                                                                               \
      .name = "ES3 targets: " #count_ name_, .set_up = set_targets, .draw = draw_es3_quad,         \
      .size = count_,                                                                              \
      .fragment =                                                                                  \
         ES3_HEAD "layout(location = 0) out vec4 c[" #count_ "];\n"                                \
                  "void main() { c[0] = c[1] = vec4(at, 0.5); c[2] = c[3] = at.yxyx;\n" more_ "}", \
      __VA_ARGS__                                                                                  \
   }
#define MORE "c[4] = c[5] = at.xxyy; c[6] = c[7] = at.yyzz;"

#define LAYERS(name_, text_, ...)                                                                  \
   {                                                                                               \
      .name = "ES3 targets: layers of " name_, .set_up = set_layers, .draw = draw_layers,          \
      .fragment = ES3_HEAD text_, .image = {                                                       \
         __VA_ARGS__                                                                               \
      }                                                                                            \
   }

#define DEPTH(name_, internal_)                                                                    \
   { .name = "ES3 depth: " name_ ", quad",                                                         \
     .enable = { GL_DEPTH_TEST },                                                                  \
     .set_up = set_depth_buffer,                                                                   \
     .draw = draw_es3_quad,                                                                        \
     .fragment = ES3_HEAD NUMBER_TEXT,                                                             \
     .image = { .internal = internal_ } },                                                         \
      { .name = "ES3 depth: " name_ ", triangles of 4 px",                                         \
        .enable = { GL_DEPTH_TEST },                                                               \
        .set_up = set_depth_buffer,                                                                \
        .draw = draw_primitives,                                                                   \
        .fragment = ES3_HEAD NUMBER_TEXT,                                                          \
        .mode = GL_TRIANGLES,                                                                      \
        .size = 4,                                                                                 \
        .image = { .internal = internal_ } },                                                      \
   {                                                                                               \
      .name = "ES3 depth: " name_ ", cleared, then a quad", .enable = { GL_DEPTH_TEST },           \
      .set_up = set_depth_buffer, .draw = draw_clear_buffer_and_quad,                              \
      .fragment = ES3_HEAD NUMBER_TEXT, .mode = GL_DEPTH_STENCIL, .image = {                       \
         .internal = internal_                                                                     \
      }                                                                                            \
   }

static const struct feature targets[] = {
   NUMBERS("R8", IMAGE(GL_R8, GL_RED, GL_UNSIGNED_BYTE)),
   NUMBERS("RG8", IMAGE(GL_RG8, GL_RG, GL_UNSIGNED_BYTE)),
   NUMBERS("sRGB8", IMAGE(GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE)),
   NUMBERS("RGB10A2", IMAGE(GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV)),
   FLOATS("R11F G11F B10F", IMAGE(GL_R11F_G11F_B10F, GL_RGB, GL_FLOAT)),
   BLENDED("R11F G11F B10F", "GL_EXT_color_buffer_float",
           IMAGE(GL_R11F_G11F_B10F, GL_RGB, GL_FLOAT)),
   FLOATS("R16F", IMAGE(GL_R16F, GL_RED, GL_HALF_FLOAT)),
   FLOATS("RG16F", IMAGE(GL_RG16F, GL_RG, GL_HALF_FLOAT)),
   FLOATS("RGBA16F", IMAGE(GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT)),
   BLENDED("RGBA16F", "GL_EXT_color_buffer_float", IMAGE(GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT)),
   FLOATS("R32F", IMAGE(GL_R32F, GL_RED, GL_FLOAT)),
   FLOATS("RG32F", IMAGE(GL_RG32F, GL_RG, GL_FLOAT)),
   FLOATS("RGBA32F", IMAGE(GL_RGBA32F, GL_RGBA, GL_FLOAT)),
   BLENDED("RGBA32F", "GL_EXT_float_blend", IMAGE(GL_RGBA32F, GL_RGBA, GL_FLOAT)),

   INTEGERS(R, GL_RED_INTEGER),
   INTEGERS(RG, GL_RG_INTEGER),
   INTEGERS(RGBA, GL_RGBA_INTEGER),
   TARGET("RGB10A2UI", NATURAL_TEXT, GL_UNSIGNED_INT,
          IMAGE(GL_RGB10_A2UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV)),

   DEPTH("24 bits, stencil", GL_DEPTH24_STENCIL8),
   DEPTH("32F, stencil", GL_DEPTH32F_STENCIL8),

   SEVERAL(" times RGBA8", 4, "", IMAGE(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE)),
   SEVERAL(" times RGBA8", 8, MORE, IMAGE(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE)),
   SEVERAL(" times RGBA8, blended", 4, "", IMAGE(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE),
           .enable = { GL_BLEND }),
   SEVERAL(" times RGBA8, blended", 8, MORE, IMAGE(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE),
           .enable = { GL_BLEND }),
   SEVERAL(" times RGBA16F", 4, "", IMAGE(GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT),
           .needs = "GL_EXT_color_buffer_float"),
   SEVERAL(" of other formats", 4, "", .needs = "GL_EXT_color_buffer_float"),

   LAYERS("a 2D array", NUMBER_TEXT, GL_TEXTURE_2D_ARRAY, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE),
   LAYERS("3D", NUMBER_TEXT, GL_TEXTURE_3D, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE),
   LAYERS("a 2D array of RGBA16F", NUMBER_TEXT, GL_TEXTURE_2D_ARRAY, GL_RGBA16F, GL_RGBA,
          GL_HALF_FLOAT),
   LAYERS("a 2D array of RGBA8UI", NATURAL_TEXT, GL_TEXTURE_2D_ARRAY, GL_RGBA8UI, GL_RGBA_INTEGER,
          GL_UNSIGNED_BYTE),
   { .name = "ES3 targets: depth invalidated",
     .enable = { GL_DEPTH_TEST },
     .set_up = set_target,
     .draw = draw_invalidated,
     .fragment = ES3_HEAD NUMBER_TEXT,
     IMAGE(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE) },
};

const struct feature_list features_of_es3_targets = ES3_LIST(targets);
