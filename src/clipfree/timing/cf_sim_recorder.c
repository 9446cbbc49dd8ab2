/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_recorder.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/base/cf_for.h"

/* A vertex task that runs: texels and steps so far by lane. Named by its run. */
struct vertex_task {
   const struct cf_run *run;
   uint16_t records[CF_SIM_LANES];
};

struct cf_sim_recorder {
   struct cf_sim_recorder_config config;
   struct cf_sim_chunk chunk;
   /* Number of the operation whose packet is in this dword of the submission; of the second one,
    * with HAS_GEOMETRY, of a draw with a geometry program. Written before the packet's work
    * begins. */
   uint32_t *op_at;
   size_t op_at_room;
   uint64_t address; /* of the submission */
   uint32_t frame, ops;
   /* images by number; textures by number */
   uint64_t *image, *texture, *buffer;
   size_t images, image_room, textures, texture_room, buffers, buffer_room;
   pthread_mutex_t lock; /* of what follows, and of the chunk but for its tiles and operations */
   struct vertex_task *task;
   size_t tasks, task_room;
   atomic_bool failed;
};

static void
fail(struct cf_sim_recorder *r)
{
   atomic_store_explicit(&r->failed, true, memory_order_relaxed);
}

static bool
has_failed(const struct cf_sim_recorder *r)
{
   return atomic_load_explicit(&r->failed, memory_order_relaxed);
}

/* Room for an item more; false: there is none. When something has failed, nothing more is recorded:
 * what events refer to may be missing. */
#define ROOM(r, array, used, room)                                                                 \
   ({                                                                                              \
      void *grown_ =                                                                               \
         has_failed(r) ? NULL : cf_sim_grow(array, used, 1, &(room), sizeof((array)[0]));          \
      if (grown_)                                                                                  \
         (array) = grown_;                                                                         \
      else                                                                                         \
         fail(r);                                                                                  \
      grown_ != NULL;                                                                              \
   })

#define HAS_GEOMETRY (1u << 31)

/* The operation of a draw's primitives and fragments, of a clear or a transfer. */
static uint32_t
op_of(const struct cf_sim_recorder *r, uint64_t packet)
{
   return r->op_at[(packet - r->address) / 4] & ~HAS_GEOMETRY;
}

/* The operation of a task of vertices, or of primitives that a geometry program takes. */
static uint32_t
op_of_task(const struct cf_sim_recorder *r, const struct cf_task_event *e)
{
   const uint32_t op = r->op_at[(e->draw - r->address) / 4];
   return (op & ~HAS_GEOMETRY) - (!e->geometry && op & HAS_GEOMETRY ? 1 : 0);
}

/* ------------------------------------------------------------------ packets */

static void
note_begin(void *user, const struct cf_submission_event *e)
{
   struct cf_sim_recorder *r = user;
   const size_t dwords = e->size_B / 4 + 1;
   r->address = e->address;
   if (dwords > r->op_at_room) {
      free(r->op_at);
      r->op_at = malloc(dwords * sizeof(r->op_at[0]));
      r->op_at_room = r->op_at ? dwords : 0;
   }
   if (!r->op_at)
      fail(r);
}

static void
note_packet(void *user, const struct cf_packet_event *e)
{
   struct cf_sim_recorder *r = user;
   struct cf_sim_chunk *c = &r->chunk;
   struct cf_sim_op op[2] = { 0 };
   const uint32_t count = r->config.describe(r->config.user, r, e, op);
   for (uint32_t i = 0; i < count; i++) {
      if (!ROOM(r, c->op, c->ops, c->op_room))
         return;
      op[i].frame = r->frame;
      op[i].number = r->ops;
      r->op_at[(e->address - r->address) / 4] = (uint32_t)c->ops | (i ? HAS_GEOMETRY : 0);
      c->op[c->ops++] = op[i];
   }
   r->ops += count > 0;
}

static uint32_t
number_of(struct cf_sim_recorder *r, uint64_t address, uint64_t **known, size_t *count,
          size_t *room)
{
   for (size_t i = 0; i < *count; i++) {
      if ((*known)[i] == address)
         return (uint32_t)i;
   }
   if (!ROOM(r, *known, *count, *room))
      return CF_SIM_NONE;
   (*known)[*count] = address;
   return (uint32_t)(*count)++;
}

