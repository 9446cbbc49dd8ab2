/* SPDX-License-Identifier: MIT */
/*
 * Compiled once per host vector level. A row is computed in pieces: the source texels that a piece
 * covers are decoded and summed by columns, the columns summed by texels, and the means encoded.
 * Each step is a vectorised loop over elements (channels of texels). Where texels cover 2x2 texels,
 * the usual case, many formats have a fast path (cf_mipmap_quads.h).
 */
#include "clipfree/memory/cf_mipmap.h"

#include <string.h>

#include "clipfree/arith/cf_half_lanes.h"
#include "clipfree/arith/cf_minmax.h"
#include "clipfree/base/cf_inline.h"
#include "clipfree/memory/cf_mipmap_quads.h"

#define MAX_TAPS 3
#define PIECE_PX 32                       /* texels of the smaller image per piece */
#define COLUMNS_PX (2 * PIECE_PX + 1)     /* of the larger image that they cover, at most */
#define MAX_PIXEL_B 16

/* The texels of the larger image along one axis that a texel covers, with their weights. */
struct filter_taps {
   uint32_t first, count, weight[MAX_TAPS];
   uint32_t total;
};

/* Of 2n + 1 texels, n texels cover 2 + 1/n each: weights of the first, second and third in
 * n-ths. */
CF_INLINE struct filter_taps
taps_of(uint32_t at, uint32_t size, uint32_t larger_size)
{
   if (larger_size == size)
      return (struct filter_taps){at, 1, {1}, 1};
   if (larger_size == 2 * size)
      return (struct filter_taps){2 * at, 2, {1, 1}, 2};
   return (struct filter_taps){2 * at, 3, {size - at, size, at + 1}, larger_size};
}

/* ------------------------------------------------------------------ elements */

/* A channel's bits as a number to be summed, exact in f32 for texture formats. Inlined into loops
 * with constant type and size. */
CF_INLINE float
value_of(enum cf_channel_type type, uint32_t bits, uint32_t word)
{
   const int32_t max = INT32_MAX >> (32 - bits), value = (int32_t)(word << (32 - bits)) >> (32 - bits);
   switch (type) {
   case CF_CHANNEL_UNORM:
      return (float)(int32_t)word;
   case CF_CHANNEL_SNORM: /* two codes mean -1 */
      return (float)(value < -max ? -max : value);
   case CF_CHANNEL_SRGB:
      return cf_srgb_to_linear[word];
   default:
      return cf_float_decode(word, bits);
   }
}

/* Encode a mean to a channel's bits. */
CF_INLINE uint32_t
bits_of(enum cf_channel_type type, uint32_t bits, double mean)
{
   /* 1.5 * 2^52: adding it rounds to an integer, ties to even */
   const double magic = 6755399441055744.0;
   const double rounded = mean + magic;
   uint64_t word;
   switch (type) {
   case CF_CHANNEL_UNORM:
   case CF_CHANNEL_SNORM:
      memcpy(&word, &rounded, sizeof(word));
      return (uint32_t)word & UINT32_MAX >> (32 - bits);
   case CF_CHANNEL_SRGB:
      return cf_linear_to_srgb8((float)mean);
   default:
      return cf_float_encode((float)mean, bits);
   }
}

/* Load an element of an array pixel; of constant size, so that loops are vectorised. */
CF_INLINE uint32_t
load_element(uint32_t bits, const uint8_t *at)
{
   uint16_t half;
   uint32_t word;
   if (bits == 8)
      return *at;
   if (bits == 16) {
      memcpy(&half, at, sizeof(half));
      return half;
   }
   memcpy(&word, at, sizeof(word));
   return word;
}

CF_INLINE void
store_element(uint32_t bits, uint8_t *at, uint32_t word)
{
   const uint16_t half = (uint16_t)word;
   if (bits == 8)
      *at = (uint8_t)word;
   else if (bits == 16)
      memcpy(at, &half, sizeof(half));
   else
      memcpy(at, &word, sizeof(word));
}

/* ------------------------------------------------------------------ pixels to elements and back */

