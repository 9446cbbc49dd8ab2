# SPDX-License-Identifier: MIT
"""Recorded frames: the same GL calls for every driver.

Programs are recorded with apitrace on the system's Mesa, so that a recording does not depend on the driver under test,
and under steady_clock, so that it does not depend on the machine's speed. Recordings and the reference's pictures
are kept in the build folder; they are made anew when the program's command changes or the folder is removed.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import time
from itertools import pairwise
from pathlib import Path

from .scenes import glmark2_scenes, slug
from .suite import ARTIFACTS, PREBUILT, reference_env, run, system_env
from .xserver import expose_windows

FRAMES = 3
SIZE_PX = (800, 600)
# An application is to see no more than what it is replayed on has; those that want more say so.
DRIVER_GL = {'MESA_GL_VERSION_OVERRIDE': '3.0', 'MESA_GLSL_VERSION_OVERRIDE': '130'}
CLOCK = PREBUILT / 'steady_clock.so'
SETTLED = PREBUILT / 'settled_gl.so'
TRACES = ARTIFACTS / 'traces'


class Recorded:
   """A program's first frames (FRAMES, if not said otherwise) as a trace. `name` is short and fit for files; `api`:
   'egl' or 'gl' (GLX); the word DURATION in the command stands for seconds, where the program wants to know how long to
   run. Of the first `undefined_frames` a replay shows what nobody has drawn: it creates its window at another size than
   the program. `renderer` is the system's that draws the reference's pictures."""

   def __init__(self, name, command, api='egl', undefined_frames=0, frames=FRAMES, renderer='softpipe'):
      self.name, self.command, self.api = name, command, api
      self.undefined_frames, self.frames = undefined_frames, frames
      self.renderer = renderer
      self.recipe = ' '.join(self.command) + ('' if renderer == 'softpipe' else f', {renderer}')
      self.trace = TRACES / f'{name}.trace'
      self.reference = TRACES / f'{name}-reference'

   def record(self):
      """Records the trace and the reference's pictures where they are not there yet. Returns '' or the reason."""
      mark = self.reference / 'command'
      if mark.exists() and mark.read_text() == self.recipe:
         return ''
      shutil.rmtree(self.reference, ignore_errors=True)
      self.reference.mkdir(parents=True)
      reason = self._record_frames()
      if reason:
         return reason
      replayed, pictures = self.replay(reference_env(self.renderer), self.reference, timeout_s=600)
      if len(pictures) != self.frames:
         return f'reference: {len(pictures)} of {self.frames} pictures; ' + replayed.why()
      mark.write_text(self.recipe)
      return ''

   def _record_frames(self):
      whole = self.trace.with_suffix('.whole')
      reason = self._record_whole(whole)
      if reason:
         return reason
      trimmed = run(['apitrace', 'trim', f'--frames=0-{self.frames - 1}', '-o', self.trace, whole], system_env())
      whole.unlink()
      return '' if trimmed.ok else 'trimming: ' + trimmed.why()

   def _record_whole(self, whole):
      """Records; some scenes ask for the time often in a frame, and get more of it until there are enough frames."""
      for asked_per_frame in (1, 2, 4, 8):
         env = system_env(LD_PRELOAD=str(CLOCK), STEADY_CLOCK_CALLS=str(asked_per_frame * self.frames + 20))
         command = [word.replace('DURATION', str(asked_per_frame * self.frames / 2)) for word in self.command]
         recorded = run(['apitrace', 'trace', '-a', self.api, '-o', whole, *command], env, timeout_s=120)
         if not whole.exists():
            return 'recording: ' + recorded.why()
         if frames_of(whole) >= self.frames:
            break
      return ''

   def replay(self, env, folder, timeout_s=120):
      """Replays the trace with the driver of `env`. Returns (outcome, pictures in order of frames)."""
      folder.mkdir(parents=True, exist_ok=True)
      for old in folder.glob('frame*.png'):
         old.unlink()
      outcome = run([self._player(), '--headless', '--snapshot=frame', f'--snapshot-prefix={folder}/frame',
                     self.trace], env, timeout_s)
      return outcome, self.pictures(folder)

   def frame_hashes(self, env, timeout_s=120):
      """Replays the trace; returns (outcome, one MD5 a frame)."""
      outcome = run([self._player(), '--headless', '--snapshot=frame', '--snapshot-format=MD5',
                     '--snapshot-prefix=-', self.trace], env, timeout_s)
      return outcome, [line.split()[0] for line in outcome.output.splitlines() if _is_md5(line)]

   def fault(self, outcome, pictures):
      """What is wrong with a replay's end or the number of its pictures, which is the reference's; '': nothing."""
      recorded = len(self.pictures(self.reference))
      if outcome.ok and len(pictures) == recorded > self.undefined_frames:
         return ''
      return f'{len(pictures)} of {recorded} pictures; {outcome.why()}'

   def pairs(self, pictures):
      """[(picture, the reference's)] of the frames that can be compared."""
      return list(zip(pictures, self.pictures(self.reference), strict=True))[self.undefined_frames:]

   @staticmethod
   def pictures(folder: Path):
      return sorted(folder.glob('frame*.png'))

   def _player(self):
      return 'eglretrace' if self.api == 'egl' else 'glretrace'


