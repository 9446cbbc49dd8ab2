# SPDX-License-Identifier: MIT
"""Texts of shaders that would take all memory, all of the stack, or hours, of suite `trust`: short ones, since the
longest has a megabyte. Each is refused with a message, or drawn, with few addresses and in a few seconds; and so are
those that come near the limits (glsl_bounds.h, of Mesa's patch of bounds) without passing them."""
import re
import resource
from dataclasses import dataclass

from harness.suite import PREBUILT, driver_env, run

PROGRAM = PREBUILT / 'trust_texts'
ADDRESSES_MB = 3000
LIMIT_S = 30
DRAWN = 'drawn'
HEAD = '#version 120\nvarying vec4 v;\n'
VERTEX = 'attribute vec4 position, colour; varying vec4 v;\nvoid main() { gl_Position = position; v = colour; }\n'
HEAD_OF_INTEGERS = '#version 130\nflat in vec4 v;\n'
VERTEX_OF_INTEGERS = ('#version 130\nin vec4 position, colour; flat out vec4 v;\n'
                      'void main() { gl_Position = position; v = colour; }\n')
HEAD_OF_330 = '#version 330\nin vec4 v;\n'
INCLUDES = '#extension GL_ARB_shading_language_include : enable\n'
TYPE_COMPONENTS, COMPONENTS, DEPTH, TOKENS, INSTRUCTIONS = 1 << 20, 1 << 18, 4096, 1 << 20, 1 << 19   # glsl_bounds.h
TOO_LARGE = f'type has more than {TYPE_COMPONENTS} components'
TOO_DEEP = f'expression is nested more than {DEPTH} deep'
TOO_MANY_TOKENS = f'macros make more than {TOKENS} tokens'
TOO_MANY_INSTRUCTIONS = f'fragment shader has more than {INSTRUCTIONS} instructions'


@dataclass
class Text:
   """A fragment shader; `found`: DRAWN, or what its refusal says."""
   fragment: str
   found: str
   vertex: str = VERTEX
   included: tuple = ()            # (name, text)


def main_of(body, before='', head=HEAD):
   return f'{head}{before}void main() {{ {body} }}\n'


def doubled(first, again, count):
   """A definition, and `count` others that each have the one before twice: again(i) gives the i-th, from 1 on."""
   return first + ''.join(map(again, range(1, count + 1)))


def function(i):
   return f'float f{i}(float x) {{ return f{i - 1}(x) + f{i - 1}(x * 1.5); }}\n'


def structures(count):
   return doubled('struct S0 { float a; };\n', lambda i: f'struct S{i} {{ S{i - 1} a, b; }};\n', count)


def macros(count):
   return doubled('#define M0 x;\n', lambda i: f'#define M{i} M{i - 1} M{i - 1}\n', count)


def large(what):
   return f'{what} has more than {COMPONENTS} components'


def array(declaration, size):
   return main_of('gl_FragColor = vec4(a[int(v.x)]) + vec4(a[3]);', f'{declaration} a[{size}];\n')


LARGE = f'struct S {{ float a[{COMPONENTS}]; float b; }};\n'
ONE = 'float f0(float x) { return x * x + v.y; }\n'
BLOCK = ('#version 150\nin vec4 v; out vec4 colour;\nuniform B { float a[200000]; vec4 b[20000]; } b;\n'
         'void main() { colour = vec4(b.a[int(v.x)]); }\n')
