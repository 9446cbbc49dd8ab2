/* SPDX-License-Identifier: MIT
 *
 * Gives a text to a compiler of OpenGL, and says what became of it: "refused: MESSAGE", or "drawn".
 * Then it draws with a plain program, and says "healthy".
 *
 *    trust_texts glsl VERTEX FRAGMENT [NAME FILE]...    shaders; other files that they may include
 *    trust_texts arb FILE                               a fragment program of ARB_fragment_program
 */
#include <stdlib.h>
#include <string.h>

#include "gles2_context.h"

#define LOG_B 2000

#define FRAGMENT_PROGRAM_ARB 0x8804
#define PROGRAM_FORMAT_ASCII_ARB 0x8875
#define PROGRAM_ERROR_STRING_ARB 0x8874
#define SHADER_INCLUDE_ARB 0x8dae

/* The file's text, with a zero at its end; *size_B without it. */
static char *
text_of(const char *path, long *size_B)
{
   FILE *file = fopen(path, "rb");
   if (!file || fseek(file, 0, SEEK_END) || (*size_B = ftell(file)) < 0)
      die("%s cannot be read", path);
   char *text = calloc(1, (size_t)*size_B + 1);
   rewind(file);
   if (!text || fread(text, 1, (size_t)*size_B, file) != (size_t)*size_B)
      die("%s cannot be read", path);
   fclose(file);
   return text;
}

/* Says the line of a message that tells its first error; warnings may come before. */
static void
refused(char *message)
{
   char *line = strtok(message, "\n");
   while (line && !strstr(line, "error:"))
      line = strtok(NULL, "\n");
   printf("refused: %s\n", line ? line : "without an error");
}

/* A rectangle over all of the target. */
static void
draw(void)
{
   static const float colour[4] = { 0.25f, 0.5f, 0.75f, 1.0f };
   draw_rectangle(-1.0f, -1.0f, 1.0f, 1.0f, 0.0f, colour);
   glFinish();
}

static void
run_program(const GLuint shaders[2])
{
   char log[LOG_B] = "";
   const GLuint program = glCreateProgram();
   GLint linked;
   for (int i = 0; i < 2; i++)
      glAttachShader(program, shaders[i]);
   glBindAttribLocation(program, 0, "position");
   glBindAttribLocation(program, 1, "colour");
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   glGetProgramInfoLog(program, sizeof(log), NULL, log);
   if (!linked) {
      refused(log);
      return;
   }
   glUseProgram(program);
   draw();
   printf("drawn\n");
}

static void
run_glsl(int files, char **file)
{
   void (*name_string)(GLenum, GLint, const char *, GLint, const char *) = (void (*)(
      GLenum, GLint, const char *, GLint, const char *))eglGetProcAddress("glNamedStringARB");
   static const GLenum stage[] = { GL_VERTEX_SHADER, GL_FRAGMENT_SHADER };
   GLuint shaders[2];
   long size_B;
   for (int i = 2; i + 1 < files; i += 2)
      name_string(SHADER_INCLUDE_ARB, -1, file[i], -1, text_of(file[i + 1], &size_B));
   for (int i = 0; i < 2; i++) {
      char log[LOG_B] = "";
      shaders[i] = shader_compile(stage[i], "", text_of(file[i], &size_B), log, sizeof(log));
      if (!shaders[i]) {
         refused(log);
         return;
      }
   }
   run_program(shaders);
}

static void
run_arb(const char *path)
{
   void (*program_string)(GLenum, GLenum, GLsizei, const void *) =
      (void (*)(GLenum, GLenum, GLsizei, const void *))eglGetProcAddress("glProgramStringARB");
   long size_B;
   char *text = text_of(path, &size_B);
   glEnable(FRAGMENT_PROGRAM_ARB);
   program_string(FRAGMENT_PROGRAM_ARB, PROGRAM_FORMAT_ASCII_ARB, (GLsizei)size_B, text);
   if (glGetError()) {
      snprintf(text, (size_t)size_B, "%s", (const char *)glGetString(PROGRAM_ERROR_STRING_ARB));
      refused(text);
   } else {
      draw();
      printf("drawn\n");
   }
   glDisable(FRAGMENT_PROGRAM_ARB);
   free(text);
}

/* What is drawn with a plain program is still right. */
static void
draw_plain(const struct target *target)
{
   static const uint8_t expected[4] = { 64, 128, 191, 255 };
   glGetError(); /* a draw of a text that was taken may have had one */
   program_create("attribute vec4 position, colour; varying vec4 v;\n"
                  "void main() { gl_Position = position; v = colour; }\n",
                  "varying vec4 v; void main() { gl_FragColor = v; }\n");
   draw();
   uint8_t *pixels = target_read(target);
   expect_pixel(target, pixels, 1, 1, expected, 1, "after the text");
   no_error("after the text");
   free(pixels);
   printf("healthy\n");
}

int
main(int argc, char **argv)
{
   const bool glsl = argc >= 4 && !strcmp(argv[1], "glsl");
   if (!glsl && !(argc == 3 && !strcmp(argv[1], "arb")))
      die("usage: %s glsl VERTEX FRAGMENT [NAME FILE]... | arb FILE", argv[0]);
   context_create_desktop(display_open(), EGL_NO_CONTEXT);
   struct target target = target_create(4, 4);
   if (glsl)
      run_glsl(argc - 2, argv + 2);
   else
      run_arb(argv[2]);
   draw_plain(&target);
   target_delete(&target);
   return 0;
}
