/* SPDX-License-Identifier: MIT
 *
 * One image under several names: EGL images as textures and renderbuffers; objects shared by
 * contexts, of one thread and of many.
 */
#include "texture_rules.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------- EGL images */

enum { SIZE_PX = 16 };

/* Names for one image of SIZE_PX squared. Mesa's front end takes faces of cube maps for no
 * driver. */
struct siblings {
   EGLImageKHR image;
   GLuint texture[3]; /* the first is where the image is from */
   GLuint external; /* 0: there are none */
   GLuint renderbuffer, framebuffer[3]; /* of the first two textures, and of the renderbuffer */
   uint8_t pixel[SIZE_PX * SIZE_PX][4];
};

static PFNEGLCREATEIMAGEKHRPROC create_image;
static PFNEGLDESTROYIMAGEKHRPROC destroy_image;

static void
nearest(GLenum target)
{
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

static GLuint
framebuffer_of(GLenum target, GLuint texture)
{
   GLuint framebuffer;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, target, texture, 0);
   return framebuffer;
}

static void
create_siblings(struct rules *r, struct siblings *s)
{
   for (int i = 0; i < 4 * SIZE_PX * SIZE_PX; i++)
      s->pixel[i / 4][i % 4] = (uint8_t)rules_below(r, 256);
   glGenTextures(3, s->texture);
   glBindTexture(GL_TEXTURE_2D, s->texture[0]);
   nearest(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE_PX, SIZE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                s->pixel);
   const EGLint attributes[] = { EGL_GL_TEXTURE_LEVEL_KHR, 0, EGL_IMAGE_PRESERVED_KHR, EGL_TRUE,
                                 EGL_NONE };
   s->image = create_image(eglGetCurrentDisplay(), eglGetCurrentContext(), EGL_GL_TEXTURE_2D_KHR,
                           (EGLClientBuffer)(uintptr_t)s->texture[0], attributes);
   if (s->image == EGL_NO_IMAGE_KHR)
      rules_fail(r, "eglCreateImageKHR fails: %x", eglGetError());
   for (int i = 1; i < 3; i++) {
      glBindTexture(GL_TEXTURE_2D, s->texture[i]);
      nearest(GL_TEXTURE_2D);
      gl_ext()->EGLImageTargetTexture2DOES(GL_TEXTURE_2D, s->image);
   }
   s->external = 0;
   if (has_extension("GL_OES_EGL_image_external")) {
      glGenTextures(1, &s->external);
      glBindTexture(GL_TEXTURE_EXTERNAL_OES, s->external);
      nearest(GL_TEXTURE_EXTERNAL_OES);
      gl_ext()->EGLImageTargetTexture2DOES(GL_TEXTURE_EXTERNAL_OES, s->image);
   }
   glGenRenderbuffers(1, &s->renderbuffer);
   glBindRenderbuffer(GL_RENDERBUFFER, s->renderbuffer);
   gl_ext()->EGLImageTargetRenderbufferStorageOES(GL_RENDERBUFFER, s->image);
   for (int i = 0; i < 2; i++)
      s->framebuffer[i] = framebuffer_of(GL_TEXTURE_2D, s->texture[i]);
   glGenFramebuffers(1, &s->framebuffer[2]);
   glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer[2]);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                             s->renderbuffer);
}

/* OES_EGL_image_external: one name more, for sampling alone. The program is that of LOOKUP_2D but
 * for the sampler. */
static void
draw_external(const struct siblings *s)
{
   static const char vertex[] = "attribute highp vec4 position, coordinate; varying highp vec4 v;\n"
                                "void main() { gl_Position = position; v = coordinate; }\n";
   static const char fragment[] = "#extension GL_OES_EGL_image_external : require\n"
                                  "precision highp float; uniform samplerExternalOES image; varying vec4 v;\n"
                                  "void main() { gl_FragColor = texture2D(image, v.xy); }\n";
   static GLuint program;
   program = program ? program : program_link(vertex, fragment);
   glUseProgram(program);
   glBindTexture(GL_TEXTURE_EXTERNAL_OES, s->external);
   draw_whole_texture();
}

