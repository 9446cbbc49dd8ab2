/* SPDX-License-Identifier: MIT */
#include "report_measure.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/base/cf_for.h"
#include "clipfree/isa/cf_isa_code.h"
#include "clipfree/shader/cf_run.h"

#include "report_alloc.h"

#define FAR_PX 4 /* texels between two pixels */

static uint32_t
lanes_in(uint32_t lanes)
{
   return (uint32_t)__builtin_popcount(lanes);
}

/* ------------------------------------------------------------------ tasks */

static struct report_stage *
stage_of(const struct report_measure *m)
{
   return m->task.fragments ? &m->counts->fragment : &m->counts->vertex;
}

static uint32_t
x_of(const struct report_measure *m, uint32_t lane)
{
   return m->task.quad[lane / 4].x_px + (lane & 1);
}

static uint32_t
y_of(const struct report_measure *m, uint32_t lane)
{
   return m->task.quad[lane / 4].y_px + (lane >> 1 & 1);
}

static void finish_fragments(struct report_measure *m);

/* Keep the task's quads until the draw is done. */
static void
keep_quads(struct report_measure *m)
{
   for (uint32_t q = 0; q < m->task.quads; q++) {
      m->quad = report_grow(m->quad, m->quads, sizeof(m->quad[0]));
      m->quad_lanes = report_grow(m->quad_lanes, m->quads, sizeof(m->quad_lanes[0]));
      m->quad[m->quads] = m->task.quad[q];
      m->quad_lanes[m->quads++] = m->task.lanes >> 4 * q & 15;
   }
   m->counts->quads += m->task.quads;
}

static void
begin_task(void *user, const struct cf_task_event *e)
{
   struct report_measure *m = user;
   if (!m->counts)
      return;
   finish_fragments(m);
   memset(&m->task, 0, sizeof(m->task));
   m->task.fragments = e->quad != NULL;
   m->task.lanes = e->lanes;
   m->task.quads = e->quads;
   m->task.in_quads = !e->quad || e->quads == 8 ? UINT32_MAX : (1u << 4 * e->quads) - 1;
   if (e->quad) {
      memcpy(m->task.quad, e->quad, e->quads * sizeof(e->quad[0]));
      keep_quads(m);
   } else {
      m->task.in_quads = e->lanes;
   }
   struct report_stage *stage = stage_of(m);
   stage->tasks++;
   stage->lanes += lanes_in(e->lanes);
   CF_FOR_BITS(lane, m->task.fragments ? e->lanes : 0)
      report_map_add(m->maps, REPORT_MAP_OVERDRAW, x_of(m, lane), y_of(m, lane), 1);
}

/* Count lanes whose condition holds, and those where it does not. */
static void
count_branch(struct report_instr *counts, const struct cf_run *run, uint32_t live)
{
   const uint32_t *condition = cf_run_operand(run, 0);
   CF_FOR_BITS(lane, live) {
      counts->taken += condition[lane] != 0;
      counts->not_taken += condition[lane] == 0;
   }
}

/* Slots of the instruction that comes next, by what they are for. */
static void
count_slots(struct report_measure *m, struct report_stage *stage, struct report_instr *counts,
            const struct cf_run *run)
{
   const uint32_t alive = run->alive & m->task.lanes, live = run->exec & alive,
                  branched = alive & ~run->exec;
   stage->instructions++;
   stage->live += lanes_in(live);
   stage->branched += lanes_in(branched);
   stage->killed += lanes_in(m->task.lanes & ~alive);
   stage->helper += lanes_in(m->task.in_quads & ~m->task.lanes);
   stage->empty += 32 - lanes_in(m->task.in_quads);
   stage->divergent += branched != 0;
   m->task.instructions++;
   CF_FOR_BITS(lane, live)
      m->task.live[lane]++;
   CF_FOR_BITS(lane, m->task.in_quads & ~live)
      m->task.idle[lane]++;
   CF_FOR_BITS(lane, branched)
      m->task.branched[lane]++;
   counts->runs++;
   counts->live += lanes_in(live);
   counts->branched += lanes_in(branched);
   counts->divergent += branched != 0;
}

/* Whether texels of pixels side by side are so far apart that those between are skipped: with
 * mipmaps they would be two apart at most. */
