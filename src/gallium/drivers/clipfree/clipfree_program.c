/* SPDX-License-Identifier: MIT */
/*
 * Shaders. NIR arrives lowered by pipe_screen::finalize_nir. A shader is compiled when it is
 * created, so that an error becomes a link error with its reason. A fragment shader that reads
 * colors is compiled again as a variant when it is first drawn with flat shading.
 */
#include "clipfree_program.h"

#include "compiler/nir/nir.h"
#include "nir/tgsi_to_nir.h"
#include "util/u_debug.h"
#include "util/u_memory.h"

#include "clipfree_context.h"
#include "clipfree_debug.h"
#include "clipfree_screen.h"
#include "clipfree_shader_cache.h"
#include "clipfree_shader_log.h"

/* ------------------------------------------------------------------ variants */

/* Put descriptor and code into GPU memory. NULL: out of memory. */
static struct cf_buffer *
cf_upload_program(struct cf_screen *screen, const struct cf_binary *binary)
{
   const uint32_t head_B = ALIGN_POT(4 * CF_PROGRAM_DWORDS, 64);
   const uint64_t code_B = (uint64_t)binary->program.code_instrs * sizeof(*binary->code);
   struct cf_buffer *buffer = cf_buffer_create(screen, head_B + code_B);
   if (!buffer)
      return NULL;

   struct cf_program program = binary->program;
   program.code = buffer->bo.address + head_B;
   cf_program_pack(buffer->bo.map, &program);
   memcpy((uint8_t *)buffer->bo.map + head_B, binary->code, code_B);
   return buffer;
}

static void
cf_variant_destroy(struct cf_variant *variant)
{
   cf_buffer_reference(&variant->buffer, NULL);
   if (variant->binary)
      cf_binary_free(variant->binary);
   FREE(variant);
}

/* Compile. On failure returns NULL and leaves an allocated message in *error. */
static struct cf_variant *
cf_variant_compile(struct cf_context *context, struct cf_shader_object *shader,
                   const struct cf_compile_options *options, char **error)
{
   struct cf_screen *screen = context->screen;
   struct cf_variant *variant = CALLOC_STRUCT(cf_variant);
   bool compiled = false;

   if (variant) {
      variant->options = *options;
      cf_shader_log_begin(screen->shader_log, &variant->options);
      variant->binary = cf_compile_cached(screen, shader->nir, &variant->options, &compiled);
   }
   if (variant && variant->binary)
      cf_shader_log_end(screen, shader, &variant->options, variant->binary);
   if (variant && variant->binary && variant->binary->error) {
      *error = strdup(variant->binary->error);
      cf_variant_destroy(variant);
      return NULL;
   }
   if (variant && variant->binary)
      variant->buffer = cf_upload_program(screen, variant->binary);
   if (!variant || !variant->buffer) {
      cf_no_memory(context);
      *error = strdup("out of memory");
      if (variant)
         cf_variant_destroy(variant);
      return NULL;
   }
   if (compiled)
      context->counters[CF_COUNTER_COMPILATIONS]++;
   util_debug_message(&context->base.debug, SHADER_INFO, "%s", variant->binary->stats);
   if (variant->binary->spills)
      util_debug_message(
         &context->base.debug, PERF_INFO,
         "clipfree: a %s shader needs more registers than there are: %u are spilled to memory",
         cf_shader_stage_name(shader->stage), variant->binary->spills);
   return variant;
}

/* Find the variant, or compile it and add it at the list's head. */
static struct cf_variant *
cf_find_variant(struct cf_context *context, struct cf_shader_object *shader, bool flat_shade,
                char **error)
{
   const uint32_t debug = cf_debug_compile_flags(context->screen->debug, shader->stage);
   const struct cf_compile_options options = {
      .debug = debug,
      .flat_shade_colors = flat_shade,
      .lines = context->screen->notes || debug & CF_COMPILE_ASM,
      .nir = context->screen->notes != NULL,
      .passes_off = context->screen->passes_off,
      .mediump = context->screen->mediump,
   };

   for (struct cf_variant *v = shader->variants; v; v = v->next) {
      if (v->options.flat_shade_colors == flat_shade)
         return v;
   }
   struct cf_variant *variant = cf_variant_compile(context, shader, &options, error);
   if (variant) {
      context->counters[CF_COUNTER_VARIANTS]++;
      variant->next = shader->variants;
      shader->variants = variant;
   }
   return variant;
}

