# SPDX-License-Identifier: MIT
"""The cost of tests: some of Piglit's shader tests, one process each; and the whole conformance set."""
import dataclasses
import os
import re
import sys
import tempfile
from pathlib import Path

from harness.suite import piglit_folder
from results import may_skip, read_list, read_results
from selected import ENVIRONMENT, SKIPS, SPECIFICATIONS, listed, read_skipped

from .measure import Figures, interleaved, picked, run

FOLDERS = ('tests/spec/glsl-1.10/execution', 'generated_tests/spec/glsl-1.10/execution',
           'tests/spec/glsl-es-1.00/execution')
TESTS = 40
TIMEOUT_S = 20
WHOLE_TIMEOUT_S = 3600
JOBS = 2            # of the whole set, tests at a time
VERSIONS = {'MESA_GL_VERSION_OVERRIDE': '2.1', 'MESA_GLES_VERSION_OVERRIDE': '2.0'}


def sample(root):
   """TESTS files, evenly spaced, except those that need a window of a certain size: they skip with -fbo."""
   found = sorted(path for folder in FOLDERS for path in (root / folder).rglob('*.shader_test')
                  if '\nSIZE ' not in path.read_text(errors='replace'))
   return found[::max(len(found) // TESTS, 1)][:TESTS]


def is_driver(driver, env):
   """Whether an OpenGL program runs on the driver at all: the tests do not show it."""
   found = re.search(r'OpenGL renderer string: *(\S+)',
                     run(['wflinfo', '--platform=glx', '--api=gl'], env, TIMEOUT_S).output)
   return bool(found) and found.group(1).startswith(driver.renderer)


def run_tests(bench, driver, root, tests):
   """(wall, CPU) seconds of all tests together; None, and a message, if they do not run on that driver or one does not
   pass: what fails early costs little."""
   libraries = os.pathsep.join(filter(None, (os.environ.get('LD_LIBRARY_PATH'), str(root / 'lib'))))
   env = bench.environment(driver, LD_LIBRARY_PATH=libraries, PIGLIT_SOURCE_DIR=str(root))
   if not is_driver(driver, env):
      print(f'\npiglit: programs do not run on {driver.name}', file=sys.stderr)
      return None
   runs = [run([root / 'bin' / 'shader_runner', test, '-auto', '-fbo'], env, TIMEOUT_S) for test in tests]
   failed = [test for test, one in zip(tests, runs) if one.status != 0 or '"result": "pass"' not in one.output]
   if failed:
      print(f'\npiglit: {driver.name} does not pass {failed[0].relative_to(root)} (and {len(failed) - 1} others)',
            file=sys.stderr)
      return None
   return sum(one.wall_s for one in runs), sum(one.cpu_s for one in runs)


def cost(bench):
   root = piglit_folder()
   tests = sample(root) if root else []
   if not tests:
      return not_installed()
   results = interleaved(bench, 'piglit', [f'{len(tests)} shader tests'],
                         lambda driver, row: run_tests(bench, driver, root, tests))
   return times(results)


def whole_cost(bench):
   """Once on each driver: all tests of OpenGL ES 2.0, of OpenGL up to 2.1 and GLX, without those that skip on clipfree.
   A driver's cache of shaders is empty before, and all are asked for clipfree's versions: some tests have more parts
   for later ones."""
   if not piglit_folder():
      return not_installed()
   names = read_skipped()[1] or ()
   tests = [test for test in listed(SPECIFICATIONS, read_list(SKIPS)) if not may_skip(test.lower(), names)]
   results = interleaved(dataclasses.replace(bench, rounds=1), 'piglit-whole', [f'{len(tests)} tests'],
                         lambda driver, row: run_whole(bench, driver, tests))
   return times(results)


def run_whole(bench, driver, tests):
   """(wall, CPU) seconds of piglit and all tests; prints how many pass. None, and a message, if piglit fails."""
   with tempfile.TemporaryDirectory() as scratch:
      scratch = Path(scratch)
      (scratch / 'tests').write_text('\n'.join(tests) + '\n')
      env = bench.environment(driver, MESA_SHADER_CACHE_DIR=str(scratch / 'cache'), **VERSIONS, **ENVIRONMENT)
      if not is_driver(driver, env):
         print(f'\npiglit-whole: programs do not run on {driver.name}', file=sys.stderr)
         return None
      one = run(['piglit', 'run', 'quick', '--test-list', scratch / 'tests', '-j', str(JOBS), '-l', 'quiet',
                 '--timeout', '60', scratch / 'results'], env, WHOLE_TIMEOUT_S)
      if one.status != 0:
         print(f'\npiglit-whole: piglit does not end well on {driver.name}: {one.output[-300:]}', file=sys.stderr)
         return None
      statuses = list(read_results(scratch / 'results').values())
   print(f'\npiglit-whole: {driver.name} passes {statuses.count("Pass")} of {len(statuses)}', file=sys.stderr)
   return one.wall_s, one.cpu_s


def not_installed():
   print('piglit: not measured, the package piglit is not installed', file=sys.stderr)
   return []


def times(results):
   return [Figures('Piglit: wall time', 's', picked(results, lambda one: one[0]), more_is_better=False),
           Figures('Piglit: processor time', 's', picked(results, lambda one: one[1]), more_is_better=False)]
