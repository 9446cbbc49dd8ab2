/* SPDX-License-Identifier: MIT
 *
 * Paper C's workload: geometric transforms, normalisation, and the lighting
 *
 *    I = ka Ia + sum over lights of f(d) It (kd cos a + ks cos^n b),    f(d) = 1 / (kc + kl d + kq d^2)
 *
 * of three attenuated spot lights, as fixed function (b is the angle to the halfway vector, GL 2.1
 * section 2.14.1), by vertex in GLSL (Gouraud) and by pixel in GLSL (Phong; b is the angle of the
 * reflection to the eye, as in the paper).
 *
 * Each case is checked twice against double precision. Every vertex is drawn alone, as a point,
 * into a pixel of its own of a float target: its colour must be right to 2^-17. And every pixel of
 * the picture, where the reference's coverage is certain, must be right to two steps of 8 bits.
 */
#include "gl_window.h"
#include "scan.h"

#include <math.h>
#include <string.h>

#define SIZE_PX 256
#define LIGHTS 3

static const double pi = 3.14159265358979323846;

/* ---- what is lit ---- */

static const struct light {
   float position[4], diffuse[4], specular[4], ambient[4], direction[3], exponent, cutoff_deg,
      attenuation[3];
} lights[LIGHTS] = {
   { { 3, 3, -2, 1 }, { 1, 0.4, 0.3, 1 }, { 0.6, 0.5, 0.4, 1 }, { 0.02, 0.02, 0.05, 1 }, { -3, -3, -4 }, 3, 35, { 0.4, 0.1, 0.02 } },
   { { -3, 1, -3, 1 }, { 0.2, 0.7, 0.3, 1 }, { 0.3, 0.6, 0.6, 1 }, { 0, 0.03, 0, 1 }, { 3, -1, -3 }, 8, 28, { 0.3, 0.05, 0.05 } },
   { { 0.5, -3, -3.5, 1 }, { 0.3, 0.4, 1, 1 }, { 0.4, 0.4, 0.6, 1 }, { 0.01, 0, 0.02, 1 }, { -0.5, 3, -2 }, 1, 40, { 0.5, 0, 0.06 } },
};

static const float material_ambient[4] = { 0.7, 0.6, 0.5, 1 },
                   material_diffuse[4] = { 0.8, 0.7, 0.6, 1 },
                   material_specular[4] = { 0.5, 0.5, 0.5, 1 },
                   scene_ambient[4] = { 0.1, 0.1, 0.12, 1 };
static const float shininess = 20;

/* ---- the mesh: a sphere that the model matrix stretches ---- */

#define SECTORS 32
#define STACKS 20
#define VERTICES ((SECTORS + 1) * (STACKS + 1))

static float mesh[VERTICES][3]; /* position, which is the normal, too */
static unsigned short triangles[SECTORS * STACKS * 2][3];
static double model[16], projection[16]; /* column by column */

static void
make_mesh(void)
{
   for (int j = 0, v = 0; j <= STACKS; j++)
      for (int i = 0; i <= SECTORS; i++, v++) {
         const double up = pi * (j / (double)STACKS - 0.5), round = 2 * pi * i / SECTORS;
         mesh[v][0] = (float)(cos(up) * sin(round));
         mesh[v][1] = (float)sin(up);
         mesh[v][2] = (float)(cos(up) * cos(round));
      }
   for (int n = 0; n < SECTORS * STACKS; n++) {
      const unsigned short a = (unsigned short)(n / SECTORS * (SECTORS + 1) + n % SECTORS),
                           b = a + 1, c = (unsigned short)(b + SECTORS + 1), d = c - 1;
      const unsigned short two[2][3] = { { a, b, c }, { a, c, d } };
      memcpy(triangles[2 * n], two, sizeof(two));
   }
}

