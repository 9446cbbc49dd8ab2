/* SPDX-License-Identifier: MIT */
#include "reduce_gles.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_call.h"
#include "look/look_image.h"
#include "look/look_pixel.h"
#include "look/look_step.h"

#include "reduce_gles_draw.h"
#include "reduce_gles_text.h"
#include "reduce_trial.h"

/* The image that the program draws: that of the last draw, or if there is none, clear. */
struct drawn_target {
   struct cf_surface color, depth_stencil; /* address 0: none */
   bool upside_down;
};

void
reduce_gles_lose(struct reduce_gles *g, const char *format, ...)
{
   char text[256];
   va_list arguments;
   va_start(arguments, format);
   vsnprintf(text, sizeof(text), format, arguments);
   va_end(arguments);
   fprintf(g->calls, "   /* not expressed: %s */\n", text);
   for (size_t i = 0; i < json_array_size(g->lost); i++) {
      if (!strcmp(json_string_value(json_array_get(g->lost, i)), text))
         return;
   }
   json_array_append_new(g->lost, json_string(text));
}

void
reduce_gles_fail(struct reduce_gles *g, const char *format, ...)
{
   va_list arguments;
   if (g->error[0])
      return;
   va_start(arguments, format);
   const int length = snprintf(g->error, g->error_B, "draw %u: ", g->number);
   vsnprintf(g->error + length, g->error_B - (size_t)length, format, arguments);
   va_end(arguments);
}

/* ------------------------------------------------------------------ the target */

static bool
color_of(const struct look_player *player, const struct look_state *state, struct cf_surface *color)
{
   return state->framebuffer.color_count > 0 &&
          look_surface_at(player, state->framebuffer.color[0], color);
}

static bool
is_drawing(const struct look_op *op)
{
   return op->opcode == CF_OPCODE_DRAW || op->opcode == CF_OPCODE_CLEAR;
}

/* Find the target. False: `error`. */
static bool
find_target(const char *capture, struct drawn_target *target, char *error, size_t error_B)
{
   struct look_player *player = look_player_open(capture, NULL, error, error_B);
   struct look_submission submission;
   struct look_ops ops = { 0 };
   struct look_op op;
   bool drawn = false;
   int found = player ? 1 : -1;
   while (found > 0 && (found = look_player_next(player, &submission, error, error_B)) > 0) {
      look_ops_enter(&ops, &submission);
      while (look_ops_next(&ops, &op)) {
         struct cf_surface color;
         if (!is_drawing(&op) || (drawn && op.opcode == CF_OPCODE_CLEAR) ||
             !color_of(player, &ops.state, &color))
            continue;
         target->color = color;
         if (!look_surface_at(player, ops.state.framebuffer.depth_stencil, &target->depth_stencil))
            target->depth_stencil = (struct cf_surface){ 0 };
         target->upside_down = ops.state.viewport.scale_y < 0;
         drawn |= op.opcode == CF_OPCODE_DRAW;
      }
   }
   if (player)
      look_player_close(player);
   if (found == 0 && !target->color.address)
      snprintf(error, error_B, "nothing is drawn to a colour image");
   return found == 0 && target->color.address;
}

/* ------------------------------------------------------------------ what it has at first */

/* The value of all pixels of a surface, as JSON; NULL: they differ. */
static json_t *
uniform_value(const struct look_player *player, const struct cf_surface *surface)
{
   struct look_image image;
   uint32_t first[4], pixel[4];
   if (!surface->address || !look_image_of(player, surface, &image))
      return NULL;
   look_image_pixel(&image, 0, 0, 0, first);
   for (uint32_t y = 0; y < surface->height_px; y++) {
      for (uint32_t x = 0; x < surface->width_px; x++) {
         look_image_pixel(&image, x, y, 0, pixel);
         if (memcmp(pixel, first, sizeof(pixel)) != 0)
            return NULL;
      }
   }
   return look_pixel_json(surface->format, first);
}

static double
member(const json_t *value, const char *name, double otherwise)
{
   const json_t *number = json_object_get(value, name);
   return number ? json_number_value(number) : otherwise;
}

