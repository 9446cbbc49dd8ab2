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

static void
add(struct cf_sim_sample_lines *lines, uint32_t line)
{
   for (uint32_t i = 0; i < lines->lines; i++) {
      if (lines->line[i] == line)
         return;
   }
   if (lines->lines < sizeof(lines->line) / sizeof(lines->line[0]))
      lines->line[lines->lines++] = line;
}

/* Along one axis: the lines of a lane's two texels. */
struct axis_lines {
   uint32_t first, second;
};

static struct axis_lines
axis_lines(const uint32_t *pairs, uint32_t next, uint32_t zero, uint32_t lane, uint32_t shift)
{
   const uint32_t number = pairs[lane / 2] >> 16 * (lane & 1) & 0xffff;
   const uint32_t second = next >> lane & 1 ? number + 1 : zero >> lane & 1 ? 0 : number;
   return (struct axis_lines){ number >> shift, second >> shift };
}

static void
sample_lines(const struct cf_sim_samples *s, const uint32_t *dw, uint32_t lanes,
             struct cf_sim_sample_lines *lines)
{
   const struct cf_sim_placed_texture *t = texture_of(s, dw[0]);
   const uint32_t across = (cf_sim_dwords(dw[0]) - CF_SIM_SAMPLE_DW) / 2, level = level_of(dw[0]),
                  layer = dw[2];
   const bool four = dw[0] >> 25 & 1;
   lines->texels = (four ? 4 : 1) * (uint32_t)__builtin_popcount(lanes);
   if (!t)
      return;
   for (; lanes; lanes &= lanes - 1) {
      const uint32_t lane = 4 * s->quad + (uint32_t)__builtin_ctz(lanes);
      const uint32_t *pairs = dw + CF_SIM_SAMPLE_DW;
      const struct axis_lines x = axis_lines(pairs, dw[3], dw[5], lane, t->x_shift),
                              y = axis_lines(pairs + across, dw[4], dw[6], lane, t->y_shift);
      add(lines, cf_sim_layout_texel(t, level, layer, x.first, y.first));
      if (four && x.first != x.second)
         add(lines, cf_sim_layout_texel(t, level, layer, x.second, y.first));
      if (four && y.first != y.second)
         add(lines, cf_sim_layout_texel(t, level, layer, x.first, y.second));
      if (four && x.first != x.second && y.first != y.second)
         add(lines, cf_sim_layout_texel(t, level, layer, x.second, y.second));
   }
}

/* The texels of a sample that were recorded one by one: those from dw on, whose lanes ascend. */
static void
texel_lines(struct cf_sim_samples *s, struct cf_sim_sample_lines *lines)
{
   const uint32_t head = s->dw[0];
   const struct cf_sim_placed_texture *t = texture_of(s, head);
   uint32_t lane = 0;
   while (s->dw < s->end && s->dw[0] == head && (s->dw[1] & 255) >= lane &&
          (s->dw[1] & 255) / 4 == s->quad) {
      lane = s->dw[1] & 255;
      lines->texels++;
      if (t)
         add(lines, cf_sim_layout_texel(t, level_of(head), s->dw[1] >> 8,
                                        (s->dw[2] & 0xffff) >> t->x_shift,
                                        (s->dw[2] >> 16) >> t->y_shift));
      s->dw += cf_sim_dwords(head);
   }
}

bool
cf_sim_samples_next(struct cf_sim_samples *s, struct cf_sim_sample_lines *lines)
{
   lines->texels = lines->lines = 0;
   while (s->dw < s->end) {
      const uint32_t *dw = s->dw;
      const enum cf_sim_record kind = cf_sim_kind(dw[0]);
      if (kind != CF_SIM_SAMPLE && kind != CF_SIM_TEXEL)
         return false;
      if (kind == CF_SIM_TEXEL && (dw[1] & 255) / 4 == s->quad) {
         texel_lines(s, lines);
         return true;
      }
      s->dw += cf_sim_dwords(dw[0]);
      const uint32_t lanes = kind == CF_SIM_SAMPLE ? dw[1] >> 4 * s->quad & 15 : 0;
      if (lanes) {
         sample_lines(s, dw, lanes, lines);
         return true;
      }
   }
   return false;
}
