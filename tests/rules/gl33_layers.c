/* SPDX-License-Identifier: MIT
 *
 * Geometry shaders (OpenGL 3.2, sections 2.12.4 and 4.4.7) that choose layers of array, 3D and cube
 * map targets; and which of a primitive's vertices flat outputs and gl_PrimitiveID come from
 * (section 2.18), by either convention.
 */
#include "gl33_rules.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE_PX = 16, MOST_LAYERS = 12, PRIMITIVES = 40 };

/* ------------------------------------------------------------------------------------- layers */

struct layered {
   GLenum target; /* GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP */
   int level, layers, side_px;
   GLuint color, depth, framebuffer; /* depth 0: none */
};

static GLuint
layered_texture(const struct layered *t, GLenum format)
{
   GLuint name;
   const int side_px = t->side_px << t->level;
   const bool is_3d = t->target == GL_TEXTURE_3D;
   glGenTextures(1, &name);
   glBindTexture(t->target, name);
   if (t->target == GL_TEXTURE_CUBE_MAP)
      glTexStorage2D(t->target, t->level + 1, format, side_px, side_px);
   else
      glTexStorage3D(t->target, t->level + 1, format, side_px, side_px,
                     is_3d ? t->layers << t->level : t->layers);
   return name;
}

/* Depths of 3D textures do not exist. */
static struct layered
random_layered(struct rules *r)
{
   static const GLenum targets[] = { GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D, GL_TEXTURE_CUBE_MAP };
   void (*attach)(GLenum, GLenum, GLuint, GLint) =
      (void (*)(GLenum, GLenum, GLuint, GLint))eglGetProcAddress("glFramebufferTexture");
   struct layered t = { .target = targets[r->n % 3], .side_px = SIDE_PX };
   t.level = rules_between(r, 0, 2);
   t.layers = t.target == GL_TEXTURE_CUBE_MAP ? 6 : rules_between(r, 1, MOST_LAYERS);
   t.color = layered_texture(&t, GL_RGBA32UI);
   glGenFramebuffers(1, &t.framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, t.framebuffer);
   attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t.color, t.level);
   if (t.target != GL_TEXTURE_3D && rules_chance(r, 50)) {
      t.depth = layered_texture(&t, GL_DEPTH_COMPONENT24);
      attach(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, t.depth, t.level);
   }
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      rules_fail(r, "target 0x%04x, level %d of %d layers: not complete", t.target, t.level,
                 t.layers);
   no_error("making a layered frame buffer");
   return t;
}

static void
delete_layered(struct layered *t)
{
   glDeleteFramebuffers(1, &t->framebuffer);
   glDeleteTextures(1, &t->color);
   glDeleteTextures(1, &t->depth);
}

/* A primitive is a point of a pixel, whose place, layer, depth and value are a row of dwords. */
struct layer_point {
   uint32_t place, layer, depth, value;
};

static const char layers_vertex[] = "in uvec4 point; out uvec4 p;\n"
                                    "void main() { p = point; gl_Position = vec4(0.0); }";

/* The first of two points goes into the layer after, so that an invocation has several layers. */
static const char layers_geometry[] =
   "layout(points) in; layout(points, max_vertices = 2) out;\n"
   "in uvec4 p[]; flat out uint value; uniform int layers;\n"
   "void main() {\n"
   "   for (int i = 0; i < 2; i++) {\n"
   "      uint place = p[0].x;\n"
   "      gl_Layer = (int(p[0].y) + 1 - i) % layers;\n"
   "      value = p[0].w + uint(i);\n"
   "      vec2 at = vec2(place % 16u, place / 16u);\n"
   "      gl_Position = vec4((at + 0.5) / 8.0 - 1.0, float(p[0].z) / 64.0 - 1.0, 1.0);\n"
   "      EmitVertex(); EndPrimitive(); } }";

static void
emulate_layers(const struct layered *t, const struct layer_point *points, uint32_t cleared,
               uint32_t (*image)[SIDE_PX * SIDE_PX])
{
   static uint32_t depth[MOST_LAYERS][SIDE_PX * SIDE_PX];
   for (int layer = 0; layer < t->layers; layer++) {
      for (int i = 0; i < SIDE_PX * SIDE_PX; i++)
         image[layer][i] = cleared, depth[layer][i] = UINT32_MAX;
   }
   for (int n = 0; n < PRIMITIVES; n++) {
      for (uint32_t i = 0; i < 2; i++) {
         const struct layer_point *p = &points[n];
         const uint32_t layer = (p->layer + 1 - i) % (uint32_t)t->layers;
         if (t->depth && p->depth >= depth[layer][p->place])
            continue;
         depth[layer][p->place] = p->depth;
         image[layer][p->place] = p->value + i;
      }
   }
}

