#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What the simulation takes on this host, on the four scenes of paper A's table 1: the figures of speed in
docs/papers.md.

Usage: simulation_speed.py FOLDER. Frame 20 of each scene at 800x600, and twenty frames from it on, are captured into
the folder, unless they are there.
Times are processor time, the least of ROUNDS, so other programs matter little; the load is printed. For each scene:

  recorder      a recording is made, in interpreted replays of one thread that do nothing else: processes as a whole
  elapsed       the same in time on the clock
  requests/s    `hits` of paper-a: requests of all caches in the time that one more machine takes
  one frame     the same in the time of the whole process: start, reading the recording, order, machine
  20 frames     the same of twenty frames
  cycles/s      `cycles` of paper-a, in the same way, without the time of `hits`, which it counts, too
  whole run     cycles a second with start, reading the recording and `hits`
  frame         seconds on the clock: replay, recorder and `cycles` of a capture

and for all of them seconds on the clock of a sweep of 100 machines in `hits`, on all processors.
"""
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tools/sim'))
import machines  # noqa: E402

BUILD = ROOT / 'build'
SIM, REPLAY = ROOT / 'tools/sim/sim', BUILD / 'tools/clipfree-replay'
SIMULATOR = BUILD / 'tools/sim/clipfree-sim'       # what SIM runs; the time of Python's start is not in it
ROUNDS = 5
FIRST, FRAMES = 20, 20
MORE = 8               # machines beside the first one
ONES = '1,1,1,1,1;' * 5
SCENES = {'effect2d': f'effect2d:kernel={ONES}', 'texture-cube': 'texture:model=cube', 'jellyfish': 'jellyfish',
          'texture-cat': 'texture:model=cat'}
SIZES = ['z.size_B=' + ','.join(str(1024 << n) for n in range(10)),
         'texture.size_B=' + ','.join(str(1024 << n) for n in range(10))]


def captured(folder, name, frames=1):
   path = folder / f'{name}{"" if frames == 1 else f"-{frames}"}.cap'
   if not path.exists():
      subprocess.run([ROOT / 'clipfree', 'run', 'glmark2-es2', '--off-screen', '-s', '800x600', '-b',
                      f'{SCENES[name]}:duration=1000:nframes={FIRST + frames + 1}'], capture_output=True, check=True,
                     env=dict(os.environ, CLIPFREE_CAPTURE=f'file={path},frame={FIRST},count={frames}'))
   if not path.exists():
      sys.exit(f'{name}: frame {FIRST} never came')
   return path


def recorded(capture):
   recording = capture.with_suffix('.rec')
   if not recording.exists():
      subprocess.run([SIMULATOR, '--record', recording, capture], check=True, capture_output=True)
   return recording


def timed(*command):
   """(what the command printed, its seconds of processor time, on the clock: the least of ROUNDS each)"""
   least, elapsed, output = float('inf'), float('inf'), ''
   for _ in range(ROUNDS):
      began = time.monotonic()
      process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
      output = process.stdout.read()
      _, status, usage = os.wait4(process.pid, 0)
      if status:
         sys.exit(f'{" ".join(map(str, command))}: exit status {os.waitstatus_to_exitcode(status)}')
      elapsed = min(elapsed, time.monotonic() - began)
      least = min(least, usage.ru_utime + usage.ru_stime)
   return output, least, elapsed


def of_machines(mode, recording):
   """(answer of paper-a, seconds of one machine more, seconds of the whole run)"""
   command = [SIM, '--json', '--mode', mode, recording]
   output, one, _ = timed(*command, '--machine', 'paper-a')
   _, many, _ = timed(*command, *['--machine', 'paper-a'] * (1 + MORE))
   return json.loads(output)['machines'][0], (many - one) / MORE, one


def requests_of(answer):
   return sum(answer['counters'][f'{cache}_requests'] for cache in ('texture', 'z', 'color'))


def hits(folder, recording, count):
   """(requests of one machine, seconds of a process that runs so many in `hits`)"""
   lines = folder / 'machines.txt'
   lines.write_text(''.join(machine.lines() for machine in machines.load('paper-a')) * count)
   output, seconds, _ = timed(SIMULATOR, '--machines', lines, recording)
   return requests_of(json.loads(output)['machines'][0]), seconds


def request_rates(folder, name):
   """Requests a second: of one machine more, of a whole process with a frame, and with FRAMES."""
   recording = recorded(captured(folder, name))
   requests, one = hits(folder, recording, 1)
   _, many = hits(folder, recording, 1 + MORE)
   requests_of_all, all_frames = hits(folder, recorded(captured(folder, name, FRAMES)), 1)
   rates = (requests * MORE / max(many - one, 1e-9), requests / one, requests_of_all / all_frames)
   return [f'{rate / 1e6:.1f} M' for rate in rates]


def scene(folder, name):
   """The row of a scene."""
   path = captured(folder, name)
   recording = path.with_suffix('.rec')
   _, replay, replay_s = timed(REPLAY, '--path', 'plain', '--engine', 'interp', '--threads', '0', path)
   recording.unlink(missing_ok=True)
   _, record, record_s = timed(SIMULATOR, '--record', recording, path)
   _, hits_s, _ = of_machines('hits', recording)
   cycles, cycles_s, whole_s = of_machines('cycles', recording)
   _, _, frame_s = timed(SIM, '--json', '--mode', 'cycles', '--machine', 'paper-a', path)
   count = cycles['timed']['cycles']
   return [f'{record / replay:.2f}', f'{record_s / replay_s:.2f}', *request_rates(folder, name),
           f'{count / max(cycles_s - hits_s, 1e-9) / 1e6:.2f} M', f'{count / whole_s / 1e6:.2f} M', f'{frame_s:.2f} s']


def sweep(folder, recordings):
   """Seconds of 100 machines on all recordings."""
   out = folder / 'hundred'
   shutil.rmtree(out, ignore_errors=True)
   over = [word for values in SIZES for word in ('--over', values)]
   began = time.monotonic()
   subprocess.run([SIM, 'sweep', 'paper-a', '--mode', 'hits', *over, '-o', out, *recordings], check=True,
                  capture_output=True)
   return time.monotonic() - began


def main(folder):
   folder.mkdir(parents=True, exist_ok=True)
   print('| scene | recorder | elapsed | requests/s | one frame | 20 frames | cycles/s | whole run | frame |\n' +
         '|---' * 9 + '|')
   for name in SCENES:
      print('| ' + ' | '.join([name, *scene(folder, name)]) + ' |', flush=True)
   recordings = [recorded(captured(folder, name)) for name in SCENES]
   print(f'100 machines on {len(SCENES)} scenes: {sweep(folder, recordings):.1f} s')
   print('load: ' + ' '.join(f'{load:.1f}' for load in os.getloadavg()) + f', {os.cpu_count()} processors')


if __name__ == '__main__':
   if len(sys.argv) != 2:
      sys.exit(__doc__.split('\n\n')[1])
   main(Path(sys.argv[1]).absolute())