/* What the operation clears as a whole, whatever it was before. */
static void
find_cleared(const struct drawn_target *target, const struct look_op *op, bool *color, bool *zs)
{
   struct cf_clear clear;
   const char *bad_field;
   const bool whole = op->opcode == CF_OPCODE_CLEAR &&
                      cf_clear_unpack(op->packet, &clear, &bad_field) && clear.min_x_px == 0 &&
                      clear.min_y_px == 0 && clear.max_x_px >= target->color.width_px &&
                      clear.max_y_px >= target->color.height_px;
   const bool has_stencil = strchr(cf_format_name(target->depth_stencil.format), 's') != NULL;
   *color = whole && clear.colors & 1 && !clear.color_preserved;
   *zs =
      whole && clear.depth && (!has_stencil || (clear.stencil && clear.stencil_write_mask == 0xff));
}

static void
put_clear(struct reduce_gles *g, const json_t *color, const json_t *zs)
{
   fprintf(g->calls,
           "   glClearColor(%.9g, %.9g, %.9g, %.9g);\n   glClearDepthf(%.9g);\n"
           "   glClearStencil(%.0f);\n"
           "   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);\n",
           member(color, "r", 0), member(color, "g", 0), member(color, "b", 0),
           member(color, "a", 1), member(zs, "depth", 0), member(zs, "stencil", 0));
}

/* Clear to what the images have before the first operation, unless that does. */
static void
put_beginning(struct reduce_gles *g, const struct drawn_target *target, const struct look_op *op)
{
   bool color_cleared, zs_cleared;
   json_t *color = uniform_value(g->player, &target->color),
          *zs = uniform_value(g->player, &target->depth_stencil);
   find_cleared(target, op, &color_cleared, &zs_cleared);
   if (!color && !color_cleared)
      reduce_gles_lose(g, "the image has a picture before the first draw");
   if (target->depth_stencil.address && !zs && !zs_cleared)
      reduce_gles_lose(g, "depths and stencils are not all equal before the first draw");
   if (!color_cleared || (target->depth_stencil.address && !zs_cleared))
      put_clear(g, color, zs);
   json_decref(color);
   json_decref(zs);
}

/* ------------------------------------------------------------------ operations */

static void
put_op(struct reduce_gles *g, const struct look_submission *submission,
       const struct look_state *state, const struct look_op *op)
{
   char call[LOOK_CALL_B];
   look_call(g->player, look_packet_address(submission, op->packet), op->packet, call);
   fprintf(g->calls, "   /* %s */\n", op->opcode == CF_OPCODE_DRAW ? call : "clear");
   if (op->opcode == CF_OPCODE_CLEAR) {
      reduce_gles_clear(g, op->packet);
      return;
   }
   reduce_gles_state(g, state);
   reduce_gles_program(g, state);
   if (!g->error[0])
      reduce_gles_vertices(g, state, op->packet);
}

/* What is written of a capture: operations that draw to the target, as functions. */
struct writing {
   struct reduce_gles *g;
   const struct drawn_target *target;
   struct look_ops ops;
   uint32_t functions;
};

/* What draws to the target is written, then run. */
static bool
step(void *user, struct look_steps *steps, const struct look_state *state, const struct look_op *op)
{
   struct writing *writing = user;
   struct reduce_gles *g = writing->g;
   const struct look_submission packets = look_steps_packets(steps);
   struct cf_surface color;
   if (is_drawing(op) && color_of(steps->player, state, &color) &&
       color.address == writing->target->color.address) {
      g->number = op->draw == LOOK_NO_DRAW ? writing->ops.draws : op->draw;
      fprintf(g->calls, "\nstatic void\noperation_%u(void)\n{\n", writing->functions);
      if (writing->functions == 0)
         put_beginning(g, writing->target, op);
      put_op(g, &packets, state, op);
      fputs("}\n", g->calls);
      writing->functions++;
   }
   look_steps_run(steps, op);
   return !g->error[0];
}

