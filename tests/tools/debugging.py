# SPDX-License-Identifier: MIT
"""clipfree debug, of suite `tools`: it says of the case `map` what docs/debugging.md says; an editor's client drives
it, unmodified and without a screen, over pipes and over a socket; stepped pixels of real programs are those of the
frame buffer, with a step back in less than 50 ms; and with CLIPFREE_DEBUG=variables the variables of at least 95 of 100
statements are readable, while the picture stays the same."""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from harness import glsl
from harness.dap import Adapter
from harness.scenes import glmark2_scenes, slug
from harness.suite import BUILD, PREBUILT, ROOT, driver_env, piglit_folder, run

sys.path.insert(0, str(ROOT / 'tools/shader'))
from shader_driver import compile_programs  # noqa: E402
from shader_programs import read_folder, read_stages  # noqa: E402

DEBUG, REPLAY, WHY = (BUILD / 'tools' / name for name in ('clipfree-debug', 'clipfree-replay', 'clipfree-why'))
CLIENT = Path(__file__).resolve().parent / 'debug_client.el'
DAP_MODE = Path('/usr/share/emacs/site-lisp/elpa-src')   # where Debian's elpa-dap-mode is
CLOCK = {'LD_PRELOAD': str(PREBUILT / 'steady_clock.so'), 'STEADY_CLOCK_STEP_US': '16000', 'vblank_mode': '0'}
SEED = 17
STEP_BACK_MS = 50
PIXEL = '40,20'            # of the case `map`, black
# What is typed, and what must be said, in this order.
TYPED = ('watch texel waves', 'catch nan', 'c', 'side', 'ni', 'p isnan(v0)', 'rc', 'rc')
SAID = ('draw 1: glDrawArrays(GL_TRIANGLE_STRIP, 0, 4)', 'draw 0: glDrawArrays(GL_TRIANGLE_STRIP, 0, 4)',
        'pixel 0,43 was written by draw 0, primitive 0', 'NaN is born: fsqrt of -0.297923923',
        'GLSL1.frag:6   float height = sqrt(0.75 - far);', ' 6 float height = sqrt(0.75 - far); ', ' = fsqrt %', 'fsqrt v', '\n1\n',
        'NaN is born', 'the start: no breakpoint is before')
LINE = 6                   # of the shader that draws the map: where the client's breakpoint is
# What the client shows: its stops, and values.
SHOWN = ('STOP entry | entry | entry | ', 'GLSL4.frag:4 | main, draw 1, pixel 40,20', 'DATA texel waves',
         'STOP data | data breakpoint | pixel 0,43 was written by draw 0, primitive 0: ',
         f'| map.frag:{LINE - 1} | main, draw 0, pixel 0,43',
         f'STOP continue | breakpoint | breakpoint 1 | map.frag:{LINE} |', 'STOP next | step | step | map.frag:8 |',
         'VALUE Varyings | place | (-0.984375, 0.359375)', f'STOP stepBack | step | step | map.frag:{LINE} |',
         'STOP stepOut | step | the end of the program |', 'VALUE Outputs | gl_FragColor | (nan, nan, nan, 1)',
         f'STOP reverseContinue | breakpoint | breakpoint 1 | map.frag:{LINE} |')
# Of its sessions of a draw, with a breakpoint on a pixel, and of the capture that keeps variables; DONE is after all.
SHOWN_MORE = ('STOP entry | entry | entry | ', 'draw 0, vertex 0 of 0', 'PIXEL t',
              'STOP pixel | breakpoint | breakpoint 1 | ', ' | main, draw 0, pixel 0,43', 'STOP next | step | step | ', 'VIEW draw | ▸ place: (-0.984375, 0.359375)',
              'STOP stepBack | step | step | ', 'STOP entry | entry | entry | ', 'DATA texel waves',
              'STOP data | data breakpoint | pixel 0,43 was written by draw 0, primitive 0: ',
              'VIEW start | ▾ Locals', 'VIEW start | height: -', 'STOP stepOut | step | the end of the program | ',
              'VIEW end | ▾ Locals', 'VIEW end | ▸ foam: (nan, nan, nan)', 'VIEW end | height: nan',
              'VIEW end | far: 1.0479239')
