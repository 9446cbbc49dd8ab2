/* SPDX-License-Identifier: MIT */
/*
 * Sampling for compiled programs: one table of functions for each state of texture and sampler,
 * shared by all units in that state. A table's functions begin as calls of the texture unit, which
 * count their runs; compiled functions replace them when they are ready, so that nothing waits.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/isa/cf_isa.h"
#include "clipfree/jit/cf_jit_job.h"
#include "clipfree/texture/cf_texture.h"

/* Calls after which a sample function is compiled. */
#define HOT_SAMPLES 8000

/* Further states are not compiled. */
#define MAX_STATES 1024
#define BUCKETS 64

struct variant {
   struct cf_jit_job job;
   struct cf_sample_key key;
};

struct compiled_sampler {
   struct cf_sample_functions functions;
   struct cf_jit *jit;
   struct cf_sample_key key; /* without a request */
   atomic_bool refused;      /* some variant could not be compiled */
   struct compiled_sampler *next;     /* in the bucket */
   struct variant *_Atomic variant[CF_SAMPLE_VARIANTS];
};

struct cf_jit_samplers {
   pthread_mutex_t lock; /* taken before the engine's */
   unsigned count;
   struct compiled_sampler *bucket[BUCKETS];
};

/* ---- keys ---- */

static bool
has_channel(const struct cf_format_channel *channel)
{
   const bool normalized = channel->type == CF_CHANNEL_UNORM || channel->type == CF_CHANNEL_SNORM;
   return !normalized || channel->bits <= 24;
}

/* Whether texels are part of a dword, or whole dwords, and the code can decode all channels that
 * are read. */
static bool
has_texels(const struct cf_texture_unit *unit)
{
   const uint32_t pixel_B = unit->format->pixel_B;
   bool has = pixel_B <= 2 || pixel_B % 4 == 0;
   for (unsigned c = 0; c < 4; c++)
      has = has && (unit->source[c] >= 4 || has_channel(&unit->format->channel[unit->source[c]]));
   return has;
}

static bool
is_unnormalized(const struct cf_texture_unit *unit)
{
   return unit->sampler.unnormalized || unit->texture.kind == CF_TEXTURE_KIND_RECT;
}

static bool
has_code(const struct cf_texture_unit *unit)
{
   const struct cf_sampler *sampler = &unit->sampler;
   const enum cf_texture_kind kind = unit->texture.kind;
   if (unit->empty || kind == CF_TEXTURE_KIND_CUBE_ARRAY ||
       (unit->format->compression && unit->dims == 1))
      return false;
   const uint8_t wrap[3] = { sampler->wrap_s, sampler->wrap_t, sampler->wrap_r };
   for (unsigned axis = 0; axis < unit->dims && is_unnormalized(unit); axis++) {
      if (wrap[axis] == CF_WRAP_REPEAT)
         return false; /* does not exist in GL */
   }
   return has_texels(unit) && unit->texture.size_B < 1u << 31;
}

static uint8_t
border_component(char letter)
{
   return letter == 'g' ? 1 : letter == 'b' ? 2 : letter == 'a' ? 3 : 0;
}

static struct cf_sample_component
component_of(const struct cf_texture_unit *unit, unsigned source, bool border)
{
   if (source == CF_VIEW_ONE)
      return (struct cf_sample_component){ cf_format_is_integer(unit->format)
                                              ? CF_SAMPLE_INTEGER_ONE
                                              : CF_SAMPLE_ONE };
   if (source >= 4)
      return (struct cf_sample_component){ CF_SAMPLE_ZERO };
   const struct cf_format_channel *channel = &unit->format->channel[source];
   return (struct cf_sample_component){ CF_SAMPLE_CHANNEL, (uint8_t)channel->type,
                                        channel->offset_bits, channel->bits,
                                        border ? border_component(channel->letter) : 0 };
}