/* How a format's elements are read and written. A pixel that is an array (e.g. UNORM8) has an
 * element per array member, unused channels included; any other has one per channel. */
enum layout {
   PACKED, /* unorm channels anywhere in a dword, or none of the kinds below */
   UNORM8,
   UNORM16,
   SNORM8,
   SNORM16,
   FLOAT16,
   FLOAT32,
   SRGB8,  /* four bytes, the last of which is unorm */
};

static enum layout
layout_of(const struct cf_format_info *format)
{
   const struct cf_format_channel *first = &format->channel[0];
   const bool four = format->channels >= 3;
   bool array = first->bits % 8 == 0 && format->pixel_B == (four ? 4u : format->channels) * first->bits / 8;
   for (uint32_t c = 0; c < format->channels; c++) {
      const struct cf_format_channel *channel = &format->channel[c];
      array = array && channel->bits == first->bits && channel->offset_bits == c * first->bits &&
              (c == 3 && first->type == CF_CHANNEL_SRGB ? channel->type == CF_CHANNEL_UNORM : channel->type == first->type);
   }
   if (!array)
      return PACKED;
   switch ((enum cf_channel_type)first->type) {
   case CF_CHANNEL_UNORM:
      return first->bits == 8 ? UNORM8 : first->bits == 16 ? UNORM16 : PACKED;
   case CF_CHANNEL_SNORM:
      return first->bits == 8 ? SNORM8 : first->bits == 16 ? SNORM16 : PACKED;
   case CF_CHANNEL_SRGB:
      return four ? SRGB8 : PACKED;
   default:
      return first->bits == 16 ? FLOAT16 : FLOAT32;
   }
}

/* Number of elements per pixel. */
static uint32_t
elements_of(const struct cf_format_info *format, enum layout layout)
{
   return layout != PACKED && format->channels == 3 ? 4 : format->channels;
}

CF_INLINE void
decode_array(enum cf_channel_type type, uint32_t bits, const uint8_t *restrict raw, size_t count, float *restrict value)
{
   for (size_t i = 0; i < count; i++)
      value[i] = value_of(type, bits, load_element(bits, raw + i * (bits / 8)));
}

static void
decode_halves(const uint8_t *restrict raw, size_t count, float *restrict value)
{
   size_t i = 0;
   for (; i + 8 <= count; i += 8) {
      const cf_f32x8 eight = cf_halves_load(raw + i * sizeof(uint16_t));
      memcpy(value + i, &eight, sizeof(eight));
   }
   decode_array(CF_CHANNEL_FLOAT, 16, raw + i * sizeof(uint16_t), count - i, value + i);
}

static void
decode_srgb(const uint8_t *restrict raw, size_t count, float *restrict value)
{
   for (size_t i = 0; i < count; i += 4) {
      for (size_t c = 0; c < 3; c++)
         value[i + c] = cf_srgb_to_linear[raw[i + c]];
      value[i + 3] = (float)raw[i + 3];
   }
}

/* Decode a unorm channel of pixels of at most a dword; inlined with pixel_B constant. */
CF_INLINE void
decode_bits(size_t pixel_B, const struct cf_format_channel *channel, const uint8_t *restrict raw, size_t pixels, size_t channels,
            float *restrict value)
{
   const uint32_t shift = channel->offset_bits, max = UINT32_MAX >> (32 - channel->bits);
   for (size_t i = 0; i < pixels; i++)
      value[i * channels] = (float)(int32_t)(load_element((uint32_t)pixel_B * 8, raw + i * pixel_B) >> shift & max);
}

/* Decode a channel that does not cross a dword. */
static void
decode_channel(const struct cf_format_info *format, uint32_t c, const uint8_t *raw, uint32_t pixels, float *value)
{
   const struct cf_format_channel *channel = &format->channel[c];
   const uint32_t first_B = channel->offset_bits / 32 * 4, size_B = cf_min_u32(format->pixel_B - first_B, 4);
   const uint32_t shift = channel->offset_bits % 32, max = UINT32_MAX >> (32 - channel->bits);
   const bool unorm = channel->type == CF_CHANNEL_UNORM && channel->bits <= 16;
   if (unorm && format->pixel_B == 2) {
      decode_bits(2, channel, raw, pixels, format->channels, value + c);
      return;
   }
   if (unorm && format->pixel_B == 4) {
      decode_bits(4, channel, raw, pixels, format->channels, value + c);
      return;
   }
   for (uint32_t i = 0; i < pixels; i++) {
      uint32_t word = 0;
      memcpy(&word, raw + i * format->pixel_B + first_B, size_B);
      value[i * format->channels + c] = value_of(channel->type, channel->bits, word >> shift & max);
   }
}

