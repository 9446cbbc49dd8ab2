/* SPDX-License-Identifier: MIT
 *
 * Checks of 4x multisampling from outside: edges, lines, points, sample coverage, alpha to
 * coverage, depth, blending, centroid varyings and resolve, in pbuffers of X11 and of no window
 * system, in renderbuffers that a blit resolves, and in textures of
 * EXT_multisampled_render_to_texture. What a pixel is to be is computed here, from the positions of
 * the samples. `multisample_checks NAME` runs one; `multisample_checks --list` lists them.
 */
#include "multisample_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- coverage, depth, blending */

static void
expect_all(const struct target *target, enum place place, int value, const char *what, float amount)
{
   uint8_t *pixels = place_read(target, place);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      if (pixels[4 * i] != value)
         die("%s %g: pixel (%d, %d) is %d, not %d", what, amount, i % SIZE_PX, i / SIZE_PX,
             pixels[4 * i], value);
   }
   free(pixels);
}

/* glSampleCoverage keeps the samples it says; and inverted, the others. */
static void
check_sample_coverage(EGLDisplay display, enum place place)
{
   struct target target = place_create(display, place);
   glEnable(GL_SAMPLE_COVERAGE);
   for (int kept = 0; kept <= 4; kept++) {
      for (int invert = 0; invert < 2; invert++) {
         glClear(GL_COLOR_BUFFER_BIT);
         glSampleCoverage(kept / 4.0f, invert);
         draw_rectangle(-1, -1, 1, 1, 0, white);
         expect_all(&target, place, ((invert ? 4 - kept : kept) * 255 + 2) / 4,
                    invert ? "inverted coverage" : "coverage", kept / 4.0f);
      }
   }
   /* both halves together are everything */
   glClear(GL_COLOR_BUFFER_BIT);
   for (int invert = 0; invert < 2; invert++) {
      glSampleCoverage(0.5f, invert);
      draw_rectangle(-1, -1, 1, 1, 0, white);
   }
   expect_all(&target, place, 255, "both halves of coverage", 0.5f);
}

static void
check_alpha_to_coverage(EGLDisplay display, enum place place)
{
   struct target target = place_create(display, place);
   int before = 0;
   glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
   for (int alpha = 0; alpha <= 16; alpha++) {
      const float colour[4] = { 1, 1, 1, alpha / 16.0f };
      glClear(GL_COLOR_BUFFER_BIT);
      draw_rectangle(-1, -1, 1, 1, 0, colour);
      uint8_t *pixels = place_read(&target, place);
      const int value = pixels[0];
      free(pixels);
      if (value < before || fabsf(value / 255.0f - alpha / 16.0f) > 0.126f)
         die("alpha %d/16 covers %d/255", alpha, value);
      expect_all(&target, place, value, "alpha to coverage everywhere", alpha / 16.0f);
      before = value;
   }
   if (before != 255)
      die("alpha 1 covers %d/255", before);
}

/* A level and a rising rectangle cross in the middle of a column: there each sample shows the
 * nearer one. */
static void
check_depth(EGLDisplay display, enum place place)
{
   struct target target = place_create(display, place);
   static const int column = 20;
   const float cross_at = (column + 0.5f) * 2 / SIZE_PX - 1; /* x, and the depth of both there */
   const float rising[6][8] = {
      { -1, -1, -1, 1, 0, 1, 0, 1 }, { 1, -1, 1, 1, 0, 1, 0, 1 }, { 1, 1, 1, 1, 0, 1, 0, 1 },
      { -1, -1, -1, 1, 0, 1, 0, 1 }, { 1, 1, 1, 1, 0, 1, 0, 1 },  { -1, 1, -1, 1, 0, 1, 0, 1 },
   };
   glEnable(GL_DEPTH_TEST);
   draw_rectangle(-1, -1, 1, 1, cross_at, red);
   draw_vertices(rising, 6);
   uint8_t *pixels = place_read(&target, place);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
      int nearer = 0;
      for (int s = 0; s < 4; s++)
         nearer += i % SIZE_PX * UNITS + sample_position[s][0] < column * UNITS + UNITS / 2;
      if (pixels[4 * i] != ((4 - nearer) * 255 + 2) / 4 ||
          pixels[4 * i + 1] != (nearer * 255 + 2) / 4)
         die("pixel (%d, %d) is %d, %d with %d samples of the rising rectangle in front",
             i % SIZE_PX, i / SIZE_PX, pixels[4 * i], pixels[4 * i + 1], nearer);
   }
   free(pixels);
}

