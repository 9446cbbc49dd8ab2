/* SPDX-License-Identifier: MIT
 *
 * sane_cases [SEED [ROUNDS]]: draws with one planted defect each, and the same without it, under
 * CLIPFREE_SANITIZE=all,unwritten-uniform. What the sanitiser says comes through KHR_debug, and is
 * compared with what was planted. Suite `tools` runs it.
 */
#include "gles2_context.h"

#include <GLES3/gl3.h>

#include <stdlib.h>
#include <string.h>

#define SIZE_PX 32
#define ROUNDS 12
#define MESSAGE_B 1024

/* What a case is drawn with, of random numbers. */
struct values {
   bool planted;
   float a, bad,
      good;    /* a: 0.5 to 2; bad: what the defect needs, by the kind; good: its opposite */
   int column; /* a column of pixels that is drawn */
};

struct kind {
   const char *check;             /* that finds it */
   const char *line;              /* of GLSL that it has to name; NULL: none */
   const char *vertex, *fragment; /* NULL: the simple ones */
   float bad, good; /* the uniform `value`, planted and not; the first is scaled by `a` */
   void (*draw)(const struct values *v, GLuint program); /* NULL: a square over all pixels */
};

struct heard {
   char text[64][MESSAGE_B];
   uint32_t count;
};

static const char simple_vertex[] = "attribute vec2 position;\n"
                                    "void main() { gl_Position = vec4(position, 0.5, 1.0); }\n";
static const char white_fragment[] = "void main() { gl_FragColor = vec4(1.0); }\n";
static const char varying_fragment[] = "precision highp float;\n"
                                       "varying vec4 way;\n"
                                       "void main() { gl_FragColor = way; }\n";

#define FRAGMENT(line) FRAGMENT_OF("highp", line)
#define FRAGMENT_OF(precision, line)                                                               \
   "precision " precision " float;\n"                                                              \
   "uniform float value, a;\n"                                                                     \
   "uniform float list[5];\n"                                                                      \
   "uniform vec4 after[4];\n"                                                                      \
   "uniform sampler2D image;\n"                                                                    \
   "void main()\n"                                                                                 \
   "{\n"                                                                                           \
   "   vec4 c = vec4(0.0);\n"                                                                      \
   "   " line "\n"                                                                                 \
   "   gl_FragColor = c;\n"                                                                        \
   "}\n"
#define VERTEX(line)                                                                               \
   "attribute vec2 position;\n"                                                                    \
   "uniform float value, a;\n"                                                                     \
   "varying vec4 way;\n"                                                                           \
   "void main()\n"                                                                                 \
   "{\n"                                                                                           \
   "   way = vec4(a);\n"                                                                           \
   "   gl_Position = vec4(position, 0.5, 1.0);\n"                                                  \
   "   " line "\n"                                                                                 \
   "}\n"

#define VERTEX_ALONE(line)                                                                         \
   "attribute vec2 position;\n"                                                                    \
   "uniform float value, a;\n"                                                                     \
   "varying vec4 way;\n"                                                                           \
   "void main()\n"                                                                                 \
   "{\n"                                                                                           \
   "   gl_Position = vec4(position, 0.5, 1.0);\n"                                                  \
   "   " line "\n"                                                                                 \
   "}\n"

/* Of GLSL ES 3.00, with an image of any kind. */
#define VERTEX_300(sampler, line)                                                                  \
   "#version 300 es\n"                                                                             \
   "in vec2 position;\n"                                                                           \
   "uniform highp float value, a;\n"                                                               \
   "uniform highp " sampler " image;\n"                                                            \
   "out vec4 way;\n"                                                                               \
   "void main()\n"                                                                                 \
   "{\n"                                                                                           \
   "   vec4 c = vec4(a);\n"                                                                        \
   "   " line "\n"                                                                                 \
   "   way = c;\n"                                                                                 \
   "   gl_Position = vec4(position, 0.5, 1.0);\n"                                                  \
   "}\n"
#define FRAGMENT_300(sampler, line)                                                                \
   "#version 300 es\n"                                                                             \
   "precision highp float;\n"                                                                      \
   "uniform highp float value, a;\n"                                                               \
   "uniform highp " sampler " image;\n"                                                            \
   "in vec4 way;\n"                                                                                \
   "out vec4 colour;\n"                                                                            \
   "void main()\n"                                                                                 \
   "{\n"                                                                                           \
   "   vec4 c = way * 0.25;\n"                                                                     \
   "   " line "\n"                                                                                 \
   "   colour = c;\n"                                                                              \
   "}\n"