static void
decode(const struct cf_format_info *format, enum layout layout, const uint8_t *raw, uint32_t pixels, float *value)
{
   const size_t count = (size_t)pixels * elements_of(format, layout);
   switch (layout) {
   case PACKED:
      for (uint32_t c = 0; c < format->channels; c++)
         decode_channel(format, c, raw, pixels, value);
      break;
   case UNORM8:
      decode_array(CF_CHANNEL_UNORM, 8, raw, count, value);
      break;
   case UNORM16:
      decode_array(CF_CHANNEL_UNORM, 16, raw, count, value);
      break;
   case SNORM8:
      decode_array(CF_CHANNEL_SNORM, 8, raw, count, value);
      break;
   case SNORM16:
      decode_array(CF_CHANNEL_SNORM, 16, raw, count, value);
      break;
   case FLOAT16:
      decode_halves(raw, count, value);
      break;
   case FLOAT32:
      decode_array(CF_CHANNEL_FLOAT, 32, raw, count, value);
      break;
   case SRGB8:
      decode_srgb(raw, count, value);
      break;
   }
}

CF_INLINE void
encode_array(enum cf_channel_type type, uint32_t bits, const double *restrict mean, size_t count, uint8_t *restrict raw)
{
   for (size_t i = 0; i < count; i++)
      store_element(bits, raw + i * (bits / 8), bits_of(type, bits, mean[i]));
}

static void
encode_halves(const double *restrict mean, size_t count, uint8_t *restrict raw)
{
   size_t i = 0;
   for (; i + 4 <= count; i += 4) {
      cf_f64x4 four;
      memcpy(&four, mean + i, sizeof(four));
      cf_halves_store(raw + i * sizeof(uint16_t), __builtin_convertvector(four, cf_f32x4));
   }
   encode_array(CF_CHANNEL_FLOAT, 16, mean + i, count - i, raw + i * sizeof(uint16_t));
}

static void
encode_srgb(const double *restrict mean, size_t count, uint8_t *restrict raw)
{
   for (size_t i = 0; i < count; i += 4) {
      for (size_t c = 0; c < 3; c++)
         raw[i + c] = (uint8_t)bits_of(CF_CHANNEL_SRGB, 8, mean[i + c]);
      raw[i + 3] = (uint8_t)bits_of(CF_CHANNEL_UNORM, 8, mean[i + 3]);
   }
}

/* Encode pixels of unorm channels in at most a dword; inlined with pixel_B constant. */
CF_INLINE void
encode_bits(size_t pixel_B, const struct cf_format_info *format, const double *mean, size_t pixels, uint8_t *raw)
{
   for (size_t i = 0; i < pixels; i++) {
      uint32_t word = 0;
      for (uint32_t c = 0; c < format->channels; c++)
         word |= bits_of(CF_CHANNEL_UNORM, format->channel[c].bits, mean[i * format->channels + c]) << format->channel[c].offset_bits;
      store_element((uint32_t)pixel_B * 8, raw + i * pixel_B, word);
   }
}

static void
encode_packed(const struct cf_format_info *format, const double *mean, uint32_t pixels, uint8_t *raw)
{
   bool unorm = true;
   for (uint32_t c = 0; c < format->channels; c++)
      unorm = unorm && format->channel[c].type == CF_CHANNEL_UNORM;
   if (unorm && format->pixel_B == 2) {
      encode_bits(2, format, mean, pixels, raw);
      return;
   }
   if (unorm && format->pixel_B == 4) {
      encode_bits(4, format, mean, pixels, raw);
      return;
   }
   for (uint32_t i = 0; i < pixels; i++) {
      uint32_t words[4] = {0};
      for (uint32_t c = 0; c < format->channels; c++) {
         const struct cf_format_channel *channel = &format->channel[c];
         words[channel->offset_bits / 32] |= bits_of(channel->type, channel->bits, mean[i * format->channels + c])
                                             << channel->offset_bits % 32;
      }
      memcpy(raw + i * format->pixel_B, words, format->pixel_B);
   }
}

