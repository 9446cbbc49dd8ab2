#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What samples of frames save, and how far they are off: the tables of docs/sweep.md.

Usage: ./clipfree run tests/papers/sampling.py FOLDER. Frames of two scenes at 128x96 are captured into the folder,
unless they are there, in windows, whose frames are counted, and recorded. Then all frames run on a machine, in mode
cycles, and samples of them with ten seeds; processor time is that of whole processes. Errors are those of
`timed.cycles`; `held` is in how many seeds the interval of 95 percent has the true number. Exit status 1: an interval
holds in fewer than 7 of 10 seeds, a mean error is over 2.5 percent, or of MOST_FRAMES of jellyfish, 14 frames are less
than 80 times faster or off by more than 1 percent (the goal is 100 times and 1 percent; times of two runs differ by
some percent). Before this, of 32 of 240 frames, on three machines, with twenty seeds: errors of `timed.cycles` and of
`bus_reads`, and how many intervals of all counters hold. There, too, intervals of cycles must hold in 14 of 20 seeds,
but those of ideas on `combined`, which is where they fail.
"""
import json
import statistics
import sys

import measured
from measured import ROOT, SIM, Expected, folder_of, timed, wanted

sys.path.insert(0, str(ROOT / 'tools/sim'))
import sweep_table  # noqa: E402

SIZE, MACHINE, SEEDS = '128x96', 'paper-a', 10
MOST_FRAMES = 3000
ROWS = (('jellyfish', 300, (14, 32)), ('jellyfish', 1000, (14, 32)), ('jellyfish', MOST_FRAMES, (14,)),
        ('texture', 240, (14, 32)), ('texture', 5200, (14, 32)))
SCENES = {'jellyfish': 'jellyfish', 'texture': 'texture', 'ideas': 'ideas:speed=duration'}
OF, COUNT, ACCURACY_SEEDS = 240, 32, 20
ACCURACY = (('jellyfish', ('paper-a', 'paper-d')), ('texture', ('paper-a', 'paper-d', 'combined')),
            ('ideas', ('paper-a', 'paper-d', 'combined')))
NOT_HELD = ('ideas', 'combined')   # docs/sweep.md says why
LEAST_HELD, MOST_ERROR, GOAL_FASTER, GOAL_ERROR = 7, 0.025, 80, 0.01


def simulation(recording, *options, machine=MACHINE):
   """(the machine's answer, processor time)"""
   output, seconds, _ = timed([SIM, '--json', '--mode', 'cycles', '--machine', machine, *options, recording])
   return json.loads(output)['machines'][0], seconds


def recorded(folder, scene, frames):
   capture = wanted(folder, f'{scene}-{frames}-{SIZE}', scene=SCENES[scene], size=SIZE, frames=frames, samples=1)
   return measured.recorded(capture)


def sampled(recording, count, truth):
   """Of SEEDS samples of so many frames: their seconds, errors and half widths, and how many intervals hold."""
   seconds, errors, widths, held = [], [], [], 0
   for seed in range(1, SEEDS + 1):
      machine, took = simulation(recording, '--sample', str(count), '--seed', str(seed))
      low, high = machine['intervals']['timed.cycles']
      seconds.append(took)
      errors.append(abs(machine['timed']['cycles'] / truth - 1))
      widths.append((high - low) / 2 / truth)
      held += low <= truth <= high
   return statistics.fmean(seconds), errors, statistics.fmean(widths), held


def check(expected, name, frames, faster, error, held):
   expected.within(f'{name}: seeds that hold', held, LEAST_HELD, SEEDS)
   expected.within(f'{name}: mean error', error, 0, MOST_ERROR)
   if frames == MOST_FRAMES:
      expected.that(f'{name}: {GOAL_FASTER} times faster', faster >= GOAL_FASTER, f'{faster:.0f}')
      expected.within(f'{name}: mean error', error, 0, GOAL_ERROR)


def deviations(truth, samples, name):
   """(mean error, largest, mean half width, how many intervals hold) of a counter."""
   true = truth[name]
   bounds = [machine['intervals'][name] for machine in samples]
   errors = [abs(sweep_table.by_name(machine)[name] / true - 1) for machine in samples]
   return (statistics.fmean(errors), max(errors), statistics.fmean(high - low for low, high in bounds) / 2 / true,
           sum(low <= true <= high for low, high in bounds))


def accuracy(expected, folder):
   """The table of docs/sweep.md without times."""
   print('| mode cycles | `timed.cycles`: mean error, largest, half width | interval held it | `bus_reads` | held '
         '| all counters held |\n' + '|---' * 6 + '|')
   for scene, machine in ((scene, machine) for scene, machines in ACCURACY for machine in machines):
      recording = recorded(folder, scene, OF)
      truth = sweep_table.by_name(simulation(recording, machine=machine)[0])
      samples = [simulation(recording, '--sample', str(COUNT), '--seed', str(seed), machine=machine)[0]
                 for seed in range(1, ACCURACY_SEEDS + 1)]
      cycles, reads = (deviations(truth, samples, name) for name in ('timed.cycles', 'bus_reads'))
      held = [low <= truth[name] <= high for one in samples for name, (low, high) in one['intervals'].items()]
      print(f'| {scene}, `{machine}` | ' + ', '.join(f'{value:.2%}' for value in cycles[:3])
            + f' | {cycles[3]} of {ACCURACY_SEEDS} | ' + ', '.join(f'{value:.2%}' for value in reads[:3])
            + f' | {reads[3]} | {statistics.fmean(held):.1%} |', flush=True)
      if (scene, machine) != NOT_HELD:
         expected.within(f'{scene}, {machine}: seeds that hold', cycles[3], LEAST_HELD * ACCURACY_SEEDS // SEEDS,
                         ACCURACY_SEEDS)
   print()


def main():
   folder, expected = folder_of(__doc__), Expected()
   accuracy(expected, folder)
   print('| frames | of | all take | the sample | faster | mean error | largest | half width | held |\n' + '|---' * 9
         + '|')
   for scene, frames, counts in ROWS:
      recording = recorded(folder, scene, frames)
      whole, all_s = simulation(recording)
      for count in counts:
         seconds, errors, width, held = sampled(recording, count, whole['timed']['cycles'])
         error = statistics.fmean(errors)
         print(f'| {scene}, {count} | {frames} | {all_s:.2f} s | {seconds:.2f} s | {all_s / seconds:.0f} times '
               f'| {error:.2%} | {max(errors):.2%} | {width:.2%} | {held} of {SEEDS} |', flush=True)
         check(expected, f'{scene}, {count} of {frames}', frames, all_s / seconds, error, held)
   return expected.status()


if __name__ == '__main__':
   sys.exit(main())
