# SPDX-License-Identifier: MIT
"""clipfree reduce, of suite `tools`: it finds the one triangle of thousands that makes a pixel red, and its program in
C draws the capture's picture. Of a long shader with a fault it leaves the lines that make it, also where it is
interrupted. And frames of real programs: cut off after a draw they give the same bits, and the colour of a pixel is left
by fewer draws, which a program in C draws, too."""
import json
import random
import re
import shutil
import signal
import subprocess

from harness import hacks
from harness.suite import BUILD, PREBUILT, ROOT, driver_env, run, system_env

REDUCE, REPLAY, WHY = (BUILD / 'tools' / name for name in ('clipfree-reduce', 'clipfree-replay', 'clipfree-why'))
# A red pixel of many_draws, 156 pixels wide: in the mesh of column 5, row 2, which begins at 130,52.
RED_PIXEL, RED = (140, 63), 'ff0000ff'
IS_RED = f"test $({REPLAY} --raw /dev/stdout {{}} | od -An -tx1 -j{4 * (156 * RED_PIXEL[1] + RED_PIXEL[0])} -N4 | tr -d ' ') = {RED}"
# The fault of long_shader: which line of it makes positions that are no numbers, in draw 0 or 1.
HAS_FAULT = f"for draw in 0 1; do {WHY} {{}} $draw 32,32; done | grep -q 'position is not finite.*/ steepness'"
MOST_LINES = 30   # of the 69 of long_shader
SIZE = (128, 96)
WINDOW = '{}x{}'.format(*SIZE)
# Programs whose captured frame is cut off.
TRIMMED = {'trim shadow': ['glmark2-es2', '-s', WINDOW, '-b', 'shadow:duration=20'],
           'trim terrain': ['glmark2-es2', '-s', WINDOW, '-b', 'terrain:duration=20'],
           'trim gears': [str(hacks.FOLDER / 'gears'), '--window', '--geometry', WINDOW]}
REDUCED = ['glmark2-es2', '-s', WINDOW, '-b', 'shadow:duration=20']
SEED, TRIMS = 16, 4
LONG = ['reduce GLSL', 'reduce a program']   # of minutes; the others go the same ways with less


def names():
   return ['reduce', 'reduce interrupted', *TRIMMED]


def check(suite, folder, name):
   if name in TRIMMED:
      check_trimmed(suite, folder, name)
      return
   {'reduce': check_draws, 'reduce a program': check_program, 'reduce GLSL': check_shader,
    'reduce interrupted': check_interrupted}[name](suite, folder, name)


def picture(outcome, ppm, raw):
   """Whether the program ran and its PPM has the colours of pixels of four bytes."""
   if not outcome.ok or not ppm.exists():
      return False
   rgb = bytes(value for i, value in enumerate(raw.read_bytes()) if i % 4 < 3)
   return ppm.read_bytes().endswith(rgb)


def captured(program, path):
   """The capture of a program, which draws one submission."""
   return run([program], driver_env(CLIPFREE_CAPTURE=f'file={path},count=100'))


def holds(command, path):
   return run(['sh', '-c', command.replace('{}', str(path))]).ok


def compiled(source, program):
   """The program in C, compiled as a user does, but with our headers and libraries."""
   includes = [f'-I{path}' for path in ROOT.glob('subprojects/mesa-*/include')]
   return run(['cc', '-Wall', '-Wextra', '-Werror', *includes, '-o', program, source, BUILD / 'lib/libEGL.so',
               BUILD / 'lib/libGLESv2.so'])


def glsl(source):
   """The lines of GLSL in a program in C."""
   return re.findall(r'^   "(.*?)(?:\\n)?";?$', source.read_text(), re.MULTILINE)


