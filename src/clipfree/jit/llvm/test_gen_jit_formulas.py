#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The generator of the JIT's formulas: what it makes of small functions, and that it rejects C it
does not understand instead of guessing. Whether the results compute the same values is the business
of test_ops.c and test_formulas.c.
"""
import unittest

import gen_jit_formulas

HEAD = "static inline float\ncf_canon(float x)\n{\n   return x;\n}\n"


def function(body, signature="float\ncf_f(float x)"):
    return f"{HEAD}static inline {signature}\n{{\n{body}\n}}\n"


def generate(header, alu="CF_ALU1(OP, float, float, cf_f(a))\n"):
    return gen_jit_formulas.generate(alu, [header])[0]


class Accepts(unittest.TestCase):
    def test_order_of_operations(self):
        text = generate(function("   return x * 2.0f + x;"))
        product = 'LLVMBuildFMul(j->ir, x, constant_f32(j, cf_bits(2.0f)), "")'
        self.assertIn(f'LLVMBuildFAdd(j->ir, {product}, x, "")', text)

    def shift_and_compare(self, type_):
        header = function("   return (a >> 1) < 3 ? a : 0;", f"{type_}\ncf_f({type_} a)")
        return generate(header, f"CF_ALU1(OP, {type_}, {type_}, cf_f(a))\n")

    def test_signs_decide_shifts_and_compares(self):
        text = self.shift_and_compare("int32_t")
        self.assertIn("LLVMBuildAShr", text)
        self.assertIn("LLVMIntSLT", text)
        text = self.shift_and_compare("uint32_t")
        self.assertIn("LLVMBuildLShr", text)
        self.assertIn("LLVMIntULT", text)

    def test_macros_and_hexadecimal_floats(self):
        text = generate("#define HALF 0x1p-1f\n" + function("   return x * HALF - 0x1.8p23f;"))
        self.assertIn("constant_f32(j, cf_bits(0x1p-1f))", text)
        self.assertIn("constant_f32(j, cf_bits(0x1.8p23f))", text)

    def test_lanes(self):
        text = generate(HEAD, "CF_CROSS(OP, float, float, difference(a, l | 1, l & ~1))\n")
        self.assertIn("difference(j, float_of(j, a), (struct quad_order){ { 1, 1, 3, 3 } }, "
                      "(struct quad_order){ { 0, 0, 2, 2 } })", text)


class Known(unittest.TestCase):
    """What is known when code is made."""
    SIGNATURE = "float\ncf_g(float x, unsigned n)"

    def generate(self, body, signature=SIGNATURE):
        return generate(function(body, signature), "CF_ALU1(OP, float, float, a)\n")

    def test_is_computed_in_c(self):
        text = self.generate("   const float scale = (float)((1u << n) - 1);\n   return x * scale;")
        self.assertIn("cf_jit_g(struct cf_jit_ir *j, LLVMValueRef x, unsigned n)", text)
        self.assertIn("const float scale = ((float)((1u << n) - 1));", text)
        self.assertIn('LLVMBuildFMul(j->ir, x, constant_f32(j, cf_bits(scale)), "")', text)

    def test_builds_one_side(self):
        self.assertIn('return (!(n == 0) ? LLVMBuildFAdd(j->ir, x, x, "") : x);', self.generate("   return !(n == 0) ? x + x : x;"))
        text = self.generate("   if (n > 1u && n < 3u)\n      return x;\n   else\n      return x * x;")
        self.assertIn('if (((n > 1u) && (n < 3u))) {\n   return x;\n   } else {\n   return LLVMBuildFMul(j->ir, x, x, "");', text)

    def test_switches(self):
        text = self.generate("   switch (kind) {\n   case CF_A:\n      x = x + x;\n      break;\n   default:\n      break;\n   }\n"
                             "   return x;", "float\ncf_g(enum cf_kind kind, float x)")
        self.assertIn('switch (kind) {\n   case CF_A:\n   x = LLVMBuildFAdd(j->ir, x, x, "");\n   break;\n   default:', text)

    def test_comparisons_stay_booleans(self):
        text = self.generate("   if (n)\n      return x < 0.0f;\n   return x == 0.0f;", "bool\ncf_g(float x, unsigned n)")
        self.assertNotIn("bool_to_int", text)

    def test_tables(self):
        table = "extern const float cf_table[256];\n"
        header = function("   return cf_table[i] + cf_table[n];", "float\ncf_g(uint32_t i, unsigned n)")
        text = generate(table + header, "CF_ALU1(OP, float, float, a)\n")
        self.assertIn('look_up_f32(j, "cf_table", cf_table, sizeof(cf_table) / sizeof(cf_table[0]), i)', text)
        self.assertIn("constant_f32(j, cf_bits(cf_table[n]))", text)

    def test_what_must_be_known(self):
        for body, message in (("   return cf_h(x, cf_bits(x));", "n of cf_h is not known"),
                              ("   return cf_g(x, n);", "cf_g: it calls itself"),
                              ("   return !x;", "'!' of what is not known"),
                              ("   unsigned m = cf_bits(x);\n   return x;", "'m' is not known"),
                              ("   return (x < 0.0f) && (x > 0.0f) ? x : 0.0f;", "'&&' of what is not known"),
                              ("   n = n + 1u;\n   return x;", "'n' is known, and assigned to")):
            header = function("   return x;", "float\ncf_h(float x, unsigned n)") + function(body, self.SIGNATURE)
            with self.assertRaisesRegex(gen_jit_formulas.Error, message):
                generate(header, "CF_ALU1(OP, float, float, a)\n")


class Rejects(unittest.TestCase):
    def check(self, header, message):
        with self.assertRaisesRegex(gen_jit_formulas.Error, message):
            generate(header)

    def test_statements(self):
        self.check(function("   if (x > 0.0f) x = 1.0f;\n   return x;"),
                   "cf_f: 'if' and 'switch' are for what is known")
        self.check(function("   return x;\n   x = 1.0f;"), "cf_f: return must be the last")
        self.check(function("   for (;;) x = 1.0f;\n   return x;"), "cf_f: 'for' begins no statement")

    def test_unknown_names(self):
        self.check(function("   return y;"), "cf_f: unknown name 'y'")
        self.check(function("   return sinf(x);"), "unknown function 'sinf'")

    def test_types(self):
        self.check(function("   return x;", "float\ncf_f(long x)"),
                   "cf_f: a type that is not understood")
        self.check(function("   return x ? 1.0f : x;"), "cf_f: a float used as a condition")
        self.check(function("   return x & 1.0f;"), "cf_f: '&' of floats")

    def test_arguments(self):
        self.check(function("   return cf_canon(x, x);"), "cf_canon takes 1 arguments")


if __name__ == "__main__":
    unittest.main()