# The same of VS Code's client, of three sessions.
VSCODE_CLIENT = Path(__file__).resolve().parent / 'debug_client.mjs'
VSCODE_MODULES = BUILD / 'editor' / 'node_modules'   # ./clipfree test fetches them
VSCODE_SHOWN = ('STOP entry | entry | entry | ', 'PIXEL | true', 'STOP pixel | breakpoint | breakpoint 1 | ',
                ' | main, draw 0, pixel 0,43', 'STOP next | step | step | ',
                'VALUE Varyings | place | (-0.984375, 0.359375)',
                'STOP stepBack | step | step | ', 'STOP exception | exception | NaN is born: fsqrt of -0.', 'EXCEPTION | NaN is born: fsqrt of -0.',
                'STOP entry | entry | entry | ', 'DATA | texel waves',
                'STOP data | data breakpoint | pixel 0,43 was written by draw 0, primitive 0: ',
                f'LINE | true | {LINE}', 'STOP end | step | the end of the program | ',
                'VALUE Outputs | gl_FragColor | (nan, nan, nan, 1)',
                f'STOP reverseContinue | breakpoint | breakpoint 1 | map.frag:{LINE} | main, draw 0, pixel 0,43',
                'OUTPUT | the outputs are those of the real program, bit for bit', 'DATA | texel waves',
                'VALUE Locals | foam | (-, -, -)', 'VALUE Locals | height | nan', 'VALUE Locals | far | 1.0479239',
                'STOP end | step | the end of the program | ', 'VALUE Locals | foam | (nan, nan, nan)',
                'VALUE Locals | far | 1.0479239', 'DONE')
# And of a client that asks as vim's does, over debugpy's channel.
DEBUGPY_CLIENT = Path(__file__).resolve().parent / 'debug_client.py'
DEBUGPY = Path('/usr/lib/python3/dist-packages/debugpy')
DEBUGPY_SHOWN = ('SET | setFunctionBreakpoints | True', 'STOP entry | ', 'STOP pixel | breakpoint | breakpoint 1 | ',
                 ' | main, draw 0, pixel 0,43', 'STOP next | step | step | ',
                 'VALUE Varyings | place | (-0.984375, 0.359375)', 'STOP stepBack | step | step | ',
                 'STOP exception | exception | NaN is born: fsqrt of -0.', 'EXCEPTION | NaN is born: fsqrt of -0.',
                 'SET | setBreakpoints | ', 'SET | setExceptionBreakpoints', 'STOP entry | ', 'DATA | texel waves',
                 'STOP data | data breakpoint | pixel 0,43 was written by draw 0, primitive 0: ',
                 f'STOP line | breakpoint | breakpoint 1 | map.frag:{LINE} | main, draw 0, pixel 0,43',
                 *(f'WATCH | {context} | (-0.984375, 0.359375)' for context in ('watch', 'hover', 'repl')),
                 'CODE | 5 | True', 'STOP instruction | breakpoint | ',
                 'STOP stepOut | step | the end of the program | ',
                 'VALUE Outputs | gl_FragColor | (nan, nan, nan, 1)',
                 'OUTPUT | the outputs are those of the real program, bit for bit', 'STOP entry | ', 'STOP data | ',
                 'VALUE Locals | foam | (-, -, -)', 'VALUE Locals | far | 1.0479239',
                 'STOP stepOut | step | the end of the program | ', 'VALUE Locals | foam | (nan, nan, nan)',
                 'CHECKED | ', 'DONE')
SCENES, PIXELS, SIZE = 6, 2000, '128x96'          # one of so many of glmark2's scenes, pixels of each
LONG_PIXELS, LONG_SIZE, LONG_TOTAL = 80000, '800x600', 10**6
FRAME = 10
CHECKED = re.compile(r'seed \d+: (\d+) pixels are those of the frame buffer; .*the longest ([\d.]+) ms')
LONG = ['debugger million pixels', 'debugger back, all scenes', 'debugger variables, all scenes',
        'debugger variables of piglit, all']
BACK_SCENES = ('desktop:effect=shadow', 'terrain', 'jellyfish')   # several draws to a pixel, and one
BACK_STOPS, BACK_STEPS, BACK_TIMES = 8, 6, 3   # places of a pixel, steps back at each, and how often: the least counts
PIGLIT_SHADERS = ['tests/shaders', *(f'{tests}/spec/glsl-{version}' for tests in ('tests', 'generated_tests')
                                     for version in ('1.10', '1.20', '1.30', 'es-1.00', 'es-3.00'))]
