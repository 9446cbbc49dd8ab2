/* SPDX-License-Identifier: MIT
 *
 * The cost of dependencies between the passes of a frame: each of its PASSES draws a sphere of lit
 * vertices to a texture, in one draw or in many, sampling the texture of the pass before. Between
 * passes is an operation that stalls a pipeline which cannot overlap passes. Prints for each kind
 * the wall time and the processor time of the process in microseconds per frame, least and median
 * of the frames. No window; LD_LIBRARY_PATH and the environment select the driver.
 *
 *    pass_cost [frames [kind]]
 */
#include "cost.h"

#include <EGL/egl.h>
#include <GLES2/gl2ext.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 256, MAX_FRAMES = 999, PASSES = 8, ACROSS = 96, DOWN = 64, UPDATED_VERTICES = 500, PIECE_INDICES = 24 };
enum { VERTICES = (ACROSS + 1) * (DOWN + 1), INDICES = ACROSS * DOWN * 6 };

static const char vertex[] =
   "attribute vec3 position; uniform vec3 light; varying vec2 at; varying float lit;\n"
   "void main() { vec3 n = normalize(position); vec3 to = light - position; float near = inversesqrt(dot(to, to));\n"
   "   lit = 0.1 + max(0.0, dot(n, to * near)) + pow(max(0.0, dot(n, normalize(to * near + vec3(0.0, 0.0, -1.0)))), 20.0);\n"
   "   at = position.xy * 0.5 + 0.5; gl_Position = vec4(position.xy * 0.95, position.z * 0.5, 1.0); }\n";
static const char fragment[] =
   "precision mediump float; varying vec2 at; varying float lit; uniform sampler2D image;\n"
   "void main() { gl_FragColor = vec4(lit * (0.5 + 0.5 * texture2D(image, at).rgb), 1.0); }\n";

enum between { NOTHING, COPY, MIPMAPS, SAMPLES, BUFFER };
static const struct kind {
   const char *name;
   enum between between;
   bool in_pieces; /* many draws, with a change of a uniform before each */
} kinds[] = {
   { "nothing", NOTHING, false },      { "copy", COPY, false },
   { "mipmaps", MIPMAPS, false },      { "samples", SAMPLES, false },
   { "buffer", BUFFER, false },        { "draws,nothing", NOTHING, true },
   { "draws,copy", COPY, true },       { "draws,mipmaps", MIPMAPS, true },
   { "draws,samples", SAMPLES, true }, { "draws,buffer", BUFFER, true },
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct pass_target {
   GLuint framebuffer, texture;
};

static GLuint
make_texture(bool mipmaps)
{
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE_PX, SIZE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                   mipmaps ? GL_LINEAR_MIPMAP_NEAREST : GL_LINEAR);
   if (mipmaps)
      glGenerateMipmap(GL_TEXTURE_2D);
   return texture;
}

static struct pass_target
make_target(enum between between)
{
   struct pass_target target;
   GLuint depth;
   const GLsizei samples = between == SAMPLES ? 4 : 0;
   target.texture = make_texture(between == MIPMAPS);
   glGenFramebuffers(1, &target.framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, target.framebuffer);
   glGenRenderbuffers(1, &depth);
   glBindRenderbuffer(GL_RENDERBUFFER, depth);
   if (samples) {
      const PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC attach =
         (PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC)eglGetProcAddress(
            "glFramebufferTexture2DMultisampleEXT");
      const PFNGLRENDERBUFFERSTORAGEMULTISAMPLEEXTPROC allocate =
         (PFNGLRENDERBUFFERSTORAGEMULTISAMPLEEXTPROC)eglGetProcAddress(
            "glRenderbufferStorageMultisampleEXT");
      attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target.texture, 0, samples);
      allocate(GL_RENDERBUFFER, samples, GL_DEPTH_COMPONENT16, SIZE_PX, SIZE_PX);
   } else {
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target.texture,
                             0);
      glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT16, SIZE_PX, SIZE_PX);
   }
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      cost_fail("the frame buffer is not complete");
   return target;
}

