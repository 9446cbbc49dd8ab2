/* SPDX-License-Identifier: MIT */
/*
 * Vertices, uniforms and textures as arrays.
 */
#include "reduce_gles_draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_image.h"

#include "reduce_case.h"

/* ------------------------------------------------------------------ arrays */

void
reduce_gles_floats(struct reduce_gles *g, const char *name, const float *values, uint32_t count)
{
   bool finite = true;
   for (uint32_t i = 0; i < count; i++)
      finite &= isfinite(values[i]);
   fprintf(g->arrays, "static const %s %s[] = {", finite ? "float" : "unsigned", name);
   for (uint32_t i = 0; i < count; i++) {
      uint32_t bits;
      char number[32];
      memcpy(&bits, &values[i], 4);
      snprintf(number, sizeof(number), "%.9g", (double)values[i]);
      fputs(i % 8 ? " " : "\n   ", g->arrays);
      if (finite)
         fprintf(g->arrays, "%s%sf,", number, strpbrk(number, ".e") ? "" : ".0");
      else
         fprintf(g->arrays, "0x%08" PRIx32 ",", bits);
   }
   fputs("\n};\n", g->arrays);
}

static void
put_bytes(struct reduce_gles *g, const char *name, const uint8_t *bytes, uint32_t count)
{
   fprintf(g->arrays, "static const unsigned char %s[] = {", name);
   for (uint32_t i = 0; i < count; i++)
      fprintf(g->arrays, "%s%u,", i % 24 ? " " : "\n   ", bytes[i]);
   fputs("\n};\n", g->arrays);
}

/* ------------------------------------------------------------------ vertices */

/* The vertices that a draw uses, each once, and which of them each element is. */
struct used {
   uint32_t *vertex, vertices; /* numbers, ascending */
   uint32_t *element, elements;
};

static int
compare_numbers(const void *a, const void *b)
{
   const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
   return (x > y) - (x < y);
}

static uint32_t
index_at(const uint8_t *indices, uint32_t size_B, uint32_t i)
{
   uint32_t index = 0;
   memcpy(&index, indices + (uint64_t)i * size_B, size_B);
   return index;
}

/* The vertex number of each element. False: indices are not in memory. */
static bool
list_elements(const struct reduce_gles *g, const struct cf_draw *draw, uint32_t *element)
{
   const uint64_t at = draw->index_address + (uint64_t)draw->start * draw->index_size_B;
   const uint8_t *indices =
      draw->index_size_B ? look_player_at(g->player, at, (uint64_t)draw->count * draw->index_size_B)
                         : NULL;
   if (draw->index_size_B && !indices)
      return false;
   for (uint32_t i = 0; i < draw->count; i++)
      element[i] = indices ? index_at(indices, draw->index_size_B, i) + (uint32_t)draw->index_bias
                           : draw->start + i;
   return true;
}

static bool
find_used(const struct reduce_gles *g, const struct cf_draw *draw, struct used *used)
{
   used->elements = draw->count;
   used->element = reduce_allocate(draw->count * sizeof(uint32_t));
   used->vertex = reduce_allocate(draw->count * sizeof(uint32_t));
   if (!list_elements(g, draw, used->element))
      return false;
   memcpy(used->vertex, used->element, draw->count * sizeof(uint32_t));
   qsort(used->vertex, draw->count, sizeof(uint32_t), compare_numbers);
   for (uint32_t i = 0; i < draw->count; i++) {
      if (i == 0 || used->vertex[i] != used->vertex[used->vertices - 1])
         used->vertex[used->vertices++] = used->vertex[i];
   }
   for (uint32_t i = 0; i < draw->count; i++) {
      const uint32_t *found = bsearch(&used->element[i], used->vertex, used->vertices,
                                      sizeof(uint32_t), compare_numbers);
      used->element[i] = (uint32_t)(found - used->vertex);
   }
   return true;
}

/* The attribute's values of the vertices that are used, as floats. */
static void
put_attribute(struct reduce_gles *g, const struct cf_vertex_element *element, uint32_t number,
              const char *name, const struct used *used)
{
   const struct cf_format_info *format = cf_format_info_of(element->format);
   const uint32_t channels = format->channels;
   float *values = reduce_allocate((uint64_t)used->vertices * channels * sizeof(float));
   char array[64];
   for (uint32_t i = 0; i < used->vertices; i++) {
      float rgba[4] = { 0 };
      const uint64_t at = (uint64_t)used->vertex[i] * element->stride_B;
      const uint8_t *data = at + format->pixel_B <= element->size_B
                               ? look_player_at(g->player, element->address + at, format->pixel_B)
                               : NULL;
      if (data)
         cf_format_fetch(format, data, rgba);
      memcpy(values + (uint64_t)i * channels, rgba, channels * sizeof(float));
   }
   snprintf(array, sizeof(array), "attribute_%u_%u", g->number, number);
   reduce_gles_floats(g, array, values, used->vertices * channels);
   fprintf(g->calls, "   set_attribute(program, \"%s\", %u, %s);\n", name, channels, array);
   free(values);
}

