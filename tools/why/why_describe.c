/* SPDX-License-Identifier: MIT */
#include "why_describe.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "look/look_call.h"
#include "look/look_lines.h"
#include "look/look_pixel.h"
#include "look/look_state.h"

#include "clipfree/base/cf_for.h"
#include "clipfree/memory/cf_format.h"
#include "clipfree/texture/cf_texture.h"

#include "why_after.h"
#include "why_lines.h"

/* An event, its operation, and the state of the draw. */
struct description {
   const struct why_place *place;
   const struct look_player *player;
   const struct why_op *op;
   const struct why_frame *frame;
   struct why_event *event;
   struct look_state state;
   char call[LOOK_CALL_B];
};

static void
set(json_t *object, const char *name, json_t *value)
{
   json_object_set_new(object, name, value);
}

/* ------------------------------------------------------------------ sentences */

static json_t *
tests_sentence(const char *test, double value, enum cf_compare func, double other)
{
   return json_sprintf("%s: %.9g %s %.9g is false", test, value, cf_compare_name(func), other);
}

static json_t *
stencil_sentence(const struct description *t, uint32_t stored)
{
   const struct cf_depth_stencil *s = &t->state.depth_stencil;
   const bool back = !t->event->fragment.front && s->stencil_back;
   const uint32_t mask = back ? s->back_value_mask : s->front_value_mask;
   const uint32_t ref = back ? t->state.stencil_ref.back : t->state.stencil_ref.front;
   return json_sprintf("stencil test: reference 0x%02" PRIx32 " %s stored 0x%02" PRIx32
                       " under mask 0x%02" PRIx32 " is false",
                       ref & mask, cf_compare_name(back ? s->back_func : s->front_func),
                       stored & mask, mask);
}

/* The depth and stencil that the fragment found. */
static void
stored_zs(const struct description *t, double *depth, uint32_t *stencil)
{
   const struct cf_fragment_event *e = &t->event->fragment;
   const uint32_t pixel[4] = { e->zs_before[0], e->zs_before[1] };
   json_t *zs = look_pixel_json(t->frame->image[CF_MAX_COLOR_TARGETS].format, pixel);
   *depth = json_number_value(json_object_get(zs, "depth"));
   *stencil = (uint32_t)json_integer_value(json_object_get(zs, "stencil"));
   json_decref(zs);
}

/* ", depth test passed: 0.5 less 1" */
static void
print_passed(char text[80], const struct description *t)
{
   const struct cf_depth_stencil *s = &t->state.depth_stencil;
   double depth;
   uint32_t stencil;
   stored_zs(t, &depth, &stencil);
   text[0] = 0;
   if (s->depth_test && t->event->fragment.zs_B)
      snprintf(text, 80, ", depth test passed: %.9g %s %.9g", (double)t->event->fragment.depth,
               cf_compare_name(s->depth_func), depth);
}

/* The second colour, src1 of the factors, if there is one. */
static void
print_second(char *text, size_t size, const struct cf_fragment_event *e)
{
   if (e->blends_second)
      snprintf(text, size, ", src1 is %.9g %.9g %.9g %.9g", (double)e->second_color[0],
               (double)e->second_color[1], (double)e->second_color[2], (double)e->second_color[3]);
}

static json_t *
blend_sentence(const struct description *t)
{
   char passed[80];
   print_passed(passed, t);
   const struct cf_blend *b = &t->state.blend[t->event->target];
   char masked[32] = "";
   if (b->write_mask != 0xf)
      snprintf(masked, sizeof(masked), ", only %s%s%s%s", b->write_mask & 1 ? "r" : "",
               b->write_mask & 2 ? "g" : "", b->write_mask & 4 ? "b" : "",
               b->write_mask & 8 ? "a" : "");
   if (b->write_mask == 0)
      return json_string("it passed all tests, but the colour mask lets no channel through");
   if (b->logicop_enable)
      return json_sprintf("written by logic operation %s%s%s", cf_logicop_name(b->logicop), masked,
                          passed);
   if (!b->enable)
      return json_sprintf("written%s%s", masked, passed);
   char second[100] = "";
   print_second(second, sizeof(second), &t->event->fragment);
   return json_sprintf("blended: %s(%s * source, %s * destination), alpha %s(%s, %s)%s%s%s",
                       cf_blend_func_name(b->color_func), cf_blend_factor_name(b->src_color),
                       cf_blend_factor_name(b->dst_color), cf_blend_func_name(b->alpha_func),
                       cf_blend_factor_name(b->src_alpha), cf_blend_factor_name(b->dst_alpha),
                       second, masked, passed);
}

