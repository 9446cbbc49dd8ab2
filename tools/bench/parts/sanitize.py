# SPDX-License-Identifier: MIT
"""What the sanitiser for GL costs (docs/sanitize.md): processor time of the GPU for a frame of glmark2's scenes, which
is captured and replayed, with all checks against none of them and everything compiled."""
import re
import tempfile
from pathlib import Path

from harness.scenes import slug

from .measure import Driver, Figures, complain, interleaved, run

OFF = Driver('off', 'clipfree', {'GALLIUM_DRIVER': 'clipfree', 'CLIPFREE_ENGINE': 'jit'})
ALL = Driver('all checks', 'clipfree', {'GALLIUM_DRIVER': 'clipfree', 'CLIPFREE_SANITIZE': 'all'})
# what the replay takes for them, and how often it runs the frame
REPLAYED = {OFF: (['--engine', 'jit'], 10), ALL: (['--sanitize', 'all'], 3)}
CAPTURED_FRAME = 10
TIMEOUT_S = 600
PROCESSOR_US = re.compile(r'([\d.]+) us of processor time')


def _captured(bench, scene, folder):
   """The capture of a frame of a scene; None: it gave none."""
   path = Path(folder) / f'{slug(scene)}.cap'
   run(['glmark2-es2', '-s', bench.size, '-b', f'{scene.rstrip(":")}:duration=60'],
       bench.environment(OFF, CLIPFREE_ENGINE='auto', CLIPFREE_CAPTURE=f'file={path},frame={CAPTURED_FRAME}',
                         CLIPFREE_FRAMES=str(CAPTURED_FRAME + 2)))
   if not path.exists():
      complain(f'{scene} cannot be captured')
   return path if path.exists() else None


def _replay_ms(bench, driver, path):
   """The least of several replays; None: it failed."""
   words, times = REPLAYED[driver]
   done = run([bench.build / 'tools' / 'clipfree-replay', '--threads', '0', '--repeat', str(times), *words, path],
              bench.environment(driver), TIMEOUT_S) if path else None
   found = PROCESSOR_US.search(done.output) if done and done.status == 0 else None
   return float(found[1]) / 1000 if found else None


def cost(bench):
   drivers = [OFF, ALL]
   with tempfile.TemporaryDirectory(prefix='clipfree-bench-') as folder:
      paths = {scene: _captured(bench, scene, folder) for scene in bench.scenes}
      values = interleaved(bench, 'sanitize', bench.scenes,
                           lambda driver, scene: _replay_ms(bench, driver, paths[scene]), drivers)
   return [Figures('frame', 'ms', values, more_is_better=False, least=True)]
