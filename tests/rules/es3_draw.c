/* SPDX-License-Identifier: MIT */
#include "es3_draw.h"

#include <stdlib.h>
#include <string.h>

const char es3_head[] =
   "#version 300 es\n"
   "precision highp float; precision highp int;\n"
   "precision highp sampler2D; precision highp sampler3D; precision highp samplerCube;\n"
   "precision highp sampler2DArray; precision highp isampler2D; precision highp isampler3D;\n"
   "precision highp isamplerCube; precision highp isampler2DArray; precision highp usampler2D;\n"
   "precision highp usampler3D; precision highp usamplerCube; precision highp usampler2DArray;\n"
   "precision highp sampler2DShadow; precision highp samplerCubeShadow;\n"
   "precision highp sampler2DArrayShadow;\n";

/* OpenGL 3.1's */
static const char gl31_head[] = "#version 140\n"
                                "#extension GL_ARB_shader_bit_encoding : require\n";

static const char *
head_of_context(void)
{
   return strstr((const char *)glGetString(GL_VERSION), "OpenGL ES") ? es3_head : gl31_head;
}

const char es3_vertex_whole[] = "void main() {\n"
                                "   gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0,\n"
                                "                      gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);\n"
                                "}\n";

const char es3_fragment_none[] = "void main() { }\n";

static GLuint
link_program(const struct rules *r, const char *head, const char *vertex, const char *fragment,
             const struct es3_capture *capture)
{
   const char *const sources[] = { vertex, fragment };
   GLuint program = glCreateProgram();
   GLint ok;
   char log[2000] = "";
   for (int i = 0; i < 2; i++) {
      GLuint shader = shader_compile(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER, head, sources[i],
                                     log, sizeof(log));
      if (!shader)
         rules_fail(r, "%s%s\ndoes not compile: %s", head, sources[i], log);
      glAttachShader(program, shader);
      glDeleteShader(shader);
   }
   if (capture)
      glTransformFeedbackVaryings(program, capture->count, capture->names, capture->mode);
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &ok);
   glGetProgramInfoLog(program, sizeof(log), NULL, log);
   if (!ok)
      rules_fail(r, "%s\n%s\ndo not link: %s", vertex, fragment, log);
   glUseProgram(program);
   return program;
}

GLuint
es3_program_capture(const struct rules *r, const char *vertex, const char *fragment,
                    const struct es3_capture *capture)
{
   return link_program(r, head_of_context(), vertex, fragment, capture);
}

GLuint
es3_program(const struct rules *r, const char *vertex, const char *fragment)
{
   return link_program(r, head_of_context(), vertex, fragment, NULL);
}

GLuint
es3_try_program(const char *vertex, const char *fragment)
{
   GLuint program = glCreateProgram();
   GLint ok = true;
   for (int i = 0; i < 2 && ok; i++) {
      char log[2000];
      GLuint shader = shader_compile(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER, head_of_context(),
                                     i ? fragment : vertex, log, sizeof(log));
      ok = shader != 0;
      if (ok)
         glAttachShader(program, shader);
      glDeleteShader(shader);
   }
   if (ok) {
      glLinkProgram(program);
      glGetProgramiv(program, GL_LINK_STATUS, &ok);
   }
   if (!ok) {
      glDeleteProgram(program);
      return 0;
   }
   glUseProgram(program);
   return program;
}

GLuint
es3_program_of(const struct rules *r, const char *head, const char *vertex, const char *fragment)
{
   return link_program(r, head, vertex, fragment, NULL);
}

void
es3_draw_whole(void)
{
   glDrawArrays(GL_TRIANGLES, 0, 3);
   no_error("drawing");
}

void
es3_draw_masked(const bool mask[4], int width_px, int height_px)
{
   glColorMask(mask[0], mask[1], mask[2], mask[3]);
   glEnable(GL_SCISSOR_TEST);
   glScissor(0, 0, width_px, height_px);
   es3_draw_whole();
   glDisable(GL_SCISSOR_TEST);
   glColorMask(true, true, true, true);
}

struct es3_target
es3_target_create(GLenum format, int width_px, int height_px)
{
   struct es3_target t = { .width_px = width_px, .height_px = height_px };
   glGenTextures(1, &t.texture);
   glBindTexture(GL_TEXTURE_2D, t.texture);
   glTexStorage2D(GL_TEXTURE_2D, 1, format, width_px, height_px);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glGenFramebuffers(1, &t.framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, t.framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t.texture, 0);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      die("a framebuffer of format 0x%04x is not complete", format);
   es3_target_bind(&t);
   no_error("making a target");
   return t;
}

void
es3_target_bind(const struct es3_target *t)
{
   glBindFramebuffer(GL_FRAMEBUFFER, t->framebuffer);
   glViewport(0, 0, t->width_px, t->height_px);
}

void
es3_target_delete(struct es3_target *t)
{
   glDeleteFramebuffers(1, &t->framebuffer);
   glDeleteTextures(1, &t->texture);
}

uint32_t *
es3_read_uint(struct rules *r, int width_px, int height_px)
{
   const size_t size_B = (size_t)width_px * height_px * 4 * sizeof(uint32_t);
   uint32_t *values = malloc(size_B);
   glReadPixels(0, 0, width_px, height_px, GL_RGBA_INTEGER, GL_UNSIGNED_INT, values);
   no_error("reading unsigned integers");
   rules_hash(r, values, size_B);
   return values;
}

GLuint
es3_uint_texture(int unit, int width_px, int height_px, const uint32_t *values)
{
   GLuint name;
   glGenTextures(1, &name);
   glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
   glBindTexture(GL_TEXTURE_2D, name);
   glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA32UI, width_px, height_px);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width_px, height_px, GL_RGBA_INTEGER, GL_UNSIGNED_INT,
                   values);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glActiveTexture(GL_TEXTURE0);
   no_error("making a texture of integers");
   return name;
}

void
es3_uniform(GLuint program, const char *name, int value)
{
   glUniform1i(glGetUniformLocation(program, name), value);
}

uint32_t
es3_random_bits(struct rules *r)
{
   static const uint32_t boundaries[] = {
      0,          1,          2,          31,         32,         33,         0x7f,
      0x80,       0xff,       0x100,      0x7fff,     0x8000,     0xffff,     0x10000,
      0xffffff,   0x1000000,  0x1000001,  0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
      0xfffffffe, 0x7f800000, 0x7f800001, 0x7fc00000, 0xff800000, 0xffc12345, 0x00000007,
      0x00800000, 0x807fffff, 0x3f800000, 0xbf800000, 0xaaaaaaaa, 0x55555555,
   };
   if (rules_chance(r, 40))
      return rules_pick(r, boundaries);
   const uint32_t bits = rules_below(r, 1 << 16) << 16 | rules_below(r, 1 << 16);
   return bits >> rules_below(r, 32);
}

float
es3_float(uint32_t bits)
{
   float value;
   memcpy(&value, &bits, sizeof(value));
   return value;
}

uint32_t
es3_bits(float value)
{
   uint32_t bits;
   memcpy(&bits, &value, sizeof(bits));
   return bits;
}

void
text_begin(struct text *t)
{
   t->file = open_memstream(&t->chars, &t->size);
}

char *
text_end(struct text *t)
{
   fclose(t->file);
   return t->chars;
}
