/* SPDX-License-Identifier: MIT */
/*
 * Runs one task of a program in the interpreter and compiled, for clipfree shader. From stdin JSON:
 *
 *    {"descriptor": [dwords], "code": ["16 digits", ...], "lanes": N, "constants": [dwords],
 *     "attributes": {"slot": [[4 numbers] by lane]},
 *     "varyings": {"component": [at corner 0, 1, 2]}}
 *
 * To stdout: registers at the end, exports of both engines, and the first difference. Exports of
 * compiled code are those of the code that draws; it keeps its registers to itself, so they are
 * those of a second compilation, which is watched (cf_jit_run_watched). Textures are not bound:
 * sampling gives (0, 0, 0, 1).
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clipfree/isa/cf_asm.h"
#include "clipfree/isa/cf_isa.h"
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

/* What a run leaves. Registers hold garbage in lanes that have not written them. */
struct run_result {
   bool timed_out;
   uint32_t alive;
   uint32_t out[CF_MAX_OUTPUTS][CF_TASK_LANES];
   uint32_t v[CF_MAX_VECTOR_REGS][CF_TASK_LANES], s[CF_MAX_SCALAR_REGS][CF_TASK_LANES];
   uint32_t v_lanes[CF_MAX_VECTOR_REGS], s_lanes[CF_MAX_SCALAR_REGS];
};

