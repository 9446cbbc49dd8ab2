/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_texels.h"

struct cf_sim_samples
cf_sim_samples_of(const struct cf_sim_layout *layout, const struct cf_sim_chunk *chunk,
                  const struct cf_sim_item *item)
{
   const uint32_t *record = cf_sim_item_record(chunk, item);
   const struct cf_sim_tile *tile = &chunk->tile[item->tile];
   return (struct cf_sim_samples){ .layout = layout,
                                   .op = &chunk->op[item->op],
                                   .dw = record + cf_sim_dwords(record[0]),
                                   .end = tile->dw + tile->count,
                                   .quad = item->quad };
}

/* The texture that a record's unit has; NULL: it is not described. */
static const struct cf_sim_placed_texture *
texture_of(const struct cf_sim_samples *s, uint32_t head)
{
   const uint32_t number = s->op->texture[head >> 16 & 31];
   return number < s->layout->textures ? &s->layout->texture[number] : NULL;
}

static uint32_t
level_of(uint32_t head)
{
   return head >> 21 & 15;
}

/* The half of its line in which a texel lies. */
static uint32_t
half_of(const struct cf_sim_placed_texture *t, uint32_t x_px, uint32_t y_px)
{
   return t->y_shift > 0   ? y_px >> (t->y_shift - 1) & 1
          : t->x_shift > 0 ? x_px >> (t->x_shift - 1) & 1
                           : 0;
}

void
cf_sim_sample_lines_add(struct cf_sim_sample_lines *lines, const struct cf_sim_placed_texture *t,
                        uint32_t level, uint32_t layer, uint32_t x_px, uint32_t y_px)
{
   cf_sim_sample_lines_add_word(
      lines, 2 * cf_sim_layout_texel(t, level, layer, x_px >> t->x_shift, y_px >> t->y_shift) +
                half_of(t, x_px, y_px));
}

/* Along one axis: the numbers of texels of a quad's lanes, the next lane's in the lowest bits. */
struct quad_axis {
   uint64_t numbers;
   uint32_t by, next, zero;
};

/* Along one axis: the numbers of a lane's two texels. */
struct axis_texels {
   uint32_t first, second;
};

static struct quad_axis
quad_axis_of(const uint32_t *pairs, uint32_t by, uint32_t next, uint32_t zero, uint32_t quad)
{
   return (struct quad_axis){ .numbers = pairs[2 * quad] | (uint64_t)pairs[2 * quad + 1] << 32,
                              .by = by & 0xffff,
                              .next = next >> 4 * quad,
                              .zero = (zero & ~next) >> 4 * quad };
}

static inline struct axis_texels
next_lane(struct quad_axis *a)
{
   const uint32_t first = ((uint32_t)a->numbers + a->by) & 0xffff,
                  second = (first + (a->next & 1)) & 0xffff & ((a->zero & 1) - 1);
   a->numbers >>= 16;
   a->next >>= 1;
   a->zero >>= 1;
   return (struct axis_texels){ first, second };
}

/* A quad's part of a SAMPLE. */
struct quad_sample {
   const struct cf_sim_placed_texture *texture; /* NULL: it is not described */
   uint32_t level, layer;
   struct quad_axis x, y;
   bool four;
};

static struct quad_sample
quad_sample_of(const struct cf_sim_samples *s, const uint32_t *dw)
{
   const bool moved = dw[0] >> CF_SIM_MOVED_BIT & 1;
   const uint32_t *own = moved ? s->own : dw, *x = own + CF_SIM_SAMPLE_DW,
                  *y = x + (cf_sim_dwords(own[0]) - CF_SIM_SAMPLE_DW) / 2,
                  by = moved ? dw[CF_SIM_SAMPLE_DW] : 0;
   return (struct quad_sample){ .texture = texture_of(s, dw[0]),
                                .level = level_of(dw[0]),
                                .layer = dw[2] & 0xffff,
                                .x = quad_axis_of(x, by, dw[3], dw[5], s->quad),
                                .y = quad_axis_of(y, by >> 16, dw[4], dw[6], s->quad),
                                .four = dw[0] >> 25 & 1 };
}

