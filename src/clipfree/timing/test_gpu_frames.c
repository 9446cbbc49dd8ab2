/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/test_gpu.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/interface/cf_observer.h"
#include "clipfree/timing/cf_sim_check.h"

#define MAX_CODE 4096

struct cf_sim_machine
paper_a(void)
{
   struct cf_sim_machine m = cf_sim_machine_default();
   m.gpu.model = CF_SIM_MODEL_WHOLE;
   m.color.shared = true;
   m.miss.entries = 64;
   m.dram.perfect = true;
   m.command.draw_cycles = 0;
   return m;
}

struct made_frame
made_frame_default(void)
{
   return (struct made_frame){ .vertices = 3,
                               .vertex_alu = 4,
                               .prim = CF_PRIM_KIND_TRIANGLES,
                               .primitives = 1,
                               .side_px = 64,
                               .samples = 1,
                               .sample_alu = 2,
                               .texture_px = 64,
                               .vector_regs = 40,
                               .depth = true };
}

/* ------------------------------------------------------------------ programs */

struct program {
   uint64_t code[MAX_CODE];
   uint32_t count;
};

static void
add(struct program *p, struct cf_instr instr)
{
   assert(p->count < MAX_CODE);
   p->code[p->count++] = cf_instr_encode(&instr);
}

/* Instructions of the ALU that do not wait for each other. */
static void
add_alu(struct program *p, uint32_t count)
{
   for (uint32_t i = 0; i < count; i++)
      add(p, cf_make_fadd(cf_v(i % 8), cf_v(8), cf_v(9)));
}

static void
add_end(struct program *p)
{
   for (uint8_t i = 0; i < 4; i++)
      add(p, cf_make_out(i, cf_v(12)));
   add(p, cf_make_end());
}

static void
put_program(struct cf_sim_chunk *c, uint32_t number, const struct program *p, uint32_t vector_regs)
{
   c->code = cf_sim_grow(c->code, c->codes, p->count, &c->code_room, sizeof(c->code[0]));
   memcpy(c->code + c->codes, p->code, 8 * p->count);
   c->program = cf_sim_grow(c->program, number, 1, &c->program_room, sizeof(c->program[0]));
   c->program[number] = (struct cf_sim_program){ (uint32_t)c->codes, p->count, vector_regs, 0 };
   c->codes += p->count;
   c->programs = number + 1;
}

#define IF_INSTRUCTIONS 3

/* The place of sample number i of the fragment program. */
static uint32_t
sample_at(const struct made_frame *f, uint32_t i)
{
   const uint32_t instructions = f->sample_alu + 1 + (f->branches ? IF_INSTRUCTIONS : 0);
   return f->special + i * instructions + f->sample_alu;
}

static void
add_if(struct program *p)
{
   const uint32_t end = p->count + IF_INSTRUCTIONS - 1;
   add(p, cf_make_if(cf_v(9), end));
   add_alu(p, 1);
   add(p, cf_make_endif());
}

static void
make_programs(struct cf_sim_chunk *c, const struct made_frame *f)
{
   static struct program vertex, fragment;
   vertex.count = fragment.count = 0;
   add_alu(&vertex, f->vertex_alu);
   add_end(&vertex);
   for (uint32_t i = 0; i < f->special; i++)
      add(&fragment, cf_make_frcp(cf_v(i % 8), cf_v(8)));
   for (uint32_t i = 0; i < f->samples; i++) {
      add_alu(&fragment, f->sample_alu);
      add(&fragment, cf_make_tex(cf_v(16 + 4 * (i % 4)), 15, 0, cf_v(10), cf_v(11), cf_v(10),
                                 cf_v(10), CF_TEXMODE_IMPLICIT));
      if (f->branches)
         add_if(&fragment);
   }
   add_end(&fragment);
   put_program(c, CF_SIM_STAGE_VERTEX, &vertex, f->vector_regs);
   put_program(c, CF_SIM_STAGE_FRAGMENT, &fragment, f->vector_regs);
}

/* ------------------------------------------------------------------ operations */

static void
make_draw(struct cf_sim_chunk *c, const struct made_frame *f)
{
   struct cf_sim_op op = { .flags = f->depth ? CF_SIM_Z_READ | CF_SIM_Z_WRITE : 0,
                           .width_px = 1024,
                           .height_px = 1024,
                           .samples = 1,
                           .colors = 1,
                           .color_B = { 4 },
                           .zs_image = f->depth ? 1 : CF_SIM_NONE,
                           .color_writes = 1,
                           .index_B = f->index_B,
                           .index_offset_B = f->index_offset_B,
                           .index_buffer = f->index_B ? 0 : CF_SIM_NONE,
                           .prim = f->prim };
   memset(op.texture, 0xff, sizeof(op.texture));
   memset(op.vertex_texture, 0xff, sizeof(op.vertex_texture));
   memset(op.element, 0xff, sizeof(op.element));
   for (uint32_t s = 0; s < CF_SIM_STAGES; s++) {
      op.program[s] = s;
      op.constants[s] = CF_SIM_NONE;
   }
   op.texture[0] = 0;
   c->op = cf_sim_grow(c->op, 0, 1, &c->op_room, sizeof(c->op[0]));
   c->op[c->ops++] = op;
   c->texture = cf_sim_grow(c->texture, 0, 1, &c->texture_room, sizeof(c->texture[0]));
   c->texture[c->textures++] = (struct cf_sim_texture){ f->texture_px, f->texture_px, 1, 1, 32 };
}

