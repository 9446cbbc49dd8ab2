/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_simd.h"

#include <stdlib.h>
#include <string.h>

/* An operation of a block. */
struct operation {
   struct cf_sim_simd_instr one;
   uint32_t path; /* cycles of the longest chain of operations from its beginning to the end */
   bool placed;
};

/* What is known while a program is gathered. Each write makes a value, which has a name: those of
 * CF_SIM_SIMD_REGISTERS are of values from before the block. Clipfree's programs use registers
 * again as soon as they can, which would keep operations apart. */
struct gathering {
   const struct cf_sim_machine *machine;
   struct cf_sim_simd *simd;
   struct cf_sim_simd_block *block;
   struct operation *operation;             /* of the block */
   uint32_t operations, left;               /* left: not placed */
   uint32_t names;                          /* so far, of all blocks */
   uint32_t name[CF_SIM_SIMD_REGISTERS];    /* of the value that a register of the trace has */
   uint32_t readers[CF_SIM_SIMD_REGISTERS]; /* reads of values from before, that are not placed */
   uint32_t memory;                         /* name of what the scratch memory has */
   /* by name: the place after the instruction that writes it, 0 or NOT_YET; the longest path of
    * those that read it; its register */
   uint32_t *written_at, *path, *home;
};

#define NOT_YET UINT32_MAX

static bool
is_multiply_add(enum cf_op op)
{
   return op == CF_OP_FMAD || op == CF_OP_FMSUB || op == CF_OP_FSUBM;
}

static void
add_read(struct cf_sim_simd_instr *to, struct cf_reg reg)
{
   if (reg.kind == CF_KIND_V || reg.kind == CF_KIND_S)
      to->read[to->reads++] = (reg.kind == CF_KIND_S ? 128u : 0u) + reg.index;
}

static void
add_write(struct cf_sim_simd_instr *to, struct cf_reg reg, uint32_t offset)
{
   if (reg.kind == CF_KIND_V || reg.kind == CF_KIND_S)
      to->write[to->writes++] = (reg.kind == CF_KIND_S ? 128u : 0u) + ((reg.index + offset) & 127);
}

/* ------------------------------------------------------------------ one operation */

static enum cf_sim_simd_unit
unit_of(const struct cf_instr *instr, enum cf_op_class cls)
{
   switch (cls) {
   case CF_OP_CLASS_FLOAT:
      return instr->dst.kind == CF_KIND_S ? CF_SIM_SIMD_SCALAR
             : instr->op == CF_OP_FMUL    ? CF_SIM_SIMD_MULTIPLY
                                          : CF_SIM_SIMD_ADD;
   case CF_OP_CLASS_DIVIDE:
   case CF_OP_CLASS_SPECIAL:
      return CF_SIM_SIMD_SPECIAL;
   case CF_OP_CLASS_CONSTANT:
   case CF_OP_CLASS_SCRATCH:
   case CF_OP_CLASS_LOAD:
   case CF_OP_CLASS_TEXTURE:
   case CF_OP_CLASS_EXPORT:
      return CF_SIM_SIMD_DATA;
   default:
      return CF_SIM_SIMD_FIXED;
   }
}

/* What may join an instruction: vectors' operations, and outputs of one vector. */
static uint32_t
key_of(const struct cf_instr *instr, enum cf_sim_simd_unit unit)
{
   if (instr->op == CF_OP_OUT || instr->op == CF_OP_OUTF)
      return CF_OP_OUT | (1u + instr->index / 4) << 8;
   return unit <= CF_SIM_SIMD_MULTIPLY && unit != CF_SIM_SIMD_SCALAR && instr->dst.kind == CF_KIND_V
             ? instr->op
             : 0;
}

