/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_layout.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LINES (1u << 30)

static uint32_t
log2_up(uint32_t v)
{
   return v <= 1 ? 0 : 32 - (uint32_t)__builtin_clz(v - 1);
}

static uint32_t
lines_in(uint32_t px, uint32_t shift)
{
   return px == 0 ? 1 : ((px - 1) >> shift) + 1;
}

void
cf_sim_layout_init(struct cf_sim_layout *layout, const struct cf_sim_machine *machine)
{
   *layout = (struct cf_sim_layout){ .machine = machine,
                                     .x_shift = log2_up(machine->z.line_width_px),
                                     .y_shift = log2_up(machine->z.line_height_px) };
}

void
cf_sim_layout_free(struct cf_sim_layout *layout)
{
   free(layout->texture);
   free(layout->image);
   layout->texture = NULL;
   layout->image = NULL;
}

/* Take lines; false: there are none left. */
static bool
take(uint32_t *used, uint64_t lines, uint32_t *first)
{
   *first = *used;
   if (lines > MAX_LINES - *used)
      return false;
   *used += (uint32_t)lines;
   return true;
}

/* Texels of other sizes lie in lines of other shapes: a square, or twice as wide. */
static bool
place_texture(struct cf_sim_layout *layout, struct cf_sim_placed_texture *t)
{
   const uint32_t bits = log2_up(t->texture.texel_bits),
                  line_bits = log2_up(8 * layout->machine->texture.line_B),
                  area = line_bits > bits ? line_bits - bits : 0;
   const bool rows = layout->machine->texture.layout == CF_SIM_TEXTURE_LAYOUT_ROWS;
   t->x_shift = rows ? area : (area + 1) / 2;
   t->y_shift = area - t->x_shift;
   for (uint32_t l = 0; l < CF_MAX_TEXTURE_LEVELS; l++) {
      t->level[l].across = lines_in(t->texture.width_px >> l, t->x_shift);
      t->level[l].down = lines_in(t->texture.height_px >> l, t->y_shift);
      if (!take(&layout->texture_lines,
                (uint64_t)t->level[l].across * t->level[l].down * t->texture.layers,
                &t->level[l].first))
         return false;
   }
   return true;
}

static bool
place_textures(struct cf_sim_layout *layout, const struct cf_sim_chunk *chunk)
{
   for (size_t i = 0; i < chunk->textures; i++) {
      if (i == layout->textures) {
         void *grown =
            cf_sim_grow(layout->texture, i, 1, &layout->texture_room, sizeof(layout->texture[0]));
         if (!grown)
            return false;
         layout->texture = grown;
         memset(&layout->texture[layout->textures++], 0, sizeof(layout->texture[0]));
      }
      struct cf_sim_placed_texture *t = &layout->texture[i];
      if (memcmp(&t->texture, &chunk->texture[i], sizeof(t->texture)) == 0)
         continue;
      t->texture = chunk->texture[i];
      if (!place_texture(layout, t))
         return false;
   }
   return true;
}

static bool
place_image(struct cf_sim_layout *layout, uint32_t number, const struct cf_sim_op *op)
{
   if (number == CF_SIM_NONE)
      return true;
   while (layout->images <= number) {
      void *grown = cf_sim_grow(layout->image, layout->images, 1, &layout->image_room,
                                sizeof(layout->image[0]));
      if (!grown)
         return false;
      layout->image = grown;
      memset(&layout->image[layout->images++], 0, sizeof(layout->image[0]));
   }
   struct cf_sim_placed_image *i = &layout->image[number];
   if (i->width_px >= op->width_px && i->height_px >= op->height_px && i->samples >= op->samples)
      return true;
   const enum cf_sim_partition partition = layout->machine->screen.partition;
   const uint32_t planes = cf_sim_layout_planes(layout, op->samples), halves = planes < op->samples,
                  x_shift = layout->x_shift - halves, y_shift = layout->y_shift - halves,
                  columns = lines_in(op->width_px, x_shift),
                  rows = lines_in(op->height_px, y_shift),
                  pipelines = layout->machine->screen.pipelines;
   *i = (struct cf_sim_placed_image){ .width_px = op->width_px,
                                      .height_px = op->height_px,
                                      .samples = op->samples,
                                      .x_shift = x_shift,
                                      .y_shift = y_shift,
                                      .across = columns,
                                      .down = rows };
   if (partition == CF_SIM_PARTITION_ROWS) {
      i->down = (rows + pipelines - 1) / pipelines;
   } else if (partition == CF_SIM_PARTITION_2X2) {
      i->across = (columns + 1) / 2;
      i->down = (rows + 1) / 2;
   }
   return take(&layout->image_lines, (uint64_t)i->across * i->down * planes, &i->first);
}

bool
cf_sim_layout_chunk(struct cf_sim_layout *layout, const struct cf_sim_chunk *chunk)
{
   bool ok = place_textures(layout, chunk);
   for (size_t n = 0; ok && n < chunk->ops; n++) {
      const struct cf_sim_op *op = &chunk->op[n];
      for (uint32_t c = 0; ok && c < op->colors; c++)
         ok = place_image(layout, op->color_image[c], op);
      ok = ok && place_image(layout, op->zs_image, op);
   }
   return ok;
}
