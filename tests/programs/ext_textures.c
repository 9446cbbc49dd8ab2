/* SPDX-License-Identifier: MIT
 *
 * GL_EXT_shader_texture_lod, GL_EXT_texture_filter_anisotropic, GL_EXT_shadow_samplers,
 * GL_OES_depth_texture_cube_map, GL_EXT_sRGB: what shaders look up.
 */
#include "extension_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_PX = 32, TEXTURE_PX = 8, LEVELS = 4 };

static const float white[4] = { 1, 1, 1, 1 };

static bool
compiles(GLenum stage, const char *source)
{
   GLuint shader = glCreateShader(stage);
   GLint ok = 0;
   glShaderSource(shader, 1, &source, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
   glDeleteShader(shader);
   return ok;
}

/* A rectangle over all of the target, and the colour that all of its pixels must have. */
static void
expect_everywhere(const struct target *target, const uint8_t colour[4], int lsb, const char *what)
{
   glClear(GL_COLOR_BUFFER_BIT);
   draw_rectangle(-1, -1, 1, 1, 0, white);
   uint8_t *pixels = target_read(target);
   for (int i = 0; i < SIZE_PX * SIZE_PX; i++)
      expect_pixel(target, pixels, i % SIZE_PX, i / SIZE_PX, colour, lsb, what);
   free(pixels);
}

/* ----------------------------------------------------------------------------- levels of detail */

static const uint8_t level_colour[LEVELS][4] = {
   { 255, 0, 0, 255 }, { 0, 255, 0, 255 }, { 0, 0, 255, 255 }, { 255, 255, 255, 255 }
};

/* A texture of the target, bound to it, whose levels each have a colour. */
static void
coloured_levels(GLenum target, GLenum min_filter)
{
   static uint8_t texels[TEXTURE_PX * TEXTURE_PX][4];
   const GLenum first = target == GL_TEXTURE_CUBE_MAP ? GL_TEXTURE_CUBE_MAP_POSITIVE_X : target;
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(target, texture);
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, min_filter);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   for (int level = 0; level < LEVELS; level++) {
      const int size_px = TEXTURE_PX >> level;
      for (int i = 0; i < size_px * size_px; i++)
         memcpy(texels[i], level_colour[level], 4);
      for (int face = 0; face < (first == target ? 1 : 6); face++)
         glTexImage2D(first + face, level, GL_RGBA, size_px, size_px, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                      texels);
   }
}

/* Each function: what it takes to look up level `level`. The gradients of a cube map count half: a
 * face goes from -1 to 1. */
static const struct {
   const char *call;
   GLenum target;
   bool in_vertex_shader;
} lookups[] = {
   { "texture2DLodEXT(s, vec2(0.5), level)", GL_TEXTURE_2D, false },
   { "texture2DProjLodEXT(s, vec3(1.0, 1.0, 2.0), level)", GL_TEXTURE_2D, false },
   { "texture2DProjLodEXT(s, vec4(1.0, 1.0, 7.0, 2.0), level)", GL_TEXTURE_2D, false },
   { "textureCubeLodEXT(s, vec3(0.1, -1.0, 0.2), level)", GL_TEXTURE_CUBE_MAP, false },
   { "texture2DGradEXT(s, vec2(0.5), vec2(exp2(level) / 8.0, 0.0), vec2(0.0))", GL_TEXTURE_2D, true },
   { "texture2DGradEXT(s, vec2(0.5), vec2(0.0), vec2(0.0, exp2(level) / 8.0))", GL_TEXTURE_2D, true },
   { "texture2DProjGradEXT(s, vec3(1.0, 1.0, 2.0), vec2(exp2(level) / 8.0, 0.0), vec2(0.0))", GL_TEXTURE_2D, true },
   { "texture2DProjGradEXT(s, vec4(1.0, 1.0, 7.0, 2.0), vec2(0.0), vec2(exp2(level) / 8.0, 0.0))", GL_TEXTURE_2D, true },
   { "textureCubeGradEXT(s, vec3(1.0, 0.0, 0.0), vec3(0.0, 0.0, exp2(level) / 4.0), vec3(0.0))", GL_TEXTURE_CUBE_MAP, true },
   { "textureCubeGradEXT(s, vec3(0.0, -1.0, 0.0), vec3(0.0), vec3(exp2(level) / 4.0, 0.0, 0.0))", GL_TEXTURE_CUBE_MAP, true },
};
enum { LOOKUPS = sizeof(lookups) / sizeof(lookups[0]) };

