# SPDX-License-Identifier: MIT
"""clipfree report, of suite `tools`: it says of slow_cases what docs/debugging.md says, and its pages look right in a
browser, light and dark, narrow and wide (browsers.py): of a case, of glmark2 and of a program of fixed function."""
import json
import re
import shutil
import sys

import browsers
from harness import hacks
from harness.suite import PREBUILT, ROOT, driver_env, run

sys.path.append(str(ROOT / 'tools' / 'report'))
from page import line_costs

REPORT = ROOT / 'tools' / 'report' / 'report'
# What is looked at in a browser beside a case: programs, and the frame of each.
SHOWN = {'refract': (['glmark2-es2', '-s', '800x600', '-b', 'refract:duration=20'], 20),
         'molecule': ([hacks.FOLDER / 'molecule', '--window', '--geometry', '640x480'], 10)}
# The mistakes of slow_cases: what the page says of the whole frame: cost in slots, hidden fragments, fragments that
# failed the depth test, percent of slots that wait at branches, and why depth tests are late.
CASES = {
   'right': (7364212, 178739, 179731, 0, None),
   'order': (26174592, 0, 0, 0, None),
   'discard': (26725536, 178739, 179731, 0, 'discard'),
   'branch': (11207084, 178739, 179731, 23, None),
   'textured': (7751552, 178739, 179731, 0, None),
   'mipmaps': (7751552, 178739, 179731, 0, None),
   'everywhere': (11547484, 178739, 179731, 0, None),
   'once': (7829020, 178739, 179731, 0, None),
}
# What the page says beside lines of a case's shader: lanes, cost, waiting, taken and not taken.
LINES = {
   'branch': {8: (247691, 21796808, 8599395, []), 16: (247691, 2105366, 370529, [(123838, 123853)])},
   'everywhere': {9: (247691, 18824516, 0, []), 19: (247691, 12384550, 0, []), 20: (247691, 3715365, 0, [])},
}
# What it remarks on a draw, of the case that has the mistake alone.
REMARKS = {
   'discard': '55.9\u202fk hidden fragments are shaded: discard',
   'mipmaps': '99 % of texture fetches are 4 texels or more from those of the pixels beside: are mipmaps missing?',
}


def names():
   return [f'report {name}' for name in CASES] + ['report program', 'report browser']


def made(folder, name):
   """Capture a case, and report. (JSON or None, page, why not)"""
   path, out, page = (folder / f'slow-{name}.{kind}' for kind in ('cap', 'json', 'html'))
   for file in (path, out, page):
      file.unlink(missing_ok=True)
   drawn = run([PREBUILT / 'slow_cases', name], driver_env(CLIPFREE_CAPTURE=f'file={path},count=100'))
   reported = run([REPORT, '-o', page, '--json', out, path], driver_env())
   if not (drawn.ok and reported.ok):
      return None, page, f'{drawn.why()} {reported.why()}'
   return json.loads(out.read_text()), page, ''


def check_case(suite, folder, name):
   report, page, why = made(folder, name)
   if not report:
      suite.check(f'report {name}', False, why)
      return
   if name in LINES:
      program = next(program for program in report['programs'] if program['stage'] == 'fragment')
      costs = line_costs(program, 0)
      seen = {line: tuple(costs[line][n] for n in ('lanes', 'live', 'branched', 'branches'))
              for line in LINES[name] if line in costs}
      suite.check(f'report {name} lines', seen == LINES[name], f'{seen}')
   if name == 'branch':
      check_lcov(suite, folder)
   remarks = {case for case, remark in REMARKS.items() if remark in page.read_text()}
   suite.check(f'report {name} remarks', remarks == {name} & set(REMARKS), f'{remarks}')
   frame = next(frame for frame in report['frames'] if frame['draws'])
   counts, draws = frame['sum'], frame['draws']
   waiting = round(100 * counts['fragment']['branched'] / (32 * counts['fragment']['instructions']))
   seen = (frame['cost'], counts['hidden']['fragments'], counts['fates']['depth'], waiting, draws[-1]['late_because'])
   suite.check(f'report {name}', seen == CASES[name], f'{seen}')


def check_lcov(suite, folder):
   """genhtml shows lines and branches of the report, and warns of nothing."""
   if not shutil.which('genhtml'):
      suite.skip('report lcov', 'lcov is not installed')
      return
   info = folder / 'branch.info'
   written = run([REPORT, '--lcov', info, folder / 'slow-branch.cap'], driver_env())
   shown = run(['genhtml', '--branch-coverage', '-o', folder / 'lcov', info], driver_env())
   suite.check('report lcov', written.ok and shown.ok and 'branches...: 100.0% (2 of 2 branches)' in shown.output and
               not re.search('warn|error', shown.output, re.IGNORECASE), f'{written.why()} {shown.output}')


def check_program(suite, folder):
   """A program instead of a capture."""
   page, out, trace = folder / 'program.html', folder / 'program.json', folder / 'trace.json'
   done = run([REPORT, '-o', page, '--json', out, '--trace', trace, '--frame', '3', '--frames', '2', 'glmark2-es2',
               '-s', '128x96', '-b', 'build'],
              driver_env(), timeout_s=600)
   report = json.loads(out.read_text()) if done.ok else {'frames': []}
   drawn = [len(frame['draws']) for frame in report['frames'] if frame['draws']]
   rows = {target['rows'] for frame in report['frames'] for target in frame['targets']}
   suite.check('report program', len(drawn) == 2 and rows == {'highest first'} and page.exists(),
               f'draws of frames: {drawn}, rows: {rows}' if done.ok else done.why())
   slices = json.loads(trace.read_text()) if trace.exists() else []
   passes = [e for e in slices if e.get('name') == 'pass']
   suite.check('report trace', len(passes) >= 2 and list(folder.glob('trace.json*')) == [trace],
               f'{len(slices)} events, {len(passes)} passes')


# ---------------------------------------------------------------- in a browser

def shown(folder, name):
   """(JSON or None, page, why not) of a program's frame."""
   command, frame = SHOWN[name]
   path, page, out = (folder / f'{name}.{kind}' for kind in ('cap', 'html', 'json'))
   drawn = run(command, driver_env(CLIPFREE_CAPTURE=f'file={path},frame={frame}', CLIPFREE_FRAMES=str(frame + 2),
                                   vblank_mode='0'), timeout_s=120)
   if not path.exists():
      return None, page, drawn.why()
   reported = run([REPORT, '-o', page, '--json', out, path], driver_env(), timeout_s=120)
   return json.loads(out.read_text()) if reported.ok else None, page, reported.why()


def check_browser(suite, folder):
   if not browsers.program():
      suite.skip('report browser', f'neither {" nor ".join(browsers.PROGRAMS)} is installed')
      return
   for name in 'branch', *SHOWN:
      report, page, why = shown(folder, name) if name in SHOWN else made(folder, name)
      rows = sum(len(frame['draws']) for frame in report['frames']) if report else why
      browsers.check_page(suite, f'report browser {name}', page if report else None, rows, 'fragments')


def check(suite, folder, name):
   """One of names()."""
   case = name.removeprefix('report ')
   if case in CASES:
      check_case(suite, folder, case)
   elif case == 'program':
      check_program(suite, folder)
   else:
      check_browser(suite, folder)
