/* SPDX-License-Identifier: MIT
 *
 * What OpenGL 3.2 and 3.3 add, in core contexts: geometry shaders, layers, multisample and buffer
 * textures, two source colours, provoking vertices, base vertices, timer queries, conditional
 * rendering, sampler objects.
 */
#include "es3.h"

#include <stdint.h>

enum { CALLS = 20, MANY_CALLS = 1000 };

#define GL33_HEAD "#version 330\n"
#define GL33_VERTEX GL33_HEAD "layout(location = 0) in vec2 position;\n"

/* ---- set-up ---- */

static GLuint
attach(GLuint program, GLenum stage, const char *text)
{
   const GLuint shader = glCreateShader(stage);
   glShaderSource(shader, 1, &text, NULL);
   glCompileShader(shader);
   glAttachShader(program, shader);
   return shader;
}

/* Link and use the program of `vertex`, `geometry` if there is one, and `fragment`. `size`, of the
 * primitives in pixels, is the uniform `radius`, half of it in clip space. */
static const char *
use_program(const struct feature *feature)
{
   const GLuint program = glCreateProgram();
   GLuint array;
   GLint linked;
   attach(program, GL_VERTEX_SHADER, feature->vertex);
   if (feature->geometry)
      attach(program, GL_GEOMETRY_SHADER, feature->geometry);
   attach(program, GL_FRAGMENT_SHADER, feature->fragment);
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &linked);
   glUseProgram(program);
   glUniform1f(glGetUniformLocation(program, "radius"), (GLfloat)feature->size / FEATURE_PX);
   glGenVertexArrays(1, &array);
   glBindVertexArray(array);
   return linked ? NULL : "this program";
}

/* Primitives of `mode` at random positions, for draw_primitives. */
static const char *
set_small(const struct feature *feature, const struct scene *scene)
{
   const char *missing = use_program(feature);
   (void)scene;
   make_primitives(feature);
   set_es3_positions();
   return missing;
}

/* A quad over all pixels, for draw_es3_quad. */
static const char *
set_whole(const struct feature *feature, const struct scene *scene)
{
   const char *missing = use_program(feature);
   (void)scene;
   make_es3_quad();
   return missing;
}

/* The same, into all layers of an array of textures. */
static const char *
set_layers(const struct feature *feature, const struct scene *scene)
{
   GLuint texture, framebuffer;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D_ARRAY, texture);
   glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA8, FEATURE_PX, FEATURE_PX, ES3_LAYERS, 0, GL_RGBA,
                GL_UNSIGNED_BYTE, NULL);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0);
   const char *incomplete = check_complete();
   return incomplete ? incomplete : set_whole(feature, scene);
}

/* The same with a texture of four samples, in which all samples differ. */
static const char *
set_sampled(const struct feature *feature, const struct scene *scene)
{
   GLuint texture, framebuffer;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
   glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, ES3_SAMPLES, GL_RGBA8, FEATURE_PX, FEATURE_PX,
                           GL_TRUE);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0);
   const char *incomplete = check_complete();
   glEnable(GL_SAMPLE_MASK);
   for (GLbitfield sample = 0; sample < ES3_SAMPLES; sample++) {
      glSampleMaski(0, 1u << sample);
      glClearColor(0.25f * (GLfloat)sample, 0.5f, 1.0f, 1.0f);
      glClear(GL_COLOR_BUFFER_BIT);
   }
   glDisable(GL_SAMPLE_MASK);
   glBindFramebuffer(GL_FRAMEBUFFER, scene->target);
   return incomplete ? incomplete : set_whole(feature, scene);
}

/* A target of four samples, of which `size` (a mask) are drawn. */
static const char *
set_masked(const struct feature *feature, const struct scene *scene)
{
   const char *missing = set_four_samples(&(struct feature){ .size = 0 }, scene);
   glEnable(GL_SAMPLE_MASK);
   glSampleMaski(0, (GLbitfield)feature->size);
   return missing ? missing : set_whole(feature, scene);
}

static const char *
set_two_sources(const struct feature *feature, const struct scene *scene)
{
   glEnable(GL_BLEND);
   glBlendFunc(feature->blend.source, feature->blend.destination);
   return set_whole(feature, scene);
}

/* The same with a buffer texture of the format `image.internal`. */
static const char *
set_buffer_texture(const struct feature *feature, const struct scene *scene)
{
   const size_t size_B = (size_t)FEATURE_PX * FEATURE_PX * 4;
   const GLuint buffer = make_es3_buffer(GL_TEXTURE_BUFFER, scene->image, size_B);
   GLuint texture;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_BUFFER, texture);
   glTexBuffer(GL_TEXTURE_BUFFER, feature->image.internal, buffer);
   return set_whole(feature, scene);
}