static struct cf_sim_simd_instr
operation_of(const struct cf_instr *instr)
{
   const struct cf_op_info *info = cf_op_info(instr->op);
   struct cf_sim_simd_instr to = { .unit = unit_of(instr, info->op_class), .lanes = 1 };
   const uint32_t mask = info->form == CF_FORM_TEX   ? instr->mask
                         : info->form == CF_FORM_LDF ? 15u
                                                     : info->has_dst;
   to.multiplies = instr->op == CF_OP_FMUL;
   to.key = key_of(instr, to.unit);
   for (uint32_t i = 0; i < info->sources; i++)
      add_read(&to, instr->src[i]);
   for (uint32_t i = 0; i < 4; i++) {
      if (mask >> i & 1)
         add_write(&to, instr->dst, i);
   }
   return to;
}

uint32_t
cf_sim_simd_cycles(const struct cf_sim_machine *m, const struct cf_sim_simd_instr *i)
{
   const uint32_t of_unit[CF_SIM_SIMD_UNITS] = {
      [CF_SIM_SIMD_FIXED] = m->shader.fixed_cycles,
      [CF_SIM_SIMD_SCALAR] = i->multiplies ? m->shader.multiply_cycles : m->shader.add_cycles,
      [CF_SIM_SIMD_ADD] = m->shader.add_cycles,
      [CF_SIM_SIMD_MULTIPLY] = m->shader.multiply_cycles,
      [CF_SIM_SIMD_SPECIAL] =
         m->shader.iterations * m->shader.iteration_cycles + m->shader.convert_cycles,
      [CF_SIM_SIMD_DATA] = m->shader.data_cycles,
   };
   return of_unit[i->unit];
}

/* ------------------------------------------------------------------ gathering a block */

/* Whether an operation may be in an instruction at `place`: its operands are made before, and what
 * it overwrites is read before, or by the same instruction. */
static bool
may_be_at(const struct gathering *g, const struct operation *o, uint32_t place)
{
   for (uint32_t i = 0; i < o->one.reads; i++) {
      if (g->written_at[o->one.read[i]] > place)
         return false;
   }
   for (uint32_t i = 0; i < o->one.writes; i++) {
      const uint32_t home = g->home[o->one.write[i]];
      uint32_t own = 0;
      for (uint32_t k = 0; k < o->one.reads; k++)
         own += o->one.read[k] == home;
      if (home < CF_SIM_SIMD_REGISTERS && g->readers[home] > own)
         return false;
   }
   return true;
}

/* The operation with the longest path that may be at `place`, of a key, unless that is 0. NULL:
 * there is none. */
static struct operation *
choose(const struct gathering *g, uint32_t place, uint32_t key)
{
   struct operation *chosen = NULL;
   for (uint32_t i = 0; i < g->operations; i++) {
      struct operation *o = &g->operation[i];
      if (!o->placed && (!key || o->one.key == key) && (!chosen || o->path > chosen->path) &&
          may_be_at(g, o, place))
         chosen = o;
   }
   return chosen;
}

static void
join(struct cf_sim_simd_instr *to, const struct cf_sim_simd_instr *one)
{
   memcpy(to->read + to->reads, one->read, one->reads * sizeof(one->read[0]));
   memcpy(to->write + to->writes, one->write, one->writes * sizeof(one->write[0]));
   to->reads += one->reads;
   to->writes += one->writes;
   to->lanes++;
}

static void
place(struct gathering *g, struct operation *o)
{
   o->placed = true;
   g->left--;
   for (uint32_t i = 0; i < o->one.reads; i++) {
      if (o->one.read[i] < CF_SIM_SIMD_REGISTERS)
         g->readers[o->one.read[i]]--;
   }
}

/* Make the next instruction of the block. */
static void
gather_instruction(struct gathering *g)
{
   const uint32_t at = g->block->count++;
   struct cf_sim_simd_instr *to = &g->simd->instr[g->simd->instrs++];
   struct operation *o = choose(g, at, 0);
   *to = o->one;
   place(g, o);
   while (to->key && to->lanes < g->machine->shader.width && (o = choose(g, at, to->key))) {
      join(to, &o->one);
      place(g, o);
   }
   for (uint32_t i = 0; i < to->writes; i++) {
      g->written_at[to->write[i]] = at + 1;
      to->write[i] = g->home[to->write[i]];
   }
   for (uint32_t i = 0; i < to->reads; i++)
      to->read[i] = g->home[to->read[i]];
}

