/* SPDX-License-Identifier: MIT */
/*
 * The formulas as IR against the formulas as C: what gen_jit_formulas.py made of the units'
 * headers, compiled and run on boundary values and random bits, with and without the instructions
 * that a host may have for them. Bit for bit, except that a NaN is a NaN where the result is a
 * float. Operations of the ISA are test_ops.c's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <llvm-c/ExecutionEngine.h>

#include "clipfree/base/test_random.h"
#include "clipfree/jit/cf_jit_relocate.h"
#include "clipfree/jit/llvm/cf_jit_alu.h"
#include "clipfree/jit/llvm/cf_jit_target.h"
#include "clipfree/memory/cf_format.h"
#include "clipfree/memory/cf_s3tc.h"
#include "clipfree/pixel/cf_pixel_formulas.h"
#include "clipfree/primitive/cf_line_formulas.h"
#include "clipfree/texture/cf_texture_formulas.h"

#define ROUNDS 500
#define ARGUMENTS 6

/* What is known when code is made. */
struct known {
   enum cf_channel_type type;
   unsigned bits, number;
};

struct formula {
   const char *name;
   bool is_float; /* the result */
   LLVMValueRef (*build)(struct cf_jit_ir *j, const struct known *k, const LLVMValueRef *a);
   uint32_t (*compute)(const struct known *k, const uint32_t *a);
};

/* FORMULA(name, is_float, what of lanes in IR, the same in C): of the bits U(n) and the floats
 * F(n), and of the known k. */
#define FORMULA(name, ir, c)                                                                       \
   static LLVMValueRef build_##name(struct cf_jit_ir *j, const struct known *k,                    \
                                    const LLVMValueRef *a)                                         \
   {                                                                                               \
      return ir;                                                                                   \
   }                                                                                               \
   static uint32_t compute_##name(const struct known *k, const uint32_t *a)                        \
   {                                                                                               \
      return c;                                                                                    \
   }
#define CODE(n) LLVMBuildAnd(j->ir, a[n], constant_i32(j, cf_channel_max(k->bits)), "")
#define IRF(n) float_of(j, a[n])
#define F(n) cf_float(a[n])

FORMULA(decode, bits_of(j, cf_jit_channel_decode(j, k->type, k->bits, CODE(0))),
        cf_bits(cf_channel_decode(k->type, k->bits, a[0] & cf_channel_max(k->bits))))
FORMULA(encode, cf_jit_channel_encode(j, k->type, k->bits, IRF(0)),
        cf_channel_encode(k->type, k->bits, F(0)))

#define IR_MASK(bit) constant_i32(j, CF_COMPARE_MASK(k->number, bit))
#define C_MASK(bit) CF_COMPARE_MASK(k->number, bit)
FORMULA(compare_ints, cf_jit_compare_ints(j, a[0], a[1], IR_MASK(0), IR_MASK(1), IR_MASK(2)),
        cf_compare_ints((int32_t)a[0], (int32_t)a[1], C_MASK(0), C_MASK(1), C_MASK(2)))
FORMULA(compare_floats,
        cf_jit_compare_floats(j, IRF(0), IRF(1), IR_MASK(0), IR_MASK(1), IR_MASK(2), a[2]),
        cf_compare_floats(F(0), F(1), C_MASK(0), C_MASK(1), C_MASK(2), a[2]))
FORMULA(depth_stored,
        cf_jit_depth_stored(j, IRF(0), k->number, constant_f64(j, (double)cf_channel_max(k->bits))),
        cf_depth_stored(F(0), k->number, (double)cf_channel_max(k->bits)))
#define IR_BITS(n, mask) LLVMBuildAnd(j->ir, a[n], constant_i32(j, mask), "")
FORMULA(stencil_result,
        cf_jit_stencil_result(j, IR_BITS(0, 255), IR_BITS(1, 255), IR_BITS(2, 255), IR_BITS(3, 3),
                              IR_BITS(4, 255), IR_BITS(5, 255)),
        cf_stencil_result(a[0] & 255, a[1] & 255, a[2] & 255, a[3] & 3, a[4] & 255, a[5] & 255))
