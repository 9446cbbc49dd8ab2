#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The generator of the JIT's arithmetic: what it makes of small functions, and that it rejects C it
does not understand instead of guessing. Whether the results compute the same values is the business
of test_ops.c.
"""
import unittest

import gen_jit_alu

HEAD = "static inline float\ncf_canon(float x)\n{\n   return x;\n}\n"


def function(body, signature="float\ncf_f(float x)"):
    return f"{HEAD}static inline {signature}\n{{\n{body}\n}}\n"


def generate(header, alu="CF_ALU1(OP, float, float, cf_f(a))\n"):
    return gen_jit_alu.generate(alu, [header])


class Accepts(unittest.TestCase):
    def test_order_of_operations(self):
        text = generate(function("   return x * 2.0f + x;"))
        product = 'LLVMBuildFMul(j->ir, x, constant_f32(j, 0x40000000), "")'
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
        self.assertIn("constant_f32(j, 0x3f000000)", text)
        self.assertIn("constant_f32(j, 0x4b400000)", text)

    def test_lanes(self):
        text = generate(HEAD, "CF_CROSS(OP, float, float, difference(a, l | 1, l & ~1))\n")
        self.assertIn("difference(j, float_of(j, a), (struct quad_order){ { 1, 1, 3, 3 } }, "
                      "(struct quad_order){ { 0, 0, 2, 2 } })", text)


class Rejects(unittest.TestCase):
    def check(self, header, message):
        with self.assertRaisesRegex(gen_jit_alu.Error, message):
            generate(header)

    def test_statements(self):
        self.check(function("   if (x > 0.0f) x = 1.0f;\n   return x;"),
                   "cf_f: 'if' begins no statement")
        self.check(function("   return x;\n   x = 1.0f;"), "cf_f: return must be the last")

    def test_unknown_names(self):
        self.check(function("   return y;"), "cf_f: unknown name 'y'")
        self.check(function("   return sinf(x);"), "unknown function 'sinf'")

    def test_types(self):
        self.check(function("   return x;", "float\ncf_f(double x)"),
                   "cf_f: a type that is not understood")
        self.check(function("   return x ? 1.0f : x;"), "cf_f: a float used as a condition")
        self.check(function("   return x & 1.0f;"), "cf_f: '&' of floats")
        self.check(function("   return -x;"), "cf_f: '-' before something")

    def test_arguments(self):
        self.check(function("   return cf_canon(x, x);"), "cf_canon takes 1 arguments")


if __name__ == "__main__":
    unittest.main()
