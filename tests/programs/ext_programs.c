/* SPDX-License-Identifier: MIT
 *
 * GL_OES_get_program_binary: programs go through binaries unchanged, and what is not a binary is
 * refused. The words of GLSL ES 1.00, and its built-in functions.
 */
#include "extension_checks.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIZE_PX = 32 };

/* Uses a uniform, a varying, a loop and a sampler: a binary holds where each of them is. */
static const char fragment[] =
   "precision highp float; varying highp vec4 v; uniform vec4 scale[3]; uniform sampler2D image; uniform int turns;\n"
   "void main() {\n"
   "   vec4 sum = v * scale[2];\n"
   "   for (int i = 0; i < 4; i++) if (i < turns) sum += scale[1] * 0.125;\n"
   "   gl_FragColor = sum + texture2D(image, vec2(0.5)) * scale[0];\n"
   "}\n";

/* A picture of the current program, with uniforms set by their names. */
static uint8_t *
draw_with(const struct target *target, GLuint program)
{
   static const float scale[3][4] = { { 0.25, 0, 0, 0 }, { 0, 0.5, 0, 0 }, { 0.5, 0.5, 0.5, 1 } };
   static const float colour[4] = { 0.5, 0.25, 1, 1 };
   glUseProgram(program);
   glUniform4fv(glGetUniformLocation(program, "scale"), 3, scale[0]);
   glUniform1i(glGetUniformLocation(program, "image"), 0);
   glUniform1i(glGetUniformLocation(program, "turns"), 3);
   glClear(GL_COLOR_BUFFER_BIT);
   draw_rectangle(-0.8f, -0.9f, 0.7f, 1, 0, colour);
   return target_read(target);
}

struct binary {
   void *bytes;
   GLint size_B;
   GLenum format;
};

static struct binary
binary_of(GLuint program)
{
   struct binary binary = { 0 };
   GLsizei written = 0;
   glGetProgramiv(program, GL_PROGRAM_BINARY_LENGTH_OES, &binary.size_B);
   if (binary.size_B <= 0)
      die("a linked program has a binary of %d bytes", binary.size_B);
   binary.bytes = malloc(binary.size_B);
   gl.GetProgramBinaryOES(program, binary.size_B, &written, &binary.format, binary.bytes);
   no_error("getting a program's binary");
   if (written != binary.size_B)
      die("%d of %d bytes of a binary were written", written, binary.size_B);
   return binary;
}

/* Whether a new program takes it; its name is in *program. */
static bool
load(struct binary binary, GLuint *program)
{
   GLint linked = -1;
   *program = glCreateProgram();
   gl.ProgramBinaryOES(*program, binary.format, binary.bytes, binary.size_B);
   glGetProgramiv(*program, GL_LINK_STATUS, &linked);
   return linked;
}

static void
one_texel(void)
{
   static const uint8_t texel[4] = { 200, 100, 50, 255 };
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texel);
}

static void
check_round_trip(EGLDisplay display)
{
   GLint formats = 0, format = 0;
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   one_texel();
   glGetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS_OES, &formats);
   if (formats < 1)
      die("there is no format of binaries: no shader cache");
   glGetIntegerv(GL_PROGRAM_BINARY_FORMATS_OES, &format);

   GLuint made = program_create(plain_vertex, fragment), loaded;
   uint8_t *want = draw_with(&target, made);
   struct binary binary = binary_of(made);
   if (binary.format != (GLenum)format)
      die("the binary's format is 0x%x, those known are 0x%x", binary.format, format);
   glDeleteProgram(made);
   if (!load(binary, &loaded))
      die("a program's own binary is refused");
   uint8_t *have = draw_with(&target, loaded);
   if (memcmp(have, want, 4 * SIZE_PX * SIZE_PX))
      die("a program draws something else after it went through a binary");
   expect_pixel(&target, have, 16, 16, (const uint8_t[]){ 114, 80, 128, 255 }, 2, "from a binary");
   free(have);
   free(want);
   free(binary.bytes);
}

static void
check_wrong(EGLDisplay display)
{
   context_create(display, EGL_NO_CONTEXT);
   target_create(SIZE_PX, SIZE_PX);
   struct binary binary = binary_of(program_create(plain_vertex, fragment)), wrong;
   GLuint program;

   wrong = binary;
   wrong.format = 0x1234;
   if (load(wrong, &program) || glGetError() != GL_INVALID_ENUM)
      die("a binary of an unknown format is not GL_INVALID_ENUM");
   uint64_t seed = 1;
   for (int n = 0; n < 50; n++) {
      wrong = (struct binary){ malloc(binary.size_B), binary.size_B, binary.format };
      memcpy(wrong.bytes, binary.bytes, binary.size_B);
      if (n % 2)
         wrong.size_B = random_below(&seed, binary.size_B);
      else
         ((uint8_t *)wrong.bytes)[random_below(&seed, binary.size_B)] ^= 1 << random_below(&seed, 8);
      if (load(wrong, &program))
         die("a binary %s is taken", n % 2 ? "cut short" : "with a wrong bit");
      glGetError();
      glUseProgram(0);
      glDeleteProgram(program);
      free(wrong.bytes);
   }
   if (!load(binary, &program))
      die("the right binary is refused after wrong ones");
   free(binary.bytes);
}