FORMULA(blend_factor, bits_of(j, cf_jit_blend_factor(j, IRF(0), IRF(1), IRF(2))),
        cf_bits(cf_blend_factor(F(0), F(1), F(2))))
/* A term is kept whole or dropped, and at most its sign flips: other masks would show which of two
 * NaNs a product is, which C leaves to its compiler and no format stores. */
#define IR_KEEP LLVMBuildNeg(j->ir, IR_BITS(2, 1), "")
#define IR_FLIP IR_BITS(3, CF_SIGN_BIT)
FORMULA(blend_term, bits_of(j, cf_jit_blend_term(j, IRF(0), IRF(1), IR_KEEP, IR_FLIP)),
        cf_bits(cf_blend_term(F(0), F(1), -(a[2] & 1), a[3] & CF_SIGN_BIT)))
FORMULA(blend_min, bits_of(j, cf_jit_blend_min(j, IRF(0), IRF(1), k->number)),
        cf_bits(cf_blend_min(F(0), F(1), k->number)))
FORMULA(blend_max, bits_of(j, cf_jit_blend_max(j, IRF(0), IRF(1), k->number)),
        cf_bits(cf_blend_max(F(0), F(1), k->number)))
FORMULA(blend_saturate, bits_of(j, cf_jit_blend_saturate(j, IRF(0), IRF(1), k->number)),
        cf_bits(cf_blend_saturate(F(0), F(1), k->number)))
FORMULA(logic_op, cf_jit_logic_op(j, a[0], a[1], a[2]), cf_logic_op(a[0], a[1], a[2]))
FORMULA(masked_bits, cf_jit_masked_bits(j, a[0], a[1], a[2]), cf_masked_bits(a[0], a[1], a[2]))

FORMULA(s3tc_decode, cf_jit_s3tc_decode(j, k->number, a[0], a[1], a[2], a[3], IR_BITS(4, 15)),
        cf_s3tc_decode(k->number, a[0], a[1], a[2], a[3], a[4] & 15))

FORMULA(lod_of_length, bits_of(j, cf_jit_lod_of_length(j, IRF(0))), cf_bits(cf_lod_of_length(F(0))))
FORMULA(longer, bits_of(j, cf_jit_longer(j, IRF(0), IRF(1))), cf_bits(cf_longer(F(0), F(1))))
FORMULA(lod_clamped, bits_of(j, cf_jit_lod_clamped(j, IRF(0), IRF(1), IRF(2), IRF(3))),
        cf_bits(cf_lod_clamped(F(0), F(1), F(2), F(3))))
FORMULA(face_length,
        bits_of(j, cf_jit_face_length_squared(j, IRF(0), IRF(1), IRF(2), IRF(3), IRF(4), IRF(5),
                                              IRF(0))),
        cf_bits(cf_face_length_squared(F(0), F(1), F(2), F(3), F(4), F(5), F(0))))
FORMULA(probe_count, bits_of(j, cf_jit_probe_count(j, IRF(0), IRF(1), IRF(2))),
        cf_bits(cf_probe_count(F(0), F(1), F(2))))
FORMULA(wrapped_texels, bits_of(j, cf_jit_wrapped_texels(j, k->number, IRF(0), IRF(1))),
        cf_bits(cf_wrapped_texels(k->number, F(0), F(1))))
FORMULA(near_texture, bits_of(j, cf_jit_near_texture(j, IRF(0), IRF(1))),
        cf_bits(cf_near_texture(F(0), F(1))))
FORMULA(lerp, bits_of(j, cf_jit_lerp(j, IRF(0), IRF(1), IRF(2))),
        cf_bits(cf_lerp(F(0), F(1), F(2))))
FORMULA(integer_weight, cf_jit_integer_weight(j, cf_jit_fsat(j, IRF(0))),
        (uint32_t)cf_integer_weight(cf_fsat(F(0))))