/* With a block of uniforms. */
#define FRAGMENT_BLOCK(line)                                                                       \
   "#version 300 es\n"                                                                             \
   "precision highp float;\n"                                                                      \
   "uniform float value, a;\n"                                                                     \
   "layout(std140) uniform Block { vec4 other; vec4 of_block[5]; };\n"                             \
   "in vec4 way;\n"                                                                                \
   "out vec4 colour;\n"                                                                            \
   "void main()\n"                                                                                 \
   "{\n"                                                                                           \
   "   vec4 c = way + other * a;\n"                                                                \
   "   " line "\n"                                                                                 \
   "   colour = c;\n"                                                                              \
   "}\n"

static void
draw_corners(const float *corners, int count, int size)
{
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glVertexAttribPointer(0, size, GL_FLOAT, GL_FALSE, 0, corners);
   glEnableVertexAttribArray(0);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, count);
}

static const float square[] = { -1, -1, 1, -1, -1, 1, 1, 1 };

static void
draw_square(const struct values *v, GLuint program)
{
   (void)v, (void)program;
   draw_corners(square, 4, 2);
}

/* A buffer object of three corners, of which four are drawn. */
static void
draw_short_buffer(const struct values *v, GLuint program)
{
   GLuint buffer;
   (void)program;
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, v->planted ? 3 * 8 : 4 * 8, square, GL_STATIC_DRAW);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray(0);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glDeleteBuffers(1, &buffer);
}

/* Indices of four corners, of which the buffer has three. */
static void
draw_far_index(const struct values *v, GLuint program)
{
   const uint16_t indices[] = { 0, 1, 2, v->planted ? (uint16_t)(4 + v->column) : 3 };
   GLuint buffer[2];
   (void)program;
   glGenBuffers(2, buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer[0]);
   glBufferData(GL_ARRAY_BUFFER, sizeof(square), square, GL_STATIC_DRAW);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer[1]);
   glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices, GL_STATIC_DRAW);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   glEnableVertexAttribArray(0);
   glDrawElements(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_SHORT, NULL);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
   glDeleteBuffers(2, buffer);
}

/* A texture with all levels. */
static GLuint
make_texture(bool levels)
{
   uint8_t texels[16 * 16][4];
   GLuint texture;
   memset(texels, 0x80, sizeof(texels));
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   if (levels)
      glGenerateMipmap(GL_TEXTURE_2D);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                   levels ? GL_LINEAR_MIPMAP_LINEAR : GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, levels ? GL_LINEAR : GL_NEAREST);
   return texture;
}

static void
draw_texture(const struct values *v, GLuint program)
{
   const GLuint texture = make_texture(true);
   draw_square(v, program);
   glDeleteTextures(1, &texture);
}

/* A texture of 16x16 texels and three layers, without further levels. */
static void
draw_layers(const struct values *v, GLuint program)
{
   static const uint8_t texels[16 * 16 * 3][4];
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D_ARRAY, texture);
   glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA8, 16, 16, 3, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   draw_square(v, program);
   glDeleteTextures(1, &texture);
}

/* The texture that is sampled is the one that is drawn to, or another. */
static void
draw_feedback(const struct values *v, GLuint program)
{
   GLuint texture[2] = { make_texture(false), make_texture(false) }, framebuffer;
   GLint before;
   glGetIntegerv(GL_FRAMEBUFFER_BINDING, &before);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture[0], 0);
   glBindTexture(GL_TEXTURE_2D, texture[v->planted ? 0 : 1]);
   draw_square(v, program);
   glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)before);
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteTextures(2, texture);
}

/* A texture of which all, or the upper half, was never written; or a picture that was never drawn.
 * Its right twin is sampled where it was written. */
