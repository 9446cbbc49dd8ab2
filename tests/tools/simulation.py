# SPDX-License-Identifier: MIT
"""`clipfree sim` on what real programs draw, of suite `tools`, long: every scene and many hacks, and a browser's WebGL,
run through all machines in both modes; what is counted is conserved, and pixels stay those of an ordinary replay."""
import json
import os
import re
import shutil

from harness import firefox, hacks
from harness.pages import BrowserError, Pages
from harness.scenes import glmark2_scenes, slug
from harness.suite import BUILD, PREBUILT, ROOT, driver_env, run

FRONT = ROOT / 'tools/sim/sim'
PARTS = ('gpu', 'vertex_shader', 'fragment_unit')     # of "timed" that have units, by gpu.model
LEFT = ('stuck', 'lost_tasks', 'lost_vertices')
MACHINES = sorted(path.stem for path in (ROOT / 'tools/sim/machines').glob('*.toml'))
SIZE = '320x240'
FRAME, FRAMES = 20, '24'   # the frame that is captured; those that are drawn
CLOCK = {'LD_PRELOAD': str(PREBUILT / 'steady_clock.so'), 'STEADY_CLOCK_STEP_US': '16000'}
HACKS = 20
CACHES = ('texture', 'z', 'color')
LONG = ['simulate scenes', 'simulate hacks', 'simulate browser']


def names():
   return []


# ---------------------------------------------------------------- captures

def captured(path, command, frame=FRAME, **variables):
   """A capture of a frame of a program under a steady clock. None, or why there is none."""
   outcome = run(command, driver_env(CLIPFREE_CAPTURE=f'file={path},frame={frame}', CLIPFREE_FRAMES=FRAMES,
                                     vblank_mode='0', **CLOCK, **variables), timeout_s=180)
   return None if path.exists() else outcome.why()


def scene_capture(folder, scene, size=SIZE):
   """(the capture of a scene of glmark2, why there is none)"""
   path = folder / f'{slug(scene)}.cap'
   return path, captured(path, ['glmark2-es2', '--off-screen', '-s', size, '-b', f'{scene}:duration=20'])


# ---------------------------------------------------------------- answers

def simulated(path, mode, *options, machines=MACHINES, env=None):
   """(clipfree sim's JSON as it is printed, why there is none)"""
   chosen = [word for machine in machines for word in ('--machine', machine)]
   outcome = run([FRONT, '--json', '--mode', mode, *chosen, *options, path], env or driver_env(), timeout_s=1800)
   return (outcome.output if outcome.ok else None), outcome.why()


def unit_faults(part, cycles):
   """Each cycle of each unit has one cause, and each cause its cycles; nothing is left or lost."""
   return [f'{unit}: causes are {sum(causes.values())} of {cycles} cycles' for unit, causes in part['units'].items()
           if sum(causes.values()) != cycles] + [f'{name}: {part[name]}' for name in LEFT if part.get(name)]


def timed_faults(timed):
   found = []
   for cache in ('z', 'color') if 'z_requests' in timed else ():
      c = {what: timed[f'{cache}_{what}'] for what in ('requests', 'hits', 'misses', 'chained')}
      if c['hits'] + c['misses'] + c['chained'] != c['requests']:
         found.append(f'{cache}: hits, misses and chained requests are not all: {c}')
      if sum(timed[f'{cache}_causes'].values()) != timed['cycles'] * timed['pipelines']:
         found.append(f'{cache}: causes are not all cycles')
   for part in PARTS:
      found += unit_faults(timed[part], timed['cycles']) if part in timed else []
   return found


def faults_of(machine):
   """What does not add up in a machine's counters."""
   c, found = machine['counters'], []
   for cache in CACHES:
      if c[f'{cache}_hits'] + c[f'{cache}_misses'] != c[f'{cache}_requests']:
         found.append(f'{cache}: hits and misses are not all requests')
      if c[f'{cache}_compulsory_misses'] > c[f'{cache}_misses'] + c.get(f'{cache}_prefetch_fills', 0):
         found.append(f'{cache}: more first misses than misses')
   for way, lines in (('reads', 'fills'), ('writes', 'write_backs')):
      if c[f'bus_{way}'] != sum(c[f'{cache}_{lines}'] for cache in CACHES):
         found.append(f'bus_{way} is not the sum of {lines}')
   return [f'{machine["machine"]}: {fault}' for fault in found + timed_faults(machine.get('timed', {}))
           ] if 'timed' in machine else [f'{machine["machine"]}: {fault}' for fault in found]


