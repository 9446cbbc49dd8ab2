/* SPDX-License-Identifier: MIT */
#include "clipfree/timing/cf_sim_simd.h"

#include <stdlib.h>
#include <string.h>

/* What is known while a program is gathered. Places are those of instructions in the block. */
struct gathering {
   struct cf_sim_simd *simd;
   struct cf_sim_simd_block *block;
   uint32_t width, names;                /* names: of registers so far */
   uint32_t *written, *read;             /* by register: after its last write; its last read */
   uint32_t name[CF_SIM_SIMD_REGISTERS]; /* of the value that a register of the trace has now */
};

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

/* ------------------------------------------------------------------ gathering */

/* The first place at which an operation has all that it needs, and overwrites nothing that others
 * still read. */
static uint32_t
earliest(const struct gathering *g, const struct cf_sim_simd_instr *one)
{
   uint32_t place = 0;
   for (uint32_t i = 0; i < one->reads; i++)
      place = g->written[one->read[i]] > place ? g->written[one->read[i]] : place;
   for (uint32_t i = 0; i < one->writes; i++) {
      const uint32_t r = one->write[i];
      place = g->written[r] > place ? g->written[r] : place;
      place = g->read[r] > place ? g->read[r] : place;
   }
   return place;
}

/* The place of an instruction that it may join; block.count: of none. */
static uint32_t
place_of(const struct gathering *g, const struct cf_sim_simd_instr *one)
{
   const struct cf_sim_simd_instr *in_block = g->simd->instr + g->block->first;
   uint32_t place = one->key ? earliest(g, one) : g->block->count;
   while (place < g->block->count &&
          (in_block[place].key != one->key || in_block[place].lanes == g->width))
      place++;
   return place;
}

/* An operation on registers of its own: the trace's programs use each again as soon as they can,
 * which would keep operations apart. What is left at the end of a block has the trace's register;
 * `last`: a bit for each such write. */
static void
rename_registers(struct gathering *g, struct cf_sim_simd_instr *one, uint32_t last)
{
   for (uint32_t i = 0; i < one->reads; i++)
      one->read[i] = g->name[one->read[i]];
   for (uint32_t i = 0; i < one->writes; i++) {
      uint32_t *name = &g->name[one->write[i]];
      *name = last >> i & 1 ? one->write[i] : g->names++;
      one->write[i] = *name;
   }
}

static void
gather(struct gathering *g, const struct cf_sim_simd_instr *one)
{
   const uint32_t place = place_of(g, one);
   struct cf_sim_simd_instr *to = &g->simd->instr[g->block->first + place];
   if (place == g->block->count) {
      *to = *one;
      g->block->count++;
      g->simd->instrs++;
   } else {
      memcpy(to->read + to->reads, one->read, one->reads * sizeof(one->read[0]));
      memcpy(to->write + to->writes, one->write, one->writes * sizeof(one->write[0]));
      to->reads += one->reads;
      to->writes += one->writes;
      to->lanes++;
   }
   for (uint32_t i = 0; i < one->reads; i++)
      g->read[one->read[i]] = place > g->read[one->read[i]] ? place : g->read[one->read[i]];
   for (uint32_t i = 0; i < one->writes; i++)
      g->written[one->write[i]] = place + 1;
}

/* A product, then its sum: of a multiply-add, whose product gets a register of its own. */
static void
gather_multiply_add(struct gathering *g, const struct cf_instr *instr, uint32_t last)
{
   struct cf_instr product = *instr, sum = *instr;
   product.op = CF_OP_FMUL;
   sum.op = instr->op == CF_OP_FMAD ? CF_OP_FADD : CF_OP_FSUB;
   struct cf_sim_simd_instr first = operation_of(&product), second = operation_of(&sum);
   first.writes = 0;
   rename_registers(g, &first, 0);
   first.write[first.writes++] = g->names++;
   second.reads = 0;
   add_read(&second, instr->src[2]);
   rename_registers(g, &second, last);
   second.read[second.reads++] = first.write[0];
   gather(g, &first);
   gather(g, &second);
}

static void
begin_block(struct gathering *g, struct cf_sim_simd_block *block, uint32_t first)
{
   *block = (struct cf_sim_simd_block){ .first = g->simd->instrs, .end = first };
   g->block = block;
   for (uint32_t i = 0; i < CF_SIM_SIMD_REGISTERS; i++)
      g->name[i] = i;
   memset(g->written, 0, g->simd->registers * sizeof(g->written[0]));
   memset(g->read, 0, g->simd->registers * sizeof(g->read[0]));
}

static bool
is_flow(const struct cf_instr *instr)
{
   return cf_op_info(instr->op)->op_class == CF_OP_CLASS_FLOW;
}

/* Gather an instruction of the trace. */
static void
gather_one(struct gathering *g, const struct cf_instr *instr, uint32_t last)
{
   if (is_multiply_add(instr->op)) {
      gather_multiply_add(g, instr, last);
      return;
   }
   struct cf_sim_simd_instr one = operation_of(instr);
   rename_registers(g, &one, last);
   if (instr->op != CF_OP_SYS) /* it lies in memory at a known place, as all of the vertex */
      gather(g, &one);
}

static void
gather_program(struct gathering *g, const uint64_t *code, const bool *leads, const uint8_t *last)
{
   for (uint32_t i = 0; i < g->simd->count; i++) {
      struct cf_instr instr = { 0 };
      const char *why;
      if (i == 0 || leads[i])
         begin_block(g, &g->simd->block[i], i);
      if (!cf_instr_decode(code[i], &instr, &why) || is_flow(&instr))
         continue;
      g->block->end = i + 1;
      gather_one(g, &instr, last[i]);
   }
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
cf_sim_simd_init(struct cf_sim_simd *simd, const uint64_t *code, uint32_t count, uint32_t width)
{
   /* an instruction has at most two operations, and writes at most four registers */
   *simd = (struct cf_sim_simd){ .count = count,
                                 .registers = CF_SIM_SIMD_REGISTERS + CF_SIM_SIMD_WIDTH * count };
   simd->instr = calloc(2 * (size_t)count + 1, sizeof(simd->instr[0]));
   simd->block = calloc(count + 1, sizeof(simd->block[0]));
   struct gathering g = { .simd = simd,
                          .width = width,
                          .names = CF_SIM_SIMD_REGISTERS,
                          .written = calloc(simd->registers, sizeof(g.written[0])),
                          .read = calloc(simd->registers, sizeof(g.read[0])) };
   bool *leads = calloc(count + 1, sizeof(leads[0]));
   uint8_t *last = calloc(count + 1, sizeof(last[0]));
   const bool ok = leads && last && simd->instr && simd->block && g.written && g.read;
   if (ok) {
      find_leads(code, count, leads);
      find_last(code, count, leads, last);
      gather_program(&g, code, leads, last);
   }
   free(leads);
   free(last);
   free(g.written);
   free(g.read);
   return ok;
}

void
cf_sim_simd_free(struct cf_sim_simd *simd)
{
   free(simd->instr);
   free(simd->block);
   *simd = (struct cf_sim_simd){ 0 };
}
