# SPDX-License-Identifier: MIT
"""`#pragma clipfree print` and `assert` of suite `tools` (docs/print.md), in programs of GLSL ES 1.00 and 1.20 that
print_shaders draws: what is printed is what the shader computed, of each vertex and pixel once, in order, for any number of
threads; the picture is the same with and without; without CLIPFREE_PRINT the program is; a capture prints the same;
assertions that fail are counted; what is wrong in a pragma is an error of its line."""
import re
import shutil
import signal
from pathlib import Path

from harness.scenes import glmark2_scenes, slug
from harness.suite import BUILD, PREBUILT, driver_env, run

PLAIN = '''attribute vec2 position;
varying vec2 way;
void main()
{
   way = position;
   gl_Position = vec4(position, 0.0, 1.0);
}
'''
ELEMENTS = 'draw 0 (glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT))'
ARRAYS = 'draw 1 (glDrawArrays(GL_TRIANGLES, 1, 3))'
HEAD = 'precision highp float;\nvarying vec2 way;\nuniform float fraction;\n'   # three lines; fraction is 0.5
WHITE = HEAD + 'void main() { gl_FragColor = vec4(1.0); }\n'
SIZE_PX = 8


def draw(folder, fragment, vertex=PLAIN, *arguments, **environment):
   """The outcome of print_shaders, and the lines that it printed on stdout."""
   (folder / 'a.vert').write_text(vertex)
   (folder / 'a.frag').write_text(fragment)
   outcome = run([PREBUILT / 'print_shaders', folder / 'a.vert', folder / 'a.frag', *arguments], driver_env(**environment))
   return outcome, [line for line in outcome.output.splitlines() if line.startswith('draw ')]


def picture(outcome):
   return re.findall(r'^picture (\w+)$', outcome.output, re.M)


TYPES = HEAD + '''struct S { vec3 place; };
float twice(float x)
{
#pragma clipfree print(x)
   return 2.0 * x;
}
#define LOUD(x) (x) * 3.0
void main()
{
   S s = S(vec3(1.0, fraction, 0.1));
   mat2 m = mat2(1.0, 2.0, 3.0, fraction);
   ivec3 i = ivec3(gl_FragCoord.xy, -7);
   bool left = gl_FragCoord.x < 4.0;
#pragma clipfree print(s.place, m, i, left, bvec2(left, !left))
#pragma clipfree print("%d of %+.2f|%5s|%-6.1f|%%|", i.x, m[1], left, fraction);
#pragma  clipfree  print ( LOUD(fraction) ) // with a comment
   float sum = 0.0;
   for (int k = 0; k < 3; k++)
#pragma clipfree print("k = %d, < and %s", k, sum)
      sum += twice(float(k));
   if (left)
#pragma clipfree print("left")
      sum += 1.0;
   else
#pragma clipfree print("right")
      sum += 2.0;
   gl_FragColor = vec4(way, sum, 1.0);
#pragma clipfree print(gl_FragColor.b / 0.0, 0.0 / (sum - sum))
}
'''


def expected_types(x, y):
   """(a part of the pragma's line, what it prints)"""
   left, right = ('true', 'false') if x < 4 else ('false', 'true')
   loop = [(pragma, text) for k, total in enumerate((0, 0, 2))
           for pragma, text in (('k = %d', f'k = {k}, < and {total}'), ('print(x)', f'x = {k}'))]
   return [('print(s.place', f's.place = (1, 0.5, 0.1), m = ((1, 2), (3, 0.5)), i = ({x}, {y}, -7), left = {left}, '
                             f'bvec2(left, !left) = ({left}, {right})'),
           ('print("%d of', f'{x} of (+3.00, +0.50)|{left:>5}|0.5   |%|'), ('LOUD(fraction)', 'LOUD(fraction) = 1.5'), *loop,
           ('"left"', 'left') if x < 4 else ('"right"', 'right'),
           ('/ 0.0', 'gl_FragColor.b / 0.0 = inf, 0.0 / (sum - sum) = nan')]


