/* SPDX-License-Identifier: MIT
 *
 * Which pixels primitives have, OpenGL ES 2.0 sections 2.13 (clipping) and 3.3 to 3.5 (points,
 * lines, polygons).
 */
#include "raster_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------- points */

static float
random_point_size(struct rules *r, float most)
{
   /* Sizes below the least are clamped to it: one pixel for all drivers of Mesa. */
   static const float special[] = { 1, 2, 3, 1.5f, 0.5f, 0.125f, 1.0625f, 7.5f, 63, 64 };
   if (r->n == 0)
      return most;
   if (r->n == 1)
      return most * 2;
   return rules_chance(r, 50) ? rules_pick(r, special) : rules_between(r, 8, 8 * 24) / 8.0f;
}

static void
points(struct rules *r)
{
   struct scene *s = scene_create(count_vertex, count_fragment);
   GLfloat range[2];
   glGetFloatv(GL_ALIASED_POINT_SIZE_RANGE, range);
   while (rules_next(r)) {
      scene_begin(r, s);
      random_viewport(r, s);
      const int count = rules_between(r, 1, 12);
      for (int i = 0; i < count; i++) {
         random_window_vertex(r, s, i);
         const float size_px = random_point_size(r, range[1]);
         s->vertices[i][4] = size_px;
         ref_point(&s->raster, &s->reference[i], fmin(fmax(size_px, range[0]), range[1]));
      }
      glDrawArrays(GL_POINTS, 0, count);
      scene_end(r, s, exactly, "points");
   }
   free(s);
}

static void
set_coordinates(void *user, const struct ref_fragment *f)
{
   struct scene *s = user;
   uint8_t *pixel = s->expected + 4 * (f->y * SIZE_PX + f->x);
   pixel[0] = (uint8_t)floor(f->point[0] * 255 + 0.5);
   pixel[1] = (uint8_t)floor(f->point[1] * 255 + 0.5);
   pixel[2] = pixel[3] = 255;
}

static void
point_coordinates(struct rules *r)
{
   struct scene *s = scene_create(count_vertex, "precision mediump float;\n"
                                                "void main() { gl_FragColor = vec4(gl_PointCoord, 1, 1); }\n");
   s->raster.emit = set_coordinates;
   glDisable(GL_BLEND);
   GLfloat range[2];
   glGetFloatv(GL_ALIASED_POINT_SIZE_RANGE, range);
   while (rules_next(r)) {
      scene_begin(r, s);
      random_viewport(r, s);
      random_window_vertex(r, s, 0);
      const float size_px = random_point_size(r, range[1]);
      s->vertices[0][4] = size_px;
      ref_point(&s->raster, &s->reference[0], fmin(fmax(size_px, range[0]), range[1]));
      glDrawArrays(GL_POINTS, 0, 1);
      /* A value in the middle of two bytes may become either. */
      scene_end(r, s, (const int[4]){ 1, 1, 0, 0 }, "gl_PointCoord");
   }
   free(s);
}

/* ------------------------------------------------------------------------------------ triangles */

static void
cull_triangle(struct scene *s, GLenum culled, int a, int b, int c)
{
   const struct ref_vertex v[3] = { s->reference[a], s->reference[b], s->reference[c] };
   const bool front = (ref_area_sign(v) > 0) != s->raster.front_is_cw;
   if (culled == GL_FRONT_AND_BACK || culled == (front ? GL_FRONT : GL_BACK))
      return;
   ref_triangle(&s->raster, v);
}

/* Section 2.6.1: the triangles of a mode, with their order of vertices, which facing follows
 * from. */
static void
expect_triangles(struct scene *s, GLenum mode, GLenum culled, const uint16_t *index, int count)
{
   if (mode == GL_TRIANGLES) {
      for (int i = 0; i + 2 < count; i += 3)
         cull_triangle(s, culled, index[i], index[i + 1], index[i + 2]);
   } else if (mode == GL_TRIANGLE_STRIP) {
      for (int i = 0; i + 2 < count; i++)
         cull_triangle(s, culled, index[i + (i & 1)], index[i + !(i & 1)], index[i + 2]);
   } else {
      for (int i = 1; i + 1 < count; i++)
         cull_triangle(s, culled, index[0], index[i], index[i + 1]);
   }
}

/* Multiplies each vertex by a power of two of its own: it is the same point, so the same pixels are
 * covered. */
static void
scale_vertices(struct rules *r, struct scene *s, int count, int most)
{
   for (int i = 0; i < count; i++) {
      const int exponent = rules_between(r, -most, most);
      for (int c = 0; c < 4; c++)
         s->vertices[i][c] = ldexpf(s->vertices[i][c], exponent);
   }
}

