# SPDX-License-Identifier: MIT
"""One frame of each of glmark2's scenes, taken out of its program and replayed without threads: what the GPU alone
takes, before a change and after it."""
import re
import tempfile
from pathlib import Path

from harness.scenes import slug

from .measure import BEFORE, Figures, complain, interleaved, run

FRAME = 20        # the scene is loaded, and everything has been drawn before
REPEAT_S = 0.3    # how long a run repeats the frame, about
STEP_US = 16000   # the scenes' clock: the same frame from each build


def build_of(bench, driver):
   return bench.before if driver.name == BEFORE else bench.build


def capture(bench, driver, scene, path):
   """Whether frame FRAME of the scene has been captured by that build: a capture of another has another version."""
   env = bench.environment(driver, CLIPFREE_CAPTURE=f'file={path},frame={FRAME}', STEADY_CLOCK_STEP_US=str(STEP_US),
                           LD_PRELOAD=str(bench.build / 'tests' / 'steady_clock.so'))
   done = run(['glmark2-es2', '--off-screen', '-s', bench.size, '-b',
               f'{scene.rstrip(":")}:duration=1000:nframes={FRAME + 2}'], env)
   if path.exists():
      return True
   complain(f'{scene} on {driver.name}: frame {FRAME} was not captured; {done.output.strip()[-160:]}')
   return False


def replay(bench, driver, path, times):
   """Processor time of the frame, compiled, in ms, the least of `times`; None: it failed."""
   done = run([str(build_of(bench, driver) / 'tools' / 'clipfree-replay'), '--engine', 'jit', '--threads', '0',
               '--repeat', str(times), str(path)], bench.environment(driver))
   found = re.search(r'([\d.]+) (us|ms|s) of processor time', done.output)
   if done.status or not found:
      complain(f'{path.name} on {driver.name}: {done.output.strip()[-160:]}')
      return None
   return float(found[1]) * {'us': 1e-3, 'ms': 1, 's': 1e3}[found[2]]


def repetitions(took_ms):
   """How often a run repeats a frame that takes as long."""
   return max(3, int(1000 * REPEAT_S / took_ms))


def of_scenes(bench):
   """Only builds of clipfree take part: peers have no captures. A scene that one of them cannot capture or replay is
   left out, with a message."""
   drivers = [driver for driver in bench.drivers if driver.renderer == 'clipfree']
   with tempfile.TemporaryDirectory(prefix='clipfree-bench-') as folder:
      def path(driver, scene):
         return Path(folder, f'{slug(scene)}.{driver.name}.cap')

      ready = [scene for scene in bench.scenes
               if all(capture(bench, driver, scene, path(driver, scene)) for driver in drivers)]
      once_ms = {scene: replay(bench, drivers[0], path(drivers[0], scene), 1) for scene in ready}
      results = interleaved(bench, 'replays', [scene for scene in ready if once_ms[scene]],
                            lambda driver, scene: replay(bench, driver, path(driver, scene),
                                                         repetitions(once_ms[scene])), drivers, rounds=5)
   return [Figures('frame, replayed: processor time', 'ms', results, more_is_better=False, least=True)]