/* A shader of the stage with the lookup, where control flow is not uniform; behind the extension's
 * directive or not. */
static const char *
lookup_shader(int i, GLenum stage, bool enabled)
{
   static char source[1000];
   const bool vertex = stage == GL_VERTEX_SHADER;
   snprintf(source, sizeof(source),
            "%sprecision highp float;\n#ifndef GL_EXT_shader_texture_lod\n#error no macro\n#endif\n"
            "uniform sampler%s s; uniform highp float level; varying vec4 v; %s\n"
            "void main() {\n"
            "   vec4 found = vec4(0.5);\n"
            "   if (%s) found = %s;\n"
            "   %s;\n"
            "}\n",
            enabled ? "#extension GL_EXT_shader_texture_lod : require\n" : "",
            lookups[i].target == GL_TEXTURE_2D ? "2D" : "Cube",
            vertex ? "attribute vec4 position, colour;" : "",
            vertex ? "colour.x > 0.5" : "fract(gl_FragCoord.x / 2.0) < 0.5 || level >= 0.0",
            lookups[i].call, vertex ? "gl_Position = position; v = found" : "gl_FragColor = found");
   return source;
}

static void
expect_levels(const struct target *target, int i, GLenum stage)
{
   const bool vertex = stage == GL_VERTEX_SHADER;
   const GLuint program = program_create(vertex ? lookup_shader(i, stage, true) : plain_vertex,
                                         vertex ? plain_fragment : lookup_shader(i, stage, true));
   coloured_levels(lookups[i].target, GL_NEAREST_MIPMAP_NEAREST);
   for (int level = 0; level < LEVELS; level++) {
      glUniform1f(glGetUniformLocation(program, "level"), level);
      expect_everywhere(target, level_colour[level], 0, lookups[i].call);
   }
   /* half of green, half of blue */
   glTexParameteri(lookups[i].target, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_LINEAR);
   glUniform1f(glGetUniformLocation(program, "level"), 1.5f);
   expect_everywhere(target, (const uint8_t[]){ 0, 128, 128, 255 }, 1, lookups[i].call);
   glDeleteProgram(program);
}

static void
check_texture_lod(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_shader_texture_lod");
   struct target target = target_create(SIZE_PX, SIZE_PX);
   for (int i = 0; i < LOOKUPS; i++) {
      expect_levels(&target, i, GL_FRAGMENT_SHADER);
      if (lookups[i].in_vertex_shader)
         expect_levels(&target, i, GL_VERTEX_SHADER);
      else if (compiles(GL_VERTEX_SHADER, lookup_shader(i, GL_VERTEX_SHADER, true)))
         die("in a vertex shader, %s compiles", lookups[i].call);
      if (compiles(GL_FRAGMENT_SHADER, lookup_shader(i, GL_FRAGMENT_SHADER, false)))
         die("without its #extension, %s compiles", lookups[i].call);
   }
}

/* A footprint of 8 texels by 1: the level that is looked up is that of 8 divided by as many probes
 * as may be taken. */