/* Stretched, turned round y, then x, moved away. Floats, as GL keeps them. */
static void
make_matrices(void)
{
   const double stretch[3] = { 1.5, 1.1, 1.3 }, y = 0.6, x = 0.35;
   const double turn[3][3] = { { cos(y), 0, sin(y) },
                               { sin(x) * sin(y), cos(x), -sin(x) * cos(y) },
                               { -cos(x) * sin(y), sin(x), cos(x) * cos(y) } };
   const double near = 3, far = 12, half = 1.3;
   for (int c = 0; c < 3; c++)
      for (int r = 0; r < 3; r++)
         model[4 * c + r] = (float)(turn[r][c] * stretch[c]);
   model[14] = -5;
   model[15] = 1;
   projection[0] = projection[5] = (float)(near / half);
   projection[10] = (float)(-(far + near) / (far - near));
   projection[11] = -1;
   projection[14] = (float)(-2 * far * near / (far - near));
}

/* ---- the reference ---- */

static double
dot(const double a[3], const double b[3])
{
   return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void
normalise(double v[3])
{
   const double length = sqrt(dot(v, v));
   for (int k = 0; k < 3; k++)
      v[k] /= length;
}

/* A vertex in eye coordinates, and its normal by the inverse transpose of the model matrix:
 * cofactors. */
static void
to_eye(const float v[3], double position[3], double normal[3])
{
   for (int r = 0; r < 3; r++) {
      const int s = (r + 1) % 3, t = (r + 2) % 3;
      position[r] = model[12 + r];
      normal[r] = 0;
      for (int c = 0; c < 3; c++) {
         const int d = (c + 1) % 3, e = (c + 2) % 3;
         position[r] += model[4 * c + r] * v[c];
         normal[r] +=
            (model[4 * d + s] * model[4 * e + t] - model[4 * d + t] * model[4 * e + s]) * v[c];
      }
   }
   normalise(normal);
}

/* cos b: to the halfway vector, or of the reflection to the eye. */
static double
highlight(const double n[3], const double l[3], const double eye[3], bool halfway)
{
   double h[3];
   for (int k = 0; k < 3; k++)
      h[k] = halfway ? l[k] + eye[k] : 2 * dot(n, l) * n[k] - l[k];
   if (halfway)
      normalise(h);
   return fmax(dot(h, halfway ? n : eye), 0);
}

/* The colour at an eye-space point with unit normal n. False: so near to the border of a spot that
 * f32 may decide otherwise. */
static bool
light_point(const double p[3], const double n[3], bool halfway, double rgb[3])
{
   bool certain = true;
   double eye[3] = { -p[0], -p[1], -p[2] };
   normalise(eye);
   for (int k = 0; k < 3; k++)
      rgb[k] = (double)material_ambient[k] * scene_ambient[k];
   for (int i = 0; i < LIGHTS; i++) {
      const struct light *light = &lights[i];
      double l[3] = { light->position[0] - p[0], light->position[1] - p[1],
                      light->position[2] - p[2] };
      double axis[3] = { -light->direction[0], -light->direction[1], -light->direction[2] };
      const double d = sqrt(dot(l, l));
      normalise(l);
      normalise(axis);
      const double spot = dot(l, axis), border = cos(light->cutoff_deg * pi / 180),
                   cos_a = dot(n, l);
      certain &= fabs(spot - border) > 1e-5 && fabs(cos_a) > 1e-5;
      if (spot < border)
         continue;
      const double f =
         pow(spot, light->exponent) /
         (light->attenuation[0] + light->attenuation[1] * d + light->attenuation[2] * d * d);
      const double cos_b = cos_a > 0 ? highlight(n, l, eye, halfway) : 0;
      for (int k = 0; k < 3; k++)
         rgb[k] += f * (material_ambient[k] * light->ambient[k] +
                        material_diffuse[k] * light->diffuse[k] * fmax(cos_a, 0) +
                        material_specular[k] * light->specular[k] * pow(cos_b, shininess));
   }
   for (int k = 0; k < 3; k++)
      rgb[k] = fmin(fmax(rgb[k], 0), 1);
   return certain;
}

/* ---- GL ---- */

static const char light_function[] =
   "vec3 light_point(vec3 p, vec3 n)\n"
   "{\n"
   "   vec3 eye = normalize(-p);\n"
   "   vec3 sum = gl_FrontMaterial.ambient.rgb * gl_LightModel.ambient.rgb;\n"
   "   for (int i = 0; i < 3; i++) {\n"
   "      vec3 l = gl_LightSource[i].position.xyz - p;\n"
   "      float d = length(l);\n"
   "      l /= d;\n"
   "      float spot = dot(-l, normalize(gl_LightSource[i].spotDirection));\n"
   "      if (spot < gl_LightSource[i].spotCosCutoff)\n"
   "         continue;\n"
   "      float f = pow(spot, gl_LightSource[i].spotExponent) / (gl_LightSource[i].constantAttenuation\n"
   "                + gl_LightSource[i].linearAttenuation * d + gl_LightSource[i].quadraticAttenuation * d * d);\n"
   "      float cos_a = dot(n, l), cos_b = cos_a > 0.0 ? max(dot(reflect(-l, n), eye), 0.0) : 0.0;\n"
   "      sum += f * (gl_FrontMaterial.ambient.rgb * gl_LightSource[i].ambient.rgb\n"
   "             + gl_FrontMaterial.diffuse.rgb * gl_LightSource[i].diffuse.rgb * max(cos_a, 0.0)\n"
   "             + gl_FrontMaterial.specular.rgb * gl_LightSource[i].specular.rgb * pow(cos_b, gl_FrontMaterial.shininess));\n"
   "   }\n"
   "   return clamp(sum, 0.0, 1.0);\n"
   "}\n";

static const char gouraud_vertex[] =
   "varying vec3 colour;\n"
   "void main()\n"
   "{\n"
   "   colour = light_point(vec3(gl_ModelViewMatrix * gl_Vertex), normalize(gl_NormalMatrix * gl_Normal));\n"
   "   gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex;\n"
   "}\n";
static const char gouraud_fragment[] = "varying vec3 colour;\n"
                                       "void main() { gl_FragColor = vec4(colour, 1.0); }\n";
static const char phong_vertex[] =
   "varying vec3 p, n;\n"
   "void main()\n"
   "{\n"
   "   p = vec3(gl_ModelViewMatrix * gl_Vertex);\n"
   "   n = normalize(gl_NormalMatrix * gl_Normal);\n"
   "   gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex;\n"
   "}\n";
static const char phong_fragment[] = "varying vec3 p, n;\n"
                                     "void main() { gl_FragColor = vec4(light_point(p, normalize(n)), 1.0); }\n";

static void
attach_shader(GLuint program, GLenum stage, bool lights_up, const char *source)
{
   const char *sources[] = { "#version 120\n", lights_up ? light_function : "", source };
   const GLuint shader = glCreateShader(stage);
   GLint ok;
   char log[2000] = "";
   glShaderSource(shader, 3, sources, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
   glGetShaderInfoLog(shader, sizeof(log), NULL, log);
   if (!ok)
      die("a shader does not compile: %s", log);
   glAttachShader(program, shader);
}

static void
use_program(const char *vertex, const char *fragment, bool in_vertex_shader)
{
   const GLuint program = glCreateProgram();
   GLint ok;
   attach_shader(program, GL_VERTEX_SHADER, in_vertex_shader, vertex);
   attach_shader(program, GL_FRAGMENT_SHADER, !in_vertex_shader, fragment);
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &ok);
   if (!ok)
      die("a program does not link");
   glUseProgram(program);
}

/* Lights are given in eye coordinates: the model matrix is not yet loaded. */
static void
set_lights(void)
{
   glMatrixMode(GL_MODELVIEW);
   glLoadIdentity();
   for (int i = 0; i < LIGHTS; i++) {
      const struct light *light = &lights[i];
      glLightfv(GL_LIGHT0 + i, GL_POSITION, light->position);
      glLightfv(GL_LIGHT0 + i, GL_DIFFUSE, light->diffuse);
      glLightfv(GL_LIGHT0 + i, GL_SPECULAR, light->specular);
      glLightfv(GL_LIGHT0 + i, GL_AMBIENT, light->ambient);
      glLightfv(GL_LIGHT0 + i, GL_SPOT_DIRECTION, light->direction);
      glLightf(GL_LIGHT0 + i, GL_SPOT_EXPONENT, light->exponent);
      glLightf(GL_LIGHT0 + i, GL_SPOT_CUTOFF, light->cutoff_deg);
      glLightf(GL_LIGHT0 + i, GL_CONSTANT_ATTENUATION, light->attenuation[0]);
      glLightf(GL_LIGHT0 + i, GL_LINEAR_ATTENUATION, light->attenuation[1]);
      glLightf(GL_LIGHT0 + i, GL_QUADRATIC_ATTENUATION, light->attenuation[2]);
      glEnable(GL_LIGHT0 + i);
   }
   glLightModelfv(GL_LIGHT_MODEL_AMBIENT, scene_ambient);
   glLightModeli(GL_LIGHT_MODEL_LOCAL_VIEWER, 1);
   glMaterialfv(GL_FRONT, GL_AMBIENT, material_ambient);
   glMaterialfv(GL_FRONT, GL_DIFFUSE, material_diffuse);
   glMaterialfv(GL_FRONT, GL_SPECULAR, material_specular);
   glMaterialf(GL_FRONT, GL_SHININESS, shininess);
   glEnable(GL_LIGHTING);
   glEnable(GL_NORMALIZE);
}

static void
draw_scene(void)
{
   make_mesh();
   make_matrices();
   set_lights();
   glLoadMatrixd(model);
   glMatrixMode(GL_PROJECTION);
   glLoadMatrixd(projection);
   glEnable(GL_DEPTH_TEST);
   glEnable(GL_CULL_FACE);
   glEnableClientState(GL_VERTEX_ARRAY);
   glEnableClientState(GL_NORMAL_ARRAY);
   glVertexPointer(3, GL_FLOAT, 0, mesh);
   glNormalPointer(GL_FLOAT, 0, mesh);
   glClearColor(0, 0, 0, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glDrawElements(GL_TRIANGLES, 3 * SECTORS * STACKS * 2, GL_UNSIGNED_SHORT, triangles);
}

/* ---- the vertices, one by one ---- */

/* A projection that puts every point into the middle of the viewport, which is a pixel of the
 * vertex's own. */
static float *
draw_vertices_alone(void)
{
   static const double everything_to_the_middle[16] = { [15] = 1 };
   GLuint framebuffer, texture;
   float *values = malloc(sizeof(float[VERTICES][4]));
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, SECTORS + 1, STACKS + 1, 0, GL_RGBA, GL_FLOAT, NULL);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      die("a framebuffer of RGBA32F is not complete");
   glClear(GL_COLOR_BUFFER_BIT);
   glMatrixMode(GL_PROJECTION);
   glLoadMatrixd(everything_to_the_middle);
   for (int i = 0; i < VERTICES; i++) {
      glViewport(i % (SECTORS + 1), i / (SECTORS + 1), 1, 1);
      glDrawArrays(GL_POINTS, i, 1);
   }
   glReadPixels(0, 0, SECTORS + 1, STACKS + 1, GL_RGBA, GL_FLOAT, values);
   no_error("drawing vertices");
   return values;
}

#define VERTEX_TOLERANCE 0x1p-17

static void
check_vertices(bool halfway)
{
   float *values = draw_vertices_alone();
   int certain = 0;
   double largest = 0;
   for (int i = 0; i < VERTICES; i++) {
      double p[3], n[3], rgb[3];
      to_eye(mesh[i], p, n);
      if (!light_point(p, n, halfway, rgb))
         continue;
      certain++;
      for (int k = 0; k < 3; k++)
         largest = fmax(largest, fabs(values[4 * i + k] - rgb[k]));
      if (largest > VERTEX_TOLERANCE)
         die("vertex %d is %.7f %.7f %.7f, not %.7f %.7f %.7f", i, values[4 * i], values[4 * i + 1],
             values[4 * i + 2], rgb[0], rgb[1], rgb[2]);
   }
   free(values);
   if (certain < VERTICES * 9 / 10)
      die("only %d of %d vertices can be judged", certain, VERTICES);
   printf("%d vertices within 2^%.1f; ", certain, log2(largest));
}

/* ---- the picture ---- */

static struct {
   double depth, rgb[3];
   bool certain;
} expected[SIZE_PX][SIZE_PX];

/* The triangle that is being scanned. */
static struct {
   double position[3][3], normal[3][3], rgb[3][3];
   bool by_pixel, certain;
} scanned;

static void
visit_pixel(int x, int y, double depth, const double b[3])
{
   if (depth >= expected[y][x].depth)
      return;
   expected[y][x].depth = depth;
   expected[y][x].certain = scanned.certain && fmin(fmin(b[0], b[1]), b[2]) > 1e-6;
   double sum[3][3] = { { 0 } };
   for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) {
         sum[0][k] += b[i] * scanned.rgb[i][k];
         sum[1][k] += b[i] * scanned.position[i][k];
         sum[2][k] += b[i] * scanned.normal[i][k];
      }
   if (scanned.by_pixel) {
      normalise(sum[2]);
      expected[y][x].certain &= light_point(sum[1], sum[2], false, sum[0]);
   }
   memcpy(expected[y][x].rgb, sum[0], sizeof(sum[0]));
}

