/* SPDX-License-Identifier: MIT */
/*
 * Runs one task of a program in the interpreter and compiled, for clipfree shader. From stdin JSON:
 *
 *    {"descriptor": [dwords], "code": ["16 digits", ...], "lanes": N, "constants": [dwords],
 *     "attributes": {"slot": [[4 numbers] by lane]},
 *     "varyings": {"component": [at corner 0, 1, 2]}}
 *
 * To stdout: registers at the end, exports of both engines, and the first difference. Textures are
 * not bound: sampling gives (0, 0, 0, 1).
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/isa/cf_asm.h"
#include "clipfree/jit/cf_jit.h"
#include "clipfree/memory/cf_format.h"
#include "clipfree/shader/cf_program.h"
#include "clipfree/shader/cf_run.h"

#define MAX_INSTRS 10000000

struct work {
   struct cf_program info;
   struct cf_decoded *program;
   struct cf_stage stage;
   struct cf_task *task;
   uint32_t exec;
   float attributes[CF_MAX_VERTEX_ELEMENTS][CF_TASK_LANES][4];
   float varyings[CF_MAX_VARYING_DWORDS][3];
   uint32_t *constants;
};

static int
fail(const char *why)
{
   fprintf(stderr, "clipfree-shader-run: %s\n", why);
   return 1;
}

/* ------------------------------------------------------------------ the task */

static bool
decode(struct work *work, const json_t *input, char *error, size_t error_B)
{
   const json_t *words = json_object_get(input, "code"),
                *dwords = json_object_get(input, "descriptor");
   const size_t count = json_array_size(words);
   uint64_t *code = calloc(count + 1, sizeof(*code));
   uint32_t dw[CF_PROGRAM_DWORDS];
   const char *bad_field;
   for (unsigned i = 0; i < CF_PROGRAM_DWORDS; i++)
      dw[i] = (uint32_t)json_integer_value(json_array_get(dwords, i));
   for (size_t i = 0; i < count; i++)
      code[i] = strtoull(json_string_value(json_array_get(words, i)), NULL, 16);
   snprintf(error, error_B, "the descriptor is malformed");
   if (cf_program_unpack(dw, &work->info, &bad_field)) {
      work->info.code_instrs = (uint32_t)count;
      work->program = cf_program_decode(&work->info, code, error, error_B);
   }
   free(code);
   return work->program;
}

static void
bind_constants(struct work *work, const json_t *dwords)
{
   const size_t count = json_array_size(dwords);
   work->constants = calloc(count + 1, sizeof(uint32_t));
   for (size_t i = 0; i < count; i++)
      work->constants[i] = (uint32_t)json_integer_value(json_array_get(dwords, i));
   work->stage.constants[0].data = work->constants;
   work->stage.constants[0].dwords = (uint32_t)count;
}

static void
bind_attributes(struct work *work, json_t *slots)
{
   const char *slot;
   json_t *lanes;
   work->stage.fetches = CF_MAX_VERTEX_ELEMENTS;
   work->stage.fetch_vertices = CF_TASK_LANES;
   json_object_foreach(slots, slot, lanes)
   {
      const unsigned n = (unsigned)atoi(slot);
      if (n >= CF_MAX_VERTEX_ELEMENTS)
         continue;
      for (unsigned lane = 0; lane < CF_TASK_LANES; lane++) {
         for (unsigned c = 0; c < 4; c++)
            work->attributes[n][lane][c] =
               (float)json_number_value(json_array_get(json_array_get(lanes, lane), c));
      }
      work->stage.fetch[n] = (struct cf_fetch){
         .data = (const uint8_t *)work->attributes[n],
         .size_B = sizeof(work->attributes[n]),
         .stride_B = sizeof(work->attributes[n][0]),
         .format = cf_format_info_of(CF_FORMAT_R32G32B32A32_FLOAT),
      };
   }
}