static float positions[VERTICES][3];

/* The operation after the pass to `target`, whose frame buffer is bound. Returns the texture that
 * the next pass samples. */
static GLuint
part(enum between between, const struct pass_target *target, GLuint copied)
{
   switch (between) {
   case COPY:
      glBindTexture(GL_TEXTURE_2D, copied);
      glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, SIZE_PX, SIZE_PX);
      return copied;
   case MIPMAPS:
      glBindTexture(GL_TEXTURE_2D, target->texture);
      glGenerateMipmap(GL_TEXTURE_2D);
      break;
   case BUFFER:
      glBufferSubData(GL_ARRAY_BUFFER, 0, UPDATED_VERTICES * sizeof positions[0], positions);
      break;
   default:
      break;
   }
   return target->texture;
}

static void
draw_sphere(bool in_pieces, float place, GLint light)
{
   const uintptr_t piece = in_pieces ? PIECE_INDICES : INDICES;
   for (uintptr_t first = 0; first < INDICES; first += piece) {
      glUniform3f(light, place, 2.0f, -3.0f - (float)first / INDICES);
      glDrawElements(GL_TRIANGLES, (GLsizei)piece, GL_UNSIGNED_SHORT,
                     (const void *)(first * sizeof(uint16_t)));
   }
}

static void
draw_frame(const struct kind *kind, const struct pass_target targets[2], GLuint copied, GLint light)
{
   GLuint read = targets[1].texture;
   for (int i = 0; i < PASSES; i++) {
      glBindFramebuffer(GL_FRAMEBUFFER, targets[i % 2].framebuffer);
      glBindTexture(GL_TEXTURE_2D, read);
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
      draw_sphere(kind->in_pieces, (float)i - 4.0f, light);
      read = part(kind->between, &targets[i % 2], copied);
   }
   glFinish();
}

static void
measure(const struct kind *kind, GLint light, int frames)
{
   double wall_us[MAX_FRAMES], process_us[MAX_FRAMES];
   const GLuint copied = make_texture(false);
   const struct pass_target targets[2] = { make_target(kind->between), make_target(kind->between) };
   for (int frame = 0; frame < frames; frame++) {
      const uint64_t wall_ns = cost_ns(CLOCK_MONOTONIC), process_ns = cost_process_ns();
      draw_frame(kind, targets, copied, light);
      wall_us[frame] = (double)(cost_ns(CLOCK_MONOTONIC) - wall_ns) * 1e-3;
      process_us[frame] = (double)(cost_process_ns() - process_ns) * 1e-3;
   }
   const double wall_median_us = cost_median(wall_us, frames),
                process_median_us = cost_median(process_us, frames);
   printf("%-14s %9.0f %9.0f %9.0f %9.0f\n", kind->name, wall_us[0], wall_median_us, process_us[0],
          process_median_us);
}

int
main(int argc, char **argv)
{
   const int frames = cost_repeats(argc, argv, 30, MAX_FRAMES);
   bool found = false;
   cost_context(COST_ES2);
   const GLuint program = cost_program(vertex, fragment);
   glUseProgram(program);
   cost_sphere(ACROSS, DOWN, positions);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
   glViewport(0, 0, SIZE_PX, SIZE_PX);
   glEnable(GL_DEPTH_TEST);
   printf("%s\n%-14s %19s %19s\n", (const char *)glGetString(GL_RENDERER), "between",
          "wall us, median", "process us, median");
   for (int i = 0; i < KINDS; i++) {
      if (argc > 2 && strcmp(argv[2], kinds[i].name) != 0)
         continue;
      measure(&kinds[i], glGetUniformLocation(program, "light"), frames);
      found = true;
   }
   if (!found)
      cost_fail("no kind is called so; there are nothing, copy, mipmaps, samples and buffer, and the same after \"draws,\"");
   return 0;
}