FORMULA(integer_mix, cf_jit_integer_mix(j, IR_BITS(0, 255), IR_BITS(1, 255), IR_BITS(2, 255)),
        (uint32_t)cf_integer_mix(a[0] & 255, a[1] & 255, a[2] & 255))

/* In f64, of numbers that an int32_t has; the results are compared as f32. */
#define IR_D(n)                                                                                    \
   float_to_double(j, LLVMBuildFMul(j->ir, LLVMBuildSIToFP(j->ir, a[n], lanes_of(j, j->f32), ""),  \
                                    constant_f32(j, cf_bits(0x1p-12f)), ""))
#define D(n) ((double)((float)(int32_t)a[n] * 0x1p-12f))
#define IR_F32(x) bits_of(j, double_to_float(j, x))
#define F32(x) cf_bits((float)(x))
FORMULA(line_up, IR_F32(cf_jit_line_up(j, IR_D(0), IR_D(1), IR_BITS(2, 1))),
        F32(cf_line_up(D(0), D(1), a[2] & 1)))
FORMULA(line_across, IR_F32(cf_jit_line_across(j, IR_D(0), IR_D(1))),
        F32(cf_line_across(D(0), D(1))))
FORMULA(line_is_lower, bool_to_int(j, cf_jit_line_is_lower(j, IR_D(0), IR_D(1))),
        cf_line_is_lower(D(0), D(1)))
FORMULA(line_along_per_up, IR_F32(cf_jit_line_along_per_up(j, IR_D(0), IR_D(1), IR_D(2))),
        F32(cf_line_along_per_up(D(0), D(1), D(2))))
FORMULA(line_along, IR_F32(cf_jit_line_along(j, IR_D(0), IR_D(1))), F32(cf_line_along(D(0), D(1))))

/* ---- values ---- */

static uint32_t
boundary(unsigned n)
{
   static const uint32_t bits[] = {
      0,          CF_SIGN_BIT, 0x3f800000, 0xbf800000, 0x3f7fffff,  0x3f800001, 0x3f000000,
      0x3effffff, 1,           0x807fffff, 0x00800000, CF_INF_BITS, 0xff800000, CF_NAN_BITS,
      0xffc00001, 0x7f800001,  0x7f7fffff, 0x477fe000, 0x477ff000,  0x33000000, 0x33000001,
      0x387fe000, 0x38800000,  0x39000000, 0x38ffffff, 0x47800000,  0x4f000000, 0xcf000000,
      0x7fffffff, 255,         256,        65535,      0xffffff,    UINT32_MAX,
   };
   return bits[n % (sizeof(bits) / sizeof(bits[0]))];
}

/* Any bits, a number in [0, 1], or one of the values above. */
static uint32_t
random_bits(struct cf_random *random)
{
   const uint32_t bits = cf_random_u32(random);
   switch (cf_random_below(random, 4)) {
   case 0:
      return bits;
   case 1:
      return boundary(bits);
   default:
      return cf_bits((float)(bits >> 8) * 0x1p-24f);
   }
}

/* ---- running ---- */

typedef void (*compiled)(uint32_t *out, const uint32_t (*in)[CF_TASK_LANES]);

struct runner {
   LLVMExecutionEngineRef engine;
   LLVMContextRef context;
   compiled run;
};

static struct cf_jit_ir
ir_in(LLVMContextRef context, bool host_ways)
{
   return (struct cf_jit_ir){ .context = context,
                              .module = LLVMModuleCreateWithNameInContext("formula", context),
                              .ir = LLVMCreateBuilderInContext(context),
                              .lanes = CF_TASK_LANES,
                              .x86 = CF_JIT_MACHINE == EM_X86_64,
                              .rounding_instrs = host_ways,
                              .half_instrs = host_ways,
                              .gathers = host_ways && cf_host_level() >= CF_HOST_V4,
                              .permutes_bytes = host_ways && cf_host_level() == CF_HOST_V4_BYTES,
                              .i1 = LLVMInt1TypeInContext(context),
                              .i8 = LLVMInt8TypeInContext(context),
                              .i32 = LLVMInt32TypeInContext(context),
                              .i64 = LLVMInt64TypeInContext(context),
                              .f32 = LLVMFloatTypeInContext(context),
                              .f64 = LLVMDoubleTypeInContext(context),
                              .pointer = LLVMPointerTypeInContext(context, 0) };
}