/* OpenGL links programs without shaders: also one that had some before, and also when the shader
 * cache, which is written in the background, knows it. */
static void
check_no_shaders(EGLDisplay display)
{
   static const char *const source = "void main() { gl_Position = vec4(0.0); }\n";
   PFNGLCREATESHADERPROGRAMVEXTPROC create =
      (PFNGLCREATESHADERPROGRAMVEXTPROC)eglGetProcAddress("glCreateShaderProgramv");
   context_create_desktop(display, EGL_NO_CONTEXT);
   for (int i = 0; i < 40; i++) {
      GLint linked = 0;
      const GLuint program = create(GL_VERTEX_SHADER, 1, (const char **)&source);
      glLinkProgram(program); /* its shader is no longer attached */
      glGetProgramiv(program, GL_LINK_STATUS, &linked);
      if (!linked)
         die("a program without shaders does not link");
      glDeleteProgram(program);
      usleep(5000);
   }
   no_error("linking programs without shaders");
}

/* A shader that the shader cache knows from OpenGL ES 2.0 is compiled anew in OpenGL 2.1, where it
 * is wrong. */
static void
check_another_api(EGLDisplay display)
{
   static const char *const source =
      "precision highp float; void main() { gl_FragColor = vec4(0.625); }\n";
   context_create(display, EGL_NO_CONTEXT);
   glDeleteProgram(program_create(plain_vertex, source));
   context_create_desktop(display, EGL_NO_CONTEXT);
   for (int i = 0; i < 40; i++) {
      GLint compiled = 1;
      const GLuint shader = glCreateShader(GL_FRAGMENT_SHADER);
      glShaderSource(shader, 1, &source, NULL);
      glCompileShader(shader);
      glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
      if (compiled)
         die("a shader with precisions compiles in OpenGL 2.1");
      glDeleteShader(shader);
      usleep(5000);
   }
}

/* Prints how many programs the driver compiled for a picture: with a warm shader cache, none. The
 * suite runs it twice. */
static void
check_compilations(EGLDisplay display)
{
   struct counter compilations;
   context_create(display, EGL_NO_CONTEXT);
   struct target target = target_create(SIZE_PX, SIZE_PX);
   one_texel();
   counter_begin(&compilations, "clipfree-compilations");
   free(draw_with(&target, program_create(plain_vertex, fragment)));
   printf("compiled: %d\n", (int)counter_end(&compilations));
   eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglTerminate(display); /* waits until the cache is written */
}

