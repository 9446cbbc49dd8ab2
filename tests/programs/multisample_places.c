/* SPDX-License-Identifier: MIT */
#include "multisample_checks.h"

#include <stdlib.h>
#include <string.h>

const char *const place_name[PLACES] = { "pbuffer", "surfaceless", "renderbuffer", "texture" };
const float white[4] = { 1, 1, 1, 1 }, red[4] = { 1, 0, 0, 1 };

struct target place_resolved;
PFNGLBLITFRAMEBUFFERNVPROC blit_framebuffer;

/* In 1/64 pixel from the upper left corner of memory's pixel. */
const int sample_position[4][2] = { { 24, 8 }, { 56, 24 }, { 8, 40 }, { 40, 56 } };

/* Also for OpenGL 2.1, which has no precision. */
const char vertex_text[] = "attribute vec4 position, colour; varying vec4 v;\n"
                                  "void main() { gl_Position = position; v = colour; }\n";
const char fragment_text[] = "#ifdef GL_ES\nprecision highp float;\n#endif\n"
                                    "varying vec4 v;\nvoid main() { gl_FragColor = v; }\n";

static void
create_pbuffer(EGLDisplay display)
{
   const EGLint wanted[] = { EGL_RENDERABLE_TYPE,
                             EGL_OPENGL_ES2_BIT,
                             EGL_SURFACE_TYPE,
                             EGL_PBUFFER_BIT,
                             EGL_RED_SIZE,
                             8,
                             EGL_GREEN_SIZE,
                             8,
                             EGL_BLUE_SIZE,
                             8,
                             EGL_ALPHA_SIZE,
                             8,
                             EGL_DEPTH_SIZE,
                             24,
                             EGL_SAMPLE_BUFFERS,
                             1,
                             EGL_SAMPLES,
                             4,
                             EGL_NONE };
   const EGLint size[] = { EGL_WIDTH, SIZE_PX, EGL_HEIGHT, SIZE_PX, EGL_NONE };
   const EGLint version[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
   EGLConfig config;
   EGLint count;
   eglBindAPI(EGL_OPENGL_ES_API);
   if (!eglChooseConfig(display, wanted, &config, 1, &count) || count != 1)
      die("no EGL configuration with four samples and pbuffers");
   EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
   EGLSurface surface = eglCreatePbufferSurface(display, config, size);
   if (context == EGL_NO_CONTEXT || surface == EGL_NO_SURFACE ||
       !eglMakeCurrent(display, surface, surface, context))
      die("a pbuffer of four samples cannot be made current: 0x%x", eglGetError());
}

static EGLDisplay
x11_display(void)
{
   EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_X11_KHR, EGL_DEFAULT_DISPLAY, NULL);
   if (!eglInitialize(display, NULL, NULL))
      die("there is no X server to make a pbuffer on");
   return display;
}

/* An extension's function, which must be there. */
void (*extension_function(const char *name))(void)
{
   void (*f)(void) = eglGetProcAddress(name);
   if (!f)
      die("there is no %s", name);
   return f;
}

/* Of as many samples as the driver has for the number asked. */
void
create_framebuffer(enum place place, GLsizei samples)
{
   const PFNGLRENDERBUFFERSTORAGEMULTISAMPLEEXTPROC storage =
      (PFNGLRENDERBUFFERSTORAGEMULTISAMPLEEXTPROC)extension_function(
         "glRenderbufferStorageMultisampleEXT");
   GLuint framebuffer, colour, depth;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   if (place == TEXTURE) {
      const PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC attach =
         (PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC)extension_function(
            "glFramebufferTexture2DMultisampleEXT");
      glGenTextures(1, &colour);
      glBindTexture(GL_TEXTURE_2D, colour);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE_PX, SIZE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
      attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0, samples);
   } else {
      glGenRenderbuffers(1, &colour);
      glBindRenderbuffer(GL_RENDERBUFFER, colour);
      storage(GL_RENDERBUFFER, samples, GL_RGBA8_OES, SIZE_PX, SIZE_PX);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour);
   }
   glGenRenderbuffers(1, &depth);
   glBindRenderbuffer(GL_RENDERBUFFER, depth);
   storage(GL_RENDERBUFFER, samples, GL_DEPTH_COMPONENT24_OES, SIZE_PX, SIZE_PX);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      die("a framebuffer of %d samples is not complete", samples);
}

