# SPDX-License-Identifier: MIT
"""What suite `golden` draws: programs with a fixed clock and fixed seeds, each with the frames that are looked at. A
frame's hash is the SHA-256 of its picture as a binary PPM (P6, header 'P6\\n<width> <height>\\n255\\n', top row first);
of rules it is that of the bytes that the rule reads back."""
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from PIL import Image

from harness.scenes import glmark2_scenes, slug
from harness.suite import PREBUILT, driver_env, rule_programs, run

SIZE = '320x240'
FRAMES = (2, 3)                # of what is shown, from 1: in its first frame a scene may still be black
CLOCK = {'LD_PRELOAD': str(PREBUILT / 'steady_clock.so'), 'vblank_mode': '0'}
PAPERS = ('fragment_unit', 'lighting', 'setup_policies')
CASE = '3'                     # of a rule
TIMEOUT_S = 600                # of a program whose shaders are all compiled first
WHOLE = 'submission=0,count=1000'   # of a capture: all that a program without a window submits


def sha256(data):
   return hashlib.sha256(data).hexdigest()


def of_picture(path):
   """The hash of a picture in any format."""
   with Image.open(path) as image:
      rgb = image.convert('RGB')
      return sha256(b'P6\n%d %d\n255\n' % rgb.size + rgb.tobytes())


@dataclass
class Shown:
   """A program with a window; its frames are those that the driver is told to write."""
   name: str
   command: list
   package: str                # that it is of; another version of it may draw something else

   captured = f'frame={FRAMES[0] - 1},count={len(FRAMES)}'   # frames of captures are counted from 0

   @property
   def frames(self):
      return [f'{self.name}/{frame}' for frame in FRAMES]

   def draw(self, folder, **way):
      """({frame: hash}, the program's outcome)"""
      paths = {f'{self.name}/{frame}': folder / f'{frame:04}.png' for frame in FRAMES}
      for path in paths.values():
         path.unlink(missing_ok=True)
      outcome = run(self.command, driver_env(**CLOCK, CLIPFREE_FRAMES=str(FRAMES[-1]),
                                             CLIPFREE_FRAME_DUMP=f'{folder}/', **way), TIMEOUT_S)
      return {frame: of_picture(path) for frame, path in paths.items() if path.exists()}, outcome


@dataclass
class Written:
   """A program that writes one frame into a file, which is its last argument."""
   name: str
   command: list
   pixels: bool                # the file is pixels alone, not a PPM
   package = ''

   captured = WHOLE

   @property
   def frames(self):
      return [self.name]

   def draw(self, folder, **way):
      path = folder / 'frame'
      path.unlink(missing_ok=True)
      outcome = run([*self.command, path], driver_env(**way), TIMEOUT_S)
      if not outcome.ok or not path.exists() or not path.stat().st_size:
         return {}, outcome
      return {self.name: sha256(path.read_bytes()) if self.pixels else of_picture(path)}, outcome


def _listed(program):
   """The cases of a program that lists them."""
   outcome = run([program, '--list'], driver_env())
   return outcome.output.split() if outcome.ok else []


def everything():
   """All that is drawn, in order."""
   drawn = [Shown(f'scenes/{slug(scene)}', ['glmark2-es2', '-s', SIZE, '-b', f'{scene.rstrip(":")}:duration=20'],
                  'glmark2-es2-x11') for scene in glmark2_scenes()]
   drawn += [Shown(f'programs/{name}', [name], 'mesa-utils') for name in ('es2gears_x11', 'glxgears')]
   for program in PAPERS:
      drawn += [Written(f'papers/{program}/{case}', [PREBUILT / program, case], False)
                for case in _listed(PREBUILT / program)]
   for program in rule_programs():
      drawn += [Written(f'rules/{program.name.removesuffix("_rules")}/{case}',
                        [program, case, '--seed', '1', '--case', CASE, '--pixels'], True)
                for case in _listed(program)]
   return drawn


@cache
def version(package):
   """That of an installed package, '' of none."""
   outcome = run(['dpkg-query', '-W', '-f', '${Version}', package]) if package else None
   return outcome.output if outcome and outcome.ok else ''


def empty_folder(path: Path):
   path.mkdir(parents=True, exist_ok=True)
   for old in path.iterdir():
      old.unlink()
   return path