static void
scan_scene(bool halfway, bool by_pixel)
{
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
      expected[i / SIZE_PX][i % SIZE_PX].depth = 2;
   scanned.by_pixel = by_pixel;
   for (int t = 0; t < SECTORS * STACKS * 2; t++) {
      struct vertex clip[3];
      scanned.certain = true;
      for (int i = 0; i < 3; i++) {
         double *p = scanned.position[i];
         to_eye(mesh[triangles[t][i]], p, scanned.normal[i]);
         const bool certain = light_point(p, scanned.normal[i], halfway, scanned.rgb[i]);
         scanned.certain &= by_pixel || certain;
         clip[i] = (struct vertex){ (float)(projection[0] * p[0]), (float)(projection[5] * p[1]),
                                    (float)(projection[10] * p[2] + projection[14]), (float)-p[2] };
      }
      const double *p0 = scanned.position[0], *p1 = scanned.position[1], *p2 = scanned.position[2];
      const double det = p0[0] * (p1[1] * p2[2] - p1[2] * p2[1]) +
                         p0[1] * (p1[2] * p2[0] - p1[0] * p2[2]) +
                         p0[2] * (p1[0] * p2[1] - p1[1] * p2[0]);
      if (det < -1e-9) /* turned to the eye */
         scan_triangle(clip, SIZE_PX, 1e-6, visit_pixel);
   }
}

