# SPDX-License-Identifier: MIT
"""clipfree reduce, of suite `tools`: it finds the one triangle of thousands that makes a pixel red, and its program in C
draws the capture's picture."""
import json

from harness.suite import BUILD, PREBUILT, ROOT, driver_env, run, system_env

REDUCE, REPLAY = (BUILD / 'tools' / name for name in ('clipfree-reduce', 'clipfree-replay'))
# A red pixel of many_draws, 156 pixels wide: in the mesh of column 5, row 2, which begins at 130,52.
RED_PIXEL, RED = (140, 63), 'ff0000ff'


def names():
   return ['reduce']


def picture(outcome, ppm, raw):
   """Whether the program ran and its PPM has the colours of pixels of four bytes."""
   if not outcome.ok or not ppm.exists():
      return False
   rgb = bytes(value for i, value in enumerate(raw.read_bytes()) if i % 4 < 3)
   return ppm.read_bytes().endswith(rgb)


def check(suite, folder, name):
   """Of 34 draws one triangle is left; most of its bytes are the GLSL and its line tables. The program in C, compiled and
   run on clipfree and on the system's Mesa, draws it."""
   whole, small, source, program, ppm, raw = (folder / f'reduce.{end}' for end in ('cap', 'small.cap', 'c', 'program', 'ppm', 'raw'))
   drawn = run([PREBUILT / 'many_draws'], driver_env(CLIPFREE_CAPTURE=f'file={whole},count=100'))
   at = 4 * (156 * RED_PIXEL[1] + RED_PIXEL[0])
   is_red = f"test $({REPLAY} --raw /dev/stdout {{}} | od -An -tx1 -j{at} -N4 | tr -d ' ') = {RED}"
   outcome = run([REDUCE, whole, '--test', is_red, '-o', small, '--c', source, '--json', '--quiet'], driver_env(), timeout_s=300)
   summary = json.loads(outcome.output) if outcome.ok else {}
   before, after = summary.get('before', {}), summary.get('after', {})
   suite.check(f'{name}: one triangle', drawn.ok and outcome.ok and before['draws'] == 34 and before['bytes'] > 5 * after['bytes'] and
               (after['draws'], after['operations'], after['elements']) == (1, 1, 3), f'{before} {after}' if outcome.ok else outcome.why())
   suite.check(f'{name}: all is expressed', summary.get('c', {}).get('lost') == [], str(summary.get('c')))
   includes = [f'-I{path}' for path in ROOT.glob('subprojects/mesa-*/include')]
   built = run(['cc', '-Wall', '-Wextra', '-Werror', *includes, '-o', program, source, BUILD / 'lib/libEGL.so', BUILD / 'lib/libGLESv2.so'])
   suite.check(f'{name}: compiles', built.ok, built.output)
   run([REPLAY, '--raw', raw, small], driver_env())
   for where, environment in ('clipfree', driver_env()), ('the system\'s Mesa', system_env()):
      ppm.unlink(missing_ok=True)
      shown = run([program, ppm], environment)
      suite.check(f'{name}: on {where}', picture(shown, ppm, raw), shown.why())