class RecordedEndless(Recorded):
   """A program that sleeps between its frames and never ends: it has its first `frames` frames, if it draws that many
   in TIMEOUT_S seconds. Under steady_clock its sleeps take no time and its random numbers are always the same.
   `settled`: words of settled_gl.c, for what is taken out of the recording."""

   TIMEOUT_S = 300
   PRELOAD = 'export LD_PRELOAD="$0:$LD_PRELOAD:$1"; shift; exec "$@"'   # around what apitrace has put there

   def __init__(self, name, command, api, frames, renderer='softpipe', settled=()):
      super().__init__(name, command, api, undefined_frames=1, frames=frames, renderer=renderer)
      self.settled = settled
      self.recipe += f': {frames} frames of steady_clock' + ''.join(f', {word}' for word in settled)

   def _record_whole(self, whole):
      found = 0
      for sleeps_per_frame in (1, 4, 16):
         env = system_env(**DRIVER_GL, SETTLED_GL=' '.join(self.settled),
                          STEADY_CLOCK_STEP_US='10', STEADY_CLOCK_SLEEPS=str(sleeps_per_frame * self.frames + 1))
         recorded = run(['timeout', '--signal=TERM', '--kill-after=5', str(self.TIMEOUT_S), 'apitrace', 'trace', '-a',
                         self.api,
                         '-o', whole, 'sh', '-c', self.PRELOAD, SETTLED, CLOCK, *self.command], env,
                        timeout_s=self.TIMEOUT_S + 20, cwd=self.reference)
         if not whole.exists():
            return 'recording: ' + recorded.why()
         found = frames_of(whole)
         if found >= self.frames:
            break
      self.frames = min(self.frames, found)
      return '' if self.frames > self.undefined_frames else f'recording: {self.frames} frames'


class RecordedStill(Recorded):
   """A program that draws a frame and waits for events: it has one frame. It is recorded with a second one, for which
   its window is exposed, since a replay makes the window as large as the program's in its first. Nobody says when it
   has drawn: where it has not in the shortest of WAITS_S, it is recorded again with the next."""

   WAITS_S = (2, 5, 12)

   def __init__(self, name, command, api='egl'):
      super().__init__(name, command, api, undefined_frames=1, frames=2)

   def pairs(self, pictures):
      return [(pictures[-1], self.pictures(self.reference)[-1])]

   def _record_whole(self, whole):
      for wait_s in self.WAITS_S:
         whole.unlink(missing_ok=True)
         self._record_waiting(whole, wait_s)
         found = frames_of(whole) if whole.exists() else 0
         if found >= self.frames:
            return ''
      return f'recording: {found} frames in {3 * wait_s} s'

   def _record_waiting(self, whole, wait_s):
      command = ['apitrace', 'trace', '-a', self.api, '-o', str(whole), *self.command]
      nothing = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}
      env = system_env(LD_PRELOAD=str(CLOCK))
      with subprocess.Popen(command, env=env, start_new_session=True, **nothing) as program:
         for _ in range(2):
            time.sleep(wait_s)
            expose_windows()
         time.sleep(wait_s)
         os.killpg(program.pid, signal.SIGTERM)