PIGLIT_EVERY = 10
READABLE = 0.95            # of the statements: all variables in them
# What `replay --print` says of a program: its source, lines that have instructions, variables in scratch.
SOURCE = re.compile(r'^   source: (.*?)(?=^   \S)', re.DOTALL | re.MULTILINE)
LINES = re.compile(r'^      instruction.*?: line (.*)$', re.MULTILINE)
KEPT = re.compile(r'^   scratch dword \d+: \S+ ([\w.\[\]]+)', re.MULTILINE)
# Declarations in all their forms, and the parts that are variables of the shader: what `Statements` counts by.
FORMS = """#version 120   // float no;
uniform vec4 u, w[2]; const float k = 2.0; varying vec2 a, b; flat in int fl; out vec4 colour;
uniform Block { vec4 m; mat4 q[2]; } block;
struct Light { vec3 way, col; float far[3]; }; struct Two { Light light; mat2x3 turn; } two, more[2];
float global = 1.0, other;
Light make(const in Light l, in vec2 c, float x[3], inout int n);
float half_of(highp float q, vec2) { return q; }
void main() {
   float x = half_of(vec2(a, 2.0)), y, z[2], v = (1.0, 2.0);
   vec3[2] arr; mediump vec2 mm = vec2(x, y), nn; /* vec2 no; */
   for (int i = 0, j = 2; i < j; i++) { mat3 turn = mat3(1.0); const int three = 3; bool is = x < y, was; }
   gl_FragColor = u * more[1].turn[0].xyxy + x;
}
"""
FORMS_NAMED = {'two', 'more', 'global', 'other', 'l', 'c', 'x', 'n', 'q', 'y', 'z', 'v', 'arr', 'mm', 'nn', 'i', 'j',
               'turn', 'is', 'was'}
# A function's parameters keep their names, and nothing else gets one.
CALLS = """precision highp float;
uniform vec4 u;
vec4 bright(vec4 paint, inout float light) { light += 0.5; vec4 made = paint * light; return made; }
void main() { float sum = 0.0; gl_FragColor = mix(bright(u, sum), bright(u * 2.0, sum), 0.25) + sum; }
"""
CALLS_NAMED = {'paint', 'light', 'made', 'sum'}
VARIABLES_SAID = ('far = 1.0479239', 'height = nan', 'foam = (nan, nan, nan)',
                  'the outputs are those of the real program, bit for bit')


# Varyings of which a program reads parts, and what the fragment program has of each: `#pragma clipfree print` tells the
# values, in a program of its own, in which all are read.
VARYINGS = ('way', 'tint', 'far')
VARYINGS_VERTEX = """attribute vec2 position;
varying vec2 way; varying vec3 tint; varying float far;
void main()
{
   way = position * 3.0 + 1.0; tint = vec3(position.yx, position.x * position.y); far = position.x - 0.25;
   gl_Position = vec4(position, 0.0, 1.0);
}
"""
VARYINGS_FRAGMENT = """precision highp float;
uniform float fraction;
varying vec2 way; varying vec3 tint; varying float far;
void main()
{
   gl_FragColor = vec4(%s, 1.0);
%s}
"""
PRINTED = '#pragma clipfree print(way, tint, far)\n'
VARYINGS_READ = {'sin(way.y), 0.0, 0.0': ('.y', '', ''),
                 'way.y * fraction, 0.0, sin(tint.z)': ('', '.z', ''),   # Mesa has the vertex shader multiply
                 'way * fraction, sin(tint.z)': ('', '.z', ''),
                 'sin(way.y), cos(far), sin(tint.z) + cos(tint.x)': ('.y', '.xz', '.x'),
                 'sin(way), cos(dot(sin(tint), vec3(far)))': ('.xy', '.xyz', '.x')}

# Variables of blocks have their places in constant banks, and outputs names of their own. Dword k of block b is 100 b +
# k + 0.5; Mesa numbers the blocks Rows, Lights[0], Lights[1], Plain.
BLOCKS_VERTEX = """#version 300 es
in vec2 position;
void main() { gl_Position = vec4(position, 0.0, 1.0); }
"""
BLOCKS_FRAGMENT = """#version 300 es
precision highp float;
struct Light { vec2 way; float fraction; };
uniform Light light;
uniform float fraction;
layout(std140) uniform Plain { vec3 tint; float far[3]; mat3x2 turn; };
layout(std140) uniform Lights { vec4 color; int count; } lights[2];
layout(std140, row_major) uniform Rows { mat4 rows; vec4 after; };
layout(location = 0) out vec4 colour;
void main()
{
   colour = vec4(tint, far[1]) * fraction + turn[2].xyxy + lights[0].color + lights[1].color * rows[1] + after
      + light.way.xyxy;
   colour.x += float(lights[1].count);
}
"""
BLOCKS_VALUES = {'tint': '(300.5, 301.5, 302.5)', 'far[1]': '308.5', 'turn[2]': '(324.5, 325.5)',
                 'Lights[0].color': '(100.5, 101.5, 102.5, 103.5)', 'Lights[1].color.y': '201.5',
                 'after': '(16.5, 17.5, 18.5, 19.5)', 'light.way': '(0, 0)'}