uint32_t
cf_sim_recorder_image(struct cf_sim_recorder *r, uint64_t address)
{
   return number_of(r, address, &r->image, &r->images, &r->image_room);
}

uint32_t
cf_sim_recorder_texture(struct cf_sim_recorder *r, uint64_t address,
                        const struct cf_sim_texture *texture)
{
   struct cf_sim_chunk *c = &r->chunk;
   const uint32_t number = number_of(r, address, &r->texture, &r->textures, &r->texture_room);
   if (number != CF_SIM_NONE && number == c->textures &&
       ROOM(r, c->texture, c->textures, c->texture_room))
      c->textures++;
   if (number >= c->textures)
      return CF_SIM_NONE;
   c->texture[number] = *texture;
   return number;
}

uint32_t
cf_sim_recorder_buffer(struct cf_sim_recorder *r, uint64_t address)
{
   return number_of(r, address, &r->buffer, &r->buffers, &r->buffer_room);
}

/* Whether the program is known: its number. */
static size_t
find_program(const struct cf_sim_chunk *c, const struct cf_sim_program *program,
             const uint64_t *code)
{
   size_t i = 0;
   while (i < c->programs && (c->program[i].count != program->count ||
                              memcmp(c->code + c->program[i].first, code, 8 * program->count) != 0))
      i++;
   return i;
}

uint32_t
cf_sim_recorder_program(struct cf_sim_recorder *r, const struct cf_sim_program *program,
                        const uint64_t *code)
{
   struct cf_sim_chunk *c = &r->chunk;
   const size_t number = find_program(c, program, code);
   if (number < c->programs)
      return (uint32_t)number;
   uint64_t *grown = cf_sim_grow(c->code, c->codes, program->count, &c->code_room, sizeof(*code));
   c->code = grown ? grown : c->code;
   if (!grown || !ROOM(r, c->program, c->programs, c->program_room)) {
      fail(r);
      return CF_SIM_NONE;
   }
   c->program[c->programs++] = *program;
   c->program[number].first = (uint32_t)c->codes;
   memcpy(c->code + c->codes, code, 8 * program->count);
   c->codes += program->count;
   return (uint32_t)number;
}

/* ------------------------------------------------------------------ vertices and primitives */

static struct vertex_task *
task_of(struct cf_sim_recorder *r, const struct cf_run *run)
{
   for (size_t i = 0; i < r->tasks; i++) {
      if (r->task[i].run == run)
         return &r->task[i];
   }
   return NULL;
}

static void
begin_vertices(struct cf_sim_recorder *r, const struct cf_task_event *e)
{
   struct cf_sim_chunk *c = &r->chunk;
   pthread_mutex_lock(&r->lock);
   CF_FOR_BITS(lane, e->lanes) {
      if (!ROOM(r, c->vertex, c->vertices, c->vertex_room))
         break;
      c->vertex[c->vertices++] = (struct cf_sim_vertex){ op_of_task(r, e), e->instance[lane],
                                                         e->element[lane], e->vertex[lane] };
   }
   if (ROOM(r, r->task, r->tasks, r->task_room))
      r->task[r->tasks++] = (struct vertex_task){ .run = e->run };
   pthread_mutex_unlock(&r->lock);
}

static void
end_vertices(struct cf_sim_recorder *r, const struct cf_task_event *e)
{
   pthread_mutex_lock(&r->lock);
   struct vertex_task *task = task_of(r, e->run);
   if (task)
      *task = r->task[--r->tasks];
   pthread_mutex_unlock(&r->lock);
}

static uint32_t
layer_of(const struct cf_texel *texel)
{
   return texel->layer | texel->sample << CF_SIM_SAMPLE_SHIFT;
}

