# SPDX-License-Identifier: MIT
"""The OpenGL hacks of XScreenSaver, as they are: in a window, drawing as fast as they can."""
import os
import sys
import tempfile
from pathlib import Path

from harness import hacks

from .frames import counted, counting, figures_of_frames
from .measure import Ranked, complain, interleaved, run

WARM_UP_MS = 800   # from the first frame; then it is counted
TIMEOUT_S = 30


def chosen(bench):
   """Names of hacks that contain one of the words that are asked for; without a word all that can be run here."""
   skips = hacks.skips()
   names = [name for name in hacks.installed() if (name, 'all') not in skips]
   found = [name for name in names if not bench.words or any(word in name for word in bench.words)]
   if names and not found:
      complain(f'no hack contains {" or ".join(bench.words)}; tests/hacks/run --list prints their names')
   return found


def play(bench, driver, name, cache):
   """The Frames of a hack, or why there are none. The caches of shaders are the bench's own; a hack that shows pictures gets one."""
   command = [hacks.FOLDER / name, '--window', '--geometry', bench.size, '--delay', '0']
   env = bench.environment(driver, MESA_SHADER_CACHE_DIR=str(cache), PATH=f'{bench.build / "tests"}:{os.environ["PATH"]}',
                           **counting(bench, warm_up_ms=WARM_UP_MS, ms=round(1000 * bench.duration_s)))
   return counted(run(command, env, TIMEOUT_S + bench.duration_s), driver)


def live(bench):
   """One round, unless more are asked for. Without softpipe, which takes a second for a frame."""
   drivers = [driver for driver in bench.drivers if driver.name != 'softpipe']
   names = chosen(bench)
   if not names:
      print('hacks: not measured, there are none', file=sys.stderr)
      return []
   with tempfile.TemporaryDirectory(prefix='clipfree-bench-') as folder:
      results = interleaved(bench, 'hacks', names, lambda driver, name: play(bench, driver, name, Path(folder, driver.name)),
                            drivers, rounds=1)
   failed = {driver.name: {name: one for name in names for one in results[name][driver.name] if isinstance(one, str)} for driver in drivers}
   return figures_of_frames('hack', results, Ranked, failed={driver: of for driver, of in failed.items() if of})