static void
random_scissor(struct rules *r, struct scene *s)
{
   static const int boxes[][4] = { { 0, 0, 0, 0 }, { 5, 5, 1, 1 }, { -30, -30, 60, 60 }, { 40, 40, INT32_MAX - 40, INT32_MAX - 40 },
                                   { 70, 0, 20, 20 }, { INT32_MIN / 2, INT32_MIN / 2, INT32_MAX, INT32_MAX } };
   int box[4] = { rules_between(r, -10, 60), rules_between(r, -10, 60), rules_between(r, 0, 70), rules_between(r, 0, 70) };
   if (rules_chance(r, 50)) {
      glDisable(GL_SCISSOR_TEST);
      return;
   }
   if (rules_chance(r, 40))
      memcpy(box, rules_pick(r, boxes), sizeof(box));
   glEnable(GL_SCISSOR_TEST);
   glScissor(box[0], box[1], box[2], box[3]);
   for (int i = 0; i < PIXELS; i++) {
      const int64_t x = i % SIZE_PX, y = i / SIZE_PX;
      if (x < box[0] || y < box[1] || x >= (int64_t)box[0] + box[2] ||
          y >= (int64_t)box[1] + box[3])
         memset(s->expected + 4 * i, 0, 4);
   }
}

static void
triangles(struct rules *r)
{
   static const GLenum modes[] = { GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN };
   static const GLenum faces[] = { GL_FRONT, GL_BACK, GL_FRONT_AND_BACK, 0, 0, 0 };
   struct scene *s = scene_create(count_vertex, count_fragment);
   while (rules_next(r)) {
      glDisable(GL_SCISSOR_TEST);
      scene_begin(r, s);
      if (rules_chance(r, 30))
         set_viewport(s, rules_between(r, -99, 60), rules_between(r, -99, 60),
                      rules_between(r, 0, 200), rules_between(r, 0, 200));
      const int vertices = rules_between(r, 3, 12), count = rules_between(r, 0, 15);
      const GLenum mode = rules_pick(r, modes), culled = rules_pick(r, faces);
      uint16_t index[16];
      for (int i = 0; i < vertices; i++)
         random_clip_vertex(r, s, i);
      for (int i = 0; i < count; i++)
         index[i] = (uint16_t)rules_below(r, (uint32_t)vertices);
      s->raster.front_is_cw = rules_chance(r, 50);
      glFrontFace(s->raster.front_is_cw ? GL_CW : GL_CCW);
      (culled ? glEnable : glDisable)(GL_CULL_FACE);
      glCullFace(culled ? culled : GL_BACK);
      expect_triangles(s, mode, culled, index, count);
      random_scissor(r, s);
      if (rules_chance(r, 30))
         scale_vertices(r, s, vertices, rules_chance(r, 50) ? 20 : 90);
      glDrawElements(mode, count, GL_UNSIGNED_SHORT, index);
      scene_end(r, s, exactly, "triangles");
   }
   free(s);
}

/* Triangles with a vertex that is no number, or infinite, are not drawn (GL leaves their place
 * open), others are. */
static void
not_finite(struct rules *r)
{
   static const float strange[] = { INFINITY, -INFINITY, NAN };
   static const GLenum modes[] = { GL_POINTS,    GL_LINES,          GL_LINE_STRIP,  GL_LINE_LOOP,
                                   GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN };
   struct scene *s = scene_create(count_vertex, count_fragment);
   while (rules_next(r)) {
      scene_begin(r, s);
      for (int i = 0; i < 30; i++)
         random_clip_vertex(r, s, i);
      for (int i = 0; i < 30; i += 3) {
         if (rules_chance(r, 50))
            s->vertices[i + rules_below(r, 3)][rules_below(r, 4)] = rules_pick(r, strange);
         else
            ref_triangle(&s->raster, s->reference + i);
      }
      glDrawArrays(GL_TRIANGLES, 0, 30);
      scene_end(r, s, exactly, "triangles beside some that are not finite");

      /* All modes and sizes: nothing is promised but that it ends. */
      for (int i = 0; i < 30; i++) {
         s->vertices[i][rules_below(r, 5)] =
            rules_chance(r, 50) ? rules_pick(r, strange)
                                : ldexpf(rules_float(r, -1, 1), rules_between(r, -149, 128));
      }
      glLineWidth(rules_float(r, 0.1f, 20));
      glDrawArrays(rules_pick(r, modes), 0, 30);
      uint8_t *pixels = rules_read(r, SIZE_PX, SIZE_PX);
      free(pixels);
   }
   free(s);
}

