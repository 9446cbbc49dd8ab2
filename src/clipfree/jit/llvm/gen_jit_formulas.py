#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What the JIT computes, made from what the units compute.

Reads the operations' meanings (cf_isa_alu.inc, which gen_isa.py makes of isa.toml) and headers of C
functions (arith/, and the units' formulas), and writes C functions that build the same operations as
LLVM IR, one IR value for each C value: cf_jit_NAME(j, ...) for cf_NAME(...). So the engines share one
description down to the order of operations.

The C it understands is that of branch-free functions: declarations with initialisers, assignments,
return, expressions of + - * / & | ^ ~ << >>, comparisons, ?:, casts, calls, constant tables and
literals over float, double, int32_t, uint32_t, uint16_t, int64_t, uint64_t and int. Anything else is
an error that names the function.

Values are of two times. Lanes have most of them when the code runs: LLVMValueRef. Some are known when
it is made: literals, what is computed of known values, and parameters of the types bool, unsigned and
enum. Of these the functions that are written compute in C, so that what is known costs nothing: `if`,
`switch`, && and || are understood of known conditions alone, and of known ?: the other side is never
built. A function is called as it is where all its arguments are known.

A comparison has type bool (an i1 for each lane), which becomes 0 or 1 where arithmetic wants a
number. A uint16_t or uint8_t is kept in 32 bits, cut where it is converted to.
"""

import argparse
import re
import sys
from collections import namedtuple


class Error(Exception):
    pass


# ------------------------------------------------------------------ tokens and expressions

TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?\d+[fF]?|0[xX][0-9a-fA-F]+[uUlL]*"
    r"|\d+\.\d*(?:[eE][+-]?\d+)?[fF]?|\d+[uUlL]*)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign><<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|/=|&=|\|=|\^="
    r"|[-+*/&|^~<>=?:(),;!\[\]{}]))")

TYPES = {"float": "f32", "double": "f64", "int32_t": "i32", "int": "i32", "uint32_t": "u32", "uint16_t": "u16",
         "uint8_t": "u8", "int64_t": "i64", "uint64_t": "u64"}
KNOWN_TYPES = {"bool": "bool", "unsigned": "u32"}  # and enums
C_TYPES = {type_: name for name, type_ in {**TYPES, **KNOWN_TYPES}.items() if name not in ("int", "unsigned")}
LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", ">", "<=", ">="], ["<<", ">>"], ["+", "-"],
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
    ("unary", sign, e), ("binary", sign, a, b), ("select", c, a, b), ("element", table, [indices])."""

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
        if self.peek() in ("-", "~", "!"):
            sign = self.next()[1]
            return ("unary", sign, self.unary())
        if self.peek() == "(" and self.peek(1) in (*TYPES, *KNOWN_TYPES) and self.peek(2) == ")":
            self.next()
            word = self.next()[1]
            target = TYPES.get(word) or KNOWN_TYPES[word]
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
        if self.peek() == "[":
            return self.element(text)
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

    def element(self, table):
        indices = []
        while self.peek() == "[":
            self.next()
            indices.append(self.expression())
            self.expect("]")
        return ("element", table, indices)


# ------------------------------------------------------------------ sources

FUNCTION = re.compile(r"^(?:static inline|CF_INLINE) (\w+)\n(\w+)\(([^)]*)\)\n\{\n(.*?)^\}", re.M | re.S)
DEFINE = re.compile(r"^#define (\w+) ([^\\\n]+)$", re.M)
TABLE = re.compile(r"^(?:extern|static) const (\w+) (\w+)((?:\[[^\]]+\])+)", re.M)
OPERATION = re.compile(r"^CF_(ALU[123]|CROSS)\((.*)\)$", re.M)


class Function:
    """parameters: [(name, type, is it known)]; a type that is not understood is None."""

    def __init__(self, name, result, parameters, body):
        self.name, self.body = name, body
        self.result = "bool" if result == "bool" else TYPES.get(result)
        self.parameters = []
        for parameter in filter(None, (p.strip() for p in parameters.split(","))):
            words = parameter.split()
            known = words[0] in KNOWN_TYPES or words[0] == "enum"
            type_ = "u32" if words[0] == "enum" else KNOWN_TYPES.get(words[0], TYPES.get(" ".join(words[:-1])))
            self.parameters.append((words[-1], type_ if re.fullmatch(r"\w+", words[-1]) else None, known))

    def is_built(self):
        """Whether it can be: it has lanes' values, and nothing else that is not known."""
        return (self.result is not None and all(type_ for _, type_, _ in self.parameters)
                and not all(known for _, _, known in self.parameters))

    def head(self):
        parameters = "".join(f", {'unsigned' if known else 'LLVMValueRef'} {name}" for name, _, known in self.parameters)
        return f"LLVMValueRef\n{built_name(self.name)}(struct cf_jit_ir *j{parameters})"


class Sources:
    def __init__(self, texts):
        self.functions, self.constants, self.tables = {}, {"INT32_MAX": "2147483647", "UINT32_MAX": "4294967295u"}, {}
        for text in texts:
            for match in FUNCTION.finditer(text):
                parameters = "" if match[3] == "void" else match[3]
                self.functions[match[2]] = Function(match[2], match[1], parameters, match[4])
            for match in DEFINE.finditer(text):
                self.constants[match[1]] = match[2].strip()
            for match in TABLE.finditer(text):
                self.tables[match[2]] = (TYPES.get(match[1]), match[3].count("["))


def built_name(name):
    return "cf_jit_" + name.removeprefix("cf_")


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
FLOATS = ("f32", "f64")
# Functions that hosts have as instructions, with the same results: (where, how).
HOST_WAYS = {"cf_floor": ("j->rounding_instrs", 'intrinsic(j, "llvm.floor", x)'),
             "cf_ceil": ("j->rounding_instrs", 'intrinsic(j, "llvm.ceil", x)'),
             "cf_trunc": ("j->rounding_instrs", 'intrinsic(j, "llvm.trunc", x)'),
             "cf_round_even": ("j->rounding_instrs", 'intrinsic(j, "llvm.roundeven", x)'),
             "cf_fsat": ("true", "saturate_float(j, x)"),
             "cf_exact_product_plus": ("j->half_instrs", "fused(j, a, b, c)"),
             "cf_f32_to_f16": ("j->half_instrs", "float_to_half(j, x)"),
             "cf_f16_to_f32": ("j->half_instrs", "half_to_float(j, h)")}
RANK = {"bool": 0, "u8": 0, "u16": 0, "i32": 1, "u32": 2, "i64": 3, "u64": 4, "f32": 5, "f64": 6}
CONVERSIONS = {("f32", "i32"): "float_to_i32", ("f32", "u32"): "float_to_u32", ("i32", "f32"): "i32_to_float",
               ("u32", "f32"): "u32_to_float", ("f32", "f64"): "float_to_double", ("f64", "f32"): "double_to_float",
               ("f64", "i32"): "double_to_i32", ("f64", "i64"): "double_to_i64", ("i32", "f64"): "i32_to_double",
               ("u32", "f64"): "u32_to_double"}

# known: the code is an expression of C, else of an LLVMValueRef.
Value = namedtuple("Value", "code type known")


def call(name, *arguments):
    return f"{name}(j, {', '.join(arguments)})"


def build(name, *arguments):
    return f"LLVMBuild{name}(j->ir, {', '.join(arguments)}, \"\")"


def built(code, type_):
    return Value(code, type_, False)


def known(code, type_):
    return Value(code, type_, True)


def lift(value):
    """A known value in all lanes."""
    if not value.known:
        return value
    if value.type == "f32":
        return built(f"constant_f32(j, cf_bits({value.code}))", "f32")
    if value.type in ("bool", "f64", "i64", "u64"):
        return built(call(f"constant_{value.type.replace('u', 'i')}", value.code), value.type)
    return built(f"constant_i32(j, (uint32_t){value.code})", value.type)


class Translator:
    def __init__(self, sources):
        self.sources = sources
        self.begun = set()
        self.done = {}  # name -> type of the result
        self.out = []   # C functions, callees first
        self.where = ""

    def error(self, text):
        return Error(f"{self.where}: {text}")

    # -- conversions: value -> value of the type

    def convert(self, value, target):
        if value.type == target:
            return value
        if value.known:
            return known(f"(({C_TYPES[target]}){value.code})", target)
        return built(self.convert_built(value.code, value.type, target), target)

    def convert_built(self, code, source, target):
        if source == target:
            return code
        if source == "bool":
            return self.convert_built(call("bool_to_int", code), "i32", target)
        if target == "bool":
            if source in FLOATS:
                raise self.error("a float used as a condition")
            return build("ICmp", "LLVMIntNE", code, f"LLVMConstNull(LLVMTypeOf({code}))")
        if source in ("u8", "u16") and target in FLOATS:
            return self.convert_built(code, "i32", target)
        if target in ("u8", "u16"):
            mask = "0xff" if target == "u8" else "0xffff"
            return build("And", self.convert_built(code, source, "u32"), f"constant_i32(j, {mask})")
        if source in FLOATS or target in FLOATS:
            if (source, target) not in CONVERSIONS:
                raise self.error(f"no conversion from {source} to {target}")
            return call(CONVERSIONS[source, target], code)
        wide_source, wide_target = source in ("i64", "u64"), target in ("i64", "u64")
        if wide_source == wide_target:
            return code
        if wide_source:
            return call("low_half", code)
        return call("widen_signed" if source == "i32" else "widen_unsigned", code)

    def code_as(self, value, target):
        """The code of an LLVMValueRef of the type."""
        return lift(self.convert(value, target)).code

    # -- expressions

    def number(self, text):
        hexadecimal = text.lower().startswith("0x")
        if re.search(r"[pP.]", text) or (text[-1] in "fF" and not hexadecimal):
            return known(text, "f32" if text[-1] in "fF" else "f64")
        unsigned = "u" in text.lower().replace("0x", "") or int(text.rstrip("uUlL"), 0) > 0x7fffffff
        return known(text, "u32" if unsigned else "i32")

    def expression(self, tree, names):
        kind = tree[0]
        if kind == "number":
            return self.number(tree[1])
        if kind == "name":
            return self.name(tree[1], names)
        if kind == "cast":
            return self.convert(self.expression(tree[2], names), tree[1])
        if kind == "select":
            return self.select(tree[1], tree[2], tree[3], names)
        if kind == "unary":
            return self.unary(tree[1], self.expression(tree[2], names))
        if kind == "binary":
            left, right = self.expression(tree[2], names), self.expression(tree[3], names)
            return self.binary(tree[1], left, right)
        if kind == "element":
            return self.element(tree[1], [self.expression(index, names) for index in tree[2]])
        return self.call(tree[1], tree[2], names)

    def name(self, name, names):
        if name in names:
            return names[name]
        if name in self.sources.constants:
            tokens = tokenize(self.sources.constants[name], name)
            return self.expression(Parser(tokens, self.where).expression(), names)
        if re.fullmatch(r"CF_[A-Z0-9_]+", name):
            return known(name, "i32")  # of an enum: the compiler of what is written knows it
        raise self.error(f"unknown name '{name}'")

    def element(self, table, indices):
        if table not in self.sources.tables:
            raise self.error(f"unknown table '{table}'")
        type_, dimensions = self.sources.tables[table]
        if type_ is None or len(indices) != dimensions:
            raise self.error(f"an element of '{table}' that is not understood")
        if all(index.known for index in indices):
            return known(table + "".join(f"[{index.code}]" for index in indices), type_)
        if dimensions != 1 or type_ not in ("f32", "u32"):
            raise self.error(f"lanes' elements of '{table}', which has no row of floats or uint32_t")
        size = f"sizeof({table}) / sizeof({table}[0])"
        return built(f'look_up_{type_.replace("u", "i")}(j, "{table}", {table}, {size}, {self.code_as(indices[0], "u32")})',
                     type_)

    def unary(self, sign, operand):
        if sign == "!":
            if not operand.known:
                raise self.error("'!' of what is not known")
            return known(f"!{operand.code}", "bool")
        type_ = operand.type if RANK[operand.type] else "i32"
        if operand.known:
            return known(f"({sign}{operand.code})", type_)
        code = self.code_as(operand, type_)
        if sign == "~":
            return built(build("Not", code), type_)
        return built(build("FNeg" if type_ in FLOATS else "Neg", code), type_)

    def select(self, condition, yes, no, names):
        condition = self.convert(self.expression(condition, names), "bool")
        yes, no = self.expression(yes, names), self.expression(no, names)
        type_ = yes.type if yes.type == no.type else self.common(yes.type, no.type)
        if condition.known and yes.known and no.known:
            return known(f"({condition.code} ? {yes.code} : {no.code})", type_)
        yes, no = self.code_as(yes, type_), self.code_as(no, type_)
        if condition.known:
            return built(f"({condition.code} ? {yes} : {no})", type_)
        return built(call("choose", condition.code, yes, no), type_)

    def common(self, a, b):
        best = max(a, b, key=RANK.get)
        return "i32" if RANK[best] == 0 else best

    def binary(self, sign, a, b):
        compare = sign in FLOAT_COMPARE
        if a.known and b.known:
            type_ = self.common(a.type, a.type if sign in ("<<", ">>") else b.type)
            return known(f"({a.code} {sign} {b.code})", "bool" if compare or sign in ("&&", "||") else type_)
        if sign in ("&&", "||"):
            raise self.error(f"'{sign}' of what is not known")
        if sign in BITWISE and a.type == b.type == "bool":
            return built(build(BITWISE[sign], lift(a).code, lift(b).code), "bool")
        if sign in ("<<", ">>"):
            return self.shift(sign, a, b)
        type_ = self.common(a.type, b.type)
        x, y = self.code_as(a, type_), self.code_as(b, type_)
        if compare:
            if type_ in FLOATS:
                return built(f"compare_f(j, LLVMReal{FLOAT_COMPARE[sign]}, {x}, {y})", "bool")
            order = "" if sign in ("==", "!=") else "S" if type_ in ("i32", "i64") else "U"
            return built(build("ICmp", f"LLVMInt{order}{INT_COMPARE[sign]}", x, y), "bool")
        if sign == "/":
            if type_ in FLOATS:
                return built(build("FDiv", x, y), type_)
            if type_ != "u32":
                raise self.error(f"'/' of {type_}")
            return built(call("divide_by_known" if b.known else "divide_u32", x, y), type_)
        if sign in BITWISE:
            if type_ in FLOATS:
                raise self.error(f"'{sign}' of floats")
            return built(build(BITWISE[sign], x, y), type_)
        return built(build(("F" if type_ in FLOATS else "") + ARITHMETIC[sign], x, y), type_)

    def shift(self, sign, a, b):
        type_ = self.common(a.type, a.type)
        count = self.code_as(b, self.common(b.type, b.type))
        if type_ in ("i64", "u64"):
            count = call("widen_unsigned", count)
        name = "Shl" if sign == "<<" else "AShr" if type_ in ("i32", "i64") else "LShr"
        return built(build(name, self.code_as(a, type_), count), type_)

    BUILT_IN = {"cf_bits": ("bits_of", ["f32"], "u32"), "cf_float": ("float_of", ["u32"], "f32"),
                "__builtin_sqrtf": ("square_root", ["f32"], "f32"), "cf_self": ("choose", ["bool", "f32", "f32"], "f32"),
                "cf_selu": ("choose", ["bool", "u32", "u32"], "u32")}

    def call(self, name, arguments, names):
        if name == "difference":
            return self.difference(arguments, names)
        values = [self.expression(a, names) for a in arguments]
        function = self.sources.functions.get(name)
        if not function and name not in self.BUILT_IN:
            raise self.error(f"unknown function '{name}'")
        if all(value.known for value in values):
            result = function.result if function else self.BUILT_IN[name][2]
            return known(f"{name}({', '.join(value.code for value in values)})", result or "u32")
        if name in self.BUILT_IN:
            builder, types, result = self.BUILT_IN[name]
            if types[0] == "bool" and values[0].known:
                raise self.error(f"{name} of a known condition: use ?:")
            return built(call(builder, *(self.code_as(v, t) for v, t in zip(values, types))), result)
        if len(values) != len(function.parameters):
            raise self.error(f"{name} takes {len(function.parameters)} arguments")
        result = self.function(function)
        codes = ["j"]
        for value, (parameter, type_, is_known) in zip(values, function.parameters):
            if is_known and not value.known:
                raise self.error(f"{parameter} of {name} is not known")
            codes.append(value.code if is_known else self.code_as(value, type_))
        return built(f"{built_name(name)}({', '.join(codes)})", result)

    def difference(self, arguments, names):
        """difference(a, m, n), m and n expressions of l: two permutations inside every quad."""
        orders = ["(struct quad_order){ { %d, %d, %d, %d } }" % tuple(evaluate(argument, l) & 3 for l in range(4))
                  for argument in arguments[1:]]
        return built(call("difference", names[arguments[0][1]].code, *orders), "f32")

    # -- functions

    def function(self, function):
        if function.name in self.done:
            return self.done[function.name]
        outer, self.where = self.where, function.name
        if not function.is_built():
            raise self.error("a type that is not understood")
        if function.name in self.begun:
            raise self.error("it calls itself")
        self.begun.add(function.name)
        body = Body(self, function)
        lines = body.translate()
        if function.name in HOST_WAYS:
            where, how = HOST_WAYS[function.name]
            lines = [f"   return {how};\n"] if where == "true" else [f"   if ({where})\n      return {how};\n"] + lines
        self.out.append(function.head() + "\n{\n" + "".join(lines) + "}\n\n")
        self.done[function.name] = body.result
        self.where = outer
        return body.result

    def operation(self, cross, name, result, operands, meaning):
        self.where = name
        names = {}
        for operand, type_ in zip("abc", operands):
            names[operand] = built(call("float_of", operand) if type_ == "f32" else operand, type_)
        parser = Parser(tokenize(meaning, name), name)
        tree = parser.expression()
        if parser.at != len(parser.tokens):
            raise self.error(f"'{parser.peek()}' after the expression")
        code = self.code_as(self.expression(tree, names), result)
        if result == "f32":
            code = call("bits_of", code)
        return f"   case CF_OP_{name}:\n      return {code};\n"


class Body:
    """The statements of a function."""

    def __init__(self, translator, function):
        self.translator, self.function = translator, function
        self.parser = Parser(tokenize(function.body, function.name), function.name)
        self.names = {name: Value(name, type_, is_known) for name, type_, is_known in function.parameters}
        self.results = []  # types
        self.result = function.result

    def error(self, text):
        return Error(f"{self.function.name}: {text}")

    def expression(self):
        return self.translator.expression(self.parser.expression(), self.names)

    def translate(self):
        """Comparisons that an int or a bool function returns stay booleans, so the type of the result is found first."""
        lines = self.statements("")
        if self.function.result == "i32" and set(self.results) == {"bool"}:
            self.result = "bool"
            self.parser.at, self.names = 0, {n: Value(n, t, k) for n, t, k in self.function.parameters}
            lines = self.statements("")
        return lines

    def statements(self, end):
        """Up to the end of the function, or of a block."""
        lines, returned = [], False
        while self.parser.peek() not in (end, "case", "default"):
            if returned:
                raise self.error("return must be the last statement")
            returned = self.parser.peek() == "return"
            lines += self.statement()
        return lines

    def statement(self):
        parser = self.parser
        if parser.peek() == "return":
            parser.next()
            value = self.expression()
            parser.expect(";")
            self.results.append(value.type)
            return [f"   return {self.translator.code_as(value, self.result)};\n"]
        if parser.peek() == "break":
            parser.next()
            parser.expect(";")
            return ["   break;\n"]
        if parser.peek() == "if":
            return self.condition()
        if parser.peek() == "switch":
            return self.cases()
        if parser.peek() in ("const", "enum", *TYPES, *KNOWN_TYPES):
            return self.declarations()
        return self.assignment()

    def block(self):
        if self.parser.peek() != "{":
            return self.statement()
        self.parser.next()
        lines = self.statements("}")
        self.parser.expect("}")
        return lines

    def known_expression(self):
        self.parser.expect("(")
        value = self.expression()
        self.parser.expect(")")
        if not value.known:
            raise self.error("'if' and 'switch' are for what is known: lanes have ?:")
        return value.code

    def condition(self):
        self.parser.next()
        lines = [f"   if ({self.known_expression()}) {{\n", *self.block(), "   }"]
        if self.parser.peek() != "else":
            return lines + ["\n"]
        self.parser.next()
        return lines + [" else {\n", *self.block(), "   }\n"]

    def cases(self):
        self.parser.next()
        lines = [f"   switch ({self.known_expression()}) {{\n"]
        self.parser.expect("{")
        while self.parser.peek() != "}":
            label = self.parser.next()[1]
            if label not in ("case", "default"):
                raise self.error(f"'{label}' begins no case")
            lines.append(f"   case {self.expression().code}:\n" if label == "case" else "   default:\n")
            self.parser.expect(":")
            lines += self.statements("}")
        self.parser.next()
        return lines + ["   }\n"]

    def declarations(self):
        parser, lines = self.parser, []
        constant = parser.peek() == "const"
        if constant:
            parser.next()
        word = parser.next()[1]
        if word == "enum":
            parser.next()
        type_ = KNOWN_TYPES.get(word, TYPES.get(word, "u32" if word == "enum" else None))
        must_be_known = word == "enum" or word == "unsigned"
        while True:
            name = parser.next()[1]
            parser.expect("=")
            value = self.expression()
            kept = "bool" if value.type == "bool" and type_ == "i32" else type_
            if must_be_known and not value.known:
                raise self.error(f"'{name}' is not known")
            if value.known and (constant or must_be_known):
                lines.append(f"   const {C_TYPES[kept]} {name} = {self.translator.convert(value, kept).code};\n")
                self.names[name] = known(name, kept)
            else:
                lines.append(f"   LLVMValueRef {name} = {self.translator.code_as(value, kept)};\n")
                self.names[name] = built(name, kept)
            if parser.next()[1] == ";":
                return lines

    def assignment(self):
        name = self.parser.next()[1]
        if name not in self.names:
            raise self.error(f"'{name}' begins no statement that is understood")
        if self.names[name].known:
            raise self.error(f"'{name}' is known, and assigned to")
        sign = self.parser.next()[1]
        value = self.expression()
        self.parser.expect(";")
        if sign != "=":
            value = self.translator.binary(sign[:-1], self.names[name], value)
        return [f"   {name} = {self.translator.code_as(value, self.names[name].type)};\n"]


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
/* Generated by gen_jit_formulas.py; do not edit. */
"""
DECLARATIONS_HEAD = """#include <llvm-c/Types.h>

struct cf_jit_ir;
"""
ALU_HEAD = """LLVMValueRef
cf_jit_alu(struct cf_jit_ir *j, enum cf_op op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
   switch (op) {
"""
ALU_TAIL = """   default:
      return NULL;
   }
}
"""


def generate(alu, headers):
    """What builds operations and functions, and the declarations of these functions."""
    sources = Sources(headers)
    translator = Translator(sources)
    cases = [translator.operation(*operation) for operation in read_operations(alu)]
    for function in sources.functions.values():
        if function.is_built() and function.name not in Translator.BUILT_IN:
            translator.function(function)
    declarations = [sources.functions[name].head().replace("\n", " ", 1) + ";\n" for name in translator.done]
    return HEAD + "\n" + "".join(translator.out) + ALU_HEAD + "".join(cases) + ALU_TAIL, HEAD + DECLARATIONS_HEAD + "".join(declarations)


def main():
    parser = argparse.ArgumentParser(description="Make IR builders of the ISA's arithmetic and the units' formulas.")
    parser.add_argument("alu", metavar="cf_isa_alu.inc")
    parser.add_argument("headers", nargs="+", metavar="HEADER")
    parser.add_argument("--output", required=True, metavar="FILE")
    parser.add_argument("--declarations", required=True, metavar="FILE")
    args = parser.parse_args()

    def read(path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    try:
        texts = generate(read(args.alu), [read(path) for path in args.headers])
    except Error as error:
        sys.exit(f"gen_jit_formulas.py: {error}")
    for name, text in zip((args.output, args.declarations), texts):
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
