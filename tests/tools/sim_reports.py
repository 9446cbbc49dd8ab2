# SPDX-License-Identifier: MIT
"""clipfree sim report and timelines of a real program, of suite `tools`: what they add up to, and that pages look right
in a browser (browsers.py)."""
import json
from collections import Counter
from pathlib import Path

import browsers
from harness.suite import driver_env, run

SIM = Path(__file__).resolve().parents[2] / 'tools/sim/sim'
MACHINES = ('paper-a', 'combined', 'paper-e')
FRAMES = 2


def names():
   return ['sim report program', 'sim report timeline', 'sim report browser']


def recorded(folder):
   """A recording of frames of glmark2's texture, and why there is none."""
   capture, recording = folder / 'texture.cap', folder / 'texture.rec'
   run(['glmark2-es2', '-s', '256x192', '-b', 'texture:duration=20'],
       driver_env(CLIPFREE_CAPTURE=f'file={capture},frame=20,count={FRAMES}', CLIPFREE_FRAMES='24', vblank_mode='0'),
       timeout_s=120)
   done = run([SIM, '--record', recording, capture], driver_env(), timeout_s=120)
   return recording if done.ok else None, done.why()


def reported(folder, recording):
   """(document, page, why not)"""
   page, out = folder / 'sim.html', folder / 'sim.json'
   chosen = [word for name in MACHINES for word in ('--machine', name)]
   done = run([SIM, 'report', recording, *chosen, '--json', out, '-o', page], driver_env(), timeout_s=300)
   return json.loads(out.read_text()) if done.ok else None, page, done.why()


def wrong_sums(machine):
   """Names of counters to which maps, or rows of frames, do not add up."""
   timed = machine['timed']
   gpu = timed.get('gpu', {'data_misses': 0})
   on_maps = Counter(machine['elsewhere'])
   for one in machine['maps']:
      on_maps[one['map']] += one['sum']
   at = machine['columns'].index('bus_B')
   rows = {kind: sum(row['values'][at] for row in machine[kind]) for kind in ('intervals', 'draws', 'frames')}
   return [name for name, count in on_maps.items() if count != (timed | gpu)[name]] \
      + [kind for kind, count in rows.items() if count != timed['bus_B']]


def check_program(suite, folder):
   recording, why = recorded(folder)
   document, _, why = reported(folder, recording) if recording else (None, None, why)
   if not document:
      suite.check('sim report program', False, why)
      return
   wrong = {machine['machine']: wrong_sums(machine) for machine in document['machines']}
   frames = {len(machine['frames']) for machine in document['machines']}
   pixels = sum(one['sum'] for one in document['machines'][0]['maps'] if one['map'] == 'data_misses')
   suite.check('sim report program', not any(wrong.values()) and frames == {FRAMES} and pixels > 0,
               f'sums: {wrong}, frames: {frames}, misses of textures: {pixels}')


def check_timeline(suite, folder):
   """With the Z cache's prefetch, on the memory of pixels: each flow has its block, its prefetch and its request."""
   recording, why = recorded(folder)
   out = folder / 'timeline.json'
   done = run([SIM, recording, '--machine', 'paper-d', '--mode', 'cycles', '--trace', out, '--to', '100000000'],
              driver_env(), timeout_s=120) if recording else None
   events = json.loads(out.read_text()) if done and done.ok else []
   phases = {}
   for event in events:
      if event['ph'] in 'stf':
         phases[event['id']] = phases.get(event['id'], '') + event['ph']
   suite.check('sim report timeline', len(phases) > 1000 and set(phases.values()) == {'stf'},
               f'{len(phases)} flows: {set(phases.values())}' if events else why)


def check_browser(suite, folder):
   if not browsers.program():
      suite.skip('sim report browser', f'neither {" nor ".join(browsers.PROGRAMS)} is installed')
      return
   recording, why = recorded(folder)
   document, page, why = reported(folder, recording) if recording else (None, None, why)
   rows = sum(len(machine['draws']) for machine in document['machines']) if document else why
   browsers.check_page(suite, 'sim report browser', page if document else None, rows, 'quads')


def check(suite, folder, name):
   """One of names()."""
   {'program': check_program, 'timeline': check_timeline, 'browser': check_browser}[name.split()[-1]](suite, folder)