/* Ways to the end, from the last operation to the first. */
static void
find_ways(struct gathering *g)
{
   for (uint32_t i = g->operations; i-- > 0;) {
      struct operation *o = &g->operation[i];
      uint32_t after = 0;
      for (uint32_t k = 0; k < o->one.writes; k++)
         after = g->path[o->one.write[k]] > after ? g->path[o->one.write[k]] : after;
      o->path = after + cf_sim_simd_cycles(g->machine, &o->one);
      for (uint32_t k = 0; k < o->one.reads; k++) {
         uint32_t *path = &g->path[o->one.read[k]];
         *path = o->path > *path ? o->path : *path;
      }
   }
}

/* All operations of the block are known. */
static void
end_block(struct gathering *g)
{
   find_ways(g);
   g->left = g->operations;
   while (g->left > 0)
      gather_instruction(g);
   g->operations = 0;
}

/* ------------------------------------------------------------------ operations of a block */

static uint32_t
new_name(struct gathering *g)
{
   g->written_at[g->names] = NOT_YET;
   return g->names++;
}

/* An operation joins the block. */
static void
add_operation(struct gathering *g, const struct cf_sim_simd_instr *one)
{
   for (uint32_t i = 0; i < one->reads; i++) {
      if (one->read[i] < CF_SIM_SIMD_REGISTERS)
         g->readers[one->read[i]]++;
   }
   g->operation[g->operations++] = (struct operation){ .one = *one };
}

static void
name_reads(const struct gathering *g, struct cf_sim_simd_instr *one)
{
   for (uint32_t i = 0; i < one->reads; i++)
      one->read[i] = g->name[one->read[i]];
}

/* Values that are written; `last`: a bit for each that the block leaves in its register. */
static void
name_writes(struct gathering *g, struct cf_sim_simd_instr *one, uint32_t last)
{
   for (uint32_t i = 0; i < one->writes; i++) {
      const uint32_t reg = one->write[i], name = new_name(g);
      g->home[name] = last >> i & 1 ? reg : name;
      g->name[reg] = one->write[i] = name;
   }
}

/* A product, then its sum: of a multiply-add. */
static void
add_multiply_add(struct gathering *g, const struct cf_instr *instr, uint32_t last)
{
   struct cf_instr product = *instr, sum = *instr;
   product.op = CF_OP_FMUL;
   sum.op = instr->op == CF_OP_FMAD ? CF_OP_FADD : CF_OP_FSUB;
   struct cf_sim_simd_instr first = operation_of(&product), second = operation_of(&sum);
   name_reads(g, &first);
   first.writes = 1;
   first.write[0] = new_name(g);
   second.reads = 0;
   add_read(&second, instr->src[2]);
   name_reads(g, &second);
   second.read[second.reads++] = first.write[0];
   name_writes(g, &second, last);
   add_operation(g, &first);
   add_operation(g, &second);
}

/* Loads and stores of the scratch memory keep their order. */
static void
add_scratch(struct gathering *g, struct cf_sim_simd_instr *one)
{
   one->read[one->reads++] = g->memory;
   g->memory = one->write[one->writes++] = new_name(g);
}

static void
add_instruction(struct gathering *g, const struct cf_instr *instr, uint32_t last)
{
   if (is_multiply_add(instr->op)) {
      add_multiply_add(g, instr, last);
      return;
   }
   struct cf_sim_simd_instr one = operation_of(instr);
   name_reads(g, &one);
   name_writes(g, &one, last);
   if (instr->op == CF_OP_LDS || instr->op == CF_OP_STS)
      add_scratch(g, &one);
   if (instr->op != CF_OP_SYS)
      add_operation(g, &one);
   else if (one.writes > 0) /* it lies in memory at a known place, as all of the vertex */
      g->written_at[one.write[0]] = 0;
}

static void
begin_block(struct gathering *g, struct cf_sim_simd_block *block, uint32_t first)
{
   *block = (struct cf_sim_simd_block){ .first = g->simd->instrs, .end = first };
   g->block = block;
   memset(g->readers, 0, sizeof(g->readers));
   for (uint32_t i = 0; i < CF_SIM_SIMD_REGISTERS; i++)
      g->name[i] = i;
   g->memory = new_name(g);
   g->written_at[g->memory] = 0;
}

