/* SPDX-License-Identifier: MIT
 *
 * many_textures: a wall of pictures, each of a texture of its own that is noise, 50 MB in all, lit,
 * and behind a fence that is blended over them. Suite `tools` asks a capture of it about pixels.
 */
#include "gles2_context.h"

#include <stdlib.h>

#define COLUMNS 4
#define ROWS 3
#define WIDTH_PX 800
#define HEIGHT_PX 600
#define TEXTURE_PX 1024

static const char wall_vertex[] = "attribute vec2 position;\n"
                                  "uniform vec2 cell;\n"
                                  "varying vec2 place;\n"
                                  "void main()\n"
                                  "{\n"
                                  "   place = position;\n"
                                  "   vec2 seen = (cell + position) / vec2(4.0, 3.0) * 2.0 - 1.0;\n"
                                  "   gl_Position = vec4(seen, 0.5, 1.0);\n"
                                  "}\n";
static const char wall_fragment[] = "precision mediump float;\n"
                                    "uniform sampler2D image;\n"
                                    "uniform vec3 light;\n"
                                    "varying vec2 place;\n"
                                    "void main()\n"
                                    "{\n"
                                    "   float far = distance(place, light.xy);\n"
                                    "   vec3 seen = texture2D(image, place).rgb * light.z;\n"
                                    "   gl_FragColor = vec4(seen / (1.0 + far), 1.0);\n"
                                    "}\n";
static const char *const attributes[] = { "position", NULL };

/* A texture of noise, and its mipmaps, bound. */
static void
make_texture(uint64_t *seed)
{
   static uint32_t texels[TEXTURE_PX * TEXTURE_PX];
   GLuint texture;
   for (size_t i = 0; i < TEXTURE_PX * TEXTURE_PX; i++)
      texels[i] = random_below(seed, 1u << 16) << 16 | random_below(seed, 1u << 16);
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, TEXTURE_PX, TEXTURE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                texels);
   glGenerateMipmap(GL_TEXTURE_2D);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
}

static void
draw_wall(void)
{
   static const float corners[][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 } };
   const GLuint program = program_link_attributes(wall_vertex, wall_fragment, attributes);
   uint64_t seed = 1;
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
   glEnableVertexAttribArray(0);
   for (int i = 0; i < COLUMNS * ROWS; i++) {
      make_texture(&seed);
      glUniform2f(glGetUniformLocation(program, "cell"), (float)(i % COLUMNS),
                  (float)(i / COLUMNS));
      glUniform3f(glGetUniformLocation(program, "light"), 0.5f, (float)i / 12, 1.5f);
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   }
   glDisableVertexAttribArray(0);
}

static void
draw_fence(void)
{
   static const float grey[] = { 0.5f, 0.5f, 0.5f, 0.25f };
   program_create(plain_vertex, plain_fragment);
   glEnable(GL_BLEND);
   glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   for (int i = 0; i < 8; i++)
      draw_rectangle(-1, -0.95f + 0.25f * (float)i, 1, -0.85f + 0.25f * (float)i, 0, grey);
}

int
main(void)
{
   context_create(display_open(), EGL_NO_CONTEXT);
   target_create(WIDTH_PX, HEIGHT_PX);
   glClearColor(0.75f, 0.85f, 0.95f, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   draw_wall();
   draw_fence();
   glFinish();
   return glGetError() != GL_NO_ERROR;
}
