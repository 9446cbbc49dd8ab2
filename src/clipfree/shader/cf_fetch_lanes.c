/* SPDX-License-Identifier: MIT */
/*
 * The interpreter's load with format (ldf): one vertex element for each lane.
 *
 * Data flow: indices -> addresses of the elements (outside of the buffer: zeros) -> one row of raw
 * bits for each channel -> floats or integers -> r, g, b, a by the format's swizzle. Values are
 * those of cf_format_fetch, computed a channel of all lanes at a time.
 *
 * Elements of whole dwords are read as such and unpacked in vectors, others by bytes; the few
 * formats that fit neither go through cf_format_fetch.
 *
 * Tasks of small draws have few lanes. Up to CF_FEW_LANES only these are loaded (`lanes` is a
 * constant of each version), the others get zeros. Several small draws may also share a task, whose
 * parts then have buffers of their own.
 */
#include "clipfree/base/cf_inline.h"
#include "clipfree/base/cf_vec.h"
#include "clipfree/shader/cf_interp.h"

#include <string.h>

#include "clipfree/memory/cf_format.h"

static const uint8_t zeros[16];

/* ---- addresses ---- */

/* Element numbers by lane: the index, or with a divisor the instance's. A number beyond 32 bits is
 * outside any buffer. */
static void
element_numbers(const struct cf_run *run, const struct cf_fetch *fetch, const uint32_t *index,
                uint32_t *number)
{
   if (!fetch->divisor) {
      memcpy(number, index, CF_ROW_B);
      return;
   }
   const uint32_t *instance = run->task->sys[CF_SYSVAL_INSTANCE_ID];
   const uint32_t *base = run->task->sys[CF_SYSVAL_BASE_INSTANCE];
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++) {
      const uint64_t sum = (uint64_t)base[lane] + instance[lane] / fetch->divisor;
      number[lane] = sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
   }
}

/* The first offset in the buffer at which no element fits: cf_fetch_count without a division. */
static inline uint64_t
end_of_elements_B(const struct cf_fetch *fetch)
{
   if (!fetch->data || fetch->size_B < fetch->format->pixel_B)
      return 0;
   return UINT64_C(1) + fetch->size_B - fetch->format->pixel_B;
}

/* Addresses of the elements of lanes begin .. end - 1, and inside: all ones where they are in the buffer. */
CF_INLINE void
locate_lanes(const struct cf_fetch *fetch, const uint32_t *number, unsigned begin, unsigned end, const uint8_t **element,
             uint32_t *inside)
{
   const uint64_t end_B = end_of_elements_B(fetch);
   for (unsigned lane = begin; lane < end; lane++) {
      const uint64_t offset_B = (uint64_t)number[lane] * fetch->stride_B;
      const bool in = offset_B < end_B;
      element[lane] = in ? fetch->data + offset_B : zeros;
      inside[lane] = in ? CF_ALL_LANES : 0;
   }
}

/* locate_lanes for the task's parts. Returns the end of the last part. */
static unsigned
locate_parts(const struct cf_run *run, const struct cf_fetch *fetch, const uint32_t *number, const uint8_t **element,
             uint32_t *inside)
{
   const struct cf_task *task = run->task;
   const ptrdiff_t which = fetch - run->stage->fetch;
   unsigned begin = 0;
   for (unsigned i = 0; i < task->parts; begin = task->part[i++].end)
      locate_lanes(&task->part[i].fetch[which], number, begin, task->part[i].end, element, inside);
   return begin;
}

/* locate_lanes for the first `lanes` lanes. */
CF_INLINE void
locate(const struct cf_run *run, const struct cf_fetch *fetch, const uint32_t *index, unsigned lanes,
       const uint8_t **element, uint32_t *inside)
{
   _Alignas(64) uint32_t number[CF_TASK_LANES];
   element_numbers(run, fetch, index, number);
   for (unsigned lane = lanes; lane < CF_TASK_LANES; lane++)
      inside[lane] = 0;
   if (__builtin_expect(run->task->parts == 0, 1))
      locate_lanes(fetch, number, 0, lanes, element, inside);
   else
      locate_lanes(fetch, number, locate_parts(run, fetch, number, element, inside), lanes, element, inside);
}

/* ---- raw bits ---- */

static inline uint32_t
load_4(const uint8_t *at)
{
   uint32_t value;
   memcpy(&value, at, sizeof(value));
   return value;
}

static inline uint64_t
load_8(const uint8_t *at)
{
   uint64_t value;
   memcpy(&value, at, sizeof(value));
   return value;
}

/* The first dwords of an element, up to four, and zeros. Vectors have four lanes at every host level: GCC makes wider ones of parts
 * in memory, and to read what was just written in parts waits for the stores. */
