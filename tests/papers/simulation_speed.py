#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What the simulation takes on this host, on the four scenes of paper A's table 1: the figures of speed in
docs/papers.md.

Usage: ./clipfree run tests/papers/simulation_speed.py FOLDER. Frame 20 of each scene at 800x600, and twenty frames
from it on, are captured into the folder, unless they are there.
Times are processor time, the least of ROUNDS, so other programs matter little; the load is printed. For each scene:

  recorder      a recording is made, in interpreted replays of one thread that do nothing else: processes as a whole
  elapsed       the same in time on the clock
  requests/s    `hits` of paper-a: requests of all caches in the time that one more machine takes
  one frame     the same in the time of the whole process: start, reading the recording, order, machine
  20 frames     the same of twenty frames
  cycles/s      `cycles` of paper-a, in the same way, without the time of `hits`, which it counts, too
  whole run     cycles a second with start, reading the recording and `hits`
  frame         seconds on the clock: replay, recorder and `cycles` of a capture

and for all of them seconds on the clock of a sweep of 100 machines in `hits`, on all processors. What is worse than its
goal is named, and the exit status is 1. Where more programs run than there are processors, rates and the sweep prove
nothing: if they alone miss, it is 77. The recorder, a ratio of two times under the same load, and the 10 s of a frame,
a tenth of which is needed, must hold then, too.
"""
import json
import os
import sys
import time

import measured
from measured import BUILD, ROOT, SIM, SIMULATOR, Expected, folder_of, swept, wanted

sys.path.insert(0, str(ROOT / 'tools/sim'))
import machines  # noqa: E402

REPLAY = BUILD / 'tools/clipfree-replay'
ROUNDS = 5
# Goals: times the interpreter's; a second; seconds
MOST_RECORDER, LEAST_REQUESTS, LEAST_CYCLES, MOST_FRAME_S, MOST_SWEEP_S = 4, 20e6, 3e6, 10, 240
BUSY = 77
FIRST, FRAMES = 20, 20
MORE = 8               # machines beside the first one
SCENES = ('effect2d', 'texture-cube', 'jellyfish', 'texture-cat')
SIZES = ['z.size_B=' + ','.join(str(1024 << n) for n in range(10)),
         'texture.size_B=' + ','.join(str(1024 << n) for n in range(10))]


def captured(folder, name, frames=1):
   return wanted(folder, f'{name}{"" if frames == 1 else f"-{frames}"}', scene=measured.SCENES[name], frames=frames)


def timed(*command):
   return measured.timed(command, ROUNDS)


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
   recording = measured.recorded(captured(folder, name))
   requests, one = hits(folder, recording, 1)
   _, many = hits(folder, recording, 1 + MORE)
   requests_of_all, all_frames = hits(folder, measured.recorded(captured(folder, name, FRAMES)), 1)
   return requests * MORE / max(many - one, 1e-9), requests / one, requests_of_all / all_frames


def scene(folder, name, firm, rates):
   """The row of a scene. firm, rates: what holds under any load, and what does not."""
   path = captured(folder, name)
   recording = path.with_suffix('.rec')
   _, replay, replay_s = timed(REPLAY, '--path', 'plain', '--engine', 'interp', '--threads', '0', path)
   recording.unlink(missing_ok=True)
   _, record, record_s = timed(SIMULATOR, '--record', recording, path)
   _, hits_s, _ = of_machines('hits', recording)
   cycles, cycles_s, whole_s = of_machines('cycles', recording)
   _, _, frame_s = timed(SIM, '--json', '--mode', 'cycles', '--machine', 'paper-a', path)
   count = cycles['timed']['cycles']
   requests, speed = request_rates(folder, name), count / max(cycles_s - hits_s, 1e-9)
   firm.within(f'{name}: recorder, times the interpreter', record / replay, 0, MOST_RECORDER)
   rates.that(f'{name}: {LEAST_REQUESTS:g} requests a second', requests[0] >= LEAST_REQUESTS, f'{requests[0]:.3g}')
   rates.that(f'{name}: {LEAST_CYCLES:g} cycles a second', speed >= LEAST_CYCLES, f'{speed:.3g}')
   firm.within(f'{name}: seconds of a frame', frame_s, 0, MOST_FRAME_S)
   return [f'{record / replay:.2f}', f'{record_s / replay_s:.2f}', *(f'{rate / 1e6:.1f} M' for rate in requests),
           f'{speed / 1e6:.2f} M', f'{count / whole_s / 1e6:.2f} M', f'{frame_s:.2f} s']


def sweep(folder, recordings):
   """Seconds of 100 machines on all recordings."""
   began = time.monotonic()
   swept(folder, 'hundred', 'paper-a', ['--mode', 'hits', *(word for values in SIZES for word in ('--over', values))],
         recordings)
   return time.monotonic() - began


def main():
   folder, firm, rates = folder_of(__doc__), Expected(), Expected()
   print('| scene | recorder | elapsed | requests/s | one frame | 20 frames | cycles/s | whole run | frame |\n' +
         '|---' * 9 + '|')
   for name in SCENES:
      print('| ' + ' | '.join([name, *scene(folder, name, firm, rates)]) + ' |', flush=True)
   recordings = [measured.recorded(captured(folder, name)) for name in SCENES]
   sweep_s, load = sweep(folder, recordings), os.getloadavg()
   rates.within('seconds of 100 machines on four scenes', sweep_s, 0, MOST_SWEEP_S)
   print(f'100 machines on {len(SCENES)} scenes: {sweep_s:.1f} s')
   slow, slower = firm.status(), rates.status()
   print('load: ' + ' '.join(f'{value:.1f}' for value in load) + f', {os.cpu_count()} processors')
   return slow or (BUSY if slower and load[1] > os.cpu_count() else slower)


if __name__ == '__main__':
   sys.exit(main())