/* The words of lanes of the quad, whose texels of one word come once, and their lines. */
static void
add_words(const struct quad_sample *f, uint32_t lanes, struct cf_sim_sample_lines *lines)
{
   const struct cf_sim_placed_texture *t = f->texture;
   const uint32_t x_shift = t->y_shift == 0 && t->x_shift > 0 ? t->x_shift - 1 : t->x_shift,
                  y_shift = t->y_shift > 0 ? t->y_shift - 1 : 0; /* of words, which are halves */
   struct quad_axis x_axis = f->x, y_axis = f->y;
   for (; lanes; lanes >>= 1) {
      const struct axis_texels x = next_lane(&x_axis), y = next_lane(&y_axis);
      const bool two_x = f->four && x.first >> x_shift != x.second >> x_shift,
                 two_y = f->four && y.first >> y_shift != y.second >> y_shift;
      if (!(lanes & 1))
         continue;
      cf_sim_sample_lines_add(lines, t, f->level, f->layer, x.first, y.first);
      if (two_x)
         cf_sim_sample_lines_add(lines, t, f->level, f->layer, x.second, y.first);
      if (two_y)
         cf_sim_sample_lines_add(lines, t, f->level, f->layer, x.first, y.second);
      if (two_x && two_y)
         cf_sim_sample_lines_add(lines, t, f->level, f->layer, x.second, y.second);
   }
}

/* The lines of lanes, in the same order. Most lanes have those of the lane before. */
static void
add_lines(const struct quad_sample *f, uint32_t lanes, struct cf_sim_sample_lines *lines)
{
   const struct cf_sim_line_plane plane = cf_sim_layout_texels(f->texture, f->level, f->layer);
   const uint32_t x_shift = f->texture->x_shift, y_shift = f->texture->y_shift;
   struct quad_axis x_axis = f->x, y_axis = f->y;
   uint64_t before_x = UINT64_MAX, before_y = UINT64_MAX;
   for (; lanes; lanes >>= 1) {
      const struct axis_texels x = next_lane(&x_axis), y = next_lane(&y_axis);
      const uint32_t x0 = x.first >> x_shift, x1 = f->four ? x.second >> x_shift : x0,
                     y0 = y.first >> y_shift, y1 = f->four ? y.second >> y_shift : y0;
      const uint64_t both_x = x0 | (uint64_t)x1 << 32, both_y = y0 | (uint64_t)y1 << 32;
      if (!(lanes & 1) || (both_x == before_x && both_y == before_y))
         continue;
      before_x = both_x;
      before_y = both_y;
      cf_sim_sample_lines_add_line(lines, cf_sim_layout_line(&plane, x0, y0));
      if (x1 != x0)
         cf_sim_sample_lines_add_line(lines, cf_sim_layout_line(&plane, x1, y0));
      if (y1 != y0)
         cf_sim_sample_lines_add_line(lines, cf_sim_layout_line(&plane, x0, y1));
      if (x1 != x0 && y1 != y0)
         cf_sim_sample_lines_add_line(lines, cf_sim_layout_line(&plane, x1, y1));
   }
}

/* The texels of a sample that were recorded one by one: those from dw on, whose lanes ascend. */
static void
texel_lines(struct cf_sim_samples *s, struct cf_sim_sample_lines *lines)
{
   const uint32_t head = s->dw[0];
   const struct cf_sim_placed_texture *t = texture_of(s, head);
   uint32_t lane = 0;
   const uint32_t at = s->dw[1] >> 16;
   uint32_t seen = 0;
   while (s->dw < s->end && s->dw[0] == head && (s->dw[1] & 255) >= lane &&
          (s->dw[1] & 255) / 4 == s->quad && s->dw[1] >> 16 == at) {
      lane = s->dw[1] & 255;
      lines->texels++;
      lines->pixels += !(seen >> (lane & 3) & 1);
      seen |= 1u << (lane & 3);
      if (t)
         cf_sim_sample_lines_add(lines, t, level_of(head), s->dw[3], s->dw[2] & 0xffff,
                                 s->dw[2] >> 16);
      s->dw += cf_sim_dwords(head);
   }
}

/* ------------------------------------------------------------------ records of a quad */