def expected_lines(source, x, y):
   lines = source.splitlines()
   return [f'{ELEMENTS}, pixel {x},{y}, GLSL1.frag:{next(n for n, line in enumerate(lines, 1) if pragma in line)}: {text}'
           for pragma, text in expected_types(x, y)]


def modern(source, version):
   """A shader of GLSL ES 1.00 as one of a version that has `in` and `out`."""
   inputs = source.replace('attribute ', 'in ')
   inputs = inputs.replace('varying ', 'out ' if 'attribute ' in source else 'in ')
   if version.endswith('es'):
      inputs = inputs.replace('void main', 'out vec4 colour;\nvoid main').replace('gl_FragColor', 'colour')
   else:
      inputs = inputs.replace('precision highp float;', '')
   return f'#version {version}\n' + inputs


def check_values(suite, folder):
   desktop = '#version 120\n' + TYPES.replace('precision highp float;', '')
   modern_plain = '#version 300 es\n' + PLAIN.replace('attribute ', 'in ').replace('varying ', 'out ')
   newer = ((f'GLSL {version}', modern(TYPES, version), modern(PLAIN, version), ['desktop'], 2, 3)
            for version in ('130', '150'))
   for name, source, vertex, arguments, x, y in (('left', TYPES, PLAIN, [], 2, 3), ('right', TYPES, PLAIN, [], 7, 0),
                                                 ('GLSL 1.20', desktop, '#version 120\n' + PLAIN, ['desktop'], 2, 3),
                                                 *newer,
                                                 ('GLSL ES 3.00', modern(TYPES, '300 es'), modern_plain, ['es3'],
                                                  2, 3)):
      outcome, lines = draw(folder, source, vertex, *arguments, CLIPFREE_PRINT=f'pixel={x},{y},draw=0')
      lines = [line.replace('colour.', 'gl_FragColor.') for line in lines]
      heard = [line[len('heard: '):].replace('colour.', 'gl_FragColor.') for line in outcome.output.splitlines()
               if line.startswith('heard: draw')]
      expected = expected_lines(source.replace('colour.', 'gl_FragColor.'), x, y)
      suite.check(f'print values, {name}', outcome.ok and lines == heard == expected, f'{lines}; {outcome.why()}')


# The derivative needs helper pixels.
PIXELS = '#extension GL_OES_standard_derivatives : enable\n' + HEAD + '''void main()
{
   gl_FragColor = vec4(way, dFdx(way.x), 1.0);
   if (gl_FragCoord.x > 6.0)
      discard;
#pragma clipfree print(gl_FragCoord.xy)
}
'''
CORNERS = '''attribute vec2 position;
varying vec2 way;
void main()
{
   way = position;
   gl_Position = vec4(position, 0.0, 1.0);
#pragma clipfree print(position)
}
'''


def expected_pixels(draw_name, triangles):
   """Pixels of the two triangles, or the second alone, by rows; the diagonal is of the one or the other."""
   pixels = [(x, y) for y in range(SIZE_PX) for x in range(SIZE_PX)]
   for diagonal in (0, 1):
      first = [(x, y) for x, y in pixels if x + y < SIZE_PX - 1 + (diagonal == 0)]
      yield [f'{draw_name}, pixel {x},{y}, GLSL1.frag:10: gl_FragCoord.xy = ({x + 0.5:g}, {y + 0.5:g})'
             for x, y in (first if triangles == 2 else []) + [pixel for pixel in pixels if pixel not in first] if x < 6]


def check_order(suite, folder):
   corners = [(-1, -1), (1, -1), (-1, 1), (1, 1)]
   vertices = [f'{ELEMENTS}, vertex {i}, GLSL1.vert:7: position = {corner}' for i, corner in enumerate(corners)]
   # client arrays begin at the draw's first vertex
   others = [f'{ARRAYS}, vertex {i}, GLSL1.vert:7: position = {corner}' for i, corner in enumerate(corners[1:])]
   allowed = [vertices + one + others + two for one, two in zip(expected_pixels(ELEMENTS, 2), expected_pixels(ARRAYS, 1))]
   for threads in '0', '1', '4':
      outcome, lines = draw(folder, PIXELS, CORNERS, CLIPFREE_PRINT='limit=1000', CLIPFREE_THREADS=threads)
      suite.check(f'print order, {threads} threads', outcome.ok and lines in allowed, f'{lines}; {outcome.why()}')