static void
note_vertex_texel(struct cf_sim_recorder *r, const struct cf_task_event *e,
                  const struct cf_texel *texel)
{
   struct cf_sim_chunk *c = &r->chunk;
   const uint32_t lane = texel->lane;
   pthread_mutex_lock(&r->lock);
   struct vertex_task *task = task_of(r, e->run);
   if (task && ROOM(r, c->vertex_texel, c->vertex_texels, c->vertex_texel_room))
      c->vertex_texel[c->vertex_texels++] =
         (struct cf_sim_vertex_texel){ .op = op_of_task(r, e),
                                       .instance = e->instance[lane],
                                       .element = e->element[lane],
                                       .order = task->records[lane]++,
                                       .at = (uint16_t)texel->at,
                                       .level = (uint16_t)texel->level,
                                       .x_px = (uint16_t)texel->x_px,
                                       .y_px = (uint16_t)(texel->y_px | texel->x_px >> 16),
                                       .layer = (uint16_t)layer_of(texel),
                                       .texture_unit = (uint16_t)texel->unit };
   pthread_mutex_unlock(&r->lock);
}

/* The value of each lane. */
static void
note_vertex_steps(struct cf_sim_recorder *r, const struct cf_task_event *e, uint32_t at,
                  uint32_t lanes, const uint32_t value[CF_SIM_LANES])
{
   struct cf_sim_chunk *c = &r->chunk;
   pthread_mutex_lock(&r->lock);
   struct vertex_task *task = task_of(r, e->run);
   CF_FOR_BITS(lane, lanes) {
      if (!task || !ROOM(r, c->vertex_step, c->vertex_steps, c->vertex_step_room))
         break;
      c->vertex_step[c->vertex_steps++] =
         (struct cf_sim_vertex_step){ .op = op_of_task(r, e),
                                      .instance = e->instance[lane],
                                      .element = e->element[lane],
                                      .order = task->records[lane]++,
                                      .at = (uint16_t)at,
                                      .value = value[lane] };
   }
   pthread_mutex_unlock(&r->lock);
}

static void
note_primitive(void *user, const struct cf_primitive_event *e)
{
   struct cf_sim_recorder *r = user;
   struct cf_sim_chunk *c = &r->chunk;
   pthread_mutex_lock(&r->lock);
   if (ROOM(r, c->primitive, c->primitives, c->primitive_room))
      c->primitive[c->primitives++] =
         (struct cf_sim_primitive){ op_of(r, e->draw), e->primitive, (uint16_t)e->set_up,
                                    (uint16_t)e->drop };
   pthread_mutex_unlock(&r->lock);
}

static void
note_feedback(void *user, const struct cf_feedback_event *e)
{
   struct cf_sim_recorder *r = user;
   uint32_t vertex_B = 0;
   for (uint32_t i = 0; i < e->outputs; i++)
      vertex_B += 4 * e->output[i].dwords;
   pthread_mutex_lock(&r->lock);
   if (e->fits && !has_failed(r))
      r->chunk.op[op_of(r, e->draw)].written_B += e->vertices * vertex_B;
   pthread_mutex_unlock(&r->lock);
}

/* ------------------------------------------------------------------ fragments */

static struct cf_sim_tile *
tile_at(struct cf_sim_recorder *r, uint32_t x_px, uint32_t y_px)
{
   const uint32_t x = x_px / CF_TILE_PX % CF_SIM_TILES_ACROSS,
                  y = y_px / CF_TILE_PX % CF_SIM_TILES_ACROSS;
   return cf_sim_chunk_tile(&r->chunk, y * CF_SIM_TILES_ACROSS + x);
}

/* Append a record; returns its dwords, the head set. NULL: something failed. */
static uint32_t *
append(struct cf_sim_recorder *r, struct cf_sim_tile *tile, enum cf_sim_record kind,
       uint32_t dwords, uint32_t rest)
{
   uint32_t *dw = has_failed(r) ? NULL : cf_sim_tile_room(tile, dwords);
   if (!dw) {
      fail(r);
      return NULL;
   }
   tile->count += dwords;
   dw[0] = cf_sim_head(kind, dwords, rest);
   return dw;
}

static void
begin_quads(struct cf_sim_recorder *r, const struct cf_task_event *e)
{
   struct cf_sim_tile *tile = tile_at(r, e->quad[0].x_px, e->quad[0].y_px);
   tile->task = tile->count;
   tile->sample = SIZE_MAX;
   uint32_t *dw = append(r, tile, CF_SIM_TASK, CF_SIM_TASK_DW + 2 * e->quads, e->quads);
   if (!dw)
      return;
   dw[1] = op_of(r, e->draw);
   memset(dw + 2, 0, 12 * sizeof(dw[0]));
   for (uint32_t q = 0; q < e->quads; q++) {
      dw[CF_SIM_TASK_DW + 2 * q] = e->quad[q].primitive;
      dw[CF_SIM_TASK_DW + 2 * q + 1] = e->quad[q].x_px | (uint32_t)e->quad[q].y_px << 16;
   }
}

