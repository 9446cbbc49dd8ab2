/* SPDX-License-Identifier: MIT
 *
 * many_draws: thirty meshes of 128 triangles side by side, each with its colour times a texture,
 * and stripes that are blended over them. One mesh is red. Suite `tools` reduces a capture of it to
 * the triangle that makes one of its pixels red.
 */
#include "gles2_context.h"

#include <stdlib.h>

#define COLUMNS 6
#define ROWS 5
#define CELL_PX 26
#define MESH 8 /* squares along a side */
#define TEXTURE_PX 64
#define RED_MESH 17

static const char mesh_vertex[] = "attribute vec2 position;\n"
                                  "uniform vec2 cell;\n"
                                  "uniform mat4 camera;\n"
                                  "varying vec2 place;\n"
                                  "void main()\n"
                                  "{\n"
                                  "   place = position;\n"
                                  "   vec2 seen = (cell + position) / vec2(6.0, 5.0) * 2.0 - 1.0;\n"
                                  "   gl_Position = camera * vec4(seen, position.x * 0.1, 1.0);\n"
                                  "}\n";
static const char mesh_fragment[] = "precision mediump float;\n"
                                    "uniform sampler2D image;\n"
                                    "uniform vec3 paint;\n"
                                    "uniform bool dark;\n"
                                    "varying vec2 place;\n"
                                    "void main()\n"
                                    "{\n"
                                    "   vec3 seen = paint * texture2D(image, place * 3.0).rgb;\n"
                                    "   if (dark)\n"
                                    "      seen *= 0.5;\n"
                                    "   gl_FragColor = vec4(seen, 1.0);\n"
                                    "}\n";

static const char *const attributes[] = { "position", NULL };

static void
make_texture(void)
{
   static uint8_t texels[TEXTURE_PX][TEXTURE_PX][4];
   GLuint texture;
   uint64_t seed = 1;
   for (int y = 0; y < TEXTURE_PX; y++) {
      for (int x = 0; x < TEXTURE_PX; x++) {
         texels[y][x][0] = texels[y][x][3] = 255;
         texels[y][x][1] = (uint8_t)random_below(&seed, 256);
         texels[y][x][2] = (uint8_t)random_below(&seed, 256);
      }
   }
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, TEXTURE_PX, TEXTURE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                texels);
   glGenerateMipmap(GL_TEXTURE_2D);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
}

/* A mesh of the unit square; returns how many indices it has. */
static int
make_mesh(float (*corners)[2], uint16_t *indices)
{
   int count = 0;
   for (int y = 0; y <= MESH; y++) {
      for (int x = 0; x <= MESH; x++) {
         corners[y * (MESH + 1) + x][0] = (float)x / MESH;
         corners[y * (MESH + 1) + x][1] = (float)y / MESH;
      }
   }
   for (int y = 0; y < MESH; y++) {
      for (int x = 0; x < MESH; x++) {
         const int at = y * (MESH + 1) + x;
         const int quad[] = { at, at + 1, at + MESH + 1, at + MESH + 1, at + 1, at + MESH + 2 };
         for (int i = 0; i < 6; i++)
            indices[count++] = (uint16_t)quad[i];
      }
   }
   return count;
}

static void
draw_meshes(void)
{
   static const float camera[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
   float corners[(MESH + 1) * (MESH + 1)][2];
   uint16_t indices[MESH * MESH * 6];
   const GLuint program = program_link_attributes(mesh_vertex, mesh_fragment, attributes);
   const int count = make_mesh(corners, indices);
   glUniformMatrix4fv(glGetUniformLocation(program, "camera"), 1, GL_FALSE, camera);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
   glEnableVertexAttribArray(0);
   for (int i = 0; i < COLUMNS * ROWS; i++) {
      const bool red = i == RED_MESH;
      glUniform2f(glGetUniformLocation(program, "cell"), (float)(i % COLUMNS),
                  (float)(i / COLUMNS));
      glUniform3f(glGetUniformLocation(program, "paint"), red ? 1 : 0.1f,
                  red ? 0 : 0.2f + (float)i / 40, red ? 0 : 0.5f);
      glUniform1i(glGetUniformLocation(program, "dark"), i % 3 == 0);
      glDrawElements(GL_TRIANGLES, count, GL_UNSIGNED_SHORT, indices);
   }
   glDisableVertexAttribArray(0);
}

int
main(void)
{
   static const float grey[] = { 0.5f, 0.5f, 0.5f, 0.25f };
   context_create(display_open(), EGL_NO_CONTEXT);
   target_create(COLUMNS * CELL_PX, ROWS * CELL_PX);
   glClearColor(0.75f, 0.85f, 0.95f, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   make_texture();
   draw_meshes();
   program_create(plain_vertex, plain_fragment);
   glEnable(GL_BLEND);
   glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   for (int i = 0; i < 4; i++)
      draw_rectangle(-1, -0.9f + 0.1f * (float)i, 1, -0.85f + 0.1f * (float)i, -0.5f, grey);
   glFinish();
   return glGetError() != GL_NO_ERROR;
}