static void
set_shares(void *user, const struct ref_fragment *f)
{
   struct scene *s = user;
   uint8_t *pixel = s->expected + 4 * (f->y * SIZE_PX + f->x);
   for (int c = 0; c < 3; c++)
      pixel[c] = (uint8_t)floor(f->share[c] * 255 + 0.5);
   pixel[3] = 255;
}

/* Perspective-correct interpolation, section 3.5.1 equation 3.6, with vertices anywhere. */
static void
varyings(struct rules *r)
{
   struct scene *s = scene_create(plain_vertex, plain_fragment);
   s->raster.emit = set_shares;
   glDisable(GL_BLEND);
   while (rules_next(r)) {
      scene_begin(r, s);
      for (int i = 0; i < 3; i++) {
         random_clip_vertex(r, s, i);
         for (int c = 0; c < 4; c++)
            s->vertices[i][4 + c] = c == i || c == 3;
      }
      ref_triangle(&s->raster, s->reference);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      scene_end(r, s, (const int[4]){ 1, 1, 1, 0 }, "varyings");
   }
   free(s);
}

/* ---------------------------------------------------------------------------------- all of them */

/* At the far end of the largest framebuffer primitives have the pixels that they have at its
 * beginning. */
static void
far_away(struct rules *r)
{
   static const GLenum modes[] = { GL_POINTS, GL_LINES, GL_LINE_STRIP, GL_TRIANGLES,
                                   GL_TRIANGLE_STRIP };
   enum { FAR_PX = 8192, MOST = 9, W = 8 * FAR_PX };
   struct scene *s = scene_create(count_vertex, count_fragment);
   GLint most_px;
   glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most_px);
   if (most_px < FAR_PX)
      rules_skip("no framebuffer is that large");
   struct target target = target_create(FAR_PX, SIZE_PX);
   uint8_t *near = malloc(4 * PIXELS), *far = malloc(4 * PIXELS);
   while (rules_next(r)) {
      const GLenum mode = rules_pick(r, modes);
      int width, at[MOST][2];
      random_line_width(r, &width);
      for (int i = 0; i < MOST; i++) {
         at[i][0] = random_coordinate(r, 0, SIZE_PX);
         at[i][1] = random_coordinate(r, 0, SIZE_PX);
         s->vertices[i][4] = rules_float(r, 1, 20);
      }
      for (int pass = 0; pass < 2; pass++) {
         const int offset_px = pass ? FAR_PX - SIZE_PX : 0;
         for (int i = 0; i < MOST; i++)
            set_vertex(s, i,
                       (int64_t[4]){ at[i][0] + 16 * offset_px - W,
                                     (at[i][1] - 8 * SIZE_PX) * (FAR_PX / SIZE_PX), 0, W });
         glEnable(GL_SCISSOR_TEST);
         glScissor(offset_px, 0, SIZE_PX, SIZE_PX);
         glClear(GL_COLOR_BUFFER_BIT);
         glDrawArrays(mode, 0, MOST);
         glReadPixels(offset_px, 0, SIZE_PX, SIZE_PX, GL_RGBA, GL_UNSIGNED_BYTE, pass ? far : near);
      }
      rules_hash(r, far, 4 * PIXELS);
      rules_expect(r, SIZE_PX, SIZE_PX, far, near, exactly, "far from the origin, and near");
   }
   free(near);
   free(far);
   target_delete(&target);
   free(s);
}

static const struct rule table[] = {
   { "points", RULE_ES2, 300, points },
   { "point-coordinates", RULE_ES2, 200, point_coordinates },
   { "lines", RULE_ES2, 400, rule_lines },
   { "line-varyings", RULE_ES2, 200, rule_line_varyings },
   { "widest-line", RULE_ES2, 3, rule_widest_line },
   { "line-strips", RULE_ES2, 200, rule_line_strips },
   { "line-loops", RULE_ES2, 200, rule_line_loops },
   { "lines-cut-by-the-viewport", RULE_ES2, 300, rule_lines_cut_by_the_viewport },
   { "lines-behind-the-eye", RULE_ES2, 200, rule_lines_behind_the_eye },
   { "triangles", RULE_ES2, 400, triangles },
   { "varyings", RULE_ES2, 200, varyings },
   { "far-away", RULE_ES2, 100, far_away },
   { "not-finite", RULE_ES2, 200, not_finite },
};

int
main(int argc, char **argv)
{
   return rules_main(argc, argv, table, sizeof(table) / sizeof(table[0]));
}