/* Of all AArch64, and of x86-64 with AVX2. */
static bool
has_host_ways(void)
{
   return CF_JIT_MACHINE != EM_X86_64 || cf_host_level() >= CF_HOST_V3;
}

static void
add_attribute(const struct cf_jit_ir *j, LLVMValueRef function, const char *key, const char *value)
{
   LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                           LLVMCreateStringAttribute(j->context, key, (unsigned)strlen(key), value,
                                                     (unsigned)strlen(value)));
}

/* host_ways: with the instructions that the running host has. */
static struct runner
compile(const struct formula *formula, const struct known *known, bool host_ways)
{
   struct runner r = { .context = LLVMContextCreate() };
   struct cf_jit_ir j = ir_in(r.context, host_ways);
   LLVMTypeRef parameters[2] = { j.pointer, j.pointer }, row = LLVMVectorType(j.i32, CF_TASK_LANES);
   LLVMValueRef function = LLVMAddFunction(
                   j.module, "run",
                   LLVMFunctionType(LLVMVoidTypeInContext(r.context), parameters, 2, 0)),
                a[ARGUMENTS];
   if (host_ways && CF_JIT_MACHINE == EM_X86_64)
      add_attribute(&j, function, "target-cpu", j.gathers ? "x86-64-v4" : "x86-64-v3");
   if (j.permutes_bytes)
      add_attribute(&j, function, "target-features", "+avx512vbmi");
   LLVMPositionBuilderAtEnd(j.ir, LLVMAppendBasicBlockInContext(r.context, function, ""));
   for (unsigned n = 0; n < ARGUMENTS; n++)
      a[n] = load_at(&j, row, LLVMGetParam(function, 1),
                     (int64_t)(n * sizeof(uint32_t) * CF_TASK_LANES), 4);
   store_at(&j, formula->build(&j, known, a), LLVMGetParam(function, 0), 0, 4);
   LLVMBuildRetVoid(j.ir);
   LLVMDisposeBuilder(j.ir);
   struct LLVMMCJITCompilerOptions options;
   LLVMInitializeMCJITCompilerOptions(&options, sizeof(options));
   char *error = NULL;
   if (LLVMCreateMCJITCompilerForModule(&r.engine, j.module, &options, sizeof(options), &error))
      fail_msg("%s", error);
   r.run = (compiled)(uintptr_t)LLVMGetFunctionAddress(r.engine, "run");
   return r;
}

static void
check_ways(const struct formula *formula, const struct known *known, bool host_ways)
{
   struct cf_random random = { 77 };
   struct runner r = compile(formula, known, host_ways);
   for (unsigned round = 0; round < ROUNDS; round++) {
      static _Alignas(64) uint32_t in[ARGUMENTS][CF_TASK_LANES], got[CF_TASK_LANES];
      for (unsigned n = 0; n < ARGUMENTS; n++) {
         for (unsigned lane = 0; lane < CF_TASK_LANES; lane++)
            in[n][lane] = round < 8 ? boundary(round * CF_TASK_LANES + lane + n * (round + 1))
                                    : random_bits(&random);
      }
      r.run(got, in);
      for (unsigned lane = 0; lane < CF_TASK_LANES; lane++) {
         uint32_t a[ARGUMENTS];
         for (unsigned n = 0; n < ARGUMENTS; n++)
            a[n] = in[n][lane];
         const uint32_t want = formula->compute(known, a);
         const bool nans =
            formula->is_float && cf_isnan(cf_float(want)) && cf_isnan(cf_float(got[lane]));
         if (got[lane] != want && !nans)
            fail_msg("%s, type %u, bits %u, number %u, host's ways %d: of 0x%08x 0x%08x 0x%08x "
                     "0x%08x: 0x%08x in IR, 0x%08x in C",
                     formula->name, known->type, known->bits, known->number, host_ways, a[0], a[1],
                     a[2], a[3], got[lane], want);
      }
   }
   LLVMDisposeExecutionEngine(r.engine);
   LLVMContextDispose(r.context);
}

