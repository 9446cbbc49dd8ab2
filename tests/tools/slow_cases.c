/* SPDX-License-Identifier: MIT
 *
 * slow_cases CASE: hills, one behind the other, drawn so that nothing is done in vain, or with one
 * mistake of those that make frames slow: cases of docs/debugging.md. Suite `tools` asks clipfree
 * report about them. All look the same, but for `textured`, which has a pattern on the grass, and
 * `mipmaps`, where that lacks mipmaps; and for `everywhere` and `once`, where a wind blows that is
 * computed in each pixel, or by the program.
 */
#include "gles2_context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH_PX 320
#define HEIGHT_PX 240
#define HILLS 6
#define COLUMNS 32
#define TEXTURE_PX 512

static const char vertex[] = "attribute vec3 position;\n"
                             "varying vec2 place;\n"
                             "void main()\n"
                             "{\n"
                             "   place = position.xy * 9.0;\n"
                             "   gl_Position = vec4(position, 1.0);\n"
                             "}\n";
/* The grass, which takes some time; %s are declarations and the mistake. */
static const char fragment[] = "precision highp float;\n"
                               "uniform vec3 grass;\n"
                               "%s"
                               "varying vec2 place;\n"
                               "float waves(float scale)\n"
                               "{\n"
                               "   float sum = 0.0;\n"
                               "   for (int i = 0; i < 6; i++) {\n"
                               "      sum += sin(place.x * scale + sin(place.y * scale)) / scale;\n"
                               "      scale *= 1.7;\n"
                               "   }\n"
                               "   return sum;\n"
                               "}\n"
                               "void main()\n"
                               "{\n"
                               "   float light = 0.8 + 0.1 * waves(2.0);\n"
                               "   %s\n"
                               "   gl_FragColor = vec4(grass * light, 1.0);\n"
                               "}\n";

static bool
is(const char *chosen, const char *name)
{
   return !strcmp(chosen, name);
}

static bool
has_texture(const char *chosen)
{
   return is(chosen, "textured") || is(chosen, "mipmaps");
}

/* The wind is a sum of so many sines of the time. */
#define SINES "12"
#define TIME 1.75f

static const char *
declarations(const char *chosen)
{
   if (has_texture(chosen))
      return "uniform sampler2D pattern;\n";
   if (is(chosen, "everywhere"))
      return "uniform float time;\n";
   return is(chosen, "once") ? "uniform float wind;\n" : "";
}

/* `discard`: of what never happens. `branch`: pixels side by side take different ways. */
static const char *
mistake(const char *chosen)
{
   if (is(chosen, "discard"))
      return "light += 0.02 * waves(20.0); if (light < 0.0) discard;";
   if (is(chosen, "branch"))
      return "if (mod(gl_FragCoord.x, 2.0) < 1.0) light += 0.02 * waves(20.0);\n"
             "   else light += 0.02 * waves(30.0);";
   if (is(chosen, "everywhere"))
      return "float wind = 0.0;\n"
             "   for (int i = 1; i <= " SINES "; i++)\n"
             "      wind += sin(time * float(i)) / float(i);\n"
             "   light += 0.02 * waves(20.0 + wind);";
   if (is(chosen, "once"))
      return "light += 0.02 * waves(20.0 + wind);";
   if (has_texture(chosen))
      return "light += 0.02 * waves(20.0) + 0.05 * texture2D(pattern, place * 0.5).r;";
   return "light += 0.02 * waves(20.0);";
}

/* A pattern of noise. `mipmaps`: without them. */
static void
make_texture(bool mipmaps)
{
   static uint8_t texels[TEXTURE_PX][TEXTURE_PX];
   uint64_t seed = 1;
   GLuint texture;
   for (int i = 0; i < TEXTURE_PX * TEXTURE_PX; i++)
      texels[i / TEXTURE_PX][i % TEXTURE_PX] = (uint8_t)random_below(&seed, 256);
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE, TEXTURE_PX, TEXTURE_PX, 0, GL_LUMINANCE,
                GL_UNSIGNED_BYTE, texels);
   glGenerateMipmap(GL_TEXTURE_2D);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                   mipmaps ? GL_LINEAR_MIPMAP_NEAREST : GL_LINEAR);
}

static void
set_wind(GLuint program)
{
   float wind = 0;
   for (int i = 1; i <= atoi(SINES); i++)
      wind += sinf(TIME * (float)i) / (float)i;
   glUniform1f(glGetUniformLocation(program, "time"), TIME);
   glUniform1f(glGetUniformLocation(program, "wind"), wind);
}

/* Hill number 0 is the nearest, and the lowest. */
static void
draw_hill(GLint grass, int hill)
{
   static float corner[COLUMNS + 1][2][3];
   const float z = -0.8f + 0.25f * (float)hill, far = (float)hill / HILLS;
   for (int i = 0; i <= COLUMNS; i++) {
      const float x = -1 + 2.0f * (float)i / COLUMNS;
      const float top = -0.6f + 0.27f * (float)hill + 0.12f * sinf(x * 4 + (float)hill * 2.1f);
      memcpy(corner[i][0], (const float[3]){ x, top, z }, sizeof(corner[i][0]));
      memcpy(corner[i][1], (const float[3]){ x, -1, z }, sizeof(corner[i][1]));
   }
   glUniform3f(grass, 0.2f + 0.5f * far, 0.5f + 0.25f * far, 0.25f + 0.6f * far);
   glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, corner);
   glEnableVertexAttribArray(0);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 2 * (COLUMNS + 1));
}

int
main(int argc, char **argv)
{
   static const char *const attributes[] = { "position", NULL };
   const char *chosen = argc == 2 ? argv[1] : "";
   char text[sizeof(fragment) + 256];
   if (!is(chosen, "right") && !is(chosen, "order") && !is(chosen, "discard") &&
       !is(chosen, "branch") && !is(chosen, "everywhere") && !is(chosen, "once") &&
       !has_texture(chosen))
      die("usage: slow_cases right|order|discard|branch|textured|mipmaps|everywhere|once");
   context_create(display_open(), EGL_NO_CONTEXT);
   target_create(WIDTH_PX, HEIGHT_PX);
   glEnable(GL_DEPTH_TEST);
   glClearColor(0.75f, 0.85f, 0.95f, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   if (has_texture(chosen))
      make_texture(is(chosen, "textured"));
   snprintf(text, sizeof(text), fragment, declarations(chosen), mistake(chosen));
   const GLuint program = program_link_attributes(vertex, text, attributes);
   const GLint grass = glGetUniformLocation(program, "grass");
   set_wind(program);
   for (int i = 0; i < HILLS; i++)
      draw_hill(grass, is(chosen, "order") ? HILLS - 1 - i : i); /* `order`: the nearest last */
   glFinish();
   return glGetError() != GL_NO_ERROR;
}