def check_draws(suite, folder, name):
   """Of 34 draws one triangle is left, and of its GLSL what places and paints it. The program in C, compiled and run on
   clipfree and on the system's Mesa, draws it."""
   whole, small, source, program, ppm, raw = (folder / f'reduce.{end}'
                                              for end in ('cap', 'small.cap', 'c', 'program', 'ppm', 'raw'))
   drawn = captured(PREBUILT / 'many_draws', whole)
   outcome = run([REDUCE, whole, '--test', IS_RED, '-o', small, '--c', source, '--json', '--quiet'], driver_env(),
                 timeout_s=600)
   summary = json.loads(outcome.output) if outcome.ok else {}
   before, after = summary.get('before', {}), summary.get('after', {})
   suite.check(f'{name}: one triangle', drawn.ok and outcome.ok and before['draws'] == 34
               and before['bytes'] > 10 * after['bytes'] and
               (after['draws'], after['operations'], after['elements']) == (1, 1, 3), f'{before} {after}'
               if outcome.ok else outcome.why())
   if not outcome.ok:
      return
   suite.check(f'{name}: all is expressed', summary['c']['lost'] == [] and summary['c']['glsl_kept'] is None,
               str(summary['c']))
   text = '\n'.join(glsl(source))
   suite.check(f'{name}: simple GLSL', len(glsl(source)) == after['lines'] < before['lines'] and
               not any(word in text for word in ('image', 'dark', 'camera', 'varying')) and 'paint' in text, text)
   built = compiled(source, program)
   suite.check(f'{name}: compiles', built.ok, built.output)
   run([REPLAY, '--raw', raw, small], driver_env())
   for where, environment in ('clipfree', driver_env()), ('the system\'s Mesa', system_env()):
      ppm.unlink(missing_ok=True)
      shown = run([program, ppm], environment)
      suite.check(f'{name}: on {where}', picture(shown, ppm, raw), shown.why())


def framed(command, path):
   """A frame of a real program. Returns the number of its draws; 0: there is none."""
   run(command, driver_env(CLIPFREE_CAPTURE=f'file={path},frame=5', CLIPFREE_FRAMES='8', vblank_mode='0'),
       timeout_s=120)
   listed = run([REPLAY, '--list', '--json', path], driver_env())
   return json.loads(listed.output)['draws'] if listed.ok else 0


def raw(path, file, *options):
   """The pixels of an image, as bytes."""
   file.unlink(missing_ok=True)
   done = run([REPLAY, '--raw', file, *map(str, options), path], driver_env())
   return file.read_bytes() if done.ok else done.why()


def check_trimmed(suite, folder, name):
   """Cut off after a draw at random, and from another one on: the picture is that of the whole capture there, on both
   paths."""
   command = TRIMMED[name]
   if not shutil.which(command[0]):
      suite.skip(name, f'{command[0]} is not installed')
      return
   whole, small, numbers = folder / 'whole.cap', folder / 'small.cap', random.Random(SEED)
   draws = framed(command, whole)
   suite.check(f'{name}: a capture', draws > 1, f'{draws} draws')
   for last in sorted({draws - 1, *(numbers.randrange(draws) for _ in range(TRIMS))}) if draws else ():
      first = numbers.randrange(last + 1)
      done = run([REPLAY, '--json', '--trim', f'{first}..{last}', small, whole], driver_env())
      found = json.loads(done.output)['last_draw'] if done.ok else {'of_output': 0}
      same = [raw(small, folder / 'small.raw', '--draw', found['of_output'], *image) ==
              raw(whole, folder / 'whole.raw', '--draw', last, *image)
              for image in ([], ['--path', 'plain'])]
      smaller = small.exists() and small.stat().st_size <= 1.05 * whole.stat().st_size
      suite.check(f'{name}: {first}..{last}', done.ok and all(same) and smaller, f'{same} {done.why()}')


