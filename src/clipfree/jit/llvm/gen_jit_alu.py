#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The arithmetic of the JIT, made from the arithmetic of the interpreter.

Reads the operations' meanings (cf_isa_alu.inc, which gen_isa.py makes of isa.toml) and the C
functions that they call (arith/cf_fp.h, arith/cf_special.h), and writes C functions that build the
same operations as LLVM IR, one IR value for each C value. So the two engines share one description
down to the order of operations.

The C it understands is that of branch-free functions: declarations with initialisers, assignments,
one return at the end, expressions of + - * / & | ^ ~ << >>, comparisons, ?:, casts, calls and
literals over float, int32_t, uint32_t, uint16_t, int64_t, uint64_t and int. Anything else is an
error that names the function.

A comparison has type bool (an i1 for each lane), which becomes 0 or 1 where arithmetic wants a
number. A uint16_t is kept in 32 bits, cut where it is converted to.
"""

import argparse
import re
import struct
import sys


class Error(Exception):
    pass


# ------------------------------------------------------------------ tokens and expressions

TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?\d+[fF]?|0[xX][0-9a-fA-F]+[uUlL]*"
    r"|\d+\.\d*(?:[eE][+-]?\d+)?[fF]?|\d+[uUlL]*)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign><<=|>>=|<<|>>|<=|>=|==|!=|\+=|-=|\*=|/=|&=|\|=|\^=|[-+*/&|^~<>=?:(),;]))")

TYPES = {"float": "f32", "int32_t": "i32", "int": "i32", "uint32_t": "u32", "unsigned": "u32",
         "uint16_t": "u16", "int64_t": "i64", "uint64_t": "u64"}
LEVELS = [["|"], ["^"], ["&"], ["==", "!="], ["<", ">", "<=", ">="], ["<<", ">>"], ["+", "-"],
          ["*", "/"]]


def tokenize(text, where):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    tokens, at = [], 0
    text = text.strip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Error(f"{where}: cannot read '{text[at:at + 20]}'")
        tokens.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return tokens


class Parser:
    """Expressions to trees: ("number", text), ("name", n), ("call", n, [args]), ("cast", type, e),
    ("unary", sign, e), ("binary", sign, a, b), ("select", c, a, b)."""

    def __init__(self, tokens, where):
        self.tokens, self.at, self.where = tokens, 0, where

    def peek(self, offset=0):
        at = self.at + offset
        return self.tokens[at][1] if at < len(self.tokens) else ""

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, text):
        if self.peek() != text:
            raise Error(f"{self.where}: '{text}' expected before '{self.peek()}'")
        self.at += 1

    def expression(self):
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.next()
        yes = self.expression()
        self.expect(":")
        return ("select", condition, yes, self.expression())

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in LEVELS[level]:
            sign = self.next()[1]
            left = ("binary", sign, left, self.binary(level + 1))
        return left

    def unary(self):
        if self.peek() in ("-", "~"):
            sign = self.next()[1]
            return ("unary", sign, self.unary())
        if self.peek() == "(" and self.peek(1) in TYPES and self.peek(2) == ")":
            self.next()
            target = TYPES[self.next()[1]]
            self.next()
            return ("cast", target, self.unary())
        return self.primary()

    def primary(self):
        if self.at >= len(self.tokens):
            raise Error(f"{self.where}: the expression ends too early")
        kind, text = self.next()
        if kind == "number":
            return ("number", text)
        if text == "(":
            inner = self.expression()
            self.expect(")")
            return inner
        if kind != "name":
            raise Error(f"{self.where}: '{text}' begins no expression")
        if self.peek() != "(":
            return ("name", text)
        self.next()
        arguments = []
        while self.peek() != ")":
            arguments.append(self.expression())
            if self.peek() != ")":
                self.expect(",")
        self.next()
        return ("call", text, arguments)


# ------------------------------------------------------------------ sources

FUNCTION = re.compile(r"^static inline (\w+)\n(\w+)\(([^)]*)\)\n\{\n(.*?)^\}", re.M | re.S)
DEFINE = re.compile(r"^#define (\w+) ([^\\\n]+)$", re.M)
OPERATION = re.compile(r"^CF_(ALU[123]|CROSS)\((.*)\)$", re.M)


class Function:
    def __init__(self, name, result, parameters, body):
        self.name, self.body = name, body
        self.result = TYPES.get(result)
        self.parameters = []
        for parameter in filter(None, (p.strip() for p in parameters.split(","))):
            words = parameter.split()
            self.parameters.append((words[-1], TYPES.get(" ".join(words[:-1]))))


def read_functions(texts):
    functions, constants = {}, {"INT32_MAX": "2147483647", "UINT32_MAX": "4294967295u"}
    for text in texts:
        for match in FUNCTION.finditer(text):
            if match[3] != "void" or match[2] == "cf_nan":
                parameters = "" if match[3] == "void" else match[3]
                functions[match[2]] = Function(match[2], match[1], parameters, match[4])
        for match in DEFINE.finditer(text):
            constants[match[1]] = match[2].strip()
    return functions, constants


def read_operations(text):
    """[(is cross-lane, name, result type, operand types, meaning)]"""
    operations = []
    for match in OPERATION.finditer(text):
        operands = 1 if match[1] == "CROSS" else int(match[1][3])
        parts = [p.strip() for p in match[2].split(",", 2 + operands)]
        types = [TYPES[t] for t in parts[1:2 + operands]]
        operations.append((match[1] == "CROSS", parts[0], types[0], types[1:], parts[2 + operands]))
    return operations


# ------------------------------------------------------------------ translation

ARITHMETIC = {"+": "Add", "-": "Sub", "*": "Mul"}
BITWISE = {"&": "And", "|": "Or", "^": "Xor"}
FLOAT_COMPARE = {"<": "OLT", ">": "OGT", "<=": "OLE", ">=": "OGE", "==": "OEQ", "!=": "UNE"}
INT_COMPARE = {"<": "LT", ">": "GT", "<=": "LE", ">=": "GE", "==": "EQ", "!=": "NE"}
# Functions that hosts have as one instruction, with the same results: IEEE 754 defines every bit.
ROUNDING = {"cf_floor": "llvm.floor", "cf_ceil": "llvm.ceil", "cf_trunc": "llvm.trunc",
            "cf_round_even": "llvm.roundeven"}
RANK = {"bool": 0, "u16": 0, "i32": 1, "u32": 2, "i64": 3, "u64": 4}


def call(name, *arguments):
    return f"{name}(j, {', '.join(arguments)})"


def build(name, *arguments):
    return f"LLVMBuild{name}(j->ir, {', '.join(arguments)}, \"\")"


class Translator:
    def __init__(self, functions, constants):
        self.functions, self.constants = functions, constants
        self.done = {}  # name -> type of the result
        self.out = []   # C functions, callees first
        self.where = ""

    # -- conversions: (code, type) -> code

    def convert(self, value, target):
        code, source = value
        if source == target:
            return code
        if source == "bool":
            return self.convert((call("bool_to_int", code), "i32"), target)
        if target == "bool":
            zero = "constant_f32(j, 0)" if source == "f32" else f"LLVMConstNull(LLVMTypeOf({code}))"
            if source == "f32":
                raise Error(f"{self.where}: a float used as a condition")
            return build("ICmp", "LLVMIntNE", code, zero)
        if source == "f32":
            kinds = {"i32": "float_to_i32", "u32": "float_to_u32"}
            if target not in kinds:
                raise Error(f"{self.where}: no conversion from float to {target}")
            return call(kinds[target], code)
        if target == "f32":
            if source in ("i64", "u64"):
                raise Error(f"{self.where}: no conversion from {source} to float")
            return call("u32_to_float" if source == "u32" else "i32_to_float", code)
        if target == "u16":
            return build("And", self.convert((code, source), "u32"), "constant_i32(j, 0xffff)")
        wide_source, wide_target = source in ("i64", "u64"), target in ("i64", "u64")
        if wide_source == wide_target:
            return code
        if wide_source:
            return call("low_half", code)
        return call("widen_signed" if source == "i32" else "widen_unsigned", code)

    # -- expressions

    def number(self, text):
        hexadecimal = text.lower().startswith("0x")
        if re.search(r"[pP.]", text) or (text[-1] in "fF" and not hexadecimal):
            digits = text.rstrip("fF")
            value = float.fromhex(digits) if hexadecimal else float(digits)
            bits = struct.unpack("<I", struct.pack("<f", value))[0]
            return f"constant_f32(j, {bits:#010x})", "f32"
        value = int(text.rstrip("uUlL"), 0)
        unsigned = "u" in text.lower().replace("0x", "") or value > 0x7fffffff
        return f"constant_i32(j, {value:#x})", "u32" if unsigned else "i32"

    def expression(self, tree, names):
        kind = tree[0]
        if kind == "number":
            return self.number(tree[1])
        if kind == "name":
            if tree[1] in names:
                return names[tree[1]]
            if tree[1] in self.constants:
                tokens = tokenize(self.constants[tree[1]], self.where)
                return self.expression(Parser(tokens, self.where).expression(), names)
            raise Error(f"{self.where}: unknown name '{tree[1]}'")
        if kind == "cast":
            value = self.expression(tree[2], names)
            return self.convert(value, tree[1]), tree[1]
        if kind == "select":
            return self.select(tree[1], tree[2], tree[3], names)
        if kind == "unary":
            return self.unary(tree[1], tree[2], names)
        if kind == "binary":
            left, right = self.expression(tree[2], names), self.expression(tree[3], names)
            return self.binary(tree[1], left, right)
        return self.call(tree[1], tree[2], names)

    def unary(self, sign, operand, names):
        if sign == "-" and operand[0] == "number":
            code, type_ = self.number(operand[1])
            if type_ == "f32":
                negate = lambda m: f"{int(m[0], 16) ^ 0x80000000:#010x}"
                return re.sub(r"0x[0-9a-f]+", negate, code), type_
        code, type_ = self.expression(operand, names)
        if sign == "-":
            raise Error(f"{self.where}: '-' before something that is not a float literal")
        target = "i32" if type_ == "bool" else type_
        return build("Not", self.convert((code, type_), target)), target

    def select(self, condition, yes, no, names):
        condition = self.convert(self.expression(condition, names), "bool")
        yes, no = self.expression(yes, names), self.expression(no, names)
        type_ = "f32" if "f32" in (yes[1], no[1]) else self.common(yes[1], no[1])
        return call("choose", condition, self.convert(yes, type_), self.convert(no, type_)), type_

    def common(self, a, b):
        if "f32" in (a, b):
            return "f32"
        best = max(a, b, key=RANK.get)
        return "i32" if RANK[best] == 0 else best

    def binary(self, sign, a, b):
        if sign in BITWISE and a[1] == b[1] == "bool":
            return build(BITWISE[sign], a[0], b[0]), "bool"
        if sign in ("<<", ">>"):
            type_ = self.common(a[1], a[1])
            count = self.convert(b, self.common(b[1], b[1]))
            if type_ in ("i64", "u64"):
                count = call("widen_unsigned", count)
            name = "Shl" if sign == "<<" else "AShr" if type_ in ("i32", "i64") else "LShr"
            return build(name, self.convert(a, type_), count), type_
        type_ = self.common(a[1], b[1])
        x, y = self.convert(a, type_), self.convert(b, type_)
        if sign in FLOAT_COMPARE:
            if type_ == "f32":
                return build("FCmp", f"LLVMReal{FLOAT_COMPARE[sign]}", x, y), "bool"
            order = "" if sign in ("==", "!=") else "S" if type_ in ("i32", "i64") else "U"
            return build("ICmp", f"LLVMInt{order}{INT_COMPARE[sign]}", x, y), "bool"
        if sign == "/":
            if type_ == "f32":
                return build("FDiv", x, y), type_
            if type_ != "u32":
                raise Error(f"{self.where}: '/' of {type_}")
            return call("divide_u32", x, y), type_
        if sign in BITWISE:
            if type_ == "f32":
                raise Error(f"{self.where}: '{sign}' of floats")
            return build(BITWISE[sign], x, y), type_
        return build(("F" if type_ == "f32" else "") + ARITHMETIC[sign], x, y), type_

    def call(self, name, arguments, names):
        if name == "difference":
            return self.difference(arguments, names)
        values = [self.expression(a, names) for a in arguments]
        if name == "cf_bits":
            return call("bits_of", self.convert(values[0], "f32")), "u32"
        if name == "cf_float":
            return call("float_of", self.convert(values[0], "u32")), "f32"
        if name == "__builtin_sqrtf":
            return call("square_root", self.convert(values[0], "f32")), "f32"
        if name in ("cf_self", "cf_selu"):
            type_ = "f32" if name == "cf_self" else "u32"
            sides = [self.convert(value, type_) for value in values[1:]]
            return call("choose", self.convert(values[0], "bool"), *sides), type_
        function = self.functions.get(name)
        if not function:
            raise Error(f"{self.where}: unknown function '{name}'")
        result = self.function(function)
        if len(values) != len(function.parameters):
            raise Error(f"{self.where}: {name} takes {len(function.parameters)} arguments")
        codes = [self.convert(v, p[1]) for v, p in zip(values, function.parameters)]
        return f"ir_{name}({', '.join(['j'] + codes)})", result

    def difference(self, arguments, names):
        """difference(a, m, n), m and n expressions of l: two permutations inside every quad."""
        orders = ["(struct quad_order){ { %d, %d, %d, %d } }" % tuple(evaluate(argument, l) & 3 for l in range(4))
                  for argument in arguments[1:]]
        return call("difference", names[arguments[0][1]][0], *orders), "f32"

    # -- functions

    def function(self, function):
        if function.name in self.done:
            return self.done[function.name]
        outer, self.where = self.where, function.name
        if any(t is None for _, t in function.parameters) or function.result is None:
            raise Error(f"{function.name}: a type that is not understood")
        names = {n: (n, t) for n, t in function.parameters}
        lines, result = self.body(function, names)
        parameters = "".join(f", LLVMValueRef {n}" for n, _ in function.parameters)
        if function.name in ROUNDING:
            instruction = f'intrinsic(j, "{ROUNDING[function.name]}", x)'
            lines.insert(0, f"   if (j->rounding_instrs)\n      return {instruction};\n")
        head = f"static LLVMValueRef\nir_{function.name}(struct cf_jit_ir *j{parameters})\n"
        self.out.append(head + "{\n" + "".join(lines) + "}\n\n")
        self.done[function.name] = result
        self.where = outer
        return result

    def body(self, function, names):
        parser = Parser(tokenize(function.body, function.name), function.name)
        lines = []
        while True:
            if parser.peek() == "return":
                parser.next()
                value = self.expression(parser.expression(), names)
                parser.expect(";")
                if parser.at != len(parser.tokens):
                    raise Error(f"{function.name}: return must be the last statement")
                result = "bool" if value[1] == "bool" else function.result
                lines.append(f"   return {self.convert(value, result)};\n")
                return lines, result
            if parser.peek() in TYPES:
                self.declarations(parser, names, lines)
            else:
                self.assignment(parser, names, lines)

    def declarations(self, parser, names, lines):
        type_ = TYPES[parser.next()[1]]
        while True:
            name = parser.next()[1]
            parser.expect("=")
            value = self.expression(parser.expression(), names)
            kept = "bool" if value[1] == "bool" and type_ == "i32" else type_
            lines.append(f"   LLVMValueRef {name} = {self.convert(value, kept)};\n")
            names[name] = (name, kept)
            if parser.next()[1] == ";":
                return

    def assignment(self, parser, names, lines):
        name = parser.next()[1]
        if name not in names:
            raise Error(f"{self.where}: '{name}' begins no statement that is understood")
        sign = parser.next()[1]
        value = self.expression(parser.expression(), names)
        parser.expect(";")
        if sign != "=":
            value = self.binary(sign[:-1], names[name], value)
        lines.append(f"   {name} = {self.convert(value, names[name][1])};\n")

    def operation(self, cross, name, result, operands, meaning):
        self.where = name
        names = {}
        for operand, type_ in zip("abc", operands):
            names[operand] = (call("float_of", operand) if type_ == "f32" else operand, type_)
        parser = Parser(tokenize(meaning, name), name)
        tree = parser.expression()
        if parser.at != len(parser.tokens):
            raise Error(f"{name}: '{parser.peek()}' after the expression")
        code = self.convert(self.expression(tree, names), result)
        if result == "f32":
            code = call("bits_of", code)
        return f"   case CF_OP_{name}:\n      return {code};\n"


def evaluate(tree, l):
    """The value of an expression of l and integers."""
    if tree[0] == "number":
        return int(tree[1], 0)
    if tree == ("name", "l"):
        return l
    if tree[0] == "unary" and tree[1] == "~":
        return ~evaluate(tree[2], l)
    if tree[0] == "binary" and tree[1] in "&|":
        a, b = evaluate(tree[2], l), evaluate(tree[3], l)
        return a & b if tree[1] == "&" else a | b
    raise Error("difference(): a lane is an expression of l, integers, &, | and ~")


HEAD = """/* SPDX-License-Identifier: MIT */
/* Generated by gen_jit_alu.py from cf_isa_alu.inc, cf_fp.h and cf_special.h. */

"""
ALU_HEAD = """/* The result's bits of an ALU operation on the operands' bits. NULL: not an operation. */
static LLVMValueRef
ir_alu(struct cf_jit_ir *j, enum cf_op op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
   switch (op) {
"""
ALU_TAIL = """   default:
      return NULL;
   }
}
"""


def generate(alu, headers):
    translator = Translator(*read_functions(headers))
    cases = [translator.operation(*operation) for operation in read_operations(alu)]
    translator.where = "outf"
    translator.function(translator.functions["cf_canon"])
    return HEAD + "".join(translator.out) + ALU_HEAD + "".join(cases) + ALU_TAIL


def main():
    parser = argparse.ArgumentParser(description="Make IR builders of the ISA's arithmetic.")
    parser.add_argument("alu", metavar="cf_isa_alu.inc")
    parser.add_argument("headers", nargs="+", metavar="HEADER")
    parser.add_argument("--output", required=True, metavar="FILE")
    args = parser.parse_args()

    def read(path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    try:
        text = generate(read(args.alu), [read(path) for path in args.headers])
    except Error as error:
        sys.exit(f"gen_jit_alu.py: {error}")
    with open(args.output, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