/* The name of the attribute that reads a vertex element. False: it has none. */
static bool
attribute_name(const struct reduce_gles *g, uint64_t program, uint32_t element, char name[64])
{
   struct cf_note_part part;
   size_t at = 0;
   const char *word;
   while (look_notes_next(look_player_notes(g->player), program, CF_NOTE_ATTRIBUTE, &at, &part)) {
      if (part.variable.place != element || part.variable.columns > 1)
         continue;
      const int length = look_note_word(part.text, &word);
      snprintf(name, 64, "%.*s", length < 63 ? length : 63, word);
      return true;
   }
   return false;
}

static void
put_attributes(struct reduce_gles *g, const struct look_state *state, const struct used *used)
{
   const uint32_t *dw =
      look_player_at(g->player, state->elements.address,
                     4 * (uint64_t)state->elements.count * CF_VERTEX_ELEMENT_DWORDS);
   for (uint32_t i = 0; dw && i < state->elements.count; i++, dw += CF_VERTEX_ELEMENT_DWORDS) {
      struct cf_vertex_element element;
      const char *bad_field;
      char name[64];
      if (!cf_vertex_element_unpack(dw, &element, &bad_field))
         continue;
      if (element.divisor)
         reduce_gles_lose(g, "vertex element %u advances by instance", i);
      if (attribute_name(g, state->shader[CF_SHADER_STAGE_VERTEX].program, i, name))
         put_attribute(g, &element, i, name, used);
      else
         reduce_gles_fail(g, "vertex element %u has no name in GLSL", i);
   }
}

static void
put_indices(struct reduce_gles *g, const struct used *used)
{
   fprintf(g->arrays, "static const unsigned %s indices_%u[] = {",
           used->vertices > 65536 ? "int" : "short", g->number);
   for (uint32_t i = 0; i < used->elements; i++)
      fprintf(g->arrays, "%s%u,", i % 16 ? " " : "\n   ", used->element[i]);
   fputs("\n};\n", g->arrays);
}

void
reduce_gles_vertices(struct reduce_gles *g, const struct look_state *state, const uint32_t *packet)
{
   static const char *const kinds[] = { "GL_POINTS",      "GL_LINES",     "GL_LINE_LOOP",
                                        "GL_LINE_STRIP",  "GL_TRIANGLES", "GL_TRIANGLE_STRIP",
                                        "GL_TRIANGLE_FAN" };
   struct cf_draw draw;
   struct used used = { 0 };
   const char *bad_field;
   if (!cf_draw_unpack(packet, &draw, &bad_field) || draw.count == 0)
      return;
   if (draw.prim > CF_PRIM_KIND_TRIANGLE_FAN)
      reduce_gles_fail(g, "it draws %s, which OpenGL ES has not", cf_prim_kind_name(draw.prim));
   else if (draw.restart)
      reduce_gles_fail(g, "it restarts primitives, which OpenGL ES 2.0 has not");
   else if (!find_used(g, &draw, &used))
      reduce_gles_fail(g, "its indices are not in memory");
   if (!g->error[0]) {
      if (draw.instances > 1)
         reduce_gles_lose(g, "there are %u instances; one is drawn", draw.instances);
      put_attributes(g, state, &used);
      put_indices(g, &used);
      fprintf(g->calls, "   glDrawElements(%s, %u, %s, indices_%u);\n", kinds[draw.prim],
              draw.count, used.vertices > 65536 ? "GL_UNSIGNED_INT" : "GL_UNSIGNED_SHORT",
              g->number);
   }
   free(used.vertex);
   free(used.element);
}

/* ------------------------------------------------------------------ textures */

/* The texel as the shader sees it: the format's view, then the descriptor's. */
static void
fetch_texel(const struct cf_texture *texture, const struct look_image *image, uint32_t x_px,
            uint32_t y_px, float rgba[4])
{
   const enum cf_swizzle swizzle[] = { texture->swizzle_r, texture->swizzle_g, texture->swizzle_b,
                                       texture->swizzle_a };
   uint32_t pixel[4];
   float fetched[4];
   look_image_pixel(image, x_px, y_px, 0, pixel);
   cf_format_fetch(image->image.format, (const uint8_t *)pixel, fetched);
   for (uint32_t i = 0; i < 4; i++)
      rgba[i] = swizzle[i] == CF_SWIZZLE_ZERO  ? 0
                : swizzle[i] == CF_SWIZZLE_ONE ? 1
                                               : fetched[swizzle[i]];
}

