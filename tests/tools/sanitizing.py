# SPDX-License-Identifier: MIT
"""clipfree sanitize and CLIPFREE_SANITIZE, of suite `tools`: defects that sane_cases plants are found, and nothing in
right draws; a case of docs/debugging.md is found in its capture; a list that is wrong is refused; `fatal` stops the
program."""
import json
import re
import signal

from harness.suite import BUILD, PREBUILT, driver_env, run
import schemas

SANITIZE = BUILD / 'tools' / 'clipfree-sanitize'


def check_planted(suite, folder):
   outcome = run([PREBUILT / 'sane_cases', '17'], driver_env(CLIPFREE_SANITIZE='all,unwritten-uniform'), timeout_s=300)
   suite.check('sanitize planted', outcome.ok and 'defects found' in outcome.output, outcome.why())
   blind = run([PREBUILT / 'sane_cases', '17'], driver_env(CLIPFREE_SANITIZE='feedback'), timeout_s=300)
   suite.check('sanitize planted, one check', not blind.ok and re.search(r'\b12 of \d+ defects found', blind.output),
               blind.why())


def check_capture(suite, folder):
   expected = {'number': {'division', 'infinity'}, 'right': set()}
   for case, checks in expected.items():
      path = folder / f'{case}.cap'
      drawn = run([PREBUILT / 'debug_cases', case], driver_env(CLIPFREE_CAPTURE=f'file={path},count=100'))
      outcome = run([SANITIZE, '--json', path], driver_env())
      findings = json.loads(outcome.output)['findings'] if outcome.status in (0, 1) else []
      suite.check(f'sanitize capture {case}', drawn.ok and outcome.status == bool(checks) and
                  {finding['check'] for finding in findings} == checks and
                  all(finding['draw'] == 1 and finding['vertex'] == 0 and finding['count'] == 3 and
                      finding['call'] == 'glDrawArrays(GL_TRIANGLES, 0, 3)' for finding in findings) and
                  all((finding['line'], finding['text']) == (5, 'vec2 seen = position / distance;')
                      for finding in findings if finding['check'] == 'division'), f'{findings}; {outcome.why()}')


def check_groups(suite, folder):
   """Findings of a capture name the debug groups of their draw; those of draws in none name none."""
   path = folder / 'groups.cap'
   run([PREBUILT / 'sane_cases', '17', '1'], driver_env(CLIPFREE_CAPTURE=f'file={path},count=10000'), timeout_s=300)
   outcome = run([SANITIZE, '--json', path], driver_env(), timeout_s=300)
   findings = json.loads(outcome.output)['findings'] if outcome.status in (0, 1) else []
   groups = {finding['group'] for finding in findings}
   wrong = [f for f in findings if not re.fullmatch(r'cases / planted [a-z-]+ \d+', f['group'])
            or not f['sentence'].endswith(f', in {f["group"]})')]
   suite.check('sanitize groups', len(groups) > 30 and not wrong,
               f'{len(groups)} groups; {wrong[:2]} {outcome.why() if not groups else ""}')


# Lines of way_cases: where a value is born and what it passes there, and of the draws that follow.
NEXT = ('fragment', 7, [8], 'through texture unit 0 to colour 0, ')
WAYS = {'vertex': (('vertex', 6, [7, 8], 'it reaches varying glow'),
                   ('fragment', 6, [], 'through varying glow to colour 0, ')),
        'fragment': (('fragment', 6, [7, 8], 'it reaches colour 0, '),),
        'uploaded': (('fragment', 7, [8], 'of a value that was loaded; it reaches colour 0, '),)}


def unlike_way(finding, expected):
   """Steps of a finding that are not as expected."""
   steps = [finding, *finding['way']]
   if len(steps) != len(expected):
      return [f'{len(steps)} steps, not {len(expected)}']
   return [(step['sentence'], want) for step, want in zip(steps, expected)
           if (step['stage'], step['line'], step['through']) != want[:3] or want[3] not in step['message']]


def check_way(suite, folder):
   """An infinity comes to the pixel through a varying, images that later draws sample, and blending."""
   for born, first in WAYS.items():
      for draws in (1, 2, 4):
         path = folder / f'{born}{draws}.cap'
         drawn = run([PREBUILT / 'way_cases', born, str(draws)],
                     driver_env(CLIPFREE_CAPTURE=f'file={path},count=100'))
         outcome = run([SANITIZE, '--json', path], driver_env())
         report = json.loads(outcome.output) if outcome.status == 1 else {'findings': []}
         # what was uploaded is found in each channel; the way is that of the last that was drawn
         found = max(report['findings'], key=lambda one: (one['draw'] == 0, len(one['way'])), default=None)
         expected = (*first, *(NEXT for _ in range(draws - 1)))
         numbers = [step['draw'] for step in (found, *found['way'])] if found else []
         wrong = unlike_way(found, expected) or schemas.fault('sanitize', report) if found else 'nothing'
         suite.check(f'sanitize way: {born}, {draws} draws', drawn.ok and not wrong and
                     numbers == [0] * len(first) + list(range(1, draws)), f'{wrong}; {numbers}; {outcome.why()}'
                     if wrong else '')
   told = run([PREBUILT / 'way_cases', 'vertex', '3'], driver_env(CLIPFREE_SANITIZE='all'))
   suite.check('sanitize way: while the program runs', told.output.count('sanitize:    then through ') == 3, told.why())


def check_options(suite, folder):
   bad = run([SANITIZE, '--checks', 'nan,zero', folder / 'none.cap'], driver_env())
   suite.check('sanitize unknown check', bad.status == 2 and 'nan, division, pow' in bad.output, bad.why())
   none = run([SANITIZE, folder / 'none.cap'], driver_env())
   suite.check('sanitize no capture', none.status == 2 and 'none.cap' in none.output, none.why())
   driver = run([PREBUILT / 'debug_cases', 'right'], driver_env(CLIPFREE_SANITIZE='nan,zero'))
   suite.check('sanitize unknown check of the driver', not driver.ok and 'nan, division, pow' in driver.output,
               driver.why())


def check_fatal(suite, folder):
   right = run([PREBUILT / 'debug_cases', 'right'], driver_env(CLIPFREE_SANITIZE='fatal'))
   wrong = run([PREBUILT / 'debug_cases', 'number'], driver_env(CLIPFREE_SANITIZE='fatal'))
   suite.check('sanitize fatal', right.ok and wrong.status == -signal.SIGABRT and wrong.output.count('sanitize: ') == 1,
               f'{right.why()}; {wrong.why()}')


CHECKS = {'sanitize planted': check_planted, 'sanitize capture': check_capture, 'sanitize groups': check_groups, 'sanitize way': check_way,
          'sanitize options': check_options,
          'sanitize fatal': check_fatal}


def names():
   return list(CHECKS)


def check(suite, folder, name):
   CHECKS[name](suite, folder)
