/* SPDX-License-Identifier: MIT */
#include "clipfree/command/cf_program_cache.h"

#include <stdlib.h>
#include <string.h>

#include "clipfree/base/cf_hash.h"
#include "clipfree/command/cf_resolve.h"
#include "clipfree/command/cf_slow.h"
#include "clipfree/isa/cf_isa.h"
#include "clipfree/jit/cf_jit.h"

#define BUCKETS 1024
#define TRIM_COUNT 2048 /* up to so many programs none is evicted */
#define TRIM_AGE 1000   /* refreshes */
#define RECENT 128      /* addresses looked up in this submission */
#define MAX_INSTRS 65536

struct entry {
   struct cf_cached_program cached;
   struct entry *next;
   uint64_t hash;
   uint64_t *code;
   uint64_t last_used;
};

struct cf_program_cache {
   struct cf_jit *jit;
   unsigned cordic_iterations;
   enum cf_vertex_order vertices;
   struct entry *bucket[BUCKETS];
   uint32_t count;
   uint64_t clock;
   struct {
      uint64_t address, clock;
      struct entry *entry;
   } recent[RECENT];
};

struct cf_program_cache *
cf_program_cache_create(struct cf_jit *jit, unsigned cordic_iterations,
                        enum cf_vertex_order vertices)
{
   struct cf_program_cache *cache = calloc(1, sizeof(*cache));
   if (!cache)
      return NULL;
   cache->clock = 1;
   cache->jit = jit;
   cache->cordic_iterations = cordic_iterations;
   cache->vertices = vertices;
   return cache;
}

static void
free_entry(struct entry *entry)
{
   if (entry->cached.decoded)
      cf_program_free(entry->cached.decoded);
   free(entry->code);
   free(entry);
}

/* Evict the programs last used before `clock`. */
static void
drop_older(struct cf_program_cache *cache, uint64_t clock)
{
   for (uint32_t i = 0; i < BUCKETS; i++) {
      struct entry **link = &cache->bucket[i];
      while (*link) {
         struct entry *entry = *link;
         if (entry->last_used >= clock) {
            link = &entry->next;
            continue;
         }
         *link = entry->next;
         free_entry(entry);
         cache->count--;
      }
   }
}

void
cf_program_cache_destroy(struct cf_program_cache *cache)
{
   if (!cache)
      return;
   drop_older(cache, UINT64_MAX);
   free(cache);
}

bool
cf_program_cache_is_large(const struct cf_program_cache *cache)
{
   return cache->count > TRIM_COUNT && cache->clock > TRIM_AGE;
}

void
cf_program_cache_refresh(struct cf_program_cache *cache, bool trim)
{
   cache->clock++;
   if (trim && cf_program_cache_is_large(cache))
      drop_older(cache, cache->clock - TRIM_AGE);
}

/* The highest colour that a fragment program writes, plus 1. */
static uint32_t
color_outputs_end(const struct cf_program *program)
{
   return program->color_outputs ? 32 - (uint32_t)__builtin_clz(program->color_outputs) : 0;
}

static bool
check_program(const struct cf_program *program, enum cf_shader_stage stage, struct cf_fault *fault)
{
   if (program->stage != stage)
      return cf_fault_set(fault, "program", "program.stage: is a %s program",
                          cf_shader_stage_name(program->stage));
   if (program->code_instrs == 0 || program->code_instrs > MAX_INSTRS)
      return cf_fault_set(fault, "program", "program.code_instrs: %u, must be 1 .. %u",
                          program->code_instrs, MAX_INSTRS);
   if (program->vector_regs > CF_MAX_VECTOR_REGS || program->scalar_regs > CF_MAX_SCALAR_REGS)
      return cf_fault_set(
         fault, "program", "program.vector_regs, scalar_regs: %u, %u, must be at most %u, %u",
         program->vector_regs, program->scalar_regs, CF_MAX_VECTOR_REGS, CF_MAX_SCALAR_REGS);
   if (program->scratch_dwords > CF_MAX_SCRATCH_DWORDS)
      return cf_fault_set(fault, "program", "program.scratch_dwords: %u, must be at most %u",
                          program->scratch_dwords, CF_MAX_SCRATCH_DWORDS);
   if (program->outputs > CF_MAX_OUTPUTS || (program->writes_depth && program->outputs < 33))
      return cf_fault_set(
         fault, "program",
         "program.outputs: %u, must be at most %u, and more than 32 if depth is written",
         program->outputs, CF_MAX_OUTPUTS);
   if (program->outputs < 4 * color_outputs_end(program))
      return cf_fault_set(fault, "program",
                          "program.color_outputs: 0x%x, of which %u outputs have not all",
                          program->color_outputs, program->outputs);
   if (program->inputs > CF_MAX_VARYING_DWORDS)
      return cf_fault_set(fault, "program", "program.inputs: %u, must be at most %u",
                          program->inputs, CF_MAX_VARYING_DWORDS);
   return true;
}

static void
include(uint32_t *count, uint32_t number)
{
   *count = number < *count ? *count : number + 1;
}