bool
cf_sample_key_of(struct cf_sample_key *key, const struct cf_texture_unit *unit)
{
   const struct cf_sampler *sampler = &unit->sampler;
   const uint8_t wrap[3] = { sampler->wrap_s, sampler->wrap_t, sampler->wrap_r };
   memset(key, 0, sizeof(*key));
   if (!has_code(unit))
      return false;
   key->dims = (uint8_t)unit->dims;
   key->cube = unit->cube;
   key->array = unit->array;
   key->compression = (uint8_t)unit->format->compression;
   key->blocks = unit->texture.layout == CF_LAYOUT_BLOCKS && !key->compression;
   key->pixel_B = (uint8_t)unit->format->pixel_B;
   key->samples = unit->texture.samples > 1 ? (uint8_t)unit->texture.samples : 0;
   key->unnormalized = is_unnormalized(unit);
   key->integer = unit->unorm8;
   key->compare = unit->compare;
   key->compare_func = unit->compare ? sampler->compare_func : 0;
   memcpy(key->wrap, wrap, unit->dims);
   key->min_linear = sampler->min_filter == CF_FILTER_LINEAR;
   key->needs_lod = unit->needs_lod;
   if (unit->needs_lod) {
      key->mag_linear = sampler->mag_filter == CF_FILTER_LINEAR;
      key->mip = sampler->mip_filter;
      key->magnify_to_half = sampler->magnify_to_half;
      key->anisotropic = unit->anisotropic;
   }
   key->seamless = unit->seamless && (key->min_linear || key->mag_linear);
   for (unsigned c = 0; c < 4; c++)
      key->component[c] = component_of(unit, unit->source[c], cf_sample_key_has_border(key, true));
   return true;
}

/* Fetches and sizes do not depend on the sampler. */
static void
forget_sampler(struct cf_sample_key *key)
{
   memset(key->wrap, 0, sizeof(key->wrap));
   key->unnormalized = key->needs_lod = key->min_linear = key->mag_linear = key->mip = 0;
   key->magnify_to_half = key->anisotropic = key->seamless = key->integer = 0;
   key->compare = key->compare_func = 0;
   for (unsigned c = 0; c < 4; c++)
      key->component[c].border = 0;
}

void
cf_sample_key_request(struct cf_sample_key *key, uint32_t variant)
{
   key->mode = (uint8_t)cf_texmode_alone(variant >> 5);
   key->offsets = cf_texmode_has_offsets(variant >> 5);
   key->quads = variant >> 4 & 1;
   key->mask = variant & 15;
   if (key->mode == CF_TEXMODE_FETCH || key->mode == CF_TEXMODE_SIZE)
      forget_sampler(key);
   if (key->mode != CF_TEXMODE_FETCH)
      key->samples = 0;
   key->anisotropic = key->anisotropic && key->mode != CF_TEXMODE_LOD &&
                      (key->quads || key->mode == CF_TEXMODE_GRAD);
   for (unsigned c = 0; c < 4; c++) {
      if (!(key->mask >> c & 1))
         key->component[c] = (struct cf_sample_component){ 0 };
   }
}

bool
cf_sample_is_inlined(const struct cf_sample_key *unit, uint32_t variant)
{
   struct cf_sample_key key = *unit;
   cf_sample_key_request(&key, variant);
   return key.mode != CF_TEXMODE_SIZE && key.mode != CF_TEXMODE_QUERY_LOD && key.pixel_B &&
          key.pixel_B <= 4 && !key.needs_lod && key.dims <= 2 && !key.cube && !key.array &&
          !key.compression && !cf_sample_key_has_border(&key, key.min_linear);
}

/* ---- variants ---- */

static struct variant *
variant_of(struct compiled_sampler *sampler, uint32_t number)
{
   struct cf_jit *jit = sampler->jit;
   struct variant *variant = atomic_load_explicit(&sampler->variant[number], memory_order_acquire);
   if (variant)
      return variant;
   pthread_mutex_lock(&jit->samplers->lock);
   variant = atomic_load_explicit(&sampler->variant[number], memory_order_relaxed);
   if (!variant && (variant = calloc(1, sizeof(*variant)))) {
      variant->key = sampler->key;
      cf_sample_key_request(&variant->key, number);
      cf_jit_job_begin(&variant->job, jit, (struct cf_jit_source){ .sample = &variant->key },
                       HOT_SAMPLES);
      atomic_store_explicit(&sampler->variant[number], variant, memory_order_release);
   }
   pthread_mutex_unlock(&jit->samplers->lock);
   return variant;
}

/* Sample by the texture unit. */
static void
sample_interpreted(const struct cf_jit *jit, const struct cf_texture_unit *unit,
                   const float (*strq)[CF_TASK_LANES], uint32_t exec, uint32_t variant,
                   float (*rgba)[CF_TASK_LANES])
{
   const struct cf_texture_request request = {
      .s = strq[0],
      .t = strq[1],
      .r = strq[2],
      .q = strq[3],
      .exec = exec,
      .mode = cf_texmode_alone(variant >> 5),
      .mask = variant & 15,
      .quads = variant >> 4 & 1,
      .operand = strq + 4,
      .offsets = cf_texmode_has_offsets(variant >> 5),
   };
   cf_texture_ops_at(jit->config.level)->sample(unit, &request, rgba);
}