static void
check_anisotropic(EGLDisplay display)
{
   static const struct {
      float most;
      int level;
   } limits[] = { { 1, 3 }, { 2, 2 }, { 4, 1 }, { 8, 0 }, { 16, 0 } };
   GLfloat most = 0;
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_texture_filter_anisotropic");
   glGetFloatv(GL_MAX_TEXTURE_MAX_ANISOTROPY_EXT, &most);
   if (most < 16)
      die("anisotropy is at most %g", most);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   program_create(plain_vertex, "uniform sampler2D s;\n"
                                "void main() { gl_FragColor = texture2D(s, gl_FragCoord.xy * vec2(1.0, 0.125)); }\n");
   coloured_levels(GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR);
   for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
      glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, limits[i].most);
      no_error("setting the anisotropy");
      expect_everywhere(&target, level_colour[limits[i].level], 0, "anisotropic filter");
   }
   glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MAX_ANISOTROPY_EXT, 0.5f);
   if (glGetError() != GL_INVALID_VALUE)
      die("an anisotropy below 1 is taken");
}

/* ------------------------------------------------------------------------------ shadow samplers */

enum { COLUMNS = 4 };

static const float column_depth[COLUMNS] = { 0, 32768 / 65535.0f, 1, 0.2f };

/* A texture of depths, a column each, as GL_DEPTH_COMPONENT or packed with stencil, with
 * comparison. */
static void
depth_columns(GLenum format)
{
   uint16_t depths[COLUMNS];
   uint32_t packed[COLUMNS];
   GLuint texture;
   for (int i = 0; i < COLUMNS; i++) {
      depths[i] = column_depth[i] * 65535 + 0.5f;
      packed[i] = (uint32_t)(column_depth[i] * (double)0xffffff + 0.5) << 8 | 0x5a;
   }
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   if (format == GL_DEPTH_COMPONENT)
      glTexImage2D(GL_TEXTURE_2D, 0, format, COLUMNS, 1, 0, format, GL_UNSIGNED_SHORT, depths);
   else
      glTexImage2D(GL_TEXTURE_2D, 0, format, COLUMNS, 1, 0, format, GL_UNSIGNED_INT_24_8_OES,
                   packed);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE_EXT, GL_COMPARE_REF_TO_TEXTURE_EXT);
   no_error("making a depth texture with comparison");
}

/* GL_NEVER to GL_ALWAYS are numbered by the bits less, equal, greater. */
static bool
passes(GLenum function, float reference, float depth)
{
   reference = reference < 0 ? 0 : reference > 1 ? 1 : reference;
   const int bit = reference < depth ? 1 : reference == depth ? 2 : 4;
   return (function - GL_NEVER) & bit;
}

/* Every function, depth and reference; references lie on 0, on 1, or clearly apart from the
 * depths. */
static void
expect_comparisons(const struct target *target, GLuint program, const char *what)
{
   static const float references[] = { -1, 0, 0.125f, 0.375f, 0.75f, 1, 2 };
   for (GLenum function = GL_NEVER; function <= GL_ALWAYS; function++) {
      glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC_EXT, function);
      for (size_t r = 0; r < sizeof(references) / sizeof(references[0]); r++) {
         glUniform1f(glGetUniformLocation(program, "reference"), references[r]);
         glClear(GL_COLOR_BUFFER_BIT);
         draw_rectangle(-1, -1, 1, 1, 0, white);
         uint8_t *pixels = target_read(target);
         for (int x = 0; x < SIZE_PX; x++) {
            const bool pass = passes(function, references[r], column_depth[x * COLUMNS / SIZE_PX]);
            const uint8_t shade = pass ? 255 : 0, colour[4] = { shade, shade, shade, 255 };
            expect_pixel(target, pixels, x, 3, colour, 0, what);
         }
         free(pixels);
      }
   }
}

#define SHADOW_DIRECTIVE "#extension GL_EXT_shadow_samplers : require\n"
#define SHADOW_HEAD "precision highp float; uniform sampler2DShadow s; uniform float reference;\n"
#define SHADOW_COORDINATE "vec2 at = vec2(gl_FragCoord.x / 32.0, 0.5);\n"