/* All operations that draw to the target, as functions. Returns how many. */
static uint32_t
put_operations(struct reduce_gles *g, const char *capture, const struct drawn_target *target)
{
   char error[CF_CAPTURE_ERROR_B] = "";
   struct look_player *player = reduce_play(capture, error, sizeof(error));
   struct look_submission submission;
   struct writing writing = { .g = g, .target = target };
   int found = player ? 1 : -1;
   g->player = player;
   while (found > 0 && !g->error[0] &&
          (found = look_player_next(player, &submission, error, sizeof(error))) > 0) {
      if (!look_steps_each(player, &submission, &writing.ops, step, &writing))
         snprintf(g->error, g->error_B, "out of memory");
   }
   if (found < 0)
      snprintf(g->error, g->error_B, "%s", error);
   if (player)
      look_player_close(player);
   return writing.functions;
}

/* ------------------------------------------------------------------ the whole */

static void
lose_formats(struct reduce_gles *g, const struct drawn_target *target)
{
   const struct cf_format_info *color = cf_format_info_of(target->color.format);
   const uint32_t zs = target->depth_stencil.address ? target->depth_stencil.format : 0;
   for (uint32_t i = 0; i < color->channels; i++) {
      if (color->channel[i].type != CF_CHANNEL_UNORM || color->channel[i].bits != 8) {
         reduce_gles_lose(g, "the image is of format %s; here it has 8 bits a channel",
                          color->name);
         break;
      }
   }
   if (zs != CF_FORMAT_NONE && zs != CF_FORMAT_Z24_UNORM_S8_UINT && zs != CF_FORMAT_Z24X8_UNORM)
      reduce_gles_lose(g, "depths are of format %s; here they have 24 bits", cf_format_name(zs));
}

static bool
has_alpha(const struct cf_surface *surface)
{
   return strchr(cf_format_name(surface->format), 'a') != NULL;
}

static void
put_file(FILE *file, const struct reduce_gles *g, const struct drawn_target *target,
         const char *arrays, const char *calls, uint32_t functions)
{
   size_t i;
   json_t *lost;
   fputs(reduce_gles_head, file);
   json_array_foreach(g->lost, i, lost) fprintf(
      file, "%s%s;\n", i ? " *   " : " *\n * Not expressed:\n *   ", json_string_value(lost));
   fputs(" */\n", file);
   fputs(reduce_gles_includes, file);
   fprintf(file, "enum { WIDTH = %u, HEIGHT = %u };\n\n", g->width_px, g->height_px);
   fprintf(file, "static const EGLint alpha_bits = %d;\n", has_alpha(&target->color) ? 8 : 0);
   fputs(reduce_gles_functions, file);
   fputs(strstr(calls, "use_program(") ? reduce_gles_programs : "", file);
   fputs(strstr(calls, "set_attribute(") ? reduce_gles_attributes : "", file);
   fputs(strstr(calls, "new_texture(") ? reduce_gles_new_texture : "", file);
   fputs(g->upside_down ? reduce_gles_window : reduce_gles_framebuffer, file);
   fprintf(file, "\n%s%s%s", arrays, calls, reduce_gles_main);
   for (uint32_t k = 0; k < functions; k++)
      fprintf(file, "   operation_%u();\n", k);
   fputs(reduce_gles_end, file);
}

bool
reduce_gles_write(const char *capture, FILE *file, json_t *lost, char *error, size_t error_B)
{
   struct drawn_target target = { 0 };
   char *arrays = NULL, *calls = NULL;
   size_t arrays_B, calls_B;
   error[0] = 0;
   if (!find_target(capture, &target, error, error_B))
      return false;
   struct reduce_gles g = { .arrays = open_memstream(&arrays, &arrays_B),
                            .calls = open_memstream(&calls, &calls_B),
                            .width_px = target.color.width_px,
                            .height_px = target.color.height_px,
                            .upside_down = target.upside_down,
                            .lost = lost,
                            .error = error,
                            .error_B = error_B };
   if (!g.arrays || !g.calls) {
      snprintf(error, error_B, "out of memory");
      return false;
   }
   error[0] = 0;
   const uint32_t functions = put_operations(&g, capture, &target);
   lose_formats(&g, &target);
   fclose(g.arrays);
   fclose(g.calls);
   if (!error[0])
      put_file(file, &g, &target, arrays, calls, functions);
   free(arrays);
   free(calls);
   return !error[0];
}
