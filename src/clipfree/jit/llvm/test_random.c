/* SPDX-License-Identifier: MIT */
/*
 * The JIT against the interpreter on random structured programs: all kinds of instructions under
 * divergent control flow, at every host level. Outputs of all live lanes must be equal bit by bit
 * (all NaNs that are not canonicalised are equal), and must not depend on former contents of
 * registers and scratch. Watched code (cf_jit_verify.h) must not differ in any instruction. Slices
 * of such vertex programs (cf_program_slice) compute the same outputs, in both engines.
 *
 * v0..v7 and s0..s3 hold integers, v8..v15 and s4..s7 floats: a NaN's bits must not reach integers.
 * v16..v23 count loops, v24..v27 receive groups of four, v30 conditions. Everything is written
 * before it is read.
 */
#include "clipfree/jit/llvm/test_jit.h"
#include "clipfree/jit/cf_jit.h"
#include "clipfree/jit/cf_jit_verify.h"
#include "clipfree/texture/cf_texture.h"

#define PROGRAMS 20
#define MAX_DEPTH 5
#define CONSTANTS 32
#define INPUTS 8
#define OUTPUTS 24

struct generator {
   uint64_t random;
   unsigned labels, left;
   bool fixed_scratch; /* all scratch addresses are constants */
   bool vertex;        /* vertex programs */
   struct program_text out;
};

static unsigned
pick(struct generator *g, unsigned n)
{
   return random_u32(&g->random) % n;
}

/* ---- instructions ---- */

static void
put_source(struct generator *g, bool is_float, bool scalar_only)
{
   static const char *const literals[] = {
      "0", "0.5", "-1.0", "2.0", "0.125", "3.141592653589793"
   };
   const unsigned base = is_float ? 8 : 0;
   switch (pick(g, scalar_only ? 3 : 8)) {
   case 0:
      program_text_put(&g->out, "s%u", base / 2 + pick(g, 4));
      break;
   case 1:
      program_text_put(&g->out, "u%u", base + pick(g, 8));
      break;
   case 2:
      if (is_float)
         program_text_put(&g->out, "%s", literals[pick(g, 6)]);
      else
         program_text_put(&g->out, "%u", pick(g, 64));
      break;
   default:
      program_text_put(&g->out, "v%u", base + pick(g, 8));
      break;
   }
}

/* A move or an ALU operation; operands of type u are integers, except where only bits are moved. */
static void
put_alu(struct generator *g)
{
   const struct cf_op_info *op;
   unsigned code;
   do {
      code = pick(g, CF_OP_LIMIT);
      op = cf_op_info(code);
   } while (!op || !op->alu || code == CF_OP_MOVI);
   const bool moves = (code == CF_OP_MOV || code == CF_OP_FNEG || code == CF_OP_FABS) && pick(g, 2);
   const bool to_float = op->types[0] == 'f' || moves, scalar = !op->cross_lane && pick(g, 6) == 0;
   const unsigned base = to_float ? 8 : 0;
   if (scalar)
      program_text_put(&g->out, "%s s%u", op->name, base / 2 + pick(g, 4));
   else
      program_text_put(&g->out, "%s v%u", op->name, base + pick(g, 8));
   for (unsigned k = 0; k < op->sources; k++) {
      program_text_put(&g->out, ", ");
      put_source(g, op->types[1 + k] == 'f' || moves, scalar);
   }
   program_text_put(&g->out, "\n");
}

/* Divergent, partly equal and uniform indices, and scalars; in bounds, or floats' bits, which are
 * out of bounds. */
static void
put_computed_scratch(struct generator *g)
{
   const unsigned half = SCRATCH_DWORDS / 2, way = pick(g, 4);
   const bool beyond = pick(g, 3) == 0;
   const unsigned value = (beyond ? 8 : 0) + pick(g, 8),
                  offset = beyond ? SCRATCH_DWORDS - 2 : pick(g, half / 2 + 1);
   if (way < 2)
      program_text_put(&g->out, "and v30, v%u, %u\n", pick(g, 8), way ? 1 : half / 2 - 1);
   else
      program_text_put(&g->out, "and s3, s%u, %u\nmov v30, s3\n", pick(g, 4), half / 2 - 1);
   const char *index = way == 3 ? "s3" : "v30";
   if (pick(g, 2))
      program_text_put(&g->out, "lds v%u, [%s + %u]\n", value, index, offset);
   else
      program_text_put(&g->out, "sts [%s + %u], v%u\n", index, offset, value);
}