static void
make_vertices(struct cf_sim_chunk *c, const struct made_frame *f)
{
   c->vertex = cf_sim_grow(c->vertex, 0, f->vertices, &c->vertex_room, sizeof(c->vertex[0]));
   for (uint32_t i = 0; i < f->vertices; i++)
      c->vertex[c->vertices++] = (struct cf_sim_vertex){ 0, 0, i, i };
   c->primitive =
      cf_sim_grow(c->primitive, 0, f->primitives, &c->primitive_room, sizeof(c->primitive[0]));
   for (uint32_t i = 0; i < f->primitives; i++)
      c->primitive[c->primitives++] =
         (struct cf_sim_primitive){ 0, i, f->drop == CF_DROP_NONE, (uint16_t)f->drop };
}

/* ------------------------------------------------------------------ quads */

static void
add_sample(struct cf_sim_tile *t, const struct made_frame *f, uint32_t at, uint32_t quads,
           const uint32_t *place)
{
   const uint32_t lanes = 4 * quads, dwords = CF_SIM_SAMPLE_DW + lanes;
   uint32_t *dw = cf_sim_tile_room(t, dwords);
   t->count += dwords;
   memset(dw, 0, 4 * dwords);
   dw[0] = cf_sim_head(CF_SIM_SAMPLE, dwords, 1 << 9);
   dw[1] = dw[3] = dw[4] = UINT32_MAX >> (32 - lanes);
   dw[2] = at << 16;
   for (uint32_t l = 0; l < lanes; l++) {
      const uint32_t x = (place[l / 4] & 0xffff) + (l & 1), y = (place[l / 4] >> 16) + (l >> 1 & 1);
      dw[7 + l / 2] |= x % (f->texture_px - 1) << 16 * (l & 1);
      dw[7 + lanes / 2 + l / 2] |= y % (f->texture_px - 1) << 16 * (l & 1);
   }
}

/* Every other lane takes it. */
static void
add_branch(struct cf_sim_tile *t, uint32_t at, uint32_t quads)
{
   uint32_t *dw = cf_sim_tile_room(t, CF_SIM_BRANCH_DW);
   t->count += CF_SIM_BRANCH_DW;
   dw[0] = cf_sim_head(CF_SIM_BRANCH, CF_SIM_BRANCH_DW, 0);
   dw[1] = UINT32_MAX >> (32 - 4 * quads);
   dw[2] = dw[1] & 0x55555555u;
   dw[3] = at;
}

/* A task of quads of one tile, each of a primitive. */
static void
add_task(struct cf_sim_tile *t, const struct made_frame *f, uint32_t quads, const uint32_t *place,
         const uint32_t *primitive)
{
   const uint32_t dwords = CF_SIM_TASK_DW + 2 * quads;
   uint32_t *dw = cf_sim_tile_room(t, dwords);
   t->count += dwords;
   memset(dw, 0, 4 * dwords);
   dw[0] = cf_sim_head(CF_SIM_TASK, dwords, quads);
   for (uint32_t s = 0; s < 3; s++) /* covered, tested, written */
      dw[2 + s * CF_SAMPLES] =
         f->scattered ? 0x11111111u >> (32 - 4 * quads) : UINT32_MAX >> (32 - 4 * quads);
   for (uint32_t q = 0; q < quads; q++) {
      dw[CF_SIM_TASK_DW + 2 * q] = primitive[q];
      dw[CF_SIM_TASK_DW + 2 * q + 1] = place[q];
   }
   for (uint32_t i = 0; i < f->samples; i++) {
      add_sample(t, f, sample_at(f, i), quads, place);
      if (f->branches)
         add_branch(t, sample_at(f, i) + 1, quads);
   }
}

/* Quads are handed to tasks of their tile in rows. */
static void
make_quads(struct cf_sim_chunk *c, const struct made_frame *f)
{
   uint32_t place[8], primitive[8], made = 0;
   for (uint32_t ty = 0; ty < f->side_px; ty += 64) {
      for (uint32_t tx = 0; tx < f->side_px; tx += 64) {
         struct cf_sim_tile *t = cf_sim_chunk_tile(c, ty / 64 * CF_SIM_TILES_ACROSS + tx / 64);
         uint32_t quads = 0;
         for (uint32_t i = 0; i < 32 * 32; i++) {
            const uint32_t x = tx + i % 32 * 2, y = ty + i / 32 * 2;
            if (x >= f->side_px || y >= f->side_px || (f->scattered && made >= f->primitives))
               continue;
            place[quads] = x | y << 16;
            primitive[quads++] = f->scattered ? made : 0;
            made++;
            if (quads == 8)
               add_task(t, f, quads, place, primitive);
            quads %= 8;
         }
         if (quads)
            add_task(t, f, quads, place, primitive);
      }
   }
}

void
make_frame(struct cf_sim_chunk *c, const struct made_frame *f)
{
   const bool ok = cf_sim_chunk_init(c);
   assert(ok);
   (void)ok;
   make_programs(c, f);
   make_draw(c, f);
   make_vertices(c, f);
   if (f->drop == CF_DROP_NONE)
      make_quads(c, f);
   assert(!cf_sim_check(c));
}

struct cf_sim_gpu *
run_frame(const struct cf_sim_machine *machine, const struct made_frame *frame)
{
   struct cf_sim_gpu *gpu = malloc(sizeof(*gpu));
   struct cf_sim_order order = { 0 };
   struct cf_sim_chunk chunk;
   make_frame(&chunk, frame);
   bool ok = gpu && cf_sim_order_chunk(&order, &chunk, machine->raster.traversal) &&
             cf_sim_gpu_init(gpu, machine);
   assert(ok);
   cf_sim_gpu_chunk(gpu, &chunk, &order);
   cf_sim_gpu_finish(gpu);
   cf_sim_order_free(&order);
   cf_sim_chunk_free(&chunk);
   return gpu;
}
