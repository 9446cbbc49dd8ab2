/* SPDX-License-Identifier: MIT */
#include "clipfree/jit/cf_jit_map.h"

#include <stdlib.h>

#include "clipfree/arith/cf_minmax.h"
#include "clipfree/jit/cf_jit_source.h"
#include "clipfree/jit/cf_quad_work.h"
#include "clipfree/memory/cf_memory.h"
#include "clipfree/primitive/cf_prim_layout.h"
#include "clipfree/shader/cf_decoded.h"
#include "clipfree/shader/cf_run.h"
#include "clipfree/texture/cf_texture.h"

/* Regions. */
enum {
   RUN,
   TASK,
   STAGE,
   WORK,
   SCRATCH,
   ROWS,
   STEPS,
   UNIFORMS,
   VARYINGS,
   UNIT,
   TEXELS,
   QUADS,
   PRIM,
   PRIM_CONFIG,
   PIXEL,
   PIXELS,
   COVERAGE,
   WRITTEN,
   UNITS,
   OPERANDS,
   RESULT,
   HANDLERS,
   SAMPLES, /* tables of functions */
   HANDLER,
   WATCH,
   SAMPLE,
   TEST_QUADS,
   TEST_SAMPLES, /* functions */
   REGIONS
};

#define OPERANDS_B ((4 + CF_TEX_OPERANDS) * CF_ROW_B)
#define RESULT_B (4 * CF_ROW_B)
#define MEMBER(type, member)                                                                       \
   {                                                                                               \
      offsetof(struct type, member),                                                               \
         offsetof(struct type, member) + sizeof(((struct type *)0)->member)                        \
   }
#define POINTER(type, member, region)                                                              \
   {                                                                                               \
      offsetof(struct type, member), 0, 1, region                                                  \
   }
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- what does not depend on the source ---- */

static const struct cf_proof_range run_writes[] = { MEMBER(cf_run, exec),
                                                    MEMBER(cf_run, first_exec),
                                                    MEMBER(cf_run, alive) };

static const struct cf_proof_range task_writes[] = {
   MEMBER(cf_task, v),           MEMBER(cf_task, s),   MEMBER(cf_task, sys),
   MEMBER(cf_task, tex_operand), MEMBER(cf_task, out), MEMBER(cf_task, timed_out),
};

/* Pixels and texels: memory of the GPU and what is reserved around it for offsets
 * (memory/cf_memory.h). */
#define MEMORY                                                                                     \
   {                                                                                               \
      -CF_MEMORY_BEFORE_B, CF_MEMORY_AFTER_B                                                       \
   }
static const struct cf_proof_range pixel_writes[] = { MEMORY };
static const struct cf_proof_range written_writes[] = { { 0, CF_SAMPLES * sizeof(uint32_t) } };
static const struct cf_proof_range result_writes[] = { { 0, RESULT_B } };

static const struct cf_proof_pointer run_pointers[] = {
   POINTER(cf_run, task, TASK),
   POINTER(cf_run, stage, STAGE),
   POINTER(cf_run, constants, ROWS),
   POINTER(cf_run, steps, STEPS),
   POINTER(cf_run, table, HANDLERS),
   { offsetof(struct cf_run, varyings), sizeof(void *), CF_TASK_QUADS, VARYINGS },
   /* the last ones: only in code to be watched, or from quads to pixels */
   POINTER(cf_run, watch, WATCH),
   POINTER(cf_run, work, WORK),
};

static const struct cf_proof_pointer task_pointers[] = {
   { offsetof(struct cf_task, varyings), sizeof(void *), CF_TASK_QUADS, VARYINGS },
   POINTER(cf_task, scratch, SCRATCH), /* only if the program has some */
};