/* ------------------------------------------------------------------ instructions */

static bool
is_discarded(const struct why_event *event)
{
   return event->inputs && event->fragment.fate == CF_FATE_KILLED && event->kill_at != UINT32_MAX;
}

static bool
is_finite(const struct why_event *event)
{
   return !event->inputs || event->not_finite_at == WHY_FINITE;
}

/* An instruction of the fragment program. */
static json_t *
instruction_json(const struct description *t, uint32_t instr)
{
   return why_instruction_json(t->player, t->state.shader[CF_SHADER_STAGE_FRAGMENT].program, instr);
}

/* Words, and where the instruction is in the source. */
static json_t *
place_sentence(const struct description *t, const char *words, uint32_t instr)
{
   char place[WHY_PLACE_B];
   json_t *instruction = instruction_json(t, instr);
   why_place_text(instruction, "fragment", place);
   json_decref(instruction);
   return json_sprintf("%s%s", words, place);
}

static void
describe_instructions(const struct description *t, json_t *json)
{
   if (is_discarded(t->event))
      set(json, "discard", instruction_json(t, t->event->kill_at));
   if (!is_finite(t->event))
      set(json, "not_finite", instruction_json(t, t->event->not_finite_at));
}

/* ------------------------------------------------------------------ fates */

/* How the program of a fragment that is killed went on. */
static json_t *
killed_sentence(const struct description *t)
{
   const struct why_event *event = t->event;

   switch (event->end) {
   case WHY_END_ENDLESS:
      return json_string("the fragment program did not end: the watchdog stopped it in a loop");
   case WHY_END_WITH_TASK:
      return json_string("the watchdog ended its task, since the program of another fragment in "
                         "it did not end");
   case WHY_END_DONE:
      break;
   }
   return is_discarded(event) ? place_sentence(t, "discarded in ", event->kill_at)
                              : json_string("the fragment shader discarded it");
}

static json_t *
fragment_sentence(const struct description *t)
{
   const struct cf_fragment_event *e = &t->event->fragment;
   const struct cf_depth_stencil *s = &t->state.depth_stencil;
   double depth;
   uint32_t stencil;
   stored_zs(t, &depth, &stencil);
   switch (e->fate) {
   case CF_FATE_KILLED:
      return killed_sentence(t);
   case CF_FATE_COVERAGE:
      return json_sprintf("alpha to coverage: alpha %.9g does not cover the sample",
                          (double)e->color[3]);
   case CF_FATE_ALPHA:
      return tests_sentence("alpha test", (double)e->color[3], s->alpha_func, (double)s->alpha_ref);
   case CF_FATE_STENCIL:
      return stencil_sentence(t, stencil);
   case CF_FATE_DEPTH:
      return tests_sentence("depth test", (double)e->depth, s->depth_func, depth);
   case CF_FATE_WRITTEN:
      break;
   }
   if (t->event->target == CF_MAX_COLOR_TARGETS)
      return json_string(s->depth_write ? "written" : "it passed all tests; depth is not written");
   return blend_sentence(t);
}

