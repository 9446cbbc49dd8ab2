/* SPDX-License-Identifier: MIT
 *
 * What a draw costs the application's thread: 10 000 small draws a frame, with more and more changed between two of
 * them. Prints a line for each kind: nanoseconds a draw of that thread's CPU time, of the whole process's CPU time and
 * of wall time until all is done, medians of the frames. No window; the driver is what LD_LIBRARY_PATH and the
 * environment say (CLIPFREE_GPU=noop drops the work: what is left is the driver's share).
 *
 *    draw_cost [frames [kind]]
 */
#include "cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 10000, SIZE_PX = 256, MAX_FRAMES = 99 };

static const char vertex[] = "attribute vec2 position; uniform vec4 place;\n"
                             "void main() { gl_Position = vec4(position * place.zw + place.xy, 0.0, 1.0); }\n";
static const char fragment[] = "precision mediump float; uniform vec4 colour; uniform sampler2D image;\n"
                               "void main() { gl_FragColor = colour * texture2D(image, colour.xy); }\n";

static const float corners[3][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };

struct scene {
   GLint place, colour;
   GLuint programs[2], textures[2], buffers[2];
};

static GLuint
make_program(void)
{
   const GLuint program = cost_program(vertex, fragment);
   glUseProgram(program);
   glUniform4f(glGetUniformLocation(program, "place"), -0.5f, -0.5f, 0.02f, 0.02f);
   glUniform4f(glGetUniformLocation(program, "colour"), 1, 0.5f, 0.25f, 1);
   return program;
}

static void
set_up(struct scene *scene)
{
   GLuint framebuffer, colour, depth;
   static const uint8_t texel[4] = { 255, 255, 255, 255 };
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glGenTextures(1, &colour);
   glBindTexture(GL_TEXTURE_2D, colour);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE_PX, SIZE_PX, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour, 0);
   glGenRenderbuffers(1, &depth);
   glBindRenderbuffer(GL_RENDERBUFFER, depth);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT16, SIZE_PX, SIZE_PX);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
   glViewport(0, 0, SIZE_PX, SIZE_PX);
   glGenTextures(2, scene->textures);
   for (int i = 0; i < 2; i++) {
      glBindTexture(GL_TEXTURE_2D, scene->textures[i]);
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texel);
      scene->programs[i] = make_program();
   }
   scene->place = glGetUniformLocation(scene->programs[1], "place");
   scene->colour = glGetUniformLocation(scene->programs[1], "colour");
   glGenBuffers(2, scene->buffers);
   for (int i = 0; i < 2; i++) {
      glBindBuffer(GL_ARRAY_BUFFER, scene->buffers[i]);
      glBufferData(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STATIC_DRAW);
   }
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
}

static void
change_nothing(const struct scene *scene, int i)
{
   (void)scene, (void)i;
}

static void
change_uniform(const struct scene *scene, int i)
{
   glUniform4f(scene->place, (i % 100) / 50.0f - 1, (i / 100) / 50.0f - 1, 0.02f, 0.02f);
}

static void
change_uniforms(const struct scene *scene, int i)
{
   change_uniform(scene, i);
   glUniform4f(scene->colour, (i & 255) / 255.0f, 0.5f, 0.25f, 1);
}

static void
change_texture(const struct scene *scene, int i)
{
   glBindTexture(GL_TEXTURE_2D, scene->textures[i & 1]);
}

static void
change_blend(const struct scene *scene, int i)
{
   (void)scene;
   glBlendFunc(GL_ONE, i & 1 ? GL_ONE : GL_ZERO);
}

static void
change_depth(const struct scene *scene, int i)
{
   (void)scene;
   glDepthFunc(i & 1 ? GL_ALWAYS : GL_LEQUAL);
}

static void
change_scissor(const struct scene *scene, int i)
{
   (void)scene;
   glScissor(0, 0, SIZE_PX - (i & 1), SIZE_PX);
}

static void
change_viewport(const struct scene *scene, int i)
{
   (void)scene;
   glViewport(i & 1, 0, SIZE_PX, SIZE_PX);
}

static void
change_program(const struct scene *scene, int i)
{
   glUseProgram(scene->programs[i & 1]);
}

