/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_vertices.h"

#include <stdlib.h>
#include <string.h>

#define INSTRUCTION_B 8u /* paper C: 64 bits */

const char *
cf_sim_vertices_part_name(enum cf_sim_vertices_part part)
{
   static const char *const name[CF_SIM_VERTICES_PARTS] = {
      [CF_SIM_VERTICES_DISTRIBUTOR] = "distributor",
      [CF_SIM_VERTICES_FETCH] = "fetch",
      [CF_SIM_VERTICES_DECODE1] = "decode1",
      [CF_SIM_VERTICES_DECODE2] = "decode2",
      [CF_SIM_VERTICES_EXECUTE + CF_SIM_SIMD_FIXED] = "fixed",
      [CF_SIM_VERTICES_EXECUTE + CF_SIM_SIMD_SCALAR] = "scalar",
      [CF_SIM_VERTICES_EXECUTE + CF_SIM_SIMD_ADD] = "add",
      [CF_SIM_VERTICES_EXECUTE + CF_SIM_SIMD_MULTIPLY] = "multiply",
      [CF_SIM_VERTICES_EXECUTE + CF_SIM_SIMD_SPECIAL] = "special",
      [CF_SIM_VERTICES_EXECUTE + CF_SIM_SIMD_DATA] = "data",
      [CF_SIM_VERTICES_WRITE_BACK] = "write_back",
   };
   return name[part];
}

const char *
cf_sim_vertices_contradiction(const struct cf_sim_machine *m)
{
   const uint32_t lines = m->instruction.size_B / m->texture.line_B,
                  sets = m->instruction.ways ? lines / m->instruction.ways : 1;
   if (m->gpu.model == CF_SIM_MODEL_VERTICES &&
       (lines == 0 || sets == 0 || (sets & (sets - 1)) != 0 ||
        (m->instruction.ways && lines % m->instruction.ways != 0)))
      return "instruction.size_B is not of a power of two of sets of instruction.ways lines of "
             "texture.line_B";
   return NULL;
}

/* ------------------------------------------------------------------ begin and end */

bool
cf_sim_vertices_init(struct cf_sim_vertices *v, const struct cf_sim_machine *machine)
{
   memset(v, 0, sizeof(*v));
   v->machine = machine;
   v->registers = CF_SIM_SIMD_REGISTERS;
   v->ready = calloc(v->registers, sizeof(v->ready[0]));
   for (uint32_t i = 0; i < CF_SIM_VERTICES_PARTS; i++)
      v->unit[i] = (struct cf_sim_unit){ .wake = CF_SIM_NEVER, .cycles = v->cycles[i] };
   cf_sim_layout_init(&v->layout, machine);
   cf_sim_dram_init(&v->dram, machine, machine->texture.line_B);
   return cf_sim_cache_init(&v->cache, machine->instruction.size_B, machine->texture.line_B,
                            machine->instruction.ways, CF_SIM_POLICY_LRU) &&
          v->ready;
}

static void
free_programs(struct cf_sim_vertices *v)
{
   for (size_t i = 0; i < v->programs; i++) {
      cf_sim_code_free(&v->code[i]);
      cf_sim_simd_free(&v->simd[i]);
   }
   free(v->code);
   free(v->simd);
   v->code = NULL;
   v->simd = NULL;
   v->programs = 0;
}

void
cf_sim_vertices_free(struct cf_sim_vertices *v)
{
   free_programs(v);
   free(v->ready);
   v->ready = NULL;
   cf_sim_cache_free(&v->cache);
   cf_sim_layout_free(&v->layout);
}

void
cf_sim_vertices_finish(struct cf_sim_vertices *v)
{
   v->unit[CF_SIM_VERTICES_DISTRIBUTOR].why = CF_SIM_WHY_EMPTY; /* nothing is left to do */
   v->unit[CF_SIM_VERTICES_FETCH].why = CF_SIM_WHY_EMPTY;
   for (uint32_t i = 0; i < CF_SIM_SIMD_UNITS; i++) {
      struct cf_sim_unit *unit = &v->unit[CF_SIM_VERTICES_EXECUTE + i];
      cf_sim_because(unit, v->unit_busy[i], CF_SIM_WHY_EMPTY);
   }
   for (uint32_t i = 0; i < CF_SIM_VERTICES_WRITE_BACK; i++)
      cf_sim_because(&v->unit[i], v->time, v->unit[i].why);
   uint64_t *written = v->cycles[CF_SIM_VERTICES_WRITE_BACK];
   written[CF_SIM_WHY_EMPTY] = v->time - written[CF_SIM_WHY_BUSY];
}