CF_INLINE cf_u32x4
load_words(const uint8_t *element, unsigned words)
{
   switch (words) {
   case 1:
      return (cf_u32x4){ load_4(element) };
   case 2:
      return (cf_u32x4)(cf_u64x2){ load_8(element) };
   case 3:
      return (cf_u32x4)(cf_u64x2){ load_8(element), load_4(element + 8) };
   default:
      return (cf_u32x4)(cf_u64x2){ load_8(element), load_8(element + 8) };
   }
}

/* Dword w of four elements to lanes 0 .. 3 of row w, for each. */
CF_INLINE void
gather_four(const uint8_t *const *element, unsigned words, uint32_t (*row)[CF_TASK_LANES])
{
   const cf_u32x4 a = load_words(element[0], words), b = load_words(element[1], words), c = load_words(element[2], words),
               d = load_words(element[3], words);
   const cf_u32x4 low_ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), low_cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
   const cf_u32x4 high_ab = __builtin_shufflevector(a, b, 2, 6, 3, 7), high_cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
   const cf_u32x4 word[4] = {
      __builtin_shufflevector(low_ab, low_cd, 0, 1, 4, 5),
      __builtin_shufflevector(low_ab, low_cd, 2, 3, 6, 7),
      __builtin_shufflevector(high_ab, high_cd, 0, 1, 4, 5),
      __builtin_shufflevector(high_ab, high_cd, 2, 3, 6, 7),
   };
   _Pragma("GCC unroll 4") for (unsigned w = 0; w < words; w++) /* a loop would keep them in memory */
      memcpy(row[w], &word[w], sizeof(word[w]));
}

/* Dwords w of all elements to row w; of other lanes than the first `lanes` zeros. */
CF_INLINE void
gather_words(const uint8_t *const *element, unsigned lanes, unsigned words, uint32_t (*row)[CF_TASK_LANES])
{
   for (unsigned lane = 0; lane < lanes; lane += 4)
      gather_four(element + lane, words, (uint32_t(*)[CF_TASK_LANES])&row[0][lane]);
   for (unsigned w = 0; w < words && lanes < CF_TASK_LANES; w++)
      memset(&row[w][lanes], 0, (CF_TASK_LANES - lanes) * sizeof(row[0][0]));
}

CF_INLINE void
gather_bytes(const uint8_t *const *element, unsigned lanes, unsigned offset_B, unsigned size_B, uint32_t *row)
{
   for (unsigned lane = 0; lane < lanes; lane++) {
      uint32_t value = 0;
      memcpy(&value, element[lane] + offset_B, size_B);
      row[lane] = value;
   }
   for (unsigned lane = lanes; lane < CF_TASK_LANES; lane++)
      row[lane] = 0;
}

/* The bits of one channel out of dword rows; it straddles no dword. */
static void
extract(const struct cf_format_channel *channel, const uint32_t (*words)[CF_TASK_LANES],
        uint32_t *row)
{
   const uint32_t *word = words[channel->offset_bits / 32];
   const unsigned shift = channel->offset_bits % 32;
   const uint32_t mask = (uint32_t)(UINT64_MAX >> (64 - channel->bits));
   CF_FOR_LANES (lane)
      row[lane] = word[lane] >> shift & mask;
}

/* gather_words, specialised for each number of dwords. */
CF_INLINE void
gather_dwords(unsigned words, const uint8_t *const *element, unsigned lanes, uint32_t (*row)[CF_TASK_LANES])
{
   switch (words) {
   case 1:
      gather_words(element, lanes, 1, row);
      break;
   case 2:
      gather_words(element, lanes, 2, row);
      break;
   case 3:
      gather_words(element, lanes, 3, row);
      break;
   default:
      gather_words(element, lanes, 4, row);
      break;
   }
}

/* One row of bits for each channel. False: the format is of odd sizes. */
CF_INLINE bool
gather_channels(const struct cf_format_info *format, const uint8_t *const *element, unsigned lanes,
                uint32_t (*row)[CF_TASK_LANES])
{
   _Alignas(64) uint32_t words[4][CF_TASK_LANES];
   if (format->channel[0].type == CF_CHANNEL_SRGB)
      return false;
   if (format->channel[0].bits == 32) {
      gather_dwords(format->channels, element, lanes, row);
      return true;
   }
   if (format->pixel_B == 4 || format->pixel_B == 8) {
      if (format->pixel_B == 4)
         gather_words(element, lanes, 1, words);
      else
         gather_words(element, lanes, 2, words);
      for (unsigned c = 0; c < format->channels; c++)
         extract(&format->channel[c], (const uint32_t(*)[CF_TASK_LANES])words, row[c]);
      return true;
   }
   for (unsigned c = 0; c < format->channels; c++) {
      const struct cf_format_channel *channel = &format->channel[c];
      if (channel->offset_bits % 8 || (channel->bits != 8 && channel->bits != 16))
         return false;
      if (channel->bits == 8)
         gather_bytes(element, lanes, channel->offset_bits / 8, 1, row[c]);
      else
         gather_bytes(element, lanes, channel->offset_bits / 8, 2, row[c]);
   }
   return true;
}

