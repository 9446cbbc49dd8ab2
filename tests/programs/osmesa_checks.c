/* SPDX-License-Identifier: MIT
 *
 * libOSMesa draws the same bits as EGL. Both libraries are opened side by side, as neither knows of
 * the other, and random scenes are drawn with each.
 * Usage: osmesa_checks --list | NAME [SEED]
 */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <GL/osmesa.h>

#include "die.h"

#define SCENES 24
#define MAX_SIZE_PX 300
#define GUARD 0x5a /* what bytes hold that nobody may write */

/* The functions that scenes call, of either library. */
/* clang-format off */
#define GL_FUNCTIONS(X)                                                                            \
   X(AttachShader) X(Begin) X(BindAttribLocation) X(BindBuffer) X(BindVertexArray)  \
   X(BlendFunc) X(BufferData) X(Clear) X(ClearColor) X(Color4f) X(CompileShader) X(CreateProgram)  \
   X(CreateShader) X(Disable) X(DrawArrays) X(Enable) X(EnableVertexAttribArray)      \
   X(End) X(Finish) X(GenBuffers) X(GenVertexArrays) X(GetError) X(GetString) X(LineWidth)         \
   X(LinkProgram) X(Normal3f) X(PointSize) X(ReadPixels) X(ShaderSource) X(TexCoord2f)             \
   X(TexImage2D) X(TexParameteri) X(UseProgram) X(Vertex4f) X(VertexAttribPointer) X(Viewport)
/* clang-format on */

struct gl {
#define X(name) __typeof__(gl##name) *name;
   GL_FUNCTIONS(X)
#undef X
};

struct egl {
   void *library;
   __typeof__(eglGetProcAddress) *GetProcAddress;
   EGLDisplay display;
   struct gl gl;
};

struct osmesa {
   __typeof__(OSMesaCreateContextAttribs) *CreateContextAttribs;
   __typeof__(OSMesaDestroyContext) *DestroyContext;
   __typeof__(OSMesaMakeCurrent) *MakeCurrent;
   __typeof__(OSMesaPixelStore) *PixelStore;
   __typeof__(OSMesaGetIntegerv) *GetIntegerv;
   __typeof__(OSMesaGetDepthBuffer) *GetDepthBuffer;
   __typeof__(OSMesaGetProcAddress) *GetProcAddress;
   struct gl gl;
};

/* What is drawn. */
struct scene {
   uint64_t seed;
   int width_px, height_px;
   bool core;    /* OpenGL 3.3 in a core profile */
   bool blended; /* some of it; never by the alpha of what is there, which not all formats have */
};

/* Random numbers: the same for a seed everywhere. */
static uint32_t
below(uint64_t *seed, uint32_t limit)
{
   *seed = *seed * 6364136223846793005u + 1442695040888963407u;
   return (uint32_t)((*seed >> 33) % limit);
}

static float
between(uint64_t *seed, float least, float most)
{
   return least + (most - least) * (float)below(seed, 1 << 24) / (float)(1 << 24);
}

/* ---------------------------------------------------------------------------------- libraries */

static void *
library_open(const char *name)
{
   void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
   if (!library)
      die("%s", dlerror());
   return library;
}

static void *
function_of(void *library, const char *name)
{
   void *function = dlsym(library, name);
   if (!function)
      die("there is no %s", name);
   return function;
}

