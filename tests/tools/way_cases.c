/* SPDX-License-Identifier: MIT
 *
 * way_cases vertex|fragment|uploaded DRAWS [SIZE_PX]: an infinity that is born in the vertex or the
 * fragment shader of the first draw, or was uploaded in a texture; and its way to the window:
 * through a varying, images of half floats that the next draws sample, one after the other, with
 * blending, and a second texture that is finite. Suite `tools` looks at what the sanitiser says.
 */
#include "gles2_context.h"

#include <GLES3/gl3.h>

#include <stdlib.h>
#include <string.h>

static const char born_vertex[] = "attribute vec2 position;\n"
                                  "uniform float zero;\n"
                                  "varying vec4 glow;\n"
                                  "void main()\n"
                                  "{\n"
                                  "   float near = 1.0 / zero;\n"
                                  "   float light = near * 0.5;\n"
                                  "   glow = vec4(light);\n"
                                  "   gl_Position = vec4(position, 0.0, 1.0);\n"
                                  "}\n";
static const char passed_fragment[] = "precision highp float;\n"
                                      "varying vec4 glow;\n"
                                      "void main()\n"
                                      "{\n"
                                      "   vec4 c = glow + 0.25;\n"
                                      "   gl_FragColor = c;\n"
                                      "}\n";
static const char whole_vertex[] = "attribute vec2 position;\n"
                                   "varying vec2 place;\n"
                                   "void main()\n"
                                   "{\n"
                                   "   place = position * 0.5 + 0.5;\n"
                                   "   gl_Position = vec4(position, 0.0, 1.0);\n"
                                   "}\n";
static const char born_fragment[] = "precision highp float;\n"
                                    "uniform float zero;\n"
                                    "varying vec2 place;\n"
                                    "void main()\n"
                                    "{\n"
                                    "   float near = gl_FragCoord.x / zero;\n"
                                    "   float light = near * 0.5;\n"
                                    "   gl_FragColor = vec4(light);\n"
                                    "}\n";
static const char next_fragment[] = "precision highp float;\n"
                                    "uniform sampler2D before, finite;\n"
                                    "varying vec2 place;\n"
                                    "void main()\n"
                                    "{\n"
                                    "   vec4 c = texture2D(finite, place);\n"
                                    "   c += texture2D(before, place) * 0.5;\n"
                                    "   gl_FragColor = c;\n"
                                    "}\n";

static const char *const attributes[] = { "position", NULL };
static const float square[] = { -1, -1, 1, -1, -1, 1, 1, 1 };

static GLuint
half_floats(int size_px, float value)
{
   float *texels = malloc((size_t)size_px * (size_t)size_px * sizeof(float[4]));
   GLuint texture;
   for (int i = 0; i < 4 * size_px * size_px; i++)
      texels[i] = value;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA16F, size_px, size_px, 0, GL_RGBA, GL_FLOAT, texels);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   free(texels);
   return texture;
}

static void
draw(const char *vertex, const char *fragment)
{
   const GLuint program = program_link_attributes(vertex, fragment, attributes);
   glUniform1f(glGetUniformLocation(program, "zero"), 0);
   glUniform1i(glGetUniformLocation(program, "before"), 1);
   glUniform1i(glGetUniformLocation(program, "finite"), 0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, square);
   glEnableVertexAttribArray(0);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

int
main(int argc, char **argv)
{
   const char *born = argc > 2 ? argv[1] : "";
   const int draws = argc > 2 ? atoi(argv[2]) : 0, size_px = argc > 3 ? atoi(argv[3]) : 16;
   if (draws < 1 || draws > 8 || size_px < 1)
      die("usage: way_cases vertex|fragment|uploaded DRAWS [SIZE_PX]");
   context_create_es3(display_open(), EGL_NO_CONTEXT);
   const struct target target = target_create(size_px, size_px);
   const GLuint finite = half_floats(size_px, 0.5f);
   GLuint before = half_floats(size_px, 1.0f / 0.0f);
   glEnable(GL_BLEND);
   glBlendFunc(GL_ONE, GL_ONE);
   for (int i = 0; i < draws; i++) {
      const GLuint image = i + 1 < draws ? half_floats(size_px, 0) : 0;
      if (image)
         glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, image, 0);
      else
         glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                                   target.colour);
      glActiveTexture(GL_TEXTURE1);
      glBindTexture(GL_TEXTURE_2D, before);
      glActiveTexture(GL_TEXTURE0);
      glBindTexture(GL_TEXTURE_2D, finite);
      if (i == 0 && !strcmp(born, "vertex"))
         draw(born_vertex, passed_fragment);
      else if (i == 0 && !strcmp(born, "fragment"))
         draw(whole_vertex, born_fragment);
      else
         draw(whole_vertex, next_fragment);
      before = image;
   }
   free(target_read(&target));
   no_error("at the end");
   return 0;
}