static void
change_buffer(const struct scene *scene, int i)
{
   glBindBuffer(GL_ARRAY_BUFFER, scene->buffers[i & 1]);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
}

/* In turn a buffer and the application's memory. */
static void
change_array(const struct scene *scene, int i)
{
   glBindBuffer(GL_ARRAY_BUFFER, i & 1 ? scene->buffers[0] : 0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, i & 1 ? NULL : corners);
}

/* The application's memory, in two places. */
static void
change_client_array(const struct scene *scene, int i)
{
   static const float more[2][3][2] = { { { 0, 0 }, { 1, 0 }, { 0, 1 } }, { { 0, 0 }, { 1, 0 }, { 0, 1 } } };
   (void)scene;
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, more[i & 1]);
}

static const struct {
   const char *name;
   void (*change)(const struct scene *scene, int i);
   GLenum test; /* enabled while it is measured; 0: none */
} kinds[] = {
   { "nothing", change_nothing, 0 },
   { "one uniform", change_uniform, 0 },
   { "uniforms of both stages", change_uniforms, 0 },
   { "texture", change_texture, 0 },
   { "blend", change_blend, GL_BLEND },
   { "depth", change_depth, GL_DEPTH_TEST },
   { "scissor", change_scissor, GL_SCISSOR_TEST },
   { "viewport", change_viewport, 0 },
   { "program", change_program, 0 },
   { "vertex buffer", change_buffer, 0 },
   { "vertex array", change_array, 0 },
   { "client array", change_client_array, 0 },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void
measure(const struct scene *scene, unsigned kind, int frames)
{
   double thread_ns[MAX_FRAMES], process_ns[MAX_FRAMES], wall_ns[MAX_FRAMES];
   if (kinds[kind].test)
      glEnable(kinds[kind].test);
   for (int frame = 0; frame < frames; frame++) {
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
      glFinish();
      const uint64_t thread = cost_ns(CLOCK_THREAD_CPUTIME_ID), process = cost_ns(CLOCK_PROCESS_CPUTIME_ID);
      const uint64_t wall = cost_ns(CLOCK_MONOTONIC);
      for (int i = 0; i < DRAWS; i++) {
         kinds[kind].change(scene, i);
         glDrawArrays(GL_TRIANGLES, 0, 3);
      }
      thread_ns[frame] = (double)(cost_ns(CLOCK_THREAD_CPUTIME_ID) - thread) / DRAWS;
      glFinish();
      process_ns[frame] = (double)(cost_ns(CLOCK_PROCESS_CPUTIME_ID) - process) / DRAWS;
      wall_ns[frame] = (double)(cost_ns(CLOCK_MONOTONIC) - wall) / DRAWS;
   }
   if (kinds[kind].test)
      glDisable(kinds[kind].test);
   printf("%-24s %8.0f %8.0f %8.0f\n", kinds[kind].name, cost_median(thread_ns, frames),
          cost_median(process_ns, frames), cost_median(wall_ns, frames));
}

/* The kind that the second argument names, or the process ends; KINDS: all. */
static unsigned
chosen_kind(int argc, char **argv)
{
   unsigned kind = 0;
   while (argc > 2 && kind < KINDS && strcmp(argv[2], kinds[kind].name))
      kind++;
   if (argc > 2 && kind == KINDS) {
      fprintf(stderr, "draw_cost: there is no kind %s:", argv[2]);
      for (kind = 0; kind < KINDS; kind++)
         fprintf(stderr, "%s %s", kind ? "," : "", kinds[kind].name);
      fprintf(stderr, "\n");
      exit(2);
   }
   return argc > 2 ? kind : KINDS;
}

int
main(int argc, char **argv)
{
   const int frames = cost_repeats(argc, argv, 5, MAX_FRAMES);
   const unsigned chosen = chosen_kind(argc, argv);
   cost_context(COST_ES2);
   struct scene scene;
   set_up(&scene);
   printf("%s, %d draws a frame; ns a draw\n%-24s %8s %8s %8s\n", glGetString(GL_RENDERER), DRAWS,
          "changed before each draw", "thread", "process", "wall");
   for (unsigned kind = 0; kind < KINDS; kind++) {
      if (chosen == KINDS || chosen == kind)
         measure(&scene, kind, frames);
   }
   return 0;
}