static void
gl_load(struct gl *gl, void (*(*get)(const char *))(void))
{
#define X(name)                                                                                    \
   gl->name = (__typeof__(gl->name))get("gl" #name);                                               \
   if (!gl->name)                                                                                  \
      die("there is no gl" #name);
   GL_FUNCTIONS(X)
#undef X
}

#define EGL_CALL(from, name) ((__typeof__(egl##name) *)function_of((from)->library, "egl" #name))

static struct egl
egl_open(void)
{
   struct egl egl = { .library = library_open("libEGL.so.1") };
   egl.GetProcAddress = EGL_CALL(&egl, GetProcAddress);
   egl.display =
      EGL_CALL(&egl, GetPlatformDisplay)(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   if (!EGL_CALL(&egl, Initialize)(egl.display, NULL, NULL))
      die("eglInitialize fails on the surfaceless platform");
   EGL_CALL(&egl, BindAPI)(EGL_OPENGL_API);
   gl_load(&egl.gl, egl.GetProcAddress);
   return egl;
}

static struct osmesa
osmesa_open(void)
{
   struct osmesa os;
   void *library = library_open("libOSMesa.so.8");
#define X(name) os.name = (__typeof__(os.name))function_of(library, "OSMesa" #name);
   X(CreateContextAttribs)
   X(DestroyContext)
   X(MakeCurrent)
   X(PixelStore) X(GetIntegerv) X(GetDepthBuffer) X(GetProcAddress)
#undef X
      gl_load(&os.gl, os.GetProcAddress);
   return os;
}

/* A context of EGL with a pbuffer of the scene's size, made current. */
static void
egl_begin(const struct egl *egl, const struct scene *scene)
{
   static const EGLint wanted[] = { EGL_RENDERABLE_TYPE,
                                    EGL_OPENGL_BIT,
                                    EGL_SURFACE_TYPE,
                                    EGL_PBUFFER_BIT,
                                    EGL_RED_SIZE,
                                    8,
                                    EGL_ALPHA_SIZE,
                                    8,
                                    EGL_DEPTH_SIZE,
                                    24,
                                    EGL_NONE };
   const EGLint core[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3, EGL_NONE };
   const EGLint size[] = { EGL_WIDTH, scene->width_px, EGL_HEIGHT, scene->height_px, EGL_NONE };
   EGLConfig config;
   EGLint count = 0;
   EGL_CALL(egl, ChooseConfig)(egl->display, wanted, &config, 1, &count);
   EGLContext context =
      EGL_CALL(egl, CreateContext)(egl->display, config, EGL_NO_CONTEXT, scene->core ? core : NULL);
   EGLSurface surface = EGL_CALL(egl, CreatePbufferSurface)(egl->display, config, size);
   if (!count || !EGL_CALL(egl, MakeCurrent)(egl->display, surface, surface, context))
      die("no pbuffer of %d x %d", scene->width_px, scene->height_px);
}

/* It ends with its surface, which nothing else refers to. */
static void
egl_end(const struct egl *egl)
{
   EGLContext context = EGL_CALL(egl, GetCurrentContext)();
   EGLSurface surface = EGL_CALL(egl, GetCurrentSurface)(EGL_DRAW);
   EGL_CALL(egl, MakeCurrent)(egl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   EGL_CALL(egl, DestroySurface)(egl->display, surface);
   EGL_CALL(egl, DestroyContext)(egl->display, context);
}

static OSMesaContext
osmesa_create(const struct osmesa *os, const struct scene *scene, int format)
{
   const int attributes[] = { OSMESA_FORMAT,
                              format,
                              OSMESA_DEPTH_BITS,
                              24,
                              OSMESA_STENCIL_BITS,
                              8,
                              OSMESA_PROFILE,
                              scene->core ? OSMESA_CORE_PROFILE : OSMESA_COMPAT_PROFILE,
                              OSMESA_CONTEXT_MAJOR_VERSION,
                              scene->core ? 3 : 1,
                              OSMESA_CONTEXT_MINOR_VERSION,
                              scene->core ? 3 : 0,
                              0 };
   OSMesaContext context = os->CreateContextAttribs(attributes, NULL);
   if (!context)
      die("OSMesaCreateContextAttribs fails for format 0x%x", format);
   return context;
}

/* ------------------------------------------------------------------------------------- scenes */

static void
random_vertex(const struct gl *gl, uint64_t *seed, float alpha)
{
   gl->Color4f(between(seed, 0, 1), between(seed, 0, 1), between(seed, 0, 1), alpha);
   gl->Normal3f(between(seed, -1, 1), between(seed, -1, 1), 0.5f);
   gl->TexCoord2f(between(seed, -1, 3), between(seed, -1, 3));
   /* w of both signs: what is behind the eye too */
   gl->Vertex4f(between(seed, -2, 2), between(seed, -2, 2), between(seed, -1, 1),
                between(seed, -0.3f, 2));
}

static void
random_texture(const struct gl *gl, uint64_t *seed)
{
   uint32_t texels[16 * 16];
   for (int i = 0; i < 16 * 16; i++)
      texels[i] = below(seed, 1 << 24) | 0xff000000;
   gl->TexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, below(seed, 2) ? GL_LINEAR : GL_NEAREST);
}

static GLuint
program_of(const struct gl *gl, const char *vertex, const char *fragment)
{
   const char *sources[] = { vertex, fragment };
   const GLuint program = gl->CreateProgram();
   for (int stage = 0; stage < 2; stage++) {
      const GLuint shader = gl->CreateShader(stage ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
      gl->ShaderSource(shader, 1, &sources[stage], NULL);
      gl->CompileShader(shader);
      gl->AttachShader(program, shader);
   }
   gl->BindAttribLocation(program, 0, "position");
   gl->BindAttribLocation(program, 1, "colour");
   gl->LinkProgram(program);
   return program;
}

/* Primitives of OpenGL 1: lit or textured, or by a shader; also lines and points. */
static void
draw_compatible(const struct gl *gl, const struct scene *scene, uint64_t *seed)
{
   static const GLenum modes[] = { GL_TRIANGLES, GL_TRIANGLES, GL_TRIANGLE_FAN, GL_LINES,
                                   GL_POINTS };
   const GLuint program =
      program_of(gl, "void main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Color; }",
                 "void main() { gl_FragColor = vec4(sin(gl_Color.rgb * 9.0) * 0.5 + 0.5, 0.5); }");
   random_texture(gl, seed);
   gl->Enable(GL_LIGHT0);
   for (int draw = 0; draw < 12; draw++) {
      const bool blended = scene->blended && below(seed, 2);
      const uint32_t kind = below(seed, 4);
      (blended ? gl->Enable : gl->Disable)(GL_BLEND);
      (kind == 1 ? gl->Enable : gl->Disable)(GL_LIGHTING);
      (kind == 2 ? gl->Enable : gl->Disable)(GL_TEXTURE_2D);
      gl->UseProgram(kind == 3 ? program : 0);
      gl->LineWidth(between(seed, 1, 4));
      gl->PointSize(between(seed, 1, 9));
      gl->Begin(modes[below(seed, sizeof(modes) / sizeof(modes[0]))]);
      for (int i = 0; i < 12; i++)
         random_vertex(gl, seed, between(seed, 0, 1));
      gl->End();
   }
}

/* Triangles of OpenGL 3.3. */
static void
draw_core(const struct gl *gl, uint64_t *seed)
{
   float vertices[36][8];
   GLuint array, buffer;
   for (int i = 0; i < 36 * 8; i++)
      vertices[i / 8][i % 8] = between(seed, i % 8 < 4 ? -1.5f : 0, 1.5f);
   gl->GenVertexArrays(1, &array);
   gl->BindVertexArray(array);
   gl->GenBuffers(1, &buffer);
   gl->BindBuffer(GL_ARRAY_BUFFER, buffer);
   gl->BufferData(GL_ARRAY_BUFFER, sizeof(vertices), vertices, GL_STATIC_DRAW);
   for (int i = 0; i < 2; i++) {
      gl->VertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, sizeof(vertices[0]),
                              (void *)(uintptr_t)(i * 16));
      gl->EnableVertexAttribArray(i);
   }
   gl->UseProgram(program_of(gl,
                             "#version 330\nin vec4 position, colour; out vec4 v;\n"
                             "void main() { gl_Position = position; v = colour; }",
                             "#version 330\nin vec4 v; out vec4 o;\n"
                             "void main() { o = fract(v * v.y + dFdx(v)); }"));
   gl->DrawArrays(GL_TRIANGLES, 0, 36);
}

static void
draw_scene(const struct gl *gl, const struct scene *scene)
{
   uint64_t seed = scene->seed;
   gl->ClearColor(between(&seed, 0, 1), between(&seed, 0, 1), between(&seed, 0, 1), 1);
   gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   gl->Enable(GL_DEPTH_TEST);
   gl->BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   if (scene->core)
      draw_core(gl, &seed);
   else
      draw_compatible(gl, scene, &seed);
   gl->Finish();
   const GLenum error = gl->GetError();
   if (error != GL_NO_ERROR)
      die("error 0x%x in scene 0x%llx", error, (unsigned long long)scene->seed);
}

static struct scene
random_scene(uint64_t *seed, bool core, bool blended)
{
   struct scene scene = { .core = core, .blended = blended };
   scene.width_px = below(seed, 8) ? 1 + (int)below(seed, MAX_SIZE_PX) : 1;
   scene.height_px = below(seed, 8) ? 1 + (int)below(seed, MAX_SIZE_PX) : 1;
   scene.seed = (uint64_t)below(seed, 1u << 31) << 20;
   return scene;
}

static size_t
pixels_of(const struct scene *scene)
{
   return (size_t)scene->width_px * scene->height_px;
}

/* A scene as EGL draws it: RGBA bytes, the lowest row first, and where `depths` is given its
 * depths in 32 bits. The caller frees both. */
static uint8_t *
egl_picture(const struct egl *egl, const struct scene *scene, uint32_t **depths)
{
   uint8_t *pixels = malloc(pixels_of(scene) * 4);
   egl_begin(egl, scene);
   draw_scene(&egl->gl, scene);
   egl->gl.ReadPixels(0, 0, scene->width_px, scene->height_px, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   if (depths) {
      *depths = malloc(pixels_of(scene) * 4);
      egl->gl.ReadPixels(0, 0, scene->width_px, scene->height_px, GL_DEPTH_COMPONENT,
                         GL_UNSIGNED_INT, *depths);
   }
   egl_end(egl);
   return pixels;
}

/* A scene as OSMesa draws it into a buffer of `pixel_B` bytes for each pixel; the caller frees it.
 */
static void *
osmesa_picture(const struct osmesa *os, const struct scene *scene, int format, GLenum type,
               size_t pixel_B)
{
   OSMesaContext context = osmesa_create(os, scene, format);
   void *buffer = malloc(pixels_of(scene) * pixel_B);
   if (!os->MakeCurrent(context, buffer, type, scene->width_px, scene->height_px))
      die("OSMesaMakeCurrent fails for format 0x%x, type 0x%x", format, type);
   draw_scene(&os->gl, scene);
   os->MakeCurrent(NULL, NULL, 0, 0, 0);
   os->DestroyContext(context);
   return buffer;
}

/* ------------------------------------------------------------------------------------- checks */

/* Where the components R, G, B and A lie in a pixel of bytes; -1: not there. */
struct layout {
   const char *name;
   int format;
   int pixel_B;
   int byte[4];
};

static const struct layout layouts[] = {
   { "RGBA", OSMESA_RGBA, 4, { 0, 1, 2, 3 } }, { "BGRA", OSMESA_BGRA, 4, { 2, 1, 0, 3 } },
   { "ARGB", OSMESA_ARGB, 4, { 1, 2, 3, 0 } }, { "RGB", OSMESA_RGB, 3, { 0, 1, 2, -1 } },
   { "BGR", OSMESA_BGR, 3, { 2, 1, 0, -1 } },
};

/* Ends the program unless row `row` of OSMesa's buffer, which begins at `pixels`, is EGL's. */
static void
expect_row(const struct scene *scene, const struct layout *layout, const uint8_t *pixels,
           const uint8_t *wanted, int row)
{
   const uint8_t *want = wanted + 4 * (size_t)row * scene->width_px;
   for (int x = 0; x < scene->width_px; x++)
      for (int c = 0; c < 4; c++)
         if (layout->byte[c] >= 0 &&
             pixels[x * layout->pixel_B + layout->byte[c]] != want[4 * x + c])
            die("%s, scene 0x%llx of %d x %d: component %d of (%d, %d) is %d, EGL's is %d",
                layout->name, (unsigned long long)scene->seed, scene->width_px, scene->height_px, c,
                x, row, pixels[x * layout->pixel_B + layout->byte[c]], want[4 * x + c]);
}

static void
expect_equal(const struct scene *scene, const struct layout *layout, const uint8_t *pixels,
             const uint8_t *wanted)
{
   for (int y = 0; y < scene->height_px; y++)
      expect_row(scene, layout, pixels + (size_t)y * scene->width_px * layout->pixel_B, wanted, y);
}

static void
check_formats(const struct egl *egl, const struct osmesa *os, uint64_t seed)
{
   for (int n = 0; n < SCENES; n++) {
      const struct scene scene = random_scene(&seed, false, true);
      uint8_t *wanted = egl_picture(egl, &scene, NULL);
      for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
         uint8_t *pixels =
            osmesa_picture(os, &scene, layouts[i].format, GL_UNSIGNED_BYTE, layouts[i].pixel_B);
         expect_equal(&scene, &layouts[i], pixels, wanted);
         free(pixels);
      }
      free(wanted);
   }
}

static void
check_core(const struct egl *egl, const struct osmesa *os, uint64_t seed)
{
   for (int n = 0; n < SCENES; n++) {
      const struct scene scene = random_scene(&seed, true, false);
      uint8_t *wanted = egl_picture(egl, &scene, NULL);
      uint8_t *pixels = osmesa_picture(os, &scene, OSMESA_RGBA, GL_UNSIGNED_BYTE, 4);
      expect_equal(&scene, &layouts[0], pixels, wanted);
      free(pixels);
      free(wanted);
   }
}

static void
expect_rounded(const struct scene *scene, const char *what, unsigned is, double value,
               unsigned most)
{
   const double clamped = value < 0 ? 0 : value > 1 ? 1 : value;
   if (fabs(is - clamped * most) > 0.5 + most * 0x1p-23) /* the floats' rounding */
      die("%s, scene 0x%llx: %u of %u, but the float is %.9g", what,
          (unsigned long long)scene->seed, is, most, value);
}

/* Without blending all types are the same values, rounded. */
static void
check_types(const struct egl *egl, const struct osmesa *os, uint64_t seed)
{
   for (int n = 0; n < SCENES; n++) {
      const struct scene scene = random_scene(&seed, false, false);
      uint8_t *bytes = egl_picture(egl, &scene, NULL);
      float *floats = osmesa_picture(os, &scene, OSMESA_RGBA, GL_FLOAT, 16);
      float *rgb = osmesa_picture(os, &scene, OSMESA_RGB, GL_FLOAT, 12);
      uint16_t *shorts = osmesa_picture(os, &scene, OSMESA_RGBA, GL_UNSIGNED_SHORT, 8);
      uint16_t *packed = osmesa_picture(os, &scene, OSMESA_RGB_565, GL_UNSIGNED_SHORT_5_6_5, 2);
      for (size_t i = 0; i < pixels_of(&scene) * 4; i++) {
         expect_rounded(&scene, "byte", bytes[i], floats[i], 255);
         expect_rounded(&scene, "short", shorts[i], floats[i], 65535);
         if (i % 4 < 3 && rgb[i / 4 * 3 + i % 4] != floats[i])
            die("scene 0x%llx: RGB and RGBA of floats differ", (unsigned long long)scene.seed);
      }
      for (size_t i = 0; i < pixels_of(&scene); i++) {
         expect_rounded(&scene, "red of 565", packed[i] >> 11, floats[4 * i], 31);
         expect_rounded(&scene, "green of 565", packed[i] >> 5 & 63, floats[4 * i + 1], 63);
         expect_rounded(&scene, "blue of 565", packed[i] & 31, floats[4 * i + 2], 31);
      }
      free(bytes);
      free(floats);
      free(rgb);
      free(shorts);
      free(packed);
   }
}

/* OSMESA_Y_UP and OSMESA_ROW_LENGTH: rows go where they should, and nothing between them is
 * written. */
static void
check_rows(const struct egl *egl, const struct osmesa *os, uint64_t seed)
{
   for (int n = 0; n < SCENES; n++) {
      const struct layout *layout = &layouts[below(&seed, sizeof(layouts) / sizeof(layouts[0]))];
      const struct scene scene = random_scene(&seed, false, true);
      const bool up = below(&seed, 2);
      const size_t length_px = scene.width_px + below(&seed, 9),
                   row_B = length_px * layout->pixel_B;
      const size_t used_B = (size_t)scene.width_px * layout->pixel_B;
      OSMesaContext context = osmesa_create(os, &scene, layout->format);
      uint8_t *wanted = egl_picture(egl, &scene, NULL), *buffer = malloc(row_B * scene.height_px);
      memset(buffer, GUARD, row_B * scene.height_px);
      if (!os->MakeCurrent(context, buffer, GL_UNSIGNED_BYTE, scene.width_px, scene.height_px))
         die("OSMesaMakeCurrent fails");
      os->PixelStore(OSMESA_Y_UP, up);
      os->PixelStore(OSMESA_ROW_LENGTH, (int)length_px);
      draw_scene(&os->gl, &scene);
      for (int y = 0; y < scene.height_px; y++) {
         expect_row(&scene, layout, buffer + y * row_B, wanted, up ? y : scene.height_px - 1 - y);
         for (size_t i = used_B; i < row_B; i++)
            if (buffer[y * row_B + i] != GUARD)
               die("byte %zu of row %d is written, which has %zu", i, y, used_B);
      }
      os->MakeCurrent(NULL, NULL, 0, 0, 0);
      os->DestroyContext(context);
      free(wanted);
      free(buffer);
   }
}

static void
check_depth(const struct egl *egl, const struct osmesa *os, uint64_t seed)
{
   for (int n = 0; n < SCENES; n++) {
      const struct scene scene = random_scene(&seed, false, true);
      uint32_t *wanted, *depths;
      int width, height, value_B;
      free(egl_picture(egl, &scene, &wanted));
      OSMesaContext context = osmesa_create(os, &scene, OSMESA_RGBA);
      void *buffer = malloc(pixels_of(&scene) * 4);
      os->MakeCurrent(context, buffer, GL_UNSIGNED_BYTE, scene.width_px, scene.height_px);
      draw_scene(&os->gl, &scene);
      if (!os->GetDepthBuffer(context, &width, &height, &value_B, (void **)&depths) ||
          width != scene.width_px || height != scene.height_px || value_B != 4)
         die("OSMesaGetDepthBuffer: %d x %d of %d bytes", width, height, value_B);
      for (size_t i = 0; i < pixels_of(&scene); i++)
         if ((depths[i] & 0xffffff) != wanted[i] >> 8)
            die("scene 0x%llx: depth %zu is 0x%x, EGL's is 0x%x", (unsigned long long)scene.seed, i,
                depths[i] & 0xffffff, wanted[i] >> 8);
      os->MakeCurrent(NULL, NULL, 0, 0, 0);
      os->DestroyContext(context);
      free(buffer);
      free(wanted);
   }
}

/* One context for buffers of many sizes and types. */
static void
check_sizes(const struct egl *egl, const struct osmesa *os, uint64_t seed)
{
   struct scene scene = random_scene(&seed, false, true);
   OSMesaContext context = osmesa_create(os, &scene, OSMESA_RGBA);
   for (int n = 0; n < SCENES; n++) {
      const bool floats = n % 4 == 3;
      scene = random_scene(&seed, false, true);
      uint8_t *wanted = egl_picture(egl, &scene, NULL);
      uint8_t *pixels = malloc(pixels_of(&scene) * 16);
      if (!os->MakeCurrent(context, pixels, floats ? GL_FLOAT : GL_UNSIGNED_BYTE, scene.width_px,
                           scene.height_px))
         die("OSMesaMakeCurrent fails");
      os->gl.Viewport(0, 0, scene.width_px, scene.height_px);
      draw_scene(&os->gl, &scene);
      if (!floats)
         expect_equal(&scene, &layouts[0], pixels, wanted);
      os->MakeCurrent(NULL, NULL, 0, 0, 0);
      free(pixels);
      free(wanted);
   }
   os->DestroyContext(context);
}

/* What cannot be drawn into is refused, and the limits are told. */
static void
check_refused(const struct egl *egl, const struct osmesa *os, uint64_t seed)
{
   const struct scene scene = random_scene(&seed, false, false);
   OSMesaContext context = osmesa_create(os, &scene, OSMESA_BGR);
   uint8_t buffer[64];
   int most_px = 0, up = 0;
   (void)egl;
   if (os->MakeCurrent(context, NULL, GL_UNSIGNED_BYTE, 4, 4) ||
       os->MakeCurrent(context, buffer, GL_UNSIGNED_BYTE, 0, 4) ||
       os->MakeCurrent(context, buffer, GL_FLOAT, 1, 1) ||
       os->MakeCurrent(context, buffer, GL_UNSIGNED_SHORT_5_6_5, 1, 1))
      die("OSMesaMakeCurrent takes no buffer, no pixels, or a type that the format does not have");
   if (!os->MakeCurrent(context, buffer, GL_UNSIGNED_BYTE, 4, 4))
      die("OSMesaMakeCurrent fails");
   os->GetIntegerv(OSMESA_MAX_WIDTH, &most_px);
   os->GetIntegerv(OSMESA_Y_UP, &up);
   const char *renderer = (const char *)os->gl.GetString(GL_RENDERER);
   if (most_px < 4096 || !up || strncmp(renderer, "clipfree", 8))
      die("at most %d pixels wide, Y_UP %d, on %s", most_px, up, renderer);
   os->MakeCurrent(NULL, NULL, 0, 0, 0);
   os->DestroyContext(context);
}

/* A thread's scenes, each drawn into memory of its own. */
struct worker {
   pthread_t thread;
   const struct osmesa *os;
   struct scene scenes[SCENES];
   uint8_t *pixels[SCENES];
};

static void *
work(void *data)
{
   struct worker *worker = data;
   for (int n = 0; n < SCENES; n++)
      worker->pixels[n] =
         osmesa_picture(worker->os, &worker->scenes[n], OSMESA_RGBA, GL_UNSIGNED_BYTE, 4);
   return NULL;
}

static void
check_threads(const struct egl *egl, const struct osmesa *os, uint64_t seed)
{
   static struct worker workers[4];
   for (int i = 0; i < 4; i++) {
      workers[i].os = os;
      for (int n = 0; n < SCENES; n++)
         workers[i].scenes[n] = random_scene(&seed, n % 4 == 0, true);
      pthread_create(&workers[i].thread, NULL, work, &workers[i]);
   }
   for (int i = 0; i < 4; i++) {
      pthread_join(workers[i].thread, NULL);
      for (int n = 0; n < SCENES; n++) {
         uint8_t *wanted = egl_picture(egl, &workers[i].scenes[n], NULL);
         expect_equal(&workers[i].scenes[n], &layouts[0], workers[i].pixels[n], wanted);
         free(wanted);
         free(workers[i].pixels[n]);
      }
   }
}

static const struct {
   const char *name;
   void (*run)(const struct egl *egl, const struct osmesa *os, uint64_t seed);
} checks[] = {
   { "formats", check_formats }, { "types", check_types },     { "rows", check_rows },
   { "depth", check_depth },     { "core", check_core },       { "sizes", check_sizes },
   { "refused", check_refused }, { "threads", check_threads },
};

int
main(int argc, char **argv)
{
   const size_t count = sizeof(checks) / sizeof(checks[0]);
   if (argc == 2 && !strcmp(argv[1], "--list")) {
      for (size_t i = 0; i < count; i++)
         printf("%s\n", checks[i].name);
      return 0;
   }
   for (size_t i = 0; i < count && argc >= 2 && argc <= 3; i++) {
      if (strcmp(argv[1], checks[i].name))
         continue;
      const uint64_t seed = argc == 3 ? strtoull(argv[2], NULL, 0) : 1;
      const struct egl egl = egl_open();
      const struct osmesa os = osmesa_open();
      printf("seed %llu\n", (unsigned long long)seed);
      checks[i].run(&egl, &os, seed);
      return 0;
   }
   printf("usage: osmesa_checks --list | NAME [SEED]\n");
   return 2;
}
