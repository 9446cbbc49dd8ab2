/* SPDX-License-Identifier: MIT
 *
 * line_cases es|gl {FILE... --}: compiles programs, for suite `tools`, which looks at their line
 * tables. Each FILE.vert or FILE.frag is a shader object; a byte 1 in it divides source strings.
 * Before a program is linked its number is printed, "== 0". With `draw` before the files a triangle
 * is drawn with each.
 */
#include "gles2_context.h"

#include <stdlib.h>
#include <string.h>

#define MAX_STRINGS 64

static char *
read_file(const char *path)
{
   FILE *file = fopen(path, "rb");
   char *text = calloc(1, 1 << 20);
   if (!file || !text || fread(text, 1, (1 << 20) - 1, file) == 0)
      die("%s cannot be read", path);
   fclose(file);
   return text;
}

static GLuint
compile(const char *path)
{
   const GLuint shader =
      glCreateShader(strstr(path, ".vert") ? GL_VERTEX_SHADER : GL_FRAGMENT_SHADER);
   char *text = read_file(path), log[1000];
   const char *string[MAX_STRINGS];
   GLint count = 0, compiled;
   for (char *begin = text, *end; begin; begin = end ? end + 1 : NULL) {
      if (count == MAX_STRINGS)
         die("%s has too many strings", path);
      string[count++] = begin;
      end = strchr(begin, 1);
      if (end)
         *end = 0;
   }
   glShaderSource(shader, count, string, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
   glGetShaderInfoLog(shader, sizeof(log), NULL, log);
   if (!compiled)
      die("%s: %s", path, log);
   free(text);
   return shader;
}

static void
draw(void)
{
   static const float corners[] = { -1, -1, 3, -1, -1, 3 };
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
   glEnableVertexAttribArray(0);
   glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* The files up to "--". Returns how many. */
static int
make_program(char **path, int number, bool drawn)
{
   const GLuint program = glCreateProgram();
   char log[1000];
   GLint linked;
   int count = 0;
   for (; strcmp(path[count], "--"); count++)
      glAttachShader(program, compile(path[count]));
   glBindAttribLocation(program, 0, "position");
   fprintf(stderr, "== %d\n", number);
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   glGetProgramInfoLog(program, sizeof(log), NULL, log);
   if (!linked)
      die("program %d: %s", number, log);
   glUseProgram(program);
   if (drawn)
      draw();
   return count;
}

int
main(int argc, char **argv)
{
   const bool desktop = argc > 2 && !strcmp(argv[1], "gl");
   const bool drawn = argc > 2 && !strcmp(argv[2], "draw");
   if (argc < 4 || strcmp(argv[argc - 1], "--"))
      die("usage: line_cases es|gl [draw] {FILE... --}");
   const EGLDisplay display = display_open();
   (desktop ? context_create_desktop : context_create)(display, EGL_NO_CONTEXT);
   target_create(16, 16);
   int number = 0;
   for (int i = drawn ? 3 : 2; i < argc; i++)
      i += make_program(&argv[i], number++, drawn);
   glFinish();
   no_error("at the end");
   return 0;
}