static void
draw_layers(const struct layered *t, GLuint program, const struct layer_point *points,
            uint32_t cleared)
{
   const GLint at = glGetAttribLocation(program, "point");
   GLuint buffer;
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, PRIMITIVES * sizeof(*points), points, GL_STREAM_DRAW);
   glVertexAttribIPointer((GLuint)at, 4, GL_UNSIGNED_INT, 0, NULL);
   glEnableVertexAttribArray((GLuint)at);
   es3_uniform(program, "layers", t->layers);
   glViewport(0, 0, t->side_px, t->side_px);
   (t->depth ? glEnable : glDisable)(GL_DEPTH_TEST);
   glDepthFunc(GL_LESS);
   glClearBufferuiv(GL_COLOR, 0, (const GLuint[]){ cleared, cleared, cleared, cleared });
   if (t->depth)
      glClearBufferfv(GL_DEPTH, 0, (const float[]){ 1.0f });
   glDrawArrays(GL_POINTS, 0, PRIMITIVES);
   glDisable(GL_DEPTH_TEST);
   glDeleteBuffers(1, &buffer);
   no_error("drawing to layers");
}

static void
expect_layer(struct rules *r, const struct layered *t, int layer, const uint32_t *wanted)
{
   GLuint framebuffer;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   if (t->target == GL_TEXTURE_CUBE_MAP)
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                             GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)layer, t->color, t->level);
   else
      glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, t->color, t->level, layer);
   uint32_t *have = es3_read_uint(r, t->side_px, t->side_px);
   for (int i = 0; i < t->side_px * t->side_px; i++) {
      if (have[4 * i] != wanted[i])
         rules_fail(r, "target 0x%04x, layer %d of %d, pixel (%d, %d): %u, not %u", t->target,
                    layer, t->layers, i % t->side_px, i / t->side_px, have[4 * i], wanted[i]);
   }
   free(have);
   glDeleteFramebuffers(1, &framebuffer);
}

void
gl33_layers(struct rules *r)
{
   static uint32_t wanted[MOST_LAYERS][SIDE_PX * SIDE_PX];
   const GLuint program =
      gl33_program(r, &(struct gl33_stages){ .vertex = layers_vertex,
                                             .geometry = layers_geometry,
                                             .fragment = "flat in uint value; out uvec4 v;\n"
                                                         "void main() { v = uvec4(value); }" });
   while (rules_next(r)) {
      struct layer_point points[PRIMITIVES];
      struct layered t = random_layered(r);
      const uint32_t cleared = rules_below(r, 1000);
      for (int i = 0; i < PRIMITIVES; i++)
         points[i] = (struct layer_point){ .place = rules_below(r, SIDE_PX * SIDE_PX / 4),
                                           .layer = rules_below(r, (uint32_t)t.layers),
                                           .depth = rules_below(r, 128),
                                           .value = rules_below(r, 1u << 30) };
      draw_layers(&t, program, points, cleared);
      emulate_layers(&t, points, cleared, wanted);
      for (int layer = 0; layer < t.layers; layer++)
         expect_layer(r, &t, layer, wanted[layer]);
      delete_layered(&t);
   }
   glDeleteProgram(program);
}

/* ------------------------------------------------------------------------------- fewer layers */

enum { FEWER_TEXTURES = 5 };

/* Textures of an array, one after the other in memory; of each its layers. */
struct fewer {
   GLuint texture[FEWER_TEXTURES];
   int layers[FEWER_TEXTURES];
   uint32_t value[FEWER_TEXTURES]; /* of all pixels */
};

static void
make_fewer(struct rules *r, struct fewer *f)
{
   uint32_t pixels[MOST_LAYERS * SIDE_PX * SIDE_PX];
   for (int i = 0; i < FEWER_TEXTURES; i++) {
      struct layered t = { .target = GL_TEXTURE_2D_ARRAY, .side_px = SIDE_PX };
      t.layers = f->layers[i] = rules_between(r, 1, MOST_LAYERS);
      f->texture[i] = layered_texture(&t, GL_R32UI);
      f->value[i] = rules_below(r, 1u << 30);
      for (int p = 0; p < f->layers[i] * SIDE_PX * SIDE_PX; p++)
         pixels[p] = f->value[i];
      glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0, SIDE_PX, SIDE_PX, f->layers[i],
                      GL_RED_INTEGER, GL_UNSIGNED_INT, pixels);
   }
   no_error("making arrays");
}

