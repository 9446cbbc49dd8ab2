/* SPDX-License-Identifier: MIT
 *
 * print_shaders VERTEX FRAGMENT [desktop|es3]: draws with two shaders from files, which print
 * (docs/print.md): a square of 8x8 pixels by six indices of four vertices, then one of its
 * triangles without indices. What KHR_debug says is written to stderr; last comes a sum of the
 * picture. Uniform blocks (es3) have 0.5, 1.5, 2.5 and so on in their dwords, and 100 more in each
 * further block. Suite `tools` runs it.
 */
#include "gles2_context.h"

#include <GLES3/gl3.h>

#include <stdlib.h>
#include <string.h>

#define SIZE_PX 8
#define SHADER_B 16384

static char *
read_file(const char *path)
{
   char *text = calloc(1, SHADER_B);
   FILE *file = fopen(path, "r");
   if (!file || !text || fread(text, 1, SHADER_B - 1, file) == 0)
      die("%s cannot be read", path);
   fclose(file);
   return text;
}

static void GL_APIENTRY
hear(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length, const GLchar *message,
     const void *user)
{
   (void)source, (void)type, (void)id, (void)severity, (void)length, (void)user;
   fprintf(stderr, "heard: %s\n", message);
}

/* A wrong shader ends the program, with its log. */
static GLuint
link_files(const char *vertex_path, const char *fragment_path)
{
   static const char *const attributes[] = { "position", NULL };
   char *vertex = read_file(vertex_path), *fragment = read_file(fragment_path);
   const GLuint program = program_link_attributes(vertex, fragment, attributes);
   free(vertex);
   free(fragment);
   return program;
}

static void
fill_blocks(GLuint program)
{
   GLint blocks = 0, size_B = 0;
   glGetProgramiv(program, GL_ACTIVE_UNIFORM_BLOCKS, &blocks);
   for (GLuint i = 0; i < (GLuint)blocks; i++) {
      GLuint buffer;
      glGetActiveUniformBlockiv(program, i, GL_UNIFORM_BLOCK_DATA_SIZE, &size_B);
      float *data = malloc((size_t)size_B);
      for (GLint k = 0; k < size_B / 4; k++)
         data[k] = 100.0f * (float)i + (float)k + 0.5f;
      glGenBuffers(1, &buffer);
      glBindBufferBase(GL_UNIFORM_BUFFER, i, buffer);
      glBufferData(GL_UNIFORM_BUFFER, size_B, data, GL_STATIC_DRAW);
      glUniformBlockBinding(program, i, i);
      free(data);
   }
}

static void
draw(void)
{
   static const float corners[] = { -1, -1, 1, -1, -1, 1, 1, 1 };
   static const uint16_t indices[] = { 0, 1, 2, 2, 1, 3 };
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
   glEnableVertexAttribArray(0);
   glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, indices);
   glDrawArrays(GL_TRIANGLES, 1, 3);
   glFinish();
}

static uint32_t
sum_of(const struct target *target)
{
   uint8_t *pixels = target_read(target);
   uint32_t sum = 2166136261u;
   for (int i = 0; i < 4 * SIZE_PX * SIZE_PX; i++)
      sum = (sum ^ pixels[i]) * 16777619u;
   free(pixels);
   return sum;
}

int
main(int argc, char **argv)
{
   const bool desktop = argc == 4 && !strcmp(argv[3], "desktop"),
              es3 = argc == 4 && !strcmp(argv[3], "es3");
   if (argc != 3 && !desktop && !es3)
      die("usage: print_shaders VERTEX FRAGMENT [desktop|es3]");
   if (desktop)
      context_create_desktop(display_open(), EGL_NO_CONTEXT);
   else if (es3)
      context_create_es3(display_open(), EGL_NO_CONTEXT);
   else
      context_create(display_open(), EGL_NO_CONTEXT);
   const PFNGLDEBUGMESSAGECALLBACKKHRPROC set_callback =
      (PFNGLDEBUGMESSAGECALLBACKKHRPROC)eglGetProcAddress(desktop ? "glDebugMessageCallback"
                                                                  : "glDebugMessageCallbackKHR");
   const struct target target = target_create(SIZE_PX, SIZE_PX);
   glEnable(GL_DEBUG_OUTPUT_KHR);
   glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS_KHR);
   set_callback(hear, NULL);
   const GLuint program = link_files(argv[1], argv[2]);
   glUniform1f(glGetUniformLocation(program, "fraction"), 0.5f);
   if (es3)
      fill_blocks(program);
   draw();
   no_error("after the draws");
   printf("picture %08x\n", sum_of(&target));
   return 0;
}