/* A rectangle of one colour by a clear through one name, or of random bytes by an upload through
 * one. */
static void
change_siblings(struct rules *r, struct siblings *s)
{
   const bool whole = rules_chance(r, 30);
   const int x = whole ? 0 : rules_between(r, 0, SIZE_PX - 1),
             y = whole ? 0 : rules_between(r, 0, SIZE_PX - 1);
   const int width = whole ? SIZE_PX : rules_between(r, 1, SIZE_PX - x),
             height = whole ? SIZE_PX : rules_between(r, 1, SIZE_PX - y);
   const int name = rules_between(r, 0, 2);
   uint8_t bytes[SIZE_PX * SIZE_PX][4];
   const bool clear = rules_chance(r, 50);
   for (int i = 0; i < width * height; i++)
      for (int c = 0; c < 4; c++)
         bytes[i][c] = clear && i ? bytes[0][c] : (uint8_t)rules_below(r, 256);
   if (clear) {
      glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer[name]);
      if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
         rules_fail(r, "a frame buffer of an EGL image's sibling is not complete");
      glEnable(GL_SCISSOR_TEST);
      glScissor(x, y, width, height);
      glClearColor(bytes[0][0] / 255.0f, bytes[0][1] / 255.0f, bytes[0][2] / 255.0f,
                   bytes[0][3] / 255.0f);
      glClear(GL_COLOR_BUFFER_BIT);
      glDisable(GL_SCISSOR_TEST);
   } else {
      glBindTexture(GL_TEXTURE_2D, s->texture[name]);
      glTexSubImage2D(GL_TEXTURE_2D, 0, x, y, width, height, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
   }
   for (int i = 0; i < width * height; i++)
      memcpy(s->pixel[(y + i / width) * SIZE_PX + x + i % width], bytes[i], 4);
}

static void
expect_siblings(struct rules *r, const struct siblings *s, const struct tex_canvas *canvas)
{
   static const int exactly[4];
   const bool read = rules_chance(r, 40);
   const int name = rules_between(r, 0, 2);
   if (read) {
      glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer[name]);
   } else {
      tex_canvas_bind(canvas);
      if (s->external && rules_chance(r, 30)) {
         draw_external(s);
      } else {
         glBindTexture(GL_TEXTURE_2D, s->texture[name]);
         lookup_use(LOOKUP_2D, 0);
         draw_whole_texture();
      }
   }
   uint8_t *pixels = rules_read(r, SIZE_PX, SIZE_PX);
   rules_expect(r, SIZE_PX, SIZE_PX, pixels, s->pixel[0], exactly,
                read ? "a sibling, read" : "a sibling, sampled");
   free(pixels);
}

void
tex_egl_image(struct rules *r)
{
   if (!has_extension("GL_OES_EGL_image"))
      rules_skip("no GL_OES_EGL_image");
   create_image = (PFNEGLCREATEIMAGEKHRPROC)eglGetProcAddress("eglCreateImageKHR");
   destroy_image = (PFNEGLDESTROYIMAGEKHRPROC)eglGetProcAddress("eglDestroyImageKHR");
   struct tex_canvas canvas = tex_canvas_create(SIZE_PX, SIZE_PX);
   while (rules_next(r)) {
      struct siblings s;
      create_siblings(r, &s);
      bool image = true;
      for (int step = 0; step < 12; step++) {
         change_siblings(r, &s);
         if (image && rules_chance(r, 15)) { /* its siblings live on */
            destroy_image(eglGetCurrentDisplay(), s.image);
            image = false;
         }
         if (rules_chance(r, 60))
            expect_siblings(r, &s, &canvas);
      }
      if (image)
         destroy_image(eglGetCurrentDisplay(), s.image);
      if (rules_chance(r, 50)) { /* specified anew, a texture leaves its siblings */
         static const uint8_t black[4];
         glBindTexture(GL_TEXTURE_2D, s.texture[2]);
         glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, black);
         glDeleteTextures(1, &s.texture[2]);
         glGenTextures(1, &s.texture[2]);
         glBindTexture(GL_TEXTURE_2D, s.texture[2]);
         for (int i = 0; i < 2; i++) {
            static const int exactly[4];
            glBindFramebuffer(GL_FRAMEBUFFER, s.framebuffer[i]);
            uint8_t *pixels = rules_read(r, SIZE_PX, SIZE_PX);
            rules_expect(r, SIZE_PX, SIZE_PX, pixels, s.pixel[0], exactly,
                         "a sibling of what was specified anew");
            free(pixels);
         }
      }
      glDeleteFramebuffers(3, s.framebuffer);
      glDeleteRenderbuffers(1, &s.renderbuffer);
      glDeleteTextures(3, s.texture);
      glDeleteTextures(1, &s.external);
   }
   tex_canvas_delete(&canvas);
}