/* The same with a rectangle texture. */
static const char *
set_rectangle(const struct feature *feature, const struct scene *scene)
{
   make_es3_texture(feature, scene->image, ES3_TEXTURE_PX);
   return set_whole(feature, scene);
}

/* Small triangles with a texture, and two sampler objects that differ in their filter, at units 1
 * and 2, from where they are taken. */
static const char *
set_samplers(const struct feature *feature, const struct scene *scene)
{
   GLuint samplers[2];
   make_es3_texture(feature, scene->image, ES3_TEXTURE_PX);
   glGenSamplers(2, samplers);
   for (GLuint i = 0; i < 2; i++) {
      const GLint filter = i ? GL_LINEAR : GL_NEAREST;
      glSamplerParameteri(samplers[i], GL_TEXTURE_MIN_FILTER, filter);
      glSamplerParameteri(samplers[i], GL_TEXTURE_MAG_FILTER, filter);
      glBindSampler(1 + i, samplers[i]);
   }
   return set_small(feature, scene);
}

static const char *
set_first_vertex(const struct feature *feature, const struct scene *scene)
{
   glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
   return set_small(feature, scene);
}

/* Small triangles with an index list of one triangle. */
static const char *
set_indices(const struct feature *feature, const struct scene *scene)
{
   static const uint16_t indices[3] = { 0, 1, 2 };
   const char *missing = set_small(feature, scene);
   make_es3_buffer(GL_ELEMENT_ARRAY_BUFFER, indices, sizeof indices);
   return missing;
}

/* ---- draws ---- */

static void
draw_base_vertices(const struct feature *feature, const struct scene *scene)
{
   (void)scene;
   for (int i = 0; i < MANY_CALLS; i++)
      glDrawElementsBaseVertex(feature->mode, 3, GL_UNSIGNED_SHORT, NULL, 3 * i);
}

static void
draw_many_base_vertices(const struct feature *feature, const struct scene *scene)
{
   GLsizei counts[MANY_CALLS];
   GLint bases[MANY_CALLS];
   const void *from[MANY_CALLS];
   (void)scene;
   for (int i = 0; i < MANY_CALLS; i++) {
      counts[i] = 3;
      bases[i] = 3 * i;
      from[i] = NULL;
   }
   glMultiDrawElementsBaseVertex(feature->mode, counts, GL_UNSIGNED_SHORT, from, MANY_CALLS, bases);
}

static void
draw_with_samplers(const struct feature *feature, const struct scene *scene)
{
   GLint samplers[2];
   (void)scene;
   for (GLenum i = 0; i < 2; i++) {
      glActiveTexture(GL_TEXTURE1 + i);
      glGetIntegerv(GL_SAMPLER_BINDING, &samplers[i]);
   }
   for (int i = 0; i < MANY_CALLS; i++) {
      glBindSampler(0, (GLuint)samplers[i % 2]);
      glDrawArrays(feature->mode, 3 * i, 3);
   }
}

static void
draw_timed(const struct feature *feature, const struct scene *scene)
{
   GLuint queries[CALLS];
   GLuint time_ns;
   (void)scene;
   glGenQueries(CALLS, queries);
   for (int i = 0; i < CALLS; i++) {
      glBeginQuery(GL_TIME_ELAPSED, queries[i]);
      glDrawArrays(feature->mode, 3 * i, 3);
      glEndQuery(GL_TIME_ELAPSED);
   }
   for (int i = 0; i < CALLS; i++)
      glGetQueryObjectuiv(queries[i], GL_QUERY_RESULT, &time_ns);
   glDeleteQueries(CALLS, queries);
}

/* Triangles that are drawn if the one before was seen. */
static void
draw_conditions(const struct feature *feature, const struct scene *scene)
{
   GLuint queries[CALLS];
   (void)scene;
   glGenQueries(CALLS, queries);
   for (int i = 0; i < CALLS; i++) {
      glBeginQuery(GL_ANY_SAMPLES_PASSED, queries[i]);
      glDrawArrays(feature->mode, 3 * i, 3);
      glEndQuery(GL_ANY_SAMPLES_PASSED);
      glBeginConditionalRender(queries[i], GL_QUERY_WAIT);
      glDrawArrays(feature->mode, 3 * (CALLS + i), 3);
      glEndConditionalRender();
   }
   glDeleteQueries(CALLS, queries);
}

/* ---- cases ---- */

#define PLACE                                                                                      \
   GL33_VERTEX                                                                                     \
      "out vec2 at;\n"                                                                             \
      "void main() { gl_Position = vec4(position, 0.2, 1.0); at = position * 0.5 + 0.5; }"
