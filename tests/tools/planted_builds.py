# SPDX-License-Identifier: MIT
"""`clipfree replay --compare` and what another build draws, of suite `tools`. A copy of the GPU and its tools, with
faults planted, is built for itself; CLIPFREE_PLANTED chooses one of them. Each is named: between this build and that
one, or between two settings of that one: the operation, the pixel, the primitive, the lane, the instruction.

The reference is slow and obvious: hashes of each operation, and all pixels, of both sides."""
import json
import shutil
from dataclasses import dataclass, field

import captures
from harness.hosts import meson
from harness.suite import ARTIFACTS, BUILD, ROOT, driver_env, run
import schemas

REPLAY, ASM = BUILD / 'tools/clipfree-replay', BUILD / 'tools/asm/clipfree-asm'
PLANTED = ARTIFACTS / 'planted'    # a copy of the source, with its build, which is kept
FOLDER = PLANTED / 'source' / 'build'
BUILD_S = 1800
COPIED = ('src', 'tools', 'docs', 'meson.build', 'meson.options')
JIT_MODULE = 'src/clipfree/jit/llvm/libclipfree_jit.so'
# Before a source that has a fault. The others, and the options of the build, are as in build-unit/: where ccache is
# installed, they are not compiled again.
HEADER = """#ifndef PLANTED
#define PLANTED
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* Whether the fault is the one that is planted. */
__attribute__((unused)) static bool
planted(const char *name)
{
   const char *given = getenv("CLIPFREE_PLANTED");
   return given && !strcmp(given, name);
}
/* The results of an operation in all lanes: those of fmul have another bit. */
__attribute__((unused)) static void
planted_result(const char *op, void *row)
{
   for (int lane = 0; lane < 32 && !strcmp(op, "FMUL") && planted("instruction"); lane++)
      ((uint32_t *)row)[lane] ^= 1u << 20;
}
#endif
#line 1
"""
# What is written in the source, and what in the place of it.
FAULTS = {
   'memory/cf_surface_copy.c': (
      '   else\n      copy_samples(&part);\n',
      '   else\n      copy_samples(&part);\n'
      '   if (planted("copy"))\n'
      '      c->destination->data[cf_image_offset_B(c->destination, r->min_x_px, r->min_y_px)] ^= 1;\n'),
   'command/cf_transfer_buffers.c': (
      '   memcpy(copy->destination + at_B, copy->source + at_B, slice_size_B(copy->size_B, item));\n',
      '   memcpy(copy->destination + at_B, copy->source + at_B, slice_size_B(copy->size_B, item));\n'
      '   if (planted("buffer"))\n      copy->destination[at_B + 5] ^= 1;\n'),
   'shader/cf_fetch_lanes.c': (
      '      gather_dwords(format->channels, element, lanes, rgba);\n',
      '      gather_dwords(format->channels, element, lanes, rgba);\n'
      '      rgba[0][1] ^= planted("attribute") ? 1u << 20 : 0;\n'),
   'pixel/cf_depth_stored.h': ('   return layout == CF_ZS_Z16 ? 65535.0 : 16777215.0;\n',
                               '   return layout == CF_ZS_Z16 ? 65535.0 : planted("depth") ? 16770000.0 '
                               ': 16777215.0;\n'),
   'pixel/cf_pixel_write.c': (
      '      out[i] = blend_term(&s, src[i], src_from[i]) + ',
      '      out[i] = (planted("blend") ? 0.5f : 1.0f) * blend_term(&s, src[i], src_from[i]) + '),
   'pixel/cf_pixel_words.c': ('target->blend ? blend(target, src, lane, old) :',
                              'target->blend ? blend(target, src, lane, old) ^ (planted("blend") ? 16u : 0u) :'),
   'pixel/cf_hiz.c': ('   return farthest ? end > bound ||',
                      '   return planted("hiz") ? true : farthest ? end > bound ||'),
   'shader/cf_interp_lanes.c': (
      '         dst[lane] = BITS_##result_type(result); ',
      '         dst[lane] = BITS_##result_type(result); if (lane + 1 == CF_TASK_LANES) planted_result(#op, dst); '),
   'jit/llvm/cf_jit_translate.c': (
      '   return instr->op == CF_OP_MOVI ?',
      '   if (instr->op == CF_OP_FMUL && planted("jit"))\n'
      '      return cf_jit_alu(&t->j, CF_OP_FADD, src[0], src[1], src[2]);\n   return instr->op == CF_OP_MOVI ?'),
   'jit/llvm/cf_jit_blend_ir.c': ('   return LLVMBuildFAdd(t->j.ir, blend_term(t, target, &key->src,',
                                  '   return (planted("jit pixels") ? LLVMBuildFSub : LLVMBuildFAdd)(t->j.ir, '
                                  'blend_term(t, target, &key->src,'),
}
FMUL = ''.join(f'ldvar v{i}, {i}, smooth\n' for i in range(4)) + 'fmul v1, v1, 0.5\n' + \
   ''.join(f'out {i}, v{i}\n' for i in range(4)) + 'end\n'
