/* SPDX-License-Identifier: MIT */
#include "look_pixel.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "look_image.h"

#include "clipfree/memory/cf_format.h"

bool
look_pixel_read(const struct look_player *player, const struct cf_surface *surface, uint32_t x_px,
                uint32_t y_px, uint32_t sample, uint32_t pixel[4])
{
   struct look_image image;
   return look_image_of(player, surface, &image) &&
          look_image_pixel(&image, x_px, y_px, sample, pixel);
}

/* The bits of a channel. */
static uint32_t
channel_bits(const struct cf_format_channel *channel, const uint32_t pixel[4])
{
   const uint64_t dw = channel->offset_bits / 32;
   const uint64_t word = pixel[dw] | (dw < 3 ? (uint64_t)pixel[dw + 1] << 32 : 0);
   const uint64_t mask = (UINT64_C(1) << channel->bits) - 1;
   return (uint32_t)(word >> (channel->offset_bits % 32) & mask);
}

static json_t *
integer_json(const struct cf_format_channel *channel, uint32_t bits)
{
   const uint32_t sign = 1u << (channel->bits - 1);
   return json_integer(channel->type == CF_CHANNEL_SINT ? (int32_t)((bits ^ sign) - sign)
                                                        : (json_int_t)bits);
}

json_t *
look_pixel_json(enum cf_format format, const uint32_t pixel[4])
{
   const struct cf_format_info *info = cf_format_info_of(format);
   static const char letters[] = "rgba";
   json_t *object = json_object();
   float rgba[4];
   cf_format_fetch(info, (const uint8_t *)pixel, rgba);
   for (uint32_t i = 0; i < info->channels; i++) {
      const struct cf_format_channel *channel = &info->channel[i];
      const uint32_t bits = channel_bits(channel, pixel);
      const char *at = strchr(letters, channel->letter);
      if (channel->letter == 'z')
         json_object_set_new(object, "depth", look_json_float(rgba[0]));
      else if (channel->letter == 's')
         json_object_set_new(object, "stencil", json_integer(bits));
      else if (at && cf_format_is_integer(info))
         json_object_set_new(object, (char[]){ *at, 0 }, integer_json(channel, bits));
      else if (at)
         json_object_set_new(object, (char[]){ *at, 0 }, look_json_float(rgba[at - letters]));
   }
   return object;
}

json_t *
look_json_float(double value)
{
   if (isfinite(value))
      return json_real(value);
   return json_string(isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

json_t *
look_json_floats(const float *values, uint32_t count)
{
   json_t *array = json_array();
   for (uint32_t i = 0; i < count; i++)
      json_array_append_new(array, look_json_float((double)values[i]));
   return array;
}

json_t *
look_json_address(uint64_t address)
{
   return json_sprintf("0x%" PRIx64, address);
}

static json_t *
field_json(const struct cf_field *field, const uint32_t *dw, uint32_t i)
{
   const uint64_t bits = cf_field_bits(field, dw, i);
   const uint32_t low = (uint32_t)bits;
   const char *name;
   float number;
   memcpy(&number, &low, sizeof(number));
   switch ((enum cf_record_kind)field->kind) {
   case CF_RECORD_FLOAT:
      return look_json_float((double)number);
   case CF_RECORD_ADDRESS:
      return look_json_address(bits);
   case CF_RECORD_BOOL:
      return json_boolean(low);
   case CF_RECORD_INT:
      return json_integer((int32_t)low);
   case CF_RECORD_ENUM:
      name = field->value_name(low);
      return name ? json_string(name) : json_integer(low);
   case CF_RECORD_UINT:
      break;
   }
   return json_integer(low);
}

json_t *
look_json_record(const struct cf_record *record, const uint32_t *dw)
{
   json_t *object = json_object();
   for (uint32_t f = 0; f < record->fields; f++) {
      const struct cf_field *field = &record->field[f];
      json_t *value = field->count ? json_array() : field_json(field, dw, 0);
      for (uint32_t i = 0; i < field->count; i++)
         json_array_append_new(value, field_json(field, dw, i));
      json_object_set_new(object, field->name, value);
   }
   return object;
}

const char *
look_text(const json_t *object, const char *name)
{
   const char *value = json_string_value(json_object_get(object, name));
   return value ? value : "";
}

long long
look_number(const json_t *object, const char *name)
{
   return json_integer_value(json_object_get(object, name));
}
