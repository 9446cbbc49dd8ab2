# SPDX-License-Identifier: MIT
"""Counts of what runs, of suite `tools`: statistics of draws and frames (CLIPFREE_STATS) and coverage of GLSL
(CLIPFREE_COVERAGE), against counts that are known, and read by lcov."""
import csv
import os
import re
import shutil
from pathlib import Path

from harness.suite import BUILD, PREBUILT, driver_env, run

CALLS = ['glDrawArrays(GL_TRIANGLE_STRIP, 0, 4)', 'glDrawArrays(GL_TRIANGLES, 0, 3)']   # of debug_cases
GEARS = ('es2gears_x11', 'glxgears')   # programs whose statistics are looked at; the first that is installed


def read_rows(path):
   """Rows of a table; none: there is no file."""
   if not path.exists():
      return []
   with path.open(newline='', encoding='utf-8') as file:
      return list(csv.DictReader(file))


def stats_of(path, command, **variables):
   """Rows of CLIPFREE_STATS, and why there are none."""
   outcome = run(command, driver_env(CLIPFREE_STATS=str(path), **variables), timeout_s=120)
   rows = read_rows(path) if outcome.ok else []
   return rows, outcome.why()


def frame_faults(rows):
   """What is wrong with the sums of frames: each is that of the rows before it, times apart."""
   faults, others, frames = [], [], 0
   for row in rows:
      if row['kind'] != 'frame':
         others.append(row)
         continue
      for name, cell in row.items():
         cells = [other[name] for other in others if other[name]]
         if cell and cells and name not in ('kind', 'frame') and not name.endswith('_ns'):
            total = sum(map(int, cells))
            if total != int(cell):
               faults.append(f'frame {frames}: {name}: rows {total}, frame {cell}')
      kinds = [other['kind'] for other in others]
      counts = [kinds.count('draw'), kinds.count('clear'), len(kinds) - kinds.count('draw') - kinds.count('clear')]
      if {int(r['frame']) for r in [row, *others]} != {frames} \
            or [int(row[name]) for name in ('draws', 'clears', 'transfers')] != counts:
         faults.append(f'frame {frames} has rows of others')
      frames, others = frames + 1, []
   return faults + ['rows after the last frame'] * bool(others)


def check_replayed_stats(suite, folder):
   """A capture has the calls and groups of its draws."""
   path, table = folder / 'stats.cap', folder / 'replayed.csv'
   recorded = run([PREBUILT / 'capture_scene'],
                  driver_env(CLIPFREE_CAPTURE=f'file={path},count=100', CLIPFREE_STATS=str(folder / 'scene.csv')))
   outcome = run([BUILD / 'tools' / 'clipfree-replay', '--stats', table, path], driver_env())
   live, replayed = ([(row['kind'], row['call'], row['group']) for row in read_rows(csv_path) if row['kind'] != 'frame']
                     for csv_path in (folder / 'scene.csv', table))
   groups = {group for _, _, group in live}
   suite.check('stats notes', recorded.ok and outcome.ok and live == replayed
               and groups >= {'world', 'world / trees, near'},
               f'{len(live)} rows, {len(replayed)} replayed, groups {sorted(groups)[:9]}; {recorded.why()} '
               f'{outcome.why()}')


