/* SPDX-License-Identifier: MIT */
#include "reduce_gles_text.h"

const char reduce_gles_head[] =
   "/*\n"
   " * Draws with OpenGL ES 2.0 what a capture of clipfree draws; made by clipfree reduce.\n"
   " *\n"
   " *    gcc -o picture FILE.c -lEGL -lGLESv2\n"
   " *    ./picture picture.ppm\n"
   " *\n"
   " * needs no display. The picture's rows are those of the image in memory.\n";

const char reduce_gles_includes[] = "#include <stdint.h>\n"
                                    "#include <stdio.h>\n"
                                    "#include <stdlib.h>\n"
                                    "\n"
                                    "#include <EGL/egl.h>\n"
                                    "#include <EGL/eglext.h>\n"
                                    "#include <GLES2/gl2.h>\n"
                                    "\n";

const char reduce_gles_functions[] =
   "\n"
   "static void\n"
   "die(const char *what)\n"
   "{\n"
   "   fprintf(stderr, \"%s\\n\", what);\n"
   "   exit(1);\n"
   "}\n"
   "\n"
   "static EGLDisplay\n"
   "open_display(void)\n"
   "{\n"
   "   PFNEGLGETPLATFORMDISPLAYEXTPROC get =\n"
   "      (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress(\"eglGetPlatformDisplayEXT\");\n"
   "   EGLDisplay display =\n"
   "      get ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL)\n"
   "          : eglGetDisplay(EGL_DEFAULT_DISPLAY);\n"
   "   if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API))\n"
   "      die(\"no EGL display\");\n"
   "   return display;\n"
   "}\n"
   "\n"
   "/* A context, and a pbuffer of the picture's size. */\n"
   "static void\n"
   "make_context(void)\n"
   "{\n"
   "   const EGLint wanted[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,\n"
   "                             EGL_OPENGL_ES2_BIT, EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8,\n"
   "                             EGL_BLUE_SIZE, 8, EGL_ALPHA_SIZE, alpha_bits, EGL_DEPTH_SIZE, "
   "24,\n"
   "                             EGL_STENCIL_SIZE, 8, EGL_NONE };\n"
   "   const EGLint size[] = { EGL_WIDTH, WIDTH, EGL_HEIGHT, HEIGHT, EGL_NONE };\n"
   "   const EGLint version[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };\n"
   "   EGLConfig configs[256];\n"
   "   EGLint count = 0, i = 0, bits = -1;\n"
   "   EGLDisplay display = open_display();\n"
   "   eglChooseConfig(display, wanted, configs, 256, &count);\n"
   "   for (; i < count; i++) {\n"
   "      if (eglGetConfigAttrib(display, configs[i], EGL_ALPHA_SIZE, &bits) && bits == "
   "alpha_bits)\n"
   "         break;\n"
   "   }\n"
   "   if (i == count)\n"
   "      die(\"no EGL configuration\");\n"
   "   EGLContext context = eglCreateContext(display, configs[i], EGL_NO_CONTEXT, version);\n"
   "   EGLSurface surface = eglCreatePbufferSurface(display, configs[i], size);\n"
   "   if (!eglMakeCurrent(display, surface, surface, context))\n"
   "      die(\"no OpenGL ES 2.0\");\n"
   "}\n";

const char reduce_gles_programs[] =
   "\n"
   "static GLuint\n"
   "compile(GLenum kind, const char *text)\n"
   "{\n"
   "   char log[4096];\n"
   "   GLint ok;\n"
   "   const GLuint shader = glCreateShader(kind);\n"
   "   glShaderSource(shader, 1, &text, NULL);\n"
   "   glCompileShader(shader);\n"
   "   glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);\n"
   "   glGetShaderInfoLog(shader, sizeof(log), NULL, log);\n"
   "   if (!ok)\n"
   "      die(log);\n"
   "   fputs(log, stderr);\n"
   "   return shader;\n"
   "}\n"
   "\n"
   "/* A program, made current; no attribute has an array. */\n"
   "static GLuint\n"
   "use_program(const char *vertex, const char *fragment)\n"
   "{\n"
   "   char log[4096];\n"
   "   GLint ok, attributes;\n"
   "   const GLuint program = glCreateProgram();\n"
   "   glAttachShader(program, compile(GL_VERTEX_SHADER, vertex));\n"
   "   glAttachShader(program, compile(GL_FRAGMENT_SHADER, fragment));\n"
   "   glLinkProgram(program);\n"
   "   glGetProgramiv(program, GL_LINK_STATUS, &ok);\n"
   "   glGetProgramInfoLog(program, sizeof(log), NULL, log);\n"
   "   if (!ok)\n"
   "      die(log);\n"
   "   fputs(log, stderr);\n"
   "   glUseProgram(program);\n"
   "   glGetIntegerv(GL_MAX_VERTEX_ATTRIBS, &attributes);\n"
   "   for (GLint i = 0; i < attributes; i++)\n"
   "      glDisableVertexAttribArray((GLuint)i);\n"
   "   return program;\n"
   "}\n";

