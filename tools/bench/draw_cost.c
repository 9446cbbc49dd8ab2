/* SPDX-License-Identifier: MIT
 *
 * The CPU cost of a draw: 10 000 small draws a frame, with more and more state changed between two
 * of them. Prints a line for each kind: nanoseconds per draw of the application thread's CPU time,
 * of the process' CPU time, and of wall time until all work is finished; medians of the frames. No
 * window; LD_LIBRARY_PATH and the environment select the driver (CLIPFREE_GPU=noop drops the work,
 * which leaves the driver's share).
 *
 *    draw_cost [frames [kind]]
 */
#include "cost.h"

#include <stddef.h>

enum { DRAWS = 10000, SIZE_PX = 256 };

static const char vertex[] = "attribute vec2 position; uniform vec4 place;\n"
                             "void main() { gl_Position = vec4(position * place.zw + place.xy, 0.0, 1.0); }\n";
static const char fragment[] =
   "precision mediump float; uniform vec4 colour; uniform sampler2D image;\n"
   "void main() { gl_FragColor = colour * texture2D(image, colour.xy); }\n";

static const float corners[3][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };

struct draw_scene {
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
set_up(struct draw_scene *scene)
{
   static const uint8_t texel[4] = { 255, 255, 255, 255 };
   cost_target(SIZE_PX);
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
change_nothing(const struct draw_scene *scene, int i)
{
   (void)scene, (void)i;
}

static void
change_uniform(const struct draw_scene *scene, int i)
{
   glUniform4f(scene->place, (i % 100) / 50.0f - 1, (i / 100) / 50.0f - 1, 0.02f, 0.02f);
}

static void
change_uniforms(const struct draw_scene *scene, int i)
{
   change_uniform(scene, i);
   glUniform4f(scene->colour, (i & 255) / 255.0f, 0.5f, 0.25f, 1);
}

static void
change_texture(const struct draw_scene *scene, int i)
{
   glBindTexture(GL_TEXTURE_2D, scene->textures[i & 1]);
}

static void
change_blend(const struct draw_scene *scene, int i)
{
   (void)scene;
   glBlendFunc(GL_ONE, i & 1 ? GL_ONE : GL_ZERO);
}

static void
change_depth(const struct draw_scene *scene, int i)
{
   (void)scene;
   glDepthFunc(i & 1 ? GL_ALWAYS : GL_LEQUAL);
}

static void
change_scissor(const struct draw_scene *scene, int i)
{
   (void)scene;
   glScissor(0, 0, SIZE_PX - (i & 1), SIZE_PX);
}

static void
change_viewport(const struct draw_scene *scene, int i)
{
   (void)scene;
   glViewport(i & 1, 0, SIZE_PX, SIZE_PX);
}

static void
change_program(const struct draw_scene *scene, int i)
{
   glUseProgram(scene->programs[i & 1]);
}

static void
change_buffer(const struct draw_scene *scene, int i)
{
   glBindBuffer(GL_ARRAY_BUFFER, scene->buffers[i & 1]);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
}

/* Alternate between a buffer and a client array. */
static void
change_array(const struct draw_scene *scene, int i)
{
   glBindBuffer(GL_ARRAY_BUFFER, i & 1 ? scene->buffers[0] : 0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, i & 1 ? NULL : corners);
}

/* Alternate between two client arrays. */
static void
change_client_array(const struct draw_scene *scene, int i)
{
   static const float more[2][3][2] = { { { 0, 0 }, { 1, 0 }, { 0, 1 } },
                                        { { 0, 0 }, { 1, 0 }, { 0, 1 } } };
   (void)scene;
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, more[i & 1]);
}

/* A change of state before each draw. */
struct draw_change {
   void (*change)(const struct draw_scene *scene, int i);
   GLenum test; /* enabled while it is measured; 0: none */
};

static void
draw_changed(const struct cost_kind *kind, const void *scene)
{
   const struct draw_change *change = kind->what;
   if (change->test)
      glEnable(change->test);
   for (int i = 0; i < kind->draws; i++) {
      change->change(scene, i);
      glDrawArrays(GL_TRIANGLES, 0, 3);
   }
   if (change->test)
      glDisable(change->test);
}

#define KIND(name_, change_, test_)                                                                \
   {                                                                                               \
      .name = name_, .draws = DRAWS, .draw = draw_changed, .what = &(const struct draw_change)     \
      {                                                                                            \
         change_, test_                                                                            \
      }                                                                                            \
   }

static const struct cost_kind kinds[] = {
   KIND("nothing", change_nothing, 0),
   KIND("one uniform", change_uniform, 0),
   KIND("uniforms of both stages", change_uniforms, 0),
   KIND("texture", change_texture, 0),
   KIND("blend", change_blend, GL_BLEND),
   KIND("depth", change_depth, GL_DEPTH_TEST),
   KIND("scissor", change_scissor, GL_SCISSOR_TEST),
   KIND("viewport", change_viewport, 0),
   KIND("program", change_program, 0),
   KIND("vertex buffer", change_buffer, 0),
   KIND("vertex array", change_array, 0),
   KIND("client array", change_client_array, 0),
};

int
main(int argc, char **argv)
{
   struct draw_scene scene;
   cost_context(COST_ES2);
   set_up(&scene);
   cost_draws(argc, argv, "changed before each draw", kinds, sizeof kinds / sizeof kinds[0],
              &scene);
   return 0;
}