/* Lanes of the quad that have a part in a record of its task. */
static uint32_t
lanes_in(const struct cf_sim_samples *s, const uint32_t *dw)
{
   if (cf_sim_kind(dw[0]) == CF_SIM_TEXEL)
      return (dw[1] & 255) / 4 == s->quad ? 1u << (dw[1] & 3) : 0;
   return dw[1] >> 4 * s->quad & 15;
}

/* The quad's next record, whose kind is given. CF_SIM_TASK: there is none. */
static enum cf_sim_record
find(struct cf_sim_samples *s)
{
   const uint32_t of_tasks =
      1u << CF_SIM_SAMPLE | 1u << CF_SIM_TEXEL | 1u << CF_SIM_BRANCH | 1u << CF_SIM_REFERENCE;
   for (; s->dw < s->end; s->dw += cf_sim_dwords(s->dw[0])) {
      const enum cf_sim_record kind = cf_sim_kind(s->dw[0]);
      if (!(of_tasks >> kind & 1))
         break;
      if (kind == CF_SIM_SAMPLE && !(s->dw[0] >> CF_SIM_MOVED_BIT & 1))
         s->own = s->dw;
      if (lanes_in(s, s->dw))
         return kind;
   }
   return CF_SIM_TASK;
}

/* What is wanted of a sample beside its lines. */
enum detail { LINES, WORDS };

/* Take the sample of which the quad's next record is a part. */
static void
take_sample(struct cf_sim_samples *s, enum detail detail, struct cf_sim_sample_lines *lines)
{
   const uint32_t *dw = s->dw, lanes = lanes_in(s, dw);
   if (cf_sim_kind(dw[0]) == CF_SIM_TEXEL) {
      texel_lines(s, lines);
      return;
   }
   const struct quad_sample f = quad_sample_of(s, dw);
   s->dw += cf_sim_dwords(dw[0]);
   lines->pixels = cf_sim_pixels_in(lanes);
   lines->texels = (f.four ? 4 : 1) * lines->pixels;
   if (f.texture && detail == WORDS)
      add_words(&f, lanes, lines);
   else if (f.texture)
      add_lines(&f, lanes, lines);
}

bool
cf_sim_samples_next(struct cf_sim_samples *s, struct cf_sim_sample_lines *lines)
{
   enum cf_sim_record kind;
   lines->texels = lines->pixels = lines->words = lines->lines = 0;
   while ((kind = find(s)) != CF_SIM_TASK) {
      if (kind == CF_SIM_SAMPLE || kind == CF_SIM_TEXEL) {
         take_sample(s, LINES, lines);
         return true;
      }
      s->dw += cf_sim_dwords(s->dw[0]);
   }
   return false;
}

bool
cf_sim_samples_at(struct cf_sim_samples *s, uint32_t at, struct cf_sim_sample_lines *lines)
{
   const enum cf_sim_record kind = find(s);
   const bool sample = kind == CF_SIM_SAMPLE;
   lines->texels = lines->pixels = lines->words = lines->lines = 0;
   if ((!sample && kind != CF_SIM_TEXEL) || s->dw[sample ? 2 : 1] >> 16 != at)
      return false;
   take_sample(s, WORDS, lines);
   return true;
}

bool
cf_sim_samples_branch(struct cf_sim_samples *s, uint32_t at, uint32_t *lanes, uint32_t *taken)
{
   if (find(s) != CF_SIM_BRANCH || s->dw[3] != at)
      return false;
   *lanes = s->dw[1] >> 4 * s->quad & 15;
   *taken = s->dw[2] >> 4 * s->quad & 15;
   s->dw += CF_SIM_BRANCH_DW;
   return true;
}

bool
cf_sim_samples_reference(struct cf_sim_samples *s, uint32_t at, uint32_t dword[4])
{
   if (find(s) != CF_SIM_REFERENCE || s->dw[2] != at)
      return false;
   const uint32_t *value = s->dw + CF_SIM_REFERENCE_DW;
   const bool same = s->dw[0] >> 16 & 1;
   for (uint32_t l = 0; l < 4; l++)
      dword[l] = value[same ? 0 : 4 * s->quad + l];
   s->dw += cf_sim_dwords(s->dw[0]);
   return true;
}
