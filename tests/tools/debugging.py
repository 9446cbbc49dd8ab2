# SPDX-License-Identifier: MIT
"""clipfree debug, of suite `tools`: it says of the case `map` what docs/debugging.md says; an editor's client drives it,
unmodified and without a screen, over pipes and over a socket; and stepped pixels of real programs are those of the frame
buffer, with a step back in less than 50 ms."""
import os
import re
import shutil
import subprocess
from pathlib import Path

from harness.scenes import glmark2_scenes, slug
from harness.suite import BUILD, PREBUILT, driver_env, run

DEBUG = BUILD / 'tools' / 'clipfree-debug'
CLIENT = Path(__file__).resolve().parent / 'debug_client.el'
DAP_MODE = Path('/usr/share/emacs/site-lisp/elpa-src')   # where Debian's elpa-dap-mode is
CLOCK = {'LD_PRELOAD': str(PREBUILT / 'steady_clock.so'), 'STEADY_CLOCK_STEP_US': '16000', 'vblank_mode': '0'}
SEED = 17
STEP_BACK_MS = 50
PIXEL = '40,20'            # of the case `map`, black
# What is typed, and what must be said, in this order.
TYPED = ('watch texel waves', 'catch nan', 'c', 'ni', 'p isnan(v0)', 'rc', 'rc')
SAID = ('draw 1: glDrawArrays(GL_TRIANGLE_STRIP, 0, 4)', 'draw 0: glDrawArrays(GL_TRIANGLE_STRIP, 0, 4)',
        'pixel 0,43 was written by draw 0, primitive 0', 'NaN is born: fsqrt of -0.297923923',
        'GLSL1.frag:6   float height = sqrt(0.75 - far);', '\n1\n', 'NaN is born', 'the start: no breakpoint is before')
LINE = 6                   # of the shader that draws the map: where the client's breakpoint is
# What the client shows: its stops, and values.
SHOWN = ('STOP entry | entry | entry | ', 'GLSL4.frag:4 | main, draw 1, pixel 40,20', 'DATA texel waves',
         'STOP data | data breakpoint | pixel 0,43 was written by draw 0, primitive 0: ', f'| map.frag:{LINE} | main, draw 0, pixel 0,43',
         f'STOP continue | breakpoint | breakpoint 1 | map.frag:{LINE} |', 'STOP next | step | step | map.frag:8 |',
         'VALUE Varyings | place | (-0.984375, 0.359375)', f'STOP stepBack | step | step | map.frag:{LINE} |',
         'STOP stepOut | step | the end of the program |', 'VALUE Outputs | gl_FragColor | (nan, nan, nan, 1)',
         f'STOP reverseContinue | breakpoint | breakpoint 1 | map.frag:{LINE} |', 'DONE')
SCENES, PIXELS, SIZE = 6, 2000, '128x96'          # one of so many of glmark2's scenes, pixels of each
LONG_PIXELS, LONG_SIZE, LONG_TOTAL = 60000, '800x600', 10**6
FRAME = 10
CHECKED = re.compile(r'seed \d+: (\d+) pixels are those of the frame buffer; .*the longest ([\d.]+) ms')
LONG = ['debugger million pixels']


def names():
   return ['debugger case map', 'debugger client', 'debugger client socket', 'debugger pixels']


def in_order(text, words):
   """The first of `words` that `text` lacks behind the ones before it; None: it has them all, in this order."""
   at = 0
   for word in words:
      at = text.find(word, at)
      if at < 0:
         return word
      at += len(word)
   return None


def captured_map(folder):
   path = folder / 'map.cap'
   drawn = run([PREBUILT / 'debug_cases', 'map'], driver_env(CLIPFREE_CAPTURE=f'file={path},count=100'))
   return path, drawn


def check_map(suite, folder):
   path, drawn = captured_map(folder)
   stepped = subprocess.run([DEBUG, path, '--pixel', PIXEL], input='\n'.join(TYPED), env=driver_env(), capture_output=True, text=True,
                            check=False, timeout=60)
   lacks = in_order(stepped.stdout, SAID)
   suite.check('debugger case map', drawn.ok and stepped.returncode == 0 and lacks is None, f'it does not say: {lacks}' if lacks else '')


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
   server = subprocess.Popen([DEBUG, '--port', '0'], stdout=subprocess.PIPE, text=True, env=driver_env()) if over_socket else None
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

def captured_scene(folder, scene, size):
   path = folder / f'{slug(scene)}.cap'
   outcome = run(['glmark2-es2', '-s', size, '-b', f'{scene}:duration=20'],
                 driver_env(CLIPFREE_CAPTURE=f'file={path},frame={FRAME}', CLIPFREE_FRAMES=str(FRAME + 2), **CLOCK), timeout_s=120)
   return path if path.exists() else None, outcome.why()


def check_pixels(suite, name, folder, scenes, size, pixels, at_least):
   total, slowest, wrong = 0, 0.0, []
   for number, scene in enumerate(scenes):
      path, why = captured_scene(folder, scene, size)
      checked = run([DEBUG, path, '--check', str(pixels), '--seed', str(SEED + number)], driver_env(), timeout_s=3600) if path else None
      found = CHECKED.search(checked.output) if checked else None
      if not found:
         wrong.append(f'{scene}: {checked.why() if checked else why}')
         continue
      total += int(found[1])
      slowest = max(slowest, float(found[2]))
      path.unlink()
   suite.check(name, not wrong and total >= at_least and slowest < STEP_BACK_MS,
               f'seeds from {SEED}: {total} pixels, the slowest step back {slowest} ms; ' + '; '.join(wrong[:3]))


def check(suite, folder, name):
   """One of names(), or of LONG."""
   if name == 'debugger case map':
      check_map(suite, folder)
   elif name.startswith('debugger client'):
      check_client(suite, folder, name.endswith('socket'))
   elif name == 'debugger pixels':
      check_pixels(suite, name, folder, glmark2_scenes()[::SCENES], SIZE, PIXELS, PIXELS)
   else:
      check_pixels(suite, name, folder, glmark2_scenes(), LONG_SIZE, LONG_PIXELS, LONG_TOTAL)
