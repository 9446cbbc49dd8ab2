/* SPDX-License-Identifier: MIT
 *
 * Views of textures (ARB_texture_view): texels of some layers and levels, as integers of another
 * format of as many bits, fetched and drawn to; and textures that are parts of buffers
 * (ARB_texture_buffer_range).
 */
#include "gl33_rules.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE_PX = 16, MOST_LEVELS = 3, MOST_LAYERS = 5, PIXELS = SIDE_PX * SIDE_PX };

/* Texels of 32 bits. */
static const struct view_format {
   GLenum internal;
   int bits[4]; /* of each channel, the lowest first */
} view_formats[] = {
   { GL_R32UI, { 32, 0, 0, 0 } },
   { GL_RG16UI, { 16, 16, 0, 0 } },
   { GL_RGBA8UI, { 8, 8, 8, 8 } },
   { GL_RGB10_A2UI, { 10, 10, 10, 2 } },
};

static void
decode(const struct view_format *f, uint32_t texel, uint32_t value[4])
{
   for (int c = 0, at = 0; c < 4; at += f->bits[c++])
      value[c] = f->bits[c] ? texel >> at & (uint32_t)((UINT64_C(1) << f->bits[c]) - 1)
                 : c == 3   ? 1
                            : 0;
}

static uint32_t
encode(const struct view_format *f, const uint32_t value[4])
{
   uint32_t texel = 0;
   for (int c = 0, at = 0; c < 4; at += f->bits[c++])
      texel |= f->bits[c] ? (value[c] & (uint32_t)((UINT64_C(1) << f->bits[c]) - 1)) << at : 0;
   return texel;
}

struct viewed {
   const struct view_format *format, *view_format;
   int levels, layers, first_level, first_layer, view_levels, view_layers;
   bool array; /* the view; the texture always is */
   GLuint texture, view;
   uint32_t texels[MOST_LEVELS][MOST_LAYERS][PIXELS];
};

static void
fill_texture(struct rules *r, struct viewed *v)
{
   const bool whole = v->format->internal == GL_R32UI;
   for (int level = 0; level < v->levels; level++) {
      const int side_px = SIDE_PX >> level;
      for (int layer = 0; layer < v->layers; layer++) {
         uint32_t *texels = v->texels[level][layer];
         for (int i = 0; i < side_px * side_px; i++)
            texels[i] = es3_random_bits(r);
         glTexSubImage3D(GL_TEXTURE_2D_ARRAY, level, 0, 0, layer, side_px, side_px, 1,
                         whole                              ? GL_RED_INTEGER
                         : v->format->internal == GL_RG16UI ? GL_RG_INTEGER
                                                            : GL_RGBA_INTEGER,
                         whole                               ? GL_UNSIGNED_INT
                         : v->format->internal == GL_RG16UI  ? GL_UNSIGNED_SHORT
                         : v->format->internal == GL_RGBA8UI ? GL_UNSIGNED_BYTE
                                                             : GL_UNSIGNED_INT_2_10_10_10_REV,
                         texels);
      }
   }
}