static bool
are_far(const struct cf_texel *a, const struct cf_texel *b)
{
   const int dx = (int)a->x_px - (int)b->x_px, dy = (int)a->y_px - (int)b->y_px;
   return a->level == b->level && a->layer == b->layer && (abs(dx) >= FAR_PX || abs(dy) >= FAR_PX);
}

/* Count fetches of the last instruction by how far they are from those of the pixels beside. */
static void
finish_fetches(struct report_measure *m)
{
   CF_FOR_BITS(lane, m->task.fragments ? m->task.fetched : 0) {
      bool far = false;
      for (uint32_t side = 1; side <= 2; side++) {
         const uint32_t other = lane ^ side;
         far |=
            m->task.fetched >> other & 1 && are_far(&m->task.first[lane], &m->task.first[other]);
      }
      stage_of(m)->scattered += far;
   }
   m->task.fetched = 0;
}

static void
note_instruction(void *user, const struct cf_task_event *e)
{
   struct report_measure *m = user;
   if (!m->counts)
      return;
   finish_fetches(m);
   struct report_program *program = m->task.fragments ? m->fragment : m->vertex;
   const uint32_t pc = cf_run_at(e->run), live = e->run->exec & e->run->alive & m->task.lanes;
   struct report_stage *stage = stage_of(m);
   const struct cf_instr *instr = cf_run_instr(e->run);
   m->task.instr = program && pc < program->instrs ? &program->instr[pc] : &m->no_instr;
   count_slots(m, stage, m->task.instr, e->run);
   if (instr->op == CF_OP_TEX)
      stage->fetches += lanes_in(live);
   if (instr->op == CF_OP_LDS || instr->op == CF_OP_STS)
      stage->scratch += lanes_in(live);
   if (cf_op_info(instr->op)->form == CF_FORM_FLOW)
      count_branch(m->task.instr, e->run, live);
}

static void
note_texel(void *user, const struct cf_task_event *e, const struct cf_texel *texel)
{
   struct report_measure *m = user;
   if (!m->counts || !(e->run->alive & e->run->exec & m->task.lanes & 1u << texel->lane))
      return;
   stage_of(m)->texels++;
   m->task.instr->texels++;
   m->task.texels[texel->lane]++;
   if (!(m->task.fetched >> texel->lane & 1))
      m->task.first[texel->lane] = *texel;
   m->task.fetched |= 1u << texel->lane;
}

static void
add_to_maps(struct report_measure *m)
{
   CF_FOR_BITS(lane, m->task.in_quads) {
      const uint32_t x_px = x_of(m, lane), y_px = y_of(m, lane);
      report_map_add(m->maps, REPORT_MAP_INSTRUCTIONS, x_px, y_px, m->task.live[lane]);
      report_map_add(m->maps, REPORT_MAP_TEXELS, x_px, y_px, m->task.texels[lane]);
      report_map_add(m->maps, REPORT_MAP_IDLE, x_px, y_px, m->task.idle[lane]);
      report_map_add(m->maps, REPORT_MAP_DIVERGENCE, x_px, y_px, m->task.branched[lane]);
   }
}

static void
end_task(void *user, const struct cf_task_event *e)
{
   struct report_measure *m = user;
   (void)e;
   if (!m->counts)
      return;
   finish_fetches(m);
   if (m->task.fragments)
      add_to_maps(m);
}

/* ------------------------------------------------------------------ fragments */

/* Count quads of the last task of which an early test would have left nothing. Its fragments' fates
 * came after it. */
static void
finish_fragments(struct report_measure *m)
{
   for (uint32_t q = 0; m->task.fragments && q < m->task.quads; q++) {
      const uint32_t lanes = m->task.lanes & 15u << 4 * q;
      if (!lanes || (lanes & ~m->task.seen) || (lanes & m->task.open))
         continue;
      m->counts->hidden_quads++;
      m->counts->hidden_fragments += lanes_in(lanes);
      m->counts->hidden_slots += 4 * m->task.instructions;
   }
   m->task.fragments = false;
}

static void
count_fate(struct report_measure *m, const struct cf_fragment_event *e)
{
   m->counts->fates[e->fate]++;
   if (e->fate == CF_FATE_WRITTEN)
      return;
   report_map_add(m->maps, REPORT_MAP_REJECTED, e->x_px, e->y_px, 1);
   report_map_add(m->maps, REPORT_MAP_FATES + e->fate, e->x_px, e->y_px, 1);
}