/* Loads of neighbouring uniforms, at few or many different indices; the last may write the index.
 */
static void
put_loads(struct generator *g)
{
   static const unsigned masks[] = { CONSTANTS - 1, 1, 3, 0 };
   program_text_put(&g->out, "and v30, v%u, %u\n", pick(g, 8), masks[pick(g, 4)]);
   for (unsigned count = 1 + pick(g, 4); count > 0; count--)
      program_text_put(&g->out, "ldu v%u, 1[v30 + %u]\n", pick(g, 8), pick(g, CONSTANTS));
   if (pick(g, 2))
      program_text_put(&g->out, "ldu v30, 1[v30 + %u]\nldu v%u, 1[v30 + 1]\n", pick(g, CONSTANTS),
                       pick(g, 8));
}

static void
put_scratch(struct generator *g)
{
   const unsigned offset = pick(g, SCRATCH_DWORDS + 2), half = SCRATCH_DWORDS / 2;
   /* floats in the upper half, integers in the lower */
   if (g->fixed_scratch) {
      const bool upper = offset >= half;
      program_text_put(&g->out, pick(g, 2) ? "lds v%u, [0 + %u]\n" : "sts [0 + %2$u], v%1$u\n",
                       (upper ? 8 : 0) + pick(g, 8), offset);
   } else {
      put_computed_scratch(g);
   }
}

/* Of texels beyond the texture, too, at any level or sample; or of a few texels, which are fetched
 * together, of levels or samples that there are. */
static void
put_fetch(struct generator *g)
{
   const unsigned unit = 2 + pick(g, 3), sum = 8 + pick(g, 8);
   const bool few = pick(g, 2);
   program_text_put(&g->out, "and v30, v%u, %u\nand v31, v%u, %u\n", pick(g, 8), few ? 7u : 31u,
                    pick(g, 8), few ? 7u : 15u);
   if (few)
      program_text_put(&g->out, "and v28, v%u, 3\ntex v24.xyzw, %u, v30, v31, 0, v28, fetch\n",
                       pick(g, 8), unit);
   else
      program_text_put(&g->out, "tex v24.xyzw, %u, v30, v31, 0, %s%u, fetch\n", unit,
                       pick(g, 2) ? "" : "v", pick(g, 6));
   program_text_put(&g->out, "fadd v%u, v25, v26\n", sum);
}

static void
put_other(struct generator *g)
{
   static const char *const modes[] = { "smooth", "flat", "linear", "centroid" };
   static const char *const tex_modes[] = { "implicit", "bias", "lod", "proj", "query_lod" };
   switch (pick(g, 11)) {
   case 10:
      program_text_put(&g->out, "grad 6, v%u\ngrad 7, %s%u\n", 8 + pick(g, 8),
                       pick(g, 2) ? "v" : "s", pick(g, 4));
      program_text_put(&g->out, "tex v24.xyzw, %u, v%u, v%u, v%u, v%u, %s_at\nfadd v%u, v25, v26\n",
                       2 + pick(g, 3), 8 + pick(g, 8), 8 + pick(g, 8), 8 + pick(g, 8),
                       8 + pick(g, 8), tex_modes[pick(g, 4)], 8 + pick(g, 8));
      break;
   case 9:
      put_fetch(g);
      break;
   case 8:
      for (unsigned i = 0; i < 6; i++)
         program_text_put(&g->out, "grad %u, v%u\n", i, 8 + pick(g, 8));
      program_text_put(&g->out, "tex v24.xyzw, %u, v%u, v%u, v%u, v%u, grad\nfadd v%u, v25, v26\n",
                       2 + pick(g, 3), 8 + pick(g, 8), 8 + pick(g, 8), 8 + pick(g, 8),
                       8 + pick(g, 8), 8 + pick(g, 8));
      break;
   case 0:
      if (!g->vertex)
         program_text_put(&g->out, "ldvar v%u, %u, %s\n", 8 + pick(g, 8), pick(g, INPUTS),
                          modes[pick(g, 4)]);
      break;
   case 1:
      program_text_put(&g->out, "sys v%u, %s\n", pick(g, 8), g->vertex ? "lane" : "helper");
      break;
   case 2:
      program_text_put(&g->out, "ldu s%u, 1[s%u + %u]\n", pick(g, 4), pick(g, 4),
                       pick(g, CONSTANTS));
      break;
   case 3:
      if (pick(g, 2))
         program_text_put(&g->out, "ldu v%u, 1[v%u + %u]\n", pick(g, 8), pick(g, 8),
                          pick(g, CONSTANTS));
      else
         put_loads(g);
      break;
   case 4:
      put_scratch(g);
      break;
   case 5:
      program_text_put(&g->out, "tex v24.xyzw, %u, v%u, v%u, v%u, v%u, %s\nfadd v%u, v24, v27\n",
                       2 + pick(g, 3), 8 + pick(g, 8), 8 + pick(g, 8), 8 + pick(g, 8),
                       8 + pick(g, 8), tex_modes[pick(g, 5)], 8 + pick(g, 8));
      break;
   case 6:
      program_text_put(&g->out, "out %u, v%u\n", pick(g, 8), pick(g, 8));
      break;
   default:
      program_text_put(&g->out, "outf %u, v%u\n", 8 + pick(g, 8), 8 + pick(g, 8));
      break;
   }
}