static const struct cf_proof_pointer work_pointers[] = {
   POINTER(cf_quad_work, fragments.units, UNITS),
   POINTER(cf_quad_work, fragments.quads, QUADS),
   POINTER(cf_quad_work, fragments.coverage, COVERAGE),
   POINTER(cf_quad_work, fragments.pixel, PIXEL),
   POINTER(cf_quad_work, written, WRITTEN),
   POINTER(cf_quad_work, test_quads, TEST_QUADS),
   POINTER(cf_quad_work, test_samples, TEST_SAMPLES),
};

static const struct cf_proof_pointer unit_pointers[] = {
   POINTER(cf_texture_unit, data, TEXELS), POINTER(cf_texture_unit, functions, SAMPLES)
};
static const struct cf_proof_pointer quad_pointers[] = {
   { offsetof(struct cf_quad, prim), sizeof(struct cf_quad), CF_TASK_QUADS, PRIM }
};
static const struct cf_proof_pointer prim_pointers[] = { { CF_PRIM_CONFIG_B, 0, 1, PRIM_CONFIG },
                                                         { CF_PRIM_VARYINGS_B, 0, 1, VARYINGS } };
static const struct cf_proof_pointer sample_pointers[] = { { 0, sizeof(void *), CF_SAMPLE_VARIANTS,
                                                             SAMPLE } };

static const struct cf_proof_argument run_arguments[] = { { CF_PROOF_TAKES_REGION, RUN } };
static const struct cf_proof_argument watch_arguments[] = { { CF_PROOF_TAKES_REGION, RUN },
                                                            { CF_PROOF_TAKES_NUMBER } };
static const struct cf_proof_argument sample_arguments[] = {
   { CF_PROOF_TAKES_REGION, UNIT },
   { CF_PROOF_TAKES_INPUT, .size_B = OPERANDS_B },
   { CF_PROOF_TAKES_NUMBER },
   { CF_PROOF_TAKES_NUMBER },
   { CF_PROOF_TAKES_OUTPUT, .size_B = RESULT_B }
};
/* the same, seen from the function that is called */
static const struct cf_proof_argument sampled_arguments[] = { { CF_PROOF_TAKES_REGION, UNIT },
                                                              { CF_PROOF_TAKES_REGION, OPERANDS },
                                                              { CF_PROOF_TAKES_NUMBER },
                                                              { CF_PROOF_TAKES_NUMBER },
                                                              { CF_PROOF_TAKES_REGION, RESULT } };
static const struct cf_proof_argument test_quads_arguments[] = {
   { CF_PROOF_TAKES_REGION, PIXEL },
   { CF_PROOF_TAKES_REGION, QUADS },
   { CF_PROOF_TAKES_NUMBER },
   { CF_PROOF_TAKES_NUMBER },
   { CF_PROOF_TAKES_INPUT, .size_B = CF_ROW_B },
   { CF_PROOF_TAKES_INPUT, .size_B = CF_ROW_B },
};
static const struct cf_proof_argument test_samples_arguments[] = {
   { CF_PROOF_TAKES_REGION, UNITS },
   { CF_PROOF_TAKES_REGION, PIXEL },
   { CF_PROOF_TAKES_REGION, QUADS },
   { CF_PROOF_TAKES_NUMBER },
   { CF_PROOF_TAKES_INPUT, .size_B = CF_QUADS_OUTPUTS * CF_ROW_B },
   { CF_PROOF_TAKES_REGION, WRITTEN },
};

#define READS(size) .read = { 0, (int64_t)(size) }
#define WRITES(array) .writes = array, .write_count = COUNT(array)
#define POINTS(array) .pointers = array, .pointer_count = COUNT(array)
#define TAKES(array) .arguments = array, .argument_count = COUNT(array)

