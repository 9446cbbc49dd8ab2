/* SPDX-License-Identifier: MIT
 *
 * Paper A's Fig. 5 and what it does not show: how exact set-up has to be. The driver's
 * CLIPFREE_SETUP chooses the policy; each picture prints how many pixels are wrong by a reference
 * in double precision on the same f32 vertices, and fails unless the policy is `exact` (or none is
 * named) and there are none, or it is another one.
 *
 * touching  a cone and the sphere inscribed in it, which it hides: they touch, once on each face of
 * the cone. Where the
 *           sphere shows through, depth was interpolated wrongly.
 * fans      256 fans of triangles round hubs at centres of pixels. Every pixel inside must be drawn once.
 */
#include "gl_window.h"
#include "scan.h"

#include <math.h>
#include <string.h>

#define SIZE_PX 512

static const double pi = 3.14159265358979323846;

/* ---- meshes in clip space ---- */

#define MAX_VERTICES 130000

struct mesh {
   int count; /* three a triangle */
   struct vertex vertex[MAX_VERTICES];
};

static void
add(struct mesh *mesh, struct vertex v)
{
   if (mesh->count == MAX_VERTICES)
      die("a mesh is too large");
   mesh->vertex[mesh->count++] = v;
}

static void
add_triangle(struct mesh *mesh, struct vertex a, struct vertex b, struct vertex c)
{
   add(mesh, a);
   add(mesh, b);
   add(mesh, c);
}

static void
draw_mesh(const struct mesh *mesh)
{
   glEnableClientState(GL_VERTEX_ARRAY);
   glVertexPointer(4, GL_FLOAT, 0, mesh->vertex);
   glDrawArrays(GL_TRIANGLES, 0, mesh->count);
}

/* ---- the reference ---- */

static void
scan_mesh(const struct mesh *mesh, double slack, scan_visit visit)
{
   for (int i = 0; i < mesh->count; i += 3)
      scan_triangle(&mesh->vertex[i], SIZE_PX, slack, visit);
}

/* What the program says at its end: the count, and whether it may be so. */
static void
judge(int wrong, const char *what)
{
   const char *policy = getenv("CLIPFREE_SETUP");
   printf("%d %s\n", wrong, what);
   if (wrong != 0 && (!policy || strcmp(policy, "exact") == 0))
      die("set-up is not exact");
}

/* ---- touching ---- */

#define SIDES 256
#define BANDS 64
#define RINGS 40

/* Steps of the depth buffer: two depths nearer to each other than one may be stored as the same. */
#define DEPTH_STEP (1.0 / ((1 << 24) - 1))

static struct mesh cone, sphere;

/* The cone's faces are planes; its tip is at height 2, its base at -1, and the distance of its
 * faces from the axis there 1.5. */
static const double tip = 2, base = -1, apothem = 1.5;

/* Turned, moved, in perspective (near 4, far 16). */
static struct vertex
clip_vertex(double x, double y, double z)
{
   const double turn = 0.35, near = 4, far = 16;
   const double turned_y = y * cos(turn) - z * sin(turn), depth = y * sin(turn) + z * cos(turn) - 9;
   return (struct vertex){
      (float)(x * 4.2), (float)((turned_y - 0.4) * 4.2),
      (float)(-(far + near) / (far - near) * depth - 2 * far * near / (far - near)), (float)-depth
   };
}

static double
azimuth(int side)
{
   return 2 * pi * (side + 0.5) / SIDES;
}

/* A corner of the cone between two sides, `share` of the way down. */
static struct vertex
cone_vertex(int side, double share)
{
   const double radius = share * apothem / cos(pi / SIDES), angle = 2 * pi * side / SIDES;
   return clip_vertex(radius * cos(angle), tip + share * (base - tip), radius * sin(angle));
}

/* On the inscribed sphere of radius 1, where its normal has latitude `ring`; ring 0 touches the
 * cone's faces. */