/* The sentence, which is taken over; and that hierarchical Z hides the fragment's block. */
static json_t *
with_hiz(const struct why_hiz *hiz, json_t *sentence)
{
   if (!why_hiz_hides(hiz))
      return sentence;
   json_t *more = why_hiz_sentence(hiz);
   json_t *both = json_sprintf("%s, and %s", json_string_value(sentence), json_string_value(more));
   json_decref(sentence);
   json_decref(more);
   return both;
}

/* What became of it, and where a value that is not finite comes from. */
static json_t *
whole_sentence(const struct description *t)
{
   json_t *fate = fragment_sentence(t);
   if (is_finite(t->event))
      return fate;
   json_t *from =
      place_sentence(t, "what the program computed is not finite from ", t->event->not_finite_at);
   json_t *both = json_sprintf("%s; %s", json_string_value(fate), json_string_value(from));
   json_decref(fate);
   json_decref(from);
   return both;
}

/* ------------------------------------------------------------------ rules */

/* The depth in the window of a z / w. */
static double
window_depth(const struct look_state *state, double z_ndc)
{
   return (double)state->viewport.translate_z + (double)state->viewport.scale_z * z_ndc;
}

static double
near_ndc(const struct look_state *state)
{
   return state->raster.clip_halfz ? 0 : -1;
}

static bool
in_scissor(const struct cf_scissor *s, const struct why_watch *watch)
{
   return watch->x_px >= s->min_x_px && watch->x_px < s->max_x_px && watch->y_px >= s->min_y_px &&
          watch->y_px < s->max_y_px;
}

/* Every rule that takes the primitive from the pixel; the first is the verdict. */
static uint32_t
rules_of(const struct description *t, const struct why_watch *watch, enum why_rule rule[8])
{
   const struct why_candidate *c = &t->event->missed;
   const struct cf_raster *raster = &t->state.raster;
   uint32_t count = 0;
   if (raster->discard)
      rule[count++] = WHY_RULE_DISCARD;
   if (c->front ? raster->cull_front : raster->cull_back)
      rule[count++] = WHY_RULE_CULLED;
   if (!in_scissor(&t->state.scissor, watch))
      rule[count++] = WHY_RULE_SCISSOR;
   if ((double)c->z_ndc < near_ndc(&t->state) && raster->depth_clip_near)
      rule[count++] = WHY_RULE_NEAR;
   if (c->z_ndc > 1 && raster->depth_clip_far)
      rule[count++] = WHY_RULE_FAR;
   if (c->cut)
      rule[count++] = WHY_RULE_CLIP_PLANE;
   if (count == 0 && why_ended_before(t->place->plan, t->place->events, t->event->op))
      rule[count++] = WHY_RULE_NOT_RUN;
   if (count == 0)
      rule[count++] = WHY_RULE_UNKNOWN;
   return count;
}

/* The argument of glFrontFace. The raster packet's winding is that of rows that go down; GL's is
 * the viewport's, which goes up unless the driver has turned it. */
static const char *
front_face(const struct look_state *state)
{
   return state->raster.front_ccw != (state->viewport.scale_y > 0) ? "GL_CCW" : "GL_CW";
}

/* "cut by gl_ClipDistance[1], which is negative here"; "cut by clip plane 0, of gl_ClipVertex". */
static json_t *
cut_sentence(const struct description *t)
{
   const struct cf_clip_planes *planes = &t->state.clip_planes;
   const bool distances = planes->has_vertex && planes->distances;
   char text[160] = "";
   size_t length = 0;
   CF_FOR_BITS(plane, t->event->missed.cut)
      length += (size_t)snprintf(text + length, sizeof(text) - length,
                                 distances ? "%sgl_ClipDistance[%u]" : "%sclip plane %u",
                                 length ? ", " : "", (unsigned)plane);
   return json_sprintf("cut by %s%s", text,
                       distances            ? ", which is negative here"
                       : planes->has_vertex ? ", by gl_ClipVertex"
                                            : "");
}