/* Texels as bytes of RGBA. Returns whether none is rounded. */
static bool
texels_of(const struct cf_texture *texture, const struct look_image *image, uint8_t *bytes)
{
   bool exact = true;
   for (uint32_t y = 0; y < image->image.height_px; y++) {
      for (uint32_t x = 0; x < image->image.width_px; x++) {
         float rgba[4];
         fetch_texel(texture, image, x, y, rgba);
         for (uint32_t i = 0; i < 4; i++, bytes++) {
            const float limited = rgba[i] > 0 ? rgba[i] < 1 ? rgba[i] : 1 : 0;
            *bytes = (uint8_t)lrintf(limited * 255);
            exact &= rgba[i] == (float)*bytes / 255;
         }
      }
   }
   return exact;
}

/* Depths as 32 bits, from which GL takes the upper ones. */
static void
put_depths(struct reduce_gles *g, const struct look_image *image, const char *array)
{
   const uint32_t bits = image->image.format->channel[0].bits;
   fprintf(g->arrays, "static const unsigned %s[] = {", array);
   for (uint32_t y = 0, i = 0; y < image->image.height_px; y++) {
      for (uint32_t x = 0; x < image->image.width_px; x++, i++) {
         uint32_t pixel[4];
         look_image_pixel(image, x, y, 0, pixel);
         const uint32_t depth = pixel[0] << (32 - bits);
         fprintf(g->arrays, "%s%" PRIu32 "u,", i % 8 ? " " : "\n   ", depth | depth >> bits);
      }
   }
   fputs("\n};\n", g->arrays);
}

/* Texels as bytes, or depths. Returns the words of GL's call that say how they are. */
static const char *
put_texels(struct reduce_gles *g, const struct cf_texture *texture, const struct look_image *image,
           const char *array)
{
   const struct cf_format_channel *first = &image->image.format->channel[0];
   if (first->letter == 'z' && first->bits <= 24 && texture->kind == CF_TEXTURE_KIND_T2D) {
      put_depths(g, image, array);
      return "GL_DEPTH_COMPONENT\0GL_UNSIGNED_INT";
   }
   const uint32_t size_B = 4 * image->image.width_px * image->image.height_px;
   uint8_t *bytes = reduce_allocate(size_B);
   if (!texels_of(texture, image, bytes))
      reduce_gles_lose(g, "texels of format %s are rounded to 8 bits", image->image.format->name);
   put_bytes(g, array, bytes, size_B);
   free(bytes);
   return "GL_RGBA\0GL_UNSIGNED_BYTE";
}

/* A level of a texture, or of a face. False: it is not in memory. */
static bool
put_level(struct reduce_gles *g, const struct cf_texture *texture, uint32_t unit, uint32_t level,
          uint32_t face)
{
   struct look_image image;
   char array[64];
   const bool cube = texture->kind == CF_TEXTURE_KIND_CUBE;
   if (look_image_of_texture(g->player, texture, level, face, &image))
      return false;
   snprintf(array, sizeof(array), "texels_%u_%u_%u_%u", g->number, unit, face, level);
   const char *format = put_texels(g, texture, &image, array), *type = format + strlen(format) + 1;
   fprintf(g->calls, "   glTexImage2D(%s + %u, %u, %s, %u, %u, 0, %s, %s, %s);\n",
           cube ? "GL_TEXTURE_CUBE_MAP_POSITIVE_X" : "GL_TEXTURE_2D", face,
           level - texture->first_level, format, image.image.width_px, image.image.height_px,
           format, type, array);
   return true;
}

static const char *
wrap_name(struct reduce_gles *g, enum cf_wrap wrap)
{
   switch (wrap) {
   case CF_WRAP_REPEAT:
      return "GL_REPEAT";
   case CF_WRAP_MIRROR_REPEAT:
      return "GL_MIRRORED_REPEAT";
   case CF_WRAP_CLAMP_TO_EDGE:
      return "GL_CLAMP_TO_EDGE";
   default:
      reduce_gles_lose(g, "a texture's coordinates are limited by %s", cf_wrap_name(wrap));
      return "GL_CLAMP_TO_EDGE";
   }
}