const struct cf_variant *
cf_shader_variant(struct cf_context *context, struct cf_shader_object *shader, bool flat_shade)
{
   char *error = NULL;

   simple_mtx_lock(&shader->lock);
   struct cf_variant *variant =
      cf_find_variant(context, shader, flat_shade && shader->reads_colors, &error);
   simple_mtx_unlock(&shader->lock);
   if (!variant)
      util_debug_message(&context->base.debug, ERROR, "clipfree: shader not compiled: %s",
                         error ? error : "out of memory");
   free(error);
   return variant;
}

/* ------------------------------------------------------------------ shader objects */

static bool
cf_reads_colors(const struct nir_shader *nir)
{
   return nir->info.stage == MESA_SHADER_FRAGMENT &&
          nir->info.inputs_read & (VARYING_BIT_COL0 | VARYING_BIT_COL1);
}

static bool
cf_reads_vertex_id(const struct nir_shader *nir)
{
   return BITSET_TEST(nir->info.system_values_read, SYSTEM_VALUE_VERTEX_ID) ||
          BITSET_TEST(nir->info.system_values_read, SYSTEM_VALUE_VERTEX_ID_ZERO_BASE);
}

static void
cf_shader_destroy(struct cf_shader_object *shader)
{
   for (unsigned i = 0; i < CF_PASSTHROUGH_KINDS; i++) {
      if (shader->passthrough[i])
         cf_shader_destroy(shader->passthrough[i]);
   }
   while (shader->variants) {
      struct cf_variant *variant = shader->variants;
      shader->variants = variant->next;
      cf_variant_destroy(variant);
   }
   simple_mtx_destroy(&shader->lock);
   ralloc_free(shader->nir);
   FREE(shader);
}

static void *
cf_create_shader(struct pipe_context *pcontext, const struct pipe_shader_state *templat)
{
   struct cf_context *context = cf_context(pcontext);
   struct cf_shader_object *shader = CALLOC_STRUCT(cf_shader_object);
   char *error = NULL;

   if (!shader) {
      if (templat->type == PIPE_SHADER_IR_NIR)
         ralloc_free(templat->ir.nir);
      return cf_no_memory(context);
   }
   shader->nir = templat->type == PIPE_SHADER_IR_NIR
                    ? templat->ir.nir
                    : tgsi_to_nir(templat->tokens, pcontext->screen, false);
   cf_make_cacheable(shader->nir);
   shader->stage = cf_stage_of((enum pipe_shader_type)shader->nir->info.stage);
   shader->reads_colors = cf_reads_colors(shader->nir);
   shader->reads_primitive_id = cf_reads_primitive_id(shader->nir);
   shader->reads_vertex_id = cf_reads_vertex_id(shader->nir);
   shader->pure = !shader->nir->info.writes_memory;
   shader->writes_layer = shader->stage == CF_SHADER_STAGE_GEOMETRY &&
                          shader->nir->info.outputs_written & VARYING_BIT_LAYER;
   shader->clip_distances = BITFIELD_MASK(shader->nir->info.clip_distance_array_size);
   simple_mtx_init(&shader->lock, mtx_plain);

   if (!cf_find_variant(context, shader, false, &error)) {
      if (templat->report_compile_error)
         ((struct pipe_shader_state *)templat)->error_message = error;
      else
         free(error);
      cf_shader_destroy(shader);
      return NULL;
   }
   return shader;
}

static void
cf_delete_shader(struct pipe_context *pcontext, void *object)
{
   if (object) /* Mesa's blitter deletes what could not be created, too */
      cf_shader_destroy(object);
}

static void
cf_bind_shader(struct cf_context *context, enum cf_shader_stage stage, void *object)
{
   context->stage[stage].shader = object;
   context->dirty |= CF_DIRTY_PROGRAMS;
}

static void
cf_bind_vs_state(struct pipe_context *pcontext, void *object)
{
   cf_bind_shader(cf_context(pcontext), CF_SHADER_STAGE_VERTEX, object);
}

static void
cf_bind_fs_state(struct pipe_context *pcontext, void *object)
{
   cf_bind_shader(cf_context(pcontext), CF_SHADER_STAGE_FRAGMENT, object);
}

static void
cf_bind_gs_state(struct pipe_context *pcontext, void *object)
{
   cf_context(pcontext)->geometry = object;
   cf_bind_shader(cf_context(pcontext), CF_SHADER_STAGE_GEOMETRY, object);
}

void
cf_context_init_programs(struct cf_context *context)
{
   context->base.create_vs_state = cf_create_shader;
   context->base.create_fs_state = cf_create_shader;
   context->base.create_gs_state = cf_create_shader;
   context->base.bind_vs_state = cf_bind_vs_state;
   context->base.bind_fs_state = cf_bind_fs_state;
   context->base.bind_gs_state = cf_bind_gs_state;
   context->base.delete_vs_state = cf_delete_shader;
   context->base.delete_fs_state = cf_delete_shader;
   context->base.delete_gs_state = cf_delete_shader;
}