def names():
   return ['debugger varyings', 'debugger blocks', 'debugger case map', 'debugger client', 'debugger client socket',
           'debugger client vscode', 'debugger client debugpy', 'debugger pixels', 'debugger back',
           'debugger case map variables', 'debugger names of variables', 'debugger variables', 'debugger variables of piglit']


def in_order(text, words):
   """The first of `words` that `text` lacks behind the ones before it; None: it has them all, in this order."""
   at = 0
   for word in words:
      at = text.find(word, at)
      if at < 0:
         return word
      at += len(word)
   return None


def captured_map(folder, flags=''):
   path = folder / f'map{flags}.cap'
   drawn = run([PREBUILT / 'debug_cases', 'map'],
               driver_env(CLIPFREE_CAPTURE=f'file={path},count=100', CLIPFREE_DEBUG=flags))
   return path, drawn


def check_map(suite, folder):
   path, drawn = captured_map(folder)
   stepped = subprocess.run([DEBUG, path, '--pixel', PIXEL], input='\n'.join(TYPED), env=driver_env(),
                            capture_output=True, text=True, check=False, timeout=60)
   lacks = in_order(stepped.stdout, SAID)
   suite.check('debugger case map', drawn.ok and stepped.returncode == 0 and lacks is None,
               f'it does not say: {lacks}' if lacks else '')


def drawn_varyings(folder, read, printed, **environment):
   (folder / 'varyings.vert').write_text(VARYINGS_VERTEX)
   (folder / 'varyings.frag').write_text(VARYINGS_FRAGMENT % (read, printed))
   return run([PREBUILT / 'print_shaders', folder / 'varyings.vert', folder / 'varyings.frag'],
              driver_env(**environment))


def varyings_said(printed, parts):
   """What the debugger must say of each varying, by the print of their values and the components that are read."""
   for name, parts_read in zip(VARYINGS, parts):
      values = re.search(rf'{name} = \(?([^()]*?)\)?(?:, [a-z]|$)', printed, re.MULTILINE)[1].split(', ')
      shown = [value if letter in parts_read else '-' for letter, value in zip('xyz', values)]
      yield name, f'({", ".join(shown)})' if len(shown) > 1 else shown[0], bool(parts_read)


def varyings_of_why(path):
   """Names and values of varyings that clipfree why tells of the pixel, but for those that are computed from one."""
   told = json.loads(run([WHY, '--json', path, '2,3'], driver_env()).output)
   found, left = set(), [told]
   while left:
      one = left.pop()
      left += one.values() if isinstance(one, dict) else one if isinstance(one, list) else []
      if isinstance(one, dict):
         found |= {(entry.get('name'), f'{entry["value"]:g}') for entry in one.get('varyings', ())}
   return {(name, value) for name, value in found if not name.endswith('~')}


def check_varyings(suite, folder):
   """Of each varying the debugger has the components that the program reads, with their values, and no other."""
   wrong = []
   for read, parts in VARYINGS_READ.items():
      printed = drawn_varyings(folder, read, PRINTED, CLIPFREE_PRINT='pixel=2,3,draw=0').output
      drawn_varyings(folder, read, '', CLIPFREE_CAPTURE=f'file={folder / "varyings.cap"},count=100')
      reads = set()
      for name, value, is_there in varyings_said(printed, parts):
         reads |= {(f'{name}.{letter}' if ', ' in value else name, one)
                   for letter, one in zip('xyz', value.strip('()').split(', ')) if one != '-'}
         stepped = subprocess.run([DEBUG, folder / 'varyings.cap', '--pixel', '2,3', '--draw', '0'], env=driver_env(),
                                  input=f'p {name}\ninfo inputs\nq\n', capture_output=True, text=True, check=False,
                                  timeout=60).stdout.splitlines()
         said = f'{name} = {value}' in stepped and value in stepped
         none = not any(line.startswith(f'{name} = ') for line in stepped)
         moved = f'{name}.y * ' in read or f'{name} * ' in read
         none &= any(line.startswith(f'{name}~ = ') for line in stepped) == moved
         if not (said if is_there else none):
            wrong.append(f'{read}: {name} is {value if is_there else "not there"}: {stepped}')
      if varyings_of_why(folder / 'varyings.cap') != reads:
         wrong.append(f'{read}: why says {varyings_of_why(folder / "varyings.cap")}, not {reads}')
   suite.check('debugger varyings', not wrong, '; '.join(wrong))