static void
encode(const struct cf_format_info *format, enum layout layout, const double *mean, uint32_t pixels, uint8_t *raw)
{
   const size_t count = (size_t)pixels * elements_of(format, layout);
   switch (layout) {
   case PACKED:
      encode_packed(format, mean, pixels, raw);
      break;
   case UNORM8:
      encode_array(CF_CHANNEL_UNORM, 8, mean, count, raw);
      break;
   case UNORM16:
      encode_array(CF_CHANNEL_UNORM, 16, mean, count, raw);
      break;
   case SNORM8:
      encode_array(CF_CHANNEL_SNORM, 8, mean, count, raw);
      break;
   case SNORM16:
      encode_array(CF_CHANNEL_SNORM, 16, mean, count, raw);
      break;
   case FLOAT16:
      encode_halves(mean, count, raw);
      break;
   case FLOAT32:
      encode_array(CF_CHANNEL_FLOAT, 32, mean, count, raw);
      break;
   case SRGB8:
      encode_srgb(mean, count, raw);
      break;
   }
}

/* ------------------------------------------------------------------ rows */

/* Copy pixels of a row to a linear buffer, or back; inlined with pixel_B constant. */
CF_INLINE void
copy_row(bool load, size_t pixel_B, const struct cf_image *image, uint32_t x_px, uint32_t y_px, uint32_t count, uint8_t *raw)
{
   uint32_t i = 0;
   /* a row of a block is two pairs of pixels, two pairs apart */
   uint8_t *block = image->data + cf_image_offset_B(image, x_px, y_px);
   for (; image->blocks && x_px % 4 == 0 && i + 4 <= count; i += 4) {
      uint8_t *pairs = block, *place = raw + i * pixel_B;
      memcpy(load ? place : pairs, load ? pairs : place, 2 * pixel_B);
      pairs += 4 * pixel_B;
      place += 2 * pixel_B;
      memcpy(load ? place : pairs, load ? pairs : place, 2 * pixel_B);
      block += 16 * pixel_B;
   }
   for (; i < count; i++) {
      uint8_t *pixel = image->data + cf_image_offset_B(image, x_px + i, y_px), *place = raw + i * pixel_B;
      memcpy(load ? place : pixel, load ? pixel : place, pixel_B);
   }
}

CF_INLINE void
copy_row_of_any(bool load, const struct cf_image *image, uint32_t x_px, uint32_t y_px, uint32_t count, uint8_t *raw)
{
   switch (image->format->pixel_B) {
   case 1:
      copy_row(load, 1, image, x_px, y_px, count, raw);
      break;
   case 2:
      copy_row(load, 2, image, x_px, y_px, count, raw);
      break;
   case 4:
      copy_row(load, 4, image, x_px, y_px, count, raw);
      break;
   case 8:
      copy_row(load, 8, image, x_px, y_px, count, raw);
      break;
   case 16:
      copy_row(load, 16, image, x_px, y_px, count, raw);
      break;
   default:
      copy_row(load, image->format->pixel_B, image, x_px, y_px, count, raw);
   }
}

static void
load_row(const struct cf_image *image, uint32_t x_px, uint32_t y_px, uint32_t count, uint8_t *raw)
{
   copy_row_of_any(true, image, x_px, y_px, count, raw);
}

static void
store_row(const struct cf_image *image, uint32_t x_px, uint32_t y_px, uint32_t count, uint8_t *raw)
{
   copy_row_of_any(false, image, x_px, y_px, count, raw);
}

/* A reduction of one slice, or two, to an image. */
struct reduction {
   const struct cf_image *slice[2], *to;
   uint32_t slices;
   enum layout layout;
   uint32_t elements; /* per pixel */
};