#define SHOW "in vec2 at; out vec4 colour;\n"
#define SHOWN GL33_HEAD SHOW "void main() { colour = vec4(at, 0.3, 0.5); }"
#define TWO_SOURCES                                                                                \
   GL33_HEAD "in vec2 at; layout(location = 0, index = 0) out vec4 colour;\n"                      \
             "layout(location = 0, index = 1) out vec4 factor;\n"                                  \
             "void main() { colour = vec4(at, 0.3, 0.5); factor = vec4(at.yx, 0.5, at.x); }"
#define FRAGMENT(...) GL33_HEAD SHOW "void main() { " __VA_ARGS__ " }"

/* A geometry shader; `from` gives the position of a vertex of the input. */
#define GEOMETRY(in_, out_, most_, ...)                                                            \
   GL33_HEAD "layout(" in_ ") in; layout(" out_ ", max_vertices = " most_ ") out;\n"               \
             "uniform float radius; out vec2 at;\n"                                                \
             "vec4 from(int i) { return gl_in[i].gl_Position; }\n"                                 \
             "void give(vec4 place, vec2 where) {\n"                                               \
             "   gl_Position = place; at = where; EmitVertex(); }\n"                               \
             "void main() { " __VA_ARGS__ " }"
#define PLAIN_VERTEX GL33_VERTEX "void main() { gl_Position = vec4(position, 0.2, 1.0); }"

#define GEOMETRIES(name_, mode_, size_, ...)                                                       \
   {                                                                                               \
      .name = "GL33 geometry: " name_, .set_up = set_small, .draw = draw_primitives,               \
      .mode = mode_, .size = size_, .vertex = PLAIN_VERTEX, .geometry = GEOMETRY(__VA_ARGS__),     \
      .fragment = SHOWN                                                                            \
   }
#define WHOLE(name_, set_up_, fragment_, ...)                                                      \
   {                                                                                               \
      .name = "GL33 " name_, .set_up = set_up_, .draw = draw_es3_quad, .vertex = PLACE,            \
      .fragment = fragment_, __VA_ARGS__                                                           \
   }
#define SMALL(name_, set_up_, draw_, fragment_, ...)                                               \
   {                                                                                               \
      .name = "GL33 " name_, .set_up = set_up_, .draw = draw_, .mode = GL_TRIANGLES, .size = 4,    \
      .fragment = fragment_, __VA_ARGS__                                                           \
   }