static void
draw_unwritten_texture(const struct values *v, GLuint program)
{
   static uint8_t texels[16 * 16][4];
   const int how = v->column % 3;
   GLuint texture, framebuffer;
   GLint before;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, v->column & 4 ? GL_LINEAR : GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, v->column & 4 ? GL_LINEAR : GL_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                how == 0 && !v->planted ? texels : NULL);
   if (how == 1)
      glTexSubImage2D(GL_TEXTURE_2D, 0, 0, v->planted ? 0 : 8, 16, 8, GL_RGBA, GL_UNSIGNED_BYTE,
                      texels);
   if (how == 2) {
      glGetIntegerv(GL_FRAMEBUFFER_BINDING, &before);
      glGenFramebuffers(1, &framebuffer);
      glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
      if (!v->planted)
         glClear(GL_COLOR_BUFFER_BIT);
      glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)before);
      glDeleteFramebuffers(1, &framebuffer);
   }
   draw_square(v, program);
   glDeleteTextures(1, &texture);
}

/* The same, and its texel is not used. */
static void
draw_unwritten_unused(const struct values *v, GLuint program)
{
   struct values planted = *v;
   planted.planted = true;
   draw_unwritten_texture(&planted, program);
}

/* The left half of a texture is written: sampled at its last column with a linear filter, which
 * reads the column beside it with the weight 0. */
static void
draw_half_written(const struct values *v, GLuint program)
{
   static uint8_t texels[8 * 16][4];
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 8, 16, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   draw_square(v, program);
   glDeleteTextures(1, &texture);
}

/* Mipmaps of what was written, or was not. */
static void
draw_unwritten_mipmaps(const struct values *v, GLuint program)
{
   static uint8_t texels[64 * 64][4];
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 64, 64, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                v->planted ? NULL : texels);
   glGenerateMipmap(GL_TEXTURE_2D);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
   draw_square(v, program);
   glDeleteTextures(1, &texture);
}

/* A picture that is copied from the frame buffer, and its mipmaps; sampled at its edge with a
 * linear filter, which reads texels beside it with the weight 0. */
static void
draw_mipmapped(const struct values *v, GLuint program)
{
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, 16, 16);
   glGenerateMipmap(GL_TEXTURE_2D);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
   draw_square(v, program);
   glDeleteTextures(1, &texture);
}

/* A buffer object of which nothing, or all but the last corner, was written. */
static void
draw_unwritten_buffer(const struct values *v, GLuint program)
{
   GLuint buffer;
   (void)program;
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, 16 + sizeof(square), NULL, GL_STATIC_DRAW);
   if (!v->planted || v->column % 2)
      glBufferSubData(GL_ARRAY_BUFFER, 16, sizeof(square) - (v->planted ? 8 : 0), square);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, (const void *)16);
   glEnableVertexAttribArray(0);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glDeleteBuffers(1, &buffer);
}

/* A uniform block whose buffer has `count` vectors. */
static void
draw_block_of(const struct values *v, GLuint program, int count)
{
   static const float vectors[6][4];
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBufferBase(GL_UNIFORM_BUFFER, 0, buffer);
   glBufferData(GL_UNIFORM_BUFFER, count * (int)sizeof(vectors[0]), vectors, GL_STATIC_DRAW);
   draw_square(v, program);
   glBindBufferBase(GL_UNIFORM_BUFFER, 0, 0);
   glDeleteBuffers(1, &buffer);
}

static void
draw_block(const struct values *v, GLuint program)
{
   draw_block_of(v, program, 6);
}

/* Its buffer has not the last vectors of the block's array. */
static void
draw_short_block(const struct values *v, GLuint program)
{
   draw_block_of(v, program, v->planted ? 3 : 6);
}

/* A uniform that is set, or not. */
static void
draw_unset(const struct values *v, GLuint program)
{
   if (!v->planted)
      glUniform1f(glGetUniformLocation(program, "other"), 0);
   draw_square(v, program);
}

/* Two squares of one inclined plane, with other corners; or one well before the other. */
static void
draw_two_planes(const struct values *v, GLuint program)
{
   const float tilt = 0.1f * v->a, tilt_y = 0.07f, apart = v->planted ? 0 : -0.05f;
   float corners[2][4][3];
   (void)program;
   for (int i = 0; i < 4; i++) {
      const float x = square[2 * i], y = square[2 * i + 1], more = 1.1f + 0.37f * v->a;
      memcpy(corners[0][i], (float[]){ x, y, tilt * x + tilt_y * y }, sizeof(corners[0][i]));
      memcpy(corners[1][i],
             (float[]){ x * more, y * more, tilt * x * more + tilt_y * y * more + apart },
             sizeof(corners[1][i]));
   }
   glEnable(GL_DEPTH_TEST);
   glClear(GL_DEPTH_BUFFER_BIT);
   draw_corners(corners[0][0], 4, 3);
   draw_corners(corners[1][0], 4, 3);
   glDisable(GL_DEPTH_TEST);
}

