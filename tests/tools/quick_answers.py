# SPDX-License-Identifier: MIT
"""How long `clipfree why` takes, of suite `tools`: of a real program's capture of 40 MB, for several pixels and draws,
less than 2 s of processor time."""
import json
import os
import random
import shutil
import subprocess

from harness.suite import BUILD, driver_env, run

WHY, REPLAY = (BUILD / 'tools' / name for name in ('clipfree-why', 'clipfree-replay'))
LEAST_B = 40_000_000
LIMIT_S = 2.0
ROUNDS = 3             # the least of them counts: what else the machine does is not the tool's
SIZE = (800, 600)
# What a scene of glmark2 draws, and how many frames of it are in the capture until it is large enough.
SCENE, FRAMES = 'terrain', (1, 2, 4, 8, 16)
SEED = 16


def names():
   return ['why in 2 s']


def captured(folder):
   """A capture of at least 40 MB, how many frames it has, and why there is none."""
   path, why = folder / 'large.cap', ''
   for frames in FRAMES:
      path.unlink(missing_ok=True)
      outcome = run(['glmark2-es2', '-s', f'{SIZE[0]}x{SIZE[1]}', '-b', f'{SCENE}:duration=60'],
                    driver_env(CLIPFREE_CAPTURE=f'file={path},frame=5,count={frames}', CLIPFREE_FRAMES=str(frames + 7),
                               vblank_mode='0'), timeout_s=300)
      why = f'{path.stat().st_size / 1e6:.1f} MB with {frames} frames' if path.exists() else outcome.why()
      if path.exists() and path.stat().st_size >= LEAST_B:
         return path, frames, why
   return None, 0, why


def spent(command):
   """(processor time of a command in seconds, its status, what it prints)"""
   with subprocess.Popen([str(word) for word in command], env=driver_env(), stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
      text = process.stdout.read()
      _, status, used = os.wait4(process.pid, 0)
      process.returncode = os.waitstatus_to_exitcode(status)
   return used.ru_utime + used.ru_stime, process.returncode, text


def questions(path):
   """Words of questions: pixels, draws at pixels, and all that came to a pixel."""
   numbers = random.Random(SEED)
   listed = json.loads(run([REPLAY, '--list', '--json', path], driver_env()).output)
   pixels = ['400,300', '0,0'] + [f'{numbers.randrange(SIZE[0])},{numbers.randrange(SIZE[1])}' for _ in range(3)]
   draws = sorted({0, listed['draws'] - 1, *(numbers.randrange(listed['draws']) for _ in range(2))})
   of_draws = [[str(draw), pixel] for draw, pixel in zip(draws, pixels)]
   return [[pixel] for pixel in pixels] + of_draws + [['--all', pixels[0]]]


def check(suite, folder, name):
   if not shutil.which('glmark2-es2'):
      suite.skip(name, 'glmark2-es2 is not installed')
      return
   path, frames, why = captured(folder)
   suite.check(f'{name}: a capture of 40 MB', path is not None, why)
   if not path:
      return
   for words in questions(path):
      runs = [spent([WHY, '--json', path, *words]) for _ in range(ROUNDS)]
      times = [round(run_s, 2) for run_s, _, _ in runs]
      answered = all(status == 0 and json.loads(text)['verdict'] for _, status, text in runs)
      suite.check(f'{name}: {" ".join(words)}', answered and min(times) < LIMIT_S,
                  f'{min(times)} s of {times}' if answered else runs[0][2][-160:])
   path.unlink()
