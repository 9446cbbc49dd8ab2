# SPDX-License-Identifier: MIT
"""What the sanitiser costs, of suite `tools`: the bench's table of processor time with all of its checks and without,
of which each scene has figures (./clipfree bench --only sanitize): less than 10 times in the long run, which takes the
least of its rounds; and while it is off
what the GPU asks on its way, whether somebody watches, takes less than 0.5 % of a replay's instructions. That is also
what the recorder of `clipfree sim` costs while nobody records, on paper A's scenes, too (TABLE_1). For the latter
the GPU is built twice, once with a source from which these questions are gone; valgrind counts the instructions, which
are the same in each run. These builds are releases, which count draws as this build does (CLIPFREE_STATS)."""
import csv
import json
import re
import shutil
from pathlib import Path

from harness.scenes import slug
from harness.suite import BUILD, ROOT, driver_env, run

BENCH, MESON = ROOT / 'tools/bench/bench', ROOT / '.clipfree/bin/meson'
REPLAY = BUILD / 'tools/clipfree-replay'
COUNTS = ('kind', 'call', 'draw', 'elements', 'primitives', 'set_up', 'vertices', 'quads', 'shaded', 'fragments',
          'cleared', 'transferred')
OFF_SHARE = 0.005
MOST_TIMES = 10
WORST = ('pulsar', 'effect2d')     # scenes of the short run
REPEATS = (1, 11)                           # of a replay: the difference is ten frames
SIZE, FRAME = '128x96', 10                  # small: what is asked once a draw or tile counts most
TABLE_1 = (f'effect2d:kernel={"1,1,1,1,1;" * 5}', 'texture:model=cube', 'jellyfish', 'texture:model=cat')   # of paper A
OFF_SCENES = {'interp': ('shading:shading=phong', 'terrain', 'build:use-vbo=true', *TABLE_1),
              'jit': ('shading:shading=phong', 'pulsar', *TABLE_1)}
COUNTED = re.compile(r'Collected *: (\d+)')
# Questions, whether somebody watches, in the rooms on a draw's way; not assignments.
ROOMS = ('command', 'schedule', 'vertex', 'pixel', 'shader')
APART = re.compile(r'observed|run_watched|_report|cf_model|test_')
QUESTION = re.compile(r'\b(?:\w+(?:->|\.))+observer\b(?!\s*=[^=])')
NOBODY = '((const struct cf_observer *)0)'
LEAST_QUESTIONS = 25
LONG = ['sanitize cost, all scenes', 'sanitize off']


def names():
   return ['sanitize cost']


def check_cost(suite, name, folder, scenes, rounds):
   path = folder / 'cost.json'
   done = run([BENCH, '--only', 'sanitize', '--rounds', str(rounds), '--json', path, *scenes],
              driver_env(CLIPFREE_BUILD=str(BUILD)), timeout_s=7200)
   figures = json.loads(path.read_text())['sanitize'][0] if done.ok else {}
   print('\n'.join(line for line in done.output.splitlines() if line.startswith('|')))
   times = figures['ratios']['all checks'] if figures else {}
   worst = sorted(times.items(), key=lambda item: -item[1])[:3]
   found = '; '.join(f'{scene}: {ratio:.1f} times' for scene, ratio in worst)
   most = MOST_TIMES if name in LONG else float('inf')
   suite.check(name, done.ok and times and len(times) >= len(scenes) and
               all(1 < ratio < most for ratio in times.values()),
               found or done.why())


# ---------------------------------------------------------------- off

def without_questions(folder):
   """A copy of the GPU's source in which nobody asks whether somebody watches; and how many did."""
   count = 0
   shutil.copytree(ROOT, folder, symlinks=True,
                   ignore=lambda path, inside: [name for name in inside if name.startswith(('.git', '.clipfree', 'build'))
                                                or name == 'packagecache' or
                                                (Path(path).name == 'subprojects' and not name.endswith('.wrap'))])
   for path in (path for room in ROOMS for path in (folder / 'src/clipfree' / room).glob('*.[ch]')):
      if not APART.search(path.name):
         text, changed = QUESTION.subn(NOBODY, path.read_text())
         path.write_text(text)
         count += changed
   return count