static struct vertex
sphere_vertex(int side, double latitude)
{
   const double slope = atan2(apothem, tip - base), radius = 0.7,
                centre = tip - radius / sin(slope);
   const double up = slope + latitude;
   return clip_vertex(radius * cos(up) * cos(azimuth(side)), centre + radius * sin(up),
                      radius * cos(up) * sin(azimuth(side)));
}

static void
make_cone(void)
{
   for (int side = 0; side < SIDES; side++)
      for (int band = 0; band < BANDS; band++) {
         const double above = band / (double)BANDS, below = (band + 1) / (double)BANDS;
         const struct vertex a = cone_vertex(side, above), b = cone_vertex(side + 1, above),
                             c = cone_vertex(side + 1, below), d = cone_vertex(side, below);
         add_triangle(&cone, a, c, d);
         if (band > 0)
            add_triangle(&cone, a, b, c);
      }
}

/* Rings of latitudes round the one that touches. */
static void
make_sphere(void)
{
   for (int side = 0; side < SIDES; side++)
      for (int ring = -RINGS; ring < RINGS; ring++) {
         const double low = ring * 0.01, high = (ring + 1) * 0.01;
         const struct vertex a = sphere_vertex(side, low), b = sphere_vertex(side + 1, low),
                             c = sphere_vertex(side + 1, high), d = sphere_vertex(side, high);
         add_triangle(&sphere, a, b, c);
         add_triangle(&sphere, a, c, d);
      }
}

