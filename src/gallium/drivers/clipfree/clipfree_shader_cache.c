/* SPDX-License-Identifier: MIT */
/*
 * Compiled shaders in Mesa's disk cache. The key is the shader's NIR, without names, and the
 * options; the cache itself belongs to one build of the driver. An entry is struct cf_binary, as
 * laid out in memory, followed by its code.
 */
#include "clipfree_shader_cache.h"

#include <stdlib.h>

#include "compiler/nir/nir_builder.h"
#include "compiler/nir/nir_serialize.h"
#include "util/blob.h"
#include "util/disk_cache.h"
#include "util/u_memory.h"

#include "clipfree_screen.h"

static bool
cf_clear_unused_swizzles(struct nir_builder *b, nir_alu_instr *alu, void *data)
{
   for (unsigned i = 0; i < nir_op_infos[alu->op].num_inputs; i++) {
      for (unsigned c = nir_ssa_alu_instr_src_components(alu, i); c < NIR_MAX_VEC_COMPONENTS; c++)
         alu->src[i].swizzle[c] = 0;
   }
   return false;
}

void
cf_make_cacheable(struct nir_shader *nir)
{
   nir_shader_alu_pass(nir, cf_clear_unused_swizzles, nir_metadata_all, NULL);
}

static void
cf_cache_key_of(struct cf_screen *screen, const struct nir_shader *nir,
                const struct cf_compile_options *options, cache_key key)
{
   struct blob blob;

   blob_init(&blob);
   nir_serialize(&blob, nir, true);
   blob_write_uint32(&blob, options->flat_shade_colors);
   disk_cache_compute_key(screen->disk_cache, blob.data, blob.size, key);
   blob_finish(&blob);
}

static size_t
cf_code_B(const struct cf_binary *binary)
{
   return binary->program.code_instrs * sizeof(*binary->code);
}

/* The binary of an entry; NULL: the entry is damaged. */
static struct cf_binary *
cf_binary_of_entry(const uint8_t *entry, size_t size_B)
{
   struct cf_binary *binary = CALLOC_STRUCT(cf_binary);

   if (!binary || size_B < sizeof(*binary)) {
      FREE(binary);
      return NULL;
   }
   memcpy(binary, entry, sizeof(*binary));
   binary->code = NULL;
   binary->error = NULL;
   binary->lines = NULL; /* equal shaders may stand on other lines */
   binary->line_count = 0;
   binary->arrays = NULL;
   binary->array_count = 0;
   binary->nir = NULL;
   binary->nir_lines = NULL;
   binary->precisions = NULL;
   if (size_B - sizeof(*binary) == cf_code_B(binary))
      binary->code = malloc(cf_code_B(binary));
   if (!binary->code) {
      FREE(binary);
      return NULL;
   }
   memcpy(binary->code, entry + sizeof(*binary), cf_code_B(binary));
   return binary;
}

static struct cf_binary *
cf_cache_find(struct cf_screen *screen, const cache_key key)
{
   size_t size_B;
   void *entry = disk_cache_get(screen->disk_cache, key, &size_B);
   struct cf_binary *binary = entry ? cf_binary_of_entry(entry, size_B) : NULL;

   free(entry);
   return binary;
}

static void
cf_cache_store(struct cf_screen *screen, const cache_key key, const struct cf_binary *binary)
{
   struct blob blob;

   blob_init(&blob);
   blob_write_bytes(&blob, binary, sizeof(*binary));
   blob_write_bytes(&blob, binary->code, cf_code_B(binary));
   if (!blob.out_of_memory)
      disk_cache_put(screen->disk_cache, key, blob.data, blob.size, NULL);
   blob_finish(&blob);
}

struct cf_binary *
cf_compile_cached(struct cf_screen *screen, const struct nir_shader *nir,
                  const struct cf_compile_options *options, bool *compiled)
{
   const bool cached = screen->disk_cache && !options->debug;
   struct cf_binary *binary = NULL;
   cache_key key;

   if (cached) {
      cf_cache_key_of(screen, nir, options, key);
      binary = cf_cache_find(screen, key);
   }
   *compiled = !binary;
   if (binary)
      return binary;
   binary = cf_compile(nir, options);
   if (cached && binary && !binary->error)
      cf_cache_store(screen, key, binary);
   return binary;
}