/* Two triangles that share a slanted edge, blended: no sample gets both or neither. Reading in
 * between changes nothing in a frame buffer that keeps its samples. */
static void
check_blend(EGLDisplay display, enum place place)
{
   struct target target = place_create(display, place);
   const float half[4] = { 0.4f, 0.4f, 0.4f, 0.4f };
   const float corner[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } };
   const float bend[2] = { -0.315f, 0.217f };
   glEnable(GL_BLEND);
   glBlendFunc(GL_ONE, GL_ONE);
   for (int i = 0; i < 4; i++) {
      float vertices[3][8] = { { 0 } };
      const float *const at[3] = { corner[i], corner[(i + 1) % 4], bend };
      for (int k = 0; k < 3; k++) {
         memcpy(vertices[k], at[k], sizeof(bend));
         vertices[k][3] = 1;
         memcpy(vertices[k] + 4, half, sizeof(half));
      }
      draw_vertices((const float(*)[8])vertices, 3);
      if (place != TEXTURE)
         free(place_read(&target, place));
   }
   expect_all(&target, place, 102, "four triangles", 0.4f);
}

/* ------------------------------------------------------------------------------------- centroid */

/* Draws random triangles whose varying is the barycentric coordinates. Returns the number of pixels
 * where one is negative. */
static int
pixels_outside(const struct target *target, enum place place, const char *qualifier)
{
   char vertex[300], fragment[300];
   uint64_t seed = 3;
   int outside = 0;
   snprintf(vertex, sizeof(vertex),
            "#version 120\nattribute vec4 position, colour; %s varying vec4 v;\n"
            "void main() { gl_Position = position; v = colour; }\n",
            qualifier);
   snprintf(fragment, sizeof(fragment), "#version 120\n%s varying vec4 v;\n"
                                        "void main() { gl_FragColor = any(lessThan(v.xyz, vec3(-0.00001))) ? vec4(1.0) : vec4(0.0); }\n",
            qualifier);
   const GLuint program = program_create(vertex, fragment);
   for (int n = 0; n < 40; n++) {
      static const float corner[3][4] = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } };
      struct point t[3];
      float vertices[3][8];
      random_triangle(&seed, t);
      for (int i = 0; i < 3; i++)
         point_to_vertex(t[i], corner[i], vertices[i]);
      glClear(GL_COLOR_BUFFER_BIT);
      draw_vertices((const float(*)[8])vertices, 3);
      uint8_t *pixels = place_read(target, place);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
         outside += pixels[4 * i] != 0;
      free(pixels);
   }
   glDeleteProgram(program);
   return outside;
}

/* Varyings of pixels that a triangle covers in part may be those of a place outside of it; not if
 * they are centroid. */
static void
check_centroid(EGLDisplay display, enum place place)
{
   const struct target target = place_create(display, place);
   const int smooth = pixels_outside(&target, place, ""),
             centroid = pixels_outside(&target, place, "centroid");
   if (smooth < 100 || centroid)
      die("%d pixels have varyings of outside, %d though these are centroid", smooth, centroid);
}

/* ------------------------------------------------------------------ two triangles of one plane */

/* A texture whose neighbours differ in x by red, in y by green. */
static void
create_checks_texture(int width, int height)
{
   uint8_t *texels = calloc((size_t)width * height, 4);
   for (int i = 0; i < width * height; i++) {
      texels[4 * i] = i % width & 1 ? 255 : 0;
      texels[4 * i + 1] = i / width & 1 ? 255 : 0;
   }
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   free(texels);
}

/* A rectangle of two triangles, of pixels, from (x, y); texture coordinates are 0 to `repeats`,
 * turned round where `turned` says so; its diagonal is one of two. */