/* ---- structure ---- */

static void put_block(struct generator *g, unsigned depth, bool in_loop, unsigned next);

static void
put_condition(struct generator *g)
{
   program_text_put(&g->out, "and v30, v%u, %u\n", pick(g, 8), 1u << pick(g, 6));
}

static void
put_if(struct generator *g, unsigned depth, bool in_loop)
{
   const unsigned other = g->labels++, last = g->labels++;
   const bool has_other = pick(g, 2);
   put_condition(g);
   program_text_put(&g->out, "if v30, l%u\n", has_other ? other : last);
   put_block(g, depth + 1, in_loop, has_other ? other : last);
   if (has_other) {
      program_text_put(&g->out, "l%u: else l%u\n", other, last);
      put_block(g, depth + 1, in_loop, last);
   }
   program_text_put(&g->out, "l%u: endif\n", last);
}

static void
put_loop(struct generator *g, unsigned depth)
{
   const unsigned start = g->labels++, last = g->labels++, counter = 16 + depth;
   program_text_put(&g->out,
                    "mov v%u, 0\nloop\nl%u: iadd v%u, v%u, 1\nult v30, %u, v%u\nbrk v30, l%u\n",
                    counter, start, counter, counter, 1 + pick(g, 4), counter, last);
   put_block(g, depth + 1, true, last);
   program_text_put(&g->out, "l%u: endloop l%u\n", last, start);
}

static void
put_node(struct generator *g, unsigned depth, bool in_loop, unsigned next)
{
   static const char *const ends[] = { "brk", "cont", "kill", "demote" };
   const unsigned choice = pick(g, 24);
   if (choice < 3 && depth < MAX_DEPTH) {
      put_if(g, depth, in_loop);
   } else if (choice < 5 && depth < MAX_DEPTH) {
      put_loop(g, depth);
   } else if (choice < 7 && in_loop) {
      put_condition(g);
      program_text_put(&g->out, "%s v30, l%u\n", ends[pick(g, 2)], next);
   } else if (choice == 7 && pick(g, 3) == 0 && !g->vertex) {
      put_condition(g);
      program_text_put(&g->out, "%s v30, l%u\n", ends[2 + pick(g, 2)], next);
   } else if (choice < 12) {
      put_other(g);
   } else if (choice < 14) {
      /* often the same value in the same register, under one mask and another */
      program_text_put(&g->out, "mov v%u, %u\n", pick(g, 2), pick(g, 2));
   } else {
      put_alu(g);
   }
}

static void
put_block(struct generator *g, unsigned depth, bool in_loop, unsigned next)
{
   for (unsigned n = pick(g, 9); n > 0 && g->left > 0; n--) {
      g->left--;
      put_node(g, depth, in_loop, next);
   }
}

