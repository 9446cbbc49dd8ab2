/* SPDX-License-Identifier: MIT
 *
 * The cost of a frame by its contents: clears, overlapping layers in either order, kinds of
 * textures, vertices with eight lights each (or another number). Prints for each kind the processor
 * time of the process in microseconds, least and median of the frames. No window; LD_LIBRARY_PATH
 * and the environment select the driver. With a kind's name only that one is drawn (e.g. to capture
 * it: docs/replay.md).
 *
 *    frame_cost [frames [kind [lights]]]
 */
#include "cost.h"

#include <GLES2/gl2ext.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH_PX = 800, HEIGHT_PX = 600, MAX_FRAMES = 999, CELLS_X = 32, CELLS_Y = 24, LAYERS = 12, TEXTURE_PX = 256 };
enum { VERTICES = CELLS_X * CELLS_Y * 6 };
enum { SPHERE_X = 128, SPHERE_Y = 96, SPHERE_VERTICES = (SPHERE_X + 1) * (SPHERE_Y + 1), SPHERE_INDICES = SPHERE_X * SPHERE_Y * 6 };
enum { LIGHTS = 8, MAX_LIGHTS = 64 };

/* A layer is a relief that covers the whole window, at depth `place`. */
static const char vertex[] =
   "attribute vec3 position; uniform float place; varying vec2 at; varying vec3 normal;\n"
   "void main() { at = position.xy * 0.5 + 0.5; normal = vec3(position.xy, 0.5 + position.z);\n"
   "   gl_Position = vec4(position.xy, place + 0.02 * position.z, 1.0); }\n";

/* Every vertex is lit, diffuse and specular, by LIGHTS point lights; LIGHTS is defined in a line
 * before it. */
static const char vertex_lit[] =
   "attribute vec3 position; uniform float place; uniform vec4 lights[LIGHTS]; varying vec3 light;\n"
   "void main() { vec3 n = normalize(position); light = vec3(0.05);\n"
   "   for (int i = 0; i < LIGHTS; i++) {\n"
   "      vec3 to = lights[i].xyz - position; float near = inversesqrt(dot(to, to)); vec3 l = to * near;\n"
   "      vec3 halfway = normalize(l + vec3(0.0, 0.0, -1.0));\n"
   "      light += lights[i].w * near * (max(0.0, dot(n, l)) + pow(max(0.0, dot(n, halfway)), 20.0)); }\n"
   "   gl_Position = vec4(position.xy * 0.9, place + 0.02 * position.z, 1.0); }\n";
static const char fragment_lit[] = "precision mediump float; varying vec3 light;\n"
                                   "void main() { gl_FragColor = vec4(light, 1.0); }\n";

#define SHADE " gl_FragColor = vec4(c.rgb * (0.2 + 0.8 * max(0.0, dot(normalize(normal), vec3(0.48, 0.6, 0.64)))), 1.0); }\n"
static const char fragment_2d[] = "precision mediump float; varying vec2 at; varying vec3 normal; uniform sampler2D image;\n"
                                  "void main() { vec4 c = texture2D(image, at * 3.0);" SHADE;
static const char fragment_far[] = "precision mediump float; varying vec2 at; varying vec3 normal; uniform sampler2D image;\n"
                                   "void main() { vec4 c = texture2D(image, at * 11.0);" SHADE;
static const char fragment_cut[] = "precision mediump float; varying vec2 at; varying vec3 normal; uniform sampler2D image;\n"
                                   "void main() { vec4 c = texture2D(image, at * 3.0); if (c.a < 0.05) discard;" SHADE;
static const char fragment_cube[] =
   "precision mediump float; varying vec2 at; varying vec3 normal; uniform samplerCube image;\n"
   "void main() { vec4 c = textureCube(image, reflect(vec3(at, 1.0), normalize(normal)));" SHADE;

enum texture { PLAIN, MIPMAPPED, HALF_FLOAT, CUBE, TEXTURES };