static void
check_shadow_samplers(EGLDisplay display)
{
   static const char *const calls[] = {
      SHADOW_DIRECTIVE SHADOW_HEAD "void main() {" SHADOW_COORDINATE
                       "   gl_FragColor = vec4(vec3(shadow2DEXT(s, vec3(at, reference))), 1.0); }\n",
      SHADOW_DIRECTIVE SHADOW_HEAD "void main() {" SHADOW_COORDINATE
                       "   gl_FragColor = vec4(vec3(shadow2DProjEXT(s, vec4(at, reference, 1.0) * 4.0)), 1.0); }\n",
   };
   static const GLenum formats[] = { GL_DEPTH_COMPONENT, GL_DEPTH_STENCIL_OES };
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_shadow_samplers");
   struct target target = target_create(SIZE_PX, SIZE_PX);
   for (int c = 0; c < 2; c++) {
      const GLuint program = program_create(plain_vertex, calls[c]);
      GLint size = 0;
      GLenum type = 0;
      char name[20];
      for (GLuint i = 0; type != GL_SAMPLER_2D_SHADOW_EXT && i < 2; i++)
         glGetActiveUniform(program, i, sizeof(name), NULL, &size, &type, name);
      if (type != GL_SAMPLER_2D_SHADOW_EXT || strcmp(name, "s"))
         die("no uniform of the program is a shadow sampler");
      for (int f = 0; f < 2; f++) {
         depth_columns(formats[f]);
         expect_comparisons(&target, program, c ? "shadow2DProjEXT" : "shadow2DEXT");
      }
   }
}

/* Vertex shaders compare, too; between a texel that passes and one that does not, a linear filter
 * gives the share. */
static void
check_shadow_elsewhere(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_shadow_samplers");
   struct target target = target_create(SIZE_PX, SIZE_PX);
   depth_columns(GL_DEPTH_COMPONENT);
   program_create(SHADOW_DIRECTIVE "attribute vec4 position, colour; varying highp vec4 v; uniform sampler2DShadow s;\n"
                                   "void main() { gl_Position = position; v = colour * shadow2DEXT(s, vec3(0.6, 0.5, 0.75)); }\n",
                  plain_fragment);
   expect_everywhere(&target, (const uint8_t[]){ 255, 255, 255, 255 }, 0, "passes in a vertex shader");
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC_EXT, GL_GREATER);
   expect_everywhere(&target, (const uint8_t[]){ 0, 0, 0, 0 }, 0, "fails in a vertex shader");

   program_create(plain_vertex, SHADOW_DIRECTIVE SHADOW_HEAD
                  "void main() { gl_FragColor = vec4(shadow2DEXT(s, vec3(0.5 + 0.0 * reference, 0.5, 0.75))); }\n");
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
   expect_everywhere(&target, (const uint8_t[]){ 128, 128, 128, 128 }, 1,
                     "half way between texels");
}

/* The texture parameters begin as the extension has them, and wrong ones are refused; so are
 * shaders without the directive. */
static void
check_shadow_wrong(EGLDisplay display)
{
   GLint mode = -1, function = -1;
   GLuint texture;
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_shadow_samplers");
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glGetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE_EXT, &mode);
   glGetTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC_EXT, &function);
   no_error("asking for the comparison");
   if (mode != GL_NONE || function != GL_LEQUAL)
      die("at first the comparison is 0x%x, 0x%x", mode, function);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE_EXT, GL_TRUE);
   if (glGetError() != GL_INVALID_ENUM)
      die("a wrong mode of comparison is taken");
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC_EXT, GL_NONE);
   if (glGetError() != GL_INVALID_ENUM)
      die("a wrong function of comparison is taken");
   if (compiles(GL_FRAGMENT_SHADER,
                "uniform lowp sampler2DShadow s; void main() { gl_FragColor = vec4(1.0); }\n"))
      die("without its #extension, sampler2DShadow is a type");
   if (!compiles(GL_FRAGMENT_SHADER, SHADOW_DIRECTIVE "uniform highp sampler2DShadow s;\n"
                                     "void main() { gl_FragColor = vec4(shadow2DEXT(s, vec3(0.5))); }\n"))
      die("a shadow sampler with a precision does not compile");
   if (compiles(GL_VERTEX_SHADER, SHADOW_DIRECTIVE "uniform sampler2DShadow s;\n"
                                  "void main() { gl_Position = vec4(shadow2DEXT(s, vec3(0.5), 1.0)); }\n"))
      die("a vertex shader has a bias of the level");
}