static void
make_program(struct generator *g)
{
   static const char *const values[] = { "frag_x", "frag_y", "frag_z", "frag_w" };
   g->out.length = g->labels = 0;
   g->left = 60 + pick(g, 120);
   g->fixed_scratch = pick(g, 2);
   const unsigned last = g->labels++;
   for (unsigned i = 0; i < 8; i++) {
      program_text_put(&g->out, "sys v%u, %s\niadd v%u, v%u, u%u\nimul v%u, v%u, u%u\n", i,
                       g->vertex ? "vertex_id" : "lane", i, i, pick(g, 8), i, i, pick(g, 8));
      if (g->vertex)
         program_text_put(&g->out, "i2f v%u, v%u\n", 8 + i, i);
      else if (i < 4)
         program_text_put(&g->out, "sys v%u, %s\n", 8 + i, values[i]);
      else
         program_text_put(&g->out, "ldvar v%u, %u, smooth\n", 8 + i, i);
      program_text_put(&g->out, "mov s%u, u%u\nmov v%u, 0\nmov v%u, 0\n", i, i < 4 ? i : 4 + i,
                       16 + i, 24 + i);
   }
   for (unsigned i = 0; i < SCRATCH_DWORDS; i += 1 + pick(g, 2)) /* the others are 0 */
      program_text_put(&g->out, "sts [0 + %u], v%u\n", i,
                       i < SCRATCH_DWORDS / 2 ? i % 8 : 8 + i % 8);
   for (unsigned i = 0; i < 12; i++)
      put_node(g, 0, false, last);
   for (unsigned i = 0; g->vertex && i < 4; i++)
      program_text_put(&g->out, "out %u, v%u\n", i, 2 * i);
   for (unsigned i = 0; i < 16; i++)
      program_text_put(&g->out, "%s %u, v%u\n", i < 8 ? "out" : "outf", 8 + i, i);
   program_text_put(&g->out, "l%u: end\n", last);
}

/* ---- tasks ---- */

struct inputs {
   uint32_t constants[2][CONSTANTS];
   float varyings[CF_TASK_QUADS][INPUTS][3];
};

static uint32_t
random_float(struct generator *g)
{
   return pick(g, 16) == 0 ? random_u32(&g->random)
                           : cf_bits((float)(int32_t)random_u32(&g->random) * 0x1p-28f);
}

static void
make_task(struct generator *g, struct fixture *f, struct inputs *in)
{
   struct cf_task *task = f->task;
   for (unsigned i = 0; i < CONSTANTS; i++) {
      in->constants[0][i] = i & 8 ? random_float(g) : random_u32(&g->random) >> pick(g, 32);
      in->constants[1][i] = random_u32(&g->random) >> pick(g, 32);
   }
   for (unsigned i = 0; i < CF_TASK_QUADS * INPUTS * 3; i++)
      ((float *)in->varyings)[i] = cf_float(random_float(g));
   for (unsigned lane = 0; lane < LANES; lane++) {
      for (unsigned i = 0; i < CF_SYSVAL_LIMIT; i++)
         task->sys[i][lane] = i == CF_SYSVAL_LANE ? lane : random_float(g);
      for (unsigned k = 0; k < 2; k++) {
         task->bary[k][lane] = (float)pick(g, 1000) * 0.001f;
         task->linear[k][lane] = (float)pick(g, 1000) * 0.001f;
         task->centroid[k][lane] = (float)pick(g, 1000) * 0.001f;
         task->bary_rest[k][lane] = ((float)pick(g, 1000) - 500.0f) * 0x1p-33f;
      }
   }
   task->one_primitive = pick(g, 2);
   task->shared = pick(g, 2) ? 0 : random_u32(&g->random);
   for (unsigned quad = 0; quad < CF_TASK_QUADS; quad++)
      task->varyings[quad] = (const float(*)[3])in->varyings[task->one_primitive ? 0 : quad];
}

/* All lanes, some whole quads, or random lanes. */
static uint32_t
random_exec(struct generator *g)
{
   uint32_t exec = 0;
   for (unsigned quad = 0; quad < CF_TASK_QUADS; quad++)
      exec |= pick(g, 4) ? 15u << 4 * quad : 0;
   if (pick(g, 4) == 0)
      exec &= random_u32(&g->random) | random_u32(&g->random);
   return pick(g, 2) || !exec ? 0xffffffff : exec;
}