/* ------------------------------------------------------------------ programs */

static bool
is_flow(const struct cf_instr *instr)
{
   return cf_op_info(instr->op)->op_class == CF_OP_CLASS_FLOW;
}

static void
gather_program(struct gathering *g, const uint64_t *code, const bool *leads, const uint8_t *last)
{
   for (uint32_t i = 0; i < g->simd->count; i++) {
      struct cf_instr instr = { 0 };
      const char *why;
      if (i == 0 || leads[i]) {
         end_block(g);
         begin_block(g, &g->simd->block[i], i);
      }
      if (!cf_instr_decode(code[i], &instr, &why) || is_flow(&instr))
         continue;
      g->block->end = i + 1;
      add_instruction(g, &instr, last[i]);
   }
   end_block(g);
}

/* By instruction: of its writes those, a bit each, after which the block does not write the
 * register again. */
static void
find_last(const uint64_t *code, uint32_t count, const bool *leads, uint8_t *last)
{
   bool again[CF_SIM_SIMD_REGISTERS] = { false };
   for (uint32_t i = count; i-- > 0;) {
      struct cf_instr instr = { 0 };
      const char *why;
      if (leads[i + 1])
         memset(again, 0, sizeof(again));
      if (!cf_instr_decode(code[i], &instr, &why) || is_flow(&instr))
         continue;
      const struct cf_sim_simd_instr one = operation_of(&instr);
      for (uint32_t k = 0; k < one.writes; k++) {
         last[i] |= (uint8_t)(!again[one.write[k]] << k);
         again[one.write[k]] = true;
      }
   }
}

/* Blocks begin with control flow, after it, and where it goes. */
static void
find_leads(const uint64_t *code, uint32_t count, bool *leads)
{
   for (uint32_t i = 0; i < count; i++) {
      struct cf_instr instr = { 0 };
      const char *why;
      if (!cf_instr_decode(code[i], &instr, &why) || !is_flow(&instr))
         continue;
      leads[i] = leads[i + 1] = true;
      if (instr.target < count)
         leads[instr.target] = true;
   }
}

bool
cf_sim_simd_init(struct cf_sim_simd *simd, const uint64_t *code, uint32_t count,
                 const struct cf_sim_machine *machine)
{
   /* an instruction is at most two operations, and makes at most five values; a block one */
   const uint32_t names = CF_SIM_SIMD_REGISTERS + 6 * (count + 1);
   *simd = (struct cf_sim_simd){ .count = count, .registers = names };
   simd->instr = calloc(2 * (size_t)count + 1, sizeof(simd->instr[0]));
   simd->block = calloc(count + 1, sizeof(simd->block[0]));
   struct gathering g = { .machine = machine,
                          .simd = simd,
                          .operation = calloc(2 * (size_t)count + 1, sizeof(g.operation[0])),
                          .names = CF_SIM_SIMD_REGISTERS,
                          .written_at = calloc(names, sizeof(g.written_at[0])),
                          .path = calloc(names, sizeof(g.path[0])),
                          .home = calloc(names, sizeof(g.home[0])) };
   bool *leads = calloc(count + 1, sizeof(leads[0]));
   uint8_t *last = calloc(count + 1, sizeof(last[0]));
   const bool ok = leads && last && simd->instr && simd->block && g.operation && g.written_at &&
                   g.path && g.home;
   for (uint32_t i = 0; ok && i < names; i++)
      g.home[i] = i;
   if (ok) {
      find_leads(code, count, leads);
      find_last(code, count, leads, last);
      gather_program(&g, code, leads, last);
   }
   free(leads);
   free(last);
   free(g.operation);
   free(g.written_at);
   free(g.path);
   free(g.home);
   return ok;
}

void
cf_sim_simd_free(struct cf_sim_simd *simd)
{
   free(simd->instr);
   free(simd->block);
   *simd = (struct cf_sim_simd){ 0 };
}
