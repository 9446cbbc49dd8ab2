# SPDX-License-Identifier: MIT
"""What short tests cost: some of Piglit's shader tests, one process each."""
import os
import sys

from harness.suite import piglit_folder

from .measure import Figures, interleaved, picked, run

FOLDERS = ('tests/spec/glsl-1.10/execution', 'generated_tests/spec/glsl-1.10/execution', 'tests/spec/glsl-es-1.00/execution')
TESTS = 40
TIMEOUT_S = 20


def sample(root):
   """TESTS files, at equal steps of all."""
   found = sorted(path for folder in FOLDERS for path in (root / folder).rglob('*.shader_test'))
   return found[::max(len(found) // TESTS, 1)][:TESTS]


def run_tests(bench, driver, root, tests):
   """(wall, CPU) seconds of all tests together."""
   libraries = os.pathsep.join(filter(None, (os.environ.get('LD_LIBRARY_PATH'), str(root / 'lib'))))
   env = bench.environment(driver, LD_LIBRARY_PATH=libraries, PIGLIT_SOURCE_DIR=str(root))
   runs = [run([root / 'bin' / 'shader_runner', test, '-auto', '-fbo'], env, TIMEOUT_S) for test in tests]
   return sum(one.wall_s for one in runs), sum(one.cpu_s for one in runs)


def cost(bench):
   root = piglit_folder()
   tests = sample(root) if root else []
   if not tests:
      print('piglit: not measured, the package piglit is not installed', file=sys.stderr)
      return []
   results = interleaved(bench, 'piglit', [f'{len(tests)} shader tests'],
                         lambda driver, row: run_tests(bench, driver, root, tests))
   return [Figures('Piglit: wall time', 's', picked(results, lambda one: one[0]), more_is_better=False),
           Figures('Piglit: processor time', 's', picked(results, lambda one: one[1]), more_is_better=False)]