static void
fill(void *rows, size_t size_B, uint64_t *garbage)
{
   for (size_t i = 0; i < size_B / 4; i++)
      ((uint32_t *)rows)[i] = random_u32(garbage);
}

/* Run a task whose registers and scratch begin with garbage. */
static void
run(struct fixture *f, enum cf_host_level level, uint32_t exec, uint32_t alive)
{
   static uint64_t garbage = 0x9e3779b97f4a7c15;
   memset(f->task->out, 0x77, OUTPUTS * sizeof(f->task->out[0]));
   fill(f->task->v, 32 * sizeof(f->task->v[0]), &garbage);
   fill(f->task->s, 8 * sizeof(f->task->s[0]), &garbage);
   fill(f->task->scratch, SCRATCH_DWORDS * sizeof(*f->task->scratch), &garbage);
   f->task->exec = exec;
   f->task->alive = alive;
   cf_shader_ops_at(level)->prepare(&f->stage, f->task);
   cf_shader_ops_at(level)->run(&f->stage, f->task);
}

static void
compare(const struct fixture *f, const uint32_t expected[OUTPUTS][LANES], uint32_t alive, int level,
        const char *text)
{
   if (f->task->alive != alive)
      fail_msg("alive is 0x%08x, interpreted 0x%08x, level %d\n%s", f->task->alive, alive, level,
               text);
   for (unsigned i = 0; i < OUTPUTS; i++) {
      for (unsigned lane = 0; lane < LANES; lane++) {
         const uint32_t got = f->task->out[i][lane], want = expected[i][lane];
         if ((alive >> lane & 1) && got != want)
            fail_msg("output %u of lane %u is 0x%08x, interpreted 0x%08x, level %d\n%s", i, lane,
                     got, want, level, text);
      }
   }
}

/* ---- textures ---- */

/* A texture of random bytes in unit 3 + cube: in blocks, with mipmaps or four samples, or a cube in
 * rows. */
static void
make_texture(struct generator *g, struct cf_texture *texture, uint8_t **data, bool cube)
{
   const uint32_t samples = cube || pick(g, 2) ? 1 : CF_SAMPLES;
   *texture = (struct cf_texture){ .kind = cube ? CF_TEXTURE_KIND_CUBE : CF_TEXTURE_KIND_T2D,
                                   .format = CF_FORMAT_R8G8B8A8_UNORM,
                                   .width_px = 16,
                                   .height_px = 16,
                                   .depth_px = 1,
                                   .last_level = samples > 1 ? 0 : 4,
                                   .samples = (uint8_t)samples,
                                   .layout = cube ? CF_LAYOUT_LINEAR : CF_LAYOUT_BLOCKS,
                                   .swizzle_g = CF_SWIZZLE_Y,
                                   .swizzle_b = CF_SWIZZLE_Z,
                                   .swizzle_a = CF_SWIZZLE_W };
   for (uint32_t level = 0; level <= texture->last_level; level++) {
      const uint32_t size_px = 16u >> level, blocks = (size_px + 3) / 4;
      const uint32_t rows = cube ? size_px : blocks,
                     row_B = cube ? 4 * size_px : 64 * blocks * samples;
      texture->level_offset_B[level] = texture->size_B;
      texture->level_row_pitch_B[level] = row_B;
      texture->level_layer_pitch_B[level] = rows * row_B;
      texture->size_B += rows * row_B * (cube ? 6 : 1);
   }
   *data = malloc(texture->size_B);
   for (uint32_t i = 0; i < texture->size_B; i++)
      (*data)[i] = (uint8_t)random_u32(&g->random);
}

/* With mipmaps, so that results show the level of detail, or without, so that samples are inlined;
 * sometimes a state that is not compiled. */
