# SPDX-License-Identifier: MIT
"""clipfree mediump and CLIPFREE_MEDIUMP, of suite `tools`: of the case `phone` it says what docs/debugging.md says; what the tool
draws is what the driver draws with the variable set, in both engines; right programs agree; which of glmark2's shaders
overflow is found."""
import json
import re
import zlib

from harness.scenes import glmark2_scenes, slug
from harness.suite import BUILD, PREBUILT, ROOT, driver_env, run
import schemas

MEDIUMP = ROOT / 'tools/mediump/mediump'
SHADER = ROOT / 'tools/shader/shader'
CAPTURE, REPLAY, SANITIZE = (BUILD / 'tools' / name for name in ('shader/clipfree-shader-capture', 'clipfree-replay', 'clipfree-sanitize'))
# What lowp and mediump make of a = 0.3, -3 and b = 5, 0.701, 20000, by precision.
ROUNDED = """precision mediump float;
uniform lowp vec4 a;
uniform vec4 b;
void main() { lowp vec4 c = b; gl_FragColor = vec4(a.xy, c.x * 0.5, c.y + b.z); }
"""
ROUNDED_INPUTS = 'uniform a = 0.3 -3 0 0\nuniform b = 5 0.701 20000 0\nlanes = 4\n'
ROUNDED_TO = {'off': (0.3, -3, 2.5, 20000.701), 'fp16': (0.3, -3, 2.5, 20000), 'fp10': (77 / 256, -2, 511 / 512, float('inf'))}
LINE = 'float light = 48000.0 / dot(way, way);'
FRAME = 10
# Lines of glmark2's shaders that overflow fp16, by scene: docs/mediump.md.
OVERFLOWS = {'terrain': {'vec3 viewPosition = normalize( vViewPosition );'}}
SHORT_SCENES = ('terrain:', 'shading:shading=phong')
LONG = ['mediump glmark2, all scenes']


def names():
   return ['mediump case phone', 'mediump driver', 'mediump precisions', 'mediump messages', 'mediump glmark2']


def tool(*words, timeout_s=300):
   return run([MEDIUMP, *words], driver_env(CLIPFREE_BUILD=str(BUILD)), timeout_s=timeout_s)


def answer(outcome):
   """The tool's JSON; {} where it failed."""
   try:
      return json.loads(outcome.output) if outcome.status in (0, 1) else {}
   except ValueError:
      return {}


def captured(folder, case, mediump='off'):
   path = folder / f'{case}-{mediump.replace(",", "-")}.cap'
   drawn = run([PREBUILT / 'debug_cases', case], driver_env(CLIPFREE_CAPTURE=f'file={path},count=100', CLIPFREE_MEDIUMP=mediump))
   return path if drawn.ok and path.exists() else None


def check_phone(suite, folder):
   outcome = tool('--json', captured(folder, 'phone'))
   report = answer(outcome)
   overflows = [place for place in report.get('places', []) if place['overflows']]
   parting = [place for place in report.get('places', []) if place['pixels']]
   suite.check('mediump case phone: the overflow is found', outcome.status == 1 and overflows and
               all(place['source'] == LINE and place['stage'] == 'fragment' and place['too_large'] > 65504 for place in overflows),
               outcome.why())
   suite.check('mediump case phone: pixels part at that line', parting and {place['source'] for place in parting} == {LINE} and
               sum(place['pixels'] for place in parting) + report['elsewhere'] == report['pixels'] > 1000, str(parting)[:300])
   raised = report.get('raise') or {'declarations': [], 'pixels': -1}
   suite.check('mediump case phone: the declaration to raise', [entry['declaration'] for entry in raised['declarations']] == ['vec3 way'] and
               raised['declarations'][0]['lines'] == [6] and raised['pixels'] == 0, str(raised))
   suite.check('mediump case phone: schema', not schemas.fault('mediump', report), schemas.fault('mediump', report))
   found = run([SANITIZE, '--json', captured(folder, 'phone')], driver_env())
   findings = json.loads(found.output)['findings'] if found.status == 1 else []
   suite.check('mediump case phone: the sanitiser names the line', findings and {finding['check'] for finding in findings} == {'mediump'} and
               {finding['text'] for finding in findings} == {LINE}, found.why())
   right = tool('--json', captured(folder, 'right'))
   suite.check('mediump case right: pictures agree', right.status == 0 and answer(right)['pixels'] == 0 and
               not any(place['overflows'] for place in answer(right)['places']), right.why())


# ---------------------------------------------------------------- the driver

def png_rgb(path):
   """The pixels of a file of the tool's, whose rows have no filter."""
   data = path.read_bytes()
   width = int.from_bytes(data[16:20], 'big')
   begin = data.index(b'IDAT')
   rows = zlib.decompress(data[begin + 4:begin + 4 + int.from_bytes(data[begin - 4:begin], 'big')])
   step = 1 + 3 * width
   return b''.join(rows[at + 1:at + step] for at in range(0, len(rows), step))


