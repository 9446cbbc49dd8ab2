# SPDX-License-Identifier: MIT
"""Games and viewers of Debian: their frames, recorded once with the same input, and replayed."""
import shutil
import sys
import tempfile
from math import inf
from pathlib import Path

from PIL import Image

from harness import rule
from harness.traces import frames_of

from .frames import counted, counting, figures_of_frames, without
from .measure import DRIVERS, NOOP, Ranked, complain, interleaved, picked, run
from .recorded import PROGRAMS

FRAMES = 500           # that are recorded; a program that crashes in the end may lose some of them
LEAST_FRAMES = 450
FIRST_FRAME = 100      # that is counted: before, programs load, and drivers compile
PICTURES_EVERY = 100   # frames
RECORD_S, REPLAY_S = 240, 300
# Tolerance of games' pictures against a peer's: a textured layer differs by one LSB for its filter and one for its
# blending, and there are up to four layers. llvmpipe rounds places to 1/256 pixel: of rectangles whose edges go through
# pixel centres it shows other columns than clipfree and softpipe, so how much is missing says nothing.
TOLERANCE = rule.Tolerance(8, 0.05, 0.005, missing_px=inf)


class Recording:
   """A recording of a program's frames, cached in the build folder until its command or its input changes."""

   def __init__(self, bench, name):
      self.program = PROGRAMS[name]
      self.bench, self.name = bench, name
      self.folder = bench.build / 'bench-traces' / name
      self.trace = self.folder / 'trace'
      self.recipe = self.program.recipe(FRAMES)
      self.player = 'eglretrace' if self.program.api == 'egl' else 'glretrace'

   def record(self):
      """Record unless it is cached, always on clipfree. Returns '' or the reason why it failed."""
      mark = self.folder / 'recipe'
      if mark.exists() and mark.read_text() == self.recipe:
         return ''
      if not shutil.which(self.program.command[0]):
         return f'{self.program.command[0]} is not installed'
      print(f'\rprograms: recording {self.name} ', end='', file=sys.stderr, flush=True)
      shutil.rmtree(self.folder, ignore_errors=True)
      self.folder.mkdir(parents=True, mode=0o700)
      self.program.write_files(self.folder)
      command, env = self.program.in_folder(self.folder)
      done = run(['apitrace', 'trace', '-a', self.program.api, '-o', self.trace, *command],
                 self._recording_env() | env, RECORD_S)
      frames = frames_of(self.trace) if self.trace.exists() else 0
      if frames < LEAST_FRAMES:   # and not its status: supertux2 crashes when it is ended while it presents
         return f'recording: {frames} frames, status {done.status}; {done.output.strip()[-160:]}'
      mark.write_text(self.recipe)
      return ''

   def _recording_env(self):
      home, keys = str(self.folder), self.program.keys
      pressing = {'LD_PRELOAD': str(self.bench.build / 'tools' / 'bench' / 'press_keys.so'), 'PRESS_KEYS': keys}
      return self.bench.environment(DRIVERS['clipfree'], CLIPFREE_FRAMES=str(FRAMES), HOME=home, XDG_RUNTIME_DIR=home,
                                    USER='player', LANG='C.UTF-8', SDL_AUDIODRIVER='dummy', ALSOFT_DRIVERS='null',
                                    SDL_VIDEODRIVER='x11') | (pressing if keys else {})

   def pictures(self, driver, cache):
      """Pictures of every PICTURES_EVERY-th frame on that driver, which also fills its shader cache; without the first
      one, which loading programs draw only in part. [] if the replay fails."""
      folder = Path(cache, self.name)
      folder.mkdir(parents=True)
      done = run([self.player, '--headless', '--snapshot=frame', f'--snapshot-interval={PICTURES_EVERY}', '-s',
                  f'{folder}/', self.trace],
                 self._replay_env(driver, cache), REPLAY_S)
      return sorted(folder.glob('*.png'))[1:] if done.status == 0 else []

   def replay(self, driver, cache):
      """Frames, or why there are none."""
      env = self._replay_env(driver, cache) | counting(self.bench, **{'from': FIRST_FRAME})
      return counted(run([self.player, '-b', self.trace], env, REPLAY_S), driver)

   def _replay_env(self, driver, cache):
      return self.bench.environment(driver, MESA_SHADER_CACHE_DIR=str(cache))


def fault(pictures, others):
   """The difference between pictures of two drivers, as text; '' if they agree."""
   if not pictures or len(pictures) != len(others):
      return f'{len(pictures)} pictures, and {len(others)} of the peer'
   for picture, other in zip(pictures, others):
      with Image.open(picture) as one, Image.open(other) as two:
         verdict = rule.compare(one, two, TOLERANCE)
      if not verdict.agree:
         return f'the picture {picture.name} is not like the peer\'s: {verdict}'
   return ''


def compare_pictures(recording, drivers, caches):
   """Compares the first driver with the next different one. '' or the difference."""
   pictures = [recording.pictures(driver, caches[driver.name]) for driver in drivers]
   return fault(*pictures[:2]) if len(pictures) > 1 else ''


def replayed(bench):
   """Two rounds, unless others are asked for. Without softpipe, which takes a second for a frame."""
   drivers = [driver for driver in bench.drivers if driver.name != 'softpipe']
   names = [name for name, program in PROGRAMS.items() if not bench.words or
            any(word in name or word == program.kind for word in bench.words)]
   if not names:
      complain(f'no program contains, or is of kind, {" or ".join(bench.words)}; there are {", ".join(PROGRAMS)}')
      return []
   recordings = {name: Recording(bench, name) for name in names}
   failed = {name: why for name, one in recordings.items() if (why := one.record())}
   with tempfile.TemporaryDirectory(prefix='clipfree-bench-') as folder:
      caches = {driver.name: Path(folder, driver.name) for driver in [*drivers, NOOP]}
      ready = [name for name in names if name not in failed]
      for number, name in enumerate(ready):
         failed.update({name: why} if (why := compare_pictures(recordings[name], drivers, caches)) else {})
         print(f'\rprograms: pictures, {number + 1} of {len(ready)} ', end='', file=sys.stderr, flush=True)
      results = interleaved(bench, 'programs', ready, lambda driver,
                            name: recordings[name].replay(driver, caches[driver.name]), [*drivers, NOOP], rounds=2)
   for name in ready:
      failed.update({name: one for one in results[name][drivers[0].name] if isinstance(one, str)})
   results |= {name: {driver.name: [None] for driver in [*drivers, NOOP]} for name in names if name not in results}
   of_gpu = without(results, NOOP.name)
   return [*figures_of_frames('program', results, Ranked, failed={drivers[0].name: failed} if failed else {}),
           Ranked("program: the GPU's share of that", 'ms', picked(of_gpu, lambda one: one.cpu_ms),
                  more_is_better=False)]
