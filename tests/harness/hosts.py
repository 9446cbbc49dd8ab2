# SPDX-License-Identifier: MIT
"""Builds of the GPU and its tools alone, by other compilers, at other optimisations and for another kind of processor
(arm64, run by qemu), which must give the same bits. They have no compiler of shaders (-Djit=disabled), and replay what
others have captured. Their folders are kept."""
import os
import shutil
from dataclasses import dataclass, field

from .suite import ARTIFACTS, ROOT, driver_env, run

BUILD_S = 7200
FOLDER = ARTIFACTS / 'hosts'
ARM = ROOT / '.clipfree/arm64'    # libraries, and arm64.ini beside it: prepare_arm64 of tools/setup/build.sh


@dataclass
class Host:
   """A build of the GPU and its tools for some host."""
   programs: tuple          # that it needs
   options: list            # of Meson
   env: dict = field(default_factory=dict)
   emulator: str = ''       # before the program


HOSTED = {f'{compiler} -O{level}': Host((compiler,), [f'-Doptimization={level}'], {'CC': compiler})
          for compiler in ('gcc', 'clang') for level in (0, 3)}
HOSTED['arm64'] = Host(('aarch64-linux-gnu-gcc', 'qemu-aarch64'), ['-Doptimization=2', f'--cross-file={ARM}.ini'],
                       emulator=f'qemu-aarch64 -L {ARM} ')


def meson():
   return shutil.which('meson', path=f'{ROOT / ".clipfree/bin"}{os.pathsep}{os.environ["PATH"]}')


def lacking(name):
   """What is not installed, '' if all is."""
   missing = [program for program in (*HOSTED[name].programs, 'ninja') if not shutil.which(program)]
   if missing or not meson():
      return f'not installed: {", ".join(missing or ["meson"])} (packages hosts and arm64 of tools/setup/packages.sh)'
   if name == 'arm64' and not ARM.is_dir():
      return 'libraries for arm64 are missing: ./clipfree test golden-long, or arm64, fetches them'
   return ''


def _configured(name, folder):
   """'' or why not."""
   host = HOSTED[name]
   if (folder / 'build.ninja').exists():
      return ''
   shutil.rmtree(folder, ignore_errors=True)
   FOLDER.mkdir(parents=True, exist_ok=True)
   made = run([meson(), 'setup', folder, ROOT, '-Dmesa=disabled', '-Djit=disabled', '-Dbuildtype=plain',
               *host.options], driver_env(**host.env), timeout_s=BUILD_S)
   return '' if made.ok else made.why()


def built(name, tool):
   """(folder that has a tool, such as tools/clipfree-replay, of a host; why not)"""
   host, folder = HOSTED[name], FOLDER / name.replace(' -', '-')
   if why := _configured(name, folder):
      return None, why
   made = run(['ninja', '-C', folder, tool], driver_env(), timeout_s=BUILD_S)
   why = '' if made.ok else made.why()
   if not host.emulator:
      return folder, why
   path = FOLDER / f'{name}-emulated' / tool
   path.parent.mkdir(parents=True, exist_ok=True)
   path.write_text(f'#!/bin/sh\nexec {host.emulator}{folder}/{tool} "$@"\n', encoding='utf-8')
   path.chmod(0o755)
   return FOLDER / f'{name}-emulated', why
