/* SPDX-License-Identifier: MIT */
#include "trust_picture.h"

#include "gles2_context.h"

#define SIZE_PX 256
#define ROUNDS 12 /* as many tasks as make a program hot, and more */

/* Waves over a texture, with a loop and a branch that lanes do not share. */
static const char waves[] = "precision highp float;\n"
                            "varying vec4 v;\n"
                            "uniform sampler2D image;\n"
                            "void main() {\n"
                            "   vec4 sum = vec4(0.0);\n"
                            "   for (int i = 0; i < 4; i++)\n"
                            "      sum += texture2D(image, v.xy * float(i + 1) + NUMBER / 64.0);\n"
                            "   if (fract(v.x * 8.0) > 0.5)\n"
                            "      sum = sum.bgra + sin(v.y * 20.0);\n"
                            "   gl_FragColor = vec4(sum.rgb * 0.25, 0.5 + 0.5 * v.z);\n"
                            "}\n";

static GLuint
create_program(unsigned number)
{
   char source[sizeof(waves) + 64];
   snprintf(source, sizeof(source), "#define NUMBER %u.0\n%s", number, waves);
   return program_create(plain_vertex, source);
}

static void
create_texture(void)
{
   GLuint texture;
   uint8_t texels[16 * 16 * 4];
   uint64_t seed = 1;
   for (unsigned i = 0; i < sizeof(texels); i++)
      texels[i] = (uint8_t)random_below(&seed, 256);
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   no_error("making the texture");
}

static uint64_t
hash_pixels(const uint8_t *pixels)
{
   uint64_t hash = 0xcbf29ce484222325u;
   for (unsigned i = 0; i < 4 * SIZE_PX * SIZE_PX; i++)
      hash = (hash ^ pixels[i]) * 0x100000001b3u;
   return hash;
}

/* A picture without many colours is none. */
static void
expect_colours(const uint8_t *pixels)
{
   bool seen[256] = { 0 };
   unsigned count = 0;
   for (unsigned i = 0; i < SIZE_PX * SIZE_PX; i++) {
      count += !seen[pixels[4 * i]];
      seen[pixels[4 * i]] = true;
   }
   if (count < 64)
      die("the picture has %u shades of red", count);
}

uint64_t
picture_draw_again(void)
{
   const float low[4] = { 0, 0, 0, 0 }, high[4] = { 1, 0.5f, 1, 1 };
   struct target target = target_create(SIZE_PX, SIZE_PX);
   glEnable(GL_BLEND);
   glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   for (int round = 0; round < ROUNDS; round++) {
      const float vertices[3][8] = {
         { -1, -1, 0, 1, low[0], low[1], low[2], low[3] },
         { 3, -1, 0.5f, 1, high[0], high[1], high[2], high[3] },
         { -1, 3, 0, 1, 0.25f * (float)round, 1, 0, 1 },
      };
      draw_vertices(vertices, 3);
      glFinish();
   }
   uint8_t *pixels = target_read(&target);
   expect_colours(pixels);
   const uint64_t hash = hash_pixels(pixels);
   free(pixels);
   target_delete(&target);
   return hash;
}

uint64_t
picture_draw(unsigned number)
{
   create_program(number);
   create_texture();
   return picture_draw_again();
}