static json_t *
rule_sentence(const struct description *t, enum why_rule rule)
{
   const struct cf_scissor *s = &t->state.scissor;
   switch (rule) {
   case WHY_RULE_CULLED:
      return json_sprintf("culled: it is %s-facing, and %s faces are culled (glFrontFace(%s))",
                          t->event->missed.front ? "front" : "back",
                          t->event->missed.front ? "front" : "back", front_face(&t->state));
   case WHY_RULE_DISCARD:
      return json_string("rasterisation is off (GL_RASTERIZER_DISCARD, or culling of both faces)");
   case WHY_RULE_SCISSOR:
      return json_sprintf("scissored: the rectangle is x %" PRIu32 " to %" PRIu32 ", y %" PRIu32
                          " to %" PRIu32 " (exclusive, rows of memory)",
                          s->min_x_px, s->max_x_px, s->min_y_px, s->max_y_px);
   case WHY_RULE_NEAR:
   case WHY_RULE_FAR:
      return json_sprintf("beyond the %s: its depth here is %.9g, outside of %.9g to %.9g",
                          why_rule_name(rule),
                          window_depth(&t->state, (double)t->event->missed.z_ndc),
                          window_depth(&t->state, near_ndc(&t->state)), window_depth(&t->state, 1));
   case WHY_RULE_CLIP_PLANE:
      return cut_sentence(t);
   case WHY_RULE_STIPPLE:
      return json_string("stipple takes the pixel out");
   case WHY_RULE_SAMPLE_MASK:
      return json_sprintf("the sample mask 0x%" PRIx32 " leaves no covered sample",
                          t->state.sample_mask.mask);
   case WHY_RULE_NOT_RUN:
      return json_string("it was not run: the watchdog had ended the submission");
   case WHY_RULE_NONE:
   case WHY_RULE_UNKNOWN:
      break;
   }
   return json_string("it does not cover the pixel; no single rule explains it");
}

/* ------------------------------------------------------------------ inputs */

/* The stage whose program the event is about. */
static enum cf_shader_stage
stage_of(const struct why_event *event)
{
   return event->kind == WHY_WATCHDOG && event->ended.vertices ? CF_SHADER_STAGE_VERTEX
                                                               : CF_SHADER_STAGE_FRAGMENT;
}

/* The texture that a unit of the stage has, or that it has none. */
static void
describe_texture(const struct description *t, uint32_t unit, json_t *json)
{
   struct cf_texture texture;
   const char *bad_field;
   const uint64_t address =
      unit < CF_MAX_TEXTURE_UNITS ? t->state.texture[stage_of(t->event)][unit].texture : 0;
   const uint32_t *dw = address ? look_player_at(t->player, address, 4 * CF_TEXTURE_DWORDS) : NULL;
   if (!dw || !cf_texture_unpack(dw, &texture, &bad_field)) {
      set(json, "texture", json_null());
      return;
   }
   const struct cf_texture_extent extent = cf_texture_extent(&texture);
   set(json, "texture",
       json_pack("{s:o, s:s, s:s, s:i, s:i, s:i, s:i}", "image", look_json_address(texture.address),
                 "kind", cf_texture_kind_name(texture.kind), "format",
                 cf_format_name(texture.format), "width", (int)extent.width_px, "height",
                 (int)extent.height_px, "first_level", (int)texture.first_level, "last_level",
                 (int)texture.last_level));
}

/* The vertex output that fragment varying slot `slot` is linked to; UINT32_MAX: none. */
static uint32_t
linked_slot(const struct description *t, uint32_t slot)
{
   struct cf_link link;
   const char *bad_field;
   const uint64_t at = t->state.varyings.address + 4 * CF_LINK_DWORDS * (uint64_t)slot;
   const uint32_t *dw = slot < t->state.varyings.count && at % 4 == 0
                           ? look_player_at(t->player, at, 4 * CF_LINK_DWORDS)
                           : NULL;
   return dw && cf_link_unpack(dw, &link, &bad_field) && link.present ? link.slot : UINT32_MAX;
}

