/* SPDX-License-Identifier: MIT */
/*
 * Where things lie in the memory of the simulated GPU: numbers of cache lines of texels and pixels.
 * The trace has no addresses, so layouts are parameters.
 */
#ifndef CF_SIM_LAYOUT_H
#define CF_SIM_LAYOUT_H

#include "clipfree/timing/cf_sim_machine.h"
#include "clipfree/timing/cf_sim_trace.h"

/* A texture: a line holds 1 << x_shift by 1 << y_shift texels. */
struct cf_sim_placed_texture {
   struct cf_sim_texture texture;
   uint32_t x_shift, y_shift;
   struct {
      uint32_t first, across, down; /* first: line; lines in a row, rows of lines in a layer */
   } level[CF_MAX_TEXTURE_LEVELS];
};

/* An image of a frame buffer. */
struct cf_sim_placed_image {
   uint32_t width_px, height_px, samples;
   uint32_t x_shift, y_shift;    /* of pixels in a line */
   uint32_t first, across, down; /* in lines of one pipeline */
};

struct cf_sim_layout {
   const struct cf_sim_machine *machine;
   uint32_t x_shift, y_shift;           /* of pixels in a line, of one sample */
   uint32_t texture_lines, image_lines; /* so far */
   struct cf_sim_placed_texture *texture;
   struct cf_sim_placed_image *image;
   size_t textures, texture_room, images, image_room;
};

/* A line of an image, and the pipeline that has it. */
struct cf_sim_place {
   uint32_t pipeline, line;
};

void cf_sim_layout_init(struct cf_sim_layout *layout, const struct cf_sim_machine *machine);
void cf_sim_layout_free(struct cf_sim_layout *layout);

/** Place the chunk's textures and images. False: out of memory, or there is more than a memory of
 * 2^30 lines. */
bool cf_sim_layout_chunk(struct cf_sim_layout *layout, const struct cf_sim_chunk *chunk);

/** How many lines the samples of a pixel lie in, of images that have so many. */
static inline uint32_t
cf_sim_layout_planes(const struct cf_sim_layout *layout, uint32_t samples)
{
   return layout->machine->z.line_samples == CF_SIM_LINE_SAMPLES_ALL ? 1 : samples;
}

/* A number modulo a limit, below which it nearly always is. */
static inline uint32_t
cf_sim_wrap(uint32_t number, uint32_t limit)
{
   return number < limit ? number : number % limit;
}

/** The line of a sample of a pixel. */
static inline struct cf_sim_place
cf_sim_layout_pixel(const struct cf_sim_layout *layout, uint32_t image, uint32_t x_px,
                    uint32_t y_px, uint32_t sample)
{
   const struct cf_sim_placed_image *i = &layout->image[image];
   const uint32_t plane = cf_sim_wrap(sample, cf_sim_layout_planes(layout, i->samples)),
                  partition = layout->machine->screen.partition;
   uint32_t x = x_px >> i->x_shift, y = y_px >> i->y_shift, pipeline = 0;
   if (partition == CF_SIM_PARTITION_ROWS) {
      pipeline = y % layout->machine->screen.pipelines;
      y /= layout->machine->screen.pipelines;
   } else if (partition == CF_SIM_PARTITION_2X2) {
      pipeline = (x & 1) | (y & 1) << 1;
      x /= 2;
      y /= 2;
   }
   const uint32_t row = plane * i->down + cf_sim_wrap(y, i->down);
   return (struct cf_sim_place){ pipeline, i->first + row * i->across + cf_sim_wrap(x, i->across) };
}

/* The lines of a layer of a level. */
struct cf_sim_line_plane {
   uint32_t first, across, down;
};

/** The plane of a layer; with the sample, as a record has it. Numbers beyond the texture, which
 * only a damaged recording has, give some plane. */
static inline struct cf_sim_line_plane
cf_sim_layout_texels(const struct cf_sim_placed_texture *t, uint32_t level, uint32_t layer)
{
   const uint32_t sample = layer >> CF_SIM_SAMPLE_SHIFT, across = t->level[level].across,
                  down = t->level[level].down;
   layer = (layer & ((1 << CF_SIM_SAMPLE_SHIFT) - 1)) + sample * (t->texture.layers / CF_SAMPLES);
   return (struct cf_sim_line_plane){
      t->level[level].first + cf_sim_wrap(layer, t->texture.layers) * down * across, across, down
   };
}

/** A line of a plane, by its number along both axes; beyond the plane some line, too. */
static inline uint32_t
cf_sim_layout_line(const struct cf_sim_line_plane *plane, uint32_t line_x, uint32_t line_y)
{
   return plane->first + cf_sim_wrap(line_y, plane->down) * plane->across +
          cf_sim_wrap(line_x, plane->across);
}

/** The line of a texel, by the number of its line along both axes. */
static inline uint32_t
cf_sim_layout_texel(const struct cf_sim_placed_texture *t, uint32_t level, uint32_t layer,
                    uint32_t line_x, uint32_t line_y)
{
   const struct cf_sim_line_plane plane = cf_sim_layout_texels(t, level, layer);
   return cf_sim_layout_line(&plane, line_x, line_y);
}

#endif