def check_blocks(suite, folder):
   """Variables of uniform blocks and declared outputs have names and values; a matrix whose rows lie first has none."""
   (folder / 'blocks.vert').write_text(BLOCKS_VERTEX)
   (folder / 'blocks.frag').write_text(BLOCKS_FRAGMENT)
   drawn = run([PREBUILT / 'print_shaders', folder / 'blocks.vert', folder / 'blocks.frag', 'es3'],
               driver_env(CLIPFREE_CAPTURE=f'file={folder / "blocks.cap"},count=100'))
   typed = [*(f'p {name}' for name in BLOCKS_VALUES), 'p rows', 'end', 'info outputs', 'q']
   said = subprocess.run([DEBUG, folder / 'blocks.cap', '--pixel', '2,3', '--draw', '0'], env=driver_env(),
                         input='\n'.join(typed), capture_output=True, text=True, check=False, timeout=60).stdout
   lacks = [f'{name} {value}' for name, value in BLOCKS_VALUES.items() if value not in said.splitlines()]
   outputs = re.search(r'^colour = \((.*)\)$', said, re.MULTILINE)
   suite.check('debugger blocks', drawn.ok and not lacks and outputs and 'gl_FragColor' not in said,
               f'lacks {lacks}: {said[-600:]}')


def check_map_variables(suite, folder):
   """The same with all variables, which have names then; compared with the real program."""
   (real, drawn), (kept, also_drawn) = captured_map(folder), captured_map(folder, 'variables')
   typed = ('watch texel waves', 'end', 'info locals', 'p far', 'q')
   stepped = subprocess.run([DEBUG, kept, '--pixel', PIXEL, '--real', real], input='\n'.join(typed), env=driver_env(),
                            capture_output=True, text=True, check=False, timeout=60)
   lacks = [words for words in VARIABLES_SAID if words not in stepped.stdout]
   equal = stepped.stdout.count(VARIABLES_SAID[-1])
   suite.check('debugger case map variables', drawn.ok and also_drawn.ok and not lacks and equal == 2,
               f'{equal} equal; lacks {lacks}' if lacks or equal != 2 else '')


# ---------------------------------------------------------------- an editor's client

def drawn_source():
   """The fragment shader of the map, as debug_cases has it."""
   text = (Path(__file__).resolve().parent / 'debug_cases.c').read_text()
   lines = re.findall(r'"(.*)\\n"', text[text.index('map_fragment[]'):].split(';\n\n')[0])
   return '\n'.join(lines) + '\n'


def plain_env():
   """For the system's own programs: what the driver's environment preloads is not for them."""
   return {key: value for key, value in os.environ.items() if key not in ('LD_LIBRARY_PATH', 'LD_PRELOAD')}


def check_client(suite, folder, over_socket):
   name = 'debugger client socket' if over_socket else 'debugger client'
   if not shutil.which('emacs') or not list(DAP_MODE.glob('dap-mode-*')):
      suite.skip(name, 'emacs-nox and elpa-dap-mode are not installed')
      return
   (path, drawn), (kept, also_drawn) = captured_map(folder), captured_map(folder, 'variables')
   source = folder / 'map.frag'
   source.write_text(drawn_source())
   server = subprocess.Popen([DEBUG, '--port', '0'], stdout=subprocess.PIPE, text=True, env=driver_env()) \
      if over_socket else None
   port = [re.search(r'127\.0\.0\.1:(\d+)', server.stdout.readline())[1]] if over_socket else []
   shown = run(['emacs', '--batch', '-l', CLIENT, DEBUG, path, kept, PIXEL, 'waves', source, str(LINE), *port],
               plain_env(), timeout_s=120)
   if server:
      if not shown.ok:
         server.terminate()
      server.communicate(timeout=10)
   lacks = in_order(shown.output, (*SHOWN, *(() if over_socket else SHOWN_MORE), 'DONE'))
   lanes = shown.output.count('LANE lane ')
   suite.check(name, drawn.ok and also_drawn.ok and shown.ok and lacks is None and lanes == 32,
               f'{lanes} lanes; it does not show: {lacks}; {shown.why()}' if lacks or lanes != 32 else '')