static void
check(const struct formula *formula, const struct known *known)
{
   for (int host_ways = 0; host_ways <= has_host_ways(); host_ways++)
      check_ways(formula, known, host_ways);
}

/* ---- quotients ---- */

static LLVMValueRef
build_quotient(struct cf_jit_ir *j, const struct known *k, const LLVMValueRef *a)
{
   (void)k;
   return bits_of(j, cf_jit_quotient(j, IRF(0), IRF(1), IRF(2)));
}

/* Values and divisors that wait until there is one for each lane. */
struct quotients {
   struct runner runner;
   unsigned count, checked;
   _Alignas(64) uint32_t in[ARGUMENTS][CF_TASK_LANES];
};

static void
check_quotient(struct quotients *q, float value, float divisor)
{
   uint32_t got[CF_TASK_LANES] __attribute__((aligned(64)));
   q->in[0][q->count] = cf_bits(value);
   q->in[1][q->count] = cf_bits(divisor);
   q->in[2][q->count] = cf_bits(1.0f / divisor);
   q->checked++;
   if (++q->count < CF_TASK_LANES)
      return;
   q->count = 0;
   q->runner.run(got, q->in);
   for (unsigned lane = 0; lane < CF_TASK_LANES; lane++) {
      const float want = cf_float(q->in[0][lane]) / cf_float(q->in[1][lane]);
      if (got[lane] != cf_bits(want))
         fail_msg("0x%08x / 0x%08x is 0x%08x, not 0x%08x", q->in[0][lane], q->in[1][lane],
                  cf_bits(want), got[lane]);
   }
}

/*
 * Quotients below 1 of mantissas of 24 bits that are next to a number halfway between two floats,
 * an odd one of 25 bits: value 2^25 = halfway divisor + off, of all divisors. With off / divisor
 * below 2^-22 are those that cf_jit_quotient could get wrong: off is at most 7.
 */
static void
check_next_to_halfway(struct quotients *q, uint32_t divisor, int off)
{
   const unsigned even = (unsigned)__builtin_ctz(divisor), bits = 25 - even;
   if (off % (1 << even))
      return;
   uint32_t inverse = divisor >> even; /* modulo 2^32: each step doubles the bits that are right */
   for (unsigned n = 0; n < 4; n++)
      inverse *= 2 - (divisor >> even) * inverse;
   const uint32_t first = (uint32_t)(-off / (1 << even)) * inverse & ((1u << bits) - 1);
   for (uint32_t halfway = first; halfway >> 25 == 0; halfway += 1u << bits) {
      const uint32_t value = (uint32_t)(((int64_t)((uint64_t)halfway * divisor) + off) >> 25);
      if (halfway % 2 && value >> 23 && value < divisor)
         check_quotient(q, (float)value, (float)divisor * 0x1p-12f);
   }
}

/* A float in 2^low .. 2^high, now and then next to a power of two. */
static float
random_float(struct cf_random *random, int low, int high)
{
   static const uint32_t mantissas[] = { 0, 1, 2, 0x7fffff, 0x7ffffe, 0x400000, 0x3fffff };
   const uint32_t n = cf_random_below(random, 20),
                  exponent =
                     (uint32_t)(127 + low) + cf_random_below(random, (uint32_t)(high - low));
   return cf_float(exponent << 23 | (n < 7 ? mantissas[n] : cf_random_u32(random) & 0x7fffff));
}