/* ---- conversion, in place ---- */

/* Of integers and floats of 32 bits nothing is left of the loop. */
static void
convert(uint32_t *row, const struct cf_format_channel *channel){
#define CONVERT(type, bits)                                                                        \
   CF_FOR_LANES(lane)                                                                              \
   row[lane] = cf_bits(cf_channel_decode(type, bits, row[lane]))
   CF_CHANNEL_LOOPS(channel->type, channel->bits, CONVERT)
#undef CONVERT
}

/* ---- whole elements ---- */

/* Channels `first` .. 3 that the format has not. */
CF_INLINE void fill_missing(const struct cf_format_info *format, unsigned first,
                            const uint32_t *inside, uint32_t (*rgba)[CF_TASK_LANES])
{
   const uint32_t one = cf_bits(cf_format_one(format));
   for (unsigned c = first; c < 4; c++) {
      const uint32_t missing = format->view[c] == CF_VIEW_ONE ? one : 0;
      if (format->view[c] < 4)
         continue;
      CF_FOR_LANES (lane)
         rgba[c][lane] = missing & inside[lane];
   }
}

/* Whether the stored channels are r, g, b, a as programs see them: such elements need no
 * conversion, only a gather. */
static inline bool
is_plain(const struct cf_format_info *format)
{
   if (format->channel[0].type != CF_CHANNEL_FLOAT || format->channel[0].bits != 32)
      return false;
   for (unsigned c = 0; c < format->channels; c++) {
      if (format->view[c] != c)
         return false;
   }
   return true;
}

/* r, g, b, a of the lanes; false if the format needs the slow way. */
CF_INLINE bool
fetch_channels(const struct cf_format_info *format, const uint8_t *const *element, unsigned lanes,
               const uint32_t *inside, uint32_t (*rgba)[CF_TASK_LANES])
{
   _Alignas(64) uint32_t channel[4][CF_TASK_LANES];
   if (is_plain(format)) {
      gather_dwords(format->channels, element, lanes, rgba);
      fill_missing(format, format->channels, inside, rgba);
      return true;
   }
   if (!gather_channels(format, element, lanes, channel))
      return false;
   for (unsigned c = 0; c < format->channels; c++)
      convert(channel[c], &format->channel[c]);
   for (unsigned c = 0; c < 4; c++) {
      if (format->view[c] < 4)
         memcpy(rgba[c], channel[format->view[c]], CF_ROW_B);
   }
   fill_missing(format, 0, inside, rgba);
   return true;
}

/* The slow way, for formats of odd sizes. */
static void
fetch_pixels(const struct cf_format_info *format, const uint8_t *const *element,
             const uint32_t *inside, uint32_t (*rgba)[CF_TASK_LANES])
{
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++) {
      float pixel[4] = { 0 };
      if (inside[lane])
         cf_format_fetch(format, element[lane], pixel);
      for (unsigned c = 0; c < 4; c++)
         rgba[c][lane] = cf_bits(pixel[c]);
   }
}

CF_INLINE void
fetch_lanes(const struct cf_run *run, const struct cf_fetch *fetch, const uint32_t *index, unsigned lanes,
            uint32_t (*rgba)[CF_TASK_LANES])
{
   const uint8_t *element[CF_TASK_LANES];
   _Alignas(64) uint32_t inside[CF_TASK_LANES];
   locate(run, fetch, index, lanes, element, inside);
   if (!fetch_channels(fetch->format, element, lanes, inside, rgba))
      fetch_pixels(fetch->format, element, inside, rgba);
}

static void
fetch_elements(const struct cf_run *run, const struct cf_fetch *fetch, const uint32_t *index,
               uint32_t (*rgba)[CF_TASK_LANES])
{
   const bool missing = !fetch->format; /* from all draws of the task */
   if (missing || (!fetch->data && run->task->parts == 0))
      memset(rgba, 0, 4 * CF_ROW_B);
   else if (run->exec >> CF_FEW_LANES == 0)
      fetch_lanes(run, fetch, index, CF_FEW_LANES, rgba);
   else
      fetch_lanes(run, fetch, index, CF_TASK_LANES, rgba);
}

const struct cf_step *
CF_LANES(cf_step_ldf)(struct cf_run *run, const struct cf_step *step)
{
   const struct cf_fetch *fetch = &run->stage->fetch[step->imm];
   const uint32_t *index = cf_row(run, step->src[0]);
   uint32_t(*dst)[CF_TASK_LANES] = (uint32_t(*)[CF_TASK_LANES])cf_dst_row(run, step->dst);
   _Alignas(64) uint32_t rgba[4][CF_TASK_LANES];
   if (run->exec == run->first_exec) {
      fetch_elements(run, fetch, index, dst);
      return step + 1;
   }
   fetch_elements(run, fetch, index, rgba);
   for (unsigned c = 0; c < 4; c++)
      cf_store_masked(run, dst[c], rgba[c]);
   return step + 1;
}