/* The initial function of every variant: counts, and creates the job. */
static void
sample_cold(const struct cf_texture_unit *unit, const float (*strq)[CF_TASK_LANES], uint32_t exec,
            uint32_t number, float (*rgba)[CF_TASK_LANES])
{
   struct compiled_sampler *sampler = (struct compiled_sampler *)unit->functions;
   struct variant *variant = variant_of(sampler, number);
   cf_sample_function function =
      variant ? (cf_sample_function)cf_jit_job_function(&variant->job) : NULL;
   if (function) {
      atomic_store_explicit(&sampler->functions.function[number], function, memory_order_release);
      function(unit, strq, exec, number, rgba);
   } else {
      if (variant && atomic_load_explicit(&variant->job.refused, memory_order_relaxed))
         atomic_store_explicit(&sampler->refused, true, memory_order_relaxed);
      sample_interpreted(sampler->jit, unit, strq, exec, number, rgba);
   }
}

/* ---- states ---- */

static struct compiled_sampler **
bucket_of(struct cf_jit_samplers *samplers, const struct cf_sample_key *key)
{
   uint32_t hash = 2166136261u;
   for (size_t i = 0; i < sizeof(*key); i++)
      hash = (hash ^ ((const uint8_t *)key)[i]) * 16777619u;
   return &samplers->bucket[(hash >> 16) % BUCKETS];
}

static struct compiled_sampler *
add_sampler(struct cf_jit *jit, const struct cf_sample_key *key, struct compiled_sampler **bucket)
{
   struct compiled_sampler *sampler = jit->samplers->count < MAX_STATES
                                         ? aligned_alloc(64, (sizeof(*sampler) + 63) & ~(size_t)63)
                                         : NULL;
   if (!sampler)
      return NULL;
   memset(sampler, 0, sizeof(*sampler));
   sampler->jit = jit;
   sampler->key = *key;
   for (unsigned n = 0; n < CF_SAMPLE_VARIANTS; n++)
      atomic_init(&sampler->functions.function[n], sample_cold);
   sampler->next = *bucket;
   *bucket = sampler;
   jit->samplers->count++;
   return sampler;
}

const struct cf_sample_functions *
cf_jit_sample_functions(struct cf_jit *jit, const struct cf_texture_unit *unit)
{
   struct cf_sample_key key;
   if (!jit->samplers || !cf_sample_key_of(&key, unit))
      return NULL;
   pthread_mutex_lock(&jit->samplers->lock);
   struct compiled_sampler **bucket = bucket_of(jit->samplers, &key), *sampler = *bucket;
   while (sampler && memcmp(&sampler->key, &key, sizeof(key)) != 0)
      sampler = sampler->next;
   if (!sampler)
      sampler = add_sampler(jit, &key, bucket);
   pthread_mutex_unlock(&jit->samplers->lock);
   return sampler ? &sampler->functions : NULL;
}

bool
cf_jit_has_refused_samples(const struct cf_sample_functions *functions)
{
   return atomic_load_explicit(&((const struct compiled_sampler *)functions)->refused,
                               memory_order_relaxed);
}

struct cf_jit_samplers *
cf_jit_samplers_create(void)
{
   struct cf_jit_samplers *samplers = calloc(1, sizeof(*samplers));
   if (samplers)
      pthread_mutex_init(&samplers->lock, NULL);
   return samplers;
}

static void
free_sampler(struct compiled_sampler *sampler)
{
   for (unsigned n = 0; n < CF_SAMPLE_VARIANTS; n++) {
      struct variant *variant = atomic_load_explicit(&sampler->variant[n], memory_order_relaxed);
      if (variant)
         cf_jit_job_end(&variant->job);
      free(variant);
   }
   free(sampler);
}

void
cf_jit_samplers_destroy(struct cf_jit_samplers *samplers)
{
   for (unsigned b = 0; samplers && b < BUCKETS; b++) {
      while (samplers->bucket[b]) {
         struct compiled_sampler *sampler = samplers->bucket[b];
         samplers->bucket[b] = sampler->next;
         free_sampler(sampler);
      }
   }
   if (samplers)
      pthread_mutex_destroy(&samplers->lock);
   free(samplers);
}