static void
note_pixels(void *user, const struct cf_pixels_event *e)
{
   struct cf_sim_recorder *r = user;
   struct cf_sim_tile *tile = tile_at(r, e->quad[0].x_px, e->quad[0].y_px);
   if (tile->task >= tile->count)
      return; /* it was not recorded */
   uint32_t *dw = tile->dw + tile->task + 2;
   memcpy(dw, e->covered, sizeof(e->covered));
   memcpy(dw + CF_SAMPLES, e->tested, sizeof(e->tested));
   memcpy(dw + 2 * CF_SAMPLES, e->written, sizeof(e->written));
}

/* How the second texel's number follows from the first one's: masks of lanes. */
struct texel_steps {
   uint32_t next, zero, other;
};

static struct texel_steps
steps_of(const int32_t *first, const int32_t *second, uint32_t lanes)
{
   struct texel_steps steps = { 0 };
   for (uint32_t l = 0; l < CF_SIM_LANES; l++) {
      const uint32_t next = second[l] == first[l] + 1, zero = second[l] == 0,
                     same = second[l] == first[l];
      steps.next |= next << l;
      steps.zero |= (zero & !next & !same) << l;
      steps.other |= (1 ^ (next | zero | same)) << l;
   }
   steps.other &= lanes;
   return steps;
}

static void
pack_pairs(const int32_t *number, uint32_t lanes, uint32_t *dw)
{
   for (uint32_t l = 0; l < lanes; l += 2)
      dw[l / 2] = ((uint32_t)number[l] & 0xffff) | (uint32_t)number[l + 1] << 16;
}

static bool
one_layer(const struct cf_footprint *f)
{
   const uint32_t layer = f->layer[__builtin_ctz(f->lanes)];
   uint32_t others = 0;
   for (uint32_t l = 0; l < CF_SIM_LANES; l++)
      others |= (uint32_t)(f->layer[l] != layer) << l;
   return !(others & f->lanes);
}

/* Along an axis: by how much a sample's texels are moved from those of another one, in pairs.
 * False: not all by the same. */
static bool
moved(const int32_t *number, const uint32_t *pairs, uint32_t lanes, uint32_t *by)
{
   const uint32_t first = (uint32_t)__builtin_ctz(lanes);
   const uint16_t *from = (const uint16_t *)pairs;
   const uint16_t distance = (uint16_t)(number[first] - from[first]);
   uint32_t others = 0;
   for (uint32_t l = 0; l < CF_SIM_LANES; l++)
      others |= (uint32_t)((uint16_t)(number[l] - from[l]) != distance) << l;
   *by = distance;
   return !(others & lanes);
}

/* Whether a sample is that of `tile->sample`, moved: x | y << 16. Its lanes are no more. */
static bool
is_moved(const struct cf_sim_tile *tile, const struct cf_footprint *f, uint32_t lanes, uint32_t *by)
{
   uint32_t x, y;
   if (tile->sample == SIZE_MAX || f->axes < 2 || lanes < CF_SIM_LANES)
      return false;
   const uint32_t *dw = tile->dw + tile->sample + CF_SIM_SAMPLE_DW;
   if (!moved(f->axis[0][0], dw, f->lanes, &x) ||
       !moved(f->axis[1][0], dw + lanes / 2, f->lanes, &y))
      return false;
   *by = x | y << 16;
   return true;
}