/* Its name of GLSL, if the capture has it. *scalar: its type; of what has no name CF_NOTE_FLOAT. */
static bool
name_entry(const struct description *t, enum cf_shader_stage stage, enum cf_note_field field,
           uint32_t place, json_t *entry, enum cf_note_scalar *scalar)
{
   char name[LOOK_NAME_B];
   const bool sampler = *scalar == CF_NOTE_SAMPLER;
   const bool named = look_notes_name(look_player_notes(t->player), t->state.shader[stage].program,
                                      field, sampler, place, name, scalar);
   if (named)
      set(entry, "name", json_string(name));
   else
      *scalar = CF_NOTE_FLOAT;
   return named;
}

/* A uniform's value is that of its type. */
static void
describe_uniform(const struct description *t, json_t *entry)
{
   enum cf_note_scalar scalar = CF_NOTE_FLOAT;
   const uint32_t bits = (uint32_t)look_number(entry, "bits");
   json_object_del(entry, "bits");
   name_entry(t, stage_of(t->event), CF_NOTE_UNIFORM, (uint32_t)look_number(entry, "dword"), entry,
              &scalar);
   if (scalar == CF_NOTE_INT)
      set(entry, "value", json_integer((int32_t)bits));
   else if (scalar == CF_NOTE_UINT)
      set(entry, "value", json_integer(bits));
   else if (scalar == CF_NOTE_BOOL)
      set(entry, "value", json_boolean(bits));
}

/* A varying has the name that the vertex program's output has; without one, the fragment
 * program's input. */
static void
describe_varying(const struct description *t, json_t *entry)
{
   const uint32_t slot = (uint32_t)look_number(entry, "slot"), linked = linked_slot(t, slot),
                  component = (uint32_t)look_number(entry, "component");
   enum cf_note_scalar scalar = CF_NOTE_FLOAT;
   if (linked == UINT32_MAX || !name_entry(t, CF_SHADER_STAGE_VERTEX, CF_NOTE_OUTPUT,
                                           4 * linked + component, entry, &scalar))
      name_entry(t, CF_SHADER_STAGE_FRAGMENT, CF_NOTE_INPUT, 4 * slot + component, entry, &scalar);
}

static void
describe_sample(const struct description *t, json_t *entry)
{
   const uint32_t unit = (uint32_t)look_number(entry, "unit");
   enum cf_note_scalar scalar = CF_NOTE_SAMPLER;
   name_entry(t, stage_of(t->event), CF_NOTE_UNIFORM, unit, entry, &scalar);
   describe_texture(t, unit, entry);
}

/* Each input with its name and lines of GLSL, as far as the capture has them. */
static void
describe_inputs(const struct description *t, json_t *json, const char *name, json_t *inputs)
{
   static const struct {
      const char *name;
      void (*describe)(const struct description *t, json_t *entry);
   } kinds[] = { { "uniforms", describe_uniform },
                 { "varyings", describe_varying },
                 { "samples", describe_sample } };
   const uint64_t program = t->state.shader[stage_of(t->event)].program;
   size_t i;
   json_t *entry;
   for (uint32_t kind = 0; kind < 3; kind++) {
      json_array_foreach(json_object_get(inputs, kinds[kind].name), i, entry)
      {
         kinds[kind].describe(t, entry);
         set(entry, "lines",
             look_lines_json(look_player_notes(t->player), program,
                             (uint32_t)look_number(entry, "instruction")));
      }
   }
   set(json, name, inputs);
}

/* ------------------------------------------------------------------ kinds of events */

static json_t *
equation_json(enum cf_blend_func function, enum cf_blend_factor source,
              enum cf_blend_factor destination)
{
   return json_pack("{s:s, s:s, s:s}", "function", cf_blend_func_name(function), "source",
                    cf_blend_factor_name(source), "destination", cf_blend_factor_name(destination));
}

