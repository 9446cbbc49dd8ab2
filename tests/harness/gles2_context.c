/* SPDX-License-Identifier: MIT */
#include "gles2_context.h"

#include <stdlib.h>
#include <string.h>

const char plain_vertex[] = "attribute vec4 position, colour; varying highp vec4 v;\n"
                            "void main() { gl_Position = position; v = colour; }\n";
const char plain_fragment[] = "varying highp vec4 v;\n"
                              "void main() { gl_FragColor = v; }\n";

EGLDisplay
display_open(void)
{
   EGLDisplay display =
      eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   if (!eglInitialize(display, NULL, NULL))
      die("eglInitialize fails on the surfaceless platform: 0x%x", eglGetError());
   return display;
}

static EGLContext
create_current(EGLDisplay display, EGLContext share, EGLint renderable, EGLint samples,
               const EGLint *attributes)
{
   const EGLint wanted[] = { EGL_RENDERABLE_TYPE, renderable, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT,
                             EGL_RED_SIZE,        8,          EGL_ALPHA_SIZE,   8,
                             EGL_DEPTH_SIZE,      24,         EGL_STENCIL_SIZE, 8,
                             EGL_SAMPLES,         samples,    EGL_NONE };
   EGLConfig config;
   EGLint count;
   if (!eglChooseConfig(display, wanted, &config, 1, &count) || count != 1)
      die("no EGL configuration for %s with %d samples",
          renderable == EGL_OPENGL_BIT       ? "OpenGL"
          : renderable == EGL_OPENGL_ES3_BIT ? "OpenGL ES 3.0"
                                             : "OpenGL ES 2.0",
          samples);
   EGLContext context = eglCreateContext(display, config, share, attributes);
   if (context == EGL_NO_CONTEXT)
      die("eglCreateContext fails: 0x%x", eglGetError());
   if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
      die("eglMakeCurrent fails: 0x%x", eglGetError());
   return context;
}

static const EGLint es2_attributes[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };

EGLContext
context_create(EGLDisplay display, EGLContext share)
{
   eglBindAPI(EGL_OPENGL_ES_API);
   return create_current(display, share, EGL_OPENGL_ES2_BIT, 0, es2_attributes);
}

EGLContext
context_create_es3(EGLDisplay display, EGLContext share)
{
   static const EGLint attributes[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
   eglBindAPI(EGL_OPENGL_ES_API);
   return create_current(display, share, EGL_OPENGL_ES3_BIT, 0, attributes);
}

EGLContext
context_create_samples(EGLDisplay display, EGLContext share)
{
   eglBindAPI(EGL_OPENGL_ES_API);
   return create_current(display, share, EGL_OPENGL_ES2_BIT, 4, es2_attributes);
}

EGLContext
context_create_desktop(EGLDisplay display, EGLContext share)
{
   static const EGLint attributes[] = { EGL_CONTEXT_MAJOR_VERSION, 2, EGL_CONTEXT_MINOR_VERSION, 1,
                                        EGL_NONE };
   eglBindAPI(EGL_OPENGL_API);
   return create_current(display, share, EGL_OPENGL_BIT, 0, attributes);
}

EGLContext
context_create_gl3(EGLDisplay display, EGLContext share, int minor)
{
   const EGLint attributes[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, minor,
                                 EGL_NONE };
   eglBindAPI(EGL_OPENGL_API);
   EGLContext context = create_current(display, share, EGL_OPENGL_BIT, 0, attributes);
   void (*gen)(GLsizei, GLuint *) =
      (void (*)(GLsizei, GLuint *))eglGetProcAddress("glGenVertexArrays");
   void (*bind)(GLuint) = (void (*)(GLuint))eglGetProcAddress("glBindVertexArray");
   GLuint arrays;
   gen(1, &arrays);
   bind(arrays); /* without one nothing can be drawn */
   return context;
}

struct target
target_create(int width_px, int height_px)
{
   struct target t = { .width_px = width_px, .height_px = height_px };
   glGenFramebuffers(1, &t.framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, t.framebuffer);
   glGenRenderbuffers(1, &t.colour);
   glBindRenderbuffer(GL_RENDERBUFFER, t.colour);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8_OES, width_px, height_px);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, t.colour);
   glGenRenderbuffers(1, &t.depth_stencil);
   glBindRenderbuffer(GL_RENDERBUFFER, t.depth_stencil);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8_OES, width_px, height_px);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, t.depth_stencil);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
                             t.depth_stencil);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      die("a framebuffer of RGBA8 and depth24-stencil8, %d x %d, is not complete", width_px,
          height_px);
   glViewport(0, 0, width_px, height_px);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   no_error("making the framebuffer");
   return t;
}

struct target
target_create_pbuffer(EGLDisplay display, int width_px, int height_px)
{
   const EGLint size[] = { EGL_WIDTH, width_px, EGL_HEIGHT, height_px, EGL_NONE };
   const struct target t = { .width_px = width_px, .height_px = height_px };
   EGLContext context = eglGetCurrentContext();
   EGLint id, count;
   EGLConfig config;
   eglQueryContext(display, context, EGL_CONFIG_ID, &id);
   eglChooseConfig(display, (const EGLint[]){ EGL_CONFIG_ID, id, EGL_NONE }, &config, 1, &count);
   EGLSurface surface = eglCreatePbufferSurface(display, config, size);
   if (surface == EGL_NO_SURFACE || !eglMakeCurrent(display, surface, surface, context))
      die("a pbuffer of %d x %d cannot be made: 0x%x", width_px, height_px, eglGetError());
   target_bind(&t);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   no_error("making the pbuffer");
   return t;
}