static const struct cf_proof_region fixed[REGIONS] = {
   [RUN] = { "run", READS(sizeof(struct cf_run)), WRITES(run_writes), POINTS(run_pointers) },
   [TASK] = { "task", READS(sizeof(struct cf_task)), WRITES(task_writes), POINTS(task_pointers) },
   [STAGE] = { "stage", READS(offsetof(struct cf_stage, fetch)) },
   [WORK] = { "work", READS(sizeof(struct cf_quad_work)), POINTS(work_pointers) },
   [SCRATCH] = { "scratch" },
   [ROWS] = { "broadcast rows", .read = { -CF_MAX_BROADCAST_ROWS * CF_ROW_B, 0 } },
   [STEPS] = { "steps" },
   [UNIFORMS] = { "uniforms", .read = MEMORY },
   [VARYINGS] = { "varyings" },
   [UNIT] = { "texture unit", READS(sizeof(struct cf_texture_unit)), POINTS(unit_pointers) },
   [TEXELS] = { "texels", .read = MEMORY },
   [QUADS] = { "quads", READS(CF_TASK_QUADS * sizeof(struct cf_quad)), POINTS(quad_pointers) },
   [PRIM] = { "primitive", READS(sizeof(struct cf_prim)), POINTS(prim_pointers) },
   [PRIM_CONFIG] = { "primitive engine", READS(sizeof(struct cf_primitive_config)) },
   [PIXEL] = { "pixel engine" },
   [PIXELS] = { "pixels", .read = MEMORY, WRITES(pixel_writes) },
   [COVERAGE] = { "coverage", READS(CF_ROW_B) },
   [WRITTEN] = { "written lanes", READS(CF_SAMPLES * sizeof(uint32_t)), WRITES(written_writes) },
   [UNITS] = { "units" },
   [OPERANDS] = { "operands", READS(OPERANDS_B) },
   [RESULT] = { "result", READS(RESULT_B), WRITES(result_writes) },
   [HANDLERS] = { "handlers" },
   [SAMPLES] = { "sample functions", READS(sizeof(struct cf_sample_functions)),
                 POINTS(sample_pointers) },
   [HANDLER] = { "handler" },
   [WATCH] = { "watch", TAKES(watch_arguments) },
   [SAMPLE] = { "sample", TAKES(sample_arguments) },
   [TEST_QUADS] = { "test_quads", TAKES(test_quads_arguments) },
   [TEST_SAMPLES] = { "test_samples", TAKES(test_samples_arguments) },
};

/* ---- what does ---- */

struct made_map {
   struct cf_proof_region region[REGIONS];
   struct cf_proof_range scratch;
   struct cf_proof_pointer stage[CF_MAX_TEXTURE_UNITS + 1], pixel[CF_MAX_COLOR_TARGETS + 1];
   struct cf_proof_pointer handlers;
   struct cf_proof_argument handler[2];
   uint16_t *handler_of; /* by step */
};

/* Units that the program samples: others may hold anything. */
static void
map_stage(struct made_map *map, const struct cf_decoded *program)
{
   const size_t bank_B = sizeof(((struct cf_stage *)0)->constants[0]);
   bool sampled[CF_MAX_TEXTURE_UNITS] = { false };
   unsigned count = 0;
   map->stage[count++] =
      (struct cf_proof_pointer){ offsetof(struct cf_stage, constants), (uint32_t)bank_B,
                                 CF_MAX_CONSTANT_BANKS, UNIFORMS };
   for (unsigned i = 0; i < program->count; i++) {
      const unsigned unit = program->instrs[i].unit;
      if (program->instrs[i].op != CF_OP_TEX || unit >= CF_MAX_TEXTURE_UNITS || sampled[unit])
         continue;
      sampled[unit] = true;
      map->stage[count++] = (struct cf_proof_pointer){
         (int64_t)(offsetof(struct cf_stage, textures) + unit * sizeof(void *)), 0, 1, UNIT
      };
   }
   map->region[STAGE].pointers = map->stage;
   map->region[STAGE].pointer_count = count;
}