/* Quotients by reciprocals are the host's, over all that cf_jit_quotient takes. */
static void
test_quotients(void **state)
{
   static const struct formula quotient = { "quotient", true, build_quotient, NULL };
   static const struct known nothing;
   static struct quotients q;
   struct cf_random random = cf_random_seed("quotients");
   (void)state;
   if (!has_host_ways())
      skip();
   q.runner = compile(&quotient, &nothing, true);
   for (uint32_t divisor = 1 << 23; divisor < 1 << 24; divisor++) {
      for (int off = -7; off <= 7; off++) {
         if (off)
            check_next_to_halfway(&q, divisor, off);
      }
   }
   assert_in_range(q.checked, 10000000, 100000000);
   for (unsigned n = 0; n < 3000000; n++) {
      const float value = n % 16 ? random_float(&random, -88, 60) : 0.0f;
      check_quotient(&q, n % 16 && n % 2 ? -value : value, random_float(&random, -16, 16));
   }
   LLVMDisposeExecutionEngine(q.runner.engine);
   LLVMContextDispose(q.runner.context);
}

/* ---- sRGB ---- */

/* What is known as `number`: the bit of the channel, or of the first of three. */
FORMULA(srgb_channel, bits_of(j, cf_jit_srgb_channel(j, a[0], k->number)),
        cf_bits(cf_srgb_to_linear[a[0] >> k->number & 255]))

static LLVMValueRef
build_srgb_pixels(struct cf_jit_ir *j, const struct known *k, const LLVMValueRef *a)
{
   const LLVMValueRef linear[3] = { IRF(0), k->bits > 8 ? IRF(1) : NULL, IRF(2) };
   const unsigned offset_bits[3] = { k->number, k->number ^ 8, k->number ^ 16 };
   return cf_jit_srgb_pixels(j, linear, offset_bits);
}

static uint32_t
compute_srgb_pixels(const struct known *k, const uint32_t *a)
{
   const uint32_t second = k->bits > 8 ? cf_linear_to_srgb8(F(1)) << (k->number ^ 8) : 0;
   return cf_linear_to_srgb8(F(0)) << k->number | second |
          cf_linear_to_srgb8(F(2)) << (k->number ^ 16);
}

/* All floats from 2^-13 to 1, and others: in the channels' order of b8g8r8a8 and back. */
static void
test_all_srgb(void)
{
   static const struct formula pixels = { "srgb_pixels", false, build_srgb_pixels, NULL };
   static const struct known known = { .bits = 24, .number = 16 };
   static _Alignas(64) uint32_t in[ARGUMENTS][CF_TASK_LANES], got[CF_TASK_LANES];
   const uint32_t first = cf_bits(0x1p-13f) - CF_TASK_LANES, last = cf_bits(1.0f);
   struct runner r = compile(&pixels, &known, true);
   for (uint32_t bits = first; bits <= last; bits += CF_TASK_LANES) {
      for (unsigned lane = 0; lane < CF_TASK_LANES; lane++) {
         in[0][lane] = bits + lane;
         in[1][lane] = last + first - in[0][lane];
         in[2][lane] = in[0][lane] ^ 1;
      }
      r.run(got, in);
      for (unsigned lane = 0; lane < CF_TASK_LANES; lane++) {
         const uint32_t a[] = { in[0][lane], in[1][lane], in[2][lane] },
                        want = compute_srgb_pixels(&known, a);
         if (got[lane] != want)
            fail_msg("of 0x%08x 0x%08x 0x%08x: 0x%06x, not 0x%06x", a[0], a[1], a[2], got[lane],
                     want);
      }
   }
   LLVMDisposeExecutionEngine(r.engine);
   LLVMContextDispose(r.context);
}

/* By permutations of bytes. */
static void
srgb(void **state)
{
   (void)state;
   static const struct formula channel = { "srgb_channel", true, build_srgb_channel,
                                           compute_srgb_channel },
                               pixels = { "srgb_pixels", false, build_srgb_pixels,
                                          compute_srgb_pixels };
   if (cf_host_level() < CF_HOST_V4_BYTES)
      skip();
   for (unsigned offset_bits = 0; offset_bits < 32; offset_bits += 8) {
      check_ways(&channel, &(const struct known){ .number = offset_bits }, true);
      check_ways(&pixels, &(const struct known){ .number = offset_bits, .bits = 24 }, true);
      check_ways(&pixels, &(const struct known){ .number = offset_bits, .bits = 8 }, true);
   }
   test_all_srgb();
}

