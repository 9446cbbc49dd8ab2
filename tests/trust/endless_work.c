/* SPDX-License-Identifier: MIT */
#include "endless_work.h"

#include <GLES3/gl32.h>

#include "gles2_context.h"

#define LARGEST_PX 512
#define MANY_DRAWS 300
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Loops over x and v. Endless ones wait for x, which stays between 0 and 1, to be `limit`; that is
 * a uniform, 2, so that no compiler knows. `many` is a hundred million: loops in loops would end
 * after centuries. A long loop has 400 000 turns, below the watchdog's limit of a task: only many
 * tasks of it take too long. */
static const struct loop {
   const char *name, *text;
   bool discards; /* fragments alone */
} loops[] = {
   { "no loop", "", false },
   { "an endless loop", "while (x < limit) x = fract(x * 1.7 + v.y);", false },
   { "an endless loop that samples",
     "while (x < limit) x = fract(textureLod(image, vec2(x, v.y), 0.0).x + v.x * 1.3);", false },
   { "an endless loop with other ways out",
     "for (int i = 0; x < limit; i++) {\n"
     "   if ((i & 7) == int(v.x * 8.0)) continue;\n"
     "   if (x < -1.0) break;\n"
     "   x = fract(x * 1.1 + float(i));\n}",
     false },
   { "an endless loop over an array",
     "float a[16];\nfor (int i = 0; i < 16; i++) a[i] = v.y;\n"
     "for (int k = 0; x < limit; k = (k * 5 + 1) & 15) {\n"
     "   a[k] = fract(a[(k + 3) & 15] * 1.7 + x);\n   x = a[k];\n}",
     false },
   { "an endless loop with a switch",
     "for (int i = 0; x < limit; i++) {\n   switch (i & 3) {\n   case 0: x = fract(x + 0.3); "
     "break;\n"
     "   case 1: x *= 0.5;\n   default: x = fract(x * 1.9);\n   }\n}",
     false },
   { "an endless loop that some leave",
     "while (x < limit) {\n   x = fract(x * 1.7 + v.y);\n"
     "   if (x > 0.99 && v.x > 0.25) discard;\n}",
     true },
   { "loops in loops",
     "for (int i = 0; i < many; i++)\n   for (int k = 0; k < many; k++) x = fract(x * 1.3 + v.y);",
     false },
   { "a long loop", "for (int i = 0; i < many / 250; i++) x = fract(x * 1.7 + v.y);", false },
};
enum { NO_LOOP = 0, LONG_LOOP = COUNT(loops) - 1 };

/* The stage that has the loop. Feedback: a vertex shader's, whose triangles are thrown away. */
static const char *const stages[] = { "vertex", "fragment", "geometry", "feedback" };
enum stage { VERTEX, FRAGMENT, GEOMETRY, FEEDBACK };

static const struct shape {
   const char *name;
   int count, instances, draws;
} shapes[] = {
   { "a triangle", 3, 1, 1 },
   { "300 triangles, a draw each", 3, 1, MANY_DRAWS },
   { "2^31 - 1 vertices", 0x7fffffff, 1, 1 },
   { "2^31 - 1 instances", 3, 0x7fffffff, 1 },
};
enum { FIRST_GIANT = 2, MANY = 1 };

static const struct mode {
   const char *name;
   GLenum mode;
} modes[] = {
   { "points", GL_POINTS },           { "lines", GL_LINES },
   { "a line strip", GL_LINE_STRIP }, { "triangles", GL_TRIANGLES },
   { "a strip", GL_TRIANGLE_STRIP },  { "a fan", GL_TRIANGLE_FAN },
};
enum { TRIANGLES = 3 };

struct endless_work
endless_work_random(uint64_t *seed)
{
   struct endless_work work = {
      .stage = random_below(seed, COUNT(stages)),
      .loop = random_below(seed, COUNT(loops)),
      .shape = random_below(seed, COUNT(shapes)),
      .mode = TRIANGLES,
      .size_px = 1 + (int)random_below(seed, LARGEST_PX),
      .blends = random_below(seed, 2),
      .tests_depth = random_below(seed, 2),
   };
   if (loops[work.loop].discards)
      work.stage = FRAGMENT;
   const bool each_task_ends = work.loop == NO_LOOP || work.loop == LONG_LOOP;
   if (each_task_ends && work.shape < FIRST_GIANT)
      work.shape = FIRST_GIANT + random_below(seed, 2);
   if (work.loop == LONG_LOOP && work.stage == FRAGMENT) {
      work.shape = MANY;
      work.size_px = LARGEST_PX;
   }
   const bool any_mode = work.stage == VERTEX || work.loop == NO_LOOP;
   if (any_mode && work.stage < GEOMETRY && work.shape >= FIRST_GIANT)
      work.mode = random_below(seed, COUNT(modes));
   return work;
}

bool
endless_work_is_desktop(const struct endless_work *work)
{
   return work->stage == GEOMETRY || work->stage == FEEDBACK;
}

