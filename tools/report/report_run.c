/* SPDX-License-Identifier: MIT */
#include "report_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look/look_call.h"
#include "look/look_image.h"
#include "look/look_ops.h"
#include "look/look_pixel.h"
#include "look/look_step.h"

#include "clipfree/pixel/cf_pixel.h"

#include "report_alloc.h"
#include "report_measure.h"
#include "report_picture.h"

#define STRIP_WIDTH_PX 240

/* What a frame has in all. */
struct run_frame {
   uint32_t draws, submissions;
};

struct report_run {
   struct report *report;
   struct report_measure measure;
   struct look_player *player;
   struct look_submission submission;
   struct run_frame *frame;
   uint32_t frames;
   uint32_t drawn, submissions; /* of this frame so far */
   uint32_t strip;
};

/* ------------------------------------------------------------------ what frames have */

static void
count_draws(struct report_run *run, uint32_t frame, const struct look_submission *submission)
{
   struct look_ops ops = { 0 };
   struct look_op op;
   while (run->frames <= frame)
      run->frame = report_grow(run->frame, run->frames++, sizeof(run->frame[0]));
   run->frame[frame].submissions++;
   look_ops_enter(&ops, submission);
   while (look_ops_next(&ops, &op))
      run->frame[frame].draws += op.draw != LOOK_NO_DRAW;
}

/* Count what each frame has, without running it. */
static bool
plan(struct report_run *run, const char *path, char *error, size_t error_B)
{
   struct look_player *player = look_player_open(path, NULL, error, error_B);
   struct look_submission submission;
   int found = player ? 1 : -1;
   while (found > 0 && (found = look_player_next(player, &submission, error, error_B)) > 0)
      count_draws(run, look_player_frames(player), &submission);
   if (player)
      look_player_close(player);
   return found == 0;
}

/* ------------------------------------------------------------------ what a draw is */

/* An array of the texts of one kind that the packet's note has. */
static json_t *
texts_of(const struct look_notes *notes, uint64_t packet, enum cf_note_field field)
{
   struct cf_note_part part;
   size_t at = 0;
   json_t *array = json_array();
   while (look_notes_next(notes, packet, field, &at, &part))
      json_array_append_new(array, json_string(part.text));
   return array;
}

static json_t *
about_json(const struct report_run *run, const struct look_op *op)
{
   const uint64_t packet = look_packet_address(&run->submission, run->submission.dw + op->at_dw);
   const struct look_notes *notes = look_player_notes(run->player);
   char call[LOOK_CALL_B];
   json_t *about = json_object();
   look_call(run->player, packet, op->packet, call);
   json_object_set_new(about, "draw", json_integer(op->draw));
   json_object_set_new(about, "call", json_string(call));
   json_object_set_new(about, "submission", json_integer(run->submission.number));
   json_object_set_new(about, "packet", look_json_address(packet));
   json_object_set_new(about, "groups", texts_of(notes, packet, CF_NOTE_GROUP));
   json_object_set_new(about, "labels", texts_of(notes, packet, CF_NOTE_LABEL));
   return about;
}

/* The pixel engine's configuration on the normal path. */
static void
configure(const struct report_run *run, const struct look_state *state,
          const struct cf_program *program, struct cf_pixel_config *config)
{
   const struct cf_framebuffer *frame = &state->framebuffer;
   struct cf_surface surface;
   struct look_image image;
   *config = (struct cf_pixel_config){
      .depth_stencil = state->depth_stencil,
      .stencil_ref = state->stencil_ref,
      .blend_color = state->blend_color,
      .color_count = frame->color_count,
      .samples = frame->samples,
      .sample_mask = state->sample_mask.mask,
      .program_kills = program->uses_kill,
      .program_writes_depth = program->writes_depth,
      .program_early_tests = program->early_tests,
      .program_color0_to_all = program->color0_to_all,
      .program_color_outputs = program->color_outputs,
   };
   memcpy(config->blend, state->blend, sizeof(config->blend));
   for (uint32_t i = 0; i < frame->color_count; i++) {
      if (look_surface_at(run->player, frame->color[i], &surface) &&
          look_image_of(run->player, &surface, &image))
         config->color[i] = image.image;
   }
   if (look_surface_at(run->player, frame->depth_stencil, &surface) &&
       look_image_of(run->player, &surface, &image))
      config->zs = image.image;
   cf_pixel_configure(config);
}

/* Why depth and stencil tests cannot come first. */
static const char *
late_because(const struct cf_pixel_config *config)
{
   if (config->program_writes_depth && config->depth_test)
      return "depth of the program";
   if (config->program_kills)
      return "discard";
   return config->alpha_test ? "alpha test" : "alpha to coverage";
}