/* Images that the key says are written or tested, of each sample. */
static void
map_pixel(struct made_map *map, const struct cf_pixel_key *key)
{
   const uint32_t configs = key->samples ? key->samples : 1,
                  config_B = sizeof(struct cf_pixel_config);
   unsigned count = 0;
   for (unsigned i = 0; i < key->targets; i++) {
      const int64_t data_B =
         (int64_t)(offsetof(struct cf_pixel_config, color) + i * sizeof(struct cf_image) +
                   offsetof(struct cf_image, data));
      if (key->target[i].format)
         map->pixel[count++] = (struct cf_proof_pointer){ data_B, config_B, configs, PIXELS };
   }
   if (key->depth_format)
      map->pixel[count++] = (struct cf_proof_pointer){ offsetof(struct cf_pixel_config, zs.data),
                                                       config_B, configs, PIXELS };
   map->region[PIXEL].read = (struct cf_proof_range){ 0, (int64_t)configs * config_B };
   map->region[PIXEL].pointers = map->pixel;
   map->region[PIXEL].pointer_count = count;
}

/* Handlers are called with steps of theirs. */
static bool
map_steps(struct made_map *map, const struct cf_decoded *program)
{
   map->handler_of = malloc((program->count + 1) * sizeof(*map->handler_of));
   map->handlers = (struct cf_proof_pointer){ 0, sizeof(cf_handler), 1, HANDLER };
   for (unsigned i = 0; map->handler_of && i < program->count; i++) {
      map->handler_of[i] = program->steps[i].handler;
      map->handlers.count = cf_max_u32(map->handlers.count, map->handler_of[i] + 1u);
   }
   map->region[HANDLERS].read.end = (int64_t)(map->handlers.count * sizeof(cf_handler));
   map->region[HANDLERS].pointers = &map->handlers;
   map->region[HANDLERS].pointer_count = 1;
   map->handler[0] = (struct cf_proof_argument){ CF_PROOF_TAKES_REGION, RUN };
   map->handler[1] = (struct cf_proof_argument){ CF_PROOF_TAKES_PART, STEPS, sizeof(struct cf_step),
                                                 map->handler_of };
   map->region[HANDLER].arguments = map->handler;
   map->region[HANDLER].argument_count = 2;
   map->region[STEPS].read =
      (struct cf_proof_range){ 0, (int64_t)(program->count * sizeof(struct cf_step)) };
   return map->handler_of;
}

static bool
map_program(struct made_map *map, const struct cf_jit_source *source)
{
   const struct cf_decoded *program = source->program;
   const int64_t scratch_B = (int64_t)program->info.scratch_dwords * CF_ROW_B;
   map->region[RUN].pointer_count -= source->pixel ? 0 : 1;
   map->region[TASK].pointer_count -= scratch_B ? 0 : 1;
   map->scratch = map->region[SCRATCH].read = (struct cf_proof_range){ 0, scratch_B };
   map->region[VARYINGS].read.end = (int64_t)(program->info.inputs * sizeof(float[3]));
   map->region[SCRATCH].writes = &map->scratch;
   map->region[SCRATCH].write_count = 1;
   map_stage(map, program);
   if (source->pixel)
      map_pixel(map, source->pixel);
   return map_steps(map, program);
}

struct cf_proof_verdict
cf_jit_prove(const struct cf_jit_source *source, struct cf_proof_code code)
{
   struct made_map made = { .handler_of = NULL };
   struct cf_proof_verdict verdict = { .wrong = "out of memory", .at_B = code.entry_B };
   for (unsigned i = 0; i < REGIONS; i++)
      made.region[i] = fixed[i];
   code.arguments = source->program ? run_arguments : sampled_arguments;
   code.argument_count = source->program ? COUNT(run_arguments) : COUNT(sampled_arguments);
   if (!source->program || map_program(&made, source))
      verdict = cf_proof_check(&code, &(struct cf_proof_map){ made.region, REGIONS });
   free(made.handler_of);
   return verdict;
}