static void
scan_code(struct cf_cached_program *cached, const uint64_t *code)
{
   cached->banks = 1; /* bank 0: uniforms that are operands of instructions */
   for (uint32_t i = 0; i < cached->program.code_instrs; i++) {
      struct cf_instr instr;
      const char *error;
      if (!cf_instr_decode(code[i], &instr, &error))
         continue;
      if (instr.op == CF_OP_LDVAR)
         cached->varmodes |= 1u << instr.mode;
      if (instr.op == CF_OP_LDF)
         include(&cached->fetches, instr.slot);
      if (instr.op == CF_OP_LDU)
         include(&cached->banks, instr.bank);
      if (instr.op == CF_OP_TEX) {
         include(&cached->units, instr.unit);
         cached->texmodes |= 1u << instr.mode;
      }
   }
}

static struct entry *
make_entry(const struct cf_program *program, uint64_t address, const uint64_t *code,
           struct cf_fault *fault)
{
   struct cf_program placed = *program;
   placed.code = address;
   char reason[200] = "";
   struct entry *entry = calloc(1, sizeof(*entry));
   if (entry)
      entry->code = malloc(program->code_instrs * sizeof(*code));
   if (entry && entry->code) {
      memcpy(entry->code, code, program->code_instrs * sizeof(*code));
      entry->cached.program = *program;
      entry->cached.decoded = cf_program_decode(&placed, entry->code, reason, sizeof(reason));
      if (entry->cached.decoded) {
         scan_code(&entry->cached, entry->code);
         return entry;
      }
   }
   if (reason[0] && strcmp(reason, CF_PROGRAM_NO_MEMORY) != 0)
      cf_fault_set(fault, "program", "%s", reason);
   else
      cf_fault_out_of_memory(fault, "program");
   if (entry)
      free_entry(entry);
   return NULL;
}

static bool
is_same(const struct entry *entry, uint64_t hash, const struct cf_program *program,
        const uint64_t *code)
{
   return entry->hash == hash && entry->cached.program.code_instrs == program->code_instrs &&
          memcmp(&entry->cached.program, program, sizeof(*program)) == 0 &&
          memcmp(entry->code, code, program->code_instrs * sizeof(*code)) == 0;
}

/* Attach the engine that runs the program: the JIT, or CORDIC special functions; else the
 * interpreter does. */
static void
set_engine(const struct cf_program_cache *cache, struct cf_decoded *decoded)
{
   if (decoded && cache->cordic_iterations)
      cf_program_use_cordic(decoded, cache->cordic_iterations);
   else if (decoded && cache->jit)
      cf_jit_attach(cache->jit, decoded);
}

/* Look up by contents; decode on a miss. `address`: of the code. */
static struct entry *
find(struct cf_program_cache *cache, const struct cf_program *program, const uint32_t *dw,
     uint64_t address, const uint64_t *code, struct cf_fault *fault)
{
   uint64_t hash = cf_hash_words(CF_HASH_NOTHING, code, program->code_instrs);
   hash = cf_hash_words(hash, dw + 2, (CF_PROGRAM_DWORDS - 2) / 2);
   struct entry **bucket = &cache->bucket[(hash >> 40) % BUCKETS];
   for (struct entry *entry = *bucket; entry; entry = entry->next) {
      if (is_same(entry, hash, program, code))
         return entry;
   }
   struct entry *entry = make_entry(program, address, code, fault);
   if (!entry)
      return NULL;
   if (cache->vertices != CF_VERTICES_WHOLE)
      cf_program_add_positions(entry->cached.decoded,
                               cache->vertices == CF_VERTICES_POSITIONS_FIRST);
   set_engine(cache, entry->cached.decoded);
   set_engine(cache, cf_program_positions(entry->cached.decoded));
   entry->cached.slow = cache->jit ? cf_slow_program(cache->jit, &entry->cached) : 0;
   entry->hash = hash;
   entry->next = *bucket;
   *bucket = entry;
   cache->count++;
   return entry;
}

static struct entry *
load(struct cf_program_cache *cache, const struct cf_resolver *resolver, uint64_t address,
     enum cf_shader_stage stage, struct cf_fault *fault)
{
   /* zeroed: entries are compared by memcmp, padding included */
   struct cf_program program;
   memset(&program, 0, sizeof(program));
   const char *bad_field;
   const uint32_t *dw =
      cf_resolve_to_read(resolver, address, 4 * CF_PROGRAM_DWORDS, 4, "program", fault);
   if (!dw)
      return NULL;
   if (!cf_program_unpack(dw, &program, &bad_field)) {
      cf_fault_set(fault, "program", "program.%s: no such value", bad_field);
      return NULL;
   }
   if (!check_program(&program, stage, fault))
      return NULL;
   const uint64_t *code =
      cf_resolve_to_read(resolver, program.code, 8ull * program.code_instrs, 8, "program", fault);
   if (!code)
      return NULL;
   const uint64_t address_of_code = program.code;
   program.code = 0;
   return find(cache, &program, dw, address_of_code, code, fault);
}

const struct cf_cached_program *
cf_program_cache_get(struct cf_program_cache *cache, const struct cf_resolver *resolver,
                     uint64_t address, enum cf_shader_stage stage, struct cf_fault *fault)
{
   const uint32_t slot = (uint32_t)(address >> 5 ^ address >> 12) % RECENT;
   if (cache->recent[slot].address == address && cache->recent[slot].clock == cache->clock &&
       cache->recent[slot].entry->cached.program.stage == stage)
      return &cache->recent[slot].entry->cached;
   struct entry *entry = load(cache, resolver, address, stage, fault);
   if (!entry)
      return NULL;
   entry->last_used = cache->clock;
   cache->recent[slot].address = address;
   cache->recent[slot].clock = cache->clock;
   cache->recent[slot].entry = entry;
   return &entry->cached;
}