static void
check_picture(const uint8_t *pixels, bool halfway, bool by_pixel)
{
   int judged = 0;
   scan_scene(halfway, by_pixel);
   for (int y = 0; y < SIZE_PX; y++)
      for (int x = 0; x < SIZE_PX; x++) {
         if (expected[y][x].depth > 1 || !expected[y][x].certain)
            continue;
         const double *rgb = expected[y][x].rgb;
         expect_rgb(pixel_at(pixels, SIZE_PX, x, y), "picture", x, y, 255 * rgb[0], 255 * rgb[1],
                    255 * rgb[2], 2);
         judged++;
      }
   if (judged < SIZE_PX * SIZE_PX / 5)
      die("only %d pixels can be judged", judged);
   printf("%d pixels within 2/255\n", judged);
}

/* ---- the cases ---- */

static void
draw_gouraud(void)
{
   use_program(gouraud_vertex, gouraud_fragment, true);
   draw_scene();
}

static void
draw_phong(void)
{
   use_program(phong_vertex, phong_fragment, false);
   draw_scene();
}

static void
check_fixed(const uint8_t *pixels)
{
   check_vertices(true);
   check_picture(pixels, true, false);
}

static void
check_gouraud(const uint8_t *pixels)
{
   check_vertices(false);
   check_picture(pixels, false, false);
}

static void
check_phong(const uint8_t *pixels)
{
   check_vertices(false);
   check_picture(pixels, false, true);
}

int
main(int argc, char **argv)
{
   static const struct picture pictures[] = {
      { "fixed", SIZE_PX, SIZE_PX, draw_scene, check_fixed, NULL },
      { "gouraud", SIZE_PX, SIZE_PX, draw_gouraud, check_gouraud, NULL },
      { "phong", SIZE_PX, SIZE_PX, draw_phong, check_phong, NULL },
   };
   return pictures_main(argc, argv, pictures, sizeof(pictures) / sizeof(pictures[0]));
}