#define L(text) text, NULL, FRAGMENT(text)
#define LV(text) text, VERTEX(text), varying_fragment
#define LM(text) text, NULL, FRAGMENT_OF("mediump", text)
#define L3(sampler, text) text, VERTEX_300(sampler, ""), FRAGMENT_300(sampler, text)
#define LB(text) text, VERTEX_300("sampler2D", ""), FRAGMENT_BLOCK(text)
#define LV3(text) text, VERTEX_300("sampler2D", text), FRAGMENT_300("sampler2D", "")

static const struct kind kinds[] = {
   { "division", L("c.x = a / value;"), 0, 3, NULL },
   { "division", L("c.x = clamp(a / (floor(gl_FragCoord.x) - value), 0.0, 1.0);"), 7, -7.5f, NULL },
   { "division", LV("way.x = a / value;"), 0, 2, NULL },
   { "division", L("c.x = mod(a, value);"), 0, 2, NULL },
   { "nan", L("c.x = exp(a * value);"), 200, 2, NULL },
   { "nan", L("c.y = a * value * value;"), 1e30f, 3, NULL },
   { "nan", LV("way.y = exp2(a * value);"), 300, 1, NULL },
   { "division", L("c.x = atan(1.0 / value, a);"), 0, 1, NULL },
   { "pow", L("c.z = pow(value, a + 0.25);"), -2, 2, NULL },
   { "pow", LV("way.z = pow(value, a + 0.25);"), -2, 2, NULL },
   { "normalize", L("c.xyz = normalize(vec3(value, value, a * value));"), 0, 1, NULL },
   { "normalize", LV("way.xyz = normalize(vec3(value, value, a * value));"), 0, 1, NULL },
   { "inversesqrt", L("c.x = inversesqrt(value);"), 0, 1, NULL },
   { "inversesqrt", L("c.x = inversesqrt(value * a);"), -3, 1, NULL },
   { "sqrt", L("c.x = sqrt(value * a);"), -2, 2, NULL },
   { "log", L("c.x = log(value * a);"), 0, 2, NULL },
   { "log", LV("way.x = log2(value * a);"), -1, 2, NULL },
   { "uniform-index", L("c.x = list[int(value + gl_FragCoord.x * 0.03)] + after[1].x + list[0];"),
     5, 3, NULL },
   { "uniform-index", L("c = after[int(value + gl_FragCoord.y * 0.03)] + list[1];"), -2, 0, NULL },
   { "uniform-index", LB("c += of_block[int(value + gl_FragCoord.x * 0.03)];"), 9, 0, draw_block },
   { "uniform-index", LB("c += of_block[int(value + gl_FragCoord.y * 0.03)];"), -3, 0, draw_block },
   { "uniform-index", LB("c += of_block[int(value)];"), 4, 4, draw_short_block },
   { "array-index",
     L("float kept[64]; for (int i = 0; i < 64; i++) kept[i] = a * float(i); "
       "c.x = kept[int(value + gl_FragCoord.x * 0.03)];"),
     130, 3, NULL },
   { "array-index",
     LV("float kept[64]; for (int i = 0; i < 64; i++) kept[i] = a; "
        "kept[int(value)] = 0.25; way.x = kept[int(a)];"),
     -3, 63, NULL },
   { "attribute-index", NULL, NULL, NULL, 0, 0, draw_short_buffer },
   { "attribute-index", NULL, NULL, NULL, 0, 0, draw_far_index },
   { "texel-index", L3("sampler2D", "c += texelFetch(image, ivec2(int(value), 3), 0);"), 16, 15,
     draw_texture },
   { "texel-index",
     L3("sampler2D", "c += texelFetch(image, ivec2(gl_FragCoord) / 2 - int(value), 0);"), 1, 0,
     draw_texture },
   { "texel-index", L3("sampler2D", "c += texelFetch(image, ivec2(0), int(value));"), 5, 4,
     draw_texture },
   { "texel-index", L3("sampler2D", "c += texelFetch(image, ivec2(1, 7), int(value));"), 2, 1,
     draw_texture },
   { "texel-index",
     L3("sampler2D", "c += texelFetchOffset(image, ivec2(value), 0, ivec2(3, -1)) * c.y;"), 13, 12,
     draw_texture },
   { "texel-index", L3("sampler2DArray", "c += texelFetch(image, ivec3(1, 2, int(value)), 0);"), 3,
     2, draw_layers },
   { "texel-index", LV3("c += texelFetch(image, ivec2(position + value), 0);"), 16, 1,
     draw_texture },
   { "divergence",
     L("for (float i = 0.0; i < gl_FragCoord.x * value; i++) c += texture2D(image, gl_FragCoord.xy "
       "* 0.1 * i);"),
     0.37f, 0, draw_texture },
   { "divergence",
     L3("sampler2D", "for (float i = 0.0; i < gl_FragCoord.x * value; i++) "
                     "c.x += dFdx(gl_FragCoord.x * a * i);"),
     0.37f, 0, draw_texture },
   { "divergence",
     L3("sampler2D", "for (float i = 0.0; i < gl_FragCoord.y * value; i++) "
                     "c.x += fwidth(gl_FragCoord.x * gl_FragCoord.y * a * i);"),
     0.37f, 0, draw_texture },
   { "feedback", NULL, NULL, FRAGMENT("c = texture2D(image, gl_FragCoord.xy * 0.05);"), 0, 0,
     draw_feedback },
   { "infinity", NULL, VERTEX("gl_Position.w = value;"), varying_fragment, 0, 1, NULL },
   { "infinity", NULL, VERTEX("gl_Position.x *= 1.0 / value;"), varying_fragment, 0, 1, NULL },
   { "mediump", LM("float far = value * value; c.x = 1.0 / far;"), 200, 3, NULL },
   { "mediump", LM("c.x = length(vec2(value, a)) * 0.001;"), 150, 3, NULL },
   { "mediump", LM("vec3 d = vec3(value) - gl_FragCoord.xyz; c.xyz = normalize(d);"), 200, -3,
     NULL },
   { "mediump", LM("lowp float l = value + a; c.x = fract(l);"), 3, -0.5f, NULL },
   { "mediump", LV("mediump float m = value * 3.0; way.x = fract(m);"), 9000, 2, NULL },
   { "depth-fighting", NULL,
     "attribute vec3 position;\nvoid main() { gl_Position = vec4(position, 1.0); }\n", NULL, 0, 0,
     draw_two_planes },
   { "unwritten-texel", L("c = texture2D(image, vec2(a * 0.4, 0.8));"), 0, 0,
     draw_unwritten_texture },
   { "unwritten-texel", L("c.x = a > 3.0 ? a : texture2D(image, vec2(a * 0.4, 0.8)).z;"), 0, 0,
     draw_unwritten_texture },
   { "unwritten-texel", L("c = texture2D(image, gl_FragCoord.xy * a * 0.09);"), 0, 0,
     draw_unwritten_mipmaps },
   { "unwritten-attribute", "gl_Position = vec4(position, 0.5, 1.0);", VERTEX(""), varying_fragment,
     0, 0, draw_unwritten_buffer },
   { "unwritten-varying", "way is read, and the vertex shader did not write it",
     VERTEX_ALONE("if (value > 0.0) way = vec4(a);"), varying_fragment, -1, 1, NULL },
   { "unwritten-varying", "way is read, and the vertex shader did not write it",
     VERTEX_ALONE("for (float i = 0.0; i < value; i++) way = vec4(a);"), varying_fragment, 0, 2,
     NULL },
   { "unwritten-varying", "way is read, and the vertex shader did not write it",
     VERTEX_ALONE("way.xyz = vec3(a); if (value > 0.0 || position.x > 0.0) way.w = a;"),
     varying_fragment, -1, 1, NULL },
   { "unwritten-variable", L("float x; if (value > 0.0) x = a; c.x = x;"), -1, 1, NULL },
   { "unwritten-variable",
     L("vec3 n; n.xy = vec2(a); if (gl_FragCoord.x > value) n.z = a; c.xyz = n * 2.0;"), 7, -1,
     NULL },
   { "unwritten-variable",
     L("mat2 m; m[0] = vec2(a); if (value > 0.0) m[1] = vec2(a); c.xy = m * c.zw;"), -1, 1, NULL },
   { "unwritten-variable",
     L("vec4 x; if (value > 0.0) x.yzw = vec3(a); vec4 y = x; c.xyz = y.yzw * y.z;"), -1, 1, NULL },
   { "unwritten-variable", "gl_FragColor is not written", NULL,
     "precision highp float;\nuniform float value, a;\n"
     "void main() { if (gl_FragCoord.y > value) gl_FragColor = vec4(a); }\n",
     9, -1, NULL },
   { "unwritten-uniform", NULL, NULL,
     "precision highp float;\nuniform float other;\nvoid main() { gl_FragColor = vec4(other); }\n",
     0, 0, draw_unset },
};
#define KINDS ((int)(sizeof(kinds) / sizeof(kinds[0])))