static void
put_sampler(struct reduce_gles *g, const struct cf_sampler *s, const char *target)
{
   static const char *const filters[2][3] = {
      { "GL_NEAREST", "GL_NEAREST_MIPMAP_NEAREST", "GL_NEAREST_MIPMAP_LINEAR" },
      { "GL_LINEAR", "GL_LINEAR_MIPMAP_NEAREST", "GL_LINEAR_MIPMAP_LINEAR" },
   };
   const struct {
      const char *name, *value;
   } parameters[] = {
      { "GL_TEXTURE_MIN_FILTER", filters[s->min_filter][s->mip_filter] },
      { "GL_TEXTURE_MAG_FILTER", filters[s->mag_filter][0] },
      { "GL_TEXTURE_WRAP_S", wrap_name(g, s->wrap_s) },
      { "GL_TEXTURE_WRAP_T", wrap_name(g, s->wrap_t) },
   };
   for (uint32_t i = 0; i < sizeof(parameters) / sizeof(*parameters); i++)
      fprintf(g->calls, "   glTexParameteri(%s, %s, %s);\n", target, parameters[i].name,
              parameters[i].value);
   if (s->max_anisotropy > 1)
      fprintf(g->calls, "   glTexParameterf(%s, 0x84fe /* anisotropy */, %u);\n", target,
              s->max_anisotropy);
   if (s->compare_enable || s->unnormalized)
      reduce_gles_lose(g, "a texture is compared, or its coordinates are texels");
   if (s->lod_bias < 0 || s->lod_bias > 0)
      reduce_gles_lose(g, "a texture's level of detail is moved by %g", (double)s->lod_bias);
}

/* Levels from the first one on; without mipmaps only that. Mipmaps end with 1 x 1 in OpenGL ES. */
static void
put_levels(struct reduce_gles *g, const struct cf_texture *texture,
           const struct cf_sampler *sampler, uint32_t unit)
{
   const uint32_t faces = texture->kind == CF_TEXTURE_KIND_CUBE ? 6 : 1,
                  last = sampler->mip_filter == CF_MIP_NONE ? texture->first_level
                                                            : texture->last_level;
   const uint32_t longest =
      texture->width_px > texture->height_px ? texture->width_px : texture->height_px;
   for (uint32_t level = texture->first_level; level <= last; level++) {
      for (uint32_t face = 0; face < faces; face++) {
         if (!put_level(g, texture, unit, level, face))
            reduce_gles_lose(g, "level %u of a texture is not in memory", level);
      }
   }
   if (sampler->mip_filter != CF_MIP_NONE && longest >> last > 1)
      reduce_gles_lose(g, "the levels of a texture end before 1 x 1");
}

/* The texture that a sampler reads, in a unit of the program. */
static void
put_texture(struct reduce_gles *g, const struct cf_bind_texture *bind, uint32_t unit)
{
   const uint32_t *dw = look_player_at(g->player, bind->texture, 4 * CF_TEXTURE_DWORDS),
                  *sampler_dw = look_player_at(g->player, bind->sampler, 4 * CF_SAMPLER_DWORDS);
   struct cf_texture texture;
   struct cf_sampler sampler = { 0 };
   const char *bad_field;
   if (!bind->texture || !dw || !cf_texture_unpack(dw, &texture, &bad_field)) {
      fprintf(g->calls, "   /* no texture */\n");
      return;
   }
   if (sampler_dw && !cf_sampler_unpack(sampler_dw, &sampler, &bad_field))
      sampler = (struct cf_sampler){ 0 };
   const char *target =
      texture.kind == CF_TEXTURE_KIND_CUBE ? "GL_TEXTURE_CUBE_MAP" : "GL_TEXTURE_2D";
   if (texture.kind != CF_TEXTURE_KIND_CUBE && texture.kind != CF_TEXTURE_KIND_T2D)
      reduce_gles_lose(g, "a texture is of kind %s", cf_texture_kind_name(texture.kind));
   if (texture.samples > 1)
      reduce_gles_lose(g, "a texture has %u samples", texture.samples);
   fprintf(g->calls, "   new_texture(%s, %u);\n", target, unit);
   put_levels(g, &texture, &sampler, unit);
   put_sampler(g, &sampler, target);
}

uint32_t
reduce_gles_textures(struct reduce_gles *g, const struct look_state *state,
                     enum cf_shader_stage stage, uint32_t unit)
{
   struct cf_note_part part;
   size_t at = 0;
   const char *word;
   while (look_notes_next(look_player_notes(g->player), state->shader[stage].program,
                          CF_NOTE_UNIFORM, &at, &part)) {
      if (part.variable.scalar != CF_NOTE_SAMPLER)
         continue;
      const int length = look_note_word(part.text, &word);
      for (uint32_t i = 0; i < part.variable.elements; i++, unit++) {
         const uint32_t place = part.variable.place + i;
         put_texture(g, &state->texture[stage][place % CF_MAX_TEXTURE_UNITS], unit);
         fprintf(g->calls, "   glUniform1i(glGetUniformLocation(program, \"%.*s", length, word);
         if (word[length] == '[')
            fprintf(g->calls, "[%u]", i);
         fprintf(g->calls, "\"), %u);\n", unit);
      }
   }
   return unit;
}
