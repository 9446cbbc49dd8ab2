/* SPDX-License-Identifier: MIT
 *
 * User clip planes (GL 2.1 section 2.12) as half-planes of pixels: nothing is cut, so what two
 * planes that are each other's negation let through of a primitive are two disjoint sets of pixels,
 * and together all of it; and exact ones: which side a pixel is on does not depend on the triangle
 * that it is a part of.
 */
#include "desktop_checks.h"

#include <string.h>

#define SCENES 60
#define TRIANGLES 12
#define PLANES 3

struct scene {
   float vertex[3 * TRIANGLES][4]; /* clip space: some behind the eye */
   GLenum kind;
};

/* Counts fragments: each adds one to its pixel. */
static void
begin_counting(void)
{
   glMatrixMode(GL_PROJECTION);
   glLoadIdentity();
   glMatrixMode(GL_MODELVIEW);
   glLoadIdentity();
   glEnable(GL_BLEND);
   glBlendFunc(GL_ONE, GL_ONE);
   glColor4ub(1, 1, 1, 1);
   glPointSize(3);
}

static struct scene
random_scene(uint64_t *seed, int n)
{
   static const GLenum kinds[] = { GL_TRIANGLES, GL_TRIANGLES,      GL_LINES,
                                   GL_POINTS,    GL_TRIANGLE_STRIP, GL_QUADS };
   struct scene s = { .kind = kinds[n % 6] };
   for (int i = 0; i < 3 * TRIANGLES; i++) {
      for (int k = 0; k < 3; k++)
         s.vertex[i][k] = (float)((int)random_below(seed, 65) - 32) / 16;
      s.vertex[i][2] /= 8;
      s.vertex[i][3] = (float)((int)random_below(seed, 20) - 3) / 4;
   }
   return s;
}

/* What the scene adds to each pixel. */
static void
count(const struct scene *s, uint8_t counts[SIZE_PX * SIZE_PX])
{
   glClear(GL_COLOR_BUFFER_BIT);
   glBegin(s->kind);
   for (int i = 0; i < 3 * TRIANGLES; i++)
      glVertex4fv(s->vertex[i]);
   glEnd();
   uint8_t *pixels = window_read(SIZE_PX, SIZE_PX);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
      counts[i] = pixels[4 * i];
   free(pixels);
}

/* A plane, turned round by `sign`: small integers, so that many vertices of triangles lie on it.
 * Points and lines do not: what lies in a plane is, as GL has it, on both of its sides. */
static void
set_plane(int i, const struct scene *s, const int plane[4], int sign)
{
   const double apart = s->kind == GL_POINTS || s->kind == GL_LINES ? 0x1p-10 : 0;
   glClipPlane(GL_CLIP_PLANE0 + i, (GLdouble[4]){ sign * plane[0], sign * plane[1], sign * plane[2],
                                                  sign * (plane[3] + apart) });
}

static void
random_plane(uint64_t *seed, int plane[4])
{
   for (int k = 0; k < 4; k++)
      plane[k] = (int)random_below(seed, 9) - 4;
   if (plane[0] == 0 && plane[1] == 0 && plane[2] == 0 && plane[3] == 0)
      plane[3] = 1;
}

/* All the sides of up to three planes that lie obliquely: their fragments add up to those without a
 * plane. */
static void
check_sides(const char *what)
{
   uint64_t seed = 1;
   int seen = 0;
   begin_counting();
   for (int n = 0; n < SCENES; n++) {
      const struct scene s = random_scene(&seed, n);
      const int planes = 1 + n % PLANES;
      int plane[PLANES][4];
      uint8_t whole[SIZE_PX * SIZE_PX], sum[SIZE_PX * SIZE_PX] = { 0 };
      count(&s, whole);
      for (int i = 0; i < planes; i++) {
         random_plane(&seed, plane[i]);
         glEnable(GL_CLIP_PLANE0 + i);
      }
      for (int side = 0; side < 1 << planes; side++) {
         uint8_t part[SIZE_PX * SIZE_PX];
         for (int i = 0; i < planes; i++)
            set_plane(i, &s, plane[i], side >> i & 1 ? -1 : 1);
         count(&s, part);
         for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
            sum[i] += part[i];
      }
      for (int i = 0; i < planes; i++)
         glDisable(GL_CLIP_PLANE0 + i);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
         if (sum[i] != whole[i])
            die("%s: scene %d, pixel (%d, %d): %d fragments without a plane, %d on the sides of %d of them", what, n,
                i % SIZE_PX, i / SIZE_PX, whole[i], sum[i], planes);
         seen += whole[i];
      }
   }
   if (seen < 100 * SCENES)
      die("%s: only %d fragments", what, seen);
   no_error("clipping");
}

void
check_clip_planes(void)
{
   check_sides("glClipPlane");
}

/* The position that planes see is another one than that of the picture. */
void
check_clip_vertex(void)
{
   use_shaders("void main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Color;\n"
               "gl_ClipVertex = vec4(gl_Vertex.y - gl_Vertex.z, gl_Vertex.x, gl_Vertex.w, 2.0 * gl_Vertex.x + 17.0 / 32.0); }",
               NULL);
   check_sides("gl_ClipVertex");
}