void
endless_work_print(const struct endless_work *work, char *text, int size)
{
   snprintf(text, (size_t)size, "%s in the %s stage, %s of %s, %d px%s%s", loops[work->loop].name,
            stages[work->stage], shapes[work->shape].name, modes[work->mode].name, work->size_px,
            work->blends ? ", blended" : "", work->tests_depth ? ", tested for depth" : "");
}

/* ---- programs ---- */

/* A shader: what stands before the loop and behind it. Macros, IN and OUT, name its varyings: the
 * fragment shader's input is the output of the stage before, whichever that is. */
struct source {
   GLenum stage;
   const char *before, *after;
};

/* Triangles that cover the target, one after the other. */
static const struct source vertex = {
   GL_VERTEX_SHADER,
   "out vec4 OUT;\nvoid main() {\n   int corner = gl_VertexID % 3;\n"
   "   vec4 v = vec4(float(corner & 1), float(corner >> 1), 0.3, 1.0);\n   float x = v.z;\n",
   "\n   OUT = vec4(v.xyz, x);\n   gl_PointSize = 1.0;\n"
   "   gl_Position = vec4(4.0 * v.x - 1.0, 4.0 * v.y - 1.0, 0.0, 1.0);\n}\n",
};
static const struct source fragment = {
   GL_FRAGMENT_SHADER,
   "in vec4 IN; out vec4 colour;\nvoid main() {\n   vec4 v = IN;\n   float x = v.z;\n",
   "\n   colour = vec4(x, v.xyw);\n}\n",
};
static const struct source geometry = {
   GL_GEOMETRY_SHADER,
   "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out;\n"
   "in vec4 IN[3]; out vec4 OUT;\nfloat turned(vec4 v) {\n   float x = v.z;\n",
   "\n   return x;\n}\nvoid main() {\n   for (int k = 0; k < 3; k++) {\n"
   "      OUT = vec4(IN[k].xyz, turned(IN[k]));\n      gl_Position = gl_in[k].gl_Position;\n"
   "      EmitVertex();\n   }\n}\n",
};

/* `names`: the macros. */
static void
attach(GLuint program, const struct endless_work *work, const struct source *source,
       const char *names, bool has_loop)
{
   char text[4096], log[1000];
   const int length =
      snprintf(text, sizeof(text),
               "%suniform float limit; uniform int many; uniform sampler2D image;\n%s%s%s", names,
               source->before, has_loop ? loops[work->loop].text : "", source->after);
   const char *head = endless_work_is_desktop(work)
                         ? "#version 330\n"
                         : "#version 300 es\nprecision highp float; precision highp int;\n";
   const GLuint shader = shader_compile(source->stage, head, text, log, sizeof(log));
   if (!shader || length >= (int)sizeof(text))
      die("a shader is refused: %s\n%s", log, text);
   glAttachShader(program, shader);
   glDeleteShader(shader);
}

static void
use_program(const struct endless_work *work)
{
   static const char *const fed[] = { "first" };
   const GLuint program = glCreateProgram();
   GLint linked;
   attach(program, work, &vertex, "#define OUT first\n",
          work->stage == VERTEX || work->stage == FEEDBACK);
   if (work->stage == GEOMETRY)
      attach(program, work, &geometry, "#define IN first\n#define OUT second\n", true);
   attach(program, work, &fragment,
          work->stage == GEOMETRY ? "#define IN second\n" : "#define IN first\n",
          work->stage == FRAGMENT);
   if (work->stage == FEEDBACK)
      glTransformFeedbackVaryings(program, 1, fed, GL_INTERLEAVED_ATTRIBS);
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   if (!linked)
      die("a program does not link");
   glUseProgram(program);
   glUniform1f(glGetUniformLocation(program, "limit"), 2);
   glUniform1i(glGetUniformLocation(program, "many"), 100000000);
}

/* ---- draws ---- */

/* Without an object for arrays OpenGL 3.3 draws nothing. */
static void
bind_arrays(void)
{
   GLuint arrays;
   glGenVertexArrays(1, &arrays);
   glBindVertexArray(arrays);
}

static void
make_texture(void)
{
   static const uint8_t texels[2][2][4] = { { { 40 }, { 210 } }, { { 130 }, { 90 } } };
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

/* A buffer for what a triangle feeds back; more is not written. */
static void
begin_feedback(void)
{
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
   glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, 64, NULL, GL_STATIC_COPY);
   glEnable(GL_RASTERIZER_DISCARD);
   glBeginTransformFeedback(GL_TRIANGLES);
}

void
endless_work_draw(const struct endless_work *work)
{
   const struct shape *shape = &shapes[work->shape];
   target_create(work->size_px, work->size_px);
   bind_arrays();
   make_texture();
   use_program(work);
   if (work->blends)
      glEnable(GL_BLEND);
   if (work->tests_depth)
      glEnable(GL_DEPTH_TEST);
   glDepthFunc(GL_LEQUAL);
   glBlendFunc(GL_SRC_ALPHA, GL_ONE);
   if (work->stage == FEEDBACK)
      begin_feedback();
   for (int i = 0; i < shape->draws; i++)
      glDrawArraysInstanced(modes[work->mode].mode, 0, shape->count, shape->instances);
   if (work->stage == FEEDBACK)
      glEndTransformFeedback();
}
