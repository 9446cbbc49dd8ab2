# SPDX-License-Identifier: MIT
"""Programs under AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer, and what these found.

For builds whose driver has them: programs are not built with them themselves, so AddressSanitizer's runtime comes by
LD_PRELOAD. Reports are text, on a program's standard error or in files of their own.
"""
import os
import re
from pathlib import Path

from harness.suite import BUILD, driver_env, run

FOUND = 86  # the exit status of a program in which a sanitizer found something
SUPPRESSIONS = Path(__file__).resolve().parents[1] / 'sanitize' / 'suppressions.txt'


def runtime():
   """Path of AddressSanitizer's library, which must come before all others of a program."""
   return run(['gcc', '-print-file-name=libasan.so']).output.strip()


def options(suppressions=True, report=None):
   """The sanitizers' variables, with ASAN_OPTIONS of the suite's own environment added. `report`: the beginning of the
   names of files for reports, instead of standard error (the sanitizers add the process's number); leaks then do not
   change a program's exit status."""
   asan = f'exitcode={FOUND}:malloc_context_size=20'
   ubsan, leak = 'print_stacktrace=0', [f'suppressions={SUPPRESSIONS}:print_suppressions=0'] if suppressions else []
   if report:
      asan += f':log_path={report}'
      ubsan += f':log_path={report}'
      leak.append('exitcode=0')
   return {'ASAN_OPTIONS': f'{asan}:{os.environ.get("ASAN_OPTIONS", "")}', 'UBSAN_OPTIONS': ubsan,
           'LSAN_OPTIONS': ':'.join(leak)}


def sanitizer_env(cache, suppressions=True, **more):
   """The environment of a program under test. Shaders are always compiled: the cache on disk is the folder `cache`."""
   return driver_env(LD_PRELOAD=runtime(), MESA_SHADER_CACHE_DIR=str(cache), **options(suppressions), **more)


def leaks(report):
   """The leaks that count, a line each: of memory that the libraries under test allocated themselves. Indirect ones
   hang on a direct one: on a context, say, that the program never destroys."""
   found = []
   for leak in re.findall(r'^(Direct leak of .*)\n((?: +#\d+ .*\n)+)', report, re.M):
      frames = [frame for frame in leak[1].splitlines() if 'libsanitizer' not in frame and 'libasan' not in frame]
      if frames and re.search(r'\.\./(subprojects|src)/|' + re.escape(str(BUILD)), frames[0]):
         found.append(f'{leak[0]} {frames[0].strip()}')
   return found


def errors(report):
   """Other errors than leaks. Undefined behaviour counts where the code is ours, also in the driver's folders, which
   are links in Mesa's tree; Mesa relies on its compilers there."""
   mesas = re.compile(r'subprojects/mesa[^/]*/src/(?!clipfree/|gallium/(drivers|winsys)/clipfree/)')
   undefined = [line for line in re.findall(r'.*: runtime error: .*', report) if not mesas.search(line)]
   return re.findall(r'ERROR: AddressSanitizer: .*', report) + sorted(set(undefined))


def wrap_programs(folder, programs, env):
   """For a runner that must not run under a sanitizer itself: `folder` gets an entry for each of `programs`, which
   starts it with the variables `env` added to its own."""
   folder.mkdir(parents=True)
   wrapper = folder / '.with-sanitizer'
   assignments = ' '.join(f"'{name}={value}'" for name, value in env.items())
   wrapper.write_text('#!/bin/sh\n'
                      f'exec env {assignments} {programs[0].parent}/"${{0##*/}}" "$@"\n')
   wrapper.chmod(0o755)
   for program in programs:
      (folder / program.name).symlink_to(wrapper.name)