/* ------------------------------------------------------------------------------------- contexts */

enum { THREADS = 3, ROUNDS = 12 };

/* A ring of threads, each with a context that shares with all: in each round a thread takes the
 * texture that the one before it has made, draws it with its channels moved by one into a texture
 * of its own, and passes that on. */
struct ring {
   pthread_barrier_t barrier;
   EGLDisplay display;
   EGLContext context[THREADS];
   GLuint texture[2][THREADS]; /* of even and odd rounds */
   GLuint program, buffer;     /* made by the first, used by all */
   uint8_t pixel[THREADS][SIZE_PX * SIZE_PX][4];
   bool wrong[THREADS];
};

struct ring_member {
   struct ring *ring;
   int number;
};

static const char ring_vertex[] =
   "attribute vec4 position; attribute highp vec2 coordinate; varying highp vec2 v;\n"
   "void main() { gl_Position = position; v = coordinate; }\n";
static const char ring_fragment[] =
   "precision highp float; varying vec2 v; uniform sampler2D image;\n"
   "void main() { gl_FragColor = texture2D(image, v).gbar; }\n";

/* Draws the texture over all, its channels in turn. */
static void
draw_turned(const struct ring *ring, GLuint from, GLuint to)
{
   GLuint framebuffer = framebuffer_of(GL_TEXTURE_2D, to);
   glViewport(0, 0, SIZE_PX, SIZE_PX);
   glUseProgram(ring->program);
   glBindTexture(GL_TEXTURE_2D, from);
   glBindBuffer(GL_ARRAY_BUFFER, ring->buffer);
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 16, NULL);
   glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, 16, (void *)8);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   glDeleteFramebuffers(1, &framebuffer);
}

/* Work that no other thread sees, between the barriers. */
static void
work_alone(int number, int round)
{
   for (int i = 0; i < 4; i++) {
      uint8_t bytes[32 * 32][4];
      GLuint texture;
      memset(bytes, number * 16 + round + i, sizeof(bytes));
      glGenTextures(1, &texture);
      glBindTexture(GL_TEXTURE_2D, texture);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
      glGenerateMipmap(GL_TEXTURE_2D);
      glDeleteTextures(1, &texture);
   }
}