# Each is the only load of its varying, whose uses double from line to line: Mesa looks for loads to move them.
SQUARES = 'a = a * a + v.y; ' * 40
LEAST = 'int least = -2147483647 - 1;'
TEXTS = {
   'an array': Text(array('float', 2**31 - 1), TOO_LARGE),
   'an array of matrices': Text(array('mat4', 2**28), 'components'),
   'an array of uniforms': Text(array('uniform float', 2**31 - 1), TOO_LARGE),
   'an array of varyings': Text(array('varying float', 2**31 - 1), TOO_LARGE),
   'an array that grows': Text(main_of('float a[]; a[2147483646] = v.x; gl_FragColor = vec4(a[7]);'),
                               f'array index must be < {COMPONENTS}'),
   'arrays of structures': Text(main_of('gl_FragColor = vec4(s[3].a[int(v.x)]);',
                                        'struct S { float a[65536]; }; S s[65536];\n'), TOO_LARGE),
   'structures of two': Text(main_of('S60 s, t = s; gl_FragColor = vec4(t' + '.a' * 61 + ');', structures(60)),
                             TOO_LARGE),
   'uniforms of two': Text(main_of('gl_FragColor = vec4(s' + '.a' * 31 + ');', structures(30) + 'uniform S30 s;\n'),
                           TOO_LARGE),
   'a block': Text(BLOCK, large('block'), VERTEX_OF_INTEGERS.replace('130', '150').replace('flat ', '')),
   'many arrays': Text(main_of('gl_FragColor = v;', ''.join(f'uniform float a{i}[{COMPONENTS}];\n'
                                                            for i in range(300))),
                       f'variables have more than {1 << 20} components'),
   'a structure of no variable': Text(main_of('gl_FragColor = v;', LARGE), DRAWN),
   'a variable': Text(main_of('S s; gl_FragColor = vec4(s.b);', LARGE), large('variable')),
   'a parameter': Text(main_of('gl_FragColor = v;', LARGE + 'float f(S s) { return s.b; }\n'), large('parameter')),
   'a result': Text(main_of('gl_FragColor = v;', LARGE + 'S f();\n'), large('result')),
   'an array within the limit': Text(main_of(f'float a[{COMPONENTS}]; a[9] = v.x; gl_FragColor = vec4(a[9]);'), DRAWN),
   'a sum': Text(main_of('float a = v.x; gl_FragColor = vec4(' + ' + '.join(['a'] * 100_000) + ');'), TOO_DEEP),
   'a product': Text(main_of('float a = v.x; gl_FragColor = vec4(' + ' * '.join(['a'] * 100_000) + ');'), TOO_DEEP),
   'a sum within the limit': Text(main_of('gl_FragColor = vec4(' + ' + '.join(['v.x'] * (DEPTH - 100)) + ');'), DRAWN),
   'parentheses': Text(main_of('gl_FragColor = vec4(' + '(' * 100_000 + 'v.x' + ')' * 100_000 + ');'), 'memory'),
   'a comparison': Text(main_of('float a[5000], b[5000]; a[3] = v.x; gl_FragColor = vec4(a == b ? 1.0 : 0.5);'),
                        f'comparison of more than {DEPTH} components'),
   'macros of two': Text(main_of('float a; M60', '#define x a = v.x\n' + macros(60)), TOO_MANY_TOKENS),
   'arguments of two': Text(main_of('float a = v.x; ' + 'D(' * 40 + 'a += 1.0;' + ')' * 40, '#define D(x) x x\n'),
                            TOO_MANY_TOKENS),
   'macros within the limit': Text(main_of('float a; M12 gl_FragColor = vec4(a);', '#define x a = v.x\n' + macros(12)),
                                   DRAWN),
   'a text that includes itself': Text(f'#version 120\n{INCLUDES}#include </a>\n', 'are included',
                                       included=(('/a', '#include </a>\n'),)),
   'texts that include two': Text(f'#version 120\n{INCLUDES}#include </20>\n', 'are included', included=tuple(
      (f'/{i}', f'#include </{i - 1}>\n#include </{i - 1}>\n' if i else '\n') for i in range(21))),
   'functions of two calls': Text(main_of('gl_FragColor = vec4(f60(v.x));', doubled(ONE, function, 60)),
                                  TOO_MANY_INSTRUCTIONS),
   'functions that nothing calls': Text(main_of('gl_FragColor = v;', doubled(ONE, function, 60)), DRAWN),
   'functions in one another': Text(main_of('gl_FragColor = vec4(f3000(v.x));', doubled(
      ONE, lambda i: f'float f{i}(float x) {{ return f{i - 1}(x) + 1.0; }}\n', 3000)), TOO_MANY_INSTRUCTIONS),
   'functions within the limit': Text(main_of('gl_FragColor = vec4(f9(v.x));', doubled(ONE, function, 9)), DRAWN),
   'copies of arrays': Text(main_of('float a[200000], b[200000]; a[int(v.x)] = v.y; ' + 'b = a; a = b; ' * 50 +
                                    'gl_FragColor = vec4(a[7]);'), TOO_MANY_INSTRUCTIONS),
   'statements': Text(main_of('float a = v.x; ' + 'a = a * 1.01 + v.y; ' * 100_000 + 'gl_FragColor = vec4(a);'),
                      TOO_MANY_INSTRUCTIONS),
   'doubles, which there are not': Text(main_of('double d = double(v.x); gl_FragColor = vec4(float(d * d));',
                                                head=HEAD_OF_INTEGERS), 'reserved word'),
   'uses that double': Text(main_of(f'float a = v.x; {SQUARES} gl_FragColor = vec4(a);', head=HEAD_OF_INTEGERS), DRAWN,
                            VERTEX_OF_INTEGERS),
   'an exit whose uses double': Text(main_of('gl_FragColor = v; for (int i = 0; ; i++) { int a = i; ' +
                                             'a = a * a + 1; ' * 40 + 'if (a > 7) break; gl_FragColor *= 1.5; }',
                                             head=HEAD_OF_INTEGERS), DRAWN, VERTEX_OF_INTEGERS),
   'the most iterations': Text(main_of('float a = 1.0; if (v.x > 7.0) for (int i = 0; i <= 2147483647; i++) '
                                       'a = a * 1.5 + v.y; gl_FragColor = vec4(a);', head=HEAD_OF_INTEGERS), DRAWN,
                               VERTEX_OF_INTEGERS),
   'what no loop leaves': Text(main_of('float a = v.x; if (v.x > 3.0) while (true) { while (true) { if (v.y > 3.0) { '
                                       'while (true) a += a; } else { continue; } break; break; } '
                                       'while (true) a += a; break; } gl_FragColor = vec4(a);'), DRAWN),
   'a call of what is no name': Text(main_of('gl_FragColor = vec4(true[2](v.x));', head=HEAD_OF_330),
                                     'function name is not an identifier', VERTEX_OF_INTEGERS.replace('flat ', '')),
   'a call of an array of arrays': Text(main_of('gl_FragColor = vec4(f[0][1](v.x));', head=HEAD_OF_330),
                                        "Unknown subroutine `f'", VERTEX_OF_INTEGERS.replace('flat ', '')),
   'a long table': Text(main_of('const float t[5000] = float[](' + ', '.join(f'{i}.5' for i in range(5000)) +
                                '); gl_FragColor = vec4(t[int(v.x)]);'), DRAWN),
   'the least integer by -1': Text(main_of(f'{LEAST} gl_FragColor = vec4(least / -1, least % -1, 0, 0);',
                                           head=HEAD_OF_INTEGERS), DRAWN, VERTEX_OF_INTEGERS),
   'the least constant by -1': Text(main_of(f'const {LEAST} const int a = least / -1, b = least % -1;'
                                            'gl_FragColor = vec4(a, b, 0, 0);', head=HEAD_OF_INTEGERS), DRAWN,
                                    VERTEX_OF_INTEGERS),
   'the least integer by what is -1': Text(main_of(f'{LEAST} int d = -int(v.w); '
                                                   'gl_FragColor = vec4(least / d, least % d, 0, 0);',
                                                   head=HEAD_OF_INTEGERS), DRAWN, VERTEX_OF_INTEGERS),
}
# Of ARB_fragment_program: {case: (text, what its refusal says)}.
PROGRAMS = {
   'constants': ('!!ARBfp1.0\nTEMP a; MOV a, fragment.color;\n' +
                 ''.join(f'ADD a, a, {{{i}, {i}, 1, 1}};\n' for i in range(20_000)) + 'MOV result.color, a; END\n',
                 'too many parameters'),
   'within the limit': ('!!ARBfp1.0\nTEMP a; MOV a, fragment.color;\n' +
                        ''.join(f'ADD a, a, {{{i}, {i}, 1, 1}};\n' for i in range(500)) +
                        'MOV result.color, a; END\n', DRAWN),
}


def limit_addresses():
   resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES_MB << 20, ADDRESSES_MB << 20))


def check(suite, case, files, found, *command):
   outcome = run([PROGRAM, *command, *files], driver_env(MESA_SHADER_CACHE_DISABLE='true'), timeout_s=LIMIT_S,
                 prepare=limit_addresses)
   line = (outcome.output.splitlines() or [''])[0]
   said = line == DRAWN if found == DRAWN else line.startswith('refused: ') and re.search(re.escape(found), line)
   suite.check(f'text, {case}', outcome.ok and said and outcome.output.endswith('healthy\n'),
               line[:160] if outcome.ok else outcome.why())


def write(path, text):
   path.write_text(text)
   return path


def check_texts(suite, folder):
   for case, text in TEXTS.items():
      files = [write(folder / 'vertex', text.vertex), write(folder / 'fragment', text.fragment)]
      for number, (name, included) in enumerate(text.included):
         files += [name, write(folder / f'included-{number}', included)]
      check(suite, case, files, text.found, 'glsl')
   for case, (text, found) in PROGRAMS.items():
      check(suite, f'ARB, {case}', [write(folder / 'program', text)], found, 'arb')


CHECKS = {'texts': check_texts}