static void
append_sample(struct cf_sim_recorder *r, struct cf_sim_tile *tile, const struct cf_footprint *f,
              uint32_t lanes, const struct texel_steps step[2])
{
   static const int32_t zero[CF_SIM_LANES];
   uint32_t by;
   const bool again = is_moved(tile, f, lanes, &by);
   const uint32_t rest = f->unit | f->level << 5 | (uint32_t)(f->corners == 4) << 9 |
                         (uint32_t)again << (CF_SIM_MOVED_BIT - 16),
                  dwords = again ? CF_SIM_MOVED_DW : CF_SIM_SAMPLE_DW + lanes;
   uint32_t *dw = append(r, tile, CF_SIM_SAMPLE, dwords, rest);
   if (!dw)
      return;
   dw[1] = f->lanes;
   dw[2] = f->layer[__builtin_ctz(f->lanes)] | f->at << 16;
   for (uint32_t a = 0; a < 2; a++) {
      dw[3 + a] = step[a].next & f->lanes;
      dw[5 + a] = step[a].zero & f->lanes;
   }
   if (again) {
      dw[CF_SIM_SAMPLE_DW] = by;
      return;
   }
   tile->sample = (size_t)(dw - tile->dw);
   for (uint32_t a = 0; a < 2; a++)
      pack_pairs(a < f->axes ? f->axis[a][0] : zero, lanes, dw + CF_SIM_SAMPLE_DW + a * lanes / 2);
}

static void
append_texel(struct cf_sim_recorder *r, struct cf_sim_tile *tile, const struct cf_texel *texel)
{
   uint32_t *dw = append(r, tile, CF_SIM_TEXEL, CF_SIM_TEXEL_DW, texel->unit | texel->level << 5);
   if (!dw)
      return;
   dw[1] = texel->lane | texel->at << 16;
   dw[2] = texel->x_px | texel->y_px << 16; /* long buffers: in rows of 65536 */
   dw[3] = layer_of(texel);
}

/* Lanes of the task that are recorded. */
static uint32_t
lanes_of(const struct cf_task_event *e)
{
   return e->quad ? UINT32_MAX >> (CF_SIM_LANES - 4 * e->quads) : e->lanes;
}

static void
note_texel(void *user, const struct cf_task_event *e, const struct cf_texel *texel)
{
   struct cf_sim_recorder *r = user;
   if (!(lanes_of(e) >> texel->lane & 1))
      return;
   if (e->quad)
      append_texel(r, tile_at(r, e->quad[0].x_px, e->quad[0].y_px), texel);
   else
      note_vertex_texel(r, e, texel);
}

/* One by one. */
static void
note_texels(struct cf_sim_recorder *r, const struct cf_task_event *e, const struct cf_footprint *f)
{
   CF_FOR_BITS(lane, f->lanes) {
      for (uint32_t c = 0; c < f->corners; c++) {
         uint32_t at[3] = { 0, 0, f->layer[lane] };
         for (uint32_t a = 0; a < f->axes; a++)
            at[a] = (uint32_t)f->axis[a][c >> a & 1][lane];
         note_texel(r, e,
                    &(struct cf_texel){ .unit = f->unit,
                                        .lane = lane,
                                        .level = f->level,
                                        .x_px = at[0],
                                        .y_px = at[1],
                                        .layer = at[2],
                                        .at = f->at });
      }
   }
}

static void
note_footprint(void *user, const struct cf_task_event *e, const struct cf_footprint *footprint)
{
   struct cf_sim_recorder *r = user;
   struct cf_footprint in_task = *footprint;
   const struct cf_footprint *f = &in_task;
   struct texel_steps step[2] = { 0 };
   in_task.lanes &= lanes_of(e);
   if (!f->lanes)
      return;
   if (f->corners == 4) {
      for (uint32_t a = 0; a < 2; a++)
         step[a] = steps_of(f->axis[a][0], f->axis[a][1], f->lanes);
   }
   if (!e->quad || f->axes == 3 || f->corners == 2 || step[0].other || step[1].other ||
       !one_layer(f))
      note_texels(r, e, f);
   else
      append_sample(r, tile_at(r, e->quad[0].x_px, e->quad[0].y_px), f, 4 * e->quads, step);
}