static const struct feature gl33[] = {
   GEOMETRIES("points to quads", GL_POINTS, 4, "points", "triangle_strip", "4",
              "for (int i = 0; i < 4; i++) {"
              "   vec2 corner = vec2(i & 1, i >> 1);"
              "   give(from(0) + vec4((corner * 2.0 - 1.0) * radius, 0, 0), corner); }"),
   GEOMETRIES("triangles as they are", GL_TRIANGLES, 4, "triangles", "triangle_strip", "3",
              "for (int i = 0; i < 3; i++) give(from(i), from(i).xy);"),
   GEOMETRIES("triangles with edges", GL_TRIANGLES, 10, "triangles", "triangle_strip", "3",
              "for (int i = 0; i < 3; i++) give(from(i), vec2(i == 0, i == 1));"),
   GEOMETRIES("lines to ribbons", GL_LINES, 4, "lines", "triangle_strip", "4",
              "vec2 way = normalize(from(1).xy - from(0).xy), side = vec2(-way.y, way.x) * radius;"
              "for (int i = 0; i < 4; i++)"
              "   give(from(i >> 1) + vec4(side * float(i & 1), 0, 0), vec2(i & 1, i >> 1));"),
   GEOMETRIES("triangles to lines", GL_TRIANGLES, 10, "triangles", "line_strip", "4",
              "for (int i = 0; i < 4; i++) give(from(i % 3), vec2(i, 0));"),
   GEOMETRIES("triangles left out", GL_TRIANGLES, 4, "triangles", "triangle_strip", "3",
              "if (from(0).x > 2.0) give(from(0), vec2(0));"),
   GEOMETRIES(
      "points to sixteen", GL_POINTS, 1, "points", "points", "16",
      "for (int i = 0; i < 16; i++) {"
      "   give(from(0) + vec4(vec2(i & 3, i >> 2) * 0.01, 0, 0), vec2(i)); EndPrimitive(); }"),
   { .name = "GL33 geometry: eight layers",
     .set_up = set_layers,
     .draw = draw_es3_quad,
     .vertex = PLAIN_VERTEX,
     .geometry = GEOMETRY("triangles", "triangle_strip", "24",
                          "for (int n = 0; n < 24; n++) {"
                          "   gl_Layer = n / 3; give(from(n % 3), from(n % 3).xy);"
                          "   if (n % 3 == 2) EndPrimitive(); }"),
     .fragment = SHOWN },

   WHOLE("samples: one of four", set_sampled,
         GL33_HEAD SHOW "uniform sampler2DMS image;\n"
                        "void main() { colour = texelFetch(image, ivec2(gl_FragCoord.xy), 2); }"),
   WHOLE("samples: mean of four", set_sampled,
         GL33_HEAD SHOW
         "uniform sampler2DMS image;\n"
         "void main() { ivec2 p = ivec2(gl_FragCoord.xy); colour = vec4(0);\n"
         "   for (int i = 0; i < 4; i++) colour += 0.25 * texelFetch(image, p, i); }"),
   WHOLE("samples: two of four drawn", set_masked, SHOWN, .size = 5),

   WHOLE("blend: two sources, colours", set_two_sources, TWO_SOURCES,
         .blend = { 0, GL_ONE, GL_ONE_MINUS_SRC1_COLOR }),
   WHOLE("blend: two sources, alpha", set_two_sources, TWO_SOURCES,
         .blend = { 0, GL_SRC1_ALPHA, GL_ONE_MINUS_SRC1_ALPHA }),

   WHOLE("lookup: buffer of RGBA8", set_buffer_texture,
         GL33_HEAD SHOW "uniform samplerBuffer table;\n"
                        "void main() { ivec2 p = ivec2(gl_FragCoord.xy) & 255;\n"
                        "   colour = texelFetch(table, p.y * 256 + p.x); }",
         .image = { .internal = GL_RGBA8 }),
   WHOLE("lookup: buffer of RGBA32F", set_buffer_texture,
         GL33_HEAD SHOW "uniform samplerBuffer table;\n"
                        "void main() { ivec2 p = ivec2(gl_FragCoord.xy) & 127;\n"
                        "   colour = texelFetch(table, p.y * 128 + p.x); }",
         .image = { .internal = GL_RGBA32F, .type = GL_FLOAT }),
   WHOLE("lookup: buffer of R32UI", set_buffer_texture,
         GL33_HEAD SHOW "uniform usamplerBuffer table;\n"
                        "void main() { ivec2 p = ivec2(gl_FragCoord.xy) & 255;\n"
                        "   colour = vec4(texelFetch(table, p.y * 256 + p.x).x & 255u) / 255.0; }",
         .image = { .internal = GL_R32UI }),
   WHOLE("lookup: rectangle, nearest", set_rectangle,
         GL33_HEAD SHOW "uniform sampler2DRect image;\n"
                        "void main() { colour = texture(image, at * 256.0); }",
         .image = { GL_TEXTURE_RECTANGLE, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE }),
   WHOLE("lookup: rectangle, linear", set_rectangle,
         GL33_HEAD SHOW "uniform sampler2DRect image;\n"
                        "void main() { colour = texture(image, at * 256.0); }",
         .image = { GL_TEXTURE_RECTANGLE, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE },
         .filter = { GL_LINEAR, GL_LINEAR }),

   SMALL("primitives: their numbers", set_small, draw_primitives,
         FRAGMENT("colour = vec4(at, float(gl_PrimitiveID & 255) / 255.0, 0.5);"), .vertex = PLACE),
   SMALL("primitives: flat, first vertex", set_first_vertex, draw_primitives,
         GL33_HEAD "flat in vec2 at; out vec4 colour; void main() { colour = vec4(at, 0.3, 0.5); }",
         .vertex =
            GL33_VERTEX "flat out vec2 at;\n"
                        "void main() { gl_Position = vec4(position, 0.2, 1.0); at = position; }"),

   SMALL("draws: 1000 base vertices", set_indices, draw_base_vertices, SHOWN, .vertex = PLACE),
   SMALL("draws: 1000 base vertices in a call", set_indices, draw_many_base_vertices, SHOWN,
         .vertex = PLACE),
   SMALL("draws: 1000 changes of the sampler", set_samplers, draw_with_samplers,
         GL33_HEAD SHOW "uniform sampler2D image; void main() { colour = texture(image, at); }",
         .vertex = PLACE, .image = { 0, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE }),
   SMALL("calls: 20 timers", set_small, draw_timed, SHOWN, .vertex = PLACE),
   SMALL("calls: 20 conditions", set_small, draw_conditions, SHOWN, .vertex = PLACE),
};

const struct feature_list features_of_gl33 = { gl33, sizeof gl33 / sizeof gl33[0], COST_CORE33 };