def check_vscode(suite, folder):
   name = 'debugger client vscode'
   if not shutil.which('node') or not VSCODE_MODULES.is_dir():
      suite.skip(name, f"node, or npm's @vscode/debugadapter-testsupport in {VSCODE_MODULES}, is not installed")
      return
   (path, drawn), (kept, also_drawn) = captured_map(folder), captured_map(folder, 'variables')
   source = folder / 'map.frag'
   source.write_text(drawn_source())
   shown = run(['node', VSCODE_CLIENT, VSCODE_MODULES, DEBUG, path, kept, source, str(LINE)], driver_env(),
               timeout_s=120)
   lacks = in_order(shown.output, VSCODE_SHOWN)
   suite.check(name, drawn.ok and also_drawn.ok and shown.ok and lacks is None,
               f'it does not show: {lacks}; {shown.why()}' if lacks or not shown.ok else '')


def check_debugpy(suite, folder):
   """It asks as vim's client does; each message that it gets has the protocol's types."""
   name = 'debugger client debugpy'
   if not DEBUGPY.is_dir():
      suite.skip(name, 'python3-debugpy is not installed')
      return
   (path, drawn), (kept, also_drawn) = captured_map(folder), captured_map(folder, 'variables')
   source = folder / 'map.frag'
   source.write_text(drawn_source())
   shown = run(['/usr/bin/python3', DEBUGPY_CLIENT, DEBUG, path, kept, source, str(LINE)], plain_env(), timeout_s=120)
   lacks = in_order(shown.output, DEBUGPY_SHOWN)
   wrong = re.findall(r'^(?:INVALID|UNKNOWN) .*$', shown.output, re.MULTILINE)
   suite.check(name, drawn.ok and also_drawn.ok and shown.ok and lacks is None and not wrong,
               f'it does not show: {lacks}; {wrong[:3]}; {shown.why()}' if lacks or wrong or not shown.ok else '')


# ---------------------------------------------------------------- pixels

def captured_scene(folder, scene, size, flags=''):
   path = folder / f'{slug(scene)}{flags}.cap'
   outcome = run(['glmark2-es2', '-s', size, '-b', f'{scene}:duration=20'],
                 driver_env(CLIPFREE_CAPTURE=f'file={path},frame={FRAME}', CLIPFREE_FRAMES=str(FRAME + 2),
                            CLIPFREE_DEBUG=flags, **CLOCK),
                 timeout_s=120)
   return path if path.exists() else None, outcome.why()


def check_pixels(suite, name, folder, scenes, size, pixels, at_least):
   total, slowest, wrong = 0, 0.0, []
   for number, scene in enumerate(scenes):
      path, why = captured_scene(folder, scene, size)
      checked = run([DEBUG, path, '--check', str(pixels), '--seed', str(SEED + number)], driver_env(), timeout_s=3600) \
         if path else None
      found = CHECKED.search(checked.output) if checked else None
      if not found:
         wrong.append(f'{scene}: {checked.why() if checked else why}')
         continue
      total += int(found[1])
      slowest = max(slowest, float(found[2]))
      path.unlink()
   suite.check(name, not wrong and total >= at_least and slowest < STEP_BACK_MS,
               f'seeds from {SEED}: {total} pixels, the slowest step back {slowest} ms; ' + '; '.join(wrong[:3]))


# ---------------------------------------------------------------- the time that a step back takes