/* Room for the registers of a program. */
static bool
has_registers(struct cf_sim_vertices *v, uint32_t registers)
{
   if (registers <= v->registers)
      return true;
   uint64_t *grown = realloc(v->ready, registers * sizeof(grown[0]));
   if (!grown)
      return false;
   memset(grown + v->registers, 0, (registers - v->registers) * sizeof(grown[0]));
   v->ready = grown;
   v->registers = registers;
   return true;
}

/* Programs of the trace, if there are new ones. */
static bool
add_programs(struct cf_sim_vertices *v, const struct cf_sim_chunk *chunk)
{
   uint64_t address_B = 0;
   bool ok = true;
   if (v->programs == chunk->programs)
      return true;
   free_programs(v);
   v->code = calloc(chunk->programs, sizeof(v->code[0]));
   v->simd = calloc(chunk->programs, sizeof(v->simd[0]));
   for (size_t i = 0; ok && v->code && v->simd && i < chunk->programs; i++, v->programs++) {
      const struct cf_sim_program *p = &chunk->program[i];
      ok = cf_sim_code_init(&v->code[i], chunk, p);
      ok = cf_sim_simd_init(&v->simd[i], chunk->code + p->first, p->count, v->machine) &&
           has_registers(v, v->simd[i].registers) && ok;
      v->simd[i].address_B = address_B;
      address_B += (uint64_t)INSTRUCTION_B * p->count;
   }
   return ok && v->programs == chunk->programs;
}

/* ------------------------------------------------------------------ stages */

static uint64_t
later(uint64_t a, uint64_t b)
{
   return a > b ? a : b;
}

/* When a line of a program that is asked for now comes from memory. */
static uint64_t
read_line(struct cf_sim_vertices *v, uint64_t line, uint64_t time)
{
   uint32_t user;
   cf_sim_dram_push(&v->dram, line, false, 0);
   while (!cf_sim_dram_pop(&v->dram, time, &user)) {
      cf_sim_dram_tick(&v->dram, time);
      time = later(time + 1, cf_sim_dram_next(&v->dram, time));
   }
   return time;
}

/* An instruction is fetched, from this time on at the earliest. Returns when it is there. */
static uint64_t
fetch(struct cf_sim_vertices *v, uint64_t address_B, uint64_t time)
{
   struct cf_sim_unit *unit = &v->unit[CF_SIM_VERTICES_FETCH];
   const uint64_t line = address_B / v->machine->texture.line_B, misses = v->cache.counts.misses;
   if (v->machine->shader.program == CF_SIM_PROGRAM_STORE_CACHED) {
      v->failed |= !cf_sim_cache_request(&v->cache, (uint32_t)(line % CF_SIM_MAX_LINE), false);
      if (v->cache.counts.misses > misses) {
         cf_sim_because(unit, time, CF_SIM_WHY_MEMORY);
         time = read_line(v, line, time);
         v->counts.fetch_misses++;
      }
   }
   cf_sim_because(unit, time, CF_SIM_WHY_BUSY);
   return time + 1;
}

/* An instruction goes through the stages up to the second one of decoding. Returns when it is in
 * that. */
static uint64_t
decode(struct cf_sim_vertices *v, uint64_t address_B, uint64_t from)
{
   struct cf_sim_unit *unit = &v->unit[CF_SIM_VERTICES_FETCH];
   const uint64_t fetched = fetch(v, address_B, later(v->fetch_free, from)),
                  decode1 = later(fetched, v->decode1_free),
                  decode2 = later(decode1 + 1, v->decode2_free);
   cf_sim_because(unit, fetched, CF_SIM_WHY_FULL);
   cf_sim_because(unit, decode1, CF_SIM_WHY_EMPTY);
   v->fetch_free = decode1;
   unit = &v->unit[CF_SIM_VERTICES_DECODE1];
   cf_sim_because(unit, decode1, CF_SIM_WHY_BUSY);
   cf_sim_because(unit, decode1 + 1, CF_SIM_WHY_FULL);
   cf_sim_because(unit, decode2, CF_SIM_WHY_EMPTY);
   v->decode1_free = decode2;
   v->counts.instructions++;
   return decode2;
}

/* When an instruction has its operands, and writes after those before it of the same register. */
static uint64_t
has_operands(const struct cf_sim_vertices *v, const struct cf_sim_simd_instr *i, uint32_t cycles)
{
   uint64_t time = 0;
   for (uint32_t k = 0; k < i->reads; k++)
      time = later(time, v->ready[i->read[k]]);
   for (uint32_t k = 0; k < i->writes; k++)
      time = later(time + cycles, v->ready[i->write[k]] + 1) - cycles;
   return time;
}

