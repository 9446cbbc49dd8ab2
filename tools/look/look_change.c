/* SPDX-License-Identifier: MIT */
#include "look_change.h"

#include <stdio.h>
#include <stdlib.h>

#include "look_error.h"
#include "look_file.h"
#include "look_image.h"
#include "look_ops.h"

#define CODE_ALIGN_B 64

/* Put a program in the place of one. False: it cannot be. */
static bool
replace(const struct look_player *player, uint64_t address, const json_t *change, uint64_t *used_B)
{
   const json_t *words = json_object_get(change, "code"),
                *dwords = json_object_get(change, "descriptor");
   const struct cf_bo extra = look_player_extra(player);
   const size_t count = json_array_size(words);
   uint32_t *dw = look_player_at(player, address, 4 * CF_PROGRAM_DWORDS), packed[CF_PROGRAM_DWORDS];
   uint64_t *code = (uint64_t *)((uint8_t *)extra.map + *used_B);
   struct cf_program program;
   const char *bad_field;
   if (!dw)
      return true; /* not yet in memory */
   for (unsigned i = 0; i < CF_PROGRAM_DWORDS; i++)
      packed[i] = (uint32_t)json_integer_value(json_array_get(dwords, i));
   if (!count || *used_B + 8 * count > extra.size_B ||
       !cf_program_unpack(packed, &program, &bad_field))
      return false;
   for (size_t i = 0; i < count; i++)
      code[i] = strtoull(json_string_value(json_array_get(words, i)), NULL, 16);
   program.code = extra.address + *used_B;
   program.code_instrs = (uint32_t)count;
   cf_program_pack(dw, &program);
   *used_B += (8 * count + CODE_ALIGN_B - 1) / CODE_ALIGN_B * CODE_ALIGN_B;
   return true;
}

bool
look_change_programs(const struct look_player *player, json_t *changes, char *error, size_t error_B)
{
   uint64_t used_B = 0;
   const char *address;
   json_t *change;
   json_object_foreach(changes, address, change)
   {
      if (!replace(player, strtoull(address, NULL, 16), change, &used_B))
         return look_fails(error, error_B, "the program at %s cannot be replaced", address);
   }
   return true;
}

void
look_last_drawn(const struct look_player *player, const struct look_submission *submission,
                struct cf_surface *surface)
{
   struct look_ops ops = { 0 };
   struct look_op op;
   look_ops_enter(&ops, submission);
   while (look_ops_next(&ops, &op)) {
      if (op.opcode == CF_OPCODE_DRAW && ops.state.framebuffer.color_count > 0)
         look_surface_at(player, ops.state.framebuffer.color[0], surface);
   }
}

bool
look_write_pixels(const struct look_player *player, const struct cf_surface *surface,
                  const char *path, char *error, size_t error_B)
{
   struct look_image image;
   struct look_file file;
   uint32_t pixel[4];
   if (!surface->width_px || !look_image_of(player, surface, &image))
      return look_fails(error, error_B, "the capture draws no picture");
   if (!look_file_begin(&file, path, error, error_B))
      return false;
   for (uint32_t y = 0; y < image.image.height_px; y++) {
      for (uint32_t x = 0; x < image.image.width_px; x++) {
         look_image_pixel(&image, x, y, 0, pixel);
         fwrite(pixel, 1, image.image.format->pixel_B, file.file);
      }
   }
   printf("%u %u %s %u\n", image.image.width_px, image.image.height_px, image.image.format->name,
          image.image.format->pixel_B);
   return look_file_end(&file, true, error, error_B);
}