static void
note_branch(void *user, const struct cf_task_event *e, const struct cf_branch *branch)
{
   struct cf_sim_recorder *r = user;
   const uint32_t lanes = branch->lanes & lanes_of(e);
   if (!e->quad) {
      uint32_t value[CF_SIM_LANES];
      for (uint32_t l = 0; l < CF_SIM_LANES; l++)
         value[l] = branch->taken >> l & 1;
      note_vertex_steps(r, e, branch->at, lanes, value);
      return;
   }
   uint32_t *dw =
      append(r, tile_at(r, e->quad[0].x_px, e->quad[0].y_px), CF_SIM_BRANCH, CF_SIM_BRANCH_DW, 0);
   if (!dw)
      return;
   dw[1] = lanes;
   dw[2] = branch->taken & lanes;
   dw[3] = branch->at;
}

/* Of a fragment task; `same`: in all lanes. */
static void
append_reference(struct cf_sim_recorder *r, const struct cf_task_event *e, uint32_t at,
                 uint32_t lanes, const uint32_t dword[CF_SIM_LANES], bool same)
{
   const uint32_t dwords = same ? 1 : 4 * e->quads;
   uint32_t *dw = append(r, tile_at(r, e->quad[0].x_px, e->quad[0].y_px), CF_SIM_REFERENCE,
                         CF_SIM_REFERENCE_DW + dwords, same);
   if (!dw)
      return;
   dw[1] = lanes;
   dw[2] = at;
   for (uint32_t l = 0; l < dwords; l++)
      dw[CF_SIM_REFERENCE_DW + l] = same             ? dword[__builtin_ctz(lanes)]
                                    : lanes >> l & 1 ? dword[l]
                                                     : 0;
}

static void
note_reference(void *user, const struct cf_task_event *e, const struct cf_reference *reference)
{
   const uint32_t lanes = reference->lanes & lanes_of(e);
   uint32_t dword[CF_SIM_LANES], differ = 0;
   if (!lanes)
      return;
   for (uint32_t l = 0; l < CF_SIM_LANES; l++) {
      dword[l] = reference->dword[l] + reference->offset;
      differ |= (uint32_t)(reference->dword[l] != reference->dword[__builtin_ctz(lanes)]) << l;
   }
   if (e->quad)
      append_reference(user, e, reference->at, lanes, dword, !(differ & lanes));
   else
      note_vertex_steps(user, e, reference->at, lanes, dword);
}

static void
note_early_test(void *user, const struct cf_fragment_event *e)
{
   struct cf_sim_recorder *r = user;
   if (e->fate == CF_FATE_WRITTEN) /* it is shaded, and in its task's pixels */
      return;
   uint32_t *dw = append(r, tile_at(r, e->x_px, e->y_px), CF_SIM_EARLY_TEST, 4, e->sample);
   if (!dw)
      return;
   dw[1] = op_of(r, e->draw);
   dw[2] = e->primitive;
   dw[3] = e->x_px | (uint32_t)e->y_px << 16;
}

static void
note_clear(void *user, const struct cf_clear_event *e)
{
   struct cf_sim_recorder *r = user;
   uint32_t *dw = append(r, tile_at(r, e->min_x_px, e->min_y_px), CF_SIM_CLEARED, 4, e->images);
   if (!dw)
      return;
   dw[1] = op_of(r, e->draw);
   dw[2] = e->min_x_px | e->min_y_px << 16;
   dw[3] = e->max_x_px | e->max_y_px << 16;
}

static void
note_task_begin(void *user, const struct cf_task_event *e)
{
   (e->quad ? begin_quads : begin_vertices)(user, e);
}

static void
note_task_end(void *user, const struct cf_task_event *e)
{
   if (!e->quad)
      end_vertices(user, e);
}

/* ------------------------------------------------------------------ the end of a submission */

#define COMPARE(a, b, member)                                                                      \
   do {                                                                                            \
      if ((a)->member != (b)->member)                                                              \
         return (a)->member < (b)->member ? -1 : 1;                                                \
   } while (0)

static int
compare_vertices(const void *p, const void *q)
{
   const struct cf_sim_vertex *a = p, *b = q;
   COMPARE(a, b, op);
   COMPARE(a, b, instance);
   COMPARE(a, b, element);
   return 0;
}

static int
compare_vertex_texels(const void *p, const void *q)
{
   const struct cf_sim_vertex_texel *a = p, *b = q;
   COMPARE(a, b, op);
   COMPARE(a, b, instance);
   COMPARE(a, b, element);
   COMPARE(a, b, order);
   return 0;
}

