# SPDX-License-Identifier: MIT
"""How long `clipfree why` takes, of suite `tools`: of programs' captures of more than 40 MB, for several pixels and
draws, less than 2 s of processor time. One is a single frame with many textures, the other several frames of glmark2's
terrain, all of which are run. Where the machine is slower than the one that the figure is of, or is for a while, a
replay beside each question says by how much."""
import json
import random
import shutil

from harness.suite import BUILD, PREBUILT, driver_env, run, run_measured

WHY, REPLAY = (BUILD / 'tools' / name for name in ('clipfree-why', 'clipfree-replay'))
LEAST_B = 40_000_000
LIMIT_S = 2.0
ROUNDS = 3             # at most; the least of them counts: what else the machine does is not the tool's
SIZE = (800, 600)
SEED = 16
TERRAIN = ['glmark2-es2', '-s', '{}x{}'.format(*SIZE), '-b', 'terrain:duration=20']
PLAIN = ['--engine', 'interp', '--threads', '0']     # the same on all machines, with or without kept objects
FRAMES = {'CLIPFREE_FRAMES': '14', 'vblank_mode': '0'}
# The command, what is captured of it, and the processor time of a replay where a question is to take 2 s (an AMD EPYC
# of 2025, idle).
PROGRAMS = {'why in 2 s': ([PREBUILT / 'many_textures'], 'count=100', {}, 0.5),
            'why in 2 s, of glmark2': (TERRAIN, 'frame=5,count=6', FRAMES, 1.45)}


def names():
   return list(PROGRAMS)


def spent(command):
   """(the outcome of a command, its processor time in seconds)"""
   outcome, used = run_measured(command, driver_env(), timeout_s=300)
   return outcome, used.ru_utime + used.ru_stime


def ask(path, words, replay_s):
   """(processor time of a question as it would be on the machine of `replay_s`, as it is, how much slower this one is,
   the verdict)"""
   answer, why_s = spent([WHY, '--json', path, *words])
   _, slow_s = spent([REPLAY, *PLAIN, path])
   slower = max(1, slow_s / replay_s)
   return why_s / slower, why_s, slower, json.loads(answer.output)['verdict'] if answer.ok else ''


def questions(path):
   """Words of questions: pixels, draws at pixels, and all that came to a pixel."""
   numbers = random.Random(SEED)
   draws = json.loads(run([REPLAY, '--list', '--json', path], driver_env()).output)['draws']
   pixels = ['400,300', '0,0'] + [f'{numbers.randrange(SIZE[0])},{numbers.randrange(SIZE[1])}' for _ in range(3)]
   chosen = [0, draws - 1, *(numbers.randrange(draws) for _ in range(2))]
   of_draws = [[str(draw), pixel] for draw, pixel in zip(chosen, pixels)]
   return [[pixel] for pixel in pixels] + of_draws + [['--all', pixels[0]]]


def check(suite, folder, name):
   path = folder / 'large.cap'
   command, what, variables, replay_s = PROGRAMS[name]
   if not shutil.which(command[0]):
      suite.skip(name, f'{command[0]} is not installed')
      return
   drawn = run(command, driver_env(CLIPFREE_CAPTURE=f'file={path},{what}', **variables), timeout_s=300)
   size_B = path.stat().st_size if path.exists() else 0
   if not suite.check(f'{name}: a capture of 40 MB', drawn.ok and size_B >= LEAST_B, f'{size_B / 1e6:.1f} MB; {drawn.why()}'):
      return
   for words in questions(path):
      found = ask(path, words, replay_s)
      for _ in range(ROUNDS - 1):
         found = found if found[0] < LIMIT_S else min(found, ask(path, words, replay_s))
      scaled_s, spent_s, slower, verdict = found
      suite.check(f'{name}: {" ".join(words)}', verdict and scaled_s < LIMIT_S,
                  f'{spent_s:.2f} s of processor time; this machine: {slower:.2f}' if verdict else 'no verdict')
   path.unlink()