def check_filters(suite, folder):
   def number(filters):
      outcome, lines = draw(folder, PIXELS, CORNERS, CLIPFREE_PRINT=filters)
      return outcome.ok and [len([line for line in lines if where in line])
                             for where in ('draw 0', 'draw 1', '.vert', '.frag', 'more (limit=')]
   expected = {'all': [25, 24, 7, 42, 2], 'draw=1': [0, 24, 3, 21, 1], 'pixel=1,1': [1, 0, 0, 1, 0], 'vertex=2': [1, 1, 2, 0, 0],
               'pixel=5,5,vertex=0': [2, 2, 2, 2, 0], 'limit=1,draw=0': [4, 0, 2, 2, 2], 'limit=0,vertex=0': [1, 1, 2, 0, 2]}
   for filters, counts in expected.items():
      suite.check(f'print {filters}', number(filters) == counts, f'{number(filters)} instead of {counts}')
   for wrong in 'pixel=1', 'everything', 'draw=x', 'all,,all':
      outcome, _ = draw(folder, WHITE, CLIPFREE_PRINT=wrong)
      suite.check(f'print wrong list {wrong}', not outcome.ok and 'pixel=X,Y' in outcome.output, outcome.why())


def check_same(suite, folder):
   """The picture with prints and without, and the program without them and without the pragmas."""
   for name, fragment in {'types': TYPES, 'pixels': PIXELS}.items():
      off, silent = draw(folder, fragment, CORNERS, CLIPFREE_DEBUG='nocache')
      on, lines = draw(folder, fragment, CORNERS, CLIPFREE_PRINT='all')
      suite.check(f'print same picture, {name}', off.ok and on.ok and not silent and lines and picture(off) == picture(on),
                  f'{picture(off)} {picture(on)}; {on.why()}')
      programs = [draw(folder, re.sub('#pragma.*', '', text) if without else text, CORNERS, CLIPFREE_DEBUG='vs,fs,asm,nocache')[0]
                  for without, text in ((False, fragment), (True, fragment))]
      codes = [[line for line in p.output.splitlines() if 'heard' not in line] for p in programs]
      suite.check(f'print same program, {name}', codes[0] == codes[1] and len(codes[0]) > 20, f'{codes}')


# ---------------------------------------------------------------- glmark2's shaders

REPLAY = BUILD / 'tools' / 'clipfree-replay'
GLMARK2 = Path('/usr/share/glmark2')
STATEMENT = re.compile(r'^[ \t]+(?:(?:highp|mediump|lowp)\s+)?(?:float|vec[234])\s+(\w+)\s*=[^;{}]*;[ \t]*$', re.MULTILINE)
CLOCK = {'LD_PRELOAD': str(PREBUILT / 'steady_clock.so'), 'STEADY_CLOCK_STEP_US': '16000', 'vblank_mode': '0'}
FRAME, SIZE = 5, '128x96'
OTHER_PICTURES = 1    # of the scenes: docs/print.md says why


def printing_shaders(folder):
   """A copy of glmark2's data, whose shaders print each variable of a float or vector that a statement declares."""
   data = folder / 'glmark2'
   shutil.copytree(GLMARK2, data)
   for path in (data / 'shaders').iterdir():
      path.write_text(STATEMENT.sub(r'\g<0>\n#pragma clipfree print(\1)', path.read_text()))
   return data