static void
bind_varyings(struct work *work, json_t *components)
{
   const char *component;
   json_t *corner;
   json_object_foreach(components, component, corner)
   {
      const unsigned n = (unsigned)atoi(component);
      const float v[3] = { (float)json_number_value(json_array_get(corner, 0)),
                           (float)json_number_value(json_array_get(corner, 1)),
                           (float)json_number_value(json_array_get(corner, 2)) };
      if (n < CF_MAX_VARYING_DWORDS) {
         work->varyings[n][0] = v[2];
         work->varyings[n][1] = v[0] - v[2];
         work->varyings[n][2] = v[1] - v[2];
      }
   }
}

/* System values and barycentrics of lanes: vertices 0 to 31, or pixels of the field. */
static void
set_lanes(struct work *work)
{
   struct cf_task *task = work->task;
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++) {
      const unsigned quad = lane / 4;
      const unsigned x = 2 * (quad % 4) + (lane & 1), y = 2 * (quad / 4) + (lane >> 1 & 1);
      const float x_px = (float)x + 0.5f, y_px = (float)y + 0.5f;
      task->bary[0][lane] = task->linear[0][lane] = task->centroid[0][lane] = x_px / 16;
      task->bary[1][lane] = task->linear[1][lane] = task->centroid[1][lane] = y_px / 8;
      memcpy(&task->sys[CF_SYSVAL_FRAG_X][lane], &x_px, 4);
      memcpy(&task->sys[CF_SYSVAL_FRAG_Y][lane], &y_px, 4);
      const float half = 0.5f, one = 1.0f;
      memcpy(&task->sys[CF_SYSVAL_FRAG_Z][lane], &half, 4);
      memcpy(&task->sys[CF_SYSVAL_FRAG_W][lane], &one, 4);
      memcpy(&task->sys[CF_SYSVAL_POINT_X][lane], &half, 4);
      memcpy(&task->sys[CF_SYSVAL_POINT_Y][lane], &half, 4);
      task->sys[CF_SYSVAL_FRONT_FACE][lane] = ~0u;
      task->sys[CF_SYSVAL_LANE][lane] = lane;
      task->sys[CF_SYSVAL_VERTEX_ID][lane] = lane;
   }
   for (unsigned quad = 0; quad < CF_TASK_QUADS; quad++)
      task->varyings[quad] = work->varyings;
   task->one_primitive = true;
}

static bool
make_task(struct work *work)
{
   work->task = aligned_alloc(64, (sizeof(*work->task) + 63) / 64 * 64);
   if (!work->task)
      return false;
   memset(work->task, 0, sizeof(*work->task));
   work->task->scratch_dwords = work->info.scratch_dwords;
   work->task->scratch = calloc(work->info.scratch_dwords + 1, sizeof(*work->task->scratch));
   work->stage.program = work->program;
   work->stage.max_instrs = MAX_INSTRS;
   set_lanes(work);
   return work->task->scratch;
}

/* ------------------------------------------------------------------ both engines */

/* What a run leaves. */
struct run_result {
   uint32_t alive;
   bool timed_out;
   uint32_t out[CF_MAX_OUTPUTS][CF_TASK_LANES];
};

static void
prepare(struct work *work, const struct cf_shader_ops *ops)
{
   work->task->exec = work->task->alive = work->exec;
   work->task->prepared = NULL;
   memset(work->task->out, 0, sizeof(work->task->out));
   ops->prepare(&work->stage, work->task);
}

static void
take(const struct work *work, struct run_result *result)
{
   result->alive = work->task->alive;
   result->timed_out = work->task->timed_out;
   memcpy(result->out, work->task->out, sizeof(result->out));
}

static void
interpret(struct work *work, struct run_result *result)
{
   const struct cf_shader_ops *ops = cf_shader_ops_at(cf_host_level());
   struct cf_run run;
   prepare(work, ops);
   ops->begin(&run, &work->stage, work->task);
   while (cf_run_step(&run))
      ;
   take(work, result);
}

/* False: this build or host compiles nothing. */
static bool
run_compiled(struct work *work, struct run_result *result)
{
   const struct cf_jit_config config = { .policy = CF_JIT_ALWAYS, .level = cf_host_level() };
   const struct cf_shader_ops *ops = cf_shader_ops_at(cf_host_level());
   struct cf_jit *jit = cf_jit_available() ? cf_jit_create(&config) : NULL;
   if (!jit)
      return false;
   cf_jit_attach(jit, work->program);
   prepare(work, ops);
   ops->run(&work->stage, work->task);
   const bool compiled = cf_jit_finish(jit).failed == 0;
   take(work, result);
   cf_program_free(work->program);
   work->program = NULL;
   cf_jit_destroy(jit);
   return compiled;
}