/* A run whose instructions are followed. */
struct followed {
   struct cf_run run; /* first member: `follow` gets it, and casts it */
   struct run_result *result;
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
take_exports(const struct work *work, struct run_result *result)
{
   result->alive = work->task->alive;
   result->timed_out = work->task->timed_out;
   memcpy(result->out, work->task->out, sizeof(result->out));
}

static void
take_registers(const struct work *work, struct run_result *result)
{
   memcpy(result->v, work->task->v, sizeof(result->v));
   memcpy(result->s, work->task->s, sizeof(result->s));
}

/* Note what instruction `at` writes, in the lanes of the mask. */
static void
follow(struct cf_run *run, uint32_t at)
{
   struct run_result *result = ((struct followed *)run)->result;
   const struct cf_instr *instr = &cf_program_instrs(run->stage->program)[at];
   const unsigned rows = cf_op_info(instr->op)->has_dst ? cf_written_rows(instr) : 0;
   for (uint32_t k = 0; k < 4 && rows >> k; k++) {
      if (rows >> k & 1 && instr->dst.kind == CF_KIND_V)
         result->v_lanes[instr->dst.index + k] |= run->exec;
      else if (rows >> k & 1 && instr->dst.kind == CF_KIND_S)
         result->s_lanes[instr->dst.index + k] |= run->exec;
   }
}

static void
interpret(struct work *work, struct run_result *result)
{
   const struct cf_shader_ops *ops = cf_shader_ops_at(cf_host_level());
   struct followed f = { .result = result };
   prepare(work, ops);
   ops->begin(&f.run, &work->stage, work->task);
   do
      follow(&f.run, cf_run_at(&f.run));
   while (cf_run_step(&f.run));
   take_exports(work, result);
   take_registers(work, result);
}

/* False: this build or host compiles nothing. */
static bool
run_compiled(struct work *work, struct run_result *result)
{
   const struct cf_jit_config config = { .policy = CF_JIT_ALWAYS, .level = cf_host_level() };
   const struct cf_shader_ops *ops = cf_shader_ops_at(cf_host_level());
   struct cf_jit *jit = cf_jit_available() ? cf_jit_create(&config) : NULL;
   struct followed f = { .result = result };
   if (!jit)
      return false;
   prepare(work, ops);
   ops->begin(&f.run, &work->stage, work->task);
   const bool watched = cf_jit_run_watched(jit, &f.run, follow);
   take_registers(work, result);
   cf_jit_attach(jit, work->program);
   prepare(work, ops);
   ops->run(&work->stage, work->task);
   const bool compiled = cf_jit_finish(jit).failed == 0;
   take_exports(work, result);
   cf_program_free(work->program);
   work->program = NULL;
   cf_jit_destroy(jit);
   return watched && compiled;
}

/* ------------------------------------------------------------------ differences */

static json_t *
difference_of(const char *what, unsigned number, unsigned lane, uint32_t interpreted,
              uint32_t compiled)
{
   return json_pack("{s:s, s:i, s:i, s:I, s:I}", "what", what, what, (int)number, "lane", (int)lane,
                    "interpreted", (json_int_t)interpreted, "compiled", (json_int_t)compiled);
}

/* The first difference of rows, of each in its lanes. NULL: they are equal. */
static json_t *
differing_row(const char *what, unsigned count, const uint32_t (*a)[CF_TASK_LANES],
              const uint32_t (*b)[CF_TASK_LANES], const uint32_t *lanes, uint32_t all)
{
   for (unsigned n = 0; n < count; n++) {
      for (unsigned lane = 0; lane < CF_TASK_LANES; lane++) {
         if ((lanes ? lanes[n] & all : all) >> lane & 1 && a[n][lane] != b[n][lane])
            return difference_of(what, n, lane, a[n][lane], b[n][lane]);
      }
   }
   return NULL;
}

/* Compare exports of lanes that are alive, then registers of those that wrote them. */
static json_t *
difference(const struct work *work, const struct run_result *a, const struct run_result *b)
{
   const struct cf_program *info = &work->info;
   json_t *found;
   if (a->alive != b->alive || a->timed_out != b->timed_out)
      return json_pack("{s:s, s:I, s:I}", "what", "lanes that are alive", "interpreted",
                       (json_int_t)a->alive, "compiled", (json_int_t)b->alive);
   if ((found = differing_row("output", info->outputs, a->out, b->out, NULL, a->alive)) ||
       (found = differing_row("v", info->vector_regs, a->v, b->v, a->v_lanes, work->exec)) ||
       (found = differing_row("s", info->scalar_regs, a->s, b->s, a->s_lanes, 1)))
      return found;
   return json_null();
}

/* ------------------------------------------------------------------ the answer */

/* The lanes of a row that are in `lanes`; null where a lane is not in `written`. */
static json_t *
row_json(const uint32_t row[CF_TASK_LANES], uint32_t lanes, uint32_t written)
{
   json_t *json = json_array();
   for (uint32_t lane = 0; lane < CF_TASK_LANES; lane++) {
      if (lanes >> lane & 1)
         json_array_append_new(json, written >> lane & 1 ? json_integer(row[lane]) : json_null());
   }
   return json;
}

/* `written`: lanes by row; NULL: all. */
static json_t *
rows_json(const char *prefix, const uint32_t (*rows)[CF_TASK_LANES], unsigned count, uint32_t lanes,
          const uint32_t *written)
{
   json_t *json = json_object();
   for (unsigned i = 0; i < count; i++) {
      char name[16];
      snprintf(name, sizeof(name), "%s%u", prefix, i);
      json_object_set_new(json, name, row_json(rows[i], lanes, written ? written[i] : UINT32_MAX));
   }
   return json;
}

/* Exports and registers of an engine. */
static json_t *
result_json(const struct work *work, const struct run_result *result)
{
   return json_pack("{s:o, s:o, s:o}", "outputs",
                    rows_json("", result->out, work->info.outputs, work->exec, NULL), "vector",
                    rows_json("v", result->v, work->info.vector_regs, work->exec, result->v_lanes),
                    "scalar",
                    rows_json("s", result->s, work->info.scalar_regs, 1, result->s_lanes));
}

static int
answer(struct work *work)
{
   struct run_result *interpreted = calloc(1, sizeof(*interpreted)),
                 *compiled = calloc(1, sizeof(*compiled));
   interpret(work, interpreted);
   const bool both = run_compiled(work, compiled);
   json_t *json = result_json(work, interpreted);
   json_object_set_new(json, "alive", json_integer(interpreted->alive));
   json_object_set_new(json, "timed_out", json_boolean(interpreted->timed_out));
   json_object_set_new(json, "compiled", both ? result_json(work, compiled) : json_null());
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