/* --------------------------------------------------------------------------- cube maps of depth */

static const float face_direction[6][3] = { { 1, 0, 0 },  { -1, 0, 0 }, { 0, 1, 0 },
                                            { 0, -1, 0 }, { 0, 0, 1 },  { 0, 0, -1 } };

static const struct {
   const char *what;
   GLenum format, type;
} cube_formats[] = {
   { "cube map of 16-bit depth", GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT },
   { "cube map of 32-bit depth", GL_DEPTH_COMPONENT, GL_UNSIGNED_INT },
   { "cube map of depth and stencil", GL_DEPTH_STENCIL_OES, GL_UNSIGNED_INT_24_8_OES },
};

static float
face_depth(int face)
{
   return (face + 2) / 9.0f;
}

/* A cube map; texels are what the faces hold, or nothing. */
static GLuint
depth_cube(int f, const void *texels[6])
{
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_CUBE_MAP, texture);
   for (int face = 0; face < 6; face++)
      glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, cube_formats[f].format, SIZE_PX,
                   SIZE_PX, 0, cube_formats[f].format, cube_formats[f].type,
                   texels ? texels[face] : NULL);
   glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   no_error(cube_formats[f].what);
   return texture;
}

/* Each face shows its depth in the middle of its side of smaller and larger texture coordinate s:
 * `near_side` and the face's. */
static void
expect_faces(const struct target *target, float near_side, const char *what)
{
   static const float along_s[6][3] = { { 0, 0, -1 }, { 0, 0, 1 }, { 1, 0, 0 },
                                        { 1, 0, 0 },  { 1, 0, 0 }, { -1, 0, 0 } };
   target_bind(target);
   const GLuint program = program_create(
      plain_vertex, "uniform samplerCube s; uniform highp vec3 at;\n"
                    "void main() { gl_FragColor = vec4(textureCube(s, at).rrr, 1.0); }\n");
   for (int i = 0; i < 12; i++) {
      const int face = i / 2, side = i % 2 ? 1 : -1;
      const float *d = face_direction[face], *s = along_s[face],
                  depth = i % 2 ? face_depth(face) : near_side;
      const uint8_t shade = depth * 255 + 0.5f, colour[4] = { shade, shade, shade, 255 };
      glUniform3f(glGetUniformLocation(program, "at"), d[0] + side * s[0] / 2,
                  d[1] + side * s[1] / 2, d[2] + side * s[2] / 2);
      expect_everywhere(target, colour, 0, what);
   }
   glDeleteProgram(program);
}

/* Draws into each face: its depth everywhere, then a rectangle in front of it over the half of
 * smaller s. With stencil, a second rectangle is drawn only where the first counted. */
static void
draw_faces(const struct target *shown, GLuint texture, bool stencil)
{
   static const float red[4] = { 1, 0, 0, 1 };
   GLuint framebuffer;
   program_create(plain_vertex, plain_fragment);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, shown->colour);
   glEnable(GL_DEPTH_TEST);
   for (int face = 0; face < 6; face++) {
      for (int i = 0; i < 1 + stencil; i++)
         glFramebufferTexture2D(GL_FRAMEBUFFER, i ? GL_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT,
                                GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, texture, 0);
      if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
         die("a framebuffer with face %d of a cube map of depth is not complete", face);
      glClearDepthf(face_depth(face));
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
      if (stencil)
         glEnable(GL_STENCIL_TEST);
      glStencilFunc(GL_ALWAYS, face + 1, 255);
      glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
      draw_rectangle(-1, -1, 0, 1, -0.875f, white); /* at depth 1/16 */
      glStencilFunc(GL_EQUAL, face + 1, 255);
      glDepthFunc(GL_GREATER);
      /* behind the one, in front of what was cleared */
      draw_rectangle(-1, -1, 1, 1, -0.8125f, red);
      glDepthFunc(GL_LESS);
      glDisable(GL_STENCIL_TEST);
      uint8_t *pixels = target_read(shown);
      expect_pixel(shown, pixels, 3, 9, (const uint8_t[]){ 255, 0, 0, 255 }, 0, "in front");
      expect_pixel(shown, pixels, 30, 9, (const uint8_t[]){ 0, 0, 0, 0 }, 0, "behind");
      free(pixels);
   }
   glDisable(GL_DEPTH_TEST);
   glDeleteFramebuffers(1, &framebuffer);
}