/* How the colour is brought into the pixel: the equations, or the logic operation; the mask. */
static void
describe_blend(const struct description *t, json_t *json)
{
   const struct cf_fragment_event *e = &t->event->fragment;
   const struct cf_blend *b = &t->state.blend[t->event->target];
   char mask[5] = "";
   for (uint32_t c = 0, at = 0; c < 4; c++) {
      if (b->write_mask >> c & 1)
         mask[at++] = "rgba"[c];
   }
   set(json, "mask", json_string(mask));
   if (b->logicop_enable)
      set(json, "logic_operation", json_string(cf_logicop_name(b->logicop)));
   t->event->replaces =
      e->fate == CF_FATE_WRITTEN && b->write_mask == 0xf && !b->logicop_enable && !b->enable;
   if (b->logicop_enable || !b->enable)
      return;
   json_t *blend = json_pack("{s:o, s:o, s:o}", "color",
                             equation_json(b->color_func, b->src_color, b->dst_color), "alpha",
                             equation_json(b->alpha_func, b->src_alpha, b->dst_alpha), "constant",
                             look_json_floats(t->state.blend_color.color, 4));
   if (e->blends_second)
      set(blend, "second_color", look_json_floats(e->second_color, 4));
   set(json, "blend", blend);
}

static void
describe_fragment(const struct description *t, json_t *json)
{
   const struct cf_fragment_event *e = &t->event->fragment;
   const struct cf_surface *image = &t->frame->image[t->event->target];
   const uint32_t zs_before[4] = { e->zs_before[0], e->zs_before[1] },
                  zs_after[4] = { e->zs_after[0], e->zs_after[1] };
   const bool of_color =
      t->event->target < CF_MAX_COLOR_TARGETS && t->event->target < e->color_count;
   set(json, "sample", json_integer(e->sample));
   set(json, "front", json_boolean(e->front));
   set(json, "fate",
       json_string(t->event->end == WHY_END_DONE ? cf_fate_name(e->fate) : WHY_ENDLESS));
   set(json, "early", json_boolean(t->event->kind == WHY_EARLY));
   set(json, "depth", look_json_float((double)e->depth));
   set(json, "color", look_json_floats(e->color, 4));
   if (of_color) {
      set(json, "before", look_pixel_json(image->format, e->color_before[t->event->target]));
      set(json, "after", look_pixel_json(image->format, e->color_after[t->event->target]));
      describe_blend(t, json);
   }
   if (e->zs_B) {
      const enum cf_format format = t->frame->image[CF_MAX_COLOR_TARGETS].format;
      set(json, "depth_stencil_before", look_pixel_json(format, zs_before));
      set(json, "depth_stencil_after", look_pixel_json(format, zs_after));
   }
   if (t->event->hiz.fate != CF_HIZ_NONE)
      set(json, "hierarchical_z", why_hiz_json(&t->event->hiz));
   if (t->event->inputs)
      describe_inputs(t, json, "inputs", t->event->inputs);
   if (t->event->branches)
      describe_inputs(t, json, "branches", t->event->branches);
   describe_instructions(t, json);
   set(json, "why", with_hiz(&t->event->hiz, whole_sentence(t)));
   const uint32_t mask = of_color ? t->state.blend[t->event->target].write_mask : 0;
   t->event->changed =
      e->fate == CF_FATE_WRITTEN && (of_color ? mask != 0 : t->state.depth_stencil.depth_write);
}

static void
describe_missed(const struct description *t, json_t *json, const struct why_watch *watch)
{
   enum why_rule rule[8];
   const uint32_t count = t->event->kind == WHY_MISSED ? rules_of(t, watch, rule) : 1;
   if (t->event->kind == WHY_MISSED)
      t->event->rule = rule[0];
   else
      rule[0] = t->event->rule;
   json_t *rules = json_array();
   for (uint32_t i = 0; i < count; i++)
      json_array_append_new(rules, json_string(why_rule_name(rule[i])));
   set(json, "rules", rules);
   if (t->event->kind == WHY_MISSED) {
      set(json, "front", json_boolean(t->event->missed.front));
      set(json, "depth", look_json_float(window_depth(&t->state, (double)t->event->missed.z_ndc)));
   }
   set(json, "why", rule_sentence(t, t->event->rule));
}