const char reduce_gles_attributes[] =
   "\n"
   "static void\n"
   "set_attribute(GLuint program, const char *name, GLint size, const void *data)\n"
   "{\n"
   "   const GLint place = glGetAttribLocation(program, name);\n"
   "   if (place < 0)\n"
   "      return;\n"
   "   glEnableVertexAttribArray((GLuint)place);\n"
   "   glVertexAttribPointer((GLuint)place, size, GL_FLOAT, GL_FALSE, 0, data);\n"
   "}\n";

const char reduce_gles_new_texture[] = "\n"
                                       "static void\n"
                                       "new_texture(GLenum target, GLuint unit)\n"
                                       "{\n"
                                       "   GLuint texture;\n"
                                       "   glActiveTexture(GL_TEXTURE0 + unit);\n"
                                       "   glGenTextures(1, &texture);\n"
                                       "   glBindTexture(target, texture);\n"
                                       "}\n";

#define SAVE_BEGIN                                                                                 \
   "\n"                                                                                            \
   "/* Write the picture, and print a hash of it. */\n"                                            \
   "static void\n"                                                                                 \
   "save(const char *path)\n"                                                                      \
   "{\n"                                                                                           \
   "   static unsigned char pixels[HEIGHT][WIDTH][4];\n"                                           \
   "   uint64_t hash = 0xcbf29ce484222325u;\n"                                                     \
   "   FILE *file = fopen(path, \"wb\");\n"                                                        \
   "   if (!file || fprintf(file, \"P6\\n%d %d\\n255\\n\", WIDTH, HEIGHT) < 0)\n"                  \
   "      die(\"the picture cannot be written\");\n"                                               \
   "   glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);\n"                    \
   "   for (int y = 0; y < HEIGHT; y++) {\n"                                                       \
   "      for (int x = 0; x < WIDTH; x++) {\n"
#define SAVE_END                                                                                   \
   "         for (int i = 0; i < 3; i++)\n"                                                        \
   "            hash = (hash ^ pixel[i]) * 0x100000001b3u;\n"                                      \
   "         fwrite(pixel, 3, 1, file);\n"                                                         \
   "      }\n"                                                                                     \
   "   }\n"                                                                                        \
   "   if (fclose(file) != 0)\n"                                                                   \
   "      die(\"the picture cannot be written\");\n"                                               \
   "   printf(\"%016llx\\n\", (unsigned long long)hash);\n"                                        \
   "}\n"

const char reduce_gles_window[] =
   "\n"
   "/* The default frame buffer, whose first row in memory is the uppermost. */\n"
   "static void\n"
   "make_target(void)\n"
   "{\n"
   "   glBindFramebuffer(GL_FRAMEBUFFER, 0);\n"
   "}\n" SAVE_BEGIN "         const unsigned char *pixel = pixels[HEIGHT - 1 - y][x];\n" SAVE_END;

const char reduce_gles_framebuffer[] =
   "\n"
   "/* A frame buffer object, whose first row in memory is the lowest. */\n"
   "static void\n"
   "make_target(void)\n"
   "{\n"
   "   GLuint framebuffer, color, depth_stencil;\n"
   "   const GLenum format = alpha_bits ? GL_RGBA : GL_RGB;\n"
   "   glGenTextures(1, &color);\n"
   "   glBindTexture(GL_TEXTURE_2D, color);\n"
   "   glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, WIDTH, HEIGHT, 0, format, GL_UNSIGNED_BYTE,\n"
   "                NULL);\n"
   "   glGenRenderbuffers(1, &depth_stencil);\n"
   "   glBindRenderbuffer(GL_RENDERBUFFER, depth_stencil);\n"
   "   glRenderbufferStorage(GL_RENDERBUFFER, 0x88f0 /* GL_DEPTH24_STENCIL8_OES */, WIDTH, "
   "HEIGHT);\n"
   "   glGenFramebuffers(1, &framebuffer);\n"
   "   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);\n"
   "   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color, 0);\n"
   "   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER,\n"
   "                             depth_stencil);\n"
   "   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER,\n"
   "                             depth_stencil);\n"
   "   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)\n"
   "      die(\"no frame buffer object\");\n"
   "}\n" SAVE_BEGIN "         const unsigned char *pixel = pixels[y][x];\n" SAVE_END;

const char reduce_gles_main[] = "\n"
                                "int\n"
                                "main(int argc, char **argv)\n"
                                "{\n"
                                "   make_context();\n"
                                "   make_target();\n"
                                "   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);\n";

const char reduce_gles_end[] = "   save(argc > 1 ? argv[1] : \"picture.ppm\");\n"
                               "   if (glGetError() != GL_NO_ERROR)\n"
                               "      die(\"OpenGL says that there is an error\");\n"
                               "   return 0;\n"
                               "}\n";
