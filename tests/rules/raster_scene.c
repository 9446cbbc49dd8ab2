/* SPDX-License-Identifier: MIT */
#include "raster_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char count_vertex[] =
   "attribute vec4 position, colour;\n"
   "void main() { gl_Position = position; gl_PointSize = colour.x; }\n";
const char count_fragment[] = "void main() { gl_FragColor = vec4(1.0 / 255.0); }\n";

static void
add_one(void *user, const struct ref_fragment *f)
{
   struct scene *s = user;
   for (int c = 0; c < 4; c++)
      s->expected[4 * (f->y * SIZE_PX + f->x) + c]++;
}

struct scene *
scene_create(const char *vertex, const char *fragment)
{
   struct scene *s = calloc(1, sizeof(*s));
   s->targets[1] = target_create_pbuffer(eglGetCurrentDisplay(), SIZE_PX, SIZE_PX);
   s->targets[0] = target_create(SIZE_PX, SIZE_PX);
   s->raster =
      (struct ref_raster){ .width_px = SIZE_PX, .height_px = SIZE_PX, .emit = add_one, .user = s };
   program_create(vertex, fragment);
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(s->vertices[0]), s->vertices[0]);
   glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof(s->vertices[0]), s->vertices[0] + 4);
   glClearColor(0, 0, 0, 0);
   glBlendFunc(GL_ONE, GL_ONE);
   glEnable(GL_BLEND);
   glDisable(GL_DITHER);
   return s;
}

void
set_viewport(struct scene *s, int x, int y, int width, int height)
{
   s->raster.viewport = (struct ref_viewport){ x, y, width, height, 0, 1 };
   glViewport(x, y, width, height);
}

void
scene_begin(struct rules *r, struct scene *s)
{
   s->target = &s->targets[rules_below(r, 2)];
   target_bind(s->target);
   set_viewport(s, 0, 0, SIZE_PX, SIZE_PX);
   glClear(GL_COLOR_BUFFER_BIT);
   memset(s->expected, 0, sizeof(s->expected));
}

void
scene_end(struct rules *r, struct scene *s, const int lsb[4], const char *what)
{
   uint8_t *have = rules_read(r, SIZE_PX, SIZE_PX);
   rules_expect(r, SIZE_PX, SIZE_PX, have, s->expected, lsb, what);
   free(have);
}

void
expect_what_is_drawn(struct rules *r, struct scene *s)
{
   uint8_t *drawn = rules_read(r, SIZE_PX, SIZE_PX);
   memcpy(s->expected, drawn, sizeof(s->expected));
   free(drawn);
}

const int exactly[4];

void
random_viewport(struct rules *r, struct scene *s)
{
   if (rules_chance(r, 50))
      set_viewport(s, rules_between(r, -20, 50), rules_between(r, -20, 50), 8 << rules_below(r, 5),
                   8 << rules_below(r, 5));
}

void
set_vertex(struct scene *s, int i, const int64_t clip[4])
{
   for (int c = 0; c < 4; c++) {
      s->reference[i].clip[c] = clip[c];
      s->vertices[i][c] = (float)clip[c];
   }
}

void
set_window_vertex(struct rules *r, struct scene *s, int i, int x16, int y16, int z)
{
   const struct ref_viewport *v = &s->raster.viewport;
   /* x_ndc = 2 (x16 / 16 - v.x) / width - 1, over a common denominator, a power of two. */
   const int64_t w = 4096 << rules_below(r, 3);
   set_vertex(s, i,
              (int64_t[4]){ (x16 - 16 * v->x) * (w / (8 * v->width)) - w,
                            (y16 - 16 * v->y) * (w / (8 * v->height)) - w, z * (w / 256), w });
}

int
random_coordinate(struct rules *r, int begin_px, int size_px)
{
   const int near_viewport = rules_between(r, 16 * (begin_px - 4), 16 * (begin_px + size_px + 4));
   switch (rules_below(r, 6)) {
   case 0: return near_viewport / 16 * 16;
   case 1: return near_viewport / 16 * 16 + 8;
   case 2: return 16 * begin_px + rules_between(r, -20, 20);
   case 3: return 16 * (begin_px + size_px) + rules_between(r, -20, 20);
   default: return near_viewport;
   }
}

void
random_window_vertex(struct rules *r, struct scene *s, int i)
{
   static const int depths[] = { 0, 256, -256, 257, -257, 100 };
   const struct ref_viewport *v = &s->raster.viewport;
   const int x16 = random_coordinate(r, v->x, v->width),
             y16 = random_coordinate(r, v->y, v->height);
   set_window_vertex(r, s, i, x16, y16, rules_pick(r, depths));
}

void
random_clip_vertex(struct rules *r, struct scene *s, int i)
{
   const int limit = rules_chance(r, 50) ? 4 : rules_chance(r, 80) ? 100 : 100000, most_z = rules_chance(r, 70) ? limit / 4 : limit;
   const int64_t w = rules_chance(r, 70) ? rules_between(r, 1, limit) : rules_between(r, -limit, limit);
   set_vertex(s, i, (int64_t[4]){ rules_between(r, -limit, limit), rules_between(r, -limit, limit),
                                  rules_between(r, -most_z, most_z), w });
}

float
random_line_width(struct rules *r, int *drawn_px)
{
   static const float widths[] = { 1, 1, 1, 2, 3, 4, 5, 8, 15, 16, 0.25f, 1.25f, 1.75f, 4.75f };
   GLfloat range[2];
   glGetFloatv(GL_ALIASED_LINE_WIDTH_RANGE, range);
   const float width = fminf(rules_pick(r, widths), range[1]);
   *drawn_px = (int)floorf(fmaxf(width, 1) + 0.5f);
   glLineWidth(width);
   return width;
}
