/* SPDX-License-Identifier: MIT
 *
 * debug_cases CASE [FILE.ppm]: a ship above the sea, drawn with one mistake of those that people
 * make: the cases of docs/debugging.md. Suite `tools` asks clipfree why about them. The picture is
 * written to the file, so that any driver's can be looked at.
 */
#include "gles2_context.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH_PX 320
#define HEIGHT_PX 240
#define MAP_PX 64
#define WAKE_PARTS 18 /* the last ends at 83 */

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

/* `wake`: the sea from a ship's stern, with what it leaves behind on the water. Both lie in the
 * plane y = -1, seen from 1 on, without a far plane, while the ship rolls. */
static const char deck_vertex[] =
   "attribute vec2 position;\n"
   "void main()\n"
   "{\n"
   "   float away = position.y;\n"
   "   vec2 seen = mat2(0.96, 0.28, -0.28, 0.96) * vec2(position.x, -1.0);\n"
   "   gl_Position = vec4(seen, away - 2.0, away);\n"
   "}\n";
static const char wake_fragment[] = "precision mediump float;\n"
                                    "void main() { gl_FragColor = vec4(0.9, 0.95, 1.0, 1.0); }\n";

/* `glow`: a ship lit by a lamp at a pixel's centre, in half floats; then a glow around all
 * that is bright, along two diagonals. */
static const char glow_fragment[] = "precision highp float;\n"
                                    "uniform vec3 paint;\n"
                                    "uniform vec2 lamp;\n"
                                    "void main()\n"
                                    "{\n"
                                    "   vec2 way = lamp - gl_FragCoord.xy;\n"
                                    "   vec2 ray = normalize(way);\n"
                                    "   float light = 0.75 + 0.25 * dot(ray, vec2(0.6, 0.8));\n"
                                    "   gl_FragColor = vec4(paint * light, 1.0);\n"
                                    "}\n";
static const char star_fragment[] =
   "precision highp float;\n"
   "uniform sampler2D scene;\n"
   "uniform vec2 texel;\n"
   "varying vec2 place;\n"
   "void main()\n"
   "{\n"
   "   vec3 star = vec3(0.0);\n"
   "   for (int i = -20; i <= 20; i++) {\n"
   "      vec2 along = texel * float(i);\n"
   "      star += texture2D(scene, place + along).rgb;\n"
   "      star += texture2D(scene, place + along * vec2(1.0, -1.0)).rgb;\n"
   "   }\n"
   "   vec3 here = texture2D(scene, place).rgb;\n"
   "   gl_FragColor = vec4(0.75 * here + 0.25 * star / 82.0, 1.0);\n"
   "}\n";
static const char whole_vertex[] = "attribute vec2 position;\n"
                                   "varying vec2 place;\n"
                                   "void main()\n"
                                   "{\n"
                                   "   place = position * 0.5 + 0.5;\n"
                                   "   gl_Position = vec4(position, 0.0, 1.0);\n"
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
   const char *fragment = is(chosen, "phone")  ? lamp_fragment
                          : is(chosen, "glow") ? glow_fragment
                                               : ship_fragment;
   const GLuint program = program_link_attributes(ship_vertex, fragment, attributes);
   if (!is(chosen, "number"))
      glUniform1f(glGetUniformLocation(program, "distance"), 2);
   if (!is(chosen, "paint"))
      glUniform1f(glGetUniformLocation(program, "light"), 0.75f);
   glUniform3f(glGetUniformLocation(program, "paint"), 1, 0.25f, 0.125f);
   if (is(chosen, "glow"))
      glUniform2f(glGetUniformLocation(program, "lamp"), 160.5f, 100.5f);
   else
      glUniform3f(glGetUniformLocation(program, "lamp"), 240, 200, 220);
   draw(GL_TRIANGLES, is(chosen, "culled") ? turned : corners, 3);
}