static void *
run_member(void *argument)
{
   const struct ring_member *member = argument;
   struct ring *ring = member->ring;
   const int n = member->number, before = (n + THREADS - 1) % THREADS;
   eglBindAPI(EGL_OPENGL_ES_API);
   if (!eglMakeCurrent(ring->display, EGL_NO_SURFACE, EGL_NO_SURFACE, ring->context[n])) {
      ring->wrong[n] = true;
      return NULL;
   }
   for (int round = 0; round < ROUNDS; round++) {
      work_alone(n, round);
      draw_turned(ring, ring->texture[round % 2][before], ring->texture[(round + 1) % 2][n]);
      glFinish(); /* appendix C: what another context shall see must be complete */
      pthread_barrier_wait(&ring->barrier);
   }
   uint8_t pixels[SIZE_PX * SIZE_PX][4];
   GLuint framebuffer = framebuffer_of(GL_TEXTURE_2D, ring->texture[ROUNDS % 2][n]);
   glReadPixels(0, 0, SIZE_PX, SIZE_PX, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   const int from = (n + THREADS * ROUNDS - ROUNDS) % THREADS; /* whose picture it was at first */
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
      for (int c = 0; c < 4; c++)
         ring->wrong[n] |= pixels[i][c] != ring->pixel[from][i][(c + ROUNDS) % 4];
   ring->wrong[n] |= glGetError() != GL_NO_ERROR;
   glDeleteFramebuffers(1, &framebuffer);
   eglMakeCurrent(ring->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   return NULL;
}

static GLuint
ring_texture(const uint8_t (*pixel)[4])
{
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   nearest(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE_PX, SIZE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   return texture;
}

void
tex_share_threads(struct rules *r)
{
   static const float corners[4][4] = {
      { -1, -1, 0, 0 }, { 1, -1, 1, 0 }, { -1, 1, 0, 1 }, { 1, 1, 1, 1 }
   };
   static struct ring ring;
   const EGLContext own = eglGetCurrentContext();
   ring.display = eglGetCurrentDisplay();
   ring.program = program_link(ring_vertex, ring_fragment);
   glGenBuffers(1, &ring.buffer);
   glBindBuffer(GL_ARRAY_BUFFER, ring.buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STATIC_DRAW);
   for (int i = 0; i < THREADS; i++)
      ring.context[i] = context_create(ring.display, own);
   eglMakeCurrent(ring.display, EGL_NO_SURFACE, EGL_NO_SURFACE, own);
   while (rules_next(r)) {
      pthread_t thread[THREADS];
      struct ring_member member[THREADS];
      for (int i = 0; i < THREADS; i++) {
         for (int p = 0; p < 4 * SIZE_PX * SIZE_PX; p++)
            ring.pixel[i][p / 4][p % 4] = (uint8_t)rules_below(r, 256);
         ring.texture[0][i] = ring_texture((const uint8_t(*)[4])ring.pixel[i]);
         ring.texture[1][i] = ring_texture(NULL);
      }
      glFinish();
      pthread_barrier_init(&ring.barrier, NULL, THREADS);
      for (int i = 0; i < THREADS; i++) {
         member[i] = (struct ring_member){ &ring, i };
         pthread_create(&thread[i], NULL, run_member, &member[i]);
      }
      for (int i = 0; i < THREADS; i++)
         pthread_join(thread[i], NULL);
      pthread_barrier_destroy(&ring.barrier);
      for (int i = 0; i < THREADS; i++)
         if (ring.wrong[i])
            rules_fail(r, "thread %d of a ring has not the picture that was passed round", i);
      for (int i = 0; i < 2; i++)
         glDeleteTextures(THREADS, ring.texture[i]);
   }
   for (int i = 0; i < THREADS; i++)
      eglDestroyContext(ring.display, ring.context[i]);
}

/* ----------------------------------------------------------------------------- contexts in turn */

enum { CONTEXTS = 2, SHARED = 4, SWITCHES = 60 };

/* Textures that contexts change in turn, each through frame buffers of its own. */
struct turns {
   EGLDisplay display;
   EGLContext context[CONTEXTS];
   GLuint framebuffer[CONTEXTS][SHARED], texture[SHARED], program, buffer;
   uint8_t pixel[SHARED][SIZE_PX * SIZE_PX][4];
};

static void
take_turn(const struct turns *t, int context)
{
   /* appendix C, and what eglMakeCurrent flushes: after it, the other's commands are complete for
    * this one, once an object is bound again */
   eglMakeCurrent(t->display, EGL_NO_SURFACE, EGL_NO_SURFACE, t->context[context]);
}

static void
change_in_turn(struct rules *r, struct turns *t, int context)
{
   const int to = rules_between(r, 0, SHARED - 1), from = rules_between(r, 0, SHARED - 1);
   const bool whole = rules_chance(r, 30);
   const int x = whole ? 0 : rules_between(r, 0, SIZE_PX - 1),
             y = whole ? 0 : rules_between(r, 0, SIZE_PX - 1);
   const int width = whole ? SIZE_PX : rules_between(r, 1, SIZE_PX - x),
             height = whole ? SIZE_PX : rules_between(r, 1, SIZE_PX - y);
   const uint32_t kind = rules_below(r, 3);
   uint8_t bytes[SIZE_PX * SIZE_PX][4];
   for (int i = 0; i < width * height; i++)
      for (int c = 0; c < 4; c++)
         bytes[i][c] = kind == 0 && i ? bytes[0][c] : (uint8_t)rules_below(r, 256);
   glBindFramebuffer(GL_FRAMEBUFFER, t->framebuffer[context][to]);
   glBindTexture(GL_TEXTURE_2D, t->texture[kind == 2 ? from : to]);
   glViewport(0, 0, SIZE_PX, SIZE_PX);
   glScissor(x, y, width, height);
   glEnable(GL_SCISSOR_TEST);
   if (kind == 0) {
      glClearColor(bytes[0][0] / 255.0f, bytes[0][1] / 255.0f, bytes[0][2] / 255.0f,
                   bytes[0][3] / 255.0f);
      glClear(GL_COLOR_BUFFER_BIT);
   } else if (kind == 1) {
      glTexSubImage2D(GL_TEXTURE_2D, 0, x, y, width, height, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
   } else if (to != from) {
      glUseProgram(t->program);
      glBindBuffer(GL_ARRAY_BUFFER, t->buffer);
      glEnableVertexAttribArray(0);
      glEnableVertexAttribArray(1);
      glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 16, NULL);
      glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, 16, (void *)8);
      glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   }
   glDisable(GL_SCISSOR_TEST);
   for (int i = 0; i < width * height; i++) {
      const int p = (y + i / width) * SIZE_PX + x + i % width;
      for (int c = 0; c < 4 && (kind != 2 || to != from); c++)
         t->pixel[to][p][c] = kind == 2 ? t->pixel[from][p][(c + 1) % 4] : bytes[i][c];
   }
}

static void
create_turns(struct rules *r, struct turns *t)
{
   for (int i = 0; i < SHARED; i++) {
      for (int p = 0; p < 4 * SIZE_PX * SIZE_PX; p++)
         t->pixel[i][p / 4][p % 4] = (uint8_t)rules_below(r, 256);
      t->texture[i] = ring_texture((const uint8_t(*)[4])t->pixel[i]);
   }
   for (int c = 0; c < CONTEXTS; c++) {
      take_turn(t, c);
      for (int i = 0; i < SHARED; i++)
         t->framebuffer[c][i] = framebuffer_of(GL_TEXTURE_2D, t->texture[i]);
   }
}

void
tex_share_turns(struct rules *r)
{
   static const float corners[4][4] = {
      { -1, -1, 0, 0 }, { 1, -1, 1, 0 }, { -1, 1, 0, 1 }, { 1, 1, 1, 1 }
   };
   static const int exactly[4];
   static struct turns t;
   t.display = eglGetCurrentDisplay();
   t.context[0] = eglGetCurrentContext();
   t.context[1] = context_create(t.display, t.context[0]);
   t.program = program_link(ring_vertex, ring_fragment);
   glGenBuffers(1, &t.buffer);
   glBindBuffer(GL_ARRAY_BUFFER, t.buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STATIC_DRAW);
   while (rules_next(r)) {
      int context = CONTEXTS - 1;
      create_turns(r, &t);
      for (int step = 0; step < SWITCHES; step++) {
         if (rules_chance(r, 40)) {
            no_error("before another context's turn");
            take_turn(&t, context = (context + 1) % CONTEXTS);
         }
         change_in_turn(r, &t, context);
      }
      for (int i = 0; i < SHARED; i++) {
         take_turn(&t, i % CONTEXTS);
         glBindFramebuffer(GL_FRAMEBUFFER, t.framebuffer[i % CONTEXTS][i]);
         uint8_t *pixels = rules_read(r, SIZE_PX, SIZE_PX);
         rules_expect(r, SIZE_PX, SIZE_PX, pixels, t.pixel[i][0], exactly,
                      "a texture that contexts change in turn");
         free(pixels);
      }
      for (int c = 0; c < CONTEXTS; c++) {
         take_turn(&t, c);
         glDeleteFramebuffers(SHARED, t.framebuffer[c]);
      }
      glDeleteTextures(SHARED, t.texture);
   }
}