static void
check_depth_cube_map(EGLDisplay display)
{
   enum { TEXELS = SIZE_PX * SIZE_PX };
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_OES_depth_texture_cube_map");
   struct target target = target_create(SIZE_PX, SIZE_PX);
   for (int f = 0; f < 3; f++) {
      const bool stencil = cube_formats[f].format == GL_DEPTH_STENCIL_OES;
      GLuint texture = depth_cube(f, NULL);
      draw_faces(&target, texture, stencil);
      expect_faces(&target, 3 / 32.0f, cube_formats[f].what);
      glDeleteTextures(1, &texture);

      static uint32_t texels[6][TEXELS];
      const void *faces[6];
      for (int face = 0; face < 6; face++) {
         for (int i = 0; i < TEXELS; i++) {
            const float depth = i % SIZE_PX < SIZE_PX / 2 ? 0.75f : face_depth(face);
            if (cube_formats[f].type == GL_UNSIGNED_SHORT)
               ((uint16_t *)texels[face])[i] = lroundf(depth * 65535);
            else
               texels[face][i] = llround(depth * (double)0xffffffff);
         }
         faces[face] = texels[face];
      }
      texture = depth_cube(f, faces);
      expect_faces(&target, 0.75f, cube_formats[f].what);
      glDeleteTextures(1, &texture);
   }
}

/* ---------------------------------------------------------------------------------- GL_EXT_sRGB */

/* Section 3.7.14: what a component of 0 to 1 of linear light is encoded as. */
static double
srgb_encode(double linear)
{
   return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

static void
expect_encoded(const struct target *target, const double linear[3], double alpha, const char *what)
{
   uint8_t wanted[4], *pixels = target_read(target);
   for (int c = 0; c < 3; c++)
      wanted[c] = (uint8_t)(255 * srgb_encode(linear[c]) + 0.5);
   wanted[3] = (uint8_t)(255 * alpha + 0.5);
   for (int i = 0; i < target->width_px * target->height_px; i++)
      expect_pixel(target, pixels, i % target->width_px, i / target->width_px, wanted, 1, what);
   free(pixels);
}

static void
expect_encoding(GLint wanted, const char *what)
{
   GLint encoding = -1;
   glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                         GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING_EXT, &encoding);
   no_error("asking for the encoding");
   if (encoding != wanted)
      die("the encoding of %s is 0x%x", what, encoding);
}

/* A frame buffer of sRGB is cleared and drawn to in linear light, which blending works in. */
static void
draw_srgb(const struct target *target, const char *what)
{
   static const float half_white[4] = { 1, 1, 1, 0.5f };
   target_bind(target);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      die("%s is not complete", what);
   expect_encoding(GL_SRGB_EXT, what);
   glClearColor(0.2f, 0.001f, 0.7f, 0.25f);
   glClear(GL_COLOR_BUFFER_BIT);
   expect_encoded(target, (const double[]){ 0.2, 0.001, 0.7 }, 0.25, "cleared");
   program_create(plain_vertex, plain_fragment);
   glEnable(GL_BLEND);
   glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   draw_rectangle(-1, -1, 1, 1, 0, half_white);
   glDisable(GL_BLEND);
   expect_encoded(target, (const double[]){ 0.6, 0.5005, 0.85 }, 0.375, "blended");
}

