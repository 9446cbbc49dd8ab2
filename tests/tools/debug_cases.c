/* SPDX-License-Identifier: MIT
 *
 * debug_cases CASE: a ship above the sea, drawn with one mistake of those that people make: the
 * cases of docs/debugging.md. Suite `tools` asks clipfree why about them.
 */
#include "gles2_context.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH_PX 320
#define HEIGHT_PX 240
#define MAP_PX 64

static const char sea_vertex[] = "attribute vec2 position;\n"
                                 "varying vec2 place;\n"
                                 "void main()\n"
                                 "{\n"
                                 "   place = position * 4.0;\n"
                                 "   gl_Position = vec4(position, 0.5, 1.0);\n"
                                 "}\n";
static const char sea_fragment[] = "precision mediump float;\n"
                                   "uniform sampler2D waves;\n"
                                   "varying vec2 place;\n"
                                   "void main() { gl_FragColor = texture2D(waves, place); }\n";
static const char ship_vertex[] = "attribute vec2 position;\n"
                                  "uniform float distance;\n"
                                  "void main()\n"
                                  "{\n"
                                  "   vec2 seen = position / distance;\n"
                                  "   gl_Position = vec4(seen, 0.0, 1.0);\n"
                                  "}\n";
static const char ship_fragment[] = "precision mediump float;\n"
                                    "uniform vec3 paint;\n"
                                    "uniform float light;\n"
                                    "void main() { gl_FragColor = vec4(paint * light, 1.0); }\n";

/* `phone`: lit by a lamp; the square of its distance in pixels is too large for 16 bits. */
static const char lamp_fragment[] = "precision mediump float;\n"
                                    "uniform vec3 paint;\n"
                                    "uniform vec3 lamp;\n"
                                    "void main()\n"
                                    "{\n"
                                    "   vec3 way = lamp - vec3(gl_FragCoord.xy, 0.0);\n"
                                    "   float light = 48000.0 / dot(way, way);\n"
                                    "   gl_FragColor = vec4(paint * light, 1.0);\n"
                                    "}\n";

static const char map_vertex[] = "attribute vec2 position;\n"
                                 "varying vec2 place;\n"
                                 "void main()\n"
                                 "{\n"
                                 "   place = position;\n"
                                 "   gl_Position = vec4(position, 0.0, 1.0);\n"
                                 "}\n";
static const char map_fragment[] =
   "precision mediump float;\n"
   "varying vec2 place;\n"
   "void main()\n"
   "{\n"
   "   float far = length(place);\n"
   "   float height = sqrt(0.75 - far);\n"
   "   vec3 foam = vec3(0.5, 0.375, 0.25) * height;\n"
   "   gl_FragColor = vec4(vec3(0.125, 0.375, 0.625) + foam, 1.0);\n"
   "}\n";

static const char *const attributes[] = { "position", NULL };

static bool
is(const char *chosen, const char *name)
{
   return !strcmp(chosen, name);
}

static void
draw(GLenum mode, const float *corners, int count)
{
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
   glEnableVertexAttribArray(0);
   glDrawArrays(mode, 0, count);
}

static const float square[] = { -1, -1, 1, -1, -1, 1, 1, 1 };

/* `map`: the waves are drawn, and their height has no value where `far` is above 0.75. */
static void
draw_map(void)
{
   GLint framebuffer;
   GLuint map;
   glGetIntegerv(GL_FRAMEBUFFER_BINDING, &framebuffer);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, MAP_PX, MAP_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   GLint texture;
   glGetIntegerv(GL_TEXTURE_BINDING_2D, &texture);
   glGenFramebuffers(1, &map);
   glBindFramebuffer(GL_FRAMEBUFFER, map);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, (GLuint)texture, 0);
   glViewport(0, 0, MAP_PX, MAP_PX);
   program_link_attributes(map_vertex, map_fragment, attributes);
   draw(GL_TRIANGLE_STRIP, square, 4);
   glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)framebuffer);
   glViewport(0, 0, WIDTH_PX, HEIGHT_PX);
}

/* `texture`: the filter asks for levels that the texture has not. */
static void
draw_sea(const char *chosen)
{
   static const uint8_t texels[4][4] = {
      { 20, 90, 160, 255 }, { 30, 110, 180, 255 }, { 30, 110, 180, 255 }, { 20, 90, 160, 255 }
   };
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   if (is(chosen, "map"))
      draw_map();
   else
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                   is(chosen, "texture") ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   program_link_attributes(sea_vertex, sea_fragment, attributes);
   draw(GL_TRIANGLE_STRIP, square, 4);
}

/* `culled`: its corners go round the wrong way; `number`: a distance that nobody set; `paint`: a
 * light that nobody set. */
static void
draw_ship(const char *chosen)
{
   static const float corners[] = { -1, -1, 1, -1, 0, 1 }, turned[] = { -1, -1, 0, 1, 1, -1 };
   const GLuint program = program_link_attributes(
      ship_vertex, is(chosen, "phone") ? lamp_fragment : ship_fragment, attributes);
   if (!is(chosen, "number"))
      glUniform1f(glGetUniformLocation(program, "distance"), 2);
   if (!is(chosen, "paint"))
      glUniform1f(glGetUniformLocation(program, "light"), 0.75f);
   glUniform3f(glGetUniformLocation(program, "paint"), 1, 0.25f, 0.125f);
   glUniform3f(glGetUniformLocation(program, "lamp"), 240, 200, 220);
   draw(GL_TRIANGLES, is(chosen, "culled") ? turned : corners, 3);
}

int
main(int argc, char **argv)
{
   const char *chosen = argc == 2 ? argv[1] : "";
   if (!is(chosen, "right") && !is(chosen, "culled") && !is(chosen, "depth") &&
       !is(chosen, "number") && !is(chosen, "texture") && !is(chosen, "paint") &&
       !is(chosen, "map") && !is(chosen, "phone"))
      die("usage: debug_cases right|culled|depth|number|texture|paint|map|phone");
   context_create(display_open(), EGL_NO_CONTEXT);
   target_create(WIDTH_PX, HEIGHT_PX);
   glEnable(GL_CULL_FACE);
   glEnable(GL_DEPTH_TEST);
   if (is(chosen, "depth"))
      glDepthFunc(GL_GREATER); /* and the depth buffer is cleared to 1 */
   glClearColor(0.75f, 0.85f, 0.95f, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   draw_sea(chosen);
   draw_ship(chosen);
   glFinish();
   return glGetError() != GL_NO_ERROR;
}