/* Right programs that look like wrong ones: what is not used, is not reported. */
static const struct kind guarded[] = {
   { "", L("c.x = value != 0.0 ? a / value : a;"), 0, 0, NULL },
   { "", L("if (value != 0.0) c.x = a / value; else c.x = a;"), 0, 0, NULL },
   { "", L("c.x = value > 0.0 ? sqrt(value) : 0.0;"), -1, -1, NULL },
   { "", L("c.x = pow(max(value, 0.0), a);"), -1, -1, NULL },
   { "", L("c.x = atan(a, value) / (2.0 * 3.14) + atan(value, -a) + 0.5;"), 0, 0, NULL },
   { "", L("c.x = value < 5.0 ? list[int(value)] : after[int(value) - 5].x;"), 6, 6, NULL },
   { "", L("c.x = value < 5.0 ? list[int(value)] : after[int(value) - 5].x;"), 3, 3, NULL },
   { "", L("c.x = atan(value, a) + atan(a, value) + length(vec2(value));"), 0, 0, NULL },
   { "", L("if (value > 0.0 && a / value > 0.5) c.x = a;"), 0, 0, NULL },
   { "", L("c = value < 5.0 ? vec4(a) : after[int(value)];"), 3, 3, NULL },
   { "", L("c = refract(vec4(a, 0.0, 0.0, 0.0), vec4(0.0, 1.0, 0.0, 0.0), 2.0 + value);"), 1, 1,
     NULL },
   { "", L("vec4 t = texture2D(image, gl_FragCoord.xy * 0.1); if (gl_FragCoord.x > 7.0) c = t;"), 1,
     1, draw_texture },
   { "", L("if (gl_FragCoord.x < value) discard; c = texture2D(image, gl_FragCoord.xy * 0.1);"), 7,
     7, draw_texture },
   { "", L("float far = value * value; c.x = 1.0 / far;"), 300, 300, NULL },
   { "", LM("highp float far = value; far = far * far; c.x = 1.0 / far;"), 300, 300, NULL },
   { "", LM("c.x = value > 100.0 ? a : value * value;"), 300, 300, NULL },
   { "", LM("c = texture2D(image, gl_FragCoord.xy * 0.1) * 2.0 - 1.0;"), 1, 1, draw_texture },
   { "", LM("lowp float l = value; c.x = sin(l * gl_FragCoord.x) + a;"), 1, 1, NULL },
   { "", L("float x; if (value > 0.0) x = a; if (value > 0.0) c.x = x;"), -1, -1, NULL },
   { "", L("vec4 t; t.xy = vec2(a); t.zw = t.yx; mat2 m; m[1] = m[0] = t.xy; c = t * m[1].xyxy;"),
     0, 0, NULL },
   { "", L("vec4 t; for (int i = 0; i < 4; i++) t[i] = a; c = t;"), 0, 0, NULL },
   { "", L("float s; for (int i = 0; i < 3; i++) { if (i == 0) s = 0.0; s += a; } c.x = s;"), 0, 0,
     NULL },
   { "", NULL, NULL,
     "precision highp float;\nvoid set(inout vec4 x) { x = vec4(1.0); }\n"
     "void main() { vec4 y; set(y); if (gl_FragCoord.x > 9.0) discard; else gl_FragColor = y; }\n",
     0, 0, NULL },
   { "", NULL, VERTEX_ALONE("if (value > 0.0) way = vec4(a);"), NULL, -1, -1, NULL },
   { "", NULL, VERTEX_ALONE("if (value > 0.0) way = vec4(a);"),
     "precision highp float;\nvarying vec4 way;\nuniform float value;\n"
     "void main() { gl_FragColor = value > 0.0 ? way : vec4(1.0); }\n",
     -1, -1, NULL },
   { "", L("vec4 t = texture2D(image, vec2(0.5, 0.75)); c = a > 3.0 ? t : vec4(a);"), 0, 0,
     draw_unwritten_unused },
   { "", L("c = texture2D(image, vec2(0.5, 0.75));"), 0, 0, draw_mipmapped },
   { "", L("c = texture2D(image, vec2(7.5, floor(gl_FragCoord.y) + 0.5) / 16.0);"), 0, 0,
     draw_half_written },
   { "",
     L3("sampler2D", "c = value < 16.0 ? texelFetch(image, ivec2(int(value), 0), 0) : vec4(a);"),
     17, 17, draw_texture },
   { "",
     L3("sampler2D", "ivec2 p = ivec2(gl_FragCoord); if (all(lessThan(p, textureSize(image, 0)))) "
                     "c = texelFetch(image, p, 0);"),
     0, 0, draw_texture },
   { "", L3("sampler2D", "vec4 t = texelFetch(image, ivec2(99), 0); c.x = a > 3.0 ? t.y : a;"), 0,
     0, draw_texture },
   { "", L3("sampler2D", "c = texture(image, vec2(value)) + textureLod(image, vec2(-value), 9.0);"),
     3, 3, draw_texture },
   { "", LV("way.x = dot(way, way) > 0.0 ? inversesqrt(dot(way, way)) : value;"), 0, 0, NULL },
};
#define GUARDED ((int)(sizeof(guarded) / sizeof(guarded[0])))

