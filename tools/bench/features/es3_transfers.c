/* SPDX-License-Identifier: MIT
 *
 * Pixels between buffers and images in OpenGL ES 3.0, copies of buffers, queries, fences, and
 * changes of sampler and vertex array objects between draws.
 */
#include "es3.h"

enum { PIXELS_B = FEATURE_PX * FEATURE_PX * 16, CHANGES = 100, WAITS = 20, SMALL_VERTICES = 3 };

/* A texture that is not sampled, and a buffer of pixels for uploads. */
static const char *
set_upload(const struct feature *feature, const struct scene *scene)
{
   make_es3_texture(feature, NULL, FEATURE_PX);
   make_es3_buffer(GL_PIXEL_UNPACK_BUFFER, scene->image, PIXELS_B);
   return NULL;
}

static void
draw_upload(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, FEATURE_PX, FEATURE_PX, feature->image.format,
                   feature->image.type, NULL);
}

/* As video is streamed: the buffer is renewed and filled each time, and its picture drawn. */
static const char *
set_stream(const struct feature *feature, const struct scene *scene)
{
   set_upload(feature, scene);
   return set_es3_quad(feature, scene);
}

static void
draw_stream(const struct feature *feature, const struct scene *scene)
{
   glBufferData(GL_PIXEL_UNPACK_BUFFER, FEATURE_PX * FEATURE_PX * 4, scene->image, GL_STREAM_DRAW);
   draw_upload(feature, scene);
   draw_es3_quad(feature, scene);
}

/* A layer of a texture with layers, from the application's memory. */
static const char *
set_layers(const struct feature *feature, const struct scene *scene)
{
   make_es3_texture(feature, scene->image, ES3_TEXTURE_PX);
   return NULL;
}

static void
draw_layer(const struct feature *feature, const struct scene *scene)
{
   for (GLint layer = 0; layer < ES3_LAYERS; layer++)
      glTexSubImage3D(feature->image.target, 0, 0, 0, layer, ES3_TEXTURE_PX, ES3_TEXTURE_PX, 1,
                      feature->image.format, feature->image.type, scene->image);
}

/* Immutable storage with all levels, made and filled each time. */
static void
draw_storage(const struct feature *feature, const struct scene *scene)
{
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexStorage2D(GL_TEXTURE_2D, 9, feature->image.internal, FEATURE_PX, FEATURE_PX);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, FEATURE_PX, FEATURE_PX, feature->image.format,
                   feature->image.type, scene->image);
   glDeleteTextures(1, &texture);
}

static const char *
set_compressed(const struct feature *feature, const struct scene *scene)
{
   make_es3_texture(feature, scene->image, FEATURE_PX);
   return NULL;
}

static void
draw_compressed(const struct feature *feature, const struct scene *scene)
{
   glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, FEATURE_PX, FEATURE_PX,
                             feature->image.internal,
                             feature->size * (FEATURE_PX / 4) * (FEATURE_PX / 4), scene->image);
}

/* A colour buffer of `image`, a quad, and a buffer into which it is read. */
static const char *
set_read(const struct feature *feature, const struct scene *scene)
{
   const GLuint texture = make_es3_texture(feature, NULL, FEATURE_PX);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   glBindTexture(GL_TEXTURE_2D, 0);
   make_es3_buffer(GL_PIXEL_PACK_BUFFER, NULL, PIXELS_B);
   set_es3_quad(feature, scene);
   return check_complete();
}

static void
draw_read(const struct feature *feature, const struct scene *scene)
{
   draw_es3_quad(feature, scene);
   glReadPixels(0, 0, FEATURE_PX, FEATURE_PX, feature->image.format, feature->image.type, NULL);
}

/* The same, and the pixels are looked at. */
static void
draw_mapped_read(const struct feature *feature, const struct scene *scene)
{
   draw_read(feature, scene);
   glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, PIXELS_B, GL_MAP_READ_BIT);
   glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
}

static const char *
set_copy(const struct feature *feature, const struct scene *scene)
{
   (void)feature;
   make_es3_buffer(GL_COPY_READ_BUFFER, scene->image, PIXELS_B);
   make_es3_buffer(GL_COPY_WRITE_BUFFER, NULL, PIXELS_B);
   return NULL;
}

static void
draw_copy(const struct feature *feature, const struct scene *scene)
{
   (void)feature, (void)scene;
   glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, PIXELS_B / 4);
}