static struct cf_sampler
random_sampler(struct generator *g)
{
   static const enum cf_wrap wraps[] = { CF_WRAP_REPEAT, CF_WRAP_CLAMP_TO_EDGE,
                                         CF_WRAP_MIRROR_REPEAT };
   struct cf_sampler sampler = { .wrap_s = wraps[pick(g, 3)],
                                 .wrap_t = wraps[pick(g, 3)],
                                 .min_filter = CF_FILTER_LINEAR,
                                 .mag_filter = CF_FILTER_NEAREST,
                                 .mip_filter = CF_MIP_LINEAR,
                                 .max_lod = 10.0f };
   if (pick(g, 2)) {
      sampler.mip_filter = CF_MIP_NONE;
      sampler.min_filter = sampler.mag_filter = (enum cf_filter)pick(g, 2);
   }
   if (!pick(g, 8))
      sampler.wrap_t = CF_WRAP_CLAMP_TO_BORDER;
   return sampler;
}

struct units {
   struct cf_texture texture[2];
   uint8_t *data[2];
   struct cf_texture_unit unit[2]; /* 3 and 4 */
   struct cf_jit *jit[CF_HOST_LEVELS]; /* compile their sample functions */
   struct cf_sample_key key[CF_MAX_TEXTURE_UNITS];
};

static void
units_begin(struct units *units, const char *module)
{
   for (unsigned n = 0; n < 2; n++)
      units->data[n] = NULL;
   for (unsigned level = 0; level <= cf_host_level(); level++)
      units->jit[level] = cf_jit_create(&(struct cf_jit_config){
         .policy = CF_JIT_ALWAYS, .level = (enum cf_host_level)level, .module = module });
}

static void
units_end(struct units *units)
{
   for (unsigned n = 0; n < 2; n++)
      free(units->data[n]);
   for (unsigned level = 0; level <= cf_host_level(); level++)
      cf_jit_destroy(units->jit[level]);
}

/* Bind other textures, with random samplers. */
static void
units_bind(struct generator *g, struct units *units, struct fixture *f)
{
   for (unsigned n = 0; n < 2; n++) {
      const struct cf_sampler sampler = random_sampler(g);
      free(units->data[n]);
      make_texture(g, &units->texture[n], &units->data[n], n);
      assert_null(
         cf_texture_unit_init(&units->unit[n], &units->texture[n], &sampler, units->data[n]));
      cf_sample_key_of(&units->key[3 + n], &units->unit[n]);
      f->stage.textures[3 + n] = &units->unit[n];
   }
}

static void
units_compile(struct units *units, int level)
{
   for (unsigned n = 0; n < 2; n++)
      units->unit[n].functions = cf_jit_sample_functions(units->jit[level], &units->unit[n]);
}

/* ---- tests ---- */

static const char *module;
static const struct cf_jit_compiler *compiler;
static unsigned programs = PROGRAMS;
static uint64_t seed = 0x243f6a8885a308d3;

/* Run watched code in lock step with the interpreter, which then runs the task. */
static bool
run_watched(struct cf_engine *engine, struct cf_run *run)
{
   assert_true(cf_jit_verify_steps((cf_jit_function)((struct compiled *)engine)->code.entry, run));
   return false;
}

/* No instruction of correct code differs. */
static void
check_watched(struct generator *g, struct fixture *f, struct inputs *in,
              const struct cf_sample_key *units)
{
   fixture_engine_for(f, compiler, (int)cf_host_level(),
                      &(struct cf_jit_source){ .units = units, .watched = true });
   f->stage.program->engine->run = run_watched;
   for (unsigned i = 0; i < 4; i++) {
      make_task(g, f, in);
      const uint32_t exec = random_exec(g);
      run(f, cf_host_level(), exec, exec & (random_u32(&g->random) | random_u32(&g->random)));
   }
}