static void
draw_two_triangles(int x, int y, int width, int height, int repeats, int turned)
{
   static const int order[2][6] = { { 0, 1, 2, 2, 1, 3 }, { 1, 3, 0, 0, 3, 2 } };
   float corner[4][8], vertices[6][8];
   for (int i = 0; i < 4; i++) {
      const int right = i & 1, upper = i >> 1;
      const float coordinates[4] = { (float)(repeats * (right ^ (turned & 1))),
                                     (float)(repeats * (upper ^ (turned >> 1 & 1))) };
      point_to_vertex((struct point){ (x + right * width) * UNITS, (y + upper * height) * UNITS },
                      coordinates, corner[i]);
   }
   for (int i = 0; i < 6; i++)
      memcpy(vertices[i], corner[order[turned >> 2 & 1][i]], sizeof(vertices[i]));
   draw_vertices((const float(*)[8])vertices, 6);
}

/* Where the centres of all pixels lie on borders of texels, either texel is right, but both
 * triangles that share a pixel have to take the same: no pixel is a mean of several texels. */
static void
check_coplanar(EGLDisplay display, enum place place)
{
   const struct target target = place_create(display, place);
   GLuint texture;
   uint64_t seed = 11;
   int mixed = 0;
   program_create("attribute vec4 position, colour; varying vec2 v;\n"
                  "void main() { gl_Position = position; v = colour.xy; }\n",
                  "#ifdef GL_ES\nprecision highp float;\n#endif\n"
                  "uniform sampler2D s; varying vec2 v;\n"
                  "void main() { gl_FragColor = texture2D(s, v); }\n");
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   for (int n = 0; n < 64; n++) {
      const int width = n < 16 ? 3 + 2 * n : 3 + (int)random_below(&seed, SIZE_PX - 4),
                height = 3 + (int)random_below(&seed, SIZE_PX - 4);
      const int x = (int)random_below(&seed, SIZE_PX - width),
                y = (int)random_below(&seed, SIZE_PX - height);
      create_checks_texture(2 * width, 2 * height);
      glClear(GL_COLOR_BUFFER_BIT);
      draw_two_triangles(x, y, width, height, n & 8 ? 3 : 1, n);
      uint8_t *pixels = place_read(&target, place);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
         mixed += (pixels[4 * i] != 0 && pixels[4 * i] != 255) ||
                  (pixels[4 * i + 1] != 0 && pixels[4 * i + 1] != 255);
      free(pixels);
   }
   if (mixed)
      die("%d pixels are means of several texels", mixed);
}

/* ---------------------------------------------------------------------------------- all of them */

static const struct {
   const char *name;
   void (*run)(EGLDisplay display, enum place place);
   enum place first, last;
} checks[] = {
   { "resolve-beyond", check_resolve_beyond, RENDERBUFFER, RENDERBUFFER },
   { "counts", check_counts, TEXTURE, TEXTURE },
   { "edges", check_edges, PBUFFER, TEXTURE },
   { "lines", check_lines, PBUFFER, TEXTURE },
   { "points", check_points, PBUFFER, TEXTURE },
   { "sample-coverage", check_sample_coverage, PBUFFER, TEXTURE },
   { "alpha-to-coverage", check_alpha_to_coverage, PBUFFER, TEXTURE },
   { "depth", check_depth, PBUFFER, TEXTURE },
   { "blend", check_blend, PBUFFER, TEXTURE },
   { "centroid", check_centroid, RENDERBUFFER, RENDERBUFFER },
   { "coplanar", check_coplanar, SURFACELESS, TEXTURE },
   { "sampled", check_sampled, TEXTURE, TEXTURE },
   { "scaled", check_scaled, RENDERBUFFER, RENDERBUFFER },
};

int
main(int argc, char **argv)
{
   const char *wanted = argc == 2 ? argv[1] : "";
   const bool list = !strcmp(wanted, "--list");
   for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
      for (enum place place = checks[i].first; place <= checks[i].last; place++) {
         char name[64];
         snprintf(name, sizeof(name), "%s-%s", checks[i].name, place_name[place]);
         if (list)
            printf("%s\n", name);
         if (strcmp(wanted, name))
            continue;
         checks[i].run(display_open(), place);
         return 0;
      }
   }
   if (list)
      return 0;
   printf("usage: multisample_checks --list | NAME\n");
   return 2;
}