# The same code from quads to pixels is not compiled for two states at once: what is blended has a program of its own.
BLENDED = ''.join(f'ldvar v{i}, {i}, smooth\n' for i in range(4)) + \
   ''.join(f'out {i}, v{i}\n' for i in (3, 2, 1, 0)) + 'end\n'
EVERYTHING = [(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)]


@dataclass
class Case:
   """A fault, and what must be named: the operation of the scene, and members of the difference."""
   fault: str
   operation: int
   what: str = 'pixel'
   image: str | None = 'color 0'
   primitive: int | None = 0
   stage: str | None = None      # of the instruction; None: there is none
   text: str = ''                # that its text begins with
   note: str = ''                # that is among the notes
   against: str = ''             # settings of side b; '': the two builds
   setting: str | None = None    # that alone makes it
   options: list = field(default_factory=list)


# Operations of the scene, and its draws: 0 has the fmul, 1 tests and writes depth, 2 blends.
CLEAR, DRAW_0, DRAW_1, DRAW_2, COPY, BUFFER = range(6)
STATE = 'what differs is made by the set-up of the primitive or by state'
CASES = [
   Case('attribute', DRAW_0, stage='vertex', text='ldf '),
   Case('instruction', DRAW_0, stage='fragment', text='fmul v1, v1, 0.5'),
   Case('depth', DRAW_1, image='depth_stencil', note=STATE),
   Case('blend', DRAW_2, note=STATE),
   Case('copy', COPY, image='destination', primitive=None),
   Case('buffer', BUFFER, what='buffer', image=None, primitive=None),
   Case('jit', DRAW_0, stage='fragment', text='fmul v1, v1, 0.5', against='engine=jit', setting='engine'),
   Case('jit pixels', DRAW_2, note='it writes pixels wrongly', against='engine=jit', setting='engine'),
   Case('jit', DRAW_0, stage='fragment', text='fmul v1, v1, 0.5', against='engine=jit,threads=2,vertices=whole',
        setting='engine'),
]


def names():
   return ['planted builds', 'planted programs']


# ---------------------------------------------------------------- the other build

def put(path, text):
   """Writes a file if it is another one, so that what is made of it stays."""
   if not path.exists() or path.read_bytes() != text:
      path.parent.mkdir(parents=True, exist_ok=True)
      path.write_bytes(text)


def planted_text(path, text):
   """The text with its fault. None: it has not what is to be replaced."""
   fault = next((fault for name, fault in FAULTS.items() if path == ROOT / 'src/clipfree' / name), None)
   if not fault:
      return text
   old, new = (part.encode() for part in fault)
   return HEADER.encode() + text.replace(old, new) if text.count(old) == 1 else None


def copied():
   """Copies the source and plants the faults. Returns what is wrong, '' if nothing."""
   for name in COPIED:
      top = ROOT / name
      for path in sorted(top.rglob('*')) if top.is_dir() else [top]:
         if not path.is_file() or '__pycache__' in path.parts:
            continue
         text = planted_text(path, path.read_bytes())
         if text is None:
            return f'{path.relative_to(ROOT)} has not once what a fault replaces: planted_builds.py'
         put(PLANTED / 'source' / path.relative_to(ROOT), text)
         shutil.copymode(path, PLANTED / 'source' / path.relative_to(ROOT))
   return ''


def built():
   """The folder of the other build, and why there is none."""
   folder, why = FOLDER, copied()
   if why:
      return None, why
   if not (folder / 'build.ninja').exists():
      shutil.rmtree(folder, ignore_errors=True)
      made = run([meson() or 'meson', 'setup', folder, PLANTED / 'source', '-Dmesa=disabled', '-Dreproducible=true'],
                 driver_env(), timeout_s=BUILD_S)
      if not made.ok:
         return None, made.why()
   has_jit = run(['ninja', '-C', folder, '-t', 'query', JIT_MODULE], driver_env()).ok
   made = run(['ninja', '-C', folder, 'tools/clipfree-replay', *([JIT_MODULE] if has_jit else [])], driver_env(),
              timeout_s=BUILD_S)
   shutil.rmtree(PLANTED / 'cache', ignore_errors=True)
   return (folder, f'{made.seconds:.0f} s') if made.ok else (None, made.output[-400:])