static void
test_random_programs(void **state)
{
   (void)state;
   static struct generator g;
   static struct inputs in;
   static struct units units;
   static uint32_t expected[OUTPUTS][LANES];
   struct fixture f;
   fixture_init(&f);
   g.random = seed;
   units_begin(&units, module);
   g.out = program_text_begin();
   print_message("seed 0x%llx\n", (unsigned long long)seed);
   for (unsigned k = 0; k < 2; k++) {
      f.stage.constants[k].data = in.constants[k];
      f.stage.constants[k].dwords = CONSTANTS;
   }
   for (unsigned n = 0; n < programs; n++) {
      make_program(&g);
      units_bind(&g, &units, &f);
      if (!fixture_load(&f, g.out.text))
         fail_msg("%s\n%s", f.error, g.out.text);
      for (int level = CF_HOST_BASE; level < CF_HOST_LEVELS; level++) {
         if (level != (int)cf_host_level() && level != (int)(n % CF_HOST_LEVELS))
            continue; /* compiling for the lower levels takes two and ten times as long */
         if (level <= (int)cf_host_level())
            units_compile(&units, level);
         fixture_engine(&f, compiler, level, n & 1 ? units.key : NULL);
         if (level > (int)cf_host_level())
            continue; /* for a better host: it is proven, and not run */
         struct cf_engine *engine = f.stage.program->engine;
         for (unsigned i = 0; i < 8; i++) {
            make_task(&g, &f, &in);
            const uint32_t exec = random_exec(&g),
                           alive = exec & (random_u32(&g.random) | random_u32(&g.random));
            ((struct cf_decoded *)f.stage.program)->engine = NULL;
            run(&f, cf_host_level(), exec, alive);
            memcpy(expected, f.task->out, sizeof(expected));
            const uint32_t still = f.task->alive;
            assert_false(f.task->timed_out);
            run(&f, (enum cf_host_level)level, exec, alive);
            compare(&f, expected, still, -1 - level, g.out.text);
            ((struct cf_decoded *)f.stage.program)->engine = engine;
            run(&f, (enum cf_host_level)level, exec, alive);
            assert_false(f.task->timed_out);
            compare(&f, expected, still, level, g.out.text);
         }
      }
      if (n % 4 < 2)
         check_watched(&g, &f, &in, n & 1 ? units.key : NULL);
   }
   units_end(&units);
   free(g.out.text);
   fixture_end(&f);
}

static void
compare_heads(const struct fixture *f, const uint32_t expected[CF_RECORD_HEAD_DWORDS][LANES],
              uint32_t exec, const char *engine, const char *text)
{
   for (unsigned i = 0; i < CF_RECORD_HEAD_DWORDS; i++) {
      for (unsigned lane = 0; lane < LANES; lane++)
         if ((exec >> lane & 1) && f->task->out[i][lane] != expected[i][lane])
            fail_msg(
               "output %u of lane %u is 0x%08x by the slice, %s, 0x%08x by the whole program\n%s",
               i, lane, f->task->out[i][lane], engine, expected[i][lane], text);
   }
}

/* Compare a few tasks of the fixture's program, interpreted, with its slice, compiled if that has
 * an engine. */
static void
compare_slice(struct generator *g, struct fixture *f, struct inputs *in, struct cf_decoded *slice)
{
   const struct cf_decoded *whole = f->stage.program;
   struct cf_engine *engine = slice->engine;
   uint32_t expected[CF_RECORD_HEAD_DWORDS][LANES];
   for (unsigned i = 0; i < 4; i++) {
      make_task(g, f, in);
      const uint32_t exec = random_exec(g);
      f->stage.program = whole;
      run(f, cf_host_level(), exec, exec);
      assert_false(f->task->timed_out);
      memcpy(expected, f->task->out, sizeof(expected));
      f->stage.program = slice;
      slice->engine = NULL;
      run(f, cf_host_level(), exec, exec);
      compare_heads(f, expected, exec, "interpreted", g->out.text);
      slice->engine = engine;
      run(f, cf_host_level(), exec, exec);
      compare_heads(f, expected, exec, engine ? "compiled" : "interpreted again", g->out.text);
   }
   f->stage.program = whole;
}