/* What was not run because of it: the draws after it in the submission. */
static void
print_not_run(char text[80], const struct description *t)
{
   const struct why_plan *plan = t->place->plan;
   uint32_t last = t->op->draw;
   for (uint32_t i = t->event->op + 1; i < plan->ops && plan->op[i].submission == t->op->submission;
        i++)
      last = plan->op[i].draw == WHY_NO_DRAW ? last : plan->op[i].draw;
   text[0] = 0;
   if (last == t->op->draw + 1)
      snprintf(text, 80, "; draw %" PRIu32 " was not run", last);
   else if (last > t->op->draw)
      snprintf(text, 80, "; draws %" PRIu32 " to %" PRIu32 " were not run", t->op->draw + 1, last);
}

static void
describe_watchdog(const struct description *t, json_t *json)
{
   const struct why_ended *ended = &t->event->ended;
   const enum cf_shader_stage stage = stage_of(t->event);
   char not_run[80], place[WHY_PLACE_B];
   print_not_run(not_run, t);
   json_t *last = why_instruction_json(t->player, t->state.shader[stage].program,
                                       ended->instruction);
   why_place_text(last, cf_shader_stage_name(stage), place);
   json_object_update(json, last);
   json_decref(last);
   set(json, "stage", json_string(cf_shader_stage_name(stage)));
   describe_inputs(t, json, "branches", t->event->branches);
   if (!ended->vertices) {
      set(json, "x", json_integer(ended->x_px));
      set(json, "y", json_integer(ended->y_px));
      set(json, "primitive", json_integer(t->event->primitive));
      set(json, "why",
          json_sprintf("the fragment program of primitive %" PRIu32 " did not end at pixel %" PRIu32
                       ",%" PRIu32
                       ": the watchdog stopped it in a loop, at %s, and with it the submission%s",
                       t->event->primitive, ended->x_px, ended->y_px, place, not_run));
      return;
   }
   set(json, "element", json_integer(ended->element));
   set(json, "vertex", json_integer(ended->vertex));
   set(json, "instance", json_integer(ended->instance));
   set(json, "why",
       json_sprintf("the vertex program did not end for vertex %" PRIu32
                    ": the watchdog stopped it in a loop, at %s, and with it the submission, "
                    "before anything of the frame buffer's pass was rasterised%s",
                    ended->vertex, place, not_run));
}

static void
describe_clear(const struct description *t, json_t *json)
{
   const struct cf_surface *image = &t->frame->image[t->event->target];
   const uint32_t pixel_B = cf_format_info_of(image->format)->pixel_B;
   uint32_t whole[4] = { 0 };
   memset(whole, 0xff, pixel_B);
   const bool all = !memcmp(t->event->mask, whole, pixel_B);
   set(json, "value", look_pixel_json(image->format, t->event->value));
   set(json, "whole", json_boolean(all));
   set(json, "why", json_string(all ? "cleared" : "cleared in part: other bits of the pixel stay"));
   t->event->changed = true;
   t->event->replaces = all;
}