static const struct kind {
   const char *name, *fragment;
   enum texture texture;
   int layers; /* below 0: back to front */
   int small;  /* not 0: draw only so many vertices of the first layer */
   /* lit: by vertex_lit; sphere: a sphere with its far side culled, instead of a relief */
   bool lit, sphere;
} kinds[] = {
   { "clear", fragment_2d, PLAIN, 0, 0, false, false },
   { "few", fragment_2d, PLAIN, 1, 60, false, false },
   { "layer", fragment_2d, PLAIN, 1, 0, false, false },
   { "front", fragment_2d, PLAIN, LAYERS, 0, false, false },
   { "back", fragment_2d, PLAIN, -LAYERS, 0, false, false },
   { "cutout", fragment_cut, PLAIN, LAYERS, 0, false, false },
   { "mipmapped", fragment_far, MIPMAPPED, 1, 0, false, false },
   { "half", fragment_2d, HALF_FLOAT, 1, 0, false, false },
   { "cube", fragment_cube, CUBE, 1, 0, false, false },
   { "lit", fragment_lit, PLAIN, 1, 0, true, false },
   { "lit-sphere", fragment_lit, PLAIN, 1, 0, true, true },
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Pseudo-random texels; one in eight is transparent. */
static void
fill_texels(uint8_t (*texels)[4])
{
   for (uint32_t i = 0; i < TEXTURE_PX * TEXTURE_PX; i++) {
      const uint32_t v = (i ^ i >> 5) * 2654435761u;
      const uint8_t texel[4] = { (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24),
                                 v >> 29 ? 255 : 0 };
      memcpy(texels[i], texel, 4);
   }
}

static void
make_texture(enum texture kind, const void *texels)
{
   const GLenum target = kind == CUBE ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
   const GLenum type = kind == HALF_FLOAT ? GL_HALF_FLOAT_OES : GL_UNSIGNED_BYTE;
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(target, texture);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER,
                   kind == MIPMAPPED ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR);
   for (uint32_t face = 0; face < (kind == CUBE ? 6 : 1); face++)
      glTexImage2D(kind == CUBE ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + face : GL_TEXTURE_2D, 0, GL_RGBA,
                   TEXTURE_PX, TEXTURE_PX, 0, GL_RGBA, type, kind == HALF_FLOAT ? NULL : texels);
   if (kind == MIPMAPPED)
      glGenerateMipmap(target);
}

static void
make_target(void)
{
   GLuint framebuffer, buffers[2];
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glGenRenderbuffers(2, buffers);
   glBindRenderbuffer(GL_RENDERBUFFER, buffers[0]);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8_OES, WIDTH_PX, HEIGHT_PX);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[0]);
   glBindRenderbuffer(GL_RENDERBUFFER, buffers[1]);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24_OES, WIDTH_PX, HEIGHT_PX);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffers[1]);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      cost_fail("the frame buffer is not complete");
   glViewport(0, 0, WIDTH_PX, HEIGHT_PX);
   glEnable(GL_DEPTH_TEST);
}

static GLuint
make_relief(void)
{
   static const uint8_t corners[6][2] = {
      { 0, 0 }, { 1, 0 }, { 0, 1 }, { 0, 1 }, { 1, 0 }, { 1, 1 }
   };
   static float positions[VERTICES][3];
   GLuint buffer;
   for (uint32_t i = 0; i < VERTICES; i++) {
      const uint32_t cell = i / 6, x = cell % CELLS_X + corners[i % 6][0],
                     y = cell / CELLS_X + corners[i % 6][1];
      positions[i][0] = 2.0f * (float)x / CELLS_X - 1.0f;
      positions[i][1] = 2.0f * (float)y / CELLS_Y - 1.0f;
      positions[i][2] = sinf((float)x) * cosf((float)y);
   }
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof positions, positions, GL_STATIC_DRAW);
   return buffer;
}

static void
use_mesh(const struct kind *kind, GLuint vertices)
{
   glBindBuffer(GL_ARRAY_BUFFER, vertices);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
   (kind->sphere ? glEnable : glDisable)(GL_CULL_FACE);
}