static const char *
set_copied_layers(const struct feature *feature, const struct scene *scene)
{
   set_es3_quad(feature, scene);
   draw_es3_quad(feature, scene);
   return set_layers(feature, scene);
}

static void
draw_copied_layer(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   for (GLint layer = 0; layer < ES3_LAYERS; layer++)
      glCopyTexSubImage3D(feature->image.target, 0, 0, 0, layer, 0, 0, ES3_TEXTURE_PX,
                          ES3_TEXTURE_PX);
}

static void
draw_small(int place)
{
   glDrawArrays(GL_TRIANGLES, place * SMALL_VERTICES, SMALL_VERTICES);
}

/* Queries of the kind `image.target`, of which the last is read. */
static void
draw_queries(const struct feature *feature, const struct scene *scene)
{
   const GLenum kind = feature->image.target;
   GLuint query, result;
   (void)scene;
   glGenQueries(1, &query);
   for (int i = 0; i < WAITS; i++) {
      glBeginQuery(kind, query);
      draw_small(i);
      glEndQuery(kind);
   }
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &result);
   glDeleteQueries(1, &query);
}

static void
draw_fences(const struct feature *feature, const struct scene *scene)
{
   (void)feature, (void)scene;
   for (int i = 0; i < WAITS; i++) {
      draw_small(i);
      const GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
      glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 1000000000);
      glDeleteSync(fence);
   }
}

