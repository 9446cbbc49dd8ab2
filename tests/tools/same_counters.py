# SPDX-License-Identifier: MIT
"""Of suite `tools`: `clipfree sim` counts the same, byte for byte, and records the same, with any number of threads
that replay, any compiler and optimisation, and on another kind of processor (arm64, under qemu). Each build replays
captures itself. GCC's are builds of the whole GPU; clang does not know the vectors of its lanes, so of clang's the
recorder, the machines and the tool are."""
import os
import shutil
from dataclasses import dataclass, field

from harness.suite import ARTIFACTS, BUILD, ROOT, driver_env, run
from simulation import scene_capture, simulated

SCENES = ('effect2d:kernel=1,1,1,1,1;1,1,1,1,1;1,1,1,1,1;', 'jellyfish:', 'texture:model=cat', 'shadow:',
          'desktop:effect=shadow:windows=4', 'conditionals:fragment-steps=5:vertex-steps=5')
SIZE = '128x96'
THREADS = ('0', '1', '2', '5')
BUILD_S = 3600
HOSTS = ARTIFACTS / 'hosts'   # their builds, which are kept
CLANG = ('-std=gnu11', '-D_GNU_SOURCE', '-ffp-contract=off', '-fno-math-errno', '-w')
OBJECTS = ('tools/libcf_look.a', 'tools/libcf_heat.a', 'src/clipfree/libcf_gpu.a')
LIBRARIES = ('-ljansson', '-lpng', '-lzstd', '-lZydis', '-lm', '-lpthread')
ARM_LIBRARIES = ('jansson', 'libpng', 'libzstd')
ARM_PKG_CONFIG = '/usr/lib/aarch64-linux-gnu/pkgconfig'
ARM = """[binaries]
c = 'aarch64-linux-gnu-gcc'
ar = 'aarch64-linux-gnu-ar'
strip = 'aarch64-linux-gnu-strip'
pkg-config = 'pkg-config'
[properties]
pkg_config_libdir = '{libraries}'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
"""


@dataclass
class Host:
   """A build of the GPU and its tools for some host."""
   programs: tuple          # that it needs
   options: list            # of Meson
   env: dict = field(default_factory=dict)
   emulator: str = ''       # before the program
   of: str = ''             # another host, whose objects it takes but for those of the simulation


HOSTED = {f'gcc -O{level}': Host(('gcc',), [f'-Doptimization={level}'], {'CC': 'gcc'}) for level in (0, 3)}
HOSTED |= {f'clang -O{level}': Host(('gcc', 'clang'), [f'-O{level}'], of=f'gcc -O{level}') for level in (0, 3)}
HOSTED['arm64'] = Host(('aarch64-linux-gnu-gcc', 'qemu-aarch64'), ['-Doptimization=2', '--cross-file',
                                                                   str(HOSTS / 'arm64.txt')],
                       emulator='qemu-aarch64 -L /usr/aarch64-linux-gnu ')
LONG = [f'same counters {name}' for name in HOSTED]


def names():
   return ['same counters threads']


# ---------------------------------------------------------------- builds

def meson():
   return shutil.which('meson', path=f'{ROOT / ".clipfree/bin"}{os.pathsep}{os.environ["PATH"]}')


def lacking(name):
   """What is not installed, '' if all is."""
   missing = [program for program in (*HOSTED[name].programs, 'ninja') if not shutil.which(program)]
   if missing or not meson():
      return f'not installed: {", ".join(missing or ["meson"])} (packages hosts of tools/setup/packages.sh)'
   if name == 'arm64' and not all(os.path.exists(f'{ARM_PKG_CONFIG}/{library}.pc') for library in ARM_LIBRARIES):
      return ('libraries for arm64 are not installed: dpkg --add-architecture arm64, apt-get update, '
              'apt-get install libjansson-dev:arm64 libpng-dev:arm64 libzstd-dev:arm64')
   return ''