static void
look_at_tests(const struct report_run *run, const struct look_state *state,
              struct report_draw *draw)
{
   const uint64_t descriptor = state->shader[CF_SHADER_STAGE_FRAGMENT].program;
   const uint32_t *dw = look_player_at(run->player, descriptor, 4 * CF_PROGRAM_DWORDS);
   struct cf_pixel_config config;
   struct cf_program program;
   const char *bad_field;
   draw->tests = "none";
   draw->shaded = true;
   if (!dw || descriptor % 4 || !cf_program_unpack(dw, &program, &bad_field) ||
       state->framebuffer.color_count > CF_MAX_COLOR_TARGETS)
      return;
   configure(run, state, &program, &config);
   draw->shaded = config.shading_needed;
   if (!config.tests_needed)
      return;
   draw->tests = config.early_tests ? "early" : "late";
   draw->late = config.early_tests ? NULL : late_because(&config);
}

/* ------------------------------------------------------------------ targets */

/* The surface that stands for the frame buffer: its first colour, else depth and stencil. */
static bool
surface_of(const struct report_run *run, const struct look_state *state, struct cf_surface *surface)
{
   for (uint32_t i = 0; i < state->framebuffer.color_count && i < CF_MAX_COLOR_TARGETS; i++) {
      if (look_surface_at(run->player, state->framebuffer.color[i], surface))
         return true;
   }
   return look_surface_at(run->player, state->framebuffer.depth_stencil, surface);
}

/* Note the colours beside the first, each once. */
static void
add_others(const struct report_run *run, const struct look_state *state,
           struct report_target *target)
{
   for (uint32_t i = 0; i < state->framebuffer.color_count && i < CF_MAX_COLOR_TARGETS; i++) {
      struct cf_surface surface;
      if (!look_surface_at(run->player, state->framebuffer.color[i], &surface) ||
          surface.address == target->surface.address)
         continue;
      uint32_t k = 0;
      while (k < target->others && target->other[k].address != surface.address)
         k++;
      if (k == target->others && k < CF_MAX_COLOR_TARGETS)
         target->other[target->others++] = surface;
   }
}

/* The frame's target; it is added if it is new. REPORT_NONE: the draw has none. */
static uint32_t
target_of(const struct report_run *run, const struct look_state *state, uint32_t frame)
{
   const struct cf_framebuffer *size = &state->framebuffer;
   struct report *report = run->report;
   struct cf_surface surface;
   if (!surface_of(run, state, &surface))
      return REPORT_NONE;
   for (size_t i = 0; i < report->targets; i++) {
      const struct report_target *t = report->target[i];
      if (t->frame == frame && t->surface.address == surface.address &&
          t->width_px == size->width_px && t->height_px == size->height_px)
         return (uint32_t)i;
   }
   struct report_target *target = report_alloc(1, sizeof(*target));
   *target = (struct report_target){ .frame = frame,
                                     .surface = surface,
                                     .width_px = size->width_px,
                                     .height_px = size->height_px,
                                     .lowest_first = state->viewport.scale_y > 0,
                                     .maps = { size->width_px, size->height_px, { 0 } } };
   report->target = report_grow(report->target, report->targets, sizeof(report->target[0]));
   report->target[report->targets] = target;
   return (uint32_t)report->targets++;
}

static json_t *
picture_of(const struct report_run *run, const struct cf_surface *surface, uint32_t max_width_px)
{
   struct look_image image;
   struct heat_bytes png = { 0 };
   if (!look_image_of(run->player, surface, &image))
      return json_null();
   report_image_png(&image, max_width_px, &png);
   json_t *url = heat_data_url(&png);
   free(png.data);
   return url;
}

/* Whether the frame's draw number `n` is in its strip. The last one always is. */
static bool
is_in_strip(const struct report_run *run, uint32_t frame, uint32_t n)
{
   const uint32_t draws = run->frame[frame].draws;
   if (!run->strip)
      return false;
   const uint32_t every = (draws + run->strip - 1) / run->strip;
   return (n + 1) % every == 0 || n + 1 == draws;
}

/* ------------------------------------------------------------------ running */