static void
describe_transfer(const struct why_place *place, const struct description *t, json_t *json)
{
   uint32_t dwords;
   const char *name = cf_packet_name(t->op->opcode, &dwords);
   const uint32_t samples =
      why_is_resolve(&t->op->source, &t->op->destination) ? t->op->source.samples : 0;
   t->event->changed = t->event->replaces = true;
   set(json, "operation", json_string(name));
   if (samples)
      set(json, "mean_of_samples", json_integer(samples));
   for (uint32_t w = 0; w < place->plan->watches; w++) {
      const struct why_watch *source = &place->plan->watch[w];
      if (w == t->event->watch || source->copied_to != t->event->watch)
         continue;
      set(json, "from",
          json_pack("{s:o, s:i, s:i}", "image", look_json_address(source->image.address), "x",
                    (int)source->x_px, "y", (int)source->y_px));
      set(json, "why",
          json_sprintf("%s of pixel %" PRIu32 ",%" PRIu32 " of image 0x%" PRIx64 "%s", name,
                       source->x_px, source->y_px, source->image.address,
                       samples ? ": the mean of its samples" : ""));
      return;
   }
   set(json, "why",
       json_sprintf(t->op->opcode == CF_OPCODE_REDUCE
                       ? "%s: the mean of four pixels of image 0x%" PRIx64
                       : "%s of image 0x%" PRIx64,
                    name,
                    t->op->opcode == CF_OPCODE_INVALIDATE ? t->op->destination.address
                                                          : t->op->source.address));
}

static const char *
kind_name(enum why_kind kind)
{
   switch (kind) {
   case WHY_FRAGMENT:
   case WHY_EARLY:
      return "fragment";
   case WHY_REMOVED:
   case WHY_MISSED:
      return "primitive";
   case WHY_WATCHDOG:
      return "watchdog";
   case WHY_CLEAR:
      return "clear";
   case WHY_TRANSFER:
      break;
   }
   return "transfer";
}

/* Texts of a kind in the draw's note; NULL: there are none. */
static json_t *
texts_of(const struct description *t, enum cf_note_field field)
{
   struct cf_note_part part;
   size_t at = 0;
   json_t *texts = NULL;
   while (look_notes_next(look_player_notes(t->player), t->op->packet, field, &at, &part)) {
      texts = texts ? texts : json_array();
      json_array_append_new(texts, json_string(part.text));
   }
   return texts;
}

static void
describe_place(const struct why_place *place, const struct description *t, json_t *json)
{
   const struct why_watch *watch = &place->plan->watch[t->event->watch];
   set(json, "what", json_string(kind_name(t->event->kind)));
   set(json, "frame", json_integer(t->op->frame_number));
   set(json, "submission", json_integer(t->op->submission));
   set(json, "packet", look_json_address(t->op->packet));
   if (t->event->kind != WHY_WATCHDOG) {
      set(json, "image", look_json_address(watch->image.address));
      set(json, "x", json_integer(watch->x_px));
      set(json, "y", json_integer(watch->y_px));
   }
   if (t->op->opcode != CF_OPCODE_DRAW)
      return;
   set(json, "draw", json_integer(t->op->draw));
   set(json, "call", json_string(t->call));
   json_t *groups = texts_of(t, CF_NOTE_GROUP), *labels = texts_of(t, CF_NOTE_LABEL);
   if (groups)
      set(json, "groups", groups);
   if (labels)
      set(json, "labels", labels);
   if (t->event->kind != WHY_WATCHDOG)
      set(json, "primitive", json_integer(t->event->primitive));
   set(json, "program", look_json_address(t->state.shader[stage_of(t->event)].program));
}

json_t *
why_describe(const struct why_place *place, struct why_event *event)
{
   struct description t = {
      .place = place, .player = place->player, .op = &place->plan->op[event->op], .event = event
   };
   json_t *json = json_object();
   t.frame = &place->plan->frame[t.op->frame];
   const uint32_t *packet = look_state_at(place->submission, t.op->packet, &t.state);
   if (packet)
      look_call(place->player, t.op->packet, packet, t.call);
   describe_place(place, &t, json);
   switch (event->kind) {
   case WHY_FRAGMENT:
   case WHY_EARLY:
      describe_fragment(&t, json);
      break;
   case WHY_REMOVED:
   case WHY_MISSED:
      describe_missed(&t, json, &place->plan->watch[event->watch]);
      break;
   case WHY_WATCHDOG:
      describe_watchdog(&t, json);
      break;
   case WHY_CLEAR:
      describe_clear(&t, json);
      break;
   case WHY_TRANSFER:
      describe_transfer(place, &t, json);
      break;
   }
   return json;
}