/* ---- ties ----
 * A mesh of the plane z = 0 whose vertices are random points of a grid of eighths of a pixel; the plane a x + b y + c = 0, in
 * half pixels, passes through the centres of pixels. A pixel's centre has an integer distance from it: positive ones are in,
 * negative ones out, and of those at 0 either all are in or none, whatever triangle they belong to. */

#define CELLS 5

static void
draw_mesh(float points[CELLS + 1][CELLS + 1][2])
{
   for (int y = 0; y < CELLS; y++) {
      glBegin(GL_TRIANGLE_STRIP);
      for (int x = 0; x <= CELLS; x++) {
         glVertex2fv(points[y][x]);
         glVertex2fv(points[y + 1][x]);
      }
      glEnd();
   }
}

static void
random_mesh(uint64_t *seed, float points[CELLS + 1][CELLS + 1][2])
{
   for (int y = 0; y <= CELLS; y++)
      for (int x = 0; x <= CELLS; x++) {
         const int at[2] = { x, y };
         for (int k = 0; k < 2; k++) {
            const bool border = at[k] == 0 || at[k] == CELLS;
            const float cell_px = (float)SIZE_PX / CELLS,
                        jitter_px = border ? 0 : (float)random_below(seed, 49) / 8 - 3;
            points[y][x][k] =
               at[k] == CELLS ? SIZE_PX : (float)(int)(8 * cell_px * at[k]) / 8 + jitter_px;
         }
      }
}

static int
distance(const int plane[3], int x, int y)
{
   return plane[0] * (2 * x + 1) + plane[1] * (2 * y + 1) + plane[2];
}

void
check_clip_ties(void)
{
   uint64_t seed = 2;
   int ties = 0;
   begin_counting();
   window_in_pixels(SIZE_PX, SIZE_PX);
   glEnable(GL_CLIP_PLANE0);
   for (int n = 0; n < SCENES; n++) {
      float points[CELLS + 1][CELLS + 1][2];
      int plane[3] = { (int)random_below(&seed, 15) - 7, (int)random_below(&seed, 15) - 7, 0 },
          on_plane = -1;
      const int x = 16 + random_below(&seed, 32), y = 16 + random_below(&seed, 32);
      if (plane[0] == 0 && plane[1] == 0)
         plane[0] = 1;
      plane[2] = -plane[0] * (2 * x + 1) - plane[1] * (2 * y + 1);
      random_mesh(&seed, points);
      glClipPlane(GL_CLIP_PLANE0, (GLdouble[4]){ 2 * plane[0], 2 * plane[1], 0, plane[2] });
      glClear(GL_COLOR_BUFFER_BIT);
      draw_mesh(points);
      uint8_t *pixels = window_read(SIZE_PX, SIZE_PX);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
         const int d = distance(plane, i % SIZE_PX, i / SIZE_PX), have = pixels[4 * i];
         if (d == 0 && on_plane < 0)
            on_plane = have;
         ties += d == 0;
         if (have != (d > 0 ? 1 : d < 0 ? 0 : on_plane))
            die("mesh %d, plane (%d, %d, %d): pixel (%d, %d), distance %d, has %d fragments", n,
                plane[0], plane[1], plane[2], i % SIZE_PX, i / SIZE_PX, d, have);
      }
      free(pixels);
   }
   if (ties < 5 * SCENES)
      die("only %d pixels lie on planes", ties);
}

/* ---- samples ----
 * With four samples a plane takes samples, not pixels: an upright plane at a quarter, a half and three quarters of a pixel leaves
 * a quarter, a half or three quarters of its column, as the rotated grid has one sample in each quarter. */

void
check_clip_samples(void)
{
   GLuint renderbuffers[2], framebuffers[2];
   glGenFramebuffers(2, framebuffers);
   glGenRenderbuffers(2, renderbuffers);
   for (int i = 0; i < 2; i++) {
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[i]);
      glBindRenderbuffer(GL_RENDERBUFFER, renderbuffers[i]);
      glRenderbufferStorageMultisample(GL_RENDERBUFFER, i == 0 ? 4 : 0, GL_RGBA8, SIZE_PX, SIZE_PX);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                                renderbuffers[i]);
   }
   window_in_pixels(SIZE_PX, SIZE_PX);
   glEnable(GL_CLIP_PLANE0);
   for (int quarter = 0; quarter < 4; quarter++) {
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
      glClear(GL_COLOR_BUFFER_BIT);
      glClipPlane(GL_CLIP_PLANE0, (GLdouble[4]){ -1, 0, 0, 20 + quarter / 4.0 });
      glRectf(0, 0, SIZE_PX, SIZE_PX);
      glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers[0]);
      glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffers[1]);
      glBlitFramebuffer(0, 0, SIZE_PX, SIZE_PX, 0, 0, SIZE_PX, SIZE_PX, GL_COLOR_BUFFER_BIT,
                        GL_NEAREST);
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[1]);
      uint8_t *pixels = window_read(SIZE_PX, SIZE_PX);
      for (int i = 0; i < SIZE_PX * SIZE_PX; i++) {
         const int x = i % SIZE_PX;
         const double grey = x < 20 ? 255 : x == 20 ? 255 * quarter / 4.0 : 0;
         expect_rgb(pixels + 4 * i, "quarters of a pixel", x, i / SIZE_PX, grey, grey, grey, 0.76);
      }
      free(pixels);
   }
   no_error("drawing with samples");
}