/* ------------------------------------------------------------------ link */

/* The slot of an output of a vertex or geometry program; -1: it has none. */
static int
cf_find_output(const struct cf_binary *vertex, unsigned location)
{
   for (unsigned k = 0; k < vertex->varying_slots; k++) {
      if (vertex->location[k] == location)
         return k;
   }
   return -1;
}

static bool
cf_is_sprite_coord(unsigned location, uint32_t sprite_coords)
{
   if (location == VARYING_SLOT_PNTC)
      return true;
   if (location >= VARYING_SLOT_TEX0 && location <= VARYING_SLOT_TEX7)
      return sprite_coords & BITFIELD_BIT(location - VARYING_SLOT_TEX0);
   return false;
}

static struct cf_link
cf_link_slot(const struct cf_binary *vertex, unsigned location,
             const struct cf_raster_object *raster)
{
   const bool is_color = location == VARYING_SLOT_COL0 || location == VARYING_SLOT_COL1;
   const int slot = cf_find_output(vertex, location);
   const int back = is_color && raster->two_sided
                       ? cf_find_output(vertex, location - VARYING_SLOT_COL0 + VARYING_SLOT_BFC0)
                       : -1;

   /* a program may write only the back color; the front color is undefined then */
   return (struct cf_link){
      .slot = slot >= 0 ? slot : MAX2(back, 0),
      .back_slot = MAX2(back, 0),
      .present = slot >= 0 || back >= 0,
      .two_sided = back >= 0,
      .sprite = cf_is_sprite_coord(location, raster->sprite_coords),
   };
}

/* Add a slot for what clip planes cut. Returns its number. */
static unsigned
cf_link_corners(int output, struct cf_link *link, unsigned *count)
{
   link[*count] = (struct cf_link){ .slot = output, .present = true, .corners = true };
   return (*count)++;
}

/* Link what the enabled clip planes cut, if it is not the position. */
static void
cf_link_clip_planes(const struct cf_binary *vertex, uint8_t enabled, uint8_t distances,
                    struct cf_link *link, unsigned *count, struct cf_clip_link *clip)
{
   const int clip_vertex = cf_find_output(vertex, VARYING_SLOT_CLIP_VERTEX);
   const int first = cf_find_output(vertex, VARYING_SLOT_CLIP_DIST0);
   const int second = cf_find_output(vertex, VARYING_SLOT_CLIP_DIST1);
   *clip = (struct cf_clip_link){ 0 };
   if (!enabled || *count + 2 > CF_MAX_VARYING_SLOTS)
      return;
   if (first >= 0) {
      clip->has_vertex = true;
      clip->distances = distances & (second >= 0 ? 0xff : 0xf);
      clip->vertex_varying = cf_link_corners(first, link, count);
      if (second >= 0)
         clip->second_varying = cf_link_corners(second, link, count);
   } else if (clip_vertex >= 0) {
      clip->has_vertex = true;
      clip->vertex_varying = cf_link_corners(clip_vertex, link, count);
   }
}

const struct cf_shader_object *
cf_last_vertex_shader(const struct cf_context *context)
{
   const struct cf_shader_object *geometry = context->stage[CF_SHADER_STAGE_GEOMETRY].shader;
   return geometry ? geometry : context->stage[CF_SHADER_STAGE_VERTEX].shader;
}

unsigned
cf_link_geometry(const struct cf_binary *vertex, const struct cf_binary *geometry,
                 struct cf_link *link)
{
   for (unsigned k = 0; k < geometry->input_slots; k++) {
      const int slot = cf_find_output(vertex, geometry->input_location[k]);
      link[k] = (struct cf_link){ .slot = MAX2(slot, 0), .present = slot >= 0 };
   }
   return geometry->input_slots;
}

unsigned
cf_link_programs(const struct cf_binary *vertex, const struct cf_binary *fragment,
                 const struct cf_raster_object *raster, uint8_t distances, struct cf_link *link,
                 struct cf_clip_link *clip)
{
   unsigned count = fragment->varying_slots;

   for (unsigned k = 0; k < count; k++) {
      link[k] = cf_link_slot(vertex, fragment->location[k], raster);
      link[k].flat = fragment->flat[k];
   }
   cf_link_clip_planes(vertex, raster->clip, distances, link, &count, clip);
   return count;
}