def environment(fault):
   """That of the other build: its own compiler, and for each fault a cache of compiled code."""
   return driver_env(CLIPFREE_PLANTED=fault, MESA_SHADER_CACHE_DIR=str(PLANTED / 'cache' / fault),
                     LD_LIBRARY_PATH=str(FOLDER / JIT_MODULE.rpartition('/')[0]))


# ---------------------------------------------------------------- captures

def scene(path):
   """A clear, three draws, a copy of the image, a copy of bytes, in one submission."""
   capture = captures.Captured(ASM)
   color, zs = capture.surface('r8g8b8a8_unorm', 8, 8), capture.surface('z24_unorm_s8_uint', 8, 8)
   other, data = capture.surface('r8g8b8a8_unorm', 8, 8), capture.put(bytes(range(64)))
   capture.frame(color, zs)
   capture.packet('clear', colors=1, depth=True, depth_value=1.0, max_x_px=8, max_y_px=8)
   plain = capture.program('fragment', captures.COLORS, vector_regs=4, outputs=4, inputs=4, color_outputs=1)
   multiplied = capture.program('fragment', FMUL, vector_regs=4, outputs=4, inputs=4, color_outputs=1)
   capture.packet('shader', stage='fragment', program=multiplied)
   capture.vertices(EVERYTHING, [(0.75, 0.75, 0.25, 1)] * 3)
   capture.draw()
   capture.packet('shader', stage='fragment', program=plain)
   capture.packet('depth_stencil', depth_test=True, depth_func='less', depth_write=True)
   capture.vertices([(x, y, 0.25, w) for x, y, _, w in EVERYTHING], [(0.5, 0.25, 0.5, 1)] * 3)
   capture.draw()
   capture.packet('depth_stencil')
   blended = capture.program('fragment', BLENDED, vector_regs=4, outputs=4, inputs=4, color_outputs=1)
   capture.packet('shader', stage='fragment', program=blended)
   capture.packet('blend', write_mask=0xf, enable=True, color_func='add', alpha_func='add', src_color='dst_alpha',
                  dst_color='one', src_alpha='one', dst_alpha='one')
   capture.vertices(EVERYTHING, [(0.25, 0.25, 0.25, 0.5)] * 3)
   capture.draw()
   capture.packet('copy', source=color[0], destination=other[0], width_px=8, height_px=8)
   capture.packet('copy_buffer', source=data, destination=capture.put(bytes(64)), size_B=64)
   capture.submit()
   capture.write(path)


# ---------------------------------------------------------------- comparison

def compared(tool, options, path, env):
   """(the answer, what is wrong with it)"""
   outcome = run([tool, '--compare', '--json', *options, path], env, timeout_s=300)
   try:
      answer = json.loads(outcome.output)
   except ValueError:
      return {}, outcome.why()
   wrong = schemas.fault('replay-compare', answer)
   return answer, wrong or ('' if outcome.status == (0 if answer['equal'] else 3) else outcome.why())


def hashed(tool, options, path, env):
   return [json.loads(line) for line in run([tool, '--hashes', *options, path], env, timeout_s=300).output.splitlines()]


def pixels(tool, options, path, env, operation, image, sample, folder):
   file = folder / 'raw'
   file.unlink(missing_ok=True)
   run([tool, '--raw', file, '--operation', str(operation), '--image', image, '--sample', str(sample), *options, path],
       env, timeout_s=300)
   return file.read_bytes() if file.exists() else b''


