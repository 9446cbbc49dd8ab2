/* SPDX-License-Identifier: MIT
 *
 * Fragment shaders over the whole target, each with one kind of operation; and the cost of
 * compiling one.
 */
#include "features.h"
#include "../cost.h"

#include <stdio.h>

static const char vertex[] = "varying vec3 at;\n"
                             "void main() { gl_Position = gl_Vertex; at = gl_MultiTexCoord0.xyz; gl_FrontColor = gl_Color; }\n";

/* Link and use a program; its sampler `image` is unit 0. */
static GLuint
use_fragment_shader(const char *text)
{
   const GLuint program = cost_program(vertex, text);
   glUseProgram(program);
   glUniform1i(glGetUniformLocation(program, "image"), 0);
   return program;
}

static const char *
set_shader(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   use_fragment_shader(feature->fragment);
   return NULL;
}

static const char *
set_sampling_shader(const struct feature *feature, const struct scene *scene)
{
   set_texture(feature, scene);
   return set_shader(feature, scene);
}

static const char *
set_depth_shader(const struct feature *feature, const struct scene *scene)
{
   set_depth(feature, scene);
   return set_shader(feature, scene);
}

/* The fragment shader's second colour is the factor of both. */
static const char *
set_second_color(const struct feature *feature, const struct scene *scene)
{
   glBlendFunc(GL_SRC1_COLOR, GL_ONE_MINUS_SRC1_COLOR);
   return set_shader(feature, scene);
}

/* A texture of four samples that a triangle covers in part. */
static const char *
set_multisample_texture(const struct feature *feature, const struct scene *scene)
{
   GLuint texture, framebuffer;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
   glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_RGBA8, FEATURE_PX, FEATURE_PX, GL_TRUE);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE, texture,
                          0);
   glClear(GL_COLOR_BUFFER_BIT);
   glBegin(GL_TRIANGLES);
   glVertex2f(-0.9f, -0.8f), glVertex2f(0.9f, -0.7f), glVertex2f(0.1f, 0.9f);
   glEnd();
   glBindFramebuffer(GL_FRAMEBUFFER, scene->target);
   return set_shader(feature, scene);
}

/* Compile a new source each time, with a constant from the clock, so that no cache has it, not even
 * that of an earlier process. */
static void
draw_compiled(const struct feature *feature, const struct scene *scene)
{
   char text[512];
   const double constant = 1.0 + (double)(cost_ns(CLOCK_REALTIME) & 0x7fffff) / 0x800000;
   snprintf(text, sizeof text,
            "varying vec3 at; uniform sampler2D image;\n"
            "void main() { vec4 c = texture2D(image, at.xy) * %.9f;\n"
            "   for (int i = 0; i < 4; i++) c += sin(c * float(i)); gl_FragColor = c; }\n",
            constant);
   const GLuint program = use_fragment_shader(text);
   draw_quad(feature, scene);
   glFinish();
   glUseProgram(0);
   glDeleteProgram(program);
}

#define SHADER(name_, text_) { .name = "shader: " name_, .set_up = set_shader, .fragment = "varying vec3 at;\n" text_ }
#define SAMPLING(name_, text_)                                                                                                      \
   { .name = "shader: " name_, .set_up = set_sampling_shader, .fragment = "varying vec3 at; uniform sampler2D image;\n" text_,      \
     .image = { .internal = GL_RGBA8, .format = GL_RGBA, .type = GL_UNSIGNED_BYTE }, .filter = { GL_LINEAR, GL_LINEAR } }