/* What is summed to a column before a row: 0.0, too, so that no sum is -0.0. */
CF_INLINE double
sum_before(bool is_first, const double *column, size_t i)
{
   return is_first ? 0.0 : column[i];
}

/* Add the sums of rows of unorm bytes; inlined with constant `rows`. They are exact in f32: the
 * weights' sum is at most a size, 255 times that is less than 2^24. */
CF_INLINE void
add_bytes(uint32_t rows, bool is_first, uint8_t (*raw)[COLUMNS_PX * 4], const struct filter_taps *y,
          size_t elements, double *restrict column)
{
   for (size_t i = 0; i < elements; i++) {
      float sum = 0.0f;
      for (uint32_t j = 0; j < rows; j++)
         sum += (float)(int32_t)y->weight[j] * (float)(int32_t)raw[j][i];
      column[i] = sum_before(is_first, column, i) + (double)sum;
   }
}

static void
add_rows_of_bytes(const struct reduction *r, uint32_t z, const struct filter_taps *y,
                  uint32_t first_px, uint32_t count, double *column)
{
   _Alignas(64) uint8_t raw[MAX_TAPS][COLUMNS_PX * 4];
   const size_t elements = (size_t)count * r->elements;
   for (uint32_t j = 0; j < y->count; j++)
      load_row(r->slice[z], first_px, y->first + j, count, raw[j]);
   switch (y->count) {
   case 1:
      add_bytes(1, z == 0, raw, y, elements, column);
      break;
   case 2:
      add_bytes(2, z == 0, raw, y, elements, column);
      break;
   default:
      add_bytes(3, z == 0, raw, y, elements, column);
   }
}

static void
add_rows(const struct reduction *r, uint32_t z, const struct filter_taps *y, uint32_t first_px,
         uint32_t count, double *restrict column)
{
   _Alignas(64) uint8_t raw[COLUMNS_PX * MAX_PIXEL_B];
   _Alignas(64) float value[COLUMNS_PX * 4];
   const size_t elements = (size_t)count * r->elements;
   for (uint32_t j = 0; j < y->count; j++) {
      const double weight = y->weight[j];
      const bool is_first = z == 0 && j == 0;
      load_row(r->slice[z], first_px, y->first + j, count, raw);
      decode(r->to->format, r->layout, raw, count, value);
      for (size_t i = 0; i < elements; i++)
         column[i] = sum_before(is_first, column, i) + weight * (double)value[i];
   }
}

/* Sum columns first_px .. first_px + count - 1 of the larger image over the rows that a row of the
 * smaller one covers, by element. */
static void
sum_columns(const struct reduction *r, const struct filter_taps *y, uint32_t first_px,
            uint32_t count, double *column)
{
   for (uint32_t z = 0; z < r->slices; z++) {
      if (r->layout == UNORM8)
         add_rows_of_bytes(r, z, y, first_px, count, column);
      else
         add_rows(r, z, y, first_px, count, column);
   }
}

/* A run of texels of the smaller image, along a row. */
struct piece {
   uint32_t x_px, count, width_px, larger_px;
};

/* Means over the `covered` columns of each texel, with the weights of taps_of; inlined with
 * constant `covered` and `elements`. */
CF_INLINE void
means_of_columns(uint32_t covered, size_t elements, const struct piece *p, const double *restrict column, double total,
                 double *restrict mean)
{
   const bool shares = covered == 3;
   const double middle = shares ? p->width_px : 1.0;
   for (uint32_t i = 0; i < p->count; i++) {
      const int32_t x_px = (int32_t)(p->x_px + i);
      const double first = shares ? (int32_t)p->width_px - x_px : 1.0, last = x_px + 1;
      const double *from = column + 2 * i * elements; /* of one column: i = 0 */
      for (size_t c = 0; c < elements; c++) {
         double sum = first * from[c];
         if (covered > 1)
            sum += middle * from[elements + c];
         if (covered > 2)
            sum += last * from[2 * elements + c];
         mean[i * elements + c] = sum / total;
      }
   }
}