def memory_after(path):
   """The hash of an ordinary replay on the plain path."""
   outcome = run([BUILD / 'tools/clipfree-replay', '--path', 'plain', path], driver_env(), timeout_s=600)
   found = re.search(r'memory ([0-9a-f]{16})', outcome.output)
   return found[1] if found else outcome.why()


def check_capture(path):
   """'' or what is wrong; and how many cycles all machines took."""
   memory, cycles = memory_after(path), 0
   for mode in ('hits', 'cycles'):
      text, why = simulated(path, mode)
      if text is None:
         return f'{mode}: {why}', 0
      document = json.loads(text[text.index('{'):])   # a capture that was cut off is warned of before
      faults = [fault for machine in document['machines'] for fault in faults_of(machine)]
      if document['memory'] != memory:
         faults.append(f'memory is {document["memory"]}, not {memory}')
      if faults:
         return f'{mode}: ' + '; '.join(faults[:3]), 0
      cycles += sum(machine.get('timed', {}).get('cycles', 0) for machine in document['machines'])
   return '', cycles


def check_all(suite, case, captures, least):
   """`captures` yields (name, path, why there is none)."""
   wrong, count, cycles = [], 0, 0
   for name, path, why in captures:
      fault, took = (f'no capture: {why}', 0) if why else check_capture(path)
      count, cycles = count + 1, cycles + took
      wrong += [f'{name}: {fault}'] if fault else []
      path.unlink(missing_ok=True)
   suite.check(case, not wrong and count >= least and cycles > 0,
               f'{count} captures, {len(MACHINES)} machines, {cycles} cycles' + ''.join(f'; {w}' for w in wrong[:3]))


# ---------------------------------------------------------------- cases

def scenes(folder):
   for scene in glmark2_scenes():
      yield scene, *scene_capture(folder, scene)


def some_hacks(folder):
   """Hacks, evenly chosen of all that are installed; others instead of those that present too few frames."""
   every = [name for name in hacks.installed() if (name, 'run') not in hacks.skips()]
   even = [every[i * len(every) // HACKS] for i in range(HACKS)]
   found = 0
   for name in even + [name for name in every if name not in even]:
      path = folder / f'{name}.cap'
      command = [str(hacks.FOLDER / name), '--window', '--geometry', SIZE, *hacks.OPTIONS.get(name, [])]
      why = captured(path, command)
      if why and 'was never presented' in why:
         continue
      yield name, path, why
      found += 1
      if found == HACKS:
         return


def browsers(folder):
   """What Firefox's WebGL submits for a page, and what it shows of it: a capture for each of its contexts."""
   env, fault = driver_env(CLIPFREE_CAPTURE=f'file={folder}/page.cap,frame=0,count=1000'), ''
   try:
      with firefox.Firefox(folder / 'firefox', env, (480, 360)) as browser, \
           Pages(ROOT / 'tests' / 'webgl' / 'pages', folder) as server:
         fault = '; '.join(browser.show(server.address('raw-webgl1'), timeout_s=60).result['faults'])
   except BrowserError as error:
      fault = str(error)
   paths = sorted(folder.glob('page.cap*'))
   if fault or not paths:
      yield 'firefox', folder / 'page.cap', fault or 'nothing was captured'
   for path in paths:
      yield path.name, path, None


def check(suite, folder, name):
   os.environ['PATH'] = f'{PREBUILT}:{os.environ["PATH"]}'   # of our xscreensaver-getimage
   if name == 'simulate scenes':
      check_all(suite, name, scenes(folder), len(glmark2_scenes()))
   elif name == 'simulate hacks':
      if not hacks.FOLDER.exists():
         suite.skip(name, f'{" and ".join(hacks.PACKAGES)} are not installed')
         return
      check_all(suite, name, some_hacks(folder), HACKS)
   elif not shutil.which(firefox.PROGRAM):
      suite.skip(name, f'{firefox.PROGRAM} is not installed')
   else:
      check_all(suite, name, browsers(folder), 1)