/* Two sampler objects, numbers 1 and 2, and a texture of `image`. */
static const char *
set_samplers(const struct feature *feature, const struct scene *scene)
{
   GLuint samplers[2];
   make_es3_texture(feature, scene->image, ES3_TEXTURE_PX);
   glGenSamplers(2, samplers);
   glSamplerParameteri(samplers[0], GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glSamplerParameteri(samplers[1], GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   glBindSampler(0, samplers[0]);
   return set_es3_primitives(feature, scene);
}

static void
draw_samplers(const struct feature *feature, const struct scene *scene)
{
   GLint first;
   (void)feature, (void)scene;
   glGetIntegerv(GL_SAMPLER_BINDING, &first);
   for (int i = 0; i < CHANGES; i++) {
      glBindSampler(0, (GLuint)(first + (i & 1)));
      draw_small(i);
   }
   glBindSampler(0, (GLuint)first);
}

/* Two vertex array objects of the same positions. */
static const char *
set_arrays(const struct feature *feature, const struct scene *scene)
{
   GLuint arrays[2];
   glGenVertexArrays(2, arrays);
   for (int i = 1; i >= 0; i--) {
      glBindVertexArray(arrays[i]);
      set_es3_primitives(feature, scene);
   }
   return NULL;
}

static void
draw_arrays(const struct feature *feature, const struct scene *scene)
{
   GLint first;
   (void)feature, (void)scene;
   glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &first);
   for (int i = 0; i < CHANGES; i++) {
      glBindVertexArray((GLuint)(first + (i & 1)));
      draw_small(i);
   }
   glBindVertexArray((GLuint)first);
}

#define SHOWN ES3_HEAD "out vec4 colour; void main() { colour = vec4(at, 0.5); }"
#define NATURAL ES3_HEAD "out uvec4 colour; void main() { colour = uvec4(at * 99.0, 7u); }"
#define SAMPLED                                                                                    \
   ES3_HEAD "uniform sampler2D image; out vec4 colour;\n"                                          \
            "void main() { colour = texture(image, at.xy); }"

#define MOVE(name_, set_up_, draw_, text_, target_, ...)                                           \
   {                                                                                               \
      .name = name_, .set_up = set_up_, .draw = draw_, .fragment = text_, .image = {               \
         target_,                                                                                  \
         __VA_ARGS__                                                                               \
      }                                                                                            \
   }
#define UPLOAD(name_, ...)                                                                         \
   MOVE("ES3 pixel buffers: upload of " name_, set_upload, draw_upload, NULL, 0, __VA_ARGS__)
#define READ(name_, text_, ...)                                                                    \
   MOVE("ES3 pixel buffers: readback of " name_, set_read, draw_read, text_, 0, __VA_ARGS__),      \
      MOVE("ES3 pixel buffers: readback of " name_ ", mapped", set_read, draw_mapped_read, text_,  \
           0, __VA_ARGS__)
#define LAYERS(name_, target_, ...)                                                                \
   MOVE("ES3 transfers: " name_, set_layers, draw_layer, NULL, target_, __VA_ARGS__)

#define COMPRESSED(name_, internal_, block_B_)                                                     \
   {                                                                                               \
      .name = "ES3 transfers: " name_, .set_up = set_compressed, .draw = draw_compressed,          \
      .size = block_B_, .image = {                                                                 \
         .internal = internal_                                                                     \
      }                                                                                            \
   }

/* Many small triangles, and what is done between them. */
#define SMALL(name_, set_up_, draw_, text_, ...)                                                   \
   {                                                                                               \
      .name = "ES3 calls: " name_, .set_up = set_up_, .draw = draw_, .fragment = text_,            \
      .mode = GL_TRIANGLES, .size = 4, .image = {                                                  \
         __VA_ARGS__                                                                               \
      }                                                                                            \
   }

#define FLOATS "GL_EXT_color_buffer_float"

static const struct feature transfers[] = {
   UPLOAD("RGBA8", GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE),
   UPLOAD("RGB8", GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE),
   UPLOAD("R8", GL_R8, GL_RED, GL_UNSIGNED_BYTE),
   UPLOAD("RGBA16F", GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT),
   UPLOAD("RGBA32F", GL_RGBA32F, GL_RGBA, GL_FLOAT),
   UPLOAD("floats to RGBA16F", GL_RGBA16F, GL_RGBA, GL_FLOAT),
   UPLOAD("RGB10A2", GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV),
   UPLOAD("R11F G11F B10F", GL_R11F_G11F_B10F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV),
   UPLOAD("RGBA32UI", GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT),
   UPLOAD("depth of 32F", GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT),
   MOVE("ES3 pixel buffers: video of RGBA8", set_stream, draw_stream, SAMPLED, 0, GL_RGBA8, GL_RGBA,
        GL_UNSIGNED_BYTE),
   READ("RGBA8", SHOWN, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE),
   READ("RGB10A2", SHOWN, GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV),
   READ("RGBA32F", SHOWN, GL_RGBA32F, GL_RGBA, GL_FLOAT),
   READ("RGBA32UI", NATURAL, GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT),

   LAYERS("8 layers of a 2D array", GL_TEXTURE_2D_ARRAY, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE),
   LAYERS("8 layers of 3D", GL_TEXTURE_3D, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE),
   LAYERS("8 layers of R11F G11F B10F from floats", GL_TEXTURE_2D_ARRAY, GL_R11F_G11F_B10F, GL_RGB,
          GL_FLOAT),
   LAYERS("8 layers of RGB9 E5 from floats", GL_TEXTURE_2D_ARRAY, GL_RGB9_E5, GL_RGB, GL_FLOAT),
   MOVE("ES3 transfers: glCopyTexSubImage3D", set_copied_layers, draw_copied_layer, SHOWN,
        GL_TEXTURE_2D_ARRAY, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE),
   MOVE("ES3 transfers: glTexStorage2D", NULL, draw_storage, NULL, 0, GL_RGBA8, GL_RGBA,
        GL_UNSIGNED_BYTE),
   COMPRESSED("ETC2 RGB", GL_COMPRESSED_RGB8_ETC2, 8),
   COMPRESSED("ETC2 RGBA", GL_COMPRESSED_RGBA8_ETC2_EAC, 16),
   COMPRESSED("EAC RG", GL_COMPRESSED_RG11_EAC, 16),
   MOVE("ES3 transfers: glCopyBufferSubData", set_copy, draw_copy, NULL, 0, ),

   SMALL("20 queries of any samples", set_es3_primitives, draw_queries, SHOWN,
         GL_ANY_SAMPLES_PASSED),
   SMALL("20 queries of any samples, conservative", set_es3_primitives, draw_queries, SHOWN,
         GL_ANY_SAMPLES_PASSED_CONSERVATIVE),
   SMALL("20 fences", set_es3_primitives, draw_fences, SHOWN, 0),
   SMALL("100 changes of the sampler object", set_samplers, draw_samplers, SAMPLED, 0, GL_RGBA8,
         GL_RGBA, GL_UNSIGNED_BYTE),
   SMALL("100 changes of the vertex array object", set_arrays, draw_arrays, SHOWN, 0),
};

const struct feature_list features_of_es3_transfers = ES3_LIST(transfers);