/* Layers that all targets have, or of a texture that is no target. */
static void
expect_fewer(struct rules *r, const struct fewer *f, int i, int layers, uint32_t wanted)
{
   uint32_t all[SIDE_PX * SIDE_PX];
   const struct layered t = { GL_TEXTURE_2D_ARRAY, 0, layers, SIDE_PX, f->texture[i], 0, 0 };
   for (int p = 0; p < SIDE_PX * SIDE_PX; p++)
      all[p] = wanted;
   for (int layer = 0; layer < layers; layer++)
      expect_layer(r, &t, layer, all);
}

/* Draw to all layers of two of them, or clear them. */
static void
draw_fewer(struct rules *r, const struct fewer *f, GLuint program, const int target[2],
           uint32_t value)
{
   void (*attach)(GLenum, GLenum, GLuint, GLint) =
      (void (*)(GLenum, GLenum, GLuint, GLint))eglGetProcAddress("glFramebufferTexture");
   GLuint framebuffer;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   for (GLuint i = 0; i < 2; i++)
      attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + i, f->texture[target[i]], 0);
   glDrawBuffers(2, (const GLenum[]){ GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1 });
   es3_uniform(program, "value", (int)value);
   glViewport(0, 0, SIDE_PX, SIDE_PX);
   if (rules_chance(r, 50)) {
      glDrawArrays(GL_POINTS, 0, 1);
   } else {
      for (GLint i = 0; i < 2; i++)
         glClearBufferuiv(GL_COLOR, i, (const GLuint[]){ value + (GLuint)i, 0, 0, 0 });
   }
   no_error("drawing to fewer layers");
   glDeleteFramebuffers(1, &framebuffer);
}

/* Two targets with different numbers of layers: what a layer gets that one of them lacks is not
 * defined (section 4.4.7), but no other texture changes. */
void
gl33_fewer_layers(struct rules *r)
{
   const GLuint program = gl33_program(
      r, &(struct gl33_stages){
            .vertex = "void main() { gl_Position = vec4(0.0); }",
            .geometry = "layout(points) in; layout(triangle_strip, max_vertices = 48) out;\n"
                        "void main() { for (int i = 0; i < 48; i++) {\n"
                        "   gl_Layer = i / 4;\n"
                        "   gl_Position = vec4(2.0 * vec2(i & 1, i >> 1 & 1) - 1.0, 0.0, 1.0);\n"
                        "   EmitVertex(); if (i % 4 == 3) EndPrimitive(); } }",
            .fragment = "layout(location = 0) out uvec4 a; layout(location = 1) out uvec4 b;\n"
                        "uniform int value;\n"
                        "void main() { a = uvec4(value); b = uvec4(value + 1); }" });
   while (rules_next(r)) {
      struct fewer f;
      make_fewer(r, &f);
      const int a = rules_between(r, 0, FEWER_TEXTURES - 1),
                b = (a + rules_between(r, 1, FEWER_TEXTURES - 1)) % FEWER_TEXTURES,
                both = f.layers[a] < f.layers[b] ? f.layers[a] : f.layers[b];
      const uint32_t value = rules_below(r, 1u << 30);
      draw_fewer(r, &f, program, (const int[]){ a, b }, value);
      for (int i = 0; i < FEWER_TEXTURES; i++)
         expect_fewer(r, &f, i, i == a || i == b ? both : f.layers[i],
                      i == a   ? value
                      : i == b ? value + 1
                               : f.value[i]);
      glDeleteTextures(FEWER_TEXTURES, f.texture);
   }
   glDeleteProgram(program);
}

/* --------------------------------------------------------------------------------------- flat */

/* Each invocation draws a cell of 4 x 4 pixels: two points, three lines of a strip, or two
 * triangles of one. A pixel of each primitive is looked at. */
static const struct flat_kind {
   const char *layout;
   int vertices;       /* emitted */
   int place_px[4][2]; /* of each in the cell */
   int primitives;
   struct {
      int x_px, y_px, first, last; /* a pixel of the primitive alone; its vertices by convention */
   } seen[3];
} flat_kinds[] = {
   { "points", 2, { { 0, 0 }, { 3, 2 } }, 2, { { 0, 0, 0, 0 }, { 3, 2, 1, 1 } } },
   { "line_strip",
     4,
     { { 0, 0 }, { 3, 0 }, { 3, 3 }, { 0, 3 } },
     3,
     { { 1, 0, 0, 1 }, { 3, 1, 1, 2 }, { 2, 3, 2, 3 } } },
   { "triangle_strip",
     4,
     { { 0, 0 }, { 3, 0 }, { 0, 3 }, { 3, 3 } },
     2,
     { { 1, 1, 0, 2 }, { 2, 2, 1, 3 } } },
};