/* The sea up to the horizon, and the wake upon it. */
static void
draw_wake(void)
{
   static const float sea[] = { -2, 1, 2, 1, -192, 96, 192, 96 };
   float wake[2 * WAKE_PARTS + 2][2], away = 1.5f;
   for (int i = 0; i <= WAKE_PARTS; i++, away *= 1.25f) {
      const float half = 0.5f + 0.1f * away;
      memcpy(wake[2 * i], (float[]){ -half, away, half, away }, sizeof(float[4]));
   }
   const GLuint program = program_link_attributes(deck_vertex, ship_fragment, attributes);
   glDepthFunc(GL_LEQUAL);
   glUniform1f(glGetUniformLocation(program, "light"), 1);
   glUniform3f(glGetUniformLocation(program, "paint"), 0.09f, 0.4f, 0.66f);
   draw(GL_TRIANGLE_STRIP, sea, 4);
   program_link_attributes(deck_vertex, wake_fragment, attributes);
   draw(GL_TRIANGLE_STRIP, wake[0], 2 * WAKE_PARTS + 2);
}

/* A texture of half floats in the place of the frame buffer's colour. */
static GLuint
draw_to_halves(void)
{
   GLuint scene;
   glGenTextures(1, &scene);
   glBindTexture(GL_TEXTURE_2D, scene);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, WIDTH_PX, HEIGHT_PX, 0, GL_RGBA, GL_HALF_FLOAT_OES,
                NULL);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, scene, 0);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      die("half floats cannot be drawn to");
   return scene;
}

static void
draw_glow(const struct target *target, GLuint scene)
{
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target->colour);
   glDisable(GL_DEPTH_TEST);
   glBindTexture(GL_TEXTURE_2D, scene);
   const GLuint program = program_link_attributes(whole_vertex, star_fragment, attributes);
   glUniform2f(glGetUniformLocation(program, "texel"), 1.0f / WIDTH_PX, 1.0f / HEIGHT_PX);
   draw(GL_TRIANGLE_STRIP, square, 4);
}

static void
draw_all(const char *chosen, const struct target *target)
{
   const GLuint scene = is(chosen, "glow") ? draw_to_halves() : 0;
   glEnable(GL_CULL_FACE);
   glEnable(GL_DEPTH_TEST);
   if (is(chosen, "depth"))
      glDepthFunc(GL_GREATER); /* and the depth buffer is cleared to 1 */
   glClearColor(0.75f, 0.85f, 0.95f, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   if (is(chosen, "wake")) {
      draw_wake();
   } else {
      draw_sea(chosen);
      draw_ship(chosen);
   }
   if (scene)
      draw_glow(target, scene);
}

/* The uppermost row first. */
static void
write_picture(const char *path, const struct target *target)
{
   uint8_t *pixels = target_read(target);
   FILE *file = fopen(path, "wb");
   if (!file)
      die("cannot write %s", path);
   fprintf(file, "P6 %d %d 255\n", WIDTH_PX, HEIGHT_PX);
   for (int y = HEIGHT_PX; y-- > 0;) {
      for (int x = 0; x < WIDTH_PX; x++)
         fwrite(pixels + 4 * (y * WIDTH_PX + x), 1, 3, file);
   }
   if (fclose(file))
      die("cannot write %s", path);
   free(pixels);
}

int
main(int argc, char **argv)
{
   static const char *const cases[] = { "right", "culled", "depth", "number", "texture",
                                        "paint", "map",    "phone", "wake",   "glow" };
   const char *chosen = NULL;
   for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      if (argc > 1 && is(argv[1], cases[i]))
         chosen = cases[i];
   }
   if (!chosen || argc > 3)
      die("usage: debug_cases right|culled|depth|number|texture|paint|map|phone|wake|glow [FILE]");
   context_create(display_open(), EGL_NO_CONTEXT);
   const struct target target = target_create(WIDTH_PX, HEIGHT_PX);
   draw_all(chosen, &target);
   glFinish();
   if (argc > 2)
      write_picture(argv[2], &target);
   return glGetError() != GL_NO_ERROR;
}