def check_program(suite, folder, name):
   """Of a frame of glmark2 the draws are left that give a pixel of the model its colour, and the program in C, compiled
   and run, draws the picture of what is left."""
   if not shutil.which(REDUCED[0]):
      suite.skip(name, f'{REDUCED[0]} is not installed')
      return
   whole, small, source, program, ppm, pixels = (folder / f'program.{end}' for end in
                                                 ('cap', 'small.cap', 'c', 'program', 'ppm', 'raw'))
   draws = framed(REDUCED, whole)
   at = 4 * (SIZE[0] * (SIZE[1] // 2) + SIZE[0] // 2)
   color = raw(whole, pixels)[at:at + 4].hex() if draws else ''
   test = f"test $({REPLAY} --raw /dev/stdout {{}} | od -An -tx1 -j{at} -N4 | tr -d ' ') = {color}"
   outcome = run([REDUCE, whole, '--test', test, '-o', small, '--c', source, '--json', '--quiet'], driver_env(),
                 timeout_s=1800)
   summary = json.loads(outcome.output) if outcome.ok else {}
   suite.check(f'{name}: fewer draws', outcome.ok and summary['after']['draws'] < draws and
               summary['before']['bytes'] > summary['after']['bytes'], f'{summary.get("after")} {outcome.why()}')
   if not outcome.ok:
      return
   suite.check(f'{name}: the pixel', raw(small, pixels)[at:at + 4].hex() == color)
   built = compiled(source, program)
   shown = run([program, ppm], driver_env()) if built.ok else built
   suite.check(f'{name}: the program in C', picture(shown, ppm, pixels), f'{summary["c"]} {shown.why()}')


def check_fault(suite, name, folder, small, source):
   """The capture and what the program in C draws have the fault. Returns the lines of GLSL."""
   suite.check(f'{name}: the capture', holds(HAS_FAULT, small))
   program, again = folder / 'program', folder / 'again.cap'
   built = compiled(source, program)
   shown = run([program, folder / 'ppm'], driver_env(CLIPFREE_CAPTURE=f'file={again},count=100')) if built.ok else built
   suite.check(f'{name}: the program in C', shown.ok and holds(HAS_FAULT, again), shown.output)
   return glsl(source)


def check_shader(suite, folder, name):
   """Of a long shader the line with the fault is left, and what brings its result to the position. The driver's GLSL
   compiler sees none of it read what was not written."""
   whole, small, source = (folder / f'shader.{end}' for end in ('cap', 'small.cap', 'c'))
   captured(PREBUILT / 'long_shader', whole)
   outcome = run([REDUCE, whole, '--test', HAS_FAULT, '-o', small, '--c', source, '--json', '--quiet'], driver_env(),
                 timeout_s=600)
   suite.check(f'{name}: reduced', outcome.ok, outcome.why())
   if outcome.ok:
      lines = check_fault(suite, name, folder, small, source)
      summary = json.loads(outcome.output)
      suite.check(f'{name}: few lines', summary['before']['lines'] == 69
                  and len(lines) == summary['after']['lines'] <= MOST_LINES and
                  any('/ steepness' in line for line in lines)
                  and not any('light' in line or '#' in line for line in lines),
                  '\n'.join(lines))
      warned = run([folder / 'program', folder / 'ppm'], driver_env()).output
      suite.check(f'{name}: nothing undefined', 'uninitialized' not in warned, warned)


def check_interrupted(suite, folder, name):
   """Ctrl-C when some GLSL is simpler: the capture and the program are there, with the fault and with fewer lines."""
   whole, small, source = (folder / f'interrupted.{end}' for end in ('cap', 'small.cap', 'c'))
   captured(PREBUILT / 'long_shader', whole)
   reducing = subprocess.Popen([REDUCE, whole, '--test', HAS_FAULT, '-o', small, '--c', source, '--json'],
                               env=driver_env(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
   for line in reducing.stderr:
      if re.search(r' ([0-5]?\d) lines of GLSL', line):
         reducing.send_signal(signal.SIGINT)
         break
   output, errors = reducing.communicate(timeout=300)
   suite.check(f'{name}: the best so far', reducing.returncode == 130
               and 'interrupted; the best so far is in' in errors, errors)
   if reducing.returncode == 130:
      lines = check_fault(suite, name, folder, small, source)
      summary = json.loads(output)
      suite.check(f'{name}: fewer lines', summary['interrupted'] and len(lines) < 60, '\n'.join(lines))
      check_kept(suite, name, folder, small)


def check_kept(suite, name, folder, path):
   """GLSL stays as it is, and why is said, without a compiler, and where CMD fails for what the program draws: a clear,
   too."""
   bare, source = folder / 'bare.cap', folder / 'kept.c'   # a draw without a clear
   without_clear = f'{HAS_FAULT} && ! {REPLAY} --list {{}} | grep -q " clear "'
   for given, to, why, command, variables in \
         ((path, bare, 'false does not compile the program', HAS_FAULT, {'CC': 'false'}),
          (bare, folder / 'kept.cap', 'the command fails for what the program in C draws', without_clear, {})):
      source.unlink(missing_ok=True)
      outcome = run([REDUCE, given, '--test', command, '-o', to, '--c', source, '--json', '--quiet'],
                    driver_env(**variables), timeout_s=300)
      suite.check(f'{name}: {why}', outcome.ok and f'the GLSL is as it was: {why}' in outcome.output
                  and source.exists() and
                  f'"glsl_kept": "{why}' in outcome.output, outcome.output)
