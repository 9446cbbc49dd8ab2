/* SPDX-License-Identifier: MIT */
/*
 * sRGB without gathers, by permutations of the host (AVX-512 VBMI), which look up in registers: 64
 * bytes in a table of 128, sixteen dwords in one of 32.
 *
 * Of a code to its float: byte n of the floats of all bytes of sixteen pixels is looked up in two
 * tables, and the floats of a channel are put together of four such bytes. All channels share what
 * was looked up.
 *
 * Of a float to its code: an estimate is the code or the next one, which a comparison with the
 * least float of that code tells.
 */
#include "clipfree/jit/llvm/cf_jit_alu.h"
#include "clipfree/memory/cf_channel.h"

#define FLOAT_B 4
#define CODES 256
#define INSTR_B 64
#define HALF (CF_TASK_LANES / 2)

/* A float for each code. */
struct code_table {
   const char *name;
   const float *value;
};

static const struct code_table to_linear = { "cf_srgb_to_linear_bytes", cf_srgb_to_linear };
static const struct code_table threshold = { "cf_srgb_threshold_bytes", cf_srgb_threshold };

/* ---- rows ---- */

/* A constant in all elements of 16 bits of a row. */
static LLVMValueRef
halves_of(const struct cf_jit_ir *j, uint16_t value)
{
   LLVMValueRef element[2 * CF_TASK_LANES];
   for (unsigned n = 0; n < 2 * CF_TASK_LANES; n++)
      element[n] = LLVMConstInt(LLVMInt16TypeInContext(j->context), value, 0);
   return LLVMConstVector(element, 2 * CF_TASK_LANES);
}

static LLVMValueRef
join(const struct cf_jit_ir *j, LLVMValueRef first, LLVMValueRef second)
{
   LLVMValueRef index[2 * INSTR_B];
   const unsigned count = 2 * LLVMGetVectorSize(LLVMTypeOf(first));
   for (unsigned n = 0; n < count; n++)
      index[n] = LLVMConstInt(j->i32, n, 0);
   return LLVMBuildShuffleVector(j->ir, first, second, LLVMConstVector(index, count), "");
}

/* ---- of codes ---- */

/* Byte n of the floats of all codes, for n from 0 to 3: a constant of the module, made once. */
static LLVMValueRef
bytes_of_floats(const struct cf_jit_ir *j, const struct code_table *table)
{
   union {
      uint8_t byte[FLOAT_B][CODES];
      uint32_t word[CODES];
   } planes;
   LLVMValueRef memory = LLVMGetNamedGlobal(j->module, table->name);
   if (memory)
      return memory;
   for (unsigned n = 0; n < FLOAT_B; n++)
      for (unsigned code = 0; code < CODES; code++)
         planes.byte[n][code] = (uint8_t)(cf_bits(table->value[code]) >> 8 * n);
   memory = constant_table(j, table->name, planes.word, CODES);
   LLVMSetAlignment(memory, INSTR_B);
   return memory;
}

/* Byte `byte` of the floats of 64 codes, from code 64 part on. */
static LLVMValueRef
table_part(const struct cf_jit_ir *j, const struct code_table *table, unsigned byte, unsigned part)
{
   return load_input(j, LLVMVectorType(j->i8, INSTR_B), bytes_of_floats(j, table),
                     byte * CODES + part * INSTR_B, INSTR_B);
}

/* Byte n of the floats of all bytes of sixteen pixels. */
static LLVMValueRef
look_up_half(const struct cf_jit_ir *j, const struct code_table *table, LLVMValueRef pixels,
             unsigned byte)
{
   LLVMTypeRef bytes = LLVMVectorType(j->i8, INSTR_B);
   LLVMValueRef codes = LLVMBuildBitCast(j->ir, pixels, bytes, ""), value[2];
   for (unsigned upper = 0; upper < 2; upper++) {
      LLVMValueRef arguments[3] = { table_part(j, table, byte, 2 * upper), codes,
                                    table_part(j, table, byte, 2 * upper + 1) };
      value[upper] = call_intrinsic(j, "llvm.x86.avx512.vpermi2var.qi.512", arguments, 3);
   }
   LLVMValueRef is_upper = LLVMBuildICmp(j->ir, LLVMIntSLT, codes, LLVMConstNull(bytes), "");
   return LLVMBuildSelect(j->ir, is_upper, value[1], value[0], "");
}

/* The same of a row of pixels, as integers of 16 bits. */
static LLVMValueRef
look_up(const struct cf_jit_ir *j, const struct code_table *table, LLVMValueRef pixels,
        unsigned byte)
{
   LLVMTypeRef halves = LLVMVectorType(LLVMInt16TypeInContext(j->context), 2 * CF_TASK_LANES);
   LLVMValueRef first = look_up_half(j, table, half_of(j, pixels, 0), byte),
                second = look_up_half(j, table, half_of(j, pixels, 1), byte);
   return LLVMBuildBitCast(j->ir, join(j, first, second), halves, "");
}

