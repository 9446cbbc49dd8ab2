# SPDX-License-Identifier: MIT
"""clipfree debug, of suite `tools`: it says of the case `map` what docs/debugging.md says; an editor's client drives
it, unmodified and without a screen, over pipes and over a socket; stepped pixels of real programs are those of the
frame buffer, with a step back in less than 50 ms; and with CLIPFREE_DEBUG=variables the variables of at least 95 of 100
statements are readable, while the picture stays the same."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from harness.scenes import glmark2_scenes, slug
from harness.suite import BUILD, PREBUILT, ROOT, driver_env, piglit_folder, run

sys.path.insert(0, str(ROOT / 'tools/shader'))
from shader_driver import compile_programs  # noqa: E402
from shader_programs import read_folder  # noqa: E402

DEBUG, REPLAY = (BUILD / 'tools' / name for name in ('clipfree-debug', 'clipfree-replay'))
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
         f'STOP reverseContinue | breakpoint | breakpoint 1 | map.frag:{LINE} |', 'DONE')
SCENES, PIXELS, SIZE = 6, 2000, '128x96'          # one of so many of glmark2's scenes, pixels of each
LONG_PIXELS, LONG_SIZE, LONG_TOTAL = 80000, '800x600', 10**6
FRAME = 10
CHECKED = re.compile(r'seed \d+: (\d+) pixels are those of the frame buffer; .*the longest ([\d.]+) ms')
LONG = ['debugger million pixels', 'debugger variables of piglit, all']
PIGLIT_SHADERS = ('tests/shaders', 'tests/spec/glsl-1.10', 'tests/spec/glsl-1.20', 'generated_tests/spec/glsl-1.10',
                  'generated_tests/spec/glsl-1.20')
PIGLIT_EVERY = 10
READABLE = 0.95            # of the statements: all variables in them
# What `replay --print` says of a program: its source, lines that have instructions, variables in scratch.
SOURCE = re.compile(r'^   source: (.*?)(?=^   \S)', re.DOTALL | re.MULTILINE)
LINES = re.compile(r'^      instruction.*?: line (.*)$', re.MULTILINE)
KEPT = re.compile(r'^   scratch dword \d+: \w+ (\w+)', re.MULTILINE)
TYPE = r'(?:(?:highp|mediump|lowp)\s+)?(?:float|int|bool|[ib]?vec[234]|mat[234])'
DECLARED = re.compile(rf'\b{TYPE}\s+(\w+)\s*[=;,)\[]')
GLOBAL = re.compile(rf'\b(?:uniform|attribute|varying|const)\s+{TYPE}\s+(\w+)')
VARIABLES_SAID = ('far = 1.0479239', 'height = nan', 'foam = (nan, nan, nan)',
                  'the outputs are those of the real program, bit for bit')


def names():
   return ['debugger case map', 'debugger client', 'debugger client socket', 'debugger pixels',
           'debugger case map variables', 'debugger variables', 'debugger variables of piglit']


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


def check_client(suite, folder, over_socket):
   name = 'debugger client socket' if over_socket else 'debugger client'
   if not shutil.which('emacs') or not list(DAP_MODE.glob('dap-mode-*')):
      suite.skip(name, 'emacs-nox and elpa-dap-mode are not installed')
      return
   path, drawn = captured_map(folder)
   source = folder / 'map.frag'
   source.write_text(drawn_source())
   server = subprocess.Popen([DEBUG, '--port', '0'], stdout=subprocess.PIPE, text=True, env=driver_env()) \
      if over_socket else None
   port = [re.search(r'127\.0\.0\.1:(\d+)', server.stdout.readline())[1]] if over_socket else []
   # emacs is the system's program: what the driver's environment preloads is not for it
   env = {key: value for key, value in os.environ.items() if key not in ('LD_LIBRARY_PATH', 'LD_PRELOAD')}
   shown = run(['emacs', '--batch', '-l', CLIENT, DEBUG, path, PIXEL, 'waves', source, str(LINE), *port], env,
               timeout_s=120)
   if server:
      if not shown.ok:
         server.terminate()
      server.communicate(timeout=10)
   lacks = in_order(shown.output, SHOWN)
   lanes = shown.output.count('LANE lane ')
   suite.check(name, drawn.ok and shown.ok and lacks is None and lanes == 32,
               f'{lanes} lanes; it does not show: {lacks}; {shown.why()}' if lacks or lanes != 32 else '')


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


# ---------------------------------------------------------------- variables

def picture(path):
   """What a capture shows, as bytes."""
   raw = path.with_suffix('.raw')
   run([REPLAY, '--raw', raw, path], driver_env())
   return raw.read_bytes() if raw.exists() else b''


class Statements:
   """Lines that have instructions; of those the ones of which all variables are kept; names that are not."""
   def __init__(self):
      self.count, self.readable, self.missing = 0, 0, set()

   def add_shader(self, sources, lines, kept):
      """Texts of shader objects; (object, line) from (0, 1); names of variables in scratch."""
      text = '\n'.join(sources)
      declared = set(DECLARED.findall(text)) - set(GLOBAL.findall(text))
      for number, line in lines:
         code = (sources[number].split('\n') + [''] * line)[line - 1].split('//')[0]
         used = set(re.findall(r'(?<![.\w])[A-Za-z_]\w*', code)) & declared
         self.count += 1
         self.readable += used <= kept
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


def check_variables(suite, folder):
   statements, wrong = Statements(), []
   for number, scene in enumerate(glmark2_scenes()[::SCENES]):
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
   suite.check('debugger variables', not wrong and statements.count > 50 and statements.suffice(),
               f'{statements}; ' + '; '.join(wrong[:3]))


def check_piglit_variables(suite, name, every):
   """Of every so-many-th of Piglit's GLSL programs; those that do not compile without the flag are left out."""
   piglit = piglit_folder()
   if not piglit:
      suite.skip(name, 'piglit is not installed')
      return
   programs = [program for folder in PIGLIT_SHADERS for program in read_folder(piglit / folder)][::every]
   right = [done.program for done in compile_programs(BUILD, programs) if done.ok]
   os.environ['CLIPFREE_DEBUG'] = 'variables'
   kept = compile_programs(BUILD, right)
   del os.environ['CLIPFREE_DEBUG']
   statements = Statements()
   for record in [record for done in kept if done.ok for record in done.stage.values()]:
      lines = {(number, line) for _, number, _, _, line in record['lines'] if number < len(record['sources'])}
      local = [variable['declaration'] for variable in record['variables'] if variable['kind'] == 'local']
      statements.add_shader(record['sources'], lines, {words.split('[')[0].split()[-1] for words in local})
   failed = [done.program.name for done in kept if not done.ok]
   suite.check(name, len(right) > 100 and statements.suffice() and len(failed) < (1 - READABLE) * len(right),
               f'{statements}; {len(failed)} of {len(right)} programs do not compile with the flag: {failed[:3]}')


def check(suite, folder, name):
   """One of names(), or of LONG."""
   if name == 'debugger case map':
      check_map(suite, folder)
   elif name == 'debugger case map variables':
      check_map_variables(suite, folder)
   elif name == 'debugger variables':
      check_variables(suite, folder)
   elif name.startswith('debugger variables of piglit'):
      check_piglit_variables(suite, name, 1 if name in LONG else PIGLIT_EVERY)
   elif name.startswith('debugger client'):
      check_client(suite, folder, name.endswith('socket'))
   elif name == 'debugger pixels':
      check_pixels(suite, name, folder, glmark2_scenes()[::SCENES], SIZE, PIXELS, PIXELS)
   else:
      check_pixels(suite, name, folder, glmark2_scenes(), LONG_SIZE, LONG_PIXELS, LONG_TOTAL)
