# SPDX-License-Identifier: MIT
"""Frames of VTK's scripts of suite `opengl33`: off-screen, each waits for the one before; everything is compiled,
unless CLIPFREE_ENGINE says otherwise."""
import os
import re
import tempfile

from harness.suite import ROOT

from .frames import Frames, figures_of_frames
from .measure import Ranked, complain, interleaved, run

SCRIPTS = ROOT / 'tests' / 'opengl33' / 'scripts'
PYTHON = '/usr/bin/python3'   # which has Debian's modules
FRAMES = 20
SCRIPT_S = 300
TRIES = 20   # llvmpipe of Mesa 25.0.7 now and then ends with an error of X when VTK opens its third or fourth window


def chosen(bench):
   """Scripts whose names contain one of the requested words."""
   paths = sorted(SCRIPTS.glob('vtk_*.py'))
   return [path.stem for path in paths if not bench.words or any(word in path.stem for word in bench.words)]


def frames_of_script(bench, folder, driver, script, failed):
   """{picture: Frames}; None, and why in `failed`, where there are none."""
   env = bench.environment(driver, MESA_SHADER_CACHE_DIR=f'{folder}/{driver.name}',
                           CLIPFREE_ENGINE=os.environ.get('CLIPFREE_ENGINE', 'jit'))
   for _ in range(TRIES):
      done = run([PYTHON, SCRIPTS / f'{script}.py', folder, str(FRAMES)], env, SCRIPT_S)
      if done.status == 0 or 'X Error' not in done.output:
         break
   found = re.findall(r'^frames (\S+) (\d+) ([\d.]+) ([\d.]+)$', done.output, re.M)
   renderer = re.search(r'^OpenGL renderer string: *(.*)$', done.output, re.M)
   if done.status == 0 and found and renderer and renderer[1].startswith(driver.renderer):
      return {name: Frames(int(count), float(wall) / 1000, float(used) / 1000) for name, count, wall, used in found}
   failed.setdefault(driver.name, {})[script] = done.output.strip()[-160:]
   return None


def by_picture(results):
   """{script and picture: {driver: [Frames or None]}} of {script: {driver: [{picture: Frames} or None]}}."""
   values = {}
   for script, of in results.items():
      names = next((run for runs in of.values() for run in runs if run), {})
      for name in names:
         values[f'{script[4:]} {name}'] = {driver: [run and run.get(name) for run in runs]
                                           for driver, runs in of.items()}
   return values


def scripts(bench):
   """Without softpipe, which takes minutes."""
   drivers = [driver for driver in bench.drivers if driver.name != 'softpipe']
   if run([PYTHON, '-c', 'import vtkmodules'], None).status != 0:
      complain('visual: not measured, python3-vtk9 is not installed')
      return []
   failed = {}
   with tempfile.TemporaryDirectory(prefix='clipfree-bench-') as folder:
      results = interleaved(bench, 'visual', chosen(bench),
                            lambda driver, script: frames_of_script(bench, folder, driver, script, failed), drivers,
                            rounds=1)
   return figures_of_frames('picture of VTK', by_picture(results), Ranked, failed=failed)