/* A new context with a cleared frame buffer of four samples and the plain program. */
struct target
place_create(EGLDisplay display, enum place place)
{
   struct target target = { .width_px = SIZE_PX, .height_px = SIZE_PX };
   GLint buffers, samples;
   if (place <= SURFACELESS) {
      create_pbuffer(place == PBUFFER ? x11_display() : display);
   } else if (place == RENDERBUFFER) {
      context_create_desktop(display, EGL_NO_CONTEXT);
      blit_framebuffer = (PFNGLBLITFRAMEBUFFERNVPROC)extension_function("glBlitFramebuffer");
      place_resolved = target_create(SIZE_PX, SIZE_PX);
      create_framebuffer(place, 4);
   } else {
      context_create(display, EGL_NO_CONTEXT);
      if (!strstr((const char *)glGetString(GL_EXTENSIONS),
                  "GL_EXT_multisampled_render_to_texture "))
         die("there is no GL_EXT_multisampled_render_to_texture");
      create_framebuffer(place, 4);
   }
   glGetIntegerv(GL_FRAMEBUFFER_BINDING, (GLint *)&target.framebuffer);
   glGetIntegerv(GL_SAMPLE_BUFFERS, &buffers);
   glGetIntegerv(GL_SAMPLES, &samples);
   if (buffers != 1 || samples != 4)
      die("%s: GL_SAMPLE_BUFFERS %d, GL_SAMPLES %d", place_name[place], buffers, samples);
   glViewport(0, 0, SIZE_PX, SIZE_PX);
   program_create(vertex_text, fragment_text);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   no_error("making a frame buffer of four samples");
   return target;
}

/* The resolved colours; the frame buffer of four samples stays bound. */
uint8_t *
place_read(const struct target *target, enum place place)
{
   if (place != RENDERBUFFER)
      return target_read(target);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER_NV, place_resolved.framebuffer);
   blit_framebuffer(0, 0, SIZE_PX, SIZE_PX, 0, 0, SIZE_PX, SIZE_PX, GL_COLOR_BUFFER_BIT,
                    GL_NEAREST);
   glBindFramebuffer(GL_FRAMEBUFFER, place_resolved.framebuffer);
   uint8_t *pixels = target_read(&place_resolved);
   target_bind(target);
   return pixels;
}

/* ------------------------------------------------------------------ points of 1/64 pixel */

static int64_t
cross(struct point a, struct point b, struct point p)
{
   return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/* Where sample s of pixel (x, y) is, with y upwards. */
struct point
sample_at(int x, int y, int s, enum place place)
{
   /* rows of memory go up with y in a framebuffer object, down in a pbuffer */
   const int up = place <= SURFACELESS ? UNITS - sample_position[s][1] : sample_position[s][1];
   return (struct point){ x * UNITS + sample_position[s][0], y * UNITS + up };
}

/* Samples of pixel (x, y) inside a counter-clockwise triangle. -1: one lies on an edge. */
int
samples_inside(const struct point t[3], int x, int y, enum place place)
{
   int inside = 0;
   for (int s = 0; s < 4; s++) {
      const struct point p = sample_at(x, y, s, place);
      int64_t least = 1;
      for (int i = 0; i < 3; i++) {
         const int64_t side = cross(t[i], t[(i + 1) % 3], p);
         if (side == 0)
            return -1;
         least = side < least ? side : least;
      }
      inside += least > 0;
   }
   return inside;
}

void
point_to_vertex(struct point p, const float colour[4], float vertex[8])
{
   const float position[4] = { p.x * 2.0f / (SIZE_PX * UNITS) - 1,
                               p.y * 2.0f / (SIZE_PX * UNITS) - 1, 0, 1 };
   memcpy(vertex, position, sizeof(position));
   memcpy(vertex + 4, colour, sizeof(position));
}

void
random_triangle(uint64_t *seed, struct point t[3])
{
   for (int i = 0; i < 3; i++)
      t[i] =
         (struct point){ random_below(seed, SIZE_PX * UNITS), random_below(seed, SIZE_PX * UNITS) };
   if (cross(t[0], t[1], t[2]) < 0) {
      const struct point swapped = t[1];
      t[1] = t[2], t[2] = swapped;
   }
}