static void
set_lights(GLuint program, int count)
{
   float lights[MAX_LIGHTS][4];
   for (int i = 0; i < count; i++) {
      lights[i][0] = 3.0f * cosf((float)i);
      lights[i][1] = 3.0f * sinf((float)i);
      lights[i][2] = i % 2 ? 2.0f : -2.0f;
      lights[i][3] = 0.5f;
   }
   glUniform4fv(glGetUniformLocation(program, "lights"), count, lights[0]);
}

static GLuint
make_program(const struct kind *kind, int lights)
{
   char text[sizeof vertex_lit + 32];
   snprintf(text, sizeof text, "#define LIGHTS %d\n%s", lights, vertex_lit);
   return cost_program(kind->lit ? text : vertex, kind->fragment);
}

static void
draw_frame(const struct kind *kind, GLint place)
{
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   const int layers = abs(kind->layers);
   for (int i = 0; i < layers; i++) {
      const int layer = kind->layers < 0 ? layers - 1 - i : i;
      glUniform1f(place, -0.8f + 1.6f * (float)layer / LAYERS);
      if (kind->sphere)
         glDrawElements(GL_TRIANGLES, SPHERE_INDICES, GL_UNSIGNED_SHORT, NULL);
      else
         glDrawArrays(GL_TRIANGLES, 0, kind->small ? kind->small : VERTICES);
   }
   glFinish();
}

static void
measure(const struct kind *kind, GLuint vertices, const void *texels, int frames, int lights)
{
   double us[MAX_FRAMES];
   const GLuint program = make_program(kind, lights);
   glUseProgram(program);
   use_mesh(kind, vertices);
   set_lights(program, lights);
   make_texture(kind->texture, texels);
   for (int frame = 0; frame < frames; frame++) {
      const uint64_t begin_ns = cost_process_ns();
      draw_frame(kind, glGetUniformLocation(program, "place"));
      us[frame] = (double)(cost_process_ns() - begin_ns) * 1e-3;
   }
   const double median_us = cost_median(us, frames);
   printf("%-12s %9.0f %9.0f\n", kind->name, us[0], median_us);
}

/* Exit if there is no such kind. */
static void
check_kind(const char *name)
{
   for (int i = 0; i < KINDS; i++) {
      if (strcmp(name, kinds[i].name) == 0)
         return;
   }
   fprintf(stderr, "frame_cost: no kind is called %s; there are", name);
   for (int i = 0; i < KINDS; i++)
      fprintf(stderr, " %s", kinds[i].name);
   fputc('\n', stderr);
   exit(2);
}

/* Parse the number of lights; exit if it is invalid. */
static int
parse_lights(const char *text)
{
   char *end;
   const long lights = strtol(text, &end, 10);
   if (lights < 1 || lights > MAX_LIGHTS || *end) {
      fprintf(stderr, "frame_cost: the number of lights is %s, it may be 1 to %d\n", text,
              MAX_LIGHTS);
      exit(2);
   }
   return (int)lights;
}

int
main(int argc, char **argv)
{
   static uint8_t texels[TEXTURE_PX * TEXTURE_PX][4];
   const int frames = cost_repeats(argc, argv, 30, MAX_FRAMES);
   const char *only = argc > 2 ? argv[2] : NULL;
   if (only)
      check_kind(only);
   const int lights = argc > 3 ? parse_lights(argv[3]) : LIGHTS;
   cost_context(COST_ES2);
   fill_texels(texels);
   make_target();
   static float positions[SPHERE_VERTICES][3];
   const GLuint relief = make_relief(), sphere = cost_sphere(SPHERE_X, SPHERE_Y, positions);
   printf("%s\n%-12s %9s %9s\n", (const char *)glGetString(GL_RENDERER), "frame of", "least us",
          "median us");
   for (int i = 0; i < KINDS; i++)
      if (!only || strcmp(only, kinds[i].name) == 0)
         measure(&kinds[i], kinds[i].sphere ? sphere : relief, texels, frames, lights);
   return 0;
}