/* Slices of vertex programs; one in ten is compiled. */
static void
test_slices(void **state)
{
   (void)state;
   static struct generator g = { .vertex = true };
   static struct inputs in;
   static struct units units;
   uint64_t whole_instrs = 0, slice_instrs = 0;
   struct fixture f;
   fixture_init(&f);
   f.info.stage = CF_SHADER_STAGE_VERTEX;
   f.stage.max_instrs *= 10; /* none is to time out */
   g.random = seed;
   units_begin(&units, module);
   g.out = program_text_begin();
   for (unsigned k = 0; k < 2; k++) {
      f.stage.constants[k].data = in.constants[k];
      f.stage.constants[k].dwords = CONSTANTS;
   }
   for (unsigned n = 0; n < 10 * programs; n++) {
      make_program(&g);
      units_bind(&g, &units, &f);
      if (!fixture_load(&f, g.out.text))
         fail_msg("%s\n%s", f.error, g.out.text);
      const struct cf_decoded *whole = f.stage.program;
      struct cf_decoded *slice = cf_program_slice(whole);
      assert_non_null(slice);
      whole_instrs += cf_program_info(whole)->code_instrs;
      slice_instrs += cf_program_info(slice)->code_instrs;
      if (n % 10 == 0) {
         units_compile(&units, (int)cf_host_level());
         f.stage.program = slice;
         fixture_engine(&f, compiler, (int)cf_host_level(), NULL);
         f.stage.program = whole;
      }
      compare_slice(&g, &f, &in, slice);
      cf_program_free(slice);
   }
   print_message("slices have %llu of %llu instructions\n", (unsigned long long)slice_instrs,
                 (unsigned long long)whole_instrs);
   assert_true(slice_instrs < whole_instrs);
   units_end(&units);
   free(g.out.text);
   fixture_end(&f);
}

/* A register written in every iteration before the lane leaves: lanes that left keep what they
 * wrote. */
static void
test_left_loop(void **state)
{
   (void)state;
   struct fixture f;
   fixture_init(&f);
   for (unsigned lane = 0; lane < LANES; lane++)
      f.task->sys[CF_SYSVAL_LANE][lane] = lane;
   const char *text =
      "sys v0, lane\nmov v1, 0\nloop\nstart: imul v2, v1, 3\niadd v1, v1, 1\nult v3, v0, v1\n"
      "brk v3, last\nlast: endloop start\nout 0, v2\nend";
   for (int level = CF_HOST_BASE; level <= (int)cf_host_level(); level++) {
      assert_true(fixture_load(&f, text));
      fixture_engine(&f, compiler, level, NULL);
      fixture_run(&f, (enum cf_host_level)level, 0xffffffff);
      for (unsigned lane = 0; lane < LANES; lane++)
         assert_int_equal(f.task->out[0][lane], 3 * lane);
   }
   fixture_end(&f);
}

/* The watchdog ends a loop, which goes back 200 times, at the same iteration as in the interpreter.
 */
static void
watch(const char *text, uint64_t instrs)
{
   struct fixture f;
   fixture_init(&f);
   for (int level = CF_HOST_BASE; level <= (int)cf_host_level(); level++) {
      assert_true(fixture_load(&f, text));
      fixture_engine(&f, compiler, level, NULL);
      f.stage.max_instrs = 200 * instrs;
      fixture_run(&f, (enum cf_host_level)level, 0xffffffff);
      assert_false(f.task->timed_out);
      assert_int_equal(f.task->alive, 0xffffffff);
      f.stage.max_instrs = 200 * instrs - 1;
      fixture_run(&f, (enum cf_host_level)level, 0xffffffff);
      assert_true(f.task->timed_out);
      assert_int_equal(f.task->alive, 0);
   }
   fixture_end(&f);
}

/* A sample counts as 64 instructions. */
static void
test_watchdog(void **state)
{
   (void)state;
   watch("movi v0, 200\nloop\nstart: ieq v1, v0, 0\nbrk v1, last\niadd v0, v0, -1\nmov v2, v2\n"
         "last: endloop start\nout 0, v0\nend",
         5);
   watch("movi v0, 200\nloop\nstart: ieq v1, v0, 0\nbrk v1, last\niadd v0, v0, -1\n"
         "tex v2.x, 0, 0, 0, 0, 0, fetch\nlast: endloop start\nout 0, v0\nend",
         68);
}

/* MODULE [PROGRAMS [SEED]] */
int
main(int argc, char **argv)
{
   assert_in_range(argc, 2, 4);
   module = argv[1];
   compiler = open_compiler(module);
   programs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : PROGRAMS;
   seed = argc > 3 ? strtoull(argv[3], NULL, 0) : seed;
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_programs),
      cmocka_unit_test(test_slices),
      cmocka_unit_test(test_left_loop),
      cmocka_unit_test(test_watchdog),
   };
   return cmocka_run_group_tests(tests, NULL, NULL);
}