void
target_bind(const struct target *target)
{
   glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
   glViewport(0, 0, target->width_px, target->height_px);
}

void
target_delete(struct target *target)
{
   glDeleteFramebuffers(1, &target->framebuffer);
   glDeleteRenderbuffers(1, &target->colour);
   glDeleteRenderbuffers(1, &target->depth_stencil);
}

uint8_t *
target_read(const struct target *target)
{
   uint8_t *pixels = malloc(4 * (size_t)target->width_px * target->height_px);
   glReadPixels(0, 0, target->width_px, target->height_px, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   no_error("reading pixels");
   return pixels;
}

EGLContext
context_of(EGLDisplay display, EGLConfig config)
{
   static const EGLint attributes[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
   EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, attributes);
   if (context == EGL_NO_CONTEXT)
      die("eglCreateContext fails: 0x%x", eglGetError());
   return context;
}

void
make_current(EGLDisplay display, EGLSurface surface, EGLContext context)
{
   if (!eglMakeCurrent(display, surface, surface, context))
      die("eglMakeCurrent fails: 0x%x", eglGetError());
}

GLuint
shader_compile(GLenum stage, const char *head, const char *source, char *log, size_t size)
{
   const char *sources[] = { head, source };
   /* An empty head is none: the source is string 0 of what is said of its lines. */
   const int first = !head[0];
   GLuint shader = glCreateShader(stage);
   GLint ok;
   glShaderSource(shader, 2 - first, sources + first, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
   glGetShaderInfoLog(shader, (GLsizei)size, NULL, log);
   if (ok)
      return shader;
   glDeleteShader(shader);
   return 0;
}

static GLuint
shader_create(GLenum stage, const char *source)
{
   char log[1000] = "";
   const GLuint shader = shader_compile(stage, "", source, log, sizeof(log));
   if (!shader)
      die("a shader does not compile: %s\n%s", log, source);
   return shader;
}

GLuint
program_link_attributes(const char *vertex, const char *fragment, const char *const *attributes)
{
   GLuint program = glCreateProgram();
   const GLuint shaders[] = { shader_create(GL_VERTEX_SHADER, vertex),
                              shader_create(GL_FRAGMENT_SHADER, fragment) };
   GLint ok;
   for (int i = 0; i < 2; i++) {
      glAttachShader(program, shaders[i]);
      glDeleteShader(shaders[i]);
   }
   for (GLuint i = 0; attributes[i]; i++)
      glBindAttribLocation(program, i, attributes[i]);
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &ok);
   if (!ok) {
      char log[500] = "";
      glGetProgramInfoLog(program, sizeof(log), NULL, log);
      fprintf(stderr, "%s\n", log);
      die("a program does not link");
   }
   glUseProgram(program);
   return program;
}

GLuint
program_create(const char *vertex, const char *fragment)
{
   return program_link_attributes(vertex, fragment,
                                  (const char *const[]){ "position", "colour", NULL });
}

void
draw_vertices(const float (*vertices)[8], int count)
{
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(*vertices), vertices[0]);
   glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof(*vertices), vertices[0] + 4);
   glDrawArrays(GL_TRIANGLES, 0, count);
   no_error("drawing");
}

void
draw_rectangle(float x0, float y0, float x1, float y1, float z, const float colour[4])
{
   const float corners[6][2] = { { x0, y0 }, { x1, y0 }, { x1, y1 },
                                 { x0, y0 }, { x1, y1 }, { x0, y1 } };
   float vertices[6][8];
   for (int i = 0; i < 6; i++) {
      const float position[4] = { corners[i][0], corners[i][1], z, 1 };
      memcpy(vertices[i], position, sizeof(position));
      memcpy(vertices[i] + 4, colour, sizeof(position));
   }
   draw_vertices((const float(*)[8])vertices, 6);
}

void
no_error(const char *when)
{
   GLenum error = glGetError();
   if (error != GL_NO_ERROR)
      die("GL error 0x%x %s", error, when);
}

void
expect_pixel(const struct target *target, const uint8_t *pixels, int x, int y,
             const uint8_t colour[4], int lsb, const char *what)
{
   const uint8_t *have = pixels + 4 * (y * target->width_px + x);
   for (int i = 0; i < 4; i++) {
      if (abs(have[i] - colour[i]) > lsb)
         die("%s: pixel (%d, %d) is %d %d %d %d, not %d %d %d %d", what, x, y, have[0], have[1],
             have[2], have[3], colour[0], colour[1], colour[2], colour[3]);
   }
}

uint32_t
random_below(uint64_t *seed, uint32_t limit)
{
   /* Knuth's MMIX generator; its high bits are the good ones. */
   *seed = *seed * 6364136223846793005u + 1442695040888963407u;
   return (uint32_t)((*seed >> 33) % limit);
}

long
resident_kB(void)
{
#ifdef __SANITIZE_ADDRESS__
   return 0; /* AddressSanitizer holds freed memory for a while, and finds leaks itself */
#endif
   long pages = 0, resident = 0;
   FILE *file = fopen("/proc/self/statm", "r");
   if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2)
      die("/proc/self/statm cannot be read");
   fclose(file);
   return resident * 4;
}

double
now_s(clockid_t clock)
{
   struct timespec now;
   clock_gettime(clock, &now);
   return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