def reference_fault(difference, sides, path, folder):
   """What hashes and pixels of both sides, (tool, options, environment), say otherwise; '' if nothing."""
   lines = [hashed(tool, options, path, env) for tool, options, env in sides]
   first = next((a for a, b in zip(*lines) if a != b), None)
   operation = difference['operation']['operation']
   if first is None or first['operation'] != operation:
      return f'operation {operation}, hashes differ first in {first and first["operation"]}'
   if difference['what'] != 'pixel':
      return ''
   raw = [pixels(tool, options, path, env, operation, difference['image']['image'], difference['sample'], folder)
          for tool, options, env in sides]
   pixel_B = len(raw[0]) // (difference['image']['width'] * difference['image']['height'])
   at = next((i // pixel_B for i, (a, b) in enumerate(zip(*raw)) if a != b), 0)
   place = [at % difference['image']['width'], at // difference['image']['width']]
   return '' if place == [difference['x'], difference['y']] else f'{difference["x"]},{difference["y"]}, pixels: {place}'


def unlike(difference, case):
   """Names of what is not as the case has it."""
   instruction = difference.get('instruction', {})
   found = {'operation': difference.get('operation', {}).get('operation'), 'what': difference.get('what'),
            'image': difference.get('image', {}).get('name'), 'primitive': difference.get('primitive'),
            'setting': difference.get('setting'), 'stage': instruction.get('stage')}
   wrong = [name for name, value in found.items() if value != getattr(case, name)]
   if not instruction.get('text', '').startswith(case.text):
      wrong.append('text')
   if case.stage and not {'lane', 'a', 'b'} <= set(instruction):
      wrong.append('lane')
   if not any(case.note in note for note in difference.get('notes', [''])):
      wrong.append('note')
   return wrong


def check_case(suite, name, case, folder, build):
   path, env = folder / 'scene.cap', environment(case.fault)
   other = build / 'tools/clipfree-replay'
   if case.against:
      words = [part.split('=') for part in case.against.split(',')]
      settings = [word for option, value in words for word in (f'--{option}', value)]
      tool, options = other, ['--against', case.against]
      sides = [(other, case.options, env), (other, [*case.options, *settings], env)]
   else:
      tool, options = REPLAY, ['--against-build', build]
      sides = [(REPLAY, case.options, env), (other, case.options, env)]
   answer, wrong = compared(tool, [*case.options, *options], path, env)
   difference = answer.get('difference', {'operation': {}})
   differs = [] if wrong else unlike(difference, case)
   label = f'{name}: {case.fault}{" against " + case.against if case.against else ""}'
   suite.check(label, not wrong and not differs,
               wrong or (f'{differs}: {json.dumps(difference)[:900]}' if differs else answer['verdict']))
   if not wrong and not differs:
      fault = reference_fault(difference, sides, path, folder)
      suite.check(f'{label}, by hashes and pixels', not fault, fault)


def check_scene(suite, name, folder, build):
   scene(folder / 'scene.cap')
   answer, wrong = compared(REPLAY, ['--against-build', build], folder / 'scene.cap', environment(''))
   suite.check(f'{name}: without a fault', not wrong and answer['equal'], wrong or answer['verdict'])
   has_jit = (build / JIT_MODULE).exists()
   for case in CASES:
      if 'jit' in case.against and not has_jit:
         suite.skip(f'{name}: {case.fault}', 'there is no LLVM to build the compiler with')
      else:
         check_case(suite, name, case, folder, build)


def check_programs(suite, name, folder, build):
   """Frames of real programs: the operation and the pixel are those of hashes and pixels."""
   if not shutil.which('glmark2-es2'):
      suite.skip(name, 'glmark2-es2 is not installed')
      return
   for program, faults in ('desktop', ('blend', 'copy', 'jit pixels')), \
         ('shadow', ('attribute', 'depth', 'instruction', 'hiz')), ('ideas', ('jit',)):
      path = folder / f'{program}.cap'
      run(['glmark2-es2', '-s', '256x256', '-b', f'{program}:duration=20'],
          driver_env(CLIPFREE_CAPTURE=f'file={path},frame=5', CLIPFREE_FRAMES='8', vblank_mode='0'), timeout_s=120)
      for fault in faults:
         against = {'jit': 'engine=jit', 'jit pixels': 'engine=jit', 'hiz': 'path=plain'}.get(fault)
         # With more threads it is chance which task is the first in code for another state of pixels.
         options = ['--threads', '0'] if fault == 'jit pixels' else []
         check_program(suite, f'{name}: {fault} in {program}', path, fault, against, options, folder, build)


def check_program(suite, label, path, fault, against, common, folder, build):
   env, other = environment(fault), build / 'tools/clipfree-replay'
   if against and 'jit' in against and not (build / JIT_MODULE).exists():
      suite.skip(label, 'there is no LLVM to build the compiler with')
      return
   tool, options = (other, ['--against', against]) if against else (REPLAY, ['--against-build', build])
   settings = against.replace('=', ' ').split() if against else []
   sides = [(tool, common, env), (other, common + ([f'--{settings[0]}', settings[1]] if settings else []), env)]
   answer, wrong = compared(tool, common + options, path, env)
   suite.check(label, not wrong and not answer['equal'], wrong or answer['verdict'])
   if not wrong and not answer['equal']:
      difference = answer['difference']
      wrong = reference_fault(difference, sides, path, folder)
      named = [member for member in ('primitive', 'lane', 'instruction', 'setting') if member in difference]
      suite.check(f'{label}, by hashes and pixels', not wrong, wrong or f'named: {", ".join(named)}')


def check(suite, folder, name):
   build, why = built()
   if build is None:
      suite.check(name, False, f'no build: {why}')
      return
   suite.check(f'{name}: the other build', True, why)
   {'planted builds': check_scene, 'planted programs': check_programs}[name](suite, name, folder, build)
