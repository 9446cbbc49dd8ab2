/* SPDX-License-Identifier: MIT
 *
 * Draws with all that a capture can name: labels, debug groups, a marker, uniforms of several
 * types; the suite `programs` looks for the names.
 */
#include "gles2_context.h"

#include <stdlib.h>
#include <string.h>

static const char vertex[] =
   "attribute vec4 corner;\nuniform mat4 camera;\nuniform float waves[3];\nvarying vec2 place;\n"
   "void main() { place = corner.xy + waves[2]; gl_Position = camera * corner; }\n";
static const char fragment[] =
   "precision highp float;\nuniform vec4 tint;\nuniform sampler2D bark;\nvarying vec2 place;\n"
   "void main() { gl_FragColor = tint * texture2D(bark, place); }\n";

static PFNGLPUSHDEBUGGROUPKHRPROC push_group;
static PFNGLPOPDEBUGGROUPKHRPROC pop_group;
static PFNGLDEBUGMESSAGEINSERTKHRPROC insert_message;
static PFNGLOBJECTLABELKHRPROC label;

static void
begin_group(const char *text)
{
   push_group(GL_DEBUG_SOURCE_APPLICATION_KHR, 1, -1, text);
}

static GLuint
shader_create(GLenum kind, const char *source)
{
   GLint compiled;
   const GLuint shader = glCreateShader(kind);
   glShaderSource(shader, 1, &source, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
   if (!compiled)
      die("a shader does not compile");
   return shader;
}

/* Its shaders are deleted at once, as many programs do; it is labelled when it is linked. */
static GLuint
forest_program(void)
{
   const GLuint program = glCreateProgram();
   const GLuint shaders[] = { shader_create(GL_VERTEX_SHADER, vertex),
                              shader_create(GL_FRAGMENT_SHADER, fragment) };
   for (int i = 0; i < 2; i++)
      glAttachShader(program, shaders[i]);
   glBindAttribLocation(program, 0, "corner");
   glLinkProgram(program);
   for (int i = 0; i < 2; i++) {
      glDetachShader(program, shaders[i]);
      glDeleteShader(shaders[i]);
   }
   label(GL_PROGRAM_KHR, program, -1, "forest program");
   return program;
}

static void
set_uniforms(GLuint program)
{
   static const float camera[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
   static const float waves[3] = { 0.25f, 0.5f, 0.75f };
   glUseProgram(program);
   glUniform4f(glGetUniformLocation(program, "tint"), 0.125f, 0.375f, 0.625f, 0.875f);
   glUniformMatrix4fv(glGetUniformLocation(program, "camera"), 1, GL_FALSE, camera);
   glUniform1fv(glGetUniformLocation(program, "waves"), 3, waves);
}

/* The label is given before the texture has any image. */
static void
bind_texture(void)
{
   static const uint8_t texel[4] = { 255, 255, 255, 255 };
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   label(GL_TEXTURE, texture, -1, "bark of oaks");
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texel);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
}

static void
bind_buffers(void)
{
   static const float corners[] = { -1, -1, 1, -1, -1, 1, 1, 1 };
   static const uint16_t indices[] = { 0, 1, 2, 2, 1, 3 };
   GLuint buffers[2];
   glGenBuffers(2, buffers);
   glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
   glBufferData(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STATIC_DRAW);
   label(GL_BUFFER_KHR, buffers[0], -1, "corners");
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
   glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices, GL_STATIC_DRAW);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray(0);
}

int
main(void)
{
   context_create(display_open(), EGL_NO_CONTEXT);
   push_group = (PFNGLPUSHDEBUGGROUPKHRPROC)eglGetProcAddress("glPushDebugGroupKHR");
   pop_group = (PFNGLPOPDEBUGGROUPKHRPROC)eglGetProcAddress("glPopDebugGroupKHR");
   insert_message = (PFNGLDEBUGMESSAGEINSERTKHRPROC)eglGetProcAddress("glDebugMessageInsertKHR");
   label = (PFNGLOBJECTLABELKHRPROC)eglGetProcAddress("glObjectLabelKHR");
   target_create(16, 16);
   bind_texture();
   bind_buffers();
   set_uniforms(forest_program());
   begin_group("world");
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   begin_group("trees, near");
   glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, NULL);
   insert_message(GL_DEBUG_SOURCE_APPLICATION_KHR, GL_DEBUG_TYPE_MARKER_KHR, 1,
                  GL_DEBUG_SEVERITY_NOTIFICATION_KHR, -1, "last tree");
   glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, (void *)6);
   pop_group();
   pop_group();
   glDrawArrays(GL_POINTS, 1, 2);
   glFinish();
   return glGetError() != GL_NO_ERROR;
}