def drawn_scene(folder, scene, data, **environment):
   """(the picture of a frame of a scene, {shaders' texts that print}, whether something is printed); the picture is empty if it
   did not run."""
   capture, raw = folder / 'scene.cap', folder / 'scene.raw'
   for path in capture, raw:
      path.unlink(missing_ok=True)
   ran = run(['glmark2-es2', '-s', SIZE, '--data-path', data, '-b', f'{scene}:duration=20'],
             driver_env(CLIPFREE_CAPTURE=f'file={capture},frame={FRAME}', CLIPFREE_FRAMES=str(FRAME + 2), **CLOCK,
                        **environment), timeout_s=120)
   run([REPLAY, '--raw', raw, capture], driver_env())
   said = run([REPLAY, '--print', capture], driver_env()).output
   texts = re.findall(r'^   source: (.*?)(?=^   \S)', said, re.DOTALL | re.MULTILINE)
   return (raw.read_bytes() if raw.exists() else b'', {text for text in texts if '#pragma clipfree print' in text},
           bool(re.search(r'^draw \d+ .*pixel 64,48.* = ', ran.output, re.MULTILINE)))


def check_glmark2(suite, folder):
   """Prints in the shaders of glmark2's scenes leave the picture as it is; but where the language leaves a choice."""
   if not shutil.which('glmark2-es2') or not GLMARK2.is_dir():
      suite.skip('print glmark2', 'glmark2-es2 is not installed')
      return
   data, texts, printing, printed, other, failed = printing_shaders(folder), set(), 0, 0, [], []
   for scene in glmark2_scenes():
      without, *_ = drawn_scene(folder, scene, GLMARK2)
      with_prints, found, lines = drawn_scene(folder, scene, data, CLIPFREE_PRINT='pixel=64,48,limit=1')
      texts |= found
      printing += bool(found)
      printed += lines
      failed += [] if without and with_prints else [slug(scene)]
      other += [slug(scene)] if found and without != with_prints else []
   prints = sum(text.count('#pragma clipfree print') for text in texts)
   suite.check('print glmark2', not failed and printed > 15 and prints > 100 and len(other) <= OTHER_PICTURES,
               f'{prints} prints in {printing} scenes, at pixel 64,48 of {printed}; another picture: {other}; not drawn: {failed}')


def check_cache(suite, folder):
   """A run with prints leaves nothing in the cache on disk, where one without would find it."""
   for name, printing in (('plain', False), ('printing', True)):
      environment = {'CLIPFREE_PRINT': 'all'} if printing else {}
      outcome, _ = draw(folder, TYPES, CORNERS, MESA_SHADER_CACHE_DIR=folder / name, CLIPFREE_GPU='noop', **environment)
      files = [path for path in (folder / name).rglob('*') if path.is_file()]
      suite.check(f'print cache, {name}', outcome.ok and bool(files) != printing, f'{len(files)} files; {outcome.why()}')


def check_capture(suite, folder):
   path = folder / 'print.cap'
   live, lines = draw(folder, TYPES, CORNERS, CLIPFREE_PRINT='all', CLIPFREE_CAPTURE=f'file={path},count=100')
   replayed = run([BUILD / 'tools' / 'clipfree-replay', '--prints', 'all', path], driver_env())
   again = [line for line in replayed.output.splitlines() if line.startswith('draw ')]
   suite.check('print from a capture', live.ok and replayed.ok and lines and again == lines, replayed.why())
   silent = run([BUILD / 'tools' / 'clipfree-replay', '--engine', 'jit', path], driver_env())
   suite.check('print capture, silent', silent.ok and 'pixel' not in silent.output, silent.why())


ASSERTIONS = HEAD + '''void main()
{
   int row = int(gl_FragCoord.y);
#pragma clipfree assert(row < 6)
#pragma clipfree assert(gl_FragCoord.x != 2.5, "column %g of row %d", gl_FragCoord.x, row)
#pragma clipfree assert(fraction == 0.5)
#pragma clipfree print("here")
   gl_FragColor = vec4(way, 0.5, 1.0);
}
'''