/* ---- tests ---- */

/* Of all types and sizes that formats have. */
static void
channels(void **state)
{
   (void)state;
   static const struct formula decode = { "decode", true, build_decode, compute_decode };
   static const struct formula encode = { "encode", false, build_encode, compute_encode };
   bool done[CF_CHANNEL_SHARED + 1][33] = { { false } };
   unsigned kinds = 0;
   for (uint32_t code = 0; code < CF_FORMAT_COUNT; code++) {
      const struct cf_format_info *format = cf_format_info_of(code);
      for (uint32_t c = 0; c < format->channels; c++) {
         const struct known known = { .type = format->channel[c].type,
                                      .bits = format->channel[c].bits };
         if (done[known.type][known.bits])
            continue;
         done[known.type][known.bits] = true;
         kinds++;
         check(&decode, &known);
         check(&encode, &known);
      }
   }
   assert_true(kinds > 20);
}

#define CHECK(name, is_float, ...)                                                                 \
   check(&(const struct formula){ #name, is_float, build_##name, compute_##name },                 \
         &(const struct known){ __VA_ARGS__ })

static void
tests_of_fragments(void **state)
{
   (void)state;
   for (unsigned func = 0; func < 8; func++) {
      CHECK(compare_ints, false, .number = func);
      CHECK(compare_floats, false, .number = func);
   }
   CHECK(depth_stored, false, .number = true, .bits = 32);
   CHECK(depth_stored, false, .bits = 16);
   CHECK(depth_stored, false, .bits = 24);
   CHECK(stencil_result, false, .number = 0);
}

static void
blending(void **state)
{
   (void)state;
   CHECK(blend_factor, true, .number = 0);
   CHECK(blend_term, true, .number = 0);
   for (unsigned clamped = 0; clamped < 2; clamped++) {
      CHECK(blend_min, true, .number = clamped);
      CHECK(blend_max, true, .number = clamped);
      CHECK(blend_saturate, true, .number = clamped);
   }
   CHECK(logic_op, false, .number = 0);
   CHECK(masked_bits, false, .number = 0);
}

static void
sampling(void **state)
{
   (void)state;
   CHECK(lod_of_length, true, .number = 0);
   CHECK(longer, true, .number = 0);
   CHECK(lod_clamped, true, .number = 0);
   CHECK(face_length, true, .number = 0);
   CHECK(probe_count, true, .number = 0);
   for (unsigned wrap = CF_WRAP_REPEAT; wrap <= CF_WRAP_MIRROR_CLAMP; wrap++)
      CHECK(wrapped_texels, true, .number = wrap);
   CHECK(near_texture, true, .number = 0);
   CHECK(lerp, true, .number = 0);
   CHECK(integer_weight, false, .number = 0);
   CHECK(integer_mix, false, .number = 0);
}

static void
wide_lines(void **state)
{
   (void)state;
   CHECK(line_up, true, .number = 0);
   CHECK(line_across, true, .number = 0);
   CHECK(line_is_lower, false, .number = 0);
   CHECK(line_along_per_up, true, .number = 0);
   CHECK(line_along, true, .number = 0);
}

static void
compressed(void **state)
{
   (void)state;
   for (unsigned compression = CF_COMPRESSION_DXT1_RGB; compression <= CF_COMPRESSION_DXT5;
        compression++)
      CHECK(s3tc_decode, false, .number = compression);
}

int
main(void)
{
   LLVMLinkInMCJIT();
   cf_jit_target_init();
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(channels),       cmocka_unit_test(tests_of_fragments),
      cmocka_unit_test(blending),       cmocka_unit_test(compressed),
      cmocka_unit_test(sampling),       cmocka_unit_test(wide_lines),
      cmocka_unit_test(test_quotients), cmocka_unit_test(srgb),
   };
   return cmocka_run_group_tests_name("jit-formulas", tests, NULL, NULL);
}