static void
nearest(GLenum target)
{
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

static void
random_view(struct rules *r, struct viewed *v)
{
   void (*view)(GLuint, GLenum, GLuint, GLenum, GLuint, GLuint, GLuint, GLuint) =
      (void (*)(GLuint, GLenum, GLuint, GLenum, GLuint, GLuint, GLuint, GLuint))eglGetProcAddress(
         "glTextureView");
   v->format = &rules_pick(r, view_formats);
   v->view_format = &rules_pick(r, view_formats);
   v->levels = rules_between(r, 1, MOST_LEVELS);
   v->layers = rules_between(r, 1, MOST_LAYERS);
   v->first_level = rules_between(r, 0, v->levels - 1);
   v->first_layer = rules_between(r, 0, v->layers - 1);
   v->array = rules_chance(r, 60);
   v->view_levels = rules_between(r, 1, v->levels - v->first_level);
   v->view_layers = v->array ? rules_between(r, 1, v->layers - v->first_layer) : 1;
   glGenTextures(1, &v->texture);
   glBindTexture(GL_TEXTURE_2D_ARRAY, v->texture);
   glTexStorage3D(GL_TEXTURE_2D_ARRAY, v->levels, v->format->internal, SIDE_PX, SIDE_PX, v->layers);
   nearest(GL_TEXTURE_2D_ARRAY);
   fill_texture(r, v);
   glGenTextures(1, &v->view);
   view(v->view, v->array ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D, v->texture,
        v->view_format->internal, (GLuint)v->first_level, (GLuint)v->view_levels,
        (GLuint)v->first_layer, (GLuint)v->view_layers);
   no_error("making a view");
}

/* A clear of an image of the view, as integers. */
static void
clear_image(struct rules *r, struct viewed *v)
{
   const int level = rules_below(r, (uint32_t)v->view_levels),
             layer = rules_below(r, (uint32_t)v->view_layers);
   uint32_t value[4], *texels = v->texels[v->first_level + level][v->first_layer + layer];
   GLuint framebuffer;
   decode(v->view_format, es3_random_bits(r), value);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   if (v->array)
      glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, v->view, level, layer);
   else
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, v->view, level);
   glClearBufferuiv(GL_COLOR, 0, value);
   glDeleteFramebuffers(1, &framebuffer);
   no_error("clearing a view");
   for (int i = 0; i < PIXELS; i++)
      texels[i] = encode(v->view_format, value);
}

static void
expect_image(struct rules *r, const struct viewed *v, const struct view_format *f, int level,
             int layer, const char *what)
{
   const int side_px = SIDE_PX >> level;
   uint32_t *have = es3_read_uint(r, SIDE_PX, SIDE_PX);
   for (int i = 0; i < side_px * side_px; i++) {
      const uint32_t texel = v->texels[level][layer][i],
                     *pixel = have + 4 * (i % side_px + SIDE_PX * (i / side_px));
      uint32_t wanted[4];
      decode(f, texel, wanted);
      if (memcmp(pixel, wanted, sizeof(wanted)) != 0)
         rules_fail(r, "%s of 0x%04x as 0x%04x, level %d, layer %d, texel %d: 0x%x 0x%x 0x%x 0x%x",
                    what, v->format->internal, v->view_format->internal, level, layer, i, pixel[0],
                    pixel[1], pixel[2], pixel[3]);
   }
   free(have);
}

/* All images of the view, as the view has them; then those of the texture. */
static void
expect_images(struct rules *r, const struct viewed *v, const GLuint programs[2], bool of_view)
{
   const bool array = !of_view || v->array;
   glUseProgram(programs[array]);
   glBindTexture(array ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D, of_view ? v->view : v->texture);
   nearest(array ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D);
   for (int level = 0; level < (of_view ? v->view_levels : v->levels); level++) {
      for (int layer = 0; layer < (of_view ? v->view_layers : v->layers); layer++) {
         es3_uniform(programs[array], "level", level);
         es3_uniform(programs[array], "layer", layer);
         es3_draw_whole();
         expect_image(r, v, of_view ? v->view_format : v->format,
                      level + (of_view ? v->first_level : 0),
                      layer + (of_view ? v->first_layer : 0), of_view ? "a view" : "the texture");
      }
   }
}