static void
run_draw(struct report_run *run, struct look_steps *steps, const struct look_state *state,
         const struct look_op *op)
{
   struct report *report = run->report;
   struct report_program *program[2];
   const uint32_t frame = look_player_frames(run->player);
   report->draw = report_grow(report->draw, report->draws, sizeof(report->draw[0]));
   struct report_draw *draw = &report->draw[report->draws++];
   draw->frame = frame;
   draw->target = target_of(run, state, frame);
   draw->about = about_json(run, op);
   look_at_tests(run, state, draw);
   for (uint32_t stage = 0; stage < 2; stage++) {
      program[stage] =
         report_program_at(&report->programs, run->player, state->shader[stage].program);
      draw->program[stage] = program[stage] ? program[stage]->number : REPORT_NONE;
   }
   struct report_target *target = draw->target == REPORT_NONE ? NULL : report->target[draw->target];
   struct report_maps nowhere = { 0 };
   report_measure_begin(&run->measure, &draw->counts, target ? &target->maps : &nowhere,
                        program[CF_SHADER_STAGE_VERTEX], program[CF_SHADER_STAGE_FRAGMENT]);
   look_steps_run(steps, op);
   report_measure_end(&run->measure);
   const struct report_stage *sum[2] = { [CF_SHADER_STAGE_VERTEX] = &draw->counts.vertex,
                                         [CF_SHADER_STAGE_FRAGMENT] = &draw->counts.fragment };
   for (uint32_t stage = 0; stage < 2; stage++) {
      if (program[stage]) {
         report_stage_add(&program[stage]->sum, sum[stage]);
         program[stage]->draws++;
      }
   }
   if (target) {
      add_others(run, state, target);
      target->last_draw = op->draw;
      target->draws++;
      if (is_in_strip(run, frame, run->drawn))
         draw->picture = picture_of(run, &target->surface, STRIP_WIDTH_PX);
   }
   run->drawn++;
}

/* Take pictures of the frame's targets. */
static void
end_frame(struct report_run *run, uint32_t frame)
{
   for (size_t i = 0; i < run->report->targets; i++) {
      struct report_target *target = run->report->target[i];
      if (target->frame != frame || target->picture)
         continue;
      target->picture = picture_of(run, &target->surface, 0);
      for (uint32_t k = 0; k < target->others; k++)
         target->other_picture[k] = picture_of(run, &target->other[k], 0);
   }
   run->drawn = run->submissions = 0;
}

static bool
step(void *user, struct look_steps *steps, const struct look_state *state, const struct look_op *op)
{
   struct report_run *run = user;
   if (op->draw == LOOK_NO_DRAW)
      look_steps_run(steps, op);
   else
      run_draw(run, steps, state, op);
   return true;
}

static bool
run_submission(struct report_run *run, struct look_ops *ops, char *error, size_t error_B)
{
   if (!look_steps_each(run->player, &run->submission, ops, step, run)) {
      snprintf(error, error_B, "out of memory");
      return false;
   }
   return look_player_went_well(run->player, error, error_B);
}

static bool
run_all(struct report_run *run, char *error, size_t error_B)
{
   struct look_ops ops = { 0 };
   int found;
   while ((found = look_player_next(run->player, &run->submission, error, error_B)) > 0) {
      const uint32_t frame = look_player_frames(run->player);
      if (!run_submission(run, &ops, error, error_B))
         return false;
      if (++run->submissions == run->frame[frame].submissions)
         end_frame(run, frame);
   }
   run->report->frames = run->frames;
   return found == 0;
}

bool
report_run(struct report *report, const char *path, uint32_t strip, char *error, size_t error_B)
{
   struct report_run run = { .report = report, .strip = strip };
   const struct cf_observer observer = report_measure_observer(&run.measure);
   const struct cf_model_config config = { .engine = CF_ENGINE_INTERP,
                                           .path = CF_PATH_PLAIN,
                                           .observer = &observer };
   bool ok = plan(&run, path, error, error_B);
   if (ok)
      run.player = look_player_open(path, &config, error, error_B);
   ok = run.player && run_all(&run, error, error_B);
   if (run.player)
      look_player_close(run.player);
   free(run.frame);
   return ok;
}

void
report_free(struct report *report)
{
   for (size_t i = 0; i < report->draws; i++) {
      json_decref(report->draw[i].about);
      json_decref(report->draw[i].picture);
   }
   for (size_t i = 0; i < report->targets; i++) {
      report_maps_free(&report->target[i]->maps);
      json_decref(report->target[i]->picture);
      for (uint32_t k = 0; k < report->target[i]->others; k++)
         json_decref(report->target[i]->other_picture[k]);
      free(report->target[i]);
   }
   free(report->draw);
   free(report->target);
   report_programs_free(&report->programs);
}

uint64_t
report_draw_cost(const struct report_draw *draw)
{
   struct report_counts counts = draw->counts;
   if (!draw->shaded)
      counts.fragment = (struct report_stage){ 0 };
   return report_cost(&counts, draw->shaded && !strcmp(draw->tests, "early"));
}