/* A result is written back at a time. */
static void
write_back(struct cf_sim_vertices *v, uint64_t time)
{
   uint64_t *written = &v->written[time % CF_SIM_VERTICES_WRITES];
   v->cycles[CF_SIM_VERTICES_WRITE_BACK][CF_SIM_WHY_BUSY] += *written != time;
   *written = time;
   v->end = later(v->end, time + 1);
}

static void
execute(struct cf_sim_vertices *v, const struct cf_sim_simd_instr *i, uint64_t time)
{
   struct cf_sim_unit *unit = &v->unit[CF_SIM_VERTICES_EXECUTE + i->unit];
   const uint32_t cycles = cf_sim_simd_cycles(v->machine, i);
   const uint64_t done = time + cycles;
   const bool pipelined = v->machine->shader.pipelined && i->unit != CF_SIM_SIMD_SPECIAL;
   if (time > v->unit_busy[i->unit])
      cf_sim_because(unit, v->unit_busy[i->unit], CF_SIM_WHY_EMPTY);
   cf_sim_because(unit, time, CF_SIM_WHY_BUSY);
   v->unit_busy[i->unit] = done;
   v->unit_free[i->unit] = pipelined ? time + 1 : done;
   /* without forwarding it is written, then read by the first stage of decoding */
   for (uint32_t k = 0; k < i->writes; k++)
      v->ready[i->write[k]] = v->machine->shader.forwarding ? done : done + 3;
   write_back(v, done);
   v->counts.operations += i->lanes;
}

static void
run_instruction(struct cf_sim_vertices *v, const struct cf_sim_simd_instr *i, uint64_t address_B,
                uint64_t from)
{
   struct cf_sim_unit *unit = &v->unit[CF_SIM_VERTICES_DECODE2];
   const uint64_t decode2 = decode(v, address_B, from),
                  operands =
                     later(decode2 + 1, has_operands(v, i, cf_sim_simd_cycles(v->machine, i))),
                  issue = later(operands, v->unit_free[i->unit]);
   cf_sim_because(unit, decode2, CF_SIM_WHY_BUSY);
   cf_sim_because(unit, decode2 + 1, CF_SIM_WHY_DEPENDENCY);
   cf_sim_because(unit, operands, CF_SIM_WHY_FULL);
   cf_sim_because(unit, issue, CF_SIM_WHY_EMPTY);
   v->decode2_free = issue;
   execute(v, i, issue);
}

/* Control flow is resolved in the second stage of decoding, when its condition is there. Returns
 * when it has left that. */
static uint64_t
run_flow(struct cf_sim_vertices *v, const struct cf_sim_instr *i, uint64_t address_B, uint64_t from)
{
   struct cf_sim_unit *unit = &v->unit[CF_SIM_VERTICES_DECODE2];
   const uint64_t decode2 = decode(v, address_B, from);
   uint64_t resolved = decode2;
   for (uint32_t r = 0; r < CF_SIM_SIMD_REGISTERS; r++) {
      if (i->used.bit[r / 64] >> r % 64 & 1)
         resolved = later(resolved, v->ready[r]);
   }
   cf_sim_because(unit, decode2, CF_SIM_WHY_DEPENDENCY);
   cf_sim_because(unit, resolved, CF_SIM_WHY_BUSY);
   cf_sim_because(unit, resolved + 1, CF_SIM_WHY_EMPTY);
   v->decode2_free = resolved + 1;
   return resolved + 1;
}

/* ------------------------------------------------------------------ vertices */

/* What the trace has of instructions in [first, end) is passed, so that branches find theirs. */
static void
pass_outcomes(struct cf_sim_vertices *v, uint32_t first, uint32_t end)
{
   for (uint32_t at = first; at < end; at++) {
      const struct cf_sim_instr *i = &v->task.code->instr[at];
      struct cf_sim_sample_lines lines;
      uint32_t dword = 0;
      if (i->op == CF_OP_LDU || i->op == CF_OP_LDS || i->op == CF_OP_STS)
         cf_sim_task_reference(&v->task, at, &dword);
      else if (i->fetches)
         cf_sim_task_sample(&v->task, at, 0, &v->layout, &lines);
   }
}

/* Run control flow at `at`, from this time on. Returns the next instruction; *from: when it can be
 * fetched, at the earliest. What is reached by a jump is a label, as the ends of constructs and the
 * beginnings of loops are. */