def compiled(host, folder):
   """The simulation alone, by another compiler, with the objects of another host. (folder, why not)"""
   base, why = built(host.of)
   path = folder / 'tools/sim/clipfree-sim'
   path.parent.mkdir(parents=True, exist_ok=True)
   path.unlink(missing_ok=True)
   if why:
      return None, why
   sources = [*(ROOT / 'src/clipfree/timing').glob('cf_sim_*.c'), *(base / 'src/clipfree/timing').glob('cf_sim_*.c'),
              *(ROOT / 'tools/sim').glob('*.c')]
   made = run(['clang', *host.options, *CLANG, *(f'-I{f}' for f in (ROOT / 'src', ROOT / 'tools', base / 'src',
                                                                    base / 'src/clipfree')),
               *sorted(sources), *(base / library for library in OBJECTS), *LIBRARIES, '-o', path],
              driver_env(), timeout_s=BUILD_S)
   return folder, '' if made.ok else made.why()


def built(name):
   """(folder that has tools/sim/clipfree-sim of a host, why not)"""
   host, folder = HOSTED[name], HOSTS / name.replace(' -', '-')
   if host.of:
      return compiled(host, folder)
   HOSTS.mkdir(parents=True, exist_ok=True)
   (HOSTS / 'arm64.txt').write_text(ARM.format(libraries=ARM_PKG_CONFIG), encoding='utf-8')
   if not (folder / 'build.ninja').exists():
      shutil.rmtree(folder, ignore_errors=True)
      made = run([meson(), 'setup', folder, ROOT, '-Dmesa=disabled', '-Djit=disabled', '-Dbuildtype=plain',
                  *host.options], driver_env(**host.env), timeout_s=BUILD_S)
      if not made.ok:
         return None, made.why()
   made = run(['ninja', '-C', folder, 'tools/sim/clipfree-sim'], driver_env(), timeout_s=BUILD_S)
   if not host.emulator:
      return folder, '' if made.ok else made.why()
   path = HOSTS / f'{name}-emulated/tools/sim/clipfree-sim'
   path.parent.mkdir(parents=True, exist_ok=True)
   path.write_text(f'#!/bin/sh\nexec {host.emulator}{folder}/tools/sim/clipfree-sim "$@"\n', encoding='utf-8')
   path.chmod(0o755)
   return path.parents[2], '' if made.ok else made.why()


# ---------------------------------------------------------------- answers

def answers(capture, folder, *options, build=BUILD):
   """All that is said of a capture in both modes, and its recording; or why not."""
   record = folder / 'recording'
   said = []
   for mode, more in (('hits', ['--curves', '--record', record]), ('cycles', [])):
      text, why = simulated(capture, mode, *options, *more, env=driver_env(CLIPFREE_BUILD=str(build)))
      if text is None:
         return f'{mode}: {why}'
      said.append(text)
   recorded = record.read_bytes()
   record.unlink()
   return said, recorded


def difference(expected, found):
   """'' if they are the same; else the first line that differs."""
   if isinstance(found, str):
      return found
   for one, other in zip(expected[0], found[0]):
      if one != other:
         lines = [(a, b) for a, b in zip(one.splitlines(), other.splitlines()) if a != b]
         return f'{lines[0][1].strip()} instead of {lines[0][0].strip()}' if lines else 'more or fewer lines'
   return '' if expected[1] == found[1] else 'another recording'


def check_host(suite, name, case, captures, folder):
   build, why = built(name)
   if build is None or why:
      suite.check(case, False, f'no build: {why}')
      return
   for scene, capture, expected in captures:
      fault = difference(expected, answers(capture, folder, build=build))
      suite.check(f'{case} {scene}', not fault, fault)


def check(suite, folder, name):
   kind = name.removeprefix('same counters ')
   reason = '' if kind == 'threads' else lacking(kind)
   if reason:
      suite.skip(name, reason)
      return
   captures = []
   for scene in SCENES[:4] if kind == 'threads' else SCENES:
      capture, why = scene_capture(folder, scene, SIZE)
      expected = why or answers(capture, folder, '--threads', THREADS[0])
      if isinstance(expected, str):
         suite.check(f'{name} {scene}', False, expected)
         continue
      captures.append((scene.partition(':')[0], capture, expected))
   if kind != 'threads':
      check_host(suite, kind, name, captures, folder)
      return
   for scene, capture, expected in captures:
      faults = {threads: difference(expected, answers(capture, folder, '--threads', threads)) for threads in
                THREADS[1:]}
      suite.check(f'{name} {scene}', not any(faults.values()),
                  '; '.join(f'{t} threads: {fault}' for t, fault in faults.items() if fault))
