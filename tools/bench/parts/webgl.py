# SPDX-License-Identifier: MIT
"""Pages of suite `webgl` in Chromium. A page draws one frame after the other and waits for each, but not for the
screen: without its limit of frames headless Chromium shows none."""
import tempfile
from pathlib import Path

from harness import chromium
from harness.pages import BrowserError, Pages
from harness.suite import ROOT, group_cpu_s

from .frames import Frames, failures, figures_of_frames
from .measure import Ranked, complain, interleaved

PAGES = ROOT / 'tests' / 'webgl' / 'pages'
LIBRARIES = {'three': 'three', 'babylon': 'babylonjs'}   # {first word of a page's name: package}
# Drawn before measuring: so many frames, and then for so long. Compilation, which runs beside drawing, is over then.
WARM_UP = 8
WARM_UP_S = 4
TIMEOUT_S = 120


def chosen(bench):
   """Names of pages that contain one of the requested words, and whose libraries are there."""
   kinds = [kind for kind, package in LIBRARIES.items() if (bench.build / 'webgl' / 'node_modules' / package).is_dir()]
   names = sorted(path.stem for kind in ['raw', *kinds] for path in PAGES.glob(f'{kind}-*.js')
                  if not path.stem.endswith('-base'))
   return [name for name in names if not bench.words or any(word in name for word in bench.words)]


class Browsers:
   """Runs pages on several drivers."""

   def __init__(self, bench, server, folder):
      self.bench, self.server, self.folder = bench, server, Path(folder)

   def show(self, driver, page):
      """The page's Frames and the processor time of all processes of the browser for them; or why there are none."""
      size_px, marks_s = tuple(map(int, self.bench.size.split('x'))), []
      env = self.bench.environment(driver, MESA_SHADER_CACHE_DIR=str(self.folder / driver.name))
      address = self.server.address(page, f'frames={WARM_UP}&warm={WARM_UP_S}&timed={self.bench.duration_s}')
      try:
         with chromium.Chromium(self.folder / 'browser', env, size_px) as browser:
            self.server.on_mark = lambda: marks_s.append(group_cpu_s(browser.process))
            result = browser.show(address, TIMEOUT_S + WARM_UP_S + self.bench.duration_s).result
      except BrowserError as error:
         return str(error)
      if driver.renderer not in result['renderer']:
         return f'it is drawn by {result["renderer"] or "none"}'
      if len(marks_s) != 2 or not result.get('timed'):
         return '; '.join(result['faults'])[:200]
      return Frames(result['timed']['count'], result['timed']['wall_s'], marks_s[1] - marks_s[0])


def live(bench):
   """One round, unless more are asked for. Without softpipe, which has no WebGL 2."""
   drivers = [driver for driver in bench.drivers if driver.name != 'softpipe']
   names = chosen(bench)
   if not chromium.program() or not names:
      complain('webgl: not measured, there are no pages of these names, or no chromium-headless-shell')
      return []
   with tempfile.TemporaryDirectory(prefix='clipfree-bench-') as folder, \
        Pages(PAGES, bench.build / 'webgl' / 'node_modules') as server:
      results = interleaved(bench, 'webgl', names, Browsers(bench, server, folder).show, drivers, rounds=1)
   return figures_of_frames('page', results, Ranked, failed=failures(results))