/* Bytes n and n + 1 of the floats of bytes 0 and 2 of the pixels, or of bytes 1 and 3. */
static LLVMValueRef
two_bytes(const struct cf_jit_ir *j, const struct code_table *table, LLVMValueRef pixels,
          unsigned byte, bool odd)
{
   LLVMValueRef first = look_up(j, table, pixels, byte),
                second = look_up(j, table, pixels, byte + 1), by = halves_of(j, 8);
   if (odd) {
      first = LLVMBuildLShr(j->ir, first, by, "");
      second = LLVMBuildAnd(j->ir, second, halves_of(j, 0xff00), "");
   } else {
      first = LLVMBuildAnd(j->ir, first, halves_of(j, 0xff), "");
      second = LLVMBuildShl(j->ir, second, by, "");
   }
   return bits_of(j, LLVMBuildOr(j->ir, first, second, ""));
}

static LLVMValueRef
float_of_code(const struct cf_jit_ir *j, const struct code_table *table, LLVMValueRef pixels,
              unsigned offset_bits)
{
   const bool odd = offset_bits & 8, upper = offset_bits & 16;
   LLVMValueRef low = two_bytes(j, table, pixels, 0, odd),
                high = two_bytes(j, table, pixels, 2, odd), by = constant_i32(j, 16);
   if (upper) {
      low = LLVMBuildLShr(j->ir, low, by, "");
      high = LLVMBuildAnd(j->ir, high, constant_i32(j, 0xffff0000), "");
   } else {
      low = LLVMBuildAnd(j->ir, low, constant_i32(j, 0xffff), "");
      high = LLVMBuildShl(j->ir, high, by, "");
   }
   return float_of(j, LLVMBuildOr(j->ir, low, high, ""));
}

LLVMValueRef
cf_jit_srgb_channel(const struct cf_jit_ir *j, LLVMValueRef pixels, unsigned offset_bits)
{
   return float_of_code(j, &to_linear, pixels, offset_bits);
}

/* ---- of floats ---- */

/* Coefficient n of the estimates of x. */
static LLVMValueRef
coefficient(const struct cf_jit_ir *j, LLVMValueRef x, unsigned n)
{
   LLVMValueRef part[2], half[2],
      place = LLVMBuildLShr(j->ir, bits_of(j, x), constant_i32(j, 22), "");
   LLVMValueRef memory =
      constant_table(j, "cf_srgb_estimate", (const uint32_t *)(const void *)cf_srgb_estimate,
                     sizeof(cf_srgb_estimate) / sizeof(uint32_t));
   LLVMSetAlignment(memory, INSTR_B);
   for (unsigned h = 0; h < 2; h++)
      part[h] = load_input(j, LLVMVectorType(j->f32, HALF), memory,
                           n * sizeof(cf_srgb_estimate[0]) + h * INSTR_B, INSTR_B);
   for (unsigned h = 0; h < 2; h++) {
      LLVMValueRef arguments[3] = { part[0], half_of(j, place, h), part[1] };
      half[h] = call_intrinsic(j, "llvm.x86.avx512.vpermi2var.ps.512", arguments, 3);
   }
   return join(j, half[0], half[1]);
}

/* The code of x, or the next one. */
static LLVMValueRef
estimate(const struct cf_jit_ir *j, LLVMValueRef x)
{
   LLVMValueRef sum = coefficient(j, x, 2);
   for (int n = 1; n >= 0; n--)
      sum = fused(j, sum, x, coefficient(j, x, (unsigned)n));
   return float_to_i32(j, sum);
}

/* As cf_linear_to_srgb8: of what is less, and of a NaN, the code is 0. */
static LLVMValueRef
in_range(const struct cf_jit_ir *j, LLVMValueRef x)
{
   LLVMValueRef least = constant_f32(j, cf_bits(0x1p-13f)), one = constant_f32(j, cf_bits(1.0f));
   x = choose(j, compare_f(j, LLVMRealOGT, x, least), x, least);
   return choose(j, compare_f(j, LLVMRealOLT, x, one), x, one);
}

LLVMValueRef
cf_jit_srgb_pixels(const struct cf_jit_ir *j, const LLVMValueRef linear[3],
                   const unsigned offset_bits[3])
{
   LLVMValueRef x[3], estimates = constant_i32(j, 0);
   for (unsigned c = 0; c < 3; c++) {
      if (!linear[c])
         continue;
      x[c] = in_range(j, linear[c]);
      LLVMValueRef code =
         LLVMBuildShl(j->ir, estimate(j, x[c]), constant_i32(j, offset_bits[c]), "");
      estimates = LLVMBuildOr(j->ir, estimates, code, "");
   }
   LLVMValueRef pixels = estimates;
   for (unsigned c = 0; c < 3; c++) {
      if (!linear[c])
         continue;
      LLVMValueRef least = float_of_code(j, &threshold, estimates, offset_bits[c]);
      LLVMValueRef one_less =
         LLVMBuildSub(j->ir, pixels, constant_i32(j, 1u << offset_bits[c]), "");
      pixels = choose(j, compare_f(j, LLVMRealOLT, x[c], least), one_less, pixels);
   }
   return pixels;
}