static GLuint
flat_program(const struct rules *r, const struct flat_kind *kind)
{
   char geometry[1200], places[200] = "";
   for (int i = 0; i < kind->vertices; i++)
      snprintf(places + strlen(places), sizeof(places) - strlen(places), "%sivec2(%d, %d)",
               i ? ", " : "", kind->place_px[i][0], kind->place_px[i][1]);
   snprintf(geometry, sizeof(geometry),
            "layout(points) in; layout(%s, max_vertices = %d) out;\n"
            "in uint number[]; flat out uvec2 flat_value; out float smooth_value;\n"
            "void main() {\n"
            "   ivec2 places[%d] = ivec2[%d](%s);\n"
            "   ivec2 cell = 4 * ivec2(number[0] %% 4u, number[0] / 4u);\n"
            "   for (int i = 0; i < %d; i++) {\n"
            "      flat_value = uvec2(number[0], i); smooth_value = 1.0;\n"
            "      gl_PrimitiveID = 100 * int(number[0]) + i;\n"
            "      gl_Position = vec4((vec2(cell + places[i]) + 0.5) / 8.0 - 1.0, 0.0, 1.0);\n"
            "      EmitVertex(); } }",
            kind->layout, kind->vertices, kind->vertices, kind->vertices, places, kind->vertices);
   return gl33_program(
      r, &(struct gl33_stages){ .vertex = "out uint number;\n"
                                          "void main() { number = uint(gl_VertexID); }",
                                .geometry = geometry,
                                .fragment = "flat in uvec2 flat_value; in float smooth_value;\n"
                                            "out uvec4 v; void main() {\n"
                                            "   v = uvec4(flat_value, uint(gl_PrimitiveID),\n"
                                            "             uint(smooth_value + 0.5)); }" });
}

void
gl33_flat(struct rules *r)
{
   enum { FIRST = 0x8E4D, LAST = 0x8E4E, CELLS = 16 };
   void (*provoking)(GLenum) = (void (*)(GLenum))eglGetProcAddress("glProvokingVertex");
   struct es3_target target = es3_target_create(GL_RGBA32UI, SIDE_PX, SIDE_PX);
   while (rules_next(r)) {
      const struct flat_kind *kind = &flat_kinds[(size_t)r->n % COUNT(flat_kinds)];
      const bool first = rules_chance(r, 50);
      const int begin = rules_between(r, 0, CELLS - 1), end = rules_between(r, begin + 1, CELLS);
      const GLuint program = flat_program(r, kind);
      provoking(first ? FIRST : LAST);
      glClearBufferuiv(GL_COLOR, 0, (const GLuint[]){ 9999, 9999, 9999, 9999 });
      glDrawArrays(GL_POINTS, begin, end - begin);
      no_error("drawing cells");
      uint32_t *have = es3_read_uint(r, SIDE_PX, SIDE_PX);
      for (int i = 0; i < kind->primitives * CELLS; i++) {
         const int cell = i / kind->primitives, n = i % kind->primitives;
         const uint32_t vertex = (uint32_t)(first ? kind->seen[n].first : kind->seen[n].last);
         const int x = 4 * (cell % 4) + kind->seen[n].x_px, y = 4 * (cell / 4) + kind->seen[n].y_px;
         const uint32_t *pixel = have + 4 * (x + SIDE_PX * y);
         const bool drawn = cell >= begin && cell < end;
         const uint32_t wanted[4] = { (uint32_t)cell, vertex, 100 * (uint32_t)cell + vertex, 1 },
                        none[4] = { 9999, 9999, 9999, 9999 };
         if (memcmp(pixel, drawn ? wanted : none, sizeof(wanted)) != 0)
            rules_fail(r, "%s, %s vertex, primitive %d of cell %d: %u %u %u %u", kind->layout,
                       first ? "first" : "last", n, cell, pixel[0], pixel[1], pixel[2], pixel[3]);
      }
      free(have);
      glDeleteProgram(program);
   }
   provoking(LAST);
   es3_target_delete(&target);
}
