/* SPDX-License-Identifier: MIT
 *
 * GL_KHR_debug: the driver's messages say what happened and why it is slow.
 */
#include "extension_checks.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 64 };

static const float white[4] = { 1, 1, 1, 1 };

static void
expect_said(const char *what, const char *word)
{
   if (!strstr(messages_text(), word))
      die("%s: no message has '%s': %s", what, word, messages_text());
}

/* The application's own messages and groups come back in order. */
static void
check_own_messages(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_KHR_debug");
   messages_begin();
   gl.PushDebugGroupKHR(GL_DEBUG_SOURCE_APPLICATION_KHR, 1, -1, "group");
   gl.DebugMessageInsertKHR(GL_DEBUG_SOURCE_APPLICATION_KHR, GL_DEBUG_TYPE_MARKER_KHR, 1,
                           GL_DEBUG_SEVERITY_NOTIFICATION_KHR, -1, "inside");
   gl.PopDebugGroupKHR();
   if (strcmp(messages_text(), "group\ninside\ngroup\n"))
      die("messages are: %s", messages_text());
}

/* Each shader says what it came to. */
static void
check_shader_statistics(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   target_create(SIZE_PX, SIZE_PX);
   messages_begin();
   program_create(plain_vertex,
                  "varying highp vec4 v; void main() { gl_FragColor = v.wzyx * 0.123; }\n");
   draw_rectangle(-1, -1, 1, 1, 0, white);
   expect_said("statistics", "FS");
   expect_said("statistics", "instr");
}

/* A shader with more values alive than there are registers says that it spills. */
static void
check_spill(EGLDisplay display)
{
   enum { VALUES = 300 };
   static char fragment[60000];
   context_create(display, EGL_NO_CONTEXT);
   target_create(SIZE_PX, SIZE_PX);
   messages_begin();
   char *at = fragment;
   at += sprintf(at, "precision highp float; varying vec4 v; uniform vec4 seed;\nvoid main() {\n   vec4 a0 = sin(v + seed);\n");
   for (int i = 1; i < VALUES; i++)
      at += sprintf(at, "   vec4 a%d = sin(a%d.yzwx * v + seed);\n", i, i - 1);
   at += sprintf(at, "   vec4 sum = vec4(1.0);\n");
   for (int i = 0; i < VALUES; i++)
      at += sprintf(at, "   sum = sin(sum.wxyz) * a%d;\n", i);
   sprintf(at, "   gl_FragColor = sum;\n}\n");
   program_create(plain_vertex, fragment);
   draw_rectangle(-1, -1, 1, 1, 0, white);
   expect_said("a shader with 300 vectors alive", "are spilled");
}

/* Mapping what the GPU still works on waits, and says so. */
static void
check_stall(EGLDisplay display)
{
   uint8_t pixel[4];
   context_create(display, EGL_NO_CONTEXT);
   target_create(2000, 2000);
   program_create(plain_vertex, "varying highp vec4 v;\n"
                                "void main() {\n"
                                "   highp vec4 sum = v;\n"
                                "   for (int i = 0; i < 100; i++) sum = sin(sum + v);\n"
                                "   gl_FragColor = sum;\n"
                                "}\n");
   messages_begin();
   draw_rectangle(-1, -1, 1, 1, 0, white);
   glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   expect_said("glReadPixels of what is being drawn", "waits for the GPU");
}

/* A draw that samples what it draws to says so; one that samples another level of it does not. */
static void
check_feedback(EGLDisplay display)
{
   GLuint texture, framebuffer;
   context_create(display, EGL_NO_CONTEXT);
   program_create(plain_vertex,
                  "precision mediump float; varying vec4 v; uniform sampler2D image;\n"
                  "void main() { gl_FragColor = texture2D(image, v.xy); }\n");
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   for (int level = 0; level <= 6; level++)
      glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA, SIZE_PX >> level, SIZE_PX >> level, 0, GL_RGBA,
                   GL_UNSIGNED_BYTE, NULL);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 1);
   glViewport(0, 0, SIZE_PX / 2, SIZE_PX / 2);
   messages_begin();
   draw_rectangle(-1, -1, 1, 1, 0, white);
   if (strstr(messages_text(), "is drawn to"))
      die("level 1 is drawn from level 0: %s", messages_text());
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
   draw_rectangle(-1, -1, 1, 1, 0, white);
   expect_said("level 1 is drawn from all levels",
               "texture unit 0 of the fragment shader is drawn to");
}

/* A draw whose program is too long to be compiled stays slow: it is named once, and counted each
 * time; another one is not. */
static void
check_slow_draws(EGLDisplay display)
{
   enum { LINES = 2000, DRAWS = 3 }; /* some 16000 instructions */
   static char fragment[LINES * 40 + 200];
   struct counter slow;
   context_create(display, EGL_NO_CONTEXT);
   target_create(SIZE_PX, SIZE_PX);
   messages_begin();
   program_create(plain_vertex, "varying highp vec4 v; void main() { gl_FragColor = v; }\n");
   counter_begin(&slow, "clipfree-slow-draws");
   draw_rectangle(-1, -1, 1, 1, 0, white);
   if (counter_end(&slow) || strstr(messages_text(), "slow: "))
      die("a plain draw is slow: %s", messages_text());
   char *at = fragment;
   at += sprintf(at, "precision highp float; varying vec4 v;\nvoid main() {\n   vec4 a = v;\n");
   for (int i = 0; i < LINES; i++)
      at += sprintf(at, "   a = sin(a.yzwx * v + %d.5);\n", i);
   sprintf(at, "   gl_FragColor = a;\n}\n");
   program_create(plain_vertex, fragment);
   counter_begin(&slow, "clipfree-slow-draws");
   for (int i = 0; i < DRAWS; i++)
      draw_rectangle(-1, -1, 1, 1, 0, white);
   const uint64_t count = counter_end(&slow);
   if (count != DRAWS)
      die("%d draws of a long program: %d are slow", DRAWS, (int)count);
   expect_said("a long program", "slow: ");
   expect_said("a long program", "more instructions than are compiled");
}

const struct check debug_checks[] = {
   { "own-messages", check_own_messages },
   { "shader-statistics", check_shader_statistics },
   { "spill-message", check_spill },
   { "stall-message", check_stall },
   { "feedback-message", check_feedback },
   { "slow-draws", check_slow_draws },
   { NULL, NULL },
};