static int
compare_vertex_steps(const void *p, const void *q)
{
   const struct cf_sim_vertex_step *a = p, *b = q;
   COMPARE(a, b, op);
   COMPARE(a, b, instance);
   COMPARE(a, b, element);
   COMPARE(a, b, order);
   return 0;
}

static int
compare_primitives(const void *p, const void *q)
{
   const struct cf_sim_primitive *a = p, *b = q;
   COMPARE(a, b, op);
   COMPARE(a, b, number);
   COMPARE(a, b, set_up); /* those that a geometry program makes of one, in an order that is */
   COMPARE(a, b, drop);   /* the same for any number of threads */
   return 0;
}

/* Keep one of equal items, which are sorted: two parts of a strip may both shade a vertex. */
static size_t
keep_one(void *array, size_t count, size_t item_B, int (*compare)(const void *, const void *))
{
   uint8_t *item = array;
   size_t kept = 0;
   for (size_t i = 0; i < count; i++) {
      if (kept > 0 && compare(item + (kept - 1) * item_B, item + i * item_B) == 0)
         continue;
      memmove(item + kept++ * item_B, item + i * item_B, item_B);
   }
   return kept;
}

#define SORT(array, count, compare)                                                                \
   do {                                                                                            \
      if ((count) > 0)                                                                             \
         qsort(array, count, sizeof((array)[0]), compare);                                         \
   } while (0)

static void
sort_chunk(struct cf_sim_chunk *c)
{
   SORT(c->vertex, c->vertices, compare_vertices);
   SORT(c->vertex_texel, c->vertex_texels, compare_vertex_texels);
   SORT(c->vertex_step, c->vertex_steps, compare_vertex_steps);
   SORT(c->primitive, c->primitives, compare_primitives);
   c->vertices = keep_one(c->vertex, c->vertices, sizeof(c->vertex[0]), compare_vertices);
   c->vertex_texels = keep_one(c->vertex_texel, c->vertex_texels, sizeof(c->vertex_texel[0]),
                               compare_vertex_texels);
   c->vertex_steps =
      keep_one(c->vertex_step, c->vertex_steps, sizeof(c->vertex_step[0]), compare_vertex_steps);
}

/* What is not whole is not handed on. */
static void
note_end(void *user, const struct cf_submission_event *e)
{
   struct cf_sim_recorder *r = user;
   (void)e;
   sort_chunk(&r->chunk);
   if (has_failed(r) || !r->config.chunk(r->config.user, &r->chunk))
      fail(r);
   cf_sim_chunk_clear(&r->chunk);
}

/* ------------------------------------------------------------------ the recorder */

struct cf_sim_recorder *
cf_sim_recorder_create(const struct cf_sim_recorder_config *config)
{
   struct cf_sim_recorder *r = calloc(1, sizeof(*r));
   if (r && !cf_sim_chunk_init(&r->chunk)) {
      free(r);
      return NULL;
   }
   if (r) {
      r->config = *config;
      pthread_mutex_init(&r->lock, NULL);
   }
   return r;
}

void
cf_sim_recorder_destroy(struct cf_sim_recorder *r)
{
   pthread_mutex_destroy(&r->lock);
   cf_sim_chunk_free(&r->chunk);
   free(r->op_at);
   free(r->image);
   free(r->texture);
   free(r->buffer);
   free(r->task);
   free(r);
}

struct cf_observer
cf_sim_recorder_observer(struct cf_sim_recorder *recorder)
{
   return (struct cf_observer){ .user = recorder,
                                .submission_begin = note_begin,
                                .packet = note_packet,
                                .submission_end = note_end,
                                .task_begin = note_task_begin,
                                .texel = note_texel,
                                .footprint = note_footprint,
                                .branch = note_branch,
                                .reference = note_reference,
                                .task_end = note_task_end,
                                .feedback = note_feedback,
                                .primitive = note_primitive,
                                .early_test = note_early_test,
                                .pixels = note_pixels,
                                .clear = note_clear };
}

void
cf_sim_recorder_frame(struct cf_sim_recorder *r, uint32_t frame)
{
   r->frame = frame;
}

bool
cf_sim_recorder_went_well(const struct cf_sim_recorder *r)
{
   return !has_failed(r);
}