/* Whether a message is of the sanitiser: it begins with the name of a check. */
static bool
is_report(const char *message)
{
   for (int i = 0; i < KINDS; i++) {
      const size_t length = strlen(kinds[i].check);
      if (!strncmp(message, "clipfree: ", 10) && !strncmp(message + 10, kinds[i].check, length) &&
          message[10 + length] == ':')
         return true;
   }
   return false;
}

static void GL_APIENTRY
hear(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length, const GLchar *message,
     const void *user)
{
   struct heard *heard = (struct heard *)user;
   (void)source, (void)type, (void)id, (void)severity, (void)length;
   if (heard->count < 64 && is_report(message))
      snprintf(heard->text[heard->count++], MESSAGE_B, "%s", message);
}

static void
listen(struct heard *heard)
{
   const PFNGLDEBUGMESSAGECALLBACKKHRPROC set_callback =
      (PFNGLDEBUGMESSAGECALLBACKKHRPROC)eglGetProcAddress("glDebugMessageCallbackKHR");
   const PFNGLDEBUGMESSAGECONTROLKHRPROC control =
      (PFNGLDEBUGMESSAGECONTROLKHRPROC)eglGetProcAddress("glDebugMessageControlKHR");
   glEnable(GL_DEBUG_OUTPUT_KHR);
   glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS_KHR);
   control(GL_DONT_CARE, GL_DONT_CARE, GL_DONT_CARE, 0, NULL, GL_TRUE);
   set_callback(hear, heard);
}