def check_stats(suite, folder):
   """Statistics of a program whose numbers are known, and of one that presents frames."""
   rows, why = stats_of(folder / 'sea.csv', [PREBUILT / 'debug_cases', 'right'])
   sea, ship = [row for row in rows if row['kind'] == 'draw'] or [None, None]
   found = [[int(row[name]) for name in ('elements', 'primitives', 'set_up', 'vertices', 'fragments')]
            for row in (sea, ship)] if sea else why
   suite.check('stats known', sea and found == [[4, 2, 2, 4, 320 * 240], [3, 1, 1, 3, 160 * 120 // 2]]
               and not frame_faults(rows),
               f'{found}, {frame_faults(rows)}')
   calls = [row['call'] for row in (sea, ship)] if sea else why
   suite.check('stats calls', calls == CALLS and [row['cleared'] for row in rows if row['kind'] == 'clear'][-1:]
               == [str(2 * 320 * 240)], f'{calls}')
   check_replayed_stats(suite, folder)
   gears = next((name for name in GEARS if shutil.which(name)), None)
   if not gears:
      suite.skip('stats frames', 'no gears are installed')
      return
   rows, why = stats_of(folder / 'gears.csv', [gears], CLIPFREE_FRAMES='5')
   frames = [row for row in rows if row['kind'] == 'frame']
   faults = frame_faults(rows)
   suite.check('stats frames', len(frames) >= 4 and all(int(row['fragments']) > 1000 for row in frames[:4])
               and not faults,
               f'{len(frames)} frames, {len(rows)} rows; {faults[:3] or why}')


def covered(folder):
   """{text of a source: {line: count}} over the files of a folder, which name their sources."""
   found = {}
   for path in sorted(folder.glob('*.info')):
      for record in path.read_text().split('end_of_record\n')[:-1]:
         lines = found.setdefault(Path(re.search('^SF:(.*)$', record, re.MULTILINE)[1]).read_text(), {})
         for line, count in re.findall(r'^DA:(\d+),(\d+)$', record, re.MULTILINE):
            lines[int(line)] = lines.get(int(line), 0) + int(count)
   return found


def check_coverage(suite, scratch):
   """Lines of known shaders over two runs; lcov reads them; a capture with its lines has the same counts."""
   folder, replayed = scratch / 'coverage', scratch / 'replayed'
   runs = [run([PREBUILT / 'debug_cases', 'right'], driver_env(CLIPFREE_COVERAGE=str(folder))) for _ in range(2)]
   found = {key: lines for text, lines in covered(folder).items() for key in ('waves', 'paint', 'varying', 'distance')
            if key in text and (key != 'varying' or 'attribute' in text)}
   expected = {'waves': 320 * 240, 'paint': 160 * 120 // 2, 'varying': 4, 'distance': 3}
   suite.check('coverage known', all(r.ok for r in runs) and set(found) == set(expected) and
               all(lines and set(lines.values()) == {2 * expected[key]} for key, lines in found.items()),
               f'{found}; {runs[0].why()}')
   path = scratch / 'coverage.cap'
   recorded = run([PREBUILT / 'debug_cases', 'right'], driver_env(CLIPFREE_CAPTURE=f'file={path},count=100'))
   outcome = run([BUILD / 'tools' / 'clipfree-replay', '--coverage', str(replayed), path], driver_env())
   once = {text: {line: count // 2 for line, count in lines.items()} for text, lines in covered(folder).items()}
   suite.check('coverage of a capture', recorded.ok and outcome.ok and once and covered(replayed) == once,
               outcome.why())
   if not shutil.which('genhtml'):
      suite.skip('coverage lcov', 'lcov is not installed')
      return
   files = [str(file) for file in folder.glob('*.info')]
   total = scratch / 'coverage-all.info'
   summed = run(['lcov', '-q', *(word for file in files for word in ('-a', file)), '-o', str(total)], dict(os.environ))
   page = run(['genhtml', '-q', str(total), '-o', str(scratch / 'coverage-html')], dict(os.environ))
   summary = run(['lcov', '--summary', str(total)], dict(os.environ))
   lines = sum(len(lines) for lines in covered(folder).values())
   suite.check('coverage lcov', summed.ok and page.ok and not (summed.output + page.output).strip()
               and f'{lines} of {lines} lines' in summary.output and
               (scratch / 'coverage-html' / 'index.html').exists(), f'{summed.output}; {page.output}; {summary.why()}')


CHECKS = {'stats': check_stats, 'coverage': check_coverage}


def names():
   return list(CHECKS)


def check(suite, folder, name):
   CHECKS[name](suite, folder)