CF_INLINE void
means_of_elements(uint32_t covered, uint32_t elements, const struct piece *p, const double *column, double total, double *mean)
{
   switch (elements) {
   case 1:
      means_of_columns(covered, 1, p, column, total, mean);
      break;
   case 2:
      means_of_columns(covered, 2, p, column, total, mean);
      break;
   case 3:
      means_of_columns(covered, 3, p, column, total, mean);
      break;
   default:
      means_of_columns(covered, 4, p, column, total, mean);
   }
}

static void
all_means(uint32_t elements, const struct piece *p, const double *column, double total, double *mean)
{
   if (p->larger_px == p->width_px)
      means_of_elements(1, elements, p, column, total, mean);
   else if (p->larger_px == 2 * p->width_px)
      means_of_elements(2, elements, p, column, total, mean);
   else
      means_of_elements(3, elements, p, column, total, mean);
}

/* The same for two columns per texel, where `scale`, 1 / total, is a power of two; inlined with
 * constant `elements`. */
CF_INLINE void
means_of_pairs(size_t elements, uint32_t count, const double *restrict column, double scale, double *restrict mean)
{
   for (size_t i = 0; i < count; i++) {
      for (size_t c = 0; c < elements; c++)
         mean[i * elements + c] = (column[2 * i * elements + c] + column[(2 * i + 1) * elements + c]) * scale;
   }
}

static void
all_means_of_pairs(uint32_t elements, uint32_t count, const double *column, double scale, double *mean)
{
   switch (elements) {
   case 1:
      means_of_pairs(1, count, column, scale, mean);
      break;
   case 2:
      means_of_pairs(2, count, column, scale, mean);
      break;
   case 3:
      means_of_pairs(3, count, column, scale, mean);
      break;
   default:
      means_of_pairs(4, count, column, scale, mean);
   }
}

static void
reduce_piece(const struct reduction *r, const struct filter_taps *y, uint32_t x_px, uint32_t y_px, uint32_t count)
{
   _Alignas(64) double column[COLUMNS_PX * 4], mean[PIECE_PX * 4];
   _Alignas(64) uint8_t raw[PIECE_PX * MAX_PIXEL_B];
   const uint32_t width_px = r->to->width_px, larger_px = r->slice[0]->width_px;
   const struct filter_taps first = taps_of(x_px, width_px, larger_px),
                            last = taps_of(x_px + count - 1, width_px, larger_px);
   const double total = (double)first.total * y->total * r->slices;
   sum_columns(r, y, first.first, last.first + last.count - first.first, column);
   if (larger_px == 2 * width_px && y->total <= 2)
      all_means_of_pairs(r->elements, count, column, 1.0 / total, mean);
   else
      all_means(r->elements, &(struct piece){ x_px, count, width_px, larger_px }, column, total, mean);
   encode(r->to->format, r->layout, mean, count, raw);
   store_row(r->to, x_px, y_px, count, raw);
}

/* ------------------------------------------------------------------ images */

static void
reduce_rows(const struct cf_image *source, const struct cf_image *second, const struct cf_image *destination, uint32_t first_px,
            uint32_t end_px)
{
   const bool fours = !second && source->width_px == 2 * destination->width_px && source->height_px == 2 * destination->height_px;
   const bool quads = fours && source->blocks && destination->blocks;
   const enum layout layout = layout_of(source->format);
   const cf_quads_reduction in_quads = quads ? cf_quads_reduction_of(source->format) : NULL;
   const struct reduction r = { { source, second }, destination, second ? 2 : 1, layout, elements_of(source->format, layout) };
   for (uint32_t y_px = first_px; y_px < end_px; y_px++) {
      const struct filter_taps y = taps_of(y_px, destination->height_px, source->height_px);
      if (in_quads) {
         in_quads(source, destination, y_px);
         continue;
      }
      for (uint32_t x_px = 0; x_px < destination->width_px; x_px += PIECE_PX)
         reduce_piece(&r, &y, x_px, y_px, cf_min_u32(PIECE_PX, destination->width_px - x_px));
   }
}

const struct cf_mipmap_ops CF_LANES(cf_mipmap_ops) = { .reduce = reduce_rows };