class Times:
   """The longest of steps back, and of ways back to another fragment, in milliseconds."""
   def __init__(self):
      self.steps, self.step_ms, self.ways, self.way_ms = 0, 0.0, 0, 0.0

   def add_steps(self, adapter, thread):
      """From the program's end back, by lines and by instructions; each there and back again several times."""
      adapter.stop('stepOut', threadId=thread)
      for granularity in ('line', 'instruction'):
         for _ in range(BACK_STEPS):
            least_ms = float('inf')
            for again in range(BACK_TIMES):
               if again:
                  adapter.stop('next', threadId=thread, granularity=granularity)
               least_ms = min(least_ms, adapter.stop('stepBack', threadId=thread, granularity=granularity)[1])
            self.steps += 1
            self.step_ms = max(self.step_ms, least_ms)

   def add_pixel(self, adapter, thread):
      """Steps back in all fragments of a pixel, from the last to the first, each in a task of its own, most of another
      draw; then from draw to draw with a data breakpoint."""
      here = adapter.ask('stackTrace', threadId=thread)['stackFrames'][0]['name']
      adapter.ask('setFunctionBreakpoints', breakpoints=[{'name': re.search(r'pixel \d+,\d+', here)[0]}])
      for _ in range(BACK_STOPS):
         self.add_steps(adapter, thread)
         stopped, took_ms = adapter.stop('reverseContinue', threadId=thread)
         if stopped['reason'] == 'breakpoint':
            stopped, took_ms = adapter.stop('reverseContinue', threadId=thread)   # from the start of this fragment
         thread = stopped['threadId']
         if stopped['reason'] != 'breakpoint':
            break
         self.ways += 1
         self.way_ms = max(self.way_ms, took_ms)
      self.add_writers(adapter, thread)

   def add_writers(self, adapter, thread):
      adapter.ask('setFunctionBreakpoints', breakpoints=[])
      adapter.stop('stepOut', threadId=thread)
      data = adapter.ask('dataBreakpointInfo', name='gl_FragColor')['dataId']
      adapter.ask('setDataBreakpoints', breakpoints=[{'dataId': data}] if data else [])
      stopped, took_ms = adapter.stop('reverseContinue', threadId=thread)
      if stopped['reason'] == 'data breakpoint':
         self.ways += 1
         self.way_ms = max(self.way_ms, took_ms)
         self.add_steps(adapter, stopped['threadId'])

   def __str__(self):
      return (f'{self.steps} steps back, the longest {self.step_ms:.2f} ms; {self.ways} ways back to another fragment '
              f'or draw, the longest {self.way_ms:.0f} ms')


def check_back(suite, name, folder, scenes):
   """Steps back take less than 50 ms, for the client, wherever the session came from."""
   times, wrong = Times(), []
   width, height = map(int, SIZE.split('x'))
   for scene in scenes:
      path, why = captured_scene(folder, scene, SIZE)
      if not path:
         wrong.append(f'{scene}: {why}')
         continue
      with Adapter([DEBUG, '--dap'], driver_env()) as adapter:
         try:
            adapter.ask('initialize', adapterID='clipfree')
            adapter.ask('launch', capture=str(path), pixel=f'{width // 2},{height // 2}')
            adapter.event('initialized')
            times.add_pixel(adapter, adapter.stop('configurationDone')[0]['threadId'])
            adapter.ask('disconnect')
         except (EOFError, RuntimeError) as error:
            wrong.append(f'{scene}: {error}')
      path.unlink()
   suite.check(name, not wrong and times.steps > 10 * len(scenes) and times.ways and times.step_ms < STEP_BACK_MS,
               f'{times}; ' + '; '.join(wrong[:3]))


# ---------------------------------------------------------------- variables

def picture(path):
   """What a capture shows, as bytes."""
   raw = path.with_suffix('.raw')
   run([REPLAY, '--raw', raw, path], driver_env())
   return raw.read_bytes() if raw.exists() else b''


class Statements:
   """Lines that have instructions and name variables; of those the ones whose variables are all kept; names that are
   not."""
   def __init__(self):
      self.count, self.readable, self.missing = 0, 0, set()

   def add_shader(self, sources, lines, kept):
      """Texts of shader objects; (object, line) from (0, 1); names of variables in scratch."""
      declared = glsl.Declarations('\n'.join(sources))
      kept = {re.sub(r'\[\d*\]', '', name) for name in kept}
      texts = [glsl.plain(source).split('\n') for source in sources]
      for number, line in lines:
         used = glsl.used((texts[number] + [''] * line)[line - 1], declared)
         self.count += bool(used)
         self.readable += bool(used) and used <= kept
         self.missing |= used - kept

   def add_capture(self, printed):
      """Programs of a capture, of one shader object each, as `replay --print` says."""
      for note in re.split(r'^note of ', printed, flags=re.MULTILINE)[1:]:
         source = SOURCE.search(note)
         numbers = (number for lines in LINES.findall(note) for number in re.findall(r'(?:^|, )(\d+): `', lines))
         lines = {(0, int(number)) for number in numbers}
         if source:
            self.add_shader([source[1]], lines, set(KEPT.findall(note)))

   def suffice(self):
      return self.readable >= READABLE * self.count

   def __str__(self):
      missing = ' '.join(sorted(self.missing)[:12])
      return f'{self.readable} of {self.count} statements have all variables; not kept: {missing}'


def kept_variables(programs):
   """[Compiled] of programs, with all variables kept."""
   os.environ['CLIPFREE_DEBUG'] = 'variables'
   try:
      return compile_programs(BUILD, programs)
   finally:
      del os.environ['CLIPFREE_DEBUG']