/* A shader whose main() has this statement, with nothing but the language's own declarations. */
static bool
compiles_with(GLenum stage, const char *statement)
{
   char source[400];
   GLint compiled = 0;
   const GLuint shader = glCreateShader(stage);
   snprintf(source, sizeof(source),
            "precision mediump float;\nuniform sampler2D image;\nvoid main() { %s; }\n", statement);
   glShaderSource(shader, 1, (const char *[]){ source }, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
   glDeleteShader(shader);
   return compiled;
}

static void
expect_words(const char *words, bool names)
{
   char list[800], statement[60];
   snprintf(list, sizeof(list), "%s", words);
   for (char *word = strtok(list, " "); word; word = strtok(NULL, " ")) {
      snprintf(statement, sizeof(statement), "float %s = 1.0", word);
      if (compiles_with(GL_VERTEX_SHADER, statement) != names ||
          compiles_with(GL_FRAGMENT_SHADER, statement) != names)
         die("%s is %sa name in GLSL ES 1.00", word, names ? "not " : "");
   }
}

/* What is reserved in GLSL ES 1.00 (sections 3.6 and 3.7), what only later versions reserve, and
 * what is not in it: functions and variables of extensions that no directive asks for, of OpenGL,
 * and of the other stage. */
static void
check_words(EGLDisplay display)
{
   static const char *const foreign[] = {
      "gl_ModelViewMatrix", "gl_Vertex", "gl_LightModel", "gl_Color", "gl_FragDepth", "gl_FragDepthEXT", "gl_VertexID",
      "gl_InstanceID", "gl_SecondaryFragColorEXT", "ftransform()", "dFdx(1.0)", "fwidth(1.0)", "round(1.0)",
      "texture(image, vec2(0.0))", "texture2DLodEXT(image, vec2(0.0), 0.0)", "texture2DGradEXT(image, vec2(0.0), vec2(0.0), vec2(0.0))",
      "shadow2DEXT(image, vec3(0.0))", "texture3D(image, vec3(0.0))", "textureSize(image, 0)", "1 % 2", "1 << 2",
   };
   static const char *const fragment_only[] = {
      "gl_FragColor",   "gl_FragCoord", "gl_PointCoord",
      "gl_FrontFacing", "discard",      "texture2D(image, vec2(0.0), 1.0)"
   };
   static const char *const vertex_only[] = { "gl_Position", "gl_PointSize",
                                              "texture2DLod(image, vec2(0.0), 0.0)",
                                              "texture2DProjLod(image, vec3(1.0), 0.0)" };
   context_create(display, EGL_NO_CONTEXT);
   expect_words("attribute const uniform varying break continue do for while if else in out inout float int void bool true false lowp "
                "mediump highp precision invariant discard return mat2 mat3 mat4 vec2 vec3 vec4 ivec2 ivec3 ivec4 bvec2 bvec3 bvec4 "
                "sampler2D samplerCube struct", false);
   expect_words("asm class union enum typedef template this packed goto switch default inline noinline volatile public static extern "
                "external interface flat long short double half fixed unsigned superp input output hvec2 hvec3 hvec4 dvec2 dvec3 "
                "dvec4 fvec2 fvec3 fvec4 sampler1D sampler3D sampler1DShadow sampler2DShadow sampler2DRect sampler3DRect "
                "sampler2DRectShadow sizeof cast namespace using", false);
   expect_words("uint uvec2 mat2x2 layout centroid smooth case texture sample patch samplerBuffer sampler2DArray shared buffer image1D "
                "filter common active", true);
   for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
      if (compiles_with(GL_VERTEX_SHADER, foreign[i]) ||
          compiles_with(GL_FRAGMENT_SHADER, foreign[i]))
         die("%s is in GLSL ES 1.00", foreign[i]);
   }
   for (size_t i = 0; i < sizeof(fragment_only) / sizeof(fragment_only[0]); i++) {
      if (compiles_with(GL_VERTEX_SHADER, fragment_only[i]) ||
          !compiles_with(GL_FRAGMENT_SHADER, fragment_only[i]))
         die("%s is not of fragment shaders alone", fragment_only[i]);
   }
   for (size_t i = 0; i < sizeof(vertex_only) / sizeof(vertex_only[0]); i++) {
      if (!compiles_with(GL_VERTEX_SHADER, vertex_only[i]) ||
          compiles_with(GL_FRAGMENT_SHADER, vertex_only[i]))
         die("%s is not of vertex shaders alone", vertex_only[i]);
   }
}

/* Heap of the process that is in use, in bytes. */
static size_t
heap_B(void)
{
   return mallinfo2().uordblks;
}

/* Of the built-in functions of all versions of GLSL - a thousand names, 9 MB - those are made that
 * a shader calls. Others are there when they are called, and an overload that there is not is told
 * with those that there are. */
static void
check_built_ins(EGLDisplay display)
{
   static const char first[] = "uniform highp float t; void main() { gl_Position = vec4(sin(t)); }";
   static const char wrong[] = "void main() { gl_Position = vec4(clamp(1.0)); }";
   char log[4096] = "";
   context_create(display, EGL_NO_CONTEXT);
   const size_t before_B = heap_B();
   const GLuint compiled = shader_compile(GL_VERTEX_SHADER, "", first, log, sizeof(log));
   const size_t grown_B = heap_B() - before_B;
   if (grown_B > 4 << 20)
      die("the heap grows by %zu bytes with the first shader", grown_B);
   if (!compiled || !compiles_with(GL_VERTEX_SHADER, "mod(clamp(1.0, 0.0, 2.0), cos(1.0))"))
      die("built-in functions are missing: %s", log);
   if (shader_compile(GL_VERTEX_SHADER, "", wrong, log, sizeof(log)) ||
       !strstr(log, "vec3 clamp(vec3, float, float)"))
      die("the log has not the overloads of clamp: %s", log);
}

const struct check program_checks[] = {
   { "built-ins", check_built_ins },
   { "compilations", check_compilations },
   { "glsl-words", check_words },
   { "program-binary", check_round_trip },
   { "program-binary-wrong", check_wrong },
   { "program-without-shaders", check_no_shaders },
   { "program-of-another-api", check_another_api },
   { NULL, NULL },
};