/* Compare exports of lanes that are alive. NULL: they are equal. */
static json_t *
difference(const struct work *work, const struct run_result *a, const struct run_result *b)
{
   if (a->alive != b->alive || a->timed_out != b->timed_out)
      return json_pack("{s:s, s:I, s:I}", "what", "lanes that are alive", "interpreted",
                       (json_int_t)a->alive, "compiled", (json_int_t)b->alive);
   for (unsigned n = 0; n < work->info.outputs; n++) {
      for (unsigned lane = 0; lane < CF_TASK_LANES; lane++) {
         if ((a->alive >> lane & 1) && a->out[n][lane] != b->out[n][lane])
            return json_pack("{s:s, s:i, s:i, s:I, s:I}", "what", "output", "output", (int)n,
                             "lane", (int)lane, "interpreted", (json_int_t)a->out[n][lane],
                             "compiled", (json_int_t)b->out[n][lane]);
      }
   }
   return json_null();
}

/* ------------------------------------------------------------------ the answer */

static json_t *
row_json(const uint32_t row[CF_TASK_LANES], uint32_t lanes)
{
   json_t *json = json_array();
   for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++) {
      if (lanes >> lane & 1)
         json_array_append_new(json, json_integer(row[lane]));
   }
   return json;
}

static json_t *
rows_json(const char *prefix, uint32_t (*rows)[CF_TASK_LANES], unsigned count, uint32_t lanes)
{
   json_t *json = json_object();
   for (unsigned i = 0; i < count; i++) {
      char name[16];
      snprintf(name, sizeof(name), "%s%u", prefix, i);
      json_object_set_new(json, name, row_json(rows[i], lanes));
   }
   return json;
}

static int
answer(struct work *work)
{
   struct run_result *interpreted = calloc(1, sizeof(*interpreted)),
                     *compiled = calloc(1, sizeof(*compiled));
   json_t *json = json_object();
   interpret(work, interpreted);
   json_object_set_new(json, "alive", json_integer(interpreted->alive));
   json_object_set_new(json, "timed_out", json_boolean(interpreted->timed_out));
   json_object_set_new(json, "outputs",
                       rows_json("", interpreted->out, work->info.outputs, work->exec));
   json_object_set_new(json, "vector",
                       rows_json("v", work->task->v, work->info.vector_regs, work->exec));
   json_object_set_new(json, "scalar", rows_json("s", work->task->s, work->info.scalar_regs, 1));
   const bool both = run_compiled(work, compiled);
   json_object_set_new(json, "compiled", json_boolean(both));
   json_object_set_new(json, "difference",
                       both ? difference(work, interpreted, compiled) : json_null());
   json_dumpf(json, stdout, 0);
   json_decref(json);
   free(interpreted);
   free(compiled);
   return 0;
}

int
main(void)
{
   char error[512];
   json_error_t where;
   struct work *work = calloc(1, sizeof(*work));
   json_t *input = json_loadf(stdin, 0, &where);
   if (!input || !work)
      return fail("stdin is not JSON");
   if (!decode(work, input, error, sizeof(error)))
      return fail(error);
   const long long lanes = json_integer_value(json_object_get(input, "lanes"));
   work->exec = lanes >= CF_TASK_LANES ? ~0u : (1u << (lanes > 0 ? lanes : 1)) - 1;
   bind_constants(work, json_object_get(input, "constants"));
   bind_attributes(work, json_object_get(input, "attributes"));
   bind_varyings(work, json_object_get(input, "varyings"));
   if (!make_task(work))
      return fail("out of memory");
   const int status = answer(work);
   cf_program_free(work->program);
   free(work->task->scratch);
   free(work->task);
   free(work->constants);
   free(work);
   json_decref(input);
   return status;
}