def drawn_rgb(folder, path):
   """The picture of a capture with its own programs."""
   changes, image = folder / 'none', folder / 'image'
   changes.write_text('{}')
   shown = run([CAPTURE, path, changes, image], driver_env())
   name, data = shown.output.split()[2], image.read_bytes()
   order = [channel for channel, _ in re.findall(r'([rgbax])(\d)', name.split('_')[0])]
   return b''.join(bytes(pixel) for pixel in zip(*(data[order.index(channel)::len(order)] for channel in 'rgb')))


def check_driver(suite, folder):
   """The capture of a program under CLIPFREE_MEDIUMP shows what the tool draws of one without."""
   plain = captured(folder, 'phone')
   for precision in ('fp16', 'fp16,flush', 'fp10'):
      tool('--no-raise', '--precision', precision, '--png', folder / 'tool-', plain)
      path = captured(folder, 'phone', precision)
      suite.check(f'mediump driver {precision}: what the tool draws', path and drawn_rgb(folder, path) == png_rgb(folder / 'tool-mediump.png'))
      compared = run([REPLAY, '--compare', '--against', 'engine=jit,threads=2', path], driver_env(), timeout_s=120)
      suite.check(f'mediump driver {precision}: both engines', compared.ok, compared.why())
   suite.check('mediump driver off: the picture at highp', drawn_rgb(folder, plain) == png_rgb(folder / 'tool-highp.png') and
               png_rgb(folder / 'tool-highp.png') != png_rgb(folder / 'tool-mediump.png'))
   bad = run([PREBUILT / 'debug_cases', 'right'], driver_env(CLIPFREE_MEDIUMP='fp8'))
   suite.check('mediump driver: a precision that is none', not bad.ok and 'fp16,flush' in bad.output, bad.why())


def check_precisions(suite, folder):
   """2^14 is too large for the least that GLSL ES allows, and not for fp16."""
   path = captured(folder, 'phone')
   largest = {}
   for precision in ('fp16', 'fp10'):
      report = answer(tool('--json', '--no-raise', '--precision', precision, path))
      largest[precision] = report.get('pixels', -1)
   shader, inputs = folder / 'rounded.frag', folder / 'inputs.txt'
   shader.write_text(ROUNDED)
   inputs.write_text(ROUNDED_INPUTS)
   for precision, wanted in ROUNDED_TO.items():
      outcome = run([SHADER, 'run', '--es', '--stage', 'fragment', '--inputs', inputs, shader],
                    driver_env(CLIPFREE_BUILD=str(BUILD), CLIPFREE_MEDIUMP=precision))
      colors = [float(value) for value in re.findall(r'^color 0\.\w +(\S+)', outcome.output, re.M)]
      suite.check(f'mediump precisions {precision}', len(colors) == 4 and all(abs(a - b) < 1e-7 * abs(b) or a == b for a, b in zip(colors, wanted)),
                  outcome.why())
   suite.check('mediump precisions', 0 < largest['fp16'] < largest['fp10'], str(largest))


def check_messages(suite, folder):
   cases = {'no capture': ([folder / 'none.cap'], 'CLIPFREE_CAPTURE makes one'), 'no word': ([], 'what capture'),
            'unknown precision': (['--precision', 'fp8', folder / 'none.cap'], 'fp16,flush'),
            'no pixel': (['--pixel', 'ten,4', folder / 'none.cap'], 'X,Y'),
            'pixel outside': (['--pixel', '4000,4', captured(folder, 'right')], '320 x 240'),
            'cannot write': (['--no-raise', '--png', folder / 'none' / 'x-', captured(folder, 'right')], 'No such file')}
   for name, (words, said) in cases.items():
      outcome = tool(*words)
      suite.check(f'mediump messages: {name}', outcome.status == 2 and said in outcome.output, outcome.why())


# ---------------------------------------------------------------- glmark2

def overflowing(folder, scene):
   """{line of GLSL} of a scene's shaders that overflow fp16; None: it was not captured."""
   path = folder / f'{slug(scene)}.cap'
   run(['glmark2-es2', '-s', '400x300', '-b', f'{scene}:duration=20'],
       driver_env(CLIPFREE_CAPTURE=f'file={path},frame={FRAME}', CLIPFREE_FRAMES=str(FRAME + 2)), timeout_s=120)
   report = answer(tool('--json', '--no-raise', path)) if path.exists() else {}
   path.unlink(missing_ok=True)
   return {place.get('source', '') for place in report['places'] if place['overflows']} if 'places' in report else None


def check_glmark2(suite, folder, scenes=SHORT_SCENES):
   for scene in scenes:
      found = overflowing(folder, scene)
      suite.check(f'mediump glmark2 {slug(scene)}', found == OVERFLOWS.get(scene.split(':')[0], set()), str(found))


CHECKS = {'mediump case phone': check_phone, 'mediump driver': check_driver, 'mediump precisions': check_precisions,
          'mediump messages': check_messages, 'mediump glmark2': check_glmark2,
          'mediump glmark2, all scenes': lambda suite, folder: check_glmark2(suite, folder, glmark2_scenes())}


def check(suite, folder, name):
   CHECKS[name](suite, folder)