static const struct feature shaders[] = {
   SHADER("sine, power", "void main() { gl_FragColor = vec4(sin(at.x * 9.0), cos(at.y * 7.0), pow(at.x, 2.2), exp2(at.y)); }"),
   SHADER("arcs", "void main() { gl_FragColor = vec4(atan(at.x, at.y), asin(at.x), acos(at.y), tan(at.x)); }"),
   SHADER("normalize, reflect", "void main() { vec3 n = normalize(at - 0.5); gl_FragColor = vec4(reflect(n, vec3(0, 0, 1)), dot(n, n)); }"),
   SHADER("matrices", "uniform mat4 m; void main() { gl_FragColor = m * vec4(at, 1) * m; }"),
   SHADER("integers, mod", "void main() { int a = int(at.x * 100.0); a = a / 7 - (a / 3) * 2;\n"
          "   gl_FragColor = vec4(float(a) * 0.01, mod(at.x, 0.3), floor(at.y * 8.0), ceil(at.x)); }"),
   SHADER("hash", "void main() { gl_FragColor = vec4(fract(sin(dot(at.xy, vec2(12.9898, 78.233))) * 43758.5453)); }"),
   SHADER("loop of 20", "void main() { float a = 0.0; for (int i = 0; i < 20; i++) a += fract(a * 1.7 + at.x); gl_FragColor = vec4(a); }"),
   SHADER("loop to a varying", "void main() { float a = 0.0; int n = int(at.x * 40.0);\n"
          "   for (int i = 0; i < 40; i++) { if (i >= n) break; a += fract(a * 1.7 + at.y); } gl_FragColor = vec4(a); }"),
   SHADER("branch", "void main() { if (at.x < 0.5) gl_FragColor = vec4(sin(at.y)); else gl_FragColor = vec4(at, 1); }"),
   SHADER("discard", "void main() { if (fract(at.x * 50.0) < 0.5) discard; gl_FragColor = vec4(at, 1); }"),
   SHADER("derivatives", "void main() { gl_FragColor = vec4(dFdx(at.x), dFdy(at.y), fwidth(at.x), 1); }"),
   SHADER("gl_FragCoord", "void main() { gl_FragColor = gl_FragCoord * 0.001; }"),
   SHADER("uniform array",
          "uniform vec4 a[16]; void main() { gl_FragColor = a[int(at.x * 15.0)]; }"),
   SHADER("local array",
          "void main() { float a[8]; for (int i = 0; i < 8; i++) a[i] = at.x * float(i);\n"
          "   gl_FragColor = vec4(a[int(at.y * 7.0)]); }"),
   SAMPLING("sample where a sample says", "void main() { gl_FragColor = texture2D(image, texture2D(image, at.xy).xy); }"),
   SAMPLING("8 samples", "void main() { vec4 c = vec4(0); for (int i = 0; i < 8; i++) c += texture2D(image, at.xy + float(i) * 0.01);\n"
            "   gl_FragColor = c; }"),
   SAMPLING("sample with a bias", "void main() { gl_FragColor = texture2D(image, at.xy, 1.5); }"),
   { .name = "shader: depth", .enable = { GL_DEPTH_TEST }, .set_up = set_depth_shader, .mode = GL_ALWAYS,
     .fragment = "varying vec3 at; void main() { gl_FragColor = vec4(at, 1); gl_FragDepth = at.x; }" },
   { .name = "shader: two colours to blend",
     .enable = { GL_BLEND },
     .needs = "GL_ARB_blend_func_extended",
     .set_up = set_second_color,
     .fragment = "#version 130\n"
                 "#extension GL_ARB_explicit_attrib_location : require\n"
                 "layout(location = 0, index = 0) out vec4 first;\n"
                 "layout(location = 0, index = 1) out vec4 second;\n"
                 "in vec3 at; void main() { first = vec4(at, 1); second = vec4(at.yx, 0.5, 1); }" },
   { .name = "shader: four samples of a pixel",
     .needs = "GL_ARB_texture_multisample",
     .set_up = set_multisample_texture,
     .fragment = "#version 130\n"
                 "#extension GL_ARB_texture_multisample : require\n"
                 "uniform sampler2DMS image; in vec3 at; out vec4 color;\n"
                 "void main() { ivec2 p = ivec2(gl_FragCoord.xy); color = vec4(0);\n"
                 "   for (int i = 0; i < 4; i++) color += 0.25 * texelFetch(image, p, i); }" },
   { .name = "shader: compile and draw", .set_up = set_texture, .draw = draw_compiled,
     .image = { .internal = GL_RGBA8, .format = GL_RGBA, .type = GL_UNSIGNED_BYTE }, .filter = { GL_LINEAR, GL_LINEAR } },
};

const struct feature_list features_of_shaders = FEATURE_LIST(shaders);