static void
draw_touching(void)
{
   make_cone();
   make_sphere();
   glClearColor(0.15, 0.15, 0.2, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   glColor3f(0.2, 0.4, 0.9);
   draw_mesh(&cone);
   glColor3f(1, 0.85, 0.1);
   draw_mesh(&sphere);
}

static double cone_depth[SIZE_PX][SIZE_PX], sphere_depth[SIZE_PX][SIZE_PX];

static void
visit_cone(int x, int y, double depth, const double barycentric[3])
{
   (void)barycentric;
   cone_depth[y][x] = fmin(cone_depth[y][x], depth);
}

static void
visit_sphere(int x, int y, double depth, const double barycentric[3])
{
   (void)barycentric;
   sphere_depth[y][x] = fmin(sphere_depth[y][x], depth);
}

static void
check_touching(const uint8_t *pixels)
{
   int wrong = 0, near = 0;
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
      cone_depth[i / SIZE_PX][i % SIZE_PX] = sphere_depth[i / SIZE_PX][i % SIZE_PX] = 2;
   scan_mesh(&cone, 1e-9, visit_cone);
   scan_mesh(&sphere, 1e-9, visit_sphere);
   for (int y = 0; y < SIZE_PX; y++)
      for (int x = 0; x < SIZE_PX; x++) {
         const double behind = sphere_depth[y][x] - cone_depth[y][x];
         const bool shows = pixel_at(pixels, SIZE_PX, x, y)[0] > 200;
         near += fabs(behind) < 64 * DEPTH_STEP;
         wrong += shows ? behind > DEPTH_STEP : behind < -DEPTH_STEP;
      }
   if (near < 100)
      die("sphere and cone do not touch: %d pixels", near);
   judge(wrong, "pixels show what is hidden");
}

/* ---- fans ---- */

#define CELL_PX 32
#define HIT 85 /* what one triangle adds to red */

static struct mesh fans;
static uint8_t inside[SIZE_PX][SIZE_PX];

static double
uniform(void)
{
   static uint64_t state = 20240905;
   state = state * 6364136223846793005u + 1442695040888963407u;
   return (state >> 11) * 0x1p-53;
}

/* At a window position as near as f32 gets with this w. */
static struct vertex
window_vertex(double px, double py, double w)
{
   const float rounded = (float)w;
   return (struct vertex){ (float)((px / (SIZE_PX / 2.0) - 1) * rounded),
                           (float)((py / (SIZE_PX / 2.0) - 1) * rounded), 0, rounded };
}

/* The hub is exactly at the centre: its w has few bits. */
static void
make_fan(double hub_x, double hub_y)
{
   const int spokes = 5 + (int)(7 * uniform());
   const double turn = 2 * pi * uniform();
   const struct vertex hub = window_vertex(hub_x, hub_y, 1 + floor(8 * uniform()) / 8);
   struct vertex rim[12];
   for (int i = 0; i < spokes; i++) {
      const double angle = turn + 2 * pi * (i + 0.4 * uniform()) / spokes,
                   radius = 10 + 4 * uniform();
      rim[i] = window_vertex(hub_x + radius * cos(angle), hub_y + radius * sin(angle),
                             0.5 + 2 * uniform());
   }
   for (int i = 0; i < spokes; i++)
      add_triangle(&fans, hub, rim[i], rim[(i + 1) % spokes]);
}

static void
draw_fans(void)
{
   for (int i = 0; i < SIZE_PX / CELL_PX * (SIZE_PX / CELL_PX); i++)
      make_fan(i % (SIZE_PX / CELL_PX) * CELL_PX + CELL_PX / 2 + 0.5,
               i / (SIZE_PX / CELL_PX) * CELL_PX + CELL_PX / 2 + 0.5);
   glBlendFunc(GL_ONE, GL_ONE);
   glEnable(GL_BLEND);
   glColor3ub(HIT, 0, 0);
   draw_mesh(&fans);
}

/* Pixels that triangles hold, spokes included; on the rim nothing is asked. */
static void
visit_fan(int x, int y, double depth, const double barycentric[3])
{
   (void)depth;
   (void)barycentric;
   inside[y][x] = 1;
}

/* How often a pixel was drawn. */
static int
hits(const uint8_t *pixels, int x, int y)
{
   return pixel_at(pixels, SIZE_PX, x, y)[0] / HIT;
}

static void
check_fans(const uint8_t *pixels)
{
   int missed = 0, twice = 0;
   scan_mesh(&fans, -1e-9, visit_fan); /* sure to be inside */
   for (int i = 0; i < SIZE_PX / CELL_PX * (SIZE_PX / CELL_PX); i++)
      inside[i / (SIZE_PX / CELL_PX) * CELL_PX + CELL_PX / 2]
            [i % (SIZE_PX / CELL_PX) * CELL_PX + CELL_PX / 2] = 1;
   for (int y = 0; y < SIZE_PX; y++)
      for (int x = 0; x < SIZE_PX; x++) {
         missed += inside[y][x] && hits(pixels, x, y) == 0;
         twice += hits(pixels, x, y) > 1;
      }
   printf("%d missed, %d drawn twice or more: ", missed, twice);
   judge(missed + twice, "wrong pixels");
}

/* Once: grey; never, inside: red; more often: yellow. */
static void
show_fans(uint8_t *pixels)
{
   memset(inside, 0, sizeof(inside));
   scan_mesh(&fans, 1e-9, visit_fan);
   for (int y = 0; y < SIZE_PX; y++)
      for (int x = 0; x < SIZE_PX; x++) {
         static const uint8_t colours[4][3] = {
            { 255, 0, 0 }, { 110, 110, 120 }, { 255, 230, 0 }, { 255, 255, 255 }
         };
         const int n = hits(pixels, x, y);
         uint8_t *pixel = pixels + 4 * (y * SIZE_PX + x);
         if (n > 0 || inside[y][x])
            memcpy(pixel, colours[n], 3);
      }
   memset(inside, 0, sizeof(inside));
}

int
main(int argc, char **argv)
{
   static const struct picture pictures[] = {
      { "touching", SIZE_PX, SIZE_PX, draw_touching, check_touching, NULL },
      { "fans", SIZE_PX, SIZE_PX, draw_fans, check_fans, show_fans },
   };
   return pictures_main(argc, argv, pictures, sizeof(pictures) / sizeof(pictures[0]));
}