def names_kept(record):
   """Names of the variables that a shader keeps, as `s.way[2]`."""
   return {variable['declaration'].split()[-1] for variable in record['variables'] if variable['kind'] == 'local'}


def check_names(suite, name, folder):
   """How statements' variables are found; and what the compiler calls those that it keeps."""
   (folder / 'calls.frag').write_text(CALLS)
   made = kept_variables([read_stages([folder / 'calls.frag'])])[0]
   kept = names_kept(made.stage['fragment']) if made.ok else made.log
   suite.check('debugger names of parameters', kept == CALLS_NAMED, str(kept))
   declared = glsl.Declarations(FORMS)
   lines = glsl.plain(FORMS).split('\n')
   last = glsl.used(lines[11], declared)
   suite.check(name, set(declared.variables) == FORMS_NAMED and
               last == {'x', 'more.light.way', 'more.light.col', 'more.light.far', 'more.turn'},
               f'{set(declared.variables) ^ FORMS_NAMED}; {last}')


def check_variables(suite, name, folder, scenes):
   statements, wrong = Statements(), []
   for number, scene in enumerate(scenes):
      (real, why), (kept, also_why) = captured_scene(folder, scene,
                                                     SIZE), captured_scene(folder, scene, SIZE, 'variables')
      if not real or not kept:
         wrong.append(f'{scene}: no capture: {why} {also_why}')
         continue
      if not picture(real) or picture(real) != picture(kept):
         wrong.append(f'{scene}: another picture')
      checked = run([DEBUG, kept, '--check', '500', '--seed', str(SEED + number)], driver_env(), timeout_s=600)
      if not checked.ok:
         wrong.append(f'{scene}: {checked.why()}')
      statements.add_capture(run([REPLAY, '--print', kept], driver_env()).output)
      real.unlink()
      kept.unlink()
   suite.check(name, not wrong and statements.count > 50 and statements.suffice(),
               f'seeds from {SEED}: {statements}; ' + '; '.join(wrong[:3]))


def check_piglit_variables(suite, name, every):
   """Of every so-many-th of Piglit's GLSL programs; those that do not compile without the flag are left out."""
   piglit = piglit_folder()
   if not piglit:
      suite.skip(name, 'piglit is not installed')
      return
   programs = [program for folder in PIGLIT_SHADERS for program in read_folder(piglit / folder)][::every]
   right = [done.program for done in compile_programs(BUILD, programs) if done.ok]
   kept = kept_variables(right)
   statements = Statements()
   for record in [record for done in kept if done.ok for record in done.stage.values()]:
      lines = {(number, line) for _, number, _, _, line in record['lines'] if number < len(record['sources'])}
      statements.add_shader(record['sources'], lines, names_kept(record))
   failed = [done.program.name for done in kept if not done.ok]
   suite.check(name, len(right) > 100 and statements.suffice() and len(failed) < (1 - READABLE) * len(right),
               f'{statements}; {len(failed)} of {len(right)} programs do not compile with the flag: {failed[:3]}')


def check(suite, folder, name):
   """One of names(), or of LONG."""
   if name == 'debugger varyings':
      check_varyings(suite, folder)
   elif name == 'debugger blocks':
      check_blocks(suite, folder)
   elif name == 'debugger case map':
      check_map(suite, folder)
   elif name == 'debugger case map variables':
      check_map_variables(suite, folder)
   elif name == 'debugger names of variables':
      check_names(suite, name, folder)
   elif name in ('debugger variables', 'debugger variables, all scenes'):
      check_variables(suite, name, folder, glmark2_scenes()[::1 if name in LONG else SCENES])
   elif name.startswith('debugger back'):
      scenes = [scene for scene in glmark2_scenes() if name in LONG or scene.startswith(BACK_SCENES)]
      check_back(suite, name, folder, scenes)
   elif name.startswith('debugger variables of piglit'):
      check_piglit_variables(suite, name, 1 if name in LONG else PIGLIT_EVERY)
   elif name == 'debugger client vscode':
      check_vscode(suite, folder)
   elif name == 'debugger client debugpy':
      check_debugpy(suite, folder)
   elif name.startswith('debugger client'):
      check_client(suite, folder, name.endswith('socket'))
   elif name == 'debugger pixels':
      check_pixels(suite, name, folder, glmark2_scenes()[::SCENES], SIZE, PIXELS, PIXELS)
   else:
      check_pixels(suite, name, folder, glmark2_scenes(), LONG_SIZE, LONG_PIXELS, LONG_TOTAL)