static void
draw_case(const struct kind *kind, const struct values *v)
{
   static const char *const attributes[] = { "position", NULL };
   static const float list[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
   const GLuint program =
      program_link_attributes(kind->vertex ? kind->vertex : simple_vertex,
                              kind->fragment ? kind->fragment : white_fragment, attributes);
   glUniform1f(glGetUniformLocation(program, "value"), v->planted ? v->bad : v->good);
   glUniform1f(glGetUniformLocation(program, "a"), v->a);
   glUniform1fv(glGetUniformLocation(program, "list"), 5, list);
   glUniform4fv(glGetUniformLocation(program, "after"), 4, list);
   if (kind->draw)
      kind->draw(v, program);
   else
      draw_square(v, program);
   /* reports come when the GPU is done: with a picture that is read */
   uint8_t pixel[4];
   glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   glFinish();
   glUseProgram(0);
   glDeleteProgram(program);
}

/* The debug group of a case: what its reports must end with. */
static void
name_group(const struct kind *kind, bool planted, char name[64])
{
   snprintf(name, 64, "%s%s %d", planted ? "planted " : "", kind->check,
            (int)(kind - (*kind->check ? kinds : guarded)));
}

/* Draws in the groups "cases" and that of the case; one that was left before is not among them. */
static void
draw_in_group(const struct kind *kind, const struct values *v)
{
   const PFNGLPUSHDEBUGGROUPKHRPROC push =
      (PFNGLPUSHDEBUGGROUPKHRPROC)eglGetProcAddress("glPushDebugGroupKHR");
   const PFNGLPOPDEBUGGROUPKHRPROC pop =
      (PFNGLPOPDEBUGGROUPKHRPROC)eglGetProcAddress("glPopDebugGroupKHR");
   char name[64];
   name_group(kind, v->planted, name);
   push(GL_DEBUG_SOURCE_APPLICATION_KHR, 1, -1, "cases");
   push(GL_DEBUG_SOURCE_APPLICATION_KHR, 2, -1, "left");
   pop();
   push(GL_DEBUG_SOURCE_APPLICATION_KHR, 3, -1, name);
   draw_case(kind, v);
   pop();
   pop();
}

/* Whether all that was heard is what was planted, in its debug groups. `infinity` comes with the
 * value that made it. */
static bool
is_right(const struct kind *kind, bool planted, const struct heard *heard)
{
   char begin[64], name[64], group[96];
   bool found = false, in_group = true;
   name_group(kind, planted, name);
   snprintf(begin, sizeof(begin), "clipfree: %s: ", kind->check);
   snprintf(group, sizeof(group), ", in cases / %s)", name);
   for (uint32_t i = 0; i < heard->count; i++) {
      found |= strstr(heard->text[i], begin) && (!kind->line || strstr(heard->text[i], kind->line));
      in_group &= strstr(heard->text[i], group) != NULL;
   }
   return planted ? found && in_group : heard->count == 0;
}

static bool
try_case(const struct kind *kind, bool planted, uint64_t *seed, struct heard *heard)
{
   struct values v = { .planted = planted,
                       .a = 0.5f + (float)random_below(seed, 1024) / 683.0f,
                       .good = kind->good,
                       .column = (int)random_below(seed, SIZE_PX) };
   const bool whole = kind->bad > 0 && kind->bad < 20;
   v.bad = whole ? kind->bad : kind->bad * (1 + (float)random_below(seed, 64) / 64.0f);
   heard->count = 0;
   draw_in_group(kind, &v);
   const bool right = is_right(kind, planted, heard);
   if (!right)
      printf("%s, %s, %s: heard %u reports%s%s\n", kind->check, kind->line ? kind->line : "",
             planted ? "planted" : "not planted", heard->count, heard->count ? ", as " : "",
             heard->count ? heard->text[0] : "");
   return right;
}

int
main(int argc, char **argv)
{
   uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 17;
   const int rounds = argc > 2 ? atoi(argv[2]) : ROUNDS;
   static struct heard heard;
   int found = 0, clean = 0, found_of[KINDS] = { 0 };
   printf("seed %llu\n", (unsigned long long)seed);
   context_create_es3(display_open(), EGL_NO_CONTEXT);
   target_create(SIZE_PX, SIZE_PX);
   listen(&heard);
   for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < KINDS; i++) {
         found_of[i] += try_case(&kinds[i], true, &seed, &heard);
         clean += try_case(&kinds[i], false, &seed, &heard);
      }
   }
   for (int i = 0; i < GUARDED; i++)
      clean += try_case(&guarded[i], false, &seed, &heard);
   bool each = true;
   for (int i = 0; i < KINDS; i++) {
      found += found_of[i];
      each &= found_of[i] * 4 >= rounds * 3;
   }
   printf("%d of %d defects found, %d of %d right draws without a report\n", found, rounds * KINDS,
          clean, rounds * KINDS + GUARDED);
   no_error("after the cases");
   if (!each)
      printf("of a kind less than three in four were found\n");
   return !each || found * 100 < rounds * KINDS * 95 || clean < rounds * KINDS + GUARDED;
}