def built_replay(source, build):
   """The replay of a source, built as a release without Mesa; and what went wrong."""
   options = ['-Dmesa=disabled', '-Djit=enabled', '-Dbuildtype=release', '-Dwerror=false']
   done = run([MESON, 'setup', build, source, *options], timeout_s=600)
   if done.ok:
      done = run(['ninja', '-C', build, 'tools/clipfree-replay', 'src/clipfree/jit/llvm/libclipfree_jit.so'],
                 timeout_s=3600)
   return build / 'tools/clipfree-replay', '' if done.ok else done.why()


def instructions(replay, engine, path):
   """Of a frame of a replay; None: valgrind has not counted. Without AVX-512, which valgrind does not know. It runs
   once before, so that what is compiled lies in the cache of both runs that are counted."""
   counts = []
   environment = driver_env(LD_LIBRARY_PATH=str(replay.parents[1] / 'src/clipfree/jit/llvm'),
                            MESA_SHADER_CACHE_DIR=str(replay.parent / 'cache'))
   command = [replay, '--threads', '0', '--host-level', 'v3', '--engine', engine, '--repeat']
   run([*command, '2', path], environment, timeout_s=600)
   for times in REPEATS:
      done = run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', *command, str(times), path],
                 environment, timeout_s=3600)
      found = COUNTED.search(done.output)
      if not done.ok or not found:
         return None
      counts.append(int(found[1]))
   return (counts[1] - counts[0]) / (REPEATS[1] - REPEATS[0])


def captured(folder, scene):
   path = folder / f'{slug(scene)}.cap'
   run(['glmark2-es2', '-s', SIZE, '-b', f'{scene.rstrip(":")}:duration=20'],
       driver_env(CLIPFREE_CAPTURE=f'file={path},frame={FRAME}', CLIPFREE_FRAMES=str(FRAME + 2)), timeout_s=120)
   return path


def counts_of(replay, path, file):
   """Counts of draws, clears and transfers that a replay writes, none of which may vary."""
   done = run([replay, '--stats', file, path], driver_env())
   with open(file, newline='', encoding='utf-8') as table:
      return [[row[column] for column in COUNTS] for row in csv.DictReader(table)] if done.ok else []


def check_release(suite, name, replay, path, folder):
   """A release build counts what this one counts."""
   found, expected = (counts_of(program, path, folder / f'{program.parts[-3]}.csv') for program in (replay, REPLAY))
   suite.check(f'{name}: CLIPFREE_STATS of a release', len(expected) > 5 and found == expected,
               f'{len(found)} rows, {len(expected)} of this build')


def check_off(suite, folder):
   name = 'sanitize off'
   if not shutil.which('valgrind') or not MESON.exists():
      suite.skip(name, 'valgrind, or the Meson of ./clipfree setup, is not installed')
      return
   questions = without_questions(folder / 'without')
   suite.check(f'{name}: questions that are left out', questions >= LEAST_QUESTIONS, str(questions))
   (asks, why), (asks_not, why_not) = (built_replay(source, folder / f'build-{kind}') for kind, source in
                                       (('with', ROOT), ('without', folder / 'without')))
   if not suite.check(f'{name}: builds', not why and not why_not, why or why_not):
      return
   for engine, scenes in OFF_SCENES.items():
      for scene in scenes:
         path = captured(folder, scene)
         with_them, without = (instructions(replay, engine, path) for replay in (asks, asks_not))
         more = with_them / without - 1 if with_them and without else None
         suite.check(f'{name}: {scene}, {engine}', more is not None and more < OFF_SHARE,
                     'it was not counted' if more is None else f'{100 * more:+.3f} % of {without:.0f} instructions')
   check_release(suite, name, asks, captured(folder, 'shadow'), folder)
   for kind in 'with', 'without':
      shutil.rmtree(folder / f'build-{kind}')


def check(suite, folder, name):
   if name == 'sanitize off':
      check_off(suite, folder)
   else:
      check_cost(suite, name, folder, () if name in LONG else WORST, 3 if name in LONG else 1)
