# SPDX-License-Identifier: MIT
"""clipfree report, of suite `tools`: it says of slow_cases what docs/debugging.md says, and its pages look right in a
browser: not blank, without errors, without anything that is wider than the window, light and dark."""
import json
import re
import shutil
import sys

from PIL import Image

from harness.suite import PREBUILT, ROOT, driver_env, run

sys.path.append(str(ROOT / 'tools' / 'report'))
from page import line_costs

REPORT = ROOT / 'tools' / 'report' / 'report'
BROWSERS = ('chromium-headless-shell', 'chromium')
WIDTHS_PX, HEIGHT_PX = (1280, 2560), 1600
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
# What is added to a page to be reported: whether anything is wider than the window, how many pictures have no size, how
# many draws there are, whether it is dark; and whether a click at the head of a column sorts the first table of draws,
# and another one turns it round.
PROBE = '''<script>addEventListener("load", () => {
   const root = document.documentElement, broken = [...document.images].filter(i => !i.naturalWidth).length;
   const button = [...document.querySelectorAll("th button")].find(b => b.textContent === "COLUMN");
   const table = button.closest("table"), column = button.parentNode.cellIndex;
   const values = () => [...table.querySelectorAll("tr[id]")].map(row => +row.cells[column].dataset.v);
   const falls = v => v.every((x, i) => !i || v[i - 1] >= x), sorts = [];
   for (let i = 0; i < 2; i++) { button.click(); sorts.push(falls(values())); }
   root.dataset.probe = [root.scrollWidth - innerWidth, broken, document.querySelectorAll("tr[id]").length,
                         matchMedia("(prefers-color-scheme: dark)").matches, sorts].join(" ");
});</script>'''


def probe(column):
   return PROBE.replace('COLUMN', column)


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

def browse(browser, folder, page, width_px, dark):
   """(text of the page after its scripts, messages, screenshot)"""
   shot = folder / f'{page.stem}-{width_px}-{"dark" if dark else "light"}.png'
   shot.unlink(missing_ok=True)
   options = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--enable-logging=stderr',
              '--virtual-time-budget=5000', f'--window-size={width_px},{HEIGHT_PX}',
              f'--blink-settings=preferredColorScheme={0 if dark else 1}']
   url = page.resolve().as_uri()
   shown = run([browser, *options, f'--screenshot={shot}', url], driver_env(), timeout_s=120)
   dumped = run([browser, *options, '--dump-dom', url], driver_env(), timeout_s=120)
   return dumped.output, re.findall(r'.*CONSOLE.*', shown.output + dumped.output), shot


def look(browser, folder, page, width_px, dark, draws):
   """What is wrong with the page in a window of this width; nothing: ''."""
   dom, messages, shot = browse(browser, folder, page, width_px, dark)
   probe = re.search(r'data-probe="(-?\d+) (\d+) (\d+) (\w+) ([\w,]+)"', dom)
   if not probe or not shot.exists():
      return 'it was not shown'
   too_wide, broken, rows, is_dark = int(probe[1]), int(probe[2]), int(probe[3]), probe[4] == 'true'
   with Image.open(shot) as picture:
      corner, colors = picture.convert('RGB').getpixel((2, 2)), len(picture.convert('RGB').getcolors(1 << 24))
   wrong = {'wider than the window': too_wide > 0, 'pictures without a size': broken,
            'draws are missing': rows != draws,
            f'messages: {messages[:2]}': messages, 'blank': colors < 200, 'not sorted': probe[5] != 'true,false',
            'the other colours': is_dark != dark or (sum(corner) < 384) != dark}
   return ', '.join(name for name, is_so in wrong.items() if is_so)


def check_browser(suite, folder):
   browser = next((path for path in map(shutil.which, BROWSERS) if path), None)
   if not browser:
      suite.skip('report browser', f'neither {" nor ".join(BROWSERS)} is installed')
      return
   report, page, why = made(folder, 'branch')
   probed = folder / 'probed.html'
   if report:
      probed.write_text(page.read_text().replace('</head>', probe('fragments') + '</head>'))
   draws = sum(len(frame['draws']) for frame in report['frames']) if report else 0
   for width_px in WIDTHS_PX:
      for dark in (False, True):
         wrong = look(browser, folder, probed, width_px, dark, draws) if report else why
         suite.check(f'report browser {width_px} {"dark" if dark else "light"}', not wrong, wrong)


def check(suite, folder, name):
   """One of names()."""
   case = name.removeprefix('report ')
   if case in CASES:
      check_case(suite, folder, case)
   elif case == 'program':
      check_program(suite, folder)
   else:
      check_browser(suite, folder)