def check_assert(suite, folder):
   outcome, _ = draw(folder, ASSERTIONS, CLIPFREE_PRINT='draw=0')
   said = [line.split('clipfree: sanitize: ')[1] for line in outcome.output.splitlines() if line.startswith('clipfree: sanitize')]
   heard = [line for line in outcome.output.splitlines() if line.startswith('heard: clipfree: assert')]
   counts = sorted(re.findall(r'(\d+) times: assert: (row < 6 does not hold|column 2.5 of row \d) in line (\d+) of the fragment',
                              '\n'.join(said)))
   suite.check('assert counts', outcome.ok and len(said) == 4 and len(heard) == 2 and
               [(int(n), text[:3], int(line)) for n, text, line in counts] == [(16, 'row', 7), (8, 'col', 8)],
               f'{counts}; {outcome.why()}')
   fatal, lines = draw(folder, ASSERTIONS, CLIPFREE_PRINT='fatal')
   right, _ = draw(folder, WHITE, CLIPFREE_PRINT='fatal')
   suite.check('assert fatal', right.ok and fatal.status == -signal.SIGABRT, f'{fatal.why()}; {right.why()}')
   checked, lines = draw(folder, ASSERTIONS, CLIPFREE_SANITIZE='assert')
   suite.check('assert as a check of the sanitiser', checked.ok and not lines and checked.output.count('times: assert: ') == 2,
               checked.why())


# What is wrong in line 10, and what the message says.
WRONG = {
   'print(z)': '`z\' undeclared', 'print(y = 2.0)': 'must not change a variable', 'print(vec2(y++, 1.0))': 'must not change',
   'print(change(y))': 'must not change', 'print(list)': 'print its elements', 'print(s)': 'print its members',
   'print(image)': 'cannot be printed', 'print("%d", y)': '`%d\' is not for a float', 'print("%f", 1)': '`%f\' is not for a int',
   'print("%f %f", y)': '2 conversions for 1 values', 'print("y", y)': '0 conversions for 1 values',
   'print("%q", y)': 'is no conversion', 'print("%", y)': 'is no conversion', 'print("%999999999f", y)': 'is no conversion',
   'print(y': 'syntax error', 'print y': 'syntax error', 'print()': 'syntax error', 'print(y) y': 'syntax error',
   'print("y)': 'syntax error', 'assert(y)': 'must be a bool', 'assert(y > 0.0, y)': 'syntax error',
   'assert(y > 0.0, "%d", y)': 'is not for a float', 'print(nothing())': 'a void cannot be printed',
}


def check_errors(suite, folder):
   for pragma, message in WRONG.items():
      fragment = ('precision highp float;\nuniform sampler2D image;\nuniform float list[3];\nstruct S { float a; } s;\n'
                  'float change(out float x) { x = 1.0; return x; }\nvoid nothing() { }\nvoid main()\n{\n   float y = list[0];\n'
                  f'#pragma clipfree {pragma}\n   gl_FragColor = vec4(y);\n}}\n')
      outcome, _ = draw(folder, fragment, CLIPFREE_PRINT='all')
      suite.check(f'print error {pragma}', outcome.status == 1 and
                  re.search(rf'0:10\(\d+\): error: .*{re.escape(message)}', outcome.output), outcome.why())
      ignored, _ = draw(folder, fragment)
      suite.check(f'print ignored {pragma}', ignored.ok, ignored.why())
   outside, _ = draw(folder, '#pragma clipfree print(1)\n' + WHITE, CLIPFREE_PRINT='all')
   suite.check('print error outside', outside.status == 1 and 'they stand in a function' in outside.output, outside.why())
   unknown, _ = draw(folder, WHITE + '#pragma clipfree printf(1)\n', CLIPFREE_PRINT='all')
   suite.check('print unknown', unknown.ok and 'printf(1)\' is not known' in unknown.output, unknown.why())


CHECKS = {'print values': check_values, 'print order': check_order, 'print filters': check_filters, 'print same': check_same, 'print cache': check_cache,
          'print capture': check_capture, 'print assert': check_assert, 'print errors': check_errors,
          'print glmark2': check_glmark2}
LONG = ['print glmark2']


def names():
   return [name for name in CHECKS if name not in LONG]


def check(suite, folder, name):
   CHECKS[name](suite, folder)