/* Textures of sRGB give linear light; their formats go with no others. */
static void
check_srgb(EGLDisplay display)
{
   enum { SIDE_PX = 8 };
   static const float corner[4] = { 0.5f, 0.5f, 0, 1 };
   static const uint8_t texels[SIDE_PX * SIDE_PX * 4];
   context_create(display, EGL_NO_CONTEXT);
   need_gl("GL_EXT_sRGB");
   struct target linear = target_create(SIDE_PX, SIDE_PX), texture = linear, renderbuffer = linear;
   expect_encoding(GL_LINEAR, "a linear frame buffer");
   glGenRenderbuffers(1, &renderbuffer.colour);
   glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer.colour);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_SRGB8_ALPHA8_EXT, SIDE_PX, SIDE_PX);
   glGenFramebuffers(1, &renderbuffer.framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, renderbuffer.framebuffer);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                             renderbuffer.colour);
   draw_srgb(&renderbuffer, "an sRGB renderbuffer");

   glGenTextures(1, &texture.colour);
   glBindTexture(GL_TEXTURE_2D, texture.colour);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB_ALPHA_EXT, SIDE_PX, SIDE_PX, 0, GL_SRGB_ALPHA_EXT,
                GL_UNSIGNED_BYTE, NULL);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glGenFramebuffers(1, &texture.framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, texture.framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture.colour, 0);
   draw_srgb(&texture, "an sRGB texture");
   target_bind(&linear);
   program_create(plain_vertex, "varying highp vec4 v; uniform sampler2D s; void main() { gl_FragColor = texture2D(s, v.xy); }\n");
   draw_rectangle(-1, -1, 1, 1, 0, corner);
   uint8_t *pixels = target_read(&linear);
   expect_pixel(&linear, pixels, 3, 3, (const uint8_t[]){ 153, 128, 217, 96 }, 2, "sampled");
   free(pixels);

   static const struct {
      GLint internal_format;
      GLenum format, type;
   } wrong[] = {
      { GL_RGBA, GL_SRGB_ALPHA_EXT, GL_UNSIGNED_BYTE },
      { GL_SRGB_ALPHA_EXT, GL_RGBA, GL_UNSIGNED_BYTE },
      { GL_SRGB_EXT, GL_SRGB_ALPHA_EXT, GL_UNSIGNED_BYTE },
      { GL_SRGB_EXT, GL_RGB, GL_UNSIGNED_BYTE },
      { GL_SRGB_EXT, GL_SRGB_EXT, GL_UNSIGNED_SHORT_5_6_5 },
      { GL_SRGB8_ALPHA8_EXT, GL_RGBA, GL_UNSIGNED_BYTE },
   };
   for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
      glTexImage2D(GL_TEXTURE_2D, 0, wrong[i].internal_format, 1, 1, 0, wrong[i].format,
                   wrong[i].type, texels);
      if (!glGetError())
         die("glTexImage2D takes 0x%x with 0x%x, 0x%x", wrong[i].internal_format, wrong[i].format,
             wrong[i].type);
   }
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   if (glGetError() != GL_INVALID_OPERATION)
      die("texels of another format are put into an sRGB texture");
   glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIDE_PX, SIDE_PX, GL_SRGB_ALPHA_EXT, GL_UNSIGNED_BYTE,
                   texels);
   no_error("putting texels into an sRGB texture");
   target_bind(&texture);
   expect_encoded(&texture, (const double[]){ 0, 0, 0 }, 0, "put into the texture");
   glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_SRGB_EXT, 0, 0, 1, 1, 0);
   if (glGetError() != GL_INVALID_ENUM)
      die("glCopyTexImage2D takes GL_SRGB_EXT");
}

const struct check texture_checks[] = {
   { "shader-texture-lod", check_texture_lod },
   { "anisotropic", check_anisotropic },
   { "shadow-samplers", check_shadow_samplers },
   { "shadow-samplers-elsewhere", check_shadow_elsewhere },
   { "shadow-samplers-wrong", check_shadow_wrong },
   { "depth-cube-map", check_depth_cube_map },
   { "srgb", check_srgb },
   { NULL, NULL },
};