static uint32_t
pass_flow(struct cf_sim_vertices *v, const struct cf_sim_simd *p, uint32_t at, uint64_t *from)
{
   const struct cf_sim_instr *i = &v->task.code->instr[at];
   const uint64_t address_B = p->address_B + INSTRUCTION_B * p->block[at].first;
   const bool label = !v->task.exec || i->op == CF_OP_ENDIF || i->op == CF_OP_LOOP;
   const uint32_t next = i->op == CF_OP_END ? p->count : cf_sim_task_flow(&v->task, at);
   if (label && i->op != CF_OP_END)
      return next;
   const uint64_t left = run_flow(v, i, address_B, *from);
   if (next != at + 1 && i->op != CF_OP_END) {
      v->counts.jumps++;
      v->unit[CF_SIM_VERTICES_FETCH].why = CF_SIM_WHY_FETCH; /* since it was left */
      *from = left;
   }
   return next;
}

static void
run_program(struct cf_sim_vertices *v, const struct cf_sim_simd *p, uint64_t from)
{
   for (uint32_t at = 0; at < p->count;) {
      const struct cf_sim_simd_block *block = &p->block[at];
      if (v->task.code->instr[at].unit == CF_OP_UNIT_BRANCH) {
         at = pass_flow(v, p, at, &from);
         continue;
      }
      for (uint32_t i = block->first; i < block->first + block->count; i++)
         run_instruction(v, &p->instr[i], p->address_B + INSTRUCTION_B * i, from);
      pass_outcomes(v, at, block->end);
      at = block->end;
   }
   v->end = later(v->end, v->decode2_free); /* the end itself has left */
}

/* The distributor puts a vertex into the data memory. Returns when it is there. */
static uint64_t
distribute(struct cf_sim_vertices *v, uint32_t elements)
{
   struct cf_sim_unit *unit = &v->unit[CF_SIM_VERTICES_DISTRIBUTOR];
   const uint64_t number = v->counts.vertices, held = v->machine->shader.ahead + 1u,
                  room = number < held ? 0 : v->ended[(number - held) % CF_SIM_VERTICES_AHEAD],
                  begin = later(v->distributed, room);
   cf_sim_because(unit, begin, CF_SIM_WHY_BUSY);
   v->distributed = begin + (uint64_t)elements * v->machine->shader.distribute_cycles;
   cf_sim_because(unit, v->distributed, CF_SIM_WHY_FULL);
   return v->distributed;
}

static void
shade(struct cf_sim_vertices *v, const struct cf_sim_chunk *chunk, size_t number)
{
   const struct cf_sim_vertex *vertex = &chunk->vertex[number];
   const struct cf_sim_op *op = &chunk->op[vertex->op];
   const uint32_t program = op->program[CF_SIM_STAGE_VERTEX];
   const uint64_t there = distribute(v, op->elements),
                  start = later(v->fetch_free,
                                v->machine->shader.overlap ? there : later(there, v->end));
   struct cf_sim_unit *unit = &v->unit[CF_SIM_VERTICES_FETCH];
   /* first the vertex before is in the way, then this one is not there yet */
   if (!v->machine->shader.overlap && v->end > v->fetch_free) {
      unit->why = CF_SIM_WHY_ORDER;
      cf_sim_because(unit, v->end, CF_SIM_WHY_EMPTY);
   }
   v->end = start;
   if (program < v->programs) {
      cf_sim_task_find_vertex(chunk, number, &v->texel, &v->step);
      cf_sim_task_begin(&v->task, chunk, CF_SIM_STAGE_VERTEX, vertex->op, &v->code[program]);
      v->task.first_vertex = number;
      cf_sim_task_add_vertex(&v->task, v->texel, v->step);
      run_program(v, &v->simd[program], start);
      v->counts.lost += v->task.lost;
   }
   v->ended[v->counts.vertices++ % CF_SIM_VERTICES_AHEAD] = v->end;
   v->counts.shaded += v->end - start;
   v->time = later(v->time, v->end);
}

void
cf_sim_vertices_chunk(struct cf_sim_vertices *v, const struct cf_sim_chunk *chunk)
{
   if (!cf_sim_layout_chunk(&v->layout, chunk) || !add_programs(v, chunk)) {
      v->failed = true;
      return;
   }
   v->texel = v->step = 0;
   for (size_t i = 0; i < chunk->vertices; i++) {
      if (!(chunk->op[chunk->vertex[i].op].flags & CF_SIM_GEOMETRY))
         shade(v, chunk, i);
   }
}