static void
note_fragment(void *user, const struct cf_fragment_event *e)
{
   struct report_measure *m = user;
   if (!m->counts)
      return;
   count_fate(m, e);
   CF_FOR_BITS(lane, m->task.lanes) {
      if (x_of(m, lane) != e->x_px || y_of(m, lane) != e->y_px)
         continue;
      m->task.seen |= 1u << lane;
      if (e->fate != CF_FATE_DEPTH && e->fate != CF_FATE_STENCIL)
         m->task.open |= 1u << lane;
   }
}

static void
note_early_test(void *user, const struct cf_fragment_event *e)
{
   struct report_measure *m = user;
   if (m->counts && e->fate != CF_FATE_WRITTEN) /* else it is reported again */
      count_fate(m, e);
}

/* ------------------------------------------------------------------ primitives and blocks */

static void
note_feedback(void *user, const struct cf_feedback_event *e)
{
   struct report_measure *m = user;
   if (m->counts)
      m->counts->fed += e->fits;
}

static void
note_primitive(void *user, const struct cf_primitive_event *e)
{
   struct report_measure *m = user;
   if (!m->counts)
      return;
   m->counts->primitives++;
   m->counts->set_up += e->drop == CF_DROP_NONE;
   m->counts->drops[e->drop]++;
}

static void
note_block(void *user, const struct cf_block_event *e)
{
   struct report_measure *m = user;
   if (!m->counts)
      return;
   m->counts->blocks++;
   m->counts->hiz[e->hiz]++;
   for (uint32_t s = 0; s < CF_SAMPLES; s++)
      m->counts->covered += e->sample_mask >> s & 1 ? lanes_in(e->covered[s]) : 0;
}

/* ------------------------------------------------------------------ draws */

struct cf_observer
report_measure_observer(struct report_measure *measure)
{
   return (struct cf_observer){ .user = measure,
                                .task_begin = begin_task,
                                .instruction = note_instruction,
                                .texel = note_texel,
                                .task_end = end_task,
                                .feedback = note_feedback,
                                .primitive = note_primitive,
                                .block = note_block,
                                .early_test = note_early_test,
                                .fragment = note_fragment };
}

void
report_measure_begin(struct report_measure *measure, struct report_counts *counts,
                     struct report_maps *maps, struct report_program *vertex,
                     struct report_program *fragment)
{
   *measure = (struct report_measure){
      .counts = counts, .maps = maps, .vertex = vertex, .fragment = fragment
   };
}

static int
by_primitive(const void *a, const void *b)
{
   const struct cf_task_quad *x = *(struct cf_task_quad *const *)a,
                             *y = *(struct cf_task_quad *const *)b;
   return (x->primitive > y->primitive) - (x->primitive < y->primitive);
}

/* Lower the map where fragments of a primitive are to the number of its quads. */
static void
add_primitive(struct report_measure *m, struct cf_task_quad *const *quad, uint32_t quads)
{
   for (uint32_t i = 0; i < quads; i++) {
      CF_FOR_BITS(lane, m->quad_lanes[quad[i] - m->quad])
         report_map_lower(m->maps, REPORT_MAP_QUADS, quad[i]->x_px + (lane & 1),
                          quad[i]->y_px + (lane >> 1), quads);
   }
}

/* Quads of a primitive come tile by tile: sorted, they stand together. */
static void
add_primitives(struct report_measure *m)
{
   struct cf_task_quad **sorted = report_alloc(m->quads, sizeof(*sorted));
   for (size_t i = 0; i < m->quads; i++)
      sorted[i] = &m->quad[i];
   qsort(sorted, m->quads, sizeof(*sorted), by_primitive);
   for (size_t i = 0, end; i < m->quads; i = end) {
      for (end = i; end < m->quads && sorted[end]->primitive == sorted[i]->primitive;)
         end++;
      add_primitive(m, &sorted[i], (uint32_t)(end - i));
   }
   free(sorted);
}

void
report_measure_end(struct report_measure *measure)
{
   finish_fragments(measure);
   add_primitives(measure);
   free(measure->quad);
   free(measure->quad_lanes);
   *measure = (struct report_measure){ 0 };
}