void
gl33_views(struct rules *r)
{
   static struct viewed v;
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIDE_PX, SIDE_PX);
   const GLuint programs[2] = {
      gl33_program(
         r, &(struct gl33_stages){ .vertex = es3_vertex_whole,
                                   .fragment =
                                      "uniform usampler2D s; uniform int level; out uvec4 v;\n"
                                      "void main() {\n"
                                      "   v = texelFetch(s, ivec2(gl_FragCoord.xy), level); }" }),
      gl33_program(
         r,
         &(struct gl33_stages){ .vertex = es3_vertex_whole,
                                .fragment = "uniform usampler2DArray s; uniform int level, layer;\n"
                                            "out uvec4 v; void main() {\n"
                                            "   ivec3 at = ivec3(gl_FragCoord.xy, layer);\n"
                                            "   v = texelFetch(s, at, level); }" }),
   };
   while (rules_next(r)) {
      random_view(r, &v);
      es3_target_bind(&target);
      expect_images(r, &v, programs, true);
      clear_image(r, &v);
      es3_target_bind(&target);
      expect_images(r, &v, programs, false);
      expect_images(r, &v, programs, true);
      glDeleteTextures(2, (const GLuint[]){ v.view, v.texture });
   }
   glDeleteProgram(programs[0]);
   glDeleteProgram(programs[1]);
   es3_target_delete(&target);
}

/* --------------------------------------------------------------------------- parts of buffers */

void
gl33_buffer_range(struct rules *r)
{
   enum { WORDS = 4096, BUFFER = 0x8C2A }; /* GL_TEXTURE_BUFFER */
   static const GLenum formats[] = { GL_R32UI, GL_RG32UI, GL_RGBA32UI };
   void (*range)(GLenum, GLenum, GLuint, GLintptr, GLsizeiptr) =
      (void (*)(GLenum, GLenum, GLuint, GLintptr, GLsizeiptr))eglGetProcAddress("glTexBufferRange");
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIDE_PX, SIDE_PX);
   const GLuint program = gl33_program(
      r, &(struct gl33_stages){
            .vertex = es3_vertex_whole,
            .fragment = "uniform usamplerBuffer s; out uvec4 v; void main() {\n"
                        "   int i = int(gl_FragCoord.x) + 16 * int(gl_FragCoord.y);\n"
                        "   v = i == 255 ? uvec4(textureSize(s)) : texelFetch(s, i); }" });
   while (rules_next(r)) {
      const int channels = 1 << r->n % 3, first_B = 16 * rules_between(r, 0, 200),
                size_B = rules_between(r, 1, 4 * WORDS - first_B), texels = size_B / (4 * channels);
      uint32_t words[WORDS];
      GLuint buffer, texture;
      for (int i = 0; i < WORDS; i++)
         words[i] = es3_random_bits(r);
      glGenBuffers(1, &buffer);
      glBindBuffer(BUFFER, buffer);
      glBufferData(BUFFER, sizeof(words), words, GL_STATIC_DRAW);
      glGenTextures(1, &texture);
      glBindTexture(BUFFER, texture);
      range(BUFFER, formats[r->n % 3], buffer, first_B, size_B);
      es3_draw_whole();
      no_error("fetching from a part of a buffer");
      uint32_t *have = es3_read_uint(r, SIDE_PX, SIDE_PX);
      for (int i = 0; i < PIXELS; i++) {
         uint32_t wanted[4] = { 0, 0, 0, i < texels };
         for (int c = 0; c < channels && i < texels; c++)
            wanted[c] = words[first_B / 4 + i * channels + c];
         for (int c = 0; c < 4 && i == PIXELS - 1; c++)
            wanted[c] = (uint32_t)texels;
         if (i >= texels && i < PIXELS - 1) /* undefined; here 0 */
            wanted[3] = have[4 * i + 3] == 1 ? 1 : 0;
         if (memcmp(have + 4 * i, wanted, sizeof(wanted)) != 0)
            rules_fail(r, "%d channels, %d bytes from %d on: texel %d is 0x%x, not 0x%x", channels,
                       size_B, first_B, i, have[4 * i], wanted[0]);
      }
      free(have);
      glDeleteTextures(1, &texture);
      glDeleteBuffers(1, &buffer);
   }
   glDeleteProgram(program);
   es3_target_delete(&target);
}