class RecordedOnce(Recorded):
   """An application that goes by the true clock, recorded for `run_s` in a folder of its own: each recording is
   another, but all drivers replay the one. Of it the last of `frames` frames is compared. `words`, of settled_gl.c, say
   what is taken out as GL leaves it open."""

   PRELOAD = 'export LD_PRELOAD="$0:$LD_PRELOAD"; exec "$@"'   # around what apitrace has put there

   def __init__(self, name, command, api, frames, env, words, renderer, run_s=20):
      super().__init__(name, command, api, undefined_frames=1, frames=frames, renderer=renderer)
      self.recipe += f': {frames} frames, {words}'
      self.env, self.words, self.run_s = env, words, run_s

   def pairs(self, pictures):
      return super().pairs(pictures)[-1:]

   def _record_whole(self, whole):
      command = ['timeout', '--signal=TERM', '--kill-after=5', str(self.run_s), 'apitrace', 'trace', '-a', self.api,
                 '-o', whole,
                 'sh', '-c', self.PRELOAD, SETTLED, *self.command]
      env = system_env(**(DRIVER_GL | {'SETTLED_GL': self.words} | self.env))
      recorded = run(command, env, timeout_s=self.run_s + 20)
      if not whole.exists():
         return 'recording: ' + recorded.why()
      found = frames_of(whole)
      return '' if found >= self.frames else f'recording: {found} of {self.frames} frames'

   def _record_frames(self):
      return super()._record_frames() or self._leave_out_contexts()

   def _leave_out_contexts(self):
      """Takes contexts that the program asked for in vain out of the trace: a replay ends at them."""
      calls = run(['apitrace', 'dump', '--color=never', self.trace], system_env()).output
      failed = [int(call) for call in re.findall(r'^(\d+) \w*CreateContext\w*\(.*\) = NULL$', calls, re.M)]
      if not failed:
         return ''
      kept = ','.join(f'{after + 1}-{before - 1}' for after, before in pairwise([-1, *failed, 1 << 32]))
      whole = self.trace.rename(self.trace.with_suffix('.whole'))
      trimmed = run(['apitrace', 'trim', f'--calls={kept}', '-o', self.trace, whole], system_env())
      whole.unlink()
      return '' if trimmed.ok else 'trimming: ' + trimmed.why()


class RecordedTerrain(Recorded):
   """glmark2's terrain, whose textures have level 0 alone: the level of detail may be approximated (GL ES 2.0 section
   3.7.7), and a normal map's LSBs become a dozen by the light. All else is the scene's own, and can be compared."""

   DATA, OWN_DATA = Path('/usr/share/glmark2'), ARTIFACTS / 'glmark2-level-0'
   SHADER, MIPMAPS, BIAS = 'terrain.frag', ('tDetail', 'tDiffuse1', 'tDiffuse2', 'tSpecular'), -16

   def __init__(self):
      size = 'x'.join(map(str, SIZE_PX))
      super().__init__('terrain-level-0', ['glmark2-es2', '-s', size, '--data-path', str(self.OWN_DATA), '-b',
                                           'terrain:duration=DURATION'])

   def _record_whole(self, whole):
      shutil.rmtree(self.OWN_DATA, ignore_errors=True)
      (self.OWN_DATA / 'shaders').mkdir(parents=True)
      for folder in ('models', 'textures'):
         (self.OWN_DATA / folder).symlink_to(self.DATA / folder)
      for shader in (self.DATA / 'shaders').iterdir():
         (self.OWN_DATA / 'shaders' / shader.name).symlink_to(shader)
      text = (self.DATA / 'shaders' / self.SHADER).read_text()
      for name in self.MIPMAPS:
         if text.count(sample := f'texture2D( {name}, uvOverlay )') != 1:
            return f'recording: {self.SHADER} of this glmark2 has not one {sample}'
         text = text.replace(sample, f'texture2D({name}, uvOverlay, {self.BIAS}.0)')
      (self.OWN_DATA / 'shaders' / self.SHADER).unlink()
      (self.OWN_DATA / 'shaders' / self.SHADER).write_text(text)
      return super()._record_whole(whole)


def frames_of(trace):
   """The number of frames of a trace; 0 if it cannot be read."""
   info = run(['apitrace', 'info', trace], system_env())
   return json.loads(info.output)['FramesCount'] if info.ok else 0


def _is_md5(line):
   word = line.split(' ', 1)[0]
   return len(word) == 32 and all(c in '0123456789abcdefABCDEF' for c in word)


def recorded_programs():
   """Everything that is recorded: the glmark2 scenes, in a window, a terrain without mipmaps, and the gears."""
   size = 'x'.join(map(str, SIZE_PX))
   programs = [Recorded(slug(scene), ['glmark2-es2', '-s', size, '-b', f'{scene}{"" if scene.endswith(":") else ":"}'
                                      'duration=DURATION']) for scene in glmark2_scenes()]
   return programs + [RecordedTerrain(), es2gears(), glxgears()]


def es2gears():
   return Recorded('es2gears', ['es2gears_x11'], undefined_frames=1)


def glxgears():
   return Recorded('glxgears', ['glxgears'], api='gl', undefined_frames=1)
