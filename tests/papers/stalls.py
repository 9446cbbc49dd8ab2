#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Where cycles of paper E's caches go, and what bounds paper D's prefetch: tables of docs/papers.md.

Usage: ./clipfree run tests/papers/stalls.py FOLDER. Frame 20 of each scene at 800x600 is captured into the folder,
unless it is there. First, of `paper-e` with a bus of 64 bytes a cycle, by scene and kind of misses: percent of cycles
of its caches by cause, the mean latency of a request, reads and cycles. Misses that do not block must save 60 to 80
percent of the cycles, linked ones be as fast as merged ones within 2 percent, and read the same within 0.01 percent;
the most loaded pipeline must have at most 1.05 times the mean. Then, of paper D, by scene: how far raster is ahead, and
with it lines that replacement drops before they are used (pollution; OTT is against it), requests that find their line
still on its way (timing), hits and latency; with no prefetch, and with the ideal one, as bounds. With the ideal one no
request must wait, with any one fewer cycles than without; OTT must not drop more of what is prefetched, and with the
paper's 32 kB and 32 blocks ahead nearly nothing may be dropped. All rows must be in docs/papers.md.
"""
import sys

from measured import Expected, folder_of, simulated, wanted

KINDS = ('blocking', 'merging', 'linked')
CAUSES = ('busy', 'refill', 'replay', 'blocked', 'entries', 'ways', 'memory', 'empty')
D_SCENES = ('shadow', 'refract', 'terrain', 'texture-cat')
E_SCENES = ('effect2d', 'shadow', 'refract', 'jellyfish')
AHEAD = (32, 1024)
WHOLE = 'gpu.model=whole', 'dram.bus_B=32', 'dram.banks=32', 'miss.entries=64'
SIZES_B = (4096, 32768)
PAPER_B = 32768
MOST_BALANCE = 1.05
MOST_DROPPED = 0.01   # of prefetched lines, with PAPER_B and AHEAD[0]


def percent(part, whole):
   return f'{100 * part / whole:.1f}' if whole else '-'


def check_stalls(expected, name, machines):
   """Of KINDS."""
   blocking, merging, linked = (machine['timed'] for machine in machines)
   expected.within(f'{name}: cycles that linked misses save', 1 - linked['cycles'] / blocking['cycles'], 0.6, 0.8)
   expected.within(f'{name}: linked / merged cycles', linked['cycles'] / merging['cycles'], 0.98, 1.02)
   expected.within(f'{name}: linked / merged reads', linked['bus_reads'] / merging['bus_reads'], 0.9999, 1.0001)
   expected.that(f'{name}: linked misses need no replay', linked['z_causes']['replay'] == 0)
   load = machines[0]['counters']['pipeline_requests']
   expected.within(f'{name}: balance', max(load) * len(load) / sum(load), 1, MOST_BALANCE)


def stalls(expected, paths):
   print('| scene | misses | cycles | reads | latency | ' + ' | '.join(CAUSES) + ' |')
   print('|---' * (5 + len(CAUSES)) + '|')
   for name, path in paths:
      machines = simulated(path, 'paper-e', 'dram.bus_B=64', f'miss.kind={",".join(KINDS)}')
      for kind, machine in zip(KINDS, machines):
         t = machine['timed']
         whole, causes = t['cycles'] * t['pipelines'], t['z_causes']
         expected.that(f'{name}, {kind}: causes are all cycles', sum(causes.values()) == whole)
         expected.row(f'| {name} | {kind} | {t["cycles"]} | {t["bus_reads"]} | {t["z_latency"]:.1f} | '
                      + ' | '.join(percent(causes[cause], whole) for cause in CAUSES) + ' |')
      check_stalls(expected, name, machines)


def dropped(machine):
   """The part of prefetched lines that are replaced before they are used."""
   t = machine['timed']
   return t['z_prefetch_useless'] / t['z_prefetch_fills'] if t['z_prefetch_fills'] else 0.0


def prefetch_row(expected, name, what, machine, base):
   c, t = machine['counters'], machine['timed']
   fills = t['z_prefetch_fills']
   expected.row(f'| {name} | {what} | {100 * c["z_hit_rate"]:.2f} | {percent(t["z_hits"], t["z_requests"])} '
                f'| {percent(t["z_prefetch_late"], t["z_requests"])} | {percent(t["z_prefetch_useless"], fills)} '
                f'| {t["z_latency"]:.1f} | {t["bus_reads"] / base["timed"]["bus_reads"] - 1:+.1%} '
                f'| {t["cycles"] / base["timed"]["cycles"] - 1:+.1%} |')


def check_prefetch(expected, name, found, size_B):
   """`found`: {what: machine}"""
   none = found['none, plru']['timed']
   for what, machine in found.items():
      t = machine['timed']
      expected.within(f'{name}, {what}: cycles', t['cycles'] / none['cycles'], 0.9, 1.1)
      expected.that(f'{name}, {what}: depth is answered sooner', t['z_latency'] <= none['z_latency'])
   for ahead in AHEAD:
      plru, ott = (dropped(found[f'dprt, {ahead}, {policy}']) for policy in ('plru', 'plru-ott'))
      expected.that(f'{name}, {ahead} ahead: OTT drops no more', ott <= plru, f'{ott:.4f}, without {plru:.4f}')
      if size_B == PAPER_B and ahead == AHEAD[0]:
         expected.within(f'{name}, {ahead} ahead: dropped', ott, 0, MOST_DROPPED)
   expected.that(f'{name}: with the ideal prefetch no request waits',
                 found['ideal, plru-ott']['timed']['z_latency'] == 1)


def prefetches(expected, paths):
   print('| scene | prefetch, blocks ahead, policy | hits without time, % | with time, % | late, % of requests '
         '| dropped unused, % of prefetched | latency | reads | cycles |\n' + '|---' * 9 + '|')
   for scene, path, size_B in ((*scene, size_B) for scene in paths for size_B in SIZES_B):
      machines = {'none, plru': ('z.prefetch=none', 'z.policy=plru')}
      machines |= {f'dprt, {ahead}, {policy}': (f'z.run_ahead={ahead}', f'z.policy={policy}') for ahead in AHEAD
                   for policy in ('plru', 'plru-ott')}
      machines |= {f'{kind}, plru-ott': ('z.run_ahead=1024', f'z.prefetch={kind}') for kind in ('adaptive', 'ideal')}
      name, found = f'{scene}, {size_B >> 10} kB', {}
      for what, values in machines.items():
         found[what], = simulated(path, 'paper-d', *WHOLE, f'z.size_B={size_B}', *values)
         prefetch_row(expected, name, what, found[what], found['none, plru'])
      check_prefetch(expected, name, found, size_B)


def main():
   folder, expected = folder_of(__doc__), Expected()
   stalls(expected, [(name, wanted(folder, name)) for name in E_SCENES])
   print()
   prefetches(expected, [(name, wanted(folder, name)) for name in D_SCENES])
   return expected.status()


if __name__ == '__main__':
   sys.exit(main())
